/* metrics.c: the loss and the metrics of a batch as lazy arrays, and their sums over an epoch. Losses and metrics are rows of scores.def.
 * Metrics that are not means over batches (precision, recall, f1) come from the confusion matrix, whose counts are exact. */
#include "train/train.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/callback.h"
#include "core/dtype.h"
#include "nn/objects.h"
#include <ctype.h>
#include <string.h>
#include <math.h>

/* ---- shapes ---- */

/* The number of classes of a prediction: its last axis, or two if it has one number per target. */
static bool one_number(const vn_array *prediction, const vn_array *target)
{
    return vn_size(prediction) == vn_size(target);
}

static vn_array *shaped_like(vn_array *x, const vn_array *like)
{
    return vn_rank(x) == vn_rank(like) ? x : vn_reshape(x, vn_shape_of(like));
}

static int misfit(const vn__scorer *j, const vn_array *prediction, const vn_array *target, const char *need)
{
    char s[128], t[128];
    vn_shape a = vn_shape_of(prediction), b = vn_shape_of(target);
    return vn__fail(VN_E_SHAPE, "%s: the network gives %s for targets %s; %s", j->who, vn__shape_text(a.rank, a.dim, s),
                    vn__shape_text(b.rank, b.dim, t), need);
}

/* What the first batch determines. */
static int settle_outputs(vn__scorer *j, const vn_array *prediction, const vn_array *target)
{
    if (!j->classes || j->outputs) return VN_OK;
    bool one = one_number(prediction, target);
    int64_t outputs = one ? 2 : vn_rank(prediction) < 1 ? 0 : vn_dim(prediction, -1);
    char need[160], label[80] = "";
    if (j->last_class >= 0)
        snprintf(label, sizeof label, " (the label of row %lld is %lld)", (long long)j->last_class, (long long)j->classes - 1);
    snprintf(need, sizeof need, "%lld classes%s need a last axis of as many", (long long)j->classes, label);
    if (outputs < j->classes || (!one && vn_rank(prediction) != vn_rank(target) + 1)) return misfit(j, prediction, target, need);
    j->outputs = outputs;
    j->matrix = j->matrix && outputs <= VN__MAX_MATRIX;
    return VN_OK;
}

static vn_array *predicted_class(vn_array *prediction, vn_array *target)
{
    if (!one_number(prediction, target)) return vn_argmax(prediction, VN_AXES(-1));
    return vn_cast(shaped_like(vn_greater(prediction, vn_scalar(0)), target), VN_I64);
}

/* ---- losses ---- */

typedef enum { CLASSES, NUMBERS, EITHER } target;
#define FAMILY(...)
#define OPTIONS(...)
#define METRIC(name, targets, better, batch, class, last, op, options, doc)
#define LOSS(name, targets, op, options, doc) {targets, #op},
static const struct { /* by the kind of a vn_loss */
    target of;
    const char *op;
} losses[] = {
    {0, NULL},
#include "train/scores.def"
};
#undef LOSS
#undef METRIC
enum { N_LOSSES = sizeof losses / sizeof *losses };

const char *vn__loss_text(const vn__scorer *j)
{
    vn_option options[VN__SCORE_OPTIONS];
    const vn_op_info *info = j->loss.kind ? vn__object_number("loss", j->loss.kind) : NULL;
    return info ? vn_object_text("loss", info->name, options, vn__options_of(info, j->loss.value, options)) : NULL;
}

bool vn__scorer_takes_weights(const vn__scorer *j)
{
    return j->loss.kind && losses[j->loss.kind].of == CLASSES;
}

/* One weight for each output, on the engine of x; outputs that the data has no class for have 1. */
static vn_array *weights_for(const vn__scorer *j, const vn_array *x)
{
    float *all = vn__alloc((size_t)j->outputs * sizeof *all);
    if (!all) return vn__no_memory(j->who), NULL;
    for (int64_t i = 0; i < j->outputs; i++) all[i] = i < j->classes ? j->weights[i] : 1;
    vn_array *w = vn_from(all, VN_SHAPE(j->outputs));
    vn__free(all);
    if (w && vn_dtype_of(x) != VN_F32) w = vn_cast(w, vn_dtype_of(x));
    return w && strcmp(vn_engine_of(w), vn_engine_of(x)) != 0 ? vn_to(w, vn_engine_of(x)) : w;
}

/* The mean of the loss's op. */
static vn_array *table_loss(const vn__scorer *j, vn_array *x, vn_array *y)
{
    const vn_loss *l = &j->loss;
    vn_option options[VN__SCORE_OPTIONS];
    const vn_op_info *info = vn__object_number("loss", l->kind);
    vn_array *in[] = {x, y, NULL}, *z = NULL;
    if (j->weights && !(in[2] = weights_for(j, x))) return NULL;
    if (losses[l->kind].of != CLASSES) in[1] = shaped_like(y, x);
    if (losses[l->kind].of != CLASSES && in[1] && vn__is(vn_dtype_of(y), VN_INTS)) in[1] = vn_cast(in[1], vn_dtype_of(x));
    vn_call(losses[l->kind].op, in, in[2] ? 3 : 2, options, vn__options_of(info, l->value, options), &z, 1);
    return z;
}

vn_array *vn__scorer_loss(vn__scorer *j, vn_array *prediction, vn_array *y)
{
    if (settle_outputs(j, prediction, y)) return NULL;
    if (j->loss.kind) {
        bool each = one_number(prediction, y), wide = losses[j->loss.kind].of == CLASSES;
        if (wide && each) return misfit(j, prediction, y, "cross_entropy needs a last axis of classes; bce takes one number"), NULL;
        if (!wide && !each) return misfit(j, prediction, y, "as many numbers are needed"), NULL;
        return table_loss(j, prediction, y);
    }
    vn_array *const given[] = {prediction, one_number(prediction, y) ? shaped_like(y, prediction) : y};
    vn__call c;
    if (!given[1] || !vn__call_begin(&c, 2, given)) return NULL;
    vn_array *loss = (vn_array *)vn__call_result(&c, j->loss_fn(given[0], given[1], j->loss_user), VN__ARRAY, j->who);
    if (loss && vn_size(loss) != 1)
        return vn__fail(VN_E_NOT_SCALAR, "%s: the loss function gives %lld numbers", j->who, (long long)vn_size(loss)), NULL;
    return loss && vn_rank(loss) ? vn_reshape(loss, VN_0D) : loss;
}

/* ---- metrics ---- */

static vn_array *accuracy(vn_array *x, vn_array *y, const double *value)
{
    (void)value;
    if (!one_number(x, y)) return vn_accuracy(x, y);
    return vn_mean(vn_cast(vn_equal(predicted_class(x, y), y), VN_F32), VN_ALL);
}
static vn_array *top_k(vn_array *x, vn_array *y, const double *value)
{
    return vn_top_k_accuracy(x, y, (int64_t)value[0]);
}
static vn_array *mean_square(vn_array *x, vn_array *y, const double *value)
{
    (void)value;
    return vn_mse_loss(x, shaped_like(y, x), VN_NONE, NULL);
}
static vn_array *mean_absolute(vn_array *x, vn_array *y, const double *value)
{
    (void)value;
    return vn_mae_loss(x, shaped_like(y, x), VN_NONE, NULL);
}

/* One class of a confusion matrix: hits, predictions and true occurrences. */
typedef struct {
    double hits, predicted, actual;
} counts;
static counts count_class(const int64_t *m, int64_t n, int64_t c)
{
    counts k = {.hits = (double)m[c * n + c]};
    for (int64_t i = 0; i < n; i++) k.predicted += (double)m[i * n + c], k.actual += (double)m[c * n + i];
    return k;
}
static double precision(counts c)
{
    return c.predicted > 0 ? c.hits / c.predicted : 0;
}
static double recall(counts c)
{
    return c.actual > 0 ? c.hits / c.actual : 0;
}
static double f1(counts c)
{
    return c.predicted + c.actual > 0 ? 2 * c.hits / (c.predicted + c.actual) : 0;
}
enum { MACRO, MICRO, WEIGHTED }; /* as the texts of OPTIONS(metric_score) */
static double averaged(const int64_t *m, int64_t n, double (*of)(counts), int average)
{
    double sum = 0, weights = 0;
    counts all = {0};
    for (int64_t c = 0; c < n; c++) {
        const counts k = count_class(m, n, c);
        const double weight = average == WEIGHTED ? k.actual : 1;
        all = (counts){all.hits + k.hits, all.predicted + k.predicted, all.actual + k.actual};
        sum += weight * of(k);
        weights += weight;
    }
    return average == MICRO ? of(all) : weights > 0 ? sum / weights : 0;
}

enum { LARGER, SMALLER };
#define LOSS(name, targets, op, options, doc)
#define METRIC(name, targets, better, batch, class, last, op, options, doc) {targets, (better) == SMALLER, batch, class, last},
static const struct { /* by the kind of a vn_metric */
    target of;
    bool smaller;
    vn_array *(*mean)(vn_array *x, vn_array *y, const double *value); /* for a batch; NULL: from the matrix */
    double (*count)(counts c);
    double (*last)(double x); /* applied to the mean of all batches; NULL: the mean itself */
} metrics[] = {
    {0, false, NULL, NULL, NULL},
#include "train/scores.def"
};
enum { N_METRICS = sizeof metrics / sizeof *metrics };

bool vn__score_smaller(const vn__scorer *j, int score)
{
    const vn__score *s = &j->scores[score];
    return score == 0 || (s->metric.made.kind ? metrics[s->metric.made.kind].smaller : s->metric.smaller != 0);
}

/* ---- names ---- */

static int fits_target(const vn__scorer *j, const char *name, target of)
{
    if (of == EITHER || (of == CLASSES) == (j->classes > 0)) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: %s needs %s as targets, the data has %s", j->who, name, of == CLASSES ? "classes" : "numbers",
                    j->classes ? "classes" : "numbers");
}

static int add_score(vn__scorer *j, vn__score s)
{
    if (j->n == VN__MAX_SCORES) return vn__fail(VN_E_ARG, "%s: more than %d metrics", j->who, VN__MAX_SCORES - 1);
    for (int i = 0; i < j->n; i++) {
        if (!strcmp(j->scores[i].name, s.name)) return vn__fail(VN_E_ARG, "%s: the metric %s is given twice", j->who, s.name);
    }
    j->scores[j->n++] = s;
    return VN_OK;
}

/* "top5", "precision_micro": the name, a whole number that it takes, and what is not a default. */
static void name_score(vn__score *s, const vn_op_info *info)
{
    size_t n = (size_t)snprintf(s->name, sizeof s->name, "%s", info->name);
    for (int k = 0; k < info->n_options && n < sizeof s->name; k++) {
        const vn_op_option *o = &info->options[k];
        const double x = s->metric.made.value[k];
        if (!strcmp(o->type, "int")) n += (size_t)snprintf(s->name + n, sizeof s->name - n, "%lld", (long long)x);
        else if (o->texts && x > 0) n += (size_t)snprintf(s->name + n, sizeof s->name - n, "_%s", o->texts[(int)x]);
    }
}

/* A metric of the table. */
static int add_made(vn__scorer *j, const vn_metric *m)
{
    vn__score s = {.metric = {.made = *m}};
    if (vn__check_made(j->who, "a metric", m->kind)) return vn_status();
    if (m->kind < 1 || m->kind >= N_METRICS) return vn__fail(VN_E_ARG, "%s: not a valid metric", j->who);
    name_score(&s, vn__object_number("metric", m->kind));
    int code = fits_target(j, s.name, metrics[m->kind].of);
    if (!code && metrics[m->kind].count) j->matrix = true;
    if (!code && metrics[m->kind].count && j->classes > VN__MAX_MATRIX)
        code = vn__fail(VN_E_ARG, "%s: %s of %lld classes; %d are allowed", j->who, s.name, (long long)j->classes, VN__MAX_MATRIX);
    return code ? code : add_score(j, s);
}

static int add_named(vn__scorer *j, const char *text, size_t n)
{
    vn_metric m = {.kind = 0};
    char copy[512]; /* longer than a text may be */
    snprintf(copy, sizeof copy, "%.*s", (int)(n < sizeof copy ? n : sizeof copy - 1), text);
    int code = vn__object_of_text(j->who, "metric", copy, &m);
    return code ? code : add_made(j, &m);
}

static int add_list(vn__scorer *j, const char *names)
{
    if (!names) names = j->classes ? "accuracy" : "mae";
    if (!*names || vn__same_word(names, "none")) return VN_OK;
    for (const char *at = names;; at++) {
        const size_t n = vn__item_length(at);
        int code = add_named(j, at, n);
        if (code) return code;
        at += n;
        if (!*at) return VN_OK;
    }
}

static int add_own(vn__scorer *j, const vn_own_metric *m)
{
    vn__score s = {.metric = *m};
    if (m->made.kind && (m->name || m->fn)) return vn__fail(VN_E_ARG, "%s: a metric is made and of the caller's own", j->who);
    if (m->made.kind) return add_made(j, &m->made);
    if (!m->name || !m->fn) return vn__fail(VN_E_NULL, "%s: name or function of a metric is NULL", j->who);
    size_t n = strlen(m->name);
    bool good = n && n < sizeof s.name && strspn(m->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n;
    if (!good || !strncmp(m->name, "val_", 4))
        return vn__fail(VN_E_ARG, "%s: \"%.60s\" is not a valid name of a metric: up to %d letters, digits and '_', not val_", j->who,
                        m->name, VN__SCORE_NAME - 1);
    memcpy(s.name, m->name, n);
    return add_score(j, s);
}

static int find_loss(vn__scorer *j, const vn_evaluate_opts *o)
{
    j->loss_fn = o->loss_fn, j->loss_user = o->loss_user, j->loss = o->made_loss;
    if ((o->loss_fn != NULL) + (o->loss != NULL) + (o->made_loss.kind != 0) > 1)
        return vn__fail(VN_E_ARG, "%s: a loss as text, one that was made and a function; one of them is enough", j->who);
    if (o->loss_fn) return VN_OK;
    const char *text = o->loss ? o->loss : j->classes ? "cross_entropy" : "mse";
    if (!j->loss.kind && vn__object_of_text(j->who, "loss", text, &j->loss)) return vn_status();
    if (vn__check_made(j->who, "the loss", j->loss.kind)) return vn_status();
    if (j->loss.kind >= N_LOSSES) return vn__fail(VN_E_ARG, "%s: not a valid loss", j->who);
    return fits_target(j, vn__object_number("loss", j->loss.kind)->name, losses[j->loss.kind].of);
}

int vn__scorer_begin(vn__scorer *j, const vn_evaluate_opts *o, const vn__dataset *d, bool matrix, const char *who)
{
    const int64_t classes = d->classes;
    *j = (vn__scorer){
        .who = who, .classes = classes, .last_class = d->last_class, .matrix = matrix && classes > 0 && classes <= VN__MAX_MATRIX};
    j->mean = d->labels.mean, j->deviation = d->labels.deviation;
    int code = find_loss(j, o);
    if (!code) code = add_score(j, (vn__score){.name = "loss"});
    if (!code) code = add_list(j, o->metrics);
    if (!code && (o->n_own_metrics < 0 || (o->n_own_metrics && !o->own_metrics)))
        code = vn__fail(VN_E_ARG, "%s: %d metrics in a list that is %s", who, o->n_own_metrics, o->own_metrics ? "there" : "NULL");
    for (int i = 0; i < o->n_own_metrics && !code; i++) code = add_own(j, &o->own_metrics[i]);
    return code;
}

/* ---- by name ---- */

static const char *score_name(int i, void *scores)
{
    return ((const vn_score *)scores)[i].name;
}

double vn_score_of(const vn_score *scores, int n, const char *name)
{
    if (!name || (n && !scores)) return vn__fail(VN_E_NULL, "score_of: %s is NULL", name ? "scores" : "the name"), NAN;
    if (!n) return NAN;
    vn__text all = {0};
    for (int i = 0; i < n; i++) {
        if (!strcmp(scores[i].name, name)) return vn__free(all.text), scores[i].value;
        vn__print(&all, "%s%s", i ? ", " : "", scores[i].name);
    }
    char near[128];
    vn__fail(VN_E_ARG, "score_of: there is no score \"%.60s\"; there are: %s%s", name, all.failed ? "others" : all.text,
             vn__did_you_mean(name, n, score_name, (void *)(uintptr_t)scores, near));
    vn__free(all.text);
    return NAN;
}

/* ---- a batch ---- */

static vn_array *own_metric(const vn__scorer *j, const vn_own_metric *m, vn_array *prediction, vn_array *y)
{
    vn_array *const given[] = {prediction, y};
    vn__call c;
    if (!y || !vn__call_begin(&c, 2, given)) return NULL;
    char who[VN__SCORE_NAME + 32];
    snprintf(who, sizeof who, "%s: metric %s", j->who, m->name);
    vn_array *z = (vn_array *)vn__call_result(&c, m->fn(prediction, y, m->user), VN__ARRAY, who);
    if (z && vn_size(z) != 1) return vn__fail(VN_E_NOT_SCALAR, "%s: it gives %lld numbers", who, (long long)vn_size(z)), NULL;
    return z;
}

static vn_array *metric_of(const vn__scorer *j, const vn__score *s, vn_array *prediction, vn_array *y)
{
    const vn_own_metric *m = &s->metric;
    if (!m->made.kind) return own_metric(j, m, prediction, one_number(prediction, y) ? shaped_like(y, prediction) : y);
    return metrics[m->made.kind].mean(prediction, y, m->made.value);
}

vn_array *vn__in_units(vn_array *x, double mean, double deviation)
{
    return deviation > 0 && x ? vn_add(vn_mul(x, vn_scalar(deviation)), vn_scalar(mean)) : x;
}

int vn__scorer_metrics(vn__scorer *j, vn_array *prediction, vn_array *y, vn__batch_scores *v)
{
    *v = (vn__batch_scores){0};
    int code = settle_outputs(j, prediction, y);
    if (code) return code;
    VN_SCOPE;
    VN_NO_GRAD {
        prediction = vn__in_units(vn_stop_gradient(prediction), j->mean, j->deviation);
        y = vn__in_units(y, j->mean, j->deviation);
        for (int i = 1; i < j->n && !code; i++) {
            if (metrics[j->scores[i].metric.made.kind].count) continue; /* from the matrix */
            vn_array *z = prediction ? metric_of(j, &j->scores[i], prediction, y) : NULL;
            if (z) v->score[i] = vn_keep(z);
            else code = vn_status();
        }
        if (!code && j->matrix) {
            int64_t n = vn_size(y);
            vn_array *classes = predicted_class(prediction, y);
            vn_array *m = vn_confusion_matrix(vn_reshape(classes, VN_SHAPE(n)), vn_reshape(y, VN_SHAPE(n)), j->outputs);
            if (m) v->matrix = vn_keep(m);
            else code = vn_status();
        }
    }
    if (code) vn__batch_scores_drop(v);
    return code;
}

int vn__batch_scores_list(const vn__scorer *j, const vn__batch_scores *v, vn_array **to)
{
    int n = 0;
    for (int i = 0; i < j->n; i++) {
        if (v->score[i]) to[n++] = v->score[i];
    }
    if (v->matrix) to[n++] = v->matrix;
    return n;
}

void vn__batch_scores_drop(vn__batch_scores *v)
{
    for (int i = 0; i < VN__MAX_SCORES; i++) vn_drop(v->score[i]);
    vn_drop(v->matrix);
    *v = (vn__batch_scores){0};
}

/* ---- one batch ---- */

/* A scorer for targets like this one; false, with the error set, if that is not possible. */
static bool scorer_for(vn__scorer *j, const char *who, const void *score, vn_array *prediction, vn_array *y)
{
    *j = (vn__scorer){.who = who, .last_class = -1};
    if (!score) return vn__fail(VN_E_NULL, "%s: the loss or metric is NULL", who), false;
    if (!vn__check(prediction, VN__ARRAY, who, "prediction") || !vn__check(y, VN__ARRAY, who, "target")) return false;
    if (!vn_size(y)) return vn__fail(VN_E_SHAPE, "%s: there are no targets", who), false;
    const bool one = one_number(prediction, y);
    if (vn__is(vn_dtype_of(y), VN_INTS)) j->classes = one ? 2 : vn_rank(prediction) ? vn_dim(prediction, -1) : 0;
    return true;
}

static vn_array *loss_of(const char *who, const vn_evaluate_opts *o, const void *loss, vn_array *prediction, vn_array *y)
{
    vn__scorer j;
    return scorer_for(&j, who, loss, prediction, y) && !find_loss(&j, o) ? vn__scorer_loss(&j, prediction, y) : NULL;
}

vn_array *vn_loss_of(const char *text, vn_array *prediction, vn_array *y)
{
    return loss_of("loss_of", &(vn_evaluate_opts){.loss = text}, text, prediction, y);
}

vn_array *vn_loss_value(const vn_loss *loss, vn_array *prediction, vn_array *y)
{
    vn_evaluate_opts o = {0};
    if (loss && !loss->kind) return vn__fail(VN_E_ARG, "loss_value: the loss was not made (vn_loss_make, vn_loss_huber ...)"), NULL;
    if (loss) o.made_loss = *loss;
    return loss_of("loss_value", &o, loss, prediction, y);
}

/* The value of the only metric of a scorer, after `code`. */
static double only_metric(vn__scorer *j, int code, vn_array *prediction, vn_array *y)
{
    vn__meter m = {0};
    vn__batch_scores v = {0};
    if (!code) code = vn__scorer_metrics(j, prediction, y, &v);
    if (!code) code = vn__meter_add(&m, j, &v, vn_size(y));
    const double value = code ? NAN : vn__meter_value(&m, j, 1);
    vn__batch_scores_drop(&v);
    vn__free(m.matrix);
    return value;
}

double vn_metric_of(const char *text, vn_array *prediction, vn_array *y)
{
    vn__scorer j;
    if (!scorer_for(&j, "metric_of", text, prediction, y)) return NAN;
    int code = add_score(&j, (vn__score){.name = "loss"});
    return only_metric(&j, code ? code : add_named(&j, text, strlen(text)), prediction, y);
}

double vn_metric_value(const vn_metric *metric, vn_array *prediction, vn_array *y)
{
    vn__scorer j;
    if (!scorer_for(&j, "metric_value", metric, prediction, y)) return NAN;
    int code = add_score(&j, (vn__score){.name = "loss"});
    return only_metric(&j, code ? code : add_made(&j, metric), prediction, y);
}

/* ---- sums ---- */

int vn__meter_matrix(vn__meter *m, const vn__scorer *j)
{
    if (m->matrix) return VN_OK;
    m->matrix = vn__calloc((size_t)(j->outputs * j->outputs) * sizeof *m->matrix);
    return m->matrix ? VN_OK : vn__no_memory(j->who);
}

int vn__meter_add(vn__meter *m, const vn__scorer *j, const vn__batch_scores *v, int64_t rows)
{
    vn_code before = vn_status();
    for (int i = 0; i < j->n; i++) {
        if (!v->score[i]) continue;
        double x = vn_item(v->score[i]);
        if (!before && vn_status()) return vn_status();
        vn_running_add(&m->score[i], x, (double)rows);
    }
    if (!v->matrix) return VN_OK;
    int code = vn__meter_matrix(m, j);
    if (code) return code;
    const int64_t *counted = vn_data(v->matrix);
    if (!counted) return vn_status();
    for (int64_t i = 0; i < j->outputs * j->outputs; i++) m->matrix[i] += counted[i];
    return VN_OK;
}

int vn__meter_join(vn__meter *m, vn__meter *from, const vn__scorer *j, const vn__group *g)
{
    const int64_t n = j->outputs * j->outputs;
    int code = vn__meter_matrix(m, j);
    if (!code) code = vn__meter_matrix(from, j);
    vn_transfer t = {.kind = VN_TRANSFER_ALL_REDUCE, .dtype = VN_I64, .count = n, .in = from->matrix, .out = from->matrix};
    if (!code) code = vn__group_move(g, &t, j->who);
    for (int64_t i = 0; i < n && !code; i++) m->matrix[i] += from->matrix[i];
    return code;
}

void vn__meter_reset(vn__meter *m, const vn__scorer *j)
{
    memset(m->score, 0, sizeof m->score);
    if (m->matrix) memset(m->matrix, 0, (size_t)(j->outputs * j->outputs) * sizeof *m->matrix);
}

double vn__meter_value(const vn__meter *m, const vn__scorer *j, int score)
{
    const vn_metric *of = &j->scores[score].metric.made;
    if (metrics[of->kind].count) return m->matrix ? averaged(m->matrix, j->outputs, metrics[of->kind].count, (int)of->value[0]) : NAN;
    double x = vn_running_value(&m->score[score]);
    return metrics[of->kind].last ? metrics[of->kind].last(x) : x;
}
