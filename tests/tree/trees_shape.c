/* SPDX-License-Identifier: Apache-2.0 */
/* trees_shape.c: listing, restructuring and comparing trees, ops on them, and who owns what. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
/* ctest: valgrind */
#include "tree/trees.h"

TEST(listing)
{
    vn_tree *t = abc();
    vn_tree_set_tree(t, "e", vn_tree_new(NULL));
    vn_tree_set_null(t, "b/n");
    int n;
    CHECK(same_list(vn_tree_all_key_chains(t, NULL, &n), VN_KEYS("a", "b/c", "b/d", "b/n")) && n == 4);
    CHECK(same_list(vn_tree_all_key_chains(t, VN_OPTS(tree_iterate, .include_empty = 1), NULL), VN_KEYS("a", "b/c", "b/d", "b/n", "e")));
    CHECK(same_list(vn_tree_all_key_chains(t, VN_OPTS(tree_iterate, .leaf_keys_only = 1), NULL), VN_KEYS("a", "c", "d", "n")));
    CHECK(same_list(vn_tree_all_key_chains(t, VN_OPTS(tree_iterate, .arrays_only = 1), NULL), VN_KEYS("a", "b/c", "b/d")));
    CHECK(same_list(vn_tree_key_chains_containing(t, "/", NULL, &n), VN_KEYS("b/c", "b/d", "b/n")) && n == 3);
    CHECK(same_list(vn_tree_common_key_chains(2, (const vn_tree *[]){t, vn_tree_of("b/d", num(0), "a/x", num(0), NULL)}, &n),
                    VN_KEYS("b/d")) &&
          n == 1);
    CHECK_FAILS(vn_tree_key_chains_containing(t, NULL, NULL, &n), VN_E_NULL, "text");
    const vn_value *flat = vn_tree_to_flat_list(t, &n);
    CHECK(n == 4 && flat[1].u.array == vn_tree_get(t, "b/c") && flat[3].kind == VN_V_NULL);
    vn_value other[4] = {vn_value_number(1), vn_value_number(2), vn_value_number(3), vn_value_number(4)};
    IS(vn_tree_from_flat_list(t, 4, other), "a:#1 b/c:#2 b/d:#3 b/n:#4 e:{}");
    IS(vn_tree_from_flat_list(t, 4, flat), "a:1 b/c:2 b/d:3 b/n:null e:{}");
    CHECK_FAILS(vn_tree_from_flat_list(t, 3, other), VN_E_STRUCT, "3 values for the 4 leaves");
    {
        VN_SCOPE;
        CHECK(vn_tree_iterate(t, NULL, NULL)[0].value.u.array == vn_tree_get(t, "a"));
    }
    CHECK_FAILS(vn_tree_iterate(NULL, NULL, &n), VN_E_NULL, "tree_iterate");
}

static const char *renamed(const char *chain, void *user)
{
    if (!user) return NULL;
    snprintf(user, 100, "p.%s_", chain);
    for (char *c = user; *c; c++) *c = *c == '/' ? '-' : *c;
    return user;
}

TEST(shaping)
{
    vn_tree *t = vn_tree_of("a/b/c/d", num(1), "a/b/e", num(2), "f", num(3), NULL);
    IS(vn_tree_flatten_key_chains(t, NULL), "a__b__c__d:1 a__b__e:2 f:3");
    IS(vn_tree_flatten_key_chains(t, VN_OPTS(tree_flatten, .above_height = 1)), "a__b/e:2 a__b__c/d:1 f:3");
    IS(vn_tree_flatten_key_chains(t, VN_OPTS(tree_flatten, .below_depth = 1)), "a/b__c__d:1 a/b__e:2 f:3");
    IS(vn_tree_flatten_key_chains(t, VN_OPTS(tree_flatten, .below_depth = 1, .above_height = 1)), "a/b/e:2 a/b__c/d:1 f:3");
    CHECK_FAILS(vn_tree_flatten_key_chains(vn_tree_of("a/b", num(1), "a__b", num(2), NULL), NULL), VN_E_STRUCT, "claim \"a__b\"");

    IS(vn_tree_restructure_key_chains(t, VN_KEYS("a/b", "x/y", "f", "g"), NULL), "g:3 x/y/c/d:1 x/y/e:2");
    IS(vn_tree_restructure_key_chains(t, VN_KEYS("a/b/c", "c"), VN_OPTS(tree_restructure, .keep_orig = 1)), "a/b/c/d:1 a/b/e:2 c/d:1 f:3");
    IS(vn_tree_restructure_key_chains(t, VN_KEYS("a/b/c", "c"), VN_OPTS(tree_restructure, .keep_orig = 1, .replace = 1)),
       "a/b/e:2 c/d:1 f:3");
    vn_tree *up = vn_tree_restructure_key_chains(t, VN_KEYS("", "all/of/it"), NULL);
    IS(up, "all/of/it/a/b/c/d:1 all/of/it/a/b/e:2 all/of/it/f:3");
    CHECK(vn_tree_get_tree(up, "all/of/it") == t); /* the same handle */
    IS(vn_tree_restructure_key_chains(t, VN_KEYS("a/b", ""), NULL), "c/d:1 e:2");
    IS(vn_tree_restructure_key_chains(t, VN_KEYS("a/b/c", "m", "f", "m/f"), NULL), "m/d:1 m/f:3");
    IS(t, "a/b/c/d:1 a/b/e:2 f:3");
    CHECK_FAILS(vn_tree_restructure_key_chains(t, VN_KEYS("q", "x"), NULL), VN_E_STRUCT, "\"q\"");
    CHECK_FAILS(vn_tree_restructure_key_chains(t, VN_KEYS("f", ""), NULL), VN_E_STRUCT, "leaf");
    CHECK_FAILS(vn_tree_restructure_key_chains(t, VN_KEYS("f"), NULL), VN_E_ARG, "no new chain");
    vn_tree *m = vn_tree_of("w", vn_from((float[]){0, 1, 2, 3, 4, 5}, VN_SHAPE(2, 3)), NULL);
    vn_shape flat = VN_SHAPE(6), split = VN_SHAPE(2, 3, 1);
    vn_axes order = VN_AXES(1, 0), order3 = VN_AXES(1, 0, 2);
    vn_tree *r = vn_tree_restructure(m, 2,
                                     (vn_tree_move[]){{.from = "w", .to = "t/w", .axes = &order, .shape = &flat},
                                                      {.from = "w", .to = "s", .split = &split, .axes = &order3}},
                                     NULL);
    float got[6];
    CHECK(r && !vn_read(vn_tree_get(r, "t/w"), got, sizeof got) && got[1] == 3 && got[2] == 1 && got[5] == 5);
    CHECK(r && vn_rank(vn_tree_get(r, "s")) == 3 && vn_dim(vn_tree_get(r, "s"), 0) == 3);
    CHECK_FAILS(vn_tree_restructure(m, 1, (vn_tree_move[]){{.from = "w", .to = "x", .split = &split, .axes = &order}}, NULL), VN_E_ARG,
                "permute_dims");

    vn_tree *d = vn_tree_of("a/c/d", num(1), "b/c/d", num(2), "b/c/e", num(3), NULL);
    IS(vn_tree_cutoff_at_depth(d, 1), "a:{} b:{}");
    IS(vn_tree_cutoff_at_depth(d, 2), "a/c:{} b/c:{}");
    IS(vn_tree_cutoff_at_depth(d, 3), "a/c/d:1 b/c/d:2 b/c/e:3");
    IS(vn_tree_cutoff_at_depth(d, 0), "");
    IS(vn_tree_cutoff_at_height(d, 0), "a/c/d:1 b/c/d:2 b/c/e:3");
    IS(vn_tree_cutoff_at_height(d, 1), "a/c:{} b/c:{}");
    IS(vn_tree_cutoff_at_height(d, 2), "a:{} b:{}");
    IS(vn_tree_cutoff_at_height(d, 3), "");
    CHECK_FAILS(vn_tree_cutoff_at_depth(d, -1), VN_E_ARG, "-1");
    vn_tree *k = vn_tree_of("a", num(1), "b/x", num(2), "b/y", num(3), "c", num(4), NULL);
    IS(vn_tree_slice_keys(k, 1, 3, NULL), "b/x:2 b/y:3 c:4");
    IS(vn_tree_slice_keys(k, -2, 3, VN_OPTS(tree_select, .all_depths = 1)), "b/x:2 b/y:3 c:4");
    IS(vn_tree_slice_keys(k, 0, 1, VN_OPTS(tree_select, .all_depths = 1)), "a:1");
    IS(vn_tree_slice_keys(k, 1, -1, VN_OPTS(tree_select, .all_depths = 1)), "b:{}");
    IS(vn_tree_slice_letters(k, 'a', 'b', NULL), "a:1 b/x:2 b/y:3");
    CHECK_FAILS(vn_tree_slice_letters(k, 'c', 'a', NULL), VN_E_ARG, "after");
    IS(vn_tree_slice_via_key(vn_tree_of("p/val", num(1), "p/o", num(9), "q/r/val", num(2), "s", num(3), NULL), "val"), "p:1 q/r:2 s:3");
    CHECK_FAILS(vn_tree_slice_via_key(vn_tree_of("val", num(1), NULL), "val"), VN_E_STRUCT, "leaf");
    char name[100];
    IS(vn_tree_format_key_chains(k, renamed, name), "p/a_:1 p/b-x_:2 p/b-y_:3 p/c_:4");
    CHECK_FAILS(vn_tree_format_key_chains(k, renamed, NULL), VN_E_CALLBACK, "\"a\"");

    vn_tree *copy = vn_tree_copy(k), *deep;
    CHECK(vn_tree_get_tree(copy, "b") != vn_tree_get_tree(k, "b") && vn_tree_get(copy, "b/x") == vn_tree_get(k, "b/x"));
    vn_array *shared = num(5);
    vn_tree *s = vn_tree_of("x", shared, "y/z", shared, NULL);
    deep = vn_tree_deep_copy(s);
    CHECK(vn_tree_get(deep, "x") != shared && vn_tree_get(deep, "x") == vn_tree_get(deep, "y/z"));
    vn_into(vn_tree_get(deep, "x"), num(6));
    IS(deep, "x:6 y/z:6");
    IS(s, "x:5 y/z:5");
}

TEST(ops_on_trees)
{
    vn_tree *t = abc();
    vn_value out;
    CHECK(!vn_tree_apply("add", (vn_value[]){vn_value_tree(t), vn_value_tree(abc())}, 2, NULL, 0, &out, 1) && out.kind == VN_V_TREE);
    IS(out.u.tree, "a:2 b/c:4 b/d:6");
    CHECK(!vn_tree_apply("mul", (vn_value[]){vn_value_array(num(3)), vn_value_tree(t)}, 2, NULL, 0, &out, 1));
    IS(out.u.tree, "a:3 b/c:6 b/d:9");
    CHECK(!vn_tree_apply("sub", (vn_value[]){vn_value_tree(t), vn_value_number(.5)}, 2, NULL, 0, &out, 1));
    IS(out.u.tree, "a:0.5 b/c:1.5 b/d:2.5");
    CHECK(!vn_tree_apply("exp", (vn_value[]){vn_value_array(vn_zeros(VN_SHAPE(1), VN_F32))}, 1, NULL, 0, &out, 1) &&
          out.kind == VN_V_ARRAY && vn_item(out.u.array) == 1);
    int64_t shape[] = {1, 1};
    vn_option reshape = {.name = "shape", .kind = VN_OPT_INTS, .n = 2, .u.is = shape};
    CHECK(!vn_tree_apply("reshape", (vn_value[]){vn_value_tree(t)}, 1, &reshape, 1, &out, 1) &&
          vn_rank(vn_tree_get(out.u.tree, "b/c")) == 2);
    vn_tree *half = vn_tree_of("a", num(1), "b/c", num(1), NULL), *nulls = abc();
    vn_tree_set_null(nulls, "n");
    CHECK(!vn_tree_apply("add", (vn_value[]){vn_value_tree(nulls), vn_value_tree(nulls)}, 2, NULL, 0, &out, 1));
    IS(out.u.tree, "a:2 b/c:4 b/d:6 n:null");
    CHECK_FAILS(vn_tree_apply("add", (vn_value[]){vn_value_tree(t), vn_value_tree(half)}, 2, NULL, 0, &out, 1), VN_E_STRUCT,
                "\"b/d\" is in input 0 and not in input 1");
    CHECK(out.kind == VN_V_NONE);
    CHECK_FAILS(vn_tree_apply("add", (vn_value[]){vn_value_tree(half), vn_value_tree(t)}, 2, NULL, 0, &out, 1), VN_E_STRUCT,
                "\"b/d\" is in input 1 and not in input 0");
    CHECK_FAILS(vn_tree_apply("add", (vn_value[]){vn_value_tree(t), vn_value_tree(vn_tree_of("a", num(1), "b", num(1), NULL))}, 2, NULL, 0,
                              &out, 1),
                VN_E_STRUCT, "\"b\" is a tree in one");
    CHECK_FAILS(
        vn_tree_apply("matmul", (vn_value[]){vn_value_tree(t), vn_value_array(vn_ones(VN_SHAPE(3, 3), VN_F32))}, 2, NULL, 0, &out, 1),
        VN_E_SHAPE, "tree_apply: \"a\"");
    CHECK_FAILS(vn_tree_apply("nothing", (vn_value[]){vn_value_tree(t)}, 1, NULL, 0, &out, 1), VN_E_ARG, "nothing");
    CHECK_FAILS(vn_tree_apply("add", (vn_value[]){vn_value_tree(t), vn_value_null()}, 2, NULL, 0, &out, 1), VN_E_ARG, "null");
    CHECK_FAILS(vn_tree_apply("add", (vn_value[]){vn_value_tree(t), vn_value_array(NULL)}, 2, NULL, 0, &out, 1), VN_E_NULL, "input 1");
    CHECK_FAILS(vn_tree_apply(NULL, NULL, 0, NULL, 0, NULL, 0), VN_E_NULL, "name");
}

TEST(pieces)
{
    vn_array *x = vn_reshape(vn_from((float[]){0, 1, 2, 3, 4, 5, 6, 7}, VN_SHAPE(8)), VN_SHAPE(4, 2));
    vn_tree *t = vn_tree_of("x", x, "y/z", x, "s", vn_full(vn_scalar(9), VN_0D, VN_F32), NULL);
    vn_tree_set_null(t, "n");
    int n;
    vn_tree *i = vn_tree_index(t, -1);
    CHECK(i && vn_rank(vn_tree_get(i, "x")) == 1 && vn_item(vn_sum(vn_tree_get(i, "x"), VN_ALL)) == 13 &&
          vn_item(vn_tree_get(i, "s")) == 9);
    i = vn_tree_slice(t, 1, 100);
    CHECK(i && vn_dim(vn_tree_get(i, "y/z"), 0) == 3 && vn_dim(vn_tree_get(vn_tree_slice(t, 3, 1), "x"), 0) == 0 &&
          vn_dim(vn_tree_get(vn_tree_slice(t, -3, -1), "x"), 0) == 2);
    CHECK_FAILS(vn_tree_index(t, 4), VN_E_ARG, "no element 4");
    vn_tree *const *all = vn_tree_unstack(t, -1, &n);
    CHECK(all && n == 2 && !all[2] && vn_rank(vn_tree_get(all[1], "x")) == 1 && vn_item(vn_sum(vn_tree_get(all[1], "y/z"), VN_ALL)) == 16);
    IS(vn_tree_at_keys(all[0], VN_KEYS("n", "s"), NULL), "n:null s:9");
    vn_tree *const *parts = vn_tree_split(t, 2, 0);
    CHECK(parts && !parts[2] && vn_dim(vn_tree_get(parts[0], "x"), 0) == 2 && vn_item(vn_sum(vn_tree_get(parts[1], "x"), VN_ALL)) == 22);
    CHECK_FAILS(vn_tree_split(t, 3, 0), VN_E_SHAPE, "no 3 equal parts");
    CHECK_FAILS(vn_tree_split(t, 2, 5), VN_E_ARG, "no axis 5");
    CHECK_FAILS(vn_tree_unstack(vn_tree_of("a", x, "b", num(1), NULL), 0, &n), VN_E_SHAPE, "\"b\"");
    CHECK_FAILS(vn_tree_unstack(vn_tree_new(NULL), 0, &n), VN_E_STRUCT, "no array");

    const vn_tree *two[] = {abc(), abc()};
    vn_tree *stacked = vn_tree_list_stack(2, two);
    IS(stacked, "a/0:1 a/1:1 b/c/0:2 b/c/1:2 b/d/0:3 b/d/1:3");
    IS(vn_tree_list_join(2, (const vn_tree *[]){stacked, vn_tree_of("a/0", num(7), "b/c/0", num(8), "b/d/0", num(9), NULL)}),
       "a/0:1 a/1:1 a/2:7 b/c/0:2 b/c/1:2 b/c/2:8 b/d/0:3 b/d/1:3 b/d/2:9");
    CHECK_FAILS(vn_tree_list_join(2, two), VN_E_STRUCT, "\"a\" is a leaf");
    IS(vn_tree_unify(2, two, VN_UNIFY_SUM), "a:2 b/c:4 b/d:6");
    IS(vn_tree_unify(2, (const vn_tree *[]){abc(), vn_tree_of("a", num(2), "b/c", num(4), "b/d", num(5), NULL)}, VN_UNIFY_MEAN),
       "a:1.5 b/c:3 b/d:4");
    CHECK_FAILS(vn_tree_unify(2, two, (vn_unify_mode)7), VN_E_ARG, "mode 7");
}

TEST(comparing)
{
    vn_tree *a = abc(), *b = abc(), *same = vn_tree_copy(a);
    const vn_tree *ab[] = {a, b}, *as[] = {a, same};
    CHECK(vn_tree_identical(2, as, NULL) == 1 && vn_tree_identical(2, ab, NULL) == 0);
    CHECK(vn_tree_identical(2, ab, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1);
    vn_tree *c = vn_tree_of("a", num(1), "b/c", num(2), "b/d", num(4), NULL),
            *wide = vn_tree_of("a", vn_ones(VN_SHAPE(2), VN_F32), "b/c", num(2), "b/d", num(3), NULL);
    const vn_tree *ac[] = {a, c}, *aw[] = {a, wide};
    CHECK(vn_tree_identical(2, ac, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 0);
    CHECK(vn_tree_identical(2, ac, VN_OPTS(tree_identical, .no_same_arrays = 1, .key_chains = VN_KEYS("b/c", "a"))) == 1);
    CHECK(vn_tree_identical(2, ac, VN_OPTS(tree_identical, .no_same_arrays = 1, .no_arrays_equal = 1)) == 1 &&
          vn_tree_identical_structure(2, ac, NULL) == 1);
    CHECK(vn_tree_identical_structure(2, aw, NULL) == 0 &&
          vn_tree_identical_structure(2, aw, VN_OPTS(tree_identical, .no_shapes = 1)) == 1);
    CHECK_FAILS(vn_tree_assert_identical_structure(2, aw, NULL), VN_E_STRUCT, "\"a\": float32 1 and float32 2");
    CHECK_FAILS(vn_tree_assert_identical_structure(2, (const vn_tree *[]){a, vn_tree_of("a", num(1), "q/r", num(1), NULL)}, NULL),
                VN_E_STRUCT, "\"b\": only the first has it; \"q\": only the second");
    const vn_tree *types[] = {vn_tree_of("x", vn_ones(VN_SHAPE(2), VN_F32), NULL), vn_tree_of("x", vn_ones(VN_SHAPE(2), VN_I32), NULL)};
    CHECK(vn_tree_identical(2, types, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 0 &&
          vn_tree_identical(2, types, VN_OPTS(tree_identical, .no_same_arrays = 1, .no_types = 1)) == 1);
    const vn_tree *nans[] = {vn_tree_of("x", num(NAN), NULL), vn_tree_of("x", num(NAN), NULL)};
    CHECK(vn_tree_identical(2, nans, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1);
    const vn_tree *part[] = {a, vn_tree_prune_key_chain(a, "b/c")};
    CHECK(vn_tree_identical(2, part, NULL) == 0 && vn_tree_identical(2, part, VN_OPTS(tree_identical, .partial = 1)) == 1);
    CHECK(vn_tree_identical_array_shapes(2, ab) == 1 && vn_tree_identical_array_shapes(2, aw) == 0 &&
          vn_tree_identical_array_shapes(2, (const vn_tree *[]){a, vn_tree_flatten_key_chains(a, NULL)}) == 1);
    CHECK_FAILS(vn_tree_identical(2, (const vn_tree *[]){a, NULL}, NULL), VN_E_NULL, "tree 1");

    vn_tree *net = vn_tree_new(NULL);
    vn_tree_set_tree(net, "deep/er", a);
    vn_tree_set_tree(net, "other", b);
    CHECK(!strcmp(vn_tree_find_sub_tree(net, a, NULL), "deep/er") && !strcmp(vn_tree_find_sub_tree(a, a, NULL), "") &&
          !strcmp(vn_tree_find_sub_tree(net, b, NULL), "other"));
    CHECK(!vn_tree_find_sub_tree(net, c, NULL) && vn_tree_contains_sub_tree(net, same, NULL) == 1 &&
          vn_tree_contains_sub_tree(net, c, NULL) == 0);
    vn_tree *little = vn_tree_of("b/c", vn_tree_get(a, "b/c"), NULL);
    CHECK(vn_tree_contains_sub_tree(net, little, NULL) == 0 &&
          !strcmp(vn_tree_find_sub_tree(net, little, VN_OPTS(tree_structure, .partial = 1)), "deep/er"));
    CHECK(!strcmp(vn_tree_find_sub_structure(net, c, NULL), "deep/er") && vn_tree_contains_sub_structure(net, c, NULL) == 1 &&
          vn_tree_contains_sub_structure(net, wide, NULL) == 0);
    CHECK(vn_tree_contains_sub_structure(net, wide, VN_OPTS(tree_structure, .no_shapes = 1)) == 1);
    CHECK(vn_tree_contains_sub_structure(net, little, NULL) == 0 &&
          vn_tree_contains_sub_structure(net, little, VN_OPTS(tree_structure, .partial = 1)) == 1);
    CHECK(!vn_tree_assert_contains_sub_structure(a, little, VN_OPTS(tree_structure, .partial = 1)));
    CHECK_FAILS(vn_tree_assert_contains_sub_structure(a, vn_tree_of("a", vn_ones(VN_SHAPE(3, 2), VN_F32), NULL),
                                                      VN_OPTS(tree_structure, .partial = 1)),
                VN_E_STRUCT, "\"a\": float32 3x2 and float32 1");

    IS(vn_tree_diff(2, ab, NULL), "a:1 b/c:2 b/d:3");
    IS(vn_tree_diff(2, ac, NULL), "a:1 b/c:2 b/d/diff_0:3 b/d/diff_1:4");
    IS(vn_tree_diff(2, ac, VN_OPTS(tree_diff, .mode = VN_DIFF_ONLY)), "b/d/diff_0:3 b/d/diff_1:4");
    IS(vn_tree_diff(2, ac, VN_OPTS(tree_diff, .mode = VN_DIFF_SAME_ONLY)), "a:1 b/c:2");
    IS(vn_tree_diff(3, (const vn_tree *[]){a, c, b}, VN_OPTS(tree_diff, .mode = VN_DIFF_ONLY)), "b/d/diff_0,2:3 b/d/diff_1:4");
    const vn_tree *keys[] = {a, vn_tree_of("a/z", num(1), "b/c", num(2), "q", num(5), NULL)};
    IS(vn_tree_diff(2, keys, NULL), "a/diff_0:1 a/diff_1/z:1 b/c:2 b/d/diff_0:3 q/diff_1:5");
    IS(vn_tree_diff(2, keys, VN_OPTS(tree_diff, .no_keys = 1)), "a/diff_0:1 a/diff_1/z:1 b/c:2 b/d:3 q:5");
    IS(vn_tree_structural_diff(2, ac, VN_OPTS(tree_diff, .mode = VN_DIFF_ONLY)), "");
    IS(vn_tree_structural_diff(2, aw, VN_OPTS(tree_diff, .mode = VN_DIFF_ONLY)), "a/diff_0:1 a/diff_1:[2]");
    CHECK_FAILS(vn_tree_diff(2, ab, VN_OPTS(tree_diff, .mode = (vn_diff_mode)9)), VN_E_ARG, "mode 9");
}

TEST(asking)
{
    vn_array *x = vn_ones(VN_SHAPE(3, 2), VN_F32), *y = num(1);
    vn_tree *t = vn_tree_of("a", x, "b/c", y, "b/d", x, "e", vn_ones(VN_SHAPE(2, 2), VN_F32), "f", y, "g", x, NULL);
    int n;
    const char *const *const *groups = vn_tree_duplicate_array_key_chains(t, &n);
    CHECK(n == 2 && same_list(groups[0], VN_KEYS("a", "b/d", "g")) && same_list(groups[1], VN_KEYS("b/c", "f")) && !groups[2]);
    IS(vn_tree_size_ordered_arrays(t), "b__c:1 f:1 e:[4] a:[6] b__d:[6] g:[6]");
    vn_tree *s = vn_tree_shapes(vn_tree_of("a", x, "b/c", y, "z", vn_zeros(VN_0D, VN_F32), NULL));
    IS(s, "a/0:#3 a/1:#2 b/c/0:#1 z:{}");
    vn_shape shape;
    CHECK(!vn_tree_shape(vn_tree_of("a", x, "e", vn_ones(VN_SHAPE(2, 2), VN_F32), NULL), &shape) && shape.rank == 2 && shape.dim[0] == -1 &&
          shape.dim[1] == 2);
    CHECK_FAILS(vn_tree_shape(t, &shape), VN_E_SHAPE, "rank");
    CHECK_FAILS(vn_tree_shape(vn_tree_new(NULL), &shape), VN_E_SHAPE, "no arrays");
    CHECK(!strcmp(vn_tree_engine_of(t), "native") && !vn_tree_engine_of(vn_tree_new(NULL)));

    vn_tree *yes = vn_tree_of("a", x, "b", vn_ones(VN_SHAPE(2), VN_BOOL), NULL), *no = vn_tree_of("a", vn_zeros(VN_SHAPE(2), VN_I32), NULL);
    CHECK(vn_tree_all_true(yes, NULL) == 1 && vn_tree_all_false(yes, NULL) == 0 && vn_tree_all_true(no, NULL) == 0 &&
          vn_tree_all_false(no, NULL) == 1);
    vn_tree_set_null(no, "n");
    vn_tree_set_number(yes, "n", 2);
    CHECK(vn_tree_all_false(no, NULL) == 1 && vn_tree_all_true(yes, NULL) == 1);
    vn_tree *mixed = vn_tree_of("a", vn_from((float[]){0, 1}, VN_SHAPE(2)), NULL);
    CHECK(vn_tree_all_true(mixed, NULL) == 0 && vn_tree_all_false(mixed, NULL) == 0);
    IS(vn_tree_as_bools(yes), "a:1 b:1 n:#1");
    IS(vn_tree_as_bools(mixed), "a:0");
    CHECK_FAILS(vn_tree_all_true(mixed, VN_OPTS(tree_truth, .assert_is_bool = 1)), VN_E_DTYPE, "\"a\"");
    CHECK_FAILS(vn_tree_all_true(NULL, NULL), VN_E_NULL, "t is NULL");
}

TEST(printing)
{
    vn_tree *t = vn_tree_of("enc/b", vn_zeros(VN_SHAPE(2), VN_F32), "enc/w", vn_zeros(VN_SHAPE(64, 2), VN_F32), "m",
                            vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2)), NULL);
    vn_tree_set_number(t, "rate", .1);
    vn_tree_set_null(t, "none");
    vn_tree_set_tree(t, "empty", vn_tree_new(NULL));
    const char *text = vn_tree_text(t, NULL), *expected = "{\n    empty: {}\n    enc: {\n        b: [0. 0.]\n        w: float32 64x2\n    "
                                                          "}\n    m: [[1. 2.]\n        [3. 4.]]\n    none: null\n    rate: 0.1\n}";
    CHECK(text && !strcmp(text, expected));
    text = vn_tree_text(t, VN_OPTS(tree_text, .print_limit = 1, .indent = 1, .only = "enc.b"));
    CHECK(text && !strcmp(text, "{\n empty: ...\n enc: {\n  b: float32 2\n  w: ...\n }\n m: ...\n none: ...\n rate: ...\n}"));
    text = vn_tree_text(t, VN_OPTS(tree_text, .max_depth = 1));
    CHECK(text && strstr(text, "enc: {...}") && !strcmp(vn_tree_text(vn_tree_new(NULL), NULL), "{}"));
    vn_tree *terse = vn_tree_new(VN_OPTS(tree, .print_limit = 1));
    vn_tree_set(terse, "in/x", vn_zeros(VN_SHAPE(2), VN_F32));
    CHECK(strstr(vn_tree_text(terse, NULL), "x: float32 2"));
    FILE *f = tmpfile();
    CHECK(f && !vn_tree_fprint(f, t, NULL) && ftell(f) == (long)strlen(expected) + 1);
    if (f) fclose(f);
    CHECK_FAILS(vn_tree_text(t, VN_OPTS(tree_text, .indent = -1)), VN_E_ARG, "indent -1");
    CHECK_FAILS(vn_tree_fprint(NULL, t, NULL), VN_E_NULL, "stream");
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    return vn_sum(vn_square(vn_tree_get(p, "z/w")), VN_ALL);
}

/* Trees with other leaves, and trees in order of insertion, through gradients and optimizers. */
TEST(training)
{
    vn_tree *p = vn_tree_new(VN_OPTS(tree, .insertion_order = 1)), *g = NULL;
    vn_tree_set(p, "z/w", num(3));
    vn_tree_set_null(p, "a");
    vn_tree_set_number(p, "rate", 2);
    vn_optim *sgd = vn_sgd(.25, NULL);
    for (int i = 0; i < 2; i++) {
        vn_array *loss = vn_value_and_grad(loss_of, p, NULL, &g);
        CHECK(!vn_step(sgd, p, g) && loss);
    }
    IS(p, "z/w:0.75 a:null rate:#2");
    IS(g, "z/w:3 a:null rate:#2");
}

/* A tree against a plain list of chains and numbers: random settings, in both orders. */
TEST(random_trees)
{
    static char chains[400][16];
    static double numbers[400];
    uint32_t seed = 1;
    for (int round = 0; round < 20; round++) {
        VN_SCOPE;
        vn_tree *t = vn_tree_new(VN_OPTS(tree, .insertion_order = round % 2));
        int n = 0;
        for (int step = 0; step < 200; step++) {
            char chain[16] = "";
            seed = seed * 1664525u + 1013904223u;
            for (uint32_t k = 0, r = seed >> 8; k <= (seed >> 30); k++, r /= 5)
                snprintf(chain + strlen(chain), 4, "%s%c", k ? "/" : "", 'a' + (char)(r % 5));
            bool blocked = false;
            for (int i = 0; i < n; i++) { /* below a leaf: refused; on or above something: replaces it */
                size_t a = strlen(chains[i]), b = strlen(chain);
                blocked |= b > a && !strncmp(chains[i], chain, a) && chain[a] == '/';
            }
            vn_error_push();
            int code = vn_tree_set_number(t, chain, step);
            CHECK(vn_error_pop() == (blocked ? VN_E_STRUCT : VN_OK) && !code == !blocked);
            int kept = 0, same = -1;
            for (int i = 0; i < n && !blocked; i++) {
                size_t b = strlen(chain);
                if (!strcmp(chains[i], chain)) same = i;
                if (!strncmp(chains[i], chain, b) && chains[i][b] == '/') continue;
                memmove(chains[kept], chains[i], sizeof *chains);
                numbers[kept++] = numbers[i];
            }
            if (blocked) continue;
            n = kept;
            for (int i = 0; i < n; i++) {
                if (same >= 0 && !strcmp(chains[i], chain)) numbers[i] = step;
            }
            if (same < 0) strcpy(chains[n], chain), numbers[n++] = step;
        }
        int count;
        const vn_tree_item *it = vn_tree_iterate(t, NULL, &count);
        CHECK(count == n);
        for (int i = 0; i < n; i++) CHECK(vn_tree_value(t, chains[i]).u.number == numbers[i]);
        for (int i = 1; i < count && round % 2 == 0; i++) CHECK(strcmp(it[i - 1].chain, it[i].chain) < 0);
        int all;
        const vn_value *flat = vn_tree_to_flat_list(t, &all);
        const vn_tree *two[] = {t, vn_tree_from_flat_list(t, all, flat)}, *sorted[] = {t, vn_tree_sort_by_key(t)},
                      *self[] = {t, vn_tree_combine(2, (const vn_tree *[]){t, t})};
        CHECK(vn_tree_identical(2, two, NULL) == 1 && vn_tree_identical(2, sorted, NULL) == 1 && vn_tree_identical(2, self, NULL) == 1);
        CHECK(vn_tree_max_depth(vn_tree_flatten_key_chains(t, NULL)) == 1);
    }
}

/* What functions return belongs to the scope; what trees hold outlives it. */
TEST(ownership)
{
    vn_tree *t = vn_tree_keep(vn_tree_new(NULL)), *gone;
    {
        VN_SCOPE;
        vn_tree *u = abc();
        gone = vn_tree_copy(u);
        vn_tree_assign(t, u);
        vn_tree_iterate(u, NULL, NULL);
    }
    IS(t, "a:1 b/c:2 b/d:3");
    CHECK_FAILS(vn_tree_leaves(gone), VN_E_FREED, "freed");
    vn_tree_drop(t);
    CHECK_FAILS(vn_tree_leaves((vn_tree *)num(1)), VN_E_ARG, "another kind");
    vn_memory_info before = {.size = sizeof before}, after = before;
    vn_memory(&before);
    for (int i = 0; i < 3; i++) {
        VN_SCOPE;
        vn_tree *u = abc();
        vn_tree_flatten_key_chains(u, NULL);
        vn_tree_diff(2, (const vn_tree *[]){u, abc()}, NULL);
        vn_tree_text(u, NULL);
        vn_tree_unstack(u, 0, NULL);
    }
    vn_memory(&after);
    CHECK(before.handles == after.handles);
}

TEST(lists_by_number)
{
    vn_tree *list = vn_tree_list(0, NULL), *paths = vn_tree_new(NULL);
    for (int i = 0; i < 12; i++) {
        char path[32];
        snprintf(path, sizeof path, "%d/w", i);
        vn_array *w = vn_full(vn_scalar(i), VN_0D, VN_F32);
        vn_tree_append(list, vn_value_tree(vn_tree_of("w", w, NULL)));
        vn_tree_set(paths, path, w); /* sorted by bytes: 0, 1, 10, 11, 2 ... */
    }
    CHECK(vn_tree_count(list) == 12 && vn_tree_count(paths) == 12 && vn_tree_count(vn_tree_new(NULL)) == 0);
    for (int i = 0; i < 12; i++)
        CHECK(vn_item(vn_tree_get(vn_tree_at(list, i), "w")) == i && vn_item(vn_tree_get(vn_tree_at(paths, i), "w")) == i);
    CHECK_FAILS(vn_tree_at(list, 12), VN_E_STRUCT, "tree_at: no \"12\" in the tree, which has: 0, 1");
    CHECK_FAILS(vn_tree_at(list, -1), VN_E_STRUCT, "tree_at: no \"-1\"");
    CHECK(!vn_tree_at(list, -1) && !strstr(vn_message(), "did you mean")); /* a place of a list */
    vn_clear();
    CHECK_FAILS(vn_tree_at(vn_tree_list(1, (vn_array *[]){vn_scalar(1)}), 0), VN_E_STRUCT, "tree_at: \"0\" is an array");
    CHECK_FAILS(vn_tree_at(NULL, 0), VN_E_NULL, "tree_at: t is NULL");
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_linear(3, 4, NULL)); /* v0, v1 */
    const vn_tree *layers = vn_tree_get_tree(vn_module_v(net), "submodules");
    for (int i = 0; i < vn_tree_count(layers); i++) CHECK(vn_dim(vn_tree_get(vn_tree_at(layers, i), "b"), 0) == 3 + i);
    CHECK_FAILS(vn_tree_at(layers, 2), VN_E_STRUCT, "tree_at: no \"2\" in the tree, which has: v0, v1");
    CHECK_FAILS(vn_tree_count(NULL), VN_E_NULL, "tree_count: t is NULL");
    vn_module *gaps =
        VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_relu(), vn_nn_linear(3, 4, NULL), vn_nn_linear(4, 5, NULL)); /* v0, v2, v3 */
    layers = vn_tree_get_tree(vn_module_v(gaps), "submodules");
    CHECK(vn_tree_count(layers) == 3);
    for (int i = 0; i < vn_tree_count(layers); i++) CHECK(vn_dim(vn_tree_get(vn_tree_at(layers, i), "b"), 0) == 3 + i);
    CHECK_FAILS(vn_tree_at(layers, 3), VN_E_STRUCT, "tree_at: no \"3\" in the tree, which has: v0, v2, v3");
    /* Layers with names, in their order. */
    vn_module *named = vn_nn_sequential_named((vn_module *[]){vn_nn_linear(2, 3, NULL), vn_nn_relu(), vn_nn_linear(3, 4, NULL)},
                                              (const char *[]){"encoder", "act", "head"}, 3, NULL);
    layers = vn_tree_get_tree(vn_module_v(named), "submodules");
    CHECK(vn_tree_count(layers) == 2);
    for (int i = 0; i < vn_tree_count(layers); i++) CHECK(vn_dim(vn_tree_get(vn_tree_at(layers, i), "b"), 0) == 3 + i);
    CHECK_FAILS(vn_tree_at(layers, 2), VN_E_STRUCT, "tree_at: no \"2\" in the tree, which has: encoder, head");
    CHECK_FAILS(vn_tree_at(vn_tree_of("a", vn_scalar(1), NULL), 0), VN_E_STRUCT, "tree_at: \"a\" is an array");
}

TEST_MAIN
