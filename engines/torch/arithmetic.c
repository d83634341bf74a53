/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.c: kernels of several torch ops: where torch differs from the Array API standard its op is corrected, and
 * unsigned integers, stored as signed ones, are compared and divided as unsigned. */
#include "work.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Ops around the row's own, in the notation of stack.c. */
const torch_op equal = {"aten::eq", "Tensor", "01"};
static const torch_op at_least = {"aten::ge", "Tensor", "01"};
const torch_op is_0 = {"aten::eq", "Tensor", "0o"};
const torch_op at_most_0 = {"aten::le", "Tensor", "0o"};
const torch_op is_nan = {"aten::isnan", "", "0"};
static const torch_op is_inf = {"aten::isinf", "", "0"};
const torch_op swap_axes = {"aten::transpose", "int", "0ii"};
const torch_op choose = {"aten::where", "self", "012"};
const torch_op with_0_where = {"aten::masked_fill", "Tensor", "01o"};
const torch_op with_nan_where = {"aten::masked_fill", "Tensor", "01q"};
static const torch_op with_1_where = {"aten::masked_fill", "Tensor", "01u"};
static const torch_op exclusive_or = {"aten::bitwise_xor", "Tensor", "01"};
static const torch_op top_bit = {"aten::bitwise_and", "Tensor", "0h"};
const torch_op turn_top_bit = {"aten::bitwise_xor", "Tensor", "0h"};
static const torch_op sign_of = {"aten::sign", "", "0"};
static const torch_op with_sign_of = {"aten::copysign", "Tensor", "01"};
static const torch_op by = {"aten::div", "Tensor", "01"};
static const torch_op rest_of = {"aten::fmod", "Tensor", "01"};
static const torch_op either = {"aten::bitwise_or", "Tensor", "01"};
static const torch_op times = {"aten::mul", "Tensor", "01"};
static const torch_op largest_of = {"aten::amax", "", "0If"};
static const torch_op hardsigmoid = {"aten::hardsigmoid", "", "0"};
static const torch_op plus = {"aten::_foreach_addcmul", "Tensor", "[0][1][u]+>L"};
static const torch_op plus_1 = {"aten::_foreach_addcmul", "Tensor", "[0][u][u]+>L"};
static const torch_op minus = {"aten::_foreach_addcmul", "Tensor", "[0][1][u]->L"};
static const torch_op minus_1 = {"aten::_foreach_addcmul", "Tensor", "[0][u][u]->L"};
static const torch_op differ = {"aten::ne", "Tensor", "01"};
static const torch_op half_of = {"aten::div", "Tensor", "0w"};
static const torch_op size_of = {"aten::abs", "", "0"};
static const torch_op exp_of = {"aten::exp", "", "0"};
static const torch_op over = {"aten::floor_divide", "", "01"};
static const torch_op over_2 = {"aten::floor_divide", "", "0w"};
static const torch_op reversed = {"aten::flip", "", "0I"};
static const torch_op is_below = {"aten::lt", "Tensor", "01"};
static const torch_op with_number_where = {"aten::masked_fill", "Tensor", "012"};
static const torch_op extremes_of = {"aten::aminmax", "", "0nf>TT"};
static const torch_op without_nan = {"aten::nan_to_num", "", "0?r?r?r"};
static const torch_op adding = {"aten::logcumsumexp", "", "0i"};

static const helper helpers[] = {
    {&equal, MATRIX_OF(VN_BOOL)},
    {&at_least, MATRIX_OF(VN_BOOL)},
    {&is_0, MATRIX_OF(VN_BOOL)},
    {&at_most_0, MATRIX_OF(VN_BOOL)},
    {&is_nan, MATRIX_OF(VN_BOOL)},
    {&choose, MATRIX_OF(VN_BOOL)},
    {&with_0_where, MATRIX_OF(VN_BOOL)},
    {&top_bit, MATRIX_OF(VN_BOOL)},
    {&with_1_where, MATRIX_OF(VN_BOOL)},
    {&exclusive_or, MATRIX_OF(VN_BOOL)},
    {&turn_top_bit, MATRIX_OF(VN_BOOL)},
    {&sign_of, MATRIX_OF(VN_F32)},
    {&times, MATRIX_OF(VN_F32)},
    {&hardsigmoid, MATRIX_OF(VN_F32)},
    {&largest_of, MATRIX_OF(VN_F32)},
    {&with_sign_of, MATRIX_OF(VN_F32)},
    {&plus, MATRIX_OF(VN_F32)},
    {&plus_1, MATRIX_OF(VN_F32)},
    {&minus, MATRIX_OF(VN_F32)},
    {&over, MATRIX_OF(VN_F32)},
    {&over_2, MATRIX_OF(VN_F32)},
    {&reversed, MATRIX_OF(VN_F32)},
    {&half_of, MATRIX_OF(VN_F32)},
    {&size_of, MATRIX_OF(VN_F32)},
    {&exp_of, MATRIX_OF(VN_F32)},
    {&is_inf, MATRIX_OF(VN_F32)},
    {&with_nan_where, MATRIX_OF(VN_BOOL)},
    {&minus_1, MATRIX_OF(VN_F32)},
    {&differ, MATRIX_OF(VN_BOOL)},
    {&is_below, MATRIX_OF(VN_F32)},
    {&extremes_of, MATRIX_OF(VN_F32)},
    {&without_nan, MATRIX_OF(VN_F32)},
    {&adding, MATRIX_OF(VN_F32)},
    {&swap_axes, MATRIX_OF(VN_F32)},
    {&by, MATRIX_OF(VN_F32)},
    {&rest_of, MATRIX_OF(VN_F32)},
    {&either, MATRIX_OF(VN_BOOL)},
};

family arithmetic = {helpers, sizeof helpers / sizeof helpers[0], NULL};

/* Flipping the highest bit maps unsigned order to signed order. */
int ordered(const vn_kernel_call *call, const recipe *r)
{
    if (!(VN_BIT(desc_in(call, 0)->dtype) & STORED_AS_SIGNED)) return plain(call, r);
    work w = begin(call, r);
    tensor *x = apply(&w, &turn_top_bit, call->in[0]->t);
    tensor *y = call->instr->n_in > 1 ? apply(&w, &turn_top_bit, call->in[1]->t) : NULL;
    tensor *z = apply2(&w, &r->fresh, x, y);
    return end(&w, desc_out(call)->dtype == VN_BOOL ? z : apply(&w, &turn_top_bit, z));
}

enum { AXES }; /* options */

/* torch treats an empty list of axes as all axes. */
int extreme(const vn_kernel_call *call, const recipe *r)
{
    return call->instr->options[AXES].n == 0 ? share(call) : ordered(call, r);
}

/* torch gives 0 for NaN, and treats unsigned integers, stored as signed ones, as signed. */
int sign(const vn_kernel_call *call, const recipe *r)
{
    uint32_t dtype = VN_BIT(desc_in(call, 0)->dtype);
    tensor *x = call->in[0]->t;
    if (!(dtype & (VN_FLOATS | STORED_AS_SIGNED))) return plain(call, r);
    work w = begin(call, r);
    tensor *z = apply(&w, &r->fresh, x);
    return end(&w, dtype & VN_FLOATS ? apply3(&w, &choose, apply(&w, &is_nan, x), x, z) : apply2(&w, &times, z, z));
}

/* Unsigned numbers have no sign. */
int sign_bit(const vn_kernel_call *call, const recipe *r)
{
    if (!(VN_BIT(desc_in(call, 0)->dtype) & STORED_AS_SIGNED)) return plain(call, r);
    work w = begin(call, r);
    return end(&w, apply2(&w, &differ, call->in[0]->t, call->in[0]->t));
}

/* uint64 is shifted by one bit first, after which the sign bit is 0. */
int right_shift(const vn_kernel_call *call, const recipe *r)
{
    if (!(VN_BIT(desc_in(call, 0)->dtype) & STORED_AS_SIGNED)) return plain(call, r);
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *y = operand(&w, 1);
    if (w.dtype != VN_U64) return end_wide(&w, apply2(&w, &r->fresh, x, y));
    tensor *half = apply2(&w, &exclusive_or, apply(&w, &over_2, x), apply(&w, &top_bit, x));
    tensor *z = apply2(&w, &r->fresh, half, apply(&w, &minus_1, y));
    return end(&w, apply3(&w, &choose, apply(&w, &is_0, y), x, z));
}

/* Ops that torch computes less accurately in half precision than in float32. */
int wide_half(const vn_kernel_call *call, const recipe *r)
{
    if (!(VN_BIT(desc_in(call, 0)->dtype) & VN_HALF)) return plain(call, r);
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *y = call->instr->n_in > 1 ? operand(&w, 1) : NULL;
    return end_wide(&w, apply2(&w, &r->fresh, x, y));
}

/* torch's sinh and cosh overflow too early: at 709.8 in float64, although results are finite up to 710.4. There both
 * are about exp(|x|) / 2, computed through its square root. */
int hyperbolic(const vn_kernel_call *call, const recipe *r)
{
    if (VN_BIT(desc_in(call, 0)->dtype) & VN_COMPLEX) return plain(call, r);
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *z = apply(&w, &r->fresh, x);
    tensor *root = apply(&w, &exp_of, apply(&w, &half_of, apply(&w, &size_of, x)));
    tensor *size = apply2(&w, &times, root, apply(&w, &half_of, root));
    return end_wide(&w, apply3(&w, &choose, apply(&w, &is_inf, z), apply2(&w, &with_sign_of, size, z), z));
}

/* ---- floats to integers ---- */

/* A number of float32 or float64 on the host. */
static double value_of(work *w, tensor *x)
{
    const void *data = data_of(w, x);
    return !data ? 0 : w->dtype == VN_F64 ? *(const double *)data : *(const float *)data;
}

/* Are all elements of x in [low, above)? NaN is not. */
static bool all_within(work *w, tensor *x, double low, double above)
{
    tensor *ends[2];
    if (desc_out(w->call)->count == 0) return true;
    several(w, &extremes_of, TENSORS(x), NO_OPTIONS, 2, ends);
    return value_of(w, ends[0]) >= low && value_of(w, ends[1]) < above;
}

/* The largest number of an integer dtype, 0-d. */
static tensor *largest(work *w, int32_t dtype, int bits)
{
    tensor *t = fresh(w, 0, NULL, dtype);
    uint64_t value = (VN_BIT(dtype) & VN_SIGNED ? UINT64_MAX >> 1 : UINT64_MAX) >> (64 - bits); /* little-endian: its low bytes */
    void *data = room_of(w, t);
    if (data) memcpy(data, &value, (size_t)bits / 8);
    return t;
}

/* Truncated; clamped to the dtype's range, 0 for NaN. torch's result depends on the processor. Usually all
 * elements are in range, and checking min and max is enough. */
int float_to_integer(const vn_kernel_call *call, const recipe *r)
{
    static const int8_t bits[VN_DTYPE_END] = {
        [VN_I8] = 8, [VN_I16] = 16, [VN_I32] = 32, [VN_I64] = 64, [VN_U8] = 8, [VN_U16] = 16, [VN_U32] = 32, [VN_U64] = 64};
    const int32_t to = desc_out(call)->dtype;
    const bool is_signed = (VN_BIT(to) & VN_SIGNED) != 0;
    const double above = ldexp(1, bits[to] - is_signed), low = is_signed ? -above : 0;
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *high = NULL;
    vn_desc wide = *desc_in(call, 0);
    wide.dtype = w.dtype;
    if (!all_within(&w, x, low, above)) {
        high = binary(&w, &at_least, x, number(&w, above));
        x = binary(&w, &with_0_where, x, high);
        x = binary(&w, &with_0_where, x, unary(&w, &is_nan, x));
        tensor *least = number(&w, low);
        x = with(&w, &with_number_where, TENSORS(x, binary(&w, &is_below, x, least), least), NO_OPTIONS);
    }
    tensor *z = changed(&w, x, &wide, to);
    if (high) z = with(&w, &with_number_where, TENSORS(z, high, largest(&w, to, bits[to])), NO_OPTIONS);
    return end(&w, z);
}

/* ---- */

/* Input 0 for an op that widens integers: torch would treat unsigned ones of 16 and 32 bits as signed. */
static tensor *widened_input(work *w)
{
    const vn_desc *x = desc_in(w->call, 0);
    bool carried = VN_BIT(x->dtype) & STORED_AS_SIGNED;
    return changed(w, w->call->in[0]->t, x, carried ? desc_out(w->call)->dtype : x->dtype);
}

int widened(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    return end(&w, apply(&w, &r->fresh, widened_input(&w)));
}

/* The recipe's sum, without NaN; where all sums are finite there is none. torch's nansum also leaves out sums of opposite infinities. torch
 * reads an empty list of axes as all axes. */
int sum_of_numbers(const vn_kernel_call *call, const recipe *r)
{
    const bool reduces = call->instr->options[AXES].n > 0;
    work w = begin(call, r);
    tensor *x = call->in[0]->t, *z = reduces ? apply(&w, &r->fresh, x) : NULL;
    if (z && all_within(&w, z, -DBL_MAX, INFINITY)) return end(&w, z);
    x = with(&w, &without_nan, TENSORS(x), OPTIONS(FLOAT(0), FLOAT(INFINITY), FLOAT(-INFINITY)));
    return end(&w, reduces ? apply(&w, &r->fresh, x) : x);
}

/* torch multiplies by 6 before it divides by 6, and overflows. Where an element is so large, x is multiplied by its hardsigmoid. */
int hardswish(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *most = desc_in(call, 0)->count ? with(&w, &largest_of, TENSORS(x), OPTIONS(INTS(0, NULL))) : NULL;
    const bool fits = !most || value_of(&w, most) < (w.dtype == VN_F64 ? DBL_MAX : FLT_MAX) / 8;
    return end_wide(&w, fits ? unary(&w, &r->fresh, x) : binary(&w, &times, x, unary(&w, &hardsigmoid, x)));
}

enum { AXIS, REVERSE }; /* options */

/* torch adds floats in float64, but half precision in float32. */
int running_sum(const vn_kernel_call *call, const recipe *r)
{
    const bool reverse = call->instr->options[REVERSE].u.i != 0, half = (VN_BIT(desc_out(call)->dtype) & VN_HALF) != 0;
    work w = begin(call, r);
    tensor *x = half ? operand(&w, 0) : widened_input(&w);
    if (reverse) x = apply(&w, &reversed, x);
    x = apply(&w, half ? &running : &r->fresh, x);
    if (reverse) x = apply(&w, &reversed, x);
    return half ? end_wide(&w, x) : end(&w, x);
}

/* The recipe's op, largest or smallest, and positions; those of a reversed array are counted from its end. */
int running_extreme(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *d = desc_in(call, 0);
    const int64_t axis = call->instr->options[AXIS].u.i;
    const bool reverse = call->instr->options[REVERSE].u.i != 0, carried = (VN_BIT(d->dtype) & STORED_AS_SIGNED) != 0;
    work w = begin(call, r);
    tensor *x = carried ? apply(&w, &turn_top_bit, call->in[0]->t) : call->in[0]->t, *z[2] = {NULL};
    if (reverse) x = apply(&w, &reversed, x);
    several(&w, &r->fresh, TENSORS(x), OPTIONS(INT(axis)), 2, z);
    if (reverse) z[0] = apply(&w, &reversed, z[0]), z[1] = apply(&w, &reversed, z[1]);
    if (carried) z[0] = apply(&w, &turn_top_bit, z[0]);
    w.dtype = VN_I64;
    if (reverse) z[1] = apply2(&w, &minus, number(&w, (double)(d->dims[axis] - 1)), z[1]);
    return end_all(&w, 2, z);
}

/* In float64: in narrower dtypes sums near 0 would lose digits. */
int in_f64(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    tensor *x = changed(&w, call->in[0]->t, desc_in(call, 0), VN_F64), *y = changed(&w, call->in[1]->t, desc_in(call, 1), VN_F64);
    w.dtype = VN_F64;
    return end_wide(&w, apply2(&w, &r->fresh, x, y));
}

/* Options that are NaN were not given: the extremes of the dtype. */
int finite_numbers(const vn_kernel_call *call, const recipe *r)
{
    static const double largest[VN_DTYPE_END] = {[VN_F16] = 65504, [VN_BF16] = 0x1.fep127, [VN_F32] = FLT_MAX, [VN_F64] = DBL_MAX};
    const vn_option *o = call->instr->options;
    const double most = largest[desc_in(call, 0)->dtype], above = isnan(o[1].u.f) ? most : o[1].u.f,
                 below = isnan(o[2].u.f) ? -most : o[2].u.f;
    work w = begin(call, r);
    return end(&w, with(&w, &r->fresh, TENSORS(call->in[0]->t), OPTIONS(FLOAT(o[0].u.f), FLOAT(above), FLOAT(below))));
}

/* Half precision in float32, as the mantissa's dtype. */
int mantissa_and_exponent(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *z[2] = {NULL};
    several(&w, &r->fresh, TENSORS(x), NO_OPTIONS, 2, z);
    z[0] = as_result(&w, 0, z[0]);
    return end_all(&w, 2, z);
}

/* In float64: torch adds in the dtype of x. */
int running_exponentials(const vn_kernel_call *call, const recipe *r)
{
    const bool reverse = call->instr->options[REVERSE].u.i != 0;
    work w = begin(call, r);
    tensor *x = changed(&w, call->in[0]->t, desc_in(call, 0), VN_F64);
    w.dtype = VN_F64;
    if (reverse) x = apply(&w, &reversed, x);
    x = apply(&w, &adding, x);
    return end_wide(&w, reverse ? apply(&w, &reversed, x) : x);
}

/* uint64 division with signed ops. For divisors below 2^63: x / 2 divided and doubled, plus 1 if the remainder allows it. For larger ones,
 * which are negative as signed numbers, only the remainder matters. Returns the quotient or the remainder. */
static tensor *divide_u64(work *w, tensor *x, tensor *y, bool quotient)
{
    tensor *high = apply(w, &at_most_0, y), *half = apply2(w, &exclusive_or, apply(w, &over_2, x), apply(w, &top_bit, x));
    tensor *part = apply2(w, &with_0_where, apply2(w, &over, half, apply2(w, &with_1_where, y, high)), high);
    tensor *q = apply2(w, &plus, part, part), *rest = apply2(w, &minus, x, apply2(w, &times, q, y));
    tensor *more = apply2(w, &at_least, apply(w, &turn_top_bit, rest), apply(w, &turn_top_bit, y));
    tensor *z = quotient ? apply3(w, &choose, more, apply(w, &plus_1, q), q) : apply3(w, &choose, more, apply2(w, &minus, rest, y), rest);
    return apply2(w, &with_0_where, z, apply(w, &is_0, y));
}

/* torch follows Python; infinities are divided as they are here. */
static int floor_divide_floats(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *y = operand(&w, 1);
    tensor *infinite = binary(&w, &either, unary(&w, &is_inf, x), unary(&w, &is_inf, y));
    return end_wide(&w, apply3(&w, &choose, infinite, binary(&w, &by, x, y), apply2(&w, &r->fresh, x, y)));
}

/* torch raises an error for division by 0, and the lowest number divided by -1 traps. For divisors -1, 0 and 1 the quotient is
 * x * y, wrapped around, and the remainder is 0. */
int floor_divide(const vn_kernel_call *call, const recipe *r)
{
    if (VN_BIT(desc_in(call, 0)->dtype) & VN_FLOATS) return floor_divide_floats(call, r);
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *y = operand(&w, 1);
    if (w.dtype == VN_U64) return end(&w, divide_u64(&w, x, y, true));
    tensor *small = apply2(&w, &equal, y, apply(&w, &sign_of, y));
    tensor *z = apply2(&w, &r->fresh, x, apply2(&w, &with_1_where, y, small));
    return end_wide(&w, apply3(&w, &choose, small, apply2(&w, &times, x, y), z));
}

/* torch's vector loop gives NaN where x / y overflows. If there is any NaN, x is first reduced by two multiples of y, the larger one
 * possibly infinite, so that no quotient overflows; that changes no remainder. A remainder has the sign of y, except where torch's is 0. */
static tensor *remainder_of_floats(work *w, tensor *x, tensor *y)
{
    tensor *z = apply2(w, &w->r->fresh, x, y);
    if (!all_within(w, z, -INFINITY, INFINITY)) {
        tensor *scale = number(w, w->dtype == VN_F64 ? 0x1p700 : 0x1p100);
        tensor *large = binary(w, &times, y, scale), *larger = binary(w, &times, large, scale);
        z = apply2(w, &w->r->fresh, binary(w, &rest_of, binary(w, &rest_of, x, larger), large), y);
    }
    return apply2(w, &with_sign_of, z, y);
}

int remainder_by(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    tensor *x = operand(&w, 0), *y = operand(&w, 1);
    if (VN_BIT(w.dtype) & VN_FLOATS) return end_wide(&w, remainder_of_floats(&w, x, y));
    if (w.dtype == VN_U64) return end(&w, divide_u64(&w, x, y, false));
    tensor *small = apply2(&w, &equal, y, apply(&w, &sign_of, y));
    return end_wide(&w, apply2(&w, &r->fresh, x, apply2(&w, &with_1_where, y, small)));
}
