/* SPDX-License-Identifier: Apache-2.0 */
/* signal_windows.c: windows for signals, and the weights of mel bands. They are computed in float64 and rounded once. */
#include "ops/row.h"
#include <math.h>

/* ---- rules ---- */

int dtype_window(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_HANN_WINDOW_DTYPE);
}
int dtype_kaiser_window(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_KAISER_WINDOW_DTYPE);
}
int dtype_vorbis_window(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_VORBIS_WINDOW_DTYPE);
}
int dtype_mel_weights(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_MEL_WEIGHTS_DTYPE);
}

_Static_assert(AGREE(HANN_WINDOW, HAMMING_WINDOW, N) && AGREE(HANN_WINDOW, HAMMING_WINDOW, DTYPE) &&
                   AGREE(HANN_WINDOW, HAMMING_WINDOW, PERIODIC) && AGREE(HANN_WINDOW, KAISER_WINDOW, N) &&
                   AGREE(HANN_WINDOW, KAISER_BESSEL_DERIVED_WINDOW, N) && AGREE(HANN_WINDOW, VORBIS_WINDOW, N) &&
                   AGREE(KAISER_WINDOW, KAISER_BESSEL_DERIVED_WINDOW, BETA) && AGREE(KAISER_WINDOW, KAISER_BESSEL_DERIVED_WINDOW, DTYPE),
               "the rows number their options alike");

int shape_window(vn__infer *i)
{
    vn__rule_result(i, 1, &i->options->v[OPT_HANN_WINDOW_N].u.i);
    return VN_OK;
}
int shape_kaiser_window(vn__infer *i)
{
    return shape_window(i);
}
int shape_vorbis_window(vn__infer *i)
{
    return shape_window(i);
}
int shape_kaiser_bessel_derived_window(vn__infer *i)
{
    const int64_t n = i->options->v[OPT_KAISER_BESSEL_DERIVED_WINDOW_N].u.i;
    if (n % 2) FAIL(VN_E_ARG, "n is %lld, an even number is needed", (long long)n);
    return shape_window(i);
}

int shape_mel_weights(vn__infer *i)
{
    const double low = vn__real(i, OPT_MEL_WEIGHTS_LOW), high = vn__real(i, OPT_MEL_WEIGHTS_HIGH),
                 most = vn__real(i, OPT_MEL_WEIGHTS_SAMPLE_RATE) / 2;
    const double end = isnan(high) ? most : high;
    if (!(low < end && end <= most))
        FAIL(VN_E_ARG, "bands from %g to %g Hertz; low < high <= %g, half the sample rate, is needed", low, end, most);
    vn__rule_result(i, 2, (int64_t[]){i->options->v[OPT_MEL_WEIGHTS_BINS].u.i, i->options->v[OPT_MEL_WEIGHTS_BANDS].u.i});
    return VN_OK;
}

/* ---- windows ---- */

static vn_array *count_to(int64_t n)
{
    return vn_arange(0, (double)n, 1, VN_F64);
}

/* Where element j is: 2 j / (n - 1) - 1, from -1 to 1; one element is in the middle. */
static vn_array *across(int64_t n, bool periodic)
{
    if (n == 1) return vn_zeros(VN_SHAPE(1), VN_F64);
    return vn_sub(vn__scaled(count_to(n), 2 / (double)(periodic ? n : n - 1)), vn_scalar(1));
}

static vn_array *placed(const vn__infer *i, int periodic_at)
{
    return across(i->dims[0], i->options->v[periodic_at].u.i != 0);
}

static vn_array *in_dtype(vn_array *w, const vn__infer *i)
{
    return vn_cast(w, (vn_dtype)i->dtype);
}

/* a + b cos(pi t) + c cos(2 pi t), with t from -1 to 1; exactly their sum in the middle */
static vn_array *cosines(vn_array *t, double a, double b, double c)
{
    vn_array *w = vn_add(vn__scaled(vn_cos(vn__scaled(t, M_PI)), b), vn_scalar(a));
    return c != 0 ? vn_add(w, vn__scaled(vn_cos(vn__scaled(t, 2 * M_PI)), c)) : w;
}

vn_array *compose_hann_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return in_dtype(cosines(placed(i, OPT_HANN_WINDOW_PERIODIC), .5, .5, 0), i);
}

vn_array *compose_hamming_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return in_dtype(
        cosines(placed(i, OPT_HAMMING_WINDOW_PERIODIC), vn__real(i, OPT_HAMMING_WINDOW_ALPHA), vn__real(i, OPT_HAMMING_WINDOW_BETA), 0), i);
}

vn_array *compose_blackman_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return in_dtype(cosines(placed(i, OPT_BLACKMAN_WINDOW_PERIODIC), .42, .5, .08), i);
}

vn_array *compose_bartlett_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return in_dtype(vn_sub(vn_scalar(1), vn_abs(placed(i, OPT_BARTLETT_WINDOW_PERIODIC))), i);
}

/* i0(beta s) / i0(beta) with s = sqrt(1 - t^2), without overflow: i0e times exp(beta (s - 1)) */
static vn_array *kaiser(vn_array *t, double beta)
{
    vn_array *s = vn_sqrt(vn_maximum(vn_sub(vn_scalar(1), vn_square(t)), vn_scalar(0))), *all = vn_full(vn_scalar(beta), VN_0D, VN_F64);
    return vn_div(vn_mul(vn_i0e(vn__scaled(s, beta)), vn_exp(vn__scaled(vn_sub(s, vn_scalar(1)), beta))), vn_i0e(all));
}

vn_array *compose_kaiser_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return in_dtype(kaiser(placed(i, OPT_KAISER_WINDOW_PERIODIC), vn__real(i, OPT_KAISER_WINDOW_BETA)), i);
}

vn_array *compose_kaiser_bessel_derived_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const int64_t half = i->dims[0] / 2;
    if (!half) return vn_zeros(VN_SHAPE(0), (vn_dtype)i->dtype);
    vn_array *sums = vn_cumulative_sum(kaiser(across(half + 1, false), vn__real(i, OPT_KAISER_BESSEL_DERIVED_WINDOW_BETA)), 0, NULL);
    if (!sums) return NULL;
    vn_array *w = vn_sqrt(vn_div(vn__piece(sums, 0, 0, half), vn__piece(sums, 0, half, 1)));
    return in_dtype(vn_concat(2, (vn_array *[]){w, vn_flip(w, VN_AXES(0))}, 0), i);
}

vn_array *compose_vorbis_window(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const int64_t n = i->dims[0];
    vn_array *at = vn__scaled(vn_add(count_to(n), vn_scalar(.5)), M_PI / (double)(n ? n : 1));
    return in_dtype(vn_sin(vn__scaled(vn_square(vn_sin(at)), M_PI / 2)), i);
}

/* ---- mel bands ---- */

/* Steps of 1 on the mel scale are equally high. Only differences of mels count, so their unit is left out. */
static double mels(double hertz)
{
    return log1p(hertz / 700);
}

/* A band rises from the middle of the one before it to its own, and falls to that of the next. */
vn_array *compose_mel_weights(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const int64_t bins = i->dims[0], bands = i->dims[1];
    const double rate = vn__real(i, OPT_MEL_WEIGHTS_SAMPLE_RATE), high = vn__real(i, OPT_MEL_WEIGHTS_HIGH),
                 low = mels(vn__real(i, OPT_MEL_WEIGHTS_LOW));
    const double width = (mels(isnan(high) ? rate / 2 : high) - low) / (double)(bands + 1);
    vn_array *at = vn_log1p(vn__scaled(count_to(bins), rate / 2 / (double)(bins - 1) / 700));
    at = vn_div(vn_sub(vn_reshape(at, VN_SHAPE(bins, 1)), vn_scalar(low)), vn_scalar(width)); /* in bands */
    vn_array *middle = vn_add(count_to(bands), vn_scalar(1));
    vn_array *w = vn_maximum(vn_sub(vn_scalar(1), vn_abs(vn_sub(at, middle))), vn_scalar(0));
    return in_dtype(vn_where(vn_equal(vn_reshape(count_to(bins), VN_SHAPE(bins, 1)), vn_scalar(0)), vn_scalar(0), w), i);
}
