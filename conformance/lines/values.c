/* SPDX-License-Identifier: Apache-2.0 */
/* values.c: runs tests on the current engine. The results of many tests are computed as one program and compared, or the expected error is
 * checked, after which the library must still work; nothing may leak. Uses only the public API. */
#include "case.h"
#include "base/minmax.h"
#include "table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the call ---- */

static vn_axes all_axes(const operand *o)
{
    vn_axes all = {.n = o->rank};
    for (int k = 0; k < all.n; k++) all.axis[k] = k;
    return all;
}

vn_array *operand_array(const operand *o)
{
    if (o->kind == MISSING) return NULL;
    if (o->kind == ABSENT) return VN_NONE;
    if (o->kind == WEAK && o->dtype == VN_I64) return o->numbers[0] < 0 ? vn_scalar_int(o->whole) : vn_scalar_uint((uint64_t)o->whole);
    if (o->kind == WEAK && o->dtype == VN_C128) return vn_scalar_complex(o->numbers[0], o->numbers[1]);
    if (o->kind == WEAK) return vn_scalar(o->numbers[0]);
    return vn_array_from(o->data, o->dtype, o->rank, o->dims);
}

static bool is_reversed(const operand *o)
{
    return o->kind == ARRAY && o->reversed && o->rank;
}

typedef struct arrays {
    vn_array *in[MAX_IN];
} arrays;

/* The inputs of all tests. Those with reversed memory order (on engines with such views) are flipped, computed as one program, and flipped
 * again. False with the library's error set. */
static bool make_inputs(test *const *t, int n, arrays *to)
{
    vn_array *reversed[TOGETHER * MAX_IN];
    int m = 0;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < t[k]->n_in; j++) {
            const operand *o = &t[k]->in[j];
            vn_array **x = &to[k].in[j];
            *x = operand_array(o);
            if (*x && is_reversed(o)) reversed[m++] = *x = vn_flip(*x, all_axes(o));
            if (!*x && o->kind != MISSING) return false;
        }
    }
    if (m && vn_eval(m, reversed)) return false;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < t[k]->n_in; j++)
            if (is_reversed(&t[k]->in[j]) && !(to[k].in[j] = vn_flip(to[k].in[j], all_axes(&t[k]->in[j])))) return false;
    }
    return true;
}

static vn_option option_of(const setting *s, bool wide)
{
    vn_option o = {.name = s->name, .kind = s->kind, .n = s->n};
    bool dtype = isalpha((unsigned char)s->text[0]) && s->kind == VN_OPT_INT;
    if (s->kind == VN_OPT_INTS) o.u.is = s->list;
    else if (s->kind == VN_OPT_FLOAT) o.u.f = s->real;
    else if (s->kind == VN_OPT_STRING) o.u.s = s->text;
    else o.u.i = dtype && wide ? widest((int)s->whole) : s->whole;
    return o;
}

vn_array *test_apply(const test *t, vn_array *const *in, bool wide)
{
    vn_option options[MAX_OPTIONS + 1];
    vn_array *out[MAX_OUT] = {NULL};
    int n = 0;
    for (; n < t->n_options; n++) options[n] = option_of(&t->options[n], wide);
    for (int k = 0; wide && k < t->info.n_options; k++) { /* a default that is a float dtype */
        const vn_op_option *o = &t->info.options[k];
        bool given = !o->fallback || strcmp(o->type, "dtype") != 0;
        for (int j = 0; j < t->n_options; j++) given |= !strcmp(t->options[j].name, o->name);
        if (!given && n <= MAX_OPTIONS) options[n++] = (vn_option){.name = o->name, .kind = VN_OPT_INT, .n = 1, .u.i = VN_F64};
    }
    int n_out = table_results(&t->info, t->n_in);
    if (n_out > MAX_OUT) return NULL;
    return table_ops().call(t->op, in, t->n_in, options, n, out, n_out) == VN_OK ? out[t->out < n_out ? t->out : 0] : NULL;
}

vn_array *test_compute(const test *t)
{
    arrays of;
    return make_inputs((test *const[]){(test *)(uintptr_t)t}, 1, &of) ? test_apply(t, of.in, false) : NULL;
}

/* Checks that a successful call left no error. */
static void settle(test *t)
{
    if (vn_status()) test_library_failed(t, "an error is left behind");
    vn_clear();
}

/* ---- results ---- */

/* Checks of a result before it is computed. */
static bool check_form(test *t, vn_array *z, const char *engine)
{
    const operand *e = &t->expected;
    vn_shape s = vn_shape_of(z);
    bool shape = s.rank == e->rank && !memcmp(s.dim, e->dims, (size_t)e->rank * sizeof *s.dim);
    test_checks(t, OF_DTYPE);
    if (vn_dtype_of(z) != (vn_dtype)e->dtype)
        return test_fail(t, "dtype: expected %s, got %s", vn_dtype_name((vn_dtype)e->dtype), vn_dtype_name(vn_dtype_of(z)));
    test_checks(t, OF_VALUE);
    if (strcmp(vn_engine_of(z), engine) != 0) return test_fail(t, "engine: expected %s, got %s", engine, vn_engine_of(z));
    if (shape && vn_size(z) == e->count) return true;
    char text[VN_MAX_RANK * 24] = "";
    test_checks(t, OF_SHAPE);
    for (int k = 0; k < s.rank; k++) snprintf(text + strlen(text), 24, "%s%lld", k ? "," : "", (long long)s.dim[k]);
    return test_fail(t, "shape: got (%s), %lld elements; expected rank %d and %lld elements", text, (long long)vn_size(z), e->rank,
                     (long long)e->count);
}

static void check_value(test *t, vn_array *z, const checking *how)
{
    size_t bytes = (size_t)t->expected.count * vn_dtype_size((vn_dtype)t->expected.dtype);
    void *got = calloc(bytes + 1, 1);
    if (test_memory(t, got) && (vn_read(z, got, bytes) == VN_OK || test_library_failed(t, "evaluation failed"))) {
        if (how->seen) how->seen(t, got);
        const void *in_place = numbers_match(t, "value", &t->expected, got) ? vn_data(z) : NULL;
        if (vn_status()) test_library_failed(t, "vn_data failed");
        else if (!t->why && bytes && memcmp(in_place, got, bytes) != 0) test_fail(t, "vn_data and vn_read give different values");
    }
    free(got);
}

/* Do the arrays need a fallback to native? */
static bool falls_back(int n, vn_array *const *z, const char *engine)
{
    const char *text = n && strcmp(engine, "native") != 0 ? vn_explain_all(n, z) : NULL;
    return text && strstr(text, "computed by vinea");
}

/* The results of up to TOGETHER tests as one program. Those that are not new were checked before, and only keep the program the same. */
static void check_program(test *const *t, const bool *new, int n, checking *how)
{
    VN_SCOPE;
    arrays of[TOGETHER];
    vn_array *z[TOGETHER];
    int place[TOGETHER];
    evaluation e = {.z = z};
    bool made = make_inputs(t, n, of);
    for (int k = 0; k < n; k++) {
        vn_array *x = made ? test_apply(t[k], of[k].in, false) : NULL;
        if (!x) test_library_failed(t[k], made ? "the call failed" : "the inputs of the calls");
        else if (check_form(t[k], x, how->engine)) place[e.n] = k, z[e.n++] = x;
        if (made) settle(t[k]);
    }
    vn_clear();
    how->fell_back |= falls_back(e.n, z, how->engine);
    vn_clear();
    bool computed = evaluate_rest(&e);
    for (int k = 0; k < e.n; k++) {
        test *of_z = t[place[k]];
        if (!computed) test_library_failed(of_z, "evaluation failed");
        else if (new[place[k]]) check_value(of_z, z[k], how), settle(of_z);
    }
    vn_clear();
}

/* The results of all tests: programs of TOGETHER groups each, run until every member has been computed. */
static void check_values(test *const *t, int n, checking *how)
{
    group *groups = NULL;
    int m = groups_make(t, n, false, &groups);
    for (int k = 0; k < n && m < 0; k++) test_memory(t[k], NULL);
    for (int from = 0; from < m; from += TOGETHER) {
        int count = vn__min(m - from, TOGETHER), rounds = 0;
        for (int k = 0; k < count; k++)
            if (groups[from + k].n > rounds) rounds = groups[from + k].n;
        for (int round = 0; round < rounds; round++) {
            test *now[TOGETHER];
            bool new[TOGETHER];
            for (int k = 0; k < count; k++) {
                const group *g = &groups[from + k];
                new[k] = round < g->n;
                now[k] = t[g->at[new[k] ? round : g->n - 1]];
            }
            check_program(now, new, count, how);
        }
    }
    groups_free(groups);
}

/* The same result in a larger program that also uses it. */
static void check_with_sum(test *t)
{
    VN_SCOPE;
    const operand *e = &t->expected;
    size_t bytes = (size_t)e->count * vn_dtype_size((vn_dtype)e->dtype);
    vn_array *z = test_compute(t), *total = z ? vn_sum(vn_cast(z, is_complex(e->dtype) ? VN_C128 : VN_F64), VN_ALL) : NULL;
    double sum[2] = {0}, size = 0, is[2];
    void *got = calloc(bytes + 1, 1);
    if (!test_memory(t, got)) return;
    test_checks(t, OF_SUM);
    if (!total) test_library_failed(t, "the op followed by a sum failed");
    else if (vn_eval(2, (vn_array *const[]){total, z})) test_library_failed(t, "evaluation together with a sum failed");
    else if (vn_read(z, got, bytes)) test_library_failed(t, "reading after evaluation together failed");
    else if (numbers_match(t, "value, evaluated together with its sum", e, got)) {
        int parts = parts_of(e->dtype);
        vn_item_complex(total, is);
        for (int64_t i = 0; i < parts * e->count; i++) {
            double v = number_get(got, i, part_dtype(e->dtype));
            sum[i % parts] += v;
            size += fabs(v);
        }
        double allowed = fmax(fmax(t->relative, 1e-12) * size, t->absolute * (double)e->count);
        if (isfinite(size) && !(fabs(sum[0] - is[0]) <= allowed && fabs(sum[1] - is[1]) <= allowed))
            test_fail(t, "the sum of the result, evaluated together with it: expected %.17g%+.17gj, got %.17g%+.17gj", sum[0], sum[1],
                      is[0], is[1]);
    }
    free(got);
}

/* ---- errors ---- */

/* 1 + 2 = 3 on the engine. */
static bool still_works(void)
{
    VN_SCOPE;
    return vn_item(vn_add(vn_full(vn_scalar(1), VN_0D, VN_F32), vn_full(vn_scalar(2), VN_0D, VN_F32))) == 3;
}

/* Whether a message begins with the op's name twice: it was put in front of a message that had it. */
static bool named_twice(const char *message, const char *op)
{
    char twice[2 * NAME + 8];
    snprintf(twice, sizeof twice, "%s: %s: ", op, op);
    return !strncmp(message, twice, strlen(twice));
}

static bool check_error(test *t)
{
    VN_SCOPE;
    vn_array *z = test_compute(t);
    vn_code code = vn_status();
    if (z || !code) return test_fail(t, "expected %s, but the call succeeded", vn_code_name(t->code));
    if (code != t->code)
        return test_fail(t, "error\n    expected  %s\n    got       %s: %s", vn_code_name(t->code), vn_code_name(code), vn_message());
    if (!strstr(vn_message(), t->op)) return test_fail(t, "the message does not name the op: \"%s\"", vn_message());
    if (named_twice(vn_message(), t->op)) return test_fail(t, "the message names the op twice: \"%s\"", vn_message());
    if (t->message && !strstr(vn_message(), t->message))
        return test_fail(t, "the message does not contain \"%s\": \"%s\"", t->message, vn_message());
    if (!still_works() || vn_status() != code) return test_fail(t, "after the error other ops do not work");
    vn_clear();
    return (still_works() && !vn_status()) || test_fail(t, "after vn_clear ops do not work: %s", vn_message());
}

/* ---- all tests ---- */

/* Checks that the tests left no objects. */
static void check_memory(test *const *t, int n, const vn_memory_info *before)
{
    vn_memory_info after = {.size = sizeof after};
    vn_memory(&after);
    if (after.handles == before->handles && after.nodes == before->nodes) return;
    for (int k = 0; k < n; k++) {
        test_checks(t[k], OF_VALUE);
        test_fail(t[k], "%lld handles and %lld nodes are left behind", (long long)(after.handles - before->handles),
                  (long long)(after.nodes - before->nodes));
    }
}

void tests_check(test *const *t, int n, checking *how)
{
    test **giving = calloc((size_t)n + 1, sizeof *giving);
    int m = 0;
    vn_memory_info before = {.size = sizeof before};
    vn_memory(&before);
    for (int k = 0; k < n && test_memory(t[k], giving); k++) {
        if (!t[k]->wants_error) giving[m++] = t[k];
        else check_error(t[k]), vn_clear();
    }
    check_values(giving, m, how);
    for (int k = 0; k < m && how->with_sums; k++)
        if (!giving[k]->why) check_with_sum(giving[k]), settle(giving[k]);
    derivatives_check(giving, m);
    for (int k = 0; k < m && vn_status(); k++) test_library_failed(giving[k], "an error is left behind");
    vn_clear();
    check_memory(t, n, &before);
    free(giving);
}
