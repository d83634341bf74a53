/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: `vinea ops`: lists the op table. */
#include "command.h"

#include <string.h>
#include <vinea/vinea.h>

static void print_option(const vn_op_option *o, int first)
{
    static const char *const kinds[] = {
        [VN_OPT_INT] = "int", [VN_OPT_FLOAT] = "float", [VN_OPT_INTS] = "ints", [VN_OPT_FLOATS] = "floats", [VN_OPT_STRING] = "string"};
    int known = o->kind > 0 && (size_t)o->kind < sizeof kinds / sizeof *kinds;
    fputs(first ? "{\"name\": " : ", {\"name\": ", stdout);
    print_json(o->name);
    fputs(", \"kind\": ", stdout);
    print_json(known ? kinds[o->kind] : NULL);
    fputs(", \"type\": ", stdout);
    print_json(o->type);
    fputs(", \"default\": ", stdout);
    print_json(o->fallback);
    putchar('}');
}

static void print_entry(const vn_op_info *op, int first)
{
    printf("%s\n  {\"name\": ", first ? "" : ",");
    print_json(op->name);
    fputs(", \"kind\": ", stdout);
    print_json(op->kind);
    fputs(", \"inputs\": [", stdout);
    for (int i = 0; i < op->n_inputs; i++) {
        if (i) fputs(", ", stdout);
        print_json(op->inputs[i]);
    }
    fputs("], \"options\": [", stdout);
    for (int i = 0; i < op->n_options; i++) print_option(&op->options[i], i == 0);
    fputs("], \"outputs\": [", stdout);
    for (int i = 0; i < op->n_outputs; i++) {
        if (i) fputs(", ", stdout);
        print_json(op->outputs[i]);
    }
    printf("], \"required\": %d, \"any_number\": %s, \"differentiable\": %s, \"no_gradient\": ", op->n_required,
           op->any_number ? "true" : "false", op->differentiable ? "true" : "false");
    print_json(op->no_gradient);
    fputs(", \"doc\": ", stdout);
    print_json(op->doc);
    putchar('}');
}

/* Appends a word, with a separator unless it is the first; truncates if it does not fit. */
static void append(char *text, size_t capacity, const char *separator, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, capacity - used, "%s%s", used ? separator : "", word);
}

static int add_row(table *t, const vn_op_info *op)
{
    char inputs[256] = "", options[512] = "";
    for (int i = 0; i < op->n_inputs; i++) {
        append(inputs, sizeof inputs, ", ", op->inputs[i]);
        if (op->any_number && i == op->n_inputs - 1) append(inputs, sizeof inputs, "", "...");
        else if (i >= op->n_required) append(inputs, sizeof inputs, "", "?");
    }
    for (int i = 0; i < op->n_options; i++) {
        const vn_op_option *o = &op->options[i];
        append(options, sizeof options, ", ", o->name);
        append(options, sizeof options, ":", o->type);
        if (o->fallback) append(options, sizeof options, "=", o->fallback);
    }
    char gradient[160] = "yes";
    if (!op->differentiable) snprintf(gradient, sizeof gradient, "no: %s", op->no_gradient);
    return table_row(t, (const char *[]){op->name, op->kind, *inputs ? inputs : NULL, *options ? options : NULL, gradient, op->doc});
}

/* Visits the ops in the table's order: as rows of t, or as JSON if t is NULL. */
static int list(table *t)
{
    int n = vn_op_count();
    for (int i = 0; i < n; i++) {
        vn_op_info op = {.size = sizeof op};
        if (vn_op_at(i, &op)) return complain("op %d: %s", i, vn_message());
        if (!t) print_entry(&op, i == 0);
        else if (add_row(t, &op)) return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

static int run(const command_args *args)
{
    int code;
    if (given(args, "json")) {
        fputs("[", stdout);
        code = list(NULL);
        puts("\n]");
    } else {
        table *t = table_new(6);
        code = table_row(t, (const char *[]){"NAME", "KIND", "INPUTS", "OPTIONS", "GRADIENT", "WHAT IT IS"});
        if (!code) code = list(t);
        if (!code) table_print(t);
        table_free(t);
    }
    vn_close();
    return code;
}

const command command_ops = {
    .name = "ops",
    .summary = "list the ops with inputs, options and a line about each",
    .details = "Options are shown as name:type, with =default if they are optional. The JSON form is for bindings.\n",
    .options = (const command_option[]){{.name = "json", .about = "print JSON"}, {0}},
    .run = run,
};
