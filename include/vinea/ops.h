/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h: the ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_OPS_H
#define VINEA_OPS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Creating arrays ----
 * Arrays of numbers that follow from a few options, on the engine in use (vn_use); vn_from and vn_from_host take elements as they are.
 * vn_random_normal and related functions (vinea.h) make random ones.
 * The functions that end in _like have the shape, dtype and engine of another array.
 *
 *     vn_array *x = vn_linspace(0, 1, 4, VN_F32, VN_OPTS(linspace, .no_endpoint = 1));
 *     puts(vn_text(vn_add(x, vn_arange(0, 4))));
 */

/* zeros; false for bool. */
VN_API vn_array *vn_zeros(vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* ones; true for bool. */
VN_API vn_array *vn_ones(vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* one number everywhere, or an array broadcast to the shape; a number that the dtype cannot hold is an error, an array is cast. */
VN_API vn_array *vn_full(vn_array *value, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* start, start + step ... up to but excluding stop; integer dtypes truncate each number; by name, integers are exact. */
VN_API vn_array *vn_arange(double start, double stop, double step VN_OR(1), vn_dtype dtype VN_OR(VN_F32));

/* n equally spaced numbers from start to stop. */
typedef struct vn_linspace_opts {
    size_t size VN_UNSET;
    int no_endpoint VN_UNSET; /* stop is not among the numbers: it would follow the last one */
    int reserved VN_UNSET; /* 0 */
    double start_imag VN_UNSET; /* the imaginary part of start, for complex dtypes */
    double stop_imag VN_UNSET; /* the imaginary part of stop, for complex dtypes */
} vn_linspace_opts;
VN_API vn_array *vn_linspace(double start, double stop, int64_t n, vn_dtype dtype VN_OR(VN_F32), const vn_linspace_opts *opts VN_OR(NULL));

/* a matrix with ones on diagonal k and zeros elsewhere; diagonals above the main one are positive. */
VN_API vn_array *vn_eye(int64_t rows, int64_t columns, int64_t k VN_OR(0), vn_dtype dtype VN_OR(VN_F32));

/* zeros with the shape, dtype and engine of x. */
VN_API vn_array *vn_zeros_like(vn_array *x);

/* ones with the shape, dtype and engine of x. */
VN_API vn_array *vn_ones_like(vn_array *x);

/* one number, or an array broadcast, with the shape, dtype and engine of x; as full otherwise. */
VN_API vn_array *vn_full_like(vn_array *x, vn_array *value);

/* ---- Arithmetic ----
 * Elementwise arithmetic. Inputs broadcast, dtypes are promoted as in the Array API standard.
 * Inputs may be arrays or numbers (vn_scalar); shapes broadcast from the last axis on.
 * floor_divide and remainder round toward minus infinity, as in Python; but floor_divide treats infinities as div does.
 *
 *     vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *column = vn_from((float[]){10, 20}, VN_SHAPE(2, 1));
 *     puts(vn_text(vn_add(vn_mul(x, vn_scalar(2)), column)));
 */

/* x + y, broadcast. */
VN_API vn_array *vn_add(vn_array *x, vn_array *y);

/* x - y, broadcast. */
VN_API vn_array *vn_sub(vn_array *x, vn_array *y);

/* x * y, broadcast. */
VN_API vn_array *vn_mul(vn_array *x, vn_array *y);

/* x / y, broadcast. */
VN_API vn_array *vn_div(vn_array *x, vn_array *y);

/* floor(x / y), broadcast; an integer divided by 0 gives 0, infinities are divided as by div. */
VN_API vn_array *vn_floor_divide(vn_array *x, vn_array *y);

/* x - y * floor(x / y), which has the sign of y; an integer by 0 gives 0. */
VN_API vn_array *vn_remainder(vn_array *x, vn_array *y);

/* x to the y, broadcast; integers wrap around, and to a negative power they are rounded toward 0. */
VN_API vn_array *vn_pow(vn_array *x, vn_array *y);

/* -x, elementwise; integers wrap around. */
VN_API vn_array *vn_neg(vn_array *x);

/* +x. */
VN_API vn_array *vn_positive(vn_array *x);

/* the absolute value, of a complex number a real one; its derivative at 0 is 0. */
VN_API vn_array *vn_abs(vn_array *x);

/* -1, 0 or 1, of a complex number x / |x|; NaN for NaN. */
VN_API vn_array *vn_sign(vn_array *x);

/* x * x, elementwise. */
VN_API vn_array *vn_square(vn_array *x);

/* the square root; NaN below 0. */
VN_API vn_array *vn_sqrt(vn_array *x);

/* 1 / sqrt(x). */
VN_API vn_array *vn_rsqrt(vn_array *x);

/* 1 / x. */
VN_API vn_array *vn_reciprocal(vn_array *x);

/* the larger of x and y, broadcast; NaN wins; ties share the gradient. */
VN_API vn_array *vn_maximum(vn_array *x, vn_array *y);

/* the smaller of x and y, broadcast; NaN wins; ties share the gradient. */
VN_API vn_array *vn_minimum(vn_array *x, vn_array *y);

/* x kept between min and max, either of which may be absent, broadcast; at a bound the gradient is shared. */
VN_API vn_array *vn_clip(vn_array *x, vn_array *min VN_OR(VN_NONE), vn_array *max VN_OR(VN_NONE));

/* x where the condition holds, y elsewhere; all three broadcast. */
VN_API vn_array *vn_where(vn_array *condition, vn_array *x, vn_array *y);

/* rounded down to an integer. */
VN_API vn_array *vn_floor(vn_array *x);

/* rounded up to an integer. */
VN_API vn_array *vn_ceil(vn_array *x);

/* rounded to an integer toward zero. */
VN_API vn_array *vn_trunc(vn_array *x);

/* rounded to the nearest integer, ties to even; of a complex number both parts. */
VN_API vn_array *vn_round(vn_array *x);

/* x with the sign of y, broadcast. */
VN_API vn_array *vn_copysign(vn_array *x, vn_array *y);

/* the number next to x in the direction of y, broadcast; y where they are equal. */
VN_API vn_array *vn_nextafter(vn_array *x, vn_array *y);

/* true where x has a minus sign, -0 and NaN included. */
VN_API vn_array *vn_signbit(vn_array *x);

/* ---- Exponentials, logarithms, trigonometry ----
 * Elementwise functions of real and complex numbers; their special values are those of the Array API standard.
 * They take floats and complex numbers; cast integers first (vn_cast).
 * All have gradients, by complex numbers too.
 *
 *     vn_array *x = vn_from((float[]){0, 1, 2}, VN_SHAPE(3));
 *     puts(vn_text(vn_log1p(vn_expm1(x))));
 */

/* e to the x, elementwise. */
VN_API vn_array *vn_exp(vn_array *x);

/* e to the x less 1, accurate near 0. */
VN_API vn_array *vn_expm1(vn_array *x);

/* natural logarithm; -inf at 0, NaN below. */
VN_API vn_array *vn_log(vn_array *x);

/* natural logarithm of 1 + x, accurate near 0. */
VN_API vn_array *vn_log1p(vn_array *x);

/* logarithm to base 2. */
VN_API vn_array *vn_log2(vn_array *x);

/* logarithm to base 10. */
VN_API vn_array *vn_log10(vn_array *x);

/* log(exp(x) + exp(y)), without overflow, broadcast. */
VN_API vn_array *vn_logaddexp(vn_array *x, vn_array *y);

/* sqrt(x^2 + y^2), without overflow, broadcast. */
VN_API vn_array *vn_hypot(vn_array *x, vn_array *y);

/* sine of x radians. */
VN_API vn_array *vn_sin(vn_array *x);

/* cosine of x radians. */
VN_API vn_array *vn_cos(vn_array *x);

/* tangent of x radians. */
VN_API vn_array *vn_tan(vn_array *x);

/* inverse sine, in [-pi/2, pi/2]. */
VN_API vn_array *vn_asin(vn_array *x);

/* inverse cosine, in [0, pi]. */
VN_API vn_array *vn_acos(vn_array *x);

/* inverse tangent, in [-pi/2, pi/2]. */
VN_API vn_array *vn_atan(vn_array *x);

/* the angle whose tangent is x / y, in the quadrant of the point (y, x). */
VN_API vn_array *vn_atan2(vn_array *x, vn_array *y);

/* hyperbolic sine. */
VN_API vn_array *vn_sinh(vn_array *x);

/* hyperbolic cosine. */
VN_API vn_array *vn_cosh(vn_array *x);

/* hyperbolic tangent, elementwise. */
VN_API vn_array *vn_tanh(vn_array *x);

/* inverse hyperbolic sine. */
VN_API vn_array *vn_asinh(vn_array *x);

/* inverse hyperbolic cosine; NaN below 1. */
VN_API vn_array *vn_acosh(vn_array *x);

/* inverse hyperbolic tangent. */
VN_API vn_array *vn_atanh(vn_array *x);

/* ---- Complex numbers ----
 * Complex numbers and their parts. The real part of a real number is the number itself.
 * A complex array is made of its parts, or by a cast.
 * Gradients by a complex number a + ib are dL/da + i dL/db.
 *
 *     vn_array *z = vn_complex(vn_from((float[]){3, 0}, VN_SHAPE(2)), vn_from((float[]){4, -1}, VN_SHAPE(2)));
 *     puts(vn_text(vn_abs(z)));
 */

/* the complex numbers re + i im, broadcast; complex128 from float64, else complex64. */
VN_API vn_array *vn_complex(vn_array *re, vn_array *im);

/* the real part; real numbers themselves. */
VN_API vn_array *vn_real(vn_array *x);

/* the imaginary part; 0 for real numbers. */
VN_API vn_array *vn_imag(vn_array *x);

/* the complex conjugate; real numbers themselves. */
VN_API vn_array *vn_conj(vn_array *x);

/* the angle of a complex number, in [-pi, pi]; of a real number 0 or pi. */
VN_API vn_array *vn_angle(vn_array *x);

/* ---- Bits ----
 * Integers and bools, bit by bit.
 * Inputs broadcast and are promoted to one dtype.
 * They have no gradient.
 *
 *     vn_array *x = vn_from_host((int32_t[]){6, 3}, VN_I32, VN_SHAPE(2));
 *     puts(vn_text(vn_bitwise_xor(x, vn_scalar(5))));
 */

/* the bits that x and y both have, broadcast. */
VN_API vn_array *vn_bitwise_and(vn_array *x, vn_array *y);

/* the bits that x or y has, broadcast. */
VN_API vn_array *vn_bitwise_or(vn_array *x, vn_array *y);

/* the bits that one of x and y has, broadcast. */
VN_API vn_array *vn_bitwise_xor(vn_array *x, vn_array *y);

/* the bits that x does not have. */
VN_API vn_array *vn_bitwise_invert(vn_array *x);

/* x with its bits y places higher, broadcast; 0 where y is below 0, or the width or more. */
VN_API vn_array *vn_bitwise_left_shift(vn_array *x, vn_array *y);

/* floor(x / 2^y), broadcast; -1 for x < 0 and else 0 where y is below 0, or the width or more. */
VN_API vn_array *vn_bitwise_right_shift(vn_array *x, vn_array *y);

/* ---- Comparison and logic ----
 * Elementwise tests; the results are bool.
 * NaN is unequal to everything, itself included.
 * vn_where chooses between two arrays by such a test; gradients flow to the chosen one.
 *
 *     vn_array *x = vn_from((float[]){-1, 2, -3}, VN_SHAPE(3));
 *     puts(vn_text(vn_where(vn_less(x, vn_scalar(0)), vn_scalar(0), x)));
 */

/* x == y, broadcast. */
VN_API vn_array *vn_equal(vn_array *x, vn_array *y);

/* x != y, broadcast. */
VN_API vn_array *vn_not_equal(vn_array *x, vn_array *y);

/* x < y, broadcast. */
VN_API vn_array *vn_less(vn_array *x, vn_array *y);

/* x <= y, broadcast. */
VN_API vn_array *vn_less_equal(vn_array *x, vn_array *y);

/* x > y, broadcast. */
VN_API vn_array *vn_greater(vn_array *x, vn_array *y);

/* x >= y, broadcast. */
VN_API vn_array *vn_greater_equal(vn_array *x, vn_array *y);

/* true where x is NaN. */
VN_API vn_array *vn_isnan(vn_array *x);

/* true where x is an infinity. */
VN_API vn_array *vn_isinf(vn_array *x);

/* true where x is neither NaN nor an infinity. */
VN_API vn_array *vn_isfinite(vn_array *x);

/* true where an element of x is among the values; NaN never is. */
typedef struct vn_isin_opts {
    size_t size VN_UNSET;
    int invert VN_UNSET; /* true where it is not */
    int reserved VN_UNSET; /* 0 */
} vn_isin_opts;
VN_API vn_array *vn_isin(vn_array *x, vn_array *values, const vn_isin_opts *opts VN_OR(NULL));

/* true where x is zero. */
VN_API vn_array *vn_logical_not(vn_array *x);

/* true where x and y are not zero, broadcast. */
VN_API vn_array *vn_logical_and(vn_array *x, vn_array *y);

/* true where x or y is not zero, broadcast. */
VN_API vn_array *vn_logical_or(vn_array *x, vn_array *y);

/* true where one of x and y is not zero, broadcast. */
VN_API vn_array *vn_logical_xor(vn_array *x, vn_array *y);

/* ---- Sums, extremes, statistics ----
 * Reductions take VN_ALL, VN_AXES(0, 1) or VN_KEEP(-1), which keeps the axes with size 1. Cumulative sums and products are along one axis.
 * Sums of half precision are computed in float32 and rounded once.
 * Maxima pass NaN on; of equal elements each gets its share of the gradient.
 *
 *     vn_array *x = vn_from((float[]){1, 2, 3, 4, 5, 6}, VN_SHAPE(2, 3));
 *     puts(vn_text(vn_sum(x, VN_AXES(0))));
 *     puts(vn_text(vn_sub(x, vn_mean(x, VN_KEEP(-1)))));
 */

/* sum over axes; small integers sum to int64 or uint64, half precision accumulates in float32. */
VN_API vn_array *vn_sum(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* product over axes; small integers multiply to int64 or uint64. */
VN_API vn_array *vn_prod(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* largest element over axes; NaN wins; ties share the gradient. */
VN_API vn_array *vn_max(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* smallest element over axes; NaN wins; ties share the gradient. */
VN_API vn_array *vn_min(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* arithmetic mean over axes. */
VN_API vn_array *vn_mean(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* variance over axes: squared distances from the mean, divided by their number less the correction; NaN unless that is above 0. */
VN_API vn_array *vn_var(vn_array *x, vn_axes axes VN_OR(VN_ALL), double correction VN_OR(0));

/* standard deviation over axes, the root of var. */
VN_API vn_array *vn_std(vn_array *x, vn_axes axes VN_OR(VN_ALL), double correction VN_OR(0));

/* true where any element over axes is not zero. */
VN_API vn_array *vn_any(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* true where all elements over axes are not zero. */
VN_API vn_array *vn_all(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* how many elements over axes are not zero. */
VN_API vn_array *vn_count_nonzero(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* logarithm of the sum of exponentials over axes, without overflow. */
VN_API vn_array *vn_logsumexp(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* running sum along an axis, from its start, or from its end when reverse; floats are added in float64 and rounded once. */
typedef struct vn_cumulative_opts {
    size_t size VN_UNSET;
    int reverse VN_UNSET; /* from the end */
    int include_initial VN_UNSET; /* the sum or product of no elements comes first, so there is one element more; last when reverse */
} vn_cumulative_opts;
typedef vn_cumulative_opts vn_cumulative_sum_opts;
VN_API vn_array *vn_cumulative_sum(vn_array *x, int64_t axis, const vn_cumulative_sum_opts *opts VN_OR(NULL));

/* running product along an axis, from its start, or from its end when reverse; floats are multiplied in float64 and rounded once. */
typedef vn_cumulative_opts vn_cumulative_prod_opts;
VN_API vn_array *vn_cumulative_prod(vn_array *x, int64_t axis, const vn_cumulative_prod_opts *opts VN_OR(NULL));

/* differences of neighbours along an axis, n times over, of x with prepend before it and append behind it, where they are given; x itself for n = 0; integers wrap around. */
VN_API vn_array *vn_diff(vn_array *x, vn_array *prepend VN_OR(VN_NONE), vn_array *append VN_OR(VN_NONE), int64_t axis VN_OR(-1), int64_t n VN_OR(1));

/* position of the largest element along one axis, or in the flattened x for all; the first where there are several; NaN wins. */
VN_API vn_array *vn_argmax(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* position of the smallest element along one axis, or in the flattened x for all; the first where there are several; NaN wins. */
VN_API vn_array *vn_argmin(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* the norm of the vectors over axes, sum(|x|^order)^(1/order), without overflow; order 0 counts what is not 0, inf and -inf are the extremes; of no elements 0, or inf for a negative order; its derivative at 0 is 0. */
VN_API vn_array *vn_norm(vn_array *x, vn_axes axes VN_OR(VN_ALL), double order VN_OR(2));

/* ---- Shapes ----
 * The same elements in another shape, order or number, and dtypes.
 * -1 in a shape stands for the size that is left.
 * Patterns (vn_rearrange) name the axes; sizes that do not follow are given as numbers.
 *
 *     vn_array *x = vn_arange(0, 6, 1, VN_I32);
 *     puts(vn_text(vn_rearrange(x, "(h w) -> w h", VN_OPTS(rearrange, .names = "h", .lengths = VN_LIST(2)))));
 */

/* same elements in row-major order, another shape; one size may be -1. */
VN_API vn_array *vn_reshape(vn_array *x, vn_shape shape);

/* all elements of x in one axis, in row-major order. */
VN_API vn_array *vn_flatten(vn_array *x);

/* x with an axis of size 1 more, at axis. */
VN_API vn_array *vn_expand_dims(vn_array *x, int64_t axis);

/* x without these axes of size 1. */
VN_API vn_array *vn_squeeze(vn_array *x, vn_axes axes);

/* x repeated to a larger shape by the broadcasting rule. */
VN_API vn_array *vn_broadcast_to(vn_array *x, vn_shape shape);

/* axes in another order: axis i of the result is axis axes[i] of x. */
VN_API vn_array *vn_permute_dims(vn_array *x, vn_axes axes);

/* axes source at the places destination, the others in their order. */
VN_API vn_array *vn_moveaxis(vn_array *x, vn_axes source, vn_axes destination);

/* x with two axes exchanged. */
VN_API vn_array *vn_swapaxes(vn_array *x, int64_t axis1, int64_t axis2);

/* x with its last two axes exchanged. */
VN_API vn_array *vn_matrix_transpose(vn_array *x);

/* the elements of these axes in reverse order. */
VN_API vn_array *vn_flip(vn_array *x, vn_axes axes);

/* elements moved by shift along axes, those that leave at one end enter at the other; one shift serves all axes; VN_ALL: the flattened x. */
VN_API vn_array *vn_roll(vn_array *x, vn_shape shift, vn_axes axes VN_OR(VN_ALL));

/* arrays one after another along an axis, dtypes promoted; all other sizes are equal. */
VN_API vn_array *vn_concat(int n, vn_array *const *xs, int64_t axis);

/* arrays of one shape next to each other along a new axis, dtypes promoted. */
VN_API vn_array *vn_stack(int n, vn_array *const *xs, int64_t axis);

/* x with elements added before and after each axis; mode constant (value; negative amounts cut), edge, reflect, symmetric or wrap. */
typedef struct vn_pad_opts {
    size_t size VN_UNSET;
    const char *mode VN_UNSET; /* where the new elements come from: constant, edge, reflect, symmetric, wrap; the first unless given */
    double value VN_UNSET; /* of new elements, if constant */
} vn_pad_opts;
VN_API vn_array *vn_pad(vn_array *x, vn_shape before, vn_shape after, const vn_pad_opts *opts VN_OR(NULL));

/* x as a whole repeated along each axis; the shorter of shape and list has ones before it. */
VN_API vn_array *vn_tile(vn_array *x, vn_shape repetitions);

/* each element along an axis repeated. */
VN_API vn_array *vn_repeat(vn_array *x, int64_t repeats, int64_t axis);

/* element k along an axis repeated counts[k] times, or all counts times if that is one number; computes the counts at once. */
VN_API vn_array *vn_repeat_counts(vn_array *x, vn_array *counts, int64_t axis);

/* the first elements that repeat_counts gives along the axis, as many as size; after the last one fill. */
VN_API vn_array *vn_repeat_counts_sized(vn_array *x, vn_array *counts, int64_t axis, int64_t size, double fill VN_OR(0));

/* step - 1 zeros between the elements of each axis; an empty axis stays empty. */
VN_API vn_array *vn_dilate(vn_array *x, vn_shape steps);

/* the block of the given size that begins at start (int64, one number per axis; an input, so a new start is no new program). */
VN_API vn_array *vn_slice(vn_array *x, vn_array *start, vn_shape size);

/* x with the block that begins at start replaced by y. */
VN_API vn_array *vn_slice_set(vn_array *x, vn_array *y, vn_array *start);

/* x[start:stop:step] of every axis as Python has it: negative numbers count from the end, what is out of range is cut; steps are 1 if not given. */
VN_API vn_array *vn_slice_step(vn_array *x, vn_shape start, vn_shape stop, vn_shape step VN_OR(VN_DEFAULT));

/* x with the elements that slice_step would read replaced by y, broadcast, or y added to them. */
typedef struct vn_scatter_opts {
    size_t size VN_UNSET;
    int add VN_UNSET; /* elements of y are added to those of x instead of replacing them */
    int reserved VN_UNSET; /* 0 */
} vn_scatter_opts;
typedef vn_scatter_opts vn_slice_step_set_opts;
VN_API vn_array *vn_slice_step_set(vn_array *x, vn_array *y, vn_shape start, vn_shape stop, vn_shape step VN_OR(VN_DEFAULT), const vn_slice_step_set_opts *opts VN_OR(NULL));

/* the last two axes as matrices, zero above diagonal k. */
VN_API vn_array *vn_tril(vn_array *x, int64_t k VN_OR(0));

/* the last two axes as matrices, zero below diagonal k. */
VN_API vn_array *vn_triu(vn_array *x, int64_t k VN_OR(0));

/* the square matrix with a vector on diagonal k and zeros elsewhere. */
VN_API vn_array *vn_diag(vn_array *x, int64_t k VN_OR(0));

/* diagonal number offset of the last two axes, as the last axis. */
VN_API vn_array *vn_diagonal(vn_array *x, int64_t offset VN_OR(0));

/* axes split, permuted and merged by a pattern such as 'b (h w) c -> b c h w', with the names and lengths of the axes it leaves open. */
typedef struct vn_einops_opts {
    size_t size VN_UNSET;
    const char *names VN_UNSET; /* the axes whose sizes the pattern leaves open: 'h w' */
    vn_shape lengths VN_UNSET; /* their sizes: VN_LIST(2, 3) */
} vn_einops_opts;
typedef vn_einops_opts vn_rearrange_opts;
VN_API vn_array *vn_rearrange(vn_array *x, const char *pattern, const vn_rearrange_opts *opts VN_OR(NULL));

/* rearrange where axes missing on the right are reduced: sum, mean, max, min or prod. */
typedef struct vn_einops_reduce_opts {
    size_t size VN_UNSET;
    const char *reduction VN_UNSET; /* what becomes of the axes missing on the right: sum, mean, max, min, prod; the first unless given */
    const char *names VN_UNSET; /* the axes whose sizes the pattern leaves open: 'h w' */
    vn_shape lengths VN_UNSET; /* their sizes: VN_LIST(2, 3) */
} vn_einops_reduce_opts;
VN_API vn_array *vn_einops_reduce(vn_array *x, const char *pattern, const vn_einops_reduce_opts *opts VN_OR(NULL));

/* rearrange where axes new on the right repeat x: 'h w -> h w c' with the length of c, or 'h w -> h w 3'. */
typedef vn_einops_opts vn_einops_repeat_opts;
VN_API vn_array *vn_einops_repeat(vn_array *x, const char *pattern, const vn_einops_repeat_opts *opts VN_OR(NULL));

/* x as another dtype; floats to integers truncate toward zero, out of range they give the nearest integer of the dtype and NaN gives 0; integers wrap around; of a complex number only its parts are real (real, imag). */
VN_API vn_array *vn_cast(vn_array *x, vn_dtype dtype);

/* ---- Indexing, sorting, sets ----
 * Elements by position and order. Ops whose result size depends on values evaluate their input at the call; the sized forms stay lazy.
 * Positions are int64 and count from 0; outside they give NaN, or 0 where a dtype has none (VINEA_CHECK=1 reports them).
 * NaN sorts after everything else.
 *
 *     vn_array *x = vn_from((float[]){3, 1, 2}, VN_SHAPE(3)), *where;
 *     vn_array *top = vn_topk(x, 2, -1, NULL, &where);
 *     puts(vn_text(top));
 *     puts(vn_text(where));
 */

/* the slices of x at these positions of an axis, which the axes of the index replace; below 0 from the end; out of range NaN, or 0 where the dtype has none. */
VN_API vn_array *vn_take(vn_array *x, vn_array *index, int64_t axis);

/* for each element of the index that element of x along the axis; x and index broadcast outside it; out of range as in take. */
VN_API vn_array *vn_take_along_axis(vn_array *x, vn_array *index, int64_t axis VN_OR(-1));

/* x with the elements that take_along_axis would read replaced by y, or y added to them; out of range nothing happens. */
typedef vn_scatter_opts vn_put_along_axis_opts;
VN_API vn_array *vn_put_along_axis(vn_array *x, vn_array *index, vn_array *y, int64_t axis VN_OR(-1), const vn_put_along_axis_opts *opts VN_OR(NULL));

/* x with y, of the shape take gives or broadcast to it, added at these positions of an axis, all of them where positions repeat; out of range nothing happens. */
VN_API vn_array *vn_index_add(vn_array *x, vn_array *index, vn_array *y, int64_t axis);

/* x with its slices at these positions of an axis replaced by y, broadcast; the last one counts where positions repeat; out of range nothing happens. */
VN_API vn_array *vn_index_set(vn_array *x, vn_array *index, vn_array *y, int64_t axis);

/* the parts of x at positions into several of its axes (VN_ALL: the first ones), held by the last axis of the index. Where these axes are neighbours, in order, the other axes of the index take their place; otherwise they come first. Out of range as in take. */
VN_API vn_array *vn_gather_nd(vn_array *x, vn_array *index, vn_axes axes VN_OR(VN_ALL));

/* x with the parts that gather_nd would read replaced by y, broadcast, or y added to them; the last one counts where positions repeat; out of range nothing happens. */
typedef vn_scatter_opts vn_scatter_nd_opts;
VN_API vn_array *vn_scatter_nd(vn_array *x, vn_array *index, vn_array *y, vn_axes axes VN_OR(VN_ALL), const vn_scatter_nd_opts *opts VN_OR(NULL));

/* a last axis of the given size, 1 at the index and 0 elsewhere; only zeros where the index is below 0 or not below the size. */
VN_API vn_array *vn_one_hot(vn_array *index, int64_t size, vn_dtype dtype VN_OR(VN_F32));

/* how often each of 0 .. length-1 occurs in x, or the sum of the weights, of x's shape, where it does; other numbers are not counted. */
typedef struct vn_bincount_opts {
    size_t size VN_UNSET;
    int grow VN_UNSET; /* the result is longer where x has larger numbers, so that all are counted; computes x at once */
    int reserved VN_UNSET; /* 0 */
} vn_bincount_opts;
VN_API vn_array *vn_bincount(vn_array *x, vn_array *weights, int64_t length, const vn_bincount_opts *opts VN_OR(NULL));

/* x sorted along an axis, stable as argsort; NaN is the largest. */
typedef struct vn_sort_opts {
    size_t size VN_UNSET;
    int descending VN_UNSET; /* the largest first */
    int reserved VN_UNSET; /* 0 */
} vn_sort_opts;
VN_API vn_array *vn_sort(vn_array *x, int64_t axis VN_OR(-1), const vn_sort_opts *opts VN_OR(NULL));

/* positions that sort x along an axis; equal elements stay in their order in both directions; NaN is the largest: last, or first when descending. */
typedef vn_sort_opts vn_argsort_opts;
VN_API vn_array *vn_argsort(vn_array *x, int64_t axis VN_OR(-1), const vn_argsort_opts *opts VN_OR(NULL));

/* the k largest elements along an axis in descending order, or the smallest in ascending order, and their positions; of equal ones the first; NaN is the largest. */
typedef struct vn_topk_opts {
    size_t size VN_UNSET;
    int smallest VN_UNSET; /* the k smallest elements */
    int reserved VN_UNSET; /* 0 */
} vn_topk_opts;
VN_API vn_array *vn_topk(vn_array *x, int64_t k, int64_t axis, const vn_topk_opts *opts, vn_array **indices);

/* where values belong in the ascending vector x, or in x taken at the positions of the sorter: before equal elements, or after them when right; NaN is the largest. */
typedef struct vn_searchsorted_opts {
    size_t size VN_UNSET;
    int right VN_UNSET; /* behind equal elements instead of before them */
    int reserved VN_UNSET; /* 0 */
} vn_searchsorted_opts;
VN_API vn_array *vn_searchsorted(vn_array *x, vn_array *values, vn_array *sorter VN_OR(VN_NONE), const vn_searchsorted_opts *opts VN_OR(NULL));

/* the positions of the elements that are not zero, one row each, in row-major order; computes x at once. */
VN_API vn_array *vn_nonzero(vn_array *x);

/* the first positions that nonzero gives, as many as size; rows after the last one hold fill. */
VN_API vn_array *vn_nonzero_sized(vn_array *x, int64_t size, int64_t fill VN_OR(-1));

/* the elements of x where the mask holds, whose shape is that of the first axes of x, or has sizes of 0 among them; computes the mask at once. */
VN_API vn_array *vn_mask(vn_array *x, vn_array *mask);

/* the first elements that mask gives, as many as size; after the last one fill. */
VN_API vn_array *vn_mask_sized(vn_array *x, vn_array *mask, int64_t size, double fill VN_OR(0));

/* the distinct elements of the flattened x, ascending, complex ones by their real, then their imaginary parts; where each comes first; for each element of x its place among them; how often each occurs; NaNs are distinct; computes x at once. */
VN_API vn_array *vn_unique(vn_array *x, vn_array **indices, vn_array **inverse, vn_array **counts);

/* unique without what it says about them. */
VN_API vn_array *vn_unique_values(vn_array *x);

/* unique with its counts only. */
VN_API vn_array *vn_unique_counts(vn_array *x, vn_array **counts);

/* unique with its inverse only. */
VN_API vn_array *vn_unique_inverse(vn_array *x, vn_array **inverse);

/* the smallest distinct elements of the flattened x, as many as size, and how often each occurs; after the last one fill, and 0. */
VN_API vn_array *vn_unique_sized(vn_array *x, int64_t size, double fill, vn_array **counts);

/* ---- Linear algebra ----
 * Matrices are the last two axes; leading axes are batches and broadcast.
 * Half precision is computed in float32.
 * A matrix of a batch that has no Cholesky factor gives NaN; the others are not affected.
 *
 *     vn_array *a = vn_from((float[]){4, 1, 1, 3}, VN_SHAPE(2, 2)), *b = vn_from((float[]){1, 2}, VN_SHAPE(2));
 *     puts(vn_text(vn_matmul(a, vn_solve(a, b))));
 */

/* matrix product over the last two axes, batch axes broadcast; vectors as in the Array API standard. */
VN_API vn_array *vn_matmul(vn_array *x, vn_array *y);

/* all products of an element of the vector x and one of the vector y. */
VN_API vn_array *vn_outer(vn_array *x, vn_array *y);

/* sum of products along an axis, of conjugates of x if it is complex; other axes broadcast; where ranks differ the axis counts from the end. */
VN_API vn_array *vn_vecdot(vn_array *x, vn_array *y, int64_t axis VN_OR(-1));

/* sum of products over x_axes of x and y_axes of y, pair by pair; the other axes of x, then those of y remain. */
VN_API vn_array *vn_tensordot(vn_array *x, vn_array *y, vn_axes x_axes, vn_axes y_axes);

/* the Kronecker product: y times each element of x, axis by axis; the lower rank has ones before it. */
VN_API vn_array *vn_kron(vn_array *x, vn_array *y);

/* the cross product of vectors of 3 elements along an axis of the result; the other axes broadcast. */
VN_API vn_array *vn_cross(vn_array *x, vn_array *y, int64_t axis VN_OR(-1));

/* sums of products by an equation of index letters, such as ij,jk->ik; letters may repeat, ... stands for axes that broadcast. */
VN_API vn_array *vn_einsum(int n, vn_array *const *xs, const char *equation);

/* the sum of diagonal number offset of the last two axes; small integers sum to int64 or uint64. */
VN_API vn_array *vn_trace(vn_array *x, int64_t offset VN_OR(0));

/* the lower triangular l with l l^H = x, or its adjoint when upper; only x's lower triangle is read and gets a gradient; NaN for a matrix that is not positive definite. */
typedef struct vn_cholesky_opts {
    size_t size VN_UNSET;
    int upper VN_UNSET; /* the upper factor */
    int reserved VN_UNSET; /* 0 */
} vn_cholesky_opts;
VN_API vn_array *vn_cholesky(vn_array *x, const vn_cholesky_opts *opts VN_OR(NULL));

/* x with a x = b (a^T x = b when transpose), a one triangle of which is read, without its diagonal of ones when unit; batch axes broadcast; a zero on the diagonal gives inf or NaN. */
typedef struct vn_solve_triangular_opts {
    size_t size VN_UNSET;
    int upper VN_UNSET; /* a is an upper triangle */
    int transpose VN_UNSET; /* solve with a transposed */
    int unit VN_UNSET; /* the diagonal counts as ones and is not read */
    int reserved VN_UNSET; /* 0 */
} vn_solve_triangular_opts;
VN_API vn_array *vn_solve_triangular(vn_array *a, vn_array *b, const vn_solve_triangular_opts *opts VN_OR(NULL));

/* x with a x = b, b a vector or matrices, batch axes broadcast; inf or NaN where a is singular. */
VN_API vn_array *vn_solve(vn_array *a, vn_array *b);

/* the inverse of matrices; inf or NaN for singular ones. */
VN_API vn_array *vn_inv(vn_array *x);

/* determinants; 0 for singular matrices, where the gradient is NaN. */
VN_API vn_array *vn_det(vn_array *x);

/* sign (of absolute value 1, if complex) and logarithm of the absolute value of determinants; 0 and -inf for singular matrices. */
VN_API vn_array *vn_slogdet(vn_array *x, vn_array **logabsdet);

/* x multiplied n times by itself; of the inverse where n is negative, the identity where it is 0. */
VN_API vn_array *vn_matrix_power(vn_array *x, int64_t n);

/* x = q r, q with orthonormal columns (m, k), r upper triangular (k, n) with no negative number on its diagonal; k is the smaller of m and n, or m when complete, which has a gradient only for m <= n. */
typedef struct vn_qr_opts {
    size_t size VN_UNSET;
    int complete VN_UNSET; /* q is square */
    int reserved VN_UNSET; /* 0 */
} vn_qr_opts;
VN_API vn_array *vn_qr(vn_array *x, const vn_qr_opts *opts, vn_array **r);

/* eigenvalues, ascending, and orthonormal eigenvectors, as columns, of symmetric or Hermitian matrices, of which the lower triangle is read and gets the gradient; in each vector the first component of largest magnitude is positive; NaN if an element is not finite. */
VN_API vn_array *vn_eigh(vn_array *x, vn_array **vectors);

/* eigenvalues of symmetric or Hermitian matrices, ascending; only the lower triangle is read. */
VN_API vn_array *vn_eigvalsh(vn_array *x);

/* eigenvalues and eigenvectors, as columns, of square matrices, complex for real matrices too; ascending by real part, then by imaginary part; vectors have length 1, and the first component of largest magnitude is positive; NaN if an element is not finite; the gradient needs distinct eigenvalues. */
VN_API vn_array *vn_eig(vn_array *x, vn_array **eigenvectors);

/* eigenvalues of square matrices, complex for real matrices too; ascending by real part, then by imaginary part. */
VN_API vn_array *vn_eigvals(vn_array *x);

/* x = u diag(s) vh with orthonormal columns of u (m, k) and rows of vh (k, n), s descending, k the smaller of m and n; in each vector of the square factor (vh if m >= n) the first component of largest magnitude is positive; NaN if an element is not finite. */
typedef struct vn_svd_opts {
    size_t size VN_UNSET;
    int full_matrices VN_UNSET; /* u and vh are square: vectors that complete a basis follow; the longer of both has no gradient then */
    int reserved VN_UNSET; /* 0 */
} vn_svd_opts;
VN_API vn_array *vn_svd(vn_array *x, const vn_svd_opts *opts, vn_array **s, vn_array **vh);

/* singular values, descending. */
VN_API vn_array *vn_svdvals(vn_array *x);

/* the pseudoinverse; singular values up to rtol, a number or one for each matrix, times the largest count as 0 (the larger size times the dtype's epsilon unless given); the gradient needs distinct singular values. */
VN_API vn_array *vn_pinv(vn_array *x, vn_array *rtol VN_OR(VN_NONE));

/* how many singular values are above rtol, a number or one for each matrix, times the largest (the larger size times the dtype's epsilon unless given). */
VN_API vn_array *vn_matrix_rank(vn_array *x, vn_array *rtol VN_OR(VN_NONE));

/* the x of smallest length for which a x is nearest to b, a vector or matrices, batch axes broadcast; the sums of squares of b - a x, for each column; the rank of a and its singular values, of which those up to rtol times the largest count as 0, as in pinv. */
VN_API vn_array *vn_lstsq(vn_array *a, vn_array *b, vn_array *rtol, vn_array **residuals, vn_array **rank, vn_array **singular_values);

/* norms of matrices: fro (Frobenius), nuc (sum of singular values), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's), 2 and -2 (largest and smallest singular value); of empty matrices 0, or inf for the negative ones. */
typedef struct vn_matrix_norm_opts {
    size_t size VN_UNSET;
    const char *order VN_UNSET; /* which norm: fro, nuc, 1, -1, inf, -inf, 2, -2; the first unless given */
    int keepdims VN_UNSET; /* the last two axes stay, with size 1 */
    int reserved VN_UNSET; /* 0 */
} vn_matrix_norm_opts;
VN_API vn_array *vn_matrix_norm(vn_array *x, const vn_matrix_norm_opts *opts VN_OR(NULL));

/* ---- Fourier transforms ----
 * Discrete Fourier transforms of any length, along one axis or several, as the Array API standard has them.
 * A transform multiplies by e^(-2 pi i jk / n) and sums over j; the inverse has +.
 * rfft and related functions are for real signals: they keep only the first half of the spectrum, as the rest mirrors it.
 *
 *     vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4)), *spectrum = vn_rfft(x);
 *     puts(vn_text(vn_irfft(spectrum)));
 */

/* the Fourier transform along an axis; real numbers are taken as complex ones. */
typedef struct vn_fft_opts {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* the length of the transform; x is cut to it, or padded with zeros; that of x unless given; in [1, inf) */
    const char *norm VN_UNSET; /* which of a transform and its inverse is divided by n; ortho: both, by its square root: backward, ortho, forward; the first unless given */
} vn_fft_opts;
VN_API vn_array *vn_fft(vn_array *x, int64_t axis VN_OR(-1), const vn_fft_opts *opts VN_OR(NULL));

/* the inverse of fft. */
typedef vn_fft_opts vn_ifft_opts;
VN_API vn_array *vn_ifft(vn_array *x, int64_t axis VN_OR(-1), const vn_ifft_opts *opts VN_OR(NULL));

/* fft along several axes; VN_ALL: along every axis. */
typedef struct vn_fftn_opts {
    size_t size VN_UNSET;
    vn_shape s VN_UNSET; /* the lengths of the transforms, one for each of the axes; x is cut to them, or padded with zeros; those of x unless given */
    const char *norm VN_UNSET; /* which of a transform and its inverse is divided by the product of the lengths; ortho: both, by its square root: backward, ortho, forward; the first unless given */
} vn_fftn_opts;
VN_API vn_array *vn_fftn(vn_array *x, vn_axes axes VN_OR(VN_ALL), const vn_fftn_opts *opts VN_OR(NULL));

/* the inverse of fftn. */
typedef vn_fftn_opts vn_ifftn_opts;
VN_API vn_array *vn_ifftn(vn_array *x, vn_axes axes VN_OR(VN_ALL), const vn_ifftn_opts *opts VN_OR(NULL));

/* the first n / 2 + 1 elements of the Fourier transform of real numbers along an axis. */
typedef vn_fft_opts vn_rfft_opts;
VN_API vn_array *vn_rfft(vn_array *x, int64_t axis VN_OR(-1), const vn_rfft_opts *opts VN_OR(NULL));

/* the inverse of rfft; imaginary parts of the first element and, for an even n, of element n / 2 are not read. */
typedef struct vn_irfft_opts {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* the length of the result; x is cut to n / 2 + 1 elements, or padded with zeros; 2 (m - 1) for m elements of x unless given; in [1, inf) */
    const char *norm VN_UNSET; /* which of a transform and its inverse is divided by n; ortho: both, by its square root: backward, ortho, forward; the first unless given */
} vn_irfft_opts;
VN_API vn_array *vn_irfft(vn_array *x, int64_t axis VN_OR(-1), const vn_irfft_opts *opts VN_OR(NULL));

/* rfft along the last of several axes, then fft along the others; VN_ALL: along every axis. */
typedef vn_fftn_opts vn_rfftn_opts;
VN_API vn_array *vn_rfftn(vn_array *x, vn_axes axes VN_OR(VN_ALL), const vn_rfftn_opts *opts VN_OR(NULL));

/* the inverse of rfftn. */
typedef struct vn_irfftn_opts {
    size_t size VN_UNSET;
    vn_shape s VN_UNSET; /* the sizes of the result, one for each of the axes; unless given those of x, and 2 (m - 1) for m elements along the last */
    const char *norm VN_UNSET; /* which of a transform and its inverse is divided by the product of the lengths; ortho: both, by its square root: backward, ortho, forward; the first unless given */
} vn_irfftn_opts;
VN_API vn_array *vn_irfftn(vn_array *x, vn_axes axes VN_OR(VN_ALL), const vn_irfftn_opts *opts VN_OR(NULL));

/* the Fourier transform, which is real, of numbers of which x is the first half and the conjugates of x are the second. */
typedef vn_irfft_opts vn_hfft_opts;
VN_API vn_array *vn_hfft(vn_array *x, int64_t axis VN_OR(-1), const vn_hfft_opts *opts VN_OR(NULL));

/* the inverse of hfft: the first n / 2 + 1 elements. */
typedef vn_fft_opts vn_ihfft_opts;
VN_API vn_array *vn_ihfft(vn_array *x, int64_t axis VN_OR(-1), const vn_ihfft_opts *opts VN_OR(NULL));

/* the frequencies of the elements of fft for samples at a distance of d: 0, 1 ... -2, -1, divided by n d. */
VN_API vn_array *vn_fftfreq(int64_t n, double d VN_OR(1), vn_dtype dtype VN_OR(VN_F32));

/* the frequencies of the elements of rfft for n samples at a distance of d: 0, 1 ... n / 2, divided by n d. */
VN_API vn_array *vn_rfftfreq(int64_t n, double d VN_OR(1), vn_dtype dtype VN_OR(VN_F32));

/* x with the frequency 0 moved to the middle of these axes. */
VN_API vn_array *vn_fftshift(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* the inverse of fftshift. */
VN_API vn_array *vn_ifftshift(vn_array *x, vn_axes axes VN_OR(VN_ALL));

/* ---- Random numbers ----
 * Samples from a key: the same key gives the same bits on every engine, instruction-set level and number of threads.
 * (dirichlet and multivariate_normal compute with such samples, so their last digits are those of the engine's arithmetic.)
 * vn_random_key makes the next key of the thread, vn_random_split and vn_random_fold new keys from one.
 * The functions vn_random_normal and others (vinea.h) take the thread's key themselves.
 *
 *     vn_array *key = vn_random_key_of(7);
 *     puts(vn_text(vn_randint(key, vn_scalar(0), vn_scalar(10), VN_SHAPE(5), VN_I64)));
 */

/* uniform random numbers in [low, high) from a key, equal bits on every engine; integers are truncated. */
VN_API vn_array *vn_uniform(vn_array *key, vn_array *low, vn_array *high, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* normal random numbers from a key, equal bits on every engine; integers are truncated; a number std is not negative. */
VN_API vn_array *vn_normal(vn_array *key, vn_array *mean, vn_array *std, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* standard normal random numbers between low and high, also far out; NaN unless low <= high, and numbers are refused; no gradient. */
VN_API vn_array *vn_truncated_normal(vn_array *key, vn_array *low, vn_array *high, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* exponential random numbers of mean 1. */
VN_API vn_array *vn_exponential(vn_array *key, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* Gumbel random numbers of location 0 and scale 1: -log of exponential ones. */
VN_API vn_array *vn_gumbel(vn_array *key, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* Laplace random numbers: mean plus scale times exponential ones of either sign; a number scale is not negative. */
VN_API vn_array *vn_laplace(vn_array *key, vn_array *mean, vn_array *scale, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* gamma random numbers of shape parameter alpha and scale 1; NaN unless alpha > 0, and a number is refused; no gradient. */
VN_API vn_array *vn_gamma(vn_array *key, vn_array *alpha, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* beta random numbers, in [0, 1]; NaN unless a > 0 and b > 0, and numbers are refused; NaN where both are infinite; no gradient. */
VN_API vn_array *vn_beta(vn_array *key, vn_array *a, vn_array *b, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* shares, which add up to 1 along the last axis of the shape: gamma numbers of shape parameters alpha, divided by their sum; NaN unless all alpha > 0, and a number is refused; no gradient. */
VN_API vn_array *vn_dirichlet(vn_array *key, vn_array *alpha, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* vectors (shape, n) of normal random numbers with means (..., n) and a covariance matrix (..., n, n), whose outer axes broadcast to the shape: mean + L z with L the Cholesky factor; NaN unless it is positive definite. */
VN_API vn_array *vn_multivariate_normal(vn_array *key, vn_array *mean, vn_array *cov, vn_shape shape, vn_dtype dtype VN_OR(VN_F32));

/* true (1) with probability p, of any float dtype; an array never where p is below 0 or NaN, always from 1 on; a number is in [0, 1]. */
VN_API vn_array *vn_bernoulli(vn_array *key, vn_array *p, vn_shape shape, vn_dtype dtype VN_OR(VN_BOOL));

/* Poisson random numbers of mean rate, of any float dtype; -1 where it is below 0 or NaN, and such a number is refused; computed as int64, at most its largest number. */
VN_API vn_array *vn_poisson(vn_array *key, vn_array *rate, vn_shape shape, vn_dtype dtype VN_OR(VN_I64));

/* how many of count tries with probability p succeed, both of any float dtype; -1 unless 0 <= count < 2^63 and 0 <= p <= 1, and numbers are refused; computed as int64. */
VN_API vn_array *vn_binomial(vn_array *key, vn_array *count, vn_array *p, vn_shape shape, vn_dtype dtype VN_OR(VN_I64));

/* unbiased random integers in [low, high); low where low >= high, and numbers are refused; bounds are integers, taken as int64, or uint64 for a uint64 result. */
VN_API vn_array *vn_randint(vn_array *key, vn_array *low, vn_array *high, vn_shape shape, vn_dtype dtype VN_OR(VN_I64));

/* the words of Philox 4x32-10 from this block on (modulo 2^64): 4 elements from a block, 2 of uint64, high word first; small dtypes take low bits. */
typedef struct vn_random_bits_opts {
    size_t size VN_UNSET;
    int64_t block VN_UNSET; /* the first block */
} vn_random_bits_opts;
VN_API vn_array *vn_random_bits(vn_array *key, vn_shape shape, vn_dtype dtype VN_OR(VN_U32), const vn_random_bits_opts *opts VN_OR(NULL));

/* indices (int64) along the last axis of weights, sampled in proportion to them: (..., samples); without replacement -1 follows when no weight is left; -1 in rows with a negative or NaN weight, an infinite sum or no positive weight. */
typedef struct vn_multinomial_opts {
    size_t size VN_UNSET;
    int no_replace VN_UNSET; /* no index twice */
    int reserved VN_UNSET; /* 0 */
} vn_multinomial_opts;
VN_API vn_array *vn_multinomial(vn_array *key, vn_array *weights, int64_t samples, const vn_multinomial_opts *opts VN_OR(NULL));

/* indices (int64) along the last axis of logits, sampled in proportion to their exponentials: one each (...), or (..., samples) if given; -1 in rows with NaN, inf or only -inf. */
VN_API vn_array *vn_categorical(vn_array *key, vn_array *logits, int64_t samples VN_OR(0));

/* the numbers 0 to n-1 (int64) in random order, all orders equally likely. */
VN_API vn_array *vn_permutation(vn_array *key, int64_t n);

/* x with the elements along an axis in random order, that of permutation, its rows kept whole; inverse undoes what the same key did. */
typedef struct vn_shuffle_opts {
    size_t size VN_UNSET;
    int inverse VN_UNSET; /* undo what the same key did */
    int reserved VN_UNSET; /* 0 */
} vn_shuffle_opts;
VN_API vn_array *vn_shuffle(vn_array *key, vn_array *x, int64_t axis VN_OR(0), const vn_shuffle_opts *opts VN_OR(NULL));

/* n independent keys (n, 2) from one, which should not be used for numbers then. */
VN_API vn_array *vn_random_split(vn_array *key, int64_t n);

/* a new key (..., 2) from a key and each integer of data. */
VN_API vn_array *vn_random_fold(vn_array *key, vn_array *data);

/* ---- Activations ----
 * Elementwise nonlinearities, and softmax and its relatives along an axis.
 * Derivatives at a kink are those of the side that is chosen, as the docs of each op say.
 * Layers of the same names are in layers.h.
 *
 *     vn_array *x = vn_from((float[]){-1, 0, 1}, VN_SHAPE(3));
 *     puts(vn_text(vn_softmax(x, -1)));
 *     puts(vn_text(vn_gelu(x, VN_OPTS(gelu, .approximate = 1))));
 */

/* x where it is above 0, else 0; its derivative at 0 is 0. */
VN_API vn_array *vn_relu(vn_array *x);

/* x kept between 0 and 6; its derivative at 0 is 0, at 6 one half. */
VN_API vn_array *vn_relu6(vn_array *x);

/* x where it is above 0, else slope x. */
VN_API vn_array *vn_leaky_relu(vn_array *x, double slope VN_OR(0.01));

/* x where it is above 0, else weight x; weight is broadcast to the shape of x. */
VN_API vn_array *vn_prelu(vn_array *x, vn_array *weight);

/* x where it is above 0, else alpha (exp(x) - 1). */
VN_API vn_array *vn_elu(vn_array *x, double alpha VN_OR(1));

/* 1.0507 times elu with alpha 1.67326, the constants of self-normalising networks. */
VN_API vn_array *vn_selu(vn_array *x);

/* x where it is above 0, else alpha (exp(x / alpha) - 1). */
VN_API vn_array *vn_celu(vn_array *x, double alpha VN_OR(1));

/* x times the normal distribution function at x; approximate: by tanh. */
typedef struct vn_gelu_opts {
    size_t size VN_UNSET;
    int approximate VN_UNSET; /* by tanh, within 5e-4 */
    int reserved VN_UNSET; /* 0 */
} vn_gelu_opts;
VN_API vn_array *vn_gelu(vn_array *x, const vn_gelu_opts *opts VN_OR(NULL));

/* x sigmoid(x). */
VN_API vn_array *vn_silu(vn_array *x);

/* x tanh(softplus(x)). */
VN_API vn_array *vn_mish(vn_array *x);

/* 1 / (1 + exp(-x)). */
VN_API vn_array *vn_sigmoid(vn_array *x);

/* log(sigmoid(x)), without overflow. */
VN_API vn_array *vn_log_sigmoid(vn_array *x);

/* log(1 + exp(beta x)) / beta, without overflow: the larger beta, the closer to relu. */
VN_API vn_array *vn_softplus(vn_array *x, double beta VN_OR(1));

/* x / (1 + |x|). */
VN_API vn_array *vn_softsign(vn_array *x);

/* x kept between min and max; at a bound the derivative is one half. */
VN_API vn_array *vn_hardtanh(vn_array *x, double min VN_OR(-1), double max VN_OR(1));

/* x / 6 + 1 / 2 kept between 0 and 1; at -3 and 3 its gradient is half the slope, 1 / 12. */
VN_API vn_array *vn_hardsigmoid(vn_array *x);

/* x hardsigmoid(x), also in its gradient: -1 / 4 at -3, 5 / 4 at 3. */
VN_API vn_array *vn_hardswish(vn_array *x);

/* x - tanh(x). */
VN_API vn_array *vn_tanhshrink(vn_array *x);

/* x, closer to 0 by the bound; 0 within it. */
VN_API vn_array *vn_softshrink(vn_array *x, double bound VN_OR(0.5));

/* x, 0 within the bound. */
VN_API vn_array *vn_hardshrink(vn_array *x, double bound VN_OR(0.5));

/* x where it is above the threshold, else value. */
VN_API vn_array *vn_threshold(vn_array *x, double threshold, double value VN_OR(0));

/* the first half of x along an axis times the sigmoid of the second. */
VN_API vn_array *vn_glu(vn_array *x, int64_t axis VN_OR(-1));

/* (x + sqrt(x^2 + b)) / 2, smooth as softplus is, without exponentials. */
VN_API vn_array *vn_squareplus(vn_array *x, double b VN_OR(4));

/* 0 up to -1, (x + 1)^2 / 4 up to 1, then x. */
VN_API vn_array *vn_sparse_plus(vn_array *x);

/* the distribution along an axis that is closest to x: most elements are 0, unlike those of softmax. */
VN_API vn_array *vn_sparsemax(vn_array *x, int64_t axis VN_OR(-1));

/* exp(x) / (1 + sum(exp(x))) along an axis, without overflow: near 0 everywhere where all x are far below 0. */
VN_API vn_array *vn_quiet_softmax(vn_array *x, int64_t axis VN_OR(-1));

/* exp(x) / sum(exp(x)) along an axis, without overflow. */
VN_API vn_array *vn_softmax(vn_array *x, int64_t axis);

/* softmax of -x along an axis. */
VN_API vn_array *vn_softmin(vn_array *x, int64_t axis);

/* logarithm of softmax along an axis, accurate. */
VN_API vn_array *vn_log_softmax(vn_array *x, int64_t axis);

/* ---- Normalisation ----
 * Mean 0 and variance 1 over some axes, then a weight and a bias.
 * The last axes are normalised, or those of channels and groups.
 * Half precision is computed in float32 and rounded once.
 *
 *     vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2));
 *     puts(vn_text(vn_layer_norm(x, VN_NONE, VN_NONE, VN_AXES(-1), 1e-5)));
 */

/* x with mean 0 and variance 1 over axes, times weight, plus bias, which have the sizes of these axes. */
VN_API vn_array *vn_layer_norm(vn_array *x, vn_array *weight, vn_array *bias, vn_axes axes, double epsilon VN_OR(1e-5));

/* x divided by the root of its mean square over axes, times weight, which has the sizes of these axes. */
VN_API vn_array *vn_rms_norm(vn_array *x, vn_array *weight, vn_axes axes, double epsilon VN_OR(1e-5));

/* x divided by the norm of its vectors over axes, or by epsilon where that is larger. */
VN_API vn_array *vn_l2_normalize(vn_array *x, vn_axes axes, double epsilon VN_OR(1e-12));

/* x with mean 0 and variance 1 over each group of channels (axis) and all other axes but the first, times weight, plus bias, per channel. */
VN_API vn_array *vn_group_norm(vn_array *x, vn_array *weight, vn_array *bias, int64_t groups, int64_t axis VN_OR(-1), double epsilon VN_OR(1e-5));

/* (x - mean) / sqrt(variance + epsilon) times weight, plus bias, all per channel (axis). */
VN_API vn_array *vn_batch_norm(vn_array *x, vn_array *mean, vn_array *variance, vn_array *weight VN_OR(VN_NONE), vn_array *bias VN_OR(VN_NONE), int64_t axis VN_OR(-1), double epsilon VN_OR(1e-5));

/* batch_norm by the mean and variance of each channel (axis) of x itself, which are the other results; the variance is divided by the number of elements. */
VN_API vn_array *vn_batch_norm_training(vn_array *x, vn_array *weight, vn_array *bias, int64_t axis, double epsilon, vn_array **mean, vn_array **variance);

/* each channel (axis) of each entry of the batch (axis 0) with mean 0 and variance 1, times weight, plus bias; the other results are mean and variance, (N, C). */
VN_API vn_array *vn_instance_norm(vn_array *x, vn_array *weight, vn_array *bias, int64_t axis, double epsilon, vn_array **mean, vn_array **variance);

/* ---- Convolution and pooling ----
 * Filters and windows over 1 to 3 spatial axes.
 * Arrays are [N, spatial..., C] unless data_format says otherwise; one number serves all axes.
 * Layers with weights of their own are in layers.h.
 *
 *     vn_array *x = vn_ones(VN_SHAPE(1, 4, 4, 1), VN_F32), *w = vn_ones(VN_SHAPE(3, 3, 1, 1), VN_F32);
 *     vn_array *y = vn_conv2d(x, w, VN_NONE, VN_OPTS(conv2d, .strides = {2, 2}, .padding = "SAME"));
 *     puts(vn_text(vn_reshape(y, VN_SHAPE(2, 2))));
 *     printf("%g\n", vn_item(vn_max_pool2d(x, VN_LIST(4))));
 */

/* convolution of x [N, in..., C] with w [kernel..., C/groups, O]: [N, out..., O], 1 to 3 spatial axes; pads is (low, high) for each of them; out is (in + low + high - (kernel-1)*dilation - 1) / stride + 1 rounded down, 0 where the filter does not fit. */
typedef struct vn_conv_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    vn_shape pads VN_UNSET; /* (low, high) for each spatial axis */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of the filter; one number serves all; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given */
} vn_conv_opts;
VN_API vn_array *vn_conv(vn_array *x, vn_array *w, const vn_conv_opts *opts VN_OR(NULL));

/* convolution of x [N, W, C] (NCW: [N, C, W]) with filters [w, C/groups, O] (channel_first: [O, C/groups, w]) and a bias [O]; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; one stride or dilation serves all axes; an empty result is an error. */
typedef struct vn_conv_layer_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t x_dilations[3] VN_UNSET; /* distances between the elements of x, with zeros between them; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given */
    const char *filter_format VN_UNSET; /* how the axes of the filters are ordered: channel_last, channel_first, WIO, HWIO, DHWIO, OIW, OIHW, OIDHW; the first unless given */
} vn_conv_layer_opts;
typedef vn_conv_layer_opts vn_conv1d_opts;
VN_API vn_array *vn_conv1d(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv1d_opts *opts VN_OR(NULL));

/* convolution of x [N, H, W, C] (NCHW: [N, C, H, W]) with filters [h, w, C/groups, O] and a bias [O]; options as in conv1d. */
typedef vn_conv_layer_opts vn_conv2d_opts;
VN_API vn_array *vn_conv2d(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv2d_opts *opts VN_OR(NULL));

/* convolution of x [N, D, H, W, C] (NCDHW: [N, C, D, H, W]) with filters [d, h, w, C/groups, O] and a bias [O]; options as in conv1d. */
typedef vn_conv_layer_opts vn_conv3d_opts;
VN_API vn_array *vn_conv3d(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv3d_opts *opts VN_OR(NULL));

/* convolution of x with 1 to 3 spatial axes, channel_last or channel_first, with filters [kernel..., C/groups, O]; options as in conv1d. */
typedef vn_conv_layer_opts vn_conv_general_dilated_opts;
VN_API vn_array *vn_conv_general_dilated(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv_general_dilated_opts *opts VN_OR(NULL));

/* every channel of x [N, H, W, C] with a filter of its own, filters [h, w, C] or [h, w, C, 1]; options as in conv1d. */
typedef struct vn_depthwise_conv2d_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
} vn_depthwise_conv2d_opts;
VN_API vn_array *vn_depthwise_conv2d(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_depthwise_conv2d_opts *opts VN_OR(NULL));

/* depthwise filters [w, C, m], m for each channel of x [N, W, C], then a product of channels with pointwise [C m, O] and a bias [O]; options as in conv1d. */
typedef vn_depthwise_conv2d_opts vn_separable_conv1d_opts;
VN_API vn_array *vn_separable_conv1d(vn_array *x, vn_array *depthwise, vn_array *pointwise, vn_array *bias VN_OR(VN_NONE), const vn_separable_conv1d_opts *opts VN_OR(NULL));

/* separable_conv1d of x [N, H, W, C] with depthwise filters [h, w, C, m]. */
typedef vn_depthwise_conv2d_opts vn_separable_conv2d_opts;
VN_API vn_array *vn_separable_conv2d(vn_array *x, vn_array *depthwise, vn_array *pointwise, vn_array *bias VN_OR(VN_NONE), const vn_separable_conv2d_opts *opts VN_OR(NULL));

/* transposed convolution of x with filters [w, C, O/groups] and a bias [O]; the adjoint of the conv1d that maps the length of the result to that of x: length n*stride for SAME, n*stride + max((w-1)*dilation + 1 - stride, 0) for VALID, or output_shape, which that conv1d must map back; filter_format channel_first is [C, O/groups, w], WOI [w, O/groups, C]. */
typedef struct vn_conv_transpose_layer_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    int64_t output_shape[3] VN_UNSET; /* lengths of the result, one for each spatial axis */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given */
    const char *filter_format VN_UNSET; /* how the axes of the filters are ordered: channel_last, channel_first, WIO, HWIO, DHWIO, IOW, IOHW, IODHW, WOI, HWOI, DHWOI; the first unless given */
} vn_conv_transpose_layer_opts;
typedef vn_conv_transpose_layer_opts vn_conv1d_transpose_opts;
VN_API vn_array *vn_conv1d_transpose(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv1d_transpose_opts *opts VN_OR(NULL));

/* transposed convolution of x with filters [h, w, C, O/groups] and a bias [O]; options as in conv1d_transpose. */
typedef vn_conv_transpose_layer_opts vn_conv2d_transpose_opts;
VN_API vn_array *vn_conv2d_transpose(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv2d_transpose_opts *opts VN_OR(NULL));

/* transposed convolution of x with filters [d, h, w, C, O/groups] and a bias [O]; options as in conv1d_transpose. */
typedef vn_conv_transpose_layer_opts vn_conv3d_transpose_opts;
VN_API vn_array *vn_conv3d_transpose(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv3d_transpose_opts *opts VN_OR(NULL));

/* transposed convolution of x with 1 to 3 spatial axes, channel_last or channel_first, with filters [kernel..., C, O/groups]; options as in conv1d_transpose. */
typedef vn_conv_transpose_layer_opts vn_conv_general_transpose_opts;
VN_API vn_array *vn_conv_general_transpose(vn_array *x, vn_array *filters, vn_array *bias VN_OR(VN_NONE), const vn_conv_general_transpose_opts *opts VN_OR(NULL));

/* the largest element of each window of x [N, in..., C], NaN wins; padding never does (a window of padding alone gives -inf, the smallest integer); strides are the window's size if not given; the gradient goes to the first of equal elements. */
typedef struct vn_pool_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window; the window's own sizes unless given */
    vn_shape pads VN_UNSET; /* (low, high) for each spatial axis */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; 1 unless given */
} vn_pool_opts;
typedef vn_pool_opts vn_max_pool_opts;
VN_API vn_array *vn_max_pool(vn_array *x, vn_shape window, const vn_max_pool_opts *opts VN_OR(NULL));

/* the sum of each window of x [N, in..., C], in x's dtype; strides are the window's size if not given. */
typedef vn_pool_opts vn_sum_pool_opts;
VN_API vn_array *vn_sum_pool(vn_array *x, vn_shape window, const vn_sum_pool_opts *opts VN_OR(NULL));

/* the mean of each window of x [N, in..., C], over the elements of x in it, or over the whole window if include_padding; 0 where a window is padding alone. */
typedef struct vn_avg_pool_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window; the window's own sizes unless given */
    vn_shape pads VN_UNSET; /* (low, high) for each spatial axis */
    int include_padding VN_UNSET; /* padding counts as zeros */
    int reserved VN_UNSET; /* 0 */
} vn_avg_pool_opts;
VN_API vn_array *vn_avg_pool(vn_array *x, vn_shape window, const vn_avg_pool_opts *opts VN_OR(NULL));

/* the largest element of each window of x with 1 spatial axis; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; strides are the window if not given; padding itself as in max_pool. */
typedef struct vn_max_pool_layer_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window; the window's own sizes unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
} vn_max_pool_layer_opts;
typedef vn_max_pool_layer_opts vn_max_pool1d_opts;
VN_API vn_array *vn_max_pool1d(vn_array *x, vn_shape window, const vn_max_pool1d_opts *opts VN_OR(NULL));

/* the largest element of each window of x with 2 spatial axes; options as in max_pool1d. */
typedef vn_max_pool_layer_opts vn_max_pool2d_opts;
VN_API vn_array *vn_max_pool2d(vn_array *x, vn_shape window, const vn_max_pool2d_opts *opts VN_OR(NULL));

/* the largest element of each window of x with 3 spatial axes; options as in max_pool1d. */
typedef vn_max_pool_layer_opts vn_max_pool3d_opts;
VN_API vn_array *vn_max_pool3d(vn_array *x, vn_shape window, const vn_max_pool3d_opts *opts VN_OR(NULL));

/* max_pool1d, 2d or 3d, and the number of the place of each maximum along the spatial axes of x, in row-major order; -1 for a window of padding alone. */
typedef vn_max_pool_layer_opts vn_max_pool_with_indices_opts;
VN_API vn_array *vn_max_pool_with_indices(vn_array *x, vn_shape window, const vn_max_pool_with_indices_opts *opts, vn_array **index);

/* windows over all axes of x, reduced; one of no elements gives what a reduction of none gives: 0, 1, -inf or inf, or the smallest or largest integer. */
typedef struct vn_reduce_window_opts {
    size_t size VN_UNSET;
    const char *reduction VN_UNSET; /* of the elements of a window: sum, max, min, prod; the first unless given */
    vn_shape strides VN_UNSET; /* steps of the window along all axes; one number serves all; 1 unless given */
    vn_shape pads VN_UNSET; /* (low, high) for each axis, or one number for all; what is outside never counts */
    vn_shape dilations VN_UNSET; /* distances between the elements of a window; 1 unless given */
    vn_shape x_dilations VN_UNSET; /* distances between the elements of x; what is between them never counts; 1 unless given */
} vn_reduce_window_opts;
VN_API vn_array *vn_reduce_window(vn_array *x, vn_shape window, const vn_reduce_window_opts *opts VN_OR(NULL));

/* the mean of each window of x with 1 spatial axis; padding SAME or VALID unless pads gives (low, high) for each axis, or one number for all; strides are the window if not given; padding itself as in avg_pool. */
typedef struct vn_avg_pool_layer_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window; the window's own sizes unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int include_padding VN_UNSET; /* padding counts as zeros */
    int reserved VN_UNSET; /* 0 */
} vn_avg_pool_layer_opts;
typedef vn_avg_pool_layer_opts vn_avg_pool1d_opts;
VN_API vn_array *vn_avg_pool1d(vn_array *x, vn_shape window, const vn_avg_pool1d_opts *opts VN_OR(NULL));

/* the mean of each window of x with 2 spatial axes; options as in avg_pool1d. */
typedef vn_avg_pool_layer_opts vn_avg_pool2d_opts;
VN_API vn_array *vn_avg_pool2d(vn_array *x, vn_shape window, const vn_avg_pool2d_opts *opts VN_OR(NULL));

/* the mean of each window of x with 3 spatial axes; options as in avg_pool1d. */
typedef vn_avg_pool_layer_opts vn_avg_pool3d_opts;
VN_API vn_array *vn_avg_pool3d(vn_array *x, vn_shape window, const vn_avg_pool3d_opts *opts VN_OR(NULL));

/* the mean of windows of x with 1 to 3 spatial axes, as many along each as size says: window j of m over n elements goes from floor(j n / m) to ceil((j + 1) n / m). */
typedef struct vn_adaptive_pool_opts {
    size_t size VN_UNSET;
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
} vn_adaptive_pool_opts;
typedef vn_adaptive_pool_opts vn_adaptive_avg_pool_opts;
VN_API vn_array *vn_adaptive_avg_pool(vn_array *x, vn_shape size, const vn_adaptive_avg_pool_opts *opts VN_OR(NULL));

/* the largest element of windows of x with 1 to 3 spatial axes, as many along each as size says: window j of m over n elements goes from floor(j n / m) to ceil((j + 1) n / m). */
typedef vn_adaptive_pool_opts vn_adaptive_max_pool_opts;
VN_API vn_array *vn_adaptive_max_pool(vn_array *x, vn_shape size, const vn_adaptive_max_pool_opts *opts VN_OR(NULL));

/* x at the places that max_pool_with_indices gave, in an array of these spatial sizes with zeros elsewhere; places below 0 are none; of several at one place the last counts. */
typedef vn_adaptive_pool_opts vn_max_unpool_opts;
VN_API vn_array *vn_max_unpool(vn_array *x, vn_array *index, vn_shape size, const vn_max_unpool_opts *opts VN_OR(NULL));

/* the mean of each channel of x with 1 to 3 spatial axes: [N, C], or with axes of size 1 if keepdims. */
typedef struct vn_global_pool_opts {
    size_t size VN_UNSET;
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int keepdims VN_UNSET; /* the spatial axes stay, with size 1 */
    int reserved VN_UNSET; /* 0 */
} vn_global_pool_opts;
typedef vn_global_pool_opts vn_global_avg_pool_opts;
VN_API vn_array *vn_global_avg_pool(vn_array *x, const vn_global_avg_pool_opts *opts VN_OR(NULL));

/* the largest element of each channel of x with 1 to 3 spatial axes: [N, C], or with axes of size 1 if keepdims. */
typedef vn_global_pool_opts vn_global_max_pool_opts;
VN_API vn_array *vn_global_max_pool(vn_array *x, const vn_global_max_pool_opts *opts VN_OR(NULL));

/* x with 1 to 3 spatial axes at other sizes; mode nearest (element floor(j n / m)), nearest_exact (floor((j + 1/2) n / m)), linear or cubic, between elements at (j + 1/2) n / m - 1/2, or j (n - 1) / (m - 1) if align_corners; beyond the ends they go on; area as adaptive_avg_pool; cubic_keys (cubic with a = -1/2) and lanczos as scale_and_translate. */
typedef struct vn_interpolate_opts {
    size_t size VN_UNSET;
    const char *mode VN_UNSET; /* between elements; area: the mean of those that an element of the result covers: linear, nearest, nearest_exact, cubic, area, cubic_keys, lanczos3, lanczos5; the first unless given */
    int align_corners VN_UNSET; /* the first and last elements stay where they are */
    int reserved VN_UNSET; /* 0 */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int antialias VN_UNSET; /* smaller sizes take from all elements that they cover: linear, cubic (as cubic_keys), lanczos */
    int reserved2 VN_UNSET; /* 0 */
} vn_interpolate_opts;
VN_API vn_array *vn_interpolate(vn_array *x, vn_shape size, const vn_interpolate_opts *opts VN_OR(NULL));

/* x, with some axes enlarged and then shifted, in an array of this shape; scale and translation have a number for each of these axes; what comes from outside x is 0. */
typedef struct vn_scale_and_translate_opts {
    size_t size VN_UNSET;
    const char *method VN_UNSET; /* the kernel: a triangle, Keys's cubic with a = -1/2, or a windowed sinc: linear, cubic, lanczos3, lanczos5; the first unless given */
    int no_antialias VN_UNSET; /* the kernel does not grow where x is made smaller */
    int reserved VN_UNSET; /* 0 */
} vn_scale_and_translate_opts;
VN_API vn_array *vn_scale_and_translate(vn_array *x, vn_array *scale, vn_array *translation, vn_shape shape, vn_axes axes VN_OR(VN_ALL), const vn_scale_and_translate_opts *opts VN_OR(NULL));

/* ---- Recurrent layers ----
 * Sequences, step by step, forward or reversed.
 * They return every step, and the state after the last one where it is wanted (else NULL).
 * Weights and the order of gates are described with each op.
 *
 *     vn_array *x = vn_ones(VN_SHAPE(5, 2, 3), VN_F32), *h = vn_zeros(VN_SHAPE(2, 4), VN_F32), *last;
 *     vn_array *y = vn_gru(x, h, vn_full(vn_scalar(.1), VN_SHAPE(3, 12), VN_F32), vn_full(vn_scalar(.1), VN_SHAPE(4, 12), VN_F32), VN_NONE, VN_NONE, NULL, &last);
 *     printf("%lld steps, %.3f\n", (long long)vn_dim(y, 0), vn_item(vn_max(last, VN_ALL)));
 */

/* long short-term memory over x (T, B, I) from states h, c (B, H); weights (I, 4H), (H, 4H) and bias (4H) in the order i, f, g, o; gives all h and the last h, c; no steps give h, c. */
typedef struct vn_recurrent_opts {
    size_t size VN_UNSET;
    int reverse VN_UNSET; /* from the last step to the first */
    int reserved VN_UNSET; /* 0 */
} vn_recurrent_opts;
typedef vn_recurrent_opts vn_lstm_opts;
VN_API vn_array *vn_lstm(vn_array *x, vn_array *h, vn_array *c, vn_array *w_input, vn_array *w_recurrent, vn_array *bias, const vn_lstm_opts *opts, vn_array **last_h, vn_array **last_c);

/* lstm over x (batch..., steps, features), or (steps, batch..., features) if time_major, from states (batch..., size); kernels (features, 4 size), (size, 4 size) and biases (4 size) in the order i, f, g, o; all h, the last h and c. */
typedef struct vn_recurrent_layer_opts {
    size_t size VN_UNSET;
    int time_major VN_UNSET; /* x is (steps, batch..., features) */
    int reserved VN_UNSET; /* 0 */
} vn_recurrent_layer_opts;
typedef vn_recurrent_layer_opts vn_lstm_update_opts;
VN_API vn_array *vn_lstm_update(vn_array *x, vn_array *init_h, vn_array *init_c, vn_array *kernel, vn_array *recurrent_kernel, vn_array *bias, vn_array *recurrent_bias, const vn_lstm_update_opts *opts, vn_array **last_h, vn_array **last_c);

/* gated recurrent unit over x (T, B, I) from state h (B, H); weights (I, 3H), (H, 3H) and biases (3H) in the order r, z, n, with n = tanh(.. + r (h w + b)); gives all h and the last one. */
typedef vn_recurrent_opts vn_gru_opts;
VN_API vn_array *vn_gru(vn_array *x, vn_array *h, vn_array *w_input, vn_array *w_recurrent, vn_array *bias_input, vn_array *bias_recurrent, const vn_gru_opts *opts, vn_array **last_h);

/* gru over x (batch..., steps, features), or (steps, batch..., features) if time_major, from a state (batch..., size); kernels (features, 3 size), (size, 3 size) and biases (3 size) in the order r, z, n; all h and the last one. */
typedef vn_recurrent_layer_opts vn_gru_update_opts;
VN_API vn_array *vn_gru_update(vn_array *x, vn_array *init_h, vn_array *kernel, vn_array *recurrent_kernel, vn_array *bias, vn_array *recurrent_bias, const vn_gru_update_opts *opts, vn_array **last_h);

/* ---- Attention and layers ----
 * Building blocks of neural networks.
 * A bool mask says where to attend, a float mask is added to the scores.
 * Dropout without a key takes the thread's next one.
 *
 *     vn_array *q = vn_arange(0, 6), *x = vn_reshape(q, VN_SHAPE(3, 2));
 *     vn_array *y = vn_attention(x, x, x, VN_NONE, VN_OPTS(attention, .causal = 1));
 *     puts(vn_text(vn_rows(y, 0, 1)));
 */

/* softmax(scale q k^T + mask) v over the last two axes, leading axes broadcast; a bool mask says where to attend, a float one is added (-inf: not there); causal: query i attends to keys up to i + keys - queries; a query with nothing to attend to gives zeros; scores of places not attended to are ignored, NaN too, and so are k and v of keys no query attends to. */
typedef struct vn_attention_opts {
    size_t size VN_UNSET;
    double scale VN_UNSET; /* of products of queries and keys; 1 / sqrt(size of the last axis of q) unless given; in (-inf, inf) */
    int causal VN_UNSET; /* query i attends to keys up to i + keys - queries */
    int reserved VN_UNSET; /* 0 */
} vn_attention_opts;
VN_API vn_array *vn_attention(vn_array *q, vn_array *k, vn_array *v, vn_array *mask VN_OR(VN_NONE), const vn_attention_opts *opts VN_OR(NULL));

/* softmax(scale q k^T) v over the last two axes, leading axes broadcast; the mask, of any dtype, says where to attend: not 0; causal: query i attends to keys up to i; a query with nothing to attend to gives the mean of all v, or zeros if zero_rows; integers are computed as float32. */
typedef struct vn_scaled_dot_product_attention_opts {
    size_t size VN_UNSET;
    double scale VN_UNSET; /* of products of queries and keys; 1 / sqrt(size of the last axis of q) unless given; in (-inf, inf) */
    int causal VN_UNSET; /* query i attends to keys up to i */
    int zero_rows VN_UNSET; /* a query with nothing to attend to gives zeros, not the mean of all v */
} vn_scaled_dot_product_attention_opts;
VN_API vn_array *vn_scaled_dot_product_attention(vn_array *q, vn_array *k, vn_array *v, vn_array *mask VN_OR(VN_NONE), const vn_scaled_dot_product_attention_opts *opts VN_OR(NULL));

/* x (..., positions, features) with pair k of the features rotated by the angle (offset + position) / stretch base^(-2k / features); a pair is element k of the first and of the second half of the features, or two neighbours if interleaved; scaling has other ways to stretch, of which yarn also multiplies by 1 + 0.1 log(stretch). */
typedef struct vn_rotary_embedding_opts {
    size_t size VN_UNSET;
    double base VN_UNSET; /* of the angles; 10000 unless given; in (0, inf) */
    int64_t offset VN_UNSET; /* position of the first element */
    int interleaved VN_UNSET; /* pairs are neighbours, not element k of the first and of the second half */
    int reserved VN_UNSET; /* 0 */
    double stretch VN_UNSET; /* how much further a model reaches than the length it was trained with; 1 unless given; in (0, inf) */
    const char *scaling VN_UNSET; /* what is stretched: positions are divided by it; base grows with it, so that the slowest pair is; the same only as far as there are more positions than trained; pairs that turn less than slow times over them are, those of more than fast turns not; pairs of long waves are: linear, ntk, dynamic, yarn, llama3; the first unless given */
    int64_t trained VN_UNSET; /* the length a model was trained with, for dynamic, yarn and llama3; in [1, inf) */
    double fast VN_UNSET; /* turns over that length from which on a pair stays as it is: 32 for yarn, 4 for llama3, unless given; in (0, inf) */
    double slow VN_UNSET; /* turns up to which it is stretched; 1 unless given; in (0, inf) */
} vn_rotary_embedding_opts;
VN_API vn_array *vn_rotary_embedding(vn_array *x, const vn_rotary_embedding_opts *opts VN_OR(NULL));

/* attention whose score of a query and a key is the sum of scale tanh(q + k) over the features: q (..., queries, features), k (..., keys, features), v (..., keys, width), scale (features), ones unless given; the mask is that of attention. */
VN_API vn_array *vn_additive_attention(vn_array *q, vn_array *k, vn_array *v, vn_array *scale VN_OR(VN_NONE), vn_array *mask VN_OR(VN_NONE));

/* a last axis of the given size, true before the length and false from there on. */
VN_API vn_array *vn_padding_mask(vn_array *lengths, int64_t size);

/* x weight^T + bias: x (outer..., inner..., in), weight (outer..., out, in), bias (outer..., out); one weight matrix for each entry of the outer axes, which may be none. */
VN_API vn_array *vn_linear(vn_array *x, vn_array *weight, vn_array *bias VN_OR(VN_NONE));

/* zeros with probability prob in place of elements of x, the others divided by 1 - prob unless no_scale; noise_shape: 1 for axes along which all share one choice, -1 or the size for the others; prob 0 gives x, prob 1 zeros; without a key (VN_NONE) the thread's next one is taken. */
typedef struct vn_dropout_opts {
    size_t size VN_UNSET;
    int no_scale VN_UNSET; /* the elements kept are not divided by 1 - prob */
    int reserved VN_UNSET; /* 0 */
    vn_shape noise_shape VN_UNSET; /* 1 for axes along which all share one choice, -1 or the size for the others */
} vn_dropout_opts;
VN_API vn_array *vn_dropout(vn_array *x, vn_array *key VN_OR(VN_NONE), double prob VN_OR(0.5), const vn_dropout_opts *opts VN_OR(NULL));

/* the rows of the table (rows, features) at the index, of any shape: (..., features); out of range, and below 0, as in take; row padding_index gets no gradient; rows longer than max_norm, if that is above 0, are scaled down to it. */
typedef struct vn_embedding_opts {
    size_t size VN_UNSET;
    int64_t padding_index VN_UNSET; /* this row gets no gradient; row 0 is VN_ZERO, none is -1; -1 unless given */
    double max_norm VN_UNSET; /* longer rows are scaled down to this length; in [0, inf] */
    int not_from_end VN_UNSET; /* a position below 0 is out of range */
    int reserved VN_UNSET; /* 0 */
} vn_embedding_opts;
VN_API vn_array *vn_embedding(vn_array *index, vn_array *table, const vn_embedding_opts *opts VN_OR(NULL));

/* ---- Losses ----
 * x is the model's output, target the desired output; target and weight broadcast to the shape of x. reduction: none (unreduced), sum or mean.
 * Each has a mean by default; .reduction = "none" gives one loss for each example.
 * Integer targets of cross_entropy are class numbers, float ones probabilities.
 *
 *     vn_array *logits = vn_from((float[]){2, 0, 0, 2}, VN_SHAPE(2, 2)), *labels = vn_from_host((int64_t[]){0, 1}, VN_I64, VN_SHAPE(2));
 *     printf("%.4f\n", vn_item(vn_cross_entropy(logits, labels)));
 *     printf("%.4f\n", vn_item(vn_cross_entropy(logits, labels, VN_NONE, -1, VN_OPTS(cross_entropy, .label_smoothing = .1))));
 */

/* (x - target)^2, times weight; the mean, the sum, or each (none). */
typedef struct vn_loss_opts {
    size_t size VN_UNSET;
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_loss_opts;
typedef vn_loss_opts vn_mse_loss_opts;
VN_API vn_array *vn_mse_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_mse_loss_opts *opts VN_OR(NULL));

/* |x - target|, times weight; the mean, the sum, or each (none). */
typedef vn_loss_opts vn_mae_loss_opts;
VN_API vn_array *vn_mae_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_mae_loss_opts *opts VN_OR(NULL));

/* half the square of x - target up to delta, straight lines from there. */
typedef vn_loss_opts vn_huber_loss_opts;
VN_API vn_array *vn_huber_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double delta VN_OR(1), const vn_huber_loss_opts *opts VN_OR(NULL));

/* huber_loss divided by delta, here called beta; |x - target| for beta 0. */
typedef vn_loss_opts vn_smooth_l1_loss_opts;
VN_API vn_array *vn_smooth_l1_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double beta VN_OR(1), const vn_smooth_l1_loss_opts *opts VN_OR(NULL));

/* -log_softmax(x) along an axis of classes at the class that an integer target has, times the weight of the class; 0 where that is ignore_index; one that is no class is an error where the call can see it, NaN where it is computed later; the mean is that of what is not ignored, divided by its weights. A float target are probabilities: -sum(target log_softmax(x)), weight one number for each class. */
typedef struct vn_cross_entropy_opts {
    size_t size VN_UNSET;
    int64_t ignore_index VN_UNSET; /* classes of this number do not count; VN_ZERO for class 0; -100 unless given */
    double label_smoothing VN_UNSET; /* this share of the target is spread over all classes; in [0, 1] */
    int from_probs VN_UNSET; /* x are probabilities, not logits; their logarithm at 0 is -100 */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_cross_entropy_opts;
VN_API vn_array *vn_cross_entropy(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), int64_t axis VN_OR(-1), const vn_cross_entropy_opts *opts VN_OR(NULL));

/* cross_entropy of logarithms of probabilities, for classes: -log_probs at the index. */
typedef struct vn_nll_loss_opts {
    size_t size VN_UNSET;
    int64_t ignore_index VN_UNSET; /* targets that do not count; VN_ZERO for class 0; -100 unless given */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_nll_loss_opts;
VN_API vn_array *vn_nll_loss(vn_array *log_probs, vn_array *index, vn_array *weight VN_OR(VN_NONE), int64_t axis VN_OR(-1), const vn_nll_loss_opts *opts VN_OR(NULL));

/* -target log(x) - (1 - target) log(1 - x) of probabilities x, times weight; the logarithm of 0 is -100 here, with derivative 0; NaN unless x lies in [0, 1]. */
typedef vn_loss_opts vn_binary_cross_entropy_opts;
VN_API vn_array *vn_binary_cross_entropy(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_binary_cross_entropy_opts *opts VN_OR(NULL));

/* binary_cross_entropy of sigmoid(x), accurate for every x; pos_weight multiplies the part of target. */
typedef vn_loss_opts vn_binary_cross_entropy_with_logits_opts;
VN_API vn_array *vn_binary_cross_entropy_with_logits(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), vn_array *pos_weight VN_OR(VN_NONE), const vn_binary_cross_entropy_with_logits_opts *opts VN_OR(NULL));

/* target (log(target) - log_probs), elementwise, 0 where target is 0; target may be logarithms too; the mean is that of all elements, batchmean the sum divided by the size of the first axis. */
typedef struct vn_kl_div_opts {
    size_t size VN_UNSET;
    int log_target VN_UNSET; /* target are logarithms */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none, batchmean; the first unless given */
} vn_kl_div_opts;
VN_API vn_array *vn_kl_div(vn_array *log_probs, vn_array *target, const vn_kl_div_opts *opts VN_OR(NULL));

/* exp(x) - target x, or x - target log(x + epsilon) with rate_input; full: plus Stirling's log(target!) where target is above 1. */
typedef struct vn_poisson_nll_loss_opts {
    size_t size VN_UNSET;
    int rate_input VN_UNSET; /* x is the rate itself, not its logarithm */
    int full VN_UNSET; /* with Stirling's approximation of log(target!) */
    double epsilon VN_UNSET; /* keeps the logarithm of a rate finite; 1e-8 unless given; in [0, inf) */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_poisson_nll_loss_opts;
VN_API vn_array *vn_poisson_nll_loss(vn_array *x, vn_array *target, const vn_poisson_nll_loss_opts *opts VN_OR(NULL));

/* poisson_nll_loss of x, the logarithm of the rate. */
typedef struct vn_log_poisson_loss_opts {
    size_t size VN_UNSET;
    int full VN_UNSET; /* with Stirling's approximation of log(target!) */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_log_poisson_loss_opts;
VN_API vn_array *vn_log_poisson_loss(vn_array *x, vn_array *target, const vn_log_poisson_loss_opts *opts VN_OR(NULL));

/* (log(v) + (x - target)^2 / v) / 2 with v the variance, at least epsilon; full: plus log(2 pi) / 2. */
typedef struct vn_gaussian_nll_loss_opts {
    size_t size VN_UNSET;
    int full VN_UNSET; /* with log(2 pi) / 2 */
    int reserved VN_UNSET; /* 0 */
    double epsilon VN_UNSET; /* the least variance; 1e-6 unless given; in [0, inf) */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_gaussian_nll_loss_opts;
VN_API vn_array *vn_gaussian_nll_loss(vn_array *x, vn_array *target, vn_array *variance, const vn_gaussian_nll_loss_opts *opts VN_OR(NULL));

/* 1 - x target where that is above 0, else 0; targets are -1 and 1. */
typedef vn_loss_opts vn_hinge_loss_opts;
VN_API vn_array *vn_hinge_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_hinge_loss_opts *opts VN_OR(NULL));

/* the square of hinge_loss. */
typedef vn_loss_opts vn_squared_hinge_loss_opts;
VN_API vn_array *vn_squared_hinge_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_squared_hinge_loss_opts *opts VN_OR(NULL));

/* the cosine of the angle between vectors along an axis of x and y, broadcast; lengths count as epsilon at least. */
typedef struct vn_cosine_similarity_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* the least length; VN_ZERO for 0; 1e-8 unless given; in [0, inf) */
} vn_cosine_similarity_opts;
VN_API vn_array *vn_cosine_similarity(vn_array *x, vn_array *y, int64_t axis VN_OR(-1), const vn_cosine_similarity_opts *opts VN_OR(NULL));

/* 1 - cosine_similarity(x, y) where target is above 0, else what it is above margin. */
typedef struct vn_cosine_embedding_loss_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* the least length; VN_ZERO for 0; 1e-8 unless given; in [0, inf) */
    double margin VN_UNSET; /* similarities below it cost nothing; in (-inf, inf) */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_cosine_embedding_loss_opts;
VN_API vn_array *vn_cosine_embedding_loss(vn_array *x, vn_array *y, vn_array *target, int64_t axis VN_OR(-1), const vn_cosine_embedding_loss_opts *opts VN_OR(NULL));

/* how much the norm of anchor - positive + epsilon along an axis, plus margin, is above that of anchor - negative + epsilon, or of positive - negative + epsilon if smaller (swap). */
typedef struct vn_triplet_margin_loss_opts {
    size_t size VN_UNSET;
    double margin VN_UNSET; /* how much further away negatives should be; VN_ZERO for 0; 1 unless given; in (-inf, inf) */
    double order VN_UNSET; /* of the norm; 2 unless given */
    double epsilon VN_UNSET; /* added to differences; VN_ZERO for 0; 1e-6 unless given; in [0, inf) */
    int swap VN_UNSET; /* negatives are measured from the positive where that is nearer */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_triplet_margin_loss_opts;
VN_API vn_array *vn_triplet_margin_loss(vn_array *anchor, vn_array *positive, vn_array *negative, int64_t axis VN_OR(-1), const vn_triplet_margin_loss_opts *opts VN_OR(NULL));

/* -log of the probability that paths of input_lengths (batch) steps through log_probs (steps, batch, classes) spell the targets (batch, labels), of target_lengths (batch), when repetitions and then blanks are taken out; inf, or 0 (zero_infinity), where no path does, NaN for labels that are no classes and lengths beyond the labels; each is divided by its length for the mean. */
typedef struct vn_ctc_loss_opts {
    size_t size VN_UNSET;
    int64_t blank VN_UNSET; /* the class that stands for no label */
    int zero_infinity VN_UNSET; /* 0 where no path spells the target */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_ctc_loss_opts;
VN_API vn_array *vn_ctc_loss(vn_array *log_probs, vn_array *targets, vn_array *input_lengths, vn_array *target_lengths, const vn_ctc_loss_opts *opts VN_OR(NULL));

/* ---- Metrics ----
 * Metrics, without gradients. Results are float32; NaN if there is nothing to count.
 * Classes are integers; numbers that are no class are left out.
 * Averages over classes are chosen by .average.
 *
 *     vn_array *guess = vn_from_host((int64_t[]){0, 1, 1}, VN_I64, VN_SHAPE(3)), *is = vn_from_host((int64_t[]){0, 1, 0}, VN_I64, VN_SHAPE(3));
 *     printf("%.4f\n", vn_item(vn_f1(guess, is, 2)));
 *     puts(vn_text(vn_precision(guess, is, 2, VN_OPTS(precision, .average = "none"))));
 */

/* how often the largest element along the last axis of x is the one at the index; an index of floats, in the shape of x, has a share for each class, the largest of which is meant. */
VN_API vn_array *vn_accuracy(vn_array *x, vn_array *index);

/* how often the index, as in accuracy, is among the k largest elements along the last axis of x, as topk finds them. */
VN_API vn_array *vn_top_k_accuracy(vn_array *x, vn_array *index, int64_t k);

/* how often each class (row) was taken for each (column): (classes, classes), int64, of predicted classes x; pairs with a number that is no class are left out, here and in precision, recall and f1. */
VN_API vn_array *vn_confusion_matrix(vn_array *x, vn_array *target, int64_t classes);

/* of those that x takes for a class the part that is of it, 0 of none: for each class (none), their mean (macro), with the class's share of the targets as weight (weighted), or of all classes together (micro). */
typedef struct vn_score_opts {
    size_t size VN_UNSET;
    const char *average VN_UNSET; /* over the classes: macro, micro, weighted, none; the first unless given */
} vn_score_opts;
typedef vn_score_opts vn_precision_opts;
VN_API vn_array *vn_precision(vn_array *x, vn_array *target, int64_t classes, const vn_precision_opts *opts VN_OR(NULL));

/* of those that are of a class the part that x takes for it, 0 of none; averages as in precision. */
typedef vn_score_opts vn_recall_opts;
VN_API vn_array *vn_recall(vn_array *x, vn_array *target, int64_t classes, const vn_recall_opts *opts VN_OR(NULL));

/* the harmonic mean of precision and recall, 0 where both are; averages as in precision. */
typedef vn_score_opts vn_f1_opts;
VN_API vn_array *vn_f1(vn_array *x, vn_array *target, int64_t classes, const vn_f1_opts *opts VN_OR(NULL));

/* those that x takes for a class and are of it, divided by those that either is true of; floats instead of class numbers have a last axis of classes, the largest of which is meant; averages as in precision, but macro is over the classes that occur. */
typedef vn_score_opts vn_iou_opts;
VN_API vn_array *vn_iou(vn_array *x, vn_array *target, int64_t classes, const vn_iou_opts *opts VN_OR(NULL));

/* how often a score x whose target is true (not 0) is above one whose target is false, a tie counting half: the area under the ROC curve, exactly; NaN is the largest score. */
VN_API vn_array *vn_roc_auc(vn_array *x, vn_array *target);

/* ---- Optimizer steps ----
 * Pure functions: the new parameters and state from the old. lr and step are inputs, so that changing them needs no recompilation.
 * Optimizers with state, schedules and clipping are in optimizers.h and nn.h; these are their formulas.
 * Defaults are those of the specification: epsilon 1e-7, folded into the step.
 *
 *     vn_array *w = vn_ones(VN_SHAPE(2), VN_F32), *g = vn_full(vn_scalar(.5), VN_SHAPE(2), VN_F32), *zero = vn_zeros(VN_SHAPE(2), VN_F32), *m, *v;
 *     w = vn_adam_update(w, g, vn_scalar(.1), zero, zero, vn_scalar(1), VN_OPTS(adam_update, .beta1 = .8), &m, &v);
 *     puts(vn_text(w));
 */

/* Adam's direction and new moments; epsilon folded in as sqrt(1 - beta2^t) / (1 - beta1^t + epsilon), or as in the paper. */
typedef struct vn_adam_step_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-7 unless given; in [0, inf) */
    int paper VN_UNSET; /* epsilon as in the paper, not folded into the rate */
    int reserved VN_UNSET; /* 0 */
} vn_adam_step_opts;
VN_API vn_array *vn_adam_step(vn_array *dcdw, vn_array *mw, vn_array *vw, vn_array *step, const vn_adam_step_opts *opts, vn_array **m, vn_array **v);

/* w - lr * effective_grad, without history unless gradients are kept. */
typedef struct vn_update_opts {
    size_t size VN_UNSET;
    int keep_gradients VN_UNSET; /* the results keep their history */
    int reserved VN_UNSET; /* 0 */
} vn_update_opts;
typedef vn_update_opts vn_optimizer_update_opts;
VN_API vn_array *vn_optimizer_update(vn_array *w, vn_array *effective_grad, vn_array *lr, const vn_optimizer_update_opts *opts VN_OR(NULL));

/* w - lr * dcdw, without history unless gradients are kept. */
typedef vn_update_opts vn_gradient_descent_update_opts;
VN_API vn_array *vn_gradient_descent_update(vn_array *w, vn_array *dcdw, vn_array *lr, const vn_gradient_descent_update_opts *opts VN_OR(NULL));

/* w - lr * adam_step, and the new moments. */
typedef struct vn_adam_update_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-7 unless given; in [0, inf) */
    int paper VN_UNSET; /* epsilon as in the paper, not folded into the rate */
    int keep_gradients VN_UNSET; /* the results keep their history */
} vn_adam_update_opts;
VN_API vn_array *vn_adam_update(vn_array *w, vn_array *dcdw, vn_array *lr, vn_array *mw_tm1, vn_array *vw_tm1, vn_array *step, const vn_adam_update_opts *opts, vn_array **m, vn_array **v);

/* a step scaled by |w| / |dcdw|, or by 1 / (decay_lambda |dcdw|); or as in the paper; lengths do not overflow. */
typedef struct vn_lars_update_opts {
    size_t size VN_UNSET;
    double decay_lambda VN_UNSET; /* weight decay; in [0, inf) */
    double min_denominator VN_UNSET; /* the least that lengths are divided by; 1e-12 unless given; in [0, inf) */
    int paper VN_UNSET; /* the paper's formula; the step is scaled by 1 where w or dcdw is all zeros */
    int keep_gradients VN_UNSET; /* the results keep their history */
} vn_lars_update_opts;
VN_API vn_array *vn_lars_update(vn_array *w, vn_array *dcdw, vn_array *lr, const vn_lars_update_opts *opts VN_OR(NULL));

/* w - lr * r * adam_step with the trust ratio r = |w| / |adam_step + decay_lambda w|, at most max_trust_ratio (10, or no limit in the paper's variant, unless given). */
typedef struct vn_lamb_update_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-7 unless given; in [0, inf) */
    int paper VN_UNSET; /* epsilon as in the paper, not folded into the rate */
    int reserved VN_UNSET; /* 0 */
    double max_trust_ratio VN_UNSET; /* the largest trust ratio; 10 unless given, without limit as in the paper; in (0, inf) */
    double decay_lambda VN_UNSET; /* weight decay; in [0, inf) */
    double min_denominator VN_UNSET; /* the least that lengths are divided by; 1e-12 unless given; in [0, inf) */
    int keep_gradients VN_UNSET; /* the results keep their history */
    int reserved2 VN_UNSET; /* 0 */
} vn_lamb_update_opts;
VN_API vn_array *vn_lamb_update(vn_array *w, vn_array *dcdw, vn_array *lr, vn_array *mw_tm1, vn_array *vw_tm1, vn_array *step, const vn_lamb_update_opts *opts, vn_array **m, vn_array **v);

/* ---- Gradients and engines ----
 * Where gradients begin and end, and how arrays move between engines.
 * vn_variable makes an array that gradients are taken by, vn_stop_gradient ends them.
 * Both share the values of their input; nothing is copied.
 *
 *     vn_array *x = vn_variable(vn_from((float[]){1, 2}, VN_SHAPE(2)));
 *     puts(vn_text(vn_grad(vn_sum(vn_mul(x, vn_stop_gradient(x)), VN_ALL), x)));
 */

/* the same values; no derivative flows through. */
VN_API vn_array *vn_stop_gradient(vn_array *x);

/* a differentiable leaf with the values of x and no history; integers become float32. */
VN_API vn_array *vn_variable(vn_array *x);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_zeros(...) vn_zeros(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_F32))
#define vn_ones(...) vn_ones(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_F32))
#define vn_full(...) vn_full(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_F32))
#define vn_arange(...) vn_arange(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,1, VN_F32))
#define vn_linspace(...) vn_linspace(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_eye(...) vn_eye(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,0, VN_F32))
#define vn_clip(...) vn_clip(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_NONE, VN_NONE))
#define vn_isin(...) vn_isin(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_sum(...) vn_sum(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_prod(...) vn_prod(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_max(...) vn_max(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_min(...) vn_min(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_mean(...) vn_mean(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_var(...) vn_var(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, 0))
#define vn_std(...) vn_std(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, 0))
#define vn_any(...) vn_any(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_all(...) vn_all(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_count_nonzero(...) vn_count_nonzero(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_logsumexp(...) vn_logsumexp(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_cumulative_sum(...) vn_cumulative_sum(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_cumulative_prod(...) vn_cumulative_prod(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_diff(...) vn_diff(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,VN_NONE, VN_NONE, -1, 1))
#define vn_argmax(...) vn_argmax(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_argmin(...) vn_argmin(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_norm(...) vn_norm(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, 2))
#define vn_roll(...) vn_roll(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_ALL))
#define vn_pad(...) vn_pad(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_repeat_counts_sized(...) vn_repeat_counts_sized(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,0))
#define vn_slice_step(...) vn_slice_step(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_DEFAULT))
#define vn_slice_step_set(...) vn_slice_step_set(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,,,VN_DEFAULT, NULL))
#define vn_tril(...) vn_tril(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_triu(...) vn_triu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_diag(...) vn_diag(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_diagonal(...) vn_diagonal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_rearrange(...) vn_rearrange(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_einops_reduce(...) vn_einops_reduce(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_einops_repeat(...) vn_einops_repeat(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_take_along_axis(...) vn_take_along_axis(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,-1))
#define vn_put_along_axis(...) vn_put_along_axis(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,-1, NULL))
#define vn_gather_nd(...) vn_gather_nd(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_ALL))
#define vn_scatter_nd(...) vn_scatter_nd(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_one_hot(...) vn_one_hot(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_F32))
#define vn_bincount(...) vn_bincount(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_sort(...) vn_sort(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_argsort(...) vn_argsort(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_searchsorted(...) vn_searchsorted(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_nonzero_sized(...) vn_nonzero_sized(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,-1))
#define vn_mask_sized(...) vn_mask_sized(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,0))
#define vn_vecdot(...) vn_vecdot(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,-1))
#define vn_cross(...) vn_cross(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,-1))
#define vn_trace(...) vn_trace(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_cholesky(...) vn_cholesky(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_solve_triangular(...) vn_solve_triangular(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_pinv(...) vn_pinv(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_NONE))
#define vn_matrix_rank(...) vn_matrix_rank(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_NONE))
#define vn_matrix_norm(...) vn_matrix_norm(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_fft(...) vn_fft(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_ifft(...) vn_ifft(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_fftn(...) vn_fftn(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_ifftn(...) vn_ifftn(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_rfft(...) vn_rfft(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_irfft(...) vn_irfft(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_rfftn(...) vn_rfftn(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_irfftn(...) vn_irfftn(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_hfft(...) vn_hfft(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_ihfft(...) vn_ihfft(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_fftfreq(...) vn_fftfreq(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,1, VN_F32))
#define vn_rfftfreq(...) vn_rfftfreq(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,1, VN_F32))
#define vn_fftshift(...) vn_fftshift(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_ifftshift(...) vn_ifftshift(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_ALL))
#define vn_uniform(...) vn_uniform(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_F32))
#define vn_normal(...) vn_normal(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_F32))
#define vn_truncated_normal(...) vn_truncated_normal(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_F32))
#define vn_exponential(...) vn_exponential(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_F32))
#define vn_gumbel(...) vn_gumbel(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_F32))
#define vn_laplace(...) vn_laplace(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_F32))
#define vn_gamma(...) vn_gamma(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_F32))
#define vn_beta(...) vn_beta(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_F32))
#define vn_dirichlet(...) vn_dirichlet(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_F32))
#define vn_multivariate_normal(...) vn_multivariate_normal(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_F32))
#define vn_bernoulli(...) vn_bernoulli(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_BOOL))
#define vn_poisson(...) vn_poisson(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_I64))
#define vn_binomial(...) vn_binomial(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_I64))
#define vn_randint(...) vn_randint(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,VN_I64))
#define vn_random_bits(...) vn_random_bits(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_U32, NULL))
#define vn_multinomial(...) vn_multinomial(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_categorical(...) vn_categorical(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_shuffle(...) vn_shuffle(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,0, NULL))
#define vn_leaky_relu(...) vn_leaky_relu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0.01))
#define vn_elu(...) vn_elu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_celu(...) vn_celu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_gelu(...) vn_gelu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_softplus(...) vn_softplus(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_hardtanh(...) vn_hardtanh(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, 1))
#define vn_softshrink(...) vn_softshrink(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0.5))
#define vn_hardshrink(...) vn_hardshrink(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0.5))
#define vn_threshold(...) vn_threshold(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_glu(...) vn_glu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,-1))
#define vn_squareplus(...) vn_squareplus(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,4))
#define vn_sparsemax(...) vn_sparsemax(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,-1))
#define vn_quiet_softmax(...) vn_quiet_softmax(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,-1))
#define vn_layer_norm(...) vn_layer_norm(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,1e-5))
#define vn_rms_norm(...) vn_rms_norm(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,1e-5))
#define vn_l2_normalize(...) vn_l2_normalize(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,1e-12))
#define vn_group_norm(...) vn_group_norm(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,,,-1, 1e-5))
#define vn_batch_norm(...) vn_batch_norm(__VA_ARGS__ VN__REST7(__VA_ARGS__)(,VN_NONE, VN_NONE, -1, 1e-5))
#define vn_conv(...) vn_conv(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_conv1d(...) vn_conv1d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv2d(...) vn_conv2d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv3d(...) vn_conv3d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv_general_dilated(...) vn_conv_general_dilated(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_depthwise_conv2d(...) vn_depthwise_conv2d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_separable_conv1d(...) vn_separable_conv1d(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_separable_conv2d(...) vn_separable_conv2d(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv1d_transpose(...) vn_conv1d_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv2d_transpose(...) vn_conv2d_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv3d_transpose(...) vn_conv3d_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_conv_general_transpose(...) vn_conv_general_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_max_pool(...) vn_max_pool(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_sum_pool(...) vn_sum_pool(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_avg_pool(...) vn_avg_pool(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_max_pool1d(...) vn_max_pool1d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_max_pool2d(...) vn_max_pool2d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_max_pool3d(...) vn_max_pool3d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_reduce_window(...) vn_reduce_window(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_avg_pool1d(...) vn_avg_pool1d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_avg_pool2d(...) vn_avg_pool2d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_avg_pool3d(...) vn_avg_pool3d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_adaptive_avg_pool(...) vn_adaptive_avg_pool(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_adaptive_max_pool(...) vn_adaptive_max_pool(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_max_unpool(...) vn_max_unpool(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_global_avg_pool(...) vn_global_avg_pool(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_global_max_pool(...) vn_global_max_pool(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_interpolate(...) vn_interpolate(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_scale_and_translate(...) vn_scale_and_translate(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_attention(...) vn_attention(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_scaled_dot_product_attention(...) vn_scaled_dot_product_attention(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_rotary_embedding(...) vn_rotary_embedding(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_additive_attention(...) vn_additive_attention(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_NONE, VN_NONE))
#define vn_linear(...) vn_linear(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_NONE))
#define vn_dropout(...) vn_dropout(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,VN_NONE, 0.5, NULL))
#define vn_embedding(...) vn_embedding(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_mse_loss(...) vn_mse_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_mae_loss(...) vn_mae_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_huber_loss(...) vn_huber_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 1, NULL))
#define vn_smooth_l1_loss(...) vn_smooth_l1_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 1, NULL))
#define vn_cross_entropy(...) vn_cross_entropy(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, -1, NULL))
#define vn_nll_loss(...) vn_nll_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, -1, NULL))
#define vn_binary_cross_entropy(...) vn_binary_cross_entropy(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_binary_cross_entropy_with_logits(...) vn_binary_cross_entropy_with_logits(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, VN_NONE, NULL))
#define vn_kl_div(...) vn_kl_div(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_poisson_nll_loss(...) vn_poisson_nll_loss(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_log_poisson_loss(...) vn_log_poisson_loss(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_gaussian_nll_loss(...) vn_gaussian_nll_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_hinge_loss(...) vn_hinge_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_squared_hinge_loss(...) vn_squared_hinge_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_cosine_similarity(...) vn_cosine_similarity(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,-1, NULL))
#define vn_cosine_embedding_loss(...) vn_cosine_embedding_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,-1, NULL))
#define vn_triplet_margin_loss(...) vn_triplet_margin_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,-1, NULL))
#define vn_ctc_loss(...) vn_ctc_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,NULL))
#define vn_precision(...) vn_precision(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_recall(...) vn_recall(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_f1(...) vn_f1(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_iou(...) vn_iou(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_optimizer_update(...) vn_optimizer_update(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_gradient_descent_update(...) vn_gradient_descent_update(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_lars_update(...) vn_lars_update(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#endif

/* Families of their own: */
#include <vinea/special.h>
#include <vinea/matrices.h>
#include <vinea/signal.h>
#include <vinea/image.h>
#include <vinea/positions.h>
#include <vinea/objectives.h>
#include <vinea/metrics.h>
#include <vinea/statistics.h>
#include <vinea/views.h>
#include <vinea/numbers.h>
#include <vinea/places.h>
#include <vinea/tensors.h>
#include <vinea/projections.h>
#include <vinea/sparse.h>
#include <vinea/features.h>
#endif
