/* SPDX-License-Identifier: Apache-2.0 */
/* image.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_IMAGE_H
#define VINEA_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Images ----
 * Colours, sampling between pixels, filters, patches and similarity of images, as Keras, JAX, PyTorch and SciPy have them; vn_interpolate, convolutions and pooling are in ops.h.
 * Images are [N, height, width, channels] where nothing else is said.
 *
 *     vn_array *x = vn_reshape(vn_arange(0, 4), VN_SHAPE(1, 2, 2, 1)), *at = vn_from((float[]){0, .5}, VN_SHAPE(2, 1));
 *     puts(vn_text(vn_map_coordinates(vn_reshape(x, VN_SHAPE(2, 2)), at)));
 *     puts(vn_text(vn_flatten(vn_grey_dilation(x, vn_ones(VN_SHAPE(1, 3), VN_BOOL)))));
 *     puts(vn_text(vn_psnr(x, vn_add(x, vn_scalar(1)), 10)));
 */

/* the brightness of colours (..., 3): (..., 1), 0.2989 red + 0.587 green + 0.114 blue. */
VN_API vn_array *vn_rgb_to_grayscale(vn_array *x);

/* hue, saturation and value, each from 0 to 1, of red, green and blue (..., 3) from 0 to 1; the hue of gray is 0. */
VN_API vn_array *vn_rgb_to_hsv(vn_array *x);

/* red, green and blue of hue, saturation and value (..., 3). */
VN_API vn_array *vn_hsv_to_rgb(vn_array *x);

/* brightness and the two colour differences (ITU-R BT.601) of red, green and blue (..., 3). */
VN_API vn_array *vn_rgb_to_yuv(vn_array *x);

/* red, green and blue of brightness and the two colour differences (..., 3). */
VN_API vn_array *vn_yuv_to_rgb(vn_array *x);

/* max_val - x where x reaches the threshold, else x. */
VN_API vn_array *vn_solarize(vn_array *x, double threshold VN_OR(0.5), double max_val VN_OR(1));

/* x from 0 to max_val in 2^bits levels, each the least value of its range. */
VN_API vn_array *vn_posterize(vn_array *x, int64_t bits VN_OR(4), double max_val VN_OR(1));

/* each channel of each image stretched, so that it goes from 0 to max_val; one of a single value stays as it is. */
VN_API vn_array *vn_auto_contrast(vn_array *x, double max_val VN_OR(1));

/* each channel of each image, from 0 to max_val, in levels that are about equally frequent; one of fewer pixels than bins stays as it is. */
VN_API vn_array *vn_equalize(vn_array *x, int64_t bins VN_OR(256), double max_val VN_OR(1));

/* images whose distance from their smoothed selves is multiplied: 0 smoothes, 1 is x, 2 sharpens; clipped to 0 ... max_val. */
VN_API vn_array *vn_adjust_sharpness(vn_array *x, double factor VN_OR(2), double max_val VN_OR(1));

/* x at places between its elements: at (rank of x, ...) has a coordinate for each axis; 0 is the first element. */
typedef struct vn_map_coordinates_opts {
    size_t size VN_UNSET;
    const char *interpolation VN_UNSET; /* between the neighbours in all directions, or the nearest one: bilinear, nearest; the first unless given */
    const char *mode VN_UNSET; /* what is outside x: a value; its edge; x again; x mirrored at the centre of the last element, or at its edge: constant, nearest, wrap, mirror, reflect; the first unless given */
    double value VN_UNSET; /* of what is outside, if constant */
} vn_map_coordinates_opts;
VN_API vn_array *vn_map_coordinates(vn_array *x, vn_array *at, const vn_map_coordinates_opts *opts VN_OR(NULL));

/* x at the places of a grid [N, h, w, 2], horizontal and vertical ones from -1 to 1: [N, h, w, C], or [N, C, h, w] of NCHW. */
typedef struct vn_grid_sample_opts {
    size_t size VN_UNSET;
    const char *interpolation VN_UNSET; /* between the four neighbours, or the nearest one: bilinear, nearest; the first unless given */
    const char *padding VN_UNSET; /* what is outside x: zeros, border, reflection; the first unless given */
    int align_corners VN_UNSET; /* -1 and 1 are the centres of the first and the last element, not their outer edges */
    int reserved VN_UNSET; /* 0 */
    const char *data_format VN_UNSET; /* where x has its channels: NHWC, NCHW; the first unless given */
} vn_grid_sample_opts;
VN_API vn_array *vn_grid_sample(vn_array *x, vn_array *grid, const vn_grid_sample_opts *opts VN_OR(NULL));

/* the places [N, height, width, 2] for grid_sample of an image moved by theta [N, 2, 3]: (x, y, 1) times its rows. */
typedef struct vn_affine_grid_opts {
    size_t size VN_UNSET;
    int align_corners VN_UNSET; /* as of grid_sample */
    int reserved VN_UNSET; /* 0 */
} vn_affine_grid_opts;
VN_API vn_array *vn_affine_grid(vn_array *theta, int64_t height, int64_t width, const vn_affine_grid_opts *opts VN_OR(NULL));

/* images whose pixel (x, y) is that of x at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1; transform [8] or [N, 8] holds a0 a1 a2 b0 b1 b2 c0 c1. */
typedef vn_map_coordinates_opts vn_affine_transform_opts;
VN_API vn_array *vn_affine_transform(vn_array *x, vn_array *transform, const vn_affine_transform_opts *opts VN_OR(NULL));

/* images in which the corners start [4, 2] or [N, 4, 2], as (x, y), have moved to end, and all else with them. */
typedef vn_map_coordinates_opts vn_perspective_transform_opts;
VN_API vn_array *vn_perspective_transform(vn_array *x, vn_array *start, vn_array *end, const vn_perspective_transform_opts *opts VN_OR(NULL));

/* images whose pixel (x, y) is that of x at (x + dx, y + dy); displacement [height, width, 2] or [N, height, width, 2] holds dx and dy in pixels. */
typedef vn_map_coordinates_opts vn_elastic_transform_opts;
VN_API vn_array *vn_elastic_transform(vn_array *x, vn_array *displacement, const vn_elastic_transform_opts *opts VN_OR(NULL));

/* boxes [K, 4], as (left, top, right, bottom), of the images whose numbers are in image [K], as arrays of one size: [K, height, width, C]. */
typedef struct vn_roi_align_opts {
    size_t size VN_UNSET;
    double spatial_scale VN_UNSET; /* what the boxes are multiplied by: the size of x as a part of that of the image in which they were found; 1 unless given; in (0, inf) */
    int64_t samples VN_UNSET; /* places along each axis whose mean is an element of the result; 2 unless given; in [1, 1024] */
    int not_aligned VN_UNSET; /* a box from 0 begins at the middle of the first pixel, not at its edge, and is at least one pixel wide */
    int reserved VN_UNSET; /* 0 */
} vn_roi_align_opts;
VN_API vn_array *vn_roi_align(vn_array *x, vn_array *boxes, vn_array *image, int64_t height, int64_t width, const vn_roi_align_opts *opts VN_OR(NULL));

/* convolution of x [N, H, W, C] with filters [h, w, C/groups, O] whose elements are at places that offset moves: [N, out, out, (parts of the channels) h w 2] holds (down, across) in pixels; mask, with half as many, multiplies what is there. */
typedef struct vn_deform_conv2d_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    vn_shape pads VN_UNSET; /* zeros (low, high) around each spatial axis; one number serves all; 0 unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given; in [1, inf) */
} vn_deform_conv2d_opts;
VN_API vn_array *vn_deform_conv2d(vn_array *x, vn_array *offset, vn_array *filters, vn_array *mask VN_OR(VN_NONE), vn_array *bias VN_OR(VN_NONE), const vn_deform_conv2d_opts *opts VN_OR(NULL));

/* every channel of x [N, H, W, C] correlated with one filter [h, w]: sums of products of what is around a pixel. */
typedef struct vn_filter2d_opts {
    size_t size VN_UNSET;
    const char *padding VN_UNSET; /* the result is as large as x, or has only the places where the filter is inside: SAME, VALID; the first unless given */
    const char *border VN_UNSET; /* what is outside of x: zeros, or as in vn_pad: constant, reflect, edge, symmetric, wrap; the first unless given */
} vn_filter2d_opts;
VN_API vn_array *vn_filter2d(vn_array *x, vn_array *filter, const vn_filter2d_opts *opts VN_OR(NULL));

/* every channel of x with a Gaussian filter of this size and deviation; outside there are zeros. */
typedef struct vn_gaussian_blur_opts {
    size_t size VN_UNSET;
    double width_sigma VN_UNSET; /* the deviation along the width; sigma unless given; in (0, inf) */
} vn_gaussian_blur_opts;
VN_API vn_array *vn_gaussian_blur(vn_array *x, int64_t height VN_OR(3), int64_t width VN_OR(3), double sigma VN_OR(1), const vn_gaussian_blur_opts *opts VN_OR(NULL));

/* the peak signal-to-noise ratio of two arrays in decibels, 10 log10(max_val^2 / mean((x - y)^2)); max_val is the largest value that is possible. */
VN_API vn_array *vn_psnr(vn_array *x, vn_array *y, double max_val VN_OR(1));

/* the structural similarity of images x and y, at most 1: [N], the mean over windows and channels; max_val is the largest value that is possible. */
typedef struct vn_ssim_opts {
    size_t size VN_UNSET;
    int64_t filter_size VN_UNSET; /* of the Gaussian filter; 11 unless given; in [1, inf) */
    double filter_sigma VN_UNSET; /* its deviation; 1.5 unless given; in (0, inf) */
    double k1 VN_UNSET; /* keeps the ratio of brightnesses away from 0 / 0; 0.01 unless given; in [0, inf) */
    double k2 VN_UNSET; /* that of contrasts; 0.03 unless given; in [0, inf) */
} vn_ssim_opts;
VN_API vn_array *vn_ssim(vn_array *x, vn_array *y, double max_val VN_OR(1), const vn_ssim_opts *opts VN_OR(NULL));

/* the structural similarity of images x and y at several scales: [N], the product of the contrasts of all and the brightness of the last, each to its power. */
typedef struct vn_ms_ssim_opts {
    size_t size VN_UNSET;
    int64_t filter_size VN_UNSET; /* of the Gaussian filter; 11 unless given; in [1, inf) */
    double filter_sigma VN_UNSET; /* its deviation; 1.5 unless given; in (0, inf) */
    double k1 VN_UNSET; /* keeps the ratio of brightnesses away from 0 / 0; 0.01 unless given; in [0, inf) */
    double k2 VN_UNSET; /* that of contrasts; 0.03 unless given; in [0, inf) */
    int64_t scales VN_UNSET; /* how many sizes, each half of the one before; their powers are 0.0448, 0.2856, 0.3001, 0.2363 and 0.1333; 5 unless given; in [1, 5] */
} vn_ms_ssim_opts;
VN_API vn_array *vn_ms_ssim(vn_array *x, vn_array *y, double max_val VN_OR(1), const vn_ms_ssim_opts *opts VN_OR(NULL));

/* how x changes downwards and to the right, by Sobel's filters: [N, height, width, channels, 2]; outside there are zeros. */
VN_API vn_array *vn_sobel_edges(vn_array *x);

/* x / (bias + alpha mean(x^2))^beta, over as many neighbours along an axis as size says; zeros are outside. */
typedef struct vn_local_response_norm_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* times the mean of squares; 1e-4 unless given; in (-inf, inf) */
    double beta VN_UNSET; /* the power of the denominator; 0.75 unless given; in (-inf, inf) */
    double bias VN_UNSET; /* added to it; 1 unless given; in (-inf, inf) */
    int sum VN_UNSET; /* the sum of squares, not their mean */
    int reserved VN_UNSET; /* 0 */
} vn_local_response_norm_opts;
VN_API vn_array *vn_local_response_norm(vn_array *x, int64_t size VN_OR(5), int64_t axis VN_OR(-1), const vn_local_response_norm_opts *opts VN_OR(NULL));

/* the largest of the neighbours of each pixel where the kernel [h, w], with its middle at the pixel, is true; what is outside does not count. */
VN_API vn_array *vn_grey_dilation(vn_array *x, vn_array *kernel);

/* the smallest of them. */
VN_API vn_array *vn_grey_erosion(vn_array *x, vn_array *kernel);

/* the median of the window around each pixel; outside there is the edge. */
VN_API vn_array *vn_median_filter(vn_array *x, int64_t height VN_OR(3), int64_t width VN_OR(3));

/* the patches of x [N, in..., C], 2 or 3 spatial axes: [N, places..., elements of a patch times C], its places first, then its channels. */
typedef struct vn_extract_patches_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps between patches; the size of a patch unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a patch; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* SAME: zeros around x, so that a patch begins at every step: VALID, SAME; the first unless given */
} vn_extract_patches_opts;
VN_API vn_array *vn_extract_patches(vn_array *x, vn_shape size, const vn_extract_patches_opts *opts VN_OR(NULL));

/* an array of this shape, [N, in..., C], from the patches that extract_patches takes from it: the mean of the elements that patches share, 0 where there is none. */
typedef struct vn_reconstruct_patches_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps between patches; the size of a patch unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a patch; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* as of extract_patches: VALID, SAME; the first unless given */
    int sum VN_UNSET; /* the sum of what overlaps, not its mean */
    int reserved VN_UNSET; /* 0 */
} vn_reconstruct_patches_opts;
VN_API vn_array *vn_reconstruct_patches(vn_array *x, vn_shape shape, vn_shape size, const vn_reconstruct_patches_opts *opts VN_OR(NULL));

/* the numbers of the boxes [K, 4], as (left, top, right, bottom), that no box of a higher score, itself kept and of the same class, overlaps by more than iou, a part of what both cover; by falling score, then -1. */
typedef struct vn_non_max_suppression_opts {
    size_t size VN_UNSET;
    int64_t max_boxes VN_UNSET; /* how many boxes at most, the size of the result; all unless given; in [1, inf) */
    double min_score VN_UNSET; /* boxes of this score or less are left out; none unless given; in [-inf, inf] */
} vn_non_max_suppression_opts;
VN_API vn_array *vn_non_max_suppression(vn_array *boxes, vn_array *scores, vn_array *classes VN_OR(VN_NONE), double iou VN_OR(0.5), const vn_non_max_suppression_opts *opts VN_OR(NULL));

/* the pixels of [height, width] or [N, height, width] that are not 0, with a number for each group of neighbours: 1, 2 ... in the order of their first pixels, in each image; 0 for the others. */
typedef struct vn_connected_components_opts {
    size_t size VN_UNSET;
    int diagonal VN_UNSET; /* pixels that touch at a corner belong together too: eight neighbours, not four */
    int reserved VN_UNSET; /* 0 */
} vn_connected_components_opts;
VN_API vn_array *vn_connected_components(vn_array *x, const vn_connected_components_opts *opts VN_OR(NULL));

/* connected_components, and of the first components of each image left, top, width, height and area: [components, 5] or [N, components, 5]; zeros where there are fewer. */
typedef vn_connected_components_opts vn_connected_components_with_stats_opts;
VN_API vn_array *vn_connected_components_with_stats(vn_array *x, int64_t components, const vn_connected_components_with_stats_opts *opts, vn_array **stats);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_solarize(...) vn_solarize(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0.5, 1))
#define vn_posterize(...) vn_posterize(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,4, 1))
#define vn_auto_contrast(...) vn_auto_contrast(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_equalize(...) vn_equalize(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,256, 1))
#define vn_adjust_sharpness(...) vn_adjust_sharpness(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,2, 1))
#define vn_map_coordinates(...) vn_map_coordinates(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_grid_sample(...) vn_grid_sample(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_affine_grid(...) vn_affine_grid(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_affine_transform(...) vn_affine_transform(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_perspective_transform(...) vn_perspective_transform(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_elastic_transform(...) vn_elastic_transform(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_roi_align(...) vn_roi_align(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,,,,NULL))
#define vn_deform_conv2d(...) vn_deform_conv2d(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,,VN_NONE, VN_NONE, NULL))
#define vn_filter2d(...) vn_filter2d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_gaussian_blur(...) vn_gaussian_blur(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,3, 3, 1, NULL))
#define vn_psnr(...) vn_psnr(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,1))
#define vn_ssim(...) vn_ssim(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,1, NULL))
#define vn_ms_ssim(...) vn_ms_ssim(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,1, NULL))
#define vn_local_response_norm(...) vn_local_response_norm(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,5, -1, NULL))
#define vn_median_filter(...) vn_median_filter(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,3, 3))
#define vn_extract_patches(...) vn_extract_patches(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_reconstruct_patches(...) vn_reconstruct_patches(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_non_max_suppression(...) vn_non_max_suppression(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 0.5, NULL))
#define vn_connected_components(...) vn_connected_components(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#endif
#endif
