/* SPDX-License-Identifier: Apache-2.0 */
/* multiply_add.h: a*b + c in one rounding on levels that have it, in two on the baseline; and the number of
 * rows of a tile of results that fit into a level's registers. For the kernels whose results may differ between levels: matrix products and
 * convolutions. */
#ifndef VN_NATIVE_MULTIPLY_ADD_H
#define VN_NATIVE_MULTIPLY_ADD_H

#include "vector.h"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(VN_NEON)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define MULTIPLY_ADD_f32(a, b, c) (vec_f32) _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define MULTIPLY_ADD_f64(a, b, c) (vec_f64) _mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#define TILES(X, tag) X(8, tag) X(4, tag) X(2, tag) X(1, tag)
#define TILE_ROWS 8
#elif defined(__FMA__) && defined(__AVX2__)
#define MULTIPLY_ADD_f32(a, b, c) (vec_f32) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define MULTIPLY_ADD_f64(a, b, c) (vec_f64) _mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#define TILES(X, tag) X(6, tag) X(4, tag) X(2, tag) X(1, tag)
#define TILE_ROWS 6
#elif defined(VN_NEON)
#define MULTIPLY_ADD_f32(a, b, c) (vec_f32) vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define MULTIPLY_ADD_f64(a, b, c) (vec_f64) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#define TILES(X, tag) X(8, tag) X(4, tag) X(2, tag) X(1, tag)
#define TILE_ROWS 8
#else
#define MULTIPLY_ADD_f32(a, b, c) ((a) * (b) + (c))
#define MULTIPLY_ADD_f64(a, b, c) ((a) * (b) + (c))
#define TILES(X, tag) X(4, tag) X(2, tag) X(1, tag)
#define TILE_ROWS 4
#endif

enum { TILE_VECTORS = 2 };

#define INLINE static inline __attribute__((always_inline))

#endif
