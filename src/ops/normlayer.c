/* SPDX-License-Identifier: Apache-2.0 */
/* normlayer.c: normalisation by the input's own mean and variance, which are returned too: over the batch, or within each entry. */
#include "ops/layout.h"

_Static_assert(AGREE(BATCH_NORM_TRAINING, INSTANCE_NORM, AXIS) && AGREE(BATCH_NORM_TRAINING, INSTANCE_NORM, EPSILON),
               "the rows number their options alike");

/* x has at least `rank` axes, and weight and bias have the size of its channel axis. */
static int channels(vn__infer *i, int rank)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank < rank) FAIL(VN_E_SHAPE, "x has shape %s, rank %d at least is needed (%s)", shape_text(x, s), rank, i->engine);
    int code = vn__rule_axis(i, OPT_BATCH_NORM_TRAINING_AXIS, x->rank);
    if (code) return code;
    if (!i->options->v[OPT_BATCH_NORM_TRAINING_AXIS].u.i)
        FAIL(VN_E_ARG, "axis 0 is that of the batch and cannot be that of the channels (%s)", i->engine);
    const int64_t *n = &vn__node_dims(x)[i->options->v[OPT_BATCH_NORM_TRAINING_AXIS].u.i];
    for (int k = 1; k < 3 && !code; k++) code = vn__layer_shape(i, k, 1, n, "these channels");
    return code ? code : shape_same(i);
}

int shape_batch_norm_training(vn__infer *i)
{
    return channels(i, 2);
}
int shape_instance_norm(vn__infer *i)
{
    return channels(i, 3);
}

/* All axes except the channels and, within each entry, the batch. */
static vn_axes normalised(const vn__infer *i, bool batch)
{
    vn_axes axes = {0, 1, {0}};
    for (int a = batch ? 0 : 1; a < i->rank; a++) {
        if (a != i->options->v[OPT_BATCH_NORM_TRAINING_AXIS].u.i) axes.axis[axes.n++] = a;
    }
    return axes;
}

static vn_array *affine(vn_array *z, vn_array *const *in, const vn__infer *i)
{
    vn_shape s = {.rank = i->rank};
    for (int a = 0; a < s.rank; a++) s.dim[a] = a == i->options->v[OPT_BATCH_NORM_TRAINING_AXIS].u.i ? i->dims[a] : 1;
    if (in[1] != VN_NONE) z = vn_mul(z, vn_reshape(vn__widen(in[1]), s));
    return in[2] == VN_NONE ? z : vn_add(z, vn_reshape(vn__widen(in[2]), s));
}

static vn_array *normalise(vn_array *const *in, const vn__infer *i, bool batch)
{
    const vn_axes axes = normalised(i, batch);
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *mean = vn_mean(x, axes), *centred = vn_sub(x, mean);
    vn_array *variance = vn_mean(vn_square(centred), axes);
    if (!variance) return NULL;
    vn_array *z = vn_mul(centred, vn_rsqrt(vn_add(variance, vn_scalar(i->options->v[OPT_BATCH_NORM_TRAINING_EPSILON].u.f))));
    i->more[0] = vn__narrow(vn_squeeze(mean, axes), i);
    i->more[1] = vn__narrow(vn_squeeze(variance, axes), i);
    return i->more[0] && i->more[1] ? vn__narrow(affine(z, in, i), i) : NULL;
}

vn_array *compose_batch_norm_training(vn_array *const *in, const vn__infer *i)
{
    return normalise(in, i, true);
}
vn_array *compose_instance_norm(vn_array *const *in, const vn__infer *i)
{
    return normalise(in, i, false);
}
