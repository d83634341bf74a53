/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h: helpers for layers. A layer is a struct of sizes and options, a forward function, variables if it has any, a class that
 * names them, and a constructor that checks its arguments. It uses public functions, as a user's own layer would. */
#ifndef VN_NN_LAYERS_H
#define VN_NN_LAYERS_H

#include "base/nearest.h"
#include "nn/nn.h"
#include "nn/objects.h"
#include <string.h>
#include <vinea/module.h>

/* Whether a data format, in any case, has the channels before the spatial axes: channel_first, NCHW ... */
static inline bool vn__channels_first(const char *format)
{
    return vn__same_word(format, "channel_first") || ((*format == 'N' || *format == 'n') && (format[1] == 'C' || format[1] == 'c'));
}

/* The channel axis of an array. */
static inline int vn__channels_axis(int first)
{
    return first ? 1 : -1;
}

/* ---- argument checks (layers_check.c): false with the error set on failure ---- */

/* x has `least` to `most` axes, as many as a data format such as NHWC names, and this number of channels. */
bool vn__layer_input(const vn_array *x, int least, int most, const char *format, int64_t channels);
/* args holds only arrays with these names (NULL-terminated), including the first. Stores them in `found`, NULL for missing ones. */
bool vn__layer_args(const vn_tree *args, const char *const *names, vn_array **found);

/* For constructors of layers with n spatial axes. */
bool vn__layer_sizes(const char *who, const char *name, vn_shape *sizes, int n);             /* n sizes, or one, which is repeated */
bool vn__layer_list(const char *who, const char *name, const int64_t list[static 3], int n); /* none, one or n numbers above 0 */
bool vn__layer_pads(const char *who, vn_shape pads, int n);                                  /* none, one number or n pairs, none below 0 */

#endif
