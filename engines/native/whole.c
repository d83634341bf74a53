/* whole.c: kernels that take whole arrays. Operands are made row-major and half precision becomes float32 before, results are rounded to
 * half precision after, so that such a kernel knows only plain arrays of bool, integers, float, double or complex numbers; one that only
 * moves elements (MOVED in whole.def) gets half precision too.
 *
 * The row of an op is a line of whole.def. Its vn__native_prepare_<op> gets the shapes and options of an instruction, checks nothing
 * (the core has), works out once what it can, and sets kernel.run, kernel.parallel, kernel.lane_bytes and kernel.shared_bytes; in_place
 * where it can write over its first operand. */
#include <stdio.h>

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
    if (code || !w->in_place) return code;
    bool own = true; /* no other operand lies in the same memory */
    for (int32_t k = 1; k < n->n_in; k++) own &= w->in[k] != w->in[0];
    if (w->out >= 0) uses->reads[0].span = uses->writes[0].span = own;
    return code;
}
