/* gen.c: prints everything that follows from the op table: the public header, the C functions, the declarations of what rows name, the
 * run-time table, the docs page. Runs at build time: `gen header | api | names | table | docs`. */
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *kind, *inputs, *options, *dtypes, *shape, *dtype, *vjp, *compose, *doc;
} row;

static const row rows[] = {
#define UNARY(name, dtypes, grad, doc) {#name, "primitive", "x", "", #dtypes, "shape_same", "dtype_same", "vjp_" #name, "0", doc},
#define BINARY(name, dtypes, gx, gy, doc) \
    {#name, "primitive", "x, y", "", #dtypes, "shape_broadcast", "dtype_promote", "vjp_" #name, "0", doc},
#define TEST(name, dtypes, doc) {#name, "primitive", "x", "", #dtypes, "shape_same", "dtype_bool", "NO(\"the result is bool\")", "0", doc},
#define COMPARE(name, dtypes, doc) \
    {#name, "primitive", "x, y", "", #dtypes, "shape_broadcast", "dtype_compare", "NO(\"the result is bool\")", "0", doc},
#define OP(name, kind, inputs, options, dtypes, shape, dtype, vjp, compose, doc) \
    {#name, #kind, inputs, options, #dtypes, #shape, #dtype, #vjp, #compose, doc},
#include "ops.def"
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE
#undef OP
};
enum { n_rows = sizeof rows / sizeof *rows };

/* Option types: how each looks in C, and the run-time options it becomes. */
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
    int t;
} field;

/* Splits "a:shape, b:dtype=float32" (or "x, y": then only names). Returns how many, -1 for an unknown type. */
static int split(const char *text, field *out)
{
    int n = 0;
    while (*text) {
        field *f = &out[n++];
        memset(f, 0, sizeof *f);
        size_t len = strcspn(text, ",");
        char one[96];
        snprintf(one, sizeof one, "%.*s", (int)len, text);
        text += len;
        text += strspn(text, ", ");
        char *fallback = strchr(one, '=');
        if (fallback) {
            *fallback = 0;
            snprintf(f->fallback, sizeof f->fallback, "%.31s", fallback + 1);
        }
        char *type = strchr(one, ':');
        if (type) {
            *type = 0;
            snprintf(f->type, sizeof f->type, "%.31s", type + 1);
            for (f->t = 0; f->t < n_types && strcmp(types[f->t].type, f->type) != 0;) f->t++;
            if (f->t == n_types) return -1;
        }
        snprintf(f->name, sizeof f->name, "%.31s", one);
    }
    return n;
}

/* "x, weight?, bias? -> y, state": inputs, the last of which may be optional (?) or any number ("xs..."), and results if there are
 * several. */
typedef struct {
    field in[8], out[8];
    int n, m, required, many; /* m: results; many: the last input stands for any number */
} signature;

static signature arguments(const row *r)
{
    signature s = {.many = 0};
    const char *arrow = strstr(r->inputs, " -> ");
    char inputs[256];
    snprintf(inputs, sizeof inputs, "%.*s", (int)(arrow ? arrow - r->inputs : (long)strlen(r->inputs)), r->inputs);
    s.n = split(inputs, s.in);
    s.m = arrow ? split(arrow + 4, s.out) : 1;
    for (int i = 0; i < s.n; i++) {
        char *mark = strpbrk(s.in[i].name, "?.");
        if (!mark) s.required = i + 1;
        else if (*mark == '.') s.many = 1, s.required = i + 1;
        if (mark) *mark = 0;
    }
    return s;
}

static void prototype(const row *r)
{
    field opt[8];
    signature s = arguments(r);
    int m = split(r->options, opt);
    printf("vn_array *vn_%s(", r->name);
    for (int i = 0; i < s.n; i++) {
        if (s.many && i == s.n - 1) printf("%sint n, vn_array *const *%s", i ? ", " : "", s.in[i].name);
        else printf("%svn_array *%s", i ? ", " : "", s.in[i].name);
    }
    for (int i = 0; i < m; i++) {
        const char *c = types[opt[i].t].c;
        printf(", %s%s%s", c, c[strlen(c) - 1] == '*' ? "" : " ", opt[i].name);
    }
    for (int i = 1; i < s.m; i++) printf(", vn_array **%s", s.out[i].name);
    printf(")");
}

/* A row without a gradient says why: NO("the result is bool"). Copies the reason, or says no. */
static int reason(const row *r, char to[128])
{
    to[0] = 0;
    return !strncmp(r->vjp, "NO(", 3) && sscanf(r->vjp, "NO(\"%127[^\"]", to) == 1;
}

/* Rows whose public function is not printed but written. */
static int by_hand(const row *r)
{
    return !strcmp(r->kind, "move") || !strcmp(r->kind, "tied");
}

static void header(void)
{
    printf("/* ops.h: the ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.\n"
           " * Every op records a pending array and returns it, or returns NULL with the thread's error set. */\n"
           "/* clang-format off */\n#ifndef VINEA_OPS_H\n#define VINEA_OPS_H\n\n#include <vinea/vinea.h>\n\n"
           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < n_rows; i++) {
        if (by_hand(&rows[i])) continue;
        printf("/* %s. */\nVN_API ", rows[i].doc);
        prototype(&rows[i]);
        printf(";\n\n");
    }
    printf("#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void api(void)
{
    for (int k = 0; k < n_rows; k++) {
        if (by_hand(&rows[k])) continue;
        field opt[8];
        signature s = arguments(&rows[k]);
        int m = split(rows[k].options, opt);
        prototype(&rows[k]);
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
        if (s.m > 1) {
            printf("    vn_array **const more[] = {");
            for (int i = 1; i < s.m; i++) printf("%s%s", i > 1 ? ", " : "", s.out[i].name);
            printf("};\n");
        }
        char n[16];
        snprintf(n, sizeof n, "%d", s.n);
        printf("    return vn__apply(%d, %s, %s, %s, %s);\n}\n\n", k, s.many ? "n" : n, s.many ? s.in[0].name : "in", m ? "&o" : "NULL",
               s.m > 1 ? "more" : "NULL");
    }
}

/* The functions that rows name, declared. In the library they carry its prefix. */
static void names(void)
{
    for (int k = 0; k < n_rows; k++) {
        const struct {
            const char *type, *name;
        } of[] = {{"vn__rule", rows[k].shape}, {"vn__rule", rows[k].dtype}, {"vn__vjp", rows[k].vjp}, {"vn__composition", rows[k].compose}};
        for (int i = 0; i < 4; i++) {
            int seen = !strcmp(of[i].name, "0") || !strncmp(of[i].name, "NO(", 3);
            for (int j = 0; j < k && !seen; j++) {
                seen = !strcmp(rows[j].shape, of[i].name) || !strcmp(rows[j].dtype, of[i].name) || !strcmp(rows[j].vjp, of[i].name) ||
                       !strcmp(rows[j].compose, of[i].name);
            }
            if (!seen) printf("#define %s vn__%s\n%s %s;\n", of[i].name, of[i].name, of[i].type, of[i].name);
        }
    }
}

/* The first rows with the inputs and results, and with the options, of row k: rows alike share what is listed of them. */
static const row *first_with_inputs(int k)
{
    int i = 0;
    while (strcmp(rows[i].inputs, rows[k].inputs) != 0) i++;
    return &rows[i];
}
static const row *first_with_options(int k)
{
    int i = 0;
    while (strcmp(rows[i].options, rows[k].options) != 0) i++;
    return &rows[i];
}

static void list_inputs(const row *r)
{
    signature s = arguments(r);
    printf("static const char *const inputs_%s[] = {", r->name);
    for (int i = 0; i < s.n; i++) printf("\"%s\", ", s.in[i].name);
    printf("0};\nstatic const char *const outputs_%s[] = {", r->name);
    for (int i = 0; i < s.m; i++) printf("\"%s\", ", s.m > 1 ? s.out[i].name : "z");
    printf("0};\n");
}

static void list_options(const row *r)
{
    field opt[8];
    int m = split(r->options, opt);
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

static void table(void)
{
    for (int k = 0; k < n_rows; k++) {
        if (first_with_inputs(k) == &rows[k]) list_inputs(&rows[k]);
        if (first_with_options(k) == &rows[k]) list_options(&rows[k]);
    }
    printf("const vn__op vn__ops[] = {\n");
    for (int k = 0; k < n_rows; k++) {
        const row *r = &rows[k];
        field opt[8];
        signature s = arguments(r);
        int m = split(r->options, opt), total = m;
        char why[128];
        int none = reason(r, why);
        for (int i = 0; i < m; i++) total += !strcmp(opt[i].type, "reduce");
        printf("    {{sizeof(vn_op_info), \"%s\", \"%s\", \"%s\", %d, %d, %d, %d, inputs_%s, options_%s, outputs_%s, %d, %d, %s%s%s, %s},\n"
               "     vn__kind_%s, %s, %s, %s, %s},\n",
               r->name, r->kind, r->doc, s.n, total, s.m, !none, first_with_inputs(k)->name, first_with_options(k)->name,
               first_with_inputs(k)->name, s.required, s.many, none ? "\"" : "0", why, none ? "\"" : "", r->dtypes, r->kind, r->shape,
               r->dtype, none ? "0" : r->vjp, r->compose);
    }
    printf("};\nconst int vn__op_count = %d;\n", n_rows);
    for (int k = 0; k < n_rows; k++) printf("const int vn__op_%s = %d;\n", rows[k].name, k);
}

static void docs(void)
{
    printf("# The ops\n\nPrinted from `src/ops/ops.def` by `make ops`; the tests compare.\n\n"
           "| op | kind | gradient | what it does |\n|---|---|---|---|\n");
    for (int k = 0; k < n_rows; k++) {
        if (by_hand(&rows[k])) continue;
        char why[128];
        int none = reason(&rows[k], why);
        printf("| `");
        prototype(&rows[k]);
        printf("` | %s | %s%s | %s |\n", rows[k].kind,
               none                        ? "none: "
               : !strcmp(rows[k].vjp, "0") ? "by composition"
                                           : "yes",
               why, rows[k].doc);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } parts[] = {{"header", header}, {"api", api}, {"names", names}, {"table", table}, {"docs", docs}};
    field f[8];
    for (int k = 0; k < n_rows; k++) {
        if (split(rows[k].options, f) < 0)
            return fprintf(stderr, "ops.def: %s: unknown option type in \"%s\"\n", rows[k].name, rows[k].options), 1;
        if (!strcmp(rows[k].vjp, "0") && strcmp(rows[k].kind, "composed") != 0)
            return fprintf(stderr, "ops.def: %s: a gradient is missing, or the reason why there is none: NO(\"...\")\n", rows[k].name), 1;
        signature s = arguments(&rows[k]);
        if (s.many && strcmp(rows[k].kind, "composed") != 0)
            return fprintf(stderr, "ops.def: %s: only a composed op has any number of inputs\n", rows[k].name), 1;
        if (s.m > 1 && strcmp(rows[k].kind, "composed") != 0 && strcmp(rows[k].kind, "fused") != 0)
            return fprintf(stderr, "ops.def: %s: only a composed or fused op has several results\n", rows[k].name), 1;
    }
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++) {
        if (!strcmp(argv[1], parts[i].name)) return parts[i].print(), fflush(stdout) || ferror(stdout);
    }
    fprintf(stderr, "usage: gen header|api|names|table|docs\n");
    return 2;
}
