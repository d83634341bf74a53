/* SPDX-License-Identifier: Apache-2.0 */
/* conv.h: shared by conv.c (forward and input gradient) and conv_filter.c (filter gradient). */
#ifndef VN_NATIVE_CONV_H
#define VN_NATIVE_CONV_H

#include "window.h"

_Static_assert((int)VN_CONV_CHUNK == (int)VN_MATMUL_KC, "convolutions add up as matrix products do");

/* The layout of an instruction's arrays: x [N, in..., groups*c], w [taps, c, groups*o], y [N, out..., groups*o]. */
typedef struct vn__conv {
    vn__window window;
    vn__plain_conv channels; /* groups, c, o; if taps are joined, c is the channels of all of them */
    int32_t dtype;
    int64_t element, x_row, y_row; /* bytes */
    bool depthwise, plain;
    double work; /* multiplications */
    const vn__gemm *gemm;
    const vn__conv_fns *fns;
} vn__conv;

/* `back`: from y to x. */
void vn__native_conv(vn__conv *c, const vn_desc *x, const vn_desc *w, const vn_desc *y, const vn_instr *instr, bool back);
/* The source rows of positions for one tap, with rows of `row_bytes` and zeros outside; returns the tap's number in the window.
 * If taps are joined, copies made at the edges of x go to *edges, which advances. */
int64_t vn__native_conv_rows(const vn__conv *c, const vn__pass *pass, const vn__places *places, int64_t tap, int64_t row_bytes,
                             const void *source, const void *zeros, const void **rows, char **edges);
size_t vn__native_conv_edge_bytes(const vn__conv *c, int64_t taps);       /* for `taps` taps at once */
void vn__native_conv_zeros(const vn__kernel *kernel, const vn__run *run); /* no products: an empty or zero result */

#endif
