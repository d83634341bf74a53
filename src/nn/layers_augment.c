/* SPDX-License-Identifier: Apache-2.0 */
/* layers_augment.c: images mirrored and moved at random: a change of place is a map from the places of the result to those of x, between whose
 * pixels is interpolated. And what all random changes of images share. */
#include "nn/augment.h"
#include "core/dtype.h"
#include <math.h>

vn_array *vn__augment_numbers(const vn_array *x, double low, double high)
{
    return vn__augment_like(vn_random_uniform(low, high, VN_SHAPE(vn_dim(x, 0), 1, 1, 1)), x);
}

vn_array *vn__augment_pixels(const vn_array *x, int axis)
{
    const int64_t n = vn_dim(x, axis);
    return vn_reshape(vn__augment_like(vn_arange(0, (double)n, 1, VN_F32), x), axis == 1 ? VN_SHAPE(n, 1, 1) : VN_SHAPE(n, 1));
}

bool vn__augment_images(const vn_array *x)
{
    char text[128];
    const vn_shape s = vn_shape_of(x);
    if (s.rank == 4 && vn__is(vn_dtype_of(x), VN_FLOATS)) return true;
    vn__fail(VN_E_SHAPE, "x has shape %s and dtype %s; images (n, height, width, channels) of floats are needed (%s)",
             vn__shape_text(s.rank, s.dim, text), vn_dtype_name(vn_dtype_of(x)), vn_engine_of(x));
    return false;
}

vn_array *vn__augment_run(vn_module *m, vn_array *x, vn__change of)
{
    const augment *a = vn_module_self(m);
    if (!vn__augment_images(x)) return NULL;
    if (!vn_module_training(m) || !(a->amount > 0) || !vn_size(x)) return x;
    const bool before = vn__on_native(true);
    vn_array *y = of(x, a);
    vn__on_native(before);
    return y;
}

vn_module *vn__augment_make(const vn_module_class *c, const char *what, double least, double most, augment a)
{
    const double amount = a.amount;
    a.amount = vn__real_of(amount);
    if (a.amount >= least && a.amount <= most) return vn_module_new(c, &a, NULL);
    return vn__fail(VN_E_ARG, "%s is %g; a number from %g to %g is needed", what, amount, least, most), NULL;
}

static vn_module *make(const vn_module_class *c, const char *what, double amount, double most, const char *text)
{
    return vn__augment_make(c, what, 0, most, (augment){.amount = amount, .text = text});
}

/* ---- mirrored ---- */

static vn_array *flipped(vn_array *x, double prob, int axis)
{
    return vn_where(vn_less(vn__augment_numbers(x, 0, 1), vn_scalar(prob)), vn_flip(x, VN_AXES(axis)), x);
}

static vn_array *flip(vn_array *x, const augment *a)
{
    if (strcmp(a->text, "vertical") != 0) x = flipped(x, a->amount, 2);
    return strcmp(a->text, "horizontal") != 0 ? flipped(x, a->amount, 1) : x;
}
AUGMENT(flip, "RandomFlip");

vn_module *vn_nn_random_flip(const vn_nn_random_flip_opts *opts)
{
    vn_nn_random_flip_opts o;
    if (!vn__take_options("nn_random_flip", &vn__struct_nn_random_flip, &o, opts)) return NULL;
    return make(&flip_class, "nn_random_flip: prob", o.prob, 1, o.direction);
}

/* ---- other places ---- */

vn_array *vn__augment_move(vn_array *x, const affine *map)
{
    const vn_shape s = vn_shape_of(x);
    vn_array *row[] = {map->xx, map->xy, map->x, map->yx, map->yy, map->y};
    enum { XX = 0, YY = 4, NUMBERS = 6 };
    for (int k = 0; k < NUMBERS; k++) {
        if (row[k]) continue;
        row[k] = vn__augment_like(vn_full(vn_scalar(k == XX || k == YY), VN_SHAPE(s.dim[0], 1, 1, 1), vn_dtype_of(x)), x);
    }
    const char *padding = !strcmp(map->fill, "zero") ? "zeros" : !strcmp(map->fill, "nearest") ? "border" : "reflection";
    vn_array *theta = vn_reshape(vn_concat(NUMBERS, row, 3), VN_SHAPE(s.dim[0], 2, 3));
    return vn_grid_sample(x, vn_affine_grid(theta, s.dim[1], s.dim[2], NULL), VN_OPTS(grid_sample, .padding = padding));
}

static vn_array *crop(vn_array *x, const augment *a)
{
    vn_array *side = vn__augment_numbers(x, 1 - a->amount, 1), *rest = vn_sub(vn_scalar(1), side);
    affine map = {.yy = side, .xx = side, .fill = "nearest"};
    map.y = vn_mul(rest, vn__augment_numbers(x, -1, 1)), map.x = vn_mul(rest, vn__augment_numbers(x, -1, 1)); /* in this order */
    return vn__augment_move(x, &map);
}
AUGMENT(crop, "RandomCrop");

vn_module *vn_nn_random_crop(double part)
{
    return make(&crop_class, "nn_random_crop: part", part, .99, NULL);
}

static vn_array *rotate(vn_array *x, const augment *a)
{
    const double pi = 3.14159265358979323846, height = (double)vn_dim(x, 1), width = (double)vn_dim(x, 2);
    vn_array *angle = vn__augment_numbers(x, -a->amount * pi / 180, a->amount * pi / 180), *c = vn_cos(angle), *s = vn_sin(angle);
    /* Places are parts of height and width, so that a circle stays one only if their ratio is in the map. */
    const affine map = {
        .yy = c, .xx = c, .yx = vn_mul(s, vn_scalar(-width / height)), .xy = vn_mul(s, vn_scalar(height / width)), .fill = a->text};
    return vn__augment_move(x, &map);
}
AUGMENT(rotate, "RandomRotation");

vn_module *vn_nn_random_rotation(double degrees, const vn_nn_random_rotation_opts *opts)
{
    vn_nn_random_rotation_opts o;
    if (!vn__take_options("nn_random_rotation", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&rotate_class, "nn_random_rotation: degrees", degrees, 180, o.fill);
}

static vn_array *translate(vn_array *x, const augment *a)
{
    vn_array *down = vn__augment_numbers(x, -a->amount, a->amount),
             *across = vn__augment_numbers(x, -a->amount, a->amount); /* in this order */
    const affine map = {.y = vn_mul(down, vn_scalar(2)), .x = vn_mul(across, vn_scalar(2)), .fill = a->text};
    return vn__augment_move(x, &map);
}
AUGMENT(translate, "RandomTranslation");

vn_module *vn_nn_random_translation(double part, const vn_nn_random_translation_opts *opts)
{
    vn_nn_random_translation_opts o;
    if (!vn__take_options("nn_random_translation", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&translate_class, "nn_random_translation: part", part, 1, o.fill);
}

static vn_array *zoom(vn_array *x, const augment *a)
{
    vn_array *by = vn__augment_numbers(x, 1 - a->amount, 1 + a->amount);
    const affine map = {.yy = by, .xx = by, .fill = a->text};
    return vn__augment_move(x, &map);
}
AUGMENT(zoom, "RandomZoom");

vn_module *vn_nn_random_zoom(double part, const vn_nn_random_zoom_opts *opts)
{
    vn_nn_random_zoom_opts o;
    if (!vn__take_options("nn_random_zoom", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&zoom_class, "nn_random_zoom: part", part, .99, o.fill);
}

static vn_array *shear(vn_array *x, const augment *a)
{
    const double height = (double)vn_dim(x, 1), width = (double)vn_dim(x, 2);
    vn_array *across = vn__augment_numbers(x, -a->amount, a->amount),
             *down = vn__augment_numbers(x, -a->amount, a->amount); /* in this order */
    const affine map = {.xy = vn_mul(across, vn_scalar(height / width)), .yx = vn_mul(down, vn_scalar(width / height)), .fill = a->text};
    return vn__augment_move(x, &map);
}
AUGMENT(shear, "RandomShear");

vn_module *vn_nn_random_shear(double part, const vn_nn_random_shear_opts *opts)
{
    vn_nn_random_shear_opts o;
    if (!vn__take_options("nn_random_shear", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&shear_class, "nn_random_shear: part", part, 1, o.fill);
}

/* What the modes of transforms call it. */
static const char *mode_of(const char *fill)
{
    return !strcmp(fill, "zero") ? "constant" : fill;
}

/* The corners move inwards. */
static vn_array *perspective(vn_array *x, const augment *a)
{
    const float right = (float)vn_dim(x, 2) - 1, bottom = (float)vn_dim(x, 1) - 1, h = right / 2, v = bottom / 2;
    vn_array *corners = vn_from((float[]){0, 0, right, 0, 0, bottom, right, bottom}, VN_SHAPE(4, 2));
    vn_array *inwards = vn_from((float[]){h, v, -h, v, h, -v, -h, -v}, VN_SHAPE(4, 2));
    vn_array *moved = vn_add(corners, vn_mul(inwards, vn_random_uniform(0, a->amount, VN_SHAPE(vn_dim(x, 0), 4, 2))));
    return vn_perspective_transform(x, vn__augment_like(corners, x), vn__augment_like(moved, x),
                                    VN_OPTS(perspective_transform, .mode = mode_of(a->text)));
}
AUGMENT(perspective, "RandomPerspective");

vn_module *vn_nn_random_perspective(double part, const vn_nn_random_perspective_opts *opts)
{
    vn_nn_random_perspective_opts o;
    if (!vn__take_options("nn_random_perspective", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&perspective_class, "nn_random_perspective: part", part, .9, o.fill);
}

/* Each pixel comes from another place nearby: noise, smoothed along both axes by a filter that reaches 3 deviations. */
static vn_array *elastic(vn_array *x, const augment *a)
{
    const int64_t half = (int64_t)ceil(3 * a->more);
    vn_array *noise = vn_random_uniform(-a->amount, a->amount, VN_SHAPE(vn_dim(x, 0), vn_dim(x, 1), vn_dim(x, 2), 2));
    vn_array *sigma = vn__augment_like(vn_full(vn_scalar(a->more), VN_SHAPE(1, 1, 1, 1), VN_F64), x);
    vn_array *smooth = vn__augment_blur(vn__augment_like(noise, x), sigma, half, "constant");
    return vn_elastic_transform(x, smooth, VN_OPTS(elastic_transform, .mode = mode_of(a->text)));
}
AUGMENT(elastic, "RandomElastic");

vn_module *vn_nn_random_elastic(double pixels, const vn_nn_random_elastic_opts *opts)
{
    vn_nn_random_elastic_opts o;
    if (!vn__take_options("nn_random_elastic", &vn__struct_nn_random_elastic, &o, opts)) return NULL;
    return vn__augment_make(&elastic_class, "nn_random_elastic: pixels", 0, 1e6,
                            (augment){.amount = pixels, .more = o.sigma, .text = o.fill});
}
