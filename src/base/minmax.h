/* minmax.h: the smaller and the larger of two whole numbers. */
#ifndef VN_MINMAX_H
#define VN_MINMAX_H

#include <stdint.h>

static inline int64_t vn__min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}
static inline int64_t vn__max(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

#endif
