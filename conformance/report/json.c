/* json.c: a JSON text as a tree of values. Accepts nothing that is not JSON, no key twice, no more than DEEPEST values in each other.
 * The library's own reader (src/files/json.c) goes forward through a header and is hidden inside the shared library. */
#include "inside.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, BLOCK = 512 };

/* Values come in blocks, which hang on the root. */
typedef struct block {
    struct block *next;
    int used;
    json values[BLOCK];
} block;

typedef struct reader {
    char *text;
    size_t at, size;
    size_t line, begin; /* lines before this one, and where it begins: strings are decoded in place, so one cannot look back */
    const char *name;
    report_problem *p;
    block *blocks;
    locale_t plain;
} reader;

static bool fails(reader *r, const char *what)
{
    report_says(r->p, "%s:%zu:%zu: %s", r->name, r->line + 1, r->at - r->begin + 1, what);
    return false;
}

static json *new_value(reader *r, json_kind kind)
{
    if (!r->blocks || r->blocks->used == BLOCK) {
        block *b = calloc(1, sizeof *b);
        if (!b) return fails(r, "out of memory"), NULL;
        b->next = r->blocks;
        r->blocks = b;
    }
    json *v = &r->blocks->values[r->blocks->used++];
    v->kind = kind;
    v->number = NAN;
    return v;
}

static void free_blocks(block *b)
{
    while (b) {
        block *next = b->next;
        free(b);
        b = next;
    }
}

static char peek(reader *r)
{
    for (; r->at < r->size && memchr(" \t\n\r", r->text[r->at], 4); r->at++) {
        if (r->text[r->at] != '\n') continue;
        r->line++;
        r->begin = r->at + 1;
    }
    return r->at < r->size ? r->text[r->at] : 0;
}

static bool take(reader *r, char c)
{
    if (peek(r) != c) return false;
    r->at++;
    return true;
}

/* ---- strings ---- */

/* How many of the n bytes are one UTF-8 character; 0: none are. */
static size_t utf8_length(const char *bytes, size_t n)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (!length || length > n) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool no_character = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || no_character ? 0 : length;
}

static bool hex4(reader *r, uint32_t *x)
{
    *x = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = r->at < r->size ? r->text[r->at] : 0;
        uint32_t digit = c >= '0' && c <= '9'                 ? (uint32_t)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint32_t)((c | 32) - 'a' + 10)
                                                              : 16;
        if (digit == 16) return fails(r, "four hexadecimal digits were expected after \\u");
        *x = *x * 16 + digit;
    }
    return true;
}

/* What follows \u, as UTF-8, which is never longer than the escape was. */
static bool unicode(reader *r, char **to)
{
    uint32_t c, low;
    if (!hex4(r, &c)) return false;
    if (!c) return fails(r, "the character 0 cannot stand in a text");
    if (c >= 0xd800 && c <= 0xdfff) {
        bool pair = c < 0xdc00 && r->size - r->at > 2 && r->text[r->at] == '\\' && r->text[r->at + 1] == 'u';
        if (!pair) return fails(r, "half a surrogate pair");
        r->at += 2;
        if (!hex4(r, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return fails(r, "half a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0x00, 0xc0, 0xe0, 0xf0};
    *(*to)++ = (char)(first[more] | c >> 6 * more);
    while (more-- > 0) *(*to)++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    return true;
}

static bool escape(reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->size ? r->text[r->at] : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (!known && c != 'u') return fails(r, "no such escape");
    r->at++;
    if (!known) return unicode(r, to);
    *(*to)++ = into[known - from];
    return true;
}

/* A string, decoded where it stands. */
static const char *string(reader *r, size_t *size)
{
    if (!take(r, '"')) return fails(r, "a string was expected"), NULL;
    char *begin = r->text + r->at, *to = begin;
    while (r->at < r->size && r->text[r->at] != '"') {
        unsigned char c = (unsigned char)r->text[r->at];
        if (c < 0x20) return fails(r, "a control character stands in a string"), NULL;
        if (c == '\\') {
            r->at++;
            if (!escape(r, &to)) return NULL;
            continue;
        }
        size_t n = utf8_length(r->text + r->at, r->size - r->at);
        if (!n) return fails(r, "this is not UTF-8"), NULL;
        memmove(to, r->text + r->at, n);
        to += n;
        r->at += n;
    }
    if (r->at == r->size) return fails(r, "a string has no end"), NULL;
    r->at++;
    *to = 0; /* at the closing quote or before it */
    *size = (size_t)(to - begin);
    return begin;
}

/* ---- values ---- */

static size_t digits(const reader *r, size_t at)
{
    size_t n = 0;
    while (at + n < r->size && r->text[at + n] >= '0' && r->text[at + n] <= '9') n++;
    return n;
}

static json *number(reader *r)
{
    size_t at = r->at + (r->text[r->at] == '-'), whole = digits(r, at);
    if (!whole || (whole > 1 && r->text[at] == '0')) return fails(r, "a value was expected"), NULL;
    at += whole;
    if (at < r->size && r->text[at] == '.') {
        size_t n = digits(r, at + 1);
        if (!n) return fails(r, "this is no number"), NULL;
        at += 1 + n;
    }
    if (at < r->size && (r->text[at] | 32) == 'e') {
        at++;
        if (at < r->size && (r->text[at] == '+' || r->text[at] == '-')) at++;
        size_t n = digits(r, at);
        if (!n) return fails(r, "this is no number"), NULL;
        at += n;
    }
    json *v = new_value(r, JSON_NUMBER);
    if (!v) return NULL;
    v->text = r->text + r->at;
    v->size = at - r->at;
    v->number = strtod_l(v->text, NULL, r->plain); /* what follows a number ends it; the text ends with 0 */
    r->at = at;
    return v;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool no_key_twice(reader *r, const json *object)
{
    if (object->count < 2) return true;
    const char **keys = malloc((size_t)object->count * sizeof *keys), *twice = NULL;
    if (!keys) return fails(r, "out of memory");
    int n = 0;
    for (const json *v = object->first; v; v = v->next) keys[n++] = v->key;
    qsort(keys, (size_t)n, sizeof *keys, by_text);
    for (int i = 1; i < n && !twice; i++) twice = strcmp(keys[i - 1], keys[i]) ? NULL : keys[i];
    char what[192];
    if (twice) snprintf(what, sizeof what, "the key \"%.80s\" stands twice in the object that ends here", twice);
    free(keys);
    return !twice || fails(r, what);
}

static json *value(reader *r, int depth);

static bool inside(reader *r, json *v, int depth)
{
    bool object = v->kind == JSON_OBJECT;
    char end = object ? '}' : ']';
    json **last = &v->first;
    r->at++;
    if (take(r, end)) return true;
    do {
        const char *key = NULL;
        size_t size;
        if (object && !(key = string(r, &size))) return false;
        if (object && !take(r, ':')) return fails(r, "':' was expected");
        json *item = value(r, depth);
        if (!item) return false;
        item->key = key;
        *last = item;
        last = &item->next;
        v->count++;
    } while (take(r, ','));
    if (!take(r, end)) return fails(r, object ? "',' or '}' was expected" : "',' or ']' was expected");
    return !object || no_key_twice(r, v);
}

static bool word(reader *r, const char *w)
{
    size_t n = strlen(w);
    if (r->size - r->at < n || memcmp(r->text + r->at, w, n)) return false;
    r->at += n;
    return true;
}

static json *value(reader *r, int depth)
{
    char c = peek(r);
    if (depth == DEEPEST) return fails(r, "too many lists and objects in each other"), NULL;
    if (c == '{' || c == '[') {
        json *v = new_value(r, c == '{' ? JSON_OBJECT : JSON_LIST);
        return v && inside(r, v, depth + 1) ? v : NULL;
    }
    if (c == '"') {
        size_t size;
        const char *s = string(r, &size);
        json *v = s ? new_value(r, JSON_TEXT) : NULL;
        if (v) v->text = s, v->size = size;
        return v;
    }
    if (c == '-' || (c >= '0' && c <= '9')) return number(r);
    if (word(r, "null")) return new_value(r, JSON_NULL);
    bool yes = word(r, "true");
    if (!yes && !word(r, "false")) return fails(r, r->at == r->size ? "the text ends too early" : "a value was expected"), NULL;
    json *v = new_value(r, JSON_BOOL);
    if (v) v->truth = yes;
    return v;
}

/* The root is kept in a place of its own, beside the blocks that hold everything below it. */
typedef struct owner {
    json root;
    block *blocks;
} owner;

json *json_parse(char *data, size_t size, const char *name, report_problem *p)
{
    reader r = {.text = data, .size = size, .name = name, .p = p, .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    owner *o = calloc(1, sizeof *o);
    json *v = NULL;
    if (!o || !r.plain) report_says(p, "%s: out of memory", name);
    else v = value(&r, 0);
    if (v && peek(&r)) v = fails(&r, "there is more text after the end") ? v : NULL;
    else if (v && r.at < r.size) v = fails(&r, "a 0 stands in the text") ? v : NULL;
    if (r.plain) freelocale(r.plain);
    if (v) {
        o->root = *v;
        o->blocks = r.blocks;
        return &o->root;
    }
    free_blocks(r.blocks);
    free(o);
    return NULL;
}

void json_free(json *root)
{
    owner *o = (owner *)(void *)root; /* the root is its first member */
    if (!o) return;
    free_blocks(o->blocks);
    free(o);
}

const json *json_at(const json *object, const char *key)
{
    const json *v = object && object->kind == JSON_OBJECT ? object->first : NULL;
    while (v && strcmp(v->key, key)) v = v->next;
    return v && v->kind != JSON_NULL ? v : NULL;
}

const char *json_kind_name(const json *value)
{
    static const char *const names[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
    return names[value->kind];
}
