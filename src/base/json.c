/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: a strict, sequential JSON reader. Headers of safetensors files are read with it directly; json_value.c builds a tree of values,
 * for models and reports. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool vn__ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

const char *vn__json_escape(char c, char to[static 8])
{
    const unsigned char byte = (unsigned char)c;
    if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f) return NULL;
    snprintf(to, 8, byte == '"' || byte == '\\' ? "\\%c" : "\\u%04x", byte);
    return to;
}

bool vn__json_fails(vn__json *j, const char *problem, ...)
{
    va_list args;
    va_start(args, problem);
    if (!*j->problem) vsnprintf(j->problem, sizeof j->problem, problem, args);
    va_end(args);
    return false;
}

void vn__json_place(const vn__json *j, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < j->at; i++) {
        ++*column;
        if (j->text[i] == '\n') ++*line, *column = 1;
    }
}

static void skip_blanks(vn__json *j)
{
    while (j->at < j->size && memchr(" \t\n\r", j->text[j->at], 4)) j->at++;
}

bool vn__json_is(vn__json *j, char c)
{
    skip_blanks(j);
    return !*j->problem && j->at < j->size && j->text[j->at] == c;
}

bool vn__json_take(vn__json *j, char c)
{
    if (!vn__json_is(j, c)) return false;
    j->at++;
    return true;
}

bool vn__json_expect(vn__json *j, char c)
{
    if (vn__json_take(j, c)) return true;
    switch (c) {
    case '{': return vn__json_fails(j, "'{' was expected");
    case '}': return vn__json_fails(j, "',' or '}' was expected");
    case ']': return vn__json_fails(j, "',' or ']' was expected");
    case '[': return vn__json_fails(j, "'[' was expected");
    case ':': return vn__json_fails(j, "':' was expected");
    default: return vn__json_fails(j, "',' was expected");
    }
}

bool vn__json_word(vn__json *j, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(j);
    if (*j->problem || j->size - j->at < n || memcmp(j->text + j->at, word, n) != 0) return false;
    j->at += n;
    return true;
}

bool vn__json_end(vn__json *j)
{
    skip_blanks(j);
    if (j->at < j->size) vn__json_fails(j, "there is more text after the end");
    return !*j->problem;
}

/* ---- characters ---- */

size_t vn__utf8_length(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, and of the second */
        size_t length;
    } forms[] = {{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; n && i < sizeof forms / sizeof *forms; i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last) continue;
        if (forms[i].length > n || (forms[i].length > 1 && (s[1] < forms[i].low || s[1] > forms[i].high))) return 0;
        for (size_t k = 2; k < forms[i].length; k++) {
            if ((s[k] & 0xc0) != 0x80) return 0;
        }
        return forms[i].length;
    }
    return 0;
}

bool vn__is_utf8(const char *text)
{
    size_t n = strlen(text), at = 0, length = 1;
    while (at < n && (length = vn__utf8_length(text + at, n - at))) at += length;
    return at == n;
}

static bool hex4(vn__json *j, uint32_t *x)
{
    static const char digits[] = "0123456789abcdef";
    *x = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        char c = j->at < j->size ? j->text[j->at] : 0;
        const char *d = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
        if (!d) return vn__json_fails(j, "four hexadecimal digits were expected after \\u");
        *x = *x * 16 + (uint32_t)(d - digits);
    }
    return true;
}

/* What follows \u, as UTF-8. */
static bool escaped_character(vn__json *j)
{
    uint32_t c, low;
    if (!hex4(j, &c)) return false;
    if (!c) return vn__json_fails(j, "the character 0 is not allowed in a string");
    if (c >= 0xd800 && c <= 0xdfff) {
        bool pair = c < 0xdc00 && j->size - j->at > 2 && j->text[j->at] == '\\' && j->text[j->at + 1] == 'u';
        if (!pair) return vn__json_fails(j, "half a surrogate pair");
        j->at += 2;
        if (!hex4(j, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return vn__json_fails(j, "half a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0x00, 0xc0, 0xe0, 0xf0};
    j->room[j->used++] = (char)(first[more] | c >> 6 * more);
    while (more-- > 0) j->room[j->used++] = (char)(0x80 | (c >> 6 * more & 0x3f));
    return true;
}

static bool escape(vn__json *j)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = j->at < j->size ? j->text[j->at] : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (!known && c != 'u') return vn__json_fails(j, "no such escape");
    j->at++;
    if (!known) return escaped_character(j);
    j->room[j->used++] = to[known - from];
    return true;
}

/* Decoding never makes a string longer, and the quotes leave room for the terminating 0. */
char *vn__json_text(vn__json *j)
{
    if (!vn__json_take(j, '"')) return vn__json_fails(j, "a string was expected"), NULL;
    char *text = j->room + j->used;
    while (j->at < j->size && j->text[j->at] != '"') {
        unsigned char c = (unsigned char)j->text[j->at];
        if (c == '\\') {
            j->at++;
            if (!escape(j)) return NULL;
            continue;
        }
        size_t n = vn__utf8_length(j->text + j->at, j->size - j->at);
        if (c < 0x20) return vn__json_fails(j, "a control character in a string"), NULL;
        if (!n) return vn__json_fails(j, "this is not UTF-8"), NULL;
        memcpy(j->room + j->used, j->text + j->at, n);
        j->used += n;
        j->at += n;
    }
    if (j->at == j->size) return vn__json_fails(j, "a string has no end"), NULL;
    j->at++;
    j->room[j->used++] = 0;
    return text;
}

/* ---- numbers ---- */

static bool is_digit(const vn__json *j, size_t at)
{
    return at < j->size && j->text[at] >= '0' && j->text[at] <= '9';
}

bool vn__json_count(vn__json *j, uint64_t *n)
{
    skip_blanks(j);
    if (*j->problem || !is_digit(j, j->at)) return vn__json_fails(j, "a whole number, 0 or more, was expected");
    if (j->text[j->at] == '0' && is_digit(j, j->at + 1)) return vn__json_fails(j, "a number begins with 0");
    for (*n = 0; is_digit(j, j->at); j->at++) {
        if (*n > (INT64_MAX - 9) / 10) return vn__json_fails(j, "the number is too large");
        *n = *n * 10 + (uint64_t)(j->text[j->at] - '0');
    }
    if (j->at < j->size && memchr(".eE", j->text[j->at], 3)) return vn__json_fails(j, "a whole number was expected");
    return true;
}

/* Skips digits at `at`; there must be at least one. */
static bool pass_digits(const vn__json *j, size_t *at)
{
    size_t begin = *at;
    while (is_digit(j, *at)) ++*at;
    return *at > begin;
}

bool vn__json_number(vn__json *j, double *x)
{
    skip_blanks(j);
    size_t begin = j->at, first = begin + (begin < j->size && j->text[begin] == '-'), end = first;
    if (*j->problem || !pass_digits(j, &end)) return vn__json_fails(j, "a number was expected");
    if (j->text[first] == '0' && end > first + 1) return vn__json_fails(j, "a number begins with 0");
    bool good = true;
    if (end < j->size && j->text[end] == '.') end++, good = pass_digits(j, &end);
    if (good && end < j->size && (j->text[end] == 'e' || j->text[end] == 'E')) {
        end++;
        if (end < j->size && (j->text[end] == '+' || j->text[end] == '-')) end++;
        good = pass_digits(j, &end);
    }
    if (!good || !vn__number_parse(j->text + begin, end - begin, x)) return vn__json_fails(j, "not a number");
    j->at = end;
    return true;
}
