/* SPDX-License-Identifier: Apache-2.0 */
/* transpose.c: copies of large views whose last axis is not contiguous in memory. An element-by-element copy would touch a new
 * cache line each time, so it is done in square tiles of the two axes. */
#include <stdio.h>

#include "internal.h"

#define THRESHOLDS_TRANSPOSE
#include "thresholds.h"

enum { TILE = VN_TRANSPOSE_TILE };

typedef struct transpose {
    vn__kernel kernel;
    int32_t from, to, axis; /* axis: the view's axis with stride 1 */
    int64_t element, row_tiles, col_blocks, n_outer;
    vn__view view;
    int64_t to_strides[VN_MAX_RANK];
    vn_desc desc;
} transpose;

typedef struct job {
    const transpose *t;
    const vn__run *run;
} job;

static int32_t piece_axis(const vn__view *v)
{
    for (int32_t r = 0; r < v->rank - 1; r++)
        if (v->strides[r] == 1) return r;
    return -1;
}

bool vn__native_is_transpose(const vn__view *v)
{
    const int32_t axis = piece_axis(v);
    int64_t count = 1;
    for (int32_t r = 0; r < v->rank; r++) count *= v->dims[r];
    return count >= MIN_TRANSPOSED && axis >= 0 && v->strides[v->rank - 1] > 1 && v->dims[axis] >= MIN_SIDE &&
           v->dims[v->rank - 1] >= MIN_SIDE;
}

/* The offsets of an index over the other axes, in the view and in the copy. */
static void outer_offsets(const transpose *t, int64_t index, int64_t *from, int64_t *to)
{
    *from = t->view.offset;
    *to = 0;
    for (int32_t r = t->view.rank - 2; r >= 0; r--) {
        if (r == t->axis) continue;
        *from += index % t->view.dims[r] * t->view.strides[r];
        *to += index % t->view.dims[r] * t->to_strides[r];
        index /= t->view.dims[r];
    }
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const transpose *t = j->t;
    const vn__view *v = &t->view;
    const int64_t row = number % t->row_tiles * TILE, block = number / t->row_tiles % t->col_blocks;
    const int64_t rows = vn__min(TILE, v->dims[t->axis] - row), last = v->dims[v->rank - 1], step = v->strides[v->rank - 1];
    const int64_t end = vn__min(last, (block + 1) * BLOCK * TILE);
    int64_t from, to;
    (void)lane;
    outer_offsets(t, number / t->row_tiles / t->col_blocks, &from, &to);
    for (int64_t c = block * BLOCK * TILE; c < end; c += TILE) {
        const char *x = j->run->slots[t->from] + (from + row + c * step) * t->element;
        char *z = j->run->slots[t->to] + (to + row * t->to_strides[t->axis] + c) * t->element;
        vn__native_isa->copy->transpose[t->element](z, t->to_strides[t->axis], x, step, rows, vn__min(TILE, end - c));
    }
}

static void run_transpose(const vn__kernel *kernel, const vn__run *run)
{
    const transpose *t = (const transpose *)kernel;
    job j = {t, run};
    vn__native_parallel(run->lanes, t->n_outer * t->col_blocks * t->row_tiles, unit, &j);
}

static void explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    char shape[400];
    vn__native_describe(&((const transpose *)kernel)->desc, shape, sizeof shape);
    snprintf(text, capacity, "transpose %s", shape);
}

int vn__native_lower_transpose(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *n = &g->nodes[g->groups[group].first];
    transpose *t = vn__native_arena_get(&g->exe->arena, sizeof *t);
    if (!t) return vn__native_no_memory();
    t->view = *n->in[0].view;
    t->desc = g->values[n->out].desc;
    t->axis = piece_axis(&t->view);
    t->element = (int64_t)vn__native_bytes(t->desc.dtype);
    t->from = g->values[n->in[0].value].storage;
    t->to = g->values[n->out].storage;
    t->n_outer = 1;
    int64_t stride = 1;
    for (int32_t r = t->view.rank - 1; r >= 0; r--) {
        t->to_strides[r] = stride;
        stride *= t->view.dims[r];
        if (r != t->axis && r != t->view.rank - 1) t->n_outer *= t->view.dims[r];
    }
    t->row_tiles = (t->view.dims[t->axis] + TILE - 1) / TILE;
    t->col_blocks = (t->view.dims[t->view.rank - 1] + BLOCK * TILE - 1) / (BLOCK * TILE);
    t->kernel = (vn__kernel){.run = run_transpose, .explain = explain, .parallel = t->desc.count >= PARALLEL};
    *out = &t->kernel;
    return vn__native_node_uses(g, n, uses);
}
