/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent_type.h: the gates of recurrent layers for one type. See float_types.h for T, NAME and M. */

/* 1 / (1 + e^-x) in the type itself: one or two ulps less accurate than the op, and twice as fast. */
VN_INLINE T NAME(gate)(T x)
{
    const T t = M(exp_negative)(-M(abs)(x));
    return (x < 0 ? t : 1) / (1 + t);
}

static void NAME(lstm)(void *to_h, void *to_c, void *residuals, const void *gates, const void *c_before, int64_t n)
{
    T *h = to_h, *c = to_c, *a = residuals;
    const T *x = gates, *c0 = c_before;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T i = NAME(gate)(x[j] + a[j]), f = NAME(gate)(x[n + j] + a[n + j]);
        const T g = M(tanh)(x[2 * n + j] + a[2 * n + j]);
        c[j] = f * c0[j] + i * g;
        a[j] = i, a[n + j] = f, a[2 * n + j] = g;
    }
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T o = NAME(gate)(x[3 * n + j] + a[3 * n + j]);
        h[j] = o * M(tanh)(c[j]);
        a[3 * n + j] = o;
    }
}

static void NAME(lstm_backward)(void *gates_ct, void *to_c, const void *residuals, const void *c_before, const void *c_after,
                                const void *ct_h, const void *ct_c, const void *to_h, int64_t n)
{
    T *sent = gates_ct, *past = to_c;
    const T *a = residuals, *c0 = c_before, *c = c_after, *h_ct = ct_h, *c_ct = ct_c, *later = to_h;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T i = a[j], f = a[n + j], g = a[2 * n + j], o = a[3 * n + j], t = M(tanh)(c[j]);
        const T dh = h_ct[j] + later[j], dc = c_ct[j] + past[j] + dh * o * (1 - t * t);
        sent[j] = dc * g * i * (1 - i);
        sent[n + j] = dc * c0[j] * f * (1 - f);
        sent[2 * n + j] = dc * i * (1 - g * g);
        sent[3 * n + j] = dh * t * o * (1 - o);
        past[j] = dc * f;
    }
}

static void NAME(gru)(void *to_h, void *residuals, const void *gates, const void *bias, const void *h_before, int64_t n)
{
    T *h = to_h, *a = residuals;
    const T *x = gates, *b = bias, *h0 = h_before;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T r = NAME(gate)(x[j] + (a[j] + b[j])), z = NAME(gate)(x[n + j] + (a[n + j] + b[n + j]));
        const T own = a[2 * n + j] + b[2 * n + j], new = M(tanh)(x[2 * n + j] + r * own);
        h[j] = (1 - z) * new + z *h0[j];
        a[j] = r, a[n + j] = z, a[2 * n + j] = new, a[3 * n + j] = own;
    }
}

static void NAME(gru_backward)(void *gates_ct, void *recurrent_ct, void *to_h, const void *residuals, const void *h_before, const void *ct,
                               int64_t n)
{
    T *sent = gates_ct, *own_sent = recurrent_ct, *past = to_h;
    const T *a = residuals, *h0 = h_before, *h_ct = ct;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T r = a[j], z = a[n + j], new = a[2 * n + j], own = a[3 * n + j];
        const T dh = h_ct[j] + past[j], dn = dh * (1 - z) * (1 - new *new);
        sent[j] = own_sent[j] = dn * own * r * (1 - r);
        sent[n + j] = own_sent[n + j] = dh * (h0[j] - new) * z * (1 - z);
        sent[2 * n + j] = dn;
        own_sent[2 * n + j] = dn * r;
        past[j] = dh * z;
    }
}
