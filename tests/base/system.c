/* SPDX-License-Identifier: Apache-2.0 */
/* system.c: what src/os/ says of processors, memory and code, and what it does where the system refuses to answer. */
#include "check.h"
#include "os/clock.h"
#include "os/os.h"
#include "system_calls.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs checks in a process of its own. */
static bool in_child(void (*run)(void))
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        run();
        _exit(check_failures ? 1 : 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void on_one(void)
{
    cpu_set_t one, after;
    CPU_ZERO(&one);
    CPU_SET((size_t)vn__this_processor(), &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one) && vn__processors() == 1);
    vn__leave_processor(vn__this_processor()); /* there is no other */
    CHECK(!sched_getaffinity(0, sizeof after, &after) && CPU_EQUAL(&one, &after));
}

static void answer(long call, uint32_t error)
{
    const struct sock_filter lines[] = {LOAD(nr), CALL_IS(call, 1), ANSWER(SECCOMP_RET_ERRNO | error), ANSWER(SECCOMP_RET_ALLOW)};
    if (filter_install(lines, sizeof lines / sizeof *lines)) _exit(0); /* this system has no filters */
}
static void refuse(long call)
{
    answer(call, EPERM);
}
static void unknown_advice(void)
{
    static char pages[1 << 13];
    answer(SYS_madvise, EINVAL); /* an older kernel */
    CHECK(vn__give_pages(pages, sizeof pages));
}
static void unknown_processors(void)
{
    refuse(SYS_sched_getaffinity);
    CHECK(vn__processors() == 0);
    vn__leave_processor(0);
}
static void unmoved(void)
{
    cpu_set_t before, after;
    CHECK(!sched_getaffinity(0, sizeof before, &before));
    refuse(SYS_sched_setaffinity);
    vn__leave_processor(vn__this_processor());
    CHECK(!sched_getaffinity(0, sizeof after, &after) && CPU_EQUAL(&before, &after));
}
static void no_memory_file(void)
{
    char path[64] = "";
    refuse(SYS_memfd_create);
    CHECK(vn__memory_file(path, sizeof path) < 0 && errno == EPERM && !*path);
}

TEST(processors)
{
    cpu_set_t all, after;
    CHECK(!sched_getaffinity(0, sizeof all, &all) && vn__processors() == CPU_COUNT(&all));
    const int at = vn__this_processor();
    vn__leave_processor(at);
    vn__leave_processor(1 << 20); /* one that there is not */
    CHECK(!sched_getaffinity(0, sizeof after, &after) && CPU_EQUAL(&all, &after));
    CHECK(in_child(on_one) && in_child(unknown_processors) && in_child(unmoved));
}

TEST(memory)
{
    char path[64];
    const int fd = vn__memory_file(path, sizeof path);
    CHECK(fd >= 0 && !strncmp(path, "/proc/self/fd/", 14) && !access(path, W_OK));
    close(fd);
    CHECK(in_child(no_memory_file) && in_child(unknown_advice));
    CHECK(vn__machine_memory() > 1 << 20);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *m = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(m != MAP_FAILED && vn__give_pages(m + 1, 2 * page) && !munmap(m + 2 * page, 2 * page));
    CHECK(!vn__give_pages(m + 1, 2 * page)); /* a part of it is not there */
    CHECK(vn__give_pages(m, page) && !munmap(m, 2 * page));
    vn__use_large_pages(path, sizeof path); /* too small for one */
}

TEST(code)
{
    vn__code c = {0};
    char path[PATH_MAX], own[PATH_MAX];
    void *frames[80];
    CHECK(vn__code_at((const void *)(uintptr_t)&vn__code_at, &c) && c.program && c.file);
    CHECK(vn__code_at((const void *)(uintptr_t)&strlen, &c) && !c.program);
    CHECK(!vn__code_at(path, &c)); /* on the stack */
    CHECK(vn__own_file(path, sizeof path) && realpath("/proc/self/exe", own) && !strcmp(path, own));
    CHECK(!vn__own_file(path, 3));
    CHECK(vn__callers(frames, 80) > 1 && vn__callers(frames, 1) == 1 && vn__callers(frames, 0) == 0);
    CHECK(!vn__linked_statically());
}

/* A condition that is never signalled. */
TEST(late)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t moved;
    CHECK(!vn__timed_cond(&moved));
    pthread_mutex_lock(&lock);
    CHECK(vn__cond_until(&moved, &lock, vn__clock() + .001));
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&moved);
}

TEST_MAIN
