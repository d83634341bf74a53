/* SPDX-License-Identifier: Apache-2.0 */
/* failed_objects.c: an object that failed to be made is never replaced by a default. An initialiser, schedule, loss or metric carries its
 * failure; an optimizer, dataset, module, tree or trace is NULL, which counts as "not given" only while the thread has no error. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <unistd.h>
#include <vinea/files.h>
#include <vinea/nn.h>
#include <vinea/train.h>
#include <vinea/tree.h>

static vn_dataset *points(void)
{
    static const float x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {1, 3, 5, 7, 9, 11, 13, 15};
    return vn_dataset_of(vn_from(x, VN_SHAPE(8, 1)), vn_from(y, VN_SHAPE(8, 1)), NULL);
}

/* CHECK_FAILS clears the error first, so that only the value itself can say that it failed. */
TEST(initialisers)
{
    const vn_init bad = vn_init_normal(0, -1);
    CHECK(bad.kind < 0 && vn_status() == VN_E_ARG);
    CHECK_FAILS(vn_nn_linear(2, 2, VN_OPTS(nn_linear, .w_init = bad)), VN_E_ARG, "nn_linear: w_init failed to be made");
    CHECK_FAILS(vn_nn_linear(2, 2, VN_OPTS(nn_linear, .b_init = bad)), VN_E_ARG, "nn_linear: b_init failed to be made");
    CHECK_FAILS(vn_nn_embedding(2, 2, VN_OPTS(nn_embedding, .w_init = bad)), VN_E_ARG, "nn_embedding: w_init");
    CHECK_FAILS(vn_nn_prelu(1, VN_OPTS(nn_prelu, .init = bad)), VN_E_ARG, "nn_prelu: init failed to be made");
    CHECK_FAILS(vn_nn_conv2d(1, 1, VN_LIST(1), VN_OPTS(nn_conv2d, .w_init = bad)), VN_E_ARG, "nn_conv2d: w_init");
    CHECK_FAILS(vn_nn_conv2d_transpose(1, 1, VN_LIST(1), VN_OPTS(nn_conv2d_transpose, .b_init = bad)), VN_E_ARG, "b_init");
    CHECK_FAILS(vn_nn_depthwise_conv2d(1, VN_LIST(1), VN_OPTS(nn_depthwise_conv2d, .w_init = bad)), VN_E_ARG, "w_init");
    CHECK_FAILS(vn_nn_lstm(1, 1, VN_OPTS(nn_lstm, .w_init = bad)), VN_E_ARG, "nn_lstm: w_init failed to be made");
    CHECK_FAILS(vn_init_array(bad, VN_SHAPE(2), 1, 1, VN_F32), VN_E_ARG, "init_array: the initialiser failed to be made");
    const vn_tree_spec spec = {.path = "w", .shape = VN_SHAPE(2), .init = bad};
    CHECK_FAILS(vn_tree_init(VN_NONE, 1, &spec, VN_F32), VN_E_ARG, "failed to be made");
    CHECK(vn_init_uniform(1, 1, 1, VN_OPTS(init_fan, .fan = "none")).kind < 0);
    CHECK(vn_init_siren(0).kind < 0 && vn_init_constant(NAN).kind < 0);
    vn_clear();
}

TEST(schedules)
{
    const vn_schedule bad[] = {vn_constant(-1),
                               vn_step_decay(1, 0, 1),
                               vn_exponential_decay(1, .5, 0),
                               vn_linear_decay(1, 0, 0),
                               vn_cosine(1, -1, 10),
                               vn_one_cycle(NAN, 10),
                               vn_schedule_of(NULL, NULL),
                               vn_warm_up(vn_constant(1), -1),
                               vn_warm_up(vn_constant(-1), 1)};
    vn_clear();
    vn_optim *o = vn_sgd(.5, NULL);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK(bad[k].kind < 0);
        CHECK_FAILS(vn_optim_schedule(o, bad[k]), VN_E_ARG, "optim_schedule: the schedule failed to be made");
        CHECK_FAILS(vn_schedule_at(&bad[k], 0), VN_E_ARG, "schedule_at: the schedule failed to be made");
        CHECK(vn_warm_up(bad[k], 1).kind < 0);
    }
    CHECK(vn_optim_lr(o) == .5);
    CHECK_FAILS(vn_cosine(1, 0, 0), VN_E_ARG, "cosine: steps is 0; a number in [1, inf] is needed");
    CHECK_FAILS(vn_constant(-1), VN_E_ARG, "constant: rate is -1; a number in [0, inf) is needed");
    CHECK_FAILS(vn_warm_up(vn_constant(1), -1), VN_E_ARG, "warm_up: a warm-up of -1 steps");
    CHECK_FAILS(vn_schedule_of(NULL, NULL), VN_E_NULL, "schedule_of: fn is NULL");
    const vn_schedule whole = vn_warm_up(vn_linear_decay(1, VN_ZERO, 4), VN_ZERO);
    CHECK(vn_schedule_at(&whole, 0) == 1 && vn_schedule_at(&whole, 4) == 0);
}

TEST(losses_and_metrics)
{
    const vn_loss loss = vn_loss_huber(-1);
    const vn_metric metric = vn_metric_top(0);
    vn_array *x = vn_ones(VN_SHAPE(2, 1), VN_F32);
    vn_module *m = vn_nn_linear(1, 1, NULL);
    vn_evaluation e = {.size = sizeof e};
    CHECK(loss.kind < 0 && metric.kind < 0);
    CHECK_FAILS(vn_fit(m, points(), VN_OPTS(fit, .made_loss = loss), NULL), VN_E_ARG, "fit: the loss failed to be made");
    CHECK_FAILS(vn_evaluate(m, points(), VN_OPTS(evaluate, .made_loss = loss), &e), VN_E_ARG, "evaluate: the loss failed to be made");
    CHECK_FAILS(vn_loss_value(&loss, x, x), VN_E_ARG, "loss_value: the loss failed to be made");
    CHECK_FAILS(vn_metric_value(&metric, x, x), VN_E_ARG, "metric_value: a metric failed to be made");
    const vn_own_metric own = {.made = metric};
    CHECK_FAILS(vn_fit(m, points(), VN_OPTS(fit, .own_metrics = &own, .n_own_metrics = 1), NULL), VN_E_ARG,
                "fit: a metric failed to be made");
    CHECK_FAILS(vn_evaluate(m, points(), VN_OPTS(evaluate, .own_metrics = &own, .n_own_metrics = 1), &e), VN_E_ARG,
                "evaluate: a metric failed to be made");
    CHECK(vn_loss_cross_entropy(VN_OPTS(loss_cross_entropy, .label_smoothing = 2)).kind < 0);
    CHECK(vn_metric_f1(VN_OPTS(metric_f1, .average = "mean")).kind < 0);
    vn_loss to = {0};
    const vn_option delta = {.name = "delta", .kind = VN_OPT_FLOAT, .n = 1, .u = {.f = -1}};
    CHECK_FAILS(vn_loss_make("huber", &delta, 1, &to), VN_E_ARG, "delta is -1");
}

static double first_weight(vn_module *m)
{
    return vn_item(vn_tree_get(vn_module_v(m), "w"));
}

/* The error stays that of what failed to be made. */
#define REFUSED(call)                                             \
    do {                                                          \
        CHECK((call) && vn_status() == VN_E_ARG);                 \
        CHECK(strstr(vn_message(), "a number in [0, inf)") != 0); \
        vn_clear();                                               \
    } while (0)
#define BAD_OPTIM vn_adam(-1, NULL)
#define BAD_TREE (BAD_OPTIM, (vn_tree *)NULL)

TEST(optimizers_and_datasets)
{
    vn_module *m = vn_nn_linear(1, 1, NULL);
    const double before = first_weight(m);
    vn_dataset *data = points();
    REFUSED(vn_fit(m, data, VN_OPTS(fit, .optim = BAD_OPTIM), NULL));
    CHECK(first_weight(m) == before);
    CHECK(vn_fit(m, data, VN_OPTS(fit, .validation = vn_dataset_of(VN_NONE, VN_NONE, NULL)), NULL) != VN_OK);
    vn_clear();
    CHECK(first_weight(m) == before);
    CHECK(vn_fit(m, data, VN_OPTS(fit, .epochs = 1), NULL) == VN_OK && first_weight(m) != before); /* not given: the default */
}

/* What a thread has can be saved after an error. */
TEST(checkpoints_after_an_error)
{
    char path[] = "/tmp/vinea-failed-XXXXXX";
    const int file = mkstemp(path);
    CHECK(file >= 0 && !close(file));
    vn_module *m = vn_nn_linear(1, 1, NULL);
    const double before = first_weight(m);
    CHECK(!BAD_OPTIM && vn_status() == VN_E_ARG);
    vn_checkpoint c = {.size = sizeof c, .module = m, .step = 7};
    CHECK(vn_checkpoint_save(path, &c) == VN_OK && vn_status() == VN_E_ARG);
    vn_clear();
    vn_module *again = vn_nn_linear(1, 1, NULL);
    vn_checkpoint read = {.size = sizeof read, .module = again};
    CHECK(vn_checkpoint_load(path, &read) == VN_OK && read.step == 7 && first_weight(again) == before);
    unlink(path);
}

TEST(trees_and_modules)
{
    vn_module *m = vn_nn_linear(1, 1, NULL), *top = VN_SEQUENTIAL(m);
    vn_array *x = vn_ones(VN_SHAPE(2, 1), VN_F32);
    REFUSED(!vn_module_call(m, x, VN_OPTS(module_call, .v = BAD_TREE)));
    REFUSED(!vn_module_call_tree(m, vn_tree_of("x", x, NULL), VN_OPTS(module_call, .trace = (BAD_OPTIM, (vn_module_trace *)NULL))));
    const vn_module_opts v = {.size = sizeof v, .v = BAD_TREE};
    REFUSED(!vn_nn_linear(1, 1, VN_OPTS(nn_linear, .module = &v)));
    BAD_OPTIM;
    REFUSED(!vn_nn_sequential(&m, 1, &v));
    REFUSED(!vn_module_trace_new(VN_OPTS(module_trace, .rets = 1, .expected = BAD_TREE)));
    REFUSED(!vn_module_build(top, BAD_TREE));
    /* what is not given needs no object, whatever failed before */
    BAD_OPTIM;
    CHECK(vn_module_call(m, x, NULL) != NULL && VN_SEQUENTIAL(m) != NULL);
    vn_clear();
}

static vn_array *same(vn_module *m, vn_array *x)
{
    (void)m;
    return x;
}

TEST(children)
{
    static const vn_module_class plain = {.name = "Plain", .forward = same};
    vn_module_opts later = {.size = sizeof later, .build_mode = VN_BUILD_EXPLICIT};
    vn_module *m = vn_module_new(&plain, NULL, &later);
    CHECK(vn_module_add(m, "none", NULL) == VN_OK); /* skipped */
    CHECK(vn_module_add(m, "bad", vn_nn_linear(-1, 2, NULL)) == VN_E_ARG);
    vn_clear();
    vn_module *const list[] = {vn_nn_relu(), vn_nn_dropout(-1, NULL)};
    CHECK(vn_module_add_list(m, "list", list, 2) == VN_E_ARG);
    vn_clear();
    CHECK(vn_module_add(m, "list", vn_nn_relu()) == VN_OK); /* none of them was added */
}

TEST_MAIN
