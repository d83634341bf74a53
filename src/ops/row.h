/* row.h: what stands behind a row of ops.def. Rules decide shape and dtype (rules.c), gradients and compositions are written in public
 * ops (vjp.c, compose.c); a family of ops that needs more than a few lines has a file of its own with all three (conv.c, index.c ...).
 * The functions that rows name are declared from the table itself. */
#ifndef VN_ROW_H
#define VN_ROW_H

#include "core/internal.h"

typedef int vn__rule(vn__infer *i);
typedef vn_array *vn__vjp(const vn__vjp_args *a, int k);
typedef vn_array *vn__composition(vn_array *const *in, const vn__infer *i);
#include "ops_names.inc"

/* ---- for rules ---- */

#define FAIL(code, format, ...) return vn__fail(code, "%s: " format, i->op->info.name, __VA_ARGS__)

static inline const char *dtype_text(int dtype)
{
    return vn_dtype_name((vn_dtype)dtype);
}
static inline const char *shape_text(const vn__node *n, char to[static 128])
{
    return vn__shape_text(n->rank, vn__node_dims(n), to);
}
int vn__rule_accept(vn__infer *i, int dtype);        /* the row's dtype mask */
int vn__rule_promote(vn__infer *i, int from, int n); /* the common dtype of inputs from to n-1; weak numbers take the dtype of the others */
int vn__rule_broadcast(vn__infer *i, int ra, const int64_t *a, int rb, const int64_t *b); /* two shapes into i->dims */
int vn__rule_axes(vn__infer *i, int rank, int32_t *n, int64_t *axes);                     /* to a sorted list without negatives */
int vn__rule_axis(vn__infer *i, int option, int rank);                                    /* one axis, without negatives */
void vn__rule_result(vn__infer *i, int rank, const int64_t *dims);

/* ---- for gradients and compositions ---- */

vn_array *vn__sum_to(vn_array *g, const vn_array *like); /* sums g back to the shape it was broadcast from */
vn_array *vn__zeros_like(const vn_array *x);
vn_array *vn__conjugate(vn_array *x); /* x itself unless it is complex */
vn_shape vn__result_shape(const vn__infer *i);
vn_array *vn__widen(vn_array *x); /* halves are computed in float32 and rounded once, at the end */
vn_array *vn__narrow(vn_array *x, const vn__infer *i);

#endif
