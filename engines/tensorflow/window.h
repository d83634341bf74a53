/* window.h: a window that walks over the spatial axes of an array [N, in..., C]: what convolution (conv.c) and pooling (pool.c) share. */
#ifndef TENSORFLOW_WINDOW_H
#define TENSORFLOW_WINDOW_H

#include "kernels.h"

enum { SPATIAL = 3 }; /* the most spatial axes */

typedef struct window {
    int n; /* spatial axes */
    int64_t in[SPATIAL], out[SPATIAL], size[SPATIAL], stride[SPATIAL], low[SPATIAL], high[SPATIAL], dilation[SPATIAL];
} window;

/* The window of a given size between x [N, in..., C] and y [N, out..., O]; options: strides, padding, dilation INTS. */
window window_between(const vn_desc *x, const vn_desc *y, const int64_t *size, const vn_option *options);

/* Whether the padding is what TensorFlow calls SAME: as little as gives in / stride results, rounded up, the odd element at the end. The
 * kernels of oneDNN know that one, and not every explicit padding. */
int window_is_same(const window *w);

/* x with n dims and `low` and `high` elements of `value`, which has no dims, around it. x itself where these are 0. */
TF_Output window_pad(builder *b, TF_Output x, int n, const int64_t *low, const int64_t *high, TF_Output value);

/* Every stride-th of so many elements from `start` on, along each of n axes of x; a negative count: all there are from there on. */
TF_Output window_pick(builder *b, TF_Output x, int n, const int64_t *start, const int64_t *count, const int64_t *stride);

#endif
