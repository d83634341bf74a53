/* tree.c: an ordered map from names to arrays or trees. Keys are sorted; a path is keys joined by '/' or '.'. A tree keeps what is
 * put into it. Depth is bounded, so the walks here recurse. */
#include "core/internal.h"
#include <stdarg.h>

enum { MAX_DEPTH = 64, MAX_KEY = 256 };
typedef struct {
    char *key;
    vn__object *value; /* array or tree */
} item;
typedef struct {
    size_t n, capacity;
    item *items;
    vn__object *loss; /* not owned: the loss these gradients belong to, if it is still of that generation */
    uint32_t loss_generation;
} body;

static body *of(const vn_tree *t)
{
    return t->object.body;
}

void vn__tree_release(void *memory)
{
    body *b = memory;
    for (size_t i = 0; i < b->n; i++) {
        vn__free(b->items[i].key);
        vn__object_release(b->items[i].value);
    }
    vn__free(b->items);
    vn__free(b);
}

vn_tree *vn_tree_new(void)
{
    body *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory("tree_new"), NULL;
    vn_tree *t = (vn_tree *)vn__object_new(VN__TREE, b, "tree_new");
    if (!t) vn__free(b);
    return t;
}

/* Where key stands or belongs. */
static size_t place(const body *b, const char *key, size_t len, bool *found)
{
    size_t low = 0, high = b->n;
    *found = false;
    while (low < high) {
        size_t mid = (low + high) / 2;
        int c = strncmp(b->items[mid].key, key, len);
        if (!c && b->items[mid].key[len]) c = 1;
        if (!c) {
            *found = true;
            return mid;
        }
        if (c < 0) low = mid + 1;
        else high = mid;
    }
    return low;
}

static int put(body *b, const char *key, size_t len, vn__object *value, const char *who)
{
    bool found;
    size_t at = place(b, key, len, &found);
    if (found) {
        vn__object *old = b->items[at].value;
        vn__object_retain(value);
        b->items[at].value = value;
        vn__object_release(old);
        return VN_OK;
    }
    if (b->n == b->capacity) {
        size_t cap = b->capacity ? 2 * b->capacity : 8;
        item *m = vn__grow(b->items, b->n * sizeof *m, cap * sizeof *m);
        if (!m) return vn__no_memory(who);
        b->items = m;
        b->capacity = cap;
    }
    char *copy = vn__alloc(len + 1);
    if (!copy) return vn__no_memory(who);
    memcpy(copy, key, len);
    copy[len] = 0;
    memmove(b->items + at + 1, b->items + at, (b->n - at) * sizeof *b->items);
    vn__object_retain(value);
    b->items[at] = (item){copy, value};
    b->n++;
    return VN_OK;
}

/* Is `needle` t or below it? Trees must stay trees. */
static bool inside(const vn_tree *t, const vn__object *needle, int depth)
{
    if (&t->object == needle) return true;
    if (depth > MAX_DEPTH) return true;
    for (size_t i = 0; i < of(t)->n; i++) {
        vn__object *v = of(t)->items[i].value;
        if (v->kind == VN__TREE && inside((vn_tree *)v, needle, depth + 1)) return true;
    }
    return false;
}

static int set(vn_tree *t, const char *key, vn__object *value, const char *who)
{
    if (!key || !*key) return vn__fail(key ? VN_E_ARG : VN_E_NULL, "%s: the key is %s", who, key ? "empty" : "NULL");
    for (int depth = 0;; depth++) {
        size_t len = strcspn(key, "/.");
        if (!len || len > MAX_KEY || depth > MAX_DEPTH)
            return vn__fail(VN_E_ARG, "%s: key \"%.80s\" has an empty part, a part above %d bytes or more than %d parts", who, key, MAX_KEY,
                            MAX_DEPTH);
        if (!key[len]) return put(of(t), key, len, value, who);
        bool found;
        size_t at = place(of(t), key, len, &found);
        vn__object *next = found ? of(t)->items[at].value : NULL;
        if (next && next->kind != VN__TREE)
            return vn__fail(VN_E_STRUCT, "%s: \"%.*s\" is an array, nothing can be put below it", who, (int)len, key);
        if (!next) {
            vn_tree *made = vn_tree_new();
            if (!made) return vn_status();
            int code = put(of(t), key, len, &made->object, who);
            if (code) return code;
            next = &made->object;
        }
        t = (vn_tree *)next;
        key += len + 1;
    }
}

static vn__object *get(const vn_tree *t, const char *key)
{
    while (key && *key) {
        size_t len = strcspn(key, "/.");
        bool found;
        size_t at = place(of(t), key, len, &found);
        if (!found) return NULL;
        vn__object *v = of(t)->items[at].value;
        if (!key[len]) return v;
        if (v->kind != VN__TREE) return NULL;
        t = (const vn_tree *)v;
        key += len + 1;
    }
    return NULL;
}

int vn_tree_set(vn_tree *t, const char *key, vn_array *x)
{
    if (!vn__check(t, VN__TREE, "tree_set", "t") || !vn__check(x, VN__ARRAY, "tree_set", key ? key : "x")) return vn_status();
    return set(t, key, &x->object, "tree_set");
}

int vn_tree_set_tree(vn_tree *t, const char *key, vn_tree *sub)
{
    if (!vn__check(t, VN__TREE, "tree_set_tree", "t") || !vn__check(sub, VN__TREE, "tree_set_tree", "sub")) return vn_status();
    if (inside(sub, &t->object, 0)) return vn__fail(VN_E_STRUCT, "tree_set_tree: a tree cannot be put into itself");
    return set(t, key, &sub->object, "tree_set_tree");
}

/* Getters return what belongs to the innermost scope, so the handle stays valid whatever happens to the tree. */
static void *lend(vn__object *v, const char *who)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    vn__object_retain(v);
    if (vn__scope_add(s, v)) return v;
    vn__object_release(v);
    return vn__no_memory(who), NULL;
}

static void *find(const vn_tree *t, const char *key, vn__kind kind, const char *who)
{
    if (!vn__check(t, VN__TREE, who, "t")) return NULL;
    vn__object *v = get(t, key);
    if (v && v->kind == (uint32_t)kind) return lend(v, who);
    vn__text keys = {0};
    for (size_t i = 0; i < of(t)->n; i++) vn__print(&keys, "%s%s", i ? ", " : "", of(t)->items[i].key);
    if (v) vn__fail(VN_E_STRUCT, "%s: \"%s\" is %s", who, key, v->kind == VN__TREE ? "a tree" : "an array");
    else
        vn__fail(VN_E_STRUCT, "%s: no \"%s\" in the tree, which has: %s", who, key ? key : "(NULL)",
                 keys.text && !keys.failed ? keys.text : "nothing");
    vn__free(keys.text);
    return NULL;
}

vn_array *vn_tree_get(const vn_tree *t, const char *key)
{
    return find(t, key, VN__ARRAY, "tree_get");
}
vn_tree *vn_tree_get_tree(const vn_tree *t, const char *key)
{
    return find(t, key, VN__TREE, "tree_get_tree");
}

int vn_tree_has(const vn_tree *t, const char *key)
{
    return vn__check(t, VN__TREE, "tree_has", "t") && get(t, key) != NULL;
}

vn_tree *vn_tree_of(const char *key, ...)
{
    vn_tree *t = vn_tree_new();
    va_list a;
    va_start(a, key);
    for (; key && t; key = va_arg(a, const char *)) {
        vn_array *x = va_arg(a, vn_array *);
        if (vn_tree_set(t, key, x)) t = NULL; /* its scope frees it */
    }
    va_end(a);
    return t;
}

/* ---- leaves, depth first ---- */

static int count(const vn_tree *t)
{
    int n = 0;
    for (size_t i = 0; i < of(t)->n; i++) {
        vn__object *v = of(t)->items[i].value;
        n += v->kind == VN__TREE ? count((vn_tree *)v) : 1;
    }
    return n;
}

/* Finds leaf *i, writing its path if asked; counts *i down on the way. */
static vn__object *nth(const vn_tree *t, int *i, vn__text *path)
{
    for (size_t k = 0; k < of(t)->n; k++) {
        item *it = &of(t)->items[k];
        size_t before = path ? path->size : 0;
        if (path) vn__print(path, "%s%s", path->size ? "/" : "", it->key);
        vn__object *v = it->value->kind == VN__TREE ? nth((vn_tree *)it->value, i, path) : (*i)-- == 0 ? it->value : NULL;
        if (v) return v;
        if (path && path->text) path->text[path->size = before] = 0;
    }
    return NULL;
}

int vn_tree_leaves(const vn_tree *t)
{
    return vn__check(t, VN__TREE, "tree_leaves", "t") ? count(t) : -1;
}

vn_array *vn_tree_leaf(const vn_tree *t, int i)
{
    if (!vn__check(t, VN__TREE, "tree_leaf", "t")) return NULL;
    int k = i;
    vn__object *v = i < 0 ? NULL : nth(t, &k, NULL);
    if (v) return lend(v, "tree_leaf");
    return vn__fail(VN_E_ARG, "tree_leaf: there is no leaf %d, the tree has %d", i, count(t)), NULL;
}

const char *vn_tree_leaf_key(const vn_tree *t, int i)
{
    vn__state *s = vn__enter();
    if (!s || !vn__check(t, VN__TREE, "tree_leaf_key", "t")) return NULL;
    vn__text_start(&s->key_text);
    int k = i;
    if (i >= 0 && nth(t, &k, &s->key_text)) return vn__text_finish(&s->key_text);
    return vn__fail(VN_E_ARG, "tree_leaf_key: there is no leaf %d, the tree has %d", i, count(t)), NULL;
}

vn_tree *vn__tree_map(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), void *to)
{
    vn_tree *out = vn_tree_new();
    for (size_t i = 0; out && i < of(t)->n; i++) {
        item *it = &of(t)->items[i];
        bool tree = it->value->kind == VN__TREE;
        void *v = tree ? (void *)vn__tree_map((vn_tree *)it->value, f, to) : (void *)f((vn_array *)it->value, to);
        if (!v || put(of(out), it->key, strlen(it->key), v, "tree")) return NULL;
    }
    return out;
}

void vn__tree_set_loss(vn_tree *t, vn_array *loss)
{
    of(t)->loss = &loss->object;
    of(t)->loss_generation = atomic_load(&loss->object.generation);
}

vn_array *vn__tree_loss(const vn_tree *t)
{
    vn__object *o = of(t)->loss;
    if (!o || atomic_load(&o->generation) != of(t)->loss_generation || !atomic_load(&o->refs)) return NULL;
    return (vn_array *)o;
}
