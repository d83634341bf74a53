/* models.c: `vinea models`: the built-in models and the layer types of model files. */
#include "command.h"

#include <string.h>
#include <vinea/vinea.h>

static void print_example(void)
{
    puts("```json\n"
         "{\n"
         "  \"about\": \"reads 8 x 8 images\",\n"
         "  \"input\": [8, 8, 1],\n"
         "  \"layers\": [\n"
         "    {\"type\": \"conv2d\", \"filters\": 16, \"kernel\": 3, \"padding\": \"same\"},\n"
         "    {\"type\": \"relu\"},\n"
         "    {\"type\": \"max_pool2d\", \"window\": 2},\n"
         "    {\"type\": \"flatten\"},\n"
         "    {\"type\": \"linear\", \"units\": \"outputs\"}\n"
         "  ]\n"
         "}\n"
         "```");
}

/* docs/models.md */
static void print_markdown(void)
{
    puts("# Models\n\n"
         "A model is a built-in name or a JSON file: `vinea train NAME-OR-FILE DATA`, or `vn_model` in C (`include/vinea/model.h`). This "
         "page is\n"
         "generated from the parser's table by `vinea models --markdown`.\n\n"
         "## Built-in models\n\n| name | what it is |\n|---|---|");
    for (int i = 0; i < vn_model_count(); i++) {
        vn_model_info m = {.size = sizeof m};
        if (!vn_model_at(i, &m)) printf("| `%s` | %s |\n", m.name, m.about);
    }
    puts("\n`vinea models NAME` prints one as a file to start from.\n\n## Files\n");
    print_example();
    puts("\n| key | what it is |\n|---|---|\n"
         "| `layers` | the layers in order; each is an object with its `type` and its options |\n"
         "| `input` | the shape of an example, without the batch: a list of sizes, or `\"image\"` (height, width, channels; a row of "
         "numbers becomes a square "
         "image of one channel). Default: the data's shape |\n"
         "| `name`, `about` | descriptive text |\n\n"
         "A *count* is a positive integer, or `\"outputs\"`: the number of classes, or of values to predict, which the data determines. "
         "*Sizes* are a count or "
         "a list of counts.\nChannels and features are the last axis. Losses for classes take logits, the values before `softmax`, so the "
         "last "
         "layer is usually `linear`.\n\n"
         "## Layer types\n");
    for (int i = 0; i < vn_layer_count(); i++) {
        vn_layer_info l = {.size = sizeof l};
        if (vn_layer_at(i, &l)) continue;
        printf("### %s\n\n%s\n\n", l.name, l.about);
        if (l.n_options) puts("| option | kind | default | what it is |\n|---|---|---|---|");
        for (int k = 0; k < l.n_options; k++) {
            const vn_layer_option *o = &l.options[k];
            printf("| `%s` | ", o->name);
            for (const char *c = o->type; *c; c++) fputs(*c == '|' ? " or " : (char[]){*c, 0}, stdout);
            printf(" | %s%s%s | %s |\n", o->fallback ? "`" : "", o->fallback ? o->fallback : "needed", o->fallback ? "`" : "", o->about);
        }
        if (l.n_options) putchar('\n');
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
    for (int i = 0; i < vn_layer_count() && !code; i++) {
        vn_layer_info l = {.size = sizeof l};
        char options[300] = "";
        if (vn_layer_at(i, &l)) return complain("%s", vn_message());
        for (int k = 0; k < l.n_options; k++) {
            size_t used = strlen(options);
            snprintf(options + used, sizeof options - used, "%s%s%s%s", k ? ", " : "", l.options[k].name, l.options[k].fallback ? "=" : "",
                     l.options[k].fallback ? l.options[k].fallback : "");
        }
        code = table_row(layers, (const char *[]){"", l.name, options});
    }
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
