/* SPDX-License-Identifier: Apache-2.0 */
/* special.c: emit functions of bitwise ops, of parts of complex numbers, and of special functions where TensorFlow's differ slightly from
 * the op table. */
#include <math.h>

#include "kernels.h"

/* ---- bits ---- */

/* The integer with the bits of a float dtype; an integer dtype itself. */
static int32_t bits_of(int32_t dtype)
{
    switch (dtype) {
    case VN_F16:
    case VN_BF16: return VN_I16;
    case VN_F32: return VN_I32;
    case VN_F64: return VN_I64;
    default: return dtype;
    }
}

/* TensorFlow has no bitwise ops on bool; the row's second op is the logical one. */
int emit_bitwise(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const spec *s = instr->row->data;
    int32_t dtype = program->values[instr->out].dtype;
    const char *op = s->ops[dtype == VN_BOOL ? 1 : 0];
    int32_t inner = dtype == VN_BOOL ? dtype : build_lift(b, op, dtype);
    int flat = must_flatten(b, VN_MAX_RANK);
    return elementwise_out(b, node2(b, op, operand(b, 0, inner, flat), operand(b, 1, inner, flat)), inner, flat);
}

/* Shifts by a negative number, or by the width or more: right shifts use the width minus 1 (giving -1 or 0 for signed numbers), left shifts
 * give 0. */
int emit_shift(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const char *op = ((const spec *)instr->row->data)->ops[0];
    int32_t dtype = program->values[instr->out].dtype;
    int flat = must_flatten(b, MAX_DIRECT_RANK), keep_sign = op[0] == 'R' && !(VN_BIT(dtype) & VN_UNSIGNED);
    double width = 8 * (double)dtype_bytes(dtype);
    TF_Output x = operand(b, 0, dtype, flat), y = operand(b, 1, dtype, flat), zero = build_number(b, dtype, 0);
    TF_Output inside = node2(b, "LogicalAnd", node2(b, "GreaterEqual", y, zero), node2(b, "Less", y, build_number(b, dtype, width)));
    TF_Output by = choose(b, inside, y, build_number(b, dtype, keep_sign ? width - 1 : 0)), z = node2(b, op, x, by);
    return elementwise_out(b, keep_sign ? z : choose(b, inside, z, zero), dtype, flat);
}

/* Bitcast has the parts of an element in an axis of their own, the last one. */
int emit_bitcast(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    const int64_t from = (int64_t)dtype_bytes(x->dtype), to = (int64_t)dtype_bytes(out->dtype), more = to / from, less = from / to;
    TF_Output in = build_in(b, 0);
    if (x->dtype == out->dtype) return build_out(b, build_reshape(b, in, x->rank, x->dims, out->rank, out->dims));
    in = build_reshape(b, in, x->rank, x->dims, more > 1 ? 2 : 1, more > 1 ? (int64_t[]){out->count, more} : (int64_t[]){x->count});
    TF_OperationDescription *node = build_begin(b, "Bitcast", 1, &in);
    if (node) api.TF_SetAttrType(node, "type", api_dtype(out->dtype));
    return build_out(b, build_reshape(b, build_end(b, node), less > 1 ? 2 : 1,
                                      less > 1 ? (int64_t[]){x->count, less} : (int64_t[]){out->count}, out->rank, out->dims));
}

int emit_signbit(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->in[0]].dtype, bits = bits_of(dtype);
    return build_out(b, node2(b, "Less", build_relabel(b, build_in(b, 0), dtype, bits), build_number(b, bits, 0)));
}

/* A half-precision number as the signed count of numbers between it and 0. */
static TF_Output count_of(builder *b, TF_Output x, int32_t dtype)
{
    TF_Output bits = build_cast(b, build_relabel(b, x, dtype, VN_I16), VN_I16, VN_I32);
    TF_Output size = node2(b, "BitwiseAnd", bits, build_number(b, VN_I32, 0x7fff));
    return choose(b, node2(b, "Less", bits, build_number(b, VN_I32, 0)), node1(b, "Neg", size), size);
}

/* TensorFlow has it only for float32 and float64: in half precision the neighbour has the next count. Towards 0 the sign is kept. */
int emit_nextafter(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype;
    int half = (VN_BIT(dtype) & VN_HALF) != 0, flat = must_flatten(b, MAX_DIRECT_RANK);
    TF_Output x = operand(b, 0, dtype, flat), y = operand(b, 1, dtype, flat);
    if (!half) return elementwise_out(b, node2(b, "NextAfter", x, y), dtype, flat);
    TF_Output zero = build_number(b, VN_I32, 0), from = count_of(b, x, dtype), to = count_of(b, y, dtype);
    TF_Output next = node2(b, "AddV2", from, node1(b, "Sign", node2(b, "Sub", to, from))), size = node1(b, "Abs", next);
    TF_Output minus = node2(b, "LogicalOr", node2(b, "Less", next, zero),
                            node2(b, "LogicalAnd", node2(b, "Less", from, zero), node2(b, "LessEqual", next, zero)));
    TF_Output bits = choose(b, minus, node2(b, "BitwiseOr", size, build_number(b, VN_I32, 0x8000)), size);
    TF_Output z = build_relabel(b, build_cast(b, bits, VN_I32, VN_I16), VN_I16, dtype);
    z = choose(b, node2(b, "Equal", from, to), y, z);
    TF_Output wide_x = build_cast(b, x, dtype, VN_F32), wide_y = build_cast(b, y, dtype, VN_F32);
    TF_Output nan = node2(b, "LogicalOr", node1(b, "IsNan", wide_x), node1(b, "IsNan", wide_y));
    return elementwise_out(b, choose(b, nan, build_number(b, dtype, (double)NAN), z), dtype, flat);
}

/* ---- complex numbers ---- */

/* inputs: re, im */
int emit_complex(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype, part = dtype == VN_C128 ? VN_F64 : VN_F32;
    int flat = must_flatten(b, VN_MAX_RANK);
    TF_OperationDescription *node = build_begin(b, "Complex", 2, (TF_Output[]){operand(b, 0, part, flat), operand(b, 1, part, flat)});
    if (node) api.TF_SetAttrType(node, "Tout", api_dtype(dtype));
    return elementwise_out(b, build_end(b, node), dtype, flat);
}

/* The row's op of complex numbers gives real ones. */
int emit_part(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    TF_Output x = build_in(b, 0);
    TF_OperationDescription *node = build_begin(b, ((const spec *)instr->row->data)->ops[0], 1, &x);
    if (node) api.TF_SetAttrType(node, "Tout", api_dtype(program->values[instr->out].dtype));
    return build_out(b, build_end(b, node));
}

static TF_Output part_of(builder *b, const char *op, TF_Output x, int32_t dtype)
{
    TF_OperationDescription *node = build_begin(b, op, 1, &x);
    if (node) api.TF_SetAttrType(node, "Tout", api_dtype(dtype));
    return build_end(b, node);
}

/* A test of a complex number: the row's first op of both parts, joined by its third. */
int emit_test_of_parts(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const char *const *ops = ((const spec *)instr->row->data)->ops;
    const int32_t part = program->values[instr->in[0]].dtype == VN_C128 ? VN_F64 : VN_F32;
    TF_Output x = build_in(b, 0), re = node1(b, ops[0], part_of(b, "Real", x, part)), im = node1(b, ops[0], part_of(b, "Imag", x, part));
    return build_out(b, node2(b, ops[2], re, im));
}

/* Where one part of x is infinite and the other finite, the part of the result that is 0 has the sign of the finite one; TensorFlow has
 * that of the sine of twice that part. part: the finite one. */
static int tangent(builder *b, const vn_program *program, const vn_instr *instr, const char *part, const char *other)
{
    const int32_t dtype = program->values[instr->out].dtype, half = dtype == VN_C128 ? VN_F64 : VN_F32;
    const char *op = ((const spec *)instr->row->data)->ops[0];
    const int32_t inner = build_lift(b, op, dtype);
    if (!(VN_BIT(dtype) & VN_COMPLEX)) return elementwise_out(b, node1(b, op, operand(b, 0, inner, 0)), inner, 0);
    const int flat = must_flatten(b, MAX_DIRECT_RANK);
    TF_Output x = operand(b, 0, dtype, flat), z = node1(b, op, x), finite = part_of(b, part, x, half);
    TF_Output at = node2(b, "LogicalAnd", node1(b, "IsInf", part_of(b, other, x, half)), node1(b, "IsFinite", finite));
    TF_Output zero = node2(b, "Mul", finite, build_number(b, half, 0)), open = choose(b, at, zero, part_of(b, part, z, half));
    TF_Output rest = part_of(b, other, z, half), both[] = {*part == 'R' ? open : rest, *part == 'R' ? rest : open};
    TF_OperationDescription *node = build_begin(b, "Complex", 2, both);
    if (node) api.TF_SetAttrType(node, "Tout", api_dtype(dtype));
    return elementwise_out(b, build_end(b, node), dtype, flat);
}

int emit_tangent(void *b, const vn_program *program, const vn_instr *instr)
{
    return tangent(b, program, instr, "Real", "Imag");
}

int emit_hyperbolic_tangent(void *b, const vn_program *program, const vn_instr *instr)
{
    return tangent(b, program, instr, "Imag", "Real");
}

/* ---- special functions, always in float64 ---- */

static TF_Output wide_input(builder *b)
{
    const vn_desc *x = build_in_desc(b, 0);
    TF_Output y = build_cast(b, build_in(b, 0), x->dtype, VN_F64);
    return build_reshape(b, y, x->rank, x->dims, 1, &x->count);
}

static int narrow_out(builder *b, TF_Output y)
{
    const vn_desc *out = build_out_desc(b);
    y = build_reshape(b, y, 1, &out->count, out->rank, out->dims);
    return build_out(b, build_cast(b, y, VN_F64, out->dtype));
}

enum { ORDER }; /* options */

/* TensorFlow's even orders are NaN at 0, not infinite; its odd ones are infinite at -inf, not NaN. */
int emit_polygamma(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int64_t order = instr->options[ORDER].u.i;
    (void)program;
    TF_Output x = wide_input(b), zero = build_number(b, VN_F64, 0);
    TF_Output y = order ? node2(b, "Polygamma", build_number(b, VN_F64, (double)order), x) : node1(b, "Digamma", x);
    if (order % 2) y = choose(b, node2(b, "Equal", x, build_number(b, VN_F64, -(double)INFINITY)), build_number(b, VN_F64, (double)NAN), y);
    else y = choose(b, node2(b, "Equal", x, zero), node2(b, "RealDiv", build_number(b, VN_F64, -1), x), y);
    return narrow_out(b, y);
}

/* The error of erf(y), for 0 <= x < 1: using erfc if x is near 1. */
static TF_Output miss_of_erf(builder *b, TF_Output x, TF_Output y)
{
    TF_Output low = node2(b, "Sub", node1(b, "Erf", y), x);
    TF_Output high = node2(b, "Sub", node2(b, "Sub", build_number(b, VN_F64, 1), x), node1(b, "Erfc", y));
    return choose(b, node2(b, "Less", x, build_number(b, VN_F64, .5)), low, high);
}

/* TensorFlow's uses 1 + x, which loses digits of small numbers: a step of Newton's method restores them. It starts from the
 * float32 result, which takes a tenth of the time, if no more than 7 digits are needed. */
int emit_erfinv(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t start = program->values[instr->out].dtype == VN_F64 ? VN_F64 : VN_F32;
    TF_Output x = wide_input(b), rough = node1(b, "Erfinv", build_cast(b, x, VN_F64, start));
    rough = build_cast(b, rough, start, VN_F64);
    TF_Output size = node1(b, "Abs", x), y = node1(b, "Abs", rough);
    TF_Output by_slope = node2(b, "Mul", node1(b, "Exp", node1(b, "Square", y)), build_number(b, VN_F64, 1 / M_2_SQRTPI));
    TF_Output better = node2(b, "Sub", y, node2(b, "Mul", miss_of_erf(b, size, y), by_slope));
    better = node2(b, "Mul", better, node1(b, "Sign", x));
    better = choose(b, node2(b, "Equal", x, build_number(b, VN_F64, 0)), x, better);
    return narrow_out(b, choose(b, node2(b, "Less", size, build_number(b, VN_F64, 1)), better, rough));
}
