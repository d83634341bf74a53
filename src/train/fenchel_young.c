/* SPDX-License-Identifier: Apache-2.0 */
/* fenchel_young.c: the loss that belongs to a function's convex conjugate. */
#include "core/callback.h"
#include "core/text.h"
#include <string.h>
#include <vinea/train.h>

static const char who[] = "fenchel_young_loss";

vn_array *vn_fenchel_young_loss(vn_array *x, vn_array *target, vn_array_fn max, void *user)
{
    char s[128], t[128];
    if (!vn__check(x, VN__ARRAY, who, "x") || !vn__check(target, VN__ARRAY, who, "target")) return NULL;
    if (!max) return vn__fail(VN_E_NULL, "%s: max is NULL", who), NULL;
    if (!vn_rank(x)) return vn__fail(VN_E_SHAPE, "%s: x has no axis", who), NULL;
    vn_array *most = vn__call_fn(max, x, user, who), *at = vn_sum(vn_mul(target, x), VN_AXES(-1));
    if (!most || !at) return NULL;
    const vn_shape a = vn_shape_of(most), b = vn_shape_of(at);
    if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0)
        return vn__fail(VN_E_SHAPE, "%s: max gives %s, %s is needed: one number for each row of x", who, vn__shape_text(a.rank, a.dim, s),
                        vn__shape_text(b.rank, b.dim, t)),
               NULL;
    return vn_sub(most, at);
}
