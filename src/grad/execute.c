/* SPDX-License-Identifier: Apache-2.0 */
/* execute.c: vn_execute_with_gradients: a function from tree to tree, its results and their gradients. */
#include "core/memory.h"
#include "core/object.h"
#include "core/text.h"
#include "core/state.h"
#include "program/node.h"
#include "core/callback.h"
#include "grad/grad.h"
#include "tree/tree.h"

static const char who[] = "execute_with_gradients";

/* Is `key` at or below one of the paths? True if there is no list. */
static bool selected(const char *key, const char *const *paths)
{
    if (!paths) return true;
    for (; *paths; paths++) {
        size_t n = strlen(*paths);
        if (!strncmp(key, *paths, n) && (!key[n] || key[n] == '/' || !n)) return true;
    }
    return false;
}

typedef struct {
    int n;
    vn_array **given; /* handles of xs, in the order of its leaves */
    vn_array **used;  /* what fn gets: a variable, or the array itself */
    bool *wanted;
} inputs;

static void free_inputs(inputs *in)
{
    vn__free(in->given), vn__free(in->used), vn__free(in->wanted);
}

/* Creates one variable per selected handle, however often it occurs. */
static vn_tree *make_inputs(const vn_tree *xs, const char *const *paths, inputs *in)
{
    size_t n = (size_t)(in->n = vn_tree_leaves(xs));
    in->given = vn__calloc(n * sizeof *in->given), in->used = vn__calloc(n * sizeof *in->used),
    in->wanted = vn__calloc(n * sizeof *in->wanted);
    if (!in->given || !in->used || !in->wanted) return vn__no_memory(who), NULL;
    vn_tree *t = vn_tree_new(NULL);
    for (int i = 0; i < in->n && t; i++) {
        vn_array *x = in->given[i] = vn_tree_leaf(xs, i);
        const char *key = vn_tree_leaf_key(xs, i);
        if (!x || !key) return NULL;
        in->wanted[i] = selected(key, paths);
        for (int k = 0; k < i && !in->used[i]; k++) {
            if (in->given[k] == x && in->wanted[k] && in->wanted[i]) in->used[i] = in->used[k];
        }
        if (!in->used[i]) in->used[i] = in->wanted[i] ? vn_variable(vn_stop_gradient(x)) : x;
        key = vn_tree_leaf_key(xs, i); /* calls in between may have reused its buffer */
        if (!key || vn_tree_set(t, key, in->used[i])) return NULL;
    }
    return t;
}

static vn_tree *call(vn_tree_fn fn, const vn_tree *xs, void *user)
{
    vn__call c;
    return vn__call_begin(&c, 1, &xs) ? (vn_tree *)vn__call_result(&c, fn(xs, user), VN__TREE, who) : NULL;
}

/* Replaces non-finite elements with 0 and counts them. */
static vn_array *finite(vn_array *g, vn_array **replaced)
{
    vn_array *good = vn_isfinite(g), *bad = vn_sum(vn_logical_not(good), VN_ALL);
    *replaced = *replaced ? vn_add(*replaced, bad) : bad;
    return *replaced ? vn_where(good, g, vn_scalar(0)) : NULL;
}

/* The gradients of one result, as a tree with the structure of xs. */
static vn_tree *gradients_of(vn_array *y, const vn_tree *xs, const inputs *in, const vn_execute_opts *o, vn_array **replaced)
{
    vn__node **wrt = vn__calloc((size_t)in->n * sizeof *wrt);
    vn_array **g = vn__calloc((size_t)in->n * sizeof *g);
    int n = 0, code = wrt && g ? VN_OK : vn__no_memory(who);
    for (int i = 0; i < in->n && !code; i++) {
        if (in->wanted[i]) wrt[n++] = vn__node_of(in->used[i]);
    }
    if (!code) code = vn__gradients(vn__node_of(y), n, wrt, g, o->retain != 0, who);
    vn_tree *t = code ? NULL : vn_tree_new(NULL);
    for (int i = 0, k = 0; i < in->n && t; i++) {
        if (!in->wanted[i]) continue;
        vn_array *one = g[k++], *first = NULL;
        for (int j = 0, m = 0; j < i && !first; j++) { /* a shared leaf: the same gradient, counted once */
            if (in->wanted[j] && in->used[j] == in->used[i]) first = g[m];
            m += in->wanted[j];
        }
        one = first ? first : o->keep_nonfinite ? one : finite(one, replaced);
        g[k - 1] = one;
        const char *key = one ? vn_tree_leaf_key(xs, i) : NULL;
        if (!key || vn_tree_set(t, key, one)) t = NULL;
    }
    vn__free(wrt);
    vn__free(g);
    return t;
}

/* "a/b" to "a_b" */
static bool joined(const char *key, char *to, size_t capacity)
{
    size_t n = strlen(key);
    if (n >= capacity) return vn__fail(VN_E_ARG, "%s: a result's path is longer than %zu bytes", who, capacity - 1), false;
    for (size_t k = 0; k <= n; k++) to[k] = key[k] == '/' ? '_' : key[k];
    return true;
}

static int check_scalar(vn_array *y, const char *key)
{
    vn_shape s = vn_shape_of(y);
    char text[128];
    if (vn_size(y) == 1) return VN_OK;
    return vn__fail(VN_E_NOT_SCALAR, "%s: result \"%s\" has shape %s; a single number is needed (vn_jac_of takes others)", who, key,
                    vn__shape_text(s.rank, s.dim, text));
}

/* All gradients: of one result, or a tree of them. */
static vn_tree *differentiate(const vn_tree *ys, const vn_tree *xs, const inputs *in, const vn_execute_opts *o, vn_array **replaced)
{
    int n = vn_tree_leaves(ys);
    vn_tree *all = n == 1 && !o->results ? NULL : vn_tree_new(NULL);
    for (int i = 0; i < n; i++) {
        char key[1024];
        vn_array *y = vn_tree_leaf(ys, i);
        const char *path = vn_tree_leaf_key(ys, i);
        if (!y || !path) return NULL;
        if (!selected(path, o->results)) continue;
        if (check_scalar(y, path) || !joined(path, key, sizeof key)) return NULL;
        vn_tree *g = gradients_of(y, xs, in, o, replaced);
        if (!all || !g) return g;
        if (vn_tree_set_tree(all, key, g)) return NULL;
    }
    return all;
}

static vn_array *detached(vn_array *x, void *unused)
{
    (void)unused;
    return vn_stop_gradient(x);
}

vn_tree *vn_execute_with_gradients(vn_tree_fn fn, const vn_tree *xs, void *user, const vn_execute_opts *opts, vn_tree **gradients,
                                   vn_array **replaced)
{
    vn_execute_opts o = {.size = sizeof o};
    if (gradients) *gradients = NULL;
    if (replaced) *replaced = NULL;
    if (vn__take(&o, sizeof o, opts, "execute") || VN__FLAGS("execute", VN__FLAG(o, retain), VN__FLAG(o, keep_nonfinite))) return NULL;
    if (!fn || !gradients) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, fn ? "gradients" : "fn"), NULL;
    if (!vn__check(xs, VN__TREE, who, "xs")) return NULL;
    VN_SCOPE;
    inputs in = {0};
    vn_array *count = NULL;
    vn_tree *ys = NULL, *g = NULL;
    if (vn_set_with_grads(1)) return NULL;
    vn_tree *vars = make_inputs(xs, o.inputs, &in);
    if (vars) ys = call(fn, vars, user);
    if (ys) g = differentiate(ys, xs, &in, &o, &count);
    vn_unset_with_grads();
    free_inputs(&in);
    if (g && !o.retain) ys = vn__tree_map(ys, detached, NULL);
    if (g && replaced && !count) count = vn_zeros(VN_0D, VN_I64);
    if (!g || !ys || (replaced && !count)) return NULL;
    if (replaced) *replaced = vn_pass(count);
    *gradients = vn_tree_pass(g);
    return vn_tree_pass(ys);
}
