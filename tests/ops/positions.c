/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c: VINEA_CHECK=1 finds positions and class numbers that point outside, where the op is called, on every engine; without it they
 * give NaN or zeros as documented. What is inside, ignored or deliberately outside in a composition or gradient is not reported. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: env VINEA_CHECK=1 */
#include "check.h"

static vn_array *ints(int n, const int64_t *data, vn_shape shape)
{
    (void)n;
    return vn_from_host(data, VN_I64, shape);
}
#define INTS(...) ints(0, (const int64_t[]){__VA_ARGS__}, VN_SHAPE((int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))))

TEST(outside_is_found)
{
    vn_array *x = vn_ones(VN_SHAPE(3, 4), VN_F32), *y = vn_ones(VN_SHAPE(2, 4), VN_F32), *logits = vn_ones(VN_SHAPE(2, 3), VN_F32);
    CHECK_FAILS(vn_take(x, INTS(0, 3), 0), VN_E_INDEX, "take: index[1] is 3; there are 3 entries along the axis (");
    CHECK_FAILS(vn_take(x, ints(0, (int64_t[]){0, 1, 2, -5}, VN_SHAPE(2, 2)), 1), VN_E_INDEX,
                "take: index[1, 1] is -5; there are 4 entries");
    CHECK_FAILS(vn_take(x, ints(0, (int64_t[]){7}, VN_0D), 1), VN_E_INDEX, "take: index is 7; there are 4 entries");
    CHECK_FAILS(vn_take(x, vn_from_host((uint64_t[]){UINT64_MAX}, VN_U64, VN_SHAPE(1)), 1), VN_E_INDEX,
                "take: index[0] is 18446744073709551615; there");
    CHECK_FAILS(vn_take(x, vn_from_host((uint8_t[]){1, 200}, VN_U8, VN_SHAPE(2)), 0), VN_E_INDEX, "take: index[1] is 200");
    CHECK_FAILS(vn_take(x, vn_add(INTS(0, 2), vn_scalar(1)), 0), VN_E_INDEX, "take: index[1] is 3"); /* pending: computed for it */
    CHECK_FAILS(vn_take_along_axis(x, ints(0, (int64_t[]){4}, VN_SHAPE(1, 1)), 1), VN_E_INDEX, "take_along_axis: index[0, 0] is 4");
    CHECK_FAILS(vn_put_along_axis(x, ints(0, (int64_t[]){4}, VN_SHAPE(1, 1)), vn_scalar(1), 1, NULL), VN_E_INDEX,
                "put_along_axis: index[0, 0]");
    CHECK_FAILS(vn_index_add(x, INTS(0, 3), y, 0), VN_E_INDEX, "index_add: index[1] is 3");
    CHECK_FAILS(vn_index_set(x, INTS(-4, 0), y, 0), VN_E_INDEX, "index_set: index[0] is -4");
    CHECK_FAILS(vn_gather_nd(x, ints(0, (int64_t[]){2, 3, 3, 2}, VN_SHAPE(2, 2)), VN_ALL), VN_E_INDEX,
                "gather_nd: index[1, 0] is 3; there are 3 ent");
    CHECK_FAILS(vn_scatter_nd(x, ints(0, (int64_t[]){2, 4}, VN_SHAPE(1, 2)), vn_scalar(1), VN_ALL, NULL), VN_E_INDEX,
                "scatter_nd: index[0, 1] is 4; there are 4");
    CHECK_FAILS(vn_one_hot(INTS(0, 3), 3, VN_F32), VN_E_INDEX, "one_hot: index[1] is 3; there are 3 positions");
    CHECK_FAILS(vn_one_hot(INTS(-1), 3, VN_F32), VN_E_INDEX, "one_hot: index[0] is -1");
    CHECK_FAILS(vn_embedding(INTS(1, 2, 70), x, NULL), VN_E_INDEX, "embedding: index[2] is 70; there are 3 rows in the table");
    CHECK_FAILS(vn_cross_entropy(logits, INTS(0, 3), VN_NONE, -1, NULL), VN_E_INDEX,
                "cross_entropy: target[1] is 3; there are 3 classes (");
    CHECK_FAILS(vn_nll_loss(logits, INTS(-1, 0), VN_NONE, -1, NULL), VN_E_INDEX, "nll_loss: index[0] is -1; there are 3 classes");
    CHECK_FAILS(vn_accuracy(logits, INTS(0, 3)), VN_E_INDEX, "accuracy: index[1] is 3; there are 3 classes");
    CHECK_FAILS(vn_top_k_accuracy(logits, INTS(-1, 0), 2), VN_E_INDEX, "top_k_accuracy: index[0] is -1; there are 3 classes");
    CHECK_FAILS(vn_confusion_matrix(INTS(0, 1), INTS(2, 3), 3), VN_E_INDEX, "confusion_matrix: target[1] is 3; there are 3 classes");
    CHECK_FAILS(vn_confusion_matrix(INTS(-1, 1), INTS(2, 2), 3), VN_E_INDEX, "confusion_matrix: x[0] is -1; there are 3 classes");
    CHECK_FAILS(vn_precision(INTS(0, 3), INTS(0, 1), 3, NULL), VN_E_INDEX, "precision: x[1] is 3; there are 3 classes");
    CHECK_FAILS(vn_recall(INTS(0, 1), INTS(0, 3), 3, NULL), VN_E_INDEX, "recall: target[1] is 3; there are 3 classes");
    CHECK_FAILS(vn_f1(INTS(0, 1), INTS(0, -5), 3, NULL), VN_E_INDEX, "f1: target[1] is -5; there are 3 classes");
    vn_array *steps = vn_zeros(VN_SHAPE(4, 1, 3), VN_F32), *labels = ints(0, (int64_t[]){1, 9}, VN_SHAPE(1, 2));
    CHECK_FAILS(vn_ctc_loss(steps, labels, INTS(4), INTS(2), NULL), VN_E_INDEX, "ctc_loss: targets[0, 1] is 9; there are 3 classes");
}

TEST(outside_of_matrices)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3, 3), VN_F32), *m = vn_ones(VN_SHAPE(3, 3), VN_F32);
    CHECK_FAILS(vn_gather_matmul(x, x, VN_NONE, INTS(1, 9)), VN_E_INDEX, "gather_matmul: y_index[1] is 9; there are 2 matrices");
    CHECK_FAILS(vn_gather_matmul(x, x, INTS(-3, 0), VN_NONE), VN_E_INDEX, "gather_matmul: x_index[0] is -3; there are 2 matrices");
    CHECK_FAILS(vn_segment_matmul(m, m, INTS(0, 9)), VN_E_INDEX, "segment_matmul: segments[1] is 9; there are 4 limits between columns");
    CHECK_FAILS(vn_segment_matmul(m, m, INTS(-2, 2)), VN_E_INDEX, "segment_matmul: segments[0] is -2");
    CHECK_FAILS(vn_lu_solve(m, INTS(0, 1, 9), vn_ones(VN_SHAPE(3), VN_F32)), VN_E_INDEX, "lu_solve: permutation[2] is 9; there are 3 rows");
    CHECK(vn_gather_matmul(x, x, INTS(-2, 1), INTS(1, 0)) && vn_segment_matmul(m, m, INTS(0, 3)) &&
          vn_lu_solve(m, INTS(2, 0, 1), vn_ones(VN_SHAPE(3), VN_F32)));
}

TEST(checks_are_switched)
{
    vn_array *x = vn_ones(VN_SHAPE(3, 4), VN_F32);
    CHECK(vn_check_positions(-1) == 1 && vn_check_positions(0) == 1 && vn_check_positions(-1) == 0);
    CHECK(isnan(vn_item(vn_sum(vn_take(x, INTS(0, 3), 0), VN_ALL))));
    CHECK(vn_check_positions(1) == 0);
    CHECK_FAILS(vn_take(x, INTS(0, 3), 0), VN_E_INDEX, "take: index[1] is 3");
    CHECK_FAILS(vn_check_positions(2), VN_E_ARG, "check_positions: mode 2");
    CHECK(vn_check_positions(-1) == 1);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array *h = vn_take(vn_tree_get(p, "w"), data, 0);
    return vn_cross_entropy(h, INTS(1, -100), vn_tree_get(p, "c"), -1, NULL);
}

TEST(inside_is_not_reported)
{
    vn_array *x = vn_ones(VN_SHAPE(3, 4), VN_F32), *logits = vn_ones(VN_SHAPE(2, 3), VN_F32);
    CHECK(vn_take(x, INTS(-3, 2), 0) && vn_gather_nd(x, ints(0, (int64_t[]){2, -4}, VN_SHAPE(1, 2)), VN_ALL));
    CHECK(vn_take(x, vn_zeros(VN_SHAPE(0), VN_I64), 0) && vn_gather_nd(x, vn_zeros(VN_SHAPE(2, 0), VN_I64), VN_ALL));
    CHECK(vn_item(vn_cross_entropy(logits, INTS(0, -100), VN_NONE, -1, NULL)) > 1); /* ignore_index */
    CHECK(vn_cross_entropy(logits, INTS(0, 9), VN_NONE, -1, VN_OPTS(cross_entropy, .ignore_index = 9)));
    vn_array *steps = vn_zeros(VN_SHAPE(4, 1, 3), VN_F32), *padded = ints(0, (int64_t[]){1, -1}, VN_SHAPE(1, 2));
    CHECK(vn_ctc_loss(steps, padded, INTS(4), INTS(1), NULL) && vn_accuracy(logits, INTS(0, 2)));
    CHECK(vn_confusion_matrix(INTS(0, 2), INTS(2, 0), 3) && vn_f1(INTS(0, 2), INTS(2, 0), 3, NULL));
    vn_array *ends, *x1 = vn_ones(VN_SHAPE(5), VN_F32);
    CHECK(vn_topk(x1, 2, 0, NULL, &ends) && vn_sort(x1, 0, NULL) && vn_nonzero_sized(x1, 8, -1)); /* compositions point outside */
    vn_tree *grads, *p = vn_tree_of("w", x, "c", vn_ones(VN_SHAPE(4), VN_F32), NULL);
    CHECK(isfinite(vn_item(vn_value_and_grad(loss_of, p, INTS(0, 2), &grads)))); /* so do gradients */
    CHECK(vn_item(vn_sum(vn_tree_get(grads, "w"), VN_ALL)) < 1e-6);
    CHECK_FAILS(vn_value_and_grad(loss_of, p, INTS(0, 3), &grads), VN_E_INDEX, "take: index[1] is 3");
}

static int rows(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    out[0] = vn_take(in[0], vn_add(in[1], vn_scalar(1)), 0);
    return vn_status();
}

/* Captured functions are called as they are, so that positions are known. */
/* Not switched on: labels that need no evaluation are looked at, the others are not. */
TEST(labels_at_hand)
{
    vn_check_positions(0);
    vn_array *logits = vn_from((float[]){1, 2, 3, 4, 5, 6}, VN_SHAPE(2, 3)), *labels = INTS(0, 3),
             *later = vn_add(INTS(0, 2), vn_scalar_int(1));
    CHECK_FAILS(vn_cross_entropy(logits, labels), VN_E_INDEX, "cross_entropy: target[1] is 3; there are 3 classes (");
    CHECK_FAILS(vn_nll_loss(logits, INTS(-1, 0)), VN_E_INDEX, "nll_loss: index[0] is -1; there are 3 classes (");
    CHECK_FAILS(vn_poly_loss(logits, labels), VN_E_INDEX, "poly_loss: target[1] is 3; there are 3 classes (");
    CHECK_FAILS(vn_loss_of("cross_entropy", logits, labels), VN_E_INDEX, "target[1] is 3");
    CHECK(isfinite(vn_item(vn_cross_entropy(logits, INTS(0, -100))))); /* ignored */
    CHECK(isfinite(vn_item(vn_cross_entropy(logits, vn_argmax(logits, VN_AXES(1))))));
    CHECK(isnan(vn_item(vn_cross_entropy(logits, later))));
    CHECK(!vn_status() && !vn_check_positions(1));
}

TEST(captured)
{
    vn_array *x = vn_ones(VN_SHAPE(3, 4), VN_F32), *out = NULL;
    vn_fn *f = vn_capture(rows, 1, NULL);
    CHECK(vn_fn_call_many(f, 2, (vn_array *[]){x, INTS(0, 1)}, 1, &out) == VN_OK && out);
    CHECK_FAILS(vn_fn_call_many(f, 2, (vn_array *[]){x, INTS(0, 2)}, 1, &out), VN_E_INDEX, "take: index[1] is 3");
}

/* Rows that nothing can be sampled from. */
TEST(weights)
{
    vn_array *key = vn_random_key_of(1), *out = NULL;
    float rows[][4] = {{1, 2, 0, 0},   {0, 0, 0, 0},        {1, -1, 0, 0},
                       {1, NAN, 0, 0}, {INFINITY, 1, 0, 0}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    vn_array *x[6];
    for (int k = 0; k < 6; k++) x[k] = vn_from(rows[k], VN_SHAPE(2, 2));
    CHECK_FAILS(vn_multinomial(key, x[0], 3, NULL), VN_E_ARG, "multinomial: weights[1] leaves nothing to sample: all are 0");
    CHECK_FAILS(vn_multinomial(key, x[1], 3, VN_OPTS(multinomial, .no_replace = 1)), VN_E_ARG, "weights[0] leaves nothing to sample");
    CHECK_FAILS(vn_multinomial(key, x[2], 3, NULL), VN_E_ARG, "weights[0, 1] is -1; weights must not be negative");
    CHECK_FAILS(vn_multinomial(key, x[3], 3, NULL), VN_E_ARG, "weights[0, 1] is nan");
    CHECK_FAILS(vn_multinomial(key, x[4], 3, NULL), VN_E_ARG, "the sum of weights[0] is infinite");
    CHECK_FAILS(vn_categorical(key, x[3], 0), VN_E_ARG, "categorical: logits[0, 1] is nan");
    CHECK_FAILS(vn_categorical(key, x[4], 0), VN_E_ARG, "logits[0, 0] is inf");
    CHECK_FAILS(vn_categorical(key, x[5], 2), VN_E_ARG, "logits[0] leaves nothing to sample: all are -inf");
    CHECK((out = vn_categorical(key, x[0], 5)) && vn_size(out) == 10 && vn_categorical(key, x[2], 0));
    CHECK((out = vn_multinomial(key, vn_from(rows[0], VN_SHAPE(4)), 5, NULL)) && vn_item(vn_max(out, VN_ALL)) < 2);
    CHECK((out = vn_multinomial(key, vn_zeros(VN_SHAPE(0, 2), VN_F32), 5, NULL)) && !vn_size(out));
    vn_check_positions(0);
    CHECK(vn_item(vn_max(vn_multinomial(key, x[1], 3, NULL), VN_ALL)) == -1);
    vn_check_positions(1);
}

TEST(layers)
{
    vn_module *net = VN_SEQUENTIAL(vn_nn_embedding(10, 4, NULL), vn_nn_linear(4, 2, NULL));
    CHECK(vn_module_call(net, INTS(0, 9), NULL));
    CHECK_FAILS(vn_module_call(net, INTS(0, 10), NULL), VN_E_INDEX, "embedding: index[1] is 10; there are 10 rows in the table");
}

TEST_MAIN
