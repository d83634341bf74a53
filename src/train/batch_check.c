/* SPDX-License-Identifier: Apache-2.0 */
/* batch_check.c: whether a network has what the data asks it for: rows of its tables for the tokens in x, classes for the labels in y.
 * Positions outside give NaN or zeros, from which nothing is learned. A batch is recorded, not computed, and the ops look at the positions
 * they get (ops/positions.c). */
#include "train/train.h"
#include "base/minmax.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

/* With the words of what was found. Other errors are not told here: the step has them too. */
int vn__look(const vn__looking *l, vn_array *x, vn_array *y, const char *where, bool *points)
{
    VN_SCOPE;
    vn__state *s = vn__peek();
    const bool checks = s->check_positions;
    const int training = vn_module_training(l->module);
    uint64_t random[2]; /* the training's own numbers stay as they are */
    char words[640];
    if (vn_error_push()) return vn_status();
    vn_random_state(random);
    vn_module_train(l->module, 0);
    s->check_positions = true, s->outside = s->looked = false;
    vn_array *prediction = vn_module_call(l->module, x, NULL);
    *points = s->looked;
    if (prediction && y) vn__scorer_loss(l->scorer, prediction, y, NULL);
    s->check_positions = checks;
    vn_module_train(l->module, training);
    vn_random_set_state(random);
    snprintf(words, sizeof words, "%.630s", vn_message());
    if (vn_error_pop() == VN_E_MEM) return vn__fail(VN_E_MEM, "%s: %s: %s", l->who, where, words); /* not all was looked at */
    return s->outside ? vn__fail(VN_E_ARG, "%s: %s: %s", l->who, where, words) : VN_OK;
}

int vn__look_at_rows(const vn__looking *l, vn_array *x, int64_t first, int64_t n, bool *points)
{
    char where[96];
    snprintf(where, sizeof where, "rows %lld to %lld of %s, as a batch", (long long)first, (long long)(first + n - 1), l->what);
    return vn__look(l, x, NULL, where, points);
}

/* One sample of x, [1, ...], as a batch of the usual size. */
static int look_at_sample(const vn__looking *l, vn_array *sample, const char *where)
{
    bool points;
    vn_shape shape = vn_shape_of(sample);
    shape.dim[0] = l->batch;
    vn_array *x = vn_broadcast_to(sample, shape);
    return x ? vn__look(l, x, NULL, where, &points) : (int)vn_status();
}

/* The rows in which the columns are largest, or smallest, one by one: which of them points outside? */
static int look_at_rows_of(const vn__looking *l, const vn__dataset *d, vn_array *at)
{
    const int64_t n = vn_size(at), *rows = vn_data(at);
    int code = rows ? VN_OK : (int)vn_status();
    for (int64_t k = 0; k < n && !code; k++) {
        VN_SCOPE;
        char where[96];
        snprintf(where, sizeof where, "row %lld of %s, as a batch", (long long)rows[k], l->what);
        code = look_at_sample(l, vn_rows(d->x, rows[k], 1), where);
    }
    return code;
}

/* A sample with the largest number of every column, and one with the smallest, stand for all. If the network has not what they ask for,
 * the rows say which it is; numbers of several rows together may be too large where those of each are not. */
static int look_at_extremes(const vn__looking *l, const vn__dataset *d)
{
    VN_SCOPE;
    vn_array *table = vn_reshape(d->x, VN_SHAPE(d->n, -1));
    vn_shape one = vn_shape_of(d->x);
    one.dim[0] = 1;
    for (int k = 0; k < 2; k++) {
        vn_array *sample = k ? vn_min(table, VN_AXES(0)) : vn_max(table, VN_AXES(0));
        if (vn_error_push()) return vn_status();
        look_at_sample(l, vn_reshape(sample, one), l->what);
        int code = vn_error_pop() ? look_at_rows_of(l, d, k ? vn_argmin(table, VN_AXES(0)) : vn_argmax(table, VN_AXES(0))) : VN_OK;
        if (code) return code;
    }
    return vn_status();
}

/* Labels need none of it: the dataset and vn__scorer_loss compare them with the classes there are. */
int vn__look_at_data(const vn__looking *l, const vn_dataset *data)
{
    VN_SCOPE;
    const vn__dataset *d = vn__dataset_whole(data);
    if (!d->x || !vn_size(d->x) || !vn__is(vn_dtype_of(d->x), VN_INTS | VN_FLOATS)) return VN_OK; /* or a function makes the batches */
    if (vn_error_push()) return vn_status();
    bool points = false;
    const int64_t n = vn__min(l->batch, d->n);
    vn__look_at_rows(l, vn_rows(d->x, 0, n), 0, n, &points);
    return vn_error_pop() || points ? look_at_extremes(l, d) : VN_OK;
}
