/* gen_ops.c: prints everything that follows from the op table (src/ops/ops.def) and from that of layers, optimizers and their like
 * (src/nn/objects.def): the public headers, the declarations of internal ops and of what rows name, the C functions, the run-time tables,
 * the docs page. Runs at build time: `gen PART` (see main). A row that
 * makes no sense, or that nobody could compute, stops the build by its name. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *kind, *inputs, *options, *dtypes, *shape, *dtype, *vjp, *compose, *doc;
    const char *alias, *shapes, *sampled; /* traits; of SAMPLE the shapes and the options; of a section its example and what it prints */
    const char *const *fields;            /* of a set of options: each with its doc line, NULL at the end */
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

#define SECTION(name, title, introduction, code, prints) \
    {#name, "section", title, "", "", "", "", "", "", .doc = introduction, .shapes = code, .sampled = prints},
#define OPTIONS(name, ...) {#name, "options", "", "", "", "", "", "", "", .fields = (const char *const[]){__VA_ARGS__, 0}},
#define FAMILY(name, title, introduction) {#name, "family", title, "", "", "", "", "", "", .doc = introduction},
#define OBJECT(name, kind, options, text) {#name, kind, "", options, "", "", "", "", "", .doc = text},
#define LAYER(name, options, text) OBJECT(name, "layer", options, text)
#define ACTIVATION(name, options, text) OBJECT(name, "activation", options, text)
#define INITIALISER(name, options, text) OBJECT(name, "initialiser", options, text)
#define OPTIMIZER(name, options, text) OBJECT(name, "optimizer", options, text)
#define SCHEDULE(name, options, text) OBJECT(name, "schedule", options, text)
#define LOSS(name, targets, options, text) OBJECT(name, "loss", options, text)
#define METRIC(name, targets, better, batch, class, last, options, text) OBJECT(name, "metric", options, text)
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
#include "nn/objects.def"
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

/* What is made of an object's options, and the beginning of its function's name. Losses and metrics are names only. */
static const struct {
    const char *kind, *family, *c, *prefix;
} objects[] = {
    {"layer", "layer", "vn_module *", "nn_"},
    {"activation", "layer", "vn_module *", "nn_"},
    {"initialiser", "initialiser", "vn_init ", "init_"},
    {"optimizer", "optimizer", "vn_optim *", ""},
    {"schedule", "schedule", "vn_schedule ", ""},
    {"loss", "loss", NULL, ""},
    {"metric", "metric", NULL, ""},
};

/* The number of its kind, or -1 for an op. */
static int object_kind(const row *r)
{
    for (int k = 0; k < (int)(sizeof objects / sizeof *objects); k++)
        if (is(r, objects[k].kind)) return k;
    return -1;
}

/* Sections, families and sets of options stand between the rows. */
static int is_op(const row *r)
{
    return !is(r, "section") && !is(r, "family") && !is(r, "options") && object_kind(r) < 0;
}

/* Public ops come first in the table, so that a listing ends before the internal ones. Returns how many ops there are. */
static int in_order(const row *out[static n_rows])
{
    int n = 0;
    for (int internal = 0; internal < 2; internal++)
        for (int k = 0; k < n_rows; k++)
            if (is_op(&rows[k]) && rows[k].internal == internal) out[n++] = &rows[k];
    return n;
}

static const char *prefix(const row *r)
{
    return r->internal ? "vn__" : "vn_";
}

/* ---- columns: lists of names with a type and a default ------------------------------------------------------------------------- */

enum { MOST = 8, MOST_OPTIONS = 16 }; /* inputs and results; options: the core's VN__MAX_IN, VN__MAX_OUT, VN__MAX_OPTIONS */

/* Option types: how each looks as a parameter and as a field, and the run-time options it becomes. Flags have no parameter: they are fields
 * of public ops; internal ops, which have no structs, take them as int. */
static const struct {
    const char *type, *c, *dimensions, *kind, *put, *read;
} types[] = {
    {"shape", "vn_shape", "", "VN_OPT_INTS", "vn__put_shape", "VN__FIELD_LIST"},
    {"order", "vn_axes", "", "VN_OPT_INTS", "vn__put_order", NULL},
    {"reduce", "vn_axes", "", "VN_OPT_INTS", "vn__put_axes", NULL},
    {"dtype", "vn_dtype", "", "VN_OPT_INT", "vn__put_int", NULL},
    {"flag", "int", "", "VN_OPT_INT", "vn__put_int", "VN__FIELD_FLAG"},
    {"int", "int64_t", "", "VN_OPT_INT", "vn__put_int", "VN__FIELD_INT"},
    {"float", "double", "", "VN_OPT_FLOAT", "vn__put_float", "VN__FIELD_FLOAT"},
    {"list", "vn_shape", "", "VN_OPT_INTS", "vn__put_shape", "VN__FIELD_LIST"},
    {"sizes", "int64_t", "[3]", "VN_OPT_INTS", NULL, "VN__FIELD_SIZES"},
    {"text", "const char *", "", "VN_OPT_STRING", "vn__put_text", "VN__FIELD_TEXT"},
    {"init", "vn_init", "", "VN_OPT_STRING", NULL, "VN__FIELD_INIT"},
    {"module", "const vn_module_opts *", "", "0", NULL, "VN__FIELD_MODULE"},
};
enum { n_types = sizeof types / sizeof *types };

enum { NAME = 32, TEXTS = 160 };
typedef struct {
    char name[NAME], type[NAME], fallback[TEXTS], texts[TEXTS]; /* texts: those permitted, "VALID|SAME", the default first; "": any */
    char range[NAME];                                           /* of a number: "[0, 1)"; "": any */
    const char *doc;
    int t;    /* of an option: number of its type */
    int list; /* of an input or result: it is a list */
} field;

static void copy(const row *r, char *to, size_t room, const char *from, size_t length)
{
    if (length >= room) stop(r->name, "\"%.*s\" is too long", (int)length, from);
    memcpy(to, from, length);
    to[length] = 0;
}

/* Where the range at the end of "beta:float=0.9 [0, 1)" begins; NULL: it has none. */
static char *range_in(char *text)
{
    char *closed = strstr(text, " ["), *open = strstr(text, " (");
    return closed ? closed : open;
}

/* Reads "b:dtype=float32", "index:int64" or "beta:float=0.9 [0, 1)", of this length. */
static void read_field(const row *r, const char *text, size_t length, field *f)
{
    char part[2 * TEXTS];
    memset(f, 0, sizeof *f);
    copy(r, part, sizeof part, text, length);
    char *range = range_in(part);
    if (range) {
        copy(r, f->range, NAME, range + 1, strlen(range + 1));
        *range = 0;
        length = strlen(part);
    }
    size_t name = strcspn(part, ":"), type = strcspn(part, "=");
    copy(r, f->name, NAME, part, name < type ? name : type);
    if (name < type) copy(r, f->type, NAME, part + name + 1, type - name - 1);
    if (type == length) return;
    const char *texts = part + type + 1 + (part[type + 1] == '|'); /* "=|sum|mean": one of these must be given */
    if (strchr(part + type, '|')) copy(r, f->texts, TEXTS, texts, strlen(texts));
    copy(r, f->fallback, TEXTS, part + type + 1, strcspn(part + type + 1, "|"));
}

/* Splits "a:shape, b:dtype=float32" up to its end or a bar. Returns how many. */
static int split(const row *r, const char *text, field *out)
{
    int n = 0;
    for (text += strspn(text, " "); *text && *text != '|'; text += strspn(text, ",; ")) {
        if (n == MOST) stop(r->name, "more than %d entries in one column", MOST);
        size_t length = strcspn(text, ",;[("); /* a range has a comma of its own */
        const char *bar = strstr(text, " |");  /* that of permitted texts has no space before it */
        if (bar && (size_t)(bar - text) < length) length = (size_t)(bar - text);
        if (text[length] == '[' || text[length] == '(') length += strcspn(text + length, "])") + 1;
        while (length && text[length - 1] == ' ') length--;
        read_field(r, text, length, &out[n++]);
        text += length;
    }
    return n;
}

/* The options of a row, "axis:int=-1 | set": parameters, and fields of the set named behind the bar. */
typedef struct {
    field f[MOST_OPTIONS];
    int n, parameters;
    const row *set; /* NULL: none */
} options;

static const row *set_named(const row *r, const char *name)
{
    for (int k = 0; k < n_rows; k++)
        if (is(&rows[k], "options") && !strcmp(rows[k].name, name)) return &rows[k];
    stop(r->name, "there is no OPTIONS(%s, ...)", name);
}

static options options_of(const row *r)
{
    options o = {.n = split(r, r->options, o.f)};
    const char *bar = r->options[0] == '|' ? r->options : strstr(r->options, " |");
    o.parameters = o.n;
    if (bar) o.set = set_named(r, bar + strspn(bar, " |"));
    for (const char *const *f = o.set ? o.set->fields : NULL; f && *f; f += 2) {
        if (o.n == MOST_OPTIONS) stop(r->name, "more than %d options", MOST_OPTIONS);
        if (!f[1]) stop(o.set->name, "\"%s\" has no doc line", *f);
        read_field(r, *f, strlen(*f), &o.f[o.n]);
        o.f[o.n++].doc = f[1];
    }
    for (int i = 0; i < o.n; i++) {
        field *f = &o.f[i];
        while (f->t < n_types && strcmp(types[f->t].type, f->type) != 0) f->t++;
        if (f->t == n_types) stop(r->name, "option %s has the unknown type \"%s\"", f->name, f->type);
        if (f->range[0] && strcmp(f->type, "float") != 0 && strcmp(f->type, "int") != 0)
            stop(r->name, "%s is no number: it has no range", f->name);
    }
    return o;
}

static int is_type(const field *f, const char *type)
{
    return !strcmp(f->type, type);
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

/* The signature rule: at most four parameters; flags, texts and other options with a default are fields of the struct. */
static void check_options(const row *r)
{
    options o = options_of(r);
    int slots = o.n;
    for (int i = 0; i < o.n; i++) {
        const field *f = &o.f[i];
        slots += is_type(f, "reduce");
        if (i < o.parameters && !r->internal && (is_type(f, "flag") || is_type(f, "sizes") || (is_type(f, "text") && f->fallback[0])))
            stop(r->name, "%s is a flag, a word or a list of sizes: it belongs behind the bar, into OPTIONS", f->name);
        if (i < o.parameters) continue;
        if (!types[f->t].read || !strcmp(f->name, "axis")) stop(r->name, "%s is an axis or a dtype: it belongs before the bar", f->name);
        if (!f->fallback[0]) stop(r->name, "%s has no default: it belongs before the bar", f->name);
        if (is_type(f, "flag") && strcmp(f->fallback, "0") != 0)
            stop(r->name, "the flag %s must be off by default: rename it to its opposite", f->name);
    }
    if (slots > MOST_OPTIONS) stop(r->name, "more than %d options", MOST_OPTIONS);
    if (o.set && r->internal) stop(r->name, "an internal op has no struct of options");
    if (o.parameters > 4 && !r->internal) stop(r->name, "%d parameters beside the arrays; four at most", o.parameters);
}

static void check_row(const row *r)
{
    signature s = arguments(r);
    check_options(r);
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
    for (int k = 0; k < n_rows; k++)
        if (object_kind(&rows[k]) >= 0) check_options(&rows[k]);
    for (int k = 0; k < n; k++) {
        check_row(all[k]);
        for (int j = 0; j < k; j++)
            if (!strcmp(all[j]->name, all[k]->name)) stop(all[k]->name, "there are two rows of that name");
        for (int j = 0; j < n_rows; j++)
            if (is(&rows[j], "options") && !strcmp(rows[j].name, all[k]->name) && options_of(all[k]).set != &rows[j])
                stop(all[k]->name, "OPTIONS of its name are another op's");
    }
}

/* ---- printing ------------------------------------------------------------------------------------------------------------------ */

/* "int64_t axis", "int64_t strides[3]" */
static void declare(const field *f)
{
    const char *c = types[f->t].c;
    printf("%s%s%s%s", c, c[strlen(c) - 1] == '*' ? "" : " ", f->name, types[f->t].dimensions);
}

/* The op's function; or, of a row with results that it does not show, the internal one that gives all of them. */
static void prototype(const row *r, int all)
{
    signature s = arguments(r);
    options o = options_of(r);
    int n_out = all ? s.m : s.shown;
    const char *comma = "";
    printf("%s%s%s(", s.many && !s.plain ? "int " : "vn_array *", all ? "vn__" : prefix(r), r->name);
    if (s.many) printf("int n, vn_array *const *%s", s.plain ? s.in[0].name : "in"), comma = ", ";
    for (int i = 0; i < s.n && !s.many; i++, comma = ", ") printf("%svn_array *%s", comma, s.in[i].name);
    for (int i = 0; i < o.parameters; i++, comma = ", ") printf("%s", comma), declare(&o.f[i]);
    if (o.set) printf("%sconst vn_%s_opts *opts", comma, r->name), comma = ", ";
    for (int i = 1; i < n_out && !s.many; i++, comma = ", ") printf("%svn_array **%s", comma, s.out[i].name);
    printf("%s)", s.many && !s.plain ? ", vn_array **out" : "");
}

/* A set of options as a struct, in C and C++: VN_UNSET keeps C++ from warning of fields that a call does not name. */
static void struct_of(const row *set, const row *user)
{
    options o = options_of(user);
    printf("typedef struct vn_%s_opts {\n    size_t size VN_UNSET;\n", set->name);
    for (int i = o.parameters; i < o.n; i++) {
        const field *f = &o.f[i];
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
    printf("} vn_%s_opts;\n", set->name);
}

/* The first row that has these options. */
static const row *first_user(const row *set)
{
    const row *r = rows;
    while (is(r, "section") || is(r, "family") || is(r, "options") || options_of(r).set != set) r++;
    return r;
}

/* The struct of a row's options: printed with the first row that has it, and named after each. */
static void options_struct(const row *r)
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

/* A section's introduction and example. */
static void section_comment(const row *r)
{
    printf("/* ---- %s ----\n", r->inputs);
    indented(r->doc, " * ");
    printf(" *\n");
    indented(r->shapes, " *     ");
    printf(" */\n\n");
}

static void header(void)
{
    printf("/* ops.h: the ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.\n"
           " * Every op records a pending array and returns it, or returns NULL with the thread's error set. */\n"
           "/* clang-format off */\n#ifndef VINEA_OPS_H\n#define VINEA_OPS_H\n\n#include <vinea/vinea.h>\n\n"
           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (is(r, "section")) section_comment(r);
        if (!is_op(r) || by_hand(r) || r->internal) continue;
        printf("/* %s. */\n", r->doc);
        options_struct(r);
        printf("VN_API ");
        prototype(r, 0);
        printf(";\n\n");
    }
    printf("#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* The parameters of an op's C++ function, or what it hands on to the C function. */
static void cpp_list(const row *r, int declared)
{
    signature s = arguments(r);
    options o = options_of(r);
    const char *comma = "";
    if (s.many && declared) printf("const list &%s", s.in[0].name), comma = ", ";
    if (s.many && !declared) printf("%s.size(), %s.data()", s.in[0].name, s.in[0].name), comma = ", ";
    for (int i = 0; i < s.n && !s.many; i++, comma = ", ") printf("%s%s%s", comma, declared ? "const array &" : "", s.in[i].name);
    for (int i = 0; i < o.parameters; i++, comma = ", ") {
        printf("%s%s", comma, declared ? "" : o.f[i].name);
        if (declared) declare(&o.f[i]);
    }
    const int last = s.many || s.shown == 1; /* options that end a call may be left out */
    if (o.set && declared) printf("%sconst vn_%s_opts *opts%s", comma, r->name, last ? " = nullptr" : "");
    if (o.set && !declared) printf("%sopts", comma);
    if (o.set) comma = ", ";
    for (int i = 1; i < s.shown && !s.many; i++, comma = ", ") printf("%s%s%s", comma, declared ? "vn_array **" : "", s.out[i].name);
}

/* The ops for C++: arrays are vn::array. Functions that fill an array of arrays stay C. */
static void cpp(void)
{
    printf("/* ops.hpp: the ops of ops.h on vn::array, in namespace vn; errors are thrown. Printed from the table by `make ops`: do not "
           "edit. */\n"
           "#ifndef VINEA_OPS_HPP\n#define VINEA_OPS_HPP\n\n#include <vinea/vinea.hpp>\n\nnamespace vn\n{\n");
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (is(r, "section")) printf("\n/* ---- %s ---- */\n\n", r->inputs);
        if (!is_op(r) || by_hand(r) || r->internal) continue;
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

static void internal(void)
{
    for (int i = 0; i < n_rows; i++) {
        signature s = arguments(&rows[i]);
        if (!is_op(&rows[i]) || (!rows[i].internal && s.shown == s.m)) continue;
        printf("/* %s. */\n", rows[i].doc);
        prototype(&rows[i], 1);
        printf(";\n");
    }
}

/* The first rows with the inputs and results, and with the options, of a row: rows alike share what is listed of them. */
static const row *first_with_inputs(const row *r)
{
    const row *i = rows;
    while (!is_op(i) || strcmp(i->inputs, r->inputs) != 0) i++;
    return i;
}
static const row *first_with_options(const row *r)
{
    const row *i = rows;
    while (!is_op(i) || strcmp(i->options, r->options) != 0) i++;
    return i;
}

/* The run-time option that field i begins: axes of a reduction are two. */
static int slot(const options *o, int i)
{
    int n = i;
    for (int k = 0; k < i; k++) n += is_type(&o->f[k], "reduce");
    return n;
}

/* The function of row number k, as prototype has it. */
static void function(const row *r, int k, int all)
{
    signature s = arguments(r);
    options opt = options_of(r);
    const char *failed = s.many && !s.plain ? "vn_status()" : "NULL";
    prototype(r, all);
    printf("\n{\n");
    if (!s.many && s.n) {
        printf("    vn_array *const in[] = {");
        for (int i = 0; i < s.n; i++) printf("%s%s", i ? ", " : "", s.in[i].name);
        printf("};\n");
    }
    if (opt.n) {
        printf("    vn__options o;\n    o.n = 0;\n");
        for (int i = 0; i < opt.parameters; i++) printf("    %s(&o, %s);\n", types[opt.f[i].t].put, opt.f[i].name);
    }
    for (int i = 1; i < (all ? s.m : s.shown) && opt.set && !s.many; i++) printf("    if (%s) *%s = NULL;\n", s.out[i].name, s.out[i].name);
    if (opt.set) printf("    if (vn__put_fields(&o, \"%s\", &struct_%s, opts)) return %s;\n", r->name, first_with_options(r)->name, failed);
    for (int i = 0; i < opt.parameters; i++) {
        if (opt.f[i].texts[0])
            printf("    if (vn__check_text(\"%s\", &options_%s[%d], &o.v[%d].u.s)) return %s;\n", r->name, first_with_options(r)->name,
                   slot(&opt, i), slot(&opt, i), failed);
        if (opt.f[i].range[0])
            printf("    if (vn__check_range(\"%s\", &options_%s[%d], (double)%s)) return %s;\n", r->name, first_with_options(r)->name,
                   slot(&opt, i), opt.f[i].name, failed);
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
static void names(void)
{
    const row *all[n_rows];
    int n = in_order(all);
    for (int k = 0; k < n; k++) {
        number_options(all[k]);
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

/* The texts permitted for an option: {"VALID", "SAME", 0}. */
static void list_texts(const field *f)
{
    printf("(const char *const[]){\"");
    for (const char *c = f->texts; *c; c++) {
        if (*c == '|') printf("\", \"");
        else putchar(*c);
    }
    printf("\", 0}");
}

/* "[0, 1)" as a vn_op_range. */
static void list_range(const row *r, const field *f)
{
    char low[NAME], high[NAME], end;
    if (sscanf(f->range + 1, "%31[^,], %31[^])]%c", low, high, &end) != 3)
        stop(r->name, "the range \"%s\" of %s is not read", f->range, f->name);
    printf("&(const vn_op_range){%s, %s, %d, %d}", !strcmp(low, "-inf") ? "-HUGE_VAL" : low, !strcmp(high, "inf") ? "HUGE_VAL" : high,
           f->range[0] == '(', end == ')');
}

/* The default as a value of vn_option. */
static void list_default(const field *f)
{
    const char *kind = types[f->t].kind;
    printf("&(const vn_option){\"%s\", %s, ", f->name, kind);
    if (!strcmp(kind, "VN_OPT_INTS")) printf("%s, {0}}", !strcmp(f->fallback, "all") ? "VN__ALL_AXES" : "0");
    else if (is_type(f, "text") || is_type(f, "init")) printf("1, {.s = \"%s\"}}", f->fallback);
    else if (is_type(f, "module")) printf("1, {0}}");
    else if (is_type(f, "float")) printf("1, {.f = %s}}", strcmp(f->fallback, "nan") != 0 ? f->fallback : "NAN");
    else if (is_type(f, "dtype")) printf("1, {.i = DTYPE_%s - 1}}", f->fallback);
    else printf("1, {.i = %s}}", f->fallback);
}

/* A size that must be given, but that a model file takes from its input. */
static int of_input(const field *f)
{
    return !strcmp(f->fallback, "input") || !strcmp(f->fallback, "sequence");
}

static void list_options(const row *r)
{
    options o = options_of(r);
    printf("static const vn_op_option options_%s[] = {\n", r->name);
    for (int i = 0; i < o.n; i++) {
        const field *f = &o.f[i];
        int reduce = is_type(f, "reduce"), list = is_type(f, "sizes");
        printf("    {.name = \"%s\", .kind = %s, .type = \"%s\"", f->name, types[f->t].kind, reduce ? "axes" : list ? "list" : f->type);
        if (reduce) printf(", .fallback = \"all\", .value = &(const vn_option){\"%s\", VN_OPT_INTS, VN__ALL_AXES, {0}}", f->name);
        if (f->fallback[0]) printf(", .fallback = \"%s\"", f->fallback);
        if (f->fallback[0] && !of_input(f)) printf(", .value = "), list_default(f);
        if (f->texts[0]) printf(", .texts = "), list_texts(f);
        if (f->range[0]) printf(", .range = "), list_range(r, f);
        if (f->doc) printf(", .doc = \"%s\"", f->doc);
        printf("},\n");
        if (reduce)
            printf("    {.name = \"keepdims\", .kind = VN_OPT_INT, .type = \"flag\", .fallback = \"0\", .value = &(const "
                   "vn_option){\"keepdims\", VN_OPT_INT, 1, {0}}},\n");
    }
    printf("    {.name = 0}};\n");
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

static void table_row(const row *r, const row *section)
{
    signature s = arguments(r);
    options o = options_of(r);
    int total = o.n;
    char why[128];
    int none = reason(r, why);
    const char *in = first_with_inputs(r)->name;
    for (int i = 0; i < o.n; i++) total += is_type(&o.f[i], "reduce");
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
    if (o.set) printf(", .fields = &struct_%s", first_with_options(r)->name);
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
        if (first_with_options(all[k]) == all[k]) list_options(all[k]), list_struct(all[k]);
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
        if (is(r, "section"))
            printf("\n## %s\n\n%s\n\n<!-- run -->\n```c\n%s```\n\n<!-- output -->\n```text\n%s```\n\n| op | kind | gradient | what it does "
                   "|\n|---|---|---|---|\n",
                   r->inputs, r->doc, r->shapes, r->sampled);
        if (!is_op(r) || by_hand(r) || r->internal) continue;
        char why[128];
        int none = reason(r, why);
        printf("| `");
        prototype(r, 0);
        printf("` | %s | %s%s | %s", r->kind, none ? "none: " : !strcmp(r->vjp, "0") ? "by composition" : "yes", why, r->doc);
        if (r->alias) printf("; also called `%s`", r->alias);
        printf(" |\n");
    }
}

/* ---- objects ------------------------------------------------------------------------------------------------------------------- */

static void object_prototype(const row *r)
{
    const int k = object_kind(r);
    options o = options_of(r);
    const char *comma = "";
    printf("%svn_%s%s(", objects[k].c, objects[k].prefix, r->name);
    for (int i = 0; i < o.parameters; i++, comma = ", ") printf("%s", comma), declare(&o.f[i]);
    if (o.set) printf("%sconst vn_%s%s_opts *opts", comma, objects[k].prefix, r->name);
    printf("%s)", o.n ? "" : "void");
}

static void object_header(void)
{
    printf("/* objects.h: layers, initialisers, optimizers and schedules, one function per row of src/nn/objects.def, and the names of "
           "losses and\n"
           " * metrics. Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h). */\n"
           "/* clang-format off */\n#ifndef VINEA_OBJECTS_H\n#define VINEA_OBJECTS_H\n\n#include <vinea/vinea.h>\n\n"
           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (is(r, "family")) printf("/* ---- %s ----\n * %s */\n\n", r->inputs, r->doc);
        if (object_kind(r) < 0) continue;
        if (!objects[object_kind(r)].c) {
            options o = options_of(r);
            printf("/* \"%s\": %s", r->name, r->doc);
            if (o.n) printf("; %s is %s unless given", o.f[0].name, o.f[0].fallback);
            printf(". */\n%s", i + 1 == n_rows || object_kind(r + 1) < 0 ? "\n" : "");
            continue;
        }
        printf("/* %s. */\n", r->doc);
        options_struct(r);
        printf("VN_API ");
        object_prototype(r);
        printf(";\n\n");
    }
    printf("#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* The declarations of the structs' fields, for the functions that take them. */
static void object_structs(void)
{
    for (int i = 0; i < n_rows; i++) {
        const row *set = object_kind(&rows[i]) < 0 ? NULL : options_of(&rows[i]).set;
        if (set && first_user(set) == &rows[i]) printf("extern const vn__struct vn__struct_%s;\n", set->name);
    }
}

/* Option i of a row, read from what was given by name. */
static void named_value(const field *f, int i)
{
    const char *kind = types[f->t].kind;
    if (!strcmp(kind, "VN_OPT_INTS")) printf("vn__shape(o->v[%d].is, (size_t)o->v[%d].n)", i, i);
    else printf("o->v[%d].u.%s", i, is_type(f, "float") ? "f" : is_type(f, "text") ? "s" : "i");
}

/* The function of an activation, which is the op of its name as a module. */
static void activation(const row *r)
{
    options o = options_of(r);
    object_prototype(r);
    printf("\n{\n    return vn_nn_activation(\"%s\", ", r->name);
    if (o.n) printf("(const vn_option[]){");
    for (int i = 0; i < o.n; i++)
        printf("{\"%s\", %s, 1, {.%s = %s}}, ", o.f[i].name, types[o.f[i].t].kind, is_type(&o.f[i], "float") ? "f" : "i", o.f[i].name);
    printf("%s, %d);\n}\n", o.n ? "}" : "NULL", o.n);
}

/* Makes an object of a row from options by name. */
static void maker(const row *r)
{
    const int k = object_kind(r);
    options o = options_of(r);
    printf("static int make_%s_%s(const vn__options *o, const void *opts, void *to)\n{\n", objects[k].family, r->name);
    printf("    (void)o, (void)opts;\n");
    const int pointer = strchr(objects[k].c, '*') != NULL;
    printf("    *(%s%s*)to = vn_%s%s(", objects[k].c, pointer ? "" : "", objects[k].prefix, r->name);
    for (int i = 0; i < o.parameters; i++) printf("%s", i ? ", " : ""), named_value(&o.f[i], i);
    if (o.set) printf("%sopts", o.parameters ? ", " : "");
    printf(");\n    return %s;\n}\n", pointer ? "*(void **)to ? VN_OK : (int)vn_status()" : "VN_OK");
}

/* The names of each family, for the command line's choices. */
static void object_words(void)
{
    for (int k = 0; k < (int)(sizeof objects / sizeof *objects); k++) {
        if (strcmp(objects[k].kind, objects[k].family) != 0 || (!strcmp(objects[k].kind, "layer")) ||
            !strcmp(objects[k].kind, "initialiser"))
            continue;
        printf("static const char *const %s_words[] = {", objects[k].family);
        for (int i = 0; i < n_rows; i++)
            if (object_kind(&rows[i]) == k)
                printf("\"%s%s\", ", rows[i].name, is(&rows[i], "metric") ? options_of(&rows[i]).f[0].fallback : "");
        printf("NULL};\n");
    }
}

static void object_table(void)
{
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        if (object_kind(r) < 0) continue;
        options o = options_of(r);
        char name[2 * NAME];
        snprintf(name, sizeof name, "%s_%s", objects[object_kind(r)].family, r->name);
        row named = *r;
        named.name = name;
        list_options(&named);
        if (o.set && first_user(o.set) == r) {
            printf("static const vn__field fields_%s[] = {\n", o.set->name);
            for (int j = o.parameters; j < o.n; j++)
                printf("    {offsetof(vn_%s_opts, %s), sizeof(((vn_%s_opts *)0)->%s), %s},\n", o.set->name, o.f[j].name, o.set->name,
                       o.f[j].name, types[o.f[j].t].read);
            printf("};\nconst vn__struct vn__struct_%s = {sizeof(vn_%s_opts), %d, fields_%s, options_%s + %d};\n", o.set->name, o.set->name,
                   o.n - o.parameters, o.set->name, name, o.parameters);
        }
        if (is(r, "activation")) activation(r);
        if (objects[object_kind(r)].c) maker(r);
    }
    printf("static const vn__object_row object_rows[] = {\n");
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        const int k = object_kind(r);
        if (k < 0) continue;
        options o = options_of(r);
        printf("    {{.size = sizeof(vn_op_info), .name = \"%s\", .kind = \"%s\", .doc = \"%s\", .n_options = %d, .options = "
               "options_%s_%s}, \"%s%s\", ",
               r->name, objects[k].family, r->doc, o.n, objects[k].family, r->name, objects[k].prefix, r->name);
        if (objects[k].c) printf("make_%s_%s, ", objects[k].family, r->name);
        else printf("NULL, ");
        if (o.set) printf("&vn__struct_%s, %d},\n", o.set->name, o.parameters);
        else printf("NULL, %d},\n", o.parameters);
    }
    printf("};\n");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } parts[] = {{"header", header},
                 {"cpp", cpp},
                 {"internal", internal},
                 {"names", names},
                 {"api", api},
                 {"table", table},
                 {"docs", docs},
                 {"object_header", object_header},
                 {"object_structs", object_structs},
                 {"object_table", object_table},
                 {"object_words", object_words}};
    check();
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++) {
        if (!strcmp(argv[1], parts[i].name)) return parts[i].print(), fflush(stdout) || ferror(stdout);
    }
    fprintf(stderr, "usage: gen header|cpp|internal|names|api|table|docs|object_header|object_structs|object_table|object_words\n");
    return 2;
}
