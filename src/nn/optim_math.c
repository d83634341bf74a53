/* SPDX-License-Identifier: Apache-2.0 */
/* optim_math.c: what the rules of optimizers share: first values of state, means that decay, scalars of a step, sums over all parameters. */
#include "nn/optim.h"
#include <math.h>

vn_array *vn__begin_zeros(const vn__moving *m, int i)
{
    return vn_zeros_like(m->w[i]);
}
vn_array *vn__begin_ones(const vn__moving *m, int i)
{
    return vn_ones_like(m->w[i]);
}
vn_array *vn__begin_copy(const vn__moving *m, int i)
{
    return vn_stop_gradient(m->w[i]);
}
vn_array *vn__begin_zero(const vn__moving *m, int i)
{
    (void)i;
    return vn__number_like(m, 0);
}

vn_array *vn__begin_none(const vn__moving *m, int i)
{
    return vn_slice_at(vn_flatten(vn_zeros_like(m->w[i])), VN_SHAPE(0), VN_SHAPE(0));
}

vn_array *vn__number_like(const vn__moving *m, double value)
{
    vn_array *x = vn_from_host(&value, VN_F64, VN_0D);
    return x ? vn_to(x, vn_engine_of(m->w[0])) : NULL;
}

vn_array *vn__blend(double a, vn_array *x, vn_array *y)
{
    return vn_add(vn__scaled(x, a), vn__scaled(y, 1 - a));
}

vn_array *vn__decayed(const vn__moving *m, int slot, int i, double a, vn_array *x)
{
    return m->slot[slot][i] = vn__blend(a, m->slot[slot][i], x);
}

vn_array *vn__step_number(const vn__moving *m)
{
    return m->count ? m->count : vn__number_like(m, m->step);
}

vn_array *vn__first(const vn__moving *m)
{
    return vn_equal(vn__step_number(m), vn_scalar(1));
}

vn_array *vn__by(vn_array *x, vn_array *scalar)
{
    return x && scalar ? vn_mul(x, vn_cast(scalar, vn_dtype_of(x))) : NULL;
}

vn_array *vn__added(vn_array *x, double by)
{
    return by == 0 ? x : vn_add(x, vn_scalar(by));
}

vn_array *vn__unbiased(const vn__moving *m, vn_array *x, double beta, int ahead)
{
    if (!m->count) return vn__scaled(x, 1 / (1 - pow(beta, m->step + ahead)));
    vn_array *power = vn_pow(vn__number_like(m, beta), vn__added(m->count, ahead));
    return vn__by(x, vn_reciprocal(vn_sub(vn_scalar(1), power)));
}

vn_array *vn__dot(int n, vn_array *const *x, vn_array *const *y)
{
    vn_array *sum = NULL;
    for (int i = 0; i < n; i++) {
        vn_array *part = vn_sum(vn_cast(vn_mul(x[i], y[i]), VN_F64), VN_ALL);
        if (!(sum = sum ? vn_add(sum, part) : part)) return NULL;
    }
    return sum;
}

vn_array *vn__norm2(int n, vn_array *const *x)
{
    return vn__dot(n, x, x);
}

vn_array *vn__over_root(vn_array *x, vn_array *squares, double root, double outside)
{
    return vn_div(x, vn__added(vn_sqrt(vn__added(squares, root)), outside));
}
