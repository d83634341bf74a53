/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c: functions of samples along an axis: interpolation, derivative, integral; order by several keys, neighbours that repeat, zeros at
 * the ends. */
#include "ops/index.h"
#include <math.h>
#include "core/dtype.h"

/* The slice k (from the end if below 0) of an axis, with size 1. */
static vn_array *slice_of(vn_array *x, int axis, int64_t k)
{
    return vn__piece(x, axis, k < 0 ? vn_dim(x, axis) + k : k, 1);
}

/* A vector along one axis of an array of this rank. */
static vn_array *along(vn_array *v, int axis, int rank)
{
    vn_shape s = {.rank = rank};
    for (int k = 0; k < rank; k++) s.dim[k] = k == axis ? vn_size(v) : 1;
    return vn_reshape(v, s);
}

/* Input k is a vector with one number for each sample along the axis of x. */
static int one_each(vn__infer *i, int k, int64_t n)
{
    char s[128];
    if (i->in[k]->rank != 1 || i->in[k]->count != n)
        FAIL(VN_E_SHAPE, "%s has shape %s, a vector of %lld is needed, one for each sample (%s)", i->op->info.inputs[k],
             shape_text(i->in[k], s), (long long)n, i->engine);
    return VN_OK;
}

/* ---- interpolation ---- */

int shape_interp(vn__infer *i)
{
    const vn__node *xp = i->in[1];
    char s[128];
    if (xp->rank != 1 || !xp->count)
        FAIL(VN_E_SHAPE, "xp has shape %s, a vector of one or more is needed (%s)", shape_text(xp, s), i->engine);
    int code = one_each(i, 2, xp->count);
    for (int k = 3; k < 5 && !code; k++) {
        if (i->in[k] && i->in[k]->count != 1)
            FAIL(VN_E_SHAPE, "%s has shape %s, one number is needed (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), i->engine);
    }
    return code ? code : shape_same(i);
}

static vn_array *typed(vn_array *x, const vn__infer *i)
{
    return vn__widen(vn_cast(x, (vn_dtype)i->dtype));
}

/* Positions modulo the period, in order, with a neighbour from the next period at each end. */
static void wrap(vn_array **x, vn_array **xp, vn_array **fp, double period)
{
    vn_array *p = vn_remainder(*xp, vn_scalar(period)), *order = vn_argsort(p, 0, NULL), *f = vn_take(*fp, order, 0);
    p = vn_take(p, order, 0);
    *x = vn_remainder(*x, vn_scalar(period));
    *xp = vn_concat(3, (vn_array *[]){vn_sub(slice_of(p, 0, -1), vn_scalar(period)), p, vn_add(slice_of(p, 0, 0), vn_scalar(period))}, 0);
    *fp = vn_concat(3, (vn_array *[]){slice_of(f, 0, -1), f, slice_of(f, 0, 0)}, 0);
}

vn_array *compose_interp(vn_array *const *in, const vn__infer *i)
{
    const double period = vn__real(i, OPT_INTERP_PERIOD);
    vn_array *x = typed(in[0], i), *xp = typed(in[1], i), *fp = typed(in[2], i), *zero = vn_scalar(0);
    if (!x || !xp || !fp) return NULL;
    if (period > 0) wrap(&x, &xp, &fp, period);
    if (!xp || !fp) return NULL;
    const int64_t n = vn_size(xp);
    vn_array *at = vn_sub(vn_searchsorted(xp, x, VN_NONE, VN_OPTS(searchsorted, .right = 1)), vn_scalar(1));
    vn_array *low = vn_maximum(vn_minimum(at, vn_scalar((double)n - 2)), zero),
             *high = vn_minimum(vn_add(low, vn_scalar(1)), vn_scalar((double)n - 1));
    vn_array *x0 = vn_take(xp, low, 0), *f0 = vn_take(fp, low, 0), *width = vn_sub(vn_take(xp, high, 0), x0);
    vn_array *slope = vn_div(vn_sub(vn_take(fp, high, 0), f0), vn_where(vn_equal(width, zero), vn_scalar(1), width));
    vn_array *z = vn_add(f0, vn_mul(slope, vn_sub(x, x0)));
    vn_array *first = vn_reshape(slice_of(fp, 0, 0), VN_0D), *last = vn_reshape(slice_of(fp, 0, -1), VN_0D), *end = slice_of(xp, 0, -1);
    z = vn_where(vn_equal(x, vn_reshape(end, VN_0D)), last, z);
    vn_array *left = i->in[3] && period <= 0 ? vn_reshape(typed(in[3], i), VN_0D) : first;
    vn_array *right = i->in[4] && period <= 0 ? vn_reshape(typed(in[4], i), VN_0D) : last;
    z = vn_where(vn_less(x, vn_reshape(slice_of(xp, 0, 0), VN_0D)), left, z);
    return vn__narrow(vn_where(vn_greater(x, vn_reshape(end, VN_0D)), right, z), i);
}

/* ---- derivative ---- */

int shape_gradient(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    int code = vn__rule_axis(i, OPT_GRADIENT_AXIS, x->rank);
    if (code) return code;
    const int64_t n = vn__node_dims(x)[i->options->v[OPT_GRADIENT_AXIS].u.i], least = i->options->v[OPT_GRADIENT_EDGE_ORDER].u.i + 1;
    if (n < least)
        FAIL(VN_E_SHAPE, "axis %lld of x %s has %lld samples, %lld are needed for edge_order %lld (%s)",
             (long long)i->options->v[OPT_GRADIENT_AXIS].u.i, shape_text(x, s), (long long)n, (long long)least, (long long)least - 1,
             i->engine);
    if (vn__real(i, OPT_GRADIENT_SPACING) == 0) FAIL(VN_E_ARG, "spacing is 0 (%s)", i->engine);
    if (i->in[1]) code = one_each(i, 1, n);
    return code ? code : shape_same(i);
}

/* The derivative of the parabola through three samples, at the first, second or third (which: 0, 1, 2); h and g are their distances. */
static vn_array *parabola(vn_array *x, int axis, int64_t from, int64_t n, vn_array *h, vn_array *g, int which)
{
    vn_array *sum = vn_add(h, g), *two = vn_scalar(2);
    vn_array *top[3][3] = {
        {vn_neg(vn_add(vn_mul(h, two), g)), sum, vn_neg(h)}, {vn_neg(g), vn_sub(g, h), h}, {g, vn_neg(sum), vn_add(vn_mul(g, two), h)}};
    vn_array *bottom[] = {vn_mul(h, sum), vn_mul(h, g), vn_mul(g, sum)}, *z = NULL;
    for (int k = 0; k < 3; k++) z = vn__plus(z, vn_mul(vn_div(top[which][k], bottom[k]), vn__piece(x, axis, from + k, n)));
    return z;
}

/* Between neighbours of equal distance; exact where they are. */
static vn_array *middle(vn_array *x, int axis, double spacing)
{
    const int64_t n = vn_dim(x, axis);
    return vn_div(vn_sub(vn__piece(x, axis, 2, n - 2), vn__piece(x, axis, 0, n - 2)), vn_scalar(2 * spacing));
}

vn_array *compose_gradient(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_GRADIENT_AXIS].u.i, second = i->options->v[OPT_GRADIENT_EDGE_ORDER].u.i == 2;
    const double spacing = vn__real(i, OPT_GRADIENT_SPACING);
    vn_array *x = typed(in[0], i), *d = NULL, *parts[3];
    if (!x) return NULL;
    const int64_t n = vn_dim(x, axis);
    if (i->in[1]) d = along(vn_diff(typed(in[1], i), VN_NONE, VN_NONE, 0, 1), axis, vn_rank(x));
    else d = along(vn_broadcast_to(vn__number(x, spacing), VN_SHAPE(n - 1)), axis, vn_rank(x));
    if (!d) return NULL;
    vn_array *first = slice_of(d, axis, 0), *last = slice_of(d, axis, -1);
    if (second) {
        parts[0] = parabola(x, axis, 0, 1, first, slice_of(d, axis, 1), 0);
        parts[2] = parabola(x, axis, n - 3, 1, slice_of(d, axis, -2), last, 2);
    } else {
        parts[0] = vn_div(vn_sub(slice_of(x, axis, 1), slice_of(x, axis, 0)), first);
        parts[2] = vn_div(vn_sub(slice_of(x, axis, -1), slice_of(x, axis, -2)), last);
    }
    if (n == 2) return vn__narrow(vn_concat(2, (vn_array *[]){parts[0], parts[2]}, axis), i);
    if (i->in[1]) parts[1] = parabola(x, axis, 0, n - 2, vn__piece(d, axis, 0, n - 2), vn__piece(d, axis, 1, n - 2), 1);
    else parts[1] = middle(x, axis, spacing);
    return vn__narrow(vn_concat(3, parts, axis), i);
}

/* ---- integral ---- */

int shape_trapezoid(vn__infer *i)
{
    const vn__node *y = i->in[0], *x = i->in[1];
    int code = vn__rule_axis(i, OPT_TRAPEZOID_AXIS, y->rank), axis = (int)i->options->v[OPT_TRAPEZOID_AXIS].u.i;
    if (!code && x) code = x->rank == 1 ? one_each(i, 1, vn__node_dims(y)[axis]) : vn__rule_like_first(i, 1);
    if (code) return code;
    i->rank = 0;
    for (int k = 0; k < y->rank; k++) {
        if (k != axis) i->dims[i->rank++] = vn__node_dims(y)[k];
    }
    return VN_OK;
}

vn_array *compose_trapezoid(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_TRAPEZOID_AXIS].u.i;
    vn_array *y = typed(in[0], i), *width = vn_scalar(vn__real(i, OPT_TRAPEZOID_DX));
    if (!y) return NULL;
    const int64_t n = vn_dim(y, axis);
    if (n < 2) return vn__narrow(vn_sum(vn__piece(y, axis, 0, 0), VN_AXES(axis)), i);
    if (i->in[1]) {
        vn_array *x = typed(in[1], i);
        if (x && vn_rank(x) == 1) x = along(x, axis, vn_rank(y));
        width = vn_diff(x, VN_NONE, VN_NONE, axis, 1);
    }
    vn_array *pairs = vn_add(vn__piece(y, axis, 1, n - 1), vn__piece(y, axis, 0, n - 1));
    return vn__narrow(vn_sum(vn_mul(width, vn__scaled(pairs, .5)), VN_AXES(axis)), i);
}

/* ---- order ---- */

/* Keys keep their dtypes. */
int dtype_lexsort(vn__infer *i)
{
    int code = VN_OK;
    for (int k = 0; k < i->n && !code; k++) code = vn__rule_accept(i, i->in[k]->dtype);
    i->dtype = VN_I64;
    return code;
}

int shape_lexsort(vn__infer *i)
{
    char s[128], t[128];
    for (int k = 1; k < i->n; k++) {
        const vn__node *x = i->in[0], *y = i->in[k];
        if (y->rank != x->rank || memcmp(vn__node_dims(y), vn__node_dims(x), (size_t)x->rank * sizeof(int64_t)) != 0)
            FAIL(VN_E_SHAPE, "key %d has shape %s, that of the first is %s (%s)", k, shape_text(y, s), shape_text(x, t), i->engine);
    }
    int code = vn__rule_axis(i, OPT_LEXSORT_AXIS, i->in[0]->rank);
    return code ? code : shape_same(i);
}

/* Sorting is stable: by the least important key first. */
vn_array *compose_lexsort(vn_array *const *in, const vn__infer *i)
{
    const int64_t axis = i->options->v[OPT_LEXSORT_AXIS].u.i;
    vn_array *order = vn_argsort(in[0], axis, NULL);
    for (int k = 1; k < i->n && order; k++) order = vn__take_along(order, vn_argsort(vn__take_along(in[k], order, axis), axis, NULL), axis);
    return order;
}

/* ---- sizes that depend on values ---- */

/* The size is not known yet: the composition determines it. */
int shape_unique_consecutive(vn__infer *i)
{
    int32_t *n = &i->options->v[OPT_UNIQUE_CONSECUTIVE_AXES].n;
    int64_t *axes = i->options->v[OPT_UNIQUE_CONSECUTIVE_AXES].is;
    const bool flat = *n == VN__ALL_AXES;
    if (!flat && *n != 1) FAIL(VN_E_ARG, "%d axes given; one, or all for the flattened x, are allowed (%s)", *n, i->engine);
    int code = flat ? VN_OK : vn__rule_axes(i, i->in[0]->rank, n, axes);
    vn__rule_result(i, 1, (const int64_t[]){0});
    return code;
}

vn_array *compose_unique_consecutive(vn_array *const *in, const vn__infer *i)
{
    const bool flat = i->options->v[OPT_UNIQUE_CONSECUTIVE_AXES].n == VN__ALL_AXES;
    const int axis = flat ? 0 : (int)i->options->v[OPT_UNIQUE_CONSECUTIVE_AXES].is[0];
    vn_array *x = flat ? vn__flat(in[0]) : in[0];
    const int64_t n = vn_dim(x, axis);
    int64_t kept = 0;
    vn_array *first = vn_broadcast_to(vn_cast(vn__filled(x, 1, VN_0D), VN_BOOL), VN_SHAPE(n));
    if (n > 1) {
        vn_array *rows = vn_reshape(vn__move_axis(x, axis, 0), VN_SHAPE(n, vn_size(x) / n));
        vn_array *differs = vn_any(vn_not_equal(vn__piece(rows, 0, 1, n - 1), vn__piece(rows, 0, 0, n - 1)), VN_AXES(1));
        first = vn_concat(2, (vn_array *[]){vn__piece(first, 0, 0, 1), differs}, 0);
    }
    if (!first || vn__count_now(first, NULL, &kept)) return NULL;
    vn_array *at = vn_reshape(vn_nonzero_sized(first, kept, -1), VN_SHAPE(kept));
    vn_array *group = vn_sub(vn_cumulative_sum(vn_cast(first, VN_I64), 0, NULL), vn_scalar(1));
    i->more[0] = flat ? vn_reshape(group, vn_shape_of(in[0])) : group;
    i->more[1] = vn_bincount(group, VN_NONE, kept, NULL);
    return i->more[0] && i->more[1] ? vn_take(x, at, axis) : NULL;
}

int shape_trim_zeros(vn__infer *i)
{
    if (!i->in[0]->rank) FAIL(VN_E_SHAPE, "a 0-d array has no ends (%s)", i->engine);
    return shape_same(i);
}

/* Computes where the slices along an axis that are not all zero begin and end. */
static int ends_now(vn_array *x, int axis, int64_t ends[2])
{
    const int64_t n = vn_dim(x, axis);
    vn_array *rows = vn_reshape(vn__move_axis(x, axis, 0), VN_SHAPE(n, n ? vn_size(x) / n : 0));
    vn_array *some = vn_any(rows, VN_AXES(1)), *at = vn__positions(x, n);
    if (n == 0) return ends[0] = ends[1] = 0, VN_OK;
    vn_array *both[] = {vn_min(vn_where(some, at, vn_scalar((double)n)), VN_ALL),
                        vn_max(vn_where(some, vn_add(at, vn_scalar(1)), vn_scalar(0)), VN_ALL)};
    vn_array *now = vn_stack(2, both, 0);
    return now ? vn_read(now, ends, 2 * sizeof *ends) : VN_E_NULL;
}

vn_array *compose_trim_zeros(vn_array *const *in, const vn__infer *i)
{
    const int trim = vn__choice(i, OPT_TRIM_ZEROS_TRIM), front = trim != 2, back = trim != 1;
    vn_shape start = {.rank = i->rank}, size = vn_shape_of(in[0]);
    for (int k = 0; k < i->rank; k++) {
        int64_t ends[2];
        if (ends_now(in[0], k, ends)) return NULL;
        const int64_t n = size.dim[k], from = front ? ends[0] : 0, to = back ? ends[1] : n;
        start.dim[k] = from < to ? from : 0;
        size.dim[k] = from < to ? to - from : 0;
    }
    return vn_slice_at(in[0], start, size);
}
