/* SPDX-License-Identifier: Apache-2.0 */
/* random.c: random numbers follow their distributions and are the same on every engine. Seeds are fixed, so results are reproducible.
 * Kolmogorov-Smirnov distances stay below 2.2 / sqrt(n), chi-square and moments within 5 standard deviations. */
/* ctest: engines */
#include "check.h"

enum { COUNT = 40000 };

static vn_array *key(uint64_t number)
{
    return vn_random_key_of(number);
}

static vn_array *number(double x)
{
    return vn_from_host(&x, VN_F64, VN_0D);
}

/* ---- every distribution, by a key ---- */

typedef vn_array *sample(vn_array *key, vn_shape shape);

#define PARAMETER(x, dtype) vn_cast(number(x), dtype)
#define SAMPLE(name, expression)                                  \
    static vn_array *sample_##name(vn_array *key, vn_shape shape) \
    {                                                             \
        return expression;                                        \
    }
SAMPLE(bits, vn_random_bits(key, shape, VN_U32, NULL))
SAMPLE(wide_bits, vn_random_bits(key, shape, VN_U64, NULL))
SAMPLE(uniform, vn_uniform(key, vn_scalar(-1), vn_scalar(3), shape, VN_F32))
SAMPLE(normal, vn_normal(key, vn_scalar(0), vn_scalar(1), shape, VN_F64))
SAMPLE(randint, vn_randint(key, vn_scalar(-50), vn_scalar(50), shape, VN_I16))
SAMPLE(bernoulli, vn_bernoulli(key, vn_scalar(.3), shape, VN_BOOL))
SAMPLE(truncated_normal, vn_truncated_normal(key, vn_scalar(-2), vn_scalar(1), shape, VN_F32))
SAMPLE(truncated_tail, vn_truncated_normal(key, vn_scalar(35), vn_scalar(INFINITY), shape, VN_F64))
SAMPLE(exponential, vn_exponential(key, shape, VN_F16))
SAMPLE(gamma, vn_gamma(key, vn_scalar(2.5), shape, VN_F32))
SAMPLE(gamma_small, vn_gamma(key, vn_scalar(.1), shape, VN_F64))
SAMPLE(beta, vn_beta(key, vn_scalar(.5), vn_scalar(2), shape, VN_BF16))
SAMPLE(poisson, vn_poisson(key, vn_scalar(4), shape, VN_I64))
SAMPLE(poisson_large, vn_poisson(key, vn_scalar(400), shape, VN_I32))
SAMPLE(gumbel, vn_gumbel(key, shape, VN_F32))
SAMPLE(laplace, vn_laplace(key, vn_scalar(1), vn_scalar(2), shape, VN_F16))
SAMPLE(binomial, vn_binomial(key, vn_scalar(20), vn_scalar(.3), shape, VN_I64))
SAMPLE(binomial_large, vn_binomial(key, vn_scalar(400), vn_scalar(.6), shape, VN_I32))
SAMPLE(categorical, vn_categorical(key, vn_broadcast_to(vn_from((float[]){0, 1, 2}, VN_SHAPE(3)), VN_SHAPE(shape.dim[0], 3)), 0))
SAMPLE(multinomial, vn_multinomial(key, vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), shape.dim[0], NULL))

static sample *const samples[] = {sample_bits,           sample_wide_bits,     sample_uniform,     sample_normal,
                                  sample_randint,        sample_bernoulli,     sample_exponential, sample_truncated_normal,
                                  sample_truncated_tail, sample_gamma,         sample_gamma_small, sample_beta,
                                  sample_poisson,        sample_poisson_large, sample_categorical, sample_multinomial,
                                  sample_gumbel,         sample_laplace,       sample_binomial,    sample_binomial_large};
enum { SAMPLES = sizeof samples / sizeof *samples };

static size_t bytes_of(vn_array *x)
{
    return (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x));
}

/* The first bytes of two arrays. */
static bool same(vn_array *x, vn_array *y, size_t bytes)
{
    const void *p = vn_data(x), *q = vn_data(y);
    return p && q && !memcmp(p, q, bytes);
}

/* Element i depends on the key and i alone. */
NATIVE_TEST(elements_stand_alone)
{
    for (int k = 0; k < SAMPLES; k++) {
        vn_array *few = samples[k](key(5), VN_SHAPE(1333)), *many = samples[k](key(5), VN_SHAPE(COUNT)),
                 *other = samples[k](key(6), VN_SHAPE(1333));
        CHECK(same(few, many, bytes_of(few)));
        CHECK(!same(few, other, bytes_of(few)));
    }
}

static void same_as_native(const char *engine)
{
    for (int k = 0; k < SAMPLES + 3; k++) {
        vn_array *z[2] = {NULL, NULL};
        for (int e = 0; e < 2; e++) {
            CHECK(vn_use(e ? "native" : engine) == VN_OK);
            vn_array *x = vn_from((float[]){1, 2, 3, 4, 5, 6, 7, 8}, VN_SHAPE(8)), *seed = key((uint64_t)k);
            z[e] = k < SAMPLES        ? samples[k](seed, VN_SHAPE(5000))
                   : k == SAMPLES     ? vn_shuffle(seed, x, 0, NULL)
                   : k == SAMPLES + 1 ? vn_random_split(seed, 100)
                                      : vn_permutation(seed, 3000);
        }
        CHECK(same(z[0], z[1], bytes_of(z[0])));
    }
    CHECK(vn_use(engine) == VN_OK);
}

/* ---- continuous distributions ---- */

typedef double law(double x, double a, double b); /* the probability of a number up to x */

static int ascending(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;
    return (p > q) - (p < q);
}

static const double *sorted(vn_array *x)
{
    static double values[COUNT];
    CHECK(vn_read(vn_cast(x, VN_F64), values, sizeof values) == VN_OK);
    qsort(values, COUNT, sizeof *values, ascending);
    return values;
}

static void follows(vn_array *x, law *cdf, double a, double b)
{
    const double *v = sorted(x);
    double distance = 0;
    for (int k = 0; k < COUNT; k++) {
        const double p = cdf(v[k], a, b);
        distance = fmax(distance, fmax(fabs(p - (double)k / COUNT), fabs(p - (double)(k + 1) / COUNT)));
    }
    CHECK(distance * sqrt(COUNT) < 2.2);
}

/* Mean and variance; the fourth moment, which says how far the variance may be off, is the sample's own. */
static void has_moments(vn_array *x, double mean, double variance)
{
    const double *v = sorted(x);
    double sum = 0, square = 0, fourth = 0;
    for (int k = 0; k < COUNT; k++) {
        const double d = v[k] - mean;
        sum += d, square += d * d, fourth += d * d * d * d;
    }
    square /= COUNT, fourth /= COUNT;
    CHECK(fabs(sum / COUNT) < 5 * sqrt(variance / COUNT));
    CHECK(fabs(square - variance) < 5 * sqrt((fourth - square * square) / COUNT) + 1e-12);
}

static double uniform_law(double x, double a, double b)
{
    return x < a ? 0 : x > b ? 1 : (x - a) / (b - a);
}
static double normal_law(double x, double mean, double std)
{
    return .5 * erfc((mean - x) / std / sqrt(2));
}
static double exponential_law(double x, double rate, double unused)
{
    (void)unused;
    return -expm1(-rate * x);
}
static double truncated_law(double x, double low, double high)
{
    const double a = normal_law(low, 0, 1), b = normal_law(high, 0, 1);
    return (normal_law(x, 0, 1) - a) / (b - a);
}

/* Above a large `low`, by the asymptotic series. */
static double tail_law(double x, double low, double unused)
{
    double h[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const double t = k ? low : x, s = 1 / (t * t);
        h[k] = (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s)))) / t;
    }
    return 1 - exp((low - x) * (low + x) / 2) * h[0] / h[1];
}

/* The incomplete gamma function by its series, and by a continued fraction above. */
static double gamma_law(double x, double alpha, double unused)
{
    (void)unused;
    if (x <= 0) return 0;
    const double front = exp(alpha * log(x) - x - lgamma(alpha));
    if (x < alpha + 1) {
        double term = 1 / alpha, sum = term;
        for (int k = 1; k < 2000 && term > 1e-17 * sum; k++) sum += term *= x / (alpha + k);
        return front * sum;
    }
    double f = 0;
    for (int k = 400; k > 0; k--) f = k * (k - alpha) / (x + 2 * k + 1 - alpha - f);
    return 1 - front / (x + 1 - alpha - f);
}

/* The incomplete beta function by its continued fraction, from the nearer end. */
static double beta_law(double x, double a, double b)
{
    if (x <= 0 || x >= 1) return x > 0;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_law(1 - x, b, a);
    double f = 1;
    for (int k = 200; k > 0; k--) {
        const int m = k / 2;
        const double top = k % 2 ? -(a + m) * (a + b + m) : m * (b - m);
        f = 1 + top * x / ((a + k - 1) * (a + k)) / f;
    }
    return exp(a * log(x) + b * log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)) / (a * f);
}

NATIVE_TEST(uniform_and_normal)
{
    vn_array *u = vn_uniform(key(1), vn_scalar(-2), vn_scalar(5), VN_SHAPE(COUNT), VN_F32);
    vn_array *z = vn_normal(key(2), vn_scalar(3), vn_scalar(2), VN_SHAPE(COUNT), VN_F64);
    follows(u, uniform_law, -2, 5);
    has_moments(u, 1.5, 49. / 12);
    follows(z, normal_law, 3, 2);
    has_moments(z, 3, 4);
    follows(vn_random_exponential(2, VN_SHAPE(COUNT)), exponential_law, 2, 0);
}

NATIVE_TEST(truncated_normal)
{
    static const double bounds[][2] = {{-2, 2}, {-1, 4}, {.5, INFINITY}, {-INFINITY, 0}, {5, 6}, {-9, -8}};
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        const double low = bounds[k][0], high = bounds[k][1];
        vn_array *z = vn_truncated_normal(key(10 + k), vn_scalar(low), vn_scalar(high), VN_SHAPE(COUNT), VN_F64);
        if (low < 4) follows(z, truncated_law, low, high);
        else follows(vn_neg(z), truncated_law, -high, -low);
        CHECK(vn_item(vn_min(z, VN_ALL)) >= low && vn_item(vn_max(z, VN_ALL)) <= high);
    }
    follows(vn_truncated_normal(key(20), vn_scalar(12), vn_scalar(INFINITY), VN_SHAPE(COUNT), VN_F64), tail_law, 12, 0);
    follows(vn_truncated_normal(key(21), vn_scalar(35), vn_scalar(INFINITY), VN_SHAPE(COUNT), VN_F64), tail_law, 35, 0);
    follows(vn_neg(vn_truncated_normal(key(22), vn_scalar(-INFINITY), vn_scalar(-300), VN_SHAPE(COUNT), VN_F64)), tail_law, 300, 0);
    /* so narrow that it is uniform */
    follows(vn_truncated_normal(key(23), vn_scalar(1), vn_scalar(1 + 0x1p-30), VN_SHAPE(COUNT), VN_F64), uniform_law, 1, 1 + 0x1p-30);
    follows(vn_truncated_normal(key(24), vn_scalar(2e-5), vn_scalar(3e-5), VN_SHAPE(COUNT), VN_F64), uniform_law, 2e-5, 3e-5);
}

NATIVE_TEST(gamma_and_beta)
{
    static const double alphas[] = {.1, .5, 1, 1.5, 4, 30, 1000},
                        pairs[][2] = {{1, 1}, {.3, .3}, {.1, 2}, {.5, 3}, {2, 5}, {40, 10}, {1, 30}};
    for (size_t k = 0; k < sizeof alphas / sizeof *alphas; k++) {
        vn_array *g = vn_gamma(key(30 + k), vn_scalar(alphas[k]), VN_SHAPE(COUNT), VN_F64);
        follows(g, gamma_law, alphas[k], 0);
        has_moments(g, alphas[k], alphas[k]);
    }
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const double a = pairs[k][0], b = pairs[k][1], s = a + b;
        vn_array *z = vn_beta(key(40 + k), vn_scalar(a), vn_scalar(b), VN_SHAPE(COUNT), VN_F64);
        follows(z, beta_law, a, b);
        has_moments(z, a / s, a * b / (s * s * (s + 1)));
    }
    has_moments(vn_gamma(key(50), vn_scalar(1e12), VN_SHAPE(COUNT), VN_F64), 1e12, 1e12);
}

/* Tiny parameters of beta leave 0 and 1, in their proportion. */
NATIVE_TEST(beta_of_almost_nothing)
{
    for (int k = 0; k < 3; k++) {
        const double a = (double[]){1e-10, 1e-300, 0x1p-1070}[k];
        vn_array *z = vn_beta(key(51), number(a), number(3 * a), VN_SHAPE(COUNT), VN_F64);
        CHECK(!vn_item_int(vn_any(vn_isnan(z), VN_ALL)));
        CHECK(fabs(vn_item(vn_mean(z, VN_ALL)) - .25) < 5 * sqrt(.25 * .75 / COUNT));
    }
}

/* ---- integer distributions ---- */

/* Counts against n * p: chi-square within 5 standard deviations of its mean. Rare classes are taken together. */
static void fits(const int *counts, const double *p, int classes, double n)
{
    double chi = 0, rare = 0, rare_counts = 0;
    int degrees = -1;
    for (int k = 0; k < classes; k++) {
        const double expected = n * p[k];
        if (expected < 10) rare += expected, rare_counts += counts[k];
        else chi += (counts[k] - expected) * (counts[k] - expected) / expected, degrees++;
    }
    if (rare > 5) chi += (rare_counts - rare) * (rare_counts - rare) / rare, degrees++;
    else CHECK(rare_counts < 30);
    CHECK(degrees > 0 && chi < degrees + 5 * sqrt(2. * degrees));
}

enum { CLASSES = 2048 };
static int counts[CLASSES];
static double chances[CLASSES];

/* How often x - from is each of the classes; nothing may lie outside. */
static void count(vn_array *x, int64_t from, int classes)
{
    const int64_t *v = vn_data(vn_cast(x, VN_I64)), n = vn_size(x);
    bool inside = v != NULL;
    memset(counts, 0, sizeof counts);
    for (int64_t k = 0; inside && k < n; k++) {
        inside = v[k] >= from && v[k] < from + classes;
        if (inside) counts[v[k] - from]++;
    }
    CHECK(inside);
}

static void all_alike(int classes)
{
    for (int k = 0; k < classes; k++) chances[k] = 1. / classes;
}

NATIVE_TEST(integers)
{
    static const int ranges[][2] = {{0, 2}, {-5, 5}, {0, 256}, {100, 107}, {-1000, 24}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        const int low = ranges[k][0], n = ranges[k][1] - low;
        count(vn_randint(key(60 + k), vn_scalar(low), vn_scalar(ranges[k][1]), VN_SHAPE(COUNT), VN_I32), low, n);
        all_alike(n);
        fits(counts, chances, n, COUNT);
    }
    /* a range of 3 * 2^62, in thirds */
    const int64_t low = INT64_MIN, high = INT64_MAX / 2 + 1;
    vn_array *wide = vn_random_randint(low, high, VN_SHAPE(COUNT));
    count(vn_floor_divide(wide, vn_from_host(&(int64_t){INT64_C(1) << 62}, VN_I64, VN_0D)), -2, 3);
    all_alike(3);
    fits(counts, chances, 3, COUNT);

    count(vn_bernoulli(key(70), vn_scalar(.3), VN_SHAPE(COUNT), VN_BOOL), 0, 2);
    chances[0] = .7, chances[1] = .3;
    fits(counts, chances, 2, COUNT);
}

NATIVE_TEST(poisson)
{
    static const double rates[] = {.01, .7, 5, 9.9, 10, 12, 50, 300};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        vn_array *x = vn_poisson(key(80 + r), vn_scalar(rates[r]), VN_SHAPE(COUNT), VN_I64);
        count(x, 0, CLASSES);
        for (int k = 0; k < CLASSES; k++) chances[k] = exp(k * log(rates[r]) - rates[r] - lgamma(k + 1.));
        fits(counts, chances, CLASSES, COUNT);
        has_moments(x, rates[r], rates[r]);
    }
    has_moments(vn_poisson(key(90), vn_scalar(1e6), VN_SHAPE(COUNT), VN_I64), 1e6, 1e6);
    vn_array *huge = vn_poisson(key(91), vn_scalar(1e15), VN_SHAPE(COUNT), VN_F64);
    follows(huge, normal_law, 1e15, sqrt(1e15));
}

NATIVE_TEST(binomial)
{
    static const double laws[][2] = {{1, .5}, {5, .3}, {40, .01}, {30, .9}, {25, .45}, {60, .5}};
    for (size_t r = 0; r < sizeof laws / sizeof *laws; r++) {
        const double n = laws[r][0], p = laws[r][1];
        vn_array *x = vn_binomial(key(60 + r), vn_scalar(n), vn_scalar(p), VN_SHAPE(COUNT), VN_I64);
        count(x, 0, CLASSES);
        for (int k = 0; k < CLASSES; k++)
            chances[k] = k > n ? 0 : exp(lgamma(n + 1) - lgamma(k + 1.) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
        fits(counts, chances, CLASSES, COUNT);
        has_moments(x, n * p, n * p * (1 - p));
    }
    has_moments(vn_binomial(key(70), vn_scalar(1e6), vn_scalar(.3), VN_SHAPE(COUNT), VN_I64), 3e5, 2.1e5);
    vn_array *huge = vn_binomial(key(71), vn_scalar(1e15), vn_scalar(.5), VN_SHAPE(COUNT), VN_F64);
    follows(huge, normal_law, 5e14, sqrt(2.5e14));
}

static double gumbel_law(double x, double unused, double unused2)
{
    (void)unused, (void)unused2;
    return exp(-exp(-x));
}
static double laplace_law(double x, double mean, double scale)
{
    const double z = (x - mean) / scale;
    return z < 0 ? .5 * exp(z) : 1 - .5 * exp(-z);
}

NATIVE_TEST(gumbel_and_laplace)
{
    vn_array *g = vn_gumbel(key(75), VN_SHAPE(COUNT), VN_F64),
             *l = vn_laplace(key(76), vn_scalar(3), vn_scalar(2), VN_SHAPE(COUNT), VN_F64);
    follows(g, gumbel_law, 0, 0);
    follows(l, laplace_law, 3, 2);
    has_moments(l, 3, 8);
}

NATIVE_TEST(indices)
{
    static const float weights[] = {1, 0, 2, 5, .5f, 1.5f};
    vn_array *w = vn_from(weights, VN_SHAPE(6));
    for (int k = 0; k < 6; k++) chances[k] = weights[k] / 10;
    count(vn_multinomial(key(100), w, COUNT, NULL), 0, 6);
    fits(counts, chances, 6, COUNT);
    CHECK(counts[1] == 0);
    count(vn_categorical(key(101), vn_broadcast_to(vn_log(w), VN_SHAPE(COUNT, 6)), 0), 0, 6);
    fits(counts, chances, 6, COUNT);
    CHECK(counts[1] == 0);

    /* pairs without replacement, one a row: i with w[i] / 10, then j with w[j] / (10 - w[i]) */
    vn_array *pairs = vn_multinomial(key(102), vn_broadcast_to(w, VN_SHAPE(COUNT, 6)), 2, VN_OPTS(multinomial, .no_replace = 1));
    vn_array *code = vn_sum(vn_mul(pairs, vn_from_host((int64_t[]){6, 1}, VN_I64, VN_SHAPE(2))), VN_AXES(1));
    count(code, 0, 36);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) chances[6 * i + j] = i == j ? 0 : weights[i] / 10 * weights[j] / (10 - weights[i]);
    fits(counts, chances, 36, COUNT);
    for (int i = 0; i < 6; i++) CHECK(counts[7 * i] == 0);
}

/* Nothing is sampled by weights that are no chances, wherever the wrong one is: -1. */
TEST(no_chances)
{
    static const double weights[][3] = {{1, 2, -1}, {-1, 1, 2}, {1, 2, NAN}, {NAN, 1, 2}, {1, 2, INFINITY}, {1e308, 1e308, 1e308},
                                        {0, 0, 0}};
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++) {
        vn_array *z = vn_multinomial(key(103), vn_from_host(weights[k], VN_F64, VN_SHAPE(3)), 4, NULL);
        CHECK(vn_item_int(vn_max(z, VN_ALL)) == -1 && vn_item_int(vn_min(z, VN_ALL)) == -1);
    }
}

/* ---- permutations ---- */

NATIVE_TEST(permutations)
{
    enum { N = 4, TIMES = 12000 };
    memset(counts, 0, sizeof counts);
    for (int t = 0; t < TIMES; t++) { /* each of the 24 orders */
        VN_SCOPE;
        const int64_t *p = vn_data(vn_permutation(key((uint64_t)t), N));
        if (p) counts[p[0] * 64 + p[1] * 16 + p[2] * 4 + p[3]]++;
    }
    int orders = 0;
    for (int k = 0; k < 256; k++) orders += counts[k] > 0, chances[k] = counts[k] ? 1. / 24 : 0;
    CHECK(orders == 24);
    fits(counts, chances, 256, TIMES);

    static int64_t p[COUNT];
    static char seen[COUNT];
    CHECK(vn_read(vn_random_permutation(COUNT), p, sizeof p) == VN_OK);
    for (int k = 0; k < COUNT; k++) seen[p[k]] = 1;
    CHECK(!memchr(seen, 0, sizeof seen));
}

/* Rows stay whole, none is lost, and the inverse puts them back. */
NATIVE_TEST(shuffles)
{
    enum { ROWS = 3000, WIDTH = 7 };
    static float x[ROWS * WIDTH];
    static char seen[ROWS];
    for (int k = 0; k < ROWS * WIDTH; k++) x[k] = (float)k;
    vn_array *a = vn_from(x, VN_SHAPE(ROWS, WIDTH)), *z = vn_shuffle(key(1), a, 0, NULL);
    const float *v = vn_data(z);
    bool whole = v != NULL;
    for (int r = 0; whole && r < ROWS; r++) {
        const int first = (int)v[r * WIDTH];
        seen[first / WIDTH] = 1;
        whole = first % WIDTH == 0;
        for (int k = 0; k < WIDTH; k++) whole &= (int)v[r * WIDTH + k] == first + k;
    }
    CHECK(whole);
    CHECK(!memchr(seen, 0, sizeof seen));
    CHECK(same(vn_shuffle(key(1), z, 0, VN_OPTS(shuffle, .inverse = 1)), a, sizeof x));
    for (int axis = 0; axis < 2; axis++)
        CHECK(same(vn_shuffle(key(2), vn_shuffle(key(2), a, axis, VN_OPTS(shuffle, .inverse = 1)), axis, NULL), a, sizeof x));
    CHECK(!same(vn_random_shuffle(a), a, sizeof x));
}

/* ---- ends of ranges, keys, refusals ---- */

/* `high` is excluded in every dtype, also where few numbers lie between the ends. */
NATIVE_TEST(never_high)
{
    static const struct {
        vn_dtype dtype;
        double low, high;
    } ranges[] = {{VN_F16, 1, 1 + 0x1p-9},  {VN_F16, -1000, -999},       {VN_F16, 0, 0x1p-23},        {VN_BF16, 1, 1 + 0x1p-6},
                  {VN_BF16, -3, -2.96875},  {VN_F32, 1, 1 + 0x1p-22},    {VN_F32, -1e6, -999999.875}, {VN_F32, -1, 0},
                  {VN_F64, 1, 1 + 0x1p-51}, {VN_F64, -1e15, -1e15 + .25}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        vn_array *low = PARAMETER(ranges[k].low, ranges[k].dtype), *high = PARAMETER(ranges[k].high, ranges[k].dtype);
        vn_array *z = vn_uniform(key(k), low, high, VN_SHAPE(4 * COUNT), ranges[k].dtype);
        CHECK(vn_item_int(vn_all(vn_less(z, high), VN_ALL)) == 1);
        CHECK(vn_item_int(vn_all(vn_greater_equal(z, low), VN_ALL)) == 1);
    }
}

NATIVE_TEST(keys)
{
    vn_array *zero = key(0), *one = key(1);
    CHECK(same(zero, key(0), 16) && !same(zero, one, 16));
    vn_seed(3);
    vn_array *first = vn_random_uniform(0, 1, VN_SHAPE(100));
    vn_seed(3);
    CHECK(!same(key(3), vn_random_key(), 16));
    vn_seed(3);
    CHECK(same(vn_random_uniform(0, 1, VN_SHAPE(100)), first, 400)); /* key_of takes nothing from the thread */

    enum { KEYS = 1000 };
    const uint64_t *k = vn_data(vn_random_split(zero, KEYS)),
                   *f = vn_data(vn_random_fold(zero, vn_from_host((int64_t[]){0, 1}, VN_I64, VN_SHAPE(2))));
    bool differ = k && f;
    for (int i = 0; differ && i < KEYS; i++) {
        for (int j = 0; j < i; j++) differ &= k[2 * i] != k[2 * j] && k[2 * i + 1] != k[2 * j + 1];
    }
    CHECK(differ);
    /* numbers of related keys have nothing to do with each other */
    vn_array *related[] = {zero, vn_from_host(k, VN_U64, VN_SHAPE(2)), vn_from_host(k + 2, VN_U64, VN_SHAPE(2)),
                           vn_from_host(f, VN_U64, VN_SHAPE(2)), vn_from_host(f + 2, VN_U64, VN_SHAPE(2))};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++) {
            vn_array *x = sample_normal(related[i], VN_SHAPE(COUNT)), *y = sample_normal(related[j], VN_SHAPE(COUNT));
            CHECK(fabs(vn_item(vn_mean(vn_mul(x, y), VN_ALL))) < 5 / sqrt(COUNT));
        }
    }
}

TEST(refusals)
{
    vn_shape s = VN_SHAPE(2);
    const vn_shape broken[] = {{-1, {0}}, {VN_MAX_RANK + 1, {0}}};
    vn_array *w = vn_from((float[]){1, 2}, VN_SHAPE(2)), *key = vn_from_host((uint64_t[]){1, 2}, VN_U64, VN_SHAPE(2));
    for (int k = 0; k < 2; k++) {
        CHECK_FAILS(vn_uniform(key, vn_scalar(0), vn_scalar(1), broken[k], VN_F32), VN_E_SHAPE, "rank above 32");
        CHECK_FAILS(vn_exponential(key, broken[k], VN_F32), VN_E_SHAPE, "rank above 32");
    }
    CHECK_FAILS(vn_random_uniform(1, 0, s), VN_E_ARG, "not below");
    CHECK_FAILS(vn_random_normal(0, -1, s), VN_E_ARG, "non-negative");
    CHECK_FAILS(vn_random_truncated_normal(1, 0, s), VN_E_ARG, "not below");
    CHECK_FAILS(vn_random_truncated_normal(NAN, 0, s), VN_E_ARG, "not below");
    CHECK_FAILS(vn_random_exponential(0, s), VN_E_ARG, "positive");
    CHECK_FAILS(vn_random_exponential(INFINITY, s), VN_E_ARG, "finite");
    CHECK_FAILS(vn_random_gamma(0, s), VN_E_ARG, "positive");
    CHECK_FAILS(vn_random_beta(1, NAN, s), VN_E_ARG, "positive");
    CHECK_FAILS(vn_random_bernoulli(1.5, s), VN_E_ARG, "not a probability");
    CHECK_FAILS(vn_random_bernoulli(NAN, s), VN_E_ARG, "not a probability");
    CHECK_FAILS(vn_random_poisson(-1, s), VN_E_ARG, "non-negative");
    CHECK_FAILS(vn_random_randint(5, 5, s), VN_E_ARG, "not below");
    CHECK_FAILS(vn_random_permutation(-1), VN_E_ARG, "negative");
    CHECK_FAILS(vn_random_multinomial(w, 3, VN_OPTS(multinomial, .no_replace = 1)), VN_E_ARG, "without replacement");
    CHECK_FAILS(vn_random_multinomial(w, -1, NULL), VN_E_ARG, "negative");
    CHECK_FAILS(vn_random_multinomial(NULL, 1, NULL), VN_E_NULL, "weights");
    CHECK_FAILS(vn_random_shuffle(number(1)), VN_E_SHAPE, "0-d");
    CHECK_FAILS(vn_random_categorical(number(1)), VN_E_SHAPE, "0-d");
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    check_name = "same_as_native";
    same_as_native(argc > 1 ? argv[1] : "native");
    vn_seed(0);
    run_tests();
    return finish();
}
