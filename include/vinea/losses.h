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
    double epsilon VN_UNSET; /* keeps the logarithm of a rate finite; 1e-8 unless given; in [0, inf] */
} vn_loss_poisson_nll_opts;
VN_API vn_loss vn_loss_poisson_nll(const vn_loss_poisson_nll_opts *opts);

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

#ifdef __cplusplus
}
#endif
#endif
