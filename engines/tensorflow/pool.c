/* pool.c: emit functions of pooling, and max pooling by comparing elements.
 *
 * TensorFlow's pooling kernels lose NaN, know no dilation and few dtypes. But a window is a box, and the largest element of a box, its
 * place and the sum can be found axis by axis: the array is seen as (before, dim, after), and the places of a window along that axis are
 * strided slices of it, as many as the window is long. Windows that lie side by side are a dim of their own, and reduced at once.
 *
 * The number of images may be one that only a run knows: a desc has -1 there, and what is multiplied by it is negative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "registered.h"

enum { WINDOW, STRIDES }; /* options; padding and dilation follow */

/* One axis of a window, around it the dims merged. */
typedef struct along {
    int64_t before, after, in, out, size, stride, low, high, dilation;
} along;

/* Axis a, where the axes after it have been pooled already. x: [N, in..., C] */
static along axis_of(const window *w, const vn_desc *x, int a)
{
    along l = {x->dims[0], x->dims[x->rank - 1], w->in[a], w->out[a], w->size[a], w->stride[a], w->low[a], w->high[a], w->dilation[a]};
    for (int i = 0; i < w->n; i++) {
        if (i < a) l.before *= w->in[i];
        if (i > a) l.after *= w->out[i];
    }
    return l;
}

static TF_Output reshaped(builder *b, TF_Output x, int64_t before, int64_t dim, int64_t after)
{
    return node2(b, "Reshape", x, build_ints(b, (int64_t[]){before < 0 ? -1 : before, dim, after}, 3));
}

/* x as (before, dim, after) with its padding. */
static TF_Output padded(builder *b, const along *l, TF_Output x, TF_Output value)
{
    return window_pad(b, reshaped(b, x, l->before, l->in, l->after), 3, (int64_t[]){0, l->low, 0}, (int64_t[]){0, l->high, 0}, value);
}

/* What place `t` of the windows meets: (before, out, after). Gathering rows is much faster than a slice with steps. */
static TF_Output met(builder *b, const along *l, TF_Output x, int64_t t)
{
    if (l->stride > 1) {
        TF_Output first = build_whole(b, VN_I64, t * l->dilation), end = build_whole(b, VN_I64, t * l->dilation + l->out * l->stride);
        TF_Output at = node3(b, "Range", first, end, build_whole(b, VN_I64, l->stride));
        return node3(b, "GatherV2", x, at, build_number(b, VN_I64, 1));
    }
    int64_t start[] = {0, t * l->dilation, 0}, count[] = {l->before, l->out, l->after}, stride[] = {1, l->stride, 1};
    return window_pick(b, x, 3, start, count, stride);
}

/* Whether windows lie side by side, none or nothing between them. */
static int side_by_side(const along *l)
{
    return (l->stride == l->size || l->out == 1) && (l->dilation == 1 || l->size == 1);
}

static TF_Output reduce(builder *b, const char *op, TF_Output x)
{
    return node2(b, op, x, build_ints(b, (int64_t[]){1}, 1));
}

/* The ops, of two arrays and along an axis, applied to all windows along each axis; after[a], unless `after` is NULL, is what there is once
 * axis a is done. */
static TF_Output pool(builder *b, const char *const *ops, const window *w, const vn_desc *of, TF_Output x, TF_Output padding,
                      TF_Output *after)
{
    for (int a = w->n - 1; a >= 0; a--) {
        if (after && a < w->n - 1) after[a + 1] = x;
        along l = axis_of(w, of, a);
        x = padded(b, &l, x, padding);
        if (side_by_side(&l)) {
            int64_t start[] = {0, 0, 0}, count[] = {l.before, l.out * l.size, l.after}, stride[] = {1, 1, 1};
            if (count[1] != l.low + l.in + l.high) x = window_pick(b, x, 3, start, count, stride);
            x = reduce(b, ops[1], reshaped(b, x, l.before * l.out, l.size, l.after));
            continue;
        }
        TF_Output y = met(b, &l, x, 0);
        for (int64_t t = 1; t < l.size; t++) y = node2(b, ops[0], y, met(b, &l, x, t));
        x = y;
    }
    if (after) after[0] = x;
    return x;
}

static TF_Output lowest(builder *b, int32_t dtype, int32_t inner)
{
    if (VN_BIT(dtype) & VN_FLOATS) return build_number(b, inner, -(double)INFINITY);
    return build_whole(b, inner, VN_BIT(dtype) & VN_UNSIGNED ? 0 : INT64_MIN >> (64 - 8 * dtype_bytes(dtype)));
}

/* The maxima of a pooling seen before, which its way back needs again. */
struct pooled {
    struct pooled *next;
    TF_Output from;
    window w;
    int32_t dtype; /* computed in */
    TF_Output after[SPATIAL];
};

void pooled_free(struct pooled *seen)
{
    while (seen) {
        struct pooled *next = seen->next;
        free(seen);
        seen = next;
    }
}

/* The maxima of `from`, those along one axis too; computed in `dtype`. after: as in pool. */
static TF_Output pool_maxima(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t dtype, TF_Output *after)
{
    static const char *const ops[] = {"Maximum", "Max"};
    for (const struct pooled *seen = b->pooled; seen; seen = seen->next) {
        if (seen->from.oper != from.oper || seen->from.index != from.index || seen->dtype != dtype) continue;
        if (!window_equal(&seen->w, w)) continue;
        memcpy(after, seen->after, sizeof seen->after);
        return after[0];
    }
    struct pooled now = {.next = b->pooled, .from = from, .w = *w, .dtype = dtype};
    pool(b, ops, w, x, build_relabel(b, from, x->dtype, dtype), lowest(b, x->dtype, dtype), now.after);
    memcpy(after, now.after, sizeof now.after);
    struct pooled *kept = malloc(sizeof *kept); /* without memory they are computed again */
    if (kept) *kept = now, b->pooled = kept;
    return after[0];
}

/* The dtype to compare elements in. */
static int32_t compared_in(builder *b, int32_t dtype)
{
    return build_lift_all(b, (const char *const[]){"Maximum", "Max", "PadV2", "StridedSlice", "GatherV2", NULL}, dtype);
}

TF_Output pool_compared(builder *b, const window *w, const vn_desc *x, TF_Output from)
{
    TF_Output after[SPATIAL];
    return pool_maxima(b, w, x, from, compared_in(b, x->dtype), after);
}

static int finish(builder *b, TF_Output y, int32_t dtype)
{
    const vn_desc *out = build_out_desc(b);
    y = node2(b, "Reshape", y, build_ints(b, out->dims, out->rank));
    return build_out(b, build_relabel(b, y, dtype, out->dtype));
}

static int finish_empty(builder *b)
{
    const vn_desc *out = build_out_desc(b);
    return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
}

static window window_of(const vn_instr *instr, const vn_desc *x, const vn_desc *y)
{
    return window_between(x, y, instr->options[WINDOW].u.is, instr->options + STRIDES);
}

int emit_max_pool(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    int32_t inner = compared_in(b, x->dtype);
    window w = window_of(instr, x, out);
    if (out->count == 0) return finish_empty(b);
    if (maxpool_fits(&w, x->dtype)) return build_out(b, maxpool(b, &w, x));
    return finish(b, pool_compared(b, &w, x, build_in(b, 0)), inner);
}

int emit_sum_pool(void *builder_, const vn_program *program, const vn_instr *instr)
{
    static const char *const uses[] = {"AddV2", "Sum", "PadV2", "StridedSlice", "GatherV2", NULL};
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    int32_t inner = build_lift_all(b, uses, x->dtype);
    window w = window_of(instr, x, out);
    if (out->count == 0) return finish_empty(b);
    TF_Output from = build_relabel(b, build_in(b, 0), x->dtype, inner);
    return finish(b, pool(b, (const char *const[]){"AddV2", "Sum"}, &w, x, from, build_number(b, inner, 0), NULL), inner);
}

/* ct of one axis, (before, out, after), added to all elements of its windows: (before, in, after). Zeros come between its elements, and the
 * copies of that for each place of the window are moved and added up. */
static TF_Output scatter_axis(builder *b, const along *l, TF_Output ct, TF_Output zero)
{
    int64_t whole = l->low + l->in + l->high, spread = (l->out - 1) * l->stride + 1;
    int64_t none[3] = {0}, ones[] = {1, 1, 1}, more[] = {0, l->stride - 1, 0}, y_dims[] = {l->before, spread, l->after};
    TF_Output y = window_pad(b, reshaped(b, ct, l->before * l->out, 1, l->after), 3, none, more, zero), sum = {0};
    y = window_pick(b, reshaped(b, y, l->before, l->out * l->stride, l->after), 3, none, y_dims, ones);
    for (int64_t t = 0; t < l->size; t++) {
        int64_t low[] = {0, t * l->dilation, 0}, high[] = {0, whole - spread - t * l->dilation, 0};
        TF_Output part = window_pad(b, y, 3, low, high, zero);
        sum = t ? node2(b, "AddV2", sum, part) : part;
    }
    int64_t start[] = {0, l->low, 0}, count[] = {l->before, l->in, l->after};
    return window_pick(b, sum, 3, start, count, ones);
}

/* input: ct; options end with the spatial sizes of the result */
int emit_sum_pool_scatter(void *builder_, const vn_program *program, const vn_instr *instr)
{
    static const char *const uses[] = {"AddV2", "PadV2", "StridedSlice", NULL};
    builder *b = builder_;
    const vn_desc *ct = &program->values[instr->in[0]], *out = &program->values[instr->out];
    int32_t inner = build_lift_all(b, uses, ct->dtype);
    window w = window_of(instr, out, ct);
    if (ct->count == 0 || out->count == 0) return finish_empty(b);
    TF_Output y = build_relabel(b, build_in(b, 0), ct->dtype, inner), zero = build_number(b, inner, 0);
    for (int a = 0; a < w.n; a++) {
        along l = axis_of(&w, out, a);
        y = scatter_axis(b, &l, y, zero);
    }
    return finish(b, y, inner);
}

/* ---- places of maxima ---- */

/* A candidate for each window: its value, and its place in x, -1 in the padding. */
typedef struct found {
    TF_Output value, place;
} found;

/* Where the later of two candidates wins: it is larger, the first NaN, or the first that is not padding. */
static TF_Output later_wins(builder *b, found first, found later, int floats, int32_t places)
{
    TF_Output zero = build_number(b, places, 0), wins = node2(b, "Greater", later.value, first.value);
    TF_Output real = node2(b, "LogicalAnd", node2(b, "Less", first.place, zero), node2(b, "GreaterEqual", later.place, zero));
    wins = node2(b, "LogicalOr", wins, real);
    if (!floats) return wins;
    TF_Output nan = node2(b, "LogicalAnd", node2(b, "NotEqual", later.value, later.value), node2(b, "Equal", first.value, first.value));
    return node2(b, "LogicalOr", wins, nan);
}

/* How many elements x has. */
static TF_Output count_of(builder *b, const vn_desc *of, TF_Output x, int32_t dtype)
{
    if (of->dims[0] >= 0) return build_whole(b, dtype, of->count);
    TF_OperationDescription *node = build_begin(b, "Size", 1, &x);
    if (node) api.TF_SetAttrType(node, "out_type", api_dtype(dtype));
    return build_end(b, node);
}

/* The places of the first maxima of all windows of `from`, one after another, as numbers of its elements; *places is their dtype. */
static TF_Output maxima(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *places)
{
    static const char *const uses[] = {"Greater", "Equal", "NotEqual", "SelectV2", "PadV2", "StridedSlice", "GatherV2", NULL};
    int32_t inner = build_lift_all(b, uses, x->dtype);
    int floats = (VN_BIT(x->dtype) & VN_FLOATS) != 0;
    *places = x->count < INT32_MAX ? VN_I32 : VN_I64;
    TF_Output low = lowest(b, x->dtype, inner), none = build_number(b, *places, -1);
    TF_Output ends[] = {build_number(b, *places, 0), count_of(b, x, from, *places), build_number(b, *places, 1)};
    found best = {build_relabel(b, from, x->dtype, inner), build_node(b, "Range", 3, ends)};
    for (int a = w->n - 1; a >= 0; a--) { /* the last axis first: of equal elements the first in row-major order is found */
        along l = axis_of(w, x, a);
        found all = {padded(b, &l, best.value, low), padded(b, &l, best.place, none)};
        best = (found){met(b, &l, all.value, 0), met(b, &l, all.place, 0)};
        for (int64_t t = 1; t < l.size; t++) {
            found later = {met(b, &l, all.value, t), met(b, &l, all.place, t)};
            TF_Output wins = later_wins(b, best, later, floats, *places);
            best = (found){choose(b, wins, later.value, best.value), choose(b, wins, later.place, best.place)};
        }
    }
    return node2(b, "Reshape", best.place, build_ints(b, (int64_t[]){-1}, 1));
}

static TF_Output flat(builder *b, TF_Output x, const vn_desc *of)
{
    return build_reshape(b, x, of->rank, of->dims, 1, &of->count);
}

/* inputs: x, u */
int emit_max_pool_gather(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *u = &program->values[instr->in[1]], *out = &program->values[instr->out];
    window w = window_of(instr, x, out);
    int32_t places, inner = build_lift_all(b, (const char *const[]){"GatherV2", "SelectV2", NULL}, u->dtype);
    if (out->count == 0 || x->count == 0) return finish_empty(b);
    TF_Output at = maxima(b, &w, x, build_in(b, 0), &places), zero = build_number(b, places, 0);
    TF_Output from = flat(b, build_relabel(b, build_in(b, 1), u->dtype, inner), u);
    TF_Output y = node3(b, "GatherV2", from, node2(b, "Maximum", at, zero), build_number(b, VN_I64, 0));
    return finish(b, choose(b, node2(b, "Less", at, zero), build_number(b, inner, 0), y), inner);
}

/* What falls to each of `size` places: sums of values (m) by their places (m, integers of dtype `of_places`); places below 0 count for
 * nothing. DenseBincount is ten times as fast as UnsortedSegmentSum, but has few dtypes. It leaves out places from `size` on, and must not
 * see others that are none. */
static TF_Output totals(builder *b, TF_Output values, int32_t dtype, TF_Output places, int32_t of_places, TF_Output size)
{
    if (!(registered_dtypes("DenseBincount") & VN_BIT(dtype))) return node3(b, "UnsortedSegmentSum", values, places, size);
    places = choose(b, node2(b, "Less", places, build_number(b, of_places, 0)), size, places);
    return node3(b, "DenseBincount", places, size, values);
}

/* ---- maxima of windows that lie side by side, without padding ---- */

enum { MOST_PLACES = 8 }; /* in a window, along an axis */

static int all_side_by_side(const window *w, const vn_desc *x)
{
    for (int a = 0; a < w->n; a++) {
        along l = axis_of(w, x, a);
        if (!side_by_side(&l) || l.low || l.high || l.size > MOST_PLACES) return 0;
    }
    return 1;
}

/* Where some place before place t, from 1 on, of an axis' windows holds what counts: the largest element, NaN being larger than all. best:
 * those, one for each window. */
static void contest(builder *b, const along *l, TF_Output x, TF_Output best, int floats, TF_Output *won_before)
{
    const int64_t windows = l->before * l->out, start[] = {0, 0, 0}, count[] = {l->before, l->out * l->size, l->after}, ones[] = {1, 1, 1};
    x = reshaped(b, x, l->before, l->in, l->after);
    if (count[1] != l->in) x = window_pick(b, x, 3, start, count, ones);
    x = reshaped(b, x, windows, l->size, l->after);
    best = reshaped(b, best, windows, 1, l->after);
    for (int t = 0; t + 1 < l->size; t++) {
        TF_Output place = window_pick(b, x, 3, (int64_t[]){0, t, 0}, (int64_t[]){windows, 1, l->after}, ones);
        TF_Output won = node2(b, "Equal", place, best);
        if (floats) won = node2(b, "LogicalOr", won, node2(b, "NotEqual", place, place));
        won_before[t + 1] = t ? node2(b, "LogicalOr", won_before[t], won) : won;
    }
}

/* ct goes to the first place of each window that holds what counts: (before, in, after). */
static TF_Output award(builder *b, const along *l, const TF_Output *won_before, TF_Output ct, TF_Output zero)
{
    TF_Output shares[MOST_PLACES];
    ct = reshaped(b, ct, l->before * l->out, 1, l->after);
    for (int t = (int)l->size - 1; t > 0; t--) {
        shares[t] = choose(b, won_before[t], zero, ct);
        ct = choose(b, won_before[t], ct, zero);
    }
    shares[0] = ct;
    TF_Output all = l->size > 1 ? build_concat(b, (int)l->size, shares, 1) : ct;
    const int64_t none[] = {0, 0, 0}, rest[] = {0, l->in - l->out * l->size, 0};
    return window_pad(b, reshaped(b, all, l->before, l->out * l->size, l->after), 3, none, rest, zero);
}

/* Maxima were found axis by axis, the last one first, so that of equal elements the first in row-major order counts; their ct goes the
 * same way back. */
static TF_Output scatter_to_places(builder *b, const window *w, const vn_desc *x, TF_Output from, TF_Output ct, TF_Output zero)
{
    TF_Output after[SPATIAL], won_before[MOST_PLACES];
    int32_t dtype = compared_in(b, x->dtype);
    pool_maxima(b, w, x, from, dtype, after);
    from = build_relabel(b, from, x->dtype, dtype);
    for (int a = 0; a < w->n; a++) {
        along l = axis_of(w, x, a);
        contest(b, &l, a < w->n - 1 ? after[a + 1] : from, after[a], (VN_BIT(x->dtype) & VN_FLOATS) != 0, won_before);
        ct = award(b, &l, won_before, ct, zero);
    }
    return ct;
}

TF_Output pool_scattered(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t of_ct, TF_Output ct, int32_t *dtype)
{
    if (all_side_by_side(w, x)) {
        *dtype = build_lift_all(b, (const char *const[]){"SelectV2", "ConcatV2", "PadV2", NULL}, of_ct);
        return scatter_to_places(b, w, x, from, build_relabel(b, ct, of_ct, *dtype), build_number(b, *dtype, 0));
    }
    int32_t places;
    *dtype = VN_BIT(of_ct) & VN_HALVES ? VN_F32 : build_lift(b, "UnsortedSegmentSum", of_ct);
    TF_Output at = maxima(b, w, x, from, &places);
    TF_Output row = node2(b, "Reshape", build_relabel(b, ct, of_ct, *dtype), build_ints(b, (int64_t[]){-1}, 1));
    return totals(b, row, *dtype, at, places, count_of(b, x, from, places));
}

/* inputs: x, ct */
int emit_max_pool_scatter(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *ct = &program->values[instr->in[1]];
    window w = window_of(instr, x, ct);
    int32_t dtype;
    if (x->count == 0 || ct->count == 0) return finish_empty(b);
    if (maxpool_fits(&w, x->dtype) && ct->dtype == x->dtype) return build_out(b, maxpool_back(b, &w, x));
    TF_Output y = pool_scattered(b, &w, x, build_in(b, 0), ct->dtype, build_in(b, 1), &dtype);
    return finish(b, y, dtype);
}
