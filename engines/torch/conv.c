/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: convolution. Floats use torch's own, which has no asymmetric padding: x is padded first then. Integers, for
 * which torch has no kernel, are multiplied tap by tap, and so are convolutions with extremely large padding. Half precision is computed in
 * float32. */
#include "window.h"

#include <string.h>

static const torch_op convolve = {"aten::convolution", "", "01nIIIfIi"};
static const torch_op by_input = {"aten::convolution_backward", "", "012nIIIfIiI>Txx"};
static const torch_op by_filter = {"aten::convolution_backward", "", "012nIIIfIiI>xTx"};
static const torch_op multiply = {"aten::matmul", "", "01"};

/* The gradient ops of torch's convolution and pooling exist if the forward ops do. */
static const helper helpers[] = {{&convolve, {VN_F32, IMAGE, false}}, {&multiply, MATRIX_OF(VN_F32)}, {&add_to, MATRIX_OF(VN_F32)}};
family convolution = {helpers, sizeof helpers / sizeof helpers[0], NULL};

typedef struct conv {
    window f;
    int64_t batch, channels, results, groups; /* channels: of x; results: of y */
    bool padded;                              /* x, for torch */
} conv;

static conv conv_of(const vn_kernel_call *call, const vn_desc *x, const vn_desc *filter, const vn_desc *y)
{
    const vn_option *o = call->instr->options;
    conv c = {.f = window_of(x, y, filter->dims, o)};
    c.batch = x->dims[0];
    c.channels = x->dims[x->rank - 1];
    c.results = y->dims[y->rank - 1];
    c.groups = o[GROUPS].u.i;
    c.padded = !is_symmetric(&c.f);
    return c;
}

/* x with its padding, [N, size + padding..., C] */
static void padded_dims(const conv *c, int64_t *dims)
{
    dims[0] = c->batch;
    for (int a = 0; a < SPATIAL; a++) dims[a + 1] = c->f.low[a] + c->f.size[a] + c->f.high[a];
    dims[AXES - 1] = c->channels;
}

/* Crops a padded array to x. */
static array5 inside(work *w, const conv *c, const array5 *all)
{
    array5 x = *all;
    int64_t offset = 0;
    for (int a = 0; a < SPATIAL; a++) {
        x.dims[a + 1] = c->f.size[a];
        offset += c->f.low[a] * x.strides[a + 1];
    }
    x.t = view(w, all->t, AXES, x.dims, x.strides, offset);
    return x;
}

static array5 with_padding(work *w, const conv *c, const array5 *x)
{
    int64_t dims[AXES];
    padded_dims(c, dims);
    array5 all = new_array(w, dims);
    fill(w, all.t, 0);
    copy(w, inside(w, c, &all).t, x->t);
    return all;
}

/* Can torch's convolution be used? Not for integers, nor if padding would take too much memory. */
static bool suits_torch(const work *w, const conv *c)
{
    int64_t dims[AXES], count = c->batch * c->channels, plain = count;
    padded_dims(c, dims);
    if (!(VN_BIT(w->dtype) & VN_FLOATS)) return false;
    for (int a = 0; a < SPATIAL; a++) {
        if (__builtin_mul_overflow(count, dims[a + 1], &count)) return false;
        plain *= c->f.size[a];
    }
    return count / 16 <= plain + (1 << 16);
}

/* oneDNN, which PyTorch 2.15 uses, reads wrong elements of a single channel where the result has one position along the last axis, a larger stride there and
 * stride 1 along the axis before. */
static bool is_misread(const conv *c)
{
    enum { LAST = SPATIAL - 1 };
    return c->channels == 1 && c->f.out[LAST] == 1 && c->f.step[LAST] > 1 && c->f.step[LAST - 1] == 1;
}

/* torch's option lists, for the spatial axes it gets. */
typedef struct lists {
    int n;
    int64_t zeros[SPATIAL], padding[SPATIAL];
    const int64_t *step, *dilation;
} lists;

/* The first spatial axis is dropped if its sizes are all 1. */
static lists lists_of(const conv *c)
{
    int left_out = c->f.n < SPATIAL;
    lists l = {.n = SPATIAL - left_out, .step = c->f.step + left_out, .dilation = c->f.dilation + left_out};
    for (int a = 0; a < l.n; a++) l.padding[a] = c->padded ? 0 : c->f.low[a + left_out];
    return l;
}

#define LISTS(l, c) INTS((l).n, (l).step), INTS((l).n, (l).padding), INTS((l).n, (l).dilation), INTS((l).n, (l).zeros), INT((c)->groups)

static bool any_empty(const vn_kernel_call *call)
{
    return desc_in(call, 0)->count == 0 || desc_in(call, 1)->count == 0 || desc_out(call)->count == 0;
}

/* The matrix [C/groups, O/groups] of a tap and a group. */
static tensor *tap_matrix(work *w, const conv *c, const array5 *filter, const tap *t, int64_t group, bool transposed)
{
    int64_t dims[] = {c->channels / c->groups, c->results / c->groups}, strides[] = {filter->strides[3], filter->strides[4]};
    int64_t offset = group * dims[1] * strides[1];
    for (int a = 0; a < SPATIAL; a++) offset += t->at[a] * filter->strides[a];
    return transposed ? view(w, filter->t, 2, (int64_t[]){dims[1], dims[0]}, (int64_t[]){strides[1], strides[0]}, offset)
                      : view(w, filter->t, 2, dims, strides, offset);
}

/* One product for each tap and group: into y from x and the filter, into x from y and the filter, into the filter from x and y. */
typedef enum { TO_Y, TO_X, TO_FILTER } goal;

static void one_product(work *w, const conv *c, goal to, const tap *t, int64_t group, const array5 *x, const array5 *filter,
                        const array5 *y)
{
    int64_t inner = c->channels / c->groups, outer = c->results / c->groups;
    int64_t places = c->batch * t->count[0] * t->count[1] * t->count[2];
    tensor *in = met_in_x(w, &c->f, t, x, group * inner, inner), *out = met_in_y(w, t, y, group * outer, outer);
    tensor *matrix = tap_matrix(w, c, filter, t, group, to == TO_X);
    if (to == TO_FILTER) {
        tensor *xs = reshaped(w, in, 2, (int64_t[]){places, inner}), *ys = reshaped(w, out, 2, (int64_t[]){places, outer});
        int64_t dims[] = {inner, places}, *strides;
        if (w->code) return;
        if (torch.strides(xs, &strides)) w->code = failed(w->r->op);
        else copy(w, matrix, with(w, &multiply, TENSORS(view(w, xs, 2, dims, (int64_t[]){strides[1], strides[0]}, 0), ys), NO_OPTIONS));
    } else {
        tensor *product = binary(w, &multiply, to == TO_Y ? in : out, matrix);
        into(w, &add_to, TENSORS(to == TO_Y ? out : in, product), NO_OPTIONS);
    }
}

static void tap_by_tap(work *w, const conv *c, goal to, const array5 *x, const array5 *filter, const array5 *y)
{
    taps all = all_taps(&c->f, false);
    tap t;
    fill(w, to == TO_Y ? y->t : to == TO_X ? x->t : filter->t, 0);
    while (!w->code && next_tap(&all, &t))
        for (int64_t g = 0; g < c->groups && !w->code; g++) {
            int mark = w->n;
            one_product(w, c, to, &t, g, x, filter, y);
            forget(w, mark);
        }
}

int conv_forward(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *out = desc_out(call);
    work w = begin(call, r);
    if (any_empty(call)) return end_zeros(&w);
    conv c = conv_of(call, desc_in(call, 0), desc_in(call, 1), out);
    lists l = lists_of(&c);
    int64_t dims[AXES];
    bool wide = VN_BIT(out->dtype) & VN_HALF;
    array5 x = five_axes(&w, wide ? operand(&w, 0) : call->in[0]->t, desc_in(call, 0), false), y;
    array5 filter = five_axes(&w, wide ? operand(&w, 1) : call->in[1]->t, desc_in(call, 1), true);
    five_dims(out, false, dims);
    if (suits_torch(&w, &c) && !is_misread(&c)) {
        if (c.padded) x = with_padding(&w, &c, &x);
        tensor *in[] = {as_torch(&w, &c.f, &x, false), as_torch(&w, &c.f, &filter, true)};
        y = from_torch(&w, &c.f, with(&w, &convolve, in, 2, OPTIONS(LISTS(l, &c))), dims, false);
    } else {
        y = new_array(&w, dims);
        tap_by_tap(&w, &c, TO_Y, &x, &filter, &y);
    }
    return end_wide(&w, own_axes(&w, &y, out, false));
}

int conv_input(const vn_kernel_call *call, const recipe *r)
{
    static const int64_t wanted[] = {1, 0, 0};
    const vn_desc *out = desc_out(call);
    work w = begin(call, r);
    if (any_empty(call)) return end_zeros(&w);
    conv c = conv_of(call, out, desc_in(call, 1), desc_in(call, 0));
    lists l = lists_of(&c);
    int64_t dims[AXES];
    bool wide = VN_BIT(out->dtype) & VN_HALF;
    array5 y = five_axes(&w, wide ? operand(&w, 0) : call->in[0]->t, desc_in(call, 0), false);
    array5 filter = five_axes(&w, wide ? operand(&w, 1) : call->in[1]->t, desc_in(call, 1), true), x;
    five_dims(out, false, dims);
    if (suits_torch(&w, &c)) {
        if (c.padded) padded_dims(&c, dims);
        array5 like = new_array(&w, dims); /* torch takes x, but reads only its shape */
        tensor *in[] = {as_torch(&w, &c.f, &y, false), as_torch(&w, &c.f, &like, false), as_torch(&w, &c.f, &filter, true)};
        x = from_torch(&w, &c.f, with(&w, &by_input, in, 3, OPTIONS(LISTS(l, &c), INTS(3, wanted))), dims, false);
        if (c.padded) x = inside(&w, &c, &x);
    } else {
        x = new_array(&w, dims);
        tap_by_tap(&w, &c, TO_X, &x, &filter, &y);
    }
    return end_wide(&w, own_axes(&w, &x, out, false));
}

/* A filter of which torch reads only the shape. It is in torch's layout: with axes of size 1, a view of ours could match both of torch's
 * layouts, and torch then allocates the result in one and requires the other. */
static array5 filter_like(work *w, const int64_t *dims)
{
    static const int order[AXES] = {4, 3, 0, 1, 2}; /* [O, C/groups, kernel...] */
    int64_t transposed[AXES];
    for (int k = 0; k < AXES; k++) transposed[k] = dims[order[k]];
    array5 a = new_array(w, transposed), f = {.t = a.t};
    for (int k = 0; k < AXES; k++) {
        f.dims[order[k]] = transposed[k];
        f.strides[order[k]] = a.strides[k];
    }
    return f;
}

int conv_filter(const vn_kernel_call *call, const recipe *r)
{
    static const int64_t wanted[] = {0, 1, 0};
    const vn_desc *out = desc_out(call);
    work w = begin(call, r);
    if (any_empty(call)) return end_zeros(&w);
    conv c = conv_of(call, desc_in(call, 0), out, desc_in(call, 1));
    lists l = lists_of(&c);
    int64_t dims[AXES];
    bool wide = VN_BIT(out->dtype) & VN_HALF;
    array5 x = five_axes(&w, wide ? operand(&w, 0) : call->in[0]->t, desc_in(call, 0), false);
    array5 y = five_axes(&w, wide ? operand(&w, 1) : call->in[1]->t, desc_in(call, 1), false), filter;
    five_dims(out, true, dims);
    if (suits_torch(&w, &c)) {
        if (c.padded) x = with_padding(&w, &c, &x);
        array5 like = filter_like(&w, dims);
        tensor *in[] = {as_torch(&w, &c.f, &y, false), as_torch(&w, &c.f, &x, false), as_torch(&w, &c.f, &like, true)};
        filter = from_torch(&w, &c.f, with(&w, &by_filter, in, 3, OPTIONS(LISTS(l, &c), INTS(3, wanted))), dims, true);
    } else {
        filter = new_array(&w, dims);
        tap_by_tap(&w, &c, TO_FILTER, &x, &filter, &y);
    }
    return end_wide(&w, own_axes(&w, &filter, out, true));
}
