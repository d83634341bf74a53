/* SPDX-License-Identifier: Apache-2.0 */
/* nn.c: runs bodies, and lists the parts of the suite "nn". A new part is one line here. */
#include "nn.h"

trial *nn_trial;

/* Bodies use the library's own generator with a fixed seed, because some of them check distributions. */
void nn_run(trial *t)
{
    nn_trial = t;
    vn_seed(0);
    ((const nn_body *)t->test->data)->run();
}

static const nn_part *const parts[] = {&nn_layers,   &nn_conv,    &nn_norm,        &nn_sequence,   &nn_transformer,
                                       &nn_signal,   &nn_augment, &nn_activations, &nn_functions,  &nn_losses,
                                       &nn_formulas, &nn_metrics, &nn_optim,       &nn_optimizers, &nn_learn,
                                       &nn_modules,  &nn_toolbox, &nn_features,    &nn_decompose};
enum { PARTS = sizeof parts / sizeof *parts };

static const conformance_test *tests(int *n)
{
    static conformance_test *rows;
    int made = 0;
    *n = 0;
    for (int p = 0; p < PARTS; p++) *n += parts[p]->n;
    if (rows) return rows;
    if (!(rows = calloc((size_t)*n, sizeof *rows))) return *n = 0, NULL;
    for (int p = 0; p < PARTS; p++)
        for (int k = 0; k < parts[p]->n; k++) rows[made++] = parts[p]->rows[k];
    return rows;
}

const suite suite_nn = {"nn", tests};
