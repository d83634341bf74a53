/* SPDX-License-Identifier: Apache-2.0 */
/* object.h: what scopes own: handles of arrays, trees, optimizers, functions, modules (object.c). */
#ifndef VN_CORE_OBJECT_H
#define VN_CORE_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <vinea/vinea.h>

typedef struct vn__state vn__state;

typedef enum {
    VN__ARRAY = 1,
    VN__TREE = 2,
    VN__OPTIM = 3,
    VN__FN = 4,
    VN__MEMORY = 5, /* plain memory: strings and lists owned by a scope */
    VN__MODULE = 6,
    VN__TRACE = 7,
    VN__DATASET = 8,
    VN__GROUP = 9
} vn__kind;
typedef struct vn__object {
    _Atomic uint32_t refs;       /* 0: freed */
    _Atomic uint32_t generation; /* how often the slot has been reused */
    uint32_t kind;
    uint32_t owner; /* number of the thread whose slab it is in */
    void *body;     /* node, tree or optimizer */
    union {
        struct vn__object *next; /* of a free slot: free list */
        _Atomic int64_t changes; /* of an array: how often it got another value */
    };
    struct vn__place *made; /* VINEA_CHECK: where it was created */
} vn__object;
struct vn_array {
    vn__object object;
};
struct vn_tree {
    vn__object object;
};
struct vn_optim {
    vn__object object;
};
struct vn_fn {
    vn__object object;
};
typedef struct vn__fn_head { /* the start of every function's body */
    void (*release)(void *body);
    vn_array *(*call)(vn_fn *f, vn_array *x);
} vn__fn_head;
struct vn_module {
    vn__object object;
};
struct vn_module_trace {
    vn__object object;
};
struct vn_dataset {
    vn__object object;
};

vn__object *vn__object_new(vn__kind kind, void *body, const char *what); /* owned by the innermost scope; NULL with the error set */
bool vn__object_retain_if_alive(vn__object *o);
void vn__object_retain(vn__object *o);
void vn__object_release(vn__object *o);
static inline bool vn__alive(const vn__object *o, vn__kind kind)
{
    return __builtin_expect(atomic_load_explicit(&o->refs, memory_order_acquire) && o->kind == (uint32_t)kind, 1);
}
/* True if o is alive and of that kind; else sets VN_E_NULL or VN_E_FREED, naming `who` and `argument`. */
bool vn__check(const void *object, vn__kind kind, const char *who, const char *argument);
void vn__body_release(vn__kind kind, void *body);
void vn__tree_release(void *body);
void vn__optim_release(void *body);
void vn__fn_release(void *body);
void vn__module_release(void *body);
void vn__calls_release(void *body);
void vn__dataset_release(void *body);
void vn__group_release(void *body);
vn__object **vn__objects_of_thread(vn__state *s, int *n);
void vn__objects_end_thread(vn__state *s);
void vn__objects_close(vn__state *s);

#endif
