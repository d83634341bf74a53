/* SPDX-License-Identifier: Apache-2.0 */
/* statistics_long.c: running extremes, sums of exponentials, quantiles, histograms, segments and incomplete functions at sizes on both sides of
 * those from which threads share the work, along the last axis and along one with others behind it, against plain loops. */
/* ctest: engines */
/* ctest: full on jax */
#include "check.h"

enum { MAX_SIZE = 100003 };
static double x[MAX_SIZE];
static const int sizes[] = {1, 2, 255, 257, 1023, 1025, 8191, 8193, 32767, 32769, 50001, MAX_SIZE};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void fill(int n)
{
    for (int k = 0; k < n; k++) x[k] = 5 * sin(k * 1.7) + .001 * (k % 97);
}

static bool close_to(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

/* Row r of n elements, `inner` apart, of all rows. */
static int start_of(int r, int n, int inner)
{
    return r / inner * n * inner + r % inner;
}

static void running(int n, int rows, int inner, bool reverse)
{
    const vn_shape shape = VN_SHAPE(rows / inner, n, inner);
    vn_array *a = vn_from_host(x, VN_F64, shape), *at = NULL, *low_at = NULL,
             *high = vn_cummax(a, 1, VN_OPTS(cummax, .reverse = reverse), &at);
    vn_array *low = vn_cummin(a, 1, VN_OPTS(cummin, .reverse = reverse), &low_at),
             *sum = vn_logcumsumexp(a, 1, VN_OPTS(logcumsumexp, .reverse = reverse));
    const double *h = vn_data(high), *l = vn_data(low), *s = vn_data(sum);
    const int64_t *where = vn_data(at), *low_where = vn_data(low_at);
    CHECK(h && l && s && where && low_where);
    int wrong = 0;
    for (int r = 0; r < rows && h && l && s && where && low_where; r++) {
        double most = -INFINITY, least = INFINITY, total = 0;
        int best = 0, worst = 0;
        for (int j = 0; j < n; j++) {
            const int k = reverse ? n - 1 - j : j, i = start_of(r, n, inner) + k * inner;
            if (x[i] >= most) most = x[i], best = k;
            if (x[i] <= least) least = x[i], worst = k;
            total += exp(x[i]);
            wrong += h[i] != most || where[i] != best || l[i] != least || low_where[i] != worst || !close_to(s[i], log(total), 1e-10);
        }
    }
    CHECK(wrong == 0);
}

TEST(running_extremes)
{
    for (int k = 0; k < SIZES; k++) {
        if (!in_part((size_t)k)) continue;
        VN_SCOPE;
        fill(sizes[k]);
        running(sizes[k], 1, 1, false);
        if (sizes[k] >= 6) running(sizes[k] / 6, 6, 3, true), running(2, sizes[k] / 2, sizes[k] / 2, false);
    }
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

TEST(medians_and_histograms)
{
    for (int k = 0; k < SIZES; k++) {
        if (!in_part((size_t)k)) continue;
        VN_SCOPE;
        const int n = sizes[k];
        fill(n);
        vn_array *a = vn_from_host(x, VN_F64, VN_SHAPE(n)), *limits = NULL;
        vn_array *counts = vn_histogram(a, VN_NONE, VN_NONE, 7, VN_OPTS(histogram, .low = -5.5, .high = 5.5), &limits);
        const int64_t *c = vn_data(counts);
        const double *edges = vn_data(limits), half = vn_item(vn_median(a, VN_ALL)),
                     most = vn_item(vn_quantile(a, vn_scalar(1), VN_ALL, NULL));
        int64_t want[7] = {0};
        CHECK(c && edges);
        for (int i = 0; i < n && edges; i++)
            for (int b = 0; b < 7; b++) want[b] += x[i] >= edges[b] && x[i] < edges[b + 1];
        CHECK(c && !memcmp(c, want, sizeof want));
        qsort(x, (size_t)n, sizeof *x, ascending);
        CHECK(close_to(half, (x[n / 2] + x[(n - 1) / 2]) / 2, 1e-14) && most == x[n - 1]);
    }
}

TEST(segments)
{
    enum { PARTS = 37 };
    static int64_t id[MAX_SIZE];
    for (int k = 0; k < SIZES; k++) {
        if (!in_part((size_t)k)) continue;
        VN_SCOPE;
        const int n = sizes[k];
        double most[PARTS], least[PARTS], sum[PARTS] = {0};
        fill(n);
        for (int p = 0; p < PARTS; p++) most[p] = -INFINITY, least[p] = INFINITY;
        for (int i = 0; i < n; i++) {
            id[i] = (i * 7919) % PARTS;
            most[id[i]] = fmax(most[id[i]], x[i]);
            least[id[i]] = fmin(least[id[i]], x[i]);
            sum[id[i]] += x[i];
        }
        vn_array *a = vn_from_host(x, VN_F64, VN_SHAPE(n)), *part = vn_from_host(id, VN_I64, VN_SHAPE(n));
        const double *z = vn_data(vn_segment_max(a, part, PARTS)), *l = vn_data(vn_segment_min(a, part, PARTS)),
                     *s = vn_data(vn_segment_sum(a, part, PARTS));
        for (int p = 0; p < PARTS; p++) CHECK(z && l && s && z[p] == most[p] && l[p] == least[p] && close_to(s[p], sum[p], 1e-10));
    }
}

/* NaN of either sign wins, and infinities are found. */
TEST(extremes_of_segments)
{
    const double v[] = {INFINITY, (double)NAN, 1, -(double)NAN, -INFINITY, 2, -INFINITY, INFINITY, (double)NAN};
    const int64_t id[] = {0, 0, 1, 1, 2, 2, 3, 4, -1};
    const vn_dtype dtypes[] = {VN_F16, VN_BF16, VN_F32, VN_F64};
    for (int d = 0; d < 4; d++) {
        VN_SCOPE;
        vn_array *a = vn_cast(vn_from_host(v, VN_F64, VN_SHAPE(9)), dtypes[d]), *part = vn_from_host(id, VN_I64, VN_SHAPE(9));
        const double *most = vn_data(vn_cast(vn_segment_max(a, part, 6), VN_F64)),
                     *least = vn_data(vn_cast(vn_segment_min(a, part, 6), VN_F64));
        CHECK(most && isnan(most[0]) && isnan(most[1]) && most[2] == 2 && most[3] == -INFINITY && most[4] == INFINITY);
        CHECK(least && isnan(least[0]) && isnan(least[1]) && least[2] == -INFINITY && least[3] == -INFINITY && least[4] == INFINITY);
        CHECK(most && least && most[5] == -INFINITY && least[5] == INFINITY); /* empty */
    }
}

/* gammainc(1, x) is 1 - exp(-x), betainc(a, 1, x) is x^a, zeta(2, 1) - zeta(2, n + 1) a sum of n terms, gcd known by its making. */
TEST(incomplete_functions)
{
    static int64_t whole[MAX_SIZE], other[MAX_SIZE];
    for (int k = 0; k < SIZES; k++) {
        if (!in_part((size_t)k)) continue;
        VN_SCOPE;
        const int n = sizes[k];
        int wrong = 0;
        fill(n);
        for (int i = 0; i < n; i++) x[i] = fabs(x[i]) / 5.2, whole[i] = 6 * (int64_t)(i % 1000 + 1), other[i] = 6 * (int64_t)(i % 1000 + 2);
        vn_array *a = vn_from_host(x, VN_F64, VN_SHAPE(n)), *one = vn_ones_like(a), *q = vn_add(a, one);
        const double *p = vn_data(vn_gammainc(one, a)), *c = vn_data(vn_gammaincc(one, a)), *b = vn_data(vn_betainc(q, one, a)),
                     *z =
                         vn_data(vn_sub(vn_zeta(vn_full_like(a, vn_scalar(2)), q), vn_zeta(vn_full_like(a, vn_scalar(2)), vn_add(q, one))));
        const int64_t *d = vn_data(vn_gcd(vn_from_host(whole, VN_I64, VN_SHAPE(n)), vn_from_host(other, VN_I64, VN_SHAPE(n))));
        CHECK(p && c && b && z && d);
        for (int i = 0; i < n && p && c && b && z && d; i++)
            wrong += !close_to(p[i], -expm1(-x[i]), 1e-13) || !close_to(c[i], exp(-x[i]), 1e-13) ||
                     !close_to(b[i], pow(x[i], x[i] + 1), 1e-13) || !close_to(z[i], 1 / ((x[i] + 1) * (x[i] + 1)), 1e-13) || d[i] != 6;
        CHECK(wrong == 0);
    }
}

TEST_MAIN
