/* SPDX-License-Identifier: Apache-2.0 */
/* rows_type.h: rows for one type. See float_types.h for T, NAME, M and INFINITE.
 *
 * Element i of a chunk is added in lane i % LANES, lanes are folded pairwise, chunks added in double: the same at every vector
 * width. */

VN_INLINE T NAME(fold)(T lanes[static LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) lanes[j] += lanes[j + half];
    return lanes[0];
}

/* Runs a statement for elements at + j of n: full groups of lanes, then the remainder. */
#define IN_LANES(n, per_element)                              \
    do {                                                      \
        const int64_t whole_ = (n) / LANES * LANES;           \
        for (int64_t at = 0; at < whole_; at += LANES) {      \
            VN_INDEPENDENT                                    \
            for (int64_t j = 0; j < LANES; j++) per_element;  \
        }                                                     \
        const int64_t at = whole_;                            \
        VN_INDEPENDENT                                        \
        for (int64_t j = 0; j < (n)-whole_; j++) per_element; \
    } while (0)

/* Sums over a row, chunk by chunk: `first` is a chunk's first element, `part` its length. */
#define IN_CHUNKS(n, sum, per_element)                                            \
    for (int64_t first = 0; first < (n); first += VN_ROW_CHUNK) {                 \
        const int64_t part = (n)-first < VN_ROW_CHUNK ? (n)-first : VN_ROW_CHUNK; \
        T lanes[LANES] = {0};                                                     \
        IN_LANES(part, lanes[j] += per_element);                                  \
        (sum) += (double)NAME(fold)(lanes);                                       \
    }

static double NAME(sum)(const T *x, int64_t n)
{
    double sum = 0;
    IN_CHUNKS(n, sum, x[first + at + j])
    return sum;
}

/* ---- softmax ---- */

static void NAME(weigh)(void *to, const void *from, int64_t n, const void *top, void *total)
{
    T *z = to, lanes[LANES] = {0}, last[LANES], unused[LANES];
    const T *x = from, most = *(const T *)top;
    for (int64_t at = 0; at < n; at += LANES) {
        const int64_t rest = n - at;
        const T *s = x + at;
        T *d = z ? z + at : unused;
        if (rest < LANES) { /* padded with elements of weight 0 */
            for (int64_t j = 0; j < LANES; j++) last[j] = j < rest ? s[j] : -INFINITE;
            s = last, d = unused;
        }
        VN_INDEPENDENT
        for (int j = 0; j < LANES; j++) lanes[j] += d[j] = M(exp_negative)(s[j] - most);
        if (rest < LANES && z) memcpy(z + at, unused, (size_t)rest * sizeof *z);
    }
    *(T *)total = NAME(fold)(lanes);
}

static void NAME(softmax_backward)(void *to, const void *result, const void *cotangent, int64_t n)
{
    T *d = to;
    const T *z = result, *ct = cotangent;
    double sum = 0;
    IN_CHUNKS(n, sum, z[first + at + j] * ct[first + at + j])
    const T less = (T)sum;
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) d[i] = z[i] * (ct[i] - less);
}

static void NAME(log_softmax_backward)(void *to, const void *result, const void *cotangent, int64_t n)
{
    T *d = to;
    const T *z = result, *ct = cotangent, sum = (T)NAME(sum)(ct, n);
    VN_INDEPENDENT
    for (int64_t i = 0; i < n; i++) d[i] = ct[i] - M(exp)(z[i]) * sum;
}

/* ---- norms ---- */

static double NAME(squares)(const T *x, int64_t n, T mean)
{
    double sum = 0;
    IN_CHUNKS(n, sum, (x[first + at + j] - mean) * (x[first + at + j] - mean))
    return sum;
}

/* The scale of a row: 1 / sqrt(variance + epsilon). */
static T NAME(moments)(const T *x, int64_t n, double epsilon, int centred, T *mean)
{
    *mean = centred ? (T)(NAME(sum)(x, n) / (double)n) : 0;
    return 1 / M(sqrt)((T)(NAME(squares)(x, n, *mean) / (double)n + epsilon));
}

static void NAME(normalise)(void *to, const void *from, int64_t n, const void *weight, const void *bias, double epsilon, int centred)
{
    T *z = to, mean;
    const T *x = from, *w = weight, *b = bias, by = NAME(moments)(x, n, epsilon, centred, &mean);
    if (b) {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = (x[i] - mean) * by * w[i] + b[i];
    } else if (w) {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = (x[i] - mean) * by * w[i];
    } else {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) z[i] = (x[i] - mean) * by;
    }
}

static void NAME(normalise_backward)(void *to, const void *from, const void *cotangent, int64_t n, const void *weight, double epsilon,
                                     int centred)
{
    T *d = to, mean;
    const T *x = from, *ct = cotangent, *w = weight, by = NAME(moments)(x, n, epsilon, centred, &mean);
    double plain = 0, crossed = 0; /* sums of the weighted cotangent, alone and times the normalised x */
    if (w) {
        if (centred) IN_CHUNKS(n, plain, ct[first + at + j] * w[first + at + j])
        IN_CHUNKS(n, crossed, ct[first + at + j] * w[first + at + j] * ((x[first + at + j] - mean) * by))
    } else {
        if (centred) plain = NAME(sum)(ct, n);
        IN_CHUNKS(n, crossed, ct[first + at + j] * ((x[first + at + j] - mean) * by))
    }
    const T less = centred ? (T)(plain / (double)n) : 0, per = (T)(crossed / (double)n);
    if (w) {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) d[i] = (ct[i] * w[i] - less - (x[i] - mean) * by * per) * by;
    } else {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) d[i] = (ct[i] - less - (x[i] - mean) * by * per) * by;
    }
}

#undef IN_CHUNKS
#undef IN_LANES
