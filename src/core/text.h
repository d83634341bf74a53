/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: growing strings (text.c). */
#ifndef VN_CORE_TEXT_H
#define VN_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *text;
    size_t size, capacity;
    bool failed;
} vn__text;
void vn__append(vn__text *t, const char *text);
void vn__print(vn__text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vn__text_start(vn__text *t);
void vn__print_shape(vn__text *t, int rank, const int64_t *dims);
const char *vn__text_finish(vn__text *t); /* NULL and VN_E_MEM if memory ran out */
/* "; did you mean \"relu\"?" where one of n names is near the word, else "": base/nearest.h. */
const char *vn__did_you_mean(const char *word, int n, const char *(*name)(int i, void *user), void *user, char to[static 128]);
const char *vn__shape_text(int rank, const int64_t *dims, char to[static 128]); /* "2x3" or "0-d" */
/* "[3, 5]" for element number e of an array; nothing for a single number. */
const char *vn__index_text(int rank, const int64_t *dims, int64_t e, char to[static 256]);

#endif
