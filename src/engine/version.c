/* SPDX-License-Identifier: Apache-2.0 */
/* version.c: compares a framework's version with the manifest. A version that is too old is an error; with one newer than any tested, every
 * op is tried first: a sample call (sample.c) on the engine is compared with the native engine's result, and an op that
 * fails falls back to native. */
#include "engine/plugins.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include <string.h>
#include <math.h>
#include <stdlib.h>

/* ---- numbers with dots ---- */

/* Negative, 0 or positive if a is older than, the same as or newer than b: "2.9" < "2.15.0" == "2.15". Letters end a version. */
static int compare_versions(const char *a, const char *b)
{
    while (*a || *b) {
        char *a_end = (char *)(uintptr_t)a, *b_end = (char *)(uintptr_t)b;
        unsigned long x = strtoul(a, &a_end, 10), y = strtoul(b, &b_end, 10);
        if (x != y) return x < y ? -1 : 1;
        a = *a_end == '.' && a_end > a ? a_end + 1 : "";
        b = *b_end == '.' && b_end > b ? b_end + 1 : "";
    }
    return 0;
}

/* ---- one try ---- */

/* The sample as a program of one instruction. */
typedef struct {
    vn_desc values[VN__MAX_IN + VN__MAX_OUT];
    int32_t in[VN__MAX_IN], out[VN__MAX_OUT];
    uint8_t donated[VN__MAX_IN];
    vn_option options[VN__MAX_OPTIONS];
    uint8_t used[VN__MAX_IN + VN__MAX_OUT];
    vn_instr instr;
    const vn_instr *instrs[1];
    vn_program program;
} trial;

static void write_program(trial *t, const vn__engine *e, const vn__node *made, vn_array *const *results)
{
    const vn__op *op = &vn__ops[made->op];
    const int n = made->n_in, n_out = (int)vn__node_results(made);
    for (int k = 0; k < n; k++) {
        vn__desc_of(vn__node_in(made)[k], &t->values[k]);
        t->in[k] = k;
    }
    for (int k = 0; k < n_out; k++) {
        vn__desc_of(vn__node_of(results[k]), &t->values[n + k]);
        t->out[k] = n + k;
    }
    vn_option all[VN__MAX_OPTIONS];
    vn__decode_options(op, vn__node_words(made), all);
    t->instr = (vn_instr){.op = op->info.name,
                          .row = e->rows[made->op],
                          .options = t->options,
                          .in = t->in,
                          .n_options = vn__row_options(e, made->op, all, t->options),
                          .n_in = n,
                          .out = n,
                          .n_out = n_out,
                          .n_list = vn__list_length(op, n)};
    t->instrs[0] = &t->instr;
    memset(t->used, 1, sizeof t->used);
    t->program = (vn_program){.size = sizeof t->program,
                              .n_inputs = n,
                              .n_instrs = 1,
                              .n_values = n + n_out,
                              .n_outputs = n_out,
                              .values = t->values,
                              .instrs = t->instrs,
                              .outputs = t->out,
                              .donated = t->donated,
                              .used = t->used};
}

static int execute(const vn__engine *e, const vn_program *p, vn_buf *const *in, vn_buf **out)
{
    if (!e->api.compile) {
        vn__runs *r = vn__runs_new(e, p);
        int code = r ? vn__interpret(r, in, out, NULL) : vn__no_memory("probe");
        if (r) vn__runs_free(r);
        return code;
    }
    vn_exe *exe = NULL;
    int code = e->api.compile(e->context, p, &exe);
    if (code) return code;
    code = vn__execute(e, exe, in, out, NULL);
    e->api.discard(e->context, exe);
    return code;
}

/* Equal to about three digits, as half precision gives. */
static bool alike(const void *a, const void *b, const vn_desc *d)
{
    for (int64_t i = 0; i < d->count; i++) {
        for (int part = 0; part < (vn__is(d->dtype, VN_COMPLEX) ? 2 : 1); part++) {
            double x = vn__get_part(a, i, d->dtype, part), y = vn__get_part(b, i, d->dtype, part);
            bool both_nan = isnan(x) && isnan(y);
            if (!both_nan && x != y && !(fabs(x - y) <= 1e-3 * fmax(1, fmax(fabs(x), fabs(y))))) return false;
        }
    }
    return true;
}

/* Compares a result of the engine with native's. */
static int compare(const vn__engine *e, vn_buf *got, vn__node *expecting)
{
    vn_desc d;
    const void *expected = NULL, *data = NULL;
    int code = vn__evaluate(1, &expecting, 0, NULL);
    vn__desc_of(expecting, &d);
    if (!code) code = vn__to_host(vn__engine_default(), expecting->value->buf, &d, &expected, "open");
    if (!code) code = vn__to_host(e, got, &d, &data, "open");
    if (code || alike(expected, data, &d)) return code;
    return vn__fail(VN_E_ENGINE, "the result is wrong");
}

static int try(vn__engine *e, vn__node *made, vn_array *const *results)
{
    trial t = {0};
    vn_buf *in[VN__MAX_IN] = {NULL}, *out[VN__MAX_OUT] = {NULL};
    int code = VN_OK, n_out = (int)vn__node_results(made);
    write_program(&t, e, made, results);
    for (int k = 0; k < made->n_in && !code; k++) {
        vn__node *x = vn__node_in(made)[k];
        code = vn__settle(x);
        if (!code) code = vn__transfer(vn__engine_default(), x->value->buf, &t.values[k], e, &in[k]);
    }
    if (!code) code = execute(e, &t.program, in, out);
    for (int k = 0; k < n_out && !code; k++) code = compare(e, out[k], vn__node_of(results[k]));
    for (int k = 0; k < n_out; k++) {
        if (out[k]) vn__buf_release(e, out[k]);
    }
    for (int k = 0; k < VN__MAX_IN; k++) {
        if (in[k]) vn__buf_release(e, in[k]);
    }
    return code;
}

/* ---- all of them ---- */

/* A sample call of the op that this engine computes itself; NULL if there is none, or with VN_E_MEM. */
static vn__node *sample_for(const vn__engine *e, int op, vn_array **results)
{
    static const vn_dtype likely[] = {VN_F32, VN_I32, VN_BOOL, VN_C64, VN_F64, VN_I64};
    for (size_t k = 0; k < sizeof likely / sizeof *likely; k++) {
        vn__node *made = vn__sample(vn__engine_default(), op, likely[k], results);
        if (made && vn__engine_has(e, op, vn__node_dtypes(made))) return made;
        if (vn_status() == VN_E_MEM) return NULL;
        vn_clear();
    }
    return NULL;
}

static int probe(vn__engine *e)
{
    e->left_out = 0;
    for (int op = 0; op < vn__op_count; op++) {
        if (!e->rows[op]) continue;
        VN_SCOPE;
        int code = vn_error_push();
        if (code) return code;
        vn_array *results[VN__MAX_OUT];
        vn__node *made = sample_for(e, op, results);
        code = made ? try(e, made, results) : (int)vn_status();
        const bool no_memory = code == VN_E_MEM; /* which says nothing of the op: it is neither fine nor left out */
        if (code && !no_memory) {
            vn__log("%s %s: %s failed its sample call and falls back to the native kernel: %s", e->name, e->api.version(e->context),
                    vn__ops[op].info.name, vn_message());
            e->rows[op] = NULL;
            e->left_out++;
        }
        vn_error_pop();
        if (no_memory) return vn__no_memory(e->name);
    }
    return VN_OK;
}

int vn__engine_version_check(vn__engine *e)
{
    const char *version = e->api.version(e->context);
    if (e->plugin->oldest && compare_versions(version, e->plugin->oldest) < 0)
        return vn__fail(VN_E_ENGINE, "%s: version %s is in %s, %s or newer is needed", e->name, version, e->api.where(e->context),
                        e->plugin->oldest);
    e->probed = e->plugin->tested && compare_versions(version, e->plugin->tested) > 0;
    if (!e->probed) return VN_OK;
    vn__log("%s %s is newer than %s, the newest that was tested: every op is tried first", e->name, version, e->plugin->tested);
    return probe(e);
}
