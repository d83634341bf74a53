/* layers_norm.c: layers that normalise. */
#include "nn/layers.h"
#include <math.h>

/* ---- LayerNorm ---- */

typedef struct {
    vn_shape shape;
    vn_nn_layer_norm_opts o;
} layer_norm;

static vn_tree *layer_norm_variables(vn_module *m, vn_dtype dtype)
{
    const layer_norm *l = vn_module_self(m);
    if (l->o.no_affine) return vn_tree_new();
    return vn_tree_of("weight", vn_ones(l->shape, dtype), "bias", vn_zeros(l->shape, dtype), NULL);
}

/* The last axes of x, which must have the layer's shape. */
static bool last_axes(const layer_norm *l, vn_array *x, vn_axes *axes)
{
    vn_shape s = vn_shape_of(x);
    int first = s.rank - l->shape.rank;
    char a[128], b[128];
    *axes = (vn_axes){.n = l->shape.rank, .keep = 1};
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
    vn_array *deviation = vn_sqrt(vn_add(vn_var(x, axes, 0), vn_scalar(l->o.epsilon)));
    vn_array *y = vn_div(vn_sub(x, vn_mean(x, axes)), deviation);
    if (l->o.new_std != 1) y = vn_mul(y, vn_scalar(l->o.new_std));
    return l->o.no_affine ? y : vn_add(vn_mul(y, vn_module_var(m, "weight")), vn_module_var(m, "bias"));
}

static const vn_module_class layer_norm_class = {
    .name = "LayerNorm", .self_size = sizeof(layer_norm), .create_variables = layer_norm_variables, .forward = layer_norm_forward};

vn_module *vn_nn_layer_norm(vn_shape shape, const vn_nn_layer_norm_opts *opts)
{
    layer_norm l = {.shape = shape};
    vn__take(&l.o, sizeof l.o, opts);
    if (l.o.epsilon == 0) l.o.epsilon = 1e-5;
    if (l.o.new_std == 0) l.o.new_std = 1;
    if (shape.rank < 1 || shape.rank > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "nn_layer_norm: a shape of rank %d", shape.rank), NULL;
    if (!(l.o.epsilon > 0) || !isfinite(l.o.epsilon) || !isfinite(l.o.new_std))
        return vn__fail(VN_E_ARG, "nn_layer_norm: epsilon %g, new_std %g", l.o.epsilon, l.o.new_std), NULL;
    return vn_module_new(&layer_norm_class, &l, l.o.module);
}
