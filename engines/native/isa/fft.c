/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: the inner loops of Fourier transforms (../fft.c). The elements of several lines of numbers stand side by side, real and imaginary
 * parts apart, so that every loop is one over adjacent numbers. Products are rounded before they are added, so results have the same bits
 * at every level. */
/* many short loops */
#include "level.h"

#define THRESHOLDS_FFT_LOOPS
#include "../thresholds.h"

#define BODY "fft_type.h"
#include "float_types.h"

const vn__fft_table VN_TABLE(fft) = {
    .f32 = {load_f32, store_f32, pass_f32, twist_f32, times_f32, halves_f32, whole_f32, widen_f32, mirror_f32},
    .f64 = {load_f64, store_f64, pass_f64, twist_f64, times_f64, halves_f64, whole_f64, widen_f64, mirror_f64},
};
