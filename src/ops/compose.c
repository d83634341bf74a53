/* compose.c: ops written in other ops. A composition sees normalised options; it returns the result, NULL with the error set, or
 * VN__AS_IS when the row itself shall be recorded. */
#include "ops/compose.h"

vn_array vn__as_is;

vn_array *compose_mean(vn_array *const *in, const vn__options *o)
{
    vn_array *x = in[0];
    vn_axes axes = {o->v[0].n, (int32_t)o->v[1].u.i, {0}};
    memcpy(axes.axis, o->v[0].is, sizeof axes.axis);
    double n = 1;
    for (int k = 0; k < axes.n; k++) n *= (double)vn_dim(x, (int)axes.axis[k]);
    vn_dtype d = vn_dtype_of(x);
    bool half = vn__is(d, VN_HALVES); /* the sum of a large half array would overflow */
    vn_array *m = vn_mul(vn_sum(half ? vn_cast(x, VN_F32) : x, axes), vn_scalar(1 / n));
    return half ? vn_cast(m, d) : m;
}

/* Vectors: an axis more before, an axis less after. */
vn_array *compose_matmul(vn_array *const *in, const vn__options *o)
{
    (void)o;
    int rx = vn_rank(in[0]), ry = vn_rank(in[1]);
    if (rx > 1 && ry > 1) return VN__AS_IS;
    vn_shape sx = vn_shape_of(in[0]), sy = vn_shape_of(in[1]);
    vn_array *z = vn_matmul(rx > 1 ? in[0] : vn_reshape(in[0], VN_SHAPE(1, sx.dim[0])), ry > 1 ? in[1] : vn_reshape(in[1], VN_SHAPE(sy.dim[0], 1)));
    if (!z) return NULL;
    vn_shape s = vn_shape_of(z);
    if (ry == 1) s.rank--;
    if (rx == 1) {
        s.rank--;
        if (ry > 1) s.dim[s.rank - 1] = s.dim[s.rank]; /* (..., 1, m) to (..., m) */
    }
    return vn_reshape(z, s);
}

vn_array *compose_variable(vn_array *const *in, const vn__options *o)
{
    (void)o;
    if (vn__is(vn_dtype_of(in[0]), VN_FLOATS)) return VN__AS_IS;
    return vn_variable(vn_cast(in[0], VN_F32));
}
