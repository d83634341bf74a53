/* SPDX-License-Identifier: Apache-2.0 */
/* image.c: ops of images where they have corners, so that case lines cannot hold them: their derivatives would be compared with central
 * differences. Sizes are odd, and above those at which engines use several threads. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
#include "check.h"

static double largest(vn_array *x)
{
    return vn_item(vn_max(vn_abs(x), VN_ALL));
}

/* Gray and black have the hue 0, two equal colours that of the first. */
TEST(hue_of_gray)
{
    vn_array *x = vn_from((float[]){.5F, .5F, .5F, 0, 0, 0, 1, .25F, 1, 1, 1, 0}, VN_SHAPE(4, 3));
    vn_array *want = vn_from((float[]){0, 0, .5F, 0, 0, 0, 5.F / 6, .75F, 1, 1.F / 6, 1, 1}, VN_SHAPE(4, 3));
    CHECK(largest(vn_sub(vn_rgb_to_hsv(x), want)) < 1e-6);
    CHECK(largest(vn_sub(vn_hsv_to_rgb(want), x)) < 1e-6);
}

/* At whole coordinates the elements themselves, with every mode. */
TEST(whole_coordinates)
{
    vn_array *x = vn_random_uniform(0, 1, VN_SHAPE(1, 61, 67, 3));
    vn_array *still = vn_from((float[]){1, 0, 0, 0, 1, 0, 0, 0}, VN_SHAPE(8));
    static const char *const modes[] = {"constant", "nearest", "wrap", "mirror", "reflect"};
    for (int k = 0; k < 5; k++) CHECK(largest(vn_sub(vn_affine_transform(x, still, VN_OPTS(affine_transform, .mode = modes[k])), x)) == 0);
    vn_array *theta = vn_from((float[]){1, 0, 0, 0, 1, 0}, VN_SHAPE(1, 2, 3));
    vn_array *y = vn_grid_sample(x, vn_affine_grid(theta, 61, 67, NULL), NULL);
    CHECK(largest(vn_sub(y, x)) < 1e-4);
}

/* A rotation by 90 degrees, and a corner that moves. */
TEST(rotated)
{
    vn_array *x = vn_reshape(vn_arange(0, 9, 1, VN_F32), VN_SHAPE(1, 3, 3, 1));
    vn_array *rotation = vn_from((float[]){0, -1, 2, 1, 0, 0, 0, 0}, VN_SHAPE(8)); /* (x, y) is that at (2 - y, x) */
    vn_array *want = vn_from((float[]){2, 5, 8, 1, 4, 7, 0, 3, 6}, VN_SHAPE(1, 3, 3, 1));
    CHECK(largest(vn_sub(vn_affine_transform(x, rotation, NULL), want)) == 0);
    vn_array *at = vn_from((float[]){0, 0, 2, 0, 0, 2, 2, 2}, VN_SHAPE(4, 2)),
             *to = vn_from((float[]){0, 2, 0, 0, 2, 2, 2, 0}, VN_SHAPE(4, 2));
    CHECK(largest(vn_sub(vn_perspective_transform(x, at, to, NULL), want)) < 1e-4);
}

/* Larger images against their definitions. */
TEST(larger)
{
    vn_array *x = vn_random_uniform(0, 1, VN_SHAPE(2, 61, 67, 3));
    CHECK(largest(vn_sub(vn_ssim(x, x, 1, NULL), vn_scalar(1))) < 1e-5);
    vn_array *kernel = vn_ones(VN_SHAPE(3, 3), VN_BOOL);
    vn_array *pooled = vn_max_pool2d(x, VN_SHAPE(3), VN_OPTS(max_pool2d, .strides = {1}, .padding = "SAME"));
    CHECK(largest(vn_sub(vn_grey_dilation(x, kernel), pooled)) == 0);
    CHECK(largest(vn_add(vn_grey_erosion(vn_neg(x), kernel), pooled)) == 0);
    vn_array *flat = vn_full(vn_scalar(.25), VN_SHAPE(1, 61, 67, 1), VN_F32);
    CHECK(largest(vn_sub(vn_median_filter(flat, 3, 5), flat)) == 0);
    CHECK(vn_dim(vn_extract_patches(x, VN_SHAPE(7), VN_OPTS(extract_patches, .padding = "SAME")), 2) == 10);
}

TEST_MAIN
