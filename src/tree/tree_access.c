/* SPDX-License-Identifier: Apache-2.0 */
/* tree_access.c: setting and reading entries of a tree by key or path. Setting checks everything before its one change. */
#include "base/minmax.h"
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdarg.h>
#include <stdlib.h>

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
    while ((next = vn__tree_find(t, rest, len = strcspn(rest, "/."))) && vn__is_tree(*next))
        t = next->u.tree, rest += len + (rest[len] != 0);
    if (next)
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

/* The number of a key of a list: 7 of "7", and of "v7" in lists of modules. -1: it has none. */
static int number_of(const char *key)
{
    const char *digits = key + (*key == 'v');
    const size_t n = strspn(digits, "0123456789");
    return n && n < 10 && !digits[n] ? atoi(digits) : -1;
}

/* The key with the i-th smallest number; NULL: there are fewer. */
static const char *key_by_number(const vn__tree *b, int i)
{
    for (size_t k = 0; k < b->n; k++) {
        const int number = number_of(b->items[k].key);
        int smaller = 0;
        for (size_t j = 0; j < b->n; j++) smaller += number_of(b->items[j].key) < number && number_of(b->items[j].key) >= 0;
        if (number >= 0 && smaller == i) return b->items[k].key;
    }
    return NULL;
}

/* By number, not by place: a tree that was made from paths has 10 before 2. Numbers may be missing, so key i is not always entry i. Layers
 * with names of their own have their places. */
vn_tree *vn_tree_at(const vn_tree *list, int i)
{
    char key[16];
    if (!vn__check(list, VN__TREE, "tree_at", "t")) return NULL;
    const vn__tree *b = vn__tree_of(list);
    int largest = -1;
    bool named = false;
    for (size_t k = 0; k < b->n; k++) {
        const int number = number_of(b->items[k].key);
        largest = vn__max(number, largest);
        named |= number < 0;
    }
    snprintf(key, sizeof key, "v%d", i);
    const char *found;
    if (named) found = i >= 0 && (size_t)i < b->n ? b->items[i].key : NULL;
    else if ((size_t)largest + 1 == b->n) found = vn__is_tree(vn__tree_at(list, key)) ? key : NULL;
    else found = key_by_number(b, i);
    vn_value v = find(list, found ? found : key + 1, VN_V_TREE, "tree_at");
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
