/* base.h: what stands on the C library alone: numbers and JSON as text, files that appear complete. It is compiled into libvinea, and into
 * the command and the dashboard, which see nothing else of the inside; so nothing here allocates, keeps state or knows of vn_message. */
#ifndef VN_BASE_H
#define VN_BASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- numbers (number.c) ---- */
/* A decimal number of exactly n characters, nan, inf or infinity, whatever the locale. */
bool vn__number_parse(const char *text, size_t n, double *x);
void vn__number_print(double x, char to[static 32]);              /* reads back as the same number */
void vn__number_short(double x, char to[static 32]);              /* the same in as few digits as possible */
void vn__number_digits(double x, int digits, char to[static 32]); /* %.*g, whatever the locale */

/* ---- UTF-8 (json.c) ---- */
/* How many of the n bytes are one character; 0: none are (overlong forms, surrogates and what is above U+10FFFF are none). */
size_t vn__utf8_length(const char *text, size_t n);
bool vn__is_utf8(const char *text);

/* ---- JSON, read forward (json.c) ---- */
/* Accepts nothing that is not JSON. The first problem stays, and every later call fails. */
typedef struct {
    const char *text; /* need not end with 0 */
    size_t at, size;
    char *room; /* for decoded texts: one byte more than the text has */
    size_t used;
    char problem[128]; /* what is wrong at `at`; "": nothing so far */
} vn__json;
bool vn__json_is(vn__json *j, char c);     /* the next character, past blanks; it is not taken */
bool vn__json_take(vn__json *j, char c);   /* takes it if it is c */
bool vn__json_expect(vn__json *j, char c); /* takes it, or there is a problem */
bool vn__json_word(vn__json *j, const char *word);
char *vn__json_text(vn__json *j);              /* a string, in j->room; NULL: problem */
bool vn__json_count(vn__json *j, uint64_t *n); /* a whole number up to 2^63 - 10 */
bool vn__json_number(vn__json *j, double *x);
bool vn__json_end(vn__json *j);                                                                   /* nothing but blanks is left */
bool vn__json_fails(vn__json *j, const char *problem, ...) __attribute__((format(printf, 2, 3))); /* false */
void vn__json_place(const vn__json *j, size_t *line, size_t *column);                             /* of `at`, from 1; columns are bytes */

/* ---- JSON as values (json_value.c) ---- */
typedef enum { VN__JSON_NULL, VN__JSON_BOOL, VN__JSON_NUMBER, VN__JSON_TEXT, VN__JSON_LIST, VN__JSON_OBJECT } vn__json_kind;
typedef struct vn__json_value vn__json_value;
struct vn__json_value {
    vn__json_kind kind;
    int n;                        /* values inside a list or object */
    double number;                /* also of a bool: 0 or 1 */
    const char *key;              /* inside an object */
    size_t at;                    /* where the value begins, or its key */
    const char *text;             /* of a text; of a number as it was written */
    size_t size;                  /* of the text */
    vn__json_value *first, *next; /* the first value inside; the next one beside */
};
/* Memory that lasts as long as the values are needed; NULL when there is none. */
typedef struct {
    void *(*allocate)(size_t bytes, void *user);
    void *user;
    int deepest; /* lists and objects in each other */
    int most;    /* values in all */
} vn__json_limits;
/* Everything in j as one value, with no key twice in an object, in time that grows with the text alone. NULL: j->problem says why; where it
 * says nothing, there was no memory. Texts are in j->room, those of numbers in j->text. */
vn__json_value *vn__json_read(vn__json *j, const vn__json_limits *limits);
const vn__json_value *vn__json_find(const vn__json_value *object, const char *key); /* NULL: not there, or no object */
const char *vn__json_kind_name(const vn__json_value *x);                            /* "a text", "a list" ... */

/* ---- system calls ---- */
/* A call again when a signal came between; where signals never end, EINTR is an error like others. */
#define VN__CALL(result, call)                                                      \
    do {                                                                            \
        int tries_ = 0;                                                             \
        while (((result) = (call)) < 0 && errno == EINTR && tries_ < 100) tries_++; \
    } while (0)

/* ---- files that appear complete (output.c) ---- */
/* A file being written. Links are followed and stay; permissions, and owner and group where the system allows it, are those of the file
 * that is replaced. A pipe that somebody reads and a character device are written to directly; sockets, block devices and folders are
 * refused. Functions return 0 or the system's error, and then `what` says what could not be done. */
typedef struct {
    int fd, folder;
    bool direct;         /* to a pipe or device */
    bool local;          /* every writer sees the locks of others */
    char name[256];      /* in the folder */
    char temporary[256]; /* its name until it is complete; "" while it has none */
    const char *what;
} vn__output;
int vn__output_begin(vn__output *o, const char *path);
int vn__output_write(vn__output *o, const void *data, size_t bytes);
/* Must follow begin, whatever that returned. error 0: the file is complete and takes its place, flushed to the disk if `flush`; else it is
 * given up. Returns that error, or the first of its own. */
int vn__output_end(vn__output *o, int error, bool flush);
int vn__output_whole(const char *path, const void *data, size_t bytes, bool flush, const char **what); /* a file of these bytes */
/* Adds a line, whole or not at all, to a file that is made where there is none; a pipe or device gets it directly. */
int vn__append_line(const char *path, const char *line, size_t bytes, const char **what);

#endif
