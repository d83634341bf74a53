/* SPDX-License-Identifier: Apache-2.0 */
/* gelu.c: x times a share, erfc(-x / sqrt(2)) / 2, or sigmoid(2 u) where tanh(u) is asked for. Far below 0 the share is an exponential of
 * hundreds, and rounding its argument in float32 leaves few digits. Elements there, as a rule few, are computed again in float64. */
#include "work.h"

#include <math.h>

static const torch_op complement = {"aten::erfc_", "", "0>x"};
static const torch_op logistic = {"aten::sigmoid_", "", "0>x"};
static const torch_op times = {"aten::mul_", "Tensor", "01>x"};

static const helper helpers[] = {{&complement, MATRIX_OF(VN_F32)}, {&logistic, MATRIX_OF(VN_F32)}, {&times, MATRIX_OF(VN_F32)}};
family gelu_functions = {helpers, sizeof helpers / sizeof helpers[0], NULL};

static void multiply(work *w, tensor *y, tensor *by)
{
    into(w, &times, TENSORS(y, by), NO_OPTIONS);
}

/* In the work's dtype, step by step in one new array. */
static tensor *times_share(work *w, tensor *x, bool by_tanh)
{
    const double twice = M_2_SQRTPI * M_SQRT2; /* 2 sqrt(2 / pi) */
    tensor *y = product_of(w, x, by_tanh ? x : number(w, -M_SQRT1_2));
    if (by_tanh) {
        multiply(w, y, number(w, .044715 * twice));
        y = sum_of(w, y, number(w, twice), 1);
        multiply(w, y, x);
    }
    into(w, by_tanh ? &logistic : &complement, TENSORS(y), NO_OPTIONS);
    multiply(w, y, x);
    if (!by_tanh) multiply(w, y, number(w, .5));
    return y;
}

/* Below this float32 leaves an error of more than 7 units in the last place. */
static float limit_of(bool by_tanh)
{
    return by_tanh ? -2.5F : -2.8F;
}

enum { BLOCK = 16 }; /* elements of which as a rule none is far below 0; this many at once are vectors for the compiler */

static int32_t count_below(const float *x, int64_t n, float limit)
{
    int32_t count = 0;
    if (n == BLOCK)
        for (int i = 0; i < BLOCK; i++) count += x[i] < limit;
    else
        for (int64_t i = 0; i < n; i++) count += x[i] < limit;
    return count;
}

/* Elements far below 0 and where they stand; both have room for one more. Without the room: how many they are. */
static int64_t gather(const float *x, int64_t n, float limit, double *far, int64_t *places)
{
    int64_t found = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t some = n - first < BLOCK ? n - first : BLOCK;
        const int32_t here = count_below(x + first, some, limit);
        if (far && here) {
            int64_t k = found;
            for (int64_t i = first; i < first + some; i++) { /* without a branch for each element */
                far[k] = x[i];
                places[k] = i;
                k += x[i] < limit;
            }
        }
        found += here;
    }
    return found;
}

enum { APPROXIMATE }; /* options */

/* float32 */
int gelu(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    const vn_desc *desc = desc_in(call, 0);
    const bool by_tanh = call->instr->options[APPROXIMATE].u.i != 0;
    tensor *x = row_major(&w, operand(&w, 0), desc), *y = times_share(&w, x, by_tanh);
    const float *from = data_of(&w, x);
    float *to = room_of(&w, y);
    const int64_t n = w.code ? 0 : gather(from, desc->count, limit_of(by_tanh), NULL, NULL), room = n + 1;
    if (!n) return end(&w, y);
    tensor *far = fresh(&w, 1, &room, VN_F64), *places = fresh(&w, 1, &room, VN_I64);
    double *values = room_of(&w, far);
    int64_t *at = room_of(&w, places);
    if (!w.code) gather(from, desc->count, limit_of(by_tanh), values, at);
    w.dtype = VN_F64;
    const double *exact = data_of(&w, times_share(&w, far, by_tanh));
    for (int64_t k = 0; k < n && !w.code; k++) to[at[k]] = (float)exact[k];
    return end(&w, y);
}
