/* SPDX-License-Identifier: Apache-2.0 */
/* nn_metrics.c: metrics of a few predictions, computed by hand; those of scores.def against scikit-learn and nltk (metrics.inc, printed by
 * conformance/golden/metrics_sklearn.py), of all rows at once and over batches. */
#include "nn.h"

typedef struct {
    const char *text; /* of the metric */
    double want;
} expected;
#include "metrics.inc"

static const int64_t predicted[] = {0, 1, 1, 2, 2, 2}, wanted[] = {0, 1, 2, 2, 2, 0};

static vn_array *classes(const int64_t *x)
{
    return vn_from_host(x, VN_I64, VN_SHAPE(6));
}

static void accuracy(void)
{
    const float scores[] = {.1f, .9f, .8f, .2f, .3f, .7f, .5f, .5f}; /* of two equal ones the first counts */
    const int64_t labels[] = {1, 0, 0, 0};
    vn_array *x = vn_from_host(scores, VN_F32, VN_SHAPE(4, 2));
    CHECK(vn_item(vn_accuracy(x, vn_from_host(labels, VN_I64, VN_SHAPE(4)))) == .75);
    CHECK(vn_item(vn_top_k_accuracy(x, vn_from_host(labels, VN_I64, VN_SHAPE(4)), 2)) == 1);
}

static void confusion_matrix(void)
{
    static const int64_t want[3][3] = {{1, 0, 1}, {0, 1, 0}, {0, 1, 2}};
    int64_t got[3][3];
    vn_array *m = vn_confusion_matrix(classes(predicted), classes(wanted), 3);
    CHECK(vn_dtype_of(m) == VN_I64 && vn_read(m, got, sizeof got) == VN_OK && !memcmp(got, want, sizeof got));
}

/* One number for each class, and their mean. */
static void check_per_class(vn_array *(*metric)(vn_array *, vn_array *, int64_t, const vn_score_opts *), const double want[3])
{
    float got[3];
    CHECK(vn_read(metric(classes(predicted), classes(wanted), 3, VN_OPTS(score, .average = "none")), got, sizeof got) == VN_OK);
    for (int k = 0; k < 3; k++) CHECK(near(got[k], want[k], 1e-6));
    CHECK(near(vn_item(metric(classes(predicted), classes(wanted), 3, VN_OPTS(score, .average = "macro"))),
               (want[0] + want[1] + want[2]) / 3, 1e-6));
    CHECK(near(vn_item(metric(classes(predicted), classes(wanted), 3, VN_OPTS(score, .average = "micro"))), 4. / 6, 1e-6));
}

static void precision(void)
{
    check_per_class(vn_precision, (const double[]){1, 1. / 2, 2. / 3});
}

static void recall(void)
{
    check_per_class(vn_recall, (const double[]){1. / 2, 1, 2. / 3});
}

static void f1(void)
{
    check_per_class(vn_f1, (const double[]){2. / 3, 2. / 3, 2. / 3});
}

/* How often a positive example has the larger score; ties count one half. */
static void roc_auc(void)
{
    const float scores[] = {.9f, .8f, .7f, .7f, .1f};
    const int64_t positive[] = {1, 0, 1, 0, 0};
    double auc = vn_item(vn_roc_auc(vn_from_host(scores, VN_F32, VN_SHAPE(5)), vn_from_host(positive, VN_I64, VN_SHAPE(5))));
    CHECK(near(auc, (3 + 1.5) / 6, 1e-6));
}

/* ---- against scikit-learn ---- */

/* A network that gives x, evaluated in batches of several sizes, of which the last is smaller: the same value. */
static void check_streams(vn_array *x, vn_array *y, const char *loss, const expected *of, int n)
{
    vn_dataset *d = vn_dataset_of(x, y, NULL);
    char all[1024] = "";
    for (int k = 0; k < n; k++) snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", of[k].text);
    for (int64_t batch = 9; batch <= ROWS; batch += ROWS - 9) {
        vn_evaluation e = {.size = sizeof e};
        CHECK(!vn_evaluate(vn_nn_identity(), d, VN_OPTS(evaluate, .batch = batch, .loss = loss, .metrics = all), &e) &&
              e.n_scores == n + 1);
        for (int k = 0; k < n && e.scores; k++)
            trial_near_list(nn_trial, CHECK_VALUE, of[k].text, &e.scores[k + 1].value, &of[k].want, 1, 2e-6, NULL);
    }
    for (int k = 0; k < n && !strcmp(vn_using(), "native"); k++) {
        const double got = vn_metric_of(of[k].text, x, y);
        trial_near_list(nn_trial, CHECK_VALUE, of[k].text, &got, &of[k].want, 1, 2e-6, NULL);
    }
}
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static void of_classes(void)
{
    check_streams(vn_from(class_outputs, VN_SHAPE(ROWS, 3)), vn_from_host(class_labels, VN_I64, VN_SHAPE(ROWS)), NULL, classes_metrics,
                  COUNT(classes_metrics));
}
static void of_yes_and_no(void)
{
    vn_array *x = vn_from(yes_outputs, VN_SHAPE(ROWS, 1)), *y = vn_from_host(yes_labels, VN_I64, VN_SHAPE(ROWS));
    check_streams(x, y, "bce", yes_metrics, COUNT(yes_metrics));
    CHECK_FAILS(vn_metric_of("pr_auc", vn_zeros(VN_SHAPE(ROWS, 3), VN_F32), y), VN_E_SHAPE, "the network gives 3 classes");
    CHECK_FAILS(vn_metric_of("precision_at_recall(2)", x, y), VN_E_ARG, "recall is 2");
}
static void of_numbers(void)
{
    check_streams(vn_from(guesses, VN_SHAPE(ROWS, 1)), vn_from(numbers, VN_SHAPE(ROWS)), NULL, numbers_metrics, COUNT(numbers_metrics));
    vn_array *same = vn_ones(VN_SHAPE(4), VN_F32);
    CHECK(isnan(vn_metric_of("r2", same, same)) && isnan(vn_metric_of("pearson", same, same)) && !vn_status());
}
static void of_tokens(void)
{
    vn_array *x = vn_from_host(said, VN_I64, VN_SHAPE(ROWS, STEPS)), *y = vn_from_host(meant, VN_I64, VN_SHAPE(ROWS, STEPS));
    check_streams(vn_one_hot(x, WORDS, VN_F32), y, NULL, tokens_metrics, COUNT(tokens_metrics));
    for (int k = 0; k < COUNT(tokens_metrics); k++) CHECK(near(vn_metric_of(tokens_metrics[k].text, x, y), tokens_metrics[k].want, 1e-6));
    CHECK_FAILS(vn_metric_of("bleu", vn_zeros(VN_SHAPE(3, 4), VN_F32), vn_zeros(VN_SHAPE(3), VN_I64)), VN_E_SHAPE, "rows x tokens");
}

/* Each function makes what its name makes, on any engine. */
static void functions(void)
{
    const struct {
        const char *text;
        vn_metric made;
    } all[] = {{"iou", vn_metric_iou(NULL)},
               {"dice", vn_metric_dice(NULL)},
               {"f_beta(2)", vn_metric_f_beta(2, NULL)},
               {"accuracy", vn_metric_accuracy()},
               {"perplexity", vn_metric_perplexity()},
               {"categorical_hinge", vn_metric_categorical_hinge()},
               {"categorical_focal", vn_metric_categorical_focal(2, NULL)},
               {"true_positives", vn_metric_true_positives(1)},
               {"false_positives", vn_metric_false_positives(1)},
               {"true_negatives", vn_metric_true_negatives(1)},
               {"false_negatives", vn_metric_false_negatives(1)},
               {"calibration_error(5)", vn_metric_calibration_error(5)}};
    vn_array *x = vn_from(class_outputs, VN_SHAPE(ROWS, 3)), *y = vn_from_host(class_labels, VN_I64, VN_SHAPE(ROWS));
    for (int k = 0; k < COUNT(all); k++) CHECK(vn_metric_value(&all[k].made, x, y) == vn_metric_of(all[k].text, x, y));
    const struct {
        const char *text;
        vn_metric made;
    } binary[] = {{"pr_auc", vn_metric_pr_auc(200)},
                  {"roc_auc", vn_metric_roc_auc(200)},
                  {"precision_at_recall(0.8)", vn_metric_precision_at_recall(.8, NULL)},
                  {"recall_at_precision(0.8)", vn_metric_recall_at_precision(.8, NULL)},
                  {"sensitivity_at_specificity(0.6)", vn_metric_sensitivity_at_specificity(.6, NULL)},
                  {"specificity_at_sensitivity(0.7)", vn_metric_specificity_at_sensitivity(.7, NULL)}};
    x = vn_from(yes_outputs, VN_SHAPE(ROWS)), y = vn_from_host(yes_labels, VN_I64, VN_SHAPE(ROWS));
    for (int k = 0; k < COUNT(binary); k++) CHECK(vn_metric_value(&binary[k].made, x, y) == vn_metric_of(binary[k].text, x, y));
    const vn_metric numeric[] = {vn_metric_r2(),       vn_metric_pearson(), vn_metric_concordance(),
                                 vn_metric_log_cosh(), vn_metric_mape(),    vn_metric_msle()};
    static const char *const names[] = {"r2", "pearson", "concordance", "log_cosh", "mape", "msle"};
    x = vn_from(guesses, VN_SHAPE(ROWS)), y = vn_from(numbers, VN_SHAPE(ROWS));
    for (int k = 0; k < COUNT(names); k++) CHECK(vn_metric_value(&numeric[k], x, y) == vn_metric_of(names[k], x, y));
    const vn_metric hard = vn_metric_focal(2);
    y = vn_cast(vn_from_host(yes_labels, VN_I64, VN_SHAPE(ROWS)), VN_F32);
    CHECK(near(vn_metric_value(&hard, x, y), vn_item(vn_sigmoid_focal_loss(x, y, VN_NONE, 2, NULL)), 1e-6));
    const vn_metric token[] = {vn_metric_token_error_rate(NULL), vn_metric_rouge_l(NULL), vn_metric_bleu(NULL)};
    static const char *const token_names[] = {"token_error_rate", "rouge_l", "bleu"};
    x = vn_from_host(said, VN_I64, VN_SHAPE(ROWS, STEPS)), y = vn_from_host(meant, VN_I64, VN_SHAPE(ROWS, STEPS));
    for (int k = 0; k < COUNT(token); k++) CHECK(vn_metric_value(&token[k], x, y) == vn_metric_of(token_names[k], x, y));
}

/* Of images, over two batches of them: the mean of what their ops give for each. */
static void of_images(void)
{
    enum { IMAGES = 3, SIDE = 8 };
    float values[2][IMAGES * SIDE * SIDE];
    for (int i = 0; i < IMAGES * SIDE * SIDE; i++)
        values[0][i] = (float)(i * 37 % 101) / 101, values[1][i] = values[0][i] * .8f + (float)(i * 53 % 97) / 485;
    const vn_shape s = VN_SHAPE(IMAGES, SIDE, SIDE, 1);
    vn_array *x = vn_from(values[0], s), *y = vn_from(values[1], s);
    double psnr = 0;
    for (int n = 0; n < IMAGES; n++) psnr += vn_item(vn_psnr(vn_rows(x, n, 1), vn_rows(y, n, 1), 2)) / IMAGES;
    const vn_metric made[] = {vn_metric_psnr(2), vn_metric_ssim(2, VN_OPTS(metric_ssim, .filter_size = 3)),
                              vn_metric_ms_ssim(2, VN_OPTS(metric_ms_ssim, .filter_size = 3, .scales = 2))};
    CHECK(near(vn_metric_value(&made[0], x, y), psnr, 1e-5));
    CHECK(near(vn_metric_value(&made[1], x, y), vn_item(vn_mean(vn_ssim(x, y, 2, VN_OPTS(ssim, .filter_size = 3)), VN_ALL)), 1e-6));
    CHECK(near(vn_metric_of("ms_ssim(2, filter_size=3, scales=2)", x, y), vn_metric_value(&made[2], x, y), 1e-9));
    CHECK(near(vn_metric_value(&made[2], x, y),
               vn_item(vn_mean(vn_ms_ssim(x, y, 2, VN_OPTS(ms_ssim, .filter_size = 3, .scales = 2)), VN_ALL)), 1e-6));
}

static vn_array *log_sum_exp(vn_array *x, void *user)
{
    (void)user;
    return vn_logsumexp(x, VN_AXES(-1));
}
static vn_array *itself(vn_array *x, void *user)
{
    (void)user;
    return x;
}

/* With the log-sum-exp it is cross entropy. */
static void fenchel_young(void)
{
    vn_array *x = vn_from(class_outputs, VN_SHAPE(ROWS, 3)), *y = vn_from_host(class_labels, VN_I64, VN_SHAPE(ROWS));
    vn_array *each = vn_fenchel_young_loss(x, vn_one_hot(y, 3, VN_F32), log_sum_exp, NULL);
    CHECK(near(vn_item(vn_mean(each, VN_ALL)), vn_item(vn_cross_entropy(x, y, VN_NONE, -1, NULL)), 1e-6));
    CHECK_FAILS(vn_fenchel_young_loss(x, x, itself, NULL), VN_E_SHAPE, "one number for each row of x");
    CHECK_FAILS(vn_fenchel_young_loss(x, x, NULL, NULL), VN_E_NULL, "max is NULL");
}

static const conformance_test rows[] = {
    NN("nn/metrics", "accuracy", accuracy, "how often the largest score is the right one, and among the k largest"),
    NN("nn/metrics", "confusion_matrix", confusion_matrix, "which class was taken for which"),
    NN("nn/metrics", "precision", precision, "how many of those taken for a class are of it"),
    NN("nn/metrics", "recall", recall, "how many of a class are taken for it"),
    NN("nn/metrics", "f1", f1, "the harmonic mean of both"),
    NN("nn/metrics", "roc_auc", roc_auc, "how often a positive example has the larger score"),
    NN("nn/metrics", "class_metrics", of_classes,
       "IoU, Dice, F-beta, counts, calibration and perplexity, over batches, against scikit-learn"),
    NN("nn/metrics", "curve_metrics", of_yes_and_no, "areas under curves, and precision at recall and its relatives, against scikit-learn"),
    NN("nn/metrics", "number_metrics", of_numbers, "R2, correlations and errors, over batches, against scikit-learn"),
    NN("nn/metrics", "metric_functions", functions, "each function makes the metric of its name"),
    NN("nn/metrics", "image_metrics", of_images, "signal-to-noise ratio and structural similarity, the mean over images"),
    NN("nn/losses", "fenchel_young_loss", fenchel_young, "the loss of a function's convex conjugate"),
    NN("nn/metrics", "token_metrics", of_tokens, "error rates, BLEU and ROUGE-L, over batches, against nltk"),
};

const nn_part nn_metrics = NN_PART(rows);
