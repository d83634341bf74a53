/* SPDX-License-Identifier: Apache-2.0 */
/* image_sample.c: pixels of images at places between them. */
#include "nn/image_sample.h"
#include "core/state.h"
#include <string.h>

/* ---- places ---- */

/* The middles of `size` pixels, from -1/2 to 1/2, along an axis of four. */
static vn_array *middles(const vn_array *x, int axis)
{
    const int64_t size = vn_dim(x, axis);
    vn_shape s = VN_SHAPE(1, 1, 1, 1);
    s.dim[axis] = size;
    vn_array *i = vn__on_engine(vn_arange(0, (double)size, 1, VN_F32), vn_engine_of(x));
    return vn_cast(vn_sub(vn_div(vn_reshape(vn_add(i, vn_scalar(.5)), s), vn_scalar((double)size)), vn_scalar(.5)), vn_dtype_of(x));
}

/* a v + b u + c, as pixels of an axis with this size. */
static vn_array *place(vn_array *a, vn_array *v, vn_array *b, vn_array *u, vn_array *c, int64_t size)
{
    vn_array *z = a ? vn_mul(a, v) : v;
    if (b) z = vn_add(z, vn_mul(b, u));
    if (c) z = vn_add(z, c);
    return vn_sub(vn_mul(vn_add(z, vn_scalar(.5)), vn_scalar((double)size)), vn_scalar(.5));
}

vn_array *vn__image_affine(vn_array *x, const vn__affine *map)
{
    const vn_shape s = vn_shape_of(x), grid = VN_SHAPE(s.dim[0], s.dim[1], s.dim[2], 1);
    vn_array *v = middles(x, 1), *u = middles(x, 2);
    vn_array *y = place(map->yy, v, map->yx, u, map->y, s.dim[1]), *z = place(map->xx, u, map->xy, v, map->x, s.dim[2]);
    return vn__image_sample(x, vn_broadcast_to(y, grid), vn_broadcast_to(z, grid), map->fill);
}

/* ---- pixels ---- */

/* Places mirrored at the edges, which are half a pixel outside the first and the last. */
static vn_array *mirrored(vn_array *z, double size)
{
    vn_array *r = vn_remainder(vn_add(z, vn_scalar(.5)), vn_scalar(2 * size));
    return vn_sub(vn_minimum(r, vn_sub(vn_scalar(2 * size), r)), vn_scalar(.5));
}

/* The pixels at whole places: clamped; zero outside if so filled. */
static vn_array *pixels(vn_array *image, vn_array *y, vn_array *x, int zero)
{
    const vn_shape s = vn_shape_of(image), p = vn_shape_of(y);
    const double height = (double)s.dim[1], width = (double)s.dim[2];
    vn_array *row = vn_cast(vn_clip(y, vn_scalar(0), vn_scalar(height - 1)), VN_I64);
    vn_array *column = vn_cast(vn_clip(x, vn_scalar(0), vn_scalar(width - 1)), VN_I64);
    vn_array *first =
        vn_reshape(vn_arange(0, (double)(s.dim[0] * s.dim[1] * s.dim[2]), height * width, VN_I64), VN_SHAPE(s.dim[0], 1, 1, 1));
    vn_array *index = vn_add(vn_add(vn_mul(row, vn_scalar_int(s.dim[2])), column), vn__on_engine(first, vn_engine_of(image)));
    vn_array *flat = vn_reshape(image, VN_SHAPE(s.dim[0] * s.dim[1] * s.dim[2], s.dim[3]));
    vn_array *found = vn_take(flat, vn_reshape(index, VN_SHAPE(-1)), 0);
    found = vn_reshape(found, VN_SHAPE(s.dim[0], p.dim[1], p.dim[2], s.dim[3]));
    if (!zero) return found;
    vn_array *inside = vn_logical_and(vn_logical_and(vn_greater_equal(y, vn_scalar(0)), vn_less(y, vn_scalar(height))),
                                      vn_logical_and(vn_greater_equal(x, vn_scalar(0)), vn_less(x, vn_scalar(width))));
    return vn_where(inside, found, vn_scalar(0));
}

static vn_array *between(vn_array *a, vn_array *b, vn_array *part)
{
    return vn_add(a, vn_mul(vn_sub(b, a), part));
}

vn_array *vn__image_sample(vn_array *image, vn_array *y, vn_array *x, const char *fill)
{
    const int zero = !strcmp(fill, "zero");
    if (!strcmp(fill, "reflect")) y = mirrored(y, (double)vn_dim(image, 1)), x = mirrored(x, (double)vn_dim(image, 2));
    vn_array *top = vn_floor(y), *left = vn_floor(x), *below = vn_add(top, vn_scalar(1)), *right = vn_add(left, vn_scalar(1));
    vn_array *across = vn_sub(x, left), *down = vn_sub(y, top);
    vn_array *upper = between(pixels(image, top, left, zero), pixels(image, top, right, zero), across);
    vn_array *lower = between(pixels(image, below, left, zero), pixels(image, below, right, zero), across);
    return between(upper, lower, down);
}
