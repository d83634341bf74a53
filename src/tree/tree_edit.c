/* SPDX-License-Identifier: Apache-2.0 */
/* tree_edit.c: adding, replacing and removing entries. Operations build new trees that share unchanged parts with the old ones; only the
 * levels above a change are copied. A token marks the levels that an operation created itself and may change. In-place operations
 * build the new tree, then swap bodies, which cannot fail. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

uint64_t vn__tree_token(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

vn_tree *vn__tree_own(const vn_tree *t, uint64_t token, const char *who)
{
    const vn__tree *b = vn__tree_of(t);
    if (b->token == token) return (vn_tree *)t;
    vn_tree *own = vn__tree_like(t, who);
    for (size_t i = 0; own && i < b->n; i++) {
        if (vn__tree_put(own, b->items[i].key, b->items[i].value, who)) return NULL;
    }
    if (own) vn__tree_of(own)->token = token;
    return own;
}

/* ---- one chain ---- */

static vn_tree *with(const vn_tree *t, const char *chain, vn_value v, uint64_t token, const char *who)
{
    vn_tree *own = vn__tree_own(t, token, who);
    if (!own) return NULL;
    size_t len = strcspn(chain, "/.");
    if (chain[len]) {
        const vn_value *next = vn__tree_find(own, chain, len);
        if (next && !vn__is_tree(*next))
            return vn__fail(VN_E_STRUCT, "%s: \"%.*s\" is a leaf, nothing can be put below it", who, (int)len, chain), NULL;
        vn_tree *sub = next ? next->u.tree : vn__tree_like(own, who);
        if (sub && !next) vn__tree_of(sub)->token = token;
        sub = sub ? with(sub, chain + len + 1, v, token, who) : NULL;
        if (!sub) return NULL;
        v = vn_value_tree(sub);
    }
    return vn__body_put(vn__tree_of(own), chain, len, v, who) ? NULL : own;
}

vn_tree *vn__tree_with(const vn_tree *t, const char *chain, vn_value v, uint64_t token, const char *who)
{
    int parts;
    return vn__chain_check(chain, who, &parts) ? NULL : with(t, chain, v, token, who);
}

static vn_tree *set_at(const vn_tree *t, const char *chain, vn_value v, bool overwrite, const char *who)
{
    if (!vn__tree_ok(t, who, "t") || !vn__value_ok(v, who, "value")) return NULL;
    if (overwrite && chain && vn__none(vn__tree_at(t, chain)))
        return vn__fail(VN_E_STRUCT, "%s: there is nothing at \"%.200s\"", who, chain), NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_with(t, chain, v, vn__tree_token(), who), who);
}

vn_tree *vn_tree_set_at_key_chain(const vn_tree *t, const char *chain, vn_value value)
{
    return set_at(t, chain, value, false, "tree_set_at_key_chain");
}

vn_tree *vn_tree_overwrite_at_key_chain(const vn_tree *t, const char *chain, vn_value value)
{
    return set_at(t, chain, value, true, "tree_overwrite_at_key_chain");
}

/* ---- unions ---- */

vn_tree *vn__tree_union(const vn_tree *a, const vn_tree *b, bool leaves_only, uint64_t token, const char *who)
{
    vn_tree *out = vn__tree_own(a, token, who);
    const vn__tree *more = vn__tree_of(b);
    for (size_t i = 0; out && i < more->n; i++) {
        const char *key = more->items[i].key;
        vn_value v = more->items[i].value, *old = vn__tree_find(out, key, strlen(key));
        if (leaves_only && vn__is_tree(v) && !vn__tree_of(v.u.tree)->n) continue;
        if (vn__is_tree(v) && old && vn__is_tree(*old)) {
            if (old->u.tree == v.u.tree) continue;
            vn_tree *sub = vn__tree_union(old->u.tree, v.u.tree, leaves_only, token, who);
            if (!sub) return NULL;
            v = vn_value_tree(sub);
        }
        if (vn__tree_put(out, key, v, who)) return NULL;
    }
    return out;
}

vn_tree *vn_tree_combine(int n, const vn_tree *const *trees)
{
    static const char who[] = "tree_combine";
    if (!vn__trees_ok(n, trees, who)) return NULL;
    vn_scope scope = vn_scope_begin();
    uint64_t token = vn__tree_token();
    vn_tree *out = vn__tree_own(trees[0], token, who);
    for (int i = 1; i < n && out; i++) out = vn__tree_union(out, trees[i], false, token, who);
    return vn__tree_out(scope, out, who);
}

vn_tree *vn_tree_set_at_key_chains(const vn_tree *t, const vn_tree *from)
{
    static const char who[] = "tree_set_at_key_chains";
    if (!vn__tree_ok(t, who, "t") || !vn__tree_ok(from, who, "from")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_union(t, from, true, vn__tree_token(), who), who);
}

/* Does t have an entry for every leaf of s? The first missing chain is in `path`. */
static bool covers(const vn_tree *t, const vn_tree *s, vn__text *path)
{
    const vn__tree *b = vn__tree_of(s);
    for (size_t i = 0; i < b->n; i++) {
        size_t before = vn__path_push(path, b->items[i].key);
        vn_value v = b->items[i].value, *there = vn__tree_find(t, b->items[i].key, strlen(b->items[i].key));
        bool empty = vn__is_tree(v) && !vn__tree_of(v.u.tree)->n;
        if (!empty && (!there || (vn__is_tree(v) && !vn__is_tree(*there)))) return false;
        if (!empty && vn__is_tree(v) && !covers(there->u.tree, v.u.tree, path)) return false;
        vn__path_pop(path, before);
    }
    return true;
}

vn_tree *vn_tree_overwrite_at_key_chains(const vn_tree *t, const vn_tree *from)
{
    static const char who[] = "tree_overwrite_at_key_chains";
    if (!vn__tree_ok(t, who, "t") || !vn__tree_ok(from, who, "from")) return NULL;
    vn__text path = {0};
    bool all = covers(t, from, &path);
    if (!all) vn__fail(VN_E_STRUCT, "%s: there is nothing at \"%.200s\"", who, vn__path(&path));
    vn__free(path.text);
    if (!all) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_union(t, from, true, vn__tree_token(), who), who);
}

/* ---- rewriting ---- */

static vn_tree *rewrite(const vn_tree *t, vn__rewrite *r, int depth)
{
    const vn__tree *b = vn__tree_of(t);
    vn_tree *out = vn__tree_like(t, r->who);
    bool changed = r->all_new || !depth;
    for (size_t i = 0; out && i < b->n; i++) {
        const vn__item *item = &b->items[i];
        vn_value v = item->value;
        size_t before = r->chains ? vn__path_push(&r->path, item->key) : 0;
        if (r->path.failed) return vn__no_memory(r->who), NULL;
        r->depth = depth, r->place = i, r->n = b->n;
        vn__decision d = r->decide(r, item, &v);
        if (d == VN__FAILED) return NULL;
        if (d == VN__DESCEND) {
            vn_tree *sub = rewrite(v.u.tree, r, depth + 1);
            if (!sub) return NULL;
            changed |= sub != item->value.u.tree;
            if (r->drop_emptied && !vn__tree_of(sub)->n && vn__tree_of(v.u.tree)->n) d = VN__DROP;
            v = vn_value_tree(sub);
        }
        if (r->chains) vn__path_pop(&r->path, before);
        changed |= d == VN__DROP || d == VN__REPLACE;
        if (d != VN__DROP && vn__tree_put(out, item->key, v, r->who)) return NULL;
    }
    return !out || changed ? out : (vn_tree *)t;
}

vn_tree *vn__tree_rewrite(const vn_tree *t, vn__rewrite *r)
{
    vn_tree *out = rewrite(t, r, 0);
    vn__free(r->path.text);
    r->path = (vn__text){0};
    return out;
}

vn_tree *vn__tree_rewritten(const vn_tree *t, vn__rewrite r)
{
    if (!vn__tree_ok(t, r.who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_rewrite(t, &r), r.who);
}

static vn__decision or_descend(vn_value v, vn__decision leaf)
{
    return vn__is_tree(v) ? VN__DESCEND : leaf;
}

static vn__decision set_keys(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    const vn_value *new = vn__tree_find(r->args, item->key, strlen(item->key));
    if (!new) return or_descend(*v, VN__LEAVE);
    *v = *new;
    return VN__REPLACE;
}

vn_tree *vn_tree_set_at_keys(const vn_tree *t, const vn_tree *map)
{
    static const char who[] = "tree_set_at_keys";
    if (!vn__tree_ok(map, who, "map")) return NULL;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = set_keys, .who = who, .args = map});
}

/* ---- selecting and pruning ---- */

typedef struct {
    const char *const *names;
    bool containing;
} names;

static bool named(const names *n, const char *key)
{
    for (const char *const *k = n->names; *k; k++) {
        if (n->containing ? strstr(key, *k) != NULL : !strcmp(key, *k)) return true;
    }
    return false;
}

/* An empty tree has no leaf that could have the key. */
static vn__decision keep_keys(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    if (named(r->args, item->key)) return VN__LEAVE;
    return vn__is_tree(*v) && vn__tree_of(v->u.tree)->n ? VN__DESCEND : VN__DROP;
}

static vn__decision drop_keys(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    return named(r->args, item->key) ? VN__DROP : or_descend(*v, VN__LEAVE);
}

static vn__decision drop_chains(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)item;
    return vn__chain_within(vn__path(&r->path), r->args) ? VN__DROP : or_descend(*v, VN__LEAVE);
}

/* Empty trees are removed although nothing is taken out of them. */
static vn__decision drop_empty(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)item;
    if (vn__is_tree(*v)) return vn__tree_of(v->u.tree)->n ? VN__DESCEND : VN__DROP;
    return v->kind == VN_V_NULL && !*(const bool *)r->args ? VN__DROP : VN__LEAVE;
}

int vn__tree_select(vn_tree_select_opts *o, const vn_tree_select_opts *opts)
{
    *o = (vn_tree_select_opts){0};
    int code = vn__take(o, sizeof *o, opts, "tree_select");
    return code ? code
                : VN__FLAGS("tree_select", VN__FLAG(*o, ignore_missing), VN__FLAG(*o, containing), VN__FLAG(*o, keep_nulls),
                            VN__FLAG(*o, all_depths));
}

static vn_tree *by_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts, vn__decide decide, const char *who)
{
    vn_tree_select_opts o;
    if (vn__tree_select(&o, opts)) return NULL;
    if (!keys) return vn__fail(VN_E_NULL, "%s: the list of keys is NULL", who), NULL;
    return vn__tree_rewritten(t,
                              (vn__rewrite){.decide = decide, .who = who, .drop_emptied = true, .args = &(names){keys, o.containing != 0}});
}

vn_tree *vn_tree_at_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts)
{
    return by_keys(t, keys, opts, keep_keys, "tree_at_keys");
}

vn_tree *vn_tree_prune_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts)
{
    return by_keys(t, keys, opts, drop_keys, "tree_prune_keys");
}

vn_tree *vn_tree_prune_key_chains(const vn_tree *t, const char *const *chains)
{
    static const char who[] = "tree_prune_key_chains";
    if (!chains) return vn__fail(VN_E_NULL, "%s: the list of chains is NULL", who), NULL;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = drop_chains, .who = who, .drop_emptied = true, .chains = true, .args = chains});
}

vn_tree *vn_tree_prune_key_chain(const vn_tree *t, const char *chain)
{
    static const char who[] = "tree_prune_key_chain";
    if (!chain) return vn__fail(VN_E_NULL, "%s: the chain is NULL", who), NULL;
    return vn__tree_rewritten(
        t, (vn__rewrite){.decide = drop_chains, .who = who, .drop_emptied = true, .chains = true, .args = VN_KEYS(chain)});
}

vn_tree *vn_tree_prune_empty(const vn_tree *t, const vn_tree_select_opts *opts)
{
    vn_tree_select_opts o;
    if (vn__tree_select(&o, opts)) return NULL;
    const bool keep = o.keep_nulls != 0;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = drop_empty, .who = "tree_prune_empty", .drop_emptied = true, .args = &keep});
}

vn_tree *vn_tree_at_key_chains(const vn_tree *t, const char *const *chains, const vn_tree_select_opts *opts)
{
    static const char who[] = "tree_at_key_chains";
    vn_tree_select_opts o;
    if (vn__tree_select(&o, opts)) return NULL;
    if (!chains) return vn__fail(VN_E_NULL, "%s: the list of chains is NULL", who), NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    uint64_t token = vn__tree_token();
    vn_tree *out = vn__tree_like(t, who);
    for (; *chains && out; chains++) {
        vn_value v = vn__tree_at(t, *chains);
        if (vn__none(v) && o.ignore_missing) continue;
        if (vn__none(v)) out = (vn__fail(VN_E_STRUCT, "%s: there is nothing at \"%.200s\"", who, *chains), NULL);
        else out = **chains ? vn__tree_with(out, *chains, v, token, who) : vn__tree_union(out, t, false, token, who);
    }
    return vn__tree_out(scope, out, who);
}

/* ---- removing a level ---- */

typedef struct {
    const char *key, *who;
    bool containing;
} level;

static bool on_level(const level *l, const char *key)
{
    return l->containing ? strstr(key, l->key) != NULL : !strcmp(key, l->key);
}

/* Adds a value that must be new, merging trees. */
static int place(vn_tree *out, const char *key, vn_value v, const char *who)
{
    const vn_value *old = vn__tree_find(out, key, strlen(key));
    if (!old) return vn__tree_put(out, key, v, who);
    if (!vn__is_tree(*old) || !vn__is_tree(v)) return vn__fail(VN_E_STRUCT, "%s: two entries claim the key \"%.200s\"", who, key);
    vn_tree *both = vn__tree_own(old->u.tree, vn__tree_token(), who);
    const vn__tree *more = vn__tree_of(v.u.tree);
    for (size_t i = 0; both && i < more->n; i++) {
        int code = place(both, more->items[i].key, more->items[i].value, who);
        if (code) return code;
    }
    return both ? vn__tree_put(out, key, vn_value_tree(both), who) : VN_E_MEM;
}

static vn_value lifted(const vn_tree *t, const level *l)
{
    const vn__tree *b = vn__tree_of(t);
    vn_tree *out = vn__tree_like(t, l->who);
    for (size_t i = 0; out && i < b->n; i++) {
        vn_value v = b->items[i].value;
        bool lift = on_level(l, b->items[i].key);
        if (vn__is_tree(v)) v = lifted(v.u.tree, l);
        if (vn__none(v)) return v;
        if (lift && !vn__is_tree(v)) {
            if (b->n == 1) return v;
            return vn__fail(VN_E_STRUCT, "%s: the leaf \"%.200s\" cannot take its tree's place: it is not alone in it", l->who,
                            b->items[i].key),
                   vn__nothing();
        }
        const vn__tree *up = lift ? vn__tree_of(v.u.tree) : NULL;
        if (!lift && place(out, b->items[i].key, v, l->who)) return vn__nothing();
        for (size_t k = 0; lift && k < up->n; k++) {
            if (place(out, up->items[k].key, up->items[k].value, l->who)) return vn__nothing();
        }
    }
    return out ? vn_value_tree(out) : vn__nothing();
}

vn_tree *vn_tree_prune_key_from_key_chains(const vn_tree *t, const char *key, const vn_tree_select_opts *opts)
{
    static const char who[] = "tree_prune_key_from_key_chains";
    vn_tree_select_opts o;
    if (vn__tree_select(&o, opts)) return NULL;
    if (!key) return vn__fail(VN_E_NULL, "%s: the key is NULL", who), NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_value v = lifted(t, &(level){key, who, o.containing != 0});
    if (!vn__none(v) && !vn__is_tree(v)) vn__fail(VN_E_STRUCT, "%s: the root would become a leaf", who);
    return vn__tree_out(scope, vn__is_tree(v) ? v.u.tree : NULL, who);
}

/* ---- in place ---- */

typedef struct {
    vn_tree *t;
    const vn_tree *from;
    vn__tree *body; /* the new contents of t */
} swap;
typedef struct {
    swap *all;
    size_t n, capacity;
    uint64_t token; /* marks the trees that will change */
    const char *who;
} plan;

/* Pairs trees with their new contents, from the root down. A shared tree is paired once. */
static int pair(plan *p, vn_tree *t, const vn_tree *from)
{
    if (p->n == p->capacity) {
        size_t cap = p->capacity ? 2 * p->capacity : 16;
        swap *m = vn__grow(p->all, p->n * sizeof *m, cap * sizeof *m);
        if (!m) return vn__no_memory(p->who);
        p->all = m;
        p->capacity = cap;
    }
    p->all[p->n++] = (swap){t, from, NULL};
    vn__tree_of(t)->token = p->token;
    const vn__tree *b = vn__tree_of(from);
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value, *old = vn__tree_find(t, b->items[i].key, strlen(b->items[i].key));
        if (!old || !vn__is_tree(*old) || !vn__is_tree(v) || old->u.tree == v.u.tree || vn__tree_of(old->u.tree)->token == p->token)
            continue;
        int code = pair(p, old->u.tree, v.u.tree);
        if (code) return code;
    }
    return VN_OK;
}

static bool has_marked(const vn_tree *t, uint64_t token)
{
    const vn__tree *b = vn__tree_of(t);
    if (b->token == token) return true;
    for (size_t i = 0; i < b->n; i++) {
        if (vn__is_tree(b->items[i].value) && has_marked(b->items[i].value.u.tree, token)) return true;
    }
    return false;
}

static bool paired(const plan *p, const vn_tree *t, const vn_tree *from)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->all[i].t == t && p->all[i].from == from) return true;
    }
    return false;
}

/* The new body of one tree. A value that contains a tree about to change is copied first, to keep its current contents. */
static int prepare(plan *p, swap *s)
{
    const vn__tree *from = vn__tree_of(s->from), *now = vn__tree_of(s->t);
    if (!(s->body = vn__body_like(now, p->who))) return VN_E_MEM;
    s->body->loss = now->loss;
    s->body->loss_generation = now->loss_generation;
    for (size_t i = 0; i < from->n; i++) {
        const char *key = from->items[i].key;
        vn_value v = from->items[i].value, *old = vn__tree_find(s->t, key, strlen(key));
        if (vn__is_tree(v) && old && vn__is_tree(*old) && paired(p, old->u.tree, v.u.tree)) {
            v = *old;
        } else if (vn__is_tree(v) && has_marked(v.u.tree, p->token)) {
            vn_tree *copy = vn_tree_copy(v.u.tree);
            if (!copy) return vn_status();
            v = vn_value_tree(copy);
        }
        int code = vn__body_put(s->body, key, strlen(key), v, p->who);
        if (code) return code;
    }
    return VN_OK;
}

static int assign(vn_tree *t, const vn_tree *from, const char *who)
{
    if (t == from) return VN_OK;
    plan p = {.token = vn__tree_token(), .who = who};
    int code = pair(&p, t, from);
    for (size_t i = 0; i < p.n && !code; i++) code = prepare(&p, &p.all[i]);
    for (size_t i = 0; i < p.n && !code; i++) {
        vn__tree *old = vn__tree_of(p.all[i].t);
        p.all[i].t->object.body = p.all[i].body;
        p.all[i].body = old;
    }
    for (size_t i = 0; i < p.n; i++) {
        if (p.all[i].body) vn__tree_release(p.all[i].body);
    }
    vn__free(p.all);
    return code;
}

int vn_tree_assign(vn_tree *t, const vn_tree *from)
{
    static const char who[] = "tree_assign";
    if (!vn__tree_ok(t, who, "t") || !vn__tree_ok(from, who, "from")) return vn_status();
    VN_SCOPE;
    return assign(t, from, who);
}

int vn_tree_inplace_update(vn_tree *t, const vn_tree *from)
{
    static const char who[] = "tree_inplace_update";
    if (!vn__tree_ok(t, who, "t") || !vn__tree_ok(from, who, "from")) return vn_status();
    VN_SCOPE;
    vn_tree *both = vn__tree_union(t, from, false, vn__tree_token(), who);
    if (!both || !vn__tree_ok(both, who, "the result")) return vn_status();
    return assign(t, both, who);
}
