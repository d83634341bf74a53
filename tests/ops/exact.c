/* SPDX-License-Identifier: Apache-2.0 */
/* exact.c: numbers without a dtype are exact: integers up to 64 bits, complex numbers; what they do with arrays of each kind. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

#define ODD INT64_C(9007199254740993) /* 2^53 + 1, which no double is */

/* The one element of x, as bits of its dtype. */
static bool is_bits(vn_array *x, vn_dtype dtype, const void *bits)
{
    const size_t bytes = vn_dtype_size(dtype);
    char got[16];
    return x && vn_dtype_of(x) == dtype && vn_read(x, got, bytes) == VN_OK && !memcmp(got, bits, bytes);
}

static vn_array *one(vn_dtype dtype)
{
    return vn_ones(VN_SHAPE(1), dtype);
}

/* What a scalar becomes beside an array of each dtype. */
static const struct {
    vn_dtype array, with_int, with_complex;
} kinds[] = {
    {VN_I8, VN_I8, VN_NO_DTYPE}, {VN_I64, VN_I64, VN_NO_DTYPE}, {VN_U8, VN_U8, VN_NO_DTYPE}, {VN_U64, VN_U64, VN_NO_DTYPE},
    {VN_F16, VN_F16, VN_C64},    {VN_BF16, VN_BF16, VN_C64},    {VN_F32, VN_F32, VN_C64},    {VN_F64, VN_F64, VN_C128},
    {VN_C64, VN_C64, VN_C64},    {VN_C128, VN_C128, VN_C128},
};

TEST(a_number_takes_the_arrays_dtype)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        vn_array *x = one(kinds[k].array);
        vn_array *sum = vn_add(x, vn_scalar_int(2)), *back = vn_mul(vn_scalar_int(2), x);
        CHECK(sum && vn_dtype_of(sum) == kinds[k].with_int && vn_dtype_of(back) == kinds[k].with_int);
        double at[2];
        CHECK(vn_item_complex(sum, at) == VN_OK && at[0] == 3 && at[1] == 0);
        if (kinds[k].with_complex == VN_NO_DTYPE) {
            CHECK_FAILS(vn_mul(x, vn_scalar_complex(1, 2)), VN_E_DTYPE, "mul: the number 1+2j does not fit into");
            continue;
        }
        vn_array *z = vn_mul(x, vn_scalar_complex(3, -4));
        CHECK(z && vn_dtype_of(z) == kinds[k].with_complex && vn_item_complex(z, at) == VN_OK && at[0] == 3 && at[1] == -4);
    }
    CHECK(vn_dtype_of(vn_add(vn_scalar_int(1), vn_scalar_int(2))) == VN_I64 &&
          vn_dtype_of(vn_add(vn_scalar_int(1), vn_scalar(2))) == VN_F32);
    CHECK(vn_dtype_of(vn_add(vn_scalar(1), vn_scalar_complex(2, 1))) == VN_C64);
    CHECK(vn_dtype_of(vn_maximum(vn_scalar_int(1), vn_scalar_uint(UINT64_MAX))) == VN_U64);
    CHECK(vn_dtype_of(vn_where(vn_ones(VN_SHAPE(1), VN_BOOL), one(VN_F64), vn_scalar_complex(0, 1))) == VN_C128);
}

TEST(integers_keep_all_digits)
{
    vn_array *zero = vn_zeros(VN_SHAPE(1), VN_I64), *wide = vn_zeros(VN_SHAPE(1), VN_U64);
    static const int64_t numbers[] = {ODD, -ODD, INT64_MAX, INT64_MIN, 0, -1};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const int64_t v = numbers[k];
        CHECK(vn_item_int(vn_add(zero, vn_scalar_int(v))) == v && vn_item_int(vn_scalar_int(v)) == v);
        CHECK(vn_item_int(vn_full(vn_scalar_int(v), VN_0D, VN_I64)) == v && vn_item_int(vn_full_like(zero, vn_scalar_int(v))) == v);
        CHECK(vn_item_int(vn_cast(vn_scalar_int(v), VN_I64)) == v);
        if (v >= 0) CHECK(is_bits(vn_add(wide, vn_scalar_int(v)), VN_U64, &v));
        else CHECK_FAILS(vn_add(wide, vn_scalar_int(v)), VN_E_DTYPE, "does not fit into uint64");
    }
    static const uint64_t large[] = {(uint64_t)INT64_MAX + 1, UINT64_MAX, UINT64_C(1) << 63 | 1};
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        CHECK(is_bits(vn_add(wide, vn_scalar_uint(large[k])), VN_U64, &large[k]) && is_bits(vn_scalar_uint(large[k]), VN_U64, &large[k]));
        CHECK_FAILS(vn_add(zero, vn_scalar_uint(large[k])), VN_E_DTYPE,
                    k ? "does not fit into int64" : "add: the number 9223372036854775808 does not fit into int64");
    }
    CHECK_FAILS(vn_add(one(VN_I8), vn_scalar_int(128)), VN_E_DTYPE, "add: the number 128 does not fit into int8");
    CHECK_FAILS(vn_add(one(VN_I32), vn_scalar_int(INT64_C(-2147483649))), VN_E_DTYPE, "-2147483649");
    CHECK(vn_item_int(vn_add(vn_zeros(VN_SHAPE(1), VN_I32), vn_scalar_int(INT32_MIN))) == INT32_MIN);
    CHECK_FAILS(vn_logical_and(one(VN_BOOL), vn_equal(one(VN_BOOL), vn_scalar_int(2))), VN_E_DTYPE, "2 does not fit into bool");
}

/* Rounded once: by way of float64 they would come out one unit lower or higher. */
TEST(integers_round_once)
{
    static const int64_t numbers[] = {(INT64_C(1) << 60) + (INT64_C(1) << 36) + 1,
                                      (INT64_C(1) << 60) + (INT64_C(1) << 36),
                                      -(INT64_C(1) << 60) - (INT64_C(1) << 36) - 1,
                                      INT64_MAX,
                                      INT64_MIN,
                                      ODD};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const float f = (float)numbers[k];
        const double d = (double)numbers[k];
        CHECK(is_bits(vn_full(vn_scalar_int(numbers[k]), VN_0D, VN_F32), VN_F32, &f));
        CHECK(is_bits(vn_add(vn_zeros(VN_SHAPE(1), VN_F64), vn_scalar_int(numbers[k])), VN_F64, &d));
        CHECK(is_bits(vn_cast(vn_scalar_int(numbers[k]), VN_F64), VN_F64, &d));
    }
    const double largest = 0x1p64, exact[2] = {.1, -.2};
    CHECK(is_bits(vn_full(vn_scalar_uint(UINT64_MAX), VN_0D, VN_F64), VN_F64, &largest));
    CHECK(is_bits(vn_mul(one(VN_F64), vn_scalar_complex(.1, -.2)), VN_C128, exact) &&
          is_bits(vn_cast(vn_scalar_complex(.1, -.2), VN_C128), VN_C128, exact));
}

static vn_array *range(int64_t start, int64_t stop, int64_t step, vn_dtype dtype)
{
    const vn_option options[] = {{"start", VN_OPT_INT, 1, {.i = start}},
                                 {"stop", VN_OPT_INT, 1, {.i = stop}},
                                 {"step", VN_OPT_INT, 1, {.i = step}},
                                 {"dtype", VN_OPT_INT, 1, {.i = dtype}}};
    vn_array *z = NULL;
    return vn_call("arange", NULL, 0, options, 4, &z, 1) ? NULL : z;
}

TEST(ranges_of_integers)
{
    const int64_t start = INT64_C(1) << 60;
    vn_array *x = range(start, start + 3, 1, VN_I64), *y = range(INT64_MAX, INT64_MIN, INT64_MIN, VN_I64);
    CHECK(vn_size(x) == 3 && !memcmp(vn_data(x), (int64_t[]){start, start + 1, start + 2}, 24));
    CHECK(vn_size(y) == 2 && !memcmp(vn_data(y), (int64_t[]){INT64_MAX, -1}, 16));
    CHECK(vn_size(range(INT64_MIN, INT64_MAX, INT64_MAX, VN_I64)) == 3 && vn_size(range(5, 5, -1, VN_I64)) == 0);
    CHECK_FAILS(range(INT64_MIN, INT64_MAX, 1, VN_I64), VN_E_SHAPE,
                "arange: from -9223372036854775808 to 9223372036854775807 are too many");
    CHECK_FAILS(range(0, 1, 0, VN_I64), VN_E_ARG, "arange: from 0 to 1 in steps of 0");
    CHECK_FAILS(range(0, 300, 1, VN_U8), VN_E_DTYPE, "arange: the number 299 does not fit into uint8");
    const vn_option mixed[] = {{"start", VN_OPT_FLOAT, 1, {.f = .5}}, {"stop", VN_OPT_INT, 1, {.i = 3}}};
    vn_array *z = NULL;
    CHECK(vn_call("arange", NULL, 0, mixed, 2, &z, 1) == VN_OK && vn_size(z) == 3 && vn_item(vn_max(z, VN_ALL)) == 2.5);
}

TEST(full_of_an_array)
{
    vn_array *x = vn_variable(vn_from((float[]){2, 3}, VN_SHAPE(2))), *z = vn_full(x, VN_SHAPE(4, 2), VN_F64);
    CHECK(vn_dtype_of(z) == VN_F64 && vn_item(vn_sum(z, VN_ALL)) == 20);
    CHECK(vn_item(vn_max(vn_grad(vn_sum(z, VN_ALL), x), VN_ALL)) == 4);
    CHECK(vn_item(vn_sum(vn_full_like(z, x), VN_ALL)) == 20);
    CHECK_FAILS(vn_full(NULL, VN_SHAPE(2), VN_F32), VN_E_NULL, "full: value is NULL");
    CHECK_FAILS(vn_full(vn_scalar_complex(1, 1), VN_SHAPE(2), VN_F32), VN_E_DTYPE, "full: the number 1+1j does not fit into float32");
}

TEST_MAIN
