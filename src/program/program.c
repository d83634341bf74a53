/* SPDX-License-Identifier: Apache-2.0 */
/* program.c: programs as engines see them: decoded from their text, split into stages, compiled and run.
 *
 * A program's text is a list of words, written by build.c: counts of inputs, instructions, results and outputs, and the precision; each
 * input's dtype, rank, donation and dims; each instruction's op (the hash of its name), counts of options, arguments and results, each
 * result's dtype, rank, output number and dims, then arguments and options. Values are never in it.
 *
 * Instructions that an engine has no kernel for run on the native engine, and so do those that were recorded for it (augmentations, whose
 * bits are the same on every engine): the program is split into levels, even ones native, odd ones the
 * engine's, and each level becomes a stage with its own vn_program. Most programs have one stage. */
/* compiled for speed */
#include "core/memory.h"
#include "base/minmax.h"
#include "core/text.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/node.h"
#include "program/compiled.h"
#include "program/profile.h"
#include "engine/engine.h"

typedef struct vn__stage {
    vn__engine *engine;
    vn_program program;
    vn_exe *exe;                    /* of an engine that compiles */
    vn__runs *runs;                 /* workspace of one that does not */
    int32_t *in, *out;              /* value numbers of the whole program */
    _Atomic bool ran;               /* at least once */
    _Atomic(vn__kernels *) kernels; /* described for profiles, when the first one asks */
} stage;

typedef struct vn__chunk {
    struct vn__chunk *next;
    size_t used, size;
    _Alignas(16) char data[];
} chunk;

/* ---- arena: all memory of a program, freed with it ---- */

static void *take(vn__compiled *c, size_t n, size_t item)
{
    size_t bytes = (n * item + 15) & ~(size_t)15;
    if (!c->arena || c->arena->size - c->arena->used < bytes) {
        size_t size = vn__max(bytes, 4096);
        chunk *k = vn__alloc(sizeof *k + size);
        if (!k) return NULL;
        *k = (chunk){.next = c->arena, .size = size};
        c->arena = k;
    }
    void *m = c->arena->data + c->arena->used;
    c->arena->used += bytes;
    return memset(m, 0, bytes);
}

void vn__compiled_free(vn__compiled *c)
{
    for (int k = 0; k < c->n_stages; k++) {
        stage *s = &c->stages[k];
        vn__kernels_free(atomic_load_explicit(&s->kernels, memory_order_acquire));
        if (s->exe && s->engine->builtin) s->engine->api.discard(s->engine->context, s->exe);
        if (s->runs) vn__runs_free(s->runs);
        if (!s->exe || s->engine->builtin || !vn__gate_enter_quietly()) continue;
        s->engine->api.discard(s->engine->context, s->exe);
        vn__gate_leave();
    }
    while (c->arena) {
        chunk *k = c->arena;
        c->arena = k->next;
        vn__free(k);
    }
    vn__free(c->words);
    vn__free(c);
}

/* ---- from words to instructions ---- */

const uint64_t *vn__read_desc(const uint64_t *w, vn_desc *d)
{
    *d = (vn_desc){
        .dtype = (int32_t)(*w & 255), .rank = (int32_t)(*w >> 8 & 255), .count = 1, .dims = (const int64_t *)(const void *)(w + 1)};
    for (int i = 0; i < d->rank; i++) d->count *= d->dims[i];
    return w + 1 + d->rank;
}

static bool decode(vn__compiled *c)
{
    const uint64_t *w = c->words;
    c->n_inputs = (int32_t)w[0], c->n_instrs = (int32_t)w[1], c->n_values = c->n_inputs + (int32_t)w[2], c->n_outputs = (int32_t)w[3];
    w += VN__COUNTS;
    c->values = take(c, (size_t)c->n_values, sizeof *c->values);
    c->instrs = take(c, (size_t)c->n_instrs, sizeof *c->instrs);
    c->ops = take(c, (size_t)c->n_instrs, sizeof *c->ops);
    c->on_native = take(c, (size_t)c->n_instrs, sizeof *c->on_native);
    c->outputs = take(c, (size_t)c->n_outputs, sizeof *c->outputs);
    c->donated = take(c, (size_t)c->n_inputs, sizeof *c->donated);
    if (!c->values || !c->instrs || !c->ops || !c->on_native || !c->outputs || !c->donated) return false;
    for (int k = 0; k < c->n_inputs; k++) {
        c->donated[k] = *w >> 16 & 1;
        w = vn__read_desc(w, &c->values[k]);
    }
    for (int32_t k = 0, v = c->n_inputs; k < c->n_instrs; k++) {
        c->ops[k] = vn__op_of_hash(*w++);
        const vn__op *op = &vn__ops[c->ops[k]];
        int n_in = vn__op_arguments(*w), n_opt = op->info.n_options, n_out = vn__op_results(*w);
        c->on_native[k] = vn__op_on_native(*w++);
        for (int r = 0; r < n_out; r++) {
            uint32_t out = (uint32_t)(*w >> 16);
            if (out) c->outputs[out - 1] = v + r;
            w = vn__read_desc(w, &c->values[v + r]);
        }
        int32_t *in = take(c, (size_t)n_in, sizeof *in);
        vn_option *options = take(c, (size_t)n_opt, sizeof *options);
        if (!in || !options) return false;
        for (int i = 0; i < n_in; i++) in[i] = (int32_t)*w++;
        w += vn__decode_options(op, (const int64_t *)(const void *)w, options);
        c->instrs[k] = (vn_instr){.op = op->info.name,
                                  .options = options,
                                  .in = in,
                                  .n_options = n_opt,
                                  .n_in = n_in,
                                  .out = v,
                                  .n_out = n_out,
                                  .n_list = vn__list_length(op, n_in)};
        v += n_out;
    }
    return true;
}

/* ---- stages ---- */

typedef struct {
    int32_t *level;  /* of each value: inputs 0 */
    int32_t *local;  /* number inside the stage being built, -1 */
    int32_t *last;   /* highest level that uses a value */
    uint8_t *places; /* bit 0: used by a native stage, bit 1: by the engine's */
    int32_t n_levels;
} plan;

/* The dtypes of an instruction's inputs and results. */
typedef struct {
    const vn__compiled *program;
    const vn_instr *instr;
} placed;

static int dtype_at(const void *of, int k)
{
    const placed *p = of;
    const int32_t v = k < p->instr->n_in ? p->instr->in[k] : p->instr->out + k - p->instr->n_in;
    return p->program->values[v].dtype;
}

/* Even levels are native, odd ones the engine's. */
static int place_instrs(vn__compiled *c, plan *p)
{
    vn__engine *native = vn__engine_default();
    for (int k = 0; k < c->n_instrs; k++) {
        vn_instr *i = &c->instrs[k];
        int op = c->ops[k], from = c->values[i->in[0]].dtype;
        uint32_t dtypes = vn__open_dtypes(op, i->n_in, dtype_at, &(const placed){c, i});
        bool own = !c->on_native[k] && vn__engine_has(c->engine, op, dtypes);
        if (!own && !vn__engine_has(native, op, dtypes))
            return vn__fail(VN_E_UNSUPPORTED, "%s: no kernel for %s on %s", i->op, vn_dtype_name((vn_dtype)from), c->engine->name);
        if (!own && vn__strict && !c->on_native[k] && !(vn__ops[op].info.traits & VN_OP_RANDOM))
            return vn__fail(VN_E_UNSUPPORTED, "%s: %s has no kernel for %s, and VINEA_STRICT forbids the native fallback", i->op,
                            c->engine->name, vn_dtype_name((vn_dtype)from));
        bool as_native = !own || c->engine == native;
        int32_t level = as_native ? 0 : 1;
        for (int a = 0; a < i->n_in; a++) {
            if (p->level[i->in[a]] > level) level = p->level[i->in[a]];
        }
        if ((level & 1) == as_native) level++;
        for (int r = 0; r < i->n_out; r++) p->level[i->out + r] = level;
        if (level >= p->n_levels) p->n_levels = level + 1;
        for (int a = 0; a < i->n_in; a++) {
            if (p->last[i->in[a]] < level) p->last[i->in[a]] = level;
            p->places[i->in[a]] |= as_native ? 1 : 2;
        }
    }
    for (int k = 0; k < c->n_outputs; k++) {
        p->last[c->outputs[k]] = INT32_MAX;
        p->places[c->outputs[k]] |= c->engine == native ? 1 : 2;
    }
    return VN_OK;
}

/* How much one level has, before it is copied. */
typedef struct {
    int32_t instrs, in, results, out;
} counts;

/* Also sets `local` of the level's inputs and results to 0, of all other values to -1. */
static counts count_level(const vn__compiled *c, plan *p, int32_t level)
{
    counts n = {0};
    for (int k = 0; k < c->n_values; k++) p->local[k] = -1;
    for (int k = 0; k < c->n_instrs; k++) {
        const vn_instr *i = &c->instrs[k];
        if (p->level[i->out] != level) continue;
        n.instrs++;
        n.results += i->n_out;
        for (int r = i->out; r < i->out + i->n_out; r++) {
            p->local[r] = 0;
            n.out += p->last[r] > level;
        }
        for (int a = 0; a < i->n_in; a++) {
            if (p->local[i->in[a]] >= 0) continue;
            p->local[i->in[a]] = 0;
            n.in++;
        }
    }
    return n;
}

/* The arrays of a stage's program while they are filled in. */
typedef struct {
    vn_desc *values;
    const vn_instr **instrs;
    int32_t *outputs;
    uint8_t *donated, *used;
} parts;

/* Inputs keep the program's order. */
static void add_inputs(const vn__compiled *c, plan *p, int32_t level, stage *s, const parts *to)
{
    int32_t at = 0;
    for (int v = 0; v < c->n_values; v++) {
        if (p->local[v] < 0 || p->level[v] == level) continue;
        p->local[v] = at;
        to->values[at] = c->values[v];
        to->donated[at] =
            v < c->n_inputs && c->donated[v] && p->last[v] == level && p->places[v] == (level & 1 ? 2 : 1) && s->engine == c->engine;
        s->in[at++] = v;
    }
}

/* The instruction with the stage's numbers, its engine's row and the options that the row names; NULL if memory ran out. */
static const vn_instr *move_instr(vn__compiled *c, const plan *p, int k, const stage *s, int32_t out)
{
    const vn_instr *i = &c->instrs[k];
    vn_instr *to = take(c, 1, sizeof *to);
    int32_t *in = take(c, (size_t)i->n_in, sizeof *in);
    vn_option *options = take(c, (size_t)i->n_options, sizeof *options);
    if (!to || !in || !options) return NULL;
    for (int a = 0; a < i->n_in; a++) in[a] = p->local[i->in[a]];
    *to = *i;
    to->in = in;
    to->out = out;
    to->row = s->engine->rows[c->ops[k]];
    to->options = options;
    to->n_options = vn__row_options(s->engine, c->ops[k], i->options, options);
    return to;
}

static bool add_instrs(vn__compiled *c, plan *p, int32_t level, stage *s, const parts *to, int32_t at_value)
{
    int32_t at = 0, at_out = 0;
    for (int k = 0; k < c->n_instrs; k++) {
        const vn_instr *i = &c->instrs[k];
        if (p->level[i->out] != level) continue;
        const vn_instr *moved = to->instrs[at++] = move_instr(c, p, k, s, at_value);
        if (!moved) return false;
        for (int a = 0; a < moved->n_in; a++) to->used[moved->in[a]] = 1;
        for (int r = i->out; r < i->out + i->n_out; r++, at_value++) {
            p->local[r] = at_value;
            to->values[at_value] = c->values[r];
            if (p->last[r] <= level) continue;
            to->used[to->outputs[at_out] = at_value] = 1;
            s->out[at_out++] = r;
        }
    }
    return true;
}

/* Copies the instructions of one level into a new program. Returns 1 if there are any, 0 if not, -1 if memory ran out. */
static int cut(vn__compiled *c, plan *p, int32_t level, stage *s)
{
    const counts n = count_level(c, p, level);
    const int32_t n_values = n.in + n.results;
    if (!n.instrs) return 0;
    const parts to = {.values = take(c, (size_t)n_values, sizeof *to.values),
                      .instrs = take(c, (size_t)n.instrs, sizeof *to.instrs),
                      .outputs = take(c, (size_t)n.out, sizeof *to.outputs),
                      .donated = take(c, (size_t)n.in, sizeof *to.donated),
                      .used = take(c, (size_t)n_values, sizeof *to.used)};
    s->in = take(c, (size_t)n.in, sizeof *s->in);
    s->out = take(c, (size_t)n.out, sizeof *s->out);
    s->engine = level & 1 ? c->engine : vn__engine_default();
    if (!to.values || !to.instrs || !to.outputs || !to.donated || !to.used || !s->in || !s->out) return -1;
    add_inputs(c, p, level, s, &to);
    if (!add_instrs(c, p, level, s, &to, n.in)) return -1;
    s->program = (vn_program){.size = sizeof s->program,
                              .n_inputs = n.in,
                              .n_instrs = n.instrs,
                              .n_values = n_values,
                              .n_outputs = n.out,
                              .values = to.values,
                              .instrs = to.instrs,
                              .outputs = to.outputs,
                              .donated = to.donated,
                              .used = to.used,
                              .precision = vn__precision_on(s->engine, (uint32_t)c->words[VN__PRECISION]),
                              .hash = c->hash};
    return 1;
}

static int build_stages(vn__compiled *c)
{
    size_t total = (size_t)c->n_values;
    plan p = {.level = take(c, total, sizeof *p.level),
              .local = take(c, total, sizeof *p.local),
              .last = take(c, total, sizeof *p.last),
              .places = take(c, total, sizeof *p.places)};
    if (!p.level || !p.local || !p.last || !p.places) return vn__no_memory("compile");
    for (int k = 0; k < c->n_inputs; k++) p.level[k] = -1;
    int code = place_instrs(c, &p);
    if (code) return code;
    c->stages = take(c, (size_t)p.n_levels, sizeof *c->stages);
    if (!c->stages) return vn__no_memory("compile");
    for (int32_t level = 0; level < p.n_levels; level++) {
        int made = cut(c, &p, level, &c->stages[c->n_stages]);
        if (made < 0) return vn__no_memory("compile");
        c->n_stages += made;
    }
    /* A single stage with all inputs and outputs in the program's order needs no mapping. */
    stage *s = c->stages;
    c->simple = c->n_stages == 1 && s->engine == c->engine && s->program.n_inputs == c->n_inputs && s->program.n_outputs == c->n_outputs;
    for (int k = 0; c->simple && k < c->n_inputs; k++) c->simple = s->in[k] == k;
    for (int k = 0; c->simple && k < c->n_outputs; k++) c->simple = s->out[k] == c->outputs[k];
    return VN_OK;
}

int vn__compiled_make(vn__compiled *c)
{
    if (!decode(c)) return vn__no_memory("compile");
    int code = build_stages(c);
    for (int k = 0; k < c->n_stages && !code; k++) {
        stage *s = &c->stages[k];
        code = vn__engine_prepare(s->engine, &s->program, &s->exe, &s->runs);
    }
    return code;
}

/* ---- running ---- */

/* Adds what the program asked for to the error: its largest array, of which several may be needed at a time. */
static int no_room(const stage *s, const char *who)
{
    const vn_program *p = &s->program;
    const vn_instr *largest = NULL;
    int64_t most = -1;
    for (int32_t k = 0; k < p->n_instrs; k++) {
        const vn_desc *d = &p->values[p->instrs[k]->out];
        const int64_t bytes = d->count * (int64_t)vn_dtype_size((vn_dtype)d->dtype);
        if (bytes > most) most = bytes, largest = p->instrs[k];
    }
    if (!largest) return VN_E_MEM;
    const vn_desc *d = &p->values[largest->out];
    char words[256], shape[128], rest[48] = "";
    if (p->n_instrs > 1) snprintf(rest, sizeof rest, ", the largest of %d arrays", p->n_instrs);
    snprintf(words, sizeof words, "%s: %s makes %s of %s, %lld bytes%s", who, largest->op, vn__shape_text(d->rank, d->dims, shape),
             vn_dtype_name((vn_dtype)d->dtype), (long long)most, rest);
    return vn__fail_in(words);
}

static int run_stage(const vn__compiled *c, stage *s, vn_buf *const *in, vn_buf **out)
{
    const vn__state *state = vn__peek();
    const bool before = state && state->code;
    int code = vn__engine_enter(s->engine, "eval");
    if (code) return code;
    vn__kernels *kernels = vn__is_traced() ? vn__kernels_of(&s->kernels, s->engine, &s->program, s->exe) : NULL;
    int64_t *times = kernels ? vn__kernels_times(kernels) : NULL;
    code = s->engine->api.compile ? vn__execute(s->engine, s->exe, in, out, times) : vn__interpret(s->runs, in, out, times);
    if (!s->engine->builtin && !atomic_exchange_explicit(&s->ran, true, memory_order_relaxed)) vn__gate_stay_last();
    vn__engine_leave(s->engine);
    if (times) vn__kernels_report(kernels, s->engine, c->hash, times);
    if (code) vn__engine_failed(s->engine, code, "eval", "could not execute a program");
    return code == VN_E_MEM && !before ? no_room(s, "eval") : code;
}

/* Values of a program with several stages, on the program's engine and on native. */
typedef struct {
    vn_buf *own, *native;
    bool borrowed; /* the caller owns `own` */
} spot;

static int fetch(vn__compiled *c, spot *at, int32_t v, vn__engine *e, vn_buf **out)
{
    vn__engine *native = vn__engine_default();
    bool to_native = e == native && c->engine != native;
    vn_buf **want = to_native ? &at[v].native : &at[v].own, *have = to_native ? at[v].own : at[v].native;
    if (!*want) {
        int code = vn__transfer(to_native ? c->engine : native, have, &c->values[v], e, want);
        if (code) return code;
    }
    *out = *want;
    return VN_OK;
}

static int run_stages(vn__compiled *c, spot *at, vn_buf **bufs)
{
    int code = VN_OK;
    for (int k = 0; k < c->n_stages && !code; k++) {
        stage *s = &c->stages[k];
        vn_buf **in = bufs, **out = bufs + s->program.n_inputs;
        for (int i = 0; i < s->program.n_inputs && !code; i++) code = fetch(c, at, s->in[i], s->engine, &in[i]);
        if (!code) code = run_stage(c, s, in, out);
        for (int i = 0; i < s->program.n_outputs && !code; i++)
            *(s->engine == c->engine ? &at[s->out[i]].own : &at[s->out[i]].native) = out[i];
    }
    return code;
}

static int run_several(vn__compiled *c, vn_buf *const *in, vn_buf **out)
{
    size_t total = (size_t)c->n_values;
    spot *at = vn__calloc(total * sizeof *at);
    vn_buf **bufs = vn__alloc((total + 1) * sizeof *bufs);
    int code = at && bufs ? VN_OK : vn__no_memory("eval");
    for (int k = 0; k < c->n_inputs && !code; k++) at[k] = (spot){.own = in[k], .borrowed = true};
    if (!code) code = run_stages(c, at, bufs);
    for (int k = 0; k < c->n_outputs && !code; k++) {
        code = fetch(c, at, c->outputs[k], c->engine, &bufs[k]);
    }
    for (int k = 0; k < c->n_outputs && !code; k++) vn__buf_retain(c->engine, out[k] = bufs[k]);
    for (size_t v = 0; at && v < total; v++) {
        if (at[v].own && !at[v].borrowed) vn__buf_release(c->engine, at[v].own);
        if (at[v].native) vn__buf_release(vn__engine_default(), at[v].native);
    }
    vn__free(at);
    vn__free(bufs);
    return code;
}

/* Tells profiles of one run. An engine whose work may still be in flight is waited for: its time belongs to this program. */
static void trace_run(const vn__compiled *c, vn__moment began, vn_buf *const *out, int code)
{
    for (int k = 0; c->engine->api.finish && k < c->n_outputs && !code; k++) {
        const void *data;
        vn__to_host(c->engine, out[k], &c->values[c->outputs[k]], &data, "eval");
    }
    vn_profile_event e = {.what = "execute", .engine = c->engine->name, .program = c->hash, .ops = c->n_instrs};
    for (int k = 0; k < c->n_inputs; k++) e.read += vn__desc_bytes(&c->values[k]);
    for (int k = 0; k < c->n_outputs; k++) e.written += vn__desc_bytes(&c->values[c->outputs[k]]);
    for (int k = 0; k < c->n_stages; k++) e.flops += vn__program_flops(&c->stages[k].program);
    e.memory = vn__engine_bytes(c->engine);
    vn__trace_end(began, e);
}

int vn__compiled_run(vn__compiled *c, vn_buf *const *in, vn_buf **out)
{
    const vn__moment began = vn__trace_begin();
    const int code = c->simple ? run_stage(c, c->stages, in, out) : run_several(c, in, out);
    if (began.begin) trace_run(c, began, out, code);
    return code;
}

static void explain_line(void *to, const char *text)
{
    vn__print(to, "    %s\n", text);
}

/* "bf16 -> exact" if the thread asked for another mode than it gets. */
static void explain_precision(const vn__compiled *c, vn__text *t)
{
    const uint32_t asked = vn__peek()->precision, used = (uint32_t)c->words[VN__PRECISION];
    bool products = false;
    for (int k = 0; k < c->n_instrs; k++) products |= vn__is_product(c->ops[k], c->values[c->instrs[k].out].dtype);
    if (!asked || !products) return;
    vn__print(t, "  precision of float32 products: %s", vn__precision_name(asked));
    if (used != asked) vn__print(t, " -> %s", vn__precision_name(used));
    vn__print(t, "\n");
}

void vn__compiled_explain(vn__compiled *c, vn__text *t)
{
    vn__print(t, "program %016llx on %s: %d inputs, %d ops, %d outputs, %d %s\n", (unsigned long long)c->hash, c->engine->name, c->n_inputs,
              c->n_instrs, c->n_outputs, c->n_stages, c->n_stages == 1 ? "stage" : "stages");
    explain_precision(c, t);
    for (int k = 0; k < c->n_stages; k++) {
        stage *s = &c->stages[k];
        vn__print(t, "  stage %d on %s%s\n", k + 1, s->engine->name, s->engine == c->engine ? "" : ", computed by vinea");
        if (s->exe && s->engine->api.explain && !vn__engine_enter(s->engine, "explain")) {
            s->engine->api.explain(s->engine->context, s->exe, explain_line, t);
            vn__engine_leave(s->engine);
            continue;
        }
        for (int i = 0; i < s->program.n_instrs; i++) {
            const vn_instr *instr = s->program.instrs[i];
            char text[256];
            vn__print(t, "    kernel %s\n", vn__instr_text(&s->program, instr, text));
        }
    }
}
