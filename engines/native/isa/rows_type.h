/* rows_type.h: rows for one type. Included by rows.c with T, TAG and M set.
 *
 * Element i of a chunk is added in lane i % LANES, lanes are folded in halves, chunks added in double: the same at every width of
 * vectors. */

#define NAME_(a, b) a##_##b
#define NAME2(a, b) NAME_(a, b)
#define NAME(a) NAME2(a, TAG)

VN_INLINE T NAME(fold)(T lanes[static LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++) lanes[j] += lanes[j + half];
    return lanes[0];
}

/* What the sums of a row are made of. z and x are always the next LANES elements, or the last ones. */
#define IN_LANES(n, per_element)                                     \
    do {                                                             \
        const int64_t whole_ = (n) / LANES * LANES;                  \
        for (int64_t at = 0; at < whole_; at += LANES) {             \
            VN_INDEPENDENT                                           \
            for (int64_t j = 0; j < LANES; j++) per_element;         \
        }                                                            \
        const int64_t at = whole_;                                   \
        VN_INDEPENDENT                                               \
        for (int64_t j = 0; j < (n) - whole_; j++) per_element;      \
    } while (0)

/* ---- softmax ---- */

static void NAME(weigh)(void *to, const void *from, int64_t n, const void *top, void *total)
{
    T *z = to, lanes[LANES] = {0};
    const T *x = from, most = *(const T *)top;
    if (z) IN_LANES(n, lanes[j] += z[at + j] = M(exp_falling)(x[at + j] - most));
    else IN_LANES(n, lanes[j] += M(exp_falling)(x[at + j] - most));
    *(T *)total = NAME(fold)(lanes);
}

/* ---- norms ---- */

static double NAME(sum)(const T *x, int64_t n)
{
    double sum = 0;
    for (int64_t first = 0; first < n; first += VN_ROW_CHUNK) {
        const int64_t part = n - first < VN_ROW_CHUNK ? n - first : VN_ROW_CHUNK;
        const T *chunk = x + first;
        T lanes[LANES] = {0};
        IN_LANES(part, lanes[j] += chunk[at + j]);
        sum += (double)NAME(fold)(lanes);
    }
    return sum;
}

static double NAME(squares)(const T *x, int64_t n, T mean)
{
    double sum = 0;
    for (int64_t first = 0; first < n; first += VN_ROW_CHUNK) {
        const int64_t part = n - first < VN_ROW_CHUNK ? n - first : VN_ROW_CHUNK;
        const T *chunk = x + first;
        T lanes[LANES] = {0};
        IN_LANES(part, lanes[j] += (chunk[at + j] - mean) * (chunk[at + j] - mean));
        sum += (double)NAME(fold)(lanes);
    }
    return sum;
}

/* By what a row is divided, turned round: 1 / sqrt(variance + epsilon). */
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

/* Sums of g, the cotangent times weight, and of g times the normalised x. */
static void NAME(products)(const T *x, const T *ct, const T *w, int64_t n, T mean, T by, double sums[2])
{
    for (int64_t first = 0; first < n; first += VN_ROW_CHUNK) {
        const int64_t part = n - first < VN_ROW_CHUNK ? n - first : VN_ROW_CHUNK;
        const T *xs = x + first, *cts = ct + first, *ws = w ? w + first : NULL;
        T plain[LANES] = {0}, crossed[LANES] = {0};
        if (ws) IN_LANES(part, (plain[j] += cts[at + j] * ws[at + j], crossed[j] += cts[at + j] * ws[at + j] * (xs[at + j] - mean) * by));
        else IN_LANES(part, (plain[j] += cts[at + j], crossed[j] += cts[at + j] * (xs[at + j] - mean) * by));
        sums[0] += (double)NAME(fold)(plain);
        sums[1] += (double)NAME(fold)(crossed);
    }
}

static void NAME(normalise_back)(void *to, const void *from, const void *cotangent, int64_t n, const void *weight, double epsilon,
                                 int centred)
{
    T *d = to, mean;
    const T *x = from, *ct = cotangent, *w = weight, by = NAME(moments)(x, n, epsilon, centred, &mean);
    double sums[2] = {0, 0};
    NAME(products)(x, ct, w, n, mean, by, sums);
    const T less = centred ? (T)(sums[0] / (double)n) : 0, per = (T)(sums[1] / (double)n);
    if (w) {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) d[i] = (ct[i] * w[i] - less - (x[i] - mean) * by * per) * by;
    } else {
        VN_INDEPENDENT
        for (int64_t i = 0; i < n; i++) d[i] = (ct[i] - less - (x[i] - mean) * by * per) * by;
    }
}

#undef IN_LANES
#undef NAME
#undef NAME2
#undef NAME_
#undef T
#undef TAG
#undef M
