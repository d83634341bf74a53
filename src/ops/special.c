/* SPDX-License-Identifier: Apache-2.0 */
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

/* ---- Bessel functions ---- */

/* The exponential in two factors, because it overflows before the product does. */
static vn_array *unscaled(vn_array *scaled, vn_array *x, vn_array *at_infinity)
{
    vn_array *root = vn_exp(vn__scaled(vn_abs(x), .5));
    return vn_where(vn_isinf(x), at_infinity, vn_mul(vn_mul(scaled, root), root));
}
vn_array *compose_i0(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(unscaled(vn_i0e(x), x, vn_abs(x)), i);
}
vn_array *compose_i1(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(unscaled(vn_i1e(x), x, x), i);
}

vn_array *vjp_i0(const vn__vjp_args *a, int k)
{
    return vn_mul(a->ct, vn_i1(a->in[k]));
}
/* z / x for z = i1(x), near 0 by the series, whose derivatives are right. */
static vn_array *ratio_of_i1(vn_array *x, vn_array *z, vn_array *scale)
{
    vn_array *close = vn_less(vn_abs(x), vn_scalar(.1)), *s = vn__scaled(vn_square(vn_where(close, x, vn_scalar(0))), .25),
             *series = vn_scalar(1);
    for (int k = 5; k > 0; k--) series = vn_add(vn_mul(vn__scaled(s, 1. / (k * (k + 1))), series), vn_scalar(1));
    series = vn__scaled(series, .5);
    return vn_where(close, scale ? vn_mul(series, scale) : series, vn_div(z, vn_where(close, vn_scalar(1), x)));
}
vn_array *vjp_i1(const vn__vjp_args *a, int k)
{
    return vn_mul(a->ct, vn_sub(vn_i0(a->in[k]), ratio_of_i1(a->in[k], a->out, NULL)));
}
vn_array *vjp_i1e(const vn__vjp_args *a, int k)
{
    vn_array *x = a->in[k], *slope = vn_sub(vn_i0e(x), ratio_of_i1(x, a->out, vn_exp(vn_neg(vn_abs(x)))));
    return vn_mul(a->ct, vn_sub(slope, vn_mul(vn_sign(x), a->out)));
}

/* ---- the cube root ---- */

/* In float64: a power, which misses by the rounding of 1/3, and a step of Newton's method. Very small numbers are scaled by 2^54. */
vn_array *compose_cbrt(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], VN_F64), *m = vn_abs(x), *zero = vn_scalar(0), *small = vn_less(m, vn_scalar(0x1p-1000));
    vn_array *plain = vn_logical_and(vn_isfinite(x), vn_greater(m, zero)), *a = vn_where(small, vn__scaled(m, 0x1p54), m);
    a = vn_where(plain, a, vn_scalar(1));
    vn_array *y = vn_pow(a, vn_scalar(1. / 3)), *square = vn_square(y);
    y = vn_sub(y, vn_div(vn_sub(vn_mul(square, y), a), vn__scaled(square, 3)));
    y = vn_where(small, vn__scaled(y, 0x1p-18), y);
    return vn__narrow(vn_where(plain, vn_where(vn_less(x, zero), vn_neg(y), y), x), i);
}
vn_array *vjp_cbrt(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn_div(a->ct, vn__scaled(vn_square(a->out), 3));
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

/* ---- logarithms ---- */

static vn_array *typed(vn_array *x, const vn__infer *i)
{
    return vn__widen(vn_cast(x, (vn_dtype)i->dtype));
}

/* 0 only where the logarithm is no number, so that the derivative by x is the logarithm elsewhere. */
vn_array *compose_xlogy(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = typed(in[0], i), *y = typed(in[1], i), *zero = vn_scalar(0);
    vn_array *no_number = vn_logical_or(vn_less_equal(y, zero), vn_isinf(y)), *nothing = vn_logical_and(vn_equal(x, zero), no_number);
    return vn__narrow(vn_where(nothing, zero, vn_mul(x, vn_log(vn_where(nothing, vn_scalar(1), y)))), i);
}

/* Around one half, where the quotient is about 1, from 2x - 1, which is exact. */
vn_array *compose_logit(vn_array *const *in, const vn__infer *i)
{
    const double eps = vn__real(i, OPT_LOGIT_EPSILON);
    vn_array *x = vn__widen(in[0]), *one = vn_scalar(1), *half = vn_scalar(.5);
    if (eps > 0) x = vn_clip(x, vn_scalar(eps), vn_scalar(1 - eps));
    vn_array *middle = vn_less(vn_abs(vn_sub(x, half)), vn_scalar(.25)), *m = vn_where(middle, x, half),
             *o = vn_where(middle, vn_scalar(.25), x);
    vn_array *near = vn_log1p(vn_div(vn_sub(vn__scaled(m, 2), one), vn_sub(one, m))), *far = vn_log(vn_div(o, vn_sub(one, o)));
    return vn__narrow(vn_where(middle, near, far), i);
}

/* As logaddexp. log1p(1) / ln 2 is 1 exactly, so equal whole numbers give the next one. */
vn_array *compose_logaddexp2(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], VN_F64), *y = vn_cast(in[1], VN_F64), *above = vn_greater(x, y), *m = vn_maximum(x, y);
    vn_array *high = vn_where(above, x, y), *low = vn_where(above, y, x), *finite = vn_isfinite(m);
    vn_array *d = vn_where(finite, vn_sub(low, high), vn_scalar(0)); /* inf - inf would be NaN */
    vn_array *more = vn_div(vn_log1p(vn_exp(vn__scaled(d, M_LN2))), vn_scalar(M_LN2));
    return vn__narrow(vn_where(finite, vn_add(high, more), m), i);
}

/* ---- parts of numbers ---- */

vn_array *compose_heaviside(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype), *zero = vn_scalar(0);
    vn_array *side = vn_cast(vn_greater(x, zero), (vn_dtype)i->dtype), *z = vn_where(vn_equal(x, zero), y, side);
    return vn__is(i->dtype, VN_FLOATS) ? vn_where(vn_isnan(x), vn_scalar(NAN), z) : z;
}

/* Kernels have int64 and uint64, and take arrays of one shape. */
vn_array *compose_gcd(vn_array *const *in, const vn__infer *i)
{
    const vn_dtype wide = i->dtype == VN_U64 ? VN_U64 : VN_I64;
    bool alike = i->dtype == (int)wide;
    vn_array *both[2];
    for (int k = 0; k < 2; k++) {
        const vn_shape s = vn_shape_of(in[k]);
        alike &= s.rank == i->rank && !memcmp(s.dim, i->dims, (size_t)i->rank * sizeof *s.dim);
        both[k] = vn_broadcast_to(vn_cast(vn_cast(in[k], (vn_dtype)i->dtype), wide), vn__result_shape(i));
    }
    return alike ? VN__AS_IS : vn__narrow(vn_gcd(both[0], both[1]), i);
}

/* |x / gcd y|; the division comes first, so that it wraps around only where the result does. */
vn_array *compose_lcm(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype), *divisor = vn_gcd(x, y);
    divisor = vn_where(vn_equal(divisor, vn_scalar(0)), vn_scalar(1), divisor);
    return vn_mul(vn_floor_divide(vn_abs(x), divisor), vn_abs(y)); /* a result that does not fit wraps around, and may be negative */
}

enum { BIAS = 1023, DIGITS = 52 }; /* of float64 */

/* 2^n in float64, for int64 n within the exponents of normal numbers: its bits */
static vn_array *power_of_2(vn_array *n)
{
    return vn_bitcast(vn_bitwise_left_shift(vn_add(n, vn_scalar(BIAS)), vn_scalar(DIGITS)), VN_F64);
}

/* x 2^n in float64. Up to 1022 it is one product; beyond that three, of which only the last one can be rounded. */
static vn_array *scaled_by(vn_array *x, vn_array *n)
{
    vn_array *far = vn_greater(vn_abs(n), vn_scalar(1022)), *third = vn_cast(vn_trunc(vn_div(vn_cast(n, VN_F64), vn_scalar(3))), VN_I64);
    vn_array *part = vn_where(far, third, vn_scalar(0)), *p = power_of_2(part);
    return vn_mul(vn_mul(vn_mul(x, p), p), power_of_2(vn_sub(n, vn_mul(part, vn_scalar(2)))));
}

int dtype_ldexp(vn__infer *i)
{
    const int n = i->in[1]->dtype;
    i->dtype = i->in[0]->dtype;
    if (!vn__is(n, VN_INTS)) FAIL(VN_E_DTYPE, "exponent is %s, an integer dtype is needed (%s)", dtype_text(n), i->engine);
    return vn__rule_accept(i, i->dtype);
}

/* More than 2200 in size takes every float64 number to 0 or infinity. */
vn_array *compose_ldexp(vn_array *const *in, const vn__infer *i)
{
    vn_array *n = vn_cast(vn_minimum(vn_maximum(vn_cast(in[1], VN_F64), vn_scalar(-2200)), vn_scalar(2200)), VN_I64);
    return vn__narrow(scaled_by(vn_cast(in[0], VN_F64), n), i);
}

/* The exponent from the bits of the float64 number; subnormal ones are scaled first. */
vn_array *compose_frexp(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], VN_F64), *zero = vn_scalar(0), *still = vn_stop_gradient(x);
    vn_array *plain = vn_logical_and(vn_isfinite(still), vn_not_equal(still, zero));
    vn_array *small = vn_less(vn_abs(still), vn_scalar(0x1p-1022)), *normal = vn_where(small, vn__scaled(still, 0x1p54), still);
    vn_array *bits = vn_bitwise_and(vn_bitwise_right_shift(vn_bitcast(normal, VN_I64), vn_scalar(DIGITS)), vn_scalar(2047));
    vn_array *n = vn_sub(vn_sub(bits, vn_scalar(BIAS - 1)), vn_mul(vn_cast(small, VN_I64), vn_scalar(54)));
    n = vn_where(plain, n, zero);
    i->more[0] = vn_cast(n, VN_I32);
    return i->more[0] ? vn__narrow(vn_where(plain, scaled_by(x, vn_neg(n)), x), i) : NULL;
}

/* A number given, or the extreme of the dtype. */
static double instead(const vn__infer *i, int option, int dtype, double sign)
{
    vn_float_info info = {.size = sizeof info};
    const double given = vn__real(i, option);
    if (!isnan(given)) return given;
    return vn_finfo(dtype, &info) ? given : sign * info.max;
}

static vn_array *numbers_of(vn_array *x, const vn__infer *i)
{
    const int d = (int)vn_dtype_of(x);
    vn_array *z = vn_where(vn_isnan(x), vn_scalar(vn__real(i, OPT_NAN_TO_NUM_NAN)), x);
    z = vn_where(vn_equal(x, vn_scalar(INFINITY)), vn_scalar(instead(i, OPT_NAN_TO_NUM_POSINF, d, 1)), z);
    return vn_where(vn_equal(x, vn_scalar(-INFINITY)), vn_scalar(instead(i, OPT_NAN_TO_NUM_NEGINF, d, -1)), z);
}

vn_array *compose_nan_to_num(vn_array *const *in, const vn__infer *i)
{
    if (vn__is(i->dtype, VN_COMPLEX)) return vn_complex(numbers_of(vn_real(in[0]), i), numbers_of(vn_imag(in[0]), i));
    return vn__is(i->dtype, VN_FLOATS) ? numbers_of(in[0], i) : vn_positive(in[0]);
}
