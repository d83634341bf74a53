/* ops.h: the ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. */
/* clang-format off */
#ifndef VINEA_OPS_H
#define VINEA_OPS_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x + y, broadcast. */
VN_API vn_array *vn_add(vn_array *x, vn_array *y);

/* x - y, broadcast. */
VN_API vn_array *vn_sub(vn_array *x, vn_array *y);

/* x * y, broadcast. */
VN_API vn_array *vn_mul(vn_array *x, vn_array *y);

/* x / y, broadcast. */
VN_API vn_array *vn_div(vn_array *x, vn_array *y);

/* floor(x / y), broadcast; an integer divided by 0 gives 0. */
VN_API vn_array *vn_floor_divide(vn_array *x, vn_array *y);

/* x - y * floor(x / y), which has the sign of y; an integer by 0 gives 0. */
VN_API vn_array *vn_remainder(vn_array *x, vn_array *y);

/* x to the y, broadcast. */
VN_API vn_array *vn_pow(vn_array *x, vn_array *y);

/* the larger of x and y, broadcast; NaN wins; ties share the gradient. */
VN_API vn_array *vn_maximum(vn_array *x, vn_array *y);

/* the smaller of x and y, broadcast; NaN wins; ties share the gradient. */
VN_API vn_array *vn_minimum(vn_array *x, vn_array *y);

/* the angle whose tangent is x / y, in the quadrant of the point (y, x). */
VN_API vn_array *vn_atan2(vn_array *x, vn_array *y);

/* -x, elementwise; integers wrap around. */
VN_API vn_array *vn_neg(vn_array *x);

/* the absolute value; its derivative at 0 is 0. */
VN_API vn_array *vn_abs(vn_array *x);

/* -1, 0 or 1; NaN for NaN. */
VN_API vn_array *vn_sign(vn_array *x);

/* x * x, elementwise. */
VN_API vn_array *vn_square(vn_array *x);

/* the square root; NaN below 0. */
VN_API vn_array *vn_sqrt(vn_array *x);

/* rounded down to an integer. */
VN_API vn_array *vn_floor(vn_array *x);

/* rounded up to an integer. */
VN_API vn_array *vn_ceil(vn_array *x);

/* rounded to an integer toward zero. */
VN_API vn_array *vn_trunc(vn_array *x);

/* rounded to the nearest integer, ties to even. */
VN_API vn_array *vn_round(vn_array *x);

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

/* the error function. */
VN_API vn_array *vn_erf(vn_array *x);

/* 1 / (1 + exp(-x)). */
VN_API vn_array *vn_sigmoid(vn_array *x);

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

/* matrix product over the last two axes, batch axes broadcast; vectors as in the Array API standard. */
VN_API vn_array *vn_matmul(vn_array *x, vn_array *y);

/* sum over axes; small integers sum to int64 or uint64, halves accumulate in float32. */
VN_API vn_array *vn_sum(vn_array *x, vn_axes axes);

/* largest element over axes; NaN wins; ties share the gradient. */
VN_API vn_array *vn_max(vn_array *x, vn_axes axes);

/* smallest element over axes; NaN wins; ties share the gradient. */
VN_API vn_array *vn_min(vn_array *x, vn_axes axes);

/* product over axes; small integers multiply to int64 or uint64. */
VN_API vn_array *vn_prod(vn_array *x, vn_axes axes);

/* true where any element over axes is not zero. */
VN_API vn_array *vn_any(vn_array *x, vn_axes axes);

/* true where all elements over axes are not zero. */
VN_API vn_array *vn_all(vn_array *x, vn_axes axes);

/* running sum along an axis, from its start, or from its end when reverse. */
VN_API vn_array *vn_cumulative_sum(vn_array *x, int64_t axis, int reverse);

/* arithmetic mean over axes. */
VN_API vn_array *vn_mean(vn_array *x, vn_axes axes);

/* variance over axes: squared distances from the mean, divided by their number less the correction. */
VN_API vn_array *vn_var(vn_array *x, vn_axes axes, double correction);

/* standard deviation over axes, the root of var. */
VN_API vn_array *vn_std(vn_array *x, vn_axes axes, double correction);

/* logarithm of the sum of exponentials over axes, without overflow. */
VN_API vn_array *vn_logsumexp(vn_array *x, vn_axes axes);

/* exp(x) / sum(exp(x)) along an axis, without overflow. */
VN_API vn_array *vn_softmax(vn_array *x, int64_t axis);

/* logarithm of softmax along an axis, accurate. */
VN_API vn_array *vn_log_softmax(vn_array *x, int64_t axis);

/* x where the condition holds, y elsewhere; all three broadcast. */
VN_API vn_array *vn_where(vn_array *condition, vn_array *x, vn_array *y);

/* x kept between min and max, broadcast; at a bound the gradient is shared. */
VN_API vn_array *vn_clip(vn_array *x, vn_array *min, vn_array *max);

/* 1 / x. */
VN_API vn_array *vn_reciprocal(vn_array *x);

/* log(1 + exp(x)), without overflow. */
VN_API vn_array *vn_softplus(vn_array *x);

/* log(exp(x) + exp(y)), without overflow, broadcast. */
VN_API vn_array *vn_logaddexp(vn_array *x, vn_array *y);

/* sqrt(x^2 + y^2), without overflow, broadcast. */
VN_API vn_array *vn_hypot(vn_array *x, vn_array *y);

/* true where x is zero. */
VN_API vn_array *vn_logical_not(vn_array *x);

/* true where x and y are not zero, broadcast. */
VN_API vn_array *vn_logical_and(vn_array *x, vn_array *y);

/* true where x or y is not zero, broadcast. */
VN_API vn_array *vn_logical_or(vn_array *x, vn_array *y);

/* true where one of x and y is not zero, broadcast. */
VN_API vn_array *vn_logical_xor(vn_array *x, vn_array *y);

/* the elements of these axes in reverse order. */
VN_API vn_array *vn_flip(vn_array *x, vn_axes axes);

/* x with an axis of size 1 more, at axis. */
VN_API vn_array *vn_expand_dims(vn_array *x, int64_t axis);

/* x without these axes of size 1. */
VN_API vn_array *vn_squeeze(vn_array *x, vn_axes axes);

/* same elements in row-major order, another shape; one size may be -1. */
VN_API vn_array *vn_reshape(vn_array *x, vn_shape shape);

/* x repeated to a larger shape by the broadcasting rule. */
VN_API vn_array *vn_broadcast_to(vn_array *x, vn_shape shape);

/* axes in another order: axis i of the result is axis axes[i] of x. */
VN_API vn_array *vn_permute_dims(vn_array *x, vn_axes axes);

/* the block of the given size that begins at start (int64, one number per axis; an input, so a new start is no new program). */
VN_API vn_array *vn_slice(vn_array *x, vn_array *start, vn_shape size);

/* x with the block that begins at start replaced by y. */
VN_API vn_array *vn_slice_set(vn_array *x, vn_array *y, vn_array *start);

/* x as another dtype; floats to integers truncate toward zero. */
VN_API vn_array *vn_cast(vn_array *x, vn_dtype dtype);

/* up to 8 arrays one after another along an axis, dtypes promoted; concat takes any number. */
VN_API vn_array *vn_join(vn_array *x, vn_array *a, vn_array *b, vn_array *c, vn_array *d, vn_array *e, vn_array *f, vn_array *g, int64_t axis);

/* arrays one after another along an axis, dtypes promoted; all other sizes are equal. */
VN_API vn_array *vn_concat(int n, vn_array *const *xs, int64_t axis);

/* arrays of one shape next to each other along a new axis, dtypes promoted. */
VN_API vn_array *vn_stack(int n, vn_array *const *xs, int64_t axis);

/* x with so many elements more before and after each axis; mode constant (value; negative amounts cut), edge, reflect, symmetric or wrap. */
VN_API vn_array *vn_pad(vn_array *x, vn_shape before, vn_shape after, const char *mode, double value);

/* elements moved by shift along axes, those that leave at one end enter at the other; one shift serves all axes; VN_ALL: the flattened x. */
VN_API vn_array *vn_roll(vn_array *x, vn_shape shift, vn_axes axes);

/* x as a whole repeated so many times along each axis; the shorter of shape and list has ones before it. */
VN_API vn_array *vn_tile(vn_array *x, vn_shape repetitions);

/* each element along an axis repeated so many times. */
VN_API vn_array *vn_repeat(vn_array *x, int64_t repeats, int64_t axis);

/* axes source at the places destination, the others in their order. */
VN_API vn_array *vn_moveaxis(vn_array *x, vn_axes source, vn_axes destination);

/* x with two axes exchanged. */
VN_API vn_array *vn_swapaxes(vn_array *x, int64_t axis1, int64_t axis2);

/* x with its last two axes exchanged. */
VN_API vn_array *vn_matrix_transpose(vn_array *x);

/* all elements of x in one axis, in row-major order. */
VN_API vn_array *vn_flatten(vn_array *x);

/* every step-th element of each axis, from the first on. */
VN_API vn_array *vn_stride(vn_array *x, vn_shape steps);

/* step - 1 zeros between the elements of each axis; an empty axis stays empty. */
VN_API vn_array *vn_dilate(vn_array *x, vn_shape steps);

/* x[start:stop:step] of every axis as Python has it: negative numbers count from the end, what is out of range is cut; steps are 1 if not given. */
VN_API vn_array *vn_slice_step(vn_array *x, vn_shape start, vn_shape stop, vn_shape step);

/* differences of neighbours along an axis, n times over; integers wrap around. */
VN_API vn_array *vn_diff(vn_array *x, int64_t axis, int64_t n);

/* the last two axes as matrices, zero above diagonal k. */
VN_API vn_array *vn_tril(vn_array *x, int64_t k);

/* the last two axes as matrices, zero below diagonal k. */
VN_API vn_array *vn_triu(vn_array *x, int64_t k);

/* the square matrix with a vector on diagonal k and zeros elsewhere. */
VN_API vn_array *vn_diag(vn_array *x, int64_t k);

/* diagonal number offset of the last two axes, as the last axis. */
VN_API vn_array *vn_diagonal(vn_array *x, int64_t offset);

/* the sum of diagonal number offset of the last two axes; small integers sum to int64 or uint64. */
VN_API vn_array *vn_trace(vn_array *x, int64_t offset);

/* all products of an element of the vector x and one of the vector y. */
VN_API vn_array *vn_outer(vn_array *x, vn_array *y);

/* sum of products along an axis, other axes broadcast; where ranks differ the axis counts from the end. */
VN_API vn_array *vn_vecdot(vn_array *x, vn_array *y, int64_t axis);

/* sum of products over x_axes of x and y_axes of y, pair by pair; the other axes of x, then those of y remain. */
VN_API vn_array *vn_tensordot(vn_array *x, vn_array *y, vn_axes x_axes, vn_axes y_axes);

/* the Kronecker product: y times each element of x, axis by axis; the lower rank has ones before it. */
VN_API vn_array *vn_kron(vn_array *x, vn_array *y);

/* running product along an axis, from its start, or from its end when reverse. */
VN_API vn_array *vn_cumulative_prod(vn_array *x, int64_t axis, int reverse);

/* sums of products by an equation of index letters, such as ij,jk->ik; letters may repeat, ... stands for axes that broadcast. */
VN_API vn_array *vn_einsum(int n, vn_array *const *xs, const char *equation);

/* axes split, permuted and merged by a pattern such as 'b (h w) c -> b c h w', with the sizes it leaves open: 'h=2 w=3'. */
VN_API vn_array *vn_rearrange(vn_array *x, const char *pattern, const char *sizes);

/* rearrange where axes missing on the right are reduced: sum, mean, max, min or prod. */
VN_API vn_array *vn_einops_reduce(vn_array *x, const char *pattern, const char *reduction, const char *sizes);

/* rearrange where axes new on the right repeat x: 'h w -> h w c' with 'c=3', or 'h w -> h w 3'. */
VN_API vn_array *vn_einops_repeat(vn_array *x, const char *pattern, const char *sizes);

/* uniform random numbers in [low, high) from a key, equal bits on every engine. */
VN_API vn_array *vn_uniform(vn_array *key, vn_array *low, vn_array *high, vn_shape shape, vn_dtype dtype);

/* normal random numbers from a key, equal bits on every engine. */
VN_API vn_array *vn_normal(vn_array *key, vn_array *mean, vn_array *std, vn_shape shape, vn_dtype dtype);

/* the same values; no derivative flows through. */
VN_API vn_array *vn_stop_gradient(vn_array *x);

/* a differentiable leaf with the values of x and no history; integers become float32. */
VN_API vn_array *vn_variable(vn_array *x);

#ifdef __cplusplus
}
#endif
#endif
