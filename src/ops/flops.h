/* SPDX-License-Identifier: Apache-2.0 */
/* flops.h: the floating-point operations of an instruction and the elements it reads, estimated by its shapes (flops.c). */
#ifndef VN_OPS_FLOPS_H
#define VN_OPS_FLOPS_H

#include <vinea/engine.h>

double vn__flops(const vn_program *p, const vn_instr *i);
int64_t vn__elements_read(const vn_program *p, const vn_instr *i, int k); /* of input k */

#endif
