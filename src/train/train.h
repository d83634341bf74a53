/* train.h (inside): what the files of src/train know of each other. Data flows one way: dataset.c (and table.c, which fills one from a
 * file) gives batches; judge.c makes loss and metrics of a batch and adds them up; evaluate.c goes once over data; begin.c makes what the
 * loop in fit.c needs; resume.c puts its state into a checkpoint; log.c and report.c write what it came to. */
#ifndef VN_TRAIN_INSIDE_H
#define VN_TRAIN_INSIDE_H

#include "files/files.h"
#include <vinea/train.h>

/* ---- data (dataset.c, table.c) ---- */
typedef struct vn__dataset {
    vn_dataset *whole; /* it is a part of this one, which it keeps and which is no part itself; NULL: it is whole */
    int64_t n;         /* rows */
    int64_t *index;    /* of a part: its rows in the whole one */
    char *about;
    /* Of whole ones. */
    vn_array *x, *y; /* kept; NULL: made by fn, or absent */
    vn_batch_fn fn;
    void *user;
    bool has_target;
    int64_t classes;
    char **columns, *target; /* CSV: names of features and target */
    int n_columns;
} vn__dataset;
vn__dataset *vn__dataset_of(const vn_dataset *d);          /* its body */
const vn__dataset *vn__dataset_whole(const vn_dataset *d); /* the body that has the arrays */
/* Where arrays come from, for messages and `about`. */
typedef struct {
    const char *who, *path;  /* path: NULL for arrays of the caller's */
    char **columns, *target; /* CSV: names, if there are any; the dataset takes them over */
    int n_columns;
    bool csv;
} vn__origin;
vn_dataset *vn__dataset_make(vn_array *x, vn_array *y, const vn_dataset_opts *o, vn__origin *from);
void vn__origin_free(vn__origin *from);
/* x and y of batch number b of `order` (NULL: the rows as they are); *n: its rows. */
int vn__dataset_batch(const vn_dataset *d, const int64_t *order, int64_t b, int64_t batch, vn_array **x, vn_array **y, int64_t *n);

/* ---- losses and metrics (judge.c) ---- */
enum { VN__MOST_SCORES = 32, VN__MOST_MATRIX = 256, VN__SCORE_NAME = 48 };
typedef struct {
    char name[VN__SCORE_NAME];
    int row; /* of the table of metrics; -1: the caller's own */
    int64_t k;
    vn_metric own;
} vn__score;
typedef struct {
    const char *who;
    int loss; /* of the table of losses; -1: the caller's own */
    vn_score_fn loss_fn;
    void *loss_user;
    int n; /* scores: the loss and the metrics */
    vn__score scores[VN__MOST_SCORES];
    int64_t classes; /* 0: targets are numbers */
    int64_t outputs; /* classes the network tells apart; known from the first batch on */
    bool matrix;     /* the confusion matrix is counted */
} vn__judge;
int vn__judge_begin(vn__judge *j, const vn_evaluate_opts *o, int64_t classes, bool matrix, const char *who);
vn_array *vn__judge_loss(vn__judge *j, vn_array *prediction, vn_array *target);
/* What is read of a batch: [0] the loss, then one array for each metric that is a mean, and the matrix. Handles are the caller's to drop.
 */
typedef struct {
    vn_array *score[VN__MOST_SCORES]; /* [0] is left to the caller */
    vn_array *matrix;
} vn__verdict;
int vn__judge_metrics(vn__judge *j, vn_array *prediction, vn_array *target, vn__verdict *v);
int vn__verdict_list(const vn__judge *j, const vn__verdict *v, vn_array **to); /* those that are there; returns how many */
void vn__verdict_drop(vn__verdict *v);
const char *vn__loss_name(const vn__judge *j);         /* NULL: the caller's own */
bool vn__score_smaller(const vn__judge *j, int score); /* smaller is better */

/* Verdicts added up. */
typedef struct {
    vn_running score[VN__MOST_SCORES];
    int64_t *matrix; /* outputs x outputs */
} vn__meter;
int vn__meter_add(vn__meter *m, const vn__judge *j, const vn__verdict *v, int64_t rows);
void vn__meter_reset(vn__meter *m, const vn__judge *j);
int vn__meter_matrix(vn__meter *m, const vn__judge *j); /* makes the matrix, zeroed, unless it is there */
double vn__meter_value(const vn__meter *m, const vn__judge *j, int score);

/* ---- evaluation (evaluate.c) ---- */
/* Goes over the data in evaluation mode. *stopped: a stop was requested, and not all was seen; NULL: it goes on. */
int vn__evaluate_data(vn_module *m, vn_dataset *d, int64_t batch, vn__judge *j, vn__meter *meter, bool *stopped);
int vn__evaluation_of(const vn__judge *j, const vn__meter *m, int64_t rows, vn_evaluation *to); /* in the innermost scope */

/* ---- the loop (fit.c) and its state in a file (resume.c) ---- */
typedef struct {
    vn_fit_opts o; /* settled: no defaults left */
    vn_module *module;
    vn_dataset *train, *test; /* test: NULL: none */
    vn_optim *optim;
    vn__judge judge, test_judge;
    vn__meter meter, test_meter;
    int n_scores; /* of an epoch: those of training and of validation */
    char names[2 * VN__MOST_SCORES][VN__SCORE_NAME + 8];
    int monitor; /* which of them decides what is best */
    bool smaller;

    int64_t rows, batches; /* of an epoch */
    int64_t *order;
    int64_t epoch, batch, step; /* epochs done; batches done of the next one; steps in all */
    double before;              /* seconds of the running epoch before this call */
    double lr;
    int64_t resumed, best_epoch;
    double best;
    int stop; /* vn_fit_stop */
    bool stopping;

    /* One row per epoch: step, lr, seconds, scores. */
    double *history;
    int64_t capacity;

    double started, epoch_started, epoch_seconds; /* clock; the last whole epoch took so long, or 0 */
    int64_t epoch_first;                          /* rows of the running epoch seen before this call */
    double speed;                                 /* rows a second, of the last epoch's training */
    int64_t saved;                                /* the step of the last checkpoint; -1: none */
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
int vn__fit_begin(vn__fit *f, vn_module *m, vn_dataset *data, const vn_fit_opts *opts); /* begin.c */
bool vn__fit_early(const vn__fit *f);                                                   /* patience is at its end */
int vn__history_room(vn__fit *f, int64_t epochs);
int vn__fit_save(const vn__fit *f, const char *path);
int vn__fit_load(vn__fit *f, const char *path);

/* ---- logs (log.c) ---- */
int vn__log_begin(const vn__fit *f); /* the file with the epochs so far */
int vn__log_epoch(const vn__fit *f); /* the last one */

/* ---- the page (report_fit.c, report.c, curves.c, matrix.c, page.c) ---- */
int vn__fit_report(vn__fit *f, const vn_fit_result *result);
void vn__print_html(vn__text *t, const char *text);                                         /* escaped */
void vn__print_digits(vn__text *t, double x, int digits);                                   /* %.*g, whatever the locale */
void vn__print_curves(vn__text *t, const vn_fit_result *r);                                 /* all charts */
void vn__print_matrix(vn__text *t, const vn_evaluation *e, const char *const *class_names); /* matrix and table of classes */
extern const char vn__page_style[], vn__page_script[];

#endif
