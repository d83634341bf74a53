/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.c: names, sizes, promotion, and reading or writing one element as a number. */
#include "core/state.h"
#include "core/dtype.h"
#include "base/floats.h"
#include <math.h>

static const char *const names[] = {
#define VN__X(id, number, text, size) [id] = text,
    VN_DTYPES(VN__X)
#undef VN__X
};
const uint8_t vn__dtype_bytes[VN_DTYPE_END] = {
#define VN__X(id, number, text, size) [id] = size,
    VN_DTYPES(VN__X)
#undef VN__X
};

const char *vn_dtype_name(vn_dtype dtype)
{
    return vn__is_dtype(dtype) ? names[dtype] : "unknown dtype";
}

size_t vn_dtype_size(vn_dtype dtype)
{
    return vn__is_dtype(dtype) ? vn__dtype_bytes[dtype] : 0;
}

int vn__refuse_dtype(const char *who, int64_t dtype)
{
    return vn__fail(VN_E_DTYPE, "%s: %lld is not a dtype; VN_BOOL (%d) to VN_C128 (%d) are", who, (long long)dtype, VN_BOOL, VN_C128);
}

static int int_of(bool is_signed, size_t bytes)
{
    int at = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return (is_signed ? VN_I8 : VN_U8) + at;
}

/* The Array API's promotion table. Where the standard leaves it open: bool with any dtype gives that dtype, an integer with a float or
 * complex dtype gives the latter, float16 with bfloat16 gives float32, uint64 with a signed integer has no common dtype. */
int vn__promote(int a, int b)
{
    if (a == b) return a;
    if (a == VN_BOOL) return b;
    if (b == VN_BOOL) return a;
    bool ia = vn__is(a, VN_INTS), ib = vn__is(b, VN_INTS);
    size_t na = vn__dtype_bytes[a], nb = vn__dtype_bytes[b];
    if (ia && ib) {
        bool sa = vn__is(a, VN_SIGNED), sb = vn__is(b, VN_SIGNED);
        if (sa == sb) return na > nb ? a : b;
        size_t ns = sa ? na : nb, nu = sa ? nb : na;
        if (nu == 8) return VN_NO_DTYPE;
        return int_of(true, ns > nu ? ns : 2 * nu);
    }
    if (ia) return b;
    if (ib) return a;
    if (vn__is(a, VN_HALF) && vn__is(b, VN_HALF)) return VN_F32;
    if ((a == VN_C64 && b == VN_F64) || (a == VN_F64 && b == VN_C64)) return VN_C128;
    return a > b ? a : b; /* half precision < float32 < float64, complex64 < complex128 */
}

int vn__promote_weak(int strong, uint32_t weak)
{
    const int number = weak & VN_COMPLEX ? VN_C64 : weak & VN_FLOATS ? VN_F32 : weak & VN_UNSIGNED ? VN_U64 : VN_I64;
    if (!strong) return number;
    return number == VN_C64 && vn__is(strong, VN_FLOATS) ? vn__promote(strong, number) : strong;
}

/* An integer in this integer dtype or bool? */
static bool whole_fits(const vn__num *v, int dtype)
{
    const bool beyond = v->dtype == VN_U64 && v->i < 0; /* above the largest int64 */
    if (dtype == VN_BOOL) return !beyond && (v->i == 0 || v->i == 1);
    const int bits = 8 * vn__dtype_bytes[dtype];
    if (vn__is(dtype, VN_UNSIGNED)) return (beyond || v->i >= 0) && (uint64_t)v->i <= UINT64_MAX >> (64 - bits);
    const int64_t largest = INT64_MAX >> (64 - bits);
    return !beyond && v->i <= largest && v->i >= -largest - 1;
}

bool vn__fits(double v, int dtype)
{
    if (vn__is(dtype, VN_INEXACT)) return true;
    VN__FLOATS;
    if (!(v >= -0x1p63 && v < 0x1p64)) return false;
    const bool beyond = v >= 0x1p63;
    const vn__num whole = {.dtype = beyond ? VN_U64 : VN_I64, .i = beyond ? (int64_t)(uint64_t)v : (int64_t)v};
    return (beyond ? (double)(uint64_t)whole.i : (double)whole.i) == v && whole_fits(&whole, dtype);
}

bool vn__num_fits(const vn__num *v, int dtype)
{
    if (v->dtype == VN_F32) return vn__fits(v->re, dtype);
    if (v->dtype == VN_C64) return vn__is(dtype, VN_COMPLEX);
    return vn__is(dtype, VN_INEXACT) || whole_fits(v, dtype);
}

int vn__refuse_num(const char *who, const vn__num *v, int dtype, const char *engine)
{
    if (vn__num_fits(v, dtype)) return VN_OK;
    char text[64];
    if (v->dtype == VN_F32) snprintf(text, sizeof text, "%g", v->re);
    else if (v->dtype == VN_C64) snprintf(text, sizeof text, "%g%+gj", v->re, v->im);
    else snprintf(text, sizeof text, v->dtype == VN_U64 ? "%llu" : "%lld", (long long)v->i);
    return vn__fail(VN_E_DTYPE, "%s: the number %s does not fit into %s (%s); a dtype that holds it is needed", who, text,
                    vn_dtype_name((vn_dtype)dtype), engine);
}

/* ---- floats: with integer operations, so that the host's rounding mode, traps and flushing do not matter ---- */

static double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* A float with `p` fraction bits and `k` exponent bits as a double, which is exact. */
static double widen(uint32_t u, int p, int k)
{
    const uint32_t m = u & ((UINT32_C(1) << p) - 1), last = (UINT32_C(1) << k) - 1, e = u >> p & last;
    const uint64_t sign = (uint64_t)(u >> (p + k)) << 63, fraction = (uint64_t)m << (52 - p), bias = last >> 1;
    if (e == last) return from_bits(sign | UINT64_C(0x7FF) << 52 | fraction | (uint64_t)(m != 0) << 51); /* a NaN becomes a quiet one */
    if (e) return from_bits(sign | (e + 1023 - bias) << 52 | fraction);
    const double size = (double)m * from_bits((1024 - bias - (uint64_t)p) << 52); /* exact */
    return sign ? -size : size;
}

/* The bits of the nearest float of that format to v, ties to even. */
static uint32_t narrow(double v, int p, int k)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    const uint32_t last = (UINT32_C(1) << k) - 1, sign = (uint32_t)(u >> 63) << (p + k), infinite = last << p;
    const int e = (int)(u >> 52 & 0x7FF), field = e - 1023 + (int)(last >> 1);
    uint64_t m = u & ((UINT64_C(1) << 52) - 1);
    if (e == 0x7FF && m) return sign | infinite | UINT32_C(1) << (p - 1);
    if (field >= (int)last) return sign | infinite;
    const int shift = 52 - p + (field > 0 ? 0 : 1 - field);
    if (shift > 54) return sign;
    m |= UINT64_C(1) << 52;
    const uint64_t rest = m & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1), whole = m >> shift;
    const uint32_t rounded = (uint32_t)(whole + (rest > half || (rest == half && whole & 1)));
    return sign | (rounded + (field > 0 ? (uint32_t)(field - 1) << p : 0)); /* a carry from rounding up correctly increments the exponent */
}

/* ---- one element ---- */

double vn__get_double(const void *data, int64_t i, int dtype)
{
    switch (dtype) {
    case VN_F16: return widen(((const uint16_t *)data)[i], 10, 5);
    case VN_BF16: return widen(((const uint16_t *)data)[i], 7, 8);
    case VN_F32: return widen(((const uint32_t *)data)[i], 23, 8);
    case VN_F64: return ((const double *)data)[i];
    case VN_U64: return (double)((const uint64_t *)data)[i];
    default: return (double)vn__get_int(data, i, dtype);
    }
}

size_t vn__not_bool(const unsigned char *data, size_t n)
{
    size_t i = 0;
    for (uint64_t word; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, data + i, sizeof word);
        if (word & ~UINT64_C(0x0101010101010101)) break;
    }
    while (i < n && data[i] <= 1) i++;
    return i;
}

int vn__part_dtype(int dtype)
{
    return dtype == VN_C64 ? VN_F32 : dtype == VN_C128 ? VN_F64 : dtype;
}

double vn__get_part(const void *data, int64_t i, int dtype, int part)
{
    int of = vn__part_dtype(dtype);
    if (of != dtype) return vn__get_double(data, 2 * i + part, of);
    return part ? 0 : vn__get_double(data, i, dtype);
}

/* v as an integer of this many bits by the casting rule: truncated, clamped to the range, 0 for NaN. */
static int64_t as_signed(double v, int bits)
{
    VN__FLOATS;
    const double above = (double)(UINT64_C(1) << (bits - 1));
    const int64_t largest = INT64_MAX >> (64 - bits);
    return v >= above ? largest : v < -above ? -largest - 1 : v != v ? 0 : (int64_t)v;
}
static uint64_t as_unsigned(double v, int bits)
{
    VN__FLOATS;
    const double above = 2 * (double)(UINT64_C(1) << (bits - 1));
    return v >= above ? UINT64_MAX >> (64 - bits) : v > 0 ? (uint64_t)v : 0;
}

int64_t vn__get_int(const void *data, int64_t i, int dtype)
{
    switch (dtype) {
    case VN_BOOL:
    case VN_U8: return ((const uint8_t *)data)[i];
    case VN_I8: return ((const int8_t *)data)[i];
    case VN_I16: return ((const int16_t *)data)[i];
    case VN_U16: return ((const uint16_t *)data)[i];
    case VN_I32: return ((const int32_t *)data)[i];
    case VN_U32: return ((const uint32_t *)data)[i];
    case VN_I64: return ((const int64_t *)data)[i];
    case VN_U64: return (int64_t)((const uint64_t *)data)[i];
    default: break;
    }
    return as_signed(vn__get_double(data, i, dtype), 64);
}

void vn__put_double(void *data, int64_t i, int dtype, double v)
{
    switch (dtype) {
    case VN_BOOL: ((uint8_t *)data)[i] = v != 0; break;
    case VN_I8: ((int8_t *)data)[i] = (int8_t)as_signed(v, 8); break;
    case VN_U8: ((uint8_t *)data)[i] = (uint8_t)as_unsigned(v, 8); break;
    case VN_I16: ((int16_t *)data)[i] = (int16_t)as_signed(v, 16); break;
    case VN_U16: ((uint16_t *)data)[i] = (uint16_t)as_unsigned(v, 16); break;
    case VN_I32: ((int32_t *)data)[i] = (int32_t)as_signed(v, 32); break;
    case VN_U32: ((uint32_t *)data)[i] = (uint32_t)as_unsigned(v, 32); break;
    case VN_I64: ((int64_t *)data)[i] = as_signed(v, 64); break;
    case VN_U64: ((uint64_t *)data)[i] = as_unsigned(v, 64); break;
    case VN_F16: ((uint16_t *)data)[i] = (uint16_t)narrow(v, 10, 5); break;
    case VN_BF16: ((uint16_t *)data)[i] = (uint16_t)narrow(v, 7, 8); break;
    case VN_F32: ((uint32_t *)data)[i] = narrow(v, 23, 8); break;
    case VN_F64: ((double *)data)[i] = v; break;
    case VN_C64: memcpy((uint32_t *)data + 2 * i, (uint32_t[2]){narrow(v, 23, 8)}, 8); break;
    case VN_C128: memcpy((double *)data + 2 * i, (double[2]){v}, 16); break;
    default: break;
    }
}

/* An integer as a double that rounds to the same narrower float as the integer itself: what is cut off shows in the last bit. */
static double sticky(const vn__num *v)
{
    const bool negative = v->dtype == VN_I64 && v->i < 0;
    const uint64_t m = negative ? -(uint64_t)v->i : (uint64_t)v->i;
    const int cut = m >> 53 ? 11 - __builtin_clzll(m) : 0;
    const double kept = (double)(m >> cut | (m & ((UINT64_C(1) << cut) - 1) ? 1 : 0));
    return ldexp(negative ? -kept : kept, cut);
}

void vn__put_exact(void *data, int64_t i, int dtype, const vn__num *v)
{
    VN__FLOATS;
    const bool whole = vn__is(v->dtype, VN_INTS);
    const int part = vn__part_dtype(dtype);
    if (part != dtype) { /* a complex number by its parts */
        const vn__num re = whole ? *v : vn__real_num(v->re), im = vn__real_num(v->dtype == VN_C64 ? v->im : 0);
        vn__put_num(data, 2 * i, part, &re);
        vn__put_num(data, 2 * i + 1, part, &im);
        return;
    }
    switch (dtype) {
    case VN_I64:
    case VN_U64: ((int64_t *)data)[i] = v->i; break;
    case VN_F64: ((double *)data)[i] = v->dtype == VN_U64 ? (double)(uint64_t)v->i : (double)v->i; break;
    default: vn__put_double(data, i, dtype, sticky(v)); /* narrower integers are exact */
    }
}
