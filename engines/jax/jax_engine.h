/* jax_engine.h: what the files of the jax engine share. */
#ifndef VN_JAX_ENGINE_H
#define VN_JAX_ENGINE_H

#include "ndarray.h"

extern const vn_host *jax_host;

/* The functions of replay.py. */
typedef struct jax_functions {
    PyObject *build, *direct, *place, *copy, *tidy;
} jax_functions;

extern jax_functions jax_replay;

/* Waits until an array of JAX is computed; a new reference to it, or NULL with the exception of what failed. The interpreter lock is held,
 * and given up while waiting. */
PyObject *jax_wait(PyObject *array);

/* ahead.c: after a call, with one of its results, so that the caller may go on; `quick`: JAX computes such a program at once. After a
 * program's first call it is waited for: what XLA makes for good it makes then, before the core looks after the process's end. catch_up
 * waits for what runs. All with the interpreter lock held. finish is the contract's. */
void jax_run_ahead(PyObject *result, int quick);
void jax_first_time(PyObject *result);
void jax_catch_up(void);
void jax_finish(vn_context *context);

/* kernels.c: the engine's list, empty until bind has read it from the module of replay.py; -1 with the exception pending. */
extern vn_kernel_row jax_kernels[];
int jax_bind(PyObject *module);

/* program.c: the contract's functions on whole programs. */
int jax_compile(vn_context *context, const vn_program *program, vn_exe **out);
int jax_execute(vn_context *context, vn_exe *exe, const vn_launch *launch);
void jax_discard(vn_context *context, vn_exe *exe);
int jax_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to);

#endif
