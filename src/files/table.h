/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: shared by table.c, which reads tables, and table_kinds.c, which decides what the columns are. */
#ifndef VN_TABLE_H
#define VN_TABLE_H

#include "files/fields.h"

enum { VN__MAX_COLUMNS = 1 << 17 };

/* What a field looks like. */
typedef enum { VN__LOOKS_MISSING, VN__LOOKS_NUMBER, VN__LOOKS_DATE, VN__LOOKS_TEXT } vn__looks;

/* A column while it is read. */
typedef struct {
    vn__field first;             /* of the first row, which may be a name */
    int64_t count[4];            /* fields below the first row, by vn__looks */
    int64_t points, commas;      /* numbers with a decimal point, with a comma */
    int64_t again;               /* fields that are the same text as the first */
    vn__field odd, empty, other; /* the first fields that look like text, missing, like another kind than numbers */
    bool as_text;                /* option text */
} vn__seen;

typedef struct {
    vn__fields r;
    vn_table_opts o;
    vn__seen *seen; /* n_columns of them */
    int n_columns;
    int64_t rows; /* with the first line, whatever it is */
    bool header, guessed;
    vn_column *columns; /* in scope memory */
    double done;        /* progress at the last call */
    int pass;
} vn__table_reader;

vn__looks vn__look_at_field(const vn__table_reader *t, const vn__field *f, double *x, bool *comma);
void vn__see_field(vn__table_reader *t, vn__seen *s, const vn__field *f);
void vn__decide_header(vn__table_reader *t); /* and counts the fields of the first row if it has no names */
int vn__kind_of(const vn__table_reader *t, const vn__seen *s);
bool vn__in_list(const char *list, const char *text, size_t n); /* names separated by commas */

void vn__measure_column(vn_column *c, int64_t rows); /* of numbers: the smallest, largest, mean ... (table.c) */

/* ---- texts of a column as classes (table_text.c) ---- */
typedef struct vn__classes vn__classes;
vn__classes *vn__classes_new(const char *who);
int vn__classes_put(vn__classes *c, const char *text, size_t n, const char *who, int32_t *code); /* *code: -1 if the text is not UTF-8 */
int vn__classes_add(vn__classes *c, const vn__fields *r, const vn__field *f, int32_t *code);     /* refuses text that is not UTF-8 */
int vn__classes_finish(vn__classes *c, vn_column *to, int32_t *codes, int64_t rows, const char *who); /* sorts them, in scope memory */
void vn__classes_free(vn__classes *c);

#endif
