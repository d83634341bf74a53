/* SPDX-License-Identifier: Apache-2.0 */
/* incomplete.c: gradients of incomplete gamma and beta functions and of zeta. By x they are densities; by a parameter there is no closed
 * form, so they are differences of sixth order of the function itself, in float64. */
#include "ops/row.h"
#include <math.h>

/* The kernel takes arrays of one shape, in float64. */
vn_array *compose_alike(vn_array *const *in, const vn__infer *i)
{
    vn_array *wide[3], *z = NULL;
    bool alike = i->dtype == VN_F64;
    for (int k = 0; k < i->n; k++) {
        const vn_shape s = vn_shape_of(in[k]);
        alike &= s.rank == i->rank && !memcmp(s.dim, i->dims, (size_t)i->rank * sizeof *s.dim);
        wide[k] = vn_broadcast_to(vn_cast(vn_cast(in[k], (vn_dtype)i->dtype), VN_F64), vn__result_shape(i));
        if (!wide[k]) return NULL;
    }
    if (alike) return VN__AS_IS;
    return vn_call(i->op->info.name, wide, i->n, NULL, 0, &z, 1) ? NULL : vn__narrow(z, i);
}

/* ---- differences ---- */

/* The function with parameter k moved by h times a whole number. */
static vn_array *moved(const vn__vjp_args *a, const char *op, int k, vn_array *h, double by)
{
    vn_array *in[3], *z = NULL;
    for (int j = 0; j < a->n; j++) in[j] = vn_cast(a->in[j], VN_F64);
    in[k] = vn_add(in[k], vn__scaled(h, by));
    return vn_call(op, in, a->n, NULL, 0, &z, 1) ? NULL : z;
}

/* The derivative by parameter k; h: a step that is small beside what the function varies over, a constant for further derivatives. */
static vn_array *slope(const vn__vjp_args *a, const char *op, int k, vn_array *h)
{
    static const double factors[] = {45, -9, 1};
    vn_array *sum = NULL;
    h = vn_stop_gradient(h);
    for (int j = 0; j < 3; j++) sum = vn__plus(sum, vn__scaled(vn_sub(moved(a, op, k, h, j + 1), moved(a, op, k, h, -j - 1)), factors[j]));
    return vn_div(sum, vn__scaled(h, 60));
}

/* 0.005 times the smaller of p and its root: these functions vary over p where it is small, over its root where it is large. */
static vn_array *step_of(vn_array *p)
{
    p = vn_cast(p, VN_F64);
    return vn__scaled(vn_minimum(p, vn_sqrt(p)), .005);
}

/* ct times a derivative in float64, for input k */
static vn_array *back(const vn__vjp_args *a, vn_array *derivative, int k)
{
    vn_array *g = vn_mul(vn_cast(a->ct, VN_F64), derivative);
    return vn__sum_to(vn_cast(g, vn_dtype_of(a->in[k])), a->in[k]);
}

/* ---- gamma ---- */

/* exp(-x) x^(a-1) / gamma(a), at x above 0 */
static vn_array *gamma_density(const vn__vjp_args *args)
{
    vn_array *a = vn_cast(args->in[0], VN_F64), *x = vn_cast(args->in[1], VN_F64);
    return vn_exp(vn_sub(vn_sub(vn_xlogy(vn_sub(a, vn_scalar(1)), x), x), vn_lgamma(a)));
}

vn_array *vjp_gammainc(const vn__vjp_args *a, int k)
{
    return back(a, k ? gamma_density(a) : slope(a, "gammainc", 0, step_of(a->in[0])), k);
}
vn_array *vjp_gammaincc(const vn__vjp_args *a, int k)
{
    return back(a, k ? vn_neg(gamma_density(a)) : slope(a, "gammaincc", 0, step_of(a->in[0])), k);
}

/* ---- beta ---- */

/* x^(a-1) (1-x)^(b-1) / B(a, b) */
static vn_array *beta_density(const vn__vjp_args *args)
{
    vn_array *a = vn_cast(args->in[0], VN_F64), *b = vn_cast(args->in[1], VN_F64), *x = vn_cast(args->in[2], VN_F64), *one = vn_scalar(1);
    vn_array *powers = vn_add(vn_xlogy(vn_sub(a, one), x), vn_xlogy(vn_sub(b, one), vn_sub(one, x)));
    return vn_exp(vn_add(powers, vn_sub(vn_lgamma(vn_add(a, b)), vn_add(vn_lgamma(a), vn_lgamma(b)))));
}

vn_array *vjp_betainc(const vn__vjp_args *a, int k)
{
    return back(a, k == 2 ? beta_density(a) : slope(a, "betainc", k, step_of(a->in[k])), k);
}

/* ---- zeta ---- */

vn_array *vjp_zeta(const vn__vjp_args *a, int k)
{
    vn_array *x = vn_cast(a->in[0], VN_F64), *q = vn_cast(a->in[1], VN_F64), *one = vn_scalar(1);
    if (k == 0) return back(a, slope(a, "zeta", 0, vn__scaled(vn_minimum(vn_sub(x, one), one), .005)), 0);
    return back(a, vn_neg(vn_mul(x, vn_zeta(vn_add(x, one), q))), 1);
}
