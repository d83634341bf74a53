// macros_cpp.cc: macros.c as C++, for the builds with sanitizers, where the library that reads the temporaries is looked at as well.
/* ctest: sanitize */
#include "macros.c"
