/* SPDX-License-Identifier: Apache-2.0 */
/* train_options.c: what vn_fit, vn_evaluate, vn_predict, vn_find_lr and metrics by name refuse, and why; networks whose results do not fit; what the terminal shows; which
 * examples are the worst. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"

static vn_dataset *numbers(void)
{
    return vn_dataset_of(vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4, 1)), vn_from((float[]){1.5f, 2, 3, 4}, VN_SHAPE(4, 1)), NULL);
}

static vn_dataset *classes(void)
{
    return vn_dataset_of(vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4, 1)), vn_from_host((int64_t[]){0, 1, 0, 1}, VN_I64, VN_SHAPE(4)), NULL);
}

static vn_array *own_loss(vn_array *prediction, vn_array *target, void *user)
{
    (void)user;
    return vn_reshape(vn_mean(vn_abs(vn_sub(prediction, target)), VN_ALL), VN_SHAPE(1)); /* one number, with an axis */
}

/* ---- options of trainings ---- */

TEST(options_of_fit)
{
    static const vn_note notes[] = {{"a", "b"}};
    static const vn_own_metric own = {.name = "a", .fn = own_loss};
    const struct {
        const char *words;
        vn_fit_opts o;
    } all[] = {
        {"epochs is -1", {.epochs = -1}},
        {"batch -1", {.batch = -1}},
        {"patience -1", {.patience = -1}},
        {"checkpoint_every -1", {.checkpoint_every = -1}},
        {"min_delta is -1", {.min_delta = -1}},
        {"min_delta is inf", {.min_delta = INFINITY}},
        {"-1 notes in a list that is there", {.n_notes = -1, .notes = notes}},
        {"1 notes in a list that is NULL", {.n_notes = 1}},
        {"validation_rows is -1", {.validation_rows = -1}},
        {"validation_split is -1", {.validation_split = -1}},
        {"validation_split is 1;", {.validation_split = 1}},
        {"one of them is enough", {.validation_split = .5, .validation_rows = 1}},
        {"the folder for TensorBoard is empty", {.tensorboard = ""}},
        {"plateau_cooldown -1", {.plateau_patience = 1, .plateau_cooldown = -1}},
        {"have no effect without plateau_patience", {.plateau_cooldown = 1}},
        {"have no effect without plateau_patience", {.min_lr = 1}},
        {"plateau_factor is -0.5", {.plateau_patience = 1, .plateau_factor = -.5}},
        {"min_lr is inf", {.plateau_patience = 1, .min_lr = INFINITY}},
        {"micro_batches", {.micro_batches = -1}},
        {"micro_batches", {.micro_batches = 1 << 21}},
        {"-1 metrics in a list that is NULL", {.n_own_metrics = -1}},
        {"1 metrics in a list that is NULL", {.n_own_metrics = 1}},
        {"-2 metrics in a list that is there", {.n_own_metrics = -2, .own_metrics = &own}},
        {"monitor is \"none\"; the scores are loss, mae", {.monitor = "none"}},
        {"resume needs the path of a checkpoint", {.resume = 1}},
        {"restore_best needs a path", {.restore_best = 1}},
        {"are the same path", {.best = "/tmp/a", .checkpoint = "/tmp/a"}},
        {"drop_last is 2; it is a flag", {.drop_last = 2}},
    };
    vn_module *m = vn_nn_linear(1, 1);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_fit_opts o = all[k].o;
        o.size = sizeof o;
        CHECK_FAILS(vn_fit(m, numbers(), &o, NULL), VN_E_ARG, all[k].words);
    }
}

TEST(many_scores)
{
    char list[400] = "top(1)";
    for (int k = 2; k < 33; k++) sprintf(list + strlen(list), ", top(%d)", k);
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 40), classes(), VN_OPTS(fit, .metrics = list), NULL), VN_E_ARG, "more than 31 metrics");
    *strrchr(list, ',') = 0;
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 40), classes(), VN_OPTS(fit, .metrics = list, .monitor = "none", .validation_rows = 1), NULL),
                VN_E_ARG, "monitor is \"none\"; the scores are loss, top1");
}

/* Validation data that is not like the data. */
TEST(validation)
{
    vn_array *x = vn_from((float[]){1, 2}, VN_SHAPE(2, 1));
    vn_dataset *bare = vn_dataset_of(x, VN_NONE, NULL),
               *more = vn_dataset_of(x, vn_from_host((int64_t[]){0, 2}, VN_I64, VN_SHAPE(2)), NULL);
    vn_dataset *freed;
    {
        VN_SCOPE;
        freed = numbers();
    }
    vn_module *m = vn_nn_linear(1, 2);
    CHECK_FAILS(vn_fit(m, classes(), VN_OPTS(fit, .validation = bare), NULL), VN_E_ARG, "the validation data has no target");
    CHECK_FAILS(vn_fit(m, classes(), VN_OPTS(fit, .validation = numbers()), NULL), VN_E_ARG,
                "the targets of the data are classes, those of the validation numbers");
    CHECK_FAILS(vn_fit(m, numbers(), VN_OPTS(fit, .validation = classes()), NULL), VN_E_ARG,
                "the targets of the data are numbers, those of the validation classes");
    CHECK_FAILS(vn_fit(m, classes(), VN_OPTS(fit, .validation = more), NULL), VN_E_ARG, "the validation data has 3 classes, the data 2");
    CHECK_FAILS(vn_fit(m, classes(), VN_OPTS(fit, .validation = freed), NULL), VN_E_FREED, "validation");
    CHECK_FAILS(vn_fit(m, bare, NULL, NULL), VN_E_ARG, "the data has no target");
}

TEST(callbacks)
{
    static const struct {
        const char *text, *words;
    } all[] = {{"csv_log(path=)", "csv_log: path is empty"},
               {"early_stopping(1.5)", "patience is \"1.5\"; a whole number is needed"},
               {"early_stopping(1e30)", "patience is \"1e30\"; a whole number is needed"},
               {"early_stopping(2, restore_best=maybe)", "restore_best is \"maybe\"; a whole number is needed"},
               {"early_stopping(2, restore_best=true)", "restore_best needs a path"},
               {"early_stopping(2, restore_best=1)", "restore_best needs a path"},
               {"checkpoint", "checkpoint needs its path"},
               {"best(a), best(b)", "path is given twice, with different values"},
               {"reduce_on_plateau(0.5, patience=2), reduce_on_plateau(0.25)", "factor is given twice"}};
    vn_module *m = vn_nn_linear(1, 1);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK_FAILS(vn_fit(m, numbers(), VN_OPTS(fit, .callbacks = all[k].text), NULL), VN_E_ARG, all[k].words);
    char text[200];
    snprintf(text, sizeof text, "csv_log(%s), csv_log(%s), early_stopping(2, restore_best=false), reduce_on_plateau", in_folder("l"),
             in_folder("l"));
    CHECK(vn_fit(m, numbers(), VN_OPTS(fit, .epochs = 1, .callbacks = text), NULL) == VN_OK); /* the same twice; all defaults */
}

/* Larger is better: the rate falls when the metric does not rise. */
static vn_array *falling(vn_array *prediction, vn_array *target, void *user)
{
    (void)prediction, (void)target;
    return vn_full(vn_scalar(-(double)++*(int *)user), VN_0D, VN_F32);
}

TEST(plateau_of_a_metric)
{
    int at = 0;
    const vn_own_metric own = {.name = "height", .fn = falling, .user = &at};
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(vn_nn_linear(1, 1), numbers(),
                 VN_OPTS(fit, .epochs = 4, .optim = vn_sgd(1e-3), .own_metrics = &own, .n_own_metrics = 1, .monitor = "height",
                         .plateau_patience = 2, .plateau_factor = .5),
                 &r) == VN_OK);
    CHECK(r.best_epoch == 1 && near(r.history[2].lr, 1e-3, 1e-12) && near(r.history[3].lr, 5e-4, 1e-12));
}

/* ---- losses and metrics ---- */

static vn_array *no_number(vn_array *prediction, vn_array *target, void *user)
{
    (void)prediction, (void)target, (void)user;
    return NULL;
}

TEST(own_metrics)
{
    const struct {
        vn_code code;
        const char *words;
        vn_own_metric m;
    } all[] = {{VN_E_ARG, "a metric is made and of the caller's own", {.name = "a", .made = vn_metric_mae()}},
               {VN_E_ARG, "a metric is made and of the caller's own", {.fn = own_loss, .made = vn_metric_mae()}},
               {VN_E_NULL, "name or function of a metric is NULL", {.name = "a"}},
               {VN_E_NULL, "name or function of a metric is NULL", {.fn = own_loss}},
               {VN_E_ARG, "\"\" is not a valid name", {.name = "", .fn = own_loss}},
               {VN_E_ARG, "\"a b\" is not a valid name", {.name = "a b", .fn = own_loss}},
               {VN_E_ARG, "\"val_a\" is not a valid name", {.name = "val_a", .fn = own_loss}},
               {VN_E_ARG, "is not a valid name", {.name = "a_name_of_more_than_forty_seven_letters_in_all_of_it", .fn = own_loss}},
               {VN_E_ARG, "the metric mae is given twice", {.name = "mae", .fn = own_loss}},
               {VN_E_ARG, "the metric mae is given twice", {.made = vn_metric_mae()}},
               {VN_E_CALLBACK, "metric a", {.name = "a", .fn = no_number}}};
    vn_module *m = vn_nn_linear(1, 1);
    vn_evaluation e = {.size = sizeof e};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK_FAILS(vn_evaluate(m, numbers(), VN_OPTS(evaluate, .own_metrics = &all[k].m, .n_own_metrics = 1), &e), all[k].code,
                    all[k].words);
}

TEST(losses_and_metrics)
{
    const vn_metric none = {.kind = 9999};
    const vn_loss unknown = {.kind = 9999};
    const vn_own_metric own = {.made = none};
    vn_module *m = vn_nn_linear(1, 1), *two = vn_nn_linear(1, 2);
    vn_evaluation e = {.size = sizeof e};
    const struct {
        const char *words;
        vn_evaluate_opts o;
        bool classes;
    } all[] = {{"not a valid metric", {.own_metrics = &own, .n_own_metrics = 1}, false},
               {"not a valid loss", {.made_loss = unknown}, false},
               {"one of them is enough", {.loss = "mse", .loss_fn = own_loss}, false},
               {"a batch of -1", {.batch = -1}, false},
               {"accuracy needs classes as targets, the data has numbers", {.metrics = "accuracy"}, false},
               {"mae needs numbers as targets, the data has classes", {.metrics = "mae"}, true},
               {"mse needs numbers as targets, the data has classes", {.loss = "mse"}, true},
               {"there is no metric", {.metrics = "mae,"}, false}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_evaluate_opts o = all[k].o;
        o.size = sizeof o;
        CHECK_FAILS(vn_evaluate(all[k].classes ? two : m, all[k].classes ? classes() : numbers(), &o, &e), VN_E_ARG, all[k].words);
    }
    char text[2000];
    memset(text, 'a', sizeof text), text[sizeof text - 1] = 0;
    CHECK_FAILS(vn_evaluate(m, numbers(), VN_OPTS(evaluate, .metrics = text), &e), VN_E_ARG, "");
    CHECK(vn_evaluate(m, numbers(), VN_OPTS(evaluate, .metrics = "", .loss_fn = own_loss), &e) == VN_OK && e.n_scores == 1);
    CHECK_FAILS(vn_evaluate(m, numbers(), NULL, NULL), VN_E_NULL, "result is NULL");
    CHECK_FAILS(vn_evaluate(m, numbers(), NULL, &(vn_evaluation){0}), VN_E_ARG, "size is 0");
    CHECK_FAILS(vn_metric_value(&none, vn_zeros(VN_SHAPE(2), VN_F32), vn_zeros(VN_SHAPE(2), VN_F32)), VN_E_ARG, "not a valid metric");
    CHECK_FAILS(vn_metric_value(&(vn_metric){0}, vn_zeros(VN_SHAPE(2), VN_F32), vn_zeros(VN_SHAPE(2), VN_F32)), VN_E_ARG, "metric");
    CHECK_FAILS(vn_loss_value(&unknown, vn_zeros(VN_SHAPE(2), VN_F32), vn_zeros(VN_SHAPE(2), VN_F32)), VN_E_ARG, "not a valid loss");
}

/* More outputs than classes, and more than a matrix has room for. */
TEST(wide_networks)
{
    vn_evaluation e = {.size = sizeof e};
    CHECK(vn_evaluate(vn_nn_linear(1, 300), classes(), NULL, &e) == VN_OK && !e.confusion && e.classes == 300);
    CHECK(vn_evaluate(vn_nn_linear(1, 3), classes(), NULL, &e) == VN_OK && e.confusion && e.classes == 3);
    vn_dataset *many = vn_dataset_of(vn_zeros(VN_SHAPE(2, 1), VN_F32), vn_from_host((int64_t[]){0, 299}, VN_I64, VN_SHAPE(2)), NULL);
    CHECK_FAILS(vn_evaluate(vn_nn_linear(1, 300), many, VN_OPTS(evaluate, .metrics = "f1"), &e), VN_E_ARG,
                "f1 of 300 classes; 256 are allowed");
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2), classes(), VN_OPTS(fit, .epochs = 1, .loss = "ntxent", .metrics = "accuracy"), NULL), VN_E_ARG,
                "embeddings");
}

/* Weights of classes: for outputs beyond them and other dtypes; only for losses of classes. */
TEST(class_weights)
{
    static const double w[] = {1, 2}, odd[] = {1, INFINITY};
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .class_weights = w, .n_class_weights = 2, .optim = vn_sgd(1e-3));
    CHECK(vn_fit(vn_nn_linear(1, 3), classes(), &o, NULL) == VN_OK);
    CHECK(vn_fit(vn_module_cast(vn_nn_linear(1, 2), VN_F64), classes(), &o, NULL) == VN_OK);
    o.loss_fn = own_loss;
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2), classes(), &o, NULL), VN_E_ARG, "weights");
    o.loss_fn = NULL, o.class_weights = odd;
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2), classes(), &o, NULL), VN_E_ARG, "inf");
    vn_dataset *first, *rest;
    CHECK(vn_dataset_split(classes(), 1, NULL, &first, &rest) == VN_OK);
    CHECK(vn_fit(vn_nn_linear(1, 2), first, VN_OPTS(fit, .epochs = 1, .balance = 1, .report = in_folder("b")), NULL) == VN_OK);
}

/* ---- networks whose results do not fit ---- */

typedef enum { ONE_NUMBER, OTHER_ROWS, WIDER, DOUBLES } shaped;
static shaped shape;
static vn_array *shaped_as(vn_module *m, vn_array *x)
{
    x = vn_add(x, vn_module_var(m, "b"));
    if (shape == ONE_NUMBER) return vn_sum(x, VN_ALL);
    if (shape == OTHER_ROWS) return vn_concat(2, (vn_array *[]){x, x}, 0);
    if (shape == WIDER) return vn_dim(x, 0) == 1 ? vn_concat(2, (vn_array *[]){x, x}, 1) : x;
    return vn_dim(x, 0) == 1 ? vn_cast(x, VN_F64) : x;
}
static vn_tree *make_shaped(vn_module *m, vn_dtype dtype)
{
    (void)m;
    return vn_tree_of("b", vn_zeros(VN_SHAPE(1), dtype), NULL);
}
static const vn_module_class shaped_class = {.name = "Shaped", .create_variables = make_shaped, .forward = shaped_as};

TEST(odd_networks)
{
    static const char *const words[] = {"the network gives 0 rows for 3", "the network gives 6 rows for 3",
                                        "of another shape or dtype for batch 1", "of another shape or dtype for batch 1"};
    vn_module *m = vn_module_new(&shaped_class, NULL, NULL);
    for (shape = ONE_NUMBER; shape <= DOUBLES; shape++) {
        CHECK_FAILS(vn_predict(m, numbers(), 3), VN_E_SHAPE, words[shape]);
    }
    shape = ONE_NUMBER;
    CHECK_FAILS(vn_fit(m, classes(), VN_OPTS(fit, .epochs = 1), NULL), VN_E_SHAPE, "the network gives");
    CHECK_FAILS(vn_predict(m, numbers(), -1), VN_E_ARG, "a batch of -1");
    CHECK_FAILS(vn_predict(NULL, numbers(), 1), VN_E_NULL, "m");
}

/* Rows have weights, and the loss is one number for all of them. */
TEST(weighted_rows)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4, 1)), *w = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4));
    vn_dataset *d = vn_dataset_of(x, x, VN_OPTS(dataset, .weights = w));
    CHECK(vn_fit(vn_nn_linear(1, 1), d, VN_OPTS(fit, .epochs = 1, .no_shuffle = 1, .report = in_folder("w")), NULL) == VN_OK);
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 1), d, VN_OPTS(fit, .epochs = 1, .loss_fn = own_loss), NULL), VN_E_ARG, "weights");
}

/* ---- values of metrics ---- */

TEST(values)
{
    vn_array *yes = vn_from_host((int64_t[]){1, 1}, VN_I64, VN_SHAPE(2)), *no = vn_from_host((int64_t[]){0, 0}, VN_I64, VN_SHAPE(2));
    vn_array *p = vn_from((float[]){1, -1}, VN_SHAPE(2)), *same = vn_ones(VN_SHAPE(2), VN_F32);
    CHECK(isnan(vn_metric_of("specificity_at_sensitivity(0.5)", p, yes)) && isnan(vn_metric_of("specificity_at_sensitivity(0.5)", p, no)));
    CHECK(isnan(vn_metric_of("precision_at_recall(0.5)", p, no)) && isnan(vn_metric_of("pr_auc", p, no)) &&
          isnan(vn_metric_of("roc_auc", p, yes)));
    CHECK(isnan(vn_metric_of("concordance", same, same)) && isnan(vn_metric_of("pearson", same, same)) &&
          isnan(vn_metric_of("r2", p, same)));
    vn_array *said = vn_from_host((int64_t[]){5, 6, 7, 8, -1, -1}, VN_I64, VN_SHAPE(1, 6));
    vn_array *meant = vn_from_host((int64_t[]){5, 6, 7, 8, 9, 9}, VN_I64, VN_SHAPE(1, 6)),
             *nothing = vn_full(vn_scalar_int(-1), VN_SHAPE(1, 6), VN_I64);
    CHECK(near(vn_metric_of("bleu", said, meant), exp(-.5), 1e-6) && vn_metric_of("bleu", meant, said) < .8);
    CHECK(isnan(vn_metric_of("token_error_rate", said, nothing)) && near(vn_metric_of("token_error_rate", said, meant), 1. / 3, 1e-6));
    CHECK(near(vn_metric_of("psnr", vn_scalar(1), vn_scalar(.5)), 20 * log10(2), 1e-6)); /* one number is an image, too */
    CHECK(
        near(vn_metric_of("psnr", vn_zeros(VN_SHAPE(2, 1), VN_F32), vn_full(vn_scalar(.5), VN_SHAPE(2, 1), VN_F32)), 20 * log10(2), 1e-6));
    CHECK(vn_metric_of("iou(average=weighted)", vn_from((float[]){1, 0, 1, 0}, VN_SHAPE(2, 2)), no) == 1);
    CHECK_FAILS(vn_metric_of("roc_auc", vn_zeros(VN_SHAPE(2, 3), VN_F32), yes), VN_E_SHAPE,
                "a metric of yes and no, but the network gives 3 classes");
    CHECK_FAILS(vn_metric_of("accuracy", vn_zeros(VN_0D, VN_F32), yes), VN_E_ARG, "accuracy");
    CHECK_FAILS(vn_metric_of(NULL, p, yes), VN_E_NULL, "the loss or metric is NULL");
    CHECK_FAILS(vn_metric_of("accuracy", NULL, yes), VN_E_NULL, "prediction");
    CHECK_FAILS(vn_metric_of("accuracy", p, NULL), VN_E_NULL, "target");
    CHECK_FAILS(vn_metric_of("accuracy", p, vn_zeros(VN_SHAPE(0), VN_I64)), VN_E_SHAPE, "there are no targets");
}

static vn_array *whole(vn_array *x, void *user)
{
    return user ? vn_max(x, VN_AXES(-1)) : vn_max(x, VN_ALL);
}

TEST(fenchel_young)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 5}, VN_SHAPE(2, 2)), *y = vn_from((float[]){1, 0, 0, 1}, VN_SHAPE(2, 2));
    CHECK(near(vn_item(vn_sum(vn_fenchel_young_loss(x, y, whole, x), VN_ALL)), 1, 1e-6));
    CHECK_FAILS(vn_fenchel_young_loss(vn_zeros(VN_0D, VN_F32), y, whole, x), VN_E_SHAPE, "x has no axis");
    CHECK_FAILS(vn_fenchel_young_loss(x, y, whole, NULL), VN_E_SHAPE, "one number for each row of x");
}

/* ---- the learning-rate finder ---- */

static vn_array *exploding(vn_array *prediction, vn_array *target, void *user)
{
    (void)target;
    const double values[] = {1, 100, 1e4, 1e6};
    const int at = (*(int *)user)++;
    return vn_add(vn_mul(vn_mean(prediction, VN_ALL), vn_scalar(0)), vn_scalar(at < 4 ? values[at] : NAN));
}

static int fails_to_build(vn_module *m, const vn_tree *args)
{
    (void)m, (void)args;
    vn_zeros(VN_SHAPE(-1), VN_F32);
    return vn_status();
}
static const vn_module_class unbuildable = {.name = "None", .build = fails_to_build, .forward = shaped_as};

TEST(find_lr)
{
    vn_lr_found f = {.size = sizeof f};
    int at = 0;
    vn_dataset *freed;
    {
        VN_SCOPE;
        freed = numbers();
    }
    vn_module *m = vn_nn_linear(1, 1);
    CHECK_FAILS(vn_find_lr(m, numbers(), VN_OPTS(find_lr, .to = INFINITY), &f), VN_E_ARG, "rates above 0 that rise");
    CHECK_FAILS(vn_find_lr(m, numbers(), VN_OPTS(find_lr, .steps = 2000000), &f), VN_E_ARG, "2000000 steps");
    CHECK_FAILS(vn_find_lr(NULL, numbers(), NULL, &f), VN_E_NULL, "m");
    CHECK_FAILS(vn_find_lr(m, freed, NULL, &f), VN_E_FREED, "data");
    CHECK_FAILS(vn_find_lr(vn_module_new(&shaped_class, NULL, VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL)), numbers(), NULL, NULL),
                VN_E_NULL, "result");
    vn_module *late = vn_module_new(&shaped_class, NULL, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
    shape = DOUBLES;
    CHECK(vn_find_lr(late, numbers(), VN_OPTS(find_lr, .steps = 10), &f) == VN_OK && f.n > 2 && vn_module_is_built(late));
    late = vn_module_new(&unbuildable, NULL, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
    CHECK_FAILS(vn_find_lr(late, numbers(), NULL, &f), VN_E_SHAPE, "");
    /* It ends when the loss explodes, after a tenth of the steps; it never fell: the first rate. */
    CHECK(vn_find_lr(m, numbers(), VN_OPTS(find_lr, .steps = 30, .loss_fn = exploding, .loss_user = &at), &f) == VN_OK);
    CHECK(f.n == 4 && near(f.least, 1e-7, 1e-9) && near(f.suggested, 1e-7, 1e-9));
    at = 3;
    CHECK_FAILS(vn_find_lr(m, numbers(), VN_OPTS(find_lr, .loss_fn = exploding, .loss_user = &at), &f), VN_E_ARG,
                "the loss was not finite after 1 steps");
}

/* A step with a search, whose loss is the caller's own, on data in units of its own. */
TEST(search)
{
    write_bytes(in_folder("s.csv"), "a,k\n1,2.5\n2,7\n", 14);
    vn_dataset *d = vn_dataset_load(in_folder("s.csv"), VN_OPTS(dataset, .standardize = 1));
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .batch = 2, .optim = vn_lbfgs(.5), .loss_fn = own_loss, .metrics = "r2");
    vn_module *m = vn_nn_linear(1, 1);
    CHECK(vn_fit(m, d, &o, NULL) == VN_OK && vn_optim_steps(o.optim) == 1 && vn_dim(vn_predict(m, d, 1), 0) == 2);
}

/* ---- ends ---- */

static vn_array *stops_validation(vn_array *prediction, vn_array *target, void *user)
{
    (void)target;
    if (++*(int *)user == 2) vn_stop_request(); /* after the batch of the first epoch: the first of two to validate */
    return vn_mean(prediction, VN_ALL);
}

/* A request while the validation is under way: the epoch does not count. */
TEST(stopped_validation)
{
    int calls = 0;
    const vn_own_metric own = {.name = "mean", .fn = stops_validation, .user = &calls};
    vn_dataset *more = vn_dataset_join((vn_dataset *[]){numbers(), numbers()}, 2);
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(vn_nn_linear(1, 1), numbers(),
                 VN_OPTS(fit, .epochs = 3, .batch = 4, .validation = more, .own_metrics = &own, .n_own_metrics = 1), &r) == VN_OK);
    CHECK(r.stop == VN_STOP_INTERRUPTED && r.epochs == 0 && r.steps == 1);
    vn_stop_on_interrupt(0); /* clears the request */
}

static vn_array *no_value(vn_array *prediction, vn_array *target, void *user)
{
    (void)prediction, (void)target, (void)user;
    return vn_full(vn_scalar(NAN), VN_0D, VN_F32);
}

/* A score that is never a number has no best epoch, so there is nothing to be restored; a table's metric may be monitored, too. */
TEST(no_best)
{
    const vn_own_metric own = {.name = "none", .fn = no_value};
    vn_fit_result r = {.size = sizeof r};
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 3, .own_metrics = &own, .n_own_metrics = 1, .monitor = "none", .best = in_folder("best"),
                             .restore_best = 1);
    o.checkpoint = in_folder("c"), o.checkpoint_every = 2, o.patience = 1;
    CHECK(vn_fit(vn_nn_linear(1, 1), numbers(), &o, &r) == VN_OK && r.best_epoch == 0 && isnan(r.best));
    o.monitor = "mae", o.own_metrics = NULL, o.n_own_metrics = 0, o.optim = vn_sgd(1e-9);
    CHECK(vn_fit(vn_nn_linear(1, 1), numbers(), &o, &r) == VN_OK && r.best_epoch > 0);
}

/* ---- the terminal ---- */

/* What is shown of one event. */
static const char *shown(vn_fit_event e, int style, int columns)
{
    static char text[2000];
    vn_terminal t = {.to = fopen(in_folder("shown"), "w"), .style = style, .columns = columns};
    if (!t.to) check_stop(1);
    vn_progress_terminal(&e, &t);
    fclose(t.to);
    bytes b = read_bytes(in_folder("shown"));
    snprintf(text, sizeof text, "%.*s", (int)b.size, (const char *)b.data);
    free(b.data);
    return text;
}

TEST(terminal)
{
    enum { BAR = 1, LINES = 2 };
    vn_score s[] = {{"loss", .5}, {"accuracy", 12345.678}, {"tiny", 1.234e-7}, {"large", 1.5e9}, {"none", NAN}};
    vn_fit_event e = {.size = sizeof e,
                      .moment = VN_FIT_EPOCH,
                      .epoch = 2,
                      .epochs = 10,
                      .seconds = 75,
                      .scores = s,
                      .n_scores = 5,
                      .rows = 100,
                      .seen = 50};
    CHECK(strstr(shown(e, LINES, 0), "epoch  2/10  loss 0.5") && strstr(shown(e, LINES, 0), "  1:15"));
    CHECK(strstr(shown(e, LINES, 0), "accuracy 12346") && strstr(shown(e, LINES, 0), "tiny 1.2e-07") &&
          strstr(shown(e, LINES, 0), "large 1.5e+09"));
    e.seconds = 3725;
    CHECK(strstr(shown(e, LINES, 0), "  1:02:05"));
    e.seconds = -1;
    CHECK(strstr(shown(e, LINES, 0), "  ?"));
    e.seconds = 1e8;
    CHECK(strstr(shown(e, LINES, 0), "  ?"));
    e.moment = VN_FIT_STEP, e.left = NAN, e.speed = 5;
    CHECK(strstr(shown(e, BAR, 100), "5 rows/s") && !strstr(shown(e, BAR, 100), "left"));
    e.left = 30, e.speed = 5000;
    CHECK(strstr(shown(e, BAR, 100), "5000 rows/s  0:30 left"));
    e.n_scores = 0, e.rows = 0;
    CHECK(strstr(shown(e, BAR, 0), "epoch  2/10 [>") && !strstr(shown(e, BAR, 100), "loss"));
    e.moment = VN_FIT_END, e.stop = VN_STOP_EARLY;
    CHECK(!strcmp(shown(e, LINES, 0), "stopped early after epoch 2: no improvement\n"));
    e.stop = VN_STOP_CALLBACK, e.step = 7;
    CHECK(!strcmp(shown(e, LINES, 0), "stopped in epoch 2, after step 7\n"));
    e.stop = VN_STOP_INTERRUPTED;
    CHECK(!strcmp(shown(e, LINES, 0), "interrupted in epoch 2, after step 7\n"));
}

/* Scores with the longest names that there can be fill the line; a bar that was drawn before is overwritten. */
TEST(long_lines)
{
    static const char name[] = "a_score_with_a_name_of_forty_seven_characters_x";
    vn_score s[30];
    for (int k = 0; k < 30; k++) s[k] = (vn_score){name, k};
    vn_fit_event e = {.size = sizeof e, .moment = VN_FIT_EPOCH, .epoch = 1, .epochs = 1, .scores = s, .n_scores = 30};
    CHECK(strlen(shown(e, 2, 0)) > 300 && strchr(shown(e, 2, 0), '\n'));
    FILE *to = fopen(in_folder("shown"), "w");
    vn_terminal t = {.to = to, .style = 1, .columns = 60};
    e.moment = VN_FIT_STEP, e.n_scores = 1;
    vn_progress_terminal(&e, &t);
    const int before = t.width;
    t.drawn -= 1, e.scores = &(vn_score){"l", 1}, e.speed = 1;
    vn_progress_terminal(&e, &t);
    CHECK(before > 0 && t.width <= 60);
    const double drawn = t.drawn;
    vn_progress_terminal(&e, &t); /* too early */
    CHECK(t.drawn == drawn);
    t.drawn += 1000; /* the clock was set back */
    vn_progress_terminal(&e, &t);
    CHECK(t.drawn < drawn + 1000);
    if (to) fclose(to);
}

/* ---- the worst examples ---- */

static int place_of(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at ? (int)(at - text) : -1;
}

/* Rows that are predicted as NaN come first, whatever comes after them. */
TEST(worst)
{
    float x[15], y[15];
    for (int i = 0; i < 15; i++) x[i] = i == 1 ? NAN : (float)i, y[i] = (float)(100 + i);
    vn_dataset *data = vn_dataset_of(vn_ones(VN_SHAPE(2, 1), VN_F32), vn_from((float[]){.5f, 1}, VN_SHAPE(2, 1)), NULL);
    vn_dataset *test = vn_dataset_of(vn_from(x, VN_SHAPE(15, 1)), vn_from(y, VN_SHAPE(15, 1)), VN_OPTS(dataset, .allow_nonfinite = 1));
    CHECK(vn_fit(vn_nn_linear(1, 1), data, VN_OPTS(fit, .epochs = 1, .validation = test, .report = in_folder("n"), .monitor = "loss"),
                 NULL) == VN_OK);
    bytes b = read_bytes(in_folder("n"));
    b.data[b.size] = 0;
    const int nan_row = place_of((const char *)b.data, "<tr><th scope=\"row\">1</th>"),
              other = place_of((const char *)b.data, "<tr><th scope=\"row\">14</th>");
    CHECK(nan_row > 0 && other > nan_row);
    free(b.data);
}

FOLDER_TEST_MAIN
