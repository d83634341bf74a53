/* SPDX-License-Identifier: Apache-2.0 */
/* tree_math.c: arithmetic on trees of arrays, for optimizers of one's own: sums, products, moments, averages (nn.h). Trees that meet have one
 * structure. */
#include "nn/nn.h"
#include "ops/row.h"
#include "core/dtype.h"
#include "tree/tree.h"
#include <math.h>

vn_tree *vn__with_leaves(const vn_tree *t, int n, vn_array *const *x)
{
    vn_tree *z = vn_tree_deep_copy(t);
    for (int k = 0; z && k < n; k++) {
        char chain[VN__KEY_CHAIN];
        snprintf(chain, sizeof chain, "%s", vn_tree_leaf_key(t, k));
        if (!x[k] || vn_tree_set(z, chain, x[k])) return NULL;
    }
    return z;
}

/* ---- two trees, leaf by leaf ---- */

typedef vn_array *pair_fn(vn_array *x, vn_array *y, const double *number);
typedef struct {
    pair_fn *fn;
    const double *number;
    const char *who;
} pairing;

static vn_value pair_leaf(const vn_value *in, int n, const char *chain, void *user)
{
    const pairing *p = user;
    if (n < 2 || in[0].kind != VN_V_ARRAY || in[1].kind != VN_V_ARRAY)
        return vn__fail(VN_E_STRUCT, "%s: \"%s\" is not an array in both trees", p->who, chain), vn_value_null();
    return vn_value_array(p->fn(in[0].u.array, in[1].u.array, p->number));
}

static vn_tree *paired(const char *who, const vn_tree *x, const vn_tree *y, pair_fn *fn, const double *number)
{
    if (!vn__check(x, VN__TREE, who, "x") || !vn__check(y, VN__TREE, who, "y")) return NULL;
    const vn_value in[] = {vn_value_tree((vn_tree *)(uintptr_t)x), vn_value_tree((vn_tree *)(uintptr_t)y)};
    pairing p = {fn, number, who};
    return vn_tree_multi_map(pair_leaf, 2, in, &p, VN_OPTS(tree_map, .assert_identical = 1));
}

static vn_array *add_scale(vn_array *x, vn_array *y, const double *by)
{
    return vn_add(x, vn__scaled(y, *by));
}
vn_tree *vn_tree_add_scale(const vn_tree *x, double by, const vn_tree *y)
{
    return paired("tree_add_scale", x, y, add_scale, &by);
}

static vn_array *cast_like(vn_array *x, vn_array *like, const double *unused)
{
    (void)unused;
    return vn_cast(x, vn_dtype_of(like));
}
vn_tree *vn_tree_cast_like(const vn_tree *x, const vn_tree *like)
{
    return paired("tree_cast_like", x, like, cast_like, NULL);
}

static vn_array *reshape_like(vn_array *x, vn_array *like, const double *unused)
{
    (void)unused;
    return vn_reshape(x, vn_shape_of(like));
}
vn_tree *vn_tree_reshape_like(const vn_tree *x, const vn_tree *like)
{
    return paired("tree_reshape_like", x, like, reshape_like, NULL);
}

/* number: how far x, the new one, counts */
static vn_array *mixed(vn_array *x, vn_array *y, const double *part)
{
    return vn_add(vn__scaled(x, *part), vn__scaled(y, 1 - *part));
}
vn_tree *vn_tree_incremental_update(const vn_tree *x, const vn_tree *old, double step)
{
    return paired("tree_incremental_update", x, old, mixed, &step);
}

vn_tree *vn_tree_periodic_update(const vn_tree *x, const vn_tree *old, int64_t steps, int64_t period)
{
    static const char who[] = "tree_periodic_update";
    if (period < 1 || steps < 0)
        return vn__fail(VN_E_ARG, "%s: step %lld of a period of %lld; 0 or more, and 1 or more, are needed", who, (long long)steps,
                        (long long)period),
               NULL;
    const double part = steps % period == 0;
    return part == 1 ? vn_tree_copy(x) : vn_tree_copy(old);
}

/* ---- moments: number has the decay, then the order or what is added ---- */

static vn_array *moment(vn_array *g, vn_array *t, const double *n)
{
    vn_array *power = n[1] == 1 ? g : n[1] == 2 ? vn_square(g) : vn_pow(g, vn_scalar(n[1]));
    return vn_add(vn__scaled(power, 1 - n[0]), vn__scaled(t, n[0]));
}
static vn_array *moment_of_sizes(vn_array *g, vn_array *t, const double *n)
{
    return moment(vn_abs(g), t, n);
}
static vn_array *infinity_moment(vn_array *g, vn_array *t, const double *n)
{
    return vn_maximum(vn_add(vn_abs(g), vn_scalar(n[1])), vn__scaled(t, n[0]));
}

static vn_tree *decayed(const char *who, const vn_tree *g, const vn_tree *m, double decay, double number, pair_fn *fn)
{
    if (!(decay >= 0 && decay <= 1)) return vn__fail(VN_E_ARG, "%s: the decay %g is not in [0, 1]", who, decay), NULL;
    return paired(who, g, m, fn, (const double[]){decay, number});
}

vn_tree *vn_tree_update_moment(const vn_tree *g, const vn_tree *m, double decay, double order)
{
    return decayed("tree_update_moment", g, m, decay, order, moment);
}
vn_tree *vn_tree_update_moment_per_elem_norm(const vn_tree *g, const vn_tree *m, double decay, double order)
{
    return decayed("tree_update_moment_per_elem_norm", g, m, decay, order, moment_of_sizes);
}
vn_tree *vn_tree_update_infinity_moment(const vn_tree *g, const vn_tree *m, double decay, double epsilon)
{
    return decayed("tree_update_infinity_moment", g, m, decay, epsilon, infinity_moment);
}

static vn_array *divided(vn_array *x, void *by)
{
    return vn_div(x, vn_scalar(*(double *)by));
}
vn_tree *vn_tree_bias_correction(const vn_tree *m, double decay, int64_t count)
{
    static const char who[] = "tree_bias_correction";
    double by = 1 - pow(decay, (double)count);
    if (!(decay >= 0 && decay < 1) || count < 1)
        return vn__fail(VN_E_ARG, "%s: a decay of %g after %lld steps; [0, 1) and 1 or more are needed", who, decay, (long long)count),
               NULL;
    return vn_tree_map_arrays(m, divided, &by);
}

/* ---- one number of a tree ---- */

typedef vn_array *join_fn(vn_array *x, vn_array *y);

/* The arrays of t, each as one number by `each`, put together by `join`, in the dtype they promote to. */
static vn_array *folded(const char *who, const vn_tree *t, vn_array *(*each)(vn_array *, vn_axes), join_fn *join)
{
    if (!vn__check(t, VN__TREE, who, "t")) return NULL;
    VN_SCOPE;
    vn_array *z = NULL;
    for (int k = 0; k < vn_tree_leaves(t); k++) {
        vn_array *x = vn_tree_leaf(t, k), *one = x ? each(x, VN_ALL) : NULL;
        if (!one) return NULL;
        z = z ? join(z, one) : one;
    }
    if (!z && !vn_status()) vn__fail(VN_E_STRUCT, "%s: the tree has no array", who);
    return z ? vn_pass(z) : NULL;
}

vn_array *vn_tree_sum(const vn_tree *t)
{
    return folded("tree_sum", t, vn_sum, vn_add);
}
vn_array *vn_tree_max(const vn_tree *t)
{
    return folded("tree_max", t, vn_max, vn_maximum);
}
vn_array *vn_tree_min(const vn_tree *t)
{
    return folded("tree_min", t, vn_min, vn_minimum);
}

static vn_array *products(vn_array *x, vn_array *y, const double *unused)
{
    (void)unused;
    return vn_mul(vn__conjugate(x), y);
}
vn_array *vn_tree_vdot(const vn_tree *x, const vn_tree *y)
{
    VN_SCOPE;
    vn_tree *all = paired("tree_vdot", x, y, products, NULL);
    vn_array *z = all ? vn_tree_sum(all) : NULL;
    return z ? vn_pass(z) : NULL;
}

int vn_tree_dtype(const vn_tree *t)
{
    static const char who[] = "tree_dtype";
    if (!vn__check(t, VN__TREE, who, "t")) return -1;
    const int n = vn_tree_leaves(t), first = n > 0 ? (int)vn_dtype_of(vn_tree_leaf(t, 0)) : -1;
    if (n < 1) return vn__fail(VN_E_STRUCT, "%s: the tree has no array", who), -1;
    for (int k = 1; k < n; k++) {
        const int d = vn_dtype_of(vn_tree_leaf(t, k));
        if (d != first)
            return vn__fail(VN_E_DTYPE, "%s: \"%s\" is %s, the first array %s", who, vn_tree_leaf_key(t, k), dtype_text(d),
                            dtype_text(first)),
                   -1;
    }
    return first;
}

/* ---- random numbers ---- */

/* A tree like t whose arrays `make` gets the keys for, one each. */
static vn_tree *keyed(const char *who, vn_array *key, const vn_tree *t, vn_array *(*make)(vn_array *key, vn_array *like))
{
    if (!vn__check(t, VN__TREE, who, "t")) return NULL;
    VN_SCOPE;
    const int n = vn_tree_leaves(t);
    vn_array *own = key == VN_NONE ? vn_random_key() : key, *keys = n > 0 ? vn_random_split(own, n) : NULL;
    vn_array **x = n < 0 || (n && !keys) ? NULL : vn__scope_memory(((size_t)n + 1) * sizeof *x, who);
    for (int k = 0; x && k < n; k++) x[k] = make(vn_reshape(vn__piece(keys, 0, k, 1), VN_SHAPE(2)), vn_tree_leaf(t, k));
    vn_tree *z = x ? vn__with_leaves(t, n, x) : NULL;
    return z ? vn_tree_pass(z) : NULL;
}

static vn_array *key_itself(vn_array *key, vn_array *like)
{
    (void)like;
    return key;
}
vn_tree *vn_tree_split_key_like(vn_array *key, const vn_tree *t)
{
    return keyed("tree_split_key_like", key, t, key_itself);
}

static vn_array *normal_like(vn_array *key, vn_array *like)
{
    vn_array *x = vn_normal(key, vn_scalar(0), vn_scalar(1), vn_shape_of(like), vn_dtype_of(like));
    return x ? vn_to(x, vn_engine_of(like)) : NULL;
}
vn_tree *vn_tree_random_like(vn_array *key, const vn_tree *t)
{
    return keyed("tree_random_like", key, t, normal_like);
}
