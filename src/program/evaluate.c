/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c: the only caller of engines, with single.c, the fast path for one op. Pending nodes become a program (build.c),
 * which is looked up in the engine's cache and executed; the results are stored in the nodes.
 *
 * Under one short lock an evaluation walks its nodes, writes the program's text and claims the nodes it will store. Nodes claimed by
 * another thread become inputs it waits for; the lock orders claims, so threads cannot wait in a cycle. No lock is held while an engine
 * runs or a buffer is released. */
/* compiled for speed */
#include "core/memory.h"
#include "core/text.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/job.h"
#include "engine/engine.h"
#include "core/trace.h"
#include "base/floats.h"

pthread_mutex_t vn__graph_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER; /* claimed nodes became ready, or pending again */
static int waiters;                                       /* threads that wait for that; under the lock */

static void wait_for_settled(void)
{
    waiters++;
    pthread_cond_wait(&settled, &vn__graph_lock);
    waiters--;
}

/* Allocates all memory that storing needs, before anything runs. */
static bool reserve_results(vn__job *j, size_t uses)
{
    if (!VN__RESERVE(j, in, j->n_inputs + 1) || !VN__RESERVE(j, held, j->n_inputs + 1) || !VN__RESERVE(j, out, j->n_out + 1)) return false;
    if (!VN__RESERVE(j, values, j->n_stored + 1) || !VN__RESERVE(j, freed, uses + 1)) return false;
    while (j->n_values < j->n_stored) {
        if (!(j->values[j->n_values] = vn__small_alloc(sizeof **j->values))) return false;
        j->n_values++;
    }
    return true;
}

static void drop_values(vn__job *j)
{
    while (j->n_values) vn__value_free(j->values[--j->n_values]);
}

/* Claims the nodes to store and retains the inputs: nodes for those that another thread computes, values for the rest. Under the lock. */
static void claim(vn__job *j)
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
static bool wait_for_inputs(vn__job *j)
{
    bool ok = true;
    for (uint32_t k = 0; k < j->n_inputs; k++) {
        if (j->held[k]) continue;
        vn__node *n = j->inputs[k];
        pthread_mutex_lock(&vn__graph_lock);
        while (ok && vn__node_state_of(n) == VN__CLAIMED) wait_for_settled();
        if (ok && vn__node_state_of(n) == VN__READY) vn__value_retain(j->held[k] = n->value);
        else ok = false;
        pthread_mutex_unlock(&vn__graph_lock);
        vn__node_release(n);
    }
    return ok;
}

/* Where the instructions were recorded. Under the lock. */
static bool note_places(vn__job *j)
{
    size_t n = 0;
    if (!VN__RESERVE(j, places, j->n_instrs + 1)) return false;
    for (uint32_t k = 0; k < j->n_order; k++) {
        if (!vn__is_identity(j->order[k])) j->places[n++] = vn__place_retain(*vn__node_place(j->order[k]));
    }
    return true;
}

static int launch(vn__job *j)
{
    for (uint32_t k = 0; k < j->n_inputs; k++) j->in[k] = j->held[k]->buf;
    if (!j->n_out) return VN_OK; /* only identities of ready arrays */
    int code = vn__seek ? vn__seek_in(j->engine, j->key.words, j->in, j->places) : VN_OK;
    if (code) return code;
    vn__compiled *c = vn__cache_get(j->engine, j->key.words, j->key.size, &code);
    if (!c) return code;
    code = vn__compiled_run(c, j->in, j->out);
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
    if (waiters) pthread_cond_broadcast(&settled);
}

/* Stores the results, or releases the claims. */
static void finish(vn__job *j, bool ok)
{
    size_t n_freed = 0;
    pthread_mutex_lock(&vn__graph_lock);
    for (uint32_t k = 0; k < j->n_stored; k++) {
        vn__node *n = j->order[k];
        vn__fact *f = &j->facts[k];
        vn__value *v = NULL;
        if (ok && f->ref & VN__INPUT) {
            vn__value_retain(v = j->held[f->ref & ~VN__INPUT]);
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
    for (uint32_t k = 0; vn__seek && k < j->n_instrs; k++) vn__place_release(j->places[k]);
    drop_values(j);
}

static size_t uses_of_stored(const vn__job *j)
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

/* ---- programs that are too large for an engine's compiler ---- */

static bool is_too_large(const vn__job *j)
{
    return j->engine->api.largest && j->n_instrs > j->engine->api.largest;
}

/* What to evaluate first: the targets whose program is the first `largest` instructions, in the order of the walk. What was asked for and
 * what later ones need of it is stored, and the rest is a program of fewer instructions. A reference to each; the caller frees the list. NULL: out of memory.
 * Under the lock. */
static vn__node **first_part(vn__job *j, int *n)
{
    uint32_t end = 0, found = 0;
    for (size_t instrs = 0; instrs < j->engine->api.largest; end++) instrs += !vn__is_identity(j->order[end]);
    vn__node **targets = vn__alloc(j->n_order * sizeof(vn__node *));
    for (uint32_t k = 0; k < j->n_order; k++) j->facts[k].kept = false; /* from here on: is used inside the part */
    for (uint32_t k = 0; k < end; k++) {
        for (int i = 0; i < j->order[k]->n_in; i++) {
            const uint32_t x = vn__node_in(j->order[k])[i]->index;
            if (!(x & VN__INPUT)) j->facts[x].kept = true;
        }
    }
    for (uint32_t k = 0; targets && k < j->n_order; k++) {
        vn__node *node = j->order[k];
        /* A node with several results has no value: all its parts are stored, also those that come later. */
        const bool inside = k < end, is_part = node->op == VN__NODE_PART && vn__node_in(node)[0]->index < end;
        if (inside ? node->flags & VN__SEVERAL || (j->facts[k].kept && !j->facts[k].asked) : !is_part) continue;
        vn__node_retain(node);
        targets[found++] = node;
    }
    *n = (int)found;
    return targets;
}

/* All targets of one engine. */
static int evaluate_on(vn__state *s, vn__engine *e, int n, vn__node *const *targets, int n_spare, vn__node *const *spare)
{
    vn__job *j = vn__job_begin(s);
    if (!j) return vn__no_memory("eval");
    j->engine = e;
    int code = VN_OK;
    for (bool again = true; again && !code;) {
        again = false;
        const vn__moment t = vn__trace_begin();
        pthread_mutex_lock(&vn__graph_lock);
        for (int k = 0; k < n; k++) {
            while (targets[k]->engine == e && vn__node_state_of(targets[k]) == VN__CLAIMED) {
                wait_for_settled();
                k = 0;
            }
        }
        bool ok = vn__job_build(j, n, targets, n_spare, spare, false);
        uint32_t walked = j->n_order;
        vn__node **part = NULL;
        int n_part = 0;
        if (ok && !j->unknown && is_too_large(j)) {
            ok = (part = first_part(j, &n_part)) != NULL;
        } else {
            ok = ok && reserve_results(j, uses_of_stored(j));
            if (ok && !j->unknown && vn__seek) ok = note_places(j);
            if (ok && !j->unknown) claim(j);
        }
        pthread_mutex_unlock(&vn__graph_lock);
        vn__trace_end(t, (vn_profile_event){.what = "build", .engine = e->name, .ops = (int32_t)walked});
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
        if (part) { /* without spare nodes: what they keep is needed if a later part fails */
            code = evaluate_on(s, e, n_part, part, 0, NULL);
            for (int k = 0; k < n_part; k++) vn__node_release(part[k]);
            vn__free(part);
            again = true;
            continue;
        }
        if (wait_for_inputs(j)) code = launch(j);
        else again = true;
        finish(j, !code && !again);
        s->pending = s->pending > walked ? s->pending - walked : 0;
    }
    vn__job_end(s, j);
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

static inline int give_values(int n, vn__node *const *targets)
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
        if (!code && n == 1 && !n_spare && !vn__seek && vn__evaluate_single(s, targets[0], &code)) continue;
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
    vn__job *j = s ? vn__job_begin(s) : NULL;
    if (!j) return vn__no_memory("explain");
    j->engine = targets[0]->engine;
    pthread_mutex_lock(&vn__graph_lock);
    bool ok = targets[0]->op == VN__NODE_SCALAR || vn__job_build(j, n, targets, 0, NULL, false);
    pthread_mutex_unlock(&vn__graph_lock);
    int code = ok ? VN_OK : vn__no_memory("explain");
    if (targets[0]->op == VN__NODE_SCALAR) j->n_out = 0;
    if (ok && !j->n_out) {
        if (explain) vn__print(explain, "nothing to compute: the value is there\n");
    } else if (ok && is_too_large(j)) {
        if (explain)
            vn__print(explain, "%u instructions, computed in parts: %s compiles at most %zu as one program\n", j->n_instrs, j->engine->name,
                      j->engine->api.largest);
    } else if (ok) {
        vn__compiled *c = vn__cache_get(j->engine, j->key.words, j->key.size, &code);
        if (c && explain) vn__compiled_explain(c, explain);
        if (c) vn__cache_put(c);
    }
    vn__job_end(s, j);
    return code;
}

/* ---- recorded programs, for capture.c ---- */

/* What goes in, and where each target comes from. Under the lock. False: out of memory. */
static bool note_sources(vn__kept *p, const vn__job *j, int n, vn__node *const *targets)
{
    p->inputs = vn__calloc((j->n_inputs + 1) * sizeof *p->inputs);
    p->sources = vn__calloc(((size_t)n + 1) * sizeof *p->sources);
    if (!p->inputs || !p->sources) return false;
    for (; p->n_inputs < j->n_inputs; p->n_inputs++) vn__value_retain(p->inputs[p->n_inputs] = j->inputs[p->n_inputs]->value);
    p->n_out = j->n_out;
    p->in_order = p->n_out == (uint32_t)n;
    for (int k = 0; k < n; k++) {
        uint32_t x = targets[k]->index, ref = x & VN__INPUT ? x : j->facts[x].ref;
        p->sources[k] = ref & VN__INPUT ? ~(int32_t)(ref & ~VN__INPUT) : j->facts[x].out;
        p->in_order &= p->sources[k] == k;
    }
    return true;
}

/* An input that another thread is computing, with a reference; NULL if all are ready. Under the lock. */
static vn__node *unfinished(const vn__job *j)
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
    vn__job *j = s ? vn__job_begin(s) : NULL;
    int code = j ? give_values(n, targets) : vn__no_memory(who);
    *p = (vn__kept){0};
    for (bool again = true; again && !code;) {
        j->engine = e;
        pthread_mutex_lock(&vn__graph_lock);
        bool ok = vn__job_build(j, n, targets, 0, NULL, true);
        vn__node *waiting = ok ? unfinished(j) : NULL;
        if (ok && !waiting) ok = note_sources(p, j, n, targets);
        pthread_mutex_unlock(&vn__graph_lock);
        if (!ok) code = vn__no_memory(who);
        again = waiting != NULL;
        if (again) code = vn__evaluate(1, &waiting, 0, NULL);
        vn__node_release(waiting);
    }
    if (!code && p->n_out) p->program = vn__cache_get(e, j->key.words, j->key.size, &code);
    if (j) vn__job_end(s, j);
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
