/* nn.h: functional layers with option structs, optimizers, schedules and gradient clipping. vinea.h has vn_sgd and vn_step, which most
 * programs start with.
 *
 *     vn_optim *adam = vn_adam(1e-3, NULL);
 *     vn_optim_schedule(adam, vn_cosine(1e-3, 1e-5, 10000));
 *     ...
 *     vn_array *loss = vn_value_and_grad(loss_of, p, data, &grads);
 *     vn_step(adam, p, grads);
 *
 * An optimizer's state (moments, averages) is created by its first step, lives on the parameters' engine and is a tree that can be saved
 * and restored. All steps are the same program: learning rate and step number are its inputs. */
#ifndef VINEA_NN_H
#define VINEA_NN_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layers ----------------------------------------------------------------------------------------------------------------------
 * The layers themselves are ops (ops.h: vn_linear, vn_conv2d, vn_lstm_update ...). These forms take an option struct, use the thread's
 * random key, or take callbacks. */

/* Options of convolutions with 1 to 3 spatial axes. In the lists one number applies to all axes. */
typedef struct vn_conv_opts {
    size_t size;
    int64_t strides[3], dilations[3]; /* 1 */
    int64_t x_dilations[3];           /* 1; not of transposed convolutions */
    int same;                         /* padding SAME instead of VALID */
    int64_t pads[3][2];               /* (low, high) for each axis, if not all are 0; not of transposed convolutions */
    int64_t groups;                   /* 1 */
    int channels_first;               /* x and the result are [N, C, spatial...] */
    int filters_first;                /* filters are [O, C/groups, kernel...]; transposed: [C, O/groups, kernel...] */
    int64_t output[3];                /* transposed: the sizes of the result, one for each axis, if not the default */
} vn_conv_opts;

/* vn_conv_general_dilated and vn_conv_general_transpose: vn_conv_with(x, w, VN_NONE, VN_OPTS(conv, .strides = {2, 2}, .same = 1)) */
VN_API vn_array *vn_conv_with(vn_array *x, vn_array *filters, vn_array *bias, const vn_conv_opts *opts);
VN_API vn_array *vn_conv_transpose_with(vn_array *x, vn_array *filters, vn_array *bias, const vn_conv_opts *opts);

/* vn_dropout with the thread's next key; a new handle to x when not training. */
VN_API vn_array *vn_dropout_now(vn_array *x, double prob, int training);
/* bool (queries, keys): query i attends to keys up to i + keys - queries. */
VN_API vn_array *vn_causal_mask(int64_t queries, int64_t keys);

/* Multi-head attention: q = to_q(x), k and v = to_kv(context), attention in each head, then to_out. x is (..., queries,
 * heads * features); context, of any width that to_kv accepts, is x if absent (VN_NONE). Without to_q or to_out that projection is skipped;
 * without to_kv, or if it sets only *k, the first half of the last axis is k and the second half v. The mask (..., queries, keys) applies
 * to every head; a query attends where it is not 0. */
typedef vn_array *(*vn_project_fn)(vn_array *x, const vn_tree *variables, void *user);
typedef int (*vn_project_kv_fn)(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *user);
typedef struct vn_heads_opts {
    size_t size;
    vn_project_fn to_q, to_out;
    vn_project_kv_fn to_kv;                    /* returns a code; *v stays NULL if *k holds both */
    const vn_tree *q_variables, *kv_variables; /* passed to the functions */
    const vn_tree *out_variables;
    void *user;
    int causal, zero_rows; /* as in vn_scaled_dot_product_attention */
} vn_heads_opts;
VN_API vn_array *vn_multi_head_attention(vn_array *x, double scale, int64_t heads, vn_array *context, vn_array *mask,
                                         const vn_heads_opts *opts);

/* The same from projection weights, as rows of vn_linear: "in_proj_weights" (3E, E), or "q_proj_weights", "k_proj_weights" and
 * "v_proj_weights" (E, width); "in_proj_bias" (3E), "out_proj_weights", "out_proj_bias", and "bias_k", "bias_v" (E), an additional
 * key; all are optional. query is (..., queries, width); key defaults to query and value to key. mask: (queries, keys), (..., queries,
 * keys) or (..., heads, queries, keys); key_mask: (..., keys); a query attends where both are not 0. A query with nothing to attend to
 * gives zeros. *attention (which may be NULL) receives the attention weights, averaged over the heads. */
typedef struct vn_projected_opts {
    size_t size;
    int64_t heads;   /* 8 */
    double scale;    /* 1 / sqrt(features of a head) */
    int steps_first; /* arrays are (steps, ..., width) */
    int causal;      /* query i attends to keys up to i */
    int zero_key;    /* an additional key of zeros, with value 0 */
    int per_head;    /* *attention is (..., heads, queries, keys) */
    double dropout;  /* of the attention weights, with the thread's key; 0: none */
} vn_projected_opts;
VN_API vn_array *vn_multi_head_attention_with(vn_array *query, vn_array *key, vn_array *value, const vn_tree *weights, vn_array *mask,
                                              vn_array *key_mask, const vn_projected_opts *opts, vn_array **attention);

/* ---- optimizers --------------------------------------------------------------------------------------------------------------- */

/* Options of all optimizers; each ignores those it does not use. Zero means default; to set an option to 0, give a negative number. */
typedef struct vn_optim_opts {
    size_t size;
    double momentum;     /* sgd, rmsprop: 0 */
    int nesterov;        /* sgd */
    double beta1, beta2; /* adam, adamw, lamb: 0.9, 0.999; lion: 0.9, 0.99; rmsprop: beta2 0.99 */
    double epsilon;      /* adam, adamw, lamb: 1e-7; rmsprop, adagrad: 1e-8 */
    double weight_decay; /* sgd, rmsprop, adagrad, adam: added to the gradient as weight_decay * w; adamw, lion: decoupled, subtracted from
                            w */
    double decay_lambda; /* lars, lamb */
    double max_trust_ratio; /* lamb: 10 */
    int paper;              /* adam, lars, lamb: the papers' formulas instead of the folded ones */
    int first_moments_grad; /* adam, lamb: start with m = g, v = g^2 instead of 0 */
    double clip_norm;       /* scales all gradients down to this global norm; 0: off */
    double clip_value;      /* clips every element of a gradient to [-clip_value, clip_value]; 0: off */
    int accumulate;         /* averages the gradients of this many steps before each update; 0, 1: off */
    double average;         /* keeps a moving average of the parameters with this decay (vn_optim_average); 0: off */
    int ignore_missing;     /* parameters without a gradient are skipped instead of being an error */
} vn_optim_opts;

VN_API vn_optim *vn_sgd_with(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_adam(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_adamw(double lr, const vn_optim_opts *opts); /* weight_decay defaults to 0.01 */
VN_API vn_optim *vn_lars(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_lamb(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_rmsprop(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_adagrad(double lr, const vn_optim_opts *opts);
VN_API vn_optim *vn_lion(double lr, const vn_optim_opts *opts);

/* The state as a tree: "steps", "calls", "held" (gradients being accumulated), one tree with the parameters' structure for each slot
 * of the optimizer, and "rate": learning rate and schedule, which are kept if the state being set has none. A schedule function is not
 * part of the state; the optimizer that gets the state must have one too. Setting checks the names; structure and shapes are checked by the
 * next step. */
VN_API vn_tree *vn_optim_state(vn_optim *o);
VN_API int vn_optim_set_state(vn_optim *o, const vn_tree *state);
VN_API vn_tree *vn_optim_average(vn_optim *o); /* the moving average of the parameters; an error unless .average is set */
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
VN_API vn_schedule vn_step_decay(double rate, double factor, int64_t every);        /* multiplied by factor every `every` steps */
VN_API vn_schedule vn_exponential_decay(double rate, double factor, int64_t every); /* the same, smoothly */
VN_API vn_schedule vn_linear_decay(double rate, double last, int64_t steps);        /* linearly from rate to last, then last */
VN_API vn_schedule vn_cosine(double rate, double last, int64_t steps);              /* along half a cosine, then last */
VN_API vn_schedule vn_one_cycle(double rate, int64_t steps); /* up from rate / 25 in 30 % of the steps, down to rate / 250000, by cosines */
VN_API vn_schedule vn_schedule_of(vn_schedule_fn fn, void *user); /* the caller's own */
VN_API vn_schedule vn_warm_up(vn_schedule s, int64_t steps);      /* s, after a linear warm-up from 0 to its first rate */
VN_API double vn_schedule_at(const vn_schedule *s, int64_t step); /* NaN, with the error set, if s is invalid */
VN_API int vn_optim_schedule(vn_optim *o, vn_schedule s);         /* checked; vn_optim_set_lr ends it */

/* ---- gradients ------------------------------------------------------------------------------------------------------------------ */

/* The global norm of all arrays of a tree, as a lazy float scalar, computed without overflow. */
VN_API vn_array *vn_tree_norm(const vn_tree *t);
/* The tree scaled down to norm `most` if its norm is larger; *norm (which may be NULL) is its norm before. */
VN_API vn_tree *vn_clip_by_norm(const vn_tree *t, double most, vn_array **norm);
VN_API vn_tree *vn_clip_by_value(const vn_tree *t, double most);

/* ---- running means ---------------------------------------------------------------------------------------------------------------- */

/* The running mean of numbers, such as the losses of batches weighted by their sizes:
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
