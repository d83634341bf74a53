/* SPDX-License-Identifier: Apache-2.0 */
/* pack_square.h: squares of LINE x LINE elements, transposed and widened while a matrix is packed: row r of the square becomes column r of the
 * panel. In registers on levels that have the shuffles; in plain loops, which move the same numbers, on the baseline and for float64. */
#ifndef VN_NATIVE_PACK_SQUARE_H
#define VN_NATIVE_PACK_SQUARE_H

#include "transpose_side.h"
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

#ifdef HAS_SIDES
#define SQUARE(tag, F)                                                                                             \
    INLINE void square_##tag(float *to, int64_t width, const F *from, int64_t stride)                              \
    {                                                                                                              \
        for (int64_t i = 0; i < LINE; i += SIDE)                                                                   \
            for (int64_t j = 0; j < LINE; j += SIDE) {                                                             \
                side x[SIDE];                                                                                      \
                VN_UNROLLED for (int r = 0; r < SIDE; r++) x[r] = (side)VECTOR_##tag(from + (i + r) * stride + j); \
                transpose_side(to + j * width + i, width, x);                                                      \
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

/* TILE_ROWS rows, of which the panels of a consist. */
#if defined(__AVX512F__)
_Static_assert(TILE_ROWS == 8, "a strip is two squares of eight");
#define STRIP(tag, F)                                                                \
    INLINE void strip_##tag(float *to, int64_t width, const F *from, int64_t stride) \
    {                                                                                \
        __m256 low[8], high[8];                                                      \
        VN_UNROLLED for (int r = 0; r < 8; r++)                                      \
        {                                                                            \
            const __m512 x = (__m512)VECTOR_##tag(from + r * stride);                \
            low[r] = _mm512_castps512_ps256(x);                                      \
            high[r] = _mm512_extractf32x8_ps(x, 1);                                  \
        }                                                                            \
        transpose_eight(to, width, low);                                             \
        transpose_eight(to + 8 * width, width, high);                                \
    }
STRIP(f32, float)
STRIP(f16, uint16_t)
STRIP(bf16, uint16_t)
#else
#define strip_f32(to, width, from, stride) part_of_square_f32(to, width, from, stride, TILE_ROWS)
#define strip_f16(to, width, from, stride) part_of_square_f16(to, width, from, stride, TILE_ROWS)
#define strip_bf16(to, width, from, stride) part_of_square_bf16(to, width, from, stride, TILE_ROWS)
#endif
#define strip_f64(to, width, from, stride) part_of_square_f64(to, width, from, stride, TILE_ROWS)

#endif
