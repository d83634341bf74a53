/* evaluate.c: the only caller of engines, with single.c, the fast path for one op. Pending nodes become a program (in canonical order, so
 * that equal work has equal text), which is looked up in the engine's cache and executed; the results are stored in the nodes.
 *
 * Under one short lock an evaluation walks its nodes, writes the program's text and claims the nodes it will store. Nodes claimed by
 * another thread become inputs it waits for; the lock orders claims, so threads cannot wait in a cycle. No lock is held while an engine
 * runs or a buffer is released. */
/* compiled for speed */
#include "core/memory.h"
#include "core/text.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include "core/trace.h"
#include "base/floats.h"

pthread_mutex_t vn__graph_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER; /* claimed nodes became ready, or pending again */
static uint64_t walks;                                    /* under the lock */

#define INPUT UINT32_C(0x80000000) /* in an index: number of an input, not of a node */

typedef struct {
    uint32_t inner; /* uses inside the program */
    uint32_t ref;   /* its value: number of a result, or INPUT | input number (identities share one) */
    int32_t out;    /* number of the program's output, -1 */
    bool asked, stored, kept;
} fact;

typedef struct {    /* of an input: one value, which several nodes may share (an array, its variable, a detached copy) */
    uint32_t inner; /* references to those nodes that the program will drop */
    uint32_t refs;  /* all references to them */
    uint32_t nodes; /* the number of those nodes */
    bool kept;
} input_fact;

typedef struct vn__scratch {
    vn__node **order, **inputs, **stack, **freed;
    fact *facts;
    input_fact *input_facts;
    int32_t *child, *output_of; /* of a result: its number among the outputs, or -1 */
    vn_buf **in, **out;
    vn__value **values, **held; /* of outputs, allocated beforehand; of inputs, kept alive */
    vn__words key;
    uint64_t *table; /* sizes of outputs, for donation */
    struct {         /* capacity of each list */
        size_t order, inputs, stack, freed, facts, input_facts, child, output_of, in, out, values, held;
    } room;
    size_t cap_table, n_table;
    uint32_t n_order, n_inputs, n_instrs, n_results, n_out, n_stored, n_values; /* n_results: of all instructions */
    vn__engine *engine;
    bool unknown; /* an input stands for a captured function's */
    bool again;   /* the program runs more than once, so that its inputs have to stay */
} job;

/* ---- workspace ---- */

static bool grow(void *list, size_t *capacity, size_t n, size_t item)
{
    size_t cap = 2 * n + 64;
    void *old, *m;
    memcpy(&old, list, sizeof old); /* list is a pointer to a pointer of any type */
    if (!(m = vn__grow(old, *capacity * item, cap * item))) return false;
    memcpy(list, &m, sizeof m);
    *capacity = cap;
    return true;
}
/* The check is inlined: it is done several times for every op. */
static inline bool reserve(void *list, size_t *capacity, size_t n, size_t item)
{
    return __builtin_expect(n <= *capacity, 1) || grow(list, capacity, n, item);
}
#define RESERVE(j, field, n) reserve(&(j)->field, &(j)->room.field, (n), sizeof *(j)->field)

void vn__scratch_free(struct vn__scratch *s)
{
    if (!s) return;
    void *all[] = {s->order,     s->inputs, s->stack, s->freed,  s->facts, s->input_facts, s->child,
                   s->output_of, s->in,     s->out,   s->values, s->held,  s->key.words,   s->table};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) vn__free(all[k]);
    vn__free(s);
}

/* A job takes the thread's workspace and returns it at the end, so that an evaluation inside a callback gets its own. */
static job *job_begin(vn__state *s)
{
    job *j = s->scratch;
    s->scratch = NULL;
    if (!j) j = vn__calloc(sizeof *j);
    return j;
}

static void job_end(vn__state *s, job *j)
{
    if (!s->scratch) s->scratch = j;
    else vn__scratch_free(j);
}

/* ---- walking: order and inputs ---- */

static bool add_input(job *j, vn__node *n)
{
    vn__value *v = vn__node_state_of(n) == VN__READY ? n->value : NULL;
    if (!v || v->mark != walks) {
        if (!RESERVE(j, inputs, j->n_inputs + 1) || !RESERVE(j, input_facts, j->n_inputs + 1)) return false;
        j->input_facts[j->n_inputs] = (input_fact){0};
        if (v) v->mark = walks, v->index = j->n_inputs;
        j->inputs[j->n_inputs++] = n;
    }
    uint32_t at = v ? v->index : j->n_inputs - 1;
    n->index = INPUT | at;
    j->input_facts[at].refs += vn__node_refs(n);
    j->input_facts[at].nodes++;
    return true;
}

/* References that the caller holds only for rollback do not count. */
static void spare_input(job *j, vn__node *n)
{
    if (n->mark == walks && n->index & INPUT) {
        j->input_facts[n->index & ~INPUT].inner++;
    } else if (vn__node_state_of(n) == VN__READY && n->value->mark == walks) {
        input_fact *f = &j->input_facts[n->value->index];
        if (vn__node_refs(n) == 1) f->nodes++;
        else f->kept = true;
    }
}

/* It shares its input's value and is not an instruction. */
static bool is_identity(const vn__node *n)
{
    if (n->op == VN__NODE_PART) return true;
    vn__op_kind kind = vn__ops[n->op].kind;
    return kind == VN__OP_IDENTITY || kind == VN__OP_LEAF || kind == VN__OP_TIED;
}

static bool add_node(job *j, vn__node *n)
{
    if (!RESERVE(j, order, j->n_order + 1) || !RESERVE(j, facts, j->n_order + 1)) return false;
    fact *f = &j->facts[j->n_order];
    *f = (fact){.out = -1};
    if (is_identity(n)) {
        uint32_t x = vn__node_in(n)[0]->index;
        f->ref = x & INPUT ? x : j->facts[x].ref;
        if (n->op == VN__NODE_PART)
            f->ref += (uint32_t)vn__node_words(n)[0]; /* its input is an instruction, never an input of the program */
    } else {
        f->ref = j->n_results;
        j->n_results += vn__node_results(n);
        j->n_instrs++;
    }
    n->index = j->n_order;
    j->order[j->n_order++] = n;
    return true;
}

/* Depth first with an explicit stack: every node after its inputs. */
static bool walk(job *j, vn__node *target)
{
    size_t depth = 0;
    vn__node *n = target;
    for (;;) {
        if (n->mark != walks) { /* not visited yet */
            n->mark = walks;
            if (vn__node_state_of(n) != VN__PENDING) {
                if (!add_input(j, n)) return false;
            } else {
                if (!RESERVE(j, stack, depth + 1) || !RESERVE(j, child, depth + 1)) return false;
                j->stack[depth] = n;
                j->child[depth++] = 0;
            }
        }
        for (;;) { /* next child of the innermost open node, or close it */
            if (!depth) return true;
            vn__node *top = j->stack[depth - 1];
            if (j->child[depth - 1] < top->n_in) {
                n = vn__node_in(top)[j->child[depth - 1]++];
                break;
            }
            if (!add_node(j, top)) return false;
            depth--;
        }
    }
}

/* ---- what is stored, what survives, what may be overwritten ---- */

static void count_uses(job *j)
{
    for (uint32_t k = 0; k < j->n_order; k++) {
        vn__node *n = j->order[k];
        for (int i = 0; i < n->n_in; i++) {
            uint32_t x = vn__node_in(n)[i]->index;
            if (x & INPUT) j->input_facts[x & ~INPUT].inner++;
            else j->facts[x].inner++;
        }
    }
}

/* Walks backwards. A node is stored if it was requested or if a pending node outside needs it; a variable also if it
 * outlives the program (so that a loop's history ends there). A node with several results is never stored, its parts are. A surviving node
 * that still needs its inputs prevents their donation. */
static void decide(job *j)
{
    j->n_stored = 0;
    for (uint32_t k = j->n_order; k-- > 0;) {
        vn__node *n = j->order[k];
        fact *f = &j->facts[k];
        bool variable = (n->flags & VN__VARIABLE) != 0;
        bool survives = f->kept || vn__node_refs(n) > f->inner;
        bool needed = f->asked || vn__node_uses(n) > f->inner || (variable && survives);
        f->stored = needed && !(n->flags & VN__SEVERAL);
        j->n_stored += f->stored;
        bool keeps_inputs = survives && !(f->stored && (variable || !(n->flags & VN__HISTORY)));
        for (int i = 0; keeps_inputs && i < n->n_in; i++) {
            uint32_t x = vn__node_in(n)[i]->index;
            if (x & INPUT) j->input_facts[x & ~INPUT].kept = true;
            else j->facts[x].kept = true;
        }
    }
}

/* Numbers the outputs: each stored result once. */
static bool number_outputs(job *j)
{
    if (!RESERVE(j, output_of, j->n_results + 1)) return false;
    int32_t *of = j->output_of;
    for (uint32_t k = 0; k < j->n_results; k++) of[k] = -1;
    j->n_out = 0;
    for (uint32_t k = 0; k < j->n_order; k++) {
        fact *f = &j->facts[k];
        if (!f->stored || f->ref & INPUT) continue;
        if (of[f->ref] < 0) of[f->ref] = (int32_t)j->n_out++;
        f->out = of[f->ref];
    }
    return true;
}

/* The key that two arrays must share for one to reuse the other's memory. */
static uint64_t like(const vn__node *n)
{
    return ((uint64_t)n->count << 4 | n->dtype) + 1;
}

/* The number of outputs like n that still need memory: an entry of a small hash table. */
static uint64_t *offers(job *j, const vn__node *n)
{
    uint64_t key = like(n);
    size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (j->n_table - 1);
    while (j->table[2 * at] && j->table[2 * at] != key) at = (at + 1) & (j->n_table - 1);
    j->table[2 * at] = key;
    return &j->table[2 * at + 1];
}

/* An input is donated only if an output of the same size can reuse its memory; each output is matched once. The table has room for
 * every output and input. */
static bool offer_outputs(job *j)
{
    j->n_table = 16;
    while (j->n_table < 2 * ((size_t)j->n_stored + j->n_inputs)) j->n_table *= 2;
    if (!reserve(&j->table, &j->cap_table, 2 * j->n_table, sizeof *j->table)) return false;
    memset(j->table, 0, 2 * j->n_table * sizeof *j->table);
    for (uint32_t k = 0; k < j->n_order; k++) {
        if (j->facts[k].out >= 0) ++*offers(j, j->order[k]);
    }
    return true;
}

static bool may_donate(job *j, uint32_t k)
{
    vn__node *n = j->inputs[k];
    input_fact *f = &j->input_facts[k];
    if (j->again || vn__node_state_of(n) != VN__READY || f->kept || n->value->borrowed || n->count < VN__WORTH_DONATING) return false;
    if (f->refs != f->inner || atomic_load_explicit(&n->value->refs, memory_order_relaxed) != f->nodes) return false;
    uint64_t *left = offers(j, n);
    if (!*left) return false;
    --*left;
    return true;
}

/* ---- the program's text ---- */

static void put(vn__words *w, uint64_t v)
{
    w->words[w->size++] = v;
}

static bool room(vn__words *w, size_t more)
{
    return reserve(&w->words, &w->capacity, w->size + more, sizeof *w->words);
}

static void put_desc(vn__words *w, const vn__node *n, uint64_t more)
{
    w->size = (size_t)(vn__put_desc(w->words + w->size, n, more) - w->words);
}

/* A result's output number (0 for none), with its dtype and rank. */
static uint64_t output_bits(int32_t output)
{
    return (uint64_t)(uint32_t)(output + 1) << 16;
}

/* An instruction: op, results, arguments, options. */
static bool write_instr(job *j, const vn__node *n, const int32_t *output)
{
    vn__words *w = &j->key;
    const uint32_t n_results = vn__node_results(n);
    if (!room(w, 2 + (size_t)n_results * (1 + VN_MAX_RANK) + (size_t)n->n_in + n->n_words)) return false;
    w->size = (size_t)(vn__put_op(w->words + w->size, n) - w->words);
    put_desc(w, n, output_bits(output[0]));
    const int64_t *form = n_results > 1 ? vn__node_forms(n) + 1 : NULL;
    for (uint32_t i = 1; i < n_results; i++) {
        int rank = (int)(*form >> 8);
        put(w, (uint64_t)*form++ | output_bits(output[i]));
        while (rank--) put(w, (uint64_t)*form++);
    }
    for (int i = 0; i < n->n_in; i++) {
        uint32_t x = vn__node_in(n)[i]->index, ref = x & INPUT ? x : j->facts[x].ref;
        put(w, ref & INPUT ? ref & ~INPUT : j->n_inputs + ref);
    }
    for (int i = 0; i < n->n_words; i++) put(w, (uint64_t)vn__node_words(n)[i]);
    return true;
}

/* program.c documents the format. */
static bool write_key(job *j)
{
    vn__words *w = &j->key;
    w->size = 0;
    if (!room(w, VN__COUNTS)) return false;
    put(w, j->n_inputs);
    put(w, j->n_instrs);
    put(w, j->n_results);
    put(w, j->n_out);
    put(w, VN_PRECISION_EXACT); /* of float32 products */
    for (uint32_t k = 0; k < j->n_inputs; k++) {
        if (!room(w, 1 + VN_MAX_RANK)) return false;
        put_desc(w, j->inputs[k], may_donate(j, k) ? UINT64_C(1) << 16 : 0);
        const vn__value *v = j->inputs[k]->value;
        j->unknown |= v && v->unknown;
    }
    for (uint32_t k = 0; k < j->n_order; k++) {
        const vn__node *n = j->order[k];
        if (!is_identity(n) && !write_instr(j, n, &j->output_of[j->facts[k].ref])) return false;
    }
    return true;
}

/* Everything that happens under the lock before running. False: out of memory. */
static bool build(job *j, int n, vn__node *const *targets, int n_spare, vn__node *const *spare, bool again)
{
    j->again = again;
    j->n_order = j->n_inputs = j->n_instrs = j->n_results = j->n_out = 0;
    j->unknown = false;
    walks++;
    for (int k = 0; k < n; k++) {
        if (targets[k]->engine == j->engine && !walk(j, targets[k])) return false;
    }
    for (int k = 0; k < n; k++) {
        if (targets[k]->mark == walks && !(targets[k]->index & INPUT)) j->facts[targets[k]->index].asked = true;
    }
    for (int k = 0; k < n_spare; k++) spare_input(j, spare[k]);
    count_uses(j);
    decide(j);
    return number_outputs(j) && offer_outputs(j) && write_key(j);
}

/* ---- running ---- */

/* Allocates all memory that storing needs, before anything runs. */
static bool reserve_results(job *j, size_t uses)
{
    if (!RESERVE(j, in, j->n_inputs + 1) || !RESERVE(j, held, j->n_inputs + 1) || !RESERVE(j, out, j->n_out + 1)) return false;
    if (!RESERVE(j, values, j->n_stored + 1) || !RESERVE(j, freed, uses + 1)) return false;
    while (j->n_values < j->n_stored) {
        if (!(j->values[j->n_values] = vn__small_alloc(sizeof **j->values))) return false;
        j->n_values++;
    }
    return true;
}

static void drop_values(job *j)
{
    while (j->n_values) vn__value_free(j->values[--j->n_values]);
}

/* Claims the nodes to store and retains the inputs: nodes for those that another thread computes, values for the rest. Under the lock. */
static void claim(job *j)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < j->n_order; k++) {
        if (!j->facts[k].stored) continue;
        vn__node *n = j->order[k];
        vn__node_retain(n);
        atomic_store_explicit(&n->state, VN__CLAIMED, memory_order_relaxed);
        j->order[at] = n; /* only stored nodes matter from here on */
        j->facts[at++] = j->facts[k];
    }
    for (uint32_t k = 0; k < j->n_inputs; k++) {
        vn__node *n = j->inputs[k];
        j->held[k] = NULL;
        if (vn__node_state_of(n) == VN__READY) vn__value_retain(j->held[k] = n->value);
        else vn__node_retain(n);
    }
}

/* Waits for inputs that other threads compute. False: one of them failed, start again. */
static bool wait_for_inputs(job *j)
{
    bool ok = true;
    for (uint32_t k = 0; k < j->n_inputs; k++) {
        if (j->held[k]) continue;
        vn__node *n = j->inputs[k];
        pthread_mutex_lock(&vn__graph_lock);
        while (ok && vn__node_state_of(n) == VN__CLAIMED) pthread_cond_wait(&settled, &vn__graph_lock);
        if (ok && vn__node_state_of(n) == VN__READY) vn__value_retain(j->held[k] = n->value);
        else ok = false;
        pthread_mutex_unlock(&vn__graph_lock);
        vn__node_release(n);
    }
    return ok;
}

static int launch(job *j)
{
    for (uint32_t k = 0; k < j->n_inputs; k++) j->in[k] = j->held[k]->buf;
    if (!j->n_out) return VN_OK; /* only identities of ready arrays */
    int code = VN_OK;
    vn__compiled *c = vn__cache_get(j->engine, j->key.words, j->key.size, &code);
    if (!c) return code;
    int64_t t = vn__trace_begin();
    code = vn__compiled_run(c, j->in, j->out);
    vn__trace_end(t, "execute", j->engine->name, vn__compiled_hash(c), (int)j->n_instrs);
    vn__cache_put(c);
    return code;
}

void vn__node_settle(vn__node *n, vn__value *v, vn__node **freed, size_t *n_freed)
{
    if (!v) {
        atomic_store_explicit(&n->state, VN__PENDING, memory_order_release);
        return;
    }
    n->value = v;
    bool keep = n->flags & VN__HISTORY && !(n->flags & VN__VARIABLE);
    for (int i = 0; i < n->n_in; i++) {
        vn__node *in = vn__node_in(n)[i];
        if (vn__node_subtract(in, keep ? VN__A_USE : VN__A_USE + VN__A_REFERENCE)) freed[(*n_freed)++] = in;
        if (!keep) vn__node_in(n)[i] = NULL;
    }
    atomic_store_explicit(&n->state, VN__READY, memory_order_release);
}

void vn__tell_settled(void)
{
    pthread_cond_broadcast(&settled);
}

/* Stores the results, or releases the claims. */
static void finish(job *j, bool ok)
{
    size_t n_freed = 0;
    pthread_mutex_lock(&vn__graph_lock);
    for (uint32_t k = 0; k < j->n_stored; k++) {
        vn__node *n = j->order[k];
        fact *f = &j->facts[k];
        vn__value *v = NULL;
        if (ok && f->ref & INPUT) {
            vn__value_retain(v = j->held[f->ref & ~INPUT]);
        } else if (ok) {
            v = j->values[k];
            *v = (vn__value){.refs = 1, .engine = j->engine, .buf = j->out[f->out]};
            j->values[k] = NULL;
            vn__buf_retain(j->engine, v->buf); /* several nodes may share one output */
        }
        vn__node_settle(n, v, j->freed, &n_freed);
    }
    vn__tell_settled();
    pthread_mutex_unlock(&vn__graph_lock);
    for (uint32_t k = 0; ok && k < j->n_out; k++) vn__buf_release(j->engine, j->out[k]);
    for (uint32_t k = 0; k < j->n_inputs; k++) vn__value_release(j->held[k]);
    for (size_t k = 0; k < n_freed; k++) vn__node_destroy(j->freed[k]);
    for (uint32_t k = 0; k < j->n_stored; k++) vn__node_release(j->order[k]);
    drop_values(j);
}

static size_t uses_of_stored(const job *j)
{
    size_t n = 0;
    for (uint32_t k = 0; k < j->n_order; k++) n += j->facts[k].stored ? (size_t)j->order[k]->n_in : 0;
    return n;
}

static int no_value_yet(void)
{
    return vn__fail(VN_E_ARG,
                    "capture: a captured function needs the value of one of its inputs while it is recorded: no reading, printing, "
                    "vn_eval, vn_to or vn_step inside it");
}

/* All targets of one engine. */
static int evaluate_on(vn__state *s, vn__engine *e, int n, vn__node *const *targets, int n_spare, vn__node *const *spare)
{
    job *j = job_begin(s);
    if (!j) return vn__no_memory("eval");
    j->engine = e;
    int code = VN_OK;
    for (bool again = true; again && !code;) {
        again = false;
        int64_t t = vn__trace_begin();
        pthread_mutex_lock(&vn__graph_lock);
        for (int k = 0; k < n; k++) {
            while (targets[k]->engine == e && vn__node_state_of(targets[k]) == VN__CLAIMED) {
                pthread_cond_wait(&settled, &vn__graph_lock);
                k = 0;
            }
        }
        bool ok = build(j, n, targets, n_spare, spare, false);
        uint32_t walked = j->n_order;
        ok = ok && reserve_results(j, uses_of_stored(j));
        if (ok && !j->unknown) claim(j);
        pthread_mutex_unlock(&vn__graph_lock);
        vn__trace_end(t, "program", e->name, 0, (int)walked);
        if (!ok) {
            drop_values(j);
            code = vn__no_memory("eval");
            break;
        }
        if (j->unknown) {
            drop_values(j);
            code = no_value_yet();
            break;
        }
        if (wait_for_inputs(j)) code = launch(j);
        else again = true;
        finish(j, !code && !again);
        s->pending = s->pending > walked ? s->pending - walked : 0;
    }
    job_end(s, j);
    return code;
}

/* A weak number gets its value when it is read. */
static int give_value(vn__node *n)
{
    const vn__num v = vn__node_number(n);
    vn__node *made = vn__leaf_number(n->engine, n->dtype, &v, "scalar");
    if (!made) return vn_status();
    pthread_mutex_lock(&vn__graph_lock);
    if (vn__node_state_of(n) == VN__PENDING) {
        vn__value_retain(n->value = made->value);
        atomic_store_explicit(&n->state, VN__READY, memory_order_release);
    }
    pthread_mutex_unlock(&vn__graph_lock);
    vn__node_release(made);
    return VN_OK;
}

static int give_values(int n, vn__node *const *targets)
{
    int code = VN_OK;
    for (int k = 0; !code && k < n; k++) {
        if (targets[k]->op == VN__NODE_SCALAR && vn__node_state_of(targets[k]) != VN__READY) code = give_value(targets[k]);
    }
    return code;
}

int vn__evaluate(int n, vn__node *const *targets, int n_spare, vn__node *const *spare)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    VN__FLOATS;
    int code = give_values(n, targets);
    for (int k = 0; !code && k < n; k++) {
        if (vn__node_state_of(targets[k]) == VN__READY) continue;
        code = vn__engine_usable(targets[k]->engine, "eval");
        if (!code && n == 1 && !n_spare && vn__evaluate_single(s, targets[0], &code)) continue;
        if (!code) code = evaluate_on(s, targets[k]->engine, n, targets, n_spare, spare);
    }
    return code;
}

int vn__settle(vn__node *n)
{
    if (vn__node_state_of(n) == VN__READY) return n->value->unknown ? no_value_yet() : VN_OK;
    return vn__evaluate(1, &n, 0, NULL);
}

/* ---- without running ---- */

int vn__prepare(int n, vn__node *const *targets, vn__text *explain)
{
    VN__FLOATS;
    vn__state *s = vn__enter();
    job *j = s ? job_begin(s) : NULL;
    if (!j) return vn__no_memory("explain");
    j->engine = targets[0]->engine;
    pthread_mutex_lock(&vn__graph_lock);
    bool ok = targets[0]->op == VN__NODE_SCALAR || build(j, n, targets, 0, NULL, false);
    pthread_mutex_unlock(&vn__graph_lock);
    int code = ok ? VN_OK : vn__no_memory("explain");
    if (targets[0]->op == VN__NODE_SCALAR) j->n_out = 0;
    if (ok && !j->n_out) {
        if (explain) vn__print(explain, "nothing to compute: the value is there\n");
    } else if (ok) {
        vn__compiled *c = vn__cache_get(j->engine, j->key.words, j->key.size, &code);
        if (c && explain) vn__compiled_explain(c, explain);
        if (c) vn__cache_put(c);
    }
    job_end(s, j);
    return code;
}

/* ---- recorded programs, for capture.c ---- */

/* What goes in, and where each target comes from. Under the lock. False: out of memory. */
static bool note_sources(vn__kept *p, const job *j, int n, vn__node *const *targets)
{
    p->inputs = vn__calloc((j->n_inputs + 1) * sizeof *p->inputs);
    p->sources = vn__calloc(((size_t)n + 1) * sizeof *p->sources);
    if (!p->inputs || !p->sources) return false;
    for (; p->n_inputs < j->n_inputs; p->n_inputs++) vn__value_retain(p->inputs[p->n_inputs] = j->inputs[p->n_inputs]->value);
    p->n_out = j->n_out;
    for (int k = 0; k < n; k++) {
        uint32_t x = targets[k]->index, ref = x & INPUT ? x : j->facts[x].ref;
        p->sources[k] = ref & INPUT ? ~(int32_t)(ref & ~INPUT) : j->facts[x].out;
    }
    return true;
}

/* An input that another thread is computing, with a reference; NULL if all are ready. Under the lock. */
static vn__node *unfinished(const job *j)
{
    for (uint32_t k = 0; k < j->n_inputs; k++) {
        if (vn__node_state_of(j->inputs[k]) == VN__READY) continue;
        vn__node_retain(j->inputs[k]);
        return j->inputs[k];
    }
    return NULL;
}

int vn__keep_program(vn__engine *e, int n, vn__node *const *targets, vn__kept *p, const char *who)
{
    VN__FLOATS;
    vn__state *s = vn__enter();
    job *j = s ? job_begin(s) : NULL;
    int code = j ? give_values(n, targets) : vn__no_memory(who);
    *p = (vn__kept){0};
    for (bool again = true; again && !code;) {
        j->engine = e;
        pthread_mutex_lock(&vn__graph_lock);
        bool ok = build(j, n, targets, 0, NULL, true);
        vn__node *waiting = ok ? unfinished(j) : NULL;
        if (ok && !waiting) ok = note_sources(p, j, n, targets);
        pthread_mutex_unlock(&vn__graph_lock);
        if (!ok) code = vn__no_memory(who);
        again = waiting != NULL;
        if (again) code = vn__evaluate(1, &waiting, 0, NULL);
        vn__node_release(waiting);
    }
    if (!code && p->n_out) p->program = vn__cache_get(e, j->key.words, j->key.size, &code);
    if (j) job_end(s, j);
    if (code) vn__kept_free(p);
    return code;
}

void vn__kept_free(vn__kept *p)
{
    for (uint32_t k = 0; k < p->n_inputs; k++) vn__value_release(p->inputs[k]);
    if (p->program) vn__cache_put(p->program);
    vn__free(p->inputs), vn__free(p->sources);
    *p = (vn__kept){0};
}
