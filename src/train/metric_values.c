/* SPDX-License-Identifier: Apache-2.0 */
/* metric_values.c: what the metrics of scores.def compute: of a batch a mean or whole numbers, as lazy arrays; of an epoch a value, on the
 * host, from what batches gave. */
#include "train/train.h"
#include "core/state.h"
#include "nn/objects.h"
#include <math.h>

/* ---- predictions ---- */

bool vn__one_number(const vn_array *prediction, const vn_array *target)
{
    return vn_size(prediction) == vn_size(target);
}

vn_array *vn__shaped_like(vn_array *x, const vn_array *like)
{
    return vn_rank(x) == vn_rank(like) ? x : vn_reshape(x, vn_shape_of(like));
}

vn_array *vn__predicted_class(vn_array *prediction, vn_array *target)
{
    if (!vn__one_number(prediction, target)) return vn_argmax(prediction, VN_AXES(-1));
    return vn_cast(vn__shaped_like(vn_greater(prediction, vn_scalar(0)), target), VN_I64);
}

/* The probability of class 1, of two. */
static vn_array *share_of_yes(vn_array *x, vn_array *y)
{
    if (vn__one_number(x, y)) return vn_sigmoid(vn__shaped_like(x, y));
    if (vn_dim(x, -1) != 2)
        return vn__fail(VN_E_SHAPE, "a metric of yes and no, but the network gives %lld classes", (long long)vn_dim(x, -1)), NULL;
    vn_array *parts[2];
    if (vn_split(x, 2, (const int64_t[]){1, 1}, -1, parts)) return NULL;
    return vn_sigmoid(vn_squeeze(vn_sub(parts[1], parts[0]), VN_AXES(-1)));
}

/* Probabilities of all classes, of a prediction that may be one logit for two. */
static vn_array *shares(vn_array *x, vn_array *y)
{
    if (!vn__one_number(x, y)) return vn_softmax(x, -1);
    vn_array *p = vn_expand_dims(vn_sigmoid(vn__shaped_like(x, y)), -1);
    return vn_concat(2, (vn_array *[]){vn_sub(vn_scalar(1), p), p}, -1);
}

/* ---- means of a batch ---- */

static vn_array *accuracy(vn_array *x, vn_array *y, const double *value)
{
    (void)value;
    if (!vn__one_number(x, y)) return vn_accuracy(x, y);
    return vn_mean(vn_cast(vn_equal(vn__predicted_class(x, y), y), VN_F32), VN_ALL);
}

/* ---- images ---- */

static vn_array *image_psnr(vn_array *x, vn_array *y, const double *value)
{
    vn_array *squares = vn_square(vn_sub(x, vn__shaped_like(y, x)));
    if (!squares) return NULL;
    const int64_t n = vn_rank(squares) ? vn_dim(squares, 0) : 1;
    const vn_shape rows = VN_SHAPE(n, n ? vn_size(squares) / n : 0);
    vn_array *each = vn_mul(vn_log10(vn_mean(vn_reshape(squares, rows), VN_AXES(1))), vn_scalar(-10));
    return vn_add(vn_mean(each, VN_ALL), vn_scalar(20 * log10(value[0])));
}

static vn_array *image_ssim(vn_array *x, vn_array *y, const double *value)
{
    return vn_mean(vn_ssim(x, vn__shaped_like(y, x), value[0], VN_OPTS(ssim, .filter_size = (int64_t)value[1])), VN_ALL);
}

static vn_array *image_ms_ssim(vn_array *x, vn_array *y, const double *value)
{
    const vn_ms_ssim_opts *o = VN_OPTS(ms_ssim, .filter_size = (int64_t)value[1], .scales = (int64_t)value[2]);
    return vn_mean(vn_ms_ssim(x, vn__shaped_like(y, x), value[0], o), VN_ALL);
}

/* ---- sequences of tokens ---- */

/* (rows, tokens): a prediction of integers has them, another one scores for each. */
static vn_array *tokens_of(vn_array *x, vn_array *y)
{
    if (vn_rank(y) != 2) return vn__fail(VN_E_SHAPE, "a metric of sequences; targets of rows x tokens are needed"), NULL;
    return vn_rank(x) == 2 ? x : vn_argmax(x, VN_AXES(-1));
}

static vn_array *lengths(vn_array *x, int64_t pad)
{
    vn_array *token = vn_cast(vn_not_equal(vn_cast(x, VN_I64), vn_scalar_int(pad)), VN_I64);
    return vn_sum(vn_cumulative_prod(token, 1, NULL), VN_AXES(1));
}

/* Errors, and tokens of the target. */
static vn_array *token_errors(vn_array *x, vn_array *y, const double *value)
{
    const int64_t pad = (int64_t)value[0];
    vn_array *d = vn_edit_distance(tokens_of(x, y), y, VN_OPTS(edit_distance, .pad = pad ? pad : VN_ZERO));
    return vn_stack(2, (vn_array *[]){vn_sum(d, VN_ALL), vn_sum(lengths(y, pad), VN_ALL)}, 0);
}

/* The longest common subsequence has half of the tokens that need not be put in or taken out. */
static vn_array *rouge_l(vn_array *x, vn_array *y, const double *value)
{
    const int64_t pad = (int64_t)value[0];
    x = tokens_of(x, y);
    vn_array *d = vn_edit_distance(x, y, VN_OPTS(edit_distance, .pad = pad ? pad : VN_ZERO, .no_substitution = 1));
    vn_array *all = vn_add(lengths(x, pad), lengths(y, pad)), *some = vn_maximum(all, vn_scalar(1));
    return vn_mean(vn_div(vn_cast(vn_sub(all, d), VN_F64), vn_cast(some, VN_F64)), VN_ALL);
}

static vn_array *ngrams(vn_array *x, vn_array *y, const double *value)
{
    const int64_t pad = (int64_t)value[0];
    return vn_bleu_counts(tokens_of(x, y), y, VN_OPTS(bleu_counts, .pad = pad ? pad : VN_ZERO, .order = (int64_t)value[1]));
}

static double error_rate(const int64_t *n, int64_t size, const double *value)
{
    (void)size, (void)value;
    return n[1] > 0 ? (double)n[0] / (double)n[1] : NAN;
}

/* The geometric mean of the precisions of n-grams, less what is too short. */
static double bleu(const int64_t *n, int64_t size, const double *value)
{
    (void)value;
    const int64_t order = (size - 2) / 2, said = n[2 * order], meant = n[2 * order + 1];
    double sum = 0;
    for (int64_t k = 0; k < order; k++) {
        if (n[k] <= 0) return 0;
        sum += log((double)n[k] / (double)n[order + k]);
    }
    return exp(sum / (double)order + (said < meant ? 1 - (double)meant / (double)said : 0));
}

/* ---- probabilities in bins ---- */

static vn_array *scores_in_bins(vn_array *x, vn_array *y, const double *value, int bins)
{
    return vn_score_counts(share_of_yes(x, y), y, (int64_t)value[bins]);
}
static vn_array *scored(vn_array *x, vn_array *y, const double *value)
{
    return scores_in_bins(x, y, value, 0);
}
static vn_array *scored_with(vn_array *x, vn_array *y, const double *value) /* bins are the second option */
{
    return scores_in_bins(x, y, value, 1);
}
static vn_array *calibrated(vn_array *x, vn_array *y, const double *value)
{
    return vn_calibration_counts(shares(x, y), y, (int64_t)value[0]);
}

/* What a threshold takes for yes: all bins from it on. */
typedef struct {
    double hits, taken, yes, no;
} split;
static double precision_at(split s)
{
    return s.taken > 0 ? s.hits / s.taken : 0;
}
static double recall_at(split s)
{
    return s.yes > 0 ? s.hits / s.yes : 0;
}
static double specificity_at(split s)
{
    return s.no > 0 ? (s.no - (s.taken - s.hits)) / s.no : 0;
}

/* n: negatives, then positives of each bin. The split at no bin, then one bin more each time, from the highest. */
static split split_before(const int64_t *n, int64_t bins)
{
    split s = {0};
    for (int64_t k = 0; k < bins; k++) s.no += (double)n[k], s.yes += (double)n[bins + k];
    return s;
}
static split split_lower(split s, const int64_t *n, int64_t bins, int64_t bin)
{
    s.hits += (double)n[bins + bin];
    s.taken += (double)(n[bins + bin] + n[bin]);
    return s;
}

/* The largest `of` of all thresholds at which `given` is at least so much; 0 if there is none. */
static double best(const int64_t *n, int64_t size, double least, double (*of)(split), double (*given)(split))
{
    const int64_t bins = size / 2;
    split s = split_before(n, bins);
    double most = given(s) >= least ? of(s) : 0;
    for (int64_t k = bins - 1; k >= 0; k--) {
        s = split_lower(s, n, bins, k);
        if (given(s) >= least) most = fmax(most, of(s));
    }
    return s.yes > 0 && s.no > 0 ? most : NAN;
}
static double precision_at_recall(const int64_t *n, int64_t size, const double *value)
{
    return best(n, size, value[0], precision_at, recall_at);
}
static double recall_at_precision(const int64_t *n, int64_t size, const double *value)
{
    return best(n, size, value[0], recall_at, precision_at);
}
static double sensitivity_at_specificity(const int64_t *n, int64_t size, const double *value)
{
    return best(n, size, value[0], recall_at, specificity_at);
}
static double specificity_at_sensitivity(const int64_t *n, int64_t size, const double *value)
{
    return best(n, size, value[0], specificity_at, recall_at);
}

/* Average precision: the sum of precisions, each times the recall that its bin adds. */
static double pr_auc(const int64_t *n, int64_t size, const double *value)
{
    const int64_t bins = size / 2;
    split s = split_before(n, bins);
    double sum = 0;
    (void)value;
    for (int64_t k = bins - 1; k >= 0; k--) {
        s = split_lower(s, n, bins, k);
        sum += precision_at(s) * (double)n[bins + k];
    }
    return s.yes > 0 ? sum / s.yes : NAN;
}

/* Pairs of a positive above a negative; those of one bin count half. */
static double roc_auc(const int64_t *n, int64_t size, const double *value)
{
    const int64_t bins = size / 2;
    double below = 0, pairs = 0, yes = 0;
    (void)value;
    for (int64_t k = 0; k < bins; k++) {
        pairs += (double)n[bins + k] * (below + (double)n[k] / 2);
        below += (double)n[k], yes += (double)n[bins + k];
    }
    return yes * below > 0 ? pairs / (yes * below) : NAN;
}

/* n: rows, hits and probabilities, in units of 2^-30, of each bin */
static double calibration_error(const int64_t *n, int64_t size, const double *value)
{
    const int64_t bins = size / 3;
    double sum = 0, rows = 0;
    (void)value;
    for (int64_t k = 0; k < bins; k++) {
        rows += (double)n[k];
        sum += fabs((double)n[bins + k] - (double)n[2 * bins + k] * 0x1p-30);
    }
    return rows > 0 ? sum / rows : NAN;
}

/* ---- classes of a confusion matrix ---- */

typedef vn__class_counts counts;
static double precision(counts c, const double *value)
{
    (void)value;
    return c.predicted > 0 ? c.hits / c.predicted : 0;
}
static double recall(counts c, const double *value)
{
    (void)value;
    return c.actual > 0 ? c.hits / c.actual : 0;
}
static double f1(counts c, const double *value)
{
    (void)value;
    return c.predicted + c.actual > 0 ? 2 * c.hits / (c.predicted + c.actual) : 0;
}
static double f_beta(counts c, const double *value)
{
    const double square = value[0] * value[0], all = c.predicted + square * c.actual;
    return all > 0 ? (1 + square) * c.hits / all : 0;
}
static double iou(counts c, const double *value) /* NaN: the class does not occur, and is left out */
{
    (void)value;
    const double either = c.predicted + c.actual - c.hits;
    return either > 0 ? c.hits / either : NAN;
}
static double true_positives(counts c, const double *value)
{
    (void)value;
    return c.hits;
}
static double false_positives(counts c, const double *value)
{
    (void)value;
    return c.predicted - c.hits;
}
static double false_negatives(counts c, const double *value)
{
    (void)value;
    return c.actual - c.hits;
}
static double true_negatives(counts c, const double *value)
{
    (void)value;
    return c.all - c.predicted - c.actual + c.hits;
}

static counts count_class(const int64_t *m, int64_t n, int64_t c)
{
    counts k = {.hits = (double)m[c * n + c]};
    for (int64_t i = 0; i < n; i++) k.predicted += (double)m[i * n + c], k.actual += (double)m[c * n + i];
    return k;
}

enum { MACRO, MICRO, WEIGHTED }; /* as the texts of OPTIONS(metric_score) */
static double averaged(const int64_t *m, int64_t n, const vn__metric_row *row, const double *value, int average)
{
    double sum = 0, weights = 0;
    counts all = {0};
    for (int64_t c = 0; c < n; c++) {
        const counts k = count_class(m, n, c);
        const double weight = average == WEIGHTED ? k.actual : 1, each = row->of_class(k, value);
        all = (counts){all.hits + k.hits, all.predicted + k.predicted, all.actual + k.actual, 0};
        if (isnan(each)) continue;
        sum += weight * each;
        weights += weight;
    }
    return average == MICRO ? row->of_class(all, value) : weights > 0 ? sum / weights : 0;
}

double vn__metric_of_matrix(const vn_metric *m, const int64_t *matrix, int64_t n)
{
    const vn__metric_row *row = vn__metric_row_of(m->kind);
    const int last = vn__object_number(&vn__family_metric, m->kind)->n_options - 1; /* the average, or the class */
    if (!row->one_class) return averaged(matrix, n, row, m->value, (int)m->value[last]);
    if (!(m->value[last] < (double)n)) return NAN;
    counts c = count_class(matrix, n, (int64_t)m->value[last]);
    for (int64_t i = 0; i < n * n; i++) c.all += (double)matrix[i];
    return row->of_class(c, m->value);
}

/* ---- moments ---- */

int vn__moments(vn_array *x, vn_array *y, vn_array *to[static VN__MOMENTS])
{
    y = vn_cast(vn__shaped_like(y, x), VN_F64);
    x = vn_cast(x, VN_F64);
    vn_array *each[VN__MOMENTS] = {x, y, vn_square(x), vn_square(y), vn_mul(x, y), vn_square(vn_sub(x, y))};
    for (int k = 0; k < VN__MOMENTS; k++) to[k] = vn_mean(each[k], VN_ALL);
    return to[VN__MOMENTS - 1] ? VN_OK : (int)vn_status();
}

/* m: the means of x, y, x^2, y^2, x y and (x - y)^2 */
static double r2(const double *m)
{
    const double spread = m[3] - m[1] * m[1];
    return spread > 0 ? 1 - m[5] / spread : NAN;
}
static double pearson(const double *m)
{
    const double spread = (m[2] - m[0] * m[0]) * (m[3] - m[1] * m[1]);
    return spread > 0 ? (m[4] - m[0] * m[1]) / sqrt(spread) : NAN;
}
static double concordance(const double *m)
{
    const double apart = m[0] - m[1], spread = m[2] - m[0] * m[0] + m[3] - m[1] * m[1] + apart * apart;
    return spread > 0 ? 2 * (m[4] - m[0] * m[1]) / spread : NAN;
}

/* ---- the table ---- */

enum { LARGER, SMALLER };
#define MEAN(function, last_function) .batch = function, .last = last_function
#define CLASS(function) .of_class = function
#define ONE_CLASS(function) .of_class = function, .one_class = true
#define MOMENTS(function) .of_moments = function
#define COUNTS(function, value_function) .batch = function, .of_counts = value_function
#define FAMILY(...)
#define OPTIONS(...)
#define LOSS(name, targets, op, options, doc)
#define METRIC(name, targets, better, how, op_name, options, doc) {VN__OF_##targets, (better) == SMALLER, #op_name, how},
static const vn__metric_row rows[] = {
    {VN__OF_CLASSES, false, NULL, MEAN(NULL, NULL)}, /* kind 0: the caller's own */
#include "train/scores.def"
};

const vn__metric_row *vn__metric_row_of(int kind)
{
    return kind >= 0 && kind < (int)(sizeof rows / sizeof *rows) ? &rows[kind] : NULL;
}
