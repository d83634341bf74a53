/* SPDX-License-Identifier: Apache-2.0 */
/* build.h: builds the graph of one program; used by the emit functions (kernels.c, shapes.c ...).
 *
 * The first error is sticky: it is set once, with the op's name, and every later call does nothing and returns an empty output. So emit
 * functions nest their calls without checks: return build_out(b, build_node(b, "Neg", 1, &x)). */
#ifndef TENSORFLOW_BUILD_H
#define TENSORFLOW_BUILD_H

#include "api.h"

/* How an op may be computed in another dtype if TensorFlow has no kernel for the requested one. */
typedef enum lift {
    LIFT_VALUE, /* only in a dtype that holds all values: uint8 in int16, float16 in float32 */
    LIFT_WRAP,  /* also in the integer of the same size, bit by bit: right for arithmetic modulo 2^n */
    LIFT_BITS   /* in any dtype of the same size: right for ops that only move elements */
} lift;

/* row.data: the TensorFlow ops that the emit function uses, starting with the main one, and how dtypes may be lifted. */
typedef struct spec {
    const char *ops[28];
    lift lift;
    int product;   /* it multiplies and adds, more often than it touches elements */
    int wide_half; /* half precision is always computed in float32, for ops that accumulate */
    uint32_t same; /* dtypes for which the result is x */
    double number; /* for the emit function */
} spec;

typedef struct builder {
    const vn_program *program;
    const vn_instr *instr; /* the instruction being emitted */
    TF_Graph *graph;
    TF_Status *status;
    TF_Output *values; /* n_values */
    int n_nodes;       /* without the placeholders */
    int code;          /* the first error */
} builder;

/* The k-th input of the instruction being emitted, and its desc; the desc of its output. */
TF_Output build_in(builder *b, int k);
const vn_desc *build_in_desc(const builder *b, int k);
const vn_desc *build_out_desc(const builder *b);

/* The instruction that computes a value; NULL for an input of the program. */
const vn_instr *build_maker(const builder *b, int32_t number);

/* Sets `y` as the instruction's result, or the k-th one, after comparing shape and dtype with what the core expects. Returns the
 * builder's code. */
int build_out(builder *b, TF_Output y);
int build_out_at(builder *b, int k, TF_Output y);

/* A node with the given inputs and no attributes beyond defaults and inferred types: its first output. */
TF_Output build_node(builder *b, const char *op, int n, const TF_Output *in);

/* Nodes with one, two and three inputs; SelectV2. */
TF_Output node1(builder *b, const char *op, TF_Output x);
TF_Output node2(builder *b, const char *op, TF_Output x, TF_Output y);
TF_Output node3(builder *b, const char *op, TF_Output x, TF_Output y, TF_Output z);
TF_Output choose(builder *b, TF_Output condition, TF_Output x, TF_Output y);

/* Another output of y's node. */
TF_Output build_also(TF_Output y, int index);

/* The same in two parts, with api.TF_SetAttr... calls in between; NULL after an error. */
TF_OperationDescription *build_begin(builder *b, const char *op, int n, const TF_Output *in);
TF_Output build_end(builder *b, TF_OperationDescription *node);

/* Constants: int64 in one dimension; one number without dimensions, of any dtype. */
TF_Output build_ints(builder *b, const int64_t *values, int n);
TF_Output build_number(builder *b, int32_t dtype, double value);
TF_Output build_whole(builder *b, int32_t dtype, int64_t value); /* an integer or bool */

/* An array of one number. */
TF_Output build_full(builder *b, int32_t dtype, int rank, const int64_t *dims, double value);

/* An input of the graph. */
TF_Output build_placeholder(builder *b, int number, const vn_desc *desc);

/* The dtype in which to compute TensorFlow's `op`, or all of `ops` up to NULL, for `dtype`, by the row's spec; VN_E_UNSUPPORTED if there is
 * none. */
int32_t build_lift(builder *b, const char *op, int32_t dtype);
int32_t build_lift_all(builder *b, const char *const *ops, int32_t dtype);

/* x in another dtype: by value, or as build_lift requires (the same bits if the sizes are equal). x itself if nothing changes. */
TF_Output build_cast(builder *b, TF_Output x, int32_t from, int32_t to);
TF_Output build_relabel(builder *b, TF_Output x, int32_t from, int32_t to);

/* x with new dims; x itself if they are the same. */
TF_Output build_reshape(builder *b, TF_Output x, int from_rank, const int64_t *from, int rank, const int64_t *dims);

/* Axes in another order; (batch, m, n) as (batch, n, m). */
TF_Output build_permute(builder *b, TF_Output x, int rank, const int64_t *order);
TF_Output build_transpose(builder *b, TF_Output x);

/* For rare cases: int32 numbers of the rows with a flag, (n); those rows of x; and y with `rows` at their places, which
 * overwrites y, so nothing else may read y. */
int build_can_put_rows(int32_t dtype); /* whether this TensorFlow has what it takes */
TF_Output build_flagged(builder *b, TF_Output flags);
TF_Output build_rows(builder *b, TF_Output x, TF_Output numbers);
TF_Output build_put_rows(builder *b, TF_Output y, TF_Output numbers, TF_Output rows);

/* Fails with a message about the instruction being emitted. */
void build_fail(builder *b, int code, const char *why);

#endif
