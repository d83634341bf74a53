/* batch_check.c: whether a network has what the data asks it for: rows of its tables for the tokens in x, classes for the labels in y.
 * Positions outside give NaN or zeros, from which nothing is learned. A batch is recorded, not computed, and the ops look at the positions
 * they get (ops/positions.c). */
#include "train/train.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

static const char who[] = "fit";

/* With the words of what was found. Other errors are not told here: the step has them too. */
int vn__fit_look(vn__fit *f, vn_array *x, vn_array *y, const char *where)
{
    VN_SCOPE;
    vn__state *s = vn__peek();
    const bool checks = s->check_positions;
    const int training = vn_module_training(f->module);
    uint64_t random[2]; /* the training's own numbers stay as they are */
    char words[640];
    if (vn_error_push()) return vn_status();
    vn_random_state(random);
    vn_module_train(f->module, 0);
    s->check_positions = true, s->outside = false;
    vn_array *prediction = vn_module_call(f->module, x, NULL);
    if (prediction) vn__scorer_loss(&f->scorer, prediction, y);
    s->check_positions = checks;
    vn_module_train(f->module, training);
    vn_random_set_state(random);
    snprintf(words, sizeof words, "%.630s", vn_message());
    if (vn_error_pop() == VN_E_MEM) return vn__fail(VN_E_MEM, "%s: %s: %s", who, where, words); /* not all was looked at */
    return s->outside ? vn__fail(VN_E_ARG, "%s: %s: %s", who, where, words) : VN_OK;
}

/* A batch, of the usual size, of the row alone in which element number `at` of x stands. */
static int look_at(vn__fit *f, const vn__dataset *d, vn_array *at)
{
    VN_SCOPE;
    if (vn_eval(1, &at)) return vn_status();
    const int64_t row = vn_item_int(at) / (vn_size(d->x) / d->n);
    int64_t *rows = vn__calloc((size_t)f->o.batch * sizeof *rows);
    if (!rows) return vn__no_memory(who);
    for (int64_t i = 0; i < f->o.batch; i++) rows[i] = row;
    vn_array *all = vn_from_host(rows, VN_I64, VN_SHAPE(f->o.batch));
    vn__free(rows);
    char where[48];
    snprintf(where, sizeof where, "row %lld of the data, as a batch", (long long)row);
    return all ? vn__fit_look(f, vn_take(d->x, all, 0), vn_take(d->y, all, 0), where) : (int)vn_status();
}

/* The rows with the largest and the smallest number stand for all. Labels need none of it: the dataset and vn__scorer_loss compare them
 * with the classes there are. */
int vn__fit_look_at_data(vn__fit *f)
{
    VN_SCOPE;
    const vn__dataset *d = vn__dataset_whole(f->train);
    if (!d->x || !vn_size(d->x) || !vn__is(vn_dtype_of(d->x), VN_INTS)) return VN_OK; /* or a function makes the batches */
    vn_array *all = vn_flatten(d->x);
    int code = look_at(f, d, vn_argmax(all, VN_AXES(0)));
    return code ? code : look_at(f, d, vn_argmin(all, VN_AXES(0)));
}
