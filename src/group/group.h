/* SPDX-License-Identifier: Apache-2.0 */
/* group.h (internal): shared by the files of src/group and src/train. open.c finds the launcher's plugin and opens the world, keeper.c begins
 * and ends it; transfer.c moves memory and waits; collectives.c are the public functions on arrays; tree.c sums in a fixed tree; parts.c
 * adds up a batch in parts, exchange.c those of all ranks, shared.c where these see the same memory, overlap.c while
 * gradients are computed; gradients.c computes the parts. */
#ifndef VN_GROUP_INSIDE_H
#define VN_GROUP_INSIDE_H

#include "core/object.h"
#include <vinea/group.h>
#include <vinea/ranks.h>

struct vn_group {
    vn__object object;
};
typedef struct vn__group {
    vn_comm *comm; /* NULL: one rank */
    int rank, ranks;
    double timeout;
    bool world;   /* its communicator is the process's, not its own */
    int *numbers; /* of its ranks, among all processes; NULL: they are the same */
} vn__group;
/* How messages name rank k of a group, whichever group it is: by its number among all processes, which the launcher knows too. */
static inline int vn__group_number(const vn__group *g, int k)
{
    return g->numbers ? g->numbers[k] : k;
}
static inline vn__group *vn__group_of(const vn_group *g)
{
    return g->object.body;
}
/* The body of a group that an option may leave out. */
static inline const vn__group *vn__group_or_one(const vn_group *g)
{
    static const vn__group one = {.ranks = 1};
    return g ? vn__group_of(g) : &one;
}

/* ---- the world (open.c) ---- */
typedef struct vn__world {
    const vn_group_plugin *api; /* NULL: not open */
    vn_comm *comm;
    int rank, ranks;
    char broken[600]; /* why nothing can be sent any more; "": nothing failed */
    int forks;        /* of the process when it was opened */
    double timeout;   /* of the group that was opened last */
    int neighbours;   /* ranks on this machine, itself too */
    int cores;        /* that this process may use */
    size_t shared;    /* bytes of each rank that all of them see; 0: none */
    size_t paged;     /* of a sum there that have their pages */
    bool posted;      /* the others were told that this rank gives up */
    int closing;      /* other ranks that have told it, and are in vn_close now */
    int silent;       /* other ranks that did not answer */
    _Atomic int lost; /* transfers that began and are no longer waited for after a failure */
} vn__world;
extern vn__world vn__the_world;

/* ---- the thread in which the plugin begins and ends (keeper.c) ---- */
/* Begins, within w->timeout: w's group of all processes, how many of them are on this machine, and the memory that they share. */
int vn__keeper_begin(const vn_group_plugin *api, vn__world *w, const char *who);
int vn__keeper_end(double seconds, const char *who); /* ends, when all have come to it */
void vn__keeper_leave(void);                         /* ends the thread, but not the plugin's part in the job; nothing if there is none */
bool vn__keeper_is_stuck(void);                      /* a thread was left in the plugin */

/* ---- memory (transfer.c) ---- */
/* Around a call of the plugin elsewhere than in transfer.c: threads call it one at a time. */
void vn__group_lock(void);
void vn__group_unlock(void);
/* Starts n transfers, and waits for all of them. After a failure some may still read and write their memory, which is freed by vn__group_free only. */
typedef struct {
    int n, left;
    int kind; /* of the first transfer, for messages */
    vn_work **work;
} vn__flight;
int vn__group_start(const vn__group *g, int n, vn_transfer *t, vn__flight *f, const char *who);
int vn__group_wait(const vn__group *g, vn__flight *f, const char *who);
int vn__group_progress(const vn__group *g, vn__flight *f); /* moves it on, without waiting; f->left is what has not ended */
int vn__group_run(const vn__group *g, int n, vn_transfer *t, const char *who); /* both */
int vn__group_ended(int code);                                                 /* what the plugin says, in this thread, ends the world */
void vn__group_lose(const vn__group *g, vn__flight *f);                        /* it is no longer waited for; nothing if it has ended */
/* Frees the memory of transfers, unless one was lost: then it stays. */
void vn__group_free(void *memory);
void vn__group_block_free(void *memory);
/* The same for one transfer of any size, in pieces. */
int vn__group_move(const vn__group *g, const vn_transfer *t, const char *who);
extern int64_t vn__group_piece; /* most elements of a piece; tests make it small */
extern double vn__group_answer; /* seconds within which ranks that wait say so; tests make it small */
/* This many bytes of every rank, in all[ranks][bytes]. */
int vn__group_gather(const vn__group *g, const void *own, void *all, size_t bytes, const char *who);
/* Tells the others that this rank gives up, and why; only the first time. */
void vn__group_give_up(const char *why);
/* Tells the others that this rank has reported its error, and waits some seconds for them to do so. */
void vn__group_part(void);
int vn__group_no_memory(const char *who); /* VN_E_MEM where the others wait for this rank: it gives up */
/* If one rank failed, all fail, with its message. explain: where all know already that one did. */
int vn__group_agree(const vn__group *g, int code, const char *who);
int vn__group_explain(const vn__group *g, int code, const char *who);

/* ---- sums in a fixed tree (tree.c) ---- */
/* A tree over n leaves: n is split at the largest power of two below it, and so on. Its inner nodes are blocks of 2^k leaves that begin at
 * a multiple of 2^k, but for those on the right edge. A stack of blocks in order, the left ones larger, is all that is kept. */
enum { VN__TREE_LEVELS = 48 };
typedef struct vn__block {
    int64_t at, n; /* leaves */
    char *sum;
} vn__block;
typedef struct vn__tree_sum {
    size_t floats, bytes; /* of a sum: float32 in its first `floats` bytes, float64 after them */
    bool borrowed;        /* the sums are the caller's memory */
    char *lent;           /* the first sum is in this memory, which is the caller's; NULL: none */
    int n;
    vn__block stack[VN__TREE_LEVELS];
    int n_spare;
    char *spare[VN__TREE_LEVELS]; /* memory for further sums */
} vn__tree_sum;
/* The sum that leaf `at` goes to: *fresh: new memory, to be set; otherwise its values are added. NULL: out of memory. Then settle. */
char *vn__tree_sum_leaf(vn__tree_sum *s, int64_t at, bool *fresh);
void vn__tree_sum_settle(vn__tree_sum *s);               /* merges siblings */
void vn__tree_sum_push(vn__tree_sum *s, vn__block next); /* the next block, and settles */
/* The sum of all blocks times a factor; to: any memory, that of the first block too. Nothing is on the stack then but what it was. */
void vn__tree_sum_finish(vn__tree_sum *s, char *to, double factor);
void vn__tree_sum_free(vn__tree_sum *s);
/* The blocks into which the leaves first to end - 1 merge by themselves; returns their number, at most 2 * VN__TREE_LEVELS. */
int vn__tree_blocks(int64_t first, int64_t end, vn__block *to);
/* A loop over i from 0 to n - 1 in vectors: the compiler makes them of loops of a known length. Elements depend on none before them. */
#define VN__FOR_VECTORS(n, ...)                                                                                        \
    do {                                                                                                               \
        const size_t vn__n = (size_t)(n), vn__whole = vn__n / 16 * 16;                                                 \
        for (size_t vn__at = 0; vn__at < vn__whole; vn__at += 16) _Pragma("GCC ivdep") for (size_t j = 0; j < 16; j++) \
            {                                                                                                          \
                const size_t i = vn__at + j;                                                                           \
                __VA_ARGS__;                                                                                           \
            }                                                                                                          \
        for (size_t i = vn__whole; i < vn__n; i++) __VA_ARGS__;                                                        \
    } while (0)
/* to += from, in this range of bytes of two sums. */
void vn__sum_add(char *to, const char *from, size_t floats, size_t begin, size_t end);

/* ---- a batch in parts (parts.c, exchange.c, gradients.c) ---- */
typedef struct { /* memory that arrays alias */
    _Atomic int refs;
    char *memory;
    bool shared; /* it is the one that all ranks have */
} vn__part_total;
enum { VN__PARTS_NUMBER, VN__PARTS_ENGINE, VN__PARTS_ARRAYS, VN__PARTS_RANDOM, VN__PARTS_FACTS };
typedef struct vn__parts {
    const char *who;
    const vn__group *group;
    int64_t n, first, end; /* parts of the batch, and this rank's own */
    bool idle;             /* none of its own: it computes the first one, for the shapes */
    bool fast;             /* sums in the order of MPI_Allreduce */
    int n_values;          /* numbers of each part; the first is its weight */
    double *values;        /* n x n_values; after the exchange those of all ranks */
    double weight;         /* after the exchange: of all parts */
    vn_array *key;         /* of the step: each part folds its number into it */
    uint64_t random;       /* a hash of where the key comes from */
    struct vn__key_source *before;
    int n_arrays;
    struct vn__part_array *arrays; /* where each array stands in a sum */
    int *order;                    /* their numbers, by that place */
    vn__tree_sum sum;
    size_t used; /* bytes of a sum, without what follows the last array */
    uint64_t facts
        [VN__PARTS_FACTS]; /* what all ranks have alike, hashed: the number of parts, the engine, the arrays, random numbers if a part uses any */
    struct vn__overlap *overlap; /* sums that are on their way already; NULL: none */
    vn__part_total *total;       /* after the exchange: the weighted means; arrays hold references */
} vn__parts;
/* Begins a step; n_values is at least 1. The same on all ranks. Nothing is to be freed after a failure. */
int vn__parts_begin(vn__parts *p, const vn_group *g, int64_t n, int n_values, bool fast, const char *who);
static inline int64_t vn__parts_first(const vn__parts *p, int rank) /* the first part of a rank */
{
    return (rank * p->n + p->group->ranks - 1) / p->group->ranks;
}
static inline int64_t vn__parts_todo(const vn__parts *p) /* how many this rank computes */
{
    return p->idle ? 1 : p->end - p->first;
}
static inline int64_t vn__parts_number(const vn__parts *p, int64_t k) /* of the k-th of them */
{
    return p->idle ? 0 : p->first + k;
}
int vn__parts_enter(vn__parts *p, int64_t part, struct vn__key_source *source); /* random keys are the part's until leave */
void vn__parts_leave(vn__parts *p);
/* Adds the arrays of a part, which are evaluated, times its weight values[0]. The same number and shapes for every part. */
int vn__parts_add(vn__parts *p, int64_t part, int n, vn_array *const *arrays, const double *values);
void vn__parts_values(vn__parts *p, int64_t part, const double *values); /* the part's numbers alone */
/* Where this rank's only part is added late to the chunk of its sum that it finishes itself: these bytes of the sum, in `room`, or where
 * an array has just them. NULL: the sum has them. */
const char *vn__parts_late(const vn__parts *p, size_t begin, size_t end, char *room, bool where_it_is);
void vn__parts_late_end(vn__parts *p); /* the sum has them, or nothing reads them any more */
/* Where array k stands in a sum of float32, in bytes; of k = n_arrays the end. */
size_t vn__parts_at(const vn__parts *p, int k);
/* The same for the last part of this rank, before it is computed, in several calls: begins, then adds arrays first to end - 1, which are
 * evaluated, and starts their sums (overlap.c). */
int vn__parts_begin_last(vn__parts *p, int64_t part, int n, vn_array *const *arrays, bool *wanted);
int vn__parts_add_last(vn__parts *p, int first, int end, vn_array *const *arrays, double weight);
/* Exchanges values and sums, after `code` on this rank: if one rank failed, all fail, with its message. */
int vn__parts_exchange(vn__parts *p, int code);
/* The weighted mean of the k-th array over all parts, in its shape, dtype and engine. */
vn_array *vn__parts_result(vn__parts *p, int k);
void vn__parts_end(vn__parts *p);
void vn__exchange_close(void); /* frees what exchanges keep */

/* ---- sums in memory that all ranks see (shared.c) ---- */
enum { VN__MAX_SHARED = 1 << 27 }; /* bytes of each rank: half for its sum; the first rank's other half is the total of all */
extern size_t vn__shared_least;    /* bytes of a sum; smaller ones travel in messages. Tests change it */
extern double
    vn__shared_far; /* seconds that a line takes from one core to another; from there on, lines are written past the caches. Tests change it */
void vn__shared_lend(vn__parts *p);   /* memory for this rank's sum, if all ranks can have it there */
void vn__shared_return(vn__parts *p); /* what was lent */
char *vn__shared_sum(int rank);       /* a rank's sum */
/* Copies to memory that other ranks read, which begins on 16 bytes. */
void vn__shared_write(char *to, const char *from, size_t bytes);
bool vn__shared_total_is_free(void); /* on this rank */
char *vn__shared_take_total(void);   /* its arrays live until vn__shared_give_total */
void vn__shared_give_total(void);

/* ---- sums on their way while the last part is computed (overlap.c) ---- */
typedef struct vn__overlap vn__overlap;
bool vn__overlap_wanted(const vn__parts *p);                    /* once the arrays' places are known; the same on all ranks */
int vn__overlap_first(const vn__parts *p, int end, int bucket); /* the first array of a bucket that ends before array `end` */
int vn__overlap_start(vn__parts *p, size_t at, size_t end);     /* these bytes of this rank's first block, in place */
int vn__overlap_wait(vn__parts *p);
void vn__overlap_end(vn__parts *p); /* frees it; after a failure the transfers go on */
extern size_t vn__overlap_bucket;   /* bytes at least; tests change it */

/* What is computed of each part: a loss and its gradients, and what is computed with them. */
enum { VN__PART_MORE = 64 };
typedef struct vn__part_work {
    vn_module *module; /* its buffers start from the same values in every part, and get the mean; NULL: none */
    vn_array *(*gradient)(void *user, vn_part *part, vn_tree **grads); /* records them */
    int (*more)(void *user, vn_array **list);   /* further arrays of the part, at most VN__PART_MORE; returns their number. NULL: none */
    int (*measure)(void *user, double *values); /* after all are computed: the part's numbers but the first, its weight. NULL: none */
    void *user;
} vn__part_work;
/* A step over all parts. The loss and, in *grads, its gradient belong to the innermost scope. p->values has all parts' numbers. */
vn_array *vn__parts_compute(vn__parts *p, const vn__part_work *w, vn_tree **grads);

#endif
