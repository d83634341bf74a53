/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a program of one's own that end early: the others name them and the reason (tests/package/ranks.sh). By itself nothing fails.
 *     ranks_ends ENGINE [error | hang | none]     error: the last rank ends after an error of its own; hang: rank 1 hangs in a group of two, and the
 * other two ranks are not in a call of any group */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: ranks 4 */
/* ctest: args none */
#include "every_rank.h"
#include <signal.h>
#include <unistd.h>

static const char *mode = "none";

static void one_fails(void)
{
    const bool fails = !strcmp(mode, "error");
    if (me == n - 1) vn_reshape(vn_zeros(VN_SHAPE(2), VN_F32), VN_SHAPE(fails ? 3 : 2));
    if (me == n - 1 && fails) return; /* to vn_close */
    if (fails) CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, "group_barrier: rank 3 ended: reshape: ");
    else CHECK(!vn_group_barrier(all));
}

static void one_of_a_part_hangs(void)
{
    const bool hangs = !strcmp(mode, "hang");
    vn_group *two = vn_group_split(all, me / 2, me);
    CHECK(two);
    if (hangs && me == 1) raise(SIGSTOP);
    if (hangs && me > 1) sleep((unsigned)atoi(getenv("VINEA_GROUP_TIMEOUT")) + 4);
    vn_group_barrier(me < 2 ? two : all);
    if (hangs) fprintf(stderr, "rank %d: %s\n", me, vn_message());
    else CHECK(!vn_status() && (me > 1 || !vn_group_barrier(all)));
}

int main(int argc, char **argv)
{
    if (argc > 2) mode = argv[2];
    use_engine(argc, argv);
    join_all(0);
    if (all && strcmp(mode, "hang") != 0) one_fails();
    if (all && strcmp(mode, "error") != 0) one_of_a_part_hangs();
    vn_group_drop(all);
    if (!strcmp(mode, "none")) return finish();
    vn_close(); /* its code is that of the failure */
    return check_failures || !check_count;
}
