/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: attention and its backward pass, without storing the matrix of all scores: a block of queries is processed with a chunk of
 * keys at a time, as in flash attention. In the forward pass, sums over chunks track the largest score so far. The backward pass recomputes
 * the weights from the softmax statistics of the forward pass.
 *
 * Threads take entries of the batch, or groups of their queries. In the forward pass queries are independent. In the backward pass groups
 * add to the same keys, so each group has its own sums, which are added in order; the number of groups depends only on shapes. */
#include <math.h>

#include "packed.h"

#define THRESHOLDS_ATTENTION
#include "thresholds.h"

enum { SCALE, CAUSAL }; /* options */
enum {
    ROW = KEYS + 16, /* row stride of a block of scores: not a power of two, to avoid cache conflicts */
    MASK = 3,        /* inputs; q, k and v come first */
    OUT = 3,
    COTANGENT = 4,
    SUMS = 5,
    BACK_MASK = 6,
    MAX_INPUTS = 7
};

typedef struct attention {
    int32_t dtype, mask; /* mask: which input, -1: none */
    int64_t batch, queries, keys, features, values, element;
    int64_t batch_rank, batch_dims[VN_MAX_RANK], strides[MAX_INPUTS][VN_MAX_RANK]; /* leading axes, by input */
    int64_t mask_row, mask_step, mask_element;
    double scale;
    bool causal, mask_is_bool, back, nothing; /* nothing to compute: the result is empty, or 0 in the backward pass */
    bool keeps;                               /* whether `out` is used */
    int64_t groups, group;                    /* groups of queries, and the queries per group, in the backward pass */
    const struct vn__attention_fns *fns;
} attention;

typedef struct job {
    const attention *a;
    const vn__whole *w;
    const vn__run *run;
    int64_t groups, group;
} job;

/* One entry of the batch: its operands, packed keys and values, and a lane's memory. */
typedef struct product {
    const attention *a;
    const char *q, *k, *v, *out, *ct, *sums, *mask;
    vn__packed keys_transposed, values, values_transposed, keys, queries,
        cts;                                               /* the last four for the backward pass, values for the forward pass */
    char *scaled, *scores, *slopes, *top, *before, *total; /* scaled: queries of the block */
    char *unread;                                          /* a block of results that are not used */
    uint8_t *seen;                                         /* for each key: does any query attend to it? */
} product;

/* ---- memory of a lane ---- */

typedef struct memory {
    char *start; /* NULL: only counts */
    size_t used;
} memory;

static char *take(memory *m, size_t bytes)
{
    char *piece = m->start ? m->start + m->used : NULL;
    m->used += vn__native_round64(bytes);
    return piece;
}

static vn__packed take_packed(const attention *a, memory *m, int64_t k, int64_t n)
{
    return vn__packed_of(a->dtype, k, n, take(m, vn__packed_bytes(a->dtype, k, n)));
}

/* Lays out a lane's memory; returns its size. */
static size_t lay_out(const attention *a, product *p, char *start)
{
    memory at = {start, 0};
    const size_t block = (size_t)(QUERIES * ROW * a->element), column = (size_t)(QUERIES * a->element);
    p->keys_transposed = take_packed(a, &at, a->features, a->keys);
    if (a->back) {
        p->values_transposed = take_packed(a, &at, a->values, a->keys);
        p->keys = take_packed(a, &at, a->keys, a->features);
        p->queries = take_packed(a, &at, QUERIES, a->features);
        p->cts = take_packed(a, &at, QUERIES, a->values);
        p->slopes = take(&at, block);
    } else {
        p->values = take_packed(a, &at, a->keys, a->values);
        p->unread = take(&at, a->keeps ? 0 : (size_t)(QUERIES * a->values * a->element));
    }
    p->scaled = take(&at, (size_t)(QUERIES * a->features * a->element));
    p->scores = take(&at, block);
    p->top = take(&at, column);
    p->before = take(&at, column);
    p->total = take(&at, column);
    p->seen = (uint8_t *)take(&at, a->mask >= 0 ? (size_t)a->keys : 0);
    return at.used;
}

/* ---- one entry of the batch ---- */

/* The number of keys that query i may attend to. */
static int64_t reach(const attention *a, int64_t i)
{
    const int64_t last = a->causal ? i + a->keys - a->queries + 1 : a->keys;
    return last < 0 ? 0 : vn__min(last, a->keys);
}

static const char *mask_at(const product *p, int64_t query, int64_t key)
{
    return p->mask ? p->mask + (query * p->a->mask_row + key * p->a->mask_step) * p->a->mask_element : NULL;
}

static void look(const product *p, int64_t query)
{
    const attention *a = p->a;
    const int64_t n = reach(a, query);
    const char *row = mask_at(p, query, 0);
    uint8_t *seen = p->seen;
    if (a->mask_is_bool) {
        for (int64_t j = 0; j < n; j++) seen[j] |= (uint8_t)row[j * a->mask_step];
    } else if (a->dtype == VN_F64) {
        const double *m = (const double *)(const void *)row;
        for (int64_t j = 0; j < n; j++) seen[j] = seen[j] || m[j * a->mask_step] != -__builtin_inf();
    } else {
        const float *m = (const float *)(const void *)row;
        for (int64_t j = 0; j < n; j++) seen[j] = seen[j] || m[j * a->mask_step] != -__builtin_inff();
    }
}

/* Keys that no query attends to must not contribute, not even as 0 times NaN. */
static void erase_unseen(const product *p, const vn__packed *rows)
{
    const attention *a = p->a;
    if (!p->mask || a->keys == 0) return;
    memset(p->seen, 0, (size_t)a->keys);
    if (a->mask_row == 0 && a->queries > 0) look(p, a->queries - 1); /* the last query reaches farthest */
    for (int64_t i = 0; i < a->queries && a->mask_row != 0; i++) look(p, i);
    for (int64_t j = 0; j < a->keys; j++)
        if (!p->seen[j]) vn__packed_erase(rows, j);
}

static const char *operand(const job *j, int32_t input, int64_t index)
{
    const attention *a = j->a;
    int64_t at = 0;
    for (int64_t r = a->batch_rank - 1; r >= 0; r--) {
        at += index % a->batch_dims[r] * a->strides[input][r];
        index /= a->batch_dims[r];
    }
    return j->run->slots[j->w->in[input]] + at * (input == a->mask ? a->mask_element : a->element);
}

static void begin(const job *j, int64_t index, int lane, product *p)
{
    const attention *a = j->a;
    *p = (product){.a = a};
    lay_out(a, p, j->run->scratch + (size_t)lane * j->run->lane_bytes);
    p->q = operand(j, 0, index);
    p->k = operand(j, 1, index);
    p->v = operand(j, 2, index);
    if (a->mask >= 0) p->mask = operand(j, a->mask, index);
    if (a->back) {
        p->out = operand(j, OUT, index);
        p->ct = operand(j, COTANGENT, index);
        p->sums = operand(j, SUMS, index);
    }
    const int64_t n = a->keys, d = a->features, e = a->values;
    vn__packed_fill(&p->keys_transposed, &(vn__matrix){p->k, d, n, 1, d});
    if (a->back) {
        vn__packed_fill(&p->values_transposed, &(vn__matrix){p->v, e, n, 1, e});
        vn__packed_fill(&p->keys, &(vn__matrix){p->k, n, d, d, 1});
    } else {
        vn__packed_fill(&p->values, &(vn__matrix){p->v, n, e, e, 1});
    }
    erase_unseen(p, a->back ? &p->keys : &p->values);
}

/* A block of queries: the first, their number, and the number of keys that the last one reaches. */
typedef struct block {
    int64_t first, n, keys;
} block;

static block block_at(const attention *a, int64_t first, int64_t end)
{
    const int64_t n = vn__min(QUERIES, end - first);
    return (block){first, n, reach(a, first + n - 1)};
}

/* The number of keys of a chunk that query i of the block attends to. */
static int64_t seen_of(const attention *a, const block *b, int64_t i, int64_t chunk, int64_t n)
{
    const int64_t seen = reach(a, b->first + i) - chunk;
    return seen < 0 ? 0 : vn__min(seen, n);
}

/* Begins a block: scales its queries, resets top and total. */
static void begin_block(const product *p, const block *b)
{
    const attention *a = p->a;
    const int64_t n = b->n * a->features;
    const float single = (float)a->scale;
    const void *scale = a->dtype == VN_F64 ? (const void *)&a->scale : &single;
    const vn__step_fn multiply = vn__native_steps(VN_EW_mul, a->dtype)[VN_VEC_SCALAR];
    if (n > 0) multiply(p->scaled, p->q + b->first * a->features * a->element, scale, n, NULL, 0);
    memset(p->total, 0, (size_t)(QUERIES * a->element));
    for (int64_t i = 0; i < QUERIES; i++) {
        if (a->dtype == VN_F64) ((double *)(void *)p->top)[i] = -__builtin_inf();
        else ((float *)(void *)p->top)[i] = -__builtin_inff();
    }
}

static char *row(const product *p, char *of, int64_t i)
{
    return of + i * ROW * p->a->element;
}

/* scores = queries times keys, for n keys from `chunk` on */
static void multiply_keys(const product *p, const block *b, int64_t chunk, int64_t n)
{
    const attention *a = p->a;
    const vn__matrix q = {p->scaled, b->n, a->features, a->features, 1};
    vn__packed_multiply(&p->keys_transposed, &q, 0, chunk, n, p->scores, ROW, true);
}

/* Masks the scores of query i and updates its top. */
static void mask_scores(const product *p, const block *b, int64_t i, int64_t chunk, int64_t n, char *top)
{
    const attention *a = p->a;
    a->fns->scores(row(p, p->scores, i), n, mask_at(p, b->first + i, chunk), a->mask_step, a->mask_is_bool, top);
}

/* Turns scores into weights, not yet divided by their total. `sums` are the rows of weighted values accumulated so far. */
static void weigh(const product *p, const block *b, int64_t chunk, int64_t n, char *sums)
{
    const attention *a = p->a;
    memcpy(p->before, p->top, (size_t)(QUERIES * a->element));
    for (int64_t i = 0; i < b->n; i++) {
        const int64_t seen = seen_of(a, b, i, chunk, n);
        char *top = p->top + i * a->element, *before = p->before + i * a->element, *total = p->total + i * a->element;
        mask_scores(p, b, i, chunk, seen, top);
        if (chunk > 0) a->fns->fade(total, 1, before, top);
        if (chunk > 0) a->fns->fade(sums + i * a->values * a->element, a->values, before, top);
        a->fns->weigh(row(p, p->scores, i), seen, top, total);
        memset(row(p, p->scores, i) + seen * a->element, 0, (size_t)((n - seen) * a->element));
    }
}

/* ---- forward ---- */

static void attend(const product *p, const block *b, char *out)
{
    const attention *a = p->a;
    int64_t chunk = 0;
    begin_block(p, b);
    do { /* at least once: a query with nothing to attend to gives zeros */
        const int64_t n = vn__min(KEYS, b->keys - chunk);
        const vn__matrix weights = {p->scores, b->n, n, ROW, 1};
        multiply_keys(p, b, chunk, n);
        weigh(p, b, chunk, n, out);
        vn__packed_multiply(&p->values, &weights, chunk, 0, a->values, out, a->values, chunk == 0);
        chunk += KEYS;
    } while (chunk < b->keys);
    for (int64_t i = 0; i < b->n; i++) a->fns->divide(out + i * a->values * a->element, a->values, p->total + i * a->element);
}

/* The log-sum-exp of the scores of a block; -inf if there are none. */
static void store_sums(const product *p, const block *b, char *to)
{
    for (int64_t i = 0; i < b->n; i++) {
        if (p->a->dtype == VN_F64) {
            ((double *)(void *)to)[i] = ((double *)(void *)p->top)[i] + log(((double *)(void *)p->total)[i]);
        } else {
            const double total = (double)((float *)(void *)p->total)[i];
            ((float *)(void *)to)[i] = (float)((double)((float *)(void *)p->top)[i] + log(total));
        }
    }
}

/* The start of result k for batch entry `index`, of `size` elements each; NULL: not used. */
static char *result(const job *j, int k, int64_t index, int64_t size)
{
    const int32_t storage = j->w->outs[k];
    return storage < 0 ? NULL : j->run->slots[storage] + index * size * j->a->element;
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const attention *a = j->a;
    const int64_t index = number / j->groups, first = number % j->groups * j->group, end = vn__min(first + j->group, a->queries);
    char *out = result(j, 0, index, a->queries * a->values), *sums = result(j, 1, index, a->queries);
    product p;
    begin(j, index, lane, &p);
    for (int64_t i = first; i < end; i += QUERIES) {
        const block b = block_at(a, i, end);
        attend(&p, &b, out ? out + i * a->values * a->element : p.unread);
        if (sums) store_sums(&p, &b, sums + i * a->element);
    }
}

/* Splits n queries into groups of whole blocks, about `units` in total. */
static void share(int64_t batch, int64_t queries, int64_t units, int64_t *groups, int64_t *group)
{
    const int64_t blocks = vn__ceil_div(queries, QUERIES), wanted = vn__min(vn__ceil_div(units, batch), blocks);
    *group = vn__ceil_div(blocks, wanted) * QUERIES;
    *groups = vn__ceil_div(queries, *group);
}

static void run_attention(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const attention *a = w->plan;
    const int lanes = run->lanes;
    job j = {a, w, run, 1, 0};
    if (a->nothing) return;
    share(a->batch, a->queries, lanes > 1 ? 4 * (int64_t)lanes : 1, &j.groups, &j.group);
    vn__native_parallel(lanes, a->batch * j.groups, unit, &j);
}

/* ---- backward ---- */

/* The outputs: gradients of this entry's queries, and a group's sums for keys and values. NULL: not used. */
typedef struct gradients {
    char *q, *k, *v;
} gradients;

/* Recomputes the weights of a chunk from the softmax statistics. */
static void weights_again(const product *p, const block *b, int64_t chunk, int64_t n)
{
    const attention *a = p->a;
    multiply_keys(p, b, chunk, n);
    for (int64_t i = 0; i < b->n; i++) {
        const int64_t seen = seen_of(a, b, i, chunk, n);
        char *scores = row(p, p->scores, i);
        mask_scores(p, b, i, chunk, seen, NULL);
        a->fns->weigh(scores, seen, p->sums + (b->first + i) * a->element, p->total);
        memset(scores + seen * a->element, 0, (size_t)((n - seen) * a->element));
    }
}

static void chunk_backward(const product *p, const block *b, int64_t chunk, const gradients *g)
{
    const attention *a = p->a;
    const int64_t n = vn__min(KEYS, b->keys - chunk), d = a->features, e = a->values, element = a->element;
    const char *ct = p->ct + b->first * e * element, *out = p->out + b->first * e * element;
    weights_again(p, b, chunk, n);
    const vn__matrix weights = {p->scores, n, b->n, 1, ROW}, slopes_transposed = {p->slopes, n, b->n, 1, ROW};
    const vn__matrix slopes = {p->slopes, b->n, n, ROW, 1};
    if (g->v) vn__packed_multiply(&p->cts, &weights, 0, 0, e, g->v + chunk * e * element, e, false);
    if (!g->q && !g->k) return;
    vn__packed_multiply(&p->values_transposed, &(vn__matrix){ct, b->n, e, e, 1}, 0, chunk, n, p->slopes, ROW, true);
    for (int64_t i = 0; i < b->n; i++) {
        const int64_t seen = seen_of(a, b, i, chunk, n);
        char *of_query = row(p, p->slopes, i);
        a->fns->slopes(of_query, row(p, p->scores, i), seen, ct + i * e * element, out + i * e * element, e, a->scale);
        memset(of_query + seen * element, 0, (size_t)((n - seen) * element));
    }
    if (g->k) vn__packed_multiply(&p->queries, &slopes_transposed, 0, 0, d, g->k + chunk * d * element, d, false);
    if (g->q) vn__packed_multiply(&p->keys, &slopes, chunk, 0, d, g->q + b->first * d * element, d, chunk == 0);
}

/* A query that attends to nothing must not contribute to keys, not even as 0 times NaN. */
static void erase_idle(const product *p, const block *b)
{
    const attention *a = p->a;
    for (int64_t i = 0; i < b->n; i++) {
        const void *sum = p->sums + (b->first + i) * a->element;
        const bool idle = a->dtype == VN_F64 ? *(const double *)sum == -__builtin_inf() : *(const float *)sum == -__builtin_inff();
        if (idle) vn__packed_erase(&p->queries, i);
    }
}

static void block_backward(product *p, const block *b, const gradients *g)
{
    const attention *a = p->a;
    const int64_t d = a->features, e = a->values;
    p->queries = vn__packed_of(a->dtype, b->n, d, p->queries.data);
    p->cts = vn__packed_of(a->dtype, b->n, e, p->cts.data);
    vn__packed_fill(&p->queries, &(vn__matrix){p->q + b->first * d * a->element, b->n, d, d, 1});
    vn__packed_fill(&p->cts, &(vn__matrix){p->ct + b->first * e * a->element, b->n, e, e, 1});
    begin_block(p, b);
    erase_idle(p, b);
    if (b->keys == 0 && g->q) memset(g->q + b->first * d * a->element, 0, (size_t)(b->n * d * a->element));
    for (int64_t chunk = 0; chunk < b->keys; chunk += KEYS) chunk_backward(p, b, chunk, g);
}

static void unit_backward(void *context, int64_t number, int lane)
{
    const job *j = context;
    const attention *a = j->a;
    const int64_t index = number / j->groups, first = number % j->groups * j->group, end = vn__min(first + j->group, a->queries);
    const int64_t k_size = a->keys * a->features, v_size = a->keys * a->values;
    gradients g = {result(j, 0, index, a->queries * a->features), result(j, 1, index, k_size), result(j, 2, index, v_size)};
    if (j->groups > 1) {
        char *own = j->run->shared + number * (k_size + v_size) * a->element;
        if (g.k) g.k = own;
        if (g.v) g.v = own + k_size * a->element;
    }
    if (g.k) memset(g.k, 0, (size_t)(k_size * a->element));
    if (g.v) memset(g.v, 0, (size_t)(v_size * a->element));
    product p;
    begin(j, index, lane, &p);
    for (int64_t i = first; i < end; i += QUERIES) {
        const block b = block_at(a, i, end);
        block_backward(&p, &b, &g);
    }
}

/* Adds the sums of all groups of one entry in order: `size` elements at offset `at` of each group's memory. */
static void add_up(const job *j, int64_t index, char *to, int64_t at, int64_t size)
{
    const attention *a = j->a;
    const int64_t bytes = a->keys * (a->features + a->values) * a->element;
    const vn__step_fn add = vn__native_steps(VN_EW_add, a->dtype)[VN_VEC_VEC];
    const char *from = j->run->shared + index * j->groups * bytes + at * a->element;
    if (!to || size == 0) return;
    memcpy(to, from, (size_t)(size * a->element));
    for (int64_t i = 1; i < j->groups; i++) add(to, to, from + i * bytes, size, NULL, 0);
}

static void add_groups(void *context, int64_t index, int lane)
{
    const job *j = context;
    const int64_t k_size = j->a->keys * j->a->features, v_size = j->a->keys * j->a->values;
    (void)lane;
    add_up(j, index, result(j, 1, index, k_size), 0, k_size);
    add_up(j, index, result(j, 2, index, v_size), k_size, v_size);
}

static void run_backward(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const attention *a = w->plan;
    const int lanes = run->lanes;
    job j = {a, w, run, a->groups, a->group};
    if (a->nothing) {
        for (int k = 0; k < w->n_out; k++)
            if (w->outs[k] >= 0 && w->out_descs[k].count > 0)
                memset(run->slots[w->outs[k]], 0, (size_t)(w->out_descs[k].count * a->element));
        return;
    }
    vn__native_parallel(lanes, a->batch * a->groups, unit_backward, &j);
    if (a->groups > 1) vn__native_parallel(lanes, a->batch, add_groups, &j);
}

/* ---- compiling ---- */

/* Strides of an operand's leading axes, above a matrix, or for sums a row. */
static void lead_strides(attention *a, const vn__whole *w, int32_t input)
{
    const vn_desc *x = &w->in_desc[input];
    const int32_t inner = a->back && input == SUMS ? 1 : 2;
    const int64_t missing = a->batch_rank - (x->rank - inner);
    int64_t stride = inner == 1 ? x->dims[x->rank - 1] : x->rank < 2 ? x->count : x->dims[x->rank - 2] * x->dims[x->rank - 1];
    for (int64_t r = a->batch_rank - 1; r >= missing; r--) {
        const int64_t size = x->dims[r - missing];
        a->strides[input][r] = size == 1 ? 0 : stride;
        stride *= size;
    }
}

static void set_mask(attention *a, const vn__whole *w)
{
    const vn_desc *m = &w->in_desc[a->mask];
    const int64_t keys = m->rank > 0 ? m->dims[m->rank - 1] : 1, queries = m->rank > 1 ? m->dims[m->rank - 2] : 1;
    a->mask_step = keys == 1 ? 0 : 1;
    a->mask_row = queries == 1 ? 0 : keys;
    a->mask_is_bool = m->dtype == VN_BOOL;
    a->mask_element = (int64_t)vn__native_bytes(m->dtype);
}

static int prepare(vn__graph *g, vn__whole *w, bool back)
{
    attention *a = vn__native_whole_keep(g, sizeof *a);
    if (!a) return vn__native_no_memory();
    const vn_desc *q = &w->in_desc[0], *v = &w->in_desc[2], *lead = back ? q : &w->out_desc;
    a->dtype = w->out_desc.dtype;
    a->element = (int64_t)vn__native_bytes(a->dtype);
    a->back = back;
    a->queries = q->dims[q->rank - 2];
    a->features = q->dims[q->rank - 1];
    a->keys = v->dims[v->rank - 2];
    a->values = v->dims[v->rank - 1];
    a->scale = w->instr->options[SCALE].u.f;
    a->causal = w->instr->options[CAUSAL].u.i != 0;
    a->mask = w->n_in > (back ? BACK_MASK : MASK) ? (back ? BACK_MASK : MASK) : -1;
    a->fns = a->dtype == VN_F64 ? &vn__native_isa->attention->f64 : &vn__native_isa->attention->f32;
    a->batch_rank = lead->rank - 2;
    a->batch = 1;
    for (int64_t r = 0; r < a->batch_rank; r++) a->batch *= a->batch_dims[r] = lead->dims[r];
    for (int32_t k = 0; k < w->n_in; k++) lead_strides(a, w, k);
    if (a->mask >= 0) set_mask(a, w);
    w->plan = a;
    w->kernel.run = back ? run_backward : run_attention;
    w->kernel.parallel = (double)a->batch * (double)a->queries * (double)a->keys * (double)(a->features + a->values) > PARALLEL;
    a->keeps = back || w->out >= 0;
    a->nothing = a->batch == 0 || a->queries == 0 || (back && a->keys == 0) || (a->values == 0 && (back || w->outs[1] < 0));
    if (a->nothing) return VN_OK;
    product p;
    w->kernel.lane_bytes = lay_out(a, &p, NULL);
    if (!back) return VN_OK;
    share(a->batch, a->queries, BACK_UNITS, &a->groups, &a->group);
    if (a->groups > 1) w->kernel.shared_bytes = (size_t)(a->batch * a->groups * a->keys * (a->features + a->values) * a->element);
    return VN_OK;
}

int vn__native_prepare_attention(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false);
}
int vn__native_prepare_attention_backward(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true);
}
