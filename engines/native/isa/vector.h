/* SPDX-License-Identifier: Apache-2.0 */
/* vector.h: the widest vectors of a level, in the compiler's vector extension. */
#ifndef VN_NATIVE_VECTOR_H
#define VN_NATIVE_VECTOR_H

#include <stdint.h>

#if defined(__AVX512F__)
#define VN_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VN_VECTOR_BYTES 32
#else
#define VN_VECTOR_BYTES 16 /* the baseline of every processor, and NEON */
#endif

/* Loads and stores need only element alignment. */
typedef float vec_f32 __attribute__((vector_size(VN_VECTOR_BYTES), aligned(4), may_alias));
typedef double vec_f64 __attribute__((vector_size(VN_VECTOR_BYTES), aligned(8), may_alias));
typedef uint64_t vec_u64 __attribute__((vector_size(VN_VECTOR_BYTES), aligned(8), may_alias));

#endif
