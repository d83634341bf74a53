/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: the inner loops of convolutions. ../window.c determines the rows of each position and tap, ../conv.c and
 * ../conv_filter.c split the work.
 *
 * Sources are read in place: a tile of results reads its rows of channels through pointers, without im2col, and padding is a
 * pointer to zeros. As with matrix products, levels with fused multiply-add give the same bits; baseline rounds twice. */
/* many short loops */
/* instructions of its level */
#include "level.h"
#include "multiply_add.h"

enum { DEPTH_ROWS = 2, DEPTH_VECTORS = 4, DEPTH_TAPS = 3 };

#define BODY "conv_type.h"
#include "float_types.h"

static void rows(const void **to, const vn__row_block *block, int64_t n, const void *data, const void *outside)
{
    const int64_t *x = block->at[0], *y = block->at[1], *z = block->at[2], *offset = block->offset;
    const uint64_t x_limit = (uint64_t)block->limit[0], y_limit = (uint64_t)block->limit[1], z_limit = (uint64_t)block->limit[2];
    const int64_t x_shift = block->shift[0], y_shift = block->shift[1], z_shift = block->shift[2];
    const uintptr_t inside = (uintptr_t)data, zeros = (uintptr_t)outside;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const int out =
            ((uint64_t)(x[i] + x_shift) >= x_limit) | ((uint64_t)(y[i] + y_shift) >= y_limit) | ((uint64_t)(z[i] + z_shift) >= z_limit);
        to[i] = (const void *)(out ? zeros : inside + (uintptr_t)offset[i]);
    }
}

/* Plain loops. W: an unsigned type in which sums wrap around, or the type itself. */
#define PLAIN(heat, tag, T, W)                                                                                                            \
    static heat void forward_##tag(const vn__plain_conv *p, void *const *to, const void *const *from, int64_t stride,                     \
                                   const void *const *w, int64_t taps, int64_t m, int first)                                              \
    {                                                                                                                                     \
        const int64_t all = p->groups * p->o;                                                                                             \
        for (int64_t i = 0; i < m; i++) {                                                                                                 \
            T *z = to[i];                                                                                                                 \
            if (first) memset(z, 0, (size_t)all * sizeof(T));                                                                             \
            for (int64_t t = 0; t < taps; t++)                                                                                            \
                for (int64_t g = 0; g < p->groups; g++)                                                                                   \
                    for (int64_t c = 0; c < p->c; c++) {                                                                                  \
                        const T x = ((const T *)from[t * stride + i])[g * p->c + c], *y = (const T *)w[t] + c * all + g * p->o;           \
                        VN_INDEPENDENT                                                                                                    \
                        for (int64_t o = 0; o < p->o; o++) z[g * p->o + o] = (T)((W)z[g * p->o + o] + (W)x * (W)y[o]);                    \
                    }                                                                                                                     \
        }                                                                                                                                 \
    }                                                                                                                                     \
    static heat void input_##tag(const vn__plain_conv *p, void *const *to, const void *const *from, int64_t stride, const void *const *w, \
                                 int64_t taps, int64_t m, int first)                                                                      \
    {                                                                                                                                     \
        const int64_t all = p->groups * p->o;                                                                                             \
        for (int64_t i = 0; i < m; i++)                                                                                                   \
            for (int64_t g = 0; g < p->groups; g++)                                                                                       \
                for (int64_t c = 0; c < p->c; c++) {                                                                                      \
                    T *z = (T *)to[i] + g * p->c + c;                                                                                     \
                    W sum = first ? 0 : (W)*z;                                                                                            \
                    for (int64_t t = 0; t < taps; t++) {                                                                                  \
                        const T *u = (const T *)from[t * stride + i] + g * p->o, *y = (const T *)w[t] + c * all + g * p->o;               \
                        for (int64_t o = 0; o < p->o; o++) sum += (W)u[o] * (W)y[o];                                                      \
                    }                                                                                                                     \
                    *z = (T)sum;                                                                                                          \
                }                                                                                                                         \
    }                                                                                                                                     \
    static heat void plain_filter_##tag(const vn__plain_conv *p, void *to, const void *const *from, const void *y, int64_t m)             \
    {                                                                                                                                     \
        T *w = to;                                                                                                                        \
        const int64_t all = p->groups * p->o;                                                                                             \
        for (int64_t i = 0; i < m; i++) {                                                                                                 \
            const T *x = from[i], *u = (const T *)y + i * all;                                                                            \
            for (int64_t c = 0; c < p->c; c++)                                                                                            \
                for (int64_t g = 0; g < p->groups; g++) {                                                                                 \
                    const T by = x[g * p->c + c], *v = u + g * p->o;                                                                      \
                    T *z = w + c * all + g * p->o;                                                                                        \
                    VN_INDEPENDENT                                                                                                        \
                    for (int64_t o = 0; o < p->o; o++) z[o] = (T)((W)z[o] + (W)by * (W)v[o]);                                             \
                }                                                                                                                         \
        }                                                                                                                                 \
    }
PLAIN(SELDOM, u8, uint8_t, uint32_t)
PLAIN(SELDOM, u16, uint16_t, uint32_t)
PLAIN(SELDOM, u32, uint32_t, uint32_t)
PLAIN(SELDOM, u64, uint64_t, uint64_t)
PLAIN(OFTEN, f32, float, float)
PLAIN(OFTEN, f64, double, double)

#define FNS(tag)                                                           \
    {                                                                      \
        carry_##tag, filter_##tag, depthwise_##tag, depthwise_filter_##tag \
    }
#define PLAIN_FNS(tag)                                 \
    {                                                  \
        forward_##tag, input_##tag, plain_filter_##tag \
    }
const vn__conv_table VN_TABLE(conv) = {
    .rows = rows,
    .f32 = FNS(f32),
    .f64 = FNS(f64),
    .plain = {[VN_I8] = PLAIN_FNS(u8),
              [VN_I16] = PLAIN_FNS(u16),
              [VN_I32] = PLAIN_FNS(u32),
              [VN_I64] = PLAIN_FNS(u64),
              [VN_U8] = PLAIN_FNS(u8),
              [VN_U16] = PLAIN_FNS(u16),
              [VN_U32] = PLAIN_FNS(u32),
              [VN_U64] = PLAIN_FNS(u64),
              [VN_F32] = PLAIN_FNS(f32),
              [VN_F64] = PLAIN_FNS(f64)},
};
