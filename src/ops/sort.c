/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: sorting. argsort and searchsorted have kernels, topk where a framework has one; sort, argmax and argmin are composed. NaN counts as larger than every
 * number, and -0 as equal to 0. */
#include "ops/index.h"
#include "core/dtype.h"

/* ---- rules ---- */

/* Positions in x: int64. */
int dtype_positions(vn__infer *i)
{
    i->dtype = VN_I64;
    return vn__rule_accept(i, i->in[0]->dtype);
}

int dtype_searchsorted(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    i->dtype = VN_I64;
    return code || i->n < 3 || !i->in[2] ? code : vn__rule_index(i, 2);
}

int shape_topk(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int64_t k = i->options->v[OPT_TOPK_K].u.i;
    int code = vn__rule_axis(i, OPT_TOPK_AXIS, x->rank);
    if (code) return code;
    int64_t axis = i->options->v[OPT_TOPK_AXIS].u.i, n = vn__node_dims(x)[axis];
    char s[128];
    if (k < 0 || k > n)
        FAIL(VN_E_ARG, "k is %lld, axis %lld of x %s has %lld elements (%s)", (long long)k, (long long)axis, shape_text(x, s), (long long)n,
             i->engine);
    shape_same(i);
    i->dims[axis] = k;
    return VN_OK;
}

int shape_searchsorted(vn__infer *i)
{
    char s[128];
    char t[128];
    if (i->in[0]->rank != 1) FAIL(VN_E_SHAPE, "x has shape %s, one axis is needed (%s)", shape_text(i->in[0], s), i->engine);
    if (i->n > 2 && i->in[2] && (i->in[2]->rank != 1 || i->in[2]->count != i->in[0]->count))
        FAIL(VN_E_SHAPE, "sorter has shape %s, that of x, %s, is needed (%s)", shape_text(i->in[2], s), shape_text(i->in[0], t), i->engine);
    vn__rule_result(i, i->in[1]->rank, vn__node_dims(i->in[1]));
    const bool sorted = i->n < 3 || !i->in[2];
    return sorted ? VN_OK : vn__rule_within(i, 2, (vn__bounds){vn__node_dims(i->in[0]), 1, true, NULL, "elements in x"});
}

/* One axis, or all of them flattened. */
int shape_arg(vn__infer *i)
{
    int code = shape_extreme(i), n = i->options->v[OPT_ARGMAX_AXES].n;
    if (!code && n != 1 && n != i->in[0]->rank)
        FAIL(VN_E_ARG, "%d of %d axes given; one or all are allowed (%s)", n, i->in[0]->rank, i->engine);
    return code;
}

/* ---- compositions ---- */

vn_array *compose_sort(vn_array *const *in, const vn__infer *i)
{
    int64_t axis = i->options->v[OPT_SORT_AXIS].u.i;
    return vn__take_along(in[0], vn_argsort(in[0], axis, VN_OPTS(argsort, .descending = (int)i->options->v[OPT_SORT_DESCENDING].u.i)),
                          axis);
}

vn_array *compose_searchsorted(vn_array *const *in, const vn__infer *i)
{
    if (i->n < 3 || !i->in[2]) return VN__AS_IS;
    return vn_searchsorted(vn_take(in[0], vn__index_of(in[2]), 0), in[1], VN_NONE,
                           VN_OPTS(searchsorted, .right = (int)i->options->v[OPT_SEARCHSORTED_RIGHT].u.i));
}

vn_array *compose_topk(vn_array *const *in, const vn__infer *i)
{
    int64_t axis = i->options->v[OPT_TOPK_AXIS].u.i;
    vn_array *order = vn_argsort(in[0], axis, VN_OPTS(argsort, .descending = !i->options->v[OPT_TOPK_SMALLEST].u.i));
    vn_shape zero = {i->rank, {0}};
    i->more[0] = vn_slice_at(order, zero, vn__result_shape(i));
    return vn__take_along(in[0], i->more[0], axis);
}

/* The cotangent of each value goes to the element at its position. */
vn_array *vjp_topk(const vn__vjp_args *a, int k)
{
    return vn_put_along_axis(vn_zeros_like(a->in[k]), a->outs[1], a->cts[0], a->options[OPT_TOPK_AXIS].u.i,
                             VN_OPTS(put_along_axis, .add = 1));
}

/* The first position where x is NaN, otherwise where it is the extreme. */
static vn_array *place_of(vn_array *x, const vn__infer *i, vn_array *(*extreme)(vn_array *, vn_axes))
{
    bool one = i->options->v[OPT_ARGMAX_AXES].n == 1;
    if (!one) x = vn__flat(x);
    if (vn_dtype_of(x) == VN_BOOL) x = vn_cast(x, VN_U8);
    int64_t axis = one ? i->options->v[OPT_ARGMAX_AXES].is[0] : 0, n = vn_dim(x, (int)axis);
    vn_shape along = {vn_rank(x), {0}};
    for (int k = 0; k < along.rank; k++) along.dim[k] = k == axis ? n : 1;
    vn_array *hit = vn_equal(x, extreme(x, VN_KEEP(axis)));
    if (vn__is(vn_dtype_of(x), VN_FLOATS)) hit = vn_logical_or(hit, vn_isnan(x));
    vn_array *at = vn_where(hit, vn_reshape(vn__positions(x, n), along), vn_scalar((double)n));
    return vn_reshape(vn_min(at, VN_AXES(axis)), vn__result_shape(i));
}

vn_array *compose_argmax(vn_array *const *in, const vn__infer *i)
{
    return place_of(in[0], i, vn_max);
}
vn_array *compose_argmin(vn_array *const *in, const vn__infer *i)
{
    return place_of(in[0], i, vn_min);
}
