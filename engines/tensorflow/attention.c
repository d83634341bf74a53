/* attention.c: emit function of attention_back. The forward way needs none: its composition is made of ops this engine has. */
#include <math.h>

#include "rows.h"

enum { Q, K, V, OUT, CT, MASK }; /* inputs */

/* All arrays have their leading axes merged: (batch, rows, columns). */
typedef struct attending {
    int64_t batch, queries, keys;
    int32_t dtype; /* to compute in */
    TF_Output in[5];
    TF_Output mask, allowed; /* a float mask; where to attend */
    int masked, added;       /* whether there are such */
} attending;

/* Input k with its leading axes merged. */
static TF_Output merged(builder *b, int k, int32_t dtype)
{
    const vn_desc *x = build_in_desc(b, k);
    int64_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1], dims[] = {1, rows, columns};
    for (int i = 0; i < x->rank - 2; i++) dims[0] *= x->dims[i];
    return build_reshape(b, build_cast(b, build_in(b, k), x->dtype, dtype), x->rank, x->dims, 3, dims);
}

/* The mask as (batch or 1, queries or 1, keys or 1). */
static TF_Output mask_of(builder *b, const attending *a)
{
    const vn_desc *mask = build_in_desc(b, MASK), *q = build_in_desc(b, Q);
    int64_t full[VN_MAX_RANK], dims[] = {1, 1, 1}, leading = 1;
    TF_Output y = build_in(b, MASK);
    for (int i = 0; i < mask->rank; i++) {
        int from_end = mask->rank - i;
        if (from_end > 2) leading *= mask->dims[i];
        else dims[3 - from_end] = mask->dims[i];
    }
    if (leading == 1) return build_reshape(b, y, mask->rank, mask->dims, 3, dims);
    for (int i = 0; i < q->rank - 2; i++) full[i] = q->dims[i];
    full[q->rank - 2] = dims[1], full[q->rank - 1] = dims[2];
    dims[0] = a->batch;
    return build_reshape(b, spread(b, y, mask->rank, mask->dims, q->rank, full), q->rank, full, 3, dims);
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
    if (b->instr->n_in > MASK) {
        const int32_t dtype = build_in_desc(b, MASK)->dtype;
        a->masked = 1, a->added = dtype != VN_BOOL;
        a->allowed = mask_of(b, a);
        if (a->added) {
            a->mask = build_cast(b, a->allowed, dtype, a->dtype);
            a->allowed = node2(b, "NotEqual", a->mask, build_number(b, a->dtype, -(double)INFINITY));
        }
    }
    if (b->instr->options[1].u.i) {
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
static TF_Output weights(builder *b, const attending *a, double scale)
{
    TF_Output zero = build_number(b, a->dtype, 0), none = build_number(b, a->dtype, -(double)INFINITY);
    TF_Output s = node2(b, "Mul", product(b, a->in[Q], 0, a->in[K], 1), build_number(b, a->dtype, scale));
    if (a->added) s = node2(b, "AddV2", s, a->mask);
    if (a->masked) s = choose(b, a->allowed, s, none);
    TF_Output top = reduce_last(b, "Max", s);
    top = choose(b, node2(b, "Equal", top, none), zero, top);
    TF_Output e = node1(b, "Exp", node2(b, "Sub", s, top)), total = reduce_last(b, "Sum", e);
    return node2(b, "RealDiv", e, choose(b, node2(b, "Equal", total, zero), build_number(b, a->dtype, 1), total));
}

/* inputs: q, k, v, out, ct and perhaps mask; options: scale FLOAT, causal INT; the gradients of q, k, v one after another */
int emit_attention_back(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *q = &program->values[instr->in[Q]], *k = &program->values[instr->in[K]], *result = &program->values[instr->out];
    attending a = {.batch = 1, .queries = q->dims[q->rank - 2], .keys = k->dims[k->rank - 2]};
    double scale = instr->options[0].u.f;
    for (int i = 0; i < q->rank - 2; i++) a.batch *= q->dims[i];
    if (a.batch * a.queries * a.keys == 0) return build_out(b, build_full(b, result->dtype, 1, result->dims, 0));
    a.dtype = VN_BIT(q->dtype) & VN_HALVES ? VN_F32 : q->dtype;
    for (int i = 0; i < 5; i++) a.in[i] = merged(b, i, a.dtype);
    apply_mask(b, &a);
    TF_Output p = weights(b, &a, scale), by_weight = product(b, a.in[CT], 0, a.in[V], 1);
    TF_Output slope = node2(b, "Mul", p, node2(b, "Sub", by_weight, reduce_last(b, "Sum", node2(b, "Mul", a.in[CT], a.in[OUT]))));
    if (a.masked) slope = choose(b, a.allowed, slope, build_number(b, a.dtype, 0));
    slope = node2(b, "Mul", slope, build_number(b, a.dtype, scale));
    TF_Output parts[] = {product(b, slope, 0, a.in[K], 0), product(b, slope, 1, a.in[Q], 0), product(b, p, 1, a.in[CT], 0)};
    for (int i = 0; i < 3; i++) parts[i] = node2(b, "Reshape", parts[i], build_ints(b, (int64_t[]){-1}, 1));
    return build_out(b, build_cast(b, build_concat(b, 3, parts, 0), a.dtype, result->dtype));
}
