/* SPDX-License-Identifier: Apache-2.0 */
/* bits.h: shifts of integers, signs, and the neighbours of a float. */
#ifndef VN_NATIVE_BITS_H
#define VN_NATIVE_BITS_H

#include "math.h"

/* A shift by the width or more leaves only the sign; so does a negative one, which is large as an unsigned number. W is unsigned
 * and at least as wide as int. */
#define SHIFTS(tag, T, W, negative)                                             \
    static inline int signbit_##tag(T x)                                        \
    {                                                                           \
        (void)x;                                                                \
        return negative;                                                        \
    }                                                                           \
    static inline T left_shift_##tag(T x, T y)                                  \
    {                                                                           \
        const W by = (W)y & (8 * sizeof(W) - 1);                                \
        return (T)((W)y < 8 * sizeof(T) ? (T)((W)x << by) : 0);                 \
    }                                                                           \
    static inline T right_shift_##tag(T x, T y)                                 \
    {                                                                           \
        const W by = (W)y & (8 * sizeof(T) - 1);                                \
        return (T)((W)y < 8 * sizeof(T) ? x >> by : (T)(0 - signbit_##tag(x))); \
    }
SHIFTS(i8, int8_t, uint32_t, x < 0)
SHIFTS(i16, int16_t, uint32_t, x < 0)
SHIFTS(i32, int32_t, uint32_t, x < 0)
SHIFTS(i64, int64_t, uint64_t, x < 0)
SHIFTS(u8, uint8_t, uint32_t, 0)
SHIFTS(u16, uint16_t, uint32_t, 0)
SHIFTS(u32, uint32_t, uint32_t, 0)
SHIFTS(u64, uint64_t, uint64_t, 0)

VN_INLINE int signbit_f32(float x)
{
    return (int)(bits_f32(x) >> 31);
}
VN_INLINE int signbit_f64(double x)
{
    return (int)(bits_f64(x) >> 63);
}

/* The neighbour of x in the direction of y: the next bit pattern away from 0 or towards it. U is unsigned and has the size of T, `unit` is
 * the last bit of the dtype in T, `least` its smallest positive number. */
#define NEXT(tag, bits, T, U, unit, least)                                  \
    VN_INLINE T next_##tag(T x, T y)                                        \
    {                                                                       \
        const U u = bits_##bits(x), away = u + (unit), toward = u - (unit); \
        const T z = from_bits_##bits((y > x) == (x > 0) ? away : toward);   \
        return x == 0 ? signed_##bits(least, y) : z;                        \
    }
#define NEXTAFTER(tag, T)                          \
    VN_INLINE T nextafter_##tag(T x, T y)          \
    {                                              \
        const T z = x == y ? y : next_##tag(x, y); \
        return ((x != x) | (y != y)) ? x + y : z;  \
    }
NEXT(f64, f64, double, uint64_t, 1, 0x1p-1074)
NEXT(f32, f32, float, uint32_t, 1, 0x1p-149f)
NEXT(bf16, f32, float, uint32_t, 0x10000, 0x1p-133f)
NEXT(normal_f16, f32, float, uint32_t, 0x2000, 0x1p-24f)

/* Small float16 numbers are equally spaced; above the largest, 65504, comes infinity, not 65536 as in float. */
VN_INLINE float next_f16(float x, float y)
{
    const float m = abs_f32(x), small = x + (y > x ? 0x1p-24f : -0x1p-24f), z = next_normal_f16(x, y);
    const float far = m > 65504.0f ? signed_f32(65504.0f, x) : z;
    return x != 0.0f && m <= 0x1p-14f ? signed_f32(small, small == 0.0f ? x : small) : far;
}
NEXTAFTER(f64, double)
NEXTAFTER(f32, float)
NEXTAFTER(bf16, float)
NEXTAFTER(f16, float)

#endif
