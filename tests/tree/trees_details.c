/* SPDX-License-Identifier: Apache-2.0 */
/* trees_details.c: what functions of trees do at their limits: leaves of other kinds, flags that are none, lists of nothing, keys that are taken. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "tree/trees.h"

static vn_tree *leaf_of(vn_value v)
{
    vn_tree *t = vn_tree_new(NULL);
    return vn_tree_set_value(t, "a", v) ? NULL : t;
}

static vn_tree *array_of(vn_array *x)
{
    return leaf_of(vn_value_array(x));
}

static vn_tree *number_of(double x)
{
    return leaf_of(vn_value_number(x));
}

#define BOTH(a, b) ((const vn_tree *[]){a, b})

/* Whether leaves are equal, in both directions, by value and in any dtype. */
static int equal(vn_tree *a, vn_tree *b)
{
    const int there = vn_tree_identical(2, BOTH(a, b), VN_OPTS(tree_identical, .no_same_arrays = 1, .no_types = 1)),
              back = vn_tree_identical(2, BOTH(b, a), VN_OPTS(tree_identical, .no_same_arrays = 1, .no_types = 1));
    return there == back ? there : -2;
}

TEST(leaves)
{
    vn_tree *none = leaf_of(vn_value_null()), *one = number_of(1), *two = number_of(2), *zero_d = array_of(vn_scalar(1));
    CHECK(equal(none, leaf_of(vn_value_null())) == 1 && equal(none, one) == 0 && equal(one, two) == 0 && equal(one, number_of(1)) == 1);
    CHECK(equal(number_of(NAN), number_of(NAN)) == 1);
    CHECK(equal(one, zero_d) == 1 && equal(two, zero_d) == 0 && equal(one, array_of(num(1))) == 0);
    vn_array *complex = vn_complex(vn_scalar(1), vn_scalar(2));
    CHECK(equal(one, array_of(complex)) == 0);
    CHECK(vn_tree_identical(2, BOTH(one, zero_d), VN_OPTS(tree_identical, .no_same_arrays = 1)) == 0); /* of other types */
    CHECK(vn_tree_identical(2, BOTH(one, zero_d), VN_OPTS(tree_identical, .no_types = 1)) == 0);       /* not the same array */
    CHECK(vn_tree_identical_structure(2, BOTH(one, zero_d), VN_OPTS(tree_identical, .no_types = 1)) == 1);
    CHECK(vn_tree_identical_structure(2, BOTH(one, array_of(num(1))), VN_OPTS(tree_identical, .no_types = 1)) == 0);
    CHECK(vn_tree_identical_structure(2, BOTH(one, array_of(num(1))), VN_OPTS(tree_identical, .no_types = 1, .no_shapes = 1)) == 1);
    CHECK(vn_tree_identical_structure(2, BOTH(one, two), NULL) == 1 && vn_tree_identical(2, BOTH(one, two), NULL) == 0);
    CHECK(vn_tree_identical(2, BOTH(none, leaf_of(vn_value_null())), NULL) == 1 && vn_tree_identical(2, BOTH(none, one), NULL) == 0);

    vn_tree *i32 = array_of(vn_from_host((int32_t[]){1, -1}, VN_I32, VN_SHAPE(2))),
            *i64 = array_of(vn_from_host((int64_t[]){1, -1}, VN_I64, VN_SHAPE(2)));
    vn_tree *u64 = array_of(vn_from_host((uint64_t[]){1, UINT64_MAX}, VN_U64, VN_SHAPE(2)));
    vn_tree *f32 = array_of(vn_from((float[]){1, -1}, VN_SHAPE(2))),
            *more = array_of(vn_from_host((int32_t[]){1, -2}, VN_I32, VN_SHAPE(2)));
    CHECK(equal(i32, i64) == 1 && equal(i64, u64) == 0 && equal(i32, more) == 0 && equal(more, i64) == 0 && equal(i32, f32) == 1);
    CHECK(equal(i32, array_of(vn_from_host((int32_t[]){1, -1}, VN_I32, VN_SHAPE(2)))) == 1);
    CHECK(equal(array_of(vn_zeros(VN_SHAPE(0), VN_F32)), array_of(vn_zeros(VN_SHAPE(0), VN_F32))) == 1);
    CHECK(equal(array_of(vn_zeros(VN_SHAPE(0), VN_F32)), array_of(vn_zeros(VN_SHAPE(0, 1), VN_F32))) == 0);
}

TEST(differences)
{
    vn_tree *many = vn_tree_new(NULL), *none = vn_tree_new(NULL);
    for (int i = 0; i < 12; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%02d", i);
        CHECK(!vn_tree_set_number(many, key, i));
    }
    CHECK_FAILS(vn_tree_assert_identical_structure(2, BOTH(many, none), NULL), VN_E_STRUCT, "\"k07\": only the first has it; and 4 more");
    vn_tree *a = abc(), *leaf = vn_tree_of("a", num(1), "b", num(2), NULL);
    const vn_tree *const kinds[] = {a, leaf}, *const back[] = {leaf, a};
    CHECK(vn_tree_identical_structure(2, kinds, NULL) == 0 && vn_tree_identical_structure(2, back, NULL) == 0);
    /* a leaf on the path to what is compared */
    CHECK(vn_tree_identical_structure(2, kinds, VN_OPTS(tree_identical, .key_chains = VN_KEYS("b/c"))) == 0);
    CHECK(vn_tree_identical_structure(2, kinds, VN_OPTS(tree_identical, .key_chains = VN_KEYS("a"))) == 1);
    const vn_tree *const three[] = {vn_tree_of("a", num(1), NULL), vn_tree_of("a", num(1), "q/z", num(2), NULL),
                                    vn_tree_of("a", num(1), "q/z", num(2), NULL)};
    IS(vn_tree_diff(3, three, NULL), "a:1 q/diff_1,2/z:2");
    IS(vn_tree_diff(3, three, VN_OPTS(tree_diff, .no_keys = 1)), "a:1 q/z:2");
    const vn_tree *const shapes[] = {vn_tree_of("a", num(1), NULL), vn_tree_of("a", vn_zeros(VN_SHAPE(2), VN_F32), NULL)};
    IS(vn_tree_diff(2, shapes, VN_OPTS(tree_diff, .no_values = 1)), "a/diff_0:1 a/diff_1:[2]");
    IS(vn_tree_diff(2, shapes, VN_OPTS(tree_diff, .no_values = 1, .no_shapes = 1)), "a:1");
    IS(vn_tree_structural_diff(2, shapes, VN_OPTS(tree_diff, .no_shapes = 1)), "a:1");
    enum { TREES = 400 };
    const vn_tree *all[TREES];
    for (int i = 0; i < TREES; i++) all[i] = three[1];
    all[0] = three[0];
    CHECK_FAILS(vn_tree_diff(TREES, all, NULL), VN_E_ARG, "tree_diff: too many trees");
}

TEST(flags)
{
    vn_tree *t = abc();
    const vn_tree *const two[] = {t, t};
    const vn_value in[] = {vn_value_tree(t)};
    CHECK_FAILS(vn_tree_identical(2, two, VN_OPTS(tree_identical, .partial = 2)), VN_E_ARG, "partial is 2");
    CHECK_FAILS(vn_tree_assert_identical_structure(2, two, VN_OPTS(tree_identical, .no_types = -1)), VN_E_ARG, "no_types is -1");
    CHECK_FAILS(vn_tree_contains_sub_structure(t, t, VN_OPTS(tree_structure, .partial = 2)), VN_E_ARG, "partial is 2");
    CHECK_FAILS(vn_tree_diff(2, two, VN_OPTS(tree_diff, .no_keys = 2)), VN_E_ARG, "no_keys is 2");
    CHECK_FAILS(vn_tree_flatten_key_chains(t, VN_OPTS(tree_flatten, .include_empty = 2)), VN_E_ARG, "include_empty is 2");
    CHECK_FAILS(vn_tree_restructure_key_chains(t, VN_KEYS("a", "b"), VN_OPTS(tree_restructure, .replace = 2)), VN_E_ARG, "replace is 2");
    CHECK_FAILS(vn_tree_all_true(t, VN_OPTS(tree_truth, .assert_is_bool = 2)), VN_E_ARG, "assert_is_bool is 2");
    CHECK_FAILS(vn_tree_iterate(t, VN_OPTS(tree_iterate, .arrays_only = 2), NULL), VN_E_ARG, "arrays_only is 2");
    CHECK_FAILS(vn_tree_map(t, NULL, NULL, VN_OPTS(tree_map, .others = 2)), VN_E_ARG, "others is 2");
    CHECK_FAILS(vn_tree_multi_map(NULL, 1, in, NULL, VN_OPTS(tree_map, .others = 2)), VN_E_ARG, "others is 2");
}

static int first_leaf(vn_value v, const char *chain, void *user)
{
    (void)v, (void)user;
    return !strcmp(chain, "a");
}

static vn_value first_value(const vn_value *values, int n, const char *chain, void *user)
{
    (void)n, (void)chain, (void)user;
    return values[0];
}

TEST(missing_arguments)
{
    vn_tree *t = abc();
    const vn_value in[] = {vn_value_tree(t)};
    CHECK_FAILS(vn_tree_set(t, "k", NULL), VN_E_NULL, "k is NULL");
    CHECK_FAILS(vn_tree_set(t, NULL, NULL), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_tree_create_if_absent(t, "k", (vn_value){.kind = 77}), VN_E_ARG, "kind 77");
    CHECK_FAILS(vn_tree_create_if_absent(t, NULL, vn_value_null()), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_tree_has_key(t, NULL), VN_E_NULL, "the key is NULL");
    CHECK_FAILS(vn_tree_try_key_chain(t, NULL), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_tree_set_at_key_chains(t, NULL), VN_E_NULL, "from is NULL");
    CHECK_FAILS(vn_tree_overwrite_at_key_chains(t, NULL), VN_E_NULL, "from is NULL");
    CHECK_FAILS(vn_tree_assign(t, NULL), VN_E_NULL, "from is NULL");
    CHECK_FAILS(vn_tree_split(NULL, 2, 0), VN_E_NULL, "t is NULL");
    CHECK_FAILS(vn_tree_cutoff_at_height(t, -1), VN_E_ARG, "height is -1");
    CHECK_FAILS(vn_tree_flatten_key_chains(t, VN_OPTS(tree_flatten, .above_height = -1)), VN_E_ARG, "above_height is -1");
    CHECK_FAILS(vn_tree_flatten_key_chains(t, VN_OPTS(tree_flatten, .below_depth = -1)), VN_E_ARG, "below_depth -1");
    CHECK_FAILS(vn_tree_from_flat_list(t, 3, (const vn_value[]){vn_value_null(), vn_value_null(), {.kind = 77}}), VN_E_ARG, "value 2");
    CHECK_FAILS(vn_tree_restructure(t, -1, NULL, NULL), VN_E_ARG, "-1 moves");
    CHECK_FAILS(vn_tree_restructure(t, 1, NULL, NULL), VN_E_NULL, "the list of 1 moves is NULL");
    CHECK_FAILS(vn_tree_restructure(t, 1, &(vn_tree_move){.from = "a"}, NULL), VN_E_NULL, "an old or new chain is NULL");
    CHECK_FAILS(vn_tree_restructure(t, 1, &(vn_tree_move){.to = "a"}, VN_OPTS(tree_restructure, .keep_orig = 1, .replace = 1)), VN_E_NULL,
                "an old or new chain is NULL");
    CHECK_FAILS(vn_tree_multi_map(NULL, 1, in, NULL, NULL), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_tree_multi_map(first_value, 1, NULL, NULL, NULL), VN_E_NULL, "the list of inputs is NULL");
    CHECK_FAILS(vn_tree_multi_map(first_value, 0, in, NULL, NULL), VN_E_ARG, "0 inputs; at least one is needed");
    CHECK_FAILS(vn_tree_multi_map(first_value, 1, &(vn_value){.kind = 77}, NULL, NULL), VN_E_ARG, "input 0");
    CHECK_FAILS(vn_tree_text(t, VN_OPTS(tree_text, .print_limit = -1)), VN_E_ARG, "print_limit is -1");
    CHECK_FAILS(vn_tree_text(t, VN_OPTS(tree_text, .indent = 1 << 20)), VN_E_ARG, "indent 1048576");
    CHECK_FAILS(vn_tree_text(t, VN_OPTS(tree_text, .max_depth = -1)), VN_E_ARG, "max_depth -1");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        CHECK_FAILS(vn_tree_fprint(full, t, NULL), VN_E_IO, "tree_fprint: writing failed");
        fclose(full);
    }
    /* results that are not counted */
    CHECK(same_list(vn_tree_argwhere(t, first_leaf, NULL, NULL), VN_KEYS("a")));
    CHECK(same_list(vn_tree_common_key_chains(2, (const vn_tree *[]){t, t}, NULL), VN_KEYS("a", "b/c", "b/d")));
    CHECK(vn_tree_duplicate_array_key_chains(t, NULL) && !vn_tree_duplicate_array_key_chains(t, NULL)[0]);
}

TEST(keys)
{
    vn_tree *t = vn_tree_new(NULL);
    CHECK(!vn_tree_set_number(t, "1", 5) && !vn_tree_append(t, vn_value_number(6))); /* "1" is taken */
    IS(t, "1:#5 2:#6");
    vn_tree *list = vn_tree_new(NULL), *named = vn_tree_new(NULL);
    CHECK(!vn_tree_set_number(list, "7/x", 1) && !vn_tree_set_number(list, "10/x", 2) && !vn_tree_set_number(list, "9/x", 3));
    IS(vn_tree_at(list, 1), "x:#3");
    CHECK_FAILS(vn_tree_at(list, 3), VN_E_STRUCT, "no \"3\"");
    CHECK(!vn_tree_set_number(named, "12345678901/x", 1) && !vn_tree_set_number(named, "name/x", 2) &&
          !vn_tree_set_number(named, "3/x", 3));
    IS(vn_tree_at(named, 2), "x:#2");
    CHECK_FAILS(vn_tree_at(named, 4), VN_E_STRUCT, "no \"4\"");
    CHECK_FAILS(vn_tree_at(named, -1), VN_E_STRUCT, "no \"-1\"");
    CHECK_FAILS(vn_tree_get(abc(), "a/b"), VN_E_STRUCT, "\"a\" has nothing below it");
}

TEST(edits)
{
    vn_tree *t = abc(), *empty = vn_tree_new(NULL), *from = vn_tree_new(NULL);
    CHECK(!vn_tree_set_tree(from, "b", empty) && !vn_tree_set_number(from, "a", 5));
    IS(vn_tree_set_at_key_chains(t, from), "a:#5 b/c:2 b/d:3"); /* an empty tree changes nothing */
    IS(vn_tree_overwrite_at_key_chains(t, from), "a:#5 b/c:2 b/d:3");
    CHECK_FAILS(vn_tree_overwrite_at_key_chains(t, vn_tree_of("a/x", num(1), NULL)), VN_E_STRUCT, "there is nothing at \"a\"");
    CHECK_FAILS(vn_tree_overwrite_at_key_chains(t, vn_tree_of("b/x", num(1), NULL)), VN_E_STRUCT, "there is nothing at \"b/x\"");
    vn_tree *shared = vn_tree_new(NULL);
    CHECK(!vn_tree_set_tree(shared, "b", vn_tree_get_tree(t, "b")));
    IS(vn_tree_combine(2, BOTH(t, shared)), "a:1 b/c:2 b/d:3"); /* the same sub-tree */
    IS(vn_tree_at_key_chains(t, VN_KEYS("b/c", ""), NULL), "a:1 b/c:2 b/d:3");

    /* a level goes, and what was below it meets what is there */
    vn_tree *levels = vn_tree_of("x/p/q", num(1), "x/r", num(2), "p/s", num(3), NULL);
    IS(vn_tree_prune_key_from_key_chains(levels, "x"), "p/q:1 p/s:3 r:2");
    CHECK_FAILS(vn_tree_prune_key_from_key_chains(vn_tree_of("x/p", num(1), "p", num(2), NULL), "x"), VN_E_STRUCT,
                "two entries claim the key \"p\"");
    CHECK_FAILS(vn_tree_prune_key_from_key_chains(vn_tree_of("x/p/q", num(1), "p/q", num(2), NULL), "x"), VN_E_STRUCT,
                "two entries claim the key \"q\"");
    CHECK_FAILS(vn_tree_prune_key_from_key_chains(vn_tree_of("x", num(1), NULL), "x"), VN_E_STRUCT, "the root would become a leaf");

    /* in place, with more sub-trees than there is room at first */
    vn_tree *wide = vn_tree_new(NULL), *next = vn_tree_new(NULL);
    for (int i = 0; i < 40; i++) {
        char chain[32];
        snprintf(chain, sizeof chain, "k%d/x", i);
        CHECK(!vn_tree_set_number(wide, chain, i) && !vn_tree_set_number(next, chain, i + 1));
    }
    vn_tree *kept = vn_tree_get_tree(wide, "k39");
    CHECK(!vn_tree_assign(wide, next) && vn_tree_value(kept, "x").u.number == 40);
    vn_tree *leaf = abc(), *tree = vn_tree_of("a/z", num(4), "b", num(5), NULL);
    CHECK(!vn_tree_assign(leaf, tree));
    IS(leaf, "a/z:4 b:5");
}

TEST(several_trees)
{
    const vn_tree *const numbers[] = {number_of(1), number_of(3)}, *const nulls[] = {leaf_of(vn_value_null()), leaf_of(vn_value_null())},
                         *const mixed[] = {leaf_of(vn_value_null()), number_of(1)};
    IS(vn_tree_unify(2, numbers, VN_UNIFY_SUM), "a:#4");
    IS(vn_tree_unify(2, numbers, VN_UNIFY_MEAN), "a:#2");
    IS(vn_tree_unify(2, nulls, VN_UNIFY_SUM), "a:null");
    CHECK_FAILS(vn_tree_unify(2, mixed, VN_UNIFY_SUM), VN_E_STRUCT, "\"a\" is null in some trees only");
    vn_value out[1];
    CHECK_FAILS(
        vn_tree_apply("add", (const vn_value[]){vn_value_tree(leaf_of(vn_value_null())), vn_value_tree(number_of(1))}, 2, NULL, 0, out, 1),
        VN_E_STRUCT, "\"a\" is null in some trees only");
    CHECK_FAILS(vn_tree_apply("add", NULL, 2, NULL, 0, out, 1), VN_E_NULL, "a list is NULL");
    CHECK_FAILS(vn_tree_apply("add", (const vn_value[]){vn_value_tree(number_of(1))}, 1, NULL, 0, NULL, 1), VN_E_NULL, "a list is NULL");
    CHECK_FAILS(vn_tree_apply("add", NULL, -1, NULL, 0, out, 1), VN_E_ARG, "-1");
    CHECK_FAILS(
        vn_tree_apply("add", (const vn_value[]){vn_value_number(1), vn_value_array(vn_zeros(VN_SHAPE(2), VN_BOOL))}, 2, NULL, 0, out, 1),
        VN_E_DTYPE, "");
    CHECK_FAILS(vn_tree_unstack(vn_tree_of("a", num(1), NULL), 1, NULL), VN_E_ARG, "");
    CHECK_FAILS(vn_tree_unstack(vn_tree_of("a", vn_broadcast_to(vn_scalar(1), VN_SHAPE((1 << 24) + 1)), NULL), 0, NULL), VN_E_ARG,
                "trees are too many");
    CHECK_FAILS(vn_tree_list_join(2, BOTH(vn_tree_of("x/0", num(1), NULL), vn_tree_of("x/0", num(1), "y/0", num(2), NULL))), VN_E_STRUCT,
                "the trees have other keys below \"\"");
    CHECK_FAILS(vn_tree_list_join(2, BOTH(vn_tree_of("x/0", num(1), NULL), vn_tree_of("y/0", num(1), NULL))), VN_E_STRUCT,
                "\"x\" is missing in tree 1");
    CHECK_FAILS(vn_tree_list_join(2, BOTH(vn_tree_of("x", num(1), NULL), vn_tree_of("x", num(1), NULL))), VN_E_STRUCT,
                "\"x\" is a leaf outside lists in tree 0");
    IS(vn_tree_list_join(2, BOTH(vn_tree_of("x/0", num(1), NULL), vn_tree_of("x/0", num(2), NULL))), "x/0:1 x/1:2");
    /* an input that repeats, one that has a sub-tree the other lacks */
    const vn_value in[] = {vn_value_number(9), vn_value_tree(vn_tree_of("a", num(1), NULL)),
                           vn_value_tree(vn_tree_of("b/c", num(2), NULL))};
    IS(vn_tree_multi_map(first_value, 3, in, NULL, NULL), "a:#9 b/c:#9");
    IS(vn_tree_multi_map(first_value, 3, in, NULL, VN_OPTS(tree_map, .key_chains = VN_KEYS("a"), .prune_unapplied = 1)), "a:#9");
}

static vn_value dropped_leaf(vn_value v, const char *chain, void *user)
{
    (void)chain;
    return user ? vn_value_number(1) : v;
}

TEST(shapes_and_moves)
{
    vn_tree *t = abc(), *with_null = vn_tree_of("a", num(1), NULL), *empty = vn_tree_new(NULL);
    CHECK(!vn_tree_set_null(with_null, "n") && !vn_tree_set_number(with_null, "x", 2) && !vn_tree_set_tree(with_null, "e", empty));
    IS(vn_tree_shapes(with_null), "a/0:#1 e:{} n:null x:{}");
    IS(vn_tree_as_bools(with_null), "a:1 e:{} n:#0 x:#1");
    CHECK(vn_tree_all_true(with_null) == 0 && vn_tree_all_false(with_null) == 0 && vn_tree_all_true(vn_tree_of("a", num(1), NULL)) == 1);
    CHECK(vn_tree_all_true(number_of(1)) == 1 && vn_tree_all_true(number_of(0)) == 0 && vn_tree_all_false(leaf_of(vn_value_null())) == 1);
    CHECK_FAILS(vn_tree_all_true(number_of(1), VN_OPTS(tree_truth, .assert_is_bool = 1)), VN_E_DTYPE, "\"a\" is no bool array");
    CHECK_FAILS(vn_tree_all_true(t, VN_OPTS(tree_truth, .assert_is_bool = 1)), VN_E_DTYPE, "\"a\" is no bool array");
    CHECK(vn_tree_all_true(array_of(vn_ones(VN_SHAPE(2), VN_BOOL)), VN_OPTS(tree_truth, .assert_is_bool = 1)) == 1);
    const vn_tree *const numbers[] = {t, vn_tree_of("a", num(1), NULL)};
    CHECK(vn_tree_identical_array_shapes(2, numbers) == 0);
    CHECK(vn_tree_identical_array_shapes(2, BOTH(array_of(num(1)), array_of(vn_ones(VN_SHAPE(1, 1), VN_F32)))) == 0);
    IS(vn_tree_slice_keys(t, 0, 1), "a:1");
    IS(vn_tree_slice_letters(vn_tree_of("A", num(0), "a", num(1), "z", num(2), NULL), 'a', 'b'), "a:1");
    CHECK_FAILS(vn_tree_slice_via_key(t, "a"), VN_E_STRUCT, "the root's own \"a\" is a leaf");

    /* a whole sub-tree is rearranged on its way, and leaves that are no arrays stay */
    vn_tree *pairs = vn_tree_of("s/x", vn_zeros(VN_SHAPE(2, 3), VN_F32), "s/y", vn_zeros(VN_SHAPE(4, 3), VN_F32), NULL);
    CHECK(!vn_tree_set_number(pairs, "n", 1));
    vn_tree *turned = vn_tree_restructure(
        pairs, 2, (vn_tree_move[]){{.from = "s", .to = "s", .pattern = "a b -> b a"}, {.from = "n", .to = "m", .pattern = "a b -> b a"}},
        NULL);
    CHECK(vn_dim(vn_tree_get(turned, "s/x"), 0) == 3 && vn_dim(vn_tree_get(turned, "s/y"), 1) == 4 &&
          vn_tree_value(turned, "m").u.number == 1);
    CHECK_FAILS(vn_tree_restructure(pairs, 1, &(vn_tree_move){.from = "s", .to = "s", .pattern = "a -> a"}, NULL), VN_E_SHAPE, "");
    IS(vn_tree_restructure_key_chains(t, VN_KEYS("", "all"), VN_OPTS(tree_restructure, .keep_orig = 1, .replace = 1)),
       "all/a:1 all/b/c:2 all/b/d:3");
    IS(vn_tree_restructure_key_chains(t, VN_KEYS("b", ""), VN_OPTS(tree_restructure, .keep_orig = 1)), "a:1 b/c:2 b/d:3 c:2 d:3");

    int n = -1;
    CHECK(vn_tree_iterate(with_null, VN_OPTS(tree_iterate, .arrays_only = 1, .include_empty = 1), &n) &&
          n == 2); /* an empty tree is no leaf */
    vn_tree *nested = vn_tree_of("p/q", num(1), NULL), *below = vn_tree_new(NULL);
    CHECK(!vn_tree_set_tree(nested, "e/f", below));
    IS(vn_tree_map_sub_trees(nested, dropped_leaf, NULL, VN_OPTS(tree_map, .key_chains = VN_KEYS("p"), .prune_unapplied = 1)), "p/q:1");
    IS(vn_tree_map_sub_trees(nested, dropped_leaf, nested, VN_OPTS(tree_map, .no_self = 1)), "e:#1 p:#1");
    CHECK_FAILS(vn_tree_map_sub_trees(nested, dropped_leaf, nested), VN_E_CALLBACK, "made a leaf of the tree itself");
    CHECK(!strcmp(vn_tree_text(array_of(vn_zeros(VN_SHAPE(2, 1, 1), VN_F32))), "{\n    a: [[[0.]]\n\n        [[0.]]]\n}"));
}

TEST_MAIN
