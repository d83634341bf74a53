/* SPDX-License-Identifier: Apache-2.0 */
/* vjp.c: gradients, written in public ops, so that gradients of gradients work. Those of UNARY and BINARY rows are the expressions in
 * the table; longer ones are functions vjp_<name> here. Each returns the gradient for input k. */
#include "ops/row.h"
#include "core/dtype.h"
#include "program/node.h"
#include <math.h>

vn_array *vn__sum_to(vn_array *g, const vn_array *like)
{
    if (!g) return NULL;
    const vn__node *from = vn__node_of(g), *to = vn__node_of(like);
    const int extra = from->rank - to->rank;
    int64_t axes[VN_MAX_RANK];
    size_t n = 0;
    for (int k = 0; k < from->rank; k++) {
        if (k < extra || (vn__node_dims(to)[k - extra] == 1 && vn__node_dims(from)[k] != 1)) axes[n++] = k;
    }
    if (!n && !extra) return g;
    return vn_reshape(n ? vn_sum(g, vn__axes(axes, n, 0)) : g, vn_shape_of(like));
}

/* ---- helpers for the expressions in the table ---- */

#define FLAT(x) vn_zeros_like(x)

/* The share of the gradient of max(x, y) that goes to x: 1, 0, or half at a tie. */
static vn_array *share(vn_array *x, vn_array *y)
{
    vn_dtype d = vn_dtype_of(x);
    return vn_add(vn_cast(vn_greater(x, y), d), vn_mul(vn_cast(vn_equal(x, y), d), vn_scalar(.5)));
}

static vn_array *squares(vn_array *x, vn_array *y)
{
    return vn_add(vn_square(x), vn_square(y));
}
static vn_array *one_minus_square(vn_array *x)
{
    return vn_mul(vn_sub(vn_scalar(1), x), vn_add(x, vn_scalar(1)));
}

/* sqrt(x^2 - 1), on the side of the branch cut where acosh is */
static vn_array *root_of_square_less_1(vn_array *x)
{
    if (!vn__is(vn_dtype_of(x), VN_COMPLEX)) return vn_sqrt(vn_sub(vn_square(x), vn_scalar(1)));
    return vn_mul(vn_sqrt(vn_sub(x, vn_scalar(1))), vn_sqrt(vn_add(x, vn_scalar(1))));
}

/* y x^(y-1), and 0 where y is 0, also at x = 0 */
static vn_array *pow_by_base(vn_array *x, vn_array *y, vn_array *ct)
{
    vn_array *constant = vn_equal(y, vn_scalar(0)), *less = vn_where(constant, vn_scalar(1), vn_sub(y, vn_scalar(1)));
    return vn_where(constant, vn_scalar(0), vn_mul(ct, vn_mul(y, vn_pow(x, less))));
}

/* x^y log(x), and 0 where a real base is not positive or a complex base is 0 */
static vn_array *pow_by_exponent(vn_array *x, vn_array *z, vn_array *ct)
{
    bool complex = vn__is(vn_dtype_of(x), VN_COMPLEX);
    vn_array *positive = complex ? vn_not_equal(x, vn_scalar(0)) : vn_greater(x, vn_scalar(0)), *safe = vn_where(positive, x, vn_scalar(1));
    return vn_where(positive, vn_mul(ct, vn_mul(z, vn_log(safe))), vn_scalar(0));
}

/* The gradient of f with respect to a complex number is ct conj(f') = conj(conj(ct) f'): the expression for real numbers between two
 * conjugates. */
#define UNARY(name, dtypes, gradient, ...)                               \
    vn_array *vjp_##name(const vn__vjp_args *a, int k)                   \
    {                                                                    \
        vn_array *x = a->in[0], *z = a->out, *ct = vn__conjugate(a->ct); \
        (void)x, (void)z, (void)ct, (void)k;                             \
        return vn__conjugate(gradient);                                  \
    }
#define BINARY(name, dtypes, gx, gy, ...)                                               \
    vn_array *vjp_##name(const vn__vjp_args *a, int k)                                  \
    {                                                                                   \
        vn_array *x = a->in[0], *y = a->in[1], *z = a->out, *ct = vn__conjugate(a->ct); \
        (void)x, (void)y, (void)z, (void)ct;                                            \
        return vn__sum_to(vn__conjugate(k ? (gy) : (gx)), a->in[k]);                    \
    }
#define SECTION(...)
#define OPTIONS(...)
#define TEST(...)
#define COMPARE(...)
#define OP(...)
#include "ops/ops.def"
#undef SECTION
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE
#undef OP

/* x: (..., n, k), y: (..., k, m) */
vn_array *vjp_matmul(const vn__vjp_args *a, int k)
{
    vn_array *other = vn__conjugate(vn__transpose(a->in[1 - k]));
    return vn__sum_to(k ? vn_matmul(other, a->ct) : vn_matmul(a->ct, other), a->in[k]);
}

vn_array *vjp_sum(const vn__vjp_args *a, int k)
{
    vn_shape full = vn_shape_of(a->in[k]), kept = full;
    for (int j = 0; j < a->options[OPT_SUM_AXES].n; j++) kept.dim[a->options[OPT_SUM_AXES].u.is[j]] = 1;
    return vn_broadcast_to(vn_reshape(a->ct, kept), full);
}

/* The gradient of a maximum is shared equally by the elements that attain it. */
vn_array *vjp_extreme(const vn__vjp_args *a, int k)
{
    vn_array *x = a->in[k];
    vn_shape kept = vn_shape_of(x);
    vn_axes axes = {a->options[OPT_MAX_AXES].n, 1, {0}};
    for (int j = 0; j < axes.n; j++) kept.dim[axes.axis[j] = a->options[OPT_MAX_AXES].u.is[j]] = 1;
    vn_array *reached = vn_cast(vn_equal(x, vn_reshape(a->out, kept)), vn_dtype_of(x));
    return vn_mul(reached, vn_div(vn_reshape(a->ct, kept), vn_sum(reached, axes)));
}

vn_array *vjp_cumulative_sum(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn_cumulative_sum(a->ct, a->options[OPT_CUMULATIVE_SUM_AXIS].u.i,
                             VN_OPTS(cumulative_sum, .reverse = !a->options[OPT_CUMULATIVE_SUM_REVERSE].u.i));
}

vn_array *vjp_where(const vn__vjp_args *a, int k)
{
    vn_array *zero = vn_scalar(0);
    return vn__sum_to(k == 1 ? vn_where(a->in[0], a->ct, zero) : vn_where(a->in[0], zero, a->ct), a->in[k]);
}

vn_array *vjp_flip(const vn__vjp_args *a, int k)
{
    (void)k;
    vn_axes axes = {a->options[OPT_FLIP_AXES].n, 0, {0}};
    for (int j = 0; j < axes.n; j++) axes.axis[j] = a->options[OPT_FLIP_AXES].u.is[j];
    return vn_flip(a->ct, axes);
}

vn_array *vjp_reshape(const vn__vjp_args *a, int k)
{
    return vn_reshape(a->ct, vn_shape_of(a->in[k]));
}

vn_array *vjp_broadcast_to(const vn__vjp_args *a, int k)
{
    return vn__sum_to(a->ct, a->in[k]);
}

/* The factors of a product that is not computed yet, or false. */
static bool pending_product(vn_array *z, vn_array **x, vn_array **y)
{
    vn__node *n = z ? vn__node_of(z) : NULL;
    if (!n || vn__node_state_of(n) != VN__PENDING || n->op != vn__op_matmul) return false;
    vn_array **factors[] = {x, y};
    for (int k = 0; k < 2; k++) {
        vn__node_retain(vn__node_in(n)[k]);
        if (!(*factors[k] = vn__handle(vn__node_in(n)[k], "matmul"))) return false;
    }
    return vn_shape_of(*x).rank >= 2 && vn_shape_of(*y).rank >= 2;
}

/* The gradient of a weight that is used transposed, as in vn_linear, is a matrix product: swapping its factors gives it already
 * transposed, so no engine has to transpose it in memory. */
vn_array *vjp_permute_dims(const vn__vjp_args *a, int k)
{
    (void)k;
    vn_array *x, *y;
    vn_axes back = {a->options[OPT_PERMUTE_DIMS_AXES].n, 0, {0}};
    for (int j = 0; j < back.n; j++) back.axis[a->options[OPT_PERMUTE_DIMS_AXES].u.is[j]] = j;
    if (vn__is_transpose(back.axis, back.n) && pending_product(a->ct, &x, &y)) return vn_matmul(vn__transpose(y), vn__transpose(x));
    return vn_permute_dims(a->ct, back);
}

vn_array *vjp_slice(const vn__vjp_args *a, int k)
{
    return vn_slice_set(vn_zeros_like(a->in[k]), a->ct, a->in[1]);
}

vn_array *vjp_slice_set(const vn__vjp_args *a, int k)
{
    if (k) return vn_slice(a->ct, a->in[2], vn_shape_of(a->in[1]));
    return vn_slice_set(a->ct, vn_zeros_like(a->in[1]), a->in[2]);
}

vn_array *vjp_cast(const vn__vjp_args *a, int k)
{
    vn_dtype to = vn_dtype_of(a->in[k]);
    bool flat = vn__is(vn_dtype_of(a->ct), VN_COMPLEX) && !vn__is(to, VN_COMPLEX); /* a real number varies only along the real axis */
    return vn_cast(flat ? vn_real(a->ct) : a->ct, to);
}

vn_array *vjp_to(const vn__vjp_args *a, int k)
{
    return vn_to(a->ct, vn_engine_of(a->in[k]));
}
