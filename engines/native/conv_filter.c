/* SPDX-License-Identifier: Apache-2.0 */
/* conv_filter.c: the gradient of a convolution for its filter: for every tap the product of its rows of x, transposed, with y.
 *
 * Positions are divided into splits, whose number depends only on the shapes; each split computes its own filter, CHUNK positions at a
 * time, and these are added in order. For large filters there are fewer splits, and threads take parts of a filter instead. */
#include <string.h>

#include "conv.h"

#define THRESHOLDS_FILTER
#include "thresholds.h"
_Static_assert((int)CHUNK <= (int)VN_WINDOW_POSITIONS && (int)DEPTH_CHUNK <= (int)VN_WINDOW_POSITIONS, "a chunk is looked up at once");

typedef struct plan {
    vn__conv conv;
    vn__pass pass;
    int32_t x, y, out; /* storages */
    int64_t chunk, chunks, splits, tap_parts, channel_parts;
    int64_t filter_bytes, tap_bytes; /* bytes of the whole filter, and of one tap's part */
    size_t packed_bytes;             /* of a thread's part of y */
} plan;

/* A thread's memory; the packed part of y and copies at edges follow. */
typedef struct scratch {
    vn__places places;
    const void *rows[VN_WINDOW_TAPS * VN_WINDOW_POSITIONS];
} scratch;

typedef struct job {
    const plan *p;
    const vn__run *run;
    char *zeros, *filters; /* filters of the splits */
} job;

static int64_t share(int64_t number, int64_t parts, int64_t of)
{
    return number * of / parts;
}

/* The rows of x for these positions and tap `tap`. */
static void look_up(const job *j, scratch *s, int64_t tap, const char *x, const void **rows)
{
    const plan *p = j->p;
    char *edges = (char *)s + vn__native_round64(sizeof *s) + p->packed_bytes;
    vn__native_conv_rows(&p->conv, &p->pass, &s->places, tap, p->conv.x_row, x, j->zeros, rows, &edges);
}

/* Positions first .. first+n, taps and channels as given, all columns of a group. */
static void filter_group(const job *j, scratch *s, char *w, int64_t group, const int64_t tap[2], const int64_t channel[2], int64_t first)
{
    const plan *p = j->p;
    const vn__conv *v = &p->conv;
    const int64_t nr = v->gemm->nr, element = v->element, all = v->channels.groups * v->channels.o, n = s->places.n;
    char *panels = (char *)s + vn__native_round64(sizeof *s);
    const char *x = j->run->slots[p->x] + (group * v->channels.c + channel[0]) * element;
    for (int64_t column = 0; column < v->channels.o; column += COLUMNS) {
        const int64_t columns = vn__min(COLUMNS, v->channels.o - column), at = group * v->channels.o + column;
        const vn__matrix y = {j->run->slots[p->y] + (first * all + at) * element, n, columns, all, 1};
        v->gemm->pack_b[v->dtype](panels, &y);
        for (int64_t t = tap[0]; t < tap[1]; t++) {
            look_up(j, s, t, x, s->rows);
            for (int64_t k = 0; k < columns; k += nr)
                v->fns->filter(w + t * p->tap_bytes + (channel[0] * all + at + k) * element, all, s->rows, 0, channel[1] - channel[0],
                               panels + k * n * element, n, vn__min(nr, columns - k));
        }
    }
}

static void filter_depthwise(const job *j, scratch *s, char *w, int64_t first)
{
    const plan *p = j->p;
    const int64_t channels = p->conv.channels.groups, element = p->conv.element;
    for (int64_t t = 0; t < p->pass.taps; t += VN_WINDOW_TAPS) {
        const int64_t taps = vn__min(VN_WINDOW_TAPS, p->pass.taps - t);
        for (int64_t k = 0; k < taps; k++) look_up(j, s, t + k, j->run->slots[p->x], s->rows + k * VN_WINDOW_POSITIONS);
        p->conv.fns->depthwise_filter(w + t * p->tap_bytes, s->rows, VN_WINDOW_POSITIONS, j->run->slots[p->y] + first * channels * element,
                                      taps, channels, s->places.n);
    }
}

static void filter_plainly(const job *j, scratch *s, char *w, const int64_t tap[2], int64_t first)
{
    const plan *p = j->p;
    const vn__plain_conv *v = &p->conv.channels;
    const char *y = j->run->slots[p->y] + first * v->groups * v->o * p->conv.element;
    for (int64_t t = tap[0]; t < tap[1]; t++) {
        look_up(j, s, t, j->run->slots[p->x], s->rows);
        vn__native_isa->conv->plain[p->conv.dtype].filter(v, w + t * p->tap_bytes, s->rows, y, s->places.n);
    }
}

/* Zeroes the filter rows that a unit computes. */
static void clear(const plan *p, char *w, const int64_t tap[2], const int64_t channel[2])
{
    const int64_t row = p->conv.channels.groups * p->conv.channels.o * p->conv.element;
    for (int64_t t = tap[0]; t < tap[1]; t++) memset(w + t * p->tap_bytes + channel[0] * row, 0, (size_t)((channel[1] - channel[0]) * row));
}

static void filter_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    const int64_t part = unit % p->channel_parts, taps = unit / p->channel_parts % p->tap_parts,
                  split = unit / p->channel_parts / p->tap_parts;
    const int64_t tap[2] = {share(taps, p->tap_parts, p->pass.taps), share(taps + 1, p->tap_parts, p->pass.taps)};
    const int64_t channel[2] = {share(part, p->channel_parts, p->conv.channels.c), share(part + 1, p->channel_parts, p->conv.channels.c)};
    scratch *s = (scratch *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
    char *w = j->filters + split * p->filter_bytes;
    clear(p, w, tap, channel);
    for (int64_t c = share(split, p->splits, p->chunks); c < share(split + 1, p->splits, p->chunks); c++) {
        const int64_t first = c * p->chunk, n = vn__min(p->chunk, p->pass.positions - first);
        vn__native_places(&p->pass, first, n, p->conv.x_row, &s->places);
        if (p->conv.depthwise) filter_depthwise(j, s, w, first);
        else if (p->conv.plain) filter_plainly(j, s, w, tap, first);
        else
            for (int64_t g = 0; g < p->conv.channels.groups; g++) filter_group(j, s, w, g, tap, channel, first);
    }
}

static void add_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const plan *p = j->p;
    const int64_t element = p->conv.element, at = unit * ADD, n = vn__min(ADD, p->filter_bytes / element - at);
    const struct vn__reduce_fns *sum = vn__native_reduction(VN_SUM, p->conv.dtype);
    char *to = j->run->slots[p->out] + at * element;
    (void)lane;
    memcpy(to, j->filters + at * element, (size_t)(n * element));
    for (int64_t s = 1; s < p->splits; s++) sum->columns(to, j->filters + s * p->filter_bytes + at * element, 1, n);
}

static void run_filter(const vn__kernel *kernel, const vn__run *run)
{
    const plan *p = ((const vn__whole *)kernel)->plan;
    const int lanes = run->lanes;
    const int64_t row = p->conv.channels.groups * p->conv.channels.c * p->conv.element;
    job j = {.p = p, .run = run, .zeros = run->shared, .filters = run->slots[p->out]};
    if (p->splits > 1) j.filters = run->shared + vn__native_round64((size_t)row);
    memset(j.zeros, 0, (size_t)row);
    vn__native_parallel(lanes, p->splits * p->tap_parts * p->channel_parts, filter_unit, &j);
    if (p->splits > 1) vn__native_parallel(lanes, vn__ceil_div(p->filter_bytes / p->conv.element, ADD), add_unit, &j);
}

/* Splits the work, depending only on shapes. */
static void cut(plan *p)
{
    const vn__conv *v = &p->conv;
    p->chunk = v->depthwise ? DEPTH_CHUNK : CHUNK;
    p->chunks = vn__ceil_div(p->pass.positions, p->chunk);
    const int64_t room = SPLIT_BYTES / p->filter_bytes;
    p->splits = v->plain ? 1 : vn__min(vn__min(SPLITS, vn__max(room, 1)), p->chunks);
    p->tap_parts = p->channel_parts = 1;
    if (v->depthwise || p->splits >= UNITS / 2) return;
    p->tap_parts = vn__min(p->pass.taps, vn__ceil_div(UNITS, p->splits));
    const int64_t more = vn__ceil_div(UNITS, p->splits * p->tap_parts), fit = v->channels.c / (4 * v->gemm->mr);
    if (!v->plain && v->window.span == 1 && more > 1 && fit > 1) p->channel_parts = vn__min(more, fit);
}

int vn__native_prepare_conv_filter(vn__graph *g, vn__whole *w)
{
    plan *p = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    w->plan = p;
    w->kernel.run = vn__native_conv_zeros;
    if (w->in_desc[0].count == 0 || w->in_desc[1].count == 0 || w->out_desc.count == 0) return VN_OK;
    vn__conv *v = &p->conv;
    vn__native_conv(v, &w->in_desc[0], &w->out_desc, &w->in_desc[1], w->instr, false);
    vn__native_pass_forward(&v->window, &p->pass);
    p->x = w->in[0];
    p->y = w->in[1];
    p->out = w->out;
    p->tap_bytes = v->channels.groups * v->channels.c * v->channels.o * v->element;
    p->filter_bytes = p->tap_bytes * v->window.taps;
    cut(p);
    w->kernel.run = run_filter;
    w->kernel.parallel = v->work > VN_CONV_PARALLEL;
    w->kernel.lane_bytes = vn__native_round64(sizeof(scratch));
    if (!v->plain && !v->depthwise) {
        const int64_t wide = vn__ceil_div(vn__min(v->channels.o, COLUMNS), v->gemm->nr) * v->gemm->nr;
        p->packed_bytes = vn__native_round64((size_t)(wide * CHUNK * v->element));
    }
    w->kernel.lane_bytes += p->packed_bytes + vn__native_conv_edge_bytes(v, 1);
    w->kernel.shared_bytes = vn__native_round64((size_t)(v->channels.groups * v->channels.c * v->element));
    if (p->splits > 1) w->kernel.shared_bytes += (size_t)(p->splits * p->filter_bytes);
    return VN_OK;
}
