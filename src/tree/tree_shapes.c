/* SPDX-License-Identifier: Apache-2.0 */
/* tree_shapes.c: what is known of the arrays of a tree: shapes, engine, sizes, duplicates, truth. */
#include "tree/tree.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>

/* ---- shapes and places ---- */

static const vn_tree_item *arrays(const vn_tree *t, int *n, const char *who)
{
    return vn__tree_items(t, &(vn_tree_iterate_opts){.size = sizeof(vn_tree_iterate_opts), .arrays_only = 1}, NULL, n, who);
}

static vn__decision as_shape(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)item;
    if (vn__is_tree(*v)) return VN__DESCEND;
    if (v->kind == VN_V_NULL) return VN__LEAVE;
    vn_tree *list = vn__tree_list(r->who);
    vn_shape s = vn__is_array(*v) ? vn_shape_of(v->u.array) : VN_0D;
    for (int k = 0; k < s.rank && list; k++) {
        if (vn_tree_append(list, vn_value_number((double)s.dim[k]))) list = NULL;
    }
    if (!list) return VN__FAILED;
    *v = vn_value_tree(list);
    return VN__REPLACE;
}

vn_tree *vn_tree_shapes(const vn_tree *t)
{
    return vn__tree_rewritten(t, (vn__rewrite){.decide = as_shape, .who = "tree_shapes"});
}

int vn_tree_shape(const vn_tree *t, vn_shape *shape)
{
    static const char who[] = "tree_shape";
    if (!shape) return vn__fail(VN_E_NULL, "%s: shape is NULL", who);
    VN_SCOPE;
    const vn_tree_item *it = arrays(t, NULL, who);
    if (!it) return vn_status();
    if (!it->chain) return vn__fail(VN_E_SHAPE, "%s: there are no arrays in t", who);
    vn_shape common = vn_shape_of(it->value.u.array);
    for (const vn_tree_item *k = it + 1; k->chain; k++) {
        vn_shape s = vn_shape_of(k->value.u.array);
        if (s.rank != common.rank)
            return vn__fail(VN_E_SHAPE, "%s: \"%.200s\" has rank %d, \"%.200s\" %d", who, it->chain, common.rank, k->chain, s.rank);
        for (int d = 0; d < s.rank; d++) {
            if (s.dim[d] != common.dim[d]) common.dim[d] = -1;
        }
    }
    *shape = common;
    return VN_OK;
}

const char *vn_tree_engine_of(const vn_tree *t)
{
    VN_SCOPE;
    const vn_tree_item *it = arrays(t, NULL, "tree_engine_of");
    const char *engine = it && it->chain ? vn_engine_of(it->value.u.array) : NULL;
    for (; engine && it->chain; it++) {
        if (vn_engine_of(it->value.u.array) != engine) engine = NULL;
    }
    return engine;
}

typedef struct {
    uint64_t by;
    int i;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->by != y->by ? (x->by < y->by ? -1 : 1) : x->i < y->i ? -1 : x->i > y->i;
}

/* The items' numbers, sorted by size or handle, then by position; in scope memory. */
static ranked *rank_items(const vn_tree_item *it, int n, bool by_handle, const char *who)
{
    ranked *r = vn__scope_memory((size_t)n * sizeof *r, who);
    for (int i = 0; r && i < n; i++)
        r[i] = (ranked){by_handle ? (uint64_t)(uintptr_t)it[i].value.u.array : (uint64_t)vn_size(it[i].value.u.array), i};
    if (r && n) qsort(r, (size_t)n, sizeof *r, compare_ranked);
    return r;
}

static vn_tree *by_size(const vn_tree *t, const char *who)
{
    int n;
    vn_tree *flat = vn_tree_flatten_key_chains(t, NULL);
    const vn_tree_item *it = flat ? arrays(flat, &n, who) : NULL;
    const ranked *r = it ? rank_items(it, n, false, who) : NULL;
    vn_tree *out = r ? vn__tree_list(who) : NULL;
    for (int i = 0; out && i < n; i++) {
        if (vn__tree_put(out, it[r[i].i].chain, it[r[i].i].value, who)) out = NULL;
    }
    return out;
}

vn_tree *vn_tree_size_ordered_arrays(const vn_tree *t)
{
    static const char who[] = "tree_size_ordered_arrays";
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, by_size(t, who), who);
}

static bool same_shape(const vn_array *x, const vn_array *y)
{
    vn_shape a = vn_shape_of(x), b = vn_shape_of(y);
    return a.rank == b.rank && !memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim);
}

int vn_tree_identical_array_shapes(int n, const vn_tree *const *trees)
{
    static const char who[] = "tree_identical_array_shapes";
    if (!vn__trees_ok(n, trees, who)) return -1;
    VN_SCOPE;
    int count, other;
    const vn_tree_item *a = arrays(trees[0], &count, who);
    const ranked *ra = a ? rank_items(a, count, false, who) : NULL;
    if (!ra) return -1;
    for (int i = 1; i < n; i++) {
        const vn_tree_item *b = arrays(trees[i], &other, who);
        const ranked *rb = b ? rank_items(b, other, false, who) : NULL;
        if (!rb) return -1;
        if (count != other) return 0;
        for (int k = 0; k < count; k++) {
            if (!same_shape(a[ra[k].i].value.u.array, b[rb[k].i].value.u.array)) return 0;
        }
    }
    return 1;
}

const char *const *const *vn_tree_duplicate_array_key_chains(const vn_tree *t, int *n)
{
    static const char who[] = "tree_duplicate_array_key_chains";
    int count, groups = 0;
    if (n) *n = 0;
    const vn_tree_item *it = arrays(t, &count, who);
    const ranked *r = it ? rank_items(it, count, true, who) : NULL;
    int *run =
        r ? vn__scope_memory(((size_t)count + 1) * sizeof *run, who) : NULL; /* at an array's first item: the start of its group in r */
    const char ***lists = run ? vn__scope_memory((size_t)(count + 1) * sizeof *lists, who) : NULL;
    const char **chains = lists ? vn__scope_memory((2 * (size_t)count + 1) * sizeof *chains, who) : NULL;
    if (!chains) return NULL;
    for (int i = 0; i < count; i++) run[r[i].i] = i && r[i - 1].by == r[i].by ? -1 : i;
    for (int i = 0; i < count; i++) { /* groups in the order of their first chains */
        int k = run[i], next = k + 1;
        if (k < 0 || next >= count || r[next].by != r[k].by) continue;
        lists[groups++] = chains;
        for (int j = k; j < count && r[j].by == r[k].by; j++) *chains++ = it[r[j].i].chain;
        *chains++ = NULL;
    }
    lists[groups] = NULL;
    if (n) *n = groups;
    return (const char *const *const *)lists;
}

/* ---- truth ---- */

/* Does every leaf give `wanted`? Arrays are reduced first and evaluated together. */
static int all_are(const vn_tree *t, bool wanted, const vn_tree_truth_opts *opts, const char *who)
{
    VN_SCOPE;
    vn_tree_truth_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "tree_truth") || VN__FLAGS("tree_truth", VN__FLAG(o, assert_is_bool))) return -1;
    int n, n_arrays = 0;
    const vn_tree_item *it = vn__tree_items(t, NULL, NULL, &n, who);
    vn_array **x = it ? vn__scope_memory((size_t)n * sizeof *x, who) : NULL;
    if (!x) return -1;
    bool yes = true;
    for (int i = 0; i < n; i++) {
        vn_value v = it[i].value;
        if (o.assert_is_bool && (!vn__is_array(v) || vn_dtype_of(v.u.array) != VN_BOOL))
            return vn__fail(VN_E_DTYPE, "%s: \"%.200s\" is no bool array", who, it[i].chain), -1;
        if (!vn__is_array(v)) yes = yes && (v.kind == VN_V_NUMBER && v.u.number != 0) == wanted;
        else if (!(x[n_arrays++] = wanted ? vn_all(v.u.array, VN_ALL) : vn_any(v.u.array, VN_ALL))) return -1;
    }
    if (n_arrays && vn_eval(n_arrays, x)) return -1;
    for (int i = 0; i < n_arrays; i++) {
        uint8_t bit;
        if (vn_read(x[i], &bit, sizeof bit)) return -1;
        yes = yes && (bit != 0) == wanted;
    }
    return yes;
}

int vn_tree_all_true(const vn_tree *t, const vn_tree_truth_opts *opts)
{
    return all_are(t, true, opts, "tree_all_true");
}

int vn_tree_all_false(const vn_tree *t, const vn_tree_truth_opts *opts)
{
    return all_are(t, false, opts, "tree_all_false");
}

static vn__decision as_bool(vn__rewrite *r, const vn__item *item, vn_value *v)
{
    (void)r, (void)item;
    if (vn__is_tree(*v)) return VN__DESCEND;
    if (!vn__is_array(*v)) {
        *v = vn_value_number(v->kind == VN_V_NUMBER && v->u.number != 0);
        return VN__REPLACE;
    }
    vn_array *x = vn_all(v->u.array, VN_ALL);
    if (!x) return VN__FAILED;
    *v = vn_value_array(x);
    return VN__REPLACE;
}

vn_tree *vn_tree_as_bools(const vn_tree *t)
{
    return vn__tree_rewritten(t, (vn__rewrite){.decide = as_bool, .who = "tree_as_bools"});
}
