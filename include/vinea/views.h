/* SPDX-License-Identifier: Apache-2.0 */
/* views.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_VIEWS_H
#define VINEA_VIEWS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Windows, segments, bits ----
 * Elements of an array seen in another way: windows that slide over it, blocks of images as columns, groups that are reduced, bytes as another dtype.
 * The elements are copied; gradients are summed over all places where one appears.
 * Segments need not be sorted; an empty one holds what a reduction of no elements gives.
 *
 *     vn_array *x = vn_arange(0, 4), *id = vn_from_host((int64_t[]){0, 0, 2, 2}, VN_I64, VN_SHAPE(4));
 *     puts(vn_text(vn_sliding_window_view(x, VN_LIST(2), VN_ALL)));
 *     puts(vn_text(vn_segment_sum(x, id, 3)));
 */

/* the bytes of x as another dtype; of another size, the last axis has as many elements more or fewer. */
VN_API vn_array *vn_bitcast(vn_array *x, vn_dtype dtype);

/* the elements offset + the sum of place times stride, of the flattened x, for every place of the shape; strides count elements and may be 0 or below; what is outside x is an error. */
VN_API vn_array *vn_as_strided(vn_array *x, vn_shape shape, vn_shape strides, int64_t offset VN_OR(0));

/* all windows of the given sizes along axes, in new axes at the end; along each axis (n - window) / step + 1 of them, rounded down. */
typedef struct vn_sliding_window_view_opts {
    size_t size VN_UNSET;
    vn_shape steps VN_UNSET; /* distances between windows along the axes; one number serves all; 1 unless given */
} vn_sliding_window_view_opts;
VN_API vn_array *vn_sliding_window_view(vn_array *x, vn_shape window, vn_axes axes VN_OR(VN_ALL), const vn_sliding_window_view_opts *opts VN_OR(NULL));

/* the windows of x [N, C, in...], 1 to 3 spatial axes, as columns: [N, C window, positions], the channel first, then the place in the window. */
typedef struct vn_unfold_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    vn_shape pads VN_UNSET; /* zeros on both sides of each spatial axis; one number serves all; 0 unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
} vn_unfold_opts;
VN_API vn_array *vn_unfold(vn_array *x, vn_shape window, const vn_unfold_opts *opts VN_OR(NULL));

/* columns [N, C window, positions] added up where unfold would have read them: [N, C, size...]; what falls on the padding is left out. */
typedef vn_unfold_opts vn_fold_opts;
VN_API vn_array *vn_fold(vn_array *x, vn_shape size, vn_shape window, const vn_fold_opts *opts VN_OR(NULL));

/* the slices of x along its first axis added up by the segment each belongs to: 0 .. segments-1 in id, the others belong to none; 0 for an empty segment. */
VN_API vn_array *vn_segment_sum(vn_array *x, vn_array *id, int64_t segments);

/* their means; 0 for an empty segment. */
VN_API vn_array *vn_segment_mean(vn_array *x, vn_array *id, int64_t segments);

/* their products; 1 for an empty segment. */
VN_API vn_array *vn_segment_prod(vn_array *x, vn_array *id, int64_t segments);

/* their largest elements, NaN wins; -inf, or the smallest integer, for an empty segment. */
VN_API vn_array *vn_segment_max(vn_array *x, vn_array *id, int64_t segments);

/* their smallest elements, NaN wins; inf, or the largest integer, for an empty segment. */
VN_API vn_array *vn_segment_min(vn_array *x, vn_array *id, int64_t segments);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_as_strided(...) vn_as_strided(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,0))
#define vn_sliding_window_view(...) vn_sliding_window_view(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_ALL, NULL))
#define vn_unfold(...) vn_unfold(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_fold(...) vn_fold(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#endif
#endif
