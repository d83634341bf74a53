/* special.c: rules, gradients and compositions of bitwise ops, signs and special functions. */
#include "ops/row.h"
#include <math.h>

enum { HIGHEST_ORDER = 8 }; /* polygamma: the orders that the native kernel has tables for */

/* ---- bits and signs ---- */

/* Integers wrap around, so -x - 1 inverts every bit. */
vn_array *compose_bitwise_invert(vn_array *const *in, const vn__infer *i)
{
    return i->dtype == VN_BOOL ? vn_logical_not(in[0]) : vn_sub(vn_neg(in[0]), vn_scalar(1));
}

vn_array *compose_copysign(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__narrow(in[0], i);
    return vn_where(vn_not_equal(vn_signbit(x), vn_signbit(in[1])), vn_neg(x), x);
}

/* ---- gamma ---- */

int shape_polygamma(vn__infer *i)
{
    int64_t order = i->options->v[OPT_POLYGAMMA_ORDER].u.i;
    if (order < 0 || order > HIGHEST_ORDER)
        FAIL(VN_E_ARG, "order %lld is not between 0 and %d (%s)", (long long)order, HIGHEST_ORDER, i->engine);
    return shape_same(i);
}

vn_array *vjp_polygamma(const vn__vjp_args *a, int k)
{
    return vn_mul(a->ct, vn_polygamma(a->in[k], a->options[OPT_POLYGAMMA_ORDER].u.i + 1));
}

vn_array *compose_digamma(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_polygamma(in[0], 0);
}

/* ---- functions of sqrt and sin ---- */

vn_array *compose_rsqrt(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn_div(vn_scalar(1), vn_sqrt(vn__widen(in[0]))), i);
}

/* sin(pi x) from the distance to the nearest integer, negated for an odd one: exact at all integers. */
static vn_array *sin_of_half_turns(vn_array *x)
{
    vn_array *whole = vn_round(x), *side = vn_sub(vn_scalar(1), vn_mul(vn_remainder(whole, vn_scalar(2)), vn_scalar(2)));
    return vn_mul(side, vn_sin(vn_mul(vn_sub(x, whole), vn_scalar(M_PI))));
}

/* The quotient's derivatives lose digits near 0, so the series is used there. */
vn_array *compose_sinc(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *t = vn_mul(x, vn_scalar(M_PI)), *close = vn_less(vn_abs(t), vn_scalar(.1));
    vn_array *s = vn_square(vn_where(close, t, vn_scalar(0))), *series = vn_scalar(1);
    for (int k = 8; k > 0; k -= 2) series = vn_sub(vn_scalar(1), vn_mul(vn_mul(s, vn_scalar(1. / (k * (k + 1)))), series));
    vn_array *quotient = vn_div(sin_of_half_turns(x), vn_where(close, vn_scalar(1), t));
    return vn__narrow(vn_where(close, series, quotient), i);
}
