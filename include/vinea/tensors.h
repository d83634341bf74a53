/* SPDX-License-Identifier: Apache-2.0 */
/* tensors.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_TENSORS_H
#define VINEA_TENSORS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tensors as matrices ----
 * Arrays of several axes unfolded into matrices and folded back, products along many axes, systems of tensors: what decompositions
 * of tensors are written in. Axes are called modes, as in TensorLy.
 * Half precision is computed in float32.
 *
 *     vn_array *x = vn_reshape(vn_arange(0, 12), VN_SHAPE(2, 3, 2));
 *     puts(vn_text(vn_tensor_unfold(x, 1)));
 */

/* x as a matrix: the rows are those of axis `mode`, the columns all other axes in their order. */
typedef struct vn_tensor_unfold_opts {
    size_t size VN_UNSET;
    int64_t skip_begin VN_UNSET; /* so many first axes stay as they are, and mode counts those behind them; in [0, inf) */
    int64_t skip_end VN_UNSET; /* so many last axes stay as they are; in [0, inf) */
    int ravel VN_UNSET; /* the unfolded axes as one instead of two */
    int reserved VN_UNSET; /* 0 */
} vn_tensor_unfold_opts;
VN_API vn_array *vn_tensor_unfold(vn_array *x, int64_t mode VN_OR(0), const vn_tensor_unfold_opts *opts VN_OR(NULL));

/* the array of this shape whose tensor_unfold is x, unfolded into one axis or two. */
typedef struct vn_tensor_fold_opts {
    size_t size VN_UNSET;
    int64_t skip_begin VN_UNSET; /* so many first axes were left as they are; in [0, inf) */
    int64_t skip_end VN_UNSET; /* so many last axes were left as they are; in [0, inf) */
} vn_tensor_fold_opts;
VN_API vn_array *vn_tensor_fold(vn_array *x, vn_shape shape, int64_t mode VN_OR(0), const vn_tensor_fold_opts *opts VN_OR(NULL));

/* x as a matrix: these axes, in this order, are its rows, those its columns; all other axes unless given. */
VN_API vn_array *vn_matricize(vn_array *x, vn_axes rows, vn_axes columns VN_OR(VN_ALL));

/* the first array, an axis of which each matrix behind it multiplies, as mode_dot; a vector removes its axis. */
typedef struct vn_multi_mode_dot_opts {
    size_t size VN_UNSET;
    vn_shape modes VN_UNSET; /* the axis that each matrix belongs to; 0, 1, 2 ... unless given */
    int transpose VN_UNSET; /* transposed matrices, conjugated if they are complex */
    int reserved VN_UNSET; /* 0 */
} vn_multi_mode_dot_opts;
VN_API vn_array *vn_multi_mode_dot(int n, vn_array *const *xs, const vn_multi_mode_dot_opts *opts);

/* the sum of products over the last modes of x and as many first ones of y. */
typedef struct vn_general_inner_product_opts {
    size_t size VN_UNSET;
    int64_t modes VN_UNSET; /* how many; all of two arrays of one shape unless given; in [1, inf) */
} vn_general_inner_product_opts;
VN_API vn_array *vn_general_inner_product(vn_array *x, vn_array *y, const vn_general_inner_product_opts *opts VN_OR(NULL));

/* x with tensordot(a, x) = b: the first axes of a have the shape of b, the others that of x and as many elements. */
VN_API vn_array *vn_tensorsolve(vn_array *a, vn_array *b);

/* alpha a b + beta c, where c broadcasts to the matrix product. */
VN_API vn_array *vn_addmm(vn_array *c, vn_array *a, vn_array *b, double alpha VN_OR(1), double beta VN_OR(1));

/* inverses of lower triangular matrices, or upper ones; the other triangle is not read. */
typedef struct vn_tri_inv_opts {
    size_t size VN_UNSET;
    int upper VN_UNSET; /* the upper triangle is read */
    int reserved VN_UNSET; /* 0 */
} vn_tri_inv_opts;
VN_API vn_array *vn_tri_inv(vn_array *x, const vn_tri_inv_opts *opts VN_OR(NULL));

/* the largest singular values of matrices, at most count, with their vectors: the matrix of that rank nearest to x. */
VN_API vn_array *vn_truncated_svd(vn_array *x, int64_t count, vn_array **s, vn_array **vh);

/* two matrices without negative elements whose product is near u s vh: for each singular value the positive or the negative parts of both vectors, whichever are longer (NNDSVD); u (m, r), s (r), vh (r, n) to w (m, r), h (r, n). */
VN_API vn_array *vn_nonnegative_svd(vn_array *u, vn_array *s, vn_array *vh, vn_array **h);

/* the x without elements below 0 for which the matrix a times x is nearest to the vector b, and the length of a x - b (Lawson and Hanson); computes both at once. */
typedef struct vn_nnls_opts {
    size_t size VN_UNSET;
    int64_t max_steps VN_UNSET; /* changes of the set of elements above 0; three times their number unless given; in [1, inf) */
} vn_nnls_opts;
VN_API vn_array *vn_nnls(vn_array *a, vn_array *b, const vn_nnls_opts *opts, vn_array **residual);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_tensor_unfold(...) vn_tensor_unfold(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0, NULL))
#define vn_tensor_fold(...) vn_tensor_fold(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,0, NULL))
#define vn_matricize(...) vn_matricize(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_ALL))
#define vn_general_inner_product(...) vn_general_inner_product(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_addmm(...) vn_addmm(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,1, 1))
#define vn_tri_inv(...) vn_tri_inv(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#endif
#endif
