/* SPDX-License-Identifier: Apache-2.0 */
/* workers.h: the processes that run programs, and what they share with the command. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdatomic.h>

#include "program.h"

enum { MAX_JOBS = 64, MAX_THREADS = 8, BATCH = 32, MAX_FAILURES = 100 };

typedef struct options {
    settings s;
    uint64_t seed, count;
    bool counted, show, stop, allocations;
    int wait, jobs, at_once, together, minimise;
    const char *out, *log;
} options;

typedef struct failure {
    uint64_t seed;
    int verdict;
    char what[600];
} failure;

typedef struct slot {                   /* of a worker */
    _Atomic uint64_t at[MAX_THREADS];   /* current seed + 1; 0: none */
    _Atomic int64_t since[MAX_THREADS]; /* in milliseconds */
    double ratio[MAX_THREADS];          /* the largest error relative to its bound, and the op */
    char worst[MAX_THREADS][32];
} slot;

typedef struct board {
    _Atomic bool stop;
    _Atomic uint64_t next; /* number of the next program to start: workers take them in order, so that all before it were begun */
    _Atomic uint64_t programs, aside, bits, elements, aimed, faults;
    _Atomic int n_failures, missing; /* missing: the engine is not available */
    char message[600];
    failure failures[MAX_FAILURES];
    slot slots[MAX_JOBS];
} board;

extern board *b; /* shared memory of all processes */

int64_t milliseconds(void);
void run_workers(const options *o); /* until all programs were run, or the board says stop */
void interrupted(int number);       /* a signal handler that says so */

#endif
