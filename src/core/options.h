/* options.h: option structs as callers hand them over. They begin with their size, and zero in a field means default. */
#ifndef VN_CORE_OPTIONS_H
#define VN_CORE_OPTIONS_H

#include <stddef.h>

/* The size of the caller's struct, of which `known` bytes are known here. A shorter one comes from a program built with an older header.
 * One that does not tell its size, or is longer and asks for what is not known here, is refused. `name` is what VN_OPTS takes. */
int vn__opts_size(const char *name, const void *opts, size_t known, size_t *size);
/* Fills a zeroed option struct of this size from the caller's, which may be NULL: all defaults. */
int vn__take(void *to, size_t size, const void *opts, const char *name);
/* The answer to a question, a struct that begins with its size, into the caller's: as many bytes as that one says (0: all). */
int vn__answer(void *to, const void *answer, size_t size);
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
