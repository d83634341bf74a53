/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c: interpolation to other spatial sizes, one axis at a time. Sample j of m over n elements is at (j + 1/2) n / m - 1/2, or with
 * align_corners at j (n - 1) / (m - 1): a fraction of integers, so that the preceding element and the distance from it are exact and
 * the same on every engine. */
#include "ops/layout.h"
#include "core/dtype.h"

static const double PI = 3.14159265358979323846;

typedef enum mode { LINEAR, NEAREST, NEAREST_EXACT, CUBIC, AREA, CUBIC_KEYS, LANCZOS3, LANCZOS5 } mode; /* as the row has them */

static mode mode_of(const vn__infer *i)
{
    return (mode)vn__choice(i, OPT_INTERPOLATE_MODE);
}

static bool is_nearest(mode m)
{
    return m == NEAREST || m == NEAREST_EXACT;
}

static int check_mode(vn__infer *i)
{
    const char *text = i->options->v[OPT_INTERPOLATE_MODE].u.s;
    const bool near = is_nearest(mode_of(i));
    const bool antialias = i->options->v[OPT_INTERPOLATE_ANTIALIAS].u.i != 0;
    if ((near || antialias || mode_of(i) >= AREA) && i->options->v[OPT_INTERPOLATE_ALIGN_CORNERS].u.i)
        FAIL(VN_E_ARG, "mode %s%s cannot align corners (%s)", text, antialias ? " with antialias" : "", i->engine);
    if ((near || mode_of(i) == AREA) && antialias) FAIL(VN_E_ARG, "mode %s has no antialias (%s)", text, i->engine);
    if (!near && !vn__is(i->dtype, VN_FLOATS))
        FAIL(VN_E_DTYPE, "x is %s, mode %s needs a float dtype (%s)", dtype_text(i->dtype), text, i->engine);
    return VN_OK;
}

int shape_interpolate(vn__infer *i)
{
    int n = 0, code = vn__layout_rank(i, &n);
    char s[128];
    if (!code) code = vn__layout_format(i, OPT_INTERPOLATE_DATA_FORMAT, n);
    if (!code) code = check_mode(i);
    if (!code && !i->options->v[OPT_INTERPOLATE_SIZE].n) FAIL(VN_E_ARG, "size is missing: the spatial sizes of the result (%s)", i->engine);
    if (!code) code = vn__window_list(i, OPT_INTERPOLATE_SIZE, n, 1, 1, NULL);
    if (code) return code;
    shape_same(i);
    for (int a = 0; a < n; a++) {
        int64_t *d = &i->dims[vn__layout_spatial(vn__layout_first(i, OPT_INTERPOLATE_DATA_FORMAT)) + a];
        if (!*d || *d > INT32_MAX)
            FAIL(VN_E_SHAPE, "x %s has no elements along spatial axis %d, or too many (%s)", shape_text(i->in[0], s), a, i->engine);
        *d = i->options->v[OPT_INTERPOLATE_SIZE].is[a];
    }
    return VN_OK;
}

/* ---- one axis ---- */

/* Sample positions: the element at or before each (int64) and the distance from it, in [0, 1). */
typedef struct places {
    vn_array *before, *distance;
} places;

/* (first + j step) / by for j = 0 ... m - 1, not below `least` */
static places places_of(vn_array *x, int64_t m, int64_t first, int64_t step, int64_t by, int64_t least)
{
    vn_array *at = vn_add(vn_mul(vn__positions(x, m), vn_scalar((double)step)), vn_scalar((double)first));
    at = vn_maximum(at, vn_scalar((double)least));
    vn_array *before = vn_floor_divide(at, vn_scalar((double)by));
    vn_array *rest = vn_sub(at, vn_mul(before, vn_scalar((double)by)));
    return (places){before, vn_div(vn_cast(rest, vn_dtype_of(x)), vn_scalar((double)by))};
}

/* The elements of an axis at these positions plus `offset`, clamped to the ends. */
static vn_array *elements(vn_array *x, int axis, vn_array *before, int offset)
{
    vn_array *at = vn_add(before, vn_scalar(offset));
    return vn_take(x, vn_clip(at, vn_scalar(0), vn_scalar((double)(vn_dim(x, axis) - 1))), axis);
}

/* Each element of an axis `times` times. */
static vn_array *repeated(vn_array *x, int axis, int64_t times)
{
    vn_array *y = vn_expand_dims(x, axis + 1);
    vn_shape to = vn_shape_of(x), wide = vn_shape_of(y);
    wide.dim[axis + 1] = times;
    to.dim[axis] *= times;
    return vn_reshape(vn_broadcast_to(y, wide), to);
}

static vn_array *nearest(vn_array *x, int axis, int64_t m, bool exact)
{
    const int64_t n = vn_dim(x, axis);
    if (n && m % n == 0) return repeated(x, axis, m / n);
    vn_array *at = vn_mul(vn__positions(x, m), vn_scalar((double)(2 * n)));
    at = vn_floor_divide(vn_add(at, vn_scalar(exact ? (double)n : 0)), vn_scalar((double)(2 * m)));
    return vn_take(x, at, axis);
}

/* Weights of the elements at offsets -1 ... 2 for distance t: cubic convolution with a = -3/4. */
static vn_array *cubic_weight(vn_array *t, int offset)
{
    const double a = -.75;
    vn_array *d = offset > 0 ? vn_sub(vn_scalar(offset), t) : vn_add(t, vn_scalar(-offset)), *w;
    if (offset == 0 || offset == 1) {
        w = vn_sub(vn_mul(d, vn_scalar(a + 2)), vn_scalar(a + 3));
        return vn_add(vn_mul(vn_mul(w, d), d), vn_scalar(1));
    }
    w = vn_mul(vn_sub(vn_mul(d, vn_scalar(a)), vn_scalar(5 * a)), d);
    return vn_sub(vn_mul(vn_add(w, vn_scalar(8 * a)), d), vn_scalar(4 * a));
}

static vn_array *weighted(vn_array *x, int axis, int64_t m, bool cubic, bool align)
{
    const int64_t n = vn_dim(x, axis), step = align ? n - 1 : 2 * n, first = align ? 0 : n - m;
    const int64_t by = align ? (m > 1 ? m - 1 : 1) : 2 * m;
    places p = places_of(x, m, first, step, by, cubic ? -by * 2 : 0);
    vn_shape s = {.rank = vn_rank(x)};
    for (int a = 0; a < s.rank; a++) s.dim[a] = a == axis ? m : 1;
    vn_array *t = vn_reshape(p.distance, s), *y = NULL;
    if (!t) return NULL;
    if (!cubic) {
        vn_array *from = elements(x, axis, p.before, 0);
        return vn_add(vn_mul(from, vn_sub(vn_scalar(1), t)), vn_mul(elements(x, axis, p.before, 1), t));
    }
    for (int k = -1; k <= 2; k++) {
        vn_array *term = vn_mul(elements(x, axis, p.before, k), cubic_weight(t, k));
        y = k < 0 ? term : vn_add(y, term);
    }
    return y;
}

/* ---- kernels: an element of the result is a weighted mean of all elements of x near its place ---- */

static vn_array *cubic_keys(vn_array *d)
{
    vn_array *near = vn_add(vn_mul(vn_square(d), vn_sub(vn__scaled(d, 1.5), vn_scalar(2.5))), vn_scalar(1));
    vn_array *far = vn_add(vn_mul(vn_sub(vn_mul(vn_add(vn__scaled(d, -.5), vn_scalar(2.5)), d), vn_scalar(4)), d), vn_scalar(2));
    return vn_where(vn_less(d, vn_scalar(1)), near, vn_where(vn_less(d, vn_scalar(2)), far, vn_scalar(0)));
}

/* sinc(d) sinc(d / radius) up to the radius */
static vn_array *lanczos(vn_array *d, double radius)
{
    vn_array *at = vn__scaled(d, PI), *none = vn_less(d, vn_scalar(1e-3)), *safe = vn_where(none, vn_scalar(1), at);
    vn_array *y = vn_div(vn_mul(vn_sin(safe), vn__scaled(vn_sin(vn__scaled(safe, 1 / radius)), radius)), vn_square(safe));
    return vn_where(none, vn_scalar(1), vn_where(vn_greater(d, vn_scalar(radius)), vn_scalar(0), y));
}

static vn_array *kernel(vn_array *d, mode m)
{
    if (m == LINEAR) return vn_relu(vn_sub(vn_scalar(1), d));
    return m == LANCZOS3 || m == LANCZOS5 ? lanczos(d, m == LANCZOS3 ? 3 : 5) : cubic_keys(d);
}

/* Weights (m, n) of n elements for m places [m, 1] among them; `reach` is how much wider the kernel is than between neighbours. They add up to
 * 1, or are all 0 for a place outside. */
static vn_array *weights(vn_array *at, vn_array *reach, int64_t n, mode m)
{
    vn_array *d = vn_abs(vn_sub(at, vn_cast(vn__positions(at, n), vn_dtype_of(at))));
    vn_array *w = kernel(vn_div(d, reach), m), *sum = vn_sum(w, VN_KEEP(1));
    vn_array *some = vn_greater(vn_abs(sum), vn_scalar(1000 * 0x1p-23));
    vn_array *inside = vn_logical_and(vn_greater_equal(at, vn_scalar(-.5)), vn_less_equal(at, vn_scalar((double)n - .5)));
    some = vn_logical_and(some, inside);
    return vn_where(some, vn_div(w, vn_where(some, sum, vn_scalar(1))), vn_scalar(0));
}

/* An axis of x by weights (m, n). */
static vn_array *product(vn_array *x, int axis, vn_array *w)
{
    const int last = vn_rank(x) - 1;
    vn_array *y = vn_matmul(vn__move_axis(x, axis, last), vn_matrix_transpose(vn_cast(w, vn_dtype_of(x))));
    return y ? vn__move_axis(y, last, axis) : NULL;
}

/* Places and weights in float64, so that they are the same on every engine. */
static vn_array *smooth(vn_array *x, int axis, int64_t m, mode kind, bool antialias)
{
    const double step = (double)vn_dim(x, axis) / (double)m;
    vn_array *at = vn_cast(vn_reshape(vn__positions(x, m), VN_SHAPE(m, 1)), VN_F64);
    at = vn_sub(vn__scaled(vn_add(at, vn_scalar(.5)), step), vn_scalar(.5));
    return product(x, axis, weights(at, vn__number(at, antialias && step > 1 ? step : 1), vn_dim(x, axis), kind));
}

static vn_array *resized(vn_array *x, int axis, int64_t size, const vn__infer *i)
{
    const mode m = mode_of(i);
    const bool align = i->options->v[OPT_INTERPOLATE_ALIGN_CORNERS].u.i != 0, antialias = i->options->v[OPT_INTERPOLATE_ANTIALIAS].u.i != 0;
    if (is_nearest(m)) return nearest(x, axis, size, m == NEAREST_EXACT);
    return antialias || m > AREA ? smooth(x, axis, size, m, antialias) : weighted(x, axis, size, m == CUBIC, align);
}

vn_array *compose_interpolate(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    if (mode_of(i) == AREA)
        return vn_adaptive_avg_pool(in[0], vn__infer_list(i, OPT_INTERPOLATE_SIZE),
                                    VN_OPTS(adaptive_avg_pool, .data_format = o[OPT_INTERPOLATE_DATA_FORMAT].u.s));
    const int spatial = vn__layout_spatial(vn__layout_first(i, OPT_INTERPOLATE_DATA_FORMAT));
    const bool near = is_nearest(mode_of(i));
    vn_array *x = near ? in[0] : vn__widen(in[0]);
    for (int k = 0; k < i->rank - 2 && x; k++) {
        const int a = near ? i->rank - 3 - k : k; /* elements are repeated first, then long rows of them */
        const int64_t size = o[OPT_INTERPOLATE_SIZE].is[a];
        if (size != vn_dim(x, spatial + a)) x = resized(x, spatial + a, size, i);
    }
    return x == in[0] ? vn_positive(x) : vn__narrow(x, i);
}

/* ---- scale_and_translate ---- */

int shape_scale_and_translate(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const vn__option_value *shape = &i->options->v[OPT_SCALE_AND_TRANSLATE_SHAPE];
    vn__option_value *axes = &i->options->v[OPT_SCALE_AND_TRANSLATE_AXES];
    bool moves[VN_MAX_RANK] = {false};
    char s[128], t[128];
    if (axes->n == VN__ALL_AXES) {
        axes->n = x->rank;
        for (int k = 0; k < x->rank; k++) axes->is[k] = k;
    }
    int code = vn__rule_order(i, OPT_SCALE_AND_TRANSLATE_AXES, x->rank);
    if (code) return code;
    for (int k = 0; k < axes->n; k++) moves[axes->is[k]] = true;
    for (int k = 1; k <= 2; k++)
        if (i->in[k]->rank != 1 || i->in[k]->count != axes->n)
            FAIL(VN_E_SHAPE, "%s has shape %s, a number for each of %d axes is needed (%s)", i->op->info.inputs[k], shape_text(i->in[k], s),
                 axes->n, i->engine);
    bool fits = shape->n == x->rank;
    for (int k = 0; k < x->rank && fits; k++)
        fits = moves[k] ? shape->is[k] >= 0 && vn__node_dims(x)[k] > 0 : shape->is[k] == vn__node_dims(x)[k];
    if (!fits)
        FAIL(VN_E_SHAPE, "shape %s does not follow from x %s: only the axes that are scaled may differ, and they have elements (%s)",
             vn__shape_text(shape->n, shape->is, s), shape_text(x, t), i->engine);
    vn__rule_result(i, shape->n, shape->is);
    return VN_OK;
}

vn_array *compose_scale_and_translate(vn_array *const *in, const vn__infer *i)
{
    static const mode kinds[] = {LINEAR, CUBIC_KEYS, LANCZOS3, LANCZOS5};
    const vn__option_value *axes = &i->options->v[OPT_SCALE_AND_TRANSLATE_AXES];
    const mode kind = kinds[vn__choice(i, OPT_SCALE_AND_TRANSLATE_METHOD)];
    const bool antialias = !i->options->v[OPT_SCALE_AND_TRANSLATE_NO_ANTIALIAS].u.i;
    vn_array *x = vn__widen(vn__narrow(in[0], i));
    vn_array *step = vn_reciprocal(vn__widen(vn__narrow(in[1], i))), *from = vn_mul(vn__widen(vn__narrow(in[2], i)), step);
    for (int k = 0; k < axes->n && x; k++) {
        const int axis = (int)axes->is[k];
        vn_array *each = vn__piece(step, 0, k, 1), *begin = vn__piece(from, 0, k, 1);
        vn_array *at = vn_cast(vn_reshape(vn__positions(x, i->dims[axis]), VN_SHAPE(i->dims[axis], 1)), vn_dtype_of(x));
        at = vn_sub(vn_sub(vn_mul(vn_add(at, vn_scalar(.5)), each), begin), vn_scalar(.5));
        vn_array *reach = antialias ? vn_maximum(each, vn_scalar(1)) : vn__number(x, 1);
        x = product(x, axis, weights(at, reach, vn_dim(x, axis), kind));
    }
    return x == in[0] ? vn_positive(x) : vn__narrow(x, i);
}
