/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: runs a program on the library, through the public API: recorded and evaluated at once, op by op, or mixed, where
 * some values are evaluated early, and handles get new values and are dropped after their last use. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* ---- elements ---- */

static uint16_t half_bits(double v)
{
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    v = fabs(v);
    if (v != v) return 0x7e00;
    if (v > 65504) return (uint16_t)(sign | 0x7c00);
    if (v < 0x1p-14) return (uint16_t)(sign | (uint16_t)rint(v * 0x1p24));
    const int e = ilogb(v);
    return (uint16_t)(sign | (((e + 14) << 10) + (int)ldexp(v, 10 - e)));
}

static double half_value(uint16_t h)
{
    const int e = h >> 10 & 31, m = h & 1023;
    const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
    return h >> 15 ? -v : v;
}

void put_element(void *data, int64_t i, int dtype, double v)
{
    switch (dtype) {
    case VN_BOOL: ((uint8_t *)data)[i] = v != 0; break;
    case VN_I8: ((int8_t *)data)[i] = (int8_t)v; break;
    case VN_U8: ((uint8_t *)data)[i] = (uint8_t)v; break;
    case VN_I16: ((int16_t *)data)[i] = (int16_t)v; break;
    case VN_U16: ((uint16_t *)data)[i] = (uint16_t)v; break;
    case VN_I32: ((int32_t *)data)[i] = (int32_t)v; break;
    case VN_U32: ((uint32_t *)data)[i] = (uint32_t)v; break;
    case VN_I64: ((int64_t *)data)[i] = (int64_t)v; break;
    case VN_U64: ((uint64_t *)data)[i] = (uint64_t)v; break;
    case VN_F16: ((uint16_t *)data)[i] = half_bits(v); break;
    case VN_BF16: {
        const float f = (float)v;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
        break;
    }
    case VN_F32: ((float *)data)[i] = (float)v; break;
    default: ((double *)data)[i] = v;
    }
}

static inline double element(const void *data, int64_t i, int dtype)
{
    if (dtype == VN_F32) return (double)((const float *)data)[i];
    switch (dtype) {
    case VN_BOOL: return ((const uint8_t *)data)[i];
    case VN_I8: return ((const int8_t *)data)[i];
    case VN_U8: return ((const uint8_t *)data)[i];
    case VN_I16: return ((const int16_t *)data)[i];
    case VN_U16: return ((const uint16_t *)data)[i];
    case VN_I32: return ((const int32_t *)data)[i];
    case VN_U32: return ((const uint32_t *)data)[i];
    case VN_I64: return (double)((const int64_t *)data)[i];
    case VN_U64: return (double)((const uint64_t *)data)[i];
    case VN_F16: return half_value(((const uint16_t *)data)[i]);
    case VN_BF16: {
        const uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    default: return ((const double *)data)[i];
    }
}

double get_element(const void *data, int64_t i, int dtype)
{
    return element(data, i, dtype);
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    for (; n > 0; n--, p++) h = (h ^ *p) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

/* Memory that the library may read but not change. */
static uint64_t hash_inputs(const program *p, const inputs *in)
{
    uint64_t h = 1;
    for (int k = 0; k < p->n; k++)
        if (in->data[k] && p->steps[k].wrapped)
            h = hash_bytes(h, in->data[k], (size_t)p->steps[k].type.count * vn_dtype_size((vn_dtype)p->steps[k].type.dtype));
    return h;
}

bool inputs_make(const program *p, const machine *m, inputs *in)
{
    memset(in, 0, sizeof *in);
    for (int k = 0; k < p->n; k++) {
        const step *s = &p->steps[k];
        if (s->op || s->type.weak) continue;
        in->data[k] = malloc((size_t)s->type.count * vn_dtype_size((vn_dtype)s->type.dtype) + 1);
        if (!in->data[k]) {
            inputs_free(in);
            return false;
        }
        for (int64_t i = 0; i < s->type.count; i++) put_element(in->data[k], i, s->type.dtype, m ? m->values[k][i].v : input_number(s, i));
    }
    in->hash = hash_inputs(p, in);
    return true;
}

void inputs_free(inputs *in)
{
    for (int k = 0; k < MAX_STEPS; k++) free(in->data[k]);
    memset(in, 0, sizeof *in);
}

/* ---- recording ---- */

static void nothing(void *user)
{
    (void)user;
}

static bool is_variable(const program *p, int input)
{
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].op == &gradient_op && p->steps[k].in[1] == input) return true;
    return false;
}

static vn_array *make_input(const program *p, int k, const inputs *in)
{
    const step *s = &p->steps[k];
    if (s->type.weak) return vn_scalar(s->number);
    const vn_shape shape = vn__shape(s->type.dims, (size_t)s->type.rank);
    vn_array *x = s->wrapped ? vn_wrap(in->data[k], (vn_dtype)s->type.dtype, shape, nothing, NULL)
                             : vn_from_host(in->data[k], (vn_dtype)s->type.dtype, shape);
    return is_variable(p, k) ? vn_variable(x) : x;
}

static int inputs_of(const char *name, int *n_outputs)
{
    vn_op_info info = {.size = sizeof info};
    for (int k = 0; k < table_ops().count(); k++)
        if (table_ops().at(k, &info) == VN_OK && !strcmp(info.name, name)) {
            *n_outputs = info.n_outputs;
            return info.any_number ? 0 : info.n_inputs;
        }
    *n_outputs = 1;
    return 0;
}

static vn_array *call(const step *s, vn_array *const *h)
{
    if (s->op == &gradient_op) return vn_grad(h[s->in[0]], h[s->in[1]]);
    vn_array *in[MAX_IN + 8], *out[8] = {NULL};
    vn_option options[MAX_SETTINGS];
    int n_out, n = inputs_of(s->op->name, &n_out);
    for (int k = 0; k < s->n_in; k++) in[k] = h[s->in[k]];
    if (s->op->traits & COMPLEX) return record_complex(s, in);
    for (int k = s->n_in; k < n; k++) in[k] = vn_none();
    for (int k = 0; k < s->n_settings; k++) {
        const setting *o = &s->settings[k];
        options[k] = (vn_option){.name = o->name, .kind = o->kind, .n = o->n};
        if (o->kind == VN_OPT_INT) options[k].u.i = o->ints[0];
        else if (o->kind == VN_OPT_FLOAT) options[k].u.f = o->real;
        else if (o->kind == VN_OPT_STRING) options[k].u.s = o->text;
        else options[k].u.is = o->ints;
    }
    if (table_ops().call(s->op->name, in, vn__max(n, s->n_in), options, s->n_settings, out, n_out)) return NULL;
    return out[s->part];
}

/* Sets the message if the result does not have the expected type. */
static bool typed(const step *s, const vn_array *x, outcome *o)
{
    const vn_shape shape = vn_shape_of(x);
    bool same = shape.rank == s->type.rank && (int)vn_dtype_of(x) == s->type.dtype;
    for (int a = 0; same && a < shape.rank; a++) same = shape.dim[a] == s->type.dims[a];
    if (same || s->type.weak) return true;
    o->code = VN_E_SHAPE;
    snprintf(o->message, sizeof o->message, "%s has a result of another shape or dtype than it should", s->op ? s->op->name : "an input");
    return false;
}

static bool failed(outcome *o)
{
    if (!o->code) {
        o->code = vn_status() ? (int)vn_status() : VN_E_NULL;
        snprintf(o->message, sizeof o->message, "%.250s", vn_message());
    }
    vn_clear();
    return false;
}

/* Another handle that is given x's value with vn_into. */
static vn_array *moved(vn_array *x)
{
    vn_array *h = vn_zeros(vn_shape_of(x), vn_dtype_of(x));
    return h ? vn_into(h, x) : NULL;
}

typedef struct record {
    vn_array *h[MAX_STEPS];
    int last[MAX_STEPS]; /* last step that uses it; MAX_STEPS for outputs and inputs that are kept */
    uint64_t state;      /* random state, in a mixed run */
} record;

static bool lucky(record *r, uint64_t of)
{
    return mix(r->state += UINT64_C(0x9e3779b97f4a7c15)) % of == 0;
}

/* One step; every handle in r is kept. */
static bool take_step(const program *p, const inputs *in, int k, manner how, record *r, outcome *o)
{
    VN_SCOPE;
    const step *s = &p->steps[k];
    vn_array *x = s->op ? call(s, r->h) : make_input(p, k, in);
    if (!x || !typed(s, x, o)) return failed(o);
    if (how == MIXED && s->op && lucky(r, 6)) x = moved(x);
    r->h[k] = x ? vn_keep(x) : NULL;
    if (!r->h[k]) return failed(o);
    const bool evaluate = how == EAGER || (how == MIXED && lucky(r, 7));
    if (evaluate && !s->type.weak && vn_eval(1, &r->h[k])) return failed(o);
    for (int i = 0; how != LAZY && i < k; i++)
        if (r->h[i] && r->last[i] <= k) vn_drop(r->h[i]), r->h[i] = NULL;
    return true;
}

static bool record_program(const program *p, const inputs *in, manner how, record *r, outcome *o)
{
    for (int k = 0; k < p->n; k++) {
        r->last[k] = p->steps[k].output || (!p->steps[k].op && !p->steps[k].donated) ? MAX_STEPS : k;
        for (int i = 0; i < p->steps[k].n_in; i++)
            if (r->last[p->steps[k].in[i]] < k) r->last[p->steps[k].in[i]] = k;
    }
    r->state = mix(p->seed);
    for (int k = 0; k < p->n; k++)
        if (!take_step(p, in, k, how, r, o)) return false;
    for (int k = 0; k < p->n; k++)
        if (r->last[k] < MAX_STEPS && r->h[k]) vn_drop(r->h[k]), r->h[k] = NULL;
    return true;
}

/* ---- results ---- */

/* Inputs that were not donated are unchanged. */
static bool inputs_whole(const program *p, const inputs *in, const record *r)
{
    for (int k = 0; k < p->n; k++) {
        const step *s = &p->steps[k];
        if (s->op || s->type.weak || !r->h[k]) continue;
        const void *data = vn_data(r->h[k]);
        if (!data || memcmp(data, in->data[k], (size_t)s->type.count * vn_dtype_size((vn_dtype)s->type.dtype)) != 0) return false;
    }
    return hash_inputs(p, in) == in->hash;
}

static bool read_outputs(const program *p, const inputs *in, const record *r, outcome *o)
{
    for (int k = 0; k < p->n; k++) {
        const step *s = &p->steps[k];
        if (!s->output) continue;
        o->bytes[k] = (size_t)s->type.count * vn_dtype_size((vn_dtype)s->type.dtype);
        o->data[k] = malloc(o->bytes[k] + 1);
        if (!o->data[k] || vn_read(r->h[k], o->data[k], o->bytes[k])) return failed(o);
        for (int64_t i = 0; is_float(s->type.dtype) && i < s->type.count; i++) /* NaNs may differ in bits that mean nothing */
            if (isnan(element(o->data[k], i, s->type.dtype))) put_element(o->data[k], i, s->type.dtype, NAN);
    }
    if (inputs_whole(p, in, r)) return true;
    o->code = VN_E_ENGINE;
    snprintf(o->message, sizeof o->message, "an input was changed");
    return false;
}

static int collect(const program *p, const record *r, vn_array **all)
{
    int n = 0;
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].output) all[n++] = r->h[k];
    return n;
}

void run_programs(const program *const *p, const inputs *in, int n, manner how, outcome *out)
{
    record *r = calloc((size_t)n + 1, sizeof *r);
    vn_array **all = calloc((size_t)n * MAX_STEPS + 1, sizeof *all);
    int outputs = 0;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; r && all && k < n; k++)
        if (record_program(p[k], &in[k], how, &r[k], &out[k])) outputs += collect(p[k], &r[k], all + outputs);
    const int code = r && all ? vn_eval(outputs, all) : VN_E_MEM;
    for (int k = 0; r && k < n; k++) {
        if (code && !out[k].code) failed(&out[k]), out[k].code = code;
        if (!out[k].code) read_outputs(p[k], &in[k], &r[k], &out[k]);
        for (int i = 0; i < MAX_STEPS; i++) vn_drop(r[k].h[i]);
    }
    vn_clear();
    free(r);
    free(all);
}

void outcome_free(outcome *o)
{
    for (int k = 0; k < MAX_STEPS; k++) free(o->data[k]);
    memset(o, 0, sizeof *o);
}

uint64_t outcome_hash(const outcome *o)
{
    uint64_t h = 7 + (uint64_t)o->code;
    for (int k = 0; k < MAX_STEPS; k++)
        if (o->data[k]) h = hash_bytes(h, o->data[k], o->bytes[k]);
    return h;
}
