/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c: the functions of ops, and the declarations of what rows name. */
#include "gen.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Parameters of a row's function as vn__put_parameter takes them: letters, and arguments. */
void letters(const options *o)
{
    for (int i = 0; i < o->parameters; i++) printf("%s", types[o->f[i].t].put);
}

void passed(const options *o)
{
    for (int i = 0; i < o->parameters; i++) {
        const option_type *t = &types[o->f[i].t];
        printf(", %s%s", !strcmp(t->kind, "VN_OPT_INTS") ? "&" : !strcmp(t->kind, "VN_OPT_INT") ? "(int64_t)" : "", o->f[i].name);
    }
}

/* The function of row number k, as prototype has it: it hands on what it is given (src/ops/functions.c). */
static void function(const row *r, int k, int all)
{
    signature s = arguments(r);
    options o = options_of(r);
    prototype(r, all, NULL);
    printf("\n{\n");
    if (s.many) {
        if (s.plain) printf("    vn_array *z;\n");
        printf("    return apply_lists(%d, n, %s, %s, %s, \"", k, s.plain ? s.in[0].name : "in", s.plain ? "&z" : "out",
               o.set ? "opts" : "NULL");
        letters(&o), printf("\""), passed(&o);
        printf(")%s;\n}\n\n", s.plain ? " ? NULL : z" : "");
        return;
    }
    if (!o.n && s.n >= 1 && s.n <= 3 && s.m == 1) {
        printf("    return apply%d(%d", s.n, k);
        for (int i = 0; i < s.n; i++) printf(", %s", s.in[i].name);
        printf(");\n}\n\n");
        return;
    }
    if (s.n == 1 && s.m == 1 && o.n == 1 && o.parameters == 1 && !o.f[0].range[0] && strchr("ais", types[o.f[0].t].put[0])) {
        printf("    return apply1_%s(%d, %s", types[o.f[0].t].put, k, s.in[0].name);
        passed(&o), printf(");\n}\n\n");
        return;
    }
    printf("    return apply(%d, %s, \"", k, o.set ? "opts" : "NULL");
    for (int i = 0; i < s.n; i++) printf("x");
    letters(&o);
    for (int i = 1; i < s.m; i++) printf("%s", all || i < s.shown ? "z" : "-");
    printf("\"");
    for (int i = 0; i < s.n; i++) printf(", %s", s.in[i].name);
    passed(&o);
    for (int i = 1; i < (all ? s.m : s.shown); i++) printf(", %s", s.out[i].name);
    printf(");\n}\n\n");
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
