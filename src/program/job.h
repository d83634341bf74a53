/* SPDX-License-Identifier: Apache-2.0 */
/* job.h: one evaluation: the nodes of its program, what is stored, and its workspace. build.c writes the program's text, evaluate.c runs
 * it. */
#ifndef VN_PROGRAM_JOB_H
#define VN_PROGRAM_JOB_H

#include "core/place.h"
#include "program/node.h"
#include "program/program.h"

#define VN__INPUT UINT32_C(0x80000000) /* in an index: number of an input, not of a node */

typedef struct {
    uint32_t inner; /* uses inside the program */
    uint32_t ref;   /* its value: number of a result, or VN__INPUT | input number (identities share one) */
    int32_t out;    /* number of the program's output, -1 */
    bool asked, stored, kept;
} vn__fact;

typedef struct {    /* of an input: one value, which several nodes may share (an array, its variable, a detached copy) */
    uint32_t inner; /* references to those nodes that the program will drop */
    uint32_t refs;  /* all references to them */
    uint32_t nodes; /* the number of those nodes */
    bool kept;
} vn__input_fact;

typedef struct vn__scratch {
    vn__node **order, **inputs, **stack, **freed;
    vn__fact *facts;
    vn__input_fact *input_facts;
    int32_t *child, *output_of; /* of a result: its number among the outputs, or -1 */
    vn_buf **in, **out;
    vn__value **values, **held; /* of outputs, allocated beforehand; of inputs, kept alive */
    vn__place **places;         /* of instructions, where vn__seek is on; a reference each while the program runs */
    vn__words key;
    uint64_t *table; /* sizes of outputs, for donation */
    struct {         /* capacity of each list */
        size_t order, inputs, stack, freed, facts, input_facts, child, output_of, in, out, values, held, places;
    } room;
    size_t cap_table, n_table;
    uint32_t n_order, n_inputs, n_instrs, n_results, n_out, n_stored, n_values; /* n_results: of all instructions */
    vn__engine *engine;
    bool unknown; /* an input stands for a captured function's */
    bool again;   /* the program runs more than once, so that its inputs have to stay */
} vn__job;

/* A list with room for n items. */
bool vn__job_grow(void *list, size_t *capacity, size_t n, size_t item);
/* The check is inlined: it is done several times for every op. */
static inline bool vn__job_reserve(void *list, size_t *capacity, size_t n, size_t item)
{
    return __builtin_expect(n <= *capacity, 1) || vn__job_grow(list, capacity, n, item);
}
#define VN__RESERVE(j, field, n) vn__job_reserve(&(j)->field, &(j)->room.field, (n), sizeof *(j)->field)

/* A job takes the thread's workspace and returns it at the end, so that an evaluation inside a callback gets its own. */
vn__job *vn__job_begin(vn__state *s);
void vn__job_end(vn__state *s, vn__job *j);
bool vn__is_identity(const vn__node *n); /* never becomes an instruction */
/* Everything that happens under the lock before running: the order of nodes, what is stored, the program's text. `spare` as in
 * vn__evaluate; `again`: it runs more than once. False: out of memory. */
bool vn__job_build(vn__job *j, int n, vn__node *const *targets, int n_spare, vn__node *const *spare, bool again);

#endif
