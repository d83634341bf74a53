/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: LSTM and GRU layers.
 *
 * The input's contribution to all gates is one matrix product; the recurrence itself is a primitive, lstm_sequence or gru_sequence. It also
 * returns residuals, the activated gates, from which its backward kernel (lstm_backward, gru_backward) computes the cotangents of
 * gates and initial states; the weight's cotangent is one matrix product of those. Where gradients will be differentiated again, the
 * backward pass is recorded in elementary ops instead, all steps at once except for the linear recurrence. Half precision is computed in
 * float32. */
#include "ops/row.h"

enum { GATES, WEIGHT, H, C, BIAS = 3 }; /* inputs of lstm_sequence and gru_sequence */

/* ---- rules (a few times the size of an array does not overflow: see vn__count) ---- */

static int has_rank(vn__infer *i, int k, int rank, const char *form)
{
    char s[128];
    if (i->in[k]->rank == rank) return VN_OK;
    FAIL(VN_E_SHAPE, "%s has shape %s, %s is needed (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), form, i->engine);
}

static int has_shape(vn__infer *i, int k, vn_shape shape)
{
    const vn__node *x = i->in[k];
    char s[128], t[128];
    if (!x || (x->rank == shape.rank && !memcmp(vn__node_dims(x), shape.dim, (size_t)x->rank * sizeof *shape.dim))) return VN_OK;
    FAIL(VN_E_SHAPE, "%s has shape %s, %s is needed (%s)", i->op->info.inputs[k], shape_text(x, s),
         vn__shape_text(shape.rank, shape.dim, t), i->engine);
}

/* The sizes of a recurrence: steps, rows (of the batch), size (of a state), and how many of them its gates have. */
typedef struct {
    int64_t steps, rows, size, gates;
} sizes;

/* Inputs 0 and 1 of a recurrence, gates and weight. */
static int recurrence(vn__infer *i, int n_gates, sizes *z)
{
    int code = has_rank(i, 0, 3, "(steps, rows, gates)");
    if (!code) code = has_rank(i, 1, 2, "(size, gates)");
    if (code) return code;
    const int64_t *d = vn__node_dims(i->in[0]);
    z->steps = d[0], z->rows = d[1], z->size = vn__node_dims(i->in[1])[0], z->gates = n_gates * z->size;
    code = has_shape(i, 1, VN_SHAPE(z->size, z->gates));
    return code ? code : has_shape(i, 0, VN_SHAPE(z->steps, z->rows, z->gates));
}

/* Result k: `width` elements for each step and row; or a state. */
static void gives(vn__infer *i, int k, const sizes *z, int64_t width)
{
    vn__rule_result_at(i, k, 3, (const int64_t[]){z->steps, z->rows, width});
}
static void gives_state(vn__infer *i, int k, const sizes *z)
{
    vn__rule_result_at(i, k, 2, (const int64_t[]){z->rows, z->size});
}

int shape_lstm_sequence(vn__infer *i)
{
    sizes z;
    int code = recurrence(i, 4, &z);
    if (!code) code = has_shape(i, H, VN_SHAPE(z.rows, z.size));
    if (!code) code = has_shape(i, C, VN_SHAPE(z.rows, z.size));
    if (code) return code;
    gives(i, 0, &z, z.size);
    gives(i, 2, &z, z.gates);
    return VN_OK;
}

int shape_gru_sequence(vn__infer *i)
{
    sizes z;
    int code = recurrence(i, 3, &z);
    if (!code) code = has_shape(i, H, VN_SHAPE(z.rows, z.size));
    if (!code) code = has_shape(i, BIAS, VN_SHAPE(z.gates));
    if (code) return code;
    gives(i, 0, &z, z.size);
    gives(i, 1, &z, 4 * z.size);
    return VN_OK;
}

/* A backward pass: weight, initial state, states, residuals, then cotangents of states. */
static int backward(vn__infer *i, int n_gates, sizes *z)
{
    int code = has_rank(i, 0, 2, "(size, gates)");
    if (!code) code = has_rank(i, 2, 3, "(steps, rows, size)");
    if (code) return code;
    const int64_t *d = vn__node_dims(i->in[2]), size = vn__node_dims(i->in[0])[0];
    *z = (sizes){d[0], d[1], size, n_gates * size};
    code = has_shape(i, 0, VN_SHAPE(z->size, z->gates));
    if (!code) code = has_shape(i, 1, VN_SHAPE(z->rows, z->size));
    if (!code) code = has_shape(i, 3, VN_SHAPE(z->steps, z->rows, 4 * z->size));
    for (int k = 2; k < i->n && !code; k += k == 2 ? 2 : 1) code = has_shape(i, k, VN_SHAPE(z->steps, z->rows, z->size));
    if (!code) gives(i, 0, z, z->gates);
    return code;
}

int shape_lstm_backward(vn__infer *i)
{
    sizes z;
    int code = backward(i, 4, &z);
    if (code) return code;
    gives_state(i, 1, &z);
    gives_state(i, 2, &z);
    return VN_OK;
}

int shape_gru_backward(vn__infer *i)
{
    sizes z;
    int code = backward(i, 3, &z);
    if (!code) gives_state(i, 2, &z);
    return code;
}

/* A layer: x, its states, the two weights, then biases. */
static int layer(vn__infer *i, int n_gates, int n_states, int n_biases)
{
    int code = has_rank(i, 0, 3, "(steps, rows, features)"), w = 1 + n_states;
    if (!code) code = has_rank(i, w + 1, 2, "(size, gates)");
    if (code) return code;
    const int64_t *d = vn__node_dims(i->in[0]);
    const int64_t size = vn__node_dims(i->in[w + 1])[0];
    const sizes z = {d[0], d[1], size, n_gates * size};
    code = has_shape(i, w + 1, VN_SHAPE(z.size, z.gates));
    if (!code) code = has_shape(i, w, VN_SHAPE(d[2], z.gates));
    for (int k = 1; k <= n_states && !code; k++) code = has_shape(i, k, VN_SHAPE(z.rows, z.size));
    for (int k = 0; k < n_biases && !code; k++) code = has_shape(i, w + 2 + k, VN_SHAPE(z.gates));
    if (!code) gives(i, 0, &z, z.size);
    return code;
}

int shape_lstm(vn__infer *i)
{
    return layer(i, 4, 2, 1);
}
int shape_gru(vn__infer *i)
{
    return layer(i, 3, 1, 2);
}

/* ---- layers ---- */

static vn_array *with_bias(vn_array *x, vn_array *bias)
{
    return bias == VN_NONE ? x : vn_add(x, bias);
}

/* `width` columns starting at `first`. */
static vn_array *columns(vn_array *x, int64_t first, int64_t width)
{
    return vn__piece(x, 2, first, width);
}

/* One step, without the step axis; NULL for NULL. */
static vn_array *at_step(vn_array *x, int64_t step)
{
    return x ? vn_reshape(vn__piece(x, 0, step, 1), VN_SHAPE(vn_dim(x, 1), vn_dim(x, 2))) : NULL;
}

/* The state after the last step, or the initial state if there are no steps. */
static vn_array *last(vn_array *states, const vn__infer *i, vn_array *first)
{
    const int64_t steps = i->dims[0];
    return vn__narrow(steps ? at_step(states, i->options->v[OPT_LSTM_REVERSE].u.i ? 0 : steps - 1) : vn_positive(first), i);
}

/* In the dtype of the result, or float32 for half precision. */
static vn_array *wide(vn_array *x, const vn__infer *i)
{
    return vn__widen(vn__narrow(x, i));
}

/* The input's contribution to the gates, in the result's dtype. Steps and rows are merged into one axis, so that the weight's gradient is
 * one matrix product too. */
static vn_array *input_part(vn_array *const *in, int weight, int bias, const vn__infer *i)
{
    vn_array *x = vn__narrow(in[0], i), *w = vn__narrow(in[weight], i);
    if (!x || !w) return NULL;
    vn_array *flat = vn_matmul(vn_reshape(x, VN_SHAPE(i->dims[0] * i->dims[1], vn_dim(x, 2))), w);
    return with_bias(vn_reshape(flat, VN_SHAPE(i->dims[0], i->dims[1], vn_dim(w, 1))), in[bias]);
}

/* These functions drop the residuals: without a gradient they are unused and not computed. */
static vn_array *run_lstm(vn_array *const *in, const vn__infer *i, vn_array **cs)
{
    VN_SCOPE;
    vn_array *residuals, *gates = vn__widen(input_part(in, 3, 5, i));
    vn_array *hs =
        vn__lstm_sequence(gates, wide(in[4], i), wide(in[1], i), wide(in[2], i), (int)i->options->v[OPT_LSTM_REVERSE].u.i, cs, &residuals);
    return hs && vn_pass(*cs) ? vn_pass(hs) : NULL;
}

static vn_array *run_gru(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    vn_array *residuals, *gates = vn__widen(input_part(in, 2, 4, i)), *bias = in[5];
    if (!gates) return NULL;
    bias = bias == VN_NONE ? vn_broadcast_to(vn__number(gates, 0), VN_SHAPE(vn_dim(gates, 2))) : wide(bias, i);
    vn_array *hs = vn__gru_sequence(gates, wide(in[3], i), wide(in[1], i), bias, (int)i->options->v[OPT_GRU_REVERSE].u.i, &residuals);
    return hs ? vn_pass(hs) : NULL;
}

vn_array *compose_lstm(vn_array *const *in, const vn__infer *i)
{
    vn_array *cs = NULL, *hs = run_lstm(in, i, &cs);
    if (!hs) return NULL;
    i->more[0] = last(hs, i, in[1]);
    i->more[1] = last(cs, i, in[2]);
    return i->more[0] && i->more[1] ? vn__narrow(hs, i) : NULL;
}

vn_array *compose_gru(vn_array *const *in, const vn__infer *i)
{
    vn_array *hs = run_gru(in, i);
    if (!hs) return NULL;
    i->more[0] = last(hs, i, in[1]);
    return i->more[0] ? vn__narrow(hs, i) : NULL;
}

/* ---- gradients ---- */

/* Shared by the gradients of a recurrence. Steps are in the order of computation; `at` maps them to positions. */
typedef struct {
    vn_array *const *in;
    vn_array *hs, *ct_h;
    int64_t steps, rows, size;
    bool reverse;
} recurrent;

static recurrent recurrent_of(const vn__vjp_args *a)
{
    vn_array *hs = a->outs[0];
    vn_shape s = vn_shape_of(hs);
    return (recurrent){a->in,    hs,       a->cts[0] ? a->cts[0] : vn_zeros_like(hs),     s.dim[0],
                       s.dim[1], s.dim[2], a->options[OPT_LSTM_SEQUENCE_REVERSE].u.i != 0};
}

static int64_t at(const recurrent *r, int64_t step)
{
    return r->reverse ? r->steps - 1 - step : step;
}

/* The states before each step, starting with the initial one. There is at least one step. */
static vn_array *before(const recurrent *r, vn_array *first, vn_array *states)
{
    first = vn_reshape(first, VN_SHAPE(1, r->rows, r->size));
    if (r->steps == 1) return first;
    vn_array *known = vn__piece(states, 0, r->reverse ? 1 : 0, r->steps - 1);
    return vn_concat(2, r->reverse ? (vn_array *[]){known, first} : (vn_array *[]){first, known}, 0);
}

static vn_array *part_of(vn_array *x, const recurrent *r, int part)
{
    return columns(x, part * r->size, r->size);
}

/* f (1 - f), the derivative of sigmoid by its result; 1 - f^2, that of tanh */
static vn_array *sigmoid_slope(vn_array *f)
{
    return vn_mul(f, vn_sub(vn_scalar(1), f));
}
static vn_array *tanh_slope(vn_array *f)
{
    return vn_sub(vn_scalar(1), vn_square(f));
}

#define BESIDE(...) vn_concat(sizeof((vn_array *[]){__VA_ARGS__}) / sizeof(vn_array *), (vn_array *[]){__VA_ARGS__}, -1)

/* The cotangent that a step propagates to the previous h, through the weight. */
static vn_array *through_weight(const recurrent *r, vn_array *sent)
{
    return vn_matmul(sent, vn__transpose(r->in[WEIGHT]));
}

/* Room for an array of every step; the steps as one array. */
static vn_array **per_step(const recurrent *r)
{
    vn_array **steps = vn__calloc((size_t)r->steps * sizeof *steps);
    if (!steps) vn__no_memory("grad");
    return steps;
}
static vn_array *joined(const recurrent *r, vn_array **steps)
{
    for (int64_t s = 0; s < r->steps; s++) steps[s] = steps[s] ? vn_expand_dims(steps[s], 0) : NULL;
    vn_array *all = vn_concat((int)r->steps, steps, 0);
    vn__free(steps);
    return all;
}

/* lstm_backward in elementary ops, linear in dc, the cotangent of the cell after the output, and dh; also handles a cotangent of the
 * residuals. */
static vn_array *lstm_elementary(const recurrent *r, const vn__vjp_args *a, vn_array **h_ct, vn_array **c_ct)
{
    vn_array *cs = a->outs[1], *ct_c = a->cts[1], *ct_residuals = a->cts[2], **sent = per_step(r);
    if (!sent) return NULL;
    vn_array *z = vn_add(r->in[GATES], vn_matmul(before(r, r->in[H], r->hs), r->in[WEIGHT])), *c0 = before(r, r->in[C], cs);
    vn_array *i = vn_sigmoid(part_of(z, r, 0)), *f = vn_sigmoid(part_of(z, r, 1)), *g = vn_tanh(part_of(z, r, 2));
    vn_array *o = vn_sigmoid(part_of(z, r, 3)), *t = vn_tanh(cs), *to_cell = vn_mul(o, tanh_slope(t));
    vn_array *to_i = sigmoid_slope(i), *to_f = sigmoid_slope(f), *to_g = tanh_slope(g), *to_o = sigmoid_slope(o);
    vn_array *by_both = BESIDE(vn_mul(g, to_i), vn_mul(c0, to_f), vn_mul(i, to_g), vn_mul(t, to_o));
    vn_array *by_residuals = ct_residuals ? vn_mul(ct_residuals, BESIDE(to_i, to_f, to_g, to_o)) : NULL;
    for (int64_t s = r->steps - 1; s >= 0; s--) {
        const int64_t p = at(r, s);
        vn_array *dh = vn__plus(at_step(r->ct_h, p), *h_ct), *dc = vn__plus(at_step(ct_c, p), *c_ct);
        dc = vn__plus(dc, vn_mul(dh, at_step(to_cell, p)));
        sent[p] = vn__plus(vn_mul(BESIDE(dc, dc, dc, dh), at_step(by_both, p)), at_step(by_residuals, p));
        *h_ct = through_weight(r, sent[p]);
        *c_ct = vn_mul(dc, at_step(f, p));
    }
    return joined(r, sent);
}

/* gru_backward in elementary ops, linear in dh; also handles a cotangent of the residuals r, z, n and the recurrent part of n. */
static vn_array *gru_elementary(const recurrent *r, const vn__vjp_args *a, vn_array **recurrent_ct, vn_array **h_ct)
{
    vn_array *gates = r->in[GATES], *ct_residuals = a->cts[1], **sent = per_step(r), **all_dh = per_step(r);
    if (!sent || !all_dh) return vn__free(sent), vn__free(all_dh), NULL;
    vn_array *h0 = before(r, r->in[H], r->hs), *own = vn_add(vn_matmul(h0, r->in[WEIGHT]), r->in[BIAS]), *own_n = part_of(own, r, 2);
    vn_array *reset = vn_sigmoid(vn_add(part_of(gates, r, 0), part_of(own, r, 0)));
    vn_array *z = vn_sigmoid(vn_add(part_of(gates, r, 1), part_of(own, r, 1)));
    vn_array *n = vn_tanh(vn_add(part_of(gates, r, 2), vn_mul(reset, own_n)));
    vn_array *to_r = sigmoid_slope(reset), *to_z = sigmoid_slope(z), *to_n = vn_mul(vn_sub(vn_scalar(1), z), tanh_slope(n));
    vn_array *by_dh = BESIDE(vn_mul(vn_mul(to_n, own_n), to_r), vn_mul(vn_sub(h0, n), to_z), vn_mul(to_n, reset));
    vn_array *by_residuals = NULL, *n_ct = NULL;
    if (ct_residuals) {
        vn_array *ct_r = part_of(ct_residuals, r, 0), *ct_z = part_of(ct_residuals, r, 1), *ct_own = part_of(ct_residuals, r, 3);
        n_ct = vn_mul(part_of(ct_residuals, r, 2), tanh_slope(n));
        by_residuals = BESIDE(vn_mul(vn_add(ct_r, vn_mul(n_ct, own_n)), to_r), vn_mul(ct_z, to_z), vn_add(vn_mul(n_ct, reset), ct_own));
    }
    for (int64_t s = r->steps - 1; s >= 0; s--) {
        const int64_t p = at(r, s);
        vn_array *dh = all_dh[p] = vn__plus(at_step(r->ct_h, p), *h_ct);
        sent[p] = vn__plus(vn_mul(BESIDE(dh, dh, dh), at_step(by_dh, p)), at_step(by_residuals, p));
        *h_ct = vn_add(through_weight(r, sent[p]), vn_mul(dh, at_step(z, p)));
    }
    *recurrent_ct = joined(r, sent);
    n_ct = vn__plus(vn_mul(joined(r, all_dh), to_n), n_ct);
    return *recurrent_ct ? BESIDE(columns(*recurrent_ct, 0, 2 * r->size), n_ct) : NULL;
}

/* The weight's cotangent: the previous h times the cotangent of the gates, summed over all steps. */
static vn_array *weight_gradient(const recurrent *r, vn_array *sent)
{
    const int64_t all = r->steps * r->rows;
    vn_array *h0 = vn_reshape(before(r, r->in[H], r->hs), VN_SHAPE(all, r->size));
    return sent ? vn_matmul(vn__transpose(h0), vn_reshape(sent, VN_SHAPE(all, vn_dim(sent, 2)))) : NULL;
}

vn_array *vjp_lstm_sequence(const vn__vjp_args *a, int k)
{
    const recurrent r = recurrent_of(a);
    vn_array **made = a->kept; /* cotangents of gates, h, c */
    if (!r.steps) return vn_zeros_like(a->in[k]);
    if (!*made)
        *made = vn_with_grads(-1) || a->cts[2] ? lstm_elementary(&r, a, &made[1], &made[2])
                                               : vn__lstm_backward(a->in[WEIGHT], a->in[C], a->outs[1], a->outs[2], r.ct_h,
                                                                   a->cts[1] ? a->cts[1] : VN_NONE, r.reverse, &made[1], &made[2]);
    return k == WEIGHT ? weight_gradient(&r, made[0]) : made[k == GATES ? 0 : k - 1];
}

vn_array *vjp_gru_sequence(const vn__vjp_args *a, int k)
{
    const recurrent r = recurrent_of(a);
    vn_array **made = a->kept; /* cotangents of gates, of the recurrent part of the gates, of h */
    if (!r.steps) return vn_zeros_like(a->in[k]);
    if (!*made)
        *made = vn_with_grads(-1) || a->cts[1]
                    ? gru_elementary(&r, a, &made[1], &made[2])
                    : vn__gru_backward(a->in[WEIGHT], a->in[H], a->outs[0], a->outs[1], r.ct_h, r.reverse, &made[1], &made[2]);
    if (k == WEIGHT) return weight_gradient(&r, made[1]);
    if (k == BIAS) return made[1] ? vn_sum(made[1], VN_AXES(0, 1)) : NULL;
    return made[k];
}
