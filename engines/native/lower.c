/* SPDX-License-Identifier: Apache-2.0 */
/* lower.c: a group of elementwise nodes and reductions as the steps of one fused kernel. The third step of compiling.
 *
 * Steps work on blocks of elements. A value that only this kernel reads is in a register, a block-sized piece of scratch memory;
 * a stored value is computed directly into its memory. Operands in memory are used in place if they are row-major and not
 * half precision; otherwise a step loads them into a register once. Registers are freed after their last use. */
#include <limits.h>

#include "internal.h"

/* The location of a block of a value. Registers are numbered ~r until the number of bases is known. */
typedef struct spot {
    int32_t base;
    uint8_t bytes; /* per element; 0 for registers and single elements */
    bool single;   /* one element instead of a block */
} spot;

typedef struct lowering {
    vn__graph *g;
    vn__fused *f;
    vn__uses *uses;
    int32_t group, capacity;
    int32_t *free_registers, n_free;
    int32_t late[8], n_late;    /* registers to free after the current node */
    struct value_state *values; /* by value; valid where `group` matches */
    int32_t *base_of, *read_of; /* by storage: base + 1, read + 1; valid where base_group matches */
    int32_t *base_group;
} lowering;

/* State of a value inside the current group. */
typedef struct value_state {
    int32_t group, last; /* node of its last use; INT_MAX: needed to the end */
    bool here;           /* spot is set */
    spot at;
    const vn__view *view; /* of a loaded operand */
} value_state;

static int new_step3(lowering *l, vn__step_fn fn, spot d, spot a, spot b, spot c, const void *aux)
{
    vn__fused *f = l->f;
    if (f->n_steps == l->capacity) {
        const int32_t more = l->capacity ? 2 * l->capacity : 8;
        vn__step *steps = vn__native_arena_get(&l->g->scratch, (size_t)more * sizeof *steps);
        if (!steps) return vn__native_no_memory();
        for (int32_t i = 0; i < f->n_steps; i++) steps[i] = f->steps[i];
        f->steps = steps;
        l->capacity = more;
    }
    f->steps[f->n_steps++] = (vn__step){fn, aux, d.base, a.base, b.base, c.base, d.bytes, a.bytes, b.bytes, c.bytes};
    return VN_OK;
}

static int new_step(lowering *l, vn__step_fn fn, spot d, spot a, spot b, const void *aux)
{
    return new_step3(l, fn, d, a, b, a, aux);
}

static spot new_register(lowering *l)
{
    const int32_t r = l->n_free > 0 ? l->free_registers[--l->n_free] : l->f->n_registers++;
    return (spot){.base = ~r};
}

static void free_register(lowering *l, spot at)
{
    if (at.base < 0) l->free_registers[l->n_free++] = ~at.base;
}

static int32_t base_of(lowering *l, int32_t storage)
{
    if (l->base_group[storage] != l->group) {
        l->base_group[storage] = l->group;
        l->read_of[storage] = 0;
        l->f->bases[l->f->n_bases] = storage;
        l->base_of[storage] = l->f->n_bases++;
    }
    return l->base_of[storage];
}

/* See vn__use. A view never counts as in order, so only plain operands can share memory with the result. */
static int64_t span_of(const vn__view *view)
{
    if (!view) return 1;
    return view->rank == 2 && view->offset == 0 && view->strides[0] == 1 && view->strides[1] == 0 ? view->dims[1] : 0;
}

/* Records that the next step reads a storage. */
static void note_read(lowering *l, int32_t storage, const vn__view *view)
{
    const int64_t span = span_of(view);
    if (l->read_of[storage] == 0) {
        l->uses->reads[l->uses->n_reads] = (vn__use){storage, 0, span, 0};
        l->read_of[storage] = ++l->uses->n_reads;
    }
    vn__use *use = &l->uses->reads[l->read_of[storage] - 1];
    use->at = l->f->n_steps;
    if (use->span != span) use->span = 0;
}

/* Loads an operand from memory: gathers a view, converts half precision. */
static int load(lowering *l, spot memory, const vn__view *view, int32_t dtype, spot *out)
{
    const vn__isa *isa = vn__native_isa;
    const size_t bytes = vn__native_bytes(dtype);
    spot at = memory;
    int code = VN_OK;
    if (view) {
        at = new_register(l);
        memory.bytes = 0;
        vn__step_fn fn = vn__native_view_is_one(view) ? isa->copy->splat[bytes] : isa->copy->gather[bytes];
        code = new_step(l, fn, at, memory, memory, view);
    }
    if (!code && vn__native_is_half(dtype)) {
        const spot half = at;
        at = new_register(l);
        code = new_step(l, isa->cast->cast[dtype][VN_F32], at, half, half, NULL);
        if (view) free_register(l, half);
    }
    *out = at;
    return code;
}

static value_state *state_of(lowering *l, int32_t value)
{
    value_state *s = &l->values[value];
    if (s->group != l->group) *s = (value_state){.group = l->group, .last = -1};
    return s;
}

/* The location of an operand's block, loading it if necessary. Single elements stay single only if the caller can use them. */
static int operand(lowering *l, const vn__operand *o, bool single_is_fine, spot *out)
{
    const native_value *v = &l->g->values[o->value];
    value_state *s = state_of(l, o->value);
    const bool made_here = v->node >= 0 && l->g->nodes[v->node].kernel == l->group;
    if (made_here || (s->here && (o->view == s->view || (o->view && s->view && vn__native_view_equal(o->view, s->view))))) {
        *out = s->at;
        return VN_OK;
    }
    const size_t bytes = vn__native_bytes(v->desc.dtype);
    const spot memory = {.base = base_of(l, v->storage), .bytes = (uint8_t)bytes};
    const bool half = vn__native_is_half(v->desc.dtype), one = o->view && vn__native_view_is_one(o->view);
    note_read(l, v->storage, o->view);
    if (!half && !o->view) {
        *out = memory;
        return VN_OK;
    }
    if (!half && one && single_is_fine) {
        *out = (spot){.base = memory.base, .single = true};
        return VN_OK;
    }
    /* a second view of the same value replaces the first, which may still be an operand of this node */
    if (s->here) l->late[l->n_late++] = s->at.base;
    const int code = load(l, memory, o->view, v->desc.dtype, &s->at);
    s->here = !code;
    s->view = o->view;
    *out = s->at;
    return code;
}

static size_t register_bytes(const native_value *v)
{
    return vn__native_bytes(vn__native_register(v->desc.dtype));
}

/* Frees the registers of operands last used by node `at`; only those with elements of `bytes` bytes, unless that is 0. */
static void drop_operands(lowering *l, const native_node *n, int32_t at, size_t bytes)
{
    for (int32_t k = 0; k < n->n_in; k++) {
        value_state *s = state_of(l, n->in[k].value);
        if (!s->here || s->last != at || (bytes && bytes != register_bytes(&l->g->values[n->in[k].value]))) continue;
        free_register(l, s->at);
        s->here = false;
    }
}

/* The location of node n's result: its memory, or a register (always for half precision). */
static spot result(lowering *l, const native_node *n)
{
    const native_value *v = &l->g->values[n->out];
    if (v->storage < 0 || vn__native_is_half(v->desc.dtype)) return new_register(l);
    return (spot){.base = base_of(l, v->storage), .bytes = (uint8_t)vn__native_bytes(v->desc.dtype)};
}

/* The result's location after the operands of node `at` are located. It may be an operand's register if the element size is the same. */
static spot replace_operands(lowering *l, const native_node *n, int32_t at)
{
    drop_operands(l, n, at, register_bytes(&l->g->values[n->out]));
    const spot d = result(l, n);
    drop_operands(l, n, at, 0);
    while (l->n_late > 0) free_register(l, (spot){.base = l->late[--l->n_late]});
    return d;
}

/* Rounds and stores a half-precision result, and records the locations of values. */
static int finish(lowering *l, const native_node *n, spot at, bool rounded)
{
    const native_value *v = &l->g->values[n->out];
    const int32_t dtype = v->desc.dtype;
    const vn__cast_table *cast = vn__native_isa->cast;
    int code = VN_OK;
    if (vn__native_is_half(dtype) && !rounded) code = new_step(l, cast->round[dtype], at, at, at, NULL);
    if (!code && vn__native_is_half(dtype) && v->storage >= 0) {
        const spot memory = {.base = base_of(l, v->storage), .bytes = 2};
        code = new_step(l, cast->cast[VN_F32][dtype], memory, at, at, NULL);
    }
    if (v->storage >= 0) l->uses->writes[l->uses->n_writes++] = (vn__use){v->storage, l->f->n_steps - 1, 1, 0};
    value_state *s = state_of(l, n->out);
    s->at = at;
    s->here = true;
    if (s->last < 0) { /* only stored */
        free_register(l, at);
        s->here = false;
    }
    return code;
}

static int lower_element(lowering *l, const native_node *n, int32_t at)
{
    /* a condition comes first; the last operand determines the type */
    const int32_t last = n->n_in - 1, first = last == 2;
    const vn__step_fn *fns = vn__native_steps(n->op, l->g->values[n->in[last].value].desc.dtype);
    spot condition, x, y;
    int code = first ? operand(l, &n->in[0], false, &condition) : VN_OK;
    if (!code) code = operand(l, &n->in[first], last > first, &x);
    if (code) return code;
    y = x;
    if (last > first) code = operand(l, &n->in[last], !x.single, &y);
    if (code) return code;
    const int shape = y.single && !x.single ? VN_VEC_SCALAR : x.single && !y.single ? VN_SCALAR_VEC : VN_VEC_VEC;
    if (!fns[shape])
        return vn__native_host->error(VN_E_UNSUPPORTED, "native: %s has no kernel for %s", n->instr->op,
                                      vn__native_dtype_name(l->g->values[n->in[last].value].desc.dtype));
    const spot d = replace_operands(l, n, at);
    const void *aux = n->instr->n_options ? &n->instr->options->u.i : NULL; /* its only one */
    code = first ? new_step3(l, fns[shape], d, condition, x, y, NULL) : new_step(l, fns[shape], d, x, y, aux);
    return code ? code : finish(l, n, d, false);
}

/* The conversion between two dtypes as registers hold them. */
static vn__step_fn conversion(int32_t from, int32_t to)
{
    const vn__cast_table *cast = vn__native_isa->cast;
    const int32_t x = vn__native_register(from), z = vn__native_register(to);
    if (vn__native_is_half(to) && cast->odd[x]) return cast->odd[x];
    if (x == z) return vn__native_isa->copy->copy[vn__native_bytes(x)];
    return cast->cast[x][z];
}

/* A copy of a view moves memory without interpreting the elements. */
static int lower_copy(lowering *l, const native_node *n)
{
    const vn__operand *o = &n->in[0];
    const native_value *v = &l->g->values[o->value];
    const size_t bytes = vn__native_bytes(v->desc.dtype);
    const spot from = {.base = base_of(l, v->storage)};
    const spot to = {.base = base_of(l, l->g->values[n->out].storage), .bytes = (uint8_t)bytes};
    const vn__copy_table *copy = vn__native_isa->copy;
    note_read(l, v->storage, o->view);
    l->uses->writes[l->uses->n_writes++] = (vn__use){l->g->values[n->out].storage, l->f->n_steps, 1, 0};
    return new_step(l, vn__native_view_is_one(o->view) ? copy->splat[bytes] : copy->gather[bytes], to, from, from, o->view);
}

static int lower_cast(lowering *l, const native_node *n, int32_t at)
{
    const int32_t from = l->g->values[n->in[0].value].desc.dtype, to = l->g->values[n->out].desc.dtype;
    const value_state *out = state_of(l, n->out);
    if (from == to && n->in[0].view && out->last < 0) return lower_copy(l, n);
    const int32_t before = l->f->n_steps;
    spot x;
    int code = operand(l, &n->in[0], false, &x);
    if (code) return code;
    const spot d = replace_operands(l, n, at);
    const bool loads = l->f->n_steps > before && !state_of(l, n->in[0].value)->here && vn__native_is_half(from) && to == VN_F32;
    const bool rounds = vn__native_register(from) == VN_F32 && vn__native_is_half(to) && from != to;
    if (loads) { /* the load is the cast: it goes where the result does */
        vn__step *load = &l->f->steps[l->f->n_steps - 1];
        load->d = d.base, load->d_bytes = d.bytes;
    } else {
        code = new_step(l, rounds ? vn__native_isa->cast->round[to] : conversion(from, to), d, x, x, NULL);
    }
    return code ? code : finish(l, n, d, from == to || rounds);
}

/* ---- reductions ---- */

static int lower_reduction(lowering *l, const native_node *n)
{
    const native_value *v = &l->g->values[n->out];
    const int32_t from = l->g->values[n->in[0].value].desc.dtype, type = vn__native_register(v->desc.dtype);
    vn__operand o = n->in[0];
    spot x;
    if (vn__native_fusible(l->g, n, &o) < 0 || l->g->nodes[l->g->values[o.value].node].kernel != l->group) {
        vn__shape3 shape;
        vn__view view;
        vn__native_operand_view(l->g, n, 0, &view);
        vn__native_reduce_shape(l->g, n, &shape, &view);
        const bool rows = vn__native_view_is_rows(&view) && l->g->values[o.value].desc.count == l->f->count;
        vn__view *kept = vn__native_arena_get(&l->g->exe->arena, sizeof *kept);
        if (!kept) return vn__native_no_memory();
        vn__native_view_collapse(&view);
        *kept = view;
        o.view = rows ? NULL : kept;
    }
    int code = operand(l, &o, false, &x);
    if (!code && vn__native_register(from) != type) {
        const spot wide = new_register(l);
        code = new_step(l, conversion(from, type), wide, x, x, NULL);
        x = wide;
    }
    l->uses->writes[l->uses->n_writes++] = (vn__use){v->storage, INT_MAX, 0, 0};
    l->f->sinks[l->f->n_sinks++] =
        (vn__sink){.x = x.base, .x_bytes = x.bytes, .out = base_of(l, v->storage), .kind = n->op, .type = type, .dtype = v->desc.dtype};
    return code;
}

/* ---- the group ---- */

/* Arrays shared by all groups of a program are made once; those of the group are sized by its nodes. */
static int prepare(lowering *l)
{
    vn__graph *g = l->g;
    const vn__group *group = &g->groups[l->group];
    size_t operands = 0, reductions = 0;
    for (int32_t i = group->first; i >= 0; i = g->nodes[i].next) {
        operands += (size_t)g->nodes[i].n_in;
        reductions += g->nodes[i].family == VN_REDUCE;
    }
    const size_t nodes = (size_t)group->n_nodes;
    l->free_registers = vn__native_arena_get(&g->scratch, (2 * operands + 2 * nodes + 8) * sizeof *l->free_registers);
    l->f->bases = vn__native_arena_get(&g->exe->arena, (operands + nodes) * sizeof *l->f->bases);
    l->f->sinks = vn__native_arena_get(&g->exe->arena, (reductions + 1) * sizeof *l->f->sinks);
    l->uses->reads = vn__native_arena_get(&g->scratch, operands * sizeof *l->uses->reads);
    l->uses->writes = vn__native_arena_get(&g->scratch, nodes * sizeof *l->uses->writes);
    if (!l->free_registers || !l->f->bases || !l->f->sinks || !l->uses->reads || !l->uses->writes) return vn__native_no_memory();
    for (int32_t i = group->first; i >= 0; i = g->nodes[i].next)
        for (int32_t k = 0; k < g->nodes[i].n_in; k++)
            state_of(l, g->nodes[i].in[k].value)->last = g->nodes[i].family == VN_REDUCE ? INT_MAX : i;
    /* what a reduction reads is kept to the end */
    for (int32_t i = group->first; i >= 0 && reductions > 0; i = g->nodes[i].next)
        if (g->nodes[i].family == VN_REDUCE) state_of(l, g->nodes[i].in[0].value)->last = INT_MAX;
    return VN_OK;
}

/* Assigns final register numbers and copies the steps. */
static int settle(lowering *l)
{
    vn__fused *f = l->f;
    vn__step *steps = vn__native_arena_get(&l->g->exe->arena, ((size_t)f->n_steps + 1) * sizeof *steps);
    if (!steps) return vn__native_no_memory();
    for (int32_t i = 0; i < f->n_steps; i++) {
        vn__step *s = &steps[i];
        *s = f->steps[i];
        if (s->d < 0) s->d = f->n_bases + ~s->d;
        if (s->a < 0) s->a = f->n_bases + ~s->a;
        if (s->b < 0) s->b = f->n_bases + ~s->b;
        if (s->c < 0) s->c = f->n_bases + ~s->c;
    }
    f->steps = steps;
    for (int32_t i = 0; i < f->n_sinks; i++)
        if (f->sinks[i].x < 0) f->sinks[i].x = f->n_bases + ~f->sinks[i].x;
    return VN_OK;
}

/* State by value and storage is kept between groups, tagged with its group. */
static int shared_state(lowering *l)
{
    vn__graph *g = l->g;
    if (!g->lowering) {
        const size_t n = (size_t)g->exe->n_storages + 1;
        lowering *keep = vn__native_arena_get(&g->scratch, sizeof *keep);
        if (!keep) return vn__native_no_memory();
        keep->values = vn__native_arena_get(&g->scratch, ((size_t)g->n_values + 1) * sizeof *keep->values);
        keep->base_of = vn__native_arena_get(&g->scratch, n * sizeof *keep->base_of);
        keep->read_of = vn__native_arena_get(&g->scratch, n * sizeof *keep->read_of);
        keep->base_group = vn__native_arena_get(&g->scratch, n * sizeof *keep->base_group);
        if (!keep->values || !keep->base_of || !keep->read_of || !keep->base_group) return vn__native_no_memory();
        for (int32_t i = 0; i < g->n_values; i++) keep->values[i].group = -1;
        for (size_t i = 0; i < n; i++) keep->base_group[i] = -1;
        g->lowering = keep;
    }
    l->values = g->lowering->values;
    l->base_of = g->lowering->base_of;
    l->read_of = g->lowering->read_of;
    l->base_group = g->lowering->base_group;
    return VN_OK;
}

/* Bytes of the largest element a node keeps in registers. */
static size_t widest(const vn__graph *g, const native_node *n)
{
    const size_t out = register_bytes(&g->values[n->out]), in = register_bytes(&g->values[n->in[0].value]);
    return vn__max(out, in);
}

int vn__native_lower_fused(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    vn__fused *f = vn__native_arena_get(&g->exe->arena, sizeof *f);
    if (!f) return vn__native_no_memory();
    lowering l = {.g = g, .f = f, .uses = uses, .group = group};
    f->kernel.run = vn__native_fused_run;
    f->kernel.explain = vn__native_fused_explain;
    f->count = g->groups[group].count;
    f->sink_shape = g->groups[group].sink;
    int code = shared_state(&l);
    if (!code) code = prepare(&l);
    for (int32_t i = g->groups[group].first; i >= 0 && !code; i = g->nodes[i].next) {
        const native_node *n = &g->nodes[i];
        if (f->n_names++ < (int32_t)(sizeof f->names / sizeof f->names[0])) f->names[f->n_named++] = n->instr ? n->instr->op : "copy";
        const size_t element = widest(g, n);
        if (element > f->register_bytes) f->register_bytes = element; /* multiplied by the block size later */
        if (n->family == VN_ELEMENT) code = lower_element(&l, n, i);
        else if (n->family == VN_CAST) code = lower_cast(&l, n, i);
        else code = lower_reduction(&l, n);
        if (n->family == VN_REDUCE) f->desc = g->values[n->instr->in[0]].desc;
        else f->desc = g->values[n->out].desc;
    }
    if (!code) code = settle(&l);
    if (code) return code;
    vn__native_fused_size(f);
    *out = &f->kernel;
    return VN_OK;
}
