/* SPDX-License-Identifier: Apache-2.0 */
/* layers_augment_mix.c: images mixed with each other, and their labels with them (MixUp, CutMix); images changed by one of many changes
 * (RandAugment), and mixed with chains of such changes (AugMix). */
#include "nn/augment.h"
#include "core/dtype.h"

/* ---- with each other ---- */

/* share of y, the rest of it with its rows in another order; share: (n, 1, 1, 1) */
static vn_array *mixed_rows(vn_array *y, vn_array *order, vn_array *share)
{
    vn_shape s = {.rank = vn_rank(y), .dim = {vn_dim(y, 0)}};
    for (int k = 1; k < s.rank; k++) s.dim[k] = 1;
    return vn__augment_blend(vn_take(y, order, 0), y, vn_cast(vn_reshape(share, s), vn_dtype_of(y)));
}

/* The share that an image keeps, in [0, 1] */
typedef vn_array *(*mixing)(vn_array *x, vn_array *order, vn_array **share);

static vn_array *mix_images(vn_array *x, vn_array *order, vn_array **share)
{
    return mixed_rows(x, order, *share);
}

/* Whether the places of an axis are within a side, around a random middle; where the side would end outside, it is shorter. */
static vn_array *side(const vn_array *x, int axis, vn_array *length)
{
    const int64_t n = vn_dim(x, axis);
    vn_array *middle = vn_mul(vn__augment_numbers(x, 0, 1), vn_scalar((double)n)), *half = vn_mul(length, vn_scalar((double)n / 2));
    vn_array *at = vn__augment_pixels(x, axis);
    return vn_logical_and(vn_greater_equal(at, vn_floor(vn_sub(middle, half))), vn_less(at, vn_floor(vn_add(middle, half))));
}

static vn_array *cut_images(vn_array *x, vn_array *order, vn_array **share)
{
    vn_array *length = vn_sqrt(vn_sub(vn_scalar(1), *share)), *rows = side(x, 1, length);
    vn_array *hole = vn_logical_and(rows, side(x, 2, length));
    *share = vn_sub(vn_scalar(1), vn_mean(vn_cast(hole, vn_dtype_of(x)), VN_KEEP(1, 2, 3)));
    return vn_where(hole, vn_take(x, order, 0), x);
}

static vn_tree *mix_all(vn_module *m, const vn_tree *args, mixing of)
{
    static const char *const names[] = {"x", "y", NULL};
    const augment *a = vn_module_self(m);
    vn_array *found[2] = {NULL};
    char s[128];
    if (!vn__layer_args(args, names, found) || !vn__augment_images(found[0])) return NULL;
    vn_array *x = found[0], *y = found[1];
    if (!vn_module_training(m) || !vn_size(x)) return y ? vn_tree_of("x", x, "y", y, NULL) : vn_tree_of("x", x, NULL);
    if (!y || vn_rank(y) < 1 || vn_dim(y, 0) != vn_dim(x, 0) || !vn__is(vn_dtype_of(y), VN_FLOATS))
        return vn__fail(VN_E_STRUCT, "labels y of floats, a row for each of %lld images, are needed, such as vn_one_hot makes; y %s%s",
                        (long long)vn_dim(x, 0), y ? "has shape " : "is missing",
                        y ? vn__shape_text(vn_rank(y), vn_shape_of(y).dim, s) : ""),
               NULL;
    const bool before = vn__on_native(true);
    vn_array *share = vn__augment_like(vn_random_beta(a->amount, a->amount, VN_SHAPE(vn_dim(x, 0), 1, 1, 1)), x);
    vn_array *order = vn__on_engine(vn_random_permutation(vn_dim(x, 0)), vn_engine_of(x)), *mixed = of(x, order, &share);
    y = mixed_rows(y, order, share);
    vn__on_native(before);
    return vn_tree_of("x", mixed, "y", y, NULL);
}

static vn_tree *mix_up_forward(vn_module *m, const vn_tree *args)
{
    return mix_all(m, args, mix_images);
}
static vn_tree *cut_mix_forward(vn_module *m, const vn_tree *args)
{
    return mix_all(m, args, cut_images);
}
static const vn_module_class mix_up_class = {.name = "MixUp", .self_size = sizeof(augment), .forward_tree = mix_up_forward},
                             cut_mix_class = {.name = "CutMix", .self_size = sizeof(augment), .forward_tree = cut_mix_forward};

vn_module *vn_nn_mix_up(double alpha)
{
    return vn__augment_make(&mix_up_class, "nn_mix_up: alpha", 1e-3, 1e3, (augment){.amount = alpha});
}
vn_module *vn_nn_cut_mix(double alpha)
{
    return vn__augment_make(&cut_mix_class, "nn_cut_mix: alpha", 1e-3, 1e3, (augment){.amount = alpha});
}

/* ---- one of many changes ---- */

enum {
    SHEAR_X,
    SHEAR_Y,
    SHIFT_X,
    SHIFT_Y,
    ROTATE,
    BRIGHTNESS,
    CONTRAST,
    SATURATION,
    SHARPNESS,
    POSTERIZE,
    SOLARIZE,
    EQUALIZE,
    AUTO_CONTRAST,
    IDENTITY,
    CHANGES
};

static vn_array *only(vn_array *is, vn_array *x)
{
    return vn_where(is, x, vn_scalar(0));
}

/* Each image with one of the changes, by its number; by: from -amount to amount, (n, 1, 1, 1). Changes of place are one map. */
static vn_array *changed(vn_array *x, vn_array *choice, vn_array *by, double amount)
{
    vn_array *is[CHANGES];
    for (int k = 0; k < CHANGES; k++) is[k] = vn_equal(choice, vn_scalar_int(k));
    const double ratio = (double)vn_dim(x, 1) / (double)vn_dim(x, 2);
    vn_array *angle = only(is[ROTATE], vn_mul(by, vn_scalar(.5235987755982988))), *c = vn_cos(angle),
             *s = vn_sin(angle);                                                  /* 30 degrees at most */
    vn_array *lean = vn_mul(by, vn_scalar(.3)), *way = vn_mul(by, vn_scalar(.6)); /* of places from -1 to 1: 0.3 of the image */
    const affine map = {.xx = c,
                        .yy = c,
                        .x = only(is[SHIFT_X], way),
                        .y = only(is[SHIFT_Y], way),
                        .fill = "reflect",
                        .xy = vn_mul(vn_add(s, only(is[SHEAR_X], lean)), vn_scalar(ratio)),
                        .yx = vn_mul(vn_sub(only(is[SHEAR_Y], lean), s), vn_scalar(1 / ratio))};
    vn_array *y = vn__augment_move(x, &map), *factor = vn_add(by, vn_scalar(1));
    y = vn_where(is[BRIGHTNESS], vn_mul(x, factor), y);
    y = vn_where(is[CONTRAST], vn__augment_blend(vn_mean(x, VN_KEEP(1, 2)), x, factor), y);
    if (vn_dim(x, 3) == 3) y = vn_where(is[SATURATION], vn__augment_blend(vn__augment_gray(x), x, factor), y);
    y = vn_where(is[SHARPNESS], vn__augment_blend(vn_adjust_sharpness(x, 0, 1), x, factor), y);
    y = vn_where(is[POSTERIZE], vn_posterize(x, 8 - (int64_t)(amount * 4), 1), y);
    y = vn_where(is[SOLARIZE], vn_solarize(x, 1 - amount, 1), y);
    y = vn_where(is[EQUALIZE], vn_equalize(x, 256, 1), y);
    return vn_clip(vn_where(is[AUTO_CONTRAST], vn_auto_contrast(x, 1), y), vn_scalar(0), vn_scalar(1));
}

static vn_array *change_once(vn_array *x, double amount)
{
    vn_array *choice = vn__on_engine(vn_random_randint(0, CHANGES, VN_SHAPE(vn_dim(x, 0), 1, 1, 1)), vn_engine_of(x));
    return changed(x, choice, vn__augment_numbers(x, -amount, amount), amount);
}

static vn_array *rand_augment(vn_array *x, const augment *a)
{
    for (int64_t k = 0; k < a->number && x; k++) x = change_once(x, a->amount);
    return x;
}
AUGMENT(rand_augment, "RandAugment");

vn_module *vn_nn_rand_augment(double amount, const vn_nn_rand_augment_opts *opts)
{
    vn_nn_rand_augment_opts o;
    if (!vn__take_options("nn_rand_augment", &vn__struct_nn_rand_augment, &o, opts)) return NULL;
    return vn__augment_make(&rand_augment_class, "nn_rand_augment: amount", 0, 1, (augment){.amount = amount, .number = o.changes});
}

/* ---- chains of changes ---- */

typedef struct {
    augment any; /* amount; number: the chains */
    int64_t depth;
    double alpha;
} chains;

/* Each image with 1 to depth changes, one after the other. */
static vn_array *chain(vn_array *x, const chains *c)
{
    vn_array *length = vn__on_engine(vn_random_randint(1, c->depth + 1, VN_SHAPE(vn_dim(x, 0), 1, 1, 1)), vn_engine_of(x));
    for (int64_t k = 0; k < c->depth && x; k++) x = vn_where(vn_greater(length, vn_scalar_int(k)), change_once(x, c->any.amount), x);
    return x;
}

/* Shares of the chains are Dirichlet distributed, that of their sum in the result is beta distributed. */
static vn_array *aug_mix(vn_array *x, const augment *a)
{
    const chains *c = (const chains *)a;
    const vn_shape each = VN_SHAPE(vn_dim(x, 0), 1, 1, 1);
    vn_array *sum = NULL, *total = NULL;
    for (int64_t k = 0; k < a->number; k++) {
        vn_array *share = vn__augment_like(vn_random_gamma(c->alpha, each), x), *part = vn_mul(share, chain(x, c));
        sum = sum ? vn_add(sum, part) : part, total = total ? vn_add(total, share) : share;
    }
    return vn__augment_blend(x, vn_div(sum, total), vn__augment_like(vn_random_beta(c->alpha, c->alpha, each), x));
}

static vn_array *aug_mix_forward(vn_module *m, vn_array *x)
{
    return vn__augment_run(m, x, aug_mix);
}
static const vn_module_class aug_mix_class = {.name = "AugMix", .self_size = sizeof(chains), .forward = aug_mix_forward};

vn_module *vn_nn_aug_mix(double amount, const vn_nn_aug_mix_opts *opts)
{
    vn_nn_aug_mix_opts o;
    if (!vn__take_options("nn_aug_mix", &vn__struct_nn_aug_mix, &o, opts)) return NULL;
    chains c = {.any = {.amount = vn__real_of(amount), .number = o.chains}, .depth = o.depth, .alpha = o.alpha};
    if (c.any.amount >= 0 && c.any.amount <= 1) return vn_module_new(&aug_mix_class, &c, NULL);
    return vn__fail(VN_E_ARG, "nn_aug_mix: amount is %g; a number from 0 to 1 is needed", amount), NULL;
}
