/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c: kernels on whole arrays. Operands are made row-major and half precision is converted to float32 first, and results are rounded
 * to half precision afterwards, so such a kernel sees only plain arrays of bool, integers, float, double or complex numbers; one that only
 * moves elements (MOVED in whole.def) gets half precision as it is.
 *
 * The row of an op is a line of whole.def. Its vn__native_prepare_<op> gets the shapes and options of an instruction (already checked by
 * the core), precomputes what it can, and sets kernel.run, kernel.parallel, kernel.lane_bytes and kernel.shared_bytes; also in_place if it
 * can overwrite its first operand, or `sets` if each of several results can overwrite operands of its own. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static void explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    const vn__whole *w = (const vn__whole *)kernel;
    char shape[400];
    vn__native_describe(&w->out_desc, shape, sizeof shape);
    snprintf(text, capacity, "%s %s", w->instr->op, shape);
}

void *vn__native_whole_keep(vn__graph *g, size_t bytes)
{
    return vn__native_arena_get(&g->exe->arena, bytes);
}

/* Operands in no set come last. */
static int by_set(const void *a, const void *b)
{
    const uint32_t x = (uint32_t)((const vn__use *)a)->set, y = (uint32_t)((const vn__use *)b)->set;
    return (x > y) - (x < y);
}

/* Which operand a result may overwrite: one of its set, unless it is also in another set. The planner expects the uses of a set to be
 * adjacent. */
static int use_sets(vn__graph *g, const vn__whole *w, vn__uses *uses)
{
    enum { SEVERAL = -1 };
    int32_t *set_of = vn__native_arena_get(&g->scratch, (size_t)g->exe->n_storages * sizeof *set_of); /* plus 2; 0: none yet */
    if (!set_of) return vn__native_no_memory();
    for (int32_t k = 0; k < w->n_in; k++) {
        int32_t *of = &set_of[w->in[k]];
        *of = !*of || *of == w->sets[k] + 2 ? w->sets[k] + 2 : SEVERAL;
    }
    for (int32_t k = 0; k < w->n_in; k++) {
        uses->reads[k].set = w->sets[k];
        uses->reads[k].span = w->sets[k] >= 0 && set_of[w->in[k]] != SEVERAL;
    }
    for (int32_t r = 0, at = 0; r < w->n_out; r++) {
        if (w->outs[r] < 0) continue;
        uses->writes[at].set = w->sets[w->n_in + r];
        uses->writes[at++].span = 1;
    }
    qsort(uses->reads, (size_t)uses->n_reads, sizeof *uses->reads, by_set);
    qsort(uses->writes, (size_t)uses->n_writes, sizeof *uses->writes, by_set);
    return VN_OK;
}

int vn__native_lower_whole(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *n = &g->nodes[g->groups[group].first];
    vn__whole *w = vn__native_arena_get(&g->exe->arena, sizeof *w);
    if (!w) return vn__native_no_memory();
    w->instr = n->instr;
    w->n_in = n->n_in;
    w->n_out = n->n_out;
    w->in = vn__native_whole_keep(g, (size_t)(n->n_in + n->n_out) * sizeof *w->in);
    w->in_desc = vn__native_whole_keep(g, (size_t)(n->n_in + n->n_out) * sizeof *w->in_desc);
    if (!w->in || !w->in_desc) return vn__native_no_memory();
    w->outs = w->in + n->n_in;
    w->out_descs = w->in_desc + n->n_in;
    for (int32_t k = 0; k < n->n_in; k++) {
        w->in[k] = g->values[n->in[k].value].storage;
        w->in_desc[k] = g->values[n->instr->in[k]].desc;
        w->in_desc[k].dtype = g->values[n->in[k].value].desc.dtype;
    }
    for (int32_t r = 0; r < n->n_out; r++) {
        w->outs[r] = g->values[n->outs[r]].storage;
        w->out_descs[r] = g->values[n->outs[r]].desc;
    }
    w->out = w->outs[0];
    w->out_desc = w->out_descs[0];
    w->kernel.explain = explain;
    *out = &w->kernel;
    int code = ((const vn__whole_op *)(const void *)n->instr->row->data)->prepare(g, w);
    if (!code) code = vn__native_node_uses(g, n, uses);
    if (!code && w->sets) return use_sets(g, w, uses);
    if (code || !w->in_place) return code;
    bool own = true; /* no other operand shares its memory */
    for (int32_t k = 1; k < n->n_in; k++) own &= w->in[k] != w->in[0];
    if (w->out >= 0) uses->reads[0].span = uses->writes[0].span = own;
    return code;
}
