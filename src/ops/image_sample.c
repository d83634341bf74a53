/* SPDX-License-Identifier: Apache-2.0 */
/* image_sample.c: arrays at places between their elements: map_coordinates, grid_sample and the transforms of images that are built on
 * the same sampler. A place between elements takes from all its neighbours, 2 along each axis. */
#include "ops/image.h"

enum { CONSTANT = VN__SAMPLE_CONSTANT, NEAREST, WRAP, MIRROR, REFLECT }; /* the texts of mode */
typedef vn__sampler sampler;

/* ---- the sampler ---- */

static vn_array *mirrored(vn_array *k, int64_t last)
{
    if (!last) return vn_mul(k, vn_scalar_int(0));
    return vn_abs(vn_sub(vn_remainder(vn_add(k, vn_scalar_int(last)), vn_scalar_int(2 * last)), vn_scalar_int(last)));
}

/* Position k along an axis of n elements, inside it. */
static vn_array *inside(vn_array *k, int64_t n, int mode)
{
    if (mode == WRAP) return vn_remainder(k, vn_scalar_int(n));
    if (mode == MIRROR) return mirrored(k, n - 1);
    if (mode == REFLECT) /* twice as fine, so that the edge is a position */
        return vn_floor_divide(mirrored(vn_add(vn_mul(k, vn_scalar_int(2)), vn_scalar_int(1)), 2 * n), vn_scalar_int(2));
    return vn_clip(k, vn_scalar_int(0), vn_scalar_int(n - 1));
}

/* One of the neighbours: bit a of `corner` says whether it is the later one along axis a. Adds its part to *sum. */
static void add_corner(const sampler *s, vn_array *const *low, int corner, vn_array **sum)
{
    vn_array *row = s->first, *weight = NULL, *valid = NULL;
    for (int a = 0; a < s->n; a++) {
        const int late = corner >> a & 1;
        vn_array *k = vn_cast(low[a], VN_I64);
        if (late) k = vn_add(k, vn_scalar_int(1));
        if (!s->nearest) {
            vn_array *share = vn_sub(s->at[a], low[a]);
            if (!late) share = vn_sub(vn_scalar(1), share);
            weight = weight ? vn_mul(weight, share) : share;
        }
        if (s->mode == CONSTANT) {
            vn_array *fits = vn_logical_and(vn_greater_equal(k, vn_scalar_int(0)), vn_less(k, vn_scalar_int(s->size[a])));
            valid = valid ? vn_logical_and(valid, fits) : fits;
        }
        row = vn__plus(row, vn_mul(inside(k, s->size[a], s->mode), vn_scalar_int(s->step[a])));
    }
    vn_array *x = vn_take(s->flat, row, 0);
    if (valid) x = vn_where(vn_expand_dims(valid, -1), x, vn_scalar(s->value));
    if (weight) x = vn_mul(x, vn_expand_dims(weight, -1));
    *sum = vn__plus(*sum, x);
}

/* (places..., channels) */
static vn_array *sampled(const sampler *s)
{
    vn_array *low[VN__SAMPLE_AXES], *sum = NULL;
    for (int a = 0; a < s->n; a++) {
        low[a] = vn_stop_gradient(vn_floor(s->nearest ? vn_add(s->at[a], vn_scalar(0.5)) : s->at[a]));
        if (!low[a]) return NULL;
    }
    for (int corner = 0; corner < (s->nearest ? 1 : 1 << s->n); corner++) add_corner(s, low, corner, &sum);
    return sum;
}

/* ---- map_coordinates ---- */

int shape_map_coordinates(vn__infer *i)
{
    const vn__node *x = i->in[0], *at = i->in[1];
    char s[128], t[128];
    if (!x->rank || x->rank > VN__SAMPLE_AXES || !at->rank || vn__node_dims(at)[0] != x->rank)
        FAIL(VN_E_SHAPE, "at has shape %s; a coordinate for each of 1 to %d axes of x %s is needed in its first axis (%s)",
             shape_text(at, s), VN__SAMPLE_AXES, shape_text(x, t), i->engine);
    if (!x->count) FAIL(VN_E_SHAPE, "x %s has no elements (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, at->rank - 1, vn__node_dims(at) + 1);
    return VN_OK;
}

static bool is_nearest(const vn__infer *i, int option)
{
    return vn__choice(i, option) == 1;
}

vn_array *compose_map_coordinates(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *at = vn__widen(vn__narrow(in[1], i));
    if (!x || !at) return NULL;
    sampler s = {.flat = vn_reshape(x, VN_SHAPE(vn_size(x), 1)),
                 .n = vn_rank(x),
                 .mode = vn__choice(i, OPT_MAP_COORDINATES_MODE),
                 .nearest = is_nearest(i, OPT_MAP_COORDINATES_INTERPOLATION),
                 .value = vn__real(i, OPT_MAP_COORDINATES_VALUE)};
    int64_t step = 1;
    for (int a = s.n - 1; a >= 0; a--) s.size[a] = vn_dim(x, a), s.step[a] = step, step *= s.size[a];
    if (vn_unstack(at, s.n, 0, s.at)) return NULL;
    return vn__narrow(vn_squeeze(sampled(&s), VN_AXES(-1)), i);
}

/* ---- images ---- */

vn_array *vn__sample_images(vn_array *x, vn_array *across, vn_array *down, sampler s)
{
    const vn_shape d = vn_shape_of(x);
    if (!x || !across || !down) return NULL;
    const int64_t h = d.dim[1], w = d.dim[2];
    vn_array *image = s.first ? s.first : vn__positions(x, d.dim[0]);
    vn_shape each = {.rank = vn_rank(across), .dim = {vn_size(image), 1, 1, 1, 1}};
    s.flat = vn_reshape(x, VN_SHAPE(d.dim[0] * h * w, d.dim[3]));
    s.first = vn_reshape(vn_mul(image, vn_scalar_int(h * w)), each);
    s.n = 2, s.size[0] = h, s.size[1] = w, s.step[0] = w, s.step[1] = 1, s.at[0] = down, s.at[1] = across;
    return sampled(&s);
}

int vn__rule_images(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank != 4) FAIL(VN_E_SHAPE, "x has shape %s; four axes are needed (%s)", shape_text(x, s), i->engine);
    const int64_t *d = vn__node_dims(x);
    if (!d[1] || !d[2] || !d[3]) FAIL(VN_E_SHAPE, "x %s has no elements (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, 4, d);
    return VN_OK;
}

int shape_grid_sample(vn__infer *i)
{
    int code = vn__rule_images(i);
    const vn__node *grid = i->in[1];
    char s[128], t[128];
    if (code) return code;
    const bool first = vn__choice(i, OPT_GRID_SAMPLE_DATA_FORMAT) == 1;
    if (grid->rank != 4 || vn__node_dims(grid)[0] != i->dims[0] || vn__node_dims(grid)[3] != 2)
        FAIL(VN_E_SHAPE, "grid has shape %s; [N, h, w, 2] is needed for x %s (%s)", shape_text(grid, s), shape_text(i->in[0], t),
             i->engine);
    const int64_t *g = vn__node_dims(grid);
    i->dims[first ? 2 : 1] = g[1], i->dims[first ? 3 : 2] = g[2];
    /* kernels know neighbours of which those outside are 0: they round to the nearest, and mix at an edge, in other ways */
    i->in_pieces = is_nearest(i, OPT_GRID_SAMPLE_INTERPOLATION) || vn__choice(i, OPT_GRID_SAMPLE_PADDING) || !grid->count;
    return VN_OK;
}

/* Coordinates reflected at both ends: low and low + span. */
static vn_array *reflected(vn_array *x, double low, double span)
{
    if (span <= 0) return vn_mul(x, vn_scalar(0));
    vn_array *far = vn_abs(vn_sub(x, vn_scalar(low))), *rest = vn_remainder(far, vn_scalar(2 * span));
    return vn_add(vn_minimum(rest, vn_sub(vn_scalar(2 * span), rest)), vn_scalar(low));
}

/* From -1 ... 1 to elements of an axis of n. */
static vn_array *to_elements(vn_array *g, int64_t n, bool corners, int padding)
{
    const double size = (double)n;
    vn_array *x = corners ? vn__scaled(vn_add(g, vn_scalar(1)), (size - 1) / 2)
                          : vn__scaled(vn_sub(vn__scaled(vn_add(g, vn_scalar(1)), size), vn_scalar(1)), 0.5);
    if (padding == 2) x = reflected(x, corners ? 0 : -0.5, corners ? size - 1 : size);
    return padding ? vn_clip(x, vn_scalar(0), vn_scalar(size - 1)) : x;
}

vn_array *compose_grid_sample(vn_array *const *in, const vn__infer *i)
{
    const bool first = vn__choice(i, OPT_GRID_SAMPLE_DATA_FORMAT) == 1, corners = i->options->v[OPT_GRID_SAMPLE_ALIGN_CORNERS].u.i;
    const int padding = vn__choice(i, OPT_GRID_SAMPLE_PADDING);
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *places[2];
    if (first) x = vn_moveaxis(x, VN_AXES(1), VN_AXES(-1));
    if (!x || vn_unstack(vn__widen(vn__narrow(in[1], i)), 2, 3, places)) return NULL;
    const sampler s = {.mode = padding ? NEAREST : CONSTANT, .nearest = is_nearest(i, OPT_GRID_SAMPLE_INTERPOLATION)};
    vn_array *y = vn__sample_images(x, to_elements(places[0], vn_dim(x, 2), corners, padding),
                                    to_elements(places[1], vn_dim(x, 1), corners, padding), s);
    return vn__narrow(first ? vn_moveaxis(y, VN_AXES(-1), VN_AXES(1)) : y, i);
}

int shape_affine_grid(vn__infer *i)
{
    const vn__node *theta = i->in[0];
    char s[128];
    if (theta->rank != 3 || vn__node_dims(theta)[1] != 2 || vn__node_dims(theta)[2] != 3)
        FAIL(VN_E_SHAPE, "theta has shape %s; [N, 2, 3] is needed (%s)", shape_text(theta, s), i->engine);
    vn__rule_result(
        i, 4, (int64_t[]){vn__node_dims(theta)[0], i->options->v[OPT_AFFINE_GRID_HEIGHT].u.i, i->options->v[OPT_AFFINE_GRID_WIDTH].u.i, 2});
    return VN_OK;
}

/* The centres of n elements from -1 to 1. */
static vn_array *centres(const vn_array *like, int64_t n, bool corners)
{
    const double step = corners ? n > 1 ? 2 / (double)(n - 1) : 0 : 2 / (double)n, from = corners ? n > 1 ? -1 : 0 : step / 2 - 1;
    return vn_cast(vn_add(vn__scaled(vn_cast(vn__positions(like, n), VN_F64), step), vn_scalar(from)), vn_dtype_of(like));
}

vn_array *compose_affine_grid(vn_array *const *in, const vn__infer *i)
{
    vn_array *theta = vn__widen(in[0]), *t[6], *places[2];
    const bool corners = i->options->v[OPT_AFFINE_GRID_ALIGN_CORNERS].u.i;
    const int64_t n = i->dims[0], h = i->dims[1], w = i->dims[2];
    if (!theta || vn_unstack(vn_reshape(theta, VN_SHAPE(n, 6, 1, 1)), 6, 1, t)) return NULL;
    vn_array *x = centres(theta, w, corners), *y = vn_expand_dims(centres(theta, h, corners), 1);
    for (int k = 0; k < 2; k++) /* one by one and not as a matrix product, whose last bits depend on the processor */
        places[k] = vn_add(vn_add(vn_mul(x, t[3 * k]), vn_mul(y, t[3 * k + 1])), t[3 * k + 2]);
    return vn__narrow(vn_stack(2, places, 3), i);
}

/* ---- transforms ---- */

/* `x` has this shape, or the same for each image. */
static int per_image(vn__infer *i, int k, vn_shape one)
{
    const vn__node *x = i->in[k];
    const int64_t *d = vn__node_dims(x);
    char s[128], t[128];
    const bool each = x->rank == one.rank + 1 && d[0] == i->dims[0];
    if ((each || x->rank == one.rank) && !memcmp(d + each, one.dim, (size_t)one.rank * sizeof *d)) return VN_OK;
    FAIL(VN_E_SHAPE, "%s has shape %s; %s, or as many for each image, is needed (%s)", i->op->info.inputs[k], shape_text(x, s),
         vn__shape_text(one.rank, one.dim, t), i->engine);
}

int shape_affine_transform(vn__infer *i)
{
    int code = vn__rule_images(i);
    return code ? code : per_image(i, 1, VN_SHAPE(8));
}

int shape_elastic_transform(vn__infer *i)
{
    int code = vn__rule_images(i);
    return code ? code : per_image(i, 1, VN_SHAPE(i->dims[1], i->dims[2], 2));
}

int shape_perspective_transform(vn__infer *i)
{
    int code = vn__rule_images(i);
    if (!code) code = per_image(i, 1, VN_SHAPE(4, 2));
    return code ? code : per_image(i, 2, VN_SHAPE(4, 2));
}

_Static_assert(AGREE(MAP_COORDINATES, AFFINE_TRANSFORM, INTERPOLATION) && AGREE(MAP_COORDINATES, AFFINE_TRANSFORM, MODE) &&
                   AGREE(MAP_COORDINATES, AFFINE_TRANSFORM, VALUE) && AGREE(MAP_COORDINATES, PERSPECTIVE_TRANSFORM, INTERPOLATION) &&
                   AGREE(MAP_COORDINATES, PERSPECTIVE_TRANSFORM, MODE) && AGREE(MAP_COORDINATES, PERSPECTIVE_TRANSFORM, VALUE) &&
                   AGREE(MAP_COORDINATES, ELASTIC_TRANSFORM, INTERPOLATION) && AGREE(MAP_COORDINATES, ELASTIC_TRANSFORM, MODE) &&
                   AGREE(MAP_COORDINATES, ELASTIC_TRANSFORM, VALUE),
               "the rows number their options alike");

static sampler as_asked(const vn__infer *i)
{
    return (sampler){.mode = vn__choice(i, OPT_MAP_COORDINATES_MODE),
                     .nearest = is_nearest(i, OPT_MAP_COORDINATES_INTERPOLATION),
                     .value = vn__real(i, OPT_MAP_COORDINATES_VALUE)};
}

/* The columns of x's pixels, and their rows (h, 1), as numbers. */
static vn_array *column_numbers(const vn_array *x)
{
    return vn_cast(vn__positions(x, vn_dim(x, 2)), vn_dtype_of(x));
}
static vn_array *row_numbers(const vn_array *x)
{
    return vn_cast(vn_reshape(vn__positions(x, vn_dim(x, 1)), VN_SHAPE(vn_dim(x, 1), 1)), vn_dtype_of(x));
}

/* x by transforms (N or 1, 8). */
static vn_array *transformed(vn_array *x, vn_array *transform, const vn__infer *i)
{
    const vn_shape d = vn_shape_of(x);
    vn_array *t[8];
    if (!x || !transform || vn_unstack(vn_broadcast_to(transform, VN_SHAPE(d.dim[0], 8)), 8, 1, t)) return NULL;
    for (int k = 0; k < 8; k++) t[k] = vn_reshape(t[k], VN_SHAPE(d.dim[0], 1, 1));
    vn_array *across = column_numbers(x), *down = row_numbers(x);
    vn_array *k = vn_add(vn_add(vn_mul(t[6], across), vn_mul(t[7], down)), vn_scalar(1));
    vn_array *to_x = vn_div(vn_add(vn_add(vn_mul(t[0], across), vn_mul(t[1], down)), t[2]), k);
    vn_array *to_y = vn_div(vn_add(vn_add(vn_mul(t[3], across), vn_mul(t[4], down)), t[5]), k);
    return vn__narrow(vn__sample_images(x, to_x, to_y, as_asked(i)), i);
}

vn_array *compose_affine_transform(vn_array *const *in, const vn__infer *i)
{
    return transformed(vn__widen(vn__narrow(in[0], i)), vn__widen(vn__narrow(in[1], i)), i);
}

/* The transform that takes `end` to `start`, from eight equations: a0 x + a1 y + a2 - c0 x X - c1 y X = X, and the same for Y. */
static vn_array *homography(vn_array *start, vn_array *end)
{
    vn_array *to[2], *from[2];
    if (vn_unstack(start, 2, -1, to) || vn_unstack(end, 2, -1, from)) return NULL;
    vn_array *x = from[0], *y = from[1], *one = vn_ones_like(x), *none = vn_zeros_like(x);
    vn_array *for_x[] = {x, y, one, none, none, none, vn_neg(vn_mul(x, to[0])), vn_neg(vn_mul(y, to[0]))};
    vn_array *for_y[] = {none, none, none, x, y, one, vn_neg(vn_mul(x, to[1])), vn_neg(vn_mul(y, to[1]))};
    vn_array *a = vn_concat(2, (vn_array *[]){vn_stack(8, for_x, -1), vn_stack(8, for_y, -1)}, -2);
    return vn_squeeze(vn_solve(a, vn_expand_dims(vn_concat(2, to, -1), -1)), VN_AXES(-1));
}

vn_array *compose_perspective_transform(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *start = vn__widen(vn__narrow(in[1], i)), *end = vn__widen(vn__narrow(in[2], i));
    if (!x || !start || !end) return NULL;
    if (vn_rank(start) < vn_rank(end)) start = vn_broadcast_to(start, vn_shape_of(end));
    if (vn_rank(end) < vn_rank(start)) end = vn_broadcast_to(end, vn_shape_of(start));
    return transformed(x, homography(start, end), i);
}

vn_array *compose_elastic_transform(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn__narrow(in[0], i)), *by = vn__widen(vn__narrow(in[1], i)), *part[2];
    if (!x || !by) return NULL;
    if (vn_rank(by) == 3) by = vn_broadcast_to(by, VN_SHAPE(i->dims[0], i->dims[1], i->dims[2], 2));
    if (vn_unstack(by, 2, -1, part)) return NULL;
    return vn__narrow(vn__sample_images(x, vn_add(part[0], column_numbers(x)), vn_add(part[1], row_numbers(x)), as_asked(i)), i);
}
