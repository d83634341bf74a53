/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: which elements of two arrays a window's taps combine. */
#include "window.h"

#include <string.h>

const torch_op add_to = {"aten::_foreach_addcmul_", "Tensor", "[0][1][u]+>"};

window window_of(const vn_desc *x, const vn_desc *y, const int64_t *sizes, const vn_option *options)
{
    window f = {.n = x->rank - 2};
    for (int a = 0; a < SPATIAL; a++) {
        int k = a - (SPATIAL - f.n);
        bool there = k >= 0;
        f.size[a] = there ? x->dims[k + 1] : 1;
        f.out[a] = there ? y->dims[k + 1] : 1;
        f.taps[a] = there ? sizes[k] : 1;
        f.step[a] = there ? options[STRIDES].u.is[k] : 1;
        f.low[a] = there ? options[PADS].u.is[2 * k] : 0;
        f.high[a] = there ? options[PADS].u.is[2 * k + 1] : 0;
        f.dilation[a] = there ? options[DILATIONS].u.is[k] : 1;
    }
    return f;
}

bool is_symmetric(const window *f)
{
    return memcmp(f->low, f->high, sizeof f->low) == 0;
}

array5 five_axes(work *w, tensor *x, const vn_desc *d, bool filter)
{
    array5 five = {.t = x};
    int64_t *strides;
    int missing = AXES - d->rank, at = 0;
    if (w->code) return five;
    if (torch.strides(x, &strides)) {
        w->code = failed(w->r->op);
        return five;
    }
    for (int k = 0; k < d->rank; k++) {
        while (missing > 0 && at == (filter ? 0 : 1) + (AXES - d->rank) - missing) five.dims[at++] = 1, missing--;
        five.dims[at] = d->dims[k];
        five.strides[at++] = strides[k];
    }
    five.t = view(w, x, AXES, five.dims, five.strides, 0);
    return five;
}

array5 new_array(work *w, const int64_t *dims)
{
    array5 x = {.t = fresh(w, AXES, dims, w->dtype)};
    memcpy(x.dims, dims, sizeof x.dims);
    strides_of_rows(AXES, dims, x.strides);
    return x;
}

/* [kernel..., C/groups, O] as [O, C/groups, kernel...]; [N, spatial..., C] as [N, C, spatial...] */
tensor *as_torch(work *w, const window *f, const array5 *x, bool filter)
{
    static const int array_order[AXES] = {0, 4, 1, 2, 3}, filter_order[AXES] = {4, 3, 0, 1, 2};
    const int *order = filter ? filter_order : array_order;
    int64_t dims[AXES], strides[AXES];
    int n = 0;
    for (int k = 0; k < AXES; k++) {
        if (k == 2 && f->n < SPATIAL) continue;
        dims[n] = x->dims[order[k]];
        strides[n++] = x->strides[order[k]];
    }
    return view(w, x->t, n, dims, strides, 0);
}

/* torch's [N, C, spatial...] or [O, C, kernel...] as five axes again */
array5 from_torch(work *w, const window *f, tensor *t, const int64_t *dims, bool filter)
{
    static const int array_order[AXES] = {0, 2, 3, 4, 1}, filter_order[AXES] = {2, 3, 4, 1, 0};
    const int *order = filter ? filter_order : array_order, gap = f->n < SPATIAL;
    array5 x = {.t = t};
    int64_t *strides;
    if (w->code) return x;
    if (torch.strides(t, &strides)) {
        w->code = failed(w->r->op);
        return x;
    }
    memcpy(x.dims, dims, sizeof x.dims);
    for (int k = 0; k < AXES; k++) {
        if (gap && order[k] == 2) continue;
        x.strides[k] = strides[order[k] > 2 ? order[k] - gap : order[k]];
    }
    x.t = view(w, t, AXES, x.dims, x.strides, 0);
    return x;
}

/* Removes the axes of size 1 that five_axes inserted. */
tensor *own_axes(work *w, const array5 *x, const vn_desc *d, bool filter)
{
    int64_t strides[AXES];
    int skip = filter ? 0 : 1, missing = AXES - d->rank;
    for (int k = 0; k < d->rank; k++) strides[k] = x->strides[k < skip ? k : k + missing];
    return view(w, x->t, d->rank, d->dims, strides, 0);
}

/* The dims of the result with its five axes. */
void five_dims(const vn_desc *d, bool filter, int64_t *dims)
{
    int skip = filter ? 0 : 1, missing = AXES - d->rank;
    for (int k = 0; k < AXES; k++) dims[k] = k < skip ? d->dims[k] : k < skip + missing ? 1 : d->dims[k - missing];
}

static int64_t divide_up(int64_t x, int64_t y)
{
    return x > 0 ? (x + y - 1) / y : -(-x / y);
}

taps all_taps(const window *f, bool down)
{
    taps all = {.f = f, .down = down};
    for (int a = 0; a < SPATIAL; a++) {
        /* 0 <= at * dilation - low + y * step < size for some y of 0 .. out-1 */
        int64_t least = divide_up(f->low[a] - (f->out[a] - 1) * f->step[a], f->dilation[a]);
        int64_t end = divide_up(f->low[a] + f->size[a], f->dilation[a]);
        all.from[a] = least > 0 ? least : 0;
        all.to[a] = end < f->taps[a] ? end : f->taps[a];
        if (all.from[a] >= all.to[a] || f->out[a] == 0) all.done = true;
        all.now[a] = down ? all.to[a] - 1 : all.from[a];
    }
    return all;
}

static void step_on(taps *all)
{
    for (int a = SPATIAL - 1; a >= 0; a--) {
        all->now[a] += all->down ? -1 : 1;
        if (all->now[a] >= all->from[a] && all->now[a] < all->to[a]) return;
        all->now[a] = all->down ? all->to[a] - 1 : all->from[a];
    }
    all->done = true;
}

/* The elements of x for the tap; false: none. */
static bool meets(const window *f, tap *t)
{
    for (int a = 0; a < SPATIAL; a++) {
        int64_t shift = t->at[a] * f->dilation[a] - f->low[a]; /* offset of x relative to y * step */
        int64_t first = divide_up(-shift, f->step[a]), end = divide_up(f->size[a] - shift, f->step[a]);
        if (first < 0) first = 0;
        if (end > f->out[a]) end = f->out[a];
        if (first >= end) return false;
        t->first[a] = first;
        t->count[a] = end - first;
        t->start[a] = first * f->step[a] + shift;
    }
    return true;
}

bool next_tap(taps *all, tap *t)
{
    while (!all->done) {
        memcpy(t->at, all->now, sizeof t->at);
        t->number = (t->at[0] * all->f->taps[1] + t->at[1]) * all->f->taps[2] + t->at[2];
        step_on(all);
        if (meets(all->f, t)) return true;
    }
    return false;
}

static tensor *met(work *w, const tap *t, const array5 *x, const int64_t *start, const int64_t *step, int64_t channel, int64_t n)
{
    int64_t dims[AXES] = {x->dims[0], t->count[0], t->count[1], t->count[2], n}, strides[AXES], offset = channel * x->strides[AXES - 1];
    memcpy(strides, x->strides, sizeof strides);
    for (int a = 0; a < SPATIAL; a++) {
        offset += start[a] * strides[a + 1];
        if (t->count[a] > 1) strides[a + 1] *= step[a];
    }
    return view(w, x->t, AXES, dims, strides, offset);
}

tensor *met_in_x(work *w, const window *f, const tap *t, const array5 *x, int64_t channel, int64_t n)
{
    return met(w, t, x, t->start, f->step, channel, n);
}

tensor *met_in_y(work *w, const tap *t, const array5 *y, int64_t channel, int64_t n)
{
    static const int64_t ones[SPATIAL] = {1, 1, 1};
    return met(w, t, y, t->first, ones, channel, n);
}
