/* SPDX-License-Identifier: Apache-2.0 */
/* loss_overlap.c: losses of overlapping regions, of x and of the target, over axes: Tversky's index, Dice's, and that of all classes. */
#include "ops/loss.h"

_Static_assert(AGREE(DICE_LOSS, SUM, AXES) && AGREE(DICE_LOSS, SUM, KEEPDIMS) && AGREE(TVERSKY_LOSS, SUM, AXES), "shape_reduce");

/* target has the shape of x; the weight reaches that of the losses. */
int shape_overlap(vn__infer *i)
{
    int code = vn__rule_like_first(i, 1);
    if (!code) code = shape_reduce(i);
    if (!code && i->in[2]) code = vn__rule_reaches(i, i->in[2], i->rank, i->dims);
    return code ? code : vn__rule_reduction(i);
}

/* x (batch, ..., classes); one loss for each entry of the batch and class. */
int shape_generalized_dice(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const vn__reduction r = vn__reduction_of(i);
    char s[128];
    if (x->rank < 2) FAIL(VN_E_SHAPE, "x has shape %s, batch x ... x classes is needed (%s)", shape_text(x, s), i->engine);
    int code = shape_class_loss(i);
    if (r == VN__EACH) vn__rule_result(i, 2, (const int64_t[]){vn__node_dims(x)[0], vn__node_dims(x)[x->rank - 1]});
    return code;
}

typedef struct {
    double alpha, beta, smooth, epsilon;
} tversky;

static vn_array *overlap_loss(vn_array *x, vn_array *target, vn_axes axes, tversky t)
{
    vn_array *both = vn_mul(x, target), *overlap = vn_sum(both, axes);
    vn_array *extra = vn_sum(vn_sub(x, both), axes), *missed = vn_sum(vn_sub(target, both), axes);
    vn_array *all = vn_add(overlap, vn_add(vn__scaled(extra, t.alpha), vn__scaled(missed, t.beta)));
    if (t.smooth > 0) overlap = vn_add(overlap, vn_scalar(t.smooth));
    return vn__one_minus(vn_div(overlap, vn_add(all, vn_scalar(t.smooth + t.epsilon))));
}

static vn_array *activated(vn_array *x, int which)
{
    return which == 0 ? x : which == 1 ? vn_sigmoid(x) : vn_softmax(x, -1);
}

vn_array *compose_dice_loss(vn_array *const *in, const vn__infer *i)
{
    const tversky t = {.5, .5, vn__real(i, OPT_DICE_LOSS_SMOOTH), vn__real(i, OPT_DICE_LOSS_EPSILON)};
    const int64_t keep = i->options->v[OPT_DICE_LOSS_KEEPDIMS].u.i;
    vn_array *x = activated(vn__input(in, i, 0), vn__choice(i, OPT_DICE_LOSS_ACTIVATION));
    return vn__reduced(vn__weighted(overlap_loss(x, vn__input(in, i, 1), vn__axes_of(i, (int)keep), t), in, i, 2), i);
}

vn_array *compose_tversky_loss(vn_array *const *in, const vn__infer *i)
{
    const tversky t = {vn__real(i, OPT_TVERSKY_LOSS_ALPHA), vn__real(i, OPT_TVERSKY_LOSS_BETA), vn__real(i, OPT_TVERSKY_LOSS_SMOOTH),
                       vn__real(i, OPT_TVERSKY_LOSS_EPSILON)};
    const int64_t keep = i->options->v[OPT_TVERSKY_LOSS_KEEPDIMS].u.i;
    vn_array *x = activated(vn__input(in, i, 0), vn__choice(i, OPT_TVERSKY_LOSS_ACTIVATION));
    return vn__reduced(vn__weighted(overlap_loss(x, vn__input(in, i, 1), vn__axes_of(i, (int)keep), t), in, i, 2), i);
}

/* The axes from `from` on, of so many. */
static vn_axes axes_between(int from, int end)
{
    vn_axes a = {.n = end - from};
    for (int k = 0; k < a.n; k++) a.axis[k] = from + k;
    return a;
}

/* How rare the classes (last axis of target) are: 1 / frequency^2, 1 on average. */
static vn_array *rarity(vn_array *target)
{
    vn_array *w = vn_reciprocal(vn_add(vn_square(vn_sum(target, axes_between(0, vn_rank(target) - 1))), vn_scalar(1e-7)));
    return vn_div(w, vn_mean(w, VN_ALL));
}

vn_array *compose_generalized_dice_loss(vn_array *const *in, const vn__infer *i)
{
    const tversky t = {.5, .5, vn__real(i, OPT_GENERALIZED_DICE_LOSS_SMOOTH), 0};
    vn__class_rows r = vn__class_rows_of(in, i);
    vn_array *p = i->options->v[OPT_GENERALIZED_DICE_LOSS_FROM_PROBS].u.i ? r.x : vn_softmax(r.x, -1), *target = r.target;
    if (r.known) target = vn_where(vn_expand_dims(r.known, -1), target, vn_scalar(__builtin_nan("")));
    vn_array *each = overlap_loss(p, target, axes_between(1, vn_rank(p) - 1), t);
    return vn__reduced(vn__weighted(vn_mul(each, rarity(target)), in, i, 2), i);
}
