/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_type.h: the inner loops of factorisations for one type. Included by linalg.c with T, V and TAG set. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LANES (VN_VECTOR_BYTES / (int64_t)sizeof(T))
#define COLS (TILE_VECTORS * LANES)

/* A tile of `rows` (a constant where it is inlined) x COLS; b is packed. The first n columns belong to c. */
INLINE void JOIN(tile, TAG)(const int rows, T *c, int64_t c_row, const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t k, int64_t n)
{
    V sum[TILE_ROWS][TILE_VECTORS];
    T line[TILE_ROWS][COLS];
    const int whole = n == COLS;
    for (int i = 0; i < rows; i++) {
        const T *from = c + i * c_row;
        if (!whole) {
            memset(line[i], 0, sizeof line[i]);
            memcpy(line[i], from, (size_t)n * sizeof(T));
            from = line[i];
        }
        for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] = *(const V *)(from + j * LANES);
    }
    for (int64_t p = 0; p < k; p++, a += a_col, b += COLS) {
        V y[TILE_VECTORS];
        for (int j = 0; j < TILE_VECTORS; j++) y[j] = *(const V *)(b + j * LANES);
        for (int i = 0; i < rows; i++) {
            const V x = a[i * a_row] - (V){0};
            for (int j = 0; j < TILE_VECTORS; j++) sum[i][j] -= x * y[j];
        }
    }
    for (int i = 0; i < rows; i++) {
        T *to = whole ? c + i * c_row : line[i];
        for (int j = 0; j < TILE_VECTORS; j++) *(V *)(to + j * LANES) = sum[i][j];
        if (!whole) memcpy(c + i * c_row, line[i], (size_t)n * sizeof(T));
    }
}

static void JOIN(update, TAG)(void *pc, int64_t c_row, const void *pa, int64_t a_row, int64_t a_col, const void *pb, int64_t b_row,
                              int64_t m, int64_t n, int64_t k)
{
    T packed[RUN * COLS];
    for (int64_t j = 0; j < n; j += COLS) {
        const int64_t cols = vn__min(n - j, COLS);
        for (int64_t first = 0; first < k; first += RUN) {
            const int64_t run = vn__min(k - first, RUN);
            const T *b = (const T *)pb + first * b_row + j, *a = (const T *)pa + first * a_col;
            T *c = (T *)pc + j;
            for (int64_t p = 0; p < run; p++) {
                for (int64_t i = 0; i < cols; i++) packed[p * COLS + i] = b[p * b_row + i];
                for (int64_t i = cols; i < COLS; i++) packed[p * COLS + i] = 0;
            }
            int64_t i = 0;
            for (; i + TILE_ROWS <= m; i += TILE_ROWS)
                JOIN(tile, TAG)(TILE_ROWS, c + i * c_row, c_row, a + i * a_row, a_row, a_col, packed, run, cols);
            for (; i < m; i++) JOIN(tile, TAG)(1, c + i * c_row, c_row, a + i * a_row, a_row, a_col, packed, run, cols);
        }
    }
}

static void JOIN(subtract, TAG)(void *py, const void *px, double factor, int64_t n)
{
    T *y = py;
    const T *x = px, f = (T)factor;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) y[i] -= f * x[i];
}

static void JOIN(rotate, TAG)(void *px, void *py, double cosine, double sine, int64_t n)
{
    T *x = px, *y = py;
    const T c = (T)cosine, s = (T)sine;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const T u = x[i], v = y[i];
        x[i] = c * u - s * v;
        y[i] = s * u + c * v;
    }
}

static double JOIN(dot, TAG)(const void *px, const void *py, int64_t n)
{
    const T *x = px, *y = py;
    T lanes[DOT_LANES] = {0};
    const int64_t whole = n / DOT_LANES * DOT_LANES;
    for (int64_t i = 0; i < whole; i += DOT_LANES)
        for (int j = 0; j < DOT_LANES; j++) lanes[j] += x[i + j] * y[i + j];
    for (int64_t i = whole; i < n; i++) lanes[i - whole] += x[i] * y[i];
    for (int half = DOT_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) lanes[j] += lanes[j + half];
    return (double)lanes[0];
}

#undef JOIN
#undef JOIN_
#undef LANES
#undef COLS
#undef T
#undef V
#undef TAG
