/* SPDX-License-Identifier: Apache-2.0 */
/* projections.c: the nearest points of sets (table/projections.def). x is one vector, whatever its shape. */
#include "ops/index.h"

/* x as a wide vector */
static vn_array *vector(vn_array *const *in, const vn__infer *i, int k)
{
    return vn__flat(vn__widen(vn_cast(in[k], (vn_dtype)i->dtype)));
}

static vn_array *shaped(vn_array *v, const vn__infer *i)
{
    return v ? vn__narrow(vn_reshape(v, vn__result_shape(i)), i) : NULL;
}

/* sparsemax is the projection onto the simplex of total 1. */
static vn_array *on_simplex(vn_array *v, double total)
{
    return vn__scaled(vn_sparsemax(vn__scaled(v, 1 / total), 0), total);
}

vn_array *compose_projection_simplex(vn_array *const *in, const vn__infer *i)
{
    return shaped(on_simplex(vector(in, i, 0), vn__real(i, OPT_PROJECTION_SIMPLEX_TOTAL)), i);
}

/* ---- balls; the rows number their only option alike ---- */

_Static_assert(AGREE(PROJECTION_L1_BALL, PROJECTION_L1_SPHERE, LENGTH) && AGREE(PROJECTION_L1_BALL, PROJECTION_L2_BALL, LENGTH) &&
                   AGREE(PROJECTION_L1_BALL, PROJECTION_L2_SPHERE, LENGTH) && AGREE(PROJECTION_L1_BALL, PROJECTION_LINF_BALL, LENGTH),
               "the rows number their options alike");
static double length_of(const vn__infer *i)
{
    return vn__real(i, OPT_PROJECTION_L1_BALL_LENGTH);
}

/* With the signs of v, where 0 counts as positive. */
static vn_array *on_l1_sphere(vn_array *v, double length)
{
    vn_array *sizes = on_simplex(vn_abs(v), length);
    return vn_where(vn_less(v, vn_scalar(0)), vn_neg(sizes), sizes);
}

vn_array *compose_projection_l1_sphere(vn_array *const *in, const vn__infer *i)
{
    return shaped(on_l1_sphere(vector(in, i, 0), length_of(i)), i);
}

vn_array *compose_projection_l1_ball(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = vector(in, i, 0), *outside = vn_greater(vn_sum(vn_abs(v), VN_ALL), vn_scalar(length_of(i)));
    return shaped(vn_where(outside, on_l1_sphere(v, length_of(i)), v), i);
}

vn_array *compose_projection_l2_sphere(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = vector(in, i, 0);
    return shaped(vn__scaled(vn_div(v, vn_norm(v, VN_ALL, 2)), length_of(i)), i);
}

vn_array *compose_projection_l2_ball(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = vector(in, i, 0), *size = vn_norm(v, VN_ALL, 2), *outside = vn_greater(size, vn_scalar(length_of(i)));
    return shaped(vn_where(outside, vn__scaled(vn_div(v, vn_where(outside, size, vn_scalar(1))), length_of(i)), v), i);
}

vn_array *compose_projection_linf_ball(vn_array *const *in, const vn__infer *i)
{
    return vn_clip(in[0], vn_scalar(-length_of(i)), vn_scalar(length_of(i)));
}

/* ---- boxes and planes ---- */

int shape_projection_box(vn__infer *i)
{
    int code = shape_same(i);
    for (int k = 1; k < 3 && !code; k++) code = vn__rule_reaches(i, i->in[k], i->rank, i->dims);
    return code;
}

vn_array *compose_projection_box(vn_array *const *in, const vn__infer *i)
{
    vn_array *x[3];
    for (int k = 0; k < 3; k++) x[k] = vn_cast(in[k], (vn_dtype)i->dtype);
    return vn_clip(x[0], x[1], x[2]);
}

vn_array *compose_projection_hypercube(vn_array *const *in, const vn__infer *i)
{
    return vn_clip(in[0], vn_scalar(0), vn_scalar(vn__real(i, OPT_PROJECTION_HYPERCUBE_SIZE)));
}

int shape_projection_plane(vn__infer *i)
{
    const int code = shape_same(i);
    return code ? code : vn__rule_like_first(i, 1);
}
_Static_assert(AGREE(PROJECTION_HYPERPLANE, PROJECTION_HALFSPACE, B), "the rows number their options alike");

/* What v is above the plane, in units of a; what it is beyond it if only the half-space counts. */
static vn_array *beyond(vn_array *v, vn_array *a, double b)
{
    return vn_div(vn_sub(vn_sum(vn_mul(v, a), VN_ALL), vn_scalar(b)), vn_sum(vn_square(a), VN_ALL));
}

vn_array *compose_projection_hyperplane(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = vector(in, i, 0), *a = vector(in, i, 1);
    return shaped(vn_sub(v, vn_mul(beyond(v, a, vn__real(i, OPT_PROJECTION_HYPERPLANE_B)), a)), i);
}

vn_array *compose_projection_halfspace(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = vector(in, i, 0), *a = vector(in, i, 1);
    return shaped(vn_sub(v, vn_mul(vn_relu(beyond(v, a, vn__real(i, OPT_PROJECTION_HYPERPLANE_B))), a)), i);
}

vn_array *compose_projection_vector(vn_array *const *in, const vn__infer *i)
{
    vn_array *v = vector(in, i, 0), *a = vector(in, i, 1);
    return shaped(vn_mul(beyond(v, a, 0), a), i);
}
