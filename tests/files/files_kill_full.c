/* SPDX-License-Identifier: Apache-2.0 */
/* files_kill_full.c: files_kill.c with many more kills. */
/* ctest: full */
/* ctest: seconds 60 */
#define KILLS 1000
#include "files_kill.c"
