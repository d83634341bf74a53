/* conv.h: what conv.c (forward, and back to the input) and conv_filter.c (back to the filter) share. */
#ifndef VN_NATIVE_CONV_H
#define VN_NATIVE_CONV_H

#include "window.h"

_Static_assert((int)VN_CONV_CHUNK == (int)VN_MATMUL_KC, "convolutions add up as matrix products do");

/* How the arrays of an instruction lie: x [N, in..., groups*c], w [taps, c, groups*o], y [N, out..., groups*o]. */
typedef struct vn__conv {
    vn__window window;
    vn__plain_conv channels; /* groups, c, o; where taps are joined c counts the channels of all of them */
    int32_t dtype;
    int64_t element, x_row, y_row; /* bytes */
    bool depthwise, plain;
    double work; /* multiplications */
    const vn__gemm *gemm;
    const vn__conv_fns *fns;
} vn__conv;

/* `back`: the pass goes from y to x. */
void vn__native_conv(vn__conv *c, const vn_desc *x, const vn_desc *w, const vn_desc *y, const vn_instr *instr, bool back);
/* What positions meet with one tap, in a source whose rows have `row_bytes`, zeros around it; returns the tap's number in the window.
 * Copies made at the edges of x, where taps are joined, go to *edges, which moves on. */
int64_t vn__native_conv_rows(const vn__conv *c, const vn__pass *pass, const vn__places *places, int64_t tap, int64_t row_bytes,
                             const void *source, const void *zeros, const void **rows, char **edges);
size_t vn__native_conv_edge_bytes(const vn__conv *c, int64_t taps);       /* for `taps` taps at once */
void vn__native_conv_zeros(const vn__kernel *kernel, const vn__run *run); /* no products: an empty result, or one of zeros */

#endif
