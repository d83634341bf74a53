/* SPDX-License-Identifier: Apache-2.0 */
/* state.h: per-thread state: scopes, first error, current engine (state.c, scope.c). */
#ifndef VN_CORE_STATE_H
#define VN_CORE_STATE_H

#include "core/memory.h"
#include "core/object.h"
#include "core/text.h"
#include <string.h>
#include <vinea/engine.h>

typedef struct vn__engine vn__engine;

typedef struct {
    vn__object *object;
    uint32_t generation;
    uint32_t pass;
} vn__entry;
typedef struct {
    vn_code code;
    char *message;
    bool no_engine;
} vn__fence;

/* The numbers a thread used last, as 0-d buffers: loops use the same few numbers. */
enum { VN__NUMBERS = 64 };
typedef struct {
    vn__engine *engine;
    vn_buf *buf;
    int64_t bits[2]; /* the second: of a complex number */
    int dtype;
} vn__number_slot;

/* Programs of one op that a thread ran last (program/cache.c). */
enum { VN__RECENT = 16 };

/* Every op allocates and frees nodes, values and often a little data, so each thread caches freed blocks by size, which needs no lock. */
enum { VN__BLOCK = 64, VN__BLOCK_SIZES = 2, VN__DATA_SIZES = 8 };
typedef struct {
    void *first; /* each block begins with a pointer to the next */
    uint32_t n;
} vn__blocks;

/* Keys that all come from one key: the first use folds 0 into it, the next 1 ... */
typedef struct vn__key_source {
    vn_array *key;
    uint64_t used;
} vn__key_source;
/* Numbers that a layer shares with the ranks that compute other parts of the batch at the same time (group/gradients.c). */
typedef struct vn__sharing {
    int (*sum)(struct vn__sharing *s, int n, double *numbers, const char *who); /* each becomes its sum over the ranks; of all in turn */
    const double *weight; /* of this rank's part in the loss, once the loss is recorded */
    bool counts;          /* this rank's numbers do; otherwise it computes along for the others' sake */
    bool used;
} vn__sharing;
/* The thread's next key, for who was given none; refused while a function is captured, which would keep it for good (random.c). */
vn_array *vn__on_engine(vn_array *x, const char *engine); /* array.c: x itself if it is there, otherwise moved; NULL for NULL */
vn_array *vn__next_key(const char *who);                  /* who: NULL in a composition, whose op is named anyway */

/* Where a scope began. */
typedef struct vn__mark {
    size_t first; /* of its objects */
    vn_dtype autocast;
} vn__mark;

struct vn__state {
    vn__state *next; /* registry */
    uint32_t number;
    vn__engine *engine;
    uint32_t precision; /* of float32 products: VN_PRECISION_... */
    vn_dtype autocast;  /* the half-precision dtype of vn_autocast; VN_NO_DTYPE: off */
    bool on_native;     /* ops that are recorded now are computed by the native engine, whatever engine their arrays are on: record.c */
    bool no_engine;     /* the last vn_use failed, and neither was another chosen since nor that error cleared */
    vn_code code;       /* first error */
    char message[1024];
    vn__fence *fences;
    int n_fences, cap_fences;
    vn__entry *entries; /* scopes: objects in order of creation, and where each scope begins */
    size_t n_entries, cap_entries;
    vn__mark *marks;
    size_t n_marks, cap_marks;
    size_t floor;                       /* scopes that were open when the user's function was called that runs now */
    int callbacks;                      /* how many such functions run, inside each other */
    int capturing;                      /* how many of them are being captured */
    vn__object *free_first, *free_last; /* handle slots, first in first out */
    size_t n_free;
    uint8_t *modes; /* gradient mode stack */
    size_t n_modes, cap_modes;
    const struct vn__trail *trail; /* what is running in the library: core/place.h */
    bool check_positions; /* vn_check_positions or VINEA_CHECK, while an op is called that is not part of another one: ops/positions.c */
    bool looked, outside; /* positions were looked at, and one was outside */
    uint64_t random_seed, random_count;
    vn__key_source *key_source;     /* where vn_random_key takes keys from instead; NULL: seed and count */
    vn__sharing *sharing;           /* NULL: this process computes the whole batch */
    _Atomic int64_t nodes, handles; /* created minus freed by this thread */
    int64_t pending;                /* recorded since the last evaluation, for the safety net */
    bool in_net;
    bool in_hook;                                             /* of a profile */
    int64_t traced;                                           /* ns that writing events took */
    vn__text text, key_text;                                  /* results of vn_text, vn_explain; of vn_tree_leaf_key */
    struct vn__scratch *scratch;                              /* evaluation's workspace */
    vn__blocks blocks[VN__BLOCK_SIZES], data[VN__DATA_SIZES]; /* data: of vn__block_alloc */
    _Atomic int64_t cached;                                   /* bytes in `data` */
    vn__number_slot numbers[VN__NUMBERS];
    struct vn__compiled *recent[VN__RECENT];
    char info[4096]; /* texts of vn_engine_at */
};
/* This thread's state. Every call reads it several times; on glibc its location is fixed at load time, which avoids the function call
 * of general thread-local storage. */
#ifdef __GLIBC__
#define VN__FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define VN__FAST_TLS
#endif
extern _Thread_local VN__FAST_TLS vn__state *vn__current;
vn__state *vn__state_make(void);
static inline vn__state *vn__enter(void) /* created on first use; NULL when out of memory */
{
    return __builtin_expect(vn__current != NULL, 1) ? vn__current : vn__state_make();
}
static inline vn__state *vn__peek(void) /* the same, but never creates one */
{
    return vn__current;
}
/* Whether the thread's next ops are computed by the native engine, as random numbers are, so that they have the same bits on every engine;
 * returns what it was. Not for gradients, whose ops are recorded later. */
static inline bool vn__on_native(bool now)
{
    vn__state *s = vn__peek();
    const bool before = s->on_native;
    s->on_native = now;
    return before;
}

/* Like vn__alloc and vn__free, for blocks that every op needs. The block must be freed with the size it was allocated with. */
extern uint32_t vn__most_blocks; /* the most blocks of one size that a thread caches */
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
void vn__recent_release(vn__state *s); /* program/cache.c */
int vn__fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vn__fail_in(const char *who); /* prefixes the message of the error just set with "who: ", unless it begins so */
void vn__log(const char *format, ...) __attribute__((format(printf, 1, 2)));
vn__engine *vn__engine_in_use(vn__state *s);     /* where new arrays live; NULL, with the error set, after a vn_use that failed */
extern bool vn__checking, vn__eager, vn__strict; /* VINEA_CHECK, VINEA_EAGER, VINEA_STRICT, read when the first thread enters */
/* VINEA_CHECK=nan or finite: every program is also run op by op, to find the first NaN, or also infinity (program/finite.c). */
extern enum vn__seek { VN__SEEK_NOTHING, VN__SEEK_NAN, VN__SEEK_NOT_FINITE } vn__seek;
int64_t vn__nodes_alive(int64_t *handles, int64_t *cached); /* of all threads; cached: bytes of small blocks */
extern int vn__forks;                                       /* number of forks between the first process and this one */
void vn__engines_fork(int step);                            /* VN_FORK_BEFORE ... */
void vn__decoders_close(void);                              /* image/decoders.c */
int vn__groups_close(int code);    /* the end of a rank's part (group/open.c); returns the code, or why the other ranks failed */
bool vn__scope_grow(vn__state *s); /* room for one more object */
/* Inline: every array that is made is added. */
static inline bool vn__scope_add(vn__state *s, vn__object *o)
{
    if (s->n_entries == s->cap_entries && !vn__scope_grow(s)) return false;
    s->entries[s->n_entries++] = (vn__entry){o, atomic_load_explicit(&o->generation, memory_order_relaxed), 0};
    return true;
}
void vn__scopes_close(vn__state *s); /* all scopes, including the root */
/* Gives n arrays to the caller, who has a reference to each then; what else was made since there were `before` entries is released. */
void vn__scope_own(vn__state *s, size_t before, int n, vn_array *const *arrays);
uint64_t vn__random_start(uint32_t thread); /* random/random.c */
void vn__random_reset(void);

#endif
