/* SPDX-License-Identifier: Apache-2.0 */
/* loss_allocation.c: every allocation fails, once and persistently, in the longest compositions of losses and metrics: no crash, no leak,
 * an error every time. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"
#include <vinea/ops.h>

/* ---- the programs; each returns 1 if its result came out right ---- */

static bool is(vn_array *x, double value)
{
    return x && near(vn_item(x), value, 1e-6);
}

/* Two steps of three symbols that are equally likely: 1 is spelled by 01, 10 and 11. */
static int paths(void)
{
    vn_array *x = vn_variable(vn_full(vn_scalar(-log(3)), VN_SHAPE(2, 1, 3), VN_F32)), *labels = vn_ones(VN_SHAPE(1, 1), VN_I64);
    vn_array *steps = vn_full(vn_scalar(2), VN_SHAPE(1), VN_I64), *lengths = vn_ones(VN_SHAPE(1), VN_I32);
    vn_array *loss = vn_ctc_loss(x, labels, steps, lengths, NULL);
    return is(loss, log(3)) && is(vn_sum(vn_grad(loss, x), VN_ALL), -2);
}

static int classes(void)
{
    vn_array *x = vn_variable(vn_zeros(VN_SHAPE(2, 4), VN_F32)), *index = vn_ones(VN_SHAPE(2), VN_I32),
             *weight = vn_ones(VN_SHAPE(4), VN_F32);
    vn_array *sparse = vn_cross_entropy(x, index, weight, -1, VN_OPTS(cross_entropy, .label_smoothing = .5));
    vn_array *dense = vn_cross_entropy(x, vn_one_hot(index, 4, VN_F32), weight, -1, VN_OPTS(cross_entropy, .label_smoothing = .5));
    return is(sparse, log(4)) && is(dense, log(4)) && is(vn_sum(vn_grad(sparse, x), VN_ALL), 0);
}

static int vectors(void)
{
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F16), *y = vn_full(vn_scalar(5), VN_SHAPE(2, 3), VN_F16);
    return is(vn_sum(vn_cosine_similarity(x, y, -1, NULL), VN_ALL), 2) &&
           is(vn_triplet_margin_loss(y, y, x, -1, VN_OPTS(triplet_margin_loss, .epsilon = VN_ZERO, .swap = 1)), 0);
}

static int counts(void)
{
    vn_array *x = vn_from_host((int64_t[]){0, 1, 1, 2}, VN_I64, VN_SHAPE(4)),
             *y = vn_from_host((int64_t[]){0, 1, 0, 0}, VN_I64, VN_SHAPE(4));
    return is(vn_f1(x, y, 3, VN_OPTS(f1, .average = "weighted")), 13. / 24) && is(vn_sum(vn_confusion_matrix(x, y, 3), VN_ALL), 4) &&
           is(vn_roc_auc(x, y), .5);
}

int main(void)
{
    FAIL_ALL(paths);
    FAIL_ALL(classes);
    FAIL_ALL(vectors);
    FAIL_ALL(counts);
    return finish();
}
