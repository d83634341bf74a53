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

enum { BLOCK = 16 }; /* elements of which as a rule none is far below 0; so many at once are vectors for the compiler */

static bool any_below(const float *x, float limit)
{
    int32_t any = 0;
    for (int i = 0; i < BLOCK; i++) any |= x[i] < limit;
    return any;
}

/* Calls visit(to, k, i) for the k-th element i of x that is below the limit; how many there are. */
static int64_t each_below(const float *x, int64_t n, float limit, void (*visit)(void *to, int64_t k, int64_t i), void *to)
{
    int64_t found = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t end = n - first < BLOCK ? n : first + BLOCK;
        if (end - first == BLOCK && !any_below(x + first, limit)) continue;
        for (int64_t i = first; i < end; i++)
            if (x[i] < limit) visit(to, found++, i);
    }
    return found;
}

typedef struct copying {
    const float *x;
    float *y;
    double *far;
} copying;

static void count(void *to, int64_t k, int64_t i)
{
    (void)to, (void)k, (void)i;
}
static void gather(void *to, int64_t k, int64_t i)
{
    const copying *c = to;
    c->far[k] = c->x[i];
}
static void scatter(void *to, int64_t k, int64_t i)
{
    const copying *c = to;
    c->y[i] = (float)c->far[k];
}

/* float32; options: approximate INT */
int gelu(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    const vn_desc *desc = desc_in(call, 0);
    const bool by_tanh = call->instr->options[0].u.i != 0;
    const float limit = by_tanh ? -2 : -2.8F; /* where float32 has an error of some 5 units in the last place */
    tensor *x = row_major(&w, operand(&w, 0), desc), *y = times_share(&w, x, by_tanh);
    copying c = {data_of(&w, x), room_of(&w, y), NULL};
    const int64_t far = w.code ? 0 : each_below(c.x, desc->count, limit, count, NULL);
    if (!far) return end(&w, y);
    tensor *wide = fresh(&w, 1, &far, VN_F64);
    if ((c.far = room_of(&w, wide))) each_below(c.x, desc->count, limit, gather, &c);
    w.dtype = VN_F64;
    wide = times_share(&w, wide, by_tanh);
    if ((c.far = room_of(&w, wide))) each_below(c.x, desc->count, limit, scatter, &c);
    return end(&w, y);
}
