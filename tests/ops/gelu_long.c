/* SPDX-License-Identifier: Apache-2.0 */
/* gelu_long.c: gelu and its gradient in float32 against double, at sizes on both sides of the blocks in which engines look for elements far
 * below 0, which they compute in more digits; those stand alone, in numbers, and beside NaN and infinities. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: full on jax */
#include "check.h"

enum { MAX_SIZE = 40003 };

static float x[MAX_SIZE];

/* `far`: of how many elements one is far below 0; 1: all. Sets `odd`: NaN and infinities among the others. */
static void fill(int n, int far, bool odd)
{
    for (int k = 0; k < n; k++) {
        x[k] = (float)(2.7 * sin(k) + .01 * (k % 7));
        if (k % far == far - 1) x[k] = -2 - (float)(k % 101) / 10; /* to -12 */
        if (odd && k % 8 == 3) x[k] = k % 3 ? NAN : INFINITY;
    }
}

static double value(double v, bool approximate)
{
    const double u = sqrt(2 / M_PI) * v * (1 + .044715 * v * v);
    return approximate ? v / (1 + exp(-2 * u)) : .5 * v * erfc(-v / M_SQRT2);
}

static double slope(double v, bool approximate)
{
    const double u = sqrt(2 / M_PI) * v * (1 + .044715 * v * v), s = 1 / (1 + exp(-2 * u));
    if (!approximate) return .5 * erfc(-v / M_SQRT2) + v * exp(-v * v / 2) / sqrt(2 * M_PI);
    return s + v * s * (1 - s) * 2 * sqrt(2 / M_PI) * (1 + 3 * .044715 * v * v);
}

static int differing(const float *got, int n, bool approximate)
{
    int wrong = 0;
    for (int k = 0; got && k < n; k++) {
        const double want = value(x[k], approximate);
        wrong += !(fabs(got[k] - want) <= 1e-6 * fabs(want) + 1e-37 || (isnan(want) && isnan(got[k])) || got[k] == want);
    }
    return got ? wrong : -1;
}

static void compare(int n, int far, bool odd)
{
    VN_SCOPE;
    fill(n, far, odd);
    for (int approximate = 0; approximate < 2; approximate++) {
        vn_array *v = vn_variable(vn_from(x, VN_SHAPE(n))), *y = vn_gelu(v, VN_OPTS(gelu, .approximate = approximate)),
                 *g = vn_grad(vn_sum(y, VN_ALL), v);
        CHECK(vn_eval(2, (vn_array *[]){y, g}) == VN_OK);
        CHECK(differing(vn_data(y), n, approximate) == 0);
        const float *by = vn_data(g);
        int wrong = 0;
        for (int k = 0; by && k < n && !odd; k++) wrong += !(fabs(by[k] - slope(x[k], approximate)) <= 2e-6);
        CHECK(by && wrong == 0);
    }
}

TEST(sizes)
{
    static const int all[] = {1, 15, 16, 17, 31, 48, 64, 1000, 1023, MAX_SIZE};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        compare(all[k], 37, false);
        compare(all[k], 5, true);
    }
}

TEST(far_and_near)
{
    compare(4096, MAX_SIZE, false); /* none far below 0 */
    compare(4096, 1, false);        /* all */
    compare(4096, 1000, true);
}

/* Elements that are not neighbours in memory. */
TEST(columns)
{
    enum { ROWS = 40, COLUMNS = 24 };
    fill(ROWS * COLUMNS, 9, false);
    vn_array *matrix = vn_from(x, VN_SHAPE(ROWS, COLUMNS)), *y = vn_matrix_transpose(vn_gelu(vn_matrix_transpose(matrix), NULL));
    CHECK(differing(vn_data(y), ROWS * COLUMNS, false) == 0);
}

TEST_MAIN
