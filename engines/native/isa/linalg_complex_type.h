/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_complex_type.h: the inner loops of factorisations for one complex type, on pairs of real numbers. Included by linalg.c with R, V
 * and TAG set. Rotations only add: for alternating sums and differences of products gcc 12 uses fused instructions even where
 * contraction is off, and results would depend on the level. */

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LANES (VN_VECTOR_BYTES / (int64_t)sizeof(R))
#define COLS (TILE_VECTORS * LANES / 2) /* complex numbers */

/* A tile of `rows` (a constant where it is inlined) x COLS; b is packed. The first n columns belong to c. b is multiplied by real and by
 * imaginary parts of a separately; the products are combined at the end. Strides count complex numbers. */
INLINE void JOIN(tile, TAG)(const int rows, R *c, int64_t c_row, const R *a, int64_t a_row, int64_t a_col, R sign, const R *b, int64_t k,
                            int64_t n)
{
    V by_real[TILE_ROWS][TILE_VECTORS], by_imaginary[TILE_ROWS][TILE_VECTORS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < TILE_VECTORS; j++) by_real[i][j] = by_imaginary[i][j] = (V){0};
    for (int64_t p = 0; p < k; p++, a += 2 * a_col, b += 2 * COLS) {
        V y[TILE_VECTORS];
        for (int j = 0; j < TILE_VECTORS; j++) y[j] = *(const V *)(b + j * LANES);
        for (int i = 0; i < rows; i++) {
            const V re = a[2 * i * a_row] - (V){0}, im = sign * a[2 * i * a_row + 1] - (V){0};
            for (int j = 0; j < TILE_VECTORS; j++) {
                by_real[i][j] += re * y[j];
                by_imaginary[i][j] += im * y[j];
            }
        }
    }
    for (int i = 0; i < rows; i++) {
        R first[2 * COLS], second[2 * COLS], *to = c + 2 * i * c_row;
        memcpy(first, by_real[i], sizeof first);
        memcpy(second, by_imaginary[i], sizeof second);
        for (int64_t j = 0; j < n; j++) {
            to[2 * j] -= first[2 * j] - second[2 * j + 1];
            to[2 * j + 1] -= first[2 * j + 1] + second[2 * j];
        }
    }
}

/* sign: -1 for conjugates of a */
INLINE void JOIN(update_by, TAG)(void *pc, int64_t c_row, const void *pa, int64_t a_row, int64_t a_col, R sign, const void *pb,
                                 int64_t b_row, int64_t m, int64_t n, int64_t k)
{
    R packed[RUN * 2 * COLS];
    for (int64_t j = 0; j < n; j += COLS) {
        const int64_t cols = vn__min(n - j, COLS);
        for (int64_t first = 0; first < k; first += RUN) {
            const int64_t run = vn__min(k - first, RUN);
            const R *b = (const R *)pb + 2 * (first * b_row + j), *a = (const R *)pa + 2 * first * a_col;
            R *c = (R *)pc + 2 * j;
            for (int64_t p = 0; p < run; p++) {
                for (int64_t i = 0; i < 2 * cols; i++) packed[p * 2 * COLS + i] = b[2 * p * b_row + i];
                for (int64_t i = 2 * cols; i < 2 * COLS; i++) packed[p * 2 * COLS + i] = 0;
            }
            int64_t i = 0;
            for (; i + TILE_ROWS <= m; i += TILE_ROWS)
                JOIN(tile, TAG)(TILE_ROWS, c + 2 * i * c_row, c_row, a + 2 * i * a_row, a_row, a_col, sign, packed, run, cols);
            for (; i < m; i++) JOIN(tile, TAG)(1, c + 2 * i * c_row, c_row, a + 2 * i * a_row, a_row, a_col, sign, packed, run, cols);
        }
    }
}

static void JOIN(update, TAG)(void *c, int64_t c_row, const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row, int64_t m,
                              int64_t n, int64_t k)
{
    JOIN(update_by, TAG)(c, c_row, a, a_row, a_col, 1, b, b_row, m, n, k);
}

static void JOIN(update_conj, TAG)(void *c, int64_t c_row, const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row,
                                   int64_t m, int64_t n, int64_t k)
{
    JOIN(update_by, TAG)(c, c_row, a, a_row, a_col, -1, b, b_row, m, n, k);
}

static void JOIN(subtract, TAG)(void *py, const void *px, double _Complex factor, int64_t n)
{
    R *y = py;
    const R *x = px, re = (R)creal(factor), im = (R)cimag(factor), minus_im = -im;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        y[2 * i] -= re * x[2 * i] + minus_im * x[2 * i + 1];
        y[2 * i + 1] -= re * x[2 * i + 1] + im * x[2 * i];
    }
}

static void JOIN(rotate, TAG)(void *px, void *py, double cosine, double _Complex sine, int64_t n)
{
    R *x = px, *y = py;
    const R c = (R)cosine, re = (R)creal(sine), im = (R)cimag(sine), minus_re = -re, minus_im = -im;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const R a = x[2 * i], b = x[2 * i + 1], p = y[2 * i], q = y[2 * i + 1];
        x[2 * i] = c * a + (minus_re * p + minus_im * q);
        x[2 * i + 1] = c * b + (minus_re * q + im * p);
        y[2 * i] = (re * a + minus_im * b) + c * p;
        y[2 * i + 1] = (re * b + im * a) + c * q;
    }
}

static double _Complex JOIN(dot, TAG)(const void *px, const void *py, int64_t n)
{
    const R *x = px, *y = py;
    R re[DOT_LANES] = {0}, im[DOT_LANES] = {0};
    double parts[2];
    double _Complex z;
    for (int64_t i = 0; i < n; i += DOT_LANES) {
        const int64_t some = vn__min(n - i, DOT_LANES);
        for (int64_t j = 0; j < some; j++) {
            const R *u = x + 2 * (i + j), *v = y + 2 * (i + j);
            re[j] += u[0] * v[0] + u[1] * v[1];
            im[j] += u[0] * v[1] - u[1] * v[0];
        }
    }
    for (int half = DOT_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) {
            re[j] += re[j + half];
            im[j] += im[j + half];
        }
    parts[0] = (double)re[0];
    parts[1] = (double)im[0];
    memcpy(&z, parts, sizeof z);
    return z;
}

#undef JOIN
#undef JOIN_
#undef LANES
#undef COLS
#undef R
#undef V
#undef TAG
