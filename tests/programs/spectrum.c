/* SPDX-License-Identifier: Apache-2.0 */
/* spectrum.c: complex numbers. Values of programs are real; these ops join two of them to complex arrays (real and imaginary parts),
 * compute, and take one part of the result: part 0 is the real one, part 1 the imaginary one (`fft.1 x0 x1`). */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { MAX_WORK = 1 << 24, LARGEST_FACTOR = 31 }; /* VN_FFT_RADIX: lengths with larger ones become convolutions */

typedef struct point {
    long double re, im;
} point;

static bool is_real_pair(const type *x, const type *y)
{
    return !x->weak && !y->weak && (x->dtype == VN_F32 || x->dtype == VN_F64) && x->dtype == y->dtype && same_shape(x, y);
}

/* ---- Fourier transforms ---- */

static int64_t least_factor(int64_t n)
{
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* Multiplications of a transform, and its largest prime factor. */
static double work_of(int64_t n, int64_t *largest)
{
    double work = 0;
    *largest = 1;
    for (int64_t left = n; left > 1;) {
        const int64_t p = least_factor(left);
        work += (double)n * (double)p;
        left /= p;
        *largest = p;
    }
    return work + (double)n;
}

/* z = the transform of n points of x, `apart` from each other, by its smallest factor first; roots: of unity, of order n * unit. */
static void transform(int64_t n, const point *x, int64_t apart, point *z, point *room, const point *roots, int64_t unit)
{
    if (n == 1) {
        *z = *x;
        return;
    }
    const int64_t p = least_factor(n), m = n / p;
    for (int64_t r = 0; r < p; r++) transform(m, x + r * apart, apart * p, room + r * m, z, roots, unit * p);
    for (int64_t q = 0; q < n; q++) {
        point sum = {0, 0};
        for (int64_t r = 0; r < p; r++) {
            const point w = roots[r * q % n * unit], y = room[r * m + q % m];
            sum.re += w.re * y.re - w.im * y.im;
            sum.im += w.re * y.im + w.im * y.re;
        }
        z[q] = sum;
    }
}

typedef struct shape_of_fft {
    int64_t axis, have, n, out; /* length of the input's axis, of the transform, of the result's axis */
    int64_t inner, lines, largest;
    bool inverse, to_real, from_real;
} fft_shape;

static bool shape_of(const program *p, const step *s, fft_shape *f)
{
    const char *name = s->op->name;
    f->from_real = !strcmp(name, "rfft");
    f->to_real = !strcmp(name, "irfft");
    f->inverse = f->to_real || !strcmp(name, "ifft");
    if (s->n_in < 1 || s->n_in > 2 || (f->from_real && s->n_in > 1) || s->part < 0 || s->part > 1 - f->to_real) return false;
    const type *x = operand_type(p, s, 0);
    if (!is_real_pair(x, operand_type(p, s, s->n_in - 1))) return false;
    f->axis = whole_setting(s, "axis", -1);
    if (f->axis < 0) f->axis += x->rank;
    if (x->rank < 1 || f->axis < 0 || f->axis >= x->rank) return false;
    f->have = x->dims[f->axis];
    f->n = whole_setting(s, "n", f->to_real ? 2 * (f->have - 1) : f->have);
    if (f->have < 1 || f->n < 1) return false;
    f->out = f->from_real ? f->n / 2 + 1 : f->n;
    f->inner = 1;
    for (int64_t a = f->axis + 1; a < x->rank; a++) f->inner *= x->dims[a];
    f->lines = x->count / f->have;
    return work_of(f->n, &f->largest) * (double)f->lines <= 4. * MAX_WORK;
}

static bool infer_fft(const program *p, step *s)
{
    fft_shape f;
    if (!shape_of(p, s, &f)) return false;
    s->type = *operand_type(p, s, 0);
    s->type.dims[f.axis] = f.out;
    return true;
}

/* Element k of a line that is as long as the transform. Half a spectrum stands for a symmetric one. */
static point element_of(const fft_shape *f, const num *re, const num *im, int64_t k, double *e)
{
    const bool mirrored = f->to_real && k > f->n / 2;
    const int64_t at = (mirrored ? f->n - k : k) * f->inner;
    if (at >= f->have * f->inner) return (point){0, 0};
    *e += re[at].e + (im ? im[at].e : 0);
    const bool no_im = !im || (f->to_real && (k == 0 || 2 * k == f->n));
    return (point){re[at].v, no_im ? 0 : mirrored ? -im[at].v : im[at].v};
}

/* The error of a transform is near that of its butterflies, one after the other, relative to the length of the line as a vector. */
static double error_of(const machine *m, const fft_shape *f, int dtype)
{
    const double steps = 4 + 3 * log2((double)f->n + 1);
    return precision_of(dtype).unit * steps * (f->largest > LARGEST_FACTOR ? 6 : 1) * (m->native ? 1 : 32);
}

/* Where numbers of one sign cancel, the largest element of the result was rounded before; in the convolutions of frameworks several times. */
static double error_by_largest(const machine *m, const fft_shape *f, int dtype)
{
    return precision_of(dtype).unit * (!m->native && f->largest > LARGEST_FACTOR ? 64 : 4);
}

static void compute_fft(const machine *m, const step *s, num *z)
{
    fft_shape f = {0};
    shape_of(m->p, s, &f);
    const num *re = m->values[s->in[0]], *im = s->n_in > 1 ? m->values[s->in[1]] : NULL;
    point *x = malloc((size_t)(4 * f.n) * sizeof *x), *out = x + f.n, *room = x + 2 * f.n, *roots = x + 3 * f.n;
    const long double turn = (f.inverse ? 2 : -2) * acosl(-1) / (long double)f.n;
    for (int64_t k = 0; x && k < f.n; k++) roots[k] = (point){cosl(turn * (long double)k), sinl(turn * (long double)k)};
    const double scale = f.inverse ? 1 / (double)f.n : 1;
    for (int64_t line = 0; line < f.lines; line++) {
        const int64_t from = line / f.inner * f.have * f.inner + line % f.inner, to = line / f.inner * f.out * f.inner + line % f.inner;
        double e = 0, size = 0;
        for (int64_t k = 0; x && k < f.n; k++) {
            x[k] = element_of(&f, re + from, im ? im + from : NULL, k, &e);
            size += (double)(x[k].re * x[k].re + x[k].im * x[k].im);
        }
        /* a line with a NaN or an infinity has no bound, and long doubles are slow there */
        const bool known = x && isfinite(size);
        if (known) transform(f.n, x, 1, out, room, roots, 1);
        double largest = 0;
        for (int64_t k = 0; known && k < f.n; k++) largest = larger(largest, (double)(fabsl(out[k].re) + fabsl(out[k].im)));
        const double rounding = sqrt(size) * error_of(m, &f, s->type.dtype) + largest * error_by_largest(m, &f, s->type.dtype);
        const double bound = scale * (e + rounding);
        for (int64_t k = 0; k < f.out; k++) {
            const num y = known ? (num){scale * (double)(s->part ? out[k].im : out[k].re), bound} : unknown(0);
            z[to + k * f.inner] = rounded(y, s->type.dtype, 2);
        }
    }
    free(x);
}

static bool choose_fft(generator *g, step *s)
{
    const int x = pick(g, VN_BIT(VN_F32) | VN_BIT(VN_F64), 1, 5);
    if (x < 0) return false;
    const type t = g->p->steps[x].type;
    const int64_t axis = some_axis(g, &t);
    const bool real = !strcmp(s->op->name, "rfft"), to_real = !strcmp(s->op->name, "irfft");
    const int y = real || (!to_real && chance(g, .3)) ? -1 : pick_like(g, x, true);
    if (y < 0) operands(s, 1, x);
    else operands(s, 2, x, y);
    set_whole(s, "axis", chance(g, .2) ? axis - t.rank : axis);
    if (chance(g, .3)) set_whole(s, "n", some_length(g, 2 * t.dims[axis]));
    s->part = to_real ? 0 : (int)below(g, 2);
    return true;
}

/* ---- products ---- */

/* (a + ib) (c + id) of two pairs: a matrix, or several, times a matrix; or element by element. */
static bool infer_product(const program *p, step *s)
{
    if (s->n_in != 4 || s->part < 0 || s->part > 1) return false;
    const type *x = operand_type(p, s, 0), *y = operand_type(p, s, 2);
    if (!is_real_pair(x, operand_type(p, s, 1)) || !is_real_pair(y, operand_type(p, s, 3)) || x->dtype != y->dtype) return false;
    s->type = *x;
    if (!strcmp(s->op->name, "complex_mul")) return same_shape(x, y);
    if (x->rank < 2 || y->rank != 2 || x->dims[x->rank - 1] != y->dims[0] || y->dims[0] < 1) return false;
    s->type.dims[x->rank - 1] = y->dims[1];
    return (double)x->count * (double)y->dims[1] <= MAX_WORK;
}

/* The sum of n products, those of y `apart` from each other. */
static num add_products(const machine *m, const step *s, int64_t x, int64_t y, int64_t n, int64_t apart)
{
    const num *a = m->values[s->in[0]] + x, *b = m->values[s->in[1]] + x, *c = m->values[s->in[2]] + y, *d = m->values[s->in[3]] + y;
    long double sum = 0;
    double e = 0, size = 0;
    for (int64_t k = 0; k < n; k++) {
        const num first = s->part ? d[k * apart] : c[k * apart], second = s->part ? c[k * apart] : d[k * apart];
        sum += (long double)a[k].v * first.v + (s->part ? 1 : -1) * (long double)b[k].v * second.v;
        e += product_error(a[k], first) + product_error(b[k], second);
        size += fabs(a[k].v * first.v) + fabs(b[k].v * second.v);
    }
    const double u = precision_of(s->type.dtype).unit;
    return rounded((num){(double)sum, e + (machine_growth(m, 2 * n) + 4 + (double)(n / 128)) * u * size}, s->type.dtype, 1);
}

static void compute_product(const machine *m, const step *s, num *z)
{
    const type *y = operand_type(m->p, s, 2);
    const bool matrices = !strcmp(s->op->name, "complex_matmul");
    const int64_t n = matrices ? y->dims[0] : 1, cols = matrices ? y->dims[1] : 1;
    for (int64_t i = 0; i < s->type.count; i++)
        z[i] = matrices ? add_products(m, s, i / cols * n, i % cols, n, cols) : add_products(m, s, i, i, 1, 1);
}

static bool choose_product(generator *g, step *s)
{
    const bool matrices = !strcmp(s->op->name, "complex_matmul");
    const int a = pick(g, VN_BIT(VN_F32) | VN_BIT(VN_F64), matrices ? 2 : 0, 5), b = a < 0 ? -1 : pick_like(g, a, true);
    if (b < 0) return false;
    const type x = g->p->steps[a].type;
    int c, d;
    if (matrices) {
        const int64_t k = x.dims[x.rank - 1], most = MAX_WORK / 4 / (x.count > 0 ? x.count : 1);
        if (k < 1 || k > 4000 || most < 1) return false;
        const type y = type_of(x.dtype, 2, (int64_t[]){k, some_length(g, vn__min(most, 600))});
        c = new_input(g, y, NORMAL, 0);
        d = c < 0 ? -1 : new_input(g, y, -1, 0);
    } else {
        c = pick_like(g, a, true);
        d = c < 0 ? -1 : pick_like(g, a, true);
    }
    if (c < 0 || d < 0) return false;
    operands(s, 4, a, b, c, d);
    s->part = (int)below(g, 2);
    return true;
}

/* ---- on the library ---- */

vn_array *record_complex(const step *s, vn_array *const *in)
{
    const char *name = s->op->name;
    const int64_t axis = whole_setting(s, "axis", -1), n = whole_setting(s, "n", 0);
    vn_array *x = s->n_in > 1 ? vn_complex(in[0], in[1]) : in[0], *z;
    if (!strcmp(name, "fft")) z = vn_fft(x, axis, VN_OPTS(fft, .n = n));
    else if (!strcmp(name, "ifft")) z = vn_ifft(x, axis, VN_OPTS(ifft, .n = n));
    else if (!strcmp(name, "rfft")) z = vn_rfft(x, axis, VN_OPTS(rfft, .n = n));
    else if (!strcmp(name, "irfft")) return vn_irfft(x, axis, VN_OPTS(irfft, .n = n));
    else if (!strcmp(name, "complex_mul")) z = vn_mul(x, vn_complex(in[2], in[3]));
    else z = vn_matmul(x, vn_complex(in[2], in[3]));
    return s->part ? vn_imag(z) : vn_real(z);
}

const op spectrum_ops[] = {
    {"fft", infer_fft, compute_fft, choose_fft, 4, SMOOTH | COMPLEX, NULL},
    {"ifft", infer_fft, compute_fft, choose_fft, 2, SMOOTH | COMPLEX, NULL},
    {"rfft", infer_fft, compute_fft, choose_fft, 3, SMOOTH | COMPLEX, NULL},
    {"irfft", infer_fft, compute_fft, choose_fft, 2, SMOOTH | COMPLEX, NULL},
    {"complex_matmul", infer_product, compute_product, choose_product, 3, SMOOTH | PRODUCTS | COMPLEX, NULL},
    {"complex_mul", infer_product, compute_product, choose_product, 2, SMOOTH | COMPLEX, NULL},
    {0},
};
