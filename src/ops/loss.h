/* loss.h: shared by loss.c, ctc.c and metric.c. */
#ifndef VN_LOSS_H
#define VN_LOSS_H

#include "ops/index.h"

typedef enum { VN__MEAN, VN__SUM, VN__EACH, VN__BATCH_MEAN } vn__reduction; /* as the rows have them */

vn__reduction vn__reduction_of(const vn__infer *i); /* the last option of every loss */
int vn__rule_reduction(vn__infer *i);               /* replaces i->dims, the shape of the unreduced losses, with that of the result */
int vn__rule_shape_of(vn__infer *i, int k, int rank, const int64_t *dims); /* input k has exactly this shape */
/* Reduces the losses by none, sum or mean, in the result's dtype. */
vn_array *vn__reduced(vn_array *each, const vn__infer *i);

#endif
