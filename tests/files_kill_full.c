/* files_kill_full.c: files_kill.c with many more kills. */
/* ctest: full */
/* ctest: timeout 1800 */
#define KILLS 1000
#include "files_kill.c"
