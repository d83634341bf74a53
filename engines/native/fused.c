/* SPDX-License-Identifier: Apache-2.0 */
/* fused.c: runs fused kernels: the steps of lower.c over blocks of elements, reducing the blocks.
 *
 * The split into chunks and rows depends only on the shape, so sums are the same for any number of threads. */
/* compiled for speed */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_FUSED
#include "thresholds.h"

enum { REGISTER_MEMORY = 192 << 10 }; /* registers of one thread should stay in the L2 cache */

enum { LANES_BYTES = VN_REDUCE_LANES * VN_MAX_BYTES }; /* memory of a sink while a long row is reduced */

static bool has_long_rows(const vn__fused *f)
{
    return f->sink_shape.layout == VN_LAYOUT_ROWS && f->sink_shape.length > f->block;
}

static void size_sinks(vn__fused *f)
{
    const vn__shape3 *s = &f->sink_shape;
    f->chunk = s->layout == VN_LAYOUT_ROWS ? ROW_CHUNK : COLUMN_CHUNK;
    f->n_chunks = vn__ceil_div(s->length, f->chunk);
    const size_t results = (size_t)(s->outer * s->inner), chunks = f->n_chunks > 1 ? (size_t)f->n_chunks : 1;
    for (int32_t i = 0; i < f->n_sinks; i++) {
        vn__sink *sink = &f->sinks[i];
        sink->in_place = f->n_chunks == 1 && sink->type == sink->dtype;
        if (sink->in_place) continue;
        sink->partials = f->kernel.shared_bytes;
        f->kernel.shared_bytes += vn__native_round64(results * chunks * vn__native_bytes(sink->type));
    }
    f->lanes = f->kernel.lane_bytes;
    if (has_long_rows(f)) f->kernel.lane_bytes += (size_t)f->n_sinks * LANES_BYTES;
}

void vn__native_fused_size(vn__fused *f)
{
    const size_t element = f->register_bytes;
    f->block = f->sink_shape.layout == VN_LAYOUT_NONE && f->count > VN_FUSED_BLOCK ? STREAM_BLOCK : VN_FUSED_BLOCK;
    while (f->block > 64 && (size_t)f->block * element * (size_t)f->n_registers > REGISTER_MEMORY) f->block /= 2;
    if (f->count < f->block) f->block = (f->count + 63) / 64 * 64;
    if (f->block == 0) f->block = 64;
    const int64_t held = vn__min(f->count, f->block);
    f->register_bytes = vn__native_round64((size_t)held * element);
    if (f->register_bytes >= 1024) f->register_bytes += 64; /* avoids cache conflicts between registers */
    const size_t table = vn__native_round64(((size_t)f->n_bases + (size_t)f->n_registers) * sizeof(char *));
    f->kernel.lane_bytes = table + (size_t)f->n_registers * f->register_bytes;
    f->kernel.parallel = f->count >= PARALLEL && f->count >= PARALLEL_WORK / (f->n_steps + 1);
    if (f->sink_shape.layout != VN_LAYOUT_NONE) size_sinks(f);
}

/* A running kernel. */
typedef struct job {
    const vn__fused *f;
    const vn__run *run;
    int64_t rows_per_unit, column_blocks;
} job;

static char **table_of(const job *j, int lane)
{
    return (char **)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
}

/* Sets bases and registers for one lane. */
static void fill_table(const job *j, int lane)
{
    const vn__fused *f = j->f;
    char **table = table_of(j, lane);
    char *registers = (char *)table + vn__native_round64(((size_t)f->n_bases + (size_t)f->n_registers) * sizeof(char *));
    for (int32_t i = 0; i < f->n_bases; i++) table[i] = j->run->slots[f->bases[i]];
    for (int32_t i = 0; i < f->n_registers; i++) table[f->n_bases + i] = registers + (size_t)i * f->register_bytes;
}

/* Computes elements start .. start+n, n at most a block. */
static inline void steps(const vn__fused *f, char **at, int64_t start, int64_t n)
{
    const vn__step *end = f->steps + f->n_steps;
    for (const vn__step *s = f->steps; s < end; s++)
        s->fn(at[s->d] + start * s->d_bytes, at[s->a] + start * s->a_bytes, at[s->b] + start * s->b_bytes, n,
              s->aux ? s->aux : at[s->c] + start * s->c_bytes, start);
}

void vn__native_fused_elements(const vn__fused *f, char **at, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i += f->block) steps(f, at, i, vn__min(f->block, end - i));
}

static void element_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    vn__native_fused_elements(j->f, table_of(j, lane), unit * UNIT, vn__min(j->f->count, (unit + 1) * UNIT));
}

/* ---- reductions ---- */

static const struct vn__reduce_fns *functions_of(const vn__sink *sink)
{
    return vn__native_reduction(sink->kind, sink->type);
}

static char *partials_of(const vn__run *run, const vn__sink *sink, char **at, int64_t index)
{
    char *base = sink->in_place ? at[sink->out] : run->shared + sink->partials;
    return base + index * (int64_t)vn__native_bytes(sink->type);
}

/* Rows that fit into a block: as many together as fit. */
static void short_rows(const vn__fused *f, const vn__run *run, char **at, int64_t first, int64_t end)
{
    const int64_t length = f->sink_shape.length, at_once = f->block / length;
    for (int64_t r = first; r < end; r += at_once) {
        const int64_t rows = vn__min(at_once, end - r), start = r * length;
        steps(f, at, start, rows * length);
        for (int32_t i = 0; i < f->n_sinks; i++) {
            const vn__sink *s = &f->sinks[i];
            functions_of(s)->rows(partials_of(run, s, at, r), at[s->x] + start * s->x_bytes, rows, length);
        }
    }
}

static void short_rows_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const int64_t end = vn__min(j->f->sink_shape.outer, (unit + 1) * j->rows_per_unit);
    short_rows(j->f, j->run, table_of(j, lane), unit * j->rows_per_unit, end);
}

/* A chunk of a longer row, in lanes that continue from block to block; every sink has its own. Each element is computed only once,
 * because results may overwrite operands. */
static void long_row(const vn__fused *f, const vn__run *run, char **at, int64_t unit)
{
    const int64_t row = unit / f->n_chunks, chunk = unit % f->n_chunks;
    const int64_t first = chunk * f->chunk, end = vn__min(f->sink_shape.length, first + f->chunk);
    char *lanes = (char *)at + f->lanes;
    for (int32_t k = 0; k < f->n_sinks; k++) functions_of(&f->sinks[k])->begin(lanes + (size_t)k * LANES_BYTES, VN_REDUCE_LANES);
    for (int64_t i = first; i < end; i += f->block) {
        const int64_t n = vn__min(f->block, end - i), start = row * f->sink_shape.length + i;
        steps(f, at, start, n);
        for (int32_t k = 0; k < f->n_sinks; k++) {
            const vn__sink *s = &f->sinks[k];
            functions_of(s)->lanes(lanes + (size_t)k * LANES_BYTES, at[s->x] + start * s->x_bytes, n);
        }
    }
    for (int32_t k = 0; k < f->n_sinks; k++) {
        const vn__sink *s = &f->sinks[k];
        functions_of(s)->fold(partials_of(run, s, at, unit), lanes + (size_t)k * LANES_BYTES);
    }
}

static void long_row_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    long_row(j->f, j->run, table_of(j, lane), unit);
}

void vn__native_fused_rows(const vn__fused *f, char **at, int64_t first, int64_t end)
{
    if (f->sink_shape.length <= f->block) short_rows(f, NULL, at, first, end);
    else
        for (int64_t r = first; r < end; r++) long_row(f, NULL, at, r);
}

/* Columns of a chunk of rows: full rows if they fit into a block, otherwise one block of columns. */
static void columns_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const vn__fused *f = j->f;
    const vn__shape3 *shape = &f->sink_shape;
    const int64_t c = unit % j->column_blocks * f->block, chunk = unit / j->column_blocks % f->n_chunks;
    const int64_t outer = unit / j->column_blocks / f->n_chunks, width = vn__min(f->block, shape->inner - c);
    const int64_t first = chunk * f->chunk, end = vn__min(shape->length, first + f->chunk);
    const int64_t at_once = j->column_blocks == 1 ? f->block / shape->inner : 1;
    const int64_t index = (outer * f->n_chunks + chunk) * shape->inner + c;
    char **at = table_of(j, lane);
    for (int32_t i = 0; i < f->n_sinks; i++) functions_of(&f->sinks[i])->begin(partials_of(j->run, &f->sinks[i], at, index), width);
    for (int64_t r = first; r < end; r += at_once) {
        const int64_t rows = vn__min(at_once, end - r), start = (outer * shape->length + r) * shape->inner + c;
        steps(f, at, start, rows * width);
        for (int32_t i = 0; i < f->n_sinks; i++) {
            const vn__sink *s = &f->sinks[i];
            functions_of(s)->columns(partials_of(j->run, s, at, index), at[s->x] + start * s->x_bytes, rows, width);
        }
    }
}

/* Adds the chunks of every result, floats in double, in place: result i ends up in entry i. The parts of complex numbers are
 * separate results. */
static void add_chunks(char *partials, int32_t type, const vn__shape3 *shape, int64_t n_chunks)
{
    vn__shape3 parts = *shape, *s = &parts;
    if (type == VN_C64 || type == VN_C128) {
        parts.inner *= 2;
        type = type == VN_C64 ? VN_F32 : VN_F64;
    }
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t i = 0; i < s->inner; i++) {
            double sum = 0;
            uint64_t whole = 0;
            for (int64_t c = 0; c < n_chunks; c++) {
                const size_t at = (size_t)((o * n_chunks + c) * s->inner + i);
                if (type == VN_F32) sum += (double)((const float *)(const void *)partials)[at];
                else if (type == VN_F64) sum += ((const double *)(const void *)partials)[at];
                else whole += ((const uint64_t *)(const void *)partials)[at];
            }
            const size_t to = (size_t)(o * s->inner + i);
            if (type == VN_F32) ((float *)(void *)partials)[to] = (float)sum;
            else if (type == VN_F64) ((double *)(void *)partials)[to] = sum;
            else ((uint64_t *)(void *)partials)[to] = whole;
        }
}

/* The same for max and min. */
static void join_chunks(char *partials, const vn__sink *sink, const vn__shape3 *s, int64_t n_chunks)
{
    const size_t row = (size_t)s->inner * vn__native_bytes(sink->type);
    for (int64_t o = 0; o < s->outer; o++) {
        char *to = partials + (size_t)o * row;
        const char *from = partials + (size_t)(o * n_chunks) * row;
        if (o > 0) memcpy(to, from, row);
        functions_of(sink)->columns(to, from + row, n_chunks - 1, s->inner);
    }
}

static void finish_sinks(const job *j)
{
    const vn__fused *f = j->f;
    const vn__shape3 *s = &f->sink_shape;
    char **at = table_of(j, 0);
    for (int32_t i = 0; i < f->n_sinks; i++) {
        const vn__sink *sink = &f->sinks[i];
        if (sink->in_place) continue;
        char *partials = partials_of(j->run, sink, at, 0);
        const int64_t n = s->outer * s->inner;
        if (f->n_chunks != 1 && sink->kind == VN_SUM) add_chunks(partials, sink->type, s, f->n_chunks);
        else if (f->n_chunks > 1) join_chunks(partials, sink, s, f->n_chunks);
        if (sink->type == sink->dtype) memcpy(at[sink->out], partials, (size_t)n * vn__native_bytes(sink->type));
        else vn__native_isa->cast->cast[sink->type][sink->dtype](at[sink->out], partials, partials, n, NULL, 0);
    }
}

static void run_reductions(job *j, int lanes)
{
    const vn__fused *f = j->f;
    const vn__shape3 *s = &f->sink_shape;
    if (f->count == 0) {
        /* no elements: every sum is 0, and max and min do not exist */
    } else if (s->layout == VN_LAYOUT_COLUMNS) {
        j->column_blocks = vn__ceil_div(s->inner, f->block);
        vn__native_parallel(lanes, s->outer * f->n_chunks * j->column_blocks, columns_unit, j);
    } else if (s->length <= f->block) {
        const int64_t at_once = f->block / s->length;
        j->rows_per_unit = vn__ceil_div(UNIT, at_once * s->length) * at_once;
        vn__native_parallel(lanes, vn__ceil_div(s->outer, j->rows_per_unit), short_rows_unit, j);
    } else {
        vn__native_parallel(lanes, s->outer * f->n_chunks, long_row_unit, j);
    }
    finish_sinks(j);
}

void vn__native_fused_run(const vn__kernel *kernel, const vn__run *run)
{
    const vn__fused *f = (const vn__fused *)kernel;
    job j = {.f = f, .run = run};
    const int lanes = run->lanes;
    for (int lane = 0; lane < lanes; lane++) fill_table(&j, lane);
    if (f->sink_shape.layout != VN_LAYOUT_NONE) {
        run_reductions(&j, lanes);
    } else if (f->count <= f->block) {
        if (f->count > 0) steps(f, table_of(&j, 0), 0, f->count);
    } else {
        vn__native_parallel(lanes, vn__ceil_div(f->count, UNIT), element_unit, &j);
    }
}

void vn__native_fused_explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    const vn__fused *f = (const vn__fused *)kernel;
    char shape[400];
    size_t n = (size_t)snprintf(text, capacity, "fused [");
    for (int32_t i = 0; i < f->n_named && n < capacity; i++) n += (size_t)snprintf(text + n, capacity - n, i ? " %s" : "%s", f->names[i]);
    if (f->n_names > f->n_named && n < capacity)
        n += (size_t)snprintf(text + n, capacity - n, " and %d more", (int)(f->n_names - f->n_named));
    vn__native_describe(&f->desc, shape, sizeof shape);
    if (n < capacity) snprintf(text + n, capacity - n, "] %s", shape);
}
