/* SPDX-License-Identifier: Apache-2.0 */
/* eig.c: eigenvalues and eigenvectors of general matrices, in double precision for every dtype.
 *
 * A matrix is balanced, reduced to Hessenberg form by reflections and then to triangular form by shifted QR steps: complex matrices by
 * single steps, real ones by double steps, so that their complex eigenvalues are exact pairs of conjugates. The 2 x 2
 * blocks that remain of a real matrix are made triangular by complex rotations; eigenvectors are the triangle's, transformed back. */
#include "complex_numbers.h"
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_LINALG
#include "thresholds.h"

typedef double _Complex number;

enum { STEPS = 60 }; /* QR steps for an eigenvalue; LAPACK allows 30 */

/* One instruction. */
typedef struct plan {
    int64_t batch, n, per_unit;
    size_t in_bytes;
    int32_t dtype;
} plan;

/* ---- balancing: rows and columns scaled by powers of two until their sums are similar ---- */

static double size_of(number x)
{
    return fabs(creal(x)) + fabs(cimag(x));
}

/* The power of two for row and column i, or 1 if it would help little. */
static double balancing(const number *a, int64_t n, int64_t i)
{
    double row = 0, column = 0, factor = 1;
    for (int64_t j = 0; j < n; j++) {
        if (j == i) continue;
        row += size_of(a[i * n + j]);
        column += size_of(a[j * n + i]);
    }
    if (row == 0 || column == 0) return 1;
    const double sum = row + column;
    while (column < row / 2 && factor < 0x1p500) factor *= 2, column *= 4;
    while (column >= row * 2 && factor > 0x1p-500) factor /= 2, column /= 4;
    return column + row < .95 * sum * factor ? factor : 1;
}

/* a = D^-1 a D; scales: D's diagonal */
static void balance(number *a, int64_t n, double *scales)
{
    bool changed = true;
    for (int64_t i = 0; i < n; i++) scales[i] = 1;
    for (int rounds = 0; changed && rounds < 100; rounds++) {
        changed = false;
        for (int64_t i = 0; i < n; i++) {
            const double factor = balancing(a, n, i), product = scales[i] * factor;
            if (factor == 1 || product > 0x1p500 || product < 0x1p-500) continue;
            changed = true;
            scales[i] = product;
            for (int64_t j = 0; j < n; j++) a[i * n + j] /= factor;
            for (int64_t j = 0; j < n; j++) a[j * n + i] *= factor;
        }
    }
}

/* ---- Hessenberg form ---- */

/* x -= v factor (v^H x) for `cols` columns of x, on k rows */
static void reflect_rows(number *x, int64_t row, int64_t cols, const number *v, int64_t k, number factor, number *sums)
{
    for (int64_t j = 0; j < cols; j++) sums[j] = 0;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < cols; j++) sums[j] += conj(v[i]) * x[i * row + j];
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < cols; j++) x[i * row + j] -= v[i] * (factor * sums[j]);
}

/* x -= (x v) factor v^H for `rows` rows of x, on k columns */
static void reflect_columns(number *x, int64_t row, int64_t rows, const number *v, int64_t k, number factor)
{
    for (int64_t i = 0; i < rows; i++) {
        number sum = 0;
        for (int64_t j = 0; j < k; j++) sum += x[i * row + j] * v[j];
        sum *= factor;
        for (int64_t j = 0; j < k; j++) x[i * row + j] -= sum * conj(v[j]);
    }
}

/* h = Q^H h Q; z, if there is one, becomes Q. v, sums: n numbers each. Real matrices stay real. */
static void hessenberg(number *h, int64_t n, number *z, number *v, number *sums)
{
    for (int64_t i = 0; z && i < n; i++)
        for (int64_t j = 0; j < n; j++) z[i * n + j] = i == j;
    for (int64_t c = 0; c + 2 < n; c++) {
        const int64_t k = n - c - 1;
        double tail = 0;
        for (int64_t i = 0; i < k; i++) v[i] = h[(c + 1 + i) * n + c];
        for (int64_t i = 1; i < k; i++) tail = hypot(tail, cabs(v[i]));
        if (tail == 0) continue;
        const number first = v[0];
        const double norm = hypot(cabs(first), tail), to = creal(first) < 0 ? norm : -norm;
        const number factor = (to - first) / to;
        for (int64_t i = 1; i < k; i++) v[i] /= first - to;
        v[0] = 1;
        reflect_rows(h + (c + 1) * n, n, n, v, k, conj(factor), sums);
        reflect_columns(h + c + 1, n, n, v, k, factor);
        h[(c + 1) * n + c] = to;
        for (int64_t i = 1; i < k; i++) h[(c + 1 + i) * n + c] = 0;
        if (z) reflect_columns(z + c + 1, n, n, v, k, factor);
    }
}

/* Sets a subdiagonal element that is negligible to 0; the last one of rows .. end, or 0 if there is none. */
static int64_t last_split(number *h, int64_t n, int64_t end)
{
    for (int64_t l = end; l > 0; l--) {
        double size = size_of(h[(l - 1) * n + l - 1]) + size_of(h[l * n + l]);
        if (size == 0) size = DBL_MIN / DBL_EPSILON;
        if (size_of(h[l * n + l - 1]) > DBL_EPSILON * size) continue;
        h[l * n + l - 1] = 0;
        return l;
    }
    return 0;
}

/* ---- complex matrices: single shifts ---- */

/* The rotation that maps (x, y) to (r, 0): r = cosine x + conj(sine) y. */
typedef struct {
    double cosine;
    number sine;
} rotation;

static rotation rotation_of(number x, number y)
{
    const double a = cabs(x), b = cabs(y), length = hypot(a, b);
    if (b == 0) return (rotation){1, 0};
    if (a == 0) return (rotation){0, y / b};
    return (rotation){a / length, y / length * conj(x / a)};
}

/* Rows p and p + 1, columns from .. n */
static void rotate_rows(number *h, int64_t n, int64_t p, int64_t from, rotation r)
{
    number *x = h + p * n, *y = x + n;
    for (int64_t j = from; j < n; j++) {
        const number u = x[j], v = y[j];
        x[j] = r.cosine * u + conj(r.sine) * v;
        y[j] = r.cosine * v - r.sine * u;
    }
}

/* Columns p and p + 1 of rows 0 .. to, by the adjoint */
static void rotate_columns(number *h, int64_t n, int64_t p, int64_t to, rotation r)
{
    for (int64_t i = 0; i <= to; i++) {
        number *x = h + i * n + p, u = x[0], v = x[1];
        x[0] = r.cosine * u + r.sine * v;
        x[1] = r.cosine * v - conj(r.sine) * u;
    }
}

/* Wilkinson's shift: the eigenvalue of the last 2 x 2 block nearest to its last element. */
static number shift_of(const number *h, int64_t n, int64_t end)
{
    const number a = h[(end - 1) * n + end - 1], b = h[(end - 1) * n + end], c = h[end * n + end - 1], d = h[end * n + end];
    const number half = (a - d) / 2, root = csqrt(half * half + b * c);
    const number by = creal(conj(half) * root) < 0 ? half - root : half + root;
    return by == 0 ? d : d - b * c / by;
}

/* Rows first .. end decouple from the others. */
static void single_step(number *h, int64_t n, int64_t first, int64_t end, number *z, number shift)
{
    number x = h[first * n + first] - shift, y = h[(first + 1) * n + first];
    for (int64_t p = first; p < end; p++) {
        const rotation r = rotation_of(x, y);
        rotate_rows(h, n, p, p > first ? p - 1 : p, r);
        rotate_columns(h, n, p, vn__min(p + 2, end), r);
        if (z) rotate_columns(z, n, p, n - 1, r);
        if (p > first) h[(p + 1) * n + p - 1] = 0;
        if (p + 1 == end) break;
        x = h[(p + 1) * n + p];
        y = h[(p + 2) * n + p];
    }
}

/* False: it did not converge. */
static bool schur_complex(number *h, int64_t n, number *z)
{
    int steps = 0;
    for (int64_t end = n - 1; end > 0;) {
        const int64_t first = last_split(h, n, end);
        if (first == end) {
            end--;
            steps = 0;
            continue;
        }
        if (steps++ == STEPS) return false;
        const bool stuck = steps % 10 == 0;
        single_step(h, n, first, end, z, stuck ? h[end * n + end] + .75 * size_of(h[end * n + end - 1]) : shift_of(h, n, end));
    }
    return true;
}

/* ---- real matrices: double shifts. Imaginary parts of h and z are 0. ---- */

/* Standardises the block at p: real eigenvalues decouple. */
static void split_block(number *h, int64_t n, int64_t p, number *z)
{
    const double a = creal(h[p * n + p]), b = creal(h[p * n + p + 1]), c = creal(h[(p + 1) * n + p]), d = creal(h[(p + 1) * n + p + 1]);
    const double half = (a - d) / 2, scale = fmax(fabs(half), fmax(fabs(b), fabs(c)));
    if (c == 0) return;
    const double square = half / scale * half + b / scale * c; /* of half the difference of the eigenvalues, over scale */
    if (square < 0) return;
    const double root = sqrt(square) * sqrt(scale), by = half < 0 ? half - root : half + root;
    /* (a - x, c) with the eigenvalue x = d - b c / by is a multiple of the other one's eigenvector: the first is (by, c) */
    const rotation r = rotation_of(by, c);
    rotate_rows(h, n, p, p, r);
    rotate_columns(h, n, p, p + 1, r);
    if (z) rotate_columns(z, n, p, n - 1, r);
    h[(p + 1) * n + p] = 0;
}

/* One double step with the eigenvalues of the last 2 x 2 block, or exceptional shifts. */
static void double_step(number *h, int64_t n, int64_t first, int64_t end, number *z, bool stuck, number *sums)
{
#define H(i, j) creal(h[(i)*n + (j)])
    double x = H(end, end), y = H(end - 1, end - 1), others = H(end, end - 1) * H(end - 1, end);
    if (stuck) {
        const double size = fabs(H(end, end - 1)) + fabs(H(end - 1, end - 2));
        x = y = x + .75 * size;
        others = -.4375 * size * size;
    }
    const double a = H(first, first), b = H(first, first + 1), c = H(first + 1, first), d = H(first + 1, first + 1);
    double v[3] = {(x - a) * (y - a) - others + b * c, c * (d - a - (x - a) - (y - a)), c * H(first + 2, first + 1)};
    for (int64_t p = first; p < end; p++) {
        const int k = p + 2 <= end ? 3 : 2;
        const int64_t last = vn__min(p + 3, end), from = p > first ? p - 1 : p;
        if (k == 2) v[2] = 0;
        const double tail = hypot(v[1], v[2]);
        if (tail > 0) {
            const double norm = hypot(v[0], tail), to = v[0] < 0 ? norm : -norm, factor = (to - v[0]) / to;
            const number w[3] = {1, v[1] / (v[0] - to), v[2] / (v[0] - to)};
            reflect_rows(h + p * n + from, n, n - from, w, k, factor, sums);
            reflect_columns(h + p, n, last + 1, w, k, factor);
            if (z) reflect_columns(z + p, n, n, w, k, factor);
            for (int i = 1; p > first && i < k; i++) h[(p + i) * n + p - 1] = 0;
        }
        if (p + 1 == end) break;
        for (int i = 0; i < 3; i++) v[i] = p + 1 + i <= end ? H(p + 1 + i, p) : 0;
    }
#undef H
}

static bool schur_real(number *h, int64_t n, number *z, number *sums)
{
    int steps = 0;
    for (int64_t end = n - 1; end > 0;) {
        const int64_t first = last_split(h, n, end);
        if (first + 1 >= end) {
            if (first + 1 == end) split_block(h, n, first, z);
            end = first - 1;
            steps = 0;
            continue;
        }
        if (steps++ == STEPS) return false;
        double_step(h, n, first, end, z, steps % 10 == 0, sums);
    }
    return true;
}

/* The eigenvalues of a quasi-triangular matrix; its 2 x 2 blocks have pairs of conjugates. */
static void values_of_blocks(const number *h, int64_t n, number *values)
{
    for (int64_t p = 0; p < n; p++) {
        values[p] = creal(h[p * n + p]);
        if (p + 1 == n || h[(p + 1) * n + p] == 0) continue;
        const double a = creal(h[p * n + p]), b = creal(h[p * n + p + 1]), c = creal(h[(p + 1) * n + p]), d = creal(h[(p + 1) * n + p + 1]);
        const double half = (a - d) / 2, scale = fmax(fabs(half), fmax(fabs(b), fabs(c)));
        const double root = sqrt(fabs(half / scale * half + b / scale * c)) * sqrt(scale);
        values[p] = CMPLX((a + d) / 2, root);
        values[p + 1] = CMPLX((a + d) / 2, -root);
        p++;
    }
}

/* Complex rotations make the blocks triangular, with the eigenvalues on the diagonal. */
static void triangularise(number *h, int64_t n, number *z, const number *values)
{
    for (int64_t p = 0; p + 1 < n; p++) {
        if (h[(p + 1) * n + p] == 0) continue;
        const rotation r = rotation_of(values[p] - h[(p + 1) * n + p + 1], h[(p + 1) * n + p]);
        rotate_rows(h, n, p, p, r);
        rotate_columns(h, n, p, p + 1, r);
        rotate_columns(z, n, p, n - 1, r);
        h[(p + 1) * n + p] = 0;
        h[p * n + p] = values[p];
        h[(p + 1) * n + p + 1] = values[p + 1];
    }
}

/* ---- eigenvectors ---- */

/* The eigenvector x of the triangle t for element k of its diagonal. Eigenvalues nearer than `least` count as that different. */
static void back_substitute(const number *t, int64_t n, int64_t k, double least, number *x)
{
    x[k] = 1;
    for (int64_t i = k - 1; i >= 0; i--) {
        number sum = 0, difference = t[i * n + i] - t[k * n + k];
        for (int64_t j = i + 1; j <= k; j++) sum += t[i * n + j] * x[j];
        if (cabs(difference) < least) difference = least;
        x[i] = -sum / difference;
        const double size = size_of(x[i]);
        for (int64_t j = i; size > 0x1p300 && j <= k; j++) x[j] /= size; /* before products overflow */
    }
}

/* x of length 1; real, if its eigenvalue and the matrix are: both parts are then eigenvectors, and the larger one is taken. */
static void normalise(number *x, int64_t n, bool real)
{
    double largest = 0, sum = 0;
    number by = 1;
    for (int64_t i = 0; i < n; i++) {
        const double size = fmax(fabs(creal(x[i])), fabs(cimag(x[i])));
        if (size > largest) largest = size, by = x[i];
    }
    if (largest == 0) return;
    for (int64_t i = 0; i < n; i++) {
        x[i] /= largest;
        if (real) x[i] = creal(x[i] * conj(by / largest));
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    }
    sum = sqrt(sum);
    for (int64_t i = 0; i < n; i++) x[i] /= sum;
}

/* The matrix that is computed, and its workspace. */
typedef struct work {
    int64_t n;
    bool real;
    number *h, *z, *x, *sums, *values; /* z: NULL without vectors */
    double *scales;
} work;

/* ---- one matrix ---- */

static number element(const void *x, int64_t i, int32_t dtype)
{
    const float *f = x;
    const double *d = x;
    if (dtype == VN_F32) return (double)f[i];
    if (dtype == VN_F64) return d[i];
    return dtype == VN_C64 ? CMPLX((double)f[2 * i], (double)f[2 * i + 1]) : CMPLX(d[2 * i], d[2 * i + 1]);
}

static void put(void *to, int64_t i, number x, int32_t dtype)
{
    const bool single = dtype == VN_F32 || dtype == VN_C64;
    float *f = to;
    double *d = to;
    for (int k = 0; k < 2; k++) {
        const double part = k ? cimag(x) : creal(x);
        if (single) f[2 * i + k] = (float)part;
        else d[2 * i + k] = part;
    }
}

/* h = x, divided by a power of two so that the largest element is about 1. The power, or NaN if an element is not finite. */
static double load(work *w, const void *x, int32_t dtype)
{
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < w->n * w->n; i++) {
        w->h[i] = element(x, i, dtype);
        const double size = fmax(fabs(creal(w->h[i])), fabs(cimag(w->h[i])));
        if (!isfinite(creal(w->h[i])) || !isfinite(cimag(w->h[i]))) return NAN;
        if (size > largest) largest = size;
    }
    frexp(largest, &exponent);
    for (int64_t i = 0; i < w->n * w->n; i++) w->h[i] = CMPLX(ldexp(creal(w->h[i]), -exponent), ldexp(cimag(w->h[i]), -exponent));
    return exponent;
}

/* The triangle's eigenvector k in x, transformed back. */
static void vector_of(const work *w, int64_t k, double least)
{
    const int64_t n = w->n;
    back_substitute(w->h, n, k, least, w->sums);
    for (int64_t i = 0; i < n; i++) {
        w->x[i] = 0;
        for (int64_t j = 0; j <= k; j++) w->x[i] += w->z[i * n + j] * w->sums[j];
    }
    normalise(w->x, n, false); /* scales may be large */
    for (int64_t i = 0; i < n; i++) w->x[i] *= w->scales[i];
    normalise(w->x, n, w->real && cimag(w->values[k]) == 0);
}

static void put_vectors(const work *w, void *to, int32_t dtype)
{
    const int64_t n = w->n;
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) largest = fmax(largest, size_of(w->h[i * n + j]));
    const double least = fmax(largest * DBL_EPSILON, DBL_MIN / DBL_EPSILON);
    for (int64_t k = 0; k < n; k++) {
        const bool second = w->real && cimag(w->values[k]) < 0; /* the conjugate of the one before */
        if (!second) vector_of(w, k, least);
        for (int64_t i = 0; i < n; i++) put(to, i * n + k, second ? conj(w->x[i]) : w->x[i], dtype);
    }
}

/* out: values and vectors, each NULL if it is not used */
static void decompose(work *w, const void *x, void *values, void *vectors, int32_t dtype)
{
    const int64_t n = w->n;
    const double exponent = load(w, x, dtype);
    bool good = exponent == exponent;
    if (good) {
        balance(w->h, n, w->scales);
        hessenberg(w->h, n, w->z, w->x, w->sums);
        good = w->real ? schur_real(w->h, n, w->z, w->sums) : schur_complex(w->h, n, w->z);
    }
    if (good && w->real) {
        values_of_blocks(w->h, n, w->values);
        if (w->z) triangularise(w->h, n, w->z, w->values);
    }
    for (int64_t i = 0; i < n; i++) {
        number z = CMPLX(NAN, NAN);
        if (good && !w->real) w->values[i] = w->h[i * n + i];
        if (good) z = CMPLX(ldexp(creal(w->values[i]), (int)exponent), ldexp(cimag(w->values[i]), (int)exponent));
        if (values) put(values, i, z, dtype);
    }
    if (vectors && good) put_vectors(w, vectors, dtype);
    for (int64_t i = 0; vectors && !good && i < n * n; i++) put(vectors, i, CMPLX(NAN, NAN), dtype);
}

/* ---- batches ---- */

static void batch_unit(void *context, int64_t unit, int lane)
{
    const vn__whole_job *j = context;
    const plan *p = j->w->plan;
    const int64_t n = p->n, end = vn__min(p->batch, (unit + 1) * p->per_unit);
    const size_t pair = p->dtype == VN_F32 || p->dtype == VN_C64 ? 8 : 16;
    number *room = (number *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
    work w = {.n = n, .real = p->dtype == VN_F32 || p->dtype == VN_F64, .h = room};
    w.x = room + n * n;
    w.sums = w.x + n;
    w.values = w.sums + n;
    w.scales = (double *)(void *)(w.values + n);
    if (j->w->outs[1] >= 0) w.z = w.values + 2 * n; /* scales take half of the second n */
    for (int64_t i = unit * p->per_unit; i < end; i++) {
        char *out[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++)
            if (j->w->outs[k] >= 0) out[k] = (char *)j->run->slots[j->w->outs[k]] + (size_t)(k ? i * n * n : i * n) * pair;
        decompose(&w, (const char *)j->run->slots[j->w->in[0]] + (size_t)i * p->in_bytes, out[0], out[1], p->dtype);
    }
}

static void run_eig(const vn__kernel *kernel, const vn__run *run)
{
    vn__whole_job j = {(const vn__whole *)kernel, run};
    const plan *p = j.w->plan;
    vn__native_parallel(run->lanes, vn__ceil_div(p->batch, p->per_unit), batch_unit, &j);
}

int vn__native_prepare_eig_unordered(vn__graph *g, vn__whole *w)
{
    plan *p = vn__native_whole_keep(g, sizeof *p);
    const vn_desc *x = &w->in_desc[0];
    if (!p) return vn__native_no_memory();
    w->plan = p;
    w->kernel.run = run_eig;
    p->dtype = x->dtype;
    p->per_unit = 1;
    if (x->count == 0) return VN_OK;
    p->n = x->dims[x->rank - 1];
    p->batch = x->count / (p->n * p->n);
    p->in_bytes = (size_t)(p->n * p->n) * vn__native_bytes(x->dtype);
    const double cost = 25 * (double)p->n * (double)p->n * (double)p->n;
    p->per_unit = 1 + (int64_t)(MIN_WORK / (cost + 1));
    w->kernel.parallel = p->batch > 1 && (double)p->batch * cost > PARALLEL;
    w->kernel.lane_bytes = vn__native_round64((size_t)((w->outs[1] >= 0 ? 2 : 1) * p->n * p->n + 5 * p->n) * sizeof(number));
    return VN_OK;
}
