/* SPDX-License-Identifier: Apache-2.0 */
/* cumulative.c: cumulative sums along an axis, added sequentially, so that they are the same for any number of threads; floats are
 * accumulated in double and rounded when stored. The operand is row-major and has the type of the result. */
#include <stdio.h>

#include "internal.h"

#define THRESHOLDS_RUNNING
#include "thresholds.h"

/* (outer, length, inner), summed along length. */
typedef struct running {
    vn__kernel kernel;
    int32_t from, to;
    bool reverse;
    int64_t outer, length, inner, blocks, rows_per_unit;
    vn_desc desc;
} running;

typedef struct job {
    const running *r;
    const vn__run *run;
} job;

/* Columns first .. first+n of one outer index. */
static void columns(const job *j, int64_t outer, int64_t first, int64_t n)
{
    const running *r = j->r;
    const int64_t start = (outer * r->length + (r->reverse ? r->length - 1 : 0)) * r->inner + first;
    const size_t at = (size_t)start * vn__native_bytes(r->desc.dtype);
    vn__native_isa->reduce->running[r->desc.dtype](j->run->slots[r->to] + at, j->run->slots[r->from] + at, r->length, n,
                                                   r->reverse ? -r->inner : r->inner);
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const running *r = j->r;
    const int64_t first = number % r->blocks * VN_RUNNING_COLUMNS, n = vn__min(VN_RUNNING_COLUMNS, r->inner - first);
    const int64_t row = number / r->blocks * r->rows_per_unit, end = vn__min(r->outer, row + r->rows_per_unit);
    (void)lane;
    for (int64_t o = row; o < end; o++) columns(j, o, first, n);
}

static void run_running(const vn__kernel *kernel, const vn__run *run)
{
    const running *r = (const running *)kernel;
    job j = {r, run};
    if (r->desc.count == 0) return;
    vn__native_parallel(run->lanes, vn__ceil_div(r->outer, r->rows_per_unit) * r->blocks, unit, &j);
}

static void explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    char shape[400];
    vn__native_describe(&((const running *)kernel)->desc, shape, sizeof shape);
    snprintf(text, capacity, "cumulative_sum %s", shape);
}

enum { AXIS, REVERSE }; /* options */

int vn__native_lower_running(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *n = &g->nodes[g->groups[group].first];
    running *r = vn__native_arena_get(&g->exe->arena, sizeof *r);
    if (!r) return vn__native_no_memory();
    const int64_t axis = n->instr->options[AXIS].u.i;
    r->desc = g->values[n->out].desc;
    r->from = g->values[n->in[0].value].storage;
    r->to = g->values[n->out].storage;
    r->reverse = n->instr->options[REVERSE].u.i != 0;
    const vn__shape3 shape = vn__native_shape3(&r->desc, axis, axis);
    r->outer = shape.outer;
    r->length = shape.length;
    r->inner = shape.inner;
    r->blocks = (r->inner + VN_RUNNING_COLUMNS - 1) / VN_RUNNING_COLUMNS;
    r->rows_per_unit = 1 + UNIT / (r->length * vn__min(r->inner, VN_RUNNING_COLUMNS) + 1);
    r->kernel = (vn__kernel){.run = run_running, .explain = explain, .parallel = r->desc.count >= PARALLEL};
    *out = &r->kernel;
    const int code = vn__native_node_uses(g, n, uses);
    /* every sum overwrites its last term */
    if (!code) uses->reads[0].span = uses->writes[0].span = 1;
    return code;
}
