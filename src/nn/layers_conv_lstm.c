/* SPDX-License-Identifier: Apache-2.0 */
/* layers_conv_lstm.c: ConvLSTM with 1 to 3 spatial axes: an LSTM whose products are convolutions. That of x is one convolution of all
 * steps; that of h is recorded step by step. */
#include "nn/layers.h"
#include "core/state.h"
#include "nn/steps.h"

enum { GATES = 4 };

typedef struct {
    int n; /* spatial axes */
    int64_t in, out;
    vn_shape kernel;
    vn_nn_conv_lstm_opts o;
} conv_lstm;

static vn_shape filter_shape(const conv_lstm *c, int64_t in)
{
    vn_shape s = c->kernel;
    s.dim[s.rank++] = in;
    s.dim[s.rank++] = GATES * c->out;
    return s;
}

static vn_tree *conv_lstm_variables(vn_module *m, vn_dtype dtype)
{
    const conv_lstm *c = vn_module_self(m);
    int64_t window = 1;
    for (int k = 0; k < c->n; k++) window *= c->kernel.dim[k];
    vn_tree *t = vn_tree_new(NULL);
    vn_array *w = vn_init_array(c->o.w_init, filter_shape(c, c->in), c->in * window, c->out * window, dtype);
    vn_array *u = vn_init_array(c->o.w_init, filter_shape(c, c->out), c->out * window, c->out * window, dtype);
    if (!t || !w || !u || vn_tree_set(t, "input/w", w) || vn_tree_set(t, "recurrent/w", u)) return NULL;
    if (c->o.no_bias) return t;
    vn_array *b = vn_init_array(c->o.b_init, VN_SHAPE(GATES * c->out), c->in * window, c->out * window, dtype);
    return b && !vn_tree_set(t, "input/b", b) ? t : NULL;
}

/* The gates' part of all steps of x: (batch, steps, ..., in) -> (batch, steps, ..., 4 out) */
static vn_array *input_part(vn_module *m, vn_array *x)
{
    const conv_lstm *c = vn_module_self(m);
    const vn_nn_conv_lstm_opts *o = &c->o;
    vn_shape all = vn_shape_of(x), flat = {.rank = c->n + 2, .dim = {all.dim[0] * all.dim[1]}};
    memcpy(flat.dim + 1, all.dim + 2, (size_t)(c->n + 1) * sizeof *flat.dim);
    vn_array *y =
        vn_conv_general_dilated(vn_reshape(x, flat), vn_module_var(m, "input/w"), o->no_bias ? VN_NONE : vn_module_var(m, "input/b"),
                                VN_OPTS(conv_general_dilated, .strides = {o->strides[0], o->strides[1], o->strides[2]},
                                        .padding = o->padding, .dilations = {o->dilations[0], o->dilations[1], o->dilations[2]}));
    const vn_shape made = vn_shape_of(y);
    if (!y) return NULL;
    memcpy(all.dim + 2, made.dim + 1, (size_t)(c->n + 1) * sizeof *all.dim);
    return vn_reshape(y, all);
}

/* A state before the first step, for gates (batch, ..., 4 out). */
static vn_array *begin(const vn_tree *in, const char *name, const vn_array *gates, int64_t out)
{
    vn_value given = vn_tree_if_exists(in, name);
    vn_shape s = vn_shape_of(gates), have;
    char a[128], b[128];
    s.dim[s.rank - 1] = out;
    if (!vn__is_array(given)) return vn_zeros(s, vn_dtype_of(gates));
    have = vn_shape_of(given.u.array);
    if (have.rank == s.rank && !memcmp(have.dim, s.dim, (size_t)s.rank * sizeof *s.dim)) return given.u.array;
    return vn__fail(VN_E_SHAPE, "%s has shape %s; %s is needed (%s)", name, vn__shape_text(have.rank, have.dim, a),
                    vn__shape_text(s.rank, s.dim, b), vn_engine_of(gates)),
           NULL;
}

static vn_tree *one_step(const vn_tree *in, void *user)
{
    vn_module *m = user;
    const conv_lstm *s = vn_module_self(m);
    vn_array *x = vn_tree_get(in, "x"), *h = begin(in, "h", x, s->out), *c = begin(in, "c", x, s->out), *part[GATES];
    if (!h || !c) return NULL;
    vn_array *own = vn_conv_general_dilated(h, vn_module_var(m, "recurrent/w"), VN_NONE, VN_OPTS(conv_general_dilated, .padding = "SAME"));
    if (vn_split(vn_add(x, own), GATES, (const int64_t[]){s->out, s->out, s->out, s->out}, -1, part)) return NULL;
    c = vn_add(vn_mul(vn_sigmoid(part[1]), c), vn_mul(vn_sigmoid(part[0]), vn_tanh(part[2])));
    h = vn_mul(vn_sigmoid(part[3]), vn_tanh(c));
    return h ? vn_tree_of("y", h, "h", h, "c", c, NULL) : NULL;
}

static vn_tree *conv_lstm_forward_tree(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "h", "c", "lengths", NULL};
    const conv_lstm *s = vn_module_self(m);
    vn_array *found[4];
    if (!vn__layer_args(args, names, found) || !vn__layer_input(found[0], s->n + 3, s->n + 3, "channel_last", s->in)) return NULL;
    vn_array *gates = input_part(m, found[0]);
    vn_tree *in = gates ? vn_tree_set_at_key_chain(args, "x", vn_value_array(gates)) : NULL;
    return in ? vn__steps_run(in, VN_OPTS(module_steps, .last_only = s->o.last_only, .reverse = s->o.reverse), one_step, m) : NULL;
}

static vn_array *conv_lstm_forward(vn_module *m, vn_array *x)
{
    vn_tree *out = conv_lstm_forward_tree(m, vn_tree_of("x", x, NULL));
    return out ? vn_tree_get(out, "y") : NULL;
}

#define CONV_LSTM_CLASS(text)                                                                                                \
    {                                                                                                                        \
        .name = text, .self_size = sizeof(conv_lstm), .create_variables = conv_lstm_variables, .forward = conv_lstm_forward, \
        .forward_tree = conv_lstm_forward_tree                                                                               \
    }
static const vn_module_class classes[] = {CONV_LSTM_CLASS("ConvLSTM1D"), CONV_LSTM_CLASS("ConvLSTM2D"), CONV_LSTM_CLASS("ConvLSTM3D")};

static vn_module *make(const char *who, int n, int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm_opts *opts)
{
    conv_lstm c = {.n = n, .in = in, .out = out, .kernel = kernel};
    int64_t all = in > out ? in : out;
    if (!vn__take_options(who, &vn__struct_nn_conv_lstm, &c.o, opts) || !vn__layer_sizes(who, "kernel", &c.kernel, n) ||
        !vn__layer_list(who, "strides", c.o.strides, n) || !vn__layer_list(who, "dilations", c.o.dilations, n))
        return NULL;
    if (in < 1 || out < 1)
        return vn__fail(VN_E_ARG, "%s: in is %lld, out %lld; both must be 1 or more", who, (long long)in, (long long)out), NULL;
    bool fits = !__builtin_mul_overflow(all, out, &all) && !__builtin_mul_overflow(all, GATES, &all);
    for (int k = 0; k < n && fits; k++) fits = !__builtin_mul_overflow(all, c.kernel.dim[k], &all);
    if (!fits) return vn__fail(VN_E_SHAPE, "%s: the filter is too large", who), NULL;
    return vn_module_new(&classes[n - 1], &c, c.o.module);
}

vn_module *vn_nn_conv_lstm1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm_opts *opts)
{
    return make("nn_conv_lstm1d", 1, in, out, kernel, opts);
}
vn_module *vn_nn_conv_lstm2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm_opts *opts)
{
    return make("nn_conv_lstm2d", 2, in, out, kernel, opts);
}
vn_module *vn_nn_conv_lstm3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm_opts *opts)
{
    return make("nn_conv_lstm3d", 3, in, out, kernel, opts);
}
