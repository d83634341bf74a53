/* SPDX-License-Identifier: Apache-2.0 */
/* vinea.h: one machine-learning API in C, many engines.
 *
 * A program written against this header runs on Vinea's own native engine, or on PyTorch, TensorFlow, JAX or NumPy, selected at run time:
 *
 *     if (vn_use("native")) return fprintf(stderr, "%s\n", vn_message()), 1;    // or "torch", "jax", "tensorflow", "numpy"
 *     vn_array *x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
 *     vn_array *y = vn_tanh(vn_add(vn_mul(x, vn_scalar(2)), vn_scalar(1)));
 *     printf("%g\n", vn_item(vn_mean(y, VN_ALL)));
 *     return vn_close();
 *
 * Four things to know:
 * 1. Evaluation is lazy. A call such as vn_add checks its arguments, determines the result's shape and dtype, and records the op; values
 *    are computed when they are needed: by vn_eval, reading, printing, vn_to, vn_step. So an engine sees whole programs.
 * 2. Scopes own objects. What a call returns belongs to the innermost scope and lives until that scope closes. vn_keep and vn_drop extend
 *    its life, and `return vn_pass(y);` moves a result to the enclosing scope. Nothing is freed by hand.
 * 3. Errors are sticky. A failed call returns NULL and the thread keeps its first error; a call given NULL returns NULL. Check vn_status()
 *    once, at the end. The library never exits, aborts or prints.
 * 4. Values are immutable. A vn_array is a handle to a value. vn_into(h, y) gives h a new value; arrays computed from h before keep theirs.
 *
 * The header compiles as C11 and as C++11 and later, with gcc and clang; vinea.hpp adds classes, operators and exceptions for C++. Section
 * 1 is enough for most programs. */
#ifndef VINEA_H
#define VINEA_H

#include <stdio.h>
#include <vinea/calls.h>
#include <vinea/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VINEA_VERSION_MAJOR 0
#define VINEA_VERSION_MINOR 2
#define VINEA_VERSION_PATCH 0

#if defined(VINEA_BUILD) && defined(__GNUC__)
#define VN_API __attribute__((visibility("default")))
#else
#define VN_API
#endif

/* A variable that calls a function where its block ends. Not every compiler can; some C libraries define __attribute__ away for those. */
#if defined(__GNUC__)
#define VN__CLEANUP(fn) __attribute__((cleanup(fn), unused))
#endif

typedef struct vn_array vn_array; /* an n-dimensional array, pending or computed */
typedef struct vn_tree vn_tree;   /* names -> arrays, trees, numbers or null: parameters, gradients, state */
typedef struct vn_optim vn_optim; /* an optimizer with its state */
typedef struct vn_fn vn_fn;       /* a function with a custom gradient, or a captured function */

typedef struct vn_module vn_module; /* a layer or network (module.h) */
/* Called while a file is read, with the part that is done, 0 to 1. A nonzero result stops the reading: VN_E_CALLBACK. */
typedef int (*vn_read_fn)(double done, void *user);
typedef struct vn_note vn_note;               /* a key and a text in a file or report (files.h) */
typedef struct vn_module_opts vn_module_opts; /* options that all modules share */

/* How an array begins; plain data. A zeroed one stands for a layer's default. */
typedef struct vn_init {
    int32_t kind; /* 0: none is given; negative: it failed to be made, and what takes it fails; so for the next three */
    int32_t fan;  /* in, out, sum, avg: 0 to 3 */
    double mean;  /* also the value of a constant */
    double scale; /* uniform: the numerator; normal: the standard deviation, or the numerator of its square */
    double power, gain;
} vn_init;

/* The learning rate as a function of the step; plain data (nn.h). */
typedef double (*vn_schedule_fn)(int64_t step, void *user);
typedef struct vn_schedule {
    int32_t kind;
    double rate, last, factor, warm;
    int64_t steps, every, warm_steps;
    vn_schedule_fn fn;
    void *user;
} vn_schedule;

/* A loss and a metric of the table, for vn_fit, vn_evaluate and loops of one's own; plain data (losses.h, train.h). */
typedef struct vn_loss {
    int32_t kind;
    double value[8]; /* its options */
} vn_loss;
typedef struct vn_metric {
    int32_t kind;
    double value[8];
} vn_metric;

/* A penalty on weights and a bound of weights of the table, for vn_module_regularize and vn_module_constrain; plain data (layers.h, module.h). */
typedef struct vn_regularizer {
    int32_t kind;
    double value[4]; /* its options */
} vn_regularizer;
typedef struct vn_constraint {
    int32_t kind;
    double value[4];
} vn_constraint;

/* ---- shapes and axes ---------------------------------------------------------------------------------------------------------- */

typedef struct vn_shape {
    int32_t rank; /* above VN_MAX_RANK: an error when it is used */
    int64_t dim[VN_MAX_RANK];
} vn_shape;

typedef struct vn_axes {
    int32_t n;    /* -1: all axes */
    int32_t keep; /* keepdims: reduced axes stay, with size 1 */
    int64_t axis[VN_MAX_RANK];
} vn_axes;

#ifdef VINEA_BUILD /* the library has one copy, in src/core/array.c */
#define VN__INLINE inline
#else
#define VN__INLINE static inline
#endif
VN__INLINE vn_shape vn__shape(const int64_t *dim, size_t rank)
{
    vn_shape s = {0, {0}};
    s.rank = (int32_t)(rank > VN_MAX_RANK ? VN_MAX_RANK + 1 : rank);
    for (size_t i = 0; i < rank && i < VN_MAX_RANK; i++) s.dim[i] = dim[i];
    return s;
}

VN__INLINE vn_axes vn__axes(const int64_t *axis, size_t n, int keep)
{
    vn_axes a = {0, 0, {0}};
    a.n = n == SIZE_MAX ? -1 : n > VN_MAX_RANK ? VN_MAX_RANK + 1 : (int32_t)n;
    a.keep = keep;
    for (size_t i = 0; a.n > 0 && i < n && i < VN_MAX_RANK; i++) a.axis[i] = axis[i];
    return a;
}

#ifndef __cplusplus /* cplusplus.h has the macros for C++ */
#define VN__COUNT(...) (sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define VN_SHAPE(...) vn__shape((const int64_t[]){__VA_ARGS__}, VN__COUNT(__VA_ARGS__))
#define VN_AXES(...) vn__axes((const int64_t[]){__VA_ARGS__}, VN__COUNT(__VA_ARGS__), 0)
#define VN_KEEP(...) vn__axes((const int64_t[]){__VA_ARGS__}, VN__COUNT(__VA_ARGS__), 1)
#endif
#define VN_0D vn__shape(NULL, 0)           /* the shape of a single number */
#define VN_LIST(...) VN_SHAPE(__VA_ARGS__) /* a list of numbers, such as strides */
#define VN_DEFAULT VN_0D                   /* the default of a list option */
#define VN_ALL vn__axes(NULL, SIZE_MAX, 0) /* reduce over everything */
#define VN_ALL_KEEP vn__axes(NULL, SIZE_MAX, 1)

/* Options by name: vn_conv2d(x, w, VN_NONE, VN_OPTS(conv2d, .strides = {2, 2}, .padding = "SAME")). A field that is not named, or zero, has
 * its default; NULL means all defaults. Where 0 itself is wanted and is not the default, write VN_ZERO: it is 0 wherever an
 * op, layer, initialiser, optimizer, schedule, loss or metric has a number as an option: as a field, as a parameter and by name (but for
 * vn_call("arange"), whose integers are exact). Field by field:
 * vn_conv2d_opts o = VN_INIT(conv2d); o.groups = 2; vn_conv2d(x, w, VN_NONE, &o). C++ names fields in the struct's order.
 * A call may end before what has a default, which the headers write as VN_OR: vn_cross_entropy(logits, labels), vn_nn_linear(64, 10), calls.h.
 * Ops with equal options share one struct, with a name for each: vn_conv1d_opts and vn_conv2d_opts are one type. Options of an op with
 * other fields are another type, which compilers refuse (C++ always, C with -Werror=incompatible-pointer-types).
 *
 * An object that failed to be made is never replaced by a default. An initialiser, schedule, loss or metric says so itself. An optimizer,
 * dataset, module, tree or trace is then NULL, as it is when it is not given; the thread's error tells them apart: while it is set, options
 * in which such an object is NULL are refused. Checkpoints are not: what there is can be saved after an error.
 *
 * Structs grow at their end, and have no padding: what would be padding is a field called reserved, to be left 0, as VN_OPTS and VN_INIT do.
 * So a program keeps working with a newer library: fields that it does not know have their defaults. One that is newer than the library
 * gets an error where it uses a field that the library does not know. */
#define VN_ZERO INT64_MIN
#ifndef __cplusplus
#define VN_INIT(name)                    \
    {                                    \
        .size = sizeof(vn_##name##_opts) \
    }
#define VN_OPTS(name, ...) (&(vn_##name##_opts){.size = sizeof(vn_##name##_opts), __VA_ARGS__})
#endif

/* ---- 1. the simple part ------------------------------------------------------------------------------------------------------- */

/* Selects the engine for new arrays of this thread. NULL or "": that of the process. Returns a code. After a failure no
 * array can be made until another engine is selected or the error is cleared. */
VN_API int vn_use(const char *engine);
/* The engine of the process: of all threads that selected none, also those that have made arrays already. NULL or "", and until it is
 * called: native. A failure changes nothing. The last vn_close forgets it. */
VN_API int vn_use_everywhere(const char *engine);
VN_API const char *vn_using(void);

/* Ends this thread's use of the library: closes its scopes, drops its state and returns the code of its first error (0: none).
 * When the last thread closes, caches, threads and the native engine's memory are freed. The library may be used again afterwards. */
VN_API int vn_close(void);

/* The thread's first error since the start or the last vn_clear. The message is valid until the error changes. */
VN_API vn_code vn_status(void);
VN_API const char *vn_message(void);
VN_API void vn_clear(void);
/* Code that may fail goes between push and pop; pop returns the code of its first error and clears it. */
VN_API int vn_error_push(void);
VN_API vn_code vn_error_pop(void);
VN_API const char *vn_code_name(vn_code code); /* "VN_E_SHAPE" */

/* Scopes. `VN_SCOPE;` is a declaration: the scope closes where its block ends. vn_scope_begin and vn_scope_end do the same; closing a
 * scope closes inner scopes that are still open. */
typedef int64_t vn_scope;
VN_API vn_scope vn_scope_begin(void);
VN_API int vn_scope_end(vn_scope scope);
VN_API void vn__scope_leave(vn_scope *scope);
#define VN__JOIN2(a, b) a##b
#define VN__JOIN(a, b) VN__JOIN2(a, b)
#ifndef __cplusplus
#ifdef VN__CLEANUP
#define VN_SCOPE vn_scope VN__JOIN(vn__scope_, __LINE__) VN__CLEANUP(vn__scope_leave) = vn_scope_begin()
#else
#define VN_SCOPE _Static_assert(0, "VN_SCOPE needs a compiler with the cleanup attribute: use vn_scope_begin and vn_scope_end")
#endif
#endif

VN_API vn_array *vn_keep(vn_array *x); /* takes a reference that is yours until vn_drop */
VN_API void vn_drop(vn_array *x);      /* releases one reference; NULL is ignored */
VN_API vn_array *vn_pass(vn_array *x); /* moves x from the innermost scope to the enclosing one */
VN_API vn_array *vn_own(vn_array *x);  /* vn_keep for an array just made, which leaves the innermost scope: it is yours alone */
VN_API vn_tree *vn_tree_keep(vn_tree *t);
VN_API void vn_tree_drop(vn_tree *t);
VN_API vn_tree *vn_tree_pass(vn_tree *t);
VN_API vn_optim *vn_optim_keep(vn_optim *o);
VN_API void vn_optim_drop(vn_optim *o);
VN_API vn_fn *vn_fn_keep(vn_fn *f);
VN_API void vn_fn_drop(vn_fn *f);

/* Arrays from host data: row-major. vn_from and vn_from_host copy. vn_zeros, vn_full, vn_arange and others are ops (ops.h). */
VN_API vn_array *vn_from(const float *data, vn_shape shape);
VN_API vn_array *vn_from_host(const void *data, vn_dtype dtype, vn_shape shape);
/* An absent array, for an op's optional inputs. NULL never means absent: it is the result of a failed call. */
#define VN_NONE vn_none()
VN_API vn_array *vn_none(void);
/* A number in an expression: a weak 0-d array that takes the other operand's dtype; its value is an input of the program. Integers and
 * complex numbers are exact; a complex number makes float32 complex64 and float64 complex128. A number that the dtype cannot hold is an
 * error. */
VN_API vn_array *vn_scalar(double value);
VN_API vn_array *vn_scalar_int(int64_t value);
VN_API vn_array *vn_scalar_uint(uint64_t value);
VN_API vn_array *vn_scalar_complex(double re, double im);

/* Properties of an array; none of them needs evaluation. On NULL: -1, an empty shape, VN_NO_DTYPE. */
VN_API int vn_rank(const vn_array *x);
VN_API int64_t vn_dim(const vn_array *x, int axis); /* negative axes count from the end */
VN_API int64_t vn_size(const vn_array *x);
VN_API vn_shape vn_shape_of(const vn_array *x);
VN_API vn_dtype vn_dtype_of(const vn_array *x);
VN_API const char *vn_engine_of(const vn_array *x);
VN_API int vn_is_ready(const vn_array *x);
VN_API const char *vn_dtype_name(vn_dtype dtype);
VN_API size_t vn_dtype_size(vn_dtype dtype);

/* Values. vn_item reads an array of one element (NaN on failure, so that a loop that waits for a small loss ends), vn_item_complex the real
 * and imaginary part of one; vn_read copies exactly `bytes` bytes; vn_data returns a pointer that is valid while x lives. */
VN_API double vn_item(vn_array *x);
VN_API int64_t vn_item_int(vn_array *x); /* floats are converted as by vn_cast; 0 on failure */
VN_API int vn_item_complex(vn_array *x, double out[2]);
VN_API int vn_read(vn_array *x, void *to, size_t bytes);
VN_API const void *vn_data(vn_array *x);
VN_API const char *vn_text(vn_array *x); /* formatted as by NumPy; valid until the thread's next vn_text or vn_explain */
/* The same with commas, and lines after the first begin `indent` columns further in: what NumPy's repr has between its brackets. */
VN_API const char *vn_text_as_list(vn_array *x, int indent);
VN_API int vn_fprint(FILE *to, vn_array *x);

/* Computes arrays together, as one program. */
VN_API int vn_eval(int n, vn_array *const *arrays);

/* How exactly this thread computes float32 products (matmul, linear, convolutions, attention, recurrent layers) from now on, also those
 * that are recorded but not yet evaluated. The modes, the most exact first, and how far a product of two numbers may be off:
 *     "exact"   the default: float32
 *     "split"   each factor in three bfloat16 parts, about as exact as float32
 *     "fast"    each factor in two bfloat16 parts, 2^-14
 *     "tf32"    factors rounded to 11 significant bits, 2^-10
 *     "bf16"    factors rounded to bfloat16, 8 significant bits, 2^-7
 * Sums are float32 in every mode. It is a permission: an engine without the mode takes the next more exact one that it has (vn_explain and
 * vn_engine_describe say which), and may compute any product more exactly. Products of other dtypes are not affected. NULL or "" is the
 * default, and vn_close restores it. */
VN_API int vn_matmul_precision(const char *mode);
VN_API const char *vn_matmul_precision_mode(void); /* of this thread */

/* Mixed precision, until the end of the innermost scope: products (matmul, linear, convolutions, attention, recurrent layers) compute in
 * a half-precision dtype, VN_BF16 or VN_F16, to which their float32 inputs are cast. Ops that lose too many digits there (losses, norms, softmax,
 * sums, exp, log, linear algebra) take half precision as float32. All others compute in the dtype of their inputs, so parameters stay
 * float32, and so do their gradients. Ops that gradients and optimizers record are not affected. VN_NO_DTYPE switches it off for the rest of the scope.
 *     VN_SCOPE;
 *     vn_autocast(VN_BF16);
 *     vn_array *loss = vn_value_and_grad(loss_of, p, data, &grads);
 * float16 has a small exponent range: scale the loss (vn_loss_scale in optimizers.h). float64 and complex inputs are left as they are. */
VN_API int vn_autocast(vn_dtype dtype);
VN_API vn_dtype vn_autocast_dtype(void); /* of this thread now; VN_NO_DTYPE: off */

/* Random numbers, bitwise equal on all engines, from the thread's key, which vn_seed sets. Parameters out of range are errors. The
 * corresponding ops in ops.h take a key and arrays of parameters, and support other dtypes. */
VN_API int vn_seed(uint64_t seed);
/* The state of the thread's random numbers, to continue from later. */
VN_API int vn_random_state(uint64_t state[2]);
VN_API int vn_random_set_state(const uint64_t state[2]);
VN_API vn_array *vn_random_uniform(double low, double high, vn_shape shape); /* in [low, high), float32 */
VN_API vn_array *vn_random_normal(double mean, double std, vn_shape shape);
VN_API vn_array *vn_random_truncated_normal(double low, double high, vn_shape shape); /* standard normal, between low and high */
VN_API vn_array *vn_random_exponential(double rate, vn_shape shape);                  /* mean 1 / rate */
VN_API vn_array *vn_random_gamma(double alpha, vn_shape shape);
VN_API vn_array *vn_random_beta(double a, double b, vn_shape shape);
VN_API vn_array *vn_random_bernoulli(double p, vn_shape shape);                /* bool */
VN_API vn_array *vn_random_poisson(double rate, vn_shape shape);               /* int64, as all below */
VN_API vn_array *vn_random_randint(int64_t low, int64_t high, vn_shape shape); /* in [low, high) */
VN_API vn_array *vn_random_permutation(int64_t n);                             /* 0 to n-1 in random order */
struct vn_multinomial_opts;                                                    /* ops.h; NULL: with replacement */
VN_API vn_array *vn_random_multinomial(vn_array *weights, int64_t samples,
                                       const struct vn_multinomial_opts *opts); /* (..., n) to indices (..., samples) */
VN_API vn_array *vn_random_categorical(vn_array *logits);                       /* (..., n) to indices (...) */
VN_API vn_array *vn_random_shuffle(vn_array *x);                                /* x with its rows in random order */
VN_API vn_array *
vn_random_key(void); /* the thread's next key (uint64, 2), for the ops that take one; refused while a function is captured */
VN_API vn_array *vn_random_key_of(uint64_t seed); /* a key that depends only on the seed */
VN_API vn_array *vn_random_named(vn_array *key,
                                 const char *name); /* a key that depends on a key and a name, in whatever order it is made */

/* Trees: keys joined by '/' (or '.') reach into nested trees. tree.h has vn_tree_new(opts) and the other functions of trees. */
VN_API vn_tree *vn_tree_of(const char *key, ...); /* "w", array, "b", array, NULL */
VN_API int vn_tree_set(vn_tree *t, const char *key, vn_array *x);
VN_API int vn_tree_set_tree(vn_tree *t, const char *key, vn_tree *sub);
VN_API vn_array *vn_tree_get(const vn_tree *t, const char *key);
VN_API vn_tree *vn_tree_get_tree(const vn_tree *t, const char *key);
VN_API int vn_tree_has(const vn_tree *t, const char *key);
VN_API int vn_tree_leaves(const vn_tree *t);                  /* the number of arrays */
VN_API vn_array *vn_tree_leaf(const vn_tree *t, int i);       /* depth first, in key order */
VN_API const char *vn_tree_leaf_key(const vn_tree *t, int i); /* its key chain "a/b"; valid until the thread's next call */

/* Gradients. fn computes a scalar loss from the parameters; the gradients are returned as a tree with the structure of p, NULL on
 * failure. */
typedef vn_array *(*vn_loss_fn)(const vn_tree *p, void *data);
VN_API vn_array *vn_value_and_grad(vn_loss_fn fn, const vn_tree *p, void *data, vn_tree **grads);

/* Optimizers (vn_sgd, vn_adam ... in optimizers.h): vn_step replaces the leaves of p and evaluates parameters, gradients and the loss they
 * belong to as one program. A null gradient leaves its parameter alone. A composition that would move a parameter up its gradient is
 * refused, and so is a line search (vn_optim_minimize in nn.h). */
VN_API int vn_step(vn_optim *o, vn_tree *p, const vn_tree *grads);
VN_API int vn_optim_set_lr(vn_optim *o, double lr);
VN_API int64_t vn_optim_steps(const vn_optim *o);

/* ---- 2. the full part --------------------------------------------------------------------------------------------------------- */

/* Aliases host memory, which must not change until release(user) is called, once, possibly from another thread. Bools are copied, since
 * bytes other than 0 and 1 that are written later could not be refused. */
VN_API vn_array *vn_wrap(const void *data, vn_dtype dtype, vn_shape shape, void (*release)(void *user), void *user);
/* DLPack. Import aliases the memory, unless it holds bools, and calls the tensor's deleter when it is no longer used (also on failure: the
 * tensor is always consumed). Export evaluates and holds a reference: read-only in the versioned form, a copy in the old form, which has no
 * such flag. The forms that copy leave memory of their own on both sides: each may change it. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;
VN_API vn_array *vn_from_dlpack(struct DLManagedTensorVersioned *tensor);
VN_API vn_array *vn_from_dlpack_old(struct DLManagedTensor *tensor);
VN_API vn_array *vn_from_dlpack_copy(struct DLManagedTensorVersioned *tensor);
VN_API vn_array *vn_from_dlpack_old_copy(struct DLManagedTensor *tensor);
VN_API struct DLManagedTensorVersioned *vn_to_dlpack(vn_array *x);
VN_API struct DLManagedTensorVersioned *vn_to_dlpack_copy(vn_array *x);
VN_API struct DLManagedTensor *vn_to_dlpack_old(vn_array *x);

/* Gives handle h the value of y (shape, dtype and engine must be the same). Returns h. */
VN_API vn_array *vn_into(vn_array *h, vn_array *y);
/* Another handle to the value that x has now, which it keeps whatever x gets. */
VN_API vn_array *vn_alias(vn_array *x);
/* How often x got another value: by vn_into, an optimizer's step, reading a file into a module. -1 on failure. */
VN_API int64_t vn_changes(const vn_array *x);
/* A block of x; out of range is an error. (vn_slice in ops.h takes the start as an array and clamps it.) All starts share one
 * program. */
VN_API vn_array *vn_slice_at(vn_array *x, vn_shape start, vn_shape size);
VN_API vn_array *vn_rows(vn_array *x, int64_t first, int64_t n); /* the same for n entries of the first axis, whole: x[first : first + n] */
/* Functions with several results: they write n arrays to out and return a code; on failure the arrays are NULL. */
VN_API int vn_split(vn_array *x, int n, const int64_t *sizes, int64_t axis, vn_array **out); /* consecutive pieces of x */
VN_API int vn_unstack(vn_array *x, int n, int64_t axis, vn_array **out); /* n is the size of the axis, which is removed */
typedef struct vn_meshgrid_opts {
    size_t size VN_UNSET;
    const char *indexing VN_UNSET; /* "ij": vector k along axis k; "xy", the default: the first two axes swapped */
} vn_meshgrid_opts;
VN_API int vn_meshgrid(int n, vn_array *const *xs, const vn_meshgrid_opts *opts, vn_array **out); /* n vectors as arrays of n axes */
VN_API int vn_broadcast_arrays(int n, vn_array *const *xs, vn_array **out);                       /* all broadcast to their common shape */
/* Moves x to another engine; evaluates x; differentiable. */
VN_API vn_array *vn_to(vn_array *x, const char *engine);

/* Gradients on recorded nodes: vn_variable (ops.h) creates a leaf, vn_grad differentiates what was computed from it. The loss is
 * real; its gradient with respect to a complex a + ib is dL/da + i dL/db, so that a step against it descends.
 * wrt is a variable or was computed from one; a variable that the loss does not use has a gradient of zeros. */
VN_API int vn_is_variable(const vn_array *x);
VN_API int vn_has_history(const vn_array *x);   /* a variable, or computed from one while gradients were on */
VN_API vn_array *vn_variable_data(vn_array *x); /* the values, without history */
VN_API vn_array *vn_grad(vn_array *loss, vn_array *wrt);
typedef struct vn_grad_opts {
    size_t size VN_UNSET;
    vn_array *cotangent VN_UNSET; /* of loss, which then has any shape, and this is its shape and dtype: ct times the Jacobian. NULL: 1 */
    int retain VN_UNSET;          /* the gradients stay differentiable */
    int reserved VN_UNSET;        /* 0 */
} vn_grad_opts;
VN_API int vn_grads(vn_array *loss, int n, vn_array *const *wrt, const vn_grad_opts *opts, vn_array **grads);

/* Gradients of functions of one array. x must be a float or complex array; results have no history. */
typedef vn_array *(*vn_array_fn)(vn_array *x, void *user);
VN_API vn_array *vn_grad_of(vn_array_fn fn, vn_array *x, void *user);                            /* of a scalar result; the shape of x */
VN_API vn_array *vn_jac_of(vn_array_fn fn, vn_array *x, void *user);                             /* y.shape + x.shape */
VN_API vn_array *vn_hessian_of(vn_array_fn fn, vn_array *x, void *user);                         /* of a scalar result; x.shape + x.shape */
VN_API vn_array *vn_vjp_of(vn_array_fn fn, vn_array *x, vn_array *ct, void *user, vn_array **y); /* ct times the Jacobian; y may be NULL */
VN_API vn_array *vn_jvp_of(vn_array_fn fn, vn_array *x, vn_array *tangent, void *user, vn_array **y); /* the Jacobian times tangent */

/* A function with a custom gradient: rule gets the input, the output and the gradient of the loss with respect to the output, and
 * returns the gradient with respect to the input, in the input's shape, which is cast to the input's dtype. vn_fn_call(f, x) has the value
 * of fn(x). `user` must outlive every use. */
typedef vn_array *(*vn_rule_fn)(vn_array *x, vn_array *y, vn_array *upstream, void *user);
VN_API vn_fn *vn_bind_custom_gradient(vn_array_fn fn, vn_rule_fn rule, void *user);
/* release(user) is called, from any thread, when f and every array that may still need its rule are gone. f is one of these functions. */
VN_API int vn_fn_at_end(vn_fn *f, void (*release)(void *user));
VN_API vn_array *vn_fn_call(vn_fn *f, vn_array *x);

/* A captured function: fn is recorded once for each combination of shapes, dtypes and engine of its inputs; later calls run the program
 * without calling fn. So fn should only combine its inputs: side effects happen once, and other arrays it uses keep
 * the values they had then. Random numbers need a key among the inputs: the thread's own key is refused. It may differentiate, but must not
 * need values (no reading, vn_eval, vn_to, vn_step). If an input has history and gradients are on, the call runs fn itself. fn returns a
 * code and fills `out`. With n_out 0 it has as many results as it fills, which may depend on the shapes; the call has room for n_out, at
 * most 1024, and a NULL follows the results where there is room for more. */
typedef int (*vn_many_fn)(int n, vn_array *const *in, int n_out, vn_array **out, void *user);
VN_API vn_fn *vn_capture(vn_many_fn fn, int n_out, void *user);
VN_API int vn_fn_call_many(vn_fn *f, int n, vn_array *const *in, int n_out, vn_array **out);

/* Calls fn on a tree and differentiates its results. Integer arrays become float variables; a handle that occurs several times is one
 * variable, and each occurrence gets the whole gradient. With one scalar result the gradients have the structure of xs; with several, the
 * result is a tree with one such tree per result, under the result's path joined by '_'. Non-finite elements of gradients become 0; their
 * number is a lazy scalar in *replaced (which may be NULL). Paths select inputs and results; NULL means all. */
typedef vn_tree *(*vn_tree_fn)(const vn_tree *xs, void *user);
typedef struct vn_execute_opts {
    size_t size VN_UNSET;
    int retain VN_UNSET;                 /* results and gradients stay differentiable */
    int keep_nonfinite VN_UNSET;         /* do not replace non-finite gradients */
    const char *const *inputs VN_UNSET;  /* paths into xs, NULL at the end: only arrays at or below them get gradients */
    const char *const *results VN_UNSET; /* paths into the result */
} vn_execute_opts;
VN_API vn_tree *vn_execute_with_gradients(vn_tree_fn fn, const vn_tree *xs, void *user, const vn_execute_opts *opts, vn_tree **gradients,
                                          vn_array **replaced);

/* Gradient mode: a stack per thread. mode: 0 off, 1 on, -1 query. */
VN_API int vn_with_grads(int mode);
VN_API int vn_set_with_grads(int mode);
VN_API int vn_unset_with_grads(void);
/* Whether gradients are taken around this call: mode 1 was set, as vn_value_and_grad and its kin do around the function that they call, rather
 * than left as it is. Values of arrays with a history that other libraries compute with there have no gradient. */
VN_API int vn_takes_gradients(void);
/* VN_NO_GRAD { ... }: ops inside record no history. If there is no memory for that, the block is not run, and the error is set. */
#ifndef __cplusplus
static inline void vn__no_grad_leave(int *pushed)
{
    if (*pushed) vn_unset_with_grads();
}
#ifdef VN__CLEANUP
#define VN__NO_GRAD(on) for (int on VN__CLEANUP(vn__no_grad_leave) = !vn_set_with_grads(0); on == 1; on = 2)
#define VN_NO_GRAD VN__NO_GRAD(VN__JOIN(vn__no_grad_, __LINE__))
#else
#define VN_NO_GRAD \
    _Static_assert(0, "VN_NO_GRAD needs a compiler with the cleanup attribute: use vn_set_with_grads and vn_unset_with_grads");
#endif
#endif

/* Runs fn to record its program and compiles it, without executing it: for warm-up and timing. */
VN_API int vn_compile(vn_loss_fn fn, const vn_tree *p, void *data);
/* What evaluating x would run: stages, kernels, fallbacks. Valid until the thread's next vn_text or vn_explain. */
VN_API const char *vn_explain(vn_array *x);
/* The recorded ops that arrays are made of, as a graph in Graphviz's language (`dot -Tsvg`): ops, dtypes and shapes; arrays that are ready are filled. Ops
 * that evaluation has released are not shown. The text belongs to the innermost scope. */
VN_API const char *vn_graph_dot(int n, vn_array *const *arrays);
VN_API const char *vn_explain_all(int n, vn_array *const *arrays); /* the same for vn_eval(n, arrays); all on one engine */

/* Engines, available or not. vn_engine_at tries to load number i; its strings are valid until the thread's next call of vn_engine_at or
 * vn_engine_named. */
typedef struct vn_engine_info {
    size_t size VN_UNSET;
    const char *name VN_UNSET;
    int available VN_UNSET;
    int reserved VN_UNSET;        /* 0 */
    const char *version VN_UNSET; /* of the framework, NULL when not available */
    const char *where VN_UNSET;
    const char *about VN_UNSET;   /* one line of description */
    const char *how VN_UNSET;     /* how to install it */
    const char *message VN_UNSET; /* why it is not available, NULL when it is */
} vn_engine_info;
VN_API int vn_engine_count(void);
VN_API int vn_engine_at(int i, vn_engine_info *info);
VN_API const char *vn_engine_name(int i);                           /* only the name, without loading; valid until the last thread closes */
VN_API int vn_engine_named(const char *name, vn_engine_info *info); /* vn_engine_at by name; loads no other engine */
/* Which engine computes an op for a dtype; -1 on failure. Random numbers always come from the native engine. */
typedef enum vn_computed_by {
    VN_BY_NONE = 0, /* the op does not take the dtype, or is composed of other ops for it */
    VN_BY_ENGINE = 1,
    VN_BY_NATIVE = 2 /* falls back to the native kernel; an error under VINEA_STRICT=1, except for random numbers */
} vn_computed_by;
VN_API int vn_engine_computes(const char *engine, const char *op, vn_dtype dtype);
/* Describes what an engine runs on, line by line: "device", "threads", "route" ... Opens the engine. */
VN_API int vn_engine_describe(const char *engine, void (*line)(void *to, const char *key, const char *value), void *to);

/* Whether ops check positions and class numbers (vn_take, vn_gather_nd, vn_one_hot ...) and weights (vn_multinomial, vn_categorical), which
 * they evaluate for it: those outside, or that nothing can be sampled from, are an error then, instead of NaN, zeros or -1. Labels of losses that are ready are always checked. mode: 0 off, 1 on, -1 query; returns what it was. Per thread; off unless VINEA_CHECK=1. */
VN_API int vn_check_positions(int mode);

/* Program caches, one per engine. The program that was not used for the longest time leaves first when there are more than `limit`, or more
 * than 2^20 instructions in all (on engines that limit the size of a program, 16 times that size). */
typedef struct vn_cache_info {
    size_t size VN_UNSET;
    int64_t programs VN_UNSET, hits VN_UNSET, misses VN_UNSET, evicted VN_UNSET, limit VN_UNSET;
    int64_t instructions VN_UNSET; /* of all programs */
} vn_cache_info;
VN_API int vn_cache_stats(const char *engine, vn_cache_info *info);
VN_API int vn_cache_limit(int64_t programs); /* for every engine; default 512 */

/* Memory that Vinea itself holds (the frameworks have their own). */
typedef struct vn_memory_info {
    size_t size VN_UNSET;
    int64_t used VN_UNSET, peak VN_UNSET, cached VN_UNSET,
        limit VN_UNSET;                       /* bytes; cached: the part of used that is free blocks kept for reuse; limit 0: none */
    int64_t handles VN_UNSET, nodes VN_UNSET; /* alive now */
} vn_memory_info;
VN_API int vn_memory(vn_memory_info *info);
VN_API int vn_memory_limit(int64_t bytes); /* 0: none. Exceeding it is VN_E_MEM; cached blocks are freed first */

/* Receives log messages; NULL disables logging. The hook may be called from any thread. */
VN_API int vn_set_log(void (*hook)(const char *text, void *user), void *user);
/* Profiles: the hook gets an event for each kernel, program and compilation as it ends, on the thread that ran it, until it is called with
 * NULL or the last thread closes. One thread at a time is in the hook, which may call the library; what it computes is not reported.
 * VINEA_TRACE=file.json writes the same events as a Chrome trace, and `vinea profile -- program` prints them as a table. */
typedef struct vn_profile_event {
    size_t size VN_UNSET;
    /* "kernel": one op, or several that the engine computes together; "execute": a program, with its kernels; "compile"; "build": finding
     * what must be computed; "call" of a captured function; "open": an engine */
    const char *what VN_UNSET;
    const char *name VN_UNSET; /* of a kernel: its ops, dtype and shape, as vn_explain prints them; otherwise "" */
    const char *engine VN_UNSET;
    uint64_t program VN_UNSET;            /* the number that vn_explain prints; 0: it has none yet */
    int64_t begin VN_UNSET, end VN_UNSET; /* ns of CLOCK_MONOTONIC */
    double flops VN_UNSET; /* floating-point operations by shapes: two for each product that is added up, otherwise one for each element */
    int64_t read VN_UNSET, written VN_UNSET; /* bytes of arrays that come in and go out; what stays inside is not counted */
    int64_t memory VN_UNSET;                 /* "execute": bytes that the engine has in use after it; -1: unknown */
    int32_t ops VN_UNSET;                    /* of the table */
    uint32_t thread VN_UNSET;                /* its number in this process */
} vn_profile_event;
VN_API int vn_profile(void (*hook)(const vn_profile_event *event, void *user), void *user);

/* The allocator for all memory of the library and the native engine. It can be set only while nothing is allocated: before the first
 * call in a process, or after the last vn_close. NULL restores malloc. */
/* clang-format off */
typedef struct vn_allocator {
    void *(*allocate)(size_t bytes, void *user) VN_UNSET;
    void (*release)(void *memory, void *user) VN_UNSET;
    void *user VN_UNSET;
} vn_allocator;
/* clang-format on */
VN_API int vn_set_allocator(const vn_allocator *allocator);

VN_API const char *vn_version(void);

/* ---- 3. for bindings: no varargs, macros or structs by value ------------------------------------------------------------------- */

/* Any op of the table by name, ours or the Array API standard's. Options may come in any order; absent ones take their defaults, and an
 * integer serves where a float is needed. Writes the first n_out results; the others are not wanted. Returns a code; on failure the
 * results are NULL. docs/bindings.md is for authors of bindings. */
VN_API int vn_call(const char *op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);
/* The same by number, which is faster, and the results are yours (vn_drop) and in no scope; what an op makes besides is released. */
VN_API int vn_call_number(int op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out);

/* For bindings to languages whose interpreter has a lock, which they free while the library computes. 1: the call by number, or vn_eval of
 * x alone, is shorter than freeing the lock and waits for no other thread; 0 if that is not certain. */
VN_API int vn_call_is_short(int op);
VN_API int vn_eval_is_short(const vn_array *x);
/* The elements of x if reading them takes no more than that: they are computed and in the host's memory, nothing is copied or waited for,
 * and derivatives need not know of it. NULL without an error otherwise: record an op, or call vn_data. Valid as long as vn_data's pointer.
 */
VN_API const void *vn_data_at_hand(const vn_array *x);
/* The process is going to end: waits for threads that are inside a framework, 10 seconds at most, and refuses later calls into one. The library
 * does so itself when the process exits; a binding whose interpreter ends before that calls it first, with the interpreter's lock free. */
VN_API void vn_exit_begins(void);

typedef struct vn_op_range { /* of a number: from min to max */
    double min, max;
    int32_t above_min, below_max; /* 1: that number itself is not permitted */
} vn_op_range;
typedef struct vn_op_option {
    const char *name;
    int32_t kind;             /* vn_option_kind */
    const char *type;         /* "shape", "axes", "list", "dtype", "flag", "int", "float", "number" (an integer stays exact), "text" */
    const char *fallback;     /* the default as text, NULL when the option must be given */
    const vn_option *value;   /* the default as a value; NULL likewise, and where the text says that model files take it from their input */
    const char *const *texts; /* what a text may be, in any case, NULL at the end; NULL: anything */
    const char *doc;          /* of a field of the op's struct; NULL for a parameter of its function */
    const vn_op_range *range; /* which numbers are permitted; NULL: all */
} vn_op_option;
typedef struct vn_op_info {
    size_t size VN_UNSET;
    const char *name VN_UNSET;
    const char *kind VN_UNSET; /* "primitive", "fused", "composed", "identity", "leaf", "move" or "tied" */
    const char *doc VN_UNSET;
    int n_inputs VN_UNSET, n_options VN_UNSET, n_outputs VN_UNSET;
    int differentiable VN_UNSET;
    const char *const *inputs VN_UNSET;
    const vn_op_option *options VN_UNSET;
    const char *const *outputs VN_UNSET;
    int n_required VN_UNSET;          /* required inputs; the others may be absent (VN_NONE) */
    int any_number VN_UNSET;          /* the last input stands for one or more */
    const char *no_gradient VN_UNSET; /* why there is none; NULL if there is one */
    uint32_t dtypes VN_UNSET;         /* set of VN_BIT: what it takes, or returns if it samples random numbers */
    int reserved VN_UNSET;            /* 0 */
    const char *section VN_UNSET;     /* of ops.h and docs/ops.md */
    const char *alias VN_UNSET;       /* another name that vn_call accepts, such as that of the Array API standard; NULL: none */
    uint32_t traits VN_UNSET;         /* VN_OP_... */
    int reserved2 VN_UNSET;           /* 0 */
    size_t option_size VN_UNSET;      /* of one entry of options: with a newer library larger than sizeof(vn_op_option) here */
    /* for each input of an op the dtype that it must have, or VN_NO_DTYPE: one of dtypes */
    const uint8_t *input_dtypes VN_UNSET;
} vn_op_info;
enum {
    VN_OP_RANDOM = 1,     /* samples from a key, its first input: equal bits on every engine */
    VN_OP_INTERNAL = 2,   /* used only by other ops, not listed */
    VN_OP_SHAPED = 4,     /* for tests: its inputs need particular shapes */
    VN_OP_EXACT = 8,      /* for tests: its inputs need particular values */
    VN_OP_OWN_DTYPE = 16, /* for tests: another dtype gives different results */
    VN_OP_PRODUCT = 32,   /* adds up products: vn_matmul_precision applies to it in float32 */
    VN_OP_PART = 64,      /* reads only a part of its first input, as much as its result has */
    VN_OP_NARROW = 128,   /* vn_autocast makes its float32 inputs half precision */
    VN_OP_WIDE = 256      /* vn_autocast makes its half-precision inputs float32 */
};
/* The ops are numbered from 0 to vn_op_count() - 1. A number holds in this process only: the next version may number them otherwise. */
VN_API int vn_op_count(void);
VN_API int vn_op_at(int i, vn_op_info *info);
VN_API int vn_op_named(const char *name, vn_op_info *info); /* vn_op_at by name or alias */
VN_API int vn_op_number(const char *name);                  /* -1, with the error set, if there is no such op */

VN_API vn_array *vn_array_from(const void *data, int dtype, int rank, const int64_t *dims); /* copies */

/* The dtype that arrays and dtypes have in common, as ops promote them. Numbers (vn_scalar) among the arrays take part as they do in an
 * expression. VN_NO_DTYPE with the error set if there is none. */
VN_API int vn_result_type(int n_arrays, vn_array *const *arrays, int n_dtypes, const int32_t *dtypes);
/* The rank of the shape that n shapes broadcast to, as ops do it; its sizes are written to `out`, which has room for VN_MAX_RANK. -1 with the
 * error set if they do not broadcast. */
VN_API int vn_broadcast_shapes(int n, const int32_t *ranks, const int64_t *const *dims, int64_t *out);
VN_API int vn_can_cast(int from, int to); /* 1 if promotion takes `from` to `to`, else 0; -1 if one is not a dtype */
typedef struct vn_float_info {
    size_t size VN_UNSET;
    vn_dtype dtype VN_UNSET; /* that of the parts of a complex number, for which all below holds */
    int bits VN_UNSET;
    double eps VN_UNSET; /* the distance from 1 to the next number */
    double min VN_UNSET, max VN_UNSET, smallest_normal VN_UNSET;
} vn_float_info;
VN_API int vn_finfo(int dtype, vn_float_info *info);
typedef struct vn_int_info {
    size_t size VN_UNSET;
    vn_dtype dtype VN_UNSET;
    int bits VN_UNSET;
    int64_t min VN_UNSET;
    uint64_t max VN_UNSET;
} vn_int_info;
VN_API int vn_iinfo(int dtype, vn_int_info *info);

#ifdef __cplusplus
}
#endif

#include <vinea/ops.h>
#include <vinea/tree.h>
#include <vinea/nn.h>
#include <vinea/module.h>
#include <vinea/objects.h>
#include <vinea/model.h>
#include <vinea/files.h>
#include <vinea/ranks.h>
#include <vinea/train.h>
#include <vinea/bindings.h>
#ifdef __cplusplus
#include <vinea/cplusplus.h>
#endif

#endif
