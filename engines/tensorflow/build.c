/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: nodes, constants and dtypes of a graph under construction. program.c drives it, the emit functions use it. */
#include "build.h"

#include <stdio.h>
#include <string.h>

#include "registered.h"

void build_fail(builder *b, int code, const char *why)
{
    if (b->code) return;
    b->code = host->error(code, "tensorflow: %s: %s", b->instr ? b->instr->op : "program", why);
}

/* Records a failed status. Returns true if there is no error. */
static int well(builder *b)
{
    if (!b->code && api.TF_GetCode(b->status) != TF_OK) b->code = api_error(b->status, b->instr ? b->instr->op : "program");
    return !b->code;
}

TF_Output build_in(builder *b, int k)
{
    return b->values[b->instr->in[k]];
}

const vn_desc *build_in_desc(const builder *b, int k)
{
    return &b->program->values[b->instr->in[k]];
}

const vn_desc *build_out_desc(const builder *b)
{
    return &b->program->values[b->instr->out];
}

const vn_instr *build_maker(const builder *b, int32_t number)
{
    const vn_program *p = b->program;
    int at = number - p->n_inputs; /* or an earlier one, as instructions may have several results */
    if (at >= p->n_instrs) at = p->n_instrs - 1;
    while (at >= 0 && p->instrs[at]->out > number) at--;
    return at < 0 ? NULL : p->instrs[at];
}

/* Does TensorFlow's shape inference agree with the core's, as far as it is known? */
static int shape_agrees(builder *b, TF_Output y, const vn_desc *desc)
{
    int64_t dims[VN_MAX_RANK];
    int rank = api.TF_GraphGetTensorNumDims(b->graph, y, b->status);
    if (!well(b) || rank < 0) return 1;
    if (rank != desc->rank) return 0;
    api.TF_GraphGetTensorShape(b->graph, y, dims, rank, b->status);
    if (!well(b)) return 1;
    for (int i = 0; i < rank; i++)
        if (dims[i] >= 0 && dims[i] != desc->dims[i]) return 0;
    return 1;
}

int build_out_at(builder *b, int k, TF_Output y)
{
    const vn_desc *desc = &b->program->values[b->instr->out + k];
    if (b->code) return b->code;
    if (api.TF_OperationOutputType(y) != api_dtype(desc->dtype)) build_fail(b, VN_E_ENGINE, "the graph gives another dtype than expected");
    else if (!shape_agrees(b, y, desc)) build_fail(b, VN_E_ENGINE, "the graph gives another shape than expected");
    b->values[b->instr->out + k] = y;
    return b->code;
}

int build_out(builder *b, TF_Output y)
{
    return build_out_at(b, 0, y);
}

TF_OperationDescription *build_begin(builder *b, const char *op, int n, const TF_Output *in)
{
    char name[24];
    if (b->code) return NULL;
    snprintf(name, sizeof name, "n%d", b->n_nodes++);
    TF_OperationDescription *node = api.TF_NewOperation(b->graph, op, name);
    if (!node) return build_fail(b, VN_E_MEM, "out of memory"), NULL;
    for (int i = 0; i < n; i++) api.TF_AddInput(node, in[i]);
    return node;
}

TF_Output build_end(builder *b, TF_OperationDescription *node)
{
    TF_Output y = {0};
    if (!node) return y;
    y.oper = api.TF_FinishOperation(node, b->status);
    return well(b) ? y : (TF_Output){0};
}

TF_Output build_node(builder *b, const char *op, int n, const TF_Output *in)
{
    return build_end(b, build_begin(b, op, n, in));
}

TF_Output node1(builder *b, const char *op, TF_Output x)
{
    return build_node(b, op, 1, &x);
}

TF_Output node2(builder *b, const char *op, TF_Output x, TF_Output y)
{
    return build_node(b, op, 2, (TF_Output[]){x, y});
}

TF_Output node3(builder *b, const char *op, TF_Output x, TF_Output y, TF_Output z)
{
    return build_node(b, op, 3, (TF_Output[]){x, y, z});
}

TF_Output choose(builder *b, TF_Output condition, TF_Output x, TF_Output y)
{
    return node3(b, "SelectV2", condition, x, y);
}

TF_Output build_also(TF_Output y, int index)
{
    return (TF_Output){y.oper, index};
}

static TF_Output constant(builder *b, int32_t dtype, int rank, const int64_t *dims, const void *data, size_t bytes)
{
    if (b->code) return (TF_Output){0};
    TF_Tensor *tensor = api.TF_AllocateTensor(api_dtype(dtype), dims, rank, bytes);
    if (!tensor) return build_fail(b, VN_E_MEM, "out of memory"), (TF_Output){0};
    if (bytes) memcpy(api.TF_TensorData(tensor), data, bytes);
    TF_OperationDescription *node = build_begin(b, "Const", 0, NULL);
    if (node) {
        api.TF_SetAttrType(node, "dtype", api_dtype(dtype));
        api.TF_SetAttrTensor(node, "value", tensor, b->status); /* TF_FinishOperation reports errors too */
    }
    TF_Output y = build_end(b, node);
    api.TF_DeleteTensor(tensor);
    return y;
}

TF_Output build_ints(builder *b, const int64_t *values, int n)
{
    return constant(b, VN_I64, 1, (int64_t[]){n}, values, (size_t)n * sizeof *values);
}

TF_Output build_number(builder *b, int32_t dtype, double value)
{
    if (VN_BIT(dtype) & VN_HALF) return build_cast(b, build_number(b, VN_F32, value), VN_F32, dtype);
    if (dtype == VN_F64) return constant(b, dtype, 0, NULL, &value, sizeof value);
    if (dtype == VN_F32) return constant(b, dtype, 0, NULL, &(float){(float)value}, sizeof(float));
    if (dtype == VN_C64) return constant(b, dtype, 0, NULL, (float[]){(float)value, 0}, 2 * sizeof(float));
    if (dtype == VN_C128) return constant(b, dtype, 0, NULL, (double[]){value, 0}, 2 * sizeof(double));
    return build_whole(b, dtype, (int64_t)value);
}

TF_Output build_whole(builder *b, int32_t dtype, int64_t value)
{
    return constant(b, dtype, 0, NULL, &value, dtype_bytes(dtype)); /* little-endian: its low bytes */
}

TF_Output build_full(builder *b, int32_t dtype, int rank, const int64_t *dims, double value)
{
    return node2(b, "Fill", build_ints(b, dims, rank), build_number(b, dtype, value));
}

TF_Output build_placeholder(builder *b, int number, const vn_desc *desc)
{
    char name[24];
    if (b->code) return (TF_Output){0};
    snprintf(name, sizeof name, "a%d", number);
    TF_OperationDescription *node = api.TF_NewOperation(b->graph, "Placeholder", name);
    if (!node) return build_fail(b, VN_E_MEM, "out of memory"), (TF_Output){0};
    api.TF_SetAttrType(node, "dtype", api_dtype(desc->dtype));
    api.TF_SetAttrShape(node, "shape", desc->dims, desc->rank);
    return build_end(b, node);
}

/* The dtypes that a dtype may be computed in, best first, and the lift each requires. */
static const struct {
    int32_t from, to;
    lift least;
} lifts[] = {
    {VN_U8, VN_I8, LIFT_WRAP},    {VN_U16, VN_I16, LIFT_WRAP},   {VN_U32, VN_I32, LIFT_WRAP},  {VN_U64, VN_I64, LIFT_WRAP},
    {VN_I8, VN_U8, LIFT_WRAP},    {VN_I16, VN_U16, LIFT_WRAP},   {VN_I32, VN_U32, LIFT_WRAP},  {VN_I64, VN_U64, LIFT_WRAP},
    {VN_F16, VN_U16, LIFT_BITS},  {VN_F16, VN_I16, LIFT_BITS},   {VN_BF16, VN_U16, LIFT_BITS}, {VN_BF16, VN_I16, LIFT_BITS},
    {VN_BOOL, VN_U8, LIFT_VALUE}, {VN_BOOL, VN_I32, LIFT_VALUE}, {VN_U8, VN_I16, LIFT_VALUE},  {VN_U8, VN_I32, LIFT_VALUE},
    {VN_I8, VN_I16, LIFT_VALUE},  {VN_I8, VN_I32, LIFT_VALUE},   {VN_U16, VN_I32, LIFT_VALUE}, {VN_I16, VN_I32, LIFT_VALUE},
    {VN_U32, VN_I64, LIFT_VALUE}, {VN_I32, VN_I64, LIFT_VALUE},  {VN_F16, VN_F32, LIFT_VALUE}, {VN_BF16, VN_F32, LIFT_VALUE},
    {VN_F32, VN_F64, LIFT_VALUE},
};

int32_t build_lift(builder *b, const char *op, int32_t dtype)
{
    return build_lift_all(b, (const char *const[]){op, NULL}, dtype);
}

int32_t build_lift_all(builder *b, const char *const *ops, int32_t dtype)
{
    const spec *s = b->instr->row->data;
    uint32_t direct = UINT32_MAX;
    while (*ops) direct &= registered_dtypes(*ops++);
    if (s->wide_half) direct &= ~VN_HALF;
    if (b->code || direct & VN_BIT(dtype)) return dtype;
    for (size_t i = 0; i < sizeof lifts / sizeof *lifts; i++)
        if (lifts[i].from == dtype && lifts[i].least <= s->lift && direct & VN_BIT(lifts[i].to)) return lifts[i].to;
    build_fail(b, VN_E_UNSUPPORTED, "this TensorFlow has no kernel for the dtype");
    return dtype;
}

static TF_Output convert(builder *b, const char *op, const char *attribute, TF_Output x, int32_t to)
{
    TF_OperationDescription *node = build_begin(b, op, 1, &x);
    if (node) api.TF_SetAttrType(node, attribute, api_dtype(to));
    return build_end(b, node);
}

TF_Output build_cast(builder *b, TF_Output x, int32_t from, int32_t to)
{
    return from == to ? x : convert(b, "Cast", "DstT", x, to);
}

TF_Output build_relabel(builder *b, TF_Output x, int32_t from, int32_t to)
{
    int bits = dtype_bytes(from) == dtype_bytes(to) && from != VN_BOOL && to != VN_BOOL; /* Bitcast has no bool */
    return bits && from != to ? convert(b, "Bitcast", "type", x, to) : build_cast(b, x, from, to);
}

TF_Output build_reshape(builder *b, TF_Output x, int from_rank, const int64_t *from, int rank, const int64_t *dims)
{
    int same = from_rank == rank;
    for (int i = 0; same && i < rank; i++) same = from[i] == dims[i];
    return same ? x : build_node(b, "Reshape", 2, (TF_Output[]){x, build_ints(b, dims, rank)});
}

TF_Output build_permute(builder *b, TF_Output x, int rank, const int64_t *order)
{
    return node2(b, "Transpose", x, build_ints(b, order, rank));
}

TF_Output build_transpose(builder *b, TF_Output x)
{
    return build_permute(b, x, 3, (int64_t[]){0, 2, 1});
}

int build_can_put_rows(int32_t dtype)
{
    return registered_dtypes("Where") && registered_dtypes("GatherV2") & registered_dtypes("InplaceUpdate") & VN_BIT(dtype);
}

TF_Output build_flagged(builder *b, TF_Output flags)
{
    TF_Output numbers = build_cast(b, node1(b, "Where", flags), VN_I64, VN_I32);
    return node2(b, "Reshape", numbers, build_ints(b, (int64_t[]){-1}, 1));
}

TF_Output build_rows(builder *b, TF_Output x, TF_Output numbers)
{
    return node3(b, "GatherV2", x, numbers, build_number(b, VN_I64, 0));
}

TF_Output build_put_rows(builder *b, TF_Output y, TF_Output numbers, TF_Output rows)
{
    return node3(b, "InplaceUpdate", y, numbers, rows);
}
