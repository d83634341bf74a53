/* SPDX-License-Identifier: Apache-2.0 */
/* print.c: aligned tables and JSON strings, for the commands that list things. */
#include "command.h"

#include "base/base.h"
#include "base/minmax.h"

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

/* Makes room for one more row. */
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

/* The characters of a text, each of which takes a column of a terminal in most scripts. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80; /* not those that continue one, in UTF-8 */
    return n;
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
        t->widths[c] = vn__max(width_of(row[c]), t->widths[c]);
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
            if (c + 1 < t->columns) printf("%s%*s  ", text, t->widths[c] - width_of(text), "");
            else puts(text);
        }
}

void table_free(table *t)
{
    for (int i = 0; t && i < t->rows * t->columns; i++) free(t->cells[i]);
    if (t) free(t->cells);
    free(t);
}

void print_json(const char *text)
{
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (size_t left = strlen(text), n; left; left -= n ? n : 1, text += n ? n : 1) {
        n = vn__utf8_length(text, left);
        char room[8];
        const char *escaped = n ? vn__json_escape(*text, room) : "\\ufffd";
        if (escaped) fputs(escaped, stdout);
        else fwrite(text, 1, n, stdout);
    }
    putchar('"');
}
