/* SPDX-License-Identifier: Apache-2.0 */
/* program.h: whole programs as TensorFlow graphs. */
#ifndef TENSORFLOW_PROGRAM_H
#define TENSORFLOW_PROGRAM_H

#include "api.h"

/* The functions of vn_engine of the same names. */
int program_compile(vn_context *context, const vn_program *program, vn_exe **out);
int program_execute(vn_context *context, vn_exe *exe, const vn_launch *launch);
void program_discard(vn_context *context, vn_exe *exe);
int program_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to);
int32_t program_kernel_of(vn_context *context, vn_exe *exe, int32_t *of);

/* Sets up and frees what all programs share. Called under the engine's lock. */
int program_open(void);
void program_close(void);
int program_threads(void); /* threads inside a kernel */

#endif
