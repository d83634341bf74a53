/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: rules, gradients and compositions of Fourier transforms. Three primitives transform one axis: dft (complex numbers), rdft (real
 * numbers to the first half of their spectrum) and irdft (back). The others cut or pad their input and apply these axis by axis. */
#include "ops/row.h"
#include "core/dtype.h"
#include <math.h>

/* What a transform is divided by: as the primitives' option norm, and the order of the texts of the public one for forward transforms. */
enum { BY_NOTHING, BY_ROOT, BY_LENGTH };

/* ---- dtypes ---- */

static int complex_of(int dtype)
{
    return dtype == VN_F64 || dtype == VN_C128 ? VN_C128 : VN_C64;
}

/* Complex results. Half precision is computed in float32, and where complex numbers are taken, real ones become complex. */
int dtype_spectrum(vn__infer *i)
{
    const int given = i->in[0]->dtype, code = vn__rule_accept(i, given);
    i->dtype = complex_of(given);
    i->want[0] = vn__is(VN_C64, i->op->info.dtypes) ? i->dtype : vn__part_dtype(i->dtype);
    return code;
}

/* Real results of complex numbers. */
int dtype_signal(vn__infer *i)
{
    const int code = dtype_spectrum(i);
    i->dtype = vn__part_dtype(i->dtype);
    return code;
}

int dtype_frequency(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_FFTFREQ_DTYPE);
}

/* ---- shapes ---- */

static int no_elements(vn__infer *i, int64_t axis)
{
    char s[128];
    FAIL(VN_E_SHAPE, "a transform of length 0 does not exist: axis %lld of x %s is too short, and no length is given (%s)", (long long)axis,
         shape_text(i->in[0], s), i->engine);
}

/* The lengths n or s of the transforms of these axes become sizes of the result; those that are not given are x's own, but for the last
 * axis twice its size less 2 if `doubled`. */
static int lengths(vn__infer *i, int n_axes, const int64_t *axes, int n, const int64_t *given, bool doubled)
{
    shape_same(i);
    if (n && n != n_axes) FAIL(VN_E_ARG, "%d sizes in s for %d axes (%s)", n, n_axes, i->engine);
    for (int k = 0; k < n_axes; k++) {
        int64_t *d = &i->dims[axes[k]];
        if (n && given[k] < 1) FAIL(VN_E_ARG, "size %lld in s, at least 1 is needed (%s)", (long long)given[k], i->engine);
        if (n) *d = given[k];
        else if (doubled && k == n_axes - 1 && __builtin_mul_overflow(*d - 1, 2, d)) *d = 0;
        if (*d < 1) return no_elements(i, axes[k]);
    }
    return VN_OK;
}

static int one_axis(vn__infer *i, bool doubled)
{
    const int code = vn__rule_axis(i, OPT_FFT_AXIS, i->in[0]->rank);
    const int64_t *n = &i->options->v[OPT_FFT_N].u.i;
    return code ? code : lengths(i, 1, &i->options->v[OPT_FFT_AXIS].u.i, *n != 0, n, doubled);
}

static int several_axes(vn__infer *i, bool doubled)
{
    const int code = vn__rule_order(i, OPT_FFTN_AXES, i->in[0]->rank);
    return code ? code
                : lengths(i, i->options->v[OPT_FFTN_AXES].n, i->options->v[OPT_FFTN_AXES].is, i->options->v[OPT_FFTN_S].n,
                          i->options->v[OPT_FFTN_S].is, doubled);
}

/* The last of the axes, which is the one where real numbers are transformed. */
static int last_axis(vn__infer *i)
{
    const int n = i->options->v[OPT_FFTN_AXES].n;
    char s[128];
    if (n < 1) FAIL(VN_E_ARG, "at least one axis is needed (x %s, %s)", shape_text(i->in[0], s), i->engine);
    return VN_OK;
}

static int64_t half(int64_t n)
{
    return n / 2 + 1;
}

int shape_fft(vn__infer *i)
{
    return one_axis(i, false);
}

int shape_fftn(vn__infer *i)
{
    return several_axes(i, false);
}

int shape_rfft(vn__infer *i)
{
    const int code = one_axis(i, false);
    int64_t *d = code ? NULL : &i->dims[i->options->v[OPT_RFFT_AXIS].u.i];
    if (d) *d = half(*d);
    return code;
}

int shape_irfft(vn__infer *i)
{
    return one_axis(i, true);
}

int shape_rfftn(vn__infer *i)
{
    int code = several_axes(i, false);
    if (!code) code = last_axis(i);
    if (code) return code;
    int64_t *d = &i->dims[i->options->v[OPT_RFFTN_AXES].is[i->options->v[OPT_RFFTN_AXES].n - 1]];
    *d = half(*d);
    return VN_OK;
}

int shape_irfftn(vn__infer *i)
{
    const int code = several_axes(i, true);
    return code ? code : last_axis(i);
}

int shape_shift(vn__infer *i)
{
    const int code = vn__rule_order(i, OPT_FFTSHIFT_AXES, i->in[0]->rank);
    return code ? code : shape_same(i);
}

int shape_fftfreq(vn__infer *i)
{
    const double d = vn__real(i, OPT_FFTFREQ_D);
    if (!isfinite(d) || d == 0) FAIL(VN_E_ARG, "d is %g; a finite number other than 0 is needed", d);
    vn__rule_result(i, 1, &i->options->v[OPT_FFTFREQ_N].u.i);
    return VN_OK;
}

int shape_rfftfreq(vn__infer *i)
{
    const int code = shape_fftfreq(i);
    if (!code) i->dims[0] = half(i->dims[0]);
    return code;
}

int shape_rdft(vn__infer *i)
{
    shape_same(i);
    if (i->rank < 1 || i->dims[i->rank - 1] < 1) FAIL(VN_E_SHAPE, "x has no last axis, or it is empty (%s)", i->engine);
    i->dims[i->rank - 1] = half(i->dims[i->rank - 1]);
    return VN_OK;
}

int shape_irdft(vn__infer *i)
{
    shape_same(i);
    i->dims[i->rank - 1] = i->options->v[OPT_IRDFT_N].u.i;
    return VN_OK;
}

/* ---- compositions ---- */

vn_array *vn__fitted(vn_array *x, int axis, int64_t n)
{
    const int64_t size = x ? vn_dim(x, axis) : 0;
    if (!x || n == size) return x;
    if (n < size) return vn__piece(x, axis, 0, n);
    vn_shape before = {.rank = vn_rank(x)}, after = before;
    after.dim[axis] = n - size;
    return vn_pad(x, before, after, NULL);
}

/* The division by which norm applies to a transform, or to an inverse one. */
static int division(const vn__infer *i, int option, bool inverse)
{
    const int of_forward = vn__choice(i, option);
    return inverse ? BY_LENGTH - of_forward : of_forward;
}

/* The input in the dtype of computation */
static vn_array *taken(vn_array *const *in, const vn__infer *i)
{
    return vn_dtype_of(in[0]) == (vn_dtype)i->want[0] ? in[0] : vn_cast(in[0], (vn_dtype)i->want[0]);
}

static vn_array *real_transform(vn_array *x, int axis, int norm)
{
    const int last = x ? vn_rank(x) - 1 : 0;
    return axis == last ? vn__rdft(x, norm) : vn__move_axis(vn__rdft(vn__move_axis(x, axis, last), norm), last, axis);
}

/* To n real numbers along the axis */
static vn_array *back_to_real(vn_array *x, int axis, int64_t n, int norm)
{
    const int last = x ? vn_rank(x) - 1 : 0;
    x = vn__fitted(x, axis, half(n));
    return axis == last ? vn__irdft(x, n, norm) : vn__move_axis(vn__irdft(vn__move_axis(x, axis, last), n, norm), last, axis);
}

static int axis_of(const vn__infer *i)
{
    return (int)i->options->v[OPT_FFT_AXIS].u.i;
}

static vn_array *along(vn_array *x, const vn__infer *i, bool inverse)
{
    const int axis = axis_of(i);
    return vn__dft(vn__fitted(x, axis, i->dims[axis]), axis, inverse, division(i, OPT_FFT_NORM, inverse));
}

vn_array *compose_fft(vn_array *const *in, const vn__infer *i)
{
    return along(taken(in, i), i, false);
}

vn_array *compose_ifft(vn_array *const *in, const vn__infer *i)
{
    return along(taken(in, i), i, true);
}

/* The length of a transform whose result keeps half of it: the option, or x's own. */
static int64_t length_or(int64_t given, const vn_array *x, int axis)
{
    return given ? given : vn_dim(x, axis);
}

static vn_array *half_spectrum(vn_array *x, const vn__infer *i, bool inverse)
{
    const int axis = axis_of(i);
    const int64_t n = length_or(i->options->v[OPT_RFFT_N].u.i, x, axis);
    return real_transform(vn__fitted(x, axis, n), axis, division(i, OPT_RFFT_NORM, inverse));
}

vn_array *compose_rfft(vn_array *const *in, const vn__infer *i)
{
    return half_spectrum(taken(in, i), i, false);
}

/* Real numbers have conjugate transforms forwards and back. */
vn_array *compose_ihfft(vn_array *const *in, const vn__infer *i)
{
    return vn_conj(half_spectrum(taken(in, i), i, true));
}

vn_array *compose_irfft(vn_array *const *in, const vn__infer *i)
{
    const int axis = axis_of(i);
    return back_to_real(taken(in, i), axis, i->dims[axis], division(i, OPT_IRFFT_NORM, true));
}

vn_array *compose_hfft(vn_array *const *in, const vn__infer *i)
{
    const int axis = axis_of(i);
    return back_to_real(vn_conj(taken(in, i)), axis, i->dims[axis], division(i, OPT_HFFT_NORM, false));
}

/* Transforms axes first ... end - 1 of the list, the last one first. */
static vn_array *over_axes(vn_array *x, const vn__infer *i, int end, bool inverse)
{
    const int64_t *axes = i->options->v[OPT_FFTN_AXES].is;
    for (int k = end - 1; k >= 0 && x; k--)
        x = vn__dft(vn__fitted(x, (int)axes[k], i->dims[axes[k]]), axes[k], inverse, division(i, OPT_FFTN_NORM, inverse));
    return x;
}

vn_array *compose_fftn(vn_array *const *in, const vn__infer *i)
{
    return over_axes(taken(in, i), i, i->options->v[OPT_FFTN_AXES].n, false);
}

vn_array *compose_ifftn(vn_array *const *in, const vn__infer *i)
{
    return over_axes(taken(in, i), i, i->options->v[OPT_IFFTN_AXES].n, true);
}

vn_array *compose_rfftn(vn_array *const *in, const vn__infer *i)
{
    const int last = i->options->v[OPT_RFFTN_AXES].n - 1, axis = (int)i->options->v[OPT_RFFTN_AXES].is[last];
    const int64_t n = length_or(i->options->v[OPT_RFFTN_S].n ? i->options->v[OPT_RFFTN_S].is[last] : 0, in[0], axis);
    return over_axes(real_transform(vn__fitted(taken(in, i), axis, n), axis, division(i, OPT_RFFTN_NORM, false)), i, last, false);
}

vn_array *compose_irfftn(vn_array *const *in, const vn__infer *i)
{
    const int last = i->options->v[OPT_IRFFTN_AXES].n - 1, axis = (int)i->options->v[OPT_IRFFTN_AXES].is[last];
    return back_to_real(over_axes(taken(in, i), i, last, true), axis, i->dims[axis], division(i, OPT_IRFFTN_NORM, true));
}

/* Moves n / 2 elements of each axis to the other end, or back. */
static vn_array *shifted(vn_array *x, const vn__infer *i, bool back)
{
    vn_axes axes = {.n = i->options->v[OPT_FFTSHIFT_AXES].n};
    vn_shape by = {.rank = axes.n};
    for (int k = 0; k < axes.n; k++) {
        axes.axis[k] = i->options->v[OPT_FFTSHIFT_AXES].is[k];
        by.dim[k] = back ? -(i->dims[axes.axis[k]] / 2) : i->dims[axes.axis[k]] / 2;
    }
    return axes.n ? vn_roll(x, by, axes) : x;
}

vn_array *compose_fftshift(vn_array *const *in, const vn__infer *i)
{
    return shifted(in[0], i, false);
}

vn_array *compose_ifftshift(vn_array *const *in, const vn__infer *i)
{
    return shifted(in[0], i, true);
}

/* x / (n d), rounded once */
static vn_array *frequencies(vn_array *x, const vn__infer *i)
{
    const double samples = (double)i->options->v[OPT_FFTFREQ_N].u.i;
    return vn_cast(vn_div(x, vn_scalar(samples * vn__real(i, OPT_FFTFREQ_D))), (vn_dtype)i->dtype);
}

vn_array *compose_fftfreq(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->dims[0];
    (void)in;
    return frequencies(vn_ifftshift(vn_arange(-(double)(n / 2), (double)(n - n / 2), 1, VN_F64), VN_AXES(0)), i);
}

vn_array *compose_rfftfreq(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return frequencies(vn_arange(0, (double)i->dims[0], 1, VN_F64), i);
}

/* ---- gradients: transforms are linear, so these are their adjoints ---- */

vn_array *vjp_dft(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn__dft(a->ct, a->options[OPT_DFT_AXIS].u.i, !a->options[OPT_DFT_INVERSE].u.i, a->options[OPT_DFT_NORM].u.i);
}

/* x times `inner`, but for the elements of the last axis that stand for themselves only: the first and, for an even n, number n / 2. */
static vn_array *weighted(vn_array *x, int64_t n, double inner)
{
    const int64_t m = half(n);
    vn_array *k = vn__positions(x, m), *alone = vn_equal(k, vn_scalar(0));
    if (n % 2 == 0) alone = vn_logical_or(alone, vn_equal(k, vn_scalar((double)(m - 1))));
    return vn_mul(x, vn_where(alone, vn__number(x, 1), vn_scalar(inner)));
}

/* irdft counts every other element twice, once for its mirror image. */
vn_array *vjp_rdft(const vn__vjp_args *a, int k)
{
    const int64_t n = vn_dim(a->in[k], vn_rank(a->in[k]) - 1);
    return vn__irdft(weighted(a->ct, n, .5), n, a->options[OPT_RDFT_NORM].u.i);
}

vn_array *vjp_irdft(const vn__vjp_args *a, int k)
{
    (void)k;
    return weighted(vn__rdft(a->ct, a->options[OPT_IRDFT_NORM].u.i), a->options[OPT_IRDFT_N].u.i, 2);
}
