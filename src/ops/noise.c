/* SPDX-License-Identifier: Apache-2.0 */
/* noise.c: noise while training (table/features.def). Inputs are x and a key. */
#include "ops/layout.h"
#include <math.h>

int shape_noise(vn__infer *i)
{
    const int code = vn__layer_shape(i, 1, 1, (const int64_t[]){2}, "a key");
    return code ? code : shape_same(i);
}

int shape_rrelu(vn__infer *i)
{
    const double low = vn__real(i, OPT_RRELU_LOW), high = vn__real(i, OPT_RRELU_HIGH);
    if (!(low <= high)) FAIL(VN_E_ARG, "the slope low %g is above high %g (%s)", low, high, i->engine);
    return shape_noise(i);
}

static vn_array *key_of(vn_array *const *in, const vn__infer *i)
{
    return i->in[1] ? in[1] : vn__key_for(in[0]);
}

static vn_array *normal_like(vn_array *const *in, const vn__infer *i, vn_array *x, double mean, double std)
{
    return x ? vn_normal(key_of(in, i), vn_scalar(mean), vn_scalar(std), vn_shape_of(x), vn_dtype_of(x)) : NULL;
}

vn_array *compose_gaussian_noise(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(vn_add(x, normal_like(in, i, x, 0, vn__real(i, OPT_GAUSSIAN_NOISE_STD))), i);
}

vn_array *compose_gaussian_dropout(vn_array *const *in, const vn__infer *i)
{
    const double prob = vn__real(i, OPT_GAUSSIAN_DROPOUT_PROB);
    vn_array *x = vn__widen(in[0]);
    return vn__narrow(vn_mul(x, normal_like(in, i, x, 1, sqrt(prob / (1 - prob)))), i);
}

/* Klambauer and others, Self-normalizing neural networks: the lowest value of selu, and what restores mean and variance. */
vn_array *compose_alpha_dropout(vn_array *const *in, const vn__infer *i)
{
    const double prob = vn__real(i, OPT_ALPHA_DROPOUT_PROB), lowest = -1.6732632423543772848 * 1.0507009873554804934;
    const double scale = 1 / sqrt((1 - prob) * (1 + prob * lowest * lowest)), shift = -scale * lowest * prob;
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    vn_array *keep = vn_bernoulli(key_of(in, i), vn_scalar(1 - prob), vn_shape_of(x), VN_BOOL);
    return vn__narrow(vn_add(vn__scaled(vn_where(keep, x, vn_scalar(lowest)), scale), vn_scalar(shift)), i);
}

vn_array *compose_rrelu(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *low = vn_scalar(vn__real(i, OPT_RRELU_LOW)), *high = vn_scalar(vn__real(i, OPT_RRELU_HIGH));
    if (!x) return NULL;
    vn_array *slope = vn_uniform(key_of(in, i), low, high, vn_shape_of(x), vn_dtype_of(x));
    return vn__narrow(vn_where(vn_greater_equal(x, vn_scalar(0)), x, vn_mul(x, slope)), i);
}
