/* SPDX-License-Identifier: Apache-2.0 */
/* train.c: `vinea train`: trains a model on a data file, on any engine, and saves a checkpoint. */
#include "base/base.h"
#include "base/nearest.h"
#include "live.h"
#include "settings.h"

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
        if (!vn__same_word(info.name, name)) continue;
        for (int k = 0; k < info.n_options; k++)
            if (!strcmp(info.options[k].name, option)) return 1;
        return 0;
    }
    return 0;
}

/* A schedule over a number of steps. One that would keep its rate to the last step goes down in three stairs. */
static int schedule_named(const char *name, double lr, int64_t steps, settings *set, vn_schedule *to)
{
    const int period = has_option("schedule", name, "every");
    vn_option options[16] = {{.name = "rate", .kind = VN_OPT_FLOAT, .n = 1, .u.f = lr}};
    int n = 1, code = settings_of_object(set, "schedule", name, options, 15, &n);
    if (code) return code;
    int own = 0; /* --set every or steps */
    for (int i = 1; i < n; i++) own = own || !strcmp(options[i].name, "every") || !strcmp(options[i].name, "steps");
    const int add = !own && (period || has_option("schedule", name, "steps"));
    if (add) options[n++] = (vn_option){.name = period ? "every" : "steps", .kind = VN_OPT_INT, .n = 1, .u.i = steps};
    if (vn_schedule_make(name, options, n, to)) return library_failed();
    if (!add || !period || vn_schedule_at(to, steps - 1) != lr) return EXIT_GOOD;
    options[n - 1].u.i = (steps + 2) / 3;
    return vn_schedule_make(name, options, n, to) ? library_failed() : EXIT_GOOD;
}

static const char *const task_words[] = {"auto", "classes", "numbers", NULL};

/* ---- one training ---- */

typedef struct job {
    const command_args *args;
    command_args own; /* with the options of the training that is resumed */
    training about, before;
    source from, held_out_from;
    vn_dataset_opts options; /* of both */
    char checkpoint_name[300], validation_room[4096];
    const char *checkpoint;
    vn_fit_opts callbacks;       /* what --callback sets */
    settings set;                /* --set */
    vn_dataset *data, *held_out; /* held_out: NULL if all rows are used for training */
    int standardized;
    int64_t rows, epochs, batch;
    const command_args *given; /* as the command line has them */
    const char **kept;         /* values of options, with those of the training that is resumed */
    vn_module *net;
    vn_optim *optim;
    char *config, *augmented; /* the checkpoint's text; the model's, with --augment */
    live *page;               /* of --live */
    char live_report[4096];   /* its file, if it has one of its own */
    vn_group *group;          /* all ranks that the launcher started; only the first one speaks */
} job;

/* Reads --callback, and checks the files that it names as those of other options. */
static int read_callbacks(job *j)
{
    vn_fit_opts *o = &j->callbacks;
    *o = (vn_fit_opts){.size = sizeof *o, .callbacks = text_of(j->args, "callback", NULL)};
    if (vn_fit_callbacks(o)) return library_failed();
    const char *const written[] = {o->checkpoint, o->best, o->log_csv, o->log_jsonl, o->report};
    int code = EXIT_GOOD;
    for (size_t i = 0; i < sizeof written / sizeof *written && !code; i++)
        if (written[i]) code = check_written(j->args, "callback", written[i]);
    return code;
}

/* The path of the checkpoint: of --checkpoint or --callback, or the model's name without folder and extension. An existing one is not
 * overwritten by accident. */
static int choose_checkpoint(job *j)
{
    const char *base = strrchr(j->args->words[0], '/');
    base = base ? base + 1 : j->args->words[0];
    snprintf(j->checkpoint_name, sizeof j->checkpoint_name, "%.*s.safetensors", (int)strcspn(base, "."), base);
    j->checkpoint = text_of(j->args, "checkpoint", j->callbacks.checkpoint ? j->callbacks.checkpoint : j->checkpoint_name);
    if (given(j->args, "resume") || given(j->args, "force") || given(j->args, "find-lr") || access(j->checkpoint, F_OK)) return EXIT_GOOD;
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

/* The data of a new training: numbers to be learned are standardized, unless told otherwise. */
static vn_dataset *new_data(const job *j)
{
    const char *standardize = text_of(j->args, "standardize", "auto");
    vn_dataset_opts o = j->options;
    vn_dataset_info info = {.size = sizeof info};
    o.standardize = !strcmp(standardize, "yes");
    vn_dataset *d = dataset_of(&j->from, &o);
    if (!d || !j->from.is_table || strcmp(standardize, "auto") != 0 || vn_dataset_look(d, &info) || info.classes) return d;
    o.standardize = 1;
    return dataset_of(&j->from, &o);
}

/* Other data, read as that of the training. */
static vn_dataset *same_data(const source *from, const char *schema, vn_dataset_opts o, int64_t classes)
{
    if (from->is_table && schema) o = (vn_dataset_opts){.size = sizeof o, .schema = schema, .missing = missing_of(from->args)};
    else if (from->is_images && schema) o = (vn_dataset_opts){.size = sizeof o, .schema = schema};
    else o.classes = classes;
    return dataset_of(from, &o);
}

/* What was read, and what was guessed. */
static void tell_data(const job *j, const vn_dataset_info *info)
{
    if (vn_group_rank(j->group)) return;
    if (!given(j->args, "quiet")) print_data_summary(stderr, info, j->from.is_table);
    print_notes(j->data);
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
    if (open_source(&j->held_out_from, j->args, what)) return EXIT_FAILED;
    j->held_out = same_data(&j->held_out_from, j->about.schema, j->options, j->about.classes);
    if (!j->held_out || vn_dataset_look(j->held_out, &info)) return library_failed();
    print_notes(j->held_out);
    if (!info.has_target) return complain("%s: there is no column \"%s\", the target", what, j->about.target);
    if (count_elements(&info.x) == count_elements(&j->about.example)) return EXIT_GOOD;
    return complain("%s: rows of %" PRId64 " numbers, but %s has %" PRId64, what, count_elements(&info.x), j->from.path,
                    count_elements(&j->about.example));
}

static int read_data(job *j)
{
    vn_dataset_info info = {.size = sizeof info};
    if (open_source(&j->from, j->args, j->args->words[1])) return EXIT_FAILED;
    int code = data_options(&j->from, &j->options);
    if (code) return code;
    j->data = j->before.schema ? same_data(&j->from, j->before.schema, j->options, 0) : new_data(j);
    if (!j->data || vn_dataset_look(j->data, &info)) return library_failed();
    if (info.classes == 1 && !j->before.schema) return one_class(&j->from, &info);
    tell_data(j, &info);
    if (!info.has_target) return no_target(&j->from, j->before.schema ? j->before.target : "y");
    j->rows = info.rows;
    j->about.example = info.x;
    j->about.classes = info.classes;
    j->about.outputs = info.classes ? info.classes : count_elements(&info.y);
    j->standardized = info.y_deviation > 0;
    if (info.schema && !(j->about.schema = strdup(info.schema))) return complain("out of memory");
    training_name(j->about.target, sizeof j->about.target, info.target ? info.target : text_of(j->args, "target", ""));
    return hold_out(j);
}

/* Options that a training keeps: they are in its checkpoint, and resuming does not change them. */
static const char *const kept_options[] = {"lr",      "optimizer", "momentum",    "weight-decay", "clip",    "schedule",
                                           "warm-up", "loss",      "metrics",     "seed",         "target",  "task",
                                           "columns", "missing",   "standardize", "balance",      "set",     "batch",
                                           "size",    "channels",  "augment",     "callback",     "weights", NULL};

/* How the rows are split, and the layers. */
static int tell_model(const job *j)
{
    if (given(j->args, "quiet") || vn_group_rank(j->group)) return EXIT_GOOD;
    vn_dataset_info held_out = {.size = sizeof held_out};
    if (j->held_out && vn_dataset_look(j->held_out, &held_out)) return library_failed();
    fprintf(stderr, "rows %" PRId64 " to train on, %" PRId64 " held out\n", j->rows, held_out.rows);
    return print_model_summary(stderr, j->about.model, j->net, &j->about.example);
}

static int make_net(job *j)
{
    training_name(j->about.model, sizeof j->about.model, j->args->words[0]);
    j->about.text = vn_model_text(j->args->words[0]);
    if (j->about.text && given(j->args, "augment")) {
        j->about.text = j->augmented = augmented_model(j->args, j->about.text);
        if (!j->augmented) return EXIT_USAGE;
    }
    j->net = j->about.text ? vn_model_parse(j->about.text, j->about.model, j->about.example, j->about.outputs) : NULL;
    j->config = j->net ? training_write(&j->about, j->args, kept_options) : NULL;
    return j->net ? j->config ? EXIT_GOOD : EXIT_FAILED : library_failed();
}

/* ---- a training that is resumed ---- */

static int place_of(const command *c, const char *option)
{
    int i = 0;
    while (strcmp(c->options[i].name, option) != 0) i++;
    return i; /* no option of this command has several values */
}

/* An option keeps its value; another one is refused rather than ignored. */
static int keep_option(job *j, const char *option, const char **values)
{
    char before[512], now[512];
    int known;
    const char *was = training_option(&j->before, option, before, sizeof before, &known);
    training_name(now, sizeof now, text_of(j->args, option, ""));
    if (!known) return EXIT_GOOD; /* an older checkpoint does not say */
    if (!given(j->args, option)) {
        if (was && !(values[place_of(j->args->command, option)] = strdup(was))) return complain("out of memory");
        return EXIT_GOOD;
    }
    if (was && !strcmp(was, now)) return EXIT_GOOD;
    return complain("--%s%s%s: %s was begun with %s%s%s, and --resume continues that training as it was; leave --%s out, or begin "
                    "another training with --checkpoint FILE or --force",
                    option, *now ? " " : "", now, j->checkpoint, was ? option : "the default", was && *was ? " " : "", was ? was : "",
                    option);
}

static int count_options(const command *c)
{
    int n = 0;
    while (c->options[n].name) n++;
    return n;
}

/* The values of options in memory of the job's own, with all --set together. */
static int own_options(job *j)
{
    const int n = count_options(j->args->command);
    const char **values = calloc((size_t)n + 1, sizeof *values);
    if (!values) return complain("out of memory");
    for (int i = 0; i < n; i++) values[i] = j->args->values[i];
    j->given = j->args;
    j->own = *j->args;
    j->own.values = j->kept = values;
    j->args = &j->own;
    if (!given(j->given, "set")) return EXIT_GOOD;
    values[place_of(j->args->command, "set")] = join_settings(j->given);
    return given(j->args, "set") ? EXIT_GOOD : EXIT_FAILED;
}

static void free_options(job *j)
{
    for (int i = 0; j->kept && i < count_options(j->given->command); i++)
        if (j->kept[i] != j->given->values[i]) free((void *)(uintptr_t)j->kept[i]);
    free(j->kept);
}

/* Takes the options of the checkpoint that is resumed. */
static int resume_options(job *j)
{
    if (!given(j->args, "resume") || access(j->checkpoint, F_OK)) return EXIT_GOOD;
    vn_checkpoint c = {.size = sizeof c};
    if (vn_checkpoint_load(j->checkpoint, &c)) return library_failed();
    int code = training_read(&j->before, c.config, j->checkpoint);
    for (int i = 0; kept_options[i] && !code; i++) code = keep_option(j, kept_options[i], j->kept);
    return code;
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

/* The optimizer by name, with the options of the command line, or by a text with its own: "chain(clip_by_global_norm(1), adamw)". */
static int optimizer_of(job *j, const char *name)
{
    vn_option options[24];
    int n = 0;
    if (strchr(name, '(')) {
        static const char *const own[] = {"lr", "weight-decay", "momentum"};
        for (int i = 0; i < 3; i++)
            if (given(j->args, own[i]))
                return misuse(j->args->command, "--%s with --optimizer %.100s: its options stand in its brackets", own[i], name);
        j->optim = vn_optim_parse(name);
        return j->optim ? EXIT_GOOD : library_failed();
    }
    add_number(j, "lr", "lr", options, &n);
    add_number(j, "weight-decay", "weight_decay", options, &n);
    add_number(j, "momentum", "momentum", options, &n);
    int code = settings_of_object(&j->set, "optimizer", name, options, 24, &n);
    if (code) return code;
    j->optim = vn_optim_make(name, options, n);
    return j->optim ? EXIT_GOOD : library_failed();
}

/* A schedule of the table, which --lr and --epochs complete, or a text that the library reads: before data is read for long. */
static int check_schedule(const job *j)
{
    const char *text = text_of(j->args, "schedule", "constant");
    vn_schedule s;
    for (int k = 0; schedule_words[k]; k++)
        if (vn__same_word(text, schedule_words[k])) return EXIT_GOOD;
    return vn_schedule_parse(text, &s) ? misuse(j->args->command, "--schedule %.100s: %s", text, vn_message()) : EXIT_GOOD;
}

static int make_optimizer(job *j)
{
    const char *name = text_of(j->args, "optimizer", "adam"), *schedule = text_of(j->args, "schedule", "constant");
    int code = optimizer_of(j, name);
    if (code) return code;
    if (given(j->args, "clip") && vn_optim_clip_norm(j->optim, number_of(j->args, "clip", 0))) return library_failed();
    int64_t batches = (j->rows + j->batch - 1) / j->batch - lonely_row(j), steps = j->epochs * batches;
    int64_t warm = count_of(j->args, "warm-up", 0);
    vn_schedule s;
    const int by_text = strchr(schedule, '(') != NULL;
    code = settings_of_optimizer(&j->set, j->optim);
    if (!code && !by_text) code = schedule_named(schedule, vn_optim_lr(j->optim), steps > warm ? steps - warm : 1, &j->set, &s);
    if (!code) code = settings_of_fit(&j->set, &(vn_fit_opts){.size = sizeof(vn_fit_opts)}); /* before the data is read for long */
    if (!code) code = settings_all_used(&j->set, name, schedule);
    if (code) return code;
    if (!warm && !given(j->args, "schedule")) return EXIT_GOOD;
    if (by_text && (warm || given(j->args, "lr")))
        return misuse(j->args->command, "--%s with --schedule %.100s: its rates and steps stand in its brackets", warm ? "warm-up" : "lr",
                      schedule);
    if (by_text) return vn_optim_schedule_text(j->optim, schedule) ? library_failed() : EXIT_GOOD;
    if (warm) s = vn_warm_up(s, warm);
    return vn_optim_schedule(j->optim, s) ? library_failed() : EXIT_GOOD;
}

/* The given options, for the report. */
static int given_options(const job *j, vn_note *notes, int room)
{
    int n = 0;
    notes[n++] = (vn_note){"model", j->args->words[0]};
    notes[n++] = (vn_note){"data", j->from.path};
    for (int i = 0; j->args->command->options[i].name && n < room; i++) {
        if (j->args->values[i]) notes[n++] = (vn_note){j->args->command->options[i].name, *j->args->values[i] ? j->args->values[i] : "yes"};
    }
    return n;
}

/* The page of --live; its report is that of --report, or a file that is removed afterwards. */
static int begin_live(job *j)
{
    if (!given(j->args, "live") || vn_group_rank(j->group)) return EXIT_GOOD;
    const int64_t port = count_of(j->args, "port", 0);
    if (port > 65535) return misuse(j->args->command, "--port %" PRId64 ": 0 (any) to 65535 is needed", port);
    const char *folder = getenv("TMPDIR"), *report = text_of(j->args, "report", j->live_report);
    if (report == j->live_report) {
        snprintf(j->live_report, sizeof j->live_report, "%s/vinea-live-XXXXXX", folder && *folder ? folder : "/tmp");
        const int fd = mkstemp(j->live_report);
        if (fd < 0) return complain("--live: %s: %s", j->live_report, strerror(errno));
        close(fd);
    }
    j->page = live_begin(report, (int)port);
    return j->page ? EXIT_GOOD : EXIT_FAILED;
}

static void end_live(job *j)
{
    live_end(j->page);
    if (*j->live_report) unlink(j->live_report);
}

static int fit(job *j, vn_fit_result *result)
{
    vn_note notes[40];
    vn_terminal terminal = {.to = stderr, .style = given(j->args, "quiet") ? 3 : 0};
    const char *log = text_of(j->args, "log", NULL);
    vn_tensorboard board = {.folder = text_of(j->args, "tensorboard", NULL), .next = vn_progress_terminal, .next_user = &terminal};
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
        .report = text_of(j->args, "report", *j->live_report ? j->live_report : NULL),
        .title = j->about.model,
        .notes = notes,
        .n_notes = given_options(j, notes, 40),
        .progress = board.folder ? vn_progress_tensorboard : vn_progress_terminal,
        .progress_user = board.folder ? (void *)&board : &terminal,
        .watch = j->page ? live_watch : NULL,
        .watch_user = j->page,
        .balance = given(j->args, "balance"),
        .group = vn_group_size(j->group) > 1 ? j->group : NULL,
        .micro_batches = count_of(j->args, "micro-batches", 0),
        .callbacks = text_of(j->args, "callback", NULL),
    };
    int code = settings_of_fit(&j->set, &o);
    if (code) return code;
    return vn_stop_on_interrupt(1) || vn_fit(j->net, j->data, &o, result) ? library_failed() : EXIT_GOOD;
}

/* --find-lr: the smooth loss of some of the rates, as a table with bars, and the rate to begin with. */
static int find_lr(job *j)
{
    enum { LINES = 24, WIDTH = 40 };
    vn_lr_found found = {.size = sizeof found};
    const vn_find_lr_opts o = {.size = sizeof o,
                               .batch = j->batch,
                               .seed = (uint64_t)count_of(j->args, "seed", 0),
                               .optim = j->optim,
                               .loss = text_of(j->args, "loss", NULL)};
    if (vn_find_lr(j->net, j->data, &o, &found)) return library_failed();
    if (vn_group_rank(j->group)) return EXIT_GOOD; /* the first one speaks */
    const int64_t step = found.n > LINES ? (found.n + LINES - 1) / LINES : 1;
    double low = found.smooth[0], high = low;
    for (int64_t k = 0; k < found.n; k += step) low = fmin(low, found.smooth[k]), high = fmax(high, found.smooth[k]);
    printf("%10s %10s\n", "rate", "loss");
    for (int64_t k = 0; k < found.n; k += step) {
        const int bar = high > low ? (int)lround((found.smooth[k] - low) / (high - low) * WIDTH) : 0;
        printf("%10.2e %10.4g %.*s\n", found.rates[k], found.smooth[k], bar, "########################################");
    }
    printf("steepest at %.2e, least at %.2e\n", found.suggested, found.least);
    printf("a rate to begin with: --lr %.1e\n", found.suggested);
    return EXIT_GOOD;
}

/* Prints the result on stdout. */
static int tell(const job *j, const vn_fit_result *result)
{
    if (vn_group_rank(j->group)) return EXIT_GOOD;
    vn_evaluation e = {.size = sizeof e};
    vn_evaluate_opts o = {
        .size = sizeof o, .batch = j->batch, .loss = text_of(j->args, "loss", NULL), .metrics = text_of(j->args, "metrics", NULL)};
    if (vn_evaluate(j->net, j->held_out ? j->held_out : j->data, &o, &e)) return library_failed();
    print_scores(stdout, &e, j->standardized, j->held_out ? "held-out " : "training ", j->held_out ? "" : " (no rows were held out)");
    printf("checkpoint %s\n", j->checkpoint);
    if (given(j->args, "best") && result->best_epoch)
        printf("best epoch %" PRId64 " in %s\n", result->best_epoch, text_of(j->args, "best", ""));
    if (given(j->args, "log")) printf("log %s\n", text_of(j->args, "log", ""));
    if (given(j->args, "report")) printf("report %s\n", text_of(j->args, "report", ""));
    if (result->stop == VN_STOP_EARLY)
        printf("stopped early: the best epoch was %" PRId64 " of %" PRId64 "\n", result->best_epoch, result->epochs);
    return EXIT_GOOD;
}

/* After what each rank does by itself: if one failed, all fail, and say which and why. */
static int agree(const job *j, int code)
{
    enum { ROOM = 400 };
    char own[ROOM] = "";
    if (code) snprintf(own, sizeof own, "%s", vn_status() ? vn_message() : last_complaint());
    if (code) vn_clear();
    const char *all = vn_data(vn_group_all_gather(j->group, vn_from_host(own, VN_U8, VN_SHAPE(ROOM))));
    if (!all) return code ? code : library_failed();
    for (int k = 0; k < vn_group_size(j->group) && !code; k++)
        if (all[(size_t)k * ROOM]) code = rank_failed(k, all + (size_t)k * ROOM);
    return code;
}

static int train(job *j)
{
    VN_SCOPE;
    vn_fit_result result = {.size = sizeof result};
    int code = read_callbacks(j);
    if (!code) code = choose_checkpoint(j);
    if (!code) code = check_folders(j);
    if (code) return code;
    j->group = vn_group_open(NULL);
    if (!j->group) return library_failed();
    code = own_options(j);
    if (!code) code = resume_options(j);
    if (!code) code = read_settings(&j->set, j->args, text_of(j->args, "set", NULL));
    j->batch = count_of(j->args, "batch", 32);
    vn_seed((uint64_t)count_of(j->args, "seed", 0));
    if (!code) code = check_schedule(j);
    if (!code) code = read_data(j);
    if (!code) code = make_net(j);
    if (!code) code = make_optimizer(j);
    if (!code) code = tell_model(j);
    if (!code && !given(j->args, "find-lr")) code = begin_live(j);
    code = agree(j, code);
    if (!code && given(j->args, "find-lr")) return find_lr(j);
    if (!code) code = fit(j, &result);
    if (!code && result.stop == VN_STOP_INTERRUPTED && vn_group_rank(j->group)) return EXIT_INTERRUPTED;
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
    int code = use_run_options(args);
    if (!code) code = train(&j);
    end_live(&j);
    free(j.config), free(j.augmented);
    training_free(&j.about);
    training_free(&j.before);
    free_options(&j);
    vn_close();
    return code;
}

const command command_train = {
    .name = "train",
    .summary = "train a model on a data file",
    .details =
        "MODEL is a built-in model or a JSON file (`vinea models`). DATA is a CSV file with a target column (`vinea data FILE` shows what "
        "would\n"
        "be read), a folder with a folder of PNG or JPEG images for each class, an npz or safetensors file with the arrays x and y, an "
        "npy\n"
        "file with --labels, or one that comes with Vinea: `digits`, `iris`, `houses`. Texts in a CSV file are classes; the checkpoint "
        "keeps the names of "
        "columns and classes. Numbers to be predicted are standardized, and so are "
        "the\n"
        "features then; predictions and errors are in the target's own units. The same command and seed give the same training on every\n"
        "engine. Ctrl-C stops after the current step, saves the checkpoint and exits with 130; a second Ctrl-C exits immediately.\n"
        "Under mpirun or srun all ranks train one model: the result does not depend on how many there are, two or eight.\n",
    .examples = "vinea train convnet digits --epochs 15 --validation 360 --report digits.html\n"
                "vinea train mlp houses.csv --target price --columns -id,-date --optimizer adamw --lr 0.003 --schedule cosine\n"
                "vinea train convnet photos/ --size 64x64 --augment flip,rotate,colour --epochs 20\n"
                "vinea train net.json data.npz --engine jax --epochs 100 --checkpoint run.safetensors --resume\n"
                "mpirun -n 4 vinea train convnet digits --batch 64\n",
    .words = (const command_option[]){{"MODEL", OPTION_FILE, .about = "a built-in model or a JSON file", .choices = model_words},
                                      {"DATA", OPTION_FILE,
                                       .about = "a csv, npz or safetensors file, a folder of images, or digits, iris, houses",
                                       .choices = data_words},
                                      {0}},
    .required = 2,
    .max_words = 2,
    .options =
        (const command_option[]){
            {"engine", OPTION_ENGINE, .about = "the engine to use (native)"},
            {"epochs", OPTION_COUNT, .about = "number of passes over the data (10); with --resume, the total"},
            {"batch", OPTION_COUNT, .about = "rows per step (32)"},
            {"micro-batches", OPTION_COUNT,
             .about = "parts of a batch that are computed one by one (1; 8 where there are several ranks, however many)"},
            {"lr", OPTION_NUMBER, .about = "the learning rate (the optimizer's default)"},
            {"optimizer", OPTION_TEXT, "OPTIMIZER",
             .about = "the optimizer (adam), with or without options: \"chain(clip_by_global_norm(1), adamw(0.001))\"",
             .choices = optimizer_words},
            {"momentum", OPTION_NUMBER, .about = "momentum of sgd and rmsprop (the optimizer's default)"},
            {"weight-decay", OPTION_NUMBER, .about = "weight decay (the optimizer's default)"},
            {"clip", OPTION_NUMBER, .about = "scale gradients down to this norm (off)"},
            {"schedule", OPTION_TEXT, "SCHEDULE",
             .about = "learning rate schedule (constant), by name, or with its options: \"warm_up(cosine(0.1, 0, 1000), 50)\"",
             .choices = schedule_words, .composed = 1},
            {"warm-up", OPTION_COUNT, "STEPS", .about = "warm-up steps of the learning rate from 0 (0)"},
            {"loss", OPTION_TEXT, "LOSS",
             .about = "the loss to minimise, with its options in brackets (cross_entropy for classes, mse for numbers)",
             .choices = loss_words},
            {"metrics", OPTION_TEXT, "LIST", .about = "comma-separated metrics, or none (accuracy, or mae)", .choices = metric_words},
            {"seed", OPTION_COUNT, .about = "the random seed (0)"},
            {"validation", OPTION_FILE, "WHAT",
             .about = "rows to hold out: a fraction such as 0.2, a number of last rows, or a file (0.2)"},
            {"target", OPTION_TEXT, "COLUMN", .about = "CSV: the column to predict, by name or number from 0 (the last one)"},
            {"columns", OPTION_TEXT, "LIST", .about = "CSV: features, by name or number; -NAME leaves one out (all but the target)"},
            {"weights", OPTION_TEXT, "COLUMN", .about = "CSV: the column with weights of the rows, which multiply their losses (none)"},
            {"task", OPTION_CHOICE, .about = "what the target is: classes or numbers (auto)", .choices = task_words},
            {"standardize", OPTION_CHOICE, .about = "CSV: give numbers mean 0 and deviation 1 (auto: if the target is numbers)",
             .choices = yes_words},
            SOURCE_OPTIONS,
            ARRAY_OPTIONS,
            IMAGE_OPTIONS,
            {"cache", OPTION_NUMBER, "GIB",
             .about = "images: gibibytes of decoded pixels to keep in memory (1); 0: each batch is decoded anew"},
            {"augment", OPTION_TEXT, "LIST", .about = "change images at random while training: \"flip,rotate(20),colour\" (off)",
             .choices = augment_words},
            {"balance", OPTION_SWITCH, .about = "weigh classes so that rare ones count as much as frequent ones"},
            {"set", OPTION_TEXT, "NAME=VALUE",
             .about = "another option of the optimizer, the schedule or the loop: beta1, nesterov, accumulate, min_delta ..."},
            {"callback", OPTION_TEXT, "LIST",
             .about = "early_stopping(5), reduce_on_plateau(0.5, patience=3), average(0.99), tensorboard(runs) ..., separated by commas"},
            {"find-lr", OPTION_SWITCH,
             .about = "try rising learning rates for 100 steps, print the losses and a rate to begin with; nothing is saved"},
            {"patience", OPTION_COUNT, "EPOCHS", .about = "stop after this many epochs without improvement (never)"},
            {"checkpoint", OPTION_FILE, .about = "where to save the checkpoint (MODEL.safetensors)", .writes = 1},
            {"best", OPTION_FILE, .about = "also save the best epoch's checkpoint here", .writes = 1},
            {"resume", OPTION_SWITCH, .about = "continue from the checkpoint if it exists"},
            {"force", OPTION_SWITCH, .about = "replace an existing checkpoint"},
            {"report", OPTION_FILE, .about = "write an HTML page with curves and the confusion matrix", .writes = 1},
            {"live", OPTION_SWITCH, .about = "show the training on a page of this machine while it runs; its address is printed"},
            {"port", OPTION_COUNT, .about = "of the page of --live (any that is free)"},
            {"log", OPTION_FILE, .about = "write a line per epoch (.jsonl: JSON, otherwise CSV)", .writes = 1},
            {"tensorboard", OPTION_FILE, "FOLDER",
             .about = "write the scores of every epoch as an event file for `tensorboard --logdir FOLDER`"},
            RUN_OPTIONS,
            {"quiet", OPTION_SWITCH, .about = "no progress, only the result"},
            {0}},
    .run = run,
};
