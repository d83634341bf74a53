/* SPDX-License-Identifier: Apache-2.0 */
/* cast.c: casts between all types, and the rounding steps of half precision. Complex numbers come from real ones and from one another.
 *
 * Float to integer truncates toward zero; out of range it gives the nearest integer of the type, and 0 for nan. To bool is x != 0. */
/* many short loops */
/* instructions of its level */
#include "level.h"
#include "half.h"

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(VN_NEON)
#include <arm_neon.h>
#endif

#define LOOP(heat, name, F, T, expression) \
    static heat void name(VN_STEP_ARGS)    \
    {                                      \
        T *z = d;                          \
        const F *xs = a;                   \
        VN_STEP_UNUSED;                    \
        VN_INDEPENDENT                     \
        for (int64_t i = 0; i < n; i++) {  \
            const F x = xs[i];             \
            z[i] = expression;             \
        }                                  \
    }

/* Numbers mostly become float32, or come from it in half precision. */
#define CAST(name, F, T, expression) LOOP(SELDOM, name, F, T, expression)
#define OFTEN_CAST(name, F, T, expression) LOOP(OFTEN, name, F, T, expression)

#define PLAIN(f, F, t, T) CAST(f##_to_##t, F, T, (T)x)
#define TO_F32(f, F) OFTEN_CAST(f##_to_f32, F, float, (float)x)
#define TRUTH(f, F) CAST(f##_to_b8, F, uint8_t, (uint8_t)(x != (F)0))
#define WITH_PARTS(f, F)                                               \
    CAST(f##_to_c64, F, vn__c64, ((vn__c64){.re = (float)x, .im = 0})) \
    CAST(f##_to_c128, F, vn__c128, ((vn__c128){.re = (double)x, .im = 0}))
#define LIMIT(f, F, t, T, low, above) CAST(f##_to_##t, F, T, (T)(x >= (F)(above) ? MAX_##t : x < (F)(low) ? MIN_##t : x == x ? (T)x : (T)0))

/* low: the least value of the type; above: the first power of two past its range. Both are exact in float. */
#define MIN_i8 INT8_MIN
#define MIN_i16 INT16_MIN
#define MIN_i32 INT32_MIN
#define MIN_i64 INT64_MIN
#define MIN_u8 0
#define MIN_u16 0
#define MIN_u32 0
#define MIN_u64 0
#define MAX_i8 INT8_MAX
#define MAX_i16 INT16_MAX
#define MAX_i32 INT32_MAX
#define MAX_i64 INT64_MAX
#define MAX_u8 UINT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_u64 UINT64_MAX

#define FROM_INT(f, F)        \
    TRUTH(f, F)               \
    PLAIN(f, F, i8, int8_t)   \
    PLAIN(f, F, i16, int16_t) \
    PLAIN(f, F, i32, int32_t) \
    PLAIN(f, F, i64, int64_t) \
    PLAIN(f, F, u8, uint8_t)  \
    PLAIN(f, F, u16, uint16_t) PLAIN(f, F, u32, uint32_t) PLAIN(f, F, u64, uint64_t) TO_F32(f, F) PLAIN(f, F, f64, double)
#define FROM_FLOAT(f, F)                       \
    TRUTH(f, F)                                \
    LIMIT(f, F, i8, int8_t, -0x1p7, 0x1p7)     \
    LIMIT(f, F, i16, int16_t, -0x1p15, 0x1p15) \
    LIMIT(f, F, i32, int32_t, -0x1p31, 0x1p31) \
    LIMIT(f, F, i64, int64_t, -0x1p63, 0x1p63) \
    LIMIT(f, F, u8, uint8_t, 0, 0x1p8)         \
    LIMIT(f, F, u16, uint16_t, 0, 0x1p16)      \
    LIMIT(f, F, u32, uint32_t, 0, 0x1p32) LIMIT(f, F, u64, uint64_t, 0, 0x1p64) TO_F32(f, F) PLAIN(f, F, f64, double)

FROM_INT(b8, uint8_t)
FROM_INT(i8, int8_t)
FROM_INT(i16, int16_t)
FROM_INT(i32, int32_t)
FROM_INT(i64, int64_t)
FROM_INT(u8, uint8_t)
FROM_INT(u16, uint16_t)
FROM_INT(u32, uint32_t)
FROM_INT(u64, uint64_t)
FROM_FLOAT(f32, float)
FROM_FLOAT(f64, double)

WITH_PARTS(b8, uint8_t)
WITH_PARTS(i8, int8_t)
WITH_PARTS(i16, int16_t)
WITH_PARTS(i32, int32_t)
WITH_PARTS(i64, int64_t)
WITH_PARTS(u8, uint8_t)
WITH_PARTS(u16, uint16_t)
WITH_PARTS(u32, uint32_t)
WITH_PARTS(u64, uint64_t)
WITH_PARTS(f32, float)
WITH_PARTS(f64, double)
CAST(c64_to_c128, vn__c64, vn__c128, ((vn__c128){x.re, x.im}))
CAST(c128_to_c64, vn__c128, vn__c64, ((vn__c64){(float)x.re, (float)x.im}))

OFTEN_CAST(bf16_load, uint16_t, float, load_bf16(x))
OFTEN_CAST(bf16_store, float, uint16_t, store_bf16(x))
OFTEN_CAST(bf16_round, float, float, load_bf16(store_bf16(x)))
CAST(odd_from_i32, int32_t, float, odd_i32(x))
CAST(odd_from_u32, uint32_t, float, odd_u32(x))
CAST(odd_from_i64, int64_t, float, odd_i64(x))
CAST(odd_from_u64, uint64_t, float, odd_u64(x))
CAST(odd_from_f64, double, float, odd_f64(x))

/* LANES numbers of half precision at once, where the level has instructions for them. */
#if defined(__F16C__)
enum { LANES = 8 };
static inline __m128i to_half(const float *x)
{
    return _mm256_cvtps_ph(_mm256_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT);
}
static inline void load_lanes(float *z, const uint16_t *x)
{
    _mm256_storeu_ps(z, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x)));
}
static inline void store_lanes(uint16_t *z, const float *x)
{
    _mm_storeu_si128((__m128i *)(void *)z, to_half(x));
}
static inline void round_lanes(float *z, const float *x)
{
    _mm256_storeu_ps(z, _mm256_cvtph_ps(to_half(x)));
}
#elif defined(VN_NEON)
enum { LANES = 4 };
static inline float16x4_t to_half(const float *x)
{
    return vcvt_f16_f32(vld1q_f32(x));
}
static inline void load_lanes(float *z, const uint16_t *x)
{
    vst1q_f32(z, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(x))));
}
static inline void store_lanes(uint16_t *z, const float *x)
{
    vst1_u16(z, vreinterpret_u16_f16(to_half(x)));
}
static inline void round_lanes(float *z, const float *x)
{
    vst1q_f32(z, vcvt_f32_f16(to_half(x)));
}
#endif

#if defined(__F16C__) || defined(VN_NEON)
#define HALF_LANES(name, F, T, lanes, expression)                \
    static void name(VN_STEP_ARGS)                               \
    {                                                            \
        T *z = d;                                                \
        const F *xs = a;                                         \
        int64_t i = 0;                                           \
        VN_STEP_UNUSED;                                          \
        for (; i + LANES <= n; i += LANES) lanes(z + i, xs + i); \
        for (; i < n; i++) {                                     \
            const F x = xs[i];                                   \
            z[i] = expression;                                   \
        }                                                        \
    }
HALF_LANES(f16_load, uint16_t, float, load_lanes, load_f16(x))
HALF_LANES(f16_store, float, uint16_t, store_lanes, store_f16(x))
HALF_LANES(f16_round, float, float, round_lanes, load_f16(store_f16(x)))
#else
OFTEN_CAST(f16_load, uint16_t, float, load_f16(x))
OFTEN_CAST(f16_store, float, uint16_t, store_f16(x))
OFTEN_CAST(f16_round, float, float, load_f16(store_f16(x)))
#endif

#define ROW(f)                                                                                                           \
    {                                                                                                                    \
        [VN_BOOL] = f##_to_b8, [VN_I8] = f##_to_i8, [VN_I16] = f##_to_i16, [VN_I32] = f##_to_i32, [VN_I64] = f##_to_i64, \
        [VN_U8] = f##_to_u8, [VN_U16] = f##_to_u16, [VN_U32] = f##_to_u32, [VN_U64] = f##_to_u64, [VN_F32] = f##_to_f32, \
        [VN_F64] = f##_to_f64, [VN_C64] = f##_to_c64, [VN_C128] = f##_to_c128                                            \
    }
#define ROW_F32                                                                                                             \
    {                                                                                                                       \
        [VN_BOOL] = f32_to_b8, [VN_I8] = f32_to_i8, [VN_I16] = f32_to_i16, [VN_I32] = f32_to_i32, [VN_I64] = f32_to_i64,    \
        [VN_U8] = f32_to_u8, [VN_U16] = f32_to_u16, [VN_U32] = f32_to_u32, [VN_U64] = f32_to_u64, [VN_F32] = f32_to_f32,    \
        [VN_F64] = f32_to_f64, [VN_C64] = f32_to_c64, [VN_C128] = f32_to_c128, [VN_F16] = f16_store, [VN_BF16] = bf16_store \
    }

const vn__cast_table VN_TABLE(cast) = {
    .cast = {[VN_BOOL] = ROW(b8),
             [VN_I8] = ROW(i8),
             [VN_I16] = ROW(i16),
             [VN_I32] = ROW(i32),
             [VN_I64] = ROW(i64),
             [VN_U8] = ROW(u8),
             [VN_U16] = ROW(u16),
             [VN_U32] = ROW(u32),
             [VN_U64] = ROW(u64),
             [VN_F32] = ROW_F32,
             [VN_F64] = ROW(f64),
             [VN_F16] = {[VN_F32] = f16_load},
             [VN_BF16] = {[VN_F32] = bf16_load},
             [VN_C64] = {[VN_C128] = c64_to_c128},
             [VN_C128] = {[VN_C64] = c128_to_c64}},
    .round = {[VN_F16] = f16_round, [VN_BF16] = bf16_round},
    .odd = {[VN_I32] = odd_from_i32, [VN_U32] = odd_from_u32, [VN_I64] = odd_from_i64, [VN_U64] = odd_from_u64, [VN_F64] = odd_from_f64},
};
