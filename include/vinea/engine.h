/* engine.h: what an engine implements, ABI 1.
 *
 * An engine is a shared object <name>.so with one exported symbol, vinea_engine_main, and beside it a text file <name>.manifest that
 * says what it needs. It links against nothing of Vinea: whatever it needs of the library comes in vn_host. The core decides shapes,
 * dtypes, promotion, gradients and random numbers; an engine only computes.
 *
 * The core calls an engine in one of two ways. With `compile` it hands over whole programs and later executes them. Without, it runs
 * a program itself, one kernel per instruction. Both read the same vn_program.
 *
 * Rules for every function here:
 *  - It may be called from any thread, at the same time as others. No lock of the core is held.
 *  - It returns VN_OK or a vn_code, after setting the text by host->error. Out-parameters are untouched on failure.
 *  - It never prints, exits or aborts, and leaves the process (environment, thread counts, signal handlers) as it found it.
 *  - Structs here only grow at their end; `size` says how much the other side knows. */
#ifndef VINEA_ENGINE_H
#define VINEA_ENGINE_H

#include <vinea/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VN_ENGINE_ABI 1

typedef struct vn_buf vn_buf; /* an engine's array: the core holds references and looks inside through the engine only */
typedef struct vn_exe vn_exe; /* an engine's compiled program */

/* What the core knows of an array. Row-major; dims has `rank` entries; count is their product. */
typedef struct vn_desc {
    int32_t dtype, rank;
    int64_t count;
    const int64_t *dims;
} vn_desc;

struct vn_kernel_row;

/* One op of a program. Values are numbered: the program's inputs first, then what the instructions make, in order. */
typedef struct vn_instr {
    const char *op;                  /* its name in the op table */
    const struct vn_kernel_row *row; /* the engine's row of that name */
    const vn_option *options;        /* all options of the op in the table's order, defaults filled in */
    const int32_t *in;               /* value numbers */
    int32_t n_options, n_in;
    int32_t out, n_out; /* first value number it makes, how many */
} vn_instr;

typedef struct vn_program {
    uint32_t size;
    int32_t n_inputs, n_instrs, n_values, n_outputs;
    const vn_desc *values;  /* n_values */
    const vn_instr *instrs; /* n_instrs, every input made before it is used */
    const int32_t *outputs; /* value numbers; one may occur twice, and may be an input */
    const uint8_t *donated; /* n_inputs: 1 where the input's memory may be overwritten */
    uint64_t hash;          /* of the program's text; the same in every process */
} vn_program;

/* A kernel call of an engine without `compile`. */
typedef struct vn_kernel_call {
    uint32_t size;
    uint32_t dying;            /* bit k: nothing uses in[k] after this call, it may be overwritten or returned as the result */
    const vn_program *program; /* descs: program->values[instr->in[k]], program->values[instr->out] */
    const vn_instr *instr;
    vn_buf *const *in; /* borrowed */
    vn_buf **out;      /* n_out new references; a view of, or the same object as, an input is fine if it is a new reference */
    void **prepared;   /* starts NULL and stays with this instruction of this program: room for a prepared call */
} vn_kernel_call;

typedef int (*vn_kernel)(const vn_kernel_call *call);
typedef int (*vn_emit)(void *builder, const vn_program *program, const vn_instr *instr); /* engines with `compile` may use this column */

/* What an engine can do, bound by name, in any order; {0} ends the list. Ops that are not listed, or whose first input or first
 * output has a dtype outside the mask, the core computes with the native kernel and says so. */
typedef struct vn_kernel_row {
    const char *op;
    uint32_t dtypes; /* VN_BIT(...) | ... */
    vn_kernel kernel;
    vn_emit emit;
    const void *data; /* the engine's own, such as the framework's name of the op */
} vn_kernel_row;

/* Host memory handed to an engine. If `release` is set, the engine may keep using `data` after the call and must call
 * release(owner) exactly once, from any thread, when it no longer does; it must not write to it. If `release` is NULL the memory is
 * only valid during the call. `data` is row-major and aligned to its element; 64-byte alignment is likely but not promised. */
typedef struct vn_host_memory {
    const void *data;
    size_t bytes;
    void (*release)(void *owner);
    void *owner;
} vn_host_memory;

/* What the library offers to engines. */
typedef struct vn_engine vn_engine;
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

typedef struct vn_engine_memory {
    uint32_t size;
    int64_t used, peak, cached; /* bytes; -1 where the engine cannot tell */
} vn_engine_memory;

/* An engine. Functions marked (optional) may be NULL. */
struct vn_engine {
    uint32_t abi, size; /* first, for ever */
    const char *name;   /* "numpy" */

    /* Loads the framework; called once, before everything below. On failure the text says what is missing. A second call after a
     * failure tries again. */
    int (*open)(void);
    /* Gives back caches. The framework stays loaded, and open may follow. Called when no buffer or program is left. */
    void (*close)(void);
    const char *(*version)(void);         /* of the framework, "2.4.6"; valid after open */
    const char *(*where)(void);           /* the file or folder it came from; valid after open */
    int (*memory)(vn_engine_memory *out); /* (optional) */

    /* On failure the memory stays the caller's, and release is not called. */
    int (*from_host)(const vn_desc *desc, const vn_host_memory *memory, vn_buf **out);
    int (*to_host)(vn_buf *buf, const vn_desc *desc, const void **data); /* row-major, valid until the buffer's last release */
    void (*retain)(vn_buf *buf);
    void (*release)(vn_buf *buf); /* from any thread; must not block on a running kernel */

    const vn_kernel_row *kernels;      /* read after open */
    void (*unprepare)(void *prepared); /* (optional) frees what a kernel left in vn_kernel_call.prepared */

    /* (optional) whole programs. execute gets n_inputs borrowed buffers and makes n_outputs new references. A donated input may be
     * overwritten, but only once nothing can fail any more, and only if the engine sees no other reference to its memory (a view, an
     * array lent to another engine by to_host and retain). The program is the core's; it outlives the executable. */
    int (*compile)(const vn_program *program, vn_exe **out);
    int (*execute)(vn_exe *exe, vn_buf *const *in, vn_buf **out);
    void (*discard)(vn_exe *exe);
    /* (optional) one line per kernel or compiled function, for vn_explain: calls line(to, text) for each. */
    int (*explain)(vn_exe *exe, void (*line)(void *to, const char *text), void *to);

    /* (optional) around a fork of the process: locks taken before, given back in the parent, made anew in the child. Of use to the
     * built-in engine only: a plugin loaded before a fork is not called in the child. */
    void (*fork)(int step);

    /* (optional) what it runs on, for people: calls line(to, key, value) for "device", "threads" and what else there is to say. */
    int (*describe)(void (*line)(void *to, const char *key, const char *value), void *to);

    /* (optional) gives memory that it keeps for later back to the host, from any thread, before an allocation is refused; how many bytes.
     * Asked of the built-in engine only. */
    int64_t (*trim)(void);

    /* (optional) waits until nothing of it computes any more: for engines that go on after execute has returned. Called when the process
     * exits, by whichever thread exits, after the last other call. */
    void (*finish)(void);

    /* Bytes of stack that a call may need. A thread that has less gets an error instead of the call; 128 KB are always asked for. */
    size_t stack;
};
enum { VN_FORK_BEFORE = 0, VN_FORK_PARENT = 1, VN_FORK_CHILD = 2 };

/* The only exported symbol. Must not load the framework: that is open's work. NULL if the host is too old, with host->error set. */
const vn_engine *vinea_engine_main(const vn_host *host);
typedef const vn_engine *(*vn_engine_main_fn)(const vn_host *host);

#ifdef __cplusplus
}
#endif
#endif
