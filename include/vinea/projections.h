/* SPDX-License-Identifier: Apache-2.0 */
/* projections.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_PROJECTIONS_H
#define VINEA_PROJECTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Projections and assignment ----
 * The nearest point to x in a set, where x is one vector whatever its shape: simplices, balls, boxes and planes. And pairs of rows and
 * columns of least cost. After a step of an optimizer a projection keeps parameters in the set.
 * Gradients are those of the projection, half precision is computed in float32.
 *
 *     vn_array *x = vn_from((float[]){3, 1, -2}, VN_SHAPE(3)), *columns;
 *     puts(vn_text(vn_projection_simplex(x, 1)));
 *     puts(vn_text(vn_projection_l1_ball(x, 2)));
 *     puts(vn_text(vn_linear_sum_assignment(vn_from((float[]){4, 1, 2, 0}, VN_SHAPE(2, 2)), NULL, &columns)));
 *     puts(vn_text(columns));
 */

/* onto numbers of 0 and more that add up to total. */
VN_API vn_array *vn_projection_simplex(vn_array *x, double total VN_OR(1));

/* onto vectors whose absolute values add up to length. */
VN_API vn_array *vn_projection_l1_sphere(vn_array *x, double length VN_OR(1));

/* onto vectors whose absolute values add up to at most length. */
VN_API vn_array *vn_projection_l1_ball(vn_array *x, double length VN_OR(1));

/* onto vectors of this Euclidean length; NaN for zeros, which have no direction. */
VN_API vn_array *vn_projection_l2_sphere(vn_array *x, double length VN_OR(1));

/* onto vectors of at most this Euclidean length. */
VN_API vn_array *vn_projection_l2_ball(vn_array *x, double length VN_OR(1));

/* onto vectors whose elements are in [-length, length]. */
VN_API vn_array *vn_projection_linf_ball(vn_array *x, double length VN_OR(1));

/* onto vectors between lower and upper, which broadcast to x. */
VN_API vn_array *vn_projection_box(vn_array *x, vn_array *lower, vn_array *upper);

/* onto vectors whose elements are in [0, size]. */
VN_API vn_array *vn_projection_hypercube(vn_array *x, double size VN_OR(1));

/* onto vectors whose product with a, of x's shape, is b. */
VN_API vn_array *vn_projection_hyperplane(vn_array *x, vn_array *a, double b VN_OR(0));

/* onto vectors whose product with a, of x's shape, is at most b. */
VN_API vn_array *vn_projection_halfspace(vn_array *x, vn_array *a, double b VN_OR(0));

/* onto multiples of a, of x's shape. */
VN_API vn_array *vn_projection_vector(vn_array *x, vn_array *a);

/* pairs of a row and a column of a matrix, none of them twice and as many as there can be, whose elements have the smallest sum (the Hungarian problem); rows ascend; inf marks pairs that must not be; computes it at once. */
typedef struct vn_linear_sum_assignment_opts {
    size_t size VN_UNSET;
    int maximize VN_UNSET; /* the largest sum instead of the smallest */
    int reserved VN_UNSET; /* 0 */
} vn_linear_sum_assignment_opts;
VN_API vn_array *vn_linear_sum_assignment(vn_array *costs, const vn_linear_sum_assignment_opts *opts, vn_array **columns);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_projection_simplex(...) vn_projection_simplex(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_l1_sphere(...) vn_projection_l1_sphere(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_l1_ball(...) vn_projection_l1_ball(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_l2_sphere(...) vn_projection_l2_sphere(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_l2_ball(...) vn_projection_l2_ball(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_linf_ball(...) vn_projection_linf_ball(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_hypercube(...) vn_projection_hypercube(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_projection_hyperplane(...) vn_projection_hyperplane(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_projection_halfspace(...) vn_projection_halfspace(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#endif
#endif
