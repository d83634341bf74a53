/* model_layers.c: the layer types of model files: one row each with its options and its constructor. The reader (model.c) checks that
 * options have the right kind and that required ones are given. */
#include "nn/model.h"
#include "core/state.h"
#include <string.h>

/* ---- helpers of the constructors ---- */

static int64_t count(const vn__layer *l, int option)
{
    return (int64_t)l->options[option].number;
}

/* The number of channels, the size of the last axis. */
static int64_t channels(const vn__layer *l)
{
    return l->x.rank ? l->x.dim[l->x.rank - 1] : 1;
}

static void take_sizes(int64_t to[static 3], const vn_shape *sizes)
{
    for (int i = 0; i < sizes->rank && i < 3; i++) to[i] = sizes->dim[i];
}

/* ---- modules that only models use ---- */

static vn_array *reshape_forward(vn_module *m, vn_array *x)
{
    const vn_shape *s = vn_module_self(m);
    vn_shape full = {.rank = s->rank + 1};
    full.dim[0] = vn_shape_of(x).dim[0];
    for (int i = 0; i < s->rank; i++) full.dim[i + 1] = s->dim[i];
    return vn_reshape(x, full);
}

static const vn_module_class reshape_class = {.name = "Reshape", .self_size = sizeof(vn_shape), .forward = reshape_forward};

vn_module *vn__model_reshape(vn_shape shape)
{
    return vn_module_new(&reshape_class, &shape, NULL);
}

static vn_array *whole_forward(vn_module *m, vn_array *x)
{
    (void)m;
    return vn_cast(x, VN_I32);
}

static const vn_module_class whole_class = {.name = "Whole", .forward = whole_forward};

static int residual_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *const *inner = vn_module_self(m);
    return vn_module_add(m, "_layers", *inner);
}

static vn_array *residual_forward(vn_module *m, vn_array *x)
{
    vn_array *y = vn_module_run(m, "layers", x);
    if (!y) return NULL;
    vn_shape in = vn_shape_of(x), out = vn_shape_of(y);
    bool same = in.rank == out.rank;
    for (int i = 0; same && i < in.rank; i++) same = in.dim[i] == out.dim[i];
    char from[128], to[128];
    if (!same)
        return vn__fail(VN_E_SHAPE, "its layers make %s of %s; the same shape is needed", vn__shape_text(out.rank, out.dim, to),
                        vn__shape_text(in.rank, in.dim, from)),
               NULL;
    return vn_add(x, y);
}

static const vn_module_class residual_class = {
    .name = "Residual", .self_size = sizeof(vn_module *), .build = residual_build, .forward = residual_forward};

/* ---- constructors: one for each row, or for several similar rows ---- */

static vn_module *make_linear(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    if (l->x.rank < 2) return vn__fail(VN_E_SHAPE, "there is no axis of features"), NULL;
    return vn_nn_linear(channels(l), count(l, 0), VN_OPTS(nn_linear, .no_bias = !count(l, 1)));
}

static vn_module *make_embedding(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return VN_SEQUENTIAL(vn_module_new(&whole_class, NULL, NULL), vn_nn_embedding(count(l, 0), count(l, 1), NULL));
}

/* The word of an option that is `valid` or `same`, as layers have it. */
static const char *padding(const vn__layer *l, int option)
{
    return count(l, option) ? "SAME" : "VALID";
}

/* filters, kernel, stride, padding, dilation, groups, bias. The name has the number of spatial axes. */
static vn_module *make_conv(const vn__layer_type *type, const vn__layer *l)
{
    static vn_module *(*const makers[])(int64_t in, int64_t out, vn_shape kernel,
                                        const vn_nn_conv_opts *opts) = {vn_nn_conv1d, vn_nn_conv2d, vn_nn_conv3d};
    vn_nn_conv_opts o = VN_INIT(nn_conv);
    o.padding = padding(l, 3), o.groups = count(l, 5), o.no_bias = !count(l, 6);
    take_sizes(o.strides, &l->options[2].sizes);
    take_sizes(o.dilations, &l->options[4].sizes);
    return makers[type->name[4] - '1'](channels(l), count(l, 0), l->options[1].sizes, &o);
}

/* filters, kernel, stride, padding, bias */
static vn_module *make_conv_transpose(const vn__layer_type *type, const vn__layer *l)
{
    static vn_module *(*const makers[])(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_transpose_opts *opts) = {
        vn_nn_conv1d_transpose, vn_nn_conv2d_transpose, vn_nn_conv3d_transpose};
    vn_nn_conv_transpose_opts o = VN_INIT(nn_conv_transpose);
    o.padding = padding(l, 3), o.no_bias = !count(l, 4);
    take_sizes(o.strides, &l->options[2].sizes);
    return makers[type->name[4] - '1'](channels(l), count(l, 0), l->options[1].sizes, &o);
}

/* kernel, stride, padding, dilation, bias */
static vn_module *make_depthwise(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    vn_nn_depthwise_conv_opts o = VN_INIT(nn_depthwise_conv);
    o.padding = padding(l, 2), o.no_bias = !count(l, 4);
    take_sizes(o.strides, &l->options[1].sizes);
    take_sizes(o.dilations, &l->options[3].sizes);
    return vn_nn_depthwise_conv2d(channels(l), l->options[0].sizes, &o);
}

/* window, stride, padding */
static vn_module *make_max_pool(const vn__layer_type *type, const vn__layer *l)
{
    static vn_module *(*const makers[])(vn_shape window, const vn_nn_max_pool_opts *opts) = {vn_nn_max_pool1d, vn_nn_max_pool2d,
                                                                                             vn_nn_max_pool3d};
    vn_nn_max_pool_opts o = VN_INIT(nn_max_pool);
    o.padding = padding(l, 2);
    take_sizes(o.strides, &l->options[1].sizes);
    return makers[type->name[8] - '1'](l->options[0].sizes, &o);
}
static vn_module *make_avg_pool(const vn__layer_type *type, const vn__layer *l)
{
    static vn_module *(*const makers[])(vn_shape window, const vn_nn_avg_pool_opts *opts) = {vn_nn_avg_pool1d, vn_nn_avg_pool2d,
                                                                                             vn_nn_avg_pool3d};
    vn_nn_avg_pool_opts o = VN_INIT(nn_avg_pool);
    o.padding = padding(l, 2);
    take_sizes(o.strides, &l->options[1].sizes);
    return makers[type->name[8] - '1'](l->options[0].sizes, &o);
}

static vn_module *make_adaptive_pool(const vn__layer_type *type, const vn__layer *l)
{
    return (strstr(type->name, "avg") ? vn_nn_adaptive_avg_pool : vn_nn_adaptive_max_pool)(l->options[0].sizes, NULL);
}

static vn_module *make_global_pool(const vn__layer_type *type, const vn__layer *l)
{
    (void)l;
    return (strstr(type->name, "avg") ? vn_nn_global_avg_pool : vn_nn_global_max_pool)(NULL);
}

/* A number of the file, where 0 is not a default. */
static double number(const vn__layer *l, int option)
{
    return l->options[option].number != 0 ? l->options[option].number : (double)VN_ZERO;
}

/* epsilon, momentum, affine */
static vn_module *make_batch_norm(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    vn_nn_batch_norm_opts o = {.size = sizeof o, .epsilon = number(l, 0), .momentum = number(l, 1), .no_affine = !count(l, 2)};
    switch (l->x.rank) {
    case 2:
    case 3: return vn_nn_batch_norm1d(channels(l), &o);
    case 4: return vn_nn_batch_norm2d(channels(l), &o);
    case 5: return vn_nn_batch_norm3d(channels(l), &o);
    default: return vn__fail(VN_E_SHAPE, "1 to 4 axes and the batch are needed"), NULL;
    }
}

/* epsilon, affine */
static vn_module *make_layer_norm(const vn__layer_type *type, const vn__layer *l)
{
    vn_nn_layer_norm_opts o = {.size = sizeof o, .epsilon = number(l, 0), .no_affine = !count(l, 1)};
    return (type->name[0] == 'l' ? vn_nn_layer_norm : vn_nn_rms_norm)(VN_SHAPE(channels(l)), &o);
}

/* epsilon, affine, groups */
static vn_module *make_group_norm(const vn__layer_type *type, const vn__layer *l)
{
    vn_nn_norm_opts o = {.size = sizeof o, .epsilon = number(l, 0), .no_affine = !count(l, 1)};
    return type->name[0] == 'g' ? vn_nn_group_norm(count(l, 2), channels(l), &o) : vn_nn_instance_norm(channels(l), &o);
}

static vn_module *make_dropout(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return vn_nn_dropout(l->options[0].number, NULL);
}

static vn_module *make_flatten(const vn__layer_type *type, const vn__layer *l)
{
    (void)type, (void)l;
    return vn_nn_flatten(1, -1);
}

static vn_module *make_reshape(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return vn__model_reshape(l->options[0].sizes);
}

/* units, layers, steps, bias */
static vn_module *make_recurrent(const vn__layer_type *type, const vn__layer *l)
{
    vn_nn_recurrent_opts o = {.size = sizeof o, .layers = count(l, 1), .last_only = (int)count(l, 2), .with_bias = (int)count(l, 3)};
    if (l->x.rank != 3) return vn__fail(VN_E_SHAPE, "examples of (steps, features) are needed"), NULL;
    return (type->name[0] == 'l' ? vn_nn_lstm : vn_nn_gru)(channels(l), count(l, 0), &o);
}

/* heads, head_dim, causal, dropout */
static vn_module *make_attention(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return vn_nn_multi_head_attention(channels(l),
                                      VN_OPTS(nn_multi_head_attention, .heads = count(l, 0) ? count(l, 0) : VN_ZERO,
                                              .head_dim = count(l, 1), .causal = (int)count(l, 2), .dropout = l->options[3].number));
}

static vn_module *make_residual(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return vn_module_new(&residual_class, (void *)&l->options[0].layers, NULL);
}

static vn_module *make_gelu(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return vn_nn_gelu(VN_OPTS(nn_gelu, .approximate = (int)count(l, 0)));
}

static vn_module *make_geglu(const vn__layer_type *type, const vn__layer *l)
{
    (void)type, (void)l;
    return vn_nn_geglu();
}

static vn_module *make_prelu(const vn__layer_type *type, const vn__layer *l)
{
    (void)type;
    return vn_nn_prelu(count(l, 0) ? channels(l) : 1, NULL);
}

/* Ops of the same name, with their numeric options. */
static vn_module *make_activation(const vn__layer_type *type, const vn__layer *l)
{
    vn_option options[VN__LAYER_OPTIONS];
    int n = vn__layer_options(type);
    for (int i = 0; i < n; i++)
        options[i] = (vn_option){.name = type->options[i].name, .kind = VN_OPT_FLOAT, .n = 1, .u = {.f = l->options[i].number}};
    return vn_nn_activation(type->name, options, n);
}

static vn_module *make_softmax(const vn__layer_type *type, const vn__layer *l)
{
    (void)l;
    return vn_nn_activation(type->name, &(vn_option){.name = "axis", .kind = VN_OPT_INT, .n = 1, .u = {.i = -1}}, 1);
}

/* ---- the table ---- */

/* clang-format off */
#define PADDING {"padding", "valid|same", "valid", "`valid`: none; `same`: so that a stride of 1 keeps sizes"}
#define FILTERS {"filters", "count", NULL, "channels of the result"}
#define KERNEL {"kernel", "sizes", NULL, "its size: a number, or one for each spatial axis"}
#define STRIDE {"stride", "sizes", "1", "steps between places: a number, or one for each axis"}
#define DILATION {"dilation", "sizes", "1", "distance of the kernel's points"}
#define BIAS {"bias", "flag", "true", "whether something is added"}
#define EPSILON {"epsilon", "number", "1e-5", "added to the variance"}
#define AFFINE {"affine", "flag", "true", "whether the result has a weight and a bias of its own"}
#define OPTIONS(...) (const vn_layer_option[]){__VA_ARGS__, {0}}

/* Options that several types have. */
static const vn_layer_option conv[] = {
    FILTERS, KERNEL, STRIDE, PADDING, DILATION, {"groups", "count", "1", "groups of channels that do not mix"}, BIAS, {0}};
static const vn_layer_option transpose[] = {FILTERS, KERNEL, STRIDE, PADDING, BIAS, {0}};
static const vn_layer_option pool[] = {
    {"window", "sizes", NULL, "its size: a number, or one for each spatial axis"}, {"stride", "sizes", "window", "steps between windows"}, PADDING, {0}};
static const vn_layer_option size[] = {{"size", "sizes", NULL, "of the result: a number, or one for each spatial axis"}, {0}};
static const vn_layer_option norm[] = {EPSILON, AFFINE, {0}};
static const vn_layer_option recurrent[] = {
    {"units", "count", NULL, "features of the result"}, {"layers", "count", "1", "layers one above the other"},
    {"steps", "all|last", "last", "the result of every step, or of the last one"}, {"bias", "flag", "false", "whether something is added"}, {0}};

static const vn__layer_type types[] = {
    {"linear", "Weighted sums of the last axis.",
     OPTIONS({"units", "count", NULL, "how many sums; `outputs` is possible in every count"}, BIAS), make_linear},
    {"embedding", "A row of a table for every whole number.",
     OPTIONS({"entries", "count", NULL, "rows of the table"}, {"units", "count", NULL, "features of a row"}), make_embedding},
    {"conv1d", "Convolution over one axis, channels last.", conv, make_conv},
    {"conv2d", "Convolution over two axes, channels last.", conv, make_conv},
    {"conv3d", "Convolution over three axes, channels last.", conv, make_conv},
    {"depthwise_conv2d", "Convolution over two axes, each channel for itself.",
     OPTIONS(KERNEL, STRIDE, PADDING, DILATION, BIAS), make_depthwise},
    {"conv1d_transpose", "Transposed convolution over one axis, channels last.", transpose, make_conv_transpose},
    {"conv2d_transpose", "Transposed convolution over two axes, channels last.", transpose, make_conv_transpose},
    {"conv3d_transpose", "Transposed convolution over three axes, channels last.", transpose, make_conv_transpose},
    {"max_pool1d", "The largest number of windows along one axis.", pool, make_max_pool},
    {"max_pool2d", "The largest number of windows along two axes.", pool, make_max_pool},
    {"max_pool3d", "The largest number of windows along three axes.", pool, make_max_pool},
    {"avg_pool1d", "The mean of windows along one axis.", pool, make_avg_pool},
    {"avg_pool2d", "The mean of windows along two axes.", pool, make_avg_pool},
    {"avg_pool3d", "The mean of windows along three axes.", pool, make_avg_pool},
    {"adaptive_avg_pool", "The mean of as many windows as the result is to have.", size, make_adaptive_pool},
    {"adaptive_max_pool", "The largest number of as many windows as the result is to have.", size, make_adaptive_pool},
    {"global_avg_pool", "The mean of each channel.", NULL, make_global_pool},
    {"global_max_pool", "The largest number of each channel.", NULL, make_global_pool},
    {"batch_norm", "Each channel with mean 0 and variance 1 over the batch; running ones when not training.",
     OPTIONS(EPSILON, {"momentum", "number", "0.1", "how far running numbers go towards new ones"}, AFFINE), make_batch_norm},
    {"layer_norm", "The last axis with mean 0 and variance 1.", norm, make_layer_norm},
    {"rms_norm", "The last axis with mean square 1.", norm, make_layer_norm},
    {"group_norm", "Groups of channels with mean 0 and variance 1.",
     OPTIONS(EPSILON, AFFINE, {"groups", "count", NULL, "how many"}), make_group_norm},
    {"instance_norm", "Each channel of each example with mean 0 and variance 1.", norm, make_group_norm},
    {"dropout", "Zeros in random places while training.",
     OPTIONS({"rate", "number", NULL, "the part that becomes zero, from 0 to below 1"}), make_dropout},
    {"flatten", "All axes but the batch as one.", NULL, make_flatten},
    {"reshape", "The same numbers in another shape.", OPTIONS({"shape", "sizes", NULL, "without the batch"}), make_reshape},
    {"residual", "What comes in, plus what layers make of it.",
     OPTIONS({"layers", "layers", NULL, "a list like that of the model"}), make_residual},
    {"lstm", "Long short-term memory over (steps, features).", recurrent, make_recurrent},
    {"gru", "Gated recurrent units over (steps, features).", recurrent, make_recurrent},
    {"attention", "Attention of several heads over (steps, features), of each step to all.",
     OPTIONS({"heads", "count", "8", "how many"}, {"head_dim", "count", "64", "features of a head"},
             {"causal", "flag", "false", "steps see only those before"}, {"dropout", "number", "0", "of the result"}), make_attention},
    {"relu", "x where it is above 0, else 0.", NULL, make_activation},
    {"relu6", "x cut to 0 ... 6.", NULL, make_activation},
    {"leaky_relu", "x where it is above 0, else a part of it.", OPTIONS({"slope", "number", "0.01", "the part"}), make_activation},
    {"prelu", "x where it is above 0, else a part of it that is learned.",
     OPTIONS({"per_channel", "flag", "false", "a part for each channel"}), make_prelu},
    {"elu", "x where it is above 0, else alpha (e^x - 1).", OPTIONS({"alpha", "number", "1", "where it ends for small x"}), make_activation},
    {"selu", "elu with the scale that keeps mean and variance.", NULL, make_activation},
    {"gelu", "x times the normal distribution function of x.", OPTIONS({"approximate", "flag", "false", "by tanh"}), make_gelu},
    {"geglu", "The first half of the last axis times gelu of the second.", NULL, make_geglu},
    {"silu", "x sigmoid(x).", NULL, make_activation},
    {"mish", "x tanh(softplus(x)).", NULL, make_activation},
    {"hardswish", "x relu6(x + 3) / 6.", NULL, make_activation},
    {"tanh", "Hyperbolic tangent.", NULL, make_activation},
    {"sigmoid", "1 / (1 + e^-x).", NULL, make_activation},
    {"softplus", "log(1 + e^x).", NULL, make_activation},
    {"softmax", "Probabilities along the last axis. Losses of classes want the numbers before it.", NULL, make_softmax},
    {"log_softmax", "Logarithms of probabilities along the last axis.", NULL, make_softmax},
};
/* clang-format on */

int vn__layer_types(const vn__layer_type **to)
{
    *to = types;
    return (int)(sizeof types / sizeof *types);
}

int vn__layer_options(const vn__layer_type *type)
{
    int n = 0;
    while (type->options && type->options[n].name) n++;
    return n;
}
