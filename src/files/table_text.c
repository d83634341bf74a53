/* SPDX-License-Identifier: Apache-2.0 */
/* table_text.c: the different texts of a column, numbered: a hash table while the column is read, then a sorted list. */
#include "files/table.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>

typedef struct {
    char *text; /* terminated */
    size_t n;
    uint64_t hash;
    int32_t code; /* its number, in the order of the rows */
} entry;

struct vn__classes {
    entry *entries;
    int32_t n, capacity;
    int32_t *slots; /* numbers of entries, -1: free; a power of two of them */
    size_t n_slots;
    size_t bytes; /* of all texts, with their ends */
    char *room;   /* for the text of a field */
    size_t room_size;
    uint64_t seed;
};

/* FNV-1a, begun at an address, which the writer of a file does not know. */
static uint64_t hash_of(uint64_t seed, const char *text, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

static int resize_slots(vn__classes *c, size_t n, const char *who)
{
    int32_t *slots = vn__alloc(n * sizeof *slots);
    if (!slots) return vn__no_memory(who);
    memset(slots, 0xff, n * sizeof *slots);
    for (int32_t i = 0; i < c->n; i++) {
        size_t at = c->entries[i].hash & (n - 1);
        while (slots[at] >= 0) at = (at + 1) & (n - 1);
        slots[at] = i;
    }
    vn__free(c->slots);
    c->slots = slots, c->n_slots = n;
    return VN_OK;
}

vn__classes *vn__classes_new(const char *who)
{
    vn__classes *c = vn__calloc(sizeof *c);
    if (!c) return vn__no_memory(who), NULL;
    c->seed = (uint64_t)(uintptr_t)c * UINT64_C(0x9e3779b97f4a7c15);
    if (!resize_slots(c, 64, who)) return c;
    vn__classes_free(c);
    return NULL;
}

void vn__classes_free(vn__classes *c)
{
    if (!c) return;
    for (int32_t i = 0; i < c->n; i++) vn__free(c->entries[i].text);
    vn__free(c->entries);
    vn__free(c->slots);
    vn__free(c->room);
    vn__free(c);
}

static int add_entry(vn__classes *c, const char *text, size_t n, uint64_t hash, const char *who)
{
    if (c->n == INT32_MAX) /* GCOV_EXCL_BR_LINE: so many texts take 100 GiB */
        return vn__fail(VN_E_FORMAT, "%s: more than %d different texts in a column", who, INT32_MAX);
    if (c->n == c->capacity) {
        const int32_t capacity = c->capacity > INT32_MAX / 2 ? INT32_MAX : vn__max(c->capacity * 2, 16); /* GCOV_EXCL_BR_LINE: as above */
        entry *grown = vn__grow(c->entries, (size_t)c->n * sizeof *grown, (size_t)capacity * sizeof *grown);
        if (!grown) return vn__no_memory(who);
        c->entries = grown, c->capacity = capacity;
    }
    char *copy = vn__alloc(n + 1);
    if (!copy) return vn__no_memory(who);
    if (n) memcpy(copy, text, n);
    copy[n] = 0;
    c->entries[c->n] = (entry){copy, n, hash, c->n};
    c->n++, c->bytes += n + 1;
    return (size_t)c->n * 2 > c->n_slots ? resize_slots(c, c->n_slots * 2, who) : VN_OK;
}

int vn__classes_put(vn__classes *c, const char *text, size_t n, const char *who, int32_t *code)
{
    uint64_t hash = hash_of(c->seed, text, n);
    size_t at = hash & (c->n_slots - 1);
    for (; c->slots[at] >= 0; at = (at + 1) & (c->n_slots - 1)) {
        const entry *e = &c->entries[c->slots[at]];
        if (e->n == n && !memcmp(e->text, text, n)) return *code = c->slots[at], VN_OK;
    }
    *code = -1;
    for (size_t i = 0, step; i < n; i += step) {
        step = vn__utf8_length(text + i, n - i);
        if (!step) return VN_OK;
    }
    *code = c->n;
    c->slots[at] = c->n; /* a table that grows is filled again */
    int failed = add_entry(c, text, n, hash, who);
    if (failed && c->n == *code) c->slots[at] = -1;
    return failed;
}

int vn__classes_add(vn__classes *c, const vn__fields *r, const vn__field *f, int32_t *code)
{
    const char *text = f->at, *who = r->f->who;
    size_t n = f->n;
    if (f->doubled) {
        if (c->room_size < n) {
            vn__free(c->room);
            c->room_size = 0;
            if (!(c->room = vn__alloc(2 * n))) return vn__no_memory(who);
            c->room_size = 2 * n;
        }
        n = vn__field_text(f, c->room), text = c->room;
    }
    const int failed = vn__classes_put(c, text, n, who, code);
    if (failed || *code >= 0) return failed;
    return vn__field_bad(r, f, "text that is not UTF-8; convert the file, for example with iconv -f LATIN1 -t UTF-8");
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    size_t n = vn__min(x->n, y->n);
    int order = memcmp(x->text, y->text, n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

int vn__classes_finish(vn__classes *c, vn_column *to, int32_t *codes, int64_t rows, const char *who)
{
    size_t n = (size_t)c->n;
    int32_t *place = vn__alloc((n + 1) * sizeof *place);
    const char **list = place ? vn__scope_memory((n + 1) * sizeof *list + c->bytes, who) : NULL;
    if (!list) return vn__free(place), place ? (int)vn_status() : vn__no_memory(who);
    char *text = (char *)(list + n + 1);
    if (n) qsort(c->entries, n, sizeof *c->entries, compare);
    for (size_t i = 0; i < n; i++) {
        memcpy(text, c->entries[i].text, c->entries[i].n + 1);
        list[i] = text;
        text += c->entries[i].n + 1;
        place[c->entries[i].code] = (int32_t)i;
    }
    list[n] = NULL;
    for (int64_t i = 0; i < rows; i++)
        if (codes[i] >= 0) codes[i] = place[codes[i]];
    vn__free(place);
    to->classes = list, to->n_classes = c->n, to->codes = codes;
    return VN_OK;
}
