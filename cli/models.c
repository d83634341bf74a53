/* SPDX-License-Identifier: Apache-2.0 */
/* models.c: `vinea models`: the built-in models, the layer types of model files, and summaries of models. */
#include "training.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_example(void)
{
    puts("```json\n"
         "{\n"
         "  \"about\": \"reads 8 x 8 images\",\n"
         "  \"input\": [8, 8, 1],\n"
         "  \"layers\": [\n"
         "    {\"type\": \"conv2d\", \"out\": 16, \"kernel\": 3, \"padding\": \"SAME\"},\n"
         "    {\"type\": \"relu\"},\n"
         "    {\"type\": \"max_pool2d\", \"window\": 2},\n"
         "    {\"type\": \"flatten\"},\n"
         "    {\"type\": \"linear\", \"out\": \"outputs\"}\n"
         "  ]\n"
         "}\n"
         "```");
}

/* The options of a layer that a file can have, as rows of a table. */
/* The regularizers or constraints: "l1_l2(l1=0.01, l2=0.01)" and what they do. */
static void print_rules(const char *family)
{
    for (int i = 0; i < vn_object_count(family); i++) {
        vn_op_info l = {.size = sizeof l};
        if (vn_object_at(family, i, &l)) continue;
        printf("| `%s", l.name);
        for (int k = 0; k < l.n_options; k++) printf("%s%s=%s", k ? ", " : "(", l.options[k].name, l.options[k].fallback);
        printf("%s` | %s |\n", l.n_options ? ")" : "", l.doc);
    }
}

static void print_options(const vn_op_info *layer)
{
    int n = 0;
    for (int k = 0; k < layer->n_options; k++) {
        const vn_op_option *o = &layer->options[k];
        if (!o->kind) continue; /* for C only */
        if (!n++) puts("| option | kind | default | what it is |\n|---|---|---|---|");
        printf("| `%s` | %s | ", o->name, o->type);
        if (!o->fallback) fputs("needed", stdout);
        else if (!o->value) fputs("the size of the input", stdout);
        else printf("`%s`", strcmp(o->type, "flag") != 0 ? o->fallback : "false");
        printf(" | %s", o->doc ? o->doc : "");
        for (const char *const *text = o->texts; text && *text; text++) printf("%s`%s`", text == o->texts ? ": " : ", ", *text);
        puts(" |");
    }
    if (n) putchar('\n');
}

/* docs/models.md */
static void print_markdown(void)
{
    puts("# Models\n\n"
         "A model is a built-in name or a JSON file: `vinea train NAME-OR-FILE DATA`, or `vn_model` in C (`include/vinea/model.h`). This "
         "page is\n"
         "generated from the table of layers by `vinea models --markdown`.\n\n"
         "## Built-in models\n\n| name | what it is |\n|---|---|");
    for (int i = 0; i < vn_model_count(); i++) {
        vn_model_info m = {.size = sizeof m};
        if (!vn_model_at(i, &m)) printf("| `%s` | %s |\n", m.name, m.about);
    }
    puts("\n`vinea models NAME` prints one as a file to start from, `vinea models NAME --summary --input 8,8,1` its layers with shapes and "
         "parameters.\n\n## Files\n");
    print_example();
    puts(
        "\n| key | what it is |\n|---|---|\n"
        "| `layers` | the layers in order; each is an object with its `type`, its options, and a `name` if its variables are to have one: "
        "without it the layers are called `v0`, `v1` ... |\n"
        "| `input` | the shape of an example, without the batch: a list of sizes, or `\"image\"` (height, width, channels; a row of "
        "numbers becomes a square "
        "image of one channel). Default: the data's shape |\n"
        "| `name`, `about` | descriptive text |\n\n"
        "Types and options are those of the layers in C: `vn_nn_conv2d` and the fields of its options (`include/vinea/layers.h`).\n\n"
        "| kind | in a file |\n|---|---|\n"
        "| int | an integer; `\"outputs\"`, the number of classes, or of values to predict, which the data determines; or `\"input\"`, the "
        "size of the layer's input: its last axis, or its second one if `data_format` puts channels first |\n"
        "| list, shape | a list of such numbers, or one number |\n"
        "| float | a number |\n"
        "| flag | `true` or `false`; `false` by default |\n"
        "| text | one of those listed, in any case; the first by default |\n"
        "| init | an initialiser, with its options in brackets, in order or by name: `\"normal\"`, `\"normal(0, 0.02)\"`, `\"uniform(6, "
        "0.5, fan=out)\"`; `vn_object_text` writes such texts |\n\n"
        "A size of the input can be left out. Losses for classes take logits, the values before `softmax`, so the last layer is usually "
        "`linear`.\n\n"
        "Every layer may have `regularizers` and `constraints` of its variables, by their names: `{\"type\": \"linear\", \"out\": 10, "
        "\"regularizers\": {\"w\": \"l2(0.01)\"}, \"constraints\": {\"w\": \"max_norm(2)\"}}`. Penalties are added to the loss of the "
        "training; "
        "constraints are applied after each step.\n\n"
        "| text | what it does |\n|---|---|\n");
    print_rules("regularizer");
    print_rules("constraint");
    puts("\nOne type is not in the table: `{\"type\": \"residual\", \"layers\": [...]}` adds what its layers make of the input to the "
         "input.\n\n"
         "## Layer types\n");
    for (int i = 0; i < vn_object_count("layer"); i++) {
        vn_op_info l = {.size = sizeof l};
        if (vn_object_at("layer", i, &l)) continue;
        printf("### %s\n\n%c%s.\n\n", l.name, l.doc[1] == ' ' ? l.doc[0] : toupper(l.doc[0]), l.doc + 1);
        print_options(&l);
    }
}

static int print_list(void)
{
    table *models = table_new(3), *layers = table_new(3);
    int code = EXIT_GOOD;
    for (int i = 0; i < vn_model_count() && !code; i++) {
        vn_model_info m = {.size = sizeof m};
        code = vn_model_at(i, &m) ? complain("%s", vn_message()) : table_row(models, (const char *[]){"", m.name, m.about});
    }
    for (int i = 0; i < vn_object_count("layer") && !code; i++) {
        vn_op_info l = {.size = sizeof l};
        char options[400] = "";
        if (vn_object_at("layer", i, &l)) return complain("%s", vn_message());
        for (int k = 0; k < l.n_options; k++) {
            const vn_op_option *o = &l.options[k];
            if (!o->kind) continue; /* for C only */
            size_t used = strlen(options);
            snprintf(options + used, sizeof options - used, "%s%s%s%s", used ? ", " : "", o->name, o->fallback ? "=" : "",
                     o->fallback ? o->fallback : "");
        }
        code = table_row(layers, (const char *[]){"", l.name, options});
    }
    if (!code) code = table_row(layers, (const char *[]){"", "residual", "layers"});
    if (!code) {
        puts("Built-in models:");
        table_print(models);
        puts("\nLayer types of model files, with their options:");
        table_print(layers);
        puts("\n`vinea models NAME` prints a built-in model as a file to start from; `vinea models --markdown` explains every option.");
    }
    table_free(models);
    table_free(layers);
    return code;
}

/* ---- a summary ---- */

/* "8,8,1" or "8x8x1" as a shape; 0 if it is none. *end: behind it. */
static int read_shape(const char *text, vn_shape *to, const char **end)
{
    to->rank = 0;
    for (char *after;; text = after + 1) {
        const long long n = strtoll(text, &after, 10);
        if (after == text || n < 1 || to->rank == VN_MAX_RANK - 1) return 0;
        to->dim[to->rank++] = n;
        after += strspn(after, " ");
        *end = after;
        if (*after != ',' && *after != 'x') return 1;
    }
}

/* The "input" of a model file, if it is a list of sizes. */
static int own_input(const char *text, vn_shape *to)
{
    static const char key[] = "\"input\"";
    for (const char *at = text, *end; (at = strstr(at, key)); at++) {
        const char *value = at + strlen(key);
        value += strspn(value, " \t\r\n");
        if (*value++ != ':') continue;
        value += strspn(value, " \t\r\n");
        return *value == '[' && read_shape(value + 1, to, &end) && *end == ']';
    }
    return 0;
}

static int print_summary(vn_module *net, const vn_shape *example)
{
    vn_shape batch = {.rank = example->rank + 1, .dim = {1}};
    for (int i = 0; i < example->rank; i++) batch.dim[i + 1] = example->dim[i];
    vn_array *x = net ? vn_zeros(batch, VN_F32) : NULL;
    const char *text = x && !vn_module_train(net, 0) ? vn_module_summary(net, x) : NULL;
    if (!text) return library_failed();
    fputs(text, stdout);
    return EXIT_GOOD;
}

/* Of a trained model. */
static int summarize_checkpoint(const char *path)
{
    training t = {.schema = NULL};
    vn_module *net = training_net(path, &t);
    int code = net ? EXIT_GOOD : EXIT_FAILED;
    if (!code) {
        printf("%s: model %s, trained on rows of ", path, t.model);
        for (int i = 0; i < t.example.rank; i++) printf("%s%" PRId64, i ? "x" : "", t.example.dim[i]);
        if (t.classes) printf(" for %" PRId64 " classes", t.classes);
        else printf(" for %" PRId64 " number%s", t.outputs, t.outputs == 1 ? "" : "s");
        if (*t.target) printf(" of \"%s\"", t.target);
        puts("\n");
        code = print_summary(net, &t.example);
    }
    training_free(&t);
    return code;
}

/* By its name, or because it begins with the length of its header, which no text does. */
static int is_checkpoint(const char *word)
{
    size_t n = strlen(word);
    char first[8] = "";
    FILE *f = strpbrk(word, "./") ? fopen(word, "rb") : NULL;
    const int binary = f && fread(first, 1, sizeof first, f) == sizeof first && memchr(first, 0, sizeof first);
    if (f) fclose(f);
    return binary || (n > 12 && !strcmp(word + n - 12, ".safetensors"));
}

/* Nobody said which examples the model takes. If its file is not one of a model, that is what is wrong. */
static int input_is_needed(const command_args *args, const char *text, const char *model)
{
    vn_model_parse(text, model, VN_SHAPE(1), 1);
    if (vn_status() == VN_E_FORMAT) return library_failed();
    vn_clear();
    return misuse(args->command, "--input is needed: the shape of an example that %.100s is to take, such as 64 or 8,8,1", model);
}

static int summarize(const command_args *args)
{
    const char *model = args->words[0], *input = text_of(args, "input", NULL), *end = "";
    if (is_checkpoint(model)) return summarize_checkpoint(model);
    vn_shape example;
    const char *text = vn_model_text(model);
    if (!text) return library_failed();
    if (input && (!read_shape(input, &example, &end) || *end))
        return misuse(args->command, "--input %.100s: sizes such as 64 or 8,8,1 are needed", input);
    if (!input && !own_input(text, &example)) return input_is_needed(args, text, model);
    return print_summary(vn_model_parse(text, model, example, count_of(args, "outputs", 10)), &example);
}

/* A file is summarized, a built-in model printed unless --summary or --input asks for the other. */
static int is_summary(const command_args *args)
{
    return given(args, "summary") || given(args, "input") || strpbrk(args->words[0], "./");
}

static int show(const command_args *args)
{
    VN_SCOPE;
    if (args->n && is_summary(args)) return summarize(args);
    const char *text = args->n ? vn_model_text(args->words[0]) : NULL;
    if (args->n && !text) return library_failed();
    if (text) fputs(text, stdout);
    else if (given(args, "markdown")) print_markdown();
    else return print_list();
    return EXIT_GOOD;
}

static int run(const command_args *args)
{
    speak_for(args->command);
    int code = show(args);
    vn_close();
    return code;
}

const command command_models = {
    .name = "models",
    .summary = "list the built-in models and the layer types of model files, print a model, or summarize one",
    .details =
        "Of a file (a checkpoint of `vinea train` or a model), and of a built-in model with --summary, the layers with the shapes of their "
        "outputs and the number of\n"
        "their parameters are printed.\n",
    .examples = "vinea models convnet > mine.json\nvinea train mine.json data.csv\nvinea models mine.json --input 8,8,1\nvinea "
                "models mlp.safetensors\n",
    .words =
        (const command_option[]){{"MODEL", OPTION_FILE, .about = "a built-in model, a JSON file, or a checkpoint", .choices = model_words},
                                 {0}},
    .required = 0,
    .max_words = 1,
    .options =
        (const command_option[]){
            {.name = "summary", .about = "print layers, shapes and parameters"},
            {"input", OPTION_TEXT, "SHAPE", .about = "the shape of an example, for the summary (the model's own, if it has one)"},
            {"outputs", OPTION_COUNT, .about = "for the summary: classes, or numbers to predict (10)", .low = 1, .high = 1 << 24},
            {.name = "markdown", .about = "explain everything, as docs/models.md"},
            {0}},
    .run = run,
};

/* For completion; a test compares them with vn_model_at. */
const char *const model_words[] = {"linear", "mlp", "convnet", "resnet", NULL};
