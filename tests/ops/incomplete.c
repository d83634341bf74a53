/* SPDX-License-Identifier: Apache-2.0 */
/* incomplete.c: the incomplete gamma and beta functions and the zeta function of two arguments: their limits, closed forms and recurrences, over the ranges in which the native engine
 * has other series. */
/* ctest: sanitize */
#include "check.h"
#include "vinea/special.h"

static double at(vn_array *(*f)(vn_array *, vn_array *), double x, double y)
{
    VN_SCOPE;
    return vn_item(f(vn_from_host(&x, VN_F64, VN_0D), vn_from_host(&y, VN_F64, VN_0D)));
}

static double beta_at(double a, double b, double x)
{
    VN_SCOPE;
    return vn_item(vn_betainc(vn_from_host(&a, VN_F64, VN_0D), vn_from_host(&b, VN_F64, VN_0D), vn_from_host(&x, VN_F64, VN_0D)));
}

static vn_array *gamma_below(vn_array *a, vn_array *x)
{
    return vn_gammainc(a, x);
}
static vn_array *gamma_above(vn_array *a, vn_array *x)
{
    return vn_gammaincc(a, x);
}
static vn_array *zeta_of(vn_array *s, vn_array *q)
{
    return vn_zeta(s, q);
}

static bool agrees(double got, double want, double tolerance)
{
    const bool good = near(got, want, tolerance);
    if (!good) fprintf(stderr, "%.17g, expected %.17g\n", got, want);
    return good;
}

#define INF ((double)INFINITY)
#define NONE ((double)NAN)

TEST(limits)
{
    static const struct {
        double a, x, below;
    } gamma_limits[] = {{0, 0, NONE},    {INF, INF, NONE}, {-1, 2, NONE}, {1, -2, NONE}, {NONE, 1, NONE},
                        {1, NONE, NONE}, {0, 3, 1},        {3, INF, 1},   {INF, 3, 0},   {3, 0, 0}};
    for (size_t i = 0; i < sizeof gamma_limits / sizeof *gamma_limits; i++) {
        CHECK(agrees(at(gamma_below, gamma_limits[i].a, gamma_limits[i].x), gamma_limits[i].below, 0));
        CHECK(agrees(at(gamma_above, gamma_limits[i].a, gamma_limits[i].x), 1 - gamma_limits[i].below, 0));
    }
    static const struct {
        double a, b, x, value;
    } beta_limits[] = {{0, 0, .5, NONE},  {INF, INF, .5, NONE}, {-1, 1, .5, NONE},   {1, -1, .5, NONE},  {1, 1, -.5, NONE},
                       {1, 1, 1.5, NONE}, {NONE, 1, .5, NONE},  {1, NONE, .5, NONE}, {1, 1, NONE, NONE}, {2, 3, 0, 0},
                       {2, 3, 1, 1},      {0, 2, .5, 1},        {2, INF, .5, 1},     {2, 0, .5, 0},      {INF, 2, .5, 0}};
    for (size_t i = 0; i < sizeof beta_limits / sizeof *beta_limits; i++)
        CHECK(agrees(beta_at(beta_limits[i].a, beta_limits[i].b, beta_limits[i].x), beta_limits[i].value, 0));
    static const struct {
        double s, q, value;
    } zeta_limits[] = {{NONE, 1, NONE},  {2, NONE, NONE},  {.5, 1, NONE},  {1, 2, INF},    {2, 0, INF},
                       {2, -3, INF},     {2, INF, 0},      {INF, 2, 0},    {INF, 1, 1},    {INF, .5, INF},
                       {INF, -.5, NONE}, {2.5, -.5, NONE}, {2, -INF, INF}, {0x1p60, 1, 1}, {60, 1e300, 0}};
    for (size_t i = 0; i < sizeof zeta_limits / sizeof *zeta_limits; i++)
        CHECK(agrees(at(zeta_of, zeta_limits[i].s, zeta_limits[i].q), zeta_limits[i].value, 0));
}

/* P(1, x) = 1 - e^-x, P(1/2, x) = erf(sqrt(x)), P(n, x) = 1 - e^-x (1 + x + ... + x^(n-1) / (n-1)!), and P + Q = 1. */
TEST(gamma_closed_forms)
{
    static const double xs[] = {1e-300, 1e-10, .01, .3, .5, .9, 1.05, 1.2, 2, 5, 11, 20, 35, 100, 700};
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++) {
        const double x = xs[i];
        CHECK(agrees(at(gamma_below, 1, x), -expm1(-x), 1e-13) && agrees(at(gamma_above, 1, x), exp(-x), 1e-13));
        CHECK(agrees(at(gamma_below, .5, x), erf(sqrt(x)), 1e-13) && agrees(at(gamma_above, .5, x), erfc(sqrt(x)), 1e-13));
        for (int n = 2; n < 40; n += 7) {
            long double term = 1, sum = 1;
            for (int k = 1; k < n; k++) sum += term *= (long double)x / k;
            CHECK(agrees(at(gamma_above, n, x), (double)(expl(-(long double)x) * sum), 2e-12));
            CHECK(near(at(gamma_above, n, x) + at(gamma_below, n, x), 1, 1e-14));
        }
        for (double a = 1e-20; a < 1e5; a *= 31) CHECK(near(at(gamma_above, a, x) + at(gamma_below, a, x), 1, 1e-13));
    }
}

/* For large a the function of (x - a) / sqrt(a) is nearly that of a normal law; at x = a its first terms are 1/2 + (1/3 + 1/(540 a)) / sqrt(2 pi a). */
TEST(gamma_of_large_numbers)
{
    static const double as[] = {1.5e5, 1e7, 1e12};
    for (int i = 0; i < 3; i++) {
        const double a = as[i], half = (1. / 3 + 1 / (540 * a)) / sqrt(2 * acos(-1) * a);
        CHECK(agrees(at(gamma_below, a, a), .5 + half, 1e-12) && agrees(at(gamma_above, a, a), .5 - half, 1e-12));
        for (double z = -6; z <= 6; z += 3) {
            const double x = a + z * sqrt(a), below = at(gamma_below, a, x), above = at(gamma_above, a, x);
            CHECK(near(below + above, 1, 1e-13) && fabs(below - .5 * erfc(-z * sqrt(.5))) < 1 / sqrt(a));
        }
    }
}

/* I(1, b, x) = 1 - (1 - x)^b, I(a, 1, x) = x^a, and I(a, b, x) = I(a + 1, b, x) + x^a (1 - x)^b / (a B(a, b)). */
TEST(beta_closed_forms)
{
    static const double sizes[] = {1e-8, .3, 1, 2.5, 9, 10, 31, 400, 2e4}, xs[] = {1e-9, .01, .3, .5, .77, .999};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 6; k++) {
            const double a = sizes[i], x = xs[k];
            /* with a tiny b the result is 1 minus what has the digits of 1 */
            CHECK(fabs(beta_at(1, a, x) + expm1(a * log1p(-x))) <= 1e-15 - 1e-13 * expm1(a * log1p(-x)));
            CHECK(agrees(beta_at(a, 1, x), pow(x, a), 4e-13));
            for (int j = 0; j < 9; j++) {
                const double b = sizes[j], value = beta_at(a, b, x);
                CHECK(near(value + beta_at(b, a, 1 - x), 1, 1e-9)); /* 1 - .999 is rounded */
                const long double step = expl(a * logl(x) + b * log1pl(-(long double)x) + lgammal((long double)a + b) -
                                              lgammal((long double)a + 1) - lgammal(b));
                CHECK(fabs(value - beta_at(a + 1, b, x) - (double)step) < 1e-12);
            }
        }
}

/* zeta(s, q) = zeta(s, q + 1) + q^-s, also left of 0 for whole s; zeta(2, 1) = pi^2 / 6. */
TEST(zeta_recurrence)
{
    static const double ss[] = {1.001, 1.5, 2, 3, 7, 30, 31.5, 200, 0x1p52},
                        qs[] = {-37.5, -8.25, -1.5, -.75, .25, 1, 3.5, 9.5, 25, 1e4, 1e10};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 11; k++) {
            const double s = ss[i], q = qs[k], power = pow(q, -s);
            if ((q < 0 && floor(s) != s) || isinf(power)) continue;
            const double here = at(zeta_of, s, q), next = at(zeta_of, s, q + 1), largest = q < 0 ? pow(fabs(q - round(q)), -s) : fabs(here);
            CHECK(fabs(here - next - power) <= 4e-13 * fmax(largest, fabs(power)) || isinf(here));
        }
    CHECK(agrees(at(zeta_of, 2, 1), acos(-1) * acos(-1) / 6, 1e-15));
}

TEST_MAIN
