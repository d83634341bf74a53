/* SPDX-License-Identifier: Apache-2.0 */
/* json_value.c: a JSON text as a tree of values. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    vn__json *json;
    const vn__json_limits *limits;
    int depth, values;
} reader;

static vn__json_value *read_value(reader *r);

/* A value that begins here. */
static vn__json_value *new_value(reader *r, vn__json_kind kind)
{
    vn__json *j = r->json;
    if (r->values++ == r->limits->max_values) return vn__json_fails(j, "there are more than %d values", r->limits->max_values), NULL;
    vn__json_value *x = r->limits->allocate(sizeof *x, r->limits->user);
    if (x) *x = (vn__json_value){.kind = kind, .at = j->at};
    return x;
}

/* By key; equal keys in order of appearance. */
static int by_key(const void *a, const void *b)
{
    const vn__json_value *x = *(vn__json_value *const *)a, *y = *(vn__json_value *const *)b;
    int c = strcmp(x->key, y->key);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

/* Sorting keeps the check for duplicates fast for many keys. */
static bool no_key_twice(reader *r, const vn__json_value *object)
{
    vn__json *j = r->json;
    if (object->n < 2) return true;
    const vn__json_value **sorted = r->limits->allocate((size_t)object->n * sizeof *sorted, r->limits->user), *twice = NULL;
    if (!sorted) return false;
    int n = 0;
    for (const vn__json_value *x = object->first; x; x = x->next) sorted[n++] = x;
    qsort(sorted, (size_t)n, sizeof *sorted, by_key);
    for (int i = 1; i < n; i++) {
        if (!strcmp(sorted[i - 1]->key, sorted[i]->key) && (!twice || sorted[i]->at < twice->at)) twice = sorted[i];
    }
    if (!twice) return true;
    j->at = twice->at;
    return vn__json_fails(j, "the key \"%.80s\" occurs twice in its object", twice->key);
}

/* The values inside a list or object whose opening bracket has been consumed. */
static bool read_inside(reader *r, vn__json_value *x)
{
    vn__json *j = r->json;
    bool object = x->kind == VN__JSON_OBJECT;
    char end = object ? '}' : ']';
    vn__json_value **last = &x->first;
    if (vn__json_take(j, end)) return true;
    do {
        const char *key = NULL;
        size_t at = 0;
        if (object) {
            vn__json_is(j, '"'); /* skips white space */
            at = j->at;
            if (!(key = vn__json_text(j)) || !vn__json_expect(j, ':')) return false;
        }
        vn__json_value *item = read_value(r);
        if (!item) return false;
        if (object) item->key = key, item->at = at;
        *last = item;
        last = &item->next;
        x->n++;
    } while (vn__json_take(j, ','));
    return vn__json_expect(j, end) && (!object || no_key_twice(r, x));
}

static vn__json_value *read_brackets(reader *r, vn__json_kind kind)
{
    vn__json_value *x = new_value(r, kind);
    if (!x) return NULL;
    if (r->depth++ == r->limits->max_depth)
        return vn__json_fails(r->json, "brackets are nested more than %d deep", r->limits->max_depth), NULL;
    r->json->at++;
    bool good = read_inside(r, x);
    r->depth--;
    return good ? x : NULL;
}

static vn__json_value *read_text(reader *r)
{
    vn__json_value *x = new_value(r, VN__JSON_TEXT);
    if (!x || !(x->text = vn__json_text(r->json))) return NULL;
    x->size = (size_t)(r->json->room + r->json->used - 1 - x->text);
    return x;
}

static vn__json_value *read_number(reader *r)
{
    vn__json *j = r->json;
    vn__json_value *x = new_value(r, VN__JSON_NUMBER);
    if (!x || !vn__json_number(j, &x->number)) return NULL;
    x->text = j->text + x->at;
    x->size = j->at - x->at;
    return x;
}

static vn__json_value *read_value(reader *r)
{
    vn__json *j = r->json;
    if (vn__json_is(j, '{')) return read_brackets(r, VN__JSON_OBJECT);
    if (vn__json_is(j, '[')) return read_brackets(r, VN__JSON_LIST);
    if (vn__json_is(j, '"')) return read_text(r);
    if (j->at < j->size && memchr("-0123456789", j->text[j->at], 11)) return read_number(r);
    static const struct {
        const char *word;
        vn__json_kind kind;
        double number;
    } words[] = {{"null", VN__JSON_NULL, 0}, {"true", VN__JSON_BOOL, 1}, {"false", VN__JSON_BOOL, 0}};
    for (size_t i = 0, at = j->at; i < sizeof words / sizeof *words; i++) {
        if (!vn__json_word(j, words[i].word)) continue;
        vn__json_value *x = new_value(r, words[i].kind);
        if (x) x->number = words[i].number, x->at = at;
        return x;
    }
    return vn__json_fails(j, j->at == j->size ? "the text ends too early" : "a value was expected"), NULL;
}

vn__json_value *vn__json_read(vn__json *j, const vn__json_limits *limits)
{
    reader r = {.json = j, .limits = limits};
    vn__json_value *x = read_value(&r);
    return x && vn__json_end(j) ? x : NULL;
}

const vn__json_value *vn__json_find(const vn__json_value *object, const char *key)
{
    const vn__json_value *x = object && object->kind == VN__JSON_OBJECT ? object->first : NULL;
    while (x && strcmp(x->key, key) != 0) x = x->next;
    return x;
}

const char *vn__json_kind_name(const vn__json_value *x)
{
    static const char *const names[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
    return names[x->kind];
}
