/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c: functions that are recorded once and then run as programs. Each recording has a signature: number, shapes, dtypes and
 * engine of the inputs, the precision of float32 products, the autocast, and whether gradients are being taken around the call. A function that is called while
 * another is recorded, or that uses arrays from outside which these gradients must reach, is no program of its own: it is recorded as usual. */
/* compiled for speed */
#include "core/memory.h"
#include "base/minmax.h"
#include "core/object.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include "core/trace.h"
#include "core/callback.h"
#include "base/floats.h"

enum { MAX_RECORDINGS = 64, MAX_IN = 1024, MAX_OUT = 1024 };

typedef struct recording {
    struct recording *next;
    vn__kept kept;
    int32_t *parameter; /* of an input of the program: which of the function's it is, or -1: it has the value it had */
    vn__engine *engine;
    uint32_t precision; /* of float32 products */
    vn_dtype autocast;
    bool gradients; /* were taken around the call */
    bool reached;   /* gradients must reach an array from outside: it is recorded as usual at every call */
    int n, n_out;
    vn_desc *out; /* of the results */
    int64_t *signature;
    size_t words;
    int64_t memory[]; /* signature, then the results' dims */
} recording;

typedef struct {
    vn__fn_head head;
    vn_many_fn fn;
    void *user;
    int n_out;            /* 0: as many as fn fills */
    pthread_mutex_t lock; /* protects the list; its recordings do not change */
    recording *first;
    _Atomic int n_recordings;
} body;

static void free_recording(recording *r)
{
    vn__kept_free(&r->kept);
    vn__free(r->parameter);
    vn__free(r->out);
    vn__free(r);
}

static void release(void *memory)
{
    body *b = memory;
    while (b->first) {
        recording *r = b->first;
        b->first = r->next;
        free_recording(r);
    }
    pthread_mutex_destroy(&b->lock);
    vn__free(b);
}

/* ---- signatures: dtype and rank of an input in one word, then its dims ---- */

static size_t signature_words(int n, vn__node *const *in)
{
    size_t words = (size_t)n;
    for (int k = 0; k < n; k++) words += in[k]->rank;
    return words;
}

static void write_signature(int n, vn__node *const *in, int64_t *w)
{
    for (int k = 0; k < n; k++) {
        *w++ = in[k]->dtype | in[k]->rank << 8;
        for (int d = 0; d < in[k]->rank; d++) *w++ = vn__node_dims(in[k])[d];
    }
}

static bool fits(const recording *r, const vn__state *s, int n, vn__node *const *in)
{
    if (r->n != n || (n && r->engine != in[0]->engine) || r->precision != vn__precision_on(r->engine, s->precision) ||
        r->autocast != s->autocast)
        return false;
    if (r->gradients != vn_takes_gradients()) return false;
    const int64_t *w = r->signature;
    for (int k = 0; k < n; k++) {
        if (*w++ != (in[k]->dtype | in[k]->rank << 8)) return false;
        for (int d = 0; d < in[k]->rank; d++) {
            if (*w++ != vn__node_dims(in[k])[d]) return false;
        }
    }
    return true;
}

static recording *find(body *b, const vn__state *s, int n, vn__node *const *in)
{
    pthread_mutex_lock(&b->lock);
    recording *r = b->first;
    while (r && !fits(r, s, n, in)) r = r->next;
    pthread_mutex_unlock(&b->lock);
    return r;
}

/* ---- recording ---- */

/* How many results a function whose number is not fixed has filled; the first at least counts, and is found to be empty. */
static int filled(int room, vn_array *const *out)
{
    int n = room;
    while (n > 1 && !out[n - 1]) n--;
    return n;
}

/* Calls the user's function, which has room for n_out results, and checks them: *found is their number. They belong to the caller's scope. */
static int call_user(const body *b, int n, vn_array *const *in, int n_out, vn_array **out, int *found)
{
    vn__call c;
    if (!vn__call_begin(&c, n, in)) return vn_status();
    for (int k = 0; k < n_out; k++) out[k] = NULL;
    int returned = b->fn(n, in, n_out, out, b->user), code = vn__call_check(&c, "capture");
    if (!code && returned) code = vn__fail(VN_E_CALLBACK, "capture: the callback returned %d", returned);
    const int results = *found = b->n_out ? n_out : filled(n_out, out);
    for (int k = 0; k < results && !code; k++) {
        if (!out[k]) code = vn__fail(VN_E_CALLBACK, "capture: the callback left result %d empty", k);
        else if (!vn__check(out[k], VN__ARRAY, "capture", "a result")) code = vn_status();
    }
    for (int k = 0; k < results && !code; k++) vn__object_retain(&out[k]->object);
    vn__call_end(&c);
    for (int k = 0; k < results && !code; k++) {
        if (!vn__scope_add(c.state, &out[k]->object)) code = vn__no_memory("capture"); /* out of memory: the reference is leaked */
    }
    return code;
}

/* A value without a buffer, which stands for one that is known at the call. */
static vn__value *unknown(vn__engine *e)
{
    vn__value *v = vn__small_alloc(sizeof *v);
    if (v) *v = (vn__value){.refs = 1, .engine = e, .borrowed = true, .unknown = true};
    return v;
}

/* Arrays that stand for the inputs. */
static int make_unknown(vn__engine *e, int n, vn__node *const *in, vn__value **values, vn_array **handles)
{
    for (int k = 0; k < n; k++) {
        values[k] = unknown(e);
        vn__node *node = NULL;
        if (values[k]) {
            vn__value_retain(values[k]); /* our reference; the leaf has the other */
            node = vn__leaf(e, in[k]->dtype, in[k]->rank, vn__node_dims(in[k]), values[k]);
        }
        if (!node) return vn__no_memory("capture");
        if (!(handles[k] = vn__handle(node, "capture"))) return vn_status();
    }
    return VN_OK;
}

static recording *new_recording(int n, vn__node *const *in, int n_out, vn__node *const *targets)
{
    size_t words = signature_words(n, in), dims = 0;
    for (int k = 0; k < n_out; k++) dims += targets[k]->rank;
    recording *r = vn__calloc(sizeof *r + (words + dims) * sizeof *r->memory);
    if (r) r->out = vn__calloc(((size_t)n_out + 1) * sizeof *r->out);
    if (!r || !r->out) {
        vn__free(r);
        return vn__no_memory("capture"), NULL;
    }
    r->n = n;
    r->n_out = n_out;
    r->signature = r->memory;
    r->words = words;
    write_signature(n, in, r->signature);
    int64_t *d = r->memory + words;
    for (int k = 0; k < n_out; k++) {
        vn__desc_of(targets[k], &r->out[k]);
        memcpy(d, r->out[k].dims, (size_t)r->out[k].rank * sizeof *d);
        r->out[k].dims = d;
        d += r->out[k].rank;
    }
    return r;
}

/* Compiles what was recorded, and notes which input of the program is which of the n values. */
static int compile(recording *r, vn__node *const *targets, int n, vn__value *const *values)
{
    int code = vn__keep_program(r->engine, r->n_out, targets, &r->kept, "capture");
    if (code) return code;
    r->parameter = vn__alloc((r->kept.n_inputs + 1) * sizeof *r->parameter);
    if (!r->parameter) return vn__no_memory("capture");
    for (uint32_t k = 0; k < r->kept.n_inputs; k++) {
        int p = n - 1;
        while (p >= 0 && values[p] != r->kept.inputs[k]) p--;
        r->parameter[k] = p;
        if (p < 0 && r->kept.inputs[k]->unknown)
            return vn__fail(VN_E_ARG, "capture: the function uses an array of another captured function, which has no value outside it");
    }
    return VN_OK;
}

/* The same while the function is recorded; it may close the library. */
static int call_recorded(const body *b, int n, vn_array *const *in, int n_out, vn_array **out, int *found)
{
    vn__peek()->capturing++;
    int code = call_user(b, n, in, n_out, out, found);
    if (vn__peek() && vn__peek()->capturing) vn__peek()->capturing--;
    return code;
}

static recording *record(body *b, vn__engine *e, int n, vn__node *const *in, int room)
{
    VN_SCOPE;
    int n_out = 0;
    size_t most = (size_t)vn__max(n, room) + 1;
    vn__value **values = vn__calloc(most * sizeof *values);
    vn_array **handles = vn__calloc(most * sizeof *handles), **out = vn__calloc(most * sizeof *out);
    vn__node **targets = vn__calloc(most * sizeof *targets);
    recording *r = NULL;
    int code = values && handles && out && targets ? make_unknown(e, n, in, values, handles) : vn__no_memory("capture");
    if (!code) code = call_recorded(b, n, handles, room, out, &n_out);
    for (int k = 0; k < n_out && !code; k++) {
        targets[k] = vn__node_of(out[k]);
        if (targets[k]->engine != e && targets[k]->op != VN__NODE_SCALAR)
            code = vn__fail(VN_E_ENGINE, "capture: result %d is on %s, the inputs are on %s", k, targets[k]->engine->name, e->name);
    }
    if (!code && (r = new_recording(n, in, n_out, targets))) {
        r->engine = e;
        r->precision = vn__precision_on(e, vn__peek()->precision);
        r->autocast = vn__peek()->autocast;
        r->gradients = vn_takes_gradients();
        for (int k = 0; k < n_out; k++) /* the inputs' stand-ins have no history */
            r->reached = r->reached || (r->gradients && targets[k]->flags & VN__HISTORY);
        if (compile(r, targets, n, values)) free_recording(r), r = NULL;
    }
    for (int k = 0; values && k < n; k++) vn__value_release(values[k]);
    vn__free(values), vn__free(handles), vn__free(out), vn__free(targets);
    return r;
}

/* Another thread may have recorded the same signature meanwhile; then there are two, and the first one found is used. */
static void add(body *b, recording *r)
{
    pthread_mutex_lock(&b->lock);
    recording **end = &b->first;
    while (*end) end = &(*end)->next;
    *end = r;
    b->n_recordings++;
    pthread_mutex_unlock(&b->lock);
}

/* ---- calling ---- */

/* What an input of the program is in a call. */
static const vn__value *value_of(const recording *r, uint32_t input, vn__node *const *in)
{
    return r->parameter[input] < 0 ? r->kept.inputs[input] : in[r->parameter[input]]->value;
}

/* The function's results, from the program's inputs and outputs: one reference each. Consumes the outputs. */
static void collect(const recording *r, vn__node *const *nodes, vn_buf *const *in, vn_buf *const *outputs, vn_buf **out)
{
    const vn__kept *p = &r->kept;
    for (int k = 0; k < r->n_out; k++) {
        const int32_t from = p->sources[k];
        out[k] = from < 0 ? in[~from] : outputs[from];
        vn__buf_retain(from < 0 ? value_of(r, (uint32_t)~from, nodes)->engine : r->engine, out[k]);
    }
    for (uint32_t k = 0; k < p->n_out; k++) vn__buf_release(r->engine, outputs[k]);
}

/* Runs the program; one new reference per result. The caller's handles keep the inputs alive. */
static int execute(const recording *r, vn__node *const *nodes, vn_buf **out)
{
    VN__FLOATS;
    const vn__kept *p = &r->kept;
    vn_buf *few_in[32], *few_out[32], **in = p->n_inputs > 32 ? vn__alloc(p->n_inputs * sizeof *in) : few_in;
    vn_buf **outputs = p->in_order ? out : p->n_out > 32 ? vn__alloc(p->n_out * sizeof *outputs) : few_out;
    int code = in && outputs ? VN_OK : vn__no_memory("capture");
    for (uint32_t k = 0; k < p->n_inputs && !code; k++) in[k] = value_of(r, k, nodes)->buf;
    if (!code && p->program) code = vn__compiled_run(p->program, in, outputs);
    if (!code && !p->in_order) collect(r, nodes, in, outputs, out);
    if (in != few_in) vn__free(in);
    if (outputs != few_out && outputs != out) vn__free(outputs);
    return code;
}

static int run(const recording *r, vn__node *const *in, vn_array **out)
{
    const int n_out = r->n_out;
    vn_buf *few_bufs[32], **bufs = n_out > 32 ? vn__alloc((size_t)n_out * sizeof *bufs) : few_bufs;
    if (!bufs) return vn__no_memory("capture");
    const vn__moment t = vn__trace_begin();
    int code = execute(r, in, bufs);
    vn__trace_end(t, (vn_profile_event){.what = "call", .engine = r->engine->name});
    for (int k = 0; k < n_out && !code; k++) {
        const vn_desc *d = &r->out[k];
        vn__value *v = vn__value_new(r->engine, bufs[k]);
        vn__node *node = v ? vn__leaf(r->engine, d->dtype, d->rank, d->dims, v) : NULL;
        out[k] = node ? vn__handle(node, "capture") : (vn__no_memory("capture"), NULL);
        if (out[k]) continue;
        while (++k < n_out) vn__buf_release(r->engine, bufs[k]);
        code = vn_status();
    }
    if (bufs != few_bufs) vn__free(bufs);
    return code;
}

/* Checks the inputs and evaluates them; *direct: the call must be recorded as usual. */
static int look_at(vn__state *s, int n, vn_array *const *in, vn__node **nodes, vn__engine **e, bool *direct)
{
    bool pending = false, history = false, unknown = false;
    *e = NULL;
    for (int k = 0; k < n; k++) {
        if (!vn__check(in[k], VN__ARRAY, "fn_call", "an input")) return vn_status();
        nodes[k] = vn__node_of(in[k]);
        history |= (nodes[k]->flags & VN__HISTORY) != 0;
        pending |= vn__node_state_of(nodes[k]) != VN__READY;
        unknown |= !pending && nodes[k]->value->unknown;
        if (*e && nodes[k]->engine != *e)
            return vn__fail(VN_E_ENGINE, "fn_call: an input is on %s, another on %s; move one with vn_to", (*e)->name,
                            nodes[k]->engine->name);
        *e = nodes[k]->engine;
    }
    if (!*e && !(*e = vn__engine_in_use(s))) return vn_status();
    int code = vn__engine_usable(*e, "fn_call");
    /* inside another capture it becomes part of its recording */
    *direct = (history && vn__grad_mode(s)) || unknown || s->capturing || s->check_positions || vn__seek;
    return !code && pending && !*direct ? vn__evaluate(n, nodes, 0, NULL) : code;
}

static int call_captured(vn_fn *f, int n, vn_array *const *in, int n_out, vn_array **out)
{
    vn__state *s = vn__enter();
    body *b = f->object.body;
    if (!s) return VN_E_MEM;
    if (n < 0 || n > MAX_IN || (n && !in)) return vn__fail(VN_E_ARG, "fn_call: %d inputs, 0 to %d are allowed", n, MAX_IN);
    if ((b->n_out ? n_out != b->n_out : n_out < 1 || n_out > MAX_OUT) || !out)
        return vn__fail(VN_E_ARG, "fn_call: room for %d results, the function has %d%s", out ? n_out : 0, b->n_out ? b->n_out : MAX_OUT,
                        b->n_out ? "" : " at most");
    vn__node *few[32], **nodes = n > 32 ? vn__alloc((size_t)n * sizeof *nodes) : few;
    if (!nodes) return vn__no_memory("fn_call");
    vn__engine *e = NULL;
    bool direct = false;
    recording *r = NULL;
    int found = 0;
    out[0] = NULL;
    int code = look_at(s, n, in, nodes, &e, &direct);
    if (!code && !direct && !(r = find(b, s, n, nodes))) {
        if (b->n_recordings >= MAX_RECORDINGS) direct = true; /* too many signatures: recorded as usual */
        else if ((r = record(b, e, n, nodes, n_out))) add(b, r);
        else code = vn_status();
    }
    if (!code && !direct && !r->reached) {
        found = r->n_out;
        code = found <= n_out ? run(r, nodes, out) : vn__fail(VN_E_ARG, "fn_call: room for %d results, the function has %d", n_out, found);
    } else if (!code) code = call_user(b, n, in, n_out, out, &found);
    if (nodes != few) vn__free(nodes);
    for (int k = 0; k < n_out && code; k++) out[k] = NULL;
    if (!code && found < n_out) out[found] = NULL;
    return code;
}

static vn_array *call_one(vn_fn *f, vn_array *x)
{
    vn_array *y = NULL;
    return call_captured(f, 1, &x, 1, &y) ? NULL : y;
}

vn_fn *vn_capture(vn_many_fn fn, int n_out, void *user)
{
    if (!fn) return vn__fail(VN_E_NULL, "capture: fn is NULL"), NULL;
    if (n_out < 0 || n_out > MAX_OUT)
        return vn__fail(VN_E_ARG, "capture: %d results, 1 to %d are allowed, or 0 for as many as fn fills", n_out, MAX_OUT), NULL;
    body *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory("capture"), NULL;
    b->head = (vn__fn_head){release, call_one};
    b->fn = fn;
    b->user = user;
    b->n_out = n_out;
    pthread_mutex_init(&b->lock, NULL);
    vn_fn *f = (vn_fn *)vn__object_new(VN__FN, b, "capture");
    if (!f) release(b);
    return f;
}

int vn_fn_call_many(vn_fn *f, int n, vn_array *const *in, int n_out, vn_array **out)
{
    if (!vn__check(f, VN__FN, "fn_call", "f")) return vn_status();
    if (((vn__fn_head *)f->object.body)->release == release) return call_captured(f, n, in, n_out, out);
    if (n != 1 || n_out != 1 || !in || !out) return vn__fail(VN_E_ARG, "fn_call: this function takes one array and gives one");
    out[0] = vn_fn_call(f, in[0]);
    return out[0] ? VN_OK : (int)vn_status();
}
