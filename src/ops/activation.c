/* activation.c: activations and normalisation, all in other ops. Halves are computed in float32 and rounded once.
 *
 * Where a function has a kink, the side of a choice decides the derivative; what a side is given where it is not chosen is harmless, so
 * that no derivative is 0 times infinity. */
#include "ops/row.h"
#include <math.h>

/* ---- helpers ---- */

/* Input k in the dtype the result is computed in. */
static vn_array *input(vn_array *const *in, const vn__infer *i, int k)
{
    vn_dtype dtype = vn__is(i->dtype, VN_HALVES) ? VN_F32 : (vn_dtype)i->dtype;
    return vn_dtype_of(in[k]) == dtype ? in[k] : vn_cast(in[k], dtype);
}

static double real(const vn__infer *i, int option)
{
    return i->options->v[option].u.f;
}

static vn_array *above_0(vn_array *x)
{
    return vn_greater(x, vn_scalar(0));
}
/* What the side below 0 of a choice is computed of. */
static vn_array *not_above_0(vn_array *x)
{
    return vn_where(above_0(x), vn_scalar(0), x);
}

static vn_array *scaled(vn_array *x, double by)
{
    return vn_mul(x, vn_scalar(by));
}

static vn_array *within(vn_array *x, double low, double high)
{
    return vn_clip(x, vn_scalar(low), vn_scalar(high));
}

/* ---- pieces of straight lines ---- */

/* Asked so that NaN stays NaN. */
vn_array *compose_relu(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_where(vn_less_equal(in[0], vn_scalar(0)), vn_scalar(0), in[0]);
}

vn_array *compose_relu6(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_minimum(vn_relu(in[0]), vn_scalar(6));
}

vn_array *compose_leaky_relu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(above_0(x), x, scaled(x, real(i, 0))), i);
}

int shape_prelu(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128], t[128];
    int code = shape_broadcast(i);
    if (code) return code;
    if (i->rank != x->rank || memcmp(i->dims, vn__node_dims(x), (size_t)i->rank * sizeof *i->dims) != 0)
        FAIL(VN_E_SHAPE, "weight %s does not broadcast to the shape of x, %s (%s)", shape_text(i->in[1], s), shape_text(x, t), i->engine);
    return VN_OK;
}

vn_array *compose_prelu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(above_0(x), x, vn_mul(x, input(in, i, 1))), i);
}

int shape_hardtanh(vn__infer *i)
{
    if (!(real(i, 0) <= real(i, 1))) FAIL(VN_E_ARG, "min %g is not below max %g (%s)", real(i, 0), real(i, 1), i->engine);
    return shape_same(i);
}

vn_array *compose_hardtanh(vn_array *const *in, const vn__infer *i)
{
    return within(in[0], real(i, 0), real(i, 1));
}

static vn_array *hardsigmoid(vn_array *x)
{
    return within(vn_add(scaled(x, 1. / 6), vn_scalar(.5)), 0, 1);
}

vn_array *compose_hardsigmoid(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(hardsigmoid(input(in, i, 0)), i);
}

vn_array *compose_hardswish(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_mul(x, hardsigmoid(x)), i);
}

int shape_shrink(vn__infer *i)
{
    if (!(real(i, 0) >= 0)) FAIL(VN_E_ARG, "bound %g is below 0 (%s)", real(i, 0), i->engine);
    return shape_same(i);
}

static vn_array *is_within(vn_array *x, double bound)
{
    return vn_less_equal(vn_abs(x), vn_scalar(bound));
}

vn_array *compose_softshrink(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(is_within(x, real(i, 0)), vn_scalar(0), vn_sub(x, scaled(vn_sign(x), real(i, 0)))), i);
}

vn_array *compose_hardshrink(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(is_within(x, real(i, 0)), vn_scalar(0), x), i);
}

vn_array *compose_threshold(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(vn_less_equal(x, vn_scalar(real(i, 0))), vn_scalar(real(i, 1)), x), i);
}

/* ---- exponentials ---- */

static vn_array *elu(vn_array *x, double alpha, double scale)
{
    return vn_where(above_0(x), scaled(x, scale), scaled(vn_expm1(not_above_0(x)), alpha * scale));
}

vn_array *compose_elu(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(elu(input(in, i, 0), real(i, 0), 1), i);
}

vn_array *compose_selu(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(elu(input(in, i, 0), 1.6732632423543772848, 1.0507009873554804934), i);
}

int shape_celu(vn__infer *i)
{
    if (!(real(i, 0) > 0 || real(i, 0) < 0)) FAIL(VN_E_ARG, "alpha is %g, another number than 0 is needed (%s)", real(i, 0), i->engine);
    return shape_same(i);
}

vn_array *compose_celu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0), *below = vn_expm1(vn_div(not_above_0(x), vn_scalar(real(i, 0))));
    return vn__narrow(vn_where(above_0(x), x, scaled(below, real(i, 0))), i);
}

/* x times the share, erfc(-x / sqrt(2)) / 2 or (1 + tanh(u)) / 2 = sigmoid(2 u), in forms that keep their digits far below 0. */
vn_array *compose_gelu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    if (!i->options->v[0].u.i) return vn__narrow(vn_mul(scaled(x, .5), vn_erfc(scaled(x, -M_SQRT1_2))), i);
    vn_array *u = vn_mul(x, vn_add(scaled(vn_square(x), .044715), vn_scalar(1)));
    return vn__narrow(vn_mul(x, vn_sigmoid(scaled(u, M_2_SQRTPI * M_SQRT2))), i);
}

vn_array *compose_silu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_mul(x, vn_sigmoid(x)), i);
}

vn_array *compose_mish(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_mul(x, vn_tanh(vn_softplus(x))), i);
}

vn_array *compose_log_sigmoid(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn_neg(vn_softplus(vn_neg(input(in, i, 0)))), i);
}

vn_array *compose_softsign(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_div(x, vn_add(vn_abs(x), vn_scalar(1))), i);
}

vn_array *compose_tanhshrink(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_sub(x, vn_tanh(x)), i);
}

vn_array *compose_softmin(vn_array *const *in, const vn__infer *i)
{
    return vn_softmax(vn_neg(in[0]), i->options->v[0].u.i);
}

int shape_glu(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    int code = vn__rule_axis(i, 0, x->rank);
    if (code) return code;
    int64_t axis = i->options->v[0].u.i, size = vn__node_dims(x)[axis];
    if (size % 2) FAIL(VN_E_SHAPE, "axis %lld of %s has no halves (%s)", (long long)axis, shape_text(x, s), i->engine);
    shape_same(i);
    i->dims[axis] = size / 2;
    return VN_OK;
}

vn_array *compose_glu(vn_array *const *in, const vn__infer *i)
{
    vn_shape half = vn__result_shape(i), start = half;
    int64_t axis = i->options->v[0].u.i;
    memset(start.dim, 0, sizeof start.dim);
    vn_array *x = input(in, i, 0), *first = vn_slice_at(x, start, half);
    start.dim[axis] = half.dim[axis];
    return vn__narrow(vn_mul(first, vn_sigmoid(vn_slice_at(x, start, half))), i);
}

/* ---- norms ---- */

/* The norm of nothing is 0, but the least of nothing does not exist. */
int shape_norm(vn__infer *i)
{
    double order = real(i, 2);
    if (isnan(order)) FAIL(VN_E_ARG, "order is NaN (%s)", i->engine);
    return order < 0 ? shape_extreme(i) : shape_reduce(i);
}

/* A number of the size of the largest element (of the smallest, for an order below 0) to divide by; 1 where that is 0 or infinite. */
static vn_array *measure(vn_array *size, vn_axes axes, bool largest)
{
    axes.keep = 1;
    vn_array *m = vn_stop_gradient(largest ? vn_max(size, axes) : vn_min(size, axes));
    return vn_where(vn_logical_and(above_0(m), vn_isfinite(m)), m, vn_scalar(1));
}

/* x^power, `at_0` where x is 0 and without a derivative there; x >= 0 */
static vn_array *power_of(vn_array *x, double power, double at_0)
{
    vn_array *zero = vn_equal(x, vn_scalar(0)), *safe = vn_where(zero, vn_scalar(1), x);
    vn_array *z = power == 2 ? vn_square(safe) : power == .5 ? vn_sqrt(safe) : vn_pow(safe, vn_scalar(power));
    return vn_where(zero, vn_scalar(at_0), z);
}

/* The order's mean of |x / m|, times m. */
static vn_array *scaled_norm(vn_array *x, vn_axes axes, double order)
{
    vn_array *size = vn_abs(x), *m = measure(size, axes, order > 0);
    vn_array *ratio = vn_div(order == 2 ? x : size, m);
    vn_array *powers = order == 2 ? vn_square(ratio) : power_of(ratio, order, order > 0 ? 0 : INFINITY);
    vn_array *root = power_of(vn_sum(powers, axes), 1 / order, 0);
    return vn_mul(root, vn_reshape(m, vn_shape_of(root)));
}

static vn_array *norm(vn_array *x, vn_axes axes, double order)
{
    if (vn__elements(x, axes) == 0) return vn_sum(x, axes);
    if (order == 0) return vn_sum(vn_cast(vn_not_equal(x, vn_scalar(0)), vn_dtype_of(x)), axes);
    if (order == 1) return vn_sum(vn_abs(x), axes);
    if (isinf(order)) return order > 0 ? vn_max(vn_abs(x), axes) : vn_min(vn_abs(x), axes);
    return scaled_norm(x, axes, order);
}

vn_array *compose_norm(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(norm(input(in, i, 0), vn__axes_of(i, (int)i->options->v[1].u.i), real(i, 2)), i);
}

/* options: axes, epsilon */
int shape_normalize(vn__infer *i)
{
    int code = vn__rule_axes(i, i->in[0]->rank, &i->options->v[0].n, i->options->v[0].is);
    if (code) return code;
    if (!(real(i, 1) >= 0)) FAIL(VN_E_ARG, "epsilon %g is below 0 (%s)", real(i, 1), i->engine);
    return shape_same(i);
}

vn_array *compose_l2_normalize(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_div(x, vn_maximum(norm(x, vn__axes_of(i, 1), 2), vn_scalar(real(i, 1)))), i);
}

/* ---- mean 0 and variance 1 ---- */

/* What input k must look like: one axis for each of x's that are named, of its size. */
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

int shape_layer_norm(vn__infer *i)
{
    int code = shape_normalize(i);
    for (int k = 1; k < i->n && !code; k++) code = check_sizes(i, k, i->options->v[0].n, i->options->v[0].is);
    return code;
}

/* w, which has the sizes of these axes, in a shape that broadcasts to that of x. */
static vn_array *along(vn_array *w, const vn_array *x, vn_axes axes)
{
    vn_shape s = vn_shape_of(x);
    for (int k = 0; k < s.rank; k++) s.dim[k] = 1;
    for (int k = 0; k < axes.n; k++) s.dim[axes.axis[k]] = vn_dim(x, (int)axes.axis[k]);
    return vn_reshape(w, s);
}

/* z times weight (input k) plus bias (input k + 1), where they are given. */
static vn_array *affine(vn_array *z, vn_array *const *in, const vn__infer *i, int k, vn_axes axes)
{
    if (k < i->n && in[k] != VN_NONE) z = vn_mul(z, along(input(in, i, k), z, axes));
    if (k + 1 < i->n && in[k + 1] != VN_NONE) z = vn_add(z, along(input(in, i, k + 1), z, axes));
    return z;
}

static vn_array *mean_square(vn_array *x, vn_axes axes)
{
    return scaled(vn_sum(vn_square(x), axes), 1 / vn__elements(x, axes));
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
    return vn__narrow(affine(standardized(input(in, i, 0), axes, real(i, 1)), in, i, 1, axes), i);
}

vn_array *compose_rms_norm(vn_array *const *in, const vn__infer *i)
{
    vn_axes axes = vn__axes_of(i, 1);
    vn_array *x = input(in, i, 0);
    return vn__narrow(affine(over_root(x, mean_square(x, axes), real(i, 1)), in, i, 1, axes), i);
}

/* options: groups, axis, epsilon */
int shape_group_norm(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank < 2) FAIL(VN_E_SHAPE, "x has shape %s, a first axis and channels are needed (%s)", shape_text(x, s), i->engine);
    if (x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has rank %d, %d is the most (%s)", x->rank, VN_MAX_RANK - 1, i->engine);
    int code = vn__rule_axis(i, 1, x->rank);
    if (code) return code;
    int64_t groups = i->options->v[0].u.i, axis = i->options->v[1].u.i;
    if (axis == 0) FAIL(VN_E_ARG, "axis 0 is not normalised and cannot be that of the channels (%s)", i->engine);
    if (groups < 1 || vn__node_dims(x)[axis] % groups)
        FAIL(VN_E_ARG, "%lld groups do not divide the %lld channels of %s (%s)", (long long)groups, (long long)vn__node_dims(x)[axis],
             shape_text(x, s), i->engine);
    if (!(real(i, 2) >= 0)) FAIL(VN_E_ARG, "epsilon %g is below 0 (%s)", real(i, 2), i->engine);
    for (int k = 1; k < 3 && !code; k++) code = check_sizes(i, k, 1, &axis);
    return code ? code : shape_same(i);
}

/* The channels become two axes, groups and members. */
vn_array *compose_group_norm(vn_array *const *in, const vn__infer *i)
{
    int64_t groups = i->options->v[0].u.i, channels = i->options->v[1].u.i;
    vn_shape whole = vn__result_shape(i), split = whole;
    vn_axes axes = {0, 1, {0}};
    split.rank = whole.rank + 1;
    for (int k = whole.rank; k > channels + 1; k--) split.dim[k] = whole.dim[k - 1];
    split.dim[channels] = groups;
    split.dim[channels + 1] = whole.dim[channels] / groups;
    for (int k = 1; k < split.rank; k++) {
        if (k != channels) axes.axis[axes.n++] = k;
    }
    vn_array *z = vn_reshape(standardized(vn_reshape(input(in, i, 0), split), axes, real(i, 2)), whole);
    return vn__narrow(affine(z, in, i, 1, VN_AXES(channels)), i);
}

/* options: axis, epsilon */
int shape_batch_norm(vn__infer *i)
{
    int code = vn__rule_axis(i, 0, i->in[0]->rank);
    if (code) return code;
    if (!(real(i, 1) >= 0)) FAIL(VN_E_ARG, "epsilon %g is below 0 (%s)", real(i, 1), i->engine);
    for (int k = 1; k < i->n && !code; k++) code = check_sizes(i, k, 1, &i->options->v[0].u.i);
    return code ? code : shape_same(i);
}

vn_array *compose_batch_norm(vn_array *const *in, const vn__infer *i)
{
    vn_axes axis = VN_AXES(i->options->v[0].u.i);
    vn_array *x = input(in, i, 0), *centred = vn_sub(x, along(input(in, i, 1), x, axis));
    return vn__narrow(affine(over_root(centred, along(input(in, i, 2), x, axis), real(i, 1)), in, i, 3, axis), i);
}
