/* SPDX-License-Identifier: Apache-2.0 */
/* loss_margin.c: losses of single numbers beside those of loss.c: differences on other scales, margins, focal losses of yes and no. */
#include "ops/loss.h"
#include <math.h>

static vn_array *finished(vn_array *each, vn_array *const *in, const vn__infer *i)
{
    return vn__reduced(vn__weighted(each, in, i, 2), i);
}

/* ---- differences ---- */

/* d + log(1 + exp(-2 d)) - log(2), which does not overflow. */
vn_array *compose_log_cosh_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *d = vn__difference(in, i), *twice = vn__scaled(d, -2);
    return finished(vn_sub(vn_add(d, vn_softplus(twice, 1)), vn_scalar(log(2))), in, i);
}

vn_array *compose_lp_loss(vn_array *const *in, const vn__infer *i)
{
    double p = vn__real(i, OPT_LP_LOSS_P);
    vn_array *size = vn_abs(vn__difference(in, i));
    return finished(p == 1 ? size : vn_pow(size, vn_scalar(p)), in, i);
}

static const double SMALLEST = 1e-7; /* of what is divided by, or is a logarithm's argument */

vn_array *compose_mape_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *size = vn_maximum(vn_abs(vn__input(in, i, 1)), vn_scalar(SMALLEST));
    return finished(vn__scaled(vn_div(vn_abs(vn__difference(in, i)), size), 100), in, i);
}

vn_array *compose_msle_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *least = vn_scalar(SMALLEST);
    vn_array *x = vn_log1p(vn_maximum(vn__input(in, i, 0), least)), *target = vn_log1p(vn_maximum(vn__input(in, i, 1), least));
    return finished(vn_square(vn_sub(x, target)), in, i);
}

/* ---- margins ---- */

static vn_array *wrong_by(vn_array *const *in, const vn__infer *i)
{
    return vn_neg(vn_mul(vn__input(in, i, 0), vn__input(in, i, 1)));
}

vn_array *compose_soft_margin_loss(vn_array *const *in, const vn__infer *i)
{
    return finished(vn_softplus(wrong_by(in, i), 1), in, i);
}

vn_array *compose_perceptron_loss(vn_array *const *in, const vn__infer *i)
{
    return finished(vn_relu(wrong_by(in, i)), in, i);
}

vn_array *compose_sparsemax_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__input(in, i, 0), *no = vn_equal(vn__input(in, i, 1), vn_scalar(0));
    return finished(vn_sparse_plus(vn_where(no, x, vn_neg(x))), in, i);
}

vn_array *compose_hinge_embedding_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__input(in, i, 0), *lack = vn_relu(vn_sub(vn_scalar(vn__real(i, OPT_HINGE_EMBEDDING_LOSS_MARGIN)), x));
    return finished(vn_where(vn__above_0(vn__input(in, i, 1)), x, lack), in, i);
}

vn_array *compose_margin_ranking_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *ahead = vn_mul(vn__input(in, i, 2), vn__difference(in, i));
    return vn__reduced(vn_relu(vn_sub(vn_scalar(vn__real(i, OPT_MARGIN_RANKING_LOSS_MARGIN)), ahead)), i);
}

/* ---- focal losses ---- */

/* What both rows share. yes, no: -log of the probabilities of 1 and of 0; p, q: these. */
typedef struct {
    vn_array *yes, *no, *p, *q;
} binary;

static vn_array *focal(binary b, vn_array *const *in, const vn__infer *i)
{
    const double gamma = vn__real(i, OPT_SIGMOID_FOCAL_LOSS_GAMMA), alpha = vn__real(i, OPT_SIGMOID_FOCAL_LOSS_ALPHA);
    const double share = vn__real(i, OPT_SIGMOID_FOCAL_LOSS_LABEL_SMOOTHING);
    vn_array *target = vn__input(in, i, 1);
    if (share > 0) target = vn_add(vn__scaled(target, 1 - share), vn_scalar(share / 2));
    vn_array *rest = vn__one_minus(target), *each = vn_add(vn_mul(target, b.yes), vn_mul(rest, b.no));
    vn_array *hard = vn_add(vn_mul(target, b.q), vn_mul(rest, b.p));
    if (gamma > 0) each = vn_mul(each, gamma == 1 ? hard : vn_pow(hard, vn_scalar(gamma)));
    if (alpha >= 0) each = vn_mul(each, vn_add(vn__scaled(target, alpha), vn__scaled(rest, 1 - alpha)));
    return finished(each, in, i);
}

vn_array *compose_sigmoid_focal_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__input(in, i, 0), *minus = vn_neg(x);
    return focal((binary){vn_softplus(minus, 1), vn_softplus(x, 1), vn_sigmoid(x), vn_sigmoid(minus)}, in, i);
}

_Static_assert(AGREE(SIGMOID_FOCAL_LOSS, BINARY_FOCAL_LOSS, GAMMA) && AGREE(SIGMOID_FOCAL_LOSS, BINARY_FOCAL_LOSS, ALPHA), "one function");
vn_array *compose_binary_focal_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *p = vn__input(in, i, 0);
    return focal((binary){vn_neg(vn__log_of_probability(p)), vn_neg(vn__log_of_complement(p)), p, vn__one_minus(p)}, in, i);
}
