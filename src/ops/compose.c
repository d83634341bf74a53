/* SPDX-License-Identifier: Apache-2.0 */
/* compose.c: ops written in other ops. A composition sees what the rules decided (normalised options, shape and dtype of the result);
 * it returns the result, NULL with the error set, or VN__AS_IS to record the op itself. */
#include "ops/row.h"
#include <math.h>
#include "core/dtype.h"

vn_array vn__as_is;

/* ---- helpers ---- */

vn_shape vn__result_shape(const vn__infer *i)
{
    return vn__shape(i->dims, (size_t)i->rank);
}

vn_axes vn__axes_of(const vn__infer *i, int keep)
{
    vn_axes a = {i->options->v[OPT_MEAN_AXES].n, keep, {0}};
    memcpy(a.axis, i->options->v[OPT_MEAN_AXES].is, (size_t)a.n * sizeof *a.axis);
    return a;
}

double vn__elements(const vn_array *x, vn_axes axes)
{
    double n = 1;
    for (int k = 0; k < axes.n; k++) n *= (double)vn_dim(x, (int)axes.axis[k]);
    return n;
}

vn_array *vn__widen(vn_array *x)
{
    return x && vn__is(vn_dtype_of(x), VN_HALF) ? vn_cast(x, VN_F32) : x;
}

vn_array *vn__near_1(vn_array *x, double *by)
{
    const double most = x ? vn_item(vn_max(vn_abs(x), VN_ALL)) : 0;
    const int limit = x && vn_dtype_of(x) == VN_F64 ? 1000 : 120; /* the factor is a number of that dtype, and so is its inverse */
    const double factor = most > 0 && isfinite(most) ? ldexp(1, vn__max(-limit, vn__min(limit, -ilogb(most)))) : 1;
    if (by) *by = factor;
    return vn__scaled(x, factor);
}

vn_array *vn__narrow(vn_array *x, const vn__infer *i)
{
    return x && (int)vn_dtype_of(x) != i->dtype ? vn_cast(x, (vn_dtype)i->dtype) : x;
}

vn_array *vn__as_result(vn_array *x, const vn__infer *i, int k)
{
    const int to = k && i->forms[k - 1].dtype ? i->forms[k - 1].dtype : i->dtype;
    return x && (int)vn_dtype_of(x) != to ? vn_cast(x, (vn_dtype)to) : x;
}

static vn_array *truth(vn_array *x)
{
    return vn_dtype_of(x) == VN_BOOL ? x : vn_not_equal(x, vn_scalar(0));
}

/* ---- reductions ---- */

/* Divides instead of multiplying by the inverse, so that the mean of equal numbers is that number if their sum is exact. Complex
 * numbers are divided part by part, so that an infinity or NaN in one part does not affect the other. */
vn_array *compose_mean(vn_array *const *in, const vn__infer *i)
{
    vn_axes axes = vn__axes_of(i, (int)i->options->v[OPT_MEAN_KEEPDIMS].u.i);
    vn_array *total = vn_sum(vn__widen(in[0]), axes), *n = vn_scalar(vn__elements(in[0], axes));
    if (vn__is(i->dtype, VN_COMPLEX)) return vn_complex(vn_div(vn_real(total), n), vn_div(vn_imag(total), n));
    return vn__narrow(vn_div(total, n), i);
}

/* Multiplies pairs until one element is left: only products, so gradients of every order are right, even at zeros.
 * x: (m, n), n a power of two */
static vn_array *product_of_rows(vn_array *x, int64_t m, int64_t n)
{
    for (; n > 1; n /= 2)
        x = vn_mul(vn_slice_at(x, VN_SHAPE(0, 0), VN_SHAPE(m, n / 2)), vn_slice_at(x, VN_SHAPE(0, n / 2), VN_SHAPE(m, n / 2)));
    return x;
}

vn_array *compose_prod(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], vn__is(i->dtype, VN_HALF) ? VN_F32 : (vn_dtype)i->dtype);
    vn_axes reduced = vn__axes_of(i, 0), order = {vn_rank(in[0]), 0, {0}};
    int64_t m = 1, n = 1, full = 1;
    int at = 0;
    for (int a = 0, k = 0; a < order.n; a++) { /* kept axes first */
        bool is_reduced = k < reduced.n && reduced.axis[k] == a;
        k += is_reduced;
        if (is_reduced) n *= vn_dim(in[0], a);
        else m *= vn_dim(in[0], a), order.axis[at++] = a;
    }
    for (int k = 0; k < reduced.n; k++) order.axis[at++] = reduced.axis[k];
    while (full < n) full *= 2;
    x = vn_reshape(vn_permute_dims(x, order), VN_SHAPE(m, n));
    if (full != n && x) { /* padded with ones */
        x = vn_slice_set(vn_broadcast_to(vn__number(x, 1), VN_SHAPE(m, full)), x, vn__index(x, VN_SHAPE(0, 0)));
    }
    return vn__narrow(vn_reshape(product_of_rows(x, m, full), vn__result_shape(i)), i);
}

vn_array *compose_any(vn_array *const *in, const vn__infer *i)
{
    return vn_greater(vn_sum(truth(in[0]), vn__axes_of(i, (int)i->options->v[OPT_ANY_KEEPDIMS].u.i)), vn_scalar(0));
}

vn_array *compose_all(vn_array *const *in, const vn__infer *i)
{
    return vn_equal(vn_sum(vn_logical_not(in[0]), vn__axes_of(i, (int)i->options->v[OPT_ALL_KEEPDIMS].u.i)), vn_scalar(0));
}

static vn_array *variance(vn_array *x, const vn__infer *i)
{
    vn_axes axes = vn__axes_of(i, (int)i->options->v[OPT_VAR_KEEPDIMS].u.i);
    vn_array *d = vn_sub(x, vn_mean(x, vn__axes_of(i, 1)));
    const double n = vn__elements(x, axes) - i->options->v[OPT_VAR_CORRECTION].u.f;
    return vn_div(vn_sum(vn_square(d), axes), vn_scalar(n > 0 ? n : NAN));
}

vn_array *compose_var(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(variance(vn__widen(in[0]), i), i);
}
vn_array *compose_std(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn_sqrt(variance(vn__widen(in[0]), i)), i);
}

/* ---- elementwise ---- */

vn_array *compose_clip(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = i->in[1] ? vn_maximum(in[0], in[1]) : in[0];
    return i->in[2] ? vn_minimum(x, in[2]) : i->in[1] ? x : vn_cast(x, (vn_dtype)i->dtype);
}

vn_array *compose_reciprocal(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_div(vn_scalar(1), in[0]);
}

/* high + log1p(exp(low - high)), in float64 because it cancels near a result of 0. high is a select, not a maximum, whose gradient would be
 * halved at a tie, where the function is smooth. */
vn_array *compose_logaddexp(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], VN_F64), *y = vn_cast(in[1], VN_F64), *above = vn_greater(x, y);
    vn_array *high = vn_where(above, x, y), *low = vn_where(above, y, x), *m = vn_maximum(x, y), *finite = vn_isfinite(m);
    vn_array *d = vn_where(finite, vn_sub(low, high), vn_scalar(0)); /* inf - inf would be NaN */
    return vn__narrow(vn_where(finite, vn_add(high, vn_log1p(vn_exp(d))), m), i);
}

/* Scaled by the larger one, treated as a constant: it cancels in every derivative. The derivative at 0, where there is none, is 0. */
vn_array *compose_hypot(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *y = vn__widen(in[1]), *high = vn_stop_gradient(vn_maximum(vn_abs(x), vn_abs(y)));
    vn_array *infinite = vn_logical_or(vn_isinf(x), vn_isinf(y)),
             *plain = vn_logical_and(vn_isfinite(high), vn_greater(high, vn_scalar(0)));
    vn_array *by = vn_where(plain, high, vn_scalar(1)), *zero = vn_scalar(0);
    vn_array *sum = vn_add(vn_square(vn_div(vn_where(plain, x, zero), by)), vn_square(vn_div(vn_where(plain, y, zero), by)));
    vn_array *length = vn_where(plain, vn_mul(high, vn_sqrt(vn_where(plain, sum, vn_scalar(1)))), high);
    return vn__narrow(vn_where(infinite, vn_scalar(__builtin_inf()), length), i);
}

vn_array *compose_logical_not(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_equal(in[0], vn_scalar(0));
}

vn_array *compose_logical_and(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_where(truth(in[0]), truth(in[1]), vn_scalar(0));
}

vn_array *compose_logical_or(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_where(truth(in[0]), vn_scalar(1), truth(in[1]));
}

vn_array *compose_logical_xor(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_not_equal(truth(in[0]), truth(in[1]));
}

/* ---- shapes ---- */

/* A reshape to the shape that the rule determined. */
vn_array *compose_reshape_like(vn_array *const *in, const vn__infer *i)
{
    return vn_reshape(in[0], vn__result_shape(i));
}

/* Vectors get an axis, which is removed from the result. */
vn_array *compose_matmul(vn_array *const *in, const vn__infer *i)
{
    int rx = vn_rank(in[0]), ry = vn_rank(in[1]);
    if (rx > 1 && ry > 1) return VN__AS_IS;
    vn_array *x = rx > 1 ? in[0] : vn_reshape(in[0], VN_SHAPE(1, vn_dim(in[0], 0)));
    vn_array *y = ry > 1 ? in[1] : vn_reshape(in[1], VN_SHAPE(vn_dim(in[1], 0), 1));
    return vn_reshape(vn_matmul(x, y), vn__result_shape(i));
}

vn_array *compose_variable(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    if (vn__is(vn_dtype_of(in[0]), VN_INEXACT)) return VN__AS_IS;
    return vn_variable(vn_cast(in[0], VN_F32));
}
