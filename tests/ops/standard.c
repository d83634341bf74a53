/* SPDX-License-Identifier: Apache-2.0 */
/* standard.c: the functions of the Array API standard 2025.12. Each names an op, for vn_call and vn_op_named, or is told here what does it
 * in C instead. */
/* ctest: faults */
/* ctest: shared */
#include "check.h"

/* By chapter, as the standard lists them; those of extensions last. */
static const char functions[] =
    "arange empty empty_like eye full full_like linspace ones ones_like tril triu zeros zeros_like "
    "astype "
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift "
    "bitwise_xor "
    "ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less "
    "less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter "
    "not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc "
    "take take_along_axis "
    "matmul matrix_transpose tensordot vecdot "
    "broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile "
    "argmax argmin count_nonzero nonzero searchsorted where "
    "isin unique_all unique_counts unique_inverse unique_values "
    "argsort sort "
    "cumulative_prod cumulative_sum max mean min prod std sum var "
    "all any diff "
    "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_power matrix_rank outer pinv qr slogdet solve svd "
    "svdvals trace "
    "vector_norm "
    "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift";

/* Not ops: what does it instead, whose address shows that it is there. */
typedef void (*function)(void);
#define DONE_BY(name, fn)    \
    {                        \
        name, (function)(fn) \
    }
static const struct {
    const char *name;
    function fn;
} others[] = {
    DONE_BY("asarray", vn_from_host),
    DONE_BY("from_dlpack", vn_from_dlpack),
    DONE_BY("meshgrid", vn_meshgrid),
    DONE_BY("can_cast", vn_can_cast),
    DONE_BY("finfo", vn_finfo),
    DONE_BY("iinfo", vn_iinfo),
    DONE_BY("result_type", vn_result_type), /* isdtype: the sets of types.h, VN_BIT(dtype) & VN_FLOATS */
    DONE_BY("isdtype", vn_dtype_of),
    DONE_BY("unstack", vn_unstack),
    DONE_BY("broadcast_arrays", vn_broadcast_arrays),
    DONE_BY("broadcast_shapes", vn_broadcast_arrays),
};

TEST(names)
{
    int n = 0;
    char name[64];
    for (const char *at = functions; sscanf(at, "%63s", name) == 1; at += strlen(name), at += strspn(at, " "), n++) {
        vn_op_info info = {.size = sizeof info};
        check_name = name;
        CHECK(vn_op_named(name, &info) == VN_OK && (!strcmp(info.name, name) || !strcmp(info.alias, name)));
        CHECK(vn_op_number(name) >= 0);
        vn_clear();
    }
    CHECK(n == 159);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        check_name = others[k].name;
        CHECK(others[k].fn && vn_op_number(others[k].name) < 0);
        vn_clear();
    }
}

TEST_MAIN
