/* SPDX-License-Identifier: Apache-2.0 */
/* tree_arrays.c: ops applied leaf by leaf, slicing along an axis, combining trees. */
#include "tree/tree.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include "ops/op.h"
#include <string.h>
#include <stdlib.h>

/* ---- any op on trees ---- */

enum { MAX_OUT = 8 };
typedef struct {
    const char *op;
    int n_in, n_options, n_out;
    const vn_option *options;
    const bool *constant; /* used for every leaf */
    int first;            /* the first tree, which gives the result's structure */
    vn__text path;
} application;
static const char apply_name[] = "tree_apply";

static int apply_leaf(application *a, const vn_value *in, vn_value *out)
{
    vn_array *z[MAX_OUT] = {0}, **x = vn__scope_memory((size_t)a->n_in * sizeof *x, apply_name);
    int nulls = 0, values = 0;
    if (!x) return VN_E_MEM;
    for (int j = 0; j < a->n_in; j++) {
        if (!a->constant[j]) values++, nulls += in[j].kind == VN_V_NULL;
        x[j] = vn__is_array(in[j]) ? in[j].u.array : in[j].kind == VN_V_NUMBER ? vn_scalar(in[j].u.number) : NULL;
    }
    if (nulls && nulls == values) {
        for (int k = 0; k < a->n_out; k++) out[k] = vn_value_null();
        return VN_OK;
    }
    if (nulls) return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is null in some trees only", apply_name, vn__path(&a->path));
    vn_code before = vn_status();
    int code = vn_call(a->op, x, a->n_in, a->options, a->n_options, z, a->n_out);
    if (code && !before && a->path.size) {
        char where[256];
        snprintf(where, sizeof where, "%s: \"%.200s\"", apply_name, vn__path(&a->path));
        vn__fail_in(where);
    }
    for (int k = 0; k < a->n_out && !code; k++) out[k] = vn_value_array(z[k]);
    return code;
}

/* Checks for a key that input j has and the first tree lacks. */
static int surplus(application *a, const vn_value *in, int j)
{
    const vn__tree *b = vn__tree_of(in[j].u.tree);
    for (size_t i = 0; i < b->n; i++) {
        const char *key = b->items[i].key;
        if (vn__tree_find(in[a->first].u.tree, key, strlen(key))) continue;
        vn__path_push(&a->path, key);
        return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is in input %d and not in input %d", apply_name, vn__path(&a->path), j, a->first);
    }
    return VN_OK;
}

/* The values at one key of the first tree, in every input. */
static int align(application *a, const vn_value *in, const char *key, vn_value *below)
{
    for (int j = 0; j < a->n_in; j++) {
        const vn_value *there = a->constant[j] ? &in[j] : vn__tree_find(in[j].u.tree, key, strlen(key));
        if (!there)
            return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is in input %d and not in input %d", apply_name, vn__path(&a->path), a->first, j);
        below[j] = *there;
        if (j > a->first && !a->constant[j] && vn__is_tree(below[j]) != vn__is_tree(below[a->first]))
            return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is a tree in one of the inputs %d and %d and a leaf in the other", apply_name,
                            vn__path(&a->path), a->first, j);
    }
    return VN_OK;
}

/* Fills the n_out empty trees of `out`. */
static int apply_trees(application *a, const vn_value *in, vn_value *out)
{
    const vn__tree *b = vn__tree_of(in[a->first].u.tree);
    for (int j = a->first + 1; j < a->n_in; j++) {
        int code = a->constant[j] ? VN_OK : surplus(a, in, j);
        if (code) return code;
    }
    vn_value *below = vn__scope_memory((size_t)a->n_in * sizeof *below, apply_name);
    if (!below) return VN_E_MEM;
    for (size_t i = 0; i < b->n; i++) {
        vn_value results[MAX_OUT];
        size_t before = vn__path_push(&a->path, b->items[i].key);
        if (a->path.failed) return vn__no_memory(apply_name);
        int code = align(a, in, b->items[i].key, below);
        bool trees = !code && vn__is_tree(below[a->first]);
        for (int k = 0; k < a->n_out && trees && !code; k++) {
            vn_tree *t = vn__tree_like(below[a->first].u.tree, apply_name);
            if (t) results[k] = vn_value_tree(t);
            else code = VN_E_MEM;
        }
        if (!code) code = trees ? apply_trees(a, below, results) : apply_leaf(a, below, results);
        for (int k = 0; k < a->n_out && !code; k++) code = vn__tree_put(out[k].u.tree, b->items[i].key, results[k], apply_name);
        if (code) return code;
        vn__path_pop(&a->path, before);
    }
    return VN_OK;
}

static int check_inputs(application *a, const vn_value *in, int n_in, bool *constant)
{
    a->constant = constant;
    for (int j = 0; j < n_in; j++) {
        char name[32];
        snprintf(name, sizeof name, "input %d", j);
        constant[j] = !vn__is_tree(in[j]);
        if (vn__is_array(in[j]) && in[j].u.array == VN_NONE) continue;
        if (!vn__value_ok(in[j], apply_name, name)) return vn_status();
        if (in[j].kind == VN_V_NULL) return vn__fail(VN_E_ARG, "%s: input %d is null", apply_name, j);
        if (!constant[j] && a->first < 0) a->first = j;
    }
    return VN_OK;
}

int vn_tree_apply(const char *op, const vn_value *in, int n_in, const vn_option *options, int n_options, vn_value *out, int n_out)
{
    for (int k = 0; out && k < n_out; k++) out[k] = vn__nothing();
    if (!op || (n_in > 0 && !in) || (n_out > 0 && !out)) return vn__fail(VN_E_NULL, "%s: the op's name or a list is NULL", apply_name);
    if (n_in < 0 || n_in > VN__MAX_LIST || n_out < 0 || n_out > MAX_OUT)
        return vn__fail(VN_E_ARG, "%s: %d inputs and %d results; at most %d and %d are allowed", apply_name, n_in, n_out, VN__MAX_LIST,
                        MAX_OUT);
    application a = {.op = op, .n_in = n_in, .n_options = n_options, .n_out = n_out, .options = options, .first = -1};
    vn_scope scope = vn_scope_begin();
    if (scope < 0) return vn_status();
    bool *constant = vn__scope_memory((size_t)n_in, apply_name);
    int code = constant ? check_inputs(&a, in, n_in, constant) : VN_E_MEM;
    vn_value results[MAX_OUT];
    for (int k = 0; k < n_out && a.first >= 0 && !code; k++) {
        vn_tree *t = vn__tree_like(in[a.first].u.tree, apply_name);
        if (t) results[k] = vn_value_tree(t);
        else code = VN_E_MEM;
    }
    if (!code) code = a.first < 0 ? apply_leaf(&a, in, results) : apply_trees(&a, in, results);
    vn__free(a.path.text);
    for (int k = 0; k < n_out && !code; k++) {
        out[k] = results[k];
        if (vn__is_tree(out[k])) vn_tree_pass(out[k].u.tree);
        else vn_pass(out[k].u.array);
    }
    vn_scope_end(scope);
    return code;
}

/* ---- along an axis ---- */

typedef struct {
    int64_t axis, begin, end; /* as given by the caller */
    int64_t part, parts;      /* for a split: part `part` of `parts`; parts 0: begin to end */
    bool drop;                /* removes the axis, whose size is then 1 */
    const char *who;
} piece;

/* The axis of x counted from 0; -1 with the error set. */
static int64_t axis_of(const vn_array *x, int64_t axis, const char *who)
{
    int64_t rank = vn_rank(x), at = axis < 0 ? axis + rank : axis;
    if (at >= 0 && at < rank) return at;
    return vn__fail(VN_E_ARG, "%s: an array of rank %lld has no axis %lld", who, (long long)rank, (long long)axis), -1;
}

static vn_array *take_piece(vn_array *x, void *to)
{
    const piece *p = to;
    vn_shape size = vn_shape_of(x), start = {.rank = size.rank};
    if (!size.rank) return x; /* 0-d arrays are unchanged */
    int64_t axis = axis_of(x, p->axis, p->who);
    if (axis < 0) return NULL;
    int64_t n = size.dim[axis], begin = p->begin, end = p->end;
    if (p->parts) {
        if (n % p->parts)
            return vn__fail(VN_E_SHAPE, "%s: axis %lld of size %lld has no %lld equal parts", p->who, (long long)axis, (long long)n,
                            (long long)p->parts),
                   NULL;
        begin = n / p->parts * p->part;
        end = begin + n / p->parts;
    } else {
        if (begin < 0) begin += n;
        if (p->drop) end = begin + 1;
        else if (end < 0) end += n;
        if (p->drop && (begin < 0 || begin >= n))
            return vn__fail(VN_E_ARG, "%s: there is no element %lld on an axis of size %lld", p->who, (long long)p->begin, (long long)n),
                   NULL;
        begin = vn__max(0, vn__min(begin, n));
        end = vn__max(begin, vn__min(end, n));
    }
    start.dim[axis] = begin;
    size.dim[axis] = end - begin;
    vn_array *z = vn_slice_at(x, start, size);
    return p->drop ? vn_squeeze(z, VN_AXES(axis)) : z;
}

static vn_tree *pieces(const vn_tree *t, piece p)
{
    if (!vn__tree_ok(t, p.who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_map(t, take_piece, &p), p.who);
}

vn_tree *vn_tree_index(const vn_tree *t, int64_t index)
{
    return pieces(t, (piece){.begin = index, .drop = true, .who = "tree_index"});
}

vn_tree *vn_tree_slice(const vn_tree *t, int64_t begin, int64_t end)
{
    return pieces(t, (piece){.begin = begin, .end = end, .who = "tree_slice"});
}

/* n trees, one per piece; NULL-terminated. */
static vn_tree *const *all_pieces(const vn_tree *t, int64_t n, piece p)
{
    vn_tree **list = vn__scope_memory(((size_t)n + 1) * sizeof *list, p.who);
    for (int64_t i = 0; list && i < n; i++) {
        p.begin = p.part = i;
        if (!(list[i] = pieces(t, p))) list = NULL;
    }
    if (list) list[n] = NULL;
    return list;
}

vn_tree *const *vn_tree_unstack(const vn_tree *t, int axis, int *n)
{
    static const char who[] = "tree_unstack";
    if (n) *n = 0;
    vn_scope scope = vn_scope_begin();
    const vn_tree_item *it =
        scope < 0 ? NULL
                  : vn__tree_items(t, &(vn_tree_iterate_opts){.size = sizeof(vn_tree_iterate_opts), .arrays_only = 1}, NULL, NULL, who);
    int64_t size = -1, at = 0;
    bool ok = it != NULL;
    for (; ok && it->chain; it++) {
        if (!vn_rank(it->value.u.array)) continue;
        at = axis_of(it->value.u.array, axis, who);
        int64_t here = at < 0 ? -1 : vn_dim(it->value.u.array, (int)at);
        if (at >= 0 && size >= 0 && here != size)
            vn__fail(VN_E_SHAPE, "%s: \"%.200s\" has size %lld on axis %d, others have %lld", who, it->chain, (long long)here, axis,
                     (long long)size);
        ok = at >= 0 && (size < 0 || here == size);
        size = here;
    }
    if (ok && size < 0) ok = (vn__fail(VN_E_STRUCT, "%s: no array of t has an axis", who), false);
    if (ok && size > VN__TREE_ENTRIES) ok = (vn__fail(VN_E_ARG, "%s: %lld trees are too many", who, (long long)size), false);
    if (scope >= 0) vn_scope_end(scope);
    vn_tree *const *list = ok ? all_pieces(t, size, (piece){.axis = axis, .drop = true, .who = who}) : NULL;
    if (n && list) *n = (int)size;
    return list;
}

vn_tree *const *vn_tree_split(const vn_tree *t, int n, int axis)
{
    static const char who[] = "tree_split";
    if (n < 1) return vn__fail(VN_E_ARG, "%s: %d parts", who, n), NULL;
    if (!vn__tree_ok(t, who, "t")) return NULL;
    return all_pieces(t, n, (piece){.axis = axis, .parts = n, .who = who});
}

/* ---- several trees in one ---- */

vn_tree *vn__tree_list(const char *who)
{
    vn_tree *t = vn__tree_like(NULL, who);
    if (t) vn__tree_of(t)->insertion = true;
    return t;
}

static vn_value stack_values(const vn_value *values, int n, const char *chain, void *user)
{
    (void)chain, (void)user;
    vn_tree *list = vn__tree_list("tree_list_stack");
    for (int i = 0; i < n && list; i++) {
        if (vn_tree_append(list, values[i])) list = NULL;
    }
    return list ? vn_value_tree(list) : vn__nothing();
}

vn_tree *vn_tree_list_stack(int n, const vn_tree *const *trees)
{
    return vn__tree_reduce(n, trees, stack_values, NULL, "tree_list_stack");
}

static bool is_list(const vn_tree *t)
{
    for (size_t i = 0; i < vn__tree_of(t)->n; i++) {
        char key[32];
        if (!vn__tree_find(t, key, (size_t)snprintf(key, sizeof key, "%zu", i))) return false;
    }
    return true;
}

static int append_all(vn_tree *list, const vn_tree *t)
{
    for (size_t i = 0; i < vn__tree_of(t)->n; i++) {
        char key[32];
        int code = vn_tree_append(list, *vn__tree_find(t, key, (size_t)snprintf(key, sizeof key, "%zu", i)));
        if (code) return code;
    }
    return VN_OK;
}

static vn_tree *join(int n, const vn_tree *const *trees, vn__text *path, const char *who)
{
    bool lists = true;
    for (int i = 0; i < n; i++) lists = lists && is_list(trees[i]);
    vn_tree *out = lists ? vn__tree_list(who) : vn__tree_like(trees[0], who);
    for (int i = 0; i < n && lists && out; i++) {
        if (append_all(out, trees[i])) return NULL;
    }
    const vn__tree *b = vn__tree_of(trees[0]);
    const vn_tree **below = lists || !out ? NULL : vn__scope_memory((size_t)n * sizeof *below, who);
    if (lists || !below) return lists ? out : NULL;
    for (int i = 1; i < n; i++) {
        if (vn__tree_of(trees[i])->n != b->n)
            return vn__fail(VN_E_STRUCT, "%s: the trees have other keys below \"%.200s\"", who, vn__path(path)), NULL;
    }
    for (size_t k = 0; k < b->n; k++) {
        size_t before = vn__path_push(path, b->items[k].key);
        if (path->failed) return vn__no_memory(who), NULL;
        for (int i = 0; i < n; i++) {
            const vn_value *v = vn__tree_find(trees[i], b->items[k].key, strlen(b->items[k].key));
            if (!v || !vn__is_tree(*v))
                return vn__fail(VN_E_STRUCT, "%s: \"%.200s\" is %s in tree %d", who, vn__path(path), v ? "a leaf outside lists" : "missing",
                                i),
                       NULL;
            below[i] = v->u.tree;
        }
        vn_tree *sub = join(n, below, path, who);
        if (!sub || vn__tree_put(out, b->items[k].key, vn_value_tree(sub), who)) return NULL;
        vn__path_pop(path, before);
    }
    return out;
}

vn_tree *vn_tree_list_join(int n, const vn_tree *const *trees)
{
    static const char who[] = "tree_list_join";
    if (!vn__trees_ok(n, trees, who)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn__text path = {0};
    vn_tree *out = scope < 0 ? NULL : join(n, trees, &path, who);
    vn__free(path.text);
    return vn__tree_out(scope, out, who);
}

static vn_tree *without_keys(const vn_tree *t, const char *who)
{
    const vn__tree *b = vn__tree_of(t);
    vn_tree *list = vn__tree_list(who);
    for (size_t i = 0; list && i < b->n; i++) {
        vn_value v = b->items[i].value;
        if (vn__is_tree(v)) v.u.tree = without_keys(v.u.tree, who);
        if (vn__is_tree(v) && !v.u.tree) return NULL;
        if (vn_tree_append(list, v)) return NULL;
    }
    return list;
}

vn_tree *vn_tree_to_nested_list(const vn_tree *t)
{
    static const char who[] = "tree_to_nested_list";
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, scope < 0 ? NULL : without_keys(t, who), who);
}

static vn_array *operand(vn_value v)
{
    return vn__is_array(v) ? v.u.array : vn_scalar(v.u.number);
}

/* Concatenates the values. Numbers and 0-d arrays are vectors of one element. */
static vn_value concat_values(const vn_value *values, int n)
{
    vn_array **x = vn__scope_memory((size_t)n * sizeof *x, "tree_unify");
    for (int i = 0; x && i < n; i++) {
        vn_array *v = operand(values[i]);
        x[i] = v && !vn_rank(v) ? vn_flatten(v) : v;
    }
    vn_array *all = x ? vn_concat(n, x, 0) : NULL;
    return all ? vn_value_array(all) : vn__nothing();
}

static vn_value unify_values(const vn_value *values, int n, const char *chain, void *user)
{
    vn_unify_mode mode = *(const vn_unify_mode *)user;
    bool mean = mode == VN_UNIFY_MEAN;
    int nulls = 0, numbers = 0;
    for (int i = 0; i < n; i++) nulls += values[i].kind == VN_V_NULL, numbers += values[i].kind == VN_V_NUMBER;
    if (nulls == n) return vn_value_null();
    if (nulls) return vn__fail(VN_E_STRUCT, "\"%.200s\" is null in some trees only", chain), vn__nothing();
    if (mode == VN_UNIFY_CONCAT) return concat_values(values, n);
    if (numbers == n) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += values[i].u.number;
        return vn_value_number(mean ? sum / n : sum);
    }
    vn_array *sum = operand(values[0]);
    for (int i = 1; i < n; i++) sum = vn_add(sum, operand(values[i]));
    if (mean) sum = vn_div(sum, vn_scalar(n));
    return sum ? vn_value_array(sum) : vn__nothing();
}

vn_tree *vn_tree_unify(int n, const vn_tree *const *trees, vn_unify_mode mode)
{
    static const char who[] = "tree_unify";
    if (mode < VN_UNIFY_SUM || mode > VN_UNIFY_CONCAT) return vn__fail(VN_E_ARG, "%s: there is no mode %d", who, (int)mode), NULL;
    return vn__tree_reduce(n, trees, unify_values, &mode, who);
}
