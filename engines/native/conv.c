/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: convolution and its gradient for the input: splitting into blocks and sharing between threads. isa/conv.c computes
 * the tiles.
 *
 * Both multiply rows of channels of a source with the filter into rows of a destination; window.c says which rows go together.
 * The filter is packed once per call, in panels as for a matrix product. A thread takes a block of positions and some panels,
 * looks up the rows of several taps, and multiplies them in place (no im2col). The order of
 * summation depends only on the shapes. */
#include <string.h>

#include "conv.h"

typedef struct carry {
    vn__conv conv;
    bool back;                            /* from y to x */
    int32_t from, filter, to;             /* storages */
    int64_t from_row;                     /* bytes of a row of the source */
    int64_t length, results;              /* channels per group: of the source, of the destination */
    int64_t phases, panels, packed_group; /* packed_group: bytes of one group's packed filter */
    int64_t most;                         /* number of positions of the largest pass */
} carry;

void vn__native_conv(vn__conv *c, const vn_desc *x, const vn_desc *w, const vn_desc *y, const vn_instr *instr, bool back)
{
    const int32_t n = x->rank - 2;
    vn__native_window(&c->window, x, y, w->dims, instr->options);
    c->channels.groups = instr->options[GROUPS].u.i;
    c->channels.c = w->dims[n];
    c->channels.o = w->dims[n + 1] / c->channels.groups;
    c->dtype = x->dtype;
    c->element = (int64_t)vn__native_bytes(c->dtype);
    c->x_row = x->dims[n + 1] * c->element;
    c->y_row = y->dims[n + 1] * c->element;
    const bool floats = (VN_BIT(c->dtype) & VN_FLOATS) != 0, grouped = c->channels.groups > 1;
    c->depthwise = floats && grouped && c->channels.c == 1 && c->channels.o == 1;
    c->plain = !floats || (grouped && !c->depthwise && (c->channels.c == 1 || c->channels.o == 1)); /* too few for a tile */
    c->work = (double)c->window.out_rows * (double)c->window.taps * (double)c->channels.c * (double)w->dims[n + 1];
    c->gemm = c->dtype == VN_F64 ? &vn__native_isa->matmul->f64 : &vn__native_isa->matmul->f32;
    c->fns = c->dtype == VN_F64 ? &vn__native_isa->conv->f64 : &vn__native_isa->conv->f32;
    const vn__window_axis *last = &c->window.axis[VN_SPATIAL - 1];
    if (back || !floats || grouped || c->channels.c >= VN_CONV_FEW) return;
    if (last->window == 1 || last->dilation != 1 || last->window > VN_CONV_JOINED / c->channels.c) return;
    vn__native_window_join(&c->window);
    c->channels.c *= c->window.span;
}

int64_t vn__native_conv_rows(const vn__conv *c, const vn__pass *pass, const vn__places *places, int64_t tap, int64_t row_bytes,
                             const void *source, const void *zeros, const void **rows, char **edges)
{
    const bool joined = c->window.span > 1;
    const int64_t number = vn__native_window_rows(pass, &c->window, places, tap, row_bytes, source, joined ? NULL : zeros, rows);
    if (joined) *edges = vn__native_window_edges(pass, &c->window, places, tap, row_bytes, source, zeros, rows, *edges);
    return number;
}

size_t vn__native_conv_edge_bytes(const vn__conv *c, int64_t taps)
{
    return c->window.span > 1 ? (size_t)(taps * VN_WINDOW_POSITIONS * c->window.span * c->x_row) : 0;
}

void vn__native_conv_zeros(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    memset(run->slots[w->out], 0, (size_t)w->out_desc.count * vn__native_bytes(w->out_desc.dtype));
}

/* ---- a block of positions ---- */

typedef struct job {
    const carry *c;
    const vn__run *run;
    char *packed, *zeros;
    int64_t block, blocks, parts, part_panels; /* positions per block, blocks of a pass, parts of the panels */
} job;

/* A thread's memory. */
typedef struct scratch {
    vn__places places;
    void *to[VN_WINDOW_POSITIONS];
    const void *w[VN_WINDOW_TAPS];
    const void *rows[VN_WINDOW_TAPS * VN_WINDOW_POSITIONS];
} scratch;

/* The taps of a pass are processed in groups of equal size, of about VN_CONV_CHUNK products. */
static int64_t taps_at_once(const vn__pass *pass, int64_t length)
{
    int64_t most = length > 0 ? VN_CONV_CHUNK / length : VN_WINDOW_TAPS;
    most = vn__min(vn__max(most, 1), VN_WINDOW_TAPS);
    return pass->taps ? vn__ceil_div(pass->taps, vn__ceil_div(pass->taps, most)) : 1; /* a phase may have no taps */
}

/* Looks up rows and filters of `taps` taps of a pass, starting at tap `first`. */
static void meet(const job *j, const vn__pass *pass, scratch *s, int64_t first, int64_t taps, const char *source, const char *filters,
                 int64_t filter_bytes)
{
    const carry *c = j->c;
    char *edges = (char *)s + vn__native_round64(sizeof *s);
    for (int64_t t = 0; t < taps; t++) {
        const int64_t number = vn__native_conv_rows(&c->conv, pass, &s->places, first + t, c->from_row, source, j->zeros,
                                                    s->rows + t * VN_WINDOW_POSITIONS, &edges);
        s->w[t] = filters + number * filter_bytes;
    }
}

/* One group through some of its panels. */
static void carry_group(const job *j, const vn__pass *pass, scratch *s, int64_t group, int64_t part)
{
    const carry *c = j->c;
    const int64_t nr = c->conv.gemm->nr, element = c->conv.element, end = vn__min(c->panels, (part + 1) * j->part_panels);
    const char *source = j->run->slots[c->from] + group * c->length * element;
    for (int64_t k = 0; k < c->length; k += VN_CONV_CHUNK) {
        const int64_t length = vn__min(VN_CONV_CHUNK, c->length - k), step = taps_at_once(pass, length);
        const char *filters = j->packed + group * c->packed_group + k * c->panels * nr * element;
        for (int64_t t = 0; t < pass->taps; t += step) {
            const int64_t taps = vn__min(step, pass->taps - t);
            meet(j, pass, s, t, taps, source + k * element, filters, c->length * c->panels * nr * element);
            for (int64_t p = part * j->part_panels; p < end; p++)
                c->conv.fns->carry(s->to, group * c->results + p * nr, s->rows, VN_WINDOW_POSITIONS, s->w, p * nr * length, taps, length,
                                   s->places.n, vn__min(nr, c->results - p * nr), k == 0 && t == 0);
        }
    }
}

/* All groups together, unpacked: depthwise, or in plain loops. */
static void carry_plainly(const job *j, const vn__pass *pass, scratch *s)
{
    const vn__conv *v = &j->c->conv;
    const vn__plain_fns *plain = &vn__native_isa->conv->plain[v->dtype];
    const int64_t filter_bytes = v->channels.c * v->channels.o * v->channels.groups * v->element;
    for (int64_t t = 0; t < pass->taps; t += VN_WINDOW_TAPS) {
        const int64_t taps = vn__min(VN_WINDOW_TAPS, pass->taps - t), m = s->places.n;
        meet(j, pass, s, t, taps, j->run->slots[j->c->from], j->run->slots[j->c->filter], filter_bytes);
        if (v->depthwise) v->fns->depthwise(s->to, s->rows, VN_WINDOW_POSITIONS, s->w, taps, v->channels.groups, m, t == 0);
        else if (j->c->back) plain->input(&v->channels, s->to, s->rows, VN_WINDOW_POSITIONS, s->w, taps, m, t == 0);
        else plain->forward(&v->channels, s->to, s->rows, VN_WINDOW_POSITIONS, s->w, taps, m, t == 0);
    }
}

static void block_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const carry *c = j->c;
    const int64_t groups = c->conv.depthwise || c->conv.plain ? 1 : c->conv.channels.groups;
    const int64_t part = unit % j->parts, group = unit / j->parts % groups, block = unit / j->parts / groups % j->blocks;
    scratch *s = (scratch *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
    vn__pass pass;
    if (c->back) vn__native_pass_backward(&c->conv.window, unit / j->parts / groups / j->blocks, &pass);
    else vn__native_pass_forward(&c->conv.window, &pass);
    const int64_t first = block * j->block, n = vn__min(j->block, pass.positions - first);
    if (n <= 0) return;
    const int64_t to_bytes = c->back ? c->conv.x_row : c->conv.y_row;
    vn__native_places(&pass, first, n, c->from_row, &s->places);
    for (int64_t i = 0; i < n; i++) s->to[i] = j->run->slots[c->to] + s->places.to[i] * to_bytes;
    if (pass.taps == 0) { /* no output depends on these elements */
        for (int64_t i = 0; i < n && part == 0 && group == 0; i++) memset(s->to[i], 0, (size_t)to_bytes);
    } else if (c->conv.depthwise || c->conv.plain) {
        carry_plainly(j, &pass, s);
    } else {
        carry_group(j, &pass, s, group, part);
    }
}

/* ---- the packed filter ---- */

static void pack_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const carry *c = j->c;
    const vn__plain_conv *v = &c->conv.channels;
    const int64_t element = c->conv.element, chunks = vn__ceil_div(c->length, VN_CONV_CHUNK), all = v->groups * v->o;
    const int64_t k = unit % chunks * VN_CONV_CHUNK, tap = unit / chunks % c->conv.window.taps, group = unit / chunks / c->conv.window.taps;
    const int64_t length = vn__min(VN_CONV_CHUNK, c->length - k), wide = c->panels * c->conv.gemm->nr;
    const char *from = j->run->slots[c->filter] + (tap * v->c * all + group * v->o) * element;
    const vn__matrix m =
        c->back ? (vn__matrix){from + k * element, length, v->c, 1, all} : (vn__matrix){from + k * all * element, length, v->o, all, 1};
    (void)lane;
    c->conv.gemm->pack_b[c->conv.dtype](j->packed + group * c->packed_group + (tap * c->length + k) * wide * element, &m);
}

/* ---- running ---- */

static void run_carry(const vn__kernel *kernel, const vn__run *run)
{
    const carry *c = ((const vn__whole *)kernel)->plan;
    const int lanes = run->lanes;
    const bool packed = !c->conv.depthwise && !c->conv.plain;
    const int64_t source = c->length * c->conv.channels.groups * c->conv.element, wanted = 8 * (int64_t)lanes, mr = c->conv.gemm->mr;
    job j = {.c = c, .run = run, .zeros = run->shared, .packed = run->shared + vn__native_round64((size_t)source), .parts = 1};
    memset(j.zeros, 0, (size_t)source);
    j.block = vn__ceil_div(vn__ceil_div(c->most * c->phases, wanted), mr) * mr;
    if (j.block < 4 * mr) j.block = 4 * mr;
    j.block = vn__min(j.block, VN_WINDOW_POSITIONS);
    j.blocks = vn__ceil_div(c->most, j.block);
    j.part_panels = c->panels;
    if (packed) {
        const int64_t units = j.blocks * c->phases * c->conv.channels.groups;
        j.parts = vn__min(c->panels, units < wanted && lanes > 1 ? vn__ceil_div(wanted, units) : 1);
        j.part_panels = vn__ceil_div(c->panels, j.parts);
        vn__native_parallel(lanes, vn__ceil_div(c->length, VN_CONV_CHUNK) * c->conv.window.taps * c->conv.channels.groups, pack_unit, &j);
    }
    vn__native_parallel(lanes, c->phases * j.blocks * (packed ? c->conv.channels.groups : 1) * j.parts, block_unit, &j);
}

static int prepare(vn__graph *g, vn__whole *w, bool back)
{
    const vn_desc *x = back ? &w->out_desc : &w->in_desc[0], *y = back ? &w->in_desc[0] : &w->out_desc;
    carry *c = vn__native_whole_keep(g, sizeof *c);
    if (!c) return vn__native_no_memory();
    w->plan = c;
    w->kernel.run = vn__native_conv_zeros;
    if (w->in_desc[0].count == 0 || w->in_desc[1].count == 0 || w->out_desc.count == 0) return VN_OK;
    vn__native_conv(&c->conv, x, &w->in_desc[1], y, w->instr, back);
    const vn__plain_conv *v = &c->conv.channels;
    const int64_t nr = c->conv.gemm->nr;
    c->back = back;
    c->from = w->in[0];
    c->filter = w->in[1];
    c->to = w->out;
    c->from_row = back ? c->conv.y_row : c->conv.x_row;
    c->length = back ? v->o : v->c;
    c->results = back ? v->c : v->o;
    c->phases = back ? vn__native_phases(&c->conv.window) : 1;
    c->panels = vn__ceil_div(c->results, nr);
    c->packed_group = c->conv.window.taps * c->length * c->panels * nr * c->conv.element;
    vn__pass pass;
    if (back) vn__native_pass_backward(&c->conv.window, 0, &pass); /* the first phase has the most positions */
    else vn__native_pass_forward(&c->conv.window, &pass);
    c->most = pass.positions;
    w->kernel.run = run_carry;
    w->kernel.parallel = c->conv.work > VN_CONV_PARALLEL;
    w->kernel.lane_bytes = vn__native_round64(sizeof(scratch)) + vn__native_conv_edge_bytes(&c->conv, taps_at_once(&pass, c->length));
    w->kernel.shared_bytes = vn__native_round64((size_t)(c->length * v->groups * c->conv.element));
    if (!c->conv.depthwise && !c->conv.plain) w->kernel.shared_bytes += (size_t)(c->packed_group * v->groups);
    return VN_OK;
}

int vn__native_prepare_conv(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false);
}

int vn__native_prepare_conv_input(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true);
}
