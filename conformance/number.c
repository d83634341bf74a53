/* number.c: numbers as elements of a dtype: written, read, parsed and compared. Independent of the library under test, so that a wrong
 * conversion there shows up. */
#include "case.h"
#include <errno.h>
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

double number_tolerance(int dtype)
{
    dtype = part_dtype(dtype);
    return dtype == VN_F64 ? 1e-12 : dtype == VN_F32 ? 2e-6 : dtype == VN_F16 ? 2e-3 : dtype == VN_BF16 ? 1.6e-2 : 0;
}

/* ---- halves ---- */

static double half_value(uint16_t h, int dtype)
{
    int bits = dtype == VN_F16 ? 10 : 7, bias = dtype == VN_F16 ? 15 : 127;
    int top = 2 * bias + 1, e = (h & 0x7fff) >> bits, m = h & ((1 << bits) - 1);
    double v = e == top ? (m ? NAN : INFINITY) : e ? ldexp((1 << bits) + m, e - bias - bits) : ldexp(m, 1 - bias - bits);
    return h & 0x8000 ? -v : v;
}

/* The nearest half, found by halving the (ordered) non-negative ones; of two equally near ones that with the even last bit. */
static uint16_t half_nearest(double v, int dtype)
{
    uint16_t infinite = dtype == VN_F16 ? 0x7c00 : 0x7f80, sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v)) return (uint16_t)(infinite | infinite >> 1);
    double a = fabs(v), end = dtype == VN_F16 ? 0x1p16 : 0x1p128; /* what infinity would be if the exponents went on */
    if (a >= end) return sign | infinite;
    uint16_t low = 0, high = infinite;
    while (high - low > 1) {
        uint16_t middle = (uint16_t)((low + high) / 2);
        if (half_value(middle, dtype) <= a) low = middle;
        else high = middle;
    }
    double below = a - half_value(low, dtype), above = (high == infinite ? end : half_value(high, dtype)) - a;
    bool up = above < below || (above == below && low % 2);
    return (uint16_t)(sign | (up ? high : low));
}

/* ---- elements ---- */

static int64_t int_get(const void *data, int64_t i, int dtype)
{
    switch (vn_dtype_size((vn_dtype)dtype)) {
    case 1: return is_signed(dtype) ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
    case 2: return is_signed(dtype) ? ((const int16_t *)data)[i] : ((const uint16_t *)data)[i];
    case 4: return is_signed(dtype) ? ((const int32_t *)data)[i] : (int64_t)((const uint32_t *)data)[i];
    default: return ((const int64_t *)data)[i];
    }
}

/* The low bytes of u are the element, signed or not. */
static void int_put(void *data, int64_t i, int dtype, uint64_t u)
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
    if (dtype == VN_F64) ((double *)data)[i] = v;
    else if (dtype == VN_F32) ((float *)data)[i] = (float)v;
    else ((uint16_t *)data)[i] = half_nearest(v, dtype);
}

double number_get(const void *data, int64_t i, int dtype)
{
    if (dtype == VN_F64) return ((const double *)data)[i];
    if (dtype == VN_F32) return ((const float *)data)[i];
    if (is_float(dtype)) return half_value(((const uint16_t *)data)[i], dtype);
    if (dtype == VN_U64) return (double)((const uint64_t *)data)[i];
    return (double)int_get(data, i, dtype);
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
        int_put(data, i, dtype, (uint64_t)n);
        *v = (double)n;
    } else {
        unsigned long long n = strtoull(*text, &end, 0);
        if (errno || n > UINT64_MAX >> (64 - bits) || **text == '-') return "an unsigned integer is outside the range of its dtype";
        int_put(data, i, dtype, n);
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
        *text = end;
        number_put(data, i, dtype, *v);
    } else {
        wrong = parse_int(text, dtype, data, i, v);
    }
    if (!wrong && **text && !strchr(" \t]}", **text)) wrong = "a number is not followed by a blank or a bracket";
    return wrong;
}

/* ---- comparison ---- */

static bool close_to(const test *t, double want, double got)
{
    if (isnan(want)) return isnan(got);
    if (isinf(want) || !isfinite(got)) return want == got;
    if (want == 0 && signbit(want) && !signbit(got)) return false; /* -0 was written on purpose */
    if (t->signs && want == 0 && got == 0 && signbit(want) != signbit(got)) return false;
    return fabs(got - want) <= t->absolute + t->relative * fabs(want);
}

/* Prints elements in the notation of the case files, the first of many only. */
static void print_numbers(FILE *to, const operand *o, const void *data, int64_t first)
{
    enum { SHOWN = 16 };
    static const char *const short_names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",  "u16", "u32",
                                              "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
    fprintf(to, "%s(", short_names[o->dtype]);
    for (int k = 0; k < o->rank; k++) fprintf(to, "%s%lld", k ? "," : "", (long long)o->dims[k]);
    int64_t from = first < SHOWN ? 0 : first, end = from + SHOWN < o->count ? from + SHOWN : o->count;
    fprintf(to, ")[%s", from ? "... " : "");
    for (int64_t i = from; i < end; i++) {
        if (i > from) fputc(' ', to);
        int digits = part_dtype(o->dtype) == VN_F64 ? 17 : 9;
        if (is_float(o->dtype)) fprintf(to, "%.*g", digits, number_get(data, i, o->dtype));
        else if (is_complex(o->dtype))
            fprintf(to, "%.*g%+.*gj", digits, number_get(data, 2 * i, part_dtype(o->dtype)), digits,
                    number_get(data, 2 * i + 1, part_dtype(o->dtype)));
        else if (o->dtype == VN_U64) fprintf(to, "%llu", (unsigned long long)int_get(data, i, o->dtype));
        else fprintf(to, "%lld", (long long)int_get(data, i, o->dtype));
    }
    fprintf(to, "%s]", end < o->count ? " ..." : "");
}

static bool report(test *t, const char *what, const operand *expected, const void *got, int64_t first, double most)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!test_memory(t, to)) return false;
    fprintf(to, "%s\n    expected  ", what);
    print_numbers(to, expected, expected->data, first);
    fprintf(to, "\n    got       ");
    print_numbers(to, expected, got, first);
    fprintf(to, "\n    first difference at element %lld; max error %.3g, tolerance %g relative + %g absolute", (long long)first, most,
            t->relative, t->absolute);
    if (fclose(to)) return test_memory(t, NULL);
    test_fail(t, "%s", text);
    free(text);
    return false;
}

bool numbers_match(test *t, const char *what, const operand *expected, const void *got)
{
    int64_t first = -1;
    double most = 0;
    int dtype = part_dtype(expected->dtype), parts = parts_of(expected->dtype);
    for (int64_t i = 0; i < parts * expected->count; i++) {
        double want = number_get(expected->data, i, dtype), have = number_get(got, i, dtype);
        bool fine = is_float(dtype) ? close_to(t, want, have) : int_get(expected->data, i, dtype) == int_get(got, i, dtype);
        if (!fine && first < 0) first = i / parts;
        if (isfinite(want) && !(fabs(have - want) <= most)) most = fabs(have - want);
    }
    return first < 0 || report(t, what, expected, got, first, most);
}
