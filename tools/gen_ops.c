/* gen_ops.c: generates code from the op table: the public header, the declarations of internal ops and of functions that rows name,
 * the C functions, the run-time table, the docs page. Runs at build time: `gen header | internal | names | api | table | docs`. An invalid
 * row, or one with neither kernel nor composition, fails the build with its name. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *kind, *inputs, *options, *dtypes, *shape, *dtype, *vjp, *compose, *doc;
    const char *alias, *shapes, *sampled; /* traits; for SAMPLE the shapes and the options */
    int internal, random, shaped, exact, own_dtype;
} row;

/* Traits are fields of the row. They follow the doc line, if any, so each row ends with an extra comma. */
#define ALIAS(name) .alias = #name
#define SAMPLE(...) SAMPLE_OF(__VA_ARGS__, "", )
#define SAMPLE_OF(shape, options, ...) .shapes = shape, .sampled = options
#define INTERNAL .internal = 1
#define RANDOM .random = 1
#define SHAPED .shaped = 1
#define EXACT .exact = 1
#define OWN_DTYPE .own_dtype = 1

#define SECTION(name, title, introduction) {#name, "section", title, "", "", "", "", "", "", .doc = introduction},
#define UNARY(...) UNARY_ROW(__VA_ARGS__, )
#define UNARY_ROW(name, dtypes, gradient, text, ...) \
    {#name, "primitive", "x", "", #dtypes, "shape_same", "dtype_same", "vjp_" #name, "0", .doc = text, __VA_ARGS__},
#define BINARY(...) BINARY_ROW(__VA_ARGS__, )
#define BINARY_ROW(name, dtypes, gx, gy, text, ...) \
    {#name, "primitive", "x, y", "", #dtypes, "shape_broadcast", "dtype_promote", "vjp_" #name, "0", .doc = text, __VA_ARGS__},
#define NO_GRADIENT "NO(\"the result is bool\")"
#define TEST(...) TEST_ROW(__VA_ARGS__, )
#define TEST_ROW(name, dtypes, text, ...) \
    {#name, "primitive", "x -> z:bool", "", #dtypes, "shape_same", "dtype_bool", NO_GRADIENT, "0", .doc = text, __VA_ARGS__},
#define COMPARE(...) COMPARE_ROW(__VA_ARGS__, )
#define COMPARE_ROW(name, dtypes, text, ...) \
    {#name, "primitive", "x, y -> z:bool", "", #dtypes, "shape_broadcast", "dtype_compare", NO_GRADIENT, "0", .doc = text, __VA_ARGS__},
#define OP(...) OP_ROW(__VA_ARGS__, )
#define OP_ROW(name, kind, inputs, options, dtypes, shape, dtype, vjp, compose, text, ...) \
    {#name, #kind, inputs, options, #dtypes, #shape, #dtype, #vjp, #compose, .doc = text, __VA_ARGS__},
static const row rows[] = {
#include "ops/ops.def"
};
enum { n_rows = sizeof rows / sizeof *rows };
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE

/* The names of the native engine's kernels. */
static const char *const kernels[] = {
#define ELEMENT(name, dtypes) #name,
#define WHOLE(name, dtypes) #name,
#define ROW(name, dtypes, record, family, index) #name,
#include "../engines/native/kernels.def"
};
enum { n_kernels = sizeof kernels / sizeof *kernels };

static void stop(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void stop(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "ops.def: %s: ", name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static int is(const row *r, const char *kind)
{
    return !strcmp(r->kind, kind);
}

/* Rows whose public function is hand-written. */
static int by_hand(const row *r)
{
    return is(r, "move") || is(r, "tied");
}

/* Public ops come first in the table, so that the op list ends before the internal ones. Returns the number of rows without sections. */
static int in_order(const row *out[static n_rows])
{
    int n = 0;
    for (int internal = 0; internal < 2; internal++)
        for (int k = 0; k < n_rows; k++)
            if (!is(&rows[k], "section") && rows[k].internal == internal) out[n++] = &rows[k];
    return n;
}

static const char *prefix(const row *r)
{
    return r->internal ? "vn__" : "vn_";
}

/* ---- columns: lists of names with a type and a default ------------------------------------------------------------------------- */

enum { MOST = 8 }; /* inputs, results, options: the core's VN__MAX_IN, VN__MAX_OUT, VN__MAX_OPTIONS */

/* Option types: the C type of each, and its run-time options. */
static const struct {
    const char *type, *c, *kind, *put;
} types[] = {
    {"shape", "vn_shape", "VN_OPT_INTS", "vn__put_shape"},
    {"order", "vn_axes", "VN_OPT_INTS", "vn__put_order"},
    {"reduce", "vn_axes", "VN_OPT_INTS", "vn__put_axes"},
    {"dtype", "vn_dtype", "VN_OPT_INT", "vn__put_int"},
    {"flag", "int", "VN_OPT_INT", "vn__put_int"},
    {"int", "int64_t", "VN_OPT_INT", "vn__put_int"},
    {"float", "double", "VN_OPT_FLOAT", "vn__put_float"},
    {"list", "vn_shape", "VN_OPT_INTS", "vn__put_shape"},
    {"text", "const char *", "VN_OPT_STRING", "vn__put_text"},
};
enum { n_types = sizeof types / sizeof *types };

typedef struct {
    char name[32], type[32], fallback[32];
    int t;    /* of an option: number of its type */
    int list; /* of an input or result: it is a list */
} field;

static void copy(const row *r, char to[static 32], const char *from, size_t length)
{
    if (length >= 32) stop(r->name, "\"%.*s\" is too long", (int)length, from);
    memcpy(to, from, length);
    to[length] = 0;
}

/* Splits "a:shape, b:dtype=float32", or "x, index:int64". Returns their number. */
static int split(const row *r, const char *text, field *out)
{
    int n = 0;
    for (; *text; text += strspn(text, ",; ")) {
        if (n == MOST) stop(r->name, "more than %d entries in one column", MOST);
        field *f = &out[n++];
        memset(f, 0, sizeof *f);
        size_t length = strcspn(text, ",;"), name = strcspn(text, ":,;"), type = strcspn(text, "=,;");
        copy(r, f->name, text, name < type ? name : type);
        if (name < type) copy(r, f->type, text + name + 1, type - name - 1);
        if (type < length) copy(r, f->fallback, text + type + 1, length - type - 1);
        text += length;
    }
    return n;
}

static int options_of(const row *r, field *out)
{
    int n = split(r, r->options, out);
    for (int i = 0; i < n; i++) {
        while (out[i].t < n_types && strcmp(types[out[i].t].type, out[i].type) != 0) out[i].t++;
        if (out[i].t == n_types) stop(r->name, "option %s has the unknown type \"%s\"", out[i].name, out[i].type);
    }
    return n;
}

/* "x, weight?, bias? -> y, state; gates": inputs, the last of which may be optional (?), and results, of which those behind the semicolon
 * are not in the public function; both may be lists ("xs..."). */
typedef struct {
    field in[MOST], out[MOST];
    int n, m, shown, required; /* m: results; shown: those of the public function */
    int many;                  /* there are lists */
    int plain;                 /* but only one, the last input, and one result */
} signature;

static signature arguments(const row *r)
{
    signature s = {.m = 1, .out = {{.name = "z"}}};
    const char *arrow = strstr(r->inputs, " -> "), *behind = strchr(r->inputs, ';');
    char inputs[256];
    snprintf(inputs, sizeof inputs, "%.*s", (int)(arrow ? arrow - r->inputs : (long)strlen(r->inputs)), r->inputs);
    s.n = split(r, inputs, s.in);
    if (arrow) s.m = split(r, arrow + 4, s.out);
    s.shown = s.m;
    for (; behind && *behind; behind++) s.shown -= *behind == ',' || *behind == ';';
    for (int i = 0; i < s.n; i++) {
        char *mark = strpbrk(s.in[i].name, "?.");
        if (!mark || *mark == '.') s.required = i + 1;
        s.in[i].list = mark && *mark == '.';
        s.many += s.in[i].list;
        if (mark) *mark = 0;
    }
    s.plain = s.many == 1 && s.in[s.n - 1].list && s.n == 1 && s.m == 1;
    for (int i = 0; i < s.m; i++) {
        char *mark = strchr(s.out[i].name, '.');
        s.out[i].list = mark != NULL;
        if (mark) *mark = 0, s.plain = 0;
    }
    return s;
}

/* A row without a gradient says why: NO("the result is bool"). Copies the reason, or returns false. */
static int reason(const row *r, char to[static 128])
{
    to[0] = 0;
    return !strncmp(r->vjp, "NO(", 3) && sscanf(r->vjp, "NO(\"%127[^\"]", to) == 1;
}

/* The hash of the op's name in programs, which must not depend on other ops. */
static uint64_t hash_of(const char *name)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    while (*name) h = (h ^ (unsigned char)*name++) * UINT64_C(0x100000001B3);
    return h;
}

/* ---- what a row must be -------------------------------------------------------------------------------------------------------- */

static int has_kernel(const row *r)
{
    for (int k = 0; k < n_kernels; k++)
        if (!strcmp(kernels[k], r->name)) return 1;
    return 0;
}

static void check_row(const row *r)
{
    field options[MOST];
    signature s = arguments(r);
    options_of(r, options);
    if (!strcmp(r->vjp, "0") && !is(r, "composed")) stop(r->name, "a gradient is missing, or the reason why there is none: NO(\"...\")");
    if (s.many && !s.plain && !r->internal) stop(r->name, "an op with several lists, or with lists of results, is internal");
    if (s.shown < s.m && (s.many || r->internal)) stop(r->name, "results behind a semicolon are for public rows without lists");
    if (!strcmp(r->compose, "0") && (is(r, "fused") || is(r, "composed"))) stop(r->name, "its composition is missing");
    if (is(r, "primitive") && !has_kernel(r))
        stop(r->name, "the native engine has no kernel for it: a line in engines/native/kernels.def, ops.def or whole.def is missing");
}

static void check(void)
{
    const row *all[n_rows];
    int n = in_order(all);
    for (int k = 0; k < n; k++) {
        check_row(all[k]);
        for (int j = 0; j < k; j++)
            if (!strcmp(all[j]->name, all[k]->name)) stop(all[k]->name, "there are two rows of that name");
    }
}

/* ---- printing ------------------------------------------------------------------------------------------------------------------ */

/* The op's function; or, for a row with hidden results, the internal one that returns all of them. */
static void prototype(const row *r, int all)
{
    field opt[MOST];
    signature s = arguments(r);
    int m = options_of(r, opt), n_out = all ? s.m : s.shown;
    printf("%s%s%s(", s.many && !s.plain ? "int " : "vn_array *", all ? "vn__" : prefix(r), r->name);
    if (s.many) printf("int n, vn_array *const *%s", s.plain ? s.in[0].name : "in");
    for (int i = 0; i < s.n && !s.many; i++) printf("%svn_array *%s", i ? ", " : "", s.in[i].name);
    for (int i = 0; i < m; i++) {
        const char *c = types[opt[i].t].c;
        printf(", %s%s%s", c, c[strlen(c) - 1] == '*' ? "" : " ", opt[i].name);
    }
    for (int i = 1; i < n_out && !s.many; i++) printf(", vn_array **%s", s.out[i].name);
    printf("%s)", s.many && !s.plain ? ", vn_array **out" : "");
}

static void header(void)
{
    printf("/* ops.h: the ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.\n"
           " * Every op records a pending array and returns it, or returns NULL with the thread's error set. */\n"
           "/* clang-format off */\n#ifndef VINEA_OPS_H\n#define VINEA_OPS_H\n\n#include <vinea/vinea.h>\n\n"
           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (is(r, "section")) printf("/* ---- %s ----\n * %s */\n\n", r->inputs, r->doc);
        if (is(r, "section") || by_hand(r) || r->internal) continue;
        printf("/* %s. */\nVN_API ", r->doc);
        prototype(r, 0);
        printf(";\n\n");
    }
    printf("#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void internal(void)
{
    for (int i = 0; i < n_rows; i++) {
        signature s = arguments(&rows[i]);
        if (is(&rows[i], "section") || (!rows[i].internal && s.shown == s.m)) continue;
        printf("/* %s. */\n", rows[i].doc);
        prototype(&rows[i], 1);
        printf(";\n");
    }
}

/* The function of row number k, as prototype has it. */
static void function(const row *r, int k, int all)
{
    field opt[MOST];
    signature s = arguments(r);
    int m = options_of(r, opt);
    prototype(r, all);
    printf("\n{\n");
    if (!s.many) {
        printf("    vn_array *const in[] = {");
        for (int i = 0; i < s.n; i++) printf("%s%s", i ? ", " : "", s.in[i].name);
        printf("};\n");
    }
    if (m) {
        printf("    vn__options o;\n    o.n = 0;\n");
        for (int i = 0; i < m; i++) printf("    %s(&o, %s);\n", types[opt[i].t].put, opt[i].name);
    }
    const char *o = m ? "&o" : "NULL";
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
    printf("    return vn__apply(%d, %d, in, %s, %s);\n}\n\n", k, s.n, o, s.m > 1 ? "more" : "NULL");
}

static void api(void)
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

/* Declares the functions that rows name. In the library they have its prefix. */
static void names(void)
{
    const row *all[n_rows];
    int n = in_order(all);
    for (int k = 0; k < n; k++) {
        const struct {
            const char *type, *name;
        } of[] = {{"vn__rule", all[k]->shape}, {"vn__rule", all[k]->dtype}, {"vn__vjp", all[k]->vjp}, {"vn__composition", all[k]->compose}};
        for (int i = 0; i < 4; i++) {
            int seen = !strcmp(of[i].name, "0") || !strncmp(of[i].name, "NO(", 3);
            for (int j = 0; j < k && !seen; j++) {
                seen = !strcmp(all[j]->shape, of[i].name) || !strcmp(all[j]->dtype, of[i].name) || !strcmp(all[j]->vjp, of[i].name) ||
                       !strcmp(all[j]->compose, of[i].name);
            }
            if (!seen) printf("#define %s vn__%s\n%s %s;\n", of[i].name, of[i].name, of[i].type, of[i].name);
        }
    }
}

/* The first rows with the same inputs and results, and with the same options, as a row: equal rows share their lists. */
static const row *first_with_inputs(const row *r)
{
    const row *i = rows;
    while (is(i, "section") || strcmp(i->inputs, r->inputs) != 0) i++;
    return i;
}
static const row *first_with_options(const row *r)
{
    const row *i = rows;
    while (is(i, "section") || strcmp(i->options, r->options) != 0) i++;
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

static void list_options(const row *r)
{
    field opt[MOST];
    int m = options_of(r, opt);
    printf("static const vn_op_option options_%s[] = {", r->name);
    for (int i = 0; i < m; i++) {
        int reduce = !strcmp(opt[i].type, "reduce");
        printf("{\"%s\", %s, \"%s\", ", opt[i].name, types[opt[i].t].kind, reduce ? "axes" : opt[i].type);
        if (reduce) printf("\"all\"}, {\"keepdims\", VN_OPT_INT, \"flag\", \"0\"}, ");
        else if (opt[i].fallback[0]) printf("\"%s\"}, ", opt[i].fallback);
        else printf("0}, ");
    }
    printf("{0}};\n");
}

static void text_field(const char *name, const char *text)
{
    if (text && *text) printf(", .%s = \"%s\"", name, text);
}

static void table_row(const row *r, const row *section)
{
    field opt[MOST];
    signature s = arguments(r);
    int m = options_of(r, opt), total = m;
    char why[128];
    int none = reason(r, why);
    const char *in = first_with_inputs(r)->name;
    for (int i = 0; i < m; i++) total += !strcmp(opt[i].type, "reduce");
    printf("    {.info = {.size = sizeof(vn_op_info), .name = \"%s\", .kind = \"%s\", .doc = \"%s\", .section = \"%s\"", r->name, r->kind,
           r->doc, section->inputs);
    printf(", .n_inputs = %d, .n_options = %d, .n_outputs = %d, .n_required = %d", s.n, total, s.shown, s.required);
    printf(", .inputs = inputs_%s, .outputs = outputs_%s, .options = options_%s", in, in, first_with_options(r)->name);
    unsigned in_lists = 0, out_lists = 0;
    for (int i = 0; i < s.n; i++) in_lists |= (unsigned)s.in[i].list << i;
    for (int i = 0; i < s.m; i++) out_lists |= (unsigned)s.out[i].list << i;
    printf(", .any_number = %d, .differentiable = %d, .dtypes = %s", s.many > 0, !none, r->dtypes);
    text_field("no_gradient", why);
    text_field("alias", r->alias);
    printf(", .traits = 0%s%s%s%s%s},\n", r->internal ? " | VN_OP_INTERNAL" : "", r->random ? " | VN_OP_RANDOM" : "",
           r->shaped ? " | VN_OP_SHAPED" : "", r->exact ? " | VN_OP_EXACT" : "", r->own_dtype ? " | VN_OP_OWN_DTYPE" : "");
    printf("     .kind = VN__OP_");
    for (const char *c = r->kind; *c; c++) putchar(toupper((unsigned char)*c));
    printf(", .shape = %s, .dtype = %s, .vjp = %s, .compose = %s", r->shape, r->dtype, none ? "0" : r->vjp, r->compose);
    printf(", .n_results = %d", s.m);
    printf(", .in_dtypes = inputs_dtypes_%s, .out_dtypes = outputs_dtypes_%s, .in_lists = %u, .out_lists = %u, .hash = UINT64_C(0x%016llx)",
           in, in, in_lists, out_lists, (unsigned long long)hash_of(r->name));
    text_field("sample_shapes", r->shapes);
    text_field("sample_options", r->sampled);
    printf("},\n");
}

/* Names and aliases by their hash, ascending, for looking them up. */
typedef struct {
    uint64_t hash;
    int op;
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
        entries[m++] = (entry){hash_of(all[k]->name), k};
        if (all[k]->alias) entries[m++] = (entry){hash_of(all[k]->alias), k};
    }
    qsort(entries, (size_t)m, sizeof *entries, by_hash);
    printf("static const struct {\n    uint64_t hash;\n    int op;\n} by_hash[] = {\n");
    for (int k = 0; k < m; k++) {
        if (k && entries[k].hash == entries[k - 1].hash) stop(all[entries[k].op]->name, "two names have one hash");
        printf("    {UINT64_C(0x%016llx), %d},\n", (unsigned long long)entries[k].hash, entries[k].op);
    }
    printf("};\n");
}

static const row *section_of(const row *r)
{
    while (!is(r, "section")) r--;
    return r;
}

static void table(void)
{
    const row *all[n_rows];
    int n = in_order(all), n_public = 0;
    for (int k = 0; k < n; k++) {
        if (first_with_inputs(all[k]) == all[k]) list_inputs(all[k]);
        if (first_with_options(all[k]) == all[k]) list_options(all[k]);
        n_public += !all[k]->internal;
    }
    printf("const vn__op vn__ops[] = {\n");
    for (int k = 0; k < n; k++) table_row(all[k], section_of(all[k]));
    printf("};\nconst int vn__op_count = %d, vn__op_public = %d;\n", n, n_public);
    look_up_table(n, all);
    for (int k = 0; k < n; k++) printf("const int vn__op_%s = %d;\n", all[k]->name, k);
}

static void docs(void)
{
    printf("# The ops\n\nPrinted from `src/ops/ops.def` by `make ops`; the tests compare.\n");
    for (int k = 0; k < n_rows; k++) {
        const row *r = &rows[k];
        if (is(r, "section")) printf("\n## %s\n\n%s\n\n| op | kind | gradient | what it does |\n|---|---|---|---|\n", r->inputs, r->doc);
        if (is(r, "section") || by_hand(r) || r->internal) continue;
        char why[128];
        int none = reason(r, why);
        printf("| `");
        prototype(r, 0);
        printf("` | %s | %s%s | %s", r->kind, none ? "none: " : !strcmp(r->vjp, "0") ? "by composition" : "yes", why, r->doc);
        if (r->alias) printf("; `%s` in the Array API standard", r->alias);
        printf(" |\n");
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } parts[] = {{"header", header}, {"internal", internal}, {"names", names}, {"api", api}, {"table", table}, {"docs", docs}};
    check();
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++) {
        if (!strcmp(argv[1], parts[i].name)) return parts[i].print(), fflush(stdout) || ferror(stdout);
    }
    fprintf(stderr, "usage: gen header|internal|names|api|table|docs\n");
    return 2;
}
