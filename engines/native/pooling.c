/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.c: pooling and its backward pass. window.c determines the rows of channels in a window, isa/pooling.c has the loops. */
#include <string.h>

#include "window.h"

#define THRESHOLDS_POOLING
#include "thresholds.h"

typedef struct plan {
    vn__window window;
    int32_t dtype, x, out, index; /* storages; -1 for an unused result of max_pool */
    int64_t element, channels, row_bytes, block, blocks;
    bool back; /* from windows to x */
    int64_t phases;
    size_t rows_bytes;
    const struct vn__pool_fns *fns;
} plan;

typedef struct job {
    const plan *p;
    const vn__run *run;
} job;

/* A thread's memory; pointers to the rows of x follow, and for positions of maxima the rows' numbers. */
typedef struct scratch {
    vn__places places;
    void *to[VN_WINDOW_POSITIONS]; /* NULL: not used */
} scratch;

static scratch *scratch_of(const job *j, int lane)
{
    return (scratch *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
}
static const void **rows_of(scratch *s)
{
    return (const void **)(void *)((char *)s + vn__native_round64(sizeof *s));
}
static int32_t *numbers_of(const job *j, scratch *s)
{
    return (int32_t *)(void *)((char *)rows_of(s) + j->p->rows_bytes);
}

/* The rows of all taps of a pass for these positions; NULL outside x. */
static void look_up(const job *j, const vn__pass *pass, scratch *s)
{
    const plan *p = j->p;
    for (int64_t t = 0; t < pass->taps; t++)
        vn__native_window_rows(pass, &p->window, &s->places, t, p->row_bytes, j->run->slots[p->x], NULL, rows_of(s) + t * p->block);
}

/* Looks up positions from `first` on, if any, and their result rows. */
static bool place(const job *j, const vn__pass *pass, scratch *s, int64_t first)
{
    const plan *p = j->p;
    const int64_t n = vn__min(p->block, pass->positions - first);
    if (n <= 0) return false;
    vn__native_places(pass, first, n, p->row_bytes, &s->places);
    char *out = p->out < 0 ? NULL : j->run->slots[p->out];
    for (int64_t i = 0; i < n; i++) s->to[i] = out ? out + s->places.to[i] * p->row_bytes : NULL;
    return true;
}

/* For each pointer to a row of x its number within its image. Multiplies by the inverse instead of dividing: the quotient is an
 * integer, so rounding gives it exactly. */
static void number_rows(const job *j, const vn__pass *pass, scratch *s)
{
    const plan *p = j->p;
    const void **rows = rows_of(s);
    const char *x = j->run->slots[p->x];
    const double by = 1 / (double)p->row_bytes;
    int32_t *numbers = numbers_of(j, s);
    int64_t first[VN_WINDOW_POSITIONS];
    const int64_t out_rows = p->window.out_rows / p->window.batch, in_rows = p->window.in_rows / p->window.batch;
    for (int64_t i = 0; i < s->places.n; i++) first[i] = s->places.to[i] / out_rows * in_rows;
    for (int64_t t = 0; t < pass->taps; t++)
        for (int64_t i = 0; i < s->places.n; i++) {
            const int64_t at = t * p->block + i;
            if (rows[at]) numbers[at] = (int32_t)((int64_t)((double)((const char *)rows[at] - x) * by + 0.5) - first[i]);
        }
}

static void max_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    scratch *s = scratch_of(j, lane);
    vn__pass pass;
    vn__native_pass_forward(&p->window, &pass);
    if (!place(j, &pass, s, unit * p->block)) return;
    look_up(j, &pass, s);
    if (p->index >= 0) {
        number_rows(j, &pass, s);
        p->fns->first_max(s->to, (int64_t *)(void *)j->run->slots[p->index], s->places.to, rows_of(s), numbers_of(j, s), p->block,
                          pass.taps, s->places.n, p->channels);
    } else p->fns->max(s->to, rows_of(s), p->block, pass.taps, s->places.n, p->channels);
}

static void sum_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    scratch *s = scratch_of(j, lane);
    vn__pass pass;
    if (p->back) vn__native_pass_backward(&p->window, unit / p->blocks, &pass);
    else vn__native_pass_forward(&p->window, &pass);
    if (!place(j, &pass, s, unit % p->blocks * p->block)) return;
    look_up(j, &pass, s);
    p->fns->sum(s->to, rows_of(s), p->block, pass.taps, s->places.n, p->channels);
}

static void run_units(const vn__kernel *kernel, const vn__run *run, int64_t n, vn__task task)
{
    job j = {((const vn__whole *)kernel)->plan, run};
    vn__native_parallel(run->lanes, n, task, &j);
}

#define PLAN ((const plan *)((const vn__whole *)kernel)->plan)
static void run_max(const vn__kernel *kernel, const vn__run *run)
{
    run_units(kernel, run, PLAN->blocks, max_unit);
}
static void run_sum(const vn__kernel *kernel, const vn__run *run)
{
    run_units(kernel, run, PLAN->phases * PLAN->blocks, sum_unit);
}
static void run_nothing(const vn__kernel *kernel, const vn__run *run)
{
    (void)kernel, (void)run;
}

/* x and pooled: the shapes of input and output. `run` is for non-empty results. */
static int prepare(vn__graph *g, vn__whole *w, const vn_desc *x, const vn_desc *pooled, bool back,
                   void (*run)(const vn__kernel *, const vn__run *))
{
    plan *p = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    w->plan = p;
    w->kernel.run = run_nothing;
    if (w->out_desc.count == 0) return VN_OK;
    vn__native_window(&p->window, x, pooled, w->instr->options[WINDOW].u.is, w->instr->options);
    p->dtype = w->out_desc.dtype;
    p->x = w->in[0];
    p->out = w->out;
    p->index = w->n_out > 1 ? w->outs[1] : -1;
    p->element = (int64_t)vn__native_bytes(p->dtype);
    p->channels = x->dims[x->rank - 1];
    p->row_bytes = p->channels * p->element;
    p->back = back;
    p->phases = back ? vn__native_phases(&p->window) : 1;
    p->fns = &vn__native_isa->pool->of[p->dtype];
    vn__pass pass;
    if (back) vn__native_pass_backward(&p->window, 0, &pass); /* the first phase has the most positions */
    else vn__native_pass_forward(&p->window, &pass);
    p->block = vn__min(VN_WINDOW_POSITIONS, TABLE / p->window.taps + 1);
    p->blocks = vn__ceil_div(pass.positions, p->block);
    p->rows_bytes = vn__native_round64((size_t)(p->window.taps * p->block) * sizeof(void *));
    w->kernel.run = run;
    w->kernel.parallel = (double)p->window.out_rows * (double)p->window.taps * (double)p->channels > PARALLEL;
    w->kernel.lane_bytes = vn__native_round64(sizeof(scratch)) + p->rows_bytes;
    if (p->index < 0) return VN_OK;
    w->kernel.lane_bytes += p->rows_bytes;
    if (p->window.batch == 0 || p->window.in_rows / p->window.batch <= INT32_MAX) return VN_OK;
    return vn__native_host->error(VN_E_UNSUPPORTED, "native: positions of maxima in images of more than %d positions are not supported",
                                  INT32_MAX);
}

int vn__native_prepare_max_pool(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->in_desc[0], &w->out_desc, false, run_max);
}

int vn__native_prepare_sum_pool(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->in_desc[0], &w->out_desc, false, run_sum);
}

int vn__native_prepare_sum_pool_backward(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->out_desc, &w->in_desc[0], true, run_sum);
}

/* ---- max_pool_backward: uses only the index ---- */

enum { INDEX = 2, CT = 3 }; /* inputs, after x and y */

typedef struct scatter {
    int64_t channels, channel_block, parts; /* channels per unit of work */
    int64_t in_rows, out_rows;              /* of an image */
    int64_t units;
    size_t element;
    const struct vn__pool_fns *fns;
} scatter;

typedef struct scatter_job {
    const scatter *s;
    char *out;
    const char *ct;
    const int64_t *index;
} scatter_job;

/* Windows may overlap, so their cotangents are added sequentially. */
static void scatter_unit(void *context, int64_t unit, int lane)
{
    const scatter_job *j = context;
    const scatter *s = j->s;
    const int64_t image = unit / s->parts, c = unit % s->parts * s->channel_block;
    const int64_t n = vn__min(s->channel_block, s->channels - c), from = image * s->out_rows * s->channels + c;
    char *out = j->out + (size_t)(image * s->in_rows * s->channels + c) * s->element;
    (void)lane;
    for (int64_t i = 0; i < s->in_rows; i++) memset(out + (size_t)(i * s->channels) * s->element, 0, (size_t)n * s->element);
    s->fns->scatter(out, s->in_rows, j->index + from, j->ct + (size_t)from * s->element, s->channels, s->out_rows, n);
}

static void run_scatter(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const scatter *s = w->plan;
    scatter_job j = {s, run->slots[w->out], run->slots[w->in[CT]], (const int64_t *)(const void *)run->slots[w->in[INDEX]]};
    if (w->out_desc.count > 0) vn__native_parallel(run->lanes, s->units, scatter_unit, &j);
}

int vn__native_prepare_max_pool_backward(vn__graph *g, vn__whole *w)
{
    scatter *s = vn__native_whole_keep(g, sizeof *s);
    if (!s) return vn__native_no_memory();
    const vn_desc *x = &w->out_desc, *ct = &w->in_desc[CT];
    const int64_t batch = x->dims[0];
    w->plan = s;
    w->kernel.run = run_scatter;
    if (x->count == 0) return VN_OK;
    s->channels = x->dims[x->rank - 1];
    s->channel_block = batch * vn__ceil_div(s->channels, CHANNELS) < UNITS ? FEW_CHANNELS : CHANNELS;
    s->parts = vn__ceil_div(s->channels, s->channel_block);
    s->units = batch * s->parts;
    s->in_rows = x->count / batch / s->channels;
    s->out_rows = ct->count / batch / s->channels;
    s->element = vn__native_bytes(x->dtype);
    s->fns = &vn__native_isa->pool->of[x->dtype];
    w->kernel.parallel = x->count + ct->count > PARALLEL;
    return VN_OK;
}
