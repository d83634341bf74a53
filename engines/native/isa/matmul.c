/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c: the inner blocks of matrix products. ../matmul.c splits products into blocks and shares them between threads.
 *
 * A tile of mr x nr results stays in registers while k runs: nr columns of b in vectors, mr elements of a broadcast. Every level
 * with fused multiply-add gives the same bits; baseline multiplies and adds in two roundings. */
/* many short loops */
/* instructions of its level */
#include "level.h"
#include "half.h"
#include "multiply_add.h"

#define THRESHOLDS_MATMUL_LOOPS
#include "../thresholds.h"

#include "pack_square.h"

#define BODY "matmul_type.h"
#include "float_types.h"

#define LANES(T) (VN_VECTOR_BYTES / (int64_t)sizeof(T))

/* Packing. A matrix is packed into panels of `width` along `across`, each running over `along`; short panels are padded with zeros.
 * Used for both operands: a is packed as its transpose. If memory is contiguous along `along`, squares of LINE elements are transposed in
 * registers, so that every cache line is read only once. */
#define PACK(name, tag, T, V, F, LOAD)                                                                                                 \
    static void name##_transposed(T *to, const F *p, int64_t n, int64_t across_stride, int64_t along, int64_t width)                   \
    {                                                                                                                                  \
        const int64_t squares = along / LINE * LINE;                                                                                   \
        for (int64_t i = 0; i < n; i += LINE) {                                                                                        \
            const int64_t rows = vn__min(n - i, LINE);                                                                                 \
            for (int64_t k = 0; k < squares; k += LINE) {                                                                              \
                const F *from = p + i * across_stride + k;                                                                             \
                if (rows == LINE) square_##tag(to + k * width + i, width, from, across_stride);                                        \
                else if (rows == TILE_ROWS) strip_##tag(to + k * width + i, width, from, across_stride);                               \
                else part_of_square_##tag(to + k * width + i, width, from, across_stride, rows);                                       \
            }                                                                                                                          \
            for (int64_t k = squares; k < along; k++)                                                                                  \
                for (int64_t r = i; r < i + rows; r++) to[k * width + r] = LOAD(p[r * across_stride + k]);                             \
        }                                                                                                                              \
        for (int64_t k = 0; k < along && n < width; k++)                                                                               \
            for (int64_t r = n; r < width; r++) to[k * width + r] = 0;                                                                 \
    }                                                                                                                                  \
    INLINE void name(T *to, const F *from, int64_t across, int64_t across_stride, int64_t along, int64_t along_stride, int64_t width)  \
    {                                                                                                                                  \
        for (int64_t j = 0; j < across; j += width, to += along * width) {                                                             \
            const int64_t n = vn__min(across - j, width);                                                                              \
            const F *p = from + j * across_stride;                                                                                     \
            if (along_stride == 1 && across_stride != 1) {                                                                             \
                name##_transposed(to, p, n, across_stride, along, width);                                                              \
            } else if (n == width && across_stride == 1 && width % LANES(T) == 0) {                                                    \
                for (int64_t k = 0; k < along; k++)                                                                                    \
                    for (int64_t i = 0; i < width; i += LANES(T)) *(V *)(to + k * width + i) = VECTOR_##tag(p + k * along_stride + i); \
            } else {                                                                                                                   \
                for (int64_t k = 0; k < along; k++) {                                                                                  \
                    for (int64_t i = 0; i < n; i++) to[k * width + i] = LOAD(p[i * across_stride + k * along_stride]);                 \
                    for (int64_t i = n; i < width; i++) to[k * width + i] = 0;                                                         \
                }                                                                                                                      \
            }                                                                                                                          \
        }                                                                                                                              \
    }
/* The packs of both operands, with a function `pack` of these parameters. */
#define PACK_BOTH(tag, pack, WIDTH)                                                   \
    static void pack_a_##tag(void *to, const vn__matrix *a)                           \
    {                                                                                 \
        pack(to, a->data, a->rows, a->row_stride, a->cols, a->col_stride, TILE_ROWS); \
    }                                                                                 \
    static void pack_b_##tag(void *to, const vn__matrix *b)                           \
    {                                                                                 \
        pack(to, b->data, b->cols, b->col_stride, b->rows, b->row_stride, WIDTH);     \
    }
#define PACKS(tag, T, V, F, LOAD, WIDTH) PACK(pack_##tag, tag, T, V, F, LOAD) PACK_BOTH(tag, pack_##tag, WIDTH)
PACKS(f32, float, vec_f32, float, SAME, TILE_COLS_f32)
PACKS(f64, double, vec_f64, double, SAME, TILE_COLS_f64)
PACKS(f16, float, vec_f32, uint16_t, load_f16, TILE_COLS_f32)
PACKS(bf16, float, vec_f32, uint16_t, load_bf16, TILE_COLS_f32)

/* sums[i] = row i of a times x, both adjacent, for n rows of k: in DOT_LANES lanes folded pairwise, then the remainder one by one. */
#define DOT(tag, T, V, F, LOAD, MULTIPLY_ADD)                                                                         \
    static void dot_##tag(void *to, const void *pa, int64_t a_row, const void *px, int64_t rows, int64_t k)           \
    {                                                                                                                 \
        enum { WIDE = DOT_LANES * (int)sizeof(T) / VN_VECTOR_BYTES, GROUP = WIDE < 8 ? WIDE : 8 };                    \
        const int64_t whole = k / DOT_LANES * DOT_LANES;                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                                          \
            const F *a = (const F *)pa + r * a_row;                                                                   \
            const T *x = px;                                                                                          \
            T lanes[DOT_LANES];                                                                                       \
            for (int64_t first = 0; first < DOT_LANES; first += GROUP * LANES(T)) {                                   \
                V sum[GROUP];                                                                                         \
                VN_UNROLLED for (int j = 0; j < GROUP; j++) sum[j] = (V){0};                                          \
                for (int64_t p = first; p < whole; p += DOT_LANES)                                                    \
                    VN_UNROLLED for (int j = 0; j < GROUP; j++) sum[j] =                                              \
                        MULTIPLY_ADD(VECTOR_##tag(a + p + j * LANES(T)), *(const V *)(x + p + j * LANES(T)), sum[j]); \
                VN_UNROLLED for (int j = 0; j < GROUP; j++) * (V *)(lanes + first + j * LANES(T)) = sum[j];           \
            }                                                                                                         \
            for (int half = DOT_LANES / 2; half > 0; half /= 2)                                                       \
                for (int j = 0; j < half; j++) lanes[j] += lanes[j + half];                                           \
            for (int64_t p = whole; p < k; p++) lanes[0] += LOAD(a[p]) * x[p];                                        \
            ((T *)to)[r] = lanes[0];                                                                                  \
        }                                                                                                             \
    }
DOT(f32, float, vec_f32, float, SAME, MULTIPLY_ADD_f32)
DOT(f64, double, vec_f64, double, SAME, MULTIPLY_ADD_f64)
DOT(f16, float, vec_f32, uint16_t, load_f16, MULTIPLY_ADD_f32)
DOT(bf16, float, vec_f32, uint16_t, load_bf16, MULTIPLY_ADD_f32)

/* Older compilers do not know the instructions. */
#if defined(__AVX512F__) && (defined(__clang__) || __GNUC__ >= 10)
#include "matmul_bf16.h"
#endif
#if defined(__AVX512F__) && defined(VN_KNOWS_TILES)
#include "matmul_tiles.h"
#endif

#include "matmul_narrow.h"

/* Integers of 32 and 64 bits: row by row; sums wrap around. */
#define INTEGER(tag, I)                                                                                          \
    static void integer_##tag(void *to, const void *from_a, const void *from_b, int64_t m, int64_t n, int64_t k) \
    {                                                                                                            \
        I *c = to;                                                                                               \
        const I *a = from_a;                                                                                     \
        for (int64_t i = 0; i < m; i++, a += k, c += n) {                                                        \
            const I *b = from_b;                                                                                 \
            memset(c, 0, (size_t)n * sizeof(I));                                                                 \
            for (int64_t p = 0; p < k; p++, b += n) {                                                            \
                const I x = a[p];                                                                                \
                VN_INDEPENDENT                                                                                   \
                for (int64_t j = 0; j < n; j++) c[j] += x * b[j];                                                \
            }                                                                                                    \
        }                                                                                                        \
    }
INTEGER(u32, uint32_t)
INTEGER(u64, uint64_t)

const vn__matmul_table VN_TABLE(matmul) = {
    .f32 = {TILE_ROWS,
            TILE_COLS_f32,
            BLOCK_ROWS,
            VN_MATMUL_KC,
            1,
            sizeof(float),
            {[VN_F32] = pack_b_f32, [VN_F16] = pack_b_f16, [VN_BF16] = pack_b_bf16},
            {[VN_F32] = pack_a_f32, [VN_F16] = pack_a_f16, [VN_BF16] = pack_a_bf16},
            block_f32,
            direct_f32,
            {[VN_F32] = dot_f32, [VN_F16] = dot_f16, [VN_BF16] = dot_bf16}},
    .f64 = {TILE_ROWS,
            TILE_COLS_f64,
            BLOCK_ROWS,
            VN_MATMUL_KC,
            1,
            sizeof(double),
            {[VN_F64] = pack_b_f64},
            {[VN_F64] = pack_a_f64},
            block_f64,
            direct_f64,
            {[VN_F64] = dot_f64}},
#ifdef TILE_COLS_pairs
    .bf16 = {TILE_ROWS,
             TILE_COLS_pairs,
             BLOCK_ROWS,
             VN_MATMUL_KC,
             2,
             sizeof(uint32_t),
             {[VN_F32] = pack_b_pairs, [VN_BF16] = pack_b_pairs_bf16},
             {[VN_F32] = pack_a_pairs, [VN_BF16] = pack_a_pairs_bf16},
             .block = block_pairs},
#endif
#ifdef GEMM_TILES
    .tiles = {{GEMM_TILES(1),
               {[VN_F32] = pack_b_tiles_1, [VN_BF16] = pack_b_tiles_bf16},
               {[VN_F32] = pack_a_tiles_1, [VN_BF16] = pack_a_tiles_bf16},
               .block = block_tiles_1},
              {GEMM_TILES(2), {[VN_F32] = pack_b_tiles_2}, {[VN_F32] = pack_a_tiles_2}, .block = block_tiles_2},
              {GEMM_TILES(3), {[VN_F32] = pack_b_tiles_3}, {[VN_F32] = pack_a_tiles_3}, .block = block_tiles_3}},
    .moderate = moderate,
#endif
    .narrow = GEMM_NARROW(block_narrow),
    .dot = GEMM_NARROW(BLOCK_dot),
    .integer = {[VN_I32] = integer_u32, [VN_I64] = integer_u64, [VN_U32] = integer_u32, [VN_U64] = integer_u64},
};
