/* engine.h: what an engine implements, ABI 2.
 *
 * A plugin is a shared object <name>.so with one exported symbol, vinea_engine_main, and beside it a text file <name>.manifest that says
 * what it needs. It brings one engine or several: "torch", "torch:cuda". It links against nothing of Vinea: whatever it needs of the
 * library comes in vn_host. The core decides shapes, dtypes, promotion, gradients and random numbers; an engine only computes.
 *
 * The core calls an engine in one of two ways. With `compile` it hands over whole programs and later executes them. Without, it runs a
 * program itself, one kernel per instruction. Both read the same vn_program.
 *
 * Rules for every function here:
 *  - It may be called from any thread, at the same time as others. No lock of the core is held.
 *  - It returns VN_OK or a vn_code, after setting the text by host->error. Out-parameters are untouched on failure.
 *  - It never prints, exits or aborts, and leaves the process (environment, thread counts, signal handlers) as it found it.
 *  - Structs only grow at their end; `size` says how much the other side knows. What a smaller struct lacks is zero. */
#ifndef VINEA_ENGINE_H
#define VINEA_ENGINE_H

#include <vinea/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VN_ENGINE_ABI 2

typedef struct vn_context vn_context; /* an engine's own state of one device it opened */
typedef struct vn_buf vn_buf;         /* an engine's array: the core holds references and looks inside through the engine only */
typedef struct vn_exe vn_exe;         /* an engine's compiled program */

/* ---- programs ------------------------------------------------------------------------------------------------------------------ */

/* What the core knows of an array. Row-major; dims has `rank` entries; count is their product. */
typedef struct vn_desc {
    int32_t dtype, rank;
    int64_t count;
    const int64_t *dims;
} vn_desc;

struct vn_kernel_row;
struct vn_program;

/* One op of a program. Values are numbered: the program's inputs first, then what the instructions make, in order. */
typedef struct vn_instr {
    const char *op;                  /* its name in the op table */
    const struct vn_kernel_row *row; /* the engine's row of that name */
    const vn_option *options;        /* all options of the op in the table's order, defaults filled in */
    const int32_t *in;               /* n_in value numbers; optional inputs that are absent come last, and are left out */
    int32_t n_options, n_in;
    int32_t out, n_out;                     /* first value number it makes, how many; each has its own desc */
    int32_t n_list;                         /* length of the lists among its inputs and results ("ws..., rate -> ws..."); 0: it has none */
    int32_t n_bodies;                       /* programs nested in it: branches, the body of a loop. No op has any yet */
    const struct vn_program *const *bodies; /* their first inputs are the values the instruction hands over */
} vn_instr;

/* How exactly float32 products are computed. An engine that has no such mode takes the next more exact one. */
enum { VN_PRECISION_EXACT = 0 };

typedef struct vn_program {
    uint32_t size;
    uint32_t precision; /* VN_PRECISION_... */
    int32_t n_inputs, n_instrs, n_values, n_outputs;
    const vn_desc *values;         /* n_values */
    const vn_instr *const *instrs; /* n_instrs, every input made before it is used */
    const int32_t *outputs;        /* value numbers; one may occur twice, and may be an input */
    const uint8_t *donated;        /* n_inputs: 1 where the input's memory may be overwritten */
    const uint8_t *used;           /* n_values: 0 where nothing reads a value, which then need not be made */
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
    const uint8_t *dying; /* n_in: 1 where nothing uses in[k] after this call: it may be overwritten or returned as a result */
    vn_buf **out;         /* n_out new references; an input, or a view of one, is fine if it is a new reference; a result that is
                             not used may stay NULL */
    void **prepared;      /* starts NULL and stays with this instruction of this program: room for a prepared call */
} vn_kernel_call;

typedef int (*vn_kernel)(const vn_kernel_call *call);
typedef int (*vn_emit)(void *builder, const vn_program *program, const vn_instr *instr); /* engines with `compile` may use this column */

/* What an engine can do, bound by name, in any order; {0} ends the list. The mask is for every input and result whose dtype the op table
 * leaves open (an index is always int64, a condition always bool). Ops that are not listed, or have a dtype outside the mask, the core
 * computes with the native kernel and says so. */
typedef struct vn_kernel_row {
    const char *op;
    uint32_t dtypes; /* VN_BIT(...) | ... */
    vn_kernel kernel;
    vn_emit emit;
    const void *data; /* the engine's own, such as the framework's name of the op */
} vn_kernel_row;

/* ---- what the library offers --------------------------------------------------------------------------------------------------- */

/* Host memory handed to an engine. If `release` is set, the engine may keep using `data` after the call and must call release(owner)
 * exactly once, from any thread, when it no longer does; it must not write to it. If `release` is NULL the memory is only valid during the
 * call. `data` is row-major and aligned to its element; 64-byte alignment is likely but not promised. */
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
    int (*threads)(void); /* how many threads the user wants an engine to use; 0: its own choice */
    const char *folder;   /* where this plugin was found */

    /* Code comes in through these alone: the library decides which files may bring any (SECURITY.md has the rules). Paths are absolute;
     * what is refused comes with the reason as text. */
    int (*trusted)(const char *path, char *why, size_t capacity);      /* 1: only root and the user can have put it there; else 0 */
    int (*library_fine)(const char *path, char *why, size_t capacity); /* 1: a trusted, complete shared library with all it brings along */
    /* dlopen of such a library; a name without a folder is looked for by the system. NULL when refused or failed. */
    void *(*open_library)(const char *path, int flags, char *why, size_t capacity);

    size_t (*stack_left)(void); /* bytes of stack that the calling thread has left; SIZE_MAX: unknown */
} vn_host;

/* ---- engines ------------------------------------------------------------------------------------------------------------------- */

typedef struct vn_engine_memory {
    uint32_t size;
    int64_t used, peak, cached; /* bytes; -1 where the engine cannot tell */
} vn_engine_memory;

/* One execution of a compiled program. */
typedef struct vn_launch {
    uint32_t size;
    vn_buf *const *in; /* n_inputs, borrowed */
    vn_buf **out;      /* n_outputs new references */
} vn_launch;

struct DLManagedTensorVersioned;

/* An engine. Functions marked (optional) may be NULL. */
typedef struct vn_engine {
    uint32_t size, row_size; /* sizeof(vn_engine), sizeof(vn_kernel_row) */
    const char *name;        /* "torch"; "torch:cuda": begins with the plugin's name and a colon */

    /* Loads the framework and opens a device: 0 is the first, and the only one unless `devices` says that there are more (a user writes
     * "torch:cuda:1" for the second). The context, which may be NULL, goes to every function below. On failure the text says what is
     * missing; a second call after a failure tries again. */
    int (*open)(int device, vn_context **out);
    /* Gives back caches. The framework stays loaded, and open may follow. Called when no buffer or program is left. */
    void (*close)(vn_context *context);
    const char *(*version)(vn_context *context);               /* of the framework, "2.4.6" */
    const char *(*where)(vn_context *context);                 /* the file or folder it came from */
    int (*memory)(vn_context *context, vn_engine_memory *out); /* (optional) */

    /* On failure the memory stays the caller's, and release is not called. */
    int (*from_host)(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out);
    /* Row-major, valid until the buffer's last release. Waits for the contents; fails where computing them did. */
    int (*to_host)(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data);
    void (*retain)(vn_context *context, vn_buf *buf);
    void (*release)(vn_context *context, vn_buf *buf); /* from any thread; must not block on a running kernel */

    const vn_kernel_row *kernels;                           /* read after open */
    void (*unprepare)(vn_context *context, void *prepared); /* (optional) frees what a kernel left in vn_kernel_call.prepared */

    /* (optional) whole programs. A donated input may be overwritten, but only once nothing can fail any more, and only if the engine sees
     * no other reference to its memory (a view, an array lent to another engine by to_host and retain). execute may return before the
     * work is done; whoever reads a result then waits for it. One program may be executed by several threads at once. The program is the
     * core's; it outlives the executable. */
    int (*compile)(vn_context *context, const vn_program *program, vn_exe **out);
    int (*execute)(vn_context *context, vn_exe *exe, const vn_launch *launch);
    void (*discard)(vn_context *context, vn_exe *exe);
    /* (optional) one line per kernel or compiled function, for vn_explain: calls line(to, text) for each. */
    int (*explain)(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to);

    /* (optional) around a fork of the process: locks taken before, given back in the parent, made anew in the child. Of use to the
     * built-in engine only: a plugin loaded before a fork is not called in the child. */
    void (*fork)(vn_context *context, int step);

    /* (optional) what it runs on, for people: calls line(to, key, value) for "device", "threads" and what else there is to say. */
    int (*describe)(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to);

    /* (optional) gives memory that it keeps for later back to the host, from any thread, before an allocation is refused; how many bytes.
     * Asked of the built-in engine only. */
    int64_t (*trim)(vn_context *context);

    /* (optional) waits until nothing of it computes any more: for engines that go on after execute has returned. Called when the process
     * exits, by whichever thread exits, after the last other call. */
    void (*finish)(vn_context *context);

    /* Bytes of stack that a call may need. A thread that has less gets an error instead of the call; 128 KB are always asked for. */
    size_t stack;

    /* (optional) arrays by DLPack, for those whose memory the host cannot read. `stream` is the other side's queue of work, in the terms of
     * its device (NULL on the CPU): what is handed over is ready for work queued there after the call. from_dlpack takes the tensor over when it
     * succeeds; the tensor that to_dlpack makes holds a reference to the buffer. NULL: arrays travel through host memory. */
    int (*from_dlpack)(vn_context *context, const vn_desc *desc, struct DLManagedTensorVersioned *tensor, void *stream, vn_buf **out);
    int (*to_dlpack)(vn_context *context, vn_buf *buf, const vn_desc *desc, void *stream, struct DLManagedTensorVersioned **out);

    int (*devices)(void); /* (optional) how many devices it can open; NULL: one */
} vn_engine;
enum { VN_FORK_BEFORE = 0, VN_FORK_PARENT = 1, VN_FORK_CHILD = 2 };

typedef struct vn_plugin {
    uint32_t abi, size; /* first, for ever */
    int32_t n_engines;
    const vn_engine *const *engines;
} vn_plugin;

/* The only exported symbol. Must not load the framework: that is open's work. NULL if the host is too old, with host->error set. */
const vn_plugin *vinea_engine_main(const vn_host *host);
typedef const vn_plugin *(*vn_engine_main_fn)(const vn_host *host);

#ifdef __cplusplus
}
#endif
#endif
