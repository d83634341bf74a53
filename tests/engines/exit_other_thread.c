/* SPDX-License-Identifier: Apache-2.0 */
/* exit_other_thread.c: exit() in one thread while another computes. The process ends with its own exit code, whatever the
 * framework's destructors do: work in flight is waited for, and later calls of the other thread are errors. Also with
 * a thread that is joined by an exit handler, and with vn_close as the last call. The test starts itself again as that
 * program.
 */
/* ctest: engines */
/* ctest: timeout 600 */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *engine;
static _Atomic int ready, refused;
static pthread_t worker;

static void *compute(void *size)
{
    const int64_t n = *(int64_t *)size;
    if (vn_use(engine)) exit(77);
    vn_array *x = vn_keep(vn_full(vn_scalar(1e-3), VN_SHAPE(n, n), VN_F32));
    vn_eval(1, &x);
    for (;;) {
        VN_SCOPE;
        vn_array *z = x;
        for (int k = 0; k < 4; k++) z = vn_tanh(vn_matmul(z, x));
        vn_eval(1, &z);
        if (vn_status()) break;
        ready++;
    }
    refused = vn_status() == VN_E_ENGINE && strstr(vn_message(), "exit") ? 1 : -1;
    vn_drop(x);
    vn_clear();
    vn_close();
    return NULL;
}

static void wait_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

static void join(void)
{
    if (!strcmp(engine, "native")) return; /* it has nothing to destroy and goes on to the end */
    pthread_join(worker, NULL);
    if (refused != 1) _exit(9);
}

static void close_last(void)
{
    vn_close();
}

static void *leave(void *ms)
{
    while (!ready) wait_ms(1);
    wait_ms(*(int *)ms);
    exit(3);
}

/* Exits with 3 some time after the other thread has begun to compute. */
static int child(const char *how, int ms)
{
    static int64_t size;
    alarm(60);
    size = ms % 2 ? 700 : 40; /* long kernels, many calls */
    if (!strcmp(how, "join")) atexit(join);
    if (!strcmp(how, "close")) atexit(close_last), vn_use(engine);
    if (!strcmp(how, "other")) { /* the thread that computes is the first one, and another one leaves */
        pthread_t t;
        if (vn_use(engine)) return 77;
        pthread_create(&t, NULL, leave, &ms);
        compute(&size);
        pause();
    }
    pthread_create(&worker, NULL, compute, &size);
    while (!ready) wait_ms(1);
    wait_ms(ms);
    exit(3);
}

/* Its exit code, or minus the signal. */
static int run(const char *how, int ms)
{
    char text[16];
    int status = -1;
    snprintf(text, sizeof text, "%d", ms);
    pid_t p = fork();
    if (!p) {
        execl("/proc/self/exe", "exit_in_flight", engine, how, text, (char *)NULL);
        _exit(127);
    }
    if (p < 0 || waitpid(p, &status, 0) != p) return -1000;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"exit", "join", "close", "other"};
    engine = argc > 1 ? argv[1] : "native";
    if (argc > 3) return child(argv[2], atoi(argv[3]));
    for (int way = 0; way < 4; way++) {
        for (int k = 0; k < 3; k++) {
            check_name = ways[way];
            int code = run(ways[way], 5 * k);
            if (code == 77) return 77;
            if (code != 3) fprintf(stderr, "%s after %d ms: %d\n", ways[way], 5 * k, code);
            CHECK(code == 3);
        }
    }
    return finish();
}
