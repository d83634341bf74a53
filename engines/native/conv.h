/* conv.h: what conv.c (forward, and back to the input) and conv_filter.c (back to the filter) share. */
#ifndef VN_NATIVE_CONV_H
#define VN_NATIVE_CONV_H

#include "window.h"

enum {
    VN_CONV_CHUNK = VN_MATMUL_KC, /* products added in registers, or a little more, before they join a result */
    VN_CONV_PARALLEL = 1 << 20    /* convolutions with more multiplications are shared between threads */
};

/* How the arrays of an instruction lie: x [N, in..., groups*c], w [taps, c, groups*o], y [N, out..., groups*o]. */
typedef struct vn__conv {
    vn__window window;
    vn__plain_conv channels; /* groups, c, o */
    int32_t dtype;
    int64_t element; /* bytes */
    bool depthwise, plain;
    double work; /* multiplications */
    const vn__gemm *gemm;
    const vn__conv_fns *fns;
} vn__conv;

void vn__native_conv(vn__conv *c, const vn_desc *x, const vn_desc *w, const vn_desc *y, const vn_instr *instr);
void vn__native_conv_zeros(const vn__kernel *kernel, const vn__run *run); /* no products: an empty result, or one of zeros */

#endif
