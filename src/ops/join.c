/* SPDX-License-Identifier: Apache-2.0 */
/* join.c: concat, stack, pad, roll, tile and repeat. */
#include "ops/row.h"
#include "core/dtype.h"

/* ---- helpers ---- */

vn_array *vn__piece(vn_array *x, int axis, int64_t from, int64_t n)
{
    vn_shape size = vn_shape_of(x), start = {.rank = size.rank};
    start.dim[axis] = from;
    size.dim[axis] = n;
    return vn_slice_at(x, start, size);
}

/* The products of the sizes before and after an axis. */
static int64_t outside(vn_shape s, int axis)
{
    int64_t n = 1;
    for (int k = 0; k < axis; k++) n *= s.dim[k];
    return n;
}
static int64_t inside(vn_shape s, int axis)
{
    int64_t n = 1;
    for (int k = axis + 1; k < s.rank; k++) n *= s.dim[k];
    return n;
}

/* An empty x in the shape of the result, with its history. */
static vn_array *nothing(vn_array *x, const vn__infer *i)
{
    return vn_reshape(vn_slice_at(vn_flatten(x), VN_SHAPE(0), VN_SHAPE(0)), vn__result_shape(i));
}

static bool is_empty(const vn__infer *i)
{
    for (int k = 0; k < i->rank; k++) {
        if (!i->dims[k]) return true;
    }
    return false;
}

int vn__rule_list(vn__infer *i, int option, int n)
{
    if (i->options->v[option].n == n) return VN_OK;
    FAIL(VN_E_ARG, "%s has %d numbers, %d are needed: one per axis of x (%s)", i->op->info.options[option].name, i->options->v[option].n, n,
         i->engine);
}

/* ---- concat, stack ---- */

int shape_concat(vn__infer *i)
{
    const vn__node *first = i->in[0];
    char s[128], t[128];
    if (!first->rank) FAIL(VN_E_SHAPE, "a 0-d array has no axis; stack takes such arrays (%s)", i->engine);
    int code = vn__rule_axis(i, OPT_CONCAT_AXIS, first->rank);
    if (code) return code;
    int axis = (int)i->options->v[OPT_CONCAT_AXIS].u.i;
    vn__rule_result(i, first->rank, vn__node_dims(first));
    for (int k = 1; k < i->n; k++) {
        const vn__node *x = i->in[k];
        bool same = x->rank == first->rank;
        for (int a = 0; same && a < x->rank; a++) same = a == axis || vn__node_dims(x)[a] == vn__node_dims(first)[a];
        if (!same)
            FAIL(VN_E_SHAPE, "array 0 is %s and array %d is %s; all sizes but that of axis %d must be equal (%s)", shape_text(first, s), k,
                 shape_text(x, t), axis, i->engine);
        if (__builtin_add_overflow(i->dims[axis], vn__node_dims(x)[axis], &i->dims[axis]))
            FAIL(VN_E_SHAPE, "axis %d gets too large to address (%s)", axis, i->engine);
    }
    return VN_OK;
}

vn_array *vjp_concat(const vn__vjp_args *a, int k)
{
    int axis = (int)a->options[OPT_CONCAT_AXIS].u.i;
    while (a->memo[0] < k) a->memo[1] += vn_dim(a->in[a->memo[0]++], axis); /* offset of input k */
    return vn__piece(a->ct, axis, a->memo[1], vn_dim(a->in[k], axis));
}

/* Writes every array into its part of the result. */
vn_array *compose_concat(vn_array *const *in, const vn__infer *i)
{
    int axis = (int)i->options->v[OPT_CONCAT_AXIS].u.i;
    if (i->n == 1) return vn_reshape(in[0], vn__result_shape(i));
    vn_array *z = vn_broadcast_to(vn__number(vn__narrow(in[0], i), 0), vn__result_shape(i));
    vn_shape start = {.rank = i->rank};
    for (int k = 0; k < i->n; k++) {
        z = vn_slice_set(z, vn__narrow(in[k], i), vn__index(in[0], start));
        start.dim[axis] += vn_dim(in[k], axis);
    }
    return z;
}

int shape_stack(vn__infer *i)
{
    const vn__node *first = i->in[0];
    char s[128], t[128];
    for (int k = 0; k < i->n; k++) {
        const vn__node *x = i->in[k];
        if (x->rank != first->rank || memcmp(vn__node_dims(x), vn__node_dims(first), x->rank * sizeof(int64_t)) != 0)
            FAIL(VN_E_SHAPE, "array 0 is %s and array %d is %s; shapes must be equal (%s)", shape_text(first, s), k, shape_text(x, t),
                 i->engine);
        if (x->flags & VN__WEAK && !vn__is(i->dtype, VN_FLOATS))
            FAIL(VN_E_DTYPE, "array %d is a number without a dtype among arrays of %s; cast it (%s)", k, dtype_text(i->dtype), i->engine);
    }
    int code = shape_expand_dims(i);
    if (!code) i->dims[i->options->v[OPT_STACK_AXIS].u.i] = i->n;
    return code;
}

vn_array *compose_stack(vn_array *const *in, const vn__infer *i)
{
    vn_array **xs = vn__alloc((size_t)i->n * sizeof *xs);
    if (!xs) return vn__no_memory("stack"), NULL;
    for (int k = 0; k < i->n; k++) xs[k] = vn_expand_dims(in[k], i->options->v[OPT_STACK_AXIS].u.i);
    vn_array *z = vn_concat(i->n, xs, i->options->v[OPT_STACK_AXIS].u.i);
    vn__free(xs);
    return z;
}

/* ---- pad ---- */

typedef enum { CONSTANT, EDGE, REFLECT, SYMMETRIC, WRAP } pad_mode; /* as the row has them */

static pad_mode mode_of(const vn__infer *i)
{
    return (pad_mode)vn__choice(i, OPT_PAD_MODE);
}

static int check_pad_value(vn__infer *i)
{
    if (mode_of(i) == CONSTANT && !vn__fits(i->options->v[OPT_PAD_VALUE].u.f, i->dtype))
        FAIL(VN_E_DTYPE, "the value %g does not fit into %s (%s)", i->options->v[OPT_PAD_VALUE].u.f, dtype_text(i->dtype), i->engine);
    return VN_OK;
}

int shape_pad(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    int code = check_pad_value(i);
    if (!code) code = vn__rule_list(i, OPT_PAD_BEFORE, x->rank);
    if (!code) code = vn__rule_list(i, OPT_PAD_AFTER, x->rank);
    if (code) return code;
    vn__rule_result(i, x->rank, vn__node_dims(x));
    for (int a = 0; a < x->rank; a++) {
        int64_t before = i->options->v[OPT_PAD_BEFORE].is[a], after = i->options->v[OPT_PAD_AFTER].is[a], n = i->dims[a];
        bool constant = mode_of(i) == CONSTANT;
        if (!constant && (before < 0 || after < 0))
            FAIL(VN_E_ARG, "only mode constant takes negative amounts, axis %d has %lld and %lld (%s)", a, (long long)before,
                 (long long)after, i->engine);
        if (!constant && !n && (before || after))
            FAIL(VN_E_SHAPE, "axis %d of %s is empty, only mode constant can extend it (%s)", a, shape_text(x, s), i->engine);
        bool too_large = __builtin_add_overflow(n, before, &n) || __builtin_add_overflow(n, after, &n);
        if (too_large || n < 0 || before < -i->dims[a] || after < -i->dims[a])
            FAIL(VN_E_SHAPE, "%lld before and %lld after axis %d of %s do not leave a valid shape (%s)", (long long)before,
                 (long long)after, a, shape_text(x, s), i->engine);
        i->dims[a] = n;
    }
    return VN_OK;
}

static vn_array *pad_with_value(vn_array *x, const vn__infer *i)
{
    vn_shape start = {.rank = i->rank}, size = vn_shape_of(x), place = start;
    for (int a = 0; a < i->rank; a++) {
        int64_t before = i->options->v[OPT_PAD_BEFORE].is[a], after = i->options->v[OPT_PAD_AFTER].is[a];
        if (before < 0) start.dim[a] = -before, size.dim[a] += before;
        else place.dim[a] = before;
        if (after < 0) size.dim[a] += after;
    }
    vn_array *around = vn_broadcast_to(vn__number(x, i->options->v[OPT_PAD_VALUE].u.f), vn__result_shape(i));
    return vn_slice_set(around, vn_slice_at(x, start, size), vn__index(x, place));
}

/* An axis of x, extended periodically in both directions with `period` elements: x itself, or x and its mirror image, which for
 * reflect has the end elements only once. */
typedef struct {
    int axis;
    bool mirrored;
    int64_t n, period, overlap; /* overlap: 1 where the ends are not doubled */
} endless;

static endless continuation(int axis, int64_t n, pad_mode mode)
{
    bool mirrored = mode == REFLECT || mode == SYMMETRIC;
    int64_t overlap = mode == REFLECT;
    return (endless){axis, mirrored, n, mirrored ? 2 * (n - overlap) : n, overlap};
}

static vn_array *one_period(vn_array *x, endless e)
{
    if (!e.mirrored) return x;
    vn_array *back = vn_flip(vn__piece(x, e.axis, e.overlap, e.n - 2 * e.overlap), VN_AXES(e.axis));
    return vn_concat(2, (vn_array *[]){x, back}, e.axis);
}

static vn_array *periods(vn_array *x, int axis, int64_t n)
{
    vn_shape times = {.rank = vn_rank(x)};
    for (int k = 0; k < times.rank; k++) times.dim[k] = k == axis ? n : 1;
    return n == 1 ? x : vn_tile(x, times);
}

/* `count` elements of it starting at `from`. A piece inside x or its mirror image is a plain slice. */
static vn_array *continued(vn_array *x, endless e, int64_t from, int64_t count)
{
    int64_t at = (from % e.period + e.period) % e.period;
    if (at + count <= e.n) return vn__piece(x, e.axis, at, count);
    if (e.mirrored && at >= e.n - e.overlap && at + count <= e.period + e.overlap)
        return vn_flip(vn__piece(x, e.axis, e.period + e.overlap - at - count, count), VN_AXES(e.axis));
    int64_t times = (at + count - 1) / e.period + 1;
    return vn__piece(periods(one_period(x, e), e.axis, times), e.axis, at, count);
}

static vn_array *repeat_end(vn_array *x, int axis, int64_t at, int64_t n)
{
    vn_array *end = vn__piece(x, axis, at, 1);
    vn_shape s = vn_shape_of(end);
    s.dim[axis] = n;
    return vn_broadcast_to(end, s);
}

vn_array *compose_pad(vn_array *const *in, const vn__infer *i)
{
    pad_mode mode = mode_of(i);
    if (mode == CONSTANT) return pad_with_value(in[0], i);
    vn_array *x = in[0];
    for (int a = 0; a < i->rank && x; a++) {
        int64_t before = i->options->v[OPT_PAD_BEFORE].is[a], after = i->options->v[OPT_PAD_AFTER].is[a], n = vn_dim(x, a);
        if (!before && !after) continue;
        bool ends = mode == EDGE || (mode == REFLECT && n == 1);
        endless e = continuation(a, n, mode);
        vn_array *parts[3];
        int n_parts = 0;
        if (before) parts[n_parts++] = ends ? repeat_end(x, a, 0, before) : continued(x, e, -before, before);
        parts[n_parts++] = x;
        if (after) parts[n_parts++] = ends ? repeat_end(x, a, n - 1, after) : continued(x, e, n, after);
        x = vn_concat(n_parts, parts, a);
    }
    return vn_reshape(x, vn__result_shape(i));
}

/* ---- roll ---- */

int shape_roll(vn__infer *i)
{
    int n = i->options->v[OPT_ROLL_SHIFT].n, axes = i->options->v[OPT_ROLL_AXES].n, rank = i->in[0]->rank;
    if (n < 1 || n > VN_MAX_RANK) FAIL(VN_E_ARG, "%d shifts given (%s)", n, i->engine);
    if (axes == VN__ALL_AXES) {
        if (n > 1) FAIL(VN_E_ARG, "%d shifts given for the flattened x, one is needed (%s)", n, i->engine);
        return shape_same(i);
    }
    if (axes < 0 || axes > VN_MAX_RANK || (n != 1 && n != axes)) FAIL(VN_E_ARG, "%d shifts given for %d axes (%s)", n, axes, i->engine);
    for (int k = 0; k < axes; k++) { /* one axis may be given twice: its shifts add up */
        int64_t *a = &i->options->v[OPT_ROLL_AXES].is[k];
        if (*a < -rank || *a >= rank) FAIL(VN_E_ARG, "axis %lld is outside the rank %d of x (%s)", (long long)*a, rank, i->engine);
        if (*a < 0) *a += rank;
    }
    return shape_same(i);
}

static vn_array *rolled(vn_array *x, int axis, int64_t shift)
{
    int64_t n = vn_dim(x, axis), by = n > 0 ? (shift % n + n) % n : 0;
    if (!by) return x;
    return vn_concat(2, (vn_array *[]){vn__piece(x, axis, n - by, by), vn__piece(x, axis, 0, n - by)}, axis);
}

vn_array *compose_roll(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0];
    if (i->options->v[OPT_ROLL_AXES].n == VN__ALL_AXES) x = rolled(vn_flatten(x), 0, i->options->v[OPT_ROLL_SHIFT].is[0]);
    for (int k = 0; k < i->options->v[OPT_ROLL_AXES].n && x; k++)
        x = rolled(x, (int)i->options->v[OPT_ROLL_AXES].is[k],
                   i->options->v[OPT_ROLL_SHIFT].is[i->options->v[OPT_ROLL_SHIFT].n == 1 ? 0 : k]);
    return vn_reshape(x, vn__result_shape(i));
}

/* ---- tile, repeat ---- */

static int times(vn__infer *i, int axis, int64_t by)
{
    if (by < 0) FAIL(VN_E_ARG, "axis %d repeated %lld times (%s)", axis, (long long)by, i->engine);
    if (__builtin_mul_overflow(i->dims[axis], by, &i->dims[axis]))
        FAIL(VN_E_SHAPE, "axis %d repeated %lld times is too large to address (%s)", axis, (long long)by, i->engine);
    return VN_OK;
}

int shape_tile(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int n = i->options->v[OPT_TILE_REPETITIONS].n, code = VN_OK;
    if (n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->rank = vn__max(n, x->rank);
    for (int k = 0; k < i->rank; k++) i->dims[k] = k < i->rank - x->rank ? 1 : vn__node_dims(x)[k - (i->rank - x->rank)];
    for (int k = 0; k < n && !code; k++) code = times(i, i->rank - n + k, i->options->v[OPT_TILE_REPETITIONS].is[k]);
    return code;
}

/* The last axis first, so that what is copied repeatedly is still small. */
vn_array *compose_tile(vn_array *const *in, const vn__infer *i)
{
    if (is_empty(i)) return nothing(in[0], i);
    vn_array *x = in[0];
    vn_shape s = vn__result_shape(i);
    int n = i->options->v[OPT_TILE_REPETITIONS].n;
    for (int k = 0; k < n; k++) s.dim[i->rank - n + k] /= i->options->v[OPT_TILE_REPETITIONS].is[k];
    for (int k = n - 1; k >= 0; k--) {
        int axis = i->rank - n + k;
        int64_t by = i->options->v[OPT_TILE_REPETITIONS].is[k], before = outside(s, axis), rest = s.dim[axis] * inside(s, axis);
        if (by == 1) continue;
        s.dim[axis] *= by;
        x = vn_reshape(vn_broadcast_to(vn_reshape(x, VN_SHAPE(before, 1, rest)), VN_SHAPE(before, by, rest)), s);
    }
    return vn_reshape(x, vn__result_shape(i));
}

int shape_repeat(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_REPEAT_AXIS, i->in[0]->rank);
    if (!code) code = shape_same(i);
    return code ? code : times(i, (int)i->options->v[OPT_REPEAT_AXIS].u.i, i->options->v[OPT_REPEAT_REPEATS].u.i);
}

vn_array *compose_repeat(vn_array *const *in, const vn__infer *i)
{
    if (is_empty(i)) return nothing(in[0], i);
    int axis = (int)i->options->v[OPT_REPEAT_AXIS].u.i;
    vn_shape s = vn_shape_of(in[0]);
    int64_t by = i->options->v[OPT_REPEAT_REPEATS].u.i, before = outside(s, axis) * s.dim[axis], rest = inside(s, axis);
    return vn_reshape(vn_broadcast_to(vn_reshape(in[0], VN_SHAPE(before, 1, rest)), VN_SHAPE(before, by, rest)), vn__result_shape(i));
}
