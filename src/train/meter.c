/* SPDX-License-Identifier: Apache-2.0 */
/* meter.c: sums over batches of what loss and metrics are computed from. Means are added in the order of the batches; counts are whole
 * numbers, whose order does not matter. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>

int vn__scorer_values(const vn__scorer *j)
{
    return j->n + (j->moments ? VN__MOMENTS : 0);
}

/* Room for n counts, zeros, unless it is there. */
static int room(vn__counted *t, int64_t n, const char *who)
{
    if (t->counts && t->n == n) return VN_OK;
    if (t->counts) return vn__fail(VN_E_SHAPE, "%s: a metric counted %lld numbers, now %lld", who, (long long)t->n, (long long)n);
    t->counts = vn__calloc((size_t)n * sizeof *t->counts);
    t->n = t->counts ? n : 0;
    return t->counts ? VN_OK : vn__no_memory(who);
}

int vn__meter_matrix(vn__meter *m, const vn__scorer *j)
{
    return room(&m->matrix, j->outputs * j->outputs, j->who);
}

int vn__meter_counts(vn__meter *m, const vn__scorer *j, int score, int64_t n)
{
    return room(&m->counts[score], n, j->who);
}

/* counted: an int64 array, or NULL */
static int tally(vn__counted *t, vn_array *counted, bool counts, const char *who)
{
    int code = counted ? room(t, vn_size(counted), who) : VN_OK;
    const int64_t *more = counted && counts && !code ? vn_data(counted) : NULL;
    if (counted && counts && !code && !more && vn_size(counted)) return vn_status();
    for (int64_t i = 0; more && i < t->n; i++) t->counts[i] += more[i];
    return code;
}

int vn__meter_tally(vn__meter *m, const vn__scorer *j, const vn__batch_scores *v, bool counts)
{
    int code = tally(&m->matrix, v->matrix, counts, j->who);
    for (int i = 0; i < j->n && !code; i++) code = tally(&m->counts[i], v->counts[i], counts, j->who);
    return code;
}

int vn__meter_add(vn__meter *m, const vn__scorer *j, const vn__batch_scores *v, int64_t rows)
{
    vn_code before = vn_status();
    for (int i = 0; i < vn__scorer_values(j); i++) {
        if (!v->score[i]) continue;
        double x = vn_item(v->score[i]);
        if (!before && vn_status()) return vn_status();
        vn_running_add(&m->score[i], x, (double)rows);
    }
    return vn__meter_tally(m, j, v, true);
}

static int join(vn__counted *to, vn__counted *from, const char *who, const vn__group *g)
{
    int code = from->counts ? room(to, from->n, who) : VN_OK;
    vn_transfer t = {.kind = VN_TRANSFER_ALL_REDUCE, .dtype = VN_I64, .count = from->n, .in = from->counts, .out = from->counts};
    if (!code && from->counts) code = vn__group_move(g, &t, who);
    for (int64_t i = 0; i < from->n && !code; i++) to->counts[i] += from->counts[i];
    return code;
}

int vn__meter_join(vn__meter *m, vn__meter *from, const vn__scorer *j, const vn__group *g)
{
    int code = j->matrix ? vn__meter_matrix(from, j) : VN_OK;
    if (!code) code = join(&m->matrix, &from->matrix, j->who, g);
    for (int i = 0; i < j->n && !code; i++) code = join(&m->counts[i], &from->counts[i], j->who, g);
    if (code && g->comm) vn__group_give_up(vn_message()); /* the others wait for its counts */
    return code;
}

static void reset(vn__counted *t)
{
    if (t->counts) memset(t->counts, 0, (size_t)t->n * sizeof *t->counts);
}

void vn__meter_reset(vn__meter *m)
{
    memset(m->score, 0, sizeof m->score);
    reset(&m->matrix);
    for (int i = 0; i < VN__MAX_SCORES; i++) reset(&m->counts[i]);
}

void vn__meter_free(vn__meter *m)
{
    vn__free(m->matrix.counts);
    for (int i = 0; i < VN__MAX_SCORES; i++) vn__free(m->counts[i].counts);
    *m = (vn__meter){0};
}

double vn__meter_value(const vn__meter *m, const vn__scorer *j, int score)
{
    const vn_metric *of = &j->scores[score].metric.made;
    const vn__metric_row *row = vn__metric_row_of(of->kind);
    const vn__counted *t = &m->counts[score];
    if (row->of_class) return m->matrix.counts ? vn__metric_of_matrix(of, m->matrix.counts, j->outputs) : NAN;
    if (row->of_counts) return t->counts ? row->of_counts(t->counts, t->n, of->value) : NAN;
    if (row->of_moments) {
        double means[VN__MOMENTS];
        for (int k = 0; k < VN__MOMENTS; k++) means[k] = vn_running_value(&m->score[j->n + k]);
        return row->of_moments(means);
    }
    const double x = vn_running_value(&m->score[score]);
    return row->last ? row->last(x) : x;
}
