/* predict.c: `vinea predict`: a trained checkpoint's predictions for the rows of a file, as CSV. */
#include "training.h"

#include "base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- data, with labels or without ---- */

/* The rows with their targets, or NULL with the error set. */
static vn_dataset *load_labelled(const training *t, const char *path, const char *target)
{
    vn_dataset_opts o = {.size = sizeof o, .target = target && *target ? target : NULL, .classes = t->classes};
    o.kind = t->classes ? VN_TARGET_CLASS : VN_TARGET_NUMBER;
    return vn_dataset_load(path, &o);
}

/* Could the file be read, with as many numbers per row as the model takes? */
static int fits(const training *t, const vn_dataset *d)
{
    vn_dataset_info info = {.size = sizeof info};
    return d && !vn_dataset_look(d, &info) && count_elements(&info.x) == count_elements(&t->example);
}

/* The file does not fit: reports its own error, or the row lengths. */
static vn_dataset *explain(const training *t, const char *path)
{
    vn_dataset_info info = {.size = sizeof info};
    vn_dataset *d = vn_dataset_load(path, VN_OPTS(dataset, .kind = VN_TARGET_NONE));
    if (!d || vn_dataset_look(d, &info)) return library_failed(), NULL;
    complain("%s: rows of %" PRId64 " numbers; the model takes %" PRId64 ", plus optionally its target", path, count_elements(&info.x),
             count_elements(&t->example));
    return NULL;
}

/* With the target if the file has it, otherwise only the rows, by the number of values per row. */
static vn_dataset *load_data(const training *t, const char *path, const char *target)
{
    if (target) {
        vn_dataset *d = load_labelled(t, path, target);
        return d ? d : (library_failed(), NULL);
    }
    if (vn_error_push()) return library_failed(), NULL;
    vn_dataset *labelled = load_labelled(t, path, t->target), *bare = NULL;
    if (!fits(t, labelled)) {
        labelled = NULL;
        bare = vn_dataset_load(path, VN_OPTS(dataset, .kind = VN_TARGET_NONE));
        if (!fits(t, bare)) bare = NULL;
    }
    vn_error_pop();
    return labelled ? labelled : bare ? bare : explain(t, path);
}

/* ---- the result ---- */

static void print_classes(FILE *to, const float *p, int64_t rows, int64_t classes, int all)
{
    fputs("row,class,probability", to);
    for (int64_t k = 0; all && k < classes; k++) fprintf(to, ",p%" PRId64, k);
    fputc('\n', to);
    for (int64_t i = 0; i < rows; i++, p += classes) {
        int64_t best = 0;
        for (int64_t k = 1; k < classes; k++) best = p[k] > p[best] ? k : best;
        fprintf(to, "%" PRId64 ",%" PRId64 ",%.6g", i, best, (double)p[best]);
        for (int64_t k = 0; all && k < classes; k++) fprintf(to, ",%.6g", (double)p[k]);
        fputc('\n', to);
    }
}

static void print_values(FILE *to, const float *y, int64_t rows, int64_t width)
{
    fputs("row", to);
    for (int64_t k = 0; k < width; k++) fprintf(to, ",y%" PRId64, k);
    fputc('\n', to);
    for (int64_t i = 0; i < rows; i++) {
        fprintf(to, "%" PRId64, i);
        for (int64_t k = 0; k < width; k++) fprintf(to, ",%.9g", (double)y[i * width + k]);
        fputc('\n', to);
    }
}

static int print_result(FILE *to, vn_array *y, const training *t, int all)
{
    vn_shape s = vn_shape_of(y);
    int64_t rows = s.rank ? s.dim[0] : 0, width = rows ? count_elements(&s) / rows : 0;
    if (t->classes && width != t->classes)
        return complain("the model gives %" PRId64 " numbers for %" PRId64 " classes", width, t->classes);
    y = vn_cast(t->classes ? vn_softmax(vn_reshape(y, VN_SHAPE(rows, width)), -1) : y, VN_F32);
    const float *values = y ? vn_data(y) : NULL;
    if (!values) return library_failed();
    if (t->classes) print_classes(to, values, rows, width, all);
    else print_values(to, values, rows, width);
    return EXIT_GOOD;
}

/* Writes a file atomically. */
static int write_file(const char *path, vn_array *y, const training *t, int all)
{
    char *text = NULL;
    const char *what = "cannot write";
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    int code = to ? print_result(to, y, t, all) : EXIT_GOOD, error = !to || ferror(to) ? ENOMEM : 0;
    if (to && fclose(to)) error = ENOMEM;
    if (!code && !error) error = vn__output_whole(path, text, size, true, &what);
    free(text);
    return code ? code : error ? complain("%s: %s: %s", path, what, strerror(error)) : EXIT_GOOD;
}

/* ---- the command ---- */

/* Loads the network of a checkpoint with its weights, in evaluation mode. */
static vn_module *load_net(const char *path, training *t)
{
    vn_checkpoint c = {.size = sizeof c};
    if (vn_checkpoint_load(path, &c)) return library_failed(), NULL;
    if (training_read(t, c.config, path)) return NULL;
    vn_checkpoint full = {.size = sizeof full, .module = vn_model_parse(t->text, t->model, t->example, t->outputs)};
    if (!full.module || vn_checkpoint_load(path, &full) || vn_module_train(full.module, 0)) return library_failed(), NULL;
    return full.module;
}

static int predict(const command_args *args)
{
    VN_SCOPE;
    training t;
    char room[4096];
    const char *out = text_of(args, "out", NULL), *path = data_path(args->words[1], room, sizeof room);
    int64_t batch = count_of(args, "batch", 256);
    vn_module *net = path ? load_net(args->words[0], &t) : NULL;
    vn_dataset *data = net ? load_data(&t, path, text_of(args, "target", NULL)) : NULL;
    if (!data) return EXIT_FAILED;
    vn_array *y = vn_predict(net, data, batch);
    if (!y) return library_failed();
    int all = given(args, "probabilities"), code = out ? write_file(out, y, &t, all) : print_result(stdout, y, &t, all);
    vn_dataset_info info = {.size = sizeof info};
    if (code || vn_dataset_look(data, &info) || !info.has_target) return code;
    vn_evaluation e = {.size = sizeof e};
    if (vn_evaluate(net, data, VN_OPTS(evaluate, .batch = batch), &e)) return library_failed();
    print_scores(out ? stdout : stderr, &e, "rows");
    return EXIT_GOOD;
}

static int run(const command_args *args)
{
    if (count_of(args, "batch", 1) < 1) return misuse(args->command, "--batch 0: 1 or more is needed");
    use_threads(args);
    int code = use_engine(text_of(args, "engine", "native"));
    if (!code) code = use_memory(args);
    if (!code) code = use_precision(args);
    if (!code) code = predict(args);
    vn_close();
    return code;
}

const command command_predict = {
    .name = "predict",
    .summary = "print a trained model's predictions for the rows of a file",
    .details = "The checkpoint of `vinea train` contains the model. The result is CSV: the row, from 0, with its class and probability, "
               "or with\n"
               "the values. If the data has the target too, the accuracy is printed (on stderr, unless --out is given).\n",
    .examples = "vinea predict convnet.safetensors digits --out digits-predicted.csv\n"
                "vinea predict run.safetensors new.csv --engine torch | head\n",
    .words =
        (const command_option[]){{"CHECKPOINT", OPTION_FILE, .about = "written by `vinea train`"},
                                 {"DATA", OPTION_FILE, .about = "a csv, npy, npz or safetensors file, or digits", .choices = data_words},
                                 {0}},
    .required = 2,
    .most = 2,
    .options = (const command_option[]){{"engine", OPTION_ENGINE, .about = "the engine to use (native)"},
                                        {"out", OPTION_FILE, .about = "write the CSV here (stdout)"},
                                        {"probabilities", OPTION_SWITCH, .about = "print the probabilities of all classes"},
                                        {"target", OPTION_TEXT, "COLUMN", .about = "CSV: the column with the true values"},
                                        {"batch", OPTION_COUNT, .about = "rows per batch (256)"},
                                        {"memory", OPTION_NUMBER, "GIB",
                                         .about = "limit on the memory of arrays, and so of a model's variables (no limit; 4 for a model)"},
                                        {"precision", OPTION_TEXT, "MODE",
                                         .about = "of float32 products: exact, split, fast, tf32 or bf16 (exact)"},
                                        {"threads", OPTION_COUNT, .about = "processor threads to use (all)"},
                                        {0}},
    .run = run,
};
