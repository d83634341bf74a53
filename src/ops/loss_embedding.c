/* SPDX-License-Identifier: Apache-2.0 */
/* loss_embedding.c: losses of embeddings, compared in pairs, and of lists that are ranked.
 *
 * NEVER stands for log(0) where something is left out of a sum of exponentials: finite, so that derivatives are 0 there, not NaN. */
#include "ops/loss.h"
#include "core/dtype.h"
#include <math.h>

#define NEVER (-1e30)

/* ---- rules ---- */

/* x, index */
int dtype_embedding_loss(vn__infer *i)
{
    int code = dtype_same(i);
    return code ? code : vn__rule_index(i, 1);
}

/* x (n, features), index (n); i->dims: (n) */
static int embeddings(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank != 2) FAIL(VN_E_SHAPE, "x has shape %s, rows x features is needed (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, 1, vn__node_dims(x));
    return vn__rule_shape_of(i, 1, 1, vn__node_dims(x));
}
int shape_ntxent_loss(vn__infer *i)
{
    int code = embeddings(i);
    i->rank = 0;
    return code;
}
int shape_circle_loss(vn__infer *i)
{
    int code = embeddings(i);
    return code ? code : vn__rule_reduction(i);
}

/* x, target, weight?, mask?: all of the shape of x, whose last axis is removed */
int shape_ranking_loss(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int code = VN_OK;
    char s[128];
    if (!x->rank) FAIL(VN_E_SHAPE, "x has shape %s, a last axis of entries is needed (%s)", shape_text(x, s), i->engine);
    for (int k = 1; k < i->n && !code; k++) code = vn__rule_shape_of(i, k, x->rank, vn__node_dims(x));
    vn__rule_result(i, x->rank - 1, vn__node_dims(x));
    return code ? code : vn__rule_reduction(i);
}
int dtype_ranking_loss(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, vn__min(i->n, 3));
    if (!code) code = vn__rule_accept(i, i->dtype);
    if (!code && i->n > 3 && i->in[3] && i->in[3]->dtype != VN_BOOL)
        FAIL(VN_E_DTYPE, "mask is %s, bool is needed (%s)", dtype_text(i->in[3]->dtype), i->engine);
    return code;
}

/* ---- pairs ---- */

/* (n, n): which rows have the same index, without a row and itself, and which have not. */
typedef struct {
    vn_array *equal, *different;
} pairs;

static pairs pairs_of(vn_array *index)
{
    index = vn__index_of(index);
    vn_array *number = vn__positions(index, vn_size(index)), *same = vn_equal(vn_expand_dims(index, 1), vn_expand_dims(index, 0));
    vn_array *others = vn_not_equal(vn_expand_dims(number, 1), vn_expand_dims(number, 0));
    return (pairs){vn_logical_and(same, others), vn_logical_not(same)};
}

/* log(sum(exp(x))) of each row where a mask is true */
static vn_array *log_sum(vn_array *mask, vn_array *x)
{
    return vn_logsumexp(vn_where(mask, x, vn_scalar(NEVER)), VN_AXES(1));
}

vn_array *compose_ntxent_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    if (!x) return NULL;
    const double least = vn_dtype_of(x) == VN_F64 ? 0x1p-52 : 0x1p-23;
    pairs p = pairs_of(in[1]);
    x = vn_l2_normalize(x, VN_AXES(1), least);
    vn_array *cosine = vn__scaled(vn_matmul(x, vn_matrix_transpose(x)), 1 / vn__real(i, OPT_NTXENT_LOSS_TEMPERATURE));
    vn_array *each = vn_softplus(vn_sub(vn_expand_dims(log_sum(p.different, cosine), 1), cosine), 1);
    vn_array *sum = vn_sum(vn_where(p.equal, each, vn_scalar(0)), VN_ALL);
    return vn__narrow(vn_div(sum, vn_cast(vn_count_nonzero(p.equal, VN_ALL), vn_dtype_of(x))), i);
}

vn_array *compose_circle_loss(vn_array *const *in, const vn__infer *i)
{
    const double margin = vn__real(i, OPT_CIRCLE_LOSS_MARGIN), gamma = vn__real(i, OPT_CIRCLE_LOSS_GAMMA);
    vn_array *x = vn__widen(in[0]);
    pairs p = pairs_of(in[1]);
    vn_array *far = vn_relu(vn__one_minus(vn_matmul(x, vn_matrix_transpose(x))));
    vn_array *pull = vn_mul(vn_relu(vn_add(far, vn_scalar(margin))), vn_sub(far, vn_scalar(margin)));
    vn_array *push = vn_mul(vn_relu(vn_sub(vn_scalar(1 + margin), far)), vn_sub(vn_scalar(1 - margin), far));
    vn_array *both = vn_add(log_sum(p.equal, vn__scaled(pull, gamma)), log_sum(p.different, vn__scaled(push, gamma)));
    return vn__reduced(vn_softplus(both, 1), i);
}

/* ---- lists ---- */

vn_array *compose_ranking_softmax_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__input(in, i, 0), *share = vn__weighted(vn__input(in, i, 1), in, i, 2);
    vn_array *mask = i->n > 3 && i->in[3] ? in[3] : NULL;
    if (!mask) return vn__reduced(vn_neg(vn_sum(vn_mul(share, vn_log_softmax(x, -1)), VN_AXES(-1))), i);
    vn_array *log_p = vn_log_softmax(vn_where(mask, x, vn_scalar(NEVER)), -1);
    vn_array *each = vn_neg(vn_sum(vn_where(mask, vn_mul(share, log_p), vn_scalar(0)), VN_AXES(-1)));
    if (vn__reduction_of(i) != VN__MEAN) return vn__reduced(each, i);
    vn_array *lists = vn_cast(vn_count_nonzero(vn_any(mask, VN_AXES(-1)), VN_ALL), vn_dtype_of(x));
    return vn__narrow(vn_div(vn_sum(each, VN_ALL), vn_maximum(lists, vn_scalar(1))), i);
}

_Static_assert(AGREE(COSINE_DISTANCE, COSINE_SIMILARITY, AXIS) && AGREE(COSINE_DISTANCE, COSINE_SIMILARITY, EPSILON), "one rule");
vn_array *compose_cosine_distance(vn_array *const *in, const vn__infer *i)
{
    const int64_t axis = i->options->v[OPT_COSINE_DISTANCE_AXIS].u.i;
    return vn__narrow(vn__one_minus(vn__cosine(in, i, axis, vn__real(i, OPT_COSINE_DISTANCE_EPSILON))), i);
}
