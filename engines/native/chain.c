/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c: runs kernels that work on the same rows together, row by row. The fourth step of compiling.
 *
 * A softmax is three kernels: the largest element of each row, exponentials and their sum, a quotient. Run separately they read and
 * write the whole array three times. But rows are independent, so a few rows at a time go through all kernels while they are in
 * cache, and values that only the chain uses stay in a thread's scratch memory. Results are bitwise the same: every row is
 * computed as it would be alone.
 *
 * A chain begins with a kernel that reduces rows and continues with the kernels that follow it in execution order, as long as they
 * work on the same rows (their elements, or one number per row) and read the chain's values only at the row they compute.
 * Lowering determines which elements a kernel reads and records it in its uses: a reduction may read its operand transposed. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_CHAIN
#include "thresholds.h"

typedef struct local { /* a value that stays in scratch memory */
    int32_t storage;
    int64_t row_bytes;
    size_t offset; /* in the lane's memory */
} local;

typedef struct chain {
    vn__kernel kernel;
    int64_t rows, length, tile; /* tile: rows processed together */
    int32_t n, n_local;
    const vn__fused **members;
    local *locals;
    int16_t **local_of; /* for each member and base: number of a local, or -1 */
} chain;

/* ---- running ---- */

typedef struct job {
    const chain *c;
    const vn__run *run;
} job;

/* Sets a member's bases and registers. A local's base is offset as if all rows before the tile preceded it. */
static void fill_table(const job *j, int32_t member, char *lane, int64_t first)
{
    const vn__fused *f = j->c->members[member];
    char **table = (char **)(void *)lane;
    char *registers = lane + vn__native_round64(((size_t)f->n_bases + (size_t)f->n_registers) * sizeof(char *));
    for (int32_t i = 0; i < f->n_bases; i++) {
        const int16_t number = j->c->local_of[member][i];
        const local *l = number < 0 ? NULL : &j->c->locals[number];
        table[i] = l ? (char *)((uintptr_t)(lane + l->offset) - (uintptr_t)(first * l->row_bytes)) : j->run->slots[f->bases[i]];
    }
    for (int32_t i = 0; i < f->n_registers; i++) table[f->n_bases + i] = registers + (size_t)i * f->register_bytes;
}

static void unit(void *context, int64_t number, int lane_number)
{
    const job *j = context;
    const chain *c = j->c;
    char *lane = j->run->scratch + (size_t)lane_number * j->run->lane_bytes;
    const int64_t first = number * c->tile, end = vn__min(first + c->tile, c->rows);
    for (int32_t m = 0; m < c->n; m++) {
        const vn__fused *f = c->members[m];
        char **at = (char **)(void *)lane;
        fill_table(j, m, lane, first);
        if (f->sink_shape.layout != VN_LAYOUT_NONE) vn__native_fused_rows(f, at, first, end);
        else if (f->count == c->rows) vn__native_fused_elements(f, at, first, end);
        else vn__native_fused_elements(f, at, first * c->length, end * c->length);
    }
}

static void run_chain(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const chain *)kernel, run};
    vn__native_parallel(run->lanes, vn__ceil_div(j.c->rows, j.c->tile), unit, &j);
}

static void explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    const chain *c = (const chain *)kernel;
    size_t n = (size_t)snprintf(text, capacity, "rows of %lld:", (long long)c->length);
    for (int32_t m = 0; m < c->n && n < capacity; m++) {
        n += (size_t)snprintf(text + n, capacity - n, m ? ", " : " ");
        if (n < capacity) c->members[m]->kernel.explain(&c->members[m]->kernel, text + n, capacity - n);
        n += n < capacity ? strlen(text + n) : 0;
    }
}

/* ---- finding chains ---- */

typedef struct search {
    vn__graph *g;
    int32_t first, end; /* kernels of the current chain, by position in execution order */
    int64_t rows, length;
    int32_t *maker;     /* by storage: position of the kernel that writes it, -1 for inputs */
    int64_t *count;     /* by storage: elements */
    int32_t *readers;   /* by storage: kernels that read it */
    uint8_t *is_output; /* by storage */
} search;

static const vn__fused *fused_at(const search *s, int32_t place)
{
    return s->g->groups[s->g->order[place]].fused ? (const vn__fused *)s->g->exe->kernels[place] : NULL;
}

/* Are the sums complete after each row, and stored in place? */
static bool reduces_rows(const vn__fused *f)
{
    if (f->sink_shape.layout != VN_LAYOUT_ROWS || f->n_chunks != 1 || f->count == 0) return false;
    for (int32_t i = 0; i < f->n_sinks; i++) {
        if (!f->sinks[i].in_place) return false;
    }
    return true;
}

/* Does a kernel on `count` elements read u only at the row it computes? While the chain runs, only the current rows of its own values
 * exist; values from outside may be read in any order. */
static bool reads_its_row(const search *s, const vn__use *u, int64_t count)
{
    if (s->maker[u->storage] < s->first) return true;
    return s->count[u->storage] == count ? u->span == 1 : s->count[u->storage] == s->rows && u->span == s->length;
}

static bool can_join(const search *s, int32_t place)
{
    const vn__fused *f = fused_at(s, place);
    if (!f || f->count == 0) return false;
    if (f->sink_shape.layout != VN_LAYOUT_NONE) {
        if (!reduces_rows(f) || f->sink_shape.outer != s->rows || f->sink_shape.length != s->length) return false;
    } else if (f->count != s->rows && f->count != s->rows * s->length) {
        return false;
    }
    const vn__uses *u = &s->g->exe->uses[place];
    for (int32_t i = 0; i < u->n_reads; i++)
        if (!reads_its_row(s, &u->reads[i], f->count)) return false;
    return true;
}

/* ---- building a chain ---- */

/* Kernels of the chain that read a storage. */
static int32_t inner_readers(const search *s, int32_t storage)
{
    int32_t n = 0;
    for (int32_t k = s->first; k < s->end; k++) {
        const vn__uses *u = &s->g->exe->uses[k];
        for (int32_t i = 0; i < u->n_reads; i++) n += u->reads[i].storage == storage;
    }
    return n;
}

/* Writes that no kernel outside the chain reads become locals. */
static int find_locals(const search *s, chain *c, size_t *lane_bytes)
{
    int32_t most = 0;
    for (int32_t k = s->first; k < s->end; k++) most += s->g->exe->uses[k].n_writes;
    c->locals = vn__native_whole_keep(s->g, ((size_t)most + 1) * sizeof *c->locals);
    if (!c->locals) return vn__native_no_memory();
    for (int32_t v = 0; v < s->g->n_values; v++) {
        const native_value *value = &s->g->values[v];
        const int32_t place = value->storage < 0 ? -1 : s->maker[value->storage];
        if (place < s->first || place >= s->end || s->is_output[value->storage]) continue;
        if (s->readers[value->storage] != inner_readers(s, value->storage)) continue;
        const int64_t of_row = value->desc.count == s->rows ? 1 : s->length;
        local *l = &c->locals[c->n_local++];
        *l = (local){value->storage, of_row * (int64_t)vn__native_bytes(value->desc.dtype), *lane_bytes};
        *lane_bytes += vn__native_round64((size_t)(l->row_bytes * c->tile));
    }
    return VN_OK;
}

static int16_t local_number(const chain *c, int32_t storage)
{
    for (int32_t i = 0; i < c->n_local; i++) {
        if (c->locals[i].storage == storage) return (int16_t)i;
    }
    return -1;
}

/* The chain's reads and writes in memory, without locals; no value takes another's memory inside it. */
static int join_uses(const search *s, const chain *c, vn__uses *to)
{
    size_t reads = 0, writes = 0;
    for (int32_t k = s->first; k < s->end; k++) {
        reads += (size_t)s->g->exe->uses[k].n_reads;
        writes += (size_t)s->g->exe->uses[k].n_writes;
    }
    vn__uses u = {.reads = vn__native_arena_get(&s->g->scratch, (reads + 1) * sizeof *u.reads),
                  .writes = vn__native_arena_get(&s->g->scratch, (writes + 1) * sizeof *u.writes)};
    if (!u.reads || !u.writes) return vn__native_no_memory();
    for (int32_t k = s->first; k < s->end; k++) {
        const vn__uses *from = &s->g->exe->uses[k];
        for (int32_t i = 0; i < from->n_reads; i++)
            if (local_number(c, from->reads[i].storage) < 0) u.reads[u.n_reads++] = (vn__use){from->reads[i].storage, 0, 0, 0};
        for (int32_t i = 0; i < from->n_writes; i++)
            if (local_number(c, from->writes[i].storage) < 0) u.writes[u.n_writes++] = (vn__use){from->writes[i].storage, 0, 0, 0};
    }
    *to = u;
    return VN_OK;
}

static int make_chain(const search *s, vn__kernel **out, vn__uses *uses)
{
    chain *c = vn__native_whole_keep(s->g, sizeof *c);
    if (!c) return vn__native_no_memory();
    c->n = s->end - s->first;
    c->rows = s->rows;
    c->length = s->length;
    c->tile = s->length < TILE ? TILE / s->length : 1;
    c->members = vn__native_whole_keep(s->g, (size_t)c->n * sizeof *c->members);
    c->local_of = vn__native_whole_keep(s->g, (size_t)c->n * sizeof *c->local_of);
    if (!c->members || !c->local_of) return vn__native_no_memory();
    size_t lane_bytes = 0;
    for (int32_t m = 0; m < c->n; m++) {
        c->members[m] = fused_at(s, s->first + m);
        if (c->members[m]->kernel.lane_bytes > lane_bytes) lane_bytes = c->members[m]->kernel.lane_bytes;
    }
    lane_bytes = vn__native_round64(lane_bytes);
    int code = find_locals(s, c, &lane_bytes);
    for (int32_t m = 0; m < c->n && !code; m++) {
        const vn__fused *f = c->members[m];
        int16_t *of = vn__native_whole_keep(s->g, ((size_t)f->n_bases + 1) * sizeof *of);
        if (!of) return vn__native_no_memory();
        for (int32_t i = 0; i < f->n_bases; i++) of[i] = local_number(c, f->bases[i]);
        c->local_of[m] = of;
    }
    c->kernel = (vn__kernel){.run = run_chain, .explain = explain, .lane_bytes = lane_bytes, .parallel = true};
    *out = &c->kernel;
    return code ? code : join_uses(s, c, uses);
}

static int begin_search(search *s, vn__graph *g)
{
    const size_t storages = (size_t)g->exe->n_storages + 1;
    *s = (search){.g = g,
                  .maker = vn__native_arena_get(&g->scratch, storages * sizeof *s->maker),
                  .count = vn__native_arena_get(&g->scratch, storages * sizeof *s->count),
                  .readers = vn__native_arena_get(&g->scratch, storages * sizeof *s->readers),
                  .is_output = vn__native_arena_get(&g->scratch, storages)};
    if (!s->maker || !s->count || !s->readers || !s->is_output) return vn__native_no_memory();
    for (size_t i = 0; i < storages; i++) s->maker[i] = -1;
    for (int32_t v = 0; v < g->n_values; v++)
        if (g->values[v].storage >= 0) s->count[g->values[v].storage] = g->values[v].desc.count;
    for (int32_t k = 0; k < g->exe->n_kernels; k++) {
        const vn__uses *u = &g->exe->uses[k];
        for (int32_t i = 0; i < u->n_reads; i++) s->readers[u->reads[i].storage]++;
        for (int32_t i = 0; i < u->n_writes; i++) s->maker[u->writes[i].storage] = k;
    }
    for (int32_t i = 0; i < g->program->n_outputs; i++) s->is_output[g->values[g->output_values[i]].storage] = 1;
    return VN_OK;
}

/* Finds the chain that begins with the kernel at `place`: sets first, end, rows and length. */
static bool find_chain(search *s, int32_t place)
{
    const vn__fused *f = fused_at(s, place);
    if (!f || f->count < MIN_CHAINED || !reduces_rows(f) || f->sink_shape.length < 2 || f->sink_shape.outer < 2) return false;
    s->first = place;
    s->rows = f->sink_shape.outer;
    s->length = f->sink_shape.length;
    int32_t whole = 1; /* kernels on all elements */
    for (s->end = place + 1; s->end < s->g->exe->n_kernels && s->end - s->first < INT16_MAX && can_join(s, s->end); s->end++)
        whole += fused_at(s, s->end)->count != s->rows;
    return whole > 1;
}

int vn__native_chain(vn__graph *g)
{
    vn_exe *exe = g->exe;
    bool any = false;
    for (int32_t k = 0; k < exe->n_kernels; k++) any |= g->groups[g->order[k]].sink.layout == VN_LAYOUT_ROWS;
    search s;
    if (!any) return VN_OK;
    int code = begin_search(&s, g);
    int32_t n = 0;
    for (int32_t k = 0, from = 0; k < exe->n_kernels && !code; n++) {
        if (find_chain(&s, k)) {
            vn__kernel *made = NULL;
            vn__uses uses = {0};
            code = make_chain(&s, &made, &uses);
            exe->kernels[n] = made;
            exe->uses[n] = uses;
            k = s.end;
        } else {
            exe->kernels[n] = exe->kernels[k];
            exe->uses[n] = exe->uses[k++];
        }
        while (from < k) g->places[from++] = n;
    }
    if (!code) exe->n_kernels = n;
    return code;
}
