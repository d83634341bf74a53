/* SPDX-License-Identifier: Apache-2.0 */
/* augment.h: what layers that change images (n, height, width, channels) at random share. They change them while training only; in evaluation
 * the result is x itself. Each image gets its own numbers. The native engine computes the changes for every engine (vn__on_native), so that a
 * seed gives the same bits wherever a training runs. */
#ifndef VN_NN_AUGMENT_H
#define VN_NN_AUGMENT_H

#include "nn/layers.h"
#include "core/state.h"

/* A layer's options. Nothing happens where the amount is 0. */
typedef struct {
    double amount, more;
    int64_t number;
    const char *text; /* of the row's text, or of where pixels outside come from; static */
} augment;

/* Each layer's change of x. */
typedef vn_array *(*vn__change)(vn_array *x, const augment *a);

/* An array that was just made, on the engine and in the dtype of x. */
static inline vn_array *vn__augment_like(vn_array *made, const vn_array *x)
{
    return vn_cast(vn__on_engine(made, vn_engine_of(x)), vn_dtype_of(x));
}
vn_array *vn__augment_pixels(const vn_array *x, int axis);                 /* 0, 1 ... along the height (axis 1) or the width (2) of x */
vn_array *vn__augment_numbers(const vn_array *x, double low, double high); /* one for each image, in [low, high), with the rank of x */
bool vn__augment_images(const vn_array *x);                                /* false, with the error set: they are none */
vn_array *vn__augment_run(vn_module *m, vn_array *x, vn__change of);
/* A layer whose amount is from least to most; what: "nn_random_crop: part", for the message. */
vn_module *vn__augment_make(const vn_module_class *c, const char *what, double least, double most, augment a);

#define AUGMENT(of, class)                                   \
    static vn_array *of##_forward(vn_module *m, vn_array *x) \
    {                                                        \
        return vn__augment_run(m, x, of);                    \
    }                                                        \
    static const vn_module_class of##_class = {.name = class, .self_size = sizeof(augment), .forward = of##_forward}

/* Where the place (x, y) of the result is in the image: (xx x + xy y + x, yx x + yy y + y). Places go from -1 to 1 across the width and the
 * height. Each is an array (n, 1, 1, 1); NULL: 1 for xx and yy, 0 for the others. */
typedef struct {
    vn_array *xx, *xy, *x, *yx, *yy, *y;
    const char *fill; /* what is outside */
} affine;
vn_array *vn__augment_move(vn_array *x, const affine *map);

/* from + by (x - from) */
static inline vn_array *vn__augment_blend(vn_array *from, vn_array *x, vn_array *by)
{
    return vn_add(from, vn_mul(vn_sub(x, from), by));
}
/* Both axes of each image with its own filter of 2 half + 1 elements, of the deviation in sigma (n or 1, 1, 1, 1); outside: a mode of vn_pad. */
vn_array *vn__augment_blur(vn_array *x, vn_array *sigma, int64_t half, const char *outside);
vn_array *vn__augment_gray(vn_array *x); /* (n, height, width, 1) of 3 channels: what red, green and blue weigh in gray (ITU-R BT.601) */

#endif
