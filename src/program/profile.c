/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c: describes the kernels of a program for profiles: ops, operations, and the bytes that come in and go out. An engine that compiles says
 * which kernel computes which instruction; otherwise each instruction is a kernel. A view is none: who reads it reads what it is a view of. */
#include "program/profile.h"
#include "base/minmax.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/text.h"
#include "ops/flops.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    char *name;
    double flops;
    int64_t read, written;
    int32_t ops;
} kernel;

struct vn__kernels {
    int32_t n;
    kernel *all;
};

int64_t vn__desc_bytes(const vn_desc *d)
{
    return d->count * (int64_t)vn_dtype_size((vn_dtype)d->dtype);
}

double vn__program_flops(const vn_program *p)
{
    double flops = 0;
    for (int k = 0; k < p->n_instrs; k++) flops += vn__flops(p, p->instrs[k]);
    return flops;
}

int64_t vn__engine_bytes(const vn__engine *e)
{
    vn_engine_memory m = {.size = sizeof m, .used = -1};
    if (!e->api.memory || vn__engine_enter(e, "profile")) return -1;
    const int code = e->api.memory(e->context, &m);
    vn__engine_leave(e);
    return code ? -1 : m.used;
}

const char *vn__instr_text(const vn_program *p, const vn_instr *i, char to[static 256])
{
    const vn_desc *d = &p->values[i->out];
    char shape[128];
    snprintf(to, 256, "%s %s (%s)", i->op, vn_dtype_name((vn_dtype)d->dtype), vn__shape_text(d->rank, d->dims, shape));
    return to;
}

/* ---- what kernels read and write ---- */

typedef struct {
    const vn_program *p;
    int32_t *of; /* by instruction */
    int32_t *root, *maker,
        *reader;     /* by value: what it is a view of, or itself; the kernel that computes it; the last kernel that read it */
    uint8_t *leaves; /* by value: another kernel reads it, or the caller */
} flow;

static bool flow_new(flow *f, const vn_program *p)
{
    const size_t n = (size_t)p->n_values + 1, m = (size_t)p->n_instrs + 1;
    int32_t *words = vn__alloc((3 * n + m) * sizeof *words + n);
    if (!words) return false;
    *f = (flow){.p = p,
                .of = words,
                .root = words + m,
                .maker = words + m + n,
                .reader = words + m + 2 * n,
                .leaves = (uint8_t *)(words + m + 3 * n)};
    memset(f->leaves, 0, n);
    for (int32_t v = 0; v < p->n_values; v++) f->root[v] = v, f->maker[v] = f->reader[v] = -1;
    for (int32_t k = 0; k < p->n_instrs; k++) f->of[k] = k;
    return true;
}

static void find_makers(flow *f)
{
    for (int32_t k = 0; k < f->p->n_instrs; k++) {
        const vn_instr *i = f->p->instrs[k];
        for (int32_t r = 0; r < i->n_out; r++) {
            f->maker[i->out + r] = f->of[k];
            if (f->of[k] < 0 && i->n_in) f->root[i->out + r] = f->root[i->in[0]];
        }
        for (int32_t a = 0; a < i->n_in && f->of[k] >= 0; a++) {
            const int32_t from = f->root[i->in[a]];
            f->leaves[from] |= f->maker[from] != f->of[k];
        }
    }
    for (int32_t k = 0; k < f->p->n_outputs; k++) f->leaves[f->root[f->p->outputs[k]]] = 1;
}

static void count_bytes(flow *f, kernel *all)
{
    const vn_desc *values = f->p->values;
    for (int32_t k = 0; k < f->p->n_instrs; k++) {
        const vn_instr *i = f->p->instrs[k];
        if (f->of[k] < 0) continue;
        kernel *to = &all[f->of[k]];
        for (int32_t a = 0; a < i->n_in; a++) {
            const int32_t v = i->in[a], from = f->root[v];
            if (f->maker[from] == f->of[k] || f->reader[from] == f->of[k]) continue;
            f->reader[from] = f->of[k];
            const int64_t n = vn__min(vn__elements_read(f->p, i, a), values[from].count); /* a part of it, or all of it repeated */
            to->read += n * (int64_t)vn_dtype_size((vn_dtype)values[v].dtype);
        }
        for (int32_t r = 0; r < i->n_out; r++)
            if (f->leaves[i->out + r]) to->written += vn__desc_bytes(&values[i->out + r]);
        to->flops += vn__flops(f->p, i);
        to->ops++;
    }
}

/* ---- descriptions ---- */

typedef struct {
    vn__kernels *to;
    int32_t at;
} names;

static void take_name(void *to, const char *text)
{
    names *n = to;
    const size_t size = strlen(text) + 1;
    if (n->at >= n->to->n) return;
    char *copy = vn__alloc(size);
    if (copy) memcpy(copy, text, size);
    n->to->all[n->at++].name = copy;
}

static void count_line(void *to, const char *text)
{
    (void)text;
    ++*(int32_t *)to;
}

/* By explain's lines, if there is one for each kernel, otherwise by instruction, which each kernel then is. */
static bool name_all(vn__kernels *k, const vn__engine *e, const vn_program *p, vn_exe *exe)
{
    names n = {k, 0};
    char text[256];
    int32_t lines = 0;
    if (e->api.compile && e->api.explain && e->api.explain(e->context, exe, count_line, &lines)) return false;
    if (lines == k->n && lines) {
        if (e->api.explain(e->context, exe, take_name, &n)) return false;
    } else {
        for (int32_t i = 0; i < p->n_instrs; i++) take_name(&n, vn__instr_text(p, p->instrs[i], text));
    }
    for (int32_t i = 0; i < k->n; i++)
        if (!k->all[i].name) return false;
    return true;
}

static vn__kernels *describe(const vn__engine *e, const vn_program *p, vn_exe *exe)
{
    flow f;
    if (!flow_new(&f, p)) return NULL;
    const int32_t n = e->api.compile ? e->api.kernel_of(e->context, exe, f.of) : p->n_instrs;
    vn__kernels *k = n > 0 ? vn__calloc(sizeof *k + (size_t)n * sizeof *k->all) : NULL;
    if (k) {
        *k = (vn__kernels){n, (kernel *)(void *)(k + 1)};
        find_makers(&f);
        count_bytes(&f, k->all);
        if (!name_all(k, e, p, exe)) vn__kernels_free(k), k = NULL;
    }
    vn__free(f.of);
    return k;
}

vn__kernels *vn__kernels_of(_Atomic(vn__kernels *) *slot, const vn__engine *e, const vn_program *p, vn_exe *exe)
{
    vn__kernels *k = atomic_load_explicit(slot, memory_order_acquire), *none = NULL;
    if (k || (e->api.compile && !e->api.kernel_of)) return k;
    k = describe(e, p, exe);
    if (!k || atomic_compare_exchange_strong(slot, &none, k)) return k;
    vn__kernels_free(k); /* another thread was faster */
    return none;
}

void vn__kernels_free(vn__kernels *k)
{
    if (!k) return;
    for (int32_t i = 0; i < k->n; i++) vn__free(k->all[i].name);
    vn__free(k);
}

int64_t *vn__kernels_times(const vn__kernels *k)
{
    return vn__calloc(2 * (size_t)k->n * sizeof(int64_t));
}

void vn__kernels_report(const vn__kernels *k, const vn__engine *e, uint64_t program, int64_t *times)
{
    for (int32_t i = 0; i < k->n; i++) {
        const kernel *of = &k->all[i];
        if (!times[2 * i + 1]) continue; /* an earlier one failed */
        vn__trace_write(&(vn_profile_event){.what = "kernel",
                                            .name = of->name,
                                            .engine = e->name,
                                            .program = program,
                                            .begin = times[2 * i],
                                            .end = times[2 * i + 1],
                                            .flops = of->flops,
                                            .read = of->read,
                                            .written = of->written,
                                            .memory = -1,
                                            .ops = of->ops});
    }
    vn__free(times);
}
