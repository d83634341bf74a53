/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: a JSON text as values, parsed by src/base, with their own memory. */
#include "inside.h"

#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, MAX_VALUES = 4 << 20, PIECE = 64 << 10 };

/* Memory is allocated in blocks that are freed together. */
typedef struct piece {
    struct piece *next;
    size_t used, room;
    max_align_t data[];
} piece;

/* The root is copied into a struct that owns the memory. */
typedef struct owner {
    json root;
    piece *pieces;
    char *room; /* of decoded texts */
} owner;

static void *take(size_t bytes, void *user)
{
    piece **first = user, *p = *first;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!p || p->room - p->used < bytes) {
        size_t room = vn__max(bytes, PIECE);
        p = malloc(sizeof *p + room);
        if (!p) return NULL;
        *p = (piece){.next = *first, .room = room};
        *first = p;
    }
    p->used += bytes;
    return (char *)p->data + (p->used - bytes);
}

void json_free(json *root)
{
    owner *o = (owner *)(void *)root; /* the root is its first member */
    if (!o) return;
    for (piece *p = o->pieces, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(o->room);
    free(o);
}

json *json_parse(const char *data, size_t size, const char *name, report_problem *p)
{
    owner *o = calloc(1, sizeof *o);
    vn__json j = {.text = data, .size = size, .room = o ? o->room = malloc(size + 1) : NULL};
    const vn__json_limits limits = {.allocate = take, .user = o ? &o->pieces : NULL, .max_depth = DEEPEST, .max_values = MAX_VALUES};
    const json *root = j.room ? vn__json_read(&j, &limits) : NULL;
    if (root) {
        o->root = *root;
        return &o->root;
    }
    size_t line, column;
    vn__json_place(&j, &line, &column);
    if (*j.problem) report_says(p, "%s:%zu:%zu: %s", name, line, column, j.problem);
    else report_says(p, "%s: out of memory", name);
    if (o) json_free(&o->root);
    return NULL;
}

const json *json_at(const json *object, const char *key)
{
    const json *v = vn__json_find(object, key);
    return v && v->kind != VN__JSON_NULL ? v : NULL;
}
