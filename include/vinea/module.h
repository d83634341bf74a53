/* SPDX-License-Identifier: Apache-2.0 */
/* module.h: modules, layers and initialisers. A module has variables, sub-modules and a forward function:
 *
 *     static int build(vn_module *m, const vn_tree *args)
 *     {
 *         vn_module_add(m, "_l0", vn_nn_linear(2, 16));
 *         return vn_module_add(m, "_l1", vn_nn_linear(16, 1));
 *     }
 *     static vn_array *forward(vn_module *m, vn_array *x)
 *     {
 *         return vn_module_run(m, "_l1", vn_tanh(vn_module_run(m, "_l0", x)));
 *     }
 *     static const vn_module_class mlp = {.name = "Mlp", .build = build, .forward = forward};
 *
 *     vn_module *net = vn_module_new(&mlp, NULL, NULL);
 *     vn_array *y = vn_module_call(net, x);
 *
 * Variables. All variables of a module and its sub-modules are in one tree, vn_module_v, which vn_step takes. A sub-module's
 * tree is the sub-tree at its name in the parent's (the same handle). Names are those of the attributes without one leading '_', so "_l0"
 * is "l0"; items of a list are "v0", "v1" ..., entries of a dict have their keys. Attributes that begin with "__" or are NULL are left out.
 *
 * Calls. No tree of variables is passed to forward: it gets its own with vn_module_var, which returns those of the running call.
 * A call with .v runs the whole network with these variables instead, for that call only, which makes a module a function of its
 * variables: for gradients, averages, meta-learning. Running calls are tracked per thread: after its first call, a module that is not in
 * training mode may run in several threads at once.
 *
 * Ownership is that of arrays and trees: what a function returns belongs to the innermost scope. Modules hold references to their
 * sub-modules. */
#ifndef VINEA_MODULE_H
#define VINEA_MODULE_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vn_module_trace vn_module_trace; /* what the sub-modules of a call returned, and in which order */

VN_API vn_module *vn_module_keep(vn_module *m);
VN_API void vn_module_drop(vn_module *m);
VN_API vn_module *vn_module_pass(vn_module *m);

/* ---- creating ------------------------------------------------------------------------------------------------------------------- */

/* What all modules of a class share; it must outlive them. Every function may be NULL, except that one of the two forward functions is
 * required. They run in their own scope. An error inside becomes the call's error. */
typedef struct vn_module_class {
    const char *name VN_UNSET; /* without '/' and '.' */
    size_t self_size VN_UNSET; /* the module holds a copy of this many bytes of `self`; 0: it holds the pointer */
    /* Adds sub-modules and buffers. args are those of the first call, or NULL. Returns VN_OK, a code, or VN_BUILD_PARTIAL. */
    int (*build)(vn_module *m, const vn_tree *args) VN_UNSET;
    /* The module's own variables: any tree of arrays. It may contain the trees of sub-modules under other names. */
    vn_tree *(*create_variables)(vn_module *m, vn_dtype dtype)VN_UNSET;
    vn_array *(*forward)(vn_module *m, vn_array *x)VN_UNSET;
    vn_tree *(*forward_tree)(vn_module *m, const vn_tree *args)VN_UNSET; /* any number of inputs and results */
    void (*free)(
        void *self) VN_UNSET; /* frees what self holds (and self itself if self_size is 0); called once, also if vn_module_new fails */
    int (*adapt)(vn_module *m, vn_array *data) VN_UNSET; /* vn_module_adapt */
    const void *reserved[3] VN_UNSET;
} vn_module_class;
enum { VN_BUILD_PARTIAL = -1 }; /* build is to be called again, by the next call or vn_module_build */

typedef enum vn_build_mode {
    VN_BUILD_ON_INIT = 0,  /* by vn_module_new: sub-modules are added in `build` */
    VN_BUILD_EXPLICIT = 1, /* by vn_module_build */
    VN_BUILD_ON_CALL = 2   /* by the first call, on the engine of its first array and with its dtype */
} vn_build_mode;

struct vn_module_opts {
    size_t size VN_UNSET;
    vn_tree *v VN_UNSET;         /* variables to use instead of new ones: names and shapes must match the module's (VN_E_STRUCT) */
    int with_partial_v VN_UNSET; /* v may contain only some of them */
    int build_mode VN_UNSET;     /* vn_build_mode */
    int no_store VN_UNSET;       /* the module keeps no variables: vn_module_build returns them and every call needs them */
    int reserved VN_UNSET;       /* 0 */
};
VN_API vn_module *vn_module_new(const vn_module_class *cls, void *self, const vn_module_opts *opts);
/* Builds the module unless it is already built, and returns its variables. args (may be NULL) are passed to the class's build. */
VN_API vn_tree *vn_module_build(vn_module *m, const vn_tree *args);

/* Makes a float dtype that of all variables of m and of the modules below it, and returns m. Those that exist are cast, and their handles
 * stay valid; those that are built later are created in it. Buffers of half-precision modules are float32. Without it variables are
 * float32, or what VN_BUILD_ON_CALL says. Optimizers are made after it. On failure nothing changes.
 *     vn_module *net = vn_module_cast(VN_SEQUENTIAL(vn_nn_linear(4, 8), vn_nn_relu(), vn_nn_linear(8, 1)), VN_F64); */
VN_API vn_module *vn_module_cast(vn_module *m, vn_dtype dtype);
VN_API vn_dtype vn_module_dtype(const vn_module *m); /* the one that was given so; VN_NO_DTYPE: none yet */

/* Add sub-modules, until the module is built. NULL children are skipped. Return a code; VN_E_STRUCT if a name is taken or m is
 * itself below the child. */
VN_API int vn_module_add(vn_module *m, const char *name, vn_module *child);
VN_API int vn_module_add_list(vn_module *m, const char *name, vn_module *const *children, int n);
VN_API int vn_module_add_dict(vn_module *m, const char *name, const char *const *keys, vn_module *const *children, int n);

VN_API void *vn_module_self(const vn_module *m);
VN_API const char *vn_module_class_name(const vn_module *m);
VN_API int vn_module_is_built(const vn_module *m);
VN_API int vn_module_build_mode(const vn_module *m); /* vn_build_mode; -1 on failure */
/* A sub-module by its attribute ("_l0") or name in v ("l0", "layers/v1", and further down "dl0/l0"). VN_E_STRUCT if there is none. */
VN_API vn_module *vn_module_child(const vn_module *m, const char *name);

/* ---- variables ---------------------------------------------------------------------------------------------------------------- */

/* The variables: those of the running call, otherwise the module's own. A shared array is in the tree once. */
VN_API vn_tree *vn_module_v(vn_module *m);
VN_API vn_array *vn_module_var(vn_module *m, const char *chain); /* one of them; VN_E_STRUCT if it does not exist */

/* Buffers: state that is not differentiated, such as running means. Add them in build or create_variables; forward sets them: the
 * handle gets the new value, of the same shape and dtype. vn_module_buffers includes those of sub-modules, under their names. */
VN_API int vn_module_add_buffer(vn_module *m, const char *name, vn_array *x);
VN_API vn_array *vn_module_buffer(const vn_module *m, const char *name);
VN_API int vn_module_set_buffer(vn_module *m, const char *name, vn_array *x);
VN_API vn_tree *vn_module_buffers(const vn_module *m);

/* Frozen variables have no gradient: vn_module_value_and_grad returns null for them, which vn_step skips; for other gradient
 * functions they are constants. Applies to everything at or below the chain; "" is all. Return a code: VN_E_STRUCT if the chain does not
 * exist. */
VN_API int vn_module_freeze(vn_module *m, const char *chain);
VN_API int vn_module_unfreeze(vn_module *m, const char *chain);
VN_API vn_tree *vn_module_frozen(const vn_module *m); /* null at the chain of every frozen variable, here and below */

/* Penalties and bounds of variables, by name ("w"; or a chain, "submodules/v0/w"): vn_regularizer_l2(0.01), vn_constraint_max_norm(2) and so on
 * (layers.h), or by text, "l1_l2(0.001, 0.01)". vn_fit adds the penalties of a network to the loss that it minimises and reports for the training (that of
 * validation has none), and applies its constraints after each step. A loop of one's own adds vn_module_penalty(m), a scalar, to its loss, and calls
 * vn_module_apply_constraints(m) after vn_step. The names are checked here if the module is built, otherwise when they are used. */
VN_API int vn_module_regularize(vn_module *m, const char *name, vn_regularizer r);
VN_API int vn_module_constrain(vn_module *m, const char *name, vn_constraint c);
VN_API vn_array *vn_module_penalty(vn_module *m); /* of all modules; 0 if there are none */
VN_API int vn_module_apply_constraints(vn_module *m);
VN_API int vn_regularizer_parse(const char *text, vn_regularizer *to);
VN_API int vn_constraint_parse(const char *text, vn_constraint *to);
VN_API vn_array *vn_regularizer_value(const vn_regularizer *r, vn_array *w); /* the penalty of an array, a scalar */
VN_API vn_array *vn_constraint_value(const vn_constraint *c, vn_array *w);   /* the array that the constraint makes of w */

/* Training mode, for dropout and running means: set for the module and its sub-modules. A new module is in training mode. */
VN_API int vn_module_train(vn_module *m, int training);
VN_API int vn_module_training(const vn_module *m);

/* A copy of variables and buffers as one tree, {v, buffers}. Setting it gives the module's arrays these values (handles stay valid); names,
 * shapes and dtypes must be the same. On failure nothing changes. */
VN_API vn_tree *vn_module_state(vn_module *m);
VN_API int vn_module_set_state(vn_module *m, const vn_tree *state);

/* ---- calling ------------------------------------------------------------------------------------------------------------------ */

typedef struct vn_module_call_opts {
    size_t size VN_UNSET;
    const vn_tree *v VN_UNSET;       /* variables for this call */
    int with_grads VN_UNSET;         /* 1: with gradients, -1: the variables are constants, 0: as the gradient mode says */
    int reserved VN_UNSET;           /* 0 */
    vn_module_trace *trace VN_UNSET; /* records what the sub-modules do */
} vn_module_call_opts;
/* A class that has only forward_tree gets {x: x}, and must return a tree with one array. */
VN_API vn_array *vn_module_call(vn_module *m, vn_array *x, const vn_module_call_opts *opts VN_OR(NULL));
/* A class that has only forward takes one array in args; the result is {y: y}. */
VN_API vn_tree *vn_module_call_tree(vn_module *m, const vn_tree *args, const vn_module_call_opts *opts VN_OR(NULL));
/* For forward functions: calls a sub-module. */
VN_API vn_array *vn_module_run(vn_module *m, const char *child, vn_array *x);

/* The loss that fn computes by calling m, and its gradients as a tree with the structure of vn_module_v(m), for
 * vn_step(o, vn_module_v(m), grads), which also evaluates the module's buffers. */
typedef vn_array *(*vn_module_loss_fn)(vn_module *m, void *data);
VN_API vn_array *vn_module_value_and_grad(vn_module *m, vn_module_loss_fn fn, void *data, vn_tree **grads);

/* ---- ancestors and sub-modules ------------------------------------------------------------------------------------------------------ */

/* `depth` is a number of levels; -1 is no limit. The parent of a module that was added to several is the first of them. */
VN_API vn_module *
vn_module_top_mod(const vn_module *m,
                  int depth); /* the ancestor `depth` levels up, at most the root; NULL without an error for the root itself */
VN_API int vn_module_mod_depth(const vn_module *m);  /* the number of ancestors; -1 on failure */
VN_API int vn_module_mod_height(const vn_module *m); /* the longest path down to a module without sub-modules */
/* One space per level, the class's name and the module's number among those of that class below the root: " Linear_1". */
VN_API const char *vn_module_get_mod_key(const vn_module *m);

typedef struct vn_module_look_opts {
    size_t size VN_UNSET;
    int no_v VN_UNSET;    /* sub_mods: null instead of the variables */
    int flatten VN_UNSET; /* one level: keys joined by "__" */
} vn_module_look_opts;
VN_API vn_tree *vn_module_top_v(const vn_module *m, int depth,
                                const vn_module_look_opts *opts VN_OR(NULL)); /* NULL without an error for the root */
/* The sub-modules by key (without spaces), nested; the innermost entries are their variables. Depth 0 is vn_module_v itself. */
VN_API vn_tree *vn_module_sub_mods(vn_module *m, int depth, const vn_module_look_opts *opts VN_OR(NULL));
/* The module's variables at the chain they have in top_v(depth). */
VN_API vn_tree *vn_module_v_with_top_v_key_chains(vn_module *m, int depth, const vn_module_look_opts *opts VN_OR(NULL));
/* The module's path: the keys from the ancestor `depth` levels up down to the module, "Net_0/Block_0/Linear_1". */
VN_API const char *vn_module_path(const vn_module *m, int depth, const vn_module_look_opts *opts VN_OR(NULL));
/* As text: the ancestor's variables or sub-modules, with only this module shown; and everything below a module. */
VN_API const char *vn_module_show_v_in_top_v(vn_module *m, int depth);
VN_API const char *vn_module_show_mod_in_top_mod(vn_module *m, int depth);
VN_API const char *vn_module_show_structure(vn_module *m);
/* A table of the modules that a call with x runs: shapes of their results, variables and bytes. Nothing is computed and no buffer
 * changes. */
VN_API const char *vn_module_summary(vn_module *m, vn_array *x);

/* ---- tracing a call ----------------------------------------------------------------------------------------------------------- */

typedef struct vn_module_trace_opts {
    size_t size VN_UNSET;
    int rets VN_UNSET;                  /* keep what sub-modules return */
    int call_order VN_UNSET;            /* keep the order of calls */
    int depth VN_UNSET;                 /* down to this mod_depth; 0: all */
    int reserved VN_UNSET;              /* 0 */
    vn_module *const *submods VN_UNSET; /* only these; NULL: all */
    int n_submods VN_UNSET;
    int reserved2 VN_UNSET;           /* 0 */
    const vn_tree *expected VN_UNSET; /* what sub-modules must return, by key, or VN_E_ARG: see below */
} vn_module_trace_opts;
/* A trace for vn_module_call_opts; it records the last call made with it. */
VN_API vn_module_trace *vn_module_trace_new(const vn_module_trace_opts *opts);
VN_API vn_module_trace *vn_module_trace_keep(vn_module_trace *t);
VN_API void vn_module_trace_drop(vn_module_trace *t);
VN_API vn_module_trace *vn_module_trace_pass(vn_module_trace *t);
/* Key of a sub-module -> list of its results, one per call, computed and moved to the native engine. It can be passed as `expected`,
 * where null and absent keys are not compared, keys may lack their spaces, and {val: list, atol: number
 * or list of numbers, rtol: the same} may replace a list. Equal means |a - b| <= atol + rtol |b|, with defaults 1e-8 and 1e-5. */
VN_API vn_tree *vn_module_trace_submod_rets(const vn_module_trace *t);
/* {Root_0_0: {Block_0_0: {...}, Block_0_1: {...}}}: keys without spaces, and the number of the call under its caller. Where the
 * trace ends (depth, listed modules, no sub-modules) it has copies of the module's variables, flattened. */
VN_API vn_tree *vn_module_trace_submod_call_order(const vn_module_trace *t);

/* ---- initialisers and layers: layers.h has one function for each ----------------------------------------------------------------- */

/* An array from the thread's random key. Fans matter to those that ask for one; a fan below 1 is then VN_E_ARG. */
VN_API vn_array *vn_init_array(vn_init init, vn_shape shape, int64_t fan_in, int64_t fan_out, vn_dtype dtype);

/* By name, with options by name: vn_nn_make("conv2d", ...), vn_init_make("normal", NULL, 0, &init). Names match in any case. Initialisers
 * among the options are texts: "glorot_uniform", "constant(0.5)", "uniform(6, 0.5, fan=out)". */
VN_API vn_module *vn_nn_make(const char *name, const vn_option *options, int n);
VN_API int vn_init_make(const char *name, const vn_option *options, int n, vn_init *to);
/* What can be made by name; family: "layer", "initialiser", "regularizer", "constraint", "optimizer", "transformation", "schedule", "loss" or "metric". An object is described as an op
 * is: name, doc and options; kind is its family; dtypes is VN_INTS for a layer of integers. */
VN_API int vn_object_count(const char *family); /* -1 on failure */
VN_API int vn_object_at(const char *family, int i, vn_op_info *info);
/* An initialiser, loss or metric as the text that model files, vn_fit and the command line read, and that makes the same again: the name
 * and, in brackets, what is not a default. "uniform(6, 0.5, fan=out)". NULL on failure; options that are lists are VN_E_UNSUPPORTED. */
VN_API const char *vn_object_text(const char *family, const char *name, const vn_option *options, int n);

/* One array of a tree: its path, shape and initialiser. */
typedef struct vn_tree_spec {
    const char *path VN_UNSET; /* "encoder/w"; trees on the way are made */
    vn_shape shape VN_UNSET;
    vn_init init VN_UNSET;                     /* a zeroed one: zeros */
    int64_t fan_in VN_UNSET, fan_out VN_UNSET; /* as for vn_init_array */
} vn_tree_spec;
/* A tree of n arrays. Each is sampled from vn_random_named(key, path), so its numbers do not depend on the other arrays or their order.
 * key: VN_NONE is the thread's next one.
 *
 *     const vn_tree_spec specs[] = {{"w", VN_SHAPE(10, 64), vn_init_glorot_uniform(), 64, 10}, {.path = "b", .shape = VN_SHAPE(10)}};
 *     vn_tree *p = vn_tree_init(VN_NONE, 2, specs, VN_F32); */
VN_API vn_tree *vn_tree_init(vn_array *key, int n, const vn_tree_spec *specs, vn_dtype dtype);

/* Any op of the table with one input and one result as a layer, with numbers as options: vn_nn_activation("softsign", NULL, 0). */
VN_API vn_module *vn_nn_activation(const char *op, const vn_option *options, int n_options);
/* One after the other. Variables are named submodules/v0, submodules/v1 ... */
VN_API vn_module *vn_nn_sequential(vn_module *const *modules, int n, const vn_module_opts *opts);
/* The same with names, one for each module, instead of v0, v1 ...: submodules/encoder, submodules/head ... */
VN_API vn_module *vn_nn_sequential_named(vn_module *const *modules, const char *const *names, int n, const vn_module_opts *opts);

/* Recurrent networks over any cell. A cell is a module that makes {y, states} of {x, states}, for one step: x is (batch, ...), states are arrays
 * (batch, ...) of any names, and those that are missing are zeros: vn_nn_lstm_cell and its kin, a module of one's own, or a layer without states,
 * which is then applied to every step.
 *
 *     vn_tree *out = vn_module_steps(vn_nn_gru_cell(8, 16), vn_tree_of("x", x, "lengths", lengths, NULL));
 *
 * args: x (batch, steps, ...); states, if they begin with other numbers than the cell's; lengths (batch), integers: the steps of each sequence,
 * at least 0 and at most all of them. After its end a sequence gives zeros and keeps its states. Gives {y (batch, steps, ...), states after the
 * last step}. Every step is recorded: a program grows with the number of steps. */
typedef struct vn_module_steps_opts {
    size_t size VN_UNSET;
    int last_only VN_UNSET; /* y is that of the last step, (batch, ...) */
    int reverse VN_UNSET;   /* from the last step of each sequence to its first */
} vn_module_steps_opts;
VN_API vn_tree *vn_module_steps(vn_module *cell, const vn_tree *args, const vn_module_steps_opts *opts VN_OR(NULL));
/* The same as a layer. Called with an array it gives y. Variables: cell/... */
VN_API vn_module *vn_nn_recurrence(vn_module *cell, const vn_module_steps_opts *opts VN_OR(NULL));

/* Calls a function with m and every module below it, parents first, until one call is not 0, which is returned; -1 on failure. */
typedef int (*vn_module_fn)(vn_module *m, const char *path, void *user);
VN_API int vn_module_apply(vn_module *m, vn_module_fn fn, void *user);

/* Computes the buffers that a layer takes from data instead of training: the mean and variance of a normalization of data [..., size], over all axes but
 * the last; the vocabulary of a lookup, the most frequent integers, the larger of two as frequent first; the boundaries of a discretization. */
VN_API int vn_module_adapt(vn_module *m, vn_array *data);
#ifndef __cplusplus
#define VN_SEQUENTIAL(...) \
    vn_nn_sequential((vn_module *const[]){__VA_ARGS__}, (int)(sizeof((vn_module *const[]){__VA_ARGS__}) / sizeof(vn_module *)), NULL)
#endif

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_module_call(...) vn_module_call(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_module_call_tree(...) vn_module_call_tree(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_module_top_v(...) vn_module_top_v(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_module_sub_mods(...) vn_module_sub_mods(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_module_v_with_top_v_key_chains(...) vn_module_v_with_top_v_key_chains(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_module_path(...) vn_module_path(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_module_steps(...) vn_module_steps(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_nn_recurrence(...) vn_nn_recurrence(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#endif

#endif
