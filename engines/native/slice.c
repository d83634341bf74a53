/* SPDX-License-Identifier: Apache-2.0 */
/* slice.c: slice and slice_set, whose start is known only when they run. Starts are clamped so that the piece fits. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_SLICE
#include "thresholds.h"

typedef struct slicing {
    vn__kernel kernel;
    int32_t x, y, start, out; /* storages; y: the piece that slice_set writes */
    int32_t rank;
    size_t element;
    int64_t count, total, offset;                    /* elements of the piece and of the whole array; offset of the whole */
    int64_t most[VN_MAX_RANK], strides[VN_MAX_RANK]; /* greatest start and step of every axis of the whole */
    vn__view piece;                                  /* the piece inside the whole, from its start */
    vn__view y_view;
    bool y_rows;
    vn_desc desc;
} slicing;

typedef struct job {
    const slicing *s;
    const vn__run *run;
    char *whole; /* offset to the first element of the piece */
} job;

static int64_t first_element(const slicing *s, const vn__run *run)
{
    const int64_t *start = (const int64_t *)(const void *)run->slots[s->start];
    int64_t at = s->offset;
    for (int32_t r = 0; r < s->rank; r++) {
        const int64_t i = start[r] < 0 ? 0 : vn__min(start[r], s->most[r]);
        at += i * s->strides[r];
    }
    return at * (int64_t)s->element;
}

static void slice_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const slicing *s = j->s;
    const int64_t first = unit * UNIT, n = vn__min(UNIT, s->count - first);
    (void)lane;
    vn__native_isa->copy->gather[s->element](j->run->slots[s->out] + first * (int64_t)s->element, j->whole, j->whole, n, &s->piece, first);
}

static void run_slice(const vn__kernel *kernel, const vn__run *run)
{
    const slicing *s = (const slicing *)kernel;
    if (s->count == 0) return;
    job j = {s, run, run->slots[s->x] + first_element(s, run)};
    vn__native_parallel(run->lanes, vn__ceil_div(s->count, UNIT), slice_unit, &j);
}

static void copy_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const size_t first = (size_t)unit * UNIT * j->s->element, all = (size_t)j->s->total * j->s->element;
    const size_t bytes = vn__min(all - first, UNIT * j->s->element);
    (void)lane;
    memcpy(j->run->slots[j->s->out] + first, j->run->slots[j->s->x] + first, bytes);
}

static void put_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const slicing *s = j->s;
    char *lifted = j->run->scratch + (size_t)lane * j->run->lane_bytes;
    const int64_t end = vn__min(s->count, (unit + 1) * UNIT);
    for (int64_t i = unit * UNIT; i < end; i += PIECE) {
        const int64_t n = vn__min(PIECE, end - i);
        const char *y = j->run->slots[s->y];
        if (s->y_rows) y += i * (int64_t)s->element;
        else vn__native_isa->copy->gather[s->element](lifted, y, y, n, &s->y_view, i);
        vn__native_isa->copy->scatter[s->element](j->whole, s->y_rows ? y : lifted, &s->piece, i, n);
    }
}

static void run_slice_set(const vn__kernel *kernel, const vn__run *run)
{
    const slicing *s = (const slicing *)kernel;
    const int lanes = run->lanes;
    job j = {s, run, run->slots[s->out]};
    if (run->slots[s->x] != run->slots[s->out]) vn__native_parallel(lanes, vn__ceil_div(s->total, UNIT), copy_unit, &j);
    if (s->count == 0) return;
    j.whole += first_element(s, run);
    vn__native_parallel(lanes, vn__ceil_div(s->count, UNIT), put_unit, &j);
}

static void explain_slice(const vn__kernel *kernel, char *text, size_t capacity)
{
    char shape[400];
    vn__native_describe(&((const slicing *)kernel)->desc, shape, sizeof shape);
    snprintf(text, capacity, "slice %s", shape);
}

static void explain_slice_set(const vn__kernel *kernel, char *text, size_t capacity)
{
    char shape[400];
    vn__native_describe(&((const slicing *)kernel)->desc, shape, sizeof shape);
    snprintf(text, capacity, "slice_set %s", shape);
}

/* Both ops: a piece of size dims inside an array accessed through a view. */
static slicing *make(vn__graph *g, const native_node *n, const vn__view *whole, const int64_t *size)
{
    slicing *s = vn__native_arena_get(&g->exe->arena, sizeof *s);
    if (!s) return NULL;
    s->rank = whole->rank;
    s->element = vn__native_bytes(g->values[n->out].desc.dtype);
    s->piece = *whole;
    s->piece.offset = 0;
    s->offset = whole->offset;
    s->count = 1;
    for (int32_t r = 0; r < whole->rank; r++) {
        s->most[r] = whole->dims[r] - size[r];
        s->strides[r] = whole->strides[r];
        s->piece.dims[r] = size[r];
        s->count *= size[r];
    }
    vn__native_view_collapse(&s->piece);
    s->desc = g->values[n->out].desc;
    s->x = g->values[n->in[0].value].storage;
    s->start = g->values[n->in[n->n_in - 1].value].storage;
    s->out = g->values[n->out].storage;
    return s;
}

int vn__native_lower_slice(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *n = &g->nodes[g->groups[group].first];
    vn__view whole;
    vn__native_operand_view(g, n, 0, &whole);
    slicing *s = make(g, n, &whole, g->values[n->out].desc.dims);
    if (!s) return vn__native_no_memory();
    s->kernel = (vn__kernel){.run = run_slice, .explain = explain_slice, .parallel = s->count >= PARALLEL};
    *out = &s->kernel;
    return vn__native_node_uses(g, n, uses);
}

int vn__native_lower_slice_set(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *n = &g->nodes[g->groups[group].first];
    vn__view whole;
    vn__native_operand_view(g, n, 0, &whole);
    slicing *s = make(g, n, &whole, g->values[n->instr->in[1]].desc.dims);
    if (!s) return vn__native_no_memory();
    vn__native_operand_view(g, n, 1, &s->y_view);
    s->y = g->values[n->in[1].value].storage;
    s->y_rows = !n->in[1].view;
    s->total = g->values[n->out].desc.count;
    vn__native_view_collapse(&s->y_view);
    s->kernel = (vn__kernel){.run = run_slice_set, .explain = explain_slice_set, .parallel = s->total >= PARALLEL};
    s->kernel.lane_bytes = PIECE * s->element;
    *out = &s->kernel;
    const int code = vn__native_node_uses(g, n, uses);
    /* x may be changed in place if nothing else uses it */
    const bool own = s->x != s->y && s->x != s->start;
    if (!code) uses->reads[0].span = uses->writes[0].span = own;
    return code;
}
