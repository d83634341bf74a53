/* rules.h: the functions that rows of ops.def name. */
#ifndef VN_RULES_H
#define VN_RULES_H

#include "core/internal.h"

typedef int vn__rule(vn__infer *i);
vn__rule dtype_same, dtype_promote, dtype_sum, dtype_option, dtype_start, dtype_random, dtype_bool, dtype_compare, dtype_logical,
    dtype_where;
vn__rule shape_same, shape_broadcast, shape_matmul, shape_reduce, shape_reshape, shape_broadcast_to, shape_permute_dims, shape_slice,
    shape_slice_set, shape_random, shape_extreme, shape_axis, shape_where, shape_clip, shape_flip, shape_expand_dims, shape_squeeze;

#endif
