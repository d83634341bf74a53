/* SPDX-License-Identifier: Apache-2.0 */
/* layers_shared.h: statistics of a batch of which every rank has a part, for synchronised norms. */
#ifndef VN_NN_LAYERS_SHARED_H
#define VN_NN_LAYERS_SHARED_H

#include <vinea/vinea.h>

typedef struct {
    double n;                  /* numbers for each channel, on all ranks */
    vn_array *mean, *variance; /* [channels]; divided by n */
    vn_shape shape;            /* of channels that broadcast against x */
} vn__shared_moments;

/* (x - mean) / sqrt(variance + epsilon) for each channel, with the mean and variance of all ranks' x (the thread's vn__sharing), in float32 or
 * float64. An evaluation point, and so is its gradient: x, or the cotangent, is computed and stored there, so that what comes before it
 * is computed once. */
vn_array *vn__norm_shared(vn_array *x, int64_t channels, int axis, double epsilon, vn__shared_moments *to);

#endif
