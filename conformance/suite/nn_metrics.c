/* nn_metrics.c: metrics of a few predictions, computed by hand. */
#include "nn.h"

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

static const conformance_test rows[] = {
    NN("nn/metrics", "accuracy", accuracy, "how often the largest score is the right one, and among the k largest"),
    NN("nn/metrics", "confusion_matrix", confusion_matrix, "which class was taken for which"),
    NN("nn/metrics", "precision", precision, "how many of those taken for a class are of it"),
    NN("nn/metrics", "recall", recall, "how many of a class are taken for it"),
    NN("nn/metrics", "f1", f1, "the harmonic mean of both"),
    NN("nn/metrics", "roc_auc", roc_auc, "how often a positive example has the larger score"),
};

const nn_part nn_metrics = NN_PART(rows);
