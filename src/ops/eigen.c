/* eigen.c: rules, gradients and compositions of eigenvalues, singular values and what is made of them. */
#include "ops/linalg.h"
#include <float.h>

/* ---- rules ---- */

int shape_eigh_packed(vn__infer *i)
{
    int64_t rows;
    char s[128];
    int code = vn__needs_square(i, 0);
    if (code) return code;
    vn__flags_to_bits(i);
    if (__builtin_add_overflow(vn__rows(i->in[0]), 1, &rows))
        FAIL(VN_E_SHAPE, "x %s is too large (%s)", shape_text(i->in[0], s), i->engine);
    vn__rule_matrices(i, i->options->v[0].u.i ? rows : 1, vn__cols(i->in[0]));
    return VN_OK;
}

/* A vector for each matrix. */
static void vectors(vn__infer *i, int64_t n)
{
    vn__rule_result(i, i->in[0]->rank - 1, vn__node_dims(i->in[0]));
    i->dims[i->rank - 1] = n;
}

int shape_values(vn__infer *i)
{
    int code = vn__needs_square(i, 0);
    if (!code) vectors(i, vn__cols(i->in[0]));
    return code;
}

int shape_svd_packed(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int64_t rows;
    char s[128];
    int code = vn__needs_matrix(i, 0);
    if (code) return code;
    vn__flags_to_bits(i);
    const int64_t m = vn__rows(x), n = vn__cols(x);
    if (m < n) FAIL(VN_E_SHAPE, "x %s has more columns than rows; svd takes any shape (%s)", shape_text(x, s), i->engine);
    if (__builtin_add_overflow(m, n, &rows) || __builtin_add_overflow(rows, 1, &rows))
        FAIL(VN_E_SHAPE, "x %s is too large (%s)", shape_text(x, s), i->engine);
    vn__rule_matrices(i, i->options->v[0].u.i ? rows : 1, n);
    return VN_OK;
}

static int64_t smaller(const vn__node *x)
{
    const int64_t m = vn__rows(x), n = vn__cols(x);
    return m < n ? m : n;
}

/* Of u. */
int shape_svd(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vn__rule_matrices(i, vn__rows(i->in[0]), smaller(i->in[0]));
    return code;
}

int shape_svdvals(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vectors(i, smaller(i->in[0]));
    return code;
}

int shape_pinv(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vn__rule_matrices(i, vn__cols(i->in[0]), vn__rows(i->in[0]));
    return code;
}

int dtype_rank(vn__infer *i)
{
    int code = dtype_same(i);
    i->dtype = VN_I64;
    return code;
}

/* A number for each matrix. */
int shape_per_matrix(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vn__rule_result(i, i->in[0]->rank - 2, vn__node_dims(i->in[0]));
    return code;
}

static const char *const orders[] = {"fro", "nuc", "1", "-1", "inf", "-inf", "2", "-2"};
enum { FRO, NUC, ONE, MINUS_ONE, INF, MINUS_INF, TWO, MINUS_TWO, ORDERS };

static int order_of(const vn__infer *i)
{
    int k = 0;
    while (k < ORDERS && strcmp(orders[k], i->options->v[0].u.s) != 0) k++;
    return k;
}

/* The largest or smallest of nothing does not exist. */
int shape_matrix_norm(vn__infer *i)
{
    char s[128];
    int code = shape_per_matrix(i);
    if (code) return code;
    if (!i->options->v[0].u.s) return vn__fail(VN_E_NULL, "matrix_norm: option order is NULL");
    const int order = order_of(i);
    const int64_t m = vn__rows(i->in[0]), n = vn__cols(i->in[0]);
    if (order == ORDERS)
        FAIL(VN_E_ARG, "there is no order \"%.20s\"; orders: fro, nuc, 1, -1, inf, -inf, 2, -2 (%s)", i->options->v[0].u.s, i->engine);
    const bool by_column = order == ONE || order == MINUS_ONE, by_row = order == INF || order == MINUS_INF;
    if ((by_column && !n) || (by_row && !m) || (order >= TWO && (!m || !n)))
        FAIL(VN_E_SHAPE, "x %s has no element for order %s (%s)", shape_text(i->in[0], s), orders[order], i->engine);
    if (!i->options->v[1].u.i) return VN_OK;
    vn__rule_matrices(i, 1, 1);
    return VN_OK;
}

int shape_cross(vn__infer *i)
{
    char s[128], t[128];
    int code = shape_broadcast(i);
    if (!code) code = vn__rule_axis(i, 0, i->rank);
    if (code) return code;
    const int64_t axis = i->options->v[0].u.i;
    for (int k = 0; k < 2; k++) {
        const int64_t own = axis - (i->rank - i->in[k]->rank);
        if (own < 0 || vn__node_dims(i->in[k])[own] != 3)
            FAIL(VN_E_SHAPE, "%s has not 3 elements along axis %lld of the result (x %s, y %s, %s)", i->op->info.inputs[k], (long long)axis,
                 shape_text(i->in[0], s), shape_text(i->in[1], t), i->engine);
    }
    return VN_OK;
}

/* ---- helpers of the gradients ---- */

/* x with its columns, or rows, times the elements of v: (..., n) */
static vn_array *times_columns(vn_array *x, vn_array *v)
{
    return vn_mul(x, vn_expand_dims(v, -2));
}
static vn_array *times_rows(vn_array *x, vn_array *v)
{
    return vn_mul(x, vn_expand_dims(v, -1));
}

/* 1 / x, and 0 where x is 0 */
static vn_array *inverse_or_zero(vn_array *x)
{
    vn_array *zero = vn_equal(x, vn_scalar(0));
    return vn_where(zero, vn_scalar(0), vn_reciprocal(vn_where(zero, vn_scalar(1), x)));
}

/* 1 / (v[j] - v[i]), and 0 where they are equal */
static vn_array *inverse_differences(vn_array *v)
{
    return inverse_or_zero(vn_sub(vn_expand_dims(v, -2), vn_expand_dims(v, -1)));
}

/* ---- symmetric matrices ---- */

typedef struct {
    vn_array *values, *vectors;
} eigen;

static eigen unpack_eigh(vn_array *packed)
{
    const int64_t n = packed ? vn__col_count(packed) : 0;
    return (eigen){vn__row_vector(packed, 0), vn__block(packed, 1, 0, n, n)};
}

/* With vectors v: v (diag(ct of values) + v^T ct / differences) v^T for symmetric changes; elements below the diagonal stand for their
 * mirror images too. */
vn_array *vjp_eigh_packed(const vn__vjp_args *a, int k)
{
    const bool has_vectors = a->options[0].u.i != 0;
    const eigen z = unpack_eigh(has_vectors ? a->out : vn__eigh_packed(a->in[k], 1));
    vn_array *turned = vn__transpose(z.vectors), *g = vn_matmul(times_columns(z.vectors, vn__row_vector(a->ct, 0)), turned);
    if (has_vectors) {
        vn_array *by_vectors = vn_mul(vn_matmul(turned, unpack_eigh(a->ct).vectors), inverse_differences(z.values));
        g = vn_add(g, vn_matmul(vn_matmul(z.vectors, by_vectors), turned));
    }
    return vn__half_lower(vn_add(g, vn__transpose(g)));
}

vn_array *compose_eigh(vn_array *const *in, const vn__infer *i)
{
    const eigen z = unpack_eigh(vn__eigh_packed(in[0], 1));
    i->more[0] = vn__narrow(z.vectors, i);
    return vn__narrow(z.values, i);
}

vn_array *compose_eigvalsh(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn__row_vector(vn__eigh_packed(in[0], 0), 0), i);
}

/* ---- singular values ---- */

typedef struct {
    vn_array *u, *s, *vh;
} svd;

/* m: rows of u */
static svd unpack_svd(vn_array *packed, int64_t m)
{
    const int64_t n = packed ? vn__col_count(packed) : 0;
    return (svd){vn__block(packed, 0, 0, m, n), vn__row_vector(packed, m), vn__block(packed, m + 1, 0, n, n)};
}

/* x - x^T */
static vn_array *antisymmetric(vn_array *x)
{
    return vn_sub(x, vn__transpose(x));
}

/* u (diag(ct_s) + f (u^T ct_u - ct_u^T u) s + s f (v^T ct_v - ct_v^T v)) vh, and what of ct_u lies outside u, over s; f: the inverse
 * differences of squares. */
vn_array *vjp_svd_packed(const vn__vjp_args *a, int k)
{
    const bool has_vectors = a->options[0].u.i != 0;
    const int64_t m = vn__row_count(a->in[k]), n = vn__col_count(a->in[k]);
    const svd z = unpack_svd(has_vectors ? a->out : vn__svd_packed(a->in[k], 1), m);
    if (!has_vectors) return vn_matmul(times_columns(z.u, vn__row_vector(a->ct, 0)), z.vh);
    const svd ct = unpack_svd(a->ct, m);
    vn_array *f = inverse_differences(vn_square(z.s)), *ut_ct = vn_matmul(vn__transpose(z.u), ct.u);
    vn_array *by_u = times_columns(vn_mul(f, antisymmetric(ut_ct)), z.s);
    vn_array *by_v = times_rows(vn_mul(f, antisymmetric(vn_matmul(z.vh, vn__transpose(ct.vh)))), z.s);
    vn_array *inner = vn_matmul(z.u, vn_add(by_u, by_v));
    inner = vn_add(inner, times_columns(z.u, ct.s));
    if (m > n) inner = vn_add(inner, times_columns(vn_sub(ct.u, vn_matmul(z.u, ut_ct)), inverse_or_zero(z.s)));
    return vn_matmul(inner, z.vh);
}

/* The factors of x, of any shape, in float32 or float64. */
static svd factors_of(vn_array *x)
{
    const int64_t m = vn__row_count(x), n = vn__col_count(x);
    if (m >= n) return unpack_svd(vn__svd_packed(x, 1), m);
    const svd z = unpack_svd(vn__svd_packed(vn__transpose(x), 1), n);
    return (svd){vn__transpose(z.vh), z.s, vn__transpose(z.u)};
}

static vn_array *values_of(vn_array *x)
{
    return vn__row_vector(vn__svd_packed(vn__row_count(x) < vn__col_count(x) ? vn__transpose(x) : x, 0), 0);
}

vn_array *compose_svd(vn_array *const *in, const vn__infer *i)
{
    const svd z = factors_of(in[0]);
    i->more[0] = vn__narrow(z.s, i);
    i->more[1] = vn__narrow(z.vh, i);
    return vn__narrow(z.u, i);
}

vn_array *compose_svdvals(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(values_of(in[0]), i);
}

/* True where a singular value counts. s: (..., k), the largest one first */
static vn_array *counts(vn_array *s, const vn_array *x, double rtol)
{
    static const double epsilon[VN_DTYPE_COUNT] = {[VN_F16] = 0x1p-10, [VN_BF16] = 0x1p-7, [VN_F32] = FLT_EPSILON, [VN_F64] = DBL_EPSILON};
    const int64_t m = vn__row_count(x), n = vn__col_count(x);
    if (!s || !vn_size(s)) return s ? vn_greater(s, s) : NULL;
    if (rtol < 0) rtol = (double)(m > n ? m : n) * epsilon[vn_dtype_of(x)];
    return vn_greater(s, vn_mul(vn_max(s, VN_KEEP(-1)), vn_scalar(rtol)));
}

vn_array *compose_pinv(vn_array *const *in, const vn__infer *i)
{
    const svd z = factors_of(in[0]);
    vn_array *kept = counts(z.s, in[0], i->options->v[0].u.f);
    vn_array *inverse = vn_where(kept, vn_reciprocal(vn_where(kept, z.s, vn_scalar(1))), vn_mul(z.s, vn_scalar(0))); /* NaN stays */
    return vn__narrow(vn_matmul(times_columns(vn__transpose(z.vh), inverse), vn__transpose(z.u)), i);
}

vn_array *compose_matrix_rank(vn_array *const *in, const vn__infer *i)
{
    return vn_sum(counts(values_of(in[0]), in[0], i->options->v[0].u.f), VN_AXES(-1));
}

/* ---- norms, powers, products ---- */

vn_array *compose_matrix_norm(vn_array *const *in, const vn__infer *i)
{
    const int order = order_of(i);
    vn_array *x = vn__widen(in[0]), *z = NULL;
    if (order == FRO) z = vn_sqrt(vn_sum(vn_square(x), VN_AXES(-2, -1)));
    else if (order == NUC) z = vn_sum(values_of(x), VN_AXES(-1));
    else if (order == TWO) z = vn_max(values_of(x), VN_AXES(-1));
    else if (order == MINUS_TWO) z = vn_min(values_of(x), VN_AXES(-1));
    else {
        vn_array *sums = vn_sum(vn_abs(x), order == ONE || order == MINUS_ONE ? VN_AXES(-2) : VN_AXES(-1));
        z = order == ONE || order == INF ? vn_max(sums, VN_AXES(-1)) : vn_min(sums, VN_AXES(-1));
    }
    return vn__narrow(vn_reshape(z, vn__result_shape(i)), i);
}

vn_array *compose_matrix_power(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->options->v[0].u.i;
    vn_array *x = vn__widen(in[0]), *z = NULL;
    if (n == 0) return vn__narrow(vn_broadcast_to(vn__identity(x), vn__result_shape(i)), i);
    if (n < 0) x = vn_inv(x);
    for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left && x; left /= 2) {
        if (left % 2) z = z ? vn_matmul(z, x) : x;
        if (left > 1) x = vn_matmul(x, x);
    }
    return x ? vn__narrow(z, i) : NULL;
}

/* Element k of x along the axis, its size 1 kept. */
static vn_array *component(vn_array *x, int64_t axis, int64_t k)
{
    vn_shape start = vn_shape_of(x), size = start;
    for (int j = 0; j < start.rank; j++) start.dim[j] = 0;
    start.dim[axis] = k % 3;
    size.dim[axis] = 1;
    return vn_slice_at(x, start, size);
}

vn_array *compose_cross(vn_array *const *in, const vn__infer *i)
{
    const int64_t axis = i->options->v[0].u.i;
    vn_shape shape = vn__result_shape(i), start = {.rank = shape.rank};
    vn_array *x = vn_broadcast_to(vn_cast(in[0], (vn_dtype)i->dtype), shape),
             *y = vn_broadcast_to(vn_cast(in[1], (vn_dtype)i->dtype), shape);
    if (!x || !y) return NULL;
    vn_array *z = vn__zeros_like(x);
    for (int64_t k = 0; k < 3 && z; k++) {
        vn_array *up = vn_mul(component(x, axis, k + 1), component(y, axis, k + 2));
        start.dim[axis] = k;
        z = vn_slice_set(z, vn_sub(up, vn_mul(component(x, axis, k + 2), component(y, axis, k + 1))), vn__index(x, start));
    }
    return z;
}
