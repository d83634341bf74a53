/* SPDX-License-Identifier: Apache-2.0 */
/* train.h (internal): shared by the files of src/train. dataset.c provides batches, from arrays, functions
 * and files (table.c; learn.c, schema.c and encode.c make arrays of tables); metrics.c computes loss and
 * metrics of a batch and accumulates them; evaluate.c makes one pass over data; begin.c prepares the loop in fit.c; resume.c saves its
 * state in a checkpoint; log.c and report.c write the results. */
#ifndef VN_TRAIN_INSIDE_H
#define VN_TRAIN_INSIDE_H

#include "files/files.h"
#include "group/group.h"
#include <vinea/train.h>

/* ---- data (dataset.c, table.c) ---- */
/* What is known of the table that a dataset comes from. */
typedef struct {
    char **columns, *target; /* names of features and target */
    int n_columns, n_notes;
    char **classes; /* their names; NULL: numbers */
    int64_t n_classes;
    char **notes, *schema;
    int64_t *rows;          /* for each row its number in the file; NULL: all of them */
    double mean, deviation; /* of a standardized target; deviation 0: it is not */
} vn__labels;
typedef struct vn__dataset {
    vn_dataset *whole; /* the dataset it is a part of, to which it holds a reference; NULL: it is not a part */
    int64_t n;         /* rows */
    int64_t *index;    /* for a part: its row numbers in the whole dataset */
    char *about;
    /* For a whole dataset. */
    vn_array *x, *y;   /* references are held; NULL: made by fn, or absent */
    vn_array *weights; /* of rows [n], float64; NULL: none */
    vn_batch_fn fn;
    void *user;
    void (*release)(void *user); /* of datasets made of others (dataset_made.c); NULL: user is the caller's */
    struct vn__images *images;   /* image files (images.h); NULL: none */
    bool has_target;
    int64_t classes;
    int64_t last_class; /* a row with the largest label, where the labels say how many classes there are; -1: it is given */
    vn__labels labels;
} vn__dataset;
vn__dataset *vn__dataset_of(const vn_dataset *d);          /* its body */
const vn__dataset *vn__dataset_whole(const vn_dataset *d); /* the body of the whole dataset */
/* Where arrays come from, for messages and `about`. */
typedef struct {
    const char *who, *path; /* path: NULL for the caller's arrays */
    vn__labels labels;      /* the dataset takes ownership */
    bool csv;
} vn__origin;
vn_dataset *vn__dataset_make(vn_array *x, vn_array *y, const vn_dataset_opts *o, vn__origin *from);
vn_dataset *vn__dataset_of_images(struct vn__images *i, vn__origin *from); /* takes the images, if it succeeds */
void vn__labels_free(vn__labels *l);
vn_dataset *vn__dataset_object(vn__dataset *b, const char *who);                              /* takes the body, also on failure */
vn_dataset *vn__dataset_part(vn_dataset *d, const int64_t *rows, int64_t n, const char *who); /* these rows of it, which may repeat */
bool vn__dataset_alike(const vn_dataset *a, const vn_dataset *b); /* their targets mean the same: classes, their names, units */
int vn__dataset_check(const vn_dataset_opts *o, const char *who); /* kind and classes */
int vn__only_tables(const vn_dataset_opts *o, const char *who);   /* refuses options of tables, for arrays */
/* x and y of batch b in the order `order` (NULL: the original order); *n: its number of rows. */
int vn__dataset_batch(const vn_dataset *d, const int64_t *order, int64_t b, int64_t batch, vn_array **x, vn_array **y, int64_t *n);
/* Says that rows begin to begin + n, as far as there are so many, will be needed next; and that the loop is over. */
void vn__dataset_ahead(const vn_dataset *d, const int64_t *order, int64_t begin, int64_t n);
void vn__dataset_rest(const vn_dataset *d);
int vn__dataset_range(const vn_dataset *d, const int64_t *order, int64_t begin, int64_t n, vn_array **x, vn_array **y);
/* The weights of these rows, float64, on the engine in use; the dataset has some. */
vn_array *vn__dataset_weights(const vn_dataset *d, const int64_t *order, int64_t begin, int64_t n);

/* ---- metrics (metric_values.c) ---- */
enum { VN__MAX_SCORES = 32, VN__MAX_MATRIX = 256, VN__SCORE_NAME = 48, VN__MOMENTS = 6 };
/* Means that a batch has, one for each score and the moments; all arrays that it has, with counts and the confusion matrix. */
enum { VN__MAX_VALUES = VN__MAX_SCORES + VN__MOMENTS, VN__MAX_ARRAYS = VN__MAX_VALUES + VN__MAX_SCORES + 1 };
typedef enum { VN__OF_CLASSES, VN__OF_NUMBERS, VN__OF_EITHER, VN__OF_EMBEDDINGS } vn__target; /* what a loss or metric takes */
typedef struct {
    double hits, predicted, actual, all; /* of one class: rows of it taken for it, taken for it, of it; for ONE_CLASS: all rows */
} vn__class_counts;
/* A row of scores.def; what is NULL does not apply. */
typedef struct {
    vn__target of;
    bool smaller; /* is better */
    const char *op;
    vn_array *(*batch)(vn_array *x, vn_array *y, const double *value); /* its mean, or counts, of a batch; NULL: the op */
    double (*last)(double x);                                          /* applied to the mean of all batches */
    double (*of_class)(vn__class_counts c, const double *value);       /* of a class, from the confusion matrix */
    bool one_class;                                                    /* which the last option names; otherwise that is the average */
    double (*of_moments)(const double *means);
    double (*of_counts)(const int64_t *counts, int64_t n, const double *value);
} vn__metric_row;
const vn__metric_row *vn__metric_row_of(int kind); /* of a vn_metric; NULL: there is none. 0 is the caller's own */
double vn__metric_of_matrix(const vn_metric *m, const int64_t *matrix, int64_t n);
int vn__moments(vn_array *x, vn_array *y, vn_array *to[static VN__MOMENTS]); /* means of x, y, x^2, y^2, x y, (x - y)^2 */
bool vn__one_number(const vn_array *prediction, const vn_array *target);     /* not one for each class */
vn_array *vn__shaped_like(vn_array *x, const vn_array *like);
vn_array *vn__predicted_class(vn_array *prediction, vn_array *target);

/* ---- losses and metrics (metrics.c) ---- */
typedef struct {
    char name[VN__SCORE_NAME];
    vn_own_metric metric;
} vn__score;
typedef struct {
    const char *who;
    vn_loss loss;        /* kind 0: a custom loss, */
    vn_score_fn loss_fn; /* this one */
    void *loss_user;
    int n; /* scores: the loss and the metrics */
    vn__score scores[VN__MAX_SCORES];
    int64_t classes;        /* 0: targets are numbers */
    int64_t last_class;     /* as in the dataset */
    int64_t outputs;        /* classes the network distinguishes; known after the first batch */
    bool matrix;            /* whether to compute the confusion matrix */
    bool embeds;            /* the network gives embeddings, not classes */
    bool tokens;            /* predictions are class numbers themselves */
    bool moments;           /* a metric needs them */
    const float *weights;   /* of `classes` classes in the loss; NULL: none */
    double mean, deviation; /* of a standardized target, for metrics; deviation 0: it is not */
} vn__scorer;
bool vn__scorer_takes_weights(const vn__scorer *j);
bool vn__scorer_has_rows(const vn__scorer *j); /* its loss is a mean over rows, which may have weights */
int vn__scorer_begin(vn__scorer *j, const vn_evaluate_opts *o, const vn__dataset *d, bool matrix, const char *who); /* d: a whole one */
vn_array *vn__scorer_loss(vn__scorer *j, vn_array *prediction, vn_array *target, vn_array *weights); /* of rows; NULL: none */
/* The scores of a batch: [0] the loss, then one array for each metric that is a mean, and the matrix. The caller drops the handles.
 */
typedef struct {
    vn_array *score[VN__MAX_VALUES]; /* the caller sets [0]; behind the scores stand the moments */
    vn_array *counts[VN__MAX_SCORES];
    vn_array *matrix;
} vn__batch_scores;
vn_array *vn__in_units(vn_array *x, double mean, double deviation); /* undoes standardizing; x itself if deviation is 0 */
int vn__scorer_metrics(vn__scorer *j, vn_array *prediction, vn_array *target, vn__batch_scores *v);
int vn__batch_scores_list(const vn__batch_scores *v, vn_array *to[static VN__MAX_ARRAYS]); /* the arrays that exist; how many */
void vn__batch_scores_drop(vn__batch_scores *v);
const char *vn__loss_text(const vn__scorer *j);         /* NULL: a custom loss */
bool vn__score_smaller(const vn__scorer *j, int score); /* smaller is better */

/* ---- sums over batches (meter.c) ---- */
typedef struct {
    int64_t *counts, n; /* NULL: nothing was counted */
} vn__counted;
typedef struct {
    vn_running score[VN__MAX_VALUES];
    vn__counted counts[VN__MAX_SCORES];
    vn__counted matrix; /* outputs x outputs */
} vn__meter;
int vn__scorer_values(const vn__scorer *j); /* how many means a batch has */
int vn__meter_add(vn__meter *m, const vn__scorer *j, const vn__batch_scores *v, int64_t rows);
int vn__meter_tally(vn__meter *m, const vn__scorer *j, const vn__batch_scores *v, bool counts); /* counts alone; or only room for them */
void vn__meter_reset(vn__meter *m);
void vn__meter_free(vn__meter *m);
int vn__meter_matrix(vn__meter *m, const vn__scorer *j);                       /* allocates the matrix, zeroed, unless it exists */
int vn__meter_counts(vn__meter *m, const vn__scorer *j, int score, int64_t n); /* the same of a score's counts */
/* Adds what all ranks have counted in `from`, which then has their sum. */
int vn__meter_join(vn__meter *m, vn__meter *from, const vn__scorer *j, const vn__group *g);
double vn__meter_value(const vn__meter *m, const vn__scorer *j, int score);

/* ---- positions and classes that the network does not have (batch_check.c) ---- */
typedef struct {
    const char *who, *what; /* what: "the data" */
    vn_module *module;
    vn__scorer *scorer; /* for labels; NULL: none are looked at */
    int64_t batch;
} vn__looking;
/* All positions of a batch, and its classes unless y is NULL, are there; the network is recorded, not computed. *points: it takes some. */
int vn__look(const vn__looking *l, vn_array *x, vn_array *y, const char *where, bool *points);
int vn__look_at_rows(const vn__looking *l, vn_array *x, int64_t first, int64_t n, bool *points); /* a batch with these rows of the data */
int vn__look_at_data(const vn__looking *l, const vn_dataset *data); /* all rows, in two batches with their largest and smallest numbers */

/* ---- evaluation (evaluate.c) ---- */
/* One pass over the data in evaluation mode, whose batches the ranks share. *stopped: a stop was requested before the end; NULL: ignore
 * requests. */
int vn__evaluate_data(vn_module *m, vn_dataset *d, int64_t batch, vn__scorer *j, vn__meter *meter, const vn__group *g, bool *stopped);
int vn__evaluation_of(const vn__scorer *j, const vn__meter *m, int64_t rows, vn_evaluation *to); /* in the innermost scope */

/* ---- the loop (fit.c) and its state in a file (resume.c) ---- */
typedef struct {
    vn_fit_opts o; /* with defaults filled in */
    vn_module *module;
    vn_dataset *train, *test; /* test: NULL: none */
    vn_optim *optim;
    vn__scorer scorer, test_scorer;
    vn__meter meter, test_meter;
    int n_scores; /* scores of an epoch: training and validation */
    char names[2 * VN__MAX_SCORES][VN__SCORE_NAME + 8];
    int monitor; /* the monitored score */
    bool smaller;

    const vn__group *group;  /* of one rank if the options have none */
    int64_t micro;           /* parts of a batch; 1: it is computed as one program */
    bool penalised, bounded; /* the module has regularizers; constraints */
    vn_tensorboard board;
    bool finding;          /* a learning rate is looked for: a loss that is not finite ends it without an error */
    double loss;           /* of the last step's batch */
    bool points;           /* a function makes the batches, and the network takes positions, as far as is known: each batch is looked at */
    int *owner;            /* of each parameter: the rank that has its optimizer state; NULL: all have all of it */
    int64_t rows, batches; /* of an epoch */
    int64_t *order;
    int64_t epoch, batch, step; /* epochs done; batches done of the next one; total steps */
    double before;              /* seconds of the current epoch before this call */
    double lr;
    int64_t resumed, best_epoch;
    double best;
    int stop; /* vn_fit_stop */
    bool stopping;

    /* One row per epoch: step, lr, seconds, scores. */
    double *history;
    int64_t capacity;

    double started, epoch_started, epoch_seconds; /* start time; duration of the last full epoch, or 0 */
    int64_t epoch_first;                          /* rows of the current epoch seen before this call */
    double speed;                                 /* rows per second of the last epoch's training */
    double reported;                              /* when the report was last written; 0: it was not */
    int64_t saved;                                /* the step of the last checkpoint; -1: none */
    vn_tree *training; /* the parameters that steps move, while the module has their average; a reference is held; NULL: it has them */
} vn__fit;
enum { VN__ROW_STEP, VN__ROW_LR, VN__ROW_SECONDS, VN__ROW_SCORES };
static inline int vn__row_size(const vn__fit *f)
{
    return VN__ROW_SCORES + f->n_scores;
}
static inline double *vn__row_at(const vn__fit *f, int64_t epoch) /* from 0 */
{
    return f->history + epoch * vn__row_size(f);
}
int vn__fit_all(vn_module *m, vn_dataset *data, const vn_fit_opts *opts, vn_fit_result *result, bool finding); /* vn_fit, vn_find_lr */
/* The options that are numbers, flags and texts (fit.def); the last one has no name. */
typedef enum { VN__FIT_COUNT, VN__FIT_WHOLE, VN__FIT_NUMBER, VN__FIT_FLAG, VN__FIT_TEXT } vn__fit_kind;
typedef struct vn__fit_option {
    const char *name;
    vn__fit_kind kind;
    size_t offset; /* in vn_fit_opts */
} vn__fit_option;
extern const vn__fit_option vn__fit_options[];
int vn__fit_callbacks(vn_fit_opts *o);     /* what their text says, in the innermost scope (callbacks.c) */
int vn__fit_check_plateau(vn_fit_opts *o); /* and fills in the default */
int vn__fit_plateau(vn__fit *f);           /* sets what rates are multiplied by, from the history */
int vn__fit_step(vn__fit *f);              /* step.c */
int vn__fit_begin(vn__fit *f, vn_module *m, vn_dataset *data, const vn_fit_opts *opts); /* begin.c */
int vn__fit_weights(vn__fit *f);                                                        /* of classes and rows (weights.c) */
double vn__fit_weights_sum(const vn__fit *f);
/* The module has the average of an optimizer that keeps one as its result, or what its steps move again; others change nothing (average.c).
 * At the end the optimizer goes on from the average. */
int vn__fit_average(vn__fit *f);
int vn__fit_train(vn__fit *f);
int vn__fit_end_average(vn__fit *f);
int vn__fit_take_training(vn__fit *f, const vn_tree *training); /* of a checkpoint */
bool vn__fit_early(const vn__fit *f);                           /* patience has run out */
int vn__history_room(vn__fit *f, int64_t epochs);
int vn__fit_save(vn__fit *f, const char *path); /* all ranks call it, the first one writes */
int vn__fit_load(vn__fit *f, const char *path);

/* ---- several processes (ranks.c) ---- */
int vn__fit_ranks(vn__fit *f); /* checks group and micro_batches; ranks but the first write and show nothing */
/* If one rank failed, all fail, with its message; if one wants to stop, all do. Every rank calls it wherever one of them alone may fail
 * or stop. Returns the code. */
int vn__fit_agree(vn__fit *f, int code);
/* All ranks train the same network on the same data: compared at the beginning, and after every epoch what has been learned. */
int vn__fit_same(vn__fit *f, bool beginning);
/* A file of the first rank, for all: elsewhere a copy in memory. path: NULL if there is no such file. Unshare it after success or
 * failure. */
typedef struct {
    char room[64];
    const char *path;
    int fd; /* -1: none */
} vn__fit_file;
int vn__fit_share(vn__fit *f, const char *path, vn__fit_file *to);
void vn__fit_unshare(vn__fit_file *file);

/* ---- optimizer state shared out over the ranks (shards.c); without it these do nothing ---- */
int vn__shards_begin(vn__fit *f);
int vn__shards_step(vn__fit *f, const vn_tree *grads); /* vn_step, where there are owners */
int vn__shards_collect(vn__fit *f);                    /* the first rank has all of the state, until it keeps its own again */
int vn__shards_keep_own(vn__fit *f);

/* ---- logs (log.c) ---- */
int vn__log_begin(const vn__fit *f); /* writes the file with the epochs so far */
int vn__log_epoch(const vn__fit *f); /* appends the last one */

/* ---- charts of scores over epochs (chart.c) ---- */
enum { VN__COLOURS = 8, VN__MAX_RUNS = 24 }; /* of lines; trainings on one page */
typedef struct {
    const char *name; /* in the legend */
    const vn_fit_result *result;
    int score;  /* of its epochs; -1: the learning rate */
    int stroke; /* solid, dashed, dotted */
} vn__series;
typedef struct {
    const char *name; /* the score's */
    const vn__series *series;
    int n;
    bool several; /* trainings, each with its best epoch, instead of scores of one */
} vn__chart;
void vn__print_chart(vn__text *t, const vn__chart *c);
double vn__nice_step(double range, int steps); /* 1, 2 or 5 times a power of ten, so that about `steps` ticks span the range */
bool vn__chart_constant(const vn__chart *c);   /* all values are equal: there is nothing to see */
int vn__find_score(const vn_fit_result *r, const char *name); /* among those of its epochs; -1: it is not */
void vn__print_charts_head(vn__text *t);                      /* the section's beginning, up to the first chart */

/* ---- single rows (examples.c), and how the page shows them (worst.c, residuals.c, picture.c) ---- */
enum { VN__WORST = 12 };
typedef struct {
    int64_t row;             /* of the data */
    double truth, predicted; /* numbers, or classes */
    double probability;      /* of the true class */
    double error;            /* the larger, the worse */
} vn__example;
typedef struct {
    vn_dataset *data;
    int64_t classes; /* 0: numbers */
    vn__example worst[VN__WORST];
    int n;
    double *truth, *predicted; /* numbers: of all rows; in scope memory */
    int64_t rows;              /* 0: there are none */
} vn__examples;
/* One pass over the data. Rows that do not have one class or number each are not looked at. */
int vn__find_examples(vn_module *m, vn_dataset *data, int64_t batch, int64_t classes, vn__examples *to);
int vn__print_worst(vn__text *t, const vn__examples *e, const char *const *classes); /* classes: their names; NULL: none */
void vn__print_residuals(vn__text *t, const vn__examples *e);
/* The address of a picture of these pixels, for the page itself. */
int vn__print_picture(vn__text *t, const float *pixels, int64_t height, int64_t width, int channels, const char *who);
/* vn_report_save, with single rows; NULL: none. */
int vn__report_write(const char *path, const vn_report *report, const vn__examples *e);

/* ---- the page (report_fit.c, report.c, curves.c, matrix.c, page.c; compare.c: of several trainings) ---- */
enum { VN__UNDER_WAY = -1 }; /* instead of a vn_fit_stop: the training has not ended */
/* Writes the page: at the end, or between epochs, where nothing is computed for it and no random number is used. */
int vn__fit_report(vn__fit *f, const vn_fit_result *result, bool end);
void vn__print_html(vn__text *t, const char *text);                                         /* escaped */
void vn__print_score_name(vn__text *t, const char *name);                                   /* "validation loss" for val_loss */
bool vn__rate_is_constant(const vn_fit_result *r);                                          /* the learning rate of all epochs */
void vn__print_digits(vn__text *t, double x, int digits);                                   /* %.*g in any locale */
void vn__print_curves(vn__text *t, const vn_fit_result *r);                                 /* all charts */
void vn__print_matrix(vn__text *t, const vn_evaluation *e, const char *const *class_names); /* matrix and table of classes */
void vn__print_page_head(vn__text *t, const char *title);
int vn__page_end(vn__text *t, const char *path, const char *who);    /* writes the page, and frees it */
extern const char *const vn__page_style[], *const vn__page_script[]; /* lines; NULL-terminated */

#endif
