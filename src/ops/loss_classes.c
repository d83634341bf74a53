/* SPDX-License-Identifier: Apache-2.0 */
/* loss_classes.c: losses of classes along the last axis of x. A target is class numbers, which become ones at the class, or a share of each
 * class; every row weighs as much as its classes, and the mean is divided by these weights. */
#include "ops/loss.h"
#include "core/dtype.h"
#include <math.h>

/* ---- rules ---- */

/* x (..., classes), a target of class numbers (...) or shares (..., classes), a weight for each class; i->dims: (...) */
static int class_rows(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int64_t *d = vn__node_dims(x);
    char s[128];
    if (!x->rank || !d[x->rank - 1]) FAIL(VN_E_SHAPE, "x has shape %s, a last axis of classes is needed (%s)", shape_text(x, s), i->engine);
    const bool numbers = vn__targets_are_classes(i);
    int code = vn__rule_shape_of(i, 1, numbers ? x->rank - 1 : x->rank, d);
    if (!code) code = vn__rule_shape_of(i, 2, 1, d + x->rank - 1);
    if (!code && numbers) code = vn__check_labels(i, 1, &(vn__bounds){d + x->rank - 1, 1, false, NULL, "classes"});
    vn__rule_result(i, x->rank - 1, d);
    return code;
}

int shape_class_loss(vn__infer *i)
{
    int code = class_rows(i);
    return code ? code : vn__rule_reduction(i);
}

/* log_probs and target have the same shape; the axis (option 0) is removed. */
int shape_generalized_kl(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_GENERALIZED_KL_DIV_AXIS, i->in[0]->rank);
    if (!code) code = vn__rule_shape_of(i, 1, i->in[0]->rank, vn__node_dims(i->in[0]));
    if (code) return code;
    shape_same(i);
    vn__rule_without(i, i->options->v[OPT_GENERALIZED_KL_DIV_AXIS].u.i);
    return vn__rule_reduction(i);
}

int shape_smooth_labels(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_SMOOTH_LABELS_AXIS, i->in[0]->rank);
    return code ? code : shape_same(i);
}

/* ---- rows ---- */

vn_array *vn__class_sum(vn_array *x)
{
    return vn_sum(x, VN_AXES(-1));
}

vn__class_rows vn__class_rows_of(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = {.x = vn__input(in, i, 0)};
    if (vn__targets_are_classes(i)) {
        vn_array *index = vn__index_of(in[1]), *n = vn__filled(index, vn_dim(in[0], -1), VN_0D);
        r.target = vn_one_hot(index, vn_dim(in[0], -1), vn_dtype_of(r.x));
        r.known = vn_logical_and(vn_greater_equal(index, vn_scalar(0)), vn_less(index, n));
    } else r.target = vn__input(in, i, 1);
    if (i->in[2]) r.weight = vn__class_sum(vn_mul(r.target, vn__input(in, i, 2)));
    return r;
}

vn_array *vn__class_reduced(vn_array *each, const vn__class_rows *r, const vn__infer *i)
{
    if (r->known) each = vn_where(r->known, each, vn_scalar(NAN));
    if (!r->weight) return vn__reduced(each, i);
    each = vn_mul(each, r->weight);
    if (vn__reduction_of(i) != VN__MEAN) return vn__reduced(each, i);
    return vn__narrow(vn_div(vn_sum(each, VN_ALL), vn_sum(r->weight, VN_ALL)), i);
}

static vn_array *at_target(const vn__class_rows *r)
{
    return vn__class_sum(vn_mul(r->target, r->x));
}

/* ---- margins ---- */

vn_array *compose_categorical_hinge_loss(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *other = vn_max(vn_mul(vn__one_minus(r.target), r.x), VN_AXES(-1));
    return vn__class_reduced(vn_relu(vn_add(vn_sub(other, at_target(&r)), vn_scalar(1))), &r, i);
}

vn_array *compose_multiclass_hinge_loss(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *most = vn_max(vn_add(r.x, vn__one_minus(r.target)), VN_AXES(-1));
    return vn__class_reduced(vn_sub(most, at_target(&r)), &r, i);
}

vn_array *compose_multiclass_perceptron_loss(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = vn__class_rows_of(in, i);
    return vn__class_reduced(vn_sub(vn_max(r.x, VN_AXES(-1)), at_target(&r)), &r, i);
}

/* Over all classes, each times what is not the target's share of it. */
vn_array *compose_multi_margin_loss(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *own = vn_expand_dims(at_target(&r), -1), *margin = vn_scalar(vn__real(i, OPT_MULTI_MARGIN_LOSS_MARGIN));
    vn_array *above = vn_relu(vn_add(vn_sub(r.x, own), margin));
    if (i->options->v[OPT_MULTI_MARGIN_LOSS_SQUARED].u.i) above = vn_square(above);
    return vn__class_reduced(vn_mean(vn_mul(vn__one_minus(r.target), above), VN_AXES(-1)), &r, i);
}

/* Relative to the target's score, so that nothing cancels. */
vn_array *compose_multiclass_sparsemax_loss(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *p = vn_sparsemax(r.x, -1), *x = vn_sub(r.x, vn_expand_dims(at_target(&r), -1));
    vn_array *spread = vn__scaled(vn__one_minus(vn__class_sum(vn_square(p))), .5);
    return vn__class_reduced(vn_add(vn__class_sum(vn_mul(p, x)), spread), &r, i);
}

/* ---- probabilities ---- */

vn_array *compose_categorical_focal_loss(vn_array *const *in, const vn__infer *i)
{
    const double gamma = vn__real(i, OPT_CATEGORICAL_FOCAL_LOSS_GAMMA), share = vn__real(i, OPT_CATEGORICAL_FOCAL_LOSS_LABEL_SMOOTHING);
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *x = r.x, *target = r.target;
    const bool from_probs = i->options->v[OPT_CATEGORICAL_FOCAL_LOSS_FROM_PROBS].u.i != 0;
    if (from_probs) x = vn_div(x, vn_sum(x, VN_KEEP(-1)));
    vn_array *log_p = vn__log_probabilities(x, -1, from_probs);
    if (share > 0) target = vn_add(vn__scaled(target, 1 - share), vn_scalar(share / (double)vn_dim(in[0], -1)));
    vn_array *each = vn__expected(target, log_p), *hard = from_probs ? vn__one_minus(x) : vn_neg(vn_expm1(log_p));
    if (gamma > 0) each = vn_mul(each, gamma == 1 ? hard : vn_pow(hard, vn_scalar(gamma)));
    return vn__class_reduced(vn__scaled(vn__class_sum(each), -vn__real(i, OPT_CATEGORICAL_FOCAL_LOSS_ALPHA)), &r, i);
}

/* p^q as an exponential, whose derivative is finite for logits. */
vn_array *compose_generalized_cross_entropy(vn_array *const *in, const vn__infer *i)
{
    const double q = vn__real(i, OPT_GENERALIZED_CROSS_ENTROPY_Q);
    vn__class_rows r = vn__class_rows_of(in, i);
    r.x = vn__log_probabilities(r.x, -1, i->options->v[OPT_GENERALIZED_CROSS_ENTROPY_FROM_PROBS].u.i != 0);
    vn_array *log_p = vn__class_sum(vn__expected(r.target, r.x));
    return vn__class_reduced(vn__scaled(vn_expm1(vn__scaled(log_p, q)), -1 / q), &r, i);
}

vn_array *compose_poly_loss(vn_array *const *in, const vn__infer *i)
{
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *log_p = vn_log_softmax(r.x, -1), *missed = vn__class_sum(vn_mul(r.target, vn_neg(vn_expm1(log_p))));
    vn_array *entropy = vn_neg(vn__class_sum(vn__expected(r.target, log_p)));
    return vn__class_reduced(vn_add(entropy, vn__scaled(missed, vn__real(i, OPT_POLY_LOSS_EPSILON))), &r, i);
}

vn_array *compose_generalized_kl_div(vn_array *const *in, const vn__infer *i)
{
    vn_array *log_p = vn__input(in, i, 0), *q = vn__input(in, i, 1);
    vn_array *each = vn_add(vn_sub(vn__negentropy(q), vn__expected(q, log_p)), vn_sub(vn_exp(log_p), q));
    return vn__reduced(vn_sum(each, VN_AXES(i->options->v[OPT_GENERALIZED_KL_DIV_AXIS].u.i)), i);
}

vn_array *compose_smooth_labels(vn_array *const *in, const vn__infer *i)
{
    const double share = vn__real(i, OPT_SMOOTH_LABELS_SHARE);
    const int64_t n = i->dims[i->options->v[OPT_SMOOTH_LABELS_AXIS].u.i];
    return vn__narrow(vn_add(vn__scaled(vn__widen(in[0]), 1 - share), vn_scalar(share / (double)(n ? n : 1))), i);
}
