/* ops.h: what the parts of the suite "ops" share: a case of it is a `test` of conformance/lines/case.h, a golden line or a sampled one. */
#ifndef VN_OPS_SUITE_H
#define VN_OPS_SUITE_H

#include "conformance/lines/case.h"
#include "conformance/lines/lines.h"
#include "suite.h"

/* ops_random.c: inputs and options of the op for the trial's dtype: shapes of the pool and special values where the op takes any, else a
 * golden line (of[0..n-1]: the op's lines that give a result) with its numbers changed. False with c->why set. test_free in either case. */
bool ops_sample(trial *t, const vn_op_info *op, const line *const *of, int n, test *c);
/* Whether the numbers sampled are ordinary ones, where derivatives can be compared. */
bool ops_ordinary(const trial *t);

/* ops_truth.c: fills c->expected and the tolerances: what the native engine gives or, on that engine, the same op in the widest dtype,
 * rounded once. False with c->why set. */
bool ops_expect(const trial *t, test *c);

/* An input of no elements yet: memory for numbers and data. */
bool ops_operand(test *c, operand *o, int dtype, vn_shape s);
/* Real number i of the operand, as its dtype holds it. */
void ops_put(operand *o, int64_t i, double v);

#endif
