/* SPDX-License-Identifier: Apache-2.0 */
/* few_rows.c: products of few rows with a matrix, in every layout and dtype, around the sizes at which the native engine switches to other
 * loops, at every level and on one and several threads. Elements are small whole numbers, so that sums are exact in any order; numbers that
 * round show that a row has the same bits alone and among others, and from a view and from its copy. */
/* ctest: sanitize */
/* ctest: part 3 on sanitizers */
/* ctest: seconds 5 */
#include "check.h"
#include "isa_levels.h"
#include "ops/row.h"

#define THRESHOLDS_MATMUL
#include "../../engines/native/thresholds.h"

static vn_array *ready(vn_array *x)
{
    CHECK(x && vn_eval(1, &x) == VN_OK);
    return x;
}

/* Whole numbers from -2 to 2. */
static vn_array *whole(uint64_t seed, vn_shape shape, vn_dtype dtype)
{
    return ready(vn_cast(vn_randint(vn_random_key_of(seed), vn_scalar_int(-2), vn_scalar_int(3), shape, VN_I64), dtype));
}

static vn_array *rough(uint64_t seed, vn_shape shape, vn_dtype dtype)
{
    return ready(vn_cast(vn_normal(vn_random_key_of(seed), vn_scalar(0), vn_scalar(1), shape, VN_F64), dtype));
}

static bool same_bits(vn_array *x, vn_array *y)
{
    ready(x), ready(y);
    return x && y && vn_size(x) == vn_size(y) && vn_dtype_of(x) == vn_dtype_of(y) &&
           !memcmp(vn_data(x), vn_data(y), (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x)));
}

/* x y computed exactly, by plain loops on integers. */
static bool is_product(vn_array *z, vn_array *x, vn_array *y)
{
    const int64_t m = vn_dim(x, 0), k = vn_dim(x, 1), n = vn_dim(y, 1);
    const int32_t *a = vn_data(vn_cast(x, VN_I32)), *b = vn_data(vn_cast(y, VN_I32)), *c = vn_data(vn_cast(z, VN_I32));
    if (!a || !b || !c || vn_dim(z, 0) != m || vn_dim(z, 1) != n) return false;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (int64_t p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j];
            if (sum != c[i * n + j]) return false;
        }
    return true;
}

static vn_array *transposed(vn_array *x)
{
    return vn_matrix_transpose(x);
}

/* x[k] */
static vn_array *entry(vn_array *x, int64_t k)
{
    return vn_squeeze(vn_rows(x, k, 1), VN_AXES(0));
}

static const int64_t shapes[][3] = {/* m, k, n */
                                    {1, 64, 1},
                                    {1, 65, 31},
                                    {1, 256, 129},
                                    {1, 257, FEW_COLS},
                                    {1, 1027, 261},
                                    {2, 500, 600},
                                    {3, 63, 300},
                                    {5, 300, 127},
                                    {FEW_ROWS - 1, 255, 140},
                                    {FEW_ROWS, 513, 65},
                                    {FEW_ROWS, 130, 2 * FEW_COLS + 1},
                                    {FEW_ROWS + 1, 258, 130},
                                    {140, 259, 3},
                                    {257, 515, 131}, /* blocks, and odd ends of each */
                                    {300, 70, 1}};

TEST(exact_products)
{
    static const vn_dtype dtypes[][2] = {{VN_F32, VN_F32}, {VN_F64, VN_F64},  {VN_F16, VN_F16}, {VN_BF16, VN_BF16},
                                         {VN_F32, VN_F16}, {VN_BF16, VN_F32}, {VN_F16, VN_F32}, {VN_F32, VN_BF16}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            if (!in_part(s + d)) continue;
            VN_SCOPE;
            const int64_t m = shapes[s][0], k = shapes[s][1], n = shapes[s][2];
            vn_array *x = whole(s, VN_SHAPE(m, k), dtypes[d][0]), *y = whole(s + 50, VN_SHAPE(k, n), dtypes[d][1]);
            vn_array *xt = ready(transposed(x)), *yt = ready(transposed(y)), *z = vn_matmul(x, y);
            if (vn_dtype_of(z) == VN_BF16) /* rounded to 8 digits: only the layouts are compared */
                ready(z);
            else CHECK(is_product(z, x, y));
            CHECK(same_bits(vn_matmul(x, transposed(yt)), z));
            CHECK(same_bits(vn_matmul(transposed(xt), y), z));
            CHECK(same_bits(vn_matmul(transposed(xt), transposed(yt)), z));
        }
}

/* bfloat16: at most one digit of the last place apart, as large products have instructions of their own on some processors. */
static bool same_row(vn_array *x, vn_array *y)
{
    if (vn_dtype_of(x) != VN_BF16) return same_bits(x, y);
    vn_array *a = vn_cast(x, VN_F32), *b = vn_cast(y, VN_F32), *off = vn_sub(vn_abs(vn_sub(a, b)), vn_mul(vn_abs(b), vn_scalar(0x1p-7)));
    return vn_item(vn_max(off, VN_ALL)) <= 0x1p-10;
}

TEST(same_bits_alone_and_among_others)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_F16, VN_BF16, VN_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        VN_SCOPE;
        const int64_t rows = 40, k = 700, n = 530;
        vn_array *x = rough(1, VN_SHAPE(rows, k), dtypes[d]), *y = rough(2, VN_SHAPE(k, n), dtypes[d]), *yt = ready(transposed(y));
        vn_array *z = ready(vn_matmul(x, y));
        for (int64_t few = 1; few <= 18; few = few < 3 ? few + 1 : few + 5) {
            vn_array *part = ready(vn_rows(x, 7, few));
            CHECK(same_row(vn_matmul(part, y), vn_rows(z, 7, few)));
            CHECK(same_row(vn_matmul(part, transposed(yt)), vn_rows(z, 7, few)));
        }
    }
}

/* Half precision that is widened for a product has the bits of a product of what was widened before. */
TEST(widened_operands)
{
    static const int64_t sizes[][3] = {{1, 300, 400}, {9, 70, 900}, {20, 100, 33}, {200, 333, 150}, {400, 600, 1}, {1, 600, 1}};
    static const vn_dtype narrow[] = {VN_F16, VN_BF16};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t d = 0; d < 2; d++) {
            if (!in_part(s + d)) continue;
            VN_SCOPE;
            const int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
            vn_array *x = rough(s, VN_SHAPE(m, k), VN_F32), *y = rough(s + 9, VN_SHAPE(k, n), narrow[d]), *wide = ready(vn_cast(y, VN_F32));
            vn_array *z = ready(vn_matmul(x, wide)), *yt = ready(transposed(y)), *a = rough(s, VN_SHAPE(m, k), narrow[d]), *b, *c;
            vn_array *half = ready(vn_matmul(ready(vn_cast(a, VN_F32)), wide));
            CHECK(same_bits(vn_matmul(x, y), z));
            CHECK(same_bits(vn_matmul(x, transposed(yt)), z));
            CHECK(same_bits(vn_matmul(x, vn_cast(transposed(yt), VN_F32)), z));
            CHECK(same_bits(vn_matmul(x, transposed(vn_cast(yt, VN_F32))), z));
            CHECK(same_bits(vn_matmul(vn_cast(a, VN_F32), vn_cast(y, VN_F32)), half));
            CHECK(same_bits(vn_matmul(transposed(transposed(vn_cast(a, VN_F32))), vn_cast(y, VN_F32)), half));
            b = vn_cast(y, VN_F32), c = vn_matmul(x, b); /* the widened operand is itself a result, and has another reader */
            vn_array *sum = vn_sum(b, VN_ALL);
            CHECK(vn_eval(3, (vn_array *[]){b, c, sum}) == VN_OK && same_bits(b, wide) && same_bits(c, z));
            vn_array *upside = vn_matmul(x, vn_flip(vn_cast(y, VN_F32), VN_AXES(0)));
            CHECK(same_bits(upside, vn_matmul(x, ready(vn_flip(wide, VN_AXES(0))))));
            vn_array *batch = vn_matmul(vn_broadcast_to(x, VN_SHAPE(2, m, k)), vn_cast(vn_broadcast_to(y, VN_SHAPE(2, k, n)), VN_F32));
            CHECK(same_bits(entry(batch, 1), z) || n == 1);
        }
}

/* One query against the keys of every head, as a decoder has it. */
TEST(batches_of_one_row)
{
    vn_array *q = whole(3, VN_SHAPE(24, 1, 64), VN_F32), *keys = whole(4, VN_SHAPE(24, 700, 64), VN_F32);
    vn_array *z = vn_matmul(q, vn_permute_dims(keys, VN_AXES(0, 2, 1)));
    for (int64_t head = 0; head < 24; head += 7) {
        VN_SCOPE;
        CHECK(is_product(entry(z, head), entry(q, head), transposed(entry(keys, head))));
    }
}

/* A matrix times a vector that is every second number of another, or whose own rows lie apart. */
TEST(vectors_with_strides)
{
    const vn_shape steps = VN_SHAPE(2, 1);
    vn_array *x = whole(5, VN_SHAPE(45, 140), VN_F32), *y = whole(6, VN_SHAPE(280, 1), VN_F32), *every = vn__stride(y, steps);
    vn_array *dense = ready(vn_mul(every, vn_ones(VN_SHAPE(140, 1), VN_F32)));
    CHECK(is_product(vn_matmul(x, dense), x, dense) && same_bits(vn_matmul(x, every), vn_matmul(x, dense)));
    vn_array *wide = ready(transposed(x));
    CHECK(same_bits(vn_matmul(transposed(wide), every), vn_matmul(x, dense)));
}

/* Many products, each large enough to be shared between threads: of two threads each takes entire ones. */
TEST(batches_of_large_products)
{
    if (strcmp(getenv("VINEA_THREADS"), "2") != 0) return;
    const int64_t n = 16, side = 130;
    vn_array *x = whole(7, VN_SHAPE(n, side, side), VN_F32), *y = whole(8, VN_SHAPE(n, side, side), VN_F32), *z = vn_matmul(x, y);
    for (int64_t k = 0; k < n; k += 5) {
        VN_SCOPE;
        CHECK(is_product(entry(z, k), entry(x, k), entry(y, k)));
    }
}

TEST_MAIN_AT_EVERY_LEVEL
