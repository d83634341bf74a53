/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h (inside): the structs of objects.def and how functions take them. */
#ifndef VN_NN_OBJECTS_H
#define VN_NN_OBJECTS_H

#include "ops/options.h"
#include "objects_structs.inc"

/* The kind of an initialiser, schedule, loss or metric that failed to be made; 0 is one that is not given. */
enum { VN__NOT_MADE = -1 };
int vn__check_made(const char *who, const char *name, int kind); /* refuses such a one, whose option or argument is called name */
/* A resolved copy of the options that function `who` got (vn__take_struct), initialisers too. False, with the error set, if they are wrong.
 */
bool vn__take_options(const char *who, const vn__struct *s, void *to, const void *opts);
const vn_op_info *vn__object_named(const char *family, const char *name); /* in any case; NULL: there is none */
const vn_op_info *vn__object_number(const char *family, int number);      /* from 1, as the kind of losses and metrics */
int vn__object_make(const char *who, const char *family, const char *name, const vn_option *options, int n, void *to);
/* What a text such as "normal" or "uniform(6, 0.5, fan=out)" makes (object_text.c). */
int vn__object_of_text(const char *who, const char *family, const char *text, void *to);
size_t vn__item_length(const char *list); /* up to its first comma outside brackets, or its end */
/* The options of a made loss or metric by name: numbers, and texts by their place. Returns how many. */
enum { VN__SCORE_OPTIONS = sizeof((vn_loss *)0)->value / sizeof(double) };
int vn__options_of(const vn_op_info *info, const double *value, vn_option to[static VN__SCORE_OPTIONS]);
/* The numbers that a function of this row got as its parameters: VN_ZERO is 0, and each lies in its range. */
bool vn__take_numbers(const char *family, const char *name, int n, double *numbers);
int vn__object_unknown(const char *who, const char *family, const char *name); /* the error, with the nearest name */

#endif
