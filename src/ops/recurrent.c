/* recurrent.c: LSTM and GRU layers.
 *
 * The input's part of all gates is one product outside; what must go step by step is a primitive, lstm_states or gru_states, with a
 * primitive for its way back. From what that gives (for every step: the gradients of the gates before their functions, and what goes past
 * them to the step before) the gradients of all inputs follow by slices and products. Where gradients will be differentiated again, the
 * way back is written out in elementary ops instead: all steps at once up to the linear recurrence itself. */
#include "ops/row.h"

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

static void normalise_flag(vn__infer *i)
{
    int64_t *reverse = &i->options->v[0].u.i;
    *reverse = *reverse != 0;
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
    normalise_flag(i);
    z->steps = d[0], z->rows = d[1], z->size = vn__node_dims(i->in[1])[0], z->gates = n_gates * z->size;
    code = has_shape(i, 1, VN_SHAPE(z->size, z->gates));
    return code ? code : has_shape(i, 0, VN_SHAPE(z->steps, z->rows, z->gates));
}

static int gives(vn__infer *i, const sizes *z, int64_t width)
{
    vn__rule_result(i, 3, (const int64_t[]){z->steps, z->rows, width});
    return VN_OK;
}

static int lstm_inputs(vn__infer *i, sizes *z)
{
    int code = recurrence(i, 4, z);
    if (!code) code = has_shape(i, 2, VN_SHAPE(z->rows, z->size));
    return code ? code : has_shape(i, 3, VN_SHAPE(z->rows, z->size));
}

static int gru_inputs(vn__infer *i, sizes *z)
{
    int code = recurrence(i, 3, z);
    if (!code) code = has_shape(i, 2, VN_SHAPE(z->gates));
    return code ? code : has_shape(i, 3, VN_SHAPE(z->rows, z->size));
}

/* Inputs 4 and 5 of a way back: states and their cotangent. */
static int states_and_ct(vn__infer *i, const sizes *z, int64_t width)
{
    int code = has_shape(i, 4, VN_SHAPE(z->steps, z->rows, width));
    if (!code) code = has_shape(i, 5, VN_SHAPE(z->steps, z->rows, width));
    return code ? code : gives(i, z, 5 * z->size);
}

int shape_lstm_states(vn__infer *i)
{
    sizes z;
    int code = lstm_inputs(i, &z);
    return code ? code : gives(i, &z, 2 * z.size);
}

int shape_lstm_back(vn__infer *i)
{
    sizes z;
    int code = lstm_inputs(i, &z);
    return code ? code : states_and_ct(i, &z, 2 * z.size);
}

int shape_gru_states(vn__infer *i)
{
    sizes z;
    int code = gru_inputs(i, &z);
    return code ? code : gives(i, &z, z.size);
}

int shape_gru_back(vn__infer *i)
{
    sizes z;
    int code = gru_inputs(i, &z);
    return code ? code : states_and_ct(i, &z, z.size);
}

/* A layer: x, its states from input 1 on, the two weights after them, then biases. */
static int layer(vn__infer *i, int n_gates, int n_states, int n_biases)
{
    int code = has_rank(i, 0, 3, "(steps, rows, features)"), w = 1 + n_states;
    if (!code) code = has_rank(i, w + 1, 2, "(size, gates)");
    if (code) return code;
    const int64_t *d = vn__node_dims(i->in[0]);
    const int64_t size = vn__node_dims(i->in[w + 1])[0];
    const sizes z = {d[0], d[1], size, n_gates * size};
    normalise_flag(i);
    code = has_shape(i, w + 1, VN_SHAPE(z.size, z.gates));
    if (!code) code = has_shape(i, w, VN_SHAPE(d[2], z.gates));
    for (int k = 1; k <= n_states && !code; k++) code = has_shape(i, k, VN_SHAPE(z.rows, z.size));
    for (int k = 0; k < n_biases && !code; k++) code = has_shape(i, w + 2 + k, VN_SHAPE(z.gates));
    return code ? code : gives(i, &z, z.size);
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

/* `width` numbers of every row from `first` on. */
static vn_array *columns(vn_array *x, int64_t first, int64_t width)
{
    return vn_slice_at(x, VN_SHAPE(0, 0, first), VN_SHAPE(vn_dim(x, 0), vn_dim(x, 1), width));
}

/* The same at one step, without the axis of steps. */
static vn_array *at_step(vn_array *x, int64_t step, int64_t first, int64_t width)
{
    return vn_reshape(vn_slice_at(x, VN_SHAPE(step, 0, first), VN_SHAPE(1, vn_dim(x, 1), width)), VN_SHAPE(vn_dim(x, 1), width));
}

/* The state after the last step that is computed, which without steps is the one before the first. */
static vn_array *last(vn_array *states, const vn__infer *i, int part, vn_array *first)
{
    const int64_t size = i->dims[2], steps = i->dims[0];
    if (!steps) return vn__narrow(first, i);
    return at_step(states, i->options->v[0].u.i ? 0 : steps - 1, part * size, size);
}

/* The input's part of the gates, in the result's dtype. All steps and rows are one axis of the product, so that the gradient of the weight
 * is one product, too. */
static vn_array *input_part(vn_array *const *in, int weight, int bias, const vn__infer *i)
{
    vn_array *x = vn__narrow(in[0], i), *w = vn__narrow(in[weight], i);
    if (!x || !w) return NULL;
    vn_array *flat = vn_matmul(vn_reshape(x, VN_SHAPE(i->dims[0] * i->dims[1], vn_dim(x, 2))), w);
    return with_bias(vn_reshape(flat, VN_SHAPE(i->dims[0], i->dims[1], vn_dim(w, 1))), in[bias]);
}

vn_array *compose_lstm(vn_array *const *in, const vn__infer *i)
{
    int reverse = (int)i->options->v[0].u.i;
    vn_array *states = vn__lstm_states(input_part(in, 3, 5, i), in[4], in[1], in[2], reverse);
    if (!states) return NULL;
    i->more[0] = last(states, i, 0, in[1]);
    i->more[1] = last(states, i, 1, in[2]);
    return i->more[0] && i->more[1] ? columns(states, 0, i->dims[2]) : NULL;
}

vn_array *compose_gru(vn_array *const *in, const vn__infer *i)
{
    int reverse = (int)i->options->v[0].u.i;
    vn_array *gates = input_part(in, 2, 4, i), *bias = in[5];
    if (bias == VN_NONE && gates) bias = vn_broadcast_to(vn__number(gates, 0), VN_SHAPE(vn_dim(gates, 2)));
    vn_array *states = gates ? vn__gru_states(gates, in[3], bias, in[1], reverse) : NULL;
    if (!states) return NULL;
    i->more[0] = last(states, i, 0, in[1]);
    return i->more[0] ? states : NULL;
}

/* ---- gradients ---- */

/* What the gradients of a recurrence share. Steps count in the order of computation, `at` finds their place. */
typedef struct {
    const vn__vjp_args *a;
    vn_array *weight, *first_h;
    int64_t steps, rows, size, gates;
    bool reverse;
} recurrent;

static recurrent recurrent_of(const vn__vjp_args *a, int h)
{
    vn_shape gates = vn_shape_of(a->in[0]);
    return (recurrent){a, a->in[1], a->in[h], gates.dim[0], gates.dim[1], vn_dim(a->in[1], 0), gates.dim[2], a->options[0].u.i != 0};
}

static int64_t at(const recurrent *r, int64_t step)
{
    return r->reverse ? r->steps - 1 - step : step;
}

/* A part of the states before each step, the first of which is given. There is at least one step. */
static vn_array *before(const recurrent *r, vn_array *first, int part)
{
    vn_array *out = r->a->out, *all = vn_broadcast_to(vn__number(out, 0), VN_SHAPE(r->steps, r->rows, r->size));
    all = vn_slice_set(all, vn_reshape(first, VN_SHAPE(1, r->rows, r->size)), vn__index(out, VN_SHAPE(at(r, 0), 0, 0)));
    if (r->steps == 1) return all;
    vn_array *known = vn_slice_at(out, VN_SHAPE(r->reverse ? 1 : 0, 0, part * r->size), VN_SHAPE(r->steps - 1, r->rows, r->size));
    return vn_slice_set(all, known, vn__index(out, VN_SHAPE(r->reverse ? 0 : 1, 0, 0)));
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

/* Five parts side by side; NULL stands for zeros. */
static vn_array *beside(const recurrent *r, vn_array *const part[5])
{
    vn_array *out = r->a->out, *all = vn_broadcast_to(vn__number(out, 0), VN_SHAPE(r->steps, r->rows, 5 * r->size));
    for (int k = 0; k < 5; k++) {
        if (part[k]) all = vn_slice_set(all, part[k], vn__index(out, VN_SHAPE(0, 0, k * r->size)));
    }
    return all;
}

/* x, of (rows, size), times each of the five parts of a step */
static vn_array *times_parts(const recurrent *r, vn_array *five, int64_t step, vn_array *x)
{
    vn_array *p = vn_reshape(at_step(five, at(r, step), 0, 5 * r->size), VN_SHAPE(r->rows, 5, r->size));
    return vn_reshape(vn_mul(p, vn_reshape(x, VN_SHAPE(r->rows, 1, r->size))), VN_SHAPE(1, r->rows, 5 * r->size));
}

static vn_array *turned(vn_array *x)
{
    return vn_permute_dims(x, VN_AXES(1, 0));
}

/* What reaches h of the step before through the recurrent product. */
static vn_array *through_weight(const recurrent *r, vn_array *sent, int64_t step)
{
    return vn_matmul(at_step(sent, step, 0, r->gates), turned(r->weight));
}

static vn_array *plus(vn_array *x, vn_array *carried)
{
    return carried ? vn_add(x, carried) : x;
}

static vn_array *nothing_sent(const recurrent *r)
{
    return vn_broadcast_to(vn__number(r->a->out, 0), VN_SHAPE(r->steps, r->rows, 5 * r->size));
}

/* lstm_back in elementary ops. All five parts are linear in dc, what reaches the cell after the output, and dh. */
static vn_array *lstm_elementary(const recurrent *r)
{
    vn_array *ct = r->a->ct, *c0 = before(r, r->a->in[3], 1);
    vn_array *z = vn_add(r->a->in[0], vn_matmul(before(r, r->first_h, 0), r->weight));
    vn_array *i = vn_sigmoid(part_of(z, r, 0)), *f = vn_sigmoid(part_of(z, r, 1)), *g = vn_tanh(part_of(z, r, 2));
    vn_array *o = vn_sigmoid(part_of(z, r, 3)), *t = vn_tanh(part_of(r->a->out, r, 1)), *to_cell = vn_mul(o, tanh_slope(t));
    vn_array *by_dc =
        beside(r, (vn_array *[]){vn_mul(g, sigmoid_slope(i)), vn_mul(c0, sigmoid_slope(f)), vn_mul(i, tanh_slope(g)), NULL, f});
    vn_array *by_dh = beside(r, (vn_array *[]){NULL, NULL, NULL, vn_mul(t, sigmoid_slope(o)), NULL});
    vn_array *all = nothing_sent(r), *carried_h = NULL, *carried_c = NULL;
    for (int64_t s = r->steps - 1; s >= 0; s--) {
        const int64_t p = at(r, s);
        vn_array *dh = plus(at_step(ct, p, 0, r->size), carried_h), *dc = plus(at_step(ct, p, r->size, r->size), carried_c);
        dc = vn_add(dc, vn_mul(dh, at_step(to_cell, p, 0, r->size)));
        vn_array *sent = vn_add(times_parts(r, by_dc, s, dc), times_parts(r, by_dh, s, dh));
        all = vn_slice_set(all, sent, vn__index(ct, VN_SHAPE(p, 0, 0)));
        carried_h = through_weight(r, sent, 0);
        carried_c = at_step(sent, 0, r->gates, r->size);
    }
    return all;
}

/* gru_back in elementary ops. All five parts are linear in dh. */
static vn_array *gru_elementary(const recurrent *r)
{
    vn_array *ct = r->a->ct, *gates = r->a->in[0], *h0 = before(r, r->first_h, 0);
    vn_array *own = vn_add(vn_matmul(h0, r->weight), r->a->in[2]), *own_n = part_of(own, r, 2);
    vn_array *reset = vn_sigmoid(vn_add(part_of(gates, r, 0), part_of(own, r, 0)));
    vn_array *z = vn_sigmoid(vn_add(part_of(gates, r, 1), part_of(own, r, 1)));
    vn_array *n = vn_tanh(vn_add(part_of(gates, r, 2), vn_mul(reset, own_n)));
    vn_array *to_n = vn_mul(vn_sub(vn_scalar(1), z), tanh_slope(n));
    vn_array *by_dh = beside(r, (vn_array *[]){vn_mul(vn_mul(to_n, own_n), sigmoid_slope(reset)), vn_mul(vn_sub(h0, n), sigmoid_slope(z)),
                                               vn_mul(to_n, reset), to_n, z});
    vn_array *all = nothing_sent(r), *carried = NULL;
    for (int64_t s = r->steps - 1; s >= 0; s--) {
        const int64_t p = at(r, s);
        vn_array *sent = times_parts(r, by_dh, s, plus(at_step(ct, p, 0, r->size), carried));
        all = vn_slice_set(all, sent, vn__index(ct, VN_SHAPE(p, 0, 0)));
        carried = vn_add(through_weight(r, sent, 0), at_step(sent, 0, 4 * r->size, r->size));
    }
    return all;
}

/* Of what every step sends through the weight: h before it times that, over all steps. */
static vn_array *weight_gradient(const recurrent *r, vn_array *sent)
{
    const int64_t all = r->steps * r->rows;
    vn_array *h0 = vn_reshape(before(r, r->first_h, 0), VN_SHAPE(all, r->size));
    return vn_matmul(turned(h0), vn_reshape(columns(sent, 0, r->gates), VN_SHAPE(all, r->gates)));
}

vn_array *vjp_lstm_states(const vn__vjp_args *a, int k)
{
    const recurrent r = recurrent_of(a, 2);
    if (!r.steps) return vn__zeros_like(a->in[k]);
    if (!*a->kept)
        *a->kept = vn_with_grads(-1) ? lstm_elementary(&r) : vn__lstm_back(a->in[0], a->in[1], a->in[2], a->in[3], a->out, a->ct, r.reverse);
    vn_array *sent = *a->kept;
    if (!sent) return NULL;
    if (k == 0) return columns(sent, 0, r.gates);
    if (k == 1) return weight_gradient(&r, sent);
    return k == 2 ? through_weight(&r, sent, at(&r, 0)) : at_step(sent, at(&r, 0), r.gates, r.size);
}

vn_array *vjp_gru_states(const vn__vjp_args *a, int k)
{
    const recurrent r = recurrent_of(a, 3);
    if (!r.steps) return vn__zeros_like(a->in[k]);
    if (!*a->kept)
        *a->kept = vn_with_grads(-1) ? gru_elementary(&r) : vn__gru_back(a->in[0], a->in[1], a->in[2], a->in[3], a->out, a->ct, r.reverse);
    vn_array *sent = *a->kept;
    if (!sent) return NULL;
    if (k == 0) return vn_slice_set(columns(sent, 0, r.gates), columns(sent, r.gates, r.size), vn__index(sent, VN_SHAPE(0, 0, 2 * r.size)));
    if (k == 1) return weight_gradient(&r, sent);
    if (k == 2) return vn_sum(columns(sent, 0, r.gates), VN_AXES(0, 1));
    return vn_add(through_weight(&r, sent, at(&r, 0)), at_step(sent, at(&r, 0), 4 * r.size, r.size));
}
