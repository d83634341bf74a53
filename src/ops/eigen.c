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

int shape_svdvals(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    if (!code) vn__rule_per_matrix(i, 0, VN_SHAPE(smaller(i->in[0])));
    return code;
}

/* rtol, where it is given, broadcasts to a number for each matrix. */
static int check_rtol(vn__infer *i)
{
    int code = vn__needs_matrix(i, 0);
    return code || i->n < 2 || !i->in[1] ? code : vn__rule_reaches(i, i->in[1], i->in[0]->rank - 2, vn__node_dims(i->in[0]));
}

int shape_pinv(vn__infer *i)
{
    int code = check_rtol(i);
    if (!code) vn__rule_per_matrix(i, 0, VN_SHAPE(vn__cols(i->in[0]), vn__rows(i->in[0])));
    return code;
}

/* rtol is a real number of any precision. */
int dtype_pinv(vn__infer *i)
{
    int code = dtype_same(i);
    if (code || i->n < 2 || !i->in[1]) return code;
    if (!vn__is(i->in[1]->dtype, VN_FLOATS))
        FAIL(VN_E_DTYPE, "rtol is %s, a float dtype is needed (%s)", dtype_text(i->in[1]->dtype), i->engine);
    return VN_OK;
}

int dtype_rank(vn__infer *i)
{
    int code = dtype_pinv(i);
    i->dtype = VN_I64;
    return code;
}

int shape_rank(vn__infer *i)
{
    int code = check_rtol(i);
    if (!code) vn__rule_per_matrix(i, 0, VN_0D);
    return code;
}

/* One number per matrix. */
int shape_per_matrix(vn__infer *i)
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
    const double unit = 4 * (double)n * (vn_dtype_of(v) == VN_F64 ? DBL_EPSILON : FLT_EPSILON);
    vn_array *least = vn__scaled(vn_expand_dims(vn_max(vn_abs(v), VN_KEEP(-1)), -1), unit);
    return vn_where(vn_less_equal(vn_abs(d), least), vn_scalar(0), d);
}

/* v[j] + v[i] */
static vn_array *sums(vn_array *v)
{
    return vn_add(vn_expand_dims(v, -2), vn_expand_dims(v, -1));
}

/* ---- symmetric matrices ---- */

/* With vectors v: v (diag(ct of values) + v^T ct / differences) v^T for symmetric changes; elements below the diagonal also represent their
 * mirror images. */
vn_array *vjp_eigh(const vn__vjp_args *a, int k)
{
    vn_array *values = a->outs[0], *v = a->outs[1], *vt = vn__transpose(v), *g = NULL;
    (void)k;
    if (a->cts[0]) g = vn_matmul(times_columns(v, a->cts[0]), vt);
    if (a->cts[1]) {
        vn_array *by_vectors = vn_mul(vn_matmul(vt, a->cts[1]), inverse_or_zero(differences(values)));
        g = vn__plus(g, vn_matmul(vn_matmul(v, by_vectors), vt));
    }
    return vn__half_lower(vn_add(g, vn__transpose(g)));
}

vn_array *compose_eigh(vn_array *const *in, const vn__infer *i)
{
    if (!vn__is(i->dtype, VN_HALF)) return VN__AS_IS;
    vn_array *vectors = NULL, *values = vn_eigh(vn__widen(in[0]), &vectors);
    i->more[0] = vn__narrow(vectors, i);
    return vn__narrow(values, i);
}

/* Of complex matrices as real ones (vn__embedded) every eigenvalue and singular value comes twice; the mean of both has the gradient that
 * belongs to it, whatever vectors were found for the pair. */
static vn_array *once_each(vn_array *twice, const vn__infer *i)
{
    vn_shape pairs = vn__result_shape(i);
    pairs.dim[pairs.rank++] = 2;
    return vn_mean(vn_reshape(twice, pairs), VN_AXES(-1));
}

/* The lower triangle of x, mirrored where the lower triangle of the result needs it. */
static vn_array *embedded_hermitian(vn_array *x)
{
    vn_array *re = vn_real(x), *below = vn_tril(vn_imag(x), -1), *im = vn_sub(below, vn__transpose(below));
    return vn__joined((vn_array *[]){re, im, im, re});
}

/* Unused vectors are not computed. */
vn_array *compose_eigvalsh(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    if (vn__is(vn_dtype_of(in[0]), VN_COMPLEX)) {
        vn_array *of_pairs = once_each(vn_eigvalsh(embedded_hermitian(in[0])), i);
        return of_pairs ? vn_pass(of_pairs) : NULL;
    }
    vn_array *vectors = NULL, *values = vn__narrow(vn_eigh(in[0], &vectors), i);
    return values ? vn_pass(values) : NULL;
}

/* ---- singular values ---- */

/* x - x^T */
static vn_array *antisymmetric(vn_array *x)
{
    return vn_sub(x, vn__transpose(x));
}

/* u (diag(ct_s) + f (a s_j + b s_i)) vh with a = u^T ct_u - ct_u^T u, b = v^T ct_v - ct_v^T v and f = 1 / (s_j^2 - s_i^2), plus the part of
 * ct_u outside the span of u, divided by s. f (a s_j + b s_i) is computed as ((a + b) / (s_j - s_i) + (a - b) / (s_j + s_i)) / 2, of which
 * the second part is right for equal singular values too. */
vn_array *vjp_svd(const vn__vjp_args *args, int k)
{
    vn_array *u = args->outs[0], *s = args->outs[1], *vh = args->outs[2], *ct_u = args->cts[0], *ct_s = args->cts[1], *ct_vh = args->cts[2];
    vn_array *a = NULL, *b = NULL, *inner = NULL, *outside = NULL;
    if (ct_u) {
        vn_array *ut_ct = vn_matmul(vn__transpose(u), ct_u);
        a = antisymmetric(ut_ct);
        if (vn__row_count(args->in[k]) > vn__col_count(args->in[k]))
            outside = times_columns(vn_sub(ct_u, vn_matmul(u, ut_ct)), inverse_or_zero(s));
    }
    if (ct_vh) b = antisymmetric(vn_matmul(vh, vn__transpose(ct_vh)));
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
    i->more[0] = vn__narrow(s, i);
    i->more[1] = vn__narrow(wide ? vn__transpose(left) : right, i);
    return vn__narrow(wide ? vn__transpose(right) : left, i);
}

vn_array *compose_svdvals(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    if (vn__is(vn_dtype_of(in[0]), VN_COMPLEX)) {
        vn_array *of_pairs = once_each(vn_svdvals(vn__embedded(in[0])), i);
        return of_pairs ? vn_pass(of_pairs) : NULL;
    }
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(vn__widen(in[0]), NULL, &s, &vh);
    return u && (s = vn__narrow(s, i)) ? vn_pass(s) : NULL;
}

/* True where a singular value is not negligible. s: (..., k), descending; rtol: a number for each matrix, or NULL */
static vn_array *counts(vn_array *s, const vn_array *x, vn_array *rtol)
{
    static const double epsilon[VN_DTYPE_COUNT] = {[VN_F16] = 0x1p-10,     [VN_BF16] = 0x1p-7,     [VN_F32] = FLT_EPSILON,
                                                   [VN_F64] = DBL_EPSILON, [VN_C64] = FLT_EPSILON, [VN_C128] = DBL_EPSILON};
    const int64_t m = vn__row_count(x), n = vn__col_count(x);
    if (!s || !vn_size(s)) return s ? vn_greater(s, s) : NULL;
    if (!rtol) rtol = vn_scalar((double)vn__max(m, n) * epsilon[vn_dtype_of(x)]);
    else if (vn_rank(rtol)) rtol = vn_expand_dims(rtol, -1);
    return vn_greater(s, vn_mul(vn_max(s, VN_KEEP(-1)), rtol));
}

static vn_array *tolerance(vn_array *const *in, const vn__infer *i)
{
    return i->n > 1 && i->in[1] ? in[1] : NULL;
}

vn_array *compose_pinv(vn_array *const *in, const vn__infer *i)
{
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(vn__widen(in[0]), NULL, &s, &vh);
    if (!u) return NULL;
    vn_array *kept = counts(s, in[0], tolerance(in, i));
    vn_array *inverse = vn_where(kept, vn_reciprocal(vn_where(kept, s, vn_scalar(1))), vn_mul(s, vn_scalar(0))); /* NaN stays */
    return vn__narrow(vn_matmul(times_columns(vn__transpose(vh), inverse), vn__transpose(u)), i);
}

vn_array *compose_matrix_rank(vn_array *const *in, const vn__infer *i)
{
    return vn_sum(counts(vn_svdvals(vn__widen(in[0])), in[0], tolerance(in, i)), VN_AXES(-1));
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
