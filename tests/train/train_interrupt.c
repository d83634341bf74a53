/* SPDX-License-Identifier: Apache-2.0 */
/* train_interrupt.c: signals: the first one stops a training after its step, with a checkpoint that resumes with the
 * same bits; the second one ends the process. */
/* ctest: sanitize */
#include "folder.h"
#include "system_calls.h"
#include <signal.h>
#include <sys/wait.h>

enum { EPOCHS = 40, ROWS = 40 };
static const char *const files[2] = {"int.ckpt", "term.ckpt"};

static vn_dataset *points(void)
{
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(ROWS, 3));
    return vn_dataset_of(x, vn_sum(x, VN_KEEP(1)), NULL);
}

static vn_module *network(void)
{
    vn_seed(1);
    return VN_SEQUENTIAL(vn_nn_linear(3, 8, NULL), vn_nn_dropout(.2, NULL), vn_nn_linear(8, 1, NULL));
}

/* At step 50 the child notifies the parent and waits for the signal, once or forever. */
typedef struct {
    int to, wait;
} talk;
static int at_step(const vn_fit_event *e, void *user)
{
    const talk *t = user;
    if (e->moment != VN_FIT_STEP || e->step != 50) return 0;
    if (write(t->to, "!", 1) != 1) exit(3);
    while (!vn_stop_requested() || t->wait) usleep(1000);
    return 0;
}

static int train(const char *checkpoint, talk *t, vn_fit_result *r)
{
    return vn_fit(
        network(), points(),
        VN_OPTS(fit, .epochs = EPOCHS, .batch = 16, .checkpoint = checkpoint, .resume = 1, .watch = t ? at_step : NULL, .watch_user = t),
        r);
}

/* A child that trains; its exit code says how it ended. Returns its process when it has reached the step. */
static pid_t start(const char *checkpoint, bool wait)
{
    int ends[2];
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (child == 0) {
        talk t = {ends[1], wait};
        vn_fit_result r = {.size = sizeof r};
        close(ends[0]);
        if (vn_stop_on_interrupt(1)) _exit(2);
        int code = train(in_folder(checkpoint), &t, &r);
        bool good = !code && r.stop == VN_STOP_INTERRUPTED && r.steps == 50 && r.epochs == 16;
        _exit(vn_close() || !good ? 1 : 10);
    }
    close(ends[1]);
    char c;
    CHECK(child > 0 && read(ends[0], &c, 1) == 1);
    close(ends[0]);
    return child;
}

/* Before the library is used here, so that the children begin alone. */
TEST(first_signal)
{
    for (int k = 0; k < 2; k++) {
        int status = 0;
        pid_t child = start(files[k], false);
        kill(child, k ? SIGTERM : SIGINT);
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 10);
    }
}

TEST(goes_on)
{
    vn_fit_result straight = {.size = sizeof straight};
    CHECK(train(in_folder("straight.ckpt"), NULL, &straight) == VN_OK && straight.resumed == 0 && straight.n_history == EPOCHS);
    for (int k = 0; k < 2; k++) {
        vn_fit_result cut = {.size = sizeof cut};
        CHECK(train(in_folder(files[k]), NULL, &cut) == VN_OK);
        CHECK(cut.resumed == 16 && cut.stop == VN_STOP_DONE && cut.n_history == EPOCHS);
        for (int i = 0; i < EPOCHS; i++) CHECK(cut.history[i].scores[0].value == straight.history[i].scores[0].value);
    }
    folder_empty();
}

TEST(second_signal)
{
    int status = 0;
    pid_t child = start("third.ckpt", true);
    kill(child, SIGINT);
    usleep(50000);
    CHECK(waitpid(child, &status, WNOHANG) == 0); /* the first one did not end it */
    kill(child, SIGINT);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

static int handled;
static void handle(int number)
{
    (void)number;
    handled++;
}

/* Handlers come back; what is ignored stays ignored; a request can come from the program. */
TEST(requests)
{
    struct sigaction mine = {.sa_handler = handle}, now;
    sigaction(SIGINT, &mine, NULL);
    signal(SIGTERM, SIG_IGN);
    CHECK(vn_stop_on_interrupt(1) == VN_OK && vn_stop_on_interrupt(1) == VN_OK && !vn_stop_requested());
    raise(SIGTERM);
    CHECK(!vn_stop_requested());
    raise(SIGINT);
    CHECK(vn_stop_requested() && !handled);
    raise(SIGINT);
    CHECK(handled == 1);
    CHECK(vn_stop_on_interrupt(1) == VN_OK && !vn_stop_requested());
    raise(SIGINT);
    CHECK(vn_stop_requested() && handled == 1);
    CHECK(vn_stop_on_interrupt(1) == VN_OK && vn_stop_on_interrupt(0) == VN_OK && !sigaction(SIGINT, NULL, &now) &&
          now.sa_handler == handle);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);

    vn_fit_result r = {.size = sizeof r};
    vn_stop_request();
    CHECK(train(in_folder("none.ckpt"), NULL, &r) == VN_OK && r.stop == VN_STOP_INTERRUPTED && r.steps == 0 && r.epochs == 0 &&
          isnan(r.best));
    CHECK(vn_stop_on_interrupt(0) == VN_OK);
    CHECK(train(in_folder("none.ckpt"), NULL, &r) == VN_OK && r.stop == VN_STOP_DONE && r.epochs == EPOCHS);
    CHECK(!strcmp(vn_fit_stop_name(VN_STOP_INTERRUPTED), "interrupted") && !strcmp(vn_fit_stop_name(99), "unknown"));
    folder_empty();
}

/* Where the system refuses to set handlers: an error, and nothing else. From the k-th call on. */
static int refused(int on, bool setting)
{
    const struct sock_filter lines[] = {LOAD(nr),
                                        CALL_IS(SYS_rt_sigaction, 3),
                                        LOAD(args[1]),
                                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, setting, !setting),
                                        ANSWER(SECCOMP_RET_ERRNO | EPERM),
                                        ANSWER(SECCOMP_RET_ALLOW)};
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        if (!on) CHECK(vn_stop_on_interrupt(1) == VN_OK);
        if (filter_install(lines, sizeof lines / sizeof *lines)) _exit(77);
        CHECK_FAILS(vn_stop_on_interrupt(on), VN_E_IO, "stop_on_interrupt: Operation not permitted");
        _exit(check_failures ? 1 : 0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(refused_handlers)
{
    for (int on = 0; on < 2; on++) {
        for (int setting = 0; setting < 2; setting++) {
            const int code = refused(on, setting != 0);
            CHECK(code == 0 || code == 77); /* 77: no filters here */
        }
    }
}

FOLDER_TEST_MAIN
