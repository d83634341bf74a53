/* SPDX-License-Identifier: Apache-2.0 */
/* jax_engine.h: shared by the files of the jax engine. */
#ifndef VN_JAX_ENGINE_H
#define VN_JAX_ENGINE_H

#include "ndarray.h"

extern const vn_host *jax_host;

/* The functions of replay.py. */
typedef struct jax_functions {
    PyObject *build, *direct, *place, *copy, *tidy;
} jax_functions;

extern jax_functions jax_replay;

/* Waits for a JAX array; returns a new reference, or NULL with the exception pending. Needs the interpreter lock, which is released
 * while waiting. */
PyObject *jax_wait(PyObject *array);

/* ahead.c: called after a launch with one of its results, so that the caller may continue; `quick`: JAX computes such a program
 * synchronously. A program's first call is waited for, because XLA initialises things then, before the core registers its exit handler.
 * catch_up waits for the program in flight. All need the interpreter lock. finish is for vn_engine. */
void jax_run_ahead(PyObject *result, int quick);
void jax_first_time(PyObject *result);
void jax_catch_up(void);
void jax_finish(vn_context *context);

/* kernels.c: the engine's list, empty until bind has read it from the module of replay.py; -1 with the exception pending. */
extern vn_kernel_row jax_kernels[];
int jax_bind(PyObject *module);

/* program.c: vn_engine's functions for whole programs. */
int jax_compile(vn_context *context, const vn_program *program, vn_exe **out);
int jax_execute(vn_context *context, vn_exe *exe, const vn_launch *launch);
void jax_discard(vn_context *context, vn_exe *exe);
int jax_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to);

#endif
