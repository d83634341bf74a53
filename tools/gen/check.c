/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: what a row must be. */
#include "gen.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The native engine's kernels and the options that they read. */
static const struct kernel {
    const char *op, *options;
} kernels[] = {
#define ELEMENT(name, dtypes, options) {#name, options},
#define WHOLE(name, dtypes, options) {#name, options},
#define ROW(name, dtypes, options, record, family, index) {#name, options},
#include "../engines/native/kernels.def"
};
enum { n_kernels = sizeof kernels / sizeof *kernels };

static const struct kernel *kernel_of(const row *r)
{
    for (int k = 0; k < n_kernels; k++)
        if (!strcmp(kernels[k].op, r->name)) return &kernels[k];
    return NULL;
}

static void check_kernel(const row *r)
{
    const struct kernel *native = kernel_of(r);
    const options o = options_of(r);
    if (is(r, "primitive") && !native)
        stop(r->name, "the native engine has no kernel for it: a line in engines/native/kernels.def, ops.def or whole.def is missing");
    for (const char *name = native && native->options ? native->options : ""; *name; name += strspn(name, ", ")) {
        const int n = (int)strcspn(name, ", ");
        int k = 0;
        while (k < o.n && ((int)strlen(o.f[k].name) != n || memcmp(o.f[k].name, name, (size_t)n) != 0)) k++;
        if (k == o.n) stop(r->name, "the native kernel reads the option %.*s, which the op does not have", n, name);
        name += n;
    }
}

/* "[0, 1)": two numbers, the first below the second, with the default between them unless it is computed. */
static void check_range(const row *r, const field *f)
{
    double low, high;
    char end, more;
    if (!f->range[0]) return;
    if (!strchr("[(", f->range[0]) || sscanf(f->range + 1, "%lf, %lf%c%c", &low, &high, &end, &more) != 3 || !strchr("])", end) ||
        !(low < high))
        stop(r->name, "the range \"%s\" of %s makes no sense", f->range, f->name);
    const double d = f->fallback[0] && strcmp(f->fallback, "none") != 0 ? strtod(f->fallback, NULL) : NAN;
    if (d < low || d > high || (d == low && f->range[0] == '(') || (d == high && end == ')'))
        stop(r->name, "the default of %s is not in %s", f->name, f->range);
}

/* An axis or a dtype, by its type or its name. Zero is one of them, so that in a struct it could not mean the default. */
static int is_place(const field *f)
{
    const char *last = strrchr(f->name, '_') ? strrchr(f->name, '_') + 1 : f->name;
    return !types[f->t].read || !strcmp(last, "axis") || !strcmp(last, "axes") || !strcmp(last, "dtype");
}

/* The signature rule: at most four parameters; flags, texts and other options with a default are fields of the struct. */
static void check_options(const row *r)
{
    options o = options_of(r);
    int slots = o.n;
    for (int i = 0; i < o.n; i++) {
        const field *f = &o.f[i];
        slots += is_type(f, "reduce");
        check_range(r, f);
        for (int k = 0; k < i; k++)
            if (!strcmp(o.f[k].name, f->name)) stop(r->name, "two options are called %s", f->name);
        if (i < o.parameters && !r->internal &&
            (is_type(f, "flag") || is_type(f, "sizes") || (is_type(f, "text") && (f->fallback[0] || f->texts[0]))))
            stop(r->name, "%s is a flag, a word or a list of sizes: it belongs behind the bar, into OPTIONS", f->name);
        const int computed = !strcmp(f->fallback, "nan") || !strcmp(f->fallback, "none");
        if (i < o.parameters && is_op(r) && !r->internal && computed && !is_place(f) && !is_type(f, "list"))
            stop(r->name, "%s has a default that is computed, which a parameter cannot ask for: it belongs behind the bar", f->name);
        if (i < o.parameters) continue;
        if (is_place(f)) stop(r->name, "%s is an axis or a dtype: it belongs before the bar", f->name);
        if (!f->fallback[0]) stop(r->name, "%s has no default: it belongs before the bar", f->name);
        if (is_type(f, "flag") && strcmp(f->fallback, "0") != 0)
            stop(r->name, "the flag %s must be off by default: rename it to its opposite", f->name);
    }
    if (slots > VN__MAX_OPTIONS) stop(r->name, "more than %d options", VN__MAX_OPTIONS);
    if (o.set && r->internal) stop(r->name, "an internal op has no struct of options");
    if (o.parameters > 4 && !r->internal) stop(r->name, "%d parameters beside the arrays; four at most", o.parameters);
}

static const row *op_named(const char *name)
{
    for (int k = 0; k < n_rows; k++)
        if (is_op(&rows[k]) && !strcmp(rows[k].name, name)) return &rows[k];
    return NULL;
}

/* Is every text of the first list, "macro|micro", among those of the second? */
static int permits(const char *some, const char *all)
{
    for (size_t length; *some; some += length + (some[length] == '|')) {
        const char *at = all;
        length = strcspn(some, "|");
        while (*at && (strcspn(at, "|") != length || strncmp(at, some, length) != 0)) at += strcspn(at, "|"), at += *at == '|';
        if (!*at) return 0;
    }
    return 1;
}

/* A loss or metric has options of its op: numbers, flags and texts, with its types and ranges; what a text permits may be less. */
static void check_score(const row *r)
{
    if (!is(r, "loss") && !is(r, "metric")) return;
    const row *op = op_named(r->op);
    const int own = is(r, "metric") && !strcmp(r->op, "none"); /* it has options of its own */
    if (!op && !own) stop(r->name, "there is no op %s", r->op);
    options o = options_of(r), of = options_of(own ? r : op);
    if (o.n > VN__MAX_IN) stop(r->name, "a %s has %d options at most", r->kind, VN__MAX_IN);
    for (int i = 0; i < o.n; i++) {
        const field *f = &o.f[i];
        int k = 0;
        while (k < of.n && strcmp(of.f[k].name, f->name) != 0) k++;
        if (k == of.n || of.f[k].t != f->t || strcmp(of.f[k].range, f->range) != 0 || !permits(f->texts, of.f[k].texts))
            stop(r->name, "%s is not the option of that name that %s has", f->name, op->name);
        if (!is_type(f, "int") && !is_type(f, "float") && !is_type(f, "flag") && !is_type(f, "text"))
            stop(r->name, "%s is no number, flag or text", f->name);
    }
}

/* ops.h comes before the headers of families, which come in the order of the table. */
static void check_header(const row *r)
{
    const row *set = options_of(r).set;
    if (!set) return;
    const char *own = header_of(r), *of = header_of(first_user(set));
    if (strcmp(own, of) != 0 && strcmp(of, "ops") != 0)
        stop(r->name, "its options are those of %s, which is not in %s.h or ops.h: a set of its own is needed", first_user(set)->name, own);
}

static void check_row(const row *r)
{
    signature s = arguments(r);
    check_header(r);
    check_options(r);
    if (!strcmp(r->vjp, "0") && !is(r, "composed") && !is(r, "fused"))
        stop(r->name, "a gradient is missing, or the reason why there is none: NO(\"...\")");
    if (s.many && !s.plain && !r->internal) stop(r->name, "an op with several lists, or with lists of results, is internal");
    if (s.many && !s.plain && strncmp(r->vjp, "NO(", 3) != 0)
        stop(r->name, "an op with lists of results has no gradient rule: NO(\"...\")");
    if (s.shown < s.m && (s.many || r->internal)) stop(r->name, "results behind a semicolon are for public rows without lists");
    if (!strcmp(r->compose, "0") && (is(r, "fused") || is(r, "composed"))) stop(r->name, "its composition is missing");
    check_kernel(r);
}

/* Equal sets of options are written once. */
static void check_set(const row *set)
{
    for (const row *other = rows; other < set; other++) {
        if (!is(other, "options")) continue;
        int i = 0;
        while (set->fields[i] && other->fields[i] && !strcmp(set->fields[i], other->fields[i])) i++;
        if (!set->fields[i] && !other->fields[i]) stop(set->name, "these are the OPTIONS of %s: name those behind the bar", other->name);
    }
}

void check(void)
{
    const row *all[n_rows];
    int n = in_order(all);
    for (int k = 0; k < n_rows; k++)
        if (is(&rows[k], "options")) check_set(&rows[k]);
    for (int k = 0; k < n_rows; k++)
        if (object_kind(&rows[k]) >= 0) check_options(&rows[k]), check_score(&rows[k]);
    for (int k = 0; k < n; k++) {
        check_row(all[k]);
        for (int j = 0; j < k; j++)
            if (!strcmp(all[j]->name, all[k]->name)) stop(all[k]->name, "there are two rows of that name");
        for (int j = 0; j < n_rows; j++)
            if (is(&rows[j], "options") && !strcmp(rows[j].name, all[k]->name) && options_of(all[k]).set != &rows[j])
                stop(all[k]->name, "OPTIONS of its name are another op's");
    }
}
