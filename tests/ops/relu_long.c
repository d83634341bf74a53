/* SPDX-License-Identifier: Apache-2.0 */
/* relu_long.c: relu's backward pass, and selects that look like it, on arrays long enough for dedicated kernels. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
#include "check.h"

enum { N = 250, M = 200 };

static float x[N * M], ct[N * M];

static void fill(void)
{
    static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.f, -0.f, 1e-40f, -1e-40f};
    for (int k = 0; k < N * M; k++) x[k] = k % 7 ? (float)sin(k) : odd[k / 7 % 8], ct[k] = k % 11 ? (float)cos(k) : odd[k / 11 % 4];
}

static bool same(float a, float b)
{
    return isnan(a) ? isnan(b) : a == b || fabsf(a - b) < 1e-37f; /* what is too small to be normal may count as 0 */
}

/* where(relu(x) <= bound, number, ct) */
static void select_by(float bound, float number)
{
    int wrong = 0;
    vn_array *y = vn_relu(vn_from(x, VN_SHAPE(N, M))), *up = vn_from(ct, VN_SHAPE(N, M));
    vn_array *z = vn_where(vn_less_equal(y, vn_scalar(bound)), vn_scalar(number), up);
    const float *got = vn_data(z);
    for (int k = 0; got && k < N * M; k++) {
        float r = x[k] <= 0 ? 0 : x[k], expected = r <= bound ? number : ct[k];
        wrong += !(same(got[k], expected) || fabsf(r - bound) < 1e-37f);
        if (expected == 0 && number == 0 && r <= bound) wrong += !signbit(got[k]) != !signbit(number);
    }
    CHECK(got && wrong == 0);
}

TEST(the_way_back)
{
    int wrong = 0;
    vn_array *in = vn_variable(vn_from(x, VN_SHAPE(N, M))), *g = NULL;
    CHECK(vn_grads(vn_sum(vn_mul(vn_relu(in), vn_from(ct, VN_SHAPE(N, M))), VN_ALL), 1, &in, NULL, &g) == VN_OK);
    const float *got = vn_data(g);
    for (int k = 0; got && k < N * M; k++) {
        if (fabsf(x[k]) > 0 && fabsf(x[k]) < 1e-37f) continue;
        wrong += !same(got[k], x[k] <= 0 ? 0 : ct[k]); /* NaN stays as it is */
    }
    CHECK(got && wrong == 0);
}

TEST(others)
{
    select_by(0, 0);
    select_by(0, -0.f);
    select_by(-0.f, 0);
    select_by(.5f, 0);
    select_by(0, 7);
    select_by(NAN, 0);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    fill();
    run_tests();
    return finish();
}
