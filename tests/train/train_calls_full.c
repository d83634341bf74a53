/* SPDX-License-Identifier: Apache-2.0 */
/* train_calls_full.c: train_calls.c with every system call. */
/* ctest: full */
/* ctest: env VINEA_THREADS=1 */
#define STEP 1
#include "train_calls.c"
