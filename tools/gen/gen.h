/* SPDX-License-Identifier: Apache-2.0 */
/* gen.h: the generator: prints everything that follows from the op table (src/ops/ops.def) and from that of layers, optimizers and their
 * like (src/nn/objects.def): the public headers, the declarations of internal ops and of what rows name, the C functions, the run-time
 * tables, the docs page. Runs at build time: `gen PART` (main.c). A row that makes no sense, or that no engine could compute, stops the
 * build by its name. */
#ifndef VN_GEN_H
#define VN_GEN_H

#include "ops/limits.h"
#include <stddef.h>
#include <stdint.h>

/* ---- rows (rows.c) ---- */

typedef struct {
    const char *name, *kind, *inputs, *options, *dtypes, *shape, *dtype, *vjp, *compose, *doc;
    const char *alias, *shapes, *sampled; /* traits; of SAMPLE the shapes and the options; of a section its example and what it prints */
    const char *header;                   /* of a section or family: that of its rows; NULL: ops, objects */
    const char *op;                       /* of a loss or metric: the op whose options it has */
    const char *product;                  /* counts the operations of an op that adds up products; NULL: it is none */
    const char *const *fields;            /* of a set of options: each with its doc line, NULL at the end */
    int internal, random, shaped, exact, own_dtype, part, integers, augment, spatial;
    int cast; /* under vn_autocast, of a row or all rows of a section: -1 to half precision, 1 to float32 */
} row;
extern const row rows[];
extern const int n_rows;

int is(const row *r, const char *kind);
int by_hand(const row *r);        /* its public function is hand-written */
int is_heading(const row *r);     /* a section of ops or a family of objects */
int is_op(const row *r);          /* sections, families, sets of options and objects are not */
int is_listed(const row *r);      /* it can be called by name: neither internal nor by hand */
int in_order(const row **out);    /* the ops, listed ones first; returns how many */
const char *prefix(const row *r); /* of its function's name */
const row *section_of(const row *r);
const char *header_of(const row *r);   /* the header with its function: "ops" */
const char *umbrella_of(const row *r); /* the one that includes it: "ops" or "objects" */
void stop(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* What is made of an object's options, and the beginning of its function's name. */
typedef struct {
    const char *kind, *family, *c, *prefix;
    int words; /* the command line has their names as choices */
} made;
extern const made objects[];
extern const int n_objects;
int object_kind(const row *r); /* the number of its kind, or -1 for an op */

/* ---- columns: lists of names with a type and a default (columns.c) ---- */

/* Option types: how each looks as a parameter and as a field, and the run-time options it becomes. Flags have no parameter: they are fields
 * of public ops; internal ops, which have no structs, take them as int. `put`: its letter for vn__put_parameter (src/ops/parameters.h). */
typedef struct {
    const char *type, *c, *dimensions, *kind, *put, *read;
} option_type;
extern const option_type types[];

enum { NAME = 32, TEXTS = 160 };
typedef struct {
    char name[NAME], type[NAME], fallback[TEXTS], texts[TEXTS]; /* texts: those permitted, "VALID|SAME", the default first; "": any */
    char range[NAME];                                           /* of a number: "[0, 1)"; "": any */
    const char *doc;
    int t;    /* of an option: number of its type */
    int list; /* of an input or result: it is a list */
} field;

/* The options of a row, "axis:int=-1 | set": parameters, and fields of the set named behind the bar. */
typedef struct {
    field f[VN__MAX_OPTIONS];
    int n, parameters;
    const row *set; /* NULL: none */
} options;
options options_of(const row *r);
int is_type(const field *f, const char *type);
int of_input(const field *f);      /* a size that must be given, but that a model file takes from its input */
int slot(const options *o, int i); /* the run-time option that field i begins: axes of a reduction are two */

/* "x, weight?, bias? -> y, state; gates": inputs, the last of which may be optional (?), and results, of which those behind the semicolon
 * are not in the public function; both may be lists ("xs..."). */
typedef struct {
    field in[VN__MAX_IN], out[VN__MAX_OUT];
    int n, m, shown, required; /* m: results; shown: those of the public function */
    int many;                  /* there are lists */
    int plain;                 /* but only one, the last input, and one result */
} signature;
signature arguments(const row *r);
int reason(const row *r, char to[static 128]); /* a row without a gradient says why: NO("the result is bool"); false if it has one */

void check(void); /* what every row must be (check.c) */

/* ---- printing ---- */

/* calls.c */
enum { CALL_PARAMETERS = 8, CALL_DEFAULTS = 5 }; /* what the macros of include/vinea/calls.h are made for */
typedef struct {
    int n, given;                                           /* parameters, and those that every call has */
    char fallback[VN__MAX_IN + VN__MAX_OPTIONS + 1][TEXTS]; /* the default of each in C; "": none */
} call;
call call_of(const row *r);
void call_default(const call *c, int i, const char *format); /* that of parameter i where a call may leave it out; format NULL: nothing */
void call_macro(const row *r);                               /* the macro that makes it so in C */

/* headers.c */
void declare(const field *f); /* "int64_t axis", "int64_t strides[3]" */
/* The op's function; all: the internal one, with the results that the public one does not show. Defaults are printed in this format. */
void prototype(const row *r, int all, const char *defaults);
const row *first_user(const row *set); /* the first row that has these options */
void options_struct(const row *r);     /* printed with the first row that has it, and named after each */
int headers(const char *folder); /* writes ops.h, objects.h and those that sections and families name; 0, or 1 if one cannot be written */
void cpp(void), internal(void), docs(void);
/* functions.c */
void letters(const options *o), passed(const options *o);
void api(void), names(void);
/* table.c */
const row *first_with_inputs(const row *r); /* rows alike share what is listed of them */
const row *first_with_options(const row *r);
void list_options(const row *r);
void forget_shared(void); /* what follows is compiled without what came before */
void table(void);
/* objects.c */
void object_prototype(const row *r, const char *defaults);
void object_structs(void), object_table(void), object_words(void);

#endif
