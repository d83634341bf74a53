/* SPDX-License-Identifier: Apache-2.0 */
/* philox.h: Philox 4x32-10, the source of all random numbers. The Philox key is key[0] and the counter of block b is {b, key[1]}, both as
 * low and high words. */
#ifndef VN_NATIVE_PHILOX_H
#define VN_NATIVE_PHILOX_H

#include "math.h"

enum { BLOCKS = 64 }; /* counters in flight */

/* One of the ten rounds on one block. */
VN_INLINE void philox_round(uint32_t *w0, uint32_t *w1, uint32_t *w2, uint32_t *w3, uint32_t k0, uint32_t k1)
{
    const uint64_t p = (uint64_t)*w0 * UINT32_C(0xD2511F53), q = (uint64_t)*w2 * UINT32_C(0xCD9E8D57);
    const uint32_t n0 = (uint32_t)(q >> 32) ^ *w1 ^ k0, n2 = (uint32_t)(p >> 32) ^ *w3 ^ k1;
    *w0 = n0;
    *w1 = (uint32_t)q;
    *w2 = n2;
    *w3 = (uint32_t)p;
}

/* w[4][BLOCKS]: the words of blocks first .. first+BLOCKS. */
static inline void philox(uint32_t w[4][BLOCKS], const uint64_t key[2], uint64_t first)
{
    uint32_t *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
    uint32_t k0 = (uint32_t)key[0], k1 = (uint32_t)(key[0] >> 32);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        w0[i] = (uint32_t)(first + i);
        w1[i] = (uint32_t)((first + i) >> 32);
        w2[i] = (uint32_t)key[1];
        w3[i] = (uint32_t)(key[1] >> 32);
    }
    for (int round = 0; round < 10; round++) {
        VN_INDEPENDENT
        for (int i = 0; i < BLOCKS; i++) philox_round(&w0[i], &w1[i], &w2[i], &w3[i], k0, k1);
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}

/* The words of a block as two 64-bit numbers, high word first. */
typedef struct philox_pair {
    uint64_t first, second;
} philox_pair;

static inline philox_pair philox_block(const uint64_t key[2], uint64_t block)
{
    uint32_t w0 = (uint32_t)block, w1 = (uint32_t)(block >> 32), w2 = (uint32_t)key[1], w3 = (uint32_t)(key[1] >> 32);
    uint32_t k0 = (uint32_t)key[0], k1 = (uint32_t)(key[0] >> 32);
    for (int round = 0; round < 10; round++) {
        philox_round(&w0, &w1, &w2, &w3, k0, k1);
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    return (philox_pair){(uint64_t)w0 << 32 | w1, (uint64_t)w2 << 32 | w3};
}

/* 53 bits as a number in [0, 1). 52 bits become the significand of a number in [1, 2), and the lowest is added: exact, and needs no 64-bit
 * conversion, which AVX2 lacks. */
VN_INLINE double unit_of_bits(uint64_t bits)
{
    const uint64_t u = bits >> 11;
    const double high = from_bits_f64(UINT64_C(0x3FF0000000000000) | u >> 1) - 1.0;
    return high + ((u & 1) != 0 ? 0x1p-53 : 0.0);
}
VN_INLINE double unit_f64(uint32_t w0, uint32_t w1)
{
    return unit_of_bits((uint64_t)w0 << 32 | w1);
}

#endif
