/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: assigns memory to every stored value. The last step of compiling.
 *
 * Outputs get their own buffer, or the memory of a donated input that is read for the last time, element by element, in the
 * kernel that writes them. Everything else shares one workspace: a value's memory is freed after its last use, and a value may
 * reuse the memory of an operand that is dead after its kernel. Everything is planned before the first kernel runs. */
#include "internal.h"

#define THRESHOLDS_PLAN
#include "thresholds.h"

enum { BINS = 56 * 8 };
#define MAX_BYTES ((size_t)1 << 46) /* limit of an array or the workspace, far beyond any machine, so that sums cannot overflow */

typedef struct place {
    size_t offset, bytes;
    int32_t next;
} place;

typedef struct planner {
    vn__graph *g;
    vn_exe *exe;
    int32_t *last;  /* by storage: last kernel that uses it, -1 never */
    uint8_t *taken; /* by storage: another value reuses its memory */
    size_t *held;   /* by storage: bytes allocated */
    place *places;  /* free blocks, in lists by size */
    int32_t n_places, spare, bins[BINS];
} planner;

/* Eight sizes per doubling, multiples of 64. */
static int bin_of(size_t *bytes)
{
    size_t b = vn__native_round64(*bytes ? *bytes : 1) / 64;
    if (b < 8) {
        *bytes = b * 64;
        return (int)b;
    }
    const int e = 63 - __builtin_clzll((unsigned long long)b);
    const size_t step = (size_t)1 << (e - 3), up = (b + step - 1) / step;
    *bytes = up * step * 64;
    return (e - 2) * 8 + (int)(up - 8);
}

static size_t take_place(planner *p, int32_t storage)
{
    size_t bytes = p->exe->storages[storage].bytes;
    const int bin = bin_of(&bytes);
    for (int b = bin; b < bin + 8 && b < BINS; b++) {
        const int32_t i = p->bins[b];
        if (i < 0) continue;
        p->bins[b] = p->places[i].next;
        p->places[i].next = p->spare;
        p->spare = i;
        p->held[storage] = p->places[i].bytes;
        return p->places[i].offset;
    }
    const size_t offset = p->exe->work_bytes;
    p->held[storage] = bytes;
    p->exe->work_bytes += bytes;
    return offset;
}

static void give_place(planner *p, int32_t storage)
{
    size_t bytes = p->held[storage];
    const int bin = bin_of(&bytes);
    int32_t i = p->spare;
    if (i >= 0) p->spare = p->places[i].next;
    else i = p->n_places++;
    p->places[i] = (place){p->exe->storages[storage].offset, p->held[storage], p->bins[bin]};
    p->bins[bin] = i;
}

/* May the value written by `w` reuse the memory of the one read by `r`, both in kernel k? */
static bool fits(const planner *p, const vn__use *r, const vn__use *w, int32_t k)
{
    const vn__storage *from = &p->exe->storages[r->storage], *to = &p->exe->storages[w->storage];
    if (r->span != 1 || w->span != 1 || r->set != w->set || p->taken[r->storage] || r->at > w->at) return false;
    if (from->bytes != to->bytes || from->element_bytes != to->element_bytes) return false;
    if (p->last[r->storage] != k) return false;
    if (from->place == VN_PLACE_WORK) return to->place == VN_PLACE_WORK;
    return from->place == VN_PLACE_INPUT && to->place == VN_PLACE_OUTPUT && p->g->program->donated && p->g->program->donated[from->index];
}

/* Finds memory for what kernel k writes. Only a few reads are tried for each write, from a moving start, to keep planning of kernels with
 * many of both cheap. */
static void place_writes(planner *p, int32_t k)
{
    const vn__uses *u = &p->exe->uses[k];
    int32_t cursor = 0;
    for (int32_t i = 0; i < u->n_writes; i++) {
        const vn__use *w = &u->writes[i];
        vn__storage *to = &p->exe->storages[w->storage];
        int32_t found = -1;
        for (int32_t t = 0; t < TRIES && t < u->n_reads && found < 0; t++) {
            const int32_t r = (cursor + t) % u->n_reads;
            if (!fits(p, &u->reads[r], w, k)) continue;
            found = u->reads[r].storage;
            cursor = r + 1;
        }
        if (found >= 0) p->taken[found] = 1;
        if (to->place == VN_PLACE_OUTPUT) {
            to->donor = found >= 0 ? p->exe->storages[found].index : -1;
        } else if (found >= 0) {
            to->offset = p->exe->storages[found].offset;
            p->held[w->storage] = p->held[found];
        } else {
            to->offset = take_place(p, w->storage);
        }
    }
}

static void drop_reads(planner *p, int32_t k)
{
    const vn__uses *u = &p->exe->uses[k];
    for (int32_t i = 0; i < u->n_reads; i++) {
        const int32_t s = u->reads[i].storage;
        if (p->exe->storages[s].place == VN_PLACE_WORK && p->last[s] == k && !p->taken[s]) {
            p->taken[s] = 1;
            give_place(p, s);
        }
    }
}

/* Initialises every storage; inputs that are outputs are never donated. */
static int describe_storages(planner *p)
{
    vn_exe *exe = p->exe;
    const vn_program *program = p->g->program;
    for (int32_t v = 0; v < p->g->n_values; v++) {
        const native_value *value = &p->g->values[v];
        if (value->storage < 0) continue;
        vn__storage *s = &exe->storages[value->storage];
        const size_t element = vn__native_bytes(value->desc.dtype);
        if ((uint64_t)value->desc.count > MAX_BYTES / element) return vn__native_no_memory();
        *s = (vn__storage){.bytes = (size_t)value->desc.count * element, .element_bytes = (uint8_t)element, .donor = -1};
        s->place = v < program->n_inputs ? VN_PLACE_INPUT : VN_PLACE_WORK;
        s->index = v;
    }
    for (int32_t i = 0; i < program->n_outputs; i++) {
        const int32_t storage = p->g->values[p->g->output_values[i]].storage;
        vn__storage *s = &exe->storages[storage];
        exe->outputs[i] = storage;
        p->last[storage] = exe->n_kernels;
        if (s->place != VN_PLACE_WORK) continue;
        s->place = VN_PLACE_OUTPUT;
        s->index = exe->n_buffers;
        exe->first_output[exe->n_buffers] = i;
        exe->buffers[exe->n_buffers++] = storage;
    }
    return VN_OK;
}

static int make_room(planner *p)
{
    vn_exe *exe = p->exe;
    const size_t n = (size_t)exe->n_storages + 1, outputs = (size_t)p->g->program->n_outputs + 1;
    p->last = vn__native_arena_get(&p->g->scratch, n * sizeof *p->last);
    p->taken = vn__native_arena_get(&p->g->scratch, n);
    p->held = vn__native_arena_get(&p->g->scratch, n * sizeof *p->held);
    p->places = vn__native_arena_get(&p->g->scratch, n * sizeof *p->places);
    exe->storages = vn__native_arena_get(&exe->arena, n * sizeof *exe->storages);
    exe->buffers = vn__native_arena_get(&exe->arena, outputs * sizeof *exe->buffers);
    exe->first_output = vn__native_arena_get(&exe->arena, outputs * sizeof *exe->first_output);
    exe->outputs = vn__native_arena_get(&exe->arena, outputs * sizeof *exe->outputs);
    if (!p->last || !p->taken || !p->held || !p->places || !exe->storages || !exe->buffers || !exe->first_output || !exe->outputs)
        return vn__native_no_memory();
    for (size_t i = 0; i < n; i++) p->last[i] = -1;
    for (int i = 0; i < BINS; i++) p->bins[i] = -1;
    p->spare = -1;
    return VN_OK;
}

int vn__native_plan(vn__graph *g)
{
    planner p = {.g = g, .exe = g->exe};
    int code = make_room(&p);
    if (code) return code;
    for (int32_t k = 0; k < g->exe->n_kernels; k++)
        for (int32_t i = 0; i < g->exe->uses[k].n_reads; i++) p.last[g->exe->uses[k].reads[i].storage] = k;
    code = describe_storages(&p);
    for (int32_t k = 0; k < g->exe->n_kernels && !code; k++) {
        place_writes(&p, k);
        drop_reads(&p, k);
        if (g->exe->work_bytes > MAX_BYTES) code = vn__native_no_memory();
    }
    return code;
}
