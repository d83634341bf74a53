/* SPDX-License-Identifier: Apache-2.0 */
/* layers_norm.c: LayerNorm and RMSNorm, GroupNorm and InstanceNorm, BatchNorm. */
#include "nn/layers.h"
#include "nn/layers_shared.h"
#include "nn/module.h"
#include "core/state.h"
#include "core/dtype.h"
#include <string.h>
#include <math.h>

/* ---- LayerNorm, RMSNorm: over the last axes ---- */

typedef struct {
    bool root_mean_square;
    vn_shape shape;
    vn_nn_layer_norm_opts o;
} layer_norm;

/* A variable or buffer filled with one number. */
static vn_array *filled(double value, vn_shape shape, vn_dtype dtype)
{
    return vn_init_array(vn_init_constant(value), shape, 1, 1, dtype);
}

static vn_tree *layer_norm_variables(vn_module *m, vn_dtype dtype)
{
    const layer_norm *l = vn_module_self(m);
    if (l->o.no_affine) return vn_tree_new(NULL);
    if (l->root_mean_square) return vn_tree_of("weight", filled(1, l->shape, dtype), NULL);
    return vn_tree_of("weight", filled(1, l->shape, dtype), "bias", filled(0, l->shape, dtype), NULL);
}

/* The last axes of x; checks that they have the layer's shape. */
static bool last_axes(const layer_norm *l, vn_array *x, vn_axes *axes)
{
    vn_shape s = vn_shape_of(x);
    int first = s.rank - l->shape.rank;
    char a[128], b[128];
    *axes = (vn_axes){.n = l->shape.rank};
    for (int k = 0; k < l->shape.rank; k++) axes->axis[k] = first + k;
    if (first >= 0 && !memcmp(s.dim + first, l->shape.dim, (size_t)l->shape.rank * sizeof *s.dim)) return true;
    vn__fail(VN_E_SHAPE, "x has shape %s; last axes of %s are needed", vn__shape_text(s.rank, s.dim, a),
             vn__shape_text(l->shape.rank, l->shape.dim, b));
    return false;
}

static vn_array *layer_norm_forward(vn_module *m, vn_array *x)
{
    const layer_norm *l = vn_module_self(m);
    vn_axes axes;
    if (!last_axes(l, x, &axes)) return NULL;
    vn_array *weight = l->o.no_affine ? VN_NONE : vn_module_var(m, "weight");
    if (l->root_mean_square) return vn_rms_norm(x, weight, axes, l->o.epsilon);
    vn_array *bias = l->o.no_affine ? VN_NONE : vn_module_var(m, "bias");
    if (l->o.new_std == 1) return vn_layer_norm(x, weight, bias, axes, l->o.epsilon);
    if (l->o.no_affine) return vn_mul(vn_layer_norm(x, weight, bias, axes, l->o.epsilon), vn_scalar(l->o.new_std));
    return vn_layer_norm(x, vn_mul(weight, vn_scalar(l->o.new_std)), bias, axes, l->o.epsilon);
}

static const vn_module_class layer_norm_class = {
    .name = "LayerNorm", .self_size = sizeof(layer_norm), .create_variables = layer_norm_variables, .forward = layer_norm_forward};
static const vn_module_class rms_norm_class = {
    .name = "RMSNorm", .self_size = sizeof(layer_norm), .create_variables = layer_norm_variables, .forward = layer_norm_forward};

/* Once the options are taken. */
static vn_module *make_layer_norm(const char *who, const vn_module_class *class, layer_norm *l)
{
    if (l->shape.rank < 1 || l->shape.rank > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "%s: a shape of rank %d", who, l->shape.rank), NULL;
    return vn_module_new(class, l, l->o.module);
}

vn_module *vn_nn_layer_norm(vn_shape shape, const vn_nn_layer_norm_opts *opts)
{
    static const char who[] = "nn_layer_norm";
    layer_norm l = {.shape = shape};
    return vn__take_options(who, &vn__struct_nn_layer_norm, &l.o, opts) ? make_layer_norm(who, &layer_norm_class, &l) : NULL;
}
vn_module *vn_nn_rms_norm(vn_shape shape, const vn_nn_rms_norm_opts *opts)
{
    static const char who[] = "nn_rms_norm";
    vn_nn_rms_norm_opts o;
    if (!vn__take_options(who, &vn__struct_nn_rms_norm, &o, opts)) return NULL;
    return make_layer_norm(who, &rms_norm_class,
                           &(layer_norm){.root_mean_square = true,
                                         .shape = shape,
                                         .o = {.epsilon = o.epsilon, .no_affine = o.no_affine, .new_std = 1, .module = o.module}});
}

/* ---- norms with channels ---- */

typedef struct {
    bool batch;             /* has running statistics */
    int min_rank, max_rank; /* axes of x */
    int64_t groups, channels;
    bool first; /* the channels are */
    vn_nn_batch_norm_opts o;
} norm;

static vn_tree *norm_variables(vn_module *m, vn_dtype dtype)
{
    const norm *l = vn_module_self(m);
    if (l->o.no_affine) return vn_tree_new(NULL);
    return vn_tree_of("weight", filled(1, VN_SHAPE(l->channels), dtype), "bias", filled(0, VN_SHAPE(l->channels), dtype), NULL);
}

static vn_array *weight_of(vn_module *m, const char *name)
{
    const norm *l = vn_module_self(m);
    return l->o.no_affine ? VN_NONE : vn_module_var(m, name);
}

static vn_array *group_norm_forward(vn_module *m, vn_array *x)
{
    const norm *l = vn_module_self(m);
    if (!vn__layer_input(x, l->min_rank, l->max_rank, l->o.data_format, l->channels)) return NULL;
    return vn_group_norm(x, weight_of(m, "weight"), weight_of(m, "bias"), l->groups, vn__channels_axis(l->first), l->o.epsilon);
}

static vn_array *instance_norm_forward(vn_module *m, vn_array *x)
{
    const norm *l = vn_module_self(m);
    vn_array *mean, *variance;
    if (!vn__layer_input(x, l->min_rank, l->max_rank, l->o.data_format, l->channels)) return NULL;
    return vn_instance_norm(x, weight_of(m, "weight"), weight_of(m, "bias"), vn__channels_axis(l->first), l->o.epsilon, &mean, &variance);
}

static const vn_module_class group_norm_class = {
    .name = "GroupNorm", .self_size = sizeof(norm), .create_variables = norm_variables, .forward = group_norm_forward};
static const vn_module_class instance_norm_class = {
    .name = "InstanceNorm", .self_size = sizeof(norm), .create_variables = norm_variables, .forward = instance_norm_forward};

/* ---- BatchNorm ---- */

static vn_tree *batch_norm_variables(vn_module *m, vn_dtype dtype)
{
    const norm *l = vn_module_self(m);
    const vn_dtype wide = dtype == VN_F64 ? VN_F64 : VN_F32; /* half precision would lose a tenth of a small change */
    if (!l->o.no_running && (vn_module_add_buffer(m, "running_mean", filled(0, VN_SHAPE(l->channels), wide)) ||
                             vn_module_add_buffer(m, "running_var", filled(1, VN_SHAPE(l->channels), wide))))
        return NULL;
    return norm_variables(m, dtype);
}

/* Moves the buffer towards the new value, by the momentum. */
static int run_on(vn_module *m, const char *buffer, vn_array *to)
{
    const norm *l = vn_module_self(m);
    vn_array *from = vn_module_buffer(m, buffer);
    to = from ? vn_cast(vn_stop_gradient(to), vn_dtype_of(from)) : NULL;
    vn_array *next = vn_add(vn_mul(from, vn_scalar(1 - l->o.momentum)), vn_mul(to, vn_scalar(l->o.momentum)));
    return next ? vn_module_set_buffer(m, buffer, next) : (int)vn_status();
}

/* y, after the running numbers have moved towards those of n numbers for each channel. */
static vn_array *move_running(vn_module *m, vn_array *y, vn_array *mean, vn_array *variance, double n)
{
    const norm *l = vn_module_self(m);
    if (!y || l->o.no_running || !vn_module_training(m)) return y;
    vn_array *unbiased = vn_mul(variance, vn_scalar(n / (n - 1)));
    return run_on(m, "running_mean", mean) || run_on(m, "running_var", unbiased) ? NULL : y;
}

static vn_array *batch_norm_training(vn_module *m, vn_array *x, int64_t n)
{
    const norm *l = vn_module_self(m);
    vn_array *mean, *variance;
    vn_array *y = vn_batch_norm_training(x, weight_of(m, "weight"), weight_of(m, "bias"), vn__channels_axis(l->first), l->o.epsilon, &mean,
                                         &variance);
    return move_running(m, y, mean, variance, (double)n);
}

/* The dtype of a norm of x. */
static vn_dtype result_dtype(vn_array *x, vn_array *weight)
{
    return weight == VN_NONE ? vn_dtype_of(x) : (vn_dtype)vn__promote(vn_dtype_of(x), vn_dtype_of(weight));
}

/* Synchronised: the statistics are those of layers_shared.c, and the rest is as ever. */
static vn_array *batch_norm_shared(vn_module *m, vn_array *x)
{
    const norm *l = vn_module_self(m);
    vn__shared_moments s;
    vn_array *weight = weight_of(m, "weight"), *y = vn__norm_shared(x, l->channels, vn__channels_axis(l->first), l->o.epsilon, &s);
    if (!y) return NULL;
    if (weight != VN_NONE) y = vn_add(vn_mul(y, vn_reshape(weight, s.shape)), vn_reshape(weight_of(m, "bias"), s.shape));
    return move_running(m, vn_cast(y, result_dtype(x, weight)), s.mean, s.variance, s.n);
}

/* With the running statistics, in the dtype used in training. */
static vn_array *batch_norm_running(vn_module *m, vn_array *x)
{
    const norm *l = vn_module_self(m);
    vn_array *weight = weight_of(m, "weight");
    vn_array *y = vn_batch_norm(x, vn_module_buffer(m, "running_mean"), vn_module_buffer(m, "running_var"), weight, weight_of(m, "bias"),
                                vn__channels_axis(l->first), l->o.epsilon);
    return y ? vn_cast(y, result_dtype(x, weight)) : NULL;
}

static vn_array *batch_norm_forward(vn_module *m, vn_array *x)
{
    const norm *l = vn_module_self(m);
    if (!vn__layer_input(x, l->min_rank, l->max_rank, l->o.data_format, l->channels)) return NULL;
    if (!l->o.no_running && !vn_module_training(m)) return batch_norm_running(m, x);
    if (l->o.synchronized && vn_module_training(m) && vn__peek()->sharing) return batch_norm_shared(m, x);
    const vn_shape s = vn_shape_of(x);
    const int64_t n = vn_size(x) / l->channels;
    char text[128];
    if (n < 2)
        return vn__fail(VN_E_SHAPE, "x has shape %s: %lld numbers for each of %lld channels; a variance is of two or more (%s)",
                        vn__shape_text(s.rank, s.dim, text), (long long)n, (long long)l->channels, vn_engine_of(x)),
               NULL;
    return batch_norm_training(m, x, n);
}

#define BATCH_NORM_CLASS(text)                                                                                           \
    {                                                                                                                    \
        .name = text, .self_size = sizeof(norm), .create_variables = batch_norm_variables, .forward = batch_norm_forward \
    }
static const vn_module_class batch_norm_classes[] = {BATCH_NORM_CLASS("BatchNorm1D"), BATCH_NORM_CLASS("BatchNorm2D"),
                                                     BATCH_NORM_CLASS("BatchNorm3D")};

/* ---- constructors ---- */

/* Once the options are taken. */
static vn_module *make_norm(const char *who, const vn_module_class *class, norm *l)
{
    const vn_nn_batch_norm_opts *o = &l->o;
    l->first = vn__channels_first(o->data_format);
    if (l->channels < 1) return vn__fail(VN_E_ARG, "%s: channels is %lld; 1 or more are needed", who, (long long)l->channels), NULL;
    if (l->groups < 1 || l->channels % l->groups)
        return vn__fail(VN_E_ARG, "%s: %lld groups do not divide %lld channels", who, (long long)l->groups, (long long)l->channels), NULL;
    return vn_module_new(class, l, o->module);
}

static vn_module *make_plain_norm(const char *who, const vn_module_class *class, norm l, const vn_nn_norm_opts *opts)
{
    vn_nn_norm_opts o;
    if (!vn__take_options(who, &vn__struct_nn_norm, &o, opts)) return NULL;
    l.o = (vn_nn_batch_norm_opts){.epsilon = o.epsilon, .no_affine = o.no_affine, .data_format = o.data_format, .module = o.module};
    return make_norm(who, class, &l);
}

static vn_module *make_batch_norm(const char *who, int n, int min_rank, int max_rank, int64_t channels, const vn_nn_batch_norm_opts *opts)
{
    static const vn__struct *const structs[] = {&vn__struct_nn_batch_norm1d, &vn__struct_nn_batch_norm2d, &vn__struct_nn_batch_norm3d};
    norm l = {.batch = true, .min_rank = min_rank, .max_rank = max_rank, .groups = 1, .channels = channels};
    vn_module *m = vn__take_options(who, structs[n - 1], &l.o, opts) ? make_norm(who, &batch_norm_classes[n - 1], &l) : NULL;
    if (m) vn__module_of(m)->shares = l.o.synchronized;
    return m;
}

vn_module *vn_nn_group_norm(int64_t groups, int64_t channels, const vn_nn_norm_opts *opts)
{
    return make_plain_norm("nn_group_norm", &group_norm_class,
                           (norm){.min_rank = 2, .max_rank = VN_MAX_RANK, .groups = groups, .channels = channels}, opts);
}
vn_module *vn_nn_instance_norm(int64_t channels, const vn_nn_norm_opts *opts)
{
    return make_plain_norm("nn_instance_norm", &instance_norm_class,
                           (norm){.min_rank = 3, .max_rank = VN_MAX_RANK, .groups = 1, .channels = channels}, opts);
}
vn_module *vn_nn_batch_norm1d(int64_t channels, const vn_nn_batch_norm_opts *opts)
{
    return make_batch_norm("nn_batch_norm1d", 1, 2, 3, channels, opts);
}
vn_module *vn_nn_batch_norm2d(int64_t channels, const vn_nn_batch_norm_opts *opts)
{
    return make_batch_norm("nn_batch_norm2d", 2, 4, 4, channels, opts);
}
vn_module *vn_nn_batch_norm3d(int64_t channels, const vn_nn_batch_norm_opts *opts)
{
    return make_batch_norm("nn_batch_norm3d", 3, 5, 5, channels, opts);
}
