/* SPDX-License-Identifier: Apache-2.0 */
/* source_element.h: for ops that only move elements, the source of each element of the result (view.c, piece.c). */
#ifndef SOURCE_ELEMENT_H
#define SOURCE_ELEMENT_H

#include <string.h>

#include "program.h"

/* The source of an element. */
typedef struct source {
    int operand; /* -1: a fill of 0 */
    int64_t at;
} source;
typedef source (*locate)(const machine *m, const step *s, const int64_t *index);

static inline int64_t flat(const type *t, const int64_t *index)
{
    int64_t at = 0;
    for (int a = 0; a < t->rank; a++) at = at * t->dims[a] + index[a];
    return at;
}

static inline const type *x_of(const machine *m, const step *s)
{
    return operand_type(m->p, s, 0);
}

void compute_moves(const machine *m, const step *s, num *z); /* with the op's locate function, from its row */
/* The row of an op that only moves elements: its name, where they come from, its shape, how it is chosen, how often. */
#define MOVE(name, find, infer, choose, weight)                              \
    {                                                                        \
#name, infer, compute_moves, choose, weight, SMOOTH, &(const locate) \
        {                                                                    \
            find                                                             \
        }                                                                    \
    }
bool choose_any(generator *g, step *s);    /* one operand of at least one axis */
bool choose_matrix(generator *g, step *s); /* of at least two */

static inline bool one_operand(const program *p, step *s)
{
    if (s->n_in != 1 || operand_type(p, s, 0)->weak) return false;
    s->type = *operand_type(p, s, 0);
    return true;
}

static inline int64_t axis_at(const step *s, const char *name, int rank, int64_t fallback)
{
    const int64_t axis = whole_setting(s, name, fallback);
    return axis < 0 ? axis + rank : axis;
}

#endif
