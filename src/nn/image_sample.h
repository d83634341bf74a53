/* SPDX-License-Identifier: Apache-2.0 */
/* image_sample.h: images seen through an affine map, in public ops. */
#ifndef VN_IMAGE_SAMPLE_H
#define VN_IMAGE_SAMPLE_H

#include <vinea/vinea.h>

/* Where a place (v, u) of the result is in x: (yy v + yx u + y, xy v + xx u + x). Places go from -1/2 to 1/2 across the height and the
 * width. Each is an array (n, 1, 1, 1) in the dtype of the images; NULL: 1 for yy and xx, 0 for the others. */
typedef struct {
    vn_array *yy, *yx, *y, *xy, *xx, *x;
    const char *fill; /* what is outside: "reflect", "nearest" or "zero"; static */
} vn__affine;

/* x (n, height, width, channels), of floats, with bilinear interpolation. Differentiable in x and in the map. */
vn_array *vn__image_affine(vn_array *x, const vn__affine *map);
/* The same at any places, in pixels from the middle of the first: y and x (n, rows, columns, 1). */
vn_array *vn__image_sample(vn_array *image, vn_array *y, vn_array *x, const char *fill);

#endif
