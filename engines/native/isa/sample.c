/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: the other distributions, and arithmetic for sampling indices. Everything is computed in double or
 * 64-bit integers.
 *
 * Element e of a distribution that needs 64 bits uses half a block: the first half of block e/2 if e is even, the second if it
 * is odd. If more is needed (gamma, beta, Poisson, binomial) it uses block e. Rejection continues in a separate stream: try t of
 * block b is block b + t 2^48. Keys derived from keys use blocks above 2^63, which no number uses. */
/* many short loops */
#include "level.h"
#include "philox.h"

#if VN_NARROW

enum { PAIRS = 2 * BLOCKS, TRIES = 256 }; /* the last try is accepted, which is less likely than 2^-200 */

static inline uint64_t try_block(uint64_t block, int number)
{
    return block + ((uint64_t)number << 48);
}

/* u[PAIRS]: the halves of blocks first .. */
static void halves(uint64_t u[PAIRS], const uint64_t key[2], uint64_t first)
{
    uint32_t w[4][BLOCKS];
    philox(w, key, first);
    for (int i = 0; i < BLOCKS; i++) {
        u[2 * i] = (uint64_t)w[0][i] << 32 | w[1][i];
        u[2 * i + 1] = (uint64_t)w[2][i] << 32 | w[3][i];
    }
}

/* b[BLOCKS]: blocks first .. */
static void blocks(philox_pair b[BLOCKS], const uint64_t key[2], uint64_t first)
{
    uint32_t w[4][BLOCKS];
    philox(w, key, first);
    for (int i = 0; i < BLOCKS; i++) b[i] = (philox_pair){(uint64_t)w[0][i] << 32 | w[1][i], (uint64_t)w[2][i] << 32 | w[3][i]};
}

/* The elements i of d, in groups for which 64 bits each lie in u: those of element i at [i - group]. */
#define EACH_HALF(d, u, i)                                                                                                                \
    for (int64_t group = 0; group < (d)->n; group += PAIRS)                                                                               \
        for (int64_t i = (halves(u, (d)->key, (uint64_t)((d)->start + group) / 2), group), end = vn__min(group + PAIRS, (d)->n); i < end; \
             i++)

/* ---- bits ---- */

static void bits_u32(const vn__sample *d)
{
    enum { WORDS = 4 * BLOCKS };
    uint32_t *z = d->z, w[4][BLOCKS];
    for (int64_t group = 0; group < d->n; group += WORDS) {
        philox(w, d->key, d->block + (uint64_t)(d->start + group) / 4);
        for (int64_t i = group; i < vn__min(group + WORDS, d->n); i++) z[i] = w[(i - group) % 4][(i - group) / 4];
    }
}

static void bits_u64(const vn__sample *d)
{
    uint64_t *z = d->z, u[PAIRS];
    for (int64_t group = 0; group < d->n; group += PAIRS) {
        halves(u, d->key, d->block + (uint64_t)(d->start + group) / 2);
        memcpy(z + group, u, (size_t)vn__min(PAIRS, d->n - group) * sizeof *u);
    }
}

/* ---- integers ---- */

__extension__ typedef unsigned __int128 wide;

/* The high 64 bits of u * range (Lemire). Some results have one more u than others, which is rejected. */
static uint64_t below(uint64_t range, uint64_t u, const uint64_t key[2], uint64_t element)
{
    wide product = (wide)u * range;
    if ((uint64_t)product < range) {
        const uint64_t excess = (0 - range) % range;
        for (int t = 1; (uint64_t)product < excess && t < TRIES; t++) {
            const philox_pair more = philox_block(key, try_block(element / 2, t));
            product = (wide)(element % 2 ? more.second : more.first) * range;
        }
    }
    return (uint64_t)(product >> 64);
}

/* Differences modulo 2^64 are right for signed and unsigned bounds. */
#define RANDINT(name, T)                                                                            \
    static void name(const vn__sample *d)                                                           \
    {                                                                                               \
        uint64_t u[PAIRS], *z = d->z;                                                               \
        const T *low = d->a, *high = d->b;                                                          \
        EACH_HALF(d, u, i)                                                                          \
        {                                                                                           \
            const uint64_t range = low[i] < high[i] ? (uint64_t)high[i] - (uint64_t)low[i] : 1;     \
            z[i] = (uint64_t)low[i] + below(range, u[i - group], d->key, (uint64_t)(d->start + i)); \
        }                                                                                           \
    }
RANDINT(randint_i64, int64_t)
RANDINT(randint_u64, uint64_t)

static void bernoulli(const vn__sample *d)
{
    uint64_t u[PAIRS];
    uint8_t *z = d->z;
    const double *p = d->a;
    EACH_HALF(d, u, i) z[i] = unit_of_bits(u[i - group]) < p[i];
}

/* ---- normal quantiles ---- */

/* P[7] r^7 + ... + P[0] */
static inline double polynomial(const double p[static 8], double r)
{
    double s = p[7];
    for (int k = 6; k >= 0; k--) s = s * r + p[k];
    return s;
}

/* The x >= 0 above which a standard normal number lies with probability r in (0, 1/2]. Wichura, algorithm AS 241. */
static double upper_quantile(double r)
{
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    static const double c[8] = {1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    const double q = 0.5 - r;
    if (q <= 0.425) {
        const double s = 0.180625 - q * q;
        return q * polynomial(a, s) / polynomial(b, s);
    }
    const double t = sqrt_f64(-log_f64(r));
    if (t <= 5.0) return polynomial(c, t - 1.6) / polynomial(d, t - 1.6);
    return polynomial(e, t - 5.0) / polynomial(f, t - 5.0);
}

/* A standard normal number of 64 bits: one is the sign. */
static double normal_of_bits(uint64_t bits)
{
    const double x = upper_quantile(0.5 * (unit_of_bits(bits << 1) + 0x1p-54));
    return bits >> 63 ? x : -x;
}

/* ---- truncated normal ---- */

/* The tail probability above t >= 3, divided by the density there: Laplace's continued fraction. */
static double tail_ratio(double t)
{
    double s = t;
    for (int k = 32; k > 0; k--) s = t + k / s;
    return 1.0 / s;
}

/* The probability of a standard normal number above t >= 0. */
static double above(double t)
{
    if (t < 3.0) return 0.5 * (1.0 - erf_f64(t * 0.70710678118654752440));
    return t > 40.0 ? 0.0 : tail_ratio(t) * 0.39894228040143267794 * exp_f64(-0.5 * t * t);
}

/* A range [a, b], mirrored if necessary so that most of it is left of 0. */
typedef struct range {
    double low, high, a, b, below_a, above_b, mass; /* probabilities below a, above b, between them */
    int mirrored;
} range;

enum { FAR = 30 }; /* beyond this, probabilities are too small for doubles */

static void set_range(range *r, double low, double high)
{
    r->low = low;
    r->high = high;
    r->mirrored = low + high > 0.0;
    r->a = r->mirrored ? -high : low;
    r->b = r->mirrored ? -low : high;
    r->below_a = above(-r->a);
    r->above_b = r->b < 0.0 ? 1.0 - above(-r->b) : above(r->b);
    r->mass = (r->b < 0.0 ? above(-r->b) : 1.0 - r->above_b) - r->below_a;
}

/* Mirrored: the number t in [s, end] above which lies the share 1 - u (1 - rest) of what lies above s; rest lies above the end. With
 * what lies above t as tail_ratio(t) exp(-t^2/2), t^2 is s^2 less twice the logarithm of that share, and a correction that hardly
 * depends on t. */
static double far_out(double s, double end, double u)
{
    const double ratio = tail_ratio(s);
    double inside = 1.0, t = s;
    if (end < __builtin_inf()) inside = -expm1_f64(log_f64(tail_ratio(end) / ratio) - 0.5 * (end - s) * (end + s));
    const double share = log1p_f64(-u * inside);
    for (int k = 0; k < 6; k++) t = s * sqrt_f64(1.0 + 2.0 * (log_f64(tail_ratio(t) / ratio) - share) / s / s);
    return t;
}

static double inside_range(const range *r, double u)
{
    if (!(r->low < r->high)) return r->low == r->high ? r->low : __builtin_nan("");
    const double width = r->b - r->a;
    double x;
    if (width * (1.0 - r->a) < 0x1p-24) { /* the density hardly changes */
        x = r->a + u * width;
    } else if (r->b < -FAR) {
        x = -far_out(-r->b, -r->a, u);
    } else {
        const double from_a = r->below_a + (u + 0x1p-54) * r->mass, from_b = r->above_b + ((1.0 - u) - 0x1p-54) * r->mass;
        x = from_a <= 0.5 ? -upper_quantile(from_a) : upper_quantile(from_b);
    }
    x = r->mirrored ? -x : x;
    return x < r->low ? r->low : x > r->high ? r->high : x;
}

static SELDOM void truncated_normal(const vn__sample *d)
{
    uint64_t u[PAIRS];
    double *z = d->z;
    const double *low = d->a, *high = d->b;
    range r;
    set_range(&r, *low, *high);
    EACH_HALF(d, u, i)
    {
        if (low[i] != r.low || high[i] != r.high) set_range(&r, low[i], high[i]);
        z[i] = inside_range(&r, unit_of_bits(u[i - group]));
    }
}

/* ---- exponential, Gumbel, Laplace, gamma, beta ---- */

static inline double exponential_of_bits(uint64_t bits)
{
    return 0.0 - log_normal_f64(1.0 - unit_of_bits(bits));
}

static void exponential(const vn__sample *d)
{
    uint64_t u[PAIRS];
    double *z = d->z;
    EACH_HALF(d, u, i) z[i] = exponential_of_bits(u[i - group]);
}

/* The exponential number 0 counts as half of the next one, so that all are finite. */
static SELDOM void gumbel(const vn__sample *d)
{
    uint64_t u[PAIRS];
    double *z = d->z;
    EACH_HALF(d, u, i)
    {
        const double e = exponential_of_bits(u[i - group]);
        z[i] = -log_f64(e > 0.0 ? e : 0x1p-54);
    }
}

/* An exponential number with a sign, which is one of the bits. */
static SELDOM void laplace(const vn__sample *d)
{
    uint64_t u[PAIRS];
    double *z = d->z;
    const double *mean = d->a, *scale = d->b;
    EACH_HALF(d, u, i)
    {
        const double e = exponential_of_bits(u[i - group] << 1);
        z[i] = mean[i] + scale[i] * (u[i - group] >> 63 ? e : -e);
    }
}

/* A gamma number as m U^(1/alpha), to avoid underflow; log_u is 0 if the factor is not needed. */
typedef struct gamma_number {
    double m, log_u, alpha;
} gamma_number;

/* Constants that depend on alpha. Below alpha = 1, numbers for alpha + 1 are generated. */
typedef struct gamma_law {
    double alpha, d, c;
} gamma_law;

static void set_gamma(gamma_law *law, double alpha)
{
    law->alpha = alpha;
    law->d = (alpha < 1.0 ? alpha + 1.0 : alpha) - 1.0 / 3.0;
    law->c = 1.0 / sqrt_f64(9.0 * law->d);
}

/* Marsaglia and Tsang: d v with v = (1 + c x)^3, x normal, with rejection; times U^(1/alpha) if alpha < 1. The first try and U are given.
 */
static gamma_number gamma_of(const gamma_law *law, philox_pair bits, uint64_t u_bits, const uint64_t key[2], uint64_t block)
{
    const double alpha = law->alpha, d = law->d;
    if (!(alpha > 0.0)) return (gamma_number){__builtin_nan(""), 0.0, 1.0};
    if (alpha == __builtin_inf()) return (gamma_number){alpha, 0.0, 1.0};
    double v = 1.0;
    for (int t = 0; t < TRIES - 1; t++) {
        if (t) bits = philox_block(key, try_block(block, t));
        const double x = normal_of_bits(bits.first), u = unit_of_bits(bits.second) + 0x1p-54, w = law->c * x, s = x * x;
        if (w <= -1.0) continue;
        v = (1.0 + w) * (1.0 + w) * (1.0 + w);
        if (u < 1.0 - 0.0331 * (s * s)) break;
        /* log u < x^2/2 + d (1 - v + log v) */
        if (log_f64(u) < 0.5 * s + d * (3.0 * log1p_f64(w) - w * (3.0 + w * (3.0 + w)))) break;
    }
    if (alpha >= 1.0) return (gamma_number){d * v, 0.0, 1.0};
    return (gamma_number){d * v, log_f64(unit_of_bits(u_bits) + 0x1p-54), alpha};
}

/* n <= BLOCKS gamma numbers, whose tries begin at block `first`; U comes from the last of them. */
static void gamma_group(gamma_number *z, gamma_law *law, const double *alpha, int64_t n, const uint64_t key[2], uint64_t first)
{
    philox_pair b[BLOCKS], u[BLOCKS];
    blocks(b, key, first);
    blocks(u, key, try_block(first, TRIES - 1));
    for (int64_t i = 0; i < n; i++) {
        if (alpha[i] != law->alpha) set_gamma(law, alpha[i]);
        z[i] = gamma_of(law, b[i], u[i].first, key, first + (uint64_t)i);
    }
}

static SELDOM void gamma_numbers(const vn__sample *d)
{
    gamma_number x[BLOCKS];
    gamma_law law;
    double *z = d->z;
    const double *alpha = d->a;
    set_gamma(&law, *alpha);
    for (int64_t group = 0; group < d->n; group += BLOCKS) {
        const int64_t n = vn__min(BLOCKS, d->n - group);
        gamma_group(x, &law, alpha + group, n, d->key, (uint64_t)(d->start + group));
        for (int64_t i = 0; i < n; i++) z[group + i] = x[i].log_u < 0.0 ? x[i].m * exp_f64(x[i].log_u / x[i].alpha) : x[i].m;
    }
}

/* x / (x + y), by logarithms if they may underflow. If even those overflow, one is negligible. */
static double share(gamma_number x, gamma_number y)
{
    if (x.log_u == 0.0 && y.log_u == 0.0) return 1.0 / (1.0 + y.m / x.m);
    const double lx = x.log_u / x.alpha, ly = y.log_u / y.alpha;
    if (lx == ly && lx == -__builtin_inf()) return x.log_u * (y.alpha * 0x1p1000) > y.log_u * (x.alpha * 0x1p1000);
    return 1.0 / (1.0 + exp_f64((log_f64(y.m) + ly) - (log_f64(x.m) + lx)));
}

static SELDOM void beta(const vn__sample *d)
{
    gamma_number x[BLOCKS], y[BLOCKS];
    gamma_law of_a, of_b;
    double *z = d->z;
    const double *a = d->a, *b = d->b;
    set_gamma(&of_a, *a);
    set_gamma(&of_b, *b);
    for (int64_t group = 0; group < d->n; group += BLOCKS) {
        const int64_t n = vn__min(BLOCKS, d->n - group);
        const uint64_t first = (uint64_t)(d->start + group);
        gamma_group(x, &of_a, a + group, n, d->key, first);
        gamma_group(y, &of_b, b + group, n, d->key, try_block(first, TRIES));
        for (int64_t i = 0; i < n; i++) z[group + i] = share(x[i], y[i]);
    }
}

/* ---- Poisson ---- */

/* Constants that depend on the rate: e^-rate for small ones, the others for large ones. */
typedef struct poisson_law {
    double rate, none, log_rate, a, b, inverse, sure;
} poisson_law;

static void set_poisson(poisson_law *law, double rate)
{
    law->rate = rate;
    law->none = exp_f64(-rate);
    law->log_rate = log_f64(rate);
    law->b = 0.931 + 2.53 * sqrt_f64(rate);
    law->a = -0.059 + 0.02483 * law->b;
    law->inverse = 1.1239 + 1.1328 / (law->b - 3.4);
    law->sure = 0.9277 - 3.6224 / (law->b - 2.0);
}

/* By inversion: terms are added until they exceed u. */
static double poisson_small(const poisson_law *law, double u)
{
    double term = law->none, sum = term;
    int k = 0;
    while (u >= sum && k < 128) {
        term = term * law->rate / ++k;
        sum += term;
    }
    return k;
}

/* log(rate^k e^-rate / k!), k a whole number. From 16 on by Stirling's series and a difference that does not cancel (Loader). */
static double log_poisson(double k, double rate, double log_rate)
{
    static const double log_factorial[16] = {0,
                                             0,
                                             0.69314718055994530942,
                                             1.7917594692280550008,
                                             3.1780538303479456197,
                                             4.7874917427820459943,
                                             6.5792512120101009951,
                                             8.5251613610654143002,
                                             10.604602902745250228,
                                             12.801827480081469611,
                                             15.104412573075515295,
                                             17.502307845873885839,
                                             19.987214495661886150,
                                             22.552163853123422886,
                                             25.191221182738681500,
                                             27.899271383840891566};
    if (k < 16.0) return k * log_rate - rate - log_factorial[(int)k];
    const double x = (k - rate) / rate, i = 1.0 / k, s = i * i;
    const double stirling = i * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680))));
    return -rate * ((1.0 + x) * log1p_f64(x) - x) - stirling - 0.5 * log_f64(6.2831853071795864769 * k);
}

/* Hoermann's transformed rejection (PTRS). */
static double poisson_large(const poisson_law *law, philox_pair bits, const uint64_t key[2], uint64_t element)
{
    const double rate = law->rate, a = law->a, b = law->b;
    double k = floor_f64(rate);
    for (int t = 0; t < TRIES; t++) {
        if (t) bits = philox_block(key, try_block(element, t));
        const double u = unit_of_bits(bits.first) - 0.5, v = unit_of_bits(bits.second) + 0x1p-54, us = 0.5 - abs_f64(u);
        if (us <= 0.0) continue;
        const double next = floor_f64((2.0 * a / us + b) * u + rate + 0.43);
        if (next < 0.0 || (us < 0.013 && v > us)) continue;
        k = next;
        if (us >= 0.07 && v <= law->sure) break;
        if (log_f64(v * law->inverse / (a / (us * us) + b)) <= log_poisson(k, rate, law->log_rate)) break;
    }
    return k;
}

static int64_t poisson_of(const poisson_law *law, philox_pair bits, const uint64_t key[2], uint64_t element)
{
    if (!(law->rate >= 0.0)) return -1;
    if (law->rate < 10.0) return (int64_t)poisson_small(law, unit_of_bits(bits.first));
    const double k = law->rate < 0x1p63 ? poisson_large(law, bits, key, element) : law->rate;
    return k < 0x1p63 ? (int64_t)k : INT64_MAX;
}

static SELDOM void poisson(const vn__sample *d)
{
    philox_pair b[BLOCKS];
    poisson_law law;
    int64_t *z = d->z;
    const double *rate = d->a;
    set_poisson(&law, *rate);
    for (int64_t group = 0; group < d->n; group += BLOCKS) {
        const uint64_t first = (uint64_t)(d->start + group);
        blocks(b, d->key, first);
        for (int64_t i = 0; i < vn__min(BLOCKS, d->n - group); i++) {
            if (rate[group + i] != law.rate) set_poisson(&law, rate[group + i]);
            z[group + i] = poisson_of(&law, b[i], d->key, first + (uint64_t)i);
        }
    }
}

/* ---- binomial ---- */

/* Constants that depend on the count n and the probability p, of which q is the smaller of p and 1 - p: the probability of 0 for small n q, the others
 * for large ones. */
typedef struct binomial_law {
    double count, n, p, q, mean, none, a, b, c, sure, spread, most;
} binomial_law;

/* log(n! / (k! (n - k)!) q^k (1 - q)^(n - k)), from Poisson numbers: terms that are large cancel there. */
static double log_binomial(const binomial_law *law, double k)
{
    const double rest = law->n - law->mean, n = law->n;
    return log_poisson(k, law->mean, log_f64(law->mean)) + log_poisson(n - k, rest, log_f64(rest)) - log_poisson(n, n, log_f64(n));
}

static void set_binomial(binomial_law *law, double n, double p)
{
    law->count = n;
    law->n = floor_f64(n);
    law->p = p;
    law->q = p > 0.5 ? 1.0 - p : p;
    law->mean = law->n * law->q;
    law->none = exp_f64(law->n * log1p_f64(-law->q));
    const double deviation = sqrt_f64(law->mean * (1.0 - law->q));
    law->b = 1.15 + 2.53 * deviation;
    law->a = -0.0873 + 0.0248 * law->b + 0.01 * law->q;
    law->c = law->mean + 0.5;
    law->sure = 0.92 - 4.2 / law->b;
    law->spread = (2.83 + 5.1 / law->b) * deviation;
    law->most = law->mean < 10.0 ? 0.0 : log_binomial(law, floor_f64((law->n + 1.0) * law->q));
}

/* By inversion: terms are added until they exceed u. */
static double binomial_small(const binomial_law *law, double u)
{
    const double odds = law->q / (1.0 - law->q);
    double term = law->none, sum = term, k = 0.0;
    while (u >= sum && k < law->n && k < 128.0) {
        term = term * odds * (law->n - k) / (k + 1.0);
        sum += term;
        k += 1.0;
    }
    return k;
}

/* Hoermann's transformed rejection (BTRS). */
static double binomial_large(const binomial_law *law, philox_pair bits, const uint64_t key[2], uint64_t element)
{
    double k = floor_f64(law->mean);
    for (int t = 0; t < TRIES; t++) {
        if (t) bits = philox_block(key, try_block(element, t));
        const double u = unit_of_bits(bits.first) - 0.5, v = unit_of_bits(bits.second) + 0x1p-54, us = 0.5 - abs_f64(u);
        if (us <= 0.0) continue;
        const double next = floor_f64((2.0 * law->a / us + law->b) * u + law->c);
        if (next < 0.0 || next > law->n) continue;
        k = next;
        if (us >= 0.07 && v <= law->sure) break;
        if (log_f64(v * law->spread / (law->a / (us * us) + law->b)) <= log_binomial(law, k) - law->most) break;
    }
    return k;
}

static int64_t binomial_of(const binomial_law *law, philox_pair bits, const uint64_t key[2], uint64_t element)
{
    if (!(law->n >= 0.0 && law->n < 0x1p63 && law->p >= 0.0 && law->p <= 1.0)) return -1;
    const double k = law->mean < 10.0 ? binomial_small(law, unit_of_bits(bits.first)) : binomial_large(law, bits, key, element);
    return (int64_t)(law->p > 0.5 ? law->n - k : k);
}

static SELDOM void binomial(const vn__sample *d)
{
    philox_pair b[BLOCKS];
    binomial_law law;
    int64_t *z = d->z;
    const double *n = d->a, *p = d->b;
    set_binomial(&law, *n, *p);
    for (int64_t group = 0; group < d->n; group += BLOCKS) {
        const uint64_t first = (uint64_t)(d->start + group);
        blocks(b, d->key, first);
        for (int64_t i = 0; i < vn__min(BLOCKS, d->n - group); i++) {
            const int64_t at = group + i;
            if (n[at] != law.count || p[at] != law.p) set_binomial(&law, n[at], p[at]);
            z[at] = binomial_of(&law, b[i], d->key, first + (uint64_t)i);
        }
    }
}

/* ---- keys from keys ---- */

static void split(uint64_t *keys, const uint64_t key[2], int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const philox_pair b = philox_block(key, (UINT64_C(1) << 63) + (uint64_t)i);
        keys[2 * i] = b.first;
        keys[2 * i + 1] = b.second;
    }
}

/* Data uses the whole counter, so it goes through a key that is used for nothing else. */
static void fold(uint64_t *keys, const uint64_t key[2], const uint64_t *data, int64_t n)
{
    const philox_pair own = philox_block(key, UINT64_C(3) << 62);
    for (int64_t i = 0; i < n; i++) {
        const philox_pair b = philox_block((const uint64_t[2]){own.first, own.second}, data[i]);
        keys[2 * i] = b.first;
        keys[2 * i + 1] = b.second;
    }
}

/* ---- indices ---- */

static void exponentiate(double *logits, int64_t n)
{
    double most = -__builtin_inf();
    for (int64_t i = 0; i < n; i++) most = logits[i] > most ? logits[i] : most;
    for (int64_t i = 0; i < n; i++) logits[i] = exp_f64(logits[i] - most);
}

/* Nothing is sampled from a row with a weight that is negative or nan, or with an infinite sum. */
static void disarm(double *weights, int64_t n)
{
    double sum = 0.0;
    int good = 1;
    for (int64_t i = 0; i < n; i++) {
        good &= weights[i] >= 0.0;
        sum += weights[i];
    }
    if (!good || sum == __builtin_inf()) memset(weights, 0, (size_t)n * sizeof *weights);
}

static void accumulate(double *weights, int64_t n)
{
    for (int64_t i = 1; i < n; i++) weights[i] += weights[i - 1];
}

/* The first sum above u times the last; its weight is positive. */
static int64_t find(const double *sums, int64_t n, double u)
{
    if (n == 0 || sums[n - 1] == 0.0) return -1;
    const double at = u * sums[n - 1];
    const double *from = sums;
    while (n > 1) { /* branch-free binary search among the n sums */
        const int64_t half = n / 2;
        from += half * !(from[half - 1] > at);
        n -= half;
    }
    return from - sums;
}

static void choose(const vn__sample *d, int64_t population, int64_t samples)
{
    uint64_t u[PAIRS];
    int64_t *z = d->z;
    const double *sums = d->a;
    EACH_HALF(d, u, i) z[i] = find(sums + (d->start + i) / samples * population, population, unit_of_bits(u[i - group]));
}

/* Each weight gets an exponential arrival time with that rate: the order of arrival samples without replacement. */
static SELDOM void race(const vn__sample *d)
{
    uint64_t u[PAIRS];
    double *times = d->z;
    const double *weights = d->a;
    EACH_HALF(d, u, i) times[i] = weights[i] > 0.0 ? exponential_of_bits(u[i - group]) / weights[i] : -1.0;
}

const vn__sample_table VN_TABLE(sample) = {
    .bits_u32 = bits_u32,
    .bits_u64 = bits_u64,
    .randint_i64 = randint_i64,
    .randint_u64 = randint_u64,
    .bernoulli = bernoulli,
    .truncated_normal = truncated_normal,
    .exponential = exponential,
    .gumbel = gumbel,
    .laplace = laplace,
    .gamma = gamma_numbers,
    .beta = beta,
    .poisson = poisson,
    .binomial = binomial,
    .split = split,
    .fold = fold,
    .exponentiate = exponentiate,
    .disarm = disarm,
    .accumulate = accumulate,
    .choose = choose,
    .race = race,
};
#endif
