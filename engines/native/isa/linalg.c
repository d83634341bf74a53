/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c: the inner loops of matrix factorisations (../linalg.c). Products are rounded before they are added, at every level, and the
 * order of sums is fixed, so that factors, pivots and rotations are the same bits everywhere. */
/* many short loops */
#include <complex.h>

#include "level.h"
#include "vector.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    TILE_ROWS = 4,
    TILE_VECTORS = 2,
    RUN = 128,     /* products of a tile at a time: what fits into the L1 cache */
    DOT_LANES = 16 /* interleaved sums of a dot product */
};

#define T float
#define V vec_f32
#define TAG f32
#include "linalg_type.h"
#define T double
#define V vec_f64
#define TAG f64
#include "linalg_type.h"
#define R float
#define V vec_f32
#define TAG c64
#include "linalg_complex_type.h"
#define R double
#define V vec_f64
#define TAG c128
#include "linalg_complex_type.h"

const vn__linalg_table VN_TABLE(linalg) = {
    .f32 = {update_f32, update_f32, subtract_f32, rotate_f32, dot_f32},
    .f64 = {update_f64, update_f64, subtract_f64, rotate_f64, dot_f64},
    .c64 = {update_c64, update_conj_c64, subtract_c64, rotate_c64, dot_c64},
    .c128 = {update_c128, update_conj_c128, subtract_c128, rotate_c128, dot_c128},
};
