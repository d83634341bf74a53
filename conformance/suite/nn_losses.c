/* SPDX-License-Identifier: Apache-2.0 */
/* nn_losses.c: losses and metrics against plain C where case lines are too short: many rows, long paths, ties among thousands of scores;
 * error messages; running means. */
#include "nn.h"

static double some(uint64_t *state) /* in [0, 1) */
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static double item(vn_array *x)
{
    return x ? vn_item(x) : NAN;
}

/* ---- many rows ---- */

enum { ROWS = 3000, CLASSES = 17, IGNORED = -1 };
static double logits[ROWS][CLASSES], plain_gradient[ROWS][CLASSES], gradient[ROWS][CLASSES];
static int64_t label[ROWS];

/* The mean loss, and its derivative, of the rows that are not ignored. */
static double plain_cross_entropy(void)
{
    double loss = 0, counted = 0;
    for (int r = 0; r < ROWS; r++) counted += label[r] != IGNORED;
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++) sum += exp(logits[r][c]);
        for (int c = 0; c < CLASSES; c++)
            plain_gradient[r][c] = label[r] == IGNORED ? 0 : (exp(logits[r][c]) / sum - (c == label[r])) / counted;
        if (label[r] != IGNORED) loss += (log(sum) - logits[r][label[r]]) / counted;
    }
    return loss;
}

static void many_rows(void)
{
    uint64_t state = 1;
    for (int r = 0; r < ROWS; r++) {
        label[r] = (int64_t)(some(&state) * (CLASSES + 1)) - 1;
        for (int c = 0; c < CLASSES; c++) logits[r][c] = 20 * some(&state) - 10;
    }
    vn_array *x = vn_variable(vn_from_host(logits, VN_F64, VN_SHAPE(ROWS, CLASSES)));
    vn_array *index = vn_from_host(label, VN_I64, VN_SHAPE(ROWS));
    vn_array *loss = vn_cross_entropy(x, index, VN_NONE, -1, VN_OPTS(cross_entropy, .ignore_index = IGNORED)), *g = vn_grad(loss, x);
    CHECK(near(item(loss), plain_cross_entropy(), 1e-12));
    CHECK(vn_read(g, gradient, sizeof gradient) == VN_OK);
    double most = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < CLASSES; c++) most = fmax(most, fabs(gradient[r][c] - plain_gradient[r][c]));
    }
    CHECK(most < 1e-15);
    vn_array *dense = vn_cross_entropy(x, vn_one_hot(index, CLASSES, VN_F64), VN_NONE, -1, VN_OPTS(cross_entropy, .reduction = "sum"));
    CHECK(near(item(dense),
               item(vn_cross_entropy(x, index, VN_NONE, -1, VN_OPTS(cross_entropy, .ignore_index = IGNORED, .reduction = "sum"))), 1e-12));
}

/* ---- long paths ---- */

enum { STEPS = 30, BATCH = 4, SYMBOLS = 6, LABELS = 8 };
static double log_probs[STEPS][BATCH][SYMBOLS];
static const int64_t targets[BATCH][LABELS] = {{1, 2, 3, 4, 5, 1, 2, 3}, {2, 2, 2, 2, 2, 2, 2, 2}, {5, 4, 4, 1}, {3}};
static const int64_t steps[BATCH] = {30, 25, 14, 30}, lengths[BATCH] = {8, 8, 4, 0};

/* The probability, position by position. */
static double plain_ctc(int b)
{
    int places = 2 * (int)lengths[b] + 1;
    double p[2 * LABELS + 1] = {0};
    for (int t = 0; t < steps[b]; t++) {
        for (int s = places; s--;) {
            int64_t own = s % 2 ? targets[b][s / 2] : 0;
            bool skips = s > 1 && s % 2 && own != targets[b][s / 2 - 1];
            double sum = t ? p[s] + (s > 0 ? p[s - 1] : 0) + (skips ? p[s - 2] : 0) : s < 2;
            p[s] = sum * exp(log_probs[t][b][own]);
        }
    }
    return -log(p[places - 1] + (places > 1 ? p[places - 2] : 0));
}

static void long_paths(void)
{
    uint64_t state = 2;
    for (int t = 0; t < STEPS; t++) {
        for (int b = 0; b < BATCH; b++) {
            double sum = 0, *row = log_probs[t][b];
            for (int c = 0; c < SYMBOLS; c++) sum += row[c] = some(&state);
            for (int c = 0; c < SYMBOLS; c++) row[c] = log(row[c] / sum);
        }
    }
    vn_array *x = vn_variable(vn_from_host(log_probs, VN_F64, VN_SHAPE(STEPS, BATCH, SYMBOLS)));
    vn_array *each = vn_ctc_loss(x, vn_from_host(targets, VN_I64, VN_SHAPE(BATCH, LABELS)), vn_from_host(steps, VN_I64, VN_SHAPE(BATCH)),
                                 vn_from_host(lengths, VN_I64, VN_SHAPE(BATCH)), VN_OPTS(ctc_loss, .reduction = "none"));
    vn_array *used = vn_sum(vn_grad(vn_sum(each, VN_ALL), x), VN_AXES(0, 2));
    double loss[BATCH], sum[BATCH];
    CHECK(vn_eval(2, (vn_array *[]){each, used}) == VN_OK); /* as one program, for engines that compile */
    CHECK(vn_read(each, loss, sizeof loss) == VN_OK && vn_read(used, sum, sizeof sum) == VN_OK);
    for (int b = 0; b < BATCH; b++) {
        CHECK(near(loss[b], plain_ctc(b), 1e-12));
        CHECK(near(sum[b], (double)-steps[b], 1e-12)); /* every path passes one symbol in each step */
    }
}

/* ---- thousands of scores ---- */

enum { SCORES = 2500 };

static void ties(void)
{
    static float score[SCORES];
    static bool positive[SCORES];
    uint64_t state = 3;
    double above = 0, pairs = 0;
    for (int k = 0; k < SCORES; k++) {
        positive[k] = some(&state) < .3;
        score[k] = (float)floor(some(&state) * 60) + (float)(5 * positive[k]);
    }
    for (int k = 0; k < SCORES; k++) {
        for (int j = 0; positive[k] && j < SCORES; j++) {
            if (positive[j]) continue;
            above += score[k] > score[j] ? 1 : score[k] == score[j] ? .5 : 0;
            pairs++;
        }
    }
    vn_array *z = vn_roc_auc(vn_from_host(score, VN_F32, VN_SHAPE(SCORES)), vn_from_host(positive, VN_BOOL, VN_SHAPE(SCORES)));
    CHECK(item(z) == (float)(above / pairs));
}

/* ---- numbers that are far apart ---- */

static void far_apart(void)
{
    const float x[] = {1e4f, -1e4f, 3e38f, -3e38f, 0}, y[] = {1, 1, 1, 0, .5f};
    float g[5];
    vn_array *v = vn_variable(vn_from_host(x, VN_F32, VN_SHAPE(5)));
    vn_array *loss = vn_binary_cross_entropy_with_logits(v, vn_from_host(y, VN_F32, VN_SHAPE(5)), VN_NONE, VN_NONE,
                                                         VN_OPTS(binary_cross_entropy_with_logits, .reduction = "sum"));
    CHECK(near(item(loss), 1e4 + log(2), 1e-6) && vn_read(vn_grad(loss, v), g, sizeof g) == VN_OK);
    CHECK(g[0] == 0 && g[1] == -1 && g[2] == 0 && g[3] == 0 && g[4] == 0);
    const float p[] = {0, 1, 0, 1, .5f}, t[] = {1, 0, 0, 1, 1};
    v = vn_variable(vn_from_host(p, VN_F32, VN_SHAPE(5)));
    loss = vn_binary_cross_entropy(v, vn_from_host(t, VN_F32, VN_SHAPE(5)), VN_NONE, VN_OPTS(binary_cross_entropy, .reduction = "sum"));
    CHECK(near(item(loss), 200 + log(2), 1e-6) && vn_read(vn_grad(loss, v), g, sizeof g) == VN_OK);
    CHECK(g[0] == 0 && g[1] == 0 && g[2] == 1 && g[3] == -1 && g[4] == -2);
}

/* ---- errors ---- */

static vn_array *floats(vn_shape s)
{
    return vn_ones(s, VN_F32);
}
static vn_array *indices(vn_shape s)
{
    return vn_zeros(s, VN_I64);
}

static void errors_of_losses(void)
{
    vn_array *x = floats(VN_SHAPE(2, 3)), *three = floats(VN_SHAPE(3)), *two = floats(VN_SHAPE(2)), *index = indices(VN_SHAPE(2));
    CHECK_FAILS(vn_mse_loss(two, x, VN_NONE, NULL), VN_E_SHAPE, "target 2x3 does not broadcast to the shape of x, 2");
    CHECK_FAILS(vn_mae_loss(x, x, two, NULL), VN_E_SHAPE, "weight 2 does not broadcast to the shape of x, 2x3");
    CHECK_FAILS(vn_mse_loss(x, x, VN_NONE, VN_OPTS(mse_loss, .reduction = "average")), VN_E_ARG,
                "mse_loss: reduction is \"average\"; possible are mean, sum, none");
    CHECK_FAILS(vn_huber_loss(x, x, VN_NONE, 0, NULL), VN_E_ARG, "delta is 0");
    CHECK_FAILS(vn_smooth_l1_loss(x, x, VN_NONE, NAN, NULL), VN_E_ARG, "beta is nan");
    CHECK_FAILS(vn_cross_entropy(x, x, two, -1, NULL), VN_E_SHAPE, "weight has shape 2, 3 is needed (x 2x3");
    CHECK_FAILS(vn_cross_entropy(x, x, VN_NONE, 2, NULL), VN_E_ARG, "axis 2 is outside");
    CHECK_FAILS(vn_cross_entropy(x, indices(VN_SHAPE(3)), VN_NONE, -1, NULL), VN_E_SHAPE, "target has shape 3, 2 is needed");
    CHECK_FAILS(vn_cross_entropy(x, index, VN_NONE, -1, VN_OPTS(cross_entropy, .label_smoothing = -1)), VN_E_ARG, "label_smoothing is -1");
    CHECK_FAILS(vn_nll_loss(x, two, VN_NONE, -1, NULL), VN_E_DTYPE, "index is float32");
    CHECK_FAILS(vn_nll_loss(x, index, VN_NONE, -1, VN_OPTS(nll_loss, .reduction = "max")), VN_E_ARG, "\"max\"");
    CHECK_FAILS(vn_binary_cross_entropy_with_logits(x, x, VN_NONE, two, NULL), VN_E_SHAPE, "pos_weight 2");
    CHECK_FAILS(vn_kl_div(x, x, VN_OPTS(kl_div, .reduction = "all")), VN_E_ARG, "\"all\"");
    CHECK_FAILS(vn_poisson_nll_loss(x, x, VN_OPTS(poisson_nll_loss, .epsilon = -1)), VN_E_ARG, "epsilon is -1");
    CHECK_FAILS(vn_gaussian_nll_loss(x, x, x, VN_OPTS(gaussian_nll_loss, .epsilon = -1)), VN_E_ARG, "epsilon is -1");
    CHECK_FAILS(vn_cosine_similarity(three, two, -1, VN_OPTS(cosine_similarity, .epsilon = VN_ZERO)), VN_E_SHAPE,
                "shapes 3 and 2 do not broadcast");
    CHECK_FAILS(vn_cosine_similarity(x, x, 2, VN_OPTS(cosine_similarity, .epsilon = VN_ZERO)), VN_E_ARG, "axis 2");
    CHECK_FAILS(vn_cosine_embedding_loss(x, x, vn_ones(VN_SHAPE(2), VN_BOOL), -1, VN_OPTS(cosine_embedding_loss, .epsilon = VN_ZERO)),
                VN_E_DTYPE, "target is bool");
    CHECK_FAILS(vn_cosine_embedding_loss(index, index, indices(VN_0D), -1, VN_OPTS(cosine_embedding_loss, .epsilon = VN_ZERO)), VN_E_DTYPE,
                "x is int64");
    CHECK_FAILS(vn_triplet_margin_loss(x, x, two, -1, VN_OPTS(triplet_margin_loss, .epsilon = VN_ZERO)), VN_E_SHAPE,
                "negative 2 does not broadcast to the shape of anchor, 2x3");
    CHECK_FAILS(vn_triplet_margin_loss(x, x, x, -1, VN_OPTS(triplet_margin_loss, .order = NAN, .epsilon = VN_ZERO)), VN_E_ARG,
                "order is NaN");
}

static void errors_of_paths(void)
{
    vn_array *x = floats(VN_SHAPE(5, 2, 3)), *labels = indices(VN_SHAPE(2, 4)), *index = indices(VN_SHAPE(2)),
             *other = indices(VN_SHAPE(3));
    CHECK_FAILS(vn_ctc_loss(floats(VN_SHAPE(5, 3)), labels, index, index, NULL), VN_E_SHAPE, "log_probs has shape 5x3");
    CHECK_FAILS(vn_ctc_loss(x, index, index, index, NULL), VN_E_SHAPE, "targets has shape 2, batch x labels is needed (log_probs 5x2x3");
    CHECK_FAILS(vn_ctc_loss(x, labels, other, index, NULL), VN_E_SHAPE, "input_lengths has shape 3, 2 is needed");
    CHECK_FAILS(vn_ctc_loss(x, labels, index, other, NULL), VN_E_SHAPE, "target_lengths has shape 3, 2 is needed");
    CHECK_FAILS(vn_ctc_loss(x, labels, index, index, VN_OPTS(ctc_loss, .blank = -1)), VN_E_ARG, "blank is -1, one of the 3 classes");
    CHECK_FAILS(vn_ctc_loss(x, labels, index, floats(VN_SHAPE(2)), NULL), VN_E_DTYPE, "target_lengths is float32");
    CHECK_FAILS(vn_ctc_loss(x, labels, index, index, VN_OPTS(ctc_loss, .reduction = "batchmean")), VN_E_ARG, "\"batchmean\"");
}

static void errors_of_metrics(void)
{
    vn_array *x = floats(VN_SHAPE(2, 3)), *index = indices(VN_SHAPE(2)), *other = indices(VN_SHAPE(3));
    CHECK_FAILS(vn_accuracy(x, other), VN_E_SHAPE, "index has shape 3, 2 is needed (x 2x3");
    CHECK_FAILS(vn_accuracy(floats(VN_SHAPE(2, 0)), index), VN_E_SHAPE, "a last axis of classes");
    CHECK_FAILS(vn_accuracy(x, floats(VN_SHAPE(2))), VN_E_DTYPE, "index is float32");
    CHECK_FAILS(vn_top_k_accuracy(x, index, 0), VN_E_ARG, "k is 0; a number in [1, inf] is needed");
    CHECK_FAILS(vn_confusion_matrix(index, other, 3), VN_E_SHAPE, "target has shape 3, 2 is needed");
    CHECK_FAILS(vn_recall(index, index, -1, NULL), VN_E_ARG, "classes is -1");
    CHECK_FAILS(vn_f1(index, index, 2, VN_OPTS(f1, .average = "marco")), VN_E_ARG,
                "average is \"marco\"; possible are macro, micro, weighted, none; did you mean \"macro\"?");
    CHECK_FAILS(vn_roc_auc(vn_ones(VN_SHAPE(2), VN_BOOL), index), VN_E_DTYPE, "x is bool");
}

/* ---- running means ---- */

static void running_means(void)
{
    vn_running r = {0};
    CHECK(isnan(vn_running_value(&r)));
    CHECK(vn_running_add(&r, 3, 2) == VN_OK && vn_running_add(&r, 6, 1) == VN_OK && vn_running_value(&r) == 4);
    CHECK(vn_running_add(&r, NAN, 0) == VN_OK && vn_running_value(&r) == 4);
    CHECK_FAILS(vn_running_add(&r, 1, -1), VN_E_ARG, "a weight of -1");
    CHECK_FAILS(vn_running_add(&r, 1, NAN), VN_E_ARG, "a weight of");
    CHECK_FAILS(vn_running_add(NULL, 1, 1), VN_E_NULL, "r is NULL");
    CHECK_FAILS(vn_running_value(NULL), VN_E_NULL, "r is NULL");
    CHECK_FAILS(vn_running_reset(NULL), VN_E_NULL, "r is NULL");
    CHECK(vn_running_reset(&r) == VN_OK && isnan(vn_running_value(&r)));
    for (int k = 0; k < 1000000; k++) vn_running_add(&r, .1, 1);
    CHECK(vn_running_value(&r) == .1);
    vn_running_add(&r, INFINITY, 1);
    CHECK(vn_running_value(&r) == INFINITY);
}

static const conformance_test rows[] = {
    NN("nn/losses", "sparse_cross_entropy", many_rows, "thousands of rows and their gradients against plain loops"),
    NN("nn/losses", "ctc_loss", long_paths, "long paths and their gradients against plain loops"),
    NN("nn/losses", "top_k_accuracy", ties, "ties among thousands of scores"),
    NN("nn/losses", "losses_far_apart", far_apart, "losses of numbers far apart do not overflow"),
    NN("nn/losses", "loss_errors", errors_of_losses, "what losses refuse, by name"),
    NN("nn/losses", "ctc_errors", errors_of_paths, "what ctc_loss refuses, by name"),
    NN("nn/losses", "metric_errors", errors_of_metrics, "what metrics refuse, by name"),
    NN("nn/losses", "running_mean", running_means, "running means of metrics"),
};

const nn_part nn_losses = NN_PART(rows);
