/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: LSTM and GRU, forward and backward. The weight is packed once; then every thread takes some rows of the batch through all
 * steps, so that threads do not synchronise between steps. Rows are independent, and the order of summation does not depend on how many are
 * processed together, so results do not depend on the number of threads. */
#include "packed.h"

#define THRESHOLDS_RECURRENT
#include "thresholds.h"

enum { GATES, WEIGHT, H, C, BIAS = 3 };                                              /* inputs of a sequence */
enum { BACK_WEIGHT, BACK_FIRST, BACK_STATES, BACK_RESIDUALS, BACK_CT_H, BACK_CT_C }; /* of a backward pass */
enum { REVERSE };                                                                    /* options */
enum { MAX_RESULTS = 3 };

typedef struct recurrence {
    int64_t steps, rows, size, gates, element; /* gates: elements in a row of gates; element: bytes */
    int32_t dtype;
    bool lstm, reverse;
    const struct vn__recurrent_fns *fns;
} recurrence;

typedef struct job {
    const recurrence *r;
    const vn__whole *w;
    const vn__run *run;
    vn__packed weight; /* transposed for the backward pass */
    int64_t rows;      /* of a unit */
} job;

/* A lane's view of an array. A state has no steps (step is 0), nor has an unused result: one step of it is in the lane's memory.
 */
typedef struct rows {
    char *first;       /* the lane's first row, at step 0 */
    int64_t step, row; /* bytes */
} rows;

/* Rows of the batch that a thread takes through the steps. */
typedef struct lane {
    const job *j;
    int64_t first, n;
    char *free; /* of its memory */
    rows in[BACK_CT_C + 1], out[MAX_RESULTS];
} lane;

static char *row(const lane *l, const rows *x, int64_t s, int64_t i) /* steps count in the order of computation */
{
    const recurrence *r = l->j->r;
    return x->first + (r->reverse ? r->steps - 1 - s : s) * x->step + i * x->row;
}

/* A row of the states before step s. */
static const char *before(const lane *l, const rows *start, const rows *states, int64_t s, int64_t i)
{
    return s ? row(l, states, s - 1, i) : row(l, start, 0, i);
}

static size_t one_step_bytes(const vn_desc *d)
{
    return vn__native_round64((size_t)MAX_ROWS * (size_t)d->dims[d->rank - 1] * vn__native_bytes(d->dtype));
}

/* An array of (steps, rows, width) or (rows, width). */
static rows rows_of(lane *l, int32_t storage, const vn_desc *d)
{
    const int64_t bytes = d->dims[d->rank - 1] * l->j->r->element;
    rows x = {l->free, 0, bytes};
    if (storage < 0) {
        l->free += one_step_bytes(d);
        return x;
    }
    x.first = l->j->run->slots[storage] + l->first * bytes;
    if (d->rank == 3) x.step = l->j->r->rows * bytes;
    return x;
}

/* c (+)= a weight for all rows of the lane. */
static void multiply(const lane *l, const char *a, int64_t a_row, char *c, int64_t c_row, bool first)
{
    const vn__packed *w = &l->j->weight;
    const int64_t element = l->j->r->element;
    vn__packed_multiply(w, &(vn__matrix){a, l->n, w->k, a_row / element, 1}, 0, 0, w->n, c, c_row / element, first);
}

/* ---- forward ---- */

static void step(const lane *l, int64_t s)
{
    const recurrence *r = l->j->r;
    const rows *hs = &l->out[0], *cs = &l->out[1], *residuals = &l->out[r->lstm ? 2 : 1];
    multiply(l, before(l, &l->in[H], hs, s, 0), s ? hs->row : l->in[H].row, row(l, residuals, s, 0), residuals->row, true);
    for (int64_t i = 0; i < l->n; i++) {
        const char *gates = row(l, &l->in[GATES], s, i);
        char *h = row(l, hs, s, i), *own = row(l, residuals, s, i);
        if (r->lstm) r->fns->lstm(h, row(l, cs, s, i), own, gates, before(l, &l->in[C], cs, s, i), r->size);
        else r->fns->gru(h, own, gates, l->j->run->slots[l->j->w->in[BIAS]], before(l, &l->in[H], hs, s, i), r->size);
    }
}

static void forward(lane *l)
{
    for (int64_t s = 0; s < l->j->r->steps; s++) step(l, s);
}

/* ---- backward ---- */

/* Propagates gates_ct (gru: recurrent_ct) through the transposed weight to the previous h; for gru also past the gates. */
static void through_weight(const lane *l, int64_t s)
{
    const bool lstm = l->j->r->lstm;
    const rows *sent = &l->out[lstm ? 0 : 1], *to_h = &l->out[lstm ? 1 : 2];
    multiply(l, row(l, sent, s, 0), sent->row, row(l, to_h, 0, 0), to_h->row, lstm);
}

static void step_back(const lane *l, int64_t s)
{
    const recurrence *r = l->j->r;
    const rows *states = &l->in[BACK_STATES], *out = l->out;
    for (int64_t i = 0; i < l->n; i++) {
        const char *residuals = row(l, &l->in[BACK_RESIDUALS], s, i), *ct_h = row(l, &l->in[BACK_CT_H], s, i);
        const char *state = before(l, &l->in[BACK_FIRST], states, s, i);
        char *gates_ct = row(l, &out[0], s, i);
        if (r->lstm)
            r->fns->lstm_backward(gates_ct, row(l, &out[2], 0, i), residuals, state, row(l, states, s, i), ct_h,
                                  row(l, &l->in[BACK_CT_C], s, i), row(l, &out[1], 0, i), r->size);
        else r->fns->gru_backward(gates_ct, row(l, &out[1], s, i), row(l, &out[2], 0, i), residuals, state, ct_h, r->size);
    }
}

static void clear(const lane *l, const rows *x)
{
    memset(x->first, 0, (size_t)(l->n * x->row));
}

/* The state results hold the cotangents passed from step to step. An absent cotangent is a row of zeros. */
static void backward(lane *l)
{
    const vn__whole *w = l->j->w;
    const bool h_used = w->outs[l->j->r->lstm ? 1 : 2] >= 0;
    if (l->j->r->lstm) clear(l, &l->out[1]);
    clear(l, &l->out[2]);
    if (l->j->r->lstm && w->n_in <= BACK_CT_C) {
        l->in[BACK_CT_C] = (rows){l->free, 0, 0};
        memset(l->free, 0, (size_t)(l->j->r->size * l->j->r->element));
    }
    for (int64_t s = l->j->r->steps; s-- > 0;) {
        step_back(l, s);
        if (s > 0 || h_used) through_weight(l, s);
    }
}

/* ---- both ---- */

static bool is_backward(const vn__whole *w)
{
    return w->in_desc[0].rank == 2; /* the memory begins with the weight */
}

static void unit(void *context, int64_t number, int lane_number)
{
    const job *j = context;
    const vn__whole *w = j->w;
    const int32_t weight = is_backward(w) ? BACK_WEIGHT : WEIGHT;
    lane l = {.j = j, .first = number * j->rows, .free = j->run->scratch + (size_t)lane_number * j->run->lane_bytes};
    l.n = vn__min(j->rows, j->r->rows - l.first);
    for (int32_t k = 0; k < w->n_in; k++) /* all inputs but weight and bias have batch rows */
        if (k != weight && w->in_desc[k].rank > 1) l.in[k] = rows_of(&l, w->in[k], &w->in_desc[k]);
    for (int32_t k = 0; k < w->n_out; k++) l.out[k] = rows_of(&l, w->outs[k], &w->out_descs[k]);
    if (is_backward(w)) backward(&l);
    else forward(&l);
}

/* Rows per unit: enough units for all threads, and no more rows than fit into a lane's memory. With less than a tile for each thread, units are
 * half a tile: fewer rows would not be faster, as each thread reads the entire weight. */
static int64_t rows_of_unit(const recurrence *r, int lanes, int64_t tile)
{
    const int64_t share = vn__ceil_div(r->rows, lanes), least = share < tile ? vn__ceil_div(tile, 4) * 2 : tile;
    return vn__min(vn__ceil_div(share, least) * least, MAX_ROWS);
}

static void run_recurrence(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const recurrence *r = w->plan;
    const bool back = is_backward(w);
    if (!r->rows || !r->size) return;
    const int lanes = run->lanes;
    job j = {.r = r, .w = w, .run = run};
    const char *weight = run->slots[w->in[back ? BACK_WEIGHT : WEIGHT]];
    j.weight = vn__packed_of(r->dtype, back ? r->gates : r->size, back ? r->size : r->gates, run->shared);
    vn__packed_fill(&j.weight, &(vn__matrix){weight, j.weight.k, j.weight.n, back ? 1 : r->gates, back ? r->gates : 1});
    j.rows = rows_of_unit(r, lanes, j.weight.gemm->mr);
    vn__native_parallel(lanes, vn__ceil_div(r->rows, j.rows), unit, &j);
}

static int prepare(vn__graph *g, vn__whole *w, bool lstm)
{
    recurrence *r = vn__native_whole_keep(g, sizeof *r);
    if (!r) return vn__native_no_memory();
    const bool back = is_backward(w);
    const vn_desc *steps = &w->in_desc[back ? BACK_STATES : GATES], *weight = &w->in_desc[back ? BACK_WEIGHT : WEIGHT];
    *r = (recurrence){.steps = steps->dims[0],
                      .rows = steps->dims[1],
                      .size = weight->dims[0],
                      .gates = weight->dims[1],
                      .element = (int64_t)vn__native_bytes(weight->dtype),
                      .dtype = weight->dtype,
                      .lstm = lstm,
                      .reverse = w->instr->options[REVERSE].u.i != 0,
                      .fns = weight->dtype == VN_F64 ? &vn__native_isa->recurrent->f64 : &vn__native_isa->recurrent->f32};
    w->plan = r;
    w->kernel.run = run_recurrence;
    if (!r->rows || !r->size) return VN_OK;
    w->kernel.parallel = (double)r->steps * (double)r->rows * (double)r->size * (double)r->gates > PARALLEL;
    w->kernel.shared_bytes = vn__packed_bytes(r->dtype, back ? r->gates : r->size, back ? r->size : r->gates);
    w->kernel.lane_bytes = (size_t)(r->size * r->element); /* a row of zeros */
    for (int32_t k = 0; k < w->n_out; k++)
        if (w->outs[k] < 0) w->kernel.lane_bytes += one_step_bytes(&w->out_descs[k]);
    return VN_OK;
}

int vn__native_prepare_lstm_sequence(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true);
}
int vn__native_prepare_lstm_backward(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true);
}
int vn__native_prepare_gru_sequence(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false);
}
int vn__native_prepare_gru_backward(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false);
}
