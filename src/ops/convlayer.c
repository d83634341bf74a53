/* SPDX-License-Identifier: Apache-2.0 */
/* convlayer.c: convolution layers: the ops of conv.c with named padding, data formats, filter layouts and one number for all axes.
 *
 *     conv1d ... conv_general_dilated            y = conv(x, w) + bias
 *     conv1d_transpose ... conv_general_transpose    the adjoint of the forward layer from the result's size to x's
 *
 * Rules expand names and short lists to full lists and store them in the options. */
#include "ops/layout.h"

/* Options are read with the numbers of conv1d and conv1d_transpose; the other rows have the same. */
#define ALL(ROW) \
    (AGREE(CONV1D, ROW, STRIDES) && AGREE(CONV1D, ROW, PADDING) && AGREE(CONV1D, ROW, DATA_FORMAT) && AGREE(CONV1D, ROW, DILATIONS))
#define FORWARD(ROW)                                                                                          \
    (ALL(ROW) && AGREE(CONV1D, ROW, PADS) && AGREE(CONV1D, ROW, X_DILATIONS) && AGREE(CONV1D, ROW, GROUPS) && \
     AGREE(CONV1D, ROW, FILTER_FORMAT))
#define TRANSPOSED(ROW)                                                                                \
    (ALL(ROW) && AGREE(CONV1D_TRANSPOSE, ROW, OUTPUT_SHAPE) && AGREE(CONV1D_TRANSPOSE, ROW, GROUPS) && \
     AGREE(CONV1D_TRANSPOSE, ROW, FILTER_FORMAT))
_Static_assert(FORWARD(CONV2D) && FORWARD(CONV3D) && FORWARD(CONV_GENERAL_DILATED), "the rows number their options alike");
_Static_assert(ALL(DEPTHWISE_CONV2D) && AGREE(CONV1D, DEPTHWISE_CONV2D, PADS), "the rows number their options alike");
_Static_assert(ALL(SEPARABLE_CONV1D) && ALL(SEPARABLE_CONV2D) && AGREE(CONV1D, SEPARABLE_CONV1D, PADS) &&
                   AGREE(CONV1D, SEPARABLE_CONV2D, PADS),
               "the rows number their options alike");
_Static_assert(ALL(CONV1D_TRANSPOSE) && TRANSPOSED(CONV2D_TRANSPOSE) && TRANSPOSED(CONV3D_TRANSPOSE) && TRANSPOSED(CONV_GENERAL_TRANSPOSE),
               "the rows number their options alike");

/* ---- filters ---- */

/* The axes of a filter that correspond to conv's [kernel..., inner, outer]. */
typedef struct filter {
    int kernel, inner, outer;
} filter;

/* By name, or by letters with D, H, W for the kernel: HWIO and OIHW; transposed HWIO, IOHW and HWOI. I is x's channels. */
static bool filter_named(const char *text, int n, bool transposed, filter *f)
{
    static const char *const last[VN__SPATIAL] = {"WIO", "HWIO", "DHWIO"}, *const swapped[VN__SPATIAL] = {"WOI", "HWOI", "DHWOI"};
    static const char *const first[2][VN__SPATIAL] = {{"OIW", "OIHW", "OIDHW"}, {"IOW", "IOHW", "IODHW"}};
    if (!strcmp(text, "channel_last") || !strcmp(text, last[n - 1])) *f = transposed ? (filter){0, n + 1, n} : (filter){0, n, n + 1};
    else if (!strcmp(text, "channel_first") || !strcmp(text, first[transposed][n - 1])) *f = (filter){2, 1, 0};
    else if (transposed && !strcmp(text, swapped[n - 1])) *f = (filter){0, n, n + 1};
    else return false;
    return true;
}

static int filter_of(vn__infer *i, int option, int n, bool transposed, filter *f)
{
    const char *text = i->options->v[option].u.s;
    char s[128], t[128];
    if (!filter_named(text, n, transposed, f))
        FAIL(VN_E_ARG, "there is no filter format \"%.20s\" for %d spatial axes; channel_last and channel_first are allowed (%s)", text, n,
             i->engine);
    const vn__node *w = i->in[1];
    if (w->rank != n + 2)
        FAIL(VN_E_SHAPE, "filters have shape %s, rank %d is needed for x %s (%s)", shape_text(w, s), n + 2, shape_text(i->in[0], t),
             i->engine);
    for (int a = 0; a < n; a++) {
        if (vn__node_dims(w)[f->kernel + a] < 1)
            FAIL(VN_E_SHAPE, "filters have shape %s, an empty kernel (%s)", shape_text(w, s), i->engine);
    }
    return VN_OK;
}

/* Transposes the filter to conv's layout. */
static vn_array *conv_filter_of(vn_array *w, int n, filter f)
{
    vn_axes order = {n + 2, 0, {0}};
    for (int a = 0; a < n; a++) order.axis[a] = f.kernel + a;
    order.axis[n] = f.inner;
    order.axis[n + 1] = f.outer;
    return f.outer == n + 1 ? w : vn_permute_dims(w, order);
}

/* ---- rules ---- */

/* Intermediate values of a rule. */
typedef struct sizes {
    int n; /* spatial axes */
    bool first;
    int64_t channels, size[VN__SPATIAL], kernel[VN__SPATIAL], reach[VN__SPATIAL];
} sizes;

/* Rank, format, strides and dilations. */
static int begin(vn__infer *i, int n, sizes *z)
{
    *z = (sizes){.n = n};
    int code = vn__layout_rank(i, &z->n);
    if (!code) code = vn__layout_format(i, OPT_CONV1D_DATA_FORMAT, z->n);
    if (!code) code = vn__window_list(i, OPT_CONV1D_STRIDES, z->n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_CONV1D_DILATIONS, z->n, 1, 1, NULL);
    if (code) return code;
    const int64_t *x = vn__node_dims(i->in[0]);
    z->first = vn__layout_first(i, OPT_CONV1D_DATA_FORMAT);
    z->channels = x[vn__layout_channels(z->first, z->n)];
    memcpy(z->size, x + vn__layout_spatial(z->first), (size_t)z->n * sizeof *x);
    return VN_OK;
}

static void take_kernel(const vn__infer *i, int at, sizes *z)
{
    for (int a = 0; a < z->n; a++) {
        z->kernel[a] = vn__node_dims(i->in[1])[at + a];
        z->reach[a] = (z->kernel[a] - 1) * i->options->v[OPT_CONV1D_DILATIONS].is[a] + 1;
    }
}

static int check_groups(vn__infer *i, int64_t groups, int64_t channels, const char *what)
{
    if (groups < 1) FAIL(VN_E_ARG, "groups is %lld, at least 1 is needed (%s)", (long long)groups, i->engine);
    if (channels % groups)
        FAIL(VN_E_SHAPE, "%lld groups do not divide %lld %s channels (%s)", (long long)groups, (long long)channels, what, i->engine);
    return VN_OK;
}

static int check_channels(vn__infer *i, int64_t of_filter, int64_t needed)
{
    char s[128], t[128];
    if (of_filter == needed) return VN_OK;
    FAIL(VN_E_SHAPE, "x %s and filters %s do not fit: the filters have %lld input channels, %lld are needed (%s)", shape_text(i->in[0], s),
         shape_text(i->in[1], t), (long long)of_filter, (long long)needed, i->engine);
}

static int finish(vn__infer *i, const sizes *z, const int64_t *out, int64_t channels)
{
    const vn__node *bias = i->in[i->op->info.n_inputs - 1];
    char s[128];
    if (bias && (bias->rank != 1 || bias->count != channels))
        FAIL(VN_E_SHAPE, "bias has shape %s, one number for each of the %lld output channels is needed (%s)", shape_text(bias, s),
             (long long)channels, i->engine);
    i->rank = z->n + 2;
    i->dims[0] = vn__node_dims(i->in[0])[0];
    memcpy(i->dims + vn__layout_spatial(z->first), out, (size_t)z->n * sizeof *out);
    i->dims[vn__layout_channels(z->first, z->n)] = channels;
    return VN_OK;
}

/* z->size after dilation. */
static int dilate_sizes(vn__infer *i, sizes *z)
{
    for (int a = 0; a < z->n; a++) {
        const int64_t by = i->options->v[OPT_CONV1D_X_DILATIONS].is[a];
        if (z->size[a] && (__builtin_mul_overflow(z->size[a] - 1, by, &z->size[a]) || __builtin_add_overflow(z->size[a], 1, &z->size[a])))
            FAIL(VN_E_SHAPE, "spatial axis %d is too large with x_dilations %lld (%s)", a, (long long)by, i->engine);
    }
    return VN_OK;
}

/* Padding and output sizes. */
static int slide(vn__infer *i, sizes *z, int64_t *out)
{
    const int64_t *strides = i->options->v[OPT_CONV1D_STRIDES].is;
    int code = vn__layout_pads(i, OPT_CONV1D_PADDING, OPT_CONV1D_PADS, z->n, z->size, z->reach, strides);
    if (!code)
        code = vn__window_sizes(i, z->n, z->size, z->kernel, strides, i->options->v[OPT_CONV1D_PADS].is,
                                i->options->v[OPT_CONV1D_DILATIONS].is, out);
    return code ? code : vn__layout_not_empty(i, z->n, out, z->reach);
}

static int forward(vn__infer *i, int n)
{
    sizes z;
    filter f;
    int64_t out[VN__SPATIAL];
    int code = begin(i, n, &z);
    if (!code) code = vn__window_list(i, OPT_CONV1D_X_DILATIONS, z.n, 1, 1, NULL);
    if (!code) code = filter_of(i, OPT_CONV1D_FILTER_FORMAT, z.n, false, &f);
    if (code) return code;
    const int64_t *w = vn__node_dims(i->in[1]), groups = i->options->v[OPT_CONV1D_GROUPS].u.i;
    take_kernel(i, f.kernel, &z);
    code = check_groups(i, groups, z.channels, "input");
    if (!code) code = check_groups(i, groups, w[f.outer], "output");
    if (!code) code = check_channels(i, w[f.inner], z.channels / groups);
    if (!code) code = dilate_sizes(i, &z);
    if (!code) code = slide(i, &z, out);
    return code ? code : finish(i, &z, out, w[f.outer]);
}

int shape_conv1d(vn__infer *i)
{
    return forward(i, 1);
}
int shape_conv2d(vn__infer *i)
{
    return forward(i, 2);
}
int shape_conv3d(vn__infer *i)
{
    return forward(i, 3);
}
int shape_conv_general_dilated(vn__infer *i)
{
    return forward(i, 0);
}

/* filters: (h, w, c), or (h, w, c, 1) */
int shape_depthwise_conv2d(vn__infer *i)
{
    sizes z;
    int64_t out[VN__SPATIAL];
    int code = begin(i, 2, &z);
    if (code) return code;
    const vn__node *w = i->in[1];
    const int64_t *d = vn__node_dims(w);
    char s[128], t[128];
    if (w->rank < 3 || w->rank > 4 || (w->rank == 4 && d[3] != 1) || d[0] < 1 || d[1] < 1 || d[2] != z.channels || !z.channels)
        FAIL(VN_E_SHAPE, "filters have shape %s; height, width and the channels of x %s are needed (%s)", shape_text(w, s),
             shape_text(i->in[0], t), i->engine);
    take_kernel(i, 0, &z);
    code = slide(i, &z, out);
    return code ? code : finish(i, &z, out, z.channels);
}

/* depthwise: (kernel..., c, m), pointwise: (c m, o) */
static int separable(vn__infer *i, int n)
{
    sizes z;
    int64_t out[VN__SPATIAL], between;
    int code = begin(i, n, &z);
    if (code) return code;
    const vn__node *w = i->in[1], *p = i->in[2];
    const int64_t *d = vn__node_dims(w), *to = vn__node_dims(p);
    char s[128], t[128];
    bool fits = w->rank == n + 2 && d[n] == z.channels && z.channels > 0 && d[n + 1] > 0;
    for (int a = 0; a < n && fits; a++) fits = d[a] > 0;
    if (!fits)
        FAIL(VN_E_SHAPE, "depthwise filters have shape %s; a kernel, the channels of x %s and filters for each of them are needed (%s)",
             shape_text(w, s), shape_text(i->in[0], t), i->engine);
    if (__builtin_mul_overflow(d[n], d[n + 1], &between) || p->rank != 2 || to[0] != between || to[1] < 1)
        FAIL(VN_E_SHAPE, "pointwise has shape %s; [%lld, channels] is needed for depthwise filters %s (%s)", shape_text(p, s),
             (long long)(d[n] * d[n + 1]), shape_text(w, t), i->engine);
    take_kernel(i, 0, &z);
    code = slide(i, &z, out);
    return code ? code : finish(i, &z, out, to[1]);
}

int shape_separable_conv1d(vn__infer *i)
{
    return separable(i, 1);
}
int shape_separable_conv2d(vn__infer *i)
{
    return separable(i, 2);
}

/* The default size of the result along an axis; false if it is out of range. */
static bool transposed_length(int64_t n, int64_t stride, int64_t reach, bool same, int64_t *length)
{
    if (__builtin_mul_overflow(n, stride, length)) return false;
    if (!same && reach > stride && __builtin_add_overflow(*length, reach - stride, length)) return false;
    return *length <= INT32_MAX;
}

/* The forward convolution's output size for that size. */
static int64_t forward_places(int64_t length, int64_t stride, int64_t reach, bool same)
{
    if (same) return (length + stride - 1) / stride;
    return length < reach ? 0 : (length - reach) / stride + 1;
}

static int lengths_of(vn__infer *i, const sizes *z, int64_t *out)
{
    const int64_t *strides = i->options->v[OPT_CONV1D_TRANSPOSE_STRIDES].is, *given = i->options->v[OPT_CONV1D_TRANSPOSE_OUTPUT_SHAPE].is;
    const int n_given = i->options->v[OPT_CONV1D_TRANSPOSE_OUTPUT_SHAPE].n;
    const bool same = vn__layout_is_same(i, OPT_CONV1D_TRANSPOSE_PADDING);
    if (n_given && n_given != z->n)
        FAIL(VN_E_ARG, "output_shape has %d numbers; %d, one for each spatial axis, are needed (%s)", n_given, z->n, i->engine);
    for (int a = 0; a < z->n; a++) {
        if (!transposed_length(z->size[a], strides[a], z->reach[a], same, &out[a]))
            FAIL(VN_E_SHAPE, "spatial axis %d of size %lld gives no length up to %d (%s)", a, (long long)z->size[a], INT32_MAX, i->engine);
        if (!n_given) continue;
        if (given[a] < 0 || given[a] > INT32_MAX || forward_places(given[a], strides[a], z->reach[a], same) != z->size[a])
            FAIL(VN_E_SHAPE, "output_shape has %lld for spatial axis %d, which the forward convolution does not map to %lld (%s)",
                 (long long)given[a], a, (long long)z->size[a], i->engine);
        out[a] = given[a];
    }
    return VN_OK;
}

static int transposed(vn__infer *i, int n)
{
    sizes z;
    filter f;
    int64_t out[VN__SPATIAL], channels;
    int code = begin(i, n, &z);
    if (!code) code = filter_of(i, OPT_CONV1D_TRANSPOSE_FILTER_FORMAT, z.n, true, &f);
    if (code) return code;
    const int64_t *w = vn__node_dims(i->in[1]), groups = i->options->v[OPT_CONV1D_TRANSPOSE_GROUPS].u.i;
    take_kernel(i, f.kernel, &z);
    code = check_groups(i, groups, z.channels, "input");
    if (!code) code = check_channels(i, w[f.outer], z.channels);
    if (!code && __builtin_mul_overflow(w[f.inner], groups, &channels))
        FAIL(VN_E_SHAPE, "%lld channels in %lld groups are too many to address (%s)", (long long)w[f.inner], (long long)groups, i->engine);
    if (!code) code = lengths_of(i, &z, out);
    return code ? code : finish(i, &z, out, channels);
}

int shape_conv1d_transpose(vn__infer *i)
{
    return transposed(i, 1);
}
int shape_conv2d_transpose(vn__infer *i)
{
    return transposed(i, 2);
}
int shape_conv3d_transpose(vn__infer *i)
{
    return transposed(i, 3);
}
int shape_conv_general_transpose(vn__infer *i)
{
    return transposed(i, 0);
}

/* ---- compositions ---- */

/* The forward rows, on x and w in conv's layout. */
static vn_array *convolved(vn_array *const *in, const vn__infer *i, vn_array *w, vn_shape x_dilations, int64_t groups)
{
    const bool first = vn__layout_first(i, OPT_CONV1D_DATA_FORMAT);
    vn_array *bias = in[2] == VN_NONE ? in[2] : vn__narrow(in[2], i);
    vn_array *y = vn__conv_general(vn__layout_last(vn__narrow(in[0], i), first), w, bias, vn__infer_list(i, OPT_CONV1D_STRIDES),
                                   vn__infer_list(i, OPT_CONV1D_PADS), vn__infer_list(i, OPT_CONV1D_DILATIONS), x_dilations, groups, 0);
    return vn__layout_back(y, first);
}

vn_array *compose_conv_layer(vn_array *const *in, const vn__infer *i)
{
    filter f;
    filter_named(i->options->v[OPT_CONV1D_FILTER_FORMAT].u.s, i->rank - 2, false, &f);
    return convolved(in, i, conv_filter_of(vn__narrow(in[1], i), i->rank - 2, f), vn__infer_list(i, OPT_CONV1D_X_DILATIONS),
                     i->options->v[OPT_CONV1D_GROUPS].u.i);
}

vn_array *compose_depthwise_conv2d(vn_array *const *in, const vn__infer *i)
{
    const int64_t channels = vn_dim(in[1], 2);
    vn_array *w = vn_reshape(vn__narrow(in[1], i), VN_SHAPE(vn_dim(in[1], 0), vn_dim(in[1], 1), 1, channels));
    return convolved(in, i, w, (vn_shape){0}, channels);
}

vn_array *compose_separable_conv(vn_array *const *in, const vn__infer *i)
{
    const int n = i->rank - 2;
    const bool first = vn__layout_first(i, OPT_CONV1D_DATA_FORMAT);
    vn_shape filters = vn_shape_of(in[1]);
    const int64_t channels = filters.dim[n];
    filters.dim[n + 1] *= channels;
    filters.dim[n] = 1;
    vn_array *const no_bias[] = {in[0], in[1], VN_NONE};
    vn_array *y = convolved(no_bias, i, vn_reshape(vn__narrow(in[1], i), filters), (vn_shape){0}, channels);
    y = vn_matmul(vn__layout_last(y, first), vn__narrow(in[2], i));
    if (in[3] != VN_NONE) y = vn_add(y, vn__narrow(in[3], i));
    return vn__layout_back(y, first);
}

vn_array *compose_conv_transpose_layer(vn_array *const *in, const vn__infer *i)
{
    const int n = i->rank - 2;
    const bool first = vn__layout_first(i, OPT_CONV1D_TRANSPOSE_DATA_FORMAT), same = vn__layout_is_same(i, OPT_CONV1D_TRANSPOSE_PADDING);
    const vn_shape strides = vn__infer_list(i, OPT_CONV1D_TRANSPOSE_STRIDES), dilations = vn__infer_list(i, OPT_CONV1D_TRANSPOSE_DILATIONS),
                   size = vn__shape(i->dims + vn__layout_spatial(first), (size_t)n);
    filter f;
    filter_named(i->options->v[OPT_CONV1D_TRANSPOSE_FILTER_FORMAT].u.s, n, true, &f);
    vn_shape pads = {.rank = 2 * n};
    for (int a = 0; a < n && same; a++) {
        const int64_t reach = (vn_dim(in[1], f.kernel + a) - 1) * dilations.dim[a] + 1;
        vn__layout_same(size.dim[a], reach, strides.dim[a], pads.dim + 2 * a);
    }
    vn_array *y = vn__conv_input(vn__layout_last(vn__narrow(in[0], i), first), conv_filter_of(vn__narrow(in[1], i), n, f), strides, pads,
                                 dilations, i->options->v[OPT_CONV1D_TRANSPOSE_GROUPS].u.i, size);
    if (in[2] != VN_NONE) y = vn_add(y, vn__narrow(in[2], i));
    return vn__layout_back(y, first);
}
