/* SPDX-License-Identifier: Apache-2.0 */
/* train_pages.c: the page of a training for data of every kind: single examples, residuals, settings, and when it is written. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"

/* ---- a network that gives its input, which training does not change by much ---- */

static vn_array *same(vn_module *m, vn_array *x)
{
    return vn_add(x, vn_module_var(m, "b"));
}
static vn_tree *zero(vn_module *m, vn_dtype dtype)
{
    (void)m;
    return vn_tree_of("b", vn_zeros(VN_SHAPE(1), dtype), NULL);
}
static const vn_module_class identity = {.name = "Identity", .create_variables = zero, .forward = same};

static char page[400000];
static bool has(const char *words)
{
    return strstr(page, words) != NULL;
}

static int trained(vn_module *m, vn_dataset *d, const vn_fit_opts *more)
{
    vn_fit_opts o = *more;
    o.size = sizeof o, o.report = in_folder("page");
    if (!o.epochs) o.epochs = 1;
    if (!o.optim) o.optim = vn_sgd(1e-30);
    const int code = vn_fit(m, d, &o, NULL);
    page[0] = 0;
    if (code) return code;
    bytes b = read_bytes(in_folder("page"));
    CHECK(b.size < sizeof page);
    snprintf(page, sizeof page, "%.*s", (int)b.size, (const char *)b.data);
    free(b.data);
    return code;
}

/* A page of these numbers as predicted and true. */
static int numbers(int n, const float *predicted, const float *truth)
{
    return trained(
        vn_module_new(&identity, NULL, NULL),
        vn_dataset_of(vn_from(predicted, VN_SHAPE(n, 1)), vn_from(truth, VN_SHAPE(n, 1)), VN_OPTS(dataset, .kind = VN_TARGET_NUMBER)),
        VN_OPTS(fit, .loss = "mae"));
}

TEST(residuals)
{
    CHECK(numbers(4, (float[]){1, 2, 3, 4}, (float[]){1, 1, 3, 4}) == VN_OK &&
          has("<h3>Residuals</h3>")); /* 0 to 1: the largest is at the end of the axis */
    CHECK(numbers(2, (float[]){5, 5}, (float[]){5, 5}) == VN_OK && has("<h3>Residuals</h3>")); /* all the same */
    CHECK(numbers(2, (float[]){0, 0}, (float[]){3, 4}) == VN_OK && has("<h3>Residuals</h3>")); /* all too small */
    CHECK(numbers(3, (float[]){1, -1, 2}, (float[]){0, 0, 0}) == VN_OK && has("class=\"best\""));
}

/* Rows with several numbers or classes are not shown one by one. */
TEST(several_numbers)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2));
    CHECK(trained(vn_module_new(&identity, NULL, NULL), vn_dataset_of(x, x, NULL), VN_OPTS(fit, .drop_last = 1)) == VN_OK);
    CHECK(!has("Worst examples") && !has("Residuals") && has("whole ones only"));
    vn_dataset *tokens = vn_dataset_of(vn_zeros(VN_SHAPE(2, 3, 2), VN_F32), vn_zeros(VN_SHAPE(2, 3), VN_I64), NULL);
    CHECK(trained(vn_module_new(&identity, NULL, NULL), tokens, VN_OPTS(fit, .patience = 3)) == VN_OK && !has("Worst examples"));
    CHECK(has("3 epochs"));
}

/* One number for two classes, in any order of right and wrong. */
TEST(one_logit)
{
    vn_dataset *d =
        vn_dataset_of(vn_from((float[]){2, -2, 1, -1}, VN_SHAPE(4, 1)), vn_from_host((int64_t[]){1, 1, 0, 0}, VN_I64, VN_SHAPE(4)), NULL);
    CHECK(trained(vn_module_new(&identity, NULL, NULL), d, VN_OPTS(fit, .loss = "bce", .metrics = "accuracy")) == VN_OK);
    CHECK(has("Worst examples") && has("class=\"wrong\""));
    const char *first = strstr(page, "<tr class=\"wrong\"><th scope=\"row\">1</th>"),
               *second = strstr(page, "<tr class=\"wrong\"><th scope=\"row\">2</th>");
    CHECK(first && second && first < second); /* row 1 is the worst, with 12 % */
}

/* Embeddings have no classes to be shown. */
TEST(embeddings)
{
    vn_dataset *d = vn_dataset_of(vn_from((float[]){1, 2, 2, 1, 1, 1, 2, 2}, VN_SHAPE(4, 2)),
                                  vn_from_host((int64_t[]){0, 0, 1, 1}, VN_I64, VN_SHAPE(4)), NULL);
    CHECK(trained(vn_module_new(&identity, NULL, NULL), d, VN_OPTS(fit, .loss = "ntxent")) == VN_OK && !has("Worst examples"));
}

static vn_dataset *csv(const char *text, const vn_dataset_opts *o)
{
    write_bytes(in_folder("t.csv"), text, strlen(text));
    return vn_dataset_load(in_folder("t.csv"), o);
}

/* Tables: texts, rows that were left out, many columns, names of classes, weights. */
TEST(tables)
{
    vn_dataset *d = csv("size,colour,kind\n1,red,cat\n,blue,dog\n3,red,dog\n4,blue,cat\n", VN_OPTS(dataset, .missing = VN_MISSING_DROP));
    CHECK(trained(vn_nn_linear(3, 2), d, VN_OPTS(fit, .balance = 1, .seed = 3)) == VN_OK);
    CHECK(has(">colour</th>") && has("blue") && has("<th scope=\"row\">2</th>") && !has("<th scope=\"row\">1</th>") && has("balanced") &&
          has("cat"));
    CHECK(trained(vn_nn_linear(3, 3), d, VN_OPTS(fit, .class_weights = (const double[]){1, 2}, .n_class_weights = 2)) == VN_OK &&
          has("given"));
    d = csv("a,b,c,d,e,f,g,h,i,j,k,l,m,y\n1,2,3,4,5,6,7,8,9,10,11,12,13,1.5\n1,2,3,4,5,6,7,8,9,10,11,12,14,2\n",
            VN_OPTS(dataset, .standardize = 1));
    CHECK(trained(vn_nn_linear(13, 1), d, VN_OPTS(fit, .seed = 1)) == VN_OK && has("&hellip;</th>") &&
          has("standardized; the loss is of it"));
    vn_array *wide = vn_ones(VN_SHAPE(2, 13), VN_F32);
    d = vn_dataset_of(wide, vn_ones(VN_SHAPE(2, 1), VN_F32), VN_OPTS(dataset, .weights = vn_ones(VN_SHAPE(2), VN_F32)));
    CHECK(trained(vn_nn_linear(13, 1), d, VN_OPTS(fit, .no_shuffle = 1)) == VN_OK && has("x[11]") && !has("x[12]") &&
          has("weights of rows"));
}

static vn_dataset *line(void)
{
    return vn_dataset_of(vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4, 1)), vn_from((float[]){2, 4, 6, 8.5f}, VN_SHAPE(4, 1)), NULL);
}

/* Notes of the program's own: beside those that are known, one of the same name, and none. */
TEST(notes)
{
    static const vn_note own[] = {{"mine", "yes"}, {"model", "small"}, {"seed", "0"}}, odd[] = {{"a", NULL}}, without[] = {{NULL, "a"}};
    CHECK(trained(vn_nn_linear(1, 1), line(), VN_OPTS(fit, .notes = own, .n_notes = 3)) == VN_OK);
    CHECK(has("mine") && has("small (") && !has("0 (0)"));
    CHECK_FAILS(trained(vn_nn_linear(1, 1), line(), VN_OPTS(fit, .notes = odd, .n_notes = 1)), VN_E_NULL, "key or value of note");
    CHECK_FAILS(trained(vn_nn_linear(1, 1), line(), VN_OPTS(fit, .notes = without, .n_notes = 1)), VN_E_NULL, "key or value of note");
}

/* The page of the best epoch, of a training that has nothing left to do, and of one that was interrupted. */
static int interrupt(const vn_fit_event *e, void *user)
{
    if (e->moment == VN_FIT_STEP && e->step == *(const int64_t *)user) vn_stop_request();
    return 0;
}

TEST(ends)
{
    remove(in_folder("best")), remove(in_folder("c"));
    vn_fit_opts o = {
        .epochs = 3, .validation_rows = 1, .optim = vn_sgd(.5), .best = in_folder("best"), .restore_best = 1, .min_delta = 1e9};
    CHECK(trained(vn_nn_linear(1, 1), line(), &o) == VN_OK && has("Validation data after epoch 1"));
    o = (vn_fit_opts){.epochs = 2, .validation_rows = 1, .optim = vn_sgd(.01), .checkpoint = in_folder("c"), .resume = 1};
    CHECK(trained(vn_nn_linear(1, 1), line(), &o) == VN_OK && has("Validation data after epoch 2"));
    o.optim = vn_sgd(.01);
    CHECK(trained(vn_nn_linear(1, 1), line(), &o) == VN_OK && has("Validation data after epoch 2") && has("after epoch 2"));
    for (int64_t step = 1; step < 4; step += 2) { /* in the first epoch, or in the second */
        CHECK(trained(vn_nn_linear(1, 1), line(), VN_OPTS(fit, .epochs = 3, .batch = 2, .watch = interrupt, .watch_user = &step)) == VN_OK);
        CHECK(!has("Worst examples") && has("interrupted"));
        vn_stop_on_interrupt(0); /* clears the request */
    }
}

/* A batch of a function, whose classes cannot be counted. */
static int batch(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user)
{
    (void)rows, (void)user;
    *x = vn_ones(VN_SHAPE(n, 1), VN_F32), *y = vn_ones(VN_SHAPE(n), VN_I64);
    return VN_OK;
}

TEST(functions)
{
    vn_dataset *d = vn_dataset_from(batch, 4, 2, NULL);
    CHECK(trained(vn_nn_linear(1, 2), d, VN_OPTS(fit, .batch = 2)) == VN_OK && has("Worst examples"));
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2), d, VN_OPTS(fit, .epochs = 1, .balance = 1), NULL), VN_E_ARG, "balance");
}

FOLDER_TEST_MAIN
