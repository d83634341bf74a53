/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: emit functions of argsort and searchsorted.
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

/* The order of the last axis of x, which has n elements. */
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
    int64_t axis = instr->options[AXIS].u.i, before = 1, after = 1;
    if (out->count == 0) return build_out(b, build_full(b, VN_I64, out->rank, out->dims, 0));
    for (int i = 0; i < x->rank; i++)
        if (i != axis) *(i < axis ? &before : &after) *= x->dims[i];
    int64_t n = x->dims[axis], seen[] = {before, n, after}, rows[] = {before * after, n}, transposed[] = {before, after, n};
    TF_Output y = build_reshape(b, build_in(b, 0), x->rank, x->dims, 3, seen);
    if (after > 1) y = build_transpose(b, y);
    y = build_reshape(b, y, 3, after > 1 ? transposed : seen, 2, rows);
    y = order(b, y, x->dtype, n, instr->options[DESCENDING].u.i != 0);
    y = build_reshape(b, y, 2, rows, 3, transposed);
    if (after > 1) y = build_transpose(b, y);
    return build_out(b, build_reshape(b, y, 3, after > 1 ? seen : transposed, out->rank, out->dims));
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
