/* SPDX-License-Identifier: Apache-2.0 */
/* tree_shape.c: copying, cutting, flattening, renaming and restructuring trees. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include "program/node.h"
#include "core/callback.h"
#include <string.h>

/* ---- copies ---- */

static vn__decision always_descend(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)r, (void)item;
    return vn__is_tree(*v) ? VN__DESCEND : VN__LEAVE;
}

vn_tree *vn_tree_copy(const vn_tree *t)
{
    return vn__tree_rewritten(t, (vn__rewrite){.decide = always_descend, .who = "tree_copy", .all_new = true});
}

/* A new handle for each array; shared handles stay shared, tracked in a list sorted by address. */
typedef struct {
    vn_array *from, *to;
} twin;
typedef struct {
    twin *all;
    size_t n, capacity;
} twins;

static vn_array *twin_of(twins *w, vn_array *x, const char *who)
{
    size_t low = 0, high = w->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (w->all[mid].from == x) return w->all[mid].to;
        if ((uintptr_t)w->all[mid].from < (uintptr_t)x) low = mid + 1;
        else high = mid;
    }
    if (w->n == w->capacity) {
        size_t cap = w->capacity ? 2 * w->capacity : 32;
        twin *m = vn__grow(w->all, w->n * sizeof *m, cap * sizeof *m);
        if (!m) return vn__no_memory(who), NULL;
        w->all = m;
        w->capacity = cap;
    }
    vn__node *node = vn__node_of(x);
    vn__node_retain(node);
    vn_array *y = vn__handle(node, who);
    if (!y) return NULL;
    memmove(w->all + low + 1, w->all + low, (w->n++ - low) * sizeof *w->all);
    w->all[low] = (twin){x, y};
    return y;
}

static vn__decision new_handles(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)item;
    if (!vn__is_array(*v)) return vn__is_tree(*v) ? VN__DESCEND : VN__LEAVE;
    vn_array *y = twin_of(r->state, v->u.array, r->who);
    if (!y) return VN__FAILED;
    v->u.array = y;
    return VN__REPLACE;
}

vn_tree *vn_tree_deep_copy(const vn_tree *t)
{
    twins w = {0};
    vn_tree *out = vn__tree_rewritten(t, (vn__rewrite){.decide = new_handles, .who = "tree_deep_copy", .all_new = true, .state = &w});
    vn__free(w.all);
    return out;
}

/* ---- cutting ---- */

static vn__decision make_empty(vn__rewrite *r, vn_value *v)
{
    vn_tree *empty = vn__tree_like(v->u.tree, r->who);
    if (!empty) return VN__FAILED;
    *v = vn_value_tree(empty);
    return VN__REPLACE;
}

static vn__decision cut_deep(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)item;
    if (!vn__is_tree(*v)) return VN__LEAVE;
    return r->depth + 1 >= *(const int *)r->args ? make_empty(r, v) : VN__DESCEND;
}

static vn__decision cut_low(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)item;
    if (!vn__is_tree(*v)) return VN__LEAVE;
    return vn__tree_height(v->u.tree) <= *(const int *)r->args ? make_empty(r, v) : VN__DESCEND;
}

static vn__decision drop_all(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)r, (void)item, (void)v;
    return VN__DROP;
}

vn_tree *vn_tree_cutoff_at_depth(const vn_tree *t, int depth)
{
    static const char who[] = "tree_cutoff_at_depth";
    if (depth < 0) return vn__fail(VN_E_ARG, "%s: depth is %d", who, depth), NULL;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = depth ? cut_deep : drop_all, .who = who, .args = &depth});
}

vn_tree *vn_tree_cutoff_at_height(const vn_tree *t, int height)
{
    static const char who[] = "tree_cutoff_at_height";
    if (height < 0) return vn__fail(VN_E_ARG, "%s: height is %d", who, height), NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = vn__tree_height(t) <= height ? drop_all : cut_low, .who = who, .args = &height});
}

typedef struct {
    int64_t begin, end;
    unsigned char first, last;
    bool all_depths;
} range;

static vn__decision within(const vn__rewrite *r, bool kept, vn_value v)
{
    if (r->depth && !((const range *)r->args)->all_depths) return VN__LEAVE;
    return !kept ? VN__DROP : vn__is_tree(v) && ((const range *)r->args)->all_depths ? VN__DESCEND : VN__LEAVE;
}

static vn__decision by_place(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    const range *k = r->args;
    (void)item;
    int64_t n = (int64_t)r->n, begin = k->begin < 0 ? k->begin + n : k->begin, end = k->end < 0 ? k->end + n : k->end;
    return within(r, (int64_t)r->place >= begin && (int64_t)r->place < end, *v);
}

static vn__decision by_letter(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    const range *k = r->args;
    unsigned char c = (unsigned char)item->key[0];
    return within(r, c >= k->first && c <= k->last, *v);
}

vn_tree *vn_tree_slice_keys(const vn_tree *t, int64_t begin, int64_t end, const vn_tree_select_opts *opts)
{
    vn_tree_select_opts o;
    if (vn__tree_select(&o, opts)) return NULL;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = by_place,
                                               .who = "tree_slice_keys",
                                               .args = &(range){.begin = begin, .end = end, .all_depths = o.all_depths != 0}});
}

vn_tree *vn_tree_slice_letters(const vn_tree *t, char first, char last, const vn_tree_select_opts *opts)
{
    static const char who[] = "tree_slice_letters";
    vn_tree_select_opts o;
    if (vn__tree_select(&o, opts)) return NULL;
    range k = {.first = (unsigned char)first, .last = (unsigned char)last, .all_depths = o.all_depths != 0};
    if (k.first > k.last) return vn__fail(VN_E_ARG, "%s: '%c' comes after '%c'", who, first, last), NULL;
    return vn__tree_rewritten(t, (vn__rewrite){.decide = by_letter, .who = who, .args = &k});
}

static vn_value take_key(vn_value v, const char *chain, void *user)
{
    const char *key = user;
    (void)chain;
    const vn_value *there = vn__tree_find(v.u.tree, key, strlen(key));
    return there ? *there : v;
}

vn_tree *vn_tree_slice_via_key(const vn_tree *t, const char *key)
{
    static const char who[] = "tree_slice_via_key";
    if (!key) return vn__fail(VN_E_NULL, "%s: the key is NULL", who), NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_tree *out =
        vn_tree_map_sub_trees((vn_tree *)t, take_key, (void *)key, &(vn_tree_map_opts){.size = sizeof(vn_tree_map_opts), .no_self = 1});
    vn_value v = out ? take_key(vn_value_tree(out), "", (void *)key) : vn__nothing();
    if (out && !vn__is_tree(v)) vn__fail(VN_E_STRUCT, "%s: the value of the root's own \"%.200s\" is a leaf", who, key);
    return vn__tree_out(scope, vn__is_tree(v) ? v.u.tree : NULL, who);
}

/* ---- other names ---- */

static vn_tree *sorted(const vn_tree *t, const char *who)
{
    const vn__tree *b = vn__tree_of(t);
    vn_tree *out = vn__tree_like(t, who);
    if (!out) return NULL;
    vn__tree_of(out)->insertion = false;
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value;
        if (vn__is_tree(v) && !(v.u.tree = sorted(v.u.tree, who))) return NULL;
        if (vn__tree_put(out, b->items[i].key, v, who)) return NULL;
    }
    return out;
}

vn_tree *vn_tree_sort_by_key(const vn_tree *t)
{
    static const char who[] = "tree_sort_by_key";
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, sorted(t, who), who);
}

/* Adds a leaf at a chain that must be new. */
static vn_tree *add_leaf(vn_tree *out, const char *chain, vn_value v, uint64_t token, const char *who)
{
    if (vn__none(vn__tree_at(out, chain))) return vn__tree_with(out, chain, v, token, who);
    return vn__fail(VN_E_STRUCT, "%s: two leaves claim \"%.200s\"", who, chain), NULL;
}

/* "a/b/c/d" with below_depth 1 and above_height 1: "a/b__c/d". */
static void flat_chain(vn__text *to, const char *chain, int above_height, int below_depth)
{
    int parts = 1, part = 1, top = 0, bottom = 0;
    for (const char *c = chain; *c; c++) parts += *c == '/';
    if (parts > above_height) bottom = above_height;
    if (parts - bottom > below_depth) top = below_depth;
    vn__text_start(to);
    for (const char *c = chain; *c; c++) {
        if (*c != '/') {
            vn__print(to, "%c", *c);
            continue;
        }
        bool nested = part <= top || part >= parts - bottom;
        vn__print(to, "%s", nested ? "/" : "__");
        part++;
    }
}

vn_tree *vn_tree_flatten_key_chains(const vn_tree *t, const vn_tree_flatten_opts *opts)
{
    static const char who[] = "tree_flatten_key_chains";
    vn_tree_flatten_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "tree_flatten") || VN__FLAGS("tree_flatten", VN__FLAG(o, include_empty)))
        return NULL;
    if (o.above_height < 0 || o.below_depth < 0)
        return vn__fail(VN_E_ARG, "%s: above_height is %d, below_depth %d", who, o.above_height, o.below_depth), NULL;
    vn_scope scope = vn_scope_begin();
    uint64_t token = vn__tree_token();
    const vn_tree_item *it =
        vn__tree_items(t, &(vn_tree_iterate_opts){.size = sizeof(vn_tree_iterate_opts), .include_empty = o.include_empty}, NULL, NULL, who);
    vn_tree *out = it ? vn__tree_like(t, who) : NULL;
    vn__text chain = {0};
    for (; out && it->chain; it++) {
        flat_chain(&chain, it->chain, o.above_height, o.below_depth);
        out = chain.failed ? (vn__no_memory(who), NULL) : add_leaf(out, vn__path(&chain), it->value, token, who);
    }
    vn__free(chain.text);
    return vn__tree_out(scope, out, who);
}

vn_tree *vn_tree_format_key_chains(const vn_tree *t, vn_tree_name_fn fn, void *user)
{
    static const char who[] = "tree_format_key_chains";
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    vn_scope scope = vn_scope_begin();
    uint64_t token = vn__tree_token();
    const vn_tree_item *it = vn__tree_items(t, NULL, NULL, NULL, who);
    vn_tree *out = it ? vn__tree_like(t, who) : NULL;
    for (; out && it->chain; it++) {
        const size_t inside = vn__user_begin(vn__peek());
        const char *chain = fn(it->chain, user);
        vn__user_end(vn__peek(), inside);
        if (!chain) vn__fail(VN_E_CALLBACK, "%s: the callback returned nothing for \"%.200s\"", who, it->chain);
        out = chain ? add_leaf(out, chain, it->value, token, who) : NULL;
    }
    return vn__tree_out(scope, out, who);
}

/* ---- other leaves ---- */

static vn__decision next_leaf(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    const vn_value **next = r->state;
    (void)item;
    if (vn__is_tree(*v)) return VN__DESCEND;
    *v = *(*next)++;
    return VN__REPLACE;
}

static int64_t leaves(const vn_tree *t)
{
    const vn__tree *b = vn__tree_of(t);
    int64_t n = 0;
    for (size_t i = 0; i < b->n; i++) n += vn__is_tree(b->items[i].value) ? leaves(b->items[i].value.u.tree) : 1;
    return n;
}

vn_tree *vn_tree_from_flat_list(const vn_tree *t, int n, const vn_value *list)
{
    static const char who[] = "tree_from_flat_list";
    if (!vn__tree_ok(t, who, "t")) return NULL;
    if (leaves(t) != n) return vn__fail(VN_E_STRUCT, "%s: %d values for the %lld leaves of t", who, n, (long long)leaves(t)), NULL;
    if (n && !list) return vn__fail(VN_E_NULL, "%s: the list is NULL", who), NULL;
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "value %d", i);
        if (!vn__value_ok(list[i], who, name)) return NULL;
    }
    return vn__tree_rewritten(t, (vn__rewrite){.decide = next_leaf, .who = who, .state = &list});
}

/* ---- moving ---- */

static vn_array *rearranged(vn_array *x, void *to)
{
    const vn_tree_move *m = to;
    if (m->split) x = vn_reshape(x, *m->split);
    if (m->axes) x = vn_permute_dims(x, *m->axes);
    if (m->shape) x = vn_reshape(x, *m->shape);
    if (m->pattern) x = vn_rearrange(x, m->pattern, m->opts);
    return x;
}

static vn_value moved(vn_value v, const vn_tree_move *m)
{
    if (!m->split && !m->axes && !m->shape && !m->pattern) return v;
    if (vn__is_tree(v)) {
        vn_tree *sub = vn__tree_map(v.u.tree, rearranged, (void *)m);
        return sub ? vn_value_tree(sub) : vn__nothing();
    }
    vn_array *x = vn__is_array(v) ? rearranged(v.u.array, (void *)m) : NULL;
    return !vn__is_array(v) ? v : x ? vn_value_array(x) : vn__nothing();
}

static vn_tree *without(const vn_tree *t, const char *chain, const char *who)
{
    return *chain ? vn_tree_prune_key_chain(t, chain) : vn__tree_like(t, who);
}

static vn_tree *move(vn_tree *out, const vn_tree *t, const vn_tree_move *m, uint64_t token, const char *who)
{
    if (!m->from || !m->to) return vn__fail(VN_E_NULL, "%s: an old or new chain is NULL", who), NULL;
    vn_value v = vn__tree_at(t, m->from);
    if (vn__none(v)) return vn__fail(VN_E_STRUCT, "%s: there is nothing at \"%.200s\"", who, m->from), NULL;
    v = moved(v, m);
    if (vn__none(v)) return NULL;
    vn_value old = *m->to ? vn__tree_at(out, m->to) : vn_value_tree(out);
    if (vn__is_tree(v) && vn__is_tree(old)) { /* merges into an existing tree */
        vn_tree *both = vn__tree_union(old.u.tree, v.u.tree, false, token, who);
        if (!both || !*m->to) return both;
        v = vn_value_tree(both);
    }
    if (!*m->to) return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is a leaf and cannot become the tree itself", who, m->from), NULL;
    return vn__tree_with(out, m->to, v, token, who);
}

static vn_tree *restructure(const vn_tree *t, int n, const vn_tree_move *moves, const vn_tree_restructure_opts *opts, const char *who)
{
    vn_tree_restructure_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "tree_restructure") || VN__FLAGS("tree_restructure", VN__FLAG(o, keep_orig), VN__FLAG(o, replace)))
        return NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    uint64_t token = vn__tree_token();
    vn_tree *out = o.keep_orig ? vn__tree_own(t, token, who) : vn__tree_like(t, who);
    for (int i = 0; i < n && out && o.keep_orig && o.replace; i++) out = moves[i].from ? without(out, moves[i].from, who) : out;
    for (int i = 0; i < n && out; i++) out = move(out, t, &moves[i], token, who);
    return vn__tree_out(scope, out, who);
}

vn_tree *vn_tree_restructure(const vn_tree *t, int n, const vn_tree_move *moves, const vn_tree_restructure_opts *opts)
{
    static const char who[] = "tree_restructure";
    if (n < 0 || (n && !moves))
        return vn__fail(n < 0 ? VN_E_ARG : VN_E_NULL, n < 0 ? "%s: %d moves" : "%s: the list of %d moves is NULL", who, n), NULL;
    return restructure(t, n, moves, opts, who);
}

vn_tree *vn_tree_restructure_key_chains(const vn_tree *t, const char *const *pairs, const vn_tree_restructure_opts *opts)
{
    static const char who[] = "tree_restructure_key_chains";
    if (!pairs) return vn__fail(VN_E_NULL, "%s: the list of chains is NULL", who), NULL;
    int n = 0;
    while (pairs[n] && pairs[n + 1]) n += 2;
    if (pairs[n]) return vn__fail(VN_E_ARG, "%s: \"%.200s\" has no new chain", who, pairs[n]), NULL;
    vn_tree_move *moves = vn__calloc((size_t)n / 2 * sizeof *moves);
    if (!moves) return vn__no_memory(who), NULL;
    for (int i = 0; i < n / 2; i++) moves[i] = (vn_tree_move){.from = pairs[2 * i], .to = pairs[2 * i + 1]};
    vn_tree *out = restructure(t, n / 2, moves, opts, who);
    vn__free(moves);
    return out;
}
