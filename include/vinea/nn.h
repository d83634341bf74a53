/* nn.h: optimizers, schedules and what belongs to training. vinea.h has vn_sgd and vn_step, which most programs begin with.
 *
 *     vn_optim *adam = vn_adam(1e-3, NULL);
 *     vn_optim_schedule(adam, vn_cosine(1e-3, 1e-5, 10000));
 *     ...
 *     vn_array *loss = vn_value_and_grad(loss_of, p, data, &grads);
 *     vn_step(adam, p, grads);
 *
 * An optimizer's state (moments, averages) is made by its first step, lives on the parameters' engine and is a tree that can be saved and
 * restored. A step is one program however often it is taken: rate and step number are inputs of it. */
#ifndef VINEA_NN_H
#define VINEA_NN_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- optimizers --------------------------------------------------------------------------------------------------------------- */

/* What all optimizers understand; what one of them has no use for is ignored by it. Zero means default; where 0 itself is wanted, give a
 * negative number. */
typedef struct vn_optim_opts {
    size_t size;
    double momentum;        /* sgd, rmsprop: 0 */
    int nesterov;           /* sgd */
    double beta1, beta2;    /* adam, adamw, lamb: 0.9, 0.999; lion: 0.9, 0.99; rmsprop: beta2 0.99 */
    double epsilon;         /* adam, adamw, lamb: 1e-7; rmsprop, adagrad: 1e-8 */
    double weight_decay;    /* sgd, rmsprop, adagrad, adam: added to the gradient as weight_decay * w; adamw, lion: taken from w itself */
    double decay_lambda;    /* lars, lamb */
    double max_trust_ratio; /* lamb: 10 */
    int paper;              /* adam, lars, lamb: the papers' formulas instead of the folded ones */
    int first_moments_grad; /* adam, lamb: begin with m = g, v = g^2 instead of 0 */
    double clip_norm;       /* all gradients together are scaled down to this length; 0: not */
    double clip_value;      /* every entry of a gradient is cut to [-clip_value, clip_value]; 0: not */
    int accumulate;         /* gradients of so many steps are averaged before the parameters move; 0, 1: every step */
    double average;         /* keeps a moving average of the parameters with this decay (vn_optim_average); 0: not */
    int ignore_missing;     /* parameters without a gradient are left alone instead of being an error */
} vn_optim_opts;

VN_API vn_optim *vn_sgd_with(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_adam(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_adamw(double lr, const vn_optim_opts *opts); /* weight_decay 0.01 unless given */
VN_API vn_optim *vn_lars(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_lamb(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_rmsprop(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_adagrad(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_lion(double lr, const vn_optim_opts *opts);

/* The state as a tree: "steps", "held" (gradients being accumulated), and one tree like the parameters for each of the optimizer's own.
 * Setting it checks the names; structure and shapes are checked by the next step. */
VN_API vn_tree *vn_optim_state(vn_optim *o);
VN_API int vn_optim_set_state(vn_optim *o, const vn_tree *state);
VN_API vn_tree *vn_optim_average(vn_optim *o); /* the moving average of the parameters; an error unless it is kept */
VN_API double vn_optim_lr(const vn_optim *o);  /* of the next step */
VN_API const char *vn_optim_name(const vn_optim *o);

/* ---- schedules: the learning rate of step 0, 1, 2 ... ---------------------------------------------------------------------------- */

typedef double (*vn_schedule_fn)(int64_t step, void *user);
typedef struct vn_schedule {
    int32_t kind;
    double rate, last, factor, warm;
    int64_t steps, every, warm_steps;
    vn_schedule_fn fn;
    void *user;
} vn_schedule;

VN_API vn_schedule vn_constant(double rate);
VN_API vn_schedule vn_step_decay(double rate, double factor, int64_t every);        /* times factor after every so many steps */
VN_API vn_schedule vn_exponential_decay(double rate, double factor, int64_t every); /* the same, smoothly */
VN_API vn_schedule vn_linear_decay(double rate, double last, int64_t steps);              /* from rate to last, then last */
VN_API vn_schedule vn_cosine(double rate, double last, int64_t steps);              /* along half a cosine, then last */
VN_API vn_schedule vn_one_cycle(double rate, int64_t steps); /* up from rate / 25 in 30 % of the steps, down to rate / 250000, by cosines */
VN_API vn_schedule vn_schedule_of(vn_schedule_fn fn, void *user); /* the caller's own */
VN_API vn_schedule vn_warm_up(vn_schedule s, int64_t steps);      /* s, after so many steps that rise from 0 to its first rate */
VN_API double vn_schedule_at(const vn_schedule *s, int64_t step); /* NaN, with the error set, if s makes no sense */
VN_API int vn_optim_schedule(vn_optim *o, vn_schedule s);         /* checked; vn_optim_set_lr ends it */

/* ---- gradients ------------------------------------------------------------------------------------------------------------------ */

/* The length of all arrays of a tree together, as a lazy float number that does not overflow. */
VN_API vn_array *vn_tree_norm(const vn_tree *t);
/* The tree scaled down to length `most` if it is longer; *norm (which may be NULL) is its length before. */
VN_API vn_tree *vn_clip_by_norm(const vn_tree *t, double most, vn_array **norm);
VN_API vn_tree *vn_clip_by_value(const vn_tree *t, double most);

#ifdef __cplusplus
}
#endif
#endif
