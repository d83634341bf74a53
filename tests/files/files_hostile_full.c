/* SPDX-License-Identifier: Apache-2.0 */
/* files_hostile_full.c: files_hostile.c with files of a million entries. */
/* ctest: full */
#define FULL
#include "files_hostile.c"
