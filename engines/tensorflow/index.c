/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: emit functions of take, index_add, index_set, bincount, concat and stride.
 *
 * An array is reshaped to (outer, length, inner) around its axis, so that rank does not matter. Positions are clamped in the graph:
 * a position out of range is an error in TensorFlow, but here it reads a fill value and writes nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* What is indexed: x (outer, length, inner) at `count` positions. */
typedef struct axis_view {
    int64_t outer, length, inner, count;
} axis_view;

static axis_view view_along(const vn_desc *x, int64_t axis, int64_t count)
{
    axis_view v = {1, x->dims[axis], 1, count};
    for (int i = 0; i < x->rank; i++)
        if (i != axis) *(i < axis ? &v.outer : &v.inner) *= x->dims[i];
    return v;
}

enum { MANY_ROWS = 8, MANY_ELEMENTS = 1 << 10 };

/* Are there many rows, of which single elements are indexed? TensorFlow is four times as fast where it copies rows, so x is transposed:
 * (1, length, outer). Not if x has more elements than are read or written. */
static int is_transposed(const axis_view *v, const vn_desc *x)
{
    const int64_t moved = v->outer * v->count;
    return v->inner == 1 && v->outer >= MANY_ROWS && moved >= MANY_ELEMENTS && moved >= x->count;
}

static axis_view transposed_view(const axis_view *v)
{
    return (axis_view){1, v->length, v->outer, v->count};
}

/* (rows, columns) as (columns, rows) */
static TF_Output swap(builder *b, TF_Output x, int64_t rows, int64_t columns)
{
    return build_permute(b, node2(b, "Reshape", x, build_ints(b, (int64_t[]){rows, columns}, 2)), 2, (int64_t[]){1, 0});
}

/* The positions of input 1, flattened and made nonnegative. *inside: which of them are in range. */
static TF_Output positions(builder *b, const axis_view *v, TF_Output *inside)
{
    const vn_desc *index = build_in_desc(b, 1);
    TF_Output at = build_cast(b, build_in(b, 1), index->dtype, VN_I64), length = build_whole(b, VN_I64, v->length);
    at = build_reshape(b, at, index->rank, index->dims, 1, &v->count);
    at = choose(b, node2(b, "Less", at, build_number(b, VN_I64, 0)), node2(b, "AddV2", at, length), at);
    TF_Output without_sign = build_relabel(b, at, VN_I64, VN_U64); /* a negative position is a large unsigned number */
    *inside = node2(b, "Less", without_sign, build_whole(b, VN_U64, v->length));
    return at;
}

/* The elements of x at clamped positions: (outer, count, inner). GatherNd is faster for single elements. */
static TF_Output gather(builder *b, const axis_view *v, TF_Output x, TF_Output at)
{
    int64_t seen[] = {v->outer, v->length, v->inner};
    if (v->outer > 1 || v->inner > 1)
        return node3(b, "GatherV2", node2(b, "Reshape", x, build_ints(b, seen, 3)), at, build_number(b, VN_I64, 1));
    at = build_reshape(b, at, 1, &v->count, 2, (int64_t[]){v->count, 1});
    return node2(b, "GatherNd", node2(b, "Reshape", x, build_ints(b, seen + 1, 1)), at);
}

/* y (outer, count, inner) with the fill value in rows that are out of range. There are usually few or none of them, so they are
 * overwritten: a select for every element would take longer than the gather. */
static TF_Output mark_missing(builder *b, const axis_view *v, TF_Output y, TF_Output inside, TF_Output missing)
{
    int64_t rows[] = {v->outer * v->count, v->inner};
    TF_Output outside = node1(b, "LogicalNot", inside), zero = build_ints(b, (int64_t[]){0}, 1), one = build_ints(b, (int64_t[]){1}, 1);
    if (v->outer > 1) {
        outside = node2(b, "BroadcastTo", outside, build_ints(b, (int64_t[]){v->outer, v->count}, 2));
        outside = node2(b, "Reshape", outside, build_ints(b, rows, 1));
    }
    TF_Output which = node1(b, "Where", outside);
    TF_OperationDescription *node = build_begin(b, "Shape", 1, &which);
    if (node) api.TF_SetAttrType(node, "out_type", TF_INT64);
    TF_Output dims[] = {node3(b, "Slice", build_end(b, node), zero, one), build_ints(b, &v->inner, 1)};
    TF_Output values = node2(b, "Fill", build_concat(b, 2, dims, 0), missing);
    y = node2(b, "Reshape", y, build_ints(b, rows, 2));
    return node3(b, "TensorScatterUpdate", y, which, values);
}

enum { AXIS }; /* options */

/* inputs: x, index. Out of range, the first element is read and then overwritten with the fill value. */
int emit_take(void *builder_, const vn_program *program, const vn_instr *instr)
{
    static const char *const takes[] = {"GatherV2", "GatherNd", "TensorScatterUpdate", "Fill", NULL};
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    int32_t inner = build_lift_all(b, takes, x->dtype);
    double missing = VN_BIT(x->dtype) & VN_INEXACT ? (double)NAN : 0;
    axis_view v = view_along(x, instr->options[AXIS].u.i, program->values[instr->in[1]].count);
    if (v.length == 0 || out->count == 0)
        return build_out(b, build_relabel(b, build_full(b, inner, out->rank, out->dims, missing), inner, out->dtype));
    const int transposed = is_transposed(&v, x);
    TF_Output inside, at = positions(b, &v, &inside), y = build_relabel(b, build_in(b, 0), x->dtype, inner);
    at = choose(b, inside, at, build_number(b, VN_I64, 0));
    if (transposed) y = swap(b, y, v.outer, v.length), v = transposed_view(&v);
    y = mark_missing(b, &v, gather(b, &v, y, at), inside, build_number(b, inner, missing));
    if (transposed) y = swap(b, y, v.count, v.inner);
    return build_out(b, build_relabel(b, node2(b, "Reshape", y, build_ints(b, out->dims, out->rank)), inner, out->dtype));
}

/* Positions along an axis as row numbers of the array reshaped to (outer * length, inner); -1 if out of range. */
static TF_Output row_numbers(builder *b, const axis_view *v)
{
    int64_t rows = v->outer * v->count;
    TF_Output inside, at = positions(b, v, &inside), none = build_number(b, VN_I64, -1);
    if (v->outer > 1) {
        TF_Output first =
            node3(b, "Range", build_number(b, VN_I64, 0), build_whole(b, VN_I64, v->outer * v->length), build_whole(b, VN_I64, v->length));
        at = node2(b, "AddV2", build_reshape(b, first, 1, &v->outer, 2, (int64_t[]){v->outer, 1}), at);
        at = choose(b, inside, at, none);
        at = build_reshape(b, at, 2, (int64_t[]){v->outer, v->count}, 2, (int64_t[]){rows, 1});
    } else {
        at = build_reshape(b, choose(b, inside, at, none), 1, &v->count, 2, (int64_t[]){rows, 1});
    }
    return at;
}

enum { FEW_COLUMNS = 4, FEW_SUMS = 16 };

/* Is index_add faster by UnsortedSegmentSum? It takes a fifth of the time of TensorScatterAdd for rows of one element, and as much for rows
 * of many; but it makes an array as large as x. Of integers: x plus a sum is rounded in another way than x plus one number after the other. */
static int by_segments(const char *op, const axis_view *v, const vn_desc *x, const vn_desc *y)
{
    return !strcmp(op, "TensorScatterAdd") && VN_BIT(x->dtype) & VN_INTS && v->inner < FEW_COLUMNS && x->count / FEW_SUMS <= y->count;
}

/* x (rows, inner) with the sums of y by row number added. */
static TF_Output add_segments(builder *b, TF_Output x, TF_Output numbers, TF_Output y, const int64_t *seen)
{
    TF_Output flat = node2(b, "Reshape", numbers, build_ints(b, (int64_t[]){-1}, 1));
    return node2(b, "AddV2", x, node3(b, "UnsortedSegmentSum", y, flat, build_whole(b, VN_I64, seen[0])));
}

/* inputs: x, index, y. TensorFlow processes the rows in order: the last of repeated positions wins, and sums are in
 * order. */
int emit_index_put(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const char *op = ((const spec *)instr->row->data)->ops[0];
    const vn_desc *x = &program->values[instr->in[0]], *y = &program->values[instr->in[2]];
    axis_view v = view_along(x, instr->options[AXIS].u.i, program->values[instr->in[1]].count);
    if (x->count == 0 || y->count == 0) return build_out(b, build_in(b, 0));
    const int transposed = is_transposed(&v, x);
    const axis_view whole = v;
    if (transposed) v = transposed_view(&v);
    const int segments = by_segments(op, &v, x, y);
    static const char *const sums[] = {"UnsortedSegmentSum", "AddV2", NULL};
    int32_t inner = segments ? build_lift_all(b, sums, x->dtype) : build_lift(b, op, x->dtype);
    int64_t seen[] = {v.outer * v.length, v.inner}, put[] = {v.outer * v.count, v.inner};
    TF_Output to = build_relabel(b, build_in(b, 0), x->dtype, inner), from = build_relabel(b, build_in(b, 2), y->dtype, inner), z;
    to = transposed ? swap(b, to, whole.outer, whole.length) : build_reshape(b, to, x->rank, x->dims, 2, seen);
    from = transposed ? swap(b, from, whole.outer, whole.count) : build_reshape(b, from, y->rank, y->dims, 2, put);
    if (segments) {
        z = add_segments(b, to, row_numbers(b, &v), from, seen);
    } else {
        TF_OperationDescription *node = build_begin(b, op, 3, (TF_Output[]){to, row_numbers(b, &v), from});
        if (node) api.TF_SetAttrString(node, "bad_indices_policy", "IGNORE", 6);
        z = build_end(b, node);
    }
    if (transposed) z = swap(b, z, v.length, v.inner);
    z = node2(b, "Reshape", z, build_ints(b, x->dims, x->rank));
    return build_out(b, build_relabel(b, z, inner, x->dtype));
}

enum { LENGTH }; /* options */

/* DenseBincount counts what is below the length, and refuses what is below 0. */
int emit_bincount(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    TF_Output length = build_whole(b, VN_I64, instr->options[LENGTH].u.i);
    if (x->count == 0 || out->count == 0) return build_out(b, build_full(b, VN_I64, 1, out->dims, 0));
    TF_Output at = build_reshape(b, build_cast(b, build_in(b, 0), x->dtype, VN_I64), x->rank, x->dims, 1, &x->count);
    at = choose(b, node2(b, "Less", at, build_number(b, VN_I64, 0)), length, at);
    return build_out(b, node3(b, "DenseBincount", at, length, build_full(b, VN_I64, 1, (int64_t[]){0}, 0)));
}

TF_Output build_concat(builder *b, int n, const TF_Output *parts, int axis)
{
    if (n == 1) return parts[0];
    TF_Output along = build_number(b, VN_I64, axis);
    TF_OperationDescription *node = build_begin(b, "ConcatV2", 0, NULL);
    if (!node) return (TF_Output){0};
    api.TF_AddInputList(node, parts, n);
    api.TF_AddInput(node, along);
    return build_end(b, node);
}

/* inputs: any number of arrays */
int emit_concat(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    TF_Output *parts = malloc((size_t)instr->n_in * sizeof *parts);
    if (!parts) return host->error(VN_E_MEM, "tensorflow: concat: out of memory");
    int32_t dtype = program->values[instr->out].dtype, inner = build_lift(b, "ConcatV2", dtype);
    for (int k = 0; k < instr->n_in; k++) {
        parts[k] = build_cast(b, build_in(b, k), program->values[instr->in[k]].dtype, dtype);
        parts[k] = build_relabel(b, parts[k], dtype, inner);
    }
    TF_Output all = build_concat(b, instr->n_in, parts, (int)instr->options[AXIS].u.i);
    free(parts);
    return build_out(b, build_relabel(b, all, inner, dtype));
}

static TF_Output every(builder *b, TF_Output x, int rank, const int64_t *dims, const int64_t *steps)
{
    int64_t start[VN_MAX_RANK] = {0};
    TF_Output in[] = {x, build_ints(b, start, rank), build_ints(b, dims, rank), build_ints(b, steps, rank)};
    return build_node(b, "StridedSlice", 4, in);
}

enum { STEPS }; /* options: one for each axis */

/* Arrays of high rank are processed axis by axis, as (before, dim, after). */
int emit_stride(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    const int64_t *steps = instr->options[STEPS].u.is;
    int32_t inner = build_lift(b, "StridedSlice", x->dtype);
    TF_Output y = build_relabel(b, build_in(b, 0), x->dtype, inner);
    int64_t now[VN_MAX_RANK];
    if (x->rank == 0) return build_out(b, build_in(b, 0));
    if (x->rank <= MAX_DIRECT_RANK) return build_out(b, build_relabel(b, every(b, y, x->rank, x->dims, steps), inner, x->dtype));
    for (int a = 0; a < x->rank; a++) now[a] = x->dims[a];
    for (int a = 0; a < x->rank; a++) {
        if (now[a] == out->dims[a]) continue;
        axis_view v = view_along(&(vn_desc){.rank = x->rank, .dims = now}, a, 0);
        int64_t seen[] = {v.outer, v.length, v.inner}, left[] = {v.outer, out->dims[a], v.inner}, step[] = {1, steps[a], 1};
        y = every(b, build_reshape(b, y, x->rank, now, 3, seen), 3, seen, step);
        now[a] = out->dims[a];
        y = build_reshape(b, y, 3, left, x->rank, now);
    }
    return build_out(b, build_relabel(b, y, inner, x->dtype));
}
