/* SPDX-License-Identifier: Apache-2.0 */
/* optimizers.h: optimizers, transformations of updates, schedules; one function per row of src/nn/objects.def.
 * Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h, train.h). vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_OPTIMIZERS_H
#define VINEA_OPTIMIZERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Optimizers ----
 * How parameters move by their gradients (vn_step). lr is the learning rate, 0 or more; vn_optim_schedule makes it a function of the step. Defaults are those of PyTorch and the papers. What all optimizers share is set afterwards: vn_optim_clip_norm, vn_optim_clip_value, vn_optim_accumulate, vn_optim_keep_average, vn_optim_ignore_missing.
 */

/* w - lr g. */
typedef struct vn_sgd_opts {
    size_t size VN_UNSET;
    double momentum VN_UNSET; /* how much of the last step goes into the next; in [0, 1) */
    int nesterov VN_UNSET; /* look ahead by the momentum */
    int reserved VN_UNSET; /* 0 */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
    double dampening VN_UNSET; /* the part of later gradients that does not go into the momentum; in [0, 1] */
} vn_sgd_opts;
VN_API vn_optim *vn_sgd(double lr, const vn_sgd_opts *opts VN_OR(NULL));

/* Adam: the mean of gradients over the root of the mean of their squares. */
typedef struct vn_adam_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
    int folded VN_UNSET; /* epsilon folded into the rate, as vn_adam_step has it */
    int first_moments_grad VN_UNSET; /* begin with m = g, v = g^2 instead of 0 */
} vn_adam_opts;
VN_API vn_optim *vn_adam(double lr, const vn_adam_opts *opts VN_OR(NULL));

/* Adam with decoupled weight decay. */
typedef struct vn_adamw_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; VN_ZERO for none; 0.01 unless given; in [0, inf) */
    int folded VN_UNSET; /* epsilon folded into the rate, as vn_adam_step has it */
    int first_moments_grad VN_UNSET; /* begin with m = g, v = g^2 instead of 0 */
} vn_adamw_opts;
VN_API vn_optim *vn_adamw(double lr, const vn_adamw_opts *opts VN_OR(NULL));

/* gradients over the root of the mean of their squares. */
typedef struct vn_rmsprop_opts {
    size_t size VN_UNSET;
    double beta2 VN_UNSET; /* decay of the mean of squared gradients; 0.99 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double momentum VN_UNSET; /* how much of the last step goes into the next; in [0, 1) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
    int centered VN_UNSET; /* squares of the difference from the mean gradient */
    int nesterov VN_UNSET; /* look ahead by the momentum */
    double lr_decay VN_UNSET; /* lr is divided by 1 + lr_decay (step - 1); in [0, inf) */
    int epsilon_inside VN_UNSET; /* epsilon is added under the root */
    int bias_correction VN_UNSET; /* means that do not lean towards 0 at first */
} vn_rmsprop_opts;
VN_API vn_optim *vn_rmsprop(double lr, const vn_rmsprop_opts *opts VN_OR(NULL));

/* gradients over the root of the sum of all their squares. */
typedef struct vn_adagrad_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-10 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
    double initial_accumulator VN_UNSET; /* what the sum of squares begins with; in [0, inf) */
    double lr_decay VN_UNSET; /* lr is divided by 1 + lr_decay (step - 1); in [0, inf) */
    int epsilon_inside VN_UNSET; /* epsilon is added under the root */
    int reserved VN_UNSET; /* 0 */
} vn_adagrad_opts;
VN_API vn_optim *vn_adagrad(double lr, const vn_adagrad_opts *opts VN_OR(NULL));

/* the sign of a mean of gradients. */
typedef struct vn_lion_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* of the direction; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of gradients; 0.99 unless given; in [0, 1) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
} vn_lion_opts;
VN_API vn_optim *vn_lion(double lr, const vn_lion_opts *opts VN_OR(NULL));

/* steps scaled layer by layer to the length of the parameters. */
typedef struct vn_lars_opts {
    size_t size VN_UNSET;
    double weight_decay VN_UNSET; /* weight decay; in [0, inf) */
    int folded VN_UNSET; /* the form of vn_lars_update without .paper */
    int reserved VN_UNSET; /* 0 */
} vn_lars_opts;
VN_API vn_optim *vn_lars(double lr, const vn_lars_opts *opts VN_OR(NULL));

/* Adam's steps scaled layer by layer to the length of the parameters. */
typedef struct vn_lamb_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-6 unless given; in [0, inf) */
    double max_trust_ratio VN_UNSET; /* the largest trust ratio; without limit, or 10 if folded, unless given; in (0, inf) */
    double weight_decay VN_UNSET; /* weight decay; in [0, inf) */
    int folded VN_UNSET; /* the form of vn_lamb_update without .paper */
    int first_moments_grad VN_UNSET; /* begin with m = g, v = g^2 instead of 0 */
} vn_lamb_opts;
VN_API vn_optim *vn_lamb(double lr, const vn_lamb_opts *opts VN_OR(NULL));

/* Adam with the mean of gradients one step ahead. */
typedef struct vn_nadam_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double momentum_decay VN_UNSET; /* above 0: the momentum grows with the step, beta1 (1 - 0.96^(step momentum_decay) / 2): 0.004 in PyTorch, 1 in Keras; in [0, inf) */
} vn_nadam_opts;
VN_API vn_optim *vn_nadam(double lr, const vn_nadam_opts *opts VN_OR(NULL));

/* NAdam with decoupled weight decay. */
typedef struct vn_means_decay_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; 0.0001 unless given; in [0, inf) */
} vn_means_decay_opts;
typedef vn_means_decay_opts vn_nadamw_opts;
VN_API vn_optim *vn_nadamw(double lr, const vn_nadamw_opts *opts VN_OR(NULL));

/* Adam with the largest mean of squares so far. */
typedef struct vn_means_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
} vn_means_opts;
typedef vn_means_opts vn_amsgrad_opts;
VN_API vn_optim *vn_amsgrad(double lr, const vn_amsgrad_opts *opts VN_OR(NULL));

/* rectified Adam: the mean of gradients alone until the mean of squares is known well enough. */
typedef struct vn_radam_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double threshold VN_UNSET; /* how well the mean of squares must be known before it counts; 5 unless given; in (4, inf) */
    int nesterov VN_UNSET; /* the mean one step ahead */
    int reserved VN_UNSET; /* 0 */
} vn_radam_opts;
VN_API vn_optim *vn_radam(double lr, const vn_radam_opts *opts VN_OR(NULL));

/* Adam with the largest gradient, which decays, instead of the root. */
typedef struct vn_adamax_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the largest gradient; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    int no_correction VN_UNSET; /* the mean as it is, from 0 on, and epsilon added to the denominator */
    int reserved VN_UNSET; /* 0 */
} vn_adamax_opts;
VN_API vn_optim *vn_adamax(double lr, const vn_adamax_opts *opts VN_OR(NULL));

/* Adamax with decoupled weight decay. */
typedef vn_means_decay_opts vn_adamaxw_opts;
VN_API vn_optim *vn_adamaxw(double lr, const vn_adamaxw_opts *opts VN_OR(NULL));

/* Sophia-G: the mean of gradients over the curvature, the diagonal of the Hessian by squares of gradients, and no number moves further than lr clipping. */
typedef struct vn_sophia_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.965 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of curvatures; 0.99 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; 0.0001 unless given; in [0, inf) */
    double gamma VN_UNSET; /* times the curvature; 0.01 unless given; in (0, inf) */
    double clipping VN_UNSET; /* the largest step of a number, before lr; 1 unless given; in (0, inf) */
    int64_t interval VN_UNSET; /* steps from one estimate of the curvature to the next; 10 unless given; in [1, inf] */
} vn_sophia_opts;
VN_API vn_optim *vn_sophia(double lr, const vn_sophia_opts *opts VN_OR(NULL));

/* Adam on gradients of matrices that are projected onto their largest singular vectors, for little memory; on others as they are. */
typedef struct vn_galore_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    int64_t rank VN_UNSET; /* of the gradients that are kept; the shorter side of a matrix at most; 128 unless given; in [1, inf] */
    int64_t gap VN_UNSET; /* steps from one projection to the next; 200 unless given; in [1, inf] */
    double scale VN_UNSET; /* times the steps of matrices; 1 unless given; in (0, inf) */
} vn_galore_opts;
VN_API vn_optim *vn_galore(double lr, const vn_galore_opts *opts VN_OR(NULL));

/* Adam with squares of what the mean gradient did not foresee. */
typedef struct vn_adabelief_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-16 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double root_epsilon VN_UNSET; /* added to the mean of squares; 1e-16 unless given; in [0, inf) */
    int nesterov VN_UNSET; /* the mean one step ahead */
    int reserved VN_UNSET; /* 0 */
} vn_adabelief_opts;
VN_API vn_optim *vn_adabelief(double lr, const vn_adabelief_opts *opts VN_OR(NULL));

/* gradients over the root of the last step's mean of squares of what the mean did not foresee. */
typedef struct vn_acprop_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-16 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double root_epsilon VN_UNSET; /* added to the mean of squares; 1e-16 unless given; in [0, inf) */
} vn_acprop_opts;
VN_API vn_optim *vn_acprop(double lr, const vn_acprop_opts *opts VN_OR(NULL));

/* Adam whose mean of squares moves by signs, so that it never grows fast. */
typedef struct vn_yogi_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 0.001 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double initial VN_UNSET; /* what both means begin with; 1e-6 unless given; in [0, inf) */
} vn_yogi_opts;
VN_API vn_optim *vn_yogi(double lr, const vn_yogi_opts *opts VN_OR(NULL));

/* Adaptive Nesterov momentum: means of gradients, of their changes, and of the squares of both. */
typedef struct vn_adan_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.98 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their changes; 0.92 unless given; in [0, 1) */
    double beta3 VN_UNSET; /* decay of the mean of squares; 0.99 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double root_epsilon VN_UNSET; /* added to the mean of squares; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
} vn_adan_opts;
VN_API vn_optim *vn_adan(double lr, const vn_adan_opts *opts VN_OR(NULL));

/* Adam with a second, slow mean of gradients. */
typedef struct vn_ademamix_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double beta3 VN_UNSET; /* decay of the slow mean; 0.9999 unless given; in [0, 1) */
    double alpha VN_UNSET; /* weight of the slow mean; 5 unless given; in [0, inf) */
} vn_ademamix_opts;
VN_API vn_optim *vn_ademamix(double lr, const vn_ademamix_opts *opts VN_OR(NULL));

/* a decaying sum of gradients and the gradient over the root of the mean of squares. */
typedef struct vn_simplified_ademamix_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.99 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.95 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double alpha VN_UNSET; /* weight of the gradient itself; in [0, inf) */
} vn_simplified_ademamix_opts;
VN_API vn_optim *vn_simplified_ademamix(double lr, const vn_simplified_ademamix_opts *opts VN_OR(NULL));

/* Adam with gradients over the root of the squares before them, which converges for any beta2. */
typedef struct vn_adopt_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.9999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-6 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    int nesterov VN_UNSET; /* the mean one step ahead */
    int no_clipping VN_UNSET; /* early steps are not clipped to the fourth root of the step */
} vn_adopt_opts;
VN_API vn_optim *vn_adopt(double lr, const vn_adopt_opts *opts VN_OR(NULL));

/* NAdam with optimistic steps, for games. */
typedef struct vn_optimistic_adam_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double alpha VN_UNSET; /* weight of the new step; 1 unless given; in [0, inf) */
    double beta VN_UNSET; /* weight of its change since the last; 1 unless given; in [0, inf) */
    int no_nesterov VN_UNSET; /* the mean of this step, not one ahead */
    int reserved VN_UNSET; /* 0 */
} vn_optimistic_adam_opts;
VN_API vn_optim *vn_optimistic_adam(double lr, const vn_optimistic_adam_opts *opts VN_OR(NULL));

/* (alpha + beta) g minus beta times the last g. */
typedef struct vn_optimistic_gradient_descent_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* weight of the gradient; 1 unless given; in [0, inf) */
    double beta VN_UNSET; /* weight of its change since the last; 1 unless given; in [0, inf) */
} vn_optimistic_gradient_descent_opts;
VN_API vn_optim *vn_optimistic_gradient_descent(double lr, const vn_optimistic_gradient_descent_opts *opts VN_OR(NULL));

/* SGD with normal numbers, which get smaller, added to the gradients. */
typedef struct vn_noise_opts {
    size_t size VN_UNSET;
    double eta VN_UNSET; /* variance of the first step's noise; 0.01 unless given; in [0, inf) */
    double gamma VN_UNSET; /* the variance falls with the step to this power; 0.55 unless given; in [0, inf) */
    int64_t seed VN_UNSET; /* of the noise */
} vn_noise_opts;
typedef vn_noise_opts vn_noisy_sgd_opts;
VN_API vn_optim *vn_noisy_sgd(double lr, const vn_noisy_sgd_opts *opts VN_OR(NULL));

/* the sign of the gradient. */
VN_API vn_optim *vn_sign_sgd(double lr);

/* the sign of the mean gradient. */
typedef struct vn_signum_opts {
    size_t size VN_UNSET;
    double beta VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
} vn_signum_opts;
VN_API vn_optim *vn_signum(double lr, const vn_signum_opts *opts VN_OR(NULL));

/* resilient backpropagation: a step size for each number, of which lr is the first; for whole data sets. */
typedef struct vn_rprop_opts {
    size_t size VN_UNSET;
    double eta_minus VN_UNSET; /* times the step size where the gradient turns; 0.5 unless given; in (0, 1) */
    double eta_plus VN_UNSET; /* times the step size where it does not; 1.2 unless given; in (1, inf) */
    double min_step VN_UNSET; /* the smallest step size; 1e-6 unless given; in [0, inf) */
    double max_step VN_UNSET; /* the largest; 50 unless given; in (0, inf) */
} vn_rprop_opts;
VN_API vn_optim *vn_rprop(double lr, const vn_rprop_opts *opts VN_OR(NULL));

/* lr times the gap to the smallest loss over the squared length of the gradient. */
typedef struct vn_polyak_sgd_opts {
    size_t size VN_UNSET;
    double max_lr VN_UNSET; /* the largest rate; 1 unless given; in (0, inf) */
    double f_min VN_UNSET; /* the smallest possible loss; in (-inf, inf) */
    double epsilon VN_UNSET; /* added to the squared length of the gradient; in [0, inf) */
    int clip_gap VN_UNSET; /* a loss below f_min counts as f_min */
    int reserved VN_UNSET; /* 0 */
} vn_polyak_sgd_opts;
VN_API vn_optim *vn_polyak_sgd(double lr, const vn_polyak_sgd_opts *opts VN_OR(NULL));

/* steps as long as lr times the array that moves, which shrinks by what they add. */
typedef struct vn_fromage_opts {
    size_t size VN_UNSET;
    double min_norm VN_UNSET; /* shorter lengths count as this; 1e-6 unless given; in [0, inf) */
} vn_fromage_opts;
VN_API vn_optim *vn_fromage(double lr, const vn_fromage_opts *opts VN_OR(NULL));

/* gradients times the root of the mean of squared steps over that of squared gradients. */
typedef struct vn_adadelta_opts {
    size_t size VN_UNSET;
    double rho VN_UNSET; /* decay of both means of squares; 0.9 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-6 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_adadelta_opts;
VN_API vn_optim *vn_adadelta(double lr, const vn_adadelta_opts *opts VN_OR(NULL));

/* squares of a matrix kept as a row and a column, for little memory. */
typedef struct vn_adafactor_opts {
    size_t size VN_UNSET;
    double decay_rate VN_UNSET; /* the mean of squares forgets as 1 - step^-decay_rate; 0.8 unless given; in (0, inf) */
    double decay_offset VN_UNSET; /* steps that do not count for it; in [0, inf) */
    int64_t min_size VN_UNSET; /* arrays whose second largest axis is shorter are not factored; 128 unless given; in [1, inf] */
    double clipping VN_UNSET; /* the largest root mean square of a step, before lr; VN_ZERO for none; 1 unless given; in [0, inf) */
    double momentum VN_UNSET; /* decay of a mean of steps; in [0, 1) */
    double weight_decay VN_UNSET; /* the part taken from w itself; in [0, inf) */
    double epsilon VN_UNSET; /* added to squares; 1e-30 unless given; in [0, inf) */
    int no_factors VN_UNSET; /* means of squares are kept whole */
    int no_scale VN_UNSET; /* steps are not scaled by the root mean square of w */
} vn_adafactor_opts;
VN_API vn_optim *vn_adafactor(double lr, const vn_adafactor_opts *opts VN_OR(NULL));

/* Adagrad with one accumulator for each axis, for little memory; at most five axes. */
typedef struct vn_sm3_opts {
    size_t size VN_UNSET;
    double momentum VN_UNSET; /* decay of the mean of steps; 0.9 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* added to squares; 1e-8 unless given; in [0, inf) */
} vn_sm3_opts;
VN_API vn_optim *vn_sm3(double lr, const vn_sm3_opts *opts VN_OR(NULL));

/* dual averaging with the cube root of weighted squares, from where w began. */
typedef struct vn_madgrad_opts {
    size_t size VN_UNSET;
    double momentum VN_UNSET; /* how much of w stays; 0.9 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-6 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_madgrad_opts;
VN_API vn_optim *vn_madgrad(double lr, const vn_madgrad_opts *opts VN_OR(NULL));

/* follow the regularised leader: sparse parameters of linear models. */
typedef struct vn_ftrl_opts {
    size_t size VN_UNSET;
    double lr_power VN_UNSET; /* the rate falls with the sum of squares to this power; -0.5 unless given; in (-inf, 0] */
    double initial_accumulator VN_UNSET; /* what the sum of squares begins with; 0.1 unless given; in [0, inf) */
    double l1 VN_UNSET; /* the L1 penalty; in [0, inf) */
    double l2 VN_UNSET; /* the L2 penalty; in [0, inf) */
    double l2_shrinkage VN_UNSET; /* an L2 penalty of the size of w, added to the gradient; in [0, inf) */
    double beta VN_UNSET; /* added to l2 over 2 lr; in [0, inf) */
} vn_ftrl_opts;
VN_API vn_optim *vn_ftrl(double lr, const vn_ftrl_opts *opts VN_OR(NULL));

/* gradients over their length, array by array. */
typedef struct vn_novograd_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of squared lengths; 0.25 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-6 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the mean; in [0, inf) */
} vn_novograd_opts;
VN_API vn_optim *vn_novograd(double lr, const vn_novograd_opts *opts VN_OR(NULL));

/* orthogonalised means of gradients for matrices, NAdam for all others. */
typedef struct vn_muon_opts {
    size_t size VN_UNSET;
    double beta VN_UNSET; /* decay of the mean gradient of matrices; 0.95 unless given; in [0, 1) */
    double weight_decay VN_UNSET; /* of matrices: times lr, the part taken from w itself; in [0, inf) */
    int64_t iterations VN_UNSET; /* of Newton and Schulz; 5 unless given; in [1, 100] */
    double coefficient1 VN_UNSET; /* of x in an iteration; 3.4445 unless given; in (-inf, inf) */
    double coefficient2 VN_UNSET; /* of x xT x; -4.775 unless given; in (-inf, inf) */
    double coefficient3 VN_UNSET; /* of (x xT)^2 x; 2.0315 unless given; in (-inf, inf) */
    double epsilon VN_UNSET; /* keeps denominators away from 0; 1e-8 unless given; in [0, inf) */
    int no_nesterov VN_UNSET; /* the mean of this step, not one ahead */
    int reserved VN_UNSET; /* 0 */
    double consistent_rms VN_UNSET; /* scale matrices by this times the root of their longer side, instead of the root of rows / columns; in [0, inf) */
    double adam_beta1 VN_UNSET; /* beta1 of arrays that are no matrices; 0.9 unless given; in [0, 1) */
    double adam_beta2 VN_UNSET; /* beta2 of these; 0.999 unless given; in [0, 1) */
    double adam_weight_decay VN_UNSET; /* their weight decay; in [0, inf) */
} vn_muon_opts;
VN_API vn_optim *vn_muon(double lr, const vn_muon_opts *opts VN_OR(NULL));

/* distance over gradients: the rate is the farthest distance from the start over the root of the sum of squared gradients. */
typedef struct vn_dog_opts {
    size_t size VN_UNSET;
    double initial VN_UNSET; /* the first distance, or rate, or part of 1 + the length of w; 1e-6 unless given; in (0, inf) */
    const char *begin VN_UNSET; /* which of these initial is: the last, the first or the second: heuristic, distance, learning_rate; the first unless given */
    double epsilon VN_UNSET; /* added to the sum of squares; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_dog_opts;
VN_API vn_optim *vn_dog(double lr, const vn_dog_opts *opts VN_OR(NULL));

/* distance over gradients, with gradients weighted by the distance. */
typedef struct vn_dowg_opts {
    size_t size VN_UNSET;
    double initial VN_UNSET; /* the first squared distance; 0.0001 unless given; in (0, inf) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 0.0001 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_dowg_opts;
VN_API vn_optim *vn_dowg(double lr, const vn_dowg_opts *opts VN_OR(NULL));

/* distance over gradients, array by array. */
typedef struct vn_ldog_opts {
    size_t size VN_UNSET;
    double initial VN_UNSET; /* the first distance is this times 1 + the length of w; 1e-6 unless given; in (0, inf) */
    double epsilon VN_UNSET; /* added to the sum of squares; 1e-8 unless given; in [0, inf) */
} vn_ldog_opts;
VN_API vn_optim *vn_ldog(double lr, const vn_ldog_opts *opts VN_OR(NULL));

/* Adam with a rate that grows to the estimated distance from the solution. */
typedef struct vn_prodigy_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double beta3 VN_UNSET; /* decay of the sums that estimate the distance; the root of beta2 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double initial VN_UNSET; /* the first estimate of the distance; 1e-6 unless given; in (0, inf) */
    double coefficient VN_UNSET; /* times the estimate; 1 unless given; in (0, inf) */
    double weight_decay VN_UNSET; /* times the rate, the part taken from w itself; in [0, inf) */
    int safe_warm_up VN_UNSET; /* leave the rate out of the sums while it warms up */
    int reserved VN_UNSET; /* 0 */
} vn_prodigy_opts;
VN_API vn_optim *vn_prodigy(double lr, const vn_prodigy_opts *opts VN_OR(NULL));

/* AdamW with D-adaptation: the rate grows to the estimated distance from the solution. */
typedef struct vn_dadapt_adamw_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times the rate, the part taken from w itself; in [0, inf) */
    double initial VN_UNSET; /* the first estimate of the distance; 1e-6 unless given; in (0, inf) */
} vn_dadapt_adamw_opts;
VN_API vn_optim *vn_dadapt_adamw(double lr, const vn_dadapt_adamw_opts *opts VN_OR(NULL));

/* SGD with momentum whose rate, at most lr, follows from the loss. */
typedef struct vn_momo_opts {
    size_t size VN_UNSET;
    double beta VN_UNSET; /* decay of the means; 0.9 unless given; in [0, 1) */
    double lower_bound VN_UNSET; /* a bound below the smallest loss; in (-inf, inf) */
    double weight_decay VN_UNSET; /* the part taken from w itself; in [0, inf) */
    int adapt_lower_bound VN_UNSET; /* the bound is estimated, from this one on */
    int reserved VN_UNSET; /* 0 */
} vn_momo_opts;
VN_API vn_optim *vn_momo(double lr, const vn_momo_opts *opts VN_OR(NULL));

/* Adam whose rate, at most lr, follows from the loss. */
typedef struct vn_momo_adam_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double lower_bound VN_UNSET; /* a bound below the smallest loss; in (-inf, inf) */
    double weight_decay VN_UNSET; /* the part taken from w itself; in [0, inf) */
    int adapt_lower_bound VN_UNSET; /* the bound is estimated, from this one on */
    int reserved VN_UNSET; /* 0 */
} vn_momo_adam_opts;
VN_API vn_optim *vn_momo_adam(double lr, const vn_momo_adam_opts *opts VN_OR(NULL));

/* coin betting, without a rate; lr scales the gradients. */
typedef struct vn_cocob_opts {
    size_t size VN_UNSET;
    double alpha VN_UNSET; /* how slowly steps become large; 100 unless given; in (0, inf) */
    double epsilon VN_UNSET; /* the first scale of gradients; 1e-8 unless given; in (0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_cocob_opts;
VN_API vn_optim *vn_cocob(double lr, const vn_cocob_opts *opts VN_OR(NULL));

/* limited-memory BFGS: gradients times an approximation of the inverse Hessian, for whole data sets. */
typedef struct vn_lbfgs_opts {
    size_t size VN_UNSET;
    int64_t memory VN_UNSET; /* how many steps are remembered; 10 unless given; in [1, 100] */
    int no_scale VN_UNSET; /* the first approximation of the inverse Hessian is not scaled */
    int reserved VN_UNSET; /* 0 */
} vn_lbfgs_opts;
VN_API vn_optim *vn_lbfgs(double lr, const vn_lbfgs_opts *opts VN_OR(NULL));

/* one after the other: each transforms the updates of those before it; of a whole optimizer one part is an optimizer, or a scale below 0. */
VN_API vn_optim *vn_chain(int n, vn_optim *const *parts);

/* parameter groups: each parameter is moved by the first part that takes it; masked(...) takes those that its patterns name, any other part takes all. */
VN_API vn_optim *vn_groups(int n, vn_optim *const *parts);

/* a part for those parameters whose names match one of the patterns, separated by spaces, in which * stands for any text: masked(sgd(0.1), *bias head*); after a !, all but those. A pattern that matches nothing is an error. In a chain the updates of others pass as they are; as a whole optimizer it must leave none: groups(masked(sgd(0.1), *bias), set_to_zero) keeps them as they are. */
VN_API vn_optim *vn_masked(vn_optim *part, const char *only);

/* the part's direction: what it would subtract with a learning rate of 1; only for chains that end in their own rate, chain(direction(adam), scale(-0.01)). */
VN_API vn_optim *vn_direction(vn_optim *part);

/* the part's steps; every few steps slow parameters move towards the result, and the parameters continue from there. */
typedef struct vn_lookahead_opts {
    size_t size VN_UNSET;
    int64_t period VN_UNSET; /* steps between two updates of the slow parameters; 6 unless given; in [1, inf] */
    double slow_step VN_UNSET; /* how far the slow parameters go towards the fast ones; 0.5 unless given; in [0, 1] */
    int reset VN_UNSET; /* the part's state is reset after each update of the slow parameters */
    int reserved VN_UNSET; /* 0 */
} vn_lookahead_opts;
VN_API vn_optim *vn_lookahead(vn_optim *part, const vn_lookahead_opts *opts VN_OR(NULL));

/* sharpness-aware minimisation: every other step goes to the worst point nearby, the next one back and along the gradient from there. */
typedef struct vn_sam_opts {
    size_t size VN_UNSET;
    double rho VN_UNSET; /* how far the adversary goes along the gradient; 0.05 unless given; in (0, inf) */
    int64_t period VN_UNSET; /* steps of which the last is the part's, the others the adversary's; 2 unless given; in [2, inf] */
} vn_sam_opts;
VN_API vn_optim *vn_sam(vn_optim *part, const vn_sam_opts *opts VN_OR(NULL));

/* Mechanic: the scale of the part's steps is learned. */
typedef struct vn_mechanize_opts {
    size_t size VN_UNSET;
    double weight_decay VN_UNSET; /* of the learning rate's own learner; 0.01 unless given; in [0, inf) */
    double epsilon VN_UNSET; /* keeps denominators away from 0; 1e-8 unless given; in [0, inf) */
    double initial VN_UNSET; /* the first learning rate; 1e-6 unless given; in (0, inf) */
    int64_t betas VN_UNSET; /* how many learners are added up; 6 unless given; in [1, 16] */
} vn_mechanize_opts;
VN_API vn_optim *vn_mechanize(vn_optim *part, const vn_mechanize_opts *opts VN_OR(NULL));

/* averages instead of a schedule: gradients are taken between the part's steps and their average, which vn_optim_eval_params gives for evaluation; vn_fit validates, saves and ends with it. */
typedef struct vn_schedule_free_opts {
    size_t size VN_UNSET;
    double beta VN_UNSET; /* how much of the average the parameters have; 0.9 unless given; in (0, 1) */
    double lr_power VN_UNSET; /* steps weigh as the largest rate to this power; 2 unless given; in [0, inf) */
} vn_schedule_free_opts;
VN_API vn_optim *vn_schedule_free(vn_optim *part, const vn_schedule_free_opts *opts VN_OR(NULL));

/* schedule_free of sgd: vn_optim_eval_params gives the parameters to use. */
typedef struct vn_schedule_free_sgd_opts {
    size_t size VN_UNSET;
    double beta VN_UNSET; /* how much of the average the parameters have; 0.9 unless given; in (0, 1) */
    double lr_power VN_UNSET; /* steps weigh as the largest rate to this power; 2 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_schedule_free_sgd_opts;
VN_API vn_optim *vn_schedule_free_sgd(double lr, const vn_schedule_free_sgd_opts *opts VN_OR(NULL));

/* schedule_free of adamw without momentum: vn_optim_eval_params gives the parameters to use. */
typedef struct vn_schedule_free_adamw_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* how much of the average the parameters have; 0.9 unless given; in (0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of squared gradients; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
    double lr_power VN_UNSET; /* steps weigh as the largest rate to this power; 2 unless given; in [0, inf) */
} vn_schedule_free_adamw_opts;
VN_API vn_optim *vn_schedule_free_adamw(double lr, const vn_schedule_free_adamw_opts *opts VN_OR(NULL));

/* a line search along the part's update, for vn_optim_minimize and vn_fit, which have the loss (vn_step has not): the step shrinks until the loss falls enough (Armijo). */
typedef struct vn_backtracking_opts {
    size_t size VN_UNSET;
    int64_t max_evaluations VN_UNSET; /* of the loss in a search; 15 unless given; in [1, 1000] */
    double decrease VN_UNSET; /* the part of the expected decrease that is enough; 0.0001 unless given; in (0, 1) */
    double shrink VN_UNSET; /* times the step where it is too long; 0.8 unless given; in (0, 1) */
    double grow VN_UNSET; /* the first try is the last step times this; 1.5 unless given; in [1, inf) */
    double max_step VN_UNSET; /* the longest step, in units of the part's; 1 unless given; in (0, inf) */
} vn_backtracking_opts;
VN_API vn_optim *vn_backtracking(vn_optim *part, const vn_backtracking_opts *opts VN_OR(NULL));

/* a line search along the part's update, for vn_optim_minimize and vn_fit, which have the loss (vn_step has not), that zooms in on a step with both of Wolfe's strong conditions. */
typedef struct vn_zoom_opts {
    size_t size VN_UNSET;
    int64_t max_evaluations VN_UNSET; /* of the loss in a search; 20 unless given; in [1, 1000] */
    double decrease VN_UNSET; /* the part of the expected decrease that is enough; 0.0001 unless given; in (0, 1) */
    double curvature VN_UNSET; /* the part of the slope that may be left; 0.9 unless given; in (0, 1) */
    double max_step VN_UNSET; /* the longest step, in units of the part's; 100 unless given; in (0, inf) */
} vn_zoom_opts;
VN_API vn_optim *vn_zoom(vn_optim *part, const vn_zoom_opts *opts VN_OR(NULL));

/* steps whose gradients have a NaN or infinity change nothing. */
typedef struct vn_apply_if_finite_opts {
    size_t size VN_UNSET;
    int64_t max_errors VN_UNSET; /* after so many in a row, a step is taken whatever it has; 5 unless given; in [0, inf] */
} vn_apply_if_finite_opts;
VN_API vn_optim *vn_apply_if_finite(vn_optim *part, const vn_apply_if_finite_opts *opts VN_OR(NULL));

/* steps whose gradients are larger change nothing. */
typedef struct vn_skip_large_opts {
    size_t size VN_UNSET;
    double max_squares VN_UNSET; /* the largest sum of squares of all gradients; 1 unless given; in (0, inf) */
} vn_skip_large_opts;
VN_API vn_optim *vn_skip_large(vn_optim *part, const vn_skip_large_opts *opts VN_OR(NULL));

/* the part in one of several steps. */
typedef struct vn_every_opts {
    size_t size VN_UNSET;
    int64_t period VN_UNSET; /* of so many steps; 2 unless given; in [1, inf] */
    int64_t offset VN_UNSET; /* the one with this number, from 0; in [0, inf] */
    int passes VN_UNSET; /* other steps pass the gradients on instead of changing nothing */
    int reserved VN_UNSET; /* 0 */
} vn_every_opts;
VN_API vn_optim *vn_every(vn_optim *part, const vn_every_opts *opts VN_OR(NULL));

/* for half precision: gradients of a loss that was multiplied by vn_optim_loss_scale are divided by it; steps that are not finite change nothing and halve it. vn_fit and vn_optim_minimize multiply the loss; before vn_step the loss function does. The outermost optimizer. */
typedef struct vn_loss_scale_opts {
    size_t size VN_UNSET;
    double initial VN_UNSET; /* the first factor; 32768 unless given; in (0, inf) */
    int64_t growth_steps VN_UNSET; /* finite steps after which it doubles; 2000 unless given; in [1, inf] */
    int fixed VN_UNSET; /* the factor stays as it is */
    int reserved VN_UNSET; /* 0 */
} vn_loss_scale_opts;
VN_API vn_optim *vn_loss_scale(vn_optim *part, const vn_loss_scale_opts *opts VN_OR(NULL));

/* ---- Transformations of updates ----
 * What a chain may hold besides optimizers: vn_chain, VN_CHAIN. Each takes the gradients, or the updates of what stands before it, and gives updates; these are added to the parameters at the end. Alone they would move parameters up their gradients, which vn_step refuses: an optimizer, or scale(-0.01), turns them.
 */

/* times a number; a chain of directions ends with scale(-0.01). */
VN_API vn_optim *vn_update_scale(double by);

/* every number cut to [-max_delta, max_delta]. */
VN_API vn_optim *vn_update_clip(double max_delta);

/* all together scaled down to this length. */
VN_API vn_optim *vn_update_clip_by_global_norm(double max_norm);

/* each array scaled down to this root mean square. */
VN_API vn_optim *vn_update_clip_by_block_rms(double max_rms);

/* each unit (a column of a matrix, a filter of a convolution, a whole vector) scaled down to this part of the length of its parameters. */
VN_API vn_optim *vn_update_adaptive_clip(double clipping, double epsilon VN_OR(0.001));

/* plus the parameters times a number. */
VN_API vn_optim *vn_update_add_decayed_weights(double weight_decay);

/* plus normal numbers that get smaller. */
typedef vn_noise_opts vn_update_add_noise_opts;
VN_API vn_optim *vn_update_add_noise(const vn_update_add_noise_opts *opts);

/* the mean over all axes but the first taken off arrays of two axes or more. */
VN_API vn_optim *vn_update_centralize(void);

/* all together divided by their length plus epsilon, and times length. */
VN_API vn_optim *vn_update_normalize(double length, double epsilon VN_OR(1e-6));

/* signs. */
VN_API vn_optim *vn_update_sign(void);

/* each array as long as its parameters; 1 where either has no length. */
typedef struct vn_update_trust_ratio_opts {
    size_t size VN_UNSET;
    double min_norm VN_UNSET; /* shorter lengths count as this; in [0, inf) */
    double coefficient VN_UNSET; /* times the ratio; 1 unless given; in (0, inf) */
    double epsilon VN_UNSET; /* added to the length of the update; in [0, inf) */
} vn_update_trust_ratio_opts;
VN_API vn_optim *vn_update_trust_ratio(const vn_update_trust_ratio_opts *opts);

/* each array times the length of its parameters, or this if it is shorter. */
VN_API vn_optim *vn_update_by_param_norm(double min_scale);

/* each array times the root mean square of its parameters. */
VN_API vn_optim *vn_update_by_param_rms(double min_scale);

/* a sum of updates that decays: momentum. */
typedef struct vn_update_trace_opts {
    size_t size VN_UNSET;
    double decay VN_UNSET; /* how much stays from step to step; 0.9 unless given; in [0, 1) */
    int nesterov VN_UNSET; /* look ahead */
    int reserved VN_UNSET; /* 0 */
} vn_update_trace_opts;
VN_API vn_optim *vn_update_trace(const vn_update_trace_opts *opts);

/* a mean of updates that decays. */
typedef struct vn_update_ema_opts {
    size_t size VN_UNSET;
    double decay VN_UNSET; /* how much stays from step to step; 0.9 unless given; in [0, 1) */
    int biased VN_UNSET; /* the mean leans towards 0 at first */
    int reserved VN_UNSET; /* 0 */
} vn_update_ema_opts;
VN_API vn_optim *vn_update_ema(const vn_update_ema_opts *opts);

/* 0 where there is NaN. */
VN_API vn_optim *vn_update_zero_nans(void);

/* updates that leave the parameters at 0 or above. */
VN_API vn_optim *vn_update_keep_nonnegative(void);

/* updates that leave the vectors of parameters between two lengths (the constraints MaxNorm, MinMaxNorm and UnitNorm of Keras): chain(adam, norm_bounds(max_norm=2)). */
typedef struct vn_update_norm_bounds_opts {
    size_t size VN_UNSET;
    double max_norm VN_UNSET; /* longer vectors are scaled down to this; 1 unless given; in [0, inf) */
    double min_norm VN_UNSET; /* shorter ones up to this; the same as max_norm: all have this length; in [0, inf) */
    double rate VN_UNSET; /* how far: 1 is all the way; 1 unless given; in [0, 1] */
    int64_t along VN_UNSET; /* the axis of vectors; below 0 all but the last axis, or the whole of a vector; -1 unless given */
} vn_update_norm_bounds_opts;
VN_API vn_optim *vn_update_norm_bounds(const vn_update_norm_bounds_opts *opts);

/* plus the gradient of a penalty on the parameters (vn_l1_l2_penalty), before an optimizer: chain(penalty(l1=0.001), adam). */
typedef struct vn_update_penalty_opts {
    size_t size VN_UNSET;
    double l1 VN_UNSET; /* of the sum of absolute values; in [0, inf) */
    double l2 VN_UNSET; /* of the sum of squares; in [0, inf) */
} vn_update_penalty_opts;
VN_API vn_optim *vn_update_penalty(const vn_update_penalty_opts *opts);

/* updates that become smaller when the loss falls no more, behind an optimizer: chain(adam, reduce_on_plateau(patience=5, every=100)). */
typedef struct vn_update_reduce_on_plateau_opts {
    size_t size VN_UNSET;
    double factor VN_UNSET; /* times the scale of updates; 0.1 unless given; in (0, 1) */
    int64_t patience VN_UNSET; /* after so many comparisons without a better loss; 10 unless given; in [1, inf] */
    double rtol VN_UNSET; /* a better loss is less by this part, and; 1e-4 unless given; in [0, 1) */
    double atol VN_UNSET; /* by this much; in [0, inf) */
    int64_t cooldown VN_UNSET; /* comparisons that do not count after the scale was lowered; in [0, inf] */
    int64_t every VN_UNSET; /* the mean loss of so many steps is compared: the steps of an epoch; 1 unless given; in [1, inf] */
    double min_scale VN_UNSET; /* the smallest scale; in [0, 1] */
} vn_update_reduce_on_plateau_opts;
VN_API vn_optim *vn_update_reduce_on_plateau(const vn_update_reduce_on_plateau_opts *opts);

/* 0: parameters that do not move. */
VN_API vn_optim *vn_update_set_to_zero(void);

/* ---- Schedules ----
 * The learning rate of step 0, 1, 2 ...: plain data, for vn_optim_schedule.
 */

/* always the same. */
VN_API vn_schedule vn_constant(double rate);

/* times factor after every `every` steps. */
VN_API vn_schedule vn_step_decay(double rate, double factor, int64_t every);

/* times factor over `every` steps, a little at each: rate factor^(step / every). */
VN_API vn_schedule vn_exponential_decay(double rate, double factor, int64_t every);

/* from rate to last, then last. */
VN_API vn_schedule vn_linear_decay(double rate, double last, int64_t steps);

/* along half a cosine from rate to last, then last. */
VN_API vn_schedule vn_cosine(double rate, double last, int64_t steps);

/* from rate to last along (1 - step / steps)^power, then last. */
VN_API vn_schedule vn_polynomial(double rate, double last, double power, int64_t steps);

/* rate / (1 + factor step / every). */
VN_API vn_schedule vn_inverse_time(double rate, double factor VN_OR(1), int64_t every VN_OR(1));

/* cosine again and again (SGDR): each time over factor times as many steps. */
VN_API vn_schedule vn_cosine_restarts(double rate, double last, int64_t steps, double factor VN_OR(1));

/* rate / sqrt(size) times the smaller of 1 / sqrt(step) and step / steps^1.5, with steps from 1: up for `steps` steps, then down. */
VN_API vn_schedule vn_noam(double rate, int64_t size VN_OR(512), int64_t steps VN_OR(4000));

/* up from rate / 25 in 30 % of the steps, down again until 85 %, then down to rate / 250000, in lines. */
VN_API vn_schedule vn_linear_one_cycle(double rate, int64_t steps);

/* up from rate / 25 in 30 % of the steps, down to rate / 250000, by cosines. */
VN_API vn_schedule vn_one_cycle(double rate, int64_t steps);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_sgd(...) vn_sgd(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adam(...) vn_adam(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adamw(...) vn_adamw(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_rmsprop(...) vn_rmsprop(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adagrad(...) vn_adagrad(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_lion(...) vn_lion(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_lars(...) vn_lars(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_lamb(...) vn_lamb(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nadam(...) vn_nadam(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nadamw(...) vn_nadamw(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_amsgrad(...) vn_amsgrad(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_radam(...) vn_radam(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adamax(...) vn_adamax(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adamaxw(...) vn_adamaxw(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_sophia(...) vn_sophia(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_galore(...) vn_galore(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adabelief(...) vn_adabelief(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_acprop(...) vn_acprop(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_yogi(...) vn_yogi(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adan(...) vn_adan(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_ademamix(...) vn_ademamix(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_simplified_ademamix(...) vn_simplified_ademamix(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adopt(...) vn_adopt(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_optimistic_adam(...) vn_optimistic_adam(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_optimistic_gradient_descent(...) vn_optimistic_gradient_descent(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_noisy_sgd(...) vn_noisy_sgd(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_signum(...) vn_signum(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_rprop(...) vn_rprop(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_polyak_sgd(...) vn_polyak_sgd(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_fromage(...) vn_fromage(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adadelta(...) vn_adadelta(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_adafactor(...) vn_adafactor(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_sm3(...) vn_sm3(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_madgrad(...) vn_madgrad(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_ftrl(...) vn_ftrl(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_novograd(...) vn_novograd(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_muon(...) vn_muon(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_dog(...) vn_dog(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_dowg(...) vn_dowg(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_ldog(...) vn_ldog(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_prodigy(...) vn_prodigy(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_dadapt_adamw(...) vn_dadapt_adamw(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_momo(...) vn_momo(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_momo_adam(...) vn_momo_adam(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_cocob(...) vn_cocob(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_lbfgs(...) vn_lbfgs(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_lookahead(...) vn_lookahead(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_sam(...) vn_sam(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_mechanize(...) vn_mechanize(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_schedule_free(...) vn_schedule_free(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_schedule_free_sgd(...) vn_schedule_free_sgd(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_schedule_free_adamw(...) vn_schedule_free_adamw(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_backtracking(...) vn_backtracking(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_zoom(...) vn_zoom(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_apply_if_finite(...) vn_apply_if_finite(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_skip_large(...) vn_skip_large(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_every(...) vn_every(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_loss_scale(...) vn_loss_scale(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_update_adaptive_clip(...) vn_update_adaptive_clip(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0.001))
#define vn_update_normalize(...) vn_update_normalize(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1e-6))
#define vn_inverse_time(...) vn_inverse_time(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,1, 1))
#define vn_cosine_restarts(...) vn_cosine_restarts(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,1))
#define vn_noam(...) vn_noam(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,512, 4000))
#endif
#endif
