/* SPDX-License-Identifier: Apache-2.0 */
/* image.c: colours, filters, similarity, morphology and patches of images [N, height, width, channels]. */
#include "ops/row.h"
#include <math.h>

/* ---- rules ---- */

int shape_colours(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (!x->rank || vn__node_dims(x)[x->rank - 1] != 3)
        FAIL(VN_E_SHAPE, "x has shape %s; a last axis of 3 colours is needed (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, x->rank, vn__node_dims(x));
    return VN_OK;
}

int shape_rgb_to_grayscale(vn__infer *i)
{
    int code = shape_colours(i);
    if (!code) i->dims[i->rank - 1] = 1;
    return code;
}

int shape_image(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank != 4) FAIL(VN_E_SHAPE, "x has shape %s; [N, height, width, channels] is needed (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, 4, vn__node_dims(x));
    return VN_OK;
}

/* x and y have one shape. */
static int alike(vn__infer *i)
{
    return vn__rule_like_first(i, 1);
}

int shape_psnr(vn__infer *i)
{
    int code = alike(i);
    if (!code) vn__rule_result(i, 0, NULL);
    return code;
}

int shape_ssim(vn__infer *i)
{
    int code = shape_image(i);
    if (!code) code = alike(i);
    if (code) return code;
    const int64_t *d = vn__node_dims(i->in[0]), size = i->options->v[OPT_SSIM_FILTER_SIZE].u.i;
    char s[128];
    if (d[1] < size || d[2] < size)
        FAIL(VN_E_SHAPE, "x has shape %s, smaller than the filter of %lld; filter_size makes it smaller (%s)", shape_text(i->in[0], s),
             (long long)size, i->engine);
    vn__rule_result(i, 1, d);
    return VN_OK;
}

int shape_local_response_norm(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int code = vn__rule_axis(i, OPT_LOCAL_RESPONSE_NORM_AXIS, x->rank);
    if (!code) vn__rule_result(i, x->rank, vn__node_dims(x));
    return code;
}

int dtype_morphology(vn__infer *i)
{
    i->dtype = i->in[0]->dtype;
    return vn__rule_accept(i, i->dtype);
}

int shape_morphology(vn__infer *i)
{
    const vn__node *k = i->in[1];
    char s[128];
    if (k->rank != 2 || !vn__node_dims(k)[0] || !vn__node_dims(k)[1])
        FAIL(VN_E_SHAPE, "kernel has shape %s; (height, width) is needed (%s)", shape_text(k, s), i->engine);
    return shape_image(i);
}

/* ---- colours ---- */

static vn_array *channel(vn_array *x, int k)
{
    return vn__piece(x, vn_rank(x) - 1, k, 1);
}

vn_array *compose_rgb_to_grayscale(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    vn_array *y = vn_add(vn__scaled(channel(x, 0), 0.2989), vn__scaled(channel(x, 1), 0.587));
    return vn__narrow(vn_add(y, vn__scaled(channel(x, 2), 0.114)), i);
}

/* x / y, 0 where y is 0. */
static vn_array *ratio(vn_array *x, vn_array *y)
{
    vn_array *none = vn_equal(y, vn_scalar(0));
    return vn_where(none, vn_scalar(0), vn_div(x, vn_where(none, vn_scalar(1), y)));
}

vn_array *compose_rgb_to_hsv(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    vn_array *r = channel(x, 0), *g = channel(x, 1), *b = channel(x, 2);
    vn_array *value = vn_max(x, VN_KEEP(-1)), *range = vn_sub(value, vn_min(x, VN_KEEP(-1)));
    vn_array *from_r = ratio(vn_sub(g, b), range), *from_g = vn_add(ratio(vn_sub(b, r), range), vn_scalar(2));
    vn_array *from_b = vn_add(ratio(vn_sub(r, g), range), vn_scalar(4));
    vn_array *sector = vn_where(vn_equal(value, r), from_r, vn_where(vn_equal(value, g), from_g, from_b));
    vn_array *hue = vn__scaled(sector, 1.0 / 6);
    hue = vn_where(vn_equal(range, vn_scalar(0)), vn_scalar(0), vn_where(vn_less(hue, vn_scalar(0)), vn_add(hue, vn_scalar(1)), hue));
    return vn__narrow(vn_concat(3, (vn_array *[]){hue, ratio(range, value), value}, -1), i);
}

/* Red, green and blue rise and fall with the hue: value (1 - saturation (1 - clip(|6 hue - shift| .., 0, 1))). */
static vn_array *hue_part(vn_array *hue, double shift, double sign, double add)
{
    vn_array *far = vn_abs(vn_sub(vn__scaled(hue, 6), vn_scalar(shift)));
    return vn_clip(vn_add(vn__scaled(far, sign), vn_scalar(add)), vn_scalar(0), vn_scalar(1));
}

vn_array *compose_hsv_to_rgb(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    vn_array *hue = channel(x, 0), *saturation = channel(x, 1), *value = channel(x, 2);
    vn_array *pure[] = {hue_part(hue, 3, 1, -1), hue_part(hue, 2, -1, 2), hue_part(hue, 4, -1, 2)};
    vn_array *bright = vn_concat(3, pure, -1), *less = vn_mul(saturation, vn_sub(vn_scalar(1), bright));
    return vn__narrow(vn_mul(value, vn_sub(vn_scalar(1), less)), i);
}

/* ---- filters ---- */

/* A Gaussian of n elements in float64 that sums to 1. */
static vn_array *gaussian(const vn_array *like, int64_t n, double sigma)
{
    vn_array *at = vn_sub(vn_cast(vn__positions(like, n), VN_F64), vn_scalar((double)(n - 1) / 2));
    vn_array *w = vn_exp(vn__scaled(vn_square(at), -0.5 / (sigma * sigma)));
    return vn_div(w, vn_sum(w, VN_ALL));
}

/* Every channel of x with the same filter, which is the outer product of two. */
static vn_array *filtered(vn_array *x, vn_array *rows, vn_array *columns, const char *padding)
{
    vn_array *k = vn_cast(vn_outer(rows, columns), vn_dtype_of(x));
    if (!k) return NULL;
    k = vn_broadcast_to(vn_expand_dims(k, -1), VN_SHAPE(vn_dim(k, 0), vn_dim(k, 1), vn_dim(x, -1)));
    return vn_depthwise_conv2d(x, k, VN_NONE, VN_OPTS(depthwise_conv2d, .padding = padding));
}

vn_array *compose_gaussian_blur(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    const double sigma = vn__real(i, OPT_GAUSSIAN_BLUR_SIGMA), across = vn__real(i, OPT_GAUSSIAN_BLUR_WIDTH_SIGMA);
    vn_array *x = vn__widen(in[0]), *rows = gaussian(x, o[OPT_GAUSSIAN_BLUR_HEIGHT].u.i, sigma);
    vn_array *columns = gaussian(x, o[OPT_GAUSSIAN_BLUR_WIDTH].u.i, isnan(across) ? sigma : across);
    return vn__narrow(filtered(x, rows, columns, "SAME"), i);
}

vn_array *compose_psnr(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *y = vn__widen(vn__narrow(in[1], i));
    const double peak = 20 * log10(vn__real(i, OPT_PSNR_MAX_VAL));
    vn_array *error = vn_mean(vn_square(vn_sub(x, y)), VN_ALL);
    return vn__narrow(vn_sub(vn_scalar(peak), vn__scaled(vn_log10(error), 10)), i);
}

vn_array *compose_ssim(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *y = vn__widen(vn__narrow(in[1], i));
    const double most = vn__real(i, OPT_SSIM_MAX_VAL), k1 = vn__real(i, OPT_SSIM_K1) * most, k2 = vn__real(i, OPT_SSIM_K2) * most;
    if (!x || !y) return NULL;
    vn_array *g = gaussian(x, i->options->v[OPT_SSIM_FILTER_SIZE].u.i, vn__real(i, OPT_SSIM_FILTER_SIGMA));
    vn_array *of_x = filtered(x, g, g, "VALID"), *of_y = filtered(y, g, g, "VALID");
    vn_array *product = vn__scaled(vn_mul(of_x, of_y), 2), *squares = vn_add(vn_square(of_x), vn_square(of_y));
    vn_array *covariance = vn_sub(vn__scaled(filtered(vn_mul(x, y), g, g, "VALID"), 2), product);
    vn_array *variances = vn_sub(filtered(vn_add(vn_square(x), vn_square(y)), g, g, "VALID"), squares);
    vn_array *brightness = vn_div(vn_add(product, vn_scalar(k1 * k1)), vn_add(squares, vn_scalar(k1 * k1)));
    vn_array *contrast = vn_div(vn_add(covariance, vn_scalar(k2 * k2)), vn_add(variances, vn_scalar(k2 * k2)));
    return vn__narrow(vn_mean(vn_mul(brightness, contrast), VN_AXES(1, 2, 3)), i);
}

/* x with `before` and `after` more elements of one axis. */
static vn_array *padded(vn_array *x, int axis, int64_t before, int64_t after, const char *mode, double value)
{
    vn_shape low = {.rank = vn_rank(x)}, high = low;
    if (!x) return NULL;
    low.dim[axis] = before, high.dim[axis] = after;
    return vn_pad(x, low, high, VN_OPTS(pad, .mode = mode, .value = value));
}

vn_array *compose_local_response_norm(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    const int64_t size = o[OPT_LOCAL_RESPONSE_NORM_SIZE].u.i;
    const int axis = (int)o[OPT_LOCAL_RESPONSE_NORM_AXIS].u.i;
    const double alpha = vn__real(i, OPT_LOCAL_RESPONSE_NORM_ALPHA) / (o[OPT_LOCAL_RESPONSE_NORM_SUM].u.i ? 1 : (double)size);
    vn_array *x = vn__widen(in[0]), *squares = padded(vn_square(x), axis, size / 2, (size - 1) / 2, "constant", 0);
    if (!squares || !vn_size(x)) return squares ? vn_positive(in[0]) : NULL;
    vn_array *sums = vn_sum(vn_sliding_window_view(squares, VN_SHAPE(size), VN_AXES(axis), NULL), VN_AXES(-1));
    vn_array *by = vn_add(vn__scaled(sums, alpha), vn_scalar(vn__real(i, OPT_LOCAL_RESPONSE_NORM_BIAS)));
    return vn__narrow(vn_div(x, vn_pow(by, vn_scalar(vn__real(i, OPT_LOCAL_RESPONSE_NORM_BETA)))), i);
}

/* The windows around each pixel, of x padded so that there is one for each: [N, H, W, C, height, width] */
static vn_array *around(vn_array *x, int64_t height, int64_t width, const char *mode, double value)
{
    x = padded(x, 1, height / 2, (height - 1) / 2, mode, value);
    x = padded(x, 2, width / 2, (width - 1) / 2, mode, value);
    return vn_sliding_window_view(x, VN_SHAPE(height, width), VN_AXES(1, 2), NULL);
}

/* What is outside, or not in the kernel, has a value that never wins: the smallest of x, or the largest. */
static vn_array *extreme(vn_array *const *in, bool largest)
{
    vn_array *x = in[0], *kernel = in[1];
    if (!x || !kernel) return NULL;
    if (!vn_size(x)) return vn_positive(x);
    vn_array *edge = vn_stop_gradient(largest ? vn_min(x, VN_ALL) : vn_max(x, VN_ALL)), *inside = vn_cast(vn_ones_like(x), VN_BOOL);
    vn_array *counts = vn_logical_and(around(inside, vn_dim(kernel, 0), vn_dim(kernel, 1), "constant", 0), kernel);
    vn_array *windows = vn_where(counts, around(x, vn_dim(kernel, 0), vn_dim(kernel, 1), "constant", 0), edge);
    return largest ? vn_max(windows, VN_AXES(-2, -1)) : vn_min(windows, VN_AXES(-2, -1));
}

vn_array *compose_grey_dilation(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return extreme(in, true);
}
vn_array *compose_grey_erosion(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return extreme(in, false);
}

vn_array *compose_median_filter(vn_array *const *in, const vn__infer *i)
{
    const int64_t height = i->options->v[OPT_MEDIAN_FILTER_HEIGHT].u.i, width = i->options->v[OPT_MEDIAN_FILTER_WIDTH].u.i;
    if (in[0] && !vn_size(in[0])) return vn_positive(in[0]);
    return vn_median(around(in[0], height, width, "edge", 0), VN_AXES(-2, -1));
}

/* ---- patches ---- */

/* What an op with `n` spatial axes needs of a list with one number for all, or one for each. */
static int64_t listed(const vn__option_value *o, int k, int64_t otherwise)
{
    return o->n == 0 ? otherwise : o->is[o->n == 1 ? 0 : k];
}

typedef struct {
    int n;
    int64_t size[3], stride[3], dilation[3], places[3], before[3], after[3];
} patches;

/* The sizes of patches of x; a code if there are none. */
static int plan(vn__infer *i, patches *p)
{
    const vn__node *x = i->in[0];
    const vn__option_value *o = i->options->v, *size = &o[OPT_EXTRACT_PATCHES_SIZE];
    const bool same = vn__choice(i, OPT_EXTRACT_PATCHES_PADDING) == 1;
    char s[128];
    *p = (patches){.n = x->rank - 2};
    if (p->n != 2 && p->n != 3)
        FAIL(VN_E_SHAPE, "x has shape %s; [N, in..., C] with 2 or 3 spatial axes is needed (%s)", shape_text(x, s), i->engine);
    if (size->n != 1 && size->n != p->n) FAIL(VN_E_ARG, "size has %d numbers; 1 or %d are needed (%s)", size->n, p->n, i->engine);
    for (int k = 0; k < p->n; k++) {
        const int64_t length = vn__node_dims(x)[k + 1];
        p->size[k] = listed(size, k, 1);
        p->stride[k] = listed(&o[OPT_EXTRACT_PATCHES_STRIDES], k, p->size[k]);
        p->dilation[k] = listed(&o[OPT_EXTRACT_PATCHES_DILATIONS], k, 1);
        if (p->size[k] < 1 || p->stride[k] < 1 || p->dilation[k] < 1 || p->size[k] > length + 1 || p->dilation[k] > length + 1)
            FAIL(VN_E_ARG, "patches of %lld, %lld apart, with distances of %lld within them, do not fit into x %s (%s)",
                 (long long)p->size[k], (long long)p->stride[k], (long long)p->dilation[k], shape_text(x, s), i->engine);
        const int64_t reach = (p->size[k] - 1) * p->dilation[k] + 1;
        p->places[k] = same ? (length + p->stride[k] - 1) / p->stride[k] : length < reach ? 0 : (length - reach) / p->stride[k] + 1;
        const int64_t missing = same ? vn__max((p->places[k] - 1) * p->stride[k] + reach - length, 0) : 0;
        p->before[k] = missing / 2, p->after[k] = missing - missing / 2;
        if (!p->places[k]) FAIL(VN_E_SHAPE, "x %s is smaller than a patch of %lld (%s)", shape_text(x, s), (long long)reach, i->engine);
    }
    return VN_OK;
}

int shape_extract_patches(vn__infer *i)
{
    patches p;
    int code = plan(i, &p);
    if (code) return code;
    int64_t all = vn__node_dims(i->in[0])[p.n + 1];
    vn__rule_result(i, p.n + 2, vn__node_dims(i->in[0]));
    for (int k = 0; k < p.n; k++) {
        i->dims[k + 1] = p.places[k];
        if (__builtin_mul_overflow(all, p.size[k], &all)) FAIL(VN_E_ARG, "patches are too large (%s)", i->engine);
    }
    i->dims[p.n + 1] = all;
    return VN_OK;
}

/* By unfold, which has the channels first. */
vn_array *compose_extract_patches(vn_array *const *in, const vn__infer *i)
{
    patches p;
    if (plan((vn__infer *)i, &p)) return NULL;
    vn_array *x = vn_moveaxis(in[0], VN_AXES(-1), VN_AXES(1));
    vn_shape window = {.rank = p.n}, split = {.rank = 3 + p.n, .dim = {i->dims[0], vn_dim(in[0], -1), 1}};
    for (int k = 0; k < p.n; k++) {
        x = padded(x, k + 2, p.before[k], p.after[k], "constant", 0);
        window.dim[k] = p.size[k];
        split.dim[2] *= p.size[k], split.dim[3 + k] = p.places[k];
    }
    vn_array *columns = vn_unfold(
        x, window,
        VN_OPTS(unfold, .strides = {p.stride[0], p.stride[1], p.stride[2]}, .dilations = {p.dilation[0], p.dilation[1], p.dilation[2]}));
    vn_array *parts = vn_moveaxis(vn_reshape(columns, split), VN_AXES(2, 1), VN_AXES(-2, -1)); /* N, places..., in a patch, channels */
    return vn_reshape(parts, vn__result_shape(i));
}
