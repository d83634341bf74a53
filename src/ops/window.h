/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: shared by convolution and pooling: a window that slides over the spatial axes of x, between the batch axis and the channel
 * axis. Rules for its options and the resulting sizes. */
#ifndef VN_WINDOW_H
#define VN_WINDOW_H

#include "ops/row.h"

enum { VN__SPATIAL = 3 }; /* the most spatial axes */

/* The rank of input k is a batch axis, 1 to 3 spatial axes and a channel axis. */
int vn__window_rank(vn__infer *i, int k);
/* Option `option`: `n` numbers from `least` on. One number serves all; an empty list becomes n times `fallback`, or the list `like` if
 * there is one. */
int vn__window_list(vn__infer *i, int option, int n, int64_t least, int64_t fallback, const int64_t *like);
/* out = floor((size + low + high - ((window-1) dilation + 1)) / stride) + 1, and 0 if that is negative, for each of `n` axes. */
int vn__window_sizes(vn__infer *i, int n, const int64_t *size, const int64_t *window, const int64_t *strides, const int64_t *padding,
                     const int64_t *dilation, int64_t *out);
/* Input k must have these spatial sizes; `what` says where they come from. */
int vn__window_matches(vn__infer *i, int k, const int64_t *sizes, const char *what);

static inline vn_shape vn__option_list(const vn_option *o)
{
    return vn__shape(o->u.is, (size_t)o->n);
}
/* A list as a field of an options struct has it, at most three numbers. */
#define VN__SIZES(list)                                                                                               \
    {                                                                                                                 \
        (list).rank > 0 ? (list).dim[0] : 0, (list).rank > 1 ? (list).dim[1] : 0, (list).rank > 2 ? (list).dim[2] : 0 \
    }
static inline vn_shape vn__infer_list(const vn__infer *i, int option)
{
    return vn__shape(i->options->v[option].is, (size_t)i->options->v[option].n);
}
/* The spatial sizes of an array [N, spatial..., C]; of a filter [kernel..., C, O]. */
static inline vn_shape vn__spatial_of(const vn_array *x)
{
    vn_shape s = vn_shape_of(x);
    return vn__shape(s.dim + 1, (size_t)s.rank - 2);
}
static inline vn_shape vn__kernel_of(const vn_array *w)
{
    vn_shape s = vn_shape_of(w);
    return vn__shape(s.dim, (size_t)s.rank - 2);
}

#endif
