/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: a program as nodes to compute. The first step of compiling.
 *
 * Only what the outputs need is recorded. Reshape, broadcast_to, permute_dims, flip and stride create no node: they become views,
 * which are copied only if a kernel cannot read a view. Each family of ops has one record function, named in the kernel table. */
#include <string.h>

#include "internal.h"

/* A view of a single element, broadcast to any shape. */
static const vn__view one = {.rank = 1, .dims = {1}, .strides = {0}};

/* The view of a program's value, one axis for each of its own. */
static void value_view(const vn__graph *g, int32_t value, vn__view *view)
{
    const native_value *v = &g->values[value];
    if (v->view) *view = *v->view;
    else vn__native_view_rows(view, v->desc.rank, v->desc.dims);
}

void vn__native_operand_view(const vn__graph *g, const native_node *n, int32_t k, vn__view *view)
{
    const vn_desc *desc = &g->values[n->instr->in[k]].desc;
    if (n->in[k].view) *view = *n->in[k].view;
    else vn__native_view_rows(view, desc->rank, desc->dims);
}

int32_t vn__native_fusible(const vn__graph *g, const native_node *node, const vn__operand *operand)
{
    const int32_t maker = g->values[operand->value].node;
    if (operand->view || maker < 0 || !vn__native_node_is_element(&g->nodes[maker])) return -1;
    return vn__native_node_is_element(node) || node->family == VN_REDUCE ? maker : -1;
}

static const vn__view *keep_view(vn__graph *g, const vn__view *view)
{
    vn__view *kept = vn__native_arena_get(&g->exe->arena, sizeof *kept);
    if (kept) *kept = *view;
    return kept;
}

/* A node with room for its instruction's operands, or for the view it copies. */
static native_node *add_node(vn__graph *g, vn__family family, int32_t op, int32_t out, const vn_instr *instr)
{
    native_node *n = &g->nodes[g->n_nodes];
    *n = (native_node){.family = family, .op = op, .out = out, .n_out = 1, .instr = instr, .kernel = -1, .next = -1};
    n->in = &g->operands[g->n_operands];
    g->n_operands += instr ? instr->n_in : 1;
    g->values[out].node = g->n_nodes++;
    g->values[out].root = out;
    return n;
}

/* Adds an operand and raises the node's depth above that of its producer. */
static void add_operand(vn__graph *g, native_node *n, vn__operand operand)
{
    n->in[n->n_in++] = operand;
    const int32_t maker = g->values[operand.value].node;
    if (maker < 0) return;
    const bool joins = vn__native_node_is_element(n) && vn__native_fusible(g, n, &operand) >= 0;
    const int32_t depth = g->nodes[maker].depth + (joins ? 0 : 1);
    if (depth > n->depth) n->depth = depth;
}

/* A row-major copy of a view as a new value, which replaces it from here on. Room for it was reserved in advance. */
static int copy_view(vn__graph *g, int32_t value, int32_t *out)
{
    native_value *v = &g->values[value];
    vn__view collapsed = *v->view;
    vn__native_view_collapse(&collapsed);
    const int32_t copy = g->n_values++;
    g->values[copy] = (native_value){.root = copy, .node = -1, .storage = -1, .desc = v->desc};
    const vn__view *kept = vn__native_view_is_one(&collapsed) ? &one : keep_view(g, &collapsed);
    if (!kept) return vn__native_no_memory();
    const vn__family family = vn__native_is_transpose(kept) ? VN_TRANSPOSE : VN_CAST;
    add_operand(g, add_node(g, family, 0, copy, NULL), (vn__operand){v->root, kept});
    v->root = *out = copy;
    v->view = NULL;
    return VN_OK;
}

/* The operand for a kernel that takes only row-major arrays. */
static int whole_operand(vn__graph *g, native_node *n, int32_t value)
{
    int32_t whole = g->values[value].root;
    if (g->values[value].view) {
        const int32_t at = (int32_t)(n - g->nodes), out = n->out;
        const native_node unfinished = *n;
        /* the copy must precede the node: it takes the node's place and the node moves up */
        g->n_nodes--;
        const int code = copy_view(g, value, &whole);
        if (code) return code;
        n = &g->nodes[at + 1];
        *n = unfinished;
        g->n_nodes++;
        g->values[out].node = at + 1;
        for (int32_t r = 1; r < n->n_out; r++) g->values[n->outs[r]].node = at + 1;
    }
    add_operand(g, n, (vn__operand){whole, NULL});
    return VN_OK;
}

/* The last node, which whole_operand may have moved. */
static native_node *last_node(vn__graph *g)
{
    return &g->nodes[g->n_nodes - 1];
}

/* Reading such a view in row-major order would miss the cache at every element. */
static bool is_transposed(const native_value *v)
{
    if (!v->view) return false;
    vn__view collapsed = *v->view;
    vn__native_view_collapse(&collapsed);
    return vn__native_is_transpose(&collapsed);
}

/* The operand broadcast to a shape. A large transposed one is copied first. */
static int broadcast_operand(vn__graph *g, native_node *n, int32_t value, const vn_desc *to)
{
    const native_value *v = &g->values[value];
    if (v->desc.count == to->count && is_transposed(v)) return whole_operand(g, n, value);
    const vn_desc *root = &g->values[v->root].desc;
    const bool same = !v->view && v->desc.count == to->count && v->desc.rank <= to->rank;
    if (same || root->count == 1) {
        add_operand(g, n, (vn__operand){v->root, to->count == root->count ? NULL : &one});
        return VN_OK;
    }
    vn__view view;
    value_view(g, value, &view);
    vn__native_view_broadcast(&view, to->rank, to->dims);
    vn__native_view_collapse(&view);
    const vn__view *kept = vn__native_view_is_one(&view) ? &one : keep_view(g, &view);
    if (!kept) return vn__native_no_memory();
    add_operand(g, n, (vn__operand){v->root, kept});
    return VN_OK;
}

int vn__native_record_element(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    add_node(g, VN_ELEMENT, op->index, instr->out, instr);
    for (int32_t k = 0; k < instr->n_in; k++) {
        const int code = broadcast_operand(g, last_node(g), instr->in[k], &g->values[instr->out].desc);
        if (code) return code;
    }
    return VN_OK;
}

int vn__native_record_cast(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    (void)op;
    native_node *n = add_node(g, VN_CAST, 0, instr->out, instr);
    return broadcast_operand(g, n, instr->in[0], &g->values[instr->in[0]].desc);
}

int vn__native_record_reduce(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const vn_desc *x = &g->values[instr->in[0]].desc, *out = &g->values[instr->out].desc;
    if (x->count == out->count) return vn__native_record_cast(g, instr, op); /* only axes of size 1, or none: nothing to reduce */
    const native_value *v = &g->values[instr->in[0]];
    native_node *n = add_node(g, VN_REDUCE, op->index, instr->out, instr);
    if (is_transposed(v)) return whole_operand(g, n, instr->in[0]);
    add_operand(g, n, (vn__operand){v->root, v->view});
    return VN_OK;
}

/* Goes from an operand to what it was made from by a cast or copy of all its elements, if views permit. */
static bool look_through(const vn__graph *g, vn__operand *operand, int32_t rank)
{
    const int32_t maker = g->values[operand->value].node;
    if (maker < 0 || g->nodes[maker].n_in != 1) return false;
    const vn__operand *from = &g->nodes[maker].in[0];
    if (from->view && (operand->view || from->view->rank != rank || from->view->offset)) return false;
    *operand = (vn__operand){from->value, from->view ? from->view : operand->view};
    return true;
}

/* The dtypes that packing widens to that of a product. */
static uint32_t widened_to(int32_t dtype)
{
    const uint32_t narrow = VN_BIT(VN_I8) | VN_BIT(VN_U8) | VN_BIT(VN_I16);
    return dtype == VN_F32 ? VN_HALF : dtype == VN_I32 || dtype == VN_U32 ? narrow : 0;
}

/* An operand that was widened is read as it was. (Of floats with n = 1 only the matrix is, of less exact ones neither.) */
static vn__operand narrow_operand(const vn__graph *g, const vn_instr *instr, int32_t k)
{
    const native_value *v = &g->values[instr->in[k]];
    const vn_desc *y = &g->values[instr->in[1]].desc;
    const vn__operand wide = {v->root, v->view};
    vn__operand operand = wide;
    const int32_t maker = g->values[v->root].node;
    if (maker < 0 || g->nodes[maker].family != VN_CAST || (v->view && v->view->offset)) return wide;
    if (v->desc.dtype == VN_F32 && (g->program->precision != VN_PRECISION_EXACT || (k == 1 && y->dims[y->rank - 1] == 1))) return wide;
    if (!look_through(g, &operand, v->desc.rank)) return wide;
    if (!(VN_BIT(g->values[operand.value].desc.dtype) & widened_to(v->desc.dtype))) return wide;
    const int32_t copy = g->values[operand.value].node;
    if (copy >= 0 && g->nodes[copy].family == VN_TRANSPOSE) look_through(g, &operand, v->desc.rank);
    return operand;
}

/* Floats, integers of 8 and 16 bits, and wider integers that were such. */
static bool is_packed(const vn__graph *g, const vn_instr *instr)
{
    const int32_t dtype = g->values[instr->out].desc.dtype;
    const uint32_t narrow = VN_BIT(VN_I8) | VN_BIT(VN_U8) | VN_BIT(VN_I16) | VN_BIT(VN_U16);
    if (VN_BIT(dtype) & (VN_FLOATS | narrow)) return true;
    for (int32_t k = 0; k < 2; k++)
        if (!(VN_BIT(g->values[narrow_operand(g, instr, k).value].desc.dtype) & widened_to(dtype))) return false;
    return true;
}

int vn__native_record_matmul(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const bool packed = is_packed(g, instr);
    (void)op;
    add_node(g, VN_MATMUL, 0, instr->out, instr);
    for (int32_t k = 0; k < 2; k++) {
        const native_value *v = &g->values[instr->in[k]];
        int code = VN_OK;
        if (packed && !(v->view && v->view->offset)) add_operand(g, last_node(g), narrow_operand(g, instr, k));
        else code = whole_operand(g, last_node(g), instr->in[k]);
        if (code) return code;
    }
    return VN_OK;
}

/* slice(x, start) and slice_set(x, y, start): x of slice and y of slice_set may be views, the others not. */
int vn__native_record_slice(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const int32_t viewed = op->family == VN_SLICE ? 0 : 1;
    add_node(g, (vn__family)op->family, 0, instr->out, instr);
    for (int32_t k = 0; k < instr->n_in; k++) {
        const native_value *v = &g->values[instr->in[k]];
        int code = VN_OK;
        if (k == viewed) add_operand(g, last_node(g), (vn__operand){v->root, v->view});
        else code = whole_operand(g, last_node(g), instr->in[k]);
        if (code) return code;
    }
    return VN_OK;
}

/* Casts a value to another dtype, as a new value. */
static int cast_value(vn__graph *g, int32_t value, int32_t dtype, int32_t *out)
{
    const int32_t cast = g->n_values++;
    g->values[cast] = (native_value){.root = cast, .node = -1, .storage = -1, .desc = g->values[value].desc};
    g->values[cast].desc.dtype = dtype;
    *out = cast;
    return broadcast_operand(g, add_node(g, VN_CAST, 0, cast, NULL), value, &g->values[cast].desc);
}

/* The key and two parameters, cast to the type of computation. */
int vn__native_record_random(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const int32_t dtype = g->values[instr->out].desc.dtype;
    const int32_t type = dtype == VN_F32 || vn__native_is_half(dtype) ? VN_F32 : VN_F64;
    int32_t parameters[2] = {instr->in[1], instr->in[2]};
    int code = VN_OK;
    for (int32_t k = 0; k < 2 && !code; k++)
        if (g->values[parameters[k]].desc.dtype != type) code = cast_value(g, parameters[k], type, &parameters[k]);
    if (code) return code;
    add_node(g, VN_RANDOM, op->index, instr->out, instr);
    code = whole_operand(g, last_node(g), instr->in[0]);
    for (int32_t k = 0; k < 2 && !code; k++) code = broadcast_operand(g, last_node(g), parameters[k], &g->values[instr->out].desc);
    return code;
}

/* Cumulative sums have the accumulation type; half precision is rounded afterwards. */
int vn__native_record_running(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const vn_desc *desc = &g->values[instr->out].desc;
    const int32_t type = vn__native_register(desc->dtype);
    int32_t x = instr->in[0], out = instr->out;
    int code = g->values[x].desc.dtype == type ? VN_OK : cast_value(g, x, type, &x);
    if (code) return code;
    if (type != desc->dtype) {
        out = g->n_values++;
        g->values[out] = (native_value){.root = out, .node = -1, .storage = -1, .desc = *desc};
        g->values[out].desc.dtype = type;
    }
    add_node(g, (vn__family)op->family, 0, out, instr);
    code = whole_operand(g, last_node(g), x);
    if (!code && out != instr->out) add_operand(g, add_node(g, VN_CAST, 0, instr->out, instr), (vn__operand){out, NULL});
    return code;
}

/* A node on whole arrays, with these operands and all results of its instruction. */
static int add_whole(vn__graph *g, const vn_instr *instr, const native_op *op, const int32_t *in, const int32_t *outs)
{
    native_node *n = add_node(g, (vn__family)op->family, op->index, outs[0], instr);
    n->n_out = instr->n_out;
    n->outs = outs;
    for (int32_t r = 1; r < n->n_out; r++) {
        g->values[outs[r]].node = g->values[outs[0]].node;
        g->values[outs[r]].root = outs[r];
    }
    int code = VN_OK;
    for (int32_t k = 0; k < instr->n_in && !code; k++) code = whole_operand(g, last_node(g), in[k]);
    return code;
}

/* A kernel on whole arrays: half-precision inputs are widened before, results rounded after. */
int vn__native_record_whole(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    int32_t *in = vn__native_arena_get(&g->scratch, (size_t)(instr->n_in + instr->n_out) * sizeof *in), *outs = in + instr->n_in;
    if (!in) return vn__native_no_memory();
    int code = VN_OK;
    for (int32_t k = 0; k < instr->n_in && !code; k++) {
        in[k] = instr->in[k];
        if (vn__native_is_half(g->values[in[k]].desc.dtype)) code = cast_value(g, in[k], VN_F32, &in[k]);
    }
    for (int32_t r = 0; r < instr->n_out; r++) {
        const vn_desc *desc = &g->values[outs[r] = instr->out + r].desc;
        if (!vn__native_is_half(desc->dtype)) continue;
        outs[r] = g->n_values++;
        g->values[outs[r]] = (native_value){.root = outs[r], .node = -1, .storage = -1, .desc = *desc};
        g->values[outs[r]].desc.dtype = VN_F32;
    }
    if (!code) code = add_whole(g, instr, op, in, outs);
    for (int32_t r = 0; r < instr->n_out && !code; r++) {
        if (outs[r] == instr->out + r || !g->program->used[instr->out + r]) continue;
        add_operand(g, add_node(g, VN_CAST, 0, instr->out + r, NULL), (vn__operand){outs[r], NULL});
    }
    return code;
}

/* A kernel that gets half precision as it is. */
int vn__native_record_moved(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    int32_t *outs = vn__native_arena_get(&g->scratch, (size_t)instr->n_out * sizeof *outs);
    if (!outs) return vn__native_no_memory();
    for (int32_t r = 0; r < instr->n_out; r++) outs[r] = instr->out + r;
    return add_whole(g, instr, op, instr->in, outs);
}

/* ---- views ---- */

/* Makes `out` a view of x's value. */
static int set_view(vn__graph *g, int32_t out, int32_t root, const vn__view *view)
{
    native_value *v = &g->values[out];
    v->root = root;
    if (v->desc.count == g->values[root].desc.count && vn__native_view_is_rows(view)) {
        v->view = NULL;
        return VN_OK;
    }
    v->view = keep_view(g, view);
    return v->view ? VN_OK : vn__native_no_memory();
}

int vn__native_record_reshape(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const int32_t x = instr->in[0], out = instr->out;
    const vn_desc *to = &g->values[out].desc;
    vn__view view;
    (void)op;
    if (!g->values[x].view) {
        g->values[out].root = g->values[x].root;
        return VN_OK;
    }
    value_view(g, x, &view);
    if (vn__native_view_reshape(&view, to->rank, to->dims)) return set_view(g, out, g->values[x].root, &view);
    return copy_view(g, x, &g->values[out].root);
}

int vn__native_record_broadcast(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const vn_desc *to = &g->values[instr->out].desc;
    vn__view view;
    (void)op;
    value_view(g, instr->in[0], &view);
    vn__native_view_broadcast(&view, to->rank, to->dims);
    return set_view(g, instr->out, g->values[instr->in[0]].root, &view);
}

enum { AXES, STEPS = AXES }; /* options */

int vn__native_record_permute(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    vn__view view;
    (void)op;
    value_view(g, instr->in[0], &view);
    vn__native_view_permute(&view, instr->options[AXES].u.is);
    return set_view(g, instr->out, g->values[instr->in[0]].root, &view);
}

int vn__native_record_flip(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const vn_option *axes = &instr->options[AXES];
    vn__view view;
    (void)op;
    value_view(g, instr->in[0], &view);
    for (int32_t i = 0; i < axes->n; i++) vn__native_view_flip(&view, (int32_t)axes->u.is[i]);
    return set_view(g, instr->out, g->values[instr->in[0]].root, &view);
}

int vn__native_record_stride(vn__graph *g, const vn_instr *instr, const native_op *op)
{
    const vn_option *steps = &instr->options[STEPS];
    vn__view view;
    (void)op;
    value_view(g, instr->in[0], &view);
    for (int32_t r = 0; r < steps->n; r++) vn__native_view_stride(&view, r, steps->u.is[r]);
    return set_view(g, instr->out, g->values[instr->in[0]].root, &view);
}

/* ---- the whole program ---- */

/* needed[v]: some output depends on value v. */
static uint8_t *find_needed(vn__graph *g)
{
    const vn_program *p = g->program;
    uint8_t *needed = vn__native_arena_get(&g->scratch, (size_t)p->n_values + 1);
    if (!needed) return NULL;
    for (int32_t i = 0; i < p->n_outputs; i++) needed[p->outputs[i]] = 1;
    for (int32_t i = p->n_instrs - 1; i >= 0; i--) {
        const vn_instr *instr = p->instrs[i];
        for (int32_t r = 1; r < instr->n_out; r++) needed[instr->out] |= needed[instr->out + r]; /* if one result is needed, the node is */
        if (!needed[instr->out]) continue;
        for (int32_t k = 0; k < instr->n_in; k++) needed[instr->in[k]] = 1;
    }
    return needed;
}

/* Reserves room for the most values, nodes and operands: one node per instruction, two casts and a copy of a view per operand, a cast
 * per result. */
static int make_room(vn__graph *g)
{
    const vn_program *p = g->program;
    size_t copies = (size_t)p->n_outputs, operands = 0;
    for (int32_t i = 0; i < p->n_instrs; i++) {
        copies += 3 * (size_t)p->instrs[i]->n_in + (size_t)p->instrs[i]->n_out;
        operands += (size_t)p->instrs[i]->n_in;
    }
    g->operands = vn__native_arena_get(&g->scratch, (operands + copies + 1) * sizeof *g->operands);
    g->values = vn__native_arena_get(&g->scratch, ((size_t)p->n_values + copies) * sizeof *g->values);
    g->nodes = vn__native_arena_get(&g->scratch, ((size_t)p->n_instrs + copies) * sizeof *g->nodes);
    g->output_values = vn__native_arena_get(&g->scratch, ((size_t)p->n_outputs + 1) * sizeof *g->output_values);
    if (!g->operands || !g->values || !g->nodes || !g->output_values) return vn__native_no_memory();
    g->n_values = p->n_values;
    for (int32_t v = 0; v < p->n_values; v++) g->values[v] = (native_value){.root = v, .node = -1, .storage = -1, .desc = p->values[v]};
    return VN_OK;
}

/* Removes nodes that nothing reads: casts that matmul looked through. */
static int drop_unread(vn__graph *g)
{
    uint8_t *read = vn__native_arena_get(&g->scratch, (size_t)g->n_values + (size_t)g->n_nodes), *kept = read + g->n_values;
    if (!read) return vn__native_no_memory();
    for (int32_t i = 0; i < g->program->n_outputs; i++) read[g->output_values[i]] = 1;
    for (int32_t i = g->n_nodes - 1; i >= 0; i--) {
        const native_node *n = &g->nodes[i];
        kept[i] = n->family != VN_CAST && n->family != VN_TRANSPOSE ? 1 : read[n->out];
        for (int32_t k = 0; k < n->n_in && kept[i]; k++) read[n->in[k].value] = 1;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < g->n_nodes; i++) {
        if (!kept[i]) continue;
        const native_node *node = &g->nodes[n];
        g->nodes[n] = g->nodes[i];
        g->values[node->out].node = n;
        for (int32_t r = 1; r < node->n_out; r++) g->values[node->outs[r]].node = n;
        n++;
    }
    g->n_nodes = n;
    return VN_OK;
}

int vn__native_graph_record(vn__graph *g)
{
    const vn_program *p = g->program;
    uint8_t *needed = find_needed(g);
    int code = needed ? make_room(g) : vn__native_no_memory();
    for (int32_t i = 0; i < p->n_instrs && !code; i++) {
        const native_op *op = p->instrs[i]->row->data;
        if (needed[p->instrs[i]->out]) code = op->record(g, p->instrs[i], op);
    }
    for (int32_t i = 0; i < p->n_outputs && !code; i++) {
        const int32_t v = p->outputs[i];
        if (g->values[v].view) code = copy_view(g, v, &g->output_values[i]);
        else g->output_values[i] = g->values[v].root;
    }
    return code ? code : drop_unread(g);
}

bool vn__native_reduce_shape(const vn__graph *g, const native_node *node, vn__shape3 *shape, vn__view *view)
{
    const vn_desc *x = &g->values[node->instr->in[0]].desc;
    const vn_option *axes = &node->instr->options[AXES];
    int64_t run[VN_MAX_RANK], order[VN_MAX_RANK], kept = 1, summed = 1;
    bool over[VN_MAX_RANK] = {false}, runs_over[VN_MAX_RANK];
    int32_t n = 0, n_order = 0;
    for (int32_t i = 0; i < axes->n; i++) over[axes->u.is[i]] = true;
    for (int32_t r = 0; r < x->rank; r++) {
        if (over[r]) summed *= x->dims[r];
        else kept *= x->dims[r];
        if (x->dims[r] == 1) continue;
        if (n > 0 && runs_over[n - 1] == over[r]) {
            run[n - 1] *= x->dims[r];
        } else {
            runs_over[n] = over[r];
            run[n++] = x->dims[r];
        }
    }
    *shape = (vn__shape3){VN_LAYOUT_ROWS, kept, summed, 1};
    if (n == 0 || (n <= 2 && runs_over[n - 1])) return true;
    if (n == 2 || (n == 3 && !runs_over[2])) {
        *shape = (vn__shape3){VN_LAYOUT_COLUMNS, n == 2 ? 1 : run[0], run[n - 2], run[n - 1]};
        return true;
    }
    for (int32_t r = 0; r < x->rank; r++)
        if (!over[r]) order[n_order++] = r;
    for (int32_t r = 0; r < x->rank; r++)
        if (over[r]) order[n_order++] = r;
    vn__native_view_permute(view, order);
    return false;
}
