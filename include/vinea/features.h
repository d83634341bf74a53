/* SPDX-License-Identifier: Apache-2.0 */
/* features.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_FEATURES_H
#define VINEA_FEATURES_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Features and noise ----
 * What stands before a network and between its layers: positions in vocabularies, bins by hashing, encoded categories; noise while training.
 * Hashing is Philox 4x32-10 of a number, which takes the same number to the same bin on every engine and machine.
 * Noise comes from a key, the thread's next one where none is given (VN_NONE).
 *
 *     vn_array *ids = vn_from_host((int64_t[]){20, 7, 5}, VN_I64, VN_SHAPE(3)), *known = vn_from_host((int64_t[]){5, 10, 20}, VN_I64, VN_SHAPE(3));
 *     puts(vn_text(vn_lookup(ids, known, NULL)));
 *     puts(vn_text(vn_category_encoding(vn_lookup(ids, known, NULL), VN_NONE, 4, VN_F32, VN_OPTS(category_encoding, .mode = "count"))));
 */

/* positions (int64) of the elements of x in a vocabulary (n) of the same dtype, whose first one counts if it is there twice, plus the numbers that stand for what is not in it. */
typedef struct vn_lookup_opts {
    size_t size VN_UNSET;
    int64_t unknown VN_UNSET; /* how many numbers stand for what is not in the vocabulary, before its own; with several a number takes one by its hash, with VN_ZERO it is -1; 1 unless given; in [0, inf] */
    int from_end VN_UNSET; /* those numbers come after the vocabulary's own */
    int reserved VN_UNSET; /* 0 */
} vn_lookup_opts;
VN_API vn_array *vn_lookup(vn_array *x, vn_array *vocabulary, const vn_lookup_opts *opts VN_OR(NULL));

/* a bin (int64) from 0 to bins - 1 for each integer, by its hash; another salt gives other ones. */
VN_API vn_array *vn_hash_bins(vn_array *x, int64_t bins, int64_t salt VN_OR(0));

/* a bin (int64) for each combination of integers at the same place of arrays, which broadcast. */
VN_API vn_array *vn_hashed_cross(int n, vn_array *const *xs, int64_t bins, int64_t salt);

/* categories as numbers: (..., size); numbers outside 0 ... size - 1 name none; weights, of the shape of the index, are counted instead of 1 (count only). */
typedef struct vn_category_encoding_opts {
    size_t size VN_UNSET;
    const char *mode VN_UNSET; /* 1 for the categories that the last axis names; a row for each number; how often each is named: multi_hot, one_hot, count; the first unless given */
} vn_category_encoding_opts;
VN_API vn_array *vn_category_encoding(vn_array *index, vn_array *weights, int64_t size, vn_dtype dtype VN_OR(VN_F32), const vn_category_encoding_opts *opts VN_OR(NULL));

/* x scale + offset; integers become float32: rescale(pixels, 1 / 255.0, 0). */
VN_API vn_array *vn_rescale(vn_array *x, double scale, double offset VN_OR(0));

/* x with zeros at the steps (..., steps, features) whose features are all this value, which stands for what is missing. */
VN_API vn_array *vn_masked_steps(vn_array *x, double value VN_OR(0));

/* x plus normal numbers of this deviation. */
VN_API vn_array *vn_gaussian_noise(vn_array *x, vn_array *key VN_OR(VN_NONE), double std VN_OR(0.1));

/* x times normal numbers of mean 1 and the variance prob / (1 - prob), that of dropout. */
VN_API vn_array *vn_gaussian_dropout(vn_array *x, vn_array *key VN_OR(VN_NONE), double prob VN_OR(0.5));

/* dropout behind selu: dropped elements take selu's lowest value, and all are scaled and shifted so that mean 0 and variance 1 stay. */
VN_API vn_array *vn_alpha_dropout(vn_array *x, vn_array *key VN_OR(VN_NONE), double prob VN_OR(0.5));

/* x where it is 0 or above, else x times a random slope in [low, high): leaky_relu while training. */
VN_API vn_array *vn_rrelu(vn_array *x, vn_array *key VN_OR(VN_NONE), double low VN_OR(0.125), double high VN_OR(0.3333333333333333));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_lookup(...) vn_lookup(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_hash_bins(...) vn_hash_bins(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_category_encoding(...) vn_category_encoding(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_rescale(...) vn_rescale(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_masked_steps(...) vn_masked_steps(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_gaussian_noise(...) vn_gaussian_noise(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_NONE, 0.1))
#define vn_gaussian_dropout(...) vn_gaussian_dropout(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_NONE, 0.5))
#define vn_alpha_dropout(...) vn_alpha_dropout(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,VN_NONE, 0.5))
#define vn_rrelu(...) vn_rrelu(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,VN_NONE, 0.125, 0.3333333333333333))
#endif
#endif
