/* rows.c: the loops of softmax and norms over a row, used by ../softmax.c and ../rows.c. */
/* many short loops */
#include "level.h"
#include "exp_negative.h"

enum { LANES = 32 };

#define T float
#define TAG f32
#define M(f) f##_f32
#define INFINITE __builtin_inff()
#include "rows_type.h"
#define T double
#define TAG f64
#define M(f) f##_f64
#define INFINITE __builtin_inf()
#include "rows_type.h"

const vn__rows_table VN_TABLE(rows) = {
    .f32 = {weigh_f32, softmax_backward_f32, log_softmax_backward_f32, normalise_f32, normalise_backward_f32},
    .f64 = {weigh_f64, softmax_backward_f64, log_softmax_backward_f64, normalise_f64, normalise_backward_f64},
};
