/* SPDX-License-Identifier: Apache-2.0 */
/* layers_products.c: layers that multiply in other ways than Linear: Bilinear, EinsumDense, ReversibleEmbedding, separable and deformable
 * convolutions. */
#include "nn/layers.h"
#include "core/state.h"
#include "core/dtype.h"
#include <stdio.h>
#include <string.h>

/* ---- Bilinear ---- */

typedef struct {
    int64_t in1, in2, out;
    vn_nn_bilinear_opts o;
} bilinear;

static vn_tree *bilinear_variables(vn_module *m, vn_dtype dtype)
{
    const bilinear *b = vn_module_self(m);
    vn_array *w = vn_init_array(b->o.w_init, VN_SHAPE(b->out, b->in1, b->in2), b->in1 * b->in2, b->out, dtype);
    if (b->o.no_bias) return vn_tree_of("w", w, NULL);
    return vn_tree_of("w", w, "b", vn_init_array(b->o.b_init, VN_SHAPE(b->out), b->in1 * b->in2, b->out, dtype), NULL);
}

static vn_tree *bilinear_forward(vn_module *m, const vn_tree *args)
{
    const bilinear *b = vn_module_self(m);
    vn_array *in[2];
    if (!vn__layer_args(args, (const char *const[]){"x", "y", NULL}, in)) return NULL;
    vn_array *z = vn_bilinear(in[0], in[1] ? in[1] : in[0], vn_module_var(m, "w"), b->o.no_bias ? VN_NONE : vn_module_var(m, "b"));
    return z ? vn_tree_of("y", z, NULL) : NULL;
}
static const vn_module_class bilinear_class = {
    .name = "Bilinear", .self_size = sizeof(bilinear), .create_variables = bilinear_variables, .forward_tree = bilinear_forward};

vn_module *vn_nn_bilinear(int64_t in1, int64_t in2, int64_t out, const vn_nn_bilinear_opts *opts)
{
    bilinear b = {.in1 = in1, .in2 = in2, .out = out};
    int64_t n;
    if (!vn__take_options("nn_bilinear", &vn__struct_nn_linear, &b.o, opts)) return NULL;
    if (in1 < 1 || in2 < 1 || out < 1 || __builtin_mul_overflow(in1, in2, &n) || __builtin_mul_overflow(n, out, &n))
        return vn__fail(VN_E_ARG, "nn_bilinear: in1 is %lld, in2 %lld, out %lld; all must be 1 or more, and their product addressable",
                        (long long)in1, (long long)in2, (long long)out),
               NULL;
    return vn_module_new(&bilinear_class, &b, b.o.module);
}

/* ---- EinsumDense ---- */

enum { LONGEST_EQUATION = 127 };
typedef struct {
    char equation[LONGEST_EQUATION + 1];
    vn_shape shape;
    vn_nn_einsum_dense_opts o;
} einsum_dense;

/* The last axis is what comes out, the others go in. */
static vn_tree *einsum_dense_variables(vn_module *m, vn_dtype dtype)
{
    const einsum_dense *e = vn_module_self(m);
    const int64_t out = e->shape.dim[e->shape.rank - 1];
    int64_t in = 1;
    for (int k = 0; k < e->shape.rank - 1; k++) in *= e->shape.dim[k];
    vn_array *w = vn_init_array(e->o.w_init, e->shape, in, out, dtype);
    if (!e->o.bias.rank) return vn_tree_of("w", w, NULL);
    return vn_tree_of("w", w, "b", vn_init_array(e->o.b_init, e->o.bias, in, out, dtype), NULL);
}

static vn_array *einsum_dense_forward(vn_module *m, vn_array *x)
{
    const einsum_dense *e = vn_module_self(m);
    vn_array *y = vn_einsum(2, (vn_array *[]){x, vn_module_var(m, "w")}, e->equation);
    return y && e->o.bias.rank ? vn_add(y, vn_module_var(m, "b")) : y;
}
static const vn_module_class einsum_dense_class = {
    .name = "EinsumDense", .self_size = sizeof(einsum_dense), .create_variables = einsum_dense_variables, .forward = einsum_dense_forward};

static bool is_addressable(vn_shape s)
{
    int64_t n = 1;
    bool fits = s.rank >= 0 && s.rank <= VN_MAX_RANK;
    for (int k = 0; k < s.rank && fits; k++) fits = s.dim[k] > 0 && !__builtin_mul_overflow(n, s.dim[k], &n);
    return fits;
}

vn_module *vn_nn_einsum_dense(const char *equation, vn_shape shape, const vn_nn_einsum_dense_opts *opts)
{
    static const char who[] = "nn_einsum_dense";
    einsum_dense e = {.shape = shape};
    if (!equation) return vn__fail(VN_E_NULL, "%s: equation is NULL", who), NULL;
    if (!vn__take_options(who, &vn__struct_nn_einsum_dense, &e.o, opts)) return NULL;
    if (strlen(equation) > LONGEST_EQUATION)
        return vn__fail(VN_E_ARG, "%s: an equation of %zu characters; %d are possible", who, strlen(equation), LONGEST_EQUATION), NULL;
    if (shape.rank < 1 || !is_addressable(shape) || !is_addressable(e.o.bias))
        return vn__fail(VN_E_SHAPE, "%s: the shapes of w, of one axis or more, and of the bias need sizes above 0", who), NULL;
    snprintf(e.equation, sizeof e.equation, "%s", equation);
    return vn_module_new(&einsum_dense_class, &e, e.o.module);
}

/* ---- ReversibleEmbedding ---- */

typedef struct {
    int64_t n, size;
    vn_nn_reversible_embedding_opts o;
} reversible;

static vn_tree *reversible_variables(vn_module *m, vn_dtype dtype)
{
    const reversible *e = vn_module_self(m);
    return vn_tree_of("w", vn_init_array(e->o.w_init, VN_SHAPE(e->n, e->size), e->n, e->size, dtype), NULL);
}

static vn_array *reversible_forward(vn_module *m, vn_array *x)
{
    const reversible *e = vn_module_self(m);
    vn_array *w = vn_module_var(m, "w");
    if (vn__is(vn_dtype_of(x), VN_INTS)) return vn_embedding(vn_cast(x, VN_I64), w, VN_OPTS(embedding, .not_from_end = 1));
    if (vn_rank(x) < 1 || vn_dim(x, -1) != e->size)
        return vn__fail(VN_E_SHAPE, "x has no last axis of %lld features, and is not of integers", (long long)e->size), NULL;
    vn_array *logits = vn_linear(x, w, VN_NONE);
    if (!(e->o.soft_cap > 0)) return logits;
    return vn_mul(vn_tanh(vn_div(logits, vn_scalar(e->o.soft_cap))), vn_scalar(e->o.soft_cap));
}
static const vn_module_class reversible_class = {.name = "ReversibleEmbedding",
                                                 .self_size = sizeof(reversible),
                                                 .create_variables = reversible_variables,
                                                 .forward = reversible_forward};

vn_module *vn_nn_reversible_embedding(int64_t n, int64_t size, const vn_nn_reversible_embedding_opts *opts)
{
    reversible e = {.n = n, .size = size};
    if (!vn__take_options("nn_reversible_embedding", &vn__struct_nn_reversible_embedding, &e.o, opts)) return NULL;
    if (n < 1 || size < 1) return vn__fail(VN_E_ARG, "nn_reversible_embedding: n is %lld, size %lld; both must be 1 or more", (long long)n, (long long)size), NULL;
    return vn_module_new(&reversible_class, &e, e.o.module);
}

/* ---- separable convolutions ---- */

typedef struct {
    int n; /* spatial axes */
    int64_t in, out;
    vn_shape kernel;
    vn_nn_separable_conv_opts o;
} separable;

static vn_tree *separable_variables(vn_module *m, vn_dtype dtype)
{
    const separable *s = vn_module_self(m);
    const int64_t between = s->in * s->o.multiplier;
    vn_shape filters = s->kernel;
    int64_t area = 1;
    for (int k = 0; k < s->n; k++) area *= s->kernel.dim[k];
    filters.dim[filters.rank++] = s->in;
    filters.dim[filters.rank++] = s->o.multiplier;
    vn_array *depthwise = vn_init_array(s->o.w_init, filters, area, area * s->o.multiplier, dtype);
    vn_array *pointwise = vn_init_array(s->o.w_init, VN_SHAPE(between, s->out), between, s->out, dtype);
    if (s->o.no_bias) return vn_tree_of("depthwise", depthwise, "pointwise", pointwise, NULL);
    return vn_tree_of("depthwise", depthwise, "pointwise", pointwise, "b",
                      vn_init_array(s->o.b_init, VN_SHAPE(s->out), between, s->out, dtype), NULL);
}

static vn_array *separable_forward(vn_module *m, vn_array *x)
{
    const separable *s = vn_module_self(m);
    if (!vn__layer_input(x, s->n + 2, s->n + 2, s->o.data_format, s->in)) return NULL;
    vn_array *depthwise = vn_module_var(m, "depthwise"), *pointwise = vn_module_var(m, "pointwise");
    vn_array *b = s->o.no_bias ? VN_NONE : vn_module_var(m, "b");
    const vn_separable_conv2d_opts o = {.size = sizeof o,
                                        .strides = {s->o.strides[0], s->o.strides[1]},
                                        .padding = s->o.padding,
                                        .pads = s->o.pads,
                                        .data_format = s->o.data_format,
                                        .dilations = {s->o.dilations[0], s->o.dilations[1]}};
    return s->n == 1 ? vn_separable_conv1d(x, depthwise, pointwise, b, &o) : vn_separable_conv2d(x, depthwise, pointwise, b, &o);
}

static const vn_module_class separable_classes[] = {
    {.name = "SeparableConv1D", .self_size = sizeof(separable), .create_variables = separable_variables, .forward = separable_forward},
    {.name = "SeparableConv2D", .self_size = sizeof(separable), .create_variables = separable_variables, .forward = separable_forward}};

static vn_module *make_separable(const char *who, const vn__struct *type, separable *s, const vn_nn_separable_conv_opts *opts)
{
    int64_t size;
    if (!vn__take_options(who, type, &s->o, opts) || !vn__layer_sizes(who, "kernel", &s->kernel, s->n) ||
        !vn__layer_list(who, "strides", s->o.strides, s->n) || !vn__layer_list(who, "dilations", s->o.dilations, s->n) ||
        !vn__layer_pads(who, s->o.pads, s->n))
        return NULL;
    if (s->in < 1 || s->out < 1)
        return vn__fail(VN_E_ARG, "%s: in is %lld, out %lld; both must be 1 or more", who, (long long)s->in, (long long)s->out), NULL;
    bool fits = !__builtin_mul_overflow(s->in, s->o.multiplier, &size);
    if (fits) fits = !__builtin_mul_overflow(size, s->out, &size);
    for (int k = 0; k < s->n && fits; k++) fits = !__builtin_mul_overflow(size, s->kernel.dim[k], &size);
    if (!fits) return vn__fail(VN_E_SHAPE, "%s: the filters are too large", who), NULL;
    return vn_module_new(&separable_classes[s->n - 1], s, s->o.module);
}

vn_module *vn_nn_separable_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_separable_conv1d_opts *opts)
{
    return make_separable("nn_separable_conv1d", &vn__struct_nn_separable_conv1d,
                          &(separable){.n = 1, .in = in, .out = out, .kernel = kernel}, opts);
}
vn_module *vn_nn_separable_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_separable_conv2d_opts *opts)
{
    return make_separable("nn_separable_conv2d", &vn__struct_nn_separable_conv2d,
                          &(separable){.n = 2, .in = in, .out = out, .kernel = kernel}, opts);
}

/* ---- DeformConv2D ---- */

typedef struct {
    int64_t in, out;
    vn_shape kernel;
    vn_nn_deform_conv2d_opts o;
} deform;

static vn_tree *deform_variables(vn_module *m, vn_dtype dtype)
{
    const deform *d = vn_module_self(m);
    const int64_t h = d->kernel.dim[0], w = d->kernel.dim[1], in = d->in / d->o.groups, out = d->out / d->o.groups;
    vn_array *filters = vn_init_array(d->o.w_init, VN_SHAPE(h, w, in, d->out), h * w * in, h * w * out, dtype);
    if (d->o.no_bias) return vn_tree_of("w", filters, NULL);
    return vn_tree_of("w", filters, "b", vn_init_array(d->o.b_init, VN_SHAPE(d->out), h * w * in, h * w * out, dtype), NULL);
}

static vn_tree *deform_forward(vn_module *m, const vn_tree *args)
{
    const deform *d = vn_module_self(m);
    vn_array *in[3];
    if (!vn__layer_args(args, (const char *const[]){"x", "offset", "mask", NULL}, in)) return NULL;
    vn_array *b = d->o.no_bias ? VN_NONE : vn_module_var(m, "b"), *y;
    if (!in[1] && in[2]) return vn__fail(VN_E_STRUCT, "there is a \"mask\", but no \"offset\" among the arguments"), NULL;
    if (!in[1])
        y = vn_conv2d(in[0], vn_module_var(m, "w"), b,
                      VN_OPTS(conv2d, .strides = {d->o.strides[0], d->o.strides[1]}, .pads = d->o.pads,
                              .dilations = {d->o.dilations[0], d->o.dilations[1]}, .groups = d->o.groups));
    else
        y = vn_deform_conv2d(in[0], in[1], vn_module_var(m, "w"), in[2] ? in[2] : VN_NONE, b,
                             VN_OPTS(deform_conv2d, .strides = {d->o.strides[0], d->o.strides[1]}, .pads = d->o.pads,
                                     .dilations = {d->o.dilations[0], d->o.dilations[1]}, .groups = d->o.groups));
    return y ? vn_tree_of("y", y, NULL) : NULL;
}
static const vn_module_class deform_class = {
    .name = "DeformConv2D", .self_size = sizeof(deform), .create_variables = deform_variables, .forward_tree = deform_forward};

vn_module *vn_nn_deform_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_deform_conv2d_opts *opts)
{
    static const char who[] = "nn_deform_conv2d";
    deform d = {.in = in, .out = out, .kernel = kernel};
    int64_t n;
    if (!vn__take_options(who, &vn__struct_nn_deform_conv2d, &d.o, opts) || !vn__layer_sizes(who, "kernel", &d.kernel, 2) ||
        !vn__layer_list(who, "strides", d.o.strides, 2) || !vn__layer_list(who, "dilations", d.o.dilations, 2) ||
        !vn__layer_pads(who, d.o.pads, 2))
        return NULL;
    if (in < 1 || out < 1 || in % d.o.groups || out % d.o.groups)
        return vn__fail(VN_E_ARG, "%s: in is %lld, out %lld; both must be 1 or more, and multiples of %lld groups", who, (long long)in,
                        (long long)out, (long long)d.o.groups),
               NULL;
    if (__builtin_mul_overflow(in, out, &n) || __builtin_mul_overflow(n, d.kernel.dim[0], &n) ||
        __builtin_mul_overflow(n, d.kernel.dim[1], &n))
        return vn__fail(VN_E_SHAPE, "%s: the filters are too large", who), NULL;
    return vn_module_new(&deform_class, &d, d.o.module);
}
