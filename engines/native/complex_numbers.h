/* SPDX-License-Identifier: Apache-2.0 */
/* complex_numbers.h: C's complex numbers, with CMPLX also where the C library defines it for gcc only. */
#ifndef VN_NATIVE_COMPLEX_NUMBERS_H
#define VN_NATIVE_COMPLEX_NUMBERS_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(real, imaginary) __builtin_complex((double)(real), (double)(imaginary))
#endif

#endif
