/* SPDX-License-Identifier: Apache-2.0 */
/* module_layers_allocation.c: every allocation fails, once and persistently, in programs that create, run and differentiate layers: no
 * crash, no leak, an error every time. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"

static vn_array *loss_of(vn_module *m, void *x)
{
    return vn_sum(vn_module_call(m, x, NULL), VN_ALL);
}

/* The module's gradients are as many as its variables. */
static int differentiated(vn_module *m, vn_array *x, int variables)
{
    vn_tree *grads = NULL;
    vn_array *loss = m && x ? vn_module_value_and_grad(m, loss_of, x, &grads) : NULL;
    return loss && isfinite(vn_item(loss)) && vn_tree_leaves(grads) == variables;
}

static int convolution(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_conv1d(1, 2, VN_LIST(2), NULL), vn_nn_batch_norm1d(2, NULL), vn_nn_max_pool1d(VN_LIST(2), NULL),
                                 vn_nn_conv1d_transpose(2, 1, VN_LIST(2), NULL), vn_nn_flatten(1, -1));
    return differentiated(m, vn_ones(VN_SHAPE(2, 5, 1), VN_F32), 6);
}

static int attention(void)
{
    vn_module *m = vn_nn_multi_head_attention(2, VN_OPTS(nn_multi_head_attention, .heads = 1, .head_dim = 2, .dropout = .5));
    return differentiated(m, vn_ones(VN_SHAPE(2, 2), VN_F32), 8);
}

static int recurrence(void)
{
    vn_module *m = vn_nn_gru(1, 2, VN_OPTS(nn_recurrent, .layers = 2, .with_bias = 1));
    vn_array *x = vn_ones(VN_SHAPE(1, 2, 1), VN_F32), *h = vn_ones(VN_SHAPE(2, 1, 2), VN_F32);
    vn_tree *y = m && x && h ? vn_module_call_tree(m, vn_tree_of("x", x, "h", h, NULL), NULL) : NULL;
    return y && vn_tree_leaves(y) == 2 && isfinite(vn_item(vn_sum(vn_tree_get(y, "h"), VN_ALL)));
}

static int features(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_rescaling(2, 1), vn_nn_separable_conv1d(1, 2, VN_LIST(2), NULL), vn_nn_alpha_dropout(.5),
                                 vn_nn_einsum_dense("btc,cd->btd", VN_SHAPE(2, 3), NULL), vn_nn_normalization(3, NULL));
    return differentiated(m, vn_ones(VN_SHAPE(2, 5, 1), VN_F32), 4);
}

static int adapted(void)
{
    vn_module *m = vn_nn_normalization(2, NULL);
    vn_array *x = vn_ones(VN_SHAPE(3, 2), VN_F32);
    return m && x && !vn_module_adapt(m, x) && isfinite(vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)));
}

static int start(void)
{
    vn_array *w = vn_init_array(vn_init_orthogonal(1), VN_SHAPE(2, 3), 0, 0, VN_F32);
    w = w ? vn_add(w, vn_init_array(vn_init_sparse(.5, 0, 1), VN_SHAPE(2, 3), 0, 0, VN_F32)) : NULL;
    return w && isfinite(vn_item(vn_sum(w, VN_ALL)));
}

int main(void)
{
    FAIL_ALL(convolution);
    FAIL_ALL(attention);
    FAIL_ALL(recurrence);
    FAIL_ALL(features);
    FAIL_ALL(adapted);
    FAIL_ALL(start);
    return finish();
}
