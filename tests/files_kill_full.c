/* files_kill_full.c: files_kill.c with many more kills. */
/* ctest: full */
#define KILLS 200
#include "files_kill.c"
