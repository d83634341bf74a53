/* SPDX-License-Identifier: Apache-2.0 */
/* gcd.c: the greatest common divisor, by Euclid's algorithm. Both operands have the shape of the result. */
#include "internal.h"
#include "base/minmax.h"

#define THRESHOLDS_GCD
#include "thresholds.h"

/* The size of a number, as bits: that of the smallest int64 is no int64, and wraps around. */
static uint64_t size_of(uint64_t x, bool is_signed)
{
    return is_signed && x >> 63 ? 0 - x : x;
}

static void unit(void *context, int64_t number, int lane)
{
    const vn__whole_job *j = context;
    const vn__whole *w = j->w;
    const uint64_t *x = (const uint64_t *)(const void *)j->run->slots[w->in[0]],
                   *y = (const uint64_t *)(const void *)j->run->slots[w->in[1]];
    uint64_t *z = (uint64_t *)(void *)j->run->slots[w->out];
    const bool is_signed = w->out_desc.dtype == VN_I64;
    const int64_t first = number * UNIT, end = vn__min(w->out_desc.count, first + UNIT);
    (void)lane;
    for (int64_t i = first; i < end; i++) z[i] = vn__gcd(size_of(x[i], is_signed), size_of(y[i], is_signed));
}

static void run_gcd(const vn__kernel *kernel, const vn__run *run)
{
    vn__whole_job j = {(const vn__whole *)kernel, run};
    vn__native_parallel(run->lanes, vn__ceil_div(j.w->out_desc.count, UNIT), unit, &j);
}

int vn__native_prepare_gcd(vn__graph *g, vn__whole *w)
{
    (void)g;
    w->kernel.run = run_gcd;
    w->kernel.parallel = w->out_desc.count >= PARALLEL;
    return VN_OK;
}
