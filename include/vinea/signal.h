/* SPDX-License-Identifier: Apache-2.0 */
/* signal.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_SIGNAL_H
#define VINEA_SIGNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Signals ----
 * Cosine, short-time Fourier and Hadamard transforms, convolution of signals, and windows, as SciPy, NumPy and Keras have them; vn_rfft and related functions are in ops.h.
 * A signal is the last axis, where no axis is given; leading axes are batches.
 * Windows are symmetric, as filters need them; a periodic one is a symmetric one of n + 1 elements without its last.
 *
 *     vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4)), *window = vn_hann_window(2, VN_F32, VN_OPTS(hann_window, .periodic = 1));
 *     puts(vn_text(vn_dct(x, 2, -1, VN_OPTS(dct, .norm = "ortho"))));
 *     puts(vn_text(vn_abs(vn_stft(x, window, 2, 1))));
 *     puts(vn_text(vn_convolve(x, vn_from((float[]){1, -1}, VN_SHAPE(2)))));
 */

/* the discrete cosine transform of type 1 to 4 along an axis, as scipy.fft.dct has it: type 2 is twice the sum of x[j] cos(pi k (2 j + 1) / (2 n)); ortho makes it orthogonal; type 1 needs two elements. */
typedef vn_fft_opts vn_dct_opts;
VN_API vn_array *vn_dct(vn_array *x, int64_t type VN_OR(2), int64_t axis VN_OR(-1), const vn_dct_opts *opts VN_OR(NULL));

/* the inverse of dct of the same type and norm. */
typedef vn_fft_opts vn_idct_opts;
VN_API vn_array *vn_idct(vn_array *x, int64_t type VN_OR(2), int64_t axis VN_OR(-1), const vn_idct_opts *opts VN_OR(NULL));

/* the Fourier transforms of frames of x [..., samples], of this length and this step apart, times a window: [..., frames, n / 2 + 1]; a window shorter than the frame stands in its middle, with zeros around it; complex x needs two_sided. */
typedef struct vn_stft_opts {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* the length of the transforms; zeros follow a shorter frame; the frame's unless given; in [1, inf) */
    const char *norm VN_UNSET; /* which of a transform and its inverse is divided by n; ortho: both, by its square root: backward, ortho, forward; the first unless given */
    int two_sided VN_UNSET; /* all n frequencies, not n / 2 + 1 */
    int center VN_UNSET; /* x is padded by half a frame on both sides, so that frame k is centred at element k step */
    const char *pad_mode VN_UNSET; /* how, as in pad: reflect, constant, edge, symmetric, wrap; the first unless given */
    int pad_end VN_UNSET; /* zeros follow x, so that a frame begins at every step up to its end */
    int reserved VN_UNSET; /* 0 */
} vn_stft_opts;
VN_API vn_array *vn_stft(vn_array *x, vn_array *window, int64_t length, int64_t step, const vn_stft_opts *opts VN_OR(NULL));

/* the signal [..., samples] whose stft is x [..., frames, n / 2 + 1], or nearest to it: inverse transforms times the window, added up where frames overlap, divided by the sum of the squares of the windows where that is above 1e-10. */
typedef struct vn_istft_opts {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* the length of the transforms; the frame's unless given; in [1, inf) */
    const char *norm VN_UNSET; /* which of a transform and its inverse is divided by n; ortho: both, by its square root: backward, ortho, forward; the first unless given */
    int two_sided VN_UNSET; /* x has all n frequencies, and the result is complex */
    int center VN_UNSET; /* half a frame is cut off on both sides */
    int64_t samples VN_UNSET; /* the number of samples; what follows the last frame is 0; as many as the frames cover unless given; in [1, inf) */
} vn_istft_opts;
VN_API vn_array *vn_istft(vn_array *x, vn_array *window, int64_t length, int64_t step, const vn_istft_opts *opts VN_OR(NULL));

/* element k of the result is the sum of x[j] y[k - j] along the last axes, of which leading ones broadcast; long floats and complex numbers go through Fourier transforms. */
typedef struct vn_convolve_opts {
    size_t size VN_UNSET;
    const char *mode VN_UNSET; /* all n + m - 1 sums; the middle ones, as many as the longer of both has; those where both overlap entirely: full, same, valid; the first unless given */
} vn_convolve_opts;
VN_API vn_array *vn_convolve(vn_array *x, vn_array *y, const vn_convolve_opts *opts VN_OR(NULL));

/* the sums of x[j + k] conj(y[j]) along the last axes, of which leading ones broadcast. */
typedef struct vn_correlate_opts {
    size_t size VN_UNSET;
    const char *mode VN_UNSET; /* the sums where both overlap entirely; the middle ones, as many as the longer of both has; all n + m - 1: valid, same, full; the first unless given */
} vn_correlate_opts;
VN_API vn_array *vn_correlate(vn_array *x, vn_array *y, const vn_correlate_opts *opts VN_OR(NULL));

/* x times a Hadamard matrix along the last axis, of n = m 2^k elements with m 1, 12, 20 or 28, then times a scale, 1 / sqrt(n) unless given: the Kronecker product of Sloane's matrix of m rows and that of Sylvester. */
typedef struct vn_hadamard_transform_opts {
    size_t size VN_UNSET;
    double scale VN_UNSET; /* the result is multiplied by it; 1 / sqrt(n) for n elements along the axis unless given; in (-inf, inf) */
} vn_hadamard_transform_opts;
VN_API vn_array *vn_hadamard_transform(vn_array *x, const vn_hadamard_transform_opts *opts VN_OR(NULL));

/* the window of Hann: (1 - cos(2 pi j / (n - 1))) / 2. */
typedef struct vn_window_opts {
    size_t size VN_UNSET;
    int periodic VN_UNSET; /* the first n elements of the window of n + 1, for Fourier transforms */
    int reserved VN_UNSET; /* 0 */
} vn_window_opts;
typedef vn_window_opts vn_hann_window_opts;
VN_API vn_array *vn_hann_window(int64_t n, vn_dtype dtype VN_OR(VN_F32), const vn_hann_window_opts *opts VN_OR(NULL));

/* the window of Hamming: alpha - beta cos(2 pi j / (n - 1)). */
typedef struct vn_hamming_window_opts {
    size_t size VN_UNSET;
    int periodic VN_UNSET; /* the first n elements of the window of n + 1, for Fourier transforms */
    int reserved VN_UNSET; /* 0 */
    double alpha VN_UNSET; /* its mean; 0.54 unless given; in (-inf, inf) */
    double beta VN_UNSET; /* how much it goes up and down; 0.46 unless given; in (-inf, inf) */
} vn_hamming_window_opts;
VN_API vn_array *vn_hamming_window(int64_t n, vn_dtype dtype VN_OR(VN_F32), const vn_hamming_window_opts *opts VN_OR(NULL));

/* the window of Blackman: 0.42 - 0.5 cos(2 pi j / (n - 1)) + 0.08 cos(4 pi j / (n - 1)). */
typedef vn_window_opts vn_blackman_window_opts;
VN_API vn_array *vn_blackman_window(int64_t n, vn_dtype dtype VN_OR(VN_F32), const vn_blackman_window_opts *opts VN_OR(NULL));

/* the window of Bartlett, a triangle: 1 - |2 j / (n - 1) - 1|. */
typedef vn_window_opts vn_bartlett_window_opts;
VN_API vn_array *vn_bartlett_window(int64_t n, vn_dtype dtype VN_OR(VN_F32), const vn_bartlett_window_opts *opts VN_OR(NULL));

/* the window of Kaiser: i0(beta sqrt(1 - (2 j / (n - 1) - 1)^2)) / i0(beta). */
typedef vn_window_opts vn_kaiser_window_opts;
VN_API vn_array *vn_kaiser_window(int64_t n, double beta VN_OR(12), vn_dtype dtype VN_OR(VN_F32), const vn_kaiser_window_opts *opts VN_OR(NULL));

/* the roots of running sums of the window of Kaiser of n / 2 + 1 elements, divided by its sum, and their mirror image; n is even. */
VN_API vn_array *vn_kaiser_bessel_derived_window(int64_t n, double beta VN_OR(12), vn_dtype dtype VN_OR(VN_F32));

/* the window of Vorbis: sin(pi / 2 sin^2(pi (j + 1/2) / n)). */
VN_API vn_array *vn_vorbis_window(int64_t n, vn_dtype dtype VN_OR(VN_F32));

/* the matrix (bins, bands) that turns spectra from 0 to half the sample rate into bands: triangles of equal width on the mel scale, 1 in their middle; bin 0 belongs to none. */
typedef struct vn_mel_weights_opts {
    size_t size VN_UNSET;
    double low VN_UNSET; /* the lower end of the first band, in Hertz; in [0, inf) */
    double high VN_UNSET; /* the upper end of the last band, in Hertz; half the sample rate unless given */
} vn_mel_weights_opts;
VN_API vn_array *vn_mel_weights(int64_t bands, int64_t bins, double sample_rate, vn_dtype dtype VN_OR(VN_F32), const vn_mel_weights_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_dct(...) vn_dct(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,2, -1, NULL))
#define vn_idct(...) vn_idct(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,2, -1, NULL))
#define vn_stft(...) vn_stft(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,NULL))
#define vn_istft(...) vn_istft(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,NULL))
#define vn_convolve(...) vn_convolve(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_correlate(...) vn_correlate(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_hadamard_transform(...) vn_hadamard_transform(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_hann_window(...) vn_hann_window(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_hamming_window(...) vn_hamming_window(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_blackman_window(...) vn_blackman_window(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_bartlett_window(...) vn_bartlett_window(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_kaiser_window(...) vn_kaiser_window(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,12, VN_F32, NULL))
#define vn_kaiser_bessel_derived_window(...) vn_kaiser_bessel_derived_window(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,12, VN_F32))
#define vn_vorbis_window(...) vn_vorbis_window(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,VN_F32))
#define vn_mel_weights(...) vn_mel_weights(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_F32, NULL))
#endif
#endif
