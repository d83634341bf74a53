/* SPDX-License-Identifier: Apache-2.0 */
/* differences.h: derivatives compared with central differences: the fixed numbers and the tolerances. The loss is the sum of a result's numbers times weights; the
 * second order is the gradient of the sum of gradients times weights, along a direction. A program that reproduces a failure contains
 * this file, so it uses only the C library and public functions. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <vinea/vinea.h>

/* In [-1.5, -0.5] and [0.5, 1.5], different for every n. */
static inline double some_number(uint64_t n)
{
    n = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
    const double u = (double)(n >> 12) * 0x1p-52;
    return n & 1 ? 0.5 + u : -0.5 - u;
}

/* Number i of the result, and of the gradient for input k. */
static inline double result_weight(int64_t i)
{
    return some_number((uint64_t)i);
}
static inline double gradient_weight(int k, int64_t i)
{
    return some_number(1000003 * (uint64_t)(k + 1) + 2 * (uint64_t)i);
}

/* How far x is moved alone; how far it is moved for each unit along the direction, as number i of input k. */
static inline double difference_step(double x)
{
    return cbrt(DBL_EPSILON) * fmax(1, fabs(x));
}
static inline double direction(int k, int64_t i, double x)
{
    return some_number(1000003 * (uint64_t)(k + 1) + 2 * (uint64_t)i + 1) * fmax(1, fabs(x));
}

/* The sum of z w over all real components. */
static inline vn_array *weighed(vn_array *z, const double *w)
{
    const int two_parts = z && vn_dtype_of(z) == VN_C128;
    vn_array *v = z ? vn_from_host(w, vn_dtype_of(z), vn_shape_of(z)) : NULL;
    return z ? vn_sum(two_parts ? vn_real(vn_mul(z, vn_conj(v))) : vn_mul(z, v), VN_ALL) : NULL;
}

/* What a derivative should be by differences, and the largest error that rounding explains. */
typedef struct difference {
    double numeric, allowed;
} difference;

/* Of results at two points `width` apart. */
static inline difference first_difference(const double *above, const double *below, int64_t n, double width, double analytic)
{
    double sum = 0, blur = 0;
    for (int64_t i = 0; i < n; i++) {
        if (above[i] == below[i]) continue;
        sum += result_weight(i) * (above[i] - below[i]);
        blur += fabs(result_weight(i)) * (fabs(above[i]) + fabs(below[i])) * 2 * DBL_EPSILON;
    }
    const double numeric = sum / width;
    return (difference){numeric, 1e-6 * fmax(1, fmax(fabs(numeric), fabs(analytic))) + blur / width};
}

/* Of sums of gradients, whose terms have these sizes in all, h to both sides; `terms`: the sizes of the second gradient's. */
static inline difference second_difference(double above, double below, double sizes, double h, double terms)
{
    const double numeric = (above - below) / (2 * h);
    return (difference){numeric, 1e-5 * fmax(1, fmax(terms, fabs(numeric))) + 4 * DBL_EPSILON * sizes / h};
}
