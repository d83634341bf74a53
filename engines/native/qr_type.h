/* SPDX-License-Identifier: Apache-2.0 */
/* qr_type.h: QR by Householder reflections for one type; included by linalg.c with the macros of its types.
 *
 * A panel's columns are reduced one by one; the product of its reflections is I - V S V^H with a small upper triangular S, which is applied
 * to the columns on its right as matrix products, split by columns. */

typedef struct {
    const FNS *fns;
    T *x; /* the reflected matrix: rows of `row` elements */
    const T *v, *s;
    int64_t row, rows, cols, width; /* width: reflections in the panel; v: (rows, PANEL), s: (PANEL, PANEL) */
    bool adjoint;                   /* of the product: its inverse */
} NAME(reflection);

/* x -= V (S (V^H x)); update subtracts, so the two signs cancel. A few columns at a time: their workspace is on the stack, which may
 * be small. */
enum { NAME(columns) = SHARE * 4 / sizeof(T) };

static void NAME(reflect_columns)(const NAME(reflection) * r, T *x, int64_t cols)
{
    enum { AT_ONCE = NAME(columns) };
    T w[PANEL * AT_ONCE], sw[PANEL * AT_ONCE];
    const int64_t row = r->adjoint ? 1 : PANEL, col = r->adjoint ? PANEL : 1;
    memset(w, 0, (size_t)r->width * AT_ONCE * sizeof(T));
    memset(sw, 0, (size_t)r->width * AT_ONCE * sizeof(T));
    r->fns->update_conj(w, AT_ONCE, r->v, 1, PANEL, x, r->row, r->width, cols, r->rows);
    (r->adjoint ? r->fns->update_conj : r->fns->update)(sw, AT_ONCE, r->s, row, col, w, AT_ONCE, r->width, cols, r->width);
    r->fns->update(x, r->row, r->v, PANEL, 1, sw, AT_ONCE, r->rows, cols, r->width);
}

static void NAME(reflect_unit)(void *context, int64_t unit, int lane)
{
    const NAME(reflection) *r = context;
    const int64_t end = vn__min(r->cols, (unit + 1) * SHARE);
    (void)lane;
    for (int64_t c = unit * SHARE; c < end; c += NAME(columns)) NAME(reflect_columns)(r, r->x + c, vn__min(NAME(columns), end - c));
}

static void NAME(reflect)(NAME(reflection) r, int lanes)
{
    vn__native_parallel(threads_for(lanes, r.rows, r.cols, r.width), (r.cols + SHARE - 1) / SHARE, NAME(reflect_unit), &r);
}

/* The reflection that maps the column x (n elements, `row` apart) to a multiple of the first unit vector, as v with v[0] = 1; it is applied
 * to the column. Returns its factor: H = I - factor v v^H, H^H x = (to, 0, ...) with a real number. */
static T NAME(householder)(T *x, int64_t row, int64_t n, T *v)
{
    R largest = 0, sum = 0;
    bool done = IM(x[0]) == 0;
    v[0] = 1;
    for (int64_t i = 0; i < n; i++) {
        const R size = LARGER_PART(x[i * row]);
        if (size > largest) largest = size;
        done &= i == 0 || x[i * row] == 0;
    }
    for (int64_t i = 1; done && i < n; i++) v[i * PANEL] = 0;
    if (done) return 0;
    for (int64_t i = 0; i < n; i++) sum += SQUARE(x[i * row] / largest);
    const T first = x[0];
    const R norm = largest * (R)sqrt((double)sum), to = RE(first) < 0 ? norm : -norm;
    for (int64_t i = 1; i < n; i++) {
        v[i * PANEL] = x[i * row] / (first - to);
        x[i * row] = 0;
    }
    x[0] = to;
    return (to - first) / to;
}

/* Reduces `width` columns of a. */
static void NAME(panel)(const FNS *fns, T *a, int64_t row, int64_t rows, int64_t width, T *v, T *s)
{
    T factors[PANEL], gram[PANEL * PANEL];
    memset(v, 0, (size_t)(rows * PANEL) * sizeof(T));
    memset(s, 0, (size_t)(width * PANEL) * sizeof(T));
    memset(gram, 0, (size_t)(width * PANEL) * sizeof(T));
    for (int64_t c = 0; c < width; c++) {
        T *x = a + c * row + c, *vc = v + c * PANEL + c, w[PANEL] = {0};
        const int64_t below = rows - c, right = width - c - 1;
        factors[c] = NAME(householder)(x, row, below, vc);
        fns->update_conj(w, PANEL, vc, 1, PANEL, x + 1, row, 1, right, below);
        for (int64_t j = 0; j < right; j++) w[j] *= -CONJ(factors[c]);
        fns->update(x + 1, row, vc, PANEL, 1, w, PANEL, below, right, 1);
    }
    fns->update_conj(gram, PANEL, v, 1, PANEL, v, PANEL, width, width, rows); /* -V^H V */
    for (int64_t c = 0; c < width; c++) {
        s[c * PANEL + c] = factors[c];
        for (int64_t i = 0; i < c; i++) {
            T sum = 0;
            for (int64_t k = i; k < c; k++) sum += s[i * PANEL + k] * gram[k * PANEL + c];
            s[i * PANEL + c] = factors[c] * sum;
        }
    }
}

/* Makes r's diagonal non-negative by negating q's columns and r's rows together. q: (rows, k), or NULL */
static void NAME(make_unique)(T *q, int64_t k, T *r, int64_t rows, int64_t cols)
{
    for (int64_t c = 0; c < cols; c++) {
        if (!(RE(r[c * cols + c]) < 0)) continue;
        for (int64_t j = c; j < cols; j++) r[c * cols + j] = -r[c * cols + j];
        for (int64_t i = 0; q && i < rows; i++) q[i * k + c] = -q[i * k + c];
    }
}

/* out: q (m, k), r (k, n). An unused q is not computed: the panels' reflections are then discarded. */
static void NAME(qr)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    const int64_t m = p->rows, n = p->cols, k = p->right, panels = (n + PANEL - 1) / PANEL;
    T *q = out[0], *r = scratch, *s = r + m * n, *v = s + panels * PANEL * PANEL; /* of all panels */
    if (n) memcpy(r, in[0], (size_t)p->in_bytes[0]);
    for (int64_t i = 0; i < panels; i++) {
        const int64_t c = i * PANEL, width = vn__min(PANEL, n - c), rows = m - c;
        T *vi = v + i * PANEL * m, *si = s + i * PANEL * PANEL, *a = r + c * n + c;
        NAME(panel)(p->fns, a, n, rows, width, vi, si);
        NAME(reflect)((NAME(reflection)){p->fns, a + width, vi, si, n, rows, n - c - width, width, true}, lanes);
    }
    for (int64_t i = 0; q && i < m; i++)
        for (int64_t j = 0; j < k; j++) q[i * k + j] = i == j;
    for (int64_t i = q ? panels : 0; i-- > 0;) {
        const int64_t c = i * PANEL;
        NAME(reflect)
        ((NAME(reflection)){p->fns, q + c * k + c, v + i * PANEL * m, s + i * PANEL * PANEL, k, m - c, k - c, vn__min(PANEL, n - c), false},
         lanes);
    }
    NAME(make_unique)(q, k, r, m, n);
    if (out[1] && n) memcpy(out[1], r, (size_t)p->out_bytes[1]);
}
