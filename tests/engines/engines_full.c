/* SPDX-License-Identifier: Apache-2.0 */
/* engines_full.c: the test of all engines in one process, with every order of loading. */
/* ctest: full */
#define RUNS 120
#include "engines.c"
