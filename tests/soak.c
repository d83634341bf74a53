/* soak.c: the random programs of fuzz.c, for a long time. */
/* ctest: full */
/* ctest: timeout 3600 */
#define ROUNDS 100000
#include "fuzz.c"
