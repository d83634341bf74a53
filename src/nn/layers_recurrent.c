/* SPDX-License-Identifier: Apache-2.0 */
/* layers_recurrent.c: LSTM, GRU and RNN: stacked lstm_update and gru_update, in one direction or two, over sequences of different lengths;
 * and their cells, which make one step. */
#include "nn/layers.h"
#include "nn/steps.h"
#include "core/state.h"
#include "program/node.h"
#include <string.h>

enum { MAX_LAYERS = 256, LSTM_GATES = 4, GRU_GATES = 3, RNN_GATES = 1 };

typedef struct {
    int gates;
    int64_t in, out;
    vn_nn_recurrent_opts o;
} recurrent;

/* ---- variables ---- */

/* Runs of a layer: one, or one in each direction. A layer's run has a number: 2 layer + direction, or that of the layer. */
static int runs(const recurrent *r)
{
    return r->o.bidirectional ? 2 : 1;
}
static bool backwards(const recurrent *r, int run)
{
    return (r->o.bidirectional && run % 2) != (r->o.reverse != 0);
}

static const char *name_of(char to[static 64], const recurrent *r, const char *part, int run, char variable)
{
    const bool second = r->o.bidirectional && run % 2;
    snprintf(to, 64, "%s/%s_%d/%c", part, second ? "reverse" : "layer", run / runs(r), variable);
    return to;
}

static int add_variables(vn_tree *t, const recurrent *r, const char *part, int run, int64_t in, vn_dtype dtype)
{
    char name[64];
    const int64_t gates = r->gates * r->out;
    vn_array *w = vn_init_array(r->o.w_init, VN_SHAPE(in, gates), in, r->out, dtype);
    int code = w ? vn_tree_set(t, name_of(name, r, part, run, 'w'), w) : (int)vn_status();
    if (code || !r->o.with_bias) return code;
    vn_array *b = vn_init_array(r->o.b_init, VN_SHAPE(gates), in, r->out, dtype);
    return b ? vn_tree_set(t, name_of(name, r, part, run, 'b'), b) : (int)vn_status();
}

static vn_tree *recurrent_variables(vn_module *m, vn_dtype dtype)
{
    const recurrent *r = vn_module_self(m);
    vn_tree *t = vn_tree_new(NULL);
    for (int k = 0; k < (int)r->o.layers * runs(r) && t; k++) {
        const int64_t in = k < runs(r) ? r->in : runs(r) * r->out;
        if (add_variables(t, r, "input", k, in, dtype) || add_variables(t, r, "recurrent", k, r->out, dtype)) return NULL;
    }
    return t;
}

/* ---- stacked layers ---- */

static vn_array *variable(vn_module *m, const char *part, int run, char which)
{
    char name[64];
    const recurrent *r = vn_module_self(m);
    return which == 'b' && !r->o.with_bias ? VN_NONE : vn_module_var(m, name_of(name, r, part, run, which));
}

/* The last third of what a GRU takes, (..., 3 out), with `reset` and `update` in the others. */
static vn_array *as_gru(vn_array *x, double reset, double update)
{
    if (!x) return NULL;
    vn_array *parts[] = {vn_broadcast_to(vn__number(x, reset), vn_shape_of(x)), vn_broadcast_to(vn__number(x, update), vn_shape_of(x)), x};
    return vn_concat(3, parts, -1);
}

/* A simple network is a GRU whose gates are always open, so that it needs no kernels of its own: with a bias of 1e4 the sigmoid is 1,
 * with -1e4 it is 0, exactly. */
static vn_array *run_simple(vn_array *x, vn_array **h, vn_array *w, vn_array *u, vn_array *b, vn_array *a)
{
    const double open = 1e4;
    if (!w || !u) return NULL;
    if (b == VN_NONE) b = vn_broadcast_to(vn__number(w, 0), VN_SHAPE(vn_dim(w, -1)));
    return vn_gru_update(x, *h, as_gru(w, 0, 0), as_gru(u, 0, 0), as_gru(b, open, -open), a == VN_NONE ? a : as_gru(a, 0, 0), NULL, h);
}

/* An LSTM whose cells stay as they are after the end of each sequence: one more feature is 1 there and closes the input gate and opens the
 * forget gate, exactly, as above. */
static vn_array *run_lstm(vn_array *x, vn_array **h, vn_array **c, vn_array *w, vn_array *u, vn_array *b, vn_array *a, vn_array *lengths)
{
    if (!x || !w) return NULL;
    if (lengths) {
        const double open = 1e4;
        vn_array *over = vn_logical_not(vn_padding_mask(lengths, vn_dim(x, -2))), *parts[4];
        for (int k = 0; k < 4; k++) parts[k] = vn_broadcast_to(vn__number(w, k ? k == 1 ? open : 0 : -open), VN_SHAPE(1, vn_dim(w, 1) / 4));
        x = vn_concat(2, (vn_array *[]){x, vn_cast(vn_expand_dims(over, -1), vn_dtype_of(x))}, -1);
        w = vn_concat(2, (vn_array *[]){w, vn_concat(4, parts, 1)}, 0);
    }
    return vn_lstm_update(x, *h, *c, w, u, b, a, NULL, h, c);
}

/* Runs x (batch..., steps, in) through one layer, in one direction, and updates the states. */
static vn_array *run_once(vn_module *m, int run, vn_array *x, vn_array *lengths, vn_array **h, vn_array **c)
{
    const recurrent *r = vn_module_self(m);
    const int batch = vn_rank(x) - 2;
    vn_array *w = variable(m, "input", run, 'w'), *u = variable(m, "recurrent", run, 'w'), *begin = *h;
    vn_array *b = variable(m, "input", run, 'b'), *a = variable(m, "recurrent", run, 'b'), *y;
    if (backwards(r, run)) x = vn__steps_reversed(x, lengths, batch);
    if (r->gates == RNN_GATES) y = run_simple(x, h, w, u, b, a);
    else y = r->gates == GRU_GATES ? vn_gru_update(x, *h, w, u, b, a, NULL, h) : run_lstm(x, h, c, w, u, b, a, lengths);
    if (lengths) y = vn__steps_padded(y, lengths, batch), *h = vn__steps_last(y, lengths, begin);
    return backwards(r, run) ? vn__steps_reversed(y, lengths, batch) : y;
}

/* A layer, in all its directions. */
static vn_array *run_layer(vn_module *m, int layer, vn_array *x, vn_array *lengths, vn_array **h, vn_array **c)
{
    const recurrent *r = vn_module_self(m);
    const int first = layer * runs(r);
    if (layer && r->o.dropout > 0 && vn_module_training(m)) x = vn_dropout(x, VN_NONE, r->o.dropout, NULL);
    vn_array *y = run_once(m, first, x, lengths, &h[first], &c[first]);
    if (!r->o.bidirectional || !y) return y;
    vn_array *back = run_once(m, first + 1, x, lengths, &h[first + 1], &c[first + 1]);
    return back ? vn_concat(2, (vn_array *[]){y, back}, -1) : NULL;
}

/* The initial states, one per run: slices of `given`, or zeros if that is NULL. */
static int begin_states(const recurrent *r, vn_array *x, vn_array *given, const char *name, vn_array **states)
{
    vn_shape s = vn_shape_of(x);
    s.dim[s.rank - 2] = r->out;
    s.rank--; /* batch..., out */
    const int n = (int)r->o.layers * runs(r);
    if (!given) {
        vn_array *zeros = vn_broadcast_to(vn__number(x, 0), s);
        for (int k = 0; k < n; k++) states[k] = zeros;
        return zeros ? VN_OK : (int)vn_status();
    }
    const vn_shape have = vn_shape_of(given);
    char a[128], b[128], z[128];
    if (have.rank == s.rank + 1 && have.dim[0] == n && !memcmp(have.dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim))
        return vn_unstack(given, n, 0, states);
    const vn_shape whole = vn_shape_of(x);
    return vn__fail(VN_E_SHAPE, "%s has shape %s; %d layers of %s are needed for x %s (%s)", name, vn__shape_text(have.rank, have.dim, a),
                    n, vn__shape_text(s.rank, s.dim, b), vn__shape_text(whole.rank, whole.dim, z), vn_engine_of(x));
}

enum { X, H, LENGTHS, C, N_ARGS };

/* args: all but x may be NULL; the states are replaced by the last ones. Returns y. */
static vn_array *run_layers(vn_module *m, vn_array *args[static N_ARGS])
{
    const recurrent *r = vn_module_self(m);
    vn_array *h[2 * MAX_LAYERS], *c[2 * MAX_LAYERS] = {NULL}, *y = args[X], *lengths = args[LENGTHS];
    const int n = (int)r->o.layers * runs(r);
    if (!vn__layer_input(y, 2, VN_MAX_RANK, "channel_last", r->in) || begin_states(r, y, args[H], "h", h)) return NULL;
    if (r->gates == LSTM_GATES && begin_states(r, y, args[C], "c", c)) return NULL;
    if (lengths && !(lengths = vn__steps_lengths(lengths, y, vn_rank(y) - 2))) return NULL;
    y = vn__steps_padded(y, lengths, vn_rank(y) - 2);
    for (int k = 0; k < (int)r->o.layers && y; k++) y = run_layer(m, k, y, lengths, h, c);
    if (!y) return NULL;
    args[H] = vn_stack(n, h, 0);
    args[C] = r->gates == LSTM_GATES ? vn_stack(n, c, 0) : NULL;
    if (!r->o.last_only) return y;
    return r->o.bidirectional ? vn_concat(2, (vn_array *[]){h[n - 2], h[n - 1]}, -1) : h[n - 1];
}

static vn_array *recurrent_forward(vn_module *m, vn_array *x)
{
    return run_layers(m, (vn_array *[N_ARGS]){x});
}

static vn_tree *results(const recurrent *r, vn_array *y, vn_array *h, vn_array *c)
{
    if (!y || r->o.no_state) return y ? vn_tree_of("y", y, NULL) : NULL;
    return r->gates == LSTM_GATES ? vn_tree_of("y", y, "h", h, "c", c, NULL) : vn_tree_of("y", y, "h", h, NULL);
}

static vn_tree *recurrent_forward_tree(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "h", "lengths", "c", NULL}, *const one_state[] = {"x", "h", "lengths", NULL};
    const recurrent *r = vn_module_self(m);
    vn_array *found[N_ARGS] = {NULL};
    vn_array *y = vn__layer_args(args, r->gates == LSTM_GATES ? names : one_state, found) ? run_layers(m, found) : NULL;
    return results(r, y, found[H], found[C]);
}

/* ---- cells: x (batch..., in) is one step of the only layer ---- */

static vn_tree *run_cell(vn_module *m, vn_array *x, vn_array *h, vn_array *c)
{
    const recurrent *r = vn_module_self(m);
    if (!vn__layer_input(x, 1, VN_MAX_RANK - 1, "channel_last", r->in)) return NULL;
    vn_array *step = vn_expand_dims(x, -2);
    if (!step || begin_states(r, step, h ? vn_expand_dims(h, 0) : NULL, "h", &h)) return NULL;
    if (r->gates == LSTM_GATES && begin_states(r, step, c ? vn_expand_dims(c, 0) : NULL, "c", &c)) return NULL;
    return run_once(m, 0, step, NULL, &h, &c) ? results(r, h, h, c) : NULL;
}

static vn_tree *cell_forward_tree(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "h", "c", NULL}, *const one_state[] = {"x", "h", NULL};
    const recurrent *r = vn_module_self(m);
    vn_array *found[3] = {NULL};
    return vn__layer_args(args, r->gates == LSTM_GATES ? names : one_state, found) ? run_cell(m, found[0], found[1], found[2]) : NULL;
}

static vn_array *cell_forward(vn_module *m, vn_array *x)
{
    vn_tree *out = run_cell(m, x, NULL, NULL);
    return out ? vn_tree_get(out, "y") : NULL;
}

/* ---- constructors ---- */

#define RECURRENT_CLASS(text, of)                                                                                       \
    {                                                                                                                   \
        .name = text, .self_size = sizeof(recurrent), .create_variables = recurrent_variables, .forward = of##_forward, \
        .forward_tree = of##_forward_tree                                                                               \
    }
static const vn_module_class lstm_class = RECURRENT_CLASS("LSTM", recurrent), gru_class = RECURRENT_CLASS("GRU", recurrent),
                             rnn_class = RECURRENT_CLASS("RNN", recurrent), lstm_cell_class = RECURRENT_CLASS("LSTMCell", cell),
                             gru_cell_class = RECURRENT_CLASS("GRUCell", cell), rnn_cell_class = RECURRENT_CLASS("RNNCell", cell);

static vn_module *make_recurrent(const char *who, const vn_module_class *class, recurrent r, const vn_nn_recurrent_opts *opts)
{
    if (!vn__take_options(who, &vn__struct_nn_recurrent, &r.o, opts)) return NULL;
    const int64_t most = INT64_MAX / (r.gates > GRU_GATES ? r.gates : GRU_GATES);
    if (r.in < 1 || r.out < 1 || r.out > most)
        return vn__fail(VN_E_ARG, "%s: in is %lld, out %lld; both must be 1 or more, and out at most %lld", who, (long long)r.in,
                        (long long)r.out, (long long)most),
               NULL;
    if (r.o.layers < 1 || r.o.layers > MAX_LAYERS)
        return vn__fail(VN_E_ARG, "%s: %lld layers; 1 to %d are allowed", who, (long long)r.o.layers, MAX_LAYERS), NULL;
    return vn_module_new(class, &r, r.o.module);
}

vn_module *vn_nn_lstm(int64_t in, int64_t out, const vn_nn_recurrent_opts *opts)
{
    return make_recurrent("nn_lstm", &lstm_class, (recurrent){.gates = LSTM_GATES, .in = in, .out = out}, opts);
}
vn_module *vn_nn_gru(int64_t in, int64_t out, const vn_nn_recurrent_opts *opts)
{
    return make_recurrent("nn_gru", &gru_class, (recurrent){.gates = GRU_GATES, .in = in, .out = out}, opts);
}
vn_module *vn_nn_rnn(int64_t in, int64_t out, const vn_nn_recurrent_opts *opts)
{
    return make_recurrent("nn_rnn", &rnn_class, (recurrent){.gates = RNN_GATES, .in = in, .out = out}, opts);
}

static vn_module *make_cell(const char *who, const vn_module_class *class, recurrent r, const vn_nn_cell_opts *opts)
{
    vn_nn_cell_opts o;
    if (!vn__take_options(who, &vn__struct_nn_cell, &o, opts)) return NULL;
    return make_recurrent(who, class, r,
                          VN_OPTS(nn_recurrent, .with_bias = o.with_bias, .w_init = o.w_init, .b_init = o.b_init, .module = o.module));
}

vn_module *vn_nn_lstm_cell(int64_t in, int64_t out, const vn_nn_cell_opts *opts)
{
    return make_cell("nn_lstm_cell", &lstm_cell_class, (recurrent){.gates = LSTM_GATES, .in = in, .out = out}, opts);
}
vn_module *vn_nn_gru_cell(int64_t in, int64_t out, const vn_nn_cell_opts *opts)
{
    return make_cell("nn_gru_cell", &gru_cell_class, (recurrent){.gates = GRU_GATES, .in = in, .out = out}, opts);
}
vn_module *vn_nn_rnn_cell(int64_t in, int64_t out, const vn_nn_cell_opts *opts)
{
    return make_cell("nn_rnn_cell", &rnn_cell_class, (recurrent){.gates = RNN_GATES, .in = in, .out = out}, opts);
}
