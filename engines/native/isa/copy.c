/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c: copying strided views to row-major order and back. By element size, not by type. */
/* many short loops */
/* instructions of its level */
#include "level.h"
#include "transpose_side.h"

/* The position of a row-major walk over a view. */
typedef struct walk {
    int64_t index[VN_MAX_RANK], at; /* at: elements from the start of the array */
} walk;

/* Not inlined: called once per block, and gcc 12 would warn that w is uninitialised. */
static __attribute__((noinline)) void walk_to(walk *w, const vn__view *v, int64_t start)
{
    w->at = v->offset;
    for (int32_t r = v->rank - 1; r >= 0; r--) {
        w->index[r] = start % v->dims[r];
        start /= v->dims[r];
        w->at += w->index[r] * v->strides[r];
    }
}

/* Advances by `run` elements along axis r, within its size, and to the next outer index at its end. */
static void walk_on(walk *w, const vn__view *v, int32_t r, int64_t run)
{
    w->index[r] += run;
    w->at += run * v->strides[r];
    while (r > 0 && w->index[r] == v->dims[r]) {
        w->at -= w->index[r] * v->strides[r];
        w->index[r--] = 0;
        w->index[r]++;
        w->at += v->strides[r];
    }
}

#define THRESHOLDS_COPY
#include "../thresholds.h"

typedef struct pair {
    uint64_t first, second;
} pair;

#define COPIES(bytes, T)                                                                                                        \
    /* rows x inner elements; a repeated row is copied in doubling pieces */                                                    \
    static void rows##bytes(T *to, const T *p, int64_t rows, int64_t row_stride, int64_t inner, int64_t stride)                 \
    {                                                                                                                           \
        const int64_t all = rows * inner;                                                                                       \
        if (row_stride == 0) {                                                                                                  \
            for (int64_t i = 0; i < inner; i++) to[i] = p[i * stride];                                                          \
            for (int64_t done = inner; done < all; done *= 2) memcpy(to + done, to, (size_t)vn__min(done, all - done) * bytes); \
        } else if (stride == 0) {                                                                                               \
            for (int64_t r = 0; r < rows; r++, to += inner)                                                                     \
                for (int64_t i = 0; i < inner; i++) to[i] = p[r * row_stride];                                                  \
        } else {                                                                                                                \
            for (int64_t r = 0; r < rows; r++, to += inner)                                                                     \
                for (int64_t i = 0; i < inner; i++) to[i] = p[r * row_stride + i * stride];                                     \
        }                                                                                                                       \
    }                                                                                                                           \
    static void gather##bytes(VN_STEP_ARGS)                                                                                     \
    {                                                                                                                           \
        T *to = d;                                                                                                              \
        const T *from = a;                                                                                                      \
        const vn__view *v = aux;                                                                                                \
        const int32_t last = v->rank - 1;                                                                                       \
        const int64_t inner = v->dims[last], stride = v->strides[last];                                                         \
        walk w;                                                                                                                 \
        (void)b;                                                                                                                \
        walk_to(&w, v, start);                                                                                                  \
        while (n > 0) {                                                                                                         \
            const T *p = from + w.at;                                                                                           \
            if (inner < SHORT && last > 0 && w.index[last] == 0 && n >= inner) {                                                \
                const int64_t left = v->dims[last - 1] - w.index[last - 1], rows = vn__min(left, n / inner);                    \
                rows##bytes(to, p, rows, v->strides[last - 1], inner, stride);                                                  \
                to += rows * inner;                                                                                             \
                n -= rows * inner;                                                                                              \
                if (n > 0) walk_on(&w, v, last - 1, rows);                                                                      \
                continue;                                                                                                       \
            }                                                                                                                   \
            const int64_t left = inner - w.index[last], run = vn__min(left, n);                                                 \
            if (stride == 1)                                                                                                    \
                for (int64_t i = 0; i < run; i++) to[i] = p[i];                                                                 \
            else if (stride == 0)                                                                                               \
                for (int64_t i = 0; i < run; i++) to[i] = *p;                                                                   \
            else if (stride == -1)                                                                                              \
                for (int64_t i = 0; i < run; i++) to[i] = p[-i];                                                                \
            else                                                                                                                \
                for (int64_t i = 0; i < run; i++) to[i] = p[i * stride];                                                        \
            to += run;                                                                                                          \
            n -= run;                                                                                                           \
            if (n > 0) walk_on(&w, v, last, run);                                                                               \
        }                                                                                                                       \
    }                                                                                                                           \
    static void scatter##bytes(void *to, const void *from, const vn__view *v, int64_t start, int64_t n)                         \
    {                                                                                                                           \
        T *base = to;                                                                                                           \
        const T *x = from;                                                                                                      \
        const int64_t inner = v->dims[v->rank - 1], stride = v->strides[v->rank - 1];                                           \
        walk w;                                                                                                                 \
        walk_to(&w, v, start);                                                                                                  \
        while (n > 0) {                                                                                                         \
            const int64_t left = inner - w.index[v->rank - 1], run = vn__min(left, n);                                          \
            for (int64_t i = 0; i < run; i++) base[w.at + i * stride] = x[i];                                                   \
            x += run;                                                                                                           \
            n -= run;                                                                                                           \
            if (n > 0) walk_on(&w, v, v->rank - 1, run);                                                                        \
        }                                                                                                                       \
    }                                                                                                                           \
    static void transpose_tile##bytes(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows, int64_t cols) \
    {                                                                                                                           \
        T tile[VN_TRANSPOSE_TILE][VN_TRANSPOSE_TILE + 64 / bytes];                                                              \
        for (int64_t c = 0; c < cols; c++) memcpy(tile[c], (const T *)from + c * from_row, (size_t)rows * bytes);               \
        for (int64_t r = 0; r < rows; r++) {                                                                                    \
            T *line = (T *)to + r * to_row;                                                                                     \
            if (cols == VN_TRANSPOSE_TILE)                                                                                      \
                for (int64_t c = 0; c < VN_TRANSPOSE_TILE; c++) line[c] = tile[c][r];                                           \
            else                                                                                                                \
                for (int64_t c = 0; c < cols; c++) line[c] = tile[c][r];                                                        \
        }                                                                                                                       \
    }                                                                                                                           \
    static void splat##bytes(VN_STEP_ARGS)                                                                                      \
    {                                                                                                                           \
        T *to = d;                                                                                                              \
        const T x = *(const T *)a;                                                                                              \
        VN_STEP_UNUSED;                                                                                                         \
        for (int64_t i = 0; i < n; i++) to[i] = x;                                                                              \
    }                                                                                                                           \
    static void copy##bytes(VN_STEP_ARGS)                                                                                       \
    {                                                                                                                           \
        VN_STEP_UNUSED;                                                                                                         \
        if (d != a) memcpy(d, a, (size_t)n *bytes);                                                                             \
    }

COPIES(1, uint8_t)
COPIES(2, uint16_t)
COPIES(4, uint32_t)
COPIES(8, uint64_t)
COPIES(16, pair)

/* Four bytes, of which most arrays are: whole squares in registers, then the rest. */
static void transpose4(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows, int64_t cols)
{
    int64_t r = 0, c = 0;
#ifdef HAS_SIDES
    float *z = to;
    const float *x = from;
    const int64_t whole = cols / SIDE * SIDE;
    for (; r + SIDE <= rows; r += SIDE)
        for (c = 0; c < whole; c += SIDE) {
            side lines[SIDE];
            VN_UNROLLED for (int k = 0; k < SIDE; k++) lines[k] = (side) * (const vec_f32 *)(x + (c + k) * from_row + r);
            transpose_side(z + r * to_row + c, to_row, lines);
        }
    c = whole;
#endif
    if (c < cols && r > 0) transpose_tile4((uint32_t *)to + c, to_row, (const uint32_t *)from + c * from_row, from_row, r, cols - c);
    if (r < rows) transpose_tile4((uint32_t *)to + r * to_row, to_row, (const uint32_t *)from + r, from_row, rows - r, cols);
}

const vn__copy_table VN_TABLE(copy) = {
    .gather = {[1] = gather1, [2] = gather2, [4] = gather4, [8] = gather8, [16] = gather16},
    .splat = {[1] = splat1, [2] = splat2, [4] = splat4, [8] = splat8, [16] = splat16},
    .copy = {[1] = copy1, [2] = copy2, [4] = copy4, [8] = copy8, [16] = copy16},
    .transpose = {[1] = transpose_tile1, [2] = transpose_tile2, [4] = transpose4, [8] = transpose_tile8, [16] = transpose_tile16},
    .scatter = {[1] = scatter1, [2] = scatter2, [4] = scatter4, [8] = scatter8, [16] = scatter16},
};
