/* SPDX-License-Identifier: Apache-2.0 */
/* nan.c: reductions and cumulative sums that leave NaN out, and the larger and smaller of two numbers that do. */
#include "ops/row.h"
#include <math.h>
#include "core/dtype.h"

_Static_assert(AGREE(NANVAR, VAR, AXES) && AGREE(NANVAR, VAR, CORRECTION) && AGREE(NANSTD, VAR, CORRECTION) &&
                   AGREE(NANSUM, SUM, KEEPDIMS) && AGREE(NANCUMSUM, CUMULATIVE_SUM, REVERSE) &&
                   AGREE(NANCUMPROD, CUMULATIVE_SUM, INCLUDE_INITIAL),
               "the rows number their options alike");

/* x with a number in place of NaN. */
static vn_array *filled(vn_array *x, double with)
{
    return vn__is(vn_dtype_of(x), VN_INEXACT) ? vn_where(vn_isnan(x), vn_scalar(with), x) : x;
}

static vn_axes axes_of(const vn__infer *i)
{
    return vn__axes_of(i, (int)i->options->v[OPT_NANSUM_KEEPDIMS].u.i);
}

/* ---- sums ---- */

vn_array *compose_nansum(vn_array *const *in, const vn__infer *i)
{
    return vn_sum(filled(in[0], 0), axes_of(i));
}
vn_array *compose_nanprod(vn_array *const *in, const vn__infer *i)
{
    return vn_prod(filled(in[0], 1), axes_of(i));
}

/* How many elements are numbers, in the dtype of the real parts of x. */
static vn_array *count_of(vn_array *x, vn_axes axes)
{
    const vn_dtype d = vn_dtype_of(x), part = d == VN_C64 ? VN_F32 : d == VN_C128 ? VN_F64 : d;
    return vn_cast(vn_count_nonzero(vn_logical_not(vn_isnan(x)), axes), part);
}

/* Complex numbers are divided part by part, as in mean. */
static vn_array *mean_of(vn_array *x, vn_axes axes)
{
    vn_array *total = vn_sum(filled(x, 0), axes), *n = count_of(x, axes);
    if (vn__is(vn_dtype_of(x), VN_COMPLEX)) return vn_complex(vn_div(vn_real(total), n), vn_div(vn_imag(total), n));
    return vn_div(total, n);
}

vn_array *compose_nanmean(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(mean_of(vn__widen(in[0]), axes_of(i)), i);
}

static vn_array *variance(vn_array *x, const vn__infer *i)
{
    vn_array *d = vn_where(vn_isnan(x), vn_scalar(0), vn_sub(x, mean_of(x, vn__axes_of(i, 1))));
    vn_array *n = vn_sub(count_of(x, axes_of(i)), vn_scalar(i->options->v[OPT_NANVAR_CORRECTION].u.f));
    return vn_div(vn_sum(vn_square(d), axes_of(i)), vn_where(vn__above_0(n), n, vn_scalar(NAN)));
}

vn_array *compose_nanvar(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(variance(vn__widen(in[0]), i), i);
}
vn_array *compose_nanstd(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = variance(vn__widen(in[0]), i), *none = vn_equal(v, vn_scalar(0));
    return vn__narrow(vn_where(none, vn_scalar(0), vn_sqrt(vn_where(none, vn_scalar(1), v))), i);
}

static vn_cumulative_sum_opts cumulative_opts(const vn__infer *i)
{
    return (vn_cumulative_sum_opts){.size = sizeof(vn_cumulative_sum_opts),
                                    .reverse = (int)i->options->v[OPT_NANCUMSUM_REVERSE].u.i,
                                    .include_initial = (int)i->options->v[OPT_NANCUMSUM_INCLUDE_INITIAL].u.i};
}
vn_array *compose_nancumsum(vn_array *const *in, const vn__infer *i)
{
    const vn_cumulative_sum_opts opts = cumulative_opts(i);
    return vn_cumulative_sum(filled(in[0], 0), i->options->v[OPT_NANCUMSUM_AXIS].u.i, &opts);
}
vn_array *compose_nancumprod(vn_array *const *in, const vn__infer *i)
{
    const vn_cumulative_sum_opts opts = cumulative_opts(i);
    return vn_cumulative_prod(filled(in[0], 1), i->options->v[OPT_NANCUMPROD_AXIS].u.i, &opts);
}

/* ---- extremes ---- */

static vn_array *extreme(vn_array *x, const vn__infer *i, double none, vn_array *(*of)(vn_array *, vn_axes))
{
    if (!vn__is(i->dtype, VN_FLOATS)) return of(x, axes_of(i));
    return vn_where(vn_all(vn_isnan(x), axes_of(i)), vn_scalar(NAN), of(filled(x, none), axes_of(i)));
}

vn_array *compose_nanmax(vn_array *const *in, const vn__infer *i)
{
    return extreme(in[0], i, -INFINITY, vn_max);
}
vn_array *compose_nanmin(vn_array *const *in, const vn__infer *i)
{
    return extreme(in[0], i, INFINITY, vn_min);
}

/* Where one is NaN the other takes its place. */
static vn_array *number_of(vn_array *const *in, const vn__infer *i, vn_array *(*of)(vn_array *, vn_array *))
{
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype);
    if (!vn__is(i->dtype, VN_FLOATS)) return of(x, y);
    vn_array *no_x = vn_isnan(x), *no_y = vn_isnan(y);
    return of(vn_where(no_x, y, x), vn_where(no_y, x, y));
}

vn_array *compose_fmax(vn_array *const *in, const vn__infer *i)
{
    return number_of(in, i, vn_maximum);
}
vn_array *compose_fmin(vn_array *const *in, const vn__infer *i)
{
    return number_of(in, i, vn_minimum);
}
