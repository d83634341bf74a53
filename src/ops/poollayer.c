/* SPDX-License-Identifier: Apache-2.0 */
/* poollayer.c: pooling layers: the ops of pooling.c with named padding and data formats; adaptive pooling; global pooling. */
#include "ops/layout.h"
#include "base/minmax.h"

/* ---- fixed windows ---- */

/* pool_layer reads all rows with the numbers of max_pool1d; the compositions read theirs with those of the row for one axis. */
#define POOLS(ROW)                                                                                           \
    (AGREE(MAX_POOL1D, ROW, WINDOW) && AGREE(MAX_POOL1D, ROW, STRIDES) && AGREE(MAX_POOL1D, ROW, PADDING) && \
     AGREE(MAX_POOL1D, ROW, PADS) && AGREE(MAX_POOL1D, ROW, DATA_FORMAT))
_Static_assert(POOLS(MAX_POOL2D) && POOLS(MAX_POOL3D) && POOLS(AVG_POOL1D) && POOLS(AVG_POOL2D) && POOLS(AVG_POOL3D) &&
                   POOLS(MAX_POOL_WITH_INDICES),
               "the rows number their options alike");
_Static_assert(AGREE(MAX_POOL1D, MAX_POOL2D, DILATIONS) && AGREE(MAX_POOL1D, MAX_POOL3D, DILATIONS) &&
                   AGREE(MAX_POOL1D, MAX_POOL_WITH_INDICES, DILATIONS),
               "the rows number their options alike");
_Static_assert(AGREE(AVG_POOL1D, AVG_POOL2D, INCLUDE_PADDING) && AGREE(AVG_POOL1D, AVG_POOL3D, INCLUDE_PADDING),
               "the rows number their options alike");

static int pool_layer(vn__infer *i, int n, bool dilates)
{
    int64_t reach[VN__SPATIAL], out[VN__SPATIAL];
    const int64_t *window = i->options->v[OPT_MAX_POOL1D_WINDOW].is, *strides = i->options->v[OPT_MAX_POOL1D_STRIDES].is;
    static const int64_t ones[VN__SPATIAL] = {1, 1, 1};
    int code = vn__layout_rank(i, &n);
    if (!code) code = vn__layout_format(i, OPT_MAX_POOL1D_DATA_FORMAT, n);
    if (!code && !i->options->v[OPT_MAX_POOL1D_WINDOW].n)
        FAIL(VN_E_ARG, "window is missing: its size along %d spatial axes (%s)", n, i->engine);
    if (!code) code = vn__window_list(i, OPT_MAX_POOL1D_WINDOW, n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, OPT_MAX_POOL1D_STRIDES, n, 1, 1, window);
    if (!code && dilates) code = vn__window_list(i, OPT_MAX_POOL1D_DILATIONS, n, 1, 1, NULL);
    if (code) return code;
    const int64_t *dilations = dilates ? i->options->v[OPT_MAX_POOL1D_DILATIONS].is : ones;
    for (int a = 0; a < n; a++) reach[a] = (window[a] - 1) * dilations[a] + 1;
    const int at = vn__layout_spatial(vn__layout_first(i, OPT_MAX_POOL1D_DATA_FORMAT));
    const int64_t *size = vn__node_dims(i->in[0]) + at;
    code = vn__layout_pads(i, OPT_MAX_POOL1D_PADDING, OPT_MAX_POOL1D_PADS, n, size, reach, strides);
    if (!code) code = vn__window_sizes(i, n, size, window, strides, i->options->v[OPT_MAX_POOL1D_PADS].is, dilations, out);
    if (!code) code = vn__layout_not_empty(i, n, out, reach);
    if (code) return code;
    shape_same(i);
    memcpy(i->dims + at, out, (size_t)n * sizeof *out);
    return VN_OK;
}

int shape_max_pool1d(vn__infer *i)
{
    return pool_layer(i, 1, true);
}
int shape_max_pool2d(vn__infer *i)
{
    return pool_layer(i, 2, true);
}
int shape_max_pool3d(vn__infer *i)
{
    return pool_layer(i, 3, true);
}
int shape_avg_pool1d(vn__infer *i)
{
    return pool_layer(i, 1, false);
}
int shape_avg_pool2d(vn__infer *i)
{
    return pool_layer(i, 2, false);
}
int shape_avg_pool3d(vn__infer *i)
{
    return pool_layer(i, 3, false);
}

int shape_max_pool_any(vn__infer *i)
{
    return pool_layer(i, 0, true);
}

static vn_array *max_pooled(vn_array *x, const vn__infer *i, vn_array **index)
{
    const bool first = vn__layout_first(i, OPT_MAX_POOL1D_DATA_FORMAT);
    const vn_shape strides = vn__infer_list(i, OPT_MAX_POOL1D_STRIDES), dilations = vn__infer_list(i, OPT_MAX_POOL1D_DILATIONS);
    const vn_max_pool_opts *o =
        VN_OPTS(max_pool, .strides = VN__SIZES(strides), .pads = vn__infer_list(i, OPT_MAX_POOL1D_PADS), .dilations = VN__SIZES(dilations));
    vn_array *last = vn__layout_last(x, first);
    const vn_shape window = vn__infer_list(i, OPT_MAX_POOL1D_WINDOW);
    vn_array *y = index ? vn__max_pool(last, window, o, index) : vn_max_pool(last, window, o);
    if (index) *index = vn__layout_back(*index, first);
    return vn__layout_back(y, first);
}

vn_array *compose_max_pool_layer(vn_array *const *in, const vn__infer *i)
{
    return max_pooled(in[0], i, NULL);
}

vn_array *compose_max_pool_with_indices(vn_array *const *in, const vn__infer *i)
{
    return max_pooled(in[0], i, &i->more[0]);
}

int shape_max_unpool(vn__infer *i)
{
    int n = 0, code = vn__layout_rank(i, &n);
    if (!code) code = vn__layout_format(i, OPT_MAX_UNPOOL_DATA_FORMAT, n);
    if (!code && !i->options->v[OPT_MAX_UNPOOL_SIZE].n) FAIL(VN_E_ARG, "size is missing: the spatial sizes of the result (%s)", i->engine);
    if (!code) code = vn__window_list(i, OPT_MAX_UNPOOL_SIZE, n, 1, 1, NULL);
    if (!code) code = vn__rule_like_first(i, 1);
    if (code) return code;
    shape_same(i);
    int64_t all = 1;
    for (int a = 0; a < n; a++) {
        i->dims[vn__layout_spatial(vn__layout_first(i, OPT_MAX_UNPOOL_DATA_FORMAT)) + a] = i->options->v[OPT_MAX_UNPOOL_SIZE].is[a];
        if (__builtin_mul_overflow(all, i->options->v[OPT_MAX_UNPOOL_SIZE].is[a], &all))
            FAIL(VN_E_SHAPE, "more places than can be addressed (%s)", i->engine);
    }
    return vn__rule_within(i, 1, (vn__bounds){.sizes = &all, .n = 1, .from_end = true, .what = "places"});
}

/* Places below 0 go to one more place, which is cut. */
vn_array *compose_max_unpool(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, OPT_MAX_UNPOOL_DATA_FORMAT);
    vn_array *x = vn__layout_last(in[0], first), *at = vn__layout_last(in[1], first);
    if (!x || !at) return NULL;
    vn_shape s = vn_shape_of(x), result = s, rows = VN_SHAPE(s.dim[0], 1, s.dim[s.rank - 1]), places = rows;
    for (int a = 1; a < s.rank - 1; a++) {
        result.dim[a] = i->options->v[OPT_MAX_UNPOOL_SIZE].is[a - 1];
        rows.dim[1] *= s.dim[a], places.dim[1] *= result.dim[a];
    }
    const int64_t none = places.dim[1]++;
    at = vn_reshape(vn_where(vn_less(at, vn_scalar_int(0)), vn_scalar_int(none), at), rows);
    vn_array *y = vn_put_along_axis(vn_broadcast_to(vn__number(x, 0), places), at, vn_reshape(x, rows), 1, NULL);
    return vn__layout_back(vn_reshape(vn__piece(y, 1, 0, none), result), first);
}

vn_array *compose_avg_pool_layer(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, OPT_AVG_POOL1D_DATA_FORMAT);
    const vn_shape strides = vn__infer_list(i, OPT_AVG_POOL1D_STRIDES);
    vn_array *y = vn_avg_pool(vn__layout_last(in[0], first), vn__infer_list(i, OPT_AVG_POOL1D_WINDOW),
                              VN_OPTS(avg_pool, .strides = VN__SIZES(strides), .pads = vn__infer_list(i, OPT_AVG_POOL1D_PADS),
                                      .include_padding = i->options->v[OPT_AVG_POOL1D_INCLUDE_PADDING].u.i != 0));
    return vn__layout_back(y, first);
}

/* ---- adaptive windows: window j of m over n elements is [floor(j n / m), ceil((j + 1) n / m)) ---- */

_Static_assert(AGREE(ADAPTIVE_AVG_POOL, ADAPTIVE_MAX_POOL, SIZE) && AGREE(ADAPTIVE_AVG_POOL, ADAPTIVE_MAX_POOL, DATA_FORMAT),
               "the rows number their options alike");

int shape_adaptive_pool(vn__infer *i)
{
    int n = 0, code = vn__layout_rank(i, &n);
    char s[128];
    if (!code) code = vn__layout_format(i, OPT_ADAPTIVE_AVG_POOL_DATA_FORMAT, n);
    if (!code && !i->options->v[OPT_ADAPTIVE_AVG_POOL_SIZE].n)
        FAIL(VN_E_ARG, "size is missing: the spatial sizes of the result (%s)", i->engine);
    if (!code) code = vn__window_list(i, OPT_ADAPTIVE_AVG_POOL_SIZE, n, 1, 1, NULL);
    if (code) return code;
    shape_same(i);
    for (int a = 0; a < n; a++) {
        int64_t *d = &i->dims[vn__layout_spatial(vn__layout_first(i, OPT_ADAPTIVE_AVG_POOL_DATA_FORMAT)) + a];
        if (!*d || *d > INT32_MAX)
            FAIL(VN_E_SHAPE, "x %s has no elements along spatial axis %d, or too many (%s)", shape_text(i->in[0], s), a, i->engine);
        *d = i->options->v[OPT_ADAPTIVE_AVG_POOL_SIZE].is[a];
    }
    return VN_OK;
}

/* The longest of m windows over n elements: n / m if m divides n. Otherwise a window that begins or ends within an element has one
 * more than floor(n / m), and one that does both has two more; window starts are multiples of gcd(n, m), in m-ths of an element.
 */
static int64_t longest(int64_t n, int64_t m)
{
    const int64_t rest = n % m;
    return n / m + (rest != 0) + (rest > (int64_t)vn__gcd((uint64_t)n, (uint64_t)m));
}

/* The starts and lengths of the windows, as int64 vectors (m). */
typedef struct windows {
    vn_array *start, *length;
} windows;

static windows windows_of(const vn_array *x, int64_t n, int64_t m)
{
    vn_array *from = vn_mul(vn__positions(x, m), vn_scalar((double)n)), *to = vn_add(from, vn_scalar((double)(n + m - 1)));
    vn_array *start = vn_floor_divide(from, vn_scalar((double)m)), *end = vn_floor_divide(to, vn_scalar((double)m));
    return (windows){start, vn_sub(end, start)};
}

/* Concatenates x's windows along an axis, each padded to the length `most` with copies of its last element; *inside, if
 * not NULL, is a bool mask of the elements that are not copies. */
static vn_array *unfolded(vn_array *x, int axis, windows w, int64_t m, int64_t most, vn_array **inside)
{
    vn_array *step = vn__positions(x, most), *length = vn_reshape(w.length, VN_SHAPE(m, 1));
    vn_array *at = vn_add(vn_reshape(w.start, VN_SHAPE(m, 1)), vn_minimum(step, vn_sub(length, vn_scalar(1))));
    if (inside) *inside = vn_reshape(vn_less(step, length), VN_SHAPE(m * most));
    return vn_take(x, vn_reshape(at, VN_SHAPE(m * most)), axis);
}

/* Reshapes a vector to lie along an axis of x. */
static vn_array *along(vn_array *v, const vn_array *x, int axis)
{
    vn_shape s = {.rank = vn_rank(x)};
    for (int a = 0; a < s.rank; a++) s.dim[a] = a == axis ? vn_size(v) : 1;
    return vn_reshape(v, s);
}

/* Rearranges x [N, spatial..., C] so that adjacent windows of the returned size are its adaptive windows. For sums, copies are zeros, and
 * *scale is the divisor of each window's sum. */
static vn_array *adapted(vn_array *x, vn_shape size, vn_shape *window, vn_array **scale)
{
    *window = (vn_shape){.rank = size.rank};
    for (int a = 0; a < size.rank && x; a++) {
        const int64_t n = vn_dim(x, a + 1), m = size.dim[a];
        window->dim[a] = longest(n, m);
        if (n == m * window->dim[a]) {
            if (scale) *scale = vn_mul(*scale, vn_scalar((double)window->dim[a]));
            continue;
        }
        vn_array *inside = NULL;
        const windows w = windows_of(x, n, m);
        x = unfolded(x, a + 1, w, m, window->dim[a], scale ? &inside : NULL);
        if (!x || !scale) continue;
        x = vn_where(along(inside, x, a + 1), x, vn_scalar(0));
        *scale = vn_mul(*scale, along(vn_cast(w.length, vn_dtype_of(x)), x, a + 1));
    }
    return x;
}

vn_array *compose_adaptive_max_pool(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, OPT_ADAPTIVE_AVG_POOL_DATA_FORMAT);
    vn_shape window;
    vn_array *x = adapted(vn__layout_last(in[0], first), vn__infer_list(i, OPT_ADAPTIVE_AVG_POOL_SIZE), &window, NULL);
    return x ? vn__layout_back(vn_max_pool(x, window, NULL), first) : NULL;
}

vn_array *compose_adaptive_avg_pool(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, OPT_ADAPTIVE_AVG_POOL_DATA_FORMAT);
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    vn_shape window;
    vn_array *scale = vn__number(x, 1);
    x = adapted(vn__layout_last(x, first), vn__infer_list(i, OPT_ADAPTIVE_AVG_POOL_SIZE), &window, &scale);
    if (!x) return NULL;
    vn_array *y = vn_div(vn_sum_pool(x, window, NULL), scale);
    return vn__layout_back(vn__narrow(y, i), first);
}

/* ---- global pooling ---- */

_Static_assert(AGREE(GLOBAL_AVG_POOL, GLOBAL_MAX_POOL, DATA_FORMAT) && AGREE(GLOBAL_AVG_POOL, GLOBAL_MAX_POOL, KEEPDIMS),
               "the rows number their options alike");

static vn_axes spatial_axes(const vn__infer *i)
{
    const int n = i->in[0]->rank - 2, at = vn__layout_spatial(vn__layout_first(i, OPT_GLOBAL_AVG_POOL_DATA_FORMAT));
    vn_axes axes = {n, i->options->v[OPT_GLOBAL_AVG_POOL_KEEPDIMS].u.i != 0, {0}};
    for (int a = 0; a < n; a++) axes.axis[a] = at + a;
    return axes;
}

int shape_global_pool(vn__infer *i)
{
    int n = 0, code = vn__layout_rank(i, &n);
    char s[128];
    if (!code) code = vn__layout_format(i, OPT_GLOBAL_AVG_POOL_DATA_FORMAT, n);
    if (code) return code;
    const bool first = vn__layout_first(i, OPT_GLOBAL_AVG_POOL_DATA_FORMAT);
    const int64_t *x = vn__node_dims(i->in[0]), channels = x[vn__layout_channels(first, n)];
    for (int a = 0; a < n; a++) {
        if (!x[vn__layout_spatial(first) + a])
            FAIL(VN_E_SHAPE, "x %s has no elements along spatial axis %d (%s)", shape_text(i->in[0], s), a, i->engine);
    }
    const bool keep = i->options->v[OPT_GLOBAL_AVG_POOL_KEEPDIMS].u.i != 0;
    i->rank = keep ? n + 2 : 2;
    for (int a = 0; a < i->rank; a++) i->dims[a] = 1;
    i->dims[0] = x[0];
    i->dims[keep ? vn__layout_channels(first, n) : 1] = channels;
    return VN_OK;
}

vn_array *compose_global_max_pool(vn_array *const *in, const vn__infer *i)
{
    return vn_max(in[0], spatial_axes(i));
}

vn_array *compose_global_avg_pool(vn_array *const *in, const vn__infer *i)
{
    return vn_mean(in[0], spatial_axes(i));
}
