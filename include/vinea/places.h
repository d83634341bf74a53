/* SPDX-License-Identifier: Apache-2.0 */
/* places.h: a family of ops, one function per row of src/ops/ops.def. Printed from the table by `make ops`: do not edit.
 * Every op records a pending array and returns it, or returns NULL with the thread's error set. vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_PLACES_H
#define VINEA_PLACES_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Grids, positions, choices ----
 * Ranges on a logarithmic scale, triangles and grids of positions; rotated arrays; elements by choice and condition.
 * Positions are int64. Those of all elements of an array are its indices.
 * What is made from options alone is on the engine in use.
 *
 *     puts(vn_text(vn_tri(3, 3)));
 *     puts(vn_text(vn_geomspace(1, 1000, 4, VN_F32)));
 *     puts(vn_text(vn_triu_indices(2, 3, 1)));
 */

/* n powers of the base, with equally spaced exponents from start to stop. */
typedef struct vn_logspace_opts {
    size_t size VN_UNSET;
    double base VN_UNSET; /* of the powers; 10 unless given; in (0, inf) */
    int no_endpoint VN_UNSET; /* the power of stop is not among the numbers: it would follow the last one */
    int reserved VN_UNSET; /* 0 */
} vn_logspace_opts;
VN_API vn_array *vn_logspace(double start, double stop, int64_t n, vn_dtype dtype VN_OR(VN_F32), const vn_logspace_opts *opts VN_OR(NULL));

/* n numbers from start to stop, each the same multiple of the one before; neither is 0 and both have one sign. */
VN_API vn_array *vn_geomspace(double start, double stop, int64_t n, vn_dtype dtype VN_OR(VN_F32));

/* a matrix with a triangle of ones, and zeros elsewhere; of bool a mask. */
typedef struct vn_tri_opts {
    size_t size VN_UNSET;
    const char *part VN_UNSET; /* ones at and below diagonal k, at and above it, or on it: lower, upper, diagonal; the first unless given */
    int invert VN_UNSET; /* zeros there, and ones everywhere else */
    int reserved VN_UNSET; /* 0 */
} vn_tri_opts;
VN_API vn_array *vn_tri(int64_t rows, int64_t columns, int64_t k VN_OR(0), vn_dtype dtype VN_OR(VN_F32), const vn_tri_opts *opts VN_OR(NULL));

/* ones on diagonal k of the last two axes, zeros elsewhere, with the shape, dtype and engine of x. */
VN_API vn_array *vn_eye_like(vn_array *x, int64_t k VN_OR(0));

/* the positions of all elements of an array of this shape: (rank, shape ...). */
typedef struct vn_indices_opts {
    size_t size VN_UNSET;
    int last VN_UNSET; /* the number of the axis is the last axis instead of the first */
    int reserved VN_UNSET; /* 0 */
} vn_indices_opts;
VN_API vn_array *vn_indices(vn_shape shape, const vn_indices_opts *opts VN_OR(NULL));

/* rows and columns of the elements at and below diagonal k of a matrix: (2, elements). */
VN_API vn_array *vn_tril_indices(int64_t rows, int64_t columns, int64_t k VN_OR(0));

/* rows and columns of the elements at and above diagonal k of a matrix: (2, elements). */
VN_API vn_array *vn_triu_indices(int64_t rows, int64_t columns, int64_t k VN_OR(0));

/* the positions (rank, ...) in an array of this shape that these elements of the flattened array have; -1 where there is none. */
VN_API vn_array *vn_unravel_index(vn_array *index, vn_shape shape);

/* all combinations of elements of vectors: (n0, n1 ..., vectors). */
VN_API vn_array *vn_meshgrid_stack(int n, vn_array *const *xs);

/* x rotated k times by 90 degrees, from axis1 towards axis2. */
VN_API vn_array *vn_rot90(vn_array *x, int64_t k VN_OR(1), int64_t axis1 VN_OR(0), int64_t axis2 VN_OR(1));

/* matrices with another main diagonal: a number, or a vector for each. */
VN_API vn_array *vn_fill_diagonal(vn_array *x, vn_array *value);

/* the powers of a vector's elements, one row each: columns - 1 ... 1, 0. */
typedef struct vn_vander_opts {
    size_t size VN_UNSET;
    int64_t columns VN_UNSET; /* how many; as many as rows unless given; in [1, inf) */
    int increasing VN_UNSET; /* powers 0, 1, 2 ... from left to right */
    int reserved VN_UNSET; /* 0 */
} vn_vander_opts;
VN_API vn_array *vn_vander(vn_array *x, const vn_vander_opts *opts VN_OR(NULL));

/* the matrices (..., 3, 3) that multiply a vector as the cross product with x (..., 3) does. */
VN_API vn_array *vn_skew_symmetric(vn_array *x);

/* for each element of the index that array of the choices (n, ...), which broadcast with it; out of range as in take. */
VN_API vn_array *vn_choose(vn_array *index, vn_array *choices);

/* of the choices (n, ...) the first whose condition (n, ...) holds, else otherwise; all broadcast. */
VN_API vn_array *vn_select(vn_array *conditions, vn_array *choices, vn_array *otherwise);

/* 1 at every position that the last axis of the index names, 0 elsewhere: (..., size); positions outside name none. */
VN_API vn_array *vn_multi_hot(vn_array *index, int64_t size, vn_dtype dtype VN_OR(VN_F32));

/* a last axis of the given size, `on` at the index and `off` elsewhere. */
VN_API vn_array *vn_one_hot_fill(vn_array *index, int64_t size, double on VN_OR(1), double off VN_OR(0), vn_dtype dtype VN_OR(VN_F32));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_logspace(...) vn_logspace(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,VN_F32, NULL))
#define vn_geomspace(...) vn_geomspace(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,VN_F32))
#define vn_tri(...) vn_tri(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,0, VN_F32, NULL))
#define vn_eye_like(...) vn_eye_like(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_indices(...) vn_indices(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_tril_indices(...) vn_tril_indices(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_triu_indices(...) vn_triu_indices(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,0))
#define vn_rot90(...) vn_rot90(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,1, 0, 1))
#define vn_vander(...) vn_vander(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_multi_hot(...) vn_multi_hot(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,VN_F32))
#define vn_one_hot_fill(...) vn_one_hot_fill(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,1, 0, VN_F32))
#endif
#endif
