/* SPDX-License-Identifier: Apache-2.0 */
/* Training on several ranks: parameters, buffers and scores have the bits of a training in one process, for every network; each rank's
 * rows count; a training continues on another number of ranks; stopping and errors are agreed on. Rank 0 prints the hashes. */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: ranks 1 2 3 4 */
/* ctest: ranks-full 1 2 4 8 */
/* ctest: seconds-full 60 */
/* ctest: seconds 3 */
#include "folder.h" /* before every_rank.h, whose n it would shadow */
#include "trainings.h"
#include <unistd.h>

TEST(same_bits)
{
    for (int net = 0; net < NETS; net++) {
        const uint64_t alone = TRAIN(.net = net, .o.micro_batches = 8);
        const uint64_t together = TRAIN(.net = net, .o.group = all);
        CHECK(alone == together && alone);
        if (!me) printf("%s %s %016llx\n", vn_using(), nets[net].name, (unsigned long long)together);
        if (net) continue;
        CHECK(TRAIN(.net = net, .o.group = all, .o.micro_batches = 12) != together); /* other parts, other sums */
    }
}

/* One number of one row that this rank computes: the last row of the first batch, in its last part. */
TEST(all_ranks_take_part)
{
    const uint64_t plain = TRAIN(.o.group = all, .o.epochs = 1, .o.no_shuffle = 1);
    for (int part = 0; part < 8; part += 7)
        CHECK(train(&(training){.changed = part * 3 + 1, .o = {.group = all, .epochs = 1, .no_shuffle = 1}}) != plain);
}

/* ---- sums in memory that all ranks see ---- */

static bool in_shared_memory(vn_array *x)
{
    const vn__world *w = &vn__the_world;
    const char *at = vn_data(x), *first = w->shared ? vn__shared_sum(0) : NULL;
    return first && at >= first && at < first + w->shared;
}

static vn_array *square_loss(const vn_tree *p, vn_part *part, void *unused)
{
    (void)unused;
    vn_array *loss = vn_zeros(VN_0D, VN_F64);
    if (part->parts > n) part->weight = (double)(part->number + 3);
    for (int i = 0; i < vn_tree_leaves(p); i++)
        loss = vn_add(loss, vn_mean(vn_square(vn_sub(vn_tree_leaf(p, i), vn_scalar((double)part->number / 3))), VN_ALL));
    return loss;
}

/* Gradients of three steps, which one rank keeps: its total is not free for the others' next step, which takes the way of messages. */
static uint64_t kept_gradients(int64_t parts, int keeper, bool *shared)
{
    VN_SCOPE;
    uint64_t hash = VN__HASH;
    vn_tree *p =
        vn_tree_of("a", vn_arange(0, 37, 1, VN_F32), "b", vn_arange(0, 301, 1, VN_F64), "w", vn_arange(0, 100000, 1, VN_F32), NULL);
    vn_tree *kept[3] = {NULL};
    vn_optim *sgd = vn_sgd(.5, NULL);
    for (int step = 0; step < 3; step++) {
        VN_SCOPE;
        vn_tree *grads;
        CHECK(vn_group_value_and_grad(all, parts, square_loss, p, NULL, &grads) && !vn_step(sgd, p, grads));
        shared[step] = in_shared_memory(vn_tree_get(grads, "w"));
        if (me == keeper) kept[step] = vn_tree_keep(grads);
        else hash = hash_tree(hash, grads);
    }
    for (int step = 0; step < 3 && me == keeper; step++) hash = hash_tree(hash, kept[step]), vn_tree_drop(kept[step]);
    return hash_tree(hash, p);
}

TEST(shares_memory)
{
    enum { MESSAGES, THROUGH_CACHES, PAST_CACHES, WAYS };
    const size_t least = vn__shared_least;
    const double far = vn__shared_far;
    const bool has = vn__the_world.shared > 0, look = !strcmp(vn_using(), "native"); /* others may copy it */
    uint64_t hash[WAYS][NETS], kept[WAYS][2];
    bool shared[3];
    for (int way = 0; way < WAYS; way++) {
        vn__shared_least = way == MESSAGES ? SIZE_MAX : 0;
        vn__shared_far = way == PAST_CACHES ? 0 : INFINITY;
        for (int net = 0; net < NETS; net++) hash[way][net] = TRAIN(.net = net, .o.group = all, .o.epochs = 1);
        for (int parts = 1; parts <= 2; parts++) { /* of each rank */
            kept[way][parts - 1] = kept_gradients(parts * n, -1, shared);
            for (int step = 0; step < 3; step++) CHECK(!look || shared[step] == (has && way));
        }
    }
    for (int parts = 1; parts <= 2; parts++) {
        for (int way = 1; way < WAYS; way++) CHECK(kept[way][parts - 1] == kept[MESSAGES][parts - 1]);
        CHECK(kept[MESSAGES][parts - 1] == kept_gradients(parts * n, n - 1, shared));
        CHECK(!look || (shared[0] == has && !shared[1] && !shared[2])); /* on all ranks */
    }
    vn__shared_least = least, vn__shared_far = far;
    for (int net = 0; net < NETS; net++)
        CHECK(hash[MESSAGES][net] && hash[MESSAGES][net] == hash[THROUGH_CACHES][net] && hash[MESSAGES][net] == hash[PAST_CACHES][net]);
}

static int64_t programs(void)
{
    vn_cache_info c = {.size = sizeof c};
    CHECK(!vn_cache_stats(vn_using(), &c));
    return c.misses;
}

/* Sums in the order of MPI_Allreduce, after the last part or, in buckets, while it is computed, each of them a program of its own. */
TEST(fast)
{
    const size_t bucket = vn__overlap_bucket;
    for (int net = 0; net < TRANSFORMER; net++) {
        const uint64_t exact = TRAIN(.net = net, .o.group = all, .o.epochs = 2);
        const int64_t before = programs();
        CHECK(exact &&
              (TRAIN(.net = net, .o.group = all, .o.fast_sums = 1, .o.epochs = 2) == exact || n > 2)); /* two numbers have one order */
        const int64_t whole = programs();
        vn__overlap_bucket = 256;
        const uint64_t overlapped = TRAIN(.net = net, .o.group = all, .o.fast_sums = 1, .o.epochs = 2);
        vn__overlap_bucket = bucket;
        CHECK(overlapped && (overlapped == exact || n > 2));
        CHECK((programs() > whole) == (n > 1) && whole == before);
    }
}

/* A training stopped in the middle of an epoch goes on on another number of ranks. */
static int stop_at_7(const vn_fit_event *e, void *unused)
{
    return (void)unused, e->moment == VN_FIT_STEP && e->step == 7;
}

TEST(resumes)
{
    char own[512], shared[512];
    snprintf(own, sizeof own, "%s/alone-%d", folder, me), snprintf(shared, sizeof shared, "%s/together", folder);
    const uint64_t whole = TRAIN(.net = CONVNET, .o.group = all);
    TRAIN(.net = CONVNET, .o.group = all, .o.checkpoint = shared, .o.watch = stop_at_7);
    CHECK(access(shared, F_OK) == (me ? -1 : 0)); /* the first rank writes it, in its folder */
    if (!me)
        CHECK(TRAIN(.net = CONVNET, .o.checkpoint = shared, .o.resume = 1) == whole); /* by one process, which knows the number of parts */
    vn_group_barrier(all);
    TRAIN(.net = CONVNET, .o.micro_batches = 8, .o.checkpoint = own, .o.watch = stop_at_7);
    CHECK(TRAIN(.net = CONVNET, .o.group = all, .o.checkpoint = own, .o.resume = 1) == whole);
    training t = {.net = CONVNET, .changed = -1, .o = {.group = all, .checkpoint = own, .resume = 1, .micro_batches = 12}};
    train(&t);
    CHECK(t.code && strstr(vn_message(), "was saved with 8 micro_batches, not 12"));
    vn_clear();
}

/* ---- agreeing ---- */

static int stop_on_last(const vn_fit_event *e, void *unused)
{
    return (void)unused, e->moment == VN_FIT_STEP && e->step == 3 && me == n - 1;
}
static int request_on_last(const vn_fit_event *e, void *unused)
{
    if (e->moment == VN_FIT_STEP && e->step == 2 && me == n - 1) vn_stop_request();
    return (void)unused, 0;
}

TEST(stops)
{
    training t = {.changed = -1, .o = {.group = all, .watch = stop_on_last}};
    train(&t);
    CHECK(t.result.stop == VN_STOP_CALLBACK && t.result.steps == 3);
    vn_stop_on_interrupt(0);
    t = (training){.changed = -1, .o = {.group = all, .watch = request_on_last}};
    train(&t);
    CHECK(t.result.stop == VN_STOP_INTERRUPTED && t.result.steps == 2);
    vn_stop_on_interrupt(0); /* clears the request */
    t = (training){.changed = -1, .o = {.group = all, .patience = 2, .min_delta = 100, .epochs = 10}};
    train(&t);
    CHECK(t.result.stop == VN_STOP_EARLY && t.result.epochs == 3);
}

static int refused(vn_optim *o)
{
    return vn_fit(mlp(), data_of(-1), VN_OPTS(fit, .epochs = 1, .optim = o, .group = all, .shard_optimizer = 1), NULL);
}

/* Optimizer state shared out over the ranks: the same bits, also from a checkpoint on another number of ranks. */
TEST(shards)
{
    char path[512], own[512];
    vn_optim *chain = vn_chain(2, (vn_optim *[]){vn_adam(.1, NULL), vn_adam(.1, NULL)}), *sum = vn_adam(.1, NULL);
    vn_optim_accumulate(sum, 2);
    if (n > 1) CHECK_FAILS(refused(chain), VN_E_ARG, "shard_optimizer needs an optimizer that moves each parameter by itself");
    if (n > 1) CHECK_FAILS(refused(sum), VN_E_ARG, "shard_optimizer and vn_optim_accumulate");
    snprintf(path, sizeof path, "%s/sharded", folder), snprintf(own, sizeof own, "%s/sharded-%d", folder, me);
    for (int net = 0; net < TRANSFORMER; net++) {
        const uint64_t whole = TRAIN(.net = net, .o.group = all);
        CHECK(whole && whole == TRAIN(.net = net, .o.group = all, .o.shard_optimizer = 1));
        TRAIN(.net = net, .o.group = all, .o.shard_optimizer = 1, .o.checkpoint = path, .o.watch = stop_at_7);
        vn_group_barrier(all);
        CHECK(whole == TRAIN(.net = net, .o.group = all, .o.shard_optimizer = 1, .o.checkpoint = path, .o.resume = 1));
        unlink(path), vn_group_barrier(all);
        TRAIN(.net = net, .o.micro_batches = 8, .o.checkpoint = own, .o.watch = stop_at_7); /* by one process, to all */
        CHECK(whole == TRAIN(.net = net, .o.group = all, .o.shard_optimizer = 1, .o.checkpoint = own, .o.resume = 1));
        TRAIN(.net = net, .o.group = all, .o.shard_optimizer = 1, .o.checkpoint = path, .o.watch = stop_at_7); /* by all, to one */
        CHECK(me || whole == TRAIN(.net = net, .o.checkpoint = path, .o.resume = 1));
        unlink(own), unlink(path), vn_group_barrier(all);
    }
}

static int fails_on_last(const vn_fit_event *e, void *unused)
{
    if (e->moment == VN_FIT_STEP && e->step == 3 && me == n - 1) vn_reshape(vn_zeros(VN_SHAPE(2), VN_F32), VN_SHAPE(3));
    return (void)unused, 0;
}

TEST(errors)
{
    char text[64];
    snprintf(text, sizeof text, me == n - 1 ? "reshape: " : "fit: rank %d: fit: ", n - 1);
    training t = {.changed = -1, .o = {.group = all, .watch = fails_on_last}};
    train(&t);
    CHECK(t.code == (me == n - 1 ? VN_E_SHAPE : VN_E_GROUP) && strstr(vn_message(), text));
    vn_clear();
    t = (training){.changed = -1, .o = {.group = all, .micro_batches = n - 1}};
    if (n > 1) train(&t);
    CHECK(n == 1 || (t.code == VN_E_ARG && strstr(vn_message(), " micro-batches")));
    vn_clear();
    if (n == 1) return;
    t = (training){.changed = me ? 51 : -1, .o = {.group = all}}; /* one number of one row */
    train(&t);
    CHECK(t.code == VN_E_GROUP && strstr(vn_message(), "fit: rank 1 has other data than rank 0"));
    vn_clear();
    t = (training){.net = me ? MLP : CONVNET, .changed = -1, .o = {.group = all}};
    train(&t);
    CHECK(t.code == VN_E_GROUP && strstr(vn_message(), "fit: rank 1 has another network than rank 0"));
    vn_clear();
}

/* ---- a loop of one's own ---- */

static vn_array *part_loss(const vn_tree *p, vn_part *part, void *data)
{
    vn_array *x = vn_slice(data, vn_from_host((int64_t[]){part->number * 5, 0}, VN_I64, VN_SHAPE(2)), VN_SHAPE(5, 3));
    part->weight = (double)(part->number + 1);
    vn_array *noise = vn_random_normal(0, .1, VN_SHAPE(5, 1)); /* by the part, not the rank */
    return vn_mean(vn_square(vn_sub(vn_matmul(x, vn_tree_get(p, "w")), noise)), VN_ALL);
}

static uint64_t own_loop(vn_group *g, vn_dtype dtype)
{
    VN_SCOPE;
    vn_seed(5);
    vn_array *x = vn_cast(vn_random_normal(0, 1, VN_SHAPE(35, 3)), dtype);
    vn_tree *p = vn_tree_of("w", vn_full(vn_scalar(.5), VN_SHAPE(3, 1), dtype), NULL);
    vn_optim *sgd = vn_sgd(.1, NULL);
    uint64_t hash = VN__HASH;
    for (int step = 0; step < 5; step++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_array *loss = vn_group_value_and_grad(g, 7, part_loss, p, x, &grads);
        CHECK(loss && !vn_step(sgd, p, grads) && vn_dtype_of(vn_tree_get(grads, "w")) == dtype);
        hash = hash_array(hash, loss);
    }
    return hash_tree(hash, p);
}

TEST(own_loops)
{
    CHECK(own_loop(NULL, VN_F32) == own_loop(all, VN_F32));
    CHECK(own_loop(NULL, VN_F64) == own_loop(all, VN_F64));
    CHECK(own_loop(NULL, VN_BF16) == own_loop(all, VN_BF16));
    vn_tree *grads;
    CHECK_FAILS(vn_group_value_and_grad(all, 0, part_loss, vn_tree_new(NULL), NULL, &grads), VN_E_ARG, "a batch of 0 parts");
}

/* Random numbers in one part alone: the ranks that use none cannot say which they have. */
static vn_array *noise_in_one(const vn_tree *p, vn_part *part, void *number)
{
    vn_array *loss = vn_mean(vn_square(vn_sub(vn_tree_get(p, "w"), vn_scalar((double)part->number))), VN_ALL);
    return part->number == *(int64_t *)number ? vn_mul(loss, vn_random_normal(0, 1, VN_0D)) : loss;
}
static uint64_t with_noise(vn_group *g, int64_t number)
{
    VN_SCOPE;
    vn_tree *grads;
    vn_seed(4);
    CHECK(vn_group_value_and_grad(g, 8, noise_in_one, vn_tree_of("w", vn_ones(VN_SHAPE(3), VN_F32), NULL), &number, &grads));
    return hash_tree(VN__HASH, grads);
}

TEST(noise_in_one_part)
{
    for (int64_t part = 0; part < 8; part++) CHECK(with_noise(all, part) == with_noise(NULL, part));
}

/* Ranks whose parts, gradients, engines or random numbers differ: all fail, and name one. */
static bool noisy;
static vn_array *mean_square(const vn_tree *p, vn_part *part, void *unused)
{
    vn_array *loss = vn_mean(vn_square(vn_tree_get(p, "w")), VN_ALL);
    return (void)part, (void)unused, noisy ? vn_mul(loss, vn_random_normal(0, 1, VN_0D)) : loss;
}
static int of_ones(int64_t size, vn_dtype dtype, const char *engine, int64_t parts)
{
    VN_SCOPE;
    vn_tree *grads, *p = vn_tree_of("w", vn_to(vn_ones(VN_SHAPE(size), dtype), engine), NULL);
    vn_group_value_and_grad(all, parts, mean_square, p, NULL, &grads);
    return vn_status();
}

TEST(disagreements)
{
    static const int64_t sizes[] = {3, 5000, 100000}; /* travel with the scores, in messages, and in memory that all see */
    const int odd = me == 1;
    const char *engine = vn_using();
    for (int k = 0; k < 3 && n > 1; k++) {
        CHECK_FAILS(of_ones(sizes[k] + odd, VN_F32, engine, n), VN_E_GROUP, "rank 1 has gradients of other shapes or dtypes than rank 0");
        CHECK_FAILS(of_ones(sizes[k], odd ? VN_F64 : VN_F32, engine, n), VN_E_GROUP, "rank 1 has gradients of other shapes");
        CHECK_FAILS(of_ones(sizes[k], VN_F32, engine, n + odd), VN_E_GROUP, "rank 1 has another number of parts than rank 0");
        if (strcmp(engine, "native") != 0)
            CHECK_FAILS(of_ones(sizes[k], VN_F32, odd ? "native" : engine, n), VN_E_GROUP, "rank 1 has another engine than rank 0");
        vn_seed((uint64_t)odd);
        CHECK(!of_ones(sizes[k], VN_F32, engine, n)); /* which uses no random numbers */
        noisy = true;
        CHECK_FAILS(of_ones(sizes[k], VN_F32, engine, n), VN_E_GROUP, "rank 1 has another seed (vn_seed)");
        vn_seed(1);
        CHECK(!of_ones(sizes[k], VN_F32, engine, n));
        noisy = false;
    }
}

/* Accumulated gradients of one process have the bits of a batch in as many parts. */
static vn_array *share_loss(const vn_tree *p, vn_part *part, void *data)
{
    vn_array *x = vn_slice(data, vn_from_host((int64_t[]){part->number * 5, 0}, VN_I64, VN_SHAPE(2)), VN_SHAPE(5, 3));
    vn_array *h = vn_tanh(vn_matmul(x, vn_tree_get(p, "w")));
    return vn_mean(vn_square(vn_sub(vn_matmul(h, vn_tree_get(p, "u")),
                                    vn_slice(x, vn_from_host((int64_t[]){0, 0}, VN_I64, VN_SHAPE(2)), VN_SHAPE(5, 1)))),
                   VN_ALL);
}
typedef struct {
    vn_part part;
    vn_array *x;
} share;
static vn_array *own_loss(const vn_tree *p, void *data)
{
    share *s = data;
    return share_loss(p, &s->part, s->x);
}

static uint64_t accumulated(vn_group *g, int64_t parts, bool together)
{
    VN_SCOPE;
    vn_seed(5);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(parts * 5, 3));
    vn_tree *p = vn_tree_of("w", vn_random_normal(0, 1, VN_SHAPE(3, 4)), "u", vn_random_normal(0, 1, VN_SHAPE(4, 1)), NULL);
    vn_optim *adam = vn_adam(.01, NULL);
    vn_optim_clip_norm(adam, .05);
    if (!together) vn_optim_accumulate(adam, parts);
    for (int step = 0; step < 4; step++) {
        for (int64_t k = 0; k < (together ? 1 : parts); k++) {
            VN_SCOPE;
            vn_tree *grads;
            vn_array *loss = together ? vn_group_value_and_grad(g, parts, share_loss, p, x, &grads)
                                      : vn_value_and_grad(own_loss, p, &(share){{k, parts, 1}, x}, &grads);
            CHECK(loss && !vn_step(adam, p, grads));
        }
        if (together || step != 1) continue;
        vn_optim *next = vn_adam(.01, NULL); /* and with the state of another */
        vn_optim_clip_norm(next, .05), vn_optim_accumulate(next, parts);
        CHECK(!vn_optim_set_state(next, vn_optim_state(adam)));
        adam = next;
    }
    return hash_tree(VN__HASH, p);
}

TEST(accumulates)
{
    for (int64_t parts = 5; parts <= 8; parts++)
        if (n <= parts) CHECK(accumulated(NULL, parts, false) == accumulated(all, parts, true));
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    folder_make();
    join_all(100);
    if (all) run_tests();
    vn_group_drop(all);
    folder_remove();
    return finish();
}
