/* SPDX-License-Identifier: Apache-2.0 */
/* transpose_side.h: squares of SIDE x SIDE elements of four bytes, transposed in registers: vector r of x becomes column r of `to`, whose rows are
 * `width` apart. Only on levels that have the shuffles, where HAS_SIDES is defined. The bits of the elements stay as they are. */
#ifndef VN_NATIVE_TRANSPOSE_SIDE_H
#define VN_NATIVE_TRANSPOSE_SIDE_H

#include "multiply_add.h"

#if defined(__AVX2__)
/* 8 x 8 floats: pairs of rows, then fours, then the 128-bit parts. */
INLINE void transpose_eight(float *to, int64_t width, __m256 *x)
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
#endif

#if defined(__AVX512F__)
/* 16 x 16 floats: pairs of rows, then fours, then the 128-bit parts. */
INLINE void transpose_sixteen(float *to, int64_t width, __m512 *x)
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
#define HAS_SIDES
#define transpose_side transpose_sixteen
enum { SIDE = 16 };
typedef __m512 side;
#elif defined(__AVX2__)
#define HAS_SIDES
#define transpose_side transpose_eight
enum { SIDE = 8 };
typedef __m256 side;
#elif defined(VN_NEON)
/* 4 x 4 floats: pairs of rows, then fours. */
INLINE void transpose_four(float *to, int64_t width, float32x4_t *x)
{
    float64x2_t y[4];
    VN_UNROLLED for (int i = 0; i < 4; i += 2)
    {
        y[i] = vreinterpretq_f64_f32(vtrn1q_f32(x[i], x[i + 1])); /* rows i, i + 1 of columns 0 and 2 */
        y[i + 1] = vreinterpretq_f64_f32(vtrn2q_f32(x[i], x[i + 1]));
    }
    VN_UNROLLED for (int j = 0; j < 2; j++)
    {
        vst1q_f32(to + j * width, vreinterpretq_f32_f64(vtrn1q_f64(y[j], y[j + 2])));
        vst1q_f32(to + (j + 2) * width, vreinterpretq_f32_f64(vtrn2q_f64(y[j], y[j + 2])));
    }
}
#define HAS_SIDES
#define transpose_side transpose_four
enum { SIDE = 4 };
typedef float32x4_t side;
#endif

#endif
