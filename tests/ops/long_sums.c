/* SPDX-License-Identifier: Apache-2.0 */
/* long_sums.c: cumulative sums, sums and means of ten million elements are accurate, in every float dtype, along every axis, in both
 * directions; on native with the same bits on one and several threads. The mean of equal numbers is that number, whatever their count. */
/* ctest: engines */
/* ctest: part 3 on numpy */
/* ctest: part 3 on torch */
/* ctest: part 3 on tensorflow */
/* ctest: full on jax */
/* ctest: sanitize */
#include "check.h"

enum { MANY = 10000000, SOME = 500000 };

/* The largest relative error of z, the running sums of x (length, inner) along the first axis. */
static double error_of(vn_array *z, int64_t length, int64_t inner, bool reverse, const float *x)
{
    const float *data = vn_data(vn_cast(z, VN_F32));
    double most = data ? 0 : INFINITY;
    for (int64_t j = 0; j < inner && data; j++) {
        long double sum = 0;
        for (int64_t k = 0; k < length; k++) {
            const int64_t at = (reverse ? length - 1 - k : k) * inner + j;
            sum += x[at];
            most = fmax(most, fabs((double)((data[at] - sum) / sum)));
        }
    }
    return most;
}

static float *numbers(int64_t n, double scale)
{
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t k = 0; k < n && x; k++) x[k] = (float)(scale * (1 + .001 * (double)(k % 17)));
    CHECK(x != NULL);
    return x;
}

/* Half a unit in the last place of float32 is 6e-8. */
TEST(running_sums)
{
    static const int64_t inner[] = {1, 10, 1000};
    float *x = numbers(MANY, .1);
    for (int k = 0; k < 6; k++) {
        VN_SCOPE;
        const int64_t n = inner[k / 2], length = MANY / n;
        vn_array *a = vn_from(x, VN_SHAPE(length, n)), *z = vn_cumulative_sum(a, 0, VN_OPTS(cumulative_sum, .reverse = k % 2));
        double e = error_of(z, length, n, k % 2, x);
        if (e > 6.1e-8) fprintf(stderr, "%lld x %lld: relative error %g\n", (long long)length, (long long)n, e);
        CHECK(e <= 6.1e-8);
    }
    free(x);
}

/* bfloat16 and float16 hold 8 and 11 bits; the numbers are exact in both. float16 ends at 65504. */
TEST(running_sums_of_halves)
{
    float *x = malloc(MANY * sizeof *x);
    for (int k = 0; k < MANY && x; k++) x[k] = k % 4 ? .0625f : .09375f;
    for (int k = 0; k < 4; k++) {
        VN_SCOPE;
        const bool brain = k < 2;
        const int64_t n = brain ? MANY : SOME;
        vn_array *z =
            vn_cumulative_sum(vn_cast(vn_from(x, VN_SHAPE(n)), brain ? VN_BF16 : VN_F16), 0, VN_OPTS(cumulative_sum, .reverse = k % 2));
        CHECK(error_of(z, n, 1, k % 2, x) <= (brain ? 0x1.01p-8 : 0x1.01p-11));
    }
    free(x);
}

TEST(running_sums_of_complex_numbers)
{
    VN_SCOPE;
    float *x = numbers(MANY / 4, .1);
    vn_array *re = vn_from(x, VN_SHAPE(MANY / 4)), *z = vn_cumulative_sum(vn_complex(re, vn_neg(re)), 0, NULL);
    CHECK(error_of(vn_real(z), MANY / 4, 1, false, x) <= 6.1e-8);
    CHECK(error_of(vn_neg(vn_imag(z)), MANY / 4, 1, false, x) <= 6.1e-8);
    free(x);
}

/* Of factors whose product stays close to 1. */
TEST(running_products)
{
    float *x = malloc(SOME * sizeof *x);
    for (int k = 0; k < SOME && x; k++) x[k] = 1 + (float)(k * 7 % 13 - 6) * .01f;
    for (int reverse = 0; reverse < 2; reverse++) {
        VN_SCOPE;
        vn_array *z = vn_cumulative_prod(vn_from(x, VN_SHAPE(SOME)), 0, VN_OPTS(cumulative_prod, .reverse = reverse));
        const float *data = vn_data(z);
        long double product = 1;
        double most = data ? 0 : INFINITY;
        for (int k = 0; k < SOME && data; k++) {
            const int at = reverse ? SOME - 1 - k : k;
            product *= x[at];
            if (product > 1e-30L) most = fmax(most, fabs((double)((data[at] - product) / product)));
        }
        CHECK(most <= 6.1e-8);
    }
    free(x);
}

/* Sums need not be exact, but a sum over any axes must not be a chain of a million roundings. */
TEST(sums)
{
    float *x = numbers(MANY, .1);
    long double all = 0;
    for (int64_t k = 0; k < MANY; k++) all += x[k];
    static const int64_t inner[] = {1, 10, 1000, MANY};
    for (int k = 0; k < 4; k++) {
        VN_SCOPE;
        vn_array *a = vn_from(x, VN_SHAPE(MANY / inner[k], inner[k]));
        vn_array *columns = vn_cast(vn_sum(a, VN_AXES(0)), VN_F64), *rows = vn_cast(vn_sum(a, VN_AXES(1)), VN_F64);
        CHECK(near(vn_item(vn_sum(columns, VN_ALL)), (double)all, 1e-5));
        CHECK(near(vn_item(vn_sum(rows, VN_ALL)), (double)all, 1e-5));
        CHECK(near(vn_item(vn_sum(a, VN_ALL)), (double)all, 1e-5));
        vn_array *middle = vn_reshape(a, VN_SHAPE(100, 10, MANY / 1000));
        CHECK(near(vn_item(vn_sum(vn_cast(vn_sum(middle, VN_AXES(0, 2)), VN_F64), VN_ALL)), (double)all, 1e-5));
        CHECK(near(vn_item(vn_sum(vn_cast(vn_sum(middle, VN_AXES(1)), VN_F64), VN_ALL)), (double)all, 1e-5));
    }
    free(x);
}

/* Sums of small integers are exact, so that dividing them by their number is exact too. */
static void means_of_sevens(int64_t n)
{
    static const vn_dtype dtypes[] = {VN_F16, VN_BF16, VN_F32, VN_F64};
    for (int d = 0; d < 4; d++) {
        if (!in_part((size_t)(n + d))) continue;
        VN_SCOPE;
        vn_array *x = vn_full(vn_scalar(7), VN_SHAPE(2, n, 1), dtypes[d]), *seven = vn_full(vn_scalar(7), VN_0D, dtypes[d]),
                 *zero = vn_sub(seven, seven);
        vn_array *sevens[] = {vn_mean(x, VN_ALL),
                              vn_mean(x, VN_AXES(1)),
                              vn_mean(vn_reshape(x, VN_SHAPE(n, 2)), VN_AXES(0)),
                              vn_avg_pool(x, VN_LIST(n), NULL),
                              vn_global_avg_pool(x, NULL),
                              vn_adaptive_avg_pool(x, VN_LIST(1), NULL),
                              vn_einops_reduce(x, "b n c -> b c", VN_OPTS(einops_reduce, .reduction = "mean"))};
        vn_array *zeros[] = {vn_var(x, VN_ALL, 0), vn_std(x, VN_AXES(1), 0), vn_layer_norm(x, VN_NONE, VN_NONE, VN_AXES(1), 1e-5),
                             vn_group_norm(x, VN_NONE, VN_NONE, 1, -1, 1e-5)};
        vn_array *right[11];
        for (int k = 0; k < 11; k++) right[k] = vn_all(k < 7 ? vn_equal(sevens[k], seven) : vn_equal(zeros[k - 7], zero), VN_ALL);
        compile_together(11, right);
        for (int k = 0; k < 11; k++) CHECK(vn_item(right[k]) == 1);
        if (d < 2) continue;
        double parts[2];
        CHECK(vn_item_complex(vn_mean(vn_complex(x, vn_neg(x)), VN_ALL), parts) == VN_OK && parts[0] == 7 && parts[1] == -7);
    }
}

TEST(means)
{
    static const int64_t more[] = {127, 1000, 4097, 65537, 262147};
    const bool compiles = !strcmp(vn_using(), "jax"); /* every length anew */
    for (int n = 1; n <= 100; n += compiles ? 11 : 1) means_of_sevens(n);
    for (int k = 0; k < (compiles ? 2 : 5); k++) means_of_sevens(more[k]);
}

/* 1, 2 and more threads on native. */
static void same_bits(void)
{
    static const char *const threads[] = {"1", "2", "3"};
    static const int64_t shapes[][3] = {{1, 70001, 1}, {300, 1001, 1}, {1, 301, 999}, {7, 101, 103}, {3, 5, 70001}};
    uint64_t reference = 0;
    for (int t = 0; t < 3; t++) {
        vn_close();
        setenv("VINEA_THREADS", threads[t], 1);
        uint64_t hash = VN__HASH;
        for (int k = 0; k < 5; k++) {
            VN_SCOPE;
            vn_seed(5);
            vn_array *x = vn_random_normal(0, 1, vn__shape(shapes[k], 3)),
                     *z = vn_cumulative_sum(x, 1, VN_OPTS(cumulative_sum, .reverse = k % 2));
            hash = hash_array(hash, z);
        }
        if (!t) reference = hash;
        CHECK(hash == reference);
    }
    unsetenv("VINEA_THREADS");
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    run_tests();
    if (!strcmp(vn_using(), "native")) same_bits();
    return finish();
}
