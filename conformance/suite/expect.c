/* SPDX-License-Identifier: Apache-2.0 */
/* expect.c: a trial's assertions. Every assertion is counted by its kind; the first failing one sets the message, the worst one the
 * numbers. Values are compared twice: with the test's own tolerance and with the strict one. */
#include "suite.h"

#include <stdarg.h>

/* Upper limits of the strict tolerance. */
static double strict_ceiling(vn_dtype dtype)
{
    switch (dtype) {
    case VN_F64: return 1e-10;
    case VN_F32: return 3e-5;
    case VN_F16: return 2e-2;
    case VN_BF16: return 1e-1;
    default: return 0;
    }
}

double trial_strict_tolerance(const trial *t)
{
    double k = t->test->k > 0 ? t->test->k : 8, depth = t->test->depth > 0 ? t->test->depth : 1;
    return fmin(k * number_epsilon(t->dtype) * depth, strict_ceiling(t->dtype));
}

/* Stores the text of the first failure. */
static void say(trial *t, char *text, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(trial *t, char *text, const char *format, ...)
{
    char line[TRIAL_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (t->say) printf("  %s\n", line);
    if (!*text) memcpy(text, line, sizeof line);
}

/* From the first failure on the numbers are those of its kind of check: what passed before says nothing about it. */
static void fail_first(trial *t, check_kind kind, bool nonfinite)
{
    if (t->outcome.failing) return;
    t->outcome.max_abs = t->outcome.max_rel = t->outcome.max_ulp = t->outcome.ratio = 0;
    t->outcome.worst = (worst){.any = false};
    t->outcome.failing = true;
    t->outcome.first = kind;
    t->outcome.nonfinite = nonfinite;
}

bool trial_expect(trial *t, check_kind kind, bool holds, const char *text)
{
    t->outcome.assertions[kind]++;
    if (holds) return true;
    t->outcome.failed[kind]++;
    t->outcome.strict_failed[kind]++;
    fail_first(t, kind, false);
    const char *why = vn_status() ? vn_message() : "";
    say(t, t->outcome.message, "does not hold: %s%s%s", text, *why ? "; " : "", why);
    return false;
}

void trial_expect_failed(trial *t, vn_code code, const char *text, const char *call)
{
    char line[TRIAL_TEXT];
    bool fine = vn_status() == code && strstr(vn_message(), text);
    snprintf(line, sizeof line, "%s: %s with \"%s\" expected, got %s \"%s\"", call, vn_code_name(code), text, vn_code_name(vn_status()),
             vn_message());
    vn_clear();
    trial_expect(t, CHECK_VALUE, fine, line);
}

static void index_text(int64_t i, const vn_shape *s, char *to, size_t room)
{
    int64_t at[VN_MAX_RANK];
    size_t used = 0;
    if (!s || s->rank < 1) {
        snprintf(to, room, "[%lld]", (long long)i);
        return;
    }
    for (int k = s->rank - 1; k >= 0; k--) at[k] = i % s->dim[k], i /= s->dim[k];
    for (int k = 0; k < s->rank && used < room; k++)
        used += (size_t)snprintf(to + used, room - used, "%s%lld%s", k ? ", " : "[", (long long)at[k], k + 1 == s->rank ? "]" : "");
}

/* The error of one element, never NaN: an expected NaN is no error, any other NaN an infinite one. */
static double error_of(double got, double want, vn_dtype dtype)
{
    if (got == want || (isnan(got) && isnan(want)) || got == number_round(want, dtype)) return 0;
    double e = fabs(got - want);
    return isnan(e) ? INFINITY : e;
}

static double ratio_of(double error, double tolerance)
{
    return error == 0 ? 0 : tolerance > 0 ? error / tolerance : INFINITY;
}

static void note_error(trial_outcome *o, double got, double want, double error, double ulp)
{
    o->max_abs = fmax(o->max_abs, error);
    if (want != 0 && isfinite(want)) o->max_rel = fmax(o->max_rel, error / fabs(want));
    else if (error > 0) o->max_rel = fmax(o->max_rel, isfinite(got) && want == 0 ? error : INFINITY);
    o->max_ulp = fmax(o->max_ulp, ulp);
}

static void note_worst(trial *t, check_kind kind, const char *what, int64_t i, const vn_shape *shape, double got, double want, double error,
                       double ulp, double ratio, double tolerance)
{
    worst *w = &t->outcome.worst;
    if (w->any && !(ratio > w->ratio)) return;
    *w =
        (worst){.any = true, .check = kind, .expected = want, .got = got, .abs = error, .ulp = ulp, .ratio = ratio, .tolerance = tolerance};
    w->rel = want != 0 && isfinite(want) ? error / fabs(want) : error;
    snprintf(w->what, sizeof w->what, "%s", what);
    index_text(i, shape, w->index, sizeof w->index);
}

/* Both tolerances of an element as factors: |error| <= base + slope |want|, and strict max(1, |want|). */
typedef struct tolerances {
    double base, slope, strict;
    bool same;    /* the strict one decides */
    bool inexact; /* the expected value is not exact, such as a difference: the error says nothing about the engine */
} tolerances;

/* The dtype that an error is counted in, in units of the last place. */
static vn_dtype counted_in(const trial *t, check_kind kind)
{
    return kind == CHECK_VALUE || VN_BIT(t->dtype) & VN_FLOATS ? t->dtype : VN_F64;
}

/* The numbers of a comparison: its largest errors and the worst element. */
static void note_numbers(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n,
                         const vn_shape *shape, tolerances by)
{
    trial_outcome *o = &t->outcome;
    if (o->failing && o->first != kind) return; /* they belong to the check that failed first */
    for (int64_t i = 0; i < n; i++) {
        const double error = error_of(got[i], want[i], kind == CHECK_VALUE ? t->dtype : VN_F64),
                     size = isfinite(want[i]) ? fabs(want[i]) : 0;
        const double tolerance = by.same ? by.strict * fmax(1, size) : by.base + by.slope * size, ratio = ratio_of(error, tolerance);
        const double ulp = error == 0 ? 0 : number_ulps(got[i], want[i], counted_in(t, kind));
        if (!by.inexact || o->failing) note_error(o, got[i], want[i], error, ulp);
        note_worst(t, kind, what, i, shape, got[i], want[i], error, ulp, ratio, tolerance);
        o->ratio = fmax(o->ratio, ratio);
    }
}

static void compare(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, const vn_shape *shape,
                    tolerances by)
{
    trial_outcome *o = &t->outcome;
    int64_t wrong = 0, strictly_wrong = 0, first = -1, strictly_first = -1;
    for (int64_t i = 0; i < n; i++) {
        const double error = error_of(got[i], want[i], kind == CHECK_VALUE ? t->dtype : VN_F64),
                     size = isfinite(want[i]) ? fabs(want[i]) : 0;
        const double strict = ratio_of(error, by.strict * fmax(1, size)),
                     ratio = by.same ? strict : ratio_of(error, by.base + by.slope * size);
        o->strict_ratio = fmax(o->strict_ratio, strict);
        if (ratio > 1 && !wrong++) first = i;
        if (strict > 1 && !strictly_wrong++) strictly_first = i;
    }
    o->assertions[kind] += n;
    o->failed[kind] += wrong;
    o->strict_failed[kind] += strictly_wrong;
    char at[64];
    if (wrong) fail_first(t, kind, isfinite(want[first]) && !isfinite(got[first]));
    note_numbers(t, kind, what, got, want, n, shape, by);
    if (wrong) {
        index_text(first, shape, at, sizeof at);
        say(t, o->message, "%s: %lld of %lld elements outside tolerance; %s is %.9g, %.9g expected", what, (long long)wrong, (long long)n,
            at, got[first], want[first]);
    }
    if (strictly_wrong) {
        index_text(strictly_first, shape, at, sizeof at);
        say(t, o->strict_message, "%s: %lld of %lld elements outside the strict tolerance %.3g; %s is %.17g, %.17g expected", what,
            (long long)strictly_wrong, (long long)n, by.strict, at, got[strictly_first], want[strictly_first]);
    }
}

void trial_compare(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, const vn_shape *shape)
{
    double floor = VN_BIT(t->dtype) & VN_HALF ? 1e-2 : 0; /* the seed tests' tolerance for half precision */
    tolerances by = {fmax(t->test->atol, floor), fmax(t->test->rtol, floor), trial_strict_tolerance(t), t->strict, false};
    compare(t, kind, what, got, want, n, shape, by);
}

void trial_within(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, const vn_shape *shape,
                  double base, double slope)
{
    compare(t, kind, what, got, want, n, shape, (tolerances){base, slope, base + slope, false, false});
}

void trial_near_list(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, double tolerance,
                     const vn_shape *shape)
{
    compare(t, kind, what, got, want, n, shape, (tolerances){0, 0, tolerance, true, kind == CHECK_GRADIENT || kind == CHECK_SECOND});
}

void trial_near(trial *t, check_kind kind, const char *what, double got, double want, double tolerance)
{
    trial_near_list(t, kind, what, &got, &want, 1, tolerance, NULL);
}

static bool same_shape(const vn_array *x, vn_shape s)
{
    if (vn_rank(x) != s.rank) return false;
    for (int k = 0; k < s.rank; k++)
        if (vn_dim(x, k) != s.dim[k]) return false;
    return true;
}

void trial_result(trial *t, const char *what, vn_array *got, vn_dtype dtype, vn_shape shape, const double *want)
{
    char text[160];
    snprintf(text, sizeof text, "%s gives a result", what);
    if (!trial_expect(t, CHECK_VALUE, got != NULL, text)) return;
    snprintf(text, sizeof text, "%s: the dtype is %s, not %s", what, vn_dtype_name(dtype), vn_dtype_name(vn_dtype_of(got)));
    trial_expect(t, CHECK_DTYPE, vn_dtype_of(got) == dtype, text);
    snprintf(text, sizeof text, "%s: the shape is as expected (%lld elements of %lld)", what, (long long)vn_size(got),
             (long long)shape_size(shape));
    if (!trial_expect(t, CHECK_SHAPE, same_shape(got, shape), text)) return;
    int64_t n = shape_size(shape);
    double *values = malloc((size_t)(n ? n : 1) * sizeof *values);
    snprintf(text, sizeof text, "%s can be read", what);
    if (trial_expect(t, CHECK_VALUE, values && number_read(got, values, n), text))
        trial_compare(t, CHECK_VALUE, what, values, want, n, &shape);
    free(values);
}

void trial_explain(trial *t, vn_array *x)
{
    if (!x || t->outcome.fell_back || !strcmp(t->engine, "native")) return;
    const char *text = vn_explain(x);
    if (text && strstr(text, "computed by vinea")) t->outcome.fell_back = true;
}

void trial_remember(trial *t, const char *name, const double *x, vn_shape s, vn_dtype dtype)
{
    if (t->n_inputs == TRIAL_INPUTS) return;
    trial_array *in = &t->inputs[t->n_inputs];
    *in = (trial_array){.dtype = dtype, .shape = s, .count = shape_size(s)};
    snprintf(in->name, sizeof in->name, "%s", name);
    in->values = malloc((size_t)(in->count ? in->count : 1) * sizeof *in->values);
    if (!in->values) return;
    if (in->count) memcpy(in->values, x, (size_t)in->count * sizeof *in->values);
    t->n_inputs++;
}

vn_array *trial_input(trial *t, const char *name, double *x, vn_shape s, vn_dtype dtype)
{
    vn_array *a = number_array(x, s, dtype);
    trial_remember(t, name, x, s, dtype);
    return a;
}
