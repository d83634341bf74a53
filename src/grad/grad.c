/* SPDX-License-Identifier: Apache-2.0 */
/* grad.c: gradients on top of recorded nodes. vn_grad walks back from the loss over nodes with history and records the gradient as more
 * nodes, using the vjp in each op's row. So the gradient runs on the arrays' engine, together with the forward pass, and can be
 * differentiated again. */
#include "core/memory.h"
#include "core/object.h"
#include "core/text.h"
#include "core/state.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "core/callback.h"
#include "core/place.h"
#include "grad/grad.h"
#include "tree/tree.h"

/* ---- gradient mode ---- */

int vn_with_grads(int mode)
{
    vn__state *s = vn__enter();
    if (!s) return 0;
    if (mode < -1 || mode > 1) return vn__fail(VN_E_ARG, "with_grads: mode %d; 0, 1 or -1 (ask) is needed", mode), 0;
    if (mode >= 0) return mode;
    return vn__grad_mode(s);
}

int vn_set_with_grads(int mode)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (mode != 0 && mode != 1) return vn__fail(VN_E_ARG, "set_with_grads: mode %d; 0 or 1 is needed", mode);
    if (s->n_modes == s->cap_modes) {
        size_t cap = s->cap_modes ? 2 * s->cap_modes : 16;
        uint8_t *m = vn__grow(s->modes, s->n_modes, cap);
        if (!m) return vn__no_memory("set_with_grads");
        s->modes = m;
        s->cap_modes = cap;
    }
    s->modes[s->n_modes++] = (uint8_t)mode;
    return VN_OK;
}

int vn_unset_with_grads(void)
{
    vn__state *s = vn__enter();
    if (s && s->n_modes) s->n_modes--;
    return s ? VN_OK : VN_E_MEM;
}

int vn_takes_gradients(void)
{
    const vn__state *s = vn__enter();
    return s && s->n_modes && vn__grad_mode(s);
}

int vn_is_variable(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "is_variable", "x") && (vn__node_of(x)->flags & VN__VARIABLE) != 0;
}

int vn_has_history(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "has_history", "x") && (vn__node_of(x)->flags & VN__HISTORY) != 0;
}

vn_array *vn_variable_data(vn_array *x)
{
    return vn_stop_gradient(x);
}

/* ---- the walk ---- */

/* State of a node during the walk: its position in the order, whether it depends on a requested input, its cotangent (one per result for a
 * node with several results). */
typedef struct {
    vn__node *node;
    vn__node *ct;
    vn__node **cts;
    bool needed;
} spot;

typedef struct {
    spot *spots; /* in topological order: inputs before users */
    size_t n, capacity;
    uint32_t *table; /* hash table with open addressing, by node: 1 + index in spots */
    size_t slots;
    vn__node **stack;
    int32_t *child;
    size_t stack_capacity;
} tape;

static bool grow(void *list, size_t *capacity, size_t n, size_t item)
{
    if (n < *capacity) return true;
    size_t cap = *capacity ? 2 * *capacity : 256;
    void *old, *m;
    memcpy(&old, list, sizeof old);
    if (!(m = vn__grow(old, *capacity * item, cap * item))) return false;
    memcpy(list, &m, sizeof m);
    *capacity = cap;
    return true;
}

static size_t slot_of(const tape *t, const vn__node *n)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)n >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (t->slots - 1);
    while (t->table[at] && t->spots[t->table[at] - 1].node != n) at = (at + 1) & (t->slots - 1);
    return at;
}

static spot *find(const tape *t, const vn__node *n)
{
    if (!t->slots) return NULL;
    uint32_t at = t->table[slot_of(t, n)];
    return at ? &t->spots[at - 1] : NULL;
}

static bool add(tape *t, vn__node *n)
{
    if (!grow(&t->spots, &t->capacity, t->n, sizeof *t->spots)) return false;
    if (2 * (t->n + 1) > t->slots) {
        size_t slots = t->slots ? 2 * t->slots : 512;
        uint32_t *table = vn__calloc(slots * sizeof *table);
        if (!table) return false;
        vn__free(t->table);
        t->table = table;
        t->slots = slots;
        for (size_t k = 0; k < t->n; k++) t->table[slot_of(t, t->spots[k].node)] = (uint32_t)k + 1;
    }
    t->spots[t->n++] = (spot){.node = n};
    t->table[slot_of(t, n)] = (uint32_t)t->n;
    return true;
}

static bool differentiable(const vn__node *n)
{
    return (n->flags & VN__HISTORY) != 0;
}

/* Everything with history that the loss depends on, inputs first. Leaves (variables) end the walk. */
static bool collect(tape *t, vn__node *loss)
{
    size_t depth = 0, cap_child = 0;
    vn__node *n = loss;
    for (;;) {
        if (differentiable(n) && !find(t, n)) {
            if (!grow(&t->stack, &t->stack_capacity, depth, sizeof *t->stack) || !grow(&t->child, &cap_child, depth, sizeof *t->child))
                return false;
            t->stack[depth] = n;
            t->child[depth++] = 0;
        }
        for (;;) {
            if (!depth) return true;
            vn__node *top = t->stack[depth - 1];
            bool leaf = (top->flags & VN__VARIABLE) != 0;
            if (!leaf && t->child[depth - 1] < top->n_in) {
                n = vn__node_in(top)[t->child[depth - 1]++];
                break;
            }
            if (!find(t, top) && !add(t, top)) return false;
            depth--;
        }
    }
}

/* Releases a node's cotangents. */
static void forget(spot *s)
{
    for (uint32_t k = 0; s->cts && k < vn__node_results(s->node); k++) vn__node_release(s->cts[k]);
    vn__free(s->cts);
    vn__node_release(s->ct);
    s->ct = NULL;
    s->cts = NULL;
}

static void free_tape(tape *t)
{
    for (size_t k = 0; k < t->n; k++) forget(&t->spots[k]);
    vn__free(t->spots);
    vn__free(t->table);
    vn__free(t->stack);
    vn__free(t->child);
}

/* Only nodes between a requested input and the loss matter. */
static void mark_needed(tape *t, int n, vn__node *const *wrt)
{
    for (int k = 0; k < n; k++) {
        spot *s = find(t, wrt[k]);
        if (s) s->needed = true;
    }
    for (size_t k = 0; k < t->n; k++) {
        vn__node *node = t->spots[k].node;
        if (node->flags & VN__VARIABLE) continue;
        for (int i = 0; i < node->n_in && !t->spots[k].needed; i++) {
            spot *in = find(t, vn__node_in(node)[i]);
            t->spots[k].needed = in && in->needed;
        }
    }
}

/* ---- the backward pass ---- */

static vn_array *hold(vn__node *n, const char *who)
{
    vn__node_retain(n);
    return vn__handle(n, who);
}

static bool accumulate(vn__node **ct, vn_array *g, const char *who)
{
    if (*ct) g = vn_add(hold(*ct, who), g);
    if (!g) return false;
    vn__node *n = vn__node_of(g);
    vn__node_retain(n);
    vn__node_release(*ct);
    *ct = n;
    return true;
}

/* Passes the cotangent of one result to its node. */
static int back_to_whole(tape *t, const spot *s, const char *who)
{
    VN_SCOPE;
    spot *whole = find(t, vn__node_in(s->node)[0]);
    if (!whole || !whole->needed) return VN_OK;
    if (!whole->cts) whole->cts = vn__calloc(vn__node_results(whole->node) * sizeof *whole->cts);
    if (!whole->cts) return vn__no_memory(who);
    return accumulate(&whole->cts[vn__node_words(s->node)[0]], hold(s->ct, who), who) ? VN_OK : (int)vn_status();
}

/* Handles for a node's results and cotangents, for its gradient rule. */
static int hold_results(const spot *s, vn__vjp_args *a, vn_array **outs, vn_array **cts, const char *who)
{
    if (!s->cts) {
        a->out = hold(s->node, who);
        a->ct = hold(s->ct, who);
        return a->out && a->ct ? VN_OK : (int)vn_status();
    }
    a->n_out = (int)vn__node_results(s->node);
    for (int k = 0; k < a->n_out; k++) {
        vn__node *part = vn__node_part(s->node, k);
        if (!part) return vn__no_memory(who);
        outs[k] = vn__handle(part, who);
        cts[k] = s->cts[k] ? hold(s->cts[k], who) : NULL;
        if (!outs[k] || (s->cts[k] && !cts[k])) return vn_status();
    }
    a->outs = outs;
    a->cts = cts;
    return VN_OK;
}

/* Propagates a node's cotangent to its inputs. */
static int back(tape *t, spot *s, const char *who)
{
    VN_SCOPE;
    const vn__op *op = &vn__ops[s->node->op];
    if (!op->vjp) return vn__fail(VN_E_UNSUPPORTED, "%s: %s has no gradient", who, op->info.name);
    vn_option options[VN__MAX_OPTIONS];
    vn__decode_options(op, vn__node_words(s->node), options);
    const int n = s->node->n_in;
    int64_t memo[2] = {0};
    vn_array *kept[VN__MAX_OUT] = {NULL}, *outs[VN__MAX_OUT], *cts[VN__MAX_OUT];
    vn_array *few[VN__MAX_IN], **in = n > VN__MAX_IN ? vn__alloc((size_t)n * sizeof *in) : few;
    if (!in) return vn__no_memory(who);
    vn__vjp_args a = {.in = in, .n = n, .n_out = 1, .kept = kept, .memo = memo, .options = options, .fn = vn__node_fn(s->node)};
    vn__state *state = vn__peek();
    state->autocast = VN_NO_DTYPE; /* to the end of this scope: the backward pass has the dtypes of the forward pass */
    const vn__trail here = {state->trail, "backward pass of ", op->info.name, true, vn__seek ? *vn__node_place(s->node) : NULL};
    state->trail = &here;
    int code = hold_results(s, &a, outs, cts, who);
    for (int i = 0; i < n && !code; i++)
        if (!(in[i] = hold(vn__node_in(s->node)[i], who))) code = vn_status();
    for (int i = 0; i < n && !code; i++) {
        spot *to = find(t, vn__node_in(s->node)[i]);
        if (!to || !to->needed) continue;
        const vn_code before = vn_status();
        vn_array *g = op->vjp(&a, i);
        if (!before && vn_status()) g = NULL; /* discard the result of a rule that failed */
        if (!g || !accumulate(&to->ct, g, who)) code = vn__fail(VN_E_ENGINE, "%s: the gradient of %s failed", who, op->info.name);
    }
    state->trail = here.up;
    if (in != few) vn__free(in);
    return code;
}

/* A number in the shape of an array, on its engine. */
static vn_array *filled_like(vn__node *n, double value, const char *who)
{
    vn_array *h = hold(n, who);
    return h ? vn_broadcast_to(vn__number(h, value), vn_shape_of(h)) : NULL;
}

static int walk_back(tape *t, vn__node *loss, vn_array *ct, int n, vn__node *const *wrt, const char *who)
{
    if (!collect(t, loss)) return vn__no_memory(who);
    mark_needed(t, n, wrt);
    spot *top = find(t, loss);
    int code = VN_OK;
    if (top && top->needed && !accumulate(&top->ct, ct, who)) return vn_status();
    for (size_t k = t->n; k-- > 0 && !code;) {
        spot *s = &t->spots[k];
        bool asked = false;
        for (int i = 0; i < n; i++) asked |= wrt[i] == s->node;
        if (s->needed && (s->ct || s->cts) && !(s->node->flags & VN__VARIABLE))
            code = s->node->op == VN__NODE_PART ? back_to_whole(t, s, who) : back(t, s, who);
        if (!asked) forget(s); /* release used cotangents immediately, to bound the memory of long chains */
    }
    return code;
}

bool vn__is_like(const vn_array *x, const vn_array *of, const char *who, const char *what)
{
    if (!vn__check(x, VN__ARRAY, who, what)) return false;
    const vn_shape s = vn_shape_of(of), t = vn_shape_of(x);
    char given[128], needed[128];
    if (s.rank != t.rank || memcmp(s.dim, t.dim, (size_t)s.rank * sizeof *s.dim) != 0 || vn_dtype_of(x) != vn_dtype_of(of))
        return vn__fail(VN_E_SHAPE, "%s: %s is %s %s, %s %s is needed", who, what, vn_dtype_name(vn_dtype_of(x)),
                        vn__shape_text(t.rank, t.dim, given), vn_dtype_name(vn_dtype_of(of)), vn__shape_text(s.rank, s.dim, needed)),
               false;
    if (strcmp(vn_engine_of(x), vn_engine_of(of)) != 0)
        return vn__fail(VN_E_ENGINE, "%s: %s is on %s and what it belongs to on %s; move it with vn_to", who, what, vn_engine_of(x),
                        vn_engine_of(of)),
               false;
    return true;
}

int vn__vjp_nodes(vn__node *y, vn_array *ct, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who)
{
    if (!vn__is(y->dtype, VN_INEXACT))
        return vn__fail(VN_E_DTYPE, "%s: the loss is %s; a float dtype is needed", who, vn_dtype_name((vn_dtype)y->dtype));
    for (int k = 0; k < n; k++) {
        if (!vn__is(wrt[k]->dtype, VN_INEXACT))
            return vn__fail(VN_E_DTYPE, "%s: gradients are wanted for a %s array; a float or complex dtype is needed", who,
                            vn_dtype_name((vn_dtype)wrt[k]->dtype));
    }
    int code = vn_set_with_grads(retain);
    if (code) return code;
    tape t = {0};
    vn__state *s = vn__peek();
    const bool checks = s->check_positions;
    s->check_positions = false;
    code = walk_back(&t, y, ct, n, wrt, who);
    s->check_positions = checks;
    for (int k = 0; k < n && !code; k++) {
        spot *at = find(&t, wrt[k]);
        vn_array *g = at && at->ct ? hold(at->ct, who) : filled_like(wrt[k], 0, who);
        if (!g) code = vn_status();
        grads[k] = g;
    }
    free_tape(&t);
    vn_unset_with_grads();
    return code;
}

int vn__gradients(vn__node *loss, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who)
{
    char s[128];
    if (loss->count != 1)
        return vn__fail(VN_E_NOT_SCALAR, "%s: the loss has shape %s; a single number is needed", who,
                        vn__shape_text(loss->rank, vn__node_dims(loss), s));
    if (vn__is(loss->dtype, VN_COMPLEX))
        return vn__fail(VN_E_DTYPE, "%s: the loss is %s; only a real number has a gradient: take vn_real, vn_imag or vn_abs of it", who,
                        vn_dtype_name((vn_dtype)loss->dtype));
    vn_array *one = filled_like(loss, 1, who);
    if (!one) return vn_status();
    return vn__vjp_nodes(loss, one, n, wrt, grads, retain, who);
}

/* The gradient with respect to an array without history is always zero, so asking for it is an error. */
static int no_variable(const vn_array *x, int k, int n)
{
    const vn_shape s = vn_shape_of(x);
    char shape[128], which[32] = "";
    if (n > 1) snprintf(which, sizeof which, " number %d", k);
    return vn__fail(VN_E_ARG, "grad: wrt%s (%s) is not a variable; make it one with vn_variable before it is used (%s)", which,
                    vn__shape_text(s.rank, s.dim, shape), vn_engine_of(x));
}

int vn_grads(vn_array *loss, int n, vn_array *const *wrt, const vn_grad_opts *opts, vn_array **grads)
{
    if (n < 0) return vn__fail(VN_E_ARG, "grad: %d arrays", n);
    if (n && (!wrt || !grads)) return vn__fail(VN_E_NULL, "grad: wrt or grads is NULL");
    for (int k = 0; k < n; k++) grads[k] = NULL;
    vn_grad_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "grad") || VN__FLAGS("grad", VN__FLAG(o, retain)) ||
        VN__OBJECTS(opts, o.cotangent) || !vn__check(loss, VN__ARRAY, "grad", "loss") ||
        (o.cotangent && !vn__is_like(o.cotangent, loss, "grad", "cotangent")))
        return vn_status();
    vn__node *few[16], **nodes = n > 16 ? vn__alloc((size_t)n * sizeof *nodes) : few;
    if (!nodes) return vn__no_memory("grad");
    int code = VN_OK;
    for (int k = 0; k < n && !code; k++) {
        if (!vn__check(wrt[k], VN__ARRAY, "grad", "wrt")) code = vn_status();
        else if (!((nodes[k] = vn__node_of(wrt[k]))->flags & VN__HISTORY)) code = no_variable(wrt[k], k, n);
    }
    if (!code && o.cotangent) code = vn__vjp_nodes(vn__node_of(loss), o.cotangent, n, nodes, grads, o.retain != 0, "grad");
    else if (!code) code = vn__gradients(vn__node_of(loss), n, nodes, grads, o.retain != 0, "grad");
    for (int k = 0; k < n && code; k++) grads[k] = NULL;
    if (nodes != few) vn__free(nodes);
    return code;
}

vn_array *vn_grad(vn_array *loss, vn_array *wrt)
{
    vn_array *g = NULL;
    vn_grads(loss, 1, &wrt, NULL, &g);
    return g;
}

/* ---- on callbacks ---- */

static vn_array *as_variable(vn_array *x, void *who)
{
    if (vn__is(vn_dtype_of(x), VN_INEXACT)) return vn_variable(x);
    return vn__fail(VN_E_DTYPE, "%s: a parameter is %s; a float or complex dtype is needed", *(const char **)who,
                    vn_dtype_name(vn_dtype_of(x))),
           NULL;
}

static vn_array *next_gradient(vn_array *x, void *to)
{
    (void)x;
    return *(*(vn_array ***)to)++;
}

vn_array *vn_value_and_grad(vn_loss_fn fn, const vn_tree *p, void *data, vn_tree **grads)
{
    return vn__value_and_grad(fn, p, data, grads, "value_and_grad", false);
}

vn_array *vn__value_and_grad(vn_loss_fn fn, const vn_tree *p, void *data, vn_tree **grads, const char *who, bool own)
{
    if (grads) *grads = NULL;
    if (!fn || !grads) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, fn ? "grads" : "fn"), NULL;
    if (!vn__check(p, VN__TREE, who, "p")) return NULL;
    VN_SCOPE;
    if (vn_set_with_grads(1)) return NULL;
    vn_tree *v = vn__tree_map(p, as_variable, &who);
    vn_array *loss = v ? vn__callback(fn, v, data, who, own) : NULL;
    vn_unset_with_grads();
    if (!loss) return NULL;
    int n = vn_tree_leaves(v);
    vn__node **wrt = vn__alloc((size_t)n * sizeof *wrt);
    vn_array **g = vn__calloc((size_t)n * sizeof *g), **next = g;
    int code = wrt && g ? VN_OK : vn__no_memory(who);
    for (int k = 0; k < n && !code; k++) {
        vn_array *leaf = vn_tree_leaf(v, k);
        if (leaf) wrt[k] = vn__node_of(leaf);
        else code = vn_status();
    }
    if (!code) code = vn__gradients(vn__node_of(loss), n, wrt, g, false, who);
    vn_tree *out = code ? NULL : vn__tree_map(v, next_gradient, &next);
    vn_array *value = out ? vn_stop_gradient(loss) : NULL;
    vn__free(wrt);
    vn__free(g);
    if (!value) return NULL;
    vn__tree_set_loss(out, value);
    *grads = vn_tree_pass(out);
    return vn_pass(value);
}
