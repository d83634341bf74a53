/* SPDX-License-Identifier: Apache-2.0 */
/* activation.h: gelu, in the style of math.h: x times the factor erfc(-x / sqrt(2)) / 2 or (1 + tanh(u)) / 2 =
 * sigmoid(2 u). One loop is a third faster than the steps of its composition; activations that gain nothing have no loops.
 *
 * For large negative x the factor is about e^-w. Rounding w, which is in the hundreds, would cost hundreds of ulps, so w has two
 * parts; x is multiplied in before the exponential gets too small. Largest errors found: 4.5 ulps in float, 4.3 in
 * double, including denormals. */
#ifndef VN_NATIVE_ACTIVATION_H
#define VN_NATIVE_ACTIVATION_H

#include "special.h"

/* f e^(high + low), low tiny, for high between -170 (-1400) and 0; rounded to a denormal only at the end. */
VN_INLINE float times_exp_f32(float f, float high, float low)
{
    const float shifted = high * 1.44269504088896341f + 12582912.0f, n = shifted - 12582912.0f;
    const float r = ((high - n * 0.693359375f) + n * 2.12194440e-4f) + low, y = expm1_poly_f32(r) + 1.0f;
    const uint32_t fields = bits_f32(shifted) - (UINT32_C(0x4B400000) - 254), half = fields >> 1;
    return f * y * from_bits_f32(half << 23) * from_bits_f32((fields - half) << 23);
}
VN_INLINE double times_exp_f64(double f, double high, double low)
{
    const double shifted = high * 1.4426950408889634074 + 6755399441055744.0, n = shifted - 6755399441055744.0;
    const double r = ((high - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6) + low, y = expm1_poly_f64(r) + 1.0;
    const uint64_t fields = bits_f64(shifted) - UINT64_C(0x4338000000000000) + 2046, half = fields >> 1;
    return f * y * from_bits_f64(half << 52) * from_bits_f64((fields - half) << 52);
}

/* x / 2 erfc(-x / sqrt(2)): minus the tail at |x| below 0, x minus the tail above; -inf times 0 is NaN. */
VN_INLINE float gelu_f32(float x)
{
    const float m = abs_f32(x), c = m > 15.5f ? 15.5f : m, t = c * 0.70710678118654752440f, u = (t - 3.0f) / (t + 3.0f);
    float low;
    const float s = square_f32(c, &low), e = times_exp_f32(0.5f * c, -0.5f * s, -0.5f * low), tail = e * erfc_scaled_f32(t, u);
    const float near = x * 0.5f * (1.0f + erf_ratio_f32(0.5f * s) * (x * 0.70710678118654752440f));
    return m < 0.70710678f ? near : (x > 0.0f ? x : 0.0f * x) - tail;
}

VN_INLINE double gelu_f64(double x)
{
    const double m = abs_f64(x), c = m > 39.5 ? 39.5 : m, t = c * 0.70710678118654752440, u = (t - 4.0) / (t + 4.0);
    double low;
    const double s = two_product(c, c, &low), e = times_exp_f64(0.5 * c, -0.5 * s, -0.5 * low), tail = e * erfc_scaled_f64(t, u);
    return (x > 0.0 ? x : 0.0 * x) - tail;
}

/* x / (1 + e^-w) = x e^w / (1 + e^w) with w = 1.5958 (x + 0.044715 x^3); e^-|w| is y^2, so that it does not vanish before x y^2 does. */
VN_INLINE float gelu_tanh_f32(float x)
{
    const float m = abs_f32(x), c = m > 14.0f ? 14.0f : m;
    const double d = (double)c, w = d * (d * d * 0.035677408136300124 + 0.79788456080286535588); /* half of it */
    const float high = (float)w, y = times_exp_f32(1.0f, -high, (float)((double)high - w));
    return (x < 0.0f ? x * y * y : x) / (1.0f + y * y);
}

/* Half of w, split into a part from a multiple of 1/128 close to x, whose products with the leading digits of the factors are exact, and
 * the rest. */
VN_INLINE double gelu_tanh_f64(double x)
{
    const double m = abs_f64(x), c = m > 30.0 ? 30.0 : m, h = (c + 0x1.8p45) - 0x1.8p45, square = h * h;
    const double exact = h * (0x1.9884533c00000p-1 + square * 0x1.2440000000000p-5);
    const double slope = 0.79788456080286535588 + 0.035677408136300124 * (c * (c + h) + square);
    const double rest = (c - h) * slope + h * (0x1.436508d0fcb3cp-33 + square * 0x1.3ca9362d2bd27p-19);
    const double w = exact + rest, y = times_exp_f64(1.0, -w, (w - exact) - rest);
    return (x < 0.0 ? x * y * y : x) / (1.0 + y * y);
}

#endif
