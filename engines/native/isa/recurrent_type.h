/* recurrent_type.h: the gates of recurrent layers for one type. Included by recurrent.c with T, TAG and M set. */

#define NAME_(a, b) a##_##b
#define NAME2(a, b) NAME_(a, b)
#define NAME(a) NAME2(a, TAG)

/* 1 / (1 + e^-x) in the type itself: a unit in the last place or two less exact than the op, and twice as fast. */
VN_INLINE T NAME(gate)(T x)
{
    const T t = M(exp_falling)(-M(abs)(x));
    return (x < 0 ? t : 1) / (1 + t);
}

static void NAME(lstm)(void *to_h, void *to_c, const void *gates, const void *own, const void *c_before, int64_t n)
{
    T *h = to_h, *c = to_c;
    const T *x = gates, *w = own, *c0 = c_before;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T i = NAME(gate)(x[j] + w[j]), f = NAME(gate)(x[n + j] + w[n + j]);
        const T g = M(tanh)(x[2 * n + j] + w[2 * n + j]);
        c[j] = f * c0[j] + i * g;
    }
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) h[j] = NAME(gate)(x[3 * n + j] + w[3 * n + j]) * M(tanh)(c[j]);
}

static void NAME(lstm_back)(void *to, const void *gates, const void *own, const void *c_before, const void *c_after, const void *ct,
                            const void *to_h, const void *to_c, int64_t n)
{
    T *sent = to;
    const T *x = gates, *w = own, *c0 = c_before, *c = c_after, *d = ct, *dh0 = to_h, *dc0 = to_c;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T i = NAME(gate)(x[j] + w[j]), f = NAME(gate)(x[n + j] + w[n + j]);
        const T g = M(tanh)(x[2 * n + j] + w[2 * n + j]), o = NAME(gate)(x[3 * n + j] + w[3 * n + j]), t = M(tanh)(c[j]);
        const T dh = d[j] + dh0[j], dc = d[n + j] + dc0[j] + dh * o * (1 - t * t);
        sent[j] = dc * g * i * (1 - i);
        sent[n + j] = dc * c0[j] * f * (1 - f);
        sent[2 * n + j] = dc * i * (1 - g * g);
        sent[3 * n + j] = dh * t * o * (1 - o);
        sent[4 * n + j] = dc * f;
    }
}

static void NAME(gru)(void *to_h, const void *gates, const void *own, const void *bias, const void *h_before, int64_t n)
{
    T *h = to_h;
    const T *x = gates, *w = own, *b = bias, *h0 = h_before;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T r = NAME(gate)(x[j] + (w[j] + b[j])), z = NAME(gate)(x[n + j] + (w[n + j] + b[n + j]));
        const T a = M(tanh)(x[2 * n + j] + r * (w[2 * n + j] + b[2 * n + j]));
        h[j] = (1 - z) * a + z * h0[j];
    }
}

static void NAME(gru_back)(void *to, const void *gates, const void *own, const void *bias, const void *h_before, const void *ct,
                           const void *to_h, const void *past, int64_t n)
{
    T *sent = to;
    const T *x = gates, *w = own, *b = bias, *h0 = h_before, *d = ct, *dh0 = to_h, *dh1 = past;
    VN_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
        const T r = NAME(gate)(x[j] + (w[j] + b[j])), z = NAME(gate)(x[n + j] + (w[n + j] + b[n + j]));
        const T v = w[2 * n + j] + b[2 * n + j], a = M(tanh)(x[2 * n + j] + r * v);
        const T dh = d[j] + (dh0[j] + dh1[j]), da = dh * (1 - z) * (1 - a * a);
        sent[j] = da * v * r * (1 - r);
        sent[n + j] = dh * (h0[j] - a) * z * (1 - z);
        sent[2 * n + j] = da * r;
        sent[3 * n + j] = da;
        sent[4 * n + j] = dh * z;
    }
}

#undef NAME
#undef NAME2
#undef NAME_
#undef T
#undef TAG
#undef M
