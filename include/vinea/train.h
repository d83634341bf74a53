/* SPDX-License-Identifier: Apache-2.0 */
/* train.h: datasets, the training loop, progress, logs, checkpoints and the report.
 *
 *     vn_dataset *data = vn_dataset_load("iris.csv", VN_OPTS(dataset, .target = "species"));
 *     vn_module *net = VN_SEQUENTIAL(vn_nn_linear(4, 16), vn_nn_relu(), vn_nn_linear(16, 3));
 *     vn_fit_result result = {.size = sizeof result};
 *     vn_stop_on_interrupt(1);
 *     vn_fit(net, data, VN_OPTS(fit, .epochs = 20, .validation_split = .2, .progress = vn_progress_terminal), &result);
 *
 * Everything is built on public ops and modules, so it runs on every engine. A step is one program: selecting the rows, the
 * network, loss, gradients, metrics, update and buffers. All batches but the last have the same size, so there are two programs for
 * training and two for evaluation, however long it runs. Row order and random numbers are the same on all engines. */
#ifndef VINEA_TRAIN_H
#define VINEA_TRAIN_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data --------------------------------------------------------------------------------------------------------------------- */

/* Rows x [rows, ...] and their targets y: class numbers [rows] (int64) or numbers [rows, ...]. Owned like arrays. */
typedef struct vn_dataset vn_dataset;
VN_API vn_dataset *vn_dataset_keep(vn_dataset *d);
VN_API void vn_dataset_drop(vn_dataset *d);
VN_API vn_dataset *vn_dataset_pass(vn_dataset *d);

/* VN_TARGET_AUTO: classes if y has an integer or bool dtype, unless it has numbers of 1,000 and more and fewer rows than classes; in a table, if
 * y is text, or a few integers that occur often. Where that may be wrong, a note of vn_dataset_info says so. */
typedef enum vn_target_kind {
    VN_TARGET_AUTO = 0,
    VN_TARGET_CLASS = 1,  /* y has class numbers: 0, 1, 2 ...; in a table texts or integers */
    VN_TARGET_NUMBER = 2, /* y has the numbers themselves */
    VN_TARGET_NONE = 3    /* no y: rows to predict */
} vn_target_kind;

typedef enum vn_missing {
    VN_MISSING_ERROR = 0, /* a missing value is an error that names column and line */
    VN_MISSING_DROP = 1,  /* rows with a missing value are left out */
    VN_MISSING_FILL =
        2 /* a missing number becomes the column's mean, a missing text none of its classes; rows without a target are left out */
} vn_missing;

typedef enum vn_unreadable {
    VN_UNREADABLE_ERROR = 0, /* an image that cannot be read is an error that names it */
    VN_UNREADABLE_SKIP = 1   /* it is left out; notes name the first ones */
} vn_unreadable;

typedef struct vn_dataset_opts {
    size_t size VN_UNSET;
    int kind VN_UNSET;            /* vn_target_kind */
    int reserved VN_UNSET;        /* 0 */
    int64_t classes VN_UNSET;     /* the number of classes; a label out of range is an error. 0: the largest label plus one */
    int allow_nonfinite VN_UNSET; /* accept NaN and infinity in x; otherwise they are an error that names row and column */
    /* Files. */
    int reserved2 VN_UNSET;              /* 0 */
    const char *target VN_UNSET;         /* CSV: the name of y's column, or its number from 0; negative from the end. NULL: the last one
                                            but for that of weights */
    int header VN_UNSET;                 /* CSV: 1: the first line has names, -1: it has not, 0: detected (files.h) */
    char delimiter VN_UNSET;             /* CSV: 0: detected */
    char reserved3[3] VN_UNSET;          /* 0 */
    const char *x VN_UNSET, *y VN_UNSET; /* npz, safetensors: the names of the arrays; NULL: "x" and "y" */
    const char *y_path VN_UNSET;         /* y is in this separate file: its only array, or the one named `y` */
    /* Tables. */
    const char *columns
        VN_UNSET;             /* features, by name or number, separated by commas; or those to leave out, each with a '-': "-id,-date" */
    int missing VN_UNSET;     /* vn_missing */
    int standardize VN_UNSET; /* numbers get mean 0 and deviation 1, features and target; vn_predict and metrics use the target's units */
    const char *schema
        VN_UNSET; /* how other data was read (vn_dataset_info), instead of target, columns, standardize and kind, which may be NONE; of
                     images, instead of height, width and channels */
    /* Folders of images. */
    int64_t height VN_UNSET, width VN_UNSET; /* images are resized to this; 0: their own size if it is the same and at most 128, else 64 */
    int channels VN_UNSET;                   /* 1: gray, 3: colour; 0: colour, unless all images are gray */
    int unreadable VN_UNSET;                 /* vn_unreadable */
    int64_t cache VN_UNSET;                  /* bytes of pixels that are kept in memory; 0: 1 GiB, -1: none */
    vn_read_fn progress VN_UNSET;            /* called while they are read */
    void *progress_user VN_UNSET;
    /* [rows], 0 or more, not of images: vn_fit multiplies the loss of each row by its weight, then takes the mean over the rows. Validation is
     * not weighted. */
    vn_array *weights VN_UNSET;
    const char *weight_column VN_UNSET; /* CSV: the name or number of the column that has them, which is then no feature */
} vn_dataset_opts;

/* From arrays, to which references are held. y may be VN_NONE. */
VN_API vn_dataset *vn_dataset_of(vn_array *x, vn_array *y, const vn_dataset_opts *opts VN_OR(NULL));
/* From a file or folder onto the current engine: CSV (paths that end in .csv, .tsv or .txt), npz, safetensors, or npy, which holds x. A CSV file is
 * read by vn_read_table. */
VN_API vn_dataset *vn_dataset_load(const char *path, const vn_dataset_opts *opts VN_OR(NULL));
/* A folder of images is a dataset too: each folder in it is a class, with the folder's name, and the images below it are its rows. x is
 * float32 (height, width, channels), 0 to 1. A folder with images of its own, an image file, and any folder with VN_TARGET_NONE have rows
 * without a target. Hidden files and files that are no images by name or content are ignored.
 *
 * Pixels that fit into `cache` are decoded once, when the dataset is made. Otherwise each batch is decoded when it is needed: a thread
 * prepares the next one while vn_fit, vn_evaluate and vn_predict compute. A damaged image is then found when its batch comes, unless
 * unreadable ones are skipped, which decodes all of them once in any case. */
struct vn_table;
/* From a table (files.h), whose values are copied. Features are all columns but the target and empty ones, float32: a number is a feature,
 * a text as many as it has classes, 0 or 1. Dates, texts with more than 100 classes, and columns of numbers with a text here and there are
 * errors until `columns` leaves them out.
 *
 * A target of text has classes in the order of the column's; so has one of integers that do not begin at 0 or are far apart. With
 * .classes, integers are class numbers as they are.
 *
 * With .schema, the columns are found by their names, in whatever order they stand, or by their numbers if the file has no names; others
 * are ignored. Texts that the schema does not know count as missing. */
VN_API vn_dataset *vn_dataset_of_table(const struct vn_table *table, const vn_dataset_opts *opts VN_OR(NULL));
/* From a function that returns batches: x [n, ...] and y [n, ...] of the n rows with these numbers, 0 to rows - 1. It runs in its
 * own scope and returns a code. y has int64 classes if `classes` is above 0. The function must outlive the dataset. */
typedef int (*vn_batch_fn)(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user);
VN_API vn_dataset *vn_dataset_from(vn_batch_fn fn, int64_t rows, int64_t classes, void *user);

typedef struct vn_dataset_split_opts {
    size_t size VN_UNSET;
    int random VN_UNSET;    /* *rest gets a random choice of rows instead of the last ones, */
    int reserved VN_UNSET;  /* 0 */
    uint64_t seed VN_UNSET; /* by this seed */
} vn_dataset_split_opts;
/* Two disjoint parts: *rest gets `rows` rows, the last ones. They share the arrays. Each part has at least one row. Returns a code. */
VN_API int vn_dataset_split(vn_dataset *d, int64_t rows, const vn_dataset_split_opts *opts, vn_dataset **first, vn_dataset **rest);

/* ---- data made of other data. They hold references to it, and can be split, joined and sampled again ---- */

typedef struct vn_dataset_sample_opts {
    size_t size VN_UNSET;
    int no_replacement VN_UNSET; /* without replacement: every row once before any comes again, in a new order each time */
    int reserved VN_UNSET;       /* 0 */
    uint64_t seed VN_UNSET;      /* of the choice */
} vn_dataset_sample_opts;
/* So many rows of d, chosen at random: more than it has, or fewer. */
VN_API vn_dataset *vn_dataset_sample(vn_dataset *d, int64_t rows, const vn_dataset_sample_opts *opts VN_OR(NULL));
/* The rows of n datasets, one after the other. Rows have one shape and dtype, and all targets mean the same. The arrays of those that
 * hold arrays are copied into one. */
VN_API vn_dataset *vn_dataset_join(vn_dataset *const *parts, int n);

typedef enum vn_window_target {
    VN_WINDOW_LAST = 0, /* y of a window is that of its last row, */
    VN_WINDOW_ALL = 1,  /* those of all its rows: [length, ...], */
    VN_WINDOW_NEXT = 2  /* or that of the next row, for forecasts, which leaves one window fewer */
} vn_window_target;
typedef struct vn_dataset_windows_opts {
    size_t size VN_UNSET;
    int64_t step VN_UNSET; /* from one window's first row to the next one's; 1 unless given */
    int target VN_UNSET;   /* vn_window_target */
    int reserved VN_UNSET; /* 0 */
} vn_dataset_windows_opts;
/* Windows of `length` consecutive rows, for time series: x is [length, ...]. Nothing is copied before a batch needs it. */
VN_API vn_dataset *vn_dataset_windows(vn_dataset *d, int64_t length, const vn_dataset_windows_opts *opts VN_OR(NULL));
/* Random rows, to try a network or a program before there is data: x [rows, ...] is standard normal, float32, y are classes, or for 0
 * classes standard normal numbers [rows]. */
VN_API vn_dataset *vn_dataset_random(int64_t rows, vn_shape x, int64_t classes, uint64_t seed);

typedef struct vn_dataset_info {
    size_t size VN_UNSET;
    int64_t rows VN_UNSET, classes VN_UNSET; /* classes: 0 if y has numbers, or there is no y */
    int has_target VN_UNSET;
    int reserved VN_UNSET;           /* 0 */
    vn_shape x VN_UNSET, y VN_UNSET; /* of one row; rank -1: unknown until a batch is created */
    const char *about VN_UNSET;      /* "iris.csv: 150 rows of 4, 3 classes" */
    int n_columns VN_UNSET;          /* CSV: names of the features, if there are any, and of the target (NULL) */
    int reserved2 VN_UNSET;          /* 0 */
    const char *const *columns VN_UNSET;
    const char *target VN_UNSET;
    const char *const *class_names VN_UNSET; /* `classes` of them; NULL: the classes are numbers */
    const char *schema VN_UNSET;             /* tables: how this one was read, as JSON, to read others in the same way; NULL: no table */
    const char *const *notes VN_UNSET;       /* tables: what was guessed or ignored, in sentences */
    int n_notes VN_UNSET;
    int reserved3 VN_UNSET;                       /* 0 */
    const int64_t *file_rows VN_UNSET;            /* tables: for each row its number in the file, from 0; NULL: all rows of the file */
    double y_mean VN_UNSET, y_deviation VN_UNSET; /* of a standardized target; 0, 0 otherwise */
    const char *const *files VN_UNSET;            /* images: for each row its file, from the folder on; NULL: no images, or a part */
} vn_dataset_info;
/* Its strings are valid as long as the dataset. */
VN_API int vn_dataset_look(const vn_dataset *d, vn_dataset_info *info);
/* The rows with these numbers; y may be NULL. */
VN_API int vn_dataset_rows(const vn_dataset *d, const int64_t *rows, int64_t n, vn_array **x, vn_array **y);

/* ---- losses and metrics --------------------------------------------------------------------------------------------------------- */

/* losses.h has a function for each: vn_loss_huber(0.5), vn_metric_top(3). By name, with options by name: */
VN_API int vn_loss_make(const char *name, const vn_option *options, int n, vn_loss *to);
VN_API int vn_metric_make(const char *name, const vn_option *options, int n, vn_metric *to);
/* The loss and a metric of one batch, as vn_fit computes them, for a training loop of one's own. The loss is a scalar to differentiate, the
 * mean over the rows; a metric is NaN, with the error set, on failure. An integer target is class numbers; a target with as many elements
 * as the prediction is reshaped to its shape. */
VN_API vn_array *vn_loss_value(const vn_loss *loss, vn_array *prediction, vn_array *target);
VN_API double vn_metric_value(const vn_metric *metric, vn_array *prediction, vn_array *target);
/* The same from text, as vn_fit_opts and the command line have it: vn_loss_of("huber(0.5)", y, target), vn_metric_of("top3", y, target). */
VN_API vn_array *vn_loss_of(const char *text, vn_array *prediction, vn_array *target);
VN_API double vn_metric_of(const char *text, vn_array *prediction, vn_array *target);
/* The Fenchel-Young loss max(x) - sum(target x) over the last axis, where max(x) is the largest sum(p x) - f(p) of all p for some convex f:
 * the log-sum-exp of x gives cross entropy, its maximum the perceptron loss. `max` takes x and gives an array without its last axis. */
VN_API vn_array *vn_fenchel_young_loss(vn_array *x, vn_array *target, vn_array_fn max, void *user);
/* The caller's own: a scalar for each batch. For a target with as many elements as the prediction, it has its shape. */
typedef vn_array *(*vn_score_fn)(vn_array *prediction, vn_array *target, void *user);
typedef struct vn_own_metric {
    const char *name VN_UNSET; /* letters, digits and '_' */
    vn_score_fn fn VN_UNSET;   /* an epoch's value is the average of its batches, weighted by the number of rows */
    void *user VN_UNSET;
    int smaller VN_UNSET;    /* smaller is better */
    vn_metric made VN_UNSET; /* instead of all above: one of the table, vn_metric_top(3) */
} vn_own_metric;
/* A name and a number: the loss or a metric of an epoch. */
typedef struct vn_score {
    const char *name; /* "loss", "accuracy", "val_loss", "val_accuracy" ... */
    double value;
} vn_score;
/* The score of that name, of an event, an epoch or an evaluation: vn_score_of(e->scores, e->n_scores, "val_loss"). A name that is not among
 * them is VN_E_ARG, and NaN. No scores at all, as before the first step, are NaN without an error. */
VN_API double vn_score_of(const vn_score *scores, int n, const char *name);

/* ---- the loop ------------------------------------------------------------------------------------------------------------------- */

typedef enum vn_fit_moment {
    VN_FIT_BEGIN = 0, /* before the first step */
    VN_FIT_STEP = 1,  /* after every step */
    VN_FIT_EPOCH = 2, /* after every epoch: validation, logs and checkpoints are done */
    VN_FIT_END = 3    /* at the end, whatever the reason */
} vn_fit_moment;

typedef enum vn_fit_stop {
    VN_STOP_DONE = 0,       /* all epochs are done */
    VN_STOP_EARLY = 1,      /* no improvement for `patience` epochs */
    VN_STOP_CALLBACK = 2,   /* a callback asked for it */
    VN_STOP_INTERRUPTED = 3 /* vn_stop_request, or a signal */
} vn_fit_stop;
VN_API const char *vn_fit_stop_name(int stop); /* "done", "early", "callback", "interrupted" */

/* The state of the training. Pointers are valid during the callback. */
typedef struct vn_fit_event {
    size_t size VN_UNSET;
    int moment VN_UNSET;                      /* vn_fit_moment */
    int stop VN_UNSET;                        /* at the end: vn_fit_stop */
    int64_t epoch VN_UNSET, epochs VN_UNSET;  /* the current epoch, or the one just finished, from 1; and the total */
    int64_t batch VN_UNSET, batches VN_UNSET; /* steps done in this epoch, and the total */
    int64_t step VN_UNSET;                    /* total steps, including those before resuming */
    int64_t rows VN_UNSET, seen VN_UNSET;     /* rows of an epoch, and those seen so far */
    double lr VN_UNSET;                       /* of the last step */
    double seconds VN_UNSET;                  /* of the epoch so far or the whole epoch; at the end: of this call */
    double speed VN_UNSET;                    /* rows per second of the epoch's training */
    double left VN_UNSET;                     /* estimated seconds to the end of all epochs; NaN: unknown */
    int best VN_UNSET;                        /* VN_FIT_EPOCH: this is the best epoch so far */
    int reserved VN_UNSET;                    /* 0 */
    const vn_score *scores VN_UNSET;          /* after a step: of the epoch so far; after an epoch: including validation */
    int n_scores VN_UNSET;
    int reserved2 VN_UNSET; /* 0 */
    vn_module *module VN_UNSET;
    double loss VN_UNSET; /* VN_FIT_STEP: of this step's batch */
} vn_fit_event;
struct vn_group; /* ranks.h */
/* Returns 0, or a nonzero value to stop after this step. An error inside (vn_status) ends the training with that error. */
typedef int (*vn_fit_fn)(const vn_fit_event *event, void *user);

typedef struct vn_fit_opts {
    size_t size VN_UNSET;
    int64_t epochs VN_UNSET; /* 10; with resume: the total */
    int64_t batch VN_UNSET;  /* 32; the last one of an epoch may be smaller */
    int drop_last VN_UNSET;  /* skip a smaller last batch */
    int no_shuffle VN_UNSET; /* keep the order of rows instead of shuffling them every epoch */
    uint64_t seed VN_UNSET;  /* of the shuffling and a random split; dropout etc. use the thread's random numbers (vn_seed) */

    /* Validation: a separate dataset, or a part of the data: the last rows, or a random fraction. */
    vn_dataset *validation VN_UNSET;
    int64_t validation_rows VN_UNSET;
    double validation_split VN_UNSET;

    vn_optim *optim VN_UNSET;     /* with its schedule and clipping (nn.h); NULL: adam, 1e-3 */
    const char *loss VN_UNSET;    /* as text, "mse", "huber(0.5)" ... (losses.h); NULL: cross_entropy of classes, mse of numbers */
    vn_loss made_loss VN_UNSET;   /* or one that was made: vn_loss_huber(0.5) */
    vn_score_fn loss_fn VN_UNSET; /* or a function of the caller's own */
    void *loss_user VN_UNSET;
    /* As text, separated by commas, "accuracy, top5" ... (losses.h), or "none". NULL: accuracy of classes, mae of numbers. */
    const char *metrics VN_UNSET;
    const vn_own_metric *own_metrics VN_UNSET; /* and these: the caller's own, or {.made = vn_metric_top(3)} */
    int n_own_metrics VN_UNSET;

    int reserved VN_UNSET;        /* 0 */
    const char *monitor VN_UNSET; /* the score that defines the best epoch; NULL: "val_loss", or "loss" without validation */
    int64_t patience VN_UNSET;    /* stop after this many epochs without improvement; 0: never */
    double min_delta VN_UNSET;    /* the smallest change that counts as an improvement */

    const char *checkpoint VN_UNSET;   /* save the state to this file, for resuming, */
    int64_t checkpoint_every VN_UNSET; /* every this many epochs (1), at the end and when interrupted */
    const char *best VN_UNSET;         /* save the best epoch's state to this file */
    int restore_best VN_UNSET;         /* restore the best epoch's variables, from `best`, at the end */
    int resume VN_UNSET;               /* continue from `checkpoint` if it exists, with the same bits as if training had never stopped */
    const char *config VN_UNSET;       /* a string of the program's own for these files */

    const char *log_csv VN_UNSET, *log_jsonl VN_UNSET; /* one line per epoch; resuming appends after the checkpoint's last epoch */
    const char *report VN_UNSET;                       /* an HTML page, written after every epoch and at the end */
    const char *title VN_UNSET;                        /* the page's title; NULL: the module's class */
    const vn_note *notes VN_UNSET;                     /* additional settings to show: model, options ... */
    int n_notes VN_UNSET;

    int reserved2 VN_UNSET;      /* 0 */
    vn_fit_fn progress VN_UNSET; /* called at every event, for example vn_progress_terminal */
    void *progress_user VN_UNSET;
    vn_fit_fn watch VN_UNSET; /* called at every event after it, for the program's own use */
    void *watch_user VN_UNSET;
    /* Classes: a weight for each, 0 or more, by which the loss of its rows is multiplied; the loss is the weighted mean. Validation is not
     * weighted. balance: weights that give every class of the training rows the same total. */
    const double *class_weights VN_UNSET;
    int n_class_weights VN_UNSET;
    int balance VN_UNSET;
    /* Many processes (ranks.h): every rank calls vn_fit with the same data and options, and computes some of the micro-batches of each
     * batch. Rank 0 alone writes files and shows progress; `watch` is called on all. NULL: this process alone. */
    struct vn_group *group VN_UNSET;
    /* Equal parts of a batch, each of which is computed by itself; at least as many as there are ranks. Their gradients are summed in a
     * fixed order, and a batch norm sees one of them at a time, so the result depends on this number, but not on the number of ranks.
     * 0: 8 with a group, 1 without one; when resuming, as before. */
    int64_t micro_batches VN_UNSET;
    int fast_sums VN_UNSET; /* with a group: gradients are summed by MPI_Allreduce, whose order depends on the number of ranks, large ones
                             * while others are still computed */
    /* With a group: each rank has the optimizer's state of some of the parameters only, moves these and gives them to the others (the first
     * stage of ZeRO). The same bits; checkpoints have all of it. For optimizers that move each parameter by itself, such as Adam. After
     * the training the optimizer of each rank has its own part. */
    int shard_optimizer VN_UNSET;
    /* All learning rates are multiplied by plateau_factor (0.1) when the monitored score was no better, by min_delta, for plateau_patience epochs (0: never),
     * as long as they are above min_lr; the next plateau_cooldown epochs do not count. The optimizer's own rate and schedule stay as they are. */
    int64_t plateau_patience VN_UNSET, plateau_cooldown VN_UNSET;
    double plateau_factor VN_UNSET, min_lr VN_UNSET;
    /* Above 0: a moving average of the weights with this decay (vn_optim_keep_average) is what validation, epoch events, saved files and the trained
     * module have; the weights that the steps move are in the checkpoint's `extra`, for resuming. */
    double average VN_UNSET;
    const char *tensorboard VN_UNSET; /* a folder for vn_progress_tensorboard; NULL: none */
    /* The same and others as text: "reduce_on_plateau(0.5, patience=3), early_stopping(10, monitor=val_accuracy), average(0.99)". There are early_stopping(patience,
     * min_delta, monitor, restore_best), reduce_on_plateau(factor, patience, cooldown, min_lr, min_delta, monitor), checkpoint(path, every), best(path, monitor),
     * average(decay), tensorboard(folder), csv_log(path), json_log(path) and report(path). An option that is set already, to another value, is an error. */
    const char *callbacks VN_UNSET;
} vn_fit_opts;

typedef struct vn_epoch {
    int64_t epoch, step; /* from 1; total steps after it */
    double lr, seconds;  /* learning rate of its last step; seconds of training and validation */
    const vn_score *scores;
    int n_scores;
} vn_epoch;

/* The result of a training. What it points to belongs to the innermost scope. */
typedef struct vn_fit_result {
    size_t size VN_UNSET;
    int stop VN_UNSET;                       /* vn_fit_stop */
    int reserved VN_UNSET;                   /* 0 */
    int64_t epochs VN_UNSET, steps VN_UNSET; /* epochs done, including those before resuming */
    int64_t best_epoch VN_UNSET;             /* 0: none */
    double best VN_UNSET;                    /* the monitored score of that epoch; NaN: none */
    const vn_epoch *history VN_UNSET;
    int64_t n_history VN_UNSET;
    int64_t resumed VN_UNSET; /* epochs restored from the checkpoint */
} vn_fit_result;

/* Trains m. Training mode is set for the steps, cleared for validation, and restored at the end. Returns a code; being
 * interrupted or stopped is not an error: see result->stop. result may be NULL. After an error the module is in the state of the last
 * successful step, and the files are those of the last checkpoint. An optimizer that cannot train alone is refused before the first step:
 * line searches, patterns that match no variable. vn_loss_scale: the loss is multiplied for it. vn_schedule_free: validation, events of
 * epochs, files and the module at the end have the average that is to be used; what it trains is in the checkpoint's `extra`, for resuming. */
VN_API int vn_fit(vn_module *m, vn_dataset *data, const vn_fit_opts *opts, vn_fit_result *result);
/* What opts->callbacks says, in the other fields of *opts, as vn_fit has it: for programs that ask which files will be written. Texts belong to the
 * innermost scope. */
VN_API int vn_fit_callbacks(vn_fit_opts *opts);

/* ---- a learning rate to begin with ---------------------------------------------------------------------------------------------- */

typedef struct vn_find_lr_opts {
    size_t size VN_UNSET;
    double from VN_UNSET, to VN_UNSET; /* the first and the last rate: 1e-7, 10 */
    int64_t steps VN_UNSET;            /* at most; 100 */
    int64_t batch VN_UNSET;            /* 32 */
    uint64_t seed VN_UNSET;
    vn_optim *optim VN_UNSET;  /* a new one with its options takes the steps. NULL: adam */
    const char *loss VN_UNSET; /* as in vn_fit_opts */
    vn_loss made_loss VN_UNSET;
    vn_score_fn loss_fn VN_UNSET;
    void *loss_user VN_UNSET;
} vn_find_lr_opts;
/* What was found. Lists belong to the innermost scope. */
typedef struct vn_lr_found {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* steps */
    const double *rates VN_UNSET, *losses VN_UNSET,
        *smooth VN_UNSET; /* of each step; smooth: a moving average of the losses, with decay 0.9 */
    double suggested
        VN_UNSET; /* where the smooth loss falls fastest, against the logarithm of the rate; a tenth of `least` if it never falls */
    double least VN_UNSET; /* where it is smallest */
} vn_lr_found;
/* The learning-rate finder: a short training whose rate rises from step to step, by the same factor, until the loss grows fourfold or is not finite. The
 * module gets its variables and buffers back, and the thread its random state. Returns a code. */
VN_API int vn_find_lr(vn_module *m, vn_dataset *data, const vn_find_lr_opts *opts, vn_lr_found *result);

typedef struct vn_evaluate_opts {
    size_t size VN_UNSET;
    int64_t batch VN_UNSET;    /* 32 */
    const char *loss VN_UNSET; /* as in vn_fit_opts */
    vn_loss made_loss VN_UNSET;
    vn_score_fn loss_fn VN_UNSET;
    void *loss_user VN_UNSET;
    const char *metrics VN_UNSET;
    const vn_own_metric *own_metrics VN_UNSET;
    int n_own_metrics VN_UNSET;
    int reserved VN_UNSET; /* 0 */
} vn_evaluate_opts;
/* Loss and metrics in evaluation mode, without gradients. What it points to belongs to the innermost scope. */
typedef struct vn_evaluation {
    size_t size VN_UNSET;
    const vn_score *scores VN_UNSET; /* "loss" and the metrics */
    int n_scores VN_UNSET;
    int reserved VN_UNSET; /* 0 */
    int64_t rows VN_UNSET, classes VN_UNSET;
    const int64_t *confusion VN_UNSET; /* [true class][predicted class]; NULL: numbers, or more than 256 classes */
} vn_evaluation;
VN_API int vn_evaluate(vn_module *m, vn_dataset *data, const vn_evaluate_opts *opts, vn_evaluation *result);
/* The output of m for all rows, in evaluation mode, in batches (0: 32): [rows, ...]. */
VN_API vn_array *vn_predict(vn_module *m, vn_dataset *data, int64_t batch);

/* ---- stopping ------------------------------------------------------------------------------------------------------------------- */

/* 1: the first interrupt (Ctrl-C, or SIGTERM) asks current and later trainings to stop after their step; the second one has its usual
 * effect, which is to end the process. 0: restores the previous handlers. Both clear a pending request. Process-wide; returns a code. */
VN_API int vn_stop_on_interrupt(int on);
VN_API void vn_stop_request(void); /* the same request from a program, a thread or a signal handler */
VN_API int vn_stop_requested(void);

/* ---- progress on a terminal ----------------------------------------------------------------------------------------------------- */

/* Where and how vn_progress_terminal prints; zero-initialise it. The last fields are internal. */
typedef struct vn_terminal {
    FILE *to;     /* NULL: stderr */
    int style;    /* 0: a bar on a terminal, otherwise lines; 1: a bar; 2: lines; 3: nothing */
    int columns;  /* width; 0: the terminal's, or 80 */
    double drawn; /* time of the last update */
    int width;    /* length of the current line */
} vn_terminal;
/* A vn_fit_fn: a progress bar with loss, metrics, speed and remaining time, updated at most 10 times per second, and a line per epoch.
 * user: a vn_terminal, or NULL for stderr with the defaults. */
VN_API int vn_progress_terminal(const vn_fit_event *event, void *user);

/* ---- progress for TensorBoard --------------------------------------------------------------------------------------------------- */

/* Where vn_progress_tensorboard writes; zero-initialise it. */
typedef struct vn_tensorboard {
    const char *folder; /* for `tensorboard --logdir`; it is made if it is not there, and each training gets a file of its own in it */
    double now;         /* the time of all entries, in seconds since 1970; 0: the clock */
    vn_fit_fn next;     /* another callback for the same events, such as vn_progress_terminal; NULL: none */
    void *next_user;
    FILE *file; /* internal */
} vn_tensorboard;
/* A vn_fit_fn: the scores and the learning rate of every epoch as scalars that TensorBoard shows, by steps. user: a vn_tensorboard. */
VN_API int vn_progress_tensorboard(const vn_fit_event *event, void *user);

/* ---- the report ----------------------------------------------------------------------------------------------------------------- */

typedef struct vn_report {
    size_t size VN_UNSET;
    const char *title VN_UNSET;
    const vn_fit_result *result VN_UNSET; /* curves; NULL: none */
    const vn_evaluation *test VN_UNSET;   /* confusion matrix, precision and recall of classes; NULL: none */
    const char *test_about VN_UNSET;      /* the data it describes: "validation: 30 rows" */
    const char *const *classes VN_UNSET;  /* their names; NULL: their numbers */
    const char *summary VN_UNSET;         /* of the model: vn_module_summary */
    const vn_note *notes VN_UNSET;        /* settings, in order */
    int n_notes VN_UNSET;
    int reserved VN_UNSET; /* 0 */
} vn_report;
/* A self-contained page: no external scripts, fonts or images. Written atomically. */
VN_API int vn_report_save(const char *path, const vn_report *report);

/* ---- several trainings on one page ---------------------------------------------------------------------------------------------- */

/* A training that is over, or still under way in another process. */
typedef struct vn_run {
    size_t size VN_UNSET;
    const char *name VN_UNSET;            /* in the legend of the page */
    const vn_fit_result *result VN_UNSET; /* its epochs */
    const vn_note *notes VN_UNSET;        /* its settings: those that differ are compared */
    int n_notes VN_UNSET;
    int reserved VN_UNSET;       /* 0 */
    const char *config VN_UNSET; /* the text that vn_fit_opts had for the checkpoint; NULL: none */
} vn_run;
/* Reads what vn_fit left: a checkpoint, which has epochs and settings, or a log as CSV or JSON lines, which has epochs; the file's first bytes
 * decide. Its name is the path. What *to points to belongs to the innermost scope. A file that is neither is VN_E_FORMAT. Returns a code. */
VN_API int vn_run_load(const char *path, vn_run *to);
/* A page with the curves of 1 to 24 runs in the same charts, what is best of each, and the settings that differ. title: NULL: "Trainings". */
VN_API int vn_report_runs(const char *path, const vn_run *runs, int n, const char *title);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_dataset_of(...) vn_dataset_of(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_dataset_load(...) vn_dataset_load(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_dataset_sample(...) vn_dataset_sample(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_dataset_windows(...) vn_dataset_windows(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_dataset_of_table(...) vn_dataset_of_table(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#endif

#endif
