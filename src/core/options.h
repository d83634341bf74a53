/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: option structs as callers hand them over. They begin with their size, and zero in a field means default. */
#ifndef VN_CORE_OPTIONS_H
#define VN_CORE_OPTIONS_H

#include <stddef.h>

/* The size of the caller's struct, of which `known` bytes are known here. A shorter one comes from a program built with an older header.
 * One that does not tell its size, or is longer and asks for what is not known here, is refused. `name` is what VN_OPTS takes. */
int vn__opts_size(const char *name, const void *opts, size_t known, size_t *size);
/* Fills a zeroed option struct of this size from the caller's, which may be NULL: all defaults. Of a struct that ends with a reserved field,
 * the size is what is before it: a flag that a newer program has there is refused like any field that is not known. Any
 * struct is a multiple of the alignment that its first member gives it; another size ends inside a field and is refused. */
int vn__take(void *to, size_t size, const void *opts, const char *name);
#define VN__SIZE_BEFORE(o, field) ((size_t)((const char *)&(o).field - (const char *)&(o)))
/* An object that options do not name is NULL, and so is one that failed to be made, which no default may replace. The thread's error tells
 * them apart: while it is set, given options with such a NULL are refused. Returns that error. */
int vn__check_objects(const void *opts, int n, const void *const *objects);
#define VN__OBJECTS(opts, ...) \
    vn__check_objects(opts, (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)), (const void *const[]){__VA_ARGS__})
/* The other way round: structs that callers want filled, such as a vn_op_info. They are refused if NULL or without a size; of a shorter
 * one, nothing behind its end is touched. `type` is its name; `from` is a whole one. */
int vn__check_info(const char *who, const char *type, const void *info);
int vn__give(const char *who, const char *type, void *info, const void *from, size_t size);
#define VN__GIVE(who, type, info, from) vn__give(who, #type, info, from, sizeof(type))
/* Refuses flags that are neither 0 nor 1. */
typedef struct {
    const char *name;
    int value;
} vn__flag;
int vn__check_flags(const char *name, int n, const vn__flag *flags);
#define VN__FLAG(o, field) ((vn__flag){#field, (o).field})
#define VN__FLAGS(name, ...) \
    vn__check_flags(name, (int)(sizeof((const vn__flag[]){__VA_ARGS__}) / sizeof(vn__flag)), (const vn__flag[]){__VA_ARGS__})

#endif
