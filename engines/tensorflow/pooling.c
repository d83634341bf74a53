/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.c: emit functions of pooling, and max pooling by comparing elements.
 *
 * TensorFlow's pooling kernels lose NaN, and lack dilation and many dtypes. But max, its position and sum over a window can be computed
 * axis by axis: the array is reshaped to (before, dim, after), and the elements of a window along that axis are
 * strided slices of it, one per window element. Adjacent windows become a separate dim, which is reduced at once.
 *
 * Unused nodes are not computed: if the backward pass uses a kernel (maxpool.c), positions are not computed.
 *
 * The number of images may be known only at run time: the desc then has -1, and products with it are negative. */
#include <math.h>

#include "pooling.h"
#include "registered.h"

/* One axis of a window, with the dims before and after merged. */
typedef struct along {
    int64_t before, after, in, out, size, stride, low, high, dilation;
} along;

/* Axis a, with the axes after it already pooled. x: [N, in..., C] */
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

/* Element `t` of all windows: (before, out, after). Gathering rows is much faster than a strided slice. */
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

/* Are the windows adjacent, without overlap or gap? */
static int side_by_side(const along *l)
{
    return (l->stride == l->size || l->out == 1) && (l->dilation == 1 || l->size == 1);
}

static TF_Output reduce(builder *b, const char *op, TF_Output x)
{
    return node2(b, op, x, build_ints(b, (int64_t[]){1}, 1));
}

/* Applies the ops (binary, and along an axis) to all windows along each axis. */
static TF_Output pool(builder *b, const char *const *ops, const window *w, const vn_desc *of, TF_Output x, TF_Output padding)
{
    for (int a = w->n - 1; a >= 0; a--) {
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
    return x;
}

static TF_Output lowest(builder *b, int32_t dtype, int32_t inner)
{
    if (VN_BIT(dtype) & VN_FLOATS) return build_number(b, inner, -(double)INFINITY);
    return build_whole(b, inner, VN_BIT(dtype) & VN_UNSIGNED ? 0 : INT64_MIN >> (64 - 8 * dtype_bytes(dtype)));
}

TF_Output pool_compared(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *dtype)
{
    static const char *const ops[] = {"Maximum", "Max"};
    *dtype = build_lift_all(b, (const char *const[]){"Maximum", "Max", "PadV2", "StridedSlice", "GatherV2", NULL}, x->dtype);
    return pool(b, ops, w, x, build_relabel(b, from, x->dtype, *dtype), lowest(b, x->dtype, *dtype));
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
    return window_between(x, y, instr->options[WINDOW].u.is, instr->options);
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
    return finish(b, pool(b, (const char *const[]){"AddV2", "Sum"}, &w, x, from, build_number(b, inner, 0)), inner);
}

/* ct of one axis, (before, out, after), added to all elements of its windows: (before, in, after). It is dilated with zeros, and shifted
 * copies for each window element are added. */
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

/* input: ct */
int emit_sum_pool_backward(void *builder_, const vn_program *program, const vn_instr *instr)
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

/* ---- positions of maxima ---- */

/* A candidate for each window: its value and its position in x, -1 in the padding. */
typedef struct found {
    TF_Output value, place;
} found;

/* Where the later of two candidates wins: it is larger, the first NaN, or the first non-padding. */
static TF_Output later_wins(builder *b, found first, found later, int floats, int32_t places)
{
    TF_Output zero = build_number(b, places, 0), wins = node2(b, "Greater", later.value, first.value);
    TF_Output real = node2(b, "LogicalAnd", node2(b, "Less", first.place, zero), node2(b, "GreaterEqual", later.place, zero));
    wins = node2(b, "LogicalOr", wins, real);
    if (!floats) return wins;
    TF_Output nan = node2(b, "LogicalAnd", node2(b, "NotEqual", later.value, later.value), node2(b, "Equal", first.value, first.value));
    return node2(b, "LogicalOr", wins, nan);
}

/* The number of each position along the spatial axes of x, for all images and channels. */
static TF_Output all_places(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t dtype)
{
    int64_t dims[VN_MAX_RANK] = {1}, n = 1;
    for (int a = 0; a < w->n; a++) n *= dims[a + 1] = w->in[a];
    dims[x->rank - 1] = 1;
    TF_Output places = node3(b, "Range", build_whole(b, dtype, 0), build_whole(b, dtype, n), build_whole(b, dtype, 1));
    return node2(b, "BroadcastTo", node2(b, "Reshape", places, build_ints(b, dims, x->rank)), node1(b, "Shape", from));
}

TF_Output pool_places(builder *b, const window *w, const vn_desc *x, TF_Output from, int32_t *dtype)
{
    static const char *const uses[] = {"Greater", "Equal", "NotEqual", "SelectV2", "PadV2", "StridedSlice", "GatherV2", NULL};
    int32_t inner = build_lift_all(b, uses, x->dtype);
    int floats = (VN_BIT(x->dtype) & VN_FLOATS) != 0;
    *dtype = x->count < INT32_MAX ? VN_I32 : VN_I64;
    TF_Output low = lowest(b, x->dtype, inner), none = build_number(b, *dtype, -1);
    found best = {build_relabel(b, from, x->dtype, inner), all_places(b, w, x, from, *dtype)};
    for (int a = w->n - 1; a >= 0; a--) { /* the last axis first, so that the first of equal elements in row-major order is found */
        along l = axis_of(w, x, a);
        found all = {padded(b, &l, best.value, low), padded(b, &l, best.place, none)};
        best = (found){met(b, &l, all.value, 0), met(b, &l, all.place, 0)};
        for (int64_t t = 1; t < l.size; t++) {
            found later = {met(b, &l, all.value, t), met(b, &l, all.place, t)};
            TF_Output wins = later_wins(b, best, later, floats, *dtype);
            best = (found){choose(b, wins, later.value, best.value), choose(b, wins, later.place, best.place)};
        }
    }
    return best.place;
}

int emit_max_pool(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *y = &program->values[instr->out], *index = y + 1;
    window w = window_of(instr, x, y);
    int32_t dtype, places = VN_I64;
    if (program->used[instr->out + 1]) {
        TF_Output at = build_full(b, VN_I64, index->rank, index->dims, -1);
        if (x->count && y->count) at = pool_places(b, &w, x, build_in(b, 0), &places);
        build_out_at(b, 1, node2(b, "Reshape", build_cast(b, at, places, VN_I64), build_ints(b, index->dims, index->rank)));
    }
    if (y->count == 0) return finish_empty(b);
    if (x->count && maxpool_fits(&w, x->dtype)) return build_out(b, maxpool(b, &w, x));
    TF_Output top = pool_compared(b, &w, x, build_in(b, 0), &dtype);
    return finish(b, top, dtype);
}

/* ---- the backward pass of max_pool ---- */

enum { INDEX = 2, CT = 3 }; /* inputs, after x and y */

/* 0, step, 2 step ...: one for each image, or for each channel. */
static TF_Output multiples(builder *b, TF_Output end, int64_t step, int32_t dtype, const int64_t *dims, int rank)
{
    TF_Output all = node3(b, "Range", build_whole(b, dtype, 0), end, build_whole(b, dtype, step));
    return node2(b, "Reshape", all, build_ints(b, dims, rank));
}

/* The number of elements of x. */
static TF_Output count_of(builder *b, const vn_desc *of, TF_Output x, int32_t dtype)
{
    if (of->dims[0] >= 0) return build_whole(b, dtype, of->count);
    TF_OperationDescription *node = build_begin(b, "Size", 1, &x);
    if (node) api.TF_SetAttrType(node, "out_type", api_dtype(dtype));
    return build_end(b, node);
}

/* Scatters ct to its positions. DenseBincount is ten times as fast as UnsortedSegmentSum, but has few dtypes; it must not get negative
 * positions, and ignores those beyond x. */
TF_Output pool_scattered(builder *b, const window *w, const vn_desc *x, TF_Output from, TF_Output index, int32_t places, int32_t of_ct,
                         TF_Output ct, int32_t *dtype)
{
    const int64_t channels = x->dims[x->rank - 1], flat[] = {-1};
    int64_t image = channels, by_image[VN_MAX_RANK], by_channel[VN_MAX_RANK], all[VN_MAX_RANK];
    for (int i = 0; i < x->rank; i++) by_image[i] = by_channel[i] = 1;
    by_image[0] = by_channel[x->rank - 1] = all[0] = -1, all[x->rank - 1] = channels;
    for (int a = 0; a < w->n; a++) image *= w->in[a], all[a + 1] = w->out[a];
    TF_Output count = count_of(b, x, from, places), at = node2(b, "Reshape", index, build_ints(b, all, x->rank));
    TF_Output outside = node2(b, "Less", at, build_number(b, places, 0));
    at = node2(b, "AddV2", node2(b, "Mul", at, build_whole(b, places, channels)), multiples(b, count, image, places, by_image, x->rank));
    at = node2(b, "AddV2", at, multiples(b, build_whole(b, places, channels), 1, places, by_channel, x->rank));
    *dtype = VN_BIT(of_ct) & VN_HALF ? VN_F32 : build_lift(b, "UnsortedSegmentSum", of_ct);
    TF_Output values = node2(b, "Reshape", build_relabel(b, ct, of_ct, *dtype), build_ints(b, flat, 1));
    const int counts = (registered_dtypes("DenseBincount") & VN_BIT(*dtype)) != 0;
    at = choose(b, outside, counts ? count : build_number(b, places, -1), at);
    at = node2(b, "Reshape", at, build_ints(b, flat, 1));
    return counts ? node3(b, "DenseBincount", at, count, values) : node3(b, "UnsortedSegmentSum", values, at, count);
}

/* inputs: x, y, index, ct */
int emit_max_pool_backward(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *ct = &program->values[instr->in[CT]];
    window w = window_of(instr, x, ct);
    int32_t dtype;
    if (x->count == 0 || ct->count == 0) return finish_empty(b);
    if (maxpool_fits(&w, x->dtype)) return build_out(b, maxpool_backward(b, &w, x));
    TF_Output y = pool_scattered(b, &w, x, build_in(b, 0), build_in(b, INDEX), VN_I64, ct->dtype, build_in(b, CT), &dtype);
    return finish(b, y, dtype);
}
