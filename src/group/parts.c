/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: a batch in parts (micro-batches). Each rank computes some of them, one program each, and adds their gradients in the fixed tree
 * of tree.c; exchange.c finishes the tree over all ranks. */
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
    vn__free(p->values), vn__free(p->arrays);
    if (p->total) release_total(p->total);
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
            *a = (part_array){.at = at,
                              .count = vn_size(arrays[k]),
                              .dtype = vn_dtype_of(arrays[k]),
                              .shape = vn_shape_of(arrays[k]),
                              .engine = vn_engine_of(arrays[k])};
            if (vn__is(a->dtype, ~(VN_BIT(VN_F32) | VN_BIT(VN_F64))))
                return vn__fail(VN_E_DTYPE, "%s: no sum of %s", p->who, vn_dtype_name(a->dtype));
            p->used = at + (size_t)a->count * vn_dtype_size(a->dtype);
            at = line_up(p->used);
        }
        if (!wide) p->sum.floats = at;
    }
    const size_t ranks = (size_t)p->group->ranks;
    p->sum.bytes = line_up((at + ranks - 1) / ranks) * ranks + (at ? 0 : LINE * ranks);
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
static void clear_gaps(const vn__parts *p, size_t begin, size_t end, char *to)
{
    size_t last = 0;
    for (int k = 0; k < p->n_arrays; k++) {
        const size_t array_end = end_of(&p->arrays[k]);
        clear(array_end, line_up(array_end), begin, end, to);
        last = vn__max(last, line_up(array_end));
    }
    clear(last, p->sum.bytes, begin, end, to);
}

/* ---- a sum that others see ---- */

/* This rank's only part: the chunk that it finishes itself is read from the arrays then, and only what others read is copied for them. */
static bool add_late(vn__parts *p, vn_array *const *arrays, double weight, char *sum)
{
    const size_t chunk = p->sum.bytes / (size_t)p->group->ranks, own = (size_t)p->group->rank * chunk;
    if (!p->sum.lent || p->end != p->first + 1) return false;
    for (int k = 0; k < p->n_arrays; k++) {
        part_array *a = &p->arrays[k];
        a->late = vn_keep(arrays[k]);
        add_range(a, a->data, weight, true, 0, own, sum);
        add_range(a, a->data, weight, true, own + chunk, p->sum.bytes, sum + own + chunk);
    }
    clear_gaps(p, 0, own, sum);
    clear_gaps(p, own + chunk, p->sum.bytes, sum + own + chunk);
    return true;
}

const char *vn__parts_late(const vn__parts *p, size_t begin, size_t end, char *room, bool where_it_is)
{
    if (!p->n_arrays || !p->arrays->late) return NULL;
    const double weight = p->values[p->first * p->n_values];
    for (int k = 0; k < p->n_arrays; k++) {
        const part_array *a = &p->arrays[k];
        if (where_it_is && weight == 1 && a->at <= begin && end <= end_of(a)) return a->data + (begin - a->at);
        add_range(a, a->data, weight, true, begin, end, room);
    }
    clear_gaps(p, begin, end, room);
    return room;
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
    if (add_late(p, arrays, values[0], sum)) return VN_OK;
    for (int k = 0; k < n; k++) add_array(&p->arrays[k], sum, p->arrays[k].data, values[0], fresh);
    if (fresh) clear_gaps(p, 0, p->sum.bytes, sum);
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
    if (!x) release_total(p->total);
    return x ? vn_to(x, a->engine) : NULL;
}
