/* SPDX-License-Identifier: Apache-2.0 */
/* every_rank.h: how a test of many ranks begins: all of them in one group, as many as the test was started with. */
#ifndef VN_EVERY_RANK_H
#define VN_EVERY_RANK_H

#include "check.h"
#include "group/group.h"

static vn_group *all;
static int me, n;

/* VINEA_TEST_FILL: a file that the first rank makes as large as its file system allows, once the group is open. */
static inline void fill_up(const char *path)
{
    static const char zeros[1 << 16];
    FILE *f = path && !me ? fopen(path, "wb") : NULL;
    if (f) setvbuf(f, NULL, _IONBF, 0);
    while (f && fwrite(zeros, 1, sizeof zeros, f) == sizeof zeros) continue;
    if (f) fclose(f);
    if (path) vn_group_barrier(all);
}

static inline void join_all(double timeout)
{
    all = vn_group_open(VN_OPTS(group, .timeout = timeout));
    if (!all) fprintf(stderr, "%s\n", vn_message());
    else vn_group_keep(all);
    me = vn_group_rank(all), n = vn_group_size(all);
    const char *ranks = getenv("VINEA_TEST_RANKS");
    CHECK(ranks && n == atoi(ranks)); /* not each by itself */
    if (all) fill_up(getenv("VINEA_TEST_FILL"));
}

#endif
