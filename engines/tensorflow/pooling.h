/* pooling.h: max pooling in two ways: by comparing elements (pool.c), which does everything as it should be, and by TensorFlow's kernels
 * (maxpool.c), where they fit. */
#ifndef TENSORFLOW_POOL_H
#define TENSORFLOW_POOL_H

#include "window.h"

/* Whether there is a kernel; the maxima of input 0, x; and the gradient of that for inputs x, y, index, ct. */
int maxpool_fits(const window *w, int32_t dtype);
TF_Output maxpool(builder *b, const window *w, const vn_desc *x);
TF_Output maxpool_backward(builder *b, const window *w, const vn_desc *x);

/* By comparing, without the results' dims, of any array `from` with x's dtype and dims, of which x->dims[0] may be -1: as many as there
 * are. The maxima; the places of the first of them along the spatial axes, -1 for padding alone; and ct added at such places. *dtype: the
 * result's; of places int32 or int64 */
TF_Output pool_compared(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *dtype);
TF_Output pool_places(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *dtype);
TF_Output pool_scattered(builder *b, const window *w, const vn_desc *x, TF_Output from, TF_Output index, int32_t places, int32_t of_ct,
                         TF_Output ct, int32_t *dtype);

#endif
