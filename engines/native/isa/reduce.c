/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c: sums, max, min and cumulative sums, in an order that depends only on the number of elements, not on the vector width or
 * the number of threads. */
/* many short loops */
#include "level.h"
#include "vector.h"

#define THRESHOLDS_REDUCE
#include "../thresholds.h"

enum { LANES = VN_REDUCE_LANES };

/* For one type T with vectors V. Lanes are handled in groups of at most 8 registers. */
#define SUMS(tag, T, V)                                                                                                       \
    enum {                                                                                                                    \
        PER_VECTOR_##tag = VN_VECTOR_BYTES / (int)sizeof(T),                                                                  \
        WIDE_##tag = LANES / PER_VECTOR_##tag,                                                                                \
        GROUP_##tag = WIDE_##tag < 8 ? WIDE_##tag : 8                                                                         \
    };                                                                                                                        \
    static void begin_##tag(void *to, int64_t n)                                                                              \
    {                                                                                                                         \
        memset(to, 0, (size_t)n * sizeof(T));                                                                                 \
    }                                                                                                                         \
    static void lanes_##tag(void *lanes, const void *xs, int64_t n)                                                           \
    {                                                                                                                         \
        T *sums = lanes;                                                                                                      \
        const T *x = xs;                                                                                                      \
        const int64_t whole = n / LANES * LANES;                                                                              \
        for (int64_t first = 0; first < LANES; first += GROUP_##tag * PER_VECTOR_##tag) {                                     \
            V s[GROUP_##tag];                                                                                                 \
            VN_UNROLLED for (int j = 0; j < GROUP_##tag; j++) s[j] = *(const V *)(sums + first + j * PER_VECTOR_##tag);       \
            for (int64_t i = 0; i < whole; i += LANES)                                                                        \
                VN_UNROLLED for (int j = 0; j < GROUP_##tag; j++) s[j] += *(const V *)(x + i + first + j * PER_VECTOR_##tag); \
            VN_UNROLLED for (int j = 0; j < GROUP_##tag; j++) * (V *)(sums + first + j * PER_VECTOR_##tag) = s[j];            \
        }                                                                                                                     \
        for (int64_t i = whole; i < n; i++) sums[i - whole] += x[i];                                                          \
    }                                                                                                                         \
    static void fold_##tag(void *out, void *lanes)                                                                            \
    {                                                                                                                         \
        T *s = lanes;                                                                                                         \
        for (int j = 0; j < 32; j++) s[j] += s[j + 32];                                                                       \
        for (int j = 0; j < 16; j++) s[j] += s[j + 16];                                                                       \
        for (int j = 0; j < 8; j++) s[j] += s[j + 8];                                                                         \
        for (int j = 0; j < 4; j++) s[j] += s[j + 4];                                                                         \
        *(T *)out = (s[0] + s[2]) + (s[1] + s[3]);                                                                            \
    }                                                                                                                         \
    static T brief_##tag(const T *x, int64_t n)                                                                               \
    {                                                                                                                         \
        T s[SHORT] = {0}, sum = 0;                                                                                            \
        int64_t i = 0;                                                                                                        \
        if (n >= SHORT) {                                                                                                     \
            for (; i + SHORT <= n; i += SHORT) VN_UNROLLED for (int j = 0; j < SHORT; j++) s[j] += x[i + j];                  \
            sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));                                          \
        }                                                                                                                     \
        for (; i < n; i++) sum += x[i];                                                                                       \
        return sum;                                                                                                           \
    }                                                                                                                         \
    static void rows_##tag(void *out, const void *xs, int64_t n_rows, int64_t length)                                         \
    {                                                                                                                         \
        const T *x = xs;                                                                                                      \
        T *sums = out;                                                                                                        \
        for (int64_t r = 0; r < n_rows; r++, x += length) {                                                                   \
            if (length < LANES) {                                                                                             \
                sums[r] = brief_##tag(x, length);                                                                             \
            } else {                                                                                                          \
                T lanes[LANES] = {0};                                                                                         \
                lanes_##tag(lanes, x, length);                                                                                \
                fold_##tag(&sums[r], lanes);                                                                                  \
            }                                                                                                                 \
        }                                                                                                                     \
    }                                                                                                                         \
    static void columns_##tag(void *to, const void *xs, int64_t n_rows, int64_t n)                                            \
    {                                                                                                                         \
        T *sums = to;                                                                                                         \
        const T *x = xs;                                                                                                      \
        int64_t r = 0;                                                                                                        \
        for (; r + 4 <= n_rows; r += 4, x += 4 * n) VN_INDEPENDENT                                                            \
        for (int64_t j = 0; j < n; j++) sums[j] = (((sums[j] + x[j]) + x[n + j]) + x[2 * n + j]) + x[3 * n + j];              \
        for (; r < n_rows; r++, x += n) VN_INDEPENDENT                                                                        \
        for (int64_t j = 0; j < n; j++) sums[j] += x[j];                                                                      \
    }

SUMS(f32, float, vec_f32)
SUMS(f64, double, vec_f64)
SUMS(u64, uint64_t, vec_u64)

/* Complex numbers are treated as two columns: real and imaginary parts are added separately. */
#define COMPLEX_SUMS(tag, real, T)                                                                      \
    static void begin_##tag(void *to, int64_t n)                                                        \
    {                                                                                                   \
        begin_##real(to, 2 * n);                                                                        \
    }                                                                                                   \
    static void columns_##tag(void *to, const void *x, int64_t n_rows, int64_t n)                       \
    {                                                                                                   \
        columns_##real(to, x, n_rows, 2 * n);                                                           \
    }                                                                                                   \
    static void lanes_##tag(void *lanes, const void *x, int64_t n)                                      \
    {                                                                                                   \
        columns_##real(lanes, x, n / LANES, 2 * LANES);                                                 \
        columns_##real(lanes, (const T *)x + 2 * (n / LANES * LANES), n % LANES != 0, 2 * (n % LANES)); \
    }                                                                                                   \
    static void fold_##tag(void *out, void *lanes)                                                      \
    {                                                                                                   \
        T *s = lanes;                                                                                   \
        for (int half = LANES; half > 1; half /= 2)                                                     \
            for (int j = 0; j < half; j++) s[j] += s[j + half];                                         \
        memcpy(out, s, 2 * sizeof(T));                                                                  \
    }                                                                                                   \
    static void rows_##tag(void *out, const void *xs, int64_t n_rows, int64_t length)                   \
    {                                                                                                   \
        const T *x = xs;                                                                                \
        T *sums = out, lanes[2 * LANES];                                                                \
        for (int64_t r = 0; r < n_rows; r++, x += 2 * length, sums += 2) {                              \
            begin_##tag(length < LANES ? sums : lanes, length < LANES ? 1 : LANES);                     \
            if (length < LANES) {                                                                       \
                columns_##tag(sums, x, length, 1);                                                      \
            } else {                                                                                    \
                lanes_##tag(lanes, x, length);                                                          \
                fold_##tag(sums, lanes);                                                                \
            }                                                                                           \
        }                                                                                               \
    }
COMPLEX_SUMS(c64, f32, float)
COMPLEX_SUMS(c128, f64, double)

/* Max and min of one type: `wins` of x over s, for scalars and vectors; I: signed integers of the size of T. */
#define EXTREME(name, heat, tag, T, I, start, wins)                                                                       \
    typedef T vec_##name##_##tag __attribute__((vector_size(VN_VECTOR_BYTES), aligned(sizeof(T)), may_alias));            \
    typedef I mask_##name##_##tag __attribute__((vector_size(VN_VECTOR_BYTES), aligned(sizeof(T)), may_alias));           \
    enum {                                                                                                                \
        PER_VECTOR_##name##_##tag = VN_VECTOR_BYTES / (int)sizeof(T),                                                     \
        WIDE_##name##_##tag = LANES / PER_VECTOR_##name##_##tag,                                                          \
        GROUP_##name##_##tag = WIDE_##name##_##tag < 8 ? WIDE_##name##_##tag : 8                                          \
    };                                                                                                                    \
    static inline T name##_of_##tag(T s, T x)                                                                             \
    {                                                                                                                     \
        return wins(I) ? x : s;                                                                                           \
    }                                                                                                                     \
    static heat void name##_begin_##tag(void *to, int64_t n)                                                              \
    {                                                                                                                     \
        T *s = to;                                                                                                        \
        for (int64_t i = 0; i < n; i++) s[i] = start;                                                                     \
    }                                                                                                                     \
    static heat void name##_lanes_##tag(void *lanes, const void *xs, int64_t n)                                           \
    {                                                                                                                     \
        enum { PER = PER_VECTOR_##name##_##tag, GROUP = GROUP_##name##_##tag };                                           \
        T *to = lanes;                                                                                                    \
        const T *from = xs;                                                                                               \
        const int64_t whole = n / LANES * LANES;                                                                          \
        for (int64_t first = 0; first < LANES; first += GROUP * PER) {                                                    \
            vec_##name##_##tag group[GROUP];                                                                              \
            VN_UNROLLED for (int j = 0; j < GROUP; j++) group[j] = *(const vec_##name##_##tag *)(to + first + j * PER);   \
            for (int64_t i = 0; i < whole; i += LANES) VN_UNROLLED for (int j = 0; j < GROUP; j++)                        \
                {                                                                                                         \
                    const vec_##name##_##tag x = *(const vec_##name##_##tag *)(from + i + first + j * PER), s = group[j]; \
                    const mask_##name##_##tag m = wins(mask_##name##_##tag);                                              \
                    group[j] = (vec_##name##_##tag)(((mask_##name##_##tag)x & m) | ((mask_##name##_##tag)s & ~m));        \
                }                                                                                                         \
            VN_UNROLLED for (int j = 0; j < GROUP; j++) * (vec_##name##_##tag *)(to + first + j * PER) = group[j];        \
        }                                                                                                                 \
        for (int64_t i = whole; i < n; i++) to[i - whole] = name##_of_##tag(to[i - whole], from[i]);                      \
    }                                                                                                                     \
    static heat void name##_fold_##tag(void *out, void *lanes)                                                            \
    {                                                                                                                     \
        T *s = lanes;                                                                                                     \
        for (int half = LANES / 2; half > 0; half /= 2)                                                                   \
            for (int j = 0; j < half; j++) s[j] = name##_of_##tag(s[j], s[j + half]);                                     \
        *(T *)out = s[0];                                                                                                 \
    }                                                                                                                     \
    static heat void name##_rows_##tag(void *out, const void *xs, int64_t n_rows, int64_t length)                         \
    {                                                                                                                     \
        const T *x = xs;                                                                                                  \
        T *results = out, lanes[LANES];                                                                                   \
        for (int64_t r = 0; r < n_rows; r++, x += length) {                                                               \
            if (length < LANES) {                                                                                         \
                T s = start;                                                                                              \
                for (int64_t i = 0; i < length; i++) s = name##_of_##tag(s, x[i]);                                        \
                results[r] = s;                                                                                           \
            } else {                                                                                                      \
                name##_begin_##tag(lanes, LANES);                                                                         \
                name##_lanes_##tag(lanes, x, length);                                                                     \
                name##_fold_##tag(&results[r], lanes);                                                                    \
            }                                                                                                             \
        }                                                                                                                 \
    }                                                                                                                     \
    static heat void name##_columns_##tag(void *to, const void *xs, int64_t n_rows, int64_t n)                            \
    {                                                                                                                     \
        T *results = to;                                                                                                  \
        const T *x = xs;                                                                                                  \
        for (int64_t r = 0; r < n_rows; r++, x += n) VN_INDEPENDENT                                                       \
        for (int64_t j = 0; j < n; j++) results[j] = name##_of_##tag(results[j], x[j]);                                   \
    }

#define MORE(I) (I)(x > s)
#define LESS(I) (I)(x < s)
#define MORE_OR_NAN(I) ((I)(x > s) | (I)(x != x))
#define LESS_OR_NAN(I) ((I)(x < s) | (I)(x != x))
#define INT_EXTREMES(heat, tag, T, I, least, most) EXTREME(max, heat, tag, T, I, least, MORE) EXTREME(min, heat, tag, T, I, most, LESS)
INT_EXTREMES(OFTEN, i32, int32_t, int32_t, INT32_MIN, INT32_MAX)
INT_EXTREMES(OFTEN, i64, int64_t, int64_t, INT64_MIN, INT64_MAX)
#if VN_ALL_TYPES
INT_EXTREMES(RARE_TYPE, i8, int8_t, int8_t, INT8_MIN, INT8_MAX)
INT_EXTREMES(RARE_TYPE, i16, int16_t, int16_t, INT16_MIN, INT16_MAX)
INT_EXTREMES(RARE_TYPE, u8, uint8_t, int8_t, 0, UINT8_MAX)
INT_EXTREMES(RARE_TYPE, u16, uint16_t, int16_t, 0, UINT16_MAX)
INT_EXTREMES(RARE_TYPE, u32, uint32_t, int32_t, 0, UINT32_MAX)
INT_EXTREMES(RARE_TYPE, u64, uint64_t, int64_t, 0, UINT64_MAX)
#endif
EXTREME(max, OFTEN, f32, float, int32_t, -__builtin_inff(), MORE_OR_NAN)
EXTREME(min, OFTEN, f32, float, int32_t, __builtin_inff(), LESS_OR_NAN)
EXTREME(max, OFTEN, f64, double, int64_t, -__builtin_inf(), MORE_OR_NAN)
EXTREME(min, OFTEN, f64, double, int64_t, __builtin_inf(), LESS_OR_NAN)

/* Sums are kept in A, wider than T if possible, so that a long row loses no digits: each is rounded once. A sum starts with the first
 * element, so that -0 is kept. */
#define RUNNING(tag, T, A)                                                                         \
    static void running_##tag(void *to, const void *xs, int64_t length, int64_t n, int64_t stride) \
    {                                                                                              \
        T *z = to;                                                                                 \
        const T *x = xs;                                                                           \
        A sums[2 * VN_RUNNING_COLUMNS]; /* complex numbers have two parts */                       \
        if (n == 1) {                                                                              \
            A sum = (A)-0.0;                                                                       \
            for (int64_t i = 0; i < length; i++) z[i * stride] = (T)(sum += x[i * stride]);        \
            return;                                                                                \
        }                                                                                          \
        for (int64_t j = 0; j < n; j++) sums[j] = (A)-0.0;                                         \
        for (int64_t i = 0; i < length; i++) {                                                     \
            T *row = z + i * stride;                                                               \
            const T *own = x + i * stride;                                                         \
            VN_INDEPENDENT                                                                         \
            for (int64_t j = 0; j < n; j++) row[j] = (T)(sums[j] += own[j]);                       \
        }                                                                                          \
    }
RUNNING(f32, float, double)
RUNNING(f64, double, double)
RUNNING(u64, uint64_t, uint64_t)

#define COMPLEX_RUNNING(tag, real)                                                               \
    static void running_##tag(void *z, const void *x, int64_t length, int64_t n, int64_t stride) \
    {                                                                                            \
        running_##real(z, x, length, 2 * n, 2 * stride);                                         \
    }
COMPLEX_RUNNING(c64, f32)
COMPLEX_RUNNING(c128, f64)

#define FNS(prefix, tag)                                                                                        \
    {                                                                                                           \
        prefix##rows_##tag, prefix##begin_##tag, prefix##lanes_##tag, prefix##fold_##tag, prefix##columns_##tag \
    }
#if VN_ALL_TYPES
#define RARE_FNS(prefix)                                                                                            \
    [VN_I8] = FNS(prefix, i8), [VN_I16] = FNS(prefix, i16), [VN_U8] = FNS(prefix, u8), [VN_U16] = FNS(prefix, u16), \
    [VN_U32] = FNS(prefix, u32), [VN_U64] = FNS(prefix, u64),
#else
#define RARE_FNS(prefix)
#endif
#define EXTREME_FNS(prefix)                                                                                                                \
    {                                                                                                                                      \
        RARE_FNS(prefix)[VN_I32] = FNS(prefix, i32), [VN_I64] = FNS(prefix, i64), [VN_F32] = FNS(prefix, f32), [VN_F64] = FNS(prefix, f64) \
    }
const vn__reduce_table VN_TABLE(reduce) = {.of = {[VN_SUM] = {[VN_F32] = FNS(, f32),
                                                              [VN_F64] = FNS(, f64),
                                                              [VN_I64] = FNS(, u64),
                                                              [VN_U64] = FNS(, u64),
                                                              [VN_C64] = FNS(, c64),
                                                              [VN_C128] = FNS(, c128)},
                                                  [VN_MAX] = EXTREME_FNS(max_),
                                                  [VN_MIN] = EXTREME_FNS(min_)},
                                           .running = {[VN_F32] = running_f32,
                                                       [VN_F64] = running_f64,
                                                       [VN_I64] = running_u64,
                                                       [VN_U64] = running_u64,
                                                       [VN_C64] = running_c64,
                                                       [VN_C128] = running_c128}};
