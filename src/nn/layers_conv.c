/* SPDX-License-Identifier: Apache-2.0 */
/* layers_conv.c: convolutions with 1 to 3 spatial axes, transposed convolutions and depthwise convolution. */
#include "nn/layers.h"
#include "core/state.h"
#include <string.h>

enum { FORWARD, TRANSPOSED, DEPTHWISE };

typedef struct {
    int kind, n; /* n spatial axes */
    int64_t in, out, groups;
    vn_shape kernel;
    int no_bias;
    const char *format, *filters; /* of x and of w */
    vn_init w_init, b_init;
    union {
        vn_nn_conv_opts forward;
        vn_nn_conv_transpose_opts transposed;
        vn_nn_depthwise_conv_opts depthwise;
    } o;
} conv;

static void append(vn_shape *s, vn_shape more)
{
    for (int k = 0; k < more.rank; k++) s->dim[s->rank++] = more.dim[k];
}

/* In the order of the filter format: HWIO unless given, or such as OIHW; transposed convolutions have IOHW and HWOI too. */
static vn_shape filter_shape(const conv *c)
{
    const int64_t in = c->kind == TRANSPOSED ? c->in : c->in / c->groups, out = c->kind == TRANSPOSED ? c->out / c->groups : c->out;
    vn_shape s = {0};
    if (c->kind == DEPTHWISE) {
        append(&s, c->kernel);
        append(&s, VN_SHAPE(c->in));
        return s;
    }
    const bool named = !strcmp(c->filters, "channel_first"), first = named || strchr("IO", c->filters[0]);
    const vn_shape channels = strstr(c->filters, "OI") || (named && c->kind == FORWARD) ? VN_SHAPE(out, in) : VN_SHAPE(in, out);
    append(&s, first ? channels : c->kernel);
    append(&s, first ? c->kernel : channels);
    return s;
}

/* Size 1 except for the channels, so that it broadcasts to the result. */
static vn_shape bias_shape(const conv *c)
{
    vn_shape s = {.rank = c->n + 2};
    for (int k = 0; k < s.rank; k++) s.dim[k] = 1;
    s.dim[vn__channels_first(c->format) ? 1 : c->n + 1] = c->out;
    return s;
}

static vn_tree *conv_variables(vn_module *m, vn_dtype dtype)
{
    const conv *c = vn_module_self(m);
    int64_t in = c->in / c->groups, out = c->out / c->groups; /* what one number of the result is made of, and goes into */
    for (int k = 0; k < c->n; k++) in *= c->kernel.dim[k], out *= c->kernel.dim[k];
    vn_array *w = vn_init_array(c->w_init, filter_shape(c), in, out, dtype);
    if (c->no_bias) return vn_tree_of("w", w, NULL);
    return vn_tree_of("w", w, "b", vn_init_array(c->b_init, bias_shape(c), in, out, dtype), NULL);
}

#define THREE(list)                     \
    {                                   \
        (list)[0], (list)[1], (list)[2] \
    }

static vn_array *conv_forward(vn_module *m, vn_array *x)
{
    const conv *c = vn_module_self(m);
    if (!vn__layer_input(x, c->n + 2, c->n + 2, c->format, c->in)) return NULL;
    vn_array *w = vn_module_var(m, "w"), *b = c->no_bias ? VN_NONE : vn_reshape(vn_module_var(m, "b"), VN_SHAPE(c->out));
    const vn_nn_conv_opts *f = &c->o.forward;
    const vn_nn_conv_transpose_opts *t = &c->o.transposed;
    const vn_nn_depthwise_conv_opts *d = &c->o.depthwise;
    switch (c->kind) {
    case DEPTHWISE:
        return vn_depthwise_conv2d(x, w, b,
                                   VN_OPTS(depthwise_conv2d, .strides = THREE(d->strides), .padding = d->padding, .pads = d->pads,
                                           .data_format = c->format, .dilations = THREE(d->dilations)));
    case TRANSPOSED:
        return vn_conv_general_transpose(x, w, b,
                                         VN_OPTS(conv_general_transpose, .strides = THREE(t->strides), .padding = t->padding,
                                                 .output_shape = THREE(t->output_shape), .data_format = c->format,
                                                 .dilations = THREE(t->dilations), .groups = t->groups, .filter_format = c->filters));
    default:
        return vn_conv_general_dilated(x, w, b,
                                       VN_OPTS(conv_general_dilated, .strides = THREE(f->strides), .padding = f->padding, .pads = f->pads,
                                               .data_format = c->format, .dilations = THREE(f->dilations), .groups = f->groups,
                                               .filter_format = c->filters));
    }
}

#define CONV_CLASS(text)                                                                                     \
    {                                                                                                        \
        .name = text, .self_size = sizeof(conv), .create_variables = conv_variables, .forward = conv_forward \
    }
static const vn_module_class conv_classes[][3] = {
    [FORWARD] = {CONV_CLASS("Conv1D"), CONV_CLASS("Conv2D"), CONV_CLASS("Conv3D")},
    [TRANSPOSED] = {CONV_CLASS("Conv1DTranspose"), CONV_CLASS("Conv2DTranspose"), CONV_CLASS("Conv3DTranspose")},
    [DEPTHWISE] = {[1] = CONV_CLASS("DepthwiseConv2D")},
};

/* Checks that neither the filter's size nor the fans overflow. */
static bool countable(const conv *c)
{
    int64_t n = c->in;
    bool fits = c->kind == DEPTHWISE || !__builtin_mul_overflow(n, c->out, &n);
    for (int k = 0; k < c->n && fits; k++) fits = !__builtin_mul_overflow(n, c->kernel.dim[k], &n);
    return fits;
}

static bool check_channels(const char *who, const conv *c)
{
    const int64_t groups = c->groups;
    if (c->in < 1 || c->out < 1)
        vn__fail(VN_E_ARG, "%s: in is %lld, out %lld; both must be 1 or more", who, (long long)c->in, (long long)c->out);
    else if (groups < 1 || c->in % groups || c->out % groups)
        vn__fail(VN_E_ARG, "%s: %lld groups do not divide %lld inputs and %lld outputs", who, (long long)groups, (long long)c->in,
                 (long long)c->out);
    else if (!countable(c)) vn__fail(VN_E_SHAPE, "%s: the filter is too large", who);
    else return true;
    return false;
}

/* What all kinds have, once their own options are checked. */
static vn_module *make_conv(const char *who, conv *c, const int64_t *strides, const int64_t *dilations, const vn_module_opts *module)
{
    if (!vn__layer_sizes(who, "kernel", &c->kernel, c->n) || !vn__layer_list(who, "strides", strides, c->n) ||
        !vn__layer_list(who, "dilations", dilations, c->n) || !check_channels(who, c))
        return NULL;
    return vn_module_new(&conv_classes[c->kind][c->n - 1], c, module);
}

static vn_module *forward(const char *who, int n, int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    static const vn__struct *const structs[] = {&vn__struct_nn_conv1d, &vn__struct_nn_conv2d, &vn__struct_nn_conv3d};
    conv c = {.kind = FORWARD, .n = n, .in = in, .out = out, .kernel = kernel};
    vn_nn_conv_opts *o = &c.o.forward;
    if (!vn__take_options(who, structs[n - 1], o, opts) || !vn__layer_pads(who, o->pads, n)) return NULL;
    c.groups = o->groups, c.no_bias = o->no_bias, c.format = o->data_format, c.filters = o->filter_format, c.w_init = o->w_init,
    c.b_init = o->b_init;
    return make_conv(who, &c, o->strides, o->dilations, o->module);
}

static vn_module *transposed(const char *who, int n, int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_transpose_opts *opts)
{
    static const vn__struct *const structs[] = {&vn__struct_nn_conv1d_transpose, &vn__struct_nn_conv2d_transpose,
                                                &vn__struct_nn_conv3d_transpose};
    conv c = {.kind = TRANSPOSED, .n = n, .in = in, .out = out, .kernel = kernel};
    vn_nn_conv_transpose_opts *o = &c.o.transposed;
    if (!vn__take_options(who, structs[n - 1], o, opts)) return NULL;
    int given = 3;
    while (given && !o->output_shape[given - 1]) given--;
    if (given && given != n) return vn__fail(VN_E_ARG, "%s: output_shape has a length for %d of %d spatial axes", who, given, n), NULL;
    c.groups = o->groups, c.no_bias = o->no_bias, c.format = o->data_format, c.filters = o->filter_format, c.w_init = o->w_init,
    c.b_init = o->b_init;
    return make_conv(who, &c, o->strides, o->dilations, o->module);
}

vn_module *vn_nn_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return forward("nn_conv1d", 1, in, out, kernel, opts);
}
vn_module *vn_nn_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return forward("nn_conv2d", 2, in, out, kernel, opts);
}
vn_module *vn_nn_conv3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return forward("nn_conv3d", 3, in, out, kernel, opts);
}
vn_module *vn_nn_conv1d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_transpose_opts *opts)
{
    return transposed("nn_conv1d_transpose", 1, in, out, kernel, opts);
}
vn_module *vn_nn_conv2d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_transpose_opts *opts)
{
    return transposed("nn_conv2d_transpose", 2, in, out, kernel, opts);
}
vn_module *vn_nn_conv3d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_transpose_opts *opts)
{
    return transposed("nn_conv3d_transpose", 3, in, out, kernel, opts);
}

vn_module *vn_nn_depthwise_conv2d(int64_t channels, vn_shape kernel, const vn_nn_depthwise_conv_opts *opts)
{
    static const char who[] = "nn_depthwise_conv2d";
    conv c = {.kind = DEPTHWISE, .n = 2, .in = channels, .out = channels, .groups = channels, .kernel = kernel};
    vn_nn_depthwise_conv_opts *o = &c.o.depthwise;
    if (!vn__take_options(who, &vn__struct_nn_depthwise_conv2d, o, opts) || !vn__layer_pads(who, o->pads, 2)) return NULL;
    c.no_bias = o->no_bias, c.format = o->data_format, c.w_init = o->w_init, c.b_init = o->b_init;
    return make_conv(who, &c, o->strides, o->dilations, o->module);
}
