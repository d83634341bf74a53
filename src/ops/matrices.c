/* SPDX-License-Identifier: Apache-2.0 */
/* matrices.c: functions of matrices: LU systems, exponentials, condition numbers, roots, distances, eigenvalues of special matrices. Products
 * of several matrices and of parts of them are in matrix_products.c. */
#include "ops/index.h"
#include "ops/linalg.h"
#include "core/dtype.h"
#include <math.h>

/* ---- LU ---- */

vn_array *compose_adjoint(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn__adjoint(in[0]);
}

int shape_lu(vn__infer *i)
{
    int code = shape_square(i);
    if (!code) vn__rule_per_matrix(i, 1, VN_SHAPE(vn__rows(i->in[0])));
    return code;
}

vn_array *compose_lu(vn_array *const *in, const vn__infer *i)
{
    vn_array *permutation = NULL, *sign, *lu = vn__lu_factor(vn__widen(in[0]), &permutation, &sign);
    i->more[0] = permutation;
    return vn__narrow(lu, i);
}

int shape_lu_solve(vn__infer *i)
{
    const vn__node *lu = i->in[0], *p = i->in[1], *b = i->in[2];
    char s[128], t[128];
    int code = vn__needs_square(i, 0);
    if (code) return code;
    const bool vector = b->rank == 1;
    const int64_t n = vn__rows(lu);
    if (p->rank != lu->rank - 1 || memcmp(vn__node_dims(p), vn__node_dims(lu), (size_t)p->rank * sizeof(int64_t)) != 0)
        FAIL(VN_E_SHAPE, "permutation has shape %s, lu %s: one number for each row is needed (%s)", shape_text(p, s), shape_text(lu, t),
             i->engine);
    if (!b->rank || vn__node_dims(b)[vector ? 0 : b->rank - 2] != n)
        FAIL(VN_E_SHAPE, "b has shape %s, %lld rows are needed (%s)", shape_text(b, s), (long long)n, i->engine);
    code = vn__rule_broadcast(i, lu->rank - 2, vn__node_dims(lu), vector ? 0 : b->rank - 2, vn__node_dims(b));
    if (code) return code;
    i->dims[i->rank++] = n;
    if (!vector) i->dims[i->rank++] = vn__cols(b);
    return vn__rule_within(i, 1, (vn__bounds){&n, 1, true, NULL, "rows"});
}

/* lu and b have one dtype; the permutation takes no part in promotion. */
int dtype_lu_solve(vn__infer *i)
{
    const int a = i->in[0]->dtype, b = i->in[2]->dtype, code = vn__rule_index(i, 1);
    if (code) return code;
    if (a != b) FAIL(VN_E_DTYPE, "lu is %s and b is %s; one dtype is needed (%s)", dtype_text(a), dtype_text(b), i->engine);
    i->dtype = a;
    return vn__rule_accept(i, a);
}

vn_array *compose_lu_solve(vn_array *const *in, const vn__infer *i)
{
    vn_array *lu = vn__widen(in[0]), *b = vn__widen(in[2]);
    const bool vector = i->in[2]->rank == 1;
    if (!lu || !b) return NULL;
    vn_array *order = vn_expand_dims(vn_cast(in[1], VN_I64), -1);
    if (vector) b = vn_expand_dims(b, 1);
    while (b && vn_rank(b) < vn_rank(lu)) b = vn_expand_dims(b, 0);
    while (order && b && vn_rank(order) < vn_rank(b)) order = vn_expand_dims(order, 0);
    vn_array *rows = vn_take_along_axis(b, order, -2);
    vn_array *y = vn_solve_triangular(lu, rows, VN_OPTS(solve_triangular, .unit = 1));
    vn_array *x = vn_solve_triangular(lu, y, VN_OPTS(solve_triangular, .upper = 1));
    return vn__narrow(vn_reshape(x, vn__result_shape(i)), i);
}

vn_array *compose_cholesky_inverse(vn_array *const *in, const vn__infer *i)
{
    const int upper = (int)i->options->v[OPT_CHOLESKY_INVERSE_UPPER].u.i;
    vn_array *l = vn__widen(in[0]);
    vn_array *inverse = vn_solve_triangular(l, vn__identity(l), VN_OPTS(solve_triangular, .upper = upper));
    return vn__narrow(upper ? vn_matmul(inverse, vn__adjoint(inverse)) : vn_matmul(vn__adjoint(inverse), inverse), i);
}

/* ---- the exponential ---- */

/* Higham's method (2005): x / 2^s has a norm of at most 5.37, where the Pade approximation of degree 13 is exact to 53 bits; its result is
 * squared s times. How often depends on the numbers, so all matrices go through the same steps, and those that need no more stay as they are. */
enum { SQUARINGS = 16 };
static const double small_enough = 5.371920351148152;

/* b[k] a^(2 (k / 2)) added up for k = 6, 4, 2 and, times a^6, 12, 10, 8; or for odd k if first is 1 */
static vn_array *even_powers(vn_array *const power[4], int first)
{
    static const double b[] = {64764752532480000,
                               32382376266240000,
                               7771770303897600,
                               1187353796428800,
                               129060195264000,
                               10559470521600,
                               670442572800,
                               33522128640,
                               1323241920,
                               40840800,
                               960960,
                               16380,
                               182,
                               1};
    vn_array *low = vn__scaled(power[0], 1), *high = NULL;
    for (int k = 1; k <= 3; k++) {
        low = vn_add(low, vn__scaled(power[k], b[2 * k + first] / b[first]));
        high = vn__plus(high, vn__scaled(power[k], b[2 * k + 6 + first] / b[first]));
    }
    return vn__scaled(vn_add(low, vn_matmul(power[3], high)), b[first] / b[0]);
}

vn_array *compose_matrix_exp(vn_array *const *in, const vn__infer *i)
{
    if (!vn__rows(i->in[0])) return vn_positive(in[0]);
    vn_array *x = vn__widen(in[0]);
    vn_array *size = vn_stop_gradient(vn_max(vn_sum(vn_abs(x), VN_KEEP(-2)), VN_KEEP(-1)));
    vn_array *times = vn_ceil(vn_log2(vn_maximum(vn_div(size, vn_scalar(small_enough)), vn_scalar(1))));
    vn_array *a = vn_mul(x, vn_cast(vn_ldexp(vn_ones_like(times), vn_cast(vn_neg(times), VN_I32)), vn_dtype_of(x)));
    if (!a) return NULL;
    vn_array *power[4] = {vn__identity(a), vn_matmul(a, a)};
    power[2] = vn_matmul(power[1], power[1]);
    power[3] = vn_matmul(power[2], power[1]);
    vn_array *v = even_powers(power, 0), *u = vn_matmul(a, even_powers(power, 1));
    vn_array *z = vn_solve(vn_sub(v, u), vn_add(v, u));
    for (int k = 0; k < SQUARINGS && z; k++) z = vn_where(vn_greater(times, vn_scalar(k)), vn_matmul(z, z), z);
    return vn__narrow(vn_where(vn_less_equal(times, vn_scalar(SQUARINGS)), z, vn_scalar(NAN)), i);
}

/* ---- condition numbers ---- */

int shape_cond(vn__infer *i)
{
    const int order = vn__choice(i, OPT_COND_ORDER);
    char s[128];
    int code = order < 2 ? vn__needs_matrix(i, 0) : vn__needs_square(i, 0);
    if (code) return code;
    if (!vn__rows(i->in[0]) || !vn__cols(i->in[0]))
        FAIL(VN_E_SHAPE, "x has shape %s; an empty matrix has no condition number (%s)", shape_text(i->in[0], s), i->engine);
    vn__rule_per_matrix(i, 0, VN_0D);
    return VN_OK;
}

vn_array *compose_cond(vn_array *const *in, const vn__infer *i)
{
    const int order = vn__choice(i, OPT_COND_ORDER);
    vn_array *x = vn__widen(in[0]);
    if (order < 2) {
        vn_array *s = vn_svdvals(x), *most = vn_max(s, VN_AXES(-1)), *least = vn_min(s, VN_AXES(-1));
        return vn__narrow(order ? vn_div(least, most) : vn_div(most, least), i);
    }
    const vn_matrix_norm_opts o = {.size = sizeof o, .order = i->options->v[OPT_COND_ORDER].u.s};
    return vn__narrow(vn_mul(vn_matrix_norm(x, &o), vn_matrix_norm(vn_inv(x), &o)), i);
}

/* ---- distances ---- */

/* Of rows of so many elements that all differences take longer than the product? */
static bool by_product_is_faster(const vn__infer *i, double p)
{
    enum { LONG = 1 << 20 }; /* differences */
    return p == 2 && (double)vn__cols(i->in[0]) * (double)vn__rows(i->in[0]) * (double)vn__rows(i->in[1]) >= LONG;
}

int shape_cdist(vn__infer *i)
{
    enum { SUMMED = 1 << 10 }; /* elements that kernels may add up one by one without losing too many digits */
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    int code = vn__needs_matrix(i, 0);
    if (!code) code = vn__needs_matrix(i, 1);
    if (code) return code;
    if (vn__cols(x) != vn__cols(y))
        FAIL(VN_E_SHAPE, "rows of x %s and y %s have different lengths (%s)", shape_text(x, s), shape_text(y, t), i->engine);
    code = vn__rule_broadcast(i, x->rank - 2, vn__node_dims(x), y->rank - 2, vn__node_dims(y));
    if (code) return code;
    i->dims[i->rank++] = vn__rows(x);
    i->dims[i->rank++] = vn__rows(y);
    const double p = vn__real(i, OPT_CDIST_P);
    i->in_pieces = p == 0 || isinf(p) || by_product_is_faster(i, p) || vn__cols(x) > SUMMED || !x->count || !y->count;
    return VN_OK;
}

/* The root, whose derivative at 0 is 0 */
static vn_array *safe_sqrt(vn_array *x)
{
    vn_array *none = vn_less_equal(x, vn_scalar(0));
    return vn_where(none, vn_scalar(0), vn_sqrt(vn_where(none, vn_scalar(1), x)));
}

/* |x|^2 + |y|^2 - 2 x y^T, of rows from which a common point is subtracted, so that less is lost where they are close */
static vn_array *by_product(vn_array *x, vn_array *y)
{
    vn_array *middle = vn_stop_gradient(vn_mean(y, VN_KEEP(-2)));
    x = vn_sub(x, middle), y = vn_sub(y, middle);
    vn_array *sizes = vn_add(vn_sum(vn_square(x), VN_KEEP(-1)), vn__transpose(vn_sum(vn_square(y), VN_KEEP(-1))));
    return safe_sqrt(vn_sub(sizes, vn__scaled(vn_matmul(x, vn__transpose(y)), 2)));
}

vn_array *compose_cdist(vn_array *const *in, const vn__infer *i)
{
    const double p = vn__real(i, OPT_CDIST_P);
    vn_array *x = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), *y = vn__widen(vn_cast(in[1], (vn_dtype)i->dtype));
    if (!x || !y) return NULL;
    if (by_product_is_faster(i, p)) return vn__narrow(by_product(x, y), i);
    return vn__narrow(vn_norm(vn_sub(vn_expand_dims(x, -2), vn_expand_dims(y, -3)), VN_AXES(-1), p), i);
}

/* ---- eigenvalues ---- */

int shape_eigh_tridiagonal(vn__infer *i)
{
    const vn__node *d = i->in[0], *e = i->in[1];
    char s[128], t[128];
    if (d->rank != 1 || e->rank != 1 || !d->count || e->count != d->count - 1)
        FAIL(VN_E_SHAPE, "diagonal has shape %s, beside %s; vectors of n and n - 1 elements are needed (%s)", shape_text(d, s),
             shape_text(e, t), i->engine);
    const int64_t first = i->options->v[OPT_EIGH_TRIDIAGONAL_FIRST].u.i, given = i->options->v[OPT_EIGH_TRIDIAGONAL_COUNT].u.i;
    if (first >= d->count || given > d->count - first)
        FAIL(VN_E_ARG, "eigenvalues %lld ... of %lld (%s)", (long long)(first + (given ? given - 1 : 0)), (long long)d->count, i->engine);
    const int64_t count = given ? given : d->count - first;
    vn__rule_result(i, 1, &count);
    vn__rule_result_at(i, 1, 2, (int64_t[]){d->count, count});
    return VN_OK;
}

int dtype_eigh_tridiagonal(vn__infer *i)
{
    const int code = dtype_promote(i);
    i->forms[0].dtype = i->dtype;
    return code;
}

vn_array *compose_eigh_tridiagonal(vn_array *const *in, const vn__infer *i)
{
    vn_array *d = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), *e = vn__widen(vn_cast(in[1], (vn_dtype)i->dtype));
    vn_array *vectors = NULL, *x = i->in[1]->count ? vn_add(vn_diag(d, 0), vn_diag(e, -1)) : vn_diag(d, 0); /* the lower triangle is read */
    vn_array *values = vn_eigh(x, &vectors);
    const int64_t first = i->options->v[OPT_EIGH_TRIDIAGONAL_FIRST].u.i;
    if (!values) return NULL;
    i->more[0] = vn__as_result(vn__piece(vectors, 1, first, i->dims[0]), i, 1);
    return vn__narrow(vn__piece(values, 0, first, i->dims[0]), i);
}

int shape_power_iteration(vn__infer *i)
{
    const vn__node *x = i->in[0], *start = i->in[1];
    char s[128];
    int code = vn__needs_square(i, 0);
    if (code) return code;
    if (!vn__rows(x)) FAIL(VN_E_SHAPE, "x has shape %s; an empty matrix has no eigenvalue (%s)", shape_text(x, s), i->engine);
    if (start && (start->rank != 1 || start->count != vn__rows(x)))
        FAIL(VN_E_SHAPE, "start has shape %s, a vector of %lld elements is needed (%s)", shape_text(start, s), (long long)vn__rows(x),
             i->engine);
    vn__rule_per_matrix(i, 0, VN_0D);
    vn__rule_per_matrix(i, 1, VN_SHAPE(vn__rows(x)));
    return VN_OK;
}

int dtype_power_iteration(vn__infer *i)
{
    const int code = dtype_promote(i);
    i->forms[0].dtype = i->dtype;
    return code;
}

static vn_array *of_length_1(vn_array *v)
{
    vn_array *length = vn_norm(v, VN_KEEP(-2), 2);
    return vn_div(v, vn_where(vn__above_0(length), length, vn_scalar(1)));
}

vn_array *compose_power_iteration(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype));
    if (!x) return NULL;
    const int64_t n = vn_dim(x, -1);
    vn_array *start = i->in[1] ? vn_cast(in[1], vn_dtype_of(x))
                               : vn_cast(vn_sin(vn_add(vn_cast(vn__positions(x, n), VN_F64), vn_scalar(1))), vn_dtype_of(x));
    vn_array *v = of_length_1(vn_reshape(start, VN_SHAPE(n, 1)));
    for (int64_t k = 0; k < i->options->v[OPT_POWER_ITERATION_ITERATIONS].u.i && v; k++) v = of_length_1(vn_matmul(x, v));
    vn_array *value = vn_sum(vn_mul(v, vn_matmul(x, v)), VN_AXES(-2, -1));
    i->more[0] = v ? vn__as_result(vn_squeeze(v, VN_AXES(-1)), i, 1) : NULL;
    return vn__narrow(value, i);
}

vn_array *compose_inverse_pth_root(vn_array *const *in, const vn__infer *i)
{
    const double p = (double)i->options->v[OPT_INVERSE_PTH_ROOT_P].u.i, ridge = vn__real(i, OPT_INVERSE_PTH_ROOT_RIDGE);
    vn_array *vectors = NULL, *values = vn_eigh(vn__widen(in[0]), &vectors);
    if (!values || !vn__rows(i->in[0])) return values ? vn_positive(in[0]) : NULL;
    vn_array *largest = vn_maximum(vn_max(values, VN_KEEP(-1)), vn_scalar(1e-16));
    vn_array *roots = vn_pow(vn_add(values, vn__scaled(largest, ridge)), vn_scalar(-1 / p));
    vn_array *scaled = vn_mul(vectors, vn_cast(vn_expand_dims(roots, -2), vn_dtype_of(vectors)));
    return vn__narrow(vn_matmul(scaled, vn__adjoint(vectors)), i);
}
