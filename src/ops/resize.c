/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c: interpolation to other spatial sizes, one axis at a time. Sample j of m over n elements is at (j + 1/2) n / m - 1/2, or with
 * align_corners at j (n - 1) / (m - 1): a fraction of integers, so that the preceding element and the distance from it are exact and
 * the same on every engine. */
#include "ops/layout.h"
#include "core/dtype.h"

typedef enum mode { LINEAR, NEAREST, NEAREST_EXACT, CUBIC } mode; /* as the row has them */

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
    if (near && i->options->v[OPT_INTERPOLATE_ALIGN_CORNERS].u.i) FAIL(VN_E_ARG, "mode %s cannot align corners (%s)", text, i->engine);
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

static vn_array *nearest(vn_array *x, int axis, int64_t m, bool exact)
{
    const int64_t n = vn_dim(x, axis);
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

vn_array *compose_interpolate(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, OPT_INTERPOLATE_DATA_FORMAT), align = i->options->v[OPT_INTERPOLATE_ALIGN_CORNERS].u.i != 0;
    const mode m = mode_of(i);
    vn_array *x = is_nearest(m) ? in[0] : vn__widen(in[0]);
    for (int a = 0; a < i->rank - 2 && x; a++) {
        const int axis = vn__layout_spatial(first) + a;
        const int64_t size = i->options->v[OPT_INTERPOLATE_SIZE].is[a];
        if (size == vn_dim(x, axis)) continue;
        x = is_nearest(m) ? nearest(x, axis, size, m == NEAREST_EXACT) : weighted(x, axis, size, m == CUBIC, align);
    }
    return x == in[0] ? vn_positive(x) : vn__narrow(x, i);
}
