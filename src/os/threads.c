/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c: what POSIX leaves open about threads: processors, stacks, clocks of conditions. */
#include "os/os.h"
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int vn__processors(void)
{
    cpu_set_t all;
    return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 0;
}

int vn__this_processor(void)
{
    return sched_getcpu();
}

/* The affinity mask is restored at once: the thread stays where it was moved until the system has a reason to move it. */
void vn__leave_processor(int cpu)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return;
    cpu_set_t others = all;
    CPU_CLR((size_t)cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof all, &all);
}

bool vn__in_main_thread(void)
{
    return getpid() == gettid();
}

bool vn__thread_stack(char **low, size_t *bytes)
{
    pthread_attr_t a;
    void *from = NULL;
#ifndef __GLIBC__
    if (vn__in_main_thread()) return false; /* musl counts what the stack has used so far; it grows */
#endif
    if (pthread_getattr_np(pthread_self(), &a)) return false;
    const bool known = !pthread_attr_getstack(&a, &from, bytes);
    pthread_attr_destroy(&a);
    *low = from;
    return known;
}

int vn__thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *with)
{
    pthread_attr_t a;
    sigset_t all, before;
    int error = pthread_attr_init(&a);
    if (error) return error; /* GCOV_EXCL_BR_LINE: glibc's never fails */
    if (stack) pthread_attr_setstacksize(&a, stack);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(thread, &a, run, with);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&a);
    return error;
}

int vn__timed_cond(pthread_cond_t *c)
{
    pthread_condattr_t clock;
    int error = pthread_condattr_init(&clock);
    if (error) return error; /* GCOV_EXCL_BR_LINE: glibc's never fails */
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    error = pthread_cond_init(c, &clock);
    pthread_condattr_destroy(&clock);
    return error;
}

bool vn__cond_until(pthread_cond_t *c, pthread_mutex_t *lock, double until)
{
    const double seconds = floor(fmin(until, 1e15));
    const struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmin(until - seconds, 0.999999999) * 1e9)};
    return pthread_cond_timedwait(c, lock, &t) != 0;
}
