/* SPDX-License-Identifier: Apache-2.0 */
/* nn.h: what all optimizers share (schedules, clipping, accumulation, averages) and functional layers with option structs. optimizers.h has a
 * function for each optimizer and schedule (vn_sgd, vn_cosine), vinea.h has vn_step.
 *
 *     vn_optim *adam = vn_adam(1e-3);
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
 * The layers themselves are ops (ops.h: vn_linear, vn_conv2d, vn_lstm_update ...). Here stands what calls back or takes trees. */

/* bool (queries, keys): query i attends to keys up to i + keys - queries. */
VN_API vn_array *vn_causal_mask(int64_t queries, int64_t keys);

/* Multi-head attention: q = to_q(x), k and v = to_kv(context), attention in each head, then to_out. x is (..., queries,
 * heads * features); context, of any width that to_kv accepts, is x if absent (VN_NONE). Without to_q or to_out that projection is skipped;
 * without to_kv, or if it sets only *k, the first half of the last axis is k and the second half v. The mask (..., queries, keys) applies
 * to every head; a query attends where it is not 0. */
typedef vn_array *(*vn_project_fn)(vn_array *x, const vn_tree *variables, void *user);
typedef int (*vn_project_kv_fn)(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *user);
typedef struct vn_multi_head_attention_opts {
    size_t size VN_UNSET;
    vn_project_fn to_q VN_UNSET, to_out VN_UNSET;
    vn_project_kv_fn to_kv VN_UNSET;                             /* returns a code; *v stays NULL if *k holds both */
    const vn_tree *q_variables VN_UNSET, *kv_variables VN_UNSET; /* passed to the functions */
    const vn_tree *out_variables VN_UNSET;
    void *user VN_UNSET;
    double scale VN_UNSET;                   /* of products of queries and keys; 1 / sqrt(features of a head) unless given, VN_ZERO for 0 */
    int causal VN_UNSET, zero_rows VN_UNSET; /* as in vn_scaled_dot_product_attention */
    int64_t kv_heads VN_UNSET;               /* of keys and values, each for as many of the heads; as many as heads unless given */
} vn_multi_head_attention_opts;
VN_API vn_array *vn_multi_head_attention(vn_array *x, vn_array *context, vn_array *mask, int64_t heads,
                                         const vn_multi_head_attention_opts *opts VN_OR(NULL));

/* The same from projection weights, as rows of vn_linear: "in_proj_weights" (3E, E), or "q_proj_weights", "k_proj_weights" and
 * "v_proj_weights" (E, width); "in_proj_bias" (3E), "out_proj_weights", "out_proj_bias", and "bias_k", "bias_v" (E), one key more;
 * all may be missing. query is (..., queries, width); key is query and value is key if absent. mask: (queries, keys), (..., queries,
 * keys) or (..., heads, queries, keys); key_mask: (..., keys); both say where to attend: not 0. A query with nothing to attend to gives
 * zeros. *attention (which may be NULL) becomes what each query takes of each key, averaged over the heads. */
typedef struct vn_projected_attention_opts {
    size_t size VN_UNSET;
    int64_t heads VN_UNSET;   /* 8 */
    double scale VN_UNSET;    /* 1 / sqrt(features of a head) */
    int steps_first VN_UNSET; /* arrays are (steps, ..., width) */
    int causal VN_UNSET;      /* query i attends to keys up to i */
    int zero_key VN_UNSET;    /* an additional key of zeros, with value 0 */
    int per_head VN_UNSET;    /* *attention is (..., heads, queries, keys) */
    double dropout VN_UNSET;  /* of what queries take of keys, by the thread's key; 0: none */
} vn_projected_attention_opts;
VN_API vn_array *vn_projected_attention(vn_array *query, vn_array *key, vn_array *value, const vn_tree *weights, vn_array *mask,
                                        vn_array *key_mask, const vn_projected_attention_opts *opts, vn_array **attention);

/* ---- optimizers: optimizers.h has one function for each ------------------------------------------------------------------------- */

/* By name, with options by name, "lr" among them. */
VN_API vn_optim *vn_optim_make(const char *name, const vn_option *options, int n);
/* By text, with options in brackets, in order or by name, and parts of compositions likewise: "adam", "sgd(0.1, momentum=0.9)",
 * "chain(clip_by_global_norm(1), adamw(0.001))", "groups(masked(sgd(0.1), *bias), body:adam(0.01))": "body" names the part. A learning rate
 * may be a schedule (vn_schedule_parse): "adam(warm_up(cosine(0.01, 0, 1000), 50), beta1=0.8)". */
VN_API vn_optim *vn_optim_parse(const char *text);
VN_API const char *vn_optim_text(const vn_optim *o); /* a text that makes the same optimizer again, without its state; of the scope */

/* Compositions hold other optimizers, which then belong to them: VN_CHAIN(vn_update_clip_by_global_norm(1), vn_adam(1e-3)). Learning
 * rate and schedule of a composition are those of its last part that has one; vn_optim_part gives parts, to set theirs. */
#ifndef __cplusplus
#define VN_CHAIN(...) vn_chain((int)(sizeof((vn_optim *const[]){__VA_ARGS__}) / sizeof(vn_optim *)), (vn_optim *const[]){__VA_ARGS__})
#define VN_GROUPS(...) vn_groups((int)(sizeof((vn_optim *const[]){__VA_ARGS__}) / sizeof(vn_optim *)), (vn_optim *const[]){__VA_ARGS__})
#endif
VN_API int vn_optim_rename(vn_optim *o, const char *name);     /* its name as a part, in vn_optim_part and in the state */
VN_API vn_optim *vn_optim_part(vn_optim *o, const char *name); /* by name, "adam", or a chain of names, "groups/adam_2" */
/* An option that is a number as a function of the step; vn_constant gives it another value. It is not part of the state. */
VN_API int vn_optim_schedule_option(vn_optim *o, const char *option, vn_schedule s);

/* One step by a loss function: vn_value_and_grad and vn_step. The line searches (vn_backtracking, vn_zoom) evaluate it several times; vn_fit has
 * it too, vn_step alone refuses them. Returns the loss before the step; NULL on failure, which leaves p as it was. */
VN_API vn_array *vn_optim_minimize(vn_optim *o, vn_loss_fn fn, vn_tree *p, void *data);
/* Of vn_loss_scale: what the loss is multiplied by. vn_fit and vn_optim_minimize do; a loss function for vn_step does it itself:
 *
 *     return vn_mul(loss, vn_cast(vn_optim_loss_scale(o), vn_dtype_of(loss))); */
VN_API vn_array *vn_optim_loss_scale(const vn_optim *o);
/* Of vn_schedule_free: the average of what p went through, which is to be used and evaluated. vn_fit does so: validation, its events of
 * epochs, the module in its checkpoints and at its end have the average. */
VN_API vn_tree *vn_optim_eval_params(const vn_optim *o, const vn_tree *p);
/* What all optimizers share, set before the first step, of a whole optimizer and not of its parts. Each returns a code. */
VN_API int vn_optim_clip_norm(vn_optim *o, double max_norm);   /* all gradients together are scaled down to this length */
VN_API int vn_optim_clip_value(vn_optim *o, double max_value); /* every entry of a gradient is cut to [-max_value, max_value] */
/* Gradients of this many steps are averaged before the parameters move, and clipped then. They are summed in a fixed tree: the average has
 * the bits of a batch in as many equal parts (vn_group_value_and_grad), on one rank as on several. */
VN_API int vn_optim_accumulate(vn_optim *o, int64_t steps);
VN_API int vn_optim_keep_average(vn_optim *o, double decay); /* a moving average of the parameters (vn_optim_average); decay below 1 */
VN_API int vn_optim_ignore_missing(vn_optim *o);             /* parameters without a gradient are left alone instead of being an error */

/* The state as a tree: "steps", "calls", "accumulate" and "held" (sums of gradients being accumulated, by level of their tree; a state with none
 * waiting fits any count), one tree with the parameters' structure for each slot
 * of the optimizer, and "rate": learning rate and schedule, which are kept if the state being set has none. A schedule function is not
 * part of the state; the optimizer that gets the state must have one too. Setting checks the names; structure and shapes are checked by the
 * next step. */
VN_API vn_tree *vn_optim_state(vn_optim *o);
VN_API int vn_optim_set_state(vn_optim *o, const vn_tree *state);
VN_API vn_tree *vn_optim_average(vn_optim *o); /* the moving average of the parameters; an error unless vn_optim_keep_average was called */
VN_API double vn_optim_lr(const vn_optim *o);  /* of the next step; 1 if nothing in a composition has one */
VN_API const char *vn_optim_name(const vn_optim *o);

/* ---- schedules: optimizers.h has one function for each ------------------------------------------------------------------------ */

/* By name, with options by name. */
VN_API int vn_schedule_make(const char *name, const vn_option *options, int n, vn_schedule *to);
/* By text: a schedule of the table, "cosine(0.1, 0, 1000)", or a composition of texts: "warm_up(cosine(0.1, 0, 1000), 50)",
 * "join(linear_decay(0, 0.1, 50), 50, noam(1, 64, 100))", "piecewise(0.1, 100, 0.01, 200, 0.001)", "product(...)", "sum(...)", "mean(...)". What *to
 * points to belongs to the innermost scope. Returns a code. */
VN_API int vn_schedule_parse(const char *text, vn_schedule *to);
VN_API int vn_optim_schedule_text(vn_optim *o, const char *text); /* vn_optim_schedule of such a text, which the optimizer keeps */
VN_API vn_schedule vn_schedule_of(vn_schedule_fn fn, void *user); /* the caller's own */
/* One after the other: parts[k] from step from[k - 1] on, counting its own steps. j and what it points to must stay; like a function, it is
 * not part of an optimizer's state. */
typedef struct vn_joined {
    size_t size VN_UNSET; /* sizeof(vn_joined) */
    int64_t n VN_UNSET;
    const vn_schedule *parts VN_UNSET;
    const int64_t *from VN_UNSET; /* n - 1 steps, rising */
} vn_joined;
VN_API vn_schedule vn_join_schedules(const vn_joined *j);
/* rates[k] from step from[k - 1] on, or, with `between`, on lines between the rates, of which the first is at step 0; the last one stays.
 * p and what it points to must stay. */
typedef struct vn_pieces {
    size_t size VN_UNSET; /* sizeof(vn_pieces) */
    int64_t n VN_UNSET;
    const double *rates VN_UNSET;
    const int64_t *from VN_UNSET; /* n - 1 steps, rising */
    int between VN_UNSET;         /* 1: lines, 2: half cosines, 0: steps */
    int reserved VN_UNSET;        /* 0 */
} vn_pieces;
VN_API vn_schedule vn_piecewise(const vn_pieces *p);
/* The rates of several schedules at the same step, multiplied, added or averaged. c and what it points to must stay. */
typedef enum vn_combine { VN_COMBINE_PRODUCT = 0, VN_COMBINE_SUM = 1, VN_COMBINE_MEAN = 2 } vn_combine;
typedef struct vn_combined {
    size_t size VN_UNSET; /* sizeof(vn_combined) */
    int64_t n VN_UNSET;
    const vn_schedule *parts VN_UNSET;
    int how VN_UNSET;      /* vn_combine */
    int reserved VN_UNSET; /* 0 */
} vn_combined;
VN_API vn_schedule vn_combine_schedules(const vn_combined *c);
VN_API vn_schedule vn_warm_up(vn_schedule s, int64_t steps);      /* s, after a linear warm-up from 0 to its first rate */
VN_API double vn_schedule_at(const vn_schedule *s, int64_t step); /* NaN, with the error set, if s is invalid */
VN_API int vn_optim_schedule(vn_optim *o, vn_schedule s);         /* checked; vn_optim_set_lr ends it */

/* ---- gradients ------------------------------------------------------------------------------------------------------------------ */

/* The global norm of all arrays of a tree, as a lazy float scalar, computed without overflow. */
VN_API vn_array *vn_tree_norm(const vn_tree *t);
/* The tree scaled down to `max_norm` if its norm is larger; *norm (which may be NULL) is its norm before. */
VN_API vn_tree *vn_clip_by_norm(const vn_tree *t, double max_norm, vn_array **norm);
VN_API vn_tree *vn_clip_by_value(const vn_tree *t, double max_value);
VN_API vn_array *vn_scale_gradient(vn_array *x, double by); /* x itself, through which gradients flow multiplied by a number */

/* Gradients of each example, stacked along a first axis: the sum over examples, each scaled down to `max_norm` if it is longer. Options:
 * every array is scaled by its own length, to max_norm / sqrt(arrays), or to max_norm sqrt(its part of all numbers). */
typedef struct vn_clip_per_example_opts {
    size_t size VN_UNSET;
    int by_layer VN_UNSET, by_size VN_UNSET; /* by_size: with by_layer */
} vn_clip_per_example_opts;
VN_API vn_tree *vn_clip_per_example(const vn_tree *t, double max_norm, const vn_clip_per_example_opts *opts VN_OR(NULL));
/* Differentially private gradients (DP-SGD), for vn_step: the mean over examples of such a sum, to which normal numbers with deviation
 * max_norm * noise were added. key: VN_NONE is the thread's next one. */
VN_API vn_tree *vn_private_gradients(const vn_tree *t, vn_array *key, double max_norm, double noise);

/* True if vn_allclose holds for every pair of arrays of two trees of one structure, as a lazy bool scalar. Other keys or
 * shapes are VN_E_STRUCT. */
VN_API vn_array *vn_tree_allclose(const vn_tree *x, const vn_tree *y, const vn_allclose_opts *opts VN_OR(NULL));

/* ---- trees of numbers, for optimizers of one's own -----------------------------------------------------------------------------
 * Trees that meet have one structure; other keys are VN_E_STRUCT. The result is a new tree. */

VN_API vn_array *vn_tree_sum(const vn_tree *t); /* of all elements, a lazy scalar; a tree without arrays is VN_E_STRUCT */
VN_API vn_array *vn_tree_max(const vn_tree *t);
VN_API vn_array *vn_tree_min(const vn_tree *t);
VN_API vn_array *vn_tree_vdot(const vn_tree *x, const vn_tree *y); /* the sum of products, with x conjugated */
VN_API int vn_tree_dtype(const vn_tree *t);                        /* the dtype of all its arrays; -1, and VN_E_DTYPE, if they differ */
VN_API vn_tree *vn_tree_cast_like(const vn_tree *x, const vn_tree *like);         /* in the dtypes of like */
VN_API vn_tree *vn_tree_reshape_like(const vn_tree *x, const vn_tree *like);      /* in the shapes of like, which hold as many elements */
VN_API vn_tree *vn_tree_add_scale(const vn_tree *x, double by, const vn_tree *y); /* x + by y */
VN_API vn_tree *vn_tree_split_key_like(vn_array *key, const vn_tree *t);          /* a key for each array; VN_NONE: from the thread's */
VN_API vn_tree *vn_tree_random_like(vn_array *key, const vn_tree *t);             /* standard normal numbers of its shapes and dtypes */
/* decay m + (1 - decay) g^order; of the absolute values of g; the larger of |g| + epsilon and decay m; m / (1 - decay^count). */
VN_API vn_tree *vn_tree_update_moment(const vn_tree *g, const vn_tree *m, double decay, double order);
VN_API vn_tree *vn_tree_update_moment_per_elem_norm(const vn_tree *g, const vn_tree *m, double decay, double order);
VN_API vn_tree *vn_tree_update_infinity_moment(const vn_tree *g, const vn_tree *m, double decay, double epsilon);
VN_API vn_tree *vn_tree_bias_correction(const vn_tree *m, double decay, int64_t count);
/* For target networks: step x + (1 - step) old; and x in every period-th step, old in the others. */
VN_API vn_tree *vn_tree_incremental_update(const vn_tree *x, const vn_tree *old, double step);
VN_API vn_tree *vn_tree_periodic_update(const vn_tree *x, const vn_tree *old, int64_t steps, int64_t period);

/* ---- second derivatives ---------------------------------------------------------------------------------------------------------- */

/* Of a loss by the parameters: the Hessian times v, a tree like p; its diagonal, which takes a backward pass for each number of p; an
 * estimate of the diagonal from one product with random signs (VN_NONE: of the thread's key); the squared gradient, the diagonal of the
 * empirical Fisher information. */
VN_API vn_tree *vn_hvp(vn_loss_fn fn, const vn_tree *p, void *data, const vn_tree *v);
VN_API vn_tree *vn_hessian_diag(vn_loss_fn fn, const vn_tree *p, void *data);
VN_API vn_tree *vn_hutchinson_diag(vn_loss_fn fn, const vn_tree *p, void *data, vn_array *key);
VN_API vn_tree *vn_fisher_diag(vn_loss_fn fn, const vn_tree *p, void *data);

/* ---- meta-learning ---------------------------------------------------------------------------------------------------------------- */

/* The loss of a task: on what it adapts to, or, for `outer`, on what it is tested by. */
typedef vn_array *(*vn_task_fn)(const vn_tree *p, int64_t task, int outer, void *user);
typedef struct vn_meta_opts {
    size_t size VN_UNSET;
    double lr VN_UNSET;     /* of the inner steps; 0.01 unless given */
    int64_t steps VN_UNSET; /* of each task; 1 unless given */
} vn_meta_opts;
/* The mean outer loss over tasks after inner steps of gradient descent, and in *grads what moves p, for vn_step: its gradient through the
 * inner steps (MAML); the gradient where they end (first order); or the way they went, divided by lr (Reptile). */
VN_API vn_array *vn_maml_step(vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, vn_tree **grads);
VN_API vn_array *vn_fomaml_step(vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, vn_tree **grads);
VN_API vn_array *vn_reptile_step(vn_task_fn fn, const vn_tree *p, int64_t tasks, void *user, const vn_meta_opts *opts, vn_tree **grads);

/* ---- tensor decompositions ---------------------------------------------------------------------------------------------------------- */

typedef struct vn_tucker_opts {
    size_t size VN_UNSET;
    int64_t iterations VN_UNSET; /* at most; 100 unless given. VN_ZERO: the start, by singular vectors of x along each axis */
    double tolerance VN_UNSET;   /* it ends when the error relative to x changes by less; 1e-4 unless given */
    vn_shape modes VN_UNSET;     /* the axes that get a factor; all unless given */
} vn_tucker_opts;
/* x as a core multiplied by a matrix with orthogonal columns along each axis: {core, factors/0 (n, rank), ...}. ranks: one for each of these axes, or
 * one for all; larger ones than an axis count as its size. It is evaluated step by step. */
VN_API vn_tree *vn_tucker(vn_array *x, vn_shape ranks, const vn_tucker_opts *opts);
typedef struct vn_cp_opts {
    size_t size VN_UNSET;
    int64_t iterations VN_UNSET; /* at most; 100 unless given */
    double tolerance VN_UNSET;   /* it ends when the error relative to x changes by less; 1e-8 unless given, VN_ZERO for 0 */
} vn_cp_opts;
/* x as a sum of `rank` products of vectors, one for each axis (CP, PARAFAC): {weights (rank), factors/0 (n, rank), ...} with columns of length 1, by alternating
 * least squares from singular vectors of x. It is evaluated step by step. */
VN_API vn_tree *vn_cp(vn_array *x, int64_t rank, const vn_cp_opts *opts VN_OR(NULL));
/* x (n, n', ...) as a product of cores (1, n, r), (r, n', r') ... (r, n, 1): {0, 1, ...}, with at most these ranks, or one for all. */
VN_API vn_tree *vn_tensor_train(vn_array *x, vn_shape ranks);
/* A matrix as a train of cores (r, m, n, r') of four axes: the array (m, m', ..., n, n', ...). */
VN_API vn_array *vn_tt_matrix_to_tensor(const vn_tree *cores);

typedef struct vn_random_factors_opts {
    size_t size VN_UNSET;
    int orthogonal VN_UNSET; /* factors with orthogonal columns */
    int normalize VN_UNSET;  /* random_cp: columns of length 1; weights holds the products of their lengths */
} vn_random_factors_opts;
/* Random factors, uniform in [0, 1), of arrays of this shape, from a key (VN_NONE: the thread's): CP {weights (rank), factors/0 (n, rank), ...}, Tucker {core,
 * factors/0 (n, rank), ...}, trains and rings of cores {0 (r, n, r'), ...}; ranks of a ring begin with that where it is closed. PARAFAC2 of
 * matrices (rows[k], columns): {weights, factors/0 (matrices, rank), 1 (rank, rank), 2 (columns, rank), projections/0 (rows[0], rank), ...}. */
VN_API vn_tree *vn_random_cp(vn_array *key, vn_shape shape, int64_t rank, vn_dtype dtype, const vn_random_factors_opts *opts);
VN_API vn_tree *vn_random_tucker(vn_array *key, vn_shape shape, vn_shape ranks, vn_dtype dtype, const vn_random_factors_opts *opts);
VN_API vn_tree *vn_random_tt(vn_array *key, vn_shape shape, vn_shape ranks, vn_dtype dtype);
VN_API vn_tree *vn_random_tr(vn_array *key, vn_shape shape, vn_shape ranks, vn_dtype dtype);
VN_API vn_tree *vn_random_parafac2(vn_array *key, vn_shape rows, int64_t columns, int64_t rank, vn_dtype dtype);

/* ---- pictures as a network sees them ---------------------------------------------------------------------------------------------- */

typedef enum vn_feature_kind {
    VN_FEATURES_LPIPS = 0, /* vn_lpips, with weights {layer: (channels)} */
    VN_FEATURES_DISTS = 1, /* vn_dists, with weights {layer: {alpha, beta}}, which are divided by their sums over all layers */
    VN_FEATURES_GRAM = 2   /* vn_gram_matrix_loss, style, with weights {layer: a number} */
} vn_feature_kind;
typedef struct vn_feature_distance_opts {
    size_t size VN_UNSET;
    int kind VN_UNSET;               /* vn_feature_kind */
    int each VN_UNSET;               /* the distance of each pair, (n), instead of their mean */
    const vn_tree *weights VN_UNSET; /* NULL: all alike */
} vn_feature_distance_opts;
/* The distance of pictures x and y by the features that `net` gives of them: the distances of all layers, added up. The network is any module that
 * gives a tree of feature maps (n, ..., channels) of x, such as the layers of a VGG network whose weights were loaded. vn_frechet_distance compares
 * whole sets of pictures by their features. */
VN_API vn_array *vn_feature_distance(vn_module *net, vn_array *x, vn_array *y, const vn_feature_distance_opts *opts VN_OR(NULL));

/* ---- running means ---------------------------------------------------------------------------------------------------------------- */

/* The running mean of numbers, such as the losses of batches weighted by their sizes:
 *
 *     vn_running mean = {0};
 *     ... vn_running_add(&mean, vn_item(loss), batch);
 *     printf("%g", vn_running_value(&mean)); */
typedef struct vn_running {
    double sum VN_UNSET, lost VN_UNSET, weight VN_UNSET;
} vn_running;

VN_API int vn_running_add(vn_running *r, double value, double weight); /* the weight is 0 or more; 0 adds nothing */
VN_API double vn_running_value(const vn_running *r);                   /* NaN before the first number */
VN_API int vn_running_reset(vn_running *r);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_multi_head_attention(...) vn_multi_head_attention(__VA_ARGS__ VN__REST5(__VA_ARGS__)(, , , , NULL))
#define vn_feature_distance(...) vn_feature_distance(__VA_ARGS__ VN__REST4(__VA_ARGS__)(, , , , NULL))
#define vn_cp(...) vn_cp(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_clip_per_example(...) vn_clip_per_example(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_allclose(...) vn_tree_allclose(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#endif

#endif
