/* SPDX-License-Identifier: Apache-2.0 */
/* base.h: code that needs only the C library and src/os: number formatting, JSON. Both are compiled into libvinea and into
 * the command and the dashboard, which use no other internals; so nothing here allocates, keeps state or uses vn_message. */
#ifndef VN_BASE_H
#define VN_BASE_H

#include "os/os.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- numbers (number.c) ---- */
/* Parses a decimal number of exactly n characters, nan, inf or infinity, in any locale. */
bool vn__number_parse(const char *text, size_t n, double *x);
void vn__number_print(double x, char to[static 32]);              /* round-trips exactly */
void vn__number_short(double x, char to[static 32]);              /* the shortest form that round-trips; integers in digits */
void vn__number_digits(double x, int digits, char to[static 32]); /* %.*g in any locale, but integers below 1e7 in digits */

/* ---- UTF-8 (json.c) ---- */
/* The length in bytes of the first character; 0 if it is invalid (overlong forms, surrogates, above U+10FFFF). */
size_t vn__utf8_length(const char *text, size_t n);
bool vn__is_utf8(const char *text);

/* ---- texts (json.c) ---- */
bool vn__ends_with(const char *text, const char *end); /* and has more before it */
/* A character of a JSON string as it is written there if it cannot stand for itself, otherwise NULL. */
const char *vn__json_escape(char c, char to[static 8]);

/* ---- files (kind.c) ---- */
bool vn__is_table(const char *path); /* CSV and its kin: rows of text, not arrays or images */

/* ---- JSON, read sequentially (json.c) ---- */
/* Accepts strict JSON only. The first problem is kept, and every later call fails. */
typedef struct {
    const char *text; /* need not end with 0 */
    size_t at, size;
    char *room; /* for decoded strings: one byte more than the text */
    size_t used;
    char problem[128]; /* what is wrong at `at`; "" if nothing is */
} vn__json;
bool vn__json_is(vn__json *j, char c);     /* the next character after white space, not consumed */
bool vn__json_take(vn__json *j, char c);   /* consumes it if it is c */
bool vn__json_expect(vn__json *j, char c); /* consumes it, or sets the problem */
bool vn__json_word(vn__json *j, const char *word);
char *vn__json_text(vn__json *j);              /* a string, in j->room; NULL on a problem */
bool vn__json_count(vn__json *j, uint64_t *n); /* a whole number up to 2^63 - 10 */
bool vn__json_number(vn__json *j, double *x);
bool vn__json_end(vn__json *j);                                                                   /* only white space is left */
bool vn__json_fails(vn__json *j, const char *problem, ...) __attribute__((format(printf, 2, 3))); /* false */
void vn__json_place(const vn__json *j, size_t *line, size_t *column); /* position of `at`, from 1; columns are bytes */

/* ---- JSON as values (json_value.c) ---- */
typedef enum { VN__JSON_NULL, VN__JSON_BOOL, VN__JSON_NUMBER, VN__JSON_TEXT, VN__JSON_LIST, VN__JSON_OBJECT } vn__json_kind;
typedef struct vn__json_value vn__json_value;
struct vn__json_value {
    vn__json_kind kind;
    int n;                        /* values inside a list or object */
    double number;                /* also for a bool: 0 or 1 */
    const char *key;              /* inside an object */
    size_t at;                    /* where the value begins, or its key */
    const char *text;             /* of a string; of a number as written */
    size_t size;                  /* of the text */
    vn__json_value *first, *next; /* the first child; the next sibling */
};
/* Allocates memory that lives as long as the values; NULL on failure. */
typedef struct {
    void *(*allocate)(size_t bytes, void *user);
    void *user;
    int max_depth;  /* nesting of lists and objects */
    int max_values; /* total values */
} vn__json_limits;
/* Parses all of j as one value; duplicate keys are errors. Takes time proportional to the text. On NULL, j->problem says why; if it is
 * empty, memory ran out. Strings are in j->room, the text of numbers in j->text. */
vn__json_value *vn__json_read(vn__json *j, const vn__json_limits *limits);
const vn__json_value *vn__json_find(const vn__json_value *object,
                                    const char *key);    /* NULL if it does not exist, or the value is not an object */
const char *vn__json_kind_name(const vn__json_value *x); /* "a text", "a list" ... */

#endif
