/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: loops over a query's scores, between the matrix products of ../attention.c. */
/* many short loops */
#include "level.h"
#include "exp_negative.h"

enum { LANES = 64 };

#define BODY "attention_type.h"
#include "float_types.h"

const vn__attention_table VN_TABLE(attention) = {
    .f32 = {scores_f32, weigh_f32, fade_f32, divide_f32, slopes_f32},
    .f64 = {scores_f64, weigh_f64, fade_f64, divide_f64, slopes_f64},
};
