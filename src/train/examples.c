/* SPDX-License-Identifier: Apache-2.0 */
/* examples.c: one more pass over the data of a report, row by row: which rows were predicted worst, and how far numbers were off. worst.c and
 * residuals.c show it. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/module.h"
#include <math.h>
#include <string.h>

static const char who[] = "fit";

/* NaN is worse than any number. */
static bool worse(double error, double than)
{
    return isnan(error) ? !isnan(than) : error > than;
}

/* Keeps the row if it is among the worst, which stand in order. */
static void keep(vn__examples *e, const vn__example *x)
{
    int at = e->n;
    while (at > 0 && worse(x->error, e->worst[at - 1].error)) at--;
    if (at == VN__WORST) return;
    if (e->n < VN__WORST) e->n++;
    memmove(&e->worst[at + 1], &e->worst[at], (size_t)(e->n - 1 - at) * sizeof *x);
    e->worst[at] = *x;
}

/* The probability that a row of outputs gives to a class, and the class that has most. One number stands for two classes. */
static double probability_of(const float *z, int64_t width, int64_t class, int64_t *most)
{
    if (width == 1) {
        const double p = 1 / (1 + exp(-(double)z[0]));
        *most = z[0] > 0;
        return class ? p : 1 - p;
    }
    double sum = 0;
    *most = 0;
    for (int64_t c = 1; c < width; c++)
        if (z[c] > z[*most]) *most = c;
    for (int64_t c = 0; c < width; c++) sum += exp((double)z[c] - (double)z[*most]);
    return exp((double)z[class] - (double)z[*most]) / sum;
}

/* Each class is one of the outputs: the pass that came before this one has refused others. */
static int take_classes(vn__examples *e, vn_array *z, vn_array *y, int64_t first, int64_t n)
{
    const int64_t width = vn_size(z) / n;
    const float *outputs = vn_data(vn_cast(z, VN_F32));
    const int64_t *classes = vn_data(vn_cast(y, VN_I64));
    if (!outputs || !classes) return vn_status();
    for (int64_t i = 0; i < n; i++) {
        vn__example x = {.row = first + i, .truth = (double)classes[i]};
        int64_t most;
        x.probability = probability_of(outputs + i * width, width, classes[i], &most);
        x.predicted = (double)most, x.error = 1 - x.probability;
        keep(e, &x);
    }
    return VN_OK;
}

static int take_numbers(vn__examples *e, vn_array *z, vn_array *y, int64_t first, int64_t n)
{
    const vn__labels *l = &vn__dataset_whole(e->data)->labels;
    const float *predicted = vn_data(vn_cast(vn__in_units(z, l->mean, l->deviation), VN_F32));
    const float *truth = vn_data(vn_cast(vn__in_units(y, l->mean, l->deviation), VN_F32));
    if (!predicted || !truth) return vn_status();
    for (int64_t i = 0; i < n; i++) {
        const vn__example x = {.row = first + i,
                               .truth = (double)truth[i],
                               .predicted = (double)predicted[i],
                               .error = fabs((double)predicted[i] - (double)truth[i])};
        e->truth[first + i] = x.truth, e->predicted[first + i] = x.predicted;
        keep(e, &x);
    }
    return VN_OK;
}

/* *fits: the rows have one class or number each. */
static int take_batch(vn__examples *e, vn_module *m, int64_t b, int64_t batch, bool *fits)
{
    VN_SCOPE;
    vn_array *x, *y;
    int64_t n;
    int code = vn__dataset_batch(e->data, NULL, b, batch, &x, &y, &n);
    vn_array *z = code ? NULL : vn__module_call_constant(m, x, NULL);
    if (!z) return vn_status();
    *fits = vn_size(y) == n && (e->classes ? vn_size(z) == n || vn_size(z) >= n * e->classes : vn_size(z) == n);
    if (!*fits) return VN_OK;
    return e->classes ? take_classes(e, z, y, b * batch, n) : take_numbers(e, z, y, b * batch, n);
}

int vn__find_examples(vn_module *m, vn_dataset *data, int64_t batch, int64_t classes, vn__examples *to)
{
    enum { MAX_ROWS = 1000000 };
    const int64_t rows = vn__dataset_of(data)->n;
    *to = (vn__examples){.data = data, .classes = classes, .rows = classes ? 0 : rows};
    if (rows > MAX_ROWS) return VN_OK; /* the page shows a dozen of them; one more pass would take longer than that is worth */
    if (!classes) {
        to->truth = vn__scope_memory((size_t)rows * 2 * sizeof *to->truth, who);
        if (!to->truth) return vn_status();
        to->predicted = to->truth + rows;
    }
    const int training = vn_module_training(m);
    int code = vn_module_train(m, 0);
    if (!code) code = vn_set_with_grads(0);
    if (code) return vn_module_train(m, training), code;
    bool fits = true;
    for (int64_t b = 0; b * batch < rows && fits && !code; b++) code = take_batch(to, m, b, batch, &fits);
    vn__dataset_rest(data);
    vn_unset_with_grads();
    vn_module_train(m, training);
    if (!fits) to->n = 0, to->rows = 0;
    return code;
}
