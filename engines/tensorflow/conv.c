/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: emit functions of conv, conv_input and conv_filter.
 *
 * TensorFlow's kernels take floats, and in the backward pass no dilation and no groups except depthwise. Everything else is computed
 * tap by tap, a tap being one position in the filter: its elements of x are a strided slice, and its contribution to the result is a
 * matrix product per group. If an operand is empty the result is zeros. */
#include <stdlib.h>

#include "window.h"

typedef struct convolution {
    window w;
    int64_t batch, channels, filters, groups; /* channels of x, of the result */
    int32_t dtype;                            /* to compute in */
} convolution;

/* x [N, in..., C], y [N, out..., O] and a filter of the given size */
static convolution plan(builder *b, const vn_desc *x, const vn_desc *y, const int64_t *size)
{
    const vn_option *options = b->instr->options;
    convolution c = {.w = window_between(x, y, size, options), .batch = x->dims[0], .groups = options[GROUPS].u.i};
    c.channels = x->dims[x->rank - 1], c.filters = y->dims[y->rank - 1];
    c.dtype = build_lift(b, "BatchMatMulV2", build_out_desc(b)->dtype);
    return c;
}

static TF_Output input(builder *b, const convolution *c, int k)
{
    return build_relabel(b, build_in(b, k), build_in_desc(b, k)->dtype, c->dtype);
}

/* y has all elements of the result, in order. */
static int finish(builder *b, const convolution *c, TF_Output y)
{
    const vn_desc *out = build_out_desc(b);
    y = node2(b, "Reshape", y, build_ints(b, out->dims, out->rank));
    return build_out(b, build_relabel(b, y, c->dtype, out->dtype));
}

static int is_empty(builder *b)
{
    return build_in_desc(b, 0)->count == 0 || build_in_desc(b, 1)->count == 0 || build_out_desc(b)->count == 0;
}

static int finish_empty(builder *b)
{
    const vn_desc *out = build_out_desc(b);
    return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
}

/* ---- TensorFlow's kernels: 2 or 3 spatial axes; 1 is treated as 2 ---- */

static int is_dilated(const convolution *c)
{
    for (int a = 0; a < c->w.n; a++)
        if (c->w.dilation[a] > 1) return 1;
    return 0;
}

/* Is it depthwise? Then the backward pass has separate kernels, for equal strides. */
static int is_depthwise(const convolution *c)
{
    return c->w.n < 3 && c->groups == c->channels && c->w.stride[0] == c->w.stride[c->w.n - 1];
}

/* oneDNN, which TensorFlow 2.21 uses, reads wrong elements of a single channel where the result has one position along the last axis, a larger stride there and
 * stride 1 along the axis before. */
static int is_misread(const convolution *c)
{
    int last = c->w.n - 1;
    return last > 0 && c->channels == 1 && c->w.out[last] == 1 && c->w.stride[last] > 1 && c->w.stride[last - 1] == 1;
}

/* Is there a kernel, and is it right? */
static int is_direct(const convolution *c, int back)
{
    if (!(VN_BIT(c->dtype) & VN_FLOATS) || (!back && is_misread(c))) return 0;
    if (back) return !is_dilated(c) && (c->groups == 1 || is_depthwise(c));
    return c->w.n < 3 || (!is_dilated(c) && c->groups == 1);
}

/* A list with an entry for each axis, `more` for an inserted spatial axis. Returns its length. */
static int spread_list(const convolution *c, int64_t *list, int64_t first, int64_t more, const int64_t *spatial, int64_t last)
{
    int n = 0;
    list[n++] = first;
    if (c->w.n == 1) list[n++] = more;
    for (int a = 0; a < c->w.n; a++) list[n++] = spatial[a];
    list[n++] = last;
    return n;
}

static TF_Output as_images(builder *b, const convolution *c, TF_Output x, const int64_t *spatial, int64_t channels)
{
    int64_t dims[SPATIAL + 2];
    int n = spread_list(c, dims, c->batch, 1, spatial, channels);
    return c->w.n == 1 ? node2(b, "Reshape", x, build_ints(b, dims, n)) : x;
}

/* The dims of the filter for the kernels; depthwise ones in the backward pass take [kernel..., C, O/C]. Returns their number. */
static int filter_dims(const convolution *c, int depthwise, int64_t *dims)
{
    int n = 0;
    if (c->w.n == 1) dims[n++] = 1;
    for (int a = 0; a < c->w.n; a++) dims[n++] = c->w.size[a];
    dims[n++] = depthwise ? c->channels : c->channels / c->groups;
    dims[n++] = depthwise ? c->filters / c->channels : c->filters;
    return n;
}

static TF_Output as_filter(builder *b, const convolution *c, TF_Output w, int depthwise)
{
    int64_t dims[SPATIAL + 2];
    int n = filter_dims(c, depthwise, dims);
    return node2(b, "Reshape", w, build_ints(b, dims, n));
}

/* Three spatial axes are padded first, and cropped after the backward pass: Conv3D has no explicit padding. */
static TF_Output direct(builder *b, const convolution *c, const char *op, int n_in, const TF_Output *in)
{
    int64_t list[2 * (SPATIAL + 2)] = {0};
    int n, padded = 0;
    TF_OperationDescription *node = build_begin(b, op, n_in, in);
    if (!node) return (TF_Output){0};
    n = spread_list(c, list, 1, c->w.stride[0], c->w.stride, 1);
    api.TF_SetAttrIntList(node, "strides", list, n);
    n = spread_list(c, list, 1, 1, c->w.dilation, 1);
    api.TF_SetAttrIntList(node, "dilations", list, n);
    for (int i = 0; i < 2 * n; i++) list[i] = 0;
    for (int a = 0; a < c->w.n && c->w.n < 3; a++) {
        int at = 2 * (n - 1 - c->w.n + a);
        list[at] = c->w.low[a], list[at + 1] = c->w.high[a];
        padded |= list[at] || list[at + 1];
    }
    if (padded && window_is_same(&c->w)) {
        api.TF_SetAttrString(node, "padding", "SAME", 4);
    } else if (padded) {
        api.TF_SetAttrString(node, "padding", "EXPLICIT", 8);
        api.TF_SetAttrIntList(node, "explicit_paddings", list, 2 * n);
    } else {
        api.TF_SetAttrString(node, "padding", "VALID", 5);
    }
    return build_end(b, node);
}

/* x of three spatial axes with its padding. */
static TF_Output padded(builder *b, const convolution *c, TF_Output x)
{
    int64_t low[SPATIAL + 2] = {0}, high[SPATIAL + 2] = {0};
    for (int a = 0; a < c->w.n && c->w.n == 3; a++) low[a + 1] = c->w.low[a], high[a + 1] = c->w.high[a];
    return window_pad(b, x, c->w.n + 2, low, high, build_number(b, c->dtype, 0));
}

static TF_Output sizes(builder *b, const int64_t *dims, int n)
{
    return build_cast(b, build_ints(b, dims, n), VN_I64, VN_I32);
}

static TF_Output direct_forward(builder *b, const convolution *c)
{
    TF_Output x = as_images(b, c, input(b, c, 0), c->w.in, c->channels), w = as_filter(b, c, input(b, c, 1), 0);
    return direct(b, c, c->w.n == 3 ? "Conv3D" : "Conv2D", 2, (TF_Output[]){padded(b, c, x), w});
}

static TF_Output direct_input(builder *b, const convolution *c)
{
    int depthwise = c->groups > 1;
    TF_Output ct = as_images(b, c, input(b, c, 0), c->w.out, c->filters), w = as_filter(b, c, input(b, c, 1), depthwise);
    const char *op = c->w.n == 3 ? "Conv3DBackpropInputV2" : depthwise ? "DepthwiseConv2dNativeBackpropInput" : "Conv2DBackpropInput";
    int64_t whole[SPATIAL], dims[SPATIAL + 2], start[SPATIAL + 2] = {0};
    for (int a = 0; a < c->w.n; a++) whole[a] = c->w.in[a] + (c->w.n == 3 ? c->w.low[a] + c->w.high[a] : 0);
    int n = spread_list(c, dims, c->batch, 1, whole, c->channels);
    TF_Output x = direct(b, c, op, 3, (TF_Output[]){sizes(b, dims, n), w, ct});
    if (c->w.n < 3) return x;
    for (int a = 0; a < c->w.n; a++) start[a + 1] = c->w.low[a], dims[a + 1] = c->w.in[a];
    return node3(b, "Slice", x, build_ints(b, start, n), build_ints(b, dims, n));
}

static TF_Output direct_filter(builder *b, const convolution *c)
{
    int depthwise = c->groups > 1;
    TF_Output x = as_images(b, c, input(b, c, 0), c->w.in, c->channels), ct = as_images(b, c, input(b, c, 1), c->w.out, c->filters);
    const char *op = c->w.n == 3 ? "Conv3DBackpropFilterV2" : depthwise ? "DepthwiseConv2dNativeBackpropFilter" : "Conv2DBackpropFilter";
    int64_t dims[SPATIAL + 2];
    int n = filter_dims(c, depthwise, dims);
    return direct(b, c, op, 3, (TF_Output[]){padded(b, c, x), sizes(b, dims, n), ct});
}

/* ---- tap by tap ---- */

static int64_t taps_of(const convolution *c)
{
    int64_t taps = 1;
    for (int a = 0; a < c->w.n; a++) taps *= c->w.size[a];
    return taps;
}

/* Rows of a group's matrix: batch times positions. */
static int64_t positions_of(const convolution *c)
{
    int64_t positions = c->batch;
    for (int a = 0; a < c->w.n; a++) positions *= c->w.out[a];
    return positions;
}

/* [N, spatial..., channels] with an axis of groups before: [groups, N, spatial..., channels/groups]. */
static TF_Output by_group(builder *b, const convolution *c, TF_Output x, const int64_t *spatial, int64_t channels)
{
    int n = c->w.n;
    int64_t split[SPATIAL + 3], order[SPATIAL + 3], whole[SPATIAL + 3];
    split[0] = whole[1] = c->batch;
    for (int a = 0; a < n; a++) split[a + 1] = whole[a + 2] = spatial[a], order[a + 2] = a + 1;
    split[n + 1] = whole[0] = c->groups, split[n + 2] = whole[n + 2] = channels / c->groups;
    order[0] = n + 1, order[1] = 0, order[n + 2] = n + 2;
    if (c->groups == 1) return node2(b, "Reshape", x, build_ints(b, whole, n + 3));
    x = node2(b, "Reshape", x, build_ints(b, split, n + 3));
    return build_permute(b, x, n + 3, order);
}

/* The inverse: groups become part of the channels again. */
static TF_Output from_groups(builder *b, const convolution *c, TF_Output x)
{
    int n = c->w.n;
    int64_t order[SPATIAL + 3];
    for (int i = 0; i <= n; i++) order[i] = i + 1;
    order[n + 1] = 0, order[n + 2] = n + 2;
    return c->groups == 1 ? x : build_permute(b, x, n + 3, order);
}

/* [groups, N, out..., m] as matrices [groups, positions, m]. */
static TF_Output as_matrices(builder *b, const convolution *c, TF_Output x, int64_t m)
{
    return node2(b, "Reshape", x, build_ints(b, (int64_t[]){c->groups, positions_of(c), m}, 3));
}

/* The filter as matrices [taps, groups, C/groups, O/groups], unstacked: one output per tap. */
static TF_Output filter_taps(builder *b, const convolution *c, TF_Output w)
{
    int64_t taps = taps_of(c), split[] = {taps, c->channels / c->groups, c->groups, c->filters / c->groups};
    w = node2(b, "Reshape", w, build_ints(b, split, 4));
    w = build_permute(b, w, 4, (int64_t[]){0, 2, 1, 3});
    TF_OperationDescription *node = build_begin(b, "Unpack", 1, &w);
    if (node) api.TF_SetAttrInt(node, "num", taps);
    return build_end(b, node);
}

/* A tap's elements in the padded x by groups: start, count and stride. */
typedef struct meeting {
    int64_t start[SPATIAL + 3], count[SPATIAL + 3], stride[SPATIAL + 3];
} meeting;

static meeting meet(const convolution *c, int64_t tap)
{
    int n = c->w.n;
    meeting m = {.count = {c->groups, c->batch}, .stride = {1, 1}};
    for (int a = n - 1; a >= 0; a--) {
        m.start[a + 2] = tap % c->w.size[a] * c->w.dilation[a], tap /= c->w.size[a];
        m.count[a + 2] = c->w.out[a], m.stride[a + 2] = c->w.stride[a];
    }
    m.count[n + 2] = c->channels / c->groups, m.stride[n + 2] = 1;
    return m;
}

/* x by groups, padded. */
static TF_Output padded_groups(builder *b, const convolution *c, TF_Output x)
{
    int64_t low[SPATIAL + 3] = {0}, high[SPATIAL + 3] = {0};
    for (int a = 0; a < c->w.n; a++) low[a + 2] = c->w.low[a], high[a + 2] = c->w.high[a];
    return window_pad(b, by_group(b, c, x, c->w.in, c->channels), c->w.n + 3, low, high, build_number(b, c->dtype, 0));
}

/* The elements of a tap, as matrices. */
static TF_Output met(builder *b, const convolution *c, TF_Output x, int64_t tap)
{
    meeting m = meet(c, tap);
    return as_matrices(b, c, window_pick(b, x, c->w.n + 3, m.start, m.count, m.stride), c->channels / c->groups);
}

static TF_Output product(builder *b, TF_Output x, int turn_x, TF_Output y, int turn_y)
{
    TF_OperationDescription *node = build_begin(b, "BatchMatMulV2", 2, (TF_Output[]){x, y});
    if (node) api.TF_SetAttrBool(node, "adj_x", turn_x != 0), api.TF_SetAttrBool(node, "adj_y", turn_y != 0);
    return build_end(b, node);
}

static TF_Output forward(builder *b, const convolution *c)
{
    TF_Output x = padded_groups(b, c, input(b, c, 0)), w = filter_taps(b, c, input(b, c, 1)), y = {0};
    for (int64_t tap = 0; tap < taps_of(c); tap++) {
        TF_Output part = product(b, met(b, c, x, tap), 0, build_also(w, (int)tap), 0);
        y = tap ? node2(b, "AddV2", y, part) : part;
    }
    int64_t dims[SPATIAL + 3] = {c->groups, c->batch};
    for (int a = 0; a < c->w.n; a++) dims[a + 2] = c->w.out[a];
    dims[c->w.n + 2] = c->filters / c->groups;
    return from_groups(b, c, node2(b, "Reshape", y, build_ints(b, dims, c->w.n + 3)));
}

static int has_steps(const convolution *c)
{
    for (int a = 0; a < c->w.n; a++)
        if (c->w.stride[a] > 1) return 1;
    return 0;
}

/* m's elements scattered into zeros in the layout of the padded x by groups. */
static TF_Output put_back(builder *b, const convolution *c, const meeting *m, TF_Output part)
{
    int n = c->w.n + 3;
    int64_t end[SPATIAL + 3], dims[SPATIAL + 3] = {c->groups, c->batch};
    for (int i = 0; i < n; i++) end[i] = m->start[i] + (m->count[i] - 1) * m->stride[i] + 1;
    for (int a = 0; a < c->w.n; a++) dims[a + 2] = c->w.in[a] + c->w.low[a] + c->w.high[a];
    dims[n - 1] = m->count[n - 1];
    part = node2(b, "Reshape", part, build_ints(b, m->count, n));
    if (!has_steps(c)) {
        for (int i = 0; i < n; i++) end[i] = dims[i] - end[i];
        return window_pad(b, part, n, m->start, end, build_number(b, c->dtype, 0));
    }
    TF_Output in[] = {build_ints(b, dims, n), build_ints(b, m->start, n), build_ints(b, end, n), build_ints(b, m->stride, n), part};
    return build_node(b, "StridedSliceGrad", 5, in);
}

static TF_Output backward_input(builder *b, const convolution *c)
{
    TF_Output ct = as_matrices(b, c, by_group(b, c, input(b, c, 0), c->w.out, c->filters), c->filters / c->groups);
    TF_Output w = filter_taps(b, c, input(b, c, 1)), x = {0};
    for (int64_t tap = 0; tap < taps_of(c); tap++) {
        meeting m = meet(c, tap);
        TF_Output part = put_back(b, c, &m, product(b, ct, 0, build_also(w, (int)tap), 1));
        x = tap ? node2(b, "AddV2", x, part) : part;
    }
    int64_t start[SPATIAL + 3] = {0}, dims[SPATIAL + 3] = {c->groups, c->batch};
    for (int a = 0; a < c->w.n; a++) start[a + 2] = c->w.low[a], dims[a + 2] = c->w.in[a];
    dims[c->w.n + 2] = c->channels / c->groups;
    return from_groups(b, c, node3(b, "Slice", x, build_ints(b, start, c->w.n + 3), build_ints(b, dims, c->w.n + 3)));
}

static TF_Output backward_filter(builder *b, const convolution *c)
{
    int64_t taps = taps_of(c);
    TF_Output x = padded_groups(b, c, input(b, c, 0)), *parts = malloc((size_t)taps * sizeof *parts);
    TF_Output ct = as_matrices(b, c, by_group(b, c, input(b, c, 1), c->w.out, c->filters), c->filters / c->groups);
    if (!parts) return build_fail(b, VN_E_MEM, "out of memory"), (TF_Output){0};
    for (int64_t tap = 0; tap < taps; tap++) parts[tap] = product(b, met(b, c, x, tap), 1, ct, 0);
    TF_OperationDescription *node = build_begin(b, "Pack", 0, NULL);
    if (node) api.TF_AddInputList(node, parts, (int)taps);
    free(parts);
    return build_permute(b, build_end(b, node), 4, (int64_t[]){0, 2, 1, 3});
}

/* ---- the rows ---- */

/* inputs: x, w */
int emit_conv(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    if (is_empty(b)) return finish_empty(b);
    convolution c = plan(b, &program->values[instr->in[0]], &program->values[instr->out], program->values[instr->in[1]].dims);
    return finish(b, &c, is_direct(&c, 0) ? direct_forward(b, &c) : forward(b, &c));
}

/* inputs: ct, w */
int emit_conv_input(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    if (is_empty(b)) return finish_empty(b);
    convolution c = plan(b, &program->values[instr->out], &program->values[instr->in[0]], program->values[instr->in[1]].dims);
    return finish(b, &c, is_direct(&c, 1) ? direct_input(b, &c) : backward_input(b, &c));
}

/* inputs: x, ct */
int emit_conv_filter(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    if (is_empty(b)) return finish_empty(b);
    convolution c = plan(b, &program->values[instr->in[0]], &program->values[instr->in[1]], program->values[instr->out].dims);
    return finish(b, &c, is_direct(&c, 1) ? direct_filter(b, &c) : backward_filter(b, &c));
}
