/* SPDX-License-Identifier: Apache-2.0 */
/* files_kill.c: a process that writes checkpoints is killed at each of its system calls and at random moments: the file is always the
 * complete old or new one, and the next save removes leftovers. */
/* ctest: seconds 3 */
#include "failing_calls.h"
#include <sys/wait.h>
#include <time.h>

#ifndef KILLS
#define KILLS 50
#endif
enum { SIZE = 200000 };

/* Every number of checkpoint k is k. */
static vn_checkpoint checkpoint(int64_t k, int64_t size)
{
    vn_tree *w = vn_tree_of("a", vn_full(vn_scalar((double)k), VN_SHAPE(size), VN_F32), "b/c",
                            vn_full(vn_scalar((double)k), VN_SHAPE(3, 5), VN_F64), NULL);
    return (vn_checkpoint){.size = sizeof(vn_checkpoint), .weights = w, .step = k};
}

static int save(const char *path, int64_t k, int64_t size)
{
    VN_SCOPE;
    vn_checkpoint c = checkpoint(k, size);
    return vn_checkpoint_save(path, &c);
}

static int64_t loaded_step(const char *path, int64_t size)
{
    VN_SCOPE;
    vn_checkpoint c = checkpoint(0, size);
    if (vn_checkpoint_load(path, &c)) return -1;
    for (int i = 0; i < 2; i++) {
        vn_array *x = vn_tree_leaf(c.weights, i), *wrong = vn_sum(vn_cast(vn_not_equal(x, vn_scalar((double)c.step)), VN_F32), VN_ALL);
        if (vn_item(wrong) != 0) return -1;
    }
    return c.step;
}

/* ---- at each system call ---- */

#ifndef NO_REGISTERS
/* The child: saves, and is killed at its n-th call. */
static int save_until(const char *path, long n, bool named)
{
    if (watch_calls(fault_handle)) return 77;
    fault.named = named, fault.when = n, fault.error = KILL, fault.kind = -1;
    fault.armed = true;
    return save(path, 2, 100);
}

/* Returns how many calls there were; -1: this system has no filters. */
static long killed_at_calls(bool named)
{
    const char *path = in_folder("run.ckpt");
    for (long n = 1;; n++) {
        CHECK(save(path, 1, 100) == VN_OK && folder_count() == 1);
        pid_t child = fork();
        if (!child) _exit(save_until(path, n, named));
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return -1;
        int64_t step = loaded_step(path, 100);
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        CHECK(killed ? step == 1 || step == 2 : step == 2 && WIFEXITED(status) && !WEXITSTATUS(status));
        if (!killed) return n - 1;
    }
}

TEST(at_each_call)
{
    long nameless = killed_at_calls(false), named = killed_at_calls(true);
    if (nameless < 0) puts("this system has no filters");
    else printf("%ld and %ld kills, one at each call\n", nameless, named);
    CHECK(nameless < 0 || (nameless > 10 && named > 10));
    folder_empty();
}
#endif

/* ---- at random moments ---- */

/* The child: writes until it is killed. */
static int write_on(const char *path)
{
    for (int64_t k = 1;; k++) {
        if (save(path, k, SIZE)) return 1;
    }
}

static void at_random(const char *program)
{
    char path[384];
    snprintf(path, sizeof path, "%s", in_folder("run.ckpt"));
    CHECK(save(path, 0, SIZE) == VN_OK);
    srand(1);
    int64_t most = 0;
    int left = 0;
    for (int i = 0; i < KILLS; i++) {
        pid_t child = fork();
        if (!child) {
            execl("/proc/self/exe", program, path, (char *)NULL);
            _exit(1);
        }
        nanosleep(&(struct timespec){0, 15000000L + rand() % 60000000L}, NULL);
        int status = 0;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
        int64_t step = loaded_step(path, SIZE);
        CHECK(step >= 0);
        most = step > most ? step : most;
        left += folder_count() - 1;
    }
    CHECK(most > 0); /* some were replaced */
    CHECK(save(path, 1, SIZE) == VN_OK && folder_count() == 1);
    printf("%d kills, %d files were left for a while, up to %lld checkpoints between two\n", KILLS, left, (long long)most);
}

int main(int argc, char **argv)
{
    if (argc == 2) return write_on(argv[1]);
    folder_make();
    run_tests();
    check_name = "at_random";
    at_random(argv[0]);
    folder_remove();
    return finish();
}
