/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h (inside): the families of objects.def, their structs of options and how functions take them.
 *
 * The rows of a family describe its objects; its makers, functions by row, are in other files, so that a program linked statically has only the
 * layers and optimizers that it calls, and all of them only if it makes some by name. The files that define them:
 *
 *     layers          layer_rows.c, layer_make.c        initialisers, schedules   init.c, schedule.c; regularizers, constraints   regularize.c
 *     optimizers      optim_rows.c, optim_make.c        losses, metrics           train/scores.c */
#ifndef VN_NN_OBJECTS_H
#define VN_NN_OBJECTS_H

#include "ops/options.h"

typedef struct {
    const char *name, *doc;
    const char *function; /* the name of its function, without vn_ */
    const vn_op_option *options;
    const vn__struct *fields;
    uint32_t dtypes; /* of the vn_op_info that vn_object_at gives */
    uint16_t n_options;
    uint16_t first; /* option that the first field is */
} vn__object_row;
typedef struct {
    const char *name;
    int n;
    const vn__object_row *rows;
} vn__family;
typedef int vn__maker(const vn__options *o, const void *opts, void *to);
typedef struct {
    const vn__family *family;
    vn__maker *const *make; /* by row */
} vn__makers;
enum { VN__OPTIONS_ROOM = 2048 }; /* bytes of the largest struct of options */

#include "objects_structs.inc"

/* The kind of an initialiser, schedule, loss or metric that failed to be made; 0 is one that is not given. */
enum { VN__NOT_MADE = -1 };
int vn__check_made(const char *who, const char *name, int kind); /* refuses such a one, whose option or argument is called name */
/* A resolved copy of the options that function `who` got (vn__take_struct), initialisers too. False, with the error set, if they are wrong.
 */
bool vn__take_options(const char *who, const vn__struct *s, void *to, const void *opts);
const vn__object_row *vn__object_named(const vn__family *f, const char *name); /* in any case; NULL: there is none */
const vn__object_row *vn__object_number(const vn__family *f, int number);      /* from 1, as the kind of losses and metrics */
int vn__object_make(const char *who, const vn__makers *m, const char *name, const vn_option *options, int n, void *to);
/* What a text such as "normal" or "uniform(6, 0.5, fan=out)" makes, and the text of it (object_text.c), of the innermost scope. */
/* rate: VN__OBJECT_TEXT bytes for the text of a schedule that stands for the learning rate, "" if there is none; NULL where none may. */
int vn__object_of_text(const char *who, const vn__makers *m, const char *text, void *to, char *rate);
const char *vn__object_text(const char *who, const vn__family *f, const char *name, const vn_option *options, int n);
enum { VN__OBJECT_TEXT = 1024 };          /* bytes of a text */
char *vn__trimmed(char *s);               /* the part without spaces around it; what follows it is cut off */
size_t vn__item_length(const char *list); /* up to its first comma outside brackets, or its end */
char *vn__next_item(char **list); /* cuts off the first item of a list and trims it; the list becomes what follows, NULL after the last */
/* Cuts "name(inside)", which should be a `what`, into its parts; inside is NULL where there are no brackets. */
int vn__cut_call(const char *who, const char *what, char *text, char **name, char **inside);
/* The options of a made loss or metric by name: numbers, and texts by their place. Returns how many. */
enum { VN__SCORE_OPTIONS = sizeof((vn_loss *)0)->value / sizeof(double) };
int vn__options_of(const vn__object_row *info, const double *value, vn_option to[static VN__SCORE_OPTIONS]);
/* The numbers that a function of this row got as its parameters: VN_ZERO is 0, and each lies in its range. */
bool vn__take_numbers(const vn__family *f, const char *name, int n, double *numbers);
int vn__object_unknown(const char *who, const vn__family *f, const char *name); /* the error, with the nearest name */

#endif
