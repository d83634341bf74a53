/* SPDX-License-Identifier: Apache-2.0 */
/* objectives.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_OBJECTIVES_H
#define VINEA_OBJECTIVES_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- More losses ----
 * Losses of classes, margins, overlaps, embeddings, rankings and paths, beside those of ops.h.
 * Where x has classes along its last axis, an integer target has class numbers, a float one a share of each class; weight has a number for each class.
 * The mean is then divided by the weights of the rows' classes; a number that is no class gives NaN.
 *
 *     vn_array *logits = vn_from((float[]){2, 0, 1, 0, 3, -1}, VN_SHAPE(2, 3)), *labels = vn_from_host((int64_t[]){0, 2}, VN_I64, VN_SHAPE(2));
 *     printf("%.4f\n", vn_item(vn_categorical_focal_loss(logits, labels)));
 *     puts(vn_text(vn_multi_margin_loss(logits, labels, VN_NONE, 1, VN_OPTS(multi_margin_loss, .reduction = "none"))));
 */

/* log(cosh(x - target)), times weight: a parabola near 0, lines far away. */
typedef vn_loss_opts vn_log_cosh_loss_opts;
VN_API vn_array *vn_log_cosh_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_log_cosh_loss_opts *opts VN_OR(NULL));

/* |x - target|^p, times weight. */
typedef vn_loss_opts vn_lp_loss_opts;
VN_API vn_array *vn_lp_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double p VN_OR(2), const vn_lp_loss_opts *opts VN_OR(NULL));

/* 100 |x - target| / |target|, times weight; |target| counts as 1e-7 at least. */
typedef vn_loss_opts vn_mape_loss_opts;
VN_API vn_array *vn_mape_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_mape_loss_opts *opts VN_OR(NULL));

/* (log(1 + x) - log(1 + target))^2, times weight; x and target count as 1e-7 at least. */
typedef vn_loss_opts vn_msle_loss_opts;
VN_API vn_array *vn_msle_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_msle_loss_opts *opts VN_OR(NULL));

/* log(1 + exp(-x target)), times weight; targets are -1 and 1. */
typedef vn_loss_opts vn_soft_margin_loss_opts;
VN_API vn_array *vn_soft_margin_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_soft_margin_loss_opts *opts VN_OR(NULL));

/* the distance x where target is above 0, else what it lacks of margin; times weight. */
typedef vn_loss_opts vn_hinge_embedding_loss_opts;
VN_API vn_array *vn_hinge_embedding_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double margin VN_OR(1), const vn_hinge_embedding_loss_opts *opts VN_OR(NULL));

/* margin - target (x - y) where that is above 0, else 0: target is 1 where x, -1 where y should rank higher. */
typedef vn_loss_opts vn_margin_ranking_loss_opts;
VN_API vn_array *vn_margin_ranking_loss(vn_array *x, vn_array *y, vn_array *target, double margin VN_OR(0), const vn_margin_ranking_loss_opts *opts VN_OR(NULL));

/* -x target where that is above 0, else 0; targets are -1 and 1. */
typedef vn_loss_opts vn_perceptron_loss_opts;
VN_API vn_array *vn_perceptron_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_perceptron_loss_opts *opts VN_OR(NULL));

/* sparse_plus of x where target is 0, of -x where it is not: 0 where x is certain and right; times weight. */
typedef vn_loss_opts vn_sparsemax_loss_opts;
VN_API vn_array *vn_sparsemax_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_sparsemax_loss_opts *opts VN_OR(NULL));

/* binary_cross_entropy_with_logits times (1 - p)^gamma, where p is the probability of what is right, so that what is easy counts little. */
typedef struct vn_binary_focal_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* weight of targets that are 1, with 1 - alpha for those that are 0; none if it is below 0; VN_ZERO for 0; -1 unless given; in [-1, 1] */
    double label_smoothing VN_UNSET; /* this share of the target is spread over both; in [0, 1] */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_binary_focal_opts;
typedef vn_binary_focal_opts vn_sigmoid_focal_loss_opts;
VN_API vn_array *vn_sigmoid_focal_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double gamma VN_OR(2), const vn_sigmoid_focal_loss_opts *opts VN_OR(NULL));

/* sigmoid_focal_loss of probabilities x instead of logits. */
typedef vn_binary_focal_opts vn_binary_focal_loss_opts;
VN_API vn_array *vn_binary_focal_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double gamma VN_OR(2), const vn_binary_focal_loss_opts *opts VN_OR(NULL));

/* -sum(alpha (1 - p)^gamma target log(p)) over the classes, with p = softmax(x): cross_entropy in which what is easy counts little. */
typedef struct vn_categorical_focal_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* times the loss; 1 leaves it out; 0.25 unless given; in [0, inf) */
    double label_smoothing VN_UNSET; /* this share of the target is spread over all classes; in [0, 1] */
    int from_probs VN_UNSET; /* x are probabilities, or in proportion to them, not logits */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_categorical_focal_opts;
typedef vn_categorical_focal_opts vn_categorical_focal_loss_opts;
VN_API vn_array *vn_categorical_focal_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double gamma VN_OR(2), const vn_categorical_focal_loss_opts *opts VN_OR(NULL));

/* 1 + max((1 - target) x) - sum(target x) over the classes where that is above 0, else 0. */
typedef vn_loss_opts vn_categorical_hinge_loss_opts;
VN_API vn_array *vn_categorical_hinge_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_categorical_hinge_loss_opts *opts VN_OR(NULL));

/* max(x + 1 - target) - sum(target x) over the classes (Crammer and Singer). */
typedef vn_loss_opts vn_multiclass_hinge_loss_opts;
VN_API vn_array *vn_multiclass_hinge_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_multiclass_hinge_loss_opts *opts VN_OR(NULL));

/* max(x) - sum(target x) over the classes. */
typedef vn_loss_opts vn_multiclass_perceptron_loss_opts;
VN_API vn_array *vn_multiclass_perceptron_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_multiclass_perceptron_loss_opts *opts VN_OR(NULL));

/* sum(p x) + (1 - sum(p^2)) / 2 - sum(target x) over the classes, with p = sparsemax(x). */
typedef vn_loss_opts vn_multiclass_sparsemax_loss_opts;
VN_API vn_array *vn_multiclass_sparsemax_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_multiclass_sparsemax_loss_opts *opts VN_OR(NULL));

/* the sum over the other classes of what x is above x at the target less margin, divided by the number of classes. */
typedef struct vn_multi_margin_opts {
    size_t size VN_UNSET;
    int squared VN_UNSET; /* each margin is squared */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_multi_margin_opts;
typedef vn_multi_margin_opts vn_multi_margin_loss_opts;
VN_API vn_array *vn_multi_margin_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double margin VN_OR(1), const vn_multi_margin_loss_opts *opts VN_OR(NULL));

/* (1 - p^q) / q with p the probability of the target: cross entropy for small q, the mean absolute error for 1, which bears wrong labels. */
typedef struct vn_generalized_cross_entropy_opts {
    size_t size VN_UNSET;
    int from_probs VN_UNSET; /* x are probabilities, not logits */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_generalized_cross_entropy_opts;
VN_API vn_array *vn_generalized_cross_entropy(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double q VN_OR(0.5), const vn_generalized_cross_entropy_opts *opts VN_OR(NULL));

/* cross_entropy plus epsilon times 1 - p, where p is the probability of the target. */
typedef vn_loss_opts vn_poly_loss_opts;
VN_API vn_array *vn_poly_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), double epsilon VN_OR(2), const vn_poly_loss_opts *opts VN_OR(NULL));

/* tversky_loss with alpha and beta 1/2: 1 - 2 sum(x target) / (sum(x) + sum(target)) over axes, times weight. */
typedef struct vn_overlap_opts {
    size_t size VN_UNSET;
    double smooth VN_UNSET; /* added to the overlap and to what it is divided by; in [0, inf) */
    double epsilon VN_UNSET; /* added to what the overlap is divided by; 1e-7 unless given; in [0, inf) */
    const char *activation VN_UNSET; /* x are shares, or logits of these: none, sigmoid, softmax; the first unless given */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_overlap_opts;
typedef vn_overlap_opts vn_dice_loss_opts;
VN_API vn_array *vn_dice_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), vn_axes axes VN_OR(VN_ALL), const vn_dice_loss_opts *opts VN_OR(NULL));

/* 1 - o / (o + alpha sum(x (1 - target)) + beta sum(target (1 - x))) with the overlap o = sum(x target) over axes, times weight. */
typedef struct vn_tversky_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* of x where there is no target; 0.5 unless given; in [0, inf) */
    double beta VN_UNSET; /* of targets that x lacks; 0.5 unless given; in [0, inf) */
    double smooth VN_UNSET; /* added to the overlap and to what it is divided by; in [0, inf) */
    double epsilon VN_UNSET; /* added to what the overlap is divided by; 1e-7 unless given; in [0, inf) */
    const char *activation VN_UNSET; /* x are shares, or logits of these: none, sigmoid, softmax; the first unless given */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_tversky_opts;
typedef vn_tversky_opts vn_tversky_loss_opts;
VN_API vn_array *vn_tversky_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), vn_axes axes VN_OR(VN_ALL), const vn_tversky_loss_opts *opts VN_OR(NULL));

/* dice_loss of each class over the axes between the first and the last, where the probabilities softmax(x) are, times a weight that is the smaller the more often the class is a target: 1 / frequency^2, 1 on average; times weight. */
typedef struct vn_generalized_dice_opts {
    size_t size VN_UNSET;
    double smooth VN_UNSET; /* added to the overlap and to what it is divided by; VN_ZERO for 0; 1 unless given; in [0, inf) */
    int from_probs VN_UNSET; /* x are probabilities, not logits */
    int reserved VN_UNSET; /* 0 */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_generalized_dice_opts;
typedef vn_generalized_dice_opts vn_generalized_dice_loss_opts;
VN_API vn_array *vn_generalized_dice_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), const vn_generalized_dice_loss_opts *opts VN_OR(NULL));

/* the normalised, temperature-scaled cross entropy of embeddings x (n, features): the mean over all pairs of equal index (n) of -log of their share, exp(cosine / temperature), among the pair itself and all pairs of different index; NaN if no two are equal. */
VN_API vn_array *vn_ntxent_loss(vn_array *x, vn_array *index, double temperature VN_OR(0.07));

/* circle loss of embeddings x (n, features) of length 1: softplus of the logarithm of the sums over pairs of equal and of different index (n), each pair weighted by its distance from where it should be; 0 for rows without both. */
typedef struct vn_circle_opts {
    size_t size VN_UNSET;
    double gamma VN_UNSET; /* scale; 80 unless given; in (0, inf) */
    double margin VN_UNSET; /* how strict it is: cosines of 1 - margin within, of margin between classes; VN_ZERO for 0; 0.4 unless given; in (-inf, inf) */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_circle_opts;
typedef vn_circle_opts vn_circle_loss_opts;
VN_API vn_array *vn_circle_loss(vn_array *x, vn_array *index, const vn_circle_loss_opts *opts VN_OR(NULL));

/* -sum(target log_softmax(x)) over lists along the last axis, target times weight; entries where mask is false do not count, nor lists that have no others. */
typedef vn_loss_opts vn_ranking_softmax_loss_opts;
VN_API vn_array *vn_ranking_softmax_loss(vn_array *x, vn_array *target, vn_array *weight VN_OR(VN_NONE), vn_array *mask VN_OR(VN_NONE), const vn_ranking_softmax_loss_opts *opts VN_OR(NULL));

/* sum(target (log(target) - log_probs) + exp(log_probs) - target) along an axis: convex in both. */
typedef vn_loss_opts vn_generalized_kl_div_opts;
VN_API vn_array *vn_generalized_kl_div(vn_array *log_probs, vn_array *target, int64_t axis VN_OR(-1), const vn_generalized_kl_div_opts *opts VN_OR(NULL));

/* 1 - cosine_similarity. */
typedef vn_cosine_similarity_opts vn_cosine_distance_opts;
VN_API vn_array *vn_cosine_distance(vn_array *x, vn_array *y, int64_t axis VN_OR(-1), const vn_cosine_distance_opts *opts VN_OR(NULL));

/* x times 1 - share, plus share spread evenly along an axis. */
VN_API vn_array *vn_smooth_labels(vn_array *x, double share VN_OR(0.1), int64_t axis VN_OR(-1));

/* the style of pictures by features x and y (n, ..., channels) of a network: the sum of squared differences of their Gram matrices F^T F over the places, divided by 4 (places channels)^2; vn_feature_distance adds up layers. */
typedef vn_loss_opts vn_gram_matrix_loss_opts;
VN_API vn_array *vn_gram_matrix_loss(vn_array *x, vn_array *y, const vn_gram_matrix_loss_opts *opts VN_OR(NULL));

/* learned perceptual distance of features x and y (n, ..., channels): the mean over places of the sum over channels of weight (channels) times squared differences of features that are divided by their length at each place; vn_feature_distance adds up layers. */
typedef vn_loss_opts vn_lpips_opts;
VN_API vn_array *vn_lpips(vn_array *x, vn_array *y, vn_array *weight VN_OR(VN_NONE), const vn_lpips_opts *opts VN_OR(NULL));

/* structure and texture of features x and y (n, ..., channels): the sum over channels of alpha times 1 - similarity of means, and beta times 1 - similarity of variances and covariance; 1 / (2 channels) each unless given; vn_feature_distance adds up layers. */
typedef vn_loss_opts vn_dists_opts;
VN_API vn_array *vn_dists(vn_array *x, vn_array *y, vn_array *alpha VN_OR(VN_NONE), vn_array *beta VN_OR(VN_NONE), const vn_dists_opts *opts VN_OR(NULL));

/* Frechet's distance of two sets of features, x (n, features) and y (m, features), as normal distributions: |mean difference|^2 + trace(C1 + C2 - 2 (C1 C2)^(1/2)) of their unbiased covariances; of features of an Inception network it is FID. */
VN_API vn_array *vn_frechet_distance(vn_array *x, vn_array *y);

/* the loss of recurrent transducers: -log of the probability of all paths through input_lengths (batch) steps that emit the targets (batch, labels), of target_lengths (batch); x are logits (batch, steps, labels + 1, classes): after each label, and before the first; NaN for labels that are no classes and lengths that are not there. */
typedef struct vn_rnnt_loss_opts {
    size_t size VN_UNSET;
    int64_t blank VN_UNSET; /* the class that stands for no label; -1 is the last */
    const char *reduction VN_UNSET; /* what becomes of the losses: mean, sum, none; the first unless given */
} vn_rnnt_loss_opts;
VN_API vn_array *vn_rnnt_loss(vn_array *x, vn_array *targets, vn_array *input_lengths, vn_array *target_lengths, const vn_rnnt_loss_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_log_cosh_loss(...) vn_log_cosh_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_lp_loss(...) vn_lp_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 2, NULL))
#define vn_mape_loss(...) vn_mape_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_msle_loss(...) vn_msle_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_soft_margin_loss(...) vn_soft_margin_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_hinge_embedding_loss(...) vn_hinge_embedding_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 1, NULL))
#define vn_margin_ranking_loss(...) vn_margin_ranking_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,0, NULL))
#define vn_perceptron_loss(...) vn_perceptron_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_sparsemax_loss(...) vn_sparsemax_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_sigmoid_focal_loss(...) vn_sigmoid_focal_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 2, NULL))
#define vn_binary_focal_loss(...) vn_binary_focal_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 2, NULL))
#define vn_categorical_focal_loss(...) vn_categorical_focal_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 2, NULL))
#define vn_categorical_hinge_loss(...) vn_categorical_hinge_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_multiclass_hinge_loss(...) vn_multiclass_hinge_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_multiclass_perceptron_loss(...) vn_multiclass_perceptron_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_multiclass_sparsemax_loss(...) vn_multiclass_sparsemax_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_multi_margin_loss(...) vn_multi_margin_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 1, NULL))
#define vn_generalized_cross_entropy(...) vn_generalized_cross_entropy(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 0.5, NULL))
#define vn_poly_loss(...) vn_poly_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, 2, NULL))
#define vn_dice_loss(...) vn_dice_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, VN_ALL, NULL))
#define vn_tversky_loss(...) vn_tversky_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, VN_ALL, NULL))
#define vn_generalized_dice_loss(...) vn_generalized_dice_loss(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_ntxent_loss(...) vn_ntxent_loss(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0.07))
#define vn_circle_loss(...) vn_circle_loss(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_ranking_softmax_loss(...) vn_ranking_softmax_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, VN_NONE, NULL))
#define vn_generalized_kl_div(...) vn_generalized_kl_div(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,-1, NULL))
#define vn_cosine_distance(...) vn_cosine_distance(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,-1, NULL))
#define vn_smooth_labels(...) vn_smooth_labels(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0.1, -1))
#define vn_gram_matrix_loss(...) vn_gram_matrix_loss(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_lpips(...) vn_lpips(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,VN_NONE, NULL))
#define vn_dists(...) vn_dists(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,VN_NONE, VN_NONE, NULL))
#define vn_rnnt_loss(...) vn_rnnt_loss(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,NULL))
#endif
#endif
