/* SPDX-License-Identifier: Apache-2.0 */
/* sort.c: argsort and searchsorted. Elements become unsigned keys in the same order, with NaN the largest and -0 equal to 0; sorting
 * keys with their positions is stable, so the result depends only on the row. */
/* compiled for speed */
#include <string.h>

#include "internal.h"

#define THRESHOLDS_SORT
#include "thresholds.h"

enum { COUNTS = 8 * 256 };

/* A key of at most 32 bits in the high half, its position in the low half. */
#define ITEM uint64_t
#define NAME(x) x##_packed
#define BEFORE(x, y) ((x) < (y))
#define DIGIT(x, d) (int)((x) >> (32 + 8 * (d)) & 255)
#define DIGITS 4
#include "sort_items.h"

typedef struct pair {
    uint64_t key;
    int64_t at;
} pair;
#define ITEM pair
#define NAME(x) x##_pairs
#define BEFORE(x, y) ((x).key < (y).key)
#define DIGIT(x, d) (int)((x).key >> (8 * (d)) & 255)
#define DIGITS 8
#include "sort_items.h"

/* ---- keys ---- */

static inline uint32_t key_of_float(float x)
{
    uint32_t bits;
    if (x != x) return UINT32_MAX;
    x += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static inline uint64_t key_of_double(double x)
{
    uint64_t bits;
    if (x != x) return UINT64_MAX;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

#define KEY_UNSIGNED(x) (x)
#define KEY_SMALL(x) ((uint32_t)(x) ^ UINT32_C(1) << 31)
#define KEY_LONG(x) ((uint64_t)(x) ^ UINT64_C(1) << 63)

/* X(name, type, key); bool is u8. Keys of the first have at most 32 bits. */
#define SMALL_TYPES(X)             \
    X(u8, uint8_t, KEY_UNSIGNED)   \
    X(u16, uint16_t, KEY_UNSIGNED) \
    X(u32, uint32_t, KEY_UNSIGNED) \
    X(i8, int8_t, KEY_SMALL)       \
    X(i16, int16_t, KEY_SMALL)     \
    X(i32, int32_t, KEY_SMALL)     \
    X(f32, float, key_of_float)
#define LONG_TYPES(X)              \
    X(u64, uint64_t, KEY_UNSIGNED) \
    X(i64, int64_t, KEY_LONG)      \
    X(f64, double, key_of_double)
#define EVERY_TYPE(X) SMALL_TYPES(X) LONG_TYPES(X)

/* The items of a row of n elements, `stride` apart. flip: all ones to reverse the order of keys. */
#define PACKED(name, type, key)                                                                              \
    static void packed_##name(uint64_t *to, const void *from, int64_t n, int64_t stride, uint64_t flip)      \
    {                                                                                                        \
        const type *x = from;                                                                                \
        for (int64_t i = 0; i < n; i++) to[i] = (((uint64_t)key(x[i * stride]) ^ flip) << 32) | (uint64_t)i; \
    }
#define PAIRS(name, type, key)                                                                     \
    static void pairs_##name(pair *to, const void *from, int64_t n, int64_t stride, uint64_t flip) \
    {                                                                                              \
        const type *x = from;                                                                      \
        for (int64_t i = 0; i < n; i++) to[i] = (pair){(uint64_t)key(x[i * stride]) ^ flip, i};    \
    }
SMALL_TYPES(PACKED)
SMALL_TYPES(PAIRS) /* GCOV_EXCL_BR_LINE: for rows of more than 2^32 elements, whose pairs take 128 GiB */
LONG_TYPES(PAIRS)

/* A table of `prefix`ed functions by dtype. */
#define SMALL_TABLE(prefix)                                                                                                  \
    [VN_BOOL] = prefix##_u8, [VN_U8] = prefix##_u8, [VN_U16] = prefix##_u16, [VN_U32] = prefix##_u32, [VN_I8] = prefix##_i8, \
    [VN_I16] = prefix##_i16, [VN_I32] = prefix##_i32, [VN_F32] = prefix##_f32
#define FULL_TABLE(prefix) SMALL_TABLE(prefix), [VN_U64] = prefix##_u64, [VN_I64] = prefix##_i64, [VN_F64] = prefix##_f64

static void (*const make_packed[VN_STEP_DTYPES])(uint64_t *, const void *, int64_t, int64_t, uint64_t) = {SMALL_TABLE(packed)};
static void (*const make_pairs[VN_STEP_DTYPES])(pair *, const void *, int64_t, int64_t, uint64_t) = {FULL_TABLE(pairs)};

/* ---- argsort ---- */

/* (outer, length, inner), sorted along length. */
typedef struct sorting {
    int64_t length, inner, rows, rows_per_unit;
    int32_t dtype;
    size_t element;
    bool packed;
    uint64_t flip;
} sorting;

typedef vn__whole_job job;

static void sort_packed(const sorting *p, const void *x, int64_t *out, int64_t *counts, void *room)
{
    uint64_t *items = room;
    make_packed[p->dtype](items, x, p->length, p->inner, p->flip);
    if (p->length <= FEW) insert_packed(items, p->length);
    else items = radix_packed(items, items + p->length, p->length, counts);
    for (int64_t i = 0; i < p->length; i++) out[i * p->inner] = (int64_t)(items[i] & UINT32_MAX);
}

static void sort_pairs(const sorting *p, const void *x, int64_t *out, int64_t *counts, void *room)
{
    pair *items = room;
    make_pairs[p->dtype](items, x, p->length, p->inner, p->flip);
    if (p->length <= FEW) insert_pairs(items, p->length);
    else items = radix_pairs(items, items + p->length, p->length, counts);
    for (int64_t i = 0; i < p->length; i++) out[i * p->inner] = items[i].at;
}

static void sort_unit(void *context, int64_t number, int lane)
{
    const job *j = context;
    const sorting *p = j->w->plan;
    const int64_t first = number * p->rows_per_unit, last = first + p->rows_per_unit;
    int64_t *counts = (int64_t *)(void *)(j->run->scratch + (size_t)lane * j->run->lane_bytes);
    int64_t *out = (int64_t *)(void *)j->run->slots[j->w->out];
    for (int64_t r = first; r < last && r < p->rows; r++) {
        const int64_t start = r / p->inner * p->length * p->inner + r % p->inner;
        const char *x = j->run->slots[j->w->in[0]] + (size_t)start * p->element;
        (p->packed ? sort_packed : sort_pairs)(p, x, out + start, counts, counts + COUNTS);
    }
}

static void run_argsort(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const sorting *p = j.w->plan;
    if (j.w->out_desc.count == 0) return;
    vn__native_parallel(run->lanes, vn__ceil_div(p->rows, p->rows_per_unit), sort_unit, &j);
}

enum { AXIS, DESCENDING }; /* options */

int vn__native_prepare_argsort(vn__graph *g, vn__whole *w)
{
    sorting *p = w->plan = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    const vn_desc *x = &w->in_desc[0];
    const int64_t axis = w->instr->options[AXIS].u.i;
    const vn__shape3 shape = vn__native_shape3(x, axis, axis);
    p->length = shape.length;
    p->inner = shape.inner;
    p->rows = x->count ? x->count / p->length : 0;
    p->rows_per_unit = 1 + UNIT / (p->length + 1);
    p->dtype = x->dtype;
    p->element = vn__native_bytes(x->dtype);
    p->packed = make_packed[x->dtype] && p->length <= UINT32_MAX;
    p->flip = w->instr->options[DESCENDING].u.i ? UINT64_MAX : 0;
    w->kernel.run = run_argsort;
    w->kernel.parallel = x->count >= PARALLEL;
    w->kernel.lane_bytes = COUNTS * sizeof(int64_t) + 2 * (size_t)p->length * (p->packed ? sizeof(uint64_t) : sizeof(pair));
    return VN_OK;
}

/* ---- searchsorted ---- */

/* For m values: the number of elements of x below each, or not above if `right`. Binary search takes the same steps for every value, so
 * several are searched for together to overlap memory latency. */
#define SEARCH(name, type, key)                                                                                  \
    static void search_##name(int64_t *out, const void *x, int64_t n, const void *values, int64_t m, bool right) \
    {                                                                                                            \
        const type *in = x, *v = values;                                                                         \
        for (int64_t i = 0; i < m; i += TOGETHER) {                                                              \
            const int64_t many = vn__min(m - i, TOGETHER);                                                       \
            uint64_t wanted[TOGETHER];                                                                           \
            int64_t at[TOGETHER] = {0};                                                                          \
            for (int64_t k = 0; k < many; k++) wanted[k] = (uint64_t)key(v[i + k]);                              \
            for (int64_t left = n, half = n; left > 0; left -= half) {                                           \
                half = (left + 1) / 2;                                                                           \
                for (int64_t k = 0; k < many; k++) {                                                             \
                    const uint64_t found = (uint64_t)key(in[at[k] + half - 1]);                                  \
                    at[k] += ((found < wanted[k]) | (right & (found == wanted[k]))) * half;                      \
                }                                                                                                \
            }                                                                                                    \
            memcpy(out + i, at, (size_t)many * sizeof *at);                                                      \
        }                                                                                                        \
    }
EVERY_TYPE(SEARCH)

enum { RIGHT }; /* options */

static void search_unit(void *context, int64_t number, int lane)
{
    static void (*const search[VN_STEP_DTYPES])(int64_t *, const void *, int64_t, const void *, int64_t, bool) = {FULL_TABLE(search)};
    const job *j = context;
    const vn__whole *w = j->w;
    const int64_t first = number * UNIT, left = w->out_desc.count - first;
    const int32_t dtype = w->in_desc[0].dtype;
    (void)lane;
    search[dtype]((int64_t *)(void *)j->run->slots[w->out] + first, j->run->slots[w->in[0]], w->in_desc[0].count,
                  j->run->slots[w->in[1]] + (size_t)first * vn__native_bytes(dtype), vn__min(left, UNIT),
                  w->instr->options[RIGHT].u.i != 0);
}

static void run_searchsorted(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    vn__native_parallel(run->lanes, vn__ceil_div(j.w->out_desc.count, UNIT), search_unit, &j);
}

int vn__native_prepare_searchsorted(vn__graph *g, vn__whole *w)
{
    (void)g;
    w->kernel.run = run_searchsorted;
    w->kernel.parallel = w->out_desc.count >= PARALLEL;
    return VN_OK;
}
