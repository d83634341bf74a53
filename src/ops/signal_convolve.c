/* SPDX-License-Identifier: Apache-2.0 */
/* signal_convolve.c: convolution and correlation of signals, directly (conv) or by Fourier transforms. */
#include "ops/row.h"
#include "base/minmax.h"
#include "core/dtype.h"

/* The texts of mode, as the row of convolve lists them; that of correlate has them backwards. */
enum { FULL, SAME, VALID };

/* From this length of the shorter signal on, transforms are faster. */
enum { BY_TRANSFORM = 128 };

static int64_t last_size(const vn__node *x)
{
    return vn__node_dims(x)[x->rank - 1];
}

/* The number of sums for signals of n and m elements */
static int64_t sums(int64_t n, int64_t m, int mode)
{
    const int64_t most = vn__max(n, m), least = vn__min(n, m);
    return mode == FULL ? most + least - 1 : mode == SAME ? most : most - least + 1;
}

static int convolved_shape(vn__infer *i, int mode)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    if (x->rank < 1 || y->rank < 1 || !last_size(x) || !last_size(y))
        FAIL(VN_E_SHAPE, "x has shape %s, y %s; both need a last axis that is not empty (%s)", shape_text(x, s), shape_text(y, t),
             i->engine);
    int64_t all;
    if (__builtin_add_overflow(last_size(x), last_size(y), &all)) FAIL(VN_E_SHAPE, "more sums than can be addressed (%s)", i->engine);
    const int code = vn__rule_broadcast(i, x->rank - 1, vn__node_dims(x), y->rank - 1, vn__node_dims(y));
    if (!code) i->dims[i->rank++] = sums(last_size(x), last_size(y), mode);
    return code;
}
int shape_convolve(vn__infer *i)
{
    return convolved_shape(i, vn__choice(i, OPT_CONVOLVE_MODE));
}
int shape_correlate(vn__infer *i)
{
    return convolved_shape(i, VALID - vn__choice(i, OPT_CORRELATE_MODE));
}

/* One row each: (rows, size); leading axes are broadcast to those of the result unless there is one row. */
static vn_array *rows_of(vn_array *x, const vn__infer *i)
{
    const int64_t n = vn_dim(x, -1);
    vn_shape s = vn__result_shape(i);
    s.dim[s.rank - 1] = n;
    int64_t rows = 1, own = 1;
    for (int k = 0; k < s.rank - 1; k++) rows *= s.dim[k];
    for (int k = 0; k < vn_rank(x) - 1; k++) own *= vn_dim(x, k);
    return vn_reshape(own == 1 || own == rows ? x : vn_broadcast_to(x, s), VN_SHAPE(own == 1 ? 1 : rows, n));
}

/* Real numbers. x: (rows, n), y: (rows, m), m <= n, one of which may have one row; the sums from number `first` on, `count` of them */
static vn_array *direct(vn_array *x, vn_array *y, int64_t first, int64_t count)
{
    const int64_t n = vn_dim(x, 1), m = vn_dim(y, 1), low = m - 1 - first, high = count - n - low + m - 1;
    vn_array *filter = vn_flip(y, VN_AXES(1));
    if (vn_dim(y, 0) == 1) {
        vn_array *z = vn_conv(vn_reshape(x, VN_SHAPE(vn_dim(x, 0), n, 1)), vn_reshape(filter, VN_SHAPE(m, 1, 1)),
                              VN_OPTS(conv, .pads = VN_LIST(low, high)));
        return vn_reshape(z, VN_SHAPE(-1, count));
    }
    const int64_t rows = vn_dim(y, 0), groups = vn_dim(x, 0); /* a channel for each row */
    vn_array *z = vn_conv(vn_expand_dims(vn_matrix_transpose(x), 0), vn_expand_dims(vn_matrix_transpose(filter), 1),
                          VN_OPTS(conv, .pads = VN_LIST(low, high), .groups = groups));
    return vn_matrix_transpose(vn_reshape(z, VN_SHAPE(count, rows)));
}

/* The same of complex numbers, part by part */
static vn_array *direct_parts(vn_array *x, vn_array *y, int64_t first, int64_t count)
{
    vn_array *a = vn_real(x), *b = vn_imag(x), *c = vn_real(y), *d = vn_imag(y);
    return vn_complex(vn_sub(direct(a, c, first, count), direct(b, d, first, count)),
                      vn_add(direct(a, d, first, count), direct(b, c, first, count)));
}

/* The smallest number with no prime factor above 5 that is not below n: transforms of such lengths are fast. */
static int64_t fast_length(int64_t n)
{
    for (;; n++) {
        int64_t left = n;
        for (int p = 2; p <= 5; p++)
            while (left % p == 0) left /= p;
        if (left == 1) return n;
    }
}

static vn_array *by_transform(vn_array *x, vn_array *y, int64_t first, int64_t count)
{
    const int64_t n = fast_length(vn_dim(x, 1) + vn_dim(y, 1) - 1);
    const vn_fft_opts o = {.size = sizeof o, .n = n};
    vn_array *z;
    if (vn__is(vn_dtype_of(x), VN_COMPLEX)) z = vn_ifft(vn_mul(vn_fft(x, -1, &o), vn_fft(y, -1, &o)), -1, NULL);
    else z = vn_irfft(vn_mul(vn_rfft(x, -1, &o), vn_rfft(y, -1, &o)), -1, VN_OPTS(irfft, .n = n));
    return z ? vn__piece(z, 1, first, count) : NULL;
}

/* Of signals in the dtype of the result */
static vn_array *convolved(vn_array *x, vn_array *y, const vn__infer *i, int mode)
{
    if (!x || !y) return NULL;
    if (vn_dim(x, -1) < vn_dim(y, -1)) return convolved(y, x, i, mode);
    const int64_t m = vn_dim(y, -1), count = i->dims[i->rank - 1], first = mode == FULL ? 0 : mode == SAME ? (m - 1) / 2 : m - 1;
    vn_array *a = rows_of(x, i), *b = rows_of(y, i), *z;
    if (!a || !b) return NULL;
    if (m >= BY_TRANSFORM && vn__is(i->dtype, VN_INEXACT)) z = vn__narrow(by_transform(vn__widen(a), vn__widen(b), first, count), i);
    else z = vn__is(i->dtype, VN_COMPLEX) ? direct_parts(a, b, first, count) : direct(a, b, first, count);
    return vn_reshape(z, vn__result_shape(i));
}

vn_array *compose_convolve(vn_array *const *in, const vn__infer *i)
{
    return convolved(vn_cast(in[0], (vn_dtype)i->dtype), vn_cast(in[1], (vn_dtype)i->dtype), i, vn__choice(i, OPT_CONVOLVE_MODE));
}

/* Convolution with the mirror image. Of an even number of middle sums NumPy leaves out one at the end that belongs to the longer signal. */
vn_array *compose_correlate(vn_array *const *in, const vn__infer *i)
{
    const int mode = VALID - vn__choice(i, OPT_CORRELATE_MODE);
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn__conjugate(vn_cast(in[1], (vn_dtype)i->dtype));
    if (!x || !y) return NULL;
    if (vn_dim(x, -1) >= vn_dim(y, -1)) return convolved(x, vn_flip(y, VN_AXES(-1)), i, mode);
    return vn_flip(convolved(y, vn_flip(x, VN_AXES(-1)), i, mode), VN_AXES(-1));
}
