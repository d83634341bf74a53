/* SPDX-License-Identifier: Apache-2.0 */
/* tree_allocation.c: every allocation fails, once and persistently, in programs that use trees: no crash, no leak, an
 * error every time, and trees are unchanged after a failure. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"
#include "core/state.h"

/* ---- the programs; each returns 1 if its result came out right ---- */

static vn_array *num(double v)
{
    return vn_full(vn_scalar(v), VN_SHAPE(1), VN_F32);
}

static vn_tree *abc(void)
{
    return vn_tree_of("a", num(1), "b/c", num(2), "b/d/e", num(3), NULL);
}

static int setting(void)
{
    vn_tree *t = vn_tree_new(VN_OPTS(tree, .insertion_order = 1));
    int set = 0, n = 0;
    for (int i = 0; i < 12 && t; i++) {
        char chain[64];
        snprintf(chain, sizeof chain, "k%d/sub/x", i);
        int code = vn_tree_set_number(t, chain, i);
        set += !code;
        snprintf(chain, sizeof chain, "k%d", i);
        vn_code before = vn_status();
        if (code) CHECK(!vn_tree_has(t, chain)); /* no half of it is there */
        CHECK(vn_status() == before);
    }
    const char *const *keys = t ? vn_tree_keys(t, &n) : NULL;
    CHECK(!keys || n == set);
    return keys && n == 12 && vn_tree_max_depth(t) == 3;
}

static int editing(void)
{
    vn_tree *t = abc(), *u = vn_tree_set_at_key_chain(t, "b/x/y", vn_value_number(4));
    u = vn_tree_combine(2, (const vn_tree *[]){u, vn_tree_of("b/c", num(5), NULL)});
    u = vn_tree_prune_key_chain(u, "b/d");
    u = vn_tree_set_at_keys(u, vn_tree_of("a", num(6), NULL));
    u = vn_tree_at_key_chains(u, VN_KEYS("a", "b/c", "b/x"), NULL);
    u = vn_tree_prune_key_from_key_chains(u, "x", NULL);
    return u && vn_tree_value(u, "b/y").u.number == 4 && vn_item(vn_tree_get(u, "a")) == 6 && vn_item(vn_tree_get(u, "b/c")) == 5;
}

static vn_value tenfold(vn_value v, const char *chain, void *user)
{
    (void)chain, (void)user;
    return vn_value_number(10 * v.u.number);
}

static int in_place(void)
{
    vn_tree *t = vn_tree_new(NULL);
    int made = 0;
    made |= vn_tree_set_number(t, "a", 1);
    made |= vn_tree_set_number(t, "b/c", 2);
    made |= vn_tree_set_number(t, "b/d/e", 3);
    if (made) return 0;
    vn_tree *from = vn_tree_new(NULL);
    made |= vn_tree_set_number(from, "b/d/f", 4);
    made |= vn_tree_set_number(from, "g/h", 5);
    if (made) return 0;
    int code = vn_tree_inplace_update(t, from);
    if (code) { /* all or nothing */
        CHECK(vn_tree_if_exists(t, "g").kind == VN_V_NONE && vn_tree_if_exists(t, "b/d/f").kind == VN_V_NONE &&
              vn_tree_if_exists(t, "b/d/e").u.number == 3);
        return 0;
    }
    vn_tree *m = vn_tree_map(t, tenfold, NULL, VN_OPTS(tree_map, .inplace = 1));
    double a = vn_tree_if_exists(t, "a").u.number, h = vn_tree_if_exists(t, "g/h").u.number;
    CHECK(m ? a == 10 && h == 50 : a == h / 5);
    return m && a == 10 && vn_tree_if_exists(t, "b/d/f").u.number == 40;
}

static vn_value sum_of(const vn_value *v, int n, const char *chain, void *user)
{
    (void)chain, (void)user;
    vn_array *sum = v[0].u.array;
    for (int i = 1; i < n; i++) sum = vn_add(sum, v[i].u.array);
    return sum ? vn_value_array(sum) : (vn_value){.kind = VN_V_NONE};
}

static int walking(void)
{
    vn_tree *t = abc();
    vn_tree *r = vn_tree_reduce(2, (const vn_tree *[]){t, abc()}, sum_of, NULL);
    int n = 0, m = 0;
    const char *const *chains = vn_tree_all_key_chains(r, NULL, &n);
    const vn_value *flat = vn_tree_to_flat_list(r, &m);
    vn_tree *back = flat ? vn_tree_from_flat_list(t, m, flat) : NULL;
    vn_value out = {.kind = VN_V_NONE};
    if (back) vn_tree_apply("add", (vn_value[]){vn_value_tree(back), vn_value_tree(t)}, 2, NULL, 0, &out, 1);
    return chains && n == 3 && out.kind == VN_V_TREE && vn_item(vn_tree_get(out.u.tree, "b/d/e")) == 9;
}

static int shaping(void)
{
    vn_tree *t = abc(), *flat = vn_tree_flatten_key_chains(t, NULL),
            *moved = vn_tree_restructure_key_chains(t, VN_KEYS("b", "x/y", "a", "z"), NULL);
    vn_tree *deep = vn_tree_deep_copy(moved), *order = vn_tree_size_ordered_arrays(deep), *shapes = vn_tree_shapes(t);
    vn_tree *cut = vn_tree_cutoff_at_depth(t, 1), *sorted = vn_tree_sort_by_key(order);
    int n = 0;
    vn_tree *const *rows = vn_tree_unstack(t, 0, &n);
    return flat && vn_tree_has(flat, "b__d__e") && sorted && vn_tree_has(sorted, "x__y__c") && shapes && vn_tree_has(shapes, "b/c/0") &&
           cut && rows && n == 1;
}

static int comparing(void)
{
    vn_tree *a = abc(), *b = vn_tree_of("a", num(1), "b/c", num(7), "b/d/e", num(3), NULL);
    const vn_tree *ab[] = {a, b};
    vn_tree *d = vn_tree_diff(2, ab, VN_OPTS(tree_diff, .mode = VN_DIFF_ONLY));
    int equal = vn_tree_identical(2, ab, VN_OPTS(tree_identical, .no_same_arrays = 1)), alike = vn_tree_identical_structure(2, ab, NULL),
        n = 0;
    const char *where = vn_tree_find_sub_tree(a, vn_tree_get_tree(a, "b/d"), NULL), *text = vn_tree_text(d, NULL);
    const char *const *const *twins = vn_tree_duplicate_array_key_chains(a, &n);
    return d && vn_tree_leaves(d) == 2 && equal == 0 && alike == 1 && where && !strcmp(where, "b/d") && text &&
           strstr(text, "diff_1: [7.]") && twins && n == 0 && vn_tree_all_true(a, NULL) == 1;
}

static const char *same_name(const char *chain, void *user)
{
    (void)user;
    return chain;
}

static vn_value same_value(vn_value v, const char *chain, void *user)
{
    (void)chain, (void)user;
    return v;
}

static vn_array *square(vn_array *x, void *user)
{
    (void)user;
    return vn_square(x);
}

static int squares(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    return (out[0] = vn_square(in[0])) ? VN_OK : (int)vn_status();
}

/* The list of scopes is full: the first thing that each function allocates is room for its own. */
static int full_scopes(void)
{
    vn_tree *t = abc(), *lists = vn_tree_of("x/0", num(1), NULL);
    const vn_tree *const two[] = {t, t}, *const twice[] = {lists, lists};
    const vn_value in[] = {vn_value_tree(t), vn_value_tree(t)};
    vn_array *x = num(3), *y = NULL, *z = NULL;
    vn_fn *f = vn_capture(squares, 1, NULL);
    vn_module *m = vn_nn_relu();
    vn_value out = {.kind = VN_V_NONE};
    int n = 0;
    vn__state *s = vn__peek();
    if (!t || !lists || !x || !f || !m) return 0;
    while (s->n_marks < s->cap_marks || !s->cap_marks)
        if (vn_scope_begin() < 0) return 0;
    const bool right[] = {vn_tree_list_join(2, twice) != NULL,
                          vn_tree_to_nested_list(t) != NULL,
                          vn_tree_diff(2, two, NULL) != NULL,
                          vn_tree_combine(2, two) != NULL,
                          !vn_tree_apply("add", in, 2, NULL, 0, &out, 1),
                          vn_tree_unstack(t, 0, &n) != NULL,
                          vn_tree_map(t, same_value, NULL, VN_OPTS(tree_map, .inplace = 1)) == t,
                          vn_tree_map_sub_trees(t, same_value, NULL, NULL) != NULL,
                          vn_tree_multi_map(sum_of, 2, in, NULL, NULL) != NULL,
                          vn_tree_slice_via_key(t, "b") != NULL,
                          vn_tree_format_key_chains(t, same_name, NULL) != NULL,
                          vn_tree_flatten_key_chains(t, NULL) != NULL,
                          vn_tree_map_arrays(t, square, NULL) != NULL,
                          vn_tree_set_at_key_chain(t, "q", vn_value_null()) != NULL,
                          vn_tree_set_at_key_chains(t, t) != NULL,
                          vn_tree_size_ordered_arrays(t) != NULL,
                          vn_tree_restructure_key_chains(t, VN_KEYS("a", "z"), NULL) != NULL,
                          vn_tree_deep_copy(t) != NULL,
                          vn_grad_of(square, x, NULL) != NULL,
                          !vn_fn_call_many(f, 1, &x, 1, &y),
                          (z = vn_module_call(m, x, NULL)) != NULL};
    for (size_t k = 0; k < sizeof right / sizeof *right; k++)
        if (!right[k]) return 0;
    return vn_item(y) == 9 && vn_item(z) == 3;
}

int main(void)
{
    FAIL_ALL(full_scopes);
    FAIL_ALL(setting);
    FAIL_ALL(editing);
    FAIL_ALL(in_place);
    FAIL_ALL(walking);
    FAIL_ALL(shaping);
    FAIL_ALL(comparing);
    return finish();
}
