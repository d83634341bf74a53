/* norm.c: layer_norm, rms_norm and what they send back to x: rows of the last axes, each read once from memory. */
#include "internal.h"

enum { UNIT = 8192, PARALLEL = 1 << 14 }; /* elements a thread takes at once; elements worth sharing */

typedef struct norm {
    int64_t rows, length, per_unit;
    size_t row_bytes;
    double epsilon;
    bool back, centred;
    const struct vn__rows_fns *fns;
} norm;

typedef struct job {
    const vn__whole *w;
    const vn__run *run;
} job;

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const vn__whole *w = j->w;
    const norm *m = w->plan;
    const int64_t first = number * m->per_unit, end = first + m->per_unit < m->rows ? first + m->per_unit : m->rows;
    const char *in[3] = {NULL, NULL, NULL};
    for (int32_t k = 0; k < w->n_in; k++) in[k] = j->run->slots[w->in[k]];
    (void)lane;
    for (int64_t r = first; r < end; r++) {
        const size_t at = (size_t)r * m->row_bytes;
        char *z = j->run->slots[w->out] + at;
        if (m->back) m->fns->normalise_back(z, in[0] + at, in[1] + at, m->length, in[2], m->epsilon, m->centred);
        else m->fns->normalise(z, in[0] + at, m->length, in[1], in[2], m->epsilon, m->centred);
    }
}

static void run_norm(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const norm *m = j.w->plan;
    vn__native_parallel(kernel->parallel ? run->lanes : 1, (m->rows + m->per_unit - 1) / m->per_unit, unit, &j);
}

/* options: axes, epsilon; the core composes what has no elements or other axes than the last ones. */
static int prepare(vn__graph *g, vn__whole *w, bool back, bool centred)
{
    norm *m = vn__native_whole_keep(g, sizeof *m);
    if (!m) return vn__native_no_memory();
    const vn_desc *x = &w->out_desc;
    m->length = 1;
    for (int32_t r = x->rank - w->instr->options[0].n; r < x->rank; r++) m->length *= x->dims[r];
    m->rows = x->count / m->length;
    m->per_unit = 1 + UNIT / m->length;
    m->row_bytes = (size_t)m->length * vn__native_bytes(x->dtype);
    m->epsilon = w->instr->options[1].u.f;
    m->back = back;
    m->centred = centred;
    m->fns = x->dtype == VN_F64 ? &vn__native_isa->rows->f64 : &vn__native_isa->rows->f32;
    w->plan = m;
    w->in_place = true;
    w->kernel.run = run_norm;
    w->kernel.parallel = x->count >= PARALLEL;
    return VN_OK;
}

int vn__native_prepare_layer_norm(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false, true);
}
int vn__native_prepare_rms_norm(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, false, false);
}
int vn__native_prepare_layer_norm_back(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, true, w->instr->options[2].u.i != 0);
}
