/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: take, index_add and index_set: reading and writing along an axis at positions given by an array. Threads split take
 * by rows, index_add and index_set by columns; one thread writes a column in the order of the index, so that repeated
 * positions give the same result for any number of threads. */
/* compiled for speed */
#include <string.h>

#include "internal.h"

#define THRESHOLDS_INDEX
#include "thresholds.h"

/* x: (outer, length, inner); index: (count); what is taken or put: (outer, count, inner) */
typedef struct indexing {
    int64_t outer, length, inner, count, blocks, rows_per_unit;
    size_t element;
    bool adds;           /* index_add */
    uint64_t missing[2]; /* take: the bit pattern for positions out of range */
} indexing;

typedef struct job {
    const indexing *p;
    const int64_t *index;
    const char *x, *y;
    char *out;
    int64_t bytes; /* of out */
    void (*put)(const struct job *j, int64_t outer, int64_t first, int64_t n);
} job;

/* Position i normalised to the axis; -1 if out of range. */
static inline int64_t place(int64_t i, int64_t length)
{
    if (i < 0) i += length;
    return i >= 0 && i < length ? i : -1;
}

/* ---- take ---- */

/* Single elements. */
#define PICK(type)                                                                                                     \
    static void pick_##type(type *to, const type *from, const int64_t *index, int64_t n, int64_t length, type missing) \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const int64_t at = place(index[i], length);                                                                \
            to[i] = at < 0 ? missing : from[at];                                                                       \
        }                                                                                                              \
    }
PICK(uint8_t)
PICK(uint16_t)
PICK(uint32_t)
PICK(uint64_t)

static void pick(const job *j, int64_t outer, int64_t first, int64_t n)
{
    const indexing *p = j->p;
    void *to = j->out + (size_t)(outer * p->count + first) * p->element;
    const void *from = j->x + (size_t)(outer * p->length) * p->element;
    const int64_t *index = j->index + first;
    if (p->element == 1) pick_uint8_t(to, from, index, n, p->length, (uint8_t)p->missing[0]);
    else if (p->element == 2) pick_uint16_t(to, from, index, n, p->length, (uint16_t)p->missing[0]);
    else if (p->element == 4) pick_uint32_t(to, from, index, n, p->length, (uint32_t)p->missing[0]);
    else pick_uint64_t(to, from, index, n, p->length, p->missing[0]);
}

static void pick_rows(const job *j, int64_t outer, int64_t first, int64_t n)
{
    const indexing *p = j->p;
    const size_t row = (size_t)p->inner * p->element;
    char *to = j->out + (size_t)(outer * p->count + first) * row;
    const char *from = j->x + (size_t)(outer * p->length) * row;
    for (int64_t i = 0; i < n; i++, to += row) {
        const int64_t at = place(j->index[first + i], p->length);
        if (at >= 0) memcpy(to, from + (size_t)at * row, row);
        else vn__native_isa->copy->splat[p->element](to, p->missing, p->missing, p->inner, NULL, 0);
    }
}

static void take_unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const indexing *p = j->p;
    (void)lane;
    const int64_t end = vn__min(p->outer * p->count, (number + 1) * p->rows_per_unit);
    for (int64_t row = number * p->rows_per_unit; row < end;) {
        const int64_t outer = row / p->count, first = row % p->count, n = vn__min(end - row, p->count - first);
        (p->inner == 1 && p->element <= 8 ? pick : pick_rows)(j, outer, first, n);
        row += n;
    }
}

static void run_take(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const indexing *p = w->plan;
    job j = {.p = p, .x = run->slots[w->in[0]], .out = run->slots[w->out]};
    j.index = (const int64_t *)(const void *)run->slots[w->in[1]];
    if (w->out_desc.count == 0) return;
    vn__native_parallel(run->lanes, vn__ceil_div(p->outer * p->count, p->rows_per_unit), take_unit, &j);
}

static uint64_t missing_bits(int32_t dtype)
{
    switch (dtype) {
    case VN_F16: return 0x7E00;
    case VN_BF16: return 0x7FC0;
    case VN_F32:
    case VN_C64: return 0x7FC00000; /* of the real part */
    case VN_F64:
    case VN_C128: return UINT64_C(0x7FF8000000000000);
    default: return 0;
    }
}

enum { AXIS }; /* options */

static indexing *plan(vn__graph *g, vn__whole *w)
{
    indexing *p = w->plan = vn__native_whole_keep(g, sizeof *p);
    if (!p) return NULL;
    const vn_desc *x = &w->in_desc[0];
    const int64_t axis = w->instr->options[AXIS].u.i;
    const vn__shape3 shape = vn__native_shape3(x, axis, axis);
    p->outer = shape.outer;
    p->length = shape.length;
    p->inner = shape.inner;
    p->count = w->in_desc[1].count;
    p->element = vn__native_bytes(x->dtype);
    return p;
}

int vn__native_prepare_take(vn__graph *g, vn__whole *w)
{
    indexing *p = plan(g, w);
    if (!p) return vn__native_no_memory();
    p->missing[0] = missing_bits(w->out_desc.dtype);
    p->rows_per_unit = 1 + UNIT / (p->inner + 1);
    w->kernel.run = run_take;
    w->kernel.parallel = w->out_desc.count >= PARALLEL;
    return VN_OK;
}

/* ---- index_add, index_set ---- */

/* Adds columns first .. first+n of y's rows to their target rows. Integers wrap around. */
#define ADD(type)                                                                                                      \
    static void add_##type(const job *j, int64_t outer, int64_t first, int64_t n)                                      \
    {                                                                                                                  \
        const indexing *p = j->p;                                                                                      \
        const type *y = (const type *)(const void *)j->y + outer * p->count * p->inner + first;                        \
        type *out = (type *)(void *)j->out + outer * p->length * p->inner + first;                                     \
        for (int64_t i = 0; i < p->count; i++, y += p->inner) {                                                        \
            const int64_t at = place(j->index[i], p->length);                                                          \
            for (int64_t k = 0; at >= 0 && k < n; k++) out[at * p->inner + k] = (type)(out[at * p->inner + k] + y[k]); \
        }                                                                                                              \
    }
ADD(uint8_t)
ADD(uint16_t)
ADD(uint32_t)
ADD(uint64_t)
ADD(float)
ADD(double)

static void set(const job *j, int64_t outer, int64_t first, int64_t n)
{
    const indexing *p = j->p;
    const size_t row = (size_t)p->inner * p->element, skip = (size_t)first * p->element, bytes = (size_t)n * p->element;
    const char *y = j->y + (size_t)(outer * p->count) * row + skip;
    char *out = j->out + (size_t)(outer * p->length) * row + skip;
    for (int64_t i = 0; i < p->count; i++, y += row) {
        const int64_t at = place(j->index[i], p->length);
        if (at >= 0) memcpy(out + (size_t)at * row, y, bytes);
    }
}

static void put_unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const indexing *p = j->p;
    const int64_t first = number % p->blocks * COLUMNS;
    (void)lane;
    j->put(j, number / p->blocks, first, p->blocks == 1 ? p->inner : vn__min(COLUMNS, p->inner - first));
}

static void copy_unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const int64_t start = number * COPIED, n = vn__min(COPIED, j->bytes - start);
    (void)lane;
    memcpy(j->out + start, j->x + start, (size_t)n);
}

static void run_put(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const indexing *p = w->plan;
    static void (*const adders[])(const job *, int64_t, int64_t, int64_t) = {
        [VN_I8] = add_uint8_t,   [VN_U8] = add_uint8_t,   [VN_I16] = add_uint16_t, [VN_U16] = add_uint16_t, [VN_I32] = add_uint32_t,
        [VN_U32] = add_uint32_t, [VN_I64] = add_uint64_t, [VN_U64] = add_uint64_t, [VN_F32] = add_float,    [VN_F64] = add_double};
    job j = {.p = p, .x = run->slots[w->in[0]], .y = run->slots[w->in[2]], .out = run->slots[w->out]};
    j.index = (const int64_t *)(const void *)run->slots[w->in[1]];
    j.put = p->adds ? adders[w->out_desc.dtype] : set;
    if (w->out_desc.count == 0) return;
    const int lanes = run->lanes;
    j.bytes = w->out_desc.count * (int64_t)p->element;
    if (j.x != j.out) vn__native_parallel(lanes, vn__ceil_div(j.bytes, COPIED), copy_unit, &j);
    vn__native_parallel(lanes, p->outer * p->blocks, put_unit, &j);
}

static int prepare_put(vn__graph *g, vn__whole *w, bool adds)
{
    indexing *p = plan(g, w);
    if (!p) return vn__native_no_memory();
    p->adds = adds;
    const int64_t moved = w->out_desc.count + w->in_desc[2].count;
    w->kernel.parallel = moved >= PARALLEL;
    p->blocks = w->kernel.parallel ? (p->inner + COLUMNS - 1) / COLUMNS : 1;
    if (p->blocks < 1) p->blocks = 1;
    w->kernel.run = run_put;
    w->in_place = true;
    return VN_OK;
}

int vn__native_prepare_index_add(vn__graph *g, vn__whole *w)
{
    return prepare_put(g, w, true);
}
int vn__native_prepare_index_set(vn__graph *g, vn__whole *w)
{
    return prepare_put(g, w, false);
}
