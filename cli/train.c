/* train.c: `vinea train`: trains a model on a data file, on any engine, and saves a checkpoint. */
#include "base/base.h"
#include "training.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- choices, by name ---- */

#include "objects_words.inc" /* optimizer_words, schedule_words, loss_words, metric_words */

static int has_option(const char *family, const char *name, const char *option)
{
    vn_op_info info = {.size = sizeof info};
    for (int i = 0; !vn_object_at(family, i, &info); i++) {
        if (strcmp(info.name, name) != 0) continue;
        for (int k = 0; k < info.n_options; k++)
            if (!strcmp(info.options[k].name, option)) return 1;
        return 0;
    }
    return 0;
}

/* A schedule over a number of steps. One that would keep its rate to the last step goes down in three stairs. */
static int schedule_named(const char *name, double lr, int64_t steps, vn_schedule *to)
{
    const int period = has_option("schedule", name, "every");
    vn_option options[2] = {{.name = "rate", .kind = VN_OPT_FLOAT, .n = 1, .u.f = lr},
                            {.name = period ? "every" : "steps", .kind = VN_OPT_INT, .n = 1, .u.i = steps}};
    const int n = period || has_option("schedule", name, "steps") ? 2 : 1;
    int code = vn_schedule_make(name, options, n, to);
    if (code || !period || vn_schedule_at(to, steps - 1) != lr) return code;
    options[1].u.i = (steps + 2) / 3;
    return vn_schedule_make(name, options, n, to);
}

static const char *const task_words[] = {"auto", "classes", "numbers", NULL};

/* ---- one training ---- */

typedef struct job {
    const command_args *args;
    training about;
    char data_file[4096], checkpoint_name[300];
    const char *data_path, *checkpoint;
    vn_dataset *data, *held_out; /* held_out: NULL if all rows are used for training */
    int64_t rows, epochs, batch;
    vn_module *net;
    vn_optim *optim;
    char *config;
} job;

/* The path of the checkpoint: --checkpoint, or the model's name without folder and extension. An existing one is not overwritten by
 * accident. */
static int choose_checkpoint(job *j)
{
    const char *base = strrchr(j->args->words[0], '/');
    base = base ? base + 1 : j->args->words[0];
    snprintf(j->checkpoint_name, sizeof j->checkpoint_name, "%.*s.safetensors", (int)strcspn(base, "."), base);
    j->checkpoint = text_of(j->args, "checkpoint", j->checkpoint_name);
    if (given(j->args, "resume") || given(j->args, "force") || access(j->checkpoint, F_OK)) return EXIT_GOOD;
    return complain("%s exists: use --resume to continue it, --force to replace it, or --checkpoint FILE for another name", j->checkpoint);
}

/* Checks the folder of an option's file now rather than after an epoch. */
static int check_folder(const command_args *args, const char *option, const char *path)
{
    char folder[4096];
    if (!path) return EXIT_GOOD;
    const char *last = strrchr(path, '/');
    int n = snprintf(folder, sizeof folder, "%.*s.", last ? (int)(last - path + 1) : 0, path);
    if (n >= (int)sizeof folder) return complain("--%s %.100s...: the path is too long", option, path);
    if (!access(folder, W_OK | X_OK)) return EXIT_GOOD;
    return complain("%s: --%s %s: the folder cannot be written to: %s", args->command->name, option, path, strerror(errno));
}

static int check_folders(const job *j)
{
    static const char *const options[] = {"best", "report", "log"};
    int code = check_folder(j->args, "checkpoint", j->checkpoint);
    for (int i = 0; i < 3 && !code; i++) code = check_folder(j->args, options[i], text_of(j->args, options[i], NULL));
    return code;
}

static vn_dataset *load_data(const job *j, const char *path, int64_t classes)
{
    const char *task = text_of(j->args, "task", "auto");
    vn_dataset_opts o = {.size = sizeof o, .target = text_of(j->args, "target", NULL), .classes = classes};
    o.kind = !strcmp(task, "classes") ? VN_TARGET_CLASS : !strcmp(task, "numbers") ? VN_TARGET_NUMBER : VN_TARGET_AUTO;
    return vn_dataset_load(path, &o);
}

/* Holds out rows of the data: a random fraction below 1, or the last rows. */
static int hold_out_rows(job *j, const char *text, double x)
{
    int part = strpbrk(text, ".eE") != NULL;
    int64_t rows = part ? llround(x * (double)j->rows) : (int64_t)x;
    if (x < 0 || (part && x >= 1) || rows >= j->rows)
        return misuse(j->args->command,
                      "--validation %.100s of %" PRId64 " rows: a fraction from 0.0 to below 1.0 or fewer rows are needed", text, j->rows);
    if (!rows) return EXIT_GOOD;
    vn_dataset *first = NULL;
    if (vn_dataset_split(j->data, rows, VN_OPTS(dataset_split, .random = part, .seed = part ? (uint64_t)count_of(j->args, "seed", 0) : 0),
                         &first, &j->held_out))
        return library_failed();
    j->data = first;
    j->rows -= rows;
    return EXIT_GOOD;
}

static int hold_out(job *j)
{
    const char *what = text_of(j->args, "validation", "0.2");
    double x;
    if (parse_number(what, &x)) return hold_out_rows(j, what, x);
    vn_dataset_info info = {.size = sizeof info};
    j->held_out = load_data(j, what, j->about.classes);
    if (!j->held_out || vn_dataset_look(j->held_out, &info)) return library_failed();
    if (count_elements(&info.x) == count_elements(&j->about.example)) return EXIT_GOOD;
    return complain("%s: rows of %" PRId64 " numbers, but %s has %" PRId64, what, count_elements(&info.x), j->data_path,
                    count_elements(&j->about.example));
}

static int read_data(job *j)
{
    vn_dataset_info info = {.size = sizeof info};
    j->data_path = data_path(j->args->words[1], j->data_file, sizeof j->data_file);
    if (!j->data_path) return EXIT_FAILED;
    j->data = load_data(j, j->data_path, 0);
    if (!j->data || vn_dataset_look(j->data, &info)) return library_failed();
    if (!info.has_target) return complain("%s: the data has no target y", j->data_path);
    j->rows = info.rows;
    j->about.example = info.x;
    j->about.classes = info.classes;
    j->about.outputs = info.classes ? info.classes : count_elements(&info.y);
    training_name(j->about.target, sizeof j->about.target, text_of(j->args, "target", info.target ? info.target : ""));
    return hold_out(j);
}

static int make_net(job *j)
{
    training_name(j->about.model, sizeof j->about.model, j->args->words[0]);
    j->about.text = vn_model_text(j->args->words[0]);
    j->net = j->about.text ? vn_model_parse(j->about.text, j->about.model, j->about.example, j->about.outputs) : NULL;
    j->config = j->net ? training_write(&j->about) : NULL;
    return j->net ? j->config ? EXIT_GOOD : EXIT_FAILED : library_failed();
}

/* Would the last batch of an epoch have one row? Batch norms cannot handle that, so it is skipped; shuffling changes which row it is. */
static int lonely_row(const job *j)
{
    return j->rows > j->batch && j->rows % j->batch == 1;
}

/* The number of an option of the command line, if it is given, as an option of the optimizer. */
static void add_number(const job *j, const char *word, const char *name, vn_option *options, int *n)
{
    if (given(j->args, word)) options[(*n)++] = (vn_option){.name = name, .kind = VN_OPT_FLOAT, .n = 1, .u.f = number_of(j->args, word, 0)};
}

static int make_optimizer(job *j)
{
    const char *name = text_of(j->args, "optimizer", "adam");
    vn_option options[3];
    int n = 0;
    add_number(j, "lr", "lr", options, &n);
    add_number(j, "weight-decay", "weight_decay", options, &n);
    add_number(j, "momentum", "momentum", options, &n);
    j->optim = vn_optim_make(name, options, n);
    if (!j->optim || (given(j->args, "clip") && vn_optim_clip_norm(j->optim, number_of(j->args, "clip", 0)))) return library_failed();
    int64_t batches = (j->rows + j->batch - 1) / j->batch - lonely_row(j), steps = j->epochs * batches;
    int64_t warm = count_of(j->args, "warm-up", 0);
    vn_schedule s;
    if (schedule_named(text_of(j->args, "schedule", "constant"), vn_optim_lr(j->optim), steps > warm ? steps - warm : 1, &s))
        return library_failed();
    if (warm) s = vn_warm_up(s, warm);
    return vn_optim_schedule(j->optim, s) ? library_failed() : EXIT_GOOD;
}

/* The given options, for the report. */
static int settings(const job *j, vn_note *notes, int room)
{
    int n = 0;
    notes[n++] = (vn_note){"model", j->args->words[0]};
    notes[n++] = (vn_note){"data", j->data_path};
    for (int i = 0; j->args->command->options[i].name && n < room; i++) {
        if (j->args->values[i]) notes[n++] = (vn_note){j->args->command->options[i].name, *j->args->values[i] ? j->args->values[i] : "yes"};
    }
    return n;
}

static int fit(job *j, vn_fit_result *result)
{
    vn_note notes[40];
    vn_terminal terminal = {.to = stderr, .style = given(j->args, "quiet") ? 3 : 0};
    const char *log = text_of(j->args, "log", NULL);
    vn_fit_opts o = {
        .size = sizeof o,
        .epochs = j->epochs,
        .batch = j->batch,
        .drop_last = lonely_row(j),
        .seed = (uint64_t)count_of(j->args, "seed", 0),
        .validation = j->held_out,
        .optim = j->optim,
        .loss = text_of(j->args, "loss", NULL),
        .metrics = text_of(j->args, "metrics", NULL),
        .patience = count_of(j->args, "patience", 0),
        .checkpoint = j->checkpoint,
        .best = text_of(j->args, "best", NULL),
        .resume = given(j->args, "resume"),
        .config = j->config,
        .log_csv = log && !vn__ends_with(log, ".jsonl") ? log : NULL,
        .log_jsonl = log && vn__ends_with(log, ".jsonl") ? log : NULL,
        .report = text_of(j->args, "report", NULL),
        .title = j->about.model,
        .notes = notes,
        .n_notes = settings(j, notes, 40),
        .progress = vn_progress_terminal,
        .progress_user = &terminal,
    };
    return vn_stop_on_interrupt(1) || vn_fit(j->net, j->data, &o, result) ? library_failed() : EXIT_GOOD;
}

/* Prints the result on stdout. */
static int tell(const job *j, const vn_fit_result *result)
{
    vn_evaluation e = {.size = sizeof e};
    vn_evaluate_opts o = {
        .size = sizeof o, .batch = j->batch, .loss = text_of(j->args, "loss", NULL), .metrics = text_of(j->args, "metrics", NULL)};
    if (vn_evaluate(j->net, j->held_out ? j->held_out : j->data, &o, &e)) return library_failed();
    print_scores(stdout, &e, j->held_out ? "held-out rows" : "training rows (no rows were held out)");
    printf("checkpoint %s\n", j->checkpoint);
    if (given(j->args, "best") && result->best_epoch)
        printf("best epoch %" PRId64 " in %s\n", result->best_epoch, text_of(j->args, "best", ""));
    if (given(j->args, "log")) printf("log %s\n", text_of(j->args, "log", ""));
    if (given(j->args, "report")) printf("report %s\n", text_of(j->args, "report", ""));
    if (result->stop == VN_STOP_EARLY)
        printf("stopped early: the best epoch was %" PRId64 " of %" PRId64 "\n", result->best_epoch, result->epochs);
    return EXIT_GOOD;
}

static int train(job *j)
{
    VN_SCOPE;
    vn_fit_result result = {.size = sizeof result};
    vn_seed((uint64_t)count_of(j->args, "seed", 0));
    int code = read_data(j);
    if (!code) code = make_net(j);
    if (!code) code = make_optimizer(j);
    if (!code) code = fit(j, &result);
    if (!code && result.stop == VN_STOP_INTERRUPTED) {
        complain("interrupted after %" PRId64 " of %" PRId64 " epochs; use the same command with --resume to continue from %s",
                 result.epochs, j->epochs, j->checkpoint);
        return EXIT_INTERRUPTED;
    }
    return code ? code : tell(j, &result);
}

static int run(const command_args *args)
{
    job j = {.args = args, .epochs = count_of(args, "epochs", 10), .batch = count_of(args, "batch", 32)};
    if (j.epochs < 1 || j.batch < 1) return misuse(args->command, "--%s 0: 1 or more is needed", j.epochs < 1 ? "epochs" : "batch");
    if (j.epochs > 1000000 || j.batch > 1000000000) return misuse(args->command, "too many epochs, or too large a batch");
    use_threads(args);
    int code = use_engine(text_of(args, "engine", "native"));
    if (!code) code = use_memory(args);
    if (!code) code = use_precision(args);
    if (!code) code = choose_checkpoint(&j);
    if (!code) code = check_folders(&j);
    if (!code) code = train(&j);
    free(j.config);
    vn_close();
    return code;
}

const command command_train = {
    .name = "train",
    .summary = "train a model on a data file",
    .details =
        "MODEL is a built-in model or a JSON file (`vinea models`). DATA is a CSV file (a target column, numbers in the others), an "
        "npz or\n"
        "safetensors file with the arrays x and y, or `digits`, which comes with Vinea. The same command and seed give the same "
        "training on\n"
        "every engine. Ctrl-C stops after the current step, saves the checkpoint and exits with 130; a second Ctrl-C exits immediately.\n",
    .examples = "vinea train convnet digits --epochs 15 --validation 360 --report digits.html\n"
                "vinea train mlp table.csv --target price --task numbers --optimizer adamw --lr 0.003 --schedule cosine\n"
                "vinea train net.json data.npz --engine jax --epochs 100 --checkpoint run.safetensors --resume\n",
    .words = (const command_option[]){{"MODEL", OPTION_FILE, .about = "a built-in model or a JSON file", .choices = model_words},
                                      {"DATA", OPTION_FILE, .about = "a csv, npz or safetensors file, or digits", .choices = data_words},
                                      {0}},
    .required = 2,
    .most = 2,
    .options =
        (const command_option[]){
            {"engine", OPTION_ENGINE, .about = "the engine to use (native)"},
            {"epochs", OPTION_COUNT, .about = "number of passes over the data (10); with --resume, the total"},
            {"batch", OPTION_COUNT, .about = "rows per step (32)"},
            {"lr", OPTION_NUMBER, .about = "the learning rate (the optimizer's default)"},
            {"optimizer", OPTION_CHOICE, .about = "the optimizer (adam)", .choices = optimizer_words},
            {"momentum", OPTION_NUMBER, .about = "momentum of sgd and rmsprop (the optimizer's default)"},
            {"weight-decay", OPTION_NUMBER, .about = "weight decay (the optimizer's default)"},
            {"clip", OPTION_NUMBER, .about = "scale gradients down to this norm (off)"},
            {"schedule", OPTION_CHOICE, .about = "learning rate schedule (constant)", .choices = schedule_words},
            {"warm-up", OPTION_COUNT, "STEPS", .about = "warm-up steps of the learning rate from 0 (0)"},
            {"loss", OPTION_TEXT, "LOSS",
             .about = "the loss to minimise, with its options in brackets (cross_entropy for classes, mse for numbers)",
             .choices = loss_words},
            {"metrics", OPTION_TEXT, "LIST", .about = "comma-separated metrics, or none (accuracy, or mae)", .choices = metric_words},
            {"seed", OPTION_COUNT, .about = "the random seed (0)"},
            {"validation", OPTION_TEXT, "WHAT",
             .about = "rows to hold out: a fraction such as 0.2, a number of last rows, or a file (0.2)"},
            {"target", OPTION_TEXT, "COLUMN", .about = "CSV: the column to predict, by name or number from 0 (the last one)"},
            {"task", OPTION_CHOICE, .about = "the kind of target (auto)", .choices = task_words},
            {"patience", OPTION_COUNT, "EPOCHS", .about = "stop after this many epochs without improvement (never)"},
            {"checkpoint", OPTION_FILE, .about = "where to save the checkpoint (MODEL.safetensors)"},
            {"best", OPTION_FILE, .about = "also save the best epoch's checkpoint here"},
            {"resume", OPTION_SWITCH, .about = "continue from the checkpoint if it exists"},
            {"force", OPTION_SWITCH, .about = "replace an existing checkpoint"},
            {"report", OPTION_FILE, .about = "write an HTML page with curves and the confusion matrix"},
            {"log", OPTION_FILE, .about = "write a line per epoch (.jsonl: JSON, otherwise CSV)"},
            {"memory", OPTION_NUMBER, "GIB",
             .about = "limit on the memory of arrays, and so of a model's variables (no limit; 4 for a model)"},
            {"precision", OPTION_TEXT, "MODE", .about = "of float32 products: exact, split, fast, tf32 or bf16 (exact)"},
            {"threads", OPTION_COUNT, .about = "processor threads to use (all)"},
            {"quiet", OPTION_SWITCH, .about = "no progress, only the result"},
            {0}},
    .run = run,
};
