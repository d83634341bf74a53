/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_type.h: tiles and blocks of matrix products for one type. See float_types.h for T, V, TAG and MULTIPLY_ADD. */

#define LANES (VN_VECTOR_BYTES / (int64_t)sizeof(T))
#define COLS NAME2(TILE_COLS, TAG)

enum { COLS = TILE_VECTORS * VN_VECTOR_BYTES / (int)sizeof(T) };

/* One tile: `rows` (a constant where it is inlined) x COLS results over k products. The first n columns go to c. */
INLINE void NAME2(tile, TAG)(const int rows, const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, int64_t k, T *c,
                             int64_t c_row, int64_t c_col, int64_t n, int first)
{
    V sum[TILE_ROWS][TILE_VECTORS];
    /* The results so far are fetched while the products are computed: rows of a large c are far apart, and nothing else fetches them. */
    VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++)
    {
        sum[i][j] = (V){0};
        __builtin_prefetch(c + i * c_row + j * LANES, 1);
    }
    for (int64_t p = 0; p < k; p++, a += a_col, b += b_row) {
        V y[TILE_VECTORS];
        VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) y[j] = *(const V *)(b + j * LANES);
        VN_UNROLLED for (int i = 0; i < rows; i++)
        {
            const V x = a[i * a_row] - (V){0};
            VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] = MULTIPLY_ADD(x, y[j], sum[i][j]);
        }
    }
    if (c_col == 1 && n == COLS) {
        VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++)
        {
            V *z = (V *)(c + i * c_row + j * LANES);
            if (!first) sum[i][j] += *z;
            *z = sum[i][j];
        }
        return;
    }
    VN_UNROLLED for (int i = 0; i < rows; i++)
    {
        T line[COLS];
        VN_UNROLLED for (int j = 0; j < TILE_VECTORS; j++) * (V *)(line + j * LANES) = sum[i][j];
        for (int64_t j = 0; j < n; j++) {
            T *z = c + i * c_row + j * c_col;
            *z = first ? line[j] : *z + line[j];
        }
    }
}

/* A column of tiles: m rows of a times one panel of b. Full tiles first, then smaller ones. */
#define STEP_DOWN(rows, tag)         \
    for (; i + rows <= m; i += rows) \
        NAME2(tile, tag)(rows, a + i * a_row, a_row, a_col, b, b_row, k, c + i * c_row, c_row, c_col, n, first);

/* Packed: panels of TILE_ROWS, each k x TILE_ROWS, the last one with the remaining rows. */
#define STEP_PACKED(rows, tag)                        \
    for (; i + rows <= m; i += rows) NAME2(tile, tag) \
    (rows, a + i / TILE_ROWS * TILE_ROWS * k + i % TILE_ROWS, 1, TILE_ROWS, b, COLS, k, c + i * c_row, c_row, c_col, n, first);

static void NAME2(packed, TAG)(const T *a, int64_t m, const T *b, int64_t k, T *c, int64_t c_row, int64_t c_col, int64_t n, int first)
{
    int64_t i = 0;
    TILES(STEP_PACKED, TAG)
}

static void NAME2(block, TAG)(const void *pa, const void *pb, void *pc, int64_t c_row, int64_t c_col, int64_t m, int64_t n, int64_t k,
                              int first)
{
    const T *b = pb;
    T *c = pc;
    for (int64_t j = 0; j < n; j += COLS) NAME2(packed, TAG)(pa, m, b + j * k, k, c + j * c_col, c_row, c_col, vn__min(n - j, COLS), first);
}

/* One row of a: wide tiles, to have enough independent sums. Returns the number of columns done. */
static int64_t NAME2(row, TAG)(const T *a, int64_t a_col, const vn__matrix *mb, int64_t k, T *c, int first)
{
    enum { WIDE = 8 };
    int64_t j = 0;
    for (; j + WIDE * LANES <= mb->cols; j += WIDE * LANES) {
        const T *b = (const T *)mb->data + j;
        V sum[WIDE];
        VN_UNROLLED for (int i = 0; i < WIDE; i++) sum[i] = (V){0};
        for (int64_t p = 0; p < k; p++, b += mb->row_stride) {
            const V x = a[p * a_col] - (V){0};
            VN_UNROLLED for (int i = 0; i < WIDE; i++) sum[i] = MULTIPLY_ADD(x, *(const V *)(b + i * LANES), sum[i]);
        }
        VN_UNROLLED for (int i = 0; i < WIDE; i++)
        {
            V *z = (V *)(c + j + i * LANES);
            if (!first) sum[i] += *z;
            *z = sum[i];
        }
    }
    return j;
}

static void NAME2(direct, TAG)(const vn__matrix *ma, const vn__matrix *mb, void *pc, int64_t c_row, int64_t c_col, int first)
{
    const int64_t m = ma->rows, k = ma->cols, a_row = ma->row_stride, a_col = ma->col_stride, b_row = mb->row_stride;
    const T *a = ma->data;
    int64_t j = 0;
    if (m == 1 && c_col == 1) j = NAME2(row, TAG)(a, a_col, mb, k, pc, first);
    for (; j < mb->cols; j += COLS) {
        const T *b = (const T *)mb->data + j;
        const int64_t n = vn__min(mb->cols - j, COLS);
        T *c = (T *)pc + j * c_col;
        int64_t i = 0;
        TILES(STEP_DOWN, TAG)
    }
}

#undef LANES
#undef COLS
#undef STEP_DOWN
#undef STEP_PACKED
