/* SPDX-License-Identifier: Apache-2.0 */
/* failing.h: makes the n-th allocation of a program fail, for every n, once and persistently: there must be no crash, no leak, and an error
 * every time. The tests use their own allocator, which counts live blocks. */
#ifndef VN_FAILING_H
#define VN_FAILING_H

#include "check.h"

static long failing_at, failing_when, failing_alive;
static bool failing_on;    /* all later ones too */
static size_t failing_min; /* smaller ones succeed and are not counted */

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    const bool counts = bytes >= failing_min;
    failing_at += counts;
    if (counts && failing_when && (failing_on ? failing_at >= failing_when : failing_at == failing_when)) return NULL;
    void *m = malloc(bytes);
    if (m) failing_alive++;
    return m;
}

static void failing_release(void *memory, void *user)
{
    (void)user;
    failing_alive--;
    free(memory);
}

static const vn_allocator failing_allocator = {failing_allocate, failing_release, NULL};

/* One run with the n-th allocation failing (0: none). Returns the number of allocations. */
static long fail_one(int (*program)(void), long n, long *failures)
{
    failing_at = failing_alive = 0;
    failing_when = n;
    CHECK(vn_set_allocator(&failing_allocator) == VN_OK);
    int right;
    {
        VN_SCOPE;
        right = program();
    }
    long made = failing_at;
    int code = vn_close();
    CHECK(failing_alive == 0);     /* no leak */
    CHECK(n || (right && !code));  /* without failures it works */
    CHECK(right || code != VN_OK); /* a wrong or missing result always comes with an error */
    *failures += code != VN_OK;
    return made;
}

/* `program` returns 1 if its result is right. */
static inline void fail_all(const char *name, int (*program)(void))
{
    check_name = name;
    for (int on = 0; on < 2; on++) {
        long failures = 0, n = 0;
        failing_on = on != 0;
        while (fail_one(program, n, &failures) >= n || !n) n++;
        CHECK(failures > 1);
        printf("%s: %ld failures %s\n", name, failures, on ? "from then on" : "once");
    }
    failing_when = 0;
}
#define FAIL_ALL(program) fail_all(#program, program)

#endif
