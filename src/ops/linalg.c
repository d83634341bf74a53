/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c: rules, gradients and compositions of linear algebra. Gradients are matrix products and triangular solves, so they have
 * gradients themselves. Half precision is computed in float32: compositions cast before and after, so kernels get only single and double
 * precision. ^H is the adjoint, which for real matrices is the transpose.
 */
#include "ops/linalg.h"
#include "core/dtype.h"

/* ---- rules ---- */

int vn__needs_matrix(vn__infer *i, int k)
{
    char s[128];
    if (i->in[k]->rank >= 2) return VN_OK;
    FAIL(VN_E_SHAPE, "%s has shape %s, matrices are needed: at least two axes (%s)", i->op->info.inputs[k], shape_text(i->in[k], s),
         i->engine);
}

int vn__needs_square(vn__infer *i, int k)
{
    char s[128];
    int code = vn__needs_matrix(i, k);
    if (code || vn__rows(i->in[k]) == vn__cols(i->in[k])) return code;
    FAIL(VN_E_SHAPE, "%s has shape %s, square matrices are needed (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), i->engine);
}

void vn__rule_per_matrix(vn__infer *i, int k, vn_shape sizes)
{
    int64_t dims[VN_MAX_RANK];
    const int batch = i->in[0]->rank - 2;
    memcpy(dims, vn__node_dims(i->in[0]), (size_t)batch * sizeof *dims);
    memcpy(dims + batch, sizes.dim, (size_t)sizes.rank * sizeof *dims);
    vn__rule_result_at(i, k, batch + sizes.rank, dims);
}

int shape_square(vn__infer *i)
{
    int code = vn__needs_square(i, 0);
    return code ? code : shape_same(i);
}

int shape_det(vn__infer *i)
{
    int code = vn__needs_square(i, 0);
    if (!code) vn__rule_per_matrix(i, 0, VN_0D);
    return code;
}

int shape_lu_factor(vn__infer *i)
{
    int code = shape_square(i);
    if (code) return code;
    vn__rule_per_matrix(i, 1, VN_SHAPE(vn__rows(i->in[0])));
    vn__rule_per_matrix(i, 2, VN_0D);
    return VN_OK;
}

int vn__rule_systems(vn__infer *i)
{
    const vn__node *a = i->in[0], *b = i->in[1];
    char s[128], t[128];
    int code = vn__needs_matrix(i, 1);
    if (code) return code;
    if (vn__rows(a) != vn__rows(b))
        FAIL(VN_E_SHAPE, "b has %lld rows, %lld are needed (a %s, b %s, %s)", (long long)vn__rows(b), (long long)vn__rows(a),
             shape_text(a, s), shape_text(b, t), i->engine);
    return vn__rule_broadcast(i, a->rank - 2, vn__node_dims(a), b->rank - 2, vn__node_dims(b));
}

/* a: (..., n, n), b: (..., n, m), batch axes broadcast */
int shape_solve_matrices(vn__infer *i)
{
    const vn__node *b = i->in[1];
    int code = vn__needs_square(i, 0);
    if (!code) code = vn__rule_systems(i);
    if (code) return code;
    i->dims[i->rank++] = vn__rows(b);
    i->dims[i->rank++] = vn__cols(b);
    return VN_OK;
}

/* b may also be a vector. */
int shape_solve(vn__infer *i)
{
    const vn__node *a = i->in[0], *b = i->in[1];
    char s[128], t[128];
    if (b->rank != 1) return shape_solve_matrices(i);
    int code = vn__needs_square(i, 0);
    if (code) return code;
    if (b->count != vn__rows(a))
        FAIL(VN_E_SHAPE, "b has %lld elements, %lld are needed (a %s, b %s, %s)", (long long)b->count, (long long)vn__rows(a),
             shape_text(a, s), shape_text(b, t), i->engine);
    vn__rule_result(i, a->rank - 1, vn__node_dims(a));
    return VN_OK;
}

int shape_qr(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (code) return code;
    const int64_t m = vn__rows(i->in[0]), n = vn__cols(i->in[0]), k = n < m && !i->options->v[OPT_QR_COMPLETE].u.i ? n : m;
    vn__rule_per_matrix(i, 0, VN_SHAPE(m, k));
    vn__rule_per_matrix(i, 1, VN_SHAPE(k, n));
    return VN_OK;
}

/* ---- triangular parts ---- */

typedef enum { BELOW, LOWER, DIAGONAL, UPPER } corner; /* BELOW: LOWER without the diagonal */

/* 1, 2, ... n, of x's dtype */
static vn_array *counted(const vn_array *x, int64_t n)
{
    return vn_cumulative_sum(vn_broadcast_to(vn__number(x, 1), VN_SHAPE(n)), 0, NULL);
}

/* A mask (rows, cols) of that part of x's matrices */
static vn_array *belongs(vn_array *x, corner c)
{
    if (x && vn__is(vn_dtype_of(x), VN_COMPLEX)) x = vn_real(x); /* has an order */
    if (!x) return NULL;
    const int64_t m = vn__row_count(x), n = vn__col_count(x);
    vn_array *row = vn_reshape(counted(x, m), VN_SHAPE(m, 1)), *col = counted(x, n);
    return c == BELOW   ? vn_greater(row, col)
           : c == LOWER ? vn_greater_equal(row, col)
           : c == UPPER ? vn_less_equal(row, col)
                        : vn_equal(row, col);
}

/* x there, 0 elsewhere */
static vn_array *part(vn_array *x, corner c)
{
    return x ? vn_where(belongs(x, c), x, vn_scalar(0)) : NULL;
}

vn_array *vn__half_lower(vn_array *x)
{
    return vn_mul(vn_add(part(x, LOWER), part(x, BELOW)), vn_scalar(.5));
}

vn_array *vn__identity(vn_array *like)
{
    return like ? vn_cast(belongs(like, DIAGONAL), vn_dtype_of(like)) : NULL;
}

/* ---- pieces of gradients ---- */

vn_array *vn__adjoint(vn_array *x)
{
    return vn__conjugate(vn__transpose(x));
}

static vn_array *diagonal(vn_array *x)
{
    return vn_sum(part(x, DIAGONAL), VN_AXES(-1));
}

/* a^-1 b for triangular a */
static vn_array *triangular(vn_array *a, vn_array *b, bool upper, bool transpose, bool unit)
{
    return vn_solve_triangular(a, b, VN_OPTS(solve_triangular, .upper = upper, .transpose = transpose, .unit = unit));
}

/* x a^-1, by the transposed system */
static vn_array *times_inverse(vn_array *x, vn_array *a, bool upper, bool transpose)
{
    return vn__transpose(triangular(a, vn__transpose(x), upper, !transpose, false));
}

/* ---- Cholesky ---- */

vn_array *compose_cholesky(vn_array *const *in, const vn__infer *i)
{
    if (vn__is(i->dtype, VN_HALF))
        return vn__narrow(vn_cholesky(vn__widen(in[0]), VN_OPTS(cholesky, .upper = (int)i->options->v[OPT_CHOLESKY_UPPER].u.i)), i);
    return i->options->v[OPT_CHOLESKY_UPPER].u.i ? vn__adjoint(vn_cholesky(in[0], NULL)) : VN__AS_IS;
}

/* With s = l^-H vn__half_lower(l^H ct) l^-1, d loss = sum(s dx) for symmetric or Hermitian dx. Elements below the diagonal also represent
 * their mirror images, and those above are never read. */
vn_array *vjp_cholesky(const vn__vjp_args *a, int k)
{
    (void)k;
    vn_array *l = a->out, *p = vn__half_lower(vn_matmul(vn__adjoint(l), a->ct));
    vn_array *s = times_inverse(triangular(vn__conjugate(l), p, false, true, false), l, false, false);
    return vn__half_lower(vn_add(s, vn__adjoint(s)));
}

/* ---- systems ---- */

/* x broadcast to the batch axes of the result. */
static vn_array *with_batch(vn_array *x, const vn__infer *i)
{
    vn_shape to = vn__result_shape(i);
    to.dim[to.rank - 2] = vn__row_count(x);
    to.dim[to.rank - 1] = vn__col_count(x);
    return vn_broadcast_to(x, to);
}

static bool has_batch(const vn__node *x, const vn__infer *i)
{
    return x->rank == i->rank && !memcmp(vn__node_dims(x), i->dims, (size_t)(i->rank - 2) * sizeof *i->dims);
}

static vn_array *solved(vn_array *a, vn_array *b, const vn__infer *i)
{
    if (i->op->info.n_options == 0) return vn_solve(a, b);
    return triangular(a, b, i->options->v[OPT_SOLVE_TRIANGULAR_UPPER].u.i, i->options->v[OPT_SOLVE_TRIANGULAR_TRANSPOSE].u.i,
                      i->options->v[OPT_SOLVE_TRIANGULAR_UNIT].u.i);
}

/* Kernels take matrices with equal batch axes: vectors become columns, and batch axes are broadcast. */
vn_array *compose_solve(vn_array *const *in, const vn__infer *i)
{
    vn_array *a = in[0], *b = in[1];
    if (vn__is(i->dtype, VN_COMPLEX)) a = vn__narrow(a, i), b = vn__narrow(b, i); /* one of them may be real */
    if (!a || !b) return NULL;
    if (vn__is(i->dtype, VN_HALF)) return vn__narrow(solved(vn__widen(a), vn__widen(b), i), i);
    if (vn_rank(b) == 1) return vn_reshape(vn_solve(a, vn_reshape(b, VN_SHAPE(vn_dim(b, 0), 1))), vn__result_shape(i));
    if (has_batch(i->in[0], i) && has_batch(i->in[1], i)) return VN__AS_IS;
    return solved(with_batch(a, i), with_batch(b, i), i);
}

vn_array *vjp_solve(const vn__vjp_args *a, int k)
{
    vn_array *by_b = vn_solve(vn__adjoint(a->in[0]), a->ct);
    return k ? by_b : vn_neg(vn_matmul(by_b, vn__adjoint(a->out)));
}

vn_array *vjp_solve_triangular(const vn__vjp_args *a, int k)
{
    const bool upper = a->options[OPT_SOLVE_TRIANGULAR_UPPER].u.i, transpose = a->options[OPT_SOLVE_TRIANGULAR_TRANSPOSE].u.i,
               unit = a->options[OPT_SOLVE_TRIANGULAR_UNIT].u.i;
    vn_array *by_b = triangular(vn__conjugate(a->in[0]), a->ct, upper, !transpose, unit), *x = vn__conjugate(a->out);
    if (k) return by_b;
    vn_array *g = transpose ? vn_matmul(x, vn__transpose(by_b)) : vn_matmul(by_b, vn__transpose(x));
    g = part(g, upper ? UPPER : LOWER);
    return vn_neg(unit ? vn_sub(g, part(g, DIAGONAL)) : g);
}

vn_array *compose_inv(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(vn_solve(x, vn__identity(x)), i);
}

/* ---- LU and determinants ---- */

/* x = p^T l u: the gradient is p^T l^-H (below(l^H ct_l) + upper(ct_u u^H)) u^-H. Permutation and sign are piecewise constant. */
vn_array *vjp_lu_factor(const vn__vjp_args *a, int k)
{
    vn_array *lu = a->outs[0], *ct = a->cts[0];
    if (!ct) return vn_zeros_like(a->in[k]);
    vn_array *l = vn_add(part(lu, BELOW), vn__identity(lu)), *u = part(lu, UPPER);
    vn_array *m = vn_add(part(vn_matmul(vn__adjoint(l), part(ct, BELOW)), BELOW), part(vn_matmul(part(ct, UPPER), vn__adjoint(u)), UPPER));
    vn_array *conjugates = vn__conjugate(lu), *inner = times_inverse(triangular(conjugates, m, false, true, true), conjugates, true, true);
    vn_array *place = vn_argsort(a->outs[1], -1, NULL); /* of each row of x in lu */
    return vn_take_along_axis(inner, vn_expand_dims(place, -1), -2);
}

/* u's diagonal and the sign of the permutation, whose product is the determinant. */
static vn_array *pivots(vn_array *x, vn_array **sign)
{
    VN_SCOPE; /* the permutation is not used, so it is not computed */
    vn_array *permutation, *lu = vn__lu_factor(vn__widen(x), &permutation, sign), *d = lu ? diagonal(lu) : NULL;
    return d && vn_pass(*sign) ? vn_pass(d) : NULL;
}

vn_array *compose_det(vn_array *const *in, const vn__infer *i)
{
    vn_array *sign, *d = pivots(in[0], &sign);
    return d ? vn__narrow(vn_mul(vn_prod(d, VN_AXES(-1)), sign), i) : NULL;
}

int dtype_slogdet(vn__infer *i)
{
    i->forms[0].dtype = vn__part_dtype(i->in[0]->dtype);
    return dtype_same(i);
}

vn_array *compose_slogdet(vn_array *const *in, const vn__infer *i)
{
    vn_array *sign, *d = pivots(in[0], &sign);
    if (!d) return NULL;
    i->more[0] = vn__as_result(vn_sum(vn_log(vn_abs(d)), VN_AXES(-1)), i, 1);
    return vn__narrow(vn_mul(vn_prod(vn_sign(d), VN_AXES(-1)), sign), i);
}

/* ---- QR ---- */

/* With m = r ct_r^H - ct_q^H q, and the adjoint of its lower triangle copied into the upper one: (ct_q + q m) r^-H. */
vn_array *vjp_qr(const vn__vjp_args *a, int k)
{
    const int64_t rows = vn__row_count(a->in[k]), n = vn__col_count(a->in[k]);
    if (a->options[OPT_QR_COMPLETE].u.i && rows > n)
        return vn__fail(VN_E_UNSUPPORTED, "qr: complete and more rows (%lld) than columns (%lld) has no gradient, as q is not determined",
                        (long long)rows, (long long)n),
               NULL;
    vn_array *q = a->outs[0], *r = a->outs[1], *ct_q = a->cts[0], *ct_r = a->cts[1];
    vn_array *by_r = ct_r ? vn_matmul(r, vn__adjoint(part(ct_r, UPPER))) : NULL;
    vn_array *by_q = ct_q ? vn_matmul(vn__adjoint(ct_q), q) : NULL;
    vn_array *m = !ct_q ? by_r : ct_r ? vn_sub(by_r, by_q) : vn_neg(by_q);
    vn_array *lower = vn__half_lower(m), *mirrored = vn_add(lower, vn__adjoint(lower));
    return times_inverse(vn__plus(ct_q, vn_matmul(q, mirrored)), vn__conjugate(r), true, true);
}

/* More columns than rows: the first square part determines q, and the other columns follow from it. */
static vn_array *wide_qr(vn_array *x, vn_array **r)
{
    const int64_t m = vn__row_count(x), n = vn__col_count(x);
    const int axis = vn_rank(x) - 1;
    vn_array *square, *q = vn_qr(vn__piece(x, axis, 0, m), NULL, &square);
    vn_array *rest = vn_matmul(vn__adjoint(q), vn__piece(x, axis, m, n - m));
    *r = vn_concat(2, (vn_array *[]){square, rest}, axis);
    return q;
}

vn_array *compose_qr(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *q, *r = NULL;
    const bool wide = vn__rows(i->in[0]) < vn__cols(i->in[0]);
    if (!x) return NULL;
    if (!wide && x == in[0]) return VN__AS_IS;
    q = wide ? wide_qr(x, &r) : vn_qr(x, VN_OPTS(qr, .complete = (int)i->options->v[OPT_QR_COMPLETE].u.i), &r);
    i->more[0] = vn__narrow(r, i);
    return vn__narrow(q, i);
}
