/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: emit functions of attention and attention_backward. Both emit the same nodes for the weights, which TensorFlow computes
 * once if they are in one graph (common subexpressions). So the backward pass does not need attention's softmax statistics. */
#include <float.h>
#include <math.h>

#include "kernels.h"

enum { Q, K, V, OUT, CT, MASK_FORWARD = 3, MASK_BACKWARD = 6 }; /* inputs */

/* All arrays have their leading axes merged: (batch, rows, columns). */
typedef struct attending {
    int64_t batch, queries, keys;
    int32_t dtype; /* to compute in */
    TF_Output in[5];
    TF_Output mask, allowed; /* a float mask; a bool mask */
    int masked, added;       /* whether they exist */
    int mask_at;             /* its input */
    const vn_desc *out;      /* attention's result: all leading axes, queries, features */
    double scale;
    int causal;
} attending;

/* Corrections of results computed from rows of weights: multiplied by `factor`, plus `more`; both (batch, queries, 1). Only without a mask.
 */
typedef struct correction {
    TF_Output factor, more;
} correction;

enum { SCALE, CAUSAL }; /* options */

static attending attending_of(const builder *b, const vn_desc *out, int mask_at)
{
    const vn_desc *q = build_in_desc(b, Q), *k = build_in_desc(b, K);
    attending a = {.batch = 1, .queries = q->dims[q->rank - 2], .keys = k->dims[k->rank - 2], .mask_at = mask_at, .out = out};
    for (int i = 0; i < out->rank - 2; i++) a.batch *= out->dims[i];
    a.dtype = VN_BIT(q->dtype) & VN_HALF ? VN_F32 : q->dtype;
    a.scale = b->instr->options[SCALE].u.f;
    a.causal = b->instr->options[CAUSAL].u.i != 0;
    return a;
}

/* Input k with the leading axes of the result, merged. */
static TF_Output merged(builder *b, const attending *a, int k)
{
    const vn_desc *x = build_in_desc(b, k);
    const int rank = a->out->rank;
    int64_t full[VN_MAX_RANK], rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
    for (int i = 0; i < rank - 2; i++) full[i] = a->out->dims[i];
    full[rank - 2] = rows, full[rank - 1] = columns;
    TF_Output y = spread(b, build_cast(b, build_in(b, k), x->dtype, a->dtype), x->rank, x->dims, rank, full);
    return build_reshape(b, y, rank, full, 3, (int64_t[]){a->batch, rows, columns});
}

/* The mask as (batch or 1, queries or 1, keys or 1). */
static TF_Output mask_of(builder *b, const attending *a)
{
    const vn_desc *mask = build_in_desc(b, a->mask_at), *out = a->out;
    int64_t full[VN_MAX_RANK], dims[] = {1, 1, 1}, leading = 1;
    TF_Output y = build_in(b, a->mask_at);
    for (int i = 0; i < mask->rank; i++) {
        int from_end = mask->rank - i;
        if (from_end > 2) leading *= mask->dims[i];
        else dims[3 - from_end] = mask->dims[i];
    }
    if (leading == 1) return build_reshape(b, y, mask->rank, mask->dims, 3, dims);
    for (int i = 0; i < out->rank - 2; i++) full[i] = out->dims[i];
    full[out->rank - 2] = dims[1], full[out->rank - 1] = dims[2];
    dims[0] = a->batch;
    return build_reshape(b, spread(b, y, mask->rank, mask->dims, out->rank, full), out->rank, full, 3, dims);
}

static TF_Output numbers(builder *b, int64_t first, int64_t n, int64_t rows, int64_t columns)
{
    TF_Output y = node3(b, "Range", build_whole(b, VN_I64, first), build_whole(b, VN_I64, first + n), build_number(b, VN_I64, 1));
    return build_reshape(b, y, 1, &n, 3, (int64_t[]){1, rows, columns});
}

/* x where any of `allowed` along the axis is true, 0 elsewhere: rows that no query attends to are ignored, even NaN. */
static TF_Output only_attended(builder *b, const attending *a, TF_Output x, int axis)
{
    TF_OperationDescription *node = build_begin(b, "Any", 2, (TF_Output[]){a->allowed, build_ints(b, (int64_t[]){axis}, 1)});
    if (node) api.TF_SetAttrBool(node, "keep_dims", 1);
    TF_Output any = build_end(b, node);
    if (axis == 1) any = build_transpose(b, any);
    return choose(b, any, x, build_number(b, a->dtype, 0));
}

/* Applies the mask to q, k and v. */
static void apply_mask(builder *b, attending *a)
{
    if (b->instr->n_in > a->mask_at) {
        const int32_t dtype = build_in_desc(b, a->mask_at)->dtype;
        a->masked = 1, a->added = dtype != VN_BOOL;
        a->allowed = mask_of(b, a);
        if (a->added) {
            a->mask = build_cast(b, a->allowed, dtype, a->dtype);
            a->allowed = node2(b, "NotEqual", a->mask, build_number(b, a->dtype, -(double)INFINITY));
        }
    }
    if (a->causal) {
        TF_Output last = numbers(b, a->keys - a->queries, a->queries, a->queries, 1), key = numbers(b, 0, a->keys, 1, a->keys);
        TF_Output early = node2(b, "LessEqual", key, last);
        a->allowed = a->masked ? node2(b, "LogicalAnd", a->allowed, early) : early;
        a->masked = 1;
    }
    if (!a->masked) return;
    a->in[Q] = only_attended(b, a, a->in[Q], 2);
    a->in[K] = only_attended(b, a, a->in[K], 1);
    a->in[V] = only_attended(b, a, a->in[V], 1);
}

static TF_Output reduce_last(builder *b, const char *op, TF_Output x)
{
    TF_OperationDescription *node = build_begin(b, op, 2, (TF_Output[]){x, build_ints(b, (int64_t[]){2}, 1)});
    if (node) api.TF_SetAttrBool(node, "keep_dims", 1);
    return build_end(b, node);
}

static TF_Output product(builder *b, TF_Output x, int transpose_x, TF_Output y, int transpose_y)
{
    TF_OperationDescription *node = build_begin(b, "BatchMatMulV2", 2, (TF_Output[]){x, y});
    if (node) api.TF_SetAttrBool(node, "adj_x", transpose_x != 0), api.TF_SetAttrBool(node, "adj_y", transpose_y != 0);
    return build_end(b, node);
}

static TF_Output scores_of(builder *b, const attending *a)
{
    TF_Output scale = build_number(b, a->dtype, a->scale);
    if (!a->masked) return product(b, node2(b, "Mul", a->in[Q], scale), 0, a->in[K], 1);
    TF_Output s = node2(b, "Mul", product(b, a->in[Q], 0, a->in[K], 1), scale);
    if (a->added) s = node2(b, "AddV2", s, a->mask);
    return choose(b, a->allowed, s, build_number(b, a->dtype, -(double)INFINITY));
}

/* The largest score of each query (0 if all are -inf), the exponentials relative to it, and their sums. */
typedef struct powers {
    TF_Output top, e, total;
} powers;

static powers powers_of(builder *b, const attending *a, TF_Output s)
{
    TF_Output none = build_number(b, a->dtype, -(double)INFINITY);
    powers p = {.top = reduce_last(b, "Max", s)};
    p.top = choose(b, node2(b, "Equal", p.top, none), build_number(b, a->dtype, 0), p.top);
    p.e = node1(b, "Exp", node2(b, "Sub", s, p.top));
    p.total = reduce_last(b, "Sum", p.e);
    return p;
}

/* The attention weights; zeros for a query that attends to nothing. */
static TF_Output masked_weights(builder *b, const attending *a, TF_Output s)
{
    powers p = powers_of(b, a, s);
    TF_Output idle = node2(b, "Equal", p.total, build_number(b, a->dtype, 0));
    return node2(b, "RealDiv", p.e, choose(b, idle, build_number(b, a->dtype, 1), p.total));
}

/* Without a mask the Softmax kernel is used. It mishandles two kinds of rows: a row with NaN or inf must be all NaN, and a row of
 * only -inf must be 0. The results computed from the weights, which are smaller, are corrected instead. */
static TF_Output plain_weights(builder *b, const attending *a, TF_Output s, correction *row)
{
    TF_Output top = reduce_last(b, "Max", s), zero = build_number(b, a->dtype, 0);
    TF_Output none = node2(b, "Equal", top, build_number(b, a->dtype, -(double)INFINITY));
    row->factor = choose(b, none, zero, build_number(b, a->dtype, 1));
    row->more = choose(b, none, zero, node2(b, "Sub", top, top));
    return node1(b, "Softmax", node2(b, "Maximum", s, build_number(b, a->dtype, a->dtype == VN_F64 ? -DBL_MAX : -(double)FLT_MAX)));
}

static TF_Output weights(builder *b, const attending *a, TF_Output s, correction *row)
{
    return a->masked ? masked_weights(b, a, s) : plain_weights(b, a, s, row);
}

static TF_Output corrected(builder *b, const attending *a, TF_Output x, correction row)
{
    return a->masked ? x : node2(b, "AddV2", node2(b, "Mul", x, row.factor), row.more);
}

/* The second result: the log-sum-exp of the scores; -inf if there is nothing to attend to. */
static int emit_sums(builder *b, const attending *a, TF_Output s)
{
    const vn_desc *out = build_out_desc(b) + 1;
    powers p = powers_of(b, a, s);
    TF_Output sums = node2(b, "AddV2", node1(b, "Log", p.total), p.top);
    return build_out_at(b, 1, node2(b, "Reshape", sums, build_ints(b, out->dims, out->rank)));
}

/* inputs: q, k, v and perhaps mask */
int emit_attention(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out], *sums = out + 1;
    const int sums_used = program->used[instr->out + 1];
    attending a = attending_of(b, out, MASK_FORWARD);
    if (sums->count == 0 || a.keys == 0) {
        if (sums_used) build_out_at(b, 1, build_full(b, sums->dtype, sums->rank, sums->dims, -(double)INFINITY));
        return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
    }
    for (int i = 0; i < 3; i++) a.in[i] = merged(b, &a, i);
    apply_mask(b, &a);
    correction row;
    TF_Output s = scores_of(b, &a);
    if (sums_used) emit_sums(b, &a, s);
    if (out->count == 0) return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
    TF_Output y = corrected(b, &a, product(b, weights(b, &a, s, &row), 0, a.in[V], 0), row);
    const int64_t dims[] = {a.batch, a.queries, out->dims[out->rank - 1]};
    return build_out(b, build_cast(b, build_reshape(b, y, 3, dims, out->rank, out->dims), a.dtype, out->dtype));
}

/* inputs: q, k, v, out, ct, sums and perhaps mask; the gradients of q, k, v */
int emit_attention_backward(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *result = &program->values[instr->out];
    attending a = attending_of(b, &program->values[instr->in[OUT]], MASK_BACKWARD);
    if (a.batch * a.queries * a.keys == 0) {
        for (int i = 0; i < 3; i++) build_out_at(b, i, build_full(b, result[i].dtype, result[i].rank, result[i].dims, 0));
        return b->code;
    }
    for (int i = 0; i < 5; i++) a.in[i] = merged(b, &a, i);
    apply_mask(b, &a);
    correction row;
    TF_Output p = weights(b, &a, scores_of(b, &a), &row), scale = build_number(b, a.dtype, a.scale);
    a.in[CT] = corrected(b, &a, a.in[CT], row);
    TF_Output by_weight = product(b, a.in[CT], 0, a.in[V], 1), mean = reduce_last(b, "Sum", node2(b, "Mul", a.in[CT], a.in[OUT]));
    TF_Output slope = node2(b, "Mul", node2(b, "Sub", by_weight, mean), p);
    if (a.masked) slope = choose(b, a.allowed, slope, build_number(b, a.dtype, 0));
    TF_Output parts[] = {node2(b, "Mul", product(b, slope, 0, a.in[K], 0), scale), product(b, slope, 1, node2(b, "Mul", a.in[Q], scale), 0),
                         product(b, p, 1, a.in[CT], 0)};
    for (int i = 0; i < 3; i++) {
        TF_Output y = node2(b, "Reshape", parts[i], build_ints(b, result[i].dims, result[i].rank));
        build_out_at(b, i, build_cast(b, y, a.dtype, result[i].dtype));
    }
    return b->code;
}
