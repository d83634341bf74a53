/* SPDX-License-Identifier: Apache-2.0 */
/* image.h (inside): what the files of image ops share: images at places between their pixels (image_sample.c). */
#ifndef VN_OPS_IMAGE_H
#define VN_OPS_IMAGE_H

#include "ops/row.h"

enum { VN__SAMPLE_AXES = 8 };                     /* the most */
enum { VN__SAMPLE_CONSTANT, VN__SAMPLE_NEAREST }; /* what is outside: a value, or the edge; image_sample.c has more */

/* Where and how: rows of `flat` (rows, channels) are at first + the sum of position times step. */
typedef struct {
    vn_array *flat, *first; /* first: int64, broadcast to the places; NULL: 0 */
    int n, mode;
    int64_t size[VN__SAMPLE_AXES], step[VN__SAMPLE_AXES];
    vn_array *at[VN__SAMPLE_AXES]; /* coordinates, all of one shape */
    bool nearest;
    double value;
} vn__sampler;

/* x [N, H, W, C] at (horizontal, vertical) places [N, ...], in pixels: [N, ..., C]. `first` of s, if given, has the number of the image of
 * each place along the first axis; otherwise place n is in image n. */
vn_array *vn__sample_images(vn_array *x, vn_array *across, vn_array *down, vn__sampler s);
int vn__rule_images(vn__infer *i); /* x has four axes, of which only the first may be empty; the result has its shape */

#endif
