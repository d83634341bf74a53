/* SPDX-License-Identifier: Apache-2.0 */
/* autocast.c: mixed precision. While it is on, record.c passes ops with the trait NARROW or WIDE through here, and their inputs get the dtype that
 * they should compute in. The casts are ops like any other, so gradients of float32 inputs are float32. */
#include "program/autocast.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/node.h"

int vn_autocast(vn_dtype dtype)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (dtype != VN_NO_DTYPE && !vn__is_dtype(dtype)) return vn__refuse_dtype("autocast", dtype);
    if (dtype != VN_NO_DTYPE && !vn__is((int)dtype, VN_HALF))
        return vn__fail(VN_E_DTYPE, "autocast: dtype is %s; it can be bfloat16, float16, or VN_NO_DTYPE to switch it off",
                        vn_dtype_name(dtype));
    s->autocast = dtype;
    return VN_OK;
}

vn_dtype vn_autocast_dtype(void)
{
    const vn__state *s = vn__peek();
    return s ? s->autocast : VN_NO_DTYPE;
}

/* The dtype of input k if it is an array of any dtype that the row permits there; otherwise VN_NO_DTYPE. A weak number takes that of the others. */
static int open_dtype(const vn__infer *i, vn_array *x, int k)
{
    const vn__op_facts *info = &i->op->info;
    if (!x || !vn__alive(&x->object, VN__ARRAY) || (k < info->n_inputs && info->input_dtypes[k])) return VN_NO_DTYPE;
    const vn__node *n = vn__node_of(x);
    return n->op == VN__NODE_SCALAR || n->flags & VN__WEAK ? VN_NO_DTYPE : n->dtype;
}

vn_array *vn__autocast(vn__state *s, int op, vn_array *const *in, vn__infer *i, vn__node **nodes, vn__apply_fn *apply)
{
    const vn_dtype half = s->autocast;
    const bool narrow = i->op->info.traits & VN_OP_NARROW;
    const uint32_t from = narrow ? VN_BIT(VN_F32) : VN_HALF;
    uint32_t seen = 0;
    for (int k = 0; k < i->n; k++) {
        const int dtype = open_dtype(i, in[k], k);
        if (dtype) seen |= VN_BIT(dtype);
    }
    /* Among wider floats all inputs are promoted to these. */
    const bool casts = seen & from && !(seen & VN_INEXACT & ~(VN_BIT(VN_F32) | VN_HALF));
    vn_array *few[VN__MAX_IN], **cast = i->n > VN__MAX_IN ? vn__alloc((size_t)i->n * sizeof *cast) : few;
    if (!cast) return vn__no_memory(i->op->info.name), NULL;
    vn_array *z = NULL;
    bool ok = true;
    s->autocast = VN_NO_DTYPE;
    for (int k = 0; k < i->n && ok; k++) {
        const int dtype = casts ? open_dtype(i, in[k], k) : VN_NO_DTYPE;
        cast[k] = dtype && from & VN_BIT(dtype) ? vn_cast(in[k], narrow ? half : VN_F32) : in[k];
        ok = cast[k] || !in[k];
    }
    if (narrow) s->autocast = half; /* for the ops that it is composed of; those of a wide op are wide */
    if (ok) z = apply(s, op, cast, i, nodes);
    s->autocast = half;
    if (cast != few) vn__free(cast);
    return z;
}
