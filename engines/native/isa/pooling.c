/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.c: the inner loops of pooling. ../window.c determines the rows of each position and tap. Channels are processed in groups that
 * stay in registers or at least in the L1 cache, in the order of the window's taps. */
/* many short loops */
#include "level.h"

#if VN_NARROW

enum { RUN = 64 };

/* One type: LOWEST is the initial maximum, WINS tells whether x replaces s. Integers are pooled seldom. */
#define POOL(heat, tag, T, W, LOWEST, WINS)                                                                                               \
    static heat void max_##tag(void *const *to, const void *const *rows, int64_t stride, int64_t taps, int64_t m, int64_t n)              \
    {                                                                                                                                     \
        for (int64_t i = 0; i < m; i++)                                                                                                   \
            for (int64_t c = 0; c < n; c += RUN) {                                                                                        \
                const int64_t some = vn__min(n - c, RUN);                                                                                 \
                T best[RUN];                                                                                                              \
                for (int64_t k = 0; k < RUN; k++) best[k] = LOWEST;                                                                       \
                for (int64_t t = 0; t < taps; t++) {                                                                                      \
                    const T *from = rows[t * stride + i];                                                                                 \
                    if (!from) continue;                                                                                                  \
                    from += c;                                                                                                            \
                    for (int64_t k = 0; k < some; k++) {                                                                                  \
                        const T x = from[k], s = best[k];                                                                                 \
                        best[k] = WINS ? x : s;                                                                                           \
                    }                                                                                                                     \
                }                                                                                                                         \
                memcpy((T *)to[i] + c, best, (size_t)some * sizeof(T));                                                                   \
            }                                                                                                                             \
    }                                                                                                                                     \
    static heat void first_max_##tag(void *const *to, int64_t *index, const int64_t *at, const void *const *rows, const int32_t *numbers, \
                                     int64_t stride, int64_t taps, int64_t m, int64_t n)                                                  \
    {                                                                                                                                     \
        for (int64_t i = 0; i < m; i++)                                                                                                   \
            for (int64_t c = 0; c < n; c += RUN) {                                                                                        \
                const int64_t some = vn__min(n - c, RUN);                                                                                 \
                T best[RUN];                                                                                                              \
                int32_t place[RUN];                                                                                                       \
                int32_t none = 1;                                                                                                         \
                for (int64_t k = 0; k < RUN; k++) place[k] = -1, best[k] = LOWEST;                                                        \
                for (int64_t t = 0; t < taps; t++) {                                                                                      \
                    const T *from = rows[t * stride + i];                                                                                 \
                    const int32_t number = numbers[t * stride + i];                                                                       \
                    if (!from) continue;                                                                                                  \
                    from += c;                                                                                                            \
                    for (int64_t k = 0; k < some; k++) {                                                                                  \
                        const T x = from[k], s = best[k];                                                                                 \
                        const int wins = none | (WINS); /* the first one counts even if it is the lowest value */                         \
                        best[k] = wins ? x : s;                                                                                           \
                        place[k] = wins ? number : place[k];                                                                              \
                    }                                                                                                                     \
                    none = 0;                                                                                                             \
                }                                                                                                                         \
                int64_t *z = index + at[i] * n + c;                                                                                       \
                for (int64_t k = 0; k < some; k++) z[k] = place[k];                                                                       \
                if (to[i]) memcpy((T *)to[i] + c, best, (size_t)some * sizeof(T));                                                        \
            }                                                                                                                             \
    }                                                                                                                                     \
    static heat void sum_##tag(void *const *to, const void *const *rows, int64_t stride, int64_t taps, int64_t m, int64_t n)              \
    {                                                                                                                                     \
        for (int64_t i = 0; i < m; i++)                                                                                                   \
            for (int64_t c = 0; c < n; c += RUN) {                                                                                        \
                const int64_t some = vn__min(n - c, RUN);                                                                                 \
                T sum[RUN] = {0}, *z = (T *)to[i] + c;                                                                                    \
                for (int64_t t = 0; t < taps; t++) {                                                                                      \
                    const T *from = rows[t * stride + i];                                                                                 \
                    if (!from) continue;                                                                                                  \
                    from += c;                                                                                                            \
                    for (int64_t k = 0; k < some; k++) sum[k] = (T)((W)sum[k] + (W)from[k]);                                              \
                }                                                                                                                         \
                memcpy(z, sum, (size_t)some * sizeof(T));                                                                                 \
            }                                                                                                                             \
    }                                                                                                                                     \
    static heat void scatter_##tag(void *to, int64_t rows, const int64_t *index, const void *from, int64_t row, int64_t m, int64_t n)     \
    {                                                                                                                                     \
        T *z = to;                                                                                                                        \
        const T *y = from;                                                                                                                \
        for (int64_t i = 0; i < m; i++, index += row, y += row)                                                                           \
            for (int64_t c = 0; c < n; c++) {                                                                                             \
                if ((uint64_t)index[c] >= (uint64_t)rows) continue;                                                                       \
                T *at = z + index[c] * row + c;                                                                                           \
                *at = (T)((W)*at + (W)y[c]);                                                                                              \
            }                                                                                                                             \
    }

#define LARGER (x > s)
#define LARGER_OR_NAN ((x > s) | ((x != x) & (s == s)))
POOL(SELDOM, i8, int8_t, uint32_t, INT8_MIN, LARGER)
POOL(SELDOM, i16, int16_t, uint32_t, INT16_MIN, LARGER)
POOL(SELDOM, i32, int32_t, uint32_t, INT32_MIN, LARGER)
POOL(SELDOM, i64, int64_t, uint64_t, INT64_MIN, LARGER)
POOL(SELDOM, u8, uint8_t, uint32_t, 0, LARGER)
POOL(SELDOM, u16, uint16_t, uint32_t, 0, LARGER)
POOL(SELDOM, u32, uint32_t, uint32_t, 0, LARGER)
POOL(SELDOM, u64, uint64_t, uint64_t, 0, LARGER)
POOL(OFTEN, f32, float, float, -__builtin_inff(), LARGER_OR_NAN)
POOL(OFTEN, f64, double, double, -__builtin_inf(), LARGER_OR_NAN)

#define FNS(tag)                                             \
    {                                                        \
        max_##tag, first_max_##tag, sum_##tag, scatter_##tag \
    }
const vn__pool_table VN_TABLE(pool) = {
    .of = {[VN_I8] = FNS(i8),
           [VN_I16] = FNS(i16),
           [VN_I32] = FNS(i32),
           [VN_I64] = FNS(i64),
           [VN_U8] = FNS(u8),
           [VN_U16] = FNS(u16),
           [VN_U32] = FNS(u32),
           [VN_U64] = FNS(u64),
           [VN_F32] = FNS(f32),
           [VN_F64] = FNS(f64)},
};
#endif
