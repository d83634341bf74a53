/* objects.h (inside): the structs of objects.def and how functions take them. */
#ifndef VN_NN_OBJECTS_H
#define VN_NN_OBJECTS_H

#include "ops/options.h"
#include "objects_structs.inc"

/* A resolved copy of the options that function `who` got (vn__take_struct), initialisers too. False, with the error set, if they are wrong.
 */
bool vn__take_options(const char *who, const vn__struct *s, void *to, const void *opts);
/* An initialiser as text: "glorot_uniform", or with its first number: "constant(0.25)". */
int vn__init_of_text(const char *who, const char *text, vn_init *to);

#endif
