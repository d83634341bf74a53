/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.h: max pooling in two ways: by comparing elements (pooling.c), which is always right, and by TensorFlow's kernels
 * (maxpool.c), where they apply. */
#ifndef TENSORFLOW_POOL_H
#define TENSORFLOW_POOL_H

#include "window.h"

/* Is there a kernel? The maxima of input 0, x; and the gradient for inputs x, y, index, ct. */
int maxpool_fits(const window *w, int32_t dtype);
TF_Output maxpool(builder *b, const window *w, const vn_desc *x);
TF_Output maxpool_backward(builder *b, const window *w, const vn_desc *x);

/* By comparing, for any array `from` with x's dtype and dims, where x->dims[0] may be -1 for an unknown number. The maxima; the positions
 * of the first of them along the spatial axes, -1 for padding only; and ct scattered to such positions. The results are not reshaped.
 * *dtype: the result's; positions are int32 or int64 */
TF_Output pool_compared(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *dtype);
TF_Output pool_places(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *dtype);
TF_Output pool_scattered(builder *b, const window *w, const vn_desc *x, TF_Output from, TF_Output index, int32_t places, int32_t of_ct,
                         TF_Output ct, int32_t *dtype);

#endif
