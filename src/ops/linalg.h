/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.h: shared by linalg.c (systems and factorisations) and eigen.c (eigenvalues, singular values). */
#ifndef VN_LINALG_H
#define VN_LINALG_H

#include "ops/row.h"

/* ---- for rules ---- */

int vn__needs_matrix(vn__infer *i, int k); /* input k has at least two axes */
int vn__needs_square(vn__infer *i, int k);
int vn__rule_systems(vn__infer *i); /* batch axes of a: (..., m, n) and b: (..., m, k) become those of the result */
void vn__rule_per_matrix(vn__infer *i, int k, vn_shape sizes); /* result k: the batch axes of x, then these */
static inline int64_t vn__rows(const vn__node *x)
{
    return vn__node_dims(x)[x->rank - 2];
}
static inline int64_t vn__cols(const vn__node *x)
{
    return vn__node_dims(x)[x->rank - 1];
}

/* ---- for gradients and compositions ---- */

static inline int64_t vn__row_count(const vn_array *x)
{
    return vn_dim(x, vn_rank(x) - 2);
}
static inline int64_t vn__col_count(const vn_array *x)
{
    return vn_dim(x, vn_rank(x) - 1);
}
vn_array *vn__half_lower(vn_array *x);  /* the lower triangle with half its diagonal */
vn_array *vn__identity(vn_array *like); /* one identity matrix of its size and dtype */
vn_array *vn__adjoint(vn_array *x);     /* transposed, and conjugated if it is complex */

#endif
