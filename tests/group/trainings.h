/* SPDX-License-Identifier: Apache-2.0 */
/* trainings.h: three networks, the rows that they are trained on, and a training of them with a hash of all it leaves, for tests of many ranks. */
#ifndef VN_TRAININGS_H
#define VN_TRAININGS_H

#include "every_rank.h"
#include <vinea/train.h>

/* 20 steps; the last batch of an epoch has 4 rows, fewer parts than ranks may have. */
enum { ROWS = 104, FOR_VALIDATION = 4, BATCH = 24, EPOCHS = 4 };

/* Its gradients have more than 64 KB: ranks of one machine add them in memory that all see. Those of the others travel in messages, the
 * convnet's with the scores. */
static vn_module *mlp(void)
{
    return VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(64, 256, NULL), vn_nn_relu(), vn_nn_dropout(.2, NULL),
                         vn_nn_linear(256, 5, NULL));
}
static vn_module *convnet(void)
{
    return VN_SEQUENTIAL(vn_nn_conv2d(1, 6, VN_SHAPE(3, 3), NULL), vn_nn_batch_norm2d(6, NULL), vn_nn_relu(), vn_nn_dropout(.3, NULL),
                         vn_nn_flatten(1, -1), vn_nn_linear(6 * 36, 5, NULL));
}
/* The rows of a picture as its words: two blocks of attention and feed-forward with layer norm and dropout. */
static vn_module *transformer(void)
{
    return VN_SEQUENTIAL(
        vn_nn_flatten(2, -1), vn_nn_linear(8, 16, NULL), vn_nn_positional_encoding(16, NULL),
        vn_nn_transformer_encoder(16, 4, 2, VN_OPTS(nn_transformer_encoder, .hidden = 32, .activation = "gelu", .dropout = .1)),
        vn_nn_flatten(1, -1), vn_nn_linear(8 * 16, 5, NULL));
}
static const struct {
    const char *name;
    vn_module *(*make)(void);
} nets[] = {{"mlp", mlp}, {"convnet", convnet}, {"transformer", transformer}};
enum { MLP, CONVNET, TRANSFORMER, NETS };

/* changed: a row of which one number is another. */
static vn_dataset *data_of(int changed)
{
    static float x[ROWS * 64];
    static int64_t y[ROWS];
    uint32_t state = 1;
    for (int i = 0; i < ROWS * 64; i++) state = state * 1664525 + 1013904223, x[i] = (float)(state >> 8) / (1 << 24) - .5f;
    for (int i = 0; i < ROWS; i++) y[i] = (int64_t)((x[i * 64] + .5f) * 5) % 5;
    if (changed >= 0) x[changed * 64 + 7] += .25f;
    return vn_dataset_of(vn_from_host(x, VN_F32, VN_SHAPE(ROWS, 8, 8, 1)), vn_from_host(y, VN_I64, VN_SHAPE(ROWS)),
                         VN_OPTS(dataset, .classes = 5));
}

static uint64_t hash_tree(uint64_t hash, const vn_tree *t)
{
    for (int i = 0; i < vn_tree_leaves(t); i++) hash = hash_array(hash, vn_tree_leaf(t, i));
    return hash;
}

/* ---- a training ---- */

typedef struct {
    int net, changed;
    vn_fit_opts o;
    vn_fit_result result;
    int code;
} training;

/* Everything that a training leaves: variables, buffers, scores of every epoch. */
static uint64_t train(training *t)
{
    VN_SCOPE;
    vn_seed(7);
    vn_module *net = nets[t->net].make();
    vn_optim *adam = vn_adam(.003, NULL);
    vn_optim_clip_norm(adam, .5);
    vn_fit_opts o = t->o;
    o.size = sizeof o, o.epochs = o.epochs ? o.epochs : EPOCHS, o.batch = BATCH, o.optim = adam, o.seed = 3,
    o.validation_rows = FOR_VALIDATION;
    if (!o.metrics) o.metrics = "accuracy, f1, calibration_error";
    t->result = (vn_fit_result){.size = sizeof t->result};
    t->code = vn_fit(net, data_of(t->changed), &o, &t->result);
    if (t->code) return 0;
    uint64_t hash = hash_tree(hash_tree(VN__HASH, vn_module_v(net)), vn_module_buffers(net));
    for (int64_t e = 0; e < t->result.n_history; e++) {
        for (int i = 0; i < t->result.history[e].n_scores; i++) {
            const double value = t->result.history[e].scores[i].value;
            hash = vn__hash_bytes(hash, &value, sizeof value);
        }
    }
    CHECK(vn_optim_steps(adam) == t->result.steps);
    CHECK((vn_tree_leaves(vn_optim_state(adam)) < 2 * vn_tree_leaves(vn_module_v(net))) == (o.shard_optimizer && o.group && n > 1));
    return hash;
}

#define TRAIN(...) train(&(training){.changed = -1, __VA_ARGS__})

#endif
