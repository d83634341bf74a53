/* SPDX-License-Identifier: Apache-2.0 */
/* conv_type.h: tiles of convolutions for one type. See float_types.h for T, V, TAG and MULTIPLY_ADD. */

#define LANES (VN_VECTOR_BYTES / (int64_t)sizeof(T))
#define COLS (TILE_VECTORS * LANES)

/* Loads n elements of a vector, padded with zeros; and stores them. */
INLINE V NAME2(load_some, TAG)(const T *from, int64_t n)
{
    V x = {0};
    memcpy(&x, from, (size_t)n * sizeof(T));
    return x;
}
INLINE void NAME2(store_some, TAG)(T *to, V x, int64_t n)
{
    memcpy(to, &x, (size_t)n * sizeof(T));
}

/* Stores n elements of a row of results, or adds them to it. */
INLINE void NAME2(finish, TAG)(T *to, const V *sum, const int vectors, int64_t n, int first)
{
    for (int j = 0; j < vectors && j * LANES < n; j++, to += LANES) {
        V z = sum[j];
        if (n - j * LANES >= LANES) {
            if (!first) z += *(const V *)to;
            *(V *)to = z;
        } else {
            if (!first) z += NAME2(load_some, TAG)(to, n - j * LANES);
            NAME2(store_some, TAG)(to, z, n - j * LANES);
        }
    }
}

/* `rows` positions (a constant where it is inlined, as is `vectors`) x up to `vectors` vectors of results. */
INLINE void NAME2(carry_tile, TAG)(const int rows, const int vectors, void *const *to, int64_t at, const void *const *from, int64_t stride,
                                   const void *const *w, int64_t panel, int64_t taps, int64_t length, int64_t n, int first)
{
    V sum[TILE_ROWS][TILE_VECTORS];
    VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < vectors; j++) sum[i][j] = (V){0};
    for (int64_t t = 0; t < taps; t++, from += stride) {
        const T *a[TILE_ROWS], *b = (const T *)w[t] + panel;
        VN_UNROLLED for (int i = 0; i < rows; i++) a[i] = from[i];
        for (int64_t k = 0; k < length; k++, b += COLS) {
            V y[TILE_VECTORS];
            VN_UNROLLED for (int j = 0; j < vectors; j++) y[j] = *(const V *)(b + j * LANES);
            VN_UNROLLED for (int i = 0; i < rows; i++)
            {
                const V x = a[i][k] - (V){0};
                VN_UNROLLED for (int j = 0; j < vectors; j++) sum[i][j] = MULTIPLY_ADD(x, y[j], sum[i][j]);
            }
        }
    }
    VN_UNROLLED for (int i = 0; i < rows; i++) NAME2(finish, TAG)((T *)to[i] + at, sum[i], vectors, n, first);
}

#define STEP_CARRY(rows, tag) \
    for (; i + rows <= m; i += rows) NAME2(carry_tile, tag)(rows, vectors, to + i, at, from + i, stride, w, panel, taps, length, n, first);

INLINE void NAME2(carry_rows, TAG)(const int vectors, void *const *to, int64_t at, const void *const *from, int64_t stride,
                                   const void *const *w, int64_t panel, int64_t taps, int64_t length, int64_t m, int64_t n, int first)
{
    int64_t i = 0;
    TILES(STEP_CARRY, TAG)
}

static void NAME2(carry, TAG)(void *const *to, int64_t at, const void *const *from, int64_t stride, const void *const *w, int64_t panel,
                              int64_t taps, int64_t length, int64_t m, int64_t n, int first)
{
    if (n > LANES) NAME2(carry_rows, TAG)(2, to, at, from, stride, w, panel, taps, length, m, n, first);
    else NAME2(carry_rows, TAG)(1, to, at, from, stride, w, panel, taps, length, m, n, first);
}

/* `rows` channels x up to `vectors` vectors of a filter's gradient. */
INLINE void NAME2(filter_tile, TAG)(const int rows, const int vectors, T *c, int64_t c_row, const void *const *from, int64_t at,
                                    const T *panel, int64_t k, int64_t n)
{
    V sum[TILE_ROWS][TILE_VECTORS];
    VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < vectors; j++) sum[i][j] = (V){0};
    for (int64_t p = 0; p < k; p++, panel += COLS) {
        const T *a = (const T *)from[p] + at;
        V y[TILE_VECTORS];
        VN_UNROLLED for (int j = 0; j < vectors; j++) y[j] = *(const V *)(panel + j * LANES);
        VN_UNROLLED for (int i = 0; i < rows; i++)
        {
            const V x = a[i] - (V){0};
            VN_UNROLLED for (int j = 0; j < vectors; j++) sum[i][j] = MULTIPLY_ADD(x, y[j], sum[i][j]);
        }
    }
    VN_UNROLLED for (int i = 0; i < rows; i++) NAME2(finish, TAG)(c + i * c_row, sum[i], vectors, n, 0);
}

#define STEP_FILTER(rows, tag) \
    for (; i + rows <= channels; i += rows) NAME2(filter_tile, tag)(rows, vectors, c + i * c_row, c_row, from, at + i, panel, k, n);

INLINE void NAME2(filter_rows, TAG)(const int vectors, T *c, int64_t c_row, const void *const *from, int64_t at, int64_t channels,
                                    const T *panel, int64_t k, int64_t n)
{
    int64_t i = 0;
    TILES(STEP_FILTER, TAG)
}

static void NAME2(filter, TAG)(void *c, int64_t c_row, const void *const *from, int64_t at, int64_t channels, const void *panel, int64_t k,
                               int64_t n)
{
    if (n > LANES) NAME2(filter_rows, TAG)(2, c, c_row, from, at, channels, panel, k, n);
    else NAME2(filter_rows, TAG)(1, c, c_row, from, at, channels, panel, k, n);
}

/* ---- depthwise ---- */

/* `rows` positions x `vectors` whole vectors of channels from channel c on. */
INLINE void NAME2(depth_tile, TAG)(const int rows, const int vectors, void *const *to, const void *const *from, int64_t stride,
                                   const void *const *w, int64_t taps, int64_t c, int first)
{
    V sum[DEPTH_ROWS][DEPTH_VECTORS];
    VN_UNROLLED for (int i = 0; i < rows; i++) VN_UNROLLED for (int j = 0; j < vectors; j++) sum[i][j] = (V){0};
    for (int64_t t = 0; t < taps; t++, from += stride) VN_UNROLLED for (int j = 0; j < vectors; j++)
        {
            const V y = *(const V *)((const T *)w[t] + c + j * LANES);
            VN_UNROLLED for (int i = 0; i < rows; i++) sum[i][j] =
                MULTIPLY_ADD(*(const V *)((const T *)from[i] + c + j * LANES), y, sum[i][j]);
        }
    VN_UNROLLED for (int i = 0; i < rows; i++) NAME2(finish, TAG)((T *)to[i] + c, sum[i], vectors, vectors * LANES, first);
}

/* One position, fewer channels than a vector has. */
static void NAME2(depth_rest, TAG)(void *to, const void *const *from, int64_t stride, const void *const *w, int64_t taps, int64_t c,
                                   int64_t n, int first)
{
    V sum = {0};
    for (int64_t t = 0; t < taps; t++, from += stride)
        sum = MULTIPLY_ADD(NAME2(load_some, TAG)((const T *)*from + c, n), NAME2(load_some, TAG)((const T *)w[t] + c, n), sum);
    NAME2(finish, TAG)((T *)to + c, &sum, 1, n, first);
}

/* `rows` positions, all channels. */
INLINE void NAME2(depth_rows, TAG)(const int rows, void *const *to, const void *const *from, int64_t stride, const void *const *w,
                                   int64_t taps, int64_t channels, int first)
{
    int64_t c = 0;
    for (; c + DEPTH_VECTORS * LANES <= channels; c += DEPTH_VECTORS * LANES)
        NAME2(depth_tile, TAG)(rows, DEPTH_VECTORS, to, from, stride, w, taps, c, first);
    for (; c + LANES <= channels; c += LANES) NAME2(depth_tile, TAG)(rows, 1, to, from, stride, w, taps, c, first);
    for (int i = 0; i < rows && c < channels; i++) NAME2(depth_rest, TAG)(to[i], from + i, stride, w, taps, c, channels - c, first);
}

static void NAME2(depthwise, TAG)(void *const *to, const void *const *from, int64_t stride, const void *const *w, int64_t taps,
                                  int64_t channels, int64_t m, int first)
{
    int64_t i = 0;
    for (; i + DEPTH_ROWS <= m; i += DEPTH_ROWS) NAME2(depth_rows, TAG)(DEPTH_ROWS, to + i, from + i, stride, w, taps, channels, first);
    for (; i < m; i++) NAME2(depth_rows, TAG)(1, to + i, from + i, stride, w, taps, channels, first);
}

/* `taps` taps (a constant) x `vectors` whole vectors of a filter's gradient. */
INLINE void NAME2(depth_filter_tile, TAG)(const int taps, const int vectors, T *w, int64_t channels, const void *const *from,
                                          int64_t stride, const T *y, int64_t m, int64_t c)
{
    V sum[DEPTH_TAPS][DEPTH_VECTORS];
    VN_UNROLLED for (int t = 0; t < taps; t++) VN_UNROLLED for (int j = 0; j < vectors; j++) sum[t][j] = (V){0};
    for (int64_t i = 0; i < m; i++, y += channels) {
        V u[DEPTH_VECTORS];
        VN_UNROLLED for (int j = 0; j < vectors; j++) u[j] = *(const V *)(y + c + j * LANES);
        VN_UNROLLED for (int t = 0; t < taps; t++)
        {
            const T *x = (const T *)from[t * stride + i] + c;
            VN_UNROLLED for (int j = 0; j < vectors; j++) sum[t][j] = MULTIPLY_ADD(*(const V *)(x + j * LANES), u[j], sum[t][j]);
        }
    }
    VN_UNROLLED for (int t = 0; t < taps; t++) NAME2(finish, TAG)(w + t * channels + c, sum[t], vectors, vectors * LANES, 0);
}

static void NAME2(depth_filter_rest, TAG)(T *w, const void *const *from, const T *y, int64_t channels, int64_t m, int64_t c)
{
    V sum = {0};
    const int64_t n = channels - c;
    for (int64_t i = 0; i < m; i++, y += channels)
        sum = MULTIPLY_ADD(NAME2(load_some, TAG)((const T *)from[i] + c, n), NAME2(load_some, TAG)(y + c, n), sum);
    NAME2(finish, TAG)(w + c, &sum, 1, n, 0);
}

static void NAME2(depthwise_filter, TAG)(void *to, const void *const *from, int64_t stride, const void *y, int64_t taps, int64_t channels,
                                         int64_t m)
{
    T *w = to;
    int64_t t = 0, step;
    for (; t < taps; t += step, from += step * stride, w += step * channels) {
        int64_t c = 0;
        step = t + DEPTH_TAPS <= taps ? DEPTH_TAPS : 1;
        for (; c + DEPTH_VECTORS * LANES <= channels; c += DEPTH_VECTORS * LANES) {
            if (step == DEPTH_TAPS) NAME2(depth_filter_tile, TAG)(DEPTH_TAPS, DEPTH_VECTORS, w, channels, from, stride, y, m, c);
            else NAME2(depth_filter_tile, TAG)(1, DEPTH_VECTORS, w, channels, from, stride, y, m, c);
        }
        for (; c + LANES <= channels; c += LANES) {
            if (step == DEPTH_TAPS) NAME2(depth_filter_tile, TAG)(DEPTH_TAPS, 1, w, channels, from, stride, y, m, c);
            else NAME2(depth_filter_tile, TAG)(1, 1, w, channels, from, stride, y, m, c);
        }
        for (int64_t k = 0; k < step && c < channels; k++)
            NAME2(depth_filter_rest, TAG)(w + k * channels, from + k * stride, y, channels, m, c);
    }
}

#undef LANES
#undef COLS
#undef STEP_CARRY
#undef STEP_FILTER
