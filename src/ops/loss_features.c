/* SPDX-License-Identifier: Apache-2.0 */
/* loss_features.c: distances of pictures by what a network sees in them: feature maps (n, ..., channels), with any number of axes for places
 * between; vn_feature_distance (nn/perceptual.c) adds them up over the layers of a network. */
#include "ops/loss.h"
#include "ops/linalg.h"
#include "core/dtype.h"

/* ---- rules ---- */

/* x, y (n, ..., channels), and weights of channels; i->dims: (n) */
int shape_feature_loss(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank < 2) FAIL(VN_E_SHAPE, "x has shape %s, features (n, ..., channels) are needed (%s)", shape_text(x, s), i->engine);
    const int64_t *dims = vn__node_dims(x);
    for (int k = 1; k < x->rank; k++)
        if (!dims[k]) FAIL(VN_E_SHAPE, "x has shape %s, without features (%s)", shape_text(x, s), i->engine);
    int code = vn__rule_shape_of(i, 1, x->rank, dims);
    for (int k = 2; k < i->n && !code; k++) code = vn__rule_shape_of(i, k, 1, dims + x->rank - 1);
    vn__rule_result(i, 1, dims);
    return code ? code : vn__rule_reduction(i);
}

int shape_frechet_distance(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    if (x->rank != 2 || y->rank != 2 || vn__node_dims(x)[1] != vn__node_dims(y)[1])
        FAIL(VN_E_SHAPE, "x has shape %s, y %s; rows x features, with as many features, are needed (%s)", shape_text(x, s),
             shape_text(y, t), i->engine);
    if (vn__node_dims(x)[0] < 2 || vn__node_dims(y)[0] < 2 || vn__node_dims(x)[1] < 1)
        FAIL(VN_E_SHAPE, "x has shape %s, y %s; a covariance needs two rows at least, and a feature (%s)", shape_text(x, s),
             shape_text(y, t), i->engine);
    i->rank = 0;
    return VN_OK;
}

/* ---- compositions ---- */

/* (n, places, channels) */
static vn_array *in_places(vn_array *x)
{
    const int last = vn_rank(x) - 1;
    return vn_reshape(x, VN_SHAPE(vn_dim(x, 0), vn_size(x) / (vn_dim(x, 0) ? vn_dim(x, 0) * vn_dim(x, last) : 1), vn_dim(x, last)));
}

vn_array *compose_gram_matrix_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *gram[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        vn_array *x = in_places(vn__input(in, i, k));
        gram[k] = vn_matmul(vn_matrix_transpose(x), x);
    }
    vn_array *x = in_places(in[0]);
    const double size = (double)vn_dim(x, 1) * (double)vn_dim(x, 2);
    vn_array *each = vn_sum(vn_square(vn_sub(gram[0], gram[1])), VN_AXES(1, 2));
    return vn__reduced(vn_mul(each, vn_scalar(1 / (4 * size * size))), i);
}

/* x over its length along the channels; 0 where that is 0, with derivatives that are 0 too. */
static vn_array *of_length_one(vn_array *x)
{
    vn_array *squares = vn_sum(vn_square(x), VN_KEEP(-1)), *none = vn_equal(squares, vn_scalar(0));
    return vn_where(none, vn_scalar(0), vn_div(x, vn_sqrt(vn_where(none, vn_scalar(1), squares))));
}

vn_array *compose_lpips(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = of_length_one(in_places(vn__input(in, i, 0))), *y = of_length_one(in_places(vn__input(in, i, 1)));
    vn_array *each = vn_square(vn_sub(x, y));
    each = vn_sum(i->n > 2 ? vn__weighted(each, in, i, 2) : each, VN_AXES(-1));
    return vn__reduced(vn_mean(each, VN_AXES(1)), i);
}

/* 1 - (2 both + c) / (one + other + c): 0 where two numbers are alike. */
static vn_array *unlike(vn_array *both, vn_array *sum)
{
    const double c = 1e-6;
    return vn__one_minus(vn_div(vn_add(vn_mul(both, vn_scalar(2)), vn_scalar(c)), vn_add(sum, vn_scalar(c))));
}

vn_array *compose_dists(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in_places(vn__input(in, i, 0)), *y = in_places(vn__input(in, i, 1));
    vn_array *mx = vn_mean(x, VN_KEEP(1)), *my = vn_mean(y, VN_KEEP(1));
    vn_array *dx = vn_sub(x, mx), *dy = vn_sub(y, my);
    vn_array *covariance = vn_mean(vn_mul(dx, dy), VN_AXES(1)), *spread = vn_mean(vn_add(vn_square(dx), vn_square(dy)), VN_AXES(1));
    mx = vn_squeeze(mx, VN_AXES(1)), my = vn_squeeze(my, VN_AXES(1));
    vn_array *structure = unlike(vn_mul(mx, my), vn_add(vn_square(mx), vn_square(my))), *texture = unlike(covariance, spread);
    const double share = .5 / (double)vn_dim(x, 2);
    structure = i->n > 2 && i->in[2] ? vn__weighted(structure, in, i, 2) : vn_mul(structure, vn_scalar(share));
    texture = i->n > 3 && i->in[3] ? vn__weighted(texture, in, i, 3) : vn_mul(texture, vn_scalar(share));
    return vn__reduced(vn_sum(vn_add(structure, texture), VN_AXES(1)), i);
}

/* A matrix r with r^T r = the covariance of the rows: r has no more rows than features. */
static vn_array *root_of_covariance(vn_array *x, vn_array **mean)
{
    *mean = vn_mean(x, VN_KEEP(0));
    x = vn_mul(vn_sub(x, *mean), vn_scalar(1 / __builtin_sqrt((double)vn_dim(x, 0) - 1)));
    if (vn_dim(x, 0) <= vn_dim(x, 1)) return x;
    vn_array *r = NULL;
    vn_qr(x, NULL, &r);
    return r;
}

/* The trace of the root of the product of both covariances is the sum of the singular values of r1 r2^T: no root of a matrix is needed. */
vn_array *compose_frechet_distance(vn_array *const *in, const vn__infer *i)
{
    vn_array *mean[2], *r1 = root_of_covariance(vn__input(in, i, 0), &mean[0]), *r2 = root_of_covariance(vn__input(in, i, 1), &mean[1]);
    vn_array *both = vn_sum(vn_svdvals(vn_matmul(r1, vn_matrix_transpose(r2))), VN_ALL);
    vn_array *traces = vn_add(vn_sum(vn_square(r1), VN_ALL), vn_sum(vn_square(r2), VN_ALL));
    vn_array *apart = vn_sum(vn_square(vn_sub(mean[0], mean[1])), VN_ALL);
    return vn__narrow(vn_add(apart, vn_sub(traces, vn_mul(both, vn_scalar(2)))), i);
}
