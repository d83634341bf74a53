/* layers_conv.c: convolutions with 1 to 3 spatial axes, transposed ones, and one filter for each channel. */
#include "nn/layers.h"
#include "core/state.h"
#include <string.h>

enum { FORWARD, TRANSPOSED, DEPTHWISE };

typedef struct {
    int kind, n; /* n spatial axes */
    int64_t in, out;
    vn_shape kernel;
    vn_nn_conv_opts o;
} conv;

static vn_shape filter_shape(const conv *c)
{
    vn_shape s = c->kernel;
    if (c->kind == DEPTHWISE) s.dim[s.rank++] = c->in;
    else {
        s.dim[s.rank++] = c->kind == TRANSPOSED ? c->in : c->in / c->o.groups;
        s.dim[s.rank++] = c->kind == TRANSPOSED ? c->out / c->o.groups : c->out;
    }
    return s;
}

/* Ones but for the channels: it adds to the result as it is. */
static vn_shape bias_shape(const conv *c)
{
    vn_shape s = {.rank = c->n + 2};
    for (int k = 0; k < s.rank; k++) s.dim[k] = 1;
    s.dim[c->o.channels_first ? 1 : c->n + 1] = c->out;
    return s;
}

static vn_tree *conv_variables(vn_module *m, vn_dtype dtype)
{
    const conv *c = vn_module_self(m);
    int64_t in = c->in / c->o.groups, out = c->out / c->o.groups; /* what one number of the result is made of, and goes into */
    for (int k = 0; k < c->n; k++) in *= c->kernel.dim[k], out *= c->kernel.dim[k];
    vn_array *w = vn_init_make(vn__init_or(c->o.w_init, vn_init_glorot_uniform()), filter_shape(c), in, out, dtype);
    if (c->o.no_bias) return vn_tree_of("w", w, NULL);
    return vn_tree_of("w", w, "b", vn_init_make(vn__init_or(c->o.b_init, vn_init_zeros()), bias_shape(c), in, out, dtype), NULL);
}

static vn_array *conv_forward(vn_module *m, vn_array *x)
{
    const conv *c = vn_module_self(m);
    const vn_nn_conv_opts *o = &c->o;
    if (!vn__layer_input(x, c->n + 2, c->n + 2, o->channels_first, c->in)) return NULL;
    vn_array *w = vn_module_var(m, "w"), *b = o->no_bias ? VN_NONE : vn_reshape(vn_module_var(m, "b"), VN_SHAPE(c->out));
    const int64_t *s = o->strides, *d = o->dilations;
    const char *padding = o->same ? "SAME" : "VALID", *format = vn__side(o->channels_first);
    const vn_shape pads = vn__pads_of(c->n, o->pads);
    switch (c->kind) {
    case DEPTHWISE:
        return vn_depthwise_conv2d(x, w, b,
                                   VN_OPTS(depthwise_conv2d, .strides = {s[0], s[1], s[2]}, .padding = padding, .pads = pads,
                                           .data_format = format, .dilations = {d[0], d[1], d[2]}));
    case TRANSPOSED:
        return vn_conv_general_transpose(x, w, b,
                                         VN_OPTS(conv_general_transpose, .strides = {s[0], s[1], s[2]}, .padding = padding,
                                                 .output_shape = vn__list_of(o->output), .data_format = format,
                                                 .dilations = {d[0], d[1], d[2]}, .groups = o->groups));
    default:
        return vn_conv_general_dilated(x, w, b,
                                       VN_OPTS(conv_general_dilated, .strides = {s[0], s[1], s[2]}, .padding = padding, .pads = pads,
                                               .data_format = format, .dilations = {d[0], d[1], d[2]}, .groups = o->groups));
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

/* Neither the filter nor what one number is made of is too large to count. */
static bool countable(const conv *c)
{
    int64_t n = c->in;
    bool fits = c->kind == DEPTHWISE || !__builtin_mul_overflow(n, c->out, &n);
    for (int k = 0; k < c->n && fits; k++) fits = !__builtin_mul_overflow(n, c->kernel.dim[k], &n);
    return fits;
}

static bool check_channels(const char *who, const conv *c)
{
    const int64_t groups = c->o.groups;
    if (c->in < 1 || c->out < 1) vn__fail(VN_E_ARG, "%s: %lld inputs, %lld outputs", who, (long long)c->in, (long long)c->out);
    else if (groups < 1 || c->in % groups || c->out % groups)
        vn__fail(VN_E_ARG, "%s: %lld groups do not divide %lld inputs and %lld outputs", who, (long long)groups, (long long)c->in,
                 (long long)c->out);
    else if (!countable(c)) vn__fail(VN_E_SHAPE, "%s: the filter is too large", who);
    else return true;
    return false;
}

static bool check_lists(const char *who, const conv *c)
{
    return vn__layer_list(who, "strides", c->o.strides, c->n) && vn__layer_list(who, "dilations", c->o.dilations, c->n) &&
           vn__layer_list(who, "output", c->o.output, c->n) && vn__layer_pads(who, c->o.pads, c->n);
}

/* Options that the other kinds have. */
static bool check_kind(const char *who, const conv *c)
{
    if (c->kind == TRANSPOSED && vn__pads_of(c->n, c->o.pads).rank)
        vn__fail(VN_E_ARG, "%s: pads are for other convolutions; same and output say how long the result is", who);
    else if (c->kind != TRANSPOSED && vn__list_of(c->o.output).rank) vn__fail(VN_E_ARG, "%s: output is for transposed convolutions", who);
    else if (vn__list_of(c->o.output).rank && vn__list_of(c->o.output).rank != c->n)
        vn__fail(VN_E_ARG, "%s: output has a length for %d of %d spatial axes", who, vn__list_of(c->o.output).rank, c->n);
    else return true;
    return false;
}

static vn_module *make_conv(const char *who, conv c, const vn_nn_conv_opts *opts)
{
    vn__take(&c.o, sizeof c.o, opts);
    if (c.kind == DEPTHWISE && c.o.groups)
        return vn__fail(VN_E_ARG, "%s: groups is %lld; every channel is a group", who, (long long)c.o.groups), NULL;
    if (!c.o.groups) c.o.groups = c.kind == DEPTHWISE ? c.in : 1;
    if (!vn__layer_sizes(who, "kernel", &c.kernel, c.n) || !check_lists(who, &c) || !check_channels(who, &c) || !check_kind(who, &c))
        return NULL;
    return vn_module_new(&conv_classes[c.kind][c.n - 1], &c, c.o.module);
}

vn_module *vn_nn_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_conv1d", (conv){.kind = FORWARD, .n = 1, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_conv2d", (conv){.kind = FORWARD, .n = 2, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_conv3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_conv3d", (conv){.kind = FORWARD, .n = 3, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_conv1d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_conv1d_transpose", (conv){.kind = TRANSPOSED, .n = 1, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_conv2d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_conv2d_transpose", (conv){.kind = TRANSPOSED, .n = 2, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_conv3d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_conv3d_transpose", (conv){.kind = TRANSPOSED, .n = 3, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_depthwise_conv2d(int64_t channels, vn_shape kernel, const vn_nn_conv_opts *opts)
{
    return make_conv("nn_depthwise_conv2d", (conv){.kind = DEPTHWISE, .n = 2, .in = channels, .out = channels, .kernel = kernel}, opts);
}
