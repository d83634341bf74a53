/* pooling.c: pooling, and the ops that carry gradients through it. Which rows of channels a window meets is window.c's work, the loops
 * over them isa/pool.c's. */
#include <string.h>

#include "window.h"

#define THRESHOLDS_POOLING
#include "thresholds.h"

typedef struct plan {
    vn__window window;
    int32_t dtype, x, y, out; /* storages; y: the second operand */
    int64_t element, channels, row_bytes, block, blocks, channel_block;
    bool back; /* from windows to x */
    int64_t phases;
    size_t rows_bytes;
    const struct vn__pool_fns *fns;
} plan;

typedef struct job {
    const plan *p;
    const vn__run *run;
} job;

/* A thread's memory; pointers to the rows of x and of a second array, then places of maxima, follow. */
typedef struct scratch {
    vn__places places;
    void *to[VN_WINDOW_POSITIONS];
} scratch;

static scratch *scratch_of(const job *j, int lane)
{
    return (scratch *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
}
static const void **rows_of(const job *j, scratch *s, int number)
{
    return (const void **)(void *)((char *)s + vn__native_round64(sizeof *s) + (size_t)number * j->p->rows_bytes);
}
static int32_t *where_of(const job *j, scratch *s)
{
    return (int32_t *)(void *)((char *)s + vn__native_round64(sizeof *s) + 2 * j->p->rows_bytes);
}

/* Rows that the places meet, from channel `channel` on, for all taps of a pass; NULL outside. */
static void look_up(const job *j, const vn__pass *pass, const scratch *s, const char *source, int64_t channel, const void **rows)
{
    const plan *p = j->p;
    for (int64_t t = 0; t < pass->taps; t++)
        vn__native_window_rows(pass, &p->window, &s->places, t, p->row_bytes, source + channel * p->element, NULL, rows + t * p->block);
}

/* Positions of block number `block`, if there are any, and where their results go from channel `channel` on. */
static bool place(const job *j, const vn__pass *pass, scratch *s, int64_t first, int64_t end, int64_t channel)
{
    const plan *p = j->p;
    const int64_t n = vn__native_least(p->block, end - first);
    if (n <= 0) return false;
    vn__native_places(pass, first, n, p->row_bytes, &s->places);
    for (int64_t i = 0; i < n; i++) s->to[i] = j->run->slots[p->out] + s->places.to[i] * p->row_bytes + channel * p->element;
    return true;
}

static void max_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    scratch *s = scratch_of(j, lane);
    const void **rows = rows_of(j, s, 0);
    vn__pass pass;
    vn__native_pass_forward(&p->window, &pass);
    if (!place(j, &pass, s, unit * p->block, pass.positions, 0)) return;
    look_up(j, &pass, s, j->run->slots[p->x], 0, rows);
    p->fns->max(s->to, rows, p->block, pass.taps, s->places.n, p->channels);
}

static void sum_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    scratch *s = scratch_of(j, lane);
    const void **rows = rows_of(j, s, 0);
    vn__pass pass;
    if (p->back) vn__native_pass_backward(&p->window, unit / p->blocks, &pass);
    else vn__native_pass_forward(&p->window, &pass);
    if (!place(j, &pass, s, unit % p->blocks * p->block, pass.positions, 0)) return;
    look_up(j, &pass, s, j->run->slots[p->x], 0, rows);
    p->fns->sum(s->to, rows, p->block, pass.taps, s->places.n, p->channels);
}

static void gather_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    scratch *s = scratch_of(j, lane);
    const void **x = rows_of(j, s, 0), **u = rows_of(j, s, 1);
    vn__pass pass;
    vn__native_pass_forward(&p->window, &pass);
    for (int64_t c = 0; c < p->channels; c += p->channel_block) {
        const int64_t n = vn__native_least(p->channel_block, p->channels - c);
        place(j, &pass, s, unit * p->block, pass.positions, c);
        look_up(j, &pass, s, j->run->slots[p->x], c, x);
        look_up(j, &pass, s, j->run->slots[p->y], c, u);
        p->fns->where(where_of(j, s), x, p->block, pass.taps, s->places.n, n);
        p->fns->gather(s->to, u, p->block, where_of(j, s), s->places.n, n);
    }
}

/* One image and some of its channels: windows may overlap, so their gradients are added one after the other. */
static void scatter_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    const int64_t parts = vn__native_ceil_div(p->channels, p->channel_block), image = unit / parts, c = unit % parts * p->channel_block;
    const int64_t n = vn__native_least(p->channel_block, p->channels - c), rows = p->window.in_rows / p->window.batch;
    scratch *s = scratch_of(j, lane);
    const void **x = rows_of(j, s, 0), **to = rows_of(j, s, 1);
    char *out = j->run->slots[p->out];
    vn__pass pass;
    vn__native_pass_forward(&p->window, &pass);
    for (int64_t i = 0; i < rows; i++) memset(out + (image * rows + i) * p->row_bytes + c * p->element, 0, (size_t)(n * p->element));
    const int64_t positions = pass.positions / p->window.batch, end = (image + 1) * positions;
    for (int64_t first = image * positions; first < end; first += p->block) {
        place(j, &pass, s, first, end, 0);
        look_up(j, &pass, s, j->run->slots[p->x], c, x);
        look_up(j, &pass, s, out, c, to);
        p->fns->where(where_of(j, s), x, p->block, pass.taps, s->places.n, n);
        p->fns->scatter((void *const *)(uintptr_t)to, p->block, where_of(j, s), j->run->slots[p->y] + first * p->row_bytes + c * p->element,
                        p->channels, s->places.n, n);
    }
}

static void run_units(const vn__kernel *kernel, const vn__run *run, int64_t n, vn__task task)
{
    job j = {((const vn__whole *)kernel)->plan, run};
    vn__native_parallel(kernel->parallel ? run->lanes : 1, n, task, &j);
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
static void run_gather(const vn__kernel *kernel, const vn__run *run)
{
    run_units(kernel, run, PLAN->blocks, gather_unit);
}
static void run_scatter(const vn__kernel *kernel, const vn__run *run)
{
    run_units(kernel, run, PLAN->window.batch * vn__native_ceil_div(PLAN->channels, PLAN->channel_block), scatter_unit);
}
static void run_nothing(const vn__kernel *kernel, const vn__run *run)
{
    (void)kernel, (void)run;
}

/* x and pooled: the shapes on both sides of the windows. `run` is for results that are not empty. */
static int prepare(vn__graph *g, vn__whole *w, const vn_desc *x, const vn_desc *pooled, bool back,
                   void (*run)(const vn__kernel *, const vn__run *))
{
    plan *p = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    w->plan = p;
    w->kernel.run = run_nothing;
    if (w->out_desc.count == 0) return VN_OK;
    vn__native_window(&p->window, x, pooled, w->instr->options[0].u.is, &w->instr->options[1]);
    p->dtype = w->out_desc.dtype;
    p->x = w->in[0];
    p->y = w->n_in > 1 ? w->in[1] : -1;
    p->out = w->out;
    p->element = (int64_t)vn__native_bytes(p->dtype);
    p->channels = x->dims[x->rank - 1];
    p->row_bytes = p->channels * p->element;
    p->back = back;
    p->phases = back ? vn__native_phases(&p->window) : 1;
    p->fns = &vn__native_isa->pool->of[p->dtype];
    vn__pass pass;
    if (back) vn__native_pass_backward(&p->window, 0, &pass); /* the first phase has the most positions */
    else vn__native_pass_forward(&p->window, &pass);
    p->block = vn__native_least(VN_WINDOW_POSITIONS, TABLE / p->window.taps + 1);
    p->blocks = vn__native_ceil_div(pass.positions, p->block);
    p->channel_block = p->window.batch * vn__native_ceil_div(p->channels, CHANNELS) < UNITS ? FEW_CHANNELS : CHANNELS;
    p->rows_bytes = vn__native_round64((size_t)(p->window.taps * p->block) * sizeof(void *));
    w->kernel.run = run;
    w->kernel.parallel = (double)p->window.out_rows * (double)p->window.taps * (double)p->channels > PARALLEL;
    w->kernel.lane_bytes = vn__native_round64(sizeof(scratch)) + (size_t)w->n_in * p->rows_bytes;
    if (w->n_in > 1) w->kernel.lane_bytes += vn__native_round64((size_t)(p->block * p->channel_block) * sizeof(int32_t));
    return VN_OK;
}

int vn__native_prepare_max_pool(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->in_desc[0], &w->out_desc, false, run_max);
}

int vn__native_prepare_max_pool_scatter(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->in_desc[0], &w->in_desc[1], false, run_scatter);
}

int vn__native_prepare_max_pool_gather(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->in_desc[0], &w->out_desc, false, run_gather);
}

int vn__native_prepare_sum_pool(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->in_desc[0], &w->out_desc, false, run_sum);
}

int vn__native_prepare_sum_pool_scatter(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, &w->out_desc, &w->in_desc[0], true, run_sum);
}
