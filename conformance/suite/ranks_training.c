/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_training.c: one training on all ranks: parameters, buffers and scores have the bits of a training in one process, whatever the
 * number of ranks; loops of one's own do too, and a rank's error is every rank's. */
#include "nn_layers.h"
#include "ranks.h"

enum { ROWS = 40, BATCH = 16, PARTS = 8 };

static vn_module *network(void)
{
    return VN_SEQUENTIAL(vn_nn_conv2d(1, 3, VN_SHAPE(3, 3), NULL), vn_nn_batch_norm2d(3, NULL), vn_nn_relu(), vn_nn_dropout(.3, NULL),
                         vn_nn_flatten(1, -1), vn_nn_linear(3 * 16, 4, NULL));
}

/* changed: one number is another. */
static vn_dataset *data_of(bool changed)
{
    int64_t y[ROWS];
    for (int i = 0; i < ROWS; i++) y[i] = i * 7 % 4;
    vn_array *x = waves(VN_SHAPE(ROWS, 6, 6, 1)), *last = vn_cast(vn_equal(vn_arange(0, ROWS, 1, VN_I64), vn_scalar_int(ROWS - 1)), VN_F32);
    if (changed) x = vn_add(x, vn_reshape(vn_mul(last, vn_scalar(.25)), VN_SHAPE(ROWS, 1, 1, 1)));
    return vn_dataset_of(x, vn_from_host(y, VN_I64, VN_SHAPE(ROWS)), VN_OPTS(dataset, .classes = 4));
}

/* What a training leaves: variables and buffers, as one vector, and the loss of its last epoch. */
static vn_array *train(vn_fit_opts o, bool changed)
{
    vn_fit_result result = {.size = sizeof result};
    vn_array *all[64];
    int k = 0;
    vn_seed(7);
    vn_module *m = network();
    vn_optim *adam = vn_adam(.01, NULL);
    vn_optim_clip_norm(adam, .5);
    o.size = sizeof o, o.epochs = 2, o.batch = BATCH, o.optim = adam, o.seed = 3, o.micro_batches = PARTS;
    if (vn_fit(m, data_of(changed), &o, &result)) return NULL;
    const vn_tree *trees[] = {vn_module_v(m), vn_module_buffers(m)};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < vn_tree_leaves(trees[t]); i++) all[k++] = vn_cast(vn_reshape(vn_tree_leaf(trees[t], i), VN_SHAPE(-1)), VN_F64);
    all[k++] = vn_from_host(&result.history[result.n_history - 1].scores[0].value, VN_F64, VN_SHAPE(1));
    return vn_concat(k, all, 0);
}

static bool same_bits(vn_array *a, vn_array *b)
{
    return a && b && vn_item(vn_all(vn_equal(a, b), VN_ALL)) != 0;
}

static void training(void)
{
    vn_group *all = ranks_join();
    if (!all) return;
    vn_array *alone = train((vn_fit_opts){0}, false), *together = train((vn_fit_opts){.group = all}, false);
    CHECK(same_bits(alone, together));
    CHECK(same_bits(alone, train((vn_fit_opts){.group = all, .shard_optimizer = 1}, false)));
    CHECK(!same_bits(together, train((vn_fit_opts){.group = all}, true))); /* a row that the last rank computes counts */
}

/* ---- a loop of one's own ---- */

static vn_array *part_loss(const vn_tree *p, vn_part *part, void *data)
{
    const int64_t first = part->number * 5;
    vn_array *x = vn_slice_at(data, VN_SHAPE(first, 0), VN_SHAPE(5, 3));
    part->weight = (double)(part->number + 1);
    return vn_mean(vn_square(vn_matmul(x, vn_tree_get(p, "w"))), VN_ALL);
}

/* The weighted mean of all parts at once. */
static vn_array *whole_loss(const vn_tree *p, void *data)
{
    vn_array *loss = vn_full(vn_scalar(0), VN_0D, VN_F32);
    double weights = 0;
    for (int k = 0; k < PARTS; k++) {
        vn_part part = {k, PARTS, 1};
        vn_array *one = part_loss(p, &part, data);
        loss = vn_add(loss, vn_mul(one, vn_scalar(part.weight)));
        weights += part.weight;
    }
    return vn_div(loss, vn_scalar(weights));
}

static void parts(void)
{
    vn_group *all = ranks_join();
    if (!all) return;
    vn_array *x = waves(VN_SHAPE(PARTS * 5, 3));
    vn_tree *p = vn_tree_of("w", waves(VN_SHAPE(3, 2)), NULL), *g[3];
    vn_array *loss[3] = {vn_group_value_and_grad(all, PARTS, part_loss, p, x, &g[0]),
                         vn_group_value_and_grad(NULL, PARTS, part_loss, p, x, &g[1]), vn_value_and_grad(whole_loss, p, x, &g[2])};
    CHECK(loss[0] && loss[1] && loss[2]);
    CHECK(same_bits(loss[0], loss[1]) && same_bits(vn_tree_get(g[0], "w"), vn_tree_get(g[1], "w")));
    CHECK(alike(loss[0], loss[2], 1e-6) && alike(vn_tree_get(g[0], "w"), vn_tree_get(g[2], "w"), 1e-5));
}

/* ---- synchronised batch norm ---- */

/* Two of them, behind linear layers. */
static vn_module *normed(int synchronized)
{
    const vn_nn_batch_norm_opts o = {.size = sizeof o, .synchronized = synchronized};
    vn_seed(4);
    return VN_SEQUENTIAL(vn_nn_linear(3, 4, NULL), vn_nn_batch_norm1d(4, &o), vn_nn_tanh(), vn_nn_linear(4, 5, NULL),
                         vn_nn_batch_norm1d(5, &o), vn_nn_linear(5, 2, NULL));
}

/* Parts of different sizes: 1 row, 2 rows ... */
static int64_t rows_before(int64_t part)
{
    return part * (part + 1) / 2;
}
static vn_array *rows_loss(vn_module *m, vn_array *x, int64_t first, int64_t rows)
{
    vn_array *y = vn_module_call(m, vn_slice_at(x, VN_SHAPE(first, 0), VN_SHAPE(rows, 3)), NULL);
    return vn_mean(vn_square(vn_add(y, vn_slice_at(waves(VN_SHAPE(vn_dim(x, 0), 2)), VN_SHAPE(first, 0), VN_SHAPE(rows, 2)))), VN_ALL);
}
static vn_array *one_part(vn_module *m, vn_part *part, void *x)
{
    part->weight = (double)(part->number + 1);
    return rows_loss(m, x, rows_before(part->number), part->number + 1);
}
static vn_array *all_rows(vn_module *m, void *x)
{
    return rows_loss(m, x, 0, vn_dim(x, 0));
}

static bool trees_alike(const vn_tree *a, const vn_tree *b)
{
    bool fine = vn_tree_leaves(a) == vn_tree_leaves(b);
    for (int i = 0; fine && i < vn_tree_leaves(a); i++) fine = alike(vn_tree_leaf(a, i), vn_tree_leaf(b, i), 2e-5);
    return fine;
}

static void batch_norm(void)
{
    vn_group *all = ranks_join();
    if (!all) return;
    const int n = vn_group_size(all), parts = n > 1 ? n : 2; /* 1: an ordinary one, of each part */
    vn_array *x = waves(VN_SHAPE(rows_before(parts), 3));
    vn_module *m = normed(1), *whole = normed(0);
    vn_tree *g, *h;
    if (n > 1) {
        vn_array *loss = vn_module_group_value_and_grad(m, all, parts, one_part, x, &g);
        CHECK(loss && alike(loss, vn_module_value_and_grad(whole, all_rows, x, &h), 1e-5));
        CHECK(trees_alike(g, h) && trees_alike(vn_module_buffers(m), vn_module_buffers(whole)));
    } else CHECK_FAILS(vn_module_group_value_and_grad(m, all, parts, one_part, x, &g), VN_E_SHAPE, "a variance is of two or more");
    /* Some ranks have a part more than others: all compute along. */
    vn_array *more = waves(VN_SHAPE(rows_before(2 * n + 1), 3)), *loss = NULL;
    if (n > 1) CHECK((loss = vn_module_group_value_and_grad(m, all, 2 * n + 1, one_part, more, &g)));
    if (loss) {
        const double value = vn_item(loss);
        CHECK(isfinite(value) && vn_group_same(all, &value, sizeof value, "loss"));
    }
    /* Evaluation uses the running numbers, on each rank by itself; so does a gradient in one process. */
    CHECK(vn_module_value_and_grad(normed(1), all_rows, more, &g) && vn_module_value_and_grad(normed(0), all_rows, more, &h) &&
          trees_alike(g, h));
    vn_module_train(m, 0);
    if (!vn_group_rank(all)) CHECK(vn_eval(1, (vn_array *[]){vn_module_call(m, more, NULL)}) == VN_OK);
}

/* ---- errors ---- */

static int fail_on_last(const vn_fit_event *e, void *group)
{
    if (e->moment == VN_FIT_STEP && e->step == 2 && vn_group_rank(group) == vn_group_size(group) - 1)
        vn_reshape(vn_zeros(VN_SHAPE(2), VN_F32), VN_SHAPE(3));
    return 0;
}

static void errors(void)
{
    vn_group *all = ranks_join();
    if (!all) return;
    const bool last = vn_group_rank(all) == vn_group_size(all) - 1;
    char text[64];
    snprintf(text, sizeof text, last ? "reshape: " : "fit: rank %d: ", vn_group_size(all) - 1);
    CHECK_FAILS(train((vn_fit_opts){.group = all, .watch = fail_on_last, .watch_user = all}, false), last ? VN_E_SHAPE : VN_E_GROUP, text);
    if (vn_group_size(all) > 1)
        CHECK_FAILS(train((vn_fit_opts){.group = all}, vn_group_rank(all) > 0), VN_E_GROUP, "rank 1 has other data than rank 0");
}

static const ranks_row list[] = {
    {"training", "fit", "a training on all ranks has the bits of one in one process, also with sharded optimizer state", training,
     __LINE__},
    {"parts", "group_value_and_grad", "loss and gradients of a batch in parts, against the batch as a whole", parts, __LINE__},
    {"batch_norm", "nn_batch_norm1d", "synchronised batch norm on parts of different sizes, against the batch as a whole", batch_norm,
     __LINE__},
    {"errors", "fit", "a rank that fails, or has other data, ends the training on all, by its name", errors, __LINE__},
};
const ranks_part ranks_training = {list, (int)(sizeof list / sizeof *list), __FILE__};
