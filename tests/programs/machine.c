/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c: runs a program by plain loops in float64, with a bound for every number (number.h), independent of the library. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* v as a number of the dtype. */
static inline double as_dtype(double v, int dtype)
{
    if (dtype == VN_F32) return (double)(float)v;
    if (v == 0 || v != v || isinf(v)) return v;
    const int keep = dtype == VN_F16 ? 10 : dtype == VN_BF16 ? 7 : 52;
    if (keep == 52) return is_float(dtype) ? v : trunc(v);
    if (dtype == VN_F16 && fabs(v) < 0x1p-14) return rint(v * 0x1p24) * 0x1p-24;
    uint64_t bits; /* rounded to nearest, ties up: the rounding of inputs does not matter */
    memcpy(&bits, &v, sizeof bits);
    bits = (bits + (UINT64_C(1) << (51 - keep))) & ~((UINT64_C(1) << (52 - keep)) - 1);
    memcpy(&v, &bits, sizeof bits);
    return dtype == VN_F16 && fabs(v) > 65504 ? copysign(INFINITY, v) : v;
}

static double special(uint64_t bits, int dtype)
{
    const precision p = precision_of(dtype);
    const double some[] = {NAN, INFINITY, -INFINITY, 0, -0.0, p.most, -p.most, 1, p.least * 4, 1e-3};
    return bits % 4 ? (double)(int64_t)(bits >> 40) * 0x1p-22 - 2 : some[bits >> 8 & 7];
}

static double number_of(const step *s, uint64_t bits)
{
    const double u = (double)(bits >> 11) * 0x1p-53; /* in [0, 1) */
    const int dtype = s->type.dtype;
    const bool whole = !is_float(dtype), minus = dtype != VN_BOOL && !(VN_BIT(dtype) & VN_UNSIGNED);
    switch (s->data) {
    case UNIFORM: return whole ? (minus ? (double)(bits >> 33 & 31) - 16 : (double)(bits >> 33 & 31)) : as_dtype(2 * u - 1, dtype);
    case POSITIVE: return whole ? 1 + (double)(bits >> 33 & 7) : as_dtype(.5 + 1.5 * u, dtype);
    case WHOLE: return minus ? (double)(bits >> 33 & 7) - 3 : (double)(bits >> 33 & 7);
    case ONES: return 1;
    case SPARSE: return bits >> 61 ? 0 : minus ? (double)(bits >> 33 & 7) - 3 : (double)(bits >> 33 & 3);
    case INDEX: return s->limit > 0 ? (double)((bits >> 33) % (uint64_t)s->limit) : 0;
    case BITS: return (double)(bits >> 40 & 1);
    case SPECIAL: return as_dtype(special(bits, dtype), dtype);
    default: /* NORMAL: nearly so, a sum of four */
        if (whole) return minus ? (double)(bits >> 33 & 15) - 8 : (double)(bits >> 33 & 15);
        return as_dtype(
            ((double)(bits & 0xffff) + (double)(bits >> 16 & 0xffff) + (double)(bits >> 32 & 0xffff) + (double)(bits >> 48) - 131070) *
                (1.7 / 65536),
            dtype);
    }
}

double input_number(const step *s, int64_t i)
{
    const double v = s->type.weak ? s->number : number_of(s, mix((s->seed << 32) + (uint64_t)i));
    return s->type.dtype == VN_BOOL ? v != 0 : v;
}

/* ---- walking ---- */

void row_strides(const type *t, int64_t *strides)
{
    int64_t stride = 1;
    for (int a = t->rank - 1; a >= 0; a--) {
        strides[a] = stride;
        stride *= t->dims[a];
    }
}

void walk_begin(walk *w, const type *z)
{
    memset(w, 0, sizeof *w);
    w->rank = z->rank;
    memcpy(w->dims, z->dims, sizeof w->dims);
}

void walk_operand(walk *w, const type *x)
{
    int64_t own[MAX_AXES];
    row_strides(x, own);
    const int new_axes = w->rank - x->rank;
    for (int a = new_axes; a < w->rank; a++) w->strides[w->n][a] = x->dims[a - new_axes] == 1 ? 0 : own[a - new_axes];
    w->n++;
}

/* ---- running ---- */

double machine_growth(const machine *m, int64_t n)
{
    if (!m->native) return (double)n + 4;
    const double in_turn = (double)vn__min(n, 512); /* added sequentially: equal numbers may all be rounded in the same direction */
    return 8 + larger(4 * sqrt((double)vn__min(n, 4096)), in_turn);
}

void machine_step(machine *m, int k)
{
    const step *s = &m->p->steps[k];
    m->values[k] = malloc(((size_t)s->type.count + 1) * sizeof **m->values);
    if (!m->values[k]) return;
    if (s->op) s->op->compute(m, s, m->values[k]);
    for (int64_t i = 0; !s->op && i < s->type.count; i++) m->values[k][i] = exactly(input_number(s, i));
}

machine *machine_run(const program *p, bool native)
{
    machine *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    *m = (machine){.p = p, .native = native};
    for (int k = 0; k < p->n; k++) {
        machine_step(m, k);
        if (!m->values[k]) {
            machine_free(m);
            return NULL;
        }
    }
    return m;
}

void machine_free(machine *m)
{
    if (!m) return;
    for (int k = 0; k < MAX_STEPS; k++) free(m->values[k]);
    free(m);
}
