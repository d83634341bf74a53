/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.c: the backward pass of softmax, and layer_norm; half precision in float32. Activations that torch has with Scalars that cannot
 * be passed to the dispatcher (elu, softplus) have no rows. */
#include "work.h"

static const torch_op softmax_slope = {"aten::_softmax_backward_data", "", "10iD"};
static const torch_op log_softmax_slope = {"aten::_log_softmax_backward_data", "", "10iD"};
static const torch_op norm_plain = {"aten::native_layer_norm", "", "0Innr>Txx"};
static const torch_op norm_weighted = {"aten::native_layer_norm", "", "0I?1nr>Txx"};
static const torch_op norm_affine = {"aten::native_layer_norm", "", "0I?1?2r>Txx"};

static const helper helpers[] = {
    {&softmax_slope, MATRIX_OF(VN_F32)}, {&log_softmax_slope, MATRIX_OF(VN_F32)}, {&norm_plain, MATRIX_OF(VN_F32)}};
family row_functions = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { AXIS, LOG }; /* options */

int softmax_backward(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    const torch_op *op = call->instr->options[LOG].u.i ? &log_softmax_slope : &softmax_slope;
    return end_wide(&w, apply2(&w, op, operand(&w, 0), operand(&w, 1)));
}

enum { AXES, EPSILON }; /* options */

/* The axes are the last ones; torch takes their sizes. */
int layer_norm(const vn_kernel_call *call, const recipe *r)
{
    static const torch_op *const ops[] = {&norm_plain, &norm_weighted, &norm_affine};
    work w = begin(call, r);
    const vn_desc *x = desc_in(call, 0);
    const int32_t n = call->instr->options[AXES].n, n_in = call->instr->n_in;
    tensor *in[3] = {NULL, NULL, NULL};
    for (int32_t k = 0; k < n_in; k++) in[k] = operand(&w, k);
    return end_wide(&w, with(&w, ops[n_in - 1], in, n_in, OPTIONS(INTS(n, x->dims + x->rank - n), call->instr->options[EPSILON])));
}
