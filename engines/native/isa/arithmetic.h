/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.h: abs, sign, floor division, remainder and whole powers, for every type of computation. */
#ifndef VN_NATIVE_ARITHMETIC_H
#define VN_NATIVE_ARITHMETIC_H

#include "math.h"

/* Integers divided by 0 give 0; the least integer divided by -1 wraps around. W is unsigned and at least as wide as int. */
#define SIGNED_ARITHMETIC(tag, T, W)                                              \
    static inline T abs_##tag(T x)                                                \
    {                                                                             \
        return (T)(x < 0 ? (W)0 - (W)x : (W)x);                                   \
    }                                                                             \
    static inline T sign_##tag(T x)                                               \
    {                                                                             \
        return (T)((x > 0) - (x < 0));                                            \
    }                                                                             \
    static inline T floor_divide_##tag(T x, T y)                                  \
    {                                                                             \
        const T by = y == 0 || y == -1 ? 1 : y, q = (T)(x / by), r = (T)(x % by); \
        const T down = (T)(q - (r != 0 && (r < 0) != (by < 0)));                  \
        return y == 0 ? (T)0 : y == -1 ? (T)((W)0 - (W)x) : down;                 \
    }                                                                             \
    static inline T remainder_##tag(T x, T y)                                     \
    {                                                                             \
        const T by = y == 0 || y == -1 ? 1 : y, r = (T)(x % by);                  \
        return r != 0 && (r < 0) != (by < 0) ? (T)(r + by) : r;                   \
    }
#define UNSIGNED_ARITHMETIC(tag, T)              \
    static inline T abs_##tag(T x)               \
    {                                            \
        return x;                                \
    }                                            \
    static inline T sign_##tag(T x)              \
    {                                            \
        return x != 0;                           \
    }                                            \
    static inline T floor_divide_##tag(T x, T y) \
    {                                            \
        return (T)(y == 0 ? 0 : x / y);          \
    }                                            \
    static inline T remainder_##tag(T x, T y)    \
    {                                            \
        return (T)(y == 0 ? 0 : x % y);          \
    }
/* x^y by repeated squares, modulo 2^64. */
static inline uint64_t whole_power(uint64_t x, uint64_t y)
{
    uint64_t z = 1;
    for (; y; y >>= 1, x *= x) z = y & 1 ? z * x : z;
    return z;
}
/* To a negative power: 1 or -1 of those, 0 of all others, also of 0. */
#define SIGNED_POWER(tag, T)                                              \
    static inline T pow_##tag(T x, T y)                                   \
    {                                                                     \
        if (y < 0) return (T)(x == 1 ? 1 : x != -1 ? 0 : y % 2 ? -1 : 1); \
        return (T)whole_power((uint64_t)(int64_t)x, (uint64_t)y);         \
    }
#define UNSIGNED_POWER(tag, T)          \
    static inline T pow_##tag(T x, T y) \
    {                                   \
        return (T)whole_power(x, y);    \
    }
SIGNED_POWER(i8, int8_t)
SIGNED_POWER(i16, int16_t)
SIGNED_POWER(i32, int32_t)
SIGNED_POWER(i64, int64_t)
UNSIGNED_POWER(u8, uint8_t)
UNSIGNED_POWER(u16, uint16_t)
UNSIGNED_POWER(u32, uint32_t)
UNSIGNED_POWER(u64, uint64_t)

SIGNED_ARITHMETIC(i8, int8_t, uint32_t)
SIGNED_ARITHMETIC(i16, int16_t, uint32_t)
SIGNED_ARITHMETIC(i32, int32_t, uint32_t)
SIGNED_ARITHMETIC(i64, int64_t, uint64_t)
UNSIGNED_ARITHMETIC(u8, uint8_t)
UNSIGNED_ARITHMETIC(u16, uint16_t)
UNSIGNED_ARITHMETIC(u32, uint32_t)
UNSIGNED_ARITHMETIC(u64, uint64_t)

/* The remainder of a significand by y, shifted by `distance` binary places, as many at a time as fit into 64 bits. */
static inline uint64_t modulo(uint64_t x, uint64_t y, int distance, int room)
{
    x %= y;
    for (; distance > room; distance -= room) x = (x << room) % y;
    return distance > 0 ? (x << distance) % y : x;
}

/* |x| modulo |y|, exact; nan if x is infinite or y is 0. */
static inline double modulo_f64(double x, double y)
{
    const double a = abs_f64(x), b = abs_f64(y);
    if (!(a < __builtin_inf()) || !(b > 0.0)) return __builtin_nan("");
    if (a < b) return a;
    const uint64_t u = bits_f64(a), v = bits_f64(b), hidden = UINT64_C(0x0010000000000000);
    const int ea = u < hidden ? 1 : (int)(u >> 52), eb = v < hidden ? 1 : (int)(v >> 52);
    const uint64_t ma = u < hidden ? u : (u & (hidden - 1)) | hidden, mb = v < hidden ? v : (v & (hidden - 1)) | hidden;
    const double r = (double)(int64_t)modulo(ma, mb, ea - eb, 11);
    /* r 2^(eb - 1075), with no more digits than y */
    return eb > 53 ? r * from_bits_f64((uint64_t)(eb - 52) << 52) : r * 0x1p-1000 * from_bits_f64((uint64_t)(eb + 948) << 52);
}
static inline double modulo_f32(double x, double y)
{
    const double a = abs_f64(x), b = abs_f64(y);
    if (!(a < __builtin_inf()) || !(b > 0.0)) return __builtin_nan("");
    if (a < b) return a;
    const uint64_t u = bits_f64(a) >> 29, v = bits_f64(b) >> 29, hidden = UINT64_C(0x00800000); /* floats are normal doubles */
    const int ea = (int)(u >> 23), eb = (int)(v >> 23);
    const uint64_t r = modulo((u & (hidden - 1)) | hidden, (v & (hidden - 1)) | hidden, ea - eb, 40);
    return (double)(int64_t)r * from_bits_f64((uint64_t)(eb - 23) << 52);
}

/* As in Python: the remainder has the sign of y, and x = y floor_divide + remainder as far as rounding allows. Only an infinity, on either
 * side, is divided as by div, which the Array API standard prefers. */
#define FLOAT_ARITHMETIC(tag, T)                                                                        \
    static inline T sign_##tag(T x)                                                                     \
    {                                                                                                   \
        const T zero = x == 0 ? 0 : x;                                                                  \
        return x > 0 ? 1 : x < 0 ? -1 : zero;                                                           \
    }                                                                                                   \
    static inline T remainder_##tag(T x, T y)                                                           \
    {                                                                                                   \
        const double m = modulo_##tag(x, y), r = x < 0 ? -m : m;                                        \
        return r == 0 ? signed_##tag(0, y) : (T)((r < 0) != (y < 0) ? r + (double)y : r);               \
    }                                                                                                   \
    static inline T floor_divide_##tag(T x, T y)                                                        \
    {                                                                                                   \
        if (y == 0 || abs_##tag(x) == __builtin_inf() || abs_##tag(y) == __builtin_inf()) return x / y; \
        const double m = modulo_##tag(x, y), r = x < 0 ? -m : m;                                        \
        const double q = ((double)x - r) / (double)y - (r != 0 && (r < 0) != (y < 0) ? 1.0 : 0.0);      \
        return q == 0 ? signed_##tag(0, x / y) : (T)round_f64(q);                                       \
    }
FLOAT_ARITHMETIC(f32, float)
FLOAT_ARITHMETIC(f64, double)

#endif
