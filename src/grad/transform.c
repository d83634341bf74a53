/* SPDX-License-Identifier: Apache-2.0 */
/* transform.c: derivatives of functions of one array: gradient, vector-Jacobian and Jacobian-vector products, Jacobian, Hessian.
 * All of them are vjps of recorded nodes. */
#include "core/object.h"
#include "core/text.h"
#include "core/state.h"
#include "core/dtype.h"
#include "program/node.h"
#include "core/callback.h"
#include "grad/grad.h"

/* A variable with x's values, and fn's result for it, with gradients on whatever the mode is. */
static vn_array *record(vn_array_fn fn, vn_array *x, void *user, const char *who, vn_array **v)
{
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    if (!vn__check(x, VN__ARRAY, who, "x")) return NULL;
    if (!vn__is(vn_dtype_of(x), VN_INEXACT))
        return vn__fail(VN_E_DTYPE, "%s: x is %s; a float or complex dtype is needed", who, vn_dtype_name(vn_dtype_of(x))), NULL;
    if (vn_set_with_grads(1)) return NULL;
    *v = vn_variable(x);
    vn_array *y = vn__call_fn(fn, *v, user, who);
    vn_unset_with_grads();
    return y;
}

static vn_array *vjp(vn_array *y, vn_array *ct, vn_array *v, bool retain, const char *who)
{
    if (!y || !ct || !v) return NULL;
    vn_array *g = NULL;
    vn__node *wrt = vn__node_of(v);
    return vn__vjp_nodes(vn__node_of(y), ct, 1, &wrt, &g, retain, who) ? NULL : g;
}

static vn_array *scalar_gradient(vn_array *y, vn_array *v, bool retain, const char *who)
{
    if (!y) return NULL;
    vn_array *g = NULL;
    vn__node *wrt = vn__node_of(v);
    return vn__gradients(vn__node_of(y), 1, &wrt, &g, retain, who) ? NULL : g;
}

/* Returns y without history. */
static bool give(vn_array *y, vn_array **out)
{
    if (!out) return true;
    *out = vn_stop_gradient(y);
    return *out && vn_pass(*out);
}

vn_array *vn_grad_of(vn_array_fn fn, vn_array *x, void *user)
{
    VN_SCOPE;
    vn_array *v, *y = record(fn, x, user, "grad_of", &v), *g = y ? scalar_gradient(y, v, false, "grad_of") : NULL;
    return g ? vn_pass(g) : NULL;
}

vn_array *vn_vjp_of(vn_array_fn fn, vn_array *x, vn_array *ct, void *user, vn_array **out)
{
    VN_SCOPE;
    if (out) *out = NULL;
    vn_array *v, *y = record(fn, x, user, "vjp_of", &v);
    if (!y || !vn__is_like(ct, y, "vjp_of", "ct")) return NULL;
    vn_array *g = vjp(y, ct, v, false, "vjp_of");
    return g && give(y, out) ? vn_pass(g) : NULL;
}

/* The vjp is linear in its cotangent u; the vjp of that with respect to u is the jvp. */
vn_array *vn_jvp_of(vn_array_fn fn, vn_array *x, vn_array *tangent, void *user, vn_array **out)
{
    VN_SCOPE;
    if (out) *out = NULL;
    vn_array *v, *y = record(fn, x, user, "jvp_of", &v);
    if (!y || !vn__is_like(tangent, x, "jvp_of", "tangent")) return NULL;
    vn_array *u = vn_variable(vn_broadcast_to(vn__number(y, 0), vn_shape_of(y))), *g = vjp(y, u, v, true, "jvp_of");
    vn_array *t = vjp(g, tangent, u, false, "jvp_of");
    return t && give(y, out) ? vn_pass(t) : NULL;
}

/* One row per element of y. y: n elements, v: m elements */
static vn_array *rows_of(vn_array *y, vn_array *v, const char *who)
{
    int64_t n = vn_size(y), m = vn_size(v);
    if (vn__is(vn_dtype_of(y), VN_COMPLEX))
        return vn__fail(VN_E_DTYPE, "%s: derivatives of %s elements; only real numbers have a row: take vn_real and vn_imag of them", who,
                        vn_dtype_name(vn_dtype_of(y))),
               NULL;
    vn_array *zeros = vn_broadcast_to(vn__number(y, 0), VN_SHAPE(n)), *one = vn_reshape(vn__number(y, 1), VN_SHAPE(1));
    vn_array *rows = vn_broadcast_to(vn__number(v, 0), VN_SHAPE(n, m));
    for (int64_t i = 0; i < n && rows; i++) {
        vn_array *ct = vn_reshape(vn_slice_set(zeros, one, vn__index(y, VN_SHAPE(i))), vn_shape_of(y));
        rows = vn_slice_set(rows, vn_reshape(vjp(y, ct, v, false, who), VN_SHAPE(1, m)), vn__index(v, VN_SHAPE(i, 0)));
    }
    vn_shape s = vn_shape_of(y), t = vn_shape_of(v);
    if (s.rank + t.rank > VN_MAX_RANK)
        return vn__fail(VN_E_SHAPE, "%s: the result would have rank %d, at most %d are allowed", who, s.rank + t.rank, VN_MAX_RANK), NULL;
    for (int k = 0; k < t.rank; k++) s.dim[s.rank++] = t.dim[k];
    return vn_reshape(rows, s);
}

vn_array *vn_jac_of(vn_array_fn fn, vn_array *x, void *user)
{
    VN_SCOPE;
    vn_array *v, *y = record(fn, x, user, "jac_of", &v), *j = y ? rows_of(y, v, "jac_of") : NULL;
    return j ? vn_pass(j) : NULL;
}

vn_array *vn_hessian_of(vn_array_fn fn, vn_array *x, void *user)
{
    VN_SCOPE;
    vn_array *v, *y = record(fn, x, user, "hessian_of", &v), *g = y ? scalar_gradient(y, v, true, "hessian_of") : NULL;
    vn_array *h = g ? rows_of(g, v, "hessian_of") : NULL;
    return h ? vn_pass(h) : NULL;
}
