/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h: shared by the files of the suite "ops". Its cases are `test`s of conformance/lines/case.h: case lines or random ones. */
#ifndef VN_OPS_SUITE_H
#define VN_OPS_SUITE_H

#include "conformance/lines/case.h"
#include "conformance/lines/lines.h"
#include "suite.h"

/* ops_random.c: inputs and options of the op for the trial's dtype: sampled shapes and special values if the op takes any shape,
 * otherwise a case line (of[0..n-1]: the op's lines with results) with its values changed. False with c->why set. Call test_free in either
 * case. */
bool ops_sample(trial *t, const vn_op_info *op, const line *const *of, int n, test *c);
/* Are the sampled numbers ordinary, so that derivatives can be compared? */
bool ops_ordinary(const trial *t);

/* ops_truth.c: fills c->expected and the tolerances: the native engine's result or, on that engine, the same op in the widest dtype,
 * rounded once. False with c->why set. */
bool ops_expect(const trial *t, test *c);

/* Allocates an input: memory for numbers and data. */
bool ops_operand(test *c, operand *o, int dtype, vn_shape s);
/* Sets real number i of the operand, rounded to its dtype. */
void ops_put(operand *o, int64_t i, double v);

#endif
