/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: a batch in parts (micro-batches). Each rank computes some of them, one program each, and adds their gradients in the fixed tree
 * of tree.c; exchange.c finishes the tree over all ranks. */
/* compiled for speed */
#include "group/group.h"
#include "base/floats.h"
#include "base/hash.h"
#include "base/minmax.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/nn.h"
#include "ops/row.h"
#include "tree/tree.h"
#include <string.h>

enum { LINE = 64 };

typedef struct vn__part_array {
    size_t at; /* in a sum */
    int64_t count;
    vn_dtype dtype;
    vn_shape shape;
    const char *engine;
    vn_array *late;   /* see vn__parts_late; NULL: none */
    const char *data; /* its elements */
} part_array;

static size_t line_up(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* ---- the parts of a rank ---- */

int vn__parts_begin(vn__parts *p, const vn_group *g, int64_t n, int n_values, bool fast, const char *who)
{
    *p = (vn__parts){.who = who, .group = vn__group_or_one(g), .n = n, .n_values = n_values, .fast = fast};
    if (n < 1 || n > INT32_MAX) return vn__fail(VN_E_ARG, "%s: a batch of %lld parts", who, (long long)n);
    p->first = vn__parts_first(p, p->group->rank), p->end = vn__parts_first(p, p->group->rank + 1);
    p->idle = p->first == p->end;
    uint64_t state[2] = {0};
    vn_random_state(state);
    p->random = vn__hash_bytes(VN__HASH, state, sizeof state);
    p->key = vn_random_key();
    p->values = p->key ? vn__calloc((size_t)n * (size_t)n_values * sizeof *p->values) : NULL;
    int code = p->values ? VN_OK : p->key ? vn__no_memory(who) : (int)vn_status();
    if (code) vn__group_give_up(vn_message()); /* the others wait for its parts */
    return code;
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
    if (vn__peek()->key_source->used) p->facts[VN__PARTS_RANDOM] = p->random;
    vn__peek()->key_source = p->before;
}

static void release_total(void *memory)
{
    vn__part_total *t = memory;
    if (atomic_fetch_sub(&t->refs, 1) != 1) return;
    if (t->shared) vn__shared_give_total();
    else vn__block_free(t->memory);
    vn__free(t);
}

void vn__parts_end(vn__parts *p)
{
    vn__overlap_end(p);
    vn__shared_return(p);
    vn__tree_sum_free(&p->sum);
    vn__parts_late_end(p);
    vn__free(p->values), vn__free(p->arrays), vn__free(p->order);
    if (p->total) release_total(p->total);
    p->values = NULL, p->arrays = NULL, p->order = NULL, p->total = NULL;
}

/* ---- adding ---- */

/* What ranks compare before they sum. */
static void note_facts(vn__parts *p)
{
    p->facts[VN__PARTS_NUMBER] = (uint64_t)p->n, p->facts[VN__PARTS_ENGINE] = vn__hash_text(p->arrays->engine);
    uint64_t hash = VN__HASH;
    for (int k = 0; k < p->n_arrays; k++) {
        const part_array *a = &p->arrays[k];
        hash = vn__hash_bytes(hash, (int[]){(int)a->dtype, a->shape.rank}, 2 * sizeof(int));
        hash = vn__hash_bytes(hash, a->shape.dim, (size_t)a->shape.rank * sizeof *a->shape.dim);
    }
    p->facts[VN__PARTS_ARRAYS] = hash;
}

/* Where each array stands: float32 first, then float64. */
static int lay_out(vn__parts *p, int n, vn_array *const *arrays)
{
    p->arrays = vn__calloc((size_t)n * sizeof *p->arrays + 1);
    p->order = vn__calloc((size_t)n * sizeof *p->order + 1);
    if (!p->arrays || !p->order) return vn__no_memory(p->who);
    size_t at = 0;
    for (int wide = 0; wide < 2; wide++) {
        for (int k = 0; k < n; k++) {
            part_array *a = &p->arrays[k];
            if ((vn_dtype_of(arrays[k]) == VN_F64) != wide) continue;
            *a = (part_array){.at = at,
                              .count = vn_size(arrays[k]),
                              .dtype = vn_dtype_of(arrays[k]),
                              .shape = vn_shape_of(arrays[k]),
                              .engine = vn_engine_of(arrays[k])};
            if (vn__is(a->dtype, ~(VN_BIT(VN_F32) | VN_BIT(VN_F64))))
                return vn__fail(VN_E_DTYPE, "%s: no sum of %s", p->who, vn_dtype_name(a->dtype));
            p->order[p->n_arrays++] = k;
            p->used = at + (size_t)a->count * vn_dtype_size(a->dtype);
            at = line_up(p->used);
        }
        if (!wide) p->sum.floats = at;
    }
    const size_t ranks = (size_t)p->group->ranks;
    p->sum.bytes = line_up((at + ranks - 1) / ranks) * ranks + (at ? 0 : LINE * ranks);
    note_facts(p);
    vn__shared_lend(p);
    return VN_OK;
}

/* Each product is rounded before it is added. */
#define SCALE(type)                                                                            \
    static void scale_##type(char *to, const void *from, int64_t n, double factor, bool fresh) \
    {                                                                                          \
        type *restrict y = (type *)(void *)to;                                                 \
        const type *restrict x = from;                                                         \
        const type f = (type)factor;                                                           \
        if (fresh) VN__FOR_VECTORS(n, y[i] = x[i] * f);                                        \
        else VN__FOR_VECTORS(n, y[i] += x[i] * f);                                             \
    }
SCALE(float)
SCALE(double)

static size_t end_of(const part_array *a)
{
    return a->at + (size_t)a->count * vn_dtype_size(a->dtype);
}

/* Adds an array to bytes begin to end of a sum, which begin at `to`, as far as it lies there. */
static void add_range(const part_array *a, const char *from, double factor, bool fresh, size_t begin, size_t end, char *to)
{
    const size_t first = vn__max(a->at, begin), last = vn__min(end_of(a), end);
    if (first >= last) return;
    const int64_t n = (int64_t)((last - first) / vn_dtype_size(a->dtype));
    (a->dtype == VN_F64 ? scale_double : scale_float)(to + (first - begin), from + (first - a->at), n, factor, fresh);
}
static void add_array(const part_array *a, char *sum, const void *from, double factor, bool fresh)
{
    add_range(a, from, factor, fresh, a->at, end_of(a), sum + a->at);
}

static void clear(size_t from, size_t until, size_t begin, size_t end, char *to)
{
    from = vn__max(from, begin), until = vn__min(until, end);
    if (from < until) memset(to + (from - begin), 0, until - from);
}

/* What lies between arrays, and after the last, is 0. */
static void clear_gaps(const vn__parts *p, char *sum)
{
    for (int k = 0; k < p->n_arrays; k++) clear(end_of(&p->arrays[k]), line_up(end_of(&p->arrays[k])), 0, p->sum.bytes, sum);
    clear(line_up(p->used), p->sum.bytes, 0, p->sum.bytes, sum);
}

/* ---- a sum that others see ---- */

/* The first array, by its place, that ends after this byte of a sum. */
static int first_after(const vn__parts *p, size_t byte)
{
    int first = 0, end = p->n_arrays;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (line_up(end_of(&p->arrays[p->order[middle]])) > byte) end = middle;
        else first = middle + 1;
    }
    return first;
}

/* These bytes of the sum of one part alone: in `room`, or where an array has just them. */
static const char *alone(const vn__parts *p, double weight, size_t begin, size_t end, char *room, bool where_it_is)
{
    for (int i = first_after(p, begin); i < p->n_arrays; i++) {
        const part_array *a = &p->arrays[p->order[i]];
        if (a->at >= end) break;
        if (where_it_is && weight == 1 && a->at <= begin && end <= end_of(a)) return a->data + (begin - a->at);
        add_range(a, a->data, weight, true, begin, end, room);
        clear(end_of(a), line_up(end_of(a)), begin, end, room);
    }
    clear(line_up(p->used), p->sum.bytes, begin, end, room);
    return room;
}

static void write_alone(const vn__parts *p, double weight, size_t begin, size_t end, char *sum)
{
    _Alignas(LINE) char room[1 << 14];
    for (size_t at = begin; at < end; at += sizeof room) {
        const size_t stop = vn__min(end, at + sizeof room);
        vn__shared_write(sum + at, alone(p, weight, at, stop, room, true), stop - at);
    }
}

/* The first part of a rank whose sum others read. If it is its only one, the chunk that this rank finishes itself is read from the arrays
 * then, and only what others read is copied for them. Whether the part is late in this way. */
static bool write_first(vn__parts *p, vn_array *const *arrays, double weight, char *sum)
{
    const size_t chunk = p->sum.bytes / (size_t)p->group->ranks, own = (size_t)p->group->rank * chunk;
    const bool late = p->end == p->first + 1;
    for (int k = 0; k < p->n_arrays && late; k++) p->arrays[k].late = vn_keep(arrays[k]);
    write_alone(p, weight, 0, late ? own : p->sum.bytes, sum);
    if (late) write_alone(p, weight, own + chunk, p->sum.bytes, sum);
    return late;
}

const char *vn__parts_late(const vn__parts *p, size_t begin, size_t end, char *room, bool where_it_is)
{
    if (!p->n_arrays || !p->arrays->late) return NULL;
    return alone(p, p->values[p->first * p->n_values], begin, end, room, where_it_is);
}

void vn__parts_late_end(vn__parts *p)
{
    for (int k = 0; k < p->n_arrays; k++) {
        if (p->arrays[k].late) vn_drop(p->arrays[k].late);
        p->arrays[k].late = NULL;
    }
}

void vn__parts_values(vn__parts *p, int64_t part, const double *values)
{
    if (!p->idle) memcpy(p->values + part * p->n_values, values, (size_t)p->n_values * sizeof *values);
}

int vn__parts_add(vn__parts *p, int64_t part, int n, vn_array *const *arrays, const double *values)
{
    int code = p->arrays ? VN_OK : lay_out(p, n, arrays);
    if (code || p->idle) return code;
    vn__parts_values(p, part, values);
    bool fresh;
    char *sum = vn__tree_sum_leaf(&p->sum, part, &fresh);
    if (!sum) return vn__no_memory(p->who);
    for (int k = 0; k < n; k++)
        if (!(p->arrays[k].data = vn_data(arrays[k]))) return vn_status();
    const bool first = fresh && sum == p->sum.lent;
    if (first && write_first(p, arrays, values[0], sum)) return VN_OK;
    for (int k = 0; k < n && !first; k++) add_array(&p->arrays[k], sum, p->arrays[k].data, values[0], fresh);
    if (fresh && !first) clear_gaps(p, sum);
    vn__tree_sum_settle(&p->sum);
    return VN_OK;
}

/* ---- the last part, in buckets ---- */

size_t vn__parts_at(const vn__parts *p, int k)
{
    return k < p->n_arrays ? p->arrays[k].at : p->sum.floats;
}

int vn__parts_begin_last(vn__parts *p, int64_t part, int n, vn_array *const *arrays, bool *wanted)
{
    int code = p->arrays ? VN_OK : lay_out(p, n, arrays);
    *wanted = !code && vn__overlap_wanted(p);
    if (!*wanted) return code;
    bool fresh;
    char *sum = vn__tree_sum_leaf(&p->sum, part, &fresh);
    if (!sum) return vn__no_memory(p->who);
    if (fresh) memset(sum, 0, p->sum.bytes);
    return VN_OK;
}

int vn__parts_add_last(vn__parts *p, int first, int end, vn_array *const *arrays, double weight)
{
    const size_t begin = vn__parts_at(p, first), stop = vn__parts_at(p, end);
    char *sum = p->sum.stack[p->sum.n - 1].sum;
    for (int k = first; k < end && !p->idle; k++) {
        const void *from = vn_data(arrays[k]);
        if (!from) return vn_status();
        add_array(&p->arrays[k], sum, from, weight, false);
    }
    for (int k = 1; k < p->sum.n; k++) vn__sum_add(p->sum.stack[0].sum, p->sum.stack[k].sum, p->sum.floats, begin, stop);
    return vn__overlap_start(p, begin, stop);
}

/* ---- results ---- */

vn_array *vn__parts_result(vn__parts *p, int k)
{
    const part_array *a = &p->arrays[k];
    if (!a->count) return vn_to(vn_zeros(a->shape, a->dtype), a->engine);
    atomic_fetch_add(&p->total->refs, 1);
    vn_array *x = vn_wrap(p->total->memory + a->at, a->dtype, a->shape, release_total, p->total);
    return x ? vn_to(x, a->engine) : NULL;
}
