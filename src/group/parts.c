/* parts.c: a batch in parts (micro-batches). Each rank computes some of them, one program each, and adds their gradients in the fixed tree
 * of tree.c; then every rank owns a chunk of the sums: it gets that chunk of all other ranks' sums, finishes the tree, and all gather the
 * chunks. That moves the bytes of an all-reduce, and gives the same bits on any number of ranks. */
/* compiled for speed */
#include "group/group.h"
#include "base/floats.h"
#include "base/minmax.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/nn.h"
#include "ops/row.h"
#include "tree/tree.h"
#include <math.h>
#include <string.h>

enum { LINE = 64, MESSAGE = 500 };

typedef struct vn__part_array {
    size_t at; /* in a sum */
    int64_t count;
    vn_dtype dtype;
    vn_shape shape;
    const char *engine;
} part_array;

typedef struct vn__part_total { /* memory that arrays alias */
    _Atomic int refs;
    char *memory;
} total;

static size_t line_up(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* ---- the parts of a rank ---- */

static int64_t first_of(const vn__parts *p, int rank)
{
    return (rank * p->n + p->group->ranks - 1) / p->group->ranks;
}

int vn__parts_begin(vn__parts *p, const vn_group *g, int64_t n, int n_values, bool fast, const char *who)
{
    *p = (vn__parts){.who = who, .group = vn__group_or_one(g), .n = n, .n_values = n_values, .fast = fast};
    if (n < 1 || n > INT32_MAX) return vn__fail(VN_E_ARG, "%s: a batch of %lld parts", who, (long long)n);
    p->first = first_of(p, p->group->rank), p->end = first_of(p, p->group->rank + 1);
    p->idle = p->first == p->end;
    p->key = vn_random_key();
    p->values = p->key ? vn__calloc((size_t)n * (size_t)n_values * sizeof *p->values) : NULL;
    return p->values ? VN_OK : p->key ? vn__no_memory(who) : (int)vn_status();
}

int vn__parts_enter(vn__parts *p, int64_t part, vn__key_source *s)
{
    *s = (vn__key_source){.key = vn_random_fold(p->key, vn_from_host(&part, VN_I64, VN_0D))};
    p->before = vn__peek()->key_source;
    if (s->key) vn__peek()->key_source = s;
    return s->key ? VN_OK : (int)vn_status();
}

void vn__parts_leave(vn__parts *p)
{
    vn__peek()->key_source = p->before;
}

void vn__parts_end(vn__parts *p)
{
    vn__tree_sum_free(&p->sum);
    vn__free(p->values), vn__free(p->arrays);
    if (p->total && atomic_fetch_sub(&p->total->refs, 1) == 1) vn__block_free(p->total->memory), vn__free(p->total);
    p->values = NULL, p->arrays = NULL, p->total = NULL;
}

/* ---- adding ---- */

/* Where each array stands: float32 first, then float64. */
static int lay_out(vn__parts *p, int n, vn_array *const *arrays)
{
    p->arrays = vn__calloc((size_t)n * sizeof *p->arrays + 1);
    if (!p->arrays) return vn__no_memory(p->who);
    p->n_arrays = n;
    size_t at = 0;
    for (int wide = 0; wide < 2; wide++) {
        for (int k = 0; k < n; k++) {
            part_array *a = &p->arrays[k];
            if ((vn_dtype_of(arrays[k]) == VN_F64) != wide) continue;
            *a = (part_array){at, vn_size(arrays[k]), vn_dtype_of(arrays[k]), vn_shape_of(arrays[k]), vn_engine_of(arrays[k])};
            if (vn__is(a->dtype, ~(VN_BIT(VN_F32) | VN_BIT(VN_F64))))
                return vn__fail(VN_E_DTYPE, "%s: no sum of %s", p->who, vn_dtype_name(a->dtype));
            at = line_up(at + (size_t)a->count * vn_dtype_size(a->dtype));
        }
        if (!wide) p->sum.floats = at;
    }
    const size_t ranks = (size_t)p->group->ranks;
    p->sum.bytes = line_up((at + ranks - 1) / ranks) * ranks + (at ? 0 : LINE * ranks);
    return VN_OK;
}

#define SCALE(type)                                                                            \
    static void scale_##type(char *to, const void *from, int64_t n, double factor, bool fresh) \
    {                                                                                          \
        type *restrict y = (type *)(void *)to;                                                 \
        const type *restrict x = from;                                                         \
        const type f = (type)factor;                                                           \
        for (int64_t i = 0; i < n; i++) {                                                      \
            const type scaled = x[i] * f; /* rounded */                                        \
            y[i] = fresh ? scaled : y[i] + scaled;                                             \
        }                                                                                      \
    }
SCALE(float)
SCALE(double)

static void add_array(const part_array *a, char *to, const void *from, double factor, bool fresh)
{
    (a->dtype == VN_F64 ? scale_double : scale_float)(to + a->at, from, a->count, factor, fresh);
}

/* What lies between arrays, and after the last, is 0. */
static void clear_gaps(const vn__parts *p, char *sum)
{
    size_t last = 0;
    for (int k = 0; k < p->n_arrays; k++) {
        const part_array *a = &p->arrays[k];
        const size_t end = a->at + (size_t)a->count * vn_dtype_size(a->dtype);
        memset(sum + end, 0, line_up(end) - end);
        if (line_up(end) > last) last = line_up(end);
    }
    memset(sum + last, 0, p->sum.bytes - last);
}

int vn__parts_add(vn__parts *p, int64_t part, int n, vn_array *const *arrays, const double *values)
{
    int code = p->arrays ? VN_OK : lay_out(p, n, arrays);
    if (code || p->idle) return code;
    memcpy(p->values + part * p->n_values, values, (size_t)p->n_values * sizeof *values);
    bool fresh;
    char *sum = vn__tree_sum_leaf(&p->sum, part, &fresh);
    if (!sum) return vn__no_memory(p->who);
    for (int k = 0; k < n; k++) {
        const void *from = vn_data(arrays[k]);
        if (!from) return vn_status();
        add_array(&p->arrays[k], sum, from, values[0], fresh);
    }
    if (fresh) clear_gaps(p, sum);
    vn__tree_sum_settle(&p->sum);
    return VN_OK;
}

/* ---- the exchange ---- */

typedef struct {
    int64_t code;
    char message[MESSAGE];
    double values[]; /* of its parts */
} record;

/* Every rank's outcome and values; if one failed, all fail. */
static int exchange_values(vn__parts *p, int code)
{
    const vn__group *g = p->group;
    const size_t most = (size_t)((p->n + g->ranks - 1) / g->ranks), width = (size_t)p->n_values * sizeof(double);
    const size_t bytes = sizeof(record) + most * width;
    record *own = vn__calloc(bytes);
    char *all = own ? vn__calloc(bytes * (size_t)g->ranks) : NULL;
    if (!all) return vn__free(own), vn__no_memory(p->who);
    own->code = code;
    if (code) snprintf(own->message, sizeof own->message, "%s", vn_message());
    if (!p->idle) memcpy(own->values, p->values + p->first * p->n_values, (size_t)(p->end - p->first) * width);
    int failed = vn__group_gather(g, own, all, bytes, p->who);
    if (failed) return code ? code : failed; /* the memory may still be written to */
    for (int k = 0; k < g->ranks; k++) {
        record *r = (record *)(void *)(all + (size_t)k * bytes);
        r->message[MESSAGE - 1] = 0;
        if (r->code && !code) code = vn__fail(VN_E_GROUP, "%s: rank %d: %s", p->who, k, r->message);
        memcpy(p->values + first_of(p, k) * p->n_values, r->values, (size_t)(first_of(p, k + 1) - first_of(p, k)) * width);
    }
    vn__free(own), vn__free(all);
    return code;
}

/* This rank's chunk of all ranks' blocks comes in; its blocks' other chunks go out. incoming: the blocks of all ranks, in order. */
typedef struct {
    size_t chunk;
    int n; /* blocks of all ranks */
    vn__block *incoming;
    char *memory; /* for those of other ranks, and a copy of its own */
} chunks;

static int plan_chunks(vn__parts *p, chunks *c)
{
    const int ranks = p->group->ranks;
    vn__block one[2 * VN__TREE_LEVELS];
    c->chunk = p->sum.bytes / (size_t)ranks;
    c->n = 0;
    for (int k = 0; k < ranks; k++) c->n += vn__tree_blocks(first_of(p, k), first_of(p, k + 1), one);
    c->incoming = vn__calloc((size_t)c->n * sizeof *c->incoming);
    c->memory = vn__block_alloc((size_t)c->n * c->chunk);
    if (!c->incoming || !c->memory) return vn__no_memory(p->who);
    if (c->chunk / sizeof(double) > (size_t)vn__the_world.api->most)
        return vn__fail(VN_E_ARG, "%s: gradients of %zu bytes are too many for %d ranks", p->who, p->sum.bytes, ranks);
    for (int k = 0, at = 0; k < ranks; k++) at += vn__tree_blocks(first_of(p, k), first_of(p, k + 1), c->incoming + at);
    for (int b = 0; b < c->n; b++) c->incoming[b].sum = c->memory + (size_t)b * c->chunk;
    return VN_OK;
}

static int swap_chunks(vn__parts *p, chunks *c)
{
    const vn__group *g = p->group;
    const int64_t count = (int64_t)(c->chunk / sizeof(double));
    vn_transfer *t = vn__calloc((size_t)(c->n + p->sum.n * g->ranks) * sizeof *t);
    if (!t) return vn__no_memory(p->who);
    int n = 0;
    for (int k = 0, b = 0; k < g->ranks; k++) {
        vn__block theirs[2 * VN__TREE_LEVELS];
        const int blocks = vn__tree_blocks(first_of(p, k), first_of(p, k + 1), theirs);
        for (int i = 0; i < blocks; i++, b++) {
            if (k == g->rank) memcpy(c->incoming[b].sum, p->sum.stack[i].sum + (size_t)k * c->chunk, c->chunk);
            else
                t[n++] = (vn_transfer){
                    .kind = VN_TRANSFER_RECEIVE, .dtype = VN_F64, .rank = k, .tag = i, .count = count, .out = c->incoming[b].sum};
        }
        for (int i = 0; i < p->sum.n && k != g->rank; i++)
            t[n++] = (vn_transfer){.kind = VN_TRANSFER_SEND,
                                   .dtype = VN_F64,
                                   .rank = k,
                                   .tag = i,
                                   .count = count,
                                   .in = p->sum.stack[i].sum + (size_t)k * c->chunk};
    }
    int code = vn__group_run(g, n, t, p->who);
    vn__free(t);
    return code;
}

static void divide(char *sum, size_t floats, size_t bytes, double weight)
{
    const double factor = 1 / weight;
    const float narrow = (float)factor;
    float *x = (float *)(void *)sum;
    double *y = (double *)(void *)(sum + floats);
    for (size_t i = 0; i < floats / sizeof *x; i++) x[i] *= narrow;
    for (size_t i = 0; i < (bytes - floats) / sizeof *y; i++) y[i] *= factor;
}

/* The sum of this rank's chunk over all parts, in the fixed tree, divided by their weight. */
static char *finish_chunk(const vn__parts *p, const chunks *c)
{
    const size_t begin = (size_t)p->group->rank * c->chunk;
    vn__tree_sum s = {.bytes = c->chunk, .borrowed = true};
    s.floats = p->sum.floats > begin ? vn__min(p->sum.floats - begin, c->chunk) : 0;
    for (int b = 0; b < c->n; b++) vn__tree_sum_push(&s, c->incoming[b]);
    vn__tree_sum_fold(&s);
    divide(s.stack[0].sum, s.floats, c->chunk, p->weight);
    return s.stack[0].sum;
}

static int sum_in_tree(vn__parts *p, char *to)
{
    chunks c = {0};
    int code = plan_chunks(p, &c);
    if (!code) code = swap_chunks(p, &c);
    if (!code) {
        vn_transfer t = {.kind = VN_TRANSFER_ALL_GATHER, .dtype = VN_F64, .out = to};
        t.in = finish_chunk(p, &c), t.count = (int64_t)(c.chunk / sizeof(double));
        code = vn__group_run(p->group, 1, &t, p->who);
    }
    vn__free(c.incoming);
    if (!code || !*vn__the_world.broken) vn__block_free(c.memory); /* otherwise it may still be written to */
    return code;
}

/* In the order of MPI_Allreduce. */
static int sum_fast(vn__parts *p, char *to)
{
    if (p->sum.n) memcpy(to, p->sum.stack[0].sum, p->sum.bytes);
    else memset(to, 0, p->sum.bytes);
    vn_transfer t = {.kind = VN_TRANSFER_ALL_REDUCE, .reduction = VN_REDUCE_SUM, .dtype = VN_F32, .in = to, .out = to};
    t.count = (int64_t)(p->sum.floats / sizeof(float));
    int code = t.count ? vn__group_move(p->group, &t, p->who) : VN_OK;
    t.in = t.out = to + p->sum.floats, t.dtype = VN_F64, t.count = (int64_t)((p->sum.bytes - p->sum.floats) / sizeof(double));
    if (!code && t.count) code = vn__group_move(p->group, &t, p->who);
    if (!code) divide(to, p->sum.floats, p->sum.bytes, p->weight);
    return code;
}

static int sum_all(vn__parts *p)
{
    const bool alone = !p->group->comm;
    if (alone || p->fast) vn__tree_sum_fold(&p->sum);
    p->total = vn__calloc(sizeof *p->total);
    if (!p->total) return vn__no_memory(p->who);
    p->total->refs = 1;
    p->total->memory = alone ? p->sum.stack[0].sum : vn__block_alloc(p->sum.bytes);
    if (alone) p->sum.n = 0; /* its memory moved */
    if (!p->total->memory) return vn__no_memory(p->who);
    if (!alone) return (p->fast ? sum_fast : sum_in_tree)(p, p->total->memory);
    divide(p->total->memory, p->sum.floats, p->sum.bytes, p->weight);
    return VN_OK;
}

int vn__parts_exchange(vn__parts *p, int code)
{
    code = exchange_values(p, code);
    if (code) return code;
    p->weight = 0;
    for (int64_t k = 0; k < p->n; k++) p->weight += p->values[k * p->n_values];
    if (!(p->weight > 0) || isinf(p->weight)) return vn__fail(VN_E_ARG, "%s: the weights of the parts add up to %g", p->who, p->weight);
    return sum_all(p);
}

static void release_total(void *memory)
{
    total *t = memory;
    if (atomic_fetch_sub(&t->refs, 1) == 1) vn__block_free(t->memory), vn__free(t);
}

vn_array *vn__parts_result(vn__parts *p, int k)
{
    const part_array *a = &p->arrays[k];
    if (!a->count) return vn_to(vn_zeros(a->shape, a->dtype), a->engine);
    atomic_fetch_add(&p->total->refs, 1);
    vn_array *x = vn_wrap(p->total->memory + a->at, a->dtype, a->shape, release_total, p->total);
    if (!x) release_total(p->total);
    return x ? vn_to(x, a->engine) : NULL;
}
