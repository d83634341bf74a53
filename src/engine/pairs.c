/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c: which kernel computes an op for a dtype on an engine: the engine's own, the native fallback, or none, because the op is
 * composed.
 */
#include "core/state.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "engine/engine.h"

/* The dtypes of a sample call decide, if the op has one. */
static int computed_by(const vn__engine *e, int op, int dtype)
{
    const vn__op *row = &vn__ops[op];
    if (row->info.traits & VN_OP_RANDOM && row->kind == VN__OP_PRIMITIVE)
        return !vn__is(dtype, row->info.dtypes) ? VN_BY_NONE : e->builtin ? VN_BY_ENGINE : VN_BY_NATIVE;
    VN_SCOPE;
    int code = vn_error_push();
    if (code) return -1;
    vn_array *out[VN__MAX_OUT];
    vn__node *made = vn__sample(vn__engine_default(), op, dtype, out);
    uint32_t dtypes = made ? vn__node_dtypes(made) : VN_BIT(dtype);
    const bool no_memory = vn_status() == VN_E_MEM;
    vn_error_pop();
    if (no_memory) return vn__no_memory("engine_computes"), -1;
    if (!made) { /* a fused op that native composes has no sample call: use its inputs' dtypes */
        const bool own = row->kind == VN__OP_FUSED && vn__is(dtype, row->info.dtypes) && vn__engine_has(e, op, dtypes);
        return own ? VN_BY_ENGINE : VN_BY_NONE;
    }
    if (vn__engine_has(e, op, dtypes)) return VN_BY_ENGINE;
    return row->kind == VN__OP_FUSED ? VN_BY_NONE : VN_BY_NATIVE;
}

int vn_engine_computes(const char *engine, const char *op, vn_dtype dtype)
{
    vn__engine *e = vn__engine_find(engine);
    if (!e) return -1;
    if (!op) return vn__fail(VN_E_NULL, "engine_computes: op is NULL"), -1;
    int k = vn__op_find(op);
    if (k < 0) return vn__fail(VN_E_ARG, "engine_computes: there is no op \"%.80s\"; vn_op_at lists them", op), -1;
    if (!vn__is_dtype(dtype)) return vn__refuse_dtype("engine_computes", dtype), -1;
    return computed_by(e, k, (int)dtype);
}
