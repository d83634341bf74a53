/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_NUMBERS_H
#define VINEA_NUMBERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- More functions of numbers ----
 * Elementwise functions, tests and reductions that NumPy, Keras, Burn, MLX and Ivy have besides those of ops.h.
 * They are compositions of other ops, so all engines have them and gradients follow.
 * Where two arrays meet they broadcast, and their dtypes are promoted.
 *
 *     vn_array *x = vn_from((float[]){-7.5f, 7.5f}, VN_SHAPE(2)), *whole;
 *     puts(vn_text(vn_fmod(x, vn_scalar(2))));
 *     puts(vn_text(vn_modf(x, &whole)));
 *     puts(vn_text(vn_polyval(vn_from((float[]){1, 0, -1}, VN_SHAPE(3)), x)));
 */

/* x - y * trunc(x / y), which has the sign of x; an integer modulo 0 is 0. */
VN_API vn_array *vn_fmod(vn_array *x, vn_array *y);

/* x / y rounded toward zero; an integer divided by 0 gives 0. */
VN_API vn_array *vn_trunc_divide(vn_array *x, vn_array *y);

/* floor_divide and remainder of x and y. */
VN_API vn_array *vn_divmod(vn_array *x, vn_array *y, vn_array **rest);

/* x + weight (y - x): x for weight 0, y for weight 1. */
VN_API vn_array *vn_lerp(vn_array *x, vn_array *y, vn_array *weight);

/* x in two parts, both with its sign: what follows the point, and trunc(x); an infinity has no fraction. */
VN_API vn_array *vn_modf(vn_array *x, vn_array **whole);

/* x to the y in float64, or complex128 if one of them is complex; integers may have negative powers. */
VN_API vn_array *vn_float_power(vn_array *x, vn_array *y);

/* x / y, and 0 where y is 0, with a gradient of 0 there. */
VN_API vn_array *vn_divide_no_nan(vn_array *x, vn_array *y);

/* x / (y + min_base). */
VN_API vn_array *vn_stable_divide(vn_array *x, vn_array *y, double min_base VN_OR(1e-5));

/* (x + min_base) to the y. */
VN_API vn_array *vn_stable_pow(vn_array *x, vn_array *y, double min_base VN_OR(1e-5));

/* 1 where x is above the threshold, else 0. */
VN_API vn_array *vn_binarize(vn_array *x, double threshold VN_OR(0));

/* alpha tanh(beta x). */
VN_API vn_array *vn_scaled_tanh(vn_array *x, double alpha VN_OR(1.7159), double beta VN_OR(0.67));

/* (x + 1) / 2 clamped to [0, 1]. */
VN_API vn_array *vn_sparse_sigmoid(vn_array *x);

/* relu(x), squared. */
VN_API vn_array *vn_relu_squared(vn_array *x);

/* x sigmoid(1.702 x), near gelu. */
VN_API vn_array *vn_quick_gelu(vn_array *x);

/* x less bias above bound, x plus bias below -bound, 0 in between; the bound itself is in between. */
VN_API vn_array *vn_shrink(vn_array *x, double bound VN_OR(0.5), double bias VN_OR(0));

/* the polynomial with these coefficients, that of the highest power first, at x. */
VN_API vn_array *vn_polyval(vn_array *coefficients, vn_array *x);

/* the complex number of this length and angle. */
VN_API vn_array *vn_polar(vn_array *length, vn_array *angle);

/* real and imaginary parts, which are the two elements of the last axis, as complex numbers; half precision becomes complex64. */
VN_API vn_array *vn_view_as_complex(vn_array *x);

/* the real and imaginary parts of complex numbers as the two elements of a new last axis. */
VN_API vn_array *vn_view_as_real(vn_array *x);

/* x as another dtype; a number outside its range becomes its nearest number, where cast of an integer wraps around. */
VN_API vn_array *vn_saturate_cast(vn_array *x, vn_dtype dtype);

/* true where x has no imaginary part, or one of 0. */
VN_API vn_array *vn_isreal(vn_array *x);

/* true where x is inf. */
VN_API vn_array *vn_isposinf(vn_array *x);

/* true where x is -inf. */
VN_API vn_array *vn_isneginf(vn_array *x);

/* true if any element is NaN. */
typedef struct vn_has_nans_opts {
    size_t size VN_UNSET;
    int or_infinite VN_UNSET; /* infinities count too */
    int reserved VN_UNSET; /* 0 */
} vn_has_nans_opts;
VN_API vn_array *vn_has_nans(vn_array *x, const vn_has_nans_opts *opts VN_OR(NULL));

/* true if all arrays have one shape and equal elements; NaN equals nothing. */
VN_API vn_array *vn_array_equal(int n, vn_array *const *xs);

/* the largest less the smallest element over axes; ties share the gradient. */
VN_API vn_array *vn_ptp(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* the mean of several arrays, element by element; they broadcast. */
VN_API vn_array *vn_mean_of(int n, vn_array *const *xs);

/* the mean over axes, with weights that broadcast to x: their sum is what products are divided by. */
VN_API vn_array *vn_average(vn_array *x, vn_array *weights VN_OR(VN_NONE), vn_axes axes VN_OR(VN_ALL));

/* var and mean over axes. */
VN_API vn_array *vn_var_mean(vn_array *x, vn_axes axes, double correction, vn_array **mean);

/* argmax without NaN; -1 if there is nothing else. */
VN_API vn_array *vn_nanargmax(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* argmin without NaN; -1 if there is nothing else. */
VN_API vn_array *vn_nanargmin(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* the largest element along an axis and the position of the first of its kind, both with size 1 there; NaN wins. */
VN_API vn_array *vn_max_with_index(vn_array *x, int64_t axis, vn_array **indices);

/* the smallest element along an axis and the position of the first of its kind, both with size 1 there; NaN wins. */
VN_API vn_array *vn_min_with_index(vn_array *x, int64_t axis, vn_array **indices);

/* the middle element along an axis, the lower of two, and its position, both with size 1 there; NaN wins. */
VN_API vn_array *vn_median_with_index(vn_array *x, int64_t axis, vn_array **indices);

/* x divided by its norm p over axes, at least epsilon. */
VN_API vn_array *vn_lp_normalize(vn_array *x, vn_axes axes, double p VN_OR(2), double epsilon VN_OR(1e-12));

/* x, as one vector, scaled down to the length `max_norm` if it is longer. */
VN_API vn_array *vn_clip_vector_norm(vn_array *x, double max_norm, double p VN_OR(2));

/* each matrix scaled down to the norm `max_norm` if its own is larger. */
typedef struct vn_clip_matrix_norm_opts {
    size_t size VN_UNSET;
    const char *order VN_UNSET; /* which norm, as in matrix_norm: fro, nuc, 1, -1, inf, -inf, 2, -2; the first unless given */
} vn_clip_matrix_norm_opts;
VN_API vn_array *vn_clip_matrix_norm(vn_array *x, double max_norm, const vn_clip_matrix_norm_opts *opts VN_OR(NULL));

/* x with zeros in place of all but the count elements of largest size; of equal ones the first stay. */
VN_API vn_array *vn_sparsify(vn_array *x, int64_t count);

/* the mean over the first axis of products of `order` elements of each sample: (features ..., repeated order times). */
VN_API vn_array *vn_higher_order_moment(vn_array *x, int64_t order);

/* the root of the mean square of all elements, or min_rms if that is larger, whose derivative is 0. */
VN_API vn_array *vn_safe_root_mean_square(vn_array *x, double min_rms VN_OR(0));

/* for each element the Euclidean length of its unit: of the whole vector, of a column of a matrix (all but the last axis), of the last two axes of three, of a filter of a convolution. */
VN_API vn_array *vn_unitwise_norm(vn_array *x);

/* x scaled down to the length `max_norm` where its length `norm` is not below it; both broadcast to x. */
VN_API vn_array *vn_unitwise_clip(vn_array *x, vn_array *norm, vn_array *max_norm);

/* l1 times the sum of absolute values plus l2 times the sum of squares, to be added to a loss. */
VN_API vn_array *vn_l1_l2_penalty(vn_array *x, double l1 VN_OR(0.01), double l2 VN_OR(0.01));

/* factor times the mean absolute cosine of the angles between the rows of a matrix, to be added to a loss. */
typedef struct vn_orthogonal_penalty_opts {
    size_t size VN_UNSET;
    int columns VN_UNSET; /* columns instead of rows are to be orthogonal */
    int reserved VN_UNSET; /* 0 */
} vn_orthogonal_penalty_opts;
VN_API vn_array *vn_orthogonal_penalty(vn_array *x, double factor VN_OR(0.01), const vn_orthogonal_penalty_opts *opts VN_OR(NULL));

/* x with its vectors over axes brought to lengths from min_value to max_value, as a constraint of weights; 1e-7 is added to lengths they are divided by. */
typedef struct vn_min_max_norm_opts {
    size_t size VN_UNSET;
    double max_value VN_UNSET; /* longer vectors are scaled down to this; 1 unless given; in [0, inf) */
    double min_value VN_UNSET; /* shorter ones up to this; VN_ZERO for 0; in [0, inf) */
    double rate VN_UNSET; /* how far: 1 is all the way; 1 unless given; in [0, 1] */
} vn_min_max_norm_opts;
VN_API vn_array *vn_min_max_norm(vn_array *x, vn_axes axes, const vn_min_max_norm_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_stable_divide(...) vn_stable_divide(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,1e-5))
#define vn_stable_pow(...) vn_stable_pow(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,1e-5))
#define vn_binarize(...) vn_binarize(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_scaled_tanh(...) vn_scaled_tanh(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,1.7159, 0.67))
#define vn_shrink(...) vn_shrink(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0.5, 0))
#define vn_has_nans(...) vn_has_nans(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_ptp(...) vn_ptp(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_average(...) vn_average(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_NONE, VN_ALL))
#define vn_nanargmax(...) vn_nanargmax(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_nanargmin(...) vn_nanargmin(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_lp_normalize(...) vn_lp_normalize(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,2, 1e-12))
#define vn_clip_vector_norm(...) vn_clip_vector_norm(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,2))
#define vn_clip_matrix_norm(...) vn_clip_matrix_norm(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_safe_root_mean_square(...) vn_safe_root_mean_square(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_l1_l2_penalty(...) vn_l1_l2_penalty(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0.01, 0.01))
#define vn_orthogonal_penalty(...) vn_orthogonal_penalty(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0.01, NULL))
#define vn_min_max_norm(...) vn_min_max_norm(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#endif
#endif
