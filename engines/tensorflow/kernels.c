/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: the kernel table, and the emit functions of plain elementwise ops, matmul, reductions, cumulative sums and cast.
 *
 * An op that fits a family is one row here. compile (program.c) calls row.emit for each instruction; the emit function reads the name
 * of TensorFlow's op and its dtype rule from row.data. */
#include "kernels.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *main_op(const vn_instr *instr)
{
    return ((const spec *)instr->row->data)->ops[0];
}

/* y = op(x), elementwise, in x's dtype or a bool. */
static int unary(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->in[0]].dtype;
    if (((const spec *)instr->row->data)->same & VN_BIT(dtype)) return build_out(b, build_in(b, 0));
    int32_t inner = build_lift(b, main_op(instr), dtype);
    TF_Output x = build_relabel(b, build_in(b, 0), dtype, inner);
    return elementwise_out(b, build_node(b, main_op(instr), 1, &x), inner, 0);
}

/* In complex128: with complex64 TensorFlow gives a different sign for some infinities. */
static int exponential(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    if (program->values[instr->in[0]].dtype != VN_C64) return unary(b, program, instr);
    TF_Output x = build_cast(b, build_in(b, 0), VN_C64, VN_C128);
    return build_out(b, build_cast(b, build_node(b, main_op(instr), 1, &x), VN_C128, VN_C64));
}

/* A test with a constant answer for integers: for them it is the row's second op, comparing x with itself. */
static int test(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    TF_Output x = build_in(b, 0);
    if (VN_BIT(program->values[instr->in[0]].dtype) & VN_FLOATS) return unary(b, program, instr);
    if (VN_BIT(program->values[instr->in[0]].dtype) & VN_COMPLEX) return emit_test_of_parts(b, program, instr);
    return build_out(b, build_node(b, ((const spec *)instr->row->data)->ops[1], 2, (TF_Output[]){x, x}));
}

/* The number of groups of adjacent dims that broadcast alike: TensorFlow merges each group into one dim. */
static int stretches(const builder *b)
{
    const vn_desc *out = build_out_desc(b);
    int n = 0;
    unsigned last = UINT_MAX;
    for (int i = 1; i <= out->rank; i++) { /* from the right */
        unsigned broadcast = 0;
        if (out->dims[out->rank - i] == 1) continue;
        for (int k = 0; k < b->instr->n_in; k++) {
            const vn_desc *x = build_in_desc(b, k);
            if (i > x->rank || x->dims[x->rank - i] == 1) broadcast |= 1u << k;
        }
        n += broadcast != last;
        last = broadcast;
    }
    return n;
}

int must_flatten(const builder *b, int max_rank)
{
    return build_out_desc(b)->rank > max_rank || stretches(b) > MAX_STRETCHES;
}

TF_Output operand(builder *b, int k, int32_t inner, int flat)
{
    const vn_desc *x = build_in_desc(b, k), *out = build_out_desc(b);
    TF_Output y = build_relabel(b, build_in(b, k), x->dtype, inner);
    if (!flat) return y;
    y = spread(b, y, x->rank, x->dims, out->rank, out->dims);
    return build_reshape(b, y, out->rank, out->dims, 1, &out->count);
}

int elementwise_out(builder *b, TF_Output y, int32_t inner, int flat)
{
    const vn_desc *out = build_out_desc(b);
    if (flat) y = build_reshape(b, y, 1, &out->count, out->rank, out->dims);
    return build_out(b, out->dtype == VN_BOOL ? y : build_relabel(b, y, inner, out->dtype));
}

/* z = op(x, y), elementwise with broadcasting, all of one dtype, or a bool. */
static int binary(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->in[0]].dtype, inner = build_lift(b, main_op(instr), dtype);
    int flat = must_flatten(b, VN_MAX_RANK);
    TF_Output in[] = {operand(b, 0, inner, flat), operand(b, 1, inner, flat)};
    return elementwise_out(b, build_node(b, main_op(instr), 2, in), inner, flat);
}

/* An operand of a matrix product: with its last two axes swapped if `transposed`, which the kernels do themselves. */
typedef struct factor {
    TF_Output x;
    int transposed;
} factor;

enum { AXES, KEEPDIMS }; /* options */

/* Is value `number` the transpose of another one, *from? */
static int is_transposed(const builder *b, int32_t number, int32_t *from)
{
    const vn_instr *made = build_maker(b, number);
    if (!made || !made->row || made->row->emit != emit_permute_dims) return 0;
    const vn_option *axes = &made->options[AXES];
    int rank = axes->n;
    if (rank < 2 || axes->u.is[rank - 1] != rank - 2 || axes->u.is[rank - 2] != rank - 1) return 0;
    for (int i = 0; i < rank - 2; i++) {
        if (axes->u.is[i] != i) return 0;
    }
    *from = made->in[0];
    return 1;
}

/* Operand k in dtype `inner`, taken before its transposition if the kernel can transpose it. */
static factor factor_of(builder *b, int k, int32_t inner, int can_transpose)
{
    int32_t number = b->instr->in[k], from;
    factor f = {0};
    while (can_transpose && is_transposed(b, number, &from)) number = from, f.transposed = !f.transposed;
    f.x = build_relabel(b, b->values[number], b->program->values[number].dtype, inner);
    return f;
}

static TF_Output multiply(builder *b, const char *op, const char *transpose_x, const char *transpose_y, factor x, factor y)
{
    TF_OperationDescription *node = build_begin(b, op, 2, (TF_Output[]){x.x, y.x});
    if (node && x.transposed) api.TF_SetAttrBool(node, transpose_x, 1);
    if (node && y.transposed) api.TF_SetAttrBool(node, transpose_y, 1);
    return build_end(b, node);
}

/* Does it hold one matrix? With such a y of rank 4 and x of shape (n, 1, rows, k), oneDNN's BatchMatMulV2 of TensorFlow 2.21 computes one
 * matrix of n and overwrites other memory. */
static int is_one_matrix(const vn_desc *y)
{
    for (int i = 0; i < y->rank - 2; i++) {
        if (y->dims[i] != 1) return 0;
    }
    return 1;
}

/* x: (n..., k), y: (k, m), or with axes of size 1 before. Many matrices times one are a single matrix product. */
static TF_Output matmul_2d(builder *b, factor x, factor y)
{
    const vn_desc *dx = build_in_desc(b, 0), *dy = build_in_desc(b, 1), *out = build_out_desc(b);
    int64_t n = 1, k = dy->dims[dy->rank - 2], m = dy->dims[dy->rank - 1];
    for (int i = 0; i < dx->rank - 1; i++) n *= dx->dims[i];
    if (dy->rank != 2) y.x = build_reshape(b, y.x, dy->rank, dy->dims, 2, (int64_t[]){k, m});
    if (dx->rank != 2) x.x = build_reshape(b, x.x, dx->rank, dx->dims, 2, (int64_t[]){n, k});
    return build_reshape(b, multiply(b, "MatMul", "transpose_a", "transpose_b", x, y), 2, (int64_t[]){n, m}, out->rank, out->dims);
}

/* One matrix times several columns, x: (n, k), or with axes of size 1 before, y: (..., k, 1). Its transpose is one product, of which TensorFlow's kernel is right: where the
 * columns share their memory with x, oneDNN's BatchMatMulV2 of TensorFlow 2.21 adds only some of tens of thousands of products. */
static TF_Output matmul_columns(builder *b, factor x, factor y)
{
    const vn_desc *dx = build_in_desc(b, 0), *dy = build_in_desc(b, 1), *out = build_out_desc(b);
    int64_t n = dx->dims[dx->rank - 2], k = dx->dims[dx->rank - 1], columns = 1;
    for (int i = 0; i < dy->rank - 2; i++) columns *= dy->dims[i];
    if (dx->rank != 2) x.x = build_reshape(b, x.x, dx->rank, dx->dims, 2, (int64_t[]){n, k});
    factor rows = {.x = build_reshape(b, y.x, dy->rank, dy->dims, 2, (int64_t[]){columns, k})};
    x.transposed = !x.transposed;
    return build_reshape(b, multiply(b, "MatMul", "transpose_a", "transpose_b", rows, x), 2, (int64_t[]){columns, n}, out->rank, out->dims);
}

/* Operand k of a product of high rank: broadcast, with all batch dims merged: (batch, rows, columns). */
static TF_Output merged(builder *b, int k, TF_Output x)
{
    const vn_desc *dx = build_in_desc(b, k), *out = build_out_desc(b);
    int64_t whole[VN_MAX_RANK], batch = 1, rows = dx->dims[dx->rank - 2], columns = dx->dims[dx->rank - 1];
    for (int i = 0; i < out->rank - 2; i++) whole[i] = out->dims[i], batch *= out->dims[i];
    whole[out->rank - 2] = rows, whole[out->rank - 1] = columns;
    x = spread(b, x, dx->rank, dx->dims, out->rank, whole);
    return build_reshape(b, x, out->rank, whole, 3, (int64_t[]){batch, rows, columns});
}

/* x: (..., n, k), y: (..., k, m), batch dims broadcast. */
static TF_Output matmul_batch(builder *b, factor x, factor y)
{
    const vn_desc *out = build_out_desc(b);
    if (out->rank <= MAX_DIRECT_RANK) return multiply(b, "BatchMatMulV2", "adj_x", "adj_y", x, y);
    int64_t batch = 1, n = out->dims[out->rank - 2], m = out->dims[out->rank - 1];
    for (int i = 0; i < out->rank - 2; i++) batch *= out->dims[i];
    TF_Output z = build_node(b, "BatchMatMulV2", 2, (TF_Output[]){merged(b, 0, x.x), merged(b, 1, y.x)});
    return build_reshape(b, z, 3, (int64_t[]){batch, n, m}, out->rank, out->dims);
}

/* BatchMatMulV2 takes the adjoint of complex matrices, not the transpose. */
static int matmul(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *y = &program->values[instr->in[1]], *out = &program->values[instr->out];
    int flat = is_one_matrix(y), columns = !flat && is_one_matrix(x) && y->dims[y->rank - 1] == 1, one = flat || columns;
    int can_transpose = one || (out->rank <= MAX_DIRECT_RANK && !(VN_BIT(out->dtype) & VN_COMPLEX));
    int32_t inner = build_lift(b, one ? "MatMul" : "BatchMatMulV2", out->dtype);
    factor left = factor_of(b, 0, inner, can_transpose && (!one || x->rank == 2)),
           right = factor_of(b, 1, inner, can_transpose && (!one || y->rank == 2));
    TF_Output z = flat ? matmul_2d(b, left, right) : columns ? matmul_columns(b, left, right) : matmul_batch(b, left, right);
    return build_out(b, build_relabel(b, z, inner, out->dtype));
}

enum { LONG_CHAIN = 1 << 16 };

/* TensorFlow sums the last axes in parts, other axes sequentially. Long sequential sums of floats use float64. */
static int32_t dtype_of_sum(const vn_desc *x, const vn_option *axes, int32_t dtype)
{
    int64_t n = 1;
    for (int32_t k = 0; k < axes->n; k++) n *= x->dims[axes->u.is[k]];
    int last = axes->u.is[0] == x->rank - axes->n;
    if (!(VN_BIT(dtype) & VN_INEXACT) || last || n <= LONG_CHAIN) return dtype;
    return VN_BIT(dtype) & VN_COMPLEX ? VN_C128 : VN_F64;
}

/* Small integers and bool are reduced in the result's dtype. */
static int reduce(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    const vn_option *axes = &instr->options[AXES];
    if (axes->n == 0) return build_out(b, build_cast(b, build_in(b, 0), x->dtype, out->dtype));
    int32_t dtype = ((const spec *)instr->row->data)->wide_half ? dtype_of_sum(x, axes, out->dtype) : out->dtype;
    int32_t inner = build_lift(b, main_op(instr), dtype);
    TF_Output y = build_cast(b, build_in(b, 0), x->dtype, dtype);
    TF_Output in[] = {build_relabel(b, y, dtype, inner), build_ints(b, axes->u.is, axes->n)};
    TF_OperationDescription *node = build_begin(b, main_op(instr), 2, in);
    if (node) api.TF_SetAttrBool(node, "keep_dims", instr->options[KEEPDIMS].u.i != 0);
    return build_out(b, build_cast(b, build_relabel(b, build_end(b, node), inner, dtype), dtype, out->dtype));
}

enum { AXIS, REVERSE }; /* options */

/* Floats in float64, so that a long axis loses no digits. */
static int scan(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t out = program->values[instr->out].dtype, dtype = VN_BIT(out) & VN_FLOATS ? VN_F64 : out == VN_C64 ? VN_C128 : out;
    int32_t inner = build_lift(b, main_op(instr), dtype);
    TF_Output x = build_relabel(b, build_cast(b, build_in(b, 0), program->values[instr->in[0]].dtype, dtype), dtype, inner);
    TF_Output in[] = {x, build_number(b, VN_I64, (double)instr->options[AXIS].u.i)};
    TF_OperationDescription *node = build_begin(b, main_op(instr), 2, in);
    if (node) api.TF_SetAttrBool(node, "reverse", instr->options[REVERSE].u.i != 0);
    return build_out(b, build_cast(b, build_relabel(b, build_end(b, node), inner, dtype), dtype, out));
}

static int cast(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t from = program->values[instr->in[0]].dtype, to = program->values[instr->out].dtype;
    if (VN_BIT(from) & VN_FLOATS && VN_BIT(to) & VN_INTS) return emit_float_to_integer(b, program, instr);
    return build_out(b, build_cast(b, build_in(b, 0), from, to));
}

#define FULL_FLOATS (VN_BIT(VN_F32) | VN_BIT(VN_F64)) /* the core passes half precision as float32 to these */

/* TensorFlow's op (and others that its emit function uses) and how its dtypes may be lifted. WIDE: half precision in float32.
 * PRODUCT: the same, of an op that multiplies and adds. SAVE: for the dtypes in `same` the result is x. NUMBER: with a number for the emit
 * function. */
/* clang-format off */
#define SPEC(...) &(const spec){__VA_ARGS__}
#define OP(lift_, ...) SPEC({__VA_ARGS__}, .lift = lift_)
#define WIDE(lift_, ...) SPEC({__VA_ARGS__}, .lift = lift_, .wide_half = 1)
#define PRODUCT(...) SPEC({__VA_ARGS__}, .lift = LIFT_WRAP, .wide_half = 1, .product = 1)
#define SAVE(same_, ...) SPEC({__VA_ARGS__}, .lift = LIFT_VALUE, .same = same_)
#define NUMBER(number_, ...) SPEC({__VA_ARGS__}, .lift = LIFT_VALUE, .number = number_)
/* clang-format on */

const vn_kernel_row all_rows[] = {
    {"add", VN_NUMERIC, NULL, binary, OP(LIFT_WRAP, "AddV2", "BroadcastTo"), NULL},
    {"sub", VN_NUMERIC, NULL, binary, OP(LIFT_WRAP, "Sub", "BroadcastTo"), NULL},
    {"mul", VN_REAL, NULL, binary, OP(LIFT_WRAP, "Mul", "BroadcastTo"), NULL},
    {"div", VN_FLOATS, NULL, binary, OP(LIFT_VALUE, "RealDiv", "BroadcastTo"), NULL},
    {"floor_divide", VN_REAL, NULL, emit_floor_divide,
     OP(LIFT_VALUE, "FloorDiv", "TruncateMod", "RealDiv", "AddV2", "Sub", "Mul", "Floor", "SelectV2", "Equal", "NotEqual", "Less",
        "LogicalAnd", "LogicalOr", "Cast", "BroadcastTo"),
     NULL},
    {"remainder", VN_REAL, NULL, emit_remainder,
     OP(LIFT_VALUE, "FloorMod", "SelectV2", "Equal", "LogicalOr", "Less", "Abs", "Neg", "BroadcastTo"), NULL},
    {"pow", VN_FLOATS, NULL, binary, OP(LIFT_VALUE, "Pow", "BroadcastTo"), NULL},
    {"maximum", VN_REAL, NULL, binary, OP(LIFT_VALUE, "Maximum", "BroadcastTo"), NULL},
    {"minimum", VN_REAL, NULL, binary, OP(LIFT_VALUE, "Minimum", "BroadcastTo"), NULL},
    {"atan2", VN_FLOATS, NULL, binary, OP(LIFT_VALUE, "Atan2", "BroadcastTo"), NULL},
    {"neg", VN_NUMERIC, NULL, unary, OP(LIFT_WRAP, "Neg"), NULL},
    {"abs", VN_REAL, NULL, unary, SAVE(VN_UNSIGNED, "Abs"), NULL},
    {"sign", VN_REAL, NULL, emit_sign, OP(LIFT_VALUE, "Sign", "Minimum"), NULL},
    {"square", VN_REAL, NULL, unary, OP(LIFT_WRAP, "Square"), NULL},
    {"sqrt", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Sqrt"), NULL},
    {"floor", VN_REAL, NULL, unary, SAVE(VN_INTS, "Floor"), NULL},
    {"ceil", VN_REAL, NULL, unary, SAVE(VN_INTS, "Ceil"), NULL},
    {"trunc", VN_REAL, NULL, emit_trunc, OP(LIFT_VALUE, "Floor", "Ceil", "SelectV2", "Less"), NULL},
    {"round", VN_REAL, NULL, unary, SAVE(VN_INTS, "Round"), NULL},
    {"exp", VN_INEXACT, NULL, exponential, OP(LIFT_VALUE, "Exp"), NULL},
    {"expm1", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Expm1"), NULL},
    {"log", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Log"), NULL},
    {"log1p", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Log1p"), NULL},
    {"log2", VN_FLOATS, NULL, emit_logarithm, NUMBER(M_LN2, "Log", "RealDiv", "Cast"), NULL},
    {"log10", VN_FLOATS, NULL, emit_logarithm, NUMBER(M_LN10, "Log", "RealDiv", "Cast"), NULL},
    {"sin", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Sin"), NULL},
    {"cos", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Cos"), NULL},
    {"tan", VN_INEXACT, NULL, emit_tangent, OP(LIFT_VALUE, "Tan"), NULL},
    {"asin", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Asin"), NULL},
    {"acos", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Acos"), NULL},
    {"atan", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Atan"), NULL},
    {"sinh", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Sinh"), NULL},
    {"cosh", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Cosh"), NULL},
    {"tanh", VN_INEXACT, NULL, emit_hyperbolic_tangent, OP(LIFT_VALUE, "Tanh"), NULL},
    {"asinh", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Asinh"), NULL},
    {"acosh", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Acosh"), NULL},
    {"atanh", VN_INEXACT, NULL, unary, OP(LIFT_VALUE, "Atanh"), NULL},
    {"erf", VN_FLOATS, NULL, emit_erf, OP(LIFT_VALUE, "Erf", "SelectV2", "IsInf", "Sign"), NULL},
    {"sigmoid", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Sigmoid"), NULL},
    {"bitwise_and", VN_BIT(VN_BOOL) | VN_INTS, NULL, emit_bitwise, OP(LIFT_WRAP, "BitwiseAnd", "LogicalAnd", "BroadcastTo"), NULL},
    {"bitwise_or", VN_BIT(VN_BOOL) | VN_INTS, NULL, emit_bitwise, OP(LIFT_WRAP, "BitwiseOr", "LogicalOr", "BroadcastTo"), NULL},
    {"bitwise_xor", VN_BIT(VN_BOOL) | VN_INTS, NULL, emit_bitwise, OP(LIFT_WRAP, "BitwiseXor", "NotEqual", "BroadcastTo"), NULL},
    {"bitwise_left_shift", VN_INTS, NULL, emit_shift,
     OP(LIFT_VALUE, "LeftShift", "Less", "GreaterEqual", "LogicalAnd", "SelectV2", "BroadcastTo"), NULL},
    {"bitwise_right_shift", VN_INTS, NULL, emit_shift,
     OP(LIFT_VALUE, "RightShift", "Less", "GreaterEqual", "LogicalAnd", "SelectV2", "BroadcastTo"), NULL},
    {"signbit", VN_ORDERED, NULL, emit_signbit, OP(LIFT_VALUE, "Less", "Bitcast"), NULL},
    {"nextafter", VN_FLOATS, NULL, emit_nextafter,
     OP(LIFT_VALUE, "NextAfter", "BitwiseAnd", "BitwiseOr", "SelectV2", "Sign", "Abs", "Less", "LessEqual", "IsNan", "BroadcastTo"), NULL},
    {"polygamma", VN_FLOATS, NULL, emit_polygamma, OP(LIFT_VALUE, "Polygamma", "Digamma", "SelectV2", "Equal", "RealDiv"), "order"},
    {"erfinv", VN_FLOATS, NULL, emit_erfinv,
     OP(LIFT_VALUE, "Erfinv", "Erf", "Erfc", "Sign", "Abs", "Exp", "Square", "SelectV2", "Less", "Equal"), NULL},
    {"lgamma", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Lgamma"), NULL},
    {"i0e", VN_FLOATS, NULL, unary, WIDE(LIFT_VALUE, "BesselI0e"), NULL},
    {"i1e", VN_FLOATS, NULL, unary, WIDE(LIFT_VALUE, "BesselI1e"), NULL},
    {"erfc", VN_FLOATS, NULL, unary, WIDE(LIFT_VALUE, "Erfc"), NULL},
    {"equal", VN_ANY, NULL, binary, OP(LIFT_VALUE, "Equal", "BroadcastTo"), NULL},
    {"not_equal", VN_ANY, NULL, binary, OP(LIFT_VALUE, "NotEqual", "BroadcastTo"), NULL},
    {"less", VN_ORDERED, NULL, binary, OP(LIFT_VALUE, "Less", "BroadcastTo"), NULL},
    {"less_equal", VN_ORDERED, NULL, binary, OP(LIFT_VALUE, "LessEqual", "BroadcastTo"), NULL},
    {"greater", VN_ORDERED, NULL, binary, OP(LIFT_VALUE, "Greater", "BroadcastTo"), NULL},
    {"greater_equal", VN_ORDERED, NULL, binary, OP(LIFT_VALUE, "GreaterEqual", "BroadcastTo"), NULL},
    {"isnan", VN_ANY, NULL, test, OP(LIFT_VALUE, "IsNan", "NotEqual", "LogicalOr"), NULL},
    {"isinf", VN_ANY, NULL, test, OP(LIFT_VALUE, "IsInf", "NotEqual", "LogicalOr"), NULL},
    {"isfinite", VN_ANY, NULL, test, OP(LIFT_VALUE, "IsFinite", "Equal", "LogicalAnd"), NULL},
    {"matmul", VN_NUMERIC, NULL, matmul, PRODUCT("MatMul", "BatchMatMulV2", "BroadcastTo"), NULL},
    {"sum", VN_ANY, NULL, reduce, WIDE(LIFT_WRAP, "Sum", "Cast"), "axes, keepdims"},
    {"max", VN_REAL, NULL, reduce, OP(LIFT_VALUE, "Max"), "axes, keepdims"},
    {"min", VN_REAL, NULL, reduce, OP(LIFT_VALUE, "Min"), "axes, keepdims"},
    {"cumulative_sum", VN_NUMERIC, NULL, scan, OP(LIFT_WRAP, "Cumsum", "Cast"), "axis, reverse"},
    {"softmax", VN_FLOATS, NULL, emit_softmax, WIDE(LIFT_VALUE, "Softmax", "Max", "Sub", "AddV2", "Transpose"), "axis"},
    {"log_softmax", VN_FLOATS, NULL, emit_softmax, WIDE(LIFT_VALUE, "LogSoftmax", "Transpose"), "axis"},
    {"relu", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Relu"), NULL},
    {"relu_backward", VN_FLOATS, NULL, emit_relu_backward, OP(LIFT_VALUE, "LessEqual", "Select", "Fill"), NULL},
    {"gelu", VN_BIT(VN_F32), NULL, emit_gelu,
     OP(LIFT_VALUE, "Erfc", "Sigmoid", "Square", "Mul", "AddV2", "Bitcast", "Max", "Greater", "Where", "GatherV2", "InplaceUpdate", "Cast"),
     "approximate"},
    {"softplus", VN_FLOATS, NULL, unary, WIDE(LIFT_VALUE, "Softplus"), NULL},
    {"where", VN_ANY, NULL, emit_where, OP(LIFT_BITS, "SelectV2", "Select", "BroadcastTo"), NULL},
    {"flip", VN_ANY, NULL, emit_flip, OP(LIFT_BITS, "ReverseV2"), "axes"},
    {"bitcast", VN_NUMERIC, NULL, emit_bitcast, OP(LIFT_BITS, "Bitcast", "Reshape"), NULL},
    {"reshape", VN_ANY, NULL, emit_reshape, OP(LIFT_BITS, "Reshape"), NULL},
    {"broadcast_to", VN_ANY, NULL, emit_broadcast_to, OP(LIFT_BITS, "BroadcastTo"), NULL},
    {"permute_dims", VN_ANY, NULL, emit_permute_dims, OP(LIFT_BITS, "Transpose"), "axes"},
    {"slice", VN_ANY, NULL, emit_slice, OP(LIFT_BITS, "Slice", "Maximum", "Minimum", "Mul", "Gather"), NULL},
    {"slice_set", VN_ANY, NULL, emit_slice_set,
     OP(LIFT_BITS, "TensorStridedSliceUpdate", "PadV2", "Slice", "ConcatV2", "AddV2", "Sub", "Maximum", "Minimum", "Mul", "Gather"), NULL},
    {"take", VN_ANY, NULL, emit_take,
     OP(LIFT_VALUE, "GatherV2", "GatherNd", "TensorScatterUpdate", "Fill", "Where", "Shape", "SelectV2", "Less", "AddV2", "Slice",
        "ConcatV2", "Transpose"),
     "axis"},
    {"index_add", VN_NUMERIC, NULL, emit_index_put,
     WIDE(LIFT_WRAP, "TensorScatterAdd", "UnsortedSegmentSum", "SelectV2", "Less", "Equal", "AddV2", "Range", "Transpose"), "axis"},
    {"index_set", VN_ANY, NULL, emit_index_put, OP(LIFT_BITS, "TensorScatterUpdate", "SelectV2", "Less", "AddV2", "Range", "Transpose"),
     "axis"},
    {"bincount", VN_INTS, NULL, emit_bincount, OP(LIFT_VALUE, "DenseBincount", "SelectV2", "Less", "Fill"), "length"},
    {"concat", VN_ANY, NULL, emit_concat, OP(LIFT_BITS, "ConcatV2"), "axis"},
    {"stride", VN_ANY, NULL, emit_stride, OP(LIFT_BITS, "StridedSlice"), "steps"},
    {"argsort", VN_ORDERED, NULL, emit_argsort,
     OP(LIFT_VALUE, "TopKV2", "Invert", "BitwiseAnd", "Less", "SelectV2", "Neg", "Transpose", "Fill"), "axis, descending"},
    {"topk", VN_ORDERED, NULL, emit_topk,
     OP(LIFT_VALUE, "TopKV2", "Invert", "BitwiseAnd", "Less", "SelectV2", "Neg", "Transpose", "GatherV2", "Fill"), "axis, k, smallest"},
    {"segment_max", VN_REAL, NULL, emit_segment_extreme,
     NUMBER(1, "UnsortedSegmentMax", "RightShift", "BitwiseXor", "BitwiseAnd", "Invert", "Less", "SelectV2", "Maximum"), "segments"},
    {"segment_min", VN_REAL, NULL, emit_segment_extreme,
     NUMBER(-1, "UnsortedSegmentMin", "RightShift", "BitwiseXor", "BitwiseAnd", "Invert", "Less", "SelectV2", "Minimum"), "segments"},
    {"searchsorted", VN_ORDERED, NULL, emit_searchsorted,
     OP(LIFT_VALUE, "LowerBound", "UpperBound", "BitwiseAnd", "Less", "SelectV2", "Neg", "Fill"), "right"},
    {"dft", VN_COMPLEX, NULL, emit_dft, OP(LIFT_VALUE, "FFT", "IFFT", "Mul", "Transpose", "Fill"), "norm, axis, inverse"},
    {"rdft", FULL_FLOATS | VN_COMPLEX, NULL, emit_rdft, OP(LIFT_VALUE, "RFFT", "Mul", "Cast", "Fill"), "norm"},
    {"irdft", FULL_FLOATS | VN_COMPLEX, NULL, emit_irdft, OP(LIFT_VALUE, "IRFFT", "Mul", "Cast", "Fill"), "norm, n"},
    {"conv", VN_REAL, NULL, emit_conv,
     PRODUCT("BatchMatMulV2", "Conv2D", "Conv3D", "StridedSlice", "PadV2", "Transpose", "Unpack", "AddV2", "Fill"),
     "strides, pads, dilations, groups"},
    {"conv_input", VN_REAL, NULL, emit_conv_input,
     PRODUCT("BatchMatMulV2", "Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput", "Conv3DBackpropInputV2", "StridedSliceGrad",
             "Slice", "Transpose", "Unpack", "AddV2", "Fill"),
     "strides, pads, dilations, groups"},
    {"conv_filter", VN_REAL, NULL, emit_conv_filter,
     PRODUCT("BatchMatMulV2", "Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter", "Conv3DBackpropFilterV2", "StridedSlice",
             "PadV2", "Transpose", "Pack", "Fill"),
     "strides, pads, dilations, groups"},
    {"max_pool", VN_REAL, NULL, emit_max_pool,
     OP(LIFT_VALUE, "Maximum", "Max", "PadV2", "StridedSlice", "GatherV2", "Greater", "GreaterEqual", "Less", "Equal", "NotEqual",
        "LogicalAnd", "LogicalOr", "SelectV2", "Range", "BroadcastTo", "Fill"),
     "strides, pads, dilations, window"},
    {"max_pool_backward", VN_REAL, NULL, emit_max_pool_backward,
     OP(LIFT_VALUE, "UnsortedSegmentSum", "DenseBincount", "GatherV2", "Greater", "GreaterEqual", "Less", "Equal", "NotEqual", "LogicalAnd",
        "LogicalOr", "SelectV2", "PadV2", "StridedSlice", "Range", "BroadcastTo", "AddV2", "Mul", "Fill"),
     "strides, pads, dilations, window"},
    {"sum_pool", VN_REAL, NULL, emit_sum_pool, WIDE(LIFT_WRAP, "AddV2", "Sum", "PadV2", "StridedSlice", "Fill"),
     "strides, pads, dilations, window"},
    {"sum_pool_backward", VN_REAL, NULL, emit_sum_pool_backward, WIDE(LIFT_WRAP, "AddV2", "PadV2", "StridedSlice", "Fill"),
     "strides, pads, dilations, window"},
    {"cholesky", FULL_FLOATS | VN_COMPLEX, NULL, emit_cholesky,
     OP(LIFT_VALUE, "Cholesky", "Real", "Imag", "Complex", "Conj", "LogicalAnd", "Less", "MatrixDiagPartV3", "ExpandDims", "MatrixBandPart",
        "IsFinite", "All", "SelectV2", "Fill"),
     "upper"},
    {"solve_triangular", FULL_FLOATS | VN_COMPLEX, NULL, emit_solve_triangular,
     OP(LIFT_VALUE, "MatrixTriangularSolve", "Conj", "MatrixSetDiagV3", "Fill"), "upper, transpose, unit"},
    {"qr", FULL_FLOATS | VN_COMPLEX, NULL, emit_qr,
     OP(LIFT_VALUE, "Qr", "IsFinite", "Maximum", "Max", "Abs", "Real", "Imag", "Complex", "ComplexAbs", "Conj", "LogicalAnd", "Equal",
        "RealDiv", "Neg", "MatrixDiagPartV3", "MatrixSetDiagV3", "SelectV2", "Less", "Mul", "ConcatV2", "ExpandDims", "Cumprod",
        "MatrixBandPart", "All", "Fill"),
     NULL},
    {"eigh", FULL_FLOATS | VN_COMPLEX, NULL, emit_eigh,
     OP(LIFT_VALUE, "SelfAdjointEigV2", "Real", "Imag", "Complex", "ComplexAbs", "LogicalAnd", "Equal", "RealDiv", "Neg", "MatrixBandPart",
        "IsFinite", "All", "SelectV2", "ArgMax", "GatherV2", "ExpandDims", "Fill"),
     NULL},
    {"eig_unordered", VN_COMPLEX, NULL, emit_eig_unordered,
     OP(LIFT_VALUE, "Eig", "Maximum", "Max", "Mul", "RealDiv", "Less", "ComplexAbs", "Real", "Imag", "Complex", "LogicalAnd", "IsFinite",
        "All", "SelectV2", "ExpandDims", "Fill"),
     NULL},
    {"svd", FULL_FLOATS | VN_COMPLEX, NULL, emit_svd,
     OP(LIFT_VALUE, "Svd", "Real", "Imag", "Complex", "ComplexAbs", "Conj", "LogicalAnd", "Equal", "RealDiv", "Neg", "IsFinite", "All",
        "SelectV2", "ArgMax", "GatherV2", "ExpandDims", "Transpose", "Fill"),
     NULL},
    {"lstm_sequence", FULL_FLOATS, NULL, emit_lstm_sequence,
     OP(LIFT_VALUE, "MatMul", "AddV2", "Mul", "Sigmoid", "Tanh", "Split", "Unpack", "Pack", "ConcatV2", "Fill"), "reverse"},
    {"lstm_backward", FULL_FLOATS, NULL, emit_lstm_backward,
     OP(LIFT_VALUE, "MatMul", "AddV2", "Sub", "Mul", "Square", "Tanh", "Split", "Unpack", "Pack", "ConcatV2", "Slice", "Fill"), "reverse"},
    {"gru_sequence", FULL_FLOATS, NULL, emit_gru_sequence,
     OP(LIFT_VALUE, "MatMul", "AddV2", "Sub", "Mul", "Sigmoid", "Tanh", "Split", "Unpack", "Pack", "ConcatV2", "Fill"), "reverse"},
    {"gru_backward", FULL_FLOATS, NULL, emit_gru_backward,
     OP(LIFT_VALUE, "MatMul", "AddV2", "Sub", "Mul", "Square", "Split", "Unpack", "Pack", "ConcatV2", "Slice", "Fill"), "reverse"},
    {"attention", VN_FLOATS | VN_BIT(VN_BOOL), NULL, emit_attention,
     OP(LIFT_VALUE, "BatchMatMulV2", "AddV2", "Sub", "Mul", "RealDiv", "Exp", "Log", "Max", "Sum", "SelectV2", "Any", "Transpose", "Equal",
        "LessEqual", "Softmax", "Maximum", "Range", "Fill"),
     "scale, causal"},
    {"attention_backward", VN_FLOATS | VN_BIT(VN_BOOL), NULL, emit_attention_backward,
     OP(LIFT_VALUE, "BatchMatMulV2", "Softmax", "Maximum", "AddV2", "Sub", "Mul", "RealDiv", "Exp", "Max", "Sum", "SelectV2", "Any",
        "Transpose", "Equal", "LessEqual", "Range", "Fill"),
     "scale, causal"},
    {"adam_apply", VN_BIT(VN_F32) | VN_BIT(VN_F64), NULL, emit_adam_apply,
     OP(LIFT_VALUE, "ResourceApplyAdam", "VarHandleOp", "AssignVariableOp", "ReadVariableOp", "DestroyResourceOp", "Identity", "AddV2",
        "Sub", "Mul", "RealDiv", "Square", "Sqrt", "Maximum", "Min", "GreaterEqual", "LogicalNot", "Where", "GatherV2", "InplaceUpdate"),
     "beta1, beta2, epsilon"},
    {"cast", VN_ANY, NULL, cast, OP(LIFT_VALUE, "Cast", "SelectV2", "Select", "Equal", "Maximum", "Minimum", "GreaterEqual"), NULL},
    {"complex", VN_INEXACT, NULL, emit_complex, OP(LIFT_VALUE, "Complex", "BroadcastTo"), NULL},
    {"real", VN_INEXACT, NULL, emit_part, OP(LIFT_VALUE, "Real"), NULL},
    {"imag", VN_INEXACT, NULL, emit_part, OP(LIFT_VALUE, "Imag"), NULL},
    {"conj", VN_COMPLEX, NULL, unary, OP(LIFT_VALUE, "Conj"), NULL},
    {0},
};
/* Optional ops, used by fast paths (relu.c, maxpool.c). */
const char *const optional_ops[] = {"ReluGrad", "MaxPool", "MaxPoolGrad", "Min", "Where", "InplaceUpdate", NULL};

vn_kernel_row usable_rows[sizeof all_rows / sizeof *all_rows];
