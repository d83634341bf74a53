/* SPDX-License-Identifier: Apache-2.0 */
/* math.h: functions of float and double, written without branches so that loops over them vectorise, and without fused multiply-add
 * so that they give the same bits at every instruction-set level. Functions of float are those of double, rounded, unless there is
 * a shorter form. trigonometry.h and power.h belong to this file.
 *
 * Largest errors found, in ulps, compared with 80-bit functions on more than a million points each, including infinities, denormals
 * and, for trigonometric functions, the numbers closest to multiples of pi/2. Special values are those of C's functions; denormals
 * are kept.
 *
 *          float double           float double           float double
 * exp        1.0   1.0   sin        0.6   0.8   sinh       0.6   1.6
 * expm1      0.6   1.9   cos        0.6   0.8   cosh       0.6   1.4
 * log        0.8   0.9   tan        0.6   1.5   tanh       1.5   1.5
 * log1p      0.6   0.9   asin       0.6   2.1   asinh      0.6   1.9
 * log2       0.6   1.4   acos       0.6   2.5   acosh      0.6   2.3
 * log10      0.6   2.0   atan       0.6   1.8   atanh      0.6   1.9
 * pow        0.6   1.2   atan2      0.6   1.8   erf        0.6   1.5
 * sigmoid    1.4   2.3   sqrt is rounded correctly
 *
 * Polynomials and the splitting of ln 2 are from the Cephes library where available. */
#ifndef VN_NATIVE_MATH_H
#define VN_NATIVE_MATH_H

#include <stdint.h>
#include <string.h>

/* A loop is vectorised only if everything in it is inlined. */
#define VN_INLINE static inline __attribute__((always_inline))

VN_INLINE uint32_t bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
VN_INLINE float from_bits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
VN_INLINE uint64_t bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
VN_INLINE double from_bits_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

VN_INLINE float abs_f32(float x)
{
    return from_bits_f32(bits_f32(x) & UINT32_C(0x7FFFFFFF));
}
VN_INLINE double abs_f64(double x)
{
    return from_bits_f64(bits_f64(x) & UINT64_C(0x7FFFFFFFFFFFFFFF));
}
VN_INLINE float signed_f32(float magnitude, float sign)
{
    return from_bits_f32((bits_f32(magnitude) & UINT32_C(0x7FFFFFFF)) | (bits_f32(sign) & UINT32_C(0x80000000)));
}
VN_INLINE double signed_f64(double magnitude, double sign)
{
    return from_bits_f64((bits_f64(magnitude) & UINT64_C(0x7FFFFFFFFFFFFFFF)) | (bits_f64(sign) & UINT64_C(0x8000000000000000)));
}
VN_INLINE float sqrt_f32(float x)
{
    return __builtin_sqrtf(x);
}
VN_INLINE double sqrt_f64(double x)
{
    return __builtin_sqrt(x);
}

/* ---- rounding ---- */

/* To the nearest integer, ties to even: adding the number whose last place is 1 leaves no room for a fraction. */
#define ROUNDINGS(tag, T, large)                               \
    VN_INLINE T round_##tag(T x)                               \
    {                                                          \
        const T m = abs_##tag(x), r = (m + (large)) - (large); \
        return m < (large) ? signed_##tag(r, x) : x;           \
    }                                                          \
    VN_INLINE T floor_##tag(T x)                               \
    {                                                          \
        const T r = round_##tag(x), below = r - 1;             \
        return r > x ? below : r;                              \
    }                                                          \
    VN_INLINE T ceil_##tag(T x)                                \
    {                                                          \
        const T r = round_##tag(x), above = r + 1;             \
        return signed_##tag(r < x ? above : r, x);             \
    }                                                          \
    VN_INLINE T trunc_##tag(T x)                               \
    {                                                          \
        return signed_##tag(floor_##tag(abs_##tag(x)), x);     \
    }
ROUNDINGS(f32, float, 0x1p23f)
ROUNDINGS(f64, double, 0x1p52)

/* ---- exponentials ---- */

/* e^r - 1 for |r| <= ln(2)/2. */
VN_INLINE float expm1_poly_f32(float r)
{
    float p = 1.3946496183e-3f;
    p = p * r + 8.3666108549e-3f;
    p = p * r + 4.1666280478e-2f;
    p = p * r + 1.6666543484e-1f;
    p = p * r + 0.5f;
    return p * (r * r) + r;
}

VN_INLINE double expm1_poly_f64(double r)
{
    double p = 1.6059043836821614599e-10;
    p = p * r + 2.0876756987868098979e-9;
    p = p * r + 2.5052108385441718775e-8;
    p = p * r + 2.7557319223985890653e-7;
    p = p * r + 2.7557319223985890653e-6;
    p = p * r + 2.4801587301587301587e-5;
    p = p * r + 1.9841269841269841270e-4;
    p = p * r + 1.3888888888888888889e-3;
    p = p * r + 8.3333333333333333333e-3;
    p = p * r + 4.1666666666666666667e-2;
    p = p * r + 1.6666666666666666667e-1;
    p = p * r + 0.5;
    return p * (r * r) + r;
}

/* e^x. x = n ln 2 + r; the low bits of x log2(e) + 1.5*2^23 are n. 2^n is applied in two factors, whose exponent fields add up to
 * n + 2*127, so that the result may be denormal. nan passes through the comparisons and the arithmetic. */
VN_INLINE float exp_f32(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    const float shifted = c * 1.44269504088896341f + 12582912.0f;
    const float n = shifted - 12582912.0f;
    const float r = (c - n * 0.693359375f) + n * 2.12194440e-4f;
    const float y = expm1_poly_f32(r) + 1.0f;
    const uint32_t fields = bits_f32(shifted) - (UINT32_C(0x4B400000) - 254), half = fields >> 1;
    return y * from_bits_f32(half << 23) * from_bits_f32((fields - half) << 23);
}

/* 2^(extra - 2046) e^x */
VN_INLINE double exp_times_f64(double x, uint64_t extra)
{
    double c = x > 711.0 ? 711.0 : x;
    c = c < -746.0 ? -746.0 : c;
    const double shifted = c * 1.4426950408889634074 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const double y = expm1_poly_f64(r) + 1.0;
    const uint64_t fields = bits_f64(shifted) - UINT64_C(0x4338000000000000) + extra, half = fields >> 1;
    return y * from_bits_f64(half << 52) * from_bits_f64((fields - half) << 52);
}
VN_INLINE double exp_f64(double x)
{
    return exp_times_f64(x, 2046);
}

/* e^x - 1 = 2^n (e^r - 1) + (2^n - 1), in two factors because 2^1024 overflows. */
VN_INLINE double expm1_f64(double x)
{
    double c = x > 709.9 ? 709.9 : x;
    c = c < -40.0 ? -40.0 : c;
    const double shifted = c * 1.4426950408889634074 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const double p = expm1_poly_f64(r), scale = from_bits_f64((bits_f64(shifted) + 1022) << 52);
    const double far = (scale * p + (scale - 0.5)) * 2.0;
    const double y = n == 0.0 ? p : far;
    return abs_f64(x) < 0x1p-54 ? x : y;
}

/* tanh x = y / (y + 2) with y = e^2|x| - 1 = 2^n (e^r - 1) + (2^n - 1), which loses a bit where y is small: there an odd polynomial is
 * used. Beyond 20 (40), where tanh is 1, y is clamped. */
VN_INLINE float tanh_f32(float x)
{
    const uint32_t sign = bits_f32(x) & UINT32_C(0x80000000);
    const float m = from_bits_f32(bits_f32(x) ^ sign), c = m > 20.0f ? 40.0f : m + m;
    const float shifted = c * 1.44269504088896341f + 12582912.0f;
    const float n = shifted - 12582912.0f;
    const float r = (c - n * 0.693359375f) + n * 2.12194440e-4f;
    const float scale = from_bits_f32((bits_f32(shifted) + 127) << 23);
    const float y = scale * expm1_poly_f32(r) + (scale - 1.0f);
    const float far = y / (y + 2.0f), s = m * m;
    float p = 2.0218406e-2f;
    p = p * s - 5.3868527e-2f;
    p = p * s + 1.3333139e-1f;
    p = p * s - 3.3333333e-1f;
    const float near = p * s * m + m;
    return from_bits_f32(bits_f32(m < 0.3125f ? near : far) | sign);
}

VN_INLINE double tanh_f64(double x)
{
    const uint64_t sign = bits_f64(x) & UINT64_C(0x8000000000000000);
    const double m = from_bits_f64(bits_f64(x) ^ sign), c = m > 40.0 ? 80.0 : m + m;
    const double shifted = c * 1.4426950408889634074 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const double scale = from_bits_f64((bits_f64(shifted) + 1023) << 52);
    const double y = scale * expm1_poly_f64(r) + (scale - 1.0);
    const double far = y / (y + 2.0), s = m * m;
    double p = 5.04298550375997085e-04;
    p = p * s - 1.44256121241884963e-03;
    p = p * s + 3.59104073219018976e-03;
    p = p * s - 8.86318586435371793e-03;
    p = p * s + 2.18694873000545992e-02;
    p = p * s - 5.39682539531148309e-02;
    p = p * s + 1.33333333333262583e-01;
    p = p * s - 3.33333333333333259e-01;
    const double near = p * s * m + m;
    return from_bits_f64(bits_f64(m < 0.3125 ? near : far) | sign);
}

/* sinh and cosh from h = e^|x|/2; close to 0 sinh is an odd polynomial. */
VN_INLINE double sinh_f64(double x)
{
    const double m = abs_f64(x), h = exp_times_f64(m, 2045), s = m * m;
    double p = 7.74617859301882748918e-13;
    p = p * s + 1.60576796238016377463e-10;
    p = p * s + 2.5052117695907823572e-8;
    p = p * s + 2.7557319191381816996e-6;
    p = p * s + 1.98412698413241979165e-4;
    p = p * s + 8.33333333333329935524e-3;
    p = p * s + 0.166666666666666667013;
    const double near = p * s * m + m, far = h - 0.25 / h;
    return signed_f64(m < 1.0 ? near : far, x);
}
VN_INLINE double cosh_f64(double x)
{
    const double h = exp_times_f64(abs_f64(x), 2045);
    return h + 0.25 / h;
}

/* 1 / (1 + e^-x), which for x < 0 is e^x / (1 + e^x). */
VN_INLINE float sigmoid_f32(float x)
{
    const float t = exp_f32(-abs_f32(x));
    return (float)((x < 0.0f ? (double)t : 1.0) / (1.0 + (double)t));
}
VN_INLINE double sigmoid_f64(double x)
{
    const double t = exp_f64(-abs_f64(x));
    return (x < 0.0 ? t : 1.0) / (1.0 + t);
}

/* ---- logarithms ---- */

/* x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for normal positive x; returns ln(1 + f) - f + f^2 / 2. */
VN_INLINE float log_series_f32(float x, float *f, float *e)
{
    const uint32_t u = bits_f32(x) - UINT32_C(0x3F3504F3);
    *e = (float)((int32_t)u >> 23);
    const float g = *f = from_bits_f32((u & UINT32_C(0x007FFFFF)) + UINT32_C(0x3F3504F3)) - 1.0f;
    float p = 7.0376836292e-2f;
    p = p * g - 1.1514610310e-1f;
    p = p * g + 1.1676998740e-1f;
    p = p * g - 1.2420140846e-1f;
    p = p * g + 1.4249322787e-1f;
    p = p * g - 1.6668057665e-1f;
    p = p * g + 2.0000714765e-1f;
    p = p * g - 2.4999993993e-1f;
    p = p * g + 3.3333331174e-1f;
    return p * g * (g * g);
}

VN_INLINE double log_series_f64(double x, double *f, double *e)
{
    const uint64_t u = bits_f64(x) - UINT64_C(0x3FE6A09E667F3BCD);
    /* The exponent as a double: its two's complement in the low bits of 1.5*2^52, which AVX2 has no conversion for. */
    const uint64_t biased = (u + UINT64_C(0x4000000000000000)) >> 52; /* exponent + 1024 */
    *e = from_bits_f64(biased | UINT64_C(0x4330000000000000)) - (4503599627370496.0 + 1024.0);
    const double g = *f = from_bits_f64((u & UINT64_C(0x000FFFFFFFFFFFFF)) + UINT64_C(0x3FE6A09E667F3BCD)) - 1.0;
    double p = 1.01875663804580931796e-4;
    p = p * g + 4.97494994976747001425e-1;
    p = p * g + 4.70579119878881725854e0;
    p = p * g + 1.44989225341610930846e1;
    p = p * g + 1.79368678507819816313e1;
    p = p * g + 7.70838733755885391666e0;
    double q = g + 1.12873587189167450590e1;
    q = q * g + 4.52279145837532221105e1;
    q = q * g + 8.29875266912776603211e1;
    q = q * g + 7.11544750618563894466e1;
    q = q * g + 2.31251620126765340583e1;
    return g * ((g * g) * p / q);
}

/* ln x for normal positive x, as the random numbers need it. */
VN_INLINE float log_normal_f32(float x)
{
    float f, e;
    const float t = log_series_f32(x, &f, &e), y = (t - 2.12194440e-4f * e) - 0.5f * (f * f);
    return (f + y) + 0.693359375f * e;
}
VN_INLINE double log_normal_f64(double x)
{
    double f, e;
    const double t = log_series_f64(x, &f, &e), y = (t - 2.121944400546905827679e-4 * e) - 0.5 * (f * f);
    return (f + y) + 0.693359375 * e;
}

/* The logarithm y of x, corrected where x is 0, negative, infinite or nan. */
VN_INLINE float log_ends_f32(float x, float y)
{
    y = x == __builtin_inff() ? x : y;
    y = x >= 0.0f ? y : __builtin_nanf("");
    return x == 0.0f ? -__builtin_inff() : y;
}
VN_INLINE double log_ends_f64(double x, double y)
{
    y = x == __builtin_inf() ? x : y;
    y = x >= 0.0 ? y : __builtin_nan("");
    return x == 0.0 ? -__builtin_inf() : y;
}

/* Like log_series, but also for denormals. */
VN_INLINE double log_any_series_f64(double x, double *f, double *e)
{
    const int tiny = x < 0x1p-1022;
    const double t = log_series_f64(tiny ? x * 0x1p54 : x, f, e);
    *e -= tiny ? 54.0 : 0.0;
    return t;
}

VN_INLINE float log_f32(float x)
{
    const int tiny = x < 0x1p-126f;
    float f, e;
    const float t = log_series_f32(tiny ? x * 0x1p25f : x, &f, &e);
    e -= tiny ? 25.0f : 0.0f;
    const float y = (t - 2.12194440e-4f * e) - 0.5f * (f * f);
    return log_ends_f32(x, (f + y) + 0.693359375f * e);
}
VN_INLINE double log_f64(double x)
{
    double f, e;
    const double t = log_any_series_f64(x, &f, &e), y = (t - 2.121944400546905827679e-4 * e) - 0.5 * (f * f);
    return log_ends_f64(x, (f + y) + 0.693359375 * e);
}

/* ln(1 + x): the logarithm of the rounded sum, plus a correction for its rounding error. */
VN_INLINE double log1p_f64(double x)
{
    const double sum = 1.0 + x, lost = (x < 1.0 ? x - (sum - 1.0) : 1.0 - (sum - x)) / sum;
    double f, e;
    const double t = log_series_f64(sum, &f, &e);
    const double y = ((t - 2.121944400546905827679e-4 * e) - 0.5 * (f * f)) + lost;
    const double z = log_ends_f64(sum, (f + y) + 0.693359375 * e);
    return x == 0.0 ? x : z;
}

/* ln(1 + f) times log2(e) = 1 + 0.44, or times log10(e) and log10(2) in two parts each, small terms first. */
VN_INLINE double log2_f64(double x)
{
    double f, e;
    const double y = log_any_series_f64(x, &f, &e) - 0.5 * (f * f);
    return log_ends_f64(x, (((y + f) * 4.4269504088896340736e-1 + y) + f) + e);
}
VN_INLINE double log10_f64(double x)
{
    double f, e;
    const double y = log_any_series_f64(x, &f, &e) - 0.5 * (f * f);
    const double small = ((y + f) * 7.00731903251827651129e-4 + e * 2.48745663981195213739e-4) + y * 4.3359375e-1;
    return log_ends_f64(x, (small + f * 4.3359375e-1) + e * 3.0078125e-1);
}

/* Inverse hyperbolic functions as ln(1 + u), u free of cancellation. */
VN_INLINE double asinh_f64(double x)
{
    const double m = abs_f64(x), s = m * m, u = m + s / (1.0 + sqrt_f64(s + 1.0));
    const int large = m > 0x1p60;
    return signed_f64(log1p_f64(large ? m : u) + (large ? 6.9314718055994530942e-1 : 0.0), x);
}
VN_INLINE double acosh_f64(double x)
{
    const double t = x - 1.0, u = t + sqrt_f64(2.0 * t + t * t);
    const int large = x > 0x1p60;
    const double y = log1p_f64(large ? x : u) + (large ? 6.9314718055994530942e-1 : 0.0);
    return x >= 1.0 ? y : __builtin_nan("");
}
VN_INLINE double atanh_f64(double x)
{
    const double m = abs_f64(x);
    return signed_f64(0.5 * log1p_f64((m + m) / (1.0 - m)), x);
}

/* ---- the error function ---- */

/* x times an even polynomial; from 1 on 1 - e^-x^2 times a polynomial in (x - 3) / (x + 3). Beyond 6 it is 1. */
VN_INLINE double erf_f64(double x)
{
    const double m = abs_f64(x), s = m * m, c = m > 6.0 ? 6.0 : m, u = (c - 3.0) / (c + 3.0);
    double p = -7.79589882700214224164e-10;
    p = p * s + 1.37200645467776856042e-8;
    p = p * s - 1.62084838018717059017e-7;
    p = p * s + 1.64474247033173624102e-6;
    p = p * s - 1.49247369074196603376e-5;
    p = p * s + 1.20552949048397079165e-4;
    p = p * s - 8.54832597538969208056e-4;
    p = p * s + 5.22397760711642273211e-3;
    p = p * s - 2.68661706432377703602e-2;
    p = p * s + 0.112837916709450062655;
    p = p * s - 0.376126389031835404385;
    p = p * s + 0.128379167095512566536;
    double q = 1.28019008629626619377e-6;
    q = q * u + 2.02360317964175663516e-6;
    q = q * u - 8.00802131941268433477e-6;
    q = q * u - 1.28488945125235287955e-5;
    q = q * u + 6.40618207353054674279e-5;
    q = q * u + 4.52547263548335413726e-5;
    q = q * u - 5.9706235170932842794e-4;
    q = q * u + 7.07746444390153731472e-4;
    q = q * u + 4.26913634750825636053e-3;
    q = q * u - 2.43924993182731931248e-2;
    q = q * u + 7.16658371977487433858e-2;
    q = q * u - 0.150115936500787439122;
    q = q * u + 0.245603801712331944789;
    q = q * u - 0.326233560043037174766;
    q = q * u + 0.179001151181389950232;
    const double near = p * m + m, far = 1.0 - q * exp_f64(-c * c);
    return signed_f64(m < 1.0 ? near : far, x);
}

/* ---- sine and cosine of small angles ---- */

/* sin and cos of a in [-pi/4, pi/4], rotated by q quarter turns. */
VN_INLINE void sincos_f32(float a, uint32_t q, float *sine, float *cosine)
{
    const float s = a * a;
    const float sn = ((-1.9515295891e-4f * s + 8.3321608736e-3f) * s - 1.6666654611e-1f) * s * a + a;
    const float cs = ((2.443315711809948e-5f * s - 1.388731625493765e-3f) * s + 4.166664568298827e-2f) * s * s - 0.5f * s + 1.0f;
    const float first = (q & 1) ? cs : sn, second = (q & 1) ? sn : cs;
    *sine = from_bits_f32(bits_f32(first) ^ ((q & 2) << 30));
    *cosine = from_bits_f32(bits_f32(second) ^ (((q + 1) & 2) << 30));
}

VN_INLINE void sincos_f64(double a, uint64_t q, double *sine, double *cosine)
{
    const double s = a * a;
    double p = 1.58962301576546568060e-10;
    p = p * s - 2.50507477628578072866e-8;
    p = p * s + 2.75573136213857245213e-6;
    p = p * s - 1.98412698295895385996e-4;
    p = p * s + 8.33333333332211858878e-3;
    p = p * s - 1.66666666666666307295e-1;
    const double sn = p * s * a + a;
    double c = -1.13585365213876817300e-11;
    c = c * s + 2.08757008419747316778e-9;
    c = c * s - 2.75573141792967388112e-7;
    c = c * s + 2.48015872888517045348e-5;
    c = c * s - 1.38888888888730564116e-3;
    c = c * s + 4.16666666666665929218e-2;
    const double cs = c * s * s - 0.5 * s + 1.0;
    const double first = (q & 1) ? cs : sn, second = (q & 1) ? sn : cs;
    *sine = from_bits_f64(bits_f64(first) ^ ((q & 2) << 62));
    *cosine = from_bits_f64(bits_f64(second) ^ (((q + 1) & 2) << 62));
}

#include "trigonometry.h"
#include "power.h"

/* float functions without a separate implementation */
#define THROUGH_DOUBLE(f)                 \
    VN_INLINE float f##_f32(float x)      \
    {                                     \
        return (float)f##_f64((double)x); \
    }
THROUGH_DOUBLE(cbrt)
THROUGH_DOUBLE(expm1)
THROUGH_DOUBLE(sinh)
THROUGH_DOUBLE(cosh)
THROUGH_DOUBLE(log1p)
THROUGH_DOUBLE(log2)
THROUGH_DOUBLE(log10)
THROUGH_DOUBLE(asinh)
THROUGH_DOUBLE(acosh)
THROUGH_DOUBLE(atanh)
THROUGH_DOUBLE(erf)
THROUGH_DOUBLE(atan)
THROUGH_DOUBLE(asin)
THROUGH_DOUBLE(acos)

#endif
