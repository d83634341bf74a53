/* rows.c: the op table of this engine, and the emit functions of elementwise ops, matmul, sum and cast.
 *
 * An op that fits a family is one row here. compile (program.c) calls row.emit for each instruction; the emit function reads the name
 * of TensorFlow's op and its dtype rule from row.data. */
#include "rows.h"

static const char *main_op(const vn_instr *instr) { return ((const spec *)instr->row->data)->ops[0]; }

/* y = op(x), elementwise, in x's dtype. */
static int unary(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->in[0]].dtype, inner = build_lift(b, main_op(instr), dtype);
    TF_Output x = build_relabel(b, build_in(b, 0), dtype, inner);
    return build_out(b, build_relabel(b, build_node(b, main_op(instr), 1, &x), inner, dtype));
}

/* How many stretches the dims of x and y fall into, by who is broadcast: TensorFlow merges each stretch into one dim. */
static int stretches(const vn_desc *x, const vn_desc *y)
{
    int n = 0, last = -1, rank = x->rank > y->rank ? x->rank : y->rank;
    for (int i = 1; i <= rank; i++) { /* from the right */
        int64_t p = i <= x->rank ? x->dims[x->rank - i] : 1, q = i <= y->rank ? y->dims[y->rank - i] : 1;
        int kind = p == q ? 0 : p == 1 ? 1 : 2;
        if (p == 1 && q == 1) continue;
        n += kind != last;
        last = kind;
    }
    return n;
}

/* Operand k of a binary op, lifted; `whole` asks for it already broadcast. */
static TF_Output operand(builder *b, int k, int32_t inner, int whole)
{
    const vn_desc *x = build_in_desc(b, k), *out = build_out_desc(b);
    TF_Output y = build_relabel(b, build_in(b, k), x->dtype, inner);
    return whole ? spread(b, y, x->rank, x->dims, out->rank, out->dims) : y;
}

/* z = op(x, y), elementwise with broadcasting, all of one dtype. */
static int binary(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int32_t dtype = program->values[instr->out].dtype, inner = build_lift(b, main_op(instr), dtype);
    int whole = stretches(&program->values[instr->in[0]], &program->values[instr->in[1]]) > MAX_STRETCHES;
    TF_Output in[] = {operand(b, 0, inner, whole), operand(b, 1, inner, whole)};
    return build_out(b, build_relabel(b, build_node(b, main_op(instr), 2, in), inner, dtype));
}

/* x: (n..., k), y: (k, m). Many matrices against one are a single product of two matrices. */
static TF_Output matmul_2d(builder *b, TF_Output x, TF_Output y)
{
    const vn_desc *dx = build_in_desc(b, 0), *dy = build_in_desc(b, 1), *out = build_out_desc(b);
    int64_t n = 1, k = dy->dims[0], m = dy->dims[1];
    for (int i = 0; i < dx->rank - 1; i++) n *= dx->dims[i];
    x = build_reshape(b, x, dx->rank, dx->dims, 2, (int64_t[]){n, k});
    return build_reshape(b, build_node(b, "MatMul", 2, (TF_Output[]){x, y}), 2, (int64_t[]){n, m}, out->rank, out->dims);
}

/* Operand k of a product of high rank: broadcast, with all batch dims merged: (batch, rows, columns). */
static TF_Output merged(builder *b, int k, TF_Output x)
{
    const vn_desc *dx = build_in_desc(b, k), *out = build_out_desc(b);
    int64_t whole[VN_MAX_RANK], batch = 1, rows = dx->dims[dx->rank - 2], columns = dx->dims[dx->rank - 1];
    for (int i = 0; i < out->rank - 2; i++) whole[i] = out->dims[i], batch *= out->dims[i];
    whole[out->rank - 2] = rows, whole[out->rank - 1] = columns;
    x = spread(b, x, dx->rank, dx->dims, out->rank, whole);
    return build_reshape(b, x, out->rank, whole, 3, (int64_t[]){batch, rows, columns});
}

/* x: (..., n, k), y: (..., k, m), batch dims broadcast. */
static TF_Output matmul_batch(builder *b, TF_Output x, TF_Output y)
{
    const vn_desc *out = build_out_desc(b);
    if (out->rank <= MAX_DIRECT_RANK) return build_node(b, "BatchMatMulV2", 2, (TF_Output[]){x, y});
    int64_t batch = 1, n = out->dims[out->rank - 2], m = out->dims[out->rank - 1];
    for (int i = 0; i < out->rank - 2; i++) batch *= out->dims[i];
    TF_Output z = build_node(b, "BatchMatMulV2", 2, (TF_Output[]){merged(b, 0, x), merged(b, 1, y)});
    return build_reshape(b, z, 3, (int64_t[]){batch, n, m}, out->rank, out->dims);
}

static int matmul(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    int flat = program->values[instr->in[1]].rank == 2;
    int32_t dtype = program->values[instr->out].dtype, inner = build_lift(b, flat ? "MatMul" : "BatchMatMulV2", dtype);
    TF_Output x = build_relabel(b, build_in(b, 0), dtype, inner), y = build_relabel(b, build_in(b, 1), dtype, inner);
    return build_out(b, build_relabel(b, flat ? matmul_2d(b, x, y) : matmul_batch(b, x, y), inner, dtype));
}

/* options: axes INTS, keepdims INT. Small integers and bool are added in the result's dtype. */
static int reduce(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    const vn_option *axes = &instr->options[0];
    TF_Output y = build_cast(b, build_in(b, 0), x->dtype, out->dtype);
    if (axes->n == 0) return build_out(b, y);
    int32_t inner = build_lift(b, main_op(instr), out->dtype);
    TF_Output in[] = {build_relabel(b, y, out->dtype, inner), build_ints(b, axes->u.is, axes->n)};
    TF_OperationDescription *node = build_begin(b, main_op(instr), 2, in);
    if (node) api.TF_SetAttrBool(node, "keep_dims", instr->options[1].u.i != 0);
    return build_out(b, build_relabel(b, build_end(b, node), inner, out->dtype));
}

/* options: dtype INT, which is also the dtype of the result. */
static int cast(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    return build_out(b, build_cast(b, build_in(b, 0), program->values[instr->in[0]].dtype, program->values[instr->out].dtype));
}

/* TensorFlow's op (and others its emit function uses) with the way its dtypes may be lifted. */
#define OP(lift, ...) &(const spec){{__VA_ARGS__}, lift, 0}
#define WIDE(lift, ...) &(const spec){{__VA_ARGS__}, lift, 1}

const vn_kernel_row all_rows[] = {
    {"add", VN_REAL, NULL, binary, OP(LIFT_WRAP, "AddV2", "BroadcastTo")},
    {"sub", VN_REAL, NULL, binary, OP(LIFT_WRAP, "Sub", "BroadcastTo")},
    {"mul", VN_REAL, NULL, binary, OP(LIFT_WRAP, "Mul", "BroadcastTo")},
    {"neg", VN_REAL, NULL, unary, OP(LIFT_WRAP, "Neg")},
    {"square", VN_REAL, NULL, unary, OP(LIFT_WRAP, "Square")},
    {"exp", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Exp")},
    {"tanh", VN_FLOATS, NULL, unary, OP(LIFT_VALUE, "Tanh")},
    {"matmul", VN_REAL, NULL, matmul, WIDE(LIFT_WRAP, "MatMul", "BatchMatMulV2", "BroadcastTo")},
    {"sum", VN_ANY, NULL, reduce, WIDE(LIFT_WRAP, "Sum")},
    {"reshape", VN_ANY, NULL, emit_reshape, OP(LIFT_BITS, "Reshape")},
    {"broadcast_to", VN_ANY, NULL, emit_broadcast_to, OP(LIFT_BITS, "BroadcastTo")},
    {"permute_dims", VN_ANY, NULL, emit_permute_dims, OP(LIFT_BITS, "Transpose")},
    {"slice", VN_ANY, NULL, emit_slice, OP(LIFT_BITS, "Slice", "Maximum", "Minimum", "Mul", "Gather")},
    {"slice_set", VN_ANY, NULL, emit_slice_set,
     OP(LIFT_BITS, "TensorStridedSliceUpdate", "Slice", "AddV2", "Maximum", "Minimum", "Mul", "Gather")},
    {"cast", VN_ANY, NULL, cast, OP(LIFT_VALUE, "Cast")},
    {0},
};
vn_kernel_row usable_rows[sizeof all_rows / sizeof *all_rows];
