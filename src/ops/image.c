/* SPDX-License-Identifier: Apache-2.0 */
/* image.c: colours, filters, similarity and morphology of images [N, height, width, channels]. */
#include "ops/row.h"
#include <float.h>
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

_Static_assert(AGREE(SSIM, MS_SSIM, MAX_VAL) && AGREE(SSIM, MS_SSIM, FILTER_SIZE) && AGREE(SSIM, MS_SSIM, FILTER_SIGMA) &&
                   AGREE(SSIM, MS_SSIM, K1) && AGREE(SSIM, MS_SSIM, K2),
               "the rows number their options alike");

int shape_ms_ssim(vn__infer *i)
{
    int code = shape_ssim(i);
    if (code) return code;
    const int64_t *d = vn__node_dims(i->in[0]), size = i->options->v[OPT_SSIM_FILTER_SIZE].u.i;
    const int halvings = (int)i->options->v[OPT_MS_SSIM_SCALES].u.i - 1;
    char s[128];
    if ((vn__min(d[1], d[2]) - 1) >> halvings < size - 1)
        FAIL(VN_E_SHAPE, "x has shape %s, at the last of %d scales smaller than the filter of %lld; scales or filter_size make it fit (%s)",
             shape_text(i->in[0], s), halvings + 1, (long long)size, i->engine);
    return VN_OK;
}

int shape_sobel_edges(vn__infer *i)
{
    int code = shape_image(i);
    if (!code) i->dims[i->rank++] = 2;
    return code;
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

/* Three sums of the channels of x (..., 3), with the weights of three rows. */
static vn_array *mixed(vn_array *x, const double row[3][3], const vn__infer *i)
{
    vn_array *wide = vn__widen(x), *to[3];
    if (!wide) return NULL;
    for (int k = 0; k < 3; k++) {
        vn_array *two = vn_add(vn__scaled(channel(wide, 0), row[k][0]), vn__scaled(channel(wide, 1), row[k][1]));
        to[k] = vn_add(two, vn__scaled(channel(wide, 2), row[k][2]));
    }
    return vn__narrow(vn_concat(3, to, -1), i);
}

vn_array *compose_rgb_to_yuv(vn_array *const *in, const vn__infer *i)
{
    return mixed(in[0], (const double[3][3]){{.299, .587, .114}, {-.14714119, -.28886916, .43601035}, {.61497538, -.51496512, -.10001026}},
                 i);
}
vn_array *compose_yuv_to_rgb(vn_array *const *in, const vn__infer *i)
{
    return mixed(in[0], (const double[3][3]){{1, 0, 1.13988303}, {1, -.394642334, -.58062185}, {1, 2.03206185, 0}}, i);
}

/* ---- filters ---- */

/* A Gaussian of n elements in float64 that sums to 1. The squares of distances begin at 0, also where two elements share the middle, and
 * their factor is finite, so that the largest weight is 1 before the division, however small sigma is. */
static vn_array *gaussian(const vn_array *like, int64_t n, double sigma)
{
    vn_array *at = vn_sub(vn_cast(vn__positions(like, n), VN_F64), vn_scalar((double)(n - 1) / 2));
    vn_array *beyond = vn_sub(vn_square(at), vn_scalar(n % 2 ? 0 : .25));
    vn_array *w = vn_exp(vn__scaled(beyond, fmax(-0.5 / (sigma * sigma), -DBL_MAX)));
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

/* x with `before` and `after` more elements of one axis. */
static vn_array *padded(vn_array *x, int axis, int64_t before, int64_t after, const char *mode, double value)
{
    vn_shape low = {.rank = vn_rank(x)}, high = low;
    if (!x) return NULL;
    low.dim[axis] = before, high.dim[axis] = after;
    return vn_pad(x, low, high, VN_OPTS(pad, .mode = mode, .value = value));
}

vn_array *compose_gaussian_blur(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    const double sigma = vn__real(i, OPT_GAUSSIAN_BLUR_SIGMA), across = vn__real(i, OPT_GAUSSIAN_BLUR_WIDTH_SIGMA);
    vn_array *x = vn__widen(in[0]), *rows = gaussian(x, o[OPT_GAUSSIAN_BLUR_HEIGHT].u.i, sigma);
    vn_array *columns = gaussian(x, o[OPT_GAUSSIAN_BLUR_WIDTH].u.i, isnan(across) ? sigma : across);
    return vn__narrow(filtered(x, rows, columns, "SAME"), i);
}

/* x: (n, height, width, channels), filter: (h, w) */
int shape_filter2d(vn__infer *i)
{
    const vn__node *x = i->in[0], *f = i->in[1];
    char s[128], t[128];
    if (x->rank != 4 || f->rank != 2 || !f->count)
        FAIL(VN_E_SHAPE, "x has shape %s, the filter %s; images [N, H, W, C] and [h, w] are needed (%s)", shape_text(x, s),
             shape_text(f, t), i->engine);
    const int code = shape_same(i);
    for (int a = 0; a < 2 && vn__choice(i, OPT_FILTER2D_PADDING) && !code; a++) {
        i->dims[1 + a] -= vn__node_dims(f)[a] - 1;
        if (i->dims[1 + a] < 1) FAIL(VN_E_SHAPE, "the filter %s is larger than x %s (%s)", shape_text(f, t), shape_text(x, s), i->engine);
    }
    return code;
}

vn_array *compose_filter2d(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *f = vn__widen(vn__narrow(in[1], i));
    if (!x || !f) return NULL;
    const int64_t h = vn_dim(f, 0), w = vn_dim(f, 1), channels = vn_dim(x, 3);
    if (!vn__choice(i, OPT_FILTER2D_PADDING))
        x = vn_pad(x, VN_LIST(0, (h - 1) / 2, (w - 1) / 2, 0), VN_LIST(0, h / 2, w / 2, 0),
                   VN_OPTS(pad, .mode = i->options->v[OPT_FILTER2D_BORDER].u.s));
    vn_array *each = vn_broadcast_to(vn_expand_dims(f, -1), VN_SHAPE(h, w, channels));
    return vn__narrow(vn_depthwise_conv2d(x, each, VN_NONE, NULL), i);
}

vn_array *compose_psnr(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *y = vn__widen(vn__narrow(in[1], i));
    const double peak = 20 * log10(vn__real(i, OPT_PSNR_MAX_VAL));
    vn_array *error = vn_mean(vn_square(vn_sub(x, y)), VN_ALL);
    return vn__narrow(vn_sub(vn_scalar(peak), vn__scaled(vn_log10(error), 10)), i);
}

/* The two factors of the similarity of x and y, each the mean over windows: [N, C] */
typedef struct {
    vn_array *whole, *contrast;
} similarity;

static similarity similarity_of(vn_array *x, vn_array *y, const vn__infer *i)
{
    const double most = vn__real(i, OPT_SSIM_MAX_VAL), k1 = vn__real(i, OPT_SSIM_K1) * most, k2 = vn__real(i, OPT_SSIM_K2) * most;
    vn_array *g = gaussian(x, i->options->v[OPT_SSIM_FILTER_SIZE].u.i, vn__real(i, OPT_SSIM_FILTER_SIGMA));
    vn_array *of_x = filtered(x, g, g, "VALID"), *of_y = filtered(y, g, g, "VALID");
    vn_array *product = vn__scaled(vn_mul(of_x, of_y), 2), *squares = vn_add(vn_square(of_x), vn_square(of_y));
    vn_array *covariance = vn_sub(vn__scaled(filtered(vn_mul(x, y), g, g, "VALID"), 2), product);
    vn_array *variances = vn_sub(filtered(vn_add(vn_square(x), vn_square(y)), g, g, "VALID"), squares);
    vn_array *brightness = vn_div(vn_add(product, vn_scalar(k1 * k1)), vn_add(squares, vn_scalar(k1 * k1)));
    vn_array *contrast = vn_div(vn_add(covariance, vn_scalar(k2 * k2)), vn_add(variances, vn_scalar(k2 * k2)));
    return (similarity){vn_mean(vn_mul(brightness, contrast), VN_AXES(1, 2)), vn_mean(contrast, VN_AXES(1, 2))};
}

vn_array *compose_ssim(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *y = vn__widen(vn__narrow(in[1], i));
    return x && y ? vn__narrow(vn_mean(similarity_of(x, y, i).whole, VN_AXES(1)), i) : NULL;
}

/* Half the size; an odd row or column is its own neighbour. */
static vn_array *halved(vn_array *x)
{
    x = padded(padded(x, 1, 0, vn_dim(x, 1) % 2, "edge", 0), 2, 0, vn_dim(x, 2) % 2, "edge", 0);
    return vn_avg_pool(x, VN_LIST(2, 2), NULL);
}

vn_array *compose_ms_ssim(vn_array *const *in, const vn__infer *i)
{
    static const double powers[] = {.0448, .2856, .3001, .2363, .1333};
    const int scales = (int)i->options->v[OPT_MS_SSIM_SCALES].u.i;
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *y = vn__widen(vn__narrow(in[1], i)), *product = NULL;
    for (int k = 0; k < scales && x && y; k++) {
        const similarity s = similarity_of(x, y, i);
        vn_array *factor = vn_pow(vn_relu(k == scales - 1 ? s.whole : s.contrast), vn_scalar(powers[k]));
        product = product ? vn_mul(product, factor) : factor;
        if (k < scales - 1) x = halved(x), y = halved(y);
    }
    return vn__narrow(vn_mean(product, VN_AXES(1)), i);
}

vn_array *compose_sobel_edges(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    if (!vn_size(x)) return vn_broadcast_to(vn__number(in[0], 0), vn__result_shape(i));
    vn_array *smooth = vn_cast(vn_sub(vn_scalar(2), vn_abs(vn_sub(vn__positions(x, 3), vn_scalar_int(1)))), VN_F64); /* 1 2 1 */
    vn_array *rise = vn_cast(vn_sub(vn__positions(x, 3), vn_scalar_int(1)), VN_F64);                                 /* -1 0 1 */
    vn_array *both[] = {filtered(x, rise, smooth, "SAME"), filtered(x, smooth, rise, "SAME")};
    return vn__narrow(vn_stack(2, both, -1), i);
}

/* The sums of `size` neighbours along an axis. Up to a dozen or so slices are added: windows would be gathered element by element. */
static vn_array *sums_along(vn_array *x, int axis, int64_t size)
{
    enum { FEW = 16 };
    if (size > FEW) return vn_sum(vn_sliding_window_view(x, VN_SHAPE(size), VN_AXES(axis), NULL), VN_AXES(-1));
    const int64_t n = vn_dim(x, axis) - size + 1;
    vn_array *sum = vn__piece(x, axis, 0, n);
    for (int64_t k = 1; k < size; k++) sum = vn_add(sum, vn__piece(x, axis, k, n));
    return sum;
}

/* x to a power; roots are faster, and right unless x is below 0. */
static vn_array *raised(vn_array *x, double power, bool not_below_0)
{
    vn_array *root = power == .75 && not_below_0 ? vn_sqrt(x) : NULL;
    return root ? vn_mul(root, vn_sqrt(root)) : vn_pow(x, vn_scalar(power));
}

vn_array *compose_local_response_norm(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    const int64_t size = o[OPT_LOCAL_RESPONSE_NORM_SIZE].u.i;
    const int axis = (int)o[OPT_LOCAL_RESPONSE_NORM_AXIS].u.i;
    const double alpha = vn__real(i, OPT_LOCAL_RESPONSE_NORM_ALPHA) / (o[OPT_LOCAL_RESPONSE_NORM_SUM].u.i ? 1 : (double)size);
    const double bias = vn__real(i, OPT_LOCAL_RESPONSE_NORM_BIAS), beta = vn__real(i, OPT_LOCAL_RESPONSE_NORM_BETA);
    vn_array *x = vn__widen(in[0]), *squares = padded(vn_square(x), axis, size / 2, (size - 1) / 2, "constant", 0);
    if (!squares || !vn_size(x)) return squares ? vn_positive(in[0]) : NULL;
    vn_array *by = vn_add(vn__scaled(sums_along(squares, axis, size), alpha), vn_scalar(bias));
    return vn__narrow(vn_div(x, raised(by, beta, alpha >= 0 && bias >= 0)), i);
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
