/* SPDX-License-Identifier: Apache-2.0 */
/* nn_learn.c: small networks learn, on every engine: the loss falls, and every step is the same program. */
#include "nn_layers.h"

enum { STEPS = 5 };

typedef struct {
    vn_array *x, *target;
} batch;

static vn_array *class_loss(vn_module *m, void *data)
{
    const batch *b = data;
    return vn_cross_entropy(vn_module_call(m, b->x, NULL), b->target, VN_NONE, -1, NULL);
}

static vn_cache_info stats(void)
{
    vn_cache_info c = {.size = sizeof c};
    CHECK(vn_cache_stats(vn_using(), &c) == VN_OK);
    return c;
}

static void check_learns(vn_module *m, batch b, double rate)
{
    vn_optim *adam = vn_adam(rate, NULL);
    double losses[STEPS];
    for (int step = 0; step < STEPS; step++) {
        VN_SCOPE;
        vn_tree *grads;
        const vn_cache_info before = stats();
        vn_array *loss = vn_module_value_and_grad(m, class_loss, &b, &grads);
        CHECK(loss && vn_step(adam, vn_module_v(m), grads) == VN_OK);
        losses[step] = vn_item(loss);
        const vn_cache_info after = stats();
        if (step) CHECK(after.misses + after.hits == before.misses + before.hits + 1 && after.misses == before.misses);
    }
    for (int step = 0; step < STEPS; step++) CHECK(isfinite(losses[step]));
    CHECK(losses[STEPS - 1] < .9 * losses[0]);
}

/* ---- a network of convolutions ---- */

static void convolutions(void)
{
    vn_seed(1);
    vn_module *m = VN_SEQUENTIAL(vn_nn_conv2d(2, 4, VN_LIST(3), VN_OPTS(nn_conv, .padding = "SAME")), vn_nn_batch_norm2d(4, NULL),
                                 vn_nn_relu(), vn_nn_max_pool2d(VN_LIST(2), NULL), vn_nn_depthwise_conv2d(4, VN_LIST(2), NULL),
                                 vn_nn_gelu(VN_OPTS(nn_gelu, .approximate = 1)), vn_nn_flatten(1, -1), vn_nn_linear(16, 3, NULL));
    batch b = {waves(VN_SHAPE(6, 6, 6, 2)), vn_from_host((int32_t[]){0, 1, 2, 0, 1, 2}, VN_I32, VN_SHAPE(6))};
    check_learns(m, b, .05);
    CHECK(vn_item(vn_max(vn_abs(vn_module_buffer(vn_module_child(m, "submodules/v1"), "running_mean")), VN_ALL)) > 0);
    vn_module_train(m, 0);
    vn_array *all = vn_module_call(m, b.x, NULL),
             *one = vn_module_call(m, vn_slice_at(b.x, VN_SHAPE(2, 0, 0, 0), VN_SHAPE(1, 6, 6, 2)), NULL);
    CHECK(alike(one, vn_slice_at(all, VN_SHAPE(2, 0), VN_SHAPE(1, 3)), 1e-4)); /* batch entries are independent now */
}

/* ---- a transformer block ---- */

static int block_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const vn_nn_multi_head_attention_opts o = {.size = sizeof o, .heads = 2, .head_dim = 4, .dropout = .05, .causal = 1};
    vn_module_add(m, "_norm", vn_nn_layer_norm(VN_SHAPE(8), NULL));
    vn_module_add(m, "_attention", vn_nn_multi_head_attention(8, &o));
    vn_module_add(m, "_last_norm", vn_nn_rms_norm(VN_SHAPE(8), NULL));
    return vn_module_add(m, "_mlp", VN_SEQUENTIAL(vn_nn_linear(8, 24, NULL), vn_nn_geglu(), vn_nn_linear(12, 8, NULL)));
}

static vn_array *block_forward(vn_module *m, vn_array *x)
{
    x = vn_add(x, vn_module_run(m, "attention", vn_module_run(m, "norm", x)));
    return vn_add(x, vn_module_run(m, "mlp", vn_module_run(m, "last_norm", x)));
}

static const vn_module_class block = {.name = "Block", .build = block_build, .forward = block_forward};

static void transformer(void)
{
    vn_seed(2);
    vn_module *m = VN_SEQUENTIAL(vn_nn_embedding(5, 8, NULL), vn_module_new(&block, NULL, NULL), vn_nn_linear(8, 5, NULL));
    CHECK(vn_tree_has(vn_module_v(m), "submodules/v1/attention/to_kv/k/w") && vn_tree_leaves(vn_module_v(m)) == 18);
    batch b = {vn_from_host((int32_t[]){0, 1, 2, 3, 4, 3, 2, 1}, VN_I32, VN_SHAPE(2, 4)),
               vn_from_host((int32_t[]){1, 2, 3, 4, 3, 2, 1, 0}, VN_I32, VN_SHAPE(2, 4))};
    check_learns(m, b, .02);
}

/* ---- a recurrent network ---- */

static void recurrent(void)
{
    vn_seed(3);
    const vn_nn_recurrent_opts o = {.size = sizeof o, .last_only = 1, .with_bias = 1, .w_init = vn_init_orthogonal(1)};
    vn_module *m = VN_SEQUENTIAL(vn_nn_lstm(3, 4, NULL), vn_nn_gru(4, 4, &o), vn_nn_linear(4, 2, NULL));
    batch b = {waves(VN_SHAPE(4, 3, 3)), vn_from_host((int32_t[]){0, 1, 1, 0}, VN_I32, VN_SHAPE(4))};
    check_learns(m, b, .05);
}

static const conformance_test rows[] = {
    NN("nn/training", "learn/convolutions", convolutions, "a convolutional network learns, and every step is the same program"),
    NN("nn/training", "learn/transformer", transformer, "a transformer block learns, and every step is the same program"),
    NN("nn/training", "learn/recurrent", recurrent, "a recurrent network learns, and every step is the same program"),
};

const nn_part nn_learn = NN_PART(rows);
