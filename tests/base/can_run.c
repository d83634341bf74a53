/* SPDX-License-Identifier: Apache-2.0 */
/* can_run.c: trying an instruction that the machine may not have: both answers, and what was there before stays. */
/* ctest: faults */
/* ctest: sanitize */
/* ctest: seconds 1 */
#include "check.h"
#include "os/os.h"
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t seen;

static void note(int signal)
{
    seen = signal;
}

static void fine(void)
{
    seen = -1;
}

static void illegal(void)
{
    raise(SIGILL);
}

TEST(answers)
{
    seen = 0;
    CHECK(vn__can_run(fine) && seen == -1);
    CHECK(!vn__can_run(illegal));
    CHECK(vn__can_run(fine));
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
static void undefined(void)
{
    __asm__ volatile("ud2");
}

TEST(real_instruction)
{
    CHECK(!vn__can_run(undefined) && vn__can_run(fine));
}
#endif

TEST(handler_stays)
{
    const struct sigaction own = {.sa_handler = note};
    struct sigaction before, after;
    CHECK(!sigaction(SIGILL, &own, &before));
    CHECK(!vn__can_run(illegal) && !sigaction(SIGILL, NULL, &after) && after.sa_handler == note);
    CHECK(!raise(SIGILL) && seen == SIGILL);
    CHECK(!sigaction(SIGILL, &before, NULL));
}

/* A signal that is blocked stays so. */
TEST(mask_stays)
{
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(!pthread_sigmask(SIG_BLOCK, &set, NULL) && !vn__can_run(illegal));
    CHECK(!pthread_sigmask(SIG_SETMASK, NULL, &now) && sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGILL) == 0);
    CHECK(!pthread_sigmask(SIG_UNBLOCK, &set, NULL));
}

static void *tries(void *wrong)
{
    for (int k = 0; k < 200; k++)
        if (vn__can_run(illegal) || !vn__can_run(fine)) *(bool *)wrong = true;
    return NULL;
}

TEST(threads)
{
    pthread_t thread[4];
    bool wrong[4] = {false};
    for (int k = 0; k < 4; k++) CHECK(!pthread_create(&thread[k], NULL, tries, &wrong[k]));
    for (int k = 0; k < 4; k++) CHECK(!pthread_join(thread[k], NULL) && !wrong[k]);
}

int main(void)
{
    run_tests();
    return finish();
}
