/* SPDX-License-Identifier: Apache-2.0 */
/* dtypes.c: vn_result_type, vn_can_cast, vn_finfo, vn_iinfo and vn_broadcast_shapes, against what ops do and what the C library says. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <float.h>

TEST(promotion_is_that_of_ops)
{
    for (int a = 1; a < VN_DTYPE_END; a++) {
        for (int b = 1; b < VN_DTYPE_END; b++) {
            VN_SCOPE;
            vn_array *x = vn_ones(VN_SHAPE(1), (vn_dtype)a), *y = vn_ones(VN_SHAPE(1), (vn_dtype)b), *z;
            vn_error_push();
            z = vn_where(vn_ones(VN_SHAPE(1), VN_BOOL), x, y);
            const int asked = vn_result_type(0, NULL, 2, (int32_t[]){a, b}), arrays = vn_result_type(2, (vn_array *[]){x, y}, 0, NULL),
                      mixed = vn_result_type(1, &x, 1, (int32_t[]){b});
            const vn_code code = vn_error_pop();
            CHECK(asked == (z ? (int)vn_dtype_of(z) : VN_NO_DTYPE) && arrays == asked && mixed == asked && !asked == (code == VN_E_DTYPE));
            CHECK(vn_can_cast(a, b) == (asked == b));
        }
    }
}

TEST(numbers_promote_as_in_expressions)
{
    vn_array *whole = vn_scalar_int(1), *real = vn_scalar(1), *complex = vn_scalar_complex(1, 1), *large = vn_scalar_uint(UINT64_MAX);
    const struct {
        vn_array *number;
        int32_t with, expected;
    } rows[] = {
        {whole, VN_I8, VN_I8},       {whole, VN_F16, VN_F16},   {whole, VN_C64, VN_C64},    {real, VN_F64, VN_F64},
        {real, VN_BF16, VN_BF16},    {complex, VN_F32, VN_C64}, {complex, VN_F64, VN_C128}, {complex, VN_F16, VN_C64},
        {complex, VN_C128, VN_C128}, {large, VN_U64, VN_U64},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) CHECK(vn_result_type(1, &rows[k].number, 1, &rows[k].with) == rows[k].expected);
    vn_array *all[] = {whole, real, complex}, *ints[] = {whole, large};
    CHECK(vn_result_type(1, all, 0, NULL) == VN_I64 && vn_result_type(2, all, 0, NULL) == VN_F32 &&
          vn_result_type(3, all, 0, NULL) == VN_C64);
    CHECK(vn_result_type(2, ints, 0, NULL) == VN_U64);
}

TEST(limits)
{
    vn_float_info f = {.size = sizeof f};
    CHECK(!vn_finfo(VN_F32, &f) && f.bits == 32 && f.eps == FLT_EPSILON && f.max == FLT_MAX && f.min == -FLT_MAX &&
          f.smallest_normal == FLT_MIN);
    CHECK(!vn_finfo(VN_F64, &f) && f.bits == 64 && f.eps == DBL_EPSILON && f.max == DBL_MAX && f.smallest_normal == DBL_MIN);
    CHECK(!vn_finfo(VN_F16, &f) && f.bits == 16 && f.eps == 0x1p-10 && f.max == 65504 && f.smallest_normal == 0x1p-14);
    CHECK(!vn_finfo(VN_BF16, &f) && f.eps == 0x1p-7 && f.max == 0x1.FEp127 && f.smallest_normal == 0x1p-126 && f.dtype == VN_BF16);
    CHECK(!vn_finfo(VN_C64, &f) && f.dtype == VN_F32 && f.bits == 32 && !vn_finfo(VN_C128, &f) && f.dtype == VN_F64 && f.max == DBL_MAX);
    const struct {
        vn_dtype dtype;
        int bits;
        int64_t min;
        uint64_t max;
    } ints[] = {{VN_I8, 8, INT8_MIN, INT8_MAX},     {VN_I16, 16, INT16_MIN, INT16_MAX}, {VN_I32, 32, INT32_MIN, INT32_MAX},
                {VN_I64, 64, INT64_MIN, INT64_MAX}, {VN_U8, 8, 0, UINT8_MAX},           {VN_U16, 16, 0, UINT16_MAX},
                {VN_U32, 32, 0, UINT32_MAX},        {VN_U64, 64, 0, UINT64_MAX}};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        vn_int_info i = {.size = sizeof i};
        CHECK(!vn_iinfo(ints[k].dtype, &i) && i.dtype == ints[k].dtype && i.bits == ints[k].bits && i.min == ints[k].min &&
              i.max == ints[k].max);
    }
    vn_float_info old = {.size = offsetof(vn_float_info, max), .max = 7};
    CHECK(!vn_finfo(VN_F32, &old) && old.min == -FLT_MAX && old.max == 7 && old.size == offsetof(vn_float_info, max));
}

TEST(bad_questions)
{
    vn_float_info f = {.size = sizeof f};
    vn_int_info i = {.size = sizeof i};
    vn_array *none = NULL;
    CHECK_FAILS(vn_finfo(VN_I32, &f), VN_E_DTYPE, "finfo: int32 has no fractions");
    CHECK_FAILS(vn_iinfo(VN_BOOL, &i), VN_E_DTYPE, "iinfo: bool is not an integer dtype");
    CHECK_FAILS(vn_iinfo(VN_F32, &i), VN_E_DTYPE, "float32");
    CHECK_FAILS(vn_finfo(99, &f), VN_E_DTYPE, "finfo: 99 is not a dtype");
    CHECK_FAILS(vn_iinfo(-1, &i), VN_E_DTYPE, "iinfo: -1 is not a dtype");
    CHECK_FAILS(vn_finfo(VN_F32, NULL), VN_E_NULL, "finfo: info is NULL");
    CHECK_FAILS(vn_iinfo(VN_I8, NULL), VN_E_NULL, "iinfo: info is NULL");
    CHECK_FAILS(vn_can_cast(VN_F32, VN_DTYPE_END), VN_E_DTYPE, "can_cast: 16 is not a dtype");
    CHECK_FAILS(vn_result_type(0, NULL, 0, NULL), VN_E_ARG, "result_type: 0 arrays and 0 dtypes");
    CHECK_FAILS(vn_result_type(1, NULL, 0, NULL), VN_E_NULL, "result_type: a list is NULL");
    CHECK_FAILS(vn_result_type(1, &none, 0, NULL), VN_E_NULL, "result_type: arrays is NULL");
    CHECK_FAILS(vn_result_type(0, NULL, 1, (int32_t[]){-3}), VN_E_DTYPE, "result_type: -3 is not a dtype");
    CHECK_FAILS(vn_result_type(0, NULL, 2, (int32_t[]){VN_U64, VN_I8}), VN_E_DTYPE, "result_type: uint64 and int8 have no common dtype");
}

static void released(void *user)
{
    (void)user;
}

/* A dtype that was never set is an error wherever one is needed, and what a failed call has. */
TEST(zero_is_no_dtype)
{
    static const float data[2] = {1, 2};
    const vn_option none = {.name = "dtype", .kind = VN_OPT_INT, .n = 1, .u = {.i = 0}};
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32), *key = vn_random_key_of(1), *out;
    vn_float_info f = {.size = sizeof f};
    CHECK(VN_BOOL == 1 && VN_NO_DTYPE == 0 && !(VN_ANY & VN_BIT(VN_NO_DTYPE)) && VN_ANY == (VN_BIT(VN_DTYPE_END) - 2));
    CHECK(!strcmp(vn_dtype_name(VN_NO_DTYPE), "unknown dtype") && vn_dtype_size(VN_NO_DTYPE) == 0);
    CHECK_FAILS(vn_zeros(VN_SHAPE(2), VN_NO_DTYPE), VN_E_DTYPE, "zeros: 0 is not a dtype; VN_BOOL (1) to VN_C128 (15) are");
    CHECK_FAILS(vn_cast(x, VN_NO_DTYPE), VN_E_DTYPE, "cast: 0 is not a dtype");
    CHECK_FAILS(vn_cast(x, VN_DTYPE_END), VN_E_DTYPE, "cast: 16 is not a dtype");
    CHECK_FAILS(vn_eye(2, 2, 0, VN_NO_DTYPE), VN_E_DTYPE, "eye: 0 is not a dtype");
    CHECK_FAILS(vn_one_hot(vn_zeros(VN_SHAPE(2), VN_I64), 3, VN_NO_DTYPE), VN_E_DTYPE, "one_hot: 0 is not a dtype");
    CHECK_FAILS(vn_one_hot(vn_zeros(VN_SHAPE(2), VN_I64), 3, VN_C64), VN_E_DTYPE, "one_hot: the result cannot be complex64");
    CHECK_FAILS(vn_normal(key, vn_scalar(0), vn_scalar(1), VN_SHAPE(2), VN_NO_DTYPE), VN_E_DTYPE, "normal: 0 is not a dtype");
    CHECK_FAILS(vn_call("cast", &x, 1, &none, 1, &out, 1), VN_E_DTYPE, "cast: 0 is not a dtype");
    CHECK_FAILS(vn_from_host(data, VN_NO_DTYPE, VN_SHAPE(2)), VN_E_DTYPE, "from_host: 0 is not a dtype");
    CHECK_FAILS(vn_wrap(data, VN_NO_DTYPE, VN_SHAPE(2), released, NULL), VN_E_DTYPE, "wrap: 0 is not a dtype");
    CHECK_FAILS(vn_array_from(data, VN_NO_DTYPE, 1, (const int64_t[]){2}), VN_E_DTYPE, "array_from: 0 is not a dtype");
    CHECK_FAILS(vn_engine_computes("native", "add", VN_NO_DTYPE), VN_E_DTYPE, "engine_computes: 0 is not a dtype");
    CHECK_FAILS(vn_init_array(vn_init_zeros(), VN_SHAPE(2), 1, 1, VN_NO_DTYPE), VN_E_DTYPE, "init_array: 0 is not a dtype");
    CHECK_FAILS(vn_finfo(VN_NO_DTYPE, &f), VN_E_DTYPE, "finfo: 0 is not a dtype");
    vn_error_push();
    CHECK(vn_dtype_of(NULL) == VN_NO_DTYPE && vn_result_type(0, NULL, 2, (int32_t[]){VN_U64, VN_I8}) == VN_NO_DTYPE);
    vn_error_pop();
}

/* Of shapes of up to four axes, each of size 0 to 3, exactly those broadcast whose arrays can be added, and to the shape of the sum. */
TEST(shapes_broadcast)
{
    uint32_t state = 12345;
    int fits = 0;
    for (int t = 0; t < 400; t++) {
        VN_SCOPE;
        int32_t ranks[3];
        int64_t sizes[3][VN_MAX_RANK], out[VN_MAX_RANK];
        vn_array *sum = vn_zeros(VN_0D, VN_F32);
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            ranks[k] = (int32_t)(state >> 29) % 5;
            vn_shape s = {ranks[k], {0}};
            for (int a = 0; a < ranks[k]; a++) {
                state = state * 1664525u + 1013904223u;
                s.dim[a] = sizes[k][a] = state >> 31 ? 1 : (int64_t)(state >> 28) % 4;
            }
            sum = vn_add(sum, vn_zeros(s, VN_F32));
        }
        const int rank = vn_broadcast_shapes(3, ranks, (const int64_t *const[]){sizes[0], sizes[1], sizes[2]}, out);
        CHECK((rank >= 0) == (sum != NULL));
        if (sum) {
            const vn_shape s = vn_shape_of(sum);
            CHECK(rank == s.rank && !memcmp(out, s.dim, (size_t)rank * sizeof *out));
            fits++;
        }
        vn_clear();
    }
    CHECK(fits > 20 && fits < 380);
}

TEST(shapes_that_do_not)
{
    const int64_t two[] = {2}, three[] = {3}, below[] = {-1}, *const lists[] = {two, three, below, NULL};
    int64_t out[VN_MAX_RANK];
    const int32_t one[] = {1, 1, 1, 1}, deep = VN_MAX_RANK + 1;
    CHECK(vn_broadcast_shapes(0, NULL, NULL, out) == 0 && vn_broadcast_shapes(1, one, lists, out) == 1 && out[0] == 2);
    CHECK_FAILS(vn_broadcast_shapes(2, one, lists, out), VN_E_SHAPE, "sizes 2 and 3 of axis -1 do not broadcast (shape 1)");
    CHECK_FAILS(vn_broadcast_shapes(1, one, lists + 2, out), VN_E_SHAPE, "shape 0 has size -1");
    CHECK_FAILS(vn_broadcast_shapes(1, one, lists + 3, out), VN_E_NULL, "shape 0 is NULL");
    CHECK_FAILS(vn_broadcast_shapes(1, &deep, lists, out), VN_E_SHAPE, "shape 0 has rank 33");
    CHECK_FAILS(vn_broadcast_shapes(-1, one, lists, out), VN_E_ARG, "-1 shapes");
    CHECK_FAILS(vn_broadcast_shapes(1, NULL, lists, out), VN_E_NULL, "a list is NULL");
    CHECK_FAILS(vn_broadcast_shapes(1, one, lists, NULL), VN_E_NULL, "a list is NULL");
}

TEST_MAIN
