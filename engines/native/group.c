/* SPDX-License-Identifier: Apache-2.0 */
/* group.c: groups nodes into kernels and orders the kernels. The second step of compiling.
 *
 * A node's depth is the number of kernels that must have run before. An elementwise node has the depth of the elementwise nodes of
 * its own size it reads, and one more than anything else it reads; so elementwise nodes of equal depth and size never depend on one
 * another through a third kernel, and form one fused kernel. A node whose readers all come later moves down to the first
 * of them that it can join. A reduction joins the kernel that computes its operand if all reductions there read it
 * in the same layout. */
#include <limits.h>

#include "internal.h"

static int64_t count_of(const vn__graph *g, const native_node *n)
{
    return g->values[n->out].desc.count;
}

/* Moves elementwise nodes down to the nearest reader they can join. */
static int sink_nodes(vn__graph *g)
{
    const size_t n = (size_t)g->n_nodes;
    int32_t *latest = vn__native_arena_get(&g->scratch, (n + 1) * sizeof *latest);
    int32_t *joins = vn__native_arena_get(&g->scratch, (n + 1) * sizeof *joins);
    if (!latest || !joins) return vn__native_no_memory();
    for (size_t i = 0; i < n; i++) latest[i] = joins[i] = INT_MAX;
    for (int32_t i = g->n_nodes - 1; i >= 0; i--) {
        native_node *node = &g->nodes[i];
        const bool element = vn__native_node_is_element(node);
        if (element && joins[i] != INT_MAX && joins[i] == latest[i] && joins[i] > node->depth) node->depth = joins[i];
        for (int32_t k = 0; k < node->n_in; k++) {
            const int32_t maker = g->values[node->in[k].value].node;
            if (maker < 0) continue;
            const bool fused = element && vn__native_fusible(g, node, &node->in[k]) >= 0;
            const int32_t limit = node->depth - (fused ? 0 : 1);
            if (limit < latest[maker]) latest[maker] = limit;
            if (fused && limit < joins[maker]) joins[maker] = limit;
        }
        if (node->depth > g->max_depth) g->max_depth = node->depth;
    }
    return VN_OK;
}

static void add_to_group(vn__graph *g, int32_t group, int32_t node)
{
    vn__group *k = &g->groups[group];
    if (k->last >= 0) g->nodes[k->last].next = node;
    else k->first = node;
    k->last = node;
    k->n_nodes++;
    g->nodes[node].kernel = group;
}

static int32_t new_group(vn__graph *g, int32_t depth, int64_t count, bool fused)
{
    g->groups[g->n_groups] = (vn__group){.fused = fused, .depth = depth, .first = -1, .last = -1, .count = count};
    return g->n_groups++;
}

/* Finds or creates the fused group of a depth and size. `table` is a hash table of group numbers + 1. */
static int32_t group_for(vn__graph *g, int32_t *table, uint32_t mask, int32_t depth, int64_t count)
{
    uint64_t h = ((uint64_t)count * UINT64_C(0x9E3779B97F4A7C15)) ^ ((uint64_t)depth * UINT64_C(0xC2B2AE3D27D4EB4F));
    for (uint32_t i = (uint32_t)(h >> 32) & mask;; i = (i + 1) & mask) {
        if (table[i] == 0) {
            table[i] = new_group(g, depth, count, true) + 1;
            return table[i] - 1;
        }
        const vn__group *k = &g->groups[table[i] - 1];
        if (k->depth == depth && k->count == count) return table[i] - 1;
    }
}

/* The group a reduction joins: its operand's if the layouts match, otherwise a new one. */
static int32_t group_of_reduction(vn__graph *g, native_node *node)
{
    vn__shape3 shape;
    vn__view view;
    vn__native_operand_view(g, node, 0, &view);
    const bool direct = vn__native_reduce_shape(g, node, &shape, &view);
    const int32_t maker = vn__native_fusible(g, node, &node->in[0]);
    if (maker >= 0 && direct) {
        vn__group *k = &g->groups[g->nodes[maker].kernel];
        const vn__shape3 *s = &k->sink;
        if (s->layout == VN_LAYOUT_NONE) k->sink = shape;
        if (s->layout == shape.layout && s->outer == shape.outer && s->length == shape.length && s->inner == shape.inner)
            return g->nodes[maker].kernel;
    }
    const int32_t group = new_group(g, node->depth, g->values[node->instr->in[0]].desc.count, true);
    g->groups[group].sink = shape;
    return group;
}

static int make_groups(vn__graph *g)
{
    uint32_t size = 16;
    while (size < 2 * (uint32_t)g->n_nodes) size *= 2;
    int32_t *table = vn__native_arena_get(&g->scratch, size * sizeof *table);
    g->groups = vn__native_arena_get(&g->scratch, ((size_t)g->n_nodes + 1) * sizeof *g->groups);
    if (!table || !g->groups) return vn__native_no_memory();
    for (int32_t i = 0; i < g->n_nodes; i++) {
        native_node *n = &g->nodes[i];
        int32_t group;
        if (vn__native_node_is_element(n)) group = group_for(g, table, size - 1, n->depth, count_of(g, n));
        else if (n->family == VN_REDUCE) group = group_of_reduction(g, n);
        else group = new_group(g, n->depth, count_of(g, n), false);
        add_to_group(g, group, i);
    }
    return VN_OK;
}

/* Sorts groups by depth, stably. */
static int order_groups(vn__graph *g)
{
    int32_t *at = vn__native_arena_get(&g->scratch, ((size_t)g->max_depth + 2) * sizeof *at);
    g->order = vn__native_arena_get(&g->scratch, ((size_t)g->n_groups + 1) * sizeof *g->order);
    if (!at || !g->order) return vn__native_no_memory();
    for (int32_t i = 0; i < g->n_groups; i++) at[g->groups[i].depth + 1]++;
    for (int32_t d = 0; d <= g->max_depth; d++) at[d + 1] += at[d];
    for (int32_t i = 0; i < g->n_groups; i++) g->order[at[g->groups[i].depth]++] = i;
    return VN_OK;
}

/* Numbers the values that are stored in memory: inputs, outputs, and values that another kernel reads. */
static void number_storages(vn__graph *g)
{
    const vn_program *p = g->program;
    for (int32_t v = 0; v < p->n_inputs; v++) g->values[v].storage = v;
    int32_t n = p->n_inputs;
    for (int32_t i = 0; i < g->n_nodes; i++)
        for (int32_t k = 0; k < g->nodes[i].n_in; k++) {
            native_value *v = &g->values[g->nodes[i].in[k].value];
            if (v->storage < 0 && g->nodes[v->node].kernel != g->nodes[i].kernel) v->storage = n++;
        }
    for (int32_t i = 0; i < p->n_outputs; i++) {
        native_value *v = &g->values[g->output_values[i]];
        if (v->storage < 0) v->storage = n++;
    }
    g->exe->n_storages = n;
}

int vn__native_graph_group(vn__graph *g)
{
    int code = sink_nodes(g);
    if (!code) code = make_groups(g);
    if (!code) code = order_groups(g);
    if (!code) number_storages(g);
    return code;
}
