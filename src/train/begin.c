/* SPDX-License-Identifier: Apache-2.0 */
/* begin.c: checks the options of a training, fills in defaults and creates everything the loop needs. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/nn.h"
#include <string.h>
#include <math.h>

static const char who[] = "fit";

static int64_t rows_of(const vn_dataset *d)
{
    return vn__dataset_of(d)->n;
}

bool vn__fit_early(const vn__fit *f)
{
    return f->o.patience > 0 && f->epoch && f->epoch - f->best_epoch >= f->o.patience;
}

/* ---- data ---- */

static int split_off(vn__fit *f, vn_dataset *data)
{
    double part = f->o.validation_split;
    int64_t n = rows_of(data), rows = f->o.validation_rows;
    if (rows < 0) return vn__fail(VN_E_ARG, "%s: validation_rows is %lld", who, (long long)rows);
    if (!(part >= 0 && part < 1))
        return vn__fail(VN_E_ARG, "%s: validation_split is %g; the part of the rows that training leaves out is at least 0 and below 1",
                        who, part);
    if ((f->o.validation != NULL) + (rows > 0) + (part > 0) > 1)
        return vn__fail(VN_E_ARG, "%s: validation data, validation_rows and validation_split; one of them is enough", who);
    f->train = data, f->test = f->o.validation;
    if (!rows && !(part > 0)) return VN_OK;
    if (!rows) rows = (int64_t)fmax(1, fmin((double)(n - 1), nearbyint(part * (double)n)));
    return vn_dataset_split(data, rows, VN_OPTS(dataset_split, .random = part > 0, .seed = part > 0 ? f->o.seed : 0), &f->train, &f->test);
}

static int check_validation(const vn__fit *f)
{
    if (!f->test) return VN_OK;
    const vn__dataset *a = vn__dataset_whole(f->train), *b = vn__dataset_whole(f->test);
    if (!b->has_target) return vn__fail(VN_E_ARG, "%s: the validation data has no target", who);
    if ((a->classes > 0) != (b->classes > 0))
        return vn__fail(VN_E_ARG, "%s: the targets of the data are %s, those of the validation %s", who, a->classes ? "classes" : "numbers",
                        b->classes ? "classes" : "numbers");
    if (!vn__dataset_alike(f->train, f->test))
        return vn__fail(
            VN_E_ARG,
            "%s: the targets of the validation table were read in another way; load it with the schema of the data (vn_dataset_info)", who);
    if (b->classes > a->classes)
        return vn__fail(
            VN_E_ARG, "%s: the validation data has %lld classes, the data %lld; the option classes of the dataset says how many there are",
            who, (long long)b->classes, (long long)a->classes);
    return VN_OK;
}

static int begin_data(vn__fit *f, vn_dataset *data)
{
    if (!vn__dataset_whole(data)->has_target) return vn__fail(VN_E_ARG, "%s: the data has no target", who);
    if (f->o.validation && !vn__check(f->o.validation, VN__DATASET, who, "validation")) return vn_status();
    int code = split_off(f, data);
    if (!code) code = check_validation(f);
    if (code) return code;
    int64_t n = rows_of(f->train);
    if (f->o.batch > n) f->o.batch = n;
    f->batches = n / f->o.batch + (!f->o.drop_last && n % f->o.batch != 0);
    f->rows = f->o.drop_last ? f->batches * f->o.batch : n;
    f->order = f->o.no_shuffle ? NULL : vn__calloc((size_t)n * sizeof *f->order);
    return f->o.no_shuffle || f->order ? VN_OK : vn__no_memory(who);
}

/* ---- scores ---- */

static int find_monitor(vn__fit *f)
{
    const char *name = f->o.monitor ? f->o.monitor : f->test ? "val_loss" : "loss";
    while (f->monitor < f->n_scores && strcmp(f->names[f->monitor], name) != 0) f->monitor++;
    if (f->monitor == f->n_scores) {
        char list[512] = "";
        size_t at = 0;
        for (int i = 0; i < f->n_scores && at < sizeof list - 100; i++)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", f->names[i]);
        return vn__fail(VN_E_ARG, "%s: monitor is \"%.60s\"; the scores are %s", who, name, list);
    }
    f->smaller = vn__score_smaller(&f->scorer, f->monitor % f->scorer.n);
    return VN_OK;
}

static int begin_scores(vn__fit *f)
{
    vn_evaluate_opts o = {
        .size = sizeof o, .loss = f->o.loss, .made_loss = f->o.made_loss, .loss_fn = f->o.loss_fn, .loss_user = f->o.loss_user};
    o.metrics = f->o.metrics, o.own_metrics = f->o.own_metrics, o.n_own_metrics = f->o.n_own_metrics;
    const vn__dataset *d = vn__dataset_whole(f->train);
    int code = vn__scorer_begin(&f->scorer, &o, d, false, who);
    if (!code) code = vn__scorer_begin(&f->test_scorer, &o, d, true, who);
    if (code) return code;
    f->n_scores = f->scorer.n * (f->test ? 2 : 1);
    for (int i = 0; i < f->n_scores; i++) {
        char name[VN__SCORE_NAME];
        memcpy(name, f->scorer.scores[i % f->scorer.n].name, sizeof name);
        snprintf(f->names[i], sizeof f->names[i], "%s%s", i < f->scorer.n ? "" : "val_", name);
    }
    return find_monitor(f);
}

/* ---- all options ---- */

static int check_numbers(const vn_fit_opts *o)
{
    if (o->epochs < 0 || o->batch < 0 || o->patience < 0 || o->checkpoint_every < 0)
        return vn__fail(VN_E_ARG, "%s: epochs is %lld, batch %lld, patience %lld, checkpoint_every %lld; none can be below 0", who,
                        (long long)o->epochs, (long long)o->batch, (long long)o->patience, (long long)o->checkpoint_every);
    if (!(o->min_delta >= 0) || isinf(o->min_delta))
        return vn__fail(VN_E_ARG, "%s: min_delta is %g; a number of 0 or more is needed", who, o->min_delta);
    if (o->n_notes < 0 || (o->n_notes && !o->notes))
        return vn__fail(VN_E_ARG, "%s: %d notes in a list that is %s", who, o->n_notes, o->notes ? "there" : "NULL");
    if (o->resume && !o->checkpoint) return vn__fail(VN_E_ARG, "%s: resume needs the path of a checkpoint", who);
    if (o->restore_best && !o->best) return vn__fail(VN_E_ARG, "%s: restore_best needs a path for the best epoch (best)", who);
    if (o->best && o->checkpoint && !strcmp(o->best, o->checkpoint))
        return vn__fail(VN_E_ARG, "%s: checkpoint and best are the same path, %.300s", who, o->best);
    return VN_OK;
}

/* Creates the variables of a module that is built by its first call. */
static int build_module(const vn__fit *f)
{
    if (vn_module_is_built(f->module)) return VN_OK;
    VN_SCOPE;
    vn_array *x, *y;
    int64_t n;
    int code = vn__dataset_batch(f->train, NULL, 0, f->o.batch, &x, &y, &n);
    vn_tree *args = code ? NULL : vn_tree_of("x", x, NULL);
    return args && vn_module_build(f->module, args) ? VN_OK : (int)vn_status();
}

static int begin_average(vn__fit *f)
{
    const double decay = f->o.average;
    if (decay == 0) return VN_OK;
    if (vn__optim_averages(f->optim))
        return vn__fail(VN_E_ARG, "%s: average is %g, but %s averages weights itself", who, decay, vn_optim_name(f->optim));
    return vn__optim_average_is(f->optim, decay) ? VN_OK : vn_optim_keep_average(f->optim, decay);
}

/* Events go to TensorBoard's file first. Ranks but the first have no folder. */
static int begin_board(vn__fit *f)
{
    if (!f->o.tensorboard) return VN_OK;
    if (!*f->o.tensorboard) return vn__fail(VN_E_ARG, "%s: the folder for TensorBoard is empty", who);
    f->board = (vn_tensorboard){.folder = f->o.tensorboard, .next = f->o.progress, .next_user = f->o.progress_user};
    f->o.progress = vn_progress_tensorboard, f->o.progress_user = &f->board;
    return VN_OK;
}

static int check_flags(const vn_fit_opts *o)
{
    for (const vn__fit_option *k = vn__fit_options; k->name; k++) {
        vn__flag flag = {k->name, 0};
        if (k->kind != VN__FIT_FLAG) continue;
        memcpy(&flag.value, (const char *)o + k->offset, sizeof flag.value);
        if (vn__check_flags(who, 1, &flag)) return vn_status();
    }
    return VN_OK;
}

int vn__fit_begin(vn__fit *f, vn_module *m, vn_dataset *data, const vn_fit_opts *opts)
{
    vn_fit_opts *o = &f->o;
    f->module = m, f->best = NAN, f->group = vn__group_or_one(NULL);
    int code = vn__take(o, sizeof *o, opts, "fit");
    if (!code) code = VN__OBJECTS(opts, o->optim, o->validation, o->group);
    if (!code) code = vn__fit_callbacks(o);
    if (!code) code = vn__fit_ranks(f);
    if (!code) code = vn__fit_check_plateau(o);
    if (!code) code = check_flags(o);
    if (!code) code = check_numbers(o);
    if (code) return code;
    if (!o->epochs) o->epochs = 10;
    if (!o->batch) o->batch = 32;
    if (!o->checkpoint_every) o->checkpoint_every = 1;
    f->optim = o->optim ? o->optim : vn_adam(1e-3, NULL);
    if (!vn__check(f->optim, VN__OPTIM, who, "optim")) return vn_status();
    if (begin_average(f) || begin_board(f)) return vn_status();
    code = begin_data(f, data);
    if (!code) code = begin_scores(f);
    if (!code) code = vn__fit_weights(f);
    if (!code) code = build_module(f);
    int penalties = 0, bounds = 0;
    if (!code) code = vn__module_rules(m, &penalties, &bounds);
    f->penalised = penalties, f->bounded = bounds;
    f->points = !code && vn__dataset_whole(f->train)->fn;
    if (!code && f->micro > 1 && vn__optim_searches(f->optim))
        code = vn__fail(
            VN_E_ARG,
            "%s: %.200s searches along the loss of a whole batch, which cannot be in parts: leave out micro_batches and train in one "
            "process, or take an optimizer without a search",
            who, vn_optim_text(f->optim));
    const vn_tree *v = code ? NULL : vn_module_v(m);
    if (!code) code = v ? vn__optim_ready(f->optim, v, true, who) : (int)vn_status();
    if (!code) code = vn__shards_begin(f);
    if (!code) code = vn__look_at_data(&(vn__looking){who, "the data", m, NULL, o->batch}, f->train);
    if (!code && o->validation) code = vn__look_at_data(&(vn__looking){who, "the validation data", m, NULL, o->batch}, o->validation);
    return code;
}
