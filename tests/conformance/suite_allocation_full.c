/* SPDX-License-Identifier: Apache-2.0 */
/* suite_allocation_full.c: suite_allocation.c with all allocations of every fourth case. */
/* ctest: full */
/* ctest: seconds 600 */
/* ctest: links vinea_suite vinea_base -Wl,--wrap=vn_clear -Wl,--wrap=vn_error_pop */
/* ctest: shared */
/* ctest: env VINEA_THREADS=1 */
#define FAULTS 0
#define STEP 4
#include "suite_allocation.c"
