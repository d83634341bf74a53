/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_METRICS_H
#define VINEA_METRICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Counts for metrics ----
 * What metrics of many batches are made of: whole numbers that add up, so that the result depends neither on how rows are put into batches nor on which process counts them.
 * vn_metric_of, vn_evaluate and vn_fit compute the metrics themselves (objects.h): "pr_auc", "bleu" ...
 * Sequences of tokens end before their first `pad`.
 *
 *     vn_array *said = vn_from_host((int64_t[]){5, 2, 7, 7}, VN_I64, VN_SHAPE(1, 4)), *meant = vn_from_host((int64_t[]){5, 7, 7, -1}, VN_I64, VN_SHAPE(1, 4));
 *     puts(vn_text(vn_edit_distance(said, meant)));
 *     vn_array *p = vn_from((float[]){.9f, .2f, .6f}, VN_SHAPE(3)), *is = vn_from((float[]){1, 0, 0}, VN_SHAPE(3));
 *     puts(vn_text(vn_score_counts(p, is, 4)));
 */

/* how many tokens must be put in, taken out or replaced to make each row of target (rows, tokens) of that of x (rows, tokens): Levenshtein's distance, int64. */
typedef struct vn_edit_distance_opts {
    size_t size VN_UNSET;
    int64_t pad VN_UNSET; /* the number that stands behind the end of a sequence; VN_ZERO for 0; -1 unless given */
    int no_substitution VN_UNSET; /* a token that replaces another is one that goes and one that comes */
    int reserved VN_UNSET; /* 0 */
} vn_edit_distance_opts;
VN_API vn_array *vn_edit_distance(vn_array *x, vn_array *target, const vn_edit_distance_opts *opts VN_OR(NULL));

/* what BLEU is made of, (2 order + 2), int64: for n = 1 ... order how many n-grams of the rows of x (rows, tokens) are in those of target, each as often as there at most; how many there are in x; the tokens of x and of target. */
typedef struct vn_bleu_counts_opts {
    size_t size VN_UNSET;
    int64_t pad VN_UNSET; /* the number that stands behind the end of a sequence; VN_ZERO for 0; -1 unless given */
    int64_t order VN_UNSET; /* of the longest n-grams; 4 unless given; in [1, 16] */
} vn_bleu_counts_opts;
VN_API vn_array *vn_bleu_counts(vn_array *x, vn_array *target, const vn_bleu_counts_opts *opts VN_OR(NULL));

/* how many scores x, from 0 to 1, lie in each of so many equal parts: (2, bins), int64, of those whose target is 0, and of the others; NaN is in none, and a target of integers is 0 or 1. */
VN_API vn_array *vn_score_counts(vn_array *x, vn_array *target, int64_t bins VN_OR(200));

/* for each of so many equal parts of 0 to 1 in which the largest of the probabilities x (..., classes) lies: (3, bins), int64, how many rows, how many of these have their class there (index), and the sum of the probabilities, in units of 2^-30. */
VN_API vn_array *vn_calibration_counts(vn_array *x, vn_array *index, int64_t bins VN_OR(15));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_edit_distance(...) vn_edit_distance(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_bleu_counts(...) vn_bleu_counts(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_score_counts(...) vn_score_counts(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,200))
#define vn_calibration_counts(...) vn_calibration_counts(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,15))
#endif
#endif
