/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: the core's view of engines: opening, calling, moving arrays (load.c, transfer.c, interpret.c, gate.c). */
#ifndef VN_ENGINE_ENGINE_H
#define VN_ENGINE_ENGINE_H

#include "program/program.h"
#include <pthread.h>
#include <stdatomic.h>
#include <vinea/engine.h>

struct vn__engine {
    char name[32];
    vn_engine api;       /* the plugin's functions; missing ones return "not implemented" */
    vn_context *context; /* of the open device */
    int device;
    struct vn__plugin *plugin;  /* that provides it */
    const vn_kernel_row **rows; /* by op number */
    bool builtin;
    _Atomic bool open;
    int fork_generation;  /* when it was opened */
    pthread_mutex_t lock; /* opening */
    bool locked_for_fork; /* by the thread that forks */
    bool probed;          /* newer than any tested version, so every op was tried when it opened */
    int left_out;         /* ops that failed that try */
    uint32_t precisions;  /* of float32 products: VN_BIT(VN_PRECISION_...) */
    _Atomic(vn__cache *) cache;
};
static inline void vn__buf_retain(const vn__engine *e, vn_buf *buf)
{
    e->api.retain(e->context, buf);
}
vn__engine *vn__engine_find(const char *name); /* opened; NULL with the error set; NULL or "" is the default */
vn__engine *vn__engine_default(void);          /* the built-in engine, for fallbacks */
int vn__engine_forked(const vn__engine *e, const char *who);
static inline int vn__engine_usable(const vn__engine *e, const char *who) /* false after a fork, unless built in */
{
    return __builtin_expect(e->builtin || e->fork_generation == vn__forks, 1) ? VN_OK : vn__engine_forked(e, who);
}
/* Around every call of an engine's functions except retain. A call into a plugin is refused if the thread's stack is too small or the
 * process is exiting (engine/gate.c); nested calls cost nothing. */
int vn__gate_enter(const vn__engine *e, const char *who);
bool vn__gate_enter_quietly(void); /* false: do not call */
void vn__gate_leave(void);
void vn__gate_release(const vn__engine *e, vn_buf *buf);
void vn__gate_stay_last(void); /* after a call into a plugin that may have initialised something */
void vn__gate_fork(void);      /* in the child */
void vn__engines_finish(void); /* load.c: waits for plugins' work in flight when the process exits */
static inline int vn__engine_enter(const vn__engine *e, const char *who)
{
    return __builtin_expect(e->builtin, 1) ? VN_OK : vn__gate_enter(e, who);
}
static inline void vn__engine_leave(const vn__engine *e)
{
    if (__builtin_expect(!e->builtin, 0)) vn__gate_leave();
}
static inline void vn__buf_release(const vn__engine *e, vn_buf *buf)
{
    if (__builtin_expect(e->builtin, 1)) e->api.release(e->context, buf);
    else vn__gate_release(e, buf);
}
/* For an engine that compiles; sets no error. times: NULL, or where the kernels are timed (vn_launch). */
static inline int vn__execute(const vn__engine *e, vn_exe *exe, vn_buf *const *in, vn_buf **out, int64_t *times)
{
    return e->api.execute(e->context, exe, &(const vn_launch){.size = sizeof(vn_launch), .in = in, .out = out, .times = times});
}
size_t vn__stack_left(void); /* bytes of the calling thread's stack; SIZE_MAX: unknown */
bool vn__stack_enough(void); /* for the library itself */
int vn__engine_failed(const vn__engine *e, int code, const char *who, const char *what); /* sets an error if the engine set none */
int vn__engine_bind(vn__engine *e);                                                      /* its kernel table (bind.c) */
bool vn__engine_has(const vn__engine *e, int op, uint32_t dtypes); /* a kernel for all dtypes of this set (vn__open_dtypes) */
/* The options that the engine's row of an op names, in its order, of all options in the op table's order; returns their number. `out` has
 * room for all. */
int vn__row_options(const vn__engine *e, int op, const vn_option *all, vn_option *out);
int vn__engine_open(vn__engine *e);
int64_t vn__engines_trim(void);              /* frees cached memory; returns the number of bytes */
int vn__engine_version_check(vn__engine *e); /* checks an engine that was just opened; tries its ops if the version is untested */
/* A small sample call of an op, pending on the engine, in the innermost scope; NULL if the op does not take the dtype or is composed there.
 * Its results are stored in out. */
vn__node *vn__sample(vn__engine *e, int op, int dtype, vn_array *out[static VN__MAX_OUT]);
void vn__engines_close(void);
/* Host memory to array, and array to host memory; set no error. */
int vn__from_host(const vn__engine *e, const vn_desc *d, const vn_host_memory *m, vn_buf **out, const char *who);
int vn__to_host(const vn__engine *e, vn_buf *buf, const vn_desc *d, const void **data, const char *who);
/* The same array on another engine, without a copy if possible. */
int vn__transfer(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out);
const vn_plugin *vn__native_main(const vn_host *host); /* engines/native */
void vn__dlpack_release(struct DLManagedTensorVersioned *tensor);
typedef struct vn__runs vn__runs; /* reusable workspace of an interpreted program */
vn__runs *vn__runs_new(const vn__engine *e, const vn_program *p);
int vn__interpret(vn__runs *r, vn_buf *const *in, vn_buf **out, int64_t *times); /* times: two for each instruction, or NULL */
void vn__runs_free(vn__runs *r);
/* Compiles the program, or makes its workspace for vn__interpret; an error if it has what the engine cannot do (prepare.c). */
int vn__engine_prepare(const vn__engine *e, const vn_program *p, vn_exe **exe, vn__runs **runs);
void vn__cache_fork(vn__engine *e, int step);

#endif
