/* SPDX-License-Identifier: Apache-2.0 */
/* module_build.c: a module's variables: those of its sub-modules (found) and its own (created), each array once, or those given by
 * the caller. v never changes its handle; when a sub-module is built later, v is collected again and changed in place. */
#include "nn/module.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include "core/callback.h"
#include <string.h>

/* ---- the class's callbacks ---- */

/* Calls `build`. If it fails, what it added is removed, so that it can be called again. */
static int run_build(vn__module *b, const vn_tree *args, const char *who)
{
    b->begun = true;
    if (!b->class->build) return b->built = true, VN_OK;
    const void *const given[] = {b->handle, args};
    vn__call c;
    if (!vn__call_begin(&c, 2, given)) return vn_status();
    char where[256];
    snprintf(where, sizeof where, "%s: %s: build", who, b->class->name);
    int n = b->n, returned = b->class->build(b->handle, args), code = vn__call_check(&c, where);
    if (!code && returned && returned != VN_BUILD_PARTIAL) code = vn__fail(VN_E_CALLBACK, "%s returned %d", where, returned);
    else if (!code) code = returned;
    vn__call_end(&c);
    b->built = !code;
    if (!code || code == VN_BUILD_PARTIAL) return VN_OK;
    vn__module_cut(b, n);
    return code;
}

static int run_create(vn__module *b, vn_dtype dtype, const char *who)
{
    if (b->own || !b->class->create_variables) return VN_OK;
    vn__call c;
    if (!vn__call_begin(&c, 1, &b->handle)) return vn_status();
    char where[256];
    snprintf(where, sizeof where, "%s: %s: create_variables", who, b->class->name);
    vn_tree *t = (vn_tree *)vn__call_result(&c, b->class->create_variables(b->handle, dtype), VN__TREE, where);
    if (!t) return vn_status();
    vn__tree_replace(&b->own, t);
    return VN_OK;
}

/* ---- found and created ---- */

/* The trees of sub-modules at their chains, with the same handles. */
static int add_found(const vn__module *b, vn_tree *all, const char *who)
{
    for (int i = 0; i < b->n; i++) {
        const vn__attribute *a = &b->attributes[i];
        vn__module *child = vn__module_of(a->child);
        int code = a->chain && child->stale ? vn__module_ensure(child, NULL, NULL, who) : VN_OK;
        if (!code && a->chain && child->v && vn_tree_leaves(child->v) > 0) code = vn_tree_set_tree(all, a->chain, child->v);
        if (code) return code;
    }
    return VN_OK;
}

static int add_created(const vn__module *b, vn_tree *all, const char *who)
{
    int n = 0;
    const char *const *keys = b->own ? vn_tree_keys(b->own, &n) : NULL;
    if (b->own && !keys) return vn_status();
    for (int i = 0; i < n; i++) {
        if (vn_tree_has(all, keys[i]))
            return vn__fail(VN_E_STRUCT, "%s: %s: \"%s\" is a sub-module and a variable of its own", who, b->class->name, keys[i]);
        vn_value v = vn_tree_value(b->own, keys[i]);
        int code = vn__none(v) ? (int)vn_status() : vn_tree_set_value(all, keys[i], v);
        if (code) return code;
    }
    return VN_OK;
}

/* ---- shared arrays ---- */

void vn__module_twins_free(vn__module *b)
{
    for (int i = 0; i < b->n_twins; i++) vn__free(b->twins[i].pruned), vn__free(b->twins[i].kept);
    vn__free(b->twins);
    b->twins = NULL;
    b->n_twins = 0;
}

/* An occurrence of an array: a leaf of a tree at `top`. */
typedef struct {
    const char *top, *chain;
    vn_array *x;
} spot;

static int spots_of(const vn_tree *t, const char *top, spot **list, int *n)
{
    int more = 0;
    const vn_tree_item *items = vn_tree_iterate(t, VN_OPTS(tree_iterate, .arrays_only = 1), &more);
    spot *grown = items ? vn__grow(*list, (size_t)*n * sizeof **list, ((size_t)*n + (size_t)more + 1) * sizeof **list) : NULL;
    if (!grown) return items ? vn__no_memory("module") : (int)vn_status();
    *list = grown;
    for (int i = 0; i < more; i++) grown[(*n)++] = (spot){top, items[i].chain, items[i].value.u.array};
    return VN_OK;
}

static char *full_chain(const spot *s)
{
    vn__text t = {0};
    vn__print(&t, "%s%s%s", s->top, *s->top ? "/" : "", s->chain);
    if (!t.failed) return t.text;
    vn__free(t.text);
    return NULL;
}

/* Records every occurrence of an array but the first. */
static int note_twins(vn__module *b, const spot *list, int n)
{
    vn__module_twins_free(b);
    if (n && !(b->twins = vn__calloc((size_t)n * sizeof *b->twins))) return vn__no_memory("module");
    for (int i = 0; i < n; i++) {
        int first = 0;
        while (list[first].x != list[i].x) first++;
        if (first == i) continue;
        vn__twin *t = &b->twins[b->n_twins++];
        t->pruned = full_chain(&list[i]);
        t->kept = full_chain(&list[first]);
        if (!t->pruned || !t->kept) return vn__no_memory("module");
    }
    return VN_OK;
}

/* Created variables come first: an array that they name is kept there. */
static int find_twins(vn__module *b)
{
    spot *list = NULL;
    int n = 0, code = b->own ? spots_of(b->own, "", &list, &n) : VN_OK;
    for (int i = 0; i < b->n && !code; i++) {
        const vn__attribute *a = &b->attributes[i];
        const vn_tree *v = vn__module_of(a->child)->v;
        if (a->chain && v) code = spots_of(v, a->chain, &list, &n);
    }
    if (!code) code = note_twins(b, list, n);
    vn__free(list);
    return code;
}

static vn_tree *without_twins(const vn__module *b, vn_tree *all)
{
    if (!b->n_twins) return all;
    const char **chains = vn__scope_memory(((size_t)b->n_twins + 1) * sizeof *chains, "module");
    if (!chains) return NULL;
    for (int i = 0; i < b->n_twins; i++) chains[i] = b->twins[i].pruned;
    chains[b->n_twins] = NULL;
    return vn_tree_prune_key_chains(all, chains);
}

/* ---- variables that were given ---- */

static bool unbuilt_below(const vn__module *b)
{
    for (int i = 0; i < b->n; i++) {
        const vn__module *child = vn__module_of(b->attributes[i].child);
        if (b->attributes[i].chain && (!child->built || unbuilt_below(child))) return true;
    }
    return false;
}

/* Prefixes the error with the module that refused v. */
static int wrong_v(const vn__module *b, const char *who)
{
    char where[300];
    snprintf(where, sizeof where, "%s: %s cannot take this v", who, b->class->name);
    return vn__fail_in(where);
}

/* Does v have the names and shapes of all variables? */
static bool like(const vn__module *b, const vn_tree *all, const vn_tree *v, const char *who)
{
    if (!vn_tree_assert_identical_structure(2, (const vn_tree *[]){all, v}, VN_OPTS(tree_identical, .no_types = 1))) return true;
    wrong_v(b, who);
    return false;
}

static const char *kept_chain(const vn__module *b, const char *chain)
{
    for (int i = 0; i < b->n_twins; i++) {
        if (!strcmp(b->twins[i].pruned, chain)) return b->twins[i].kept;
    }
    return chain;
}

/* `all` with the leaves of the given tree, whose chains and shapes must match. */
static vn_tree *with_part(const vn__module *b, vn_tree *all, const char *who)
{
    int n = 0;
    const vn_tree_item *items = vn_tree_iterate(b->o.v, NULL, &n);
    vn_tree *t = items ? vn_tree_copy(all) : NULL;
    for (int i = 0; i < n && t; i++) {
        if (vn_tree_set_value(t, kept_chain(b, items[i].chain), items[i].value)) return wrong_v(b, who), NULL;
    }
    return t && like(b, all, t, who) ? t : NULL;
}

/* The module's variables, given the full set it would create. */
static vn_tree *decide(const vn__module *b, vn_tree *all, const char *who)
{
    vn_tree *given = b->o.v;
    if (!given) return all;
    if (unbuilt_below(b)) return b->o.with_partial_v ? all : given; /* checked when the rest is built */
    if (b->o.with_partial_v) return with_part(b, all, who);
    return like(b, all, given, who) ? given : NULL;
}

/* Sub-modules take their parts of the given variables. */
static int hand_down(vn__module *b)
{
    for (int i = 0; i < b->n; i++) {
        const vn__attribute *a = &b->attributes[i];
        vn__module *child = vn__module_of(a->child);
        if (!a->chain || a->again || child->parent != b) continue;
        vn_tree *part;
        int code = vn__module_part(b, i, b->v, &part);
        if (code) return code;
        if (!part) continue;
        vn__tree_replace(&child->o.v, part);
        vn__tree_replace(&child->v, part);
        child->o.with_partial_v = 0;
        if ((code = hand_down(child))) return code;
    }
    return VN_OK;
}

/* ---- all together ---- */

static int collect(vn__module *b, const char *who)
{
    VN_SCOPE;
    vn_tree *all = vn_tree_new(NULL);
    int code = all ? add_found(b, all, who) : (int)vn_status();
    if (!code) code = add_created(b, all, who);
    if (!code) code = find_twins(b);
    vn_tree *v = code ? NULL : without_twins(b, all);
    v = v ? decide(b, v, who) : NULL;
    if (!v) return vn_status();
    if (!b->v) vn__tree_replace(&b->v, v);
    else if (b->v != v && (code = vn_tree_assign(b->v, v))) return code;
    if (b->o.v && !unbuilt_below(b)) {
        vn__tree_replace(&b->o.v, b->v);
        b->o.with_partial_v = 0;
        code = hand_down(b);
    }
    b->stale = b->settled = false;
    return code;
}

/* Drops the variables of the module and its sub-modules. */
static void forget(vn__module *b)
{
    vn__tree_replace(&b->o.v, NULL), vn__tree_replace(&b->v, NULL), vn__tree_replace(&b->own, NULL);
    b->stale = false;
    for (int i = 0; i < b->n; i++) {
        vn__module *child = vn__module_of(b->attributes[i].child);
        if (child->parent == b) forget(child);
    }
}

void vn__module_forget(vn__module *b)
{
    if (b->o.no_store) forget(b);
}

static int build(vn__module *b, const vn_tree *args, vn_array *x, const char *who)
{
    vn_dtype dtype = b->dtype ? b->dtype : x && vn__is(vn_dtype_of(x), VN_FLOATS) ? vn_dtype_of(x) : VN_F32;
    char engine[64] = "";
    if (x) {
        snprintf(engine, sizeof engine, "%s", vn_using());
        if (vn_use(vn_engine_of(x))) return vn_status();
    }
    int code = run_build(b, args, who);
    for (int i = 0; i < b->n && b->dtype && !code; i++) code = vn__module_cast(vn__module_of(b->attributes[i].child), b->dtype, who);
    if (!code) code = run_create(b, dtype, who);
    if (!code) code = collect(b, who);
    if (code) b->built = false;
    for (vn__module *p = b->parent; p && !code; p = p->parent) p->stale |= p->v && !p->o.no_store;
    if (x && vn_use(engine) && !code) code = vn_status();
    return code;
}

int vn__module_ensure(vn__module *b, const vn_tree *args, vn_array *x, const char *who)
{
    vn_module *m = b->handle;
    vn__object_retain(&m->object); /* the class's functions may drop the module */
    int code = !b->built ? build(b, args, x, who) : b->stale ? collect(b, who) : VN_OK;
    vn__object_release(&m->object);
    return code;
}

vn_tree *vn__module_stored(vn__module *b, const char *who)
{
    if (!b->v)
        return vn__fail(VN_E_STRUCT, "%s: %s %s", who, b->class->name,
                        b->built ? "keeps no variables: pass those that vn_module_build returned" : "is not built"),
               NULL;
    vn_value v = vn__lend(vn__as_value(b->v), who);
    return vn__none(v) ? NULL : v.u.tree;
}

vn_tree *vn_module_build(vn_module *m, const vn_tree *args)
{
    return VN__OBJECTS(m, args) ? NULL : vn__module_build(m, args);
}

vn_tree *vn__module_build(vn_module *m, const vn_tree *args)
{
    static const char who[] = "module_build";
    if (!vn__module_ok(m, who) || (args && !vn__check(args, VN__TREE, who, "args"))) return NULL;
    vn__module *b = vn__module_of(m);
    if (vn__module_ensure(b, args, NULL, who)) return NULL;
    vn_tree *v = vn__module_stored(b, who);
    if (v) vn__module_forget(b);
    return v;
}

/* Appends the arrays of a tree to a list of n. */
static int list_arrays(const vn_tree *t, vn_array ***list, int *n)
{
    int more = 0;
    const vn_tree_item *items = vn_tree_iterate(t, VN_OPTS(tree_iterate, .arrays_only = 1), &more);
    vn_array **grown = items ? vn__grow(*list, (size_t)*n * sizeof **list, ((size_t)*n + (size_t)more + 1) * sizeof **list) : NULL;
    if (!grown) return items ? vn__no_memory("module") : (int)vn_status();
    *list = grown;
    for (int i = 0; i < more; i++) grown[(*n)++] = items[i].value.u.array;
    return VN_OK;
}

int vn__module_settle(vn__module *b)
{
    if (b->settled || !b->v) return VN_OK;
    VN_SCOPE;
    vn_tree *buffers = vn_module_buffers(b->handle);
    vn_array **list = NULL;
    int n = 0, code = buffers ? list_arrays(b->v, &list, &n) : (int)vn_status();
    if (!code) code = list_arrays(buffers, &list, &n);
    if (!code && n) code = vn_eval(n, list);
    vn__free(list);
    b->settled = !code;
    return code;
}
