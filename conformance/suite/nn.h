/* SPDX-License-Identifier: Apache-2.0 */
/* nn.h: the suite "nn": layers, losses, optimizers, schedules, initialisers, metrics and modules. A test is a plain function, its body,
 * that computes on the current engine and checks; nn.c runs it as the only case of its test. */
#ifndef VN_NN_SUITE_H
#define VN_NN_SUITE_H

#include "suite.h"

/* The running trial. Bodies run one at a time. */
extern trial *nn_trial;

#define CHECK(condition) ((void)trial_expect(nn_trial, CHECK_VALUE, condition, #condition))
/* The call fails with that code and a message that contains `text`; the error is cleared. */
#define CHECK_FAILS(call, code, text)                     \
    do {                                                  \
        vn_clear();                                       \
        (void)(call);                                     \
        trial_expect_failed(nn_trial, code, text, #call); \
    } while (0)

/* Equal within a relative tolerance. */
static inline bool near(double a, double b, double tolerance)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

typedef struct nn_body {
    void (*run)(void);
} nn_body;
void nn_run(trial *t);

/* A row: its table, its id without nn/, the body, what it checks. */
#define NN(table, key, body, about)                                                                                            \
    {                                                                                                                          \
        TEST_PLACE, .suite = table, .id = "nn/" key, .name = "nn_" key, .function = key, .what = about, .truth = TRUTH_CLOSED, \
                    .rtol = 1e-5, .atol = 1e-6, .dtypes = VN_BIT(VN_F32), .cases = 1, .fixed = true, .run = nn_run,            \
                    .data = &(const nn_body)                                                                                   \
        {                                                                                                                      \
            body                                                                                                               \
        }                                                                                                                      \
    }

/* The rows of one file. nn.c lists the files. */
typedef struct nn_part {
    const conformance_test *rows;
    int n;
} nn_part;
#define NN_PART(rows)                              \
    {                                              \
        rows, (int)(sizeof(rows) / sizeof *(rows)) \
    }
extern const nn_part nn_activations, nn_layers, nn_conv, nn_norm, nn_sequence, nn_transformer, nn_signal, nn_augment, nn_learn,
    nn_functions, nn_toolbox, nn_features, nn_decompose, nn_losses, nn_optim, nn_optimizers, nn_modules, nn_formulas, nn_metrics;

#endif
