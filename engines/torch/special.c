/* SPDX-License-Identifier: Apache-2.0 */
/* special.c: functions that torch computes for fewer dtypes, or less accurately, than required. */
#include "work.h"

#include <math.h>

static const torch_op digamma = {"aten::digamma", "", "0"};
static const torch_op zeta = {"aten::special_zeta", "", "01"};
static const torch_op is_below = {"aten::lt", "Tensor", "01"};
static const torch_op is_above = {"aten::gt", "Tensor", "01"};
static const torch_op both = {"aten::logical_and", "", "01"};
static const torch_op whole = {"aten::floor", "", "0"};
static const torch_op nearest = {"aten::round", "", "0"};
static const torch_op cosine = {"aten::cos", "", "0"};
static const torch_op sine = {"aten::sin", "", "0"};
static const torch_op quotient = {"aten::div", "Tensor", "01"};
static const torch_op with_sign_of = {"aten::copysign", "Tensor", "01"};
static const torch_op plus = {"aten::_foreach_addcmul", "Tensor", "[0][1][u]+>L"};

static const helper helpers[] = {{&digamma, MATRIX_OF(VN_F32)},  {&zeta, MATRIX_OF(VN_F32)},        {&is_below, MATRIX_OF(VN_F32)},
                                 {&is_above, MATRIX_OF(VN_F32)}, {&both, MATRIX_OF(VN_BOOL)},       {&whole, MATRIX_OF(VN_F32)},
                                 {&nearest, MATRIX_OF(VN_F32)},  {&cosine, MATRIX_OF(VN_F32)},      {&sine, MATRIX_OF(VN_F32)},
                                 {&quotient, MATRIX_OF(VN_F32)}, {&with_sign_of, MATRIX_OF(VN_F32)}};
family special_functions = {helpers, sizeof helpers / sizeof helpers[0], NULL};

static tensor *either(work *w, tensor *condition, tensor *x, tensor *y)
{
    return with(w, &choose, TENSORS(condition, x, y), NO_OPTIONS);
}

/* The n-th derivative of pi cot(pi x). With u = cot(pi x) it is pi^(n+1) p(u), p = u for n = 0 and -(1 + u^2) p' for the next. */
static tensor *cotangent_derivative(work *w, tensor *x, int64_t n)
{
    double p[16] = {0, 1};
    for (int64_t k = 0; k < n; k++) {
        double next[16] = {0};
        for (int d = 1; d < 14; d++) {
            next[d - 1] -= d * p[d];
            next[d + 1] -= d * p[d];
        }
        for (int d = 0; d < 16; d++) p[d] = next[d];
    }
    tensor *angle = product_of(w, sum_of(w, x, unary(w, &nearest, x), -1), number(w, M_PI));
    tensor *u = binary(w, &quotient, unary(w, &cosine, angle), unary(w, &sine, angle));
    double scale = pow(M_PI, (double)n + 1);
    tensor *sum = number(w, scale * p[n + 1]);
    for (int64_t d = n; d >= 0; d--) sum = sum_of(w, product_of(w, sum, u), number(w, scale * p[d]), 1);
    return sum;
}

/* For order 1 and above: n! zeta(n + 1, x), with the sign of the order. Below 0 by reflection, because torch's zeta would sum over
 * all integers in between. */
static tensor *derivative_of_digamma(work *w, tensor *x, int64_t n)
{
    bool odd = n % 2;
    tensor *zero = number(w, 0), *one = number(w, 1), *left = binary(w, &is_below, x, zero);
    tensor *right_of_0 = either(w, left, sum_of(w, one, x, -1), x), *sum = binary(w, &zeta, number(w, (double)n + 1), right_of_0);
    sum = binary(w, &with_0_where, sum, binary(w, &equal, right_of_0, number(w, INFINITY)));
    sum = product_of(w, sum, number(w, tgamma((double)n + 1)));
    tensor *mirrored = sum_of(w, sum_of(w, zero, sum, -1), cotangent_derivative(w, x, n), -1);
    tensor *z = either(w, left, mirrored, odd ? sum : product_of(w, sum, number(w, -1)));
    tensor *pole = binary(w, &both, left, binary(w, &equal, x, unary(w, &whole, x)));
    z = either(w, pole, number(w, odd ? INFINITY : NAN), z);
    if (odd) return either(w, binary(w, &equal, x, number(w, -INFINITY)), number(w, NAN), z);
    return either(w, binary(w, &equal, x, zero), binary(w, &quotient, number(w, -1), x), z);
}

enum { ORDER }; /* options */

/* Always in float64. */
int polygamma(const vn_kernel_call *call, const recipe *r)
{
    int64_t n = call->instr->options[ORDER].u.i;
    work w = begin(call, r);
    tensor *x = changed(&w, call->in[0]->t, desc_in(call, 0), VN_F64);
    w.dtype = VN_F64;
    return end_wide(&w, n ? derivative_of_digamma(&w, x, n) : unary(&w, &digamma, x));
}

/* torch lacks float16 here: adds or subtracts 1 from the bits, which are ordered by magnitude. */
int next_after(const vn_kernel_call *call, const recipe *r)
{
    if (desc_in(call, 0)->dtype != VN_F16) return plain(call, r);
    work w = begin(call, r);
    tensor *x = call->in[0]->t, *y = call->in[1]->t, *zero = number(&w, 0), *smallest = number(&w, 0x1p-24);
    tensor *away = binary(&w, &equal, binary(&w, &is_above, y, x), binary(&w, &is_above, x, zero));
    w.dtype = VN_I16;
    tensor *step = either(&w, away, number(&w, 1), number(&w, -1));
    tensor *z = seen_as(&w, binary(&w, &plus, seen_as(&w, x, torch.stored_as[VN_I16]), step), torch.stored_as[VN_F16]);
    w.dtype = VN_F16;
    z = either(&w, binary(&w, &equal, x, zero), binary(&w, &with_sign_of, smallest, y), z);
    z = either(&w, binary(&w, &equal, x, y), y, z);
    z = either(&w, unary(&w, &is_nan, x), x, z);
    return end(&w, either(&w, unary(&w, &is_nan, y), y, z));
}
