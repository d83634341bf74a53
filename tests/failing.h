/* SPDX-License-Identifier: Apache-2.0 */
/* failing.h: makes the n-th allocation of a program fail, for every n, once and persistently: there must be no crash, no leak, and an error
 * every time. The tests use their own allocator, which counts live blocks. */
#ifndef VN_FAILING_H
#define VN_FAILING_H

#include "check.h"

/* One run with the n-th allocation failing (0: none). Returns the number of allocations. */
static inline long fail_one(int (*program)(void), long n, long *failures)
{
    CHECK(failing_begin(n));
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
