/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h: what the kernels of a program do, and how long they took (profile.c). */
#ifndef VN_PROGRAM_PROFILE_H
#define VN_PROGRAM_PROFILE_H

#include "core/trace.h"
#include "engine/engine.h"

typedef struct vn__kernels vn__kernels; /* descriptions of all kernels of a program on one engine */
/* Made once and kept in *slot; NULL: the engine says nothing of its kernels, or memory ran out. */
vn__kernels *vn__kernels_of(_Atomic(vn__kernels *) *slot, const vn__engine *e, const vn_program *p, vn_exe *exe);
void vn__kernels_free(vn__kernels *k);            /* also NULL */
int64_t *vn__kernels_times(const vn__kernels *k); /* zeros, two for each kernel; NULL: memory ran out */
/* Events of the kernels that ran; frees the times. */
void vn__kernels_report(const vn__kernels *k, const vn__engine *e, uint64_t program, int64_t *times);

const char *vn__instr_text(const vn_program *p, const vn_instr *i, char to[static 256]); /* "add float32 (2x3)" */
double vn__program_flops(const vn_program *p);
int64_t vn__desc_bytes(const vn_desc *d);
int64_t vn__engine_bytes(const vn__engine *e); /* in use; -1: unknown */

#endif
