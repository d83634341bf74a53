/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c: one pass over data in evaluation mode: scores, the confusion matrix, predictions. */
#include "train/train.h"
#include "base/floats.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/module.h"
#include "program/node.h"
#include <string.h>

static int score_batch(vn_module *m, vn__scorer *j, vn_array *x, vn_array *y, vn__batch_scores *v)
{
    vn_array *prediction = vn__module_call_constant(m, x, NULL);
    vn_array *loss = prediction ? vn__scorer_loss(j, prediction, y, NULL) : NULL;
    int code = loss ? vn__scorer_metrics(j, prediction, y, v) : (int)vn_status();
    if (code) return code;
    v->score[0] = vn_keep(loss);
    vn_array *all[VN__MAX_ARRAYS];
    return vn_eval(vn__batch_scores_list(v, all), all);
}

/* The batches of this rank. One that has none computes the first, for the shape of the results, and does not count it. */
typedef struct {
    vn_module *module;
    vn_dataset *data;
    int64_t batch, first, end, batches;
    vn__scorer *scorer;
    vn__meter counts;
    double *values; /* batches x means */
} pass;

static int evaluate_batch(pass *p, int64_t b, const vn__looking *l, bool *points)
{
    VN_SCOPE;
    vn_array *x, *y;
    int64_t n;
    vn__batch_scores v = {0};
    const vn__scorer *j = p->scorer;
    int code = vn__dataset_batch(p->data, NULL, b, p->batch, &x, &y, &n);
    if (!code && *points) code = vn__look_at_rows(l, x, b * p->batch, n, points);
    if (!code) code = score_batch(p->module, p->scorer, x, y, &v);
    const bool counts = b >= p->first && b < p->end;
    if (!code && counts) {
        const vn_code before = vn_status();
        const int means = vn__scorer_values(j);
        for (int i = 0; i < means; i++) p->values[b * means + i] = v.score[i] ? vn_item(v.score[i]) : 0;
        if (!before) code = vn_status();
    }
    if (!code) code = vn__meter_tally(&p->counts, j, &v, counts);
    vn__batch_scores_drop(&v);
    return code;
}

/* All ranks' scores, in the order of the batches: where others have theirs, this rank has zeros. */
static int join(pass *p, const vn__group *g, vn__meter *meter)
{
    const vn__scorer *j = p->scorer;
    const int64_t rows = vn__dataset_of(p->data)->n;
    const int means = vn__scorer_values(j);
    vn_transfer t = {.kind = VN_TRANSFER_ALL_REDUCE, .dtype = VN_F64, .count = p->batches * means, .in = p->values, .out = p->values};
    int code = vn__group_move(g, &t, j->who);
    for (int64_t b = 0; b < p->batches && !code; b++) {
        for (int i = 0; i < means; i++)
            vn_running_add(&meter->score[i], p->values[b * means + i], (double)vn__min(p->batch, rows - b * p->batch));
    }
    return code ? code : vn__meter_join(meter, &p->counts, j, g);
}

static int evaluate_all(pass *p, vn__meter *meter, const vn__group *g, bool *stopped)
{
    const vn__looking l = {p->scorer->who, stopped ? "the validation data" : "the data", p->module, NULL, p->batch};
    bool points = !stopped || vn__dataset_whole(p->data)->fn; /* vn_fit has looked at arrays before its first step */
    p->values = vn__calloc((size_t)p->batches * (size_t)vn__scorer_values(p->scorer) * sizeof *p->values);
    int code = p->values ? VN_OK : vn__no_memory(p->scorer->who);
    for (int64_t b = p->first; b < p->end && !code; b++) {
        if (stopped && !g->comm && (*stopped = vn_stop_requested() != 0)) return VN_OK;
        code = evaluate_batch(p, b, &l, &points);
    }
    if (!code && p->first == p->end) code = evaluate_batch(p, 0, &l, &points);
    code = vn__group_agree(g, code, p->scorer->who);
    return code ? code : join(p, g, meter);
}

int vn__evaluate_data(vn_module *m, vn_dataset *d, int64_t batch, vn__scorer *j, vn__meter *meter, const vn__group *g, bool *stopped)
{
    int code = vn_module_train(m, 0);
    if (!code) code = vn_set_with_grads(0);
    if (code) return code;
    const int64_t rows = vn__dataset_of(d)->n, batches = rows / batch + (rows % batch != 0);
    pass p = {m, d, batch, batches * g->rank / g->ranks, batches * (g->rank + 1) / g->ranks, batches, j, {.matrix = {NULL, 0}}, NULL};
    code = evaluate_all(&p, meter, g, stopped);
    vn__dataset_rest(d);
    vn__free(p.values), vn__meter_free(&p.counts);
    vn_unset_with_grads();
    return code;
}

int vn__evaluation_of(const vn__scorer *j, const vn__meter *m, int64_t rows, vn_evaluation *to)
{
    vn_evaluation e = {.size = to->size, .n_scores = j->n, .rows = rows, .classes = j->classes ? j->outputs : 0};
    size_t names = (size_t)j->n * VN__SCORE_NAME;
    vn_score *scores = vn__scope_memory((size_t)j->n * sizeof *scores + names, j->who);
    if (!scores) return vn_status();
    char *text = (char *)(scores + j->n);
    for (int i = 0; i < j->n; i++, text += VN__SCORE_NAME) {
        memcpy(text, j->scores[i].name, VN__SCORE_NAME);
        scores[i] = (vn_score){text, vn__meter_value(m, j, i)};
    }
    e.scores = scores;
    if (m->matrix.counts) {
        size_t bytes = (size_t)(j->outputs * j->outputs) * sizeof(int64_t);
        int64_t *copy = vn__scope_memory(bytes, j->who);
        if (!copy) return vn_status();
        e.confusion = memcpy(copy, m->matrix.counts, bytes);
    }
    memcpy(to, &e, to->size < sizeof e ? to->size : sizeof e);
    return VN_OK;
}

static int check_data(const vn_dataset *d, int64_t *batch, bool target, const char *who)
{
    if (!vn__check(d, VN__DATASET, who, "data")) return vn_status();
    if (target && !vn__dataset_whole(d)->has_target) return vn__fail(VN_E_ARG, "%s: the data has no target", who);
    if (*batch < 0) return vn__fail(VN_E_ARG, "%s: a batch of %lld", who, (long long)*batch);
    if (!*batch) *batch = 32;
    if (*batch > vn__dataset_of(d)->n) *batch = vn__dataset_of(d)->n;
    return VN_OK;
}

int vn_evaluate(vn_module *m, vn_dataset *data, const vn_evaluate_opts *opts, vn_evaluation *result)
{
    VN__FLOATS;
    static const char who[] = "evaluate";
    vn_evaluate_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "evaluate")) return vn_status();
    if (!vn__check(m, VN__MODULE, who, "m") || check_data(data, &o.batch, true, who)) return vn_status();
    if (!result || !result->size)
        return vn__fail(result ? VN_E_ARG : VN_E_NULL, "%s: %s", who,
                        result ? "size is 0; it must be sizeof(vn_evaluation)" : "result is NULL");
    vn__scorer j;
    vn__meter meter = {0};
    int training = vn_module_training(m), code = vn__scorer_begin(&j, &o, vn__dataset_whole(data), true, who);
    if (!code) code = vn__evaluate_data(m, data, o.batch, &j, &meter, vn__group_or_one(NULL), NULL);
    if (!code) code = vn__evaluation_of(&j, &meter, vn__dataset_of(data)->n, result);
    vn_module_train(m, training);
    vn__meter_free(&meter);
    return code;
}

/* ---- predictions ---- */

/* Concatenated results of batches. */
typedef struct {
    void *data;
    size_t row_bytes;
    int dtype;
    vn_shape shape;
} results;

static int begin_results(results *r, vn_array *z, int64_t rows, const char *who)
{
    r->shape = vn_shape_of(z), r->dtype = vn_dtype_of(z);
    r->row_bytes = (size_t)(vn_size(z) / r->shape.dim[0]) * vn_dtype_size(vn_dtype_of(z));
    r->shape.dim[0] = rows;
    int64_t count;
    int code = vn__count(who, r->shape.rank, r->shape.dim, r->dtype, &count);
    if (code) return code;
    r->data = vn__block_alloc((size_t)rows * r->row_bytes + 1);
    return r->data ? VN_OK : vn__no_memory(who);
}

static int predict_batch(vn_module *m, vn_dataset *d, int64_t batch, int64_t b, results *r, bool *points)
{
    static const char who[] = "predict";
    VN_SCOPE;
    vn_array *x, *y;
    int64_t n;
    int code = vn__dataset_batch(d, NULL, b, batch, &x, &y, &n);
    if (!code && *points) code = vn__look_at_rows(&(vn__looking){who, "the data", m, NULL, batch}, x, b * batch, n, points);
    const vn__labels *l = &vn__dataset_whole(d)->labels;
    vn_array *z = code ? NULL : vn__in_units(vn__module_call_constant(m, x, NULL), l->mean, l->deviation);
    if (!z) return vn_status();
    if (vn_rank(z) < 1 || vn_dim(z, 0) != n)
        return vn__fail(VN_E_SHAPE, "%s: the network gives %lld rows for %lld", who, (long long)(vn_rank(z) < 1 ? 0 : vn_dim(z, 0)),
                        (long long)n);
    if (!r->data) code = begin_results(r, z, vn__dataset_of(d)->n, who);
    size_t bytes = (size_t)n * r->row_bytes;
    if (!code && ((int)vn_dtype_of(z) != r->dtype || (size_t)vn_size(z) * vn_dtype_size(vn_dtype_of(z)) != bytes))
        code = vn__fail(VN_E_SHAPE, "%s: the network gives rows of another shape or dtype for batch %lld", who, (long long)b);
    return code ? code : vn_read(z, (char *)r->data + (size_t)(b * batch) * r->row_bytes, bytes);
}

vn_array *vn_predict(vn_module *m, vn_dataset *data, int64_t batch)
{
    static const char who[] = "predict";
    if (!vn__check(m, VN__MODULE, who, "m") || check_data(data, &batch, false, who)) return NULL;
    results r = {0};
    bool points = true; /* until the first batch says that the network takes no positions */
    int training = vn_module_training(m), code = vn_module_train(m, 0);
    if (!code) code = vn_set_with_grads(0);
    if (code) return vn_module_train(m, training), NULL;
    for (int64_t b = 0; b * batch < vn__dataset_of(data)->n && !code; b++) code = predict_batch(m, data, batch, b, &r, &points);
    vn__dataset_rest(data);
    vn_unset_with_grads();
    vn_module_train(m, training);
    if (!code) return vn_wrap(r.data, (vn_dtype)r.dtype, r.shape, vn__block_free, r.data);
    vn__block_free(r.data);
    return NULL;
}
