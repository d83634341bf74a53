/* layers_recurrent.c: LSTM and GRU: stacked lstm_update and gru_update. */
#include "nn/layers.h"
#include "core/state.h"
#include "program/node.h"
#include <string.h>

enum { MAX_LAYERS = 256, LSTM_GATES = 4, GRU_GATES = 3 };

typedef struct {
    int gates;
    int64_t in, out;
    vn_nn_recurrent_opts o;
} recurrent;

/* ---- variables ---- */

static const char *name_of(char to[static 64], const char *part, int layer, char variable)
{
    snprintf(to, 64, "%s/layer_%d/%c", part, layer, variable);
    return to;
}

static int add_variables(vn_tree *t, const recurrent *r, const char *part, int layer, int64_t in, vn_dtype dtype)
{
    char name[64];
    const int64_t gates = r->gates * r->out;
    vn_array *w = vn_init_array(r->o.w_init, VN_SHAPE(in, gates), in, r->out, dtype);
    int code = w ? vn_tree_set(t, name_of(name, part, layer, 'w'), w) : (int)vn_status();
    if (code || !r->o.with_bias) return code;
    vn_array *b = vn_init_array(r->o.b_init, VN_SHAPE(gates), in, r->out, dtype);
    return b ? vn_tree_set(t, name_of(name, part, layer, 'b'), b) : (int)vn_status();
}

static vn_tree *recurrent_variables(vn_module *m, vn_dtype dtype)
{
    const recurrent *r = vn_module_self(m);
    vn_tree *t = vn_tree_new(NULL);
    for (int k = 0; k < (int)r->o.layers && t; k++) {
        if (add_variables(t, r, "input", k, k ? r->out : r->in, dtype) || add_variables(t, r, "recurrent", k, r->out, dtype)) return NULL;
    }
    return t;
}

/* ---- stacked layers ---- */

static vn_array *variable(vn_module *m, const char *part, int layer, char which)
{
    char name[64];
    const recurrent *r = vn_module_self(m);
    return which == 'b' && !r->o.with_bias ? VN_NONE : vn_module_var(m, name_of(name, part, layer, which));
}

/* Runs x (batch..., steps, in) through one layer and updates the states. */
static vn_array *run_layer(vn_module *m, int layer, vn_array *x, vn_array **h, vn_array **c)
{
    const recurrent *r = vn_module_self(m);
    vn_array *w = variable(m, "input", layer, 'w'), *u = variable(m, "recurrent", layer, 'w');
    vn_array *b = variable(m, "input", layer, 'b'), *a = variable(m, "recurrent", layer, 'b');
    if (r->gates == GRU_GATES) return vn_gru_update(x, *h, w, u, b, a, NULL, h);
    return vn_lstm_update(x, *h, *c, w, u, b, a, NULL, h, c);
}

/* The initial states, one per layer: slices of `given`, or zeros if that is NULL. */
static int begin_states(const recurrent *r, vn_array *x, vn_array *given, const char *name, vn_array **states)
{
    vn_shape s = vn_shape_of(x);
    s.dim[s.rank - 2] = r->out;
    s.rank--; /* batch..., out */
    const int n = (int)r->o.layers;
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

/* args: x, h, c; the states may be NULL and are replaced by the last ones. Returns y. */
static vn_array *run_layers(vn_module *m, vn_array *args[static 3])
{
    const recurrent *r = vn_module_self(m);
    vn_array *h[MAX_LAYERS], *c[MAX_LAYERS] = {NULL}, *y = args[0];
    const int n = (int)r->o.layers;
    if (!vn__layer_input(y, 2, VN_MAX_RANK, "channel_last", r->in) || begin_states(r, y, args[1], "h", h)) return NULL;
    if (r->gates == LSTM_GATES && begin_states(r, y, args[2], "c", c)) return NULL;
    for (int k = 0; k < n && y; k++) y = run_layer(m, k, y, &h[k], &c[k]);
    if (!y) return NULL;
    args[1] = vn_stack(n, h, 0);
    args[2] = r->gates == LSTM_GATES ? vn_stack(n, c, 0) : NULL;
    return r->o.last_only ? h[n - 1] : y;
}

static vn_array *recurrent_forward(vn_module *m, vn_array *x)
{
    return run_layers(m, (vn_array *[3]){x});
}

static vn_tree *recurrent_forward_tree(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "h", "c", NULL}, *const gru_names[] = {"x", "h", NULL};
    const recurrent *r = vn_module_self(m);
    vn_array *found[3] = {NULL};
    vn_array *y = vn__layer_args(args, r->gates == GRU_GATES ? gru_names : names, found) ? run_layers(m, found) : NULL;
    if (!y) return NULL;
    if (r->o.no_state) return vn_tree_of("y", y, NULL);
    return r->gates == GRU_GATES ? vn_tree_of("y", y, "h", found[1], NULL) : vn_tree_of("y", y, "h", found[1], "c", found[2], NULL);
}

static const vn_module_class lstm_class = {.name = "LSTM",
                                           .self_size = sizeof(recurrent),
                                           .create_variables = recurrent_variables,
                                           .forward = recurrent_forward,
                                           .forward_tree = recurrent_forward_tree};
static const vn_module_class gru_class = {.name = "GRU",
                                          .self_size = sizeof(recurrent),
                                          .create_variables = recurrent_variables,
                                          .forward = recurrent_forward,
                                          .forward_tree = recurrent_forward_tree};

static vn_module *make_recurrent(const char *who, const vn_module_class *class, recurrent r, const vn_nn_recurrent_opts *opts)
{
    if (!vn__take_options(who, &vn__struct_nn_recurrent, &r.o, opts)) return NULL;
    if (r.in < 1 || r.out < 1 || r.out > INT64_MAX / r.gates)
        return vn__fail(VN_E_ARG, "%s: in is %lld, out %lld; both must be 1 or more, and out at most %lld", who, (long long)r.in,
                        (long long)r.out, (long long)(INT64_MAX / r.gates)),
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
