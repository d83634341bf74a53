/* SPDX-License-Identifier: Apache-2.0 */
/* fit.c: the training loop: epochs, events, files, the end. step.c computes a step; ranks.c keeps several processes together. */
#include "train/train.h"
#include "base/minmax.h"
#include "base/floats.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/callback.h"
#include "nn/nn.h"
#include "os/clock.h"
#include <string.h>
#include <math.h>

static const char who[] = "fit";

const char *vn_fit_stop_name(int stop)
{
    static const char *const names[] = {"done", "early", "callback", "interrupted"};
    return stop >= 0 && stop < (int)(sizeof names / sizeof *names) ? names[stop] : "unknown";
}

int vn__history_room(vn__fit *f, int64_t epochs)
{
    if (epochs <= f->capacity) return VN_OK;
    size_t row = (size_t)vn__row_size(f) * sizeof *f->history;
    int64_t capacity = epochs + epochs / 2 + 16;
    if (epochs > INT32_MAX) return vn__fail(VN_E_ARG, "%s: a history of %lld epochs", who, (long long)epochs);
    double *grown = vn__grow(f->history, (size_t)f->capacity * row, (size_t)capacity * row);
    if (!grown) return vn__no_memory(who);
    f->history = grown, f->capacity = capacity;
    return VN_OK;
}

/* ---- progress events ---- */

/* Rows of the current epoch seen so far. */
static int64_t rows_seen(const vn__fit *f)
{
    int64_t seen = f->batch * f->o.batch;
    return vn__min(seen, f->rows);
}

/* Estimated seconds of the remaining epochs, from the last full epoch or the current speed. */
static double later_epochs(const vn__fit *f, const vn_fit_event *e)
{
    double each = f->epoch_seconds > 0 ? f->epoch_seconds : (double)f->rows / e->speed;
    return e->epoch < e->epochs ? (double)(e->epochs - e->epoch) * each : 0;
}

static void look_at_step(const vn__fit *f, vn_fit_event *e)
{
    double here = vn__clock() - f->epoch_started;
    e->epoch = f->epoch + 1, e->batch = f->batch, e->seen = rows_seen(f), e->seconds = f->before + here;
    e->speed = here > 0 ? (double)(e->seen - f->epoch_first) / here : 0;
    e->left = e->speed > 0 ? (double)(e->rows - e->seen) / e->speed + later_epochs(f, e) : NAN;
}

static void look_at_epoch(const vn__fit *f, vn_fit_event *e)
{
    e->epoch = f->epoch, e->batch = f->batches, e->seen = f->rows, e->speed = f->speed;
    e->seconds = vn__row_at(f, f->epoch - 1)[VN__ROW_SECONDS];
    e->left = later_epochs(f, e);
}

/* At the beginning and end: the unfinished epoch, otherwise the last finished one. */
static void look_between(const vn__fit *f, vn_fit_event *e)
{
    bool end = e->moment == VN_FIT_END, inside = f->batch || (!end && f->epoch < f->o.epochs);
    e->epoch = f->epoch + inside, e->batch = f->batch, e->seen = rows_seen(f);
    e->seconds = end ? vn__clock() - f->started : 0;
    e->stop = end ? f->stop : VN_STOP_DONE;
    e->left = end ? 0 : NAN;
}

/* Scores of the current epoch after a step, otherwise of the last finished one. */
static int scores_now(const vn__fit *f, int moment, vn_score *to)
{
    bool running = moment == VN_FIT_STEP;
    int n = running ? f->scorer.n : moment != VN_FIT_BEGIN && f->epoch ? f->n_scores : 0;
    for (int i = 0; i < n; i++) {
        double value = running ? vn__meter_value(&f->meter, &f->scorer, i) : vn__row_at(f, f->epoch - 1)[VN__ROW_SCORES + i];
        to[i] = (vn_score){f->names[i], value};
    }
    return n;
}

static int call_one(vn__fit *f, vn_fit_fn fn, void *user, const vn_fit_event *e)
{
    if (!fn) return VN_OK;
    vn__call c;
    if (!vn__call_begin(&c, 1, &e->module)) return vn_status();
    int wish = fn(e, user), code = vn__call_check(&c, "fit");
    vn__call_end(&c);
    if (code) return code;
    if (wish && !f->stopping) f->stopping = true, f->stop = VN_STOP_CALLBACK;
    return VN_OK;
}

static int tell(vn__fit *f, int moment, bool best)
{
    if (!f->o.progress && !f->o.watch) return VN_OK;
    vn_score scores[2 * VN__MAX_SCORES];
    vn_fit_event e = {.size = sizeof e, .moment = moment, .epochs = f->o.epochs, .batches = f->batches, .rows = f->rows, .step = f->step};
    e.loss = moment == VN_FIT_STEP ? f->loss : NAN;
    e.lr = f->lr, e.best = best, e.module = f->module, e.scores = scores, e.n_scores = scores_now(f, moment, scores);
    if (moment == VN_FIT_STEP) look_at_step(f, &e);
    else if (moment == VN_FIT_EPOCH) look_at_epoch(f, &e);
    else look_between(f, &e);
    int code = call_one(f, f->o.progress, f->o.progress_user, &e);
    return code ? code : call_one(f, f->o.watch, f->o.watch_user, &e);
}

/* ---- a step ---- */

static int one_step(vn__fit *f)
{
    VN_SCOPE;
    int code = vn__fit_step(f);
    if (!code) f->batch++, f->step++, code = tell(f, VN_FIT_STEP, false);
    if (!f->stopping && vn_stop_requested()) f->stopping = true, f->stop = VN_STOP_INTERRUPTED;
    return vn__fit_agree(f, code);
}

/* ---- an epoch ---- */

/* The order of an epoch's rows depends only on the seed and the epoch number. */
static int make_order(vn__fit *f)
{
    int64_t n = vn__dataset_of(f->train)->n;
    if (f->o.no_shuffle) return VN_OK;
    VN_SCOPE;
    int64_t number = f->epoch + 1;
    vn_array *key = vn_random_fold(vn_random_key_of(f->o.seed), vn_from_host(&number, VN_I64, VN_0D));
    return vn_read(vn_permutation(key, n), f->order, (size_t)n * sizeof *f->order);
}

static bool is_better(const vn__fit *f, double value)
{
    if (isnan(value)) return false;
    return !f->best_epoch || (f->smaller ? value < f->best - f->o.min_delta : value > f->best + f->o.min_delta);
}

static int record_epoch(vn__fit *f)
{
    int code = vn__history_room(f, f->epoch + 1);
    if (code) return code;
    double *row = vn__row_at(f, f->epoch);
    row[VN__ROW_STEP] = (double)f->step, row[VN__ROW_LR] = f->lr;
    row[VN__ROW_SECONDS] = round((f->before + vn__clock() - f->epoch_started) * 1e6) / 1e6;
    for (int i = 0; i < f->scorer.n; i++) row[VN__ROW_SCORES + i] = vn__meter_value(&f->meter, &f->scorer, i);
    for (int i = 0; i < f->n_scores - f->scorer.n; i++)
        row[VN__ROW_SCORES + f->scorer.n + i] = vn__meter_value(&f->test_meter, &f->test_scorer, i);
    f->epoch++, f->batch = 0, f->before = 0;
    f->epoch_seconds = row[VN__ROW_SECONDS];
    vn__meter_reset(&f->meter);
    return VN_OK;
}

/* The result, in the innermost scope. */
static int give(const vn__fit *f, vn_fit_result *to)
{
    size_t n = (size_t)f->epoch, all = (size_t)f->n_scores;
    char *names = vn__scope_memory(sizeof f->names, who);
    vn_score *scores = names ? vn__scope_memory((n * all + 1) * sizeof *scores, who) : NULL;
    vn_epoch *epochs = scores ? vn__scope_memory((n + 1) * sizeof *epochs, who) : NULL;
    if (!epochs) return vn_status();
    memcpy(names, f->names, sizeof f->names);
    for (size_t k = 0; k < n; k++) {
        const double *row = vn__row_at(f, (int64_t)k);
        for (size_t i = 0; i < all; i++) scores[k * all + i] = (vn_score){names + i * sizeof f->names[0], row[VN__ROW_SCORES + i]};
        epochs[k] =
            (vn_epoch){(int64_t)k + 1, (int64_t)row[VN__ROW_STEP], row[VN__ROW_LR], row[VN__ROW_SECONDS], scores + k * all, f->n_scores};
    }
    vn_fit_result r = {.size = to->size, .stop = f->stop, .epochs = f->epoch, .steps = f->step, .best_epoch = f->best_epoch};
    r.best = f->best_epoch ? f->best : NAN, r.history = epochs, r.n_history = f->epoch, r.resumed = f->resumed;
    memcpy(to, &r, to->size < sizeof r ? to->size : sizeof r);
    return VN_OK;
}

/* The report, with all epochs so far: after the first one, then at most once a second, and at the end. */
static int write_report(vn__fit *f, bool end)
{
    const double now = vn__clock();
    if (!f->o.report || (!end && f->reported > 0 && now - f->reported < 1)) return VN_OK;
    f->reported = now;
    VN_SCOPE;
    vn_fit_result r = {.size = sizeof r};
    const int code = give(f, &r);
    return code ? code : vn__fit_report(f, &r, end);
}

static int finish_epoch(vn__fit *f)
{
    int code = record_epoch(f);
    if (code) return code;
    double value = vn__row_at(f, f->epoch - 1)[VN__ROW_SCORES + f->monitor];
    bool better = is_better(f, value);
    if (better) f->best = value, f->best_epoch = f->epoch;
    code = vn__fit_plateau(f);
    if (!code && better && f->o.best) code = vn__fit_save(f, f->o.best);
    if (!code) code = vn__log_epoch(f);
    if (!code && f->o.checkpoint && (f->epoch % f->o.checkpoint_every == 0)) {
        code = vn__fit_save(f, f->o.checkpoint);
        f->saved = f->step;
    }
    if (!code && f->epoch < f->o.epochs) code = write_report(f, false);
    if (!code) code = tell(f, VN_FIT_EPOCH, better);
    if (!code && !f->stopping && vn__fit_early(f)) f->stopping = true, f->stop = VN_STOP_EARLY;
    return code;
}

static int run_epoch(vn__fit *f)
{
    f->epoch_started = vn__clock();
    f->epoch_first = rows_seen(f);
    int code = make_order(f);
    if (!code) code = vn_module_train(f->module, 1);
    code = vn__fit_agree(f, code);
    while (!code && f->batch < f->batches && !f->stopping) code = one_step(f);
    double seconds = vn__clock() - f->epoch_started;
    f->speed = seconds > 0 ? (double)(rows_seen(f) - f->epoch_first) / seconds : 0;
    if (code || f->stopping) {
        f->before += seconds;
        return code;
    }
    bool stopped = false;
    code = vn__fit_agree(f, vn__fit_average(f));
    if (!code && f->test) {
        vn__meter_reset(&f->test_meter);
        code = vn__evaluate_data(f->module, f->test, f->o.batch, &f->test_scorer, &f->test_meter, f->group, &stopped);
    }
    if (stopped) f->stopping = true, f->stop = VN_STOP_INTERRUPTED, f->before += vn__clock() - f->epoch_started;
    if (!code && !stopped) code = finish_epoch(f);
    const int back = vn__fit_train(f);
    code = vn__fit_agree(f, code ? code : back);
    return code ? code : vn__fit_same(f, false);
}

/* ---- the training ---- */

/* Restores the best epoch's variables, but not the random state. */
static int restore_best(vn__fit *f)
{
    if (!f->o.restore_best || !f->best_epoch) return VN_OK;
    VN_SCOPE;
    uint64_t random[2];
    vn_random_state(random);
    vn_checkpoint c = {.size = sizeof c, .module = f->module};
    vn__fit_file file;
    int code = vn__fit_share(f, f->o.best, &file);
    if (!code) code = vn_checkpoint_load(file.path, &c);
    vn__fit_unshare(&file);
    return code ? code : vn_random_set_state(random);
}

static int run(vn__fit *f)
{
    int code = f->o.resume ? vn__fit_load(f, f->o.checkpoint) : VN_OK;
    if (!code) code = vn__fit_plateau(f);
    code = vn__fit_agree(f, code);
    if (!code) code = vn__fit_same(f, true);
    if (!code) code = vn__log_begin(f);
    f->saved = f->resumed || f->batch ? f->step : -1;
    f->started = f->epoch_started = vn__clock();
    if (!code) code = tell(f, VN_FIT_BEGIN, false);
    if (!f->stopping && vn__fit_early(f)) f->stopping = true, f->stop = VN_STOP_EARLY;
    if (!f->stopping && vn_stop_requested()) f->stopping = true, f->stop = VN_STOP_INTERRUPTED;
    code = vn__fit_agree(f, code);
    while (!code && !f->stopping && f->epoch < f->o.epochs) code = run_epoch(f);
    if (!code) code = vn__fit_average(f);
    if (!code && f->o.checkpoint && f->saved != f->step) code = vn__fit_save(f, f->o.checkpoint);
    code = vn__fit_agree(f, code);
    if (!code) code = restore_best(f);
    if (!code) code = vn__fit_end_average(f);
    if (!code) code = tell(f, VN_FIT_END, false);
    return vn__fit_agree(f, code);
}

static int run_and_report(vn__fit *f, vn_module *m, vn_dataset *data, const vn_fit_opts *opts)
{
    VN_SCOPE; /* objects of the training: a default optimizer, parts of the data */
    int code = vn__fit_agree(f, vn__fit_begin(f, m, data, opts));
    if (code) return code;
    int training = vn_module_training(m);
    code = run(f);
    vn__optim_scale_rates(f->optim, 1);
    vn__dataset_rest(f->train);
    if (!code) code = write_report(f, true);
    code = vn__fit_agree(f, code);
    vn_module_train(m, training);
    return code;
}

int vn_fit(vn_module *m, vn_dataset *data, const vn_fit_opts *opts, vn_fit_result *result)
{
    return vn__fit_all(m, data, opts, result, false);
}

int vn__fit_all(vn_module *m, vn_dataset *data, const vn_fit_opts *opts, vn_fit_result *result, bool finding)
{
    VN__FLOATS;
    if (!vn__check(m, VN__MODULE, who, "m") || !vn__check(data, VN__DATASET, who, "data")) return vn_status();
    if (result && !result->size) return vn__fail(VN_E_ARG, "%s: size of the result is 0; it must be sizeof(vn_fit_result)", who);
    vn__fit *f = vn__calloc(sizeof *f);
    if (!f) return opts && opts->group ? vn__group_no_memory(who) : vn__no_memory(who);
    f->finding = finding;
    int code = run_and_report(f, m, data, opts);
    if (!code && result) code = give(f, result);
    vn__fit_train(f); /* after an error: the last step */
    vn__free(f->order), vn__free(f->owner), vn__free(f->history), vn__meter_free(&f->meter), vn__meter_free(&f->test_meter);
    vn__free(f);
    return code;
}
