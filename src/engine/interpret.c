/* SPDX-License-Identifier: Apache-2.0 */
/* interpret.c: runs a program kernel by kernel, for engines without a compiler. The last use of each value is computed once; each running
 * thread takes a workspace from a small free list, so that prepared calls are never shared. */
#include "core/memory.h"
#include "core/trace.h"
#include "engine/engine.h"

typedef struct run {
    struct run *next;
    vn_buf **values;    /* n_values */
    void **prepared;    /* n_instrs */
    vn_buf **in, **out; /* of one instruction: as many as the largest has */
} run;

struct vn__runs {
    const vn__engine *engine;
    const vn_program *program;
    _Atomic(run *) spare; /* a free one, for the usual case of one thread */
    pthread_mutex_t lock;
    run *free;      /* the others */
    int32_t *last;  /* instruction after which a value is not needed; n_instrs for outputs */
    uint8_t *dying; /* one for each input of each instruction, as in vn_kernel_call */
    size_t *first;  /* for each instruction: the position of its first input in `dying` */
    int32_t most_in, most_out;
};

static bool used_twice(const vn_instr *i, int a)
{
    for (int b = 0; b < i->n_in; b++) {
        if (b != a && i->in[b] == i->in[a]) return true;
    }
    return false;
}

void vn__runs_free(vn__runs *r)
{
    run *spare = atomic_load_explicit(&r->spare, memory_order_acquire);
    if (spare) {
        spare->next = r->free;
        r->free = spare;
    }
    const bool open = r->engine->api.unprepare && vn__gate_enter_quietly();
    while (r->free) {
        run *w = r->free;
        r->free = w->next;
        for (int k = 0; open && k < r->program->n_instrs; k++)
            if (w->prepared[k]) r->engine->api.unprepare(r->engine->context, w->prepared[k]);
        vn__free(w);
    }
    if (open) vn__gate_leave();
    pthread_mutex_destroy(&r->lock);
    vn__free(r->last);
    vn__free(r->first);
    vn__free(r->dying);
    vn__free(r);
}

vn__runs *vn__runs_new(const vn__engine *e, const vn_program *p)
{
    size_t inputs = 0;
    for (int k = 0; k < p->n_instrs; k++) inputs += (size_t)p->instrs[k]->n_in;
    vn__runs *r = vn__calloc(sizeof *r);
    if (!r) return NULL;
    *r = (vn__runs){.engine = e, .program = p};
    pthread_mutex_init(&r->lock, NULL);
    r->last = vn__calloc((size_t)p->n_values * sizeof *r->last);
    r->first = vn__calloc((size_t)p->n_instrs * sizeof *r->first);
    r->dying = vn__calloc(inputs + 1);
    if (!r->last || !r->first || !r->dying) return vn__runs_free(r), NULL;
    for (int k = 0; k < p->n_instrs; k++) {
        for (int a = 0; a < p->instrs[k]->n_in; a++) r->last[p->instrs[k]->in[a]] = k;
    }
    for (int k = 0; k < p->n_outputs; k++) r->last[p->outputs[k]] = p->n_instrs;
    inputs = 0;
    for (int k = 0; k < p->n_instrs; k++) {
        const vn_instr *i = p->instrs[k];
        if (i->n_in > r->most_in) r->most_in = i->n_in;
        if (i->n_out > r->most_out) r->most_out = i->n_out;
        r->first[k] = inputs;
        for (int a = 0; a < i->n_in; a++, inputs++) {
            bool ours = i->in[a] >= p->n_inputs || p->donated[i->in[a]];
            r->dying[inputs] = ours && r->last[i->in[a]] == k && !used_twice(i, a);
        }
    }
    return r;
}

static run *run_begin(vn__runs *r)
{
    run *w = atomic_exchange_explicit(&r->spare, NULL, memory_order_acquire);
    if (w) return w;
    pthread_mutex_lock(&r->lock);
    w = r->free;
    if (w) r->free = w->next;
    pthread_mutex_unlock(&r->lock);
    if (w) return w;
    size_t n = (size_t)r->program->n_values, m = (size_t)r->program->n_instrs, most = (size_t)r->most_in + (size_t)r->most_out;
    w = vn__calloc(sizeof *w + (n + m + most) * sizeof(void *));
    if (!w) return NULL;
    w->values = (vn_buf **)(void *)(w + 1);
    w->prepared = (void **)(void *)(w->values + n);
    w->in = (vn_buf **)(void *)(w->prepared + m);
    w->out = w->in + r->most_in;
    return w;
}

static void run_end(vn__runs *r, run *w)
{
    run *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&r->spare, &none, w, memory_order_release, memory_order_relaxed)) return;
    pthread_mutex_lock(&r->lock);
    w->next = r->free;
    r->free = w;
    pthread_mutex_unlock(&r->lock);
}

static int step(vn__runs *r, run *w, int k)
{
    const vn_instr *i = r->program->instrs[k];
    for (int a = 0; a < i->n_in; a++) w->in[a] = w->values[i->in[a]];
    for (int a = 0; a < i->n_out; a++) w->out[a] = NULL;
    vn_kernel_call call = {.size = sizeof call,
                           .context = r->engine->context,
                           .program = r->program,
                           .instr = i,
                           .in = w->in,
                           .dying = r->dying + r->first[k],
                           .out = w->out,
                           .prepared = &w->prepared[k]};
    int code = i->row->kernel(&call);
    if (code) return vn__engine_failed(r->engine, code, i->op, "failed");
    memcpy(&w->values[i->out], w->out, (size_t)i->n_out * sizeof *w->out);
    for (int a = 0; a < i->n_out; a++) {
        if (r->program->used[i->out + a] && !w->out[a]) return vn__engine_failed(r->engine, VN_E_ENGINE, i->op, "returned no result");
    }
    for (int a = 0; a < i->n_out; a++) { /* a kernel may have computed a result that is not used */
        int32_t v = i->out + a;
        if (r->program->used[v] || !w->values[v]) continue;
        vn__buf_release(r->engine, w->values[v]);
        w->values[v] = NULL;
    }
    for (int a = 0; a < i->n_in; a++) {
        int32_t v = i->in[a];
        if (v < r->program->n_inputs || r->last[v] != k || !w->values[v]) continue;
        vn__buf_release(r->engine, w->values[v]);
        w->values[v] = NULL;
    }
    return VN_OK;
}

int vn__interpret(vn__runs *r, vn_buf *const *in, vn_buf **out, int64_t *times)
{
    const vn_program *p = r->program;
    run *w = run_begin(r);
    if (!w) return vn__no_memory("eval");
    for (int v = 0; v < p->n_inputs; v++) w->values[v] = in[v];
    int code = VN_OK;
    for (int k = 0; k < p->n_instrs && !code; k++) {
        if (times) times[2 * k] = vn__now();
        code = step(r, w, k);
        if (times) times[2 * k + 1] = vn__now();
    }
    for (int k = 0; k < p->n_outputs && !code; k++) { /* results of instructions, without duplicates */
        out[k] = w->values[p->outputs[k]];
        w->values[p->outputs[k]] = NULL;
    }
    for (int v = p->n_inputs; v < p->n_values; v++) {
        if (w->values[v]) vn__buf_release(r->engine, w->values[v]);
        w->values[v] = NULL;
    }
    run_end(r, w);
    return code;
}
