/* SPDX-License-Identifier: Apache-2.0 */
/* activation.c: compositions of activations and norms, and gradients of those that engines have kernels for. Half precision is computed in
 * float32 and rounded once.
 *
 * Where a function has a kink, the chosen branch of a select determines the derivative. The branch that is not chosen gets harmless
 * inputs, so that no derivative is 0 times infinity. */
#include "ops/row.h"
#include "core/dtype.h"
#include <math.h>

/* ---- helpers ---- */

/* Input k in the dtype the result is computed in. */
static vn_array *input(vn_array *const *in, const vn__infer *i, int k)
{
    vn_dtype dtype = vn__is(i->dtype, VN_HALF) ? VN_F32 : (vn_dtype)i->dtype;
    return vn_dtype_of(in[k]) == dtype ? in[k] : vn_cast(in[k], dtype);
}

/* The input for the branch below 0. */
static vn_array *not_above_0(vn_array *x)
{
    return vn_where(vn__above_0(x), vn_scalar(0), x);
}

static vn_array *within(vn_array *x, double low, double high)
{
    return vn_clip(x, vn_scalar(low), vn_scalar(high));
}

/* Gradients: x and the cotangent, widened from half precision, and the derivative in x's dtype. */
static vn_array *wide_x(const vn__vjp_args *a)
{
    return vn__widen(a->in[0]);
}
static vn_array *times_slope(const vn__vjp_args *a, vn_array *slope)
{
    return vn__back_to(vn_mul(vn__widen(a->ct), slope), a);
}

/* ---- piecewise linear ---- */

/* Compared so that NaN stays NaN. */
vn_array *compose_relu(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_where(vn_less_equal(in[0], vn_scalar(0)), vn_scalar(0), in[0]);
}

/* Uses the output, so that x's buffer can be reused. Where the output is 0 is piecewise constant. */
vn_array *vjp_relu(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn__relu_backward(vn_stop_gradient(a->out), a->ct);
}

vn_array *compose_relu_backward(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_where(vn_less_equal(in[0], vn_scalar(0)), vn_scalar(0), in[1]);
}

vn_array *vjp_relu_backward(const vn__vjp_args *a, int k)
{
    return k ? vn__relu_backward(a->in[0], a->ct) : vn_zeros_like(a->in[0]);
}

vn_array *compose_relu6(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_minimum(vn_relu(in[0]), vn_scalar(6));
}

vn_array *compose_leaky_relu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(vn__above_0(x), x, vn__scaled(x, vn__real(i, OPT_LEAKY_RELU_SLOPE))), i);
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
    return vn__narrow(vn_where(vn__above_0(x), x, vn_mul(x, input(in, i, 1))), i);
}

int shape_hardtanh(vn__infer *i)
{
    if (!(vn__real(i, OPT_HARDTANH_MIN) <= vn__real(i, OPT_HARDTANH_MAX)))
        FAIL(VN_E_ARG, "min %g is not below max %g (%s)", vn__real(i, OPT_HARDTANH_MIN), vn__real(i, OPT_HARDTANH_MAX), i->engine);
    return shape_same(i);
}

vn_array *compose_hardtanh(vn_array *const *in, const vn__infer *i)
{
    return within(in[0], vn__real(i, OPT_HARDTANH_MIN), vn__real(i, OPT_HARDTANH_MAX));
}

/* (x + 3) / 6 in [0, 1]; in this order both ends are exact, also where an engine rounds only once for a product and a sum. */
static vn_array *hardsigmoid(vn_array *x)
{
    return vn__scaled(within(vn_add(x, vn_scalar(3)), 0, 6), 1. / 6);
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

static vn_array *is_within(vn_array *x, double bound)
{
    return vn_less_equal(vn_abs(x), vn_scalar(bound));
}

vn_array *compose_softshrink(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(is_within(x, vn__real(i, OPT_SOFTSHRINK_BOUND)), vn_scalar(0),
                               vn_sub(x, vn__scaled(vn_sign(x), vn__real(i, OPT_SOFTSHRINK_BOUND)))),
                      i);
}

vn_array *compose_hardshrink(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_where(is_within(x, vn__real(i, OPT_HARDSHRINK_BOUND)), vn_scalar(0), x), i);
}

vn_array *compose_threshold(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(
        vn_where(vn_less_equal(x, vn_scalar(vn__real(i, OPT_THRESHOLD_THRESHOLD))), vn_scalar(vn__real(i, OPT_THRESHOLD_VALUE)), x), i);
}

/* ---- exponentials ---- */

#define SELU_ALPHA 1.6732632423543772848
#define SELU_SCALE 1.0507009873554804934

static vn_array *elu(vn_array *x, double alpha, double scale)
{
    return vn_where(vn__above_0(x), vn__scaled(x, scale), vn__scaled(vn_expm1(not_above_0(x)), alpha * scale));
}

vn_array *compose_elu(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(elu(input(in, i, 0), vn__real(i, OPT_ELU_ALPHA), 1), i);
}

vn_array *compose_selu(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(elu(input(in, i, 0), SELU_ALPHA, SELU_SCALE), i);
}

vn_array *vjp_selu(const vn__vjp_args *a, int k)
{
    vn_array *x = wide_x(a), *ct = vn__scaled(vn__widen(a->ct), SELU_SCALE);
    (void)k;
    return vn__back_to(vn_where(vn__above_0(x), ct, vn_mul(ct, vn__scaled(vn_exp(not_above_0(x)), SELU_ALPHA))), a);
}

int shape_celu(vn__infer *i)
{
    if (!(vn__real(i, OPT_CELU_ALPHA) > 0 || vn__real(i, OPT_CELU_ALPHA) < 0))
        FAIL(VN_E_ARG, "alpha is %g, another number than 0 is needed (%s)", vn__real(i, OPT_CELU_ALPHA), i->engine);
    return shape_same(i);
}

vn_array *compose_celu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0), *below = vn_expm1(vn_div(not_above_0(x), vn_scalar(vn__real(i, OPT_CELU_ALPHA))));
    return vn__narrow(vn_where(vn__above_0(x), x, vn__scaled(below, vn__real(i, OPT_CELU_ALPHA))), i);
}

/* gelu is x times a factor, erfc(-x / sqrt(2)) / 2 or (1 + tanh(u)) / 2 = sigmoid(2 u). For large negative x the factor is an exponential
 * of hundreds, so a rounding error in the exponent is multiplied by hundreds. So float32 is computed in float64, and float64 from a
 * multiple of 1 / steps close to x, whose products below are exact, and the remainder of x. */
static vn_array *coarse(vn_array *x, double steps)
{
    return vn__scaled(vn_round(vn__scaled(x, steps)), 1 / steps);
}

/* erfc(-x / sqrt(2)) by a Taylor expansion around t, which has 41 bits: two terms are enough. */
static vn_array *erfc_share(vn_array *x)
{
    const double high = 0x1.6a09e66800000p-1, low = -0x1.8866dee9a09d9p-38; /* sqrt(1/2) */
    vn_array *y = within(x, -40, 40), *head = coarse(y, 256), *s = vn__scaled(y, -M_SQRT1_2);
    vn_array *t = vn_add(s, vn_stop_gradient(vn_sub(coarse(s, 0x1p36), s)));
    vn_array *excess = vn_add(vn_add(vn_add(vn__scaled(head, high), t), vn__scaled(vn_sub(y, head), high)), vn__scaled(y, low));
    vn_array *slope = vn__scaled(vn_exp(vn_neg(vn_square(t))), M_2_SQRTPI);
    return vn_add(vn_erfc(t), vn_mul(slope, vn_stop_gradient(excess)));
}

/* x / (1 + q) or, below 0, x q / (1 + q), with q = exp(-|w|), w = 2 u: computed from head, whose leading part is exact, plus the remainder.
 */
static vn_array *gelu_by_exponential(vn_array *x)
{
    const double a = M_2_SQRTPI * M_SQRT2, b = .044715 * a;
    const double a_high = 0x1.9884533c00000p+0, a_low = 0x1.436508d0fcb3cp-32, b_high = 0x1.2440000000000p-4, b_low = 0x1.3ca9362d2bd27p-18;
    vn_array *y = within(x, -30, 30), *head = coarse(y, 128), *square = vn_square(head), *up = vn__above_0(y);
    vn_array *exact = vn_mul(head, vn_add(vn__scaled(square, b_high), vn_scalar(a_high)));
    vn_array *small = vn_mul(head, vn_add(vn__scaled(square, b_low), vn_scalar(a_low)));
    vn_array *slope = vn_add(vn__scaled(vn_add(vn_mul(y, vn_add(y, head)), square), b), vn_scalar(a));
    vn_array *rest = vn_add(vn_mul(vn_sub(y, head), slope), small), *w = vn_add(exact, rest);
    vn_array *lost = vn_stop_gradient(vn_add(vn_sub(exact, w), rest)), *e = vn_exp(vn_where(up, vn_neg(w), w));
    vn_array *q = vn_add(e, vn_mul(e, vn_where(up, vn_neg(lost), lost)));
    return vn_div(vn_where(up, x, vn_mul(x, q)), vn_add(q, vn_scalar(1)));
}

vn_array *compose_gelu(vn_array *const *in, const vn__infer *i)
{
    const bool approximate = i->options->v[OPT_GELU_APPROXIMATE].u.i != 0;
    if (i->dtype == VN_F64) return approximate ? gelu_by_exponential(in[0]) : vn_mul(vn__scaled(in[0], .5), erfc_share(in[0]));
    vn_array *x = vn_cast(in[0], vn__is(i->dtype, VN_HALF) ? VN_F32 : VN_F64);
    if (!approximate) return vn__narrow(vn_mul(vn__scaled(x, .5), vn_erfc(vn__scaled(x, -M_SQRT1_2))), i);
    vn_array *u = vn_mul(x, vn_add(vn__scaled(vn_square(x), .044715), vn_scalar(1)));
    return vn__narrow(vn_mul(x, vn_sigmoid(vn__scaled(u, M_2_SQRTPI * M_SQRT2))), i);
}

/* The share, plus x times its derivative: the density of the normal distribution, or u' s (1 - s) with s = sigmoid(u). */
/* The factor. Unless it is differentiated again it is y / x, which is cheaper than computing it anew. */
static vn_array *gelu_factor(const vn__vjp_args *a, vn_array *x, vn_array *square, bool approximate)
{
    const double twice = M_2_SQRTPI * M_SQRT2; /* 2 sqrt(2 / pi) */
    if (!vn_with_grads(-1) && !vn__is(vn_dtype_of(a->out), VN_HALF))
        return vn_where(vn_less(square, vn_scalar(1e-30)), vn_scalar(.5), vn_div(a->out, x));
    if (!approximate) return vn__scaled(vn_erfc(vn__scaled(x, -M_SQRT1_2)), .5);
    return vn_sigmoid(vn_mul(x, vn_add(vn__scaled(square, .044715 * twice), vn_scalar(twice))));
}

/* The factor, plus x times its derivative: the density of the normal distribution, or u' s (1 - s) with s = sigmoid(u). */
vn_array *vjp_gelu(const vn__vjp_args *a, int k)
{
    const bool approximate = a->options[OPT_GELU_APPROXIMATE].u.i != 0;
    const double twice = M_2_SQRTPI * M_SQRT2;
    vn_array *x = wide_x(a), *square = vn_square(x), *s = gelu_factor(a, x, square, approximate);
    (void)k;
    if (!approximate) return times_slope(a, vn_add(s, vn_mul(x, vn__scaled(vn_exp(vn__scaled(square, -.5)), .25 * twice))));
    vn_array *u_slope = vn_add(vn__scaled(square, 3 * .044715 * twice), vn_scalar(twice));
    return times_slope(a, vn_add(s, vn_mul(vn_mul(x, u_slope), vn_mul(s, vn_sub(vn_scalar(1), s)))));
}

vn_array *compose_silu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_mul(x, vn_sigmoid(x)), i);
}

vn_array *vjp_silu(const vn__vjp_args *a, int k)
{
    vn_array *x = wide_x(a), *s = vn_sigmoid(x);
    (void)k;
    return times_slope(a, vn_add(s, vn_mul(x, vn_mul(s, vn_sub(vn_scalar(1), s)))));
}

/* Kernels have beta 1. */
int shape_softplus(vn__infer *i)
{
    i->in_pieces = vn__real(i, OPT_SOFTPLUS_BETA) != 1;
    return shape_same(i);
}

/* Both branches equal softplus everywhere, so all derivatives at 0 are right, unlike those of max(x, 0) and |x|. */
vn_array *compose_softplus(vn_array *const *in, const vn__infer *i)
{
    const double beta = vn__real(i, OPT_SOFTPLUS_BETA);
    vn_array *x = vn__widen(in[0]), *up = vn__above_0(x), *size = vn_where(up, vn_neg(x), x);
    if (beta == 1) return vn__narrow(vn_add(vn_where(up, x, vn_scalar(0)), vn_log1p(vn_exp(size))), i);
    vn_array *rest = vn_div(vn_log1p(vn_exp(vn__scaled(size, beta))), vn_scalar(beta));
    return vn__narrow(vn_add(vn_where(up, x, vn_scalar(0)), rest), i);
}

vn_array *vjp_softplus(const vn__vjp_args *a, int k)
{
    const double beta = a->options[OPT_SOFTPLUS_BETA].u.f;
    (void)k;
    return times_slope(a, vn_sigmoid(beta == 1 ? wide_x(a) : vn__scaled(wide_x(a), beta)));
}

vn_array *compose_mish(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_mul(x, vn_tanh(vn_softplus(x, 1))), i);
}

vn_array *vjp_mish(const vn__vjp_args *a, int k)
{
    vn_array *x = wide_x(a), *t = vn_tanh(vn_softplus(x, 1));
    (void)k;
    return times_slope(a, vn_add(t, vn_mul(vn_mul(x, vn_sigmoid(x)), vn_mul(vn_sub(vn_scalar(1), t), vn_add(t, vn_scalar(1))))));
}

vn_array *compose_log_sigmoid(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn_neg(vn_softplus(vn_neg(input(in, i, 0)), 1)), i);
}

vn_array *compose_softsign(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_div(x, vn_add(vn_abs(x), vn_scalar(1))), i);
}

static vn_array *polynomial(vn_array *x, int n, const double *highest_first)
{
    vn_array *z = vn_scalar(highest_first[0]);
    for (int k = 1; k < n; k++) z = vn_add(vn_mul(x, z), vn_scalar(highest_first[k]));
    return z;
}

/* The difference cancels close to 0. There tanh is its continued fraction x / (1 + s / (3 + s / (5 + ...))), s = x^2, to nine levels, to
 * five for float32; x - tanh(x) is then x s p(s) / q(s), without cancellation. Up to 5/4 the error is 1e-17 and 1e-8. */
vn_array *compose_tanhshrink(vn_array *const *in, const vn__infer *i)
{
    static const double p9[] = {1, 1430, 289575, 16081065, 218243025}, q9[] = {1, 1485, 315315, 18918900, 310134825, 654729075};
    static const double p5[] = {1, 189, 3465}, q5[] = {1, 210, 4725, 10395};
    const bool wide = i->dtype == VN_F64;
    vn_array *x = input(in, i, 0), *close = is_within(x, 1.25);
    vn_array *y = vn_where(close, x, vn_scalar(0)), *s = vn_square(y);
    vn_array *fraction = wide ? vn_div(polynomial(s, 5, p9), polynomial(s, 6, q9)) : vn_div(polynomial(s, 3, p5), polynomial(s, 4, q5));
    return vn__narrow(vn_where(close, vn_mul(vn_mul(y, s), fraction), vn_sub(x, vn_tanh(x))), i);
}

vn_array *compose_softmin(vn_array *const *in, const vn__infer *i)
{
    return vn_softmax(vn_neg(in[0]), i->options->v[OPT_SOFTMIN_AXIS].u.i);
}

int shape_glu(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    int code = vn__rule_axis(i, OPT_GLU_AXIS, x->rank);
    if (code) return code;
    int64_t axis = i->options->v[OPT_GLU_AXIS].u.i, size = vn__node_dims(x)[axis];
    if (size % 2) FAIL(VN_E_SHAPE, "axis %lld of %s cannot be split in half (%s)", (long long)axis, shape_text(x, s), i->engine);
    shape_same(i);
    i->dims[axis] = size / 2;
    return VN_OK;
}

vn_array *compose_glu(vn_array *const *in, const vn__infer *i)
{
    vn_shape half = vn__result_shape(i), start = half;
    int64_t axis = i->options->v[OPT_GLU_AXIS].u.i;
    memset(start.dim, 0, sizeof start.dim);
    vn_array *x = input(in, i, 0), *first = vn_slice_at(x, start, half);
    start.dim[axis] = half.dim[axis];
    return vn__narrow(vn_mul(first, vn_sigmoid(vn_slice_at(x, start, half))), i);
}

/* ---- norms ---- */

int shape_norm(vn__infer *i)
{
    double order = vn__real(i, OPT_NORM_ORDER);
    if (isnan(order)) FAIL(VN_E_ARG, "order is NaN (%s)", i->engine);
    return shape_reduce(i);
}

/* The scale to divide by: the largest element (the smallest for a negative order); 1 if that is 0 or infinite. */
static vn_array *measure(vn_array *size, vn_axes axes, bool largest)
{
    axes.keep = 1;
    vn_array *m = vn_stop_gradient(largest ? vn_max(size, axes) : vn_min(size, axes));
    return vn_where(vn_logical_and(vn__above_0(m), vn_isfinite(m)), m, vn_scalar(1));
}

/* x^power for x >= 0; at x = 0 the value is `at_0` and the derivative 0 */
static vn_array *power_of(vn_array *x, double power, double at_0)
{
    vn_array *zero = vn_equal(x, vn_scalar(0)), *safe = vn_where(zero, vn_scalar(1), x);
    vn_array *z = power == 2 ? vn_square(safe) : power == .5 ? vn_sqrt(safe) : vn_pow(safe, vn_scalar(power));
    return vn_where(zero, vn_scalar(at_0), z);
}

/* |x / m|^2, of complex numbers by their parts: the absolute value has no second derivative at 0. */
static vn_array *squares(vn_array *x, vn_array *m)
{
    if (!x || !vn__is(vn_dtype_of(x), VN_COMPLEX)) return vn_square(vn_div(x, m));
    return vn_add(vn_square(vn_div(vn_real(x), m)), vn_square(vn_div(vn_imag(x), m)));
}

/* The norm of |x / m|, times m. */
static vn_array *scaled_norm(vn_array *x, vn_axes axes, double order)
{
    vn_array *size = vn_abs(x), *m = measure(size, axes, order > 0);
    vn_array *powers = order == 2 ? squares(x, m) : power_of(vn_div(size, m), order, order > 0 ? 0 : INFINITY);
    vn_array *root = power_of(vn_sum(powers, axes), 1 / order, 0);
    return vn_mul(root, vn_reshape(m, vn_shape_of(root)));
}

static vn_array *norm(vn_array *x, vn_axes axes, double order)
{
    if (vn__elements(x, axes) == 0) return order < 0 ? vn_add(vn_sum(x, axes), vn_scalar(INFINITY)) : vn_sum(x, axes);
    if (order == 0) return vn_sum(vn_cast(vn_not_equal(x, vn_scalar(0)), vn_dtype_of(x)), axes);
    if (order == 1) return vn_sum(vn_abs(x), axes);
    if (isinf(order)) return order > 0 ? vn_max(vn_abs(x), axes) : vn_min(vn_abs(x), axes);
    return scaled_norm(x, axes, order);
}

vn_array *compose_norm(vn_array *const *in, const vn__infer *i)
{
    const vn_axes axes = vn__axes_of(i, (int)i->options->v[OPT_NORM_KEEPDIMS].u.i);
    const double order = vn__real(i, OPT_NORM_ORDER);
    const bool complex = vn__is(vn_dtype_of(in[0]), VN_COMPLEX), by_parts = order == 2 && vn__elements(in[0], axes) > 0;
    return vn__narrow(norm(!complex ? input(in, i, 0) : by_parts ? in[0] : vn_abs(in[0]), axes, order), i);
}

/* options: axes, epsilon */
int shape_normalize(vn__infer *i)
{
    int code = vn__rule_axes(i, i->in[0]->rank, &i->options->v[OPT_L2_NORMALIZE_AXES].n, i->options->v[OPT_L2_NORMALIZE_AXES].is);
    if (code) return code;
    return shape_same(i);
}

vn_array *compose_l2_normalize(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = input(in, i, 0);
    return vn__narrow(vn_div(x, vn_maximum(norm(x, vn__axes_of(i, 1), 2), vn_scalar(vn__real(i, OPT_L2_NORMALIZE_EPSILON)))), i);
}
