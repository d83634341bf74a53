/* SPDX-License-Identifier: Apache-2.0 */
/* node.h: values and nodes (node.c), and how ops record them (record.c). */
#ifndef VN_PROGRAM_NODE_H
#define VN_PROGRAM_NODE_H

#include "core/dtype.h"
#include "core/state.h"
#include "ops/op.h"
#include <vinea/engine.h>

typedef struct vn__value vn__value;

typedef struct {
    uint64_t *words;
    size_t size, capacity;
} vn__words;

struct vn__value {
    _Atomic uint32_t refs;
    bool borrowed;  /* the user's memory: never donated */
    bool unknown;   /* an input of a function that is being captured; has no buffer */
    uint32_t index; /* evaluation's walk; under the graph lock */
    uint64_t mark;
    vn__engine *engine;
    vn_buf *buf;
};
vn__value *vn__value_new(vn__engine *e, vn_buf *buf); /* takes the buffer; NULL (buffer released) when out of memory */
void vn__value_destroy(vn__value *v);
static inline void vn__value_free(vn__value *v) /* one without a buffer */
{
    if (v) vn__small_free(v, sizeof *v);
}
static inline void vn__value_retain(vn__value *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
}
static inline void vn__value_release(vn__value *v) /* NULL is ignored */
{
    if (!v) return;
    /* As in vn__node_subtract: the last reference needs no subtraction. */
    if (atomic_load_explicit(&v->refs, memory_order_acquire) == 1 || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) == 1)
        vn__value_destroy(v);
}

typedef enum { VN__PENDING, VN__CLAIMED, VN__READY } vn__node_state;
enum {
    VN__HISTORY = 1,
    VN__VARIABLE = 2,
    VN__WEAK = 4,
    VN__CUSTOM = 8 /* its first word is a vn_fn to which it holds a reference */,
    VN__SEVERAL = 16,
    VN__ON_NATIVE = 32 /* computed by the native engine, whatever engine it belongs to */
};

/* A recorded op, or a leaf. An op with several results is recorded as one node without a handle that never gets a value
 * (VN__SEVERAL), and a VN__NODE_PART node, with its number as the only word, for each result. The former has the shape and dtype of
 * the first result; the others' follow its words. */
struct vn__node {
    _Atomic uint64_t counts; /* references in the low half; uses in the high half: inputs of pending nodes that are this node */
    _Atomic uint8_t state;   /* vn__node_state */
    uint8_t flags, dtype, rank;
    int32_t n_in;
    uint16_t op, n_words; /* options as words: a list is its length and its items */
    uint32_t index;       /* evaluation's walk; under the graph lock */
    uint64_t mark;
    vn__engine *engine;
    int64_t count;
    vn__value *value; /* when ready */
    void *tail[];     /* inputs, dims, words; for several results their number, then dtype and rank, and dims of each after the first;
                       * where vn__seek is on, its place */
};
static inline vn__node **vn__node_in(const vn__node *n)
{
    return (vn__node **)(void *)n->tail;
}
static inline int64_t *vn__node_dims(const vn__node *n)
{
    return (int64_t *)(void *)(n->tail + n->n_in);
}
static inline int64_t *vn__node_words(const vn__node *n)
{
    return (int64_t *)(void *)(n->tail + n->n_in + n->rank);
}
static inline int64_t *vn__node_forms(const vn__node *n) /* of several results */
{
    return vn__node_words(n) + n->n_words;
}
static inline uint32_t vn__node_results(const vn__node *n)
{
    return n->flags & VN__SEVERAL ? (uint32_t)vn__node_forms(n)[0] : 1;
}
static inline vn__object *vn__node_fn(const vn__node *n)
{
    return n->flags & VN__CUSTOM ? (vn__object *)(uintptr_t)vn__node_words(n)[0] : NULL;
}
static inline int vn__node_state_of(const vn__node *n)
{
    return atomic_load_explicit(&n->state, memory_order_acquire);
}
static inline vn__node *vn__node_of(const vn_array *x)
{
    return x->object.body;
}

vn__node *vn__node_new(int op, vn__engine *e, int n_in, int dtype, int rank, const int64_t *dims,
                       int n_words); /* refs 1, no error set on NULL */
vn__node *vn__node_several(int op, vn__engine *e, int n_in, int n_words, const vn__infer *i);
vn__node *vn__node_part(vn__node *n, int k);                /* a node for result k; no error set on NULL */
bool vn__node_parts(vn__node *n, int many, vn__node **out); /* for the first ones; false when out of memory */
struct vn__place **vn__node_place(const vn__node *n);       /* where an op was recorded; only where vn__seek is on */
/* An input gets a reference and a use in one addition; both are dropped together unless the user keeps its history. */
#define VN__A_REFERENCE UINT64_C(1)
#define VN__A_USE (UINT64_C(1) << 32)
static inline uint32_t vn__node_refs(const vn__node *n)
{
    return (uint32_t)atomic_load_explicit(&n->counts, memory_order_relaxed);
}
static inline uint32_t vn__node_uses(const vn__node *n)
{
    return (uint32_t)(atomic_load_explicit(&n->counts, memory_order_relaxed) >> 32);
}
static inline void vn__node_add(vn__node *n, uint64_t counts)
{
    atomic_fetch_add_explicit(&n->counts, counts, memory_order_relaxed);
}
static inline bool vn__node_subtract(vn__node *n, uint64_t counts) /* true: it was the last reference, destroy the node */
{
    /* The owner of all references skips the atomic subtraction, the largest cost of recording: no other thread can add a reference. */
    if ((uint32_t)counts && (uint32_t)atomic_load_explicit(&n->counts, memory_order_acquire) == (uint32_t)counts) return true;
    return (uint32_t)atomic_fetch_sub_explicit(&n->counts, counts, memory_order_acq_rel) == (uint32_t)counts && (uint32_t)counts;
}
void vn__node_destroy(vn__node *n);
static inline void vn__node_retain(vn__node *n)
{
    vn__node_add(n, VN__A_REFERENCE);
}
static inline void vn__node_release(vn__node *n) /* NULL is ignored */
{
    if (n && vn__node_subtract(n, VN__A_REFERENCE)) vn__node_destroy(n);
}
void vn__point(vn_array *h, vn__node *n);                    /* core/array.c: points a handle at another node */
vn_array *vn__number(const vn_array *like, double value);    /* a plain 0-d array of like's dtype, on its engine */
vn_array *vn__index(const vn_array *like, vn_shape numbers); /* an int64 vector on like's engine */
vn_array *vn__handle(vn__node *n, const char *who); /* a new handle in the innermost scope; consumes one reference to n, also on failure */
vn__node *vn__leaf(vn__engine *e, int dtype, int rank, const int64_t *dims, vn__value *v); /* takes over v */
vn__node *vn__leaf_from(vn__engine *e, int dtype, int rank, const int64_t *dims, const vn_host_memory *m, const char *who);
static inline vn__num vn__node_number(const vn__node *n) /* of a weak number: VN__NODE_SCALAR */
{
    vn__num v = {.dtype = n->dtype, .i = vn__node_words(n)[0]};
    memcpy(&v.re, vn__node_words(n), sizeof v.re);
    if (n->dtype == VN_C64) memcpy(&v.im, vn__node_words(n) + 1, sizeof v.im);
    return v;
}
vn__node *vn__leaf_number(vn__engine *e, int dtype, const vn__num *value, const char *who); /* 0-d */
void vn__numbers_release(vn__state *s);
int vn__count(const char *who, int rank, const int64_t *dims, int dtype, int64_t *count); /* checks sizes and overflow */
size_t vn__decode_options(const vn__op *op, const int64_t *words, vn_option *out);        /* returns words read */
void vn__desc_of(const vn__node *n, vn_desc *d);

/* ---- recording (record.c) ---- */
/* The one place that records. `more` has room for the results after the first, NULL where a row has one; its entries are NULL for results
 * that the public function does not show. */
vn_array *vn__apply(int op, int n, vn_array *const *in, vn__options *o, vn_array **const *more);
/* The same for rows with lists: all inputs in one list, and room for all results. */
int vn__apply_lists(int op, int n, vn_array *const *in, vn__options *o, vn_array **out);
int vn__list_length(const vn__op *row, int n); /* length of the lists for n inputs; 0: the row has no lists, -1: invalid */
int vn__results(int op, int n);                /* how many results it has */
/* Which of the row's m inputs or results number k belongs to, counting the items of lists; k becomes its number in the list. */
int vn__column(uint8_t lists, int m, int length, int *k);
/* The set of dtypes that the table leaves open, which kernels must support. dtype_at(of, k) is the dtype of input k, and of result k - n
 * from n on; -1 for an absent input. */
uint32_t vn__open_dtypes(int op, int n, int (*dtype_at)(const void *of, int k), const void *of);
uint32_t vn__node_dtypes(const vn__node *n); /* of a recorded op */
bool vn__grad_mode(const vn__state *s);
void vn__safety_net(vn__state *s);

#endif
