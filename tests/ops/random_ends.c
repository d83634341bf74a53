/* SPDX-License-Identifier: Apache-2.0 */
/* random_ends.c: uniform numbers in ranges of one or few floats: none is at or beyond the upper end, however the lower end plus a fraction of the range is rounded; the same bits with
 * bounds as numbers and as arrays, at every level. */
#include "check.h"
#include "isa_levels.h"

enum { N = 300 };

typedef struct {
    vn_dtype dtype;
    double unit, min; /* of 1; the smallest positive number */
} format;
static const format formats[] = {
    {VN_F16, 0x1p-10, 0x1p-24}, {VN_BF16, 0x1p-7, 0x1p-133}, {VN_F32, 0x1p-23, 0x1p-149}, {VN_F64, 0x1p-52, 0x1p-1074}};

static vn_array *filled(double x, vn_dtype dtype)
{
    vn_array *z = vn_cast(vn_mul(vn_ones(VN_SHAPE(N), VN_F64), vn_from_host(&x, VN_F64, VN_0D)), dtype);
    CHECK(vn_eval(1, &z) == VN_OK);
    return z;
}

static vn_array *one(double x, vn_dtype dtype)
{
    return vn_cast(vn_from_host(&x, VN_F64, VN_0D), dtype);
}

static void check(double low, double high, vn_dtype dtype)
{
    VN_SCOPE;
    vn_array *key = vn_random_key_of(5), *lows[] = {one(low, dtype), filled(low, dtype)},
             *highs[] = {one(high, dtype), filled(high, dtype)};
    uint64_t hash = 0;
    for (int k = 0; k < 4; k++) {
        vn_array *z = vn_uniform(key, lows[k % 2], highs[k / 2], VN_SHAPE(N), dtype);
        const double *x = vn_data(vn_cast(z, VN_F64));
        bool inside = x != NULL;
        for (int i = 0; i < N && inside; i++) inside = low < high ? x[i] >= low && x[i] < high : x[i] == low;
        if (!inside) fprintf(stderr, "%s from %g to %g\n", vn_dtype_name(dtype), low, high);
        CHECK(inside);
        if (k == 0) hash = hash_array(VN__HASH, z);
        CHECK(hash_array(VN__HASH, z) == hash);
        vn_array *normal[2]; /* the mean and the deviation likewise */
        normal[0] = vn_normal(key, lows[0], highs[0], VN_SHAPE(N), dtype),
        normal[1] = vn_normal(key, lows[k % 2], highs[k / 2], VN_SHAPE(N), dtype);
        CHECK(hash_array(VN__HASH, normal[0]) == hash_array(VN__HASH, normal[1]));
    }
}

TEST(ranges_of_few_floats)
{
    for (int f = 0; f < 4; f++) {
        const vn_dtype dtype = formats[f].dtype;
        const double unit = formats[f].unit, min = formats[f].min;
        check(1, 1 + unit, dtype);
        check(1, 1 + 3 * unit, dtype);
        check(-1 - unit, -1 - unit, dtype); /* nothing between */
        check(-1 - unit, -1, dtype);
        check(-2 * unit, 0, dtype);
        check(-min, 0, dtype);
        check(0, min, dtype);
        check(-1, 0, dtype);
        check(3, 3, dtype);
    }
}

TEST_MAIN_AT_EVERY_LEVEL_ON("1")
