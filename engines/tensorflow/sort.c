/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: emit functions of argsort, topk, searchsorted, segment_max and segment_min.
 *
 * TensorFlow does not order NaN, and its only sort is TopKV2: descending and stable. So elements
 * are mapped to integer keys with the required order: NaN largest, -0 equal to 0; inverted bit by bit for ascending
 * order. */
#include "kernels.h"

/* How the bits of a float dtype map to an ordered integer of the same size. */
typedef struct layout {
    int32_t bits;          /* that integer */
    int32_t key;           /* a dtype to compute with */
    int64_t all, infinity; /* all bits but the sign; the bits of infinity */
} layout;

static layout layout_of(int32_t dtype)
{
    switch (dtype) {
    case VN_F16: return (layout){VN_I16, VN_I32, 0x7fff, 0x7c00};
    case VN_BF16: return (layout){VN_I16, VN_I32, 0x7fff, 0x7f80};
    case VN_F32: return (layout){VN_I32, VN_I32, INT32_MAX, 0x7f800000};
    default: return (layout){VN_I64, VN_I64, INT64_MAX, INT64_C(0x7ff0000000000000)};
    }
}

/* x as integers in the same order; *key is their dtype. */
static TF_Output sort_key(builder *b, TF_Output x, int32_t dtype, int32_t *key)
{
    *key = dtype == VN_BOOL ? VN_U8 : dtype;
    if (!(VN_BIT(dtype) & VN_FLOATS)) return build_cast(b, x, dtype, *key);
    layout l = layout_of(dtype);
    *key = l.key;
    TF_Output bits = build_cast(b, build_relabel(b, x, dtype, l.bits), l.bits, l.key), all = build_whole(b, l.key, l.all);
    TF_Output size = node2(b, "BitwiseAnd", bits, all);
    TF_Output ordered = choose(b, node2(b, "Less", bits, build_whole(b, l.key, 0)), node1(b, "Neg", size), size);
    return choose(b, node2(b, "Less", build_whole(b, l.key, l.infinity), size), all, ordered);
}

/* x seen as rows of its n elements along an axis, which is moved to the end. */
typedef struct rows {
    int64_t before, n, after;
} rows;

static rows rows_along(const vn_desc *x, int64_t axis)
{
    rows r = {1, x->dims[axis], 1};
    for (int i = 0; i < x->rank; i++)
        if (i != axis) *(i < axis ? &r.before : &r.after) *= x->dims[i];
    return r;
}

/* (before * after, n) */
static TF_Output to_rows(builder *b, TF_Output x, const vn_desc *desc, const rows *r)
{
    const int64_t seen[] = {r->before, r->n, r->after}, transposed[] = {r->before, r->after, r->n};
    x = build_reshape(b, x, desc->rank, desc->dims, 3, seen);
    if (r->after > 1) x = build_transpose(b, x);
    return build_reshape(b, x, 3, r->after > 1 ? transposed : seen, 2, (int64_t[]){r->before * r->after, r->n});
}

/* And back, with n elements along the axis. */
static TF_Output from_rows(builder *b, TF_Output y, const rows *r, int64_t n, const vn_desc *out)
{
    const int64_t seen[] = {r->before, n, r->after}, transposed[] = {r->before, r->after, n};
    y = build_reshape(b, y, 2, (int64_t[]){r->before * r->after, n}, 3, transposed);
    if (r->after > 1) y = build_transpose(b, y);
    return build_reshape(b, y, 3, r->after > 1 ? seen : transposed, out->rank, out->dims);
}

/* The positions of the n first elements of the rows of x, in their order. */
static TF_Output order(builder *b, TF_Output x, int32_t dtype, int64_t n, int descending)
{
    int32_t key;
    TF_Output keys = sort_key(b, x, dtype, &key);
    if (!descending) keys = node1(b, "Invert", keys);
    TF_OperationDescription *node = build_begin(b, "TopKV2", 2, (TF_Output[]){keys, build_whole(b, VN_I64, n)});
    if (node) api.TF_SetAttrType(node, "index_type", TF_INT64);
    return build_also(build_end(b, node), 1);
}

enum { AXIS, DESCENDING }; /* options */

int emit_argsort(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    if (out->count == 0) return build_out(b, build_full(b, VN_I64, out->rank, out->dims, 0));
    const rows r = rows_along(x, instr->options[AXIS].u.i);
    TF_Output y = order(b, to_rows(b, build_in(b, 0), x, &r), x->dtype, r.n, instr->options[DESCENDING].u.i != 0);
    return build_out(b, from_rows(b, y, &r, r.n, out));
}

enum { K = 1, SMALLEST }; /* options, after the axis */

int emit_topk(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    const int64_t k = instr->options[K].u.i;
    const int32_t inner = build_lift(b, "GatherV2", x->dtype);
    if (out->count == 0) {
        build_out(b, build_relabel(b, build_full(b, inner, out->rank, out->dims, 0), inner, x->dtype));
        return build_out_at(b, 1, build_full(b, VN_I64, out->rank, out->dims, 0));
    }
    const rows r = rows_along(x, instr->options[AXIS].u.i);
    TF_Output all = to_rows(b, build_in(b, 0), x, &r), at = order(b, all, x->dtype, k, !instr->options[SMALLEST].u.i);
    TF_OperationDescription *node =
        build_begin(b, "GatherV2", 3, (TF_Output[]){build_relabel(b, all, x->dtype, inner), at, build_number(b, VN_I64, 1)});
    if (node) api.TF_SetAttrInt(node, "batch_dims", 1);
    build_out(b, from_rows(b, build_relabel(b, build_end(b, node), inner, x->dtype), &r, k, out));
    return build_out_at(b, 1, from_rows(b, at, &r, k, out));
}

enum { RIGHT }; /* options */

/* inputs: x, an ascending vector, and values */
int emit_searchsorted(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *values = &program->values[instr->in[1]], *out = &program->values[instr->out];
    int32_t key;
    if (out->count == 0 || x->count == 0) return build_out(b, build_full(b, VN_I64, out->rank, out->dims, 0));
    TF_Output in[] = {
        build_reshape(b, sort_key(b, build_in(b, 0), x->dtype, &key), x->rank, x->dims, 2, (int64_t[]){1, x->count}),
        build_reshape(b, sort_key(b, build_in(b, 1), values->dtype, &key), values->rank, values->dims, 2, (int64_t[]){1, values->count}),
    };
    TF_OperationDescription *node = build_begin(b, instr->options[RIGHT].u.i ? "UpperBound" : "LowerBound", 2, in);
    if (node) api.TF_SetAttrType(node, "out_type", TF_INT64);
    return build_out(b, build_reshape(b, build_end(b, node), 2, (int64_t[]){1, values->count}, out->rank, out->dims));
}

/* Floats as integers of the same size in the same order: their bits, of negative ones all but the sign inverted. It is its own inverse. */
static TF_Output ordered_bits(builder *b, TF_Output bits, const layout *l)
{
    TF_Output sign = node2(b, "RightShift", bits, build_whole(b, l->bits, 8 * (int64_t)dtype_bytes(l->bits) - 1)); /* 0 or -1 */
    return node2(b, "BitwiseXor", bits, node2(b, "BitwiseAnd", sign, build_whole(b, l->bits, l->all)));
}

/* The kernels of integers give what is promised; those of floats lose NaN, and infinities where a segment has nothing else. As integers, NaN
 * must be beyond infinity in the direction that wins: its bits are inverted where they are at the other end. An empty segment gets the integer at that
 * end, and becomes infinity. */
static TF_Output float_extreme(builder *b, TF_Output x, int32_t dtype, TF_Output id, TF_Output segments)
{
    const spec *s = b->instr->row->data;
    const layout l = layout_of(dtype);
    const int largest = s->number > 0;
    TF_Output key = ordered_bits(b, build_relabel(b, x, dtype, l.bits), &l),
              none = build_whole(b, l.bits, largest ? ~l.infinity : l.infinity);
    TF_Output beyond = largest ? node2(b, "Less", key, none) : node2(b, "Less", none, key);
    key = node3(b, s->ops[0], choose(b, beyond, node1(b, "Invert", key), key), id, segments);
    key = node2(b, largest ? "Maximum" : "Minimum", key, none);
    return build_relabel(b, ordered_bits(b, key, &l), l.bits, dtype);
}

enum { SEGMENTS }; /* options */

/* inputs: x (n, ...), id (n). Numbers of no segment become -1, which TensorFlow leaves out. */
int emit_segment_extreme(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const char *op = ((const spec *)instr->row->data)->ops[0];
    const vn_desc *x = &program->values[instr->in[0]];
    const int64_t n = instr->options[SEGMENTS].u.i;
    TF_Output id = build_cast(b, build_in(b, 1), program->values[instr->in[1]].dtype, VN_I64), segments = build_whole(b, VN_I64, n);
    TF_Output inside = node2(b, "Less", build_relabel(b, id, VN_I64, VN_U64), build_whole(b, VN_U64, n));
    id = choose(b, inside, id, build_number(b, VN_I64, -1));
    if (VN_BIT(x->dtype) & VN_FLOATS) return build_out(b, float_extreme(b, build_in(b, 0), x->dtype, id, segments));
    return build_out(b, node3(b, op, build_in(b, 0), id, segments));
}
