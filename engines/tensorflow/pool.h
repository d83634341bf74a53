/* pool.h: max pooling in two ways: by comparing elements (pool.c), which does everything as it should be, and by TensorFlow's kernels
 * (maxpool.c), where they fit. */
#ifndef TENSORFLOW_POOL_H
#define TENSORFLOW_POOL_H

#include "window.h"

/* Whether there is a kernel; the maxima of input 0; and, with input 1, what of it falls to each element of input 0. x: input 0 */
int maxpool_fits(const window *w, int32_t dtype);
TF_Output maxpool(builder *b, const window *w, const vn_desc *x);
TF_Output maxpool_back(builder *b, const window *w, const vn_desc *x);

/* The same of any array of x's dtype and dims, without those dims. x->dims[0] may be -1: as many as there are. *dtype: the result's */
TF_Output pool_compared(builder *b, const window *w, const vn_desc *x, TF_Output from);
TF_Output pool_scattered(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t of_ct, TF_Output ct, int32_t *dtype);

#endif
