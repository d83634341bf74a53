/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: LSTM and GRU, step by step in torch's own ops. In the backward pass everything that does not depend on later steps is
 * computed for all steps at once; a step is then elementwise products and one matrix product with
 * the weight. */
#include "work.h"

static const torch_op multiply = {"aten::matmul", "", "01"};
static const torch_op multiply_into = {"aten::mm", "out", "012>x"};
static const torch_op sigmoid_into = {"aten::sigmoid", "out", "01>x"};
static const torch_op tanh_into = {"aten::tanh", "out", "01>x"};
static const torch_op tanh_of = {"aten::tanh", "", "0"};
static const torch_op times_into = {"aten::mul", "out", "012>x"};
static const torch_op add_product = {"aten::_foreach_addcmul_", "Tensor", "[0][1][2]+>"};
static const torch_op between = {"aten::lerp", "Tensor_out", "0123>x"};
static const torch_op sigmoid_backward = {"aten::sigmoid_backward", "grad_input", "012>x"}; /* 0 * 1 (1 - 1) */
static const torch_op tanh_backward = {"aten::tanh_backward", "grad_input", "012>x"};       /* 0 * (1 - 1^2) */

static const helper helpers[] = {{&multiply, MATRIX_OF(VN_F32)},         {&multiply_into, MATRIX_OF(VN_F32)},
                                 {&sigmoid_into, MATRIX_OF(VN_F32)},     {&tanh_into, MATRIX_OF(VN_F32)},
                                 {&tanh_of, MATRIX_OF(VN_F32)},          {&times_into, MATRIX_OF(VN_F32)},
                                 {&add_product, MATRIX_OF(VN_F32)},      {&between, MATRIX_OF(VN_F32)},
                                 {&sigmoid_backward, MATRIX_OF(VN_F32)}, {&tanh_backward, MATRIX_OF(VN_F32)}};
family recurrence = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { GATES, WEIGHT, H, C, BIAS = 3 };                             /* inputs forward */
enum { BACK_WEIGHT, FIRST, STATES, RESIDUALS, CT_H, CT_C, MAX_IN }; /* inputs backward; FIRST and STATES: of lstm c, of gru h */

/* Steps count in the order of computation. */
typedef struct layer {
    work *w;
    int64_t steps, rows, size;
    bool reverse;
    tensor *in[MAX_IN];
} layer;

enum { REVERSE }; /* options */

/* per_step: an input of (steps, rows, ..) */
static layer layer_of(work *w, int weight, int per_step)
{
    const vn_instr *instr = w->call->instr;
    const vn_desc *steps = desc_in(w->call, per_step);
    layer l = {w, steps->dims[0], steps->dims[1], desc_in(w->call, weight)->dims[0], instr->options[REVERSE].u.i != 0, {NULL}};
    for (int k = 0; k < instr->n_in; k++) l.in[k] = row_major(w, w->call->in[k]->t, desc_in(w->call, k));
    return l;
}

static bool is_empty(const layer *l)
{
    return l->steps == 0 || l->rows == 0 || l->size == 0;
}

static int64_t at(const layer *l, int64_t step)
{
    return l->reverse ? l->steps - 1 - step : step;
}

/* Columns first .. first+n, in sizes of a state, of a row-major x with rows of `width` sizes: of one step, */
static tensor *part(const layer *l, tensor *x, int64_t step, int64_t width, int64_t first, int64_t n)
{
    int64_t h = l->size, dims[] = {l->rows, n * h}, strides[] = {width * h, 1};
    return view(l->w, x, 2, dims, strides, (at(l, step) * l->rows * width + first) * h);
}

/* for all steps, */
static tensor *parts(const layer *l, tensor *x, int64_t width, int64_t first, int64_t n)
{
    int64_t h = l->size, dims[] = {l->steps, l->rows, n * h}, strides[] = {l->rows * width * h, width * h, 1};
    return view(l->w, x, 3, dims, strides, first * h);
}

/* for an x with a single step, */
static tensor *columns(const layer *l, tensor *x, int64_t width, int64_t first, int64_t n)
{
    int64_t h = l->size, dims[] = {l->rows, n * h}, strides[] = {width * h, 1};
    return view(l->w, x, 2, dims, strides, first * h);
}

/* and the first n of one step, with a separate axis. */
static tensor *split(const layer *l, tensor *x, int64_t step, int64_t width, int64_t n)
{
    int64_t h = l->size, dims[] = {l->rows, n, h}, strides[] = {width * h, h, 1};
    return view(l->w, x, 3, dims, strides, at(l, step) * l->rows * width * h);
}

static tensor *new_steps(const layer *l, int64_t width)
{
    return fresh(l->w, 3, (int64_t[]){l->steps, l->rows, width * l->size}, l->w->dtype);
}

static tensor *new_state(const layer *l)
{
    tensor *t = fresh(l->w, 2, (int64_t[]){l->rows, l->size}, l->w->dtype);
    fill(l->w, t, 0);
    return t;
}

static void call2(work *w, const torch_op *op, tensor *x, tensor *y)
{
    into(w, op, TENSORS(x, y), NO_OPTIONS);
}

static void call3(work *w, const torch_op *op, tensor *x, tensor *y, tensor *z)
{
    into(w, op, TENSORS(x, y, z), NO_OPTIONS);
}

/* ---- forward ---- */

/* residuals: NULL where unused */
static void lstm_step(const layer *l, int64_t s, tensor *hs, tensor *cs, tensor *residuals)
{
    work *w = l->w;
    tensor *h = s ? part(l, hs, s - 1, 1, 0, 1) : l->in[H], *c = s ? part(l, cs, s - 1, 1, 0, 1) : l->in[C];
    tensor *z = sum_of(w, part(l, l->in[GATES], s, 4, 0, 4), binary(w, &multiply, h, l->in[WEIGHT]), 1);
    tensor *gates[] = {columns(l, z, 4, 0, 2), columns(l, z, 4, 2, 1), columns(l, z, 4, 3, 1)}, *new_c = part(l, cs, s, 1, 0, 1);
    for (int k = 0; k < 3; k++) { /* i and f, g, o */
        tensor *to = residuals ? part(l, residuals, s, 4, k ? k + 1 : 0, k ? 1 : 2) : gates[k];
        call2(w, k == 1 ? &tanh_into : &sigmoid_into, gates[k], to);
        gates[k] = to;
    }
    tensor *i = columns(l, gates[0], 4, 0, 1), *f = columns(l, gates[0], 4, 1, 1), *g = gates[1], *o = gates[2];
    call3(w, &times_into, f, c, new_c);
    call3(w, &add_product, new_c, i, g);
    call3(w, &times_into, o, unary(w, &tanh_of, new_c), part(l, hs, s, 1, 0, 1));
}

int lstm_sequence(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    layer l = layer_of(&w, WEIGHT, GATES);
    if (is_empty(&l)) return end_zeros(&w);
    tensor *results[] = {new_steps(&l, 1), new_steps(&l, 1), is_used(&w, 2) ? new_steps(&l, 4) : NULL};
    for (int64_t s = 0; s < l.steps && !w.code; s++) {
        int mark = w.n;
        lstm_step(&l, s, results[0], results[1], results[2]);
        forget(&w, mark);
    }
    return end_all(&w, 3, results);
}

static void gru_step(const layer *l, int64_t s, tensor *hs, tensor *residuals)
{
    work *w = l->w;
    tensor *h = s ? part(l, hs, s - 1, 1, 0, 1) : l->in[H], *gates = l->in[GATES];
    tensor *own = sum_of(w, binary(w, &multiply, h, l->in[WEIGHT]), l->in[BIAS], 1), *own_n = columns(l, own, 3, 2, 1);
    tensor *both = sum_of(w, part(l, gates, s, 3, 0, 2), columns(l, own, 3, 0, 2), 1), *to = both;
    if (residuals) to = part(l, residuals, s, 4, 0, 2), copy(w, part(l, residuals, s, 4, 3, 1), own_n);
    const int64_t width = residuals ? 4 : 2;
    call2(w, &sigmoid_into, both, to);
    tensor *reset = columns(l, to, width, 0, 1), *z = columns(l, to, width, 1, 1);
    tensor *before_n = sum_of(w, part(l, gates, s, 3, 2, 1), product_of(w, reset, own_n), 1);
    tensor *n = residuals ? part(l, residuals, s, 4, 2, 1) : before_n;
    call2(w, &tanh_into, before_n, n);
    into(w, &between, TENSORS(n, h, z, part(l, hs, s, 1, 0, 1)), NO_OPTIONS);
}

int gru_sequence(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    layer l = layer_of(&w, WEIGHT, GATES);
    if (is_empty(&l)) return end_zeros(&w);
    tensor *results[] = {new_steps(&l, 1), is_used(&w, 1) ? new_steps(&l, 4) : NULL};
    for (int64_t s = 0; s < l.steps && !w.code; s++) {
        int mark = w.n;
        gru_step(&l, s, results[0], results[1]);
        forget(&w, mark);
    }
    return end_all(&w, 2, results);
}

/* ---- backward ---- */

/* The state before each step, starting with the initial one. */
static tensor *before(const layer *l)
{
    work *w = l->w;
    tensor *all = new_steps(l, 1);
    int64_t step = l->rows * l->size, dims[] = {l->steps - 1, l->rows, l->size};
    copy(w, part(l, all, 0, 1, 0, 1), l->in[FIRST]);
    tensor *known = rows_view(w, l->in[STATES], 3, dims, l->reverse ? step : 0);
    copy(w, rows_view(w, all, 3, dims, l->reverse ? 0 : step), known);
    return all;
}

/* to_h = one step's `sent` times the transposed weight */
static void through_weight(const layer *l, tensor *sent, int64_t gates, tensor *to_h)
{
    int64_t transposed[] = {gates * l->size, l->size}, strides[] = {1, gates * l->size};
    call3(l->w, &multiply_into, sent, view(l->w, l->in[BACK_WEIGHT], 2, transposed, strides, 0), to_h);
}

static tensor *with_axis(const layer *l, tensor *x)
{
    return rows_view(l->w, x, 3, (int64_t[]){l->rows, 1, l->size}, 0);
}

/* For every step: the factors of dc (the cotangent of the cell after the output) for each gate, and of dh for the last. */
static tensor *lstm_factors(const layer *l, tensor **to_cell)
{
    work *w = l->w;
    tensor *a = l->in[RESIDUALS], *t = unary(w, &tanh_of, l->in[STATES]), *factors = new_steps(l, 4);
    tensor *i = parts(l, a, 4, 0, 1), *f = parts(l, a, 4, 1, 1), *g = parts(l, a, 4, 2, 1), *o = parts(l, a, 4, 3, 1);
    *to_cell = new_steps(l, 1);
    call3(w, &tanh_backward, o, t, *to_cell);
    call3(w, &sigmoid_backward, g, i, parts(l, factors, 4, 0, 1));
    call3(w, &sigmoid_backward, before(l), f, parts(l, factors, 4, 1, 1));
    call3(w, &tanh_backward, i, g, parts(l, factors, 4, 2, 1));
    call3(w, &sigmoid_backward, t, o, parts(l, factors, 4, 3, 1));
    return factors;
}

int lstm_backward(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    layer l = layer_of(&w, BACK_WEIGHT, STATES);
    if (is_empty(&l)) return end_zeros(&w);
    tensor *to_cell, *factors = lstm_factors(&l, &to_cell), *sent = new_steps(&l, 4), *h_ct = new_state(&l), *c_ct = new_state(&l);
    for (int64_t s = l.steps - 1; s >= 0 && !w.code; s--) {
        int mark = w.n;
        tensor *dh = sum_of(&w, part(&l, l.in[CT_H], s, 1, 0, 1), h_ct, 1);
        if (l.in[CT_C]) copy(&w, c_ct, sum_of(&w, c_ct, part(&l, l.in[CT_C], s, 1, 0, 1), 1));
        call3(&w, &add_product, c_ct, dh, part(&l, to_cell, s, 1, 0, 1));
        call3(&w, &times_into, split(&l, factors, s, 4, 3), with_axis(&l, c_ct), split(&l, sent, s, 4, 3));
        call3(&w, &times_into, part(&l, factors, s, 4, 3, 1), dh, part(&l, sent, s, 4, 3, 1));
        call3(&w, &times_into, c_ct, part(&l, l.in[RESIDUALS], s, 4, 1, 1), c_ct);
        if (s > 0 || is_used(&w, 1)) through_weight(&l, part(&l, sent, s, 4, 0, 4), 4, h_ct);
        forget(&w, mark);
    }
    return end_all(&w, 3, (tensor *[]){sent, h_ct, c_ct});
}

/* For every step: the factors of dh for r, z, the recurrent part of n, and n. */
static tensor *gru_factors(const layer *l)
{
    work *w = l->w;
    tensor *a = l->in[RESIDUALS], *factors = new_steps(l, 4), *to_n = parts(l, factors, 4, 3, 1), *one = fresh(w, 0, NULL, w->dtype);
    tensor *reset = parts(l, a, 4, 0, 1), *z = parts(l, a, 4, 1, 1), *n = parts(l, a, 4, 2, 1), *own_n = parts(l, a, 4, 3, 1);
    fill(w, one, 1);
    call3(w, &tanh_backward, sum_of(w, one, z, -1), n, to_n);
    call3(w, &sigmoid_backward, product_of(w, to_n, own_n), reset, parts(l, factors, 4, 0, 1));
    call3(w, &sigmoid_backward, sum_of(w, before(l), n, -1), z, parts(l, factors, 4, 1, 1));
    call3(w, &times_into, to_n, reset, parts(l, factors, 4, 2, 1));
    return factors;
}

/* The parts r, z and n of `sent`, which has the recurrent part of n in between. */
static tensor *without_recurrent(const layer *l, tensor *sent)
{
    tensor *gates = new_steps(l, 3);
    copy(l->w, parts(l, gates, 3, 0, 2), parts(l, sent, 4, 0, 2));
    copy(l->w, parts(l, gates, 3, 2, 1), parts(l, sent, 4, 3, 1));
    return gates;
}

int gru_backward(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    layer l = layer_of(&w, BACK_WEIGHT, STATES);
    if (is_empty(&l)) return end_zeros(&w);
    tensor *factors = gru_factors(&l), *sent = new_steps(&l, 4), *h_ct = new_state(&l), *results[] = {NULL, NULL, h_ct};
    for (int64_t s = l.steps - 1; s >= 0 && !w.code; s--) {
        int mark = w.n;
        tensor *dh = sum_of(&w, part(&l, l.in[CT_H], s, 1, 0, 1), h_ct, 1);
        call3(&w, &times_into, split(&l, factors, s, 4, 4), with_axis(&l, dh), split(&l, sent, s, 4, 4));
        if (s > 0 || is_used(&w, 2)) {
            through_weight(&l, part(&l, sent, s, 4, 0, 3), 3, h_ct);
            call3(&w, &add_product, h_ct, dh, part(&l, l.in[RESIDUALS], s, 4, 1, 1));
        }
        forget(&w, mark);
    }
    if (is_used(&w, 0)) results[0] = without_recurrent(&l, sent);
    if (is_used(&w, 1)) results[1] = parts(&l, sent, 4, 0, 3);
    return end_all(&w, 3, results);
}
