/* SPDX-License-Identifier: Apache-2.0 */
/* fused.c: the engine engines/template with kernels of its own for ops that the native engine composes, and none for those it has one
 * for. So what the core does for such engines, gradients of fused ops and the composition of attention, is computed too. */
#include <math.h>
#include <stdbool.h>

#define vinea_engine_main template_main
#include "../../engines/template/template.c"
#undef vinea_engine_main

/* Computed in double: tanhf and similar functions are too inaccurate for gradients by differences. */
static double selu(double x)
{
    return 1.0507009873554804934193349852946 * (x > 0 ? x : 1.6732632423543772848170429916717 * expm1(x));
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double mish(double x)
{
    return x * tanh(softplus(x));
}

typedef struct {
    double (*apply)(double x);
} unary_op;

static int unary(const vn_kernel_call *call)
{
    const vn_desc *out = &call->program->values[call->instr->out];
    const unary_op *op = call->instr->row->data;
    const bool wide = out->dtype == VN_F64;
    vn_buf *b = NULL;
    int code = make((size_t)out->count * (wide ? sizeof(double) : sizeof(float)), &b);
    if (code) return code;
    for (int64_t k = 0; k < out->count; k++) {
        if (wide) ((double *)b->data)[k] = op->apply(((const double *)call->in[0]->data)[k]);
        else ((float *)b->data)[k] = (float)op->apply(((const float *)call->in[0]->data)[k]);
    }
    call->out[0] = b;
    return VN_OK;
}

#define ROW(name)                                                                                          \
    {                                                                                                      \
        .op = #name, .dtypes = VN_BIT(VN_F32) | VN_BIT(VN_F64), .kernel = unary, .data = &(const unary_op) \
        {                                                                                                  \
            name                                                                                           \
        }                                                                                                  \
    }
static const vn_kernel_row fused_rows[] = {ROW(selu), ROW(silu), ROW(softplus), ROW(mish), {0}};

__attribute__((visibility("default"))) const vn_plugin *vinea_engine_main(const vn_host *given)
{
    static vn_engine fused;
    static const vn_engine *const fused_engines[] = {&fused};
    static const vn_plugin fused_plugin = {.abi = VN_ENGINE_ABI, .size = sizeof(vn_plugin), .n_engines = 1, .engines = fused_engines};
    const vn_plugin *template = template_main(given);
    if (!template) return NULL;
    fused = *template->engines[0];
    fused.name = "fused";
    fused.kernels = fused_rows;
    return &fused_plugin;
}
