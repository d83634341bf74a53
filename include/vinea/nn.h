/* nn.h: layers with options as structs, optimizers, schedules and what belongs to training. vinea.h has vn_sgd and vn_step, which most
 * programs begin with.
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

/* ---- layers ----------------------------------------------------------------------------------------------------------------------
 * The layers themselves are ops (ops.h: vn_linear, vn_conv2d, vn_lstm_update ...). Here stands what calls back or takes trees. */

/* bool (queries, keys): query i attends to keys up to i + keys - queries. */
VN_API vn_array *vn_causal_mask(int64_t queries, int64_t keys);

/* Attention with several heads: q = to_q(x), k and v = to_kv(context), the heads attend one by one, then to_out. x is (..., queries,
 * heads * features); context, of any width that to_kv takes, is x if absent (VN_NONE). Without to_q and to_out arrays stay as they are;
 * without to_kv, and where it sets only *k, the first half of the last axis is k and the second v. The mask (..., queries, keys) serves
 * every head and says where to attend: not 0. */
typedef vn_array *(*vn_project_fn)(vn_array *x, const vn_tree *variables, void *user);
typedef int (*vn_project_kv_fn)(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *user);
typedef struct vn_multi_head_attention_opts {
    size_t size;
    vn_project_fn to_q, to_out;
    vn_project_kv_fn to_kv;                    /* returns a code; *v stays NULL where *k holds both */
    const vn_tree *q_variables, *kv_variables; /* handed to the functions */
    const vn_tree *out_variables;
    void *user;
    int causal, zero_rows; /* as in vn_scaled_dot_product_attention */
} vn_multi_head_attention_opts;
VN_API vn_array *vn_multi_head_attention(vn_array *x, double scale, int64_t heads, vn_array *context, vn_array *mask,
                                         const vn_multi_head_attention_opts *opts);

/* The same from projection weights, as rows of vn_linear: "in_proj_weights" (3E, E), or "q_proj_weights", "k_proj_weights" and
 * "v_proj_weights" (E, width); "in_proj_bias" (3E), "out_proj_weights", "out_proj_bias", and "bias_k", "bias_v" (E), one key more;
 * all may be missing. query is (..., queries, width); key is query and value is key if absent. mask: (queries, keys), (..., queries,
 * keys) or (..., heads, queries, keys); key_mask: (..., keys); both say where to attend: not 0. A query with nothing to attend to gives
 * zeros. *attention (which may be NULL) becomes what each query takes of each key, averaged over the heads. */
typedef struct vn_projected_attention_opts {
    size_t size;
    int64_t heads;   /* 8 */
    double scale;    /* 1 / sqrt(features of a head) */
    int steps_first; /* arrays are (steps, ..., width) */
    int causal;      /* query i attends to keys up to i */
    int zero_key;    /* one key of zeros more, with value 0 */
    int per_head;    /* *attention is (..., heads, queries, keys) */
    double dropout;  /* of what queries take of keys, by the thread's key; 0: none */
} vn_projected_attention_opts;
VN_API vn_array *vn_projected_attention(vn_array *query, vn_array *key, vn_array *value, const vn_tree *weights, vn_array *mask,
                                        vn_array *key_mask, const vn_projected_attention_opts *opts, vn_array **attention);

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

/* The state as a tree: "steps", "calls", "held" (gradients being accumulated), one tree like the parameters for each of the optimizer's
 * own, and "rate": learning rate and schedule, which stay as they are where a state to be set has none. Of a schedule that is a function
 * the state says only that it is one; the optimizer that gets the state must have one too. Setting checks the names; structure and shapes
 * are checked by the next step. */
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
VN_API vn_schedule vn_linear_decay(double rate, double last, int64_t steps);        /* from rate to last, then last */
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

/* ---- running means ---------------------------------------------------------------------------------------------------------------- */

/* The mean of numbers that come one after another, such as the losses of batches weighted by their sizes:
 *
 *     vn_running mean = {0};
 *     ... vn_running_add(&mean, vn_item(loss), batch);
 *     printf("%g", vn_running_value(&mean)); */
typedef struct vn_running {
    double sum, lost, weight;
} vn_running;

VN_API int vn_running_add(vn_running *r, double value, double weight); /* the weight is 0 or more; 0 adds nothing */
VN_API double vn_running_value(const vn_running *r);                   /* NaN before the first number */
VN_API int vn_running_reset(vn_running *r);

#ifdef __cplusplus
}
#endif
#endif
