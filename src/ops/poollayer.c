/* poollayer.c: pooling layers: the ops of pooling.c with named padding and data formats; adaptive pooling; global pooling. */
#include "ops/layout.h"

enum { WINDOW, STRIDES, PADDING, PADS, DATA_FORMAT, DILATIONS, INCLUDE_PADDING = DILATIONS };

/* ---- fixed windows ---- */

static int pool_layer(vn__infer *i, int n, bool dilates)
{
    int64_t reach[VN__SPATIAL], out[VN__SPATIAL];
    const int64_t *window = i->options->v[WINDOW].is, *strides = i->options->v[STRIDES].is, *dilations = i->options->v[DILATIONS].is;
    static const int64_t ones[VN__SPATIAL] = {1, 1, 1};
    int code = vn__layout_rank(i, &n);
    if (!code) code = vn__layout_format(i, DATA_FORMAT, n);
    if (!code && !i->options->v[WINDOW].n) FAIL(VN_E_ARG, "window is missing: its size along %d spatial axes (%s)", n, i->engine);
    if (!code) code = vn__window_list(i, WINDOW, n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, STRIDES, n, 1, 1, window);
    if (!code && dilates) code = vn__window_list(i, DILATIONS, n, 1, 1, NULL);
    if (code) return code;
    if (!dilates) dilations = ones;
    for (int a = 0; a < n; a++) reach[a] = (window[a] - 1) * dilations[a] + 1;
    const int at = vn__layout_spatial(vn__layout_first(i, DATA_FORMAT));
    const int64_t *size = vn__node_dims(i->in[0]) + at;
    code = vn__layout_pads(i, PADDING, PADS, n, size, reach, strides);
    if (!code) code = vn__window_sizes(i, n, size, window, strides, i->options->v[PADS].is, dilations, out);
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

vn_array *compose_max_pool_layer(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, DATA_FORMAT);
    const vn_shape strides = vn__infer_list(i, STRIDES), dilations = vn__infer_list(i, DILATIONS);
    vn_array *y =
        vn_max_pool(vn__layout_last(in[0], first), vn__infer_list(i, WINDOW),
                    VN_OPTS(max_pool, .strides = VN__SIZES(strides), .pads = vn__infer_list(i, PADS), .dilations = VN__SIZES(dilations)));
    return vn__layout_back(y, first);
}

vn_array *compose_avg_pool_layer(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, DATA_FORMAT);
    const vn_shape strides = vn__infer_list(i, STRIDES);
    vn_array *y = vn_avg_pool(vn__layout_last(in[0], first), vn__infer_list(i, WINDOW),
                              VN_OPTS(avg_pool, .strides = VN__SIZES(strides), .pads = vn__infer_list(i, PADS),
                                      .include_padding = i->options->v[INCLUDE_PADDING].u.i != 0));
    return vn__layout_back(y, first);
}

/* ---- adaptive windows: window j of m over n elements is [floor(j n / m), ceil((j + 1) n / m)) ---- */

enum { SIZE, ADAPTIVE_FORMAT };

int shape_adaptive_pool(vn__infer *i)
{
    int n = 0, code = vn__layout_rank(i, &n);
    char s[128];
    if (!code) code = vn__layout_format(i, ADAPTIVE_FORMAT, n);
    if (!code && !i->options->v[SIZE].n) FAIL(VN_E_ARG, "size is missing: the spatial sizes of the result (%s)", i->engine);
    if (!code) code = vn__window_list(i, SIZE, n, 1, 1, NULL);
    if (code) return code;
    shape_same(i);
    for (int a = 0; a < n; a++) {
        int64_t *d = &i->dims[vn__layout_spatial(vn__layout_first(i, ADAPTIVE_FORMAT)) + a];
        if (!*d || *d > INT32_MAX)
            FAIL(VN_E_SHAPE, "x %s has no elements along spatial axis %d, or too many (%s)", shape_text(i->in[0], s), a, i->engine);
        *d = i->options->v[SIZE].is[a];
    }
    return VN_OK;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* The longest of m windows over n elements: n / m if m divides n. Otherwise a window that begins or ends within an element has one
 * more than floor(n / m), and one that does both has two more; window starts are multiples of gcd(n, m), in m-ths of an element.
 */
static int64_t longest(int64_t n, int64_t m)
{
    const int64_t rest = n % m;
    return n / m + (rest != 0) + (rest > common_divisor(n, m));
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
    const bool first = vn__layout_first(i, ADAPTIVE_FORMAT);
    vn_shape window;
    vn_array *x = adapted(vn__layout_last(in[0], first), vn__infer_list(i, SIZE), &window, NULL);
    return x ? vn__layout_back(vn_max_pool(x, window, NULL), first) : NULL;
}

vn_array *compose_adaptive_avg_pool(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__layout_first(i, ADAPTIVE_FORMAT);
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    vn_shape window;
    vn_array *scale = vn__number(x, 1);
    x = adapted(vn__layout_last(x, first), vn__infer_list(i, SIZE), &window, &scale);
    if (!x) return NULL;
    vn_array *y = vn_div(vn_sum_pool(x, window, NULL), scale);
    return vn__layout_back(vn__narrow(y, i), first);
}

/* ---- global pooling ---- */

enum { GLOBAL_FORMAT, KEEPDIMS };

static vn_axes spatial_axes(const vn__infer *i)
{
    const int n = i->in[0]->rank - 2, at = vn__layout_spatial(vn__layout_first(i, GLOBAL_FORMAT));
    vn_axes axes = {n, i->options->v[KEEPDIMS].u.i != 0, {0}};
    for (int a = 0; a < n; a++) axes.axis[a] = at + a;
    return axes;
}

int shape_global_pool(vn__infer *i)
{
    int n = 0, code = vn__layout_rank(i, &n);
    char s[128];
    if (!code) code = vn__layout_format(i, GLOBAL_FORMAT, n);
    if (code) return code;
    const bool first = vn__layout_first(i, GLOBAL_FORMAT);
    const int64_t *x = vn__node_dims(i->in[0]), channels = x[vn__layout_channels(first, n)];
    for (int a = 0; a < n; a++) {
        if (!x[vn__layout_spatial(first) + a])
            FAIL(VN_E_SHAPE, "x %s has no elements along spatial axis %d (%s)", shape_text(i->in[0], s), a, i->engine);
    }
    const bool keep = i->options->v[KEEPDIMS].u.i != 0;
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
