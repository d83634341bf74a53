/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_window.c: reductions of windows over all axes of an array, axis by axis: sums, products and extremes of a window are those of its
 * rows. */
#include "ops/index.h"
#include "ops/window.h"

enum { SUM, MAX, MIN, PROD }; /* the texts of reduction */

int shape_reduce_window(vn__infer *i)
{
    const vn__node *x = i->in[0];
    vn__option_value *o = i->options->v;
    int64_t out[VN_MAX_RANK], size[VN_MAX_RANK];
    char s[128];
    if (!x->rank || 2 * x->rank > VN_MAX_RANK || o[OPT_REDUCE_WINDOW_WINDOW].n == 0)
        FAIL(VN_E_SHAPE, "a window with a size for each of 1 to %d axes of x %s is needed (%s)", VN_MAX_RANK / 2, shape_text(x, s),
             i->engine);
    int code = vn__window_list(i, OPT_REDUCE_WINDOW_WINDOW, x->rank, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_REDUCE_WINDOW_STRIDES, x->rank, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_REDUCE_WINDOW_PADS, 2 * x->rank, 0, 0, NULL);
    if (!code) code = vn__window_list(i, OPT_REDUCE_WINDOW_DILATIONS, x->rank, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_REDUCE_WINDOW_X_DILATIONS, x->rank, 1, 1, NULL);
    for (int k = 0; k < x->rank && !code; k++) {
        const int64_t n = vn__node_dims(x)[k];
        if (__builtin_mul_overflow(n ? n - 1 : 0, o[OPT_REDUCE_WINDOW_X_DILATIONS].is[k], &size[k]))
            FAIL(VN_E_SHAPE, "axis %d of x %s is too large with this dilation (%s)", k, shape_text(x, s), i->engine);
        size[k] += n != 0;
    }
    if (!code)
        code = vn__window_sizes(i, x->rank, size, o[OPT_REDUCE_WINDOW_WINDOW].is, o[OPT_REDUCE_WINDOW_STRIDES].is,
                                o[OPT_REDUCE_WINDOW_PADS].is, o[OPT_REDUCE_WINDOW_DILATIONS].is, out);
    if (!code) vn__rule_result(i, x->rank, out);
    return code;
}

/* What a reduction of no elements gives. */
static vn_array *neutral(vn_array *x, int reduction)
{
    return reduction == MAX || reduction == MIN ? vn__extreme(x, reduction == MAX ? -1 : 1) : vn__number(x, reduction == PROD);
}

static vn_array *reduced(vn_array *x, int axis, int reduction)
{
    static vn_array *(*const by[])(vn_array *, vn_axes) = {[MAX] = vn_max, [MIN] = vn_min, [PROD] = vn_prod};
    return reduction == SUM ? vn_sum(x, VN_AXES(axis)) : by[reduction](x, VN_AXES(axis));
}

/* Windows along one axis: place w of window o is element o stride - low + w dilation of the axis with x_dilation, and one of x if that is a
 * multiple of it and inside. */
static vn_array *along(vn_array *x, int axis, const vn__infer *i, int reduction)
{
    const vn__option_value *o = i->options->v;
    const int64_t n = vn_dim(x, axis), window = o[OPT_REDUCE_WINDOW_WINDOW].is[axis], apart = o[OPT_REDUCE_WINDOW_X_DILATIONS].is[axis];
    const int64_t *pads = o[OPT_REDUCE_WINDOW_PADS].is + 2 * axis;
    vn_array *begin = vn_mul(vn__positions(x, i->dims[axis]), vn_scalar_int(o[OPT_REDUCE_WINDOW_STRIDES].is[axis]));
    vn_array *within = vn_mul(vn__positions(x, window), vn_scalar_int(o[OPT_REDUCE_WINDOW_DILATIONS].is[axis]));
    vn_array *at = vn_sub(vn_add(vn_expand_dims(begin, 1), within), vn_scalar_int(pads[0]));
    vn_array *element = vn_floor_divide(at, vn_scalar_int(apart));
    vn_array *y = vn_take(x, vn_clip(element, vn_scalar_int(0), vn_scalar_int(n - 1)), axis);
    if (pads[0] || pads[1] || apart > 1) {
        vn_array *inside = vn_logical_and(vn_greater_equal(element, vn_scalar_int(0)), vn_less(element, vn_scalar_int(n)));
        inside = vn_logical_and(inside, vn_equal(vn_mul(element, vn_scalar_int(apart)), at));
        vn_shape s = {.rank = vn_rank(y)};
        for (int k = 0; k < s.rank; k++) s.dim[k] = k == axis ? i->dims[axis] : k == axis + 1 ? window : 1;
        y = vn_where(vn_reshape(inside, s), y, neutral(y, reduction));
    }
    return reduced(y, axis + 1, reduction);
}

vn_array *compose_reduce_window(vn_array *const *in, const vn__infer *i)
{
    const int reduction = vn__choice(i, OPT_REDUCE_WINDOW_REDUCTION);
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    if (!vn_size(x)) return vn_broadcast_to(neutral(in[0], reduction), vn__result_shape(i));
    for (int a = 0; a < i->rank && x; a++) x = along(x, a, i, reduction);
    return vn__narrow(x, i);
}
