/* SPDX-License-Identifier: Apache-2.0 */
/* widen.h: vectors of the type of computation from the type in memory: VECTOR_<tag>(p) has as many elements of tag's type from p on as a vector
 * of floats (or doubles, for f64). */
#ifndef VN_NATIVE_WIDEN_H
#define VN_NATIVE_WIDEN_H

#include "half.h"
#include "multiply_add.h"

#define VECTOR_f32(p) (*(const vec_f32 *)(p))
#define VECTOR_f64(p) (*(const vec_f64 *)(p))

#if defined(__AVX512F__)
#define VECTOR_f16(p) (vec_f32) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define VECTOR_bf16(p) (vec_f32) _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(p))), 16)
#elif defined(__AVX2__)
#define VECTOR_f16(p) (vec_f32) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p)))
#define VECTOR_bf16(p) (vec_f32) _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(p))), 16)
#elif defined(VN_NEON)
#define VECTOR_f16(p) (vec_f32) vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))
#define VECTOR_bf16(p) (vec_f32) vshll_n_u16(vld1_u16(p), 16)
#else
#define VECTOR_f16(p) ((vec_f32){load_f16((p)[0]), load_f16((p)[1]), load_f16((p)[2]), load_f16((p)[3])})
#define VECTOR_bf16(p) ((vec_f32){load_bf16((p)[0]), load_bf16((p)[1]), load_bf16((p)[2]), load_bf16((p)[3])})
#endif

#endif
