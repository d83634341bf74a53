/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.c: softmax, log_softmax and logsumexp of (outer, length, inner) along length. If inner is 1 they are rows: a thread takes
 * entire rows, or, if there are fewer rows than threads, threads take chunks of a row. Otherwise a thread takes a strip of columns. The
 * order of summation depends only on shapes. */
#include <string.h>

#include "internal.h"

#define THRESHOLDS_SOFTMAX
#include "thresholds.h"

typedef enum kind { SOFTMAX, LOG_SOFTMAX, LOGSUMEXP } kind;

typedef struct softmax {
    kind kind;
    int64_t outer, length, inner, chunks, per_unit;
    int64_t strip, strips, at_once; /* columns of a strip; strips; rows of it that are computed together */
    int32_t dtype;
    size_t element;
    const struct vn__rows_fns *fns;
    const struct vn__reduce_fns *max, *sum;
    vn__step_fn sub, sub_one, mul, mul_one, div, exp, log, add, is_finite; /* _one: y is one element; div: x is */
} softmax;

typedef struct job {
    const softmax *s;
    const char *x;
    char *z, *scratch;
    size_t lane_bytes;
    char *tops, *totals; /* rows shared by threads: of each chunk */
    uint64_t top, total; /* of the row */
} job;

/* ---- results from tops and totals ---- */

/* Turns totals into 1 / total, or log(total), in place. */
static void settle(const softmax *s, char *totals, int64_t n)
{
    static const float one_f32 = 1;
    static const double one_f64 = 1;
    if (s->kind == SOFTMAX) s->div(totals, s->dtype == VN_F64 ? (const void *)&one_f64 : &one_f32, totals, n, NULL, 0);
    else s->log(totals, totals, totals, n, NULL, 0);
}

/* logsumexp of n rows or columns: top + log(total), or the top itself if it is not finite. */
static void add_tops(const softmax *s, char *z, const char *tops, const char *totals, int64_t n)
{
    uint8_t finite[BLOCK];
    s->add(z, totals, tops, n, NULL, 0);
    s->is_finite(finite, tops, tops, n, NULL, 0);
    for (int64_t i = 0; i < n; i++)
        if (!finite[i]) memcpy(z + (size_t)i * s->element, tops + (size_t)i * s->element, s->element);
}

/* ---- rows ---- */

static int64_t chunk_length(const softmax *s, int64_t chunk)
{
    return vn__min(VN_ROW_CHUNK, s->length - chunk * VN_ROW_CHUNK);
}
static size_t chunk_at(const softmax *s, int64_t chunk)
{
    return (size_t)(chunk * VN_ROW_CHUNK) * s->element;
}

static void weigh(const softmax *s, char *z, const char *x, int64_t chunk, const char *top, char *totals)
{
    const size_t at = chunk_at(s, chunk);
    s->fns->weigh(s->kind == SOFTMAX ? z + at : NULL, x + at, chunk_length(s, chunk), top, totals + (size_t)chunk * s->element);
}

static void finish(const softmax *s, char *z, const char *x, int64_t chunk, const char *top, const char *total)
{
    const size_t at = chunk_at(s, chunk);
    const int64_t n = chunk_length(s, chunk);
    if (s->kind == SOFTMAX) {
        s->mul_one(z + at, z + at, total, n, NULL, 0);
    } else {
        s->sub_one(z + at, x + at, top, n, NULL, 0);
        s->sub_one(z + at, z + at, total, n, NULL, 0);
    }
}

/* Combines the totals of the chunks into that of the row. */
static void settle_row(const softmax *s, char *total, const char *totals)
{
    s->sum->rows(total, totals, 1, s->chunks);
    settle(s, total, 1);
}

static void whole_rows(void *context, int64_t number, int lane)
{
    const job *j = context;
    const softmax *s = j->s;
    const size_t row = (size_t)s->length * s->element;
    char *totals = j->scratch + (size_t)lane * j->lane_bytes;
    const int64_t end = vn__min(s->outer, (number + 1) * s->per_unit);
    for (int64_t r = number * s->per_unit; r < end; r++) {
        const char *x = j->x + (size_t)r * row;
        char *z = j->z + (size_t)r * (s->kind == LOGSUMEXP ? s->element : row);
        uint64_t top, total;
        s->max->rows(&top, x, 1, s->length);
        for (int64_t c = 0; c < s->chunks; c++) weigh(s, z, x, c, (char *)&top, totals);
        settle_row(s, (char *)&total, totals);
        if (s->kind == LOGSUMEXP) add_tops(s, z, (char *)&top, (char *)&total, 1);
        else
            for (int64_t c = 0; c < s->chunks; c++) finish(s, z, x, c, (char *)&top, (char *)&total);
    }
}

static void chunk_top(void *context, int64_t chunk, int lane)
{
    const job *j = context;
    (void)lane;
    j->s->max->rows(j->tops + (size_t)chunk * j->s->element, j->x + chunk_at(j->s, chunk), 1, chunk_length(j->s, chunk));
}
static void chunk_weigh(void *context, int64_t chunk, int lane)
{
    const job *j = context;
    (void)lane;
    weigh(j->s, j->z, j->x, chunk, (const char *)&j->top, j->totals);
}
static void chunk_finish(void *context, int64_t chunk, int lane)
{
    const job *j = context;
    (void)lane;
    finish(j->s, j->z, j->x, chunk, (const char *)&j->top, (const char *)&j->total);
}

/* One row at a time, its chunks shared: the same steps as in whole_rows. */
static void shared_rows(job *j, int lanes, char *shared)
{
    const softmax *s = j->s;
    j->tops = shared;
    j->totals = shared + (size_t)s->chunks * s->element;
    for (int64_t r = 0; r < s->outer; r++) {
        vn__native_parallel(lanes, s->chunks, chunk_top, j);
        s->max->rows(&j->top, j->tops, 1, s->chunks);
        vn__native_parallel(lanes, s->chunks, chunk_weigh, j);
        settle_row(s, (char *)&j->total, j->totals);
        if (s->kind == LOGSUMEXP) add_tops(s, j->z, (char *)&j->top, (char *)&j->total, 1);
        else vn__native_parallel(lanes, s->chunks, chunk_finish, j);
        j->x += (size_t)s->length * s->element;
        j->z += (size_t)(s->kind == LOGSUMEXP ? 1 : s->length) * s->element;
    }
}

/* ---- columns ---- */

/* A strip: n columns starting at x and z, and a lane's buffers, each with room for a block. */
typedef struct strip {
    const char *x;
    char *z, *tops, *totals, *sums, *values;
    int64_t n;
} strip;

/* x minus the tops: `rows` rows of the strip, contiguous if there are several. */
static void less_tops(const softmax *s, const strip *p, char *to, const char *x, int64_t rows)
{
    s->sub(to, x, p->tops, rows * p->n, NULL, 0);
}

static void total_of_columns(const softmax *s, const strip *p)
{
    const size_t row = (size_t)s->inner * s->element;
    s->sum->begin(p->totals, p->n);
    for (int64_t first = 0; first < s->length; first += COLUMN_CHUNK) {
        const int64_t end = vn__min(s->length, first + COLUMN_CHUNK);
        s->sum->begin(p->sums, p->n);
        for (int64_t r = first; r < end; r += s->at_once) {
            const int64_t rows = vn__min(s->at_once, end - r);
            char *e = s->kind == SOFTMAX ? p->z + (size_t)r * row : p->values;
            less_tops(s, p, e, p->x + (size_t)r * row, rows);
            s->exp(e, e, e, rows * p->n, NULL, 0);
            s->sum->columns(p->sums, e, rows, p->n);
        }
        s->add(p->totals, p->totals, p->sums, p->n, NULL, 0);
    }
}

/* Repeats the n elements at `row` for all rows that are computed together. */
static void repeat(const softmax *s, char *row, int64_t n)
{
    for (int64_t r = 1; r < s->at_once; r++) memcpy(row + (size_t)(r * n) * s->element, row, (size_t)n * s->element);
}

static void finish_columns(const softmax *s, const strip *p)
{
    const size_t row = (size_t)s->inner * s->element;
    for (int64_t r = 0; r < s->length; r += s->at_once) {
        const int64_t rows = vn__min(s->at_once, s->length - r), n = rows * p->n;
        char *z = p->z + (size_t)r * row;
        if (s->kind == SOFTMAX) {
            s->mul(z, z, p->totals, n, NULL, 0);
        } else {
            less_tops(s, p, z, p->x + (size_t)r * row, rows);
            s->sub(z, z, p->totals, n, NULL, 0);
        }
    }
}

static void strip_of_columns(void *context, int64_t number, int lane)
{
    const job *j = context;
    const softmax *s = j->s;
    const int64_t outer = number / s->strips, first = number % s->strips * s->strip;
    const size_t at = (size_t)(outer * s->length * s->inner + first) * s->element, block = BLOCK * s->element;
    char *memory = j->scratch + (size_t)lane * j->lane_bytes;
    strip p = {.x = j->x + at, .z = j->z + at, .n = vn__min(s->strip, s->inner - first)};
    p.tops = memory, p.totals = memory + block, p.sums = memory + 2 * block, p.values = memory + 3 * block;
    s->max->begin(p.tops, p.n);
    for (int64_t r = 0; r < s->length; r += s->at_once)
        s->max->columns(p.tops, p.x + (size_t)(r * s->inner) * s->element, vn__min(s->at_once, s->length - r), p.n);
    repeat(s, p.tops, p.n);
    total_of_columns(s, &p);
    settle(s, p.totals, p.n);
    if (s->kind == LOGSUMEXP) {
        add_tops(s, j->z + (size_t)(outer * s->inner + first) * s->element, p.tops, p.totals, p.n);
    } else {
        repeat(s, p.totals, p.n);
        finish_columns(s, &p);
    }
}

/* ---- compiling and running ---- */

static void run_softmax(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const softmax *s = w->plan;
    const int lanes = run->lanes;
    job j = {.s = s, .x = run->slots[w->in[0]], .z = run->slots[w->out], .scratch = run->scratch, .lane_bytes = run->lane_bytes};
    if (w->in_desc[0].count == 0) return;
    if (s->inner > 1) vn__native_parallel(lanes, s->outer * s->strips, strip_of_columns, &j);
    else if (s->outer < lanes && s->chunks > 1) shared_rows(&j, lanes, run->shared);
    else vn__native_parallel(lanes, vn__ceil_div(s->outer, s->per_unit), whole_rows, &j);
}

static void find_loops(softmax *s)
{
    s->fns = s->dtype == VN_F64 ? &vn__native_isa->rows->f64 : &vn__native_isa->rows->f32;
    s->max = vn__native_reduction(VN_MAX, s->dtype);
    s->sum = vn__native_reduction(VN_SUM, s->dtype);
    s->sub = vn__native_steps(VN_EW_sub, s->dtype)[VN_VEC_VEC];
    s->sub_one = vn__native_steps(VN_EW_sub, s->dtype)[VN_VEC_SCALAR];
    s->mul = vn__native_steps(VN_EW_mul, s->dtype)[VN_VEC_VEC];
    s->mul_one = vn__native_steps(VN_EW_mul, s->dtype)[VN_VEC_SCALAR];
    s->add = vn__native_steps(VN_EW_add, s->dtype)[VN_VEC_VEC];
    s->div = vn__native_steps(VN_EW_div, s->dtype)[VN_SCALAR_VEC];
    s->exp = vn__native_steps(VN_EW_exp, s->dtype)[VN_VEC_VEC];
    s->log = vn__native_steps(VN_EW_log, s->dtype)[VN_VEC_VEC];
    s->is_finite = vn__native_steps(VN_EW_isfinite, s->dtype)[VN_VEC_VEC];
}

/* Along axes first .. last. */
static int prepare(vn__graph *g, vn__whole *w, kind what, int64_t first, int64_t last)
{
    softmax *s = vn__native_whole_keep(g, sizeof *s);
    if (!s) return vn__native_no_memory();
    const vn_desc *x = &w->in_desc[0];
    s->kind = what;
    s->dtype = x->dtype;
    s->element = vn__native_bytes(x->dtype);
    const vn__shape3 shape = vn__native_shape3(x, first, last);
    s->outer = shape.outer;
    s->length = shape.length;
    s->inner = shape.inner;
    find_loops(s);
    w->plan = s;
    w->in_place = what != LOGSUMEXP;
    w->kernel.run = run_softmax;
    w->kernel.parallel = x->count >= PARALLEL;
    if (x->count == 0) return VN_OK;
    s->chunks = vn__ceil_div(s->length, VN_ROW_CHUNK);
    s->per_unit = 1 + UNIT / s->length;
    const int64_t fitting = STRIP_BYTES / (int64_t)s->element / s->length / MIN_STRIP * MIN_STRIP;
    s->strip = vn__min(s->inner, vn__min(BLOCK, vn__max(fitting, MIN_STRIP)));
    s->strips = vn__ceil_div(s->inner, s->strip);
    s->at_once = s->strips == 1 ? BLOCK / s->inner : 1;
    w->kernel.lane_bytes = s->inner > 1 ? 4 * BLOCK * s->element : (size_t)s->chunks * s->element;
    if (s->inner == 1 && s->chunks > 1) w->kernel.shared_bytes = 2 * (size_t)s->chunks * s->element;
    return VN_OK;
}

enum { AXIS }; /* options */

int vn__native_prepare_softmax(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, SOFTMAX, w->instr->options[AXIS].u.i, w->instr->options[AXIS].u.i);
}
int vn__native_prepare_log_softmax(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, LOG_SOFTMAX, w->instr->options[AXIS].u.i, w->instr->options[AXIS].u.i);
}
/* The core composes empty arrays and axes that are not adjacent. */
enum { AXES };
int vn__native_prepare_logsumexp(vn__graph *g, vn__whole *w)
{
    const vn_option *axes = &w->instr->options[AXES];
    return prepare(g, w, LOGSUMEXP, axes->u.is[0], axes->u.is[axes->n - 1]);
}
