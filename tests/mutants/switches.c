/* SPDX-License-Identifier: Apache-2.0 */
/* switches.c: `switches HEADER... FILE...` rewrites C files so that each function's body and each error, and each field of the headers'
 * option structs, can be left out when the program runs, and prints what it found: number, file, line, "body", "error" or "option", and
 * the function's or the field's name, between tabs. A body left out gives the first argument where that has the result's type, otherwise
 * nothing (0, NULL); an error left out is not set; a field left out is 0 in what a function of the library is given. vn__emptied
 * (emptied.c) says which one is: so all of them need one build. */
#include "fields.h"
#include <stdarg.h>

typedef struct edit {
    size_t at, order;
    char *text;
} edit;

static edit *edits;
static size_t n_edits;
static int number; /* of switches so far, over all files */

__attribute__((format(printf, 2, 3))) static void put(size_t at, const char *format, ...)
{
    va_list args;
    edit *more = realloc(edits, (n_edits + 1) * sizeof *edits);
    if (!more) exit(2);
    edits = more;
    edits[n_edits].at = at;
    edits[n_edits].order = n_edits;
    va_start(args, format);
    if (vasprintf(&edits[n_edits++].text, format, args) < 0) exit(2);
    va_end(args);
}

static void trim(char *text)
{
    size_t n = strlen(text), skip = strspn(text, " \n");
    while (n > skip && isspace((unsigned char)text[n - 1])) n--;
    memmove(text, text + skip, n - skip);
    text[n - skip] = 0;
}

/* ---- bodies ---- */

typedef struct head {
    char type[200], name[100], first[200]; /* result, function, the first parameter's name */
    char first_type[200];
    size_t open, close; /* the parentheses of the parameters */
} head;

/* "vn_array *x" into "vn_array *" and "x". */
static void split(const char *from, size_t n, char *type, char *name, size_t room)
{
    size_t at = n;
    while (at && source_word(from[at - 1])) at--;
    snprintf(type, room, "%.*s", (int)at, from);
    snprintf(name, room < 100 ? room : 100, "%.*s", (int)(n - at), from + at);
    trim(type);
}

/* Reads the head that ends before the brace at `brace`; false where this is no function. */
static bool read_head(const source *s, size_t brace, head *h)
{
    size_t start = brace, open, close, end;
    while (start > 1 && !(s->text[start - 1] == '\n' && strchr("\n/};", s->text[start - 2]))) start--;
    if (s->text[start] == '\n') start++;
    for (open = start; open < brace && !(s->code[open] && s->text[open] == '('); open++) {
    }
    if (open == brace || s->text[start] == '#' || !isalpha((unsigned char)s->text[start])) return false;
    close = source_close(s, open);
    for (end = open + 1; end < close && s->text[end] != ','; end++) {
    }
    char words[200], name[100];
    split(s->text + start, open - start, words, name, sizeof words);
    static const char *const prefixes[] = {"static ", "inline "};
    for (size_t k = 0; k < 2; k++) {
        if (!strncmp(words, prefixes[k], strlen(prefixes[k])))
            memmove(words, words + strlen(prefixes[k]), strlen(words + strlen(prefixes[k])) + 1);
    }
    strcpy(h->type, words);
    strcpy(h->name, name);
    h->open = open;
    h->close = close;
    split(s->text + open + 1, end - open - 1, h->first_type, h->first, sizeof h->first_type);
    return *h->name && *h->type && close < brace;
}

/* What stands before the body of a function with a parameter "const TYPE *opts": a copy of the options without the fields left out. */
static void switch_options(const source *s, const head *h, size_t brace)
{
    const char *type = NULL;
    for (size_t k = 0; k < n_fields; k++) {
        char parameter[100];
        if (!type || strcmp(type, fields[k].type) != 0) {
            const size_t n = (size_t)snprintf(parameter, sizeof parameter, "const %s *opts", fields[k].type);
            size_t at = h->open;
            while (at < h->close && strncmp(s->text + at, parameter, n) != 0) at++;
            if (at == h->close) continue;
            type = fields[k].type;
            put(brace + 1,
                " %s given = {0}; if (opts) memcpy(&given, opts, opts->size < sizeof given ? opts->size : sizeof given), opts = &given;",
                type);
        }
        put(brace + 1, " if (opts && vn__emptied(%d)) memset(&given.%s, 0, sizeof given.%s);", fields[k].number, fields[k].name,
            fields[k].name);
    }
}

static void switch_body(const source *s, size_t brace)
{
    head h;
    char value[1000];
    if (!read_head(s, brace, &h) || !strcmp(h.name, "main")) return;
    const bool pointer = h.type[strlen(h.type) - 1] == '*';
    if (!strcmp(h.type, "void")) *value = 0;
    else if (!strcmp(h.type, h.first_type)) strcpy(value, h.first);
    else if (!strcmp(h.type, "vn_array *") && !strcmp(h.first_type, "vn_array *const *")) snprintf(value, sizeof value, "%s[0]", h.first);
    else if (pointer) strcpy(value, "0");
    else snprintf(value, sizeof value, "(%s){0}", !strncmp(h.type, "const ", 6) ? h.type + 6 : h.type);
    printf("%d\t%s\t%ld\tbody\t%s\n", ++number, s->path, source_line(s, brace) - 1, h.name);
    put(brace + 1, " if (vn__emptied(%d)) return %s;", number, value);
    if (!strncmp(h.name, "vn_", 3)) switch_options(s, &h, brace);
}

/* ---- errors ---- */

static void switch_error(const source *s, size_t at, const char *function)
{
    static const char *const calls[] = {"vn__fail(", "vn__fail_in("};
    if (source_at(s, at, "FAIL(")) put(at, "if (vn__emptied(%d)) return 0; else ", ++number);
    else {
        size_t k = 0;
        while (k < 2 && !source_at(s, at, calls[k])) k++;
        if (k == 2) return;
        put(at, "(vn__emptied(%d) ? 0 : ", ++number);
        put(source_close(s, at + strlen(calls[k]) - 1) + 1, ")");
    }
    printf("%d\t%s\t%ld\terror\t%s\n", number, s->path, source_line(s, at), function);
}

/* Edits of one place stay in their order. */
static int by_place(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at ? 1 : x->order < y->order ? -1 : x->order > y->order;
}

static bool write_back(const source *s)
{
    FILE *f = fopen(s->path, "wb");
    size_t at = 0;
    if (!f) return false;
    qsort(edits, n_edits, sizeof *edits, by_place);
    fputs("int vn__emptied(int); ", f);
    for (size_t k = 0; k < n_edits; k++) {
        fwrite(s->text + at, 1, edits[k].at - at, f);
        fputs(edits[k].text, f);
        at = edits[k].at;
        free(edits[k].text);
    }
    fwrite(s->text + at, 1, s->n - at, f);
    n_edits = 0;
    return fclose(f) == 0;
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        source s;
        head h = {.name = "?"}, now;
        if (!strcmp(argv[k] + strlen(argv[k]) - 2, ".h")) {
            if (!fields_read(argv[k], &number)) return 2;
            continue;
        }
        if (!source_read(&s, argv[k])) return 2;
        for (size_t at = 1; at < s.n; at++) {
            if (!s.code[at]) continue;
            if (s.text[at] == '{' && s.text[at - 1] == '\n') {
                if (read_head(&s, at, &now)) h = now;
                switch_body(&s, at);
            } else if (s.text[at - 1] != ' ' || s.text[at] != '#') switch_error(&s, at, h.name);
        }
        if (!write_back(&s)) return fprintf(stderr, "%s: cannot be written\n", argv[k]), 2;
        free(s.text);
        free(s.code);
    }
    free(edits);
    free(fields);
    return fflush(stdout) != 0;
}
