/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the op table at run time. */
#include "base/hash.h"
#include "gen.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first rows with the inputs and results, and with the options, of a row: rows alike share what is listed of them. */
const row *first_with_inputs(const row *r)
{
    const row *i = rows;
    while (!is_op(i) || strcmp(i->inputs, r->inputs) != 0) i++;
    return i;
}
const row *first_with_options(const row *r)
{
    const row *i = rows;
    while (!is_op(i) || strcmp(i->options, r->options) != 0 || i->spatial != r->spatial) i++;
    return i;
}

static void list_fields(const char *what, const row *r, int n, const field *f)
{
    printf("static const char *const %s_%s[] = {", what, r->name);
    for (int i = 0; i < n; i++) printf("\"%s\", ", f[i].name);
    printf("0};\nstatic const uint8_t %s_dtypes_%s[] = {", what, r->name);
    for (int i = 0; i < n; i++) printf("DTYPE_%s, ", f[i].type);
    printf("0};\n");
}

static void list_inputs(const row *r)
{
    signature s = arguments(r);
    list_fields("inputs", r, s.n, s.in);
    list_fields("outputs", r, s.m, s.out);
}

/* What several options have in common is printed once, before the first that has it, and has a number: defaults, ranges, permitted texts,
 * whole lists of options. */
enum { SHARED = 4096, SHARED_TEXT = 1 << 14 };
static struct {
    char *declared, *text;
} shared[SHARED];
static int first_shared, n_shared;

void forget_shared(void)
{
    first_shared = n_shared;
}

/* Of the type that `declared` says, up to the name of the variable. */
static int share(const char *declared, const char *brackets, const char *text)
{
    int k = first_shared;
    while (k < n_shared && (strcmp(shared[k].declared, declared) != 0 || strcmp(shared[k].text, text) != 0)) k++;
    if (k < n_shared) return k;
    if (k == SHARED) stop(declared, "more than %d are shared", SHARED);
    shared[k].declared = strdup(declared);
    shared[k].text = strdup(text);
    printf("static const %s shared_%d%s = %s;\n", declared, k, brackets, text);
    return n_shared++;
}

typedef struct {
    char text[SHARED_TEXT];
    size_t n;
} written;

__attribute__((format(printf, 2, 3))) static void put(written *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof w->text - w->n) stop("options", "they are longer than %d characters", SHARED_TEXT);
    w->n += (size_t)n;
}

/* The texts permitted for an option: {"VALID", "SAME", 0}. */
static int share_texts(const field *f)
{
    written w = {.n = 0};
    put(&w, "{\"");
    for (const char *c = f->texts; *c; c++) {
        if (*c == '|') put(&w, "\", \"");
        else put(&w, "%c", *c);
    }
    put(&w, "\", 0}");
    return share("char *const", "[]", w.text);
}

/* "[0, 1)" as a vn_op_range. */
static int share_range(const row *r, const field *f)
{
    char low[NAME], high[NAME], end, text[128];
    if (sscanf(f->range + 1, "%31[^,], %31[^])]%c", low, high, &end) != 3)
        stop(r->name, "the range \"%s\" of %s is not read", f->range, f->name);
    snprintf(text, sizeof text, "{%s, %s, %d, %d}", !strcmp(low, "-inf") ? "-HUGE_VAL" : low, !strcmp(high, "inf") ? "HUGE_VAL" : high,
             f->range[0] == '(', end == ')');
    return share("vn_op_range", "", text);
}

/* A default as a value of vn_option. */
static int share_value(const char *name, const char *kind, const char *value)
{
    char text[512];
    snprintf(text, sizeof text, "{\"%s\", %s, %s}", name, kind, value);
    return share("vn_option", "", text);
}

static int share_default(const field *f)
{
    const char *kind = types[f->t].kind;
    char value[256];
    if (is_type(f, "number")) kind = "VN_OPT_INT"; /* an integer, which is exact */
    if (!strcmp(kind, "VN_OPT_INTS")) snprintf(value, sizeof value, "%s, {0}", !strcmp(f->fallback, "all") ? "VN__ALL_AXES" : "0");
    else if (is_type(f, "text") || is_type(f, "init")) snprintf(value, sizeof value, "1, {.s = \"%s\"}", f->fallback);
    else if (is_type(f, "module")) snprintf(value, sizeof value, "1, {0}");
    else if (is_type(f, "float")) snprintf(value, sizeof value, "1, {.f = %s}", strcmp(f->fallback, "nan") != 0 ? f->fallback : "NAN");
    else if (is_type(f, "dtype")) snprintf(value, sizeof value, "1, {.i = DTYPE_%s}", f->fallback);
    else snprintf(value, sizeof value, "1, {.i = %s}", strcmp(f->fallback, "none") != 0 ? f->fallback : "0");
    return share_value(f->name, kind, value);
}

void list_options(const row *r)
{
    options o = options_of(r);
    written w = {.n = 0};
    put(&w, "{\n");
    for (int i = 0; i < o.n; i++) {
        const field *f = &o.f[i];
        int reduce = is_type(f, "reduce"), list = is_type(f, "sizes");
        put(&w, "    {.name = \"%s\", .kind = %s, .type = \"%s\"", f->name, types[f->t].kind, reduce ? "axes" : list ? "list" : f->type);
        if (reduce) put(&w, ", .fallback = \"all\", .value = &shared_%d", share_value(f->name, "VN_OPT_INTS", "VN__ALL_AXES, {0}"));
        if (f->fallback[0]) put(&w, ", .fallback = \"%s\"", f->fallback);
        if (f->fallback[0] && !of_input(f)) put(&w, ", .value = &shared_%d", share_default(f));
        if (f->texts[0]) put(&w, ", .texts = shared_%d", share_texts(f));
        if (f->range[0]) put(&w, ", .range = &shared_%d", share_range(r, f));
        if (f->doc) put(&w, ", .doc = \"%s\"", f->doc);
        put(&w, "},\n");
        if (reduce)
            put(&w, "    {.name = \"keepdims\", .kind = VN_OPT_INT, .type = \"flag\", .fallback = \"0\", .value = &shared_%d},\n",
                share_value("keepdims", "VN_OPT_INT", "1, {0}"));
    }
    put(&w, "}");
    if (o.n) printf("#define options_%s shared_%d\n", r->name, share("vn_op_option", "[]", w.text));
    else printf("#define options_%s NULL\n", r->name);
}

/* Where the fields of a row's struct are. */
static void list_struct(const row *r)
{
    options o = options_of(r);
    if (!o.set) return;
    printf("static const vn__field fields_%s[] = {\n", r->name);
    for (int i = o.parameters; i < o.n; i++)
        printf("    {offsetof(vn_%s_opts, %s), sizeof(((vn_%s_opts *)0)->%s), %s},\n", r->name, o.f[i].name, r->name, o.f[i].name,
               types[o.f[i].t].read);
    printf("};\nstatic const vn__struct struct_%s = {sizeof(vn_%s_opts), %d, fields_%s, options_%s + %d};\n", r->name, r->name,
           o.n - o.parameters, r->name, r->name, slot(&o, o.parameters));
}

static void text_field(const char *name, const char *text)
{
    if (text && *text) printf(", .%s = \"%s\"", name, text);
}

static int has_extra(const row *r)
{
    return r->product || (r->shapes && *r->shapes) || (r->sampled && *r->sampled);
}

static void list_extra(const row *r)
{
    printf("static const vn__op_extra extra_%s = {.flops = %s", r->name, r->product ? r->product : "NULL");
    text_field("sample_shapes", r->shapes);
    text_field("sample_options", r->sampled);
    printf("};\n");
}

static void table_row(const row *r, const row *section)
{
    signature s = arguments(r);
    options o = options_of(r);
    int total = o.n;
    char why[128];
    int none = reason(r, why);
    const char *in = first_with_inputs(r)->name;
    for (int i = 0; i < o.n; i++) total += is_type(&o.f[i], "reduce");
    printf("    {.info = {.name = \"%s\", .kind = \"%s\", .doc = \"%s\", "
           ".section = \"%s\"",
           r->name, r->kind, r->doc, section->inputs);
    printf(", .n_inputs = %d, .n_options = %d, .n_outputs = %d, .n_required = %d", s.n, total, s.shown, s.required);
    printf(", .inputs = inputs_%s, .input_dtypes = inputs_dtypes_%s, .outputs = outputs_%s, .options = options_%s", in, in, in,
           first_with_options(r)->name);
    unsigned in_lists = 0, out_lists = 0;
    for (int i = 0; i < s.n; i++) in_lists |= (unsigned)s.in[i].list << i;
    for (int i = 0; i < s.m; i++) out_lists |= (unsigned)s.out[i].list << i;
    printf(", .any_number = %d, .differentiable = %d, .dtypes = %s", s.many > 0, !none, r->dtypes);
    text_field("no_gradient", why);
    text_field("alias", r->alias);
    const int cast = r->cast ? r->cast : r->product && !r->internal ? -1 : r->internal ? 0 : section->cast;
    printf(", .traits = 0%s%s%s%s%s%s%s%s},\n", r->internal ? " | VN_OP_INTERNAL" : "", r->random ? " | VN_OP_RANDOM" : "",
           r->shaped ? " | VN_OP_SHAPED" : "", r->exact ? " | VN_OP_EXACT" : "", r->own_dtype ? " | VN_OP_OWN_DTYPE" : "",
           r->product ? " | VN_OP_PRODUCT" : "", r->part ? " | VN_OP_PART" : "",
           cast < 0   ? " | VN_OP_NARROW"
           : cast > 0 ? " | VN_OP_WIDE"
                      : "");
    printf("     .kind = VN__OP_");
    for (const char *c = r->kind; *c; c++) putchar(toupper((unsigned char)*c));
    printf(", .shape = %s, .dtype = %s, .vjp = %s, .compose = %s", r->shape, r->dtype, none ? "0" : r->vjp, r->compose);
    printf(", .n_results = %d", s.m);
    printf(", .out_dtypes = outputs_dtypes_%s, .in_lists = %u, .out_lists = %u, .hash = UINT64_C(0x%016llx)", in, in_lists, out_lists,
           (unsigned long long)vn__hash_text(r->name));
    if (o.set) printf(", .fields = &struct_%s", first_with_options(r)->name);
    if (has_extra(r)) printf(", .extra = &extra_%s", r->name);
    printf("},\n");
}

/* Ops by the hash of their name, ascending, for looking them up; and the few aliases. */
typedef struct {
    uint64_t hash;
    int op, alias;
} entry;

static int by_hash(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static void look_up_table(int n, const row *const *all)
{
    entry entries[2 * n_rows];
    int m = 0;
    for (int k = 0; k < n; k++) {
        entries[m++] = (entry){vn__hash_text(all[k]->name), k, 0};
        if (all[k]->alias) entries[m++] = (entry){vn__hash_text(all[k]->alias), k, 1};
    }
    qsort(entries, (size_t)m, sizeof *entries, by_hash);
    printf("static const uint16_t by_hash[] = {");
    for (int k = 0; k < m; k++) {
        if (k && entries[k].hash == entries[k - 1].hash) stop(all[entries[k].op]->name, "two names have one hash");
        if (!entries[k].alias) printf("%d, ", entries[k].op);
    }
    printf("};\nstatic const struct {\n    uint64_t hash;\n    int op;\n} aliases[] = {\n");
    for (int k = 0; k < m; k++)
        if (entries[k].alias) printf("    {UINT64_C(0x%016llx), %d},\n", (unsigned long long)entries[k].hash, entries[k].op);
    printf("};\n");
}

void table(void)
{
    const row *all[n_rows];
    int n = in_order(all), n_public = 0;
    for (int k = 0; k < n; k++) {
        if (first_with_inputs(all[k]) == all[k]) list_inputs(all[k]);
        if (first_with_options(all[k]) == all[k]) list_options(all[k]), list_struct(all[k]);
        if (has_extra(all[k])) list_extra(all[k]);
        n_public += is_listed(all[k]);
    }
    printf("const vn__op vn__ops[] = {\n");
    for (int k = 0; k < n; k++) table_row(all[k], section_of(all[k]));
    printf("};\nconst int vn__op_count = %d, vn__op_public = %d;\n", n, n_public);
    look_up_table(n, all);
    for (int k = 0; k < n; k++) printf("const int vn__op_%s = %d;\n", all[k]->name, k);
}
