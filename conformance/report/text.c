/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: growing strings, and escaping for HTML, JSON and Markdown. */
#include "inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int report_says(report_problem *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->text, sizeof p->text, format, args);
    va_end(args);
    return 1;
}

static bool grow(text *t, size_t more)
{
    if (t->failed) return false;
    if (t->room - t->size > more) return true;
    size_t room = t->room ? t->room : 256;
    while (room - t->size <= more && room <= SIZE_MAX / 2) room *= 2;
    char *data = room - t->size > more ? realloc(t->data, room) : NULL;
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->room = room;
    return true;
}

void text_put(text *t, const char *data, size_t size)
{
    if (!grow(t, size)) return;
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = 0;
}

void text_add(text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && grow(t, (size_t)n + 1)) {
        vsnprintf(t->data + t->size, (size_t)n + 1, format, again);
        t->size += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void text_free(text *t)
{
    free(t->data);
    *t = (text){0};
}

size_t utf8_count(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

void text_html(text *t, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '<': text_add(t, "&lt;"); break;
        case '>': text_add(t, "&gt;"); break;
        case '&': text_add(t, "&amp;"); break;
        case '"': text_add(t, "&quot;"); break;
        case '\'': text_add(t, "&#39;"); break;
        default: text_put(t, s, 1);
        }
    }
}

void text_markdown(text *t, const char *s)
{
    for (; *s; s++) {
        if (strchr("\n\r\t", *s)) text_put(t, " ", 1);
        else if (strchr("<>&|`*[]\\", *s)) text_add(t, "&#%d;", *s);
        else text_put(t, s, 1);
    }
}

/* "</script" and "<!--" are special inside a script element, and U+2028 and U+2029 were line ends in older JavaScript. */
void text_json(text *t, const char *s)
{
    text_put(t, "\"", 1);
    for (; *s; s++) {
        bool line = !strncmp(s, "\xe2\x80\xa8", 3) || !strncmp(s, "\xe2\x80\xa9", 3);
        char room[8];
        const char *escaped = vn__json_escape(*s, room);
        if (line) {
            text_add(t, "\\u202%c", s[2] == '\xa8' ? '8' : '9');
            s += 2;
        } else if (strchr("<>&", *s)) {
            text_add(t, "\\u%04x", (unsigned)*s);
        } else if (escaped) {
            text_add(t, "%s", escaped);
        } else {
            text_put(t, s, 1);
        }
    }
    text_put(t, "\"", 1);
}
