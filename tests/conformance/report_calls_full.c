/* SPDX-License-Identifier: Apache-2.0 */
/* report_calls_full.c: report_calls.c with every system call. */
/* ctest: full */
/* ctest: links vinea_report */
#define STEP 1
#include "report_calls.c"
