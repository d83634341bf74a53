/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: Fourier transforms of every length in O(n log n): planning them, and running the plans on threads.
 *
 * A line is transformed by passes of small radices if its length has only small prime factors (DIRECT), as a matrix if it is also long
 * (SPLIT: transforms of the columns, a factor for each element, transforms of the rows), and otherwise as a convolution with a chirp
 * (CHIRP, Bluestein's algorithm), which takes two transforms of a length at least twice as large. Several lines, or columns, go through a
 * transform side by side (isa/fft.c), so vectors are full whatever the length. How a line is computed depends on its length only.
 *
 * Real numbers of an even length are transformed as half as many complex ones; those of an odd length as complex ones. */
#include <math.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_FFT
#include "thresholds.h"

enum { MAX_PASSES = 64 };

/* ---- plans ---- */

/* Passes over planes of n elements. */
typedef struct passes {
    int64_t n;
    int count;
    int64_t radix[MAX_PASSES];
    void *w[MAX_PASSES]; /* roots of unity */
    void *small;         /* those of the order of each radix that has no loop of its own, one after another */
} passes;

typedef struct transform {
    enum { DIRECTLY, SPLIT, CHIRP } way;
    int64_t n;
    passes a, b;             /* DIRECTLY: a. SPLIT: a for columns of a.n elements, b for rows of b.n */
    double *coarse, *fine;   /* SPLIT: factors between them */
    struct transform *inner; /* CHIRP: of the convolution */
    void *chirp, *spectrum;  /* CHIRP: n elements; the transform of their conjugates */
} transform;

/* Lines of numbers, `step` numbers apart. Groups, blocks of lines and lines are bytes apart; `data` is where block `first` begins. */
typedef struct lines {
    char *data;
    int64_t group, block, line, step;
} lines;

struct job;
typedef struct fft {
    const struct vn__fft_fns *fns;
    transform t;
    size_t item;                         /* bytes of a complex number */
    int64_t most_lanes;                  /* lines side by side */
    int64_t width, per_group, per_block; /* lines of a group; its blocks, and their lines */
    int64_t blocks, per_round;           /* all; those that go through all steps together */
    int64_t work;                        /* complex numbers of workspace for each line */
    void *roots;                         /* real numbers of an even length: of that order */
    bool inverse;
    double scale;
    lines from, to;
    void (*steps)(const struct job *j, lines from, lines to);
} fft;

/* A round: blocks first ... end - 1. */
typedef struct job {
    const fft *p;
    const vn__run *run;
    int lanes;
    int64_t first, end;
} job;

/* ---- roots of unity ---- */

/* e^(-2 pi i k / n) for 0 <= k < n, from an angle of at most pi / 4: right to the last bit or nearly so. */
static void root_of(uint64_t k, uint64_t n, double *re, double *im)
{
    const double turn = 6.28318530717958647692528676655900577;
    const uint64_t eighth = 8 * k / n;
    const uint64_t from = (eighth + 1) / 2; /* the nearest multiple of a quarter */
    const double angle = turn * ((double)(int64_t)(4 * k - from * n) / (4 * (double)n));
    const double c = cos(angle), s = sin(angle);
    switch (from % 4) {
    case 0: *re = c, *im = -s; break;
    case 1: *re = -s, *im = -c; break;
    case 2: *re = -c, *im = s; break;
    default: *re = s, *im = c; break;
    }
}

static void put(const fft *p, void *to, int64_t at, double re, double im)
{
    if (p->item == sizeof(double) * 2) ((double *)to)[2 * at] = re, ((double *)to)[2 * at + 1] = im;
    else ((float *)to)[2 * at] = (float)re, ((float *)to)[2 * at + 1] = (float)im;
}

static void put_root(const fft *p, void *to, int64_t at, int64_t k, int64_t n)
{
    double re, im;
    root_of((uint64_t)k % (uint64_t)n, (uint64_t)n, &re, &im);
    put(p, to, at, re, im);
}

/* A table of count roots of order n, the first ones. */
static void *roots_of(vn__graph *g, const fft *p, int64_t n, int64_t count)
{
    void *table = vn__native_whole_keep(g, (size_t)count * p->item);
    for (int64_t k = 0; table && k < count; k++) put_root(p, table, k, k, n);
    return table;
}

/* ---- planning ---- */

static bool has_own_loop(int64_t radix)
{
    return radix <= 5;
}

/* Splits n into radices: fours, at most one two, then odd primes. Returns what is left, 1 unless n has a prime factor above the largest
 * radix. */
static int64_t factor(int64_t n, int64_t *radix, int *count)
{
    *count = 0;
    for (; n % 4 == 0; n /= 4) radix[(*count)++] = 4;
    for (int64_t r = 2; r <= VN_FFT_RADIX && n > 1; r++)
        for (; n % r == 0; n /= r) radix[(*count)++] = r;
    return n;
}

static int plan_passes(vn__graph *g, const fft *p, passes *a)
{
    int64_t small = 0, m = 1;
    a->n = 1;
    for (int k = 0; k < a->count; k++) {
        a->n *= a->radix[k];
        if (!has_own_loop(a->radix[k])) small += a->radix[k];
    }
    m = a->n;
    a->small = vn__native_whole_keep(g, (size_t)(small + 1) * p->item);
    if (!a->small) return vn__native_no_memory();
    small = 0;
    for (int k = 0; k < a->count; k++) {
        const int64_t r = a->radix[k], order = m;
        m /= r;
        if (!(a->w[k] = vn__native_whole_keep(g, (size_t)(m * (r - 1)) * p->item))) return vn__native_no_memory();
        for (int64_t at = 0; at < m * (r - 1); at++) put_root(p, a->w[k], at, at / (r - 1) * (at % (r - 1) + 1), order);
        for (int64_t j = 0; j < r && !has_own_loop(r); j++) put_root(p, a->small, small++, j, r);
    }
    return VN_OK;
}

/* Rows and columns of nearly the same length. */
static int plan_split(vn__graph *g, const fft *p, transform *t, const int64_t *radix, int count)
{
    int64_t rows = 1;
    for (int k = 0; k < count; k++) {
        passes *to = rows * rows < t->n ? &t->a : &t->b;
        if (to == &t->a) rows *= radix[k];
        to->radix[to->count++] = radix[k];
    }
    int code = plan_passes(g, p, &t->a);
    if (!code) code = plan_passes(g, p, &t->b);
    if (code) return code;
    const int64_t n = t->n, a = t->a.n, most = p->most_lanes, parts = vn__ceil_div(t->b.n, most);
    t->coarse = vn__native_whole_keep(g, (size_t)(parts * a) * 2 * sizeof(double));
    t->fine = vn__native_whole_keep(g, (size_t)(a * VN_FFT_LANES) * 2 * sizeof(double));
    if (!t->coarse || !t->fine) return vn__native_no_memory();
    for (int64_t k = 0; k < a; k++) {
        double *fine = t->fine + 2 * k * VN_FFT_LANES;
        for (int64_t part = 0; part < parts; part++) {
            double *to = t->coarse + 2 * (part * a + k);
            root_of((uint64_t)(k * part * most % n), (uint64_t)n, to, to + 1);
        }
        for (int64_t l = 0; l < most; l++) root_of((uint64_t)(k * l % n), (uint64_t)n, fine + l, fine + VN_FFT_LANES + l);
    }
    t->way = SPLIT;
    return VN_OK;
}

static int plan_chirp(vn__graph *g, const fft *p, transform *t);

static int plan(vn__graph *g, const fft *p, transform *t)
{
    int64_t radix[MAX_PASSES];
    int count;
    if (factor(t->n, radix, &count) > 1) return plan_chirp(g, p, t);
    if (t->n > DIRECT) return plan_split(g, p, t, radix, count);
    memcpy(t->a.radix, radix, sizeof radix);
    t->a.count = count;
    return plan_passes(g, p, &t->a);
}

/* The smallest product of 2, 3 and 5 that is at least n. */
static int64_t round_length(int64_t n)
{
    int64_t best = INT64_MAX;
    for (int64_t five = 1; five < 5 * n; five *= 5) {
        for (int64_t three = five; three < 3 * n; three *= 3) {
            int64_t all = three;
            while (all < n) all *= 2;
            if (all < best) best = all;
        }
    }
    return best;
}

/* Complex numbers of workspace for a line. */
static int64_t work_of(const transform *t)
{
    return t->way == DIRECTLY ? 0 : t->way == SPLIT ? t->n : t->inner->n + work_of(t->inner);
}

/* The longest line that goes through passes. */
static int64_t longest(const transform *t)
{
    return t->way == CHIRP ? longest(t->inner) : vn__max(t->a.n, t->b.n);
}

static size_t plane_bytes(const fft *p, const transform *t)
{
    return vn__native_round64((size_t)(longest(t) * p->most_lanes) * p->item / 2);
}

/* ---- running ---- */

/* One step of a round, shared between threads. */
typedef struct step {
    const job *j;
    const transform *t;
    lines from, to, work;
    bool inverse;
    double scale;
    void (*one)(const struct step *s, const char *from, char *to, char *work); /* of one line */
} step;

static int64_t lines_of(const fft *p, int64_t block)
{
    return vn__min(p->per_block, p->width - block % p->per_group * p->per_block);
}

static char *line_at(const job *j, const lines *l, int64_t block, int64_t line)
{
    const int64_t per = j->p->per_group, groups = block / per - j->first / per, blocks = block % per - j->first % per;
    return l->data + groups * l->group + blocks * l->block + line * l->line;
}

/* The part of the workspace from `offset` on in that of each line. */
static lines work_at(const job *j, int64_t offset)
{
    const fft *p = j->p;
    const int64_t line = p->work * (int64_t)p->item, block = p->per_block * line;
    return (lines){j->run->shared + offset * (int64_t)p->item, p->per_group * block, block, line, 1};
}

/* Two pairs of planes for a thread. */
static void planes_of(const step *s, int lane, void *planes[2][2])
{
    const size_t bytes = plane_bytes(s->j->p, s->t);
    for (size_t k = 0; k < 4; k++) planes[k / 2][k % 2] = s->j->run->scratch + (size_t)lane * s->j->run->lane_bytes + k * bytes;
}

/* All passes, from planes[0]; returns where the result is. */
static void **run_passes(const fft *p, const passes *a, void *planes[2][2], int64_t lanes)
{
    int64_t m = a->n, s = lanes;
    const char *small = a->small;
    for (int k = 0; k < a->count; k++) {
        const int64_t r = a->radix[k];
        m /= r;
        p->fns->pass(planes[(k + 1) % 2], planes[k % 2], a->w[k], small, r, m, s);
        s *= r;
        if (!has_own_loop(r)) small += (size_t)r * p->item;
    }
    return planes[a->count % 2];
}

/* The planes to load into, or to store from: an inverse transform is one with real and imaginary parts exchanged before and after. */
#define EXCHANGED(planes, inverse) ((void *const[]){(planes)[inverse], (planes)[!(inverse)]})

static void direct_unit(void *context, int64_t unit, int lane)
{
    const step *s = context;
    const fft *p = s->j->p;
    const int64_t block = s->j->first + unit, lanes = lines_of(p, block), item = (int64_t)p->item, n = s->t->n;
    void *planes[2][2];
    planes_of(s, lane, planes);
    p->fns->load(EXCHANGED(planes[0], s->inverse), line_at(s->j, &s->from, block, 0), n, s->from.step, lanes, s->from.line / item);
    void **made = run_passes(p, &s->t->a, planes, lanes);
    p->fns->store(line_at(s->j, &s->to, block, 0), n, s->to.step, lanes, s->to.line / item, EXCHANGED(made, s->inverse), s->scale);
}

/* Some columns of a line, which is a matrix of a.n rows of b.n elements. */
static void columns_unit(void *context, int64_t unit, int lane)
{
    const step *s = context;
    const fft *p = s->j->p;
    const int64_t a = s->t->a.n, b = s->t->b.n, parts = vn__ceil_div(b, p->most_lanes), part = unit % parts;
    const int64_t block = s->j->first + unit / parts, at = part * p->most_lanes, lanes = vn__min(p->most_lanes, b - at);
    const char *from = line_at(s->j, &s->from, block, 0) + at * s->from.step * (int64_t)p->item;
    void *planes[2][2];
    planes_of(s, lane, planes);
    p->fns->load(EXCHANGED(planes[0], s->inverse), from, a, b * s->from.step, lanes, s->from.step);
    void **made = run_passes(p, &s->t->a, planes, lanes);
    p->fns->twist(made, s->t->coarse + 2 * part * a, s->t->fine, a, lanes);
    p->fns->store(line_at(s->j, &s->work, block, 0) + at * (int64_t)p->item, a, b, lanes, 1, made, 1);
}

/* Some of its rows. Element k of row j is number j + a.n k of the result. */
static void rows_unit(void *context, int64_t unit, int lane)
{
    const step *s = context;
    const fft *p = s->j->p;
    const int64_t a = s->t->a.n, b = s->t->b.n, parts = vn__ceil_div(a, p->most_lanes), item = (int64_t)p->item;
    const int64_t block = s->j->first + unit / parts, at = unit % parts * p->most_lanes, lanes = vn__min(p->most_lanes, a - at);
    void *planes[2][2];
    planes_of(s, lane, planes);
    p->fns->load(planes[0], line_at(s->j, &s->work, block, 0) + at * b * item, b, 1, lanes, b);
    void **made = run_passes(p, &s->t->b, planes, lanes);
    p->fns->store(line_at(s->j, &s->to, block, 0) + at * s->to.step * item, b, a * s->to.step, lanes, s->to.step,
                  EXCHANGED(made, s->inverse), s->scale);
}

static void lines_unit(void *context, int64_t unit, int lane)
{
    const step *s = context;
    const job *j = s->j;
    const int64_t block = j->first + unit;
    (void)lane;
    for (int64_t l = 0; l < lines_of(j->p, block); l++)
        s->one(s, line_at(j, &s->from, block, l), line_at(j, &s->to, block, l), line_at(j, &s->work, block, l));
}

static void each_line(step s, void (*one)(const step *s, const char *from, char *to, char *work))
{
    s.one = one;
    vn__native_parallel(s.j->lanes, s.j->end - s.j->first, lines_unit, &s);
}

/* x times the chirp, padded with zeros. */
static void chirp_in(const step *s, const char *from, char *to, char *work)
{
    const fft *p = s->j->p;
    const int64_t n = s->t->n;
    (void)to;
    p->fns->times(work, 1, from, s->from.step, s->t->chirp, n, s->inverse ? -1 : 1, 1, 1);
    memset(work + (size_t)n * p->item, 0, (size_t)(s->t->inner->n - n) * p->item);
}

/* The conjugate of the product of both spectra: transformed again, it becomes the conjugate of the convolution. */
static void chirp_middle(const step *s, const char *from, char *to, char *work)
{
    const int64_t n = s->t->inner->n;
    (void)from, (void)to;
    s->j->p->fns->times(work, 1, work, 1, s->t->spectrum, n, 1, -1, 1 / (double)n);
}

static void chirp_out(const step *s, const char *from, char *to, char *work)
{
    (void)from;
    s->j->p->fns->times(to, s->to.step, work, 1, s->t->chirp, s->t->n, -1, s->inverse ? -1 : 1, s->scale);
}

/* Transforms the lines of a round; `to` may be `from`. The workspace of a line is free from `offset` on. */
static void run_transform(const job *j, const transform *t, lines from, lines to, bool inverse, double scale, int64_t offset)
{
    step s = {j, t, from, to, work_at(j, offset), inverse, scale, NULL};
    const int64_t blocks = j->end - j->first, most = j->p->most_lanes;
    if (t->way == DIRECTLY) {
        vn__native_parallel(j->lanes, blocks, direct_unit, &s);
    } else if (t->way == SPLIT) { /* blocks have one line */
        vn__native_parallel(j->lanes, blocks * vn__ceil_div(t->b.n, most), columns_unit, &s);
        vn__native_parallel(j->lanes, blocks * vn__ceil_div(t->a.n, most), rows_unit, &s);
    } else {
        each_line(s, chirp_in);
        run_transform(j, t->inner, s.work, s.work, false, 1, offset + t->inner->n);
        each_line(s, chirp_middle);
        run_transform(j, t->inner, s.work, s.work, false, 1, offset + t->inner->n);
        each_line(s, chirp_out);
    }
}

/* ---- convolutions with a chirp: planning one runs a transform ---- */

/* One thread transforms one line in place. */
static int transform_once(vn__graph *g, const fft *p, const transform *t, void *line)
{
    fft one = *p;
    one.width = one.per_group = one.per_block = one.blocks = 1;
    one.work = work_of(t);
    vn__run run = {.shared = vn__native_arena_get(&g->scratch, (size_t)(one.work + 1) * p->item),
                   .scratch = vn__native_arena_get(&g->scratch, 4 * plane_bytes(p, t))};
    if (!run.shared || !run.scratch) return vn__native_no_memory();
    const job j = {&one, &run, 1, 0, 1};
    const lines at = {line, 0, 0, (int64_t)p->item, 1};
    run_transform(&j, t, at, at, false, 1, 0);
    return VN_OK;
}

/* chirp[k] = e^(-pi i k^2 / n) */
static int plan_chirp(vn__graph *g, const fft *p, transform *t)
{
    t->way = CHIRP;
    t->inner = vn__native_whole_keep(g, sizeof *t->inner);
    if (!t->inner) return vn__native_no_memory();
    const int64_t n = t->n, m = t->inner->n = round_length(2 * n - 1);
    const int code = plan(g, p, t->inner);
    if (code) return code;
    t->chirp = vn__native_whole_keep(g, (size_t)n * p->item);
    t->spectrum = vn__native_whole_keep(g, (size_t)m * p->item);
    if (!t->chirp || !t->spectrum) return vn__native_no_memory();
    for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
        double re, im;
        root_of((uint64_t)square, (uint64_t)(2 * n), &re, &im);
        put(p, t->chirp, k, re, im);
        put(p, t->spectrum, k, re, -im);
        if (k) put(p, t->spectrum, m - k, re, -im);
    }
    return transform_once(g, p, t->inner, t->spectrum);
}

/* ---- complex numbers; real ones of even and odd length, forwards and back ---- */

static void complex_steps(const job *j, lines from, lines to)
{
    run_transform(j, &j->p->t, from, to, j->p->inverse, j->p->scale, 0);
}

static void join_halves(const step *s, const char *from, char *to, char *work)
{
    (void)from, (void)work;
    s->j->p->fns->halves(to, s->j->p->roots, s->t->n);
}

static void even_forward(const job *j, lines from, lines to)
{
    run_transform(j, &j->p->t, from, to, false, j->p->scale, 0);
    each_line((step){.j = j, .t = &j->p->t, .from = from, .to = to, .work = work_at(j, 0)}, join_halves);
}

static void split_halves(const step *s, const char *from, char *to, char *work)
{
    (void)work;
    s->j->p->fns->whole(to, from, s->j->p->roots, s->t->n);
}

static void even_back(const job *j, lines from, lines to)
{
    each_line((step){.j = j, .t = &j->p->t, .from = from, .to = to, .work = work_at(j, 0)}, split_halves);
    run_transform(j, &j->p->t, to, to, true, j->p->scale, 0);
}

static void widen(const step *s, const char *from, char *to, char *work)
{
    (void)to;
    memset(work, 0, (size_t)s->t->n * s->j->p->item);
    s->j->p->fns->widen(work, 2, from, 1, s->t->n);
}

static void keep_half(const step *s, const char *from, char *to, char *work)
{
    (void)from;
    memcpy(to, work, (size_t)(s->t->n / 2 + 1) * s->j->p->item);
}

static void odd_forward(const job *j, lines from, lines to)
{
    const step s = {.j = j, .t = &j->p->t, .from = from, .to = to, .work = work_at(j, 0)};
    each_line(s, widen);
    run_transform(j, s.t, s.work, s.work, false, j->p->scale, s.t->n);
    each_line(s, keep_half);
}

static void mirror(const step *s, const char *from, char *to, char *work)
{
    (void)to;
    s->j->p->fns->mirror(work, from, s->t->n);
}

static void keep_real(const step *s, const char *from, char *to, char *work)
{
    (void)from;
    s->j->p->fns->widen(to, 1, work, 2, s->t->n);
}

static void odd_back(const job *j, lines from, lines to)
{
    const step s = {.j = j, .t = &j->p->t, .from = from, .to = to, .work = work_at(j, 0)};
    each_line(s, mirror);
    run_transform(j, s.t, s.work, s.work, true, j->p->scale, s.t->n);
    each_line(s, keep_real);
}

/* ---- kernels ---- */

static void run_fft(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const fft *p = w->plan;
    for (int64_t first = 0; first < p->blocks; first += p->per_round) {
        const job j = {p, run, run->lanes, first, vn__min(p->blocks, first + p->per_round)};
        const int64_t group = first / p->per_group, block = first % p->per_group;
        lines from = p->from, to = p->to;
        from.data = run->slots[w->in[0]] + group * from.group + block * from.block;
        to.data = run->slots[w->out] + group * to.group + block * to.block;
        p->steps(&j, from, to);
    }
}

/* An array (groups, elements, inner) as lines along its middle axis: those of a group if `inner` is above 1, else all of them. */
static lines lines_in(const fft *p, const vn_desc *x, int32_t axis, int64_t inner)
{
    const int64_t bytes = (int64_t)vn__native_bytes(x->dtype), row = x->dims[axis] * bytes, line = inner > 1 ? bytes : row;
    return (lines){NULL, row * inner, p->per_block * line, line, inner};
}

/* How the array's lines are shared out, in blocks and rounds. */
static void share(vn__whole *w, int32_t axis, int64_t extra)
{
    fft *p = w->plan;
    const vn_desc *x = &w->in_desc[0];
    const vn__shape3 shape = vn__native_shape3(x, axis, axis);
    const int64_t inner = shape.inner, outer = shape.outer;
    p->width = inner > 1 ? inner : outer;
    p->work = extra + work_of(&p->t);
    const transform *leaf = p->t.way == CHIRP ? p->t.inner : &p->t;
    p->per_block = leaf->way == SPLIT ? 1 : vn__min(p->most_lanes, p->width);
    p->per_group = vn__ceil_div(p->width, p->per_block);
    p->blocks = p->per_group * (inner > 1 ? outer : 1);
    const int64_t block = p->per_block * p->work * (int64_t)p->item;
    p->per_round = block ? vn__min(p->blocks, vn__max(1, ROUND / block)) : p->blocks;
    p->from = lines_in(p, x, axis, inner);
    p->to = lines_in(p, &w->out_desc, axis, inner);
    w->kernel.lane_bytes = 4 * plane_bytes(p, &p->t);
    w->kernel.shared_bytes = (size_t)(p->per_round * block + 1); /* there is always an address */
    w->kernel.parallel = vn__max(x->count, w->out_desc.count) >= PARALLEL;
}

/* Prepares the transform of `complex` numbers along an axis, with `extra` ones of workspace for each line; the result is divided as `norm`
 * says for a length of n. */
static int prepare(vn__graph *g, vn__whole *w, int32_t axis, int64_t complex, int64_t extra, int64_t norm, int64_t n)
{
    fft *p = w->plan;
    const int32_t dtype = w->in_desc[0].dtype;
    const bool wide = dtype == VN_F64 || dtype == VN_C128;
    p->fns = wide ? &vn__native_isa->fft->f64 : &vn__native_isa->fft->f32;
    p->item = vn__native_bytes(wide ? VN_C128 : VN_C64);
    p->most_lanes = wide ? VN_FFT_LANES / 2 : VN_FFT_LANES;
    p->scale = norm == 0 ? 1 : norm == 1 ? 1 / sqrt((double)n) : 1 / (double)n;
    p->t.n = complex;
    const int code = plan(g, p, &p->t);
    if (!code) share(w, axis, extra);
    return code;
}

static fft *begin(vn__graph *g, vn__whole *w)
{
    w->kernel.run = run_fft;
    return w->plan = vn__native_whole_keep(g, sizeof(fft));
}

enum { NORM, AXIS, INVERSE, N = AXIS }; /* options */

int vn__native_prepare_dft(vn__graph *g, vn__whole *w)
{
    const vn_option *o = w->instr->options;
    fft *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    if (w->out_desc.count == 0) return VN_OK;
    const int32_t axis = (int32_t)o[AXIS].u.i;
    p->inverse = o[INVERSE].u.i != 0;
    p->steps = complex_steps;
    return prepare(g, w, axis, w->out_desc.dims[axis], 0, o[NORM].u.i, w->out_desc.dims[axis]);
}

/* The last axis, of n real numbers on one side. */
static int prepare_real(vn__graph *g, vn__whole *w, int64_t n, int64_t norm, bool back)
{
    const int32_t axis = w->out_desc.rank - 1;
    const bool even = n % 2 == 0;
    fft *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    if (w->out_desc.count == 0) return VN_OK;
    p->steps = back ? (even ? even_back : odd_back) : even ? even_forward : odd_forward;
    const int code = prepare(g, w, axis, even ? n / 2 : n, even ? 0 : n, norm, n);
    if (code || !even) return code;
    p->roots = roots_of(g, p, n, n / 2 + 1);
    return p->roots ? VN_OK : vn__native_no_memory();
}

int vn__native_prepare_rdft(vn__graph *g, vn__whole *w)
{
    return prepare_real(g, w, w->in_desc[0].dims[w->in_desc[0].rank - 1], w->instr->options[NORM].u.i, false);
}

int vn__native_prepare_irdft(vn__graph *g, vn__whole *w)
{
    return prepare_real(g, w, w->instr->options[N].u.i, w->instr->options[NORM].u.i, true);
}
