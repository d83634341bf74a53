/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h: runs the tests of a program again and again, each time with another allocation failing, once and persistently (ctest: faults). What a test
 * checks holds, or the library has said that memory ran out; nothing crashes or leaks. Included by check.h.
 *
 * VINEA_TEST_FAULTS=N: at most N allocations of a test fail in each of both ways, spread over the places that allocate; 0: all, or as many as a minute has room for.
 *
 * The runs are those of child processes. A child ends, and another one goes on, after a crash of the test's own that has left a callback open, and
 * before a run counts as wrong: a test may have variables of its own that an earlier run has changed. */
#ifndef VN_FAULTS_H
#define VN_FAULTS_H

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FAULTS_DONE = 0, FAULTS_FRESH = 3, FAULTS_WRONG = 4 }; /* how a child ends */

typedef struct {
    long first, step, last, n; /* the faults: first, first + step ... up to last; the one that is running */
    bool by_place;             /* they count places, not allocations */
    long injected, errors;     /* so far, and how many of them were errors */
    failing_places places;
} faults_count;

/* The number of the allocation that fails. */
static inline long faults_at(const faults_count *count)
{
    return count->by_place ? count->places.at[count->n - 1] : count->n;
}

/* One run of the test with allocation n failing; returns whether it is right. */
static inline bool faults_run(const check_test *test, long n, bool say, bool *stuck, faults_count *count)
{
    const int before = check_failures;
    check_said = false;
    check_say = say;
    failing_begin(n);
    const bool crashed = sigsetjmp(own_crash_out, 1) != 0;
    if (!crashed) {
        VN_SCOPE;
        test->run();
        check_excused();
    }
    const bool said = check_excused();
    bool right = check_failures == before && (!crashed || said);
    if (crashed && !said && say) fprintf(stderr, "%s: the test crashed, and there was no error\n", test->name);
    count->injected += failing_at >= n;
    count->errors += said;
    *stuck = vn_close() == VN_E_CALLBACK;
    if (!*stuck && !crashed && failing_alive) {
        if (say) fprintf(stderr, "%s: %ld blocks are left\n", test->name, (long)failing_alive);
        right = false;
    }
    return right;
}

static inline int faults_child(const check_test *test, faults_count *count)
{
    own_crash_begin();
    for (bool fresh = true; count->n <= count->last; fresh = false) {
        bool stuck = false;
        alarm(60); /* a run that hangs */
        const bool right = faults_run(test, faults_at(count), fresh, &stuck, count);
        if (!right && !fresh) return FAULTS_FRESH;
        if (!right) return FAULTS_WRONG;
        count->n += count->step;
        if (stuck) return FAULTS_FRESH;
    }
    return FAULTS_DONE;
}

/* Runs the faults that `count` asks for. */
static inline void faults_all(const check_test *test, faults_count *count)
{
    for (count->n = count->first; count->n <= count->last;) {
        int status = 0;
        fflush(NULL);
        const pid_t child = fork();
        if (!child) _exit(faults_child(test, count));
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == FAULTS_DONE) return;
        if (WIFEXITED(status) && WEXITSTATUS(status) == FAULTS_FRESH) continue;
        fprintf(stderr, "%s: allocation %ld fails %s: ", test->name, faults_at(count), failing_on ? "and all later ones" : "once");
        if (WIFSIGNALED(status)) fprintf(stderr, "signal %d\n", WTERMSIG(status));
        else fprintf(stderr, "wrong\n");
        CHECK(!"every fault is an error, or the test passes");
        count->n += count->step;
    }
}

static inline double faults_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How many allocations the test makes, or from how many places, and how long it takes: of a run without faults. */
static inline long faults_count_of(const check_test *test, faults_count *count, double *seconds)
{
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        bool stuck;
        failing_list = count->by_place ? &count->places : NULL;
        own_crash_begin();
        const bool right = faults_run(test, 0, true, &stuck, count);
        count->last = count->by_place ? count->places.n : failing_at;
        _exit(right ? 0 : 1);
    }
    int status = 0;
    const double begin = faults_clock();
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    *seconds = faults_clock() - begin;
    return status ? 0 : count->last;
}

static inline void faults_of(const check_test *test, long limit, faults_count *count)
{
    double seconds = 0;
    check_name = test->name;
    check_faults = true;
    failing_on = false;
    count->by_place = limit > 0;
    count->places = (failing_places){0};
    const long made = faults_count_of(test, count, &seconds);
    const long room = limit ? limit : seconds > 0 ? (long)(30 / seconds) + 1 : made; /* of each kind */
    count->step = made > room ? made / room : 1;
    count->last = made;
    for (int on = 0; on < 2; on++) {
        failing_on = on != 0;
        count->first = 1 + (long)(vn__hash_text(test->name) % (uint64_t)count->step);
        faults_all(test, count);
    }
    check_faults = false;
}

static inline void faults_tests(const check_test *tests, int n, long limit)
{
    faults_count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (count == MAP_FAILED) exit(77);
    vn_close();
    for (int k = 0; k < n; k++) faults_of(&tests[k], limit, count);
    printf("%ld failed allocations, of which %ld were errors\n", count->injected, count->errors);
    CHECK(count->errors > 0);
    munmap(count, sizeof *count);
}

#endif
