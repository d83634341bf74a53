/* SPDX-License-Identifier: Apache-2.0 */
/* integer_products.c: products of integers of every dtype, which wrap around, in every layout, around the sizes at which the native engine switches to
 * other loops, at every level and on one and several threads; also of integers that are cast to 32 bits first, which are multiplied as they were. */
/* ctest: sanitize */
/* ctest: part 3 on sanitizers */
/* ctest: seconds 8 */
#include "check.h"
#include "isa_levels.h"

#define THRESHOLDS_MATMUL
#include "../../engines/native/thresholds.h"

enum { MAX_SIZE = 1 << 18 };

/* All bits are random, and the least and largest numbers come often. */
static vn_array *numbers(uint64_t seed, vn_shape shape, vn_dtype dtype)
{
    static uint64_t data[MAX_SIZE];
    int64_t n = 1;
    for (int32_t k = 0; k < shape.rank; k++) n *= shape.dim[k];
    CHECK(n <= MAX_SIZE);
    const size_t bytes = vn_dtype_size(dtype);
    const uint64_t lowest = (VN_BIT(dtype) & VN_SIGNED) != 0 ? UINT64_C(1) << (8 * bytes - 1) : 0;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t x = seed >> 61 == 0 ? lowest : seed >> 61 == 1 ? lowest - 1 : seed >> 32 ^ seed << 17;
        memcpy((char *)data + (size_t)i * bytes, &x, bytes); /* the lower bytes: little-endian, as the library is */
    }
    vn_array *x = vn_from_host(data, dtype, shape);
    CHECK(x && vn_eval(1, &x) == VN_OK);
    return x;
}

/* The bits of element i, extended with its sign. */
static uint64_t bits_of(const void *x, int64_t i, vn_dtype dtype)
{
    switch (vn_dtype_size(dtype)) {
    case 1: return dtype == VN_I8 ? (uint64_t)(int64_t)((const int8_t *)x)[i] : ((const uint8_t *)x)[i];
    case 2: return dtype == VN_I16 ? (uint64_t)(int64_t)((const int16_t *)x)[i] : ((const uint16_t *)x)[i];
    case 4: return dtype == VN_I32 ? (uint64_t)(int64_t)((const int32_t *)x)[i] : ((const uint32_t *)x)[i];
    default: return ((const uint64_t *)x)[i];
    }
}

/* The elements, extended with their sign, in static memory. */
static const uint64_t *extended(vn_array *x, uint64_t *to)
{
    const void *data = vn_data(x);
    CHECK(data && vn_size(x) <= MAX_SIZE);
    for (int64_t i = 0; data && i < vn_size(x); i++) to[i] = bits_of(data, i, vn_dtype_of(x));
    return to;
}

/* z = x y by plain loops, modulo 2^64, in the bits that z has. x (.., m, k) and y (.., k, n) have the same batch, or one of them has none. */
static bool is_product(vn_array *z, vn_array *x, vn_array *y)
{
    static uint64_t of_x[MAX_SIZE], of_y[MAX_SIZE], of_z[MAX_SIZE], row[MAX_SIZE];
    const int64_t m = vn_dim(x, -2), k = vn_dim(x, -1), n = vn_dim(y, -1), batch = vn_size(z) / (m * n);
    const int64_t x_step = vn_size(x) > m * k ? m * k : 0, y_step = vn_size(y) > k * n ? k * n : 0;
    const uint64_t *a = extended(x, of_x), *b = extended(y, of_y), *c = extended(z, of_z);
    const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * vn_dtype_size(vn_dtype_of(z)));
    for (int64_t i = 0; i < batch * m; i++) {
        memset(row, 0, (size_t)n * sizeof *row);
        for (int64_t p = 0; p < k; p++) {
            const uint64_t f = a[i / m * x_step + i % m * k + p], *g = b + i / m * y_step + p * n;
            for (int64_t j = 0; j < n; j++) row[j] += f * g[j];
        }
        for (int64_t j = 0; j < n; j++)
            if ((row[j] ^ c[i * n + j]) & mask) return false;
    }
    return true;
}

static vn_array *transposed(vn_array *x)
{
    return vn_matrix_transpose(x);
}

/* Its elements in memory of their own, in order. */
static vn_array *stored(vn_array *x)
{
    vn_array *y = vn_from_host(vn_data(x), vn_dtype_of(x), vn_shape_of(x));
    CHECK(y);
    return y;
}

static const vn_dtype narrow[] = {VN_I8, VN_U8, VN_I16, VN_U16};
static const int64_t shapes[][3] = {/* m, k, n */
                                    {1, 1, 1},
                                    {2, 3, 2},
                                    {1, 65, 31},
                                    {1, 1027, 129},
                                    {300, 70, 1},
                                    {5, 300, FEW_COLS - 1},
                                    {FEW_ROWS, 130, FEW_COLS + 1},
                                    {FEW_ROWS + 1, 257, 66},
                                    {33, 255, 513},
                                    {245, 259, 67}, /* more than a block of rows, and of products; shared between threads */
                                    {127, 128, 130}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* In memory as it is, transposed, and a part of a larger array. */
TEST(every_layout)
{
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t d = 0; d < sizeof narrow / sizeof *narrow; d++) {
            if (!in_part(s + d)) continue;
            VN_SCOPE;
            const int64_t m = shapes[s][0], k = shapes[s][1], n = shapes[s][2];
            vn_array *x = numbers(s + 1, VN_SHAPE(m, k), narrow[d]), *y = numbers(s + 100, VN_SHAPE(k, n), narrow[d]);
            vn_array *xt = stored(transposed(x)), *yt = stored(transposed(y));
            CHECK(is_product(vn_matmul(x, y), x, y));
            CHECK(is_product(vn_matmul(transposed(xt), y), x, y));
            CHECK(is_product(vn_matmul(x, transposed(yt)), x, y));
            CHECK(is_product(vn_matmul(transposed(xt), transposed(yt)), x, y));
            vn_array *part = vn_rows(numbers(7, VN_SHAPE(k + 3, n), narrow[d]), 3, k);
            CHECK(is_product(vn_matmul(x, part), x, stored(part)));
        }
}

/* Integers that a cast widens: the same as that of their copies in 32 bits. */
TEST(widened)
{
    static const vn_dtype to[] = {VN_I32, VN_U32, VN_I16, VN_I64};
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t d = 0; d < 16; d++) {
            if (!in_part(s + d)) continue;
            VN_SCOPE;
            const int64_t m = shapes[s][0], k = shapes[s][1], n = shapes[s][2];
            const vn_dtype of_x = narrow[d % 4], of_y = narrow[d / 4], wide = to[(s + d) % 4];
            vn_array *x = numbers(s + 1, VN_SHAPE(m, k), of_x), *y = numbers(s + 100, VN_SHAPE(n, k), of_y);
            vn_array *yt = stored(transposed(y));
            vn_array *z = vn_matmul(vn_cast(x, wide), vn_cast(yt, wide)), *zt = vn_matmul(vn_cast(x, wide), transposed(vn_cast(y, wide)));
            CHECK(vn_dtype_of(z) == wide && is_product(z, x, yt) && is_product(zt, x, yt));
        }
}

/* One operand is narrow, the other is not: neither is packed. */
TEST(one_widened)
{
    VN_SCOPE;
    vn_array *x = numbers(1, VN_SHAPE(45, 300), VN_I8), *y = numbers(2, VN_SHAPE(300, 70), VN_I32);
    CHECK(is_product(vn_matmul(vn_cast(x, VN_I32), y), x, y));
    CHECK(is_product(vn_matmul(transposed(y), transposed(vn_cast(x, VN_I32))), stored(transposed(y)), stored(transposed(x))));
}

TEST(batches)
{
    static const int64_t sizes[][4] = {{3, 5, 7, 9}, {17, 33, 65, 40}, {2, 140, 129, 131}};
    for (size_t s = 0; s < 3; s++)
        for (size_t d = 0; d < sizeof narrow / sizeof *narrow; d++) {
            if (!in_part(s + d)) continue;
            VN_SCOPE;
            const int64_t *n = sizes[s];
            vn_array *x = numbers(s + 1, VN_SHAPE(n[0], n[1], n[2]), narrow[d]), *y = numbers(s + 5, VN_SHAPE(n[0], n[2], n[3]), narrow[d]);
            vn_array *one = numbers(s + 9, VN_SHAPE(n[2], n[3]), narrow[d]), *left = numbers(s + 11, VN_SHAPE(n[1], n[2]), narrow[d]);
            CHECK(is_product(vn_matmul(x, y), x, y));
            CHECK(is_product(vn_matmul(x, one), x, one));
            CHECK(is_product(vn_matmul(left, y), left, y));
            CHECK(is_product(vn_matmul(vn_cast(x, VN_I32), vn_cast(y, VN_I32)), x, y));
        }
}

TEST(wide)
{
    static const vn_dtype dtypes[] = {VN_I32, VN_U32, VN_I64, VN_U64};
    for (size_t d = 0; d < 4; d++) {
        VN_SCOPE;
        vn_array *x = numbers(d, VN_SHAPE(130, 129), dtypes[d]), *y = numbers(d + 8, VN_SHAPE(129, 131), dtypes[d]);
        CHECK(is_product(vn_matmul(x, y), x, y));
    }
}

TEST(nothing_to_add)
{
    VN_SCOPE;
    vn_array *z = vn_matmul(vn_zeros(VN_SHAPE(3, 0), VN_I8), vn_zeros(VN_SHAPE(0, 4), VN_I8));
    const int8_t *c = vn_data(z);
    CHECK(c && vn_size(z) == 12 && !c[0] && !c[11]);
}

TEST_MAIN_AT_EVERY_LEVEL
