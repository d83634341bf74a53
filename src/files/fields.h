/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h: the text of a table, field by field (fields.c). */
#ifndef VN_FIELDS_H
#define VN_FIELDS_H

#include "files/files.h"

/* A field without its quotes and the blanks around it. */
typedef struct {
    const char *at;
    size_t n;
    int64_t line;      /* from 1 */
    const char *begin; /* of its line, to tell the column in messages */
    bool quoted;
    bool doubled; /* it has doubled quotes, which stand for one */
    bool last;    /* of its row */
} vn__field;

/* A position in the text. */
typedef struct {
    const vn__file *f;
    const char *at, *end, *line_begin;
    int64_t line;
    char delimiter, newline;
    bool quiet; /* a failure sets no error */
} vn__fields;
int vn__fields_begin(vn__fields *r, const vn__file *f); /* refuses what is not text: binary files, UTF-16 */
void vn__fields_rewind(vn__fields *r, char delimiter);  /* to the first line */
bool vn__fields_more(vn__fields *r);                    /* skips empty lines; is there another row? */
int vn__fields_next(vn__fields *r, vn__field *to);      /* the next field of the row */
int vn__field_bad(const vn__fields *r, const vn__field *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t vn__field_text(const vn__field *f, char *to); /* f->n bytes at most, not terminated; returns their number */
char vn__fields_delimiter(vn__fields *r);            /* guessed from the first lines */
#endif
