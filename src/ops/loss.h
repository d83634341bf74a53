/* SPDX-License-Identifier: Apache-2.0 */
/* loss.h: what losses share: loss.c, loss_*.c, ctc.c, rnnt.c; and metric.c. */
#ifndef VN_LOSS_H
#define VN_LOSS_H

#include "ops/index.h"

typedef enum { VN__MEAN, VN__SUM, VN__EACH, VN__BATCH_MEAN } vn__reduction; /* as the rows have them */

vn__reduction vn__reduction_of(const vn__infer *i); /* the last option of every loss */
int vn__rule_reduction(vn__infer *i);               /* replaces i->dims, the shape of the unreduced losses, with that of the result */
int vn__rule_shape_of(vn__infer *i, int k, int rank, const int64_t *dims); /* input k has exactly this shape */
/* Reduces the losses by none, sum or mean, in the result's dtype. */
vn_array *vn__reduced(vn_array *each, const vn__infer *i);

/* ---- rules ---- */

void vn__rule_without(vn__infer *i, int64_t axis); /* removes an axis from i->dims */
bool vn__targets_are_classes(const vn__infer *i);  /* input 1 has class numbers, not probabilities */

/* ---- parts of losses ---- */

vn_array *vn__input(vn_array *const *in, const vn__infer *i, int k);                    /* in the dtype of computation; NULL if absent */
vn_array *vn__difference(vn_array *const *in, const vn__infer *i);                      /* of the first two inputs */
vn_array *vn__weighted(vn_array *each, vn_array *const *in, const vn__infer *i, int k); /* times input k, if given */
vn_array *vn__one_minus(vn_array *x);
vn_array *vn__log_of_probability(vn_array *p);         /* -100 at 0, so that losses stay finite; NaN below 0 */
vn_array *vn__log_of_complement(vn_array *p);          /* of 1 - p, the same way */
vn_array *vn__expected(vn_array *weight, vn_array *x); /* weight * x, but 0 where the weight is 0 and x infinite */
vn_array *vn__negentropy(vn_array *x);                 /* x log(x), 0 at 0 */
vn_array *vn__log_probabilities(vn_array *x, int64_t axis, bool from_probs);
vn_array *vn__cosine(vn_array *const *in, const vn__infer *i, int64_t axis, double epsilon); /* of the first two inputs, broadcast */

/* Rows of classes along the last axis, and their targets. */
typedef struct {
    vn_array *x, *target; /* (..., classes): of class numbers 1 at the class */
    vn_array *weight;     /* (...): of the target's class; NULL: none */
    vn_array *known;      /* (...): the class number is one; NULL: targets are shares */
} vn__class_rows;
vn__class_rows vn__class_rows_of(vn_array *const *in, const vn__infer *i); /* inputs x, target, weight? */
vn_array *vn__class_sum(vn_array *x);                                      /* over the classes */
vn_array *vn__class_reduced(vn_array *each, const vn__class_rows *r, const vn__infer *i);

#endif
