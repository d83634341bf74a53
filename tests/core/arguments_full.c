/* SPDX-License-Identifier: Apache-2.0 */
/* arguments_full.c: arguments.c with many more calls. */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: full */
#define CALLS_NATIVE 1000000
#define CALLS_OTHER 10000
#include "arguments.c"
