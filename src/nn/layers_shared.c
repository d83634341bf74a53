/* SPDX-License-Identifier: Apache-2.0 */
/* layers_shared.c: the normalisation of a batch of which every rank has a part. Each rank computes the sums of its own part, the ranks add them on
 * the host in float64, and so they do in the backward pass. */
#include "nn/layers_shared.h"
#include "core/memory.h"
#include "core/state.h"
#include "grad/grad.h"
#include "ops/row.h"
#include "tree/tree.h"
#include <math.h>
#include <string.h>

static const char who[] = "nn_batch_norm";

/* What a gradient needs of the forward pass. */
typedef struct {
    vn__sharing *sharing;
    double n;
    int64_t channels;
    vn_axes others;    /* all but the channels */
    vn_shape shape;    /* of channels that broadcast */
    vn_array *inverse; /* 1 / sqrt(variance + epsilon), kept */
} shared_norm;

/* Evaluates x with two vectors of its channels, and reads these, as float64, one behind the other. */
static int read_sums(vn_array *x, vn_array *a, vn_array *b, int64_t channels, double *to)
{
    vn_array *all[] = {x, vn_cast(a, VN_F64), vn_cast(b, VN_F64)};
    const size_t bytes = (size_t)channels * sizeof *to;
    int code = all[1] && all[2] ? vn_eval(3, all) : (int)vn_status();
    if (!code) code = vn_read(all[1], to, bytes);
    return code ? code : vn_read(all[2], to + channels, bytes);
}

/* Numbers of each channel, for arithmetic with x. */
static vn_array *of_channels(const double *numbers, vn_shape shape, vn_array *x)
{
    vn_array *v = vn_from_host(numbers, VN_F64, shape);
    return vn_to(vn_cast(v, vn_dtype_of(x)), vn_engine_of(x));
}

static vn_axes all_but(int axis, int rank)
{
    vn_axes axes = {0};
    for (int k = 0; k < rank; k++)
        if (k != (axis + rank) % rank) axes.axis[axes.n++] = k;
    return axes;
}

/* ---- the gradient ---- */

static void release(void *memory)
{
    vn_drop(((shared_norm *)memory)->inverse);
    vn__free(memory);
}

/* The loss is the weighted mean of the ranks' losses, and this rank computes the gradient of its own: the others' cotangents count by their
 * weights over this one's. */
static vn_array *rule(vn_array *x, vn_array *y, vn_array *ct, void *user)
{
    const shared_norm *k = user;
    (void)x;
    if (vn__peek()->sharing != k->sharing) return vn__fail(VN_E_ARG, "%s: a gradient outside the step that computed it", who), NULL;
    const double weight = *k->sharing->weight;
    if (vn__has_gradient(ct)) return vn__fail(VN_E_UNSUPPORTED, "%s: synchronized has no second gradient", who), NULL;
    y = vn_stop_gradient(y);
    double *sums = vn__scope_memory(2 * (size_t)k->channels * sizeof *sums, who);
    if (!sums || read_sums(ct, vn_sum(ct, k->others), vn_sum(vn_mul(ct, y), k->others), k->channels, sums)) return NULL;
    for (int64_t c = 0; c < 2 * k->channels; c++) sums[c] *= weight;
    if (k->sharing->sum(k->sharing, (int)(2 * k->channels), sums, who)) return NULL;
    for (int64_t c = 0; c < 2 * k->channels; c++) sums[c] = weight > 0 ? sums[c] / (weight * k->n) : 0;
    vn_array *mean = of_channels(sums, k->shape, y), *slope = of_channels(sums + k->channels, k->shape, y);
    return vn_mul(vn_sub(vn_sub(ct, mean), vn_mul(y, slope)), k->inverse);
}

/* ---- the values ---- */

/* Mean and variance of each channel over all ranks, one behind the other in `to`, and how many numbers they are of. */
static int add_moments(vn__sharing *s, vn_array *x, const shared_norm *k, double *to, double *n)
{
    const int64_t channels = k->channels;
    vn_array *mean = vn_mean(x, k->others), *away = vn_square(vn_sub(x, vn_reshape(mean, k->shape)));
    double *sums = vn__scope_memory((2 * (size_t)channels + 1) * sizeof *sums, who);
    int code = sums ? read_sums(x, mean, vn_sum(away, k->others), channels, to) : (int)vn_status();
    if (code) return code;
    const double own = (double)(vn_size(x) / channels);
    for (int64_t c = 0; c < channels; c++) sums[c] = own * to[c], sums[channels + c] = to[channels + c] + own * to[c] * to[c];
    sums[2 * channels] = own;
    code = s->sum(s, (int)(2 * channels + 1), sums, who);
    *n = sums[2 * channels];
    if (!code && !(*n >= 2))
        code = vn__fail(VN_E_SHAPE, "%s: %g numbers for each channel on all ranks; a variance is of two or more", who, *n);
    for (int64_t c = 0; c < channels && !code; c++) {
        to[c] = sums[c] / *n;
        to[channels + c] = fmax(sums[channels + c] / *n - to[c] * to[c], 0);
        if (isnan(sums[channels + c])) to[channels + c] = NAN;
    }
    return code;
}

vn_array *vn__norm_shared(vn_array *x, int64_t channels, int axis, double epsilon, vn__shared_moments *to)
{
    vn__sharing *s = vn__peek()->sharing;
    vn_array *wide = vn__widen(x);
    shared_norm k = {.sharing = s, .channels = channels, .others = all_but(axis, vn_rank(x)), .shape = {.rank = vn_rank(x)}};
    for (int i = 0; i < k.shape.rank; i++) k.shape.dim[i] = 1;
    k.shape.dim[(axis + k.shape.rank) % k.shape.rank] = channels;
    double *moments = vn__scope_memory(3 * (size_t)channels * sizeof *moments, who);
    if (channels > INT32_MAX / 4) return vn__fail(VN_E_SHAPE, "%s: %lld channels are too many", who, (long long)channels), NULL;
    if (!wide || !moments || vn_eval(1, &wide)) return NULL;
    vn_array *values = vn_stop_gradient(wide);
    if (add_moments(s, values, &k, moments, &k.n)) return NULL;
    for (int64_t c = 0; c < channels; c++) moments[2 * channels + c] = 1 / sqrt(moments[channels + c] + epsilon);
    *to = (vn__shared_moments){.n = k.n, .shape = k.shape};
    to->mean = of_channels(moments, VN_SHAPE(channels), wide), to->variance = of_channels(moments + channels, VN_SHAPE(channels), wide);
    k.inverse = of_channels(moments + 2 * channels, k.shape, wide);
    vn_array *y = vn_mul(vn_sub(values, vn_reshape(to->mean, k.shape)), k.inverse);
    if (!y || !vn__has_gradient(wide)) return y;
    shared_norm *kept = vn__alloc(sizeof *kept);
    if (!kept) return vn__no_memory(who), NULL;
    *kept = k;
    vn_keep(kept->inverse);
    vn_array *z = vn__with_gradient(y, wide, rule, kept, release, who);
    if (!z) release(kept);
    return z;
}
