/* SPDX-License-Identifier: Apache-2.0 */
/* complex.c: ops on the parts of complex numbers, and gradients of ops that are not complex differentiable.
 *
 * The gradient of a real L with respect to z = a + ib is dL/da + i dL/db: it points where L grows. With <u, v> = Re(conj(u) v) the gradient
 * of a function is the adjoint of its differential. */
#include <math.h>

#include "ops/row.h"
#include "core/dtype.h"

static bool is_complex(const vn_array *x)
{
    return x && vn__is(vn_dtype_of(x), VN_COMPLEX);
}

vn_array *vn__conjugate(vn_array *x)
{
    return is_complex(x) ? vn_conj(x) : x;
}

/* ---- rules ---- */

/* Parts and absolute values of complex numbers are real; real numbers keep their dtype. */
int dtype_part(vn__infer *i)
{
    i->dtype = vn__part_dtype(i->in[0]->dtype);
    return vn__rule_accept(i, i->in[0]->dtype);
}

/* Two real numbers of a common dtype; half precision becomes float32. */
int dtype_complex(vn__infer *i)
{
    int code = dtype_promote(i);
    if (code) return code;
    int part = i->dtype == VN_F64 ? VN_F64 : VN_F32;
    i->want[0] = i->want[1] = part;
    i->dtype = part == VN_F64 ? VN_C128 : VN_C64;
    return VN_OK;
}

/* ---- compositions ---- */

/* Real numbers equal their real part and conjugate. */
vn_array *compose_of_complex(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return is_complex(in[0]) ? VN__AS_IS : in[0];
}

vn_array *compose_imag(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return is_complex(in[0]) ? VN__AS_IS : vn_zeros_like(in[0]);
}

/* Of real numbers it is a constant on both sides of 0, and so is its derivative there, where that of atan2 is 0 / 0. */
vn_array *compose_angle(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    vn_array *x = in[0];
    if (is_complex(x)) return vn_atan2(vn_imag(x), vn_real(x));
    vn_array *pi = vn_full_like(x, vn_scalar(M_PI));
    return vn_where(vn_isnan(x), x, vn_where(vn_signbit(x), pi, vn_zeros_like(x)));
}

vn_array *compose_round(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return is_complex(in[0]) ? vn_complex(vn_round(vn_real(in[0])), vn_round(vn_imag(in[0]))) : VN__AS_IS;
}

/* ---- gradients ---- */

vn_array *vjp_complex(const vn__vjp_args *a, int k)
{
    return vn__sum_to(k ? vn_imag(a->ct) : vn_real(a->ct), a->in[k]);
}

vn_array *vjp_real(const vn__vjp_args *a, int k)
{
    return vn_cast(a->ct, vn_dtype_of(a->in[k]));
}

vn_array *vjp_imag(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn_complex(vn_scalar(0), a->ct);
}

vn_array *vjp_conj(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn_conj(a->ct);
}

vn_array *vjp_round(const vn__vjp_args *a, int k)
{
    return vn_zeros_like(a->in[k]);
}

vn_array *vjp_abs(const vn__vjp_args *a, int k)
{
    return vn_mul(a->ct, vn_sign(a->in[k]));
}

/* s = x / |x| changes only its angle: the part of ct along s has no effect, the part orthogonal to it is i s Im(conj(s) ct), times 1 / |x|.
 */
vn_array *vjp_sign(const vn__vjp_args *a, int k)
{
    vn_array *x = a->in[k], *s = a->out;
    if (!is_complex(x)) return vn_zeros_like(x);
    vn_array *size = vn_abs(x), *across = vn_imag(vn_mul(vn_conj(s), a->ct));
    vn_array *turn = vn_div(across, vn_where(vn_equal(size, vn_scalar(0)), vn_scalar(1), size));
    return vn_mul(s, vn_complex(vn_scalar(0), turn));
}
