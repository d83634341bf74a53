/* SPDX-License-Identifier: Apache-2.0 */
/* source.h: a C file as text, with what in it is code: neither comment nor text in quotes. */
#ifndef VN_MUTANTS_SOURCE_H
#define VN_MUTANTS_SOURCE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const char *path;
    char *text; /* ends with a 0 */
    bool *code; /* of each character */
    size_t n;
} source;

/* From `at`, in a comment or a text in quotes, to its end. */
static size_t source_skip(const char *text, size_t at)
{
    const char *end = NULL;
    if (text[at] == '/') {
        end = text[at + 1] == '*' ? strstr(text + at + 2, "*/") : strchr(text + at, '\n');
        return end ? (size_t)(end - text) + (text[at + 1] == '*' ? 2 : 0) : at + strlen(text + at);
    }
    for (size_t k = at + 1; text[k]; k++) {
        if (text[k] == '\\' && text[k + 1]) k++;
        else if (text[k] == text[at]) return k + 1;
    }
    return at + strlen(text + at);
}

static bool source_read(source *s, const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    *s = (source){.path = path};
    if (size < 0 || fseek(f, 0, SEEK_SET) || !(s->text = malloc((size_t)size + 1)) || !(s->code = calloc((size_t)size + 1, 1)) ||
        (s->n = fread(s->text, 1, (size_t)size, f)) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (f) fclose(f);
        return false;
    }
    fclose(f);
    s->text[s->n] = 0;
    for (size_t k = 0; k < s->n;) {
        const char *c = s->text + k;
        if (*c == '"' || *c == '\'' || (*c == '/' && (c[1] == '*' || c[1] == '/'))) k = source_skip(s->text, k);
        else s->code[k++] = true;
    }
    return true;
}

static bool source_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word, or other piece of code, stands at a place; a word not inside a longer one. */
static bool source_at(const source *s, size_t at, const char *what)
{
    return s->code[at] && !strncmp(s->text + at, what, strlen(what)) && !(source_word(*what) && at && source_word(s->text[at - 1]));
}

/* The parenthesis that closes the one at `open`, or n. */
static size_t source_close(const source *s, size_t open)
{
    int depth = 0;
    for (size_t k = open; k < s->n; k++) {
        if (!s->code[k]) continue;
        depth += s->text[k] == '(' ? 1 : s->text[k] == ')' ? -1 : 0;
        if (!depth) return k;
    }
    return s->n;
}

static long source_line(const source *s, size_t at)
{
    long line = 1;
    for (size_t k = 0; k < at; k++) line += s->text[k] == '\n';
    return line;
}

#endif
