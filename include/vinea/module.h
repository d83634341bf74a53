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

struct vn_module_opts {
    size_t size;
    vn_tree *v;         /* variables to use instead of new ones: names and shapes must be those the module has, or VN_E_STRUCT */
    int with_partial_v; /* v may have some of them only */
    int build_mode;     /* vn_build_mode */
    int no_store;       /* the module keeps no variables: vn_module_build returns them and every call needs them */
    vn_dtype dtype;     /* of new variables; 0: float32 */
};
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
    const vn_tree *v;       /* variables for this call */
    int with_grads;         /* 1: with gradients, -1: the variables are constants, 0: as the gradient mode says */
    vn_module_trace *trace; /* records what the sub-modules do */
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

/* ---- initialisers and layers: objects.h has one function for each ---------------------------------------------------------------- */

/* An array from the thread's random key. Fans matter to those that ask for one; a fan below 1 is then VN_E_ARG. */
VN_API vn_array *vn_init_make(vn_init init, vn_shape shape, int64_t fan_in, int64_t fan_out, vn_dtype dtype);

/* By name, with options by name: vn_nn_make("conv2d", ...), vn_init_named("normal", NULL, 0, &init). Initialisers among the options are
 * texts: "glorot_uniform", "constant(0.5)". */
VN_API vn_module *vn_nn_make(const char *name, const vn_option *options, int n);
VN_API int vn_init_named(const char *name, const vn_option *options, int n, vn_init *to);
/* What can be made by name; family: "layer", "initialiser", "optimizer" or "schedule". An object is described as an op is: name, doc and
 * options; kind is its family. */
VN_API int vn_object_count(const char *family); /* -1 on failure */
VN_API int vn_object_at(const char *family, int i, vn_op_info *info);

/* Any op of the table with one input and one result as a layer, with numbers as options: vn_nn_activation("softsign", NULL, 0). */
VN_API vn_module *vn_nn_activation(const char *op, const vn_option *options, int n_options);
/* One after the other. Variables are named submodules/v0, submodules/v1 ... */
VN_API vn_module *vn_nn_sequential(vn_module *const *modules, int n, const vn_module_opts *opts);
#define VN_SEQUENTIAL(...) \
    vn_nn_sequential((vn_module *const[]){__VA_ARGS__}, (int)(sizeof((vn_module *const[]){__VA_ARGS__}) / sizeof(vn_module *)), NULL)

#ifdef __cplusplus
}
#endif
#endif
