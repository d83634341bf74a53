/* SPDX-License-Identifier: Apache-2.0 */
/* promotion.c: questions about dtypes, answered from the table that ops promote by (dtype.c), and the shape that shapes broadcast to. */
#include "core/dtype.h"
#include "core/options.h"
#include "core/state.h"
#include "program/node.h"
#include <math.h>

static int check_dtype(const char *who, int dtype)
{
    return vn__is_dtype(dtype) ? VN_OK : vn__refuse_dtype(who, dtype);
}

/* The dtype that joins what is common so far (VN_NO_DTYPE: nothing yet); VN_NO_DTYPE with the error set if there is none. */
static int join(int common, int dtype)
{
    const int p = common ? vn__promote(common, dtype) : dtype;
    if (p) return p;
    vn__fail(VN_E_DTYPE, "result_type: %s and %s have no common dtype; cast one of them", vn_dtype_name((vn_dtype)common),
             vn_dtype_name((vn_dtype)dtype));
    return VN_NO_DTYPE;
}

int vn_result_type(int n_arrays, vn_array *const *arrays, int n_dtypes, const int32_t *dtypes)
{
    int common = VN_NO_DTYPE;
    uint32_t weak = 0;
    if (n_arrays < 0 || n_dtypes < 0 || n_arrays + (int64_t)n_dtypes < 1)
        return vn__fail(VN_E_ARG, "result_type: %d arrays and %d dtypes; one is needed at least", n_arrays, n_dtypes), VN_NO_DTYPE;
    if ((n_arrays && !arrays) || (n_dtypes && !dtypes)) return vn__fail(VN_E_NULL, "result_type: a list is NULL"), VN_NO_DTYPE;
    for (int k = 0; k < n_arrays; k++) {
        if (!vn__check(arrays[k], VN__ARRAY, "result_type", "arrays")) return VN_NO_DTYPE;
        const vn__node *x = vn__node_of(arrays[k]);
        if (x->flags & VN__WEAK) weak |= VN_BIT(x->dtype);
        else if (!(common = join(common, x->dtype))) return VN_NO_DTYPE;
    }
    for (int k = 0; k < n_dtypes; k++) {
        if (check_dtype("result_type", dtypes[k]) || !(common = join(common, dtypes[k]))) return VN_NO_DTYPE;
    }
    return weak ? vn__promote_weak(common, weak) : common;
}

/* Shape k, counted from the last axis, joins those before it. */
static int join_shape(int k, int32_t rank, const int64_t *dims, int64_t *reversed)
{
    if (rank < 0 || rank > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "broadcast_shapes: shape %d has rank %d", k, rank);
    if (rank && !dims) return vn__fail(VN_E_NULL, "broadcast_shapes: shape %d is NULL", k);
    for (int32_t a = 0; a < rank; a++) {
        const int64_t size = dims[rank - 1 - a], before = reversed[a];
        if (size < 0) return vn__fail(VN_E_SHAPE, "broadcast_shapes: shape %d has size %lld", k, (long long)size);
        if (size != before && size != 1 && before != 1)
            return vn__fail(VN_E_SHAPE, "broadcast_shapes: sizes %lld and %lld of axis %d do not broadcast (shape %d)", (long long)before,
                            (long long)size, -1 - a, k);
        if (before == 1) reversed[a] = size;
    }
    return VN_OK;
}

int vn_broadcast_shapes(int n, const int32_t *ranks, const int64_t *const *dims, int64_t *out)
{
    int64_t reversed[VN_MAX_RANK];
    int32_t most = 0;
    for (int a = 0; a < VN_MAX_RANK; a++) reversed[a] = 1;
    if (n < 0) return vn__fail(VN_E_ARG, "broadcast_shapes: %d shapes", n), -1;
    if ((n && (!ranks || !dims)) || !out) return vn__fail(VN_E_NULL, "broadcast_shapes: a list is NULL"), -1;
    for (int k = 0; k < n; k++) {
        if (join_shape(k, ranks[k], dims[k], reversed)) return -1;
        if (ranks[k] > most) most = ranks[k];
    }
    for (int32_t a = 0; a < most; a++) out[a] = reversed[most - 1 - a];
    return most;
}

int vn_can_cast(int from, int to)
{
    if (check_dtype("can_cast", from) || check_dtype("can_cast", to)) return -1;
    return vn__promote(from, to) == to;
}

int vn_finfo(int dtype, vn_float_info *info)
{
    static const struct {
        int fraction, exponent; /* bits */
    } formats[VN_DTYPE_END] = {[VN_F16] = {10, 5}, [VN_BF16] = {7, 8}, [VN_F32] = {23, 8}, [VN_F64] = {52, 11}};
    const int code = check_dtype("finfo", dtype);
    if (code) return code;
    if (!vn__is(dtype, VN_INEXACT))
        return vn__fail(VN_E_DTYPE, "finfo: %s has no fractions; a float or complex dtype is needed", vn_dtype_name((vn_dtype)dtype));
    const int part = vn__part_dtype(dtype), bias = (1 << (formats[part].exponent - 1)) - 1;
    const double eps = ldexp(1, -formats[part].fraction), max = ldexp(2 - eps, bias);
    const vn_float_info all = {.dtype = (vn_dtype)part,
                               .bits = 8 * (int)vn_dtype_size((vn_dtype)part),
                               .eps = eps,
                               .max = max,
                               .min = -max,
                               .smallest_normal = ldexp(1, 1 - bias)};
    return VN__GIVE("finfo", vn_float_info, info, &all);
}

int vn_iinfo(int dtype, vn_int_info *info)
{
    const int code = check_dtype("iinfo", dtype);
    if (code) return code;
    if (!vn__is(dtype, VN_INTS)) return vn__fail(VN_E_DTYPE, "iinfo: %s is not an integer dtype", vn_dtype_name((vn_dtype)dtype));
    const int bits = 8 * (int)vn_dtype_size((vn_dtype)dtype);
    const bool is_signed = vn__is(dtype, VN_SIGNED);
    const vn_int_info all = {.dtype = (vn_dtype)dtype,
                             .bits = bits,
                             .min = is_signed ? INT64_MIN >> (64 - bits) : 0,
                             .max = UINT64_MAX >> (64 - bits) >> is_signed};
    return VN__GIVE("iinfo", vn_int_info, info, &all);
}
