/* judge.c: one case on the engine in use: the result alone, evaluated together with something else, and its derivatives; or the error that
 * is wanted, after which everything works; and nothing stays behind. Only the public API is used. */
#include "case.h"
#include "table.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same values, lying in memory from the last to the first where the engine knows such views. */
static vn_array *reversed(vn_array *x)
{
    vn_axes all = {.n = x ? vn_rank(x) : 0};
    for (int k = 0; k < all.n; k++) all.axis[k] = k;
    vn_array *y = x ? vn_flip(x, all) : NULL;
    return y && vn_eval(1, &y) == VN_OK ? vn_flip(y, all) : NULL;
}

vn_array *operand_array(const operand *o)
{
    if (o->kind == MISSING) return NULL;
    if (o->kind == ABSENT) return VN_NONE;
    if (o->kind == WEAK) return vn_scalar(o->numbers[0]);
    vn_array *x = vn_array_from(o->data, o->dtype, o->rank, o->dims);
    return o->reversed && o->rank ? reversed(x) : x;
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
    for (int k = 0; wide && t->info.name && k < t->info.n_options; k++) { /* a default that is a float dtype */
        const vn_op_option *o = &t->info.options[k];
        bool given = !o->fallback || strcmp(o->type, "dtype") != 0;
        for (int j = 0; j < t->n_options; j++) given |= !strcmp(t->options[j].name, o->name);
        if (!given && n <= MAX_OPTIONS) options[n++] = (vn_option){.name = o->name, .kind = VN_OPT_INT, .n = 1, .u.i = VN_F64};
    }
    int n_out = t->info.n_outputs ? t->info.n_outputs : 1;
    return table_ops().call(t->op, in, t->n_in, options, n, out, n_out) == VN_OK ? out[t->out < n_out ? t->out : 0] : NULL;
}

vn_array *test_compute(const test *t)
{
    vn_array *in[MAX_IN] = {NULL};
    for (int k = 0; k < t->n_in; k++) {
        in[k] = operand_array(&t->in[k]);
        if (!in[k] && t->in[k].kind != MISSING) return NULL;
    }
    return test_apply(t, in, false);
}

static bool library_failed(test *t, const char *what)
{
    return test_fail(t, "%s: %s: %s", what, vn_code_name(vn_status()), vn_message());
}

/* What is known of a result before it is computed. */
static bool check_form(test *t, vn_array *z, const char *engine)
{
    const operand *e = &t->expected;
    vn_shape s = vn_shape_of(z);
    bool shape = s.rank == e->rank && !memcmp(s.dim, e->dims, (size_t)e->rank * sizeof *s.dim);
    if (vn_dtype_of(z) != (vn_dtype)e->dtype)
        return test_fail(t, "dtype: expected %s, got %s", vn_dtype_name((vn_dtype)e->dtype), vn_dtype_name(vn_dtype_of(z)));
    if (strcmp(vn_engine_of(z), engine) != 0) return test_fail(t, "engine: expected %s, got %s", engine, vn_engine_of(z));
    if (shape && vn_size(z) == e->count) return true;
    char text[16 * 24] = "";
    for (int k = 0; k < s.rank; k++) snprintf(text + strlen(text), 24, "%s%lld", k ? "," : "", (long long)s.dim[k]);
    return test_fail(t, "shape: got (%s), %lld elements; expected rank %d and %lld elements", text, (long long)vn_size(z), e->rank,
                     (long long)e->count);
}

static bool check_value(test *t, const judging *j, void *got, size_t bytes)
{
    VN_SCOPE;
    vn_array *z = test_compute(t);
    if (!z) return library_failed(t, "the call failed");
    if (!check_form(t, z, j->engine)) return false;
    if (vn_read(z, got, bytes)) return library_failed(t, "evaluation failed");
    j->n->values++;
    if (j->seen) j->seen(t, got, j->user);
    if (!numbers_match(t, "value", &t->expected, got)) return false;
    const void *in_place = vn_data(z);
    if (vn_status()) return library_failed(t, "vn_data failed");
    return !bytes || !memcmp(in_place, got, bytes) || test_fail(t, "vn_data and vn_read give different values");
}

/* The same result when a program has more to compute, from it and beside it. */
static bool check_together(test *t, const judging *j, void *got, size_t bytes)
{
    VN_SCOPE;
    const operand *e = &t->expected;
    vn_array *z = test_compute(t), *total = z ? vn_sum(vn_cast(z, is_complex(t->expected.dtype) ? VN_C128 : VN_F64), VN_ALL) : NULL;
    if (!total) return library_failed(t, "the op followed by a sum failed");
    if (vn_eval(2, (vn_array *const[]){total, z})) return library_failed(t, "evaluation together with a sum failed");
    if (vn_read(z, got, bytes)) return library_failed(t, "reading after evaluation together failed");
    j->n->values++;
    if (!numbers_match(t, "value, evaluated together with its sum", e, got)) return false;
    double sum[2] = {0}, size = 0, is[2];
    int parts = parts_of(e->dtype);
    vn_item_complex(total, is);
    for (int64_t i = 0; i < parts * e->count; i++) {
        double v = number_get(got, i, part_dtype(e->dtype));
        sum[i % parts] += v;
        size += fabs(v);
    }
    double allowed = fmax(fmax(t->relative, 1e-12) * size, t->absolute * (double)e->count);
    if (!isfinite(size) || (fabs(sum[0] - is[0]) <= allowed && fabs(sum[1] - is[1]) <= allowed)) return true;
    return test_fail(t, "the sum of the result, evaluated together with it: expected %.17g%+.17gj, got %.17g%+.17gj", sum[0], sum[1], is[0],
                     is[1]);
}

static bool check_result(test *t, const judging *j)
{
    size_t bytes = (size_t)t->expected.count * vn_dtype_size((vn_dtype)t->expected.dtype);
    void *got = calloc(bytes + 1, 1);
    bool fine = test_memory(t, got) && check_value(t, j, got, bytes);
    if (fine && j->together) fine = check_together(t, j, got, bytes);
    if (fine && j->derivatives) fine = j->once ? gradient_check_once(t, j->n) : gradient_check(t, j->n);
    free(got);
    if (fine && vn_status()) fine = library_failed(t, "an error is left behind");
    return fine;
}

/* 1 + 2 = 3 on the engine. */
static bool still_works(void)
{
    VN_SCOPE;
    return vn_item(vn_add(vn_full(1, VN_0D, VN_F32), vn_full(2, VN_0D, VN_F32))) == 3;
}

static bool check_error(test *t, const judging *j)
{
    VN_SCOPE;
    vn_array *z = test_compute(t);
    vn_code code = vn_status();
    j->n->values++;
    if (z || !code) return test_fail(t, "expected %s, but the call succeeded", vn_code_name(t->code));
    if (code != t->code)
        return test_fail(t, "error\n    expected  %s\n    got       %s: %s", vn_code_name(t->code), vn_code_name(code), vn_message());
    if (!strstr(vn_message(), t->op)) return test_fail(t, "the message does not name the op: \"%s\"", vn_message());
    if (t->message && !strstr(vn_message(), t->message))
        return test_fail(t, "the message does not hold \"%s\": \"%s\"", t->message, vn_message());
    if (!still_works() || vn_status() != code) return test_fail(t, "after the error other ops do not work");
    vn_clear();
    return (still_works() && !vn_status()) || test_fail(t, "after vn_clear ops do not work: %s", vn_message());
}

/* What the case made is gone after it. */
static bool check_memory(test *t, const vn_memory_info *before)
{
    vn_memory_info after = {.size = sizeof after};
    vn_memory(&after);
    if (after.handles == before->handles && after.nodes == before->nodes) return true;
    return test_fail(t, "the case left %lld handles and %lld nodes", (long long)(after.handles - before->handles),
                     (long long)(after.nodes - before->nodes));
}

bool test_run(test *t, const judging *j)
{
    vn_memory_info before = {.size = sizeof before};
    vn_memory(&before);
    bool fine = (t->wants_error ? check_error(t, j) : check_result(t, j)) && check_memory(t, &before);
    vn_clear();
    return fine;
}
