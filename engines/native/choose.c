/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c: random indices and permutations (multinomial, categorical, permutation, shuffle), and keys derived from keys. */
#include <string.h>

#include "internal.h"

#define THRESHOLDS_DRAW
#include "thresholds.h"

typedef struct job {
    const vn__whole *w;
    const vn__run *run;
    double *weights; /* (rows, population) */
    int64_t rows, population, samples;
} job;

static const uint64_t *key_of(const vn__whole *w, const vn__run *run)
{
    return (const uint64_t *)(const void *)run->slots[w->in[0]];
}

/* ---- sampling from weights ---- */

/* Converts one row to doubles, and logits to weights. */
static void arm(const job *j, int64_t row, bool logits)
{
    const vn__whole *w = j->w;
    const int32_t dtype = w->in_desc[1].dtype;
    const char *from = j->run->slots[w->in[1]] + row * j->population * (int64_t)vn__native_bytes(dtype);
    double *to = j->weights + row * j->population;
    if (dtype == VN_F64) memcpy(to, from, (size_t)j->population * sizeof *to);
    else vn__native_isa->cast->cast[dtype][VN_F64](to, from, from, j->population, NULL, 0);
    if (logits) vn__native_isa->sample->exponentiate(to, j->population);
    vn__native_isa->sample->disarm(to, j->population);
}

static void arm_weights(void *context, int64_t row, int lane)
{
    (void)lane;
    arm(context, row, false);
}

static void sum_weights(void *context, int64_t row, int lane)
{
    const job *j = context;
    (void)lane;
    arm(j, row, false);
    vn__native_isa->sample->accumulate(j->weights + row * j->population, j->population);
}

static void sum_logits(void *context, int64_t row, int lane)
{
    const job *j = context;
    (void)lane;
    arm(j, row, true);
    vn__native_isa->sample->accumulate(j->weights + row * j->population, j->population);
}

static void choose(void *context, int64_t number, int lane)
{
    const job *j = context;
    const int64_t start = number * UNIT;
    int64_t *out = (int64_t *)(void *)j->run->slots[j->w->out];
    const vn__sample d = {
        .z = out + start, .key = key_of(j->w, j->run), .start = start, .n = vn__min(UNIT, j->rows * j->samples - start), .a = j->weights};
    (void)lane;
    vn__native_isa->sample->choose(&d, j->population, j->samples);
}

static void race(void *context, int64_t number, int lane)
{
    const job *j = context;
    const int64_t start = number * UNIT;
    const vn__sample d = {.z = j->weights + start,
                          .key = key_of(j->w, j->run),
                          .start = start,
                          .n = vn__min(UNIT, j->rows * j->population - start),
                          .a = j->weights + start};
    (void)lane;
    vn__native_isa->sample->race(&d);
}

/* Is x later than y? Ties are broken by position. */
static bool later(const double *times, int64_t x, int64_t y)
{
    return times[x] > times[y] || (times[x] == times[y] && x > y);
}

/* A heap whose root is the latest: sifts the root down. */
static void sink(int64_t *heap, int64_t n, const double *times)
{
    const int64_t x = heap[0];
    int64_t at = 0;
    for (int64_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && later(times, heap[child + 1], heap[child])) child++;
        if (!later(times, heap[child], x)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = x;
}

static void rise(int64_t *heap, int64_t at, const double *times)
{
    const int64_t x = heap[at];
    for (; at > 0 && later(times, x, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = x;
}

/* The earliest of one row, in order; the heap is stored in the result. */
static void arrivals(void *context, int64_t row, int lane)
{
    const job *j = context;
    const double *times = j->weights + row * j->population;
    int64_t *heap = (int64_t *)(void *)j->run->slots[j->w->out] + row * j->samples, n = 0;
    (void)lane;
    for (int64_t i = 0; i < j->population; i++) {
        if (times[i] < 0) continue;
        if (n < j->samples) {
            heap[n] = i;
            rise(heap, n++, times);
        } else if (later(times, heap[0], i)) {
            heap[0] = i;
            sink(heap, n, times);
        }
    }
    for (int64_t i = n; i < j->samples; i++) heap[i] = -1;
    while (n > 1) {
        const int64_t last = heap[0];
        heap[0] = heap[--n];
        heap[n] = last;
        sink(heap, n, times);
    }
}

static job begin(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const vn_desc *weights = &w->in_desc[1];
    job j = {.w = w, .run = run, .weights = (double *)(void *)run->shared, .rows = 1};
    for (int32_t k = 0; k < weights->rank - 1; k++) j.rows *= weights->dims[k];
    j.population = weights->dims[weights->rank - 1];
    j.samples = j.rows ? w->out_desc.count / j.rows : 0;
    return j;
}

static void run_with_replacement(const vn__kernel *kernel, const vn__run *run, vn__task sums)
{
    job j = begin(kernel, run);
    const int lanes = run->lanes;
    if (j.w->out_desc.count == 0) return;
    vn__native_parallel(lanes, j.rows, sums, &j);
    vn__native_parallel(lanes, vn__ceil_div(j.rows * j.samples, UNIT), choose, &j);
}

static void run_multinomial(const vn__kernel *kernel, const vn__run *run)
{
    run_with_replacement(kernel, run, sum_weights);
}
static void run_categorical(const vn__kernel *kernel, const vn__run *run)
{
    run_with_replacement(kernel, run, sum_logits);
}

static void run_without_replacement(const vn__kernel *kernel, const vn__run *run)
{
    job j = begin(kernel, run);
    const int lanes = run->lanes;
    if (j.w->out_desc.count == 0) return;
    vn__native_parallel(lanes, j.rows, arm_weights, &j);
    vn__native_parallel(lanes, vn__ceil_div(j.rows * j.population, UNIT), race, &j);
    vn__native_parallel(lanes, j.rows, arrivals, &j);
}

static int prepare_choice(vn__whole *w, void (*run)(const vn__kernel *, const vn__run *))
{
    w->kernel.run = run;
    w->kernel.shared_bytes = (size_t)w->in_desc[1].count * sizeof(double);
    w->kernel.parallel = w->in_desc[1].count + w->out_desc.count >= PARALLEL;
    return VN_OK;
}

enum { NO_REPLACE }; /* options */

int vn__native_prepare_multinomial(vn__graph *g, vn__whole *w)
{
    (void)g;
    return prepare_choice(w, w->instr->options[NO_REPLACE].u.i ? run_without_replacement : run_multinomial);
}

int vn__native_prepare_categorical(vn__graph *g, vn__whole *w)
{
    (void)g;
    return prepare_choice(w, run_categorical);
}

/* ---- permutations ---- */

/* Fisher-Yates shuffle from the front: swaps element i with a random one up to i, sampled as by randint. */
static void permute(int64_t *order, int64_t n, const uint64_t key[2])
{
    int64_t zero[PIECE] = {0}, limit[PIECE], chosen[PIECE];
    for (int64_t start = 0; start < n; start += PIECE) {
        const int64_t count = vn__min(PIECE, n - start);
        for (int64_t i = 0; i < count; i++) limit[i] = start + i + 1;
        const vn__sample d = {.z = chosen, .key = key, .start = start, .n = count, .a = zero, .b = limit};
        vn__native_isa->sample->randint_i64(&d);
        for (int64_t i = 0; i < count; i++) {
            order[start + i] = order[chosen[i]];
            order[chosen[i]] = start + i;
        }
    }
}

static void run_permutation(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    permute((int64_t *)(void *)run->slots[w->out], w->out_desc.count, key_of(w, run));
}

int vn__native_prepare_permutation(vn__graph *g, vn__whole *w)
{
    (void)g;
    w->kernel.run = run_permutation;
    return VN_OK;
}

/* (outer, length, inner), rows of `bytes`. */
typedef struct shuffling {
    int64_t outer, length, rows_per_unit;
    size_t bytes;
    bool inverse;
} shuffling;

static void move_rows(void *context, int64_t number, int lane)
{
    const job *j = context;
    const shuffling *s = j->w->plan;
    const int64_t *order = (const int64_t *)(const void *)j->run->shared;
    const char *x = j->run->slots[j->w->in[1]];
    char *out = j->run->slots[j->w->out];
    const int64_t end = vn__min(s->outer * s->length, (number + 1) * s->rows_per_unit);
    (void)lane;
    for (int64_t row = number * s->rows_per_unit; row < end; row++) {
        const int64_t other = row - row % s->length + order[row % s->length];
        const int64_t from = s->inverse ? row : other, to = s->inverse ? other : row;
        memcpy(out + (size_t)to * s->bytes, x + (size_t)from * s->bytes, s->bytes);
    }
}

static void run_shuffle(const vn__kernel *kernel, const vn__run *run)
{
    job j = {.w = (const vn__whole *)kernel, .run = run};
    const shuffling *s = j.w->plan;
    if (j.w->out_desc.count == 0) return;
    permute((int64_t *)(void *)run->shared, s->length, key_of(j.w, run));
    vn__native_parallel(run->lanes, vn__ceil_div(s->outer * s->length, s->rows_per_unit), move_rows, &j);
}

enum { AXIS, INVERSE }; /* options */

int vn__native_prepare_shuffle(vn__graph *g, vn__whole *w)
{
    shuffling *s = vn__native_whole_keep(g, sizeof *s);
    if (!s) return vn__native_no_memory();
    const vn_desc *x = &w->out_desc;
    const int64_t axis = w->instr->options[AXIS].u.i;
    const vn__shape3 shape = vn__native_shape3(x, axis, axis);
    s->outer = shape.outer;
    s->length = shape.length;
    s->bytes = (size_t)shape.inner * vn__native_bytes(x->dtype);
    s->inverse = w->instr->options[INVERSE].u.i != 0;
    s->rows_per_unit = 1 + UNIT / (shape.inner + 1);
    w->plan = s;
    w->kernel.run = run_shuffle;
    w->kernel.shared_bytes = x->count ? (size_t)s->length * sizeof(int64_t) : 0;
    w->kernel.parallel = x->count >= PARALLEL;
    return VN_OK;
}

/* ---- keys ---- */

static void run_split(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    vn__native_isa->sample->split((uint64_t *)(void *)run->slots[w->out], key_of(w, run), w->out_desc.count / 2);
}

static void run_fold(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    vn__native_isa->sample->fold((uint64_t *)(void *)run->slots[w->out], key_of(w, run),
                                 (const uint64_t *)(const void *)run->slots[w->in[1]], w->out_desc.count / 2);
}

int vn__native_prepare_random_split(vn__graph *g, vn__whole *w)
{
    (void)g;
    w->kernel.run = run_split;
    return VN_OK;
}

int vn__native_prepare_random_fold(vn__graph *g, vn__whole *w)
{
    (void)g;
    w->kernel.run = run_fold;
    return VN_OK;
}
