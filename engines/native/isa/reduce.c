/* reduce.c: sums in an order that depends on the number of elements alone: not on the vector width, not on threads. */
#include "level.h"
#include "vector.h"

enum { LANES = VN_SUM_LANES, SHORT = 8 };

/* For one type T with vectors V. Lanes are handled in groups of at most 8 registers. */
#define SUMS(tag, T, V)                                                                                                \
    enum { PER_VECTOR_##tag = VN_VECTOR_BYTES / (int)sizeof(T), WIDE_##tag = LANES / PER_VECTOR_##tag,                 \
           GROUP_##tag = WIDE_##tag < 8 ? WIDE_##tag : 8 };                                                            \
    static void lanes_##tag(void *lanes, const void *xs, int64_t n)                                                    \
    {                                                                                                                  \
        T *sums = lanes;                                                                                               \
        const T *x = xs;                                                                                               \
        const int64_t whole = n / LANES * LANES;                                                                       \
        for (int64_t first = 0; first < LANES; first += GROUP_##tag * PER_VECTOR_##tag) {                              \
            V s[GROUP_##tag];                                                                                          \
            for (int j = 0; j < GROUP_##tag; j++) s[j] = *(const V *)(sums + first + j * PER_VECTOR_##tag);            \
            for (int64_t i = 0; i < whole; i += LANES)                                                                 \
                for (int j = 0; j < GROUP_##tag; j++) s[j] += *(const V *)(x + i + first + j * PER_VECTOR_##tag);      \
            for (int j = 0; j < GROUP_##tag; j++) *(V *)(sums + first + j * PER_VECTOR_##tag) = s[j];                  \
        }                                                                                                              \
        for (int64_t i = whole; i < n; i++) sums[i - whole] += x[i];                                                   \
    }                                                                                                                  \
    static void fold_##tag(void *out, void *lanes)                                                                     \
    {                                                                                                                  \
        T *s = lanes;                                                                                                  \
        for (int j = 0; j < 32; j++) s[j] += s[j + 32];                                                                \
        for (int j = 0; j < 16; j++) s[j] += s[j + 16];                                                                \
        for (int j = 0; j < 8; j++) s[j] += s[j + 8];                                                                  \
        for (int j = 0; j < 4; j++) s[j] += s[j + 4];                                                                  \
        *(T *)out = (s[0] + s[2]) + (s[1] + s[3]);                                                                     \
    }                                                                                                                  \
    static T brief_##tag(const T *x, int64_t n)                                                                        \
    {                                                                                                                  \
        T s[SHORT] = {0}, sum = 0;                                                                                     \
        int64_t i = 0;                                                                                                 \
        if (n >= SHORT) {                                                                                              \
            for (; i + SHORT <= n; i += SHORT)                                                                         \
                for (int j = 0; j < SHORT; j++) s[j] += x[i + j];                                                      \
            sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));                                   \
        }                                                                                                              \
        for (; i < n; i++) sum += x[i];                                                                                \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void rows_##tag(void *out, const void *xs, int64_t n_rows, int64_t length)                                  \
    {                                                                                                                  \
        const T *x = xs;                                                                                               \
        T *sums = out;                                                                                                 \
        for (int64_t r = 0; r < n_rows; r++, x += length) {                                                            \
            if (length < LANES) {                                                                                      \
                sums[r] = brief_##tag(x, length);                                                                      \
            } else {                                                                                                   \
                T lanes[LANES] = {0};                                                                                  \
                lanes_##tag(lanes, x, length);                                                                         \
                fold_##tag(&sums[r], lanes);                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void columns_##tag(void *to, const void *xs, int64_t n_rows, int64_t n)                                     \
    {                                                                                                                  \
        T *sums = to;                                                                                                  \
        const T *x = xs;                                                                                               \
        int64_t r = 0;                                                                                                 \
        for (; r + 4 <= n_rows; r += 4, x += 4 * n)                                                                    \
            VN_INDEPENDENT                                                                                             \
            for (int64_t j = 0; j < n; j++) sums[j] = (((sums[j] + x[j]) + x[n + j]) + x[2 * n + j]) + x[3 * n + j];   \
        for (; r < n_rows; r++, x += n)                                                                                \
            VN_INDEPENDENT                                                                                             \
            for (int64_t j = 0; j < n; j++) sums[j] += x[j];                                                           \
    }

SUMS(f32, float, vec_f32)
SUMS(f64, double, vec_f64)
SUMS(u64, uint64_t, vec_u64)

#define ENTRIES(name) {[VN_F32] = name##_f32, [VN_F64] = name##_f64, [VN_I64] = name##_u64, [VN_U64] = name##_u64}
const vn__reduce_table VN_TABLE(reduce) = {
    .rows = ENTRIES(rows), .lanes = ENTRIES(lanes), .fold = ENTRIES(fold), .columns = ENTRIES(columns)};
