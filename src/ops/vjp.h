/* vjp.h: the gradients that rows of ops.def name. */
#ifndef VN_VJP_H
#define VN_VJP_H

#include "core/internal.h"

typedef vn_array *vn__vjp(const vn__vjp_args *a, int k);
#define UNARY(name, dtypes, gradient, doc) vn__vjp vjp_##name;
#define BINARY(name, dtypes, gx, gy, doc) vn__vjp vjp_##name;
#define TEST(...)
#define COMPARE(...)
#define OP(...)
#include "ops/ops.def"
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE
#undef OP
vn__vjp vjp_matmul, vjp_sum, vjp_reshape, vjp_broadcast_to, vjp_permute_dims, vjp_slice, vjp_slice_set, vjp_cast, vjp_uniform, vjp_normal,
    vjp_to, vjp_extreme, vjp_cumulative_sum, vjp_where, vjp_flip, vjp_custom;

#endif
