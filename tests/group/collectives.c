/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives on arrays: pieces of large arrays, and what is refused. What they give is checked by the conformance suite "ranks". Runs
 * on any number of ranks. */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: ranks 1 2 3 */
/* ctest: seconds 2 */
#include "every_rank.h"
#include <pthread.h>

static vn_array *given(int64_t size)
{
    return vn_add(vn_arange(0, (double)size, 1, VN_F32), vn_scalar(me * 3));
}

/* What every collective makes of an array of that size. */
static uint64_t collected(int64_t size)
{
    VN_SCOPE;
    vn_array *x = given(size);
    vn_array *results[] = {vn_group_all_reduce(all, x, VN_REDUCE_SUM), vn_group_broadcast(all, x, n - 1), vn_group_all_gather(all, x),
                           vn_group_reduce_scatter(all, vn_tile(x, VN_SHAPE(n)), VN_REDUCE_SUM)};
    uint64_t hash = VN__HASH;
    for (int k = 0; k < 4; k++) {
        CHECK(results[k]);
        hash = hash_array(hash, results[k]);
    }
    if (n == 1) return hash;
    const int next = (me + 1) % n, last = (me + n - 1) % n;
    if (!me) CHECK(!vn_group_send(all, x, next, 7));
    vn_array *came = vn_group_receive(all, last, 7);
    if (me) CHECK(!vn_group_send(all, x, next, 7));
    return hash_array(hash, came);
}

/* An array of more elements than a message may have goes in pieces. */
TEST(pieces)
{
    static const int64_t sizes[] = {17, 100, 101, 1234};
    for (int k = 0; k < 4; k++) {
        const int64_t before = vn__group_piece;
        const uint64_t whole = collected(sizes[k]);
        vn__group_piece = 100;
        CHECK(collected(sizes[k]) == whole);
        vn__group_piece = before;
    }
}

/* Threads of a process, each with a group of its own, at the same time. */
typedef struct {
    pthread_t thread;
    vn_group *group;
    int number, wrong;
} user;

static void *use_group(void *memory)
{
    user *u = memory;
    for (int i = 0; i < 50; i++) {
        VN_SCOPE;
        const double base = 1000. * u->number + i;
        vn_array *sum = vn_group_all_reduce(u->group, vn_full(vn_scalar(base + me), VN_SHAPE(100), VN_F64), VN_REDUCE_SUM);
        u->wrong += !sum || vn_item(vn_mean(sum, VN_ALL)) != n * base + n * (n - 1) / 2.;
    }
    u->wrong += vn_status() != VN_OK;
    return NULL;
}

TEST(threads)
{
    user users[3];
    for (int k = 0; k < 3; k++) users[k] = (user){.group = vn_group_split(all, 0, me), .number = k};
    for (int k = 0; k < 3; k++) CHECK(!pthread_create(&users[k].thread, NULL, use_group, &users[k]));
    for (int k = 0; k < 3; k++) {
        pthread_join(users[k].thread, NULL);
        CHECK(!users[k].wrong);
    }
}

TEST(refusals)
{
    vn_array *x = given(3);
    CHECK_FAILS(vn_group_broadcast(all, x, n), VN_E_ARG, "there is no rank ");
    CHECK_FAILS(vn_group_all_reduce(NULL, x, 0), VN_E_NULL, "group_all_reduce: g is NULL");
    CHECK_FAILS(vn_group_all_reduce(all, NULL, 0), VN_E_NULL, "group_all_reduce: x is NULL");
    CHECK_FAILS(vn_group_send(all, x, me, 0), VN_E_ARG, "is not another of the group's");
    CHECK_FAILS(vn_group_receive(all, -1, 0), VN_E_ARG, "is not another of the group's");
    CHECK_FAILS(vn_group_open(VN_OPTS(group, .timeout = -1)), VN_E_ARG, "timeout is -1");
    if (n == 1) return;
    CHECK_FAILS(vn_group_send(all, x, (me + 1) % n, 40000), VN_E_ARG, "tag is 40000");
    CHECK_FAILS(vn_group_reduce_scatter(all, given(n + 1), 0), VN_E_SHAPE, "not a multiple of");
}

/* With one process there is no other rank to end: the call returns. */
TEST(abort_of_one)
{
    if (n > 1) return;
    vn_group_abort(all, 3);
    CHECK(!vn_status());
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    join_all(60);
    if (all) run_tests();
    vn_group_drop(all);
    return finish();
}
