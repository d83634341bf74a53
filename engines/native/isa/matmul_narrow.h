/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_narrow.h: blocks of products of integers of 8 and 16 bits, added up in 32 bits, where they wrap around. A packed element is a pair of 16-bit
 * integers, products k and k + 1 of a row or column: one instruction multiplies both pairs of each lane and adds the two products. */

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef uint32_t vec_pairs __attribute__((vector_size(VN_VECTOR_BYTES), aligned(4), may_alias));
enum { LANES_narrow = VN_VECTOR_BYTES / 4, TILE_COLS_narrow = TILE_VECTORS * LANES_narrow };
#define PAIR(x, y) ((uint32_t)(uint16_t)(x) | (uint32_t)(uint16_t)(y) << 16)

/* A matrix in panels of `width`, as PACK makes them. An odd last row gets zeros as its pair. */
#define PACK_NARROW(name, F)                                                                                                  \
    INLINE void name(uint32_t *to, const F *from, int64_t across, int64_t across_stride, int64_t along, int64_t along_stride, \
                     int64_t width)                                                                                           \
    {                                                                                                                         \
        for (int64_t j = 0; j < across; j += width)                                                                           \
            for (int64_t k = 0; k < along; k += 2, to += width) {                                                             \
                const int64_t n = vn__min(across - j, width);                                                                 \
                const F *x = from + j * across_stride + k * along_stride, *y = x + along_stride;                              \
                if (k + 1 == along) {                                                                                         \
                    for (int64_t i = 0; i < n; i++) to[i] = PAIR(x[i * across_stride], 0);                                    \
                } else if (across_stride == 1) {                                                                              \
                    VN_INDEPENDENT                                                                                            \
                    for (int64_t i = 0; i < n; i++) to[i] = PAIR(x[i], y[i]);                                                 \
                } else {                                                                                                      \
                    for (int64_t i = 0; i < n; i++) to[i] = PAIR(x[i * across_stride], y[i * across_stride]);                 \
                }                                                                                                             \
                for (int64_t i = n; i < width; i++) to[i] = 0;                                                                \
            }                                                                                                                 \
    }                                                                                                                         \
    PACK_BOTH(name, name, TILE_COLS_narrow)
PACK_NARROW(narrow_i8, int8_t)
PACK_NARROW(narrow_u8, uint8_t)
PACK_NARROW(narrow_16, int16_t) /* unsigned ones too, whose results have 16 bits: these are the same */

/* The sums and the products of two vectors of pairs. */
INLINE vec_pairs add_products(vec_pairs sum, vec_pairs x, vec_pairs y)
{
#if defined(__AVX512BW__)
    return sum + (vec_pairs)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
    return sum + (vec_pairs)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return sum + (vec_pairs)_mm_madd_epi16((__m128i)x, (__m128i)y);
#else
    typedef int32_t vec_signed __attribute__((vector_size(VN_VECTOR_BYTES)));
    const vec_signed high_x = (vec_signed)x >> 16, high_y = (vec_signed)y >> 16, low_x = (vec_signed)(x << 16) >> 16,
                     low_y = (vec_signed)(y << 16) >> 16;
    return sum + (vec_pairs)high_x * (vec_pairs)high_y + (vec_pairs)low_x * (vec_pairs)low_y;
#endif
}

/* Tiles and blocks as in matmul_type.h: `rows` x TILE_COLS_narrow results over k pairs. */
#define STEP_NARROW(rows, tag)       \
    for (; i + rows <= m; i += rows) \
        tile_##tag(rows, a + i / TILE_ROWS * TILE_ROWS * k + i % TILE_ROWS, b, k, c + i * c_row, c_row, c_col, n, first);
#define NARROW(tag, TARGET, ADD)                                                                                                           \
    TARGET INLINE void tile_##tag(const int rows, const uint32_t *a, const uint32_t *b, int64_t k, uint32_t *c, int64_t c_row,             \
                                  int64_t c_col, int64_t n, int first)                                                                     \
    {                                                                                                                                      \
        vec_pairs sum[TILE_ROWS][TILE_VECTORS];                                                                                            \
        VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] = (vec_pairs){0};          \
        for (int64_t p = 0; p < k; p++, a += TILE_ROWS, b += TILE_COLS_narrow) {                                                           \
            vec_pairs y[TILE_VECTORS];                                                                                                     \
            VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) y[j] = *(const vec_pairs *)(b + j * LANES_narrow);                          \
            VN_UNROLLED for (int i = 0; i < rows; i++)                                                                                     \
            {                                                                                                                              \
                const vec_pairs x = a[i] + (vec_pairs){0};                                                                                 \
                VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] = ADD(sum[i][j], x, y[j]);                                    \
            }                                                                                                                              \
        }                                                                                                                                  \
        VN_UNROLLED for (int i = 0; i < rows; i++)                                                                                         \
        {                                                                                                                                  \
            uint32_t line[TILE_COLS_narrow], *z = c + i * c_row;                                                                           \
            VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) * (vec_pairs *)(line + j * LANES_narrow) = sum[i][j];                       \
            if (c_col == 1 && first) memcpy(z, line, (size_t)n * sizeof *z);                                                               \
            else                                                                                                                           \
                for (int64_t j = 0; j < n; j++) z[j * c_col] = first ? line[j] : z[j * c_col] + line[j];                                   \
        }                                                                                                                                  \
    }                                                                                                                                      \
    TARGET static void packed_##tag(const uint32_t *a, int64_t m, const uint32_t *b, int64_t k, uint32_t *c, int64_t c_row, int64_t c_col, \
                                    int64_t n, int first)                                                                                  \
    {                                                                                                                                      \
        int64_t i = 0;                                                                                                                     \
        TILES(STEP_NARROW, tag)                                                                                                            \
    }                                                                                                                                      \
    TARGET static void block_##tag(const void *pa, const void *pb, void *pc, int64_t c_row, int64_t c_col, int64_t m, int64_t n,           \
                                   int64_t k, int first)                                                                                   \
    {                                                                                                                                      \
        const int64_t pairs = (k + 1) / 2;                                                                                                 \
        for (int64_t j = 0; j < n; j += TILE_COLS_narrow)                                                                                  \
            packed_##tag(pa, m, (const uint32_t *)pb + j * pairs, pairs, (uint32_t *)pc + j * c_col, c_row, c_col,                         \
                         vn__min(n - j, TILE_COLS_narrow), first);                                                                         \
    }
NARROW(narrow, , add_products)

/* Processors with AVX512_VNNI multiply and add in one instruction. */
#if defined(__AVX512F__)
#define ADD_DOT(sum, x, y) ((vec_pairs)_mm512_dpwssd_epi32((__m512i)(sum), (__m512i)(x), (__m512i)(y)))
NARROW(dot, __attribute__((target("avx512vnni"))), ADD_DOT)
#define BLOCK_dot block_dot
#else
#define BLOCK_dot NULL
#endif

#define GEMM_NARROW(BLOCK)                                                                                                      \
    {                                                                                                                           \
        TILE_ROWS, TILE_COLS_narrow, BLOCK_ROWS, VN_MATMUL_KC, 2, sizeof(uint32_t),                                             \
            {[VN_I8] = pack_b_narrow_i8, [VN_U8] = pack_b_narrow_u8, [VN_I16] = pack_b_narrow_16, [VN_U16] = pack_b_narrow_16}, \
            {[VN_I8] = pack_a_narrow_i8, [VN_U8] = pack_a_narrow_u8, [VN_I16] = pack_a_narrow_16, [VN_U16] = pack_a_narrow_16}, \
            .block = BLOCK                                                                                                      \
    }
