/* files_kill.c: a process that writes checkpoints is killed at random moments: the file is always the old one or the new one, complete. */
#include "folder.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#ifndef KILLS
#define KILLS 20
#endif
enum { SIZE = 200000 };

/* Every number of checkpoint k is k. */
static vn_checkpoint checkpoint(int64_t k)
{
    vn_tree *w = vn_tree_of("a", vn_full((double)k, VN_SHAPE(SIZE), VN_F32), "b/c", vn_full((double)k, VN_SHAPE(3, 5), VN_F64), NULL);
    return (vn_checkpoint){.size = sizeof(vn_checkpoint), .weights = w, .step = k};
}

/* The child: writes until it is killed. */
static int write_on(const char *path)
{
    for (int64_t k = 1;; k++) {
        VN_SCOPE;
        vn_checkpoint c = checkpoint(k);
        if (vn_checkpoint_save(path, &c)) return 1;
    }
}

static int64_t loaded_step(const char *path)
{
    VN_SCOPE;
    vn_checkpoint c = checkpoint(0);
    if (vn_checkpoint_load(path, &c)) return -1;
    for (int i = 0; i < 2; i++) {
        vn_array *x = vn_tree_leaf(c.weights, i), *wrong = vn_sum(vn_cast(vn_not_equal(x, vn_scalar((double)c.step)), VN_F32), VN_ALL);
        if (vn_item(wrong) != 0) return -1;
    }
    return c.step;
}

int main(int argc, char **argv)
{
    if (argc == 2) return write_on(argv[1]);
    check_name = "killed while writing";
    folder_make();
    const char *path = in_folder("run.ckpt");
    vn_checkpoint c = checkpoint(0);
    CHECK(vn_checkpoint_save(path, &c) == VN_OK);
    srand(1);
    int64_t most = 0;
    for (int i = 0; i < KILLS; i++) {
        pid_t child = fork();
        if (!child) {
            execl("/proc/self/exe", argv[0], path, (char *)NULL);
            _exit(1);
        }
        nanosleep(&(struct timespec){0, 15000000L + rand() % 60000000L}, NULL);
        int status = 0;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
        int64_t step = loaded_step(path);
        CHECK(step >= 0);
        most = step > most ? step : most;
    }
    CHECK(most > 0); /* some were replaced */
    printf("%d kills, %d files left, up to %lld checkpoints between two\n", KILLS, folder_count(), (long long)most);
    folder_remove();
    return finish();
}
