/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c: the functions of ops, and the declarations of what rows name. */
#include "gen.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The function of row number k, as prototype has it. */
static void function(const row *r, int k, int all)
{
    signature s = arguments(r);
    options opt = options_of(r);
    const char *failed = s.many && !s.plain ? "vn_status()" : "NULL";
    prototype(r, all, NULL);
    printf("\n{\n");
    if (!s.many && s.n) {
        printf("    vn_array *const in[] = {");
        for (int i = 0; i < s.n; i++) printf("%s%s", i ? ", " : "", s.in[i].name);
        printf("};\n");
    }
    if (opt.n) {
        printf("    vn__options o;\n    o.n = 0;\n");
        for (int i = 0; i < opt.parameters; i++) {
            const option_type *t = &types[opt.f[i].t];
            printf("    %s(&o, %s%s);\n", t->put, !strcmp(t->kind, "VN_OPT_INTS") ? "&" : "", opt.f[i].name); /* lists are large */
        }
    }
    for (int i = 1; i < (all ? s.m : s.shown) && opt.set && !s.many; i++) printf("    if (%s) *%s = NULL;\n", s.out[i].name, s.out[i].name);
    if (opt.set) printf("    if (vn__put_fields(&o, \"%s\", &struct_%s, opts)) return %s;\n", r->name, first_with_options(r)->name, failed);
    for (int i = 0; i < opt.parameters; i++) {
        if (opt.f[i].range[0])
            printf("    if (vn__check_range(\"%s\", &options_%s[%d], (double)o.v[%d].u.%s)) return %s;\n", r->name,
                   first_with_options(r)->name, slot(&opt, i), slot(&opt, i), is_type(&opt.f[i], "float") ? "f" : "i", failed);
    }
    const char *o = opt.n ? "&o" : "NULL";
    if (s.plain) {
        printf("    vn_array *z;\n    return vn__apply_lists(%d, n, %s, %s, &z) ? NULL : z;\n}\n\n", k, s.in[0].name, o);
        return;
    }
    if (s.many) {
        printf("    return vn__apply_lists(%d, n, in, %s, out);\n}\n\n", k, o);
        return;
    }
    if (s.m > 1) {
        printf("    vn_array **const more[] = {");
        for (int i = 1; i < s.m; i++) printf("%s%s", i > 1 ? ", " : "", all || i < s.shown ? s.out[i].name : "NULL");
        printf("};\n");
    }
    printf("    return vn__apply(%d, %d, %s, %s, %s);\n}\n\n", k, s.n, s.n ? "in" : "NULL", o, s.m > 1 ? "more" : "NULL");
}

void api(void)
{
    const row *all[n_rows];
    int n = in_order(all);
    for (int k = 0; k < n; k++) {
        signature s = arguments(all[k]);
        if (by_hand(all[k])) continue;
        function(all[k], k, 0);
        if (s.shown < s.m) function(all[k], k, 1);
    }
}

/* The numbers of a row's options: enum {OPT_SUM_AXES, OPT_SUM_KEEPDIMS}; */
static void number_options(const row *r)
{
    options o = options_of(r);
    for (int i = 0; i < o.n; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s_%s", r->name, o.f[i].name);
        for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
        printf("%sOPT_%s", i ? ", " : "enum {", name);
        if (is_type(&o.f[i], "reduce")) printf(", OPT_%.*sKEEPDIMS", (int)(strlen(r->name) + 1), name);
    }
    if (o.n) printf("};\n");
}

/* Declares the functions that rows name, which have the library's prefix there, and numbers the options that they read. */
void names(void)
{
    const row *all[n_rows];
    int n = in_order(all);
    for (int k = 0; k < n; k++) {
        number_options(all[k]);
        const struct {
            const char *type, *name;
        } of[] = {{"vn__rule", all[k]->shape},
                  {"vn__rule", all[k]->dtype},
                  {"vn__vjp", all[k]->vjp},
                  {"vn__composition", all[k]->compose},
                  {"vn__counter", all[k]->product}};
        for (int i = 0; i < 5; i++) {
            int seen = !of[i].name || !strcmp(of[i].name, "0") || !strncmp(of[i].name, "NO(", 3);
            for (int j = 0; j < k && !seen; j++) {
                seen = !strcmp(all[j]->shape, of[i].name) || !strcmp(all[j]->dtype, of[i].name) || !strcmp(all[j]->vjp, of[i].name) ||
                       !strcmp(all[j]->compose, of[i].name) || (all[j]->product && !strcmp(all[j]->product, of[i].name));
            }
            if (!seen) printf("#define %s vn__%s\n%s %s;\n", of[i].name, of[i].name, of[i].type, of[i].name);
        }
    }
}
