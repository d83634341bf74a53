/* SPDX-License-Identifier: Apache-2.0 */
/* median.h: the middle one of some measurements, and the clock they are taken with; for the programs of this folder. */
#ifndef VN_BENCH_MEDIAN_H
#define VN_BENCH_MEDIAN_H

#include <stdlib.h>
#include <time.h>

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *numbers, int n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, by_size);
    return numbers[n / 2];
}

#endif
