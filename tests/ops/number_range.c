/* SPDX-License-Identifier: Apache-2.0 */
/* number_range.c: a C number on its way into an array, as a fill value or as a number in an expression: an integer dtype takes the
 * integers it has and refuses every other number, in the same words each time. Floats take all. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

static const struct {
    vn_dtype dtype;
    double low, high; /* the ends of the range that are doubles */
} ranges[] = {{VN_I8, -0x1p7, 0x1p7 - 1}, {VN_I16, -0x1p15, 0x1p15 - 1}, {VN_I32, -0x1p31, 0x1p31 - 1}, {VN_I64, -0x1p63, 0x1p63 - 1024},
              {VN_U8, 0, 0x1p8 - 1},      {VN_U16, 0, 0x1p16 - 1},       {VN_U32, 0, 0x1p32 - 1},       {VN_U64, 0, 0x1p64 - 2048}};
enum { RANGES = sizeof ranges / sizeof *ranges };

/* Each way for a number to get into an array. */
static vn_array *full(double v, vn_dtype dtype)
{
    return vn_full(vn_scalar(v), VN_SHAPE(2, 3), dtype);
}
static vn_array *full_like(double v, vn_dtype dtype)
{
    return vn_full_like(vn_zeros(VN_SHAPE(2, 3), dtype), vn_scalar(v));
}
static vn_array *expression(double v, vn_dtype dtype)
{
    return vn_add(vn_zeros(VN_SHAPE(2, 3), dtype), vn_scalar(v));
}
static const struct {
    vn_array *(*make)(double v, vn_dtype dtype);
    const char *name;
} ways[] = {{full, "full"}, {full_like, "full_like"}, {expression, "add"}};
enum { WAYS = sizeof ways / sizeof *ways };

static void taken(double v, vn_dtype dtype)
{
    for (int k = 0; k < WAYS; k++) {
        vn_array *x = ways[k].make(v, dtype), *first = vn_slice_at(x, VN_SHAPE(1, 2), VN_SHAPE(1, 1));
        CHECK(x && vn_size(x) == 6 && vn_dtype_of(x) == dtype && vn_item(first) == v);
    }
}

static void refused(double v, vn_dtype dtype)
{
    for (int k = 0; k < WAYS; k++) {
        char text[200];
        snprintf(text, sizeof text, "%s: the number %g does not fit into %s (%s); a dtype that holds it is needed", ways[k].name, v,
                 vn_dtype_name(dtype), vn_using());
        CHECK_FAILS(ways[k].make(v, dtype), VN_E_DTYPE, text);
    }
}

TEST(ends_of_ranges)
{
    for (int k = 0; k < RANGES; k++) {
        const vn_dtype d = ranges[k].dtype;
        taken(0, d), taken(1, d), taken(ranges[k].low, d), taken(ranges[k].high, d);
        refused(ranges[k].high * 2 + 2, d), refused(nextafter(ranges[k].high, INFINITY) + 1, d);
        refused(ranges[k].low * 2 - 1, d), refused(nextafter(ranges[k].low, -INFINITY), d);
        refused(1e20, d), refused(-1e20, d), refused(INFINITY, d), refused(-INFINITY, d), refused(NAN, d);
        refused(1.5, d), refused(-.5, d), refused(1e-300, d);
    }
}

TEST(bools)
{
    CHECK(vn_item_int(vn_full(vn_scalar(0), VN_0D, VN_BOOL)) == 0 && vn_item_int(vn_full(vn_scalar(1), VN_0D, VN_BOOL)) == 1);
    CHECK_FAILS(vn_full(vn_scalar(2), VN_0D, VN_BOOL), VN_E_DTYPE, "full: the number 2 does not fit into bool");
    CHECK_FAILS(vn_full(vn_scalar(NAN), VN_0D, VN_BOOL), VN_E_DTYPE, "full: the number nan does not fit into bool");
}

/* Rounded, or infinite. */
TEST(floats)
{
    static const vn_dtype dtypes[] = {VN_F16, VN_BF16, VN_F32, VN_F64};
    for (int k = 0; k < 4; k++) {
        for (int w = 0; w < WAYS; w++) {
            vn_array *x = vn_slice_at(ways[w].make(1e300, dtypes[k]), VN_SHAPE(0, 1), VN_SHAPE(1, 1));
            CHECK(vn_item(x) == (dtypes[k] == VN_F64 ? 1e300 : INFINITY));
            CHECK(isnan(vn_item(vn_max(ways[w].make(NAN, dtypes[k]), VN_ALL))));
        }
    }
}

/* An empty array holds no number, and is refused all the same: the shape does not decide what is an error. */
TEST(empty)
{
    CHECK_FAILS(vn_full(vn_scalar(1e20), VN_SHAPE(0), VN_I32), VN_E_DTYPE, "full: the number 1e+20 does not fit into int32");
    CHECK(vn_size(vn_full(vn_scalar(7), VN_SHAPE(0, 3), VN_I32)) == 0);
}

TEST_MAIN
