/* math.h: exp, tanh, log and sine/cosine for float and double, written without branches so that loops over them vectorise, and
 * without fused multiply-add so that they give the same bits at every instruction-set level.
 *
 * Polynomials and splittings of ln 2 are those of the Cephes library where it has them. exp and tanh are within 2 units in the last
 * place everywhere and right for nan, infinities, signed zero and results that overflow or fade through the denormals. */
#ifndef VN_NATIVE_MATH_H
#define VN_NATIVE_MATH_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline float from_bits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline uint64_t bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double from_bits_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* e^r - 1 for |r| <= ln(2)/2. */
static inline float expm1_poly_f32(float r)
{
    float p = 1.3946496183e-3f;
    p = p * r + 8.3666108549e-3f;
    p = p * r + 4.1666280478e-2f;
    p = p * r + 1.6666543484e-1f;
    p = p * r + 0.5f;
    return p * (r * r) + r;
}

static inline double expm1_poly_f64(double r)
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
static inline float exp_f32(float x)
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

static inline double exp_f64(double x)
{
    double c = x > 710.0 ? 710.0 : x;
    c = c < -746.0 ? -746.0 : c;
    const double shifted = c * 1.4426950408889634074 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const double y = expm1_poly_f64(r) + 1.0;
    const uint64_t fields = bits_f64(shifted) - (UINT64_C(0x4338000000000000) - 2046), half = fields >> 1;
    return y * from_bits_f64(half << 52) * from_bits_f64((fields - half) << 52);
}

/* tanh x = y / (y + 2) with y = e^2|x| - 1 = 2^n (e^r - 1) + (2^n - 1), which loses a bit where y is small: there an odd polynomial
 * takes over. Beyond 20 (40), where tanh is 1, y need not grow. */
static inline float tanh_f32(float x)
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

static inline double tanh_f64(double x)
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

/* ln x for normal positive x, as the random numbers need it. x = 2^e m with m in [sqrt(1/2), sqrt(2)). */
static inline float log_f32(float x)
{
    const uint32_t u = bits_f32(x) - UINT32_C(0x3F3504F3);
    const float e = (float)((int32_t)u >> 23);
    const float f = from_bits_f32((u & UINT32_C(0x007FFFFF)) + UINT32_C(0x3F3504F3)) - 1.0f, s = f * f;
    float p = 7.0376836292e-2f;
    p = p * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    const float y = (p * f * s - 2.12194440e-4f * e) - 0.5f * s;
    return (f + y) + 0.693359375f * e;
}

static inline double log_f64(double x)
{
    const uint64_t u = bits_f64(x) - UINT64_C(0x3FE6A09E667F3BCD);
    /* The exponent as a double: its two's complement in the low bits of 1.5*2^52, which AVX2 has no conversion for. */
    const uint64_t biased = (u + UINT64_C(0x4000000000000000)) >> 52; /* exponent + 1024 */
    const double e = from_bits_f64(biased | UINT64_C(0x4330000000000000)) - (4503599627370496.0 + 1024.0);
    const double f = from_bits_f64((u & UINT64_C(0x000FFFFFFFFFFFFF)) + UINT64_C(0x3FE6A09E667F3BCD)) - 1.0, s = f * f;
    double p = 1.01875663804580931796e-4;
    p = p * f + 4.97494994976747001425e-1;
    p = p * f + 4.70579119878881725854e0;
    p = p * f + 1.44989225341610930846e1;
    p = p * f + 1.79368678507819816313e1;
    p = p * f + 7.70838733755885391666e0;
    double q = f + 1.12873587189167450590e1;
    q = q * f + 4.52279145837532221105e1;
    q = q * f + 8.29875266912776603211e1;
    q = q * f + 7.11544750618563894466e1;
    q = q * f + 2.31251620126765340583e1;
    const double y = (f * (s * p / q) - 2.121944400546905827679e-4 * e) - 0.5 * s;
    return (f + y) + 0.693359375 * e;
}

/* sin and cos of a in [-pi/4, pi/4], turned by q quarter circles. */
static inline void sincos_f32(float a, uint32_t q, float *sine, float *cosine)
{
    const float s = a * a;
    const float sn = ((-1.9515295891e-4f * s + 8.3321608736e-3f) * s - 1.6666654611e-1f) * s * a + a;
    const float cs = ((2.443315711809948e-5f * s - 1.388731625493765e-3f) * s + 4.166664568298827e-2f) * s * s - 0.5f * s + 1.0f;
    const float first = (q & 1) ? cs : sn, second = (q & 1) ? sn : cs;
    *sine = from_bits_f32(bits_f32(first) ^ ((q & 2) << 30));
    *cosine = from_bits_f32(bits_f32(second) ^ (((q + 1) & 2) << 30));
}

static inline void sincos_f64(double a, uint64_t q, double *sine, double *cosine)
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

#endif
