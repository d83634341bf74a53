/* objects.h (inside): the structs of objects.def and how functions take them. */
#ifndef VN_NN_OBJECTS_H
#define VN_NN_OBJECTS_H

#include "ops/options.h"
#include "objects_structs.inc"

/* A resolved copy of the options that function `who` got (vn__take_struct), initialisers too. False, with the error set, if they are wrong.
 */
bool vn__take_options(const char *who, const vn__struct *s, void *to, const void *opts);
/* The row of a text such as "normal" or "normal(0, 0.02)", and its numbers: those given, or else their defaults. NULL, with the error set,
 * if there is none. */
enum { VN__TEXT_NUMBERS = 4 };
const vn_op_info *vn__object_of_text(const char *who, const char *family, const char *text, double numbers[static VN__TEXT_NUMBERS],
                                     int *given);
/* The numbers that a function of this row got as its parameters: VN_ZERO is 0, and each lies in its range. */
bool vn__take_numbers(const char *family, const char *name, int n, double *numbers);
int vn__object_unknown(const char *who, const char *family, const char *name); /* the error, with the nearest name */
/* An initialiser as text: "glorot_uniform", or with its numbers: "constant(0.25)", "normal(0, 0.02)". */
int vn__init_of_text(const char *who, const char *text, vn_init *to);

#endif
