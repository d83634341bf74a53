/* SPDX-License-Identifier: Apache-2.0 */
/* image_regions.c: images at places that another input chooses: boxes as arrays of one size (roi_align), windows whose elements have moved
 * (deform_conv2d). Both are differentiable by these places too. */
#include "ops/image.h"
#include "ops/index.h"
#include "ops/window.h"

/* ---- boxes ---- */

int dtype_roi_align(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    return code ? code : vn__rule_index(i, 2);
}

int shape_roi_align(vn__infer *i)
{
    const vn__node *boxes = i->in[1], *image = i->in[2];
    char s[128], t[128];
    int code = vn__rule_images(i);
    if (code) return code;
    if (boxes->rank != 2 || vn__node_dims(boxes)[1] != 4 || image->rank != 1 || vn__node_dims(image)[0] != vn__node_dims(boxes)[0])
        FAIL(VN_E_SHAPE, "boxes has shape %s, image %s; [K, 4] and [K] are needed (%s)", shape_text(boxes, s), shape_text(image, t),
             i->engine);
    i->dims[0] = vn__node_dims(boxes)[0];
    i->dims[1] = i->options->v[OPT_ROI_ALIGN_HEIGHT].u.i, i->dims[2] = i->options->v[OPT_ROI_ALIGN_WIDTH].u.i;
    return vn__rule_within(i, 2, (vn__bounds){.sizes = vn__node_dims(i->in[0]), .n = 1, .what = "images"});
}

/* The middles of n equal parts of each box from `from` to `to` [K]: [K, n] */
static vn_array *middles(vn_array *from, vn_array *to, int64_t n, bool aligned)
{
    vn_array *length = vn_sub(to, from);
    if (!aligned) length = vn_maximum(length, vn_scalar(1));
    vn_array *part = vn__scaled(vn_add(vn_cast(vn__positions(from, n), vn_dtype_of(from)), vn_scalar(0.5)), 1 / (double)n);
    return vn_add(vn_expand_dims(from, -1), vn_mul(vn_expand_dims(length, -1), part));
}

/* Places up to one pixel outside count as the edge, those beyond as nothing. */
static vn_array *near(vn_array *at, int64_t n, vn_array **counts)
{
    vn_array *fits = vn_logical_and(vn_greater_equal(at, vn_scalar(-1)), vn_less_equal(at, vn_scalar((double)n)));
    *counts = *counts ? vn_logical_and(*counts, fits) : fits;
    return vn_clip(at, vn_scalar(0), vn_scalar((double)(n - 1)));
}

vn_array *compose_roi_align(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *o = i->options->v;
    const bool aligned = !o[OPT_ROI_ALIGN_NOT_ALIGNED].u.i;
    const int64_t each = o[OPT_ROI_ALIGN_SAMPLES].u.i, boxes = i->dims[0], h = i->dims[1], w = i->dims[2];
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *box = vn__widen(vn__narrow(in[1], i)), *side[4], *counts = NULL;
    if (!x || !box) return NULL;
    if (!boxes || !vn_dim(x, 0)) return vn_broadcast_to(vn__number(in[0], 0), vn__result_shape(i));
    box = vn_sub(vn__scaled(box, vn__real(i, OPT_ROI_ALIGN_SPATIAL_SCALE)), vn_scalar(aligned ? 0.5 : 0));
    if (vn_unstack(box, 4, -1, side)) return NULL;
    vn_array *across = vn_expand_dims(middles(side[0], side[2], w * each, aligned), 1);
    vn_array *down = vn_expand_dims(middles(side[1], side[3], h * each, aligned), 2);
    down = near(down, vn_dim(x, 1), &counts), across = near(across, vn_dim(x, 2), &counts);
    const vn_shape places = VN_SHAPE(boxes, h * each, w * each);
    vn_array *y = vn__sample_images(x, vn_broadcast_to(across, places), vn_broadcast_to(down, places),
                                    (vn__sampler){.mode = VN__SAMPLE_NEAREST, .first = in[2]});
    y = vn_where(vn_expand_dims(counts, -1), y, vn_scalar(0));
    return vn__narrow(vn_mean(vn_reshape(y, VN_SHAPE(boxes, h, each, w, each, i->dims[3])), VN_AXES(2, 4)), i);
}

/* ---- windows ---- */

enum { TWO = 2 };

int shape_deform_conv2d(vn__infer *i)
{
    const vn__node *offset = i->in[1], *w = i->in[2], *mask = i->in[3], *bias = i->in[4];
    vn__option_value *o = i->options->v;
    int64_t out[TWO];
    char s[128], t[128];
    int code = vn__rule_images(i);
    if (!code) code = vn__window_list(i, OPT_DEFORM_CONV2D_STRIDES, TWO, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_DEFORM_CONV2D_PADS, TWO * 2, 0, 0, NULL);
    if (!code) code = vn__window_list(i, OPT_DEFORM_CONV2D_DILATIONS, TWO, 1, 1, NULL);
    if (code) return code;
    const int64_t *x = vn__node_dims(i->in[0]), *k = vn__node_dims(w), groups = o[OPT_DEFORM_CONV2D_GROUPS].u.i;
    if (w->rank != 4 || !w->count || groups < 1 || x[3] % groups || k[2] != x[3] / groups || k[3] % groups)
        FAIL(VN_E_SHAPE, "filters has shape %s; [h, w, C / groups, O] is needed for x %s and %lld groups (%s)", shape_text(w, s),
             shape_text(i->in[0], t), (long long)groups, i->engine);
    code = vn__window_sizes(i, TWO, x + 1, k, o[OPT_DEFORM_CONV2D_STRIDES].is, o[OPT_DEFORM_CONV2D_PADS].is,
                            o[OPT_DEFORM_CONV2D_DILATIONS].is, out);
    if (code) return code;
    if (!out[0] || !out[1]) FAIL(VN_E_SHAPE, "filters %s do not fit into x %s (%s)", shape_text(w, s), shape_text(i->in[0], t), i->engine);
    const int64_t taps = k[0] * k[1], *d = vn__node_dims(offset), parts = offset->rank == 4 ? d[3] / (2 * taps) : 0;
    if (offset->rank != 4 || d[0] != x[0] || d[1] != out[0] || d[2] != out[1] || !parts || d[3] % (2 * taps) || x[3] % parts)
        FAIL(VN_E_SHAPE,
             "offset has shape %s; [%lld, %lld, %lld, 2 times %lld places of a window] is needed, or so many for each of some parts of the "
             "channels (%s)",
             shape_text(offset, s), (long long)x[0], (long long)out[0], (long long)out[1], (long long)taps, i->engine);
    if (mask && (mask->rank != 4 || vn__node_dims(mask)[3] != parts * taps || memcmp(vn__node_dims(mask), d, 3 * sizeof *d) != 0))
        FAIL(VN_E_SHAPE, "mask has shape %s; offset %s needs half as many in the last axis (%s)", shape_text(mask, s),
             shape_text(offset, t), i->engine);
    if (bias && (bias->rank != 1 || bias->count != k[3]))
        FAIL(VN_E_SHAPE, "bias has shape %s for %lld channels (%s)", shape_text(bias, s), (long long)k[3], i->engine);
    i->dims[1] = out[0], i->dims[2] = out[1], i->dims[3] = k[3];
    return VN_OK;
}

/* Where each place of each window is along an axis, before it moves: (out, 1) + (window) */
static vn_array *unmoved(const vn_array *like, const vn__infer *i, int axis, int64_t window)
{
    const vn__option_value *o = i->options->v;
    vn_array *begin = vn_sub(vn_mul(vn__positions(like, i->dims[axis + 1]), vn_scalar_int(o[OPT_DEFORM_CONV2D_STRIDES].is[axis])),
                             vn_scalar_int(o[OPT_DEFORM_CONV2D_PADS].is[2 * axis]));
    vn_array *within = vn_mul(vn__positions(like, window), vn_scalar_int(o[OPT_DEFORM_CONV2D_DILATIONS].is[axis]));
    return vn_cast(vn_add(vn_expand_dims(begin, -1), within), vn_dtype_of(like));
}

/* The windows of x at places that have moved: [N, out, out, taps, C]. Parts of the channels that move together count as images of their own. */
static vn_array *moved_windows(vn_array *x, vn_array *offset, vn_array *mask, int64_t kh, int64_t kw, const vn__infer *i)
{
    const int64_t n = vn_dim(x, 0), c = vn_dim(x, 3), taps = kh * kw, parts = vn_dim(offset, 3) / (2 * taps), oh = i->dims[1],
                  ow = i->dims[2];
    vn_array *by[2];
    x = vn_moveaxis(vn_reshape(x, VN_SHAPE(n, vn_dim(x, 1), vn_dim(x, 2), parts, c / parts)), VN_AXES(3), VN_AXES(1));
    x = vn_reshape(x, VN_SHAPE(n * parts, vn_dim(x, 2), vn_dim(x, 3), c / parts));
    offset = vn_moveaxis(vn_reshape(offset, VN_SHAPE(n, oh, ow, parts, taps, 2)), VN_AXES(3), VN_AXES(1));
    if (vn_unstack(vn_reshape(offset, VN_SHAPE(n * parts, oh, ow, kh, kw, 2)), 2, -1, by)) return NULL;
    const vn_shape places = VN_SHAPE(n * parts, oh, ow, taps);
    vn_array *down = vn_add(by[0], vn_reshape(unmoved(x, i, 0, kh), VN_SHAPE(oh, 1, kh, 1)));
    vn_array *across = vn_add(by[1], vn_reshape(unmoved(x, i, 1, kw), VN_SHAPE(ow, 1, kw)));
    vn_array *y = vn__sample_images(x, vn_reshape(across, places), vn_reshape(down, places), (vn__sampler){.mode = VN__SAMPLE_CONSTANT});
    y = vn_moveaxis(vn_reshape(y, VN_SHAPE(n, parts, oh, ow, taps, c / parts)), VN_AXES(1), VN_AXES(3));
    if (mask) y = vn_mul(y, vn_reshape(mask, VN_SHAPE(n, oh, ow, parts, taps, 1)));
    return vn_reshape(vn_moveaxis(y, VN_AXES(3), VN_AXES(4)), VN_SHAPE(n, oh, ow, taps, c));
}

vn_array *compose_deform_conv2d(vn_array *const *in, const vn__infer *i)
{
    const int64_t groups = i->options->v[OPT_DEFORM_CONV2D_GROUPS].u.i;
    vn_array *wide[5] = {NULL};
    for (int k = 0; k < i->n; k++)
        if (in[k] != VN_NONE && !(wide[k] = vn__widen(vn__narrow(in[k], i)))) return NULL;
    if (!i->dims[0]) return vn_broadcast_to(vn__number(in[0], 0), vn__result_shape(i));
    const vn_shape w = vn_shape_of(wide[2]);
    const int64_t taps = w.dim[0] * w.dim[1], c = w.dim[2], from = w.dim[3] / groups, rows = i->dims[0] * i->dims[1] * i->dims[2];
    vn_array *windows = moved_windows(wide[0], wide[1], wide[3], w.dim[0], w.dim[1], i);
    vn_array *x = vn_moveaxis(vn_reshape(windows, VN_SHAPE(rows, taps, groups, c)), VN_AXES(2), VN_AXES(0));
    vn_array *f = vn_moveaxis(vn_reshape(wide[2], VN_SHAPE(taps * c, groups, from)), VN_AXES(1), VN_AXES(0));
    vn_array *y = vn_matmul(vn_reshape(x, VN_SHAPE(groups, rows, taps * c)), f); /* (groups, rows, from) */
    y = vn_reshape(vn_moveaxis(y, VN_AXES(0), VN_AXES(1)), vn__result_shape(i));
    return vn__narrow(wide[4] ? vn_add(y, wide[4]) : y, i);
}
