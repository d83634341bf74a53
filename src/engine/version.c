/* version.c: an engine's framework against what its manifest says: older than it may be is an error; newer than any that was tested means
 * that every op is tried before it is trusted. A try is a small call (sample.c) on the engine, held against the native engine's result; an
 * op that fails it loses its row, and native computes it. */
#include "core/internal.h"
#include <math.h>
#include <stdlib.h>

/* ---- numbers with dots ---- */

/* Below, equal to or above 0 as a is older than, as old as or newer than b: "2.9" < "2.15.0" == "2.15". Letters end a version. */
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
    vn_desc values[VN__MAX_IN + 1];
    int32_t in[VN__MAX_IN], out;
    uint8_t donated[VN__MAX_IN];
    vn_option options[VN__MAX_OPTIONS];
    vn_instr instr;
    vn_program program;
} trial;

static void write_program(trial *t, const vn__engine *e, const vn__node *made)
{
    const vn__op *op = &vn__ops[made->op];
    const int n = made->n_in;
    for (int k = 0; k < n; k++) {
        vn__desc_of(vn__node_in(made)[k], &t->values[k]);
        t->in[k] = k;
    }
    vn__desc_of(made, &t->values[n]);
    t->out = n;
    vn__decode_options(op, vn__node_words(made), t->options);
    t->instr = (vn_instr){.op = op->info.name,
                          .row = e->rows[made->op],
                          .options = t->options,
                          .in = t->in,
                          .n_options = op->info.n_options,
                          .n_in = n,
                          .out = n,
                          .n_out = 1};
    t->program = (vn_program){.size = sizeof t->program,
                              .n_inputs = n,
                              .n_instrs = 1,
                              .n_values = n + 1,
                              .n_outputs = 1,
                              .values = t->values,
                              .instrs = &t->instr,
                              .outputs = &t->out,
                              .donated = t->donated};
}

static int execute(const vn__engine *e, const vn_program *p, vn_buf *const *in, vn_buf **out)
{
    if (!e->api.compile) {
        vn__runs *r = vn__runs_new(e, p);
        int code = r ? vn__interpret(r, in, out) : vn__no_memory("probe");
        if (r) vn__runs_free(r);
        return code;
    }
    vn_exe *exe = NULL;
    int code = e->api.compile(p, &exe);
    if (code) return code;
    code = e->api.execute(exe, in, out);
    e->api.discard(exe);
    return code;
}

/* Equal up to what halves of the digits are worth, of which frameworks of any version keep more. */
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

/* The result of the engine held against native's. */
static int judge(const vn__engine *e, vn_buf *got, vn__node *made)
{
    vn_desc d;
    const void *expected = NULL, *data = NULL;
    int code = vn__evaluate(1, &made, 0, NULL);
    vn__desc_of(made, &d);
    if (!code) code = vn__engine_default()->api.to_host(made->value->buf, &d, &expected);
    if (!code) code = e->api.to_host(got, &d, &data);
    if (code || alike(expected, data, &d)) return code;
    return vn__fail(VN_E_ENGINE, "the result is wrong");
}

static int try(vn__engine *e, vn__node *made)
{
    trial t = {0};
    vn_buf *in[VN__MAX_IN] = {NULL}, *out = NULL;
    int code = VN_OK;
    write_program(&t, e, made);
    for (int k = 0; k < made->n_in && !code; k++) {
        vn__node *x = vn__node_in(made)[k];
        code = vn__settle(x);
        if (!code) code = vn__transfer(vn__engine_default(), x->value->buf, &t.values[k], e, &in[k]);
    }
    if (!code) code = execute(e, &t.program, in, &out);
    if (!code) code = judge(e, out, made);
    if (out) vn__buf_release(e, out);
    for (int k = 0; k < VN__MAX_IN; k++) {
        if (in[k]) vn__buf_release(e, in[k]);
    }
    return code;
}

/* ---- all of them ---- */

/* A small call of the op that this engine would compute itself; NULL where there is none. */
static vn__node *sample_for(const vn__engine *e, int op)
{
    static const vn_dtype likely[] = {VN_F32, VN_I32, VN_BOOL, VN_C64, VN_F64, VN_I64};
    for (size_t k = 0; k < sizeof likely / sizeof *likely; k++) {
        vn_array *call = vn__sample(vn__engine_default(), op, likely[k]);
        vn__node *made = call ? vn__node_of(call) : NULL;
        if (made && vn__engine_has(e, op, vn__node_in(made)[0]->dtype, made->dtype)) return made;
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
        vn__node *made = sample_for(e, op);
        code = made ? try(e, made) : VN_OK;
        if (code) {
            vn__log("%s %s: %s failed its try and is left to the native kernel: %s", e->name, e->api.version(), vn__ops[op].info.name,
                    vn_message());
            e->rows[op] = NULL;
            e->left_out++;
        }
        vn_error_pop();
    }
    return VN_OK;
}

int vn__engine_version_check(vn__engine *e)
{
    const char *version = e->api.version();
    if (e->oldest && compare_versions(version, e->oldest) < 0)
        return vn__fail(VN_E_ENGINE, "%s: version %s is in %s, %s or newer is needed", e->name, version, e->api.where(), e->oldest);
    e->probed = e->tested && compare_versions(version, e->tested) > 0;
    if (!e->probed) return VN_OK;
    vn__log("%s %s is newer than %s, the newest that was tested: every op is tried first", e->name, version, e->tested);
    return probe(e);
}
