/* SPDX-License-Identifier: Apache-2.0 */
/* packed.h: single-threaded products with a matrix that is packed once, in blocks of VN_MATMUL_KC rows, each in panels of nr columns. The
 * left operand is read in place. */
#ifndef VN_NATIVE_PACKED_H
#define VN_NATIVE_PACKED_H

#include <string.h>

#include "internal.h"

/* b: k x n, of float or double */
typedef struct vn__packed {
    const vn__gemm *gemm;
    int32_t dtype;
    int64_t k, n, width; /* width: n rounded up to whole panels */
    char *data;
} vn__packed;

static inline vn__packed vn__packed_of(int32_t dtype, int64_t k, int64_t n, char *data)
{
    const vn__gemm *g = dtype == VN_F64 ? &vn__native_isa->matmul->f64 : &vn__native_isa->matmul->f32;
    return (vn__packed){g, dtype, k, n, (n + g->nr - 1) / g->nr * g->nr, data};
}

static inline size_t vn__packed_bytes(int32_t dtype, int64_t k, int64_t n)
{
    const vn__packed p = vn__packed_of(dtype, k, n, NULL);
    return vn__native_round64((size_t)(p.k * p.width) * vn__native_bytes(dtype));
}

/* Packs b, of p's size. */
static inline void vn__packed_fill(const vn__packed *p, const vn__matrix *b)
{
    const int64_t element = (int64_t)vn__native_bytes(p->dtype);
    for (int64_t k = 0; k < p->k; k += VN_MATMUL_KC) {
        vn__matrix run = *b;
        run.data = (const char *)b->data + k * b->row_stride * element;
        run.rows = vn__min(VN_MATMUL_KC, p->k - k);
        p->gemm->pack_b[p->dtype](p->data + k * p->width * element, &run);
    }
}

/* Zeroes packed row `row`. */
static inline void vn__packed_erase(const vn__packed *p, int64_t row)
{
    const int64_t element = (int64_t)vn__native_bytes(p->dtype), nr = p->gemm->nr, k = row / VN_MATMUL_KC * VN_MATMUL_KC;
    const int64_t rows = vn__min(VN_MATMUL_KC, p->k - k);
    for (int64_t j = 0; j < p->width; j += nr)
        memset(p->data + (k * p->width + j * rows + (row - k) * nr) * element, 0, (size_t)(nr * element));
}

/* c (+)= a b for rows k0 .. k0+a.cols and columns j0 .. j0+n of b, k0 a multiple of VN_MATMUL_KC and j0 of nr; c has rows of c_row
 * elements. `first` stores, otherwise adds. */
static inline void vn__packed_multiply(const vn__packed *p, const vn__matrix *a, int64_t k0, int64_t j0, int64_t n, void *c, int64_t c_row,
                                       bool first)
{
    const int64_t element = (int64_t)vn__native_bytes(p->dtype), nr = p->gemm->nr;
    if (a->cols == 0 && first)
        for (int64_t i = 0; i < a->rows; i++) memset((char *)c + i * c_row * element, 0, (size_t)(n * element));
    for (int64_t k = k0; k < k0 + a->cols; k += VN_MATMUL_KC) {
        const int64_t rows = vn__min(VN_MATMUL_KC, p->k - k);
        vn__matrix run = *a;
        run.data = (const char *)a->data + (k - k0) * a->col_stride * element;
        run.cols = vn__min(rows, k0 + a->cols - k);
        for (int64_t j = 0; j < n; j += nr) {
            const char *panel = p->data + (k * p->width + (j0 + j) * rows) * element;
            const vn__matrix b = {panel, run.cols, vn__min(nr, n - j), nr, 1};
            p->gemm->direct(&run, &b, (char *)c + j * element, c_row, 1, first && k == k0);
        }
    }
}

#endif
