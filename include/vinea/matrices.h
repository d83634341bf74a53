/* SPDX-License-Identifier: Apache-2.0 */
/* matrices.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_MATRICES_H
#define VINEA_MATRICES_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions of matrices ----
 * Exponentials, roots, distances, products of several matrices, and products of parts of them; ops.h has products, systems and factorisations.
 * Matrices are the last two axes; leading axes are batches and broadcast, where no row says otherwise.
 * Half precision is computed in float32.
 *
 *     vn_array *a = vn_from((float[]){0, 1, -1, 0}, VN_SHAPE(2, 2)), *p, *lu = vn_lu(a, &p);
 *     puts(vn_text(vn_matrix_exp(vn_triu(a, 0))));
 *     puts(vn_text(vn_lu_solve(lu, p, vn_from((float[]){2, 3}, VN_SHAPE(2)))));
 *     puts(vn_text(vn_cdist(a, a, 1)));
 */

/* x with its last two axes exchanged, and conjugated. */
VN_API vn_array *vn_adjoint(vn_array *x);

/* partial pivoting of square matrices: u and, below its diagonal, l without its ones; which row of x each row was. */
VN_API vn_array *vn_lu(vn_array *x, vn_array **permutation);

/* x with a x = b, where lu and permutation are those of a (vn_lu); b is a vector, or matrices, and batch axes broadcast. */
VN_API vn_array *vn_lu_solve(vn_array *lu, vn_array *permutation, vn_array *b);

/* the inverse of l l^H, where x is the lower triangular l, or of u^H u, where it is the upper triangular u. */
typedef vn_cholesky_opts vn_cholesky_inverse_opts;
VN_API vn_array *vn_cholesky_inverse(vn_array *x, const vn_cholesky_inverse_opts *opts VN_OR(NULL));

/* the exponential of square matrices, the sum of x^k / k!, by scaling and squaring; NaN where the largest sum of a column's absolute values is above 350000. */
VN_API vn_array *vn_matrix_exp(vn_array *x);

/* the condition number: a norm of x times that of its inverse; for 2 and -2 the ratio of the largest to the smallest singular value or its inverse, for which x need not be square. */
typedef struct vn_cond_opts {
    size_t size VN_UNSET;
    const char *order VN_UNSET; /* which norm, as in matrix_norm: 2, -2, fro, nuc, 1, -1, inf, -inf; the first unless given */
} vn_cond_opts;
VN_API vn_array *vn_cond(vn_array *x, const vn_cond_opts *opts VN_OR(NULL));

/* the product of two or more matrices, in the order that takes the fewest multiplications; the first and the last may be vectors. */
VN_API vn_array *vn_multi_dot(int n, vn_array *const *xs);

/* Kronecker products column by column of matrices with as many columns each: all products of their rows. */
VN_API vn_array *vn_khatri_rao(int n, vn_array *const *xs);

/* the matrix y times axis `mode` of x, which gets as many elements as y has rows; a vector removes the axis. */
VN_API vn_array *vn_mode_dot(vn_array *x, vn_array *y, int64_t mode);

/* the distances between all rows of x (..., n, d) and y (..., m, d): (..., n, m), in the norm p; long Euclidean ones by a product. */
VN_API vn_array *vn_cdist(vn_array *x, vn_array *y, double p VN_OR(2));

/* eigenvalues, ascending, and eigenvectors, as columns, of the symmetric matrix with this diagonal and these elements beside it. */
typedef struct vn_eigh_tridiagonal_opts {
    size_t size VN_UNSET;
    int64_t first VN_UNSET; /* the number of the first eigenvalue that is wanted, from 0 on; in [0, inf) */
    int64_t count VN_UNSET; /* how many are wanted; all from the first on unless given; in [1, inf) */
} vn_eigh_tridiagonal_opts;
VN_API vn_array *vn_eigh_tridiagonal(vn_array *diagonal, vn_array *beside, const vn_eigh_tridiagonal_opts *opts, vn_array **vectors);

/* the eigenvalue of largest size of square matrices, and its vector of length 1: start, some numbers unless given, times x again and again. */
VN_API vn_array *vn_power_iteration(vn_array *x, vn_array *start, int64_t iterations, vn_array **vector);

/* x^(-1/p) of symmetric or Hermitian matrices without negative eigenvalues, to which ridge times the largest is added first; only the lower triangle is read. */
VN_API vn_array *vn_inverse_pth_root(vn_array *x, int64_t p, double ridge VN_OR(1e-6));

/* matmul of matrices whose blocks of block x block elements are multiplied by the elements of masks, as are those of the result; bools are 0 and 1. */
VN_API vn_array *vn_block_masked_matmul(vn_array *x, vn_array *y, vn_array *mask VN_OR(VN_NONE), vn_array *x_mask VN_OR(VN_NONE), vn_array *y_mask VN_OR(VN_NONE), int64_t block VN_OR(64));

/* matmul of the matrices of x and y at these positions among them, counted through all leading axes; without an index all of them; out of range as in take. */
VN_API vn_array *vn_gather_matmul(vn_array *x, vn_array *y, vn_array *x_index VN_OR(VN_NONE), vn_array *y_index VN_OR(VN_NONE));

/* for each row (from, to) of segments the product of columns from ... to - 1 of the matrix x and these rows of y: (..., m, n). */
VN_API vn_array *vn_segment_matmul(vn_array *x, vn_array *y, vn_array *segments);

/* x w y of x (..., m), y (..., n) and each of the matrices w (out, m, n), plus a bias (out): (..., out). */
VN_API vn_array *vn_bilinear(vn_array *x, vn_array *y, vn_array *w, vn_array *bias VN_OR(VN_NONE));

/* the norm of x - y + epsilon along the last axis; x and y broadcast; cdist has that of all pairs. */
typedef struct vn_pairwise_distance_opts {
    size_t size VN_UNSET;
    double p VN_UNSET; /* the order of the norm; 2 unless given; in [0, inf] */
    double epsilon VN_UNSET; /* added to every difference, so that there is a gradient where x is y; VN_ZERO for 0; 1e-6 unless given; in [0, inf) */
    int keepdims VN_UNSET; /* the last axis stays, with size 1 */
    int reserved VN_UNSET; /* 0 */
} vn_pairwise_distance_opts;
VN_API vn_array *vn_pairwise_distance(vn_array *x, vn_array *y, const vn_pairwise_distance_opts *opts VN_OR(NULL));

/* for each entry of the first axis, which is the batch, the sum of products along an axis of x and one of y: (batch, the other axes of x, those of y), or (batch, 1) if there are none. */
typedef struct vn_batch_dot_opts {
    size_t size VN_UNSET;
    int normalize VN_UNSET; /* both are divided by their lengths along these axes first, so that vectors give cosines */
    int reserved VN_UNSET; /* 0 */
} vn_batch_dot_opts;
VN_API vn_array *vn_batch_dot(vn_array *x, vn_array *y, int64_t axis_x VN_OR(-1), int64_t axis_y VN_OR(-1), const vn_batch_dot_opts *opts VN_OR(NULL));

/* w divided by its largest singular value, as a matrix of all axes but the last and the last (n), and the singular vector u (n) after some steps of the power method, to begin with at the next call. */
VN_API vn_array *vn_spectral_normalize(vn_array *w, vn_array *u, int64_t iterations, double epsilon, vn_array **vector);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_cholesky_inverse(...) vn_cholesky_inverse(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_cond(...) vn_cond(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_cdist(...) vn_cdist(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,2))
#define vn_inverse_pth_root(...) vn_inverse_pth_root(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,1e-6))
#define vn_block_masked_matmul(...) vn_block_masked_matmul(__VA_ARGS__ VN__REST6(__VA_ARGS__)(,VN_NONE, VN_NONE, VN_NONE, 64))
#define vn_gather_matmul(...) vn_gather_matmul(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, VN_NONE))
#define vn_bilinear(...) vn_bilinear(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_NONE))
#define vn_pairwise_distance(...) vn_pairwise_distance(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_batch_dot(...) vn_batch_dot(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,-1, -1, NULL))
#endif
#endif
