/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: the gates of recurrent layers, elementwise, between the matrix products of ../recurrent.c. */
#include "level.h"
#include "exp_negative.h"

#define BODY "recurrent_type.h"
#include "float_types.h"

const vn__recurrent_table VN_TABLE(recurrent) = {
    .f32 = {lstm_f32, lstm_backward_f32, gru_f32, gru_backward_f32},
    .f64 = {lstm_f64, lstm_backward_f64, gru_f64, gru_backward_f64},
};
