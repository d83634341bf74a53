/* print.c: aligned tables and JSON strings, for the commands that list things. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

struct table {
    int columns, rows, capacity;
    char **cells; /* rows * columns */
    int widths[]; /* of the columns */
};

table *table_new(int columns)
{
    table *t = calloc(1, sizeof *t + (size_t)columns * sizeof *t->widths);
    if (t) t->columns = columns;
    return t;
}

/* Room for one more row. */
static int grow(table *t)
{
    if (t->rows < t->capacity) return 1;
    int capacity = t->capacity ? 2 * t->capacity : 16;
    char **cells = realloc(t->cells, (size_t)capacity * (size_t)t->columns * sizeof *cells);
    if (!cells) return 0;
    t->cells = cells;
    t->capacity = capacity;
    return 1;
}

int table_row(table *t, const char *const *cells)
{
    if (!t || !grow(t)) return complain("out of memory");
    char **row = t->cells + (size_t)t->rows * (size_t)t->columns;
    for (int c = 0; c < t->columns; c++) {
        row[c] = strdup(cells[c] ? cells[c] : "-");
        if (row[c]) continue;
        while (c > 0) free(row[--c]);
        return complain("out of memory");
    }
    for (int c = 0; c < t->columns; c++) {
        int n = (int)strlen(row[c]);
        t->widths[c] = n > t->widths[c] ? n : t->widths[c];
    }
    t->rows++;
    return 0;
}

int table_rows(const table *t)
{
    return t ? t->rows : 0;
}

void table_print(const table *t)
{
    for (int r = 0; r < table_rows(t); r++)
        for (int c = 0; c < t->columns; c++) {
            const char *text = t->cells[(size_t)r * (size_t)t->columns + (size_t)c];
            if (c + 1 < t->columns) printf("%-*s  ", t->widths[c], text);
            else puts(text);
        }
}

void table_free(table *t)
{
    for (int i = 0; t && i < t->rows * t->columns; i++) free(t->cells[i]);
    if (t) free(t->cells);
    free(t);
}

/* How many bytes the UTF-8 character at s has, 0 when there is none (overlong forms, surrogates and values past U+10FFFF count as none). */
static int utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high; /* range of the first byte, and of the second */
        int length;
    } forms[] = {{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last) continue;
        if (forms[i].length > 1 && (s[1] < forms[i].low || s[1] > forms[i].high)) return 0;
        for (int k = 2; k < forms[i].length; k++)
            if ((s[k] & 0xc0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

int is_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    for (int n; *s; s += n) {
        n = utf8_length(s);
        if (!n) return 0;
    }
    return 1;
}

void print_json(const char *text)
{
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        if (!n) fputs("\\ufffd", stdout);
        else if (*s == '"' || *s == '\\') printf("\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f) printf("\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, stdout);
        s += n ? n : 1;
    }
    putchar('"');
}
