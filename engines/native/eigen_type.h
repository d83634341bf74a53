/* SPDX-License-Identifier: Apache-2.0 */
/* eigen_type.h: symmetric or Hermitian eigenproblems and singular values for one type; included by linalg.c with the macros
 * of its types.
 *
 * Both scale the matrix by a power of two first, so that squares neither overflow nor underflow, and give NaN for non-finite elements.
 * Convention: the first component of (nearly) the largest magnitude is positive. */

/* The power of two that scales the largest of n numbers to about 1; NaN if one is not finite. */
static double NAME(scale_of)(const R *x, int64_t n)
{
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < n; i++) {
        const double size = fabs((double)x[i]);
        if (!(size < INFINITY)) return NAN;
        if (size > largest) largest = size;
    }
    frexp(largest, &exponent);
    return largest > 0 ? ldexp(1, exponent) : 1;
}

static void NAME(fill)(T *x, int64_t n, T value)
{
    for (int64_t i = 0; i < n; i++) x[i] = value;
}

static void NAME(results_not_a_number)(const factoring *p, int n, void *const *out)
{
    for (int k = 0; k < n; k++)
        for (int64_t i = 0; out[k] && i < p->out_bytes[k] / (int64_t)sizeof(R); i++) ((R *)out[k])[i] = (R)NAN;
}

/* The number of absolute value 1 whose product with the vector follows the convention. */
static T NAME(phase_of)(const T *x, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = SIZE(x[i]) > largest ? SIZE(x[i]) : largest;
    for (int64_t i = 0; i < n; i++) {
        if (SIZE(x[i]) >= largest * .999) return x[i] == 0 ? 1 : (T)(CONJ(x[i]) / (R)SIZE(x[i]));
    }
    return 1;
}

/* ---- symmetric and Hermitian matrices, transposed: a column is a row of a ---- */

/* The update after a column is reduced by v and factor: A -= v w^H + w v^H for the remaining k x k part. */
static void NAME(reduce_rest)(const FNS *fns, T *a, int64_t n, int64_t k, const T *v, T *w, S factor)
{
    for (int64_t i = 0; i < k; i++) w[i] = (T)(factor * fns->dot(a + i * n, v, k));
    fns->subtract(w, v, factor / 2 * fns->dot(w, v, k), k);
    for (int64_t i = 0; i < k; i++) {
        fns->subtract(a + i * n, w, (S)CONJ(v[i]), k);
        fns->subtract(a + i * n, v, (S)CONJ(w[i]), k);
    }
}

/* Householder: stores the diagonal in d, the off-diagonal in e, each reflection in its row of a and its factor in factors. */
static void NAME(tridiagonalise)(const FNS *fns, T *a, int64_t n, double *d, double *e, S *factors, T *w)
{
    for (int64_t c = 0; c < n; c++) {
        T *v = a + c * n + c + 1;
        const int64_t k = n - c - 1;
        const S first = k > 0 ? (S)v[0] : 0;
        d[c] = (double)RE(a[c * n + c]);
        e[c] = (double)RE(first);
        factors[c] = 0;
        const double tail = k > 1 ? (double)RE(fns->dot(v + 1, v + 1, k - 1)) : 0;
        if (tail == 0 && IM(first) == 0) continue;
        const double norm = sqrt((double)SQUARE(first) + tail), to = RE(first) < 0 ? norm : -norm;
        const S by = first - to;
        e[c] = to;
        factors[c] = (to - first) / to;
        v[0] = 1;
        for (int64_t i = 1; i < k; i++) v[i] = (T)((S)v[i] / by);
        NAME(reduce_rest)(fns, a + (c + 1) * (n + 1), n, k, v, w, factors[c]);
    }
}

typedef struct {
    const FNS *fns;
    const T *a;
    T *z;
    const S *factors;
    int64_t n;
} NAME(accumulation);

/* A few rows of z = the product of all reflections, the last one first. */
static void NAME(accumulate_unit)(void *context, int64_t unit, int lane)
{
    const NAME(accumulation) *p = context;
    const int64_t n = p->n, end = vn__min(n, (unit + 1) * LEAF);
    (void)lane;
    for (int64_t r = unit * LEAF; r < end; r++) {
        T *z = p->z + r * n;
        NAME(fill)(z, n, 0);
        z[r] = 1;
        for (int64_t c = r - 1; c >= 0; c--) {
            const T *v = p->a + c * n + c + 1;
            const int64_t k = n - c - 1;
            if (p->factors[c] != 0) p->fns->subtract(z + c + 1, v, p->factors[c] * p->fns->dot(v, z + c + 1, k), k);
        }
    }
}

/* out: the values, ascending; the vectors, as columns */
static void NAME(eigh)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    const int64_t n = p->rows;
    double *d = scratch, *e = d + n, *rank = e + n;
    S *factors = (S *)(void *)(rank + n);
    T *w = (T *)(void *)(factors + n), *a = w + n, *z = a + n * n, *vectors = out[1];
    R *values = out[0];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const T x = ((const T *)in[0])[i * n + j];
            a[j * n + i] = x;
            a[i * n + j] = i == j ? RE(x) : CONJ(x);
        }
    const double scale = NAME(scale_of)((const R *)a, n * n * PARTS);
    bool good = scale > 0;
    for (int64_t i = 0; good && i < n * n; i++) a[i] = (T)((S)a[i] / scale);
    if (good) NAME(tridiagonalise)(p->fns, a, n, d, e, factors, w);
    if (good && vectors) {
        NAME(accumulation) job = {p->fns, a, z, factors, n};
        vn__native_parallel(threads_for(lanes, n, n, n), (n + LEAF - 1) / LEAF, NAME(accumulate_unit), &job);
    }
    good = good && ql(REAL_FNS, d, e, n, vectors ? (char *)z : NULL, n * PARTS, n * (int64_t)sizeof(T));
    if (!good) {
        NAME(results_not_a_number)(p, 2, out);
        return;
    }
    sort_rows(d, n, rank, false);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (int64_t)rank[i];
        if (values) values[i] = (R)(d[at] * scale);
        if (!vectors) continue;
        const T *row = z + at * n, phase = NAME(phase_of)(row, n);
        for (int64_t j = 0; j < n; j++) vectors[j * n + i] = phase * row[j];
    }
}

/* ---- singular values, by one-sided Jacobi ---- */

/* Rows of a (the columns of x) are made orthogonal by rotations, which v accumulates. */
typedef struct {
    const FNS *fns;
    T *a, *v;
    double *squares;     /* squared lengths of the rows, kept up to date */
    int64_t n, m, round; /* a: (n, m), v: (n, n) or NULL */
    atomic_int rotated;
} NAME(jacobi);

/* A row's squared length after a rotation: recomputed only if most of it cancelled. */
static double NAME(new_square)(const NAME(jacobi) * j, const T *x, double square, double change)
{
    return square + change > square / 2 ? square + change : (double)RE(j->fns->dot(x, x, j->m));
}

/* Round-robin pairing: the pairs of a round have no row in common. */
static void NAME(pair_unit)(void *context, int64_t unit, int lane)
{
    NAME(jacobi) *j = context;
    const double tolerance = (sizeof(R) == 8 ? 0x1p-52 : 0x1p-23) * 4;
    const int64_t circle = j->n + j->n % 2 - 1, a = (j->round + unit) % circle;
    const int64_t b = unit ? (j->round - unit + circle) % circle : circle, first = vn__min(a, b), second = a + b - first;
    T *x = j->a + first * j->m, *y = j->a + second * j->m;
    (void)lane;
    if (second >= j->n) return;
    const double xx = j->squares[first], yy = j->squares[second];
    const S product = j->fns->dot(x, y, j->m);
    const double xy = SIZE(product);
    if (!(xy > tolerance * sqrt(xx) * sqrt(yy)) || xy < 0x1p-1000) return; /* a smaller product has lost its phase */
    const double zeta = (yy - xx) / (2 * xy), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + t * t);
    const S sine = cosine * t * (product / xy);
    j->fns->rotate(x, y, cosine, sine, j->m);
    if (j->v) j->fns->rotate(j->v + first * j->n, j->v + second * j->n, cosine, sine, j->n);
    j->squares[first] = NAME(new_square)(j, x, xx, -t * xy);
    j->squares[second] = NAME(new_square)(j, y, yy, t * xy);
    atomic_store_explicit(&j->rotated, 1, memory_order_relaxed);
}

static void NAME(orthogonalise)(NAME(jacobi) * j, int lanes)
{
    enum { SWEEPS = 60 };
    const int64_t players = j->n + j->n % 2;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        atomic_store_explicit(&j->rotated, 0, memory_order_relaxed);
        for (int64_t i = 0; i < j->n; i++) j->squares[i] = (double)RE(j->fns->dot(j->a + i * j->m, j->a + i * j->m, j->m));
        for (j->round = 0; j->round < players - 1; j->round++)
            vn__native_parallel(threads_for(lanes, players, j->m, 6), players / 2, NAME(pair_unit), j);
        if (!atomic_load_explicit(&j->rotated, memory_order_relaxed)) break;
    }
}

/* A vector for a singular value of 0: the unit vector farthest from the span of the `done` columns of u, orthogonalised. */
static void NAME(complete)(const FNS *fns, T *const *done, int64_t n, int64_t m, T *to)
{
    int64_t farthest = 0;
    double least_sum = INFINITY;
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++) sum += (double)SQUARE((S)done[k][i]);
        if (sum < least_sum) least_sum = sum, farthest = i;
    }
    NAME(fill)(to, m, 0);
    to[farthest] = 1;
    for (int again = 0; again < 2; again++)
        for (int64_t k = 0; k < n; k++) fns->subtract(to, done[k], fns->dot(done[k], to, m), m);
    const double norm = sqrt((double)RE(fns->dot(to, to, m)));
    for (int64_t i = 0; i < m; i++) to[i] = (T)((S)to[i] / norm);
}

/* Rows of a, sorted by length and normalised, become columns of u. u or vh: NULL if unused */
static void NAME(take_vectors)(const NAME(jacobi) * j, const double *lengths, const double *rank, T **done, T *u, T *vh)
{
    const int64_t n = j->n, m = j->m;
    for (int64_t c = 0; c < n; c++) {
        const int64_t at = (int64_t)rank[c];
        const T *v = j->v + at * n, phase = NAME(phase_of)(v, n);
        T *x = done[c] = j->a + at * m;
        for (int64_t i = 0; vh && i < n; i++) vh[c * n + i] = CONJ(phase * v[i]);
        if (!u) continue;
        if (lengths[at] > 0)
            for (int64_t i = 0; i < m; i++) x[i] = (T)((S)x[i] / lengths[at]);
        else NAME(complete)(j->fns, done, c, m, x);
        for (int64_t i = 0; i < m; i++) u[i * n + c] = phase * x[i];
    }
}

/* out: u (m, n), the values, descending, vh (n, n). The rotations are accumulated only if vectors are used. */
static void NAME(svd)(const factoring *p, const void *const *in, void *const *out, void *scratch, int lanes)
{
    const int64_t m = p->rows, n = p->cols;
    double *lengths = scratch, *rank = lengths + n;
    T **done = (T **)(void *)(rank + n), *a = (T *)(void *)(done + n), *v = out[0] || out[2] ? a + n * m : NULL;
    R *values = out[1];
    const double scale = NAME(scale_of)(in[0], m * n * PARTS);
    if (!(scale > 0)) {
        NAME(results_not_a_number)(p, 3, out);
        return;
    }
    NAME(transpose)(a, m, in[0], n, n, m);
    for (int64_t i = 0; i < n * m; i++) a[i] = (T)((S)a[i] / scale);
    for (int64_t i = 0; v && i < n; i++) {
        NAME(fill)(v + i * n, n, 0);
        v[i * n + i] = 1;
    }
    NAME(jacobi) j = {.fns = p->fns, .a = a, .v = v, .squares = lengths, .n = n, .m = m};
    NAME(orthogonalise)(&j, lanes);
    for (int64_t i = 0; i < n; i++) {
        lengths[i] = sqrt(lengths[i]);
        if (lengths[i] < (sizeof(R) == 8 ? 0x1p-450 : 0x1p-45))
            lengths[i] = 0; /* products of such rows lose digits: the direction is undefined */
    }
    sort_rows(lengths, n, rank, true);
    for (int64_t c = 0; values && c < n; c++) values[c] = (R)(lengths[(int64_t)rank[c]] * scale);
    if (v) NAME(take_vectors)(&j, lengths, rank, done, out[0], out[2]);
}
