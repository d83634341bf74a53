/* SPDX-License-Identifier: Apache-2.0 */
/* layers_signal.c: DCT, spectrograms and mel spectrograms. */
#include "nn/layers.h"
#include "core/state.h"
#include <math.h>

/* ---- DCT ---- */

typedef struct {
    int64_t kind, axis;
    vn_nn_dct_opts o;
} dct;

static vn_array *dct_forward(vn_module *m, vn_array *x)
{
    const dct *t = vn_module_self(m);
    return vn_dct(x, t->kind, t->axis, VN_OPTS(dct, .n = t->o.n, .norm = t->o.norm));
}

static const vn_module_class dct_class = {.name = "DCT", .self_size = sizeof(dct), .forward = dct_forward};

vn_module *vn_nn_dct(int64_t kind, int64_t axis, const vn_nn_dct_opts *opts)
{
    dct t = {.kind = kind, .axis = axis};
    if (!vn__take_options("nn_dct", &vn__struct_fft, &t.o, opts)) return NULL;
    if (kind < 1 || kind > 4) return vn__fail(VN_E_ARG, "nn_dct: kind is %lld, 1 to 4 are there", (long long)kind), NULL;
    return vn_module_new(&dct_class, &t, NULL);
}

/* ---- what spectrograms share ---- */

/* A window by its name, in the float dtype that x is computed in; VN_NONE for "none" */
static vn_array *window_named(const char *name, const vn_array *x, int64_t n, int periodic)
{
    const vn_dtype d = vn_dtype_of(x) == VN_F64 ? VN_F64 : VN_F32;
    const vn_window_opts o = {.size = sizeof o, .periodic = periodic};
    if (!strcmp(name, "hann")) return vn_hann_window(n, d, &o);
    if (!strcmp(name, "hamming")) return vn_hamming_window(n, d, VN_OPTS(hamming_window, .periodic = periodic));
    if (!strcmp(name, "blackman")) return vn_blackman_window(n, d, &o);
    if (!strcmp(name, "bartlett")) return vn_bartlett_window(n, d, &o);
    return VN_NONE;
}

/* x has samples, and is made of floats. */
static bool is_signal(const vn_array *x)
{
    if (vn_rank(x) >= 1) return true;
    return vn__fail(VN_E_SHAPE, "x is a single number; [..., samples] is needed (%s)", vn_engine_of(x)), false;
}

/* The window is made at every call, also when a model file is only read: its size must not be whatever the file says. */
enum { MAX_FRAME = 1 << 24, MAX_BANDS = 1 << 16 };

/* ---- Spectrogram ---- */

typedef struct {
    int64_t length, step;
    vn_nn_spectrogram_opts o;
} spectrogram;

/* Zeros on both sides, so that there are as many frames as steps. */
static vn_array *padded(vn_array *x, const spectrogram *s)
{
    const int64_t n = vn_dim(x, -1), frames = n ? (n - 1) / s->step + 1 : 0, more = (frames - 1) * s->step + s->length - n;
    if (more <= 0) return x;
    vn_shape before = {.rank = vn_rank(x)}, after = before;
    before.dim[before.rank - 1] = more / 2;
    after.dim[after.rank - 1] = more - more / 2;
    return vn_pad(x, before, after, NULL);
}

static vn_array *scaled(vn_array *window, const char *scaling)
{
    if (!strcmp(scaling, "density")) return vn_div(window, vn_sqrt(vn_sum(vn_square(window), VN_ALL)));
    if (!strcmp(scaling, "spectrum")) return vn_div(window, vn_sum(vn_abs(window), VN_ALL));
    return window;
}

/* Frequencies that stand for two count twice: all but the first and the last. */
static vn_array *density(vn_array *power)
{
    const int64_t bins = vn_dim(power, -1);
    vn_array *k = vn_arange(0, (double)bins, 1, VN_I64);
    vn_array *ends = vn_logical_or(vn_equal(k, vn_scalar_int(0)), vn_equal(k, vn_scalar_int(bins - 1)));
    return vn_where(ends, power, vn_mul(power, vn_scalar(2)));
}

static vn_array *in_mode(vn_array *z, const char *mode)
{
    vn_array *re = vn_real(z), *im = vn_imag(z);
    if (!strcmp(mode, "real")) return re;
    if (!strcmp(mode, "imag")) return im;
    if (!strcmp(mode, "angle")) return vn_atan2(im, re);
    if (!strcmp(mode, "stft")) return vn_concat(2, (vn_array *[]){re, im}, -1);
    vn_array *power = vn_add(vn_square(re), vn_square(im));
    if (!strcmp(mode, "psd")) return density(power);
    vn_array *magnitude = vn_sqrt(vn_maximum(power, vn_scalar(1e-7)));
    return strcmp(mode, "log") ? magnitude : vn_log(magnitude);
}

static vn_array *spectrogram_forward(vn_module *m, vn_array *x)
{
    const spectrogram *s = vn_module_self(m);
    if (!is_signal(x)) return NULL;
    vn_array *window = window_named(s->o.window, x, s->length, s->o.periodic);
    if (window != VN_NONE) window = scaled(window, s->o.scaling);
    if (!strcmp(s->o.padding, "SAME")) x = padded(x, s);
    return in_mode(vn_stft(x, window, s->length, s->step, VN_OPTS(stft, .n = s->o.n)), s->o.mode);
}

static const vn_module_class spectrogram_class = {.name = "Spectrogram", .self_size = sizeof(spectrogram), .forward = spectrogram_forward};

vn_module *vn_nn_spectrogram(int64_t length, int64_t step, const vn_nn_spectrogram_opts *opts)
{
    spectrogram s = {.length = length, .step = step};
    if (!vn__take_options("nn_spectrogram", &vn__struct_nn_spectrogram, &s.o, opts)) return NULL;
    if (length < 1 || length > MAX_FRAME || step < 0)
        return vn__fail(VN_E_ARG, "nn_spectrogram: frames of %lld elements, %lld apart; 1 to %d elements are possible", (long long)length,
                        (long long)step, MAX_FRAME),
               NULL;
    if (!step) s.step = length > 1 ? length / 2 : 1;
    if (!s.o.n)
        for (s.o.n = 1; s.o.n < length && s.o.n <= INT64_MAX / 2;) s.o.n *= 2;
    return vn_module_new(&spectrogram_class, &s, NULL);
}

/* ---- MelSpectrogram ---- */

typedef struct {
    int64_t bands;
    double sample_rate;
    vn_nn_mel_spectrogram_opts o;
} mel_spectrogram;

/* 10 log10(power / reference), at most top_db below the largest */
static vn_array *decibels(vn_array *power, const vn_nn_mel_spectrogram_opts *o)
{
    vn_array *db = vn_mul(vn_log10(vn_maximum(power, vn_scalar(o->min_power))), vn_scalar(10));
    db = vn_sub(db, vn_scalar(10 * log10(fmax(o->reference, o->min_power))));
    return vn_maximum(db, vn_sub(vn_max(db, VN_ALL), vn_scalar(o->top_db)));
}

static vn_array *mel_spectrogram_forward(vn_module *m, vn_array *x)
{
    const mel_spectrogram *s = vn_module_self(m);
    const vn_nn_mel_spectrogram_opts *o = &s->o;
    if (!is_signal(x)) return NULL;
    vn_array *window = window_named(o->window, x, o->length ? o->length : o->n, 1);
    vn_array *z = vn_stft(x, window, o->n, o->step, VN_OPTS(stft, .center = 1));
    vn_array *power = vn_add(vn_square(vn_real(z)), vn_square(vn_imag(z)));
    if (o->exponent != 2) power = vn_pow(power, vn_scalar(o->exponent / 2));
    vn_array *weights = vn_mel_weights(s->bands, o->n / 2 + 1, s->sample_rate, vn_dtype_of(x) == VN_F64 ? VN_F64 : VN_F32,
                                       VN_OPTS(mel_weights, .low = o->low, .high = o->high));
    vn_array *y = vn_matmul(power, weights);
    return o->no_db ? y : decibels(y, o);
}

static const vn_module_class mel_spectrogram_class = {
    .name = "MelSpectrogram", .self_size = sizeof(mel_spectrogram), .forward = mel_spectrogram_forward};

vn_module *vn_nn_mel_spectrogram(int64_t bands, double sample_rate, const vn_nn_mel_spectrogram_opts *opts)
{
    mel_spectrogram s = {.bands = bands, .sample_rate = sample_rate};
    if (!vn__take_options("nn_mel_spectrogram", &vn__struct_nn_mel_spectrogram, &s.o, opts)) return NULL;
    if (bands < 1 || bands > MAX_BANDS || !(sample_rate > 0 && isfinite(sample_rate)))
        return vn__fail(VN_E_ARG, "nn_mel_spectrogram: %lld bands at a sample rate of %g; 1 to %d bands are possible", (long long)bands,
                        sample_rate, MAX_BANDS),
               NULL;
    if (s.o.n > MAX_FRAME)
        return vn__fail(VN_E_ARG, "nn_mel_spectrogram: frames of %lld elements; %d are possible", (long long)s.o.n, MAX_FRAME), NULL;
    if (s.o.length > s.o.n)
        return vn__fail(VN_E_ARG, "nn_mel_spectrogram: a window of %lld elements in frames of %lld", (long long)s.o.length,
                        (long long)s.o.n),
               NULL;
    const double high = isnan(s.o.high) ? sample_rate / 2 : s.o.high;
    if (!(s.o.low < high && high <= sample_rate / 2))
        return vn__fail(VN_E_ARG, "nn_mel_spectrogram: bands from %g to %g Hertz at a sample rate of %g", s.o.low, high, sample_rate), NULL;
    return vn_module_new(&mel_spectrogram_class, &s, NULL);
}
