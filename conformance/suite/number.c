/* number.c: dtypes on the host: rounding, distances and arrays of them, independent of the engine under test. */
#include "suite.h"

#include <float.h>

int64_t shape_size(vn_shape s)
{
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    return n;
}

/* Binary formats: digits of the significand with its leading 1, exponents of the largest and the smallest normal number. */
typedef struct format {
    int digits, top, bottom;
} format;

static const format *format_of(vn_dtype dtype)
{
    static const format half = {11, 15, -14}, brain = {8, 127, -126}, single = {FLT_MANT_DIG, 127, -126},
                        wide = {DBL_MANT_DIG, 1023, -1022};
    switch (dtype) {
    case VN_F16: return &half;
    case VN_BF16: return &brain;
    case VN_F32:
    case VN_C64: return &single;
    default: return &wide;
    }
}

static bool is_float(vn_dtype dtype)
{
    return VN_BIT(dtype) & (VN_FLOATS | VN_COMPLEX);
}

/* The distance of the numbers around x. */
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

static double round_integer(double x, vn_dtype dtype)
{
    double bits = 8. * (double)vn_dtype_size(dtype);
    bool negative = VN_BIT(dtype) & VN_SIGNED;
    double low = negative ? -exp2(bits - 1) : 0, high = exp2(negative ? bits - 1 : bits);
    high = bits < 64 ? high - 1 : nextafter(high, 0); /* what fits, as a double */
    return isnan(x) ? 0 : trunc(fmin(fmax(x, low), high));
}

double number_round(double x, vn_dtype dtype)
{
    if (dtype == VN_BOOL) return x != 0;
    return is_float(dtype) ? round_float(x, format_of(dtype)) : round_integer(x, dtype);
}

double number_epsilon(vn_dtype dtype)
{
    return is_float(dtype) ? ldexp(1, 1 - format_of(dtype)->digits) : 0;
}

double number_ulps(double a, double b, vn_dtype dtype)
{
    if (a == b || (isnan(a) && isnan(b))) return 0;
    if (!isfinite(a) || !isfinite(b)) return INFINITY;
    return fabs(a - b) / (is_float(dtype) ? spacing(b, format_of(dtype)) : 1);
}

/* The bits of a half that holds x exactly. */
static uint16_t half_bits(double x, vn_dtype dtype)
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

static double half_value(uint16_t bits, vn_dtype dtype)
{
    const format *f = format_of(dtype);
    int stored = f->digits - 1, exponent = (bits & 0x7fff) >> stored;
    double fraction = bits & ((1u << stored) - 1), v;
    if (exponent == 0x7fff >> stored) v = fraction != 0 ? NAN : INFINITY;
    else if (!exponent) v = ldexp(fraction, f->bottom - stored);
    else v = ldexp(fraction + (double)(1u << stored), exponent - 1 + f->bottom - stored);
    return bits & 0x8000 ? -v : v;
}

/* X(dtype, type in C) of what has one */
#define PLAIN_TYPES(X) \
    X(VN_I8, int8_t)   \
    X(VN_I16, int16_t) \
    X(VN_I32, int32_t) \
    X(VN_I64, int64_t) \
    X(VN_U8, uint8_t) X(VN_U16, uint16_t) X(VN_U32, uint32_t) X(VN_U64, uint64_t) X(VN_BOOL, uint8_t) X(VN_F32, float) X(VN_F64, double)

static void store(void *to, int64_t i, double x, vn_dtype dtype)
{
    switch (dtype) {
#define X(id, type) \
    case id: ((type *)to)[i] = (type)x; return;
        PLAIN_TYPES(X)
#undef X
    default: ((uint16_t *)to)[i] = half_bits(x, dtype);
    }
}

static double load(const void *from, int64_t i, vn_dtype dtype)
{
    switch (dtype) {
#define X(id, type) \
    case id: return (double)((const type *)from)[i];
        PLAIN_TYPES(X)
#undef X
    default: return half_value(((const uint16_t *)from)[i], dtype);
    }
}

vn_array *number_array(double *x, vn_shape s, vn_dtype dtype)
{
    int64_t n = shape_size(s);
    void *data = malloc((size_t)(n ? n : 1) * sizeof(double));
    if (!data) return NULL;
    for (int64_t i = 0; i < n; i++) {
        x[i] = number_round(x[i], dtype);
        store(data, i, x[i], dtype);
    }
    vn_array *a = vn_from_host(data, dtype, s);
    free(data);
    return a;
}

bool number_read(vn_array *x, double *to, int64_t room)
{
    if (!x || vn_size(x) > room || VN_BIT(vn_dtype_of(x)) & VN_COMPLEX) return false;
    int64_t n = vn_size(x);
    size_t bytes = (size_t)n * vn_dtype_size(vn_dtype_of(x));
    void *data = malloc(bytes ? bytes : 1);
    bool fine = data && vn_read(x, data, bytes) == VN_OK;
    for (int64_t i = 0; fine && i < n; i++) to[i] = load(data, i, vn_dtype_of(x));
    free(data);
    return fine;
}
