/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: random numbers of the distributions in isa/sample.c, one per element. They are generated in chunks in the type of computation,
 * with parameters broadcast and cast to it, then cast to the result's dtype. */
#include "internal.h"

#define THRESHOLDS_DRAW
#include "thresholds.h"

enum { ROOM = PIECE * 8 };

typedef struct sampling {
    vn__sample_fn fn;
    int32_t type, takes; /* dtype of the numbers, dtype of the parameters */
    bool in_order[2];    /* parameters with the result's layout */
    vn__view view[2];
    uint64_t block;
} sampling;

typedef vn__whole_job job;

/* Room in a lane's scratch memory: numbers, and each of two parameters broadcast and cast. */
enum { NUMBERS = 0, BROADCAST = ROOM, CAST = 3 * ROOM, ALL = 5 * ROOM };

static const void *parameter(const job *j, int k, int64_t start, int64_t n, char *scratch)
{
    const vn__whole *w = j->w;
    const sampling *p = w->plan;
    if (k + 1 >= w->n_in) return NULL;
    const int32_t dtype = w->in_desc[k + 1].dtype;
    const size_t bytes = vn__native_bytes(dtype);
    const char *from = j->run->slots[w->in[k + 1]];
    char *broadcast = scratch + BROADCAST + k * ROOM, *cast = scratch + CAST + k * ROOM;
    if (p->in_order[k]) {
        from += start * (int64_t)bytes;
    } else {
        vn__native_isa->copy->gather[bytes](broadcast, from, from, n, &p->view[k], start);
        from = broadcast;
    }
    if (dtype == p->takes) return from;
    vn__native_isa->cast->cast[dtype][p->takes](cast, from, from, n, NULL, 0);
    return cast;
}

static void piece(const job *j, int64_t start, int64_t n, char *scratch)
{
    const vn__whole *w = j->w;
    const sampling *p = w->plan;
    const int32_t dtype = w->out_desc.dtype;
    char *out = j->run->slots[w->out] + start * (int64_t)vn__native_bytes(dtype);
    vn__sample d = {.z = dtype == p->type ? out : scratch + NUMBERS,
                    .key = (const uint64_t *)(const void *)j->run->slots[w->in[0]],
                    .block = p->block,
                    .start = start,
                    .n = n,
                    .a = parameter(j, 0, start, n, scratch),
                    .b = parameter(j, 1, start, n, scratch)};
    p->fn(&d);
    if (dtype != p->type) vn__native_isa->cast->cast[p->type][dtype](out, d.z, d.z, n, NULL, 0);
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const int64_t count = j->w->out_desc.count, end = vn__min((number + 1) * UNIT, count);
    char *scratch = j->run->scratch + (size_t)lane * j->run->lane_bytes;
    for (int64_t i = number * UNIT; i < end; i += PIECE) piece(j, i, vn__min(end - i, PIECE), scratch);
}

static void run_drawing(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    vn__native_parallel(run->lanes, vn__ceil_div(j.w->out_desc.count, UNIT), unit, &j);
}

static int prepare(vn__graph *g, vn__whole *w, vn__sample_fn fn, int32_t type, int32_t takes)
{
    sampling *p = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    p->fn = fn;
    p->type = type;
    p->takes = takes;
    for (int32_t k = 0; k + 1 < w->n_in; k++) {
        const vn_desc *from = &w->in_desc[k + 1], *to = &w->out_desc;
        vn__native_view_rows(&p->view[k], from->rank, from->dims);
        vn__native_view_broadcast(&p->view[k], to->rank, to->dims);
        vn__native_view_collapse(&p->view[k]);
        p->in_order[k] = from->count == to->count;
    }
    w->plan = p;
    w->kernel.run = run_drawing;
    w->kernel.lane_bytes = ALL;
    w->kernel.parallel = w->out_desc.count >= PARALLEL;
    return VN_OK;
}

#define PREPARE(name, fn, type, takes)                                   \
    int vn__native_prepare_##name(vn__graph *g, vn__whole *w)            \
    {                                                                    \
        return prepare(g, w, vn__native_isa->sample->fn, (type), takes); \
    }
PREPARE(truncated_normal, truncated_normal, VN_F64, VN_F64)
PREPARE(exponential, exponential, VN_F64, VN_F64)
PREPARE(gumbel, gumbel, VN_F64, VN_F64)
PREPARE(laplace, laplace, VN_F64, VN_F64)
PREPARE(gamma, gamma, VN_F64, VN_F64)
PREPARE(beta, beta, VN_F64, VN_F64)
PREPARE(bernoulli, bernoulli, VN_BOOL, VN_F64)
PREPARE(poisson, poisson, VN_I64, VN_F64)
PREPARE(binomial, binomial, VN_I64, VN_F64)

int vn__native_prepare_randint(vn__graph *g, vn__whole *w)
{
    const vn__sample_table *sample = vn__native_isa->sample;
    if (w->out_desc.dtype == VN_U64) return prepare(g, w, sample->randint_u64, VN_U64, VN_U64);
    return prepare(g, w, sample->randint_i64, VN_I64, VN_I64);
}

enum { BLOCK }; /* options */

int vn__native_prepare_random_bits(vn__graph *g, vn__whole *w)
{
    const vn__sample_table *sample = vn__native_isa->sample;
    const bool wide = w->out_desc.dtype == VN_U64;
    const int code = prepare(g, w, wide ? sample->bits_u64 : sample->bits_u32, wide ? VN_U64 : VN_U32, VN_U64);
    if (!code) ((sampling *)w->plan)->block = (uint64_t)w->instr->options[BLOCK].u.i;
    return code;
}
