/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h: options of layers with spatial axes: the data format of x, named padding, one number for all axes.
 * Rules expand them to the full lists that the underlying ops take; compositions transpose x to channels-last and back. */
#ifndef VN_LAYOUT_H
#define VN_LAYOUT_H

#include "ops/window.h"

/* Input k, if present, has exactly this shape; `of` says what requires it. */
int vn__layer_shape(vn__infer *i, int k, int rank, const int64_t *dims, const char *of);
/* x has *n spatial axes, or 1 to 3 if *n is 0; sets *n. */
int vn__layout_rank(vn__infer *i, int *n);
/* Checks the option that names a data format: channel_last or channel_first, or in letters, such as NHWC and NCHW. */
int vn__layout_format(vn__infer *i, int option, int n);
bool vn__layout_first(const vn__infer *i, int option); /* after the check: are the channels before the spatial axes? */
static inline int vn__layout_spatial(bool first)
{
    return first ? 2 : 1;
}
static inline int vn__layout_channels(bool first, int n)
{
    return first ? 1 : n + 1;
}
/* Pads (an option: pairs, or one number for all) if given, else what padding (an option before it: SAME or VALID) says, as pairs. */
int vn__layout_pads(vn__infer *i, int padding, int pads, int n, const int64_t *size, const int64_t *reach, const int64_t *strides);
bool vn__layout_is_same(const vn__infer *i, int padding); /* SAME, or else VALID */
/* SAME: (low, high) so that the window, of this reach ((window-1) dilation + 1), has ceil(size / stride) places. */
void vn__layout_same(int64_t size, int64_t reach, int64_t stride, int64_t pair[2]);
/* The window fits along each axis. */
int vn__layout_not_empty(vn__infer *i, int n, const int64_t *out, const int64_t *reach);

vn_array *vn__layout_last(vn_array *x, bool first); /* [N, C, spatial...] to [N, spatial..., C] */
vn_array *vn__layout_back(vn_array *y, bool first);

#endif
