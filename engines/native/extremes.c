/* SPDX-License-Identifier: Apache-2.0 */
/* extremes.c: running maxima, minima and sums of exponentials along an axis, element by element, so that they are the same for any number of
 * threads. */
/* compiled for speed */
#include "internal.h"
#include "isa/math.h"

#define THRESHOLDS_EXTREMES
#include "thresholds.h"

/* (outer, length, inner); a row is one outer and inner index, its elements are `inner` apart. */
typedef struct rows {
    int64_t length, inner, n, per_unit;
    int32_t dtype;
    bool reverse;
    void (*extreme)(void *values, int64_t *at, const void *from, int64_t n, int64_t step, int64_t first,
                    int64_t next); /* NULL: logcumsumexp */
} rows;

typedef vn__whole_job job;

/* Of equal elements the last one counts, and a NaN always does. values or at may be NULL: not wanted. */
#define EXTREME(name, type, beats)                                                                                      \
    static void name(void *values, int64_t *at, const void *from, int64_t n, int64_t step, int64_t first, int64_t next) \
    {                                                                                                                   \
        const type *x = from;                                                                                           \
        type *z = values, best = x[0];                                                                                  \
        int64_t place = first;                                                                                          \
        for (int64_t k = 0; k < n; k++) {                                                                               \
            const type v = x[k * step];                                                                                 \
            if (beats) best = v, place = first + k * next;                                                              \
            if (z) z[k * step] = best;                                                                                  \
            if (at) at[k * step] = place;                                                                               \
        }                                                                                                               \
    }
#define WHOLE_NUMBERS(X) \
    X(i8, int8_t)        \
    X(i16, int16_t)      \
    X(i32, int32_t)      \
    X(i64, int64_t)      \
    X(u8, uint8_t)       \
    X(u16, uint16_t)     \
    X(u32, uint32_t)     \
    X(u64, uint64_t)
#define OF_INTEGERS(name, type)              \
    EXTREME(largest_##name, type, v >= best) \
    EXTREME(smallest_##name, type, v <= best)
#define OF_FLOATS(name, type)                                                \
    EXTREME(largest_##name, type, (v != v) | ((best == best) & (v >= best))) \
    EXTREME(smallest_##name, type, (v != v) | ((best == best) & (v <= best)))
WHOLE_NUMBERS(OF_INTEGERS)
OF_FLOATS(f32, float)
OF_FLOATS(f64, double)

typedef void extreme(void *values, int64_t *at, const void *from, int64_t n, int64_t step, int64_t first, int64_t next);
#define TABLE(of)                                                                                                                 \
    {                                                                                                                             \
        [VN_I8] = of##_i8, [VN_I16] = of##_i16, [VN_I32] = of##_i32, [VN_I64] = of##_i64, [VN_U8] = of##_u8, [VN_U16] = of##_u16, \
        [VN_U32] = of##_u32, [VN_U64] = of##_u64, [VN_F32] = of##_f32, [VN_F64] = of##_f64                                        \
    }
static extreme *const largest[VN_STEP_DTYPES] = TABLE(largest), *const smallest[VN_STEP_DTYPES] = TABLE(smallest);

/* The sum so far is exp(high) s, with s between 1 and the number of its terms. */
#define EXPONENTIALS(name, type)                                                         \
    static void exponentials_##name(type *z, const type *x, int64_t n, int64_t step)     \
    {                                                                                    \
        double high = -__builtin_inf(), s = 0;                                           \
        for (int64_t k = 0; k < n; k++) {                                                \
            const double v = (double)x[k * step];                                        \
            if (v > high) s = s * exp_f64(high - v) + 1, high = v;                       \
            else if (v == v && v - v != 0) s += v == high && v > 0;                      \
            else s += exp_f64(v - high);                                                 \
            z[k * step] = (type)(s == s && high - high != 0 ? high : high + log_f64(s)); \
        }                                                                                \
    }
EXPONENTIALS(f32, float)
EXPONENTIALS(f64, double)

static void one_row(const job *j, int64_t row)
{
    const vn__whole *w = j->w;
    const rows *p = w->plan;
    const size_t element = vn__native_bytes(p->dtype);
    const int64_t first = p->reverse ? p->length - 1 : 0, step = p->reverse ? -p->inner : p->inner;
    const int64_t start = row / p->inner * p->length * p->inner + row % p->inner + first * p->inner;
    const char *x = j->run->slots[w->in[0]] + (size_t)start * element;
    char *z = w->outs[0] < 0 ? NULL : j->run->slots[w->outs[0]] + (size_t)start * element;
    if (p->extreme) {
        int64_t *at = w->outs[1] < 0 ? NULL : (int64_t *)(void *)j->run->slots[w->outs[1]] + start;
        p->extreme(z, at, x, p->length, step, first, p->reverse ? -1 : 1);
    } else if (p->dtype == VN_F32) {
        exponentials_f32((float *)(void *)z, (const float *)(const void *)x, p->length, step);
    } else {
        exponentials_f64((double *)(void *)z, (const double *)(const void *)x, p->length, step);
    }
}

static void unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const rows *p = j->w->plan;
    const int64_t first = number * p->per_unit, end = vn__min(p->n, first + p->per_unit);
    (void)lane;
    for (int64_t r = first; r < end; r++) one_row(j, r);
}

static void run_rows(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const rows *p = j.w->plan;
    vn__native_parallel(run->lanes, vn__ceil_div(p->n, p->per_unit), unit, &j);
}

enum { AXIS, REVERSE }; /* options */

static int prepare(vn__graph *g, vn__whole *w, extreme *of)
{
    rows *p = w->plan = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    const vn_desc *x = &w->in_desc[0];
    const int64_t axis = w->instr->options[AXIS].u.i;
    const vn__shape3 shape = vn__native_shape3(x, axis, axis);
    p->length = shape.length;
    p->inner = shape.inner;
    p->n = x->count ? x->count / p->length : 0;
    p->per_unit = 1 + UNIT / (p->length + 1);
    p->dtype = x->dtype;
    p->extreme = of;
    p->reverse = w->instr->options[REVERSE].u.i != 0;
    w->kernel.run = run_rows;
    w->kernel.parallel = x->count >= PARALLEL;
    return VN_OK;
}

int vn__native_prepare_cummax(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, largest[w->in_desc[0].dtype]);
}
int vn__native_prepare_cummin(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, smallest[w->in_desc[0].dtype]);
}
int vn__native_prepare_logcumsumexp(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, NULL);
}
