/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c: elementwise functions, tests and reductions that are written in other ops (table/numbers.def). */
#include "ops/index.h"
#include "core/dtype.h"
#include <math.h>

/* Input k in the dtype of the result, half precision widened. */
static vn_array *wide(vn_array *const *in, const vn__infer *i, int k)
{
    return vn__widen(vn_cast(in[k], (vn_dtype)i->dtype));
}

static bool is_float(const vn__infer *i)
{
    return vn__is(i->dtype, VN_FLOATS);
}

/* ---- quotients ---- */

/* true where x and y have different signs */
static vn_array *signs_differ(vn_array *x, vn_array *y)
{
    return vn_logical_xor(vn_less(x, vn_scalar(0)), vn_less(y, vn_scalar(0)));
}

/* Of sizes, the remainder is exact, and has the sign of y otherwise; the rest of integers is corrected where it took y's sign. */
vn_array *compose_fmod(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = wide(in, i, 0), *y = wide(in, i, 1);
    if (is_float(i)) return vn__narrow(vn_copysign(vn_remainder(vn_abs(x), vn_abs(y)), x), i);
    vn_array *r = vn_remainder(x, y);
    if (vn__is(i->dtype, VN_UNSIGNED)) return r;
    return vn_where(vn_logical_and(vn_not_equal(r, vn_scalar(0)), signs_differ(x, y)), vn_sub(r, y), r);
}

vn_array *compose_trunc_divide(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = wide(in, i, 0), *y = wide(in, i, 1);
    if (is_float(i)) return vn__narrow(vn_trunc(vn_div(x, y)), i);
    vn_array *q = vn_floor_divide(x, y);
    if (vn__is(i->dtype, VN_UNSIGNED)) return q;
    vn_array *inexact = vn_logical_and(vn_not_equal(vn_remainder(x, y), vn_scalar(0)), signs_differ(x, y));
    return vn_where(inexact, vn_add(q, vn_scalar(1)), q);
}

vn_array *compose_divmod(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype);
    i->more[0] = vn_remainder(x, y);
    return vn_floor_divide(x, y);
}

/* No infinity may reach the gradient, so y is replaced before it divides. */
vn_array *compose_divide_no_nan(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = wide(in, i, 0), *y = wide(in, i, 1), *zero = vn_equal(y, vn_scalar(0));
    return vn__narrow(vn_where(zero, vn_scalar(0), vn_div(x, vn_where(zero, vn_scalar(1), y))), i);
}

vn_array *compose_stable_divide(vn_array *const *in, const vn__infer *i)
{
    vn_array *y = vn_add(wide(in, i, 1), vn_scalar(vn__real(i, OPT_STABLE_DIVIDE_MIN_BASE)));
    return vn__narrow(vn_div(wide(in, i, 0), y), i);
}

vn_array *compose_stable_pow(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_add(wide(in, i, 0), vn_scalar(vn__real(i, OPT_STABLE_POW_MIN_BASE)));
    return vn__narrow(vn_pow(x, wide(in, i, 1)), i);
}

int dtype_float_power(vn__infer *i)
{
    const int code = dtype_promote(i);
    if (code) return code;
    i->dtype = vn__is(i->dtype, VN_COMPLEX) ? VN_C128 : VN_F64;
    i->want[0] = i->want[1] = i->dtype;
    return VN_OK;
}

vn_array *compose_float_power(vn_array *const *in, const vn__infer *i)
{
    return vn_pow(vn_cast(in[0], (vn_dtype)i->dtype), vn_cast(in[1], (vn_dtype)i->dtype));
}

/* ---- elementwise ---- */

vn_array *compose_lerp(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = wide(in, i, 0);
    return vn__narrow(vn_add(x, vn_mul(wide(in, i, 2), vn_sub(wide(in, i, 1), x))), i);
}

vn_array *compose_modf(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0], *whole = vn_trunc(x), *rest = vn_where(vn_isinf(x), vn_scalar(0), vn_sub(x, whole));
    i->more[0] = whole;
    return vn_copysign(rest, x);
}

vn_array *compose_binarize(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = is_float(i) ? in[0] : vn_cast(in[0], VN_F64);
    return vn_cast(vn_greater(x, vn_scalar(vn__real(i, OPT_BINARIZE_THRESHOLD))), (vn_dtype)i->dtype);
}

vn_array *compose_scaled_tanh(vn_array *const *in, const vn__infer *i)
{
    vn_array *t = vn_tanh(vn__scaled(vn__widen(in[0]), vn__real(i, OPT_SCALED_TANH_BETA)));
    return vn__narrow(vn__scaled(t, vn__real(i, OPT_SCALED_TANH_ALPHA)), i);
}

vn_array *compose_sparse_sigmoid(vn_array *const *in, const vn__infer *i)
{
    vn_array *y = vn__scaled(vn_add(vn__widen(in[0]), vn_scalar(1)), .5);
    return vn__narrow(vn_clip(y, vn_scalar(0), vn_scalar(1)), i);
}

vn_array *compose_relu_squared(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn_square(vn_relu(vn__widen(in[0]))), i);
}

vn_array *compose_quick_gelu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(vn_mul(x, vn_sigmoid(vn__scaled(x, 1.702))), i);
}

vn_array *compose_shrink(vn_array *const *in, const vn__infer *i)
{
    const double bound = vn__real(i, OPT_SHRINK_BOUND), bias = vn__real(i, OPT_SHRINK_BIAS);
    vn_array *x = vn__widen(in[0]), *zero = vn_where(vn_isnan(x), x, vn_scalar(0));
    vn_array *below = vn_where(vn_less(x, vn_scalar(-bound)), vn_add(x, vn_scalar(bias)), zero);
    return vn__narrow(vn_where(vn_greater(x, vn_scalar(bound)), vn_sub(x, vn_scalar(bias)), below), i);
}

int shape_polyval(vn__infer *i)
{
    const vn__node *p = i->in[0], *x = i->in[1];
    char s[128];
    if (p->rank != 1) FAIL(VN_E_SHAPE, "coefficients has shape %s, a vector is needed (%s)", shape_text(p, s), i->engine);
    vn__rule_result(i, x->rank, vn__node_dims(x));
    return VN_OK;
}

/* Half as many coefficients (m, n or 1), for the squares of x (n): those of even powers plus x times the others. */
static vn_array *paired(vn_array *c, vn_array *x)
{
    if (c && vn_dim(c, 0) % 2) c = vn_pad(c, VN_SHAPE(1, 0), VN_SHAPE(0, 0), NULL);
    if (!c) return NULL;
    const int64_t pairs = vn_dim(c, 0) / 2, n = vn_dim(c, 1);
    vn_array *both = vn_reshape(c, VN_SHAPE(pairs, 2, n));
    vn_array *high = vn_reshape(vn__piece(both, 1, 0, 1), VN_SHAPE(pairs, n));
    return vn_add(vn_mul(high, x), vn_reshape(vn__piece(both, 1, 1, 1), VN_SHAPE(pairs, n)));
}

/* Horner's rule; the steps of very many coefficients are paired first, so that the program stays short. */
vn_array *compose_polyval(vn_array *const *in, const vn__infer *i)
{
    enum { MAX_COEFFICIENTS = 64 };
    vn_array *p = wide(in, i, 0), *x = wide(in, i, 1);
    if (!p || !x) return NULL;
    x = vn_reshape(x, VN_SHAPE(vn_size(x)));
    vn_array *c = vn_reshape(p, VN_SHAPE(vn_dim(p, 0), 1)), *y = vn_zeros(VN_SHAPE(vn_size(x)), vn_dtype_of(x));
    for (; c && vn_dim(c, 0) > MAX_COEFFICIENTS; x = vn_mul(x, x)) c = paired(c, x);
    for (int64_t k = 0; c && y && k < vn_dim(c, 0); k++)
        y = vn_add(vn_mul(y, x), vn_reshape(vn__piece(c, 0, k, 1), VN_SHAPE(vn_dim(c, 1))));
    return c && y ? vn__narrow(vn_reshape(y, vn__result_shape(i)), i) : NULL;
}

/* ---- complex numbers ---- */

vn_array *compose_polar(vn_array *const *in, const vn__infer *i)
{
    vn_array *r = vn_cast(in[0], (vn_dtype)i->want[0]), *a = vn_cast(in[1], (vn_dtype)i->want[1]);
    return vn_complex(vn_mul(r, vn_cos(a)), vn_mul(r, vn_sin(a)));
}

int shape_view_as_complex(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (!x->rank || vn__node_dims(x)[x->rank - 1] != 2)
        FAIL(VN_E_SHAPE, "x has shape %s, a last axis of 2 is needed (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, x->rank - 1, vn__node_dims(x));
    return VN_OK;
}

int dtype_view_as_complex(vn__infer *i)
{
    i->dtype = i->in[0]->dtype == VN_F64 ? VN_C128 : VN_C64;
    return vn__rule_accept(i, i->in[0]->dtype);
}

vn_array *compose_view_as_complex(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    const int last = vn_rank(x) - 1;
    return vn_reshape(vn_complex(vn__piece(x, last, 0, 1), vn__piece(x, last, 1, 1)), vn__result_shape(i));
}

int shape_view_as_real(vn__infer *i)
{
    const int code = shape_same(i);
    if (code) return code;
    if (i->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->dims[i->rank++] = 2;
    return VN_OK;
}

vn_array *compose_view_as_real(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_stack(2, (vn_array *[]){vn_real(in[0]), vn_imag(in[0])}, -1);
}

/* ---- casts ---- */

int dtype_saturate_cast(vn__infer *i)
{
    const int code = vn__rule_accept(i, i->in[0]->dtype);
    return code ? code : vn__rule_dtype(i, OPT_SATURATE_CAST_DTYPE);
}

/* Limits of an integer dtype that lie inside those of x's are where x is cut; cast has done so for floats. */
vn_array *compose_saturate_cast(vn_array *const *in, const vn__infer *i)
{
    const int from = i->in[0]->dtype, to = i->dtype;
    const vn_dtype wanted = (vn_dtype)to;
    if (vn__is(from, VN_FLOATS) && vn__is(to, VN_FLOATS)) {
        double most = to == VN_F16 ? 65504 : to == VN_BF16 ? 0x1.fep127 : to == VN_F32 ? 0x1.fffffep127 : INFINITY;
        const double least_wide = from == VN_F16 ? 65504 : from == VN_F64 ? INFINITY : 0x1.fffffep127;
        return most < least_wide || from == VN_F64 ? vn_cast(vn_clip(in[0], vn_scalar(-most), vn_scalar(most)), wanted)
                                                   : vn_cast(in[0], wanted);
    }
    if (!vn__is(from, VN_INTS) || !vn__is(to, VN_INTS)) return vn_cast(in[0], wanted);
    const int bits = 8 * (int)vn_dtype_size(wanted), width = 8 * (int)vn_dtype_size((vn_dtype)from);
    const bool to_unsigned = vn__is(to, VN_UNSIGNED), from_unsigned = vn__is(from, VN_UNSIGNED);
    const int to_bits = bits - !to_unsigned, from_bits = width - !from_unsigned; /* of the largest numbers */
    vn_array *x = in[0];
    if (!from_unsigned && to_unsigned) x = vn_maximum(x, vn_scalar_int(0));
    else if (!from_unsigned && width > bits) x = vn_maximum(x, vn_scalar_int(-(int64_t)(UINT64_C(1) << (bits - 1))));
    if (to_bits < from_bits) x = vn_minimum(x, vn_scalar_int((int64_t)(to_bits == 63 ? INT64_MAX : (INT64_C(1) << to_bits) - 1)));
    return vn_cast(x, wanted);
}

/* ---- tests ---- */

vn_array *compose_isreal(vn_array *const *in, const vn__infer *i)
{
    if (!vn__is(i->in[0]->dtype, VN_COMPLEX)) return vn_broadcast_to(vn_cast(vn__number(in[0], 1), VN_BOOL), vn_shape_of(in[0]));
    return vn_equal(vn_imag(in[0]), vn_scalar(0));
}

vn_array *compose_isposinf(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_equal(in[0], vn_scalar(INFINITY));
}

vn_array *compose_isneginf(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_equal(in[0], vn_scalar(-INFINITY));
}

int shape_one_number(vn__infer *i)
{
    i->rank = 0;
    return VN_OK;
}

vn_array *compose_has_nans(vn_array *const *in, const vn__infer *i)
{
    vn_array *bad = i->options->v[OPT_HAS_NANS_OR_INFINITE].u.i ? vn_logical_not(vn_isfinite(in[0])) : vn_isnan(in[0]);
    return vn_any(bad, VN_ALL);
}

static bool one_shape(const vn__infer *i)
{
    for (int k = 1; k < i->n; k++) {
        const vn__node *x = i->in[0], *y = i->in[k];
        if (x->rank != y->rank || memcmp(vn__node_dims(x), vn__node_dims(y), (size_t)x->rank * sizeof(int64_t)) != 0) return false;
    }
    return true;
}

vn_array *compose_array_equal(vn_array *const *in, const vn__infer *i)
{
    vn_array *equal = vn_cast(vn__number(in[0], one_shape(i)), VN_BOOL);
    if (!one_shape(i)) return equal;
    for (int k = 1; k < i->n; k++) {
        vn_array *x = vn_cast(in[0], (vn_dtype)i->want[0]), *y = vn_cast(in[k], (vn_dtype)i->want[k]);
        equal = vn_logical_and(equal, vn_all(vn_equal(x, y), VN_ALL));
    }
    return equal;
}

/* ---- reductions ---- */

_Static_assert(AGREE(PTP, SUM, AXES) && AGREE(AVERAGE, SUM, KEEPDIMS) && AGREE(VAR_MEAN, VAR, CORRECTION) &&
                   AGREE(NANARGMAX, ARGMAX, KEEPDIMS) && AGREE(NANARGMIN, ARGMAX, AXES),
               "the rows number their options alike");

static vn_axes axes_of(const vn__infer *i)
{
    return vn__axes_of(i, (int)i->options->v[OPT_PTP_KEEPDIMS].u.i);
}

vn_array *compose_ptp(vn_array *const *in, const vn__infer *i)
{
    return vn_sub(vn_max(in[0], axes_of(i)), vn_min(in[0], axes_of(i)));
}

int shape_average(vn__infer *i)
{
    const vn__node *x = i->in[0], *w = i->in[1];
    const int code = w ? vn__rule_reaches(i, w, x->rank, vn__node_dims(x)) : VN_OK;
    return code ? code : shape_reduce(i);
}

vn_array *compose_average(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = wide(in, i, 0);
    if (!i->in[1] || !x) return x ? vn__narrow(vn_mean(x, axes_of(i)), i) : NULL;
    vn_array *w = vn_broadcast_to(wide(in, i, 1), vn_shape_of(x));
    return vn__narrow(vn_div(vn_sum(vn_mul(x, w), axes_of(i)), vn_sum(w, axes_of(i))), i);
}

vn_array *compose_var_mean(vn_array *const *in, const vn__infer *i)
{
    i->more[0] = vn_mean(in[0], axes_of(i));
    return vn_var(in[0], axes_of(i), vn__real(i, OPT_VAR_MEAN_CORRECTION));
}

static vn_array *place_without_nan(vn_array *x, const vn__infer *i, double instead, vn_array *(*place)(vn_array *, vn_axes))
{
    vn_array *at = place(vn_where(vn_isnan(x), vn_scalar(instead), x), axes_of(i));
    return vn_where(vn_all(vn_isnan(x), axes_of(i)), vn_scalar(-1), at);
}

vn_array *compose_nanargmax(vn_array *const *in, const vn__infer *i)
{
    return place_without_nan(in[0], i, -INFINITY, vn_argmax);
}

vn_array *compose_nanargmin(vn_array *const *in, const vn__infer *i)
{
    return place_without_nan(in[0], i, INFINITY, vn_argmin);
}

int shape_with_index(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    int code = vn__rule_axis(i, OPT_MAX_WITH_INDEX_AXIS, x->rank);
    if (!code) code = shape_same(i);
    if (code) return code;
    int64_t *along = &i->dims[i->options->v[OPT_MAX_WITH_INDEX_AXIS].u.i];
    if (!*along) FAIL(VN_E_SHAPE, "x has shape %s: the axis is empty (%s)", shape_text(x, s), i->engine);
    *along = 1;
    return VN_OK;
}
_Static_assert(AGREE(MAX_WITH_INDEX, MIN_WITH_INDEX, AXIS) && AGREE(MAX_WITH_INDEX, MEDIAN_WITH_INDEX, AXIS),
               "the rows number their options alike");

static vn_array *at_place(vn_array *x, vn_array *place, const vn__infer *i)
{
    i->more[0] = place;
    return vn__take_along(x, place, i->options->v[OPT_MAX_WITH_INDEX_AXIS].u.i);
}

vn_array *compose_max_with_index(vn_array *const *in, const vn__infer *i)
{
    return at_place(in[0], vn_argmax(in[0], VN_KEEP(i->options->v[OPT_MAX_WITH_INDEX_AXIS].u.i)), i);
}

vn_array *compose_min_with_index(vn_array *const *in, const vn__infer *i)
{
    return at_place(in[0], vn_argmin(in[0], VN_KEEP(i->options->v[OPT_MAX_WITH_INDEX_AXIS].u.i)), i);
}

/* NaN sorts last; where there is one, it is the median. */
vn_array *compose_median_with_index(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_MAX_WITH_INDEX_AXIS].u.i;
    vn_array *order = vn_argsort(in[0], axis, NULL);
    if (!order) return NULL;
    vn_array *middle = vn__piece(order, axis, (vn_dim(order, axis) - 1) / 2, 1);
    if (is_float(i)) middle = vn_where(vn_any(vn_isnan(in[0]), VN_KEEP(axis)), vn_argmax(in[0], VN_KEEP(axis)), middle);
    return at_place(in[0], middle, i);
}

/* ---- lengths ---- */

_Static_assert(AGREE(LP_NORMALIZE, L2_NORMALIZE, AXES), "the rows number their options alike");
vn_array *compose_lp_normalize(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *length = vn_norm(x, vn__axes_of(i, 1), vn__real(i, OPT_LP_NORMALIZE_P));
    return vn__narrow(vn_div(x, vn_maximum(length, vn_scalar(vn__real(i, OPT_LP_NORMALIZE_EPSILON)))), i);
}

/* x times most / length where that is below 1 */
static vn_array *shortened(vn_array *x, vn_array *length, double most)
{
    vn_array *longer = vn_greater(length, vn_scalar(most));
    return vn_where(longer, vn_mul(x, vn_div(vn_scalar(most), vn_where(longer, length, vn_scalar(1)))), x);
}

vn_array *compose_clip_vector_norm(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(shortened(x, vn_norm(x, VN_ALL, vn__real(i, OPT_CLIP_VECTOR_NORM_P)), vn__real(i, OPT_CLIP_VECTOR_NORM_MAX_NORM)), i);
}

vn_array *compose_clip_matrix_norm(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    vn_array *length = vn_matrix_norm(x, VN_OPTS(matrix_norm, .order = i->options->v[OPT_CLIP_MATRIX_NORM_ORDER].u.s, .keepdims = 1));
    return vn__narrow(shortened(x, length, vn__real(i, OPT_CLIP_MATRIX_NORM_MAX_NORM)), i);
}

vn_array *compose_sparsify(vn_array *const *in, const vn__infer *i)
{
    const int64_t keep = i->options->v[OPT_SPARSIFY_COUNT].u.i, n = i->in[0]->count;
    if (keep >= n) return vn_positive(in[0]);
    vn_array *flat = vn__flat(in[0]), *places = NULL;
    vn_topk(vn_abs(vn_stop_gradient(flat)), keep, 0, NULL, &places);
    vn_array *kept = vn_index_set(vn_zeros_like(flat), places, vn_take(flat, places, 0), 0);
    return vn_reshape(kept, vn__result_shape(i));
}

/* ---- moments ---- */

int shape_higher_order_moment(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int64_t order = i->options->v[OPT_HIGHER_ORDER_MOMENT_ORDER].u.i;
    char s[128];
    if (x->rank < 2 || !vn__node_dims(x)[0])
        FAIL(VN_E_SHAPE, "x has shape %s, one or more samples with an axis of features or more are needed (%s)", shape_text(x, s),
             i->engine);
    if ((x->rank - 1) * order > VN_MAX_RANK)
        FAIL(VN_E_SHAPE, "order %lld of x %s: rank above %d (%s)", (long long)order, shape_text(x, s), VN_MAX_RANK, i->engine);
    i->rank = 0;
    for (int64_t k = 0; k < order; k++)
        for (int a = 1; a < x->rank; a++) i->dims[i->rank++] = vn__node_dims(x)[a];
    return VN_OK;
}

/* x: (samples, features); each step multiplies all products so far by all features. */
vn_array *compose_higher_order_moment(vn_array *const *in, const vn__infer *i)
{
    const int64_t order = i->options->v[OPT_HIGHER_ORDER_MOMENT_ORDER].u.i;
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    const int64_t n = vn_dim(x, 0), features = i->in[0]->count / n;
    vn_array *rows = vn_reshape(x, VN_SHAPE(n, 1, features)), *products = vn_reshape(x, VN_SHAPE(n, features, 1));
    int64_t size = features;
    for (int64_t k = 1; k < order; k++, size *= features) products = vn_reshape(vn_mul(products, rows), VN_SHAPE(n, size * features, 1));
    return vn__narrow(vn_reshape(vn_mean(products, VN_AXES(0)), vn__result_shape(i)), i);
}

/* ---- for optimizers and losses ---- */

vn_array *compose_safe_root_mean_square(vn_array *const *in, const vn__infer *i)
{
    const double least = vn__real(i, OPT_SAFE_ROOT_MEAN_SQUARE_MIN_RMS);
    const double root = sqrt((double)vn_size(in[0])); /* the length, which does not overflow where squares would */
    vn_array *mean = vn_div(vn_norm(vn__widen(in[0]), VN_ALL, 2), vn_scalar(root));
    return vn__narrow(vn_where(vn_less_equal(mean, vn_scalar(least)), vn_scalar(least), mean), i);
}

vn_array *compose_unitwise_norm(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    int long_axes = 0;
    vn_axes axes = {.n = 0, .keep = 1};
    for (int k = 0; k < i->rank; k++) long_axes += i->dims[k] != 1;
    for (int k = 0; k < i->rank && (k < i->rank - 1 || long_axes < 2) && (i->rank != 3 || k < 1 || long_axes < 2); k++)
        axes.axis[axes.n++] = k;
    vn_array *length = axes.n ? vn_norm(x, axes, 2) : vn_abs(x);
    return vn__narrow(vn_broadcast_to(length, vn__result_shape(i)), i);
}

vn_array *compose_unitwise_clip(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = wide(in, i, 0), *norm = wide(in, i, 1), *most = wide(in, i, 2);
    vn_array *cut = vn_mul(x, vn_div(most, vn_maximum(norm, vn_scalar(1e-6))));
    return vn__narrow(vn_where(vn_less(norm, most), x, cut), i);
}

vn_array *compose_l1_l2_penalty(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    vn_array *first = vn__scaled(vn_sum(vn_abs(x), VN_ALL), vn__real(i, OPT_L1_L2_PENALTY_L1));
    return vn__narrow(vn_add(first, vn__scaled(vn_sum(vn_square(x), VN_ALL), vn__real(i, OPT_L1_L2_PENALTY_L2))), i);
}

int shape_orthogonal_penalty(vn__infer *i)
{
    char s[128];
    if (i->in[0]->rank != 2) FAIL(VN_E_SHAPE, "x has shape %s, a matrix is needed (%s)", shape_text(i->in[0], s), i->engine);
    i->rank = 0;
    return VN_OK;
}

/* Products of all pairs of rows of length 1; those of a row with itself do not count. */
vn_array *compose_orthogonal_penalty(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (i->options->v[OPT_ORTHOGONAL_PENALTY_COLUMNS].u.i) x = vn_matrix_transpose(x);
    vn_array *rows = vn_l2_normalize(x, VN_AXES(1), 1e-7), *cosines = vn_matmul(rows, vn_matrix_transpose(rows));
    if (!cosines) return NULL;
    const int64_t n = vn_dim(cosines, 0);
    vn_array *others = vn_mul(cosines, vn_sub(vn_scalar(1), vn_eye_like(cosines, 0)));
    const double pairs = (double)n * (double)(n - 1) / 2;
    return vn__narrow(vn__scaled(vn_sum(vn_abs(others), VN_ALL), pairs > 0 ? vn__real(i, OPT_ORTHOGONAL_PENALTY_FACTOR) / 2 / pairs : 0),
                      i);
}

int shape_min_max_norm(vn__infer *i)
{
    const double least = vn__real(i, OPT_MIN_MAX_NORM_MIN_VALUE), most = vn__real(i, OPT_MIN_MAX_NORM_MAX_VALUE);
    if (least > most) FAIL(VN_E_ARG, "lengths from %g to %g (%s)", least, most, i->engine);
    return shape_normalize(i);
}
_Static_assert(AGREE(MIN_MAX_NORM, L2_NORMALIZE, AXES), "the rows number their options alike");

vn_array *compose_min_max_norm(vn_array *const *in, const vn__infer *i)
{
    const double rate = vn__real(i, OPT_MIN_MAX_NORM_RATE);
    vn_array *x = vn__widen(in[0]), *length = vn_norm(x, vn__axes_of(i, 1), 2);
    vn_array *wanted =
        vn_clip(length, vn_scalar(vn__real(i, OPT_MIN_MAX_NORM_MIN_VALUE)), vn_scalar(vn__real(i, OPT_MIN_MAX_NORM_MAX_VALUE)));
    vn_array *mixed = vn_add(vn__scaled(wanted, rate), vn__scaled(length, 1 - rate));
    return vn__narrow(vn_mul(x, vn_div(mixed, vn_add(length, vn_scalar(1e-7)))), i);
}

/* ---- several arrays ---- */

/* Any number of arrays that broadcast. */
int shape_mean_of(vn__infer *i)
{
    int code = shape_same(i);
    for (int k = 1; k < i->n && !code; k++) {
        int64_t dims[VN_MAX_RANK];
        const int rank = i->rank;
        memcpy(dims, i->dims, sizeof dims);
        code = vn__rule_broadcast(i, rank, dims, i->in[k]->rank, vn__node_dims(i->in[k]));
    }
    return code;
}

vn_array *compose_mean_of(vn_array *const *in, const vn__infer *i)
{
    vn_array *sum = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype));
    for (int k = 1; k < i->n && sum; k++) sum = vn_add(sum, vn__widen(vn_cast(in[k], (vn_dtype)i->dtype)));
    return vn__narrow(vn_div(sum, vn_scalar(i->n)), i);
}
