/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: the suite "ranks": collectives and training on several processes. A body is one of the suite nn's kind, and runs on every rank
 * at the same time; ranks.c starts the processes, and a table of the dashboard has the tests on one number of them. */
#ifndef VN_RANKS_SUITE_H
#define VN_RANKS_SUITE_H

#include "nn.h"
#include "runner.h"
#include <vinea/module.h>
#include <vinea/objects.h>
#include <vinea/ranks.h>
#include <vinea/train.h>

/* A row of every table. */
typedef struct ranks_row {
    const char *key, *function, *what;
    void (*body)(void);
    int line; /* where it is: __LINE__ */
} ranks_row;
/* The data of a test: its body on a number of ranks. */
typedef struct ranked_body {
    nn_body body; /* first: nn_run takes it */
    int ranks;
} ranked_body;
typedef struct ranks_part {
    const ranks_row *rows;
    int n;
    const char *file;
} ranks_part;
/* The rows of one file. ranks.c lists the files. */
extern const ranks_part ranks_collectives, ranks_training;

/* The group of all ranks, of as many as the table says; belongs to the caller's scope. */
vn_group *ranks_join(void);

/* Runs the suite on this number of ranks only. Must be called before tests are listed. */
void ranks_only(int ranks);
/* A rank: runs the only test of the plan; the first rank writes the outcome of all to the file. Returns its exit status. */
int ranks_child(const plan *p, const char *file);

#endif
