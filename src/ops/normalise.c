/* SPDX-License-Identifier: Apache-2.0 */
/* normalise.c: mean 0 and variance 1 over axes, groups of channels or with given statistics, times weight, plus bias. Half precision is
 * computed in float32 and rounded once. */
#include "ops/row.h"
#include <math.h>

/* ---- helpers ---- */

/* Input k in the dtype of computation. */
static vn_array *input(vn_array *const *in, const vn__infer *i, int k)
{
    return vn__widen(vn__narrow(in[k], i));
}

/* Checks input k's shape: the sizes of the given axes of x. */
static int check_sizes(vn__infer *i, int k, int n, const int64_t *axes)
{
    const vn__node *x = i->in[0], *w = i->in[k];
    int64_t sizes[VN_MAX_RANK];
    char s[128], t[128];
    if (!w) return VN_OK;
    for (int j = 0; j < n; j++) sizes[j] = vn__node_dims(x)[axes[j]];
    if (w->rank != n || memcmp(vn__node_dims(w), sizes, (size_t)n * sizeof *sizes) != 0)
        FAIL(VN_E_SHAPE, "%s has shape %s, %s is needed (%s)", i->op->info.inputs[k], shape_text(w, s), vn__shape_text(n, sizes, t),
             i->engine);
    return VN_OK;
}

/* Kernels handle only the last axes, and not empty ones. */
static int along_last_axes(vn__infer *i, int first_weight)
{
    int code = shape_normalize(i);
    if (code) return code;
    const int n = i->options->v[OPT_LAYER_NORM_AXES].n, rank = i->in[0]->rank;
    const int64_t *axes = i->options->v[OPT_LAYER_NORM_AXES].is;
    for (int k = first_weight; k < i->n && !code; k++) code = check_sizes(i, k, n, axes);
    i->in_pieces = n == 0 || axes[0] != rank - n || i->in[0]->count == 0;
    return code;
}

int shape_layer_norm(vn__infer *i)
{
    return along_last_axes(i, 1);
}

int shape_layer_norm_backward(vn__infer *i)
{
    int code = vn__rule_like_first(i, 1);
    return code ? code : along_last_axes(i, 2);
}

/* Reshapes w, which has the sizes of these axes, to broadcast to x. */
static vn_array *along(vn_array *w, const vn_array *x, vn_axes axes)
{
    vn_shape s = vn_shape_of(x);
    for (int k = 0; k < s.rank; k++) s.dim[k] = 1;
    for (int k = 0; k < axes.n; k++) s.dim[axes.axis[k]] = vn_dim(x, (int)axes.axis[k]);
    return vn_reshape(w, s);
}

/* z times weight (input k) plus bias (input k + 1), if given. */
static vn_array *affine(vn_array *z, vn_array *const *in, const vn__infer *i, int k, vn_axes axes)
{
    if (k < i->n && in[k] != VN_NONE) z = vn_mul(z, along(input(in, i, k), z, axes));
    if (k + 1 < i->n && in[k + 1] != VN_NONE) z = vn_add(z, along(input(in, i, k + 1), z, axes));
    return z;
}

static vn_array *mean_square(vn_array *x, vn_axes axes)
{
    return vn_div(vn_sum(vn_square(x), axes), vn_scalar(vn__elements(x, axes)));
}

static vn_array *over_root(vn_array *x, vn_array *variance, double epsilon)
{
    return vn_mul(x, vn_rsqrt(vn_add(variance, vn_scalar(epsilon))));
}

static vn_array *standardized(vn_array *x, vn_axes axes, double epsilon)
{
    axes.keep = 1;
    vn_array *centred = vn_sub(x, vn_mean(x, axes));
    return over_root(centred, mean_square(centred, axes), epsilon);
}

vn_array *compose_layer_norm(vn_array *const *in, const vn__infer *i)
{
    vn_axes axes = vn__axes_of(i, 1);
    return vn__narrow(affine(standardized(input(in, i, 0), axes, vn__real(i, OPT_LAYER_NORM_EPSILON)), in, i, 1, axes), i);
}

vn_array *compose_rms_norm(vn_array *const *in, const vn__infer *i)
{
    vn_axes axes = vn__axes_of(i, 1);
    vn_array *x = input(in, i, 0);
    return vn__narrow(affine(over_root(x, mean_square(x, axes), vn__real(i, OPT_RMS_NORM_EPSILON)), in, i, 1, axes), i);
}

/* ---- gradients ---- */

/* The gradient for x, widened: ct times weight, minus its components that would change mean and variance. */
static vn_array *to_x(vn_array *x, vn_array *ct, vn_array *weight, vn_axes axes, double epsilon, bool centred)
{
    axes.keep = 1;
    vn_array *c = centred ? vn_sub(x, vn_mean(x, axes)) : x;
    vn_array *by = vn_rsqrt(vn_add(mean_square(c, axes), vn_scalar(epsilon))), *normal = vn_mul(c, by);
    vn_array *g = weight ? vn_mul(ct, along(weight, x, axes)) : ct;
    vn_array *less = vn_mul(normal, vn_mean(vn_mul(g, normal), axes));
    return vn_mul(by, vn_sub(centred ? vn_sub(g, vn_mean(g, axes)) : g, less));
}

vn_array *compose_layer_norm_backward(vn_array *const *in, const vn__infer *i)
{
    vn_array *weight = i->n > 2 && in[2] != VN_NONE ? input(in, i, 2) : NULL;
    return vn__narrow(to_x(input(in, i, 0), input(in, i, 1), weight, vn__axes_of(i, 1), vn__real(i, OPT_LAYER_NORM_BACKWARD_EPSILON),
                           !i->options->v[OPT_LAYER_NORM_BACKWARD_UNCENTRED].u.i),
                      i);
}

/* Sum over all other axes, in the shape and dtype of w. */
static vn_array *to_weight(vn_array *g, const vn_array *w, vn_axes axes)
{
    vn_axes others = {0, 0, {0}};
    for (int r = 0, k = 0; r < vn_rank(g); r++) {
        if (k < axes.n && axes.axis[k] == r) k++;
        else others.axis[others.n++] = r;
    }
    g = others.n ? vn_sum(g, others) : g;
    return g && vn_dtype_of(g) != vn_dtype_of(w) ? vn_cast(g, vn_dtype_of(w)) : g;
}

static vn_array *norm_backward(const vn__vjp_args *a, int k, bool centred)
{
    vn_axes axes = {a->options[OPT_LAYER_NORM_AXES].n, 0, {0}};
    for (int r = 0; r < axes.n; r++) axes.axis[r] = a->options[OPT_LAYER_NORM_AXES].u.is[r];
    const double epsilon = a->options[OPT_LAYER_NORM_EPSILON].u.f;
    vn_array *x = a->in[0], *weight = a->n > 1 ? a->in[1] : NULL, *ct = vn__widen(a->ct);
    if (k == 2) return to_weight(ct, a->in[2], axes);
    if (k == 1) {
        x = vn__widen(x);
        vn_array *normal = centred ? vn_layer_norm(x, VN_NONE, VN_NONE, axes, epsilon) : vn_rms_norm(x, VN_NONE, axes, epsilon);
        return to_weight(vn_mul(ct, normal), weight, axes);
    }
    if (!vn_with_grads(-1)) return vn__layer_norm_backward(x, a->ct, weight ? weight : VN_NONE, axes, epsilon, !centred);
    vn_array *g = to_x(vn__widen(x), ct, weight ? vn__widen(weight) : NULL, axes, epsilon, centred);
    return g && vn_dtype_of(g) != vn_dtype_of(x) ? vn_cast(g, vn_dtype_of(x)) : g;
}

vn_array *vjp_layer_norm(const vn__vjp_args *a, int k)
{
    return norm_backward(a, k, true);
}
vn_array *vjp_rms_norm(const vn__vjp_args *a, int k)
{
    return norm_backward(a, k, false);
}

/* ---- groups and batches ---- */

/* options: groups, axis, epsilon */
int shape_group_norm(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank < 2) FAIL(VN_E_SHAPE, "x has shape %s, a first axis and channels are needed (%s)", shape_text(x, s), i->engine);
    if (x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has rank %d, %d is the most (%s)", x->rank, VN_MAX_RANK - 1, i->engine);
    int code = vn__rule_axis(i, OPT_GROUP_NORM_AXIS, x->rank);
    if (code) return code;
    int64_t groups = i->options->v[OPT_GROUP_NORM_GROUPS].u.i, axis = i->options->v[OPT_GROUP_NORM_AXIS].u.i;
    if (axis == 0) FAIL(VN_E_ARG, "axis 0 is not normalised and cannot be that of the channels (%s)", i->engine);
    if (groups < 1 || vn__node_dims(x)[axis] % groups)
        FAIL(VN_E_ARG, "%lld groups do not divide the %lld channels of %s (%s)", (long long)groups, (long long)vn__node_dims(x)[axis],
             shape_text(x, s), i->engine);
    for (int k = 1; k < 3 && !code; k++) code = check_sizes(i, k, 1, &axis);
    return code ? code : shape_same(i);
}

/* Splits the channels into two axes, groups and members. */
vn_array *compose_group_norm(vn_array *const *in, const vn__infer *i)
{
    int64_t groups = i->options->v[OPT_GROUP_NORM_GROUPS].u.i, channels = i->options->v[OPT_GROUP_NORM_AXIS].u.i;
    vn_shape whole = vn__result_shape(i), split = whole;
    vn_axes axes = {0, 1, {0}};
    split.rank = whole.rank + 1;
    for (int k = whole.rank; k > channels + 1; k--) split.dim[k] = whole.dim[k - 1];
    split.dim[channels] = groups;
    split.dim[channels + 1] = whole.dim[channels] / groups;
    for (int k = 1; k < split.rank; k++) {
        if (k != channels) axes.axis[axes.n++] = k;
    }
    vn_array *z = vn_reshape(standardized(vn_reshape(input(in, i, 0), split), axes, vn__real(i, OPT_GROUP_NORM_EPSILON)), whole);
    return vn__narrow(affine(z, in, i, 1, VN_AXES(channels)), i);
}

/* options: axis, epsilon */
int shape_batch_norm(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_BATCH_NORM_AXIS, i->in[0]->rank);
    if (code) return code;
    for (int k = 1; k < i->n && !code; k++) code = check_sizes(i, k, 1, &i->options->v[OPT_BATCH_NORM_AXIS].u.i);
    return code ? code : shape_same(i);
}

vn_array *compose_batch_norm(vn_array *const *in, const vn__infer *i)
{
    vn_axes axis = VN_AXES(i->options->v[OPT_BATCH_NORM_AXIS].u.i);
    vn_array *x = input(in, i, 0), *centred = vn_sub(x, along(input(in, i, 1), x, axis));
    return vn__narrow(affine(over_root(centred, along(input(in, i, 2), x, axis), vn__real(i, OPT_BATCH_NORM_EPSILON)), in, i, 3, axis), i);
}
