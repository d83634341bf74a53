/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c: an ordered map from names to arrays, trees, numbers or null: storage and ownership (tree_access.c sets and reads entries). Keys are
 * sorted, or in insertion order with a sorted index. A path is keys joined by '/' or '.'. A tree holds references to its entries. Depth is
 * bounded, so walks recurse; sharing can make a tree deeper than any chain that was set, so they check vn__tree_ok first. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>

/* ---- references ---- */

static void retain(vn_value v)
{
    if (vn__is_array(v)) vn__object_retain(&v.u.array->object);
    else if (vn__is_tree(v)) vn__object_retain(&v.u.tree->object);
}

static void release(vn_value v)
{
    if (vn__is_array(v)) vn__object_release(&v.u.array->object);
    else if (vn__is_tree(v)) vn__object_release(&v.u.tree->object);
}

/* Sub-trees that lose their last reference are queued, so that depth costs no stack. */
void vn__tree_release(void *memory)
{
    static _Thread_local vn__tree *waiting;
    static _Thread_local bool busy;
    vn__tree *b = memory;
    b->next = waiting;
    waiting = b;
    if (busy) return;
    busy = true;
    while ((b = waiting)) {
        waiting = b->next;
        for (size_t i = 0; i < b->n; i++) {
            vn__free(b->items[i].key);
            release(b->items[i].value);
        }
        if (b->along) vn__object_release(&b->along->object);
        vn__free(b->items);
        vn__free(b->sorted);
        vn__free(b);
    }
    busy = false;
}

void *vn__scope_memory(size_t bytes, const char *who)
{
    void *m = vn__alloc(bytes);
    if (!m) return vn__no_memory(who), NULL;
    if (vn__object_new(VN__MEMORY, m, who)) return m;
    vn__free(m);
    return NULL;
}

/* Getters return references owned by the innermost scope, so a handle stays valid whatever happens to the tree. */
vn_value vn__lend(vn_value v, const char *who)
{
    if (!vn__is_array(v) && !vn__is_tree(v)) return v;
    vn__state *s = vn__enter();
    if (!s) return vn__nothing();
    retain(v);
    if (vn__scope_add(s, vn__is_tree(v) ? &v.u.tree->object : &v.u.array->object)) return v;
    release(v);
    return vn__no_memory(who), vn__nothing();
}

vn_value vn__value_out(vn_scope scope, vn_value v, const char *who)
{
    if (scope < 0) return vn__nothing();
    retain(v);
    vn_scope_end(scope);
    vn_value out = vn__lend(v, who);
    release(v);
    return out;
}

vn_tree *vn__tree_out(vn_scope scope, const vn_tree *t, const char *who)
{
    vn_value v = t && vn__tree_ok(t, who, "the result") ? vn__as_value(t) : vn__nothing();
    v = vn__value_out(scope, v, who);
    return vn__none(v) ? NULL : v.u.tree;
}

/* ---- arguments ---- */

/* The number of keys in the longest chain; -1 if too many. */
static int measure(const vn_tree *t, int depth, size_t *entries)
{
    const vn__tree *b = vn__tree_of(t);
    int height = 0;
    *entries += b->n;
    if ((b->n && depth >= VN__TREE_DEPTH) || *entries > VN__TREE_ENTRIES) return -1;
    for (size_t i = 0; i < b->n; i++) {
        int h = vn__is_tree(b->items[i].value) ? measure(b->items[i].value.u.tree, depth + 1, entries) : 0;
        if (h < 0) return -1;
        if (h + 1 > height) height = h + 1;
    }
    return height;
}

int vn__tree_height(const vn_tree *t)
{
    size_t entries = 0;
    return measure(t, 0, &entries);
}

size_t vn__tree_entries(const vn_tree *t)
{
    size_t entries = 0;
    measure(t, 0, &entries);
    return entries;
}

bool vn__tree_ok(const void *t, const char *who, const char *argument)
{
    if (!vn__check(t, VN__TREE, who, argument)) return false;
    if (vn__tree_height(t) >= 0) return true;
    return vn__fail(VN_E_STRUCT, "%s: %s is deeper than %d or has more than %d entries", who, argument, VN__TREE_DEPTH, VN__TREE_ENTRIES),
           false;
}

bool vn__trees_ok(int n, const vn_tree *const *trees, const char *who)
{
    if (n < 1) return vn__fail(VN_E_ARG, "%s: %d trees; at least one is needed", who, n), false;
    if (!trees) return vn__fail(VN_E_NULL, "%s: the list of trees is NULL", who), false;
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree %d", i);
        if (!vn__tree_ok(trees[i], who, name)) return false;
    }
    return true;
}

bool vn__value_ok(vn_value v, const char *who, const char *argument)
{
    switch (v.kind) {
    case VN_V_NULL:
    case VN_V_NUMBER: return true;
    case VN_V_ARRAY: return vn__check(v.u.array, VN__ARRAY, who, argument);
    case VN_V_TREE: return vn__tree_ok(v.u.tree, who, argument);
    case VN_V_NONE:
        return vn__fail(VN_E_NULL, "%s: %s is VN_V_NONE: the call that returned it failed or found nothing", who, argument), false;
    default: return vn__fail(VN_E_ARG, "%s: %s has kind %d", who, argument, (int)v.kind), false;
    }
}

/* ---- storage ---- */

vn__tree *vn__body_like(const vn__tree *like, const char *who)
{
    vn__tree *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(who), NULL;
    b->insertion = like && like->insertion;
    b->print_limit = like ? like->print_limit : 0;
    return b;
}

vn_tree *vn__tree_like(const vn_tree *like, const char *who)
{
    vn__tree *b = vn__body_like(like ? vn__tree_of(like) : NULL, who);
    vn_tree *t = b ? (vn_tree *)vn__object_new(VN__TREE, b, who) : NULL;
    if (!t) vn__free(b);
    return t;
}

vn_tree *vn_tree_new(const vn_tree_opts *opts)
{
    vn_tree_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "tree") || VN__FLAGS("tree", VN__FLAG(o, insertion_order))) return NULL;
    if (o.print_limit < 0) return vn__fail(VN_E_ARG, "tree_new: print_limit is %lld", (long long)o.print_limit), NULL;
    vn_tree *t = vn__tree_like(NULL, "tree_new");
    if (!t) return NULL;
    vn__tree_of(t)->insertion = o.insertion_order != 0;
    vn__tree_of(t)->print_limit = o.print_limit;
    return t;
}

/* The position of key among the sorted keys, or where it belongs. */
static size_t place(const vn__tree *b, const char *key, size_t len, bool *found)
{
    size_t low = 0, high = b->n;
    *found = false;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const char *other = b->items[b->insertion ? b->sorted[mid] : mid].key;
        int c = strncmp(other, key, len);
        if (!c && other[len]) c = 1;
        if (!c) {
            *found = true;
            return mid;
        }
        if (c < 0) low = mid + 1;
        else high = mid;
    }
    return low;
}

static bool room(vn__tree *b)
{
    if (b->n < b->capacity) return true;
    size_t cap = b->capacity ? 2 * b->capacity : 8;
    vn__item *m = vn__grow(b->items, b->n * sizeof *m, cap * sizeof *m);
    if (!m) return false;
    b->items = m;
    if (b->insertion) {
        uint32_t *s = vn__grow(b->sorted, b->n * sizeof *s, cap * sizeof *s);
        if (!s) return false;
        b->sorted = s;
    }
    b->capacity = cap;
    return true;
}

int vn__body_put(vn__tree *b, const char *key, size_t len, vn_value v, const char *who)
{
    bool found;
    size_t at = place(b, key, len, &found);
    if (found) {
        vn_value *slot = &b->items[b->insertion ? b->sorted[at] : at].value, old = *slot;
        retain(v);
        *slot = v;
        release(old);
        return VN_OK;
    }
    if (b->n >= VN__TREE_ENTRIES) return vn__fail(VN_E_STRUCT, "%s: the tree has %d entries already", who, VN__TREE_ENTRIES);
    char *copy = room(b) ? vn__alloc(len + 1) : NULL;
    if (!copy) return vn__no_memory(who);
    memcpy(copy, key, len);
    copy[len] = 0;
    size_t to = b->insertion ? b->n : at;
    memmove(b->items + to + 1, b->items + to, (b->n - to) * sizeof *b->items);
    if (b->insertion) {
        memmove(b->sorted + at + 1, b->sorted + at, (b->n - at) * sizeof *b->sorted);
        b->sorted[at] = (uint32_t)b->n;
    }
    retain(v);
    b->items[to] = (vn__item){copy, v};
    b->n++;
    return VN_OK;
}

int vn__body_append(vn__tree *b, const char *key, vn_value v, const char *who)
{
    char *copy = room(b) ? vn__copy_text(key) : NULL;
    if (!copy) return vn__no_memory(who);
    retain(v);
    b->items[b->n++] = (vn__item){copy, v};
    return VN_OK;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const vn__item *)a)->key, ((const vn__item *)b)->key);
}

static int by_key_at(const void *a, const void *b, void *items)
{
    return by_key((const vn__item *)items + *(const uint32_t *)a, (const vn__item *)items + *(const uint32_t *)b);
}

bool vn__body_order(vn__tree *b)
{
    for (size_t i = 0; b->insertion && i < b->n; i++) b->sorted[i] = (uint32_t)i;
    if (b->n < 2) return true;
    if (b->insertion) qsort_r(b->sorted, b->n, sizeof *b->sorted, by_key_at, b->items);
    else qsort(b->items, b->n, sizeof *b->items, by_key);
    for (size_t i = 1; i < b->n; i++) {
        const vn__item *last = &b->items[b->insertion ? b->sorted[i - 1] : i - 1], *item = &b->items[b->insertion ? b->sorted[i] : i];
        if (!strcmp(last->key, item->key)) return false;
    }
    return true;
}

int vn__tree_put(vn_tree *t, const char *key, vn_value v, const char *who)
{
    return vn__body_put(vn__tree_of(t), key, strlen(key), v, who);
}

vn_value *vn__tree_find(const vn_tree *t, const char *key, size_t len)
{
    vn__tree *b = vn__tree_of(t);
    bool found;
    size_t at = place(b, key, len, &found);
    return found ? &b->items[b->insertion ? b->sorted[at] : at].value : NULL;
}

bool vn__tree_contains(const vn_tree *t, const vn_tree *needle)
{
    if (t == needle) return true;
    const vn__tree *b = vn__tree_of(t);
    for (size_t i = 0; i < b->n; i++) {
        if (vn__is_tree(b->items[i].value) && vn__tree_contains(b->items[i].value.u.tree, needle)) return true;
    }
    return false;
}

/* ---- chains ---- */

int vn__chain_check(const char *chain, const char *who, int *parts)
{
    if (!chain || !*chain) return vn__fail(chain ? VN_E_ARG : VN_E_NULL, "%s: the key is %s", who, chain ? "empty" : "NULL");
    const char *at = chain;
    for (*parts = 1;; ++*parts) {
        size_t len = strcspn(at, "/.");
        if (!len || len > VN__TREE_KEY || *parts > VN__TREE_DEPTH)
            return vn__fail(VN_E_ARG, "%s: key \"%.80s\" has an empty part, a part above %d bytes or more than %d parts", who, chain,
                            VN__TREE_KEY, VN__TREE_DEPTH);
        if (!at[len]) return VN_OK;
        at += len + 1;
    }
}

static bool separator(char c)
{
    return c == '/' || c == '.';
}

bool vn__chain_within(const char *chain, const char *const *tops)
{
    if (!tops) return true;
    for (; *tops; tops++) {
        size_t k = 0;
        while ((*tops)[k] && (chain[k] == (*tops)[k] || (separator(chain[k]) && separator((*tops)[k])))) k++;
        if (!(*tops)[k] && (!k || !chain[k] || separator(chain[k]))) return true;
    }
    return false;
}

size_t vn__path_push(vn__text *path, const char *key)
{
    size_t before = path->size;
    if (before) vn__append(path, "/");
    vn__append(path, key);
    return before;
}

void vn__path_pop(vn__text *path, size_t before)
{
    if (path->text) path->text[path->size = before] = 0;
}
