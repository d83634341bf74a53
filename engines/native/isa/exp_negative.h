/* SPDX-License-Identifier: Apache-2.0 */
/* exp_negative.h: e^x for x <= 0: cheaper than exp in math.h, for loops that do little else. 0 where the result would be
 * denormal; NaN for NaN. */
#ifndef VN_NATIVE_EXP_NEGATIVE_H
#define VN_NATIVE_EXP_NEGATIVE_H

#include "math.h"

VN_INLINE float exp_negative_f32(float x)
{
    const float c = x < -87.33654f ? -87.33654f : x; /* ln 2^-126 */
    const float shifted = c * 1.44269504088896341f + 12582912.0f;
    const float n = shifted - 12582912.0f;
    const float r = (c - n * 0.693359375f) + n * 2.12194440e-4f;
    const float y = (expm1_poly_f32(r) + 1.0f) * from_bits_f32((bits_f32(shifted) + 127) << 23);
    return x < -87.33654f ? 0.0f : y;
}

VN_INLINE double exp_negative_f64(double x)
{
    const double c = x < -708.396418532264 ? -708.396418532264 : x; /* ln 2^-1022 */
    const double shifted = c * 1.4426950408889634074 + 6755399441055744.0;
    const double n = shifted - 6755399441055744.0;
    const double r = (c - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    const double y = (expm1_poly_f64(r) + 1.0) * from_bits_f64((bits_f64(shifted) + 1023) << 52);
    return x < -708.396418532264 ? 0.0 : y;
}

#endif
