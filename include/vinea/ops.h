/* ops.h: the ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. */
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

/* -x, elementwise; integers wrap around. */
VN_API vn_array *vn_neg(vn_array *x);

/* e to the x, elementwise. */
VN_API vn_array *vn_exp(vn_array *x);

/* hyperbolic tangent, elementwise. */
VN_API vn_array *vn_tanh(vn_array *x);

/* x * x, elementwise. */
VN_API vn_array *vn_square(vn_array *x);

/* matrix product over the last two axes, batch axes broadcast; vectors as in the Array API standard. */
VN_API vn_array *vn_matmul(vn_array *x, vn_array *y);

/* sum over axes; small integers sum to int64 or uint64, halves accumulate in float32. */
VN_API vn_array *vn_sum(vn_array *x, vn_axes axes);

/* arithmetic mean over axes. */
VN_API vn_array *vn_mean(vn_array *x, vn_axes axes);

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
