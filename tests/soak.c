/* soak.c: the random programs of fuzz.c, for a long time. */
/* ctest: full */
#define ROUNDS 100000
#include "fuzz.c"
