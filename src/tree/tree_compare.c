/* SPDX-License-Identifier: Apache-2.0 */
/* tree_compare.c: equality, differences and containment of trees. All of them use one comparison of two trees, with rules for what
 * matters. Arrays are compared by value on the host; NaN equals NaN. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include "program/node.h"
#include <string.h>
#include <math.h>

enum { LISTED = 8 }; /* differences that a message names */

typedef struct {
    bool types, shapes, same, equal; /* what must match; `same`: handles, `equal`: values */
    bool any_leaf;                   /* all leaves are equal */
    bool skip_first, skip_second;    /* ignore entries that only the first, or only the second tree has */
    const char *const *chains;       /* only what is at or below these */
    const char *who;
    vn__text path;
    vn__text *list; /* collects all differences; NULL: stop at the first */
    int listed;
    bool failed; /* the error is set */
} rules;

/* ---- leaves ---- */

static bool equal_numbers(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool equal_elements(vn_array *x, vn_array *y, rules *r)
{
    const vn__node *a = vn__node_of(x), *b = vn__node_of(y);
    if (!a->count) return true;
    const void *p = vn_data(x), *q = vn_data(y);
    if (!p || !q) return r->failed = true, false;
    uint32_t whole = VN_INTS | VN_BIT(VN_BOOL);
    if (a->dtype == b->dtype && vn__is(a->dtype, whole)) return !memcmp(p, q, (size_t)a->count * vn_dtype_size((vn_dtype)a->dtype));
    bool ints = vn__is(a->dtype, whole) && vn__is(b->dtype, whole);
    for (int64_t i = 0; i < a->count; i++) {
        if (ints) {
            int64_t m = vn__get_int(p, i, a->dtype), n = vn__get_int(q, i, b->dtype);
            if (m != n || (m < 0 && (a->dtype == VN_U64) != (b->dtype == VN_U64))) return false;
        } else {
            for (int part = 0; part < 2; part++)
                if (!equal_numbers(vn__get_part(p, i, a->dtype, part), vn__get_part(q, i, b->dtype, part))) return false;
        }
    }
    return true;
}

static bool same_shape(vn_array *x, vn_array *y)
{
    vn_shape a = vn_shape_of(x), b = vn_shape_of(y);
    return a.rank == b.rank && !memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim);
}

static const char *kind_name(vn_value v)
{
    static const char *const names[] = {"nothing", "null", "a number", "an array", "a tree"};
    return names[v.kind];
}

/* How two leaves differ; NULL if they do not. */
static const char *leaf_difference(vn_value a, vn_value b, rules *r)
{
    if (r->any_leaf || (a.kind == VN_V_NULL && b.kind == VN_V_NULL)) return NULL;
    if (a.kind == VN_V_NULL || b.kind == VN_V_NULL) return "kind";
    if (a.kind == VN_V_NUMBER && b.kind == VN_V_NUMBER)
        return (r->same || r->equal) && !equal_numbers(a.u.number, b.u.number) ? "value" : NULL;
    if (a.kind != b.kind) { /* a number and an array */
        vn_array *x = vn__is_array(a) ? a.u.array : b.u.array;
        double number = vn__is_array(a) ? b.u.number : a.u.number;
        if (r->types || r->same) return "kind";
        if ((r->shapes || r->equal) && vn_rank(x)) return "shape";
        const void *data = r->equal ? vn_data(x) : NULL;
        if (r->equal && !data) r->failed = true;
        int dtype = (int)vn_dtype_of(x);
        bool equal = data && equal_numbers(vn__get_part(data, 0, dtype, 0), number) && vn__get_part(data, 0, dtype, 1) == 0;
        return data && !equal ? "value" : NULL;
    }
    vn_array *x = a.u.array, *y = b.u.array;
    if (x == y) return NULL;
    if (r->same) return "array";
    if (r->types && vn_dtype_of(x) != vn_dtype_of(y)) return "dtype";
    if ((r->shapes || r->equal) && !same_shape(x, y)) return "shape";
    return r->equal && !equal_elements(x, y, r) ? "value" : NULL;
}

/* ---- trees ---- */

static void describe(vn__text *t, vn_value v)
{
    vn_shape s = vn__is_array(v) ? vn_shape_of(v.u.array) : VN_0D;
    char text[128];
    if (vn__is_array(v)) vn__print(t, "%s %s", vn_dtype_name(vn_dtype_of(v.u.array)), vn__shape_text(s.rank, s.dim, text));
    else vn__print(t, "%s", kind_name(v));
}

/* Records a difference at the path. */
static void note(rules *r, vn_value a, vn_value b)
{
    if (!r->list || r->listed++ >= LISTED) return;
    vn__print(r->list, "%s\"%.200s\": ", r->listed > 1 ? "; " : "", vn__path(&r->path));
    if (vn__none(a) || vn__none(b)) {
        vn__print(r->list, "only the %s has it", vn__none(b) ? "first" : "second");
        return;
    }
    describe(r->list, a);
    vn__print(r->list, " and ");
    describe(r->list, b);
}

/* Is the path compared: at or below one of the chains, or on the path to one? */
static bool counts(const rules *r)
{
    const char *path = vn__path(&r->path);
    if (vn__chain_within(path, r->chains)) return true;
    for (const char *const *c = r->chains; *c; c++) {
        if (vn__chain_within(*c, (const char *const[]){path, NULL})) return true;
    }
    return false;
}

static bool alike(const vn_tree *a, const vn_tree *b, rules *r);

static bool entries_alike(vn_value a, vn_value b, rules *r)
{
    if (vn__is_tree(a) && vn__is_tree(b)) return alike(a.u.tree, b.u.tree, r);
    if (!counts(r)) return true;
    const char *what = vn__none(a) || vn__none(b) || vn__is_tree(a) || vn__is_tree(b) ? "kind" : leaf_difference(a, b, r);
    if (what) note(r, a, b);
    return !what;
}

static bool alike(const vn_tree *a, const vn_tree *b, rules *r)
{
    if (a == b) return true;
    const vn__tree *const bodies[2] = {vn__tree_of(a), vn__tree_of(b)};
    bool all = true;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < bodies[side]->n && (all || r->list) && !r->failed; i++) {
            const vn__item *it = &bodies[side]->items[i];
            const vn_value *other = vn__tree_find(side ? a : b, it->key, strlen(it->key));
            if ((side && other) || (!other && (side ? r->skip_second : r->skip_first))) continue;
            vn_value mine = it->value, theirs = other ? *other : vn__nothing();
            size_t before = vn__path_push(&r->path, it->key);
            r->failed = r->path.failed;
            all &= side ? entries_alike(theirs, mine, r) : entries_alike(mine, theirs, r);
            vn__path_pop(&r->path, before);
        }
    }
    return all;
}

/* 1, 0, or -1 with the error set. */
static int compare(const vn_tree *a, const vn_tree *b, rules *r)
{
    bool yes = alike(a, b, r);
    if (r->path.failed || (r->list && r->list->failed)) vn__no_memory(r->who), r->failed = true;
    vn__free(r->path.text);
    r->path = (vn__text){0};
    return r->failed ? -1 : yes;
}

/* Arrays compared by value are evaluated together. */
static int evaluate(int n, const vn_tree *const *trees, const char *who)
{
    VN_SCOPE;
    for (int i = 0; i < n; i++) {
        int count;
        const vn_tree_item *it =
            vn__tree_items(trees[i], &(vn_tree_iterate_opts){.size = sizeof(vn_tree_iterate_opts), .arrays_only = 1}, NULL, &count, who);
        vn_array **x = it ? vn__scope_memory((size_t)count * sizeof *x, who) : NULL;
        for (int k = 0; x && k < count; k++) x[k] = it[k].value.u.array;
        if (!x || (count && vn_eval(count, x))) return vn_status();
    }
    return VN_OK;
}

/* ---- whole trees ---- */

static rules rules_of(const vn_tree_identical_opts *o, bool structure, const char *who)
{
    rules r = {
        .types = !o->no_types, .shapes = !o->no_shapes, .same = !structure && !o->no_same_arrays, .chains = o->key_chains, .who = who};
    r.equal = !structure && !r.same && !o->no_arrays_equal;
    r.skip_first = r.skip_second = o->partial != 0;
    return r;
}

static int identical(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts, bool structure, const char *who)
{
    vn_tree_identical_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "tree_identical") ||
        VN__FLAGS("tree_identical", VN__FLAG(o, no_types), VN__FLAG(o, no_shapes), VN__FLAG(o, no_same_arrays),
                  VN__FLAG(o, no_arrays_equal), VN__FLAG(o, partial)))
        return -1;
    if (!vn__trees_ok(n, trees, who)) return -1;
    rules r = rules_of(&o, structure, who);
    if (r.equal && evaluate(n, trees, who)) return -1;
    int yes = 1;
    for (int i = 1; i < n && yes == 1; i++) yes = compare(trees[0], trees[i], &r);
    return yes;
}

int vn_tree_identical(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts)
{
    return identical(n, trees, opts, false, "tree_identical");
}

int vn_tree_identical_structure(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts)
{
    return identical(n, trees, opts, true, "tree_identical_structure");
}

/* VN_E_STRUCT with the differences, if there are any. */
static int insist(const vn_tree *a, const vn_tree *b, rules r, const char *what)
{
    vn__text list = {0};
    r.list = &list;
    r.listed = 0;
    int yes = compare(a, b, &r), code = yes < 0 ? (int)vn_status() : VN_OK;
    if (!yes) {
        if (r.listed > LISTED) vn__print(&list, "; and %d more", r.listed - LISTED);
        code = vn__fail(VN_E_STRUCT, "%s: %s: %s", r.who, what, list.text);
    }
    vn__free(list.text);
    return code;
}

int vn_tree_assert_identical_structure(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts)
{
    static const char who[] = "tree_assert_identical_structure";
    vn_tree_identical_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "tree_identical") ||
        VN__FLAGS("tree_identical", VN__FLAG(o, no_types), VN__FLAG(o, no_shapes), VN__FLAG(o, no_same_arrays),
                  VN__FLAG(o, no_arrays_equal), VN__FLAG(o, partial)))
        return vn_status();
    if (!vn__trees_ok(n, trees, who)) return vn_status();
    int code = VN_OK;
    for (int i = 1; i < n && !code; i++) code = insist(trees[0], trees[i], rules_of(&o, true, who), "the trees differ");
    return code;
}

int vn__trees_alike(int n, const vn_tree *const *trees, const char *who)
{
    int code = VN_OK;
    for (int i = 1; i < n && !code; i++) code = insist(trees[0], trees[i], (rules){.any_leaf = true, .who = who}, "the trees differ");
    return code;
}

/* ---- containment ---- */

/* Finds the first sub-tree of t (or t itself) that equals s; its chain is in `path`. */
static int search(const vn_tree *t, const vn_tree *s, const rules *how, vn__text *path)
{
    rules r = *how;
    int found = compare(s, t, &r);
    const vn__tree *b = vn__tree_of(t);
    for (size_t i = 0; i < b->n && !found; i++) {
        if (!vn__is_tree(b->items[i].value)) continue;
        size_t before = vn__path_push(path, b->items[i].key);
        if (path->failed) return vn__no_memory(how->who), -1;
        found = search(b->items[i].value.u.tree, s, how, path);
        if (!found) vn__path_pop(path, before);
    }
    return found;
}

/* 1, 0 or -1; stores the chain in scope memory if requested. */
static int contained(const vn_tree *t, const vn_tree *s, const rules *r, const char **chain)
{
    if (!vn__tree_ok(t, r->who, "t") || !vn__tree_ok(s, r->who, "s")) return -1;
    vn__text path = {0};
    int found = search(t, s, r, &path);
    if (found == 1 && chain) {
        char *copy = vn__scope_memory(path.size + 1, r->who);
        if (copy) memcpy(copy, vn__path(&path), path.size + 1);
        *chain = copy;
    }
    vn__free(path.text);
    return found;
}

static int structure_rules(const vn_tree_structure_opts *opts, const char *who, rules *r)
{
    vn_tree_structure_opts o = {0};
    int code = vn__take(&o, sizeof o, opts, "tree_structure") || VN__FLAGS("tree_structure", VN__FLAG(o, no_shapes), VN__FLAG(o, partial));
    *r = (rules){.shapes = !o.no_shapes, .any_leaf = o.no_shapes != 0, .skip_second = o.partial != 0, .who = who};
    return code;
}

/* The rules for trees with the same arrays. */
static int identity_rules(const vn_tree_structure_opts *opts, const char *who, rules *r)
{
    int code = structure_rules(opts, who, r);
    *r = (rules){.types = true, .same = true, .skip_second = r->skip_second, .who = who};
    return code;
}

const char *vn_tree_find_sub_tree(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts)
{
    const char *chain = NULL;
    rules r;
    if (!identity_rules(opts, "tree_find_sub_tree", &r)) contained(t, s, &r, &chain);
    return chain;
}

int vn_tree_contains_sub_tree(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts)
{
    rules r;
    return identity_rules(opts, "tree_contains_sub_tree", &r) ? -1 : contained(t, s, &r, NULL);
}

const char *vn_tree_find_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts)
{
    const char *chain = NULL;
    rules r;
    if (!structure_rules(opts, "tree_find_sub_structure", &r)) contained(t, s, &r, &chain);
    return chain;
}

int vn_tree_contains_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts)
{
    rules r;
    return structure_rules(opts, "tree_contains_sub_structure", &r) ? -1 : contained(t, s, &r, NULL);
}

int vn_tree_assert_contains_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts)
{
    rules r;
    int found = structure_rules(opts, "tree_assert_contains_sub_structure", &r) ? -1 : contained(t, s, &r, NULL);
    return found > 0 ? VN_OK : found < 0 ? (int)vn_status() : insist(s, t, r, "s (the first) is not contained in t (the second)");
}

/* ---- differences as a tree ---- */

typedef struct {
    vn_tree_diff_opts o;
    rules r;
    int n;
    const char *who;
} diff;

static vn_tree *diff_trees(diff *d, const vn_value *in);

/* -1: failed */
static int same_value(diff *d, vn_value a, vn_value b)
{
    if (vn__is_tree(a) != vn__is_tree(b)) return 0;
    rules r = d->r;
    if (vn__is_tree(a)) return compare(a.u.tree, b.u.tree, &r);
    bool yes = !leaf_difference(a, b, &r);
    return r.failed ? -1 : yes;
}

/* A tree with one entry for each different value among those present: {diff_0,2: v, diff_1: w}. The number of them in *groups. */
static vn_tree *grouped(diff *d, const vn_value *in, int *groups)
{
    vn_tree *out = vn__tree_like(NULL, d->who);
    bool *done = out ? vn__scope_memory((size_t)d->n, d->who) : NULL;
    if (!done) return NULL;
    memset(done, 0, (size_t)d->n);
    vn__text key = {0};
    for (int i = 0; i < d->n && out; i++) {
        if (done[i] || vn__none(in[i])) continue;
        vn__text_start(&key);
        vn__print(&key, "diff_%d", i);
        for (int k = i + 1; k < d->n && out; k++) {
            int same = done[k] || vn__none(in[k]) ? 0 : same_value(d, in[i], in[k]);
            if (same < 0) out = NULL;
            if (same != 1) continue;
            done[k] = true;
            vn__print(&key, ",%d", k);
        }
        if (key.failed) vn__no_memory(d->who), out = NULL;
        else if (out && key.size > VN__TREE_KEY) vn__fail(VN_E_ARG, "%s: too many trees", d->who), out = NULL;
        if (out && vn__tree_put(out, vn__path(&key), in[i], d->who)) out = NULL;
        ++*groups;
    }
    vn__free(key.text);
    return out;
}

/* The result for one key; VN_V_NONE: failed, or dropped (*dropped). */
static vn_value diff_values(diff *d, const vn_value *in, bool *dropped)
{
    int present = 0, trees = 0, groups = 0;
    const vn_value *first = NULL;
    for (int i = 0; i < d->n; i++) {
        present += !vn__none(in[i]);
        trees += vn__is_tree(in[i]);
        if (!first && !vn__none(in[i])) first = &in[i];
    }
    bool aligned = present == d->n || d->o.no_keys;
    if (aligned && trees == present) {
        vn_tree *sub = diff_trees(d, in);
        *dropped = sub && !vn__tree_of(sub)->n;
        return sub ? vn_value_tree(sub) : vn__nothing();
    }
    vn_tree *apart = grouped(d, in, &groups);
    if (!apart) return vn__nothing();
    bool equal = aligned && groups == 1;
    *dropped = d->o.mode == (equal ? VN_DIFF_ONLY : VN_DIFF_SAME_ONLY);
    return equal ? *first : vn_value_tree(apart);
}

static vn_tree *diff_trees(diff *d, const vn_value *in)
{
    vn_value *below = vn__scope_memory((size_t)d->n * sizeof *below, d->who);
    vn_tree *out = NULL;
    for (int k = 0; k < d->n && below; k++) {
        if (vn__none(in[k])) continue;
        if (!out && !(out = vn__tree_like(in[k].u.tree, d->who))) return NULL;
        const vn__tree *b = vn__tree_of(in[k].u.tree);
        for (size_t i = 0; i < b->n; i++) {
            const char *key = b->items[i].key;
            bool seen = false, dropped = false;
            for (int j = 0; j < d->n; j++) {
                const vn_value *there = vn__none(in[j]) ? NULL : vn__tree_find(in[j].u.tree, key, strlen(key));
                below[j] = there ? *there : vn__nothing();
                seen |= j < k && there;
            }
            if (seen) continue;
            vn_value v = diff_values(d, below, &dropped);
            if (vn__none(v) || (!dropped && vn__tree_put(out, key, v, d->who))) return NULL;
        }
    }
    return out;
}

static vn_tree *difference(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts, bool structural, const char *who)
{
    diff d = {.n = n, .who = who};
    if (vn__take(&d.o, sizeof d.o, opts, "tree_diff") ||
        VN__FLAGS("tree_diff", VN__FLAG(d.o, no_keys), VN__FLAG(d.o, no_values), VN__FLAG(d.o, no_shapes)))
        return NULL;
    if (d.o.mode < VN_DIFF_ALL || d.o.mode > VN_DIFF_ONLY) return vn__fail(VN_E_ARG, "%s: there is no mode %d", who, (int)d.o.mode), NULL;
    if (!vn__trees_ok(n, trees, who)) return NULL;
    bool values = !structural && !d.o.no_values;
    d.r = (rules){.equal = values, .shapes = !d.o.no_shapes, .any_leaf = !values && d.o.no_shapes, .who = who};
    vn_scope scope = vn_scope_begin();
    vn_value *in = scope < 0 || (values && evaluate(n, trees, who)) ? NULL : vn__scope_memory((size_t)n * sizeof *in, who);
    for (int i = 0; in && i < n; i++) in[i] = vn__as_value(trees[i]);
    return vn__tree_out(scope, in ? diff_trees(&d, in) : NULL, who);
}

vn_tree *vn_tree_diff(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts)
{
    return difference(n, trees, opts, false, "tree_diff");
}

vn_tree *vn_tree_structural_diff(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts)
{
    return difference(n, trees, opts, true, "tree_structural_diff");
}
