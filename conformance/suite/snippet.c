/* SPDX-License-Identifier: Apache-2.0 */
/* snippet.c: a failing example, case line or random call as a C program: the op with its inputs and options, and its gradients if they fail.
 */
#include "runner.h"

#include "conformance/lines/case.h"
#include "conformance/lines/table.h"
#include "conformance/report/inside.h"

static const char *dtype_word(vn_dtype dtype)
{
    switch (dtype) {
#define X(id, number, name, bytes) \
    case id: return #id;
        VN_DTYPES(X)
#undef X
    default: return "VN_F32";
    }
}

static void put_value(text *s, double x)
{
    if (isnan(x)) text_add(s, "NAN");
    else if (isinf(x)) text_add(s, x > 0 ? "INFINITY" : "-INFINITY");
    else text_add(s, "%.17g", x);
}

/* An array from numbers, both parts of complex ones. */
static void put_array(text *s, const double *x, int64_t n, const vn_shape *shape, vn_dtype dtype, bool variable)
{
    const bool complex = dtype == VN_C64 || dtype == VN_C128;
    text_add(s, "%svn_cast(vn_from_host((double[]){%s", variable ? "vn_variable(" : "", n ? "" : "0");
    for (int64_t i = 0; i < (complex ? 2 * n : n); i++) {
        if (i) text_add(s, ", ");
        put_value(s, x[i]);
    }
    text_add(s, "}, %s, %s", complex ? "VN_C128" : "VN_F64", shape->rank ? "VN_SHAPE(" : "VN_0D");
    for (int d = 0; d < shape->rank; d++) text_add(s, "%s%lld", d ? ", " : "", (long long)shape->dim[d]);
    text_add(s, "%s), %s)%s,\n", shape->rank ? ")" : "", dtype_word(dtype), variable ? ")" : "");
}

static void put_input(text *s, const trial *t, const example *e, int k, bool variable)
{
    text_add(s, "        ");
    if (e->number[k]) {
        text_add(s, "vn_scalar(");
        put_value(s, e->in[k][0]);
        text_add(s, "),\n");
        return;
    }
    const bool wide = variable && !e->constant[k];
    put_array(s, e->in[k], shape_size(e->in_shape[k]), &e->in_shape[k], wide ? VN_F64 : t->dtype, wide);
}

static void put_option(text *s, const vn_option *o)
{
    static const char *const kinds[] = {[VN_OPT_INT] = "VN_OPT_INT",
                                        [VN_OPT_FLOAT] = "VN_OPT_FLOAT",
                                        [VN_OPT_INTS] = "VN_OPT_INTS",
                                        [VN_OPT_STRING] = "VN_OPT_STRING",
                                        [VN_OPT_UINT] = "VN_OPT_UINT"};
    text_add(s, "        {.name = \"%s\", .kind = %s, .n = %d, ", o->name, kinds[o->kind], o->n);
    if (o->kind == VN_OPT_INT || o->kind == VN_OPT_UINT) text_add(s, ".u.i = %lld},\n", (long long)o->u.i);
    else if (o->kind == VN_OPT_FLOAT) text_add(s, ".u.f = "), put_value(s, o->u.f), text_add(s, "},\n");
    else if (o->kind == VN_OPT_STRING) text_add(s, ".u.s = \"%s\"},\n", o->u.s);
    else {
        text_add(s, ".u.is = (int64_t[]){");
        for (int i = 0; i < o->n; i++) text_add(s, "%s%lld", i ? ", " : "", (long long)o->u.is[i]);
        text_add(s, "}},\n");
    }
}

static bool is_gradient(const trial *t)
{
    return t->outcome.first == CHECK_GRADIENT || t->outcome.first == CHECK_SECOND;
}

/* A call of an op whose inputs and options are declared. */
typedef struct call {
    const char *op;
    int n_in, n_options, n_outputs, result;
    const text *options; /* their declaration */
} call;

static void put_call(text *s, const call *c)
{
    if (c->n_options) text_add(s, "    vn_option options[] = {\n%s    };\n", c->options->data);
    text_add(s, "    vn_array *out[%d] = {NULL};\n    vn_call(\"%s\", in, %d, %s, %d, out, %d);\n", c->n_outputs, c->op, c->n_in,
             c->n_options ? "options" : "NULL", c->n_options, c->n_outputs);
}

/* The inputs follow. Gradients are those of a function, in float64, so that they can be compared with its differences. */
static void begin_program(text *s, const trial *t, const call *c)
{
    const worst *w = &t->outcome.worst;
    text_add(s, "/* %s on %s: the minimised failing input.", t->test->id, t->engine);
    if (w->any) text_add(s, " %s %s: expected %.17g, got %.17g.", w->what, w->index, w->expected, w->got);
    text_add(s, " */\n#include <math.h>\n#include <stdio.h>\n#include <vinea/vinea.h>\n\n");
    if (is_gradient(t)) {
        text_add(s, "static vn_array *loss(vn_array **in)\n{\n");
        put_call(s, c);
        text_add(s, "    return vn_mean(vn_square(vn_abs(out[%d])), VN_ALL);\n}\n\n", c->result);
    }
    text_add(s, "int main(void)\n{\n    vn_use(\"%s\");\n    vn_array *in[] = {\n", t->engine);
}

/* The gradient at an input against the loss a little further and a little less far. */
static void put_gradient(text *s, int k)
{
    text_add(
        s,
        "    x = in[%d];\n    in[%d] = vn_add(x, vn_scalar(1e-5));\n    up = vn_item(loss(in));\n    in[%d] = vn_sub(x, vn_scalar(1e-5));\n"
        "    down = vn_item(loss(in));\n    in[%d] = x;\n    printf(\"gradient at in[%d], summed: %%.9g; by differences: %%.9g\\n\", "
        "vn_item(vn_sum(vn_grad(y, x), VN_ALL)), (up - down) / 2e-5);\n",
        k, k, k, k, k);
}

/* `at`: which inputs are differentiated. */
static char *end_program(text *s, const trial *t, const call *c, const bool *at)
{
    text_add(s, "    };\n");
    if (is_gradient(t)) {
        text_add(s, "    vn_array *y = loss(in), *x;\n    double up, down;\n");
        for (int k = 0; k < c->n_in; k++)
            if (at[k]) put_gradient(s, k);
    } else {
        put_call(s, c);
        text_add(s, "    vn_fprint(stdout, out[%d]);\n", c->result);
    }
    text_add(s, "    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n    return vn_close();\n}\n");
    if (!s->failed) return s->data;
    text_free(s);
    return NULL;
}

char *example_program(const trial *t, const example *e, int n_outputs)
{
    text s = {0}, options = {0};
    bool at[EXAMPLE_INPUTS] = {false};
    for (int k = 0; k < e->n_options; k++) put_option(&options, &e->options[k]);
    const call c = {e->op, e->n_in, e->n_options, n_outputs, e->result, &options};
    begin_program(&s, t, &c);
    for (int k = 0; k < e->n_in; k++) {
        at[k] = !e->constant[k] && !e->number[k];
        put_input(&s, t, e, k, is_gradient(t));
    }
    char *program = end_program(&s, t, &c, at);
    text_free(&options);
    return program;
}

/* ---- case lines and random calls ---- */

static bool is_differentiated(const operand *o)
{
    return o->kind == ARRAY && VN_BIT(o->dtype) & VN_FLOATS;
}

static void put_operand(text *s, const operand *o, bool variable)
{
    vn_shape shape = {.rank = o->rank};
    memcpy(shape.dim, o->dims, sizeof shape.dim);
    text_add(s, "        ");
    if (o->kind == ARRAY) {
        const bool wide = variable && is_differentiated(o);
        put_array(s, o->numbers, o->count, &shape, wide ? VN_F64 : (vn_dtype)o->dtype, wide);
    } else if (o->kind == WEAK && is_complex(o->dtype)) {
        text_add(s, "vn_scalar_complex(");
        put_value(s, o->numbers[0]);
        text_add(s, ", ");
        put_value(s, o->numbers[1]);
        text_add(s, "),\n");
    } else if (o->kind == WEAK && o->dtype == VN_F64) {
        text_add(s, "vn_scalar(");
        put_value(s, o->numbers[0]);
        text_add(s, "),\n");
    } else if (o->kind == WEAK) {
        text_add(s, "vn_scalar_int(%lld),\n", (long long)o->whole);
    } else {
        text_add(s, o->kind == MISSING ? "NULL,\n" : "VN_NONE,\n");
    }
}

static void put_setting(text *s, const setting *o)
{
    vn_option option = {.name = o->name, .kind = (vn_option_kind)o->kind, .n = o->n};
    if (o->kind == VN_OPT_FLOAT) option.u.f = o->real;
    else if (o->kind == VN_OPT_STRING) option.u.s = o->text;
    else if (o->kind == VN_OPT_INTS) option.u.is = o->list;
    else option.u.i = o->whole;
    put_option(s, &option);
}

char *line_program(const trial *t, const struct test *c)
{
    text s = {0}, options = {0};
    bool at[MAX_IN] = {false};
    if (!c->info.name) return NULL; /* the line is about an op that does not exist */
    for (int k = 0; k < c->n_in; k++)
        if (c->in[k].reversed) return NULL; /* memory in another order is made by more than a line of C */
    for (int k = 0; k < c->n_options; k++) put_setting(&options, &c->options[k]);
    const call of = {c->op, c->n_in, c->n_options, table_results(&c->info, c->n_in), c->out, &options};
    begin_program(&s, t, &of);
    for (int k = 0; k < c->n_in; k++) {
        at[k] = is_differentiated(&c->in[k]);
        put_operand(&s, &c->in[k], is_gradient(t));
    }
    if (!c->n_in) text_add(&s, "        NULL,\n");
    char *program = end_program(&s, t, &of, at);
    text_free(&options);
    return program;
}
