/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: emit functions of Fourier transforms, which TensorFlow has along the last axis. Its inverse ones divide by the length, the others
 * by nothing; what the op's norm asks for is multiplied. */
#include "kernels.h"

#include <math.h>

/* y times what is left of norm: nothing (0), 1 / sqrt(n) (1) or 1 / n (2), where y is divided by n already if `divided`. */
static TF_Output scaled(builder *b, TF_Output y, int32_t dtype, int64_t norm, int64_t n, int divided)
{
    const double by = pow((double)n, (divided ? 1 : 0) - (double)norm / 2);
    return by == 1 ? y : node2(b, "Mul", y, build_number(b, dtype, by));
}

enum { NORM, AXIS, INVERSE, N = AXIS }; /* options */

/* An axis other than the last is moved to the end, and back. */
int emit_dft(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]];
    const int64_t axis = instr->options[AXIS].u.i;
    const int inverse = instr->options[INVERSE].u.i != 0;
    if (x->count == 0) return build_out(b, build_full(b, x->dtype, x->rank, x->dims, 0));
    int64_t whole[] = {1, 1, 1}; /* before the axis, along it, after it */
    for (int k = 0; k < x->rank; k++) whole[k < axis ? 0 : k > axis ? 2 : 1] *= x->dims[k];
    TF_Output y = build_reshape(b, build_in(b, 0), x->rank, x->dims, 3, whole);
    y = node1(b, inverse ? "IFFT" : "FFT", whole[2] != 1 ? build_transpose(b, y) : build_reshape(b, y, 3, whole, 2, whole));
    y = scaled(b, y, x->dtype, instr->options[NORM].u.i, whole[1], inverse);
    y = whole[2] != 1 ? build_transpose(b, y) : build_reshape(b, y, 2, whole, 3, whole);
    return build_out(b, build_reshape(b, y, 3, whole, x->rank, x->dims));
}

/* The row's op, between n real numbers and the first half of their spectrum. */
static TF_Output real_transform(builder *b, const char *op, int32_t real, int64_t n)
{
    TF_Output length = build_cast(b, build_ints(b, &n, 1), VN_I64, VN_I32);
    TF_OperationDescription *node = build_begin(b, op, 2, (TF_Output[]){build_in(b, 0), length});
    if (node) {
        api.TF_SetAttrType(node, "Treal", api_dtype(real));
        api.TF_SetAttrType(node, "Tcomplex", api_dtype(real == VN_F64 ? VN_C128 : VN_C64));
    }
    return build_end(b, node);
}

int emit_rdft(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    const int64_t n = x->dims[x->rank - 1];
    if (out->count == 0) return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
    return build_out(b, scaled(b, real_transform(b, "RFFT", x->dtype, n), out->dtype, instr->options[NORM].u.i, n, 0));
}

int emit_irdft(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    const int64_t n = instr->options[N].u.i;
    if (out->count == 0) return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
    return build_out(b, scaled(b, real_transform(b, "IRFFT", out->dtype, n), out->dtype, instr->options[NORM].u.i, n, 1));
}
