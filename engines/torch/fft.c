/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: Fourier transforms, by the ops behind torch.fft, whose normalization has the numbers of the op table's norm: nothing (0), the root
 * of the length (1), the length (2). */
#include "work.h"

static const torch_op transform = {"aten::_fft_c2c", "", "0Iii"};
static const torch_op of_real = {"aten::_fft_r2c", "", "0Iit"};
static const torch_op to_real = {"aten::_fft_c2r", "", "0Iii"};

static const helper helpers[] = {{&transform, MATRIX_OF(VN_C64)}, {&of_real, MATRIX_OF(VN_F32)}, {&to_real, MATRIX_OF(VN_C64)}};
family transforms = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { NORM, AXIS, INVERSE, N = AXIS }; /* options */

int dft(const vn_kernel_call *call, const recipe *r)
{
    const vn_option *o = call->instr->options;
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    return end(&w, with(&w, &transform, TENSORS(call->in[0]->t), OPTIONS(o[AXIS], o[NORM], INT(!o[INVERSE].u.i))));
}

int rdft(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    return end(&w, with(&w, &of_real, TENSORS(call->in[0]->t), OPTIONS(INT(desc_out(call)->rank - 1), call->instr->options[NORM])));
}

int irdft(const vn_kernel_call *call, const recipe *r)
{
    const vn_option *o = call->instr->options;
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    return end(&w, with(&w, &to_real, TENSORS(call->in[0]->t), OPTIONS(INT(desc_out(call)->rank - 1), o[NORM], o[N])));
}
