/* SPDX-License-Identifier: Apache-2.0 */
/* losses.h: losses, metrics; one function per row of src/nn/objects.def.
 * Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h, train.h). vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_LOSSES_H
#define VINEA_LOSSES_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Losses ----
 * What vn_fit minimises: the mean over the rows. As text with options in brackets, in this order or by name: huber(0.5), cross_entropy(label_smoothing=0.1).
 */

/* logits against class numbers, as vn_cross_entropy. */
typedef struct vn_loss_cross_entropy_opts {
    size_t size VN_UNSET;
    double label_smoothing VN_UNSET; /* this share of the target is spread over all classes; in [0, 1] */
    int from_probs VN_UNSET; /* the network gives probabilities, not logits; their logarithm at 0 is -100 */
    int reserved VN_UNSET; /* 0 */
} vn_loss_cross_entropy_opts;
VN_API vn_loss vn_loss_cross_entropy(const vn_loss_cross_entropy_opts *opts);

/* squared differences. */
VN_API vn_loss vn_loss_mse(void);

/* absolute differences. */
VN_API vn_loss vn_loss_mae(void);

/* half the squared differences up to delta, in proportion to the difference beyond. */
VN_API vn_loss vn_loss_huber(double delta);

/* binary cross entropy: one logit against each target, which is 0 or 1. */
VN_API vn_loss vn_loss_bce(void);

/* huber divided by delta, here called beta; mae for beta 0. */
VN_API vn_loss vn_loss_smooth_l1(double beta);

/* counts that are Poisson distributed: -log of their probability. */
typedef struct vn_loss_poisson_nll_opts {
    size_t size VN_UNSET;
    int rate_input VN_UNSET; /* the network gives the rate itself, not its logarithm */
    int full VN_UNSET; /* with Stirling's approximation of log(target!) */
    double epsilon VN_UNSET; /* keeps the logarithm of a rate finite; 1e-8 unless given; in [0, inf) */
} vn_loss_poisson_nll_opts;
VN_API vn_loss vn_loss_poisson_nll(const vn_loss_poisson_nll_opts *opts);

/* log(cosh) of the differences: squared where they are small, absolute where they are large. */
VN_API vn_loss vn_loss_log_cosh(void);

/* absolute differences to the power p. */
VN_API vn_loss vn_loss_lp(double p);

/* absolute differences in percent of the target. */
VN_API vn_loss vn_loss_mape(void);

/* squared differences of log(1 + x). */
VN_API vn_loss vn_loss_msle(void);

/* 1 - x target where that is above 0; targets are -1 and 1. */
VN_API vn_loss vn_loss_hinge(void);

/* hinge, squared. */
VN_API vn_loss vn_loss_squared_hinge(void);

/* log(1 + exp(-x target)); targets are -1 and 1. */
VN_API vn_loss vn_loss_soft_margin(void);

/* -x target where that is above 0; targets are -1 and 1. */
VN_API vn_loss vn_loss_perceptron(void);

/* distances where the target is 1, what they lack of margin where it is -1. */
VN_API vn_loss vn_loss_hinge_embedding(double margin);

/* lists along the last axis: -sum(target log_softmax(x)). */
VN_API vn_loss vn_loss_ranking_softmax(void);

/* sparse_plus of one logit against each target, which is 0 or 1. */
VN_API vn_loss vn_loss_sparsemax(void);

/* bce in which what is easy counts little. */
typedef struct vn_loss_focal_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0; VN_ZERO for 0; -1 unless given; in [-1, 1] */
    double label_smoothing VN_UNSET; /* this share of the target is spread over both; in [0, 1] */
} vn_loss_focal_opts;
VN_API vn_loss vn_loss_focal(double gamma, const vn_loss_focal_opts *opts VN_OR(NULL));

/* 1 - twice the overlap of output and target, divided by the sum of both; over the whole batch. */
typedef struct vn_loss_dice_opts {
    size_t size VN_UNSET;
    double smooth VN_UNSET; /* added to the overlap and to what it is divided by; in [0, inf) */
    const char *activation VN_UNSET; /* what makes shares of the network's output: sigmoid, none, softmax; the first unless given */
} vn_loss_dice_opts;
VN_API vn_loss vn_loss_dice(const vn_loss_dice_opts *opts);

/* dice with weights for what is too much and what is missing. */
typedef struct vn_loss_tversky_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* of x where there is no target; 0.5 unless given; in [0, inf) */
    double beta VN_UNSET; /* of targets that x lacks; 0.5 unless given; in [0, inf) */
    double smooth VN_UNSET; /* added to the overlap and to what it is divided by; in [0, inf) */
    const char *activation VN_UNSET; /* what makes shares of the network's output: sigmoid, none, softmax; the first unless given */
} vn_loss_tversky_opts;
VN_API vn_loss vn_loss_tversky(const vn_loss_tversky_opts *opts);

/* dice of each class, weighted by how rare it is; targets have two axes or more. */
typedef struct vn_loss_generalized_dice_opts {
    size_t size VN_UNSET;
    double smooth VN_UNSET; /* added to the overlap and to what it is divided by; VN_ZERO for 0; 1 unless given; in [0, inf) */
    int from_probs VN_UNSET; /* the network gives probabilities, not logits */
    int reserved VN_UNSET; /* 0 */
} vn_loss_generalized_dice_opts;
VN_API vn_loss vn_loss_generalized_dice(const vn_loss_generalized_dice_opts *opts);

/* cross_entropy in which what is easy counts little. */
typedef struct vn_loss_categorical_focal_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* times the loss; 0.25 unless given; in [0, inf) */
    double label_smoothing VN_UNSET; /* this share of the target is spread over all classes; in [0, 1] */
    int from_probs VN_UNSET; /* the network gives probabilities, not logits */
    int reserved VN_UNSET; /* 0 */
} vn_loss_categorical_focal_opts;
VN_API vn_loss vn_loss_categorical_focal(double gamma, const vn_loss_categorical_focal_opts *opts VN_OR(NULL));

/* 1 + the largest output of other classes - that of the target where it is above 0. */
VN_API vn_loss vn_loss_categorical_hinge(void);

/* categorical_hinge without 0 among the outputs of others (Crammer and Singer). */
VN_API vn_loss vn_loss_multiclass_hinge(void);

/* the largest output - that of the target. */
VN_API vn_loss vn_loss_multiclass_perceptron(void);

/* cross_entropy with sparsemax instead of softmax. */
VN_API vn_loss vn_loss_multiclass_sparsemax(void);

/* what the outputs of other classes are above that of the target less margin; their mean. */
typedef struct vn_loss_multi_margin_opts {
    size_t size VN_UNSET;
    int squared VN_UNSET; /* each margin is squared */
    int reserved VN_UNSET; /* 0 */
} vn_loss_multi_margin_opts;
VN_API vn_loss vn_loss_multi_margin(double margin, const vn_loss_multi_margin_opts *opts VN_OR(NULL));

/* (1 - p^q) / q with p the probability of the target; bears wrong labels. */
typedef struct vn_loss_generalized_cross_entropy_opts {
    size_t size VN_UNSET;
    int from_probs VN_UNSET; /* the network gives probabilities, not logits */
    int reserved VN_UNSET; /* 0 */
} vn_loss_generalized_cross_entropy_opts;
VN_API vn_loss vn_loss_generalized_cross_entropy(double q, const vn_loss_generalized_cross_entropy_opts *opts VN_OR(NULL));

/* cross_entropy plus epsilon times 1 - the probability of the target. */
VN_API vn_loss vn_loss_poly(double epsilon);

/* pairs of the same class among those of different ones, by their cosines. */
VN_API vn_loss vn_loss_ntxent(double temperature);

/* cosines of the same class become large, of different ones small; the network gives rows of length 1. */
typedef struct vn_loss_circle_opts {
    size_t size VN_UNSET;
    double gamma VN_UNSET; /* scale; 80 unless given; in (0, inf) */
    double margin VN_UNSET; /* how strict it is; VN_ZERO for 0; 0.4 unless given; in (-inf, inf) */
} vn_loss_circle_opts;
VN_API vn_loss vn_loss_circle(const vn_loss_circle_opts *opts);

/* ---- Metrics ----
 * What vn_fit and vn_evaluate report beside the loss. As text like losses: top(3), which may also be written top3, and precision(average=micro).
 */

/* the share of rows whose class is the most likely one. */
VN_API vn_metric vn_metric_accuracy(void);

/* the share of rows whose class is among the k most likely ones. */
VN_API vn_metric vn_metric_top(int64_t k);

/* of the rows taken for a class, the share that is of it; averaged over classes. */
typedef struct vn_metric_score_opts {
    size_t size VN_UNSET;
    const char *average VN_UNSET; /* over the classes: macro, micro, weighted; the first unless given */
} vn_metric_score_opts;
typedef vn_metric_score_opts vn_metric_precision_opts;
VN_API vn_metric vn_metric_precision(const vn_metric_precision_opts *opts);

/* of the rows of a class, the share taken for it; averaged over classes. */
typedef vn_metric_score_opts vn_metric_recall_opts;
VN_API vn_metric vn_metric_recall(const vn_metric_recall_opts *opts);

/* the harmonic mean of precision and recall of a class; averaged over classes. */
typedef vn_metric_score_opts vn_metric_f1_opts;
VN_API vn_metric vn_metric_f1(const vn_metric_f1_opts *opts);

/* the mean of squared differences. */
VN_API vn_metric vn_metric_mse(void);

/* the mean of absolute differences. */
VN_API vn_metric vn_metric_mae(void);

/* the root of mse. */
VN_API vn_metric vn_metric_rmse(void);

/* the mean of log(cosh) of the differences. */
VN_API vn_metric vn_metric_log_cosh(void);

/* the mean of absolute differences in percent of the target. */
VN_API vn_metric vn_metric_mape(void);

/* the mean of squared differences of log(1 + x). */
VN_API vn_metric vn_metric_msle(void);

/* the coefficient of determination: 1 - mse / the variance of the targets. */
VN_API vn_metric vn_metric_r2(void);

/* Pearson's correlation of outputs and targets. */
VN_API vn_metric vn_metric_pearson(void);

/* Lin's correlation, which is 1 only where outputs are the targets. */
VN_API vn_metric vn_metric_concordance(void);

/* e to the mean cross entropy. */
VN_API vn_metric vn_metric_perplexity(void);

/* the mean of the loss of that name. */
VN_API vn_metric vn_metric_categorical_hinge(void);

/* the mean of the loss of that name. */
typedef struct vn_metric_categorical_focal_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* times the loss; 0.25 unless given; in [0, inf) */
} vn_metric_categorical_focal_opts;
VN_API vn_metric vn_metric_categorical_focal(double gamma, const vn_metric_categorical_focal_opts *opts VN_OR(NULL));

/* the mean of the loss of that name; targets are 0 and 1. */
VN_API vn_metric vn_metric_focal(double gamma);

/* precision and recall of a class, in which recall weighs beta times as much; averaged over classes. */
typedef vn_metric_score_opts vn_metric_f_beta_opts;
VN_API vn_metric vn_metric_f_beta(double beta, const vn_metric_f_beta_opts *opts VN_OR(NULL));

/* twice the overlap of a class's rows and those taken for it, divided by the sum of both: f1, as segmentation calls it. */
typedef vn_metric_score_opts vn_metric_dice_opts;
VN_API vn_metric vn_metric_dice(const vn_metric_dice_opts *opts);

/* the overlap of a class's rows and those taken for it, divided by those in either; averaged over the classes that occur. */
typedef vn_metric_score_opts vn_metric_iou_opts;
VN_API vn_metric vn_metric_iou(const vn_metric_iou_opts *opts);

/* how many rows of the class were taken for it. */
VN_API vn_metric vn_metric_true_positives(int64_t label);

/* how many rows of others were taken for the class. */
VN_API vn_metric vn_metric_false_positives(int64_t label);

/* how many rows of others were not taken for the class. */
VN_API vn_metric vn_metric_true_negatives(int64_t label);

/* how many rows of the class were not taken for it. */
VN_API vn_metric vn_metric_false_negatives(int64_t label);

/* two classes: how often a row of class 1 is more likely than one of class 0; a tie, in one of so many parts of 0 to 1, counts half. */
VN_API vn_metric vn_metric_roc_auc(int64_t bins);

/* two classes: the area under precision over recall, average precision, with probabilities in so many parts of 0 to 1. */
VN_API vn_metric vn_metric_pr_auc(int64_t bins);

/* two classes: the best precision of class 1 of thresholds with at least this recall. */
typedef struct vn_metric_bins_opts {
    size_t size VN_UNSET;
    int64_t bins VN_UNSET; /* thresholds: so many parts of 0 to 1; 200 unless given; in [1, 16777216] */
} vn_metric_bins_opts;
typedef vn_metric_bins_opts vn_metric_precision_at_recall_opts;
VN_API vn_metric vn_metric_precision_at_recall(double recall, const vn_metric_precision_at_recall_opts *opts VN_OR(NULL));

/* two classes: the best recall of class 1 of thresholds with at least this precision. */
typedef vn_metric_bins_opts vn_metric_recall_at_precision_opts;
VN_API vn_metric vn_metric_recall_at_precision(double precision, const vn_metric_recall_at_precision_opts *opts VN_OR(NULL));

/* two classes: the best recall of class 1 of thresholds with at least this recall of class 0. */
typedef vn_metric_bins_opts vn_metric_sensitivity_at_specificity_opts;
VN_API vn_metric vn_metric_sensitivity_at_specificity(double specificity, const vn_metric_sensitivity_at_specificity_opts *opts VN_OR(NULL));

/* two classes: the best recall of class 0 of thresholds with at least this recall of class 1. */
typedef vn_metric_bins_opts vn_metric_specificity_at_sensitivity_opts;
VN_API vn_metric vn_metric_specificity_at_sensitivity(double sensitivity, const vn_metric_specificity_at_sensitivity_opts *opts VN_OR(NULL));

/* how far the probability of what is predicted is from how often it is right, on average over parts of 0 to 1: the expected calibration error. */
VN_API vn_metric vn_metric_calibration_error(int64_t bins);

/* sequences of tokens: how many must be put in, taken out or replaced, divided by the tokens of the targets; of characters or words, whichever tokens are. */
typedef struct vn_metric_tokens_opts {
    size_t size VN_UNSET;
    int64_t pad VN_UNSET; /* the number that stands behind the end of a sequence; VN_ZERO for 0; -1 unless given */
} vn_metric_tokens_opts;
typedef vn_metric_tokens_opts vn_metric_token_error_rate_opts;
VN_API vn_metric vn_metric_token_error_rate(const vn_metric_token_error_rate_opts *opts);

/* sequences of tokens: twice the longest common subsequence, divided by the tokens of both; the mean over rows. */
typedef vn_metric_tokens_opts vn_metric_rouge_l_opts;
VN_API vn_metric vn_metric_rouge_l(const vn_metric_rouge_l_opts *opts);

/* sequences of tokens: BLEU of all rows together, with one reference each: the geometric mean of the precisions of n-grams, less what is too short. */
typedef vn_bleu_counts_opts vn_metric_bleu_opts;
VN_API vn_metric vn_metric_bleu(const vn_metric_bleu_opts *opts);

/* the peak signal-to-noise ratio of each example in decibels: the mean over rows. */
VN_API vn_metric vn_metric_psnr(double max_val);

/* images: the mean of their structural similarities, vn_ssim. */
typedef struct vn_metric_ssim_opts {
    size_t size VN_UNSET;
    int64_t filter_size VN_UNSET; /* of the Gaussian filter; 11 unless given; in [1, inf) */
} vn_metric_ssim_opts;
VN_API vn_metric vn_metric_ssim(double max_val, const vn_metric_ssim_opts *opts VN_OR(NULL));

/* images: the mean of their structural similarities at several scales, vn_ms_ssim. */
typedef struct vn_metric_ms_ssim_opts {
    size_t size VN_UNSET;
    int64_t filter_size VN_UNSET; /* of the Gaussian filter; 11 unless given; in [1, inf) */
    int64_t scales VN_UNSET; /* how many sizes, each half of the one before; 5 unless given; in [1, 5] */
} vn_metric_ms_ssim_opts;
VN_API vn_metric vn_metric_ms_ssim(double max_val, const vn_metric_ms_ssim_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_loss_focal(...) vn_loss_focal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_loss_categorical_focal(...) vn_loss_categorical_focal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_loss_multi_margin(...) vn_loss_multi_margin(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_loss_generalized_cross_entropy(...) vn_loss_generalized_cross_entropy(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_categorical_focal(...) vn_metric_categorical_focal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_f_beta(...) vn_metric_f_beta(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_precision_at_recall(...) vn_metric_precision_at_recall(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_recall_at_precision(...) vn_metric_recall_at_precision(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_sensitivity_at_specificity(...) vn_metric_sensitivity_at_specificity(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_specificity_at_sensitivity(...) vn_metric_specificity_at_sensitivity(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_ssim(...) vn_metric_ssim(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_metric_ms_ssim(...) vn_metric_ms_ssim(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#endif
#endif
