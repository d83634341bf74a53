/* SPDX-License-Identifier: Apache-2.0 */
/* module.c: the module object: creation, attributes, variables and sub-modules by name. */
#include "nn/module.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/callback.h"
#include <string.h>

/* ---- small helpers ---- */

vn_module *vn__module_lend(vn_module *m, const char *who)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    vn__object_retain(&m->object);
    if (vn__scope_add(s, &m->object)) return m;
    vn__object_release(&m->object);
    return vn__no_memory(who), NULL;
}

const char *vn__text_out(vn__text *t, const char *who)
{
    char *text = t->failed || !t->text ? NULL : vn__scope_memory(t->size + 1, who);
    if (text) memcpy(text, t->text, t->size), text[t->size] = 0;
    else vn__no_memory(who);
    vn__free(t->text);
    *t = (vn__text){0};
    return text;
}

bool vn__text_keep(char **to, const char *text, const char *who)
{
    *to = vn__copy_text(text);
    return *to || (vn__no_memory(who), false);
}

void vn__tree_replace(vn_tree **t, vn_tree *to)
{
    if (to) vn__object_retain(&to->object);
    if (*t) vn__object_release(&(*t)->object);
    *t = to;
}

/* ---- creating and freeing ---- */

static void free_self(const vn_module_class *class, void *self)
{
    const size_t inside = vn__user_begin(vn__peek());
    if (self && class->free) class->free(self);
    vn__user_end(vn__peek(), inside);
}

static void drop_attribute(vn__module *b, vn__attribute *a)
{
    vn__module *child = a->child ? vn__module_of(a->child) : NULL; /* NULL at the last close, if the child was released first */
    if (child && child->parent == b && !a->again) child->parent = NULL;
    if (a->child) vn__object_release(&a->child->object);
    vn__free(a->name);
    vn__free(a->chain);
}

void vn__module_cut(vn__module *b, int n)
{
    while (b->n > n) drop_attribute(b, &b->attributes[--b->n]);
}

void vn__module_release(void *memory)
{
    vn__module *b = memory;
    vn__module_cut(b, 0);
    vn__module_twins_free(b);
    vn__module_rules_free(b);
    vn__free(b->attributes);
    vn_tree **trees[] = {&b->o.v, &b->own, &b->v, &b->buffers, &b->frozen};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) vn__tree_replace(trees[i], NULL);
    free_self(b->class, b->self);
    if (b->class->self_size) vn__free(b->self);
    vn__free(b);
}

static int check_class(const vn_module_class *c)
{
    if (!c->name || !*c->name || strpbrk(c->name, "/.") || strlen(c->name) > VN__CLASS_NAME)
        return vn__fail(VN_E_ARG, "module_new: a class needs a name without '/' and '.', of %d letters at most", VN__CLASS_NAME);
    if (!c->forward && !c->forward_tree) return vn__fail(VN_E_NULL, "module_new: %s has no forward function", c->name);
    return VN_OK;
}

static int check_options(const vn_module_class *c, const vn_module_opts *o)
{
    if (o->build_mode < VN_BUILD_ON_INIT || o->build_mode > VN_BUILD_ON_CALL)
        return vn__fail(VN_E_ARG, "module_new: %s: build mode %d is not a vn_build_mode", c->name, o->build_mode);
    if (o->no_store && o->build_mode == VN_BUILD_ON_INIT && !o->v)
        return vn__fail(VN_E_ARG, "module_new: %s: variables that are not stored are what vn_module_build returns: build it explicitly",
                        c->name);
    return o->v && !vn__check(o->v, VN__TREE, "module_new", "v") ? (int)vn_status() : VN_OK;
}

/* Takes ownership of self, also on failure. */
static vn_module *make(const vn_module_class *class, void *self, const vn_module_opts *o)
{
    vn__module *b = vn__calloc(sizeof *b);
    void *copy = class->self_size ? vn__alloc(class->self_size) : NULL;
    if (!b || (class->self_size && !copy)) {
        vn__free(b);
        vn__free(copy);
        free_self(class, self);
        return vn__no_memory("module_new"), NULL;
    }
    if (copy && self) memcpy(copy, self, class->self_size);
    else if (copy) memset(copy, 0, class->self_size);
    b->class = class;
    b->self = copy ? copy : self;
    b->o = *o;
    b->o.v = NULL;
    vn__tree_replace(&b->o.v, o->v);
    b->training = true;
    b->handle = (vn_module *)vn__object_new(VN__MODULE, b, "module_new");
    if (b->handle) return b->handle;
    vn__module_release(b);
    return NULL;
}

vn_module *vn_module_new(const vn_module_class *cls, void *self, const vn_module_opts *opts)
{
    vn_module_opts o = {.size = sizeof o};
    if (!cls) return vn__fail(VN_E_NULL, "module_new: cls is NULL"), NULL;
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "module") || VN__OBJECTS(opts, o.v)) return free_self(cls, self), NULL;
    return vn__module_new(cls, self, &o);
}

vn_module *vn__module_new(const vn_module_class *cls, void *self, const vn_module_opts *o)
{
    if (VN__FLAGS("module", VN__FLAG(*o, with_partial_v), VN__FLAG(*o, no_store)) || check_class(cls) || check_options(cls, o))
        return free_self(cls, self), NULL;
    VN_SCOPE;
    vn_module *m = make(cls, self, o);
    if (!m || (o->build_mode == VN_BUILD_ON_INIT && vn__module_ensure(vn__module_of(m), NULL, NULL, "module_new"))) return NULL;
    if (o->build_mode == VN_BUILD_ON_INIT) vn__module_forget(vn__module_of(m));
    return vn_module_pass(m);
}

/* ---- attributes ---- */

/* "_l0" to "l0" */
static const char *without_underscore(const char *name)
{
    return *name == '_' ? name + 1 : name;
}

/* Is the name taken, ignoring a leading underscore? */
static bool has_name(const vn__module *b, const char *name)
{
    size_t n = strlen(without_underscore(name));
    for (int i = 0; i < b->n; i++) {
        const char *other = without_underscore(b->attributes[i].name);
        if (!strncmp(other, without_underscore(name), n) && (!other[n] || other[n] == '/')) return true;
    }
    return false;
}

static bool is_below(const vn__module *b, const vn__module *top)
{
    if (b == top) return true;
    for (int i = 0; i < top->n; i++) {
        if (!top->attributes[i].again && is_below(b, vn__module_of(top->attributes[i].child))) return true;
    }
    return false;
}

static int room_for(vn__module *b, const char *who)
{
    if (b->n < b->capacity) return VN_OK;
    int capacity = b->capacity ? 2 * b->capacity : 8;
    void *m = vn__grow(b->attributes, (size_t)b->n * sizeof *b->attributes, (size_t)capacity * sizeof *b->attributes);
    if (!m) return vn__no_memory(who);
    b->attributes = m;
    b->capacity = capacity;
    return VN_OK;
}

static int check_name(const char *name, const char *who)
{
    if (!name) return vn__fail(VN_E_NULL, "%s: the name is NULL", who);
    if (!*without_underscore(name) || strpbrk(name, "/.") || strlen(name) > VN__TREE_KEY)
        return vn__fail(VN_E_ARG, "%s: \"%.100s\" is not a valid name: one without '/' and '.', of 1 to %d bytes, is needed", who, name,
                        VN__TREE_KEY);
    return VN_OK;
}

/* Adds one child. `item` is NULL, or its name within a list or dict. */
static int add_one(vn__module *b, const char *name, const char *item, vn_module *child, const char *who)
{
    if (!vn__check(child, VN__MODULE, who, "the child")) return vn_status();
    vn__module *c = vn__module_of(child);
    if (is_below(b, c)) return vn__fail(VN_E_STRUCT, "%s: %s \"%s\" would be below itself", who, c->class->name, name);
    int code = room_for(b, who);
    if (code) return code;
    char full[2 * VN__TREE_KEY + 8], chain[sizeof full];
    snprintf(full, sizeof full, "%s%s%s", name, item ? "/" : "", item ? item : "");
    snprintf(chain, sizeof chain, "%s%s%s", without_underscore(name), item ? "/" : "", item ? without_underscore(item) : "");
    vn__attribute *a = &b->attributes[b->n];
    *a = (vn__attribute){0};
    bool hidden = !strncmp(name, "__", 2) || (item && !strncmp(item, "__", 2));
    if (!vn__text_keep(&a->name, full, who) || (!hidden && !vn__text_keep(&a->chain, chain, who))) {
        vn__free(a->name);
        return vn_status();
    }
    for (int i = 0; i < b->n; i++) a->again |= b->attributes[i].child == child && b->attributes[i].chain;
    vn__object_retain(&child->object);
    a->child = child;
    if (!c->parent && a->chain) c->parent = b, c->place = b->n;
    b->n++;
    return VN_OK;
}

/* Adds all children under one name, or none of them. */
static int add(vn_module *m, const char *name, const char *const *items, vn_module *const *children, int n, const char *who)
{
    if (!vn__module_ok(m, who)) return vn_status();
    vn__module *b = vn__module_of(m);
    int code = check_name(name, who), before = b->n;
    if (!code && b->built && (b->called || b->o.build_mode != VN_BUILD_ON_CALL))
        code = vn__fail(VN_E_ARG, "%s: %s is built already: add \"%s\" in the class's build, or before vn_module_build in explicit mode",
                        who, b->class->name, name);
    if (!code && n && has_name(b, name)) code = vn__fail(VN_E_STRUCT, "%s: %s has a \"%s\" already", who, b->class->name, name);
    for (int i = 0; i < n && !code; i++) {
        if (items) code = check_name(items[i], who);
        if (!code && !children[i]) code = vn_status(); /* one that failed to be made is not skipped */
        else if (!code) code = add_one(b, name, items ? items[i] : NULL, children[i], who);
    }
    if (code) vn__module_cut(b, before);
    return code;
}

int vn_module_add(vn_module *m, const char *name, vn_module *child)
{
    return add(m, name, NULL, &child, 1, "module_add");
}

int vn_module_add_list(vn_module *m, const char *name, vn_module *const *children, int n)
{
    static const char who[] = "module_add_list";
    if (n < 0) return vn__fail(VN_E_ARG, "%s: %d children", who, n);
    if (n && !children) return vn__fail(VN_E_NULL, "%s: children is NULL", who);
    VN_SCOPE;
    char(*keys)[16] = vn__scope_memory(((size_t)n + 1) * sizeof *keys, who);
    const char **items = keys ? vn__scope_memory(((size_t)n + 1) * sizeof *items, who) : NULL;
    if (!items) return vn_status();
    for (int i = 0; i < n; i++) snprintf(keys[i], sizeof keys[i], "v%d", i), items[i] = keys[i];
    return add(m, name, items, children, n, who);
}

int vn_module_add_dict(vn_module *m, const char *name, const char *const *keys, vn_module *const *children, int n)
{
    static const char who[] = "module_add_dict";
    if (n < 0) return vn__fail(VN_E_ARG, "%s: %d children", who, n);
    if (n && (!children || !keys)) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, keys ? "children" : "keys");
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i && keys[i] && keys[k]; k++) {
            if (!strcmp(keys[i], keys[k])) return vn__fail(VN_E_STRUCT, "%s: the key \"%s\" occurs twice", who, keys[i]);
        }
    }
    return add(m, name, keys, children, n, who);
}

/* ---- queries ---- */

void *vn_module_self(const vn_module *m)
{
    return vn__module_ok(m, "module_self") ? vn__module_of(m)->self : NULL;
}

const char *vn_module_class_name(const vn_module *m)
{
    return vn__module_ok(m, "module_class_name") ? vn__module_of(m)->class->name : NULL;
}

int vn_module_is_built(const vn_module *m)
{
    return vn__module_ok(m, "module_is_built") && vn__module_of(m)->built;
}

int vn_module_build_mode(const vn_module *m)
{
    return vn__module_ok(m, "module_build_mode") ? vn__module_of(m)->o.build_mode : -1;
}

/* The length of the prefix if `text`, or its part up to a '/', equals it; otherwise 0. */
static size_t begins(const char *text, const char *with)
{
    size_t n = with ? strlen(with) : 0;
    return n && !strncmp(text, with, n) && (!text[n] || text[n] == '/') ? n : 0;
}

static const char *attribute_at(int i, void *module)
{
    const vn__attribute *a = &((const vn__module *)module)->attributes[i];
    return a->chain ? a->chain : a->name;
}

static int no_child(const vn__module *b, const char *name, const char *who)
{
    vn__text all = {0};
    char near[128];
    for (int i = 0; i < b->n; i++) vn__print(&all, "%s%s", i ? ", " : "", attribute_at(i, (void *)(uintptr_t)b));
    int code =
        vn__fail(VN_E_STRUCT, "%s: %s has no sub-module \"%.200s\"; it has: %.500s%s", who, b->class->name, name,
                 all.text && !all.failed ? all.text : "none", vn__did_you_mean(name, b->n, attribute_at, (void *)(uintptr_t)b, near));
    vn__free(all.text);
    return code;
}

vn_module *vn_module_child(const vn_module *m, const char *name)
{
    static const char who[] = "module_child";
    if (!vn__module_ok(m, who)) return NULL;
    if (!name) return vn__fail(VN_E_NULL, "%s: name is NULL", who), NULL;
    const char *rest = name;
    vn__module *b = vn__module_of(m);
    for (int i = 0; i < b->n;) {
        const vn__attribute *a = &b->attributes[i++];
        size_t n = begins(rest, a->name);
        if (!n) n = begins(rest, a->chain);
        if (!n) continue;
        if (!rest[n]) return vn__module_lend(a->child, who);
        rest += n + 1;
        b = vn__module_of(a->child);
        i = 0;
    }
    return no_child(b, rest, who), NULL;
}

vn_array *vn_module_var(vn_module *m, const char *chain)
{
    vn_tree *v = vn_module_v(m);
    return v ? vn_tree_get(v, chain) : NULL;
}
