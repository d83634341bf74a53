/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h: tables of fields: for each field of an object of report.json its name, type, whether it is optional, and its offset
 * in a struct. read.c has the tables, schema.c applies them. */
#ifndef VN_REPORT_SCHEMA_H
#define VN_REPORT_SCHEMA_H

#include "inside.h"

/* The path of a value, for messages: "tests[3].cells[1].state". */
typedef struct place {
    const struct place *above;
    const char *name; /* name of a member; NULL: an item of a list, by index */
    int index;
} place;

typedef struct reader {
    const char *file;
    report_problem *p;
} reader;

typedef enum field_kind {
    TEXT,   /* const char * */
    COUNT,  /* int64_t */
    NUMBER, /* double */
    BOOL,   /* bool */
    STATES, /* an object whose values are states */
    NAMED,  /* a text of a list of words, const char * */
    VALUE,  /* a number or a text */
    LIST,
    OBJECT
} field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    bool optional;
    size_t to; /* offset in the struct, which is unchanged if the field is missing; NOWHERE: only checked */
    const char *const *words;
    int n_words;
} field;
#define NOWHERE SIZE_MAX
/* clang-format off */
#define NEEDED(type, kind, name) {#name, kind, false, offsetof(type, name), NULL, 0}
#define OPTIONAL(type, kind, name) {#name, kind, true, offsetof(type, name), NULL, 0}
#define PRESENT(kind, name) {name, kind, false, NOWHERE, NULL, 0} /* checked here, stored elsewhere */
#define CHECKED(kind, name) {name, kind, true, NOWHERE, NULL, 0}  /* only for the page */
/* clang-format on */
#define WORDS(list) list, sizeof(list) / sizeof *(list)
#define FIELDS(list) list, sizeof(list) / sizeof *(list)

/* Reports an error at a path; returns false. */
bool wrong(const reader *r, const place *w, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool wrong_word(const reader *r, const place *w, const char *got, const char *const *words, int n); /* and lists the valid words */
bool is_one_of(const char *word, const char *const *words, int n);
bool state_at(const reader *r, const place *w, const json *v, report_state *s);
/* Checks the fields of an object and stores them in the struct; false: the reader's problem says what is wrong. */
bool take_fields(const reader *r, const place *w, const json *object, const field *fields, size_t n, void *to);

#endif
