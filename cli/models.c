/* models.c: `vinea models`: the built-in models and the layer types of model files. */
#include "command.h"

#include <ctype.h>
#include <string.h>
#include <vinea/vinea.h>

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
    puts("\n`vinea models NAME` prints one as a file to start from.\n\n## Files\n");
    print_example();
    puts(
        "\n| key | what it is |\n|---|---|\n"
        "| `layers` | the layers in order; each is an object with its `type`, its options, and a `name` if its variables are to have one: "
        "without it the layers are called `v0`, `v1` ... |\n"
        "| `input` | the shape of an example, without the batch: a list of sizes, or `\"image\"` (height, width, channels; a row of "
        "numbers becomes a square "
        "image of one channel). Default: the data's shape |\n"
        "| `name`, `about` | descriptive text |\n\n"
        "Types and options are those of the layers in C: `vn_nn_conv2d` and the fields of its options (`include/vinea/objects.h`).\n\n"
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
        "One type is not in the table: `{\"type\": \"residual\", \"layers\": [...]}` adds what its layers make of the input to the "
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

static int run(const command_args *args)
{
    int code = EXIT_GOOD;
    const char *text = args->n ? vn_model_text(args->words[0]) : NULL;
    if (args->n && !text) code = complain("%s", vn_message());
    else if (text) fputs(text, stdout);
    else if (given(args, "markdown")) print_markdown();
    else code = print_list();
    vn_close();
    return code;
}

const command command_models = {
    .name = "models",
    .summary = "list the built-in models and the layer types of model files, or print a model",
    .details = "",
    .examples = "vinea models convnet > mine.json\nvinea train mine.json data.csv\n",
    .words = (const command_option[]){{"MODEL", OPTION_FILE, .about = "a built-in model to print", .choices = model_words}, {0}},
    .required = 0,
    .most = 1,
    .options = (const command_option[]){{.name = "markdown", .about = "explain everything, as docs/models.md"}, {0}},
    .run = run,
};

/* For completion; a test compares them with vn_model_at. */
const char *const model_words[] = {"linear", "mlp", "convnet", "resnet", NULL};
