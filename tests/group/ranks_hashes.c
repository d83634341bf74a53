/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of 200 steps of three networks on the ranks that it is started with, for tests/package/ranks-hashes.sh.
 *     ranks_hashes ENGINE [FOLDER [STEP]]     FOLDER: for checkpoints, from which it goes on; STEP: the last rank is killed there */
/* ctest: engines */
/* ctest: full */
#include "trainings.h"
#include <signal.h>

enum { STEPS = 200 };
static const char *folder;
static int64_t end = -1;

static int kill_last(const vn_fit_event *e, void *unused)
{
    if (e->moment == VN_FIT_STEP && e->step == end && me == n - 1) raise(SIGKILL);
    return (void)unused, 0;
}

TEST(hashes)
{
    char path[512];
    for (int net = 0; net < NETS; net++) {
        training t = {
            .net = net, .changed = -1, .o = {.group = all, .micro_batches = 8, .epochs = STEPS * EPOCHS / 20, .watch = kill_last}};
        snprintf(path, sizeof path, "%s/%s", folder ? folder : "", nets[net].name);
        if (folder) t.o.checkpoint = path, t.o.resume = 1;
        const uint64_t hash = train(&t);
        CHECK(hash && t.result.steps == STEPS);
        if (!me) printf("%-12s %016llx\n", nets[net].name, (unsigned long long)hash), fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    if (argc > 2) folder = argv[2];
    if (argc > 3) end = atol(argv[3]);
    if (!getenv("VINEA_TEST_RANKS")) setenv("VINEA_TEST_RANKS", "1", 1);
    join_all(300);
    if (all) run_tests();
    vn_group_drop(all);
    return finish();
}
