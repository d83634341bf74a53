/* SPDX-License-Identifier: Apache-2.0 */
/* positions.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_POSITIONS_H
#define VINEA_POSITIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Positions ----
 * Where elements of a sequence are: encodings of positions, and masks for vn_attention; vn_rotary_embedding, vn_padding_mask and vn_causal_mask are in ops.h and nn.h.
 *
 *     puts(vn_text(vn_sliding_window_mask(3, 3, 2)));
 *     puts(vn_text(vn_alibi(2, 1, 3, VN_F32, VN_OPTS(alibi, .offset = 2))));
 */

/* sines and cosines of x times size / 2 frequencies between max_freq and min_freq, whose logarithms are evenly spaced: (..., size), sines in the first half; size is even. */
typedef struct vn_sinusoidal_encoding_opts {
    size_t size VN_UNSET;
    double min_freq VN_UNSET; /* that of the last pair; 1e-4 unless given; in (0, inf) */
    double max_freq VN_UNSET; /* that of the first; 1 unless given; in (0, inf) */
    double scale VN_UNSET; /* the result is multiplied by it; sqrt(2 / size) unless given; in (-inf, inf) */
    int cos_first VN_UNSET; /* cosines come before sines */
    int full_turns VN_UNSET; /* frequencies are in turns, not in radians */
    int interleaved VN_UNSET; /* the sine and the cosine of a frequency are neighbours */
    int reserved VN_UNSET; /* 0 */
} vn_sinusoidal_encoding_opts;
VN_API vn_array *vn_sinusoidal_encoding(vn_array *x, int64_t size, const vn_sinusoidal_encoding_opts *opts VN_OR(NULL));

/* x (..., features) with sines and cosines of pi f x for frequencies f from 1 to max_freq / 2: (..., features, 1 + 2 bands). */
typedef struct vn_fourier_features_opts {
    size_t size VN_UNSET;
    int linear VN_UNSET; /* frequencies are evenly spaced, not their logarithms */
    int no_input VN_UNSET; /* sines and cosines alone */
    int flatten VN_UNSET; /* one axis (features + 2 bands features): x, then all sines, then all cosines */
    int reserved VN_UNSET; /* 0 */
} vn_fourier_features_opts;
VN_API vn_array *vn_fourier_features(vn_array *x, double max_freq VN_OR(10), int64_t bands VN_OR(4), const vn_fourier_features_opts *opts VN_OR(NULL));

/* attention with linear biases: the distance of each query and key times a slope for each head, to be added to the scores: (heads, queries, keys); head h of n has -2^(-8 (h + 1) / n). */
typedef struct vn_alibi_opts {
    size_t size VN_UNSET;
    int64_t offset VN_UNSET; /* position of the first query */
} vn_alibi_opts;
VN_API vn_array *vn_alibi(int64_t heads, int64_t queries, int64_t keys, vn_dtype dtype VN_OR(VN_F32), const vn_alibi_opts *opts VN_OR(NULL));

/* a mask (queries, keys) that lets each query attend to its own key and those before it, as many as the window has; query i has key i + keys - queries. */
typedef struct vn_sliding_window_mask_opts {
    size_t size VN_UNSET;
    int both_sides VN_UNSET; /* also as many keys after the query */
    int reserved VN_UNSET; /* 0 */
} vn_sliding_window_mask_opts;
VN_API vn_array *vn_sliding_window_mask(int64_t queries, int64_t keys, int64_t window, const vn_sliding_window_mask_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_sinusoidal_encoding(...) vn_sinusoidal_encoding(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_fourier_features(...) vn_fourier_features(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,10, 4, NULL))
#define vn_alibi(...) vn_alibi(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_sliding_window_mask(...) vn_sliding_window_mask(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#endif
#endif
