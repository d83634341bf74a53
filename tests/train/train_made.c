/* SPDX-License-Identifier: Apache-2.0 */
/* train_made.c: datasets made of others: samples, several as one, windows, random rows. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"

static vn_dataset_info look(const vn_dataset *d)
{
    vn_dataset_info i = {.size = sizeof i};
    CHECK(vn_dataset_look(d, &i) == VN_OK);
    return i;
}

/* Rows 0, 1, ... with x = 10 r and 10 r + 1, and class r % 3. */
static vn_dataset *numbered(int64_t n)
{
    vn_array *r = vn_arange(0, (double)n, 1, VN_F32), *ten = vn_mul(r, vn_scalar(10));
    vn_array *x = vn_stack(2, (vn_array *[]){ten, vn_add(ten, vn_scalar(1))}, 1);
    return vn_dataset_of(x, vn_remainder(vn_cast(r, VN_I64), vn_scalar_int(3)), NULL);
}

/* All rows: the first number of x of each and its target. */
static void rows(const vn_dataset *d, double *x, double *y)
{
    VN_SCOPE;
    const int64_t n = look(d).rows;
    int64_t *all = malloc((size_t)n * sizeof *all);
    for (int64_t i = 0; i < n; i++) all[i] = i;
    vn_array *got[2] = {NULL, NULL};
    CHECK(vn_dataset_rows(d, all, n, &got[0], &got[1]) == VN_OK);
    for (int k = 0; k < 2 && got[k]; k++) {
        vn_array *flat = vn_cast(vn_reshape(got[k], VN_SHAPE(n, -1)), VN_F64);
        const double *data = vn_data(flat);
        for (int64_t i = 0; i < n && data; i++) (k ? y : x)[i] = data[i * vn_dim(flat, 1)];
    }
    free(all);
}

TEST(samples)
{
    double x[40], y[40], again[40], count[10] = {0};
    vn_dataset *d = numbered(10), *s = vn_dataset_sample(d, 40, VN_OPTS(dataset_sample, .seed = 3));
    CHECK(look(s).rows == 40 && look(s).classes == 3);
    rows(s, x, y);
    for (int i = 0; i < 40; i++) {
        count[(int)x[i] / 10]++;
        CHECK(x[i] >= 0 && x[i] < 100 && y[i] == (double)((int)x[i] / 10 % 3));
    }
    rows(vn_dataset_sample(d, 40, VN_OPTS(dataset_sample, .seed = 3)), again, y);
    CHECK(!memcmp(x, again, sizeof x)); /* the seed decides */
    rows(vn_dataset_sample(d, 40, VN_OPTS(dataset_sample, .seed = 4)), again, y);
    CHECK(memcmp(x, again, sizeof x) != 0);
    int uneven = 0;
    for (int i = 0; i < 10; i++) uneven += count[i] != 4;
    CHECK(uneven > 0); /* with replacement */
    /* Without: 25 of 10 rows are all rows twice, in other orders, and 5 different ones. */
    rows(vn_dataset_sample(d, 25, VN_OPTS(dataset_sample, .no_replacement = 1, .seed = 3)), x, y);
    for (int round = 0; round < 3; round++) {
        int seen = 0;
        for (int i = 0; i < (round < 2 ? 10 : 5); i++) seen |= 1 << ((int)x[10 * round + i] / 10);
        CHECK(__builtin_popcount((unsigned)seen) == (round < 2 ? 10 : 5));
    }
    CHECK(memcmp(x, x + 10, 10 * sizeof *x) != 0);
    /* Of a part. */
    vn_dataset *first, *rest;
    CHECK(vn_dataset_split(d, 4, NULL, &first, &rest) == VN_OK);
    rows(vn_dataset_sample(rest, 12), x, y);
    for (int i = 0; i < 12; i++) CHECK(x[i] >= 60);
    CHECK_FAILS(vn_dataset_sample(d, 0), VN_E_ARG, "0 rows");
    CHECK_FAILS(vn_dataset_sample(NULL, 3), VN_E_NULL, "d");
    CHECK_FAILS(vn_dataset_sample(d, 3, VN_OPTS(dataset_sample, .no_replacement = 2)), VN_E_ARG, "no_replacement");
}

static int made_rows(const int64_t *r, int64_t n, vn_array **x, vn_array **y, void *user)
{
    (void)user;
    float both[2 * 16];
    int64_t label[16];
    for (int64_t i = 0; i < n; i++) both[2 * i] = 1000 + (float)r[i], both[2 * i + 1] = 0, label[i] = 1;
    *x = vn_from_host(both, VN_F32, VN_SHAPE(n, 2));
    *y = vn_from_host(label, VN_I64, VN_SHAPE(n));
    return VN_OK;
}

TEST(joined)
{
    double x[16], y[16];
    vn_dataset *a = numbered(4), *first, *rest;
    CHECK(vn_dataset_split(numbered(6), 2, NULL, &first, &rest) == VN_OK);
    vn_dataset *j = vn_dataset_join((vn_dataset *[]){a, rest, a}, 3);
    CHECK(look(j).rows == 10 && look(j).classes == 3 && look(j).x.dim[0] == 2);
    rows(j, x, y);
    const double is[] = {0, 10, 20, 30, 40, 50, 0, 10, 20, 30}, label[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    CHECK(!memcmp(x, is, sizeof is) && !memcmp(y, label, sizeof label));
    /* With a function: rows in any order keep their place. */
    vn_dataset *f = vn_dataset_from(made_rows, 5, 3, NULL), *both = vn_dataset_join((vn_dataset *[]){a, f}, 2);
    CHECK(look(both).rows == 9);
    VN_SCOPE;
    vn_array *bx, *by;
    CHECK(vn_dataset_rows(both, (int64_t[]){8, 1, 4, 0, 3}, 5, &bx, &by) == VN_OK);
    const float *bits = vn_data(bx);
    CHECK(bits && bits[0] == 1004 && bits[2] == 10 && bits[4] == 1000 && bits[6] == 0 && bits[8] == 30);
    const int64_t *labels = vn_data(by);
    CHECK(labels && labels[0] == 1 && labels[1] == 1 && labels[4] == 0);
    vn_fit_result result = {.size = sizeof result};
    vn_module *net = vn_nn_linear(2, 3);
    CHECK(vn_fit(net, both, VN_OPTS(fit, .epochs = 2, .batch = 4, .optim = vn_sgd(1e-7)), &result) == VN_OK && result.epochs == 2);
    /* Without targets, to predict. */
    vn_dataset *plain = vn_dataset_of(vn_ones(VN_SHAPE(3, 2), VN_F32), VN_NONE), *two = vn_dataset_join((vn_dataset *[]){plain, plain}, 2);
    CHECK(vn_dim(vn_predict(net, two, 4), 0) == 6);
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a, plain}, 2), VN_E_ARG, "do not mean what those of part 0");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){plain, vn_dataset_of(vn_ones(VN_SHAPE(3, 4), VN_F32), VN_NONE)}, 2), VN_E_SHAPE,
                "rows of x are float32 2 in part 0, float32 4 in part 1");
    CHECK_FAILS(vn_dataset_join(NULL, 2), VN_E_NULL, "parts");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a}, 0), VN_E_ARG, "0 parts");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a, NULL}, 2), VN_E_NULL, "parts");
}

TEST(windows)
{
    double x[16], y[16];
    vn_dataset *d = numbered(7), *w = vn_dataset_windows(d, 3);
    CHECK(look(w).rows == 5 && look(w).classes == 3 && !strcmp(look(w).about, "5 windows of 3 rows of 7 rows of 2, 3 classes"));
    vn_array *wx, *wy;
    CHECK(vn_dataset_rows(w, (int64_t[]){4, 0}, 2, &wx, &wy) == VN_OK);
    CHECK(vn_rank(wx) == 3 && vn_dim(wx, 0) == 2 && vn_dim(wx, 1) == 3 && vn_dim(wx, 2) == 2 && vn_rank(wy) == 1);
    const float is[] = {40, 41, 50, 51, 60, 61, 0, 1, 10, 11, 20, 21};
    CHECK(!memcmp(vn_data(wx), is, sizeof is));
    rows(w, x, y);
    for (int i = 0; i < 5; i++) CHECK(x[i] == 10 * i && y[i] == (i + 2) % 3);
    vn_dataset *next = vn_dataset_windows(d, 2, VN_OPTS(dataset_windows, .step = 2, .target = VN_WINDOW_NEXT));
    CHECK(look(next).rows == 3);
    rows(next, x, y);
    for (int i = 0; i < 3; i++) CHECK(x[i] == 20 * i && y[i] == (2 * i + 2) % 3);
    CHECK(vn_dataset_rows(vn_dataset_windows(d, 7, VN_OPTS(dataset_windows, .target = VN_WINDOW_ALL)), (int64_t[]){0}, 1, &wx, &wy) ==
          VN_OK);
    CHECK(vn_rank(wy) == 2 && vn_dim(wy, 1) == 7);
    /* They are trained on, and are parts again. */
    vn_dataset *first, *rest;
    CHECK(vn_dataset_split(w, 2, NULL, &first, &rest) == VN_OK && look(rest).rows == 2);
    vn_module *net = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(6, 3));
    vn_fit_result result = {.size = sizeof result};
    CHECK(vn_fit(net, first, VN_OPTS(fit, .epochs = 1, .batch = 2, .validation = rest, .optim = vn_sgd(1e-4)), &result) == VN_OK);
    CHECK_FAILS(vn_dataset_windows(d, 8), VN_E_ARG, "a window of 8 rows does not fit into 7 rows");
    CHECK_FAILS(vn_dataset_windows(d, 7, VN_OPTS(dataset_windows, .target = VN_WINDOW_NEXT)), VN_E_ARG, "and the one behind it");
    CHECK_FAILS(vn_dataset_windows(d, INT64_MAX, VN_OPTS(dataset_windows, .target = VN_WINDOW_NEXT)), VN_E_ARG, "does not fit");
    CHECK_FAILS(vn_dataset_windows(d, 0), VN_E_ARG, "windows of 0 rows");
    CHECK_FAILS(vn_dataset_windows(d, 2, VN_OPTS(dataset_windows, .step = -1)), VN_E_ARG, "a step of -1");
    CHECK_FAILS(vn_dataset_windows(d, 2, VN_OPTS(dataset_windows, .target = 3)), VN_E_ARG, "target is 3");
}

static vn_dataset *csv(const char *text, const vn_dataset_opts *o)
{
    write_bytes(in_folder("t.csv"), text, strlen(text));
    return vn_dataset_load(in_folder("t.csv"), o);
}

/* What is made has the names of classes and the units of the first. */
TEST(names_and_units)
{
    static const char animals[] = "x,kind\n1,cat\n2,dog\n", prices[] = "x,price\n1,5.5\n2,7\n";
    vn_dataset *d = csv(animals, NULL), *two = vn_dataset_join((vn_dataset *[]){d, d}, 2), *w = vn_dataset_windows(d, 2);
    CHECK(look(two).rows == 4 && !strcmp(look(two).class_names[1], "dog") && !strcmp(look(two).target, "kind"));
    CHECK(look(w).rows == 1 && !strcmp(look(w).class_names[0], "cat"));
    vn_dataset *more = csv("x,kind\n1,cat\n2,dog\n3,emu\n", NULL), *other = csv("x,kind\n1,cat\n2,emu\n", NULL);
    vn_dataset *price = csv(prices, VN_OPTS(dataset, .standardize = 1)), *plain = csv(prices, NULL);
    vn_dataset *same_mean = csv("x,price\n1,6\n2,6.5\n", VN_OPTS(dataset, .standardize = 1));
    vn_dataset *same_width = csv("x,price\n1,6.5\n2,8\n", VN_OPTS(dataset, .standardize = 1)),
               *none = csv(prices, VN_OPTS(dataset, .kind = VN_TARGET_NONE));
    vn_dataset *number = csv("x,kind\n1,0\n2,1\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS));
    vn_dataset *const pairs[][2] = {{d, more},           {d, other},    {price, plain}, {price, same_mean},
                                    {price, same_width}, {plain, none}, {d, number},    {d, plain}};
    CHECK(look(vn_dataset_join((vn_dataset *[]){more, d}, 2)).classes == 3); /* the first has more of them */
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        CHECK_FAILS(vn_dataset_join(pairs[k], 2), VN_E_ARG, "classes, their names or units differ");
}

/* Parts that do not fit together. */
static int shaped_rows(const int64_t *r, int64_t n, vn_array **x, vn_array **y, void *user)
{
    const int *kind = user;
    (void)r;
    *x = vn_zeros(*kind == 1   ? VN_SHAPE(n, 3)
                  : *kind == 2 ? VN_SHAPE(n, 2, 1)
                  : *kind == 4 ? VN_SHAPE(n, 0)
                               : VN_SHAPE(n, 2),
                  *kind == 3 ? VN_F64 : VN_F32);
    *y = vn_zeros(*kind == 5 ? VN_SHAPE(n, 2) : VN_SHAPE(n), VN_F32);
    return VN_OK;
}

TEST(unlike_parts)
{
    static int kinds[] = {0, 1, 2, 3, 4, 5};
    static const char *const words[] = {"float32 3 in part 1", "float32 2x1 in part 1", "float64 2 in part 1", "float32 0 in part 1",
                                        "rows of y are float32"};
    vn_dataset *f = vn_dataset_from(shaped_rows, 2, 0, &kinds[0]);
    vn_array *x, *y;
    for (int k = 1; k < 6; k++) {
        vn_dataset *both = vn_dataset_join((vn_dataset *[]){f, vn_dataset_from(shaped_rows, 2, 0, &kinds[k])}, 2);
        CHECK_FAILS(vn_dataset_rows(both, (int64_t[]){0, 3}, 2, &x, &y), VN_E_SHAPE, words[k - 1]);
    }
    vn_dataset *empty = vn_dataset_from(shaped_rows, 2, 0, &kinds[4]), *empties = vn_dataset_join((vn_dataset *[]){empty, empty}, 2);
    CHECK(vn_dataset_rows(empties, (int64_t[]){3, 0}, 2, &x, &y) == VN_OK && vn_dim(x, 0) == 2 && vn_dim(x, 1) == 0);
    vn_dataset *large = vn_dataset_from(shaped_rows, INT64_C(1) << 48, 0, &kinds[0]);
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){large, large}, 2), VN_E_ARG, "more than");
    vn_array *ones = vn_ones(VN_SHAPE(2, 1), VN_F32);
    vn_dataset *a = vn_dataset_of(ones, ones, NULL),
               *b = vn_dataset_of(ones, ones, VN_OPTS(dataset, .weights = vn_ones(VN_SHAPE(2), VN_F32)));
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a, b}, 2), VN_E_ARG, "part 1 has weights of rows, part 0 has none");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){b, a}, 2), VN_E_ARG, "part 1 has no weights of rows, part 0 has some");
    CHECK(look(vn_dataset_join((vn_dataset *[]){b, b}, 2)).rows == 4);
    CHECK_FAILS(vn_dataset_windows(b, 2), VN_E_ARG, "the weights of rows would be lost");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a, vn_dataset_of(vn_ones(VN_SHAPE(2, 1, 1), VN_F32), ones, NULL)}, 2), VN_E_SHAPE,
                "rows of x");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a, vn_dataset_of(ones, vn_ones(VN_SHAPE(2), VN_F32), NULL)}, 2), VN_E_SHAPE, "rows of y");
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){a, vn_dataset_of(vn_cast(ones, VN_F64), ones, NULL)}, 2), VN_E_SHAPE,
                "float64 1 in part 1");
}

/* Windows of rows without a target, of rows with as many axes as there can be, and larger ones than memory. */
TEST(odd_windows)
{
    static int kind = 0;
    vn_array *x;
    vn_dataset *plain = vn_dataset_of(vn_ones(VN_SHAPE(4, 2), VN_F32), VN_NONE), *w = vn_dataset_windows(plain, 2);
    CHECK(!look(w).has_target && vn_dataset_rows(w, (int64_t[]){0, 2}, 2, &x, NULL) == VN_OK && vn_rank(x) == 3);
    vn_dataset *both = vn_dataset_join((vn_dataset *[]){w, w}, 2);
    CHECK(vn_dataset_rows(both, (int64_t[]){5, 0}, 2, &x, NULL) == VN_OK && vn_dim(x, 1) == 2);
    CHECK_FAILS(vn_dataset_windows(plain, 2, VN_OPTS(dataset_windows, .target = VN_WINDOW_NEXT)), VN_E_ARG, "the dataset has no target");
    vn_shape most = {.rank = VN_MAX_RANK};
    for (int k = 0; k < VN_MAX_RANK; k++) most.dim[k] = 3;
    if (VN_MAX_RANK > 8)
        for (int k = 1; k < VN_MAX_RANK; k++) most.dim[k] = 1;
    w = vn_dataset_windows(vn_dataset_of(vn_zeros(most, VN_F32), VN_NONE), 2);
    CHECK_FAILS(vn_dataset_rows(w, (int64_t[]){0}, 1, &x, NULL), VN_E_SHAPE, "dataset_windows: rows of");
    w = vn_dataset_windows(vn_dataset_from(shaped_rows, INT64_C(1) << 48, 0, &kind), INT64_C(1) << 47);
    CHECK_FAILS(vn_dataset_rows(w, (int64_t[]){0, 1, 2}, 3, &x, NULL), VN_E_MEM, "dataset_windows");
    CHECK_FAILS(vn_dataset_random(2, most, 0, 1), VN_E_SHAPE, "rows of");
    CHECK_FAILS(vn_dataset_random(2, (vn_shape){.rank = -1}, 0, 1), VN_E_SHAPE, "rows of -1 axes");
}

TEST(random_rows)
{
    vn_dataset *d = vn_dataset_random(200, VN_SHAPE(3, 2), 5, 1), *numbers = vn_dataset_random(50, VN_SHAPE(4), 0, 1);
    CHECK(look(d).rows == 200 && look(d).classes == 5 && look(d).x.rank == 2 && look(d).x.dim[1] == 2);
    CHECK(look(numbers).classes == 0 && look(numbers).has_target);
    double x[200], y[200], again[200], count[5] = {0};
    rows(d, x, y);
    double mean = 0, square = 0;
    for (int i = 0; i < 200; i++) mean += x[i] / 200, square += x[i] * x[i] / 200, count[(int)y[i]]++;
    CHECK(fabs(mean) < .25 && square > .7 && square < 1.4);
    for (int i = 0; i < 5; i++) CHECK(count[i] > 20);
    rows(vn_dataset_random(200, VN_SHAPE(3, 2), 5, 1), again, y);
    CHECK(!memcmp(x, again, sizeof x));
    CHECK_FAILS(vn_dataset_random(0, VN_SHAPE(1), 2, 1), VN_E_ARG, "0 rows");
    CHECK_FAILS(vn_dataset_random(1, VN_SHAPE(1), -2, 1), VN_E_ARG, "-2 classes");
    CHECK_FAILS(vn_dataset_random(INT64_C(1) << 47, VN_SHAPE(1 << 20), 2, 1), VN_E_SHAPE, "");
}

FOLDER_TEST_MAIN
