/* SPDX-License-Identifier: Apache-2.0 */
/* gelu.c: emit function of gelu in float32: x times a share, erfc(-x / sqrt(2)) / 2, or sigmoid(2 u) where tanh(u) is asked for. Far below
 * 0 the share is an exponential of hundreds, and rounding its argument in float32 leaves few digits: rows of elements with one there, as a
 * rule few, are computed again in float64. */
#include "kernels.h"

#include <math.h>

static TF_Output times_share(builder *b, TF_Output x, int32_t dtype, int by_tanh)
{
    const double twice = M_2_SQRTPI * M_SQRT2; /* 2 sqrt(2 / pi) */
    if (!by_tanh) {
        TF_Output share = node1(b, "Erfc", node2(b, "Mul", x, build_number(b, dtype, -M_SQRT1_2)));
        return node2(b, "Mul", node2(b, "Mul", x, build_number(b, dtype, .5)), share);
    }
    TF_Output slope = node2(b, "Mul", node1(b, "Square", x), build_number(b, dtype, .044715 * twice));
    slope = node2(b, "AddV2", slope, build_number(b, dtype, twice));
    return node2(b, "Mul", x, node1(b, "Sigmoid", node2(b, "Mul", x, slope)));
}

/* Elements of a row: more would be computed again beside one that has to, fewer take longer to look through. */
static int64_t row_length(int64_t count)
{
    int64_t n = 16;
    while (count % n) n /= 2;
    return n;
}

/* The numbers of rows with an element far below 0. As unsigned numbers such floats are the largest, but for NaN. */
static TF_Output far_rows(builder *b, TF_Output rows, int by_tanh)
{
    const int64_t limit =
        by_tanh ? 0xC0200000 : 0xC0330000; /* -2.5, -2.796875: below, float32 leaves an error of more than 7 units in the last place */
    TF_OperationDescription *node = build_begin(b, "Bitcast", 1, &rows);
    if (node) api.TF_SetAttrType(node, "type", TF_UINT32);
    TF_Output top = node2(b, "Max", build_end(b, node), build_ints(b, (int64_t[]){1}, 1));
    return build_flagged(b, node2(b, "Greater", top, build_whole(b, VN_U32, limit)));
}

enum { APPROXIMATE }; /* options */

int emit_gelu(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    const int by_tanh = instr->options[APPROXIMATE].u.i != 0;
    if (!out->count) return build_out(b, build_in(b, 0));
    const int64_t n = row_length(out->count), form[] = {out->count / n, n};
    TF_Output rows = build_reshape(b, build_in(b, 0), out->rank, out->dims, 2, form), far = far_rows(b, rows, by_tanh);
    TF_Output wide = build_cast(b, build_rows(b, rows, far), VN_F32, VN_F64);
    TF_Output again = build_cast(b, times_share(b, wide, VN_F64, by_tanh), VN_F64, VN_F32);
    TF_Output y = build_put_rows(b, times_share(b, rows, VN_F32, by_tanh), far, again);
    return build_out(b, build_reshape(b, y, 2, form, out->rank, out->dims));
}
