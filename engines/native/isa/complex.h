/* SPDX-License-Identifier: Apache-2.0 */
/* complex.h: functions of complex numbers, based on math.h, so with the same bits at every instruction-set level.
 *
 * complex64 is computed in double and rounded, except products. Intermediate results neither overflow nor underflow if the result can be
 * represented. Special values are those of C's functions (Annex G) where it specifies them; a product or quotient with an infinity
 * follows the plain formulas. Branch cuts are those of C, and the sign of a zero distinguishes their sides. The inverse functions are
 * Kahan's ("Branch Cuts for Complex Elementary Functions", 1987). */
#ifndef VN_NATIVE_COMPLEX_H
#define VN_NATIVE_COMPLEX_H

#include "level.h"
#include "math.h"

static inline int is_infinite_f64(double x)
{
    return abs_f64(x) == __builtin_inf();
}
static inline int is_finite_f64(double x)
{
    return x - x == 0;
}

/* Called from many places: not inlined. */
static __attribute__((noinline)) void circle(double angle, double *sine, double *cosine)
{
    *sine = sin_any_f64(angle);
    *cosine = cos_any_f64(angle);
}
static __attribute__((noinline)) double exponential(double x)
{
    return exp_f64(x);
}
static __attribute__((noinline)) double logarithm1p(double x)
{
    return log1p_f64(x);
}
static __attribute__((noinline)) double angle_of(double y, double x)
{
    return atan2_f64(y, x);
}
static __attribute__((noinline)) double area_sine(double x)
{
    return asinh_f64(x);
}

/* A power of two that scales numbers whose squares would be out of range. */
static inline double scale_for(double most)
{
    return most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1.0;
}
/* Of the larger part. */
static inline double max_abs(double x, double y)
{
    return abs_f64(x) > abs_f64(y) ? abs_f64(x) : abs_f64(y);
}

/* ---- arithmetic ---- */

static inline double abs_c128(vn__c128 x)
{
    if (is_infinite_f64(x.re) || is_infinite_f64(x.im)) return __builtin_inf();
    const double by = scale_for(max_abs(x.re, x.im)), re = x.re * by, im = x.im * by;
    return sqrt_f64(re * re + im * im) / by;
}
static inline float abs_c64(vn__c64 x)
{
    const double re = x.re, im = x.im;
    if (is_infinite_f64(re) || is_infinite_f64(im)) return __builtin_inff();
    return (float)sqrt_f64(re * re + im * im);
}

static inline int is_infinite_c128(vn__c128 x)
{
    return is_infinite_f64(x.re) | is_infinite_f64(x.im);
}
static inline int is_infinite_c64(vn__c64 x)
{
    return is_infinite_f64(x.re) | is_infinite_f64(x.im);
}

/* A difference of products, written as a sum: gcc 12 contracts a difference next to a sum even when told not to. */
static inline vn__c128 mul_c128(vn__c128 x, vn__c128 y)
{
    return (vn__c128){x.re * y.re + x.im * -y.im, x.re * y.im + x.im * y.re};
}
static inline vn__c64 mul_c64(vn__c64 x, vn__c64 y)
{
    return (vn__c64){x.re * y.re + x.im * -y.im, x.re * y.im + x.im * y.re};
}

/* i x and -i x */
static inline vn__c128 turn_left(vn__c128 x)
{
    return (vn__c128){-x.im, x.re};
}
static inline vn__c128 turn_right(vn__c128 x)
{
    return (vn__c128){x.im, -x.re};
}

/* Smith's algorithm: both are rotated so that the real part of y is the larger one. Division by 0 divides each part of x by 0. */
static inline vn__c128 quotient(vn__c128 x, vn__c128 y)
{
    if (y.re == 0 && y.im == 0) return (vn__c128){x.re / abs_f64(y.re), x.im / abs_f64(y.re)};
    if (abs_f64(y.im) > abs_f64(y.re)) {
        x = turn_right(x);
        y = turn_right(y);
    }
    const double ratio = y.im / y.re, by = y.re + y.im * ratio;
    return (vn__c128){(x.re + x.im * ratio) / by, (x.im + x.re * -ratio) / by};
}
static inline vn__c128 div_c128(vn__c128 x, vn__c128 y)
{
    const double u = max_abs(x.re, x.im), v = max_abs(y.re, y.im);
    if (u < 0x1p1000 && v < 0x1p1000 && v > 0x1p-900) return quotient(x, y);
    const double a = u > 0x1p500 ? 0x1p-100 : 1.0, b = v > 0x1p500 ? 0x1p-100 : v < 0x1p-500 ? 0x1p300 : 1.0;
    const vn__c128 z = quotient((vn__c128){x.re * a, x.im * a}, (vn__c128){y.re * b, y.im * b});
    return (vn__c128){z.re / a * b, z.im / a * b};
}

/* x / |x|, 0 at 0 */
static inline vn__c128 sign_c128(vn__c128 x)
{
    if (x.re == 0 && x.im == 0) return (vn__c128){0, 0};
    const double by = scale_for(max_abs(x.re, x.im)), re = x.re * by, im = x.im * by, size = sqrt_f64(re * re + im * im);
    return (vn__c128){re / size, im / size};
}

static inline vn__c128 sqrt_c128(vn__c128 x)
{
    const double infinity = __builtin_inf();
    if (x.re == 0 && x.im == 0) return (vn__c128){0, x.im};
    if (is_infinite_f64(x.im)) return (vn__c128){infinity, x.im};
    if (x.re == infinity) return (vn__c128){infinity, x.im == x.im ? signed_f64(0, x.im) : x.im};
    if (x.re == -infinity) return (vn__c128){x.im == x.im ? 0 : x.im, signed_f64(infinity, x.im)};
    const double most = max_abs(x.re, x.im), by = most > 0x1p1000 ? 0x1p-4 : most < 0x1p-900 ? 0x1p200 : 1.0;
    const double back = most > 0x1p1000 ? 0x1p2 : most < 0x1p-900 ? 0x1p-100 : 1.0; /* 1 / sqrt(by) */
    const vn__c128 y = {abs_f64(x.re) * by, abs_f64(x.im) * by};
    const double root = sqrt_f64(0.5 * (y.re + abs_c128(y))), other = y.im / (root + root);
    if (x.re >= 0) return (vn__c128){root * back, signed_f64(other * back, x.im)};
    return (vn__c128){other * back, signed_f64(root * back, x.im)};
}

/* ---- exponentials and logarithms ---- */

static inline vn__c128 exp_c128(vn__c128 x)
{
    const double infinity = __builtin_inf();
    double s, c;
    if (x.im == 0) return (vn__c128){exponential(x.re), x.im};
    if (!is_finite_f64(x.im)) {
        if (x.re == -infinity) return (vn__c128){0, 0};
        return (vn__c128){x.re == infinity ? infinity : x.im - x.im, x.im - x.im};
    }
    circle(x.im, &s, &c);
    if (x.re > 709.0) { /* the result may be finite where e^x is not */
        const double half = exponential(0.5 * x.re);
        return (vn__c128){half * c * half, half * s * half};
    }
    const double size = exponential(x.re);
    return (vn__c128){size * c, size * s};
}

/* The real part of a zero has no sign, as the Array API standard asks. */
static inline vn__c128 expm1_c128(vn__c128 x)
{
    if (x.im == 0) return (vn__c128){x.re == 0 ? 0 : expm1_f64(x.re), x.im};
    if (!(abs_f64(x.re) < 40.0) || !is_finite_f64(x.im)) {
        const vn__c128 z = exp_c128(x);
        return (vn__c128){z.re - 1.0, z.im};
    }
    double s, c, half, unused;
    const double less = expm1_f64(x.re);
    circle(x.im, &s, &c);
    circle(0.5 * x.im, &half, &unused);
    return (vn__c128){less * c - 2.0 * half * half, exponential(x.re) * s};
}

/* ln |x|. Near the unit circle computed from |x|^2 - 1, which is more accurate. */
static inline double log_size(vn__c128 x)
{
    const double most = max_abs(x.re, x.im), least = abs_f64(x.re) > abs_f64(x.im) ? abs_f64(x.im) : abs_f64(x.re);
    if (is_infinite_c128(x)) return __builtin_inf();
    if (most > 0.5 && most < 1.75) {
        const double more = (most - 1.0) * (most + 1.0) + least * least;
        if (more > -0.5) return 0.5 * logarithm1p(more);
    }
    if (most > 0x1p1000 || most < 0x1p-1000) {
        const double by = most > 1 ? 0x1p-100 : 0x1p100, shift = 69.314718055994530942;
        return log_f64(abs_c128((vn__c128){x.re * by, x.im * by})) + (most > 1 ? shift : -shift);
    }
    return log_f64(abs_c128(x));
}
static inline vn__c128 log_c128(vn__c128 x)
{
    return (vn__c128){log_size(x), angle_of(x.im, x.re)};
}
static inline vn__c128 log2_c128(vn__c128 x)
{
    const vn__c128 z = log_c128(x);
    return (vn__c128){z.re * 1.4426950408889634074, z.im * 1.4426950408889634074};
}
static inline vn__c128 log10_c128(vn__c128 x)
{
    const vn__c128 z = log_c128(x);
    return (vn__c128){z.re * 4.3429448190325182765e-1, z.im * 4.3429448190325182765e-1};
}
/* From |1 + x|^2 - 1, unless that is close to -1. */
static inline vn__c128 log1p_c128(vn__c128 x)
{
    const double more = x.re * (2.0 + x.re) + x.im * x.im;
    if (!(max_abs(x.re, x.im) < 0x1p400) || more < -0.5) return log_c128((vn__c128){1.0 + x.re, x.im});
    return (vn__c128){0.5 * logarithm1p(more), angle_of(x.im, 1.0 + x.re)};
}

/* Integer exponents by products, others as e^(y ln x). 0 to a power with a positive real part is 0, to any other nonzero power NaN. */
static inline vn__c128 pow_c128(vn__c128 x, vn__c128 y)
{
    enum { MAX_FACTORS = 128 };
    if (y.re == 0 && y.im == 0) return (vn__c128){1, 0};
    if (x.re == 0 && x.im == 0) {
        const double z = y.re > 0 ? 0 : __builtin_nan("");
        return (vn__c128){z, z};
    }
    if (y.im != 0 || !(abs_f64(y.re) <= MAX_FACTORS) || round_f64(y.re) != y.re) return exp_c128(mul_c128(y, log_c128(x)));
    int n = (int)abs_f64(y.re);
    for (; n % 2 == 0; n /= 2) x = mul_c128(x, x);
    vn__c128 z = x;
    while (n /= 2) {
        x = mul_c128(x, x);
        if (n % 2) z = mul_c128(z, x);
    }
    return y.re < 0 ? div_c128((vn__c128){1, 0}, z) : z;
}

/* ---- hyperbolic functions, and those of the circle: sin(x) = -i sinh(i x) ----
 *
 * An infinity whose sign Annex G leaves open is positive, as in C libraries. At infinity the imaginary part of tanh has the sign of x's, as
 * the Array API standard says; Annex G has that of sin(2 x.im). */

/* Beyond this e^x is twice the hyperbolic sine and cosine, and is computed in two factors. */
#define VN_LARGE 700.0

static inline vn__c128 sinh_c128(vn__c128 x)
{
    double s, c;
    if (x.im == 0) return (vn__c128){sinh_f64(x.re), x.im};
    if (!is_finite_f64(x.im)) return (vn__c128){is_infinite_f64(x.re) ? abs_f64(x.re) : x.re == 0 ? x.re : x.im - x.im, x.im - x.im};
    circle(x.im, &s, &c);
    if (abs_f64(x.re) > VN_LARGE) {
        const double half = exponential(0.5 * abs_f64(x.re)), other = 0.5 * half;
        return (vn__c128){signed_f64(half, x.re) * c * other, half * s * other};
    }
    return (vn__c128){sinh_f64(x.re) * c, cosh_f64(x.re) * s};
}
static inline vn__c128 cosh_c128(vn__c128 x)
{
    double s, c;
    if (x.im == 0) return (vn__c128){cosh_f64(x.re), x.im * signed_f64(1, x.re)};
    if (!is_finite_f64(x.im)) return (vn__c128){is_infinite_f64(x.re) ? abs_f64(x.re) : x.im - x.im, x.re == 0 ? x.re : x.im - x.im};
    circle(x.im, &s, &c);
    if (abs_f64(x.re) > VN_LARGE) {
        const double half = exponential(0.5 * abs_f64(x.re)), other = 0.5 * half;
        return (vn__c128){half * c * other, signed_f64(half, x.re) * s * other};
    }
    return (vn__c128){cosh_f64(x.re) * c, sinh_f64(x.re) * s};
}
static inline vn__c128 tanh_c128(vn__c128 x)
{
    double s, c;
    if (is_infinite_f64(x.re)) return (vn__c128){signed_f64(1, x.re), is_finite_f64(x.im) ? signed_f64(0, x.im) : 0};
    if (x.im == 0) return (vn__c128){tanh_f64(x.re), x.im};
    if (!is_finite_f64(x.im)) return (vn__c128){x.re == 0 ? x.re : x.im - x.im, x.im - x.im};
    circle(x.im, &s, &c);
    if (abs_f64(x.re) > 22.0) return (vn__c128){signed_f64(1, x.re), 4.0 * s * c * exponential(-2.0 * abs_f64(x.re))};
    const double t = tan_any_f64(x.im), more = 1.0 + t * t, sine = sinh_f64(x.re), by = 1.0 + more * sine * sine;
    return (vn__c128){more * sqrt_f64(1.0 + sine * sine) * sine / by, t / by};
}

static inline vn__c128 sin_c128(vn__c128 x)
{
    const vn__c128 z = turn_right(sinh_c128(turn_left(x)));
    return (vn__c128){z.re, !is_finite_f64(x.re) && is_infinite_f64(z.im) ? abs_f64(z.im) : z.im};
}
static inline vn__c128 cos_c128(vn__c128 x)
{
    return cosh_c128(turn_left(x));
}
static inline vn__c128 tan_c128(vn__c128 x)
{
    return turn_right(tanh_c128(turn_left(x)));
}

/* ---- their inverses ---- */

#define VN_QUARTER 0x1.921fb54442d18p+0 /* of a turn */
#define VN_LN2 0x1.62e42fefa39efp-1

/* Zero and a NaN: one part of an inverse function is known there. */
static inline int is_open(vn__c128 x)
{
    return x.re == 0 && x.im != x.im;
}

/* Beyond this the area sine of |x| is the logarithm of 2 |x|, and products of roots may overflow. */
static inline int is_large(vn__c128 x)
{
    return max_abs(x.re, x.im) > 0x1p900;
}

static inline vn__c128 asin_c128(vn__c128 x)
{
    if (is_infinite_c128(x)) return (vn__c128){angle_of(x.re, abs_f64(x.im)), signed_f64(__builtin_inf(), x.im)};
    if (is_open(x)) return x;
    if (is_large(x)) return (vn__c128){angle_of(x.re, abs_f64(x.im)), signed_f64(log_size(x) + VN_LN2, x.im)};
    const vn__c128 p = sqrt_c128((vn__c128){1.0 + x.re, x.im}), m = sqrt_c128((vn__c128){1.0 - x.re, -x.im});
    return (vn__c128){angle_of(x.re, p.re * m.re - p.im * m.im), area_sine(m.re * p.im - m.im * p.re)};
}
static inline vn__c128 acos_c128(vn__c128 x)
{
    if (is_infinite_c128(x)) return (vn__c128){angle_of(abs_f64(x.im), x.re), -signed_f64(__builtin_inf(), x.im)};
    if (is_open(x)) return (vn__c128){VN_QUARTER, x.im};
    if (is_large(x)) return (vn__c128){angle_of(abs_f64(x.im), x.re), -signed_f64(log_size(x) + VN_LN2, x.im)};
    const vn__c128 p = sqrt_c128((vn__c128){1.0 + x.re, x.im}), m = sqrt_c128((vn__c128){1.0 - x.re, -x.im});
    return (vn__c128){2.0 * angle_of(m.re, p.re), area_sine(p.re * m.im - p.im * m.re)};
}
static inline vn__c128 acosh_c128(vn__c128 x)
{
    if (is_infinite_c128(x)) return (vn__c128){__builtin_inf(), angle_of(x.im, x.re)};
    if (is_open(x)) return (vn__c128){x.im, VN_QUARTER};
    if (is_large(x)) return (vn__c128){log_size(x) + VN_LN2, angle_of(x.im, x.re)};
    const vn__c128 p = sqrt_c128((vn__c128){x.re + 1.0, x.im}), m = sqrt_c128((vn__c128){x.re - 1.0, x.im});
    return (vn__c128){area_sine(m.re * p.re + m.im * p.im), 2.0 * angle_of(m.im, p.re)};
}
static inline vn__c128 atanh_c128(vn__c128 x)
{
    const double re = abs_f64(x.re), im = abs_f64(x.im), square = im * im;
    if (is_open(x) || (is_infinite_f64(re) && x.im != x.im)) return (vn__c128){signed_f64(0, x.re), x.im};
    if (is_infinite_f64(im)) return (vn__c128){signed_f64(0, x.re), signed_f64(VN_QUARTER, x.im)};
    if (re != re || x.im != x.im) return (vn__c128){re + x.im, re + x.im};
    if (re > 0x1p500 || im > 0x1p500) /* 1 / x + i pi / 2 */
        return (vn__c128){signed_f64(div_c128((vn__c128){1, 0}, (vn__c128){re, im}).re, x.re), signed_f64(VN_QUARTER, x.im)};
    const double more = 4.0 * re / ((1.0 - re) * (1.0 - re) + square);
    const double size = re == 1.0 && im < 0x1p-400 ? 0.5 * (VN_LN2 - log_f64(im)) : 0.25 * logarithm1p(more); /* the square underflows */
    return (vn__c128){signed_f64(size, x.re), 0.5 * angle_of(x.im + x.im, (1.0 - re) * (1.0 + re) - square)};
}
static inline vn__c128 asinh_c128(vn__c128 x)
{
    return turn_right(asin_c128(turn_left(x)));
}
static inline vn__c128 atan_c128(vn__c128 x)
{
    return turn_right(atanh_c128(turn_left(x)));
}

/* ---- complex64 ---- */

static inline vn__c128 widened(vn__c64 x)
{
    return (vn__c128){x.re, x.im};
}
static inline vn__c64 narrowed(vn__c128 x)
{
    return (vn__c64){(float)x.re, (float)x.im};
}
#define THROUGH_C128(f)                        \
    static inline vn__c64 f##_c64(vn__c64 x)   \
    {                                          \
        return narrowed(f##_c128(widened(x))); \
    }
THROUGH_C128(sign)
THROUGH_C128(sqrt)
THROUGH_C128(exp)
THROUGH_C128(expm1)
THROUGH_C128(log)
THROUGH_C128(log1p)
THROUGH_C128(log2)
THROUGH_C128(log10)
THROUGH_C128(sin)
THROUGH_C128(cos)
THROUGH_C128(tan)
THROUGH_C128(asin)
THROUGH_C128(acos)
THROUGH_C128(atan)
THROUGH_C128(sinh)
THROUGH_C128(cosh)
THROUGH_C128(tanh)
THROUGH_C128(asinh)
THROUGH_C128(acosh)
THROUGH_C128(atanh)
static inline vn__c64 div_c64(vn__c64 x, vn__c64 y)
{
    return narrowed(quotient(widened(x), widened(y)));
}
static inline vn__c64 pow_c64(vn__c64 x, vn__c64 y)
{
    return narrowed(pow_c128(widened(x), widened(y)));
}

#endif
