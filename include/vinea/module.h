/* module.h: modules, layers and initialisers. A module has variables, sub-modules and a forward function:
 *
 *     static int build(vn_module *m, const vn_tree *args)
 *     {
 *         vn_module_add(m, "_l0", vn_nn_linear(2, 16, NULL));
 *         return vn_module_add(m, "_l1", vn_nn_linear(16, 1, NULL));
 *     }
 *     static vn_array *forward(vn_module *m, vn_array *x)
 *     {
 *         return vn_module_run(m, "_l1", vn_tanh(vn_module_run(m, "_l0", x)));
 *     }
 *     static const vn_module_class mlp = {.name = "Mlp", .build = build, .forward = forward};
 *
 *     vn_module *net = vn_module_new(&mlp, NULL, NULL);
 *     vn_array *y = vn_module_call(net, x, NULL);
 *
 * Variables. All variables of a module and of what is below it stand in one tree, vn_module_v, which vn_step can be given. A sub-module's
 * tree is the tree at its name in the parent's (the same handle). Names are those of the attributes less one leading '_', so "_l0" is
 * "l0"; items of a list are "v0", "v1" ..., entries of a map have their keys. Attributes that begin with "__" or are NULL are left out.
 *
 * Flow. Forward never sees a tree of variables passed around: it asks for its own (vn_module_var), which are those of the running call.
 * A call with .v runs the whole network with these variables instead, for that call only. That makes a module a function of its
 * variables: gradients, averages, meta-learning. Running calls are known per thread: after its first call, a module that is not in
 * training may run in many threads at once.
 *
 * Ownership is that of arrays and trees: what a function returns belongs to the innermost scope. Modules keep their sub-modules. */
#ifndef VINEA_MODULE_H
#define VINEA_MODULE_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vn_module vn_module;
typedef struct vn_module_trace vn_module_trace; /* what the sub-modules of a call returned, and in which order */

VN_API vn_module *vn_module_keep(vn_module *m);
VN_API void vn_module_drop(vn_module *m);
VN_API vn_module *vn_module_pass(vn_module *m);

/* ---- making ------------------------------------------------------------------------------------------------------------------- */

/* What all modules of a kind share; it must outlive them. Every function may be NULL, but one of the two forward functions is needed. They
 * run in a scope of their own. An error inside is an error of the call. */
typedef struct vn_module_class {
    const char *name; /* without '/' and '.' */
    size_t self_size; /* the module has a copy of so many bytes at `self`; 0: it has the pointer */
    /* Adds sub-modules and buffers. args are those of the first call, or NULL. Returns VN_OK, a code, or VN_BUILD_PARTIAL. */
    int (*build)(vn_module *m, const vn_tree *args);
    /* The module's own variables: any tree of arrays. The trees of sub-modules may stand in it, under names of its own. */
    vn_tree *(*create_variables)(vn_module *m, vn_dtype dtype);
    vn_array *(*forward)(vn_module *m, vn_array *x);
    vn_tree *(*forward_tree)(vn_module *m, const vn_tree *args); /* any number of inputs and results */
    void (*free)(void *self); /* what self holds (and self itself, when self_size is 0); called once, also when vn_module_new fails */
    const void *reserved[4];
} vn_module_class;
enum { VN_BUILD_PARTIAL = -1 }; /* build wants to be called again, by the next call or vn_module_build */

typedef enum vn_build_mode {
    VN_BUILD_ON_INIT = 0,  /* by vn_module_new: sub-modules are added in `build` */
    VN_BUILD_EXPLICIT = 1, /* by vn_module_build */
    VN_BUILD_ON_CALL = 2   /* by the first call, on the engine of its first array and with its dtype */
} vn_build_mode;

typedef struct vn_module_opts {
    size_t size;
    vn_tree *v;         /* variables to use instead of new ones: names and shapes must be those the module has, or VN_E_STRUCT */
    int with_partial_v; /* v may have some of them only */
    int build_mode;     /* vn_build_mode */
    int no_store;       /* the module keeps no variables: vn_module_build returns them and every call needs them */
    vn_dtype dtype;     /* of new variables; 0: float32 */
} vn_module_opts;
VN_API vn_module *vn_module_new(const vn_module_class *cls, void *self, const vn_module_opts *opts);
/* Builds the module unless it is built already, and returns its variables. args (may be NULL) go to the class's build. */
VN_API vn_tree *vn_module_build(vn_module *m, const vn_tree *args);

/* Sub-modules, until the module is built. NULL stands for none and is left out. Return a code; VN_E_STRUCT when a name is taken or m is
 * itself below the child. */
VN_API int vn_module_add(vn_module *m, const char *name, vn_module *child);
VN_API int vn_module_add_list(vn_module *m, const char *name, vn_module *const *children, int n);
VN_API int vn_module_add_dict(vn_module *m, const char *name, const char *const *keys, vn_module *const *children, int n);

VN_API void *vn_module_self(const vn_module *m);
VN_API const char *vn_module_class_name(const vn_module *m);
VN_API int vn_module_is_built(const vn_module *m);
VN_API int vn_module_build_mode(const vn_module *m); /* vn_build_mode; -1 on failure */
/* A sub-module by its attribute ("_l0") or name in v ("l0", "layers/v1", and further down "dl0/l0"). VN_E_STRUCT when there is none. */
VN_API vn_module *vn_module_child(const vn_module *m, const char *name);

/* ---- variables ---------------------------------------------------------------------------------------------------------------- */

/* The variables: those of the running call, or else the module's own. An array that stands at several places is in the tree once. */
VN_API vn_tree *vn_module_v(vn_module *m);
VN_API vn_array *vn_module_var(vn_module *m, const char *chain); /* one of them; VN_E_STRUCT when it is not there */

/* Buffers: state that is not differentiated, such as running means. Add them in build or create_variables; set one in forward: its handle
 * gets the new value, of the same shape and dtype. vn_module_buffers also has those of sub-modules, at their names. */
VN_API int vn_module_add_buffer(vn_module *m, const char *name, vn_array *x);
VN_API vn_array *vn_module_buffer(const vn_module *m, const char *name);
VN_API int vn_module_set_buffer(vn_module *m, const char *name, vn_array *x);
VN_API vn_tree *vn_module_buffers(const vn_module *m);

/* Frozen variables have no gradient: vn_module_value_and_grad gives null for them, which vn_step leaves alone; in other ways of
 * differentiating they are constants. Everything at or below the chain; "" is all. Return a code: VN_E_STRUCT when nothing stands there. */
VN_API int vn_module_freeze(vn_module *m, const char *chain);
VN_API int vn_module_unfreeze(vn_module *m, const char *chain);
VN_API vn_tree *vn_module_frozen(const vn_module *m); /* null at the chain of every frozen variable, here and below */

/* Training or not: dropout and running means care. For the module and all below it. A new module is in training. */
VN_API int vn_module_train(vn_module *m, int training);
VN_API int vn_module_training(const vn_module *m);

/* Variables and buffers as one tree, {v, buffers}: copies. Setting it gives the module's arrays these values (the handles stay); names,
 * shapes and dtypes must be the same. On failure nothing has changed. */
VN_API vn_tree *vn_module_state(vn_module *m);
VN_API int vn_module_set_state(vn_module *m, const vn_tree *state);

/* ---- calling ------------------------------------------------------------------------------------------------------------------ */

typedef struct vn_module_call_opts {
    size_t size;
    const vn_tree *v; /* variables for this call */
    int with_grads;   /* 1: with gradients, -1: the variables are constants, 0: as the gradient mode says */
    vn_module_trace *trace;  /* records what the sub-modules do */
} vn_module_call_opts;
/* A class with forward_tree only sees {x: x}, and its result must hold one array. */
VN_API vn_array *vn_module_call(vn_module *m, vn_array *x, const vn_module_call_opts *opts);
/* A class with forward only needs one array in args; the result is {y: y}. */
VN_API vn_tree *vn_module_call_tree(vn_module *m, const vn_tree *args, const vn_module_call_opts *opts);
/* For forward functions: calls a sub-module. */
VN_API vn_array *vn_module_run(vn_module *m, const char *child, vn_array *x);

/* The loss that fn computes by calling m, and its gradients as a tree like vn_module_v(m), for vn_step(o, vn_module_v(m), grads), which
 * evaluates the module's buffers along with them. */
typedef vn_array *(*vn_module_loss_fn)(vn_module *m, void *data);
VN_API vn_array *vn_module_value_and_grad(vn_module *m, vn_module_loss_fn fn, void *data, vn_tree **grads);

/* ---- looking up and down ------------------------------------------------------------------------------------------------------ */

/* `depth` is a number of levels; -1 is no limit. A module that was added to several has the first of them as its parent. */
VN_API vn_module *vn_module_top_mod(const vn_module *m, int depth); /* that ancestor, at most the root; NULL without an error at the root */
VN_API int vn_module_mod_depth(const vn_module *m);                 /* the number of ancestors; -1 on failure */
VN_API int vn_module_mod_height(const vn_module *m);                /* the longest way down to a module without sub-modules */
/* One blank per level, the class's name and the number of the module among those of that name below the root: " Linear_1". */
VN_API const char *vn_module_get_mod_key(const vn_module *m);

typedef struct vn_module_look_opts {
    size_t size;
    int no_v;    /* sub_mods: null instead of the variables */
    int flatten; /* one level: keys joined by "__" */
} vn_module_look_opts;
VN_API vn_tree *vn_module_top_v(const vn_module *m, int depth, const vn_module_look_opts *opts); /* NULL without an error at the root */
/* The sub-modules by key (without blanks), nested; the lowest are their variables. Depth 0 is vn_module_v itself. */
VN_API vn_tree *vn_module_sub_mods(vn_module *m, int depth, const vn_module_look_opts *opts);
/* The module's variables at the chain they have in top_v(depth). */
VN_API vn_tree *vn_module_v_with_top_v_key_chains(vn_module *m, int depth, const vn_module_look_opts *opts);
/* The keys from that ancestor down to the module: "Net_0/Block_0/Linear_1". */
VN_API const char *vn_module_mod_with_top_mod_key_chain(const vn_module *m, int depth, const vn_module_look_opts *opts);
/* As texts: the ancestor's variables or sub-modules with all but this module left out, and all that is below a module. */
VN_API const char *vn_module_show_v_in_top_v(vn_module *m, int depth);
VN_API const char *vn_module_show_mod_in_top_mod(vn_module *m, int depth);
VN_API const char *vn_module_show_structure(vn_module *m);
/* A table of what a call with x runs: modules, shapes of their results, variables and bytes. Results are not computed and no
 * buffer is changed. */
VN_API const char *vn_module_summary(vn_module *m, vn_array *x);

/* ---- tracing a call ----------------------------------------------------------------------------------------------------------- */

typedef struct vn_module_trace_opts {
    size_t size;
    int rets;                  /* keep what sub-modules return */
    int call_order;            /* keep the order of calls */
    int depth;                 /* down to this mod_depth; 0: all */
    vn_module *const *submods; /* only these; NULL: all */
    int n_submods;
    const vn_tree *expected; /* what sub-modules must return, by key, or VN_E_ARG: see below */
} vn_module_trace_opts;
/* A trace for vn_module_call_opts; it holds what the last call with it did. */
VN_API vn_module_trace *vn_module_trace_new(const vn_module_trace_opts *opts);
VN_API vn_module_trace *vn_module_trace_keep(vn_module_trace *t);
VN_API void vn_module_trace_drop(vn_module_trace *t);
VN_API vn_module_trace *vn_module_trace_pass(vn_module_trace *t);
/* Key of a sub-module -> list of its results, one for each call, computed and moved to the native engine. It can be given as `expected`,
 * in which null and absent keys are not looked at, keys may lack their blanks, and instead of a list may stand {val: list, atol: number
 * or list of numbers, rtol: the same}. Equal means |a - b| <= atol + rtol |b|, with 1e-8 and 1e-5 unless given. */
VN_API vn_tree *vn_module_trace_submod_rets(const vn_module_trace *t);
/* {Root_0_0: {Block_0_0: {...}, Block_0_1: {...}}}: keys without blanks, and the number of the call under its caller. Where the trace
 * ends (depth, listed modules, no sub-modules) stand copies of the module's variables, flattened. */
VN_API vn_tree *vn_module_trace_submod_call_order(const vn_module_trace *t);

/* ---- initialisers ------------------------------------------------------------------------------------------------------------- */

typedef enum vn_fan_mode { VN_FAN_IN = 0, VN_FAN_OUT = 1, VN_FAN_SUM = 2, VN_FAN_AVG = 3 } vn_fan_mode;
/* How an array begins; plain data. A zeroed one stands for a layer's default. */
typedef struct vn_init {
    int32_t kind;
    int32_t fan_mode; /* vn_fan_mode */
    double mean;      /* also the value of a constant */
    double scale;     /* uniform: the numerator; normal: the standard deviation, or the numerator of its square */
    double power, gain;
} vn_init;
VN_API vn_init vn_init_constant(double value);
VN_API vn_init vn_init_zeros(void);
VN_API vn_init vn_init_ones(void);
VN_API vn_init vn_init_uniform(double numerator, vn_fan_mode mode, double power, double gain); /* +- gain (numerator / fan)^power */
VN_API vn_init vn_init_normal(double mean, double std);
VN_API vn_init vn_init_truncated_normal(double mean, double std); /* a normal law cut off two deviations from the mean */
VN_API vn_init vn_init_glorot_uniform(void);
VN_API vn_init vn_init_glorot_normal(void);
VN_API vn_init vn_init_kaiming_uniform(vn_fan_mode mode, double slope); /* slope: of the leaky relu that follows */
VN_API vn_init vn_init_kaiming_normal(double mean, vn_fan_mode mode, double slope);
VN_API vn_init vn_init_lecun_uniform(void);
VN_API vn_init vn_init_lecun_normal(void);
VN_API vn_init vn_init_first_layer_siren(void);
VN_API vn_init vn_init_siren(double w0); /* 0: 30 */
/* gain times a matrix with orthonormal columns, or rows where these are fewer; columns are the last axis, rows all others together. */
VN_API vn_init vn_init_orthogonal(double gain);
/* An array from the thread's random key. Fans matter to those that ask for one; a fan below 1 is then VN_E_ARG. */
VN_API vn_array *vn_init_make(vn_init init, vn_shape shape, int64_t fan_in, int64_t fan_out, vn_dtype dtype);

/* One array of a tree: where it stands, its shape and how it begins. */
typedef struct vn_tree_spec {
    const char *path; /* "encoder/w"; trees on the way are made */
    vn_shape shape;
    vn_init init;            /* a zeroed one: zeros */
    int64_t fan_in, fan_out; /* as for vn_init_make */
} vn_tree_spec;
/* A tree of n arrays. Each is sampled from vn_random_named(key, path), so its numbers do not depend on the other arrays or their order.
 * key: VN_NONE is the thread's next one.
 *
 *     const vn_tree_spec specs[] = {{"w", VN_SHAPE(10, 64), vn_init_glorot_uniform(), 64, 10}, {.path = "b", .shape = VN_SHAPE(10)}};
 *     vn_tree *p = vn_tree_init(2, specs, VN_F32, VN_NONE); */
VN_API vn_tree *vn_tree_init(int n, const vn_tree_spec *specs, vn_dtype dtype, vn_array *key);

/* ---- layers ------------------------------------------------------------------------------------------------------------------- */

/* Each takes its sizes and options; .module has the options that all modules share. */

/* x w^T + b over the last axis. w: [out, in], Glorot uniform; b: [out], zeros */
typedef struct vn_nn_linear_opts {
    size_t size;
    int no_bias;
    vn_init w_init, b_init;
    const vn_module_opts *module;
} vn_nn_linear_opts;
VN_API vn_module *vn_nn_linear(int64_t in, int64_t out, const vn_nn_linear_opts *opts);

/* Rows of a table for integers of any shape. w: [n, size], normal numbers. Integers outside 0 ... n - 1 give zeros. */
typedef struct vn_nn_embedding_opts {
    size_t size;
    int with_padding; /* the row `padding` reads as zeros and is not trained */
    int64_t padding;
    vn_init w_init;
    double max_norm; /* longer rows are scaled down to it; 0: none are */
    const vn_module_opts *module;
} vn_nn_embedding_opts;
VN_API vn_module *vn_nn_embedding(int64_t n, int64_t size, const vn_nn_embedding_opts *opts);

/* Sets entries to zero with this probability while training, and divides the others by 1 - prob. */
typedef struct vn_nn_dropout_opts {
    size_t size;
    int no_scale; /* the others stay */
    vn_shape noise_shape; /* 1 for axes along which all share one choice, -1 or the size for the others; rank 0: no axis does */
    const vn_module_opts *module;
} vn_nn_dropout_opts;
VN_API vn_module *vn_nn_dropout(double prob, const vn_nn_dropout_opts *opts);

VN_API vn_module *vn_nn_identity(void);
/* Any op of the table with one input and one result, by name, with numbers as options: vn_nn_activation("tanh", NULL, 0). */
VN_API vn_module *vn_nn_activation(const char *op, const vn_option *options, int n_options);
VN_API vn_module *vn_nn_gelu(int approximate); /* approximate: by tanh */
VN_API vn_module *vn_nn_geglu(void);           /* the first half of the last axis times gelu of the second */
/* x where it is above 0, else weight x. weight: [channels], 0.25; one weight serves all, several those of the last axis (channels_first: of
 * axis 1). */
typedef struct vn_nn_prelu_opts {
    size_t size;
    int channels_first;
    vn_init init;
    const vn_module_opts *module;
} vn_nn_prelu_opts;
VN_API vn_module *vn_nn_prelu(int64_t channels, const vn_nn_prelu_opts *opts);
/* The axes first ... last, which may count from the end, as one: vn_nn_flatten(1, -1) leaves the batch. */
VN_API vn_module *vn_nn_flatten(int first, int last);

/* Norms. Their variables, weight (ones) and bias (zeros), are left out by no_affine. */

/* (x - mean) / sqrt(var + epsilon) * new_std * weight + bias over the last axes, which have this shape. */
typedef struct vn_nn_layer_norm_opts {
    size_t size;
    double epsilon; /* 0: 1e-5 */
    double new_std; /* 0: 1 */
    int no_affine;  /* neither weight nor bias */
    const vn_module_opts *module;
} vn_nn_layer_norm_opts;
VN_API vn_module *vn_nn_layer_norm(vn_shape shape, const vn_nn_layer_norm_opts *opts);
/* x / sqrt(mean(x^2) + epsilon) * weight over the last axes; there is no bias, and new_std is not looked at. */
VN_API vn_module *vn_nn_rms_norm(vn_shape shape, const vn_nn_layer_norm_opts *opts);

/* Of x [N, ..., channels], or [N, channels, ...] with channels_first. weight, bias: [channels] */
typedef struct vn_nn_norm_opts {
    size_t size;
    double epsilon; /* 0: 1e-5 */
    int no_affine;
    int channels_first;
    double momentum; /* of batch norms: how far running numbers go towards new ones; 0: 0.1 */
    int no_running;  /* of batch norms: x's own mean and variance, in training or not */
    const vn_module_opts *module;
} vn_nn_norm_opts;
/* Mean and variance over each of so many groups of channels, and over each channel, of each entry of the batch. */
VN_API vn_module *vn_nn_group_norm(int64_t groups, int64_t channels, const vn_nn_norm_opts *opts);
VN_API vn_module *vn_nn_instance_norm(int64_t channels, const vn_nn_norm_opts *opts);
/* Over each channel of all x: its own while training, which needs two numbers or more for each channel, else the running ones. Buffers:
 * running_mean (zeros), running_var (ones; towards the unbiased variance), in float32 where variables are half precision. 1D: also for [N, C]. */
VN_API vn_module *vn_nn_batch_norm1d(int64_t channels, const vn_nn_norm_opts *opts);
VN_API vn_module *vn_nn_batch_norm2d(int64_t channels, const vn_nn_norm_opts *opts);
VN_API vn_module *vn_nn_batch_norm3d(int64_t channels, const vn_nn_norm_opts *opts);

/* Convolutions of x [N, spatial..., in], or [N, in, spatial...] with channels_first. `kernel` has a size for each spatial axis, or one for
 * all. w: [kernel..., in / groups, out], Glorot uniform; transposed: [kernel..., in, out / groups]; depthwise: [kernel..., channels].
 * b: [1, ..., out], or [1, out, 1, ...], zeros. What sizes give which: vn_conv1d and vn_conv1d_transpose. */
typedef struct vn_nn_conv_opts {
    size_t size;
    int64_t strides[3], dilations[3]; /* 1; one number serves all axes */
    int same;                         /* padding SAME instead of VALID */
    int64_t pads[3][2];               /* (low, high) for each axis, if not all are 0; not of transposed ones */
    int64_t groups;                   /* 1; not of depthwise ones */
    int64_t output[3];                /* of transposed ones: the lengths of the result, one for each axis, if not the usual ones */
    int channels_first;
    int no_bias;
    vn_init w_init, b_init;
    const vn_module_opts *module;
} vn_nn_conv_opts;
VN_API vn_module *vn_nn_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts);
VN_API vn_module *vn_nn_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts);
VN_API vn_module *vn_nn_conv3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts);
VN_API vn_module *vn_nn_conv1d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts);
VN_API vn_module *vn_nn_conv2d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts);
VN_API vn_module *vn_nn_conv3d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_opts *opts);
VN_API vn_module *vn_nn_depthwise_conv2d(int64_t channels, vn_shape kernel, const vn_nn_conv_opts *opts);

/* The largest element or the mean of windows, with a size for each spatial axis or one for all. */
typedef struct vn_nn_pool_opts {
    size_t size;
    int64_t strides[3];   /* the window's sizes; one number serves all axes */
    int64_t dilations[3]; /* 1; not of means */
    int same;             /* padding SAME instead of VALID */
    int64_t pads[3][2];   /* (low, high) for each axis, if not all are 0 */
    int include_padding;  /* of means: padding counts as zeros */
    int channels_first;
} vn_nn_pool_opts;
VN_API vn_module *vn_nn_max_pool1d(vn_shape window, const vn_nn_pool_opts *opts);
VN_API vn_module *vn_nn_max_pool2d(vn_shape window, const vn_nn_pool_opts *opts);
VN_API vn_module *vn_nn_max_pool3d(vn_shape window, const vn_nn_pool_opts *opts);
VN_API vn_module *vn_nn_avg_pool1d(vn_shape window, const vn_nn_pool_opts *opts);
VN_API vn_module *vn_nn_avg_pool2d(vn_shape window, const vn_nn_pool_opts *opts);
VN_API vn_module *vn_nn_avg_pool3d(vn_shape window, const vn_nn_pool_opts *opts);
/* As many windows along each of 1 to 3 spatial axes as size says, or one number for all; and one window: [N, C], or with axes of size 1 if
 * keepdims. */
VN_API vn_module *vn_nn_adaptive_avg_pool(vn_shape size, int channels_first);
VN_API vn_module *vn_nn_adaptive_max_pool(vn_shape size, int channels_first);
VN_API vn_module *vn_nn_global_avg_pool(int channels_first, int keepdims);
VN_API vn_module *vn_nn_global_max_pool(int channels_first, int keepdims);

/* Attention with several heads of x [..., queries, query_dim] over a context [..., keys, context_dim]. Arguments: {x, context, mask}, of
 * which the last two may be missing: the context is then x. mask [..., queries, keys] says where to attend: not 0. Variables: to_q/w, b;
 * to_kv/k/w, b; to_kv/v/w, b; to_out/submodules/v0/w, b, as of linear layers. */
typedef struct vn_nn_multi_head_attention_opts {
    size_t size;
    int64_t heads;       /* 8 */
    int64_t head_dim;    /* features of a head; 64, or query_dim / heads with no_to_q */
    int64_t context_dim; /* query_dim */
    double dropout;      /* of what to_out gives */
    double scale;        /* of products of queries and keys; 0: 1 / sqrt(head_dim) */
    int no_to_q;         /* x is q */
    int no_to_kv;        /* halves of the context's last axis are k and v */
    int no_to_out;       /* the heads side by side are the result */
    int no_bias;
    int causal;    /* query i attends to keys up to i; not together with a mask */
    int zero_rows; /* a query with nothing to attend to gives zeros (before to_out), not the mean of all v */
    const vn_module_opts *module;
} vn_nn_multi_head_attention_opts;
VN_API vn_module *vn_nn_multi_head_attention(int64_t query_dim, const vn_nn_multi_head_attention_opts *opts);

/* Recurrent layers over x [batch..., steps, in]. Called with an array they give y [batch..., steps, out], of the last layer; called with
 * {x, h, c} (LSTM) or {x, h} (GRU) they give {y, h, c} or {y, h}: the states [layers, batch..., out] after the last step, from those before
 * the first one, which may be missing: zeros. Variables: input/layer_0/w [in, 4 out] (GRU: [in, 3 out]), recurrent/layer_0/w [out, 4 out],
 * input/layer_1/w ..., Glorot uniform; the order of gates is that of vn_lstm and vn_gru. */
typedef struct vn_nn_recurrent_opts {
    size_t size;
    int64_t layers; /* 1 */
    int last_only;  /* y is that of the last step, [batch..., out] */
    int no_state;   /* y alone also for trees */
    int with_bias;  /* input/layer_0/b and recurrent/layer_0/b ..., [4 out] or [3 out], zeros */
    vn_init w_init, b_init;
    const vn_module_opts *module;
} vn_nn_recurrent_opts;
VN_API vn_module *vn_nn_lstm(int64_t in, int64_t out, const vn_nn_recurrent_opts *opts);
VN_API vn_module *vn_nn_gru(int64_t in, int64_t out, const vn_nn_recurrent_opts *opts);

/* One after the other. Variables are named submodules/v0, submodules/v1 ... */
VN_API vn_module *vn_nn_sequential(vn_module *const *modules, int n, const vn_module_opts *opts);
#define VN_SEQUENTIAL(...) \
    vn_nn_sequential((vn_module *const[]){__VA_ARGS__}, (int)(sizeof((vn_module *const[]){__VA_ARGS__}) / sizeof(vn_module *)), NULL)

#ifdef __cplusplus
}
#endif
#endif
