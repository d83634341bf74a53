/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.c: pooling: a window slides over the spatial axes of x [N, in..., C] and gives one element per position and channel,
 * y [N, out..., C].
 *
 * max_pool also returns the position of each maximum; max_pool_backward scatters ct there, and its gradient gathers from
 * there. sum_pool and sum_pool_backward are each other's gradients. */
#include "ops/index.h"
#include "ops/window.h"

/* Options are read with the numbers of max_pool; the other rows have the same, avg_pool no dilations. */
#define POOLS(ROW) (AGREE(MAX_POOL, ROW, WINDOW) && AGREE(MAX_POOL, ROW, STRIDES) && AGREE(MAX_POOL, ROW, PADS))
#define DILATES(ROW) (POOLS(ROW) && AGREE(MAX_POOL, ROW, DILATIONS))
_Static_assert(POOLS(AVG_POOL) && DILATES(SUM_POOL) && DILATES(MAX_POOL_BACKWARD) && DILATES(SUM_POOL_BACKWARD),
               "the rows number their options alike");

/* ---- rules ---- */

/* Checks the window's options and computes the spatial sizes of the result. */
static int pooled(vn__infer *i, int n, const int64_t *size, bool dilates, int64_t *out)
{
    const int64_t *window = i->options->v[OPT_MAX_POOL_WINDOW].is, ones[VN__SPATIAL] = {1, 1, 1};
    if (!i->options->v[OPT_MAX_POOL_WINDOW].n) FAIL(VN_E_ARG, "window is missing: its size along %d spatial axes (%s)", n, i->engine);
    int code = vn__window_list(i, OPT_MAX_POOL_WINDOW, n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_MAX_POOL_STRIDES, n, 1, 1, window);
    if (!code) code = vn__window_list(i, OPT_MAX_POOL_PADS, 2 * n, 0, 0, NULL);
    if (!code && dilates) code = vn__window_list(i, OPT_MAX_POOL_DILATIONS, n, 1, 1, NULL);
    if (code) return code;
    return vn__window_sizes(i, n, size, window, i->options->v[OPT_MAX_POOL_STRIDES].is, i->options->v[OPT_MAX_POOL_PADS].is,
                            dilates ? i->options->v[OPT_MAX_POOL_DILATIONS].is : ones, out);
}

static int pool(vn__infer *i, bool dilates)
{
    int64_t out[VN__SPATIAL];
    int code = vn__window_rank(i, 0);
    if (code) return code;
    const int n = i->in[0]->rank - 2;
    code = pooled(i, n, vn__node_dims(i->in[0]) + 1, dilates, out);
    if (code) return code;
    vn__rule_result(i, n + 2, vn__node_dims(i->in[0]));
    memcpy(i->dims + 1, out, (size_t)n * sizeof *out);
    return VN_OK;
}

int shape_pool(vn__infer *i)
{
    return pool(i, true);
}
int shape_avg_pool(vn__infer *i)
{
    return pool(i, false);
}

/* y and ct are of x's dtype. */
int dtype_max_pool_backward(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    i->want[3] = i->dtype;
    return code ? code : vn__rule_index(i, 2);
}

/* inputs: x, then y, index and ct, which have the shape of x pooled */
int shape_max_pool_backward(vn__infer *i)
{
    char s[128], t[128];
    int code = shape_pool(i);
    for (int k = 1; k < 4 && !code; k++) {
        if (i->in[k]->rank != i->rank || memcmp(vn__node_dims(i->in[k]), i->dims, (size_t)i->rank * sizeof *i->dims) != 0)
            FAIL(VN_E_SHAPE, "%s has shape %s, %s is needed, the shape of x pooled (%s)", i->op->info.inputs[k], shape_text(i->in[k], s),
                 vn__shape_text(i->rank, i->dims, t), i->engine);
    }
    return code ? code : shape_same(i);
}

int shape_sum_pool_backward(vn__infer *i)
{
    int64_t out[VN__SPATIAL];
    int code = vn__window_rank(i, 0);
    if (code) return code;
    const int n = i->in[0]->rank - 2;
    if (!i->options->v[OPT_SUM_POOL_BACKWARD_SIZE].n) FAIL(VN_E_ARG, "size is missing: the spatial sizes of the result (%s)", i->engine);
    code = vn__window_list(i, OPT_SUM_POOL_BACKWARD_SIZE, n, 0, 0, NULL);
    if (!code) code = pooled(i, n, i->options->v[OPT_SUM_POOL_BACKWARD_SIZE].is, true, out);
    if (!code) code = vn__window_matches(i, 0, out, "size");
    if (code) return code;
    vn__rule_result(i, n + 2, vn__node_dims(i->in[0]));
    memcpy(i->dims + 1, i->options->v[OPT_SUM_POOL_BACKWARD_SIZE].is, (size_t)n * sizeof *out);
    return VN_OK;
}

/* ---- gradients ---- */

#define LISTS(o)                                                                                                                       \
    vn__option_list(&(o)[OPT_MAX_POOL_WINDOW]), vn__option_list(&(o)[OPT_MAX_POOL_STRIDES]), vn__option_list(&(o)[OPT_MAX_POOL_PADS]), \
        vn__option_list(&(o)[OPT_MAX_POOL_DILATIONS])

/* The position of the maximum is piecewise constant, so the gradient depends only on ct. */
vn_array *vjp_max_pool(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn__max_pool_backward(vn_stop_gradient(a->in[0]), vn_stop_gradient(a->outs[0]), a->outs[1], a->cts[0], LISTS(a->options));
}

/* The elements of u, of x's shape, at the positions in index; 0 for no position. */
static vn_array *picked(vn_array *u, vn_array *index)
{
    vn_shape in = vn_shape_of(u), out = vn_shape_of(index), flat = VN_SHAPE(in.dim[0], 1, in.dim[in.rank - 1]), at = flat;
    for (int k = 1; k < in.rank - 1; k++) flat.dim[1] *= in.dim[k], at.dim[1] *= out.dim[k];
    index = vn_reshape(index, at);
    vn_array *z = vn_take_along_axis(vn_reshape(u, flat), vn_maximum(index, vn_scalar(0)), 1);
    return vn_reshape(vn_where(vn_less(index, vn_scalar(0)), vn_scalar(0), z), out);
}

vn_array *vjp_max_pool_backward(const vn__vjp_args *a, int k)
{
    return k == 3 ? picked(a->ct, a->in[2]) : vn_zeros_like(a->in[k]);
}

vn_array *vjp_sum_pool(const vn__vjp_args *a, int k)
{
    return vn__sum_pool_backward(a->ct, LISTS(a->options), vn__spatial_of(a->in[k]));
}

static vn_array *summed(vn_array *x, vn_shape window, vn_shape strides, vn_shape padding, vn_shape dilation)
{
    return vn_sum_pool(x, window, VN_OPTS(sum_pool, .strides = VN__SIZES(strides), .pads = padding, .dilations = VN__SIZES(dilation)));
}

vn_array *vjp_sum_pool_backward(const vn__vjp_args *a, int k)
{
    (void)k;
    return summed(a->ct, LISTS(a->options));
}

/* ---- averages ---- */

/* The number of elements of x in each window, at least 1, as [1, out..., 1]. */
static vn_array *counts(vn_array *x, vn_shape window, vn_shape strides, vn_shape padding)
{
    vn_shape one = vn_shape_of(x);
    one.dim[0] = one.dim[one.rank - 1] = 1;
    vn_array *ones = vn_broadcast_to(vn__number(x, 1), one);
    return vn_maximum(summed(ones, window, strides, padding, VN_DEFAULT), vn_scalar(1));
}

vn_array *compose_avg_pool(vn_array *const *in, const vn__infer *i)
{
    const vn_shape window = vn__infer_list(i, OPT_AVG_POOL_WINDOW), strides = vn__infer_list(i, OPT_AVG_POOL_STRIDES),
                   padding = vn__infer_list(i, OPT_AVG_POOL_PADS);
    vn_array *x = vn__widen(in[0]), *sum = summed(x, window, strides, padding, VN_DEFAULT);
    if (!x || !sum) return NULL;
    bool padded = false;
    double size = 1;
    for (int k = 0; k < padding.rank; k++) padded |= padding.dim[k] != 0;
    for (int k = 0; k < window.rank; k++) size *= (double)window.dim[k];
    const bool same = !padded || i->options->v[OPT_AVG_POOL_INCLUDE_PADDING].u.i; /* all windows have the same count */
    return vn__narrow(vn_div(sum, same ? vn_scalar(size) : counts(x, window, strides, padding)), i);
}
