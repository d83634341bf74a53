/* SPDX-License-Identifier: Apache-2.0 */
/* workloads.h: the workloads of workloads.c, by number. */
#ifndef WORKLOADS_H
#define WORKLOADS_H

#include <vinea/vinea.h>

const char *workload_name(int k); /* NULL after the last */
void workload_run(int k, long n); /* runs n rounds and waits for the last result; 0 rounds: drops its inputs */

#endif
