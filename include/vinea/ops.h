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

/* x * x, elementwise. */
VN_API vn_array *vn_square(vn_array *x);

/* the square root; NaN below 0. */
VN_API vn_array *vn_sqrt(vn_array *x);

/* the absolute value, of a complex number a real one; its derivative at 0 is 0. */
VN_API vn_array *vn_abs(vn_array *x);

/* -1, 0 or 1, of a complex number x / |x|; NaN for NaN. */
VN_API vn_array *vn_sign(vn_array *x);

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

/* x as another dtype; floats to integers truncate toward zero; of a complex number only its parts are real (real, imag). */
VN_API vn_array *vn_cast(vn_array *x, vn_dtype dtype);

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
