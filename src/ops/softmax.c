/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.c: softmax, log_softmax and logsumexp: rules, compositions and gradients. The softmax of a row whose largest element is
 * infinite is NaN throughout. */
#include "ops/row.h"

static vn_array *largest(vn_array *x, vn_axes axes)
{
    axes.keep = 1;
    return vn_stop_gradient(vn_max(x, axes));
}

/* ---- along one axis ---- */

/* x minus its largest element along the axis */
static vn_array *shifted(vn_array *x, vn_axes axis)
{
    return vn_size(x) ? vn_sub(x, largest(x, axis)) : x;
}

vn_array *compose_softmax(vn_array *const *in, const vn__infer *i)
{
    vn_axes axis = VN_KEEP(i->options->v[OPT_SOFTMAX_AXIS].u.i);
    vn_array *e = vn_exp(shifted(vn__widen(in[0]), axis));
    return vn__narrow(vn_div(e, vn_sum(e, axis)), i);
}

vn_array *compose_log_softmax(vn_array *const *in, const vn__infer *i)
{
    vn_axes axis = VN_KEEP(i->options->v[OPT_LOG_SOFTMAX_AXIS].u.i);
    vn_array *s = shifted(vn__widen(in[0]), axis);
    return vn__narrow(vn_sub(s, vn_log(vn_sum(vn_exp(s), axis))), i);
}

/* ---- gradients ---- */

/* Kernels handle only the last axis, and not an empty one. */
int shape_softmax_backward(vn__infer *i)
{
    const vn__node *z = i->in[0];
    int code = shape_axis(i);
    i->in_pieces = i->options->v[OPT_SOFTMAX_BACKWARD_AXIS].u.i != z->rank - 1 || z->count == 0;
    return code ? code : vn__rule_like_first(i, 1);
}

static vn_array *elementary(vn_array *z, vn_array *ct, vn_axes axis, bool log)
{
    if (log) return vn_sub(ct, vn_mul(vn_exp(z), vn_sum(ct, axis)));
    return vn_mul(z, vn_sub(ct, vn_sum(vn_mul(ct, z), axis)));
}

vn_array *compose_softmax_backward(vn_array *const *in, const vn__infer *i)
{
    vn_array *z = vn__widen(vn__narrow(in[0], i)), *ct = vn__widen(vn__narrow(in[1], i));
    return vn__narrow(
        elementary(z, ct, VN_KEEP(i->options->v[OPT_SOFTMAX_BACKWARD_AXIS].u.i), i->options->v[OPT_SOFTMAX_BACKWARD_LOG].u.i != 0), i);
}

/* In elementary ops where it will be differentiated again. */
static vn_array *softmax_backward(const vn__vjp_args *a, bool log)
{
    const int64_t axis = a->options[OPT_SOFTMAX_AXIS].u.i;
    if (!vn_with_grads(-1)) return vn__softmax_backward(a->out, a->ct, axis, log);
    return vn__back_to(elementary(vn__widen(a->out), vn__widen(a->ct), VN_KEEP(axis), log), a);
}

vn_array *vjp_softmax(const vn__vjp_args *a, int k)
{
    (void)k;
    return softmax_backward(a, false);
}
vn_array *vjp_log_softmax(const vn__vjp_args *a, int k)
{
    (void)k;
    return softmax_backward(a, true);
}

/* ---- over axes ---- */

/* Kernels handle only adjacent axes, and not empty ones. */
int shape_logsumexp(vn__infer *i)
{
    int code = shape_reduce(i);
    const int n = i->options->v[OPT_LOGSUMEXP_AXES].n;
    const int64_t *axes = i->options->v[OPT_LOGSUMEXP_AXES].is;
    if (code) return code;
    i->in_pieces = n == 0 || axes[n - 1] - axes[0] != n - 1 || i->in[0]->count == 0;
    return VN_OK;
}

vn_array *compose_logsumexp(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    vn_axes axes = vn__axes_of(i, (int)i->options->v[OPT_LOGSUMEXP_KEEPDIMS].u.i);
    if (vn__elements(x, axes) == 0) return vn__narrow(vn_log(vn_sum(x, axes)), i);
    vn_array *m = largest(x, axes);
    m = vn_where(vn_isfinite(m), m, vn_scalar(0)); /* so that differences are defined */
    vn_array *sum = vn_log(vn_sum(vn_exp(vn_sub(x, m)), axes));
    return vn__narrow(vn_add(sum, vn_reshape(m, vn__result_shape(i))), i);
}

/* Each row's softmax, times its cotangent. */
vn_array *vjp_logsumexp(const vn__vjp_args *a, int k)
{
    vn_shape kept = vn_shape_of(a->in[0]);
    (void)k;
    for (int r = 0; r < a->options[OPT_LOGSUMEXP_AXES].n; r++) kept.dim[a->options[OPT_LOGSUMEXP_AXES].u.is[r]] = 1;
    vn_array *z = vn_reshape(vn__widen(a->out), kept), *ct = vn_reshape(vn__widen(a->ct), kept);
    return vn__back_to(vn_mul(ct, vn_exp(vn_sub(vn__widen(a->in[0]), z))), a);
}
