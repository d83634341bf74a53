/* SPDX-License-Identifier: Apache-2.0 */
/* precision.c: how exactly float32 products are computed: the thread's mode, and what an engine does when asked for one. The mode counts
 * when a program is built, not when an op is recorded, because a program has one. */
#include "core/state.h"
#include "engine/engine.h"
#include "ops/op.h"
#include "ops/options.h"
#include "program/program.h"

static const char *const modes[] = {[VN_PRECISION_EXACT] = "exact", [VN_PRECISION_SPLIT] = "split", [VN_PRECISION_FAST] = "fast",
                                    [VN_PRECISION_TF32] = "tf32",   [VN_PRECISION_BF16] = "bf16",   NULL};

const char *vn__precision_name(uint32_t precision)
{
    return modes[precision];
}

/* The same mode or the next more exact one that the engine has. */
uint32_t vn__precision_on(const vn__engine *e, uint32_t asked)
{
    while (asked != VN_PRECISION_EXACT && !(e->precisions & VN_BIT(asked))) asked--;
    return asked;
}

int vn_matmul_precision(const char *mode)
{
    static const vn_op_option option = {.name = "mode", .texts = modes};
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!mode || !*mode) mode = modes[VN_PRECISION_EXACT];
    if (vn__check_text("matmul_precision", &option, &mode)) return VN_E_ARG;
    s->precision = 0;
    while (modes[s->precision] != mode) s->precision++;
    return VN_OK;
}

const char *vn_matmul_precision_mode(void)
{
    const vn__state *s = vn__enter();
    return modes[s ? s->precision : VN_PRECISION_EXACT];
}
