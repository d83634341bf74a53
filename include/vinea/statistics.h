/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_STATISTICS_H
#define VINEA_STATISTICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statistics and tolerance ----
 * Quantiles, covariances, histograms and reductions that leave NaN out, as NumPy has them; comparisons within a tolerance; samples on a grid.
 * Integers are cast to floats first (vn_cast), where no op says that it takes them.
 * NaN in x gives NaN, except in the functions whose names begin with nan, and in fmax and fmin.
 *
 *     vn_array *x = vn_from((float[]){4, 1, NAN, 3}, VN_SHAPE(4)), *y = vn_from((float[]){4, 1, 2, 3}, VN_SHAPE(4));
 *     puts(vn_text(vn_nanmean(x, VN_ALL)));
 *     puts(vn_text(vn_quantile(y, vn_from((float[]){.25, .5}, VN_SHAPE(2)), VN_ALL)));
 *     puts(vn_text(vn_isclose(x, y)));
 */

/* the element of x over axes below which the part q lies: (shape of q, then that of the reduction); NaN where q is outside [0, 1]. */
typedef struct vn_quantile_opts {
    size_t size VN_UNSET;
    const char *method VN_UNSET; /* what lies between two elements, as numpy.quantile names it: linear, lower, higher, midpoint, nearest, hazen, weibull, median_unbiased, normal_unbiased; the first unless given */
} vn_quantile_opts;
VN_API vn_array *vn_quantile(vn_array *x, vn_array *q, vn_axes axes VN_OR(VN_ALL), const vn_quantile_opts *opts VN_OR(NULL));

/* quantile, with q from 0 to 100. */
typedef vn_quantile_opts vn_percentile_opts;
VN_API vn_array *vn_percentile(vn_array *x, vn_array *q, vn_axes axes VN_OR(VN_ALL), const vn_percentile_opts *opts VN_OR(NULL));

/* the middle element over axes, or the mean of the two in the middle. */
VN_API vn_array *vn_median(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* sum over axes without NaN; 0 of none. */
VN_API vn_array *vn_nansum(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* product over axes without NaN; 1 of none. */
VN_API vn_array *vn_nanprod(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* arithmetic mean over axes without NaN; NaN of none. */
VN_API vn_array *vn_nanmean(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* variance over axes without NaN; NaN unless their number is above the correction. */
VN_API vn_array *vn_nanvar(vn_array *x, vn_axes axes VN_OR(VN_ALL), double correction VN_OR(0));

/* standard deviation over axes without NaN, the root of nanvar; its derivative at 0 is 0. */
VN_API vn_array *vn_nanstd(vn_array *x, vn_axes axes VN_OR(VN_ALL), double correction VN_OR(0));

/* largest element over axes without NaN; NaN of none; ties share the gradient. */
VN_API vn_array *vn_nanmax(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* smallest element over axes without NaN; NaN of none; ties share the gradient. */
VN_API vn_array *vn_nanmin(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* median over axes without NaN; NaN of none. */
VN_API vn_array *vn_nanmedian(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* quantile over axes without NaN; NaN of none. */
typedef vn_quantile_opts vn_nanquantile_opts;
VN_API vn_array *vn_nanquantile(vn_array *x, vn_array *q, vn_axes axes VN_OR(VN_ALL), const vn_nanquantile_opts *opts VN_OR(NULL));

/* nanquantile, with q from 0 to 100. */
typedef vn_quantile_opts vn_nanpercentile_opts;
VN_API vn_array *vn_nanpercentile(vn_array *x, vn_array *q, vn_axes axes VN_OR(VN_ALL), const vn_nanpercentile_opts *opts VN_OR(NULL));

/* cumulative_sum with 0 in place of NaN. */
typedef vn_cumulative_opts vn_nancumsum_opts;
VN_API vn_array *vn_nancumsum(vn_array *x, int64_t axis, const vn_nancumsum_opts *opts VN_OR(NULL));

/* cumulative_prod with 1 in place of NaN. */
typedef vn_cumulative_opts vn_nancumprod_opts;
VN_API vn_array *vn_nancumprod(vn_array *x, int64_t axis, const vn_nancumprod_opts *opts VN_OR(NULL));

/* the largest element so far along an axis, and its position; NaN wins; of equal ones the last, which gets the gradient. */
typedef struct vn_running_opts {
    size_t size VN_UNSET;
    int reverse VN_UNSET; /* from the end */
    int reserved VN_UNSET; /* 0 */
} vn_running_opts;
typedef vn_running_opts vn_cummax_opts;
VN_API vn_array *vn_cummax(vn_array *x, int64_t axis, const vn_cummax_opts *opts, vn_array **indices);

/* the smallest element so far along an axis, and its position; NaN wins; of equal ones the last, which gets the gradient. */
typedef vn_running_opts vn_cummin_opts;
VN_API vn_array *vn_cummin(vn_array *x, int64_t axis, const vn_cummin_opts *opts, vn_array **indices);

/* logarithm of the running sum of exponentials along an axis, without overflow; added in float64. */
typedef vn_running_opts vn_logcumsumexp_opts;
VN_API vn_array *vn_logcumsumexp(vn_array *x, int64_t axis, const vn_logcumsumexp_opts *opts VN_OR(NULL));

/* the larger of x and y, broadcast; a number wins over NaN; ties share the gradient. */
VN_API vn_array *vn_fmax(vn_array *x, vn_array *y);

/* the smaller of x and y, broadcast; a number wins over NaN; ties share the gradient. */
VN_API vn_array *vn_fmin(vn_array *x, vn_array *y);

/* true where |x - y| <= atol + rtol |y|, in float64, broadcast; an infinity is close only to itself. */
typedef struct vn_isclose_opts {
    size_t size VN_UNSET;
    double rtol VN_UNSET; /* the part of |y| by which they may differ; 1e-5 unless given; in [0, inf] */
    double atol VN_UNSET; /* and this much besides; 1e-8 unless given; in [0, inf] */
    int equal_nan VN_UNSET; /* NaN is close to NaN */
    int reserved VN_UNSET; /* 0 */
} vn_isclose_opts;
VN_API vn_array *vn_isclose(vn_array *x, vn_array *y, const vn_isclose_opts *opts VN_OR(NULL));

/* true if isclose holds everywhere; vn_tree_allclose is for trees. */
typedef vn_isclose_opts vn_allclose_opts;
VN_API vn_array *vn_allclose(vn_array *x, vn_array *y, const vn_allclose_opts *opts VN_OR(NULL));

/* covariance matrix of the variables in the rows of x (a vector is one), and of y below them, over the observations; 0-d for one variable; fweights: how often each observation counts, aweights: its importance; the sum of squares is divided by their number less the correction. */
typedef struct vn_cov_opts {
    size_t size VN_UNSET;
    int columns VN_UNSET; /* variables are the columns of x and y, not their rows */
    int reserved VN_UNSET; /* 0 */
} vn_cov_opts;
VN_API vn_array *vn_cov(vn_array *x, vn_array *y VN_OR(VN_NONE), vn_array *fweights VN_OR(VN_NONE), vn_array *aweights VN_OR(VN_NONE), double correction VN_OR(1), const vn_cov_opts *opts VN_OR(NULL));

/* correlation coefficients of the variables in the rows of x, and of y below them: cov divided by the standard deviations, kept within [-1, 1]. */
typedef vn_cov_opts vn_corrcoef_opts;
VN_API vn_array *vn_corrcoef(vn_array *x, vn_array *y VN_OR(VN_NONE), const vn_corrcoef_opts *opts VN_OR(NULL));

/* how many elements of x are in each bin, or the sum of their weights, and the ascending limits of the bins: the edges if they are given, otherwise of bins of equal width; a bin includes its lower limit, the last one both; elements outside are left out. */
typedef struct vn_histogram_opts {
    size_t size VN_UNSET;
    double low VN_UNSET; /* where the first bin begins; at the smallest element unless given */
    double high VN_UNSET; /* where the last bin ends, itself included; at the largest element unless given */
    int density VN_UNSET; /* divided by the sum of all and by the width of the bin */
    int reserved VN_UNSET; /* 0 */
} vn_histogram_opts;
VN_API vn_array *vn_histogram(vn_array *x, vn_array *edges, vn_array *weights, int64_t bins, const vn_histogram_opts *opts, vn_array **limits);

/* the function with values fp at the ascending positions xp, linear in between, at x; before the first position left, after the last one right, unless given the first and last values. */
typedef struct vn_interp_opts {
    size_t size VN_UNSET;
    double period VN_UNSET; /* positions are taken modulo this; 0: they are not; in [0, inf) */
} vn_interp_opts;
VN_API vn_array *vn_interp(vn_array *x, vn_array *xp, vn_array *fp, vn_array *left VN_OR(VN_NONE), vn_array *right VN_OR(VN_NONE), const vn_interp_opts *opts VN_OR(NULL));

/* derivative of samples x along an axis: central differences, one-sided ones at both ends; the samples are at the positions `at`, or spacing apart; not to be confused with vn_grad. */
typedef struct vn_gradient_opts {
    size_t size VN_UNSET;
    int64_t edge_order VN_UNSET; /* order of the differences at both ends; 1 unless given; in [1, 2] */
} vn_gradient_opts;
VN_API vn_array *vn_gradient(vn_array *x, vn_array *at VN_OR(VN_NONE), int64_t axis VN_OR(-1), double spacing VN_OR(1), const vn_gradient_opts *opts VN_OR(NULL));

/* integral of samples y along an axis by the trapezoidal rule; they are at the positions x, one for each or of y's shape, or dx apart. */
VN_API vn_array *vn_trapezoid(vn_array *y, vn_array *x VN_OR(VN_NONE), int64_t axis VN_OR(-1), double dx VN_OR(1));

/* positions that sort by the last key along an axis, equal ones by the key before it and so on; stable, NaN is the largest. */
VN_API vn_array *vn_lexsort(int n, vn_array *const *keys, int64_t axis);

/* x without elements that equal the one before, in the flattened x or slice by slice along one axis; for each element its place among those left; how many each stands for; NaNs are distinct; computes x at once. */
VN_API vn_array *vn_unique_consecutive(vn_array *x, vn_axes axes, vn_array **inverse, vn_array **counts);

/* x without the zeros at both ends, of more than one axis without the slices of zeros on each side; computes x at once. */
typedef struct vn_trim_zeros_opts {
    size_t size VN_UNSET;
    const char *trim VN_UNSET; /* from the front, from the back, or both: fb, f, b; the first unless given */
} vn_trim_zeros_opts;
VN_API vn_array *vn_trim_zeros(vn_array *x, const vn_trim_zeros_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_quantile(...) vn_quantile(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_percentile(...) vn_percentile(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_median(...) vn_median(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nansum(...) vn_nansum(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanprod(...) vn_nanprod(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanmean(...) vn_nanmean(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanvar(...) vn_nanvar(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, 0))
#define vn_nanstd(...) vn_nanstd(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, 0))
#define vn_nanmax(...) vn_nanmax(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanmin(...) vn_nanmin(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanmedian(...) vn_nanmedian(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanquantile(...) vn_nanquantile(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_nanpercentile(...) vn_nanpercentile(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_nancumsum(...) vn_nancumsum(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nancumprod(...) vn_nancumprod(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_logcumsumexp(...) vn_logcumsumexp(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_isclose(...) vn_isclose(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_allclose(...) vn_allclose(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_cov(...) vn_cov(__VA_ARGS__ VN__REST6(__VA_ARGS__)(VN_NONE, VN_NONE, VN_NONE, 1, NULL))
#define vn_corrcoef(...) vn_corrcoef(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_interp(...) vn_interp(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,,VN_NONE, VN_NONE, NULL))
#define vn_gradient(...) vn_gradient(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,VN_NONE, -1, 1, NULL))
#define vn_trapezoid(...) vn_trapezoid(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,VN_NONE, -1, 1))
#define vn_trim_zeros(...) vn_trim_zeros(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#endif
#endif
