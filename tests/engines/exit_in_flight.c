/* SPDX-License-Identifier: Apache-2.0 */
/* exit_in_flight.c: a program that exits while unused results are still in flight exits cleanly, with and without vn_close.
 * The test starts itself again as that program. */
/* ctest: engines */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

/* Products that are still in flight when main returns, unless the engine waits. */
static int leave(const char *engine, bool in_order)
{
    if (vn_use(engine)) return 77;
    {
        VN_SCOPE;
        vn_array *x = vn_full(vn_scalar(1e-3), VN_SHAPE(512, 512), VN_F32), *z = x;
        for (int k = 0; k < 40; k++) z = vn_tanh(vn_matmul(z, x));
        vn_eval(1, &z);
        vn_array *next = vn_add(z, vn_scalar(1));
        vn_eval(1, &next);
    }
    int code = vn_status() ? 1 : 0;
    return in_order ? vn_close() || code : code;
}

/* Its exit code, or -1 if it died. */
static int run(const char *engine, const char *how)
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        execl("/proc/self/exe", "exit_in_flight", engine, how, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
    const char *engine = argc > 1 ? argv[1] : "native";
    if (argc > 2) return leave(engine, !strcmp(argv[2], "close"));
    check_name = "exit_in_flight";
    int code = run(engine, "close");
    if (code == 77) return 77;
    CHECK(code == 0);
    CHECK(run(engine, "return") == 0);
    return finish();
}
