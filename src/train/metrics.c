/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c: the loss and the metrics of a batch as lazy arrays, by name. Losses and metrics are rows of scores.def.
 * metric_values.c has what each metric computes, meter.c the sums over batches. */
#include "train/train.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/callback.h"
#include "core/dtype.h"
#include "nn/objects.h"
#include <string.h>
#include <math.h>

/* ---- shapes ---- */

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
    if (!j->classes || j->outputs || j->embeds || j->tokens) return VN_OK;
    bool one = vn__one_number(prediction, target);
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

/* ---- losses ---- */

#define FAMILY(...)
#define OPTIONS(...)
#define METRIC(name, targets, better, how, op, options, doc)
#define LOSS(name, targets, op, options, doc) {VN__OF_##targets, #op},
static const struct { /* by the kind of a vn_loss */
    vn__target of;
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
    const vn__object_row *info = j->loss.kind ? vn__object_number(&vn__family_loss, j->loss.kind) : NULL;
    return info ? vn__object_text(j->who, &vn__family_loss, info->name, options, vn__options_of(info, j->loss.value, options)) : NULL;
}

bool vn__scorer_takes_weights(const vn__scorer *j)
{
    return j->loss.kind && losses[j->loss.kind].of == VN__OF_CLASSES;
}

bool vn__scorer_has_rows(const vn__scorer *j)
{
    return j->loss.kind && losses[j->loss.kind].of != VN__OF_EMBEDDINGS;
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

/* The mean over rows of their own means times their weights. */
static vn_array *weighted_mean(const vn__scorer *j, vn_array *z, vn_array *weights)
{
    const int64_t rows = vn_dim(weights, 0);
    if (vn_rank(z) < 1 || vn_dim(z, 0) != rows)
        return vn__fail(VN_E_ARG, "%s: rows have weights, but the loss %s is one number for a whole batch", j->who, vn__loss_text(j)), NULL;
    weights = vn__on_engine(weights, vn_engine_of(z));
    z = vn_mean(vn_reshape(z, VN_SHAPE(rows, -1)), VN_AXES(1));
    return z && weights ? vn_mean(vn_mul(z, vn_cast(weights, vn_dtype_of(z))), VN_ALL) : NULL;
}

/* The mean of the loss's op. */
static vn_array *table_loss(const vn__scorer *j, vn_array *x, vn_array *y, vn_array *weights)
{
    const vn_loss *l = &j->loss;
    vn_option options[VN__SCORE_OPTIONS + 1];
    const vn__object_row *info = vn__object_number(&vn__family_loss, l->kind);
    vn_array *in[] = {x, y, NULL}, *z = NULL;
    if (j->weights && !(in[2] = weights_for(j, x))) return NULL;
    const bool numbers = losses[l->kind].of == VN__OF_NUMBERS || losses[l->kind].of == VN__OF_EITHER;
    if (numbers) in[1] = vn__shaped_like(y, x);
    if (numbers && in[1] && vn__is(vn_dtype_of(y), VN_INTS)) in[1] = vn_cast(in[1], vn_dtype_of(x));
    int n = vn__options_of(info, l->value, options);
    if (weights) options[n++] = (vn_option){.name = "reduction", .kind = VN_OPT_STRING, .u.s = "none"};
    vn_call(losses[l->kind].op, in, in[2] ? 3 : 2, options, n, &z, 1);
    return z && weights ? weighted_mean(j, z, weights) : z;
}

vn_array *vn__scorer_loss(vn__scorer *j, vn_array *prediction, vn_array *y, vn_array *weights)
{
    if (settle_outputs(j, prediction, y)) return NULL;
    if (j->loss.kind) {
        bool each = vn__one_number(prediction, y), wide = losses[j->loss.kind].of == VN__OF_CLASSES;
        if (losses[j->loss.kind].of == VN__OF_EMBEDDINGS) return table_loss(j, prediction, y, NULL);
        if (wide && each) return misfit(j, prediction, y, "this loss needs a last axis of classes; bce takes one number"), NULL;
        if (!wide && !each) return misfit(j, prediction, y, "as many numbers are needed"), NULL;
        return table_loss(j, prediction, y, weights);
    }
    vn_array *const given[] = {prediction, vn__one_number(prediction, y) ? vn__shaped_like(y, prediction) : y};
    vn__call c;
    if (!given[1] || !vn__call_begin(&c, 2, given)) return NULL;
    vn_array *loss = (vn_array *)vn__call_result(&c, j->loss_fn(given[0], given[1], j->loss_user), VN__ARRAY, j->who);
    if (loss && vn_size(loss) != 1)
        return vn__fail(VN_E_NOT_SCALAR, "%s: the loss function gives %lld numbers", j->who, (long long)vn_size(loss)), NULL;
    return loss && vn_rank(loss) ? vn_reshape(loss, VN_0D) : loss;
}

/* ---- metrics ---- */

static const vn__metric_row *row_of(const vn__score *s)
{
    return vn__metric_row_of(s->metric.made.kind);
}

bool vn__score_smaller(const vn__scorer *j, int score)
{
    const vn__score *s = &j->scores[score];
    return score == 0 || (s->metric.made.kind ? row_of(s)->smaller : s->metric.smaller != 0);
}

/* ---- names ---- */

static int fits_target(const vn__scorer *j, const char *name, vn__target of)
{
    if (of == VN__OF_EITHER || (of != VN__OF_NUMBERS) == (j->classes > 0)) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: %s needs %s as targets, the data has %s", j->who, name, of != VN__OF_NUMBERS ? "classes" : "numbers",
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

/* "top5", "precision_micro", "precision_at_recall_0.8": the name, k, and what is not a default. */
static void name_score(vn__score *s, const vn__object_row *info)
{
    size_t n = (size_t)snprintf(s->name, sizeof s->name, "%s", info->name);
    for (int k = 0; k < info->n_options && n < sizeof s->name; k++) {
        const vn_op_option *o = &info->options[k];
        const double x = s->metric.made.value[k];
        char number[32];
        vn__number_short(x, number);
        const char *text = o->texts ? o->texts[(int)x] : number;
        if (!strcmp(o->name, "k")) n += (size_t)snprintf(s->name + n, sizeof s->name - n, "%s", text);
        else if (o->texts ? x > 0 : !o->fallback || strcmp(text, o->fallback) != 0)
            n += (size_t)snprintf(s->name + n, sizeof s->name - n, "_%s", text);
    }
}

/* A metric of the table. */
static int add_made(vn__scorer *j, const vn_metric *m)
{
    vn__score s = {.metric = {.made = *m}};
    if (vn__check_made(j->who, "a metric", m->kind)) return vn_status();
    const vn__metric_row *row = vn__metric_row_of(m->kind);
    if (!row || !m->kind) return vn__fail(VN_E_ARG, "%s: not a valid metric", j->who);
    name_score(&s, vn__object_number(&vn__family_metric, m->kind));
    int code = fits_target(j, s.name, row->of);
    if (!code && j->embeds)
        code = vn__fail(VN_E_ARG, "%s: %s, but with this loss the network gives embeddings, not classes", j->who, s.name);
    if (!code && row->of_class) j->matrix = true, j->tokens = false;
    if (!code && row->of_moments) j->moments = true;
    if (!code && row->of_class && j->classes > VN__MAX_MATRIX)
        code = vn__fail(VN_E_ARG, "%s: %s of %lld classes; %d are allowed", j->who, s.name, (long long)j->classes, VN__MAX_MATRIX);
    return code ? code : add_score(j, s);
}

static int add_named(vn__scorer *j, const char *text, size_t n)
{
    vn_metric m = {.kind = 0};
    char copy[VN__OBJECT_TEXT + 1]; /* one more than a text may have, so that a longer one is refused */
    snprintf(copy, sizeof copy, "%.*s", (int)(n < sizeof copy ? n : sizeof copy - 1), text);
    int code = vn__object_of_text(j->who, &vn__makers_metric, copy, &m, NULL);
    return code ? code : add_made(j, &m);
}

static int add_list(vn__scorer *j, const char *names)
{
    if (!names) names = j->embeds ? "none" : j->classes ? "accuracy" : "mae";
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
    if (!j->loss.kind && vn__object_of_text(j->who, &vn__makers_loss, text, &j->loss, NULL)) return vn_status();
    if (vn__check_made(j->who, "the loss", j->loss.kind)) return vn_status();
    if (j->loss.kind >= N_LOSSES) return vn__fail(VN_E_ARG, "%s: not a valid loss", j->who);
    j->embeds = losses[j->loss.kind].of == VN__OF_EMBEDDINGS;
    if (j->embeds) j->matrix = false;
    return fits_target(j, vn__object_number(&vn__family_loss, j->loss.kind)->name, losses[j->loss.kind].of);
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

/* The mean of the metric's op. */
static vn_array *table_metric(const vn_metric *m, vn_array *x, vn_array *y)
{
    const vn__metric_row *row = vn__metric_row_of(m->kind);
    vn_option options[VN__SCORE_OPTIONS];
    vn_array *in[] = {x, row->of == VN__OF_NUMBERS ? vn__shaped_like(y, x) : y}, *z = NULL;
    vn_call(row->op, in, 2, options, vn__options_of(vn__object_number(&vn__family_metric, m->kind), m->value, options), &z, 1);
    return z;
}

static vn_array *metric_of(const vn__scorer *j, const vn__score *s, vn_array *prediction, vn_array *y)
{
    const vn_own_metric *m = &s->metric;
    const vn__metric_row *row = row_of(s);
    if (!m->made.kind) return own_metric(j, m, prediction, vn__one_number(prediction, y) ? vn__shaped_like(y, prediction) : y);
    const vn_code before = vn_status();
    vn_array *z = row->batch ? row->batch(prediction, y, m->made.value) : table_metric(&m->made, prediction, y);
    if (!z && !before) vn__fail_in(s->name);
    return z;
}

/* Of a batch: what each metric is computed from. */
static int score_metrics(const vn__scorer *j, vn_array *prediction, vn_array *y, vn__batch_scores *v)
{
    for (int i = 1; i < j->n; i++) {
        const vn__metric_row *row = row_of(&j->scores[i]);
        if (row->of_class || row->of_moments) continue;
        vn_array *z = metric_of(j, &j->scores[i], prediction, y);
        if (!z) return vn_status();
        *(row->of_counts ? &v->counts[i] : &v->score[i]) = vn_keep(z);
    }
    vn_array *moments[VN__MOMENTS] = {NULL};
    int code = j->moments ? vn__moments(prediction, y, moments) : VN_OK;
    for (int k = 0; k < VN__MOMENTS && j->moments && !code; k++) v->score[j->n + k] = vn_keep(moments[k]);
    return code;
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
        code = prediction ? score_metrics(j, prediction, y, v) : (int)vn_status();
        if (!code && j->matrix) {
            int64_t n = vn_size(y);
            vn_array *classes = vn__predicted_class(prediction, y);
            vn_array *m = vn_confusion_matrix(vn_reshape(classes, VN_SHAPE(n)), vn_reshape(y, VN_SHAPE(n)), j->outputs);
            if (m) v->matrix = vn_keep(m);
            else code = vn_status();
        }
    }
    if (!code) code = vn_status(); /* the block is not run if memory runs out */
    if (code) vn__batch_scores_drop(v);
    return code;
}

int vn__batch_scores_list(const vn__batch_scores *v, vn_array *to[static VN__MAX_ARRAYS])
{
    int n = 0;
    for (int i = 0; i < VN__MAX_VALUES; i++)
        if (v->score[i]) to[n++] = v->score[i];
    for (int i = 0; i < VN__MAX_SCORES; i++)
        if (v->counts[i]) to[n++] = v->counts[i];
    if (v->matrix) to[n++] = v->matrix;
    return n;
}

void vn__batch_scores_drop(vn__batch_scores *v)
{
    vn_array *all[VN__MAX_ARRAYS];
    for (int n = vn__batch_scores_list(v, all); n > 0; n--) vn_drop(all[n - 1]);
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
    const bool one = vn__one_number(prediction, y);
    j->tokens = vn__is(vn_dtype_of(prediction), VN_INTS) && vn_rank(prediction) == 2 && vn_rank(y) == 2;
    if (vn__is(vn_dtype_of(y), VN_INTS)) j->classes = one ? 2 : vn_rank(prediction) ? vn_dim(prediction, -1) : 0;
    return true;
}

static vn_array *loss_of(const char *who, const vn_evaluate_opts *o, const void *loss, vn_array *prediction, vn_array *y)
{
    vn__scorer j;
    return scorer_for(&j, who, loss, prediction, y) && !find_loss(&j, o) ? vn__scorer_loss(&j, prediction, y, NULL) : NULL;
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
    vn__meter_free(&m);
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
