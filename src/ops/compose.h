/* compose.h: the compositions that rows of ops.def name. */
#ifndef VN_COMPOSE_H
#define VN_COMPOSE_H

#include "core/internal.h"

typedef vn_array *vn__composition(vn_array *const *in, const vn__infer *i);
vn__composition compose_mean, compose_matmul, compose_variable, compose_prod, compose_any, compose_all, compose_var, compose_std,
    compose_logsumexp, compose_softmax, compose_log_softmax, compose_clip, compose_reciprocal, compose_softplus, compose_logaddexp,
    compose_hypot, compose_logical_not, compose_logical_and, compose_logical_or, compose_logical_xor, compose_reshape_like;

#endif
