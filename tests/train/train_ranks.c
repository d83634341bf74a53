/* SPDX-License-Identifier: Apache-2.0 */
/* train_ranks.c: trainings on two ranks with data, losses and weights of every kind, which have the bits of one process; what both must have in common; checkpoints that the
 * first rank cannot read. */
/* ctest: ranks 2 */
/* ctest: seconds 2 */
#include "folder.h" /* before every_rank.h, whose n it would shadow */
#include "../group/every_rank.h"
#include <vinea/train.h>

static int batch(const int64_t *rows, int64_t k, vn_array **x, vn_array **y, void *user)
{
    float numbers[64];
    int64_t classes[64];
    (void)user;
    for (int64_t i = 0; i < k; i++) numbers[i] = (float)(rows[i] % 7) - 3, classes[i] = rows[i] % 2;
    *x = vn_from(numbers, VN_SHAPE(k, 1)), *y = vn_from_host(classes, VN_I64, VN_SHAPE(k));
    return VN_OK;
}

static vn_array *own_loss(vn_array *prediction, vn_array *target, void *user)
{
    (void)user;
    return vn_mean(vn_square(vn_sub(vn_sum(prediction, VN_AXES(1)), vn_cast(target, VN_F32))), VN_ALL);
}

static vn_dataset *rows_with(bool weights)
{
    float x[24], w[24];
    int64_t y[24];
    for (int i = 0; i < 24; i++) x[i] = (float)(i % 7) - 3, y[i] = i % 2, w[i] = (float)(1 + i % 3);
    return vn_dataset_of(vn_from(x, VN_SHAPE(24, 1)), vn_from_host(y, VN_I64, VN_SHAPE(24)),
                         VN_OPTS(dataset, .weights = weights ? vn_from(w, VN_SHAPE(24)) : NULL));
}

/* A hash of the trained variables; 0: it failed. */
static uint64_t trained(vn_dataset *d, const vn_fit_opts *more, vn_group *group)
{
    VN_SCOPE;
    vn_seed(3);
    vn_module *m = vn_nn_linear(1, 2);
    vn_fit_opts o = *more;
    o.size = sizeof o, o.epochs = o.epochs ? o.epochs : 2, o.batch = 12, o.optim = vn_adam(.1), o.group = group;
    if (!o.micro_batches) o.micro_batches = 6;
    if (vn_fit(m, d, &o, NULL)) return 0;
    return hash_array(hash_array(VN__HASH, vn_module_var(m, "w")), vn_module_var(m, "b"));
}

TEST(kinds_of_data)
{
    static const double weights[] = {1, 3};
    const struct {
        vn_dataset *d;
        vn_fit_opts o;
    } all_kinds[] = {{vn_dataset_from(batch, 24, 2, NULL), {.metrics = "f1"}},
                     {rows_with(true), {.metrics = "accuracy"}},
                     {rows_with(false), {.loss_fn = own_loss}},
                     {rows_with(false), {.class_weights = weights, .n_class_weights = 2}},
                     {rows_with(false), {.validation = rows_with(true), .shard_optimizer = 1}},
                     {rows_with(false), {.validation_split = .25, .plateau_patience = 1, .shard_optimizer = 1, .micro_batches = 4}}};
    for (size_t k = 0; k < sizeof all_kinds / sizeof *all_kinds; k++) {
        const uint64_t alone = trained(all_kinds[k].d, &all_kinds[k].o, NULL);
        CHECK(alone && alone == trained(all_kinds[k].d, &all_kinds[k].o, all));
    }
    vn_group *freed;
    {
        VN_SCOPE;
        freed = vn_group_split(all, 0, 0);
    }
    CHECK_FAILS(trained(all_kinds[2].d, VN_OPTS(fit, .epochs = 1), freed), VN_E_FREED, "group");
}

/* Ranks that do not train the same: all fail, and say what differs. */
TEST(unlike_ranks)
{
    static const double weights[] = {1, 3};
    vn_dataset *d = rows_with(false);
    vn_fit_opts o = {.epochs = me ? 2 : 1};
    CHECK_FAILS(trained(d, &o, all), VN_E_GROUP, "rank 1 has other options");
    o = (vn_fit_opts){.class_weights = me ? weights : NULL, .n_class_weights = me ? 2 : 0};
    CHECK_FAILS(trained(d, &o, all), VN_E_GROUP, "rank 1 has other options");
    o = (vn_fit_opts){.loss_fn = me ? own_loss : NULL};
    CHECK_FAILS(trained(d, &o, all), VN_E_GROUP, "rank 1 has other options");
    CHECK_FAILS(trained(rows_with(me == 1), &(vn_fit_opts){.epochs = 1}, all), VN_E_GROUP, "rank 1 has other");
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2 + me), d, VN_OPTS(fit, .group = all), NULL), VN_E_GROUP, "rank 1 has another network");
    vn_seed(1);
    vn_module *m = vn_nn_linear(1, 2);
    vn_seed((uint64_t)me);
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .group = all), NULL), VN_E_GROUP, "rank 1 has another seed");
    vn_seed(1);
    if (me) vn_into(vn_module_var(m, "b"), vn_ones(VN_SHAPE(2), VN_F32));
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .group = all), NULL), VN_E_GROUP, "rank 1 has other parameters");
}

/* The first rank cannot read the checkpoint: all fail. */
TEST(unreadable_checkpoints)
{
    char path[400], below[420];
    snprintf(path, sizeof path, "%s/c", folder), snprintf(below, sizeof below, "%s/file/c", folder);
    write_bytes(in_folder("file"), "", 0);
    vn_fit_opts o = {.resume = 1, .checkpoint = folder};
    CHECK_FAILS(trained(rows_with(false), &o, all), me ? VN_E_GROUP : VN_E_IO, "cannot read the file: Is a directory");
    o.checkpoint = below;
    CHECK_FAILS(trained(rows_with(false), &o, all), me ? VN_E_GROUP : VN_E_IO, "cannot open the file: Not a directory");
    o.checkpoint = in_folder("file");
    CHECK_FAILS(trained(rows_with(false), &o, all), VN_E_FORMAT, "the file is too short");
    o.checkpoint = path; /* there is none: the first run */
    CHECK(trained(rows_with(false), &o, all) != 0);
    CHECK(trained(rows_with(false), &o, all) != 0); /* which is over */
    folder_empty();
}

/* ---- memory ---- */

/* The few bytes that two ranks need to tell each other how they are: without these a rank gives up, and its job ends. */
static bool talks(size_t size)
{
    return size == 8 || size == 16 || size == 24 || size == 96;
}
static void *allocate(size_t size, void *user)
{
    if (!talks(size)) return failing_allocate(size, user);
    void *memory = malloc(size);
    if (memory) failing_alive++;
    return memory;
}

/* What fails does so before the training begins. */
static int spared(const vn_fit_event *e, void *user)
{
    (void)user;
    if (e->moment == VN_FIT_BEGIN) failing_when = 0;
    return 0;
}

/* While ranks agree that the training can begin, one of them runs out of memory: all fail, each with its reason, and the next training is whole. What native allocates is known. */
NATIVE_TEST(no_memory)
{
    enum { MOST = 440 };
    char path[400];
    snprintf(path, sizeof path, "%s/c", folder);
    vn_dataset *d = rows_with(true);
    const uint64_t whole = trained(d, &(vn_fit_opts){.shard_optimizer = 1, .checkpoint = path}, all);
    CHECK(whole != 0);
    for (int rank = 0; rank < n; rank++) {
        int failed = 0;
        for (long at = 2 + rank; at < MOST;
             at += n) { /* not the first, without which a rank knows nothing of its group; each on one of the ranks */
            vn_seed(3);
            vn_module *m = vn_nn_linear(1, 2);
            vn_fit_opts o = {.size = sizeof o, .epochs = 2, .batch = 12, .optim = vn_adam(.1), .group = all, .micro_batches = 6};
            o.shard_optimizer = 1, o.checkpoint = path, o.resume = 1, o.watch = spared;
            failing_at = 0;
            if (me == rank) failing_when = at;
            const int code = vn_fit(m, d, &o, NULL);
            failing_when = 0;
            CHECK(code == (int)vn_status() && (!code || code == VN_E_GROUP || (me == rank && code == VN_E_MEM)));
            if (code) failed++, vn_clear();
            else CHECK(whole == hash_array(hash_array(VN__HASH, vn_module_var(m, "w")), vn_module_var(m, "b")));
        }
        CHECK(failed > 50 && failed < MOST / n - 2); /* some are beyond the beginning, and some can be done without */
    }
    folder_empty();
}

int main(int argc, char **argv)
{
    static const vn_allocator own = {allocate, failing_release, NULL};
    if (vn_set_allocator(&own)) return 1;
    use_engine(argc, argv);
    folder_make();
    join_all(100);
    if (all) run_tests();
    vn_group_drop(all);
    folder_remove();
    return finish();
}
