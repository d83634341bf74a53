/* SPDX-License-Identifier: Apache-2.0 */
/* sparsemax.c: activations with exact zeros, and others of their kind: sparsemax, squareplus, sparse_plus, quiet_softmax. */
#include "ops/row.h"

/* The product and the sum are b / 4, so left of 0, where the sum cancels, it is the quotient. */
vn_array *compose_squareplus(vn_array *const *in, const vn__infer *i)
{
    const double b = vn__real(i, OPT_SQUAREPLUS_B);
    vn_array *x = vn__widen(in[0]), *root = b > 0 ? vn_hypot(x, vn_scalar(__builtin_sqrt(b))) : vn_abs(x), *left = vn_less(x, vn_scalar(0));
    vn_array *far = vn_sub(root, vn_where(left, x, vn_scalar(-1)));
    vn_array *z = vn_where(left, vn_div(vn_scalar(b / 2), far), vn__scaled(vn_add(x, root), .5));
    return vn__narrow(z, i);
}

vn_array *compose_sparse_plus(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *middle = vn__scaled(vn_square(vn_add(vn_clip(x, vn_scalar(-1), vn_scalar(1)), vn_scalar(1))), .25);
    return vn__narrow(vn_where(vn_greater_equal(x, vn_scalar(1)), x, middle), i);
}

/* x less the threshold that makes what is above it add up to 1. In descending order the elements that stay are the first k, as many as
 * 1 + k x_k exceeds the sum of the first k. */
vn_array *compose_sparsemax(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_SPARSEMAX_AXIS].u.i;
    vn_array *x = vn__widen(in[0]), *one = vn_scalar(1);
    if (!x || !vn_size(x)) return x ? vn__narrow(vn_positive(x), i) : NULL;
    vn_shape along = {.rank = i->rank};
    for (int k = 0; k < i->rank; k++) along.dim[k] = k == axis ? i->dims[axis] : 1;
    x = vn_sub(x, vn_stop_gradient(vn_max(x, VN_KEEP(axis))));
    vn_array *sorted = vn_sort(x, axis, VN_OPTS(sort, .descending = 1)), *k = vn_reshape(vn__positions(x, i->dims[axis]), along);
    vn_array *rank = vn_cast(vn_add(k, one), vn_dtype_of(x)), *sums = vn_cumulative_sum(sorted, axis, NULL);
    vn_array *stays = vn_greater(vn_add(vn_mul(rank, sorted), one), sums);
    vn_array *n = vn_sum(vn_cast(stays, vn_dtype_of(x)), VN_KEEP(axis)),
             *kept = vn_sum(vn_where(stays, sorted, vn_scalar(0)), VN_KEEP(axis));
    return vn__narrow(vn_relu(vn_sub(x, vn_div(vn_sub(kept, one), n))), i);
}

/* A softmax with one element more, which is 0. */
vn_array *compose_quiet_softmax(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_QUIET_SOFTMAX_AXIS].u.i;
    vn_array *x = vn__widen(in[0]);
    if (!x || !vn_size(x)) return x ? vn__narrow(vn_positive(x), i) : NULL;
    vn_array *high = vn_stop_gradient(vn_maximum(vn_max(x, VN_KEEP(axis)), vn_scalar(0))), *e = vn_exp(vn_sub(x, high));
    return vn__narrow(vn_div(e, vn_add(vn_sum(e, VN_KEEP(axis)), vn_exp(vn_neg(high)))), i);
}
