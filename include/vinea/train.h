/* train.h: data, the training loop, and what it tells: progress, logs, checkpoints, a report.
 *
 *     vn_dataset *data = vn_dataset_load("iris.csv", VN_OPTS(dataset, .target = "species"));
 *     vn_module *net = VN_SEQUENTIAL(vn_nn_linear(4, 16, NULL), vn_nn_activation("relu", NULL, 0), vn_nn_linear(16, 3, NULL));
 *     vn_fit_result result = {.size = sizeof result};
 *     vn_stop_on_interrupt(1);
 *     vn_fit(net, data, VN_OPTS(fit, .epochs = 20, .validation_split = .2, .progress = vn_progress_terminal, .report = "run.html"),
 * &result);
 *
 * Everything is built of public ops and modules, so that it runs on every engine. A step is one program: the choice of the rows, the
 * network, loss, gradients, metrics, update and buffers. Batches have one size, and the last one may have another: two programs for
 * training and two for evaluation, however long it runs. Order of rows and random numbers are the same on all engines. */
#ifndef VINEA_TRAIN_H
#define VINEA_TRAIN_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vn_note vn_note; /* files.h, which may be the one that includes this */

/* ---- data --------------------------------------------------------------------------------------------------------------------- */

/* Rows x [rows, ...] and what is to be learned of each, y: class numbers [rows] (int64) or numbers [rows, ...]. Owned like arrays. */
typedef struct vn_dataset vn_dataset;
VN_API vn_dataset *vn_dataset_keep(vn_dataset *d);
VN_API void vn_dataset_drop(vn_dataset *d);
VN_API vn_dataset *vn_dataset_pass(vn_dataset *d);

typedef enum vn_target_kind {
    VN_TARGET_AUTO = 0,   /* classes if y is of an integer or bool dtype or, in CSV files, if all of y are whole and 0 or more */
    VN_TARGET_CLASS = 1,  /* y has numbers of classes: 0, 1, 2 ... */
    VN_TARGET_NUMBER = 2, /* y has the numbers themselves */
    VN_TARGET_NONE = 3    /* there is no y: rows to be predicted */
} vn_target_kind;

typedef struct vn_dataset_opts {
    size_t size;
    int kind;            /* vn_target_kind */
    int64_t classes;     /* how many there are; a label outside is an error. 0: the largest label and one more */
    int allow_nonfinite; /* NaN and infinity in x are fine; else they are an error that names row and column */
    /* Files. */
    const char *target; /* CSV: the name of y's column, or its number, from 0; below 0 from the end. NULL: the last one */
    int header;         /* CSV: 1: the first line has names, -1: it has not, 0: it has if one of its fields is no number */
    char delimiter;     /* CSV: 0: ',', or a tab where the path ends in .tsv */
    const char *x, *y;  /* npz, safetensors: the names of the arrays; NULL: "x" and "y" */
    const char *y_path; /* y stands in this file of its own, the only array of it or the one called `y` */
} vn_dataset_opts;

/* From arrays, which are kept. y is VN_NONE where there is none. */
VN_API vn_dataset *vn_dataset_of(vn_array *x, vn_array *y, const vn_dataset_opts *opts);
/* From a file onto the engine in use: CSV (paths that end in .csv, .tsv or .txt), npz, safetensors, or npy, which holds x. Features of
 * a CSV file are all columns but the target, float32. */
VN_API vn_dataset *vn_dataset_load(const char *path, const vn_dataset_opts *opts);
/* From a function that makes batches: x [n, ...] and y [n, ...] of the rows with these n numbers, 0 to rows - 1. It runs in a scope of its
 * own and returns a code. y has int64 classes if `classes` is above 0. The function must outlive the dataset. */
typedef int (*vn_batch_fn)(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user);
VN_API vn_dataset *vn_dataset_from(vn_batch_fn fn, int64_t rows, int64_t classes, void *user);

/* Two parts without common rows: *rest gets `rows` rows, the last ones, or random ones by this seed if `random`. They share the arrays.
 * Each part keeps a row at least. Returns a code. */
VN_API int vn_dataset_split(vn_dataset *d, int64_t rows, int random, uint64_t seed, vn_dataset **first, vn_dataset **rest);

typedef struct vn_dataset_info {
    size_t size;
    int64_t rows, classes; /* classes: 0 where y has numbers, or there is no y */
    int has_target;
    vn_shape x, y;     /* of one row; rank -1: not known before a batch is made */
    const char *about; /* "iris.csv: 150 rows of 4, 3 classes" */
    int n_columns;     /* CSV: names of the features, if there are any, and of the target (NULL) */
    const char *const *columns;
    const char *target;
} vn_dataset_info;
/* Its texts live as long as the dataset. */
VN_API int vn_dataset_look(const vn_dataset *d, vn_dataset_info *info);
/* The rows with these numbers; y may be NULL. */
VN_API int vn_dataset_rows(const vn_dataset *d, const int64_t *rows, int64_t n, vn_array **x, vn_array **y);

/* ---- losses and metrics --------------------------------------------------------------------------------------------------------- */

/* The loss of a batch, a scalar: the mean over the rows. A target of as many elements comes in the shape of the prediction. */
typedef vn_array *(*vn_score_fn)(vn_array *prediction, vn_array *target, void *user);
/* A metric of the caller's own: a scalar for each batch; those of an epoch are averaged with the number of rows as weight. */
typedef struct vn_metric {
    const char *name; /* letters, digits and '_' */
    vn_score_fn fn;
    void *user;
    int smaller; /* smaller is better */
} vn_metric;
/* A name and a number: the loss or a metric of an epoch. */
typedef struct vn_score {
    const char *name; /* "loss", "accuracy", "val_loss", "val_accuracy" ... */
    double value;
} vn_score;
/* The score of that name, of an event, an epoch or an evaluation: vn_score_of(e->scores, e->n_scores, "val_loss"). A name that is not among
 * them is VN_E_ARG, and NaN. No scores at all, as before the first step, are NaN without an error. */
VN_API double vn_score_of(const vn_score *scores, int n, const char *name);

/* ---- the loop ------------------------------------------------------------------------------------------------------------------- */

typedef struct vn_module vn_module; /* module.h, likewise */

typedef enum vn_fit_moment {
    VN_FIT_BEGIN = 0, /* before the first step */
    VN_FIT_STEP = 1,  /* after every step */
    VN_FIT_EPOCH = 2, /* after every epoch: validation, logs and checkpoints are done */
    VN_FIT_END = 3    /* after the last one, whatever the reason */
} vn_fit_moment;

typedef enum vn_fit_stop {
    VN_STOP_DONE = 0,       /* all epochs */
    VN_STOP_EARLY = 1,      /* no progress for `patience` epochs */
    VN_STOP_CALLBACK = 2,   /* a callback asked for it */
    VN_STOP_INTERRUPTED = 3 /* vn_stop_request, or a signal */
} vn_fit_stop;
VN_API const char *vn_fit_stop_name(int stop); /* "done", "early", "callback", "interrupted" */

/* Where the training stands. Pointers live during the callback. */
typedef struct vn_fit_event {
    size_t size;
    int moment;             /* vn_fit_moment */
    int stop;               /* at the end: vn_fit_stop */
    int64_t epoch, epochs;  /* the running one, or the one just finished, from 1; of how many */
    int64_t batch, batches; /* steps done of this epoch, of how many */
    int64_t step;           /* steps in all, those before a resumption included */
    int64_t rows, seen;     /* of an epoch; of it seen so far */
    double lr;              /* of the last step */
    double seconds;         /* of the epoch so far, or of the whole epoch; at the end: of this call */
    double speed;           /* rows a second, of the epoch's training */
    double left;            /* seconds to the end of all epochs at this speed; NaN: not known yet */
    int best;               /* VN_FIT_EPOCH: this is the best epoch so far */
    const vn_score *scores; /* after a step: of the epoch so far; after an epoch: with those of the validation */
    int n_scores;
    vn_module *module;
} vn_fit_event;
/* Returns 0, or something else to stop the training after this step. An error inside (vn_status) ends it as an error. */
typedef int (*vn_fit_fn)(const vn_fit_event *event, void *user);

typedef struct vn_fit_opts {
    size_t size;
    int64_t epochs; /* 10; with resume: in all */
    int64_t batch;  /* 32; the last one of an epoch may be shorter */
    int drop_last;  /* it is left out instead */
    int no_shuffle; /* rows in their order, instead of a random one for every epoch */
    uint64_t seed;  /* of that order and of a random split; dropout and the like use the thread's random numbers (vn_seed) */

    /* Validation: data of its own, or a part of the data: the last rows, or random ones, a part of 1. */
    vn_dataset *validation;
    int64_t validation_rows;
    double validation_split;

    vn_optim *optim;     /* with its schedule and clipping (nn.h); NULL: adam, 1e-3 */
    const char *loss;    /* "cross_entropy" (of class numbers), "mse", "mae", "huber", "bce" (logits); NULL: by the target */
    vn_score_fn loss_fn; /* the caller's own instead */
    void *loss_user;
    /* Names with commas between: "accuracy", "top5" (any number), "precision", "recall", "f1" (means over classes), "mse", "mae", "rmse",
     * "none". NULL: accuracy of classes, mae of numbers. */
    const char *metrics;
    const vn_metric *own_metrics;
    int n_own_metrics;

    const char *monitor; /* what best means: a score's name; NULL: "val_loss", or "loss" without validation */
    int64_t patience;    /* stop after so many epochs without a better one; 0: never */
    double min_delta;    /* better means by more than this */

    const char *checkpoint;   /* the state goes into this file, to be resumed from, */
    int64_t checkpoint_every; /* after so many epochs (1), at the end and when interrupted */
    const char *best;         /* the same file of the best epoch */
    int restore_best;         /* at the end the module gets the best epoch's variables, from `best` */
    int resume;               /* goes on from `checkpoint` if that is there: with the same bits as if it had never stopped */
    const char *config;       /* a text of the program's own for these files */

    const char *log_csv, *log_jsonl; /* one line per epoch; resuming goes on behind the checkpoint's last epoch */
    const char *report;              /* an HTML page, written at the end */
    const char *title;               /* of the page; NULL: the module's class */
    const vn_note *notes;            /* its further settings: model, options ... */
    int n_notes;

    vn_fit_fn progress; /* vn_progress_terminal, for one; called at every moment, as is */
    void *progress_user;
    vn_fit_fn watch;
    void *watch_user;
} vn_fit_opts;

typedef struct vn_epoch {
    int64_t epoch, step; /* from 1; steps in all after it */
    double lr, seconds;  /* of its last step; of training and validation */
    const vn_score *scores;
    int n_scores;
} vn_epoch;

/* What a training came to. What it points to belongs to the innermost scope. */
typedef struct vn_fit_result {
    size_t size;
    int stop;              /* vn_fit_stop */
    int64_t epochs, steps; /* done, those before a resumption included */
    int64_t best_epoch;    /* 0: none */
    double best;           /* what was monitored, of that epoch; NaN: none */
    const vn_epoch *history;
    int64_t n_history;
    int64_t resumed; /* epochs that came from the checkpoint */
} vn_fit_result;

/* Trains m. Training mode is set for the steps and cleared for validation; at the end it is as it was. Returns a code; that the training
 * was interrupted or stopped is no error: result->stop tells. result may be NULL. After an error the module is as the last good step left
 * it, and the files are those of the last checkpoint. */
VN_API int vn_fit(vn_module *m, vn_dataset *data, const vn_fit_opts *opts, vn_fit_result *result);

typedef struct vn_evaluate_opts {
    size_t size;
    int64_t batch;    /* 32 */
    const char *loss; /* these as in vn_fit_opts */
    vn_score_fn loss_fn;
    void *loss_user;
    const char *metrics;
    const vn_metric *own_metrics;
    int n_own_metrics;
} vn_evaluate_opts;
/* In evaluation mode and without gradients. What it points to belongs to the innermost scope. */
typedef struct vn_evaluation {
    size_t size;
    const vn_score *scores; /* "loss" and the metrics */
    int n_scores;
    int64_t rows, classes;
    const int64_t *confusion; /* [true class][predicted class]; NULL: numbers, or more than 256 classes */
} vn_evaluation;
VN_API int vn_evaluate(vn_module *m, vn_dataset *data, const vn_evaluate_opts *opts, vn_evaluation *result);
/* What m makes of all rows, in evaluation mode, batch by batch (0: 32): [rows, ...]. */
VN_API vn_array *vn_predict(vn_module *m, vn_dataset *data, int64_t batch);

/* ---- stopping ------------------------------------------------------------------------------------------------------------------- */

/* 1: the first interrupt (Ctrl-C, or SIGTERM) asks running and later trainings to stop after their step; the second one does what it did
 * before, which is to end the process. 0: as it was before. Either forgets a request. For the whole process; returns a code. */
VN_API int vn_stop_on_interrupt(int on);
VN_API void vn_stop_request(void); /* the same request from a program, a thread or a signal handler */
VN_API int vn_stop_requested(void);

/* ---- progress on a terminal ----------------------------------------------------------------------------------------------------- */

/* Where and how vn_progress_terminal prints; zeroed but for `to`. The last fields are its own. */
typedef struct vn_terminal {
    FILE *to;     /* NULL: stderr */
    int style;    /* 0: a bar on a terminal, else lines; 1: a bar; 2: lines; 3: nothing */
    int columns;  /* width; 0: the terminal's, or 80 */
    double drawn; /* when it was drawn last */
    int width;    /* of what stands in the line now */
} vn_terminal;
/* A vn_fit_fn: a bar with loss, metrics, speed and time left, drawn at most 10 times a second, and a line for each epoch. user: a
 * vn_terminal, or NULL: stderr, in its own way. */
VN_API int vn_progress_terminal(const vn_fit_event *event, void *user);

/* ---- the report ----------------------------------------------------------------------------------------------------------------- */

typedef struct vn_report {
    size_t size;
    const char *title;
    const vn_fit_result *result; /* curves; NULL: none */
    const vn_evaluation *test;   /* confusion matrix, precision and recall of classes; NULL: none */
    const char *test_about;      /* of which data: "validation: 30 rows" */
    const char *const *classes;  /* their names; NULL: their numbers */
    const char *summary;         /* of the model: vn_module_summary */
    const vn_note *notes;        /* settings, in order */
    int n_notes;
} vn_report;
/* A page that needs nothing else: no script, font or picture from elsewhere. Written all or nothing. */
VN_API int vn_report_save(const char *path, const vn_report *report);

#ifdef __cplusplus
}
#endif
#endif
