/* SPDX-License-Identifier: Apache-2.0 */
/* scope.c: ownership of returned objects. A thread's objects are in one list in order of creation; a scope is the position in
 * the list where it began. Closing a scope keeps what was passed out, releases the rest, and restores the autocast of its beginning. */
/* compiled for speed */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"

/* Room for one more item in a list; `list` is a pointer to a pointer of any type. */
static bool room(void *list, size_t *capacity, size_t n, size_t item)
{
    if (n < *capacity) return true;
    size_t cap = *capacity ? 2 * *capacity : 64;
    void *old, *m;
    memcpy(&old, list, sizeof old);
    if (!(m = vn__grow(old, n * item, cap * item))) return false;
    memcpy(list, &m, sizeof m);
    *capacity = cap;
    return true;
}

bool vn__scope_grow(vn__state *s)
{
    return room(&s->entries, &s->cap_entries, s->n_entries, sizeof *s->entries);
}

vn_scope vn_scope_begin(void)
{
    vn__state *s = vn__enter();
    if (!s) return -1;
    if (!room(&s->marks, &s->cap_marks, s->n_marks, sizeof *s->marks)) return vn__no_memory("scope_begin"), -1;
    s->marks[s->n_marks++] = (vn__mark){.first = s->n_entries, .autocast = s->autocast};
    return (vn_scope)s->n_marks;
}

/* Releases everything created since `begin`, in reverse order. */
static void close_from(vn__state *s, size_t begin)
{
    size_t end = s->n_entries, kept = begin;
    bool passes = false;
    for (size_t i = begin; i < end; i++) passes |= s->entries[i].pass != 0;
    for (size_t i = end; i-- > begin;) {
        vn__entry e = s->entries[i];
        if (e.pass) continue;
        if (!passes) s->n_entries = i; /* so that a release callback that creates objects finds a consistent list */
        if (atomic_load_explicit(&e.object->generation, memory_order_acquire) == e.generation) vn__object_release(e.object);
        s->entries[i].object = NULL;
    }
    if (!passes) return;
    for (size_t i = begin; i < s->n_entries; i++) {
        if (!s->entries[i].object) continue;
        s->entries[kept] = s->entries[i];
        s->entries[kept++].pass = 0;
    }
    s->n_entries = kept;
}

void vn__scope_own(vn__state *s, size_t before, int n, vn_array *const *arrays)
{
    if (s->n_entries == before + 1 && n == 1 && s->entries[before].object == &arrays[0]->object) { /* an op that was only recorded */
        s->n_entries = before;
        return;
    }
    for (int k = 0; k < n; k++) vn__object_retain(&arrays[k]->object);
    if (s->n_entries > before) close_from(s, before);
}

static void close_one(vn__state *s)
{
    const vn__mark mark = s->marks[--s->n_marks];
    s->autocast = mark.autocast;
    close_from(s, mark.first);
}

void vn__scopes_close(vn__state *s)
{
    while (s->n_marks) close_one(s);
    close_from(s, 0); /* the root scope */
}

int vn_scope_end(vn_scope scope)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (scope < 1 || (size_t)scope > s->n_marks)
        return vn__fail(VN_E_ARG, "scope_end: scope %lld is not open in this thread", (long long)scope);
    if ((size_t)scope <= s->floor)
        return vn__fail(VN_E_ARG, "scope_end: scope %lld was open before the callback, which cannot close it", (long long)scope);
    while (s->n_marks >= (size_t)scope) close_one(s);
    return VN_OK;
}

void vn__scope_leave(vn_scope *scope)
{
    vn__state *s = vn__peek();
    if (!s || *scope < 1 || (size_t)*scope <= s->floor) return; /* vn_close inside the block has already closed it */
    while (s->n_marks >= (size_t)*scope) close_one(s);
}

static void *pass(void *object, vn__kind kind, const char *who)
{
    vn__state *s = vn__enter();
    if (!s || !vn__check(object, kind, who, "x")) return NULL;
    if (!s->n_marks) return object;
    for (size_t i = s->n_entries, begin = s->marks[s->n_marks - 1].first; i-- > begin;) {
        vn__entry *e = &s->entries[i];
        if (e->object != object || atomic_load_explicit(&e->object->generation, memory_order_relaxed) != e->generation) continue;
        e->pass = 1;
        break;
    }
    return object; /* not found: an outer scope or a vn_keep holds it */
}

static void *keep(void *object, vn__kind kind, const char *who)
{
    if (!vn__check(object, kind, who, "x")) return NULL;
    vn__object_retain(object);
    return object;
}

static void drop(void *object, vn__kind kind, const char *who)
{
    if (object && vn__check(object, kind, who, "x")) vn__object_release(object);
}

vn_array *vn_own(vn_array *x)
{
    vn__state *s = vn__enter();
    if (!s || !vn__check(x, VN__ARRAY, "own", "x")) return NULL;
    const size_t begin = s->n_marks ? s->marks[s->n_marks - 1].first : 0;
    for (size_t i = s->n_entries; i-- > begin;) {
        vn__entry *e = &s->entries[i];
        if (e->object != &x->object || atomic_load_explicit(&e->object->generation, memory_order_relaxed) != e->generation) continue;
        memmove(e, e + 1, (--s->n_entries - i) * sizeof *e);
        return x;
    }
    return keep(x, VN__ARRAY, "own"); /* an outer scope or a vn_keep holds it */
}

vn_array *vn_pass(vn_array *x)
{
    return pass(x, VN__ARRAY, "pass");
}
vn_tree *vn_tree_pass(vn_tree *t)
{
    return pass(t, VN__TREE, "tree_pass");
}
vn_array *vn_keep(vn_array *x)
{
    return keep(x, VN__ARRAY, "keep");
}
vn_tree *vn_tree_keep(vn_tree *t)
{
    return keep(t, VN__TREE, "tree_keep");
}
vn_optim *vn_optim_keep(vn_optim *o)
{
    return keep(o, VN__OPTIM, "optim_keep");
}
void vn_drop(vn_array *x)
{
    drop(x, VN__ARRAY, "drop");
}
void vn_tree_drop(vn_tree *t)
{
    drop(t, VN__TREE, "tree_drop");
}
void vn_optim_drop(vn_optim *o)
{
    drop(o, VN__OPTIM, "optim_drop");
}
vn_fn *vn_fn_keep(vn_fn *f)
{
    return keep(f, VN__FN, "fn_keep");
}
void vn_fn_drop(vn_fn *f)
{
    drop(f, VN__FN, "fn_drop");
}
vn_module *vn_module_pass(vn_module *m)
{
    return pass(m, VN__MODULE, "module_pass");
}
vn_module *vn_module_keep(vn_module *m)
{
    return keep(m, VN__MODULE, "module_keep");
}
void vn_module_drop(vn_module *m)
{
    drop(m, VN__MODULE, "module_drop");
}
vn_module_trace *vn_module_trace_pass(vn_module_trace *t)
{
    return pass(t, VN__TRACE, "trace_pass");
}
vn_module_trace *vn_module_trace_keep(vn_module_trace *t)
{
    return keep(t, VN__TRACE, "trace_keep");
}
void vn_module_trace_drop(vn_module_trace *t)
{
    drop(t, VN__TRACE, "trace_drop");
}
vn_dataset *vn_dataset_pass(vn_dataset *d)
{
    return pass(d, VN__DATASET, "dataset_pass");
}
vn_dataset *vn_dataset_keep(vn_dataset *d)
{
    return keep(d, VN__DATASET, "dataset_keep");
}
void vn_dataset_drop(vn_dataset *d)
{
    drop(d, VN__DATASET, "dataset_drop");
}
vn_group *vn_group_pass(vn_group *g)
{
    return pass(g, VN__GROUP, "group_pass");
}
vn_group *vn_group_keep(vn_group *g)
{
    return keep(g, VN__GROUP, "group_keep");
}
void vn_group_drop(vn_group *g)
{
    drop(g, VN__GROUP, "group_drop");
}
