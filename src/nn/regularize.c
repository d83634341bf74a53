/* SPDX-License-Identifier: Apache-2.0 */
/* regularize.c: regularizers and constraints of a module's variables. A module keeps those of its own variables; penalties of a network, and the step
 * back to what its constraints allow, walk over all its modules. vn_fit does both. */
#include "nn/module.h"
#include "nn/objects.h"
#include "core/memory.h"
#include "core/state.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

struct vn__rule {
    struct vn__rule *next;
    vn_regularizer penalty; /* kind 0: it is a constraint */
    vn_constraint bound;
    char chain[];
};

#define MADE(family, name, ...)                                                                                                           \
    double all[] = {__VA_ARGS__};                                                                                                         \
    if (!vn__take_numbers(&vn__family_##family, #name, (int)(sizeof all / sizeof *all), all)) return (vn_##family){.kind = VN__NOT_MADE}; \
    vn_##family z = {.kind = VN__##family##_##name};                                                                                      \
    memcpy(z.value, all, sizeof all);                                                                                                     \
    return z

vn_regularizer vn_regularizer_l1(double factor)
{
    MADE(regularizer, l1, factor);
}
vn_regularizer vn_regularizer_l2(double factor)
{
    MADE(regularizer, l2, factor);
}
vn_regularizer vn_regularizer_l1_l2(double l1, double l2)
{
    MADE(regularizer, l1_l2, l1, l2);
}
vn_regularizer vn_regularizer_orthogonal(double factor, int64_t columns)
{
    MADE(regularizer, orthogonal, factor, (double)columns);
}
vn_constraint vn_constraint_max_norm(double max_value, int64_t axis)
{
    MADE(constraint, max_norm, max_value, (double)axis);
}
vn_constraint vn_constraint_min_max_norm(double min_value, double max_value, double rate, int64_t axis)
{
    MADE(constraint, min_max_norm, min_value, max_value, rate, (double)axis);
}
vn_constraint vn_constraint_unit_norm(int64_t axis)
{
    MADE(constraint, unit_norm, (double)axis);
}
vn_constraint vn_constraint_non_negative(void)
{
    return (vn_constraint){.kind = VN__constraint_non_negative};
}
vn_constraint vn_constraint_spectral_norm(int64_t iterations)
{
    MADE(constraint, spectral_norm, (double)iterations);
}

/* ---- values ---- */

vn_array *vn_regularizer_value(const vn_regularizer *r, vn_array *w)
{
    static const char who[] = "regularizer_value";
    if (!r) return vn__fail(VN_E_NULL, "%s: r is NULL", who), NULL;
    if (vn__check_made(who, "the regularizer", r->kind)) return NULL;
    const double *v = r->value;
    switch (r->kind) {
    case VN__regularizer_l1: return vn_l1_l2_penalty(w, vn__given(v[0]), (double)VN_ZERO);
    case VN__regularizer_l2: return vn_l1_l2_penalty(w, (double)VN_ZERO, vn__given(v[0]));
    case VN__regularizer_l1_l2: return vn_l1_l2_penalty(w, vn__given(v[0]), vn__given(v[1]));
    case VN__regularizer_orthogonal: return vn_orthogonal_penalty(w, vn__given(v[0]), VN_OPTS(orthogonal_penalty, .columns = (int)v[1]));
    default: return vn__fail(VN_E_ARG, "%s: not a valid regularizer", who), NULL;
    }
}

static vn_array *bounded(vn_array *w, double min_value, double max_value, double rate, double axis)
{
    return vn_min_max_norm(
        w, VN_AXES((int64_t)axis),
        VN_OPTS(min_max_norm, .max_value = vn__given(max_value), .min_value = vn__given(min_value), .rate = vn__given(rate)));
}

/* The power method begins at a vector that is the same for all. */
static vn_array *normalised(vn_array *w, double iterations)
{
    const int rank = vn_rank(w);
    if (!w) return NULL;
    if (rank < 2) return vn__fail(VN_E_SHAPE, "constraint_spectral_norm: the variable has %d axes; two or more are needed", rank), NULL;
    vn_array *u = vn_add(vn_scalar(1), vn_cos(vn_arange(0, (double)vn_dim(w, -1), 1, VN_F64)));
    return vn_spectral_normalize(w, vn_to(vn_cast(u, vn_dtype_of(w)), vn_engine_of(w)), (int64_t)iterations, 1e-12, NULL);
}

vn_array *vn_constraint_value(const vn_constraint *c, vn_array *w)
{
    static const char who[] = "constraint_value";
    if (!c) return vn__fail(VN_E_NULL, "%s: c is NULL", who), NULL;
    if (vn__check_made(who, "the constraint", c->kind)) return NULL;
    const double *v = c->value;
    switch (c->kind) {
    case VN__constraint_max_norm: return bounded(w, 0, v[0], 1, v[1]);
    case VN__constraint_min_max_norm: return bounded(w, v[0], v[1], v[2], v[3]);
    case VN__constraint_unit_norm: return bounded(w, 1, 1, 1, v[0]);
    case VN__constraint_non_negative: return vn_relu(w);
    case VN__constraint_spectral_norm: return normalised(w, v[0]);
    default: return vn__fail(VN_E_ARG, "%s: not a valid constraint", who), NULL;
    }
}

/* ---- of a module ---- */

void vn__module_rules_free(vn__module *b)
{
    while (b->rules) {
        struct vn__rule *next = b->rules->next;
        vn__free(b->rules);
        b->rules = next;
    }
}

static int add_rule(vn_module *m, const char *chain, vn_regularizer r, vn_constraint c, const char *who)
{
    if (!vn__module_ok(m, who)) return vn_status();
    if (!chain || !*chain) return vn__fail(chain ? VN_E_ARG : VN_E_NULL, "%s: the name of a variable is needed", who);
    if (vn__check_made(who, "what is given", r.kind ? r.kind : c.kind)) return vn_status();
    if (!r.kind && !c.kind) return vn__fail(VN_E_ARG, "%s: nothing is given", who);
    if (vn_module_is_built(m)) {
        VN_SCOPE;
        vn_array *w = vn_module_var(m, chain);
        if (!w || (r.kind ? !vn_regularizer_value(&r, w) : !vn_constraint_value(&c, w))) return vn__fail_in(who);
    }
    struct vn__rule *rule = vn__calloc(sizeof *rule + strlen(chain) + 1), **last = &vn__module_of(m)->rules;
    if (!rule) return vn__no_memory(who);
    rule->penalty = r, rule->bound = c;
    strcpy(rule->chain, chain);
    while (*last) last = &(*last)->next;
    *last = rule;
    return VN_OK;
}
int vn_module_regularize(vn_module *m, const char *name, vn_regularizer r)
{
    return add_rule(m, name, r, (vn_constraint){0}, "module_regularize");
}
int vn_module_constrain(vn_module *m, const char *name, vn_constraint c)
{
    return add_rule(m, name, (vn_regularizer){0}, c, "module_constrain");
}

/* Calls fn with the rules of m and all modules below it: a variable's chain in m, and the rule. Returns a code. */
typedef struct {
    vn_module *root;
    int (*fn)(vn_module *root, const char *chain, const struct vn__rule *r, void *user);
    void *user;
} walk;
static int visit(vn_module *m, const char *path, void *user)
{
    const walk *w = user;
    for (const struct vn__rule *r = vn__module_of(m)->rules; r; r = r->next) {
        char chain[VN__KEY_CHAIN];
        if (snprintf(chain, sizeof chain, "%s%s%s", path, *path ? "/" : "", r->chain) >= (int)sizeof chain)
            return vn__fail(VN_E_STRUCT, "\"%.60s...\" is too long", chain);
        if (w->fn(w->root, chain, r, w->user)) return 1;
    }
    return 0;
}

static int count_rules(vn_module *root, const char *chain, const struct vn__rule *r, void *user)
{
    (void)root, (void)chain;
    ++((int *)user)[!r->penalty.kind];
    return 0;
}
int vn__module_rules(vn_module *m, int *penalties, int *bounds)
{
    int n[2] = {0, 0};
    walk w = {m, count_rules, n};
    const int code = vn_module_apply(m, visit, &w);
    *penalties = n[0], *bounds = n[1];
    return code ? (int)vn_status() : VN_OK;
}

static int add_penalty(vn_module *root, const char *chain, const struct vn__rule *r, void *user)
{
    vn_array **sum = user, *w = r->penalty.kind ? vn_module_var(root, chain) : NULL;
    if (!r->penalty.kind) return 0;
    vn_array *x = w ? vn_regularizer_value(&r->penalty, w) : NULL;
    *sum = x && *sum ? vn_add(*sum, vn_cast(x, vn_dtype_of(*sum))) : x;
    return *sum ? 0 : 1;
}
vn_array *vn_module_penalty(vn_module *m)
{
    static const char who[] = "module_penalty";
    if (!vn__module_ok(m, who)) return NULL;
    vn_array *sum = NULL;
    walk w = {m, add_penalty, &sum};
    if (vn_module_apply(m, visit, &w)) return vn__fail_in(who), NULL;
    return sum ? sum : vn_full(vn_scalar(0), VN_0D, VN_F32);
}

static int add_bound(vn_module *root, const char *chain, const struct vn__rule *r, void *user)
{
    if (r->penalty.kind) return 0;
    vn_tree *to = user;
    vn_array *w = vn_tree_has(to, chain) ? vn_tree_get(to, chain) : vn_module_var(root, chain);
    w = w ? vn_constraint_value(&r->bound, vn_stop_gradient(w)) : NULL;
    return w ? vn_tree_set(to, chain, w) : 1;
}
int vn_module_apply_constraints(vn_module *m)
{
    static const char who[] = "module_apply_constraints";
    if (!vn__module_ok(m, who)) return vn_status();
    VN_SCOPE;
    vn_tree *to = vn_tree_new(NULL), *v = to ? vn_module_v(m) : NULL;
    walk w = {m, add_bound, to};
    if (!v || vn_module_apply(m, visit, &w)) return vn__fail_in(who);
    const int n = vn_tree_leaves(to);
    vn_tree *live = n > 0 ? vn_tree_new(NULL) : NULL;
    if (n < 1) return n < 0 ? (int)vn_status() : VN_OK;
    for (int i = 0; i < n && live; i++) {
        char chain[VN__KEY_CHAIN];
        snprintf(chain, sizeof chain, "%s", vn_tree_leaf_key(to, i));
        if (vn_tree_set(live, chain, vn_tree_get(v, chain))) return vn_status();
    }
    return live ? vn__set_arrays(live, to, who) : (int)vn_status();
}

/* ---- by name ---- */

#define ROWS_regularizer
#define ROWS_constraint
#define MAKERS_regularizer
#define MAKERS_constraint
#include "objects_table.inc"

int vn_regularizer_parse(const char *text, vn_regularizer *to)
{
    static const char who[] = "regularizer_parse";
    if (!text || !to) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, text ? "to" : "text");
    return vn__object_of_text(who, &vn__makers_regularizer, text, to, NULL);
}
int vn_constraint_parse(const char *text, vn_constraint *to)
{
    static const char who[] = "constraint_parse";
    if (!text || !to) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, text ? "to" : "text");
    return vn__object_of_text(who, &vn__makers_constraint, text, to, NULL);
}
