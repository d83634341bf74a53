/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.c: every elementwise op of the native engine (engines/native/ops.def), in every dtype that it takes and at every level: of two arrays, and with one number
 * on either side, which have loops of their own. Expected values are those of C's functions in long double, of integers those of 128 bits; numbers are
 * zeros of both signs, denormals, ends of ranges, points where formulas change, infinities and NaN. */
/* ctest: seconds 2 */
/* ctest: sanitize */

/* ---- the ops: before check.h, which also has something called TEST ---- */

typedef enum { ALIKE, TO_BOOL, ORDERED, FLAGGED, CHOOSES } op_kind; /* ALIKE: the result has the dtype of the operands */
typedef struct {
    const char *name;
    int n_in;
    op_kind kind;
} op;
static const op ops[] = {
#define UNARY(name, ints, floats) {#name, 1, ALIKE},
#define UNARY_FLOAT(name, floats) {#name, 1, ALIKE},
#define UNARY_RARE(name, rare, usual, any) {#name, 1, ALIKE},
#define UNARY_ORDER(name, floats) {#name, 1, ORDERED},
#define UNARY_FLAG(name, floats, flagged) {#name, 1, FLAGGED},
#define BINARY(name, ints, floats) {#name, 2, ALIKE},
#define BINARY_FLOAT(name, floats) {#name, 2, ALIKE},
#define BINARY_EACH(name, floats) {#name, 2, ALIKE},
#define BITS(name, ints) {#name, 2, ALIKE},
#define TEST(name, ints, floats) {#name, 1, TO_BOOL},
#define COMPARE(name, expression) {#name, 2, TO_BOOL},
#define SELECT(name, expression) {#name, 3, CHOOSES},
#include "../../engines/native/ops.def"
};
enum { OPS = sizeof ops / sizeof *ops };

#include "check.h"
#include "isa_levels.h"
#include "ops/row.h"

typedef long double wide;
__extension__ typedef __int128 integer;

/* ---- expected floats ---- */

static wide sign(wide x)
{
    return isnan(x) ? x : (x > 0) - (x < 0);
}
static wide square(wide x)
{
    return x * x;
}
static wide neg(wide x)
{
    return -x;
}
static wide sigmoid(wide x)
{
    return 1 / (1 + expl(-x));
}
static wide relu(wide x)
{
    return x <= 0 ? 0 : x;
}
static wide gelu(wide x)
{
    return x == -INFINITY ? (wide)NAN : x * erfcl(-x * sqrtl(.5L)) / 2;
}
static wide gelu_tanh(wide x)
{
    return x == -INFINITY ? (wide)NAN : x * sigmoid(2 * sqrtl(2 / acosl(-1)) * (x + .044715L * x * x * x));
}
static wide erfinv(wide y)
{
    if (!(fabsl(y) < 1)) return fabsl(y) == 1 ? y * INFINITY : (wide)NAN;
    const wide close = fabsl(y), log = log1pl(-close * close), a = 2 / (.147L * acosl(-1)) + log / 2;
    wide x = sqrtl(sqrtl(a * a - log / .147L) - a);
    for (int k = 0; k < 40 && close > 0; k++)
        x -= (close > .5L ? (1 - close) - erfcl(x) : erfl(x) - close) * sqrtl(acosl(-1)) / 2 * expl(x * x);
    return copysignl(close > 1e-30L ? x : close * sqrtl(acosl(-1)) / 2, y);
}
/* e^-|x| times the modified Bessel function of this order: its series, the mean of e^(x cos t - |x|) cos(order t), or the first terms for large x. */
static wide bessel(wide x, int order)
{
    const wide m = fabsl(x), h = x * x / 4;
    if (isnan(x)) return x;
    if (m < 1) {
        wide term = order ? x / 2 : 1, sum = term;
        for (int k = 1; k < 20; k++) term *= h / (k * (k + order)), sum += term;
        return sum * expl(-m);
    }
    if (m > 1e5L)
        return (order && x < 0 ? -1 : 1) * (order ? 1 - 3 / (8 * m) - 15 / (128 * m * m) : 1 + 1 / (8 * m) + 9 / (128 * m * m)) /
               sqrtl(2 * acosl(-1) * m);
    const int points = 60 + (int)(10 * sqrtl(m));
    wide sum = 0;
    for (int k = 0; k < points; k++) {
        const wide t = 2 * acosl(-1) * k / points;
        sum += expl(x * cosl(t) - m) * (order ? cosl(t) : 1);
    }
    return sum / points;
}
static wide i0e(wide x)
{
    return bessel(x, 0);
}
static wide i1e(wide x)
{
    return bessel(x, 1);
}
static wide i0(wide x)
{
    return fabsl(x) > 11000 ? INFINITY : bessel(x, 0) * expl(fabsl(x));
}
static wide i1(wide x)
{
    return fabsl(x) > 11000 ? copysignl(INFINITY, x) : bessel(x, 1) * expl(fabsl(x));
}

static wide add(wide x, wide y)
{
    return x + y;
}
static wide sub(wide x, wide y)
{
    return x - y;
}
static wide mul(wide x, wide y)
{
    return x * y;
}
static wide divide(wide x, wide y)
{
    return x / y;
}
static wide maximum(wide x, wide y)
{
    return isnan(x) || isnan(y) ? (wide)NAN : fmaxl(x, y);
}
static wide minimum(wide x, wide y)
{
    return isnan(x) || isnan(y) ? (wide)NAN : fminl(x, y);
}
static wide relu_backward(wide x, wide y)
{
    return x <= 0 ? 0 : y;
}
static wide python_remainder(wide x, wide y)
{
    const wide r = fmodl(x, y);
    if (isnan(r)) return r;
    return r == 0 ? copysignl(0, y) : (r < 0) != (y < 0) ? r + y : r;
}
static wide floor_divide(wide x, wide y)
{
    if (y == 0 || isinf(x) || isinf(y)) return x / y;
    const wide r = fmodl(x, y), q = (x - r) / y - (r != 0 && (r < 0) != (y < 0));
    return roundl(q);
}

static const struct {
    const char *name;
    wide (*one)(wide);
    wide (*two)(wide, wide);
    double ulps; /* in the last place of float64 and float32 */
} floats[] = {
    {"add", .two = add, .ulps = .51},
    {"sub", .two = sub, .ulps = .51},
    {"mul", .two = mul, .ulps = .51},
    {"div", .two = divide, .ulps = .51},
    {"maximum", .two = maximum},
    {"minimum", .two = minimum},
    {"relu_backward", .two = relu_backward},
    {"floor_divide", .two = floor_divide, .ulps = 1},
    {"remainder", .two = python_remainder, .ulps = 1},
    {"pow", .two = powl, .ulps = 2},
    {"atan2", .two = atan2l, .ulps = 2.5},
    {"neg", .one = neg},
    {"abs", .one = fabsl},
    {"sign", .one = sign},
    {"square", .one = square, .ulps = .51},
    {"sqrt", .one = sqrtl, .ulps = .51},
    {"floor", .one = floorl},
    {"ceil", .one = ceill},
    {"trunc", .one = truncl},
    {"round", .one = rintl},
    {"exp", .one = expl, .ulps = 2},
    {"expm1", .one = expm1l, .ulps = 2.5},
    {"log", .one = logl, .ulps = 2},
    {"log1p", .one = log1pl, .ulps = 2},
    {"log2", .one = log2l, .ulps = 2},
    {"log10", .one = log10l, .ulps = 2.5},
    {"sin", .one = sinl, .ulps = 2},
    {"cos", .one = cosl, .ulps = 2},
    {"tan", .one = tanl, .ulps = 2},
    {"tanh", .one = tanhl, .ulps = 2},
    {"erf", .one = erfl, .ulps = 2},
    {"sigmoid", .one = sigmoid, .ulps = 3},
    {"relu", .one = relu},
    {"gelu", .one = gelu, .ulps = 8},
    {"asin", .one = asinl, .ulps = 3},
    {"acos", .one = acosl, .ulps = 3},
    {"atan", .one = atanl, .ulps = 2.5},
    {"sinh", .one = sinhl, .ulps = 2.5},
    {"cosh", .one = coshl, .ulps = 2.5},
    {"asinh", .one = asinhl, .ulps = 2.5},
    {"acosh", .one = acoshl, .ulps = 3},
    {"atanh", .one = atanhl, .ulps = 2.5},
    {"erfc", .one = erfcl, .ulps = 8},
    {"erfinv", .one = erfinv, .ulps = 8},
    {"cbrt", .one = cbrtl, .ulps = 2},
    {"i0", .one = i0, .ulps = 8},
    {"i0e", .one = i0e, .ulps = 8},
    {"i1", .one = i1, .ulps = 8},
    {"i1e", .one = i1e, .ulps = 8},
};
enum { FLOATS = sizeof floats / sizeof *floats };

/* The line of an op in `floats`, or FLOATS; a test or comparison needs none. */
static int line_of(const op *o)
{
    int r = 0;
    while (r < FLOATS && strcmp(floats[r].name, o->name) != 0) r++;
    return r;
}

typedef struct {
    vn_dtype dtype;
    int digits, min_exponent; /* of the significand; of the smallest normal number */
    wide max;
} format;
static const format formats[] = {{VN_F16, 11, -14, 65504},
                                 {VN_BF16, 8, -126, 0x1.FEp127L},
                                 {VN_F32, 24, -126, 0x1.FFFFFEp127L},
                                 {VN_F64, 53, -1022, 0x1.FFFFFFFFFFFFFp1023L}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* z is the number that was expected, within so many units in the last place of its format. */
static bool is_close(wide z, wide expected, const format *f, double ulps)
{
    if (isnan(expected)) return isnan(z);
    const wide unit = ldexpl(1, (int)fmaxl(expected == 0 || isinf(expected) ? -16000 : ilogbl(expected), f->min_exponent) - f->digits + 1);
    if (isinf(z)) return z * expected > 0 && fabsl(expected) + (wide)ulps * unit > f->max;
    if (isinf(expected)) return false;
    return fabsl(z - expected) <= (wide)ulps * unit;
}

/* Half precision is computed in float32 and then rounded. */
static double ulps_of(int line, const format *f)
{
    const double ulps = floats[line].ulps;
    return ulps == 0 || f->digits > 20 ? ulps : .6;
}

/* ---- numbers ---- */

enum { MANY = 160, SCALARS = 9 };

/* clang-format off */
static const double positive[] = {
    0, 0x1p-1074, 1e-310, 0x1p-1022, 1e-300, 0x1p-149, 0x1p-126, 1e-30, 1e-17, 0x1p-25, 0x1p-14, 1e-3, .1, .25, .3125,
    .4, .5, .625, .75, .9, .99, 1, 1.0625, 1.5, 2, 2.5, 3, 3.75, 5.5, 6.5, 7, 10, 19, 21, 41, 87, 89, 90, 105, 300,
    709.5, 712, 747, 65504, 65520, 1e5, 1e7, 0x1p24, 1e10, 0x1p53, 0x1p61, 1e19, 1e22, 1e30, 1e38, 0x1.FFFFFEp127,
    1e200, 0x1p1000, 0x1.FFFFFFFFFFFFFp1023, (double)INFINITY};
/* clang-format on */
enum { POSITIVE = sizeof positive / sizeof *positive };

/* With both signs, and NaN. */
static int all_numbers(double *x)
{
    int n = 0;
    for (int k = 0; k < POSITIVE; k++) x[n++] = positive[k], x[n++] = -positive[k];
    x[n++] = (double)NAN;
    return n;
}

static vn_array *array_of(const double *x, int64_t n, vn_dtype dtype)
{
    vn_array *z = vn_cast(vn_from_host(x, VN_F64, VN_SHAPE(n)), dtype);
    CHECK(vn_eval(1, &z) == VN_OK);
    return z;
}

/* The elements of a float array. */
static const double *numbers_of(vn_array *x)
{
    const double *data = vn_data(vn_cast(x, VN_F64));
    CHECK(data != NULL);
    return data;
}

/* By the op's row in the table. */
static bool takes(const op *o, vn_dtype dtype)
{
    vn_op_info info = {.size = sizeof info};
    CHECK(vn__op_at(vn__op_find(o->name), &info) == VN_OK);
    return info.dtypes & VN_BIT(dtype);
}

static vn_array *call(const char *name, vn_array **in, int n)
{
    vn_array *z = NULL;
    CHECK(vn__all_ops.call(name, in, n, NULL, 0, &z, 1) == VN_OK && vn_eval(1, &z) == VN_OK);
    return z;
}

/* The same number as often as an array is long, in memory. */
static vn_array *repeated(vn_array *x, int64_t at)
{
    const size_t bytes = vn_dtype_size(vn_dtype_of(x));
    char all[MANY * 8];
    for (size_t k = 0; k < (size_t)vn_size(x); k++) memcpy(all + k * bytes, (const char *)vn_data(x) + (size_t)at * bytes, bytes);
    return vn_from_host(all, vn_dtype_of(x), VN_SHAPE(vn_size(x)));
}

static bool same_bits(vn_array *x, vn_array *y)
{
    const size_t bytes = (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x));
    return vn_size(x) == vn_size(y) && vn_dtype_of(x) == vn_dtype_of(y) && !memcmp(vn_data(x), vn_data(y), bytes);
}

/* NaN as 0 in floats: its payload may differ. */
static vn_array *without_nan(vn_array *x)
{
    vn_array *z =
        !(VN_BIT(vn_dtype_of(x)) & (VN_FLOATS | VN_COMPLEX)) ? x : vn_where(vn_isnan(x), vn_zeros(VN_SHAPE(vn_size(x)), vn_dtype_of(x)), x);
    CHECK(vn_eval(1, &z) == VN_OK);
    return z;
}

/* A number on either side gives the bits of an array of that number. */
static void check_numbers_beside_arrays(const op *o, vn_array *x)
{
    const int64_t n = vn_size(x);
    for (int k = 0; k < SCALARS; k++) {
        VN_SCOPE;
        const int64_t at = k * (n - 1) / (SCALARS - 1);
        vn_array *one = vn_broadcast_to(vn_rows(x, at, 1), VN_SHAPE(n)), *many = repeated(x, at);
        vn_array *right = call(o->name, (vn_array *[]){x, one}, 2), *left = call(o->name, (vn_array *[]){one, x}, 2);
        CHECK(same_bits(without_nan(right), without_nan(call(o->name, (vn_array *[]){x, many}, 2))));
        CHECK(same_bits(without_nan(left), without_nan(call(o->name, (vn_array *[]){many, x}, 2))));
    }
}

static void complain(const char *name, vn_dtype dtype, double x, double y, double z, wide expected)
{
    check_failures++;
    fprintf(stderr, "%s: %s %s of %.17g and %.17g: %.17g, expected %.20Lg\n", getenv("VINEA_ISA"), name, vn_dtype_name(dtype), x, y, z,
            expected);
}

/* Whether a test or comparison of floats holds; -1: this is none. */
static int holds(const char *name, double x, double y)
{
    const bool answers[] = {signbit(x) != 0, isnan(x) != 0, isinf(x) != 0, isfinite(x) != 0, x == y, x != y, x<y, x <= y, x> y, x >= y};
    static const char *const names[] = {"signbit",   "isnan", "isinf",      "isfinite", "equal",
                                        "not_equal", "less",  "less_equal", "greater",  "greater_equal"};
    for (int k = 0; k < 10; k++)
        if (!strcmp(name, names[k])) return answers[k];
    return -1;
}

/* ---- one array ---- */

static void check_unary(const op *o, const format *f, wide (*expected)(wide), double ulps, const double *numbers, int n,
                        const char *variant)
{
    VN_SCOPE;
    vn_array *x = array_of(numbers, n, f->dtype), *z;
    if (!strcmp(variant, "tanh")) z = vn_gelu(x, VN_OPTS(gelu, .approximate = 1));
    else if (o->kind == FLAGGED) z = vn_gelu(x, NULL);
    else z = call(o->name, &x, 1);
    const double *from = numbers_of(x), *to = numbers_of(z);
    for (int k = 0; from && to && k < n; k++) {
        check_count++;
        const int test = holds(o->name, from[k], 0);
        const wide want = test >= 0 ? test : expected(from[k]);
        if (!is_close(to[k], want, f, test >= 0 ? 0 : ulps) || (to[k] == 0 && test < 0 && want == 0 && !signbit(to[k]) != !signbit(want)))
            complain(o->name, f->dtype, from[k], 0, to[k], want);
    }
}

TEST(functions_of_one_float)
{
    double numbers[MANY], moderate[MANY];
    const int n = all_numbers(numbers);
    int few = 0; /* of them are not far from 0 and not negative: blocks of such have faster loops */
    for (int k = 0; k < n; k++)
        if (numbers[k] >= 0 && numbers[k] < 1000) moderate[few++] = numbers[k];
    for (int k = 0; k < OPS; k++) {
        const op *o = &ops[k];
        if (o->n_in != 1 || !takes(o, VN_F32) || o->kind == ORDERED || !strcmp(o->name, "lgamma")) continue; /* below */
        const int r = line_of(o);
        CHECK(r < FLOATS || o->kind == TO_BOOL); /* a new op needs a line above */
        for (int d = 0; d < FORMATS && (r < FLOATS || o->kind == TO_BOOL); d++) {
            const double ulps = r < FLOATS ? ulps_of(r, &formats[d]) : 0;
            wide (*expected)(wide) = r < FLOATS ? floats[r].one : NULL;
            check_unary(o, &formats[d], expected, ulps, numbers, n, "");
            check_unary(o, &formats[d], expected, ulps, moderate, few, "");
            if (o->kind == FLAGGED) check_unary(o, &formats[d], gelu_tanh, ulps, numbers, n, "tanh");
        }
    }
}

/* Logarithms of the gamma function have zeros, near which its error is that of 1; its derivatives have poles at 0, -1, -2 ... */
static wide digamma(wide x)
{
    wide sum = 0;
    for (; x < 40; x++) sum -= 1 / x;
    const wide s = 1 / (x * x);
    return sum + logl(x) - 1 / (2 * x) - s * (1 / 12.L - s * (1 / 120.L - s * (1 / 252.L - s * (1 / 240.L - s / 132))));
}
static wide trigamma(wide x)
{
    wide sum = 0;
    for (; x < 40; x++) sum += 1 / (x * x);
    const wide s = 1 / (x * x);
    return sum + 1 / x + s / 2 + s / x * (1 / 6.L - s * (1 / 30.L - s * (1 / 42.L - s * (1 / 30.L - s * 5 / 66))));
}

TEST(the_gamma_function)
{
    static const double numbers[] = {1e-300, 1e-30, .1,  .5,  .9,   1,    1.2, 1.5,  2,     2.5,   3,     7,
                                     12.5,   13.5,  100, 1e3, 1e10, 1e30, -.5, -1.5, -2.25, -3.75, -20.5, -100.25};
    enum { N = sizeof numbers / sizeof *numbers, NEGATIVE = 6 };
    for (int d = 0; d < FORMATS; d++)
        for (int n = N - NEGATIVE; n <= N; n += NEGATIVE) { /* a block without negative numbers has another loop */
            VN_SCOPE;
            const format *f = &formats[d];
            const double unit = ldexp(1, 1 - f->digits);
            vn_array *x = array_of(numbers, n, f->dtype);
            const double *from = numbers_of(x), *log = numbers_of(call("lgamma", &x, 1)), *first = numbers_of(vn_polygamma(x, 0)),
                         *second = numbers_of(vn_polygamma(x, 1));
            for (int k = 0; k < n; k++) {
                const double x0 = from[k], limits[] = {(double)lgammal(x0), (double)digamma(x0), (double)trigamma(x0)},
                             got[] = {log[k], first[k], second[k]};
                for (int r = 0; r < 3; r++) {
                    check_count++;
                    const bool pole = (x0 < 0 && floor(x0) == x0) || fabs(limits[r]) > (double)f->max; /* or beyond the dtype */
                    const double scale = fmax(1, fabs(limits[r])) * (x0 < 0 ? 1 + x0 * x0 : 1);
                    if (!pole && !(fabs(got[r] - limits[r]) <= 20 * unit * scale))
                        complain("lgamma, digamma, trigamma", f->dtype, x0, r, got[r], limits[r]);
                }
            }
        }
}

/* ---- two arrays ---- */

/* The bits of an element as a number that grows with it. */
static int64_t ordinal(const void *data, int64_t at, size_t bytes)
{
    int64_t u = 0;
    if (bytes == 8) memcpy(&u, (const char *)data + 8 * at, 8);
    else if (bytes == 4) u = ((const uint32_t *)data)[at];
    else u = ((const uint16_t *)data)[at];
    const int64_t top = (int64_t)((uint64_t)1 << (8 * bytes - 1)), rest = (int64_t)((uint64_t)u & ~(uint64_t)top);
    return u == rest ? u : -rest;
}

/* Every number beside every other. */
static void all_pairs(vn_array *x, vn_array **left, vn_array **right)
{
    const int64_t n = vn_size(x);
    *left = vn_reshape(vn_broadcast_to(vn_reshape(x, VN_SHAPE(n, 1)), VN_SHAPE(n, n)), VN_SHAPE(n * n));
    *right = vn_reshape(vn_broadcast_to(x, VN_SHAPE(n, n)), VN_SHAPE(n * n));
    CHECK(vn_eval(2, (vn_array *[]){*left, *right}) == VN_OK);
}

static void check_neighbours(vn_array *x, vn_array *y, vn_array *z)
{
    const double *from = numbers_of(x), *to = numbers_of(y), *got = numbers_of(z);
    const void *bits = vn_data(x), *result = vn_data(z);
    const size_t bytes = vn_dtype_size(vn_dtype_of(x));
    for (int64_t k = 0; got && result && k < vn_size(x); k++) {
        check_count++;
        const bool odd = isnan(from[k]) || isnan(to[k]);
        const int64_t step = odd ? 0 : (to[k] > from[k]) - (to[k] < from[k]);
        if (odd ? !isnan(got[k]) : ordinal(result, k, bytes) != ordinal(bits, k, bytes) + step)
            complain("nextafter", vn_dtype_of(x), from[k], to[k], got[k], (wide)step);
    }
}

static void check_pairs(const op *o, const format *f, vn_array *x, vn_array *y, vn_array *z)
{
    const int r = line_of(o);
    const double *a = numbers_of(x), *b = numbers_of(y), *c = numbers_of(z);
    CHECK(r < FLOATS || o->kind == TO_BOOL); /* a new op needs a line above */
    for (int64_t i = 0; a && b && c && i < vn_size(x) && (r < FLOATS || o->kind == TO_BOOL); i++) {
        const wide want = o->kind == TO_BOOL ? holds(o->name, a[i], b[i]) : floats[r].two(a[i], b[i]);
        check_count++;
        if (!is_close(c[i], want, f, o->kind == TO_BOOL ? 0 : ulps_of(r, f))) complain(o->name, f->dtype, a[i], b[i], c[i], want);
    }
}

TEST(functions_of_two_floats)
{
    double numbers[MANY];
    const int n = all_numbers(numbers);
    for (int k = 0; k < OPS; k++) {
        const op *o = &ops[k];
        if (o->n_in != 2 || !takes(o, VN_F32)) continue;
        for (int d = 0; d < FORMATS; d++) {
            VN_SCOPE;
            const format *f = &formats[d];
            vn_array *each = array_of(numbers, n, f->dtype), *x, *y;
            all_pairs(each, &x, &y);
            vn_array *z = call(o->name, (vn_array *[]){x, y}, 2);
            if (!strcmp(o->name, "nextafter")) check_neighbours(x, y, z);
            else check_pairs(o, f, x, y, z);
            check_numbers_beside_arrays(o, each);
        }
    }
}

/* ---- integers ---- */

static integer power(integer x, integer y)
{
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    uint64_t z = 1, base = (uint64_t)x;
    for (; y; y /= 2, base *= base) z *= y % 2 ? base : 1;
    return (integer)z;
}

/* What an op gives for integers of a dtype, before it is cut to its width. */
static integer expected_integer(const char *name, integer x, integer y, int bits)
{
    const integer quotient = y ? x / y : 0, rest = y ? x % y : 0;
    const bool below = rest != 0 && (rest < 0) != (y < 0), far = y < 0 || y >= bits;
    const struct {
        const char *name;
        integer value;
    } all[] = {{"add", x + y},
               {"sub", x - y},
               {"mul", (integer)((uint64_t)x * (uint64_t)y)},
               {"maximum", x > y ? x : y},
               {"minimum", x < y ? x : y},
               {"floor_divide", quotient - below},
               {"remainder", below ? rest + y : rest},
               {"pow", power(x, y)},
               {"bitwise_and", x & y},
               {"bitwise_or", x | y},
               {"bitwise_xor", x ^ y},
               {"bitwise_left_shift", far ? 0 : (integer)((uint64_t)x << (int)y)},
               {"bitwise_right_shift", far ? (x < 0 ? -1 : 0) : x >> (int)y},
               {"equal", x == y},
               {"not_equal", x != y},
               {"less", x < y},
               {"less_equal", x <= y},
               {"greater", x > y},
               {"greater_equal", x >= y},
               {"neg", -x},
               {"abs", x < 0 ? -x : x},
               {"sign", (x > 0) - (x < 0)},
               {"relu", x > 0 ? x : 0},
               {"square", (integer)((uint64_t)x * (uint64_t)x)},
               {"floor", x},
               {"ceil", x},
               {"trunc", x},
               {"round", x},
               {"signbit", x < 0},
               {"isnan", 0},
               {"isinf", 0},
               {"isfinite", 1}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(all[k].name, name)) return all[k].value;
    check_failures++;
    fprintf(stderr, "%s needs a line here\n", name);
    return 0;
}

static integer element(vn_array *x, int64_t at)
{
    const void *p = vn_data(x);
    switch ((int)vn_dtype_of(x)) {
    case VN_I8: return ((const int8_t *)p)[at];
    case VN_I16: return ((const int16_t *)p)[at];
    case VN_I32: return ((const int32_t *)p)[at];
    case VN_I64: return ((const int64_t *)p)[at];
    case VN_U16: return ((const uint16_t *)p)[at];
    case VN_U32: return ((const uint32_t *)p)[at];
    case VN_U64: return (integer)((const uint64_t *)p)[at];
    default: return ((const uint8_t *)p)[at];
    }
}

/* Cut to the width of a dtype. */
static integer wrapped(integer x, vn_dtype dtype)
{
    if (dtype == VN_BOOL) return x != 0;
    const int bits = 8 * (int)vn_dtype_size(dtype);
    const integer range = (integer)1 << bits, rest = ((x % range) + range) % range;
    return (VN_BIT(dtype) & VN_SIGNED) && rest >= range / 2 ? rest - range : rest;
}

/* Small ones, ends of the range and around the width, as far as the dtype holds them. */
static vn_array *integers_of(vn_dtype dtype)
{
    static const int64_t small[] = {0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, -1, -2, -3, -7, -8, -33, -64, -100};
    const int bits = 8 * (int)vn_dtype_size(dtype);
    int64_t all[32];
    int n = 0;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++)
        if (wrapped(small[k], dtype) == small[k]) all[n++] = small[k];
    if (dtype != VN_BOOL)
        for (int k = -2; k <= 2; k++)
            all[n++] = (int64_t)(((uint64_t)1 << (bits - 1)) + (uint64_t)(int64_t)k); /* the smallest and the largest signed one */
    unsigned char raw[32 * 8];
    for (int k = 0; k < n; k++) memcpy(raw + (size_t)k * vn_dtype_size(dtype), &all[k], vn_dtype_size(dtype)); /* the low bytes */
    vn_array *x = vn_from_host(raw, dtype, VN_SHAPE(n));
    CHECK(vn_eval(1, &x) == VN_OK);
    return x;
}

static void check_integers(const op *o, vn_dtype dtype)
{
    VN_SCOPE;
    vn_array *each = integers_of(dtype), *x = each, *y = each;
    if (o->n_in == 2) all_pairs(each, &x, &y);
    vn_array *z = call(o->name, (vn_array *[]){x, y}, o->n_in);
    for (int64_t i = 0; z && i < vn_size(x); i++) {
        const integer a = element(x, i), b = element(y, i),
                      want = wrapped(expected_integer(o->name, a, b, 8 * (int)vn_dtype_size(dtype)), vn_dtype_of(z));
        check_count++;
        if (element(z, i) != want) complain(o->name, dtype, (double)a, (double)b, (double)element(z, i), (wide)want);
    }
    if (z && o->n_in == 2) check_numbers_beside_arrays(o, each);
}

TEST(functions_of_integers)
{
    static const vn_dtype dtypes[] = {VN_I8, VN_I16, VN_I32, VN_I64, VN_U8, VN_U16, VN_U32, VN_U64, VN_BOOL};
    for (int k = 0; k < OPS; k++)
        for (int d = 0; d < 9; d++)
            if (takes(&ops[k], dtypes[d]) && ops[k].kind != CHOOSES) check_integers(&ops[k], dtypes[d]);
}

/* ---- casts ---- */

static const vn_dtype all_dtypes[] = {VN_BOOL, VN_I8,  VN_I16,  VN_I32, VN_I64, VN_U8,  VN_U16, VN_U32,
                                      VN_U64,  VN_F16, VN_BF16, VN_F32, VN_F64, VN_C64, VN_C128};
enum { ALL_DTYPES = sizeof all_dtypes / sizeof *all_dtypes };

/* The nearest number of a format, the even one of two. */
static wide rounded(wide x, const format *f)
{
    if (x == 0 || isnan(x) || isinf(x)) return x;
    const wide unit = ldexpl(1, (int)fmaxl(ilogbl(x), f->min_exponent) - f->digits + 1), z = rintl(x / unit) * unit;
    return fabsl(z) > f->max ? copysignl(INFINITY, z) : z;
}

static const format *format_of(vn_dtype dtype)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].dtype == dtype) return &formats[k];
    return NULL;
}

/* A real number as an element of the dtype: floats are cut to integers, at the ends of the range if they lie beyond, and NaN is 0; integers wrap around. */
static wide cast_number(wide x, vn_dtype from, vn_dtype to)
{
    const format *f = format_of(to);
    if (f) return rounded(x, f);
    if (to == VN_BOOL) return x != 0;
    if (!format_of(from)) return (wide)wrapped((integer)x, to);
    const int bits = 8 * (int)vn_dtype_size(to);
    const wide low = VN_BIT(to) & VN_SIGNED ? -ldexpl(1, bits - 1) : 0, above = ldexpl(1, VN_BIT(to) & VN_SIGNED ? bits - 1 : bits);
    return isnan(x) ? 0 : x >= above ? above - 1 : x < low ? low : truncl(x);
}

/* Element `at` of an array of real numbers, exactly. */
static wide number_at(vn_array *x, int64_t at)
{
    const vn_dtype dtype = vn_dtype_of(x);
    const void *p = vn_data(x);
    if (dtype == VN_F64) return ((const double *)p)[at];
    if (dtype == VN_F32) return ((const float *)p)[at];
    if (!format_of(dtype)) return (wide)element(x, at);
    return ((const float *)vn_data(vn_cast(x, VN_F32)))[at];
}

/* Numbers where casts round, wrap or end, in a dtype. */
static vn_array *numbers_to_cast(vn_dtype dtype)
{
    double numbers[MANY];
    if (!format_of(dtype)) return integers_of(dtype);
    return array_of(numbers, all_numbers(numbers), dtype);
}

TEST(casts)
{
    for (int a = 0; a < ALL_DTYPES; a++)
        for (int b = 0; b < ALL_DTYPES; b++) {
            VN_SCOPE;
            const vn_dtype from = all_dtypes[a], to = all_dtypes[b];
            const bool parts = VN_BIT(from) & VN_COMPLEX, wants_parts = VN_BIT(to) & VN_COMPLEX;
            if (parts && !wants_parts) continue; /* an error, which names vn_real */
            vn_array *x = numbers_to_cast(from == VN_C64 ? VN_F32 : from == VN_C128 ? VN_F64 : from);
            vn_array *z = vn_cast(parts ? vn_complex(x, vn_neg(x)) : x, to), *real = wants_parts ? vn_real(z) : z;
            vn_array *imaginary = wants_parts ? vn_imag(z) : NULL;
            CHECK(vn_eval(1, &real) == VN_OK && vn_size(real) == vn_size(x));
            for (int64_t k = 0; k < vn_size(x); k++) {
                const vn_dtype part = to == VN_C64 ? VN_F32 : to == VN_C128 ? VN_F64 : to;
                const wide number = number_at(x, k), want = cast_number(number, from, part), got = number_at(real, k);
                const wide beside = imaginary ? number_at(imaginary, k) : 0, wanted = parts ? cast_number(-number, from, part) : 0;
                check_count++;
                if (!(got == want || (isnan(got) && isnan(want))) || !(beside == wanted || (isnan(beside) && isnan(wanted))))
                    complain(vn_dtype_name(from), to, (double)number, 0, (double)got, want);
            }
        }
}

/* ---- choosing ---- */

TEST(where_of_every_size)
{
    enum { N = 300 };
    for (int d = 0; d < ALL_DTYPES; d++) {
        VN_SCOPE;
        const size_t bytes = vn_dtype_size(all_dtypes[d]);
        double numbers[N];
        uint8_t conditions[N];
        for (int k = 0; k < N; k++) numbers[k] = k % 100, conditions[k] = k * k % 7 < 3;
        vn_array *x = array_of(numbers, N, all_dtypes[d]), *y = vn_flip(x, VN_ALL), *c = vn_from_host(conditions, VN_BOOL, VN_SHAPE(N));
        CHECK(vn_eval(1, &y) == VN_OK);
        vn_array *one = vn_rows(x, 41, 1);
        for (int shape = 0; shape < 3; shape++) {
            vn_array *left = shape == 1 ? one : x, *right = shape == 2 ? one : y, *z = vn_where(c, left, right);
            const char *a = vn_data(left), *b = vn_data(right), *got = vn_data(z);
            bool good = a && b && got;
            for (size_t k = 0; k < N && good; k++) {
                const char *from = conditions[k] ? a + (shape == 1 ? 0 : k * bytes) : b + (shape == 2 ? 0 : k * bytes);
                good = !memcmp(got + k * bytes, from, bytes);
            }
            CHECK(good);
        }
    }
}

TEST_MAIN_AT_EVERY_LEVEL_ON("1")
