/* compose.h: the compositions that rows of ops.def name. */
#ifndef VN_COMPOSE_H
#define VN_COMPOSE_H

#include "core/internal.h"

typedef vn_array *vn__composition(vn_array *const *in, const vn__options *o);
vn__composition compose_mean, compose_matmul, compose_variable;

#endif
