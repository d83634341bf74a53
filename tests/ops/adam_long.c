/* SPDX-License-Identifier: Apache-2.0 */
/* adam_long.c: Adam's step on arrays long enough for dedicated kernels, against plain loops in double; with negative second moments,
 * which count as 0, and NaN. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
#include "check.h"

enum { N = 200, M = 300 }; /* of a matrix */

static float w[N * M], g[N * M], m[N * M], v[N * M];

static void fill(int odd)
{
    for (int k = 0; k < N * M; k++) {
        w[k] = (float)sin(k), g[k] = (float)cos(3 * k), m[k] = (float)sin(5 * k) / 4, v[k] = (float)(k % 100) / 64;
        if (odd && k % 1000 == 7) v[k] = -1;
        if (odd && k % 1000 == 8) v[k] = NAN;
    }
}

/* How many elements of x differ from those of y. */
static int differing(vn_array *x, const double *y)
{
    const float *got = vn_data(x);
    int n = 0;
    for (int k = 0; got && k < N * M; k++) n += !(near(got[k], y[k], 1e-4) || fabs(got[k] - y[k]) < 1e-6);
    return got ? n : -1;
}

static void step(int odd, bool paper)
{
    static double w_new[N * M], m_new[N * M], v_new[N * M];
    const double b1 = .8, b2 = .9, epsilon = 1e-3, lr = .1, t = 3;
    const double first = 1 - pow(b1, t), second = sqrt(1 - pow(b2, t));
    fill(odd);
    for (int k = 0; k < N * M; k++) {
        m_new[k] = b1 * m[k] + (1 - b1) * g[k], v_new[k] = b2 * v[k] + (1 - b2) * g[k] * g[k];
        double root = v_new[k] < 0 ? 0 : sqrt(v_new[k]);
        w_new[k] =
            w[k] - lr * (paper ? m_new[k] / first / (root / second + epsilon) : second / (first + epsilon) * m_new[k] / (root + epsilon));
    }
    vn_array *at = vn_from(w, VN_SHAPE(N, M)), *slope = vn_from(g, VN_SHAPE(N, M)), *means = vn_from(m, VN_SHAPE(N, M));
    vn_array *squares = vn_from(v, VN_SHAPE(N, M));
    vn_array *z = vn_adam_update(at, slope, vn_scalar(lr), means, squares, vn_scalar(t),
                                 VN_OPTS(adam_update, .beta1 = b1, .beta2 = b2, .epsilon = epsilon, .paper = paper), &means, &squares);
    CHECK(vn_eval(3, (vn_array *[]){z, means, squares}) == VN_OK);
    CHECK(differing(z, w_new) == 0);
    CHECK(differing(means, m_new) == 0);
    CHECK(differing(squares, v_new) == 0);
}

TEST(plain_numbers)
{
    step(0, false);
    step(0, true);
}

TEST(odd_second_moments)
{
    step(1, false);
    step(1, true);
}

TEST_MAIN
