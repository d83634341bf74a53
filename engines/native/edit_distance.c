/* SPDX-License-Identifier: Apache-2.0 */
/* edit_distance.c: Levenshtein's distance of two sequences of tokens, row by row of a table of which one row is kept. */
#include "internal.h"

#define THRESHOLDS_EDIT_DISTANCE
#include "thresholds.h"

typedef vn__whole_job job;

typedef struct {
    int64_t rows, x_tokens, y_tokens, pad;
    bool no_substitution;
} plan;

static int64_t length_of(const int64_t *x, int64_t n, int64_t pad)
{
    int64_t k = 0;
    while (k < n && x[k] != pad) k++;
    return k;
}

/* row[j]: the distance of the tokens of x so far from the first j of y. */
static int64_t distance(const int64_t *x, int64_t a, const int64_t *y, int64_t b, bool no_substitution, int64_t *row)
{
    for (int64_t j = 0; j <= b; j++) row[j] = j;
    for (int64_t i = 0; i < a; i++) {
        int64_t before = row[0]++; /* of one token less of both */
        for (int64_t j = 0; j < b; j++) {
            const int64_t replaced = before + (x[i] == y[j] ? 0 : no_substitution ? 2 : 1);
            before = row[j + 1];
            row[j + 1] = vn__min(replaced, vn__min(before, row[j]) + 1);
        }
    }
    return row[b];
}

static void one_row(void *context, int64_t r, int lane)
{
    const job *j = context;
    const plan *p = j->w->plan;
    const int64_t *x = (const int64_t *)(const void *)j->run->slots[j->w->in[0]] + r * p->x_tokens;
    const int64_t *y = (const int64_t *)(const void *)j->run->slots[j->w->in[1]] + r * p->y_tokens;
    int64_t *row = (int64_t *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
    ((int64_t *)(void *)j->run->slots[j->w->out])[r] =
        distance(x, length_of(x, p->x_tokens, p->pad), y, length_of(y, p->y_tokens, p->pad), p->no_substitution, row);
}

static void run_rows(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    vn__native_parallel(run->lanes, ((const plan *)j.w->plan)->rows, one_row, &j);
}

enum { PAD, NO_SUBSTITUTION }; /* options */

int vn__native_prepare_edit_distance(vn__graph *g, vn__whole *w)
{
    plan *p = w->plan = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    const vn_desc *x = &w->in_desc[0], *y = &w->in_desc[1];
    *p = (plan){w->out_desc.count, x->dims[1], y->dims[1], w->instr->options[PAD].u.i, w->instr->options[NO_SUBSTITUTION].u.i != 0};
    w->kernel.run = run_rows;
    w->kernel.parallel = x->count >= PARALLEL;
    w->kernel.lane_bytes = (size_t)(p->y_tokens + 1) * sizeof(int64_t);
    return VN_OK;
}
