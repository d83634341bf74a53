/* SPDX-License-Identifier: Apache-2.0 */
/* single.c: the fast path for one pending op whose inputs are ready, as in programs that read results op by op. build.c walks the graph
 * to determine which nodes belong to a program, which are stored and what may be overwritten; here all of that is known in advance.
 * The text is the same as build.c's, so both find the same program. */
/* compiled for speed */
#include "core/memory.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include "core/trace.h"

enum { MAX_WORDS = 64 };

typedef struct {
    int n_inputs;
    vn_buf *in[VN__MAX_IN];
    size_t size;
    uint64_t words[MAX_WORDS];
} text;

/* An input without other references might be donated, which build.c decides. */
static bool might_be_donated(const vn__node *n, const vn__node *x)
{
    uint32_t uses = 0;
    if (x->count < VN__MIN_DONATED) return false;
    for (int k = 0; k < n->n_in; k++) uses += vn__node_in(n)[k] == x;
    return vn__node_refs(x) <= uses;
}

static void put_desc(text *t, const vn__node *n, uint64_t more)
{
    t->size = (size_t)(vn__put_desc(t->words + t->size, n, more) - t->words);
}

/* Writes the program's text and collects its inputs. Under the graph lock. False: the node does not qualify. */
static bool describe(const vn__state *s, const vn__node *n, text *t)
{
    vn__value *values[VN__MAX_IN];
    uint8_t argument[VN__MAX_IN]; /* small, so that copying them below is no call of memcpy */
    if (n->op == VN__NODE_PART) return false;
    const vn__op *row = &vn__ops[n->op];
    if ((row->kind != VN__OP_PRIMITIVE && row->kind != VN__OP_FUSED) || n->flags & VN__SEVERAL || n->n_in > VN__MAX_IN) return false;
    size_t words = VN__COUNTS + 3 + (size_t)n->rank + 2 * (size_t)n->n_in + n->n_words;
    t->n_inputs = 0;
    t->size = VN__COUNTS;
    for (int k = 0; k < n->n_in; k++) {
        const vn__node *x = vn__node_in(n)[k];
        words += x->rank;
        if (vn__node_state_of(x) != VN__READY || x->value->unknown || might_be_donated(n, x) || words > MAX_WORDS) return false;
        int at = 0;
        while (at < t->n_inputs && values[at] != x->value) at++;
        argument[k] = (uint8_t)at;
        if (at < t->n_inputs) continue;
        values[at] = x->value;
        t->in[at] = x->value->buf;
        t->n_inputs++;
        put_desc(t, x, 0);
    }
    if (words > MAX_WORDS) return false;
    t->words[0] = (uint64_t)t->n_inputs;
    t->words[1] = t->words[2] = t->words[3] = 1;
    t->words[VN__PRECISION] = vn__is_product(n->op, n->dtype) ? vn__precision_on(n->engine, s->precision) : VN_PRECISION_EXACT;
    t->size = (size_t)(vn__put_op(t->words + t->size, n) - t->words);
    put_desc(t, n, UINT64_C(1) << 16);
    for (int k = 0; k < n->n_in; k++) t->words[t->size++] = argument[k];
    for (int k = 0; k < n->n_words; k++) t->words[t->size++] = (uint64_t)vn__node_words(n)[k];
    return true;
}

/* One op of the built-in engine on few elements that are ready; engines of frameworks may need the lock that the caller holds. */
int vn_eval_is_short(const vn_array *x)
{
    enum { FEW = 1024 };
    if (!vn__check(x, VN__ARRAY, "eval_is_short", "x")) return 0;
    const vn__node *n = vn__node_of(x);
    if (!n->engine->builtin || n->count > FEW) return 0;
    if (vn__node_state_of(n) != VN__PENDING) return vn__node_state_of(n) == VN__READY;
    for (int k = 0; k < n->n_in; k++) {
        const vn__node *in = vn__node_in(n)[k];
        if (vn__node_state_of(in) != VN__READY || in->count > FEW) return 0;
    }
    return 1;
}

/* The claimed node keeps its inputs and their values alive. */
static int run(vn__state *s, const vn__node *n, const text *t, vn_buf **out)
{
    int code = VN_OK;
    const unsigned slot = (n->op + (unsigned)n->count) % VN__RECENT;
    vn__compiled *c = vn__recent_get(s, slot, n->engine, t->words, t->size, &code);
    if (!c) return code;
    code = vn__compiled_run(c, t->in, out);
    vn__recent_put(s, slot, c);
    return code;
}

bool vn__evaluate_single(vn__state *s, vn__node *n, int *code)
{
    text t;
    const vn__moment began = vn__trace_begin();
    pthread_mutex_lock(&vn__graph_lock);
    bool single = vn__node_state_of(n) == VN__PENDING && describe(s, n, &t);
    if (single) atomic_store_explicit(&n->state, VN__CLAIMED, memory_order_relaxed);
    pthread_mutex_unlock(&vn__graph_lock);
    if (!single) return false;
    vn__trace_end(began, (vn_profile_event){.what = "build", .engine = n->engine->name, .ops = 1});
    vn__node *freed[VN__MAX_IN];
    size_t n_freed = 0;
    vn_buf *out = NULL;
    vn__value *v = vn__small_alloc(sizeof *v); /* before anything runs */
    *code = v ? run(s, n, &t, &out) : vn__no_memory("eval");
    pthread_mutex_lock(&vn__graph_lock);
    if (*code) {
        vn__node_settle(n, NULL, NULL, NULL);
    } else {
        *v = (vn__value){.refs = 1, .engine = n->engine, .buf = out};
        vn__node_settle(n, v, freed, &n_freed);
    }
    vn__tell_settled();
    pthread_mutex_unlock(&vn__graph_lock);
    for (size_t k = 0; k < n_freed; k++) vn__node_destroy(freed[k]);
    if (*code) vn__value_free(v);
    s->pending -= s->pending > 0;
    return true;
}
