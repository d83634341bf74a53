/* SPDX-License-Identifier: Apache-2.0 */
/* maxpool.c: max pooling of float32 by TensorFlow's kernels. oneDNN's take a quarter of the time of comparing elements, but lose
 * NaN, and give the lowest finite number for windows of -inf. Images where that can happen, usually none, are recomputed
 * by comparing elements (pooling.c). */
#include <float.h>

#include "pooling.h"
#include "registered.h"

static int is_valid(const window *w)
{
    for (int a = 0; a < w->n; a++)
        if (w->low[a] || w->high[a] || w->out[a] != (w->in[a] - w->size[a]) / w->stride[a] + 1) return 0;
    return 1;
}

int maxpool_fits(const window *w, int32_t dtype)
{
    for (int a = 0; a < w->n; a++)
        if (w->dilation[a] != 1) return 0;
    const uint32_t kernels = registered_dtypes("MaxPool") & registered_dtypes("MaxPoolGrad") & registered_dtypes("Min");
    return dtype == VN_F32 && kernels & VN_BIT(dtype) && build_can_put_rows(dtype) && w->n <= 2 && (is_valid(w) || window_is_same(w));
}

/* [N, in..., C] as [N, height, width, C]. */
static TF_Output as_images(builder *b, const window *w, TF_Output x, int64_t batch, const int64_t *spatial, int64_t channels)
{
    return w->n == 2 ? x : node2(b, "Reshape", x, build_ints(b, (int64_t[]){batch, 1, spatial[0], channels}, 4));
}

static TF_Output kernel(builder *b, const window *w, const char *op, int n, const TF_Output *in)
{
    const int64_t last = w->n - 1, size[] = {1, w->n == 2 ? w->size[0] : 1, w->size[last], 1};
    const int64_t stride[] = {1, w->n == 2 ? w->stride[0] : 1, w->stride[last], 1};
    TF_OperationDescription *node = build_begin(b, op, n, in);
    if (!node) return (TF_Output){0};
    api.TF_SetAttrIntList(node, "ksize", size, 4);
    api.TF_SetAttrIntList(node, "strides", stride, 4);
    if (is_valid(w)) api.TF_SetAttrString(node, "padding", "VALID", 5);
    else api.TF_SetAttrString(node, "padding", "SAME", 4);
    return build_end(b, node);
}

/* Applies op to each image. */
static TF_Output by_image(builder *b, const char *op, TF_Output x, int64_t batch)
{
    return node2(b, op, node2(b, "Reshape", x, build_ints(b, (int64_t[]){batch, -1}, 2)), build_ints(b, (int64_t[]){1}, 1));
}

/* The numbers of images with NaN, or with windows that may be all -inf. */
static TF_Output find_odd(builder *b, TF_Output x, TF_Output y, int64_t batch)
{
    TF_Output nan = node1(b, "IsNan", by_image(b, "Max", x, batch));
    TF_Output low = node2(b, "LessEqual", by_image(b, "Min", y, batch), build_number(b, VN_F32, -(double)FLT_MAX));
    return build_flagged(b, node2(b, "LogicalOr", nan, low));
}

/* x with an unknown number of images. */
static vn_desc some_of(const vn_desc *x, int64_t *dims)
{
    for (int i = 0; i < x->rank; i++) dims[i] = i ? x->dims[i] : -1;
    return (vn_desc){.dtype = x->dtype, .rank = x->rank, .count = x->count, .dims = dims};
}

/* y, with the dims of `of`, with the affected images replaced by `exact`. It is overwritten in place: a kernel has just created it, and the
 * backward pass, which also gets it, does not read its elements. */
static TF_Output put_right(builder *b, TF_Output y, TF_Output odd, TF_Output exact, const vn_desc *of)
{
    int64_t dims[VN_MAX_RANK];
    const vn_desc some = some_of(of, dims);
    y = of->rank == 4 ? y : node2(b, "Reshape", y, build_ints(b, of->dims, of->rank));
    return build_put_rows(b, y, odd, node2(b, "Reshape", exact, build_ints(b, some.dims, some.rank)));
}

/* Pooling by the kernel: images and result as [N, height, width, C], and the numbers of the images to recompute. Both passes emit the
 * same nodes, which TensorFlow computes once if they are in one graph. */
typedef struct pooled {
    TF_Output images, y, odd;
} pooled;

static pooled pooled_of(builder *b, const window *w, const vn_desc *x)
{
    pooled p = {.images = as_images(b, w, build_in(b, 0), x->dims[0], w->in, x->dims[x->rank - 1])};
    p.y = kernel(b, w, "MaxPool", 1, &p.images);
    p.odd = find_odd(b, p.images, p.y, x->dims[0]);
    return p;
}

TF_Output maxpool(builder *b, const window *w, const vn_desc *x)
{
    int64_t dims[VN_MAX_RANK];
    const vn_desc some = some_of(x, dims);
    const pooled p = pooled_of(b, w, x);
    int32_t dtype; /* stays float32 */
    return put_right(b, p.y, p.odd, pool_compared(b, w, &some, build_rows(b, build_in(b, 0), p.odd), &dtype), build_out_desc(b));
}

/* y and index are not used: the kernel needs its own y, and positions only for the affected images. */
TF_Output maxpool_backward(builder *b, const window *w, const vn_desc *x)
{
    enum { CT = 3 };
    int64_t dims[VN_MAX_RANK];
    const vn_desc some = some_of(x, dims);
    const pooled p = pooled_of(b, w, x);
    const TF_Output ct = build_in(b, CT);
    TF_Output in[] = {p.images, p.y, as_images(b, w, ct, x->dims[0], w->out, x->dims[x->rank - 1])};
    int32_t places, dtype; /* stays float32 */
    TF_Output rows = build_rows(b, build_in(b, 0), p.odd), at = pool_places(b, w, &some, rows, &places);
    TF_Output exact = pool_scattered(b, w, &some, rows, at, places, x->dtype, build_rows(b, ct, p.odd), &dtype);
    return put_right(b, kernel(b, w, "MaxPoolGrad", 3, in), p.odd, exact, x);
}
