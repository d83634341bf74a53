/* SPDX-License-Identifier: Apache-2.0 */
/* ops_random.c: random cases of an op. Most ops take arrays of any shape that broadcast, and options with defaults, an axis or axes:
 * their shapes are sampled. Ops whose row says SHAPED (matrices, images, indices, weights) use the shapes and options of a case line
 * with its float values perturbed. Such an op without case lines cannot be sampled, and its test reports that. */
#include "ops.h"

enum { ORDINARY, FRACTIONS, ABOVE_ONE, SPECIAL, MANNERS };

bool ops_ordinary(const trial *t)
{
    return t->structure % MANNERS != SPECIAL;
}

/* ---- numbers ---- */

bool ops_operand(test *c, operand *o, int dtype, vn_shape s)
{
    *o = (operand){.kind = ARRAY, .dtype = dtype, .rank = s.rank, .count = shape_size(s)};
    memcpy(o->dims, s.dim, sizeof o->dims);
    size_t n = (size_t)(o->count * parts_of(dtype)) + 1;
    o->numbers = calloc(n, sizeof *o->numbers);
    o->data = calloc(n, sizeof(double));
    return test_memory(c, o->numbers) && test_memory(c, o->data);
}

void ops_put(operand *o, int64_t i, double v)
{
    int dtype = part_dtype(o->dtype);
    number_put(o->data, i, dtype, v);
    o->numbers[i] = number_get(o->data, i, dtype);
}

/* Special floats, but no subnormal ones: engines may flush those to zero. Complex functions of infinities are unspecified; along
 * axes, large numbers would overflow in one dtype and not in another. */
static double special(trial *t, bool along)
{
    double v = sample_special(t), least = t->dtype == VN_F16 ? 0x1p-14 : t->dtype == VN_F64 || t->dtype == VN_C128 ? 0x1p-1022 : 0x1p-126;
    if (v != 0 && fabs(v) < least) return copysign(least, v);
    bool large = !(fabs(v) < 1e3);
    return large && (is_complex((int)t->dtype) || (along && isfinite(v))) ? 2 : v;
}

static double some_number(trial *t, bool along)
{
    static const double low[] = {-3, .1, 1.1}, high[] = {3, .9, 4};
    int manner = t->structure % MANNERS;
    if (manner == SPECIAL) return special(t, along);
    double v = sample_real(t, low[manner], high[manner]);
    return is_float((int)t->dtype) || is_complex((int)t->dtype) ? v : trunc(7 * v);
}

/* ---- any shape ---- */

static bool has_fallbacks(const vn_op_info *op)
{
    for (int k = 0; k < op->n_options; k++) {
        const vn_op_option *o = &op->options[k];
        bool axis = !strcmp(o->name, "axis") || !strcmp(o->name, "axes"), simple = o->kind == VN_OPT_INT || o->kind == VN_OPT_FLOAT;
        if (!axis && !(simple && (o->fallback || o->kind == VN_OPT_FLOAT))) return false;
    }
    return true;
}

static bool takes_any(const vn_op_info *op)
{
    return op->n_inputs && !op->any_number && has_fallbacks(op) && !(op->traits & (VN_OP_SHAPED | VN_OP_RANDOM));
}

static void sample_option(trial *t, const vn_op_option *o, int rank, test *c)
{
    setting *s = &c->options[c->n_options];
    *s = (setting){.kind = o->kind, .n = 1};
    snprintf(s->name, sizeof s->name, "%s", o->name);
    if (!strcmp(o->name, "axis") || !strcmp(o->name, "axes")) {
        if (o->fallback && !sample_switch(t)) return;
        s->list[0] = s->whole = sample_int(t, -rank, rank - 1);
    } else if (!strcmp(o->type, "flag")) {
        s->whole = sample_switch(t);
    } else if (!o->fallback) {
        s->real = .5;
    } else {
        return;
    }
    c->n_options++;
}

static bool sample_any(trial *t, const vn_op_info *op, test *c)
{
    bool along = false;
    for (int k = 0; k < op->n_options; k++) along |= !strncmp(op->options[k].name, "ax", 2);
    vn_shape full = sample_shape(t, along, 3);
    int whole = op->n_inputs == 2 ? t->structure % 2 : 0; /* the input of full shape; the others broadcast to it */
    c->n_in = op->n_inputs;
    for (int k = 0; k < c->n_in; k++) {
        int dtype = op->input_dtypes[k] ? op->input_dtypes[k] : (int)t->dtype;
        if (!ops_operand(c, &c->in[k], dtype, k == whole ? full : sample_broadcast(t, full))) return false;
        for (int64_t i = 0; i < c->in[k].count * parts_of(dtype); i++) ops_put(&c->in[k], i, some_number(t, along));
    }
    for (int k = 0; k < op->n_options; k++) sample_option(t, &op->options[k], full.rank, c);
    return true;
}

/* ---- from a case line ---- */

/* The operand in the trial's dtype with other values; operands of another dtype (an index, a mask) are kept. */
static bool change(trial *t, test *c, operand *o, vn_dtype own)
{
    if (o->kind != ARRAY || o->dtype != (int)own) return true;
    vn_shape s = {.rank = o->rank};
    memcpy(s.dim, o->dims, sizeof s.dim);
    operand old = *o;
    bool fine = ops_operand(c, o, (int)t->dtype, s), inexact = is_float((int)t->dtype) || is_complex((int)t->dtype);
    int from = parts_of(old.dtype), to = parts_of(o->dtype);
    for (int64_t i = 0; fine && i < o->count * to; i++) {
        double v = old.numbers[i / to * from + (from > 1 ? i % to : 0)];
        if (inexact && !(c->info.traits & VN_OP_EXACT)) v *= 1 + sample_real(t, -.1, .1);
        ops_put(o, i, from < to && i % 2 ? v / 2 : v);
    }
    free(old.numbers);
    free(old.data);
    return fine;
}

/* The line in the trial's dtype. */
static bool follow(trial *t, const line *l, test *c)
{
    if (!test_parse(c, l->file, l->number, l->text)) return false;
    free(c->expected.numbers);
    free(c->expected.data);
    c->expected = (operand){.kind = ARRAY};
    bool samples = c->info.traits & VN_OP_RANDOM;
    for (int k = samples; k < c->n_in; k++)
        if (!change(t, c, &c->in[k], l->dtype)) return false;
    return true;
}

/* Some options are valid only for some dtypes: a reduction of numbers, a fill value. */
static bool refused(const test *c)
{
    VN_SCOPE;
    bool no = !test_compute(c) && vn_status() == VN_E_DTYPE;
    vn_clear();
    return no;
}

/* What an op may take as something else: floats as scores of classes, integers as their numbers. */
static int kind_of(vn_dtype dtype)
{
    return is_float((int)dtype) ? 1 : is_complex((int)dtype) ? 2 : dtype == VN_BOOL ? 3 : 4;
}

static bool sample_like(trial *t, const line *const *of, int n, test *c)
{
    const line *fitting[256];
    int m = 0;
    for (int pass = 0; pass < 3 && !m; pass++) /* of the dtype, otherwise of its kind, otherwise of any */
        for (int k = 0; k < n && m < 256; k++) {
            const bool fits = pass == 2 || (pass ? kind_of(of[k]->dtype) == kind_of(t->dtype) : of[k]->dtype == t->dtype);
            if (of[k]->small && fits && !lines_known(t->engine, of[k])) fitting[m++] = of[k];
        }
    if (!m) return test_fail(c, "the op has no small case line with a result, and no other way to be sampled");
    int first = (int)sample_int(t, 0, m - 1);
    for (int k = 0; k < m; k++) {
        test_free(c);
        if (!follow(t, fitting[(first + k) % m], c)) return false;
        if (!refused(c)) return true;
    }
    c->wants_error = true; /* no line of the op has this dtype: the op must refuse it */
    c->code = VN_E_DTYPE;
    return true;
}

bool ops_sample(trial *t, const vn_op_info *op, const line *const *of, int n, test *c)
{
    *c = (test){.file = "sampled", .line = t->number, .text = strdup(op->name), .info = *op, .out = t->structure % op->n_outputs};
    snprintf(c->op, sizeof c->op, "%s", op->name);
    bool fine = takes_any(op) ? sample_any(t, op, c) : sample_like(t, of, n, c);
    for (int k = 0; k < c->n_in; k++) c->in[k].reversed = t->structure % 2;
    return fine;
}
