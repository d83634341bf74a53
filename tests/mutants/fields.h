/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h: the option structs of a header, typedef struct vn_NAME_opts { size_t size; ... } vn_NAME_opts, and their fields but the size.
 */
#ifndef VN_MUTANTS_FIELDS_H
#define VN_MUTANTS_FIELDS_H

#include "source.h"

typedef struct field {
    char type[60], name[60]; /* vn_nn_conv_opts, strides */
    int number;              /* of its switch */
} field;

static field *fields;
static size_t n_fields;

static void add_field(const source *s, size_t at, const char *type, int number)
{
    size_t end = at;
    field *more = realloc(fields, (n_fields + 1) * sizeof *fields);
    if (!more) exit(2);
    fields = more;
    while (source_word(s->text[end])) end++;
    snprintf(fields[n_fields].type, sizeof fields->type, "%s", type);
    snprintf(fields[n_fields].name, sizeof fields->name, "%.*s", (int)(end - at), s->text + at);
    printf("%d\t%s\t%ld\toption\t%s.%s\n", number, s->path, source_line(s, at), type, fields[n_fields].name);
    fields[n_fields++].number = number;
}

/* Every name that ',', ';' or '[' follows in the braces from `open` is a field. */
static void read_fields(const source *s, size_t open, const char *type, int *number)
{
    for (size_t at = open + 1; at < s->n && s->text[at] != '}'; at++) {
        if (!s->code[at] || !isalpha((unsigned char)s->text[at]) || source_word(s->text[at - 1])) continue;
        const size_t length = strspn(s->text + at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        if (strchr(",;[", s->text[at + length]) && !source_at(s, at, "size;")) add_field(s, at, type, ++*number);
    }
}

/* Reads a header and prints its fields as switches; the numbers go on from *number. */
static bool fields_read(const char *path, int *number)
{
    static const char begin[] = "typedef struct vn_";
    source s;
    if (!source_read(&s, path)) return false;
    for (size_t at = 0; at < s.n; at++) {
        if (!source_at(&s, at, begin)) continue;
        char type[60];
        const char *name = s.text + at + strlen("typedef struct ");
        const int length = (int)strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
        snprintf(type, sizeof type, "%.*s", length, name);
        if (length > 5 && !strcmp(type + strlen(type) - 5, "_opts") && name[length] == ' ' && name[length + 1] == '{')
            read_fields(&s, (size_t)(name - s.text) + (size_t)length + 1, type, number);
    }
    free(s.text);
    free(s.code);
    return true;
}

#endif
