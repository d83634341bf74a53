/* SPDX-License-Identifier: Apache-2.0 */
/* weights.c: the weights of classes in a training's loss: given, or such that every class has the same total; and whether rows may have
 * weights (the dataset's). */
#include "train/train.h"
#include "core/state.h"
#include <math.h>

static const char who[] = "fit";

/* How often each class occurs among the training rows. */
static int count_classes(const vn__fit *f, double *counts, int64_t classes)
{
    const vn__dataset *d = vn__dataset_of(f->train), *whole = vn__dataset_whole(f->train);
    if (!whole->y)
        return vn__fail(VN_E_ARG,
                        "%s: balance counts the classes of arrays and files; of a function's rows, class_weights gives the weights", who);
    const int64_t *y = vn_data(whole->y), inner = vn_size(whole->y) / vn_dim(whole->y, 0);
    if (!y) return vn_status();
    for (int64_t i = 0; i < d->n; i++) {
        const int64_t row = d->index ? d->index[i] : i;
        for (int64_t k = 0; k < inner; k++) {
            int64_t c = y[row * inner + k];
            if (c >= 0 && c < classes) counts[c]++;
        }
    }
    return VN_OK;
}

static int balance(const vn__fit *f, float *to, int64_t classes)
{
    double *counts = vn__scope_memory((size_t)classes * sizeof *counts, who), sum = 0;
    int64_t present = 0;
    if (!counts) return vn_status();
    for (int64_t i = 0; i < classes; i++) counts[i] = 0;
    int code = count_classes(f, counts, classes);
    for (int64_t i = 0; i < classes; i++) sum += counts[i], present += counts[i] > 0;
    for (int64_t i = 0; i < classes; i++) to[i] = counts[i] > 0 ? (float)(sum / ((double)present * counts[i])) : 1;
    return code;
}

static int given(const vn_fit_opts *o, float *to, int64_t classes)
{
    double sum = 0;
    if (o->n_class_weights != classes)
        return vn__fail(VN_E_ARG, "%s: %d class_weights for %lld classes", who, o->n_class_weights, (long long)classes);
    for (int64_t i = 0; i < classes; i++) {
        if (!(o->class_weights[i] >= 0) || isinf(o->class_weights[i]))
            return vn__fail(VN_E_ARG, "%s: the weight of class %lld is %g; 0 or more is needed", who, (long long)i, o->class_weights[i]);
        sum += o->class_weights[i], to[i] = (float)o->class_weights[i];
    }
    return sum > 0 ? VN_OK : vn__fail(VN_E_ARG, "%s: all class_weights are 0", who);
}

int vn__fit_weights(vn__fit *f)
{
    const vn_fit_opts *o = &f->o;
    const int64_t classes = f->scorer.classes;
    const bool rows = vn__dataset_whole(f->train)->weights;
    if (rows && !vn__scorer_has_rows(&f->scorer))
        return vn__fail(VN_E_ARG, "%s: the rows have weights, which needs a loss by name that is a mean over rows", who);
    if (!o->class_weights && !o->n_class_weights && !o->balance) return VN_OK;
    if (rows) return vn__fail(VN_E_ARG, "%s: weights of classes and of rows; multiply those of the rows instead", who);
    if (!classes) return vn__fail(VN_E_ARG, "%s: weights of classes, but the targets are numbers", who);
    if (o->balance && o->class_weights) return vn__fail(VN_E_ARG, "%s: class_weights and balance; one of them is enough", who);
    if (!o->balance && !o->class_weights) return vn__fail(VN_E_NULL, "%s: class_weights is NULL", who);
    if (!vn__scorer_takes_weights(&f->scorer)) return vn__fail(VN_E_ARG, "%s: weights of classes need the loss cross_entropy", who);
    float *weights = vn__scope_memory((size_t)classes * sizeof *weights, who);
    if (!weights) return vn_status();
    int code = o->balance ? balance(f, weights, classes) : given(o, weights, classes);
    if (!code) f->scorer.weights = weights;
    return code;
}

/* A number that changes with the weights; 0: there are none. */
double vn__fit_weights_sum(const vn__fit *f)
{
    double sum = 0;
    for (int64_t i = 0; f->scorer.weights && i < f->scorer.classes; i++) sum += (double)f->scorer.weights[i] * (double)(i + 1);
    vn_array *rows = vn__dataset_whole(f->train)->weights;
    const double *w = rows ? vn_data(rows) : NULL;
    for (int64_t i = 0; w && i < vn_size(rows); i++) sum += w[i] * (double)(i + 1);
    return sum;
}
