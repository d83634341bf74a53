/* SPDX-License-Identifier: Apache-2.0 */
/* pack_square.h: squares of LINE x LINE elements, transposed and widened while a matrix is packed: row r of the square becomes column r of the
 * panel. In registers on levels that have the shuffles; in plain loops, which move the same numbers, on the baseline and for float64. */
#ifndef VN_NATIVE_PACK_SQUARE_H
#define VN_NATIVE_PACK_SQUARE_H

#include "widen.h"

_Static_assert(LINE == 16, "the registers below hold squares of 16");

/* The first `rows` rows. */
#define PART_OF_SQUARE(tag, T, F, LOAD)                                                                 \
    INLINE void part_of_square_##tag(T *to, int64_t width, const F *from, int64_t stride, int64_t rows) \
    {                                                                                                   \
        T square[LINE][LINE];                                                                           \
        for (int64_t r = 0; r < rows; r++)                                                              \
            for (int64_t j = 0; j < LINE; j++) square[r][j] = LOAD(from[r * stride + j]);               \
        for (int64_t j = 0; j < LINE; j++)                                                              \
            for (int64_t r = 0; r < rows; r++) to[j * width + r] = square[r][j];                        \
    }
#define SAME(x) (x)
PART_OF_SQUARE(f32, float, float, SAME)
PART_OF_SQUARE(f64, double, double, SAME)
PART_OF_SQUARE(f16, float, uint16_t, load_f16)
PART_OF_SQUARE(bf16, float, uint16_t, load_bf16)

#define SQUARE_LOOPS(tag, T, F)                                                   \
    INLINE void square_##tag(T *to, int64_t width, const F *from, int64_t stride) \
    {                                                                             \
        part_of_square_##tag(to, width, from, stride, LINE);                      \
    }
SQUARE_LOOPS(f64, double, double)

#if defined(__AVX512F__)

/* 16 x 16 floats: pairs of rows, then fours, then the 128-bit parts. */
INLINE void transpose(float *to, int64_t width, __m512 *x)
{
    __m512 y[16];
    VN_UNROLLED for (int i = 0; i < 16; i += 2)
    {
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    VN_UNROLLED for (int i = 0; i < 16; i += 4) VN_UNROLLED for (int j = 0; j < 2; j++)
    {
        const __m512d low = _mm512_castps_pd(y[i + j]), high = _mm512_castps_pd(y[i + j + 2]);
        x[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high)); /* rows i .. i + 3 of columns 2j, 2j + 4, 2j + 8, 2j + 12 */
        x[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
    }
    VN_UNROLLED for (int j = 0; j < 4; j++)
    {
        const __m512 even = _mm512_shuffle_f32x4(x[j], x[j + 4], 0x88), odd = _mm512_shuffle_f32x4(x[j], x[j + 4], 0xDD);
        const __m512 more_even = _mm512_shuffle_f32x4(x[j + 8], x[j + 12], 0x88),
                     more_odd = _mm512_shuffle_f32x4(x[j + 8], x[j + 12], 0xDD);
        _mm512_storeu_ps(to + j * width, _mm512_shuffle_f32x4(even, more_even, 0x88));
        _mm512_storeu_ps(to + (j + 4) * width, _mm512_shuffle_f32x4(odd, more_odd, 0x88));
        _mm512_storeu_ps(to + (j + 8) * width, _mm512_shuffle_f32x4(even, more_even, 0xDD));
        _mm512_storeu_ps(to + (j + 12) * width, _mm512_shuffle_f32x4(odd, more_odd, 0xDD));
    }
}
enum { SIDE = 16 };
typedef __m512 side;

#elif defined(__AVX2__)

/* 8 x 8 floats: pairs of rows, then fours, then the 128-bit parts. */
INLINE void transpose(float *to, int64_t width, __m256 *x)
{
    __m256 y[8];
    VN_UNROLLED for (int i = 0; i < 8; i += 2)
    {
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    VN_UNROLLED for (int i = 0; i < 8; i += 4) VN_UNROLLED for (int j = 0; j < 2; j++)
    {
        x[i + 2 * j] = _mm256_shuffle_ps(y[i + j], y[i + j + 2], 0x44);
        x[i + 2 * j + 1] = _mm256_shuffle_ps(y[i + j], y[i + j + 2], 0xEE);
    }
    VN_UNROLLED for (int j = 0; j < 4; j++)
    {
        _mm256_storeu_ps(to + j * width, _mm256_permute2f128_ps(x[j], x[j + 4], 0x20));
        _mm256_storeu_ps(to + (j + 4) * width, _mm256_permute2f128_ps(x[j], x[j + 4], 0x31));
    }
}
enum { SIDE = 8 };
typedef __m256 side;

#endif

#if defined(__AVX512F__) || defined(__AVX2__)
#define SQUARE(tag, F)                                                                                             \
    INLINE void square_##tag(float *to, int64_t width, const F *from, int64_t stride)                              \
    {                                                                                                              \
        for (int64_t i = 0; i < LINE; i += SIDE)                                                                   \
            for (int64_t j = 0; j < LINE; j += SIDE) {                                                             \
                side x[SIDE];                                                                                      \
                VN_UNROLLED for (int r = 0; r < SIDE; r++) x[r] = (side)VECTOR_##tag(from + (i + r) * stride + j); \
                transpose(to + j * width + i, width, x);                                                           \
            }                                                                                                      \
    }
SQUARE(f32, float)
SQUARE(f16, uint16_t)
SQUARE(bf16, uint16_t)
#else
SQUARE_LOOPS(f32, float, float)
SQUARE_LOOPS(f16, float, uint16_t)
SQUARE_LOOPS(bf16, float, uint16_t)
#endif

#endif
