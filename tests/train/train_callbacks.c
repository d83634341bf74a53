/* SPDX-License-Identifier: Apache-2.0 */
/* train_callbacks.c: regularizers and constraints, rates that fall on a plateau, averaged weights, callbacks by text, the learning-rate finder. Values of
 * regularizers, constraints and plateaus are Keras's. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"

static const float weights[] = {1, -2, 2, .5f, .25f, -.125f};

static vn_array *matrix(void)
{
    return vn_from_host(weights, VN_F32, VN_SHAPE(2, 3));
}

static double penalty(const char *text)
{
    vn_regularizer r = {0};
    CHECK(vn_regularizer_parse(text, &r) == VN_OK);
    return vn_item(vn_regularizer_value(&r, matrix()));
}

static bool bounds(const char *text, const double *want)
{
    vn_constraint c = {0};
    CHECK(vn_constraint_parse(text, &c) == VN_OK);
    vn_array *x = vn_cast(vn_constraint_value(&c, matrix()), VN_F64);
    const double *data = vn_data(x);
    bool same = data != NULL;
    for (int i = 0; i < 6 && same; i++) same = near(data[i], want[i], 1e-6);
    return same;
}

TEST(values)
{
    CHECK(near(penalty("l1(0.1)"), 0.5875000357627869, 1e-6) && near(penalty("l2(factor=0.2)"), 1.865625023841858, 1e-6));
    CHECK(near(penalty("l1_l2(0.1, 0.2)"), 2.453125, 1e-6) && near(penalty("l1_l2(l1=0, l2=0.2)"), 1.865625, 1e-6));
    CHECK(near(penalty("orthogonal(0.3)"), 0.04364357888698578, 1e-5) &&
          near(penalty("orthogonal(0.3, columns=1)"), 0.2694922089576721, 1e-5));
    CHECK(bounds("max_norm(2)", (const double[]){0.66666669, -1.33333337, 1.33333337, 0.49999991, 0.24999996, -0.12499998}));
    CHECK(bounds("min_max_norm(1, 2, 0.5)", (const double[]){0.83333331, -1.66666663, 1.66666663, 0.68643564, 0.34321782, -0.17160891}));
    CHECK(bounds("unit_norm", (const double[]){0.33333334, -0.66666669, 0.66666669, 0.87287134, 0.43643567, -0.21821783}));
    CHECK(bounds("spectral_norm",
                 (const double[]){0.33320006, -0.66640011, 0.66640011, 0.16660003, 0.08330001, -0.04165001})); /* numpy's svd */
    CHECK(bounds("non_negative", (const double[]){1, 0, 2, .5, .25, 0}));
    CHECK(bounds("max_norm(max_value=2, axis=-1)",
                 (const double[]){0.66666669, -1.33333337, 1.33333337, 0.49999991, 0.24999996, -0.12499998}));
    const vn_constraint made = vn_constraint_min_max_norm(1, 2, .5, -1);
    CHECK(near(vn_item(vn_max(vn_constraint_value(&made, matrix()), VN_ALL)), 1.66666663, 1e-6));
    vn_regularizer r;
    vn_constraint c;
    CHECK_FAILS(vn_regularizer_parse("l3(1)", &r), VN_E_ARG, "possible are l1, l2, l1_l2, orthogonal");
    CHECK_FAILS(vn_regularizer_parse("l2(-1)", &r), VN_E_ARG, "factor is -1");
    CHECK_FAILS(vn_regularizer_parse(NULL, &r), VN_E_NULL, "text is NULL");
    CHECK_FAILS(vn_constraint_parse("max_norm(nan)", &c), VN_E_ARG, "max_value is nan");
    CHECK_FAILS(vn_constraint_parse("max_norm", NULL), VN_E_NULL, "to is NULL");
    CHECK_FAILS(vn_constraint_parse("spectral_norm(0)", &c), VN_E_ARG, "iterations is 0");
    c = vn_constraint_spectral_norm(20);
    CHECK_FAILS(vn_constraint_value(&c, vn_zeros(VN_SHAPE(3), VN_F32)), VN_E_SHAPE, "two or more are needed");
    c = vn_constraint_max_norm(1, 5);
    CHECK_FAILS(vn_constraint_value(&c, matrix()), VN_E_ARG, "axis");
    CHECK_FAILS(vn_regularizer_value(&(vn_regularizer){0}, matrix()), VN_E_ARG, "not a valid regularizer");
    r = vn_regularizer_l2(-2);
    vn_clear();
    CHECK_FAILS(vn_module_regularize(vn_nn_linear(2, 2), "w", r), VN_E_ARG, "failed to be made");
}

/* ---- of a network ---- */

static vn_dataset *lines(void)
{
    vn_array *x = vn_reshape(vn_arange(0, 16, 1, VN_F32), VN_SHAPE(8, 2));
    x = vn_mul(x, vn_scalar(.1));
    return vn_dataset_of(x, vn_sum(x, VN_KEEP(1)), NULL);
}

TEST(modules)
{
    vn_module *a = vn_nn_linear(2, 3), *b = vn_nn_linear(3, 1), *net = VN_SEQUENTIAL(a, vn_nn_tanh(), b);
    CHECK(vn_item(vn_module_penalty(net)) == 0);
    CHECK(vn_module_regularize(a, "w", vn_regularizer_l2(.5)) == VN_OK &&
          vn_module_regularize(net, "submodules/v2/b", vn_regularizer_l1(2)) == VN_OK);
    CHECK(vn_module_constrain(b, "w", vn_constraint_unit_norm(-1)) == VN_OK &&
          vn_module_constrain(a, "w", vn_constraint_non_negative()) == VN_OK);
    vn_into(vn_module_var(b, "b"), vn_full(vn_scalar(-3), VN_SHAPE(1), VN_F32));
    const double squares = vn_item(vn_sum(vn_square(vn_module_var(a, "w")), VN_ALL));
    CHECK(near(vn_item(vn_module_penalty(net)), .5 * squares + 6, 1e-6));
    CHECK(vn_module_apply_constraints(net) == VN_OK);
    CHECK(near(vn_item(vn_sum(vn_square(vn_module_var(b, "w")), VN_ALL)), 1, 1e-5) && vn_item(vn_min(vn_module_var(a, "w"), VN_ALL)) >= 0);
    /* In training: the loss has the penalty, and constraints hold after each step. */
    const double before = vn_item(vn_module_penalty(net));
    vn_fit_result r = {.size = sizeof r};
    vn_dataset *data = lines();
    vn_evaluation e = {.size = sizeof e};
    CHECK(vn_evaluate(net, data, NULL, &e) == VN_OK);
    CHECK(vn_fit(net, data, VN_OPTS(fit, .epochs = 1, .batch = 8, .optim = vn_sgd(.05)), &r) == VN_OK);
    CHECK(near(r.history[0].scores[0].value, e.scores[0].value + before, 1e-5));
    CHECK(near(vn_item(vn_sum(vn_square(vn_module_var(b, "w")), VN_ALL)), 1, 1e-5) && vn_item(vn_min(vn_module_var(a, "w"), VN_ALL)) >= 0);
    /* In parts of a batch the penalty counts once. */
    CHECK(vn_evaluate(net, data, NULL, &e) == VN_OK);
    const double now = vn_item(vn_module_penalty(net));
    CHECK(vn_fit(net, data, VN_OPTS(fit, .epochs = 1, .batch = 8, .micro_batches = 4, .optim = vn_sgd(.05)), &r) == VN_OK);
    CHECK(near(r.history[0].scores[0].value, e.scores[0].value + now, 1e-5));
    CHECK_FAILS(vn_module_regularize(a, "weight", vn_regularizer_l2(.5)), VN_E_STRUCT, "weight");
    CHECK_FAILS(vn_module_regularize(a, "", vn_regularizer_l2(.5)), VN_E_ARG, "the name of a variable");
    CHECK_FAILS(vn_module_regularize(a, NULL, vn_regularizer_l2(.5)), VN_E_NULL, "the name of a variable");
    CHECK_FAILS(vn_module_regularize(a, "b", vn_regularizer_orthogonal(.5)), VN_E_SHAPE, "");
    CHECK_FAILS(vn_module_constrain(a, "w", (vn_constraint){0}), VN_E_ARG, "nothing is given");
    CHECK_FAILS(vn_module_penalty(NULL), VN_E_NULL, "m");
    CHECK_FAILS(vn_module_apply_constraints(NULL), VN_E_NULL, "m");
}

/* A penalty pulls the weights as the gradient of its formula does: one step of SGD. */
TEST(gradients)
{
    vn_module *m = vn_nn_linear(2, 1, VN_OPTS(nn_linear, .no_bias = 1));
    vn_into(vn_module_var(m, "w"), vn_from((float[]){2, -3}, VN_SHAPE(1, 2)));
    CHECK(vn_module_regularize(m, "w", vn_regularizer_l1_l2(.1, .01)) == VN_OK);
    vn_dataset *zeros = vn_dataset_of(vn_zeros(VN_SHAPE(4, 2), VN_F32), vn_zeros(VN_SHAPE(4, 1), VN_F32));
    CHECK(vn_fit(m, zeros, VN_OPTS(fit, .epochs = 1, .batch = 4, .optim = vn_sgd(1)), NULL) == VN_OK);
    const float *w = vn_data(vn_module_var(m, "w"));
    CHECK(w && near(w[0], 2 - .1 - .04, 1e-6) && near(w[1], -3 + .1 + .06, 1e-6));
}

static const char *const file =
    "{\"layers\": [{\"type\": \"linear\", \"out\": 3, \"regularizers\": {\"w\": \"l2(0.5)\"}, \"constraints\": {\"w\": \"max_norm(0.1)\", "
    "\"b\": \"non_negative\"}}, {\"type\": \"relu\"}, {\"type\": \"linear\", \"out\": \"outputs\"}]}";

TEST(model_files)
{
    vn_module *net = vn_model_parse(file, "net", VN_SHAPE(2), 1);
    CHECK(net && vn_item(vn_module_penalty(net)) > 0 && vn_module_apply_constraints(net) == VN_OK);
    CHECK(near(vn_item(vn_module_penalty(net)),
               .5 * vn_item(vn_sum(vn_square(vn_module_var(net, "submodules/v1/submodules/v0/w")), VN_ALL)), 1e-6));
    CHECK(vn_item(vn_max(vn_sum(vn_square(vn_module_var(net, "submodules/v1/submodules/v0/w")), VN_AXES(1)), VN_ALL)) < .0101);
#define LAYER_WITH(x) "{\"layers\": [{\"type\": \"linear\", \"out\": 3, " x "}]}"
    CHECK_FAILS(vn_model_parse(LAYER_WITH("\"regularizers\": \"l2\""), "net", VN_SHAPE(2), 1), VN_E_FORMAT,
                "an object such as {\"w\": \"l2(0.01)\"}");
    CHECK_FAILS(vn_model_parse(LAYER_WITH("\"regularizers\": {\"w\": 3}"), "net", VN_SHAPE(2), 1), VN_E_FORMAT, "a text is needed");
    CHECK_FAILS(vn_model_parse(LAYER_WITH("\"constraints\": {\"w\": \"norm\"}"), "net", VN_SHAPE(2), 1), VN_E_ARG, "layer 1 (linear)");
    CHECK_FAILS(vn_model_parse(LAYER_WITH("\"constraints\": {\"v\": \"unit_norm\"}"), "net", VN_SHAPE(2), 1), VN_E_STRUCT, "\"v\"");
    CHECK_FAILS(vn_model_parse(LAYER_WITH("\"constraint\": {\"w\": \"unit_norm\"}"), "net", VN_SHAPE(2), 1), VN_E_ARG, "constraint");
}

/* ---- plateaus ---- */

/* A metric with the values that Keras's callback was given. */
static vn_array *scripted(vn_array *prediction, vn_array *target, void *user)
{
    (void)prediction, (void)target;
    static const double values[] = {1, .9, .95, .93, .9, .91, .85, .86, .87, .88, .89, .9};
    return vn_full(vn_scalar(values[*(int *)user]), VN_0D, VN_F64);
}
static int next_epoch(const vn_fit_event *e, void *user)
{
    if (e->moment == VN_FIT_EPOCH) ++*(int *)user;
    return 0;
}

static void check_rates(const char *callbacks, const double *want)
{
    int at = 0;
    const vn_own_metric own = {.name = "score", .fn = scripted, .user = &at, .smaller = 1};
    vn_optim *o = vn_sgd(.1);
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(vn_nn_linear(2, 1), lines(),
                 VN_OPTS(fit, .epochs = 12, .batch = 8, .optim = o, .own_metrics = &own, .n_own_metrics = 1, .monitor = "score",
                         .watch = next_epoch, .watch_user = &at, .callbacks = callbacks),
                 &r) == VN_OK);
    for (int k = 1; k < 12 && r.n_history == 12; k++)
        CHECK(near(r.history[k].lr, want[k - 1], 1e-12)); /* what an epoch decides holds for the next */
    CHECK(vn_optim_lr(o) == .1);
}

TEST(plateaus)
{
    check_rates("reduce_on_plateau(0.5, patience=2)", (const double[]){.1, .1, .1, .05, .05, .025, .025, .025, .0125, .0125, .00625});
    check_rates("reduce_on_plateau(0.5, 2, cooldown=2, min_lr=0.03)", (const double[]){.1, .1, .1, .05, .05, .05, .05, .05, .03, .03, .03});
    vn_module *m = vn_nn_linear(2, 1);
    CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .plateau_factor = .5), NULL), VN_E_ARG, "no effect without plateau_patience");
    CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .plateau_factor = 1.5, .plateau_patience = 2), NULL), VN_E_ARG, "plateau_factor is 1.5");
    CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .plateau_patience = -2), NULL), VN_E_ARG, "plateau_patience is -2");
    CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .plateau_patience = 2, .min_lr = -1), NULL), VN_E_ARG, "min_lr is -1");
}

/* A training that is resumed has the rates of one that was not interrupted. */
TEST(plateau_resumed)
{
    for (int parts = 1; parts <= 2; parts++) {
        vn_fit_result r = {.size = sizeof r};
        vn_seed(3);
        vn_module *m = vn_nn_linear(2, 1);
        remove(in_folder("p.ckpt"));
        for (int k = 1; k <= parts; k++)
            CHECK(vn_fit(m, lines(),
                         VN_OPTS(fit, .epochs = 12 * k / parts, .batch = 8, .optim = vn_sgd(1e-9), .min_delta = 1, .plateau_patience = 3,
                                 .plateau_factor = .5, .checkpoint = in_folder("p.ckpt"), .resume = 1),
                         &r) == VN_OK);
        CHECK(r.n_history == 12 && near(r.history[11].lr, 1e-9 / 8, 1e-12) && near(r.history[7].lr, 1e-9 / 4, 1e-12));
    }
}

/* ---- averages ---- */

static int steps_moved(const vn_fit_event *e, void *user)
{
    if (e->moment == VN_FIT_STEP) ((double *)user)[e->step] = vn_item(vn_sum(vn_module_var(e->module, "w"), VN_ALL));
    return 0;
}

/* The result is the moving average of what the steps went through, as Keras's SwapEMAWeights: it begins with the first weights. */
TEST(averages)
{
    double w[32] = {0};
    for (int parts = 1; parts <= 2; parts++) {
        vn_seed(5);
        vn_module *m = vn_nn_linear(2, 1);
        double average = vn_item(vn_sum(vn_module_var(m, "w"), VN_ALL));
        remove(in_folder("a.ckpt"));
        for (int k = 1; k <= parts; k++)
            CHECK(
                vn_fit(m, lines(),
                       VN_OPTS(fit, .epochs = 4 * k / parts, .batch = 4, .no_shuffle = 1, .optim = vn_sgd(.1), .callbacks = "average(0.75)",
                               .watch = steps_moved, .watch_user = w, .checkpoint = in_folder("a.ckpt"), .resume = 1),
                       NULL) == VN_OK);
        for (int k = 1; k <= 8; k++) average = .75 * average + .25 * w[k];
        CHECK(near(vn_item(vn_sum(vn_module_var(m, "w"), VN_ALL)), average, 1e-5) && fabs(average - w[8]) > 1e-4);
    }
    vn_module *m = vn_nn_linear(2, 1);
    CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .average = 1), NULL), VN_E_ARG, "the decay is 1");
    CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .average = .5, .optim = vn_schedule_free_sgd(.1)), NULL), VN_E_ARG,
                "averages weights itself");
}

/* ---- texts ---- */

TEST(texts)
{
    vn_module *m = vn_nn_linear(2, 1);
    vn_fit_result r = {.size = sizeof r};
    char list[2000];
    snprintf(list, sizeof list,
             " csv_log(%s), early_stopping( 2 , min_delta=1000, monitor=loss ) , best(path=%s, monitor=loss), tensorboard(%s)",
             in_folder("c.csv"), in_folder("best.ckpt"), in_folder("board"));
    CHECK(vn_fit(m, lines(), VN_OPTS(fit, .epochs = 20, .optim = vn_sgd(.01), .callbacks = list), &r) == VN_OK);
    CHECK(r.stop == VN_STOP_EARLY && r.epochs == 3);
    vn_run run = {.size = sizeof run};
    CHECK(vn_run_load(in_folder("c.csv"), &run) == VN_OK && run.result->n_history == 3 &&
          vn_run_load(in_folder("best.ckpt"), &run) == VN_OK);
#define REFUSED(text, words) CHECK_FAILS(vn_fit(m, lines(), VN_OPTS(fit, .callbacks = text), NULL), VN_E_ARG, words)
    REFUSED("early_stoping(3)", "did you mean \"early_stopping\"");
    REFUSED("early_stopping(3, 4, loss, 1, 5)", "no place for");
    REFUSED("early_stopping(wait=3)", "no option");
    REFUSED("early_stopping(x)", "a whole number is needed");
    REFUSED("early_stopping(3", "a bracket is not closed");
    REFUSED("reduce_on_plateau(x)", "a number is needed");
    REFUSED("average", "needs its decay");
    REFUSED("best()", "needs its path");
    REFUSED("best(monitor=loss)", "needs its path"); /* which does nothing without one */
    REFUSED("csv_log(a.csv,)", "no place for");
    REFUSED("early_stopping(3), early_stopping(4)", "given twice");
    REFUSED("early_stopping(3, monitor=val_loss), best(a, monitor=loss)", "given twice");
    REFUSED("early_stopping(-3)", "patience -3");
    REFUSED(",", "there is no callback");
    CHECK(vn_fit(m, lines(), VN_OPTS(fit, .epochs = 1, .callbacks = "  "), NULL) == VN_OK);
}

/* ---- the learning-rate finder ---- */

TEST(find_lr)
{
    vn_seed(1);
    vn_array *rows = vn_random_normal(0, 1, VN_SHAPE(256, 8));
    vn_dataset *data = vn_dataset_of(rows, vn_cast(vn_greater(vn_sum(rows, VN_AXES(1)), vn_scalar(0)), VN_I64), NULL);
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(8, 16), vn_nn_relu(), vn_nn_dropout(.1), vn_nn_linear(16, 2));
    vn_tree *before = vn_tree_deep_copy(vn_module_v(net));
    vn_optim *o = vn_sgd(.3, VN_OPTS(sgd, .momentum = .9));
    uint64_t random[2], after[2];
    vn_random_state(random);
    vn_lr_found f = {.size = sizeof f};
    CHECK(vn_find_lr(net, data, VN_OPTS(find_lr, .optim = o, .steps = 60, .from = 1e-4, .to = 1e4), &f) == VN_OK);
    CHECK(f.n > 20 && f.n <= 60 && near(f.rates[0], 1e-4, 1e-12) && near(f.rates[1] / f.rates[0], pow(1e8, 1. / 59), 1e-9));
    CHECK(f.suggested > 1e-4 && f.suggested < 100 && f.least >= f.suggested && isfinite(f.losses[f.n - 1]));
    CHECK(near(f.smooth[0], f.losses[0], 1e-12) && near(f.smooth[1], (.9 * .1 * f.losses[0] + .1 * f.losses[1]) / (1 - .9 * .9), 1e-12));
    vn_random_state(after);
    CHECK(vn_item(vn_tree_allclose(before, vn_module_v(net))) == 1 && !memcmp(random, after, sizeof random));
    CHECK(vn_optim_lr(o) == .3 && vn_optim_steps(o) == 0);
    vn_lr_found again = {.size = sizeof again};
    CHECK(vn_find_lr(net, data, VN_OPTS(find_lr, .optim = o, .steps = 60, .from = 1e-4, .to = 1e4), &again) == VN_OK);
    CHECK(again.n == f.n && again.suggested == f.suggested);
    CHECK(vn_find_lr(net, data, NULL, &again) == VN_OK && again.n > 10);
    CHECK_FAILS(vn_find_lr(net, data, NULL, NULL), VN_E_NULL, "result is NULL");
    CHECK_FAILS(vn_find_lr(net, data, NULL, &(vn_lr_found){0}), VN_E_ARG, "sizeof(vn_lr_found)");
    CHECK_FAILS(vn_find_lr(net, data, VN_OPTS(find_lr, .from = 1, .to = .5), &f), VN_E_ARG, "rates above 0 that rise");
    CHECK_FAILS(vn_find_lr(net, data, VN_OPTS(find_lr, .from = -1), &f), VN_E_ARG, "rates above 0 that rise");
    CHECK_FAILS(vn_find_lr(net, data, VN_OPTS(find_lr, .steps = 3), &f), VN_E_ARG, "3 steps");
    CHECK_FAILS(vn_find_lr(net, data, VN_OPTS(find_lr, .loss = "mess"), &f), VN_E_ARG, "there is no loss");
    CHECK_FAILS(vn_find_lr(vn_nn_linear(7, 2), data, NULL, &f), VN_E_SHAPE, "a last axis of 7");
    CHECK(vn_find_lr(net, data, VN_OPTS(find_lr, .from = 1e30, .to = 1e35, .optim = o), &f) != VN_OK || f.n >= 3);
    vn_clear();
    CHECK(vn_item(vn_tree_allclose(before, vn_module_v(net))) == 1);
}

FOLDER_TEST_MAIN
