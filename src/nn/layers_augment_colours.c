/* SPDX-License-Identifier: Apache-2.0 */
/* layers_augment_colours.c: images with other colours and tones, at random; pixels go from 0 to 1. */
#include "nn/augment.h"
#include <math.h>

static vn_module *make(const vn_module_class *c, const char *what, double amount, double most)
{
    return vn__augment_make(c, what, 0, most, (augment){.amount = amount});
}

/* ---- brightness, contrast, saturation, hue ---- */

/* from + f (x - from), with f around 1. */
static vn_array *away_from(vn_array *x, vn_array *from, double amount)
{
    return vn__augment_blend(from, x, vn__augment_numbers(x, 1 - amount, 1 + amount));
}

static vn_array *brighten(vn_array *x, const augment *a)
{
    return vn_add(x, vn__augment_numbers(x, -a->amount, a->amount));
}
AUGMENT(brighten, "RandomBrightness");

vn_module *vn_nn_random_brightness(double part)
{
    return make(&brighten_class, "nn_random_brightness: part", part, 1);
}

static vn_array *contrast(vn_array *x, const augment *a)
{
    return away_from(x, vn_mean(x, VN_KEEP(1, 2)), a->amount);
}
AUGMENT(contrast, "RandomContrast");

vn_module *vn_nn_random_contrast(double part)
{
    return make(&contrast_class, "nn_random_contrast: part", part, 1);
}

vn_array *vn__augment_gray(vn_array *x)
{
    return vn_sum(vn_mul(x, vn__augment_like(vn_from((float[]){.299f, .587f, .114f}, VN_SHAPE(3)), x)), VN_KEEP(-1));
}

static vn_array *saturate(vn_array *x, const augment *a)
{
    return vn_dim(x, 3) == 3 ? away_from(x, vn__augment_gray(x), a->amount) : x;
}
AUGMENT(saturate, "RandomSaturation");

vn_module *vn_nn_random_saturation(double part)
{
    return make(&saturate_class, "nn_random_saturation: part", part, 1);
}

/* Rotates colours about the gray axis: with m the mean of the channels, x cos + m (1 - cos) + (next - previous) sin / sqrt(3). */
static vn_array *rotate_hue(vn_array *x, const augment *a)
{
    if (vn_dim(x, 3) != 3) return x;
    vn_array *angle = vn__augment_numbers(x, -a->amount * 6.283185307179586, a->amount * 6.283185307179586);
    vn_array *between = vn_sub(vn_roll(x, VN_SHAPE(1), VN_AXES(3)), vn_roll(x, VN_SHAPE(-1), VN_AXES(3))), *mean = vn_mean(x, VN_KEEP(3));
    vn_array *rotated = vn_add(mean, vn_mul(vn_sub(x, mean), vn_cos(angle)));
    return vn_add(rotated, vn_mul(between, vn_mul(vn_sin(angle), vn_scalar(0.57735026918962576))));
}
AUGMENT(rotate_hue, "RandomHue");

vn_module *vn_nn_random_hue(double part)
{
    return make(&rotate_hue_class, "nn_random_hue: part", part, .5);
}

/* The four, one after the other. */
typedef struct {
    augment any; /* what run reads: its amount is above 0 if one of the others is */
    augment part[4];
} jitter;

static vn_array *jitter_colours(vn_array *x, const augment *a)
{
    static const vn__change changes[] = {brighten, contrast, saturate, rotate_hue};
    const jitter *j = (const jitter *)a;
    for (int k = 0; k < 4 && x; k++)
        if (j->part[k].amount > 0) x = changes[k](x, &j->part[k]);
    return x;
}

static vn_array *jitter_forward(vn_module *m, vn_array *x)
{
    return vn__augment_run(m, x, jitter_colours);
}
static const vn_module_class jitter_class = {.name = "RandomColorJitter", .self_size = sizeof(jitter), .forward = jitter_forward};

vn_module *vn_nn_random_color_jitter(const vn_nn_random_color_jitter_opts *opts)
{
    vn_nn_random_color_jitter_opts o;
    if (!vn__take_options("nn_random_color_jitter", &vn__struct_nn_random_color_jitter, &o, opts)) return NULL;
    const double part[] = {o.brightness, o.contrast, o.saturation, o.hue};
    jitter j = {.any = {.amount = 0}};
    for (int k = 0; k < 4; k++) j.part[k].amount = vn__real_of(part[k]), j.any.amount = fmax(j.any.amount, j.part[k].amount);
    return vn_module_new(&jitter_class, &j, NULL);
}

/* Towards gray, by up to a part of the way. */
static vn_array *degenerate(vn_array *x, const augment *a)
{
    return vn_dim(x, 3) == 3 ? vn__augment_blend(vn__augment_gray(x), x, vn__augment_numbers(x, 1 - a->amount, 1)) : x;
}
AUGMENT(degenerate, "RandomColorDegeneration");

vn_module *vn_nn_random_color_degeneration(double part)
{
    return make(&degenerate_class, "nn_random_color_degeneration: part", part, 1);
}

/* ---- changes that an image has or has not ---- */

static vn_array *by_chance(vn_array *x, vn_array *changed, double prob)
{
    return vn_where(vn_less(vn__augment_numbers(x, 0, 1), vn_scalar(prob)), changed, x);
}

static vn_array *to_gray(vn_array *x, const augment *a)
{
    return vn_dim(x, 3) == 3 ? by_chance(x, vn__augment_gray(x), a->amount) : x;
}
AUGMENT(to_gray, "RandomGray");

vn_module *vn_nn_random_gray(double prob)
{
    return make(&to_gray_class, "nn_random_gray: prob", prob, 1);
}

static vn_array *invert(vn_array *x, const augment *a)
{
    return by_chance(x, vn_sub(vn_scalar(1), x), a->amount);
}
AUGMENT(invert, "RandomInvert");

vn_module *vn_nn_random_invert(double prob)
{
    return make(&invert_class, "nn_random_invert: prob", prob, 1);
}

static vn_array *stretch(vn_array *x, const augment *a)
{
    return by_chance(x, vn_auto_contrast(x, 1), a->amount);
}
AUGMENT(stretch, "RandomAutoContrast");

vn_module *vn_nn_random_auto_contrast(double prob)
{
    return make(&stretch_class, "nn_random_auto_contrast: prob", prob, 1);
}

static vn_array *equalise(vn_array *x, const augment *a)
{
    return by_chance(x, vn_equalize(x, 256, 1), a->amount);
}
AUGMENT(equalise, "RandomEqualize");

vn_module *vn_nn_random_equalize(double prob)
{
    return make(&equalise_class, "nn_random_equalize: prob", prob, 1);
}

static vn_array *posterise(vn_array *x, const augment *a)
{
    return by_chance(x, vn_posterize(x, a->number, 1), a->amount);
}
AUGMENT(posterise, "RandomPosterize");

vn_module *vn_nn_random_posterize(double prob, const vn_nn_random_posterize_opts *opts)
{
    vn_nn_random_posterize_opts o;
    if (!vn__take_options("nn_random_posterize", &vn__struct_nn_random_posterize, &o, opts)) return NULL;
    return vn__augment_make(&posterise_class, "nn_random_posterize: prob", 0, 1, (augment){.amount = prob, .number = o.bits});
}

static vn_array *solarise(vn_array *x, const augment *a)
{
    return by_chance(x, vn_solarize(x, a->more, 1), a->amount);
}
AUGMENT(solarise, "RandomSolarize");

vn_module *vn_nn_random_solarize(double prob, const vn_nn_random_solarize_opts *opts)
{
    vn_nn_random_solarize_opts o;
    if (!vn__take_options("nn_random_solarize", &vn__struct_nn_random_solarize, &o, opts)) return NULL;
    return vn__augment_make(&solarise_class, "nn_random_solarize: prob", 0, 1, (augment){.amount = prob, .more = vn__real_of(o.threshold)});
}

/* ---- sharper, smoother, with a hole ---- */

static vn_array *sharpen(vn_array *x, const augment *a)
{
    vn_array *y = vn__augment_blend(vn_adjust_sharpness(x, 0, 1), x, vn__augment_numbers(x, 1 - a->amount, 1 + a->amount));
    return vn_clip(y, vn_scalar(0), vn_scalar(1));
}
AUGMENT(sharpen, "RandomSharpness");

vn_module *vn_nn_random_sharpness(double part)
{
    return make(&sharpen_class, "nn_random_sharpness: part", part, 1);
}

/* One axis. A sum of its own order, and no convolution, whose last bits depend on the processor. */
static vn_array *blurred(vn_array *x, int axis, vn_array *sigma, int64_t half, const char *outside)
{
    vn_shape before = {.rank = 4}, size = vn_shape_of(x);
    before.dim[axis] = half;
    vn_array *padded = vn_pad(x, before, before, VN_OPTS(pad, .mode = outside)), *sum = NULL, *total = NULL;
    vn_array *narrow = vn_div(vn_scalar(-.5), vn_square(sigma));
    for (int64_t k = -half; k <= half; k++) {
        vn_shape from = {.rank = 4};
        from.dim[axis] = k + half;
        vn_array *w = vn_exp(vn_mul(narrow, vn_scalar((double)(k * k)))), *term = vn_mul(w, vn_slice_at(padded, from, size));
        sum = sum ? vn_add(sum, term) : term, total = total ? vn_add(total, w) : w;
    }
    return vn_div(sum, total);
}

vn_array *vn__augment_blur(vn_array *x, vn_array *sigma, int64_t half, const char *outside)
{
    return blurred(blurred(x, 1, sigma, half, outside), 2, sigma, half, outside);
}

static vn_array *blur(vn_array *x, const augment *a)
{
    vn_array *sigma = vn__augment_numbers(x, fmin(.1, a->amount), a->amount);
    return vn__augment_blur(x, sigma, a->number / 2, "edge");
}
AUGMENT(blur, "RandomBlur");

vn_module *vn_nn_random_blur(double sigma, const vn_nn_random_blur_opts *opts)
{
    vn_nn_random_blur_opts o;
    if (!vn__take_options("nn_random_blur", &vn__struct_nn_random_blur, &o, opts)) return NULL;
    if (o.taps % 2 == 0) return vn__fail(VN_E_ARG, "nn_random_blur: taps is %lld, an odd number is needed", (long long)o.taps), NULL;
    return vn__augment_make(&blur_class, "nn_random_blur: sigma", 0, 100, (augment){.amount = sigma, .number = o.taps});
}

/* Whether the pixels of an axis are within a side of this length, a part of the axis, at a random place. */
static vn_array *within(vn_array *x, int axis, vn_array *side)
{
    vn_array *from = vn_mul(vn__augment_numbers(x, 0, 1), vn_sub(vn_scalar(1), side));
    vn_array *at = vn_mul(vn__augment_pixels(x, axis), vn_scalar(1 / (double)vn_dim(x, axis)));
    return vn_logical_and(vn_greater_equal(at, from), vn_less(at, vn_add(from, side)));
}

static vn_array *erase(vn_array *x, const augment *a)
{
    vn_array *rows = within(x, 1, vn__augment_numbers(x, 0, a->amount)),
             *hole = vn_logical_and(rows, within(x, 2, vn__augment_numbers(x, 0, a->amount)));
    return vn_where(hole, vn_scalar(a->more), x);
}
AUGMENT(erase, "RandomErasing");

vn_module *vn_nn_random_erasing(double part, const vn_nn_random_erasing_opts *opts)
{
    vn_nn_random_erasing_opts o;
    if (!vn__take_options("nn_random_erasing", &vn__struct_nn_random_erasing, &o, opts)) return NULL;
    return vn__augment_make(&erase_class, "nn_random_erasing: part", 0, 1, (augment){.amount = part, .more = vn__real_of(o.value)});
}
