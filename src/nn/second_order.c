/* SPDX-License-Identifier: Apache-2.0 */
/* second_order.c: products with the Hessian of a loss, its diagonal, the diagonal of the Fisher information, and steps of meta-learning:
 * gradients of losses that hold gradients (nn.h). */
#include "nn/nn.h"
#include "core/options.h"
#include "grad/grad.h"
#include "ops/row.h"
#include "tree/tree.h"
#include <math.h>

/* A tree of variables with the values of p, and its arrays in their order. */
typedef struct {
    vn_tree *tree;
    int n;
    vn_array **leaf;
} variables;

static bool variables_of(const vn_tree *p, const char *who, variables *v)
{
    if (!vn__check(p, VN__TREE, who, "p")) return false;
    v->n = vn_tree_leaves(p);
    v->leaf = v->n < 0 ? NULL : vn__scope_memory(((size_t)v->n + 1) * sizeof *v->leaf, who);
    for (int k = 0; v->leaf && k < v->n; k++)
        if (!(v->leaf[k] = vn_variable(vn_tree_leaf(p, k)))) return false;
    v->tree = v->leaf ? vn__with_leaves(p, v->n, v->leaf) : NULL;
    return v->tree != NULL;
}

/* Gradients that stay differentiable; NULL: the error is set. */
static vn_array **gradients(vn_array *loss, int n, vn_array *const *by, int retain, const char *who)
{
    vn_array **g = loss ? vn__scope_memory(((size_t)n + 1) * sizeof *g, who) : NULL;
    return g && !vn_grads(loss, n, by, VN_OPTS(grad, .retain = retain), g) ? g : NULL;
}

/* ---- Hessians ---- */

/* The gradient of the product of gradient and v. */
static vn_array **hessian_times(vn_loss_fn fn, const variables *p, void *data, vn_array *const *v, const char *who)
{
    vn_array **g = gradients(fn(p->tree, data), p->n, p->leaf, 1, who), *product = NULL;
    for (int k = 0; g && k < p->n; k++) product = vn__plus(product, vn_sum(vn_mul(g[k], v[k]), VN_ALL));
    return product ? gradients(product, p->n, p->leaf, 0, who) : NULL;
}

vn_tree *vn_hvp(vn_loss_fn fn, const vn_tree *p, void *data, const vn_tree *v)
{
    static const char who[] = "hvp";
    variables x;
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    if (!vn__check(v, VN__TREE, who, "v")) return NULL;
    VN_SCOPE;
    if (!variables_of(p, who, &x) || vn_tree_assert_identical_structure(2, (const vn_tree *[]){p, v}, NULL)) return NULL;
    vn_array **by = vn__scope_memory(((size_t)x.n + 1) * sizeof *by, who);
    for (int k = 0; by && k < x.n; k++) by[k] = vn_tree_leaf(v, k);
    vn_array **h = by ? hessian_times(fn, &x, data, by, who) : NULL;
    vn_tree *z = h ? vn__with_leaves(p, x.n, h) : NULL;
    return z ? vn_tree_pass(z) : NULL;
}

/* One product for each parameter: element e of a unit vector's product is on the diagonal. */
vn_tree *vn_hessian_diag(vn_loss_fn fn, const vn_tree *p, void *data)
{
    static const char who[] = "hessian_diag";
    variables x;
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    VN_SCOPE;
    if (!variables_of(p, who, &x)) return NULL;
    vn_array **g = gradients(fn(x.tree, data), x.n, x.leaf, 1, who);
    vn_array **diagonal = g ? vn__scope_memory(((size_t)x.n + 1) * sizeof *diagonal, who) : NULL;
    for (int k = 0; diagonal && k < x.n; k++) {
        const int64_t n = vn_size(x.leaf[k]);
        vn_array *flat = vn_reshape(g[k], VN_SHAPE(n)), **of = vn__scope_memory(((size_t)n + 1) * sizeof *of, who);
        for (int64_t e = 0; of && e < n; e++) {
            vn_array **row = gradients(vn_reshape(vn__piece(flat, 0, e, 1), VN_0D), 1, &x.leaf[k], 0, who);
            of[e] = row ? vn__piece(vn_reshape(row[0], VN_SHAPE(n)), 0, e, 1) : NULL;
            if (!of[e]) return NULL;
        }
        if (!of) return NULL;
        diagonal[k] = n ? vn_reshape(vn_concat((int)n, of, 0), vn_shape_of(x.leaf[k])) : vn_zeros_like(x.leaf[k]);
    }
    vn_tree *z = diagonal ? vn__with_leaves(p, x.n, diagonal) : NULL;
    return z ? vn_tree_pass(z) : NULL;
}

vn_tree *vn_fisher_diag(vn_loss_fn fn, const vn_tree *p, void *data)
{
    VN_SCOPE;
    vn_tree *g = NULL;
    if (!vn__value_and_grad(fn, p, data, &g, "fisher_diag", false) || !g) return NULL;
    const int n = vn_tree_leaves(g);
    vn_array **squares = vn__scope_memory(((size_t)n + 1) * sizeof *squares, "fisher_diag");
    for (int k = 0; squares && k < n; k++) squares[k] = vn_square(vn_tree_leaf(g, k));
    vn_tree *z = squares ? vn__with_leaves(g, n, squares) : NULL;
    return z ? vn_tree_pass(z) : NULL;
}

/* One random sign for each number; the Hessian's product with them, times them, has the diagonal as its mean. */
vn_tree *vn_hutchinson_diag(vn_loss_fn fn, const vn_tree *p, void *data, vn_array *key)
{
    static const char who[] = "hutchinson_diag";
    variables x;
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    VN_SCOPE;
    if (!variables_of(p, who, &x)) return NULL;
    vn_tree *noise = vn_tree_random_like(key, p);
    vn_array **sign = noise ? vn__scope_memory(((size_t)x.n + 1) * sizeof *sign, who) : NULL;
    for (int k = 0; sign && k < x.n; k++) {
        vn_array *r = vn_tree_leaf(noise, k);
        sign[k] = vn_where(vn_less(r, vn_scalar(0)), vn__scaled(vn_ones_like(r), -1), vn_ones_like(r));
    }
    vn_array **h = sign ? hessian_times(fn, &x, data, sign, who) : NULL;
    for (int k = 0; h && k < x.n; k++) h[k] = vn_mul(h[k], sign[k]);
    vn_tree *z = h ? vn__with_leaves(p, x.n, h) : NULL;
    return z ? vn_tree_pass(z) : NULL;
}

/* ---- meta-learning ---- */

typedef enum { MAML, FIRST_ORDER, REPTILE } method;

/* The parameters of one task after the inner steps: functions of the start for MAML, variables of their own otherwise. */
static bool adapted(vn_task_fn fn, const vn_tree *p, const variables *start, int64_t task, void *user, const vn_meta_opts *o, method by,
                    variables *to)
{
    static const char who[] = "meta_step";
    *to = *start;
    for (int64_t step = 0; step < o->steps; step++) {
        vn_array **g = gradients(fn(to->tree, task, 0, user), to->n, to->leaf, by == MAML, who);
        vn_array **moved = g ? vn__scope_memory(((size_t)to->n + 1) * sizeof *moved, who) : NULL;
        for (int k = 0; moved && k < to->n; k++) {
            moved[k] = vn_sub(to->leaf[k], vn__scaled(g[k], o->lr));
            if (by != MAML) moved[k] = vn_variable(moved[k]);
        }
        to->leaf = moved;
        to->tree = moved ? vn__with_leaves(p, to->n, moved) : NULL;
        if (!to->tree) return false;
    }
    return true;
}

static vn_array *meta_step(const char *who, vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, method by,
                           vn_tree **grads)
{
    vn_meta_opts o = {0};
    variables start, end;
    if (grads) *grads = NULL;
    if (vn__take(&o, sizeof o, opts, "meta")) return NULL;
    if (!fn || !grads) return vn__fail(VN_E_NULL, "%s: fn or grads is NULL", who), NULL;
    if (o.steps == 0) o.steps = 1;
    if (o.steps == VN_ZERO) o.steps = 0;
    if (o.lr == 0) o.lr = .01;
    if (o.lr == (double)VN_ZERO) o.lr = 0;
    if (tasks < 1 || o.steps < 1 || !(o.lr > 0 && isfinite(o.lr)))
        return vn__fail(VN_E_ARG, "%s: %lld tasks, %lld steps at a rate of %g; numbers above 0 are needed", who, (long long)tasks,
                        (long long)o.steps, o.lr),
               NULL;
    VN_SCOPE;
    if (!variables_of(p, who, &start)) return NULL;
    vn_array *total = NULL, **sum = vn__scope_memory(((size_t)start.n + 1) * sizeof *sum, who);
    for (int k = 0; sum && k < start.n; k++) sum[k] = NULL;
    for (int64_t task = 0; sum && task < tasks; task++) {
        if (!adapted(fn, p, &start, task, user, &o, by, &end)) return NULL;
        vn_array *loss = fn(end.tree, task, 1, user);
        vn_array **g = by == REPTILE ? end.leaf : gradients(loss, start.n, by == MAML ? start.leaf : end.leaf, 0, who);
        if (!loss || !g) return NULL;
        total = vn__plus(total, loss);
        for (int k = 0; k < start.n; k++)
            sum[k] = vn__plus(sum[k], by == REPTILE ? vn__scaled(vn_sub(start.leaf[k], end.leaf[k]), 1 / o.lr) : g[k]);
    }
    for (int k = 0; sum && k < start.n; k++) sum[k] = vn_stop_gradient(vn__scaled(sum[k], 1 / (double)tasks));
    vn_tree *z = sum ? vn__with_leaves(p, start.n, sum) : NULL;
    vn_array *mean = total ? vn_stop_gradient(vn__scaled(total, 1 / (double)tasks)) : NULL;
    if (!z || !mean) return NULL;
    *grads = vn_tree_pass(z);
    return vn_pass(mean);
}

vn_array *vn_maml_step(vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, vn_tree **grads)
{
    return meta_step("maml_step", fn, p, tasks, user, opts, MAML, grads);
}
vn_array *vn_fomaml_step(vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, vn_tree **grads)
{
    return meta_step("fomaml_step", fn, p, tasks, user, opts, FIRST_ORDER, grads);
}
vn_array *vn_reptile_step(vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, vn_tree **grads)
{
    return meta_step("reptile_step", fn, p, tasks, user, opts, REPTILE, grads);
}
