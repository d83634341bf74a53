/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_SPARSE_H
#define VINEA_SPARSE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sparse matrices ----
 * A sparse array is its values and where they are: indices (n, axes) as coordinates (COO), or, of a matrix, the columns of the values and where each row of them begins (CSR).
 * These are arrays, which trees hold together; gradients go to the values and to what they are multiplied by.
 * The number of values of an array is known only when it is computed: coo_indices and csr_pointers take it as an option, and fill what is left with -1.
 *
 *     vn_array *x = vn_from((float[]){0, 2, 0, 0, 0, 3}, VN_SHAPE(2, 3)), *at = vn_coo_indices(x, 2);
 *     vn_array *values = vn_coo_values(x, at);
 *     puts(vn_text(at));
 *     puts(vn_text(vn_coo_matmul(at, values, vn_from((float[]){1, 10, 100}, VN_SHAPE(3, 1)), 2)));
 *     vn_array *rows = vn_csr_pointers(at, 2), *columns = vn_squeeze(vn_slice_at(at, VN_SHAPE(0, 1), VN_SHAPE(2, 1)), VN_AXES(1));
 *     puts(vn_text(vn_csr_matmul(rows, columns, values, vn_from((float[]){1, 10, 100}, VN_SHAPE(3)))));
 */

/* where x is not 0: (count, axes), int64, in row-major order; -1 behind the last one; -1 as count: as many as there are, which are counted now. */
VN_API vn_array *vn_coo_indices(vn_array *x, int64_t count VN_OR(-1));

/* the elements of x at indices (n, axes): (n); 0 at an index out of range, as -1 is. */
VN_API vn_array *vn_coo_values(vn_array *x, vn_array *indices);

/* an array of this shape with values (n) at indices (n, axes) and 0 elsewhere; values at the same index are added, those out of range left out. */
VN_API vn_array *vn_coo_to_dense(vn_array *indices, vn_array *values, vn_shape shape);

/* the product of a sparse matrix (rows, n), as indices (k, 2) and values (k), and y (n) or (n, m), without the matrix itself. */
VN_API vn_array *vn_coo_matmul(vn_array *indices, vn_array *values, vn_array *y, int64_t rows);

/* where the values of each row begin, and the last ones end: (rows + 1), int64, of indices (n, 2) in row-major order; the second column of the indices is CSR's other part. */
VN_API vn_array *vn_csr_pointers(vn_array *indices, int64_t rows);

/* indices (n, 2) of pointers (rows + 1) and columns (n): from CSR to COO. */
VN_API vn_array *vn_csr_indices(vn_array *pointers, vn_array *columns);

/* the matrix (rows, width) of pointers (rows + 1), columns (n) and values (n), with 0 elsewhere. */
VN_API vn_array *vn_csr_to_dense(vn_array *pointers, vn_array *columns, vn_array *values, int64_t width);

/* the product of a sparse matrix (rows, n), as pointers (rows + 1), columns (k) and values (k), and y (n) or (n, m), without the matrix itself. */
VN_API vn_array *vn_csr_matmul(vn_array *pointers, vn_array *columns, vn_array *values, vn_array *y);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_coo_indices(...) vn_coo_indices(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,-1))
#endif
#endif
