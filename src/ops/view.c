/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: the elements of an array seen in another way: bits, strides, sliding windows, unfold and fold. All but bitcast take elements at
 * positions that follow from the options, so their gradients add up at these positions. */
#include "ops/index.h"
#include "ops/window.h"
#include "core/dtype.h"

/* ---- bits ---- */

int dtype_bitcast(vn__infer *i)
{
    int code = vn__rule_accept(i, i->in[0]->dtype);
    return code ? code : vn__rule_dtype(i, OPT_BITCAST_DTYPE);
}

int shape_bitcast(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int64_t from = (int64_t)vn_dtype_size((vn_dtype)x->dtype),
                  to = (int64_t)vn_dtype_size((vn_dtype)i->options->v[OPT_BITCAST_DTYPE].u.i);
    char s[128];
    shape_same(i);
    if (from == to || to <= 0) return VN_OK;
    if (!x->rank) FAIL(VN_E_SHAPE, "a 0-d %s has no axis for elements of %lld bytes (%s)", dtype_text(x->dtype), (long long)to, i->engine);
    int64_t *last = &i->dims[i->rank - 1];
    if (*last * from % to)
        FAIL(VN_E_SHAPE, "the last axis of x %s has %lld bytes, which are no elements of %lld bytes (%s)", shape_text(x, s),
             (long long)(*last * from), (long long)to, i->engine);
    *last = *last * from / to;
    return VN_OK;
}

/* ---- strides ---- */

int shape_as_strided(vn__infer *i)
{
    const vn__option_value *shape = &i->options->v[OPT_AS_STRIDED_SHAPE], *strides = &i->options->v[OPT_AS_STRIDED_STRIDES];
    int64_t low = i->options->v[OPT_AS_STRIDED_OFFSET].u.i, high = low;
    bool empty = false, lost = false;
    char s[128];
    if (shape->n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    if (strides->n != shape->n) FAIL(VN_E_ARG, "strides has %d numbers, the shape %d (%s)", strides->n, shape->n, i->engine);
    for (int k = 0; k < shape->n; k++) {
        int64_t reach;
        if (shape->is[k] < 0) FAIL(VN_E_SHAPE, "size %lld of axis %d is negative", (long long)shape->is[k], k);
        empty |= !shape->is[k];
        lost |= __builtin_mul_overflow(shape->is[k] - 1, strides->is[k], &reach);
        lost |= !lost && __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    }
    if (!empty && (lost || low < 0 || high >= i->in[0]->count))
        FAIL(VN_E_ARG, "positions from %lld to %lld are outside the %lld elements of x %s (%s)", (long long)low, (long long)high,
             (long long)i->in[0]->count, shape_text(i->in[0], s), i->engine);
    vn__rule_result(i, shape->n, shape->is);
    return VN_OK;
}

/* Positions along axis k, of n with a distance, as an array that broadcasts against those of other axes of this rank. */
static vn_array *steps(vn_array *like, int64_t n, int64_t distance, int k, int rank)
{
    vn_shape s = {.rank = rank};
    for (int a = 0; a < rank; a++) s.dim[a] = a == k ? n : 1;
    return vn_reshape(vn_mul(vn__positions(like, n), vn__filled(like, distance, VN_0D)), s);
}

vn_array *compose_as_strided(vn_array *const *in, const vn__infer *i)
{
    vn_array *at = vn__filled(in[0], i->options->v[OPT_AS_STRIDED_OFFSET].u.i, VN_0D);
    for (int k = 0; k < i->rank && at; k++)
        at = vn_add(at, steps(in[0], i->dims[k], i->options->v[OPT_AS_STRIDED_STRIDES].is[k], k, i->rank));
    return vn_take(vn__flat(in[0]), at, 0);
}

/* ---- sliding windows ---- */

int shape_sliding_window_view(vn__infer *i)
{
    const vn__node *x = i->in[0];
    vn__option_value *window = &i->options->v[OPT_SLIDING_WINDOW_VIEW_WINDOW], *axes = &i->options->v[OPT_SLIDING_WINDOW_VIEW_AXES];
    char s[128];
    if (axes->n == VN__ALL_AXES) {
        axes->n = x->rank;
        for (int k = 0; k < x->rank; k++) axes->is[k] = k;
    }
    int code = vn__rule_order(i, OPT_SLIDING_WINDOW_VIEW_AXES, x->rank);
    if (!code) code = vn__window_list(i, OPT_SLIDING_WINDOW_VIEW_STEPS, axes->n, 1, 1, NULL);
    if (code) return code;
    if (window->n != axes->n) FAIL(VN_E_ARG, "window has %d sizes for %d axes (%s)", window->n, axes->n, i->engine);
    if (x->rank + axes->n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "x %s has no room for %d axes more (%s)", shape_text(x, s), axes->n, i->engine);
    shape_same(i);
    for (int k = 0; k < axes->n; k++) {
        int64_t *n = &i->dims[axes->is[k]];
        if (window->is[k] < 1 || window->is[k] > *n)
            FAIL(VN_E_ARG, "a window of %lld does not fit axis %lld of x %s (%s)", (long long)window->is[k], (long long)axes->is[k],
                 shape_text(x, s), i->engine);
        *n = (*n - window->is[k]) / i->options->v[OPT_SLIDING_WINDOW_VIEW_STEPS].is[k] + 1;
        i->dims[i->rank++] = window->is[k];
    }
    return VN_OK;
}

/* Axis by axis: the windows take its place, the places in them become the last axis. */
vn_array *compose_sliding_window_view(vn_array *const *in, const vn__infer *i)
{
    const vn__option_value *window = &i->options->v[OPT_SLIDING_WINDOW_VIEW_WINDOW], *axes = &i->options->v[OPT_SLIDING_WINDOW_VIEW_AXES];
    vn_array *x = in[0];
    for (int k = 0; k < axes->n && x; k++) {
        const int axis = (int)axes->is[k];
        vn_array *at =
            vn_add(steps(x, i->dims[axis], i->options->v[OPT_SLIDING_WINDOW_VIEW_STEPS].is[k], 0, 2), steps(x, window->is[k], 1, 1, 2));
        x = vn_take(x, at, axis);
        if (x) x = vn__move_axis(x, axis + 1, vn_rank(x) - 1);
    }
    return x == in[0] ? vn_positive(x) : x;
}

/* ---- unfold and fold ---- */

/* Windows over n spatial axes of these sizes: their positions, and the sizes with padding. */
typedef struct {
    int n;
    int64_t size[VN__SPATIAL], padded[VN__SPATIAL], window[VN__SPATIAL], out[VN__SPATIAL], stride[VN__SPATIAL], dilation[VN__SPATIAL],
        pad[VN__SPATIAL];
    int64_t taps, positions; /* products of window and out */
} blocks;

/* The options of unfold and fold, which begin at different numbers. */
typedef struct {
    int window, strides, pads, dilations;
} numbers;
static const numbers of_unfold = {OPT_UNFOLD_WINDOW, OPT_UNFOLD_STRIDES, OPT_UNFOLD_PADS, OPT_UNFOLD_DILATIONS};
static const numbers of_fold = {OPT_FOLD_WINDOW, OPT_FOLD_STRIDES, OPT_FOLD_PADS, OPT_FOLD_DILATIONS};

static int blocks_of(vn__infer *i, const numbers *o, int n, const int64_t *size, blocks *b)
{
    int64_t both[2 * VN__SPATIAL];
    if (!i->options->v[o->window].n) FAIL(VN_E_ARG, "window is missing: its size along %d spatial axes (%s)", n, i->engine);
    int code = vn__window_list(i, o->window, n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, o->strides, n, 1, 1, NULL);
    if (!code) code = vn__window_list(i, o->pads, n, 0, 0, NULL);
    if (!code) code = vn__window_list(i, o->dilations, n, 1, 1, NULL);
    if (code) return code;
    *b = (blocks){.n = n, .taps = 1, .positions = 1};
    for (int k = 0; k < n; k++) {
        b->size[k] = size[k];
        b->window[k] = i->options->v[o->window].is[k];
        b->stride[k] = i->options->v[o->strides].is[k];
        b->dilation[k] = i->options->v[o->dilations].is[k];
        b->pad[k] = both[2 * k] = both[2 * k + 1] = i->options->v[o->pads].is[k];
    }
    code = vn__window_sizes(i, n, size, b->window, b->stride, both, b->dilation, b->out);
    int64_t all = 1;
    for (int k = 0; k < n && !code; k++) {
        b->padded[k] = size[k] + 2 * b->pad[k];
        if (!b->out[k]) FAIL(VN_E_SHAPE, "the window does not fit spatial axis %d of size %lld (%s)", k, (long long)size[k], i->engine);
        if (__builtin_mul_overflow(b->positions, b->out[k], &b->positions) || __builtin_mul_overflow(all, b->padded[k], &all))
            FAIL(VN_E_SHAPE, "more positions than can be addressed (%s)", i->engine);
        b->taps *= b->window[k];
    }
    return code;
}

int shape_unfold(vn__infer *i)
{
    const vn__node *x = i->in[0];
    blocks b;
    int64_t rows;
    int code = vn__window_rank(i, 0);
    if (!code) code = blocks_of(i, &of_unfold, x->rank - 2, vn__node_dims(x) + 2, &b);
    if (code) return code;
    if (__builtin_mul_overflow(vn__node_dims(x)[1], b.taps, &rows)) FAIL(VN_E_SHAPE, "more rows than can be addressed (%s)", i->engine);
    vn__rule_result(i, 3, (const int64_t[]){vn__node_dims(x)[0], rows, b.positions});
    return VN_OK;
}

int shape_fold(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const vn__option_value *size = &i->options->v[OPT_FOLD_SIZE];
    blocks b;
    char s[128];
    if (x->rank != 3) FAIL(VN_E_SHAPE, "x has shape %s, [N, C window, positions] is needed (%s)", shape_text(x, s), i->engine);
    if (size->n < 1 || size->n > VN__SPATIAL)
        FAIL(VN_E_ARG, "size has %d numbers, 1 to %d are needed (%s)", size->n, VN__SPATIAL, i->engine);
    for (int k = 0; k < size->n; k++) {
        if (size->is[k] < 1 || size->is[k] > INT32_MAX) FAIL(VN_E_ARG, "size holds %lld (%s)", (long long)size->is[k], i->engine);
    }
    int code = blocks_of(i, &of_fold, size->n, size->is, &b);
    if (code) return code;
    if (vn__node_dims(x)[1] % b.taps || vn__node_dims(x)[2] != b.positions)
        FAIL(VN_E_SHAPE, "x has shape %s; a multiple of %lld rows and %lld columns are needed (%s)", shape_text(x, s), (long long)b.taps,
             (long long)b.positions, i->engine);
    vn__rule_result(i, 2, (const int64_t[]){vn__node_dims(x)[0], vn__node_dims(x)[1] / b.taps});
    for (int k = 0; k < b.n; k++) i->dims[i->rank++] = b.size[k];
    return VN_OK;
}

/* What element of the padded axes, flattened, each place of each window is: (taps positions), an int64 vector. */
static vn_array *places(vn_array *like, const blocks *b)
{
    vn_array *at = vn__filled(like, 0, VN_0D);
    int64_t beneath = 1;
    for (int k = b->n - 1; k >= 0; beneath *= b->padded[k--]) {
        at = vn_add(at, steps(like, b->window[k], b->dilation[k] * beneath, k, 2 * b->n));
        at = vn_add(at, steps(like, b->out[k], b->stride[k] * beneath, b->n + k, 2 * b->n));
    }
    return vn__flat(at);
}

/* (rows, axes...) */
static vn_shape image(int64_t rows, const blocks *b, const int64_t *axes)
{
    vn_shape s = {b->n + 1, {rows}};
    for (int k = 0; k < b->n; k++) s.dim[k + 1] = axes[k];
    return s;
}

vn_array *compose_unfold(vn_array *const *in, const vn__infer *i)
{
    blocks b;
    vn__infer again = *i;
    if (blocks_of(&again, &of_unfold, vn_rank(in[0]) - 2, vn__node_dims(i->in[0]) + 2, &b)) return NULL;
    const int64_t rows = vn_dim(in[0], 0) * vn_dim(in[0], 1);
    vn_shape pad = {b.n + 1, {0}};
    int64_t all = 1;
    for (int k = 0; k < b.n; k++) all *= b.padded[k], pad.dim[k + 1] = b.pad[k];
    vn_array *x = vn_pad(vn_reshape(in[0], image(rows, &b, b.size)), pad, pad, NULL);
    return vn_reshape(vn_take(vn_reshape(x, VN_SHAPE(rows, all)), places(in[0], &b), 1), vn__result_shape(i));
}

vn_array *compose_fold(vn_array *const *in, const vn__infer *i)
{
    blocks b;
    vn__infer again = *i;
    if (blocks_of(&again, &of_fold, i->options->v[OPT_FOLD_SIZE].n, i->options->v[OPT_FOLD_SIZE].is, &b)) return NULL;
    const int64_t rows = i->dims[0] * i->dims[1];
    vn_shape start = {b.n + 1, {0}};
    int64_t all = 1;
    for (int k = 0; k < b.n; k++) all *= b.padded[k], start.dim[k + 1] = b.pad[k];
    vn_array *x = vn_reshape(vn__widen(in[0]), VN_SHAPE(rows, b.taps * b.positions));
    if (!x) return NULL;
    vn_array *sum = vn_index_add(vn_broadcast_to(vn__number(x, 0), VN_SHAPE(rows, all)), places(in[0], &b), x, 1);
    return vn__narrow(
        vn_reshape(vn_slice_at(vn_reshape(sum, image(rows, &b, b.padded)), start, image(rows, &b, b.size)), vn__result_shape(i)), i);
}
