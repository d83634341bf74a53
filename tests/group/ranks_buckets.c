/* SPDX-License-Identifier: Apache-2.0 */
/* A rank that fails, ends or hangs while sums travel in buckets (.fast_sums): at the K-th allocation of a step the last rank finds no memory,
 * or gets a signal. Every rank ends with an error that names it: tests/package/ranks-buckets.sh. By itself nothing fails.
 *     ranks_buckets ENGINE [memory | kill | stop | count [K]]     count: prints the allocations of a step */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: ranks 2 3 */
/* ctest: args count */
#include "every_rank.h"
#include <signal.h>
#include <vinea/train.h>

enum { ROWS = 48, MEMORY, KILL, STOP, COUNT };
static int mode = MEMORY;
static long trap = 2, made; /* made: allocations since the trap was set */
static bool set;

static void *allocate(size_t bytes, void *unused)
{
    (void)unused;
    if (set && ++made >= trap) {
        if (mode == KILL) raise(SIGKILL);
        if (mode == STOP) raise(SIGSTOP);
        if (mode == MEMORY) return NULL; /* from now on */
    }
    return malloc(bytes);
}
static void release(void *memory, void *unused)
{
    (void)unused;
    free(memory);
}

/* The third step is the one that fails. */
static int watch(const vn_fit_event *e, void *unused)
{
    (void)unused;
    if (mode == COUNT && set && !me) printf("%ld\n", made);
    set = e->moment == VN_FIT_STEP && e->step == 2 && (me == n - 1 || mode == COUNT);
    return 0;
}

static vn_dataset *data(void)
{
    static float x[ROWS * 64];
    static int64_t y[ROWS];
    for (int i = 0; i < ROWS * 64; i++) x[i] = (float)(i * 37 % 101) / 101;
    for (int i = 0; i < ROWS; i++) y[i] = i % 5;
    return vn_dataset_of(vn_from_host(x, VN_F32, VN_SHAPE(ROWS, 64)), vn_from_host(y, VN_I64, VN_SHAPE(ROWS)),
                         VN_OPTS(dataset, .classes = 5));
}

TEST(fails)
{
    vn__overlap_bucket = 4096;
    vn_seed(1);
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(64, 64, NULL), vn_nn_relu(), vn_nn_linear(64, 64, NULL), vn_nn_relu(),
                                   vn_nn_linear(64, 64, NULL), vn_nn_relu(), vn_nn_linear(64, 5, NULL));
    const int code =
        vn_fit(net, data(), VN_OPTS(fit, .epochs = 4, .batch = 24, .micro_batches = 6, .group = all, .fast_sums = 1, .watch = watch), NULL);
    set = false;
    if (mode == COUNT) CHECK(!code);
    if (mode == COUNT) return;
    char last[32];
    snprintf(last, sizeof last, "rank %d", n - 1);
    fprintf(stderr, "rank %d of %d: %s\n", me, n, vn_message());
    CHECK(me == n - 1 ? code == VN_E_MEM : code == VN_E_GROUP && strstr(vn_message(), last));
    vn_clear();
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {[MEMORY] = "memory", [KILL] = "kill", [STOP] = "stop", [COUNT] = "count"};
    static const vn_allocator own = {allocate, release, NULL};
    for (int k = MEMORY; argc > 2 && k <= COUNT; k++)
        if (!strcmp(argv[2], modes[k])) mode = k;
    if (argc > 3) trap = atol(argv[3]);
    vn_set_allocator(&own);
    use_engine(argc, argv);
    join_all(0);
    if (all) run_tests();
    vn_group_drop(all);
    vn_close(); /* its code is that of the failure */
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures || !check_count;
}
