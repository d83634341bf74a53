/* SPDX-License-Identifier: Apache-2.0 */
/* half.h: conversions between float and the two 16-bit floats, rounding to nearest even, written without branches. The same bits as
 * the F16C instructions, including quiet NaNs with their upper payload. */
#ifndef VN_NATIVE_HALF_H
#define VN_NATIVE_HALF_H

#include "math.h"

static inline float load_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = (uint32_t)(h & 0x7FFF) << 13;
    const uint32_t normal = m + UINT32_C(0x38000000);
    const uint32_t special = (m + UINT32_C(0x70000000)) | (m > UINT32_C(0x0F800000) ? UINT32_C(0x00400000) : 0);
    const uint32_t tiny = bits_f32(from_bits_f32(m + UINT32_C(0x38800000)) - from_bits_f32(UINT32_C(0x38800000)));
    const uint32_t finite = m < UINT32_C(0x00800000) ? tiny : normal;
    return from_bits_f32((m >= UINT32_C(0x0F800000) ? special : finite) | sign);
}

static inline uint16_t store_f16(float x)
{
    const uint32_t sign = bits_f32(x) & UINT32_C(0x80000000), u = bits_f32(x) ^ sign;
    const uint32_t normal = (u - UINT32_C(0x38000000) + 0xFFF + ((u >> 13) & 1)) >> 13;
    const uint32_t tiny = bits_f32(from_bits_f32(u) + 0.5f) - UINT32_C(0x3F000000);
    const uint32_t special = u > UINT32_C(0x7F800000) ? (UINT32_C(0x7E00) | ((u >> 13) & 0x3FF)) : UINT32_C(0x7C00);
    const uint32_t finite = u < UINT32_C(0x38800000) ? tiny : normal;
    return (uint16_t)((u >= UINT32_C(0x47800000) ? special : finite) | (sign >> 16));
}

static inline float load_bf16(uint16_t h)
{
    return from_bits_f32((uint32_t)h << 16);
}

static inline uint16_t store_bf16(float x)
{
    const uint32_t u = bits_f32(x), rounded = (u + 0x7FFF + ((u >> 16) & 1)) >> 16;
    return (uint16_t)(x != x ? ((u >> 16) | 0x40) : rounded);
}

/* To float, rounded to odd: rounding that to half precision equals rounding d directly. */
static inline float odd_f64(double d)
{
    const float f = (float)d;
    const double back = (double)f;
    const uint32_t u = bits_f32(f);
    const double magnitude = back < 0 ? -back : back, wanted = d < 0 ? -d : d;
    const uint32_t moved = magnitude > wanted ? u - 1 : u + 1;
    return from_bits_f32(((back == d) | (d != d) | ((u & 1) != 0)) ? u : moved);
}

/* 64-bit integers to double: the lost bits leave a sticky bit, so that later rounding is right. */
static inline float odd_u64(uint64_t x)
{
    const uint64_t sticky = (x & ~UINT64_C(0xFFF)) | ((x & 0xFFF) != 0 ? UINT64_C(0x800) : 0);
    return odd_f64((double)(x >> 53 != 0 ? sticky : x));
}
static inline float odd_i64(int64_t x)
{
    const float m = odd_u64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    return x < 0 ? -m : m;
}
static inline float odd_i32(int32_t x)
{
    return odd_f64((double)x);
}
static inline float odd_u32(uint32_t x)
{
    return odd_f64((double)x);
}

#endif
