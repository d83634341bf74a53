/* SPDX-License-Identifier: Apache-2.0 */
/* process.h: the processes that workers.c runs. */
#ifndef VN_PROCESS_H
#define VN_PROCESS_H

#include "runner.h"

#include <sys/types.h>

typedef struct process {
    pid_t pid;
    int records; /* the read end of its pipe */
    int err;     /* the memory its stderr goes to, emptied by the child before each test */
    int note;    /* the memory that has its `running` */
} process;

/* Starts this program again to run the plan's tests from `next` on, on the engine; test `alone` (-1: none) case by case. */
bool process_start(process *c, const plan *p, const char *engine, int next, int alone);
void process_close(process *c);
/* What it was running. */
running process_running(const process *c);
/* Memory in use, and what it printed into memory. */
double process_mebibytes(pid_t pid);
/* The last output on its stderr, on one line. */
void process_words(const process *c, char to[CELL_WORDS]);
/* How it ended, from waitpid's status, in words. */
void process_end(int status, char *to, size_t room);

#endif
