/* SPDX-License-Identifier: Apache-2.0 */
/* tree_walk.c: listing leaves in order, and applying functions to leaves, sub-trees, and several trees at once. User functions
 * run in their own scope, and their result is passed out of it. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/callback.h"
#include <limits.h>
#include <string.h>

/* ---- arrays, depth first ---- */

static int count(const vn_tree *t)
{
    const vn__tree *b = vn__tree_of(t);
    int n = 0;
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value;
        n += vn__is_tree(v) ? count(v.u.tree) : vn__is_array(v);
    }
    return n;
}

/* Finds one array by number. Loops over all leaves call this for each leaf, so the bounds are checked during the walk. */
typedef struct {
    int left;       /* arrays still to skip */
    size_t visited; /* entries */
    vn__text *path; /* its chain, if requested */
} pick;

static vn_array *nth(const vn_tree *t, pick *p, int depth)
{
    const vn__tree *b = vn__tree_of(t);
    p->visited += b->n && depth >= VN__TREE_DEPTH ? VN__TREE_ENTRIES + 1 : b->n;
    if (p->visited > VN__TREE_ENTRIES) return NULL;
    for (size_t k = 0; k < b->n; k++) {
        vn_value v = b->items[k].value;
        size_t before = p->path ? vn__path_push(p->path, b->items[k].key) : 0;
        vn_array *x = vn__is_tree(v) ? nth(v.u.tree, p, depth + 1) : vn__is_array(v) && p->left-- == 0 ? v.u.array : NULL;
        if (x) return x;
        if (p->path) vn__path_pop(p->path, before);
        if (p->visited > VN__TREE_ENTRIES) return NULL;
    }
    return NULL;
}

static vn_array *leaf(const vn_tree *t, int i, vn__text *path, const char *who)
{
    if (!vn__check(t, VN__TREE, who, "t")) return NULL;
    vn_array *x = i < 0 ? NULL : nth(t, &(pick){.left = i, .path = path}, 0);
    if (!x && vn__tree_ok(t, who, "t")) vn__fail(VN_E_ARG, "%s: there is no leaf %d, the tree has %d", who, i, count(t));
    return x;
}

int vn_tree_leaves(const vn_tree *t)
{
    return vn__tree_ok(t, "tree_leaves", "t") ? count(t) : -1;
}

int vn_tree_num_arrays(const vn_tree *t)
{
    return vn__tree_ok(t, "tree_num_arrays", "t") ? count(t) : -1;
}

int vn_tree_max_depth(const vn_tree *t)
{
    return vn__tree_ok(t, "tree_max_depth", "t") ? vn__tree_height(t) : -1;
}

vn_array *vn_tree_leaf(const vn_tree *t, int i)
{
    vn_array *x = leaf(t, i, NULL, "tree_leaf");
    return !x || vn__none(vn__lend(vn_value_array(x), "tree_leaf")) ? NULL : x;
}

const char *vn_tree_leaf_key(const vn_tree *t, int i)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    vn__text_start(&s->key_text);
    return leaf(t, i, &s->key_text, "tree_leaf_key") ? vn__text_finish(&s->key_text) : NULL;
}

/* ---- for gradients and optimizers ---- */

static vn_tree *map(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), void *to)
{
    const vn__tree *b = vn__tree_of(t);
    vn_tree *out = vn__tree_like(t, "tree");
    for (size_t i = 0; out && i < b->n; i++) {
        vn_value v = b->items[i].value;
        vn_tree *sub = vn__is_tree(v) ? map(v.u.tree, f, to) : NULL;
        vn_array *x = vn__is_array(v) ? f(v.u.array, to) : NULL;
        if ((vn__is_tree(v) && !sub) || (vn__is_array(v) && !x)) return NULL;
        v = sub ? vn_value_tree(sub) : x ? vn_value_array(x) : v;
        if (vn__tree_put(out, b->items[i].key, v, "tree")) return NULL;
    }
    return out;
}

vn_tree *vn__tree_map(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), void *to)
{
    return vn__tree_ok(t, "tree", "t") ? map(t, f, to) : NULL;
}

void vn__tree_set_loss(vn_tree *t, vn_array *loss)
{
    vn__tree_of(t)->loss = &loss->object;
    vn__tree_of(t)->loss_generation = atomic_load(&loss->object.generation);
}

vn_array *vn__tree_loss(const vn_tree *t)
{
    const vn__tree *b = vn__tree_of(t);
    vn__object *o = b->loss;
    if (!o || atomic_load(&o->generation) != b->loss_generation || !atomic_load(&o->refs)) return NULL;
    return (vn_array *)o;
}

void vn__tree_set_along(vn_tree *t, vn_tree *along)
{
    vn__object_retain(&along->object);
    if (vn__tree_of(t)->along) vn__object_release(&vn__tree_of(t)->along->object);
    vn__tree_of(t)->along = along;
}

const vn_tree *vn__tree_along(const vn_tree *t)
{
    return vn__tree_of(t)->along;
}

/* ---- listing ---- */

typedef struct {
    const vn_tree_iterate_opts *o;
    const char *containing;
    vn__text path;
    vn_tree_item *items; /* NULL: count only */
    char *text;
    size_t n, bytes;
} gather;

static void gather_leaf(gather *g, const char *key, vn_value v)
{
    if (g->o->arrays_only && !vn__is_array(v) && !vn__is_tree(v)) return;
    if (g->containing && !strstr(vn__path(&g->path), g->containing)) return;
    const char *chain = g->o->leaf_keys_only ? key : vn__path(&g->path);
    size_t len = strlen(chain) + 1;
    if (g->items) g->items[g->n] = (vn_tree_item){memcpy(g->text + g->bytes, chain, len), v};
    g->n++;
    g->bytes += len;
}

static void gather_tree(gather *g, const vn_tree *t)
{
    const vn__tree *b = vn__tree_of(t);
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value;
        size_t before = vn__path_push(&g->path, b->items[i].key);
        if (!vn__is_tree(v) || (g->o->include_empty && !vn__tree_of(v.u.tree)->n)) gather_leaf(g, b->items[i].key, v);
        else gather_tree(g, v.u.tree);
        vn__path_pop(&g->path, before);
    }
}

/* Two walks: one to count, one to write into memory of the right size. The second reuses the path's memory. */
const vn_tree_item *vn__tree_items(const vn_tree *t, const vn_tree_iterate_opts *opts, const char *containing, int *n, const char *who)
{
    vn_tree_iterate_opts o = {0};
    if (n) *n = 0;
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "tree_iterate") ||
        VN__FLAGS("tree_iterate", VN__FLAG(o, include_empty), VN__FLAG(o, leaf_keys_only), VN__FLAG(o, arrays_only)))
        return NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    gather g = {.o = &o, .containing = containing};
    gather_tree(&g, t);
    size_t table = (g.n + 1) * sizeof *g.items;
    vn_tree_item *items = g.path.failed ? (vn__no_memory(who), NULL) : vn__scope_memory(table + g.bytes, who);
    if (items) {
        g.items = items;
        g.text = (char *)items + table;
        g.n = g.bytes = 0;
        gather_tree(&g, t);
        items[g.n] = (vn_tree_item){NULL, vn__nothing()};
    }
    vn__free(g.path.text);
    for (size_t i = 0; items && i < g.n; i++) {
        if (vn__none(vn__lend(items[i].value, who))) return NULL;
    }
    if (n && items) *n = (int)g.n;
    return items;
}

const vn_tree_item *vn_tree_iterate(const vn_tree *t, const vn_tree_iterate_opts *opts, int *n)
{
    return vn__tree_items(t, opts, NULL, n, "tree_iterate");
}

static const char *const *chains(const vn_tree *t, const vn_tree_iterate_opts *opts, const char *containing, int *n, const char *who)
{
    int count;
    const vn_tree_item *items = vn__tree_items(t, opts, containing, &count, who);
    const char **list = items ? vn__scope_memory(((size_t)count + 1) * sizeof *list, who) : NULL;
    for (int i = 0; list && i <= count; i++) list[i] = items[i].chain;
    if (n) *n = list ? count : 0;
    return list;
}

const char *const *vn_tree_all_key_chains(const vn_tree *t, const vn_tree_iterate_opts *opts, int *n)
{
    return chains(t, opts, NULL, n, "tree_all_key_chains");
}

const char *const *vn_tree_key_chains_containing(const vn_tree *t, const char *text, const vn_tree_iterate_opts *opts, int *n)
{
    static const char who[] = "tree_key_chains_containing";
    if (n) *n = 0;
    if (!text) return vn__fail(VN_E_NULL, "%s: text is NULL", who), NULL;
    return chains(t, opts, text, n, who);
}

/* The chains of leaves that pass, at most so many. NULL on failure. */
static const char *const *passing(const vn_tree *t, vn_tree_test_fn fn, void *user, int most, int *n, const char *who)
{
    int count, kept = 0;
    *n = 0;
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    const vn_tree_item *items = vn__tree_items(t, NULL, NULL, &count, who);
    const char **list = items ? vn__scope_memory(((size_t)count + 1) * sizeof *list, who) : NULL;
    if (!list) return NULL;
    const vn_code before = vn_status();
    for (int i = 0; i < count && kept < most; i++) {
        if (fn(items[i].value, items[i].chain, user)) list[kept++] = items[i].chain;
        if (vn_status() != before) return vn__fail_in(who), NULL;
    }
    list[kept] = NULL;
    *n = kept;
    return list;
}

const char *const *vn_tree_argwhere(const vn_tree *t, vn_tree_test_fn fn, void *user, int *n)
{
    int kept;
    const char *const *list = passing(t, fn, user, INT_MAX, &kept, "tree_argwhere");
    if (n) *n = kept;
    return list;
}

int vn_tree_any(const vn_tree *t, vn_tree_test_fn fn, void *user)
{
    int kept;
    return passing(t, fn, user, 1, &kept, "tree_any") ? kept > 0 : -1;
}

const char *const *vn_tree_common_key_chains(int n_trees, const vn_tree *const *trees, int *n)
{
    static const char who[] = "tree_common_key_chains";
    if (n) *n = 0;
    if (!vn__trees_ok(n_trees, trees, who)) return NULL;
    int count, kept = 0;
    const vn_tree_item *items = vn__tree_items(trees[0], NULL, NULL, &count, who);
    const char **list = items ? vn__scope_memory(((size_t)count + 1) * sizeof *list, who) : NULL;
    if (!list) return NULL;
    for (int i = 0; i < count; i++) {
        bool all = true;
        for (int k = 1; k < n_trees && all; k++) {
            vn_value v = vn__tree_at(trees[k], items[i].chain);
            all = !vn__none(v) && !vn__is_tree(v);
        }
        if (all) list[kept++] = items[i].chain;
    }
    list[kept] = NULL;
    if (n) *n = kept;
    return list;
}

const vn_value *vn_tree_to_flat_list(const vn_tree *t, int *n)
{
    static const char who[] = "tree_to_flat_list";
    int count;
    const vn_tree_item *items = vn__tree_items(t, NULL, NULL, &count, who);
    vn_value *list = items ? vn__scope_memory(((size_t)count + 1) * sizeof *list, who) : NULL;
    for (int i = 0; list && i <= count; i++) list[i] = items[i].value;
    if (n) *n = list ? count : 0;
    return list;
}

/* ---- user functions ---- */

/* Checks the result, passes it out of the function's scope and prefixes errors. */
static vn_value called(vn__call *c, vn_value v, const char *who)
{
    char where[96];
    snprintf(where, sizeof where, "%s: callback", who);
    if (vn__call_check(c, who)) v = vn__nothing();
    else if (vn__none(v)) vn__fail(VN_E_CALLBACK, "%s: the callback returned nothing", who);
    else if (!vn__value_ok(v, where, "the result")) v = vn__nothing();
    return vn__value_out(c->scope, v, who);
}

vn_value vn__tree_call(vn_tree_map_fn fn, vn_value v, const char *chain, void *user, const char *who)
{
    vn__call c;
    return vn__call_begin(&c, 0, NULL) ? called(&c, fn(v, chain, user), who) : vn__nothing();
}

typedef struct {
    vn_tree_map_opts o;
    vn_tree_map_fn fn;
    void *user;
} mapping;

static bool applies(const vn_tree_map_opts *o, const char *chain)
{
    return !o->key_chains || vn__chain_within(chain, o->key_chains) == !o->others;
}

static vn__decision map_leaf(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    const mapping *m = r->args;
    (void)item;
    if (vn__is_tree(*v)) return VN__DESCEND;
    if (!applies(&m->o, vn__path(&r->path))) return m->o.prune_unapplied ? VN__DROP : VN__LEAVE;
    *v = vn__tree_call(m->fn, *v, vn__path(&r->path), m->user, r->who);
    return vn__none(*v) ? VN__FAILED : VN__REPLACE;
}

/* Ends a map: returns the new tree, or t with the new tree's contents; nothing can fail after the change. */
static vn_tree *mapped(vn_scope scope, vn_tree *t, vn_tree *out, bool inplace, const char *who)
{
    if (!out || !inplace || scope < 0) return vn__tree_out(scope, out, who);
    bool done = vn__tree_ok(out, who, "the result") && !vn_tree_assign(t, out);
    vn_scope_end(scope);
    return done ? t : NULL;
}

/* Reads the options and checks the arguments; false with the error set. */
static bool begin_mapping(mapping *m, const vn_tree *t, const vn_tree_map_opts *opts, const char *who)
{
    vn_tree_map_opts *o = &m->o;
    if (vn__take(o, VN__SIZE_BEFORE(*o, reserved), opts, "tree_map") ||
        VN__FLAGS("tree_map", VN__FLAG(*o, others), VN__FLAG(*o, prune_unapplied), VN__FLAG(*o, inplace), VN__FLAG(*o, no_self),
                  VN__FLAG(*o, assert_identical)))
        return false;
    return m->fn ? vn__tree_ok(t, who, "t") : !vn__fail(VN_E_NULL, "%s: fn is NULL", who);
}

vn_tree *vn_tree_map(vn_tree *t, vn_tree_map_fn fn, void *user, const vn_tree_map_opts *opts)
{
    static const char who[] = "tree_map";
    mapping m = {.fn = fn, .user = user};
    if (!begin_mapping(&m, t, opts, who)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn__rewrite r = {.decide = map_leaf, .who = who, .chains = true, .drop_emptied = m.o.prune_unapplied != 0, .args = &m};
    return mapped(scope, t, vn__tree_rewrite(t, &r), m.o.inplace != 0, who);
}

typedef struct {
    vn_array_fn fn;
    void *user;
} array_mapping;

static vn_array *map_array(vn_array *x, void *to)
{
    const array_mapping *m = to;
    return vn__call_fn(m->fn, x, m->user, "tree_map_arrays");
}

vn_tree *vn_tree_map_arrays(const vn_tree *t, vn_array_fn fn, void *user)
{
    static const char who[] = "tree_map_arrays";
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_map(t, map_array, &(array_mapping){fn, user}), who);
}

/* Applies fn to the sub-trees of a sub-tree, then to itself. VN_V_NONE: failed. `dropped`: fn was not applied and the sub-tree is dropped.
 */
static vn_value map_below(const vn_tree *t, const mapping *m, vn__text *path, int depth, bool *dropped, const char *who)
{
    const vn__tree *b = vn__tree_of(t);
    vn_tree *out = vn__tree_like(t, who);
    bool changed = !depth;
    for (size_t i = 0; out && i < b->n; i++) {
        vn_value v = b->items[i].value;
        bool drop = false;
        if (vn__is_tree(v)) {
            size_t before = vn__path_push(path, b->items[i].key);
            if (path->failed) return vn__no_memory(who), vn__nothing();
            v = map_below(v.u.tree, m, path, depth + 1, &drop, who);
            vn__path_pop(path, before);
            if (vn__none(v)) return v;
            changed |= drop || !vn__is_tree(v) || v.u.tree != b->items[i].value.u.tree;
        }
        if (!drop && vn__tree_put(out, b->items[i].key, v, who)) return vn__nothing();
    }
    if (!out) return vn__nothing();
    vn_value v = vn__as_value(changed ? out : t);
    if ((!depth && m->o.no_self) || !applies(&m->o, vn__path(path))) {
        *dropped = depth && m->o.prune_unapplied && !vn__tree_of(v.u.tree)->n;
        return v;
    }
    return vn__tree_call(m->fn, v, vn__path(path), m->user, who);
}

vn_tree *vn_tree_map_sub_trees(vn_tree *t, vn_tree_map_fn fn, void *user, const vn_tree_map_opts *opts)
{
    static const char who[] = "tree_map_sub_trees";
    mapping m = {.fn = fn, .user = user};
    if (!begin_mapping(&m, t, opts, who)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn__text path = {0};
    bool dropped = false;
    vn_value v = map_below(t, &m, &path, 0, &dropped, who);
    vn__free(path.text);
    if (!vn__none(v) && !vn__is_tree(v)) vn__fail(VN_E_CALLBACK, "%s: the callback made a leaf of the tree itself", who);
    return mapped(scope, t, vn__is_tree(v) ? v.u.tree : NULL, m.o.inplace != 0, who);
}

/* ---- several trees ---- */

typedef struct {
    vn_tree_map_opts o;
    vn_tree_multi_fn fn;
    void *user;
    vn__text path;
    const char *who;
    int n;
    const bool *constant; /* inputs that are repeated for every leaf */
    vn_value *levels;     /* n values per level: the entry of each input; VN_V_NONE: none */
    vn_value *present;    /* n values: what fn gets */
} multi;

static vn_value call_multi(multi *m, const vn_value *in)
{
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        if (!vn__none(in[i])) m->present[n++] = in[i];
    }
    vn__call c;
    return vn__call_begin(&c, 0, NULL) ? called(&c, m->fn(m->present, n, vn__path(&m->path), m->user), m->who) : vn__nothing();
}

static vn_tree *multi_tree(multi *m, int depth);

/* The result for the values of one level: a tree of their entries if they are all trees, otherwise fn's result. */
static vn_value multi_value(multi *m, int depth, bool *dropped)
{
    const vn_value *in = m->levels + (size_t)depth * (size_t)m->n, *first = NULL;
    bool trees = true;
    for (int i = 0; i < m->n; i++) {
        if (m->constant[i] || vn__none(in[i])) continue;
        trees = trees && vn__is_tree(in[i]);
        if (!first) first = &in[i];
    }
    if (trees) {
        vn_tree *sub = multi_tree(m, depth);
        *dropped = sub && m->o.prune_unapplied && !vn__tree_of(sub)->n;
        return sub ? vn_value_tree(sub) : vn__nothing();
    }
    if (applies(&m->o, vn__path(&m->path))) return call_multi(m, in);
    *dropped = m->o.prune_unapplied != 0;
    return *first;
}

static vn_tree *multi_tree(multi *m, int depth)
{
    const vn_value *in = m->levels + (size_t)depth * (size_t)m->n;
    vn_value *below = m->levels + (size_t)(depth + 1) * (size_t)m->n;
    vn_tree *out = NULL;
    for (int k = 0; k < m->n; k++) { /* visits every key once, at the first tree that has it */
        if (m->constant[k] || vn__none(in[k])) continue;
        if (!out && !(out = vn__tree_like(in[k].u.tree, m->who))) return NULL;
        const vn__tree *b = vn__tree_of(in[k].u.tree);
        for (size_t i = 0; i < b->n; i++) {
            const char *key = b->items[i].key;
            size_t len = strlen(key);
            bool seen = false, dropped = false;
            for (int j = 0; j < m->n; j++) {
                const vn_value *there = m->constant[j] ? &in[j] : vn__none(in[j]) ? NULL : vn__tree_find(in[j].u.tree, key, len);
                below[j] = there ? *there : vn__nothing();
                seen |= j < k && there && !m->constant[j];
            }
            if (seen) continue;
            size_t before = vn__path_push(&m->path, key);
            if (m->path.failed) return vn__no_memory(m->who), NULL;
            vn_value v = multi_value(m, depth + 1, &dropped);
            vn__path_pop(&m->path, before);
            if (vn__none(v) || (!dropped && vn__tree_put(out, key, v, m->who))) return NULL;
        }
    }
    return out;
}

static vn_tree *multi_map(vn_tree_multi_fn fn, int n, const vn_value *in, void *user, const vn_tree_map_opts *opts, const char *who)
{
    vn_tree_map_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "tree_map") ||
        VN__FLAGS("tree_map", VN__FLAG(o, others), VN__FLAG(o, prune_unapplied), VN__FLAG(o, inplace), VN__FLAG(o, no_self),
                  VN__FLAG(o, assert_identical)))
        return NULL;
    if (!fn || !in) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, fn ? "the list of inputs" : "fn"), NULL;
    if (n < 1) return vn__fail(VN_E_ARG, "%s: %d inputs; at least one is needed", who, n), NULL;
    vn_scope scope = vn_scope_begin();
    size_t values = ((size_t)VN__TREE_DEPTH + 3) * (size_t)n,
           bytes = values * sizeof(vn_value) + (size_t)n * (sizeof(bool) + sizeof(vn_tree *));
    vn_value *memory = scope < 0 ? NULL : vn__scope_memory(bytes, who);
    if (!memory) return vn__tree_out(scope, NULL, who);
    const vn_tree **trees = (const vn_tree **)(void *)(memory + values);
    bool *constant = (bool *)(void *)(trees + n), ok = true;
    int n_trees = 0;
    for (int i = 0; i < n && ok; i++) {
        char name[32];
        snprintf(name, sizeof name, "input %d", i);
        ok = vn__value_ok(memory[i] = in[i], who, name);
        constant[i] = !vn__is_tree(in[i]);
        if (ok && !constant[i]) trees[n_trees++] = in[i].u.tree;
    }
    if (ok && !n_trees) vn__fail(VN_E_ARG, "%s: none of the inputs is a tree", who);
    ok = ok && n_trees && (!o.assert_identical || !vn__trees_alike(n_trees, trees, who));
    multi m = {.o = o, .fn = fn, .user = user, .who = who, .n = n, .constant = constant, .levels = memory, .present = memory + values - n};
    vn_tree *out = ok ? multi_tree(&m, 0) : NULL;
    vn__free(m.path.text);
    return vn__tree_out(scope, out, who);
}

vn_tree *vn_tree_multi_map(vn_tree_multi_fn fn, int n, const vn_value *in, void *user, const vn_tree_map_opts *opts)
{
    return multi_map(fn, n, in, user, opts, "tree_multi_map");
}

vn_tree *vn__tree_reduce(int n, const vn_tree *const *trees, vn_tree_multi_fn fn, void *user, const char *who)
{
    if (!vn__trees_ok(n, trees, who)) return NULL;
    vn_value *in = vn__alloc((size_t)n * sizeof *in);
    if (!in) return vn__no_memory(who), NULL;
    for (int i = 0; i < n; i++) in[i] = vn__as_value(trees[i]);
    vn_tree *out = multi_map(fn, n, in, user, &(vn_tree_map_opts){.size = sizeof(vn_tree_map_opts), .assert_identical = 1}, who);
    vn__free(in);
    return out;
}

vn_tree *vn_tree_reduce(int n, const vn_tree *const *trees, vn_tree_multi_fn fn, void *user)
{
    return vn__tree_reduce(n, trees, fn, user, "tree_reduce");
}
