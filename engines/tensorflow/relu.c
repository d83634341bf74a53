/* SPDX-License-Identifier: Apache-2.0 */
/* relu.c: emit function of relu_backward, where(y <= 0, 0, ct) for y = relu(x), by TensorFlow's kernel: one pass instead of three.
 *
 * The kernel would give 0 for NaN too, so it gets the bits as unsigned integers: in relu's results they are 0 only where
 * y is 0. */
#include "registered.h"
#include "kernels.h"

enum { Y, CT };
enum { FEW_ELEMENTS = 1 << 15 }; /* fewer elements use a select */

int emit_relu_backward(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    const TF_Output y = build_in(b, Y), ct = build_in(b, CT);
    if (out->dtype == VN_F32 && out->count > FEW_ELEMENTS && registered_dtypes("ReluGrad") & VN_BIT(VN_U32)) {
        TF_Output bits = node2(b, "ReluGrad", build_relabel(b, ct, VN_F32, VN_U32), build_relabel(b, y, VN_F32, VN_U32));
        return build_out(b, build_relabel(b, bits, VN_U32, VN_F32));
    }
    const int32_t inner = build_lift_all(b, (const char *const[]){"LessEqual", "Select", NULL}, out->dtype);
    const int flat = must_flatten(b, MAX_DIRECT_RANK);
    const TF_Output zero = build_number(b, inner, 0), x = operand(b, Y, inner, flat), by = operand(b, CT, inner, flat);
    const TF_Output zeros = build_full(b, inner, flat ? 1 : out->rank, flat ? &out->count : out->dims, 0);
    return elementwise_out(b, node3(b, "Select", node2(b, "LessEqual", x, zero), zeros, by), inner, flat);
}
