/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: the only place that records ops. It turns an op with handles and options into a pending node: finds the engine, promotes
 * dtypes, infers the shape, records history. Nothing is computed, except in eager mode and by the safety net. */
/* compiled for speed */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"
#include "core/dtype.h"
#include "core/place.h"
#include "ops/op.h"
#include "program/autocast.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include "base/floats.h"

enum { NET = 16384 };

bool vn__grad_mode(const vn__state *s)
{
    return !s->n_modes || s->modes[s->n_modes - 1];
}

/* ---- weak numbers ---- */

/* The weak number n as a plain 0-d array of a dtype. A new reference and use. */
static vn__node *strengthen(vn__node *n, int dtype, vn__engine *e, const vn__infer *i)
{
    const vn__num v = vn__node_number(n);
    if (vn__check_num(i->op->info.name, &v, dtype, e->name)) return NULL;
    vn__node *number = vn__leaf_number(e, dtype, &v, i->op->info.name);
    if (number) vn__node_add(number, VN__A_USE);
    return number;
}

/* An input that does not have the dtype the rule wants. A new reference and use. */
static vn__node *converted(vn__node *n, int want, vn__engine *e, const vn__infer *i)
{
    if (n->op == VN__NODE_SCALAR) return strengthen(n, want ? want : n->dtype, e, i);
    if (n->flags & VN__WEAK && !vn__is(want, VN_INEXACT)) {
        vn__fail(VN_E_DTYPE, "%s: a computed number of dtype %s meets %s; cast one of them", i->op->info.name,
                 vn_dtype_name((vn_dtype)n->dtype), vn_dtype_name((vn_dtype)want));
        return NULL;
    }
    const vn_code before = vn_status();
    vn__node_retain(n);
    vn_array *h = vn__handle(n, "cast");
    vn_array *c = h ? vn_cast(h, (vn_dtype)want) : NULL;
    if (!c && !before) vn__fail_in(i->op->info.name); /* complex numbers where real ones are needed */
    if (!c) return NULL;
    vn__node_add(vn__node_of(c), VN__A_REFERENCE + VN__A_USE);
    return vn__node_of(c);
}

/* An input with the dtype the rule wants. A new reference and use. */
static inline vn__node *adapt(vn__node *n, int want, vn__engine *e, const vn__infer *i)
{
    if (n->op == VN__NODE_SCALAR || (want && want != n->dtype)) return converted(n, want, e, i);
    vn__node_add(n, VN__A_REFERENCE + VN__A_USE);
    return n;
}

/* ---- the parts of recording ---- */

/* What is known of an op's inputs together. */
typedef struct {
    vn__engine *engine; /* theirs; without inputs the engine in use */
    int n;              /* inputs that are there */
    int last;           /* the last of them */
    bool gap;           /* an absent input precedes another */
    uint8_t any, all;   /* flags of their nodes */
} inputs;

int vn__list_length(const vn__op *row, int n)
{
    if (!row->in_lists) return 0;
    int lists = __builtin_popcount(row->in_lists), rest = n - (row->info.n_inputs - lists);
    return rest >= lists && rest % lists == 0 ? rest / lists : -1;
}

int vn__results(int op, int n)
{
    const vn__op *row = &vn__ops[op];
    if (!row->out_lists) return row->n_results;
    int lists = __builtin_popcount(row->out_lists), length = vn__list_length(row, n);
    return row->n_results - lists + (length > 0 ? lists * length : 0);
}

int vn__column(uint8_t lists, int m, int length, int *k)
{
    int at = 0;
    if (!lists) return *k;
    for (; at < m - 1; at++) {
        int n = lists >> at & 1 ? length : 1;
        if (*k < n) break;
        *k -= n;
    }
    return at;
}
static int column(uint8_t lists, int m, int length, int k)
{
    return vn__column(lists, m, length, &k);
}

/* vn__open_dtypes for n_out results and lists of this length. Inlined where an op is recorded, with dtype_at. */
static inline uint32_t open_dtypes(const vn__op *row, int n, int n_out, int length, int (*dtype_at)(const void *of, int k), const void *of)
{
    uint32_t set = 0;
    for (int k = 0; k < n; k++) {
        const int dtype = dtype_at(of, k);
        if (dtype && !row->info.input_dtypes[column(row->in_lists, row->info.n_inputs, length, k)]) set |= VN_BIT(dtype);
    }
    for (int k = 0; k < n_out; k++) {
        const int dtype = dtype_at(of, n + k);
        if (dtype && !row->out_dtypes[column(row->out_lists, row->n_results, length, k)]) set |= VN_BIT(dtype);
    }
    return set;
}
uint32_t vn__open_dtypes(int op, int n, int (*dtype_at)(const void *of, int k), const void *of)
{
    return open_dtypes(&vn__ops[op], n, vn__results(op, n), vn__list_length(&vn__ops[op], n), dtype_at, of);
}

static const char *input_name(const vn__infer *i, int k)
{
    return i->op->info.inputs[column(i->op->in_lists, i->op->info.n_inputs, i->n_list, k)];
}

/* The results after the first: by default as the first. */
static int infer_more(vn__infer *i)
{
    int code = VN_OK;
    int64_t count;
    for (int k = 1; k < i->n_out && !code; k++) {
        vn__form *f = &i->forms[k - 1];
        int fixed = i->op->out_dtypes[column(i->op->out_lists, i->op->n_results, i->n_list, k)];
        if (!f->dtype) f->dtype = fixed ? fixed : i->dtype;
        if (f->rank < 0) memcpy(f->dims, i->dims, (size_t)(f->rank = i->rank) * sizeof *f->dims);
        code = vn__count(i->op->info.name, f->rank, f->dims, f->dtype, &count);
    }
    return code;
}

static int infer(vn__infer *i)
{
    int code = i->op->dtype(i);
    if (!code) code = i->op->shape(i);
    int64_t count;
    if (!code) code = vn__count(i->op->info.name, i->rank, i->dims, i->dtype, &count);
    return code || i->n_out == 1 ? code : infer_more(i);
}

static int encoded_size(const vn__op *op, const vn__options *o)
{
    int n = 0;
    for (int k = 0; k < op->info.n_options; k++) n += op->info.options[k].kind == VN_OPT_INTS ? 1 + o->v[k].n : 1;
    return n;
}

static void encode(const vn__op *op, const vn__options *o, int64_t *words)
{
    for (int k = 0; k < op->info.n_options; k++) {
        if (op->info.options[k].kind == VN_OPT_INTS) {
            *words++ = o->v[k].n;
            for (int j = 0; j < o->v[k].n; j++) *words++ = o->v[k].is[j];
        } else {
            memcpy(words++, &o->v[k].u, sizeof(int64_t));
        }
    }
}

/* Does a result have derivatives? */
static bool derivable(const vn__infer *i)
{
    bool any = vn__is(i->dtype, VN_INEXACT);
    for (int k = 1; k < i->n_out; k++) any |= vn__is(i->forms[k - 1].dtype, VN_INEXACT);
    return any;
}

/* The flags of the op's node: history if an input has it, weak if all are. */
static inline uint8_t flags_of(const vn__state *s, const vn__infer *i, const inputs *seen)
{
    if (i->op->kind == VN__OP_LEAF) return VN__HISTORY | VN__VARIABLE;
    uint8_t flags = seen->any & VN__HISTORY && i->op->kind != VN__OP_IDENTITY && derivable(i) && vn__grad_mode(s) ? VN__HISTORY : 0;
    if (seen->all & VN__WEAK && i->op != &vn__ops[vn__op_cast] /* which has a definite dtype */ && vn__is(i->dtype, VN_FLOATS))
        flags |= VN__WEAK;
    return flags;
}

/* The node of an op that is recorded as itself; its inputs are not there yet. */
static inline vn__node *unconnected(int op, const vn__infer *i, int n, vn__engine *e)
{
    const vn__op *row = i->op;
    const int words = row->info.n_options ? encoded_size(row, i->options) : 0;
    vn__node *node = i->n_out == 1 ? vn__node_new(op, e, n, i->dtype, i->rank, i->dims, words) : vn__node_several(op, e, n, words, i);
    if (!node) return vn__no_memory(row->info.name), NULL;
    if (words) encode(row, i->options, vn__node_words(node));
    if (vn__peek()->on_native && !e->builtin) node->flags |= VN__ON_NATIVE;
    return node;
}

static vn__node *record(int op, const vn__infer *i, int n, vn__engine *e)
{
    vn__node *node = unconnected(op, i, n, e), **in = node ? vn__node_in(node) : NULL;
    for (int k = 0; node && k < n; k++) {
        if ((in[k] = adapt(i->in[k], i->want[k], e, i))) continue;
        while (++k < n) in[k] = NULL;
        vn__node_release(node);
        node = NULL;
    }
    return node;
}

/* An identity of a ready array shares its value and has no input. */
static vn__node *record_identity(int op, const vn__infer *i, vn__engine *e)
{
    vn__node *x = adapt(i->in[0], i->want[0], e, i), *node = NULL;
    if (!x) return NULL;
    if (vn__node_state_of(x) == VN__READY) {
        node = vn__node_new(op, x->engine, 0, x->dtype, x->rank, vn__node_dims(x), 0);
        if (node) {
            vn__value_retain(x->value);
            node->value = x->value;
            atomic_store_explicit(&node->state, VN__READY, memory_order_release);
        } else {
            vn__no_memory(i->op->info.name);
        }
    } else if ((node = unconnected(op, i, 1, e))) {
        vn__node_in(node)[0] = x;
        return node;
    }
    if (vn__node_subtract(x, VN__A_REFERENCE + VN__A_USE)) vn__node_destroy(x);
    return node;
}

/* The dtype of input k after casting, or of result k - n. */
static inline int dtype_at(const void *of, int k)
{
    const vn__infer *i = of;
    if (k > i->n) return i->forms[k - i->n - 1].dtype;
    if (k == i->n) return i->dtype;
    return !i->in[k] ? VN_NO_DTYPE : i->want[k] ? i->want[k] : i->in[k]->dtype;
}

/* Is a fused op recorded as one node? Only if the engine that computes it has a kernel, and no gradient is needed that the row lacks. */
static bool whole(const vn__state *s, int op, const vn__infer *i, const inputs *seen)
{
    if (i->op->kind != VN__OP_FUSED || seen->gap || i->in_pieces ||
        !vn__engine_has(s->on_native ? vn__engine_default() : seen->engine, op, open_dtypes(i->op, i->n, i->n_out, i->n_list, dtype_at, i)))
        return false;
    return i->op->vjp || !(flags_of(s, i, seen) & VN__HISTORY);
}

/* Composes the op if necessary. False: record the op itself. */
static bool composed(vn__state *s, int op, vn_array *const *in, vn__infer *i, const inputs *seen, vn_array **z)
{
    const vn__op *row = i->op;
    if (!row->compose || whole(s, op, i, seen)) return false;
    VN__FLOATS; /* compositions compute with numbers; recording does not */
    vn_code before = s->code;
    const bool checks = s->check_positions;
    const vn__trail here = {.up = s->trail, .kind = "", .name = row->info.name, .inside = true};
    s->check_positions = false;
    s->trail = &here;
    *z = row->compose(in, i);
    s->trail = here.up;
    s->check_positions = checks;
    for (int k = 0; k < i->n && *z; k++)
        if (in[k] == *z) *z = vn_alias(*z);               /* what an op returns is a handle of its own, which may be dropped */
    if (*z != VN__AS_IS && !before && s->code) *z = NULL; /* discard the result of a composition that failed */
    if (!*z && !before) vn__fail_in(row->info.name);      /* the op that the user called, then the one that failed */
    return *z != VN__AS_IS;
}

/* Handles for the requested results of a node with several. Consumes n. All part nodes are created before any gets a handle. */
static vn_array *parts(vn__node *n, const vn__infer *i)
{
    const char *name = i->op->info.name;
    const int many = i->n_asked;
    vn__node *few[VN__MAX_OUT], **part = many > VN__MAX_OUT ? vn__alloc((size_t)many * sizeof *part) : few;
    bool made = part && vn__node_parts(n, many, part), ok = made;
    if (!made) vn__no_memory(name);
    else ok = !vn__eager || !vn__evaluate(many, part, 0, NULL);
    vn__node_release(n);
    vn_array *first = NULL;
    for (int k = 0; k < many && made; k++) {
        vn_array *x = NULL;
        if (ok && !(k < VN__MAX_OUT && i->unwanted >> k & 1)) ok = (x = vn__handle(part[k], name)) != NULL;
        else vn__node_release(part[k]);
        *(k ? &i->more[k - 1] : &first) = x;
    }
    if (part != few) vn__free(part);
    return ok ? first : NULL;
}

/* Whether an input may be absent. */
static bool optional(const vn__op_facts *info, int k)
{
    return k >= info->n_required && !info->any_number;
}

static int two_engines(const vn__infer *i, int b)
{
    int a = 0; /* the first that has an engine */
    while (!i->in[a] || i->in[a]->op == VN__NODE_SCALAR) a++;
    return vn__fail(VN_E_ENGINE, "%s: %s is on %s and %s on %s; move one with vn_to", i->op->info.name, input_name(i, a),
                    i->in[a]->engine->name, input_name(i, b), i->in[b]->engine->name);
}

/* Why an input that is no live array is refused; VN_OK for an absent one. */
static int no_array(const vn__infer *i, vn_array *x, int k)
{
    const char *name = i->op->info.name;
    if (optional(&i->op->info, k)) {
        if (x == VN_NONE) return VN_OK;
        if (!x) return vn__fail(VN_E_NULL, "%s: %s is NULL, as after a call that failed; write VN_NONE for none", name, input_name(i, k));
    }
    vn__check(x, VN__ARRAY, name, input_name(i, k));
    return vn_status();
}

/* Gets and checks the nodes of the inputs; no dtype is requested yet. */
static int look_up(vn__state *s, vn__infer *i, vn_array *const *in, vn__node **nodes, inputs *seen)
{
    vn__engine *e = NULL;
    uint8_t any = 0, all = UINT8_MAX;
    int n = 0;
    for (int k = 0; k < i->n; k++) {
        nodes[k] = NULL;
        i->want[k] = VN_NO_DTYPE;
        if (!in[k] || !vn__alive(&in[k]->object, VN__ARRAY)) {
            int code = no_array(i, in[k], k);
            if (code) return code;
            continue;
        }
        const vn__node *x = nodes[k] = vn__node_of(in[k]);
        any |= x->flags;
        all &= x->flags;
        n++;
        seen->last = k;
        if (x->op == VN__NODE_SCALAR) continue; /* a weak number takes the engine of the others */
        if (e && x->engine != e) return two_engines(i, k);
        e = x->engine;
    }
    seen->n = n;
    seen->gap = n && seen->last + 1 != n;
    seen->any = any;
    seen->all = n ? all : 0;
    seen->engine = e ? e : n ? nodes[seen->last]->engine : vn__engine_in_use(s);
    if (!seen->engine) return vn_status();
    i->engine = seen->engine->name;
    return VN_OK;
}

static vn_array *apply_as_is(vn__state *s, int op, vn_array *const *in, vn__infer *i, vn__node **nodes)
{
    const vn__op *row = i->op;
    inputs seen = {0};
    vn_array *z = NULL;
    if (look_up(s, i, in, nodes, &seen)) return NULL;
    if (s->pending >= NET && !s->in_net) vn__safety_net(s);
    if (vn__engine_usable(seen.engine, row->info.name) || infer(i)) return NULL;
    if (composed(s, op, in, i, &seen, &z)) return z;
    uint8_t flags = flags_of(s, i, &seen);
    const bool identity = row->kind == VN__OP_IDENTITY || row->kind == VN__OP_LEAF;
    vn__node *node = identity ? record_identity(op, i, seen.engine) : record(op, i, seen.n, seen.engine);
    if (!node) return NULL;
    node->flags |= flags;
    s->pending++;
    if (i->n_out > 1) return parts(node, i);
    if (vn__eager && vn__evaluate(1, &node, 0, NULL)) {
        vn__node_release(node);
        return NULL;
    }
    return vn__handle(node, row->info.name);
}

static inline vn_array *apply(vn__state *s, int op, vn_array *const *in, vn__infer *i, vn__node **nodes)
{
    if (s->autocast && i->op->info.traits & (VN_OP_NARROW | VN_OP_WIDE)) return vn__autocast(s, op, in, i, nodes, apply_as_is);
    return apply_as_is(s, op, in, i, nodes);
}

/* By default every result is like the first. */
static void begin_forms(vn__infer *i)
{
    for (int k = 1; k < i->n_out; k++) {
        i->forms[k - 1].dtype = VN_NO_DTYPE;
        i->forms[k - 1].rank = -1;
    }
}

vn_array *vn__apply(int op, int n, vn_array *const *in, vn__options *o, vn_array **const *more)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    const vn__op *row = &vn__ops[op];
    vn__node *nodes[VN__MAX_IN];
    int want[VN__MAX_IN];
    vn_array *results[VN__MAX_OUT];
    vn__form forms[VN__MAX_OUT];
    vn__infer i; /* not zeroed: the rules fill what they decide, and this is the hot path */
    i.op = row;
    i.in = nodes;
    i.n = n;
    i.n_list = 0;
    i.options = o;
    i.want = want;
    i.n_out = row->n_results;
    i.n_asked = i.n_out > 1 && more[i.n_out - 2] ? i.n_out : row->info.n_outputs;
    i.forms = forms;
    i.more = results;
    i.in_pieces = false;
    i.unwanted = 0;
    for (int k = 0; k < i.n_asked - 1; k++) {
        results[k] = NULL;
        if (more[k]) *more[k] = NULL;
        else i.unwanted |= 2u << k;
    }
    begin_forms(&i);
    vn_array *z = apply(s, op, in, &i, nodes);
    for (int k = 0; k < i.n_asked - 1 && z; k++) {
        if (more[k]) *more[k] = results[k];
    }
    return z;
}

int vn__apply_lists(int op, int n, vn_array *const *in, vn__options *o, vn_array **out)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    const vn__op *row = &vn__ops[op];
    const char *name = row->info.name;
    vn__infer i = {.op = row, .n = n, .n_list = n > VN__MAX_LIST ? -1 : vn__list_length(row, n), .options = o, .n_out = vn__results(op, n)};
    if (i.n_list < 1)
        return vn__fail(VN_E_ARG, "%s: %d inputs; its lists are equally long, and there are %d at most", name, n, VN__MAX_LIST);
    if (!in) return vn__fail(VN_E_NULL, "%s: %s is NULL", name, row->info.inputs[0]);
    vn__node **nodes = vn__alloc((size_t)n * (sizeof *nodes + sizeof *i.want));
    i.forms = i.n_out > 1 ? vn__alloc((size_t)i.n_out * sizeof *i.forms) : NULL;
    i.in = nodes;
    i.want = nodes ? (int *)(void *)(nodes + n) : NULL;
    i.more = out + 1;
    i.n_asked = i.n_out;
    for (int k = 0; k < i.n_out; k++) out[k] = NULL;
    vn_array *z = NULL;
    if (!nodes || (i.n_out > 1 && !i.forms)) {
        vn__no_memory(name);
    } else {
        begin_forms(&i);
        z = apply(s, op, in, &i, nodes);
    }
    vn__free(nodes);
    vn__free(i.forms);
    for (int k = 1; k < i.n_out && !z; k++) out[k] = NULL;
    out[0] = z;
    return z ? VN_OK : (int)vn_status();
}

/* An op that is not composed is only recorded: compositions may look at values. */
int vn_call_is_short(int op)
{
    const vn__state *s = vn__peek();
    return s && s->pending < NET && !vn__eager && !s->check_positions && op >= 0 && op < vn__op_public && !vn__ops[op].compose;
}

/* ---- safety net ---- */

/* The live pending arrays that no pending node uses. The graph lock excludes vn_into. */
static int sinks(vn__object **objects, int n, vn__node **nodes)
{
    int found = 0;
    pthread_mutex_lock(&vn__graph_lock);
    for (int k = 0; k < n; k++) {
        vn__node *node = objects[k]->kind == VN__ARRAY ? objects[k]->body : NULL;
        if (!node || vn__node_state_of(node) != VN__PENDING || node->op == VN__NODE_SCALAR) continue;
        if (vn__node_uses(node)) continue;
        vn__node_retain(node);
        nodes[found++] = node;
    }
    pthread_mutex_unlock(&vn__graph_lock);
    return found;
}

/* Bounds memory: evaluates the thread's pending arrays that no pending node uses, one engine at a time. Arrays that fail stay pending, and
 * the error is reported only when they are requested. */
void vn__safety_net(vn__state *s)
{
    static _Atomic int reported;
    int64_t handles, cached, alive = vn__nodes_alive(&handles, &cached);
    if (alive < NET) { /* most counted nodes are already gone without having been evaluated, such as unused gradients */
        s->pending = alive;
        return;
    }
    if (!atomic_exchange(&reported, 1))
        vn__log("safety net: %d ops are pending; evaluating what nothing else waits for (call vn_eval in long loops)", NET);
    s->pending = 0;
    int n = 0;
    vn__object **objects = vn__objects_of_thread(s, &n);
    vn__node **nodes = n ? vn__alloc((size_t)n * sizeof *nodes) : NULL;
    int found = nodes ? sinks(objects, n, nodes) : 0;
    for (int k = 0; k < n; k++) vn__object_release(objects[k]);
    vn__free(objects);
    s->in_net = true;
    bool fenced = found && !vn_error_push();
    for (int from = 0; from < found && fenced;) { /* partitions the nodes by engine */
        int to = from;
        for (int k = from; k < found; k++) {
            if (nodes[k]->engine != nodes[from]->engine) continue;
            vn__node *swap = nodes[to];
            nodes[to++] = nodes[k];
            nodes[k] = swap;
        }
        vn__evaluate(to - from, nodes + from, 0, NULL);
        from = to;
    }
    if (fenced) vn_error_pop();
    for (int k = 0; k < found; k++) vn__node_release(nodes[k]);
    vn__free(nodes);
    s->in_net = false;
}
