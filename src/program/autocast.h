/* SPDX-License-Identifier: Apache-2.0 */
/* autocast.h: ops of mixed precision (autocast.c). */
#ifndef VN_PROGRAM_AUTOCAST_H
#define VN_PROGRAM_AUTOCAST_H

#include "core/state.h"
#include "ops/op.h"

/* Records an op whose inputs are there, and whose row and options i has (record.c). */
typedef vn_array *vn__apply_fn(vn__state *s, int op, vn_array *const *in, vn__infer *i, vn__node **nodes);

/* Applies an op of the trait NARROW or WIDE to its inputs in the dtype that it should compute in, while autocast is on. */
vn_array *vn__autocast(vn__state *s, int op, vn_array *const *in, vn__infer *i, vn__node **nodes, vn__apply_fn *apply);

#endif
