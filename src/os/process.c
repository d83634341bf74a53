/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: what a process knows of itself: its environment, its rights, the texts of the system's errors. */
#include "os/os.h"
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

const char *vn__environment(const char *name)
{
    return secure_getenv(name);
}

bool vn__privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* strerror_r has two forms: glibc's returns the text, POSIX's returns 0 when it has written it. */
__attribute__((unused)) static const char *text_of_gnu(const char *text, const char *room)
{
    (void)room;
    return text;
}

__attribute__((unused)) static const char *text_of_posix(int failed, const char *room)
{
    return failed ? "unknown error" : room;
}

const char *vn__error_text(int error, char *room, size_t capacity)
{
    return _Generic(strerror_r(error, room, capacity), char * : text_of_gnu, int : text_of_posix)(strerror_r(error, room, capacity), room);
}

/* ---- trying an instruction ---- */

static _Thread_local sigjmp_buf *trying;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* the handler belongs to the process */
static struct sigaction before;

/* Another thread's signal: it is sent again as soon as this returns, to the handler that was there. */
static void stop_trying(int signal)
{
    if (trying) siglongjmp(*trying, 1);
    sigaction(signal, &before, NULL);
}

bool vn__can_run(void (*f)(void))
{
    const struct sigaction own = {.sa_handler = stop_trying};
    sigjmp_buf back;
    volatile bool ran = false;
    pthread_mutex_lock(&one_at_a_time);
    if (!sigaction(SIGILL, &own, &before)) {
        trying = &back;
        if (!sigsetjmp(back, 1)) {
            f();
            atomic_signal_fence(memory_order_seq_cst);
            trying = NULL;
            ran = true;
        }
        trying = NULL;
        sigaction(SIGILL, &before, NULL);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return ran;
}
