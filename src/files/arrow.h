/* SPDX-License-Identifier: Apache-2.0 */
/* arrow.h: shared by arrow.c, which makes arrays of Arrow's columns, and arrow_table.c, which makes a table of them. The first two structs
 * are those of Arrow's C data interface. */
#ifndef VN_ARROW_H
#define VN_ARROW_H

#include "files/files.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *self);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *self);
    void *private_data;
};

#define VN__FROM_ARROW "from_arrow"

typedef struct {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    const char *name;    /* for messages */
    int64_t first, rows; /* of the array, without its own offset */
} vn__arrow;

int vn__arrow_bad(const vn__arrow *c, int code, const char *what);
int vn__arrow_dtype(const char *format);   /* -1: no numbers */
int vn__arrow_numeric(const vn__arrow *c); /* the dtype of a column of numbers; -1 with an error: it is none */
int vn__arrow_refuse(const vn__arrow *c,
                     int64_t null); /* the error of a format that is not read; null: or of a null in this row, unless -1 */
/* Counts and pointers of an array with this many buffers, at least one, and children; its rows lie inside. Schema, format and array are there. */
int vn__arrow_check(const vn__arrow *c, int64_t buffers, int64_t children);
bool vn__arrow_bit(const unsigned char *bits, int64_t i);
bool vn__arrow_is_null(const vn__arrow *c, int64_t row);
int64_t vn__arrow_null(const vn__arrow *c);                              /* the first null among the rows; -1: there is none */
int vn__arrow_name(const vn__arrow *c, int64_t i, char to[static 1025]); /* of column i, which may have none */

/* ---- arrow_table.c ---- */
bool vn__arrow_is_text(const vn__arrow *c);               /* or a dictionary of texts */
int vn__arrow_texts(const vn__arrow *c, vn_column *to);   /* codes and classes, in scope memory; a null has the code -1 */
int vn__arrow_numbers(const vn__arrow *c, vn_column *to); /* as double, with NaN for nulls */
int vn__arrow_table(const vn__arrow *columns, int64_t n, int64_t rows, vn_table *to);

#endif
