/* vjp.c: gradients, in public ops, so that gradients of gradients work. Those of UNARY and BINARY rows are the expressions of
 * ops.def; longer ones stand here as vjp_<name>. Each returns the gradient for input k. */
#include "ops/vjp.h"

/* Sums g back to the shape it was broadcast from. */
static vn_array *sum_to(vn_array *g, const vn_array *like)
{
    if (!g) return NULL;
    vn_shape from = vn_shape_of(g), to = vn_shape_of(like);
    int extra = from.rank - to.rank;
    vn_axes axes = {0, 0, {0}};
    for (int k = 0; k < from.rank; k++) {
        if (k < extra || (to.dim[k - extra] == 1 && from.dim[k] != 1)) axes.axis[axes.n++] = k;
    }
    if (!axes.n && !extra) return g;
    return vn_reshape(axes.n ? vn_sum(g, axes) : g, to);
}

static vn_array *zeros_like(const vn_array *x)
{
    vn__node *n = vn__node_of(x), *z = vn__leaf_number(n->engine, n->dtype, 0, "zeros");
    vn_array *h = z ? vn__handle(z, "zeros") : NULL;
    return h ? vn_broadcast_to(h, vn_shape_of(x)) : NULL;
}

#define UNARY(name, dtypes, gradient, doc)                                                                             \
    vn_array *vjp_##name(const vn__vjp_args *a, int k)                                                                 \
    {                                                                                                                  \
        vn_array *x = a->in[0], *z = a->out, *ct = a->ct;                                                              \
        (void)x, (void)z, (void)k;                                                                                     \
        return gradient;                                                                                               \
    }
#define BINARY(name, dtypes, gx, gy, doc)                                                                              \
    vn_array *vjp_##name(const vn__vjp_args *a, int k)                                                                 \
    {                                                                                                                  \
        vn_array *x = a->in[0], *y = a->in[1], *z = a->out, *ct = a->ct;                                               \
        (void)x, (void)y, (void)z;                                                                                     \
        return sum_to(k ? (gy) : (gx), a->in[k]);                                                                      \
    }
#define OP(...)
#include "ops/ops.def"
#undef UNARY
#undef BINARY
#undef OP

static vn_array *transpose(vn_array *x)
{
    vn_axes order = {vn_rank(x), 0, {0}};
    for (int k = 0; k < order.n; k++) order.axis[k] = k;
    if (order.n >= 2) {
        order.axis[order.n - 2] = order.n - 1;
        order.axis[order.n - 1] = order.n - 2;
    }
    return vn_permute_dims(x, order);
}

/* x: (..., n, k), y: (..., k, m) */
vn_array *vjp_matmul(const vn__vjp_args *a, int k)
{
    return sum_to(k ? vn_matmul(transpose(a->in[0]), a->ct) : vn_matmul(a->ct, transpose(a->in[1])), a->in[k]);
}

vn_array *vjp_sum(const vn__vjp_args *a, int k)
{
    vn_shape full = vn_shape_of(a->in[k]), kept = full;
    for (int j = 0; j < a->options[0].n; j++) kept.dim[a->options[0].u.is[j]] = 1;
    return vn_broadcast_to(vn_reshape(a->ct, kept), full);
}

vn_array *vjp_reshape(const vn__vjp_args *a, int k)
{
    return vn_reshape(a->ct, vn_shape_of(a->in[k]));
}

vn_array *vjp_broadcast_to(const vn__vjp_args *a, int k)
{
    return sum_to(a->ct, a->in[k]);
}

vn_array *vjp_permute_dims(const vn__vjp_args *a, int k)
{
    (void)k;
    vn_axes back = {a->options[0].n, 0, {0}};
    for (int j = 0; j < back.n; j++) back.axis[a->options[0].u.is[j]] = j;
    return vn_permute_dims(a->ct, back);
}

vn_array *vjp_slice(const vn__vjp_args *a, int k)
{
    return vn_slice_set(zeros_like(a->in[k]), a->ct, a->in[1]);
}

vn_array *vjp_slice_set(const vn__vjp_args *a, int k)
{
    if (k) return vn_slice(a->ct, a->in[2], vn_shape_of(a->in[1]));
    return vn_slice_set(a->ct, zeros_like(a->in[1]), a->in[2]);
}

vn_array *vjp_cast(const vn__vjp_args *a, int k)
{
    return vn_cast(a->ct, vn_dtype_of(a->in[k]));
}

/* low + (high - low) u: the same key gives the same u. */
vn_array *vjp_uniform(const vn__vjp_args *a, int k)
{
    vn_array *u = vn_uniform(a->in[0], vn_scalar(0), vn_scalar(1), vn_shape_of(a->out), vn_dtype_of(a->out));
    return sum_to(vn_mul(a->ct, k == 1 ? vn_sub(vn_scalar(1), u) : u), a->in[k]);
}

/* mean + std z */
vn_array *vjp_normal(const vn__vjp_args *a, int k)
{
    if (k == 1) return sum_to(a->ct, a->in[k]);
    vn_array *z = vn_normal(a->in[0], vn_scalar(0), vn_scalar(1), vn_shape_of(a->out), vn_dtype_of(a->out));
    return sum_to(vn_mul(a->ct, z), a->in[k]);
}

vn_array *vjp_to(const vn__vjp_args *a, int k)
{
    return vn_to(a->ct, vn_engine_of(a->in[k]));
}
