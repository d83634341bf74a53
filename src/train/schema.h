/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h (internal): how a table becomes a dataset. learn.c derives a schema from a table and the options, schema.c writes and reads it as
 * JSON, and encode.c applies it to a table: the one it was learned from, or another. */
#ifndef VN_SCHEMA_H
#define VN_SCHEMA_H

#include "train/train.h"

enum { VN__MAX_TEXTS = 100 }; /* classes of a text that is a feature */

/* A column. */
typedef struct {
    const char *name;
    int position;               /* in the file it was learned from, from 0 */
    double mean, deviation;     /* numbers: 0 and 1 unless standardized */
    double fill;                /* for missing numbers */
    int64_t n_classes;          /* 0: numbers */
    const char *const *classes; /* in ascending order; NULL: the numbers 0 to n_classes - 1, in a target only */
    bool numeric;               /* the classes are numbers as text, in ascending order of these; in a target only */
} vn__feature;

typedef struct {
    bool named;    /* the file has names */
    int n_columns; /* of the file */
    int missing;   /* vn_missing */
    int n;
    vn__feature *features; /* in scope memory, as all texts */
    bool has_target;
    bool standardized;
    vn__feature target;
} vn__schema;

int vn__schema_learn(const vn_table *t, const vn_dataset_opts *o, vn__origin *from, vn__schema *to);
/* The text of a schema as JSON of version 1, in scope memory; NULL with the error set. */
const vn__json_value *vn__schema_json(const char *text, const vn__origin *from);
int vn__schema_bad(const vn__origin *from, const char *what); /* sets the error */
int vn__schema_read(const char *text, const vn__origin *from, vn__schema *to);
char *vn__schema_print(const vn__schema *s, const char *who); /* the caller frees it */
/* x and, if the table has the target and it is wanted, y (NULL); *weights, if the options name their column; names and notes go to
 * from->labels. */
int vn__schema_encode(const vn__schema *s, const vn_table *t, const vn_dataset_opts *o, vn__origin *from, vn_array **x, vn_array **y,
                      vn_array **weights);
int vn__note(vn__origin *from, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number of the column with this name, or number from 0 (negative: from the end); -1 with the error set. `option` names it. */
int vn__column_named(const vn_table *t, const char *name, size_t n, const vn__origin *from, const char *option);

#endif
