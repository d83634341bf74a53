/* clip.c: global norm and gradient clipping. */
#include "nn/nn.h"
#include "ops/row.h"
#include "core/dtype.h"
#include <math.h>

/* Norms of the arrays in float64, then the norm of these; scaled by the largest to avoid overflow. */
vn_array *vn__norm_of(int n, vn_array *const *x)
{
    vn_array *top = NULL, *sum = NULL;
    for (int k = 0; k < n; k++) {
        vn_array *length = vn__length(x[k]);
        top = top ? vn_maximum(top, length) : length;
    }
    if (!top) return n ? NULL : vn_full(vn_scalar(0), VN_0D, VN_F64);
    vn_array *scale = vn_where(vn_logical_and(vn_isfinite(top), vn_greater(top, vn_scalar(0))), top, vn_scalar(1));
    for (int k = 0; k < n; k++) {
        vn_array *part = vn_square(vn_div(vn__length(x[k]), scale));
        sum = sum ? vn_add(sum, part) : part;
    }
    return vn_mul(scale, vn_sqrt(sum));
}

vn_array *vn__clip_factor(vn_array *norm, double most)
{
    return norm ? vn_where(vn_greater(norm, vn_scalar(most)), vn_div(vn_scalar(most), norm), vn_scalar(1)) : NULL;
}

static vn_array **leaves_of(const vn_tree *t, int *n, const char *who)
{
    *n = vn_tree_leaves(t);
    vn_array **x = *n < 0 ? NULL : vn__scope_memory(((size_t)*n + 1) * sizeof *x, who);
    for (int k = 0; x && k < *n; k++) {
        if (!(x[k] = vn_tree_leaf(t, k))) return NULL;
        if (vn__is(vn_dtype_of(x[k]), VN_FLOATS)) continue;
        vn__fail(VN_E_DTYPE, "%s: an array is %s; a float dtype is needed", who, vn_dtype_name(vn_dtype_of(x[k])));
        return NULL;
    }
    return x;
}

vn_array *vn_tree_norm(const vn_tree *t)
{
    if (!vn__check(t, VN__TREE, "tree_norm", "t")) return NULL;
    VN_SCOPE;
    int n;
    vn_array **x = leaves_of(t, &n, "tree_norm"), *z = x ? vn__norm_of(n, x) : NULL;
    return z ? vn_pass(z) : NULL;
}

static vn_array *scale_leaf(vn_array *x, void *factor)
{
    return vn_mul(x, vn_cast(factor, vn_dtype_of(x)));
}

vn_tree *vn_clip_by_norm(const vn_tree *t, double most, vn_array **norm)
{
    static const char who[] = "clip_by_norm";
    if (norm) *norm = NULL;
    if (!(most >= 0)) return vn__fail(VN_E_ARG, "%s: the length %g must not be negative", who, most), NULL;
    vn_array *before = vn_tree_norm(t), *factor = vn__clip_factor(before, most);
    vn_tree *z = factor ? vn_tree_map_arrays(t, scale_leaf, factor) : NULL;
    if (z && norm) *norm = before;
    return z;
}

static vn_array *cut_leaf(vn_array *x, void *most)
{
    return vn_clip(x, vn_scalar(-*(double *)most), vn_scalar(*(double *)most));
}

vn_tree *vn_clip_by_value(const vn_tree *t, double most)
{
    if (!(most >= 0)) return vn__fail(VN_E_ARG, "clip_by_value: the value %g must not be negative", most), NULL;
    return vn_tree_map_arrays(t, cut_leaf, &most);
}
