/* SPDX-License-Identifier: Apache-2.0 */
/* train.c: the training loop: it learns the same on every engine; a resumed training has the same bits as an uninterrupted one; steps
 * are few programs and memory is constant; early stopping, the best epoch, callbacks. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "folder.h"

enum { ROWS = 70, WIDTH = 4, CLASSES = 3, BATCH = 16 };

/* The class is the place of the largest of three sums. */
static vn_dataset *points(void)
{
    uint64_t state[2];
    vn_random_state(state);
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(ROWS, WIDTH));
    vn_array *y = vn_argmax(vn_matmul(x, vn_random_normal(0, 1, VN_SHAPE(WIDTH, CLASSES))), VN_AXES(-1));
    vn_random_set_state(state);
    return vn_dataset_of(x, y, NULL);
}

/* Dropout uses random numbers, the norm has buffers. */
static vn_module *network(uint64_t seed)
{
    vn_seed(seed);
    return VN_SEQUENTIAL(vn_nn_linear(WIDTH, 8, NULL), vn_nn_batch_norm1d(8, NULL), vn_nn_tanh(), vn_nn_dropout(.1, NULL),
                         vn_nn_linear(8, CLASSES, NULL));
}

static vn_optim *optimizer(void)
{
    vn_optim *o = vn_adam(.05, NULL);
    vn_optim_clip_norm(o, 5);
    vn_optim_schedule(o, vn_warm_up(vn_cosine(.05, .001, 40), 3));
    return o;
}

static int same_trees(const vn_tree *a, const vn_tree *b)
{
    return vn_tree_identical(2, (const vn_tree *[]){a, b}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1;
}

static double score(const vn_epoch *e, const char *name)
{
    for (int i = 0; i < e->n_scores; i++) {
        if (!strcmp(e->scores[i].name, name)) return e->scores[i].value;
    }
    return NAN;
}

static int same_history(const vn_fit_result *a, const vn_fit_result *b)
{
    if (a->n_history != b->n_history) return 0;
    for (int64_t i = 0; i < a->n_history; i++) {
        const vn_epoch *x = &a->history[i], *y = &b->history[i];
        if (x->epoch != y->epoch || x->step != y->step || x->lr != y->lr || x->n_scores != y->n_scores) return 0;
        for (int k = 0; k < x->n_scores; k++) {
            if (strcmp(x->scores[k].name, y->scores[k].name) != 0 || memcmp(&x->scores[k].value, &y->scores[k].value, sizeof(double)) != 0)
                return 0;
        }
    }
    return 1;
}

/* The lines of a CSV log without their last field, the seconds. */
static char *log_without_seconds(const char *path)
{
    bytes b = read_bytes(path);
    char *out = (char *)b.data, *to = out;
    out[b.size] = 0;
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        char *comma = strrchr(line, ',');
        size_t n = comma ? (size_t)(comma - line) : strlen(line);
        memmove(to, line, n);
        to += n;
        *to++ = '\n';
    }
    *to = 0;
    return out;
}

/* ---- learning ---- */

/* What is the same for all engines is tried on one: some compile every shape anew. */
NATIVE_TEST(classes)
{
    vn_module *m = network(1);
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(m, points(),
                 VN_OPTS(fit, .epochs = 12, .batch = BATCH, .optim = optimizer(), .validation_split = .2,
                         .metrics = "accuracy, top2,f1,precision,recall"),
                 &r) == VN_OK);
    CHECK(r.stop == VN_STOP_DONE && r.epochs == 12 && r.n_history == 12 && r.steps == 12 * 4 && r.resumed == 0);
    const vn_epoch *first = &r.history[0], *last = &r.history[11];
    CHECK(first->epoch == 1 && first->step == 4 && last->step == 48 && last->n_scores == 12);
    CHECK(score(last, "loss") < .6 * score(first, "loss") && score(last, "accuracy") > .7 &&
          score(last, "val_loss") < score(first, "val_loss"));
    CHECK(score(last, "top2") >= score(last, "accuracy") && score(last, "val_f1") > 0 && score(last, "val_f1") <= 1);
    CHECK(r.best_epoch >= 1 && r.best == score(&r.history[r.best_epoch - 1], "val_loss"));
    CHECK(vn_module_training(m) == 1);
}

NATIVE_TEST(numbers)
{
    vn_seed(3);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(40, 2));
    vn_array *y = vn_matmul(x, vn_from((float[]){2, -1}, VN_SHAPE(2)));
    vn_module *m = vn_nn_linear(2, 1, NULL); /* gives (n, 1) for targets (n) */
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(m, vn_dataset_of(x, y, NULL), VN_OPTS(fit, .epochs = 30, .batch = 8, .optim = vn_sgd(.1, NULL), .metrics = "mse,mae,rmse"),
                 &r) == VN_OK);
    const vn_epoch *last = &r.history[29];
    CHECK(score(last, "loss") < 1e-4 && near(score(last, "loss"), score(last, "mse"), 1e-12));
    CHECK(near(score(last, "rmse"), sqrt(score(last, "mse")), 1e-12) && isnan(score(last, "val_loss")));
    vn_array *p = vn_predict(m, vn_dataset_of(x, VN_NONE, NULL), 7);
    CHECK(p && vn_dim(p, 0) == 40 && vn_dim(p, 1) == 1);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_reshape(p, VN_SHAPE(40)), y)), VN_ALL)) < .1);
    vn_evaluation e = {.size = sizeof e};
    CHECK(vn_evaluate(m, vn_dataset_of(x, y, NULL), NULL, &e) == VN_OK && e.rows == 40 && !e.confusion && !e.classes && e.n_scores == 2);
    CHECK(e.scores[0].value < 1e-4 && !strcmp(e.scores[1].name, "mae"));
}

/* Every loss and metric of the table is one that vn_evaluate takes by name; options are numbers in brackets or behind the name. */
NATIVE_TEST(by_name)
{
    const float numbers[] = {0, 1, 3, -4};
    vn_array *x = vn_from(numbers, VN_SHAPE(4, 1)), *zeros = vn_zeros(VN_SHAPE(4), VN_F32);
    vn_dataset *values = vn_dataset_of(x, zeros, NULL);
    vn_dataset *classes = vn_dataset_of(vn_broadcast_to(x, VN_SHAPE(4, 6)), vn_zeros(VN_SHAPE(4), VN_I64), VN_OPTS(dataset, .classes = 6));
    vn_array *labels = vn_from_host((int64_t[]){0, 1, 0, 1}, VN_I64, VN_SHAPE(4));
    vn_array *image = vn_ones(VN_SHAPE(1, 176, 176, 1), VN_F32); /* large enough for similarity at five scales */
    vn_dataset *const all[] = {
        vn_dataset_of(image, vn_mul(image, vn_scalar(.5)), NULL), vn_dataset_of(x, labels, NULL),
        vn_dataset_of(x, vn_from((float[]){0, 1, 2, 1}, VN_SHAPE(4)), NULL), classes,
        vn_dataset_of(vn_broadcast_to(vn_reshape(x, VN_SHAPE(4, 1, 1)), VN_SHAPE(4, 5, 2)), vn_zeros(VN_SHAPE(4, 5), VN_I64), NULL)};
    vn_module *same = vn_nn_identity();
    static const char *const families[] = {"loss", "metric"};
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < vn_object_count(families[f]); i++) {
            vn_op_info info = {.size = sizeof info};
            int takes = 0;
            CHECK(!vn_object_at(families[f], i, &info) && info.doc[0] && !strcmp(info.kind, families[f]));
            check_name = info.name;
            vn_evaluate_opts o = {.size = sizeof o, .loss = f ? NULL : info.name, .metrics = f ? info.name : "none"};
            for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
                vn_evaluation e = {.size = sizeof e};
                if (f) o.loss = k == 1 ? "bce" : NULL; /* of one number */
                if (vn_evaluate(same, all[k], &o, &e)) vn_clear();
                else takes += e.n_scores == 1 + f && isfinite(e.scores[f].value);
            }
            CHECK(takes > 0);
        }
    }
    vn_evaluation e = {.size = sizeof e};
    CHECK(!vn_evaluate(same, values, VN_OPTS(evaluate, .loss = "huber"), &e) && near(e.scores[0].value, (.5 + 2.5 + 3.5) / 4, 1e-6));
    CHECK(!vn_evaluate(same, values, VN_OPTS(evaluate, .loss = "huber(2)"), &e) && near(e.scores[0].value, (.5 + 4 + 6) / 4, 1e-6));
    CHECK(!vn_evaluate(same, classes, VN_OPTS(evaluate, .loss = "cross_entropy(0.1)", .metrics = "top, top3"), &e));
    CHECK(near(e.scores[0].value, log(6), 1e-6) && !strcmp(e.scores[1].name, "top5") && !strcmp(e.scores[2].name, "top3"));
    CHECK_FAILS(vn_evaluate(same, values, VN_OPTS(evaluate, .loss = "mse(2)"), &e), VN_E_ARG, "mse takes 0 options, not \"2\"");
    CHECK(!vn_evaluate(same, values, VN_OPTS(evaluate, .loss = "Huber(2)", .metrics = "MAE"), &e) &&
          near(e.scores[0].value, (.5 + 4 + 6) / 4, 1e-6) && !strcmp(e.scores[1].name, "mae"));
    CHECK(!vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = "Accuracy, TOP3"), &e) && !strcmp(e.scores[1].name, "accuracy") &&
          !strcmp(e.scores[2].name, "top3"));
    CHECK(!vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = "None"), &e) && e.n_scores == 1);
    char spaced[700]; /* spaces do not count */
    snprintf(spaced, sizeof spaced, "top(%*s)", 600, "3");
    CHECK(!vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = spaced), &e) && !strcmp(e.scores[1].name, "top3"));
    CHECK_FAILS(vn_evaluate(same, values, VN_OPTS(evaluate, .loss = "huber(x)"), &e), VN_E_ARG,
                "huber: delta is \"x\"; a number is needed");
    CHECK_FAILS(vn_evaluate(same, values, VN_OPTS(evaluate, .loss = "hubr"), &e), VN_E_ARG, "did you mean \"huber\"?");
    CHECK_FAILS(vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = "acuracy"), &e), VN_E_ARG, "did you mean \"accuracy\"?");
    CHECK_FAILS(vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = "recall2"), &e), VN_E_ARG, "no metric \"recall2\"");
    CHECK_FAILS(vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = "top0"), &e), VN_E_ARG,
                "metric_top: k is 0; a number in [1, inf] is needed");
    CHECK_FAILS(vn_evaluate(same, classes, VN_OPTS(evaluate, .metrics = "accuracy,"), &e), VN_E_ARG, "no metric \"\"");
}

/* One batch by name: the values of vn_evaluate, a loss that can be differentiated, and what is refused. */
TEST(one_batch_by_name)
{
    static const char *const names[] = {"cross_entropy", "cross_entropy(0.1)"}, *const metrics[] = {"accuracy",  "top1",   "top2",
                                                                                                    "precision", "recall", "f1"};
    const int64_t labels[] = {0, 1, 2, 2};
    float logits[12];
    for (int k = 0; k < 12; k++) logits[k] = (float)((k * 7) % 5) / 2;
    vn_array *x = vn_variable(vn_from(logits, VN_SHAPE(4, 3))), *y = vn_from_host(labels, VN_I64, VN_SHAPE(4));
    vn_dataset *d = vn_dataset_of(vn_stop_gradient(x), y, NULL);
    vn_module *same = vn_nn_identity();
    vn_evaluation e = {.size = sizeof e};
    for (int k = 0; k < 2; k++) {
        CHECK(!vn_evaluate(same, d, VN_OPTS(evaluate, .loss = names[k]), &e));
        CHECK(near(vn_item(vn_loss_of(names[k], x, y)), e.scores[0].value, 1e-6));
    }
    const vn_own_metric own[] = {{.made = vn_metric_top(2)}, {.made = vn_metric_f1(VN_OPTS(metric_f1, .average = "weighted"))}};
    vn_loss smooth = vn_loss_cross_entropy(VN_OPTS(loss_cross_entropy, .label_smoothing = .1));
    CHECK(!vn_evaluate(same, d, VN_OPTS(evaluate, .made_loss = smooth, .metrics = "none", .own_metrics = own, .n_own_metrics = 2), &e));
    CHECK(near(vn_item(vn_loss_of(names[1], x, y)), e.scores[0].value, 1e-6) && !strcmp(e.scores[1].name, "top2"));
    CHECK(near(vn_metric_of("f1(weighted)", x, y), vn_score_of(e.scores, e.n_scores, "f1_weighted"), 1e-6));
    CHECK_FAILS(vn_evaluate(same, d, VN_OPTS(evaluate, .made_loss = smooth, .loss = "mse"), &e), VN_E_ARG, "one of them is enough");
    CHECK_FAILS(vn_evaluate(same, d, VN_OPTS(evaluate, .metrics = "top(k=2), f1(weighted), top2"), &e), VN_E_ARG, "top2 is given twice");
    CHECK(vn_size(vn_grad(vn_loss_of("cross_entropy", x, y), x)) == 12);
    for (int k = 0; k < 6; k++) {
        check_name = metrics[k];
        CHECK(!vn_evaluate(same, d, VN_OPTS(evaluate, .metrics = metrics[k]), &e));
        CHECK(near(vn_metric_of(metrics[k], x, y), e.scores[1].value, 1e-6));
    }
    vn_array *p = vn_from((float[]){1, 2, 5}, VN_SHAPE(3, 1)), *t = vn_from((float[]){1, 4, 5}, VN_SHAPE(3));
    CHECK(near(vn_item(vn_loss_of("mse", p, t)), 4. / 3, 1e-6) && near(vn_metric_of("rmse", p, t), sqrt(4. / 3), 1e-6));
    CHECK(near(vn_item(vn_loss_of("huber(0.5)", p, t)), .5 * (2 - .25) / 3, 1e-6));
    CHECK_FAILS(vn_loss_of("hubr", p, t), VN_E_ARG, "loss_of: there is no loss \"hubr\"; did you mean \"huber\"?");
    CHECK_FAILS(vn_loss_of("cross_entropy", p, t), VN_E_ARG, "loss_of: cross_entropy needs classes as targets");
    CHECK_FAILS(vn_loss_of(NULL, p, t), VN_E_NULL, "loss_of: the loss or metric is NULL");
    CHECK_FAILS(vn_loss_of("mse", NULL, t), VN_E_NULL, "loss_of: prediction");
    CHECK_FAILS(vn_loss_of("mse", vn_zeros(VN_SHAPE(0), VN_F32), vn_zeros(VN_SHAPE(0), VN_F32)), VN_E_SHAPE, "there are no targets");
    static const char *const forms[] = {"top2", "top(2)", "top( 2 )", "TOP(2)"}, *const wrong[] = {"top(0)", "top(4)", "top(1.5)", "top(2",
                                                                                                   "f1(2)"};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) CHECK(vn_metric_of(forms[k], x, y) == vn_metric_of("top2", x, y));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK(isnan(vn_metric_of(wrong[k], x, y)) && vn_status() == VN_E_ARG);
        vn_clear();
    }
    CHECK(vn_item(vn_loss_of("huber( 0.5 )", p, t)) == vn_item(vn_loss_of("huber(0.5)", p, t)));
    CHECK(isnan(vn_metric_of("top4", x, y)) && vn_status() == VN_E_ARG);
    vn_clear();
    CHECK(isnan(vn_metric_of("acuracy", x, y)) && strstr(vn_message(), "there is no metric \"acuracy\"; did you mean \"accuracy\"?"));
    vn_clear();
}

/* Two classes by one number. */
NATIVE_TEST(logits)
{
    vn_seed(4);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(64, 2));
    vn_array *y = vn_cast(vn_greater(vn_sum(x, VN_AXES(1)), vn_scalar(0)), VN_I32);
    vn_module *m = vn_nn_linear(2, 1, NULL);
    vn_dataset *d = vn_dataset_of(x, y, NULL);
    CHECK(vn_fit(m, d, VN_OPTS(fit, .epochs = 20, .optim = vn_sgd(1, NULL), .loss = "bce"), NULL) == VN_OK);
    vn_evaluation e = {.size = sizeof e};
    CHECK(vn_evaluate(m, d, VN_OPTS(evaluate, .loss = "bce", .metrics = "accuracy,recall"), &e) == VN_OK && e.classes == 2 && e.confusion);
    int64_t hits = e.confusion[0] + e.confusion[3], all = hits + e.confusion[1] + e.confusion[2];
    CHECK(all == 64 && near(e.scores[1].value, (double)hits / 64, 1e-6) && e.scores[1].value > .9);
}

/* ---- resuming ---- */

static const vn_fit_opts *settings(int64_t epochs)
{
    static vn_fit_opts o;
    o = *VN_OPTS(fit, .epochs = epochs, .batch = BATCH, .optim = optimizer(), .validation_rows = 14,
                 .metrics = "accuracy,f1,calibration_error", .seed = 5, .resume = 1);
    o.checkpoint = in_folder("run.ckpt");
    o.log_csv = in_folder("run.csv");
    o.log_jsonl = in_folder("run.jsonl");
    return &o;
}

static int stop_at(const vn_fit_event *e, void *user)
{
    return e->moment == VN_FIT_STEP && e->step == *(const int64_t *)user;
}

TEST(resume)
{
    vn_fit_result straight = {.size = sizeof straight}, r = {.size = sizeof r};
    vn_module *m = network(1);
    const vn_fit_opts *o = settings(6);
    vn_optim *optim = o->optim;
    CHECK(vn_fit(m, points(), o, &straight) == VN_OK && straight.epochs == 6);
    char *log = log_without_seconds(in_folder("run.csv"));
    folder_empty();

    /* After whole epochs, and in the middle of one: after steps 2, 11 (the last of epoch 3 is 12) and 12. */
    for (int64_t step = 0; step < 4; step++) {
        static const int64_t steps[] = {0, 2, 11, 12};
        int64_t at = steps[step];
        vn_fit_opts first = *settings(at ? 6 : 3);
        if (at) first.watch = stop_at, first.watch_user = &at;
        CHECK(vn_fit(network(1), points(), &first, &r) == VN_OK);
        CHECK(r.stop == (at ? VN_STOP_CALLBACK : VN_STOP_DONE) && r.steps == (at ? at : 12));
        vn_module *n = network(99); /* everything else than it was */
        const vn_fit_opts *second = settings(6);
        vn_optim_set_lr(second->optim, 77);
        CHECK(vn_fit(n, points(), second, &r) == VN_OK && r.stop == VN_STOP_DONE && r.epochs == 6);
        CHECK(r.resumed == (at == 2 ? 0 : at == 0 ? 3 : 2));
        CHECK(same_history(&straight, &r) && r.best_epoch == straight.best_epoch);
        CHECK(same_trees(vn_module_state(m), vn_module_state(n)) && same_trees(vn_optim_state(optim), vn_optim_state(second->optim)));
        char *again = log_without_seconds(in_folder("run.csv"));
        CHECK(!strcmp(log, again));
        free(again);
        folder_empty();
    }
    free(log);
}

/* The same order of rows, the same random numbers and nearly the same losses as on the native engine. */
TEST(agrees)
{
    char engine[64];
    vn_fit_result here = {.size = sizeof here}, native = {.size = sizeof native};
    snprintf(engine, sizeof engine, "%s", vn_using());
    vn_fit_opts o = *settings(3);
    o.checkpoint = o.log_csv = o.log_jsonl = NULL, o.resume = 0;
    o.optim = vn_sgd(.1, NULL); /* adam would make steps of the last digits of a gradient that is 0: that of a bias before a norm */
    CHECK(vn_fit(network(1), points(), &o, &here) == VN_OK);
    vn_use("native");
    o.optim = vn_sgd(.1, NULL);
    CHECK(vn_fit(network(1), points(), &o, &native) == VN_OK);
    vn_use(engine);
    for (int i = 0; i < 3; i++) {
        for (const char *const *name = (const char *const[]){"loss", "val_loss", NULL}; *name; name++)
            CHECK(near(score(&here.history[i], *name), score(&native.history[i], *name), 1e-4));
    }
}

/* A finished training does nothing more; a longer one goes on. */
NATIVE_TEST(resume_longer)
{
    vn_fit_result r = {.size = sizeof r};
    vn_module *m = network(1);
    CHECK(vn_fit(m, points(), settings(2), &r) == VN_OK && r.resumed == 0);
    vn_tree *state = vn_module_state(m);
    CHECK(vn_fit(m, points(), settings(2), &r) == VN_OK && r.resumed == 2 && r.epochs == 2 && r.steps == 8);
    CHECK(same_trees(state, vn_module_state(m)));
    CHECK(vn_fit(m, points(), settings(3), &r) == VN_OK && r.resumed == 2 && r.epochs == 3 && !same_trees(state, vn_module_state(m)));
    vn_fit_opts o = *settings(4);
    o.batch = 8;
    CHECK_FAILS(vn_fit(m, points(), &o, NULL), VN_E_ARG, "saved with batch 16, not 8");
    o = *settings(4);
    o.seed = 6;
    CHECK_FAILS(vn_fit(m, points(), &o, NULL), VN_E_ARG, "seed 5, not 6");
    o = *settings(4);
    o.metrics = "accuracy";
    CHECK_FAILS(vn_fit(m, points(), &o, NULL), VN_E_ARG, "3 metrics, not 1");
    o.metrics = "accuracy,recall,f1";
    CHECK_FAILS(vn_fit(m, points(), &o, NULL), VN_E_STRUCT, "recall");
    o = *settings(4);
    o.optim = vn_sgd(.1, NULL);
    CHECK_FAILS(vn_fit(m, points(), &o, NULL), VN_E_STRUCT, "adam");
    vn_checkpoint plain = {.size = sizeof plain, .module = m};
    vn_checkpoint_save(in_folder("run.ckpt"), &plain);
    CHECK_FAILS(vn_fit(m, points(), settings(4), NULL), VN_E_STRUCT, "not of vn_fit");
    write_bytes(in_folder("run.ckpt"), "nonsense", 8);
    CHECK_FAILS(vn_fit(m, points(), settings(4), NULL), VN_E_FORMAT, "run.ckpt");
    folder_empty();
}

/* ---- cost ---- */

typedef struct {
    int64_t misses, handles, nodes;
    int grown;
} watch;

/* From the second epoch on nothing new is compiled, and nothing stays alive. */
static int look(const vn_fit_event *e, void *user)
{
    watch *w = user;
    vn_cache_info cache = {.size = sizeof cache};
    vn_memory_info memory = {.size = sizeof memory};
    if (e->moment != VN_FIT_EPOCH) return 0;
    vn_cache_stats(vn_using(), &cache);
    vn_memory(&memory);
    if (e->epoch > 2 && (cache.misses != w->misses || memory.handles > w->handles || memory.nodes > w->nodes)) w->grown++;
    w->misses = cache.misses, w->handles = memory.handles, w->nodes = memory.nodes;
    return 0;
}

TEST(flat)
{
    watch w = {0};
    vn_fit_opts o = *settings(8);
    o.watch = look, o.watch_user = &w;
    CHECK(vn_fit(network(1), points(), &o, NULL) == VN_OK);
    CHECK(w.misses > 0 && !w.grown);
    folder_empty();
}

/* ---- batches ---- */

typedef struct {
    int64_t seen[ROWS], batches, shortest;
    int ordered;
} counter;

static int make_batch(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user)
{
    counter *c = user;
    float values[ROWS];
    int64_t labels[ROWS];
    for (int64_t i = 0; i < n; i++) {
        c->seen[rows[i]]++;
        values[i] = (float)rows[i] / ROWS;
        labels[i] = rows[i] % 2;
        if (i && rows[i] != rows[i - 1] + 1) c->ordered = 0;
    }
    c->batches++;
    if (n < c->shortest) c->shortest = n;
    *x = vn_from(values, VN_SHAPE(n, 1));
    *y = vn_from_host(labels, VN_I64, VN_SHAPE(n));
    return VN_OK;
}

NATIVE_TEST(batches)
{
    for (int k = 0; k < 4; k++) {
        counter c = {.shortest = ROWS, .ordered = 1};
        bool drop = k & 1, plain = k & 2;
        vn_seed(1);
        vn_dataset *d = vn_dataset_from(make_batch, ROWS, 2, &c);
        CHECK(vn_fit(vn_nn_linear(1, 2, NULL), d,
                     VN_OPTS(fit, .epochs = 2, .batch = BATCH, .drop_last = drop, .no_shuffle = plain, .optim = vn_sgd(.1, NULL)),
                     NULL) == VN_OK);
        int64_t total = 0, most = 0;
        for (int i = 0; i < ROWS; i++) {
            total += c.seen[i];
            if (c.seen[i] > most) most = c.seen[i];
        }
        CHECK(total == 2 * (drop ? 64 : ROWS) && most == 2 && c.shortest == (drop ? BATCH : ROWS % BATCH) && c.batches == (drop ? 8 : 10));
        CHECK(c.ordered == plain);
    }
}

/* ---- stopping, the best epoch ---- */

static vn_array *pick(vn_array *prediction, vn_array *target, void *user)
{
    (void)prediction, (void)target;
    return vn_full(vn_scalar(*(double *)user), VN_0D, VN_F32);
}
static int worsen(const vn_fit_event *e, void *user)
{
    if (e->moment == VN_FIT_EPOCH) *(double *)user = fabs((double)e->epoch + 1 - 3); /* best in epoch 3 */
    return 0;
}

NATIVE_TEST(early)
{
    double value = 2;
    vn_own_metric own = {.name = "own", .fn = pick, .user = &value, .smaller = 1};
    vn_fit_result r = {.size = sizeof r};
    vn_module *m = network(2);
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 20, .batch = 64, .own_metrics = &own, .n_own_metrics = 1, .monitor = "own", .patience = 4,
                             .restore_best = 1, .watch = worsen, .watch_user = &value);
    o.best = in_folder("best.ckpt");
    CHECK(vn_fit(m, points(), &o, &r) == VN_OK && r.stop == VN_STOP_EARLY && r.best_epoch == 3 && r.best == 0 && r.epochs == 7);
    vn_module *n = network(3);
    vn_checkpoint c = {.size = sizeof c, .module = n};
    CHECK(vn_checkpoint_load(o.best, &c) == VN_OK && c.step == 3 * 2 && same_trees(vn_module_state(m), vn_module_state(n)));
    value = 1;
    own.smaller = 0; /* now the largest is best: the last one */
    o.restore_best = 0;
    CHECK(vn_fit(m, points(), &o, &r) == VN_OK && r.stop == VN_STOP_DONE && r.best_epoch == 20);
    o.min_delta = 100;
    value = 1;
    CHECK(vn_fit(m, points(), &o, &r) == VN_OK && r.stop == VN_STOP_EARLY && r.best_epoch == 1 && r.epochs == 5);
    folder_empty();
}

typedef struct {
    int count[4], wrong;
    int64_t step;
} moments;

/* Everything an event says fits what was said before. */
static int note(const vn_fit_event *e, void *user)
{
    moments *m = user;
    bool step = e->moment == VN_FIT_STEP, epoch = e->moment == VN_FIT_EPOCH;
    m->count[e->moment]++;
    m->step += step;
    m->wrong += e->epochs != 3 || e->batches != 4 || e->rows != 56 || e->step != m->step || !e->module;
    m->wrong += step && (e->batch != (m->step - 1) % 4 + 1 || e->seen != (e->batch < 4 ? e->batch * BATCH : 56) || e->n_scores != 2 ||
                         !(e->speed > 0));
    m->wrong +=
        step && (e->epoch != (m->step - 1) / 4 + 1 || !(e->left >= 0) || !(e->lr > 0) || strcmp(e->scores[1].name, "accuracy") != 0);
    m->wrong += epoch && (e->epoch != m->step / 4 || e->batch != 4 || e->seen != 56 || e->n_scores != 4 ||
                          strcmp(e->scores[2].name, "val_loss") != 0);
    m->wrong += e->moment == VN_FIT_BEGIN && (e->epoch != 1 || e->n_scores || !isnan(e->left));
    m->wrong += e->moment == VN_FIT_END && (e->epoch != 3 || e->batch || e->stop != VN_STOP_DONE || e->left != 0 || e->n_scores != 4);
    return 0;
}

NATIVE_TEST(events)
{
    moments m = {.wrong = 0}, n = {.wrong = 0};
    CHECK(vn_fit(network(1), points(),
                 VN_OPTS(fit, .epochs = 3, .batch = BATCH, .validation_rows = 14, .watch = note, .watch_user = &m, .progress = note,
                         .progress_user = &n),
                 NULL) == VN_OK);
    CHECK(m.count[VN_FIT_BEGIN] == 1 && m.count[VN_FIT_STEP] == 12 && m.count[VN_FIT_EPOCH] == 3 && m.count[VN_FIT_END] == 1);
    CHECK(!m.wrong && !n.wrong && !memcmp(m.count, n.count, sizeof m.count));
}

static vn_array *own_loss(vn_array *prediction, vn_array *target, void *user)
{
    ++*(int *)user;
    return vn_cross_entropy(prediction, target, VN_NONE, -1, NULL);
}

/* A loss of the caller's gives what the named one gives. */
NATIVE_TEST(own)
{
    int calls = 0;
    vn_fit_result a = {.size = sizeof a}, b = {.size = sizeof b};
    CHECK(vn_fit(network(1), points(), VN_OPTS(fit, .epochs = 2, .batch = BATCH), &a) == VN_OK);
    CHECK(vn_fit(network(1), points(), VN_OPTS(fit, .epochs = 2, .batch = BATCH, .loss_fn = own_loss, .loss_user = &calls), &b) == VN_OK);
    CHECK(calls == 10 && same_history(&a, &b));
}

TEST(scores_by_name)
{
    const vn_score scores[] = {{"loss", .5}, {"accuracy", .9}, {"val_loss", NAN}};
    CHECK(vn_score_of(scores, 3, "accuracy") == .9 && isnan(vn_score_of(scores, 3, "val_loss")) && !vn_status());
    CHECK(isnan(vn_score_of(NULL, 0, "loss")) && !vn_status()); /* before the first step */
    CHECK_FAILS(vn_score_of(scores, 3, "accurracy"), VN_E_ARG,
                "score_of: there is no score \"accurracy\"; there are: loss, accuracy, val_loss; did you mean \"accuracy\"?");
    CHECK_FAILS(vn_score_of(scores, 3, NULL), VN_E_NULL, "score_of: the name is NULL");
    CHECK_FAILS(vn_score_of(NULL, 3, "loss"), VN_E_NULL, "score_of: scores is NULL");
}

FOLDER_TEST_MAIN
