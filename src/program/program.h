/* SPDX-License-Identifier: Apache-2.0 */
/* program.h: evaluation (build.c, evaluate.c) and programs (program.c). */
#ifndef VN_PROGRAM_PROGRAM_H
#define VN_PROGRAM_PROGRAM_H

#include "program/node.h"
#include <pthread.h>

extern pthread_mutex_t vn__graph_lock;
/* Makes every target ready. The caller's references keep the targets until it returns. `spare` nodes have one reference each that does not
 * count against donation (the caller's, for rollback). */
int vn__evaluate(int n, vn__node *const *targets, int n_spare, vn__node *const *spare);
enum { VN__MIN_DONATED = 64 }; /* elements */
/* Evaluates one pending node whose inputs are ready (program/single.c). False: not such a case, nothing was done. */
bool vn__evaluate_single(vn__state *s, vn__node *n, int *code);
/* A claimed node becomes ready with a value, which it takes over, or pending again without one. Unless its history needs them, it
 * releases its inputs; those without other references are added to a list, which the caller destroys later. Under the graph lock, before
 * vn__tell_settled. */
void vn__node_settle(vn__node *n, vn__value *v, vn__node **freed, size_t *n_freed);
void vn__tell_settled(void);                                         /* under the lock: wakes threads that wait for claimed nodes */
int vn__prepare(int n, vn__node *const *targets, vn__text *explain); /* compiles only; writes what would run */
int vn__settle(vn__node *n);                                         /* evaluates one node, gives a weak number its value */

/* A program that is compiled and kept, to be run any number of times (capture.c). */
typedef struct vn__compiled vn__compiled;
typedef struct vn__kept {
    vn__compiled *program; /* NULL: every target is an input */
    uint32_t n_inputs, n_out;
    vn__value **inputs; /* a reference each */
    int32_t *sources;   /* of a target: ~input, or the number of an output */
    bool in_order;      /* the targets are the outputs, one by one */
} vn__kept;
/* All targets are on e. On failure *p is zeros. */
int vn__keep_program(vn__engine *e, int n, vn__node *const *targets, vn__kept *p, const char *who);
void vn__kept_free(vn__kept *p);
void vn__scratch_free(struct vn__scratch *s);

/* VINEA_CHECK=nan, finite: runs a program op by op, places[k] being where op k was recorded. VN_E_NOT_FINITE at the first NaN or infinity
 * (finite.c). */
struct vn__place;
int vn__seek_in(vn__engine *e, const uint64_t *text, vn_buf *const *in, struct vn__place *const *places);

/* ---- programs (program.c) ---- */
/* Writes dtype, rank and dims of a node to a program's text, with `more` from bit 16 on; returns the position after them. */
static inline uint64_t *vn__put_desc(uint64_t *w, const vn__node *n, uint64_t more)
{
    *w++ = n->dtype | (uint64_t)n->rank << 8 | more;
    for (int k = 0; k < n->rank; k++) *w++ = (uint64_t)vn__node_dims(n)[k];
    return w;
}
/* Begins an instruction: its op and the numbers of option words, arguments and results that follow. */
static inline uint64_t *vn__put_op(uint64_t *w, const vn__node *n)
{
    *w++ = vn__ops[n->op].hash;
    *w++ = n->n_words | (uint64_t)(uint32_t)n->n_in << 16 | (uint64_t)vn__node_results(n) << 40 |
           (n->flags & VN__ON_NATIVE ? UINT64_C(1) << 63 : 0);
    return w;
}
static inline int32_t vn__op_arguments(uint64_t word) /* of the second word of an instruction */
{
    return (int32_t)(word >> 16 & 0xffffff);
}
static inline int32_t vn__op_results(uint64_t word)
{
    return (int32_t)(word >> 40 & 0x7fffff);
}
static inline bool vn__op_on_native(uint64_t word)
{
    return word >> 63;
}
enum { VN__COUNTS = 5 }; /* words at its beginning: numbers of inputs, instructions, results and outputs; precision */
enum { VN__PRECISION = 4 };
/* The precision of float32 products (precision.c): what an engine does when asked for one, and its name. */
uint32_t vn__precision_on(const vn__engine *e, uint32_t asked);
const char *vn__precision_name(uint32_t precision);
/* Does the thread's precision apply to the op? A program without such an op is the same in every mode. */
static inline bool vn__is_product(int op, int dtype)
{
    return dtype == VN_F32 && vn__ops[op].info.traits & VN_OP_PRODUCT;
}
typedef struct vn__cache vn__cache;
vn__compiled *vn__cache_get(vn__engine *e, const uint64_t *words, size_t n, int *code); /* a reference; compiles on a miss */
void vn__cache_put(vn__compiled *c);
/* The same for programs of one op, which a thread keeps in one of VN__RECENT slots and finds there without lock and hash. `put` leaves the
 * reference to the slot, which is empty meanwhile. */
vn__compiled *vn__recent_get(vn__state *s, unsigned slot, vn__engine *e, const uint64_t *words, size_t n, int *code);
void vn__recent_put(vn__state *s, unsigned slot, vn__compiled *c);
int vn__compiled_run(vn__compiled *c, vn_buf *const *in, vn_buf **out);
void vn__compiled_explain(vn__compiled *c, vn__text *t);
void vn__cache_close(vn__engine *e);

/* Reads the description of an array from a program's text; returns what follows it. */
const uint64_t *vn__read_desc(const uint64_t *w, vn_desc *d);

#endif
