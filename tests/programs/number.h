/* SPDX-License-Identifier: Apache-2.0 */
/* number.h: a number with a bound on the error of a correct implementation. Every operation propagates its operands' errors
 * and adds its own rounding: running error analysis. An infinite bound means that the result is unknown. */
#ifndef NUMBER_H
#define NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <vinea/types.h>

typedef struct num {
    double v, e;
} num;

/* Half the distance between 1 and the next number; distances near 0; the largest number. The plain loops compute float64 with errors
 * of the same size, so it counts double. */
typedef struct precision {
    double unit, least, most;
} precision;

static inline precision precision_of(int dtype)
{
    switch (dtype) {
    case VN_F16: return (precision){0x1p-11, 0x1p-24, 65504};
    case VN_BF16: return (precision){0x1p-8, 0x1p-126, 0x1.fep127};
    case VN_F32: return (precision){0x1p-24, 0x1p-126, 0x1.fffffep127};
    case VN_F64: return (precision){0x1p-52, 0x1p-1022, 0x1.fffffffffffffp1023};
    default: return (precision){0, 0, 0x1p53};
    }
}

static inline num exactly(double v)
{
    return (num){v, 0};
}
static inline num unknown(double v)
{
    return (num){v, INFINITY};
}

/* The larger of two; NaN wins, unlike fmax, which is also a call. */
static inline double larger(double x, double y)
{
    return x > y || x != x ? x : y;
}

/* Does v fit into this many bits after its leading one? */
static inline bool has_bits(double v, int bits)
{
    uint64_t w;
    memcpy(&w, &v, sizeof w);
    return (w & ((UINT64_C(1) << (52 - bits)) - 1)) == 0;
}

/* Is v exact in the dtype? For float64 only integers are known to be exact. */
static inline bool representable(double v, int dtype)
{
    switch (dtype) {
    case VN_F16: return v == 0 || (fabs(v) >= 0x1p-14 && fabs(v) <= 65504 && has_bits(v, 10));
    case VN_BF16: return v == 0 || (fabs(v) >= 0x1p-126 && fabs(v) < 0x1p127 && has_bits(v, 7));
    case VN_F32: return (double)(float)v == v;
    case VN_F64: return v == rint(v) && fabs(v) < 0x1p53;
    default: return true;
    }
}

/* z after k roundings to the dtype. */
static inline num rounded(num z, int dtype, double k)
{
    const precision p = precision_of(dtype);
    if (p.unit == 0) return z;
    z.e += k * p.unit * fabs(z.v) + p.least;
    if (!(fabs(z.v) + z.e < p.most)) z.e = INFINITY;
    return z;
}

/* The same, but exact operands give an exact result if it is representable. */
static inline num rounded_once(num z, int dtype)
{
    return z.e == 0 && representable(z.v, dtype) ? z : rounded(z, dtype, 1);
}

static inline num num_add(num x, num y, int dtype)
{
    return rounded_once((num){x.v + y.v, x.e + y.e}, dtype);
}
static inline num num_sub(num x, num y, int dtype)
{
    return rounded_once((num){x.v - y.v, x.e + y.e}, dtype);
}
/* The error of x y. 0 times an unknown number is unknown. */
static inline double product_error(num x, num y)
{
    const double e = fabs(x.v) * y.e + fabs(y.v) * x.e + x.e * y.e;
    return e == e ? e : INFINITY;
}
static inline num num_mul(num x, num y, int dtype)
{
    return rounded_once((num){x.v * y.v, product_error(x, y)}, dtype);
}
static inline num num_div(num x, num y, int dtype)
{
    const double z = x.v / y.v;
    if (!(fabs(y.v) > y.e)) return unknown(z);
    return rounded((num){z, (x.e + fabs(z) * y.e) / (fabs(y.v) - y.e)}, dtype, 1);
}
static inline num num_max(num x, num y)
{
    const double z = larger(x.v, y.v);
    if (z != z) return unknown(z);
    return (num){z, larger(larger(x.v + x.e, y.v + y.e) - z, z - larger(x.v - x.e, y.v - y.e))};
}

/* f(x) after k roundings. x's error is propagated by evaluating both sides; for a smooth function and a small error one side is enough. */
static inline num num_apply(double (*f)(double), num x, int dtype, double k, bool smooth)
{
    num z = {f(x.v), 0};
    if (!(x.e < 1)) return unknown(z.v); /* the function may do anything between the two sides */
    if (x.e > 0) {
        z.e = 1.1 * fabs(f(x.v + x.e) - z.v);
        if (!smooth || !(x.e < 1e-3 * (fabs(x.v) < 1 ? fabs(x.v) : 1))) z.e = larger(z.e, 1.1 * fabs(f(x.v - x.e) - z.v));
        if (z.e != z.e) z.e = INFINITY;
    }
    return k > 0 ? rounded(z, dtype, k) : z;
}

#endif
