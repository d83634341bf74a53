/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c: compresses a report for the page. Object keys and repeated strings are written once: the result is
 *     {"texts": [...], "shapes": [[key, ...], ...], "value": packed}
 * where an object is [its shape, its packed values ...], a list [-1, packed values ...], a string "~n" if it is number n (base 36) of
 * the texts, otherwise the string itself ("~~..." if it begins with ~), and everything else unchanged. model.js unpacks it. */
#include "base/hash.h"
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 4 }; /* shortest string worth a reference */

/* ---- a hash table of strings ---- */
typedef struct entry {
    const char *key;
    size_t size;
    int count, index; /* occurrences; its number, -1 before it has one */
} entry;

typedef struct names {
    entry *entries;
    size_t room, used; /* room is a power of two */
    bool failed;
} names;

static size_t hash(const char *s, size_t n)
{
    const uint64_t h = vn__hash_bytes(VN__HASH, s, n);
    return (size_t)(h ^ h >> 32);
}

static entry *slot(const names *x, const char *key, size_t size)
{
    size_t at = hash(key, size) & (x->room - 1);
    while (x->entries[at].key && (x->entries[at].size != size || memcmp(x->entries[at].key, key, size))) at = (at + 1) & (x->room - 1);
    return &x->entries[at];
}

static bool widen(names *x)
{
    names wide = {.room = x->room ? 2 * x->room : 1024, .used = x->used};
    wide.entries = calloc(wide.room, sizeof *wide.entries);
    if (!wide.entries) return false;
    for (size_t i = 0; i < x->room; i++) {
        if (x->entries[i].key) *slot(&wide, x->entries[i].key, x->entries[i].size) = x->entries[i];
    }
    free(x->entries);
    *x = wide;
    return true;
}

/* The entry of a string, created if new; the bytes must stay valid. NULL: out of memory. */
static entry *look_up(names *x, const char *key, size_t size)
{
    if (x->failed || (2 * (x->used + 1) > x->room && !widen(x))) return x->failed = true, NULL;
    entry *e = slot(x, key, size);
    if (!e->key) {
        *e = (entry){key, size, 0, -1};
        x->used++;
    }
    return e;
}

/* ---- packing ---- */
/* Strings point into the report; the keys of `shapes` are created here and freed at the end. */
typedef struct packer {
    names texts, shapes;
    text text_list, shape_list;
    int n_texts, n_shapes;
} packer;

static void count_texts(packer *k, const json *v)
{
    if (v->kind == VN__JSON_TEXT && v->size >= SHORTEST) {
        entry *e = look_up(&k->texts, v->text, v->size);
        if (e) e->count++;
    }
    for (const json *item = v->first; item; item = item->next) count_texts(k, item);
}

/* The number of an object's list of keys. */
static int shape_of(packer *k, const json *object)
{
    text keys = {0};
    for (const json *v = object->first; v; v = v->next) {
        if (keys.size) text_put(&keys, ",", 1);
        text_json(&keys, v->key);
    }
    if (!keys.data) text_put(&keys, "", 0);
    entry *e = keys.failed ? NULL : look_up(&k->shapes, keys.data, keys.size);
    if (!e) return text_free(&keys), 0;
    if (e->index >= 0) return text_free(&keys), e->index;
    text_add(&k->shape_list, "%s[%s]", k->n_shapes ? "," : "", keys.data);
    e->index = k->n_shapes++; /* the entry keeps the bytes */
    return e->index;
}

static void put_reference(text *t, int n)
{
    char digits[16];
    int at = sizeof digits;
    do digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36];
    while (n /= 36);
    text_add(t, "\"~%.*s\"", (int)sizeof digits - at, digits + at);
}

static void put_text(packer *k, text *t, const json *v)
{
    entry *e = v->size >= SHORTEST ? look_up(&k->texts, v->text, v->size) : NULL;
    if (e && e->count > 1) {
        if (e->index < 0) {
            if (k->n_texts) text_put(&k->text_list, ",", 1);
            text_json(&k->text_list, v->text);
            e->index = k->n_texts++;
        }
        put_reference(t, e->index);
        return;
    }
    size_t begin = t->size;
    text_json(t, v->text);
    if (*v->text != '~' || t->failed) return;
    text_put(t, "~", 1); /* makes room; the text is moved behind a second ~ */
    memmove(t->data + begin + 2, t->data + begin + 1, t->size - begin - 2);
    t->data[begin + 1] = '~';
}

static void pack(packer *k, text *t, const json *v)
{
    switch (v->kind) {
    case VN__JSON_NULL: text_put(t, "null", 4); return;
    case VN__JSON_BOOL: text_add(t, v->number != 0 ? "true" : "false"); return;
    case VN__JSON_NUMBER: text_put(t, v->text, v->size); return;
    case VN__JSON_TEXT: put_text(k, t, v); return;
    case VN__JSON_LIST: text_put(t, "[-1", 3); break;
    case VN__JSON_OBJECT: text_add(t, "[%d", shape_of(k, v)); break;
    }
    for (const json *item = v->first; item; item = item->next) {
        text_put(t, ",", 1);
        pack(k, t, item);
    }
    text_put(t, "]", 1);
}

void pack_json(text *t, const json *root)
{
    packer k = {0};
    text value = {0};
    count_texts(&k, root);
    pack(&k, &value, root);
    t->failed |= k.texts.failed || k.shapes.failed || value.failed || k.text_list.failed || k.shape_list.failed;
    text_add(t, "{\"texts\":[%s],\"shapes\":[%s],\"value\":", k.n_texts ? k.text_list.data : "", k.n_shapes ? k.shape_list.data : "");
    if (!t->failed) text_put(t, value.data, value.size);
    text_put(t, "}", 1);
    for (size_t i = 0; i < k.shapes.room; i++) free((char *)(uintptr_t)k.shapes.entries[i].key);
    free(k.shapes.entries);
    free(k.texts.entries);
    text_free(&k.text_list);
    text_free(&k.shape_list);
    text_free(&value);
}
