/* SPDX-License-Identifier: Apache-2.0 */
/* eigen.c: rules, gradients and compositions of eigenvalues, singular values and ops based on them. */
#include "ops/linalg.h"
#include "core/dtype.h"
#include <float.h>
#include <math.h>

/* ---- rules ---- */

int shape_values(vn__infer *i)
{
    int code = vn__needs_square(i, 0);
    if (!code) vn__rule_per_matrix(i, 0, VN_SHAPE(vn__cols(i->in[0])));
    return code;
}

int shape_eigh(vn__infer *i)
{
    int code = shape_values(i);
    const int64_t n = code ? 0 : vn__cols(i->in[0]);
    if (!code) vn__rule_per_matrix(i, 1, VN_SHAPE(n, n));
    return code;
}

int dtype_eigh(vn__infer *i)
{
    i->forms[0].dtype = i->in[0]->dtype;
    return dtype_part(i);
}

/* Eigenvalues and eigenvectors are complex; half precision gives complex64. */
int dtype_eig(vn__infer *i)
{
    int code = vn__rule_accept(i, i->in[0]->dtype);
    i->dtype = vn__is(i->in[0]->dtype, VN_BIT(VN_F64) | VN_BIT(VN_C128)) ? VN_C128 : VN_C64;
    return code;
}

static int64_t smaller(const vn__node *x)
{
    return vn__min(vn__rows(x), vn__cols(x));
}

int shape_svd(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (code) return code;
    const bool full = i->options->v[OPT_SVD_FULL_MATRICES].u.i;
    const int64_t m = vn__rows(i->in[0]), n = vn__cols(i->in[0]), k = smaller(i->in[0]);
    vn__rule_per_matrix(i, 0, VN_SHAPE(m, full ? m : k));
    vn__rule_per_matrix(i, 1, VN_SHAPE(k));
    vn__rule_per_matrix(i, 2, VN_SHAPE(full ? n : k, n));
    return VN_OK;
}

int dtype_svd(vn__infer *i)
{
    i->forms[0].dtype = vn__part_dtype(i->in[0]->dtype);
    i->forms[1].dtype = i->in[0]->dtype;
    return dtype_same(i);
}

int shape_svdvals(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vn__rule_per_matrix(i, 0, VN_SHAPE(smaller(i->in[0])));
    return code;
}

/* rtol, input k, where it is given, broadcasts to a number for each matrix. */
static int check_rtol(vn__infer *i, int k)
{
    int code = vn__needs_matrix(i, 0);
    return code || i->n <= k || !i->in[k] ? code : vn__rule_reaches(i, i->in[k], i->in[0]->rank - 2, vn__node_dims(i->in[0]));
}

/* It is a real number of any precision. */
static int check_rtol_dtype(vn__infer *i, int k)
{
    if (i->n > k && i->in[k] && !vn__is(i->in[k]->dtype, VN_FLOATS))
        FAIL(VN_E_DTYPE, "rtol is %s, a float dtype is needed (%s)", dtype_text(i->in[k]->dtype), i->engine);
    return VN_OK;
}

int shape_pinv(vn__infer *i)
{
    int code = check_rtol(i, 1);
    if (!code) vn__rule_per_matrix(i, 0, VN_SHAPE(vn__cols(i->in[0]), vn__rows(i->in[0])));
    return code;
}

int dtype_pinv(vn__infer *i)
{
    int code = dtype_same(i);
    return code ? code : check_rtol_dtype(i, 1);
}

int dtype_rank(vn__infer *i)
{
    int code = dtype_pinv(i);
    i->dtype = VN_I64;
    return code;
}

int shape_rank(vn__infer *i)
{
    int code = check_rtol(i, 1);
    if (!code) vn__rule_per_matrix(i, 0, VN_0D);
    return code;
}

/* One number per matrix. */
static int shape_per_matrix(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vn__rule_per_matrix(i, 0, VN_0D);
    return code;
}

enum { FRO, NUC, ONE, MINUS_ONE, INF, MINUS_INF, TWO, MINUS_TWO }; /* as the row has them */

int shape_matrix_norm(vn__infer *i)
{
    int code = shape_per_matrix(i);
    if (code) return code;
    if (!i->options->v[OPT_MATRIX_NORM_KEEPDIMS].u.i) return VN_OK;
    vn__rule_per_matrix(i, 0, VN_SHAPE(1, 1));
    return VN_OK;
}

int shape_cross(vn__infer *i)
{
    char s[128], t[128];
    int code = shape_broadcast(i);
    if (!code) code = vn__rule_axis(i, OPT_CROSS_AXIS, i->rank);
    if (code) return code;
    const int64_t axis = i->options->v[OPT_CROSS_AXIS].u.i;
    for (int k = 0; k < 2; k++) {
        const int64_t own = axis - (i->rank - i->in[k]->rank);
        if (own < 0 || vn__node_dims(i->in[k])[own] != 3)
            FAIL(VN_E_SHAPE, "%s has not 3 elements along axis %lld of the result (x %s, y %s, %s)", i->op->info.inputs[k], (long long)axis,
                 shape_text(i->in[0], s), shape_text(i->in[1], t), i->engine);
    }
    return VN_OK;
}

/* a: (..., m, n), b: (..., m, k) or a vector of m elements */
int shape_lstsq(vn__infer *i)
{
    const vn__node *a = i->in[0], *b = i->in[1];
    char s[128], t[128];
    int code = check_rtol(i, 2);
    if (code) return code;
    const bool vector = b->rank == 1;
    if (vector && b->count != vn__rows(a))
        FAIL(VN_E_SHAPE, "b has %lld elements, %lld are needed (a %s, b %s, %s)", (long long)b->count, (long long)vn__rows(a),
             shape_text(a, s), shape_text(b, t), i->engine);
    if (vector) vn__rule_result(i, a->rank - 2, vn__node_dims(a));
    else if ((code = vn__rule_systems(i))) return code;
    int64_t dims[VN_MAX_RANK];
    const int batch = i->rank;
    memcpy(dims, i->dims, (size_t)batch * sizeof *dims);
    dims[batch] = vn__cols(a);
    if (!vector) dims[batch + 1] = vn__cols(b);
    vn__rule_result_at(i, 0, batch + 2 - vector, dims);
    dims[batch] = vector ? 1 : vn__cols(b);
    vn__rule_result_at(i, 1, batch + !vector, dims);
    vn__rule_per_matrix(i, 2, VN_0D);
    vn__rule_per_matrix(i, 3, VN_SHAPE(smaller(a)));
    return VN_OK;
}

int dtype_lstsq(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    if (!code) code = check_rtol_dtype(i, 2);
    if (code) return code;
    i->forms[0].dtype = vn__part_dtype(i->dtype);
    i->forms[2].dtype = vn__part_dtype(i->dtype);
    return VN_OK;
}

/* ---- helpers of the gradients ---- */

/* x with its columns times the elements of v: (..., n) */
static vn_array *times_columns(vn_array *x, vn_array *v)
{
    return vn_mul(x, vn_expand_dims(v, -2));
}

/* 1 / x, and 0 where x is 0 */
static vn_array *inverse_or_zero(vn_array *x)
{
    vn_array *zero = vn_equal(x, vn_scalar(0));
    return vn_where(zero, vn_scalar(0), vn_reciprocal(vn_where(zero, vn_scalar(1), x)));
}

/* v[j] - v[i], (..., n, n); 0 where they are equal up to rounding errors, of which a gradient is not made */
static vn_array *differences(vn_array *v)
{
    const int64_t n = v ? vn_dim(v, vn_rank(v) - 1) : 0;
    vn_array *d = vn_sub(vn_expand_dims(v, -2), vn_expand_dims(v, -1));
    if (!n) return d;
    const double unit = 4 * (double)n * (vn__is(vn_dtype_of(v), VN_BIT(VN_F64) | VN_BIT(VN_C128)) ? DBL_EPSILON : FLT_EPSILON);
    vn_array *least = vn__scaled(vn_expand_dims(vn_max(vn_abs(v), VN_KEEP(-1)), -1), unit);
    return vn_where(vn_less_equal(vn_abs(d), least), vn_scalar(0), d);
}

/* v[j] + v[i] */
static vn_array *sums(vn_array *v)
{
    return vn_add(vn_expand_dims(v, -2), vn_expand_dims(v, -1));
}

/* Squares of absolute values, with second derivatives at 0 too. */
static vn_array *squares_of(vn_array *x)
{
    if (!x || !vn__is(vn_dtype_of(x), VN_COMPLEX)) return vn_square(x);
    return vn_add(vn_square(vn_real(x)), vn_square(vn_imag(x)));
}

/* ---- phases ---- */

/* 1 at the component of each column of v that is positive by convention, else 0: the first of (nearly) the largest magnitude. */
static vn_array *main_components(vn_array *v)
{
    vn_array *size = vn_abs(v), *large = vn_greater_equal(size, vn__scaled(vn_max(size, VN_KEEP(-2)), .999));
    if (!large) return NULL;
    vn_array *count = vn_cumulative_sum(vn_cast(large, VN_I64), vn_rank(v) - 2, NULL);
    return vn_cast(vn_logical_and(large, vn_equal(count, vn_scalar(1))), vn_dtype_of(v));
}

/* Imaginary parts of the products of conjugated columns of x and columns of y: (..., 1, n) */
static vn_array *imaginary_products(vn_array *x, vn_array *y)
{
    return vn_imag(vn_sum(vn_mul(vn_conj(x), y), VN_KEEP(-2)));
}

/* What must be added to the cotangent of complex vectors v, whose phases the convention determines, so that gradients can be
 * computed as if phases were free. `rotated`: the sum of imaginary_products(cotangent, vectors) over v and what has its phase. */
static vn_array *by_phase(vn_array *v, vn_array *rotated)
{
    vn_array *at = main_components(v), *largest = vn_real(vn_sum(vn_mul(v, at), VN_KEEP(-2)));
    return vn_mul(at, vn_mul(vn_div(rotated, largest), vn_scalar_complex(0, 1)));
}

static bool is_complex(const vn_array *x)
{
    return x && vn__is(vn_dtype_of(x), VN_COMPLEX) && vn_size(x);
}

/* ---- symmetric and Hermitian matrices ---- */

/* With vectors v: v (diag(ct of values) + v^H ct / differences) v^H for symmetric changes; elements below the diagonal also represent their
 * mirror images. */
vn_array *vjp_eigh(const vn__vjp_args *a, int k)
{
    vn_array *values = a->outs[0], *v = a->outs[1], *vh = vn__adjoint(v), *ct = a->cts[1], *g = NULL;
    (void)k;
    if (a->cts[0]) g = vn_matmul(times_columns(v, a->cts[0]), vh);
    if (ct) {
        if (is_complex(v)) ct = vn_add(ct, by_phase(v, imaginary_products(ct, v)));
        vn_array *by_vectors = vn_mul(vn_matmul(vh, ct), inverse_or_zero(differences(values)));
        g = vn__plus(g, vn_matmul(vn_matmul(v, by_vectors), vh));
    }
    return vn__half_lower(vn_add(g, vn__adjoint(g)));
}

vn_array *compose_eigh(vn_array *const *in, const vn__infer *i)
{
    if (!vn__is(i->dtype, VN_HALF)) return VN__AS_IS;
    vn_array *vectors = NULL, *values = vn_eigh(vn__widen(in[0]), &vectors);
    i->more[0] = vn__narrow(vectors, i);
    return vn__narrow(values, i);
}

/* Unused vectors are not computed. */
vn_array *compose_eigvalsh(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    vn_array *vectors = NULL, *values = vn__narrow(vn_eigh(in[0], &vectors), i);
    return values ? vn_pass(values) : NULL;
}

/* ---- general matrices ---- */

/* v^-H (diag(ct of values) + v^H ct / conjugated differences) v^H. Lengths and phases of the vectors are free: who fixes them
 * differentiates that. */
vn_array *vjp_eig_unordered(const vn__vjp_args *a, int k)
{
    vn_array *values = a->outs[0], *v = a->outs[1], *vh = vn__adjoint(v), *inner = NULL;
    if (a->cts[0]) inner = vn_mul(vn__identity(v), vn_expand_dims(a->cts[0], -2));
    if (a->cts[1]) {
        vn_array *by_vectors = vn_mul(vn_matmul(vh, a->cts[1]), vn_conj(inverse_or_zero(differences(values))));
        inner = vn__plus(inner, by_vectors);
    }
    vn_array *g = vn_solve(vh, vn_matmul(inner, vh));
    return vn__is(vn_dtype_of(a->in[k]), VN_COMPLEX) ? g : vn_real(g);
}

/* Positions of complex values, ascending by real part, then by imaginary part. */
static vn_array *order_of(vn_array *values)
{
    vn_array *by_imaginary = vn_argsort(vn_imag(values), -1, NULL);
    vn_array *by_real = vn_argsort(vn_take_along_axis(vn_real(values), by_imaginary, -1), -1, NULL);
    return vn_take_along_axis(by_imaginary, by_real, -1);
}

/* Columns of length 1, with a positive main component. */
static vn_array *normalised(vn_array *v)
{
    vn_array *length = vn_sqrt(vn_sum(squares_of(v), VN_KEEP(-2))), *largest = vn_sum(vn_mul(v, main_components(v)), VN_KEEP(-2));
    return vn_mul(v, vn_div(vn_conj(largest), vn_mul(vn_abs(largest), length)));
}

vn_array *compose_eig(vn_array *const *in, const vn__infer *i)
{
    vn_array *vectors = NULL, *values = vn__eig_unordered(vn__widen(in[0]), &vectors);
    if (!values) return NULL;
    if (!vn_size(values)) return i->more[0] = vectors, values;
    vn_array *order = order_of(values);
    i->more[0] = vn_take_along_axis(normalised(vectors), vn_expand_dims(order, -2), -1);
    return vn_take_along_axis(values, order, -1);
}

vn_array *compose_eigvals(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    vn_array *vectors = NULL, *values = vn__eig_unordered(vn__widen(in[0]), &vectors);
    (void)i;
    if (values && vn_size(values)) values = vn_take_along_axis(values, order_of(values), -1);
    return values ? vn_pass(values) : NULL;
}

/* ---- singular values ---- */

/* x - x^H */
static vn_array *antisymmetric(vn_array *x)
{
    return vn_sub(x, vn__adjoint(x));
}

/* u (diag(ct_s) + f (a s_j + b s_i)) vh with a = u^H ct_u - ct_u^H u, b = v^H ct_v - ct_v^H v and f = 1 / (s_j^2 - s_i^2), plus the part of
 * ct_u outside the span of u, divided by s. f (a s_j + b s_i) is computed as ((a + b) / (s_j - s_i) + (a - b) / (s_j + s_i)) / 2, of which
 * the second part is right for equal singular values too. */
vn_array *vjp_svd(const vn__vjp_args *args, int k)
{
    vn_array *u = args->outs[0], *s = args->outs[1], *vh = args->outs[2], *ct_u = args->cts[0], *ct_s = args->cts[1],
             *ct_v = vn__adjoint(args->cts[2]);
    vn_array *v = vn__adjoint(vh), *a = NULL, *b = NULL, *inner = NULL, *outside = NULL;
    if (is_complex(u) && (ct_u || ct_v)) {
        vn_array *rotated = vn__plus(ct_u ? imaginary_products(ct_u, u) : NULL, ct_v ? imaginary_products(ct_v, v) : NULL);
        ct_v = vn__plus(ct_v, by_phase(v, rotated));
    }
    if (ct_u) {
        vn_array *uh_ct = vn_matmul(vn__adjoint(u), ct_u);
        a = antisymmetric(uh_ct);
        if (vn__row_count(args->in[k]) > vn__col_count(args->in[k]))
            outside = times_columns(vn_sub(ct_u, vn_matmul(u, uh_ct)), inverse_or_zero(s));
    }
    if (ct_v) b = antisymmetric(vn_matmul(vh, ct_v));
    if (a || b) {
        vn_array *less = a && b ? vn_sub(a, b) : a ? a : vn_neg(b);
        inner = vn_mul(vn__plus(a, b), inverse_or_zero(differences(s)));
        inner = vn__scaled(vn_add(inner, vn_mul(less, inverse_or_zero(sums(s)))), .5);
    }
    if (inner) inner = vn_matmul(u, inner);
    if (ct_s) inner = vn__plus(inner, times_columns(u, ct_s));
    return vn_matmul(vn__plus(inner, outside), vh);
}

/* Orthonormal columns u (m, n), m > n, and columns that complete the basis: q of u = q r, whose first columns are those of u. */
static vn_array *completed(vn_array *u)
{
    const int64_t m = vn__row_count(u), n = vn__col_count(u);
    const int axis = vn_rank(u) - 1;
    vn_array *r = NULL, *q = vn_qr(u, VN_OPTS(qr, .complete = 1), &r);
    return q ? vn_concat(2, (vn_array *[]){u, vn__piece(q, axis, n, m - n)}, axis) : NULL;
}

/* Kernels take at most as many columns as rows: other matrices are transposed. */
vn_array *compose_svd(vn_array *const *in, const vn__infer *i)
{
    const bool wide = vn__rows(i->in[0]) < vn__cols(i->in[0]), half = vn__is(i->dtype, VN_HALF);
    const bool full = i->options->v[OPT_SVD_FULL_MATRICES].u.i && vn__rows(i->in[0]) != vn__cols(i->in[0]);
    if (!wide && !half && !i->options->v[OPT_SVD_FULL_MATRICES].u.i) return VN__AS_IS;
    vn_array *x = vn__widen(in[0]), *s = NULL, *right = NULL, *left = vn_svd(wide ? vn__transpose(x) : x, NULL, &s, &right);
    if (left && full) left = completed(left);
    if (!left) return NULL;
    i->more[0] = vn__as_result(s, i, 1);
    i->more[1] = vn__narrow(wide ? vn__transpose(left) : right, i);
    return vn__narrow(wide ? vn__transpose(right) : left, i);
}

vn_array *compose_svdvals(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(vn__widen(in[0]), NULL, &s, &vh);
    return u && (s = vn__narrow(s, i)) ? vn_pass(s) : NULL;
}

/* True where a singular value is not negligible. s: (..., k), descending; rtol: a number for each matrix, or NULL */
static vn_array *counts(vn_array *s, const vn_array *x, vn_array *rtol)
{
    static const double epsilon[VN_DTYPE_END] = {[VN_F16] = 0x1p-10,     [VN_BF16] = 0x1p-7,     [VN_F32] = FLT_EPSILON,
                                                 [VN_F64] = DBL_EPSILON, [VN_C64] = FLT_EPSILON, [VN_C128] = DBL_EPSILON};
    const int64_t m = vn__row_count(x), n = vn__col_count(x);
    if (!s || !vn_size(s)) return s ? vn_greater(s, s) : NULL;
    if (!rtol) rtol = vn_scalar((double)vn__max(m, n) * epsilon[vn_dtype_of(x)]);
    else if (vn_rank(rtol)) rtol = vn_expand_dims(rtol, -1);
    return vn_greater(s, vn_mul(vn_max(s, VN_KEEP(-1)), rtol));
}

static vn_array *tolerance(vn_array *const *in, const vn__infer *i, int k)
{
    return i->n > k && i->in[k] ? in[k] : NULL;
}

/* Reciprocals of singular values, 0 for those that do not count; NaN stays */
static vn_array *inverted(vn_array *s, vn_array *kept)
{
    return vn_where(kept, vn_reciprocal(vn_where(kept, s, vn_scalar(1))), vn_mul(s, vn_scalar(0)));
}

vn_array *compose_pinv(vn_array *const *in, const vn__infer *i)
{
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(vn__widen(in[0]), NULL, &s, &vh);
    if (!u) return NULL;
    vn_array *inverse = inverted(s, counts(s, in[0], tolerance(in, i, 1)));
    return vn__narrow(vn_matmul(times_columns(vn__adjoint(vh), inverse), vn__adjoint(u)), i);
}

/* The solution is v s^-1 u^H b, without forming the pseudoinverse. */
vn_array *compose_lstsq(vn_array *const *in, const vn__infer *i)
{
    const bool vector = i->in[1]->rank == 1;
    vn_array *given = vn__narrow(in[0], i), *a = vn__widen(given), *b = vn__widen(vn__narrow(in[1], i));
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(a, NULL, &s, &vh);
    if (vector) b = vn_expand_dims(b, -1);
    if (!u || !b) return NULL;
    vn_array *kept = counts(s, given, tolerance(in, i, 2));
    vn_array *inner = vn_mul(vn_expand_dims(inverted(s, kept), -1), vn_matmul(vn__adjoint(u), b));
    vn_array *x = vn_matmul(vn__adjoint(vh), inner), *squares = vn_sum(squares_of(vn_sub(b, vn_matmul(a, x))), VN_AXES(-2));
    if (!x || !squares) return NULL;
    vn_shape of_squares = {.rank = i->forms[0].rank};
    memcpy(of_squares.dim, i->forms[0].dims, (size_t)of_squares.rank * sizeof *of_squares.dim);
    i->more[0] = vn__as_result(vn_reshape(squares, of_squares), i, 1);
    i->more[1] = vn_sum(kept, VN_AXES(-1));
    i->more[2] = vn__as_result(s, i, 3);
    return vn__narrow(vn_reshape(x, vn__result_shape(i)), i);
}

vn_array *compose_matrix_rank(vn_array *const *in, const vn__infer *i)
{
    return vn_sum(counts(vn_svdvals(vn__widen(in[0])), in[0], tolerance(in, i, 1)), VN_AXES(-1));
}

/* ---- norms, powers, products ---- */

vn_array *compose_matrix_norm(vn_array *const *in, const vn__infer *i)
{
    const int order = vn__choice(i, OPT_MATRIX_NORM_ORDER);
    const bool least = order == MINUS_ONE || order == MINUS_INF || order == MINUS_TWO;
    vn_array *x = vn__widen(in[0]), *z = NULL;
    if (!vn__rows(i->in[0]) || !vn__cols(i->in[0])) {
        z = vn_sum(vn_abs(x), VN_AXES(-2, -1));
        return vn__narrow(vn_reshape(least ? vn_add(z, vn_scalar(INFINITY)) : z, vn__result_shape(i)), i);
    }
    if (order == FRO) z = vn_norm(x, VN_AXES(-2, -1), 2);
    else if (order == NUC) z = vn_sum(vn_svdvals(x), VN_AXES(-1));
    else if (order == TWO) z = vn_max(vn_svdvals(x), VN_AXES(-1));
    else if (order == MINUS_TWO) z = vn_min(vn_svdvals(x), VN_AXES(-1));
    else {
        vn_array *sums = vn_sum(vn_abs(x), order == ONE || order == MINUS_ONE ? VN_AXES(-2) : VN_AXES(-1));
        z = order == ONE || order == INF ? vn_max(sums, VN_AXES(-1)) : vn_min(sums, VN_AXES(-1));
    }
    return vn__narrow(vn_reshape(z, vn__result_shape(i)), i);
}

vn_array *compose_matrix_power(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->options->v[OPT_MATRIX_POWER_N].u.i;
    vn_array *x = vn__widen(in[0]), *z = NULL;
    if (n == 0) return vn__narrow(vn_broadcast_to(vn__identity(x), vn__result_shape(i)), i);
    if (n < 0) x = vn_inv(x);
    for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left && x; left /= 2) {
        if (left % 2) z = z ? vn_matmul(z, x) : x;
        if (left > 1) x = vn_matmul(x, x);
    }
    return x ? vn__narrow(z, i) : NULL;
}

/* Element k of x along the axis, keeping the axis with size 1. */
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
    const int64_t axis = i->options->v[OPT_CROSS_AXIS].u.i;
    vn_shape shape = vn__result_shape(i), start = {.rank = shape.rank};
    vn_array *x = vn_broadcast_to(vn_cast(in[0], (vn_dtype)i->dtype), shape),
             *y = vn_broadcast_to(vn_cast(in[1], (vn_dtype)i->dtype), shape);
    if (!x || !y) return NULL;
    vn_array *z = vn_zeros_like(x);
    for (int64_t k = 0; k < 3 && z; k++) {
        vn_array *up = vn_mul(component(x, axis, k + 1), component(y, axis, k + 2));
        start.dim[axis] = k;
        z = vn_slice_set(z, vn_sub(up, vn_mul(component(x, axis, k + 2), component(y, axis, k + 1))), vn__index(x, start));
    }
    return z;
}
