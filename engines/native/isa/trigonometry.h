/* SPDX-License-Identifier: Apache-2.0 */
/* trigonometry.h: sine, cosine, tangent and their inverses. Part of math.h.
 *
 * Angles up to 2^20 are reduced by multiples of pi/2 in parts of 33 bits, whose products are exact; larger ones ("far") with as many
 * bits of 2/pi as their exponent requires, which needs branches: elementwise.c calls those functions only if such an angle occurs. */
#ifndef VN_NATIVE_TRIGONOMETRY_H
#define VN_NATIVE_TRIGONOMETRY_H

#include "math.h"

/* x + y and x - y as the rounded result and the rounding error. */
VN_INLINE double two_sum(double x, double y, double *low)
{
    const double sum = x + y, back = sum - x;
    *low = (x - (sum - back)) + (y - back);
    return sum;
}
/* The same where |x| >= |y| or x is 0. */
VN_INLINE double fast_two_sum(double x, double y, double *low)
{
    const double sum = x + y;
    *low = (x - sum) + y;
    return sum;
}
/* x * y exactly, by splitting into 26-bit halves. */
VN_INLINE double two_product(double x, double y, double *low)
{
    const double product = x * y, xs = x * 134217729.0, ys = y * 134217729.0;
    const double xh = xs - (xs - x), yh = ys - (ys - y), xl = x - xh, yl = y - yh;
    *low = ((xh * yh - product) + xh * yl + xl * yh) + xl * yl;
    return product;
}

VN_INLINE int far_f32(float x)
{
    return abs_f32(x) > 0x1p20f;
}
VN_INLINE int far_f64(double x)
{
    return abs_f64(x) > 0x1p20;
}

/* An angle in [-pi/4, pi/4], in two parts, and the number of quarter turns removed. */
typedef struct vn__angle {
    double high, low;
    uint64_t quarters;
} vn__angle;

VN_INLINE vn__angle reduce_f64(double x)
{
    const double shifted = x * 6.3661977236758134308e-1 + 6755399441055744.0, n = shifted - 6755399441055744.0;
    double low1, low2;
    const double first = two_sum(x - n * 0x1.921fb54400000p+0, n * -0x1.0b4611a600000p-34, &low1);
    const double second = two_sum(first, n * -0x1.3198a2e000000p-69, &low2);
    const double rest = (low1 + low2) - n * 0x1.b839a252049c1p-104;
    vn__angle a = {.quarters = bits_f64(shifted)};
    a.high = second + rest;
    a.low = (second - a.high) + rest;
    return a;
}

/* Enough for float. */
VN_INLINE vn__angle reduce_f32(double x)
{
    const double shifted = x * 6.3661977236758134308e-1 + 6755399441055744.0, n = shifted - 6755399441055744.0;
    return (vn__angle){.high = (x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a626331p-34, .quarters = bits_f64(shifted)};
}

__extension__ typedef unsigned __int128 vn__u128;

/* Finite x beyond 2^20. With x = m 2^e, bits of 2/pi in front of bit e-1 make multiples of 4 quarter turns and are skipped; the 192
 * bits from there on leave an error below 2^-136. */
static inline vn__angle reduce_far(double x)
{
    static const uint64_t two_over_pi[] = {0,
                                           UINT64_C(0xA2F9836E4E441529),
                                           UINT64_C(0xFC2757D1F534DDC0),
                                           UINT64_C(0xDB6295993C439041),
                                           UINT64_C(0xFE5163ABDEBBC561),
                                           UINT64_C(0xB7246E3A424DD2E0),
                                           UINT64_C(0x06492EEA09D1921C),
                                           UINT64_C(0xFE1DEB1CB129A73E),
                                           UINT64_C(0xE88235F52EBB4484),
                                           UINT64_C(0xE99C7026B45F7E41),
                                           UINT64_C(0x3991D639835339F4),
                                           UINT64_C(0x9C845F8BBDF9283B),
                                           UINT64_C(0x1FF897FFDE05980F),
                                           UINT64_C(0xEF2F118B5A0A6D1F),
                                           UINT64_C(0x6D367ECF27CB09B7),
                                           UINT64_C(0x4F463F669E5FEA2D),
                                           UINT64_C(0x7527BAC7EBE5F17B),
                                           UINT64_C(0x3D0739F78A5292EA),
                                           UINT64_C(0x6BFB5FB11F8D5D08),
                                           UINT64_C(0x56033046FC7B6BAB),
                                           UINT64_C(0xF0CFBC209AF4361D)};
    const uint64_t u = bits_f64(x), m = (u & UINT64_C(0x000FFFFFFFFFFFFF)) | UINT64_C(0x0010000000000000);
    const int at = (int)(u >> 52 & 0x7FF) - 1075 + 62, word = at >> 6, shift = at & 63; /* the table begins with 64 zero bits */
    uint64_t v[3], f[3];
    for (int i = 0; i < 3; i++)
        v[i] = shift ? two_over_pi[word + i] << shift | two_over_pi[word + i + 1] >> (64 - shift) : two_over_pi[word + i];
    const vn__u128 p2 = (vn__u128)m * v[2], p1 = (vn__u128)m * v[1] + (uint64_t)(p2 >> 64);
    const uint64_t w0 = m * v[0] + (uint64_t)(p1 >> 64), w1 = (uint64_t)p1, w2 = (uint64_t)p2;
    f[0] = w0 << 2 | w1 >> 62;
    f[1] = w1 << 2 | w2 >> 62;
    f[2] = w2 << 2;
    vn__angle a = {.quarters = w0 >> 62};
    const int over = f[0] >> 63 != 0; /* more than half a quarter turn: relative to the next one */
    if (over) {
        a.quarters++;
        f[2] = 0 - f[2];
        f[1] = ~f[1] + (f[2] == 0);
        f[0] = ~f[0] + (f[2] == 0 && f[1] == 0);
    }
    double scale = 1.0;
    if (f[0] == 0) { /* never for both words: no double is that close to a multiple of pi/2 */
        f[0] = f[1] | 1;
        f[1] = f[2];
        scale = 0x1p-64;
    }
    const int zeros = __builtin_clzll((unsigned long long)f[0]);
    const uint64_t high = zeros ? f[0] << zeros | f[1] >> (64 - zeros) : f[0], low = f[1] << zeros;
    scale *= from_bits_f64((uint64_t)(1023 - zeros) << 52);
    if (over != (u >> 63 != 0)) scale = -scale;
    if (u >> 63) a.quarters = 0 - a.quarters;
    const double h = (double)(int64_t)(high >> 11) * 0x1p-53, l = (double)(int64_t)((high & 0x7FF) << 42 | low >> 22) * 0x1p-106;
    double cut;
    const double product = two_product(h, 0x1.921fb54442d18p+0, &cut);
    cut += h * 0x1.1a62633145c07p-54 + l * 0x1.921fb54442d18p+0;
    a.high = product + cut;
    a.low = ((product - a.high) + cut) * scale;
    a.high *= scale;
    return a;
}

/* Sine and cosine of the reduced angle, as a sum of two numbers: `first` is the larger. */
VN_INLINE double sin_tail(vn__angle a, double *first)
{
    const double s = a.high * a.high;
    double p = 1.58962301576546568060e-10;
    p = p * s - 2.50507477628578072866e-8;
    p = p * s + 2.75573136213857245213e-6;
    p = p * s - 1.98412698295895385996e-4;
    p = p * s + 8.33333333332211858878e-3;
    p = p * s - 1.66666666666666307295e-1;
    *first = a.high;
    return p * s * a.high + a.low * (1.0 - 0.5 * s);
}
VN_INLINE double cos_tail(vn__angle a, double *first)
{
    const double s = a.high * a.high, half = 0.5 * s, w = 1.0 - half;
    double c = -1.13585365213876817300e-11;
    c = c * s + 2.08757008419747316778e-9;
    c = c * s - 2.75573141792967388112e-7;
    c = c * s + 2.48015872888517045348e-5;
    c = c * s - 1.38888888888730564116e-3;
    c = c * s + 4.16666666666665929218e-2;
    *first = w;
    return ((1.0 - w) - half) + (c * (s * s) - a.high * a.low);
}
VN_INLINE double sin_poly_f64(vn__angle a)
{
    double first;
    const double tail = sin_tail(a, &first);
    return first + tail;
}
VN_INLINE double cos_poly_f64(vn__angle a)
{
    double first;
    const double tail = cos_tail(a, &first);
    return first + tail;
}
/* With corrections for the rounding errors of numerator and denominator. */
VN_INLINE double tangent_f64(vn__angle a)
{
    const int odd = (a.quarters & 1) != 0;
    double s_first, c_first, s_low, c_low;
    const double s_tail = sin_tail(a, &s_first), c_tail = cos_tail(a, &c_first);
    const double s = fast_two_sum(s_first, s_tail, &s_low), c = fast_two_sum(c_first, c_tail, &c_low);
    const double x = odd ? -c : s, x_low = odd ? -c_low : s_low, y = odd ? s : c, y_low = odd ? s_low : c_low, z = x / y;
    return z + (x_low - z * y_low) / y;
}

VN_INLINE double sin_poly_f32(vn__angle a)
{
    const double s = a.high * a.high;
    const double p = ((2.72498952306116780949e-6 * s - 1.98400864995935981336e-4) * s + 8.3333318742737136675e-3) * s;
    return (p - 1.66666666638541670376e-1) * s * a.high + a.high;
}
VN_INLINE double cos_poly_f32(vn__angle a)
{
    const double s = a.high * a.high;
    const double c = ((2.44637547300954425143e-5 * s - 1.38875888967339142301e-3) * s + 4.16666506397246516031e-2) * s;
    return (c - 4.99999999691069853419e-1) * s + 1.0;
}

VN_INLINE double tangent_f32(vn__angle a)
{
    const int odd = (a.quarters & 1) != 0;
    const double s = sin_poly_f32(a), c = cos_poly_f32(a);
    return (odd ? -c : s) / (odd ? s : c);
}

/* The functions of a reduced angle, and those of x: near, where reduce_f64 (reduce_f32) is sufficient, and any. */
#define CIRCLE(tag, T)                                                                   \
    VN_INLINE double turned_##tag(vn__angle a, uint64_t quarters)                        \
    {                                                                                    \
        const double s = sin_poly_##tag(a), c = cos_poly_##tag(a);                       \
        return from_bits_f64(bits_f64((quarters & 1) ? c : s) ^ ((quarters & 2) << 62)); \
    }                                                                                    \
    VN_INLINE T sin_##tag(T x)                                                           \
    {                                                                                    \
        const vn__angle a = reduce_##tag(x);                                             \
        const T z = (T)turned_##tag(a, a.quarters);                                      \
        return x == 0 ? x : z;                                                           \
    }                                                                                    \
    VN_INLINE T cos_##tag(T x)                                                           \
    {                                                                                    \
        const vn__angle a = reduce_##tag(x);                                             \
        return (T)turned_##tag(a, a.quarters + 1);                                       \
    }                                                                                    \
    VN_INLINE T tan_##tag(T x)                                                           \
    {                                                                                    \
        const T z = (T)tangent_##tag(reduce_##tag(x));                                   \
        return x == 0 ? x : z;                                                           \
    }                                                                                    \
    static inline T sin_any_##tag(T x)                                                   \
    {                                                                                    \
        if (!far_##tag(x)) return sin_##tag(x);                                          \
        if (x - x != 0) return x - x;                                                    \
        const vn__angle a = reduce_far(x);                                               \
        return (T)turned_f64(a, a.quarters);                                             \
    }                                                                                    \
    static inline T cos_any_##tag(T x)                                                   \
    {                                                                                    \
        if (!far_##tag(x)) return cos_##tag(x);                                          \
        if (x - x != 0) return x - x;                                                    \
        const vn__angle a = reduce_far(x);                                               \
        return (T)turned_f64(a, a.quarters + 1);                                         \
    }                                                                                    \
    static inline T tan_any_##tag(T x)                                                   \
    {                                                                                    \
        if (!far_##tag(x)) return tan_##tag(x);                                          \
        return x - x != 0 ? x - x : (T)tangent_f64(reduce_far(x));                       \
    }
CIRCLE(f64, double)
CIRCLE(f32, float)

/* The angle of the point (x, y), as base + atan(t) with |t| <= tan(pi/8). */
VN_INLINE double atan2_f64(double y, double x)
{
    double a = abs_f64(y), b = abs_f64(x);
    const double infinity = __builtin_inf();
    const int both = (a == infinity) & (b == infinity), large = (a > 0x1p1020) | (b > 0x1p1020);
    a = both ? 1.0 : large ? a * 0.25 : a;
    b = both ? 1.0 : large ? b * 0.25 : b;
    const int steep = a > 2.4142135623730950488 * b, flat = a <= 4.1421356237309504880e-1 * b;
    const double sum = a + b, difference = a - b;
    const double numerator = steep ? -b : flat ? a : difference, denominator = steep ? a : flat ? (a == 0.0 ? 1.0 : b) : sum;
    const double base = steep ? 0x1.921fb54442d18p+0 : flat ? 0.0 : 0x1.921fb54442d18p-1;
    const double base_low = steep ? 0x1.1a62633145c07p-54 : flat ? 0.0 : 0x1.1a62633145c07p-55;
    const double t = numerator / denominator, s = t * t;
    double p = -1.91754047111049336783e-2;
    p = p * s + 3.92304477847930952347e-2;
    p = p * s - 5.08540783458948425727e-2;
    p = p * s + 5.85814090486632828185e-2;
    p = p * s - 6.66451052550893659879e-2;
    p = p * s + 7.69218312537689208952e-2;
    p = p * s - 9.09090457530648908448e-2;
    p = p * s + 0.111111110151870187207;
    p = p * s - 0.142857142846656807613;
    p = p * s + 0.199999999999955165451;
    p = p * s - 0.333333333333333301564;
    const double first = base + ((p * s * t + base_low) + t);
    const double second = 0x1.921fb54442d18p+1 - (first - 0x1.1a62633145c07p-53);
    const double z = signed_f64(bits_f64(x) >> 63 != 0 ? second : first, y);
    return ((x != x) | (y != y)) ? __builtin_nan("") : z;
}
VN_INLINE float atan2_f32(float y, float x)
{
    return (float)atan2_f64((double)y, (double)x);
}
VN_INLINE double atan_f64(double x)
{
    return atan2_f64(x, 1.0);
}
/* sqrt(1 - x^2). */
VN_INLINE double other_side(double x)
{
    double low;
    const double square = two_product(x, x, &low);
    return sqrt_f64((1.0 - square) - low);
}
VN_INLINE double asin_f64(double x)
{
    return atan2_f64(x, other_side(x));
}
VN_INLINE double acos_f64(double x)
{
    return atan2_f64(other_side(x), x);
}

#endif
