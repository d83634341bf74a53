/* SPDX-License-Identifier: Apache-2.0 */
/* median.c: the middle one of some measurements. */
#include "command.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *numbers, int n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, by_size);
    return numbers[n / 2];
}
