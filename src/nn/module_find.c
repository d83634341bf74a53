/* SPDX-License-Identifier: Apache-2.0 */
/* module_find.c: a module's ancestors and sub-modules, as keys, chains and text. */
#include "nn/module.h"
#include "base/minmax.h"
#include "core/state.h"
#include "tree/tree.h"
#include <string.h>

/* ---- ancestors ---- */

static int check_depth(int depth, const char *who)
{
    return depth >= -1 ? VN_OK : vn__fail(VN_E_ARG, "%s: depth %d; -1 (no limit) or more is needed", who, depth);
}

/* The ancestor `depth` levels up, at most the root. */
static vn__module *ancestor(const vn__module *b, int depth)
{
    while (depth-- && b->parent) b = b->parent;
    return (vn__module *)b;
}

vn_module *vn_module_top_mod(const vn_module *m, int depth)
{
    static const char who[] = "module_top_mod";
    if (!vn__module_ok(m, who) || check_depth(depth, who)) return NULL;
    const vn__module *b = vn__module_of(m);
    return b->parent || !depth ? vn__module_lend(ancestor(b, depth)->handle, who) : NULL;
}

int vn_module_mod_depth(const vn_module *m)
{
    if (!vn__module_ok(m, "module_mod_depth")) return -1;
    int depth = 0;
    for (const vn__module *b = vn__module_of(m)->parent; b; b = b->parent) depth++;
    return depth;
}

static vn_tree *flat_or_not(vn_tree *t, const vn_module_look_opts *opts)
{
    vn_module_look_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "module_look") || VN__FLAGS("module_look", VN__FLAG(o, no_v), VN__FLAG(o, flatten))) return NULL;
    return t && o.flatten ? vn_tree_flatten_key_chains(t, NULL) : t;
}

vn_tree *vn_module_top_v(const vn_module *m, int depth, const vn_module_look_opts *opts)
{
    VN_SCOPE;
    vn_module *top = vn_module_top_mod(m, depth);
    vn_tree *v = flat_or_not(top ? vn_module_v(top) : NULL, opts);
    return v ? vn_tree_pass(v) : NULL;
}

/* The chain from an ancestor's variables to the module's: "dl0/l1". "" is the module itself. */
static const char *chain_from(const vn__module *top, const vn__module *b, const char *who)
{
    vn__text t = {0};
    const vn__module *way[VN__TREE_DEPTH];
    int n = 0;
    for (; b != top && n < VN__TREE_DEPTH; b = b->parent) way[n++] = b;
    vn__print(&t, "%s", "");
    for (int i = n; i-- > 0;) vn__print(&t, "%s%s", t.size ? "/" : "", way[i]->parent->attributes[way[i]->place].chain);
    return vn__text_out(&t, who);
}

vn_tree *vn_module_v_with_top_v_key_chains(vn_module *m, int depth, const vn_module_look_opts *opts)
{
    static const char who[] = "module_v_with_top_v_key_chains";
    if (!vn__module_ok(m, who) || check_depth(depth, who)) return NULL;
    VN_SCOPE;
    vn__module *b = vn__module_of(m);
    vn_tree *v = vn_module_v(m), *t = v ? vn_tree_new(NULL) : NULL;
    const char *chain = t ? chain_from(ancestor(b, depth), b, who) : NULL;
    if (!chain || (*chain && vn_tree_set_tree(t, chain, v))) return NULL;
    t = flat_or_not(*chain ? t : v, opts);
    return t ? vn_tree_pass(t) : NULL;
}

/* ---- keys ---- */

/* Counts modules of the same class name, depth first, until the module is reached. */
static bool number_of(const vn__module *top, const vn__module *b, int *n)
{
    if (top == b) return true;
    *n += !strcmp(top->class->name, b->class->name);
    for (int i = 0; i < top->n; i++) {
        const vn__attribute *a = &top->attributes[i];
        if (a->chain && !a->again && number_of(vn__module_of(a->child), b, n)) return true;
    }
    return false;
}

const vn__module *vn__module_root(const vn__module *b)
{
    return ancestor(b, -1);
}

void vn__module_key(const vn__module *top, const vn__module *b, char to[static VN__MODULE_KEY])
{
    int n = 0;
    if (!top || !number_of(top, b, &n)) {
        n = 0;
        number_of(vn__module_root(b), b, &n);
    }
    snprintf(to, VN__MODULE_KEY, "%.*s_%d", VN__CLASS_NAME, b->class->name, n);
}

const char *vn_module_get_mod_key(const vn_module *m)
{
    static const char who[] = "module_get_mod_key";
    char key[VN__MODULE_KEY];
    if (!vn__module_ok(m, who)) return NULL;
    vn__module_key(NULL, vn__module_of(m), key);
    vn__text t = {0};
    vn__print(&t, "%*s%s", vn_module_mod_depth(m), "", key);
    return vn__text_out(&t, who);
}

/* The keys from an ancestor down to the module; with `itself`, starting with the ancestor's own. */
static const char *keys_from(const vn__module *top, const vn__module *b, bool itself, const char *between, const char *who)
{
    vn__text t = {0};
    const vn__module *way[VN__TREE_DEPTH];
    int n = 0;
    for (; b != top && n < VN__TREE_DEPTH - 1; b = b->parent) way[n++] = b;
    if (itself) way[n++] = top;
    vn__print(&t, "%s", "");
    for (int i = n; i-- > 0;) {
        char key[VN__MODULE_KEY];
        vn__module_key(NULL, way[i], key);
        vn__print(&t, "%s%s", t.size ? between : "", key);
    }
    return vn__text_out(&t, who);
}

const char *vn_module_path(const vn_module *m, int depth, const vn_module_look_opts *opts)
{
    static const char who[] = "module_path";
    vn_module_look_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "module_look") || VN__FLAGS("module_look", VN__FLAG(o, no_v), VN__FLAG(o, flatten))) return NULL;
    if (!vn__module_ok(m, who) || check_depth(depth, who)) return NULL;
    const vn__module *b = vn__module_of(m);
    return keys_from(ancestor(b, depth), b, true, o.flatten ? "__" : "/", who);
}

/* ---- sub-modules ---- */

static int height(const vn__module *b)
{
    int h = 0;
    for (int i = 0; i < b->n; i++) {
        int below = b->attributes[i].chain && !b->attributes[i].again ? 1 + height(vn__module_of(b->attributes[i].child)) : 0;
        if (below > h) h = below;
    }
    return h;
}

int vn_module_mod_height(const vn_module *m)
{
    return vn__module_ok(m, "module_mod_height") ? height(vn__module_of(m)) : -1;
}

static vn_value sub_mods(const vn__module *top, vn__module *b, int depth, bool no_v)
{
    if (!depth || !height(b)) {
        vn_tree *v = no_v ? NULL : vn_module_v(b->handle);
        return v ? vn_value_tree(v) : no_v ? vn_value_null() : vn__nothing();
    }
    vn_tree *t = vn_tree_new(NULL);
    for (int i = 0; i < b->n && t; i++) {
        vn__module *child = vn__module_of(b->attributes[i].child);
        char key[VN__MODULE_KEY];
        if (!b->attributes[i].chain || b->attributes[i].again) continue;
        vn__module_key(top, child, key);
        vn_value below = sub_mods(top, child, depth - 1, no_v);
        if (vn__none(below) || vn_tree_set_value(t, key, below)) return vn__nothing();
    }
    return t ? vn_value_tree(t) : vn__nothing();
}

vn_tree *vn_module_sub_mods(vn_module *m, int depth, const vn_module_look_opts *opts)
{
    static const char who[] = "module_sub_mods";
    vn_module_look_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "module_look") || VN__FLAGS("module_look", VN__FLAG(o, no_v), VN__FLAG(o, flatten))) return NULL;
    if (!vn__module_ok(m, who) || check_depth(depth, who)) return NULL;
    VN_SCOPE;
    vn_value v = sub_mods(vn__module_root(vn__module_of(m)), vn__module_of(m), depth, o.no_v != 0);
    if (v.kind == VN_V_NULL) v = vn_value_tree(vn_tree_new(NULL)); /* no sub-modules, and no_v is set */
    vn_tree *t = vn__none(v) ? NULL : flat_or_not(v.u.tree, opts);
    return t ? vn_tree_pass(t) : NULL;
}

/* ---- text ---- */

/* A tree as text, showing only what is on the path to a chain or below it; "" shows everything. */
static const char *shown(vn_tree *t, const char *only)
{
    return t && only ? vn_tree_text(t, VN_OPTS(tree_text, .only = *only ? only : NULL)) : NULL;
}

const char *vn_module_show_v_in_top_v(vn_module *m, int depth)
{
    static const char who[] = "module_show_v_in_top_v";
    if (!vn__module_ok(m, who) || check_depth(depth, who)) return NULL;
    const vn__module *b = vn__module_of(m), *top = ancestor(b, depth);
    return shown(vn_module_v(top->handle), chain_from(top, b, who));
}

const char *vn_module_show_mod_in_top_mod(vn_module *m, int depth)
{
    static const char who[] = "module_show_mod_in_top_mod";
    if (!vn__module_ok(m, who) || check_depth(depth, who)) return NULL;
    const vn__module *b = vn__module_of(m), *top = ancestor(b, depth);
    return shown(vn_module_sub_mods(top->handle, -1, VN_OPTS(module_look, .no_v = 1)), keys_from(top, b, false, "/", who));
}

static void print_below(vn__text *t, const vn__module *b, const char *name, int level)
{
    char key[VN__MODULE_KEY];
    vn__module_key(NULL, b, key);
    vn__print(t, "%*s%s%s%s\n", 2 * level, "", key, *name ? " " : "", name);
    for (int i = 0; i < b->n; i++) {
        const vn__attribute *a = &b->attributes[i];
        if (a->chain && !a->again) print_below(t, vn__module_of(a->child), a->chain, level + 1);
    }
}

const char *vn_module_show_structure(vn_module *m)
{
    static const char who[] = "module_show_structure";
    if (!vn__module_ok(m, who)) return NULL;
    vn__text t = {0};
    print_below(&t, vn__module_of(m), "", 0);
    return vn__text_out(&t, who);
}

/* ---- summary ---- */

typedef struct {
    int64_t numbers, bytes;
} amount;

static amount amount_of(const vn_tree *t)
{
    amount a = {0};
    for (int i = 0, n = t ? vn_tree_leaves(t) : 0; i < n; i++) {
        vn_array *x = vn_tree_leaf(t, i);
        a.numbers += vn_size(x);
        a.bytes += vn_size(x) * (int64_t)vn_dtype_size(vn_dtype_of(x));
    }
    return a;
}

/* The widths of the first two columns: as usual, or that of the longest. */
typedef struct {
    int name, shape;
} widths;

static void print_row(vn__text *t, const widths *w, const char *name, const char *shape, amount a)
{
    vn__print(t, "%-*s %-*s %12lld %12lld\n", w->name, name, w->shape, shape, (long long)a.numbers, (long long)a.bytes);
}

enum { CALL_NAME = 700 };
static const char *call_name(const vn__module *root, const vn__shown *s, char to[static CALL_NAME])
{
    char key[VN__MODULE_KEY];
    const vn__module *b = s->module;
    vn__module_key(root, b, key);
    const char *chain = b->parent && s->level ? b->parent->attributes[b->place].chain : "";
    snprintf(to, CALL_NAME, "%*s%s %s%s", 2 * s->level, "", key, chain, s->again ? " (again)" : "");
    return to;
}

static widths widths_of(const vn__calls *calls)
{
    char name[CALL_NAME];
    widths w = {32, 20};
    for (int i = 0; i < calls->n_shown; i++) {
        const char *shape = calls->shown[i].shape;
        w.name = vn__max(w.name, (int)strlen(call_name(calls->root, &calls->shown[i], name)));
        w.shape = vn__max(w.shape, shape ? (int)strlen(shape) : 0);
    }
    return w;
}

static void print_call(vn__text *t, const widths *w, const vn__module *root, const vn__shown *s)
{
    char name[CALL_NAME];
    print_row(t, w, call_name(root, s, name), s->shape ? s->shape : "", s->again ? (amount){0} : amount_of(s->module->v));
}

/* The variables that have gradients. */
static vn_tree *trainable(vn_module *m)
{
    vn_tree *v = vn_module_v(m), *frozen = v ? vn_module_frozen(m) : NULL;
    const char *const *chains = frozen ? vn_tree_all_key_chains(frozen, NULL, NULL) : NULL;
    return !chains ? NULL : *chains ? vn_tree_prune_key_chains(v, chains) : v;
}

const char *vn_module_summary(vn_module *m, vn_array *x)
{
    static const char who[] = "module_summary";
    if (!vn__module_ok(m, who) || !vn__check(x, VN__ARRAY, who, "x")) return NULL;
    vn__text t = {0};
    {
        VN_SCOPE;
        vn_module_trace *trace = vn_module_trace_new(NULL);
        if (trace) vn__calls_of(trace)->summary = true;
        if (!trace || !vn__module_call_still(m, x, trace)) return NULL;
        const vn__calls *calls = vn__calls_of(trace);
        vn_tree *train = trainable(m), *buffers = vn_module_buffers(m);
        if (!train || !buffers) return NULL;
        const widths w = widths_of(calls);
        vn__print(&t, "%-*s %-*s %12s %12s\n", w.name, "layer", w.shape, "output", "parameters", "bytes");
        for (int i = 0; i < calls->n_shown; i++) print_call(&t, &w, calls->root, &calls->shown[i]);
        amount all = amount_of(vn__module_of(m)->v), some = amount_of(train);
        print_row(&t, &w, "total", "", all);
        if (some.numbers != all.numbers) print_row(&t, &w, "trainable", "", some);
        if (vn_tree_leaves(buffers) > 0) print_row(&t, &w, "buffers", "", amount_of(buffers));
    }
    return vn__text_out(&t, who);
}

/* ---- all of them ---- */

/* path: that of b, which grows for those below it. */
static int apply_below(const vn__module *b, char path[static VN__KEY_CHAIN], vn_module_fn fn, void *user)
{
    const vn_code before = vn_status();
    int found = fn(b->handle, path, user);
    if (vn_status() != before) return -1;
    const size_t length = strlen(path);
    for (int i = 0; i < b->n && !found; i++) {
        const vn__attribute *a = &b->attributes[i];
        if (!a->chain || a->again) continue;
        snprintf(path + length, VN__KEY_CHAIN - length, "%s%s", length ? "/" : "", a->chain);
        found = apply_below(vn__module_of(a->child), path, fn, user);
        path[length] = '\0';
    }
    return found;
}

int vn_module_apply(vn_module *m, vn_module_fn fn, void *user)
{
    static const char who[] = "module_apply";
    char path[VN__KEY_CHAIN] = "";
    if (!vn__module_ok(m, who)) return -1;
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), -1;
    const vn_code before = vn_status();
    const int found = apply_below(vn__module_of(m), path, fn, user);
    return vn_status() != before ? vn__fail_in(who), -1 : found;
}
