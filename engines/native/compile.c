/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c: a program becomes an executable: record, group, lower, chain, plan. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* The lowering function of each family; elementwise nodes and reductions are fused. */
static int (*const lowerings[])(vn__graph *, int32_t, vn__kernel **, vn__uses *) = {
    [VN_ELEMENT] = vn__native_lower_fused, [VN_CAST] = vn__native_lower_fused,          [VN_REDUCE] = vn__native_lower_fused,
    [VN_MATMUL] = vn__native_lower_matmul, [VN_SLICE] = vn__native_lower_slice,         [VN_SLICE_SET] = vn__native_lower_slice_set,
    [VN_RANDOM] = vn__native_lower_random, [VN_TRANSPOSE] = vn__native_lower_transpose, [VN_RUNNING] = vn__native_lower_running,
    [VN_WHOLE] = vn__native_lower_whole,
};

int vn__native_node_uses(vn__graph *g, const native_node *node, vn__uses *uses)
{
    uses->reads = vn__native_arena_get(&g->scratch, (size_t)node->n_in * sizeof *uses->reads);
    uses->writes = vn__native_arena_get(&g->scratch, (size_t)node->n_out * sizeof *uses->writes);
    if (!uses->reads || !uses->writes) return vn__native_no_memory();
    for (int32_t k = 0; k < node->n_in; k++) uses->reads[uses->n_reads++] = (vn__use){g->values[node->in[k].value].storage, 0, 0, 0};
    for (int32_t r = 0; r < node->n_out; r++) {
        const int32_t storage = g->values[node->outs ? node->outs[r] : node->out].storage;
        if (storage >= 0) uses->writes[uses->n_writes++] = (vn__use){storage, 0, 0, 0};
    }
    return VN_OK;
}

static int lower_all(vn__graph *g)
{
    vn_exe *exe = g->exe;
    exe->kernels = vn__native_arena_get(&exe->arena, ((size_t)g->n_groups + 1) * sizeof *exe->kernels);
    exe->uses = vn__native_arena_get(&g->scratch, ((size_t)g->n_groups + 1) * sizeof *exe->uses);
    g->places = vn__native_arena_get(&g->scratch, ((size_t)g->n_groups + 1) * sizeof *g->places);
    if (!exe->kernels || !exe->uses || !g->places) return vn__native_no_memory();
    for (int32_t i = 0; i < g->n_groups; i++) {
        const int32_t group = g->order[i];
        const native_node *first = &g->nodes[g->groups[group].first];
        vn__kernel **kernel = &exe->kernels[exe->n_kernels];
        const int code = lowerings[first->family](g, group, kernel, &exe->uses[exe->n_kernels]);
        if (code) return code;
        g->places[i] = exe->n_kernels++;
    }
    return VN_OK;
}

/* Notes which kernel computes each instruction; a view has no node, a copy of one no instruction. */
static int note_kernels(vn__graph *g)
{
    const vn_program *p = g->program;
    int32_t *of = vn__native_arena_get(&g->exe->arena, ((size_t)p->n_instrs + 1) * sizeof *of);
    int32_t *number =
        vn__native_arena_get(&g->scratch, ((size_t)p->n_values + 1) * sizeof *number); /* of the instruction with this result */
    if (!of || !number) return vn__native_no_memory();
    for (int32_t k = 0; k < p->n_instrs; k++) {
        of[k] = -1;
        number[p->instrs[k]->out] = k;
    }
    for (int32_t i = 0; i < g->n_groups; i++) {
        for (int32_t j = g->groups[g->order[i]].first; j >= 0; j = g->nodes[j].next) {
            const vn_instr *instr = g->nodes[j].instr;
            if (instr) of[number[instr->out]] = g->places[i];
        }
    }
    g->exe->kernel_of = of;
    return VN_OK;
}

/* Scratch memory for the largest kernel. */
static void size_scratch(vn_exe *exe)
{
    for (int32_t k = 0; k < exe->n_kernels; k++) {
        const vn__kernel *kernel = exe->kernels[k];
        if (kernel->shared_bytes > exe->shared_bytes) exe->shared_bytes = kernel->shared_bytes;
        if (kernel->lane_bytes > exe->lane_bytes) exe->lane_bytes = kernel->lane_bytes;
        exe->parallel = exe->parallel || kernel->parallel;
    }
    exe->shared_bytes = vn__native_round64(exe->shared_bytes);
    exe->lane_bytes = vn__native_round64(exe->lane_bytes);
}

int vn__native_compile(vn_context *context, const vn_program *program, vn_exe **out)
{
    (void)context;
    vn_exe *exe = vn__native_alloc(sizeof *exe);
    if (!exe) return vn__native_no_memory();
    *exe = (vn_exe){.program = program};
    vn__graph g = {.program = program, .exe = exe};
    int code = vn__native_graph_record(&g);
    if (!code) code = vn__native_graph_group(&g);
    if (!code) code = lower_all(&g);
    if (!code) code = vn__native_chain(&g);
    if (!code) code = note_kernels(&g);
    if (!code) code = vn__native_plan(&g);
    if (!code) size_scratch(exe);
    exe->uses = NULL;
    vn__native_arena_release(&g.scratch);
    if (code) vn__native_discard(NULL, exe);
    else *out = exe;
    return code;
}

void vn__native_discard(vn_context *context, vn_exe *exe)
{
    (void)context;
    if (!exe) return;
    vn__native_arena_release(&exe->arena);
    vn__native_free(exe, sizeof *exe);
}

void vn__native_describe(const vn_desc *desc, char *text, size_t capacity)
{
    size_t n = (size_t)snprintf(text, capacity, "%s (", vn__native_dtype_name(desc->dtype));
    for (int32_t r = 0; r < desc->rank && n < capacity; r++)
        n += (size_t)snprintf(text + n, capacity - n, r ? ",%lld" : "%lld", (long long)desc->dims[r]);
    if (n < capacity) snprintf(text + n, capacity - n, ")");
}

int vn__native_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to)
{
    (void)context;
    char text[1024];
    for (int32_t i = 0; i < exe->n_kernels; i++) {
        exe->kernels[i]->explain(exe->kernels[i], text, sizeof text);
        line(to, text);
    }
    return VN_OK;
}

int32_t vn__native_kernel_of(vn_context *context, vn_exe *exe, int32_t *of)
{
    (void)context;
    if (exe->program->n_instrs) memcpy(of, exe->kernel_of, (size_t)exe->program->n_instrs * sizeof *of);
    return exe->n_kernels;
}
