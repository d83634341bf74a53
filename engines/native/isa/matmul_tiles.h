/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_tiles.h: blocks of float32 products whose factors are sums of one, two or three bfloat16 numbers, for processors with AMX: one
 * instruction multiplies 16 rows of 32 factors with 32 rows of 16, and adds the products to 16 x 16 floats.
 *
 * With two parts, x = x0 + x1, the products x0 y0, x0 y1 and x1 y0 are added up; with three parts also x1 y1, x0 y2 and x2 y0. What is left
 * out is smaller than the last bit of the smallest part. The small products are added first, so that they cost the large one no digits.
 * Subnormal factors and results count as 0. Several parts need moderate factors: see vn__matmul_table. */

#define TILED __attribute__((target("amx-tile,amx-bf16,avx512bf16")))

/* Results are computed in squares of RESULTS x RESULTS, four tiles of EDGE x EDGE, over DEEP products at a time. */
enum { EDGE = 16, RESULTS = 2 * EDGE, DEEP = 32 };
enum { PART = RESULTS * DEEP }; /* elements of one part of RESULTS rows or columns */

/* ---- packing: panels of RESULTS rows of a, or columns of b, in blocks of DEEP products; a block's parts follow each other ---- */

TILED INLINE __m512 widened(__m256i bf16)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
}

/* The parts of PART numbers, which are moderate if there are several. */
TILED INLINE void parts_of(uint16_t *to, const float *x, const int parts)
{
    enum { LANES = 16 };
    for (int64_t i = 0; i < PART && parts == 1; i++) to[i] = (uint16_t)near_bf16(x[i]);
    for (int64_t i = 0; i < PART && parts > 1; i += 2 * LANES) {
        __m512 low = _mm512_loadu_ps(x + i), high = _mm512_loadu_ps(x + i + LANES);
        for (int p = 0; p < parts; p++) { /* rounds, and goes on with what is left */
            const __m512i part = (__m512i)_mm512_cvtne2ps_pbh(high, low);
            _mm512_storeu_si512(to + p * PART + i, part);
            low = _mm512_sub_ps(low, widened(_mm512_castsi512_si256(part)));
            high = _mm512_sub_ps(high, widened(_mm512_extracti64x4_epi64(part, 1)));
        }
    }
}

/* x0 y0 x1 y1 ... */
INLINE void interleave(float *to, const float *x, const float *y)
{
    VN_INDEPENDENT
    for (int i = 0; i < RESULTS; i++) {
        to[2 * i] = x[i];
        to[2 * i + 1] = y[i];
    }
}

/* A row of a has DEEP adjacent products; of a column of b, products k and k + 1 are adjacent. */
#define PACK_TILES(from, F)                                                                                                            \
    TILED INLINE void pack_a_parts_##from(uint16_t *to, const vn__matrix *a, const int parts)                                          \
    {                                                                                                                                  \
        float strip[PART];                                                                                                             \
        for (int64_t i = 0; i < a->rows; i += RESULTS)                                                                                 \
            for (int64_t k = 0; k < a->cols; k += DEEP, to += parts * PART) {                                                          \
                const int64_t rows = vn__min(a->rows - i, RESULTS), n = vn__min(a->cols - k, DEEP);                                    \
                const F *corner = (const F *)a->data + i * a->row_stride + k * a->col_stride;                                          \
                pack_##from(strip, corner, n, a->col_stride, rows, a->row_stride, DEEP);                                               \
                memset(strip + rows * DEEP, 0, (size_t)(PART - rows * DEEP) * sizeof *strip);                                          \
                parts_of(to, strip, parts);                                                                                            \
            }                                                                                                                          \
    }                                                                                                                                  \
    TILED INLINE void pack_b_parts_##from(uint16_t *to, const vn__matrix *b, const int parts)                                          \
    {                                                                                                                                  \
        float strip[PART], pairs[PART];                                                                                                \
        for (int64_t j = 0; j < b->cols; j += RESULTS)                                                                                 \
            for (int64_t k = 0; k < b->rows; k += DEEP, to += parts * PART) {                                                          \
                const int64_t rows = vn__min(b->rows - k, DEEP), n = vn__min(b->cols - j, RESULTS);                                    \
                const F *corner = (const F *)b->data + k * b->row_stride + j * b->col_stride;                                          \
                pack_##from(strip, corner, n, b->col_stride, rows, b->row_stride, RESULTS);                                            \
                memset(strip + rows * RESULTS, 0, (size_t)(PART - rows * RESULTS) * sizeof *strip);                                    \
                for (int64_t p = 0; p < DEEP; p += 2) interleave(pairs + p * RESULTS, strip + p * RESULTS, strip + (p + 1) * RESULTS); \
                parts_of(to, pairs, parts);                                                                                            \
            }                                                                                                                          \
    }
PACK_TILES(f32, float)
PACK_TILES(bf16, uint16_t)

/* Whether every element is 0 or has a size of at least 2^-50 and at most 2^60, so that products of parts are normal numbers. */
static bool moderate(const vn__matrix *x)
{
    const uint32_t least = UINT32_C(0x26800000), most = UINT32_C(0x5D800000);
    const bool across = x->row_stride == 1; /* memory is contiguous along columns */
    const int64_t lines = across ? x->cols : x->rows, n = across ? x->rows : x->cols;
    const int64_t line = across ? x->col_stride : x->row_stride, step = across ? x->row_stride : x->col_stride;
    uint32_t outside = 0;
    for (int64_t i = 0; i < lines; i++) {
        const float *p = (const float *)x->data + i * line;
        for (int64_t j = 0; j < n; j++) {
            const uint32_t size = bits_f32(p[j * step]) & UINT32_C(0x7FFFFFFF);
            outside |= (uint32_t)(size != 0) & (uint32_t)(size - least > most - least);
        }
    }
    return !outside;
}

/* ---- products ---- */

/* All eight tiles have 16 rows of 64 bytes. */
static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} eight_tiles = {.palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

/* Tiles 0 to 3: the square of results; 4 and 5: a part of a; 6 and 7: a part of b. */
#define LOAD_A(part)                                  \
    do {                                              \
        const uint16_t *from = a + (part)*PART;       \
        _tile_loadd(4, from, 2 * DEEP);               \
        _tile_loadd(5, from + EDGE * DEEP, 2 * DEEP); \
    } while (0)
#define LOAD_B(part)                                  \
    do {                                              \
        const uint16_t *from = b + (part)*PART;       \
        _tile_loadd(6, from, 4 * RESULTS);            \
        _tile_loadd(7, from + 2 * EDGE, 4 * RESULTS); \
    } while (0)
#define MULTIPLY()               \
    do {                         \
        _tile_dpbf16ps(0, 4, 6); \
        _tile_dpbf16ps(1, 4, 7); \
        _tile_dpbf16ps(2, 5, 6); \
        _tile_dpbf16ps(3, 5, 7); \
    } while (0)
#define ALL_RESULTS(move, at, row)                    \
    do {                                              \
        move(0, (at), (row)*4);                       \
        move(1, (at) + EDGE, (row)*4);                \
        move(2, (at) + EDGE * (row), (row)*4);        \
        move(3, (at) + EDGE * (row) + EDGE, (row)*4); \
    } while (0)
/* The compiler does not know which memory the instructions read and write. */
#define MEMORY __asm__ volatile("" ::: "memory")

/* Adds up a square over `deep` blocks of products. */
TILED INLINE void multiply_square(const uint16_t *pa, const uint16_t *pb, int64_t deep, const int parts)
{
    const uint16_t *a = pa, *b = pb;
    for (int64_t k = 0; k < deep && parts == 2; k++, a += 2 * PART, b += 2 * PART) {
        LOAD_A(1);
        LOAD_B(0);
        MULTIPLY();
        LOAD_A(0);
        LOAD_B(1);
        MULTIPLY();
    }
    for (int64_t k = 0; k < deep && parts == 3; k++, a += 3 * PART, b += 3 * PART) {
        LOAD_A(2);
        LOAD_B(0);
        MULTIPLY();
        LOAD_A(1);
        MULTIPLY();
        LOAD_B(1);
        MULTIPLY();
        LOAD_A(0);
        MULTIPLY();
        LOAD_B(2);
        MULTIPLY();
    }
    a = pa, b = pb;
    for (int64_t k = 0; k < deep; k++, a += parts * PART, b += parts * PART) {
        LOAD_A(0);
        LOAD_B(0);
        MULTIPLY();
    }
}

/* A square of results, of which the first m x n go to c. With several parts it begins at 0 because small products come first. */
TILED INLINE void square_of(const uint16_t *a, const uint16_t *b, int64_t deep, float *c, int64_t c_row, int64_t c_col, int64_t m,
                            int64_t n, int first, const int parts)
{
    const bool whole = m >= RESULTS && n >= RESULTS && c_col == 1, onto = whole && !first && parts == 1;
    if (onto) {
        ALL_RESULTS(_tile_loadd, c, c_row);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    multiply_square(a, b, deep, parts);
    if (whole && (first || onto)) {
        ALL_RESULTS(_tile_stored, c, c_row);
        return;
    }
    float sums[RESULTS * RESULTS];
    ALL_RESULTS(_tile_stored, sums, RESULTS);
    MEMORY;
    for (int64_t i = 0; i < vn__min(m, RESULTS); i++)
        for (int64_t j = 0; j < vn__min(n, RESULTS); j++) {
            float *z = c + i * c_row + j * c_col;
            *z = first ? sums[i * RESULTS + j] : *z + sums[i * RESULTS + j];
        }
}

TILED INLINE void block_of(const uint16_t *pa, const uint16_t *b, float *c, int64_t c_row, int64_t c_col, int64_t m, int64_t n, int64_t k,
                           int first, const int parts)
{
    const int64_t deep = vn__ceil_div(k, DEEP), panel = deep * parts * PART;
    MEMORY;
    _tile_loadconfig(&eight_tiles);
    for (int64_t j = 0; j < n; j += RESULTS, b += panel) {
        const uint16_t *a = pa;
        for (int64_t i = 0; i < m; i += RESULTS, a += panel) {
            for (int64_t r = 0; r < RESULTS && !first && i + RESULTS + r < m; r++) {
                __builtin_prefetch(c + (i + RESULTS + r) * c_row + j * c_col, 1);
                __builtin_prefetch(c + (i + RESULTS + r) * c_row + (j + EDGE) * c_col, 1);
            }
            square_of(a, b, deep, c + i * c_row + j * c_col, c_row, c_col, m - i, n - j, first, parts);
        }
    }
    _tile_release();
    MEMORY;
}

#define TILES_OF(parts)                                                                                                              \
    TILED static void block_tiles_##parts(const void *a, const void *b, void *c, int64_t c_row, int64_t c_col, int64_t m, int64_t n, \
                                          int64_t k, int first)                                                                      \
    {                                                                                                                                \
        block_of(a, b, c, c_row, c_col, m, n, k, first, parts);                                                                      \
    }                                                                                                                                \
    TILED static void pack_a_tiles_##parts(void *to, const vn__matrix *a)                                                            \
    {                                                                                                                                \
        pack_a_parts_f32(to, a, parts);                                                                                              \
    }                                                                                                                                \
    TILED static void pack_b_tiles_##parts(void *to, const vn__matrix *b)                                                            \
    {                                                                                                                                \
        pack_b_parts_f32(to, b, parts);                                                                                              \
    }
TILES_OF(1)
TILES_OF(2)
TILES_OF(3)

TILED static void pack_a_tiles_bf16(void *to, const vn__matrix *a)
{
    pack_a_parts_bf16(to, a, 1);
}
TILED static void pack_b_tiles_bf16(void *to, const vn__matrix *b)
{
    pack_b_parts_bf16(to, b, 1);
}
#define GEMM_TILES(parts) RESULTS, RESULTS, 8 * RESULTS, (parts) == 1 ? 2 * VN_MATMUL_KC : VN_MATMUL_KC, DEEP, 2 * (parts)*DEEP

#undef MEMORY
#undef ALL_RESULTS
#undef MULTIPLY
#undef LOAD_B
#undef LOAD_A
#undef TILED
