/* SPDX-License-Identifier: Apache-2.0 */
/* object.c: the slots behind arrays, trees, optimizers and modules. A slot outlives its object, so that use of a freed handle is
 * detected: slots are reused first-in first-out, and every public function checks that the slot is alive. VINEA_CHECK=1 never reuses
 * slots and records where each object was created. */
/* compiled for speed */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"
#include "core/place.h"
#include "program/node.h"
#include <pthread.h>

enum { SLAB = 256 };
typedef struct slab {
    struct slab *next;
    uint32_t owner;
    vn__object slots[SLAB];
} slab;

static slab *slabs;                            /* all slabs, until the last close */
static vn__object *orphan_first, *orphan_last; /* free slots of threads that ended */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void append(vn__object **first, vn__object **last, vn__object *o)
{
    o->next = NULL;
    if (*last) (*last)->next = o;
    else *first = o;
    *last = o;
}

/* Gives the thread free slots: those of ended threads, or a new slab. */
static bool refill(vn__state *s)
{
    pthread_mutex_lock(&lock);
    while (orphan_first) {
        vn__object *o = orphan_first;
        orphan_first = o->next;
        append(&s->free_first, &s->free_last, o);
        s->n_free++;
    }
    orphan_last = NULL;
    pthread_mutex_unlock(&lock);
    if (s->n_free >= SLAB / 2) return true;
    slab *b = vn__calloc(sizeof *b);
    if (!b) return s->free_first != NULL;
    b->owner = s->number;
    for (int i = 0; i < SLAB; i++) append(&s->free_first, &s->free_last, &b->slots[i]);
    s->n_free += SLAB;
    pthread_mutex_lock(&lock);
    b->next = slabs;
    slabs = b;
    pthread_mutex_unlock(&lock);
    return true;
}

vn__object *vn__object_new(vn__kind kind, void *body, const char *what)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    /* A short queue would reuse a freed slot immediately, so keep some in it. */
    if (s->n_free < SLAB / 4 && !refill(s)) return vn__no_memory(what), NULL;
    vn__object *o = s->free_first;
    s->free_first = o->next;
    if (!s->free_first) s->free_last = NULL;
    s->n_free--;
    atomic_init(&o->changes, 0);
    o->kind = kind;
    o->body = body;
    o->owner = s->number;
    atomic_store_explicit(&o->refs, 1, memory_order_release);
    if (!vn__scope_add(s, o)) {
        atomic_store_explicit(&o->refs, 0, memory_order_relaxed);
        o->body = NULL;
        append(&s->free_first, &s->free_last, o);
        s->n_free++;
        return vn__no_memory(what), NULL;
    }
    if (vn__checking) o->made = vn__place_new(what);
    atomic_store_explicit(&s->handles, atomic_load_explicit(&s->handles, memory_order_relaxed) + 1, memory_order_relaxed);
    return o;
}

void vn__object_retain(vn__object *o)
{
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
}

bool vn__object_retain_if_alive(vn__object *o)
{
    uint32_t n = atomic_load_explicit(&o->refs, memory_order_acquire);
    while (n && !atomic_compare_exchange_weak_explicit(&o->refs, &n, n + 1, memory_order_acquire, memory_order_acquire)) {
    }
    return n != 0;
}

void vn__object_release(vn__object *o)
{
    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1) return;
    void *body = o->body;
    vn__kind kind = (vn__kind)o->kind;
    o->body = NULL;
    /* Nobody else changes it: the last reference is gone. */
    atomic_store_explicit(&o->generation, atomic_load_explicit(&o->generation, memory_order_relaxed) + 1, memory_order_release);
    vn__state *s = vn__peek();
    if (s) atomic_store_explicit(&s->handles, atomic_load_explicit(&s->handles, memory_order_relaxed) - 1, memory_order_relaxed);
    if (!vn__checking) {
        if (s) {
            append(&s->free_first, &s->free_last, o);
            s->n_free++;
        } else {
            pthread_mutex_lock(&lock);
            append(&orphan_first, &orphan_last, o);
            pthread_mutex_unlock(&lock);
        }
    }
    vn__body_release(kind, body);
}

void vn__body_release(vn__kind kind, void *body)
{
    static void (*const release[])(void *) = {[VN__TREE] = vn__tree_release,       [VN__OPTIM] = vn__optim_release,
                                              [VN__FN] = vn__fn_release,           [VN__MEMORY] = vn__free,
                                              [VN__MODULE] = vn__module_release,   [VN__TRACE] = vn__calls_release,
                                              [VN__DATASET] = vn__dataset_release, [VN__GROUP] = vn__group_release};
    if (kind == VN__ARRAY) vn__node_release(body);
    else release[kind](body);
}

static int freed(const vn__object *o, const char *who, const char *argument)
{
    if (o == (const vn__object *)(const void *)vn_none())
        return vn__fail(VN_E_NULL, "%s: %s is absent (VN_NONE), but needed", who, argument);
    if (!o->made)
        return vn__fail(VN_E_FREED,
                        "%s: %s was freed: its scope is closed or it was dropped; vn_keep or vn_pass would have kept it (VINEA_CHECK=1 "
                        "tells where it was made)",
                        who, argument);
    char calls[512];
    vn__place_calls(o->made, calls, sizeof calls);
    return vn__fail(VN_E_FREED, "%s: %s was freed: it was object %llu, made by %s at %s", who, argument,
                    (unsigned long long)vn__place_number(o->made), vn__place_what(o->made), calls);
}

bool vn__check(const void *object, vn__kind kind, const char *who, const char *argument)
{
    const vn__object *o = object;
    if (o && vn__alive(o, kind)) return true;
    if (!o) vn__fail(VN_E_NULL, "%s: %s is NULL", who, argument);
    else if (atomic_load(&o->refs)) vn__fail(VN_E_ARG, "%s: %s is another kind of object", who, argument);
    else freed(o, who, argument);
    return false;
}

/* The live objects that the thread created, with one reference each; the caller frees the list. NULL if there are none or memory ran out.
 */
vn__object **vn__objects_of_thread(vn__state *s, int *n)
{
    pthread_mutex_lock(&lock);
    slab *first = slabs;
    pthread_mutex_unlock(&lock);
    size_t total = 0;
    for (slab *b = first; b; b = b->next) total += SLAB;
    vn__object **all = total ? vn__alloc(total * sizeof *all) : NULL;
    for (slab *b = all ? first : NULL; b; b = b->next) {
        for (int i = 0; i < SLAB; i++) {
            vn__object *o = &b->slots[i];
            if (!vn__object_retain_if_alive(o)) continue;
            all[*n] = o;
            if (o->owner == s->number) ++*n;
            else vn__object_release(o);
        }
    }
    return all;
}

void vn__objects_end_thread(vn__state *s)
{
    pthread_mutex_lock(&lock);
    while (s->free_first) {
        vn__object *o = s->free_first;
        s->free_first = o->next;
        append(&orphan_first, &orphan_last, o);
    }
    s->free_last = NULL;
    s->n_free = 0;
    pthread_mutex_unlock(&lock);
}

/* The last close: objects that were kept are released with their slots. */
void vn__objects_close(vn__state *s)
{
    for (slab *b = slabs; b; b = b->next) {
        for (int i = 0; i < SLAB; i++) {
            vn__object *o = &b->slots[i];
            void *body = o->body;
            bool alive = atomic_exchange(&o->refs, 0) != 0;
            o->body = NULL;
            vn__place_release(o->made);
            o->made = NULL;
            /* Releasing a tree releases its arrays, whose slots are already dead or are released later in this loop. */
            if (alive) vn__body_release((vn__kind)o->kind, body);
        }
    }
    orphan_first = orphan_last = s->free_first = s->free_last = NULL;
    s->n_free = 0;
    while (slabs) {
        slab *b = slabs;
        slabs = b->next;
        vn__free(b);
    }
}
