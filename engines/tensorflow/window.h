/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: a window that slides over the spatial axes of an array [N, in..., C]: shared by convolution (conv.c) and pooling (pooling.c).
 */
#ifndef TENSORFLOW_WINDOW_H
#define TENSORFLOW_WINDOW_H

#include "kernels.h"

enum { SPATIAL = 3 }; /* the most spatial axes */

typedef struct window {
    int n; /* spatial axes */
    int64_t in[SPATIAL], out[SPATIAL], size[SPATIAL], stride[SPATIAL], low[SPATIAL], high[SPATIAL], dilation[SPATIAL];
} window;

/* The options of convolution and pooling, in the order of their rows. */
enum { STRIDES, PADS, DILATIONS, GROUPS, WINDOW = GROUPS };

/* The window of a given size between x [N, in..., C] and y [N, out..., O]. */
window window_between(const vn_desc *x, const vn_desc *y, const int64_t *size, const vn_option *options);

/* Is the padding TensorFlow's SAME: the least that gives in / stride results, rounded up, with the odd element at the end? oneDNN's
 * kernels support it, but not every explicit padding. */
int window_is_same(const window *w);

/* x, of n dims, padded with `low` and `high` elements of the 0-d `value`. x itself if these are 0. */
TF_Output window_pad(builder *b, TF_Output x, int n, const int64_t *low, const int64_t *high, TF_Output value);

/* Strided slices of `count` elements from `start` on, along each of n axes of x; a negative count: to the end. */
TF_Output window_pick(builder *b, TF_Output x, int n, const int64_t *start, const int64_t *count, const int64_t *stride);

#endif
