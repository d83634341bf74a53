/* window.c: the passes of a window over its arrays; see window.h. */
#include "window.h"

void vn__native_window(vn__window *w, const vn_desc *x, const vn_desc *y, const int64_t *window, const vn_option *strides)
{
    const int32_t n = x->rank - 2, missing = VN_SPATIAL - n;
    const int64_t *padding = strides[1].u.is, *dilation = strides[2].u.is;
    *w = (vn__window){.batch = x->dims[0], .taps = 1, .in_rows = x->dims[0], .out_rows = y->dims[0]};
    for (int32_t a = 0; a < VN_SPATIAL; a++) {
        const int32_t k = a - missing;
        w->axis[a] = k < 0 ? (vn__window_axis){1, 1, 1, 1, 0, 1}
                           : (vn__window_axis){x->dims[k + 1], y->dims[k + 1], window[k], strides->u.is[k], padding[2 * k], dilation[k]};
        w->taps *= w->axis[a].window;
        w->in_rows *= w->axis[a].in;
        w->out_rows *= w->axis[a].out;
    }
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

/* Phases of an axis: places that are a stride apart. */
static int64_t phases_of(const vn__window_axis *x)
{
    return vn__native_least(x->stride, x->in);
}

int64_t vn__native_phases(const vn__window *w)
{
    return phases_of(&w->axis[0]) * phases_of(&w->axis[1]) * phases_of(&w->axis[2]);
}

static int64_t common_divisor(int64_t x, int64_t y)
{
    while (y) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/* Place phase + stride*u of x is met by output o through tap t where phase + stride*u + low = stride*o + dilation*t: the taps with
 * dilation*t = phase + low modulo the stride, every stride/gcd-th of them from the first on. */
static vn__pass_axis phase_of(const vn__window_axis *x, int64_t phase)
{
    const int64_t shifted = phase + x->low, divisor = common_divisor(x->stride, x->dilation), every = x->stride / divisor;
    int64_t first = 0;
    while (first < every && first < x->window && (shifted - first * x->dilation) % x->stride != 0) first++;
    const bool any = first < every && first < x->window;
    return (vn__pass_axis){.many = vn__native_ceil_div(x->in - phase, x->stride),
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
    for (int64_t i = 0; i < n; i++) {
        int64_t from = rest, to = rest;
        for (int a = 0; a < VN_SPATIAL; a++) {
            const int64_t at = u[a] * x[a].step + x[a].base;
            places->at[a][i] = at;
            from = from * x[a].limit + at;
            to = to * x[a].to_limit + x[a].to + u[a] * x[a].to_every;
        }
        places->offset[i] = from * row_bytes;
        places->to[i] = to;
        int a = VN_SPATIAL - 1;
        while (a >= 0 && ++u[a] == x[a].many) u[a--] = 0;
        if (a < 0) rest++; /* the next image */
    }
}

int64_t vn__native_window_rows(const vn__pass *pass, const vn__window *w, const vn__places *places, int64_t tap, int64_t row_bytes,
                               const void *source, const void *outside, const void **rows)
{
    int64_t shift[VN_SPATIAL], limit[VN_SPATIAL], from = 0, number = 0, k[VN_SPATIAL];
    for (int a = VN_SPATIAL - 1; a >= 0; a--) {
        k[a] = tap % pass->axis[a].taps;
        tap /= pass->axis[a].taps;
    }
    for (int a = 0; a < VN_SPATIAL; a++) {
        const vn__pass_axis *x = &pass->axis[a];
        shift[a] = k[a] * x->slope;
        limit[a] = x->limit;
        from = from * x->limit + shift[a];
        number = number * w->axis[a].window + x->tap + k[a] * x->tap_every;
    }
    const vn__row_block block = {
        {places->at[0], places->at[1], places->at[2]}, {shift[0], shift[1], shift[2]}, {limit[0], limit[1], limit[2]}, places->offset};
    vn__native_isa->conv->rows(rows, &block, places->n, (const char *)source + from * row_bytes, outside);
    return number;
}
