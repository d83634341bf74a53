/* SPDX-License-Identifier: Apache-2.0 */
/* step.c: a step of a training. Selecting rows, the network, its loss, gradients and metrics are recorded, and the optimizer's step
 * evaluates them together, as one program. A batch in micro-batches takes a program for each of them, then the sums of all ranks, then
 * the optimizer's. */
#include "train/train.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include "group/group.h"
#include "nn/nn.h"
#include <string.h>
#include <math.h>

static const char who[] = "fit";

typedef struct {
    vn__fit *f;
    vn_array *x, *y, *weights; /* of rows; NULL: none */
    vn__batch_scores scores;
    uint64_t random[2]; /* the state before the batch, where an optimizer searches */
    int64_t rows;       /* of the batch, in parts: */
    vn__parts *parts;
    vn__meter counts; /* of this rank's parts */
} stepping;

static vn_array *plain_loss(vn_module *m, const stepping *s, vn_array **prediction)
{
    *prediction = vn_module_call(m, s->x, NULL);
    vn_array *loss = *prediction ? vn__scorer_loss(&s->f->scorer, *prediction, s->y, s->weights) : NULL;
    vn_array *penalty = loss && s->f->penalised ? vn_module_penalty(m) : NULL;
    if (!s->f->penalised) return loss;
    return penalty ? vn_add(loss, vn_cast(penalty, vn_dtype_of(loss))) : NULL;
}

static vn_array *loss_of(vn_module *m, void *data)
{
    stepping *s = data;
    vn_array *prediction, *loss = plain_loss(m, s, &prediction);
    if (!loss || vn__scorer_metrics(&s->f->scorer, prediction, s->y, &s->scores)) return NULL;
    vn_array *scaled = vn__scaled_loss(s->f->optim, loss);
    if (scaled && scaled != loss) s->scores.score[0] = vn_keep(vn_stop_gradient(loss)); /* then it is computed like the metrics */
    return scaled;
}

/* Metrics are evaluated with the gradients, like the module's buffers. */
static int add_metrics(vn_tree *grads, const stepping *s)
{
    vn_array *list[VN__MAX_ARRAYS];
    int n = vn__batch_scores_list(&s->scores, list);
    vn_tree *along = vn_tree_new(NULL), *buffers = (vn_tree *)vn__tree_along(grads);
    int code = along ? buffers ? vn_tree_set_tree(along, "buffers", buffers) : VN_OK : (int)vn_status();
    for (int i = 0; i < n && !code; i++) {
        char key[32];
        snprintf(key, sizeof key, "metrics/m%d", i);
        code = vn_tree_set(along, key, list[i]);
    }
    if (!code) vn__tree_set_along(grads, along);
    return code;
}

static int look_at_batch(const stepping *s, vn_array *y, bool *points)
{
    vn__fit *f = s->f;
    char batch[96];
    snprintf(batch, sizeof batch, "epoch %lld, batch %lld", (long long)f->epoch + 1, (long long)f->batch + 1);
    return vn__look(&(vn__looking){who, "the data", f->module, &f->scorer, f->o.batch}, s->x, y, batch, points);
}

/* Because of a position outside, or else because of the numbers. */
static int not_finite(const stepping *s, double loss)
{
    vn__fit *f = s->f;
    if (look_at_batch(s, s->y, &(bool){false})) return vn_status();
    return vn__fail(VN_E_ARG,
                    "%s: the loss of epoch %lld, batch %lld is %g; a smaller learning rate or clipped gradients (clip_norm) may help", who,
                    (long long)f->epoch + 1, (long long)f->batch + 1, loss);
}

/* Loss and gradients of a batch. Messages of ops and modules say that it was vn_fit that called them. */
static vn_array *batch_gradients(stepping *s, vn_tree **grads)
{
    const bool first = !vn_status();
    vn_array *loss = vn__module_value_and_grad(s->f->module, loss_of, s, grads, who, true);
    if (!loss && first && strncmp(vn_message(), who, strlen(who)) != 0) vn__fail_in(who);
    return loss;
}

static int take_weights(stepping *s, int64_t begin, int64_t rows)
{
    const vn__fit *f = s->f;
    if (!vn__dataset_whole(f->train)->weights) return VN_OK;
    s->weights = vn__dataset_weights(f->train, f->order, begin, rows);
    return s->weights ? VN_OK : (int)vn_status();
}

/* ---- a line search: the batch's loss with other variables ---- */

static vn_array *loss_again(vn_module *m, void *data)
{
    vn_array *prediction;
    return plain_loss(m, data, &prediction);
}

/* Every time with the random numbers of the step. */
static vn_array *loss_at(const vn_tree *v, void *data)
{
    stepping *s = data;
    return vn_random_set_state(s->random) ? NULL : vn__module_loss(s->f->module, loss_again, v, s);
}

/* Searching changes neither buffers nor the random numbers that follow. */
static int search(stepping *s, const vn_tree *start)
{
    vn__fit *f = s->f;
    uint64_t after[2];
    vn_tree *buffers = vn_module_buffers(f->module), *kept = buffers ? vn_tree_deep_copy(buffers) : NULL;
    if (!kept || vn_random_state(after)) return vn_status();
    int code = vn__optim_search(f->optim, loss_at, s, start, vn_module_v(f->module));
    if (!code) code = vn__set_arrays(buffers, kept, who);
    return code ? code : vn_random_set_state(after);
}

/* ---- a whole batch ---- */

static int take_step(stepping *s, int64_t rows)
{
    vn__fit *f = s->f;
    vn_tree *grads, *start = NULL;
    const bool searches = vn__optim_searches(f->optim);
    if (searches && (vn_random_state(s->random) || !(start = vn_tree_deep_copy(vn_module_v(f->module))))) return vn_status();
    vn_array *loss = batch_gradients(s, &grads);
    int code = loss ? add_metrics(grads, s) : (int)vn_status();
    double lr = code ? 0 : vn_optim_lr(f->optim);
    if (!code && isnan(lr)) code = vn_status();
    if (!code) code = vn__optim_step(f->optim, vn_module_v(f->module), grads, searches);
    if (!code && searches && isfinite(vn_item(s->scores.score[0] ? s->scores.score[0] : loss))) code = search(s, start);
    if (code) return code;
    f->lr = lr;
    if (!s->scores.score[0]) s->scores.score[0] = vn_keep(loss);
    code = vn__meter_add(&f->meter, &f->scorer, &s->scores, rows);
    f->loss = vn_item(s->scores.score[0]);
    return !code && !isfinite(f->loss) && !f->finding ? not_finite(s, f->loss) : code;
}

static int whole_step(vn__fit *f)
{
    stepping s = {.f = f};
    int64_t rows;
    int code = vn__dataset_batch(f->train, f->order, f->batch, f->o.batch, &s.x, &s.y, &rows);
    if (!code) code = take_weights(&s, f->batch * f->o.batch, rows);
    if (!code && f->points) code = look_at_batch(&s, NULL, &f->points);
    if (!code) code = take_step(&s, rows);
    vn__batch_scores_drop(&s.scores);
    return code;
}

/* ---- a batch in parts ---- */

/* Rows of a part of a full batch; a last part of one row joins the one before it, because a batch norm needs two. */
static int64_t part_rows(const vn__fit *f)
{
    return (f->o.batch + f->micro - 1) / f->micro;
}
static int64_t parts_of(const vn__fit *f, int64_t rows)
{
    const int64_t each = part_rows(f), n = (rows + each - 1) / each;
    return each > 1 && n > 1 && rows % each == 1 ? n - 1 : n;
}

static vn_array *part_gradient(void *user, vn_part *part, vn_tree **grads)
{
    stepping *s = user;
    vn__fit *f = s->f;
    vn__batch_scores_drop(&s->scores);
    const int64_t first = part->number * part_rows(f);
    const int64_t rows = part->number + 1 == part->parts ? s->rows - first : part_rows(f);
    part->weight = (double)rows;
    const int64_t begin = f->batch * f->o.batch + first;
    if (vn__dataset_range(f->train, f->order, begin, rows, &s->x, &s->y) || take_weights(s, begin, rows)) return NULL;
    if (!f->o.group) vn__dataset_ahead(f->train, f->order, begin + rows, part_rows(f)); /* other ranks compute other parts */
    if (f->points && look_at_batch(s, NULL, &f->points)) return NULL;
    vn_array *loss = batch_gradients(s, grads);
    if (loss && !s->scores.score[0]) s->scores.score[0] = vn_keep(loss);
    return loss;
}

static int part_scores(void *user, vn_array **list)
{
    stepping *s = user;
    return vn__batch_scores_list(&s->scores, list);
}

static int part_values(void *user, double *values)
{
    stepping *s = user;
    vn__fit *f = s->f;
    for (int i = 0; i < vn__scorer_values(&f->scorer); i++) values[i] = s->scores.score[i] ? vn_item(s->scores.score[i]) : 0;
    if (vn_status()) return vn_status();
    if (!isfinite(values[0]) && !f->finding) return not_finite(s, values[0]);
    return vn__meter_tally(&s->counts, &f->scorer, &s->scores, !s->parts->idle);
}

/* The scores of all parts, in their order, whichever rank computed them. */
static int add_scores(stepping *s)
{
    vn__fit *f = s->f;
    const vn__parts *p = s->parts;
    double rows = 0;
    f->loss = 0;
    for (int64_t k = 0; k < p->n; k++) {
        const double *values = p->values + k * p->n_values;
        f->loss += values[1] * values[0], rows += values[0];
        for (int i = 0; i < vn__scorer_values(&f->scorer); i++) vn_running_add(&f->meter.score[i], values[1 + i], values[0]);
    }
    f->loss /= rows;
    return vn__meter_join(&f->meter, &s->counts, &f->scorer, f->group);
}

static int step_in_parts(vn__fit *f)
{
    vn__parts p;
    stepping s = {.f = f, .parts = &p, .rows = vn__min(f->o.batch, vn__dataset_of(f->train)->n - f->batch * f->o.batch)};
    const vn__part_work w = {f->module, part_gradient, part_scores, part_values, &s};
    vn_tree *grads = NULL;
    int code = vn__parts_begin(&p, f->o.group, parts_of(f, s.rows), 1 + vn__scorer_values(&f->scorer), f->o.fast_sums, who);
    if (!code && !vn__parts_compute(&p, &w, &grads)) code = vn_status();
    const double lr = code ? 0 : vn_optim_lr(f->optim);
    if (!code && isnan(lr)) code = vn_status();
    if (!code) f->lr = lr, code = add_scores(&s); /* together, so before what may fail on one rank */
    if (!code) code = f->owner ? vn__shards_step(f, grads) : vn_step(f->optim, vn_module_v(f->module), grads);
    vn__parts_end(&p);
    vn__batch_scores_drop(&s.scores);
    vn__meter_free(&s.counts);
    return code;
}

int vn__fit_step(vn__fit *f)
{
    const int code = f->micro > 1 ? step_in_parts(f) : whole_step(f);
    return code || !f->bounded ? code : vn_module_apply_constraints(f->module);
}
