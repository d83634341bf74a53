/* SPDX-License-Identifier: Apache-2.0 */
/* layers_augment.c: random changes of images (n, height, width, channels) while training; in evaluation x itself. Each image gets its own
 * numbers, which are the same on every engine. A change of place is an affine map from the places of the result to those of x, between
 * whose pixels is interpolated. */
#include "nn/layers.h"
#include "core/dtype.h"
#include "core/state.h"
#include <math.h>

typedef struct {
    double amount;
    const char *text; /* of the row's text, or of where pixels outside come from; static */
} augment;

/* A number for each image, in [low, high), with the rank of x. */
static vn_array *numbers(const vn_array *x, double low, double high)
{
    vn_array *u = vn_random_uniform(low, high, VN_SHAPE(vn_dim(x, 0), 1, 1, 1));
    return vn_cast(vn__on_engine(u, vn_engine_of(x)), vn_dtype_of(x));
}

static bool are_images(const vn_array *x)
{
    char text[128];
    const vn_shape s = vn_shape_of(x);
    if (s.rank == 4 && vn__is(vn_dtype_of(x), VN_FLOATS)) return true;
    vn__fail(VN_E_SHAPE, "x has shape %s and dtype %s; images (n, height, width, channels) of floats are needed (%s)",
             vn__shape_text(s.rank, s.dim, text), vn_dtype_name(vn_dtype_of(x)), vn_engine_of(x));
    return false;
}

/* Each layer's change of x. */
typedef vn_array *(*change)(vn_array *x, const augment *a);

static vn_array *run(vn_module *m, vn_array *x, change of)
{
    const augment *a = vn_module_self(m);
    if (!are_images(x)) return NULL;
    return vn_module_training(m) && a->amount > 0 && vn_size(x) ? of(x, a) : x;
}

#define AUGMENT(of, class)                                   \
    static vn_array *of##_forward(vn_module *m, vn_array *x) \
    {                                                        \
        return run(m, x, of);                                \
    }                                                        \
    static const vn_module_class of##_class = {.name = class, .self_size = sizeof(augment), .forward = of##_forward}

static vn_module *make(const vn_module_class *c, const char *who, double amount, double most, const char *text)
{
    augment a = {vn__real_of(amount), text};
    if (a.amount >= 0 && a.amount <= most) return vn_module_new(c, &a, NULL);
    return vn__fail(VN_E_ARG, "%s: %g is not from 0 to %g", who, amount, most), NULL;
}

/* ---- mirrored ---- */

static vn_array *flipped(vn_array *x, double prob, int axis)
{
    return vn_where(vn_less(numbers(x, 0, 1), vn_scalar(prob)), vn_flip(x, VN_AXES(axis)), x);
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
    return make(&flip_class, "nn_random_flip", o.prob, 1, o.direction);
}

/* ---- other places ---- */

/* Where the place (x, y) of the result is in the image: (xx x + xy y + x, yx x + yy y + y). Places go from -1 to 1 across the width and the
 * height. Each is an array (n, 1, 1, 1); NULL: 1 for xx and yy, 0 for the others. */
typedef struct {
    vn_array *xx, *xy, *x, *yx, *yy, *y;
    const char *fill; /* what is outside */
} affine;

static vn_array *moved(vn_array *x, const affine *map)
{
    const vn_shape s = vn_shape_of(x);
    vn_array *row[] = {map->xx, map->xy, map->x, map->yx, map->yy, map->y};
    enum { XX = 0, YY = 4, NUMBERS = 6 };
    for (int k = 0; k < NUMBERS; k++) {
        if (row[k]) continue;
        vn_array *same = vn_full(vn_scalar(k == XX || k == YY), VN_SHAPE(s.dim[0], 1, 1, 1), vn_dtype_of(x));
        row[k] = vn__on_engine(same, vn_engine_of(x));
    }
    const char *padding = !strcmp(map->fill, "zero") ? "zeros" : !strcmp(map->fill, "nearest") ? "border" : "reflection";
    vn_array *theta = vn_reshape(vn_concat(NUMBERS, row, 3), VN_SHAPE(s.dim[0], 2, 3));
    return vn_grid_sample(x, vn_affine_grid(theta, s.dim[1], s.dim[2], NULL), VN_OPTS(grid_sample, .padding = padding));
}

static vn_array *crop(vn_array *x, const augment *a)
{
    vn_array *side = numbers(x, 1 - a->amount, 1), *rest = vn_sub(vn_scalar(1), side);
    affine map = {.yy = side, .xx = side, .fill = "nearest"};
    map.y = vn_mul(rest, numbers(x, -1, 1)), map.x = vn_mul(rest, numbers(x, -1, 1)); /* in this order */
    return moved(x, &map);
}
AUGMENT(crop, "RandomCrop");

vn_module *vn_nn_random_crop(double part)
{
    return make(&crop_class, "nn_random_crop", part, .99, NULL);
}

static vn_array *rotate(vn_array *x, const augment *a)
{
    const double pi = 3.14159265358979323846, height = (double)vn_dim(x, 1), width = (double)vn_dim(x, 2);
    vn_array *angle = numbers(x, -a->amount * pi / 180, a->amount * pi / 180), *c = vn_cos(angle), *s = vn_sin(angle);
    /* Places are parts of height and width, so that a circle stays one only if their ratio is in the map. */
    const affine map = {
        .yy = c, .xx = c, .yx = vn_mul(s, vn_scalar(-width / height)), .xy = vn_mul(s, vn_scalar(height / width)), .fill = a->text};
    return moved(x, &map);
}
AUGMENT(rotate, "RandomRotation");

vn_module *vn_nn_random_rotation(double degrees, const vn_nn_random_rotation_opts *opts)
{
    vn_nn_random_rotation_opts o;
    if (!vn__take_options("nn_random_rotation", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&rotate_class, "nn_random_rotation", degrees, 180, o.fill);
}

static vn_array *translate(vn_array *x, const augment *a)
{
    vn_array *down = numbers(x, -a->amount, a->amount), *across = numbers(x, -a->amount, a->amount); /* in this order */
    const affine map = {.y = vn_mul(down, vn_scalar(2)), .x = vn_mul(across, vn_scalar(2)), .fill = a->text};
    return moved(x, &map);
}
AUGMENT(translate, "RandomTranslation");

vn_module *vn_nn_random_translation(double part, const vn_nn_random_translation_opts *opts)
{
    vn_nn_random_translation_opts o;
    if (!vn__take_options("nn_random_translation", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&translate_class, "nn_random_translation", part, 1, o.fill);
}

static vn_array *zoom(vn_array *x, const augment *a)
{
    vn_array *by = numbers(x, 1 - a->amount, 1 + a->amount);
    const affine map = {.yy = by, .xx = by, .fill = a->text};
    return moved(x, &map);
}
AUGMENT(zoom, "RandomZoom");

vn_module *vn_nn_random_zoom(double part, const vn_nn_random_zoom_opts *opts)
{
    vn_nn_random_zoom_opts o;
    if (!vn__take_options("nn_random_zoom", &vn__struct_nn_random_place, &o, opts)) return NULL;
    return make(&zoom_class, "nn_random_zoom", part, .99, o.fill);
}

/* ---- other colours ---- */

/* from + f (x - from), with f around 1. */
static vn_array *away_from(vn_array *x, vn_array *from, double amount)
{
    return vn_add(from, vn_mul(vn_sub(x, from), numbers(x, 1 - amount, 1 + amount)));
}

static vn_array *brighten(vn_array *x, const augment *a)
{
    return vn_add(x, numbers(x, -a->amount, a->amount));
}
AUGMENT(brighten, "RandomBrightness");

vn_module *vn_nn_random_brightness(double part)
{
    return make(&brighten_class, "nn_random_brightness", part, 1, NULL);
}

static vn_array *contrast(vn_array *x, const augment *a)
{
    return away_from(x, vn_mean(x, VN_KEEP(1, 2)), a->amount);
}
AUGMENT(contrast, "RandomContrast");

vn_module *vn_nn_random_contrast(double part)
{
    return make(&contrast_class, "nn_random_contrast", part, 1, NULL);
}

/* What red, green and blue weigh in gray (ITU-R BT.601). */
static vn_array *gray_of(vn_array *x)
{
    vn_array *w = vn__on_engine(vn_from((float[]){.299f, .587f, .114f}, VN_SHAPE(3)), vn_engine_of(x));
    return vn_sum(vn_mul(x, vn_cast(w, vn_dtype_of(x))), VN_KEEP(-1));
}

static vn_array *saturate(vn_array *x, const augment *a)
{
    return vn_dim(x, 3) == 3 ? away_from(x, gray_of(x), a->amount) : x;
}
AUGMENT(saturate, "RandomSaturation");

vn_module *vn_nn_random_saturation(double part)
{
    return make(&saturate_class, "nn_random_saturation", part, 1, NULL);
}

/* Turns colours about the gray axis: with m the mean of the channels, x cos + m (1 - cos) + (next - previous) sin / sqrt(3). */
static vn_array *turn_hue(vn_array *x, const augment *a)
{
    if (vn_dim(x, 3) != 3) return x;
    vn_array *angle = numbers(x, -a->amount * 6.283185307179586, a->amount * 6.283185307179586);
    vn_array *between = vn_sub(vn_roll(x, VN_SHAPE(1), VN_AXES(3)), vn_roll(x, VN_SHAPE(-1), VN_AXES(3))), *mean = vn_mean(x, VN_KEEP(3));
    vn_array *turned = vn_add(mean, vn_mul(vn_sub(x, mean), vn_cos(angle)));
    return vn_add(turned, vn_mul(between, vn_mul(vn_sin(angle), vn_scalar(0.57735026918962576))));
}
AUGMENT(turn_hue, "RandomHue");

vn_module *vn_nn_random_hue(double part)
{
    return make(&turn_hue_class, "nn_random_hue", part, .5, NULL);
}
