/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_type.h: triangular systems, Cholesky and LU for one type; included by linalg.c with the macros of its types. Each recursively
 * halves the matrix, so that nearly all the work is matrix products. */

/* ---- c -= a b, shared by rows ---- */

typedef struct {
    const FNS *fns;
    T *c;
    const T *a, *b;
    int64_t c_row, a_row, a_col, b_row, m, n, k;
    bool triangle; /* only c's lower triangle matters */
} NAME(product);

static void NAME(product_unit)(void *context, int64_t unit, int lane)
{
    const NAME(product) *p = context;
    const int64_t first = unit * SHARE, rows = vn__min(SHARE, p->m - first);
    (void)lane;
    p->fns->update(p->c + first * p->c_row, p->c_row, p->a + first * p->a_row, p->a_row, p->a_col, p->b, p->b_row, rows,
                   p->triangle ? vn__min(p->n, first + rows) : p->n, p->k);
}

static void NAME(shared_product)(NAME(product) p, int lanes)
{
    vn__native_parallel(threads_for(lanes, p.m, p.n, p.k), (p.m + SHARE - 1) / SHARE, NAME(product_unit), &p);
}

/* ---- triangular systems ---- */

/* x = a^-1 x, a lower triangular, x with n rows of m adjacent elements. With negative strides the same solves upper ones. */
typedef struct {
    const FNS *fns;
    const T *a;
    T *x;
    int64_t a_row, a_col, x_row, n, m;
    bool unit; /* a has an implicit unit diagonal */
} NAME(triangle);

static void NAME(rows_one_by_one)(const NAME(triangle) * t)
{
    for (int64_t r = 0; r < t->n; r++) {
        const T *a = t->a + r * t->a_row;
        T *x = t->x + r * t->x_row;
        for (int64_t k = 0; k < r; k++) t->fns->subtract(x, t->x + k * t->x_row, (S)a[k * t->a_col], t->m);
        if (t->unit) continue;
        const T d = a[r * t->a_col];
        for (int64_t j = 0; j < t->m; j++) x[j] /= d;
    }
}

static void NAME(by_halves)(const NAME(triangle) * t)
{
    if (t->n <= LEAF) {
        NAME(rows_one_by_one)(t);
        return;
    }
    const int64_t half = t->n / 2;
    NAME(triangle) top = *t, rest = *t;
    top.n = half;
    rest.n -= half;
    rest.a += half * (t->a_row + t->a_col);
    rest.x += half * t->x_row;
    NAME(by_halves)(&top);
    t->fns->update(rest.x, t->x_row, t->a + half * t->a_row, t->a_row, t->a_col, t->x, t->x_row, rest.n, t->m, half);
    NAME(by_halves)(&rest);
}

static void NAME(triangle_unit)(void *context, int64_t unit, int lane)
{
    NAME(triangle) part = *(const NAME(triangle) *)context;
    (void)lane;
    part.x += unit * SHARE;
    part.m = vn__min(SHARE, part.m - unit * SHARE);
    NAME(by_halves)(&part);
}

/* Columns of x are independent. */
static void NAME(shared_triangle)(NAME(triangle) t, int lanes)
{
    vn__native_parallel(threads_for(lanes, t.n, t.n, t.m), (t.m + SHARE - 1) / SHARE, NAME(triangle_unit), &t);
}

/* The upper triangle of an n x n matrix, read backwards as a lower one. */
static NAME(triangle) NAME(upper)(const FNS *fns, const T *a, int64_t a_row, int64_t a_col, T *x, int64_t x_row, int64_t n, int64_t m)
{
    return (NAME(triangle)){fns, a + (n - 1) * (a_row + a_col), x + (n - 1) * x_row, -a_row, -a_col, -x_row, n, m, false};
}

static void NAME(solve_triangular)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    const int64_t n = p->rows, row = p->transpose ? 1 : n, col = p->transpose ? n : 1;
    NAME(triangle) t = {p->fns, in[0], out[0], row, col, p->right, n, p->right, false};
    (void)scratch;
    memcpy(out[0], in[1], (size_t)p->out_bytes[0]);
    if (p->upper != p->transpose) t = NAME(upper)(p->fns, in[0], row, col, out[0], p->right, n, p->right);
    t.unit = p->unit;
    NAME(shared_triangle)(t, lanes);
}

/* ---- Cholesky ---- */

/* False if a pivot is not positive. */
static bool NAME(small_cholesky)(T *a, int64_t row, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            T sum = a[i * row + j];
            for (int64_t k = 0; k < j; k++) sum -= a[i * row + k] * CONJ(a[j * row + k]);
            if (i > j) a[i * row + j] = sum / a[j * row + j];
            else if (RE(sum) > 0 && RE(sum) < (R)INFINITY) a[j * row + j] = (R)sqrt((double)RE(sum));
            else return false;
        }
    return true;
}

static void NAME(transpose)(T *to, int64_t to_row, const T *from, int64_t from_row, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i += VN_TRANSPOSE_TILE)
        for (int64_t j = 0; j < cols; j += VN_TRANSPOSE_TILE)
            vn__native_isa->copy->transpose[sizeof(T)](to + i * to_row + j, to_row, from + j * from_row + i, from_row,
                                                       vn__min(VN_TRANSPOSE_TILE, rows - i), vn__min(VN_TRANSPOSE_TILE, cols - j));
}

/* The conjugates of the transpose. */
static void NAME(adjoint)(T *to, int64_t to_row, const T *from, int64_t from_row, int64_t rows, int64_t cols)
{
    NAME(transpose)(to, to_row, from, from_row, rows, cols);
    for (int64_t i = 0; IS_COMPLEX && i < rows; i++)
        for (int64_t j = 0; j < cols; j++) to[i * to_row + j] = CONJ(to[i * to_row + j]);
}

/* The lower triangle in place; w holds the adjoint of the lower left quarter. */
static bool NAME(cholesky_by_halves)(const FNS *fns, T *a, int64_t row, int64_t n, T *w, int lanes)
{
    if (n <= 2 * LEAF) return NAME(small_cholesky)(a, row, n);
    const int64_t half = n / 2, rest = n - half;
    T *left = a + half * row, *corner = left + half;
    if (!NAME(cholesky_by_halves)(fns, a, row, half, w, lanes)) return false;
    NAME(adjoint)(w, rest, left, row, half, rest);
    NAME(shared_triangle)((NAME(triangle)){fns, a, w, row, 1, rest, half, rest, false}, lanes);
    NAME(adjoint)(left, row, w, rest, rest, half);
    NAME(shared_product)((NAME(product)){fns, corner, left, w, row, row, 1, rest, rest, rest, half, true}, lanes);
    return NAME(cholesky_by_halves)(fns, corner, row, rest, w, lanes);
}

static void NAME(cholesky)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    const int64_t n = p->rows;
    const T *x = in[0];
    T *a = out[0];
    memcpy(a, x, (size_t)p->out_bytes[0]);
    const bool positive = NAME(cholesky_by_halves)(p->fns, a, n, n, scratch, lanes);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = positive ? i + 1 : 0; j < n; j++) a[i * n + j] = positive ? 0 : NOT_A_NUMBER;
}

/* ---- LU ---- */

typedef struct {
    const FNS *fns;
    T *a;
    int64_t n;
    int64_t *permutation; /* source of each row; NULL: not used */
    T *sign;              /* of the permutation */
    int lanes;
} NAME(elimination);

/* The row with the largest element of column c, or a NaN that comes first. */
static int64_t NAME(pivot)(const T *a, int64_t n, int64_t c)
{
    int64_t best = c;
    for (int64_t i = c + 1; i < n; i++) {
        if (SIZE(a[i * n + c]) > SIZE(a[best * n + c])) best = i;
    }
    return best;
}

static void NAME(exchange)(const NAME(elimination) * e, int64_t i, int64_t j)
{
    T *x = e->a + i * e->n, *y = e->a + j * e->n;
    *e->sign = -*e->sign;
    for (int64_t k = 0; k < e->n; k++) {
        const T kept = x[k];
        x[k] = y[k];
        y[k] = kept;
    }
    if (!e->permutation) return;
    const int64_t kept = e->permutation[i];
    e->permutation[i] = e->permutation[j];
    e->permutation[j] = kept;
}

/* Columns from .. to, one by one. A column of zeros is skipped. */
static void NAME(few_columns)(const NAME(elimination) * e, int64_t from, int64_t to)
{
    const int64_t n = e->n;
    for (int64_t c = from; c < to; c++) {
        const int64_t best = NAME(pivot)(e->a, n, c);
        const T *top = e->a + c * n;
        if (best != c) NAME(exchange)(e, c, best);
        if (top[c] == 0) continue;
        for (int64_t i = c + 1; i < n; i++) {
            T *x = e->a + i * n;
            x[c] /= top[c];
            for (int64_t k = c + 1; k < to; k++) x[k] -= x[c] * top[k];
        }
    }
}

/* Columns from .. to: the left half, the update of the right half, then the right half. Entire rows are swapped. */
static void NAME(eliminate)(const NAME(elimination) * e, int64_t from, int64_t to)
{
    if (to - from <= LEAF) {
        NAME(few_columns)(e, from, to);
        return;
    }
    const int64_t n = e->n, middle = from + (to - from) / 2, done = middle - from;
    T *left = e->a + from * n + from, *right = e->a + from * n + middle;
    NAME(eliminate)(e, from, middle);
    NAME(shared_triangle)((NAME(triangle)){e->fns, left, right, n, 1, n, done, to - middle, true}, e->lanes);
    NAME(shared_product)
    ((NAME(product)){e->fns, right + done * n, left + done * n, right, n, n, 1, n, n - middle, to - middle, done, false}, e->lanes);
    NAME(eliminate)(e, middle, to);
}

/* a = l u in place; returns the sign of the permutation. */
static T NAME(lu)(const FNS *fns, T *a, int64_t n, int64_t *permutation, int lanes)
{
    T sign = 1;
    const NAME(elimination) e = {fns, a, n, permutation, &sign, lanes};
    for (int64_t i = 0; permutation && i < n; i++) permutation[i] = i;
    NAME(eliminate)(&e, 0, n);
    return sign;
}

/* out: the factors, the permutation, its sign */
static void NAME(lu_factor)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    T *a = out[0] ? out[0] : scratch;
    if (p->rows) memcpy(a, in[0], (size_t)p->in_bytes[0]);
    const T sign = NAME(lu)(p->fns, a, p->rows, out[1], lanes);
    if (out[2]) *(T *)out[2] = sign;
}

static void NAME(solve)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    const int64_t n = p->rows, m = p->right;
    const T *b = in[1];
    int64_t *permutation = scratch;
    T *a = (T *)(void *)(permutation + n), *x = out[0];
    memcpy(a, in[0], (size_t)p->in_bytes[0]);
    NAME(lu)(p->fns, a, n, permutation, lanes);
    for (int64_t i = 0; i < n; i++) memcpy(x + i * m, b + permutation[i] * m, (size_t)m * sizeof *x);
    NAME(shared_triangle)((NAME(triangle)){p->fns, a, x, n, 1, m, n, m, true}, lanes);
    NAME(shared_triangle)(NAME(upper)(p->fns, a, n, 1, x, m, n, m), lanes);
}
