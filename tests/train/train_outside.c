/* SPDX-License-Identifier: Apache-2.0 */
/* train_outside.c: tokens and labels that the network does not have are errors of vn_fit that name row, value and how many there are, not a
 * NaN and not a training on zeros. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: full on jax */
/* ctest: sanitize */
#include "check.h"

enum { ROWS = 40, TOKENS = 5 };

static vn_array *tokens(int64_t largest, int64_t smallest)
{
    int64_t x[ROWS][TOKENS];
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < TOKENS; k++) x[i][k] = (3 * i + k) % 10;
    x[17][3] = largest, x[30][1] = smallest;
    return vn_from_host(x, VN_I64, VN_SHAPE(ROWS, TOKENS));
}

static vn_array *labels(int64_t largest)
{
    int64_t y[ROWS];
    for (int i = 0; i < ROWS; i++) y[i] = i % 3;
    y[21] = largest;
    return vn_from_host(y, VN_I64, VN_SHAPE(ROWS));
}

static vn_array *flat(vn_module *m, vn_array *x)
{
    (void)m;
    return vn_reshape(x, VN_SHAPE(-1, TOKENS * 4));
}
static const vn_module_class flatten = {.name = "Flat", .forward = flat};

static vn_module *net(void)
{
    return VN_SEQUENTIAL(vn_nn_embedding(10, 4, NULL), vn_module_new(&flatten, NULL, NULL), vn_nn_dropout(.1, NULL),
                         vn_nn_linear(TOKENS * 4, 3, NULL));
}

static vn_array *own_loss(vn_array *prediction, vn_array *target, void *user)
{
    (void)user;
    return vn_cross_entropy(prediction, target, VN_NONE, -1, NULL);
}

TEST(tokens_outside)
{
    vn_fit_opts o = {.size = sizeof o, .epochs = 1, .batch = 8};
    CHECK(vn_fit(net(), vn_dataset_of(tokens(9, 0), labels(2), NULL), &o, NULL) == VN_OK);
    CHECK_FAILS(vn_fit(net(), vn_dataset_of(tokens(70, 0), labels(2), NULL), &o, NULL), VN_E_ARG, "fit: row 17 of the data, as a batch: ");
    CHECK_FAILS(vn_fit(net(), vn_dataset_of(tokens(70, 0), labels(2), NULL), &o, NULL), VN_E_ARG,
                "embedding: index[0, 3] is 70; there are 10 rows in the table");
    for (int below = 1; below <= 11; below += 10) /* not from the end */
        CHECK_FAILS(vn_fit(net(), vn_dataset_of(tokens(9, -below), labels(2), NULL), &o, NULL), VN_E_ARG, "fit: row 30 of the data");
}

/* Other data than that of the training is looked at too. */
TEST(other_data)
{
    vn_fit_opts o = {.size = sizeof o, .epochs = 1, .batch = 8};
    vn_module *m = net();
    vn_evaluation e = {.size = sizeof e};
    vn_dataset *good = vn_dataset_of(tokens(9, 0), labels(2), NULL), *bad = vn_dataset_of(tokens(70, 0), labels(2), NULL);
    CHECK(vn_fit(m, good, &o, NULL) == VN_OK && vn_evaluate(m, good, NULL, &e) == VN_OK && vn_predict(m, good, 0));
    o.validation = bad;
    CHECK_FAILS(vn_fit(m, good, &o, NULL), VN_E_ARG, "fit: row 17 of the validation data, as a batch: ");
    CHECK_FAILS(vn_evaluate(m, bad, VN_OPTS(evaluate, .batch = 8), &e), VN_E_ARG, "evaluate: rows 16 to 23 of the data, as a batch: ");
    CHECK_FAILS(vn_evaluate(m, bad, VN_OPTS(evaluate, .batch = 8), &e), VN_E_ARG, "index[1, 3] is 70; there are 10 rows in the table");
    CHECK_FAILS(vn_predict(m, bad, 8), VN_E_ARG, "predict: rows 16 to 23 of the data, as a batch: ");
}

/* Columns of a table of numbers, of which the first is a token. */
static vn_array *first_token(vn_module *m, vn_array *x)
{
    (void)m;
    return vn_cast(vn_slice_at(x, VN_SHAPE(0, 0), VN_SHAPE(vn_dim(x, 0), 1)), VN_I64);
}
static const vn_module_class token_column = {.name = "Token", .forward = first_token};

TEST(tokens_as_floats)
{
    vn_fit_opts o = {.size = sizeof o, .epochs = 1, .batch = 8};
    for (int outside = 0; outside < 3; outside++) {
        float x[ROWS][2];
        for (int i = 0; i < ROWS; i++) x[i][0] = (float)(i % 10), x[i][1] = 1000 * (float)i;
        if (outside) x[outside == 1 ? 17 : 0][0] = 10;
        vn_module *m = VN_SEQUENTIAL(vn_module_new(&token_column, NULL, NULL), vn_nn_embedding(10, 3, NULL), vn_nn_flatten(1, -1));
        vn_dataset *d = vn_dataset_of(vn_from_host(x, VN_F32, VN_SHAPE(ROWS, 2)), labels(2), NULL);
        if (!outside) CHECK(vn_fit(m, d, &o, NULL) == VN_OK && vn_predict(m, d, 0));
        else {
            CHECK_FAILS(vn_fit(m, d, &o, NULL), VN_E_ARG,
                        outside == 1 ? "fit: row 17 of the data, as a batch: " : "fit: row 0 of the data");
            CHECK_FAILS(vn_fit(m, d, &o, NULL), VN_E_ARG, "is 10; there are 10 rows in the table");
            CHECK_FAILS(vn_predict(m, d, 0), VN_E_ARG, "is 10; there are 10 rows in the table");
        }
    }
}

/* Batches made by a function are known one by one. */
static int make(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user)
{
    vn_array **xy = user, *at = vn_from_host(rows, VN_I64, VN_SHAPE(n));
    *x = vn_take(xy[0], at, 0);
    *y = vn_take(xy[1], at, 0);
    return vn_status();
}

TEST(labels_outside)
{
    vn_fit_opts o = {.size = sizeof o, .epochs = 1, .batch = 8, .loss_fn = own_loss};
    CHECK(vn_fit(net(), vn_dataset_of(tokens(9, 0), labels(2), NULL), &o, NULL) == VN_OK);
    CHECK_FAILS(vn_fit(net(), vn_dataset_of(tokens(9, 0), labels(3), NULL), &o, NULL), VN_E_SHAPE,
                "4 classes (the label of row 21 is 3) need a last axis of as many");
    CHECK_FAILS(vn_dataset_of(tokens(9, 0), labels(3), VN_OPTS(dataset, .classes = 3)), VN_E_ARG,
                "dataset_of: y[21] is class 3; there are 3 classes");
    vn_array *xy[] = {tokens(9, 0), labels(3)};
    CHECK_FAILS(vn_fit(net(), vn_dataset_from(make, ROWS, 3, xy), &o, NULL), VN_E_ARG, "is class 3; there are 3 classes");
}

static vn_array *table_forward(vn_module *m, vn_array *x)
{
    return vn_mean(vn_take(vn_module_var(m, "w"), x, 0), VN_AXES(1));
}
static vn_tree *table_variables(vn_module *m, vn_dtype dtype)
{
    (void)m;
    return vn_tree_of("w", vn_ones(VN_SHAPE(10, 3), dtype), NULL);
}
static const vn_module_class table = {.name = "Table", .create_variables = table_variables, .forward = table_forward};

TEST(batches_of_a_function)
{
    vn_array *xy[] = {tokens(70, 0), labels(2)};
    vn_fit_opts o = {.size = sizeof o, .epochs = 1, .batch = 8, .no_shuffle = 1};
    CHECK_FAILS(vn_fit(vn_module_new(&table, NULL, NULL), vn_dataset_from(make, ROWS, 3, xy), &o, NULL), VN_E_ARG,
                "fit: epoch 1, batch 3: Table: ");
    CHECK_FAILS(vn_fit(vn_module_new(&table, NULL, NULL), vn_dataset_from(make, ROWS, 3, xy), &o, NULL), VN_E_ARG,
                "take: index[1, 3] is 70");
    /* A layer's table gives zeros for a token outside, and the loss stays finite. In parts of a batch as well. */
    for (int parts = 1; parts <= 2; parts++) {
        o.micro_batches = parts;
        xy[0] = tokens(70, 0);
        CHECK_FAILS(vn_fit(net(), vn_dataset_from(make, ROWS, 3, xy), &o, NULL), VN_E_ARG, "fit: epoch 1, batch 3: ");
        xy[0] = tokens(-30, 0);
        CHECK_FAILS(vn_fit(net(), vn_dataset_from(make, ROWS, 3, xy), &o, NULL), VN_E_ARG, "is -30; there are 10 rows in the table");
        xy[0] = tokens(9, 0);
        CHECK(vn_fit(net(), vn_dataset_from(make, ROWS, 3, xy), &o, NULL) == VN_OK);
    }
}

/* The look takes nothing from the training's random numbers, and costs no program of the network. */
TEST(the_training_stays_the_same)
{
    double loss[2];
    for (int k = 0; k < 2; k++) {
        vn_seed(3);
        vn_fit_result r = {.size = sizeof r};
        vn_array *x = tokens(9, 0), *xy[] = {x, labels(2)};
        vn_dataset *d = k ? vn_dataset_from(make, ROWS, 3, xy) : vn_dataset_of(xy[0], xy[1], NULL);
        CHECK(vn_fit(net(), d, VN_OPTS(fit, .epochs = 2, .batch = 8), &r) == VN_OK);
        loss[k] = r.history[1].scores[0].value;
    }
    CHECK(near(loss[0], loss[1], 1e-6));
}

TEST_MAIN
