/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: pending nodes become a program: their canonical order, so that equal work has equal text; what is stored, and which inputs may
 * be overwritten; then the text itself. All of it under the graph lock. */
/* compiled for speed */
#include "core/memory.h"
#include "core/state.h"
#include "engine/engine.h"
#include "ops/op.h"
#include "program/job.h"

static uint64_t walks; /* under the lock */

/* ---- workspace ---- */

bool vn__job_grow(void *list, size_t *capacity, size_t n, size_t item)
{
    size_t cap = 2 * n + 64;
    void *old, *m;
    memcpy(&old, list, sizeof old); /* list is a pointer to a pointer of any type */
    if (!(m = vn__grow(old, *capacity * item, cap * item))) return false;
    memcpy(list, &m, sizeof m);
    *capacity = cap;
    return true;
}

void vn__scratch_free(struct vn__scratch *s)
{
    if (!s) return;
    void *all[] = {s->order, s->inputs, s->stack,  s->freed, s->facts,     s->input_facts, s->child, s->output_of,
                   s->in,    s->out,    s->values, s->held,  s->key.words, s->table,       s->places};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) vn__free(all[k]);
    vn__free(s);
}

vn__job *vn__job_begin(vn__state *s)
{
    vn__job *j = s->scratch;
    s->scratch = NULL;
    if (!j) j = vn__calloc(sizeof *j);
    return j;
}

void vn__job_end(vn__state *s, vn__job *j)
{
    if (!s->scratch) s->scratch = j;
    else vn__scratch_free(j);
}

/* ---- walking: order and inputs ---- */

static bool add_input(vn__job *j, vn__node *n)
{
    vn__value *v = vn__node_state_of(n) == VN__READY ? n->value : NULL;
    if (!v || v->mark != walks) {
        if (!VN__RESERVE(j, inputs, j->n_inputs + 1) || !VN__RESERVE(j, input_facts, j->n_inputs + 1)) return false;
        j->input_facts[j->n_inputs] = (vn__input_fact){0};
        if (v) v->mark = walks, v->index = j->n_inputs;
        j->inputs[j->n_inputs++] = n;
    }
    uint32_t at = v ? v->index : j->n_inputs - 1;
    n->index = VN__INPUT | at;
    j->input_facts[at].refs += vn__node_refs(n);
    j->input_facts[at].nodes++;
    return true;
}

/* References that the caller holds only for rollback do not count. */
static void spare_input(vn__job *j, vn__node *n)
{
    if (n->mark == walks && n->index & VN__INPUT) {
        j->input_facts[n->index & ~VN__INPUT].inner++;
    } else if (vn__node_state_of(n) == VN__READY && n->value->mark == walks) {
        vn__input_fact *f = &j->input_facts[n->value->index];
        if (vn__node_refs(n) == 1) f->nodes++;
        else f->kept = true;
    }
}

/* It shares its input's value and is not an instruction. */
bool vn__is_identity(const vn__node *n)
{
    if (n->op == VN__NODE_PART) return true;
    vn__op_kind kind = vn__ops[n->op].kind;
    return kind == VN__OP_IDENTITY || kind == VN__OP_LEAF || kind == VN__OP_TIED;
}

static bool add_node(vn__job *j, vn__node *n)
{
    if (!VN__RESERVE(j, order, j->n_order + 1) || !VN__RESERVE(j, facts, j->n_order + 1)) return false;
    vn__fact *f = &j->facts[j->n_order];
    *f = (vn__fact){.out = -1};
    if (vn__is_identity(n)) {
        uint32_t x = vn__node_in(n)[0]->index;
        f->ref = x & VN__INPUT ? x : j->facts[x].ref;
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
static bool walk(vn__job *j, vn__node *target)
{
    size_t depth = 0;
    vn__node *n = target;
    for (;;) {
        if (n->mark != walks) { /* not visited yet */
            n->mark = walks;
            if (vn__node_state_of(n) != VN__PENDING) {
                if (!add_input(j, n)) return false;
            } else {
                if (!VN__RESERVE(j, stack, depth + 1) || !VN__RESERVE(j, child, depth + 1)) return false;
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

static void count_uses(vn__job *j)
{
    for (uint32_t k = 0; k < j->n_order; k++) {
        vn__node *n = j->order[k];
        for (int i = 0; i < n->n_in; i++) {
            uint32_t x = vn__node_in(n)[i]->index;
            if (x & VN__INPUT) j->input_facts[x & ~VN__INPUT].inner++;
            else j->facts[x].inner++;
        }
    }
}

/* Walks backwards. A node is stored if it was requested or if a pending node outside needs it; a variable also if it
 * outlives the program (so that a loop's history ends there). A node with several results is never stored, its parts are. A surviving node
 * that still needs its inputs prevents their donation. */
static void decide(vn__job *j)
{
    j->n_stored = 0;
    for (uint32_t k = j->n_order; k-- > 0;) {
        vn__node *n = j->order[k];
        vn__fact *f = &j->facts[k];
        bool variable = (n->flags & VN__VARIABLE) != 0;
        bool survives = f->kept || vn__node_refs(n) > f->inner;
        bool needed = f->asked || vn__node_uses(n) > f->inner || (variable && survives);
        f->stored = needed && !(n->flags & VN__SEVERAL);
        j->n_stored += f->stored;
        bool keeps_inputs = survives && !(f->stored && (variable || !(n->flags & VN__HISTORY)));
        for (int i = 0; keeps_inputs && i < n->n_in; i++) {
            uint32_t x = vn__node_in(n)[i]->index;
            if (x & VN__INPUT) j->input_facts[x & ~VN__INPUT].kept = true;
            else j->facts[x].kept = true;
        }
    }
}

/* Numbers the outputs: each stored result once. */
static bool number_outputs(vn__job *j)
{
    if (!VN__RESERVE(j, output_of, j->n_results + 1)) return false;
    int32_t *of = j->output_of;
    for (uint32_t k = 0; k < j->n_results; k++) of[k] = -1;
    j->n_out = 0;
    for (uint32_t k = 0; k < j->n_order; k++) {
        vn__fact *f = &j->facts[k];
        if (!f->stored || f->ref & VN__INPUT) continue;
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
static uint64_t *offers(vn__job *j, const vn__node *n)
{
    uint64_t key = like(n);
    size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (j->n_table - 1);
    while (j->table[2 * at] && j->table[2 * at] != key) at = (at + 1) & (j->n_table - 1);
    j->table[2 * at] = key;
    return &j->table[2 * at + 1];
}

/* An input is donated only if an output of the same size can reuse its memory; each output is matched once. The table has room for
 * every output and input. */
static bool offer_outputs(vn__job *j)
{
    j->n_table = 16;
    while (j->n_table < 2 * ((size_t)j->n_stored + j->n_inputs)) j->n_table *= 2;
    if (!vn__job_reserve(&j->table, &j->cap_table, 2 * j->n_table, sizeof *j->table)) return false;
    memset(j->table, 0, 2 * j->n_table * sizeof *j->table);
    for (uint32_t k = 0; k < j->n_order; k++) {
        if (j->facts[k].out >= 0) ++*offers(j, j->order[k]);
    }
    return true;
}

static bool may_donate(vn__job *j, uint32_t k)
{
    vn__node *n = j->inputs[k];
    vn__input_fact *f = &j->input_facts[k];
    if (j->again || vn__node_state_of(n) != VN__READY || f->kept || n->value->borrowed || n->count < VN__MIN_DONATED) return false;
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
    return vn__job_reserve(&w->words, &w->capacity, w->size + more, sizeof *w->words);
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
static bool write_instr(vn__job *j, const vn__node *n, const int32_t *output)
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
        uint32_t x = vn__node_in(n)[i]->index, ref = x & VN__INPUT ? x : j->facts[x].ref;
        put(w, ref & VN__INPUT ? ref & ~VN__INPUT : j->n_inputs + ref);
    }
    for (int i = 0; i < n->n_words; i++) put(w, (uint64_t)vn__node_words(n)[i]);
    return true;
}

/* program.c documents the format. */
static bool write_key(vn__job *j)
{
    vn__words *w = &j->key;
    const uint32_t precision = vn__precision_on(j->engine, vn__peek()->precision);
    w->size = 0;
    if (!room(w, VN__COUNTS)) return false;
    put(w, j->n_inputs);
    put(w, j->n_instrs);
    put(w, j->n_results);
    put(w, j->n_out);
    put(w, VN_PRECISION_EXACT); /* unless there is a float32 product, below */
    for (uint32_t k = 0; k < j->n_inputs; k++) {
        if (!room(w, 1 + VN_MAX_RANK)) return false;
        put_desc(w, j->inputs[k], may_donate(j, k) ? UINT64_C(1) << 16 : 0);
        const vn__value *v = j->inputs[k]->value;
        j->unknown |= v && v->unknown;
    }
    for (uint32_t k = 0; k < j->n_order; k++) {
        const vn__node *n = j->order[k];
        if (vn__is_identity(n)) continue;
        if (!write_instr(j, n, &j->output_of[j->facts[k].ref])) return false;
        if (precision && vn__is_product(n->op, n->dtype)) w->words[VN__PRECISION] = precision;
    }
    return true;
}

bool vn__job_build(vn__job *j, int n, vn__node *const *targets, int n_spare, vn__node *const *spare, bool again)
{
    j->again = again;
    j->n_order = j->n_inputs = j->n_instrs = j->n_results = j->n_out = 0;
    j->unknown = false;
    walks++;
    for (int k = 0; k < n; k++) {
        if (targets[k]->engine == j->engine && !walk(j, targets[k])) return false;
    }
    for (int k = 0; k < n; k++) {
        if (targets[k]->mark == walks && !(targets[k]->index & VN__INPUT)) j->facts[targets[k]->index].asked = true;
    }
    for (int k = 0; k < n_spare; k++) spare_input(j, spare[k]);
    count_uses(j);
    decide(j);
    return number_outputs(j) && offer_outputs(j) && write_key(j);
}
