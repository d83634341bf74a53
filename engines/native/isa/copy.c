/* copy.c: moving elements without looking at them: strided views to row-major order and back. By element size, not by type. */
#include "level.h"

/* Where a walk over a view in row-major order stands. */
typedef struct walk {
    int64_t index[VN_MAX_RANK], at; /* at: elements from the start of the array */
} walk;

static void walk_to(walk *w, const vn__view *v, int64_t start)
{
    w->at = v->offset;
    for (int32_t r = v->rank - 1; r >= 0; r--) {
        w->index[r] = start % v->dims[r];
        start /= v->dims[r];
        w->at += w->index[r] * v->strides[r];
    }
}

/* Moves on by `run` elements, which end at or before the end of the innermost axis. */
static void walk_on(walk *w, const vn__view *v, int64_t run)
{
    int32_t r = v->rank - 1;
    w->index[r] += run;
    w->at += run * v->strides[r];
    while (r > 0 && w->index[r] == v->dims[r]) {
        w->at -= w->index[r] * v->strides[r];
        w->index[r--] = 0;
        w->index[r]++;
        w->at += v->strides[r];
    }
}

#define COPIES(bytes, T)                                                                                               \
    static void gather##bytes(VN_STEP_ARGS)                                                                            \
    {                                                                                                                  \
        T *to = d;                                                                                                     \
        const T *from = a;                                                                                             \
        const vn__view *v = aux;                                                                                       \
        const int64_t inner = v->dims[v->rank - 1], stride = v->strides[v->rank - 1];                                  \
        walk w;                                                                                                        \
        (void)b;                                                                                                       \
        walk_to(&w, v, start);                                                                                         \
        while (n > 0) {                                                                                                \
            const int64_t left = inner - w.index[v->rank - 1], run = left < n ? left : n;                              \
            const T *p = from + w.at;                                                                                  \
            if (stride == 1)                                                                                           \
                for (int64_t i = 0; i < run; i++) to[i] = p[i];                                                        \
            else if (stride == 0)                                                                                      \
                for (int64_t i = 0; i < run; i++) to[i] = *p;                                                          \
            else                                                                                                       \
                for (int64_t i = 0; i < run; i++) to[i] = p[i * stride];                                               \
            to += run;                                                                                                 \
            n -= run;                                                                                                  \
            if (n > 0) walk_on(&w, v, run);                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static void scatter##bytes(void *to, const void *from, const vn__view *v, int64_t start, int64_t n)                \
    {                                                                                                                  \
        T *base = to;                                                                                                  \
        const T *x = from;                                                                                             \
        const int64_t inner = v->dims[v->rank - 1], stride = v->strides[v->rank - 1];                                  \
        walk w;                                                                                                        \
        walk_to(&w, v, start);                                                                                         \
        while (n > 0) {                                                                                                \
            const int64_t left = inner - w.index[v->rank - 1], run = left < n ? left : n;                              \
            for (int64_t i = 0; i < run; i++) base[w.at + i * stride] = x[i];                                          \
            x += run;                                                                                                  \
            n -= run;                                                                                                  \
            if (n > 0) walk_on(&w, v, run);                                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static void splat##bytes(VN_STEP_ARGS)                                                                             \
    {                                                                                                                  \
        T *to = d;                                                                                                     \
        const T x = *(const T *)a;                                                                                     \
        VN_STEP_UNUSED;                                                                                                \
        for (int64_t i = 0; i < n; i++) to[i] = x;                                                                     \
    }                                                                                                                  \
    static void copy##bytes(VN_STEP_ARGS)                                                                              \
    {                                                                                                                  \
        VN_STEP_UNUSED;                                                                                                \
        if (d != a) memcpy(d, a, (size_t)n * bytes);                                                                   \
    }

COPIES(1, uint8_t)
COPIES(2, uint16_t)
COPIES(4, uint32_t)
COPIES(8, uint64_t)

const vn__copy_table VN_TABLE(copy) = {
    .gather = {[1] = gather1, [2] = gather2, [4] = gather4, [8] = gather8},
    .splat = {[1] = splat1, [2] = splat2, [4] = splat4, [8] = splat8},
    .copy = {[1] = copy1, [2] = copy2, [4] = copy4, [8] = copy8},
    .scatter = {[1] = scatter1, [2] = scatter2, [4] = scatter4, [8] = scatter8},
};
