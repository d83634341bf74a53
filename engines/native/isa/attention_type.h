/* SPDX-License-Identifier: Apache-2.0 */
/* attention_type.h: rows of attention for one type. See float_types.h for T, NAME, M and INFINITE.
 *
 * Sums and maxima use LANES lanes, element i in lane i % LANES, folded pairwise: the same at every vector width. */

/* NaN wins. */
VN_INLINE T NAME(larger)(T x, T y)
{
    return x > y || x != x ? x : y;
}

VN_INLINE T NAME(fold)(T lanes[static LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) lanes[j] += lanes[j + half];
    return lanes[0];
}

static void NAME(largest)(const T *s, int64_t n, T *top)
{
    T lanes[LANES];
    const int64_t whole = n / LANES * LANES;
    for (int j = 0; j < LANES; j++) lanes[j] = *top;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int j = 0; j < LANES; j++) lanes[j] = NAME(larger)(s[i + j], lanes[j]);
    for (int64_t i = whole; i < n; i++) lanes[0] = NAME(larger)(s[i], lanes[0]);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) lanes[j] = NAME(larger)(lanes[j + half], lanes[j]);
    *top = lanes[0];
}

static void NAME(scores)(void *scores, int64_t n, const void *mask, int64_t step, int is_bool, void *top)
{
    T *s = scores;
    if (mask && is_bool) {
        const uint8_t *m = mask;
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) s[i] = m[i * step] ? s[i] : -INFINITE;
    } else if (mask) {
        const T *m = mask;
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) s[i] = m[i * step] == -INFINITE ? -INFINITE : s[i] + m[i * step];
    }
    if (top) NAME(largest)(s, n, top);
}

static void NAME(weigh)(void *scores, int64_t n, const void *top, void *total)
{
    T *s = scores, lanes[LANES] = {0}, *sum = total;
    const T most = *(const T *)top == -INFINITE ? 0 : *(const T *)top;
    const int64_t whole = n / LANES * LANES;
    for (int64_t i = 0; i < whole; i += LANES) {
        VN_INDEPENDENT
        for (int j = 0; j < LANES; j++) {
            const T e = M(exp_negative)(s[i + j] - most);
            s[i + j] = e;
            lanes[j] += e;
        }
    }
    for (int64_t i = whole; i < n; i++) lanes[0] += s[i] = M(exp_negative)(s[i] - most);
    *sum += NAME(fold)(lanes);
}

static void NAME(fade)(void *xs, int64_t n, const void *before, const void *now)
{
    T *x = xs;
    const T was = *(const T *)before, is = *(const T *)now, by = was == is ? 1 : was == -INFINITE ? 0 : M(exp_negative)(was - is);
    if (by == 1) return;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) x[i] *= by;
}

static void NAME(divide)(void *xs, int64_t n, const void *total)
{
    T *x = xs;
    const T sum = *(const T *)total, by = 1 / (sum == 0 ? 1 : sum);
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) x[i] *= by;
}

static T NAME(inner)(const T *x, const T *y, int64_t n)
{
    T lanes[LANES] = {0};
    const int64_t whole = n / LANES * LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int j = 0; j < LANES; j++) lanes[j] += x[i + j] * y[i + j];
    for (int64_t i = whole; i < n; i++) lanes[0] += x[i] * y[i];
    return NAME(fold)(lanes);
}

static void NAME(slopes)(void *to, const void *weights, int64_t n, const void *x, const void *y, int64_t m, double scale)
{
    T *d = to;
    const T *p = weights, less = NAME(inner)(x, y, m), by = (T)scale;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) d[i] = p[i] == 0 ? 0 : p[i] * (d[i] - less) * by;
}
