/* SPDX-License-Identifier: Apache-2.0 */
/* number.c: see number.h. */
#include "number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_float(int dtype)
{
    return (VN_BIT(dtype) & VN_FLOATS) != 0;
}

bool is_complex(int dtype)
{
    return (VN_BIT(dtype) & VN_COMPLEX) != 0;
}

int parts_of(int dtype)
{
    return is_complex(dtype) ? 2 : 1;
}

int part_dtype(int dtype)
{
    return dtype == VN_C64 ? VN_F32 : dtype == VN_C128 ? VN_F64 : dtype;
}

int widest(int dtype)
{
    return is_complex(dtype) ? VN_C128 : is_float(dtype) ? VN_F64 : dtype;
}

static bool is_signed(int dtype)
{
    return (VN_BIT(dtype) & VN_SIGNED) != 0;
}

/* ---- binary formats ---- */

/* Significand digits including the leading 1, exponents of the largest and the smallest normal number. */
typedef struct format {
    int digits, top, bottom;
} format;

static const format *format_of(int dtype)
{
    static const format half = {11, 15, -14}, brain = {8, 127, -126}, single = {FLT_MANT_DIG, 127, -126},
                        wide = {DBL_MANT_DIG, 1023, -1022};
    switch (part_dtype(dtype)) {
    case VN_F16: return &half;
    case VN_BF16: return &brain;
    case VN_F32: return &single;
    default: return &wide;
    }
}

/* The distance between neighbouring numbers at x. */
static double spacing(double x, const format *f)
{
    int e = f->bottom;
    if (x != 0 && isfinite(x)) e = ilogb(x);
    if (e < f->bottom) e = f->bottom;
    if (e > f->top) e = f->top;
    return ldexp(1, e - f->digits + 1);
}

static double round_float(double x, const format *f)
{
    if (!isfinite(x) || x == 0 || f->digits == DBL_MANT_DIG) return x;
    double step = spacing(x, f), y = nearbyint(x / step) * step;
    return fabs(y) >= ldexp(1, f->top + 1) ? copysign(INFINITY, x) : y;
}

static double round_integer(double x, int dtype)
{
    double bits = 8. * (double)vn_dtype_size((vn_dtype)dtype);
    double low = is_signed(dtype) ? -exp2(bits - 1) : 0, high = exp2(is_signed(dtype) ? bits - 1 : bits);
    high = bits < 64 ? high - 1 : nextafter(high, 0); /* the range, as a double */
    return isnan(x) ? 0 : trunc(fmin(fmax(x, low), high));
}

double number_round(double x, vn_dtype dtype)
{
    if (dtype == VN_BOOL) return x != 0;
    return VN_BIT(dtype) & VN_INEXACT ? round_float(x, format_of((int)dtype)) : round_integer(x, (int)dtype);
}

double number_epsilon(vn_dtype dtype)
{
    return VN_BIT(dtype) & VN_INEXACT ? ldexp(1, 1 - format_of((int)dtype)->digits) : 0;
}

double number_ulps(double a, double b, vn_dtype dtype)
{
    if (a == b || (isnan(a) && isnan(b))) return 0;
    if (!isfinite(a) || !isfinite(b)) return INFINITY;
    return fabs(a - b) / (VN_BIT(dtype) & VN_INEXACT ? spacing(b, format_of((int)dtype)) : 1);
}

double number_tolerance(int dtype)
{
    dtype = part_dtype(dtype);
    return dtype == VN_F64 ? 1e-12 : dtype == VN_F32 ? 2e-6 : dtype == VN_F16 ? 2e-3 : dtype == VN_BF16 ? 1.6e-2 : 0;
}

/* The bits of a float of 16 bits that holds x exactly. */
static uint16_t half_bits(double x, int dtype)
{
    const format *f = format_of(dtype);
    int stored = f->digits - 1;
    uint16_t sign = (uint16_t)(signbit(x) ? 0x8000 : 0), top = (uint16_t)(0x7fffu >> stored << stored);
    if (isnan(x)) return (uint16_t)(sign | top | 1u << (stored - 1));
    if (isinf(x)) return (uint16_t)(sign | top);
    double units = fabs(x) / spacing(x, f); /* a whole number below 2^digits */
    if (x == 0 || ilogb(x) < f->bottom) return (uint16_t)(sign | (uint16_t)units);
    return (uint16_t)(sign | (((unsigned)(ilogb(x) - f->bottom + 1) << stored) + (unsigned)units - (1u << stored)));
}

static double half_value(uint16_t bits, int dtype)
{
    const format *f = format_of(dtype);
    int stored = f->digits - 1, exponent = (bits & 0x7fff) >> stored;
    double fraction = bits & ((1u << stored) - 1), v;
    if (exponent == 0x7fff >> stored) v = fraction != 0 ? NAN : INFINITY;
    else if (!exponent) v = ldexp(fraction, f->bottom - stored);
    else v = ldexp(fraction + (double)(1u << stored), exponent - 1 + f->bottom - stored);
    return bits & 0x8000 ? -v : v;
}

/* ---- elements ---- */

int64_t number_whole(const void *data, int64_t i, int dtype)
{
    switch (vn_dtype_size((vn_dtype)dtype)) {
    case 1: return is_signed(dtype) ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
    case 2: return is_signed(dtype) ? ((const int16_t *)data)[i] : ((const uint16_t *)data)[i];
    case 4: return is_signed(dtype) ? ((const int32_t *)data)[i] : (int64_t)((const uint32_t *)data)[i];
    default: return ((const int64_t *)data)[i];
    }
}

/* The low bytes of u are the element, signed or not. */
static void put_whole(void *data, int64_t i, int dtype, uint64_t u)
{
    switch (vn_dtype_size((vn_dtype)dtype)) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)u; break;
    case 2: ((uint16_t *)data)[i] = (uint16_t)u; break;
    case 4: ((uint32_t *)data)[i] = (uint32_t)u; break;
    default: ((uint64_t *)data)[i] = u; break;
    }
}

void number_put(void *data, int64_t i, int dtype, double v)
{
    v = number_round(v, (vn_dtype)dtype);
    if (dtype == VN_F64) ((double *)data)[i] = v;
    else if (dtype == VN_F32) ((float *)data)[i] = (float)v;
    else if (is_float(dtype)) ((uint16_t *)data)[i] = half_bits(v, dtype);
    else put_whole(data, i, dtype, v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v);
}

double number_get(const void *data, int64_t i, int dtype)
{
    if (dtype == VN_F64) return ((const double *)data)[i];
    if (dtype == VN_F32) return ((const float *)data)[i];
    if (is_float(dtype)) return half_value(((const uint16_t *)data)[i], dtype);
    if (dtype == VN_U64) return (double)((const uint64_t *)data)[i];
    return (double)number_whole(data, i, dtype);
}

/* ---- from text ---- */

static const char *parse_int(const char **text, int dtype, void *data, int64_t i, double *v)
{
    char *end = NULL;
    size_t bits = dtype == VN_BOOL ? 1 : 8 * vn_dtype_size((vn_dtype)dtype);
    errno = 0;
    if (is_signed(dtype)) {
        long long n = strtoll(*text, &end, 0), most = (long long)(UINT64_MAX >> (65 - bits));
        if (errno || n > most || n < -most - 1) return "an integer is outside the range of its dtype";
        put_whole(data, i, dtype, (uint64_t)n);
        *v = (double)n;
    } else {
        unsigned long long n = strtoull(*text, &end, 0);
        if (errno || n > UINT64_MAX >> (64 - bits) || **text == '-') return "an unsigned integer is outside the range of its dtype";
        put_whole(data, i, dtype, n);
        *v = (double)n;
    }
    if (end == *text) return "a number was expected";
    *text = end;
    return NULL;
}

/* 1+2j, 1 or 2j */
static const char *parse_complex(const char **text, int dtype, void *data, int64_t i, double *v)
{
    char *end = NULL;
    v[0] = strtod(*text, &end);
    v[1] = 0;
    if (end == *text) return "a number was expected";
    if (*end == 'j') {
        v[1] = v[0];
        v[0] = 0;
    } else if (*end == '+' || *end == '-') {
        const char *imaginary = end;
        v[1] = strtod(imaginary, &end);
        if (end == imaginary || *end != 'j') return "an imaginary part such as +2j was expected";
    }
    *text = end + (*end == 'j');
    for (int part = 0; part < 2; part++) number_put(data, 2 * i + part, part_dtype(dtype), v[part]);
    return NULL;
}

const char *number_parse(const char **text, int dtype, void *data, int64_t i, double *v)
{
    const char *wrong = NULL;
    char *end = NULL;
    if (is_complex(dtype)) {
        wrong = parse_complex(text, dtype, data, i, v);
    } else if (is_float(dtype)) {
        *v = strtod(*text, &end);
        if (end == *text) return "a number was expected";
        if (isnan(*v)) *v = copysign(*v, **text == '-' ? -1 : 1); /* musl's strtod forgets the sign */
        *text = end;
        number_put(data, i, dtype, *v);
    } else {
        wrong = parse_int(text, dtype, data, i, v);
    }
    if (!wrong && **text && !strchr(" \t]}", **text)) wrong = "a number is not followed by a blank or a bracket";
    return wrong;
}
