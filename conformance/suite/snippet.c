/* SPDX-License-Identifier: Apache-2.0 */
/* snippet.c: a failing example as a C program: the op with its inputs and options, and its gradients if they fail.
 */
#include "runner.h"

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

static void put_input(text *s, const trial *t, const example *e, int k, bool variable)
{
    vn_shape shape = e->in_shape[k];
    int64_t n = shape_size(shape);
    text_add(s, "        ");
    if (e->number[k]) {
        text_add(s, "vn_scalar(");
        put_value(s, e->in[k][0]);
        text_add(s, "),\n");
        return;
    }
    text_add(s, "%svn_cast(vn_from_host((double[]){%s", variable && !e->constant[k] ? "vn_variable(" : "", n ? "" : "0");
    for (int64_t i = 0; i < n; i++) {
        if (i) text_add(s, ", ");
        put_value(s, e->in[k][i]);
    }
    text_add(s, "}, VN_F64, %s", shape.rank ? "VN_SHAPE(" : "VN_0D");
    for (int d = 0; d < shape.rank; d++) text_add(s, "%s%lld", d ? ", " : "", (long long)shape.dim[d]);
    text_add(s, "%s), %s)%s,\n", shape.rank ? ")" : "", dtype_word(t->dtype), variable && !e->constant[k] ? ")" : "");
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

static void put_gradients(text *s, const example *e)
{
    text_add(s, "    vn_array *loss = vn_mean(out[%d], VN_ALL);\n", e->result);
    for (int k = 0; k < e->n_in; k++)
        if (!e->constant[k]) text_add(s, "    vn_fprint(stdout, vn_grad(loss, in[%d]));\n", k);
}

char *example_program(const trial *t, const example *e, int n_outputs)
{
    text s = {0};
    const worst *w = &t->outcome.worst;
    bool gradients = t->outcome.first == CHECK_GRADIENT || t->outcome.first == CHECK_SECOND;
    text_add(&s, "/* %s on %s: the minimised failing input.", t->test->id, t->engine);
    if (w->any) text_add(&s, " %s %s: expected %.17g, got %.17g.", w->what, w->index, w->expected, w->got);
    text_add(&s,
             " */\n#include <math.h>\n#include <stdio.h>\n#include <vinea/vinea.h>\n\nint main(void)\n{\n    vn_use(\"%s\");\n    vn_array "
             "*in[] = {\n",
             t->engine);
    for (int k = 0; k < e->n_in; k++) put_input(&s, t, e, k, gradients);
    text_add(&s, "    };\n");
    if (e->n_options) text_add(&s, "    vn_option options[] = {\n");
    for (int k = 0; k < e->n_options; k++) put_option(&s, &e->options[k]);
    if (e->n_options) text_add(&s, "    };\n");
    text_add(&s, "    vn_array *out[%d] = {NULL};\n    vn_call(\"%s\", in, %d, %s, %d, out, %d);\n    vn_fprint(stdout, out[%d]);\n",
             n_outputs, e->op, e->n_in, e->n_options ? "options" : "NULL", e->n_options, n_outputs, e->result);
    if (gradients) put_gradients(&s, e);
    text_add(&s, "    if (vn_status()) fprintf(stderr, \"%%s\\n\", vn_message());\n    return vn_close();\n}\n");
    if (!s.failed) return s.data;
    text_free(&s);
    return NULL;
}
