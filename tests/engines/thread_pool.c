/* SPDX-License-Identifier: Apache-2.0 */
/* thread_pool.c: the native engine's threads: each unit of work runs once, whichever thread takes it, also when jobs follow each other quickly, several
 * threads call at once, the pool ends and starts again, and in a forked child. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
/* ctest: seconds 3 */
/* ctest: env VINEA_THREADS=8 */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIN_SIZE = 1 << 13, MAX_EXTRA = 1 << 18, CALLERS = 4, JOBS = 60, RESTARTS = 40 };

/* Sums of odd lengths above what one thread takes alone: a unit that is lost or runs twice is noticed. */
static bool right(int64_t n)
{
    VN_SCOPE;
    vn_array *x = vn_mul(vn_ones(VN_SHAPE(n), VN_F64), vn_scalar(3));
    return vn_item(vn_sum(vn_sqrt(x), VN_ALL)) > 1.7 * (double)n && vn_item(vn_sum(x, VN_ALL)) == 3. * (double)n;
}

static void jobs(unsigned seed, int many)
{
    for (int k = 0; k < many; k++) CHECK(right(MIN_SIZE + (int64_t)(rand_r(&seed) % MAX_EXTRA) * 2 + 1));
}

static void *caller(void *seed)
{
    jobs(*(unsigned *)seed, JOBS / 2);
    vn_close();
    return NULL;
}

TEST(one_after_the_other)
{
    jobs(1, JOBS);
}

TEST(several_callers)
{
    pthread_t threads[CALLERS];
    unsigned seeds[CALLERS] = {2, 3, 4, 5};
    for (int k = 0; k < CALLERS; k++) CHECK(pthread_create(&threads[k], NULL, caller, &seeds[k]) == 0);
    jobs(6, JOBS / 2);
    for (int k = 0; k < CALLERS; k++) pthread_join(threads[k], NULL);
}

/* Workers sleep between jobs that are far apart. */
TEST(after_a_pause)
{
    for (int k = 0; k < 5; k++) {
        usleep(20000);
        jobs(7 + (unsigned)k, 2);
    }
}

#ifndef __SANITIZE_THREAD__ /* which starts no threads in a child */
TEST(forked)
{
    jobs(20, 2);
    const pid_t child = fork();
    if (child == 0) {
        jobs(21, 5);
        _exit(check_failures ? 1 : 0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    jobs(22, 2);
}
#endif

/* Last: the library is closed and opened again, and with it the pool. */
static void *restart(void *unused)
{
    (void)unused;
    for (int k = 0; k < RESTARTS; k++) {
        jobs(30 + (unsigned)k, 1);
        vn_close();
    }
    return NULL;
}

int main(void)
{
    run_tests();
    vn_close();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, restart, NULL) == 0 && pthread_join(thread, NULL) == 0);
    return finish();
}
