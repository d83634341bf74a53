/* model_json.c: a JSON text as nodes that can be looked at in any order. */
#include "files/files.h"
#include "nn/model.h"

enum { DEEPEST = 32, MOST_NODES = 100000 };

typedef struct {
    vn__json json;
    const char *who;
    int depth, nodes;
} reader;

static vn__json_node *read_node(reader *r);

static vn__json_node *node(reader *r, vn__json_kind kind)
{
    if (r->nodes++ == MOST_NODES) return vn__json_fails(&r->json, "there is too much of it"), NULL;
    vn__json_node *x = vn__scope_memory(sizeof *x, r->who);
    if (x) *x = (vn__json_node){.kind = kind};
    return x;
}

/* The items of a list or object whose first bracket has been taken. */
static vn__json_node *read_items(reader *r, vn__json_kind kind)
{
    vn__json *j = &r->json;
    char end = kind == VN__JSON_LIST ? ']' : '}';
    vn__json_node *x = node(r, kind), **last = x ? &x->first : NULL;
    if (!x) return NULL;
    if (r->depth++ == DEEPEST) return vn__json_fails(j, "brackets are too deep"), NULL;
    while (x->n || !vn__json_is(j, end)) {
        const char *key = kind == VN__JSON_OBJECT ? vn__json_text(j) : NULL;
        if (kind == VN__JSON_OBJECT && (!key || !vn__json_expect(j, ':'))) return NULL;
        if (key && vn__json_find(x, key)) return vn__json_fails(j, "a key stands twice"), NULL;
        vn__json_node *item = read_node(r);
        if (!item) return NULL;
        item->key = key;
        *last = item;
        last = &item->next;
        x->n++;
        if (!vn__json_take(j, ',')) break;
    }
    r->depth--;
    return vn__json_expect(j, end) ? x : NULL;
}

static vn__json_node *read_node(reader *r)
{
    vn__json *j = &r->json;
    vn__json_node *x;
    if (vn__json_take(j, '{')) return read_items(r, VN__JSON_OBJECT);
    if (vn__json_take(j, '[')) return read_items(r, VN__JSON_LIST);
    if (vn__json_is(j, '"')) {
        x = node(r, VN__JSON_TEXT);
        return x && (x->text = vn__json_text(j)) ? x : NULL;
    }
    if (vn__json_word(j, "null")) return node(r, VN__JSON_NULL);
    int yes = vn__json_word(j, "true");
    if (yes || vn__json_word(j, "false")) {
        x = node(r, VN__JSON_FLAG);
        if (x) x->number = yes;
        return x;
    }
    x = node(r, VN__JSON_NUMBER);
    return x && vn__json_number(j, &x->number) ? x : NULL;
}

/* Where the reader stands: the line, from 1. */
static int line_of(const vn__json *j)
{
    int line = 1;
    for (size_t i = 0; i < j->at && i < j->size; i++) line += j->text[i] == '\n';
    return line;
}

vn__json_node *vn__json_nodes(const char *text, const char *name, const char *who)
{
    reader r = {.json = {.text = text, .size = strlen(text)}, .who = who};
    r.json.room = vn__scope_memory(r.json.size + 1, who);
    vn__json_node *x = r.json.room ? read_node(&r) : NULL;
    if (x && !vn__json_end(&r.json)) x = NULL;
    if (r.json.problem) vn__fail(VN_E_FORMAT, "%s: %.300s: line %d: %s", who, name, line_of(&r.json), r.json.problem);
    return x;
}

const vn__json_node *vn__json_find(const vn__json_node *object, const char *key)
{
    for (const vn__json_node *x = object->first; x; x = x->next) {
        if (x->key && !strcmp(x->key, key)) return x;
    }
    return NULL;
}

const char *vn__json_words(const vn__json_node *x)
{
    static const char *const words[] = {"null", "a flag", "a number", "a text", "a list", "an object"};
    return words[x->kind];
}
