/* SPDX-License-Identifier: Apache-2.0 */
/* finite.c: VINEA_CHECK=nan and VINEA_CHECK=finite: finds the op that makes the first NaN or infinity. Before a program runs, its
 * instructions run one by one, each as a program of its own on the same engine, and their results are read. So the search works on every
 * engine, and the program itself then runs as always, with the results it has without the search.
 *
 * An op is reported if it makes NaN of inputs without NaN, or infinity of finite inputs. What flows on from there, or was in the data
 * from the start, is not; neither are results that an op keeps for its backward pass, nor what other ops read outside on purpose. */
#include "core/memory.h"
#include "core/dtype.h"
#include "core/place.h"
#include "core/text.h"
#include "program/program.h"
#include "engine/engine.h"
#include <math.h>

typedef struct {
    vn_desc d;
    vn_buf *buf;
    int32_t last; /* instruction after which it is released; -1: not used */
    bool looked, nan, infinite;
} value;

typedef struct {
    const vn__op *op;
    const uint64_t *begin, *arguments, *end; /* in the text */
    int32_t n_in, n_out, out;
} instruction;

typedef struct {
    vn__engine *engine;
    const uint64_t *text;
    int32_t n_inputs, n_instrs, n_values;
    value *values;
    instruction *instrs;
    uint64_t *words; /* of one instruction's program */
    vn_buf **in, **out;
} search;

/* ---- the program's text (program.c documents it) ---- */

/* Reads all instructions; values know their last use. Returns the most words, inputs and results that a program of one has. */
static size_t read_text(search *s)
{
    const uint64_t *w = s->text + VN__COUNTS;
    size_t most = 0;
    int32_t v = 0;
    while (v < s->n_inputs) {
        s->values[v].last = -1;
        w = vn__read_desc(w, &s->values[v++].d);
    }
    for (int32_t k = 0; k < s->n_instrs; k++) {
        instruction *i = &s->instrs[k];
        *i = (instruction){
            .op = &vn__ops[vn__op_of_hash(w[0])], .begin = w, .n_in = vn__op_arguments(w[1]), .n_out = vn__op_results(w[1]), .out = v};
        const size_t n_words = w[1] & 0xffff;
        w += 2;
        for (int32_t r = 0; r < i->n_out; r++, v++) {
            s->values[v].last = *w >> 16 ? k : -1; /* an output of the program */
            w = vn__read_desc(w, &s->values[v].d);
        }
        i->arguments = w;
        size_t size = VN__COUNTS;
        for (int32_t a = 0; a < i->n_in; a++) {
            s->values[w[a]].last = k;
            size += 1 + (size_t)s->values[w[a]].d.rank;
        }
        i->end = w += (size_t)i->n_in + n_words;
        size += (size_t)(i->end - i->begin);
        if (size > most) most = size;
    }
    return most;
}

/* The text of one instruction as a program; returns its length. */
static size_t write_text(const search *s, const instruction *i)
{
    uint64_t *w = s->words, outputs = 0;
    const uint64_t *from = i->begin + 2;
    w += VN__COUNTS;
    for (int32_t a = 0; a < i->n_in; a++) {
        const vn_desc *d = &s->values[i->arguments[a]].d;
        *w++ = (uint64_t)d->dtype | (uint64_t)d->rank << 8;
        for (int k = 0; k < d->rank; k++) *w++ = (uint64_t)d->dims[k];
    }
    *w++ = i->begin[0];
    *w++ = i->begin[1];
    for (int32_t r = 0; r < i->n_out; r++) {
        const uint64_t rank = *from >> 8 & 255, used = s->values[i->out + r].last >= 0;
        *w++ = (*from++ & 0xffff) | (used ? ++outputs << 16 : 0);
        for (uint64_t k = 0; k < rank; k++) *w++ = *from++;
    }
    for (int32_t a = 0; a < i->n_in; a++) *w++ = (uint64_t)a;
    for (from = i->arguments + i->n_in; from < i->end;) *w++ = *from++;
    const uint64_t counts[VN__COUNTS] = {(uint64_t)i->n_in, 1, (uint64_t)i->n_out, outputs, s->text[VN__COUNTS - 1]};
    memcpy(s->words, counts, sizeof counts);
    return (size_t)(w - s->words);
}

/* ---- looking at values ---- */

/* All exponents are below the one of NaN and infinity: one comparison for each number. */
static bool all_finite(const void *data, int64_t n, int dtype)
{
    bool bad = false;
    const uint16_t half = dtype == VN_F16 ? 0x7c00 : 0x7f80;
    if (dtype == VN_F32) {
        for (int64_t k = 0; k < n; k++) bad |= (((const uint32_t *)data)[k] & UINT32_C(0x7f800000)) == UINT32_C(0x7f800000);
    } else if (dtype == VN_F64) {
        for (int64_t k = 0; k < n; k++) bad |= (((const uint64_t *)data)[k] & UINT64_C(0x7ff0000000000000)) == UINT64_C(0x7ff0000000000000);
    } else {
        for (int64_t k = 0; k < n; k++) bad |= (((const uint16_t *)data)[k] & half) == half;
    }
    return !bad;
}

static int64_t parts_of(const vn_desc *d)
{
    return vn__is(d->dtype, VN_COMPLEX) ? 2 : 1;
}

static int look(const search *s, value *v)
{
    const void *data = NULL;
    if (v->looked || !vn__is(v->d.dtype, VN_INEXACT) || !v->buf) return VN_OK;
    const int code = vn__to_host(s->engine, v->buf, &v->d, &data, "check");
    if (code) return vn__engine_failed(s->engine, code, "check", "could not give its data");
    v->looked = true;
    if (all_finite(data, v->d.count * parts_of(&v->d), vn__part_dtype(v->d.dtype))) return VN_OK;
    for (int64_t k = 0; k < v->d.count * parts_of(&v->d); k++) {
        const double x = vn__get_double(data, k, vn__part_dtype(v->d.dtype));
        v->nan |= isnan(x);
        v->infinite |= isinf(x) != 0;
    }
    return VN_OK;
}

/* ---- the report ---- */

/* " (float32 2x3) is finite, 0 to 1.5", " (float32 2x3) has 2 NaN and 1 infinity: first inf at [0, 1]". */
static void describe(const search *s, value *v, vn__text *t)
{
    const vn_desc *d = &v->d;
    const void *data = NULL;
    char shape[128], place[256];
    vn__print(t, " (%s %s)", vn_dtype_name((vn_dtype)d->dtype), vn__shape_text(d->rank, d->dims, shape));
    if (vn__is(d->dtype, VN_BIT(VN_BOOL)) || !d->count || vn__to_host(s->engine, v->buf, d, &data, "check")) return;
    int64_t nans = 0, infinities = 0, first = -1;
    double low = INFINITY, high = -INFINITY, wrong = 0;
    for (int64_t k = 0; k < d->count * parts_of(d); k++) {
        const double x = vn__get_double(data, k, vn__part_dtype(d->dtype));
        nans += isnan(x);
        infinities += isinf(x) != 0;
        low = fmin(low, x);
        high = fmax(high, x);
        if (isfinite(x) || first >= 0) continue;
        first = k / parts_of(d);
        wrong = x;
    }
    if (first < 0) {
        vn__print(t, vn__is(d->dtype, VN_INEXACT) ? " is finite, %.6g to %.6g" : ": %.6g to %.6g", low, high);
        return;
    }
    vn__print(t, " has ");
    if (nans) vn__print(t, "%lld NaN%s", (long long)nans, infinities ? " and " : "");
    if (infinities) vn__print(t, "%lld %s", (long long)infinities, infinities == 1 ? "infinity" : "infinities");
    vn__print(t, ": %s%s%s%s", nans + infinities > 1 ? "first " : "",
              isnan(wrong) ? "nan"
              : wrong < 0  ? "-inf"
                           : "inf",
              d->rank ? " at " : "", vn__index_text(d->rank, d->dims, first, place));
}

/* The name of input or result k: "x", or "ws[2]" in a list. */
static void print_name(vn__text *t, const char *const *names, int m, uint8_t lists, int length, int k)
{
    const int at = vn__column(lists, m, length, &k);
    vn__print(t, lists >> at & 1 ? "%s[%d]" : "%s", names[at], k);
}

/* "log makes the first infinity: its result ...; x ... (torch, op 2 of 7, in module encoder, at ...)". */
static int report(search *s, const instruction *i, int32_t result, const vn__place *place, int32_t number)
{
    const vn__op_facts *info = &i->op->info;
    const int length = vn__list_length(i->op, i->n_in);
    char calls[400];
    vn__text t = {0};
    value *z = &s->values[i->out + result];
    vn__print(&t, "%s: makes the first %s: ", info->name, z->nan ? "NaN" : "infinity");
    if (i->op->out_lists || info->n_outputs > 1) print_name(&t, info->outputs, info->n_outputs, i->op->out_lists, length, result);
    else vn__print(&t, "its result");
    describe(s, z, &t);
    for (int32_t a = 0; a < i->n_in && a < 6; a++) {
        vn__print(&t, "; ");
        print_name(&t, info->inputs, info->n_inputs, i->op->in_lists, length, a);
        describe(s, &s->values[i->arguments[a]], &t);
    }
    if (i->n_in > 6) vn__print(&t, "; and %d more", i->n_in - 6);
    vn__print(&t, " (%s, op %d of %d evaluated together", s->engine->name, number + 1, s->n_instrs);
    if (*vn__place_path(place)) vn__print(&t, ", in %s", vn__place_path(place));
    vn__place_calls(place, calls, sizeof calls);
    if (*calls) vn__print(&t, ", called at %s", calls);
    vn__print(&t, ")");
    const char *words = vn__text_finish(&t);
    const int code = words ? vn__fail(VN_E_NOT_FINITE, "%s", words) : vn_status();
    vn__free(t.text);
    return code;
}

/* ---- running ---- */

static bool takes_positions(const vn__op *op)
{
    bool any = false;
    for (int k = 0; k < op->info.n_inputs; k++) any |= op->info.input_dtypes[k] == VN_I64;
    return any;
}

/* Does the instruction make the first NaN, or infinity? The number of the result, or -1. */
static int first_result(search *s, const instruction *i, const vn__place *place, int *code)
{
    bool nan = false, infinite = false, looked = false;
    if (vn__place_inside(place) && takes_positions(i->op)) return -1; /* ops/positions.c leaves these alone too */
    for (int32_t r = 0; r < (i->op->out_lists ? i->n_out : i->op->info.n_outputs); r++) {
        value *z = &s->values[i->out + r];
        if ((*code = look(s, z))) return -1;
        if (!z->nan && !(z->infinite && vn__seek == VN__SEEK_NOT_FINITE)) continue;
        for (int32_t a = 0; a < i->n_in && !looked; a++) {
            value *x = &s->values[i->arguments[a]];
            if ((*code = look(s, x))) return -1;
            nan |= x->nan;
            infinite |= x->infinite;
        }
        looked = true;
        if (z->nan ? !nan : !nan && !infinite) return r;
    }
    return -1;
}

static void release(search *s, value *v)
{
    if (v->buf) vn__buf_release(s->engine, v->buf);
    v->buf = NULL;
}

static int run(search *s, int32_t k, const vn__place *place)
{
    const instruction *i = &s->instrs[k];
    int code = VN_OK, at = 0;
    for (int32_t a = 0; a < i->n_in; a++) s->in[a] = s->values[i->arguments[a]].buf;
    vn__compiled *c = vn__cache_get(s->engine, s->words, write_text(s, i), &code);
    if (!c) return code;
    code = vn__compiled_run(c, s->in, s->out);
    vn__cache_put(c);
    if (code) return code;
    for (int32_t r = 0; r < i->n_out; r++) {
        value *z = &s->values[i->out + r];
        if (z->last >= 0) z->buf = s->out[at++];
    }
    const int result = first_result(s, i, place, &code);
    if (result >= 0) code = report(s, i, result, place, k);
    for (int32_t a = 0; a < i->n_in; a++) {
        value *x = &s->values[i->arguments[a]];
        if (i->arguments[a] >= (uint64_t)s->n_inputs && x->last == k) release(s, x);
    }
    return code;
}

int vn__seek_in(vn__engine *e, const uint64_t *text, vn_buf *const *in, vn__place *const *places)
{
    search s = {.engine = e, .text = text, .n_inputs = (int32_t)text[0], .n_instrs = (int32_t)text[1]};
    s.n_values = s.n_inputs + (int32_t)text[2];
    s.values = vn__calloc(((size_t)s.n_values + 1) * sizeof *s.values);
    s.instrs = vn__calloc(((size_t)s.n_instrs + 1) * sizeof *s.instrs);
    const size_t most = s.values && s.instrs ? read_text(&s) : 0; /* no instruction has more inputs or results than words */
    s.words = vn__calloc((most + 1) * sizeof *s.words);
    s.in = vn__calloc((most + 1) * sizeof(vn_buf *));
    s.out = vn__calloc((most + 1) * sizeof(vn_buf *));
    int code = most && s.words && s.in && s.out ? VN_OK : vn__no_memory("check");
    for (int32_t v = 0; v < s.n_inputs && !code; v++) s.values[v].buf = in[v];
    for (int32_t k = 0; k < s.n_instrs && !code; k++) code = run(&s, k, places[k]);
    for (int32_t v = s.n_inputs; s.values && v < s.n_values; v++) release(&s, &s.values[v]);
    vn__free(s.values), vn__free(s.instrs), vn__free(s.words), vn__free(s.in), vn__free(s.out);
    return code;
}
