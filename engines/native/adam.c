/* SPDX-License-Identifier: Apache-2.0 */
/* adam.c: Adam's step of any number of parameters as one kernel. Threads take equal parts of all their elements, whatever the sizes of the
 * parameters. Lists of half precision are converted on the way, some elements at a time, and their results rounded once. */
#include "internal.h"

#define THRESHOLDS_ADAM
#include "thresholds.h"

/* Operands: lists of w, g, m and v, then rate and scale. Results: lists of w, m and v. */
enum { W, G, M, V, LISTS, RESULTS = 3 };
enum { BETA1, BETA2, EPSILON }; /* options */
static const int32_t changed[RESULTS] = {W, M, V};

typedef struct adam {
    vn__adam_step step;
    vn__adam_fn fn;
    int32_t n;
    int64_t *first; /* by parameter: elements of those before it; one more for all */
    int32_t dtype[LISTS], inner;
    bool converts; /* one of them is half precision, where inner is float32 */
} adam;

typedef vn__whole_job job;

/* The parameter that element `at` belongs to: the last one that starts at or before it. */
static int32_t parameter_at(const adam *a, int64_t at)
{
    int32_t low = 0, high = a->n - 1;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (a->first[middle] <= at) low = middle;
        else high = middle - 1;
    }
    return low;
}

static void compute(const job *j, void *const to[RESULTS], const void *const from[LISTS], int64_t n)
{
    const adam *a = j->w->plan;
    a->fn(to, from, n, j->run->slots[j->w->in[LISTS * a->n]], j->run->slots[j->w->in[LISTS * a->n + 1]], &a->step);
}

/* The same where lists are half precision: from and to are as in memory. */
static void convert(const job *j, char *const to[RESULTS], const char *const from[LISTS], int64_t n)
{
    const adam *a = j->w->plan;
    const vn__cast_table *cast = vn__native_isa->cast;
    float wide[LISTS][CONVERTED];
    for (int64_t at = 0; at < n; at += CONVERTED) {
        const int64_t some = vn__min(CONVERTED, n - at);
        const void *x[LISTS];
        void *z[RESULTS];
        for (int k = 0; k < LISTS; k++) {
            const void *here = x[k] = from[k] + (size_t)at * vn__native_bytes(a->dtype[k]);
            if (a->dtype[k] != VN_F32) cast->cast[a->dtype[k]][VN_F32](wide[k], here, here, some, NULL, 0), x[k] = wide[k];
        }
        for (int r = 0; r < RESULTS; r++)
            z[r] = a->dtype[changed[r]] == VN_F32 ? to[r] + (size_t)at * sizeof(float) : (char *)wide[changed[r]];
        compute(j, z, x, some);
        for (int r = 0; r < RESULTS; r++) {
            const int32_t dtype = a->dtype[changed[r]];
            if (dtype == VN_F32) continue;
            cast->round[dtype](z[r], z[r], z[r], some, NULL, 0);
            cast->cast[VN_F32][dtype](to[r] + (size_t)at * vn__native_bytes(dtype), z[r], z[r], some, NULL, 0);
        }
    }
}

/* n elements of parameter p. Unused results are written to the thread's own memory. */
static void part(const job *j, int32_t p, int64_t at, int64_t n, int lane)
{
    const adam *a = j->w->plan;
    char *const *slots = j->run->slots, *own = j->run->scratch + (size_t)lane * j->run->lane_bytes, *to[RESULTS];
    const char *from[LISTS];
    for (int k = 0; k < LISTS; k++) from[k] = slots[j->w->in[k * a->n + p]] + (size_t)at * vn__native_bytes(a->dtype[k]);
    for (int r = 0; r < RESULTS; r++) {
        const int32_t storage = j->w->outs[r * a->n + p];
        const size_t bytes = vn__native_bytes(a->dtype[changed[r]]);
        to[r] = storage < 0 ? own + (size_t)r * UNIT * vn__native_bytes(a->inner) : slots[storage] + (size_t)at * bytes;
    }
    if (a->converts) convert(j, to, from, n);
    else compute(j, (void *const *)to, (const void *const *)from, n);
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const adam *a = j->w->plan;
    int64_t at = number * UNIT, end = vn__min(at + UNIT, a->first[a->n]);
    for (int32_t p = parameter_at(a, at); at < end; p++) {
        const int64_t upto = vn__min(a->first[p + 1], end);
        if (at < upto) part(j, p, at - a->first[p], upto - at, lane);
        at = upto;
    }
}

static void run_adam(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const adam *a = j.w->plan;
    vn__native_parallel(run->lanes, vn__ceil_div(a->first[a->n], UNIT), unit, &j);
}

int vn__native_prepare_adam_apply(vn__graph *g, vn__whole *w)
{
    const int32_t n = w->instr->n_list;
    const vn_option *o = w->instr->options;
    adam *a = vn__native_whole_keep(g, sizeof *a);
    if (a) a->first = vn__native_whole_keep(g, ((size_t)n + 1) * sizeof *a->first);
    w->sets = vn__native_whole_keep(g, (size_t)(w->n_in + w->n_out) * sizeof *w->sets);
    if (!a || !a->first || !w->sets) return vn__native_no_memory();
    a->step = (vn__adam_step){o[BETA1].u.f, o[BETA2].u.f, o[EPSILON].u.f};
    a->inner = w->in_desc[LISTS * n].dtype;
    a->fn = a->inner == VN_F64 ? vn__native_isa->adam->f64 : vn__native_isa->adam->f32;
    a->n = n;
    for (int k = 0; k < LISTS; k++) {
        a->dtype[k] = w->in_desc[k * n].dtype;
        a->converts |= a->dtype[k] != a->inner;
    }
    for (int32_t p = 0; p < n; p++) a->first[p + 1] = a->first[p] + w->in_desc[p].count;
    for (int32_t k = 0; k < w->n_in; k++) w->sets[k] = k >= LISTS * n || k / n == G ? -1 : k % n * LISTS + k / n;
    for (int32_t r = 0; r < w->n_out; r++) {
        w->sets[w->n_in + r] = r % n * LISTS + changed[r / n];
        if (w->outs[r] < 0) w->kernel.lane_bytes = RESULTS * UNIT * vn__native_bytes(a->inner);
    }
    w->plan = a;
    w->kernel.run = run_adam;
    w->kernel.parallel = a->first[n] >= PARALLEL;
    return VN_OK;
}
