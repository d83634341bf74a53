/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: the loops of softmax and norms over a row, used by ../softmax.c and ../rows.c. */
/* many short loops */
#include "level.h"
#include "exp_negative.h"

enum { LANES = 32 };

#define BODY "rows_type.h"
#include "float_types.h"

const vn__rows_table VN_TABLE(rows) = {
    .f32 = {weigh_f32, softmax_backward_f32, log_softmax_backward_f32, normalise_f32, normalise_backward_f32},
    .f64 = {weigh_f64, softmax_backward_f64, log_softmax_backward_f64, normalise_f64, normalise_backward_f64},
};
