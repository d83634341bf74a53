/* SPDX-License-Identifier: Apache-2.0 */
/* engine_numbers.c: what docs/engines says of the least numbers and of last digits, in arrays short enough for one loop and long enough for vector loops and worker
 * threads: square roots within one unit in the last place, subnormal numbers kept or taken as zero and nothing else, slopes at bounds. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
#include "check.h"
#include <stdint.h>

static const int64_t lengths[] = {5, 1000, 90000, 100000, 400000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* The array of one number is computed on the engine from memory, not as a constant of the program. */
static vn_array *filled(double value, int64_t n, vn_dtype dtype)
{
    void *room = malloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        if (dtype == VN_F64) ((double *)room)[i] = value;
        else ((float *)room)[i] = (float)value;
    }
    vn_array *x = vn_from_host(room, dtype, VN_SHAPE(n));
    free(room);
    return x;
}

/* All elements are one of two numbers; 0 may have any sign. */
static bool all_either(vn_array *x, double a, double b)
{
    const void *data = vn_data(x);
    const bool wide = vn_dtype_of(x) == VN_F64;
    bool good = data != NULL;
    for (int64_t i = 0; i < vn_size(x) && good; i++) {
        const double v = wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
        good = near(v, a, 1e-6) || near(v, b, 1e-6);
    }
    return good;
}

TEST(square_roots)
{
    for (int k = 0; k < LENGTHS; k++) {
        VN_SCOPE;
        const int64_t n = lengths[k];
        float *x = malloc((size_t)n * sizeof *x);
        uint32_t s = 1;
        for (int64_t i = 0; i < n; i++) s = s * 1664525u + 1013904223u, x[i] = (float)(s >> 8) / 1000;
        const float *y = vn_data(vn_sqrt(vn_from_host(x, VN_F32, VN_SHAPE(n))));
        int32_t worst = y ? 0 : 99;
        for (int64_t i = 0; i < n && y; i++) {
            const float exact = sqrtf(x[i]);
            int32_t a, b;
            memcpy(&a, &exact, 4), memcpy(&b, y + i, 4);
            worst = abs(a - b) > worst ? abs(a - b) : worst;
        }
        CHECK(worst <= 1);
        free(x);
    }
}

TEST(subnormal_numbers)
{
    const double f = (double)1e-40f, least = (double)1e-45f, eighth = M_PI / 4;
    for (int k = 0; k < LENGTHS; k++) {
        VN_SCOPE;
        const int64_t n = lengths[k];
        vn_array *x = filled(f, n, VN_F32), *d = filled(5e-324, n, VN_F64), *zero = filled(0, n, VN_F64), *one = filled(1, n, VN_F32);
        CHECK(all_either(vn_add(x, x), 2 * f, 0));
        CHECK(all_either(vn_sqrt(x), sqrt(f), 0));
        CHECK(all_either(vn_log1p(filled(least, n, VN_F32)), least, 0));
        CHECK(all_either(vn_exp(filled(-100, n, VN_F32)), exp(-100), 0) ||
              all_either(vn_exp(filled(-100, n, VN_F32)), 3.783505853677006e-44, 0));
        /* Angles of numbers as they are, or of zeros; never NaN, nor a third one. TensorFlow takes only some of them as zeros in long arrays. */
        CHECK(all_either(vn_atan2(x, x), eighth, 0));
        CHECK(all_either(vn_atan2(x, vn_neg(x)), 3 * eighth, M_PI));
        CHECK(all_either(vn_atan2(x, one), f, 0));
        CHECK(all_either(vn_atan2(d, d), eighth, 0));
        CHECK(all_either(vn_atan2(zero, d), 0, !strcmp(vn_engine_of(d), "tensorflow") ? eighth : 0));
    }
}

TEST(slopes_at_bounds)
{
    for (int k = 0; k < LENGTHS; k++) {
        VN_SCOPE;
        vn_array *x = vn_variable(filled(3, lengths[k], VN_F32)), *low = vn_variable(filled(-3, lengths[k], VN_F32));
        CHECK(all_either(vn_grad(vn_sum(vn_hardsigmoid(x), VN_ALL), x), 1. / 12, 1. / 12));
        CHECK(all_either(vn_grad(vn_sum(vn_hardsigmoid(low), VN_ALL), low), 1. / 12, 1. / 12));
        CHECK(all_either(vn_grad(vn_sum(vn_hardswish(x), VN_ALL), x), 1.25, 1.25));
        CHECK(all_either(vn_grad(vn_sum(vn_hardswish(low), VN_ALL), low), -.25, -.25));
    }
}

TEST_MAIN
