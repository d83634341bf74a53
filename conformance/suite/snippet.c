/* SPDX-License-Identifier: Apache-2.0 */
/* snippet.c: a failing example, case line or random call as a C program that fails in the same way: the op with its inputs and options,
 * and what was expected, or its derivatives and what differences give. source.c has the tests that are programs themselves. */
#include "runner.h"

#include "conformance/lines/case.h"
#include "conformance/lines/table.h"
#include "conformance/report/inside.h"
#include "differences_h.h" /* the text of conformance/lines/differences.h */

const char *dtype_word(vn_dtype dtype)
{
    switch (dtype) {
#define X(id, number, name, bytes) \
    case id: return #id;
        VN_DTYPES(X)
#undef X
    default: return "VN_F32";
    }
}

/* ---- arrays ---- */

/* The dtype of host memory that has the elements of a dtype: half precision, which C lacks, as float32. */
static vn_dtype host_dtype(int dtype)
{
    return VN_BIT(dtype) & VN_HALF ? VN_F32 : (vn_dtype)dtype;
}

static const char *host_type(int dtype)
{
    static const char *const types[VN_DTYPE_END] = {
        [VN_BOOL] = "uint8_t", [VN_I8] = "int8_t",    [VN_I16] = "int16_t",  [VN_I32] = "int32_t",  [VN_I64] = "int64_t",
        [VN_U8] = "uint8_t",   [VN_U16] = "uint16_t", [VN_U32] = "uint32_t", [VN_U64] = "uint64_t", [VN_F32] = "float",
        [VN_F64] = "double",   [VN_C64] = "float",    [VN_C128] = "double"};
    return types[host_dtype(dtype)];
}

static void put_value(text *s, double x, int dtype)
{
    if (isnan(x)) text_add(s, "NAN");
    else if (isinf(x)) text_add(s, x > 0 ? "INFINITY" : "-INFINITY");
    else text_add(s, part_dtype((int)host_dtype(dtype)) == VN_F32 ? "%.9g" : "%.17g", x);
}

/* {1, 2, 3}, of elements of a real dtype, or both parts of a complex one. */
static void put_list(text *s, const void *data, int64_t count, int dtype)
{
    const int part = part_dtype(dtype);
    text_add(s, "{%s", count ? "" : "0");
    for (int64_t i = 0; i < count * parts_of(dtype); i++) {
        if (i) text_add(s, ", ");
        if (is_float(part)) put_value(s, number_get(data, i, part), dtype);
        else if (part == VN_U64) text_add(s, "UINT64_C(%llu)", (unsigned long long)number_whole(data, i, part));
        else if (number_whole(data, i, part) == INT64_MIN) text_add(s, "INT64_MIN");
        else text_add(s, "%lld", (long long)number_whole(data, i, part));
    }
    text_add(s, "}");
}

static void put_shape(text *s, int rank, const int64_t *dims)
{
    text_add(s, rank ? "VN_SHAPE(" : "VN_0D");
    for (int d = 0; d < rank; d++) text_add(s, "%s%lld", d ? ", " : "", (long long)dims[d]);
    if (rank) text_add(s, ")");
}

/* An array of the dtype from these elements. */
static void put_array(text *s, const void *data, int64_t count, int dtype, int rank, const int64_t *dims)
{
    const vn_dtype host = host_dtype(dtype);
    text_add(s, "%svn_from_host((%s[])", (int)host == dtype ? "" : "vn_cast(", host_type(dtype));
    put_list(s, data, count, dtype);
    text_add(s, ", %s, ", dtype_word(host));
    put_shape(s, rank, dims);
    text_add(s, ")");
    if ((int)host != dtype) text_add(s, ", %s)", dtype_word((vn_dtype)dtype));
}

static void put_axes(text *s, int rank)
{
    text_add(s, ", VN_AXES(");
    for (int k = 0; k < rank; k++) text_add(s, "%s%d", k ? ", " : "", k);
    text_add(s, "))");
}

static void put_operand(text *s, const operand *o)
{
    const bool reversed = o->kind == ARRAY && o->reversed && o->rank;
    if (o->kind == ARRAY) {
        if (reversed) text_add(s, "vn_flip(evaluated(vn_flip(");
        put_array(s, o->data, o->count, o->dtype, o->rank, o->dims);
        if (reversed) put_axes(s, o->rank), text_add(s, ")"), put_axes(s, o->rank);
    } else if (o->kind == WEAK && is_complex(o->dtype)) {
        text_add(s, "vn_scalar_complex(");
        put_value(s, o->numbers[0], VN_F64);
        text_add(s, ", ");
        put_value(s, o->numbers[1], VN_F64);
        text_add(s, ")");
    } else if (o->kind == WEAK && o->dtype == VN_F64) {
        text_add(s, "vn_scalar(");
        put_value(s, o->numbers[0], VN_F64);
        text_add(s, ")");
    } else if (o->kind == WEAK && o->numbers[0] < 0) {
        text_add(s, o->whole == INT64_MIN ? "vn_scalar_int(INT64_MIN)" : "vn_scalar_int(%lld)", (long long)o->whole);
    } else if (o->kind == WEAK) {
        text_add(s, "vn_scalar_uint(UINT64_C(%llu))", (unsigned long long)o->whole);
    } else {
        text_add(s, o->kind == MISSING ? "NULL" : "VN_NONE");
    }
}

/* ---- the call ---- */

static void put_option(text *s, const vn_option *o)
{
    static const char *const kinds[] = {[VN_OPT_INT] = "VN_OPT_INT",
                                        [VN_OPT_FLOAT] = "VN_OPT_FLOAT",
                                        [VN_OPT_INTS] = "VN_OPT_INTS",
                                        [VN_OPT_STRING] = "VN_OPT_STRING",
                                        [VN_OPT_UINT] = "VN_OPT_UINT"};
    text_add(s, "        {.name = \"%s\", .kind = %s, .n = %d, ", o->name, kinds[o->kind], o->n);
    if (o->kind == VN_OPT_UINT) text_add(s, ".u.i = (int64_t)UINT64_C(%llu)},\n", (unsigned long long)o->u.i);
    else if (o->kind == VN_OPT_INT) text_add(s, o->u.i == INT64_MIN ? ".u.i = INT64_MIN},\n" : ".u.i = %lld},\n", (long long)o->u.i);
    else if (o->kind == VN_OPT_FLOAT) text_add(s, ".u.f = "), put_value(s, o->u.f, VN_F64), text_add(s, "},\n");
    else if (o->kind == VN_OPT_STRING) text_add(s, ".u.s = \"%s\"},\n", o->u.s);
    else {
        text_add(s, ".u.is = (int64_t[]){%s", o->n ? "" : "0");
        for (int i = 0; i < o->n; i++) text_add(s, "%s%lld", i ? ", " : "", (long long)o->u.is[i]);
        text_add(s, "}},\n");
    }
}

static void put_setting(text *s, const setting *o, bool wide)
{
    const bool dtype = o->kind == VN_OPT_INT && wide && !strcmp(o->text, vn_dtype_name((vn_dtype)o->whole));
    vn_option option = {.name = o->name, .kind = o->kind, .n = o->n};
    if (o->kind == VN_OPT_FLOAT) option.u.f = o->real;
    else if (o->kind == VN_OPT_STRING) option.u.s = o->text;
    else if (o->kind == VN_OPT_INTS) option.u.is = o->list;
    else option.u.i = dtype ? widest((int)o->whole) : o->whole;
    put_option(s, &option);
}

/* A call of an op, as text. */
typedef struct call {
    const char *op;
    int n_in, n_outputs, result;
    text inputs, options; /* what their lists have, a line each */
    int n_options;
} call;

static void free_call(call *c)
{
    text_free(&c->inputs);
    text_free(&c->options);
}

static bool is_public(const char *op)
{
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info info = {.size = sizeof info};
        if (!vn_op_at(k, &info) && !strcmp(info.name, op)) return true;
    }
    return false;
}

/* What a call of an internal op needs: conformance/lines/table.h. */
static void put_table(text *s, const call *c)
{
    if (is_public(c->op)) return;
    text_add(s, "extern const struct { /* ops that only other ops use are called in this way */\n"
                "    int (*count)(void);\n    int (*at)(int i, vn_op_info *info);\n"
                "    int (*call)(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, "
                "int n_out);\n"
                "} vn__all_ops;\n\n");
}

/* Ends with its result in out[result]. */
static void put_call(text *s, const call *c)
{
    text_add(s, "    vn_array *in[] = {\n%s    };\n", c->n_in ? c->inputs.data : "        NULL,\n");
    if (c->n_options) text_add(s, "    const vn_option options[] = {\n%s    };\n", c->options.data);
    text_add(s, "    vn_array *out[%d] = {NULL};\n    %s(\"%s\", in, %d, %s, %d, out, %d);\n", c->n_outputs,
             is_public(c->op) ? "vn_call" : "vn__all_ops.call", c->op, c->n_in, c->n_options ? "options" : "NULL", c->n_options,
             c->n_outputs);
}

/* ---- a result ---- */

/* What is expected, as elements of its dtype; data NULL: nothing is known. */
typedef struct expectation {
    const void *data;
    int64_t count;
    int dtype, rank;
    const int64_t *dims;
    double absolute, relative;
    bool scaled;   /* the tolerance is absolute * max(1, |x|) */
    bool signs;    /* 0 is not -0 */
    bool with_sum; /* it fails when its sum is computed with it */
    bool reversed; /* an input has reversed memory order */
} expectation;

static void put_head(text *s, const trial *t)
{
    char why[TRIAL_TEXT];
    snprintf(why, sizeof why, "%s", *t->outcome.message ? t->outcome.message : t->outcome.strict_message);
    for (char *c = why; *c; c++)
        if (*c == '\n' || (c[0] == '*' && c[1] == '/')) *c = ' '; /* one line of a comment */
    text_add(s, "/* %s on %s: the minimised failing input.%s%s */\n", t->test->id, t->engine, *why ? "\n * " : "", why);
    text_add(s, "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
                "<vinea/vinea.h>\n\n");
}

static void put_use(text *s, const trial *t)
{
    text_add(s, "    if (vn_use(\"%s\")) return fprintf(stderr, \"%%s\\n\", vn_message()), vn_close();\n", t->engine);
}

static void put_evaluated(text *s)
{
    text_add(s, "static vn_array *evaluated(vn_array *x)\n{\n    vn_eval(1, &x);\n    return x;\n}\n\n");
}

/* Prints the result, and the elements that are not as expected: floats within the tolerance, others exactly. */
static void put_comparison(text *s, const char *got, const expectation *e)
{
    const bool floats = is_float(part_dtype(e->dtype));
    text_add(s, "    vn_array *got = %s, *want = ", got);
    put_array(s, e->data, e->count, e->dtype, e->rank, e->dims);
    text_add(s, ";\n");
    if (e->with_sum)
        text_add(s, "    vn_array *both[] = {vn_sum(vn_cast(got, %s), VN_ALL), got};\n    vn_eval(2, both);\n",
                 is_complex(e->dtype) ? "VN_C128" : "VN_F64");
    text_add(s, "    vn_fprint(stdout, got);\n");
    text_add(s, "    vn_shape is = vn_shape_of(got), as = vn_shape_of(want);\n"
                "    int wrong = !got || vn_dtype_of(got) != vn_dtype_of(want) || is.rank != as.rank || memcmp(is.dim, as.dim, "
                "(size_t)is.rank * sizeof *is.dim);\n"
                "    if (wrong) printf(\"expected another dtype or shape:\\n\"), vn_fprint(stdout, want);\n");
    const int wide = floats ? widest(e->dtype) : e->dtype;
    const char *type = host_type(wide);
    text_add(s,
             "    const %s *x = wrong ? NULL : vn_data(vn_cast(vn_to(got, \"native\"), %s)), *y = vn_data(vn_cast(vn_to(want, \"native\"), "
             "%s));\n",
             type, dtype_word((vn_dtype)wide), dtype_word((vn_dtype)wide));
    text_add(s, "    for (int64_t i = 0; x && y && i < %lld; i++) {\n", (long long)(e->count * parts_of(e->dtype)));
    if (floats) {
        text_add(s,
                 "        if (x[i] == y[i] ? %s : (isnan(x[i]) && isnan(y[i])) || fabs(x[i] - y[i]) <= %.17g %s %.17g * fabs(y[i])%s) "
                 "continue;\n",
                 e->signs ? "signbit(x[i]) == signbit(y[i])" : "1", e->absolute, e->scaled ? "* fmax(1," : "+", e->scaled ? 1 : e->relative,
                 e->scaled ? ")" : "");
        text_add(s, "        printf(\"number %%lld is %%.17g, %%.17g was expected\\n\", (long long)i, x[i], y[i]);\n");
    } else {
        text_add(s, "        if (x[i] == y[i]) continue;\n"
                    "        printf(\"number %%lld is %%lld, %%lld was expected\\n\", (long long)i, (long long)x[i], (long long)y[i]);\n");
    }
    text_add(s, "        wrong = 1;\n    }\n");
    if (e->with_sum) {
        text_add(s,
                 "    double sum = 0, size = 0;\n    for (int64_t i = 0; y && i < %lld; i += %d) sum += (double)y[i], size += "
                 "fabs((double)y[i]);\n",
                 (long long)(e->count * parts_of(e->dtype)), parts_of(e->dtype));
        text_add(s,
                 "    const double total = vn_item(vn_real(vn_cast(vn_to(both[0], \"native\"), VN_C128)));\n"
                 "    if (!(fabs(total - sum) <= 1e-6 * size + %.17g * size)) printf(\"its sum is %%.17g, %%.17g was expected\\n\", total, "
                 "sum), wrong = 1;\n",
                 e->relative);
    }
    text_add(s, "    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n"
                "    puts(wrong || vn_status() ? \"fail\" : \"pass\");\n    return vn_close() || wrong;\n}\n");
}

static char *finished(text *s)
{
    if (!s->failed) return s->data;
    text_free(s);
    return NULL;
}

static char *result_program(const trial *t, const call *c, const expectation *e)
{
    text s = {0};
    char got[32];
    put_head(&s, t);
    put_table(&s, c);
    if (e->reversed) put_evaluated(&s);
    text_add(&s, "int main(void)\n{\n");
    put_use(&s, t);
    put_call(&s, c);
    snprintf(got, sizeof got, "out[%d]", c->result);
    if (e->data) put_comparison(&s, got, e);
    else
        text_add(
            &s,
            "    vn_fprint(stdout, out[%d]);\n    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n    return vn_close();\n}\n",
            c->result);
    return finished(&s);
}

void example_failed(trial *t, const example *e, const double *want)
{
    /* In float64 the result and its derivatives are one program, which only its source has. */
    if (t->program || t->dtype == VN_F64 || t->outcome.first == CHECK_GRADIENT || t->outcome.first == CHECK_SECOND) return;
    call c = {.op = e->op, .n_in = e->n_in, .result = e->result, .n_options = e->n_options};
    c.n_outputs = vn__all_ops.results(e->op, e->n_in);
    for (int k = 0; k < e->n_options; k++) put_option(&c.options, &e->options[k]);
    for (int k = 0; k < e->n_in; k++) {
        operand o = {.kind = e->number[k] ? WEAK : ARRAY, .dtype = e->number[k] ? VN_F64 : (int)t->dtype, .rank = e->in_shape[k].rank};
        double numbers[TRIAL_ROOM];
        o.count = shape_size(e->in_shape[k]);
        memcpy(o.dims, e->in_shape[k].dim, sizeof o.dims);
        o.numbers = numbers, o.data = numbers;
        memcpy(numbers, e->in[k], (size_t)o.count * sizeof *numbers);
        for (int64_t i = 0; i < o.count && o.kind == ARRAY; i++) number_put(numbers, i, o.dtype, e->in[k][i]);
        text_add(&c.inputs, "        "), put_operand(&c.inputs, &o), text_add(&c.inputs, ",\n");
    }
    const double floor = VN_BIT(t->dtype) & VN_HALF ? 1e-2 : 0, strict = trial_strict_tolerance(t);
    expectation to = {.count = e->count, .dtype = (int)t->dtype, .rank = e->shape.rank, .dims = e->shape.dim};
    to.absolute = t->strict ? strict : fmax(t->test->atol, floor), to.relative = fmax(t->test->rtol, floor), to.scaled = t->strict;
    void *data = malloc((size_t)(e->count ? e->count : 1) * sizeof(double));
    for (int64_t i = 0; data && i < e->count; i++) number_put(data, i, (int)t->dtype, want[i]);
    to.data = data;
    t->program = data ? result_program(t, &c, &to) : NULL;
    free(data);
    free_call(&c);
}

/* ---- case lines and random calls ---- */

static void put_line_inputs(call *to, const struct test *c)
{
    for (int k = 0; k < c->n_in; k++) {
        text_add(&to->inputs, "        ");
        put_operand(&to->inputs, &c->in[k]);
        text_add(&to->inputs, ",\n");
    }
}

static call line_call(const struct test *c, bool wide)
{
    call to = {.op = c->op, .n_in = c->n_in, .n_outputs = table_results(&c->info, c->n_in), .result = c->out, .n_options = c->n_options};
    for (int k = 0; k < c->n_options; k++) put_setting(&to.options, &c->options[k], wide);
    for (int k = 0; wide && k < c->info.n_options; k++) { /* a default that is a float dtype */
        const vn_op_option *o = &c->info.options[k];
        bool given = !o->fallback || strcmp(o->type, "dtype") != 0;
        for (int j = 0; j < c->n_options; j++) given |= !strcmp(c->options[j].name, o->name);
        if (!given) put_option(&to.options, &(vn_option){.name = o->name, .kind = VN_OPT_INT, .n = 1, .u.i = VN_F64}), to.n_options++;
    }
    return to;
}

static bool has_reversed(const struct test *c)
{
    bool any = false;
    for (int k = 0; k < c->n_in; k++) any |= c->in[k].kind == ARRAY && c->in[k].reversed && c->in[k].rank;
    return any;
}

/* The error that a call should give. */
static char *error_program(const trial *t, const struct test *c)
{
    text s = {0};
    call of = line_call(c, false);
    put_line_inputs(&of, c);
    put_head(&s, t);
    put_table(&s, &of);
    if (has_reversed(c)) put_evaluated(&s);
    text_add(&s, "int main(void)\n{\n");
    put_use(&s, t);
    put_call(&s, &of);
    text_add(&s, "    vn_eval(%d, out);\n    printf(\"%%s: %%s\\n%s was expected", of.n_outputs, vn_code_name(c->code));
    if (c->message) text_add(&s, ", with ");
    text_add(&s, "%s\\n\", vn_code_name(vn_status()), vn_message()%s", c->message ? "%s" : "", c->message ? ", " : "");
    if (c->message) text_json(&s, c->message);
    text_add(&s, ");\n    int right = vn_status() == %s", vn_code_name(c->code));
    if (c->message) text_add(&s, " && strstr(vn_message(), "), text_json(&s, c->message), text_add(&s, ")");
    text_add(&s, ";\n    vn_clear();\n    const double three = vn_item(vn_add(vn_full(vn_scalar(1), VN_0D, VN_F32), vn_full(vn_scalar(2), "
                 "VN_0D, VN_F32)));\n"
                 "    if (three != 3) printf(\"after the error 1 + 2 is %%g%%s%%s\\n\", three, vn_status() ? \": \" : \"\", vn_message()), "
                 "right = 0;\n"
                 "    puts(right ? \"pass\" : \"fail\");\n    vn_close();\n    return !right;\n}\n");
    free_call(&of);
    return finished(&s);
}

/* ---- derivatives of a line ---- */

/* Their program has the suite's own arithmetic (differences.h), and one of these. */
static const char derivatives_code[] = "static int64_t numbers_in(const vn_array *a)\n"
                                       "{\n"
                                       "    return vn_size(a) * (vn_dtype_of(a) == VN_C128 ? 2 : 1);\n"
                                       "}\n\n"
                                       "static vn_array *loss_of(vn_array *z)\n"
                                       "{\n"
                                       "    const int64_t n = z ? numbers_in(z) : 0;\n"
                                       "    double *w = malloc((size_t)(n + 1) * sizeof *w);\n"
                                       "    for (int64_t i = 0; w && i < n; i++) w[i] = result_weight(i);\n"
                                       "    vn_array *loss = w ? weighed(z, w) : NULL;\n"
                                       "    free(w);\n"
                                       "    return loss;\n"
                                       "}\n\n";

static const char cut_code[] = "int main(void)\n"
                               "{\n"
                               "USE"
                               "    vn_array *wrt[N], *g[N];\n"
                               "    int wrong = vn_grads(loss_of(result(wrt)), N, wrt, NULL, g);\n"
                               "    for (int k = 0; k < N && !wrong; k++) {\n"
                               "        const double *got = vn_data(g[k]);\n"
                               "        for (int64_t i = 0; got && i < numbers_in(g[k]); i++)\n"
                               "            if (got[i] != 0) printf(\"gradient of input %d, number %lld: %.12g; none passes, so expected: "
                               "0\\n\", at[k], (long long)i, got[i]), wrong = 1;\n"
                               "    }\n";

static const char first_code[] =
    "int main(void)\n"
    "{\n"
    "USE"
    "    vn_array *wrt[N], *g[N], *unused[N];\n"
    "    int wrong = vn_grads(loss_of(result(wrt)), N, wrt, NULL, g);\n"
    "    for (int k = 0; k < N && !wrong; k++) {\n"
    "        const double *got = vn_data(g[k]);\n"
    "        const int64_t n = numbers_in(g[k]), some = n < 16 ? n : 16;\n"
    "        for (int64_t m = 0; got && m < some; m++) {\n"
    "            VN_SCOPE;\n"
    "            const int64_t i = m * n / some;\n"
    "            const double keep = x[k][i], h = difference_step(keep);\n"
    "            x[k][i] = keep + h;\n"
    "            vn_array *up = result(unused);\n"
    "            x[k][i] = keep - h;\n"
    "            vn_array *down = result(unused);\n"
    "            x[k][i] = keep;\n"
    "            const double *above = vn_data(up), *below = vn_data(down);\n"
    "            if (!above || !below) break;\n"
    "            const difference d = first_difference(above, below, numbers_in(up), (keep + h) - (keep - h), got[i]);\n"
    "            if (fabs(got[i] - d.numeric) <= d.allowed) continue;\n"
    "            printf(\"gradient of input %d, number %lld: %.12g; by differences: %.12g\\n\", at[k], (long long)i, got[i], d.numeric);\n"
    "            wrong = 1;\n"
    "        }\n"
    "    }\n";

static const char second_code[] = "/* The sum of gradients times their weights, after `steps` along the direction, and the sizes of its "
                                  "terms; the derivative of that sum along the direction. */\n"
                                  "static double projected(double steps, double *sizes, double *slope, double *terms)\n"
                                  "{\n"
                                  "    VN_SCOPE;\n"
                                  "    vn_array *wrt[N], *g[N], *h[N], *s = NULL;\n"
                                  "    static double keep[N][LARGEST], v[LARGEST];\n"
                                  "    for (int k = 0; k < N; k++)\n"
                                  "        for (int64_t i = 0; i < count[k]; i++) {\n"
                                  "            keep[k][i] = x[k][i];\n"
                                  "            x[k][i] += steps * direction(k, i, keep[k][i]);\n"
                                  "        }\n"
                                  "    vn_array *loss = loss_of(result(wrt));\n"
                                  "    for (int k = 0; k < N; k++) memcpy(x[k], keep[k], (size_t)count[k] * sizeof *x[k]);\n"
                                  "    if (vn_grads(loss, N, wrt, VN_OPTS(grad, .retain = 1), g)) return NAN;\n"
                                  "    for (int k = 0; k < N; k++) {\n"
                                  "        for (int64_t i = 0; i < count[k]; i++) v[i] = gradient_weight(k, i);\n"
                                  "        const double *first = sizes ? vn_data(g[k]) : NULL;\n"
                                  "        for (int64_t i = 0; first && i < count[k]; i++) *sizes += fabs(first[i] * v[i]);\n"
                                  "        vn_array *part = weighed(g[k], v);\n"
                                  "        s = s ? vn_add(s, part) : part;\n"
                                  "    }\n"
                                  "    if (slope && vn_grads(s, N, wrt, NULL, h)) return NAN;\n"
                                  "    for (int k = 0; slope && k < N; k++) {\n"
                                  "        const double *second = vn_data(h[k]);\n"
                                  "        for (int64_t i = 0; second && i < count[k]; i++) {\n"
                                  "            const double term = second[i] * direction(k, i, x[k][i]);\n"
                                  "            *slope += term, *terms += fabs(term);\n"
                                  "        }\n"
                                  "    }\n"
                                  "    return vn_item(s);\n"
                                  "}\n\n"
                                  "int main(void)\n"
                                  "{\n"
                                  "USE"
                                  "    const double h = difference_step(0);\n"
                                  "    double slope = 0, sizes = 0, terms = 0;\n"
                                  "    projected(0, NULL, &slope, &terms);\n"
                                  "    const double above = projected(h, &sizes, NULL, NULL), below = projected(-h, &sizes, NULL, NULL);\n"
                                  "    const difference d = second_difference(above, below, sizes, h, terms);\n"
                                  "    const int wrong = !(fabs(slope - d.numeric) <= d.allowed);\n"
                                  "    printf(\"second gradient along a direction: %.12g; by differences: %.12g\\n\", slope, d.numeric);\n";

static void put_code(text *s, const char *code, const trial *t)
{
    const char *use = strstr(code, "USE");
    text_put(s, code, (size_t)(use - code));
    put_use(s, t);
    text_add(s, "%s", use + strlen("USE"));
    text_add(s, "    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n    puts(wrong ? \"fail\" : \"pass\");\n    return "
                "vn_close() || wrong;\n}\n");
}

static bool is_derivative(const struct test *c)
{
    return c->part == OF_GRADIENT || c->part == OF_CUT || c->part == OF_SECOND;
}

static char *derivatives_program(const trial *t, const struct test *c)
{
    text s = {0};
    call of = line_call(c, true);
    int at[MAX_IN], n = 0;
    int64_t largest = 1;
    const bool second = c->part == OF_SECOND, cut = c->part == OF_CUT;
    put_head(&s, t);
    text_put(&s, differences_h, sizeof differences_h - 1);
    text_add(&s, "\n");
    for (int k = 0; k < c->n_in; k++) {
        const operand *o = &c->in[k];
        text_add(&of.inputs, "        ");
        if (test_differentiates(c, k)) {
            const int64_t count = o->count * parts_of(o->dtype);
            text_add(&s, "static double x%d[] = ", n);
            put_list(&s, o->numbers, count, VN_F64);
            text_add(&s, ";\n");
            text_add(&of.inputs, "wrt[%d] = vn_variable(vn_from_host(x%d, %s, ", n, n, dtype_word((vn_dtype)widest(o->dtype)));
            put_shape(&of.inputs, o->rank, o->dims);
            text_add(&of.inputs, "))");
            if (count > largest) largest = count;
            at[n++] = k;
        } else {
            put_operand(&of.inputs, o);
        }
        text_add(&of.inputs, ",\n");
    }
    text_add(&s, "enum { N = %d, LARGEST = %lld };\nstatic double *const x[N] = {", n,
             (long long)largest); /* the differentiated inputs: their numbers */
    for (int k = 0; k < n; k++) text_add(&s, "%sx%d", k ? ", " : "", k);
    text_add(&s, second ? "};\nstatic const int64_t count[N] = {" : "};\nstatic const int at[N] = {");
    for (int k = 0; k < n; k++)
        text_add(&s, "%s%lld", k ? ", " : "", second ? (long long)(c->in[at[k]].count * parts_of(c->in[at[k]].dtype)) : at[k]);
    text_add(&s, "};\n\n");
    put_table(&s, &of);
    if (has_reversed(c)) put_evaluated(&s);
    text_add(&s, "static vn_array *result(vn_array **wrt)\n{\n");
    put_call(&s, &of);
    text_add(&s, "    return out[%d];\n}\n\n", of.result);
    text_put(&s, derivatives_code, sizeof derivatives_code - 1);
    put_code(&s, second ? second_code : cut ? cut_code : first_code, t);
    free_call(&of);
    return n ? finished(&s) : (text_free(&s), NULL);
}

static expectation line_expectation(const struct test *c)
{
    const operand *o = &c->expected;
    return (expectation){.data = o->data,
                         .count = o->count,
                         .dtype = o->dtype,
                         .rank = o->rank,
                         .dims = o->dims,
                         .absolute = c->absolute,
                         .relative = c->relative,
                         .signs = c->signs,
                         .with_sum = c->part == OF_SUM,
                         .reversed = has_reversed(c)};
}

char *lines_program(const trial *t, struct test *const *c, int n, int which)
{
    text s = {0};
    char got[32];
    bool internal = false, reversed = false;
    if (is_derivative(c[which]) || !c[which]->expected.data) return NULL;
    put_head(&s, t);
    for (int k = 0; k < n; k++) {
        call of = line_call(c[k], false);
        if (!internal && !is_public(of.op)) internal = true, put_table(&s, &of);
        if (!reversed && has_reversed(c[k])) reversed = true, put_evaluated(&s);
        put_line_inputs(&of, c[k]);
        text_add(&s, "static vn_array *result_%d(void) /* %s:%d */\n{\n", k, c[k]->file, c[k]->line);
        put_call(&s, &of);
        text_add(&s, "    return out[%d];\n}\n\n", of.result);
        free_call(&of);
    }
    text_add(&s, "int main(void)\n{\n");
    put_use(&s, t);
    text_add(&s, "    vn_array *all[] = {");
    for (int k = 0; k < n; k++) text_add(&s, "%sresult_%d()", k ? ", " : "", k);
    text_add(&s, "};\n    vn_eval(%d, all); /* as one program */\n", n);
    snprintf(got, sizeof got, "all[%d]", which);
    const expectation to = line_expectation(c[which]);
    put_comparison(&s, got, &to);
    return finished(&s);
}

char *line_program(const trial *t, const struct test *c)
{
    if (!c->info.name) return NULL; /* the line is about an op that does not exist */
    if (is_derivative(c)) return derivatives_program(t, c);
    if (c->wants_error) return error_program(t, c);
    call of = line_call(c, false);
    put_line_inputs(&of, c);
    const expectation to = line_expectation(c);
    char *program = result_program(t, &of, &to);
    free_call(&of);
    return program;
}
