/* SPDX-License-Identifier: Apache-2.0 */
/* complex.c: complex ops that are computed part by part. torch's own differ at infinities, or need an argument
 * that cannot be passed (stack.c). A complex tensor is viewed as pairs, (..., 2). */
#include "work.h"

static const torch_op pairs_of = {"aten::view_as_real", "", "0"};
static const torch_op of_pairs = {"aten::view_as_complex", "", "0"};
static const torch_op real_of = {"aten::real", "", "0"};
static const torch_op imag_of = {"aten::imag", "", "0"};
static const torch_op negative_of = {"aten::neg", "", "0"};
static const torch_op joined = {"aten::complex", "", "01"};
static const torch_op length_of = {"aten::hypot", "", "01"};
static const torch_op is_finite = {"aten::isfinite", "", "0"};
static const torch_op exp_of = {"aten::exp", "", "0"};
static const torch_op minus_1 = {"aten::_foreach_addcmul", "Tensor", "[0][u][u]->L"};
const torch_op running = {"aten::cumsum", "", "0in"};
static const torch_op reversed = {"aten::flip", "", "0I"};
static const torch_op is_inf = {"aten::isinf", "", "0"};
static const torch_op not_0 = {"aten::ne", "Tensor", "0o"};
static const torch_op both = {"aten::bitwise_and", "Tensor", "01"};
static const torch_op with_sign_of = {"aten::copysign", "Tensor", "01"};

static const helper helpers[] = {
    {&pairs_of, MATRIX_OF(VN_C64)}, {&real_of, MATRIX_OF(VN_C64)},  {&imag_of, MATRIX_OF(VN_C64)}, {&length_of, MATRIX_OF(VN_F32)},
    {&running, MATRIX_OF(VN_F32)},  {&reversed, MATRIX_OF(VN_F32)}, {&joined, MATRIX_OF(VN_F32)},  {&is_finite, MATRIX_OF(VN_C64)},
    {&exp_of, MATRIX_OF(VN_C64)},   {&minus_1, MATRIX_OF(VN_F32)},  {&choose, MATRIX_OF(VN_BOOL)}, {&negative_of, MATRIX_OF(VN_F32)},
    {&is_inf, MATRIX_OF(VN_F32)},   {&not_0, MATRIX_OF(VN_C64)},    {&both, MATRIX_OF(VN_BOOL)},   {&with_sign_of, MATRIX_OF(VN_F32)},
};

family complex_numbers = {helpers, sizeof helpers / sizeof helpers[0], NULL};

static bool is_complex(const vn_kernel_call *call)
{
    return VN_BIT(desc_in(call, 0)->dtype) & VN_COMPLEX;
}

/* Sets the result to the complex numbers with parts z: (..., 2). */
static int end_pairs(work *w, tensor *z)
{
    const vn_desc *out = desc_out(w->call);
    int64_t dims[VN_MAX_RANK + 1];
    for (int k = 0; k < out->rank; k++) dims[k] = out->dims[k];
    dims[out->rank] = 2;
    const vn_desc pairs = {.dtype = out->dtype == VN_C64 ? VN_F32 : VN_F64, .rank = out->rank + 1, .count = 2 * out->count, .dims = dims};
    return end(w, unary(w, &of_pairs, row_major(w, z, &pairs)));
}

/* x + alpha y, part by part, so that an infinity in one part does not affect the other. */
int add_complex(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    return end_pairs(&w, sum_of(&w, unary(&w, &pairs_of, call->in[0]->t), unary(&w, &pairs_of, call->in[1]->t), r->alpha));
}

/* Part by part too: torch subtracts complex numbers from 0, which gives 0 instead of -0. */
int negated(const vn_kernel_call *call, const recipe *r)
{
    if (!is_complex(call)) return plain(call, r);
    work w = begin(call, r);
    return end_pairs(&w, unary(&w, &negative_of, unary(&w, &pairs_of, call->in[0]->t)));
}

int absolute(const vn_kernel_call *call, const recipe *r)
{
    if (!is_complex(call)) return plain(call, r);
    work w = begin(call, r);
    return end(&w, binary(&w, &length_of, unary(&w, &real_of, call->in[0]->t), unary(&w, &imag_of, call->in[0]->t)));
}

/* exp(x) - 1, part by part, where torch's complex expm1 overflows too early or is NaN in too many cases, and at 0, so that the real part is
 * +0 there. */
int exp_less_1(const vn_kernel_call *call, const recipe *r)
{
    if (!is_complex(call)) return plain(call, r);
    work w = begin(call, r);
    tensor *x = call->in[0]->t, *near = unary(&w, &r->fresh, x), *away = unary(&w, &exp_of, x);
    tensor *inside = binary(&w, &both, unary(&w, &is_finite, near), unary(&w, &not_0, x));
    w.dtype = desc_out(call)->dtype == VN_C64 ? VN_F32 : VN_F64; /* of the parts */
    away = binary(&w, &joined, unary(&w, &minus_1, unary(&w, &real_of, away)), unary(&w, &imag_of, away));
    return end(&w, apply3(&w, &choose, inside, near, away));
}

/* z with `part`, its imaginary one unless real, of the sign of the same part of x where the other part of x is infinite. torch has the sign
 * of sin(2 part), the Array API standard that of the part. */
static int tangent_at_infinity(const vn_kernel_call *call, const recipe *r, bool real)
{
    if (!is_complex(call)) return plain(call, r);
    work w = begin(call, r);
    tensor *x = call->in[0]->t, *z = unary(&w, &r->fresh, x);
    tensor *parts[] = {unary(&w, &real_of, z), unary(&w, &imag_of, z)}, **open = &parts[!real];
    tensor *infinite = unary(&w, &is_inf, unary(&w, real ? &imag_of : &real_of, x));
    tensor *signed_part = binary(&w, &with_sign_of, *open, unary(&w, real ? &real_of : &imag_of, x));
    *open = apply3(&w, &choose, infinite, signed_part, *open);
    return end(&w, binary(&w, &joined, parts[0], parts[1]));
}

int tangent(const vn_kernel_call *call, const recipe *r)
{
    return tangent_at_infinity(call, r, true);
}

int hyperbolic_tangent(const vn_kernel_call *call, const recipe *r)
{
    return tangent_at_infinity(call, r, false);
}

/* The parts are copied: a view would hold twice the memory, and to_host would have to handle it. */
static int part(const vn_kernel_call *call, const recipe *r, const torch_op *of)
{
    const vn_desc *out = desc_out(call);
    work w = begin(call, r);
    tensor *seen = unary(&w, of, call->in[0]->t), *z = fresh(&w, out->rank, out->dims, out->dtype);
    copy(&w, z, seen);
    return end(&w, z);
}

int real_part(const vn_kernel_call *call, const recipe *r)
{
    return part(call, r, &real_of);
}

int imaginary_part(const vn_kernel_call *call, const recipe *r)
{
    return part(call, r, &imag_of);
}

enum { AXIS, REVERSE }; /* options */

/* The axis counts from the front, so pairs may follow it. */
int running_sum_of_any(const vn_kernel_call *call, const recipe *r)
{
    if (!is_complex(call)) return running_sum(call, r);
    work w = begin(call, r);
    tensor *x = unary(&w, &pairs_of, call->in[0]->t);
    if (!call->instr->options[REVERSE].u.i) return end_pairs(&w, apply(&w, &running, x));
    return end_pairs(&w, apply(&w, &reversed, apply(&w, &running, apply(&w, &reversed, x))));
}
