/* SPDX-License-Identifier: Apache-2.0 */
/* random.c: random numbers, uniform and normal. isa/random.c generates the numbers; here they are scaled, cast and stored.
 * float32 and half precision are computed in float32, float64 and integers in float64, to which the parameters are cast; integers are
 * truncated. */
#include <stdio.h>

#include "internal.h"

#define THRESHOLDS_RANDOM
#include "thresholds.h"

typedef struct sampling {
    vn__kernel kernel;
    int32_t key, parameter[2], out, dtype, type; /* storages; dtype of the result, type it is computed in */
    const vn__view *view[2];                     /* of the parameters; NULL: row-major */
    bool one[2], normal;
    int64_t count;
    const char *name;
    vn_desc desc;
} sampling;

typedef struct job {
    const sampling *d;
    const vn__run *run;
} job;

/* Room in a lane's scratch memory: numbers and two parameters. */
enum { ROOM = PIECE * 8, NUMBERS = 0, PARAMETERS = ROOM, ALL = 3 * ROOM };

/* Parameter k for elements start .. start+n, or the shared one. */
static const void *parameter(const job *j, int k, int64_t start, int64_t n, char *scratch)
{
    const sampling *d = j->d;
    const size_t element = vn__native_bytes(d->type);
    const char *from = j->run->slots[d->parameter[k]];
    if (d->one[k]) return from;
    if (!d->view[k]) return from + start * (int64_t)element;
    char *lifted = scratch + PARAMETERS + k * ROOM;
    vn__native_isa->copy->gather[element](lifted, from, from, n, d->view[k], start);
    return lifted;
}

/* Rounding to half precision may give `high`, which is excluded: uses the next lower number then. */
static void keep_below(const sampling *d, uint16_t *out, const float *z, const float *low, const float *high, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const float a = low[d->one[0] ? 0 : i], b = high[d->one[1] ? 0 : i];
        if (!(z[i] >= b && b > a)) continue;
        const uint16_t h = out[i];
        out[i] = (uint16_t)((h & 0x7FFF) == 0 ? 0x8001 : (h & 0x8000) ? h + 1 : h - 1);
    }
}

static void piece(const job *j, int64_t start, int64_t n, char *scratch)
{
    const sampling *d = j->d;
    const vn__random_table *random = vn__native_isa->random;
    const vn__cast_table *cast = vn__native_isa->cast;
    const uint64_t *key = (const uint64_t *)(const void *)j->run->slots[d->key];
    char *out = j->run->slots[d->out] + start * (int64_t)vn__native_bytes(d->dtype);
    void *z = d->dtype == d->type ? out : scratch + NUMBERS;
    const void *p = parameter(j, 0, start, n, scratch), *q = parameter(j, 1, start, n, scratch);
    if (d->type == VN_F64) {
        (d->normal ? random->normal_f64 : random->uniform_f64)(z, key, start, n);
        (d->normal ? random->scaled_f64 : random->between_f64)(z, p, q, d->one[0], d->one[1], n);
    } else {
        (d->normal ? random->normal_f32 : random->uniform_f32)(z, key, start, n);
        (d->normal ? random->scaled_f32 : random->between_f32)(z, p, q, d->one[0], d->one[1], n);
    }
    if (vn__native_is_half(d->dtype)) {
        cast->round[d->dtype](z, z, z, n, NULL, 0);
        cast->cast[VN_F32][d->dtype](out, z, z, n, NULL, 0);
        if (!d->normal) keep_below(d, (uint16_t *)(void *)out, z, p, q, n);
    } else if (z != out) {
        cast->cast[VN_F64][d->dtype](out, z, z, n, NULL, 0);
    }
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const int64_t end = vn__min((number + 1) * UNIT, j->d->count);
    char *scratch = j->run->scratch + (size_t)lane * j->run->lane_bytes;
    for (int64_t i = number * UNIT; i < end; i += PIECE) piece(j, i, vn__min(end - i, PIECE), scratch);
}

static void run_random(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const sampling *)kernel, run};
    vn__native_parallel(run->lanes, vn__ceil_div(j.d->count, UNIT), unit, &j);
}

static void explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    const sampling *d = (const sampling *)kernel;
    char shape[400];
    vn__native_describe(&d->desc, shape, sizeof shape);
    snprintf(text, capacity, "%s %s", d->name, shape);
}

int vn__native_lower_random(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *n = &g->nodes[g->groups[group].first];
    sampling *d = vn__native_arena_get(&g->exe->arena, sizeof *d);
    if (!d) return vn__native_no_memory();
    d->desc = g->values[n->out].desc;
    d->dtype = d->desc.dtype;
    d->type = d->dtype == VN_F32 || vn__native_is_half(d->dtype) ? VN_F32 : VN_F64;
    d->normal = n->op != 0;
    d->name = n->instr->op;
    d->count = d->desc.count;
    d->key = g->values[n->in[0].value].storage;
    d->out = g->values[n->out].storage;
    for (int k = 0; k < 2; k++) {
        d->parameter[k] = g->values[n->in[k + 1].value].storage;
        d->view[k] = n->in[k + 1].view;
        d->one[k] = d->view[k] ? vn__native_view_is_one(d->view[k]) : d->count == 1;
    }
    d->kernel = (vn__kernel){.run = run_random, .explain = explain, .lane_bytes = ALL, .parallel = d->count >= PARALLEL};
    *out = &d->kernel;
    return vn__native_node_uses(g, n, uses);
}
