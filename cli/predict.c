/* SPDX-License-Identifier: Apache-2.0 */
/* predict.c: `vinea predict`: a trained checkpoint's predictions for the rows of a file, as CSV. */
#include "training.h"

#include "base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- data, with labels or without ---- */

/* As many numbers per row as the model takes? */
static int fits(const training *t, const vn_dataset *d)
{
    vn_dataset_info info = {.size = sizeof info};
    return d && !vn_dataset_look(d, &info) && count_elements(&info.x) == count_elements(&t->example);
}

/* The file does not fit: reports its own error, or the row lengths. */
static vn_dataset *explain(const source *s, const training *t)
{
    vn_dataset_info info = {.size = sizeof info};
    vn_dataset *d = dataset_for(s, t, NULL, 0);
    if (!d || vn_dataset_look(d, &info)) return library_failed(), NULL;
    complain("%s: rows of %" PRId64 " numbers; the model takes %" PRId64 ", plus optionally its target", s->path, count_elements(&info.x),
             count_elements(&t->example));
    return NULL;
}

/* The rows; by a schema, or by the number of values per row: with the target if the file has it. */
static vn_dataset *rows_of(const source *s, const training *t, const char *target)
{
    if ((s->is_table || s->is_images) && t->schema) {
        vn_dataset *d = dataset_for(s, t, NULL, 0);
        return d ? d : (library_failed(), NULL);
    }
    if (vn_error_push()) return library_failed(), NULL;
    vn_dataset *bare = dataset_for(s, t, NULL, 0), *labelled = NULL;
    if (!fits(t, bare)) {
        bare = NULL;
        labelled = dataset_for(s, t, target, 1);
        if (!fits(t, labelled)) labelled = NULL;
    }
    vn_error_pop();
    return labelled ? labelled : bare ? bare : explain(s, t);
}

/* The rows with their targets, where there are some; NULL otherwise. If the target was asked for, or cannot be read, a message says why. */
static vn_dataset *labelled_rows(const source *s, const training *t, const char *target, int *code)
{
    *code = EXIT_GOOD;
    vn_dataset_info info = {.size = sizeof info};
    if (!target && vn_error_push()) return NULL;
    vn_dataset *d = dataset_for(s, t, target, 1);
    if (target && !d) *code = library_failed();
    char why[600] = "";
    if (!target) {
        snprintf(why, sizeof why, "%.590s", vn_message());
        vn_error_pop();
    }
    const int has = d && !vn_dataset_look(d, &info) && info.has_target && fits(t, d);
    if (target && d && !has) *code = complain("%s: there is no column \"%s\"", s->path, target);
    if (has) return d;
    if (!target && !d && s->is_table && t->schema) {
        char note[640];
        snprintf(note, sizeof note, "not scored: %s", why);
        print_note(note);
    }
    return NULL;
}

/* ---- the result ---- */

typedef struct result {
    const training *about;
    vn_dataset_info info;
    vn_array *y;
    int all; /* probabilities of all classes */
} result;

/* The number of a row in the file, or the name of an image. */
static void print_row(FILE *to, const result *r, int64_t i)
{
    if (r->info.files) print_field(to, r->info.files[i]);
    else fprintf(to, "%" PRId64, r->info.file_rows ? r->info.file_rows[i] : i);
}

static void print_first_name(FILE *to, const result *r)
{
    fputs(r->info.files ? "file" : "row", to);
}

static void print_class(FILE *to, const result *r, int64_t k)
{
    if (r->info.class_names) print_field(to, r->info.class_names[k]);
    else fprintf(to, "%" PRId64, k);
}

static void print_classes(FILE *to, const result *r, const float *p, int64_t rows, int64_t classes)
{
    print_first_name(to, r);
    fputs(",class,probability", to);
    for (int64_t k = 0; r->all && k < classes; k++) {
        char name[300];
        if (r->info.class_names) snprintf(name, sizeof name, "p_%.290s", r->info.class_names[k]);
        else snprintf(name, sizeof name, "p%" PRId64, k);
        fputc(',', to);
        print_field(to, name);
    }
    fputc('\n', to);
    for (int64_t i = 0; i < rows; i++, p += classes) {
        int64_t best = 0;
        for (int64_t k = 1; k < classes; k++) best = p[k] > p[best] ? k : best;
        print_row(to, r, i);
        fputc(',', to);
        print_class(to, r, best);
        fprintf(to, ",%.6g", (double)p[best]);
        for (int64_t k = 0; r->all && k < classes; k++) fprintf(to, ",%.6g", (double)p[k]);
        fputc('\n', to);
    }
}

static void print_values(FILE *to, const result *r, const float *y, int64_t rows, int64_t width)
{
    print_first_name(to, r);
    for (int64_t k = 0; k < width; k++) {
        if (width == 1 && r->about->schema && *r->about->target) fputc(',', to), print_field(to, r->about->target);
        else fprintf(to, ",y%" PRId64, k);
    }
    fputc('\n', to);
    for (int64_t i = 0; i < rows; i++) {
        print_row(to, r, i);
        for (int64_t k = 0; k < width; k++) fprintf(to, ",%.9g", (double)y[i * width + k]);
        fputc('\n', to);
    }
}

static int print_result(FILE *to, const result *r)
{
    vn_shape s = vn_shape_of(r->y);
    const int64_t classes = r->about->classes, rows = s.rank ? s.dim[0] : 0, width = rows ? count_elements(&s) / rows : 0;
    if (classes && width != classes) return complain("the model gives %" PRId64 " numbers for %" PRId64 " classes", width, classes);
    vn_array *y = vn_cast(classes ? vn_softmax(vn_reshape(r->y, VN_SHAPE(rows, width)), -1) : r->y, VN_F32);
    const float *values = y ? vn_data(y) : NULL;
    if (!values) return library_failed();
    if (classes) print_classes(to, r, values, rows, width);
    else print_values(to, r, values, rows, width);
    return EXIT_GOOD;
}

/* Writes a file atomically. */
static int write_file(const char *path, const result *r)
{
    char *text = NULL;
    const char *what = "cannot write";
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    int code = to ? print_result(to, r) : EXIT_GOOD, error = !to || ferror(to) ? ENOMEM : 0;
    if (to && fclose(to)) error = ENOMEM;
    if (!code && !error) error = vn__output_whole(path, text, size, true, &what);
    free(text);
    return code ? code : error ? complain("%s: %s: %s", path, what, strerror(error)) : EXIT_GOOD;
}

/* ---- the command ---- */

static int score(const command_args *args, vn_module *net, const source *s, const training *t)
{
    int code;
    vn_evaluation e = {.size = sizeof e};
    vn_dataset *data = labelled_rows(s, t, text_of(args, "target", NULL), &code);
    vn_dataset_info info = {.size = sizeof info};
    if (!data) return code;
    if (vn_dataset_look(data, &info) || vn_evaluate(net, data, VN_OPTS(evaluate, .batch = count_of(args, "batch", 256)), &e))
        return library_failed();
    print_scores(given(args, "out") ? stdout : stderr, &e, info.y_deviation > 0, "", "");
    return EXIT_GOOD;
}

static int predict_rows(const command_args *args, training *t)
{
    source s;
    const char *out = text_of(args, "out", NULL);
    vn_module *net = open_source(&s, args, args->words[1]) ? NULL : training_net(args->words[0], t);
    vn_dataset *data = net ? rows_of(&s, t, text_of(args, "target", NULL)) : NULL;
    if (!data) return EXIT_FAILED;
    result r = {.about = t, .info = {.size = sizeof r.info}, .all = given(args, "probabilities")};
    print_notes(data);
    r.y = vn_dataset_look(data, &r.info) ? NULL : vn_predict(net, data, count_of(args, "batch", 256));
    if (!r.y) return library_failed();
    int code = out ? write_file(out, &r) : print_result(stdout, &r);
    return code ? code : score(args, net, &s, t);
}

static int run(const command_args *args)
{
    return run_trained(args, predict_rows);
}

const command command_predict = {
    .name = "predict",
    .summary = "print a trained model's predictions for the rows of a file",
    .details =
        "The checkpoint of `vinea train` contains the model, and of a CSV file the names of columns and classes: columns are found by "
        "name, in\n"
        "any order. The result is CSV: the row, from 0, or the image file, with its class and probability, or with the values. If the data "
        "has the "
        "target too,\n"
        "the accuracy is printed (on stderr, unless --out is given).\n",
    .examples = "vinea predict convnet.safetensors digits --out digits-predicted.csv\n"
                "vinea predict run.safetensors new.csv --engine torch | head\n",
    .words = TRAINED_WORDS,
    .required = 2,
    .max_words = 2,
    .options = (const command_option[]){{"engine", OPTION_ENGINE, .about = "the engine to use (native)"},
                                        {"out", OPTION_FILE, .about = "write the CSV here (stdout)", .writes = 1},
                                        {"probabilities", OPTION_SWITCH, .about = "print the probabilities of all classes"},
                                        TRAINED_OPTIONS},
    .run = run,
};
