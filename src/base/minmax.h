/* SPDX-License-Identifier: Apache-2.0 */
/* minmax.h: the smaller and the larger of two whole numbers, in the type of their sum, and their greatest common divisor. */
#ifndef VN_MINMAX_H
#define VN_MINMAX_H

#include <stddef.h>
#include <stdint.h>

#define VN__MINMAX(name, type)                        \
    static inline type vn__min_##name(type x, type y) \
    {                                                 \
        return x < y ? x : y;                         \
    }                                                 \
    static inline type vn__max_##name(type x, type y) \
    {                                                 \
        return x > y ? x : y;                         \
    }
VN__MINMAX(int, int)
VN__MINMAX(size, size_t)
VN__MINMAX(int64, int64_t)
#undef VN__MINMAX

#define vn__min(x, y) _Generic((x) + (y), int : vn__min_int, size_t : vn__min_size, default : vn__min_int64)(x, y)
#define vn__max(x, y) _Generic((x) + (y), int : vn__max_int, size_t : vn__max_size, default : vn__max_int64)(x, y)

static inline uint64_t vn__gcd(uint64_t x, uint64_t y)
{
    while (y) {
        const uint64_t rest = x % y;
        x = y, y = rest;
    }
    return x;
}

#endif
