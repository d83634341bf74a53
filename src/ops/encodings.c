/* SPDX-License-Identifier: Apache-2.0 */
/* encodings.c: encodings of positions, and masks and biases of attention that depend on positions alone. Angles and slopes are computed in
 * float64 and rounded once. */
#include "ops/row.h"
#include <math.h>

/* ---- sines and cosines ---- */

int shape_sinusoidal_encoding(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int64_t size = i->options->v[OPT_SINUSOIDAL_ENCODING_SIZE].u.i;
    if (size % 2) FAIL(VN_E_ARG, "size is %lld, an even number is needed", (long long)size);
    if (x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has rank %d, %d is the most (%s)", x->rank, VN_MAX_RANK - 1, i->engine);
    vn__rule_result(i, x->rank, vn__node_dims(x));
    i->dims[i->rank++] = size;
    return VN_OK;
}

/* n float64 numbers, the first `from`, the last `to`, evenly spaced. */
static vn_array *spaced(const vn_array *like, int64_t n, double from, double to)
{
    vn_array *k = vn_cast(vn__positions(like, n), VN_F64);
    return vn_add(vn_mul(k, vn_scalar(n > 1 ? (to - from) / (double)(n - 1) : 0)), vn_scalar(from));
}

vn_array *compose_sinusoidal_encoding(vn_array *const *in, const vn__infer *i)
{
    const int64_t size = i->options->v[OPT_SINUSOIDAL_ENCODING_SIZE].u.i, half = size / 2;
    const double scale = vn__real(i, OPT_SINUSOIDAL_ENCODING_SCALE);
    vn_array *f =
        vn_exp(spaced(in[0], half, log(vn__real(i, OPT_SINUSOIDAL_ENCODING_MAX_FREQ)), log(vn__real(i, OPT_SINUSOIDAL_ENCODING_MIN_FREQ))));
    if (i->options->v[OPT_SINUSOIDAL_ENCODING_FULL_TURNS].u.i) f = vn__scaled(f, 2 * M_PI);
    vn_array *angle = vn_mul(vn_expand_dims(vn_cast(in[0], VN_F64), -1), f), *parts[] = {vn_sin(angle), vn_cos(angle)};
    if (i->options->v[OPT_SINUSOIDAL_ENCODING_COS_FIRST].u.i) {
        vn_array *sine = parts[0];
        parts[0] = parts[1], parts[1] = sine;
    }
    const int axis = i->options->v[OPT_SINUSOIDAL_ENCODING_INTERLEAVED].u.i ? i->rank : i->rank - 1;
    vn_array *y = vn_reshape(vn_stack(2, parts, axis), vn__result_shape(i));
    return vn__narrow(vn__scaled(y, isnan(scale) ? sqrt(2 / (double)size) : scale), i);
}

int shape_fourier_features(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int64_t bands = i->options->v[OPT_FOURIER_FEATURES_BANDS].u.i;
    const bool alone = i->options->v[OPT_FOURIER_FEATURES_NO_INPUT].u.i, flat = i->options->v[OPT_FOURIER_FEATURES_FLATTEN].u.i;
    if (!x->rank || x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has %d axes, 1 to %d are needed (%s)", x->rank, VN_MAX_RANK - 1, i->engine);
    int64_t each, all;
    if (__builtin_mul_overflow(bands, 2, &each) || __builtin_add_overflow(each, !alone, &each) ||
        __builtin_mul_overflow(each, vn__node_dims(x)[x->rank - 1], &all))
        FAIL(VN_E_ARG, "%lld bands are too many (%s)", (long long)bands, i->engine);
    vn__rule_result(i, x->rank, vn__node_dims(x));
    if (flat) i->dims[i->rank - 1] = all;
    else i->dims[i->rank++] = each;
    return VN_OK;
}

vn_array *compose_fourier_features(vn_array *const *in, const vn__infer *i)
{
    const int64_t bands = i->options->v[OPT_FOURIER_FEATURES_BANDS].u.i;
    const double top = vn__real(i, OPT_FOURIER_FEATURES_MAX_FREQ) / 2;
    const bool linear = i->options->v[OPT_FOURIER_FEATURES_LINEAR].u.i, flat = i->options->v[OPT_FOURIER_FEATURES_FLATTEN].u.i;
    vn_array *f = linear ? spaced(in[0], bands, 1, top) : vn_exp(spaced(in[0], bands, 0, log(top)));
    vn_array *x = flat ? in[0] : vn_expand_dims(in[0], -1);
    vn_array *angle = vn_mul(vn_expand_dims(vn_cast(in[0], VN_F64), -1), vn__scaled(f, M_PI));
    vn_array *parts[] = {x, vn__narrow(vn_sin(angle), i), vn__narrow(vn_cos(angle), i)};
    if (flat && x) {
        const int64_t wide = vn_dim(x, -1) * bands;
        for (int k = 1; k < 3; k++) parts[k] = vn__last_axes(parts[k], 2, 1, &wide);
    }
    const int first = i->options->v[OPT_FOURIER_FEATURES_NO_INPUT].u.i ? 1 : 0;
    return vn_concat(3 - first, parts + first, -1);
}

/* ---- of queries and keys ---- */

int dtype_alibi(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_ALIBI_DTYPE);
}

int shape_alibi(vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    vn__rule_result(i, 3, (int64_t[]){o[OPT_ALIBI_HEADS].u.i, o[OPT_ALIBI_QUERIES].u.i, o[OPT_ALIBI_KEYS].u.i});
    return VN_OK;
}

/* The position of each query minus that of each key: (queries, keys) */
static vn_array *distances(int64_t queries, int64_t keys, double offset)
{
    vn_array *q = vn_add(vn_arange(0, (double)queries, 1, VN_F64), vn_scalar(offset)), *k = vn_arange(0, (double)keys, 1, VN_F64);
    return vn_sub(vn_expand_dims(q, 1), k);
}

vn_array *compose_alibi(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const vn__option_value *o = i->options->v;
    const double n = (double)o[OPT_ALIBI_HEADS].u.i;
    vn_array *slope = vn_pow(vn_scalar(2), vn__scaled(vn_arange(1, n + 1, 1, VN_F64), -8 / n));
    vn_array *far = vn_abs(distances(o[OPT_ALIBI_QUERIES].u.i, o[OPT_ALIBI_KEYS].u.i, (double)o[OPT_ALIBI_OFFSET].u.i));
    return vn__narrow(vn_mul(vn_sub(vn_scalar(0), far), vn_reshape(slope, VN_SHAPE(o[OPT_ALIBI_HEADS].u.i, 1, 1))), i);
}

int dtype_sliding_window_mask(vn__infer *i)
{
    i->dtype = VN_BOOL;
    return VN_OK;
}

int shape_sliding_window_mask(vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    vn__rule_result(i, 2, (int64_t[]){o[OPT_SLIDING_WINDOW_MASK_QUERIES].u.i, o[OPT_SLIDING_WINDOW_MASK_KEYS].u.i});
    return VN_OK;
}

vn_array *compose_sliding_window_mask(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const vn__option_value *o = i->options->v;
    const int64_t queries = o[OPT_SLIDING_WINDOW_MASK_QUERIES].u.i, keys = o[OPT_SLIDING_WINDOW_MASK_KEYS].u.i;
    vn_array *far = distances(queries, keys, (double)(keys - queries)), *width = vn_scalar((double)o[OPT_SLIDING_WINDOW_MASK_WINDOW].u.i);
    if (o[OPT_SLIDING_WINDOW_MASK_BOTH_SIDES].u.i) return vn_less(vn_abs(far), width);
    return vn_logical_and(vn_less(far, width), vn_greater_equal(far, vn_scalar(0)));
}
