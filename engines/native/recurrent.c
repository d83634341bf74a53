/* recurrent.c: LSTM and GRU, forward and back. The weight is packed once; then every thread takes some rows of the batch through all steps,
 * so that nobody waits for anybody between steps. Rows do not depend on each other, and their sums are in the same order however many go
 * together, so neither do the results on the number of threads. */
#include "packed.h"

#define THRESHOLDS_RECURRENT
#include "thresholds.h"

enum { GATES, WEIGHT, LSTM_H, LSTM_C, GRU_BIAS = 2, GRU_H, STATES, COTANGENT }; /* inputs */

typedef struct recurrence {
    int64_t steps, rows, size, gates, state, element; /* state: numbers in a row of the states; element: bytes */
    int32_t dtype, states;                            /* states: their storage */
    bool lstm, reverse, back;
    const struct vn__recurrent_fns *fns;
} recurrence;

typedef struct job {
    const recurrence *r;
    const vn__whole *w;
    const vn__run *run;
    vn__packed weight, turned; /* turned: for the way back */
    int64_t rows;              /* of a unit */
} job;

/* Rows of the batch that a thread takes through the steps, and its memory. */
typedef struct lane {
    const job *j;
    int64_t first, n;
    char *own, *to_h, *zeros; /* h times weight; what reaches h through the weight; a row of zeros */
} lane;

/* Where step s, counted in the order of computation, lies. */
static int64_t at(const recurrence *r, int64_t s)
{
    return r->reverse ? r->steps - 1 - s : s;
}

/* Row i of the lane at step s in an array with rows of `width`. */
static char *row(const lane *l, int32_t storage, int64_t s, int64_t i, int64_t width)
{
    const recurrence *r = l->j->r;
    return l->j->run->slots[storage] + (at(r, s) * r->rows + l->first + i) * width * r->element;
}

static const char *input_row(const lane *l, int input, int64_t s, int64_t i, int64_t width)
{
    return row(l, l->j->w->in[input], s, i, width);
}

/* The state before step s: h, and of an LSTM c. */
static const char *before(const lane *l, int64_t s, int64_t i, bool cell)
{
    const recurrence *r = l->j->r;
    const int input = cell ? LSTM_C : r->lstm ? LSTM_H : GRU_H;
    if (s == 0) return l->j->run->slots[l->j->w->in[input]] + (l->first + i) * r->size * r->element;
    return row(l, r->states, s - 1, i, r->state) + (cell ? r->size * r->element : 0);
}

/* own = h before step s, times weight */
static void own_gates(const lane *l, int64_t s)
{
    const recurrence *r = l->j->r;
    const vn__matrix h = {before(l, s, 0, false), l->n, r->size, s == 0 ? r->size : r->state, 1};
    vn__packed_multiply(&l->j->weight, &h, 0, 0, r->gates, l->own, r->gates, true);
}

static void step(const lane *l, int64_t s)
{
    const recurrence *r = l->j->r;
    own_gates(l, s);
    for (int64_t i = 0; i < l->n; i++) {
        const char *gates = input_row(l, GATES, s, i, r->gates), *own = l->own + i * r->gates * r->element;
        char *h = row(l, r->states, s, i, r->state);
        if (r->lstm) r->fns->lstm(h, h + r->size * r->element, gates, own, before(l, s, i, true), r->size);
        else r->fns->gru(h, gates, own, l->j->run->slots[l->j->w->in[GRU_BIAS]], before(l, s, i, false), r->size);
    }
}

static void step_back(const lane *l, int64_t s)
{
    const recurrence *r = l->j->r;
    const int32_t out = l->j->w->out;
    const bool last = s == r->steps - 1;
    own_gates(l, s);
    for (int64_t i = 0; i < l->n; i++) {
        const char *gates = input_row(l, GATES, s, i, r->gates), *own = l->own + i * r->gates * r->element;
        const char *ct = input_row(l, COTANGENT, s, i, r->state), *to_h = last ? l->zeros : l->to_h + i * r->size * r->element;
        const char *past = last ? l->zeros : row(l, out, s + 1, i, 5 * r->size) + 4 * r->size * r->element;
        char *sent = row(l, out, s, i, 5 * r->size);
        if (r->lstm) {
            const char *c = input_row(l, STATES, s, i, r->state) + r->size * r->element;
            r->fns->lstm_back(sent, gates, own, before(l, s, i, true), c, ct, to_h, past, r->size);
        } else {
            const char *bias = l->j->run->slots[l->j->w->in[GRU_BIAS]];
            r->fns->gru_back(sent, gates, own, bias, before(l, s, i, false), ct, to_h, past, r->size);
        }
    }
    if (s == 0) return;
    const vn__matrix sent = {row(l, out, s, 0, 5 * r->size), l->n, r->gates, 5 * r->size, 1};
    vn__packed_multiply(&l->j->turned, &sent, 0, 0, r->size, l->to_h, r->size, true);
}

static size_t own_bytes(const recurrence *r)
{
    return vn__native_round64((size_t)(MOST_ROWS * r->gates * r->element));
}
static size_t to_h_bytes(const recurrence *r)
{
    return r->back ? vn__native_round64((size_t)(MOST_ROWS * r->size * r->element)) : 0;
}

static void unit(void *context, int64_t number, int lane_number)
{
    const job *j = context;
    const recurrence *r = j->r;
    char *scratch = j->run->scratch + (size_t)lane_number * j->run->lane_bytes;
    lane l = {j, number * j->rows, 0, scratch, scratch + own_bytes(r), scratch + own_bytes(r) + to_h_bytes(r)};
    l.n = vn__packed_least(j->rows, r->rows - l.first);
    if (!r->back) {
        for (int64_t s = 0; s < r->steps; s++) step(&l, s);
        return;
    }
    memset(l.zeros, 0, (size_t)(r->size * r->element));
    for (int64_t s = r->steps; s-- > 0;) step_back(&l, s);
}

/* Rows of a unit: all threads at work, and no more than fit into a lane's memory. */
static int64_t rows_of_unit(const recurrence *r, int lanes, int64_t tile)
{
    const int64_t share = (r->rows + lanes - 1) / lanes, whole = (share + tile - 1) / tile * tile;
    return whole < MOST_ROWS ? whole : MOST_ROWS;
}

static void run_recurrence(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const recurrence *r = w->plan;
    if (w->out_desc.count == 0) return;
    const int lanes = kernel->parallel ? run->lanes : 1;
    job j = {.r = r, .w = w, .run = run, .weight = vn__packed_of(r->dtype, r->size, r->gates, run->shared)};
    const char *weight = run->slots[w->in[WEIGHT]];
    vn__packed_fill(&j.weight, &(vn__matrix){weight, r->size, r->gates, r->gates, 1});
    if (r->back) {
        j.turned = vn__packed_of(r->dtype, r->gates, r->size, run->shared + vn__packed_bytes(r->dtype, r->size, r->gates));
        vn__packed_fill(&j.turned, &(vn__matrix){weight, r->gates, r->size, 1, r->gates});
    }
    j.rows = rows_of_unit(r, lanes, j.weight.gemm->mr);
    vn__native_parallel(lanes, (r->rows + j.rows - 1) / j.rows, unit, &j);
}

static int prepare(vn__graph *g, vn__whole *w, bool lstm, bool back)
{
    recurrence *r = vn__native_whole_keep(g, sizeof *r);
    if (!r) return vn__native_no_memory();
    const vn_desc *gates = &w->in_desc[GATES];
    const int64_t size = w->in_desc[WEIGHT].dims[0];
    const int32_t dtype = w->out_desc.dtype;
    *r = (recurrence){.steps = gates->dims[0],
                      .rows = gates->dims[1],
                      .size = size,
                      .gates = gates->dims[2],
                      .state = lstm ? 2 * size : size,
                      .element = (int64_t)vn__native_bytes(dtype),
                      .dtype = dtype,
                      .states = back ? w->in[STATES] : w->out,
                      .lstm = lstm,
                      .reverse = w->instr->options[0].u.i != 0,
                      .back = back,
                      .fns = dtype == VN_F64 ? &vn__native_isa->recurrent->f64 : &vn__native_isa->recurrent->f32};
    w->plan = r;
    w->kernel.run = run_recurrence;
    if (w->out_desc.count == 0) return VN_OK;
    w->kernel.parallel = (double)r->steps * (double)r->rows * (double)size * (double)r->gates > PARALLEL;
    w->kernel.shared_bytes = vn__packed_bytes(dtype, size, r->gates) + (back ? vn__packed_bytes(dtype, r->gates, size) : 0);
    w->kernel.lane_bytes = own_bytes(r) + to_h_bytes(r) + (size_t)(size * r->element);
    return VN_OK;
}

int vn__native_prepare_lstm_states(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true, false);
}
int vn__native_prepare_lstm_back(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true, true);
}
int vn__native_prepare_gru_states(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false, false);
}
int vn__native_prepare_gru_back(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false, true);
}
