/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: what an engine implements, ABI 2.
 *
 * A plugin is a shared object <name>.so with one exported symbol, vinea_engine_main, and next to it a text file
 * <name>.manifest that says what it needs. It provides one engine or several: "torch", "torch:cuda". It links against no part of Vinea:
 * the functions it needs from the library are in vn_host. The core determines shapes, dtypes, promotion, gradients and random numbers; an
 * engine only computes.
 *
 * The core uses an engine in one of two ways. If the engine has `compile`, it compiles and executes whole programs. Otherwise the core runs
 * a program itself, one kernel per instruction. Both use the same vn_program.
 *
 * Rules for every function here:
 *  - It may be called from any thread, concurrently with others. The core holds no lock.
 *  - It returns VN_OK, or a vn_code after setting the message with host->error. Out-parameters are untouched on failure.
 *  - It never prints, exits or aborts, and leaves the process (environment, thread counts, signal handlers) as it found it.
 *  - Structs only grow at their end; `size` says how much of one the other side knows. Fields missing from a smaller struct are zero. */
#ifndef VINEA_ENGINE_H
#define VINEA_ENGINE_H

#include <vinea/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VN_ENGINE_ABI 2

typedef struct vn_context vn_context; /* an engine's state for one open device */
typedef struct vn_buf vn_buf;         /* an engine's array: the core holds references and accesses the contents only through the engine */
typedef struct vn_exe vn_exe;         /* an engine's compiled program */

/* ---- programs ------------------------------------------------------------------------------------------------------------------ */

/* The core's description of an array. Row-major; dims has `rank` entries; count is their product. Descriptions stand in arrays, so that
 * this struct cannot grow: what a later version has to say of an array (strides, a layout) is behind `layout`, which an engine gets only
 * if it asks for it. Today it is NULL: row-major and contiguous. */
typedef struct vn_desc {
    int32_t dtype, rank;
    int64_t count;
    const int64_t *dims;
    const void *layout;
} vn_desc;

struct vn_kernel_row;
struct vn_program;

/* One op of a program. Values are numbered: the program's inputs first, then the results of the instructions, in order. */
typedef struct vn_instr {
    const char *op;                  /* its name in the op table */
    const struct vn_kernel_row *row; /* the engine's row of that name */
    const vn_option *options;        /* those that the row names, in the row's order, defaults filled in */
    const int32_t *in;               /* n_in value numbers; absent optional inputs, which are always the last, are left out */
    int32_t n_options, n_in;
    int32_t out, n_out; /* number of its first result, and how many results it has; each has its own desc */
    int32_t n_list;     /* length of the lists among its inputs and results ("ws..., rate -> ws..."); 0: no lists */
    int32_t n_bodies;   /* nested programs: branches, the body of a loop. No op has any yet, and the core refuses them */
    const struct vn_program *const *bodies; /* their first inputs are the values the instruction passes in */
} vn_instr;

/* The precision of float32 products (vn_matmul_precision), the most exact first. A program asks only for modes that the engine has. */
enum { VN_PRECISION_EXACT = 0, VN_PRECISION_SPLIT = 1, VN_PRECISION_FAST = 2, VN_PRECISION_TF32 = 3, VN_PRECISION_BF16 = 4 };

typedef struct vn_program {
    uint32_t size;
    uint32_t precision; /* VN_PRECISION_... */
    int32_t n_inputs, n_instrs, n_values, n_outputs;
    const vn_desc *values;         /* n_values */
    const vn_instr *const *instrs; /* n_instrs; every value is computed before it is used */
    const int32_t *outputs;        /* value numbers; a value may occur twice, and may be an input */
    const uint8_t *donated;        /* n_inputs: 1 if the input's memory may be overwritten */
    const uint8_t *used;           /* n_values: 0 if nothing reads the value, which then need not be computed */
    uint64_t hash;                 /* of the program's text; the same in every process */
} vn_program;

/* ---- kernels ------------------------------------------------------------------------------------------------------------------- */

/* A kernel call of an engine without `compile`. */
typedef struct vn_kernel_call {
    uint32_t size;
    vn_context *context;
    const vn_program *program; /* descs: program->values[instr->in[k]], program->values[instr->out + k] */
    const vn_instr *instr;
    vn_buf *const *in;    /* n_in, borrowed */
    const uint8_t *dying; /* n_in: 1 if nothing uses in[k] after this call: it may be overwritten or returned as a result */
    vn_buf **out;         /* n_out new references; may be an input or a view of one, with a new reference; an unused result may
                           * stay NULL */
    void **prepared;      /* initially NULL, kept with this instruction of this program: the kernel may cache data here */
} vn_kernel_call;

typedef int (*vn_kernel)(const vn_kernel_call *call);
typedef int (*vn_emit)(void *builder, const vn_program *program, const vn_instr *instr); /* engines with `compile` may use this column */

/* An engine's kernel table, bound by name, in any order; {0} ends it. The mask applies to every input and result whose dtype the op table
 * leaves open (an index is always int64, a condition always bool). Ops that are not listed, or whose dtypes are outside the mask, fall back
 * to the native kernel; so do rows with an option that the op does not have in this version. */
typedef struct vn_kernel_row {
    const char *op;
    uint32_t dtypes; /* VN_BIT(...) | ... */
    vn_kernel kernel;
    vn_emit emit;
    const void *data;    /* for the engine, such as the framework's name of the op */
    const char *options; /* the options of the op that the kernel reads: "axis, reverse". It gets these, in this order; NULL: none */
} vn_kernel_row;

/* ---- what the library provides --------------------------------------------------------------------------------------------------- */

/* Host memory handed to an engine. If `release` is set, the engine may keep using `data` after the call and must call release(owner)
 * exactly once, from any thread, when it is done; it must not write to it. If `release` is NULL the memory is only valid during
 * the call. `data` is row-major and aligned to its element; 64-byte alignment is likely but not guaranteed. */
typedef struct vn_host_memory {
    const void *data;
    size_t bytes;
    void (*release)(void *owner);
    void *owner;
} vn_host_memory;

typedef struct vn_host {
    uint32_t abi, size;
    int (*error)(int code, const char *format, ...); /* sets the calling thread's error, returns code */
    void (*log)(const char *format, ...);            /* to the user's log hook */
    void *(*alloc)(size_t bytes);                    /* 64-byte aligned, counted against the user's memory limit; NULL when over it */
    void (*free)(void *memory);
    int (*threads)(void); /* the number of threads an engine should use; 0: its default */
    const char *folder;   /* where this plugin was found */

    /* An engine loads code only through these functions: the library decides which files are trusted (SECURITY.md has the rules). Paths are
     * absolute; a refusal sets an error that gives the reason. */
    int (*trusted)(const char *path, char *why, size_t capacity); /* 1 if only root and the user can have put it there, else 0 */
    int (*library_fine)(const char *path, char *why,
                        size_t capacity); /* 1 if it is a trusted, complete shared library, and its dependencies are too */
    /* dlopen of such a library; a name without a folder is searched for by the system. NULL if refused or failed. */
    void *(*open_library)(const char *path, int flags, char *why, size_t capacity);

    size_t (*stack_left)(void); /* bytes of stack left in the calling thread; SIZE_MAX: unknown */
} vn_host;

/* ---- engines ------------------------------------------------------------------------------------------------------------------- */

typedef struct vn_engine_memory {
    uint32_t size;
    int64_t used, peak, cached; /* bytes; -1 if unknown */
} vn_engine_memory;

/* One execution of a compiled program. */
typedef struct vn_launch {
    uint32_t size;
    vn_buf *const *in; /* n_inputs, borrowed */
    vn_buf **out;      /* n_outputs new references */
    int64_t *times;    /* NULL, or two numbers for each kernel (kernel_of): when it began and when it ended, in ns of CLOCK_MONOTONIC */
} vn_launch;

struct DLManagedTensorVersioned;

/* An engine. Functions marked (optional) may be NULL. */
typedef struct vn_engine {
    uint32_t size, row_size; /* sizeof(vn_engine), sizeof(vn_kernel_row) */
    const char *name;        /* "torch"; "torch:cuda": begins with the plugin's name and a colon */

    /* Loads the framework and opens a device: 0 is the first, and the only one unless `devices` says otherwise (a user writes
     * "torch:cuda:1" for the second). The context, which may be NULL, is passed to every function below but `devices`. On failure the message says what
     * is missing; a later call tries again. */
    int (*open)(int device, vn_context **out);
    /* Frees caches. The framework stays loaded, and open may be called again. Called when no buffer or program is left. */
    void (*close)(vn_context *context);
    const char *(*version)(vn_context *context);               /* of the framework, "2.4.6" */
    const char *(*where)(vn_context *context);                 /* the file or folder it was loaded from */
    int (*memory)(vn_context *context, vn_engine_memory *out); /* (optional) */

    /* On failure the caller keeps the memory, and release is not called. */
    int (*from_host)(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out);
    /* Row-major, valid until the buffer's last release. Waits for the contents; fails if computing them failed. */
    int (*to_host)(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data);
    void (*retain)(vn_context *context, vn_buf *buf);
    void (*release)(vn_context *context, vn_buf *buf); /* from any thread; must not block on a running kernel */

    const vn_kernel_row *kernels;                           /* read after open */
    void (*unprepare)(vn_context *context, void *prepared); /* (optional) frees what a kernel left in vn_kernel_call.prepared */

    /* (optional) whole programs. A donated input may be overwritten, but only once nothing can fail any more, and only if the engine has
     * no other reference to its memory (a view, or an array shared with another engine through to_host and retain). execute may return
     * before the work is done; reading a result then waits for it. Several threads may execute one program at once. The core owns the
     * program, which outlives the executable. */
    int (*compile)(vn_context *context, const vn_program *program, vn_exe **out);
    int (*execute)(vn_context *context, vn_exe *exe, const vn_launch *launch);
    void (*discard)(vn_context *context, vn_exe *exe);
    /* (optional) one line per kernel or compiled function, for vn_explain: calls line(to, text) for each. */
    int (*explain)(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to);

    /* (optional) around a fork of the process: locks are taken before it, released in the parent and reinitialised in the child. Only for
     * the built-in engine: a plugin loaded before a fork is not called in the child. */
    void (*fork)(vn_context *context, int step);

    /* (optional) a description of what it runs on: calls line(to, key, value) for "device", "threads" and other facts. */
    int (*describe)(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to);

    /* (optional) frees cached memory, from any thread, before an allocation is refused; returns the number of bytes. Only for the built-in
     * engine. */
    int64_t (*trim)(vn_context *context);

    /* (optional) waits for all work in flight: for engines whose execute returns before the work is done. Called when the process exits, by
     * the exiting thread, after the last other call. */
    void (*finish)(vn_context *context);

    /* Bytes of stack that a call may need. A thread that has less gets an error instead of the call; the minimum is 128 KB. */
    size_t stack;

    /* (optional) arrays through DLPack, for memory that the host cannot read. `stream` is the other side's work queue, as its device
     * defines it (NULL on the CPU): the array is ready for work queued there after the call. from_dlpack takes ownership of the tensor if
     * it succeeds; the tensor that to_dlpack returns holds a reference to the buffer. NULL: arrays are copied through host memory. */
    int (*from_dlpack)(vn_context *context, const vn_desc *desc, struct DLManagedTensorVersioned *tensor, void *stream, vn_buf **out);
    int (*to_dlpack)(vn_context *context, vn_buf *buf, const vn_desc *desc, void *stream, struct DLManagedTensorVersioned **out);

    int (*devices)(void); /* (optional) how many devices it can open; NULL: one */

    /* (optional) the modes in which it computes float32 products, a set of VN_BIT(VN_PRECISION_...); NULL: only exactly. Asked after open.
     */
    uint32_t (*precisions)(vn_context *context);

    /* (optional) the most instructions that it should compile as one program, where the time of compiling grows faster than their number.
     * More are evaluated in parts, one after the other; only captured functions stay whole. Of all its programs, 16 times as many are kept.
     * 0: any number. */
    size_t largest;

    /* (optional) for profiles: of[k] becomes the number of the kernel that computes instruction k, -1 if none does, as with a view. Returns how
     * many kernels there are: those of explain's lines, in that order, or else the instructions themselves. execute times them if it is asked
     * to; one whose times stay 0 did not run. */
    int32_t (*kernel_of)(vn_context *context, vn_exe *exe, int32_t *of);
} vn_engine;
enum { VN_FORK_BEFORE = 0, VN_FORK_PARENT = 1, VN_FORK_CHILD = 2 };

typedef struct vn_plugin {
    uint32_t abi, size; /* first field in every ABI */
    int32_t n_engines;
    const vn_engine *const *engines;
} vn_plugin;

/* The only exported symbol. It must not load the framework, which is open's job. Returns NULL, with host->error set, if the host is too
 * old. */
const vn_plugin *vinea_engine_main(const vn_host *host);
typedef const vn_plugin *(*vn_engine_main_fn)(const vn_host *host);

#ifdef __cplusplus
}
#endif
#endif
