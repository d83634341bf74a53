/* SPDX-License-Identifier: Apache-2.0 */
/* segment.c: reductions of the slices along the first axis by the segment that each belongs to. Sums are index_add; products and extremes
 * combine neighbours of one segment, in sorted order, 1, 2, 4 ... slices apart, so that derivatives of every order follow. */
#include "ops/index.h"
#include <math.h>
#include "core/dtype.h"

int shape_segment(vn__infer *i)
{
    const vn__node *x = i->in[0], *id = i->in[1];
    char s[128], t[128];
    int code = vn__rule_size(i, OPT_SEGMENT_SUM_SEGMENTS);
    if (code) return code;
    if (!x->rank || id->rank != 1 || id->count != vn__node_dims(x)[0])
        FAIL(VN_E_SHAPE, "id has shape %s; a vector with a number for each slice of x %s is needed (%s)", shape_text(id, s),
             shape_text(x, t), i->engine);
    shape_same(i);
    i->dims[0] = i->options->v[OPT_SEGMENT_SUM_SEGMENTS].u.i;
    return VN_OK;
}

_Static_assert(AGREE(SEGMENT_SUM, SEGMENT_MEAN, SEGMENTS) && AGREE(SEGMENT_SUM, SEGMENT_PROD, SEGMENTS) &&
                   AGREE(SEGMENT_SUM, SEGMENT_MAX, SEGMENTS) && AGREE(SEGMENT_SUM, SEGMENT_MIN, SEGMENTS),
               "the rows number their options alike");

/* Segment numbers as int64; those of no segment are the first number that is none. */
static vn_array *ids_of(vn_array *id, const vn__infer *i)
{
    vn_array *at = vn__index_of(id), *n = vn__filled(id, i->dims[0], VN_0D);
    return vn_where(vn_logical_and(vn_greater_equal(at, vn_scalar(0)), vn_less(at, n)), at, n);
}

/* One number for each slice, with axes of size 1 for the others. */
static vn_array *column(vn_array *v, int rank)
{
    vn_shape s = {rank, {vn_size(v)}};
    for (int k = 1; k < rank; k++) s.dim[k] = 1;
    return vn_reshape(v, s);
}

static vn_array *total(vn_array *x, vn_array *id, const vn__infer *i)
{
    return vn_index_add(vn_broadcast_to(vn__number(x, 0), vn__result_shape(i)), ids_of(id, i), x, 0);
}

vn_array *compose_segment_sum(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return x ? vn__narrow(total(x, in[1], i), i) : NULL;
}

vn_array *compose_segment_mean(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *n = vn_bincount(ids_of(in[1], i), VN_NONE, i->dims[0], NULL);
    if (!x) return NULL;
    n = vn_cast(column(vn_maximum(n, vn_scalar(1)), i->rank), vn_dtype_of(x));
    return vn__narrow(vn_div(total(x, in[1], i), n), i);
}

/* ---- neighbours ---- */

typedef vn_array *combination(vn_array *, vn_array *);

/* The last slice of each segment holds the combination of all of its slices. x: (n, ...); none: what no slices give */
static vn_array *combined(vn_array *x, vn_array *id, const vn__infer *i, vn_array *none, combination *both)
{
    const int64_t n = vn_dim(x, 0), segments = i->dims[0];
    if (!n || !segments) return vn_broadcast_to(none, vn__result_shape(i));
    vn_array *ids = ids_of(id, i), *order = vn_argsort(ids, 0, NULL);
    ids = vn_take(ids, order, 0);
    x = vn_take(x, order, 0);
    for (int64_t apart = 1; apart < n && x; apart *= 2) {
        vn_array *same = vn_equal(vn__piece(ids, 0, apart, n - apart), vn__piece(ids, 0, 0, n - apart));
        vn_array *before = vn__piece(x, 0, 0, n - apart), *here = vn__piece(x, 0, apart, n - apart);
        here = vn_where(column(same, vn_rank(x)), both(here, before), here);
        x = vn_concat(2, (vn_array *[]){vn__piece(x, 0, 0, apart), here}, 0);
    }
    vn_array *each = vn__positions(ids, segments), *right = vn_searchsorted(ids, each, VN_NONE, VN_OPTS(searchsorted, .right = 1));
    vn_array *some = vn_greater(right, vn_searchsorted(ids, each, VN_NONE, NULL));
    vn_array *last = vn_maximum(vn_sub(right, vn_scalar(1)), vn_scalar(0));
    return vn_where(column(some, i->rank), vn_take(x, last, 0), none);
}

vn_array *compose_segment_prod(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return x ? vn__narrow(combined(x, in[1], i, vn__number(x, 1), vn_mul), i) : NULL;
}

vn_array *vn__extreme(const vn_array *x, double sign)
{
    vn_int_info info = {.size = sizeof info};
    if (vn__is(vn_dtype_of(x), VN_FLOATS)) return vn__number(x, sign * INFINITY);
    if (vn_iinfo((int)vn_dtype_of(x), &info)) return NULL;
    /* all bits of the largest number but the sign: its complement is the smallest */
    vn_array *zero = vn__number(x, 0), *low = info.min ? vn_bitwise_left_shift(vn__number(x, 1), vn_scalar(info.bits - 1)) : zero;
    return sign < 0 ? low : vn_bitwise_invert(low);
}

vn_array *compose_segment_max(vn_array *const *in, const vn__infer *i)
{
    return combined(in[0], in[1], i, vn__extreme(in[0], -1), vn_maximum);
}
vn_array *compose_segment_min(vn_array *const *in, const vn__infer *i)
{
    return combined(in[0], in[1], i, vn__extreme(in[0], 1), vn_minimum);
}
