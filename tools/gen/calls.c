/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c: what a call may leave out: everything at its end that has a default, but never its first argument. C++ has default arguments for
 * that; in C a macro of the function's name adds them (include/vinea/calls.h). */
#include "gen.h"
#include <stdio.h>
#include <string.h>
#include <vinea/types.h>

static const char *dtype_in_c(const char *name)
{
#define X(enumerator, number, text, bytes) {#enumerator, text},
    static const struct {
        const char *c, *name;
    } dtypes[] = {VN_DTYPES(X)};
#undef X
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (!strcmp(dtypes[i].name, name)) return dtypes[i].c;
    return NULL;
}

/* The default of a parameter as C writes it; NULL: it must be given. */
static const char *default_in_c(const field *f)
{
    const char *kind = types[f->t].kind;
    if (is_type(f, "reduce") || !strcmp(f->fallback, "all")) return "VN_ALL";
    if (!f->fallback[0] || of_input(f) || is_type(f, "init") || is_type(f, "optim") || is_type(f, "optims")) return NULL;
    if (is_type(f, "dtype")) return dtype_in_c(f->fallback);
    if (is_type(f, "text")) return "NULL";
    if (is_type(f, "int") && !strcmp(f->fallback, "none")) return "0"; /* a rule computes it */
    return !strcmp(kind, "VN_OPT_INTS") ? "VN_DEFAULT" : f->fallback;
}

/* Lists of arrays and of optimizers are two parameters; results beside the first stand behind the options. */
static int ends_with_options(const row *r, const signature *s, const options *o)
{
    for (int i = 0; i < o->parameters; i++)
        if (is_type(&o->f[i], "optims")) return 0;
    return object_kind(r) >= 0 || (is_listed(r) && !s->many && s->shown == 1);
}

call call_of(const row *r)
{
    signature s = object_kind(r) < 0 ? arguments(r) : (signature){0};
    options o = options_of(r);
    call c = {0};
    for (int i = 0; i < s.n; i++) snprintf(c.fallback[c.n++], TEXTS, "%s", i < s.required ? "" : "VN_NONE");
    for (int i = 0; i < o.parameters; i++) {
        const char *value = default_in_c(&o.f[i]);
        snprintf(c.fallback[c.n++], TEXTS, "%s", value ? value : "");
    }
    if (o.set) snprintf(c.fallback[c.n++], TEXTS, "NULL");
    c.given = c.n;
    while (ends_with_options(r, &s, &o) && c.given > 1 && c.fallback[c.given - 1][0]) c.given--;
    if (c.given < c.n && (c.n - c.given > CALL_DEFAULTS || c.n > CALL_PARAMETERS))
        stop(r->name, "calls.h has no macro for so many parameters");
    return c;
}

void call_default(const call *c, int i, const char *format)
{
    if (format && i >= c->given) printf(format, c->fallback[i]);
}

void call_macro(const row *r)
{
    const call c = call_of(r);
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s%s", object_kind(r) < 0 ? prefix(r) : "vn_", object_kind(r) < 0 ? "" : objects[object_kind(r)].prefix);
    if (c.given == c.n) return;
    printf("#define %s%s(...) %s%s(__VA_ARGS__ VN__REST%d(__VA_ARGS__)(", name, r->name, name, r->name, c.n);
    for (int i = c.n - CALL_DEFAULTS; i < c.n; i++) {
        if (i >= c.given) printf("%s%s", i > c.given ? " " : "", c.fallback[i]);
        printf("%s", i + 1 < c.n ? "," : "))\n");
    }
}
