/* SPDX-License-Identifier: Apache-2.0 */
/* special.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_SPECIAL_H
#define VINEA_SPECIAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Special functions ----
 * Functions of probability and combinatorics, accurate over their whole range; functions that take numbers apart, or NaN and infinities out.
 * They take floats, where a row does not say otherwise, and are named as in SciPy and NumPy.
 * Those of floats have gradients; by the first parameters of gammainc, gammaincc and betainc, and by that of zeta, they are differences of sixth order, in float64.
 *
 *     vn_array *x = vn_from((float[]){0, 1, 5}, VN_SHAPE(3));
 *     puts(vn_text(vn_erfc(x)));
 */

/* the error function. */
VN_API vn_array *vn_erf(vn_array *x);

/* 1 - erf(x), accurate where that is small. */
VN_API vn_array *vn_erfc(vn_array *x);

/* the inverse of erf; infinite at -1 and 1, NaN beyond. */
VN_API vn_array *vn_erfinv(vn_array *x);

/* the logarithm of the size of the gamma function; infinite at 0 and at whole numbers below. */
VN_API vn_array *vn_lgamma(vn_array *x);

/* the derivative of lgamma; at 0 infinite against its sign, NaN at whole numbers below. */
VN_API vn_array *vn_digamma(vn_array *x);

/* a derivative of digamma, order 0 (itself) to 8; at 0 and below at whole numbers infinite for an odd order, else infinite against the sign of 0, and NaN. */
VN_API vn_array *vn_polygamma(vn_array *x, int64_t order VN_OR(0));

/* sin(pi x) / (pi x), 1 at 0, NaN at infinities. */
VN_API vn_array *vn_sinc(vn_array *x);

/* the modified Bessel function of the first kind, of order 0. */
VN_API vn_array *vn_i0(vn_array *x);

/* exp(-|x|) i0(x). */
VN_API vn_array *vn_i0e(vn_array *x);

/* the modified Bessel function of the first kind, of order 1. */
VN_API vn_array *vn_i1(vn_array *x);

/* exp(-|x|) i1(x). */
VN_API vn_array *vn_i1e(vn_array *x);

/* the zeta function of Hurwitz, the sum of (q + k)^-x over k >= 0, broadcast; zeta(x, 1) is Riemann's; infinite for x = 1 and at q = 0, -1 ...; NaN for x < 1, and for q < 0 unless x is whole. */
VN_API vn_array *vn_zeta(vn_array *x, vn_array *q);

/* the regularised lower incomplete gamma function, the part of gamma(a) that comes from numbers below x, broadcast; NaN for a or x below 0. */
VN_API vn_array *vn_gammainc(vn_array *a, vn_array *x);

/* 1 - gammainc(a, x), accurate where that is small. */
VN_API vn_array *vn_gammaincc(vn_array *a, vn_array *x);

/* the regularised incomplete beta function, the part of B(a, b) that comes from numbers below x, broadcast; NaN for a or b below 0 and for x outside [0, 1]. */
VN_API vn_array *vn_betainc(vn_array *a, vn_array *b, vn_array *x);

/* x log(y), broadcast; 0 where x is 0, unless y is NaN. */
VN_API vn_array *vn_xlogy(vn_array *x, vn_array *y);

/* log(x / (1 - x)), the inverse of sigmoid; NaN outside [0, 1]. */
typedef struct vn_logit_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* x is kept between epsilon and 1 - epsilon first; in [0, 0.5] */
} vn_logit_opts;
VN_API vn_array *vn_logit(vn_array *x, const vn_logit_opts *opts VN_OR(NULL));

/* log2(2^x + 2^y), without overflow, broadcast. */
VN_API vn_array *vn_logaddexp2(vn_array *x, vn_array *y);

/* the cube root, also of negative numbers. */
VN_API vn_array *vn_cbrt(vn_array *x);

/* 0 where x is below 0, 1 where it is above, y where it is 0, broadcast; NaN for NaN. */
VN_API vn_array *vn_heaviside(vn_array *x, vn_array *y);

/* the greatest common divisor of the sizes of two integers, broadcast; gcd(0, 0) is 0. */
VN_API vn_array *vn_gcd(vn_array *x, vn_array *y);

/* the least common multiple of the sizes of two integers, broadcast; 0 where one is 0; wraps around. */
VN_API vn_array *vn_lcm(vn_array *x, vn_array *y);

/* x as mantissa times 2^exponent, the mantissa in [1/2, 1) apart from its sign; 0, infinities and NaN are their own mantissas, with exponent 0. */
VN_API vn_array *vn_frexp(vn_array *x, vn_array **exponent);

/* x times 2^exponent, an integer, broadcast, rounded once. */
VN_API vn_array *vn_ldexp(vn_array *x, vn_array *exponent);

/* x with numbers in place of NaN and infinities, of a complex number in both parts; integers stay as they are. */
typedef struct vn_nan_to_num_opts {
    size_t size VN_UNSET;
    double nan VN_UNSET; /* in place of NaN */
    double posinf VN_UNSET; /* in place of infinity; the largest number of the dtype unless given */
    double neginf VN_UNSET; /* in place of -infinity; the smallest number of the dtype unless given */
} vn_nan_to_num_opts;
VN_API vn_array *vn_nan_to_num(vn_array *x, const vn_nan_to_num_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_polygamma(...) vn_polygamma(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_logit(...) vn_logit(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nan_to_num(...) vn_nan_to_num(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#endif
#endif
