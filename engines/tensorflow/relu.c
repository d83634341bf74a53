/* relu.c: the way back of relu, where(y <= 0, 0, ct) for y = relu(x), by TensorFlow's kernel for it: one pass instead of three.
 *
 * That kernel gives 0 for NaN too. Of the bits of y as unsigned integers it does not: they are 0 for y = 0, and for nothing else relu
 * makes. Both zeros are inputs of a program, known when it runs. Where they are something else, which they never should be, the result is
 * selected after all and written over the kernel's. */
#include <string.h>

#include "registered.h"
#include "rows.h"

enum { CONDITION, ZERO, CT };    /* inputs of where */
enum { FEW_ELEMENTS = 1 << 15 }; /* are selected */

static int is_number(const vn_desc *x)
{
    return x->rank == 0;
}

/* The comparison y <= 0 that the instruction selects by, if it is the way back of relu. */
static const vn_instr *comparison(const builder *b)
{
    const vn_instr *compared = build_maker(b, b->instr->in[CONDITION]);
    if (!compared || strcmp(compared->op, "less_equal") != 0) return NULL;
    const vn_instr *relu = build_maker(b, compared->in[0]);
    if (!relu || strcmp(relu->op, "relu") != 0) return NULL;
    const vn_desc *out = build_out_desc(b), *y = &b->program->values[relu->out];
    const int numbers = is_number(&b->program->values[compared->in[1]]) && is_number(build_in_desc(b, ZERO));
    const int alike = same_dims(y, out) && same_dims(build_in_desc(b, CT), out) && y->dtype == VN_F32 && out->dtype == VN_F32;
    const int kernels = registered_dtypes("ReluGrad") & VN_BIT(VN_U32) && build_can_put_rows(VN_F32);
    return numbers && alike && kernels && out->count > FEW_ELEMENTS ? compared : NULL;
}

int relu_back(builder *b, TF_Output *z)
{
    const vn_instr *compared = comparison(b);
    if (!compared) return 0;
    const vn_desc *out = build_out_desc(b);
    const TF_Output y = b->values[compared->in[0]], bound = b->values[compared->in[1]], zero = build_in(b, ZERO), ct = build_in(b, CT);
    const TF_Output row = build_ints(b, (int64_t[]){1, -1}, 2), one = build_ints(b, (int64_t[]){1}, 1);
    TF_Output bits = node2(b, "ReluGrad", build_relabel(b, ct, VN_F32, VN_U32), build_relabel(b, y, VN_F32, VN_U32));
    TF_Output fast = node2(b, "Reshape", build_relabel(b, bits, VN_U32, VN_F32), row);
    TF_Output plus = node2(b, "Equal", build_relabel(b, zero, VN_F32, VN_I32), build_number(b, VN_I32, 0)); /* -0 is another number */
    TF_Output fine = node2(b, "LogicalAnd", plus, node2(b, "Equal", bound, build_number(b, VN_F32, 0)));
    TF_Output odd = build_flagged(b, node2(b, "Reshape", node1(b, "LogicalNot", fine), one));
    TF_Output y_odd = build_rows(b, node2(b, "Reshape", y, row), odd), ct_odd = build_rows(b, node2(b, "Reshape", ct, row), odd);
    fast = build_put_rows(b, fast, odd, choose(b, node2(b, "LessEqual", y_odd, bound), zero, ct_odd));
    *z = node2(b, "Reshape", fast, build_ints(b, out->dims, out->rank));
    return 1;
}
