/* SPDX-License-Identifier: Apache-2.0 */
/* clip.c: global norm and gradient clipping, also of each example. */
#include "nn/nn.h"
#include "ops/row.h"
#include "core/dtype.h"
#include "core/options.h"
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

vn_array *vn__clip_factor(vn_array *norm, double max_norm)
{
    return norm ? vn_where(vn_greater(norm, vn_scalar(max_norm)), vn_div(vn_scalar(max_norm), norm), vn_scalar(1)) : NULL;
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

/* The difference that is added is 0; only its derivative counts. */
vn_array *vn_scale_gradient(vn_array *x, double by)
{
    if (!isfinite(by)) return vn__fail(VN_E_ARG, "scale_gradient: a factor of %g", by), NULL;
    vn_array *scaled = vn__scaled(vn_where(vn_isfinite(x), x, vn_scalar(0)), by);
    return vn_add(vn_stop_gradient(x), vn_sub(scaled, vn_stop_gradient(scaled)));
}

static vn_array *scale_leaf(vn_array *x, void *factor)
{
    return vn_mul(x, vn_cast(factor, vn_dtype_of(x)));
}

vn_tree *vn_clip_by_norm(const vn_tree *t, double max_norm, vn_array **norm)
{
    static const char who[] = "clip_by_norm";
    if (norm) *norm = NULL;
    if (!(max_norm >= 0)) return vn__fail(VN_E_ARG, "%s: the length %g must not be negative", who, max_norm), NULL;
    vn_array *before = vn_tree_norm(t), *factor = vn__clip_factor(before, max_norm);
    vn_tree *z = factor ? vn_tree_map_arrays(t, scale_leaf, factor) : NULL;
    if (z && norm) *norm = before;
    return z;
}

static vn_array *cut_leaf(vn_array *x, void *max_value)
{
    return vn_clip(x, vn_scalar(-*(double *)max_value), vn_scalar(*(double *)max_value));
}

vn_tree *vn_clip_by_value(const vn_tree *t, double max_value)
{
    if (!(max_value >= 0)) return vn__fail(VN_E_ARG, "clip_by_value: the value %g must not be negative", max_value), NULL;
    return vn_tree_map_arrays(t, cut_leaf, &max_value);
}

/* ---- gradients of each example, with the examples as first axis ---- */

/* The number of examples of all arrays; -1, with the error set, if they differ. */
static int64_t examples_of(int n, vn_array *const *x, const char *who)
{
    int64_t rows = -1;
    for (int k = 0; k < n; k++) {
        const vn_shape s = vn_shape_of(x[k]);
        if (s.rank < 1 || (rows >= 0 && s.dim[0] != rows))
            return vn__fail(VN_E_SHAPE, "%s: every array needs a first axis of as many examples", who), -1;
        rows = s.dim[0];
    }
    return rows;
}

/* The squared length of each example. */
static vn_array *example_squares(vn_array *x)
{
    const vn_shape s = vn_shape_of(x);
    vn_axes rest = {.n = s.rank - 1};
    for (int k = 1; k < s.rank; k++) rest.axis[k - 1] = k;
    vn_array *squares = vn_square(vn_cast(x, VN_F64));
    return rest.n ? vn_sum(squares, rest) : squares;
}

/* The factor that scales each example down to `max_norm`, from its squared length. */
static vn_array *example_factors(vn_array *squares, double max_norm)
{
    vn_array *length = vn_sqrt(squares), *one = vn_ones_like(length);
    return vn_where(vn_greater(length, vn_scalar(max_norm)), vn_div(vn_scalar(max_norm), vn_maximum(length, vn_scalar(max_norm))), one);
}

static vn_array *clipped_sum(vn_array *x, vn_array *factors)
{
    vn_shape s = vn_shape_of(x);
    for (int k = 1; k < s.rank; k++) s.dim[k] = 1;
    return vn_sum(vn_mul(x, vn_reshape(vn_cast(factors, vn_dtype_of(x)), s)), VN_AXES(0));
}

vn_tree *vn_clip_per_example(const vn_tree *t, double max_norm, const vn_clip_per_example_opts *opts)
{
    static const char who[] = "clip_per_example";
    vn_clip_per_example_opts o = {0};
    if (vn__take(&o, sizeof o, opts, who) || VN__FLAGS(who, VN__FLAG(o, by_layer), VN__FLAG(o, by_size))) return NULL;
    if (!vn__check(t, VN__TREE, who, "t")) return NULL;
    if (o.by_size && !o.by_layer) return vn__fail(VN_E_ARG, "%s: by_size divides the length among layers, which needs by_layer", who), NULL;
    if (!(max_norm > 0 && isfinite(max_norm))) return vn__fail(VN_E_ARG, "%s: the length %g must be above 0", who, max_norm), NULL;
    VN_SCOPE;
    int n;
    vn_array **x = leaves_of(t, &n, who), *squares = NULL;
    const int64_t rows = x ? examples_of(n, x, who) : -1;
    double numbers = 0;
    if (!x || (n && rows < 0)) return NULL;
    for (int k = 0; k < n; k++) {
        vn_array *own = example_squares(x[k]);
        squares = squares ? vn_add(squares, own) : own;
        numbers += (double)vn_size(x[k]);
    }
    vn_array *factors = squares ? example_factors(squares, max_norm) : NULL;
    for (int k = 0; k < n; k++) {
        const double part = o.by_size ? (double)vn_size(x[k]) / numbers : 1. / n;
        x[k] = clipped_sum(x[k], o.by_layer ? example_factors(example_squares(x[k]), max_norm * sqrt(part)) : factors);
    }
    vn_tree *z = vn__with_leaves(t, n, x);
    return z ? vn_tree_pass(z) : NULL;
}

vn_tree *vn_private_gradients(const vn_tree *t, vn_array *key, double max_norm, double noise)
{
    static const char who[] = "private_gradients";
    if (!vn__check(t, VN__TREE, who, "t") || (key != vn_none() && !vn__check(key, VN__ARRAY, who, "key"))) return NULL;
    if (!(noise >= 0 && isfinite(noise))) return vn__fail(VN_E_ARG, "%s: the noise %g must not be negative", who, noise), NULL;
    VN_SCOPE;
    int n;
    vn_array **x = leaves_of(t, &n, who);
    const int64_t rows = x ? examples_of(n, x, who) : -1;
    if (!x || (n && rows < 1)) return n && x && rows == 0 ? (vn__fail(VN_E_SHAPE, "%s: there are no examples", who), NULL) : NULL;
    vn_tree *sum = vn_clip_per_example(t, max_norm, NULL);
    if (!sum) return NULL;
    if (key == vn_none() && !(key = vn__next_key(who))) return NULL;
    for (int k = 0; k < n; k++) {
        vn_array *g = vn_tree_leaf(sum, k), *number = vn_from_host(&(int64_t){k}, VN_I64, VN_0D);
        vn_array *normal =
            g ? vn_normal(vn_random_fold(key, number), vn_scalar(0), vn_scalar(max_norm * noise), vn_shape_of(g), vn_dtype_of(g)) : NULL;
        x[k] = normal ? vn__scaled(vn_add(g, vn_to(normal, vn_engine_of(g))), 1 / (double)rows) : NULL;
    }
    vn_tree *z = vn__with_leaves(sum, n, x);
    return z ? vn_tree_pass(z) : NULL;
}
