/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: layer_norm, rms_norm, and the backward kernels of norms and softmax: rows of the last axes, each read once from memory. */
#include "internal.h"

#define THRESHOLDS_ROWS
#include "thresholds.h"

struct rows;
/* One row of the result, from rows of the first operands and from shared operands; NULL for an absent one. */
typedef void row_fn(const struct rows *r, void *z, const char *const in[3]);

typedef struct rows {
    row_fn *row;
    int32_t n_rows_in; /* operands that have rows; the others are shared */
    int64_t n, length, per_unit;
    size_t row_bytes;
    double epsilon;
    bool centred;
    const struct vn__rows_fns *fns;
} rows;

typedef vn__whole_job job;

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const rows *r = j->w->plan;
    const int64_t first = number * r->per_unit, end = vn__min(first + r->per_unit, r->n);
    (void)lane;
    for (int64_t i = first; i < end; i++) {
        const size_t at = (size_t)i * r->row_bytes;
        const char *in[3] = {NULL, NULL, NULL};
        for (int32_t k = 0; k < j->w->n_in; k++) in[k] = j->run->slots[j->w->in[k]] + (k < r->n_rows_in ? at : 0);
        r->row(r, j->run->slots[j->w->out] + at, in);
    }
}

static void run_rows(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const rows *r = j.w->plan;
    vn__native_parallel(run->lanes, vn__ceil_div(r->n, r->per_unit), unit, &j);
}

/* Rows over the last `axes` axes. The core composes empty arrays and other axes. */
static int prepare(vn__graph *g, vn__whole *w, int32_t axes, int32_t n_rows_in, row_fn *row, rows **out)
{
    rows *r = vn__native_whole_keep(g, sizeof *r);
    if (!r) return vn__native_no_memory();
    const vn_desc *x = &w->out_desc;
    r->row = row;
    r->n_rows_in = n_rows_in;
    r->length = 1;
    for (int32_t k = x->rank - axes; k < x->rank; k++) r->length *= x->dims[k];
    r->n = x->count / r->length;
    r->per_unit = 1 + UNIT / r->length;
    r->row_bytes = (size_t)r->length * vn__native_bytes(x->dtype);
    r->fns = x->dtype == VN_F64 ? &vn__native_isa->rows->f64 : &vn__native_isa->rows->f32;
    w->plan = r;
    w->in_place = true;
    w->kernel.run = run_rows;
    w->kernel.parallel = x->count >= PARALLEL;
    *out = r;
    return VN_OK;
}

/* ---- norms ---- */

enum { AXES, EPSILON, UNCENTRED }; /* options */

static void norm(const rows *r, void *z, const char *const in[3])
{
    r->fns->normalise(z, in[0], r->length, in[1], in[2], r->epsilon, r->centred);
}
static void norm_backward(const rows *r, void *z, const char *const in[3])
{
    r->fns->normalise_backward(z, in[0], in[1], r->length, in[2], r->epsilon, r->centred);
}

static int prepare_norm(vn__graph *g, vn__whole *w, int32_t n_rows_in, row_fn *row, bool centred)
{
    rows *r;
    const int code = prepare(g, w, w->instr->options[AXES].n, n_rows_in, row, &r);
    if (code) return code;
    r->epsilon = w->instr->options[EPSILON].u.f;
    r->centred = centred;
    return VN_OK;
}

int vn__native_prepare_layer_norm(vn__graph *g, vn__whole *w)
{
    return prepare_norm(g, w, 1, norm, true);
}
int vn__native_prepare_rms_norm(vn__graph *g, vn__whole *w)
{
    return prepare_norm(g, w, 1, norm, false);
}
int vn__native_prepare_layer_norm_backward(vn__graph *g, vn__whole *w)
{
    return prepare_norm(g, w, 2, norm_backward, !w->instr->options[UNCENTRED].u.i);
}

/* ---- softmax, over the last axis ---- */

enum { LOG }; /* options */

static void softmax_backward(const rows *r, void *z, const char *const in[3])
{
    r->fns->softmax_backward(z, in[0], in[1], r->length);
}
static void log_softmax_backward(const rows *r, void *z, const char *const in[3])
{
    r->fns->log_softmax_backward(z, in[0], in[1], r->length);
}

int vn__native_prepare_softmax_backward(vn__graph *g, vn__whole *w)
{
    rows *r;
    return prepare(g, w, 1, 2, w->instr->options[LOG].u.i ? log_softmax_backward : softmax_backward, &r);
}
