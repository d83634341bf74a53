/* SPDX-License-Identifier: Apache-2.0 */
/* group_memory.c: everything of groups, in the world of the plugin echo: it gives what it should, and where an allocation fails that is an error, with
 * nothing left. */
/* ctest: sanitize */
/* ctest: faults */
#include "echo_programs.h"

static void work(const char *program)
{
    for (int p = 0; p < PROGRAMS; p++) {
        if (strcmp(programs[p].name, program) != 0) continue;
        open_echo(2, 60);
        run(p);
        if (programs[p].many) open_echo(9, 60); /* more than send each other small things directly */
        if (programs[p].many) run(p);
    }
    CHECK(!vn_close());
}
#define WORKS(program)    \
    TEST(program##_works) \
    {                     \
        work(#program);   \
    }
WORKS(reduces)
WORKS(moves)
WORKS(pieces)
WORKS(splits)
WORKS(agrees)
WORKS(small_sums)
WORKS(large_sums)
WORKS(shared_sums)
WORKS(nested_sums)
WORKS(buffers)
WORKS(norms)
WORKS(fast_sums)
WORKS(buckets)

/* Of one process. */
TEST(alone_works)
{
    vn_close();
    setenv("ECHO_RANKS", "1", 1);
    all = vn_group_open(NULL), n = 1;
    CHECK(all);
    if (!all) return;
    small_sums(), buffers(), fast_sums();
    CHECK(vn_group_same(all, "same", 4, NULL) == 1);
}

/* Where others do not come, and do not answer. */
TEST(late)
{
    vn__group_answer = .01;
    open_echo(3, .01);
    echo->silent = 0, echo->waits = 1;
    CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, "group_barrier: waited 0.01 s; no sign of rank 1, 2");
    vn__group_answer = 2;
    echo->silent = 3; /* they answer when it closes */
    vn_close();
}

int main(void)
{
    echo_load();
    run_tests();
    folder_remove();
    return finish();
}
