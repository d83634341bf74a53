/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: convolution. Three primitives in one layout, each the gradient of the others:
 *
 *     conv          x [N, in..., C]    w [kernel..., C/groups, O]  ->  y [N, out..., O]
 *     conv_input    y [N, out..., O]   w [kernel..., C/groups, O]  ->  x [N, in..., C]
 *     conv_filter   x [N, in..., C]    y [N, out..., O]            ->  w [kernel..., C/groups, O]
 *
 * and on top of them the general forms with other layouts, a bias, negative padding and dilated inputs. Output channel o belongs
 * to group o / (O/groups) and uses the C/groups input channels of that group. */
#include "ops/window.h"
#include "base/minmax.h"

/* The numbers of the options that all rows have. The primitives are read with those of conv. */
typedef struct places {
    int strides, padding, dilation, groups;
} places;
#define PLACES(ROW)                                                                      \
    {                                                                                    \
        OPT_##ROW##_STRIDES, OPT_##ROW##_PADS, OPT_##ROW##_DILATIONS, OPT_##ROW##_GROUPS \
    }
static const places primitive = PLACES(CONV), general = PLACES(CONV_GENERAL), transposed = PLACES(CONV_TRANSPOSE_GENERAL);
#define PRIMITIVE(ROW) (AGREE(CONV, ROW, STRIDES) && AGREE(CONV, ROW, PADS) && AGREE(CONV, ROW, DILATIONS) && AGREE(CONV, ROW, GROUPS))
_Static_assert(PRIMITIVE(CONV_INPUT) && PRIMITIVE(CONV_FILTER), "the rows number their options alike");

/* ---- rules ---- */

static int divides(vn__infer *i, int64_t groups, int64_t channels, const char *what)
{
    if (channels % groups != 0)
        FAIL(VN_E_SHAPE, "%lld groups do not divide %lld %s channels (%s)", (long long)groups, (long long)channels, what, i->engine);
    return VN_OK;
}

/* Strides, padding, dilation and groups for n spatial axes. */
static int check_options(vn__infer *i, const places *at, int n)
{
    int code = vn__window_list(i, at->strides, n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, at->padding, 2 * n, 0, 0, NULL);
    if (!code) code = vn__window_list(i, at->dilation, n, 1, 1, NULL);
    if (code) return code;
    const int64_t groups = i->options->v[at->groups].u.i;
    if (groups < 1) FAIL(VN_E_ARG, "groups is %lld, at least 1 is needed (%s)", (long long)groups, i->engine);
    return VN_OK;
}

static int sizes_of(vn__infer *i, const places *at, int n, const int64_t *size, const int64_t *window, int64_t *out)
{
    return vn__window_sizes(i, n, size, window, i->options->v[at->strides].is, i->options->v[at->padding].is,
                            i->options->v[at->dilation].is, out);
}

/* Input k is a filter with n spatial axes, starting at axis `at`, none of them empty. */
static int check_filter(vn__infer *i, int k, int n, int at)
{
    char s[128];
    if (i->in[k]->rank != n + 2)
        FAIL(VN_E_SHAPE, "%s has shape %s, rank %d is needed, as %s has (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), n + 2,
             i->op->info.inputs[0], i->engine);
    for (int a = 0; a < n; a++) {
        if (vn__node_dims(i->in[k])[at + a] < 1)
            FAIL(VN_E_SHAPE, "%s has shape %s, an empty filter (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), i->engine);
    }
    return VN_OK;
}

static int channels_differ(vn__infer *i, int64_t have, int64_t want)
{
    char s[128], t[128];
    FAIL(VN_E_SHAPE, "x %s and w %s do not fit: the filter is for %lld channels, %lld are there (%s)", shape_text(i->in[0], s),
         shape_text(i->in[1], t), (long long)have, (long long)want, i->engine);
}

int shape_conv(vn__infer *i)
{
    int code = vn__window_rank(i, 0);
    if (code) return code;
    const int n = i->in[0]->rank - 2;
    const int64_t *x = vn__node_dims(i->in[0]), *w = vn__node_dims(i->in[1]), *groups = &i->options->v[OPT_CONV_GROUPS].u.i;
    int64_t out[VN__SPATIAL];
    code = check_options(i, &primitive, n);
    if (!code) code = check_filter(i, 1, n, 0);
    if (!code) code = divides(i, *groups, x[n + 1], "input");
    if (!code) code = divides(i, *groups, w[n + 1], "output");
    if (!code && w[n] != x[n + 1] / *groups) code = channels_differ(i, w[n] * *groups, x[n + 1]);
    if (!code) code = sizes_of(i, &primitive, n, x + 1, w, out);
    if (code) return code;
    i->rank = n + 2;
    i->dims[0] = x[0];
    memcpy(i->dims + 1, out, (size_t)n * sizeof *out);
    i->dims[n + 1] = w[n + 1];
    return VN_OK;
}

int shape_conv_input(vn__infer *i)
{
    int code = vn__window_rank(i, 0);
    if (code) return code;
    const int n = i->in[0]->rank - 2;
    const int64_t *y = vn__node_dims(i->in[0]), *w = vn__node_dims(i->in[1]), *groups = &i->options->v[OPT_CONV_GROUPS].u.i;
    int64_t out[VN__SPATIAL], channels;
    code = check_options(i, &primitive, n);
    if (!code) code = check_filter(i, 1, n, 0);
    if (!code && !i->options->v[OPT_CONV_INPUT_SIZE].n) FAIL(VN_E_ARG, "size is missing: the spatial sizes of the result (%s)", i->engine);
    if (!code) code = vn__window_list(i, OPT_CONV_INPUT_SIZE, n, 0, 0, NULL);
    if (!code) code = divides(i, *groups, y[n + 1], "output");
    if (!code && w[n + 1] != y[n + 1]) code = channels_differ(i, w[n + 1], y[n + 1]);
    if (!code) code = sizes_of(i, &primitive, n, i->options->v[OPT_CONV_INPUT_SIZE].is, w, out);
    if (!code) code = vn__window_matches(i, 0, out, "size");
    if (code) return code;
    if (__builtin_mul_overflow(w[n], *groups, &channels))
        FAIL(VN_E_SHAPE, "%lld channels in %lld groups are too many to address (%s)", (long long)w[n], (long long)*groups, i->engine);
    i->rank = n + 2;
    i->dims[0] = y[0];
    memcpy(i->dims + 1, i->options->v[OPT_CONV_INPUT_SIZE].is, (size_t)n * sizeof *out);
    i->dims[n + 1] = channels;
    return VN_OK;
}

int shape_conv_filter(vn__infer *i)
{
    char s[128], t[128];
    int code = vn__window_rank(i, 0);
    if (code) return code;
    const int n = i->in[0]->rank - 2;
    const int64_t *x = vn__node_dims(i->in[0]), *y = vn__node_dims(i->in[1]), *groups = &i->options->v[OPT_CONV_GROUPS].u.i;
    int64_t out[VN__SPATIAL];
    code = check_options(i, &primitive, n);
    if (!code && !i->options->v[OPT_CONV_FILTER_SIZE].n) FAIL(VN_E_ARG, "size is missing: the spatial sizes of the filter (%s)", i->engine);
    if (!code) code = vn__window_list(i, OPT_CONV_FILTER_SIZE, n, 1, 1, NULL);
    if (code) return code;
    if (i->in[1]->rank != n + 2 || x[0] != y[0])
        FAIL(VN_E_SHAPE, "ct has shape %s, rank %d and %lld on the first axis are needed, as x %s has (%s)", shape_text(i->in[1], s), n + 2,
             (long long)x[0], shape_text(i->in[0], t), i->engine);
    code = divides(i, *groups, x[n + 1], "input");
    if (!code) code = divides(i, *groups, y[n + 1], "output");
    if (!code) code = sizes_of(i, &primitive, n, x + 1, i->options->v[OPT_CONV_FILTER_SIZE].is, out);
    if (!code) code = vn__window_matches(i, 1, out, "x with size");
    if (code) return code;
    i->rank = n + 2;
    memcpy(i->dims, i->options->v[OPT_CONV_FILTER_SIZE].is, (size_t)n * sizeof *out);
    i->dims[n] = x[n + 1] / *groups;
    i->dims[n + 1] = y[n + 1];
    return VN_OK;
}

/* ---- gradients ---- */

/* The primitives with the options of the node being differentiated. */
static vn_array *conv_with(const vn_option *o, vn_array *x, vn_array *w)
{
    const vn_shape strides = vn__option_list(&o[OPT_CONV_STRIDES]), dilation = vn__option_list(&o[OPT_CONV_DILATIONS]);
    return vn_conv(x, w,
                   VN_OPTS(conv, .strides = VN__SIZES(strides), .pads = vn__option_list(&o[OPT_CONV_PADS]),
                           .dilations = VN__SIZES(dilation), .groups = o[OPT_CONV_GROUPS].u.i));
}
static vn_array *input_with(const vn_option *o, vn_array *y, vn_array *w, vn_shape size)
{
    return vn__conv_input(y, w, vn__option_list(&o[OPT_CONV_STRIDES]), vn__option_list(&o[OPT_CONV_PADS]),
                          vn__option_list(&o[OPT_CONV_DILATIONS]), o[OPT_CONV_GROUPS].u.i, size);
}
static vn_array *filter_with(const vn_option *o, vn_array *x, vn_array *y, vn_shape size)
{
    return vn__conv_filter(x, y, vn__option_list(&o[OPT_CONV_STRIDES]), vn__option_list(&o[OPT_CONV_PADS]),
                           vn__option_list(&o[OPT_CONV_DILATIONS]), o[OPT_CONV_GROUPS].u.i, size);
}

vn_array *vjp_conv(const vn__vjp_args *a, int k)
{
    if (k) return filter_with(a->options, a->in[0], a->ct, vn__kernel_of(a->in[1]));
    return input_with(a->options, a->ct, a->in[1], vn__spatial_of(a->in[0]));
}

vn_array *vjp_conv_input(const vn__vjp_args *a, int k)
{
    if (k) return filter_with(a->options, a->ct, a->in[0], vn__kernel_of(a->in[1]));
    return conv_with(a->options, a->ct, a->in[1]);
}

vn_array *vjp_conv_filter(const vn__vjp_args *a, int k)
{
    if (k) return conv_with(a->options, a->in[0], a->ct);
    return input_with(a->options, a->in[1], a->ct, vn__spatial_of(a->in[0]));
}

/* ---- the general forms ---- */

/* The axes of the general forms' inputs. */
typedef struct layout {
    int n;                                  /* spatial axes */
    int spatial, channels;                  /* of x and the result */
    int kernel, filter_inner, filter_outer; /* of w, in the order of conv's filter */
} layout;

static layout layout_of(const vn__infer *i, bool channels_first)
{
    const int n = i->in[0]->rank - 2;
    return channels_first ? (layout){n, 2, 1, 2, 1, 0} : (layout){n, 1, n + 1, 0, n, n + 1};
}

static int check_bias(vn__infer *i, int64_t channels)
{
    char s[128];
    if (i->in[2] && (i->in[2]->rank != 1 || i->in[2]->count != channels))
        FAIL(VN_E_SHAPE, "bias has shape %s, one number for each of the %lld output channels is needed (%s)", shape_text(i->in[2], s),
             (long long)channels, i->engine);
    return VN_OK;
}

static void set_result(vn__infer *i, const layout *l, const int64_t *sizes, int64_t channels)
{
    i->rank = l->n + 2;
    i->dims[0] = vn__node_dims(i->in[0])[0];
    memcpy(i->dims + l->spatial, sizes, (size_t)l->n * sizeof *sizes);
    i->dims[l->channels] = channels;
}

/* The size of x along spatial axis a after input dilation and cropping by negative padding. */
static int effective_size(vn__infer *i, int a, int64_t size, int64_t *result)
{
    const int64_t by = i->options->v[OPT_CONV_GENERAL_INPUT_DILATIONS].is[a], *padding = i->options->v[OPT_CONV_GENERAL_PADS].is + 2 * a;
    int64_t dilated = 0;
    if (size && (__builtin_mul_overflow(size - 1, by, &dilated) || __builtin_add_overflow(dilated, 1, &dilated)))
        FAIL(VN_E_SHAPE, "spatial axis %d of size %lld is too large with input dilation %lld (%s)", a, (long long)size, (long long)by,
             i->engine);
    *result = dilated + vn__min(padding[0], 0) + vn__min(padding[1], 0);
    if (*result < 0)
        FAIL(VN_E_SHAPE, "padding %lld,%lld cuts more than the %lld elements of spatial axis %d (%s)", (long long)padding[0],
             (long long)padding[1], (long long)dilated, a, i->engine);
    return VN_OK;
}

int shape_conv_general(vn__infer *i)
{
    int code = vn__window_rank(i, 0);
    if (code) return code;
    int64_t *padding = i->options->v[OPT_CONV_GENERAL_PADS].is;
    const layout l = layout_of(i, i->options->v[OPT_CONV_GENERAL_CHANNELS_FIRST].u.i);
    int64_t given[2 * VN__SPATIAL], size[VN__SPATIAL], out[VN__SPATIAL];
    code = vn__window_list(i, OPT_CONV_GENERAL_PADS, 2 * l.n, -INT32_MAX, 0, NULL);
    if (!code) code = vn__window_list(i, OPT_CONV_GENERAL_INPUT_DILATIONS, l.n, 1, 1, NULL);
    if (!code) code = check_filter(i, 1, l.n, l.kernel);
    if (code) return code;
    const int64_t *x = vn__node_dims(i->in[0]), *w = vn__node_dims(i->in[1]), *groups = &i->options->v[OPT_CONV_GENERAL_GROUPS].u.i;
    for (int a = 0; a < l.n && !code; a++) code = effective_size(i, a, x[l.spatial + a], &size[a]);
    if (code) return code;
    memcpy(given, padding, sizeof given);
    for (int k = 0; k < 2 * l.n; k++) padding[k] = vn__max(padding[k], 0); /* what the primitive gets */
    code = check_options(i, &general, l.n);
    if (!code) code = divides(i, *groups, x[l.channels], "input");
    if (!code) code = divides(i, *groups, w[l.filter_outer], "output");
    if (!code && w[l.filter_inner] != x[l.channels] / *groups) code = channels_differ(i, w[l.filter_inner] * *groups, x[l.channels]);
    if (!code) code = sizes_of(i, &general, l.n, size, w + l.kernel, out);
    if (!code) code = check_bias(i, w[l.filter_outer]);
    memcpy(padding, given, sizeof given);
    if (!code) set_result(i, &l, out, w[l.filter_outer]);
    return code;
}

int shape_conv_transpose_general(vn__infer *i)
{
    int code = vn__window_rank(i, 0);
    if (code) return code;
    const layout l = layout_of(i, i->options->v[OPT_CONV_TRANSPOSE_GENERAL_CHANNELS_FIRST].u.i);
    const int64_t *x = vn__node_dims(i->in[0]), *w = vn__node_dims(i->in[1]),
                  *groups = &i->options->v[OPT_CONV_TRANSPOSE_GENERAL_GROUPS].u.i;
    const int64_t *strides = i->options->v[OPT_CONV_TRANSPOSE_GENERAL_STRIDES].is,
                  *padding = i->options->v[OPT_CONV_TRANSPOSE_GENERAL_PADS].is,
                  *dilation = i->options->v[OPT_CONV_TRANSPOSE_GENERAL_DILATIONS].is;
    const int64_t *more = i->options->v[OPT_CONV_TRANSPOSE_GENERAL_OUTPUT_PADS].is;
    int64_t size[VN__SPATIAL], channels;
    code = check_options(i, &transposed, l.n);
    if (!code) code = vn__window_list(i, OPT_CONV_TRANSPOSE_GENERAL_OUTPUT_PADS, l.n, 0, 0, NULL);
    if (!code) code = check_filter(i, 1, l.n, l.kernel);
    if (!code) code = divides(i, *groups, x[l.channels], "input");
    if (!code && w[l.filter_outer] != x[l.channels]) code = channels_differ(i, w[l.filter_outer], x[l.channels]);
    if (code) return code;
    for (int a = 0; a < l.n; a++) {
        int64_t steps, reach;
        if (more[a] >= strides[a])
            FAIL(VN_E_ARG, "output_padding %lld is not below the stride %lld (%s)", (long long)more[a], (long long)strides[a], i->engine);
        if (__builtin_mul_overflow(x[l.spatial + a] - 1, strides[a], &steps) ||
            __builtin_mul_overflow(w[l.kernel + a] - 1, dilation[a], &reach) || __builtin_add_overflow(steps, reach, &steps) ||
            __builtin_add_overflow(steps, more[a] + 1 - padding[2 * a] - padding[2 * a + 1], &size[a]) || size[a] < 0 ||
            size[a] > INT32_MAX)
            FAIL(VN_E_SHAPE, "spatial axis %d of size %lld gives a size outside 0 to %d (%s)", a, (long long)x[l.spatial + a], INT32_MAX,
                 i->engine);
    }
    if (__builtin_mul_overflow(w[l.filter_inner], *groups, &channels))
        FAIL(VN_E_SHAPE, "%lld channels in %lld groups are too many to address (%s)", (long long)w[l.filter_inner], (long long)*groups,
             i->engine);
    code = check_bias(i, channels);
    if (!code) set_result(i, &l, size, channels);
    return code;
}

/* [O, C/groups, kernel...] -> [kernel..., C/groups, O] */
static vn_array *filter_last(vn_array *w, int n)
{
    vn_axes order = {n + 2, 0, {0}};
    for (int a = 0; a < n; a++) order.axis[a] = a + 2;
    order.axis[n] = 1;
    return vn_permute_dims(w, order);
}

/* inserts by - 1 zeros between the elements of an axis */
static vn_array *dilated(vn_array *x, int axis, int64_t by)
{
    vn_shape s = vn_shape_of(x), one = s, wide, flat = s;
    if (by == 1 || s.dim[axis] < 2) return x;
    one.rank++;
    memmove(one.dim + axis + 2, one.dim + axis + 1, (size_t)(s.rank - axis - 1) * sizeof *s.dim);
    one.dim[axis + 1] = 1;
    wide = one;
    wide.dim[axis + 1] = by;
    flat.dim[axis] *= by;
    vn_shape origin = {.rank = one.rank};
    vn_array *zeros = vn_broadcast_to(vn__number(x, 0), wide);
    x = vn_reshape(vn_slice_set(zeros, vn_reshape(x, one), vn__index(x, origin)), flat);
    flat.dim[axis] -= by - 1;
    origin.rank = flat.rank;
    return vn_slice_at(x, origin, flat);
}

/* x cropped by negative padding, which is then 0 */
static vn_array *cut(vn_array *x, vn_shape *padding)
{
    vn_shape size = vn_shape_of(x), start = {.rank = size.rank};
    bool any = false;
    for (int k = 0; k < padding->rank; k++) {
        const int64_t p = padding->dim[k];
        if (p >= 0) continue;
        size.dim[1 + k / 2] += p;
        if (k % 2 == 0) start.dim[1 + k / 2] = -p;
        padding->dim[k] = 0;
        any = true;
    }
    return any ? vn_slice_at(x, start, size) : x;
}

static vn_array *finished(vn_array *y, vn_array *bias, int n, bool channels_first)
{
    if (bias != VN_NONE) y = vn_add(y, bias);
    return channels_first ? vn__move_axis(y, n + 1, 1) : y;
}

vn_array *compose_conv_general(vn_array *const *in, const vn__infer *i)
{
    const bool first = i->options->v[OPT_CONV_GENERAL_CHANNELS_FIRST].u.i != 0;
    const int n = i->rank - 2;
    vn_array *x = first ? vn__move_axis(in[0], 1, n + 1) : in[0], *w = first ? filter_last(in[1], n) : in[1];
    vn_shape padding = vn__infer_list(i, OPT_CONV_GENERAL_PADS);
    for (int a = 0; a < n; a++) x = x ? dilated(x, a + 1, i->options->v[OPT_CONV_GENERAL_INPUT_DILATIONS].is[a]) : NULL;
    if (!x) return NULL;
    x = cut(x, &padding);
    const vn_shape strides = vn__infer_list(i, OPT_CONV_GENERAL_STRIDES), dilation = vn__infer_list(i, OPT_CONV_GENERAL_DILATIONS);
    vn_array *y = vn_conv(x, w,
                          VN_OPTS(conv, .strides = VN__SIZES(strides), .pads = padding, .dilations = VN__SIZES(dilation),
                                  .groups = i->options->v[OPT_CONV_GENERAL_GROUPS].u.i));
    return finished(y, in[2], n, first);
}

vn_array *compose_conv_transpose_general(vn_array *const *in, const vn__infer *i)
{
    const bool first = i->options->v[OPT_CONV_TRANSPOSE_GENERAL_CHANNELS_FIRST].u.i != 0;
    const int n = i->rank - 2;
    vn_array *x = first ? vn__move_axis(in[0], 1, n + 1) : in[0], *w = first ? filter_last(in[1], n) : in[1];
    vn_shape size = vn__shape(i->dims + (first ? 2 : 1), (size_t)n);
    vn_array *y =
        vn__conv_input(x, w, vn__infer_list(i, OPT_CONV_TRANSPOSE_GENERAL_STRIDES), vn__infer_list(i, OPT_CONV_TRANSPOSE_GENERAL_PADS),
                       vn__infer_list(i, OPT_CONV_TRANSPOSE_GENERAL_DILATIONS), i->options->v[OPT_CONV_TRANSPOSE_GENERAL_GROUPS].u.i, size);
    return finished(y, in[2], n, first);
}
