/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h: monotonic time in seconds. */
#ifndef VN_OS_CLOCK_H
#define VN_OS_CLOCK_H

#include <time.h>

static inline double vn__clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
