/* SPDX-License-Identifier: Apache-2.0 */
/* concat.c: concatenation along an axis. Each row of the result has one piece from each array; threads take equal parts of its bytes.
 */
/* compiled for speed */
#include <string.h>

#include "internal.h"

#define THRESHOLDS_JOIN
#include "thresholds.h"

typedef struct joining {
    size_t row, total; /* bytes of a row of the result, and of all rows */
    size_t *piece;     /* bytes of each array in a row */
} joining;

typedef vn__whole_job job;

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const joining *plan = j->w->plan;
    char *out = j->run->slots[j->w->out];
    size_t at = (size_t)number * UNIT;
    const size_t end = plan->total - at < UNIT ? plan->total : at + UNIT;
    (void)lane;
    while (at < end) {
        const size_t row = at / plan->row;
        size_t inside = at % plan->row;
        for (int32_t k = 0; k < j->w->n_in && at < end; k++) {
            const size_t piece = plan->piece[k];
            if (inside >= piece) {
                inside -= piece;
                continue;
            }
            const size_t n = vn__min(piece - inside, end - at);
            memcpy(out + at, j->run->slots[j->w->in[k]] + row * piece + inside, n);
            at += n;
            inside = 0;
        }
    }
}

static void run_concat(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const joining *plan = j.w->plan;
    vn__native_parallel(run->lanes, (int64_t)((plan->total + UNIT - 1) / UNIT), unit, &j);
}

enum { AXIS }; /* options */

int vn__native_prepare_concat(vn__graph *g, vn__whole *w)
{
    joining *plan = vn__native_whole_keep(g, sizeof *plan);
    if (plan) plan->piece = vn__native_whole_keep(g, (size_t)w->n_in * sizeof *plan->piece);
    if (!plan || !plan->piece) return vn__native_no_memory();
    for (int32_t k = 0; k < w->n_in; k++) {
        size_t bytes = vn__native_bytes(w->out_desc.dtype);
        for (int32_t r = (int32_t)w->instr->options[AXIS].u.i; r < w->out_desc.rank; r++) bytes *= (size_t)w->in_desc[k].dims[r];
        plan->piece[k] = bytes;
        plan->row += bytes;
    }
    plan->total = (size_t)w->out_desc.count * vn__native_bytes(w->out_desc.dtype);
    w->plan = plan;
    w->kernel.run = run_concat;
    w->kernel.parallel = plan->total >= PARALLEL;
    return VN_OK;
}
