/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.c: emit functions of elementwise ops that TensorFlow lacks or computes differently from the Array API standard, which are
 * corrected around its own op. */
#include "kernels.h"

#include <math.h>

/* The ops that the functions below use; the dtype must have kernels for all of them. */
static const char *const divides_floats[] = {
    "TruncateMod", "RealDiv", "AddV2", "Sub", "Mul", "Floor", "Equal", "NotEqual", "Less", "SelectV2", "IsInf", NULL,
};
static const char *const divides_ints[] = {"FloorDiv", "Mul", "Equal", "SelectV2", NULL};
static const char *const floats_left[] = {"FloorMod", "Less", "Abs", "Neg", "SelectV2", NULL};
static const char *const ints_left[] = {"FloorMod", "Equal", "SelectV2", NULL};
static const char *const cuts_off[] = {"Floor", "Ceil", "Less", "SelectV2", NULL};

static TF_Output below_0(builder *b, TF_Output x, int32_t dtype)
{
    return node2(b, "Less", x, build_number(b, dtype, 0));
}

/* Where an integer y is not a safe divisor: dividing by 0 is an error in TensorFlow, and dividing the lowest number by -1 may trap. */
static TF_Output no_divisor(builder *b, TF_Output y, int32_t dtype)
{
    TF_Output zero = node2(b, "Equal", y, build_number(b, dtype, 0));
    if (VN_BIT(dtype) & VN_UNSIGNED) return zero;
    return node2(b, "LogicalOr", zero, node2(b, "Equal", y, build_number(b, dtype, -1)));
}

/* For 0 and -1 the result is x * y, which wraps around correctly. */
static TF_Output divide_ints(builder *b, TF_Output x, TF_Output y, int32_t dtype)
{
    TF_Output odd = no_divisor(b, y, dtype), divisor = choose(b, odd, build_number(b, dtype, 1), y);
    return choose(b, odd, node2(b, "Mul", x, y), node2(b, "FloorDiv", x, divisor));
}

/* FloorDiv is floor(x / y), where the quotient may round up to an integer. Here the remainder is subtracted first, so that the quotient d
 * is an integer up to rounding; minus 1 where the signs differ. A d of 0 has the sign of x / y. Infinities are divided as they are. */
static TF_Output divide_floats(builder *b, TF_Output x, TF_Output y, int32_t dtype)
{
    TF_Output zero = build_number(b, dtype, 0), rest = node2(b, "TruncateMod", x, y), quotient = node2(b, "RealDiv", x, y);
    TF_Output other_sign = node2(b, "NotEqual", below_0(b, rest, dtype), below_0(b, y, dtype));
    TF_Output less = node2(b, "LogicalAnd", node2(b, "NotEqual", rest, zero), other_sign);
    TF_Output d = node2(b, "RealDiv", node2(b, "Sub", x, rest), y);
    d = node2(b, "Sub", d, build_cast(b, less, VN_BOOL, dtype));
    TF_Output whole = node1(b, "Floor", d), up = node2(b, "Less", build_number(b, dtype, .5), node2(b, "Sub", d, whole));
    whole = node2(b, "AddV2", whole, build_cast(b, up, VN_BOOL, dtype));
    whole = choose(b, node2(b, "Equal", d, zero), node2(b, "Mul", quotient, zero), whole);
    TF_Output infinite = node2(b, "LogicalOr", node1(b, "IsInf", x), node1(b, "IsInf", y));
    return choose(b, node2(b, "LogicalOr", node2(b, "Equal", y, zero), infinite), quotient, whole);
}

int emit_floor_divide(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype;
    int floats = (VN_BIT(dtype) & VN_FLOATS) != 0, flat = must_flatten(b, MAX_DIRECT_RANK);
    int32_t inner = build_lift_all(b, floats ? divides_floats : divides_ints, dtype);
    TF_Output x = operand(b, 0, inner, flat), y = operand(b, 1, inner, flat);
    return elementwise_out(b, floats ? divide_floats(b, x, y, inner) : divide_ints(b, x, y, inner), inner, flat);
}

/* Floats: FloorMod is right except for zeros, which must have the sign of y too. Integers: unsafe divisors are replaced by 1, whose
 * remainder is 0. */
int emit_remainder(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype;
    int floats = (VN_BIT(dtype) & VN_FLOATS) != 0, flat = must_flatten(b, MAX_DIRECT_RANK);
    int32_t inner = build_lift_all(b, floats ? floats_left : ints_left, dtype);
    TF_Output x = operand(b, 0, inner, flat), y = operand(b, 1, inner, flat);
    TF_Output divisor = floats ? y : choose(b, no_divisor(b, y, inner), build_number(b, inner, 1), y);
    TF_Output z = node2(b, "FloorMod", x, divisor);
    if (floats) {
        TF_Output size = node1(b, "Abs", z);
        z = choose(b, below_0(b, y, inner), node1(b, "Neg", size), size);
    }
    return elementwise_out(b, z, inner, flat);
}

int same_dims(const vn_desc *x, const vn_desc *y)
{
    int same = x->rank == y->rank;
    for (int i = 0; same && i < x->rank; i++) same = x->dims[i] == y->dims[i];
    return same;
}

/* inputs: condition, x, y. If the condition has the result's shape, x and y are broadcast first: Select takes a third of the time of
 * SelectV2. */
int emit_where(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    int32_t inner = build_lift_all(b, (const char *const[]){"SelectV2", "Select", NULL}, out->dtype);
    int flat = must_flatten(b, MAX_DIRECT_RANK), each = flat || same_dims(&program->values[instr->in[0]], out);
    TF_Output in[] = {operand(b, 0, VN_BOOL, flat), operand(b, 1, inner, flat), operand(b, 2, inner, flat)};
    for (int k = 1; k < 3 && each && !flat; k++) {
        const vn_desc *x = &program->values[instr->in[k]];
        in[k] = spread(b, in[k], x->rank, x->dims, out->rank, out->dims);
    }
    return elementwise_out(b, build_node(b, each ? "Select" : "SelectV2", 3, in), inner, flat);
}

/* TensorFlow has no such op. */
int emit_trunc(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype;
    if (VN_BIT(dtype) & VN_INTS) return build_out(b, build_in(b, 0));
    int32_t inner = build_lift_all(b, cuts_off, dtype);
    int flat = must_flatten(b, MAX_DIRECT_RANK);
    TF_Output x = operand(b, 0, inner, flat);
    return elementwise_out(b, choose(b, below_0(b, x, inner), node1(b, "Ceil", x), node1(b, "Floor", x)), inner, flat);
}

/* TensorFlow's Sign has no unsigned dtypes. */
int emit_sign(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype;
    int above_0 = (VN_BIT(dtype) & VN_UNSIGNED) != 0;
    int32_t inner = build_lift(b, above_0 ? "Minimum" : "Sign", dtype);
    TF_Output x = operand(b, 0, inner, 0);
    return elementwise_out(b, above_0 ? node2(b, "Minimum", x, build_number(b, inner, 1)) : node1(b, "Sign", x), inner, 0);
}

/* In float64 TensorFlow gives NaN for infinities. */
int emit_erf(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t inner = build_lift(b, "Erf", program->values[instr->out].dtype);
    int flat = inner == VN_F64 && must_flatten(b, MAX_DIRECT_RANK);
    TF_Output x = operand(b, 0, inner, flat), y = node1(b, "Erf", x);
    if (inner == VN_F64) y = choose(b, node1(b, "IsInf", x), node1(b, "Sign", x), y);
    return elementwise_out(b, y, inner, flat);
}

/* Logarithm to another base: ln x / ln base, the latter from the row. In float64, so that a power of the base gives an integer in float32.
 */
int emit_logarithm(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const spec *s = instr->row->data;
    int32_t dtype = program->values[instr->out].dtype;
    TF_Output x = build_cast(b, build_in(b, 0), dtype, VN_F64);
    TF_Output y = node2(b, "RealDiv", node1(b, "Log", x), build_number(b, VN_F64, s->number));
    return build_out(b, build_cast(b, y, VN_F64, dtype));
}

/* Truncated; clamped to the dtype's range, 0 for NaN. TensorFlow's result depends on the processor. Half precision goes
 * through float32. Numbers that are too large are first clamped to the largest float in range, which is the largest integer only in small
 * dtypes. */
int emit_float_to_integer(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const int32_t from = program->values[instr->in[0]].dtype, to = program->values[instr->out].dtype;
    const int32_t inner = VN_BIT(from) & VN_HALF ? VN_F32 : from, flat = must_flatten(b, MAX_DIRECT_RANK);
    const int bits = 8 * (int)dtype_bytes(to), is_signed = (VN_BIT(to) & VN_SIGNED) != 0;
    const double above = ldexp(1, bits - is_signed), low = is_signed ? -above : 0;
    const double last = inner == VN_F64 ? nextafter(above, 0) : (double)nextafterf((float)above, 0);
    TF_Output x = operand(b, 0, from, flat), zero = build_number(b, inner, 0);
    x = build_cast(b, x, from, inner);
    x = choose(b, node2(b, "Equal", x, x), x, zero);
    TF_Output within = node2(b, "Maximum", node2(b, "Minimum", x, build_number(b, inner, last)), build_number(b, inner, low));
    TF_Output z = build_cast(b, within, inner, to);
    if (trunc(last) != above - 1) {
        TF_Output high = node2(b, "GreaterEqual", x, build_number(b, inner, above));
        z = choose(b, high, build_whole(b, to, (int64_t)(UINT64_MAX >> (64 - bits + is_signed))), z);
    }
    return elementwise_out(b, z, to, flat);
}
