/* recurrent.c: LSTM and GRU, step by step in torch's own ops. On the way back everything that does not depend on later steps is computed
 * for all steps at once; a step is then one product elementwise and one with the weight. Halves are computed in float32. */
#include "work.h"

#include <string.h>

static const torch_op multiply = {"aten::matmul", "", "01"};
static const torch_op multiply_into = {"aten::mm", "out", "012>x"};
static const torch_op sigmoid_here = {"aten::sigmoid_", "", "0>x"};
static const torch_op tanh_here = {"aten::tanh_", "", "0>x"};
static const torch_op tanh_of = {"aten::tanh", "", "0"};
static const torch_op times_into = {"aten::mul", "out", "012>x"};
static const torch_op add_product = {"aten::_foreach_addcmul_", "Tensor", "[0][1][2]+>"};
static const torch_op between = {"aten::lerp", "Tensor_out", "0123>x"};
static const torch_op sigmoid_back = {"aten::sigmoid_backward", "grad_input", "012>x"}; /* 0 * 1 (1 - 1) */
static const torch_op tanh_back = {"aten::tanh_backward", "grad_input", "012>x"};       /* 0 * (1 - 1^2) */

static const helper helpers[] = {{&multiply, MATRIX_OF(VN_F32)},    {&multiply_into, MATRIX_OF(VN_F32)}, {&sigmoid_here, MATRIX_OF(VN_F32)},
                                 {&tanh_here, MATRIX_OF(VN_F32)},   {&tanh_of, MATRIX_OF(VN_F32)},       {&times_into, MATRIX_OF(VN_F32)},
                                 {&add_product, MATRIX_OF(VN_F32)}, {&between, MATRIX_OF(VN_F32)},       {&sigmoid_back, MATRIX_OF(VN_F32)},
                                 {&tanh_back, MATRIX_OF(VN_F32)}};
family recurrence = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { GATES, WEIGHT, LSTM_H, LSTM_C, GRU_BIAS = 2, GRU_H, STATES, COTANGENT }; /* inputs */

/* Steps count in the order of computation. A row of the states has `state` numbers. */
typedef struct layer {
    work *w;
    int64_t steps, rows, size, state;
    bool reverse;
    tensor *in[COTANGENT + 1];
} layer;

static layer layer_of(work *w, int64_t parts_of_state)
{
    const vn_instr *instr = w->call->instr;
    layer l = {.w = w, .reverse = instr->options[0].u.i != 0, .size = desc_in(w->call, WEIGHT)->dims[0]};
    l.steps = desc_in(w->call, GATES)->dims[0];
    l.rows = desc_in(w->call, GATES)->dims[1];
    l.state = parts_of_state * l.size;
    for (int k = 0; k < instr->n_in; k++) {
        const vn_desc *d = desc_in(w->call, k);
        vn_desc wide = *d;
        tensor *x = operand(w, k);
        wide.dtype = w->dtype;
        l.in[k] = row_major(w, x, &wide);
    }
    return l;
}

static int64_t at(const layer *l, int64_t step)
{
    return l->reverse ? l->steps - 1 - step : step;
}

/* Columns first .. first+n, in sizes of a state, of one step of a row-major x with rows of `width` sizes. */
static tensor *part(const layer *l, tensor *x, int64_t step, int64_t width, int64_t first, int64_t n)
{
    int64_t h = l->size, dims[] = {l->rows, n * h}, strides[] = {width * h, 1};
    return view(l->w, x, 2, dims, strides, (at(l, step) * l->rows * width + first) * h);
}

/* The same of all steps. */
static tensor *parts(const layer *l, tensor *x, int64_t width, int64_t first, int64_t n)
{
    int64_t h = l->size, dims[] = {l->steps, l->rows, n * h}, strides[] = {l->rows * width * h, width * h, 1};
    return view(l->w, x, 3, dims, strides, first * h);
}

/* One of n parts of a vector, or of the rows of a matrix for one step. */
static tensor *columns(const layer *l, tensor *x, int64_t rows_, int64_t width, int64_t first, int64_t n)
{
    int64_t h = l->size, dims[] = {rows_, n * h}, strides[] = {width * h, 1};
    return view(l->w, x, 2, dims, strides, first * h);
}

static tensor *new_steps(const layer *l, int64_t width)
{
    return fresh(l->w, 3, (int64_t[]){l->steps, l->rows, width * l->size}, l->w->dtype);
}

static void call1(work *w, const torch_op *op, tensor *x)
{
    into(w, op, TENSORS(x), NO_OPTIONS);
}

static void call3(work *w, const torch_op *op, tensor *x, tensor *y, tensor *z)
{
    into(w, op, TENSORS(x, y, z), NO_OPTIONS);
}

/* ---- forward ---- */

static void lstm_step(const layer *l, int64_t step, tensor *h, tensor *c, tensor *states)
{
    work *w = l->w;
    tensor *z = sum_of(w, part(l, l->in[GATES], step, 4, 0, 4), binary(w, &multiply, h, l->in[WEIGHT]), 1);
    tensor *i = columns(l, z, l->rows, 4, 0, 1), *f = columns(l, z, l->rows, 4, 1, 1), *g = columns(l, z, l->rows, 4, 2, 1);
    tensor *o = columns(l, z, l->rows, 4, 3, 1), *new_h = part(l, states, step, 2, 0, 1), *new_c = part(l, states, step, 2, 1, 1);
    call1(w, &sigmoid_here, columns(l, z, l->rows, 4, 0, 2));
    call1(w, &tanh_here, g);
    call1(w, &sigmoid_here, o);
    call3(w, &times_into, f, c, new_c);
    call3(w, &add_product, new_c, i, g);
    call3(w, &times_into, o, unary(w, &tanh_of, new_c), new_h);
}

int lstm_states(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    layer l = layer_of(&w, 2);
    tensor *states = new_steps(&l, 2);
    for (int64_t s = 0; s < l.steps && !w.code; s++) {
        int mark = w.n;
        tensor *h = s ? part(&l, states, s - 1, 2, 0, 1) : l.in[LSTM_H], *c = s ? part(&l, states, s - 1, 2, 1, 1) : l.in[LSTM_C];
        lstm_step(&l, s, h, c, states);
        forget(&w, mark);
    }
    return end_wide(&w, states);
}

int gru_states(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    layer l = layer_of(&w, 1);
    tensor *states = new_steps(&l, 1), *bias = l.in[GRU_BIAS];
    for (int64_t s = 0; s < l.steps && !w.code; s++) {
        int mark = w.n;
        tensor *h = s ? part(&l, states, s - 1, 1, 0, 1) : l.in[GRU_H];
        tensor *own = sum_of(&w, binary(&w, &multiply, h, l.in[WEIGHT]), bias, 1), *own_n = columns(&l, own, l.rows, 3, 2, 1);
        tensor *both = sum_of(&w, part(&l, l.in[GATES], s, 3, 0, 2), columns(&l, own, l.rows, 3, 0, 2), 1);
        call1(&w, &sigmoid_here, both);
        tensor *reset = columns(&l, both, l.rows, 2, 0, 1), *z = columns(&l, both, l.rows, 2, 1, 1);
        tensor *n = sum_of(&w, part(&l, l.in[GATES], s, 3, 2, 1), product_of(&w, reset, own_n), 1);
        call1(&w, &tanh_here, n);
        into(&w, &between, TENSORS(n, h, z, part(&l, states, s, 1, 0, 1)), NO_OPTIONS);
        forget(&w, mark);
    }
    return end_wide(&w, states);
}

/* ---- back ---- */

/* A part of the states before each step, the first of which is given. */
static tensor *before(const layer *l, tensor *first, int64_t column)
{
    work *w = l->w;
    tensor *all = new_steps(l, 1);
    int64_t h = l->size, dims[] = {l->steps - 1, l->rows, h}, row = l->rows * l->state;
    int64_t from[] = {row, l->state, 1}, to[] = {l->rows * h, h, 1};
    copy(w, part(l, all, 0, 1, 0, 1), first);
    tensor *known = view(w, l->in[STATES], 3, dims, from, (l->reverse ? row : 0) + column * h);
    copy(w, view(w, all, 3, dims, to, l->reverse ? 0 : l->rows * h), known);
    return all;
}

/* What the weight makes of h before every step, (steps, rows, gates * size). */
static tensor *own_gates(const layer *l, tensor *h, int64_t gates)
{
    work *w = l->w;
    int64_t flat[] = {l->steps * l->rows, l->size}, full[] = {l->steps, l->rows, gates * l->size};
    return rows_view(w, binary(w, &multiply, rows_view(w, h, 2, flat, 0), l->in[WEIGHT]), 3, full, 0);
}

/* Rows of five parts. */
static tensor *five_parts(const layer *l, tensor *x, int64_t step)
{
    int64_t dims[] = {l->rows, 5, l->size};
    return rows_view(l->w, x, 3, dims, at(l, step) * l->rows * 5 * l->size);
}

static tensor *one_part(const layer *l, tensor *x)
{
    return rows_view(l->w, x, 3, (int64_t[]){l->rows, 1, l->size}, 0);
}

/* to_h = what is sent, times the transposed weight */
static void through_weight(const layer *l, tensor *sent, int64_t step, int64_t gates, tensor *to_h)
{
    int64_t turned[] = {gates * l->size, l->size}, strides[] = {1, gates * l->size};
    call3(l->w, &multiply_into, part(l, sent, step, 5, 0, gates), view(l->w, l->in[WEIGHT], 2, turned, strides, 0), to_h);
}

/* For every step: by what dc, which reaches the cell after the output, is multiplied in each of the five parts, but dh in the fourth. */
static tensor *lstm_factors(const layer *l, tensor **to_cell)
{
    work *w = l->w;
    tensor *c = before(l, l->in[LSTM_C], 1), *z = sum_of(w, l->in[GATES], own_gates(l, before(l, l->in[LSTM_H], 0), 4), 1);
    tensor *i = parts(l, z, 4, 0, 1), *f = parts(l, z, 4, 1, 1), *g = parts(l, z, 4, 2, 1), *o = parts(l, z, 4, 3, 1);
    tensor *t = unary(w, &tanh_of, parts(l, l->in[STATES], 2, 1, 1)), *factors = new_steps(l, 5);
    call1(w, &sigmoid_here, parts(l, z, 4, 0, 2));
    call1(w, &tanh_here, g);
    call1(w, &sigmoid_here, o);
    *to_cell = new_steps(l, 1);
    call3(w, &tanh_back, o, t, *to_cell);
    call3(w, &sigmoid_back, g, i, parts(l, factors, 5, 0, 1));
    call3(w, &sigmoid_back, c, f, parts(l, factors, 5, 1, 1));
    call3(w, &tanh_back, i, g, parts(l, factors, 5, 2, 1));
    call3(w, &sigmoid_back, t, o, parts(l, factors, 5, 3, 1));
    copy(w, parts(l, factors, 5, 4, 1), f);
    return factors;
}

int lstm_back(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    layer l = layer_of(&w, 2);
    tensor *to_cell, *factors = lstm_factors(&l, &to_cell), *sent = new_steps(&l, 5);
    tensor *to_h = fresh(&w, 2, (int64_t[]){l.rows, l.size}, w.dtype);
    for (int64_t s = l.steps - 1; s >= 0 && !w.code; s--) {
        int mark = w.n;
        bool last = s == l.steps - 1;
        tensor *dh = part(&l, l.in[COTANGENT], s, 2, 0, 1), *dc = part(&l, l.in[COTANGENT], s, 2, 1, 1);
        if (!last) dh = sum_of(&w, dh, to_h, 1);
        if (!last) dc = sum_of(&w, dc, part(&l, sent, s + 1, 5, 4, 1), 1);
        dc = sum_of(&w, dc, product_of(&w, dh, part(&l, to_cell, s, 1, 0, 1)), 1);
        call3(&w, &times_into, five_parts(&l, factors, s), one_part(&l, dc), five_parts(&l, sent, s));
        call3(&w, &times_into, part(&l, factors, s, 5, 3, 1), dh, part(&l, sent, s, 5, 3, 1));
        if (s > 0) through_weight(&l, sent, s, 4, to_h);
        forget(&w, mark);
    }
    return end_wide(&w, sent);
}

/* For every step: by what dh is multiplied in each of the five parts. */
static tensor *gru_factors(const layer *l)
{
    work *w = l->w;
    tensor *h = before(l, l->in[GRU_H], 0), *own = sum_of(w, own_gates(l, h, 3), l->in[GRU_BIAS], 1), *own_n = parts(l, own, 3, 2, 1);
    tensor *both = sum_of(w, parts(l, l->in[GATES], 3, 0, 2), parts(l, own, 3, 0, 2), 1), *one = fresh(w, 0, NULL, w->dtype);
    tensor *reset = parts(l, both, 2, 0, 1), *z = parts(l, both, 2, 1, 1), *factors = new_steps(l, 5);
    call1(w, &sigmoid_here, both);
    tensor *n = sum_of(w, parts(l, l->in[GATES], 3, 2, 1), product_of(w, reset, own_n), 1), *to_n = parts(l, factors, 5, 3, 1);
    call1(w, &tanh_here, n);
    fill(w, one, 1);
    call3(w, &tanh_back, sum_of(w, one, z, -1), n, to_n);
    call3(w, &sigmoid_back, product_of(w, to_n, own_n), reset, parts(l, factors, 5, 0, 1));
    call3(w, &sigmoid_back, sum_of(w, h, n, -1), z, parts(l, factors, 5, 1, 1));
    call3(w, &times_into, to_n, reset, parts(l, factors, 5, 2, 1));
    copy(w, parts(l, factors, 5, 4, 1), z);
    return factors;
}

int gru_back(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    layer l = layer_of(&w, 1);
    tensor *factors = gru_factors(&l), *sent = new_steps(&l, 5), *to_h = fresh(&w, 2, (int64_t[]){l.rows, l.size}, w.dtype);
    for (int64_t s = l.steps - 1; s >= 0 && !w.code; s--) {
        int mark = w.n;
        tensor *dh = part(&l, l.in[COTANGENT], s, 1, 0, 1);
        if (s < l.steps - 1) dh = sum_of(&w, sum_of(&w, dh, to_h, 1), part(&l, sent, s + 1, 5, 4, 1), 1);
        call3(&w, &times_into, five_parts(&l, factors, s), one_part(&l, dh), five_parts(&l, sent, s));
        if (s > 0) through_weight(&l, sent, s, 3, to_h);
        forget(&w, mark);
    }
    return end_wide(&w, sent);
}
