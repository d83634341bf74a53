/* SPDX-License-Identifier: Apache-2.0 */
/* nn_signal.c: cosine transforms as a layer against the op, spectrograms against Keras's. */
#include "nn_layers.h"
#include <math.h>
#include "nn_signal.inc"

static vn_array *samples(void)
{
    return vn_from(tones[0], VN_SHAPE(24));
}

/* A layer of the signal, alone and in a batch, is what Keras made of it in float32. */
static void check_layer(vn_module *m, const float *expected, int64_t rows, int64_t columns)
{
    vn_array *x = samples(), *want = vn_from(expected, VN_SHAPE(rows, columns));
    const double most = 2e-5 * fmax(1, vn_item(vn_max(vn_abs(want), VN_ALL)));
    CHECK(alike(vn_module_call(m, x, NULL), want, most));
    vn_array *both[] = {x, x}, *of_both[] = {want, want};
    CHECK(alike(vn_module_call(m, vn_stack(2, both, 0), NULL), vn_stack(2, of_both, 0), most));
    CHECK(vn_dtype_of(vn_module_call(m, vn_cast(x, VN_F64), NULL)) == VN_F64);
}
#define CHECK_LAYER(layer, expected) check_layer(layer, expected[0], sizeof expected / sizeof *expected, sizeof *expected / sizeof(float))

static void dct(void)
{
    vn_array *x = vn_from(tones[0], VN_SHAPE(4, 6));
    CHECK(alike(vn_module_call(vn_nn_dct(2, -1, NULL), x, NULL), vn_dct(x, 2, -1, NULL), 0));
    CHECK(alike(vn_module_call(vn_nn_dct(4, 0, VN_OPTS(nn_dct, .norm = "ortho", .n = 5)), x, NULL),
                vn_dct(x, 4, 0, VN_OPTS(dct, .norm = "ortho", .n = 5)), 0));
    CHECK_FAILS(vn_nn_dct(5, 0, NULL), VN_E_ARG, "kind is 5");
    CHECK_FAILS(vn_nn_dct(2, 0, VN_OPTS(nn_dct, .norm = "half")), VN_E_ARG, "norm");
    CHECK_FAILS(vn_module_call(vn_nn_dct(2, 1, NULL), samples(), NULL), VN_E_ARG, "axis");
}

#define SPECTROGRAM(...) vn_nn_spectrogram(6, 4, VN_OPTS(nn_spectrogram, .n = 8, __VA_ARGS__))

static void spectrogram(void)
{
    CHECK_LAYER(vn_nn_spectrogram(6, 4, NULL), keras_log); /* 8 is the power of 2 that is not below 6 */
    CHECK_LAYER(SPECTROGRAM(.mode = "magnitude"), keras_magnitude);
    CHECK_LAYER(SPECTROGRAM(.mode = "psd"), keras_psd);
    CHECK_LAYER(SPECTROGRAM(.mode = "real"), keras_real);
    CHECK_LAYER(SPECTROGRAM(.mode = "imag"), keras_imag);
    CHECK_LAYER(SPECTROGRAM(.mode = "stft"), keras_stft);
    vn_array *angles = vn_module_call(SPECTROGRAM(.mode = "angle", .padding = "SAME", .window = "blackman"), samples(), NULL);
    vn_array *inner = vn_slice_at(vn_from(keras_angle[0], VN_SHAPE(6, 5)), VN_SHAPE(0, 1), VN_SHAPE(6, 3)); /* pi or -pi at both ends */
    CHECK(has_shape(angles, VN_SHAPE(6, 5)) && alike(vn_slice_at(angles, VN_SHAPE(0, 1), VN_SHAPE(6, 3)), inner, 1e-4));
    CHECK_LAYER(SPECTROGRAM(.mode = "magnitude", .window = "hamming", .periodic = 1, .scaling = "spectrum", .padding = "SAME"), keras_same);
    CHECK_LAYER(SPECTROGRAM(.mode = "real", .window = "none"), keras_plain);
    CHECK(has_shape(vn_module_call(vn_nn_spectrogram(7, 0, NULL), samples(), NULL), VN_SHAPE(6, 5))); /* 3 apart */
    CHECK(has_shape(vn_module_call(vn_nn_spectrogram(1, 0, NULL), samples(), NULL), VN_SHAPE(24, 1)));
    CHECK_FAILS(vn_nn_spectrogram(0, 1, NULL), VN_E_ARG, "frames of 0 elements");
    CHECK_FAILS(vn_nn_spectrogram(4, -1, NULL), VN_E_ARG, "-1 apart");
    CHECK_FAILS(SPECTROGRAM(.mode = "power"), VN_E_ARG, "mode");
    CHECK_FAILS(SPECTROGRAM(.window = "round"), VN_E_ARG, "window");
    CHECK_FAILS(vn_module_call(vn_nn_spectrogram(32, 4, NULL), samples(), NULL), VN_E_SHAPE, "a frame has 32 elements");
    CHECK_FAILS(vn_module_call(vn_nn_spectrogram(4, 4, NULL), vn_ones(VN_0D, VN_F32), NULL), VN_E_SHAPE, "a single number");
}

#define MEL(bands, ...) vn_nn_mel_spectrogram(bands, 4000, VN_OPTS(nn_mel_spectrogram, .n = 16, .step = 6, __VA_ARGS__))

static void mel_spectrogram(void)
{
    CHECK_LAYER(MEL(3, .low = 20), keras_mel);
    CHECK_LAYER(MEL(2, .length = 10, .low = 100, .high = 1500, .exponent = 1, .reference = 2, .top_db = 4, .window = "hamming"),
                keras_mel_short);
    CHECK_LAYER(MEL(2, .no_db = 1, .exponent = 3), keras_mel_power);
    CHECK_FAILS(MEL(0, .low = 20), VN_E_ARG, "0 bands");
    CHECK_FAILS(MEL(2, .length = 17), VN_E_ARG, "a window of 17 elements in frames of 16");
    CHECK_FAILS(MEL(2, .low = 2500), VN_E_ARG, "bands from 2500 to 2000");
    CHECK_FAILS(MEL(2, .high = 2500), VN_E_ARG, "bands from 20 to 2500");
    CHECK_FAILS(MEL(2, .min_power = -1), VN_E_ARG, "min_power");
    CHECK_FAILS(vn_nn_mel_spectrogram(2, INFINITY, NULL), VN_E_ARG, "sample rate of inf");
    CHECK_FAILS(vn_module_call(MEL(2, .low = 20), vn_ones(VN_0D, VN_F32), NULL), VN_E_SHAPE, "a single number");
}

static const conformance_test rows[] = {
    NN("nn/signal", "dct", dct, "cosine transforms as a layer"),
    NN("nn/signal", "spectrogram", spectrogram, "spectra of frames in every mode, as Keras has them"),
    NN("nn/signal", "mel_spectrogram", mel_spectrogram, "power in mel bands, as Keras has it"),
};

const nn_part nn_signal = NN_PART(rows);
