/* headers.c: the public headers, the declarations of internal ops, the docs page. */
#include "gen.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char licence[] = "/* SPDX-License-Identifier: Apache-2.0 */\n";

/* "int64_t axis", "int64_t strides[3]" */
void declare(const field *f)
{
    const char *c = types[f->t].c;
    printf("%s%s%s%s", c, c[strlen(c) - 1] == '*' ? "" : " ", f->name, types[f->t].dimensions);
}

/* The op's function; or, of a row with results that it does not show, the internal one that gives all of them. */
void prototype(const row *r, int all, const char *defaults)
{
    signature s = arguments(r);
    options o = options_of(r);
    const call c = call_of(r);
    int n_out = all ? s.m : s.shown, n = 0;
    const char *comma = "";
    printf("%s%s%s(", s.many && !s.plain ? "int " : "vn_array *", all ? "vn__" : prefix(r), r->name);
    if (s.many) printf("int n, vn_array *const *%s", s.plain ? s.in[0].name : "in"), comma = ", ";
    for (int i = 0; i < s.n && !s.many; i++, comma = ", ") printf("%svn_array *%s", comma, s.in[i].name), call_default(&c, n++, defaults);
    for (int i = 0; i < o.parameters; i++, comma = ", ") printf("%s", comma), declare(&o.f[i]), call_default(&c, n++, defaults);
    if (o.set) printf("%sconst vn_%s_opts *opts", comma, r->name), call_default(&c, n, defaults), comma = ", ";
    for (int i = 1; i < n_out && !s.many; i++, comma = ", ") printf("%svn_array **%s", comma, s.out[i].name);
    printf("%s)", s.many && !s.plain ? ", vn_array **out" : "");
}

/* The options of a set as all rows have them that use it: with every layout, unless the rows have equally many spatial axes. */
static options options_for_all(const row *set, const row *first)
{
    row any = *first;
    for (const row *r = first; r < rows + n_rows; r++)
        if ((is_op(r) || object_kind(r) >= 0) && options_of(r).set == set && r->spatial != first->spatial) any.spatial = 0;
    return options_of(&any);
}

/* Names what would be padding behind an odd number of flags, all other fields having multiples of 8 bytes: a field that is added there
 * later then finds 0 in the structs of older programs. */
static void fill_hole(int *flags, int *holes)
{
    if (*flags % 2 == 0) return;
    printf("    int reserved");
    if ((*holes)++) printf("%d", *holes);
    printf(" VN_UNSET; /* 0 */\n");
    *flags = 0;
}

/* A set of options as a struct, in C and C++: VN_UNSET keeps C++ from warning of fields that a call does not name. */
static void struct_of(const row *set, const row *user)
{
    options o = options_for_all(set, user);
    int flags = 0, holes = 0;
    printf("typedef struct vn_%s_opts {\n    size_t size VN_UNSET;\n", set->name);
    for (int i = o.parameters; i < o.n; i++) {
        const field *f = &o.f[i];
        if (is_type(f, "flag")) flags++;
        else fill_hole(&flags, &holes);
        printf("    ");
        declare(f);
        printf(" VN_UNSET; /* %s", f->doc);
        for (const char *c = f->texts; *c; c++) {
            if (c == f->texts) printf(": ");
            if (*c == '|') printf(", ");
            else putchar(*c);
        }
        if (f->texts[0]) printf("; the first unless given");
        else if (!is_type(f, "flag") && strcmp(f->fallback, "none") != 0 && strcmp(f->fallback, "0") != 0 &&
                 strcmp(f->fallback, "nan") != 0)
            printf("; %s unless given", f->fallback);
        if (f->range[0]) printf("; in %s", f->range);
        printf(" */\n");
    }
    fill_hole(&flags, &holes);
    printf("} vn_%s_opts;\n", set->name);
}

/* The first row that has these options. */
const row *first_user(const row *set)
{
    const row *r = rows;
    while (is(r, "section") || is(r, "family") || is(r, "options") || options_of(r).set != set) r++;
    return r;
}

/* The struct of a row's options: printed with the first row that has it, and named after each. */
void options_struct(const row *r)
{
    const row *set = options_of(r).set;
    if (!set) return;
    const row *first = first_user(set);
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s%s", object_kind(r) < 0 ? "" : objects[object_kind(r)].prefix, r->name);
    if (first == r) struct_of(set, r);
    if (strcmp(set->name, name) != 0) printf("typedef vn_%s_opts vn_%s_opts;\n", set->name, name);
}

/* Prints a text with `before` at the beginning of each line. */
static void indented(const char *text, const char *before)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        printf("%s%.*s\n", before, length, text);
        text += length + (text[length] == '\n');
    }
}

/* The introduction of a section, with its example, or of a family. */
static void heading_comment(const row *r)
{
    printf("/* ---- %s ----\n", r->inputs);
    indented(r->doc, " * ");
    if (is(r, "section")) printf(" *\n"), indented(r->shapes, " *     ");
    printf(" */\n\n");
}

/* ---- the headers: ops.h and objects.h, which include those that sections and families name ---- */

/* The first section or family of a header that another one includes: headers are listed by these. */
static int begins_header(const row *r)
{
    if (!is_heading(r) || !r->header) return 0;
    for (const row *s = rows; s < r; s++)
        if (is_heading(s) && s->header && !strcmp(s->header, r->header)) return 0;
    return 1;
}

/* "layers, initialisers": the families of a header. */
static void print_families(const char *name)
{
    const char *comma = "";
    for (const row *r = rows; r < rows + n_rows; r++) {
        if (!is(r, "family") || (strcmp(name, "objects") != 0 && strcmp(header_of(r), name) != 0)) continue;
        printf("%s%c%s", comma, tolower((unsigned char)r->inputs[0]), r->inputs + 1);
        comma = ", ";
    }
}

/* vinea.h comes before the guard, so that the header can be included alone: vinea.h then includes it in its place. */
static void opening(const char *name, const char *umbrella)
{
    const char *note = strcmp(name, umbrella) != 0 ? " vinea.h includes this header." : "";
    char guard[NAME];
    snprintf(guard, sizeof guard, "%s", name);
    for (char *c = guard; *c; c++) *c = (char)toupper((unsigned char)*c);
    printf("%s/* %s.h: ", licence, name);
    if (!strcmp(umbrella, "ops"))
        printf("%s, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.\n"
               " * Every op records a pending array and returns it, or returns NULL with the thread's error set.%s */\n",
               *note ? "a family of ops" : "the ops", note);
    else
        print_families(name), printf("; one function per row of src/nn/objects.def.\n"
                                     " * Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h, "
                                     "train.h).%s */\n",
                                     note);
    printf("/* clang-format off */\n#include <vinea/vinea.h>\n\n");
    printf("#ifndef VINEA_%s_H\n#define VINEA_%s_H\n\n", guard, guard);
}

static void declare_row(const row *r)
{
    printf("/* %s. */\n", r->doc);
    options_struct(r);
    printf("VN_API ");
    if (is_op(r)) prototype(r, 0, " VN_OR(%s)");
    else object_prototype(r, " VN_OR(%s)");
    printf(";\n\n");
}

/* A row whose function is declared in this header. */
static int is_declared(const row *r, const char *name)
{
    return !strcmp(header_of(r), name) && !is_heading(r) && (is_op(r) ? is_listed(r) : object_kind(r) >= 0);
}

/* The macros that let calls end early, behind all declarations: C++ reads the defaults in those. */
static void call_macros(const char *name)
{
    printf("\n#ifndef __cplusplus /* calls.h */\n");
    for (const row *r = rows; r < rows + n_rows; r++)
        if (is_declared(r, name)) call_macro(r);
    printf("#endif\n");
}

static void header(const char *name, const char *umbrella)
{
    int any = 0;
    opening(name, umbrella);
    for (const row *r = rows; r < rows + n_rows; r++) {
        if (strcmp(header_of(r), name) != 0) continue;
        if (!any++) printf("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
        if (is_heading(r)) heading_comment(r);
        else if (is_declared(r, name)) declare_row(r);
    }
    if (any) printf("#ifdef __cplusplus\n}\n#endif\n"), call_macros(name);
    if (!strcmp(name, umbrella)) {
        if (any) printf("\n/* Families of their own: */\n");
        for (const row *r = rows; r < rows + n_rows; r++)
            if (begins_header(r) && !strcmp(umbrella_of(r), name)) printf("#include <vinea/%s.h>\n", r->header);
    }
    printf("#endif\n");
}

static int header_into(const char *folder, const char *name, const char *umbrella)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.h", folder, name);
    if (!freopen(path, "w", stdout)) return perror(path), 1;
    header(name, umbrella);
    return fflush(stdout) || ferror(stdout);
}

int headers(const char *folder)
{
    int failed = header_into(folder, "ops", "ops") || header_into(folder, "objects", "objects");
    for (int i = 0; i < n_rows && !failed; i++)
        if (begins_header(&rows[i])) failed = header_into(folder, rows[i].header, umbrella_of(&rows[i]));
    return failed;
}

/* The parameters of an op's C++ function, or what it hands on to the C function. */
static void cpp_list(const row *r, int declared)
{
    signature s = arguments(r);
    options o = options_of(r);
    const call c = call_of(r);
    const char *comma = "", *defaults = declared ? " = %s" : NULL;
    int n = 0;
    if (s.many && declared) printf("const list &%s", s.in[0].name), comma = ", ";
    if (s.many && !declared) printf("%s.size(), %s.data()", s.in[0].name, s.in[0].name), comma = ", ";
    for (int i = 0; i < s.n && !s.many; i++, comma = ", ")
        printf("%s%s%s", comma, declared ? "const array &" : "", s.in[i].name), call_default(&c, n++, defaults);
    for (int i = 0; i < o.parameters; i++, comma = ", ") {
        printf("%s%s", comma, declared ? "" : o.f[i].name);
        if (declared) declare(&o.f[i]), call_default(&c, n++, defaults);
    }
    if (o.set && declared) printf("%sconst vn_%s_opts *opts%s", comma, r->name, s.many ? " = nullptr" : ""), call_default(&c, n, defaults);
    if (o.set && !declared) printf("%sopts", comma);
    if (o.set) comma = ", ";
    for (int i = 1; i < s.shown && !s.many; i++, comma = ", ") printf("%s%s%s", comma, declared ? "vn_array **" : "", s.out[i].name);
}

/* The ops for C++: arrays are vn::array. Functions that fill an array of arrays stay C. */
void cpp(void)
{
    printf("%s/* ops.hpp: the ops of ops.h on vn::array, in namespace vn; errors are thrown. Printed from the table by `make ops`: do not "
           "edit. */\n"
           "#ifndef VINEA_OPS_HPP\n#define VINEA_OPS_HPP\n\n#include <vinea/vinea.hpp>\n\nnamespace vn\n{\n",
           licence);
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (is(r, "section")) printf("\n/* ---- %s ---- */\n\n", r->inputs);
        if (!is_op(r) || !is_listed(r)) continue;
        signature s = arguments(r);
        if (s.many && !s.plain) continue;
        printf("inline array %s(", r->name);
        cpp_list(r, 1);
        printf(") { return vn_%s(", r->name);
        cpp_list(r, 0);
        printf("); }\n");
    }
    printf("\n} // namespace vn\n#endif\n");
}

void internal(void)
{
    for (int i = 0; i < n_rows; i++) {
        signature s = arguments(&rows[i]);
        if (!is_op(&rows[i]) || (!rows[i].internal && s.shown == s.m)) continue;
        printf("/* %s. */\n", rows[i].doc);
        prototype(&rows[i], 1, NULL);
        printf(";\n");
    }
}

void docs(void)
{
    printf(
        "# The ops\n\nPrinted from `src/ops/ops.def` by `make ops`; the tests compare.\n\n"
        "A call may end before what has a default (`= NULL`), but for its first argument: `vn_cross_entropy(x, target)`.\n"
        "`const vn_<op>_opts *opts` is the op's struct of options (`VN_OPTS`; NULL: all defaults), described in `include/vinea/ops.h`, or "
        "in the header "
        "that the section names. vinea.h includes all of them. "
        "Ops with "
        "equal options share one\nstruct: `vn_conv1d_opts` and `vn_conv2d_opts` are names of one type. Options of an op with other "
        "fields are "
        "another type, which C++ refuses, and C with\n`-Werror=incompatible-pointer-types`. An op's other name, where it has one, is often "
        "that of the "
        "Array API standard: `vn_call` and `vn_op_named` know both.\n");
    for (int k = 0; k < n_rows; k++) {
        const row *r = &rows[k];
        if (is(r, "section")) printf("\n## %s\n\n", r->inputs);
        if (is(r, "section") && r->header) printf("Declared in `include/vinea/%s.h`.\n", r->header);
        if (is(r, "section"))
            printf("%s\n\n<!-- run -->\n```c\n%s```\n\n<!-- output -->\n```text\n%s```\n\n| op | kind | gradient | what it does "
                   "|\n|---|---|---|---|\n",
                   r->doc, r->shapes, r->sampled);
        if (!is_op(r) || !is_listed(r)) continue;
        char why[128];
        int none = reason(r, why);
        printf("| `");
        prototype(r, 0, " = %s");
        printf("` | %s | %s%s | %s", r->kind, none ? "none: " : !strcmp(r->vjp, "0") ? "by composition" : "yes", why, r->doc);
        if (r->alias) printf("; also called `%s`", r->alias);
        printf(" |\n");
    }
}
