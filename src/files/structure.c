/* SPDX-License-Identifier: Apache-2.0 */
/* structure.c: the structure of a tree as JSON, for what array names cannot express. A tree is an object, or for insertion order a
 * list of alternating keys and values; an array is "array", or "complex128" if its bytes are pairs of float64; a number is a number, "nan",
 * "inf" or "-inf"; null is null. */
#include "files/files.h"
#include "core/memory.h"
#include <string.h>
#include <math.h>

void vn__print_json(vn__text *t, const char *text)
{
    vn__print(t, "\"");
    while (*text) {
        char escaped[8];
        int plain = 0;
        while (text[plain] && !vn__json_escape(text[plain], escaped) && plain < INT32_MAX) plain++; /* GCOV_EXCL_BR_LINE: more is 2 GiB */
        vn__print(t, "%.*s", plain, text);
        text += plain;
        if (*text) vn__print(t, "%s", vn__json_escape(*text++, escaped));
    }
    vn__print(t, "\"");
}

static void print_number(vn__text *to, double x)
{
    char text[32];
    if (isfinite(x)) vn__number_print(x, text);
    else snprintf(text, sizeof text, "\"%s\"", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    vn__print(to, "%s", text);
}

/* The tree's depth has been checked. */
static void print_tree(const vn_tree *t, vn__text *to, bool *needed)
{
    const vn__tree *b = vn__tree_of(t);
    *needed |= b->insertion;
    vn__print(to, b->insertion ? "[" : "{");
    for (size_t i = 0; i < b->n; i++) {
        vn_value v = b->items[i].value;
        bool pairs = vn__is_array(v) && vn_dtype_of(v.u.array) == VN_C128;
        if (i) vn__print(to, ",");
        vn__print_json(to, b->items[i].key);
        vn__print(to, b->insertion ? "," : ":");
        *needed |= pairs || v.kind == VN_V_NUMBER || v.kind == VN_V_NULL || (vn__is_tree(v) && !vn__tree_of(v.u.tree)->n);
        if (vn__is_tree(v)) print_tree(v.u.tree, to, needed);
        else if (v.kind == VN_V_NUMBER) print_number(to, v.u.number);
        else vn__print(to, v.kind == VN_V_NULL ? "null" : pairs ? "\"complex128\"" : "\"array\"");
    }
    vn__print(to, b->insertion ? "]" : "}");
}

void vn__structure_print(const vn_tree *t, vn__text *to, bool *needed)
{
    *needed = false;
    print_tree(t, to, needed);
}

/* ---- reading ---- */

typedef struct {
    vn__catalog *catalog;
    vn__json json;
    vn__text path; /* names, joined by '.' */
    int depth, entries;
} reader;

static vn_value read_value(reader *r);

static bool no_key(const char *key)
{
    return !*key || strlen(key) > VN__TREE_KEY || strpbrk(key, "/.");
}

/* A tree whose opening bracket has been consumed. */
static vn_tree *read_tree(reader *r, bool insertion)
{
    vn__json *j = &r->json;
    const char *who = r->catalog->file->who, end = insertion ? ']' : '}';
    vn_tree *t = vn__tree_like(NULL, who);
    if (!t) return NULL;
    vn__tree_of(t)->insertion = insertion;
    if (r->depth++ == VN__TREE_DEPTH) return vn__json_fails(j, "the tree is too deep"), NULL;
    while (!vn__json_is(j, end) || vn__tree_of(t)->n) {
        const char *key = vn__json_text(j);
        if (!key || !vn__json_expect(j, insertion ? ',' : ':')) return NULL;
        if (no_key(key)) return vn__json_fails(j, "this key is none of a tree"), NULL;
        if (r->entries++ == VN__FILE_ENTRIES) return vn__json_fails(j, "there are more than %d entries", VN__FILE_ENTRIES), NULL;
        size_t before = r->path.size;
        vn__print(&r->path, "%s%s", before ? "." : "", key);
        vn_value v = r->path.failed ? (vn__no_memory(who), vn__nothing()) : read_value(r);
        if (vn__none(v) || vn__body_append(vn__tree_of(t), key, v, who)) return NULL;
        vn__path_pop(&r->path, before);
        if (!vn__json_take(j, ',')) break;
    }
    r->depth--;
    if (!vn__json_expect(j, end)) return NULL;
    return vn__body_order(vn__tree_of(t)) ? t : (vn__json_fails(j, "a key occurs twice in the tree that ends here"), NULL);
}

/* The arrays of the catalog are sorted by name. */
static vn__stored *find(const vn__catalog *x, const char *name)
{
    int low = 0, high = x->n;
    while (low < high) {
        int mid = (low + high) / 2, c = strcmp(name, x->arrays[mid].name);
        if (!c) return &x->arrays[mid];
        if (c < 0) high = mid;
        else low = mid + 1;
    }
    return NULL;
}

static vn_value read_array(reader *r, bool pairs)
{
    vn__stored *s = find(r->catalog, r->path.text);
    if (!s) return vn__json_fails(&r->json, "it names an array that is not there"), vn__nothing();
    s->used = true;
    if (pairs) {
        if (s->dtype != VN_F64 || !s->shape.rank || s->shape.dim[s->shape.rank - 1] != 2)
            return vn__json_fails(&r->json, "a complex array is not stored as pairs of float64"), vn__nothing();
        s->dtype = VN_C128;
        s->shape.rank--;
    }
    vn_array *x = vn__stored_array(r->catalog, s);
    return x ? vn_value_array(x) : vn__nothing();
}

static vn_value read_value(reader *r)
{
    vn__json *j = &r->json;
    double x = NAN;
    if (vn__json_is(j, '{') || vn__json_is(j, '[')) {
        bool insertion = vn__json_take(j, '[');
        if (!insertion) vn__json_take(j, '{');
        vn_tree *t = read_tree(r, insertion);
        return t ? vn_value_tree(t) : vn__nothing();
    }
    if (vn__json_word(j, "null")) return vn_value_null();
    if (!vn__json_is(j, '"')) return vn__json_number(j, &x) ? vn_value_number(x) : vn__nothing();
    const char *word = vn__json_text(j);
    if (!word) return vn__nothing();
    if (!strcmp(word, "array") || !strcmp(word, "complex128")) return read_array(r, *word == 'c');
    bool number = !strcmp(word, "nan") || !strcmp(word, "inf") || !strcmp(word, "-inf");
    if (!number) return vn__json_fails(j, "unknown kind of entry"), vn__nothing();
    vn__number_parse(word, strlen(word), &x);
    return vn_value_number(x);
}

vn_tree *vn__structure_tree(vn__catalog *x, const char *text)
{
    const vn__file *f = x->file;
    reader r = {.catalog = x, .json = {.text = text, .size = strlen(text)}};
    r.json.room = vn__scope_memory(r.json.size + 1, f->who);
    vn_value v = !r.json.room ? vn__nothing() : vn__json_is(&r.json, '{') || vn__json_is(&r.json, '[') ? read_value(&r) : vn__nothing();
    vn__free(r.path.text);
    if (!vn__none(v)) vn__json_end(&r.json);
    else if (r.json.room && !r.json.at) vn__json_fails(&r.json, "a tree was expected");
    if (*r.json.problem) return vn__file_bad(f, 8, "character %zu of the note " VN__NOTE_TREE ": %s", r.json.at, r.json.problem), NULL;
    for (int i = 0; i < x->n && !vn__none(v); i++) {
        if (!x->arrays[i].used) return vn__file_bad(f, 8, "the array \"%.80s\" is not in the note " VN__NOTE_TREE, x->arrays[i].name), NULL;
    }
    return vn__none(v) ? NULL : v.u.tree;
}
