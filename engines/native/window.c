/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: see window.h. */
#include <string.h>

#include "window.h"
#include "base/minmax.h"

void vn__native_window(vn__window *w, const vn_desc *x, const vn_desc *y, const int64_t *window, const vn_option *options)
{
    const int32_t n = x->rank - 2, missing = VN_SPATIAL - n;
    const int64_t *strides = options[STRIDES].u.is, *padding = options[PADS].u.is, *dilation = options[DILATIONS].u.is;
    *w = (vn__window){.batch = x->dims[0], .taps = 1, .in_rows = x->dims[0], .out_rows = y->dims[0], .span = 1};
    for (int32_t a = 0; a < VN_SPATIAL; a++) {
        const int32_t k = a - missing;
        w->axis[a] = k < 0 ? (vn__window_axis){1, 1, 1, 1, 0, 1}
                           : (vn__window_axis){x->dims[k + 1], y->dims[k + 1], window[k], strides[k], padding[2 * k], dilation[k]};
        w->taps *= w->axis[a].window;
        w->in_rows *= w->axis[a].in;
        w->out_rows *= w->axis[a].out;
    }
}

void vn__native_window_join(vn__window *w)
{
    w->span = w->axis[VN_SPATIAL - 1].window;
    w->axis[VN_SPATIAL - 1].window = 1;
    w->taps /= w->span;
}

static void count(const vn__window *w, vn__pass *pass)
{
    pass->positions = w->batch;
    pass->taps = 1;
    for (int a = 0; a < VN_SPATIAL; a++) {
        pass->positions *= pass->axis[a].many;
        pass->taps *= pass->axis[a].taps;
    }
}

void vn__native_pass_forward(const vn__window *w, vn__pass *pass)
{
    for (int a = 0; a < VN_SPATIAL; a++) {
        const vn__window_axis *x = &w->axis[a];
        pass->axis[a] = (vn__pass_axis){x->out, x->stride, -x->low, x->dilation, x->in, x->window, 0, 1, 0, 1, x->out};
    }
    count(w, pass);
}

/* Phases of an axis: positions that are a stride apart. */
static int64_t phases_of(const vn__window_axis *x)
{
    return vn__min(x->stride, x->in);
}

int64_t vn__native_phases(const vn__window *w)
{
    return phases_of(&w->axis[0]) * phases_of(&w->axis[1]) * phases_of(&w->axis[2]);
}

/* Position phase + stride*u of x contributes to output o through tap t if phase + stride*u + low = stride*o + dilation*t: these are the
 * taps with dilation*t = phase + low modulo the stride, every stride/gcd-th one. */
static vn__pass_axis phase_of(const vn__window_axis *x, int64_t phase)
{
    const int64_t shifted = phase + x->low, divisor = (int64_t)vn__gcd((uint64_t)x->stride, (uint64_t)x->dilation),
                  every = x->stride / divisor;
    int64_t first = 0;
    while (first < every && first < x->window && (shifted - first * x->dilation) % x->stride != 0) first++;
    const bool any = first < every && first < x->window;
    return (vn__pass_axis){.many = vn__ceil_div(x->in - phase, x->stride),
                           .step = 1,
                           .base = any ? (shifted - first * x->dilation) / x->stride : 0,
                           .slope = -x->dilation / divisor,
                           .limit = x->out,
                           .taps = any ? (x->window - 1 - first) / every + 1 : 0,
                           .tap = first,
                           .tap_every = every,
                           .to = phase,
                           .to_every = x->stride,
                           .to_limit = x->in};
}

void vn__native_pass_backward(const vn__window *w, int64_t phase, vn__pass *pass)
{
    for (int a = VN_SPATIAL - 1; a >= 0; a--) {
        const int64_t n = phases_of(&w->axis[a]);
        pass->axis[a] = phase_of(&w->axis[a], phase % n);
        phase /= n;
    }
    count(w, pass);
}

void vn__native_places(const vn__pass *pass, int64_t first, int64_t n, int64_t row_bytes, vn__places *places)
{
    const vn__pass_axis *x = pass->axis;
    int64_t u[VN_SPATIAL], rest = first;
    for (int a = VN_SPATIAL - 1; a >= 0; a--) {
        u[a] = rest % x[a].many;
        rest /= x[a].many;
    }
    places->n = n;
    for (int64_t i = 0; i < n;) { /* a contiguous run along the last axis */
        const int64_t end = i + vn__min(n - i, x[2].many - u[2]);
        int64_t at[VN_SPATIAL], from = rest, to = rest;
        for (int a = 0; a < VN_SPATIAL; a++) {
            at[a] = u[a] * x[a].step + x[a].base;
            from = from * x[a].limit + at[a];
            to = to * x[a].to_limit + x[a].to + u[a] * x[a].to_every;
        }
        for (from *= row_bytes; i < end; i++, at[2] += x[2].step, from += x[2].step * row_bytes, to += x[2].to_every) {
            places->at[0][i] = at[0];
            places->at[1][i] = at[1];
            places->at[2][i] = at[2];
            places->offset[i] = from;
            places->to[i] = to;
        }
        u[2] = 0;
        if (++u[1] < x[1].many) continue;
        u[1] = 0;
        if (++u[0] < x[0].many) continue;
        u[0] = 0;
        rest++; /* the next image */
    }
}

/* The shift of tap `tap` of a pass: along each axis and, in rows, in total; and its number in the window. */
typedef struct move {
    int64_t shift[VN_SPATIAL], rows, number;
} move;

static move move_of(const vn__pass *pass, const vn__window *w, int64_t tap)
{
    move m = {.rows = 0};
    int64_t k[VN_SPATIAL];
    for (int a = VN_SPATIAL - 1; a >= 0; a--) {
        k[a] = tap % pass->axis[a].taps;
        tap /= pass->axis[a].taps;
    }
    for (int a = 0; a < VN_SPATIAL; a++) {
        const vn__pass_axis *x = &pass->axis[a];
        m.shift[a] = k[a] * x->slope;
        m.rows = m.rows * x->limit + m.shift[a];
        m.number = m.number * w->axis[a].window + x->tap + k[a] * x->tap_every;
    }
    return m;
}

int64_t vn__native_window_rows(const vn__pass *pass, const vn__window *w, const vn__places *places, int64_t tap, int64_t row_bytes,
                               const void *source, const void *outside, const void **rows)
{
    const move m = move_of(pass, w, tap);
    const vn__pass_axis *x = pass->axis;
    const int64_t last = x[2].limit < w->span ? 0 : x[2].limit - w->span + 1;
    const vn__row_block block = {{places->at[0], places->at[1], places->at[2]},
                                 {m.shift[0], m.shift[1], m.shift[2]},
                                 {x[0].limit, x[1].limit, last},
                                 places->offset};
    vn__native_isa->conv->rows(rows, &block, places->n, (const char *)source + m.rows * row_bytes, outside);
    return m.number;
}

char *vn__native_window_edges(const vn__pass *pass, const vn__window *w, const vn__places *places, int64_t tap, int64_t row_bytes,
                              const void *source, const void *zeros, const void **rows, char *to)
{
    const move m = move_of(pass, w, tap);
    const vn__pass_axis *x = pass->axis;
    for (int64_t i = 0; i < places->n; i++) {
        if (rows[i]) continue;
        const int64_t at[VN_SPATIAL] = {places->at[0][i] + m.shift[0], places->at[1][i] + m.shift[1], places->at[2][i] + m.shift[2]};
        const int64_t begin = vn__max(at[2], 0), end = vn__min(x[2].limit, at[2] + w->span);
        rows[i] = zeros;
        if (at[0] < 0 || at[0] >= x[0].limit || at[1] < 0 || at[1] >= x[1].limit || begin >= end) continue;
        rows[i] = to;
        memset(to, 0, (size_t)(w->span * row_bytes));
        memcpy(to + (begin - at[2]) * row_bytes, (const char *)source + places->offset[i] + (m.rows + begin - at[2]) * row_bytes,
               (size_t)((end - begin) * row_bytes));
        to += w->span * row_bytes;
    }
    return to;
}
