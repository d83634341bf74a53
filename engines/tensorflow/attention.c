/* attention.c: emit functions of attention and attention_back. In a program with both the weights are computed once. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "rows.h"

enum { Q, K, V, OUT, CT }; /* inputs; a mask follows, on the way forward after V */

/* All arrays have their leading axes merged: (batch, rows, columns). */
typedef struct attending {
    int64_t batch, queries, keys;
    int32_t dtype; /* to compute in */
    TF_Output in[5];
    TF_Output mask, allowed; /* a float mask; where to attend */
    int masked, added;       /* whether there are such */
    int mask_at;             /* its input */
    const vn_desc *out;      /* of the way forward: all leading axes, queries, features */
    double scale;
    int causal;
} attending;

/* What is made of the rows of weights is multiplied by `factor`, and `more` is added; both (batch, queries, 1). Only without a mask. */
typedef struct correction {
    TF_Output factor, more;
} correction;

/* The weights of an attention seen before: what they came from, and they. */
struct attended {
    struct attended *next;
    TF_Output from[3]; /* q, k, mask */
    double scale;
    int causal;
    TF_Output weights;
    correction row;
};

void attended_free(struct attended *seen)
{
    while (seen) {
        struct attended *next = seen->next;
        free(seen);
        seen = next;
    }
}

static attending attending_of(const builder *b, const vn_desc *out, int mask_at)
{
    const vn_desc *q = build_in_desc(b, Q), *k = build_in_desc(b, K);
    attending a = {.batch = 1, .queries = q->dims[q->rank - 2], .keys = k->dims[k->rank - 2], .mask_at = mask_at, .out = out};
    for (int i = 0; i < out->rank - 2; i++) a.batch *= out->dims[i];
    a.dtype = VN_BIT(q->dtype) & VN_HALVES ? VN_F32 : q->dtype;
    a.scale = b->instr->options[0].u.f;
    a.causal = b->instr->options[1].u.i != 0;
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

/* x where any of `allowed` along the axis is true, 0 elsewhere: what nobody attends to is ignored, NaN too. */
static TF_Output only_attended(builder *b, const attending *a, TF_Output x, int axis)
{
    TF_OperationDescription *node = build_begin(b, "Any", 2, (TF_Output[]){a->allowed, build_ints(b, (int64_t[]){axis}, 1)});
    if (node) api.TF_SetAttrBool(node, "keep_dims", 1);
    TF_Output any = build_end(b, node);
    if (axis == 1) any = node2(b, "Transpose", any, build_ints(b, (int64_t[]){0, 2, 1}, 3));
    return choose(b, any, x, build_number(b, a->dtype, 0));
}

/* Reads the mask and what it leaves of q, k and v. */
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

static TF_Output product(builder *b, TF_Output x, int turn_x, TF_Output y, int turn_y)
{
    TF_OperationDescription *node = build_begin(b, "BatchMatMulV2", 2, (TF_Output[]){x, y});
    if (node) api.TF_SetAttrBool(node, "adj_x", turn_x != 0), api.TF_SetAttrBool(node, "adj_y", turn_y != 0);
    return build_end(b, node);
}

/* What each query takes of each key; zeros for one that attends to nothing. */
static TF_Output masked_weights(builder *b, const attending *a)
{
    TF_Output zero = build_number(b, a->dtype, 0), none = build_number(b, a->dtype, -(double)INFINITY);
    TF_Output s = node2(b, "Mul", product(b, a->in[Q], 0, a->in[K], 1), build_number(b, a->dtype, a->scale));
    if (a->added) s = node2(b, "AddV2", s, a->mask);
    s = choose(b, a->allowed, s, none);
    TF_Output top = reduce_last(b, "Max", s);
    top = choose(b, node2(b, "Equal", top, none), zero, top);
    TF_Output e = node1(b, "Exp", node2(b, "Sub", s, top)), total = reduce_last(b, "Sum", e);
    return node2(b, "RealDiv", e, choose(b, node2(b, "Equal", total, zero), build_number(b, a->dtype, 1), total));
}

/* Without a mask there is a kernel. Two kinds of rows it does not do as they should be, and what is made of the weights, which is smaller
 * than they, is corrected instead: a row with NaN or inf, of which all must be NaN, and one of -inf only, which must be 0. */
static TF_Output plain_weights(builder *b, const attending *a, correction *row)
{
    TF_Output q = node2(b, "Mul", a->in[Q], build_number(b, a->dtype, a->scale)), s = product(b, q, 0, a->in[K], 1);
    TF_Output top = reduce_last(b, "Max", s), zero = build_number(b, a->dtype, 0);
    TF_Output none = node2(b, "Equal", top, build_number(b, a->dtype, -(double)INFINITY));
    row->factor = choose(b, none, zero, build_number(b, a->dtype, 1));
    row->more = choose(b, none, zero, node2(b, "Sub", top, top));
    return node1(b, "Softmax", node2(b, "Maximum", s, build_number(b, a->dtype, a->dtype == VN_F64 ? -DBL_MAX : -(double)FLT_MAX)));
}

static int same(TF_Output x, TF_Output y)
{
    return x.oper == y.oper && x.index == y.index;
}

static TF_Output weights(builder *b, const attending *a, correction *row)
{
    const TF_Output mask = b->instr->n_in > a->mask_at ? build_in(b, a->mask_at) : (TF_Output){0};
    struct attended now = {.next = b->attended, .from = {build_in(b, Q), build_in(b, K), mask}, .scale = a->scale, .causal = a->causal};
    for (const struct attended *seen = b->attended; seen; seen = seen->next) {
        int equal = !(seen->scale < now.scale || seen->scale > now.scale) && seen->causal == now.causal;
        for (int i = 0; i < 3; i++) equal = equal && same(seen->from[i], now.from[i]);
        if (!equal) continue;
        *row = seen->row;
        return seen->weights;
    }
    now.weights = a->masked ? masked_weights(b, a) : plain_weights(b, a, &now.row);
    *row = now.row;
    struct attended *kept = malloc(sizeof *kept); /* without memory they are computed again */
    if (kept) *kept = now, b->attended = kept;
    return now.weights;
}

static TF_Output corrected(builder *b, const attending *a, TF_Output x, correction row)
{
    return a->masked ? x : node2(b, "AddV2", node2(b, "Mul", x, row.factor), row.more);
}

/* inputs: q, k, v and perhaps mask; options: scale FLOAT, causal INT */
int emit_attention(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    attending a = attending_of(b, out, OUT);
    if (out->count == 0 || a.keys == 0) return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
    for (int i = 0; i < 3; i++) a.in[i] = merged(b, &a, i);
    apply_mask(b, &a);
    correction row;
    TF_Output p = weights(b, &a, &row), y = corrected(b, &a, product(b, p, 0, a.in[V], 0), row);
    const int64_t dims[] = {a.batch, a.queries, out->dims[out->rank - 1]};
    return build_out(b, build_cast(b, build_reshape(b, y, 3, dims, out->rank, out->dims), a.dtype, out->dtype));
}

/* inputs: q, k, v, out, ct and perhaps mask; options: scale FLOAT, causal INT; the gradients of q, k, v one after another */
int emit_attention_back(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *result = &program->values[instr->out];
    attending a = attending_of(b, &program->values[instr->in[OUT]], CT + 1);
    if (a.batch * a.queries * a.keys == 0) return build_out(b, build_full(b, result->dtype, 1, result->dims, 0));
    for (int i = 0; i < 5; i++) a.in[i] = merged(b, &a, i);
    apply_mask(b, &a);
    correction row;
    TF_Output p = weights(b, &a, &row), scale = build_number(b, a.dtype, a.scale);
    a.in[CT] = corrected(b, &a, a.in[CT], row);
    TF_Output by_weight = product(b, a.in[CT], 0, a.in[V], 1), mean = reduce_last(b, "Sum", node2(b, "Mul", a.in[CT], a.in[OUT]));
    TF_Output slope = node2(b, "Mul", node2(b, "Sub", by_weight, mean), p);
    if (a.masked) slope = choose(b, a.allowed, slope, build_number(b, a.dtype, 0));
    TF_Output parts[] = {node2(b, "Mul", product(b, slope, 0, a.in[K], 0), scale), product(b, slope, 1, node2(b, "Mul", a.in[Q], scale), 0),
                         product(b, p, 1, a.in[CT], 0)};
    for (int i = 0; i < 3; i++) parts[i] = node2(b, "Reshape", parts[i], build_ints(b, (int64_t[]){-1}, 1));
    return build_out(b, build_cast(b, build_concat(b, 3, parts, 0), a.dtype, result->dtype));
}
