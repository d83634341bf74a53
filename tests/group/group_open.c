/* SPDX-License-Identifier: Apache-2.0 */
/* group_open.c: which plugin a group is opened with: launchers by their variables, plugins by name, and what is refused; a world that does not begin or
 * end, or has other ranks than its launcher started. Each case is a process of its own. The plugins are copies of echo. */
/* ctest: sanitize */
#include "echo_world.h"
#include <sys/wait.h>

static bool held; /* open and close wait */

/* Runs `attempt` in a process of its own, and expects its message: "" for none. */
static bool says(void (*attempt)(void), const char *expected)
{
    int status = -1;
    const int before = check_failures;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        alarm(60);
        *echo = (echo_script){.ranks = 2, .silent = 2};
        attempt();
        const bool right = *expected ? strstr(vn_message(), expected) != NULL : !vn_status();
        if (!right) fprintf(stderr, "expected \"%s\", got \"%s\"\n", expected, vn_message());
        held = false;
        vn_clear();
        vn_close();
        _exit(right && check_failures == before ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void set(const char *variables) /* "NAME=VALUE NAME=VALUE" */
{
    char all_of_them[256], *at = all_of_them;
    snprintf(all_of_them, sizeof all_of_them, "%s", variables);
    for (char *one; (one = strsep(&at, " "));) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value = 0;
        setenv(one, value + 1, 1);
    }
}

static const char *variables, *plugin;
static double timeout;
static bool loaded;

static void open_group(void)
{
    set(variables);
    if (loaded) CHECK(dlopen("libresolv.so.2", RTLD_NOW));
    all = vn_group_open(VN_OPTS(group, .plugin = plugin, .timeout = timeout));
}

TEST(launchers)
{
    static const struct {
        const char *variables, *plugin, *message;
        bool loaded; /* what the plugin `other` needs is in the process */
    } cases[] = {
        {"", NULL, "", false},
        {"ECHO_RANKS=1", NULL, "", false},
        {"ECHO_RANKS=2", NULL, "", false},
        {"ECHO_RANKS=2", "echo", "", false},
        {"ECHO_RANKS=2 VINEA_GROUP=echo", NULL, "", false},
        {"ECHO_RANKS=2 VINEA_GROUP=", "", "", false},
        {"ECHO_RANK=0", NULL, "", false}, /* it does not say how many */
        {"ECHO_RANKS=none", NULL, "", false},
        {"ECHO_RANKS=99999999999", NULL, "", false},
        {"", "nobody",
         "group_open: there is no group plugin \"nobody\"; there are: echo, fewer, newer, other, plain, refusing, second, unlinked, "
         "unshared",
         false},
        {"ECHO_RANKS=2 SECOND_RANKS=2", NULL,
         "group_open: the launchers of echo (ECHO_RANKS) and of second (SECOND_RANKS) both left their mark; say which one it is: "
         "VINEA_GROUP=echo",
         false},
        {"ECHO_RANKS=2 SECOND_RANKS=2", "second", "", false},
        {"ECHO_RANKS=2 OTHER_RANKS=2", NULL, "", true}, /* that one's */
        {"OTHER_RANKS=2 SECOND_RANKS=2", NULL, "", true},
        {"ECHO_RANKS=2", NULL,
         "group_open: the program was started by the launcher of echo, but has loaded libresolv.so.2 of other; start it with that one's",
         true},
        {"SECOND_RANKS=2", "echo", "group_open: the program was started by the launcher of second (SECOND_RANKS), not by that of echo",
         false},
        {"", "plain", "", false}, /* without a launcher */
        {"UNLINKED_RANKS=2", NULL, "group_open: unlinked: libvinea-nothing.so", false},
        {"FEWER_RANKS=2", NULL, "fewer: the plugin lacks functions that this library needs", false},
        {"NEWER_RANKS=2", NULL, "newer: the plugin was built for group ABI 2, this library has 1; build the plugin again", false},
        {"REFUSING_RANKS=2", NULL, "refusing: the plugin refused this version of the library", false},
        {"UNSHARED_RANKS=2", NULL, "", false},
        {"ECHO_RANKS=3", NULL, "group_open: the launcher started 3 processes, but echo (Echo 1.0) finds 2: it is another MPI's launcher",
         false},
        {"SLURM_STEP_NUM_TASKS=2", NULL,
         "group_open: a launcher started 2 processes (SLURM_STEP_NUM_TASKS=2), and of the group plugins found (echo, fewer, ", false},
        {"OMPI_COMM_WORLD_SIZE=2", NULL, "it needs the plugin openmpi (apt-get install libopenmpi-dev openmpi-bin, then build Vinea)",
         false},
        {"VINEA_GROUP_TIMEOUT=soon", NULL, "group_open: VINEA_GROUP_TIMEOUT=soon is not a number of seconds above 0", false},
        {"VINEA_GROUP_TIMEOUT=-2", NULL, "group_open: VINEA_GROUP_TIMEOUT=-2 is not a number of seconds above 0", false},
        {"VINEA_GROUP_TIMEOUT= ECHO_RANKS=2", NULL, "", false},
        {"VINEA_GROUP_TIMEOUT=20 ECHO_RANKS=2", NULL, "", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        variables = cases[k].variables, plugin = cases[k].plugin, timeout = 0, loaded = cases[k].loaded;
        CHECK(says(open_group, cases[k].message));
    }
    loaded = false;
}

/* Nothing is found, and the library knows a launcher whose plugin is not there. */
static void open_nothing(void)
{
    setenv("VINEA_GROUP_PATH", "/nonexistent", 1);
    setenv("PMI_SIZE", "4", 1);
    all = vn_group_open(VN_OPTS(group, .plugin = plugin));
}

TEST(nothing_found)
{
    plugin = "echo";
    CHECK(says(open_nothing, "group_open: there is no group plugin \"echo\"; there are: none"));
    plugin = NULL;
    CHECK(says(open_nothing, "a launcher started 4 processes (PMI_SIZE=4), and of the group plugins found (none) none is for it"));
}

/* ---- worlds that do not begin or end ---- */

static void open_two(void)
{
    variables = "ECHO_RANKS=2", plugin = NULL;
    open_group();
}
static void fails_to_open(void)
{
    echo->fails_open = true;
    open_two();
}
static void hangs_in_open(void)
{
    timeout = .05, held = true, echo->held = &held;
    open_two();
    vn_clear();
    open_two(); /* says that it cannot begin again, after that */
}
static void hangs_and_says(void)
{
    timeout = .05, held = true, echo->held = &held;
    open_two();
}
static void hangs_in_close(void)
{
    timeout = .05;
    open_two();
    held = true, echo->held = &held;
    CHECK(vn_close() == VN_E_GROUP);
}
static void other_version(void)
{
    echo->change[0].transfer = 1, echo->change[0].byte = 'x';
    open_two();
}
static void first_transfer_fails(void)
{
    echo->not_started = 1;
    open_two();
}
static void one_rank(void)
{
    echo->ranks = 1;
    setenv("PMI_SIZE", "4", 1);
    variables = "ECHO_RANK=0", plugin = NULL;
    open_group();
}
static void split_fails(void)
{
    open_two();
    echo->fails_split = true;
    vn_group_split(all, 0, 0);
}

TEST(worlds)
{
    timeout = 20;
    CHECK(says(fails_to_open, "echo: there is no world"));
    CHECK(says(other_version, "group_open: rank 1 has version x.2.0 of Vinea, rank 0 0.2.0; all ranks need the same"));
    CHECK(says(first_transfer_fails, "echo: transfer 1 does not start"));
    CHECK(says(one_rank, "a launcher started 4 processes (PMI_SIZE=4), and of the group plugins found"));
    CHECK(says(split_fails, "echo: no split"));
    CHECK(says(hangs_and_says, "group_open: waited 0.05 s in echo for all processes that the launcher started; one of them has not come"));
    CHECK(says(hangs_in_open, "group_open: echo did not begin before, and cannot begin again"));
    CHECK(says(hangs_in_close, ""));
}

/* ---- the end ---- */

/* A group is the parent's: in a child every call says so, and nothing of it is released or ended. */
static void after_a_fork(void)
{
    open_two();
    vn_group *part = vn_group_split(all, 0, 0);
    CHECK(part);
    int status = -1;
    const pid_t child = fork();
    if (!child) {
        CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP,
                    "group_barrier: the group was opened before a fork; only the parent is a rank of it");
        vn_group_drop(part);
        CHECK(!vn_close());
        _exit(check_failures ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child && !status);
    CHECK(!vn_group_barrier(part));
}

/* An error that is left when the library closes is told to the others. */
static void closes_with_an_error(void)
{
    open_two();
    CHECK(vn_group_split(all, 0, 0));
    vn_reshape(vn_zeros(VN_SHAPE(2), VN_F32), VN_SHAPE(3));
    CHECK(vn_close() == VN_E_SHAPE && !strcmp(echo->last, "closing") && echo->posted == 2);
}
static void closes_after_a_failure(void)
{
    open_two();
    echo->at = 0, echo->not_ended = 1;
    vn_group_barrier(all);
    vn_clear();
    CHECK(!vn_close() && !strcmp(echo->last, "closing"));
}
static void aborts(void)
{
    open_two();
    CHECK(!strcmp(vn_group_about(all), "rank 0 of 2, Echo 1.0"));
    vn_group_abort(all, 7);
    CHECK(echo->aborted == 7);
}

TEST(ends)
{
    timeout = 20;
    CHECK(says(after_a_fork, ""));
    CHECK(says(closes_with_an_error, ""));
    CHECK(says(closes_after_a_failure, ""));
    CHECK(says(aborts, ""));
}

int main(void)
{
    static const char *const names[] = {"second", "fewer", "newer", "refusing", "unshared"};
    static const char *const launchers[] = {"SECOND_RANKS", "FEWER_RANKS", "NEWER_RANKS", "REFUSING_RANKS", "UNSHARED_RANKS"};
    char manifest[128];
    echo_load();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(manifest, sizeof manifest, "about = test plugin\nlauncher = %s\n", launchers[k]);
        add_plugin(names[k], manifest);
    }
    add_plugin("other", "about = test plugin\nlauncher = OTHER_RANKS\nlibrary = libresolv.so.2\n");
    add_plugin("unlinked", "about = test plugin\nlauncher = UNLINKED_RANKS\nlibrary = libvinea-nothing.so\n");
    add_plugin("plain", "about = test plugin\n");
    unsetenv("VINEA_GROUP");
    run_tests();
    folder_remove();
    return finish();
}
