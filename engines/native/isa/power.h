/* SPDX-License-Identifier: Apache-2.0 */
/* power.h: x to the y. Part of math.h.
 *
 * 2^(y log2 |x|). For double the logarithm and its product with y have about 15 extra bits in a second number; for
 * float, double is enough. */
#ifndef VN_NATIVE_POWER_H
#define VN_NATIVE_POWER_H

#include "math.h"

/* 2^(z + low) */
VN_INLINE double exp2_sum(double z, double low)
{
    double c = z > 1100.0 ? 1100.0 : z;
    c = c < -1100.0 ? -1100.0 : c;
    const double shifted = c + 6755399441055744.0, n = shifted - 6755399441055744.0;
    double fraction_low, cut;
    const double fraction = two_sum(c - n, c == z ? low : 0.0, &fraction_low);
    const double product = two_product(fraction, 0x1.62e42fefa39efp-1, &cut);
    cut += fraction * 0x1.abc9e3b39803fp-56 + fraction_low * 0x1.62e42fefa39efp-1;
    const double r = product + cut, r_low = (product - r) + cut;
    const double p = expm1_poly_f64(r), y = (p + (r_low + r_low * p)) + 1.0;
    const uint64_t fields = bits_f64(shifted) - UINT64_C(0x4338000000000000) + 2046, half = fields >> 1;
    return y * from_bits_f64(half << 52) * from_bits_f64((fields - half) << 52);
}

/* log2 of a positive finite x. With s = f / (2 + f), ln(1 + f) = 2 (s + s^3/3 + s^5/5 + ...); the first two terms are computed in
 * two numbers, the rest is small. */
VN_INLINE double log2_exact(double x, double *low)
{
    const int tiny = x < 0x1p-1022;
    const uint64_t u = bits_f64(tiny ? x * 0x1p54 : x) - UINT64_C(0x3FE6A09E667F3BCD);
    const uint64_t biased = (u + UINT64_C(0x4000000000000000)) >> 52;
    const double e = from_bits_f64(biased | UINT64_C(0x4330000000000000)) - (4503599627370496.0 + 1024.0) - (tiny ? 54.0 : 0.0);
    const double m = from_bits_f64((u & UINT64_C(0x000FFFFFFFFFFFFF)) + UINT64_C(0x3FE6A09E667F3BCD)), f = m - 1.0;
    const double sum = m + 1.0, sum_low = m - (sum - 1.0);
    double cut, w_low, third_low, tail_low, cube_low, s_low, high_low, log_low;
    const double s = f / sum, back = two_product(s, sum, &cut);
    s_low = (((f - back) - cut) - s * sum_low) / sum;
    const double w = two_product(s, s, &w_low);
    w_low += 2.0 * s * s_low;
    double p = 5.86158931193825864749e-2;
    p = p * w + 5.85311816974560327894e-2;
    p = p * w + 6.66740234692365515212e-2;
    p = p * w + 7.69229748125921575783e-2;
    p = p * w + 9.09090916769640081415e-2;
    p = p * w + 0.11111111110827942852;
    p = p * w + 0.142857142857146831174;
    p = p * w + 0.199999999999999999086;
    const double third = two_product(w, 0x1.5555555555555p-2, &third_low);
    third_low += w * 0x1.5555555555555p-56 + w_low * 0x1.5555555555555p-2;
    const double tail = fast_two_sum(third, p * w * w, &tail_low);
    tail_low += third_low;
    const double cube = two_product(s, tail, &cube_low);
    cube_low += s * tail_low + s_low * tail;
    const double high = fast_two_sum(s, cube, &high_low);
    const double ln = fast_two_sum(high, high_low + (cube_low + s_low), &log_low); /* half of ln(1 + f) */
    double z_low, scaled_low;
    const double scaled = two_product(ln, 0x1.71547652b82fep+1, &scaled_low);
    scaled_low += ln * 0x1.777d0ffda0d24p-55 + log_low * 0x1.71547652b82fep+1;
    const double z = fast_two_sum(e, scaled, &z_low);
    return fast_two_sum(z, z_low + scaled_low, low);
}

/* z = |x|^y, corrected where x is negative or x or y is 0, 1, infinite or nan. */
VN_INLINE double pow_ends(double x, double y, double z)
{
    const double m = abs_f64(x), half = 0.5 * y, infinity = __builtin_inf();
    const int whole = floor_f64(y) == y, odd = whole & (floor_f64(half) != half);
    const double edge = ((m == 0.0) == (y < 0.0)) ? infinity : 0.0;
    z = ((m == 0.0) | (m == infinity)) ? edge : z;
    z = odd ? signed_f64(z, x) : z;
    z = ((x < 0.0) & (m != infinity) & !whole) ? __builtin_nan("") : z;
    z = ((x != x) | (y != y)) ? __builtin_nan("") : z;
    return ((x == 1.0) | (y == 0.0)) ? 1.0 : z;
}

/* A larger exponent gives the same result, 0, 1 or infinity. */
VN_INLINE double limit_exponent(double y)
{
    const double c = y > 0x1p70 ? 0x1p70 : y;
    return c < -0x1p70 ? -0x1p70 : c;
}

VN_INLINE double pow_f64(double x, double y)
{
    const double c = limit_exponent(y);
    double log_low, low;
    const double log = log2_exact(abs_f64(x), &log_low), z = two_product(c, log, &low);
    return pow_ends(x, y, exp2_sum(z, low + c * log_low));
}

VN_INLINE float pow_f32(float x, float y)
{
    const double z = limit_exponent((double)y) * log2_f64(abs_f64((double)x));
    return (float)pow_ends((double)x, (double)y, exp2_sum(z, 0.0));
}

/* The cube root: a power, which misses by the rounding of 1/3, and a step of Newton's method with the cube in two parts. Numbers
 * are scaled away from their ends, so that denormals have all digits and no cube overflows. */
VN_INLINE double cbrt_f64(double x)
{
    const double m = abs_f64(x), scaled = m * (m < 1.0 ? 0x1p54 : 0x1p-54), a = m > 0.0 && m - m == 0.0 ? scaled : 1.0;
    const double y = pow_f64(a, 0.333333333333333333333);
    double low, lower;
    const double square = two_product(y, y, &low), cube = two_product(square, y, &lower);
    const double miss = (cube - a) + (lower + low * y), z = y - miss / (3.0 * square);
    const double root = z * (m < 1.0 ? 0x1p-18 : 0x1p18);
    return m > 0.0 && m - m == 0.0 ? signed_f64(root, x) : x;
}

#endif
