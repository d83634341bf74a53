/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c: `vinea evaluate`: how good a trained model is on the rows of a file: scores, and for classes precision, recall and what is
 * taken for what. */
#include "training.h"

#include "objects_words.inc"

#include <inttypes.h>
#include <string.h>

typedef struct evaluated {
    vn_evaluation e;
    vn_dataset_info info;
    const char *path;
} evaluated;

static const char *class_name(const evaluated *j, int64_t k, char to[static 32])
{
    if (j->info.class_names && k < j->info.classes) return j->info.class_names[k];
    snprintf(to, 32, "%" PRId64, k);
    return to;
}

static int64_t cell(const evaluated *j, int64_t truth, int64_t predicted)
{
    return j->e.confusion[truth * j->e.classes + predicted];
}

/* A row for each class: how many rows it has, the share found, and of those taken for it the share that is of it. */
static int print_class_table(const evaluated *j)
{
    table *t = table_new(5);
    int code = table_row(t, (const char *[]){"CLASS", "ROWS", "PRECISION", "RECALL", "TAKEN FOR"});
    for (int64_t k = 0; k < j->e.classes && !code; k++) {
        char number[32], rows[32], precision[32] = "-", recall[32] = "-", other[400] = "";
        int64_t have = 0, taken = 0;
        for (int64_t i = 0; i < j->e.classes; i++) have += cell(j, k, i), taken += cell(j, i, k);
        for (int64_t i = 0; i < j->e.classes; i++) {
            char name[32];
            size_t used = strlen(other);
            if (i == k || !cell(j, k, i) || used > 200) continue;
            snprintf(other + used, sizeof other - used, "%s%.60s %" PRId64, used ? ", " : "", class_name(j, i, name), cell(j, k, i));
        }
        snprintf(rows, sizeof rows, "%" PRId64, have);
        if (taken) snprintf(precision, sizeof precision, "%.1f %%", 100. * (double)cell(j, k, k) / (double)taken);
        if (have) snprintf(recall, sizeof recall, "%.1f %%", 100. * (double)cell(j, k, k) / (double)have);
        code = table_row(t, (const char *[]){class_name(j, k, number), rows, precision, recall, *other ? other : NULL});
    }
    if (!code) table_print(t);
    table_free(t);
    return code;
}

static void print_evaluation_json(const evaluated *j)
{
    fputs("{\"data\": ", stdout);
    print_json(j->path);
    printf(", \"rows\": %" PRId64 ", \"scores\": {", j->e.rows);
    for (int i = 0; i < j->e.n_scores; i++) {
        fputs(i ? ", " : "", stdout);
        print_json(j->e.scores[i].name);
        printf(": %.9g", j->e.scores[i].value);
    }
    fputs("}", stdout);
    for (int64_t k = 0; k < j->e.classes; k++) {
        char number[32];
        fputs(k ? ", " : ", \"classes\": [", stdout);
        print_json(class_name(j, k, number));
    }
    fputs(j->e.classes ? "]" : "", stdout);
    for (int64_t k = 0; j->e.confusion && k < j->e.classes; k++) {
        fputs(k ? ", [" : ", \"confusion\": [[", stdout);
        for (int64_t i = 0; i < j->e.classes; i++) printf("%s%" PRId64, i ? ", " : "", cell(j, k, i));
        fputs("]", stdout);
    }
    puts(j->e.confusion ? "]}" : "}");
}

static int evaluate_file(const command_args *args, training *t)
{
    source s;
    evaluated j = {.e = {.size = sizeof j.e}, .info = {.size = sizeof j.info}};
    vn_module *net = open_source(&s, args, args->words[1]) ? NULL : training_net(args->words[0], t);
    if (!net) return EXIT_FAILED;
    vn_dataset *data = dataset_for(&s, t, text_of(args, "target", NULL), 1);
    if (!data || vn_dataset_look(data, &j.info)) return library_failed();
    print_notes(data);
    if (!j.info.has_target)
        return complain("%s: there is no column \"%s\" with the true values; --target names another one", s.path, t->target);
    const int numbers = !j.info.classes;
    vn_evaluate_opts o = {.size = sizeof o, .batch = count_of(args, "batch", 256), .loss = text_of(args, "loss", NULL)};
    o.metrics = text_of(args, "metrics", numbers ? "mae, rmse" : NULL);
    if (vn_evaluate(net, data, &o, &j.e)) return library_failed();
    j.path = s.path;
    if (given(args, "json")) return print_evaluation_json(&j), EXIT_GOOD;
    print_scores(stdout, &j.e, j.info.y_deviation > 0, "", "");
    if (!j.e.confusion || j.e.classes > 50) return EXIT_GOOD;
    putchar('\n');
    return print_class_table(&j);
}

static int run(const command_args *args)
{
    return run_trained(args, evaluate_file);
}

const command command_evaluate = {
    .name = "evaluate",
    .summary = "measure a trained model on the rows of a file",
    .details = "The file has the true values too; columns of a CSV file are found by name. Prints the accuracy with precision, recall and "
               "mistakes\n"
               "of each class, or the errors of numbers in their own units.\n",
    .examples = "vinea evaluate mlp.safetensors test.csv\n"
                "vinea evaluate mlp.safetensors digits --metrics accuracy,top3 --engine torch\n",
    .words = TRAINED_WORDS,
    .required = 2,
    .max_words = 2,
    .options = (const command_option[]){{"engine", OPTION_ENGINE, .about = "the engine to use (native)"},
                                        {"json", OPTION_SWITCH, .about = "print JSON"},
                                        {"metrics", OPTION_TEXT, "LIST",
                                         .about = "comma-separated metrics, or none (accuracy, or mae and rmse)", .choices = metric_words},
                                        {"loss", OPTION_TEXT, "LOSS", .about = "the loss (cross_entropy, or mse)", .choices = loss_words},
                                        TRAINED_OPTIONS},
    .run = run,
};
