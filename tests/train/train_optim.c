/* SPDX-License-Identifier: Apache-2.0 */
/* train_optim.c: optimizers that need something of the loop: a factor of the loss, an average to evaluate, the loss itself to
 * search along; and those that vn_fit refuses. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: full on jax */
/* ctest: sanitize */
#include "folder.h"

enum { ROWS = 48, WIDTH = 3, BATCH = 16 };

static vn_dataset *numbers(void)
{
    vn_array *x = vn_normal(vn_random_key_of(7), vn_scalar(0), vn_scalar(1), VN_SHAPE(ROWS, WIDTH), VN_F32);
    return vn_dataset_of(x, vn_sum(vn_mul(x, vn_from((float[]){1, -2, .5f}, VN_SHAPE(WIDTH))), VN_AXES(1)), NULL);
}

static vn_module *network(uint64_t seed)
{
    vn_seed(seed);
    return VN_SEQUENTIAL(vn_nn_linear(WIDTH, 4, NULL), vn_nn_tanh(), vn_nn_linear(4, 1, NULL));
}

static int same_trees(const vn_tree *a, const vn_tree *b)
{
    return vn_tree_identical(2, (const vn_tree *[]){a, b}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1;
}

static double last_of(const vn_fit_result *r, const char *name)
{
    return r->n_history ? vn_score_of(r->history[r->n_history - 1].scores, r->history[r->n_history - 1].n_scores, name) : NAN;
}

/* ---- a factor of the loss ---- */

/* A power of two changes no bits, unless a compiler fuses the two programs differently, as XLA does. */
static int agree(const vn_tree *a, const vn_tree *b)
{
    if (same_trees(a, b)) return 1;
    return strcmp(vn_using(), "jax") == 0 && vn_item(vn_tree_allclose(a, b, VN_OPTS(allclose, .rtol = 1e-5, .atol = 1e-7))) == 1;
}
TEST(loss_scale)
{
    for (int64_t parts = 1; parts <= 2; parts++) {
        vn_module *m = network(1), *n = network(1);
        vn_fit_result want = {.size = sizeof want}, r = {.size = sizeof r};
        CHECK(vn_fit(m, numbers(),
                     VN_OPTS(fit, .epochs = 3, .batch = BATCH, .validation_rows = 8, .micro_batches = parts, .optim = vn_sgd(.1, NULL)),
                     &want) == VN_OK);
        CHECK(vn_fit(n, numbers(),
                     VN_OPTS(fit, .epochs = 3, .batch = BATCH, .validation_rows = 8, .micro_batches = parts,
                             .optim = vn_loss_scale(vn_sgd(.1, NULL), NULL)),
                     &r) == VN_OK);
        CHECK(near(last_of(&r, "loss"), last_of(&want, "loss"), 1e-6) && near(last_of(&r, "val_loss"), last_of(&want, "val_loss"), 1e-6));
        CHECK(last_of(&r, "loss") < r.history[0].scores[0].value);
        CHECK(agree(vn_module_v(m), vn_module_v(n)));
    }
}

/* ---- averages instead of a schedule ---- */

static vn_array *batch_loss(vn_module *m, void *data)
{
    vn_array **xy = data;
    return vn_mean(vn_square(vn_sub(vn_reshape(vn_module_call(m, xy[0], NULL), vn_shape_of(xy[1])), xy[1])), VN_ALL);
}

static vn_fit_opts settings(int64_t epochs, vn_optim *o)
{
    return *VN_OPTS(fit, .epochs = epochs, .batch = BATCH, .no_shuffle = 1, .validation = numbers(), .optim = o);
}

typedef struct {
    int64_t at;
    double seen[8]; /* the loss of the module that each epoch's event has */
} watching;

static double loss_now(vn_module *m)
{
    vn_evaluation e = {.size = sizeof e};
    CHECK(vn_evaluate(m, numbers(), VN_OPTS(evaluate, .batch = BATCH), &e) == VN_OK);
    return e.scores[0].value;
}

static int watch(const vn_fit_event *e, void *user)
{
    watching *w = user;
    VN_SCOPE;
    if (e->moment == VN_FIT_EPOCH) w->seen[e->epoch] = loss_now(e->module), vn_module_train(e->module, 1);
    return e->moment == VN_FIT_STEP && e->step == w->at;
}

/* The steps by hand, then the average. */
static vn_tree *by_hand(vn_module *m, vn_optim *o, int epochs)
{
    for (int k = 0; k < epochs * ROWS / BATCH; k++) {
        VN_SCOPE;
        vn_array *x = vn_normal(vn_random_key_of(7), vn_scalar(0), vn_scalar(1), VN_SHAPE(ROWS, WIDTH), VN_F32);
        vn_array *y = vn_sum(vn_mul(x, vn_from((float[]){1, -2, .5f}, VN_SHAPE(WIDTH))), VN_AXES(1));
        vn_array *xy[] = {vn_rows(x, k * BATCH % ROWS, BATCH), vn_rows(y, k * BATCH % ROWS, BATCH)};
        vn_tree *g = NULL;
        CHECK(vn_module_value_and_grad(m, batch_loss, xy, &g) && vn_step(o, vn_module_v(m), g) == VN_OK);
    }
    return vn_optim_eval_params(o, vn_module_v(m));
}

TEST(schedule_free)
{
    vn_module *m = network(1), *hand = network(1);
    vn_optim *o = vn_schedule_free_adamw(.05, NULL);
    vn_fit_opts first = settings(3, o);
    watching w = {0};
    vn_fit_result r = {.size = sizeof r};
    first.watch = watch, first.watch_user = &w;
    CHECK(vn_fit(m, numbers(), &first, &r) == VN_OK);
    vn_tree *average = by_hand(hand, vn_schedule_free_adamw(.05, NULL), 3);
    CHECK(vn_item(vn_tree_allclose(vn_module_v(m), average, VN_OPTS(allclose, .rtol = 1e-5, .atol = 1e-6))) == 1);
    CHECK(vn_item(vn_tree_allclose(vn_module_v(m), vn_module_v(hand), VN_OPTS(allclose, .rtol = 1e-5, .atol = 1e-6))) == 0);
    CHECK(near(last_of(&r, "val_loss"), loss_now(m), 1e-6) && near(w.seen[3], loss_now(m), 1e-6));
    /* It goes on from there. */
    const vn_tree *again = vn_optim_eval_params(o, vn_module_v(m));
    CHECK(vn_item(vn_tree_allclose(vn_module_v(m), again, VN_OPTS(allclose, .rtol = 1e-6, .atol = 1e-6))) == 1);
    vn_fit_opts more = settings(3, o);
    vn_fit_result s = {.size = sizeof s};
    CHECK(vn_fit(m, numbers(), &more, &s) == VN_OK && last_of(&s, "val_loss") < last_of(&r, "val_loss"));
}

/* A stop after an epoch, or in the middle of one, changes no bits; the file has the module as it is used. */
TEST(schedule_free_resumes)
{
    vn_module *straight = network(1);
    vn_fit_opts whole = settings(3, vn_schedule_free_sgd(.2, NULL));
    vn_fit_result want = {.size = sizeof want}, r = {.size = sizeof r};
    CHECK(vn_fit(straight, numbers(), &whole, &want) == VN_OK);
    for (int64_t at = 3; at <= 5; at++) {
        watching w = {.at = at};
        vn_module *m = network(1), *n = network(9), *saved = network(9);
        vn_fit_opts first = settings(3, vn_schedule_free_sgd(.2, NULL)), second = settings(3, vn_schedule_free_sgd(.2, NULL));
        first.watch = watch, first.watch_user = &w, first.checkpoint = second.checkpoint = in_folder("run.ckpt"), second.resume = 1;
        CHECK(vn_fit(m, numbers(), &first, &r) == VN_OK && r.steps == at);
        vn_checkpoint c = {.size = sizeof c, .module = saved};
        CHECK(vn_checkpoint_load(first.checkpoint, &c) == VN_OK && same_trees(vn_module_v(saved), vn_module_v(m)));
        CHECK(vn_fit(n, numbers(), &second, &r) == VN_OK && r.steps == 9);
        CHECK(same_trees(vn_module_v(n), vn_module_v(straight)) && last_of(&r, "val_loss") == last_of(&want, "val_loss"));
        CHECK(last_of(&r, "loss") == last_of(&want, "loss"));
        folder_empty();
    }
}

TEST(schedule_free_best)
{
    vn_module *m = network(1), *saved = network(9);
    vn_optim *o = vn_schedule_free_sgd(.2, NULL);
    vn_fit_opts opts = settings(3, o);
    opts.best = in_folder("best.ckpt"), opts.restore_best = 1;
    CHECK(vn_fit(m, numbers(), &opts, NULL) == VN_OK);
    vn_checkpoint c = {.size = sizeof c, .module = saved};
    CHECK(vn_checkpoint_load(opts.best, &c) == VN_OK && same_trees(vn_module_v(saved), vn_module_v(m)));
    folder_empty();
}

/* ---- line searches ---- */

static vn_array *loss_of_v(const vn_tree *v, void *data)
{
    vn_array **xy = data;
    vn_array *z = vn_module_call((vn_module *)(void *)xy[2], xy[0], VN_OPTS(module_call, .v = v));
    return vn_mean(vn_square(vn_sub(vn_reshape(z, vn_shape_of(xy[1])), xy[1])), VN_ALL);
}

/* With the whole data as a batch vn_fit is a loop of vn_optim_minimize. */
TEST(searches)
{
    static const char *const texts[] = {"zoom(lbfgs(1))", "backtracking(lbfgs(1))"};
    for (int k = 0; k < 2; k++) {
        enum { EPOCHS = 6 };
        vn_module *m = network(1), *n = network(1);
        vn_array *x, *y;
        int64_t rows[ROWS];
        for (int i = 0; i < ROWS; i++) rows[i] = i;
        CHECK(vn_dataset_rows(numbers(), rows, ROWS, &x, &y) == VN_OK);
        vn_optim *o = vn_optim_parse(texts[k]);
        vn_fit_result r = {.size = sizeof r};
        CHECK(vn_fit(m, numbers(), VN_OPTS(fit, .epochs = EPOCHS, .batch = ROWS, .no_shuffle = 1, .optim = vn_optim_parse(texts[k])), &r) ==
              VN_OK);
        for (int e = 0; e < EPOCHS; e++) {
            vn_array *loss = vn_optim_minimize(o, loss_of_v, vn_module_v(n), (vn_array *[]){x, y, (vn_array *)(void *)n});
            CHECK(near(vn_item(loss), r.history[e].scores[0].value, 1e-4));
        }
        CHECK(vn_item(vn_tree_allclose(vn_module_v(m), vn_module_v(n), VN_OPTS(allclose, .rtol = 1e-3, .atol = 1e-4))) == 1);
        CHECK(last_of(&r, "loss") < .1 * r.history[0].scores[0].value);
    }
}

/* Searching leaves buffers and random numbers as the step made them, and a training can be resumed. */
NATIVE_TEST(searches_beside_state)
{
    vn_module *m[2];
    uint64_t random[2][2];
    for (int k = 0; k < 2; k++) {
        vn_seed(1);
        m[k] = VN_SEQUENTIAL(vn_nn_batch_norm1d(WIDTH, NULL), vn_nn_dropout(.2), vn_nn_linear(WIDTH, 1, NULL));
        vn_fit_opts o = settings(1, vn_optim_parse(k ? "zoom(sgd(0.5))" : "sgd(0.5)"));
        o.batch = ROWS;
        CHECK(vn_fit(m[k], numbers(), &o, NULL) == VN_OK && vn_random_state(random[k]) == VN_OK);
    }
    CHECK(same_trees(vn_module_buffers(m[0]), vn_module_buffers(m[1])) && !same_trees(vn_module_v(m[0]), vn_module_v(m[1])));
    CHECK(!memcmp(random[0], random[1], sizeof random[0]));
    vn_module *whole = network(1), *resumed = network(1);
    vn_fit_opts o = settings(4, vn_optim_parse("backtracking(sgd(5))"));
    CHECK(vn_fit(whole, numbers(), &o, NULL) == VN_OK);
    o = settings(2, vn_optim_parse("backtracking(sgd(5))")), o.checkpoint = in_folder("run.ckpt"), o.resume = 1;
    CHECK(vn_fit(resumed, numbers(), &o, NULL) == VN_OK);
    o.epochs = 4, o.optim = vn_optim_parse("backtracking(sgd(5))");
    CHECK(vn_fit(resumed, numbers(), &o, NULL) == VN_OK && same_trees(vn_module_v(whole), vn_module_v(resumed)));
    folder_empty();
    CHECK_FAILS(vn_fit(whole, numbers(), VN_OPTS(fit, .micro_batches = 2, .optim = vn_optim_parse("zoom(sgd(5))")), NULL), VN_E_ARG,
                "fit: zoom(sgd(5)) searches along the loss of a whole batch, which cannot be in parts: leave out micro_batches");
}

/* ---- what no loop can do ---- */

NATIVE_TEST(refused)
{
    const struct {
        const char *text, *message;
    } all[] = {{"masked(sgd(5), nothing*)", "fit: masked: the pattern \"nothing*\" matches none of the parameters"},
               {"chain(clip(1))", "up its gradient"},
               {"direction(sgd(5))", "up its gradient"}};
    folder_empty();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_module *m = network(1), *n = network(1);
        vn_fit_opts o = settings(1, vn_optim_parse(all[k].text));
        o.checkpoint = in_folder("run.ckpt");
        CHECK_FAILS(vn_fit(m, numbers(), &o, NULL), all[k].message[0] == 'f' && strstr(all[k].message, "masked") ? VN_E_STRUCT : VN_E_ARG,
                    all[k].message);
        CHECK(same_trees(vn_module_v(m), vn_module_v(n)) && folder_count() == 0);
    }
}

FOLDER_TEST_MAIN
