/* internal.h: what the parts of the core know of each other. Data flows one way:
 * public op -> ops/ (row, rules) -> program/record.c (node) -> program/evaluate.c (program) -> engine/. */
#ifndef VN_INTERNAL_H
#define VN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <vinea/engine.h>
#include <vinea/vinea.h>

typedef struct vn__node vn__node;
typedef struct vn__value vn__value;
typedef struct vn__engine vn__engine;
typedef struct vn__state vn__state;

/* ---- memory (core/memory.c) ---- */
void *vn__alloc(size_t bytes);  /* enters the library; NULL when there is none; sets no error */
void *vn__calloc(size_t bytes); /* zeroed */
void *vn__grow(void *old, size_t old_bytes, size_t bytes);
void vn__free(void *memory);
char *vn__copy_text(const char *text);
void *vn__block_alloc(size_t bytes); /* 64-byte aligned array memory, counted against the limit */
/* The same for threads that do not enter: one that is just doing so, and those of an engine, which work for one that has. */
void *vn__alloc_outside(size_t bytes);
void *vn__block_alloc_outside(size_t bytes);
void vn__block_free(void *memory);
void vn__memory_totals(int64_t *used, int64_t *peak, int64_t *limit);
int vn__no_memory(const char *who); /* sets VN_E_MEM */
int vn__allocator_set(const vn_allocator *a);

/* ---- objects: what scopes own (core/object.c) ---- */
typedef enum {
    VN__ARRAY = 1,
    VN__TREE = 2,
    VN__OPTIM = 3,
    VN__FN = 4,
    VN__MEMORY = 5, /* plain memory: texts and lists that belong to a scope */
    VN__MODULE = 6,
    VN__TRACE = 7,
    VN__DATASET = 8
} vn__kind;
typedef struct vn__object {
    _Atomic uint32_t refs;       /* 0: freed */
    _Atomic uint32_t generation; /* counts the slot's lives */
    uint32_t kind;
    uint32_t owner;          /* number of the thread whose slab it is in */
    void *body;              /* node, tree or optimizer */
    struct vn__object *next; /* free list */
    void *made;              /* VINEA_CHECK: where */
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
typedef struct vn__fn_head { /* what every function's body begins with */
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
vn__object **vn__objects_of_thread(vn__state *s, int *n);
void vn__objects_end_thread(vn__state *s);
void vn__objects_close(vn__state *s);

/* ---- thread state (core/state.c), scopes (core/scope.c) ---- */
typedef struct {
    vn__object *object;
    uint32_t generation;
    uint32_t pass;
} vn__entry;
typedef struct {
    vn_code code;
    char *message;
} vn__fence;
typedef struct {
    char *text;
    size_t size, capacity;
    bool failed;
} vn__text;
typedef struct {
    uint64_t *words;
    size_t size, capacity;
} vn__words;

/* Numbers a thread used lately, as an engine's 0-d buffers: loops use the same few again and again. */
enum { VN__NUMBERS = 64 };
typedef struct {
    vn__engine *engine;
    vn_buf *buf;
    int64_t bits;
    int dtype;
} vn__number_slot;

/* Nodes and values come and go with every op: each thread keeps some of the blocks it freed, by size. */
enum { VN__BLOCK = 64, VN__BLOCK_SIZES = 2 };
typedef struct {
    void *first; /* each block begins with a pointer to the next */
    uint32_t n;
} vn__blocks;

struct vn__state {
    vn__state *next; /* registry */
    uint32_t number;
    vn__engine *engine;
    vn_code code; /* first error */
    char message[1024];
    vn__fence *fences;
    int n_fences, cap_fences;
    vn__entry *entries; /* scopes: objects in order of making, and where each scope begins */
    size_t n_entries, cap_entries;
    size_t *marks;
    size_t n_marks, cap_marks;
    size_t floor;                       /* scopes that were open when the user's function was called that runs now */
    int callbacks;                      /* how many such functions run, inside each other */
    vn__object *free_first, *free_last; /* handle slots, first in first out */
    size_t n_free;
    uint8_t *modes; /* gradient mode stack */
    size_t n_modes, cap_modes;
    uint64_t random_seed, random_count;
    _Atomic int64_t nodes, handles; /* made minus freed by this thread */
    int64_t pending;                /* recorded since the last evaluation, for the safety net */
    bool in_net;
    vn__text text, key_text;     /* results of vn_text, vn_explain; of vn_tree_leaf_key */
    struct vn__scratch *scratch; /* evaluation's work space */
    vn__blocks blocks[VN__BLOCK_SIZES];
    vn__number_slot numbers[VN__NUMBERS];
    char info[4096]; /* texts of vn_engine_at */
};
/* This thread's state. Every call of the library looks at it, several times: on glibc it is a place that is known when the library is
 * loaded, where the general way is a function call. */
#ifdef __GLIBC__
#define VN__FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define VN__FAST_TLS
#endif
extern _Thread_local VN__FAST_TLS vn__state *vn__current;
vn__state *vn__state_make(void);
static inline vn__state *vn__enter(void) /* made on first use; NULL when out of memory */
{
    return __builtin_expect(vn__current != NULL, 1) ? vn__current : vn__state_make();
}
static inline vn__state *vn__peek(void) /* the same, but never makes one */
{
    return vn__current;
}

/* Like vn__alloc and vn__free, for what is made for every op. The block goes back with the size it was asked with. */
extern uint32_t vn__most_blocks; /* of one size that a thread keeps */
static inline void *vn__small_alloc(size_t bytes)
{
    size_t size = (bytes - 1) / VN__BLOCK;
    vn__state *s = vn__peek();
    if (size >= VN__BLOCK_SIZES) return vn__alloc(bytes);
    if (!s || !s->blocks[size].first) return vn__alloc((size + 1) * VN__BLOCK);
    void *m = s->blocks[size].first;
    memcpy(&s->blocks[size].first, m, sizeof m);
    s->blocks[size].n--;
    return m;
}
static inline void vn__small_free(void *m, size_t bytes)
{
    size_t size = (bytes - 1) / VN__BLOCK;
    vn__state *s = vn__peek();
    if (size >= VN__BLOCK_SIZES || !s || s->blocks[size].n >= vn__most_blocks) {
        vn__free(m);
        return;
    }
    memcpy(m, &s->blocks[size].first, sizeof m);
    s->blocks[size].first = m;
    s->blocks[size].n++;
}
void vn__blocks_free(vn__state *s);
int vn__fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vn__fail_in(const char *who); /* puts "who: " before the message of the error just set */
void vn__log(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern bool vn__checking, vn__eager, vn__strict; /* VINEA_CHECK, VINEA_EAGER, VINEA_STRICT, read when the first thread enters */
int64_t vn__nodes_alive(int64_t *handles);
extern int vn__forks;            /* how many forks this process came through */
void vn__engines_fork(int step); /* VN_FORK_BEFORE ... */
bool vn__scope_add(vn__state *s, vn__object *o);
void vn__scopes_close(vn__state *s);        /* all of them, the root too */
uint64_t vn__random_start(uint32_t thread); /* random/random.c */
void vn__random_reset(void);

/* ---- small text builder (core/text.c) ---- */
void vn__print(vn__text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vn__text_start(vn__text *t);
void vn__print_shape(vn__text *t, int rank, const int64_t *dims);
const char *vn__text_finish(vn__text *t);                                       /* NULL and VN_E_MEM when it did not fit */
const char *vn__shape_text(int rank, const int64_t *dims, char to[static 128]); /* "2x3" or "0-d" */

/* ---- dtypes (core/dtype.c) ---- */
int vn__promote(int a, int b); /* -1 where the dtypes have no common one */
double vn__get_double(const void *data, int64_t i, int dtype);
int64_t vn__get_int(const void *data, int64_t i, int dtype);
void vn__put_double(void *data, int64_t i, int dtype, double v);       /* as a cast has it; an imaginary part becomes 0 */
int vn__part_dtype(int dtype);                                         /* of the parts of a complex number; any other dtype itself */
double vn__get_part(const void *data, int64_t i, int dtype, int part); /* the real (0) or imaginary (1) part, which may be 0 */
bool vn__fits(double v, int dtype);                                    /* is the number one of the dtype's? Floats take every one */
int vn__check_number(const char *who, double v, int dtype, const char *engine); /* the same; sets VN_E_DTYPE where it is not */
static inline bool vn__is(int dtype, uint32_t set)
{
    return (VN_BIT(dtype) & set) != 0;
}

/* ---- the op table (ops/) ---- */
enum {
    VN__MAX_IN = 8,
    VN__MOST_IN = 1 << 20,
    VN__MAX_OUT = 8,
    VN__MAX_OPTIONS = 8,
    VN__OP_LEAF = 0xffff,
    VN__OP_SCALAR = 0xfffe,
    VN__OP_PART = 0xfffd
};
typedef enum {
    vn__kind_primitive,
    vn__kind_fused,
    vn__kind_composed,
    vn__kind_identity,
    vn__kind_leaf,
    vn__kind_move,
    vn__kind_tied
} vn__op_kind;

typedef struct vn__options { /* an op's options in the table's order; lists are copied in */
    int n;
    struct {
        bool given;
        int32_t n; /* length of a list; VN__ALL_AXES */
        union {
            int64_t i;
            double f;
            const char *s; /* of composed rows only: nodes keep no texts */
        } u;
        int64_t is[VN_MAX_RANK];
    } v[VN__MAX_OPTIONS];
} vn__options;
enum { VN__ALL_AXES = -1 };
void vn__put_shape(vn__options *o, vn_shape s);
void vn__put_order(vn__options *o, vn_axes a);
void vn__put_axes(vn__options *o, vn_axes a);
void vn__put_int(vn__options *o, int64_t i);
void vn__put_float(vn__options *o, double f);
void vn__put_text(vn__options *o, const char *s);

/* What is known of a result before it is computed. */
typedef struct vn__form {
    int dtype, rank; /* -1: that of the first result */
    int64_t dims[VN_MAX_RANK];
} vn__form;

/* What a shape or dtype rule sees and decides. Rules normalise options in place (axes sorted, -1 resolved). */
typedef struct vn__infer {
    const struct vn__op *op;
    vn__node *const *in; /* NULL where an optional input is absent */
    int n;               /* inputs */
    int n_list;          /* length of the lists among them */
    vn__options *options;
    const char *engine;
    int *want;       /* dtype each input is cast to */
    int dtype, rank; /* of the (first) result */
    int64_t dims[VN_MAX_RANK];
    int n_out;
    vn__form *forms; /* of the results after the first; those that no rule decides are like it */
    int n_asked;     /* results that the caller gets: all, or those that the public function shows */
    bool in_pieces;  /* set by a rule: engines' kernels do not know this case of a fused row, it is composed */
    vn_array **more; /* for compositions: the results after the first */
} vn__infer;

/* What a gradient rule sees: handles of inputs, output and cotangent, and the options. */
typedef struct vn__vjp_args {
    vn_array *const *in; /* NULL where an optional input is absent */
    int n;
    vn_array *out, *ct;                 /* of a row with one result */
    vn_array *const *outs, *const *cts; /* of a row with several: all of them; a cotangent is NULL where none reached it */
    int n_out;
    vn_array **kept; /* VN__MAX_OUT arrays that the gradient of one input leaves for those of the others, which come later; NULL at first */
    int64_t *memo;   /* two numbers for the same purpose; 0 at first */
    const vn_option *options;
    vn__object *fn; /* of a node made by vn_fn_call */
} vn__vjp_args;

typedef struct vn__op {
    vn_op_info info;
    vn__op_kind kind;
    int (*shape)(vn__infer *i);
    int (*dtype)(vn__infer *i);
    vn_array *(*vjp)(const vn__vjp_args *a, int k);                /* gradient for input k */
    vn_array *(*compose)(vn_array *const *in, const vn__infer *i); /* the result, or VN__AS_IS: record the row itself */
    const uint8_t *in_dtypes, *out_dtypes;                         /* 1 + the dtype an input or result always has; 0: any */
    int n_results;                                                 /* with those that the public function does not show */
    uint8_t in_lists, out_lists;                                   /* bit k: it is a list */
    uint64_t hash;                                                 /* of its name */
    const char *sample_shapes, *sample_options;                    /* engine/sample.c; NULL: 2x2 arrays, no options */
} vn__op;
extern const vn__op vn__ops[];
extern const int vn__op_count, vn__op_public, vn__op_to, /* public ops come first */ vn__op_cast, vn__op_custom, vn__op_matmul;
extern vn_array vn__as_is;
#define VN__AS_IS (&vn__as_is)
typedef struct vn__op_access { /* vn_op_count, vn_op_at and vn_call, with internal ops */
    int (*count)(void);
    int (*at)(int i, vn_op_info *info);
    int (*call)(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);
    int (*results)(const char *op, int n_in);
} vn__op_access;
extern const vn__op_access vn__all_ops;
int vn__op_find(const char *name);      /* by name or alias; -1 */
int vn__op_of_hash(uint64_t hash);      /* the same by its hash */
int vn__op_at(int i, vn_op_info *info); /* vn_op_at, for internal ops too */
/* vn_call, for internal ops too. */
int vn__op_call(int op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);

/* ---- values and nodes (program/node.c) ---- */
struct vn__value {
    _Atomic uint32_t refs;
    bool borrowed;  /* memory of the user's: never donated */
    bool unknown;   /* stands for an input while a function is captured; has no buffer */
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
static inline void vn__value_release(vn__value *v) /* NULL is fine */
{
    if (v && atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) == 1) vn__value_destroy(v);
}

typedef enum { VN__PENDING, VN__CLAIMED, VN__READY } vn__node_state;
enum { VN__HISTORY = 1, VN__VARIABLE = 2, VN__WEAK = 4, VN__CUSTOM = 8 /* its first word is a vn_fn it keeps */, VN__SEVERAL = 16 };

/* A recorded op, or a leaf. An op with several results is recorded as one node that nobody has a handle of and that never gets a value
 * (VN__SEVERAL), and a VN__OP_PART node, with its number as the only word, for each result. Shape and dtype of the former are those of the
 * first result; the others' stand behind its words. */
struct vn__node {
    _Atomic uint64_t counts; /* references, and above them the uses: pending nodes that have this one as input, once per use */
    _Atomic uint8_t state;   /* vn__node_state */
    uint8_t flags, dtype, rank;
    int32_t n_in;
    uint16_t op, n_words; /* options as words: a list is its length and its items */
    uint32_t index;       /* evaluation's walk; under the graph lock */
    uint64_t mark;
    vn__engine *engine;
    int64_t count;
    vn__value *value; /* when ready */
    void *tail[];     /* inputs, dims, words; of several results their number, and of each after the first dtype and rank, and dims */
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
/* An input is referred to and used, which is one addition; both end together too, unless the node that uses it keeps its history. */
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
static inline bool vn__node_subtract(vn__node *n, uint64_t counts) /* true: a reference was the last, the node is to be destroyed */
{
    return (uint32_t)atomic_fetch_sub_explicit(&n->counts, counts, memory_order_acq_rel) == (uint32_t)counts && (uint32_t)counts;
}
void vn__node_destroy(vn__node *n);
static inline void vn__node_retain(vn__node *n)
{
    vn__node_add(n, VN__A_REFERENCE);
}
static inline void vn__node_release(vn__node *n) /* NULL is fine */
{
    if (n && vn__node_subtract(n, VN__A_REFERENCE)) vn__node_destroy(n);
}
void vn__point(vn_array *h, vn__node *n);                    /* core/array.c: gives a handle another node */
vn_array *vn__number(const vn_array *like, double value);    /* a plain 0-d array of like's dtype, on its engine */
vn_array *vn__index(const vn_array *like, vn_shape numbers); /* an int64 vector on like's engine */
vn_array *vn__handle(vn__node *n,
                     const char *who); /* a new handle in the innermost scope; takes over one reference to n, also on failure */
vn__node *vn__leaf(vn__engine *e, int dtype, int rank, const int64_t *dims, vn__value *v); /* takes over v */
vn__node *vn__leaf_from(vn__engine *e, int dtype, int rank, const int64_t *dims, const vn_host_memory *m, const char *who);
vn__node *vn__leaf_number(vn__engine *e, int dtype, double value, const char *who); /* 0-d */
void vn__numbers_release(vn__state *s);
int vn__count(const char *who, int rank, const int64_t *dims, int dtype, int64_t *count); /* checks sizes and overflow */
size_t vn__decode_options(const vn__op *op, const int64_t *words, vn_option *out);        /* returns words read */
void vn__desc_of(const vn__node *n, vn_desc *d);

/* ---- recording (program/record.c) ---- */
/* The one place that records. `more` has room for the results after the first, NULL where a row has one; its entries are NULL for results
 * that the public function does not show. */
vn_array *vn__apply(int op, int n, vn_array *const *in, vn__options *o, vn_array **const *more);
/* The same for rows with lists: all inputs one after another, and room for all results. */
int vn__apply_lists(int op, int n, vn_array *const *in, vn__options *o, vn_array **out);
int vn__list_length(const vn__op *row, int n); /* of a row that gets n inputs; 0: it has no lists, -1: that cannot be */
int vn__results(int op, int n);                /* how many results it has */
/* The set of dtypes that the table leaves open: what kernels have to know. dtype_at(of, k) is that of input k, and of result k from n on;
 * -1 where an input is absent. */
uint32_t vn__open_dtypes(int op, int n, int (*dtype_at)(const void *of, int k), const void *of);
uint32_t vn__node_dtypes(const vn__node *n); /* of a recorded op */
bool vn__grad_mode(const vn__state *s);
void vn__safety_net(vn__state *s);

/* ---- evaluation (program/evaluate.c) ---- */
extern pthread_mutex_t vn__graph_lock;
/* Makes every target ready. `spare` nodes have one reference each that does not count against donation (the caller's, for rollback). */
int vn__evaluate(int n, vn__node *const *targets, int n_spare, vn__node *const *spare);
enum { VN__WORTH_DONATING = 64 }; /* elements */
/* Evaluates one pending node whose inputs are ready (program/single.c). False: it is another case, and nothing was done. */
bool vn__evaluate_single(vn__state *s, vn__node *n, int *code);
/* A claimed node becomes ready with a value it takes over (and, unless its history needs them, lets go of its inputs; those that nobody
 * else refers to are added to a list, and the caller destroys them later), or pending again without one. Under the graph lock, before
 * vn__tell_settled. */
void vn__node_settle(vn__node *n, vn__value *v, vn__node **freed, size_t *n_freed);
void vn__tell_settled(void);                                         /* wakes those who wait for claimed nodes */
int vn__prepare(int n, vn__node *const *targets, vn__text *explain); /* compiles only; writes what would run */
int vn__settle(vn__node *n);                                         /* evaluates one node, gives a weak number its value */

/* A program that is kept, to be run with other inputs. Parameters are values made by vn__value_unknown; every other input keeps the
 * value it has now. Targets and parameters are on one engine. */
typedef struct vn__recording vn__recording;
vn__value *vn__value_unknown(vn__engine *e);
vn__recording *vn__recording_new(vn__engine *e, int n, vn__node *const *targets, int n_parameters, vn__value *const *parameters,
                                 const char *who);
int vn__recording_run(const vn__recording *r, vn__value *const *parameters, vn_buf **out); /* one new reference per target */
void vn__recording_free(vn__recording *r);
void vn__scratch_free(struct vn__scratch *s);

/* ---- programs (program/program.c) ---- */
/* Writes dtype, rank and dims of a node into a program's text, with more bits from the sixteenth on; returns where the text goes on. */
static inline uint64_t *vn__put_desc(uint64_t *w, const vn__node *n, uint64_t more)
{
    *w++ = n->dtype | (uint64_t)n->rank << 8 | more;
    for (int k = 0; k < n->rank; k++) *w++ = (uint64_t)vn__node_dims(n)[k];
    return w;
}
/* Begins an instruction: its op and how many words of options, arguments and results follow. */
static inline uint64_t *vn__put_op(uint64_t *w, const vn__node *n)
{
    *w++ = vn__ops[n->op].hash;
    *w++ = n->n_words | (uint64_t)(uint32_t)n->n_in << 16 | (uint64_t)vn__node_results(n) << 40;
    return w;
}
enum { VN__COUNTS = 5 }; /* words at its beginning: numbers of inputs, instructions, results and outputs; precision */
typedef struct vn__compiled vn__compiled;
typedef struct vn__cache vn__cache;
vn__compiled *vn__cache_get(vn__engine *e, const uint64_t *words, size_t n, int *code); /* a reference; compiles on a miss */
void vn__cache_put(vn__compiled *c);
int vn__compiled_run(vn__compiled *c, vn_buf *const *in, vn_buf **out);
void vn__compiled_explain(vn__compiled *c, vn__text *t);
uint64_t vn__compiled_hash(const vn__compiled *c);
vn__engine *vn__compiled_engine(const vn__compiled *c);
void vn__cache_close(vn__engine *e);

/* ---- engines (engine/load.c, engine/interpret.c) ---- */
struct vn__engine {
    char name[32];
    vn_engine api;       /* as the plugin gave it, missing functions stubbed */
    vn_context *context; /* of the device it opened */
    int device;
    struct vn__plugin *plugin;  /* that brought it */
    const vn_kernel_row **rows; /* by op number */
    bool builtin;
    _Atomic bool open;
    int fork_generation;  /* when it was opened */
    pthread_mutex_t lock; /* opening */
    bool probed;          /* newer than any tested, so every op was tried when it opened */
    int left_out;         /* ops that failed their try */
    _Atomic(vn__cache *) cache;
};
static inline void vn__buf_retain(const vn__engine *e, vn_buf *buf)
{
    e->api.retain(e->context, buf);
}
int vn__execute(const vn__engine *e, vn_exe *exe, vn_buf *const *in, vn_buf **out); /* by an engine that compiles; sets no error */
vn__engine *vn__engine_find(const char *name); /* opened; NULL with the error set; NULL or "" is the default */
vn__engine *vn__engine_default(void);          /* computes what others cannot */
int vn__engine_forked(const vn__engine *e, const char *who);
static inline int vn__engine_usable(const vn__engine *e, const char *who) /* not after a fork, unless built in */
{
    return __builtin_expect(e->builtin || e->fork_generation == vn__forks, 1) ? VN_OK : vn__engine_forked(e, who);
}
/* Around every call of an engine's functions, but retain. A plugin is refused where the thread's stack is too small or the process exits
 * (engine/gate.c); calls inside of others cost nothing. */
int vn__gate_enter(const vn__engine *e, const char *who);
bool vn__gate_enter_quietly(void); /* false: leave it be */
void vn__gate_leave(void);
void vn__gate_release(const vn__engine *e, vn_buf *buf);
void vn__gate_stay_last(void); /* after a plugin's call that may have been the first of its kind */
void vn__gate_fork(void);      /* in the child */
void vn__engines_finish(void); /* load.c: what plugins still compute when the process exits */
static inline int vn__engine_enter(const vn__engine *e, const char *who)
{
    return __builtin_expect(e->builtin, 1) ? VN_OK : vn__gate_enter(e, who);
}
static inline void vn__engine_leave(const vn__engine *e)
{
    if (__builtin_expect(!e->builtin, 0)) vn__gate_leave();
}
static inline void vn__buf_release(const vn__engine *e, vn_buf *buf)
{
    if (__builtin_expect(e->builtin, 1)) e->api.release(e->context, buf);
    else vn__gate_release(e, buf);
}
size_t vn__stack_left(void); /* bytes of the calling thread's stack; SIZE_MAX: unknown */
bool vn__stack_enough(void); /* for the library itself */
int vn__engine_failed(const vn__engine *e, int code, const char *who, const char *what); /* an error, if the engine set none itself */
bool vn__engine_has(const vn__engine *e, int op, uint32_t dtypes); /* a kernel for all dtypes of this set (vn__open_dtypes) */
int vn__engine_open(vn__engine *e);
int64_t vn__engines_trim(void);              /* has memory given back that is kept for later; how many bytes */
int vn__engine_version_check(vn__engine *e); /* of one just opened and bound; tries its ops where the version is a new one */
/* A small call of an op, pending on the engine, in the innermost scope; NULL where the op does not take the dtype or is composed there. Its
 * results go to out. */
vn__node *vn__sample(vn__engine *e, int op, int dtype, vn_array *out[static VN__MAX_OUT]);
void vn__engines_close(void);
/* Memory of the host's for an array, and an array's for the host; set no error. */
int vn__from_host(const vn__engine *e, const vn_desc *d, const vn_host_memory *m, vn_buf **out, const char *who);
int vn__to_host(const vn__engine *e, vn_buf *buf, const vn_desc *d, const void **data, const char *who);
/* The same array on another engine, without a copy where both sides can. */
int vn__transfer(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out);
const vn_plugin *vn__native_main(const vn_host *host); /* engines/native */
void vn__dlpack_release(struct DLManagedTensorVersioned *tensor);
typedef struct vn__runs vn__runs; /* reusable work space of an interpreted program */
vn__runs *vn__runs_new(const vn__engine *e, const vn_program *p);
int vn__interpret(vn__runs *r, vn_buf *const *in, vn_buf **out);
void vn__runs_free(vn__runs *r);
void vn__cache_fork(vn__engine *e, int step);

/* ---- trace (core/trace.c) ---- */
extern _Atomic int vn__tracing; /* 0: off, -1: not asked yet */
int64_t vn__trace_time(void);
void vn__trace_write(int64_t begin, const char *name, const char *engine, uint64_t hash, int n);
static inline int64_t vn__trace_begin(void) /* 0 when tracing is off */
{
    return __builtin_expect(atomic_load_explicit(&vn__tracing, memory_order_relaxed) != 0, 0) ? vn__trace_time() : 0;
}
static inline void vn__trace_end(int64_t begin, const char *name, const char *engine, uint64_t hash, int n)
{
    if (__builtin_expect(begin != 0, 0)) vn__trace_write(begin, name, engine, hash, n);
}
void vn__trace_close(void);

/* ---- calls of the user's functions (core/callback.c) ---- */
/* While one runs, the library cannot be closed, nor a scope from before. Around a function that makes nothing the two inline ones are
 * enough; both may be given NULL. */
static inline size_t vn__user_begin(vn__state *s)
{
    if (!s) return 0;
    size_t before = s->floor;
    s->floor = s->n_marks;
    s->callbacks++;
    return before;
}
static inline void vn__user_end(vn__state *s, size_t before)
{
    if (!s) return;
    s->floor = before;
    s->callbacks--;
}
/* begin; the call; then result, or check and what else is to be done, and end. */
typedef struct vn__call {
    vn__state *state;
    vn_scope scope;
    vn_code before;
    size_t user;
    int n;
    const void *given;
} vn__call;
/* Opens a scope and keeps the n objects, which `given` points to a list of pointers to (NULL and VN_NONE among them are fine), alive. False
 * with the error set. */
bool vn__call_begin(vn__call *c, int n, const void *given);
int vn__call_check(vn__call *c, const char *who); /* the error it set, named after `who`, or that it dropped what it was given */
void vn__call_end(vn__call *c);
/* All of the second half: the result checked and passed out of the scope; sets the error if there is none or a dead one. */
vn__object *vn__call_result(vn__call *c, void *result, vn__kind kind, const char *who);
vn_array *vn__callback(vn_loss_fn fn, const vn_tree *p, void *data, const char *who);
vn_array *vn__call_fn(vn_array_fn fn, vn_array *x, void *user, const char *who); /* NULL for x NULL */

/* ---- gradients (grad/grad.c) ---- */
/* The product of a cotangent of y with the derivative of y by each wrt. */
int vn__vjp_nodes(vn__node *y, vn_array *ct, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who);
int vn__gradients(vn__node *loss, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who);

/* ---- trees (core/tree.c) ---- */
vn_tree *vn__tree_map(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), void *to); /* same structure, new leaves */
void vn__tree_set_loss(vn_tree *t, vn_array *loss);  /* remembers the loss these gradients belong to, without keeping it alive */
vn_array *vn__tree_loss(const vn_tree *t);           /* NULL when it is gone */
void vn__tree_set_along(vn_tree *t, vn_tree *along); /* arrays that a step with these gradients evaluates too; keeps them */
const vn_tree *vn__tree_along(const vn_tree *t);     /* NULL when there are none */

#endif
