/* SPDX-License-Identifier: Apache-2.0 */
/* index.h: shared by index.c, sort.c, select.c, samples.c and shape.c. */
#ifndef VN_INDEX_H
#define VN_INDEX_H

#include "ops/row.h"

int vn__rule_index(vn__infer *i, int k);     /* input k has an integer dtype and is cast to int64 */
int vn__rule_size(vn__infer *i, int option); /* a number of elements */

vn_array *vn__filled(const vn_array *like, int64_t value, vn_shape shape); /* int64, on like's engine */
vn_array *vn__every(const vn_array *like, int64_t n, int64_t step);        /* 0, step, 2 step ...: n positions, n above 0 */
vn_array *vn__flat(vn_array *x);                                           /* x as one axis */
vn_array *vn__index_of(vn_array *index);                                   /* an index of any integer dtype as int64 */
vn_array *vn__settled(vn_array *y, const vn_array *like);                  /* y; a weak number takes like's dtype */
vn_array *vn__extreme(const vn_array *x,
                      double sign); /* the smallest number of x's dtype, -inf of floats, for a sign below 0; the largest above */
/* Computes how many elements of x are not zero, and `with`, if given, which would have to be computed again later. Their positions follow: an x
 * that is too large for those is refused. */
int vn__count_now(vn_array *x, vn_array *with, int64_t *n);
/* take_along_axis for an index of x's rank with positions known to be in range. */
vn_array *vn__take_along(vn_array *x, vn_array *index, int64_t axis);

#endif
