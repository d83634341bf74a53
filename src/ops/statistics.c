/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c: tolerance, covariance, histograms, running extremes and sums of exponentials. */
#include "ops/index.h"
#include <math.h>
#include "core/dtype.h"

/* ---- tolerance ---- */

/* Both in float64, or complex128: no difference of integers overflows, and no tolerance is rounded. */
static vn_array *wide(vn_array *x, bool complex)
{
    return vn_cast(x, complex ? VN_C128 : VN_F64);
}

/* Equal elements are close, whatever their difference. Integers are compared before they are cast. */
vn_array *compose_isclose(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], (vn_dtype)i->want[0]), *y = vn_cast(in[1], (vn_dtype)i->want[1]);
    if (!x || !y) return NULL;
    const bool complex = vn__is(vn_dtype_of(x), VN_COMPLEX);
    vn_array *same = vn_equal(x, y), *a = wide(x, complex), *b = wide(y, complex);
    vn_array *most = vn_add(vn__scaled(vn_abs(b), vn__real(i, OPT_ISCLOSE_RTOL)), vn_scalar(vn__real(i, OPT_ISCLOSE_ATOL)));
    vn_array *near = vn_logical_and(vn_less_equal(vn_abs(vn_sub(a, b)), most), vn_isfinite(b));
    vn_array *close = vn_logical_or(same, near);
    if (i->options->v[OPT_ISCLOSE_EQUAL_NAN].u.i) close = vn_logical_or(close, vn_logical_and(vn_isnan(a), vn_isnan(b)));
    return close;
}

int shape_allclose(vn__infer *i)
{
    int code = shape_broadcast(i);
    i->rank = 0;
    return code;
}

_Static_assert(AGREE(ISCLOSE, ALLCLOSE, RTOL) && AGREE(ISCLOSE, ALLCLOSE, ATOL) && AGREE(ISCLOSE, ALLCLOSE, EQUAL_NAN),
               "the rows number their options alike");
vn_array *compose_allclose(vn_array *const *in, const vn__infer *i)
{
    return vn_all(compose_isclose(in, i), VN_ALL);
}

/* ---- covariance ---- */

static int matrix_like(vn__infer *i, int k)
{
    char s[128];
    if (i->in[k]->rank > 2)
        FAIL(VN_E_SHAPE, "%s has shape %s, a vector or a matrix is needed (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), i->engine);
    return VN_OK;
}

/* The number of variables of input k, and of its observations. */
static int64_t variables(const vn__infer *i, int k, int columns_at, int64_t *observations)
{
    const vn__node *x = i->in[k];
    const bool columns = x->rank == 2 && i->options->v[columns_at].u.i;
    *observations = !x->rank ? 1 : vn__node_dims(x)[columns ? 0 : x->rank - 1];
    return x->rank < 2 ? 1 : vn__node_dims(x)[columns ? 1 : 0];
}

static int covariance_shape(vn__infer *i, int columns_at)
{
    int64_t n, m;
    char s[128], t[128];
    int code = matrix_like(i, 0);
    if (!code && i->in[1]) code = matrix_like(i, 1);
    if (code) return code;
    int64_t all = variables(i, 0, columns_at, &n);
    if (i->in[1]) {
        if (__builtin_add_overflow(all, variables(i, 1, columns_at, &m), &all))
            FAIL(VN_E_SHAPE, "more than %lld variables (%s)", (long long)INT64_MAX, i->engine);
        if (m != n)
            FAIL(VN_E_SHAPE, "x %s has %lld observations, y %s has %lld (%s)", shape_text(i->in[0], s), (long long)n,
                 shape_text(i->in[1], t), (long long)m, i->engine);
    }
    for (int k = 2; k < i->n; k++) {
        if (i->in[k] && (i->in[k]->rank != 1 || i->in[k]->count != n))
            FAIL(VN_E_SHAPE, "%s has shape %s, a weight for each of %lld observations is needed (%s)", i->op->info.inputs[k],
                 shape_text(i->in[k], s), (long long)n, i->engine);
    }
    vn__rule_result(i, all == 1 ? 0 : 2, (const int64_t[]){all, all});
    return VN_OK;
}
int shape_cov(vn__infer *i)
{
    return covariance_shape(i, OPT_COV_COLUMNS);
}
int shape_corrcoef(vn__infer *i)
{
    return covariance_shape(i, OPT_CORRCOEF_COLUMNS);
}

/* Weights are of any real dtype: they take no part in promotion. */
int dtype_cov(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    for (int k = 2; k < 4 && !code; k++) {
        if (!i->in[k] || vn__is(i->in[k]->dtype, k == 2 ? VN_INTS : VN_REAL)) continue;
        FAIL(VN_E_DTYPE, "%s is %s, %s is needed (%s)", i->op->info.inputs[k], dtype_text(i->in[k]->dtype),
             k == 2 ? "an integer dtype" : "an integer or float dtype", i->engine);
    }
    return code ? code : vn__rule_accept(i, i->dtype);
}

/* All variables in rows: (variables, observations), of the dtype that sums are computed in. */
static vn_array *observed(vn_array *const *in, const vn__infer *i, bool columns)
{
    vn_array *both[2];
    int n = 0;
    for (int k = 0; k < 2; k++) {
        if (!i->in[k]) continue;
        vn_array *x = vn__widen(vn_cast(in[k], (vn_dtype)i->dtype));
        if (!x) return NULL;
        both[n++] = vn_rank(x) < 2 ? vn_reshape(x, VN_SHAPE(1, -1)) : columns ? vn_matrix_transpose(x) : x;
    }
    return n == 1 ? both[0] : vn_concat(n, both, 0);
}

static vn_array *real_like(vn_array *weights, vn_array *x)
{
    const vn_dtype d = vn_dtype_of(x);
    return vn_cast(weights, d == VN_C64 ? VN_F32 : d == VN_C128 ? VN_F64 : d);
}

/* x: (variables, observations); w: (observations), or NULL; by: what the sums of squares are divided by */
static vn_array *covariance(vn_array *x, vn_array *w, vn_array *total, vn_array *by)
{
    vn_array *weighed = w ? vn_mul(x, w) : x, *d = vn_sub(x, vn_div(vn_sum(weighed, VN_KEEP(1)), total));
    return vn_div(vn_matmul(w ? vn_mul(d, w) : d, vn__conjugate(vn_matrix_transpose(d))), by);
}

vn_array *compose_cov(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = observed(in, i, i->options->v[OPT_COV_COLUMNS].u.i != 0), *correction = vn_scalar(vn__real(i, OPT_COV_CORRECTION));
    if (!x) return NULL;
    vn_array *f = i->in[2] ? real_like(in[2], x) : NULL, *a = i->in[3] ? real_like(in[3], x) : NULL, *w = f && a ? vn_mul(f, a) : f ? f : a;
    vn_array *total = w ? vn_sum(w, VN_ALL) : real_like(vn__filled(x, vn_dim(x, 1), VN_0D), x);
    if (a) correction = vn_div(vn_mul(vn_sum(vn_mul(w, a), VN_ALL), correction), total);
    vn_array *by = vn_maximum(vn_sub(total, correction), vn_scalar(0));
    return vn_reshape(vn__narrow(covariance(x, w, total, by), i), vn__result_shape(i));
}

static vn_array *within_1(vn_array *x)
{
    return vn_clip(x, vn_scalar(-1), vn_scalar(1));
}

vn_array *compose_corrcoef(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = observed(in, i, i->options->v[OPT_CORRCOEF_COLUMNS].u.i != 0);
    if (!x) return NULL;
    vn_array *n = vn_scalar((double)vn_dim(x, 1)), *c = covariance(x, NULL, n, n);
    vn_array *own = vn_diagonal(c, 0), *std = vn_sqrt(vn__is(i->dtype, VN_COMPLEX) ? vn_real(own) : own);
    c = vn_div(vn_div(c, vn_expand_dims(std, 1)), std);
    c = vn__is(i->dtype, VN_COMPLEX) ? vn_complex(within_1(vn_real(c)), within_1(vn_imag(c))) : within_1(c);
    return vn_reshape(vn__narrow(c, i), vn__result_shape(i));
}

/* ---- histograms ---- */

/* What limits of bins are in: the dtype of x, float64 for integers. */
static int limits_dtype(const vn__infer *i)
{
    return vn__is(i->in[0]->dtype, VN_FLOATS) ? i->in[0]->dtype : VN_F64;
}

/* Counts are int64, sums of weights have their dtype; densities are floats. */
int dtype_histogram(vn__infer *i)
{
    const vn__node *edges = i->in[1], *weights = i->in[2];
    if (edges && !vn__is(edges->dtype, VN_REAL))
        FAIL(VN_E_DTYPE, "edges is %s, an integer or float dtype is needed (%s)", dtype_text(edges->dtype), i->engine);
    if (weights && !vn__is(weights->dtype, VN_REAL))
        FAIL(VN_E_DTYPE, "weights is %s, an integer or float dtype is needed (%s)", dtype_text(weights->dtype), i->engine);
    i->dtype = weights ? weights->dtype : VN_I64;
    if (i->options->v[OPT_HISTOGRAM_DENSITY].u.i && !vn__is(i->dtype, VN_FLOATS)) i->dtype = limits_dtype(i);
    i->forms[0].dtype = limits_dtype(i);
    return vn__rule_accept(i, i->in[0]->dtype);
}

int shape_histogram(vn__infer *i)
{
    const vn__node *x = i->in[0], *edges = i->in[1];
    const double low = vn__real(i, OPT_HISTOGRAM_LOW), high = vn__real(i, OPT_HISTOGRAM_HIGH);
    int64_t bins = i->options->v[OPT_HISTOGRAM_BINS].u.i;
    char s[128];
    if (edges && (!isnan(low) || !isnan(high)))
        FAIL(VN_E_ARG, "low and high belong to bins of equal width; edges are given (%s)", i->engine);
    if (edges && (edges->rank != 1 || edges->count < 2))
        FAIL(VN_E_SHAPE, "edges has shape %s, a vector of two or more is needed (%s)", shape_text(edges, s), i->engine);
    if (low >= high || isinf(low) || isinf(high))
        FAIL(VN_E_ARG, "low is %g and high %g; finite numbers in this order are needed (%s)", low, high, i->engine);
    if (!edges && !x->count && (isnan(low) || isnan(high)))
        FAIL(VN_E_SHAPE, "x %s is empty: low and high, or edges, are needed (%s)", shape_text(x, s), i->engine);
    if (edges) bins = edges->count - 1;
    if (bins == INT64_MAX) FAIL(VN_E_ARG, "bins is %lld, too many (%s)", (long long)bins, i->engine);
    vn__rule_result(i, 1, &bins);
    vn__rule_result_at(i, 1, 1, (const int64_t[]){bins + 1});
    return i->in[2] ? vn__rule_like_first(i, 2) : VN_OK;
}

/* low, low + (high - low) / bins ... high, in float64, exact at both ends. An end that is not given is not beyond the one that is; equal
 * ends are moved apart by one half each. */
static vn_array *equal_bins(vn_array *x, const vn__infer *i)
{
    const double low = vn__real(i, OPT_HISTOGRAM_LOW), high = vn__real(i, OPT_HISTOGRAM_HIGH);
    const int64_t bins = i->dims[0];
    vn_array *wide = vn_cast(x, VN_F64), *k = vn_cast(vn__positions(x, bins + 1), VN_F64);
    vn_array *from = isnan(low) ? vn_min(wide, VN_ALL) : vn__number(wide, low),
             *to = isnan(high) ? vn_max(wide, VN_ALL) : vn__number(wide, high);
    if (isnan(high)) to = vn_maximum(to, from);
    else from = vn_minimum(from, to);
    vn_array *apart = vn__scaled(vn_cast(vn_equal(from, to), VN_F64), .5);
    from = vn_sub(from, apart);
    to = vn_add(to, apart);
    vn_array *inner = vn_add(vn_mul(k, vn_div(vn_sub(to, from), vn_scalar((double)bins))), from);
    return vn_where(vn_equal(k, vn_scalar((double)bins)), to, inner);
}

vn_array *compose_histogram(vn_array *const *in, const vn__infer *i)
{
    const vn_dtype d = (vn_dtype)limits_dtype(i);
    const int64_t bins = i->dims[0];
    vn_array *x = vn__flat(vn_cast(in[0], d)), *limits = vn_cast(i->in[1] ? in[1] : equal_bins(in[0], i), d);
    if (!x || !limits) return NULL;
    vn_array *last = vn__piece(limits, 0, bins, 1), *at = vn_searchsorted(limits, x, VN_NONE, VN_OPTS(searchsorted, .right = 1));
    at = vn_where(vn_equal(x, last), vn_scalar((double)bins - 1), vn_sub(at, vn_scalar(1)));
    at = vn_where(vn_less(at, vn_scalar(0)), vn_scalar((double)bins), at); /* out of range: not counted */
    vn_array *counts = vn_bincount(at, i->in[2] ? vn__flat(in[2]) : VN_NONE, bins, NULL);
    i->more[0] = limits;
    if (i->options->v[OPT_HISTOGRAM_DENSITY].u.i) {
        vn_array *widths = vn_cast(vn_diff(limits, VN_NONE, VN_NONE, -1, 1), VN_F64), *n = vn_cast(counts, VN_F64);
        counts = vn_div(vn_div(n, widths), vn_sum(n, VN_ALL));
    }
    return vn__narrow(counts, i);
}

/* ---- along an axis ---- */

_Static_assert(AGREE(CUMMAX, CUMULATIVE_SUM, AXIS) && AGREE(CUMMIN, CUMMAX, REVERSE) && AGREE(LOGCUMSUMEXP, CUMMAX, REVERSE),
               "the rows number their options alike");

/* Where there is no kernel, each element is combined with the one 1, 2, 4 ... before it, or behind it when reverse, in turn. */
typedef struct {
    vn_array *value, *at; /* at: NULL if no positions are wanted */
} prefix;

typedef prefix joining(prefix before, prefix here);

static prefix piece_of(prefix p, int axis, int64_t from, int64_t n)
{
    return (prefix){vn__piece(p.value, axis, from, n), p.at ? vn__piece(p.at, axis, from, n) : NULL};
}

static vn_array *joined(vn_array *rest, vn_array *made, int axis, bool reverse)
{
    return vn_concat(2, reverse ? (vn_array *[]){made, rest} : (vn_array *[]){rest, made}, axis);
}

static prefix doubled(prefix p, const vn__infer *i, joining *join)
{
    const int axis = (int)i->options->v[OPT_CUMMAX_AXIS].u.i;
    const bool reverse = i->options->v[OPT_CUMMAX_REVERSE].u.i != 0;
    const int64_t n = i->dims[axis];
    for (int64_t apart = 1; apart < n && p.value; apart *= 2) {
        const prefix low = piece_of(p, axis, 0, n - apart), high = piece_of(p, axis, apart, n - apart);
        const prefix made = reverse ? join(high, low) : join(low, high), rest = piece_of(p, axis, reverse ? n - apart : 0, apart);
        p.value = joined(rest.value, made.value, axis, reverse);
        if (p.at) p.at = joined(rest.at, made.at, axis, reverse);
    }
    return p;
}

/* The later one stays unless the one before it is strictly better; a NaN always stays, and passes on. */
static prefix better(prefix before, prefix here, vn_array *stays)
{
    if (vn__is(vn_dtype_of(here.value), VN_FLOATS))
        stays = vn_logical_or(vn_isnan(here.value), vn_logical_and(stays, vn_logical_not(vn_isnan(before.value))));
    return (prefix){vn_where(stays, here.value, before.value), vn_where(stays, here.at, before.at)};
}
static prefix larger(prefix before, prefix here)
{
    return better(before, here, vn_greater_equal(here.value, before.value));
}
static prefix smaller(prefix before, prefix here)
{
    return better(before, here, vn_less_equal(here.value, before.value));
}

static vn_array *extremes(vn_array *x, const vn__infer *i, joining *join)
{
    const int axis = (int)i->options->v[OPT_CUMMAX_AXIS].u.i;
    vn_shape along = {.rank = i->rank};
    for (int k = 0; k < i->rank; k++) along.dim[k] = k == axis ? i->dims[axis] : 1;
    vn_array *at = vn_broadcast_to(vn_reshape(vn__positions(x, i->dims[axis]), along), vn__result_shape(i));
    const prefix z = doubled((prefix){vn_positive(x), at}, i, join);
    i->more[0] = z.at;
    return z.at ? z.value : NULL;
}

vn_array *compose_cummax(vn_array *const *in, const vn__infer *i)
{
    return extremes(in[0], i, larger);
}
vn_array *compose_cummin(vn_array *const *in, const vn__infer *i)
{
    return extremes(in[0], i, smaller);
}

static prefix exponentials(prefix before, prefix here)
{
    return (prefix){vn_logaddexp(before.value, here.value), NULL};
}
vn_array *compose_logcumsumexp(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(doubled((prefix){vn_cast(in[0], VN_F64), NULL}, i, exponentials).value, i);
}

/* The cotangent of each value goes to the element at its position. */
vn_array *vjp_cummax(const vn__vjp_args *a, int k)
{
    return vn_put_along_axis(vn_zeros_like(a->in[k]), a->outs[1], a->cts[0], a->options[OPT_CUMMAX_AXIS].u.i,
                             VN_OPTS(put_along_axis, .add = 1));
}

/* exp(x) times the sum, over the results z that x is part of, of ct exp(-z) where ct is above 0: by logarithms, so that nothing overflows. */
static vn_array *carried(const vn__vjp_args *a, vn_array *ct)
{
    vn_array *x = a->in[0], *z = a->out, *counts = vn_logical_and(vn__above_0(ct), vn_isfinite(z));
    vn_array *part = vn_sub(vn_log(vn_where(counts, ct, vn_scalar(1))), vn_where(counts, z, vn_scalar(0)));
    part = vn_logcumsumexp(vn_where(counts, part, vn_scalar(-INFINITY)), a->options[OPT_LOGCUMSUMEXP_AXIS].u.i,
                           VN_OPTS(logcumsumexp, .reverse = !a->options[OPT_LOGCUMSUMEXP_REVERSE].u.i));
    vn_array *some = vn_logical_and(vn_isfinite(x), vn_isfinite(part));
    vn_array *power = vn_add(vn_where(some, x, vn_scalar(0)), vn_where(some, part, vn_scalar(0)));
    return vn_where(some, vn_exp(power), vn_scalar(0));
}

vn_array *vjp_logcumsumexp(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn_sub(carried(a, a->ct), carried(a, vn_neg(a->ct)));
}
