/* tree.c: an ordered map from names to arrays, trees, numbers or null: storage, look-up, ownership. Keys are sorted, or in insertion
 * order with a sorted index. A path is keys joined by '/' or '.'. A tree holds references to its entries. Depth is bounded,
 * so walks recurse; sharing can make a tree deeper than any chain that was set, so they check vn__tree_ok first. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdarg.h>
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

/* ---- setting ---- */

static vn_tree *nest(const vn_tree *like, const char *chain, vn_value v, const char *who)
{
    vn_tree *top = vn__tree_like(like, who);
    for (vn_tree *at = top; at;) {
        size_t len = strcspn(chain, "/.");
        vn_tree *next = chain[len] ? vn__tree_like(like, who) : NULL;
        if (chain[len] && !next) return NULL;
        if (vn__body_put(vn__tree_of(at), chain, len, next ? vn__as_value(next) : v, who)) return NULL;
        if (!next) break;
        at = next;
        chain += len + 1;
    }
    return top;
}

/* Checks everything and creates what is missing before the one change, so that failure changes nothing. */
static int set(vn_tree *t, const char *chain, vn_value v, const char *who)
{
    int parts, height = vn__is_tree(v) ? vn__tree_height(v.u.tree) : 0, code = vn__chain_check(chain, who, &parts);
    if (code) return code;
    if (parts + height > VN__TREE_DEPTH)
        return vn__fail(VN_E_STRUCT, "%s: \"%.80s\" would be %d levels deep, at most %d are allowed", who, chain, parts + height,
                        VN__TREE_DEPTH);
    size_t len;
    for (; chain[len = strcspn(chain, "/.")]; chain += len + 1) {
        const vn_value *next = vn__tree_find(t, chain, len);
        if (!next) break;
        if (!vn__is_tree(*next)) {
            const char *is = vn__is_array(*next) ? "an array" : next->kind == VN_V_NULL ? "null" : "a number";
            return vn__fail(VN_E_STRUCT, "%s: \"%.*s\" is %s, nothing can be put below it", who, (int)len, chain, is);
        }
        t = next->u.tree;
    }
    if (vn__is_tree(v) && vn__tree_contains(v.u.tree, t)) return vn__fail(VN_E_STRUCT, "%s: a tree cannot be put into itself", who);
    if (!chain[len]) return vn__body_put(vn__tree_of(t), chain, len, v, who);
    VN_SCOPE;
    vn_tree *missing = nest(t, chain + len + 1, v, who);
    return missing ? vn__body_put(vn__tree_of(t), chain, len, vn__as_value(missing), who) : VN_E_MEM;
}

int vn_tree_set(vn_tree *t, const char *key, vn_array *x)
{
    if (!vn__check(t, VN__TREE, "tree_set", "t") || !vn__check(x, VN__ARRAY, "tree_set", key ? key : "x")) return vn_status();
    return set(t, key, vn_value_array(x), "tree_set");
}

int vn_tree_set_tree(vn_tree *t, const char *key, vn_tree *sub)
{
    if (!vn__check(t, VN__TREE, "tree_set_tree", "t") || !vn__tree_ok(sub, "tree_set_tree", "sub")) return vn_status();
    return set(t, key, vn_value_tree(sub), "tree_set_tree");
}

int vn_tree_set_value(vn_tree *t, const char *chain, vn_value value)
{
    if (!vn__check(t, VN__TREE, "tree_set_value", "t") || !vn__value_ok(value, "tree_set_value", "value")) return vn_status();
    return set(t, chain, value, "tree_set_value");
}

int vn_tree_set_number(vn_tree *t, const char *chain, double number)
{
    if (!vn__check(t, VN__TREE, "tree_set_number", "t")) return vn_status();
    return set(t, chain, vn_value_number(number), "tree_set_number");
}

int vn_tree_set_null(vn_tree *t, const char *chain)
{
    if (!vn__check(t, VN__TREE, "tree_set_null", "t")) return vn_status();
    return set(t, chain, vn_value_null(), "tree_set_null");
}

int vn_tree_create_if_absent(vn_tree *t, const char *chain, vn_value value)
{
    static const char who[] = "tree_create_if_absent";
    if (!vn__check(t, VN__TREE, who, "t") || !vn__value_ok(value, who, "value")) return vn_status();
    return chain && !vn__none(vn__tree_at(t, chain)) ? VN_OK : set(t, chain, value, who);
}

vn_tree *vn_tree_of(const char *key, ...)
{
    vn_tree *t = vn_tree_new(NULL);
    va_list a;
    va_start(a, key);
    for (; key && t; key = va_arg(a, const char *)) {
        vn_array *x = va_arg(a, vn_array *);
        if (vn_tree_set(t, key, x)) t = NULL; /* freed with its scope */
    }
    va_end(a);
    return t;
}

int vn_tree_append(vn_tree *t, vn_value value)
{
    if (!vn__check(t, VN__TREE, "tree_append", "t") || !vn__value_ok(value, "tree_append", "value")) return vn_status();
    for (size_t i = vn__tree_of(t)->n;; i++) {
        char key[32];
        size_t len = (size_t)snprintf(key, sizeof key, "%zu", i);
        if (!vn__tree_find(t, key, len)) return set(t, key, value, "tree_append");
    }
}

vn_tree *vn_tree_list(int n, vn_array *const *arrays)
{
    if (n < 0 || (n && !arrays))
        return vn__fail(n < 0 ? VN_E_ARG : VN_E_NULL, n < 0 ? "tree_list: %d arrays" : "tree_list: the list of %d arrays is NULL", n), NULL;
    vn_tree *t = vn_tree_new(&(vn_tree_opts){.size = sizeof(vn_tree_opts), .insertion_order = 1});
    for (int i = 0; i < n && t; i++) {
        if (vn_tree_append(t, vn_value_array(arrays[i]))) t = NULL;
    }
    return t;
}

/* ---- getting ---- */

vn_value vn__tree_at(const vn_tree *t, const char *chain)
{
    vn_value v = vn__as_value(t);
    while (chain && *chain) {
        size_t len = strcspn(chain, "/.");
        const vn_value *next = vn__is_tree(v) ? vn__tree_find(v.u.tree, chain, len) : NULL;
        if (!next || (chain[len] && !chain[len + 1])) return vn__nothing(); /* "a/" is not found */
        v = *next;
        chain += len + (chain[len] != 0);
    }
    return chain ? v : vn__nothing();
}

static const char *key_at(int i, void *tree)
{
    return ((const vn__tree *)tree)->items[i].key;
}

/* Names the key that is missing and what stands beside it. */
static int not_there(const vn_tree *t, const char *chain, const char *who)
{
    if (!chain) return vn__fail(VN_E_NULL, "%s: the key is NULL", who);
    const char *rest = chain;
    size_t len;
    const vn_value *next;
    while ((next = vn__tree_find(t, rest, len = strcspn(rest, "/."))) && rest[len] && vn__is_tree(*next)) t = next->u.tree, rest += len + 1;
    if (next && rest[len] && !vn__is_tree(*next))
        return vn__fail(VN_E_STRUCT, "%s: no \"%.200s\" in the tree: \"%.*s\" has nothing below it", who, chain, (int)(rest + len - chain),
                        chain);
    const vn__tree *b = vn__tree_of(t);
    const int above = rest > chain ? (int)(rest - chain) - 1 : 0;
    vn__text keys = {0};
    char word[VN__TREE_KEY + 1], near[128];
    snprintf(word, sizeof word, "%.*s", len < sizeof word ? (int)len : VN__TREE_KEY, rest);
    const bool is_number = word[strspn(word, "-0123456789")] == 0; /* another place of a list is no likely slip */
    for (size_t i = 0; i < b->n && i < 64; i++) vn__print(&keys, "%s%s", i ? ", " : "", b->items[i].key);
    if (b->n > 64) vn__print(&keys, " ... (%zu in all)", b->n);
    int code = vn__fail(VN_E_STRUCT, "%s: no \"%.200s\" in the tree%s%.*s%s has: %.500s%s", who, chain, above ? "; \"" : ", which", above,
                        chain, above ? "\"" : "", keys.text && !keys.failed ? keys.text : "nothing",
                        vn__did_you_mean(is_number ? "" : word, (int)b->n, key_at, (void *)(uintptr_t)b, near));
    vn__free(keys.text);
    return code;
}

static vn_value find(const vn_tree *t, const char *chain, int kind, const char *who)
{
    static const char *const names[] = {
        [VN_V_NULL] = "null", [VN_V_NUMBER] = "a number", [VN_V_ARRAY] = "an array", [VN_V_TREE] = "a tree"};
    if (!vn__check(t, VN__TREE, who, "t")) return vn__nothing();
    vn_value v = vn__tree_at(t, chain);
    if (vn__none(v)) return not_there(t, chain, who), v;
    if (!kind || v.kind == kind) return vn__lend(v, who);
    return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is %s", who, chain, names[v.kind]), vn__nothing();
}

vn_array *vn_tree_get(const vn_tree *t, const char *key)
{
    vn_value v = find(t, key, VN_V_ARRAY, "tree_get");
    return vn__none(v) ? NULL : v.u.array;
}

vn_tree *vn_tree_get_tree(const vn_tree *t, const char *key)
{
    vn_value v = find(t, key, VN_V_TREE, "tree_get_tree");
    return vn__none(v) ? NULL : v.u.tree;
}

int vn_tree_count(const vn_tree *t)
{
    return vn__check(t, VN__TREE, "tree_count", "t") ? (int)vn__tree_of(t)->n : -1;
}

/* By key, not by place: a tree that was made from paths has 10 before 2. Lists of modules have v0, v1 ... */
vn_tree *vn_tree_at(const vn_tree *list, int i)
{
    char key[16];
    snprintf(key, sizeof key, "v%d", i);
    if (!vn__check(list, VN__TREE, "tree_at", "t")) return NULL;
    vn_value v = find(list, vn__is_tree(vn__tree_at(list, key)) ? key : key + 1, VN_V_TREE, "tree_at");
    return vn__none(v) ? NULL : v.u.tree;
}

vn_value vn_tree_value(const vn_tree *t, const char *chain)
{
    return find(t, chain, 0, "tree_value");
}

/* The value at a chain, without an error if there is none. */
static vn_value try(const vn_tree *t, const char *chain, const char *who)
{
    if (!vn__check(t, VN__TREE, who, "t")) return vn__nothing();
    if (!chain) return vn__fail(VN_E_NULL, "%s: the key is NULL", who), vn__nothing();
    return vn__tree_at(t, chain);
}

vn_value vn_tree_if_exists(const vn_tree *t, const char *chain)
{
    return vn__lend(try(t, chain, "tree_if_exists"), "tree_if_exists");
}

vn_value vn_tree_try_key_chain(const vn_tree *t, const char *chain)
{
    static const char who[] = "tree_try_key_chain";
    if (!vn__check(t, VN__TREE, who, "t")) return vn__nothing();
    vn_value v = try(t, chain, who);
    return vn__lend(vn__none(v) && chain ? vn__as_value(t) : v, who);
}

vn_array *vn_tree_get_or_null(const vn_tree *t, const char *chain)
{
    vn_value v = try(t, chain, "tree_get_or_null");
    v = vn__is_array(v) ? vn__lend(v, "tree_get_or_null") : vn__nothing();
    return vn__none(v) ? NULL : v.u.array;
}

int vn_tree_has(const vn_tree *t, const char *key)
{
    return !vn__none(try(t, key, "tree_has"));
}

int vn_tree_has_key_chain(const vn_tree *t, const char *chain)
{
    return !vn__none(try(t, chain, "tree_has_key_chain"));
}

static bool has_key(const vn_tree *t, const char *key)
{
    if (vn__tree_find(t, key, strlen(key))) return true;
    const vn__tree *b = vn__tree_of(t);
    for (size_t i = 0; i < b->n; i++) {
        if (vn__is_tree(b->items[i].value) && has_key(b->items[i].value.u.tree, key)) return true;
    }
    return false;
}

int vn_tree_has_key(const vn_tree *t, const char *key)
{
    if (!vn__tree_ok(t, "tree_has_key", "t")) return 0;
    if (!key) return vn__fail(VN_E_NULL, "tree_has_key: the key is NULL"), 0;
    return has_key(t, key);
}

const char *const *vn_tree_keys(const vn_tree *t, int *n)
{
    if (n) *n = 0;
    if (!vn__check(t, VN__TREE, "tree_keys", "t")) return NULL;
    const vn__tree *b = vn__tree_of(t);
    size_t bytes = 0, at = (b->n + 1) * sizeof(char *);
    for (size_t i = 0; i < b->n; i++) bytes += strlen(b->items[i].key) + 1;
    char **list = vn__scope_memory(at + bytes, "tree_keys");
    if (!list) return NULL;
    for (size_t i = 0; i < b->n; i++) {
        size_t len = strlen(b->items[i].key) + 1;
        list[i] = memcpy((char *)list + at, b->items[i].key, len);
        at += len;
    }
    list[b->n] = NULL;
    if (n) *n = (int)b->n;
    return (const char *const *)list;
}
