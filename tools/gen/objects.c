/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c: layers, optimizers and their like: functions, constructors by name, table. */
#include "gen.h"
#include <stdio.h>
#include <string.h>

void object_prototype(const row *r, const char *defaults)
{
    const int k = object_kind(r);
    const call c = call_of(r);
    options o = options_of(r);
    const char *comma = "";
    printf("%svn_%s%s(", objects[k].c, objects[k].prefix, r->name);
    for (int i = 0; i < o.parameters; i++, comma = ", ") printf("%s", comma), declare(&o.f[i]), call_default(&c, i, defaults);
    if (o.set) printf("%sconst vn_%s%s_opts *opts", comma, objects[k].prefix, r->name), call_default(&c, o.parameters, defaults);
    printf("%s)", o.n ? "" : "void");
}

/* What the list of a row's fields is called: that of its set, or its own where it permits only some of the set's texts. False: another
 * row prints it, or there is none. */
static int struct_name(const row *r, char to[static 2 * NAME])
{
    const row *set = object_kind(r) < 0 ? NULL : options_of(r).set;
    to[0] = 0;
    if (!set) return 0;
    if (r->spatial) snprintf(to, 2 * NAME, "%s%s", objects[object_kind(r)].prefix, r->name);
    else snprintf(to, 2 * NAME, "%s", set->name);
    for (const row *before = rows; before < r && !r->spatial; before++)
        if (object_kind(before) >= 0 && !before->spatial && options_of(before).set == set) return 0;
    return 1;
}

/* Whether kind k is the first of its family. */
static int begins_family(int k)
{
    return k == 0 || strcmp(objects[k].family, objects[k - 1].family) != 0;
}

static int in_family(const row *r, int k)
{
    return object_kind(r) >= 0 && !strcmp(objects[object_kind(r)].family, objects[k].family);
}

/* The numbers of a family's rows, from 1: the kind of what is plain data. */
static void row_numbers(int k)
{
    printf("enum {\n");
    for (int i = 0, n = 0; i < n_rows; i++)
        if (in_family(&rows[i], k)) printf("    VN__%s_%s = %d,\n", objects[k].family, rows[i].name, ++n);
    printf("};\n");
}

/* The declarations of the structs' fields, for the functions that take them, and of the families. */
void object_structs(void)
{
    char name[2 * NAME];
    for (int i = 0; i < n_rows; i++)
        if (struct_name(&rows[i], name)) printf("extern const vn__struct vn__struct_%s;\n", name);
    for (int k = 0; k < n_objects; k++)
        if (begins_family(k))
            printf("extern const vn__family vn__family_%s;\nextern const vn__makers vn__makers_%s;\n", objects[k].family,
                   objects[k].family);
    for (int k = 0; k < n_objects; k++)
        if (begins_family(k) && !strchr(objects[k].c, '*')) row_numbers(k);
    printf("#define VN__FAMILIES(X)");
    for (int k = 0; k < n_objects; k++)
        if (begins_family(k)) printf(" X(%s)", objects[k].family);
    printf("\n");
}

/* Option i of a row, read from what was given by name. */
static void named_value(const row *r, const field *f, int i)
{
    const char *kind = types[f->t].kind;
    if (is_type(f, "optims")) {
        printf("n, parts");
        return;
    }
    if (is_type(f, "optim")) {
        printf("vn__optim_of_text(\"%s\", o->v[%d].u.s)", r->name, i);
        return;
    }
    if (!strcmp(kind, "VN_OPT_INTS")) printf("vn__shape(o->v[%d].is, (size_t)o->v[%d].n)", i, i);
    else printf("o->v[%d].u.%s", i, is_type(f, "float") ? "f" : is_type(f, "text") ? "s" : "i");
}

/* The function of an activation, which is the op of its name as a module. */
static void activation(const row *r)
{
    options o = options_of(r);
    object_prototype(r, NULL);
    printf("\n{\n    return vn_nn_activation(\"%s\", ", r->name);
    if (o.n) printf("(const vn_option[]){");
    for (int i = 0; i < o.n; i++)
        printf("{\"%s\", %s, 1, {.%s = %s}}, ", o.f[i].name, types[o.f[i].t].kind, is_type(&o.f[i], "float") ? "f" : "i", o.f[i].name);
    printf("%s, %d);\n}\n", o.n ? "}" : "NULL", o.n);
}

/* The function of a loss or metric: plain data with the number of its row in its family, from 1, and its options. */
static void score(const row *r)
{
    const int k = object_kind(r);
    int number = 1;
    options o = options_of(r);
    for (const row *before = rows; before < r; before++) number += object_kind(before) == k;
    object_prototype(r, NULL);
    printf("\n{\n    %smade = {.kind = VN__NOT_MADE};\n", objects[k].c);
    printf("    if (!settle(&vn__family_%s, %d, made.value, %s, \"", objects[k].family, number, o.set ? "opts" : "NULL");
    letters(&o), printf("\""), passed(&o);
    printf(")) made.kind = %d;\n    return made;\n}\n", number);
}

/* Makes an object of a row from options by name. */
static void maker(const row *r)
{
    const int k = object_kind(r);
    options o = options_of(r);
    printf("static int make_%s_%s(const vn__options *o, const void *opts, void *to)\n{\n", objects[k].family, r->name);
    printf("    (void)o, (void)opts;\n");
    for (int i = 0; i < o.parameters; i++)
        if (is_type(&o.f[i], "optims"))
            printf("    vn_optim *parts[VN__OPTIM_PARTS];\n    int n;\n"
                   "    if (!vn__optims_of_text(\"%s\", o->v[%d].u.s, &n, parts)) return vn_status();\n",
                   r->name, i);
    const int pointer = strchr(objects[k].c, '*') != NULL;
    printf("    *(%s*)to = vn_%s%s(", objects[k].c, objects[k].prefix, r->name);
    for (int i = 0; i < o.parameters; i++) printf("%s", i ? ", " : ""), named_value(r, &o.f[i], i);
    if (o.set) printf("%sopts", o.parameters ? ", " : "");
    if (pointer) printf(");\n    return *(void **)to ? VN_OK : (int)vn_status();\n}\n");
    else printf(");\n    return ((%s*)to)->kind == VN__NOT_MADE ? (int)vn_status() : VN_OK;\n}\n", objects[k].c);
}

/* "5" of "top5": of an option k, which is a part of what the metric is called. */
static const char *number_behind(const row *r)
{
    static field f;
    options o = options_of(r);
    f = o.f[0];
    return o.n && is_type(&f, "int") && !strcmp(f.name, "k") ? f.fallback : "";
}

/* The layers that `vinea train --augment` adds: a word, which is the layer's name without "random_", the layer, and its first option. */
static void augment_words(void)
{
    static const char prefix[] = "random_";
    printf("#define AUGMENT_LAYERS(X)");
    for (int i = 0; i < n_rows; i++) {
        if (!rows[i].augment) continue;
        const size_t skip = strncmp(rows[i].name, prefix, sizeof prefix - 1) ? 0 : sizeof prefix - 1;
        printf(" X(\"%s\", \"%s\", \"%s\")", rows[i].name + skip, rows[i].name, options_of(&rows[i]).f[0].name);
    }
    printf("\n");
}

/* The names of each family, for the command line's choices. */
void object_words(void)
{
    augment_words();
    for (int k = 0; k < n_objects; k++) {
        if (!objects[k].words) continue;
        printf("static const char *const %s_words[] = {", objects[k].family);
        for (int i = 0; i < n_rows; i++)
            if (object_kind(&rows[i]) == k) printf("\"%s%s\", ", rows[i].name, is(&rows[i], "metric") ? number_behind(&rows[i]) : "");
        printf("NULL};\n");
    }
}

/* The options of a row, and the fields of its struct where it is the first that has it. */
static void row_options(const row *r)
{
    options o = options_of(r);
    char name[2 * NAME], fields[2 * NAME];
    snprintf(name, sizeof name, "%s_%s", objects[object_kind(r)].family, r->name);
    row named = *r;
    named.name = name;
    list_options(&named);
    if (!struct_name(r, fields)) return;
    printf("static const vn__field fields_%s[] = {\n", fields);
    for (int j = o.parameters; j < o.n; j++)
        printf("    {offsetof(vn_%s_opts, %s), sizeof(((vn_%s_opts *)0)->%s), %s},\n", o.set->name, o.f[j].name, o.set->name, o.f[j].name,
               types[o.f[j].t].read);
    printf("};\n_Static_assert(sizeof(vn_%s_opts) <= VN__OPTIONS_ROOM, \"the options of %s do not fit\");\n", o.set->name, fields);
    printf("const vn__struct vn__struct_%s = {sizeof(vn_%s_opts), %d, fields_%s, options_%s + %d};\n", fields, o.set->name,
           o.n - o.parameters, fields, name, o.parameters);
}

/* What is known of a family: its rows, without the functions that make objects of them. */
static void family_rows(int k)
{
    int count = 0;
    for (int i = 0; i < n_rows; i++)
        if (in_family(&rows[i], k)) row_options(&rows[i]), count++;
    printf("static const vn__object_row rows_%s[] = {\n", objects[k].family);
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (!in_family(r, k)) continue;
        options o = options_of(r);
        const int named = o.n - (o.n && is_type(&o.f[o.n - 1], "module")); /* which is for C only, and the last field */
        printf("    {.name = \"%s\", .doc = \"%s\", .function = \"%s%s\", .options = options_%s_%s, .n_options = %d, .first = %d%s",
               r->name, r->doc, objects[k].prefix, r->name, objects[k].family, r->name, named, o.parameters,
               r->integers ? ", .dtypes = VN_INTS" : "");
        char fields[2 * NAME];
        struct_name(r, fields);
        if (o.set) printf(", .fields = &vn__struct_%s", fields);
        printf("},\n");
    }
    printf("};\nconst vn__family vn__family_%s = {\"%s\", %d, rows_%s};\n", objects[k].family, objects[k].family, count, objects[k].family);
}

/* The functions that make objects of a family by name. */
static void family_makers(int k)
{
    for (int i = 0; i < n_rows; i++)
        if (in_family(&rows[i], k)) maker(&rows[i]);
    printf("static vn__maker *const make_%s[] = {\n", objects[k].family);
    for (int i = 0; i < n_rows; i++)
        if (in_family(&rows[i], k)) printf("    make_%s_%s,\n", objects[k].family, rows[i].name);
    printf("};\nconst vn__makers vn__makers_%s = {&vn__family_%s, make_%s};\n", objects[k].family, objects[k].family, objects[k].family);
}

/* Functions that are printed, of one kind. */
static void functions_of(const char *kind, void (*print)(const row *r))
{
    printf("#ifdef FUNCTIONS_%s\n", kind);
    for (int i = 0; i < n_rows; i++)
        if (is(&rows[i], kind)) print(&rows[i]);
    printf("#endif\n");
}

/* All of it in parts, of which each source file takes some: a program that is linked statically has only those that it uses. */
void object_table(void)
{
    for (int k = 0; k < n_objects; k++) {
        if (!begins_family(k)) continue;
        forget_shared();
        printf("#ifdef ROWS_%s\n", objects[k].family), family_rows(k), printf("#endif\n");
        printf("#ifdef MAKERS_%s\n", objects[k].family), family_makers(k), printf("#endif\n");
    }
    functions_of("activation", activation);
    functions_of("loss", score);
    functions_of("metric", score);
}
