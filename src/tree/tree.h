/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h: shared by the files about trees. tree.c is storage; the others build new trees with the functions here.
 * The caller's trees change in only two places: set in tree_access.c and the swap of bodies in tree_edit.c. */
#ifndef VN_TREE_TREE_H
#define VN_TREE_TREE_H

#include "core/object.h"
#include "core/options.h"
#include "core/text.h"

enum { VN__TREE_DEPTH = 64, VN__TREE_KEY = 1024, VN__TREE_ENTRIES = 1 << 24 };

typedef struct {
    char *key;
    vn_value value; /* the tree holds a reference */
} vn__item;

typedef struct vn__tree { /* the body of a vn_tree */
    size_t n, capacity;
    vn__item *items;  /* in the tree's order */
    uint32_t *sorted; /* for insertion order: the items' numbers, sorted by key */
    bool insertion;
    int64_t print_limit;
    uint64_t token;   /* the operation that created it and may still change it */
    vn__object *loss; /* not owned: the loss of these gradients, valid if it still has that generation */
    uint32_t loss_generation;
    vn_tree *along;        /* for gradients: arrays that are evaluated with them; a reference is held */
    struct vn__tree *next; /* waiting for release */
} vn__tree;

static inline vn__tree *vn__tree_of(const vn_tree *t)
{
    return t->object.body;
}
static inline bool vn__is_tree(vn_value v)
{
    return v.kind == VN_V_TREE;
}
static inline bool vn__is_array(vn_value v)
{
    return v.kind == VN_V_ARRAY;
}
static inline bool vn__none(vn_value v)
{
    return v.kind == VN_V_NONE;
}
static inline vn_value vn__nothing(void)
{
    return (vn_value){.kind = VN_V_NONE};
}
static inline vn_value vn__as_value(const vn_tree *t)
{
    return (vn_value){VN_V_TREE, {.tree = (vn_tree *)t}};
}

/* ---- arguments ---- */
bool vn__tree_ok(const void *t, const char *who,
                 const char *argument); /* a live tree that walks can recurse over; otherwise sets the error */
bool vn__trees_ok(int n, const vn_tree *const *trees, const char *who); /* at least one */
bool vn__value_ok(vn_value v, const char *who, const char *argument);
int vn__tree_height(const vn_tree *t);     /* for a checked tree: keys in the longest chain */
size_t vn__tree_entries(const vn_tree *t); /* for a checked tree: of all trees in it */

/* ---- results: they belong to the innermost scope ---- */
void *vn__scope_memory(size_t bytes, const char *who);
vn_value vn__lend(vn_value v, const char *who);                           /* VN_V_NONE on failure */
vn_value vn__value_out(vn_scope scope, vn_value v, const char *who);      /* closes the scope and passes v to the enclosing one */
vn_tree *vn__tree_out(vn_scope scope, const vn_tree *t, const char *who); /* the same; also checks the depth */

/* ---- storage (tree.c) ---- */
vn_tree *vn__tree_like(const vn_tree *t, const char *who); /* empty, with t's settings; NULL: the defaults */
vn_tree *vn__tree_list(const char *who);                   /* an empty one that keeps the order of insertion */
vn__tree *vn__body_like(const vn__tree *b, const char *who);
int vn__body_put(vn__tree *b, const char *key, size_t len, vn_value v, const char *who);
/* Adding many keys: append them unordered, then sort them all; false: a key occurs twice. */
int vn__body_append(vn__tree *b, const char *key, vn_value v, const char *who);
bool vn__body_order(vn__tree *b);
int vn__tree_put(vn_tree *t, const char *key, vn_value v, const char *who); /* one key, not a chain; checks nothing */
vn_value *vn__tree_find(const vn_tree *t, const char *key, size_t len);     /* one key */
vn_value vn__tree_at(const vn_tree *t, const char *chain);                  /* VN_V_NONE if there is none; adds no reference */
bool vn__tree_contains(const vn_tree *t, const vn_tree *needle);            /* is it t itself or below t? */

/* ---- chains (tree.c) ---- */
int vn__chain_check(const char *chain, const char *who, int *parts); /* is it valid for writing? */
bool vn__chain_within(const char *chain, const char *const *tops);   /* is it at or below one of these? NULL: yes */
size_t vn__path_push(vn__text *path, const char *key);               /* returns what pop needs */
void vn__path_pop(vn__text *path, size_t before);
static inline const char *vn__path(const vn__text *path)
{
    return path->text ? path->text : "";
}

/* ---- building (tree_edit.c) ---- */
uint64_t vn__tree_token(void);
vn_tree *vn__tree_own(const vn_tree *t, uint64_t token,
                      const char *who); /* t if the operation created it, otherwise a copy of this level */
/* The tree with a value at a chain, copying levels that the operation did not create. */
vn_tree *vn__tree_with(const vn_tree *t, const char *chain, vn_value v, uint64_t token, const char *who);
vn_tree *vn__tree_union(const vn_tree *a, const vn_tree *b, bool leaves_only, uint64_t token, const char *who);

/* A walk that rewrites a tree. `decide` says for each entry what happens to it; unchanged entries and sub-trees are shared.
 */
struct vn__rewrite;
typedef enum { VN__LEAVE, VN__DROP, VN__DESCEND, VN__REPLACE, VN__FAILED } vn__decision;
typedef vn__decision (*vn__decide)(struct vn__rewrite *r, const vn__item *item, vn_value *v); /* v: the current value; REPLACE changes it */
typedef struct vn__rewrite {
    vn__decide decide;
    const char *who;
    bool drop_emptied; /* trees that become empty are removed */
    bool all_new;      /* nothing is shared */
    bool chains;       /* `path` is needed */
    int depth;         /* of the entry's tree */
    size_t place;      /* of the entry in its tree */
    size_t n;          /* entries of that tree */
    vn__text path;     /* chain of the entry */
    const void *args;
    void *state;
} vn__rewrite;
vn_tree *vn__tree_rewrite(const vn_tree *t, vn__rewrite *r);                  /* always a new tree; frees the path */
int vn__tree_select(vn_tree_select_opts *o, const vn_tree_select_opts *opts); /* a checked copy */
vn_tree *vn__tree_rewritten(const vn_tree *t, vn__rewrite r);                 /* the same with t checked, in its own scope */

/* ---- walking (tree_walk.c) ---- */
const vn_tree_item *vn__tree_items(const vn_tree *t, const vn_tree_iterate_opts *o, const char *containing, int *n, const char *who);
vn_value vn__tree_call(vn_tree_map_fn fn, vn_value v, const char *chain, void *user, const char *who);
vn_tree *vn__tree_reduce(int n, const vn_tree *const *trees, vn_tree_multi_fn fn, void *user, const char *who);

/* ---- comparing (tree_compare.c) ---- */
int vn__trees_alike(int n, const vn_tree *const *trees,
                    const char *who); /* VN_E_STRUCT with a description unless keys and kinds of entries match */

/* ---- for gradients, steps and files ---- */
vn_tree *vn__tree_map(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), void *to); /* same structure, new leaves */
void vn__tree_set_loss(vn_tree *t, vn_array *loss);  /* stores the loss of these gradients, without a reference */
vn_array *vn__tree_loss(const vn_tree *t);           /* NULL when it is gone */
void vn__tree_set_along(vn_tree *t, vn_tree *along); /* attaches arrays that a step with these gradients also evaluates; holds references */
const vn_tree *vn__tree_along(const vn_tree *t);     /* NULL when there are none */

#endif
