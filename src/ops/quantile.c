/* SPDX-License-Identifier: Apache-2.0 */
/* quantile.c: medians, quantiles and percentiles, by sorting; and the forms of them that leave NaN out. */
#include "ops/index.h"
#include <math.h>
#include "core/dtype.h"

_Static_assert(AGREE(QUANTILE, MEDIAN, AXES) && AGREE(QUANTILE, SUM, AXES) && AGREE(QUANTILE, SUM, KEEPDIMS) &&
                   AGREE(QUANTILE, MAX, AXES) && AGREE(QUANTILE, NANQUANTILE, METHOD) && AGREE(QUANTILE, MEAN, AXES),
               "the rows number their options alike");

/* What lies between two elements. */
typedef enum {
    LINEAR,
    LOWER,
    HIGHER,
    MIDPOINT,
    NEAREST,
    HAZEN,
    WEIBULL,
    MEDIAN_UNBIASED,
    NORMAL_UNBIASED
} method; /* as the rows have them */

/* ---- rules ---- */

/* q, input 1, takes no part in promotion: positions are computed in float64. */
int dtype_quantile(vn__infer *i)
{
    const int q = i->in[1]->dtype;
    i->dtype = i->in[0]->dtype;
    if (!vn__is(q, VN_REAL)) FAIL(VN_E_DTYPE, "q is %s, a float dtype is needed (%s)", dtype_text(q), i->engine);
    i->want[1] = VN_F64;
    return vn__rule_accept(i, i->dtype);
}

/* The axes of q, then those that the reduction leaves. */
int shape_quantile(vn__infer *i)
{
    enum { FEW = 2 }; /* quantiles that take less time one by one than sorting for all of them */
    const vn__node *q = i->in[1];
    int64_t left[VN_MAX_RANK];
    char s[128], t[128];
    int code = shape_extreme(i), rank = i->rank;
    if (code) return code;
    memcpy(left, i->dims, sizeof left);
    if (q->rank + rank > VN_MAX_RANK)
        FAIL(VN_E_SHAPE, "x %s with q %s gives rank %d, at most %d is allowed (%s)", shape_text(i->in[0], s), shape_text(q, t),
             q->rank + rank, VN_MAX_RANK, i->engine);
    vn__rule_result(i, q->rank, vn__node_dims(q));
    memcpy(i->dims + q->rank, left, (size_t)rank * sizeof *left);
    i->rank += rank;
    i->in_pieces = vn__choice(i, OPT_QUANTILE_METHOD) != LINEAR || !i->options->v[OPT_QUANTILE_AXES].n || !i->in[0]->count || !q->count ||
                   q->count > FEW;
    return VN_OK;
}

/* Kernels reduce some elements over some axes. */
int shape_median(vn__infer *i)
{
    int code = shape_extreme(i);
    i->in_pieces = !i->options->v[OPT_MEDIAN_AXES].n || !i->in[0]->count;
    return code;
}

/* ---- sorted rows ---- */

/* The elements that a reduction over the first option's axes combines, sorted, in rows: (m, n). NaNs are last. */
static vn_array *sorted_rows(vn_array *x, const vn__infer *i)
{
    const vn_axes reduced = vn__axes_of(i, 0);
    vn_axes order = {.n = vn_rank(x)};
    int64_t m = 1, n = 1;
    int at = 0;
    for (int a = 0, k = 0; a < order.n; a++) { /* kept axes first */
        const bool is_reduced = k < reduced.n && reduced.axis[k] == a;
        k += is_reduced;
        if (is_reduced) n *= vn_dim(x, a);
        else m *= vn_dim(x, a), order.axis[at++] = a;
    }
    for (int k = 0; k < reduced.n; k++) order.axis[at++] = reduced.axis[k];
    return vn_sort(vn_reshape(vn_permute_dims(x, order), VN_SHAPE(m, n)), 1, NULL);
}

static vn_array *last_is_nan(vn_array *rows)
{
    return vn_isnan(vn__piece(rows, 1, vn_dim(rows, 1) - 1, 1));
}

vn_array *compose_median(vn_array *const *in, const vn__infer *i)
{
    vn_array *rows = sorted_rows(vn__widen(in[0]), i);
    if (!rows) return NULL;
    const int64_t n = vn_dim(rows, 1);
    vn_array *middle = vn__piece(rows, 1, n / 2, 1);
    if (n % 2 == 0) middle = vn_add(vn__scaled(vn__piece(rows, 1, n / 2 - 1, 1), .5), vn__scaled(middle, .5)); /* cannot overflow */
    middle = vn_where(last_is_nan(rows), vn_scalar(NAN), middle);
    return vn_reshape(vn__narrow(middle, i), vn__result_shape(i));
}

/* ---- between two elements ---- */

/* Where q lies among `count` elements, from 0 to count - 1; with parameter a (and b = a) it is count q + a + q (1 - 2a) - 1. */
static vn_array *position(vn_array *q, vn_array *count, method by)
{
    static const double parameter[] = {1, 1, 1, 1, 1, .5, 0, 1. / 3, 3. / 8};
    const double a = parameter[by];
    vn_array *last = vn_sub(count, vn_scalar(1)), *p = vn_mul(q, last);
    if (a < 1) p = vn_add(vn_mul(q, count), vn_add(vn__scaled(q, 1 - 2 * a), vn_scalar(a - 1)));
    switch (by) {
    case LOWER: p = vn_floor(p); break;
    case HIGHER: p = vn_ceil(p); break;
    case NEAREST: p = vn_round(p); break;
    case MIDPOINT: p = vn__scaled(vn_add(vn_floor(p), vn_ceil(p)), .5); break;
    default: break;
    }
    return vn_minimum(vn_maximum(p, vn_scalar(0)), last);
}

static vn_array *element_at(vn_array *rows, vn_array *at)
{
    return vn__take_along(rows, vn_cast(at, VN_I64), 1);
}

/* rows: (m, n), sorted; count: (m, 1), float64, how many of each are numbers; q: (k), float64. Gives (m, k). */
static vn_array *quantiles(vn_array *rows, vn_array *count, vn_array *q, method by)
{
    vn_array *valid = vn_logical_and(vn_greater_equal(q, vn_scalar(0)), vn_less_equal(q, vn_scalar(1)));
    vn_array *some = vn_maximum(count, vn_scalar(1)), *p = position(vn_where(valid, q, vn_scalar(0)), some, by);
    vn_array *low = vn_floor(vn_stop_gradient(p)), *high = vn_minimum(vn_add(low, vn_scalar(1)), vn_sub(some, vn_scalar(1)));
    vn_array *a = element_at(rows, low), *b = element_at(rows, high), *t = vn_sub(p, low);
    if (vn_dtype_of(rows) != VN_F64) t = vn_cast(t, vn_dtype_of(rows));
    vn_array *mixed = vn_add(vn_mul(a, vn_sub(vn_scalar(1), t)), vn_mul(b, t));
    vn_array *alone = vn_logical_or(vn_equal(t, vn_scalar(0)), vn_equal(a, b)); /* where an infinity would make NaN */
    return vn_where(vn_logical_and(valid, vn_greater(count, vn_scalar(0))), vn_where(alone, a, mixed), vn_scalar(NAN));
}

/* In the result's shape: (k), then what is left of x. */
static vn_array *by_quantile(vn_array *const *in, const vn__infer *i, double whole, bool without_nan)
{
    vn_array *rows = sorted_rows(vn__widen(in[0]), i), *q = vn__flat(vn_cast(in[1], VN_F64)), *count;
    if (!rows || !q) return NULL;
    const vn_shape column = VN_SHAPE(vn_dim(rows, 0), 1);
    if (whole != 1) q = vn_div(q, vn_scalar(whole));
    if (without_nan) count = vn_cast(vn_sum(vn_logical_not(vn_isnan(rows)), VN_KEEP(1)), VN_F64);
    else count = vn_broadcast_to(vn_cast(vn__filled(rows, vn_dim(rows, 1), VN_0D), VN_F64), column);
    vn_array *z = quantiles(rows, count, q, (method)vn__choice(i, OPT_QUANTILE_METHOD));
    if (!without_nan) z = vn_where(last_is_nan(rows), vn_scalar(NAN), z);
    return vn_reshape(vn_matrix_transpose(vn__narrow(z, i)), vn__result_shape(i));
}

vn_array *compose_quantile(vn_array *const *in, const vn__infer *i)
{
    return by_quantile(in, i, 1, false);
}
vn_array *compose_percentile(vn_array *const *in, const vn__infer *i)
{
    return by_quantile(in, i, 100, false);
}
vn_array *compose_nanquantile(vn_array *const *in, const vn__infer *i)
{
    return by_quantile(in, i, 1, true);
}
vn_array *compose_nanpercentile(vn_array *const *in, const vn__infer *i)
{
    return by_quantile(in, i, 100, true);
}
vn_array *compose_nanmedian(vn_array *const *in, const vn__infer *i)
{
    return vn_nanquantile(in[0], vn_scalar(.5), vn__axes_of(i, (int)i->options->v[OPT_NANMEDIAN_KEEPDIMS].u.i), NULL);
}
