/* SPDX-License-Identifier: Apache-2.0 */
/* workloads.h: the workloads of workloads.c, by number. */
#ifndef WORKLOADS_H
#define WORKLOADS_H

#include <vinea/vinea.h>

const char *workload_name(int k);     /* NULL after the last */
/* The number of a workload: those above; mm1024_bf16 and its like, with less exact products; mm:300 and its like, of any size. -1: there is none. */
int workload_find(const char *name);
void workload_run(int k, long n); /* runs n rounds and waits for the last result; 0 rounds: drops its inputs */

#endif
