/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_bf16.h: blocks of products whose factors are bfloat16, or rounded to it when they are packed, added up in float32, for processors with AVX512_BF16.
 * One instruction multiplies two pairs in each of 16 lanes and adds both products to a float, so a packed element is a pair: products k
 * and k + 1 of a row or column. Subnormal factors and results count as 0. */

#define TILE_COLS_pairs TILE_COLS_f32
#define PAIRED __attribute__((target("avx512bf16")))

/* Rounds to nearest even. Large finite numbers stay finite, as infinity times 0 would be NaN. */
static inline uint32_t near_bf16(float x)
{
    const uint32_t most = UINT32_C(0x7F7F7FFF), sign = bits_f32(x) & UINT32_C(0x80000000), u = bits_f32(x) ^ sign;
    return store_bf16(from_bits_f32((u > most && u < UINT32_C(0x7F800000) ? most : u) | sign));
}

/* A matrix in panels of `width`, as PACK makes them, in strips of floats that are then rounded. An odd last row gets zeros as its pair. */
#define PACK_PAIRS(name, from_dtype, F)                                                                                             \
    INLINE void name(uint32_t *to, const F *from, int64_t across, int64_t across_stride, int64_t along, int64_t along_stride,       \
                     int64_t width)                                                                                                 \
    {                                                                                                                               \
        enum { STRIP = 2 * LINE };                                                                                                  \
        float strip[STRIP * TILE_COLS_f32];                                                                                         \
        for (int64_t j = 0; j < across; j += width)                                                                                 \
            for (int64_t k = 0; k < along; k += STRIP) {                                                                            \
                const int64_t n = vn__min(across - j, width), rows = vn__min(along - k, STRIP), pairs = (rows + 1) / 2;             \
                pack_##from_dtype(strip, from + j * across_stride + k * along_stride, n, across_stride, rows, along_stride, width); \
                if (rows % 2) memset(strip + rows * width, 0, (size_t)width * sizeof *strip);                                       \
                for (int64_t p = 0; p < pairs; p++, to += width) {                                                                  \
                    const float *x = strip + 2 * p * width, *y = x + width;                                                         \
                    VN_INDEPENDENT                                                                                                  \
                    for (int64_t i = 0; i < width; i++) to[i] = near_bf16(x[i]) | near_bf16(y[i]) << 16;                            \
                }                                                                                                                   \
            }                                                                                                                       \
    }                                                                                                                               \
    PACK_BOTH(name, name, TILE_COLS_pairs)
PACK_PAIRS(pairs, f32, float)
PACK_PAIRS(pairs_bf16, bf16, uint16_t)

/* One tile, as in matmul_type.h: `rows` x TILE_COLS_pairs results over k pairs. */
PAIRED INLINE void tile_pairs(const int rows, const uint32_t *a, const uint32_t *b, int64_t k, float *c, int64_t c_row, int64_t c_col,
                              int64_t n, int first)
{
    enum { LANES = 16 };
    __m512 sum[TILE_ROWS][TILE_VECTORS];
    VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] = _mm512_setzero_ps();
    for (int64_t p = 0; p < k; p++, a += TILE_ROWS, b += TILE_COLS_pairs) {
        __m512bh y[TILE_VECTORS];
        VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) y[j] = (__m512bh)_mm512_loadu_si512(b + j * LANES);
        VN_UNROLLED for (int i = 0; i < rows; i++)
        {
            const __m512bh x = (__m512bh)_mm512_set1_epi32((int)a[i]);
            VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], x, y[j]);
        }
    }
    VN_UNROLLED for (int i = 0; i < rows; i++)
    {
        float *z = c + i * c_row;
        if (c_col == 1 && n == TILE_COLS_pairs) {
            VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++)
                _mm512_storeu_ps(z + j * LANES, first ? sum[i][j] : _mm512_add_ps(sum[i][j], _mm512_loadu_ps(z + j * LANES)));
            continue;
        }
        float line[TILE_COLS_pairs];
        VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) _mm512_storeu_ps(line + j * LANES, sum[i][j]);
        for (int64_t j = 0; j < n; j++) z[j * c_col] = first ? line[j] : z[j * c_col] + line[j];
    }
}

#define STEP_PAIRS(rows, tag)        \
    for (; i + rows <= m; i += rows) \
        tile_pairs(rows, a + i / TILE_ROWS * TILE_ROWS * k + i % TILE_ROWS, b, k, c + i * c_row, c_row, c_col, n, first);

PAIRED static void packed_pairs(const uint32_t *a, int64_t m, const uint32_t *b, int64_t k, float *c, int64_t c_row, int64_t c_col,
                                int64_t n, int first)
{
    int64_t i = 0;
    TILES(STEP_PAIRS, pairs)
}

PAIRED static void block_pairs(const void *pa, const void *pb, void *pc, int64_t c_row, int64_t c_col, int64_t m, int64_t n, int64_t k,
                               int first)
{
    const int64_t pairs = (k + 1) / 2;
    for (int64_t j = 0; j < n; j += TILE_COLS_pairs)
        packed_pairs(pa, m, (const uint32_t *)pb + j * pairs, pairs, (float *)pc + j * c_col, c_row, c_col, vn__min(n - j, TILE_COLS_pairs),
                     first);
}
#undef STEP_PAIRS
#undef PAIRED
