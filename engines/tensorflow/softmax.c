/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.c: emit function of softmax and log_softmax, which TensorFlow has along the last axis of a matrix. */
#include "kernels.h"

#include <string.h>

/* TensorFlow's Softmax gives zeros next to NaN. A row whose largest element is infinite or NaN must be all NaN: adds 0, or inf - inf. */
static TF_Output softmax(builder *b, TF_Output rows)
{
    TF_OperationDescription *node = build_begin(b, "Max", 2, (TF_Output[]){rows, build_ints(b, (int64_t[]){1}, 1)});
    if (node) api.TF_SetAttrBool(node, "keep_dims", 1);
    TF_Output top = build_end(b, node);
    return node2(b, "AddV2", node1(b, "Softmax", rows), node2(b, "Sub", top, top));
}

enum { AXIS }; /* options */

/* An axis other than the last is moved to the end, and back. */
int emit_softmax(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]];
    const char *op = ((const spec *)instr->row->data)->ops[0];
    const int32_t inner = build_lift(b, op, x->dtype);
    int64_t whole[] = {1, 1, 1}; /* before the axis, along it, after it */
    for (int k = 0; k < x->rank; k++) whole[k < instr->options[AXIS].u.i ? 0 : k > instr->options[AXIS].u.i ? 2 : 1] *= x->dims[k];
    const int64_t transposed[] = {whole[0], whole[2], whole[1]}, rows[] = {whole[0] * whole[2], whole[1]};
    const int64_t *form = whole[2] != 1 ? transposed : whole;
    TF_Output y = build_reshape(b, build_relabel(b, build_in(b, 0), x->dtype, inner), x->rank, x->dims, 3, whole);
    if (whole[2] != 1) y = build_transpose(b, y);
    y = build_reshape(b, y, 3, form, 2, rows);
    y = strcmp(op, "Softmax") ? node1(b, op, y) : softmax(b, y);
    y = build_reshape(b, y, 2, rows, 3, form);
    if (whole[2] != 1) y = build_transpose(b, y);
    return build_out(b, build_relabel(b, build_reshape(b, y, 3, whole, x->rank, x->dims), inner, x->dtype));
}
