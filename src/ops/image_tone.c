/* SPDX-License-Identifier: Apache-2.0 */
/* image_tone.c: other tones of images [N, height, width, channels] whose pixels go from 0 to max_val: stretched, equalised, in fewer levels,
 * inverted, sharpened. */
#include "ops/row.h"

static vn_array *between(vn_array *x, double low, double high)
{
    return vn_clip(x, vn_scalar(low), vn_scalar(high));
}

vn_array *compose_solarize(vn_array *const *in, const vn__infer *i)
{
    vn_array *over = vn_greater_equal(in[0], vn_scalar(vn__real(i, OPT_SOLARIZE_THRESHOLD)));
    return vn_where(over, vn_sub(vn_scalar(vn__real(i, OPT_SOLARIZE_MAX_VAL)), in[0]), in[0]);
}

vn_array *compose_posterize(vn_array *const *in, const vn__infer *i)
{
    const double most = vn__real(i, OPT_POSTERIZE_MAX_VAL), levels = (double)((int64_t)1 << i->options->v[OPT_POSTERIZE_BITS].u.i);
    vn_array *level = vn_floor(vn__scaled(vn__widen(in[0]), levels / most));
    return vn__narrow(vn__scaled(between(level, 0, levels - 1), most / levels), i);
}

/* Channels of one value stay as they are. */
vn_array *compose_auto_contrast(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    const double most = vn__real(i, OPT_AUTO_CONTRAST_MAX_VAL);
    if (!x || !vn_size(x)) return x ? vn_positive(in[0]) : NULL;
    vn_array *low = vn_min(x, VN_KEEP(1, 2)), *range = vn_sub(vn_max(x, VN_KEEP(1, 2)), low), *flat = vn_equal(range, vn_scalar(0));
    vn_array *part = vn_div(vn_sub(x, low), vn_where(flat, vn_scalar(1), range));
    return vn__narrow(vn_where(flat, x, between(vn__scaled(part, most), 0, most)), i);
}

/* ---- equalised histograms ---- */

/* The number of the bin of each pixel, among those of all images and channels: (N, height width, C) */
static vn_array *bins_of(vn_array *x, int64_t bins, double most)
{
    const vn_shape d = vn_shape_of(x);
    vn_array *bin = vn_cast(between(vn_floor(vn__scaled(x, ((double)bins - 1e-3) / most)), 0, (double)bins - 1), VN_I64);
    vn_array *channel = vn_mul(vn__positions(x, d.dim[0] * d.dim[3]), vn_scalar_int(bins));
    return vn_add(vn_reshape(bin, VN_SHAPE(d.dim[0], d.dim[1] * d.dim[2], d.dim[3])), vn_reshape(channel, VN_SHAPE(d.dim[0], 1, d.dim[3])));
}

/* As PIL does: a bin becomes (the pixels before it + step / 2) / step, where a step is a part, of bins - 1, of the pixels below the brightest
 * bin. With fewer pixels than that, the image stays as it is. */
vn_array *compose_equalize(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    const int64_t bins = i->options->v[OPT_EQUALIZE_BINS].u.i;
    const double most = vn__real(i, OPT_EQUALIZE_MAX_VAL);
    if (!x || !vn_size(x)) return x ? vn_positive(in[0]) : NULL;
    const int64_t channels = vn_dim(x, 0) * vn_dim(x, 3), pixels = vn_dim(x, 1) * vn_dim(x, 2);
    vn_array *at = bins_of(x, bins, most);
    vn_array *counts = vn_reshape(vn_bincount(at, VN_NONE, channels * bins, NULL), VN_SHAPE(channels, bins));
    vn_array *upto = vn_cumulative_sum(counts, 1, NULL), *before = vn_sub(upto, counts);
    vn_array *last = vn_logical_and(vn_equal(upto, vn_scalar_int(pixels)), vn_greater(counts, vn_scalar_int(0))); /* the brightest bin */
    vn_array *below = vn_sub(vn_scalar_int(pixels), vn_sum(vn_where(last, counts, vn_scalar_int(0)), VN_KEEP(1)));
    vn_array *step = vn_floor_divide(below, vn_scalar_int(bins - 1)), *none = vn_equal(step, vn_scalar_int(0));
    vn_array *level = vn_floor_divide(vn_add(before, vn_floor_divide(step, vn_scalar_int(2))), vn_maximum(step, vn_scalar_int(1)));
    level = vn_where(none, vn_scalar_int(-1), vn_clip(level, vn_scalar_int(0), vn_scalar_int(bins - 1)));
    vn_array *y = vn_reshape(vn_take(vn_reshape(level, VN_SHAPE(channels * bins)), at, 0), vn_shape_of(x));
    y = vn_where(vn_less(y, vn_scalar_int(0)), x, vn__scaled(vn_cast(y, vn_dtype_of(x)), most / (double)(bins - 1)));
    return vn__narrow(y, i);
}

/* ---- sharpness ---- */

/* x with a mean of the 3 x 3 pixels around each, itself 5 times; the outermost pixels stay. */
static vn_array *smoothed(vn_array *x)
{
    const vn_shape d = vn_shape_of(x), inside = VN_SHAPE(d.dim[0], d.dim[1] - 2, d.dim[2] - 2, d.dim[3]);
    if (!x || d.dim[1] < 3 || d.dim[2] < 3) return x;
    vn_array *middle = vn_slice_at(x, VN_SHAPE(0, 1, 1, 0), inside);
    vn_array *sum = vn_add(vn_sum_pool(x, VN_LIST(3, 3), VN_OPTS(sum_pool, .strides = {1, 1})), vn__scaled(middle, 4));
    const vn_shape edge = VN_SHAPE(0, 1, 1, 0);
    return vn_add(x, vn_pad(vn_sub(vn__scaled(sum, 1.0 / 13), middle), edge, edge, NULL));
}

vn_array *compose_adjust_sharpness(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]), *smooth = x && vn_size(x) ? smoothed(x) : x;
    vn_array *y = vn_add(smooth, vn__scaled(vn_sub(x, smooth), vn__real(i, OPT_ADJUST_SHARPNESS_FACTOR)));
    return vn__narrow(between(y, 0, vn__real(i, OPT_ADJUST_SHARPNESS_MAX_VAL)), i);
}
