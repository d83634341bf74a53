/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c: values of trees, editing and mapping them. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
/* ctest: valgrind */
/* ctest: seconds 15 on valgrind */
/* ctest: full on valgrind */
#include "tree/trees.h"

TEST(values)
{
    vn_tree *t = vn_tree_new(NULL);
    vn_array *x = num(7);
    CHECK(!vn_tree_set(t, "w", x) && !vn_tree_set_number(t, "n/rate", .5) && !vn_tree_set_null(t, "n/none") &&
          !vn_tree_set_value(t, "n.sub.k", vn_value_number(2)));
    IS(t, "n/none:null n/rate:#0.5 n/sub/k:#2 w:7");
    CHECK(vn_tree_get(t, "w") == x && vn_tree_value(t, "w").u.array == x && vn_tree_value(t, "n/rate").u.number == .5);
    CHECK(vn_tree_value(t, "n/none").kind == VN_V_NULL && vn_tree_value(t, "").u.tree == t && vn_tree_get_tree(t, "") == t);
    CHECK(vn_tree_get_tree(t, "n/sub") == vn_tree_get_tree(vn_tree_get_tree(t, "n"), "sub"));
    CHECK(vn_tree_if_exists(t, "n/x").kind == VN_V_NONE && vn_tree_if_exists(t, "w/x").kind == VN_V_NONE &&
          vn_tree_if_exists(t, "n/sub/k").u.number == 2);
    CHECK(vn_tree_try_key_chain(t, "no").u.tree == t && vn_tree_try_key_chain(t, "w").u.array == x);
    CHECK(!vn_tree_get_or_null(t, "n") && !vn_tree_get_or_null(t, "q") && vn_tree_get_or_null(t, "w") == x);
    CHECK(vn_tree_has(t, "n/sub") && vn_tree_has(t, "") && !vn_tree_has(t, "n/") && !vn_tree_has(t, "/n") &&
          vn_tree_has_key_chain(t, "n.sub.k"));
    CHECK(vn_tree_has_key(t, "k") && vn_tree_has_key(t, "n") && !vn_tree_has_key(t, "n/sub"));
    CHECK(vn_tree_leaves(t) == 1 && vn_tree_num_arrays(t) == 1 && vn_tree_leaf(t, 0) == x && !strcmp(vn_tree_leaf_key(t, 0), "w"));
    CHECK(vn_tree_max_depth(t) == 3 && vn_tree_max_depth(vn_tree_new(NULL)) == 0);
    CHECK(!vn_tree_create_if_absent(t, "w", vn_value_null()) && !vn_tree_create_if_absent(t, "z", vn_value_null()));
    IS(t, "n/none:null n/rate:#0.5 n/sub/k:#2 w:7 z:null");
    int n;
    CHECK(same_list(vn_tree_keys(t, &n), VN_KEYS("n", "w", "z")) && n == 3);

    CHECK_FAILS(vn_tree_value(t, "n/x"), VN_E_STRUCT, "no \"n/x\"");
    CHECK_FAILS(vn_tree_get(t, "n/rate"), VN_E_STRUCT, "is a number");
    CHECK_FAILS(vn_tree_set_number(t, "w/x", 1), VN_E_STRUCT, "is an array");
    CHECK_FAILS(vn_tree_set_number(t, "n/none/x", 1), VN_E_STRUCT, "is null");
    CHECK_FAILS(vn_tree_set_number(t, "", 1), VN_E_ARG, "empty");
    CHECK_FAILS(vn_tree_set_number(t, NULL, 1), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_tree_set_number(t, "new/x//y", 1), VN_E_ARG, "empty part");
    CHECK_FAILS(vn_tree_set_number(t, "new/x/", 1), VN_E_ARG, "empty part");
    CHECK_FAILS(vn_tree_set_value(t, "new", (vn_value){.kind = VN_V_NONE}), VN_E_NULL, "nothing");
    CHECK_FAILS(vn_tree_set_value(t, "new", (vn_value){.kind = 77}), VN_E_ARG, "kind 77");
    CHECK_FAILS(vn_tree_set_value(t, "new", vn_value_array(NULL)), VN_E_NULL, "value");
    CHECK_FAILS(vn_tree_set_number(NULL, "x", 1), VN_E_NULL, "t is NULL");
    CHECK_FAILS(vn_tree_has(t, NULL), VN_E_NULL, "NULL");
    CHECK(!vn_tree_has(t, "new")); /* nothing half done */
}

TEST(order_and_lists)
{
    vn_tree *t = vn_tree_new(VN_OPTS(tree, .insertion_order = 1));
    for (int i = 0; i < 40; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i * 7 % 40);
        CHECK(!vn_tree_set_number(t, key, i));
    }
    int n;
    const char *const *keys = vn_tree_keys(t, &n);
    CHECK(n == 40 && !strcmp(keys[1], "k7") && !strcmp(keys[39], "k33") && vn_tree_value(t, "k33").u.number == 39);
    CHECK(!vn_tree_set_number(t, "z/y", 1) && !vn_tree_set_number(t, "z/a", 2)); /* inherited */
    CHECK(same_list(vn_tree_keys(vn_tree_get_tree(t, "z"), NULL), VN_KEYS("y", "a")));
    IS(vn_tree_at_key_chains(t, VN_KEYS("z", "k0"), NULL), "z/y:#1 z/a:#2 k0:#0");
    IS(vn_tree_get_tree(vn_tree_sort_by_key(t), "z"), "a:#2 y:#1");

    vn_array *x[12];
    for (int i = 0; i < 12; i++) x[i] = num(i);
    vn_tree *list = vn_tree_list(12, x);
    CHECK(vn_tree_get(list, "10") == x[10] && vn_tree_leaf(list, 10) == x[10]);
    vn_tree *net = vn_tree_new(NULL), *layer = vn_tree_of("w", num(5), NULL);
    vn_tree *layers = vn_tree_list(0, NULL);
    CHECK(!vn_tree_set_tree(net, "layers", layers) && !vn_tree_append(layers, vn_value_tree(layer)) &&
          !vn_tree_append(layers, vn_value_null()));
    IS(net, "layers/0/w:5 layers/1:null");
    CHECK(vn_tree_get_tree(net, "layers/0") == layer);
    CHECK_FAILS(vn_tree_list(-1, NULL), VN_E_ARG, "-1");
    CHECK_FAILS(vn_tree_list(2, NULL), VN_E_NULL, "NULL");
}

TEST(depth_and_cycles)
{
    vn_tree *t = vn_tree_new(NULL), *sub = vn_tree_new(NULL), *top = t;
    CHECK(!vn_tree_set_tree(t, "a/sub", sub));
    CHECK_FAILS(vn_tree_set_tree(sub, "x", t), VN_E_STRUCT, "into itself");
    CHECK_FAILS(vn_tree_set_tree(t, "t", t), VN_E_STRUCT, "into itself");
    vn_tree *holds = vn_tree_new(NULL);
    vn_tree_set_tree(holds, "s", sub);
    CHECK_FAILS(vn_tree_set_tree(t, "a/sub/y", holds), VN_E_STRUCT, "into itself");
    char chain[200] = "k";
    for (int i = 1; i < 64; i++) strcat(chain, "/k");
    CHECK(!vn_tree_set_number(vn_tree_new(NULL), chain, 1));
    strcat(chain, "/k");
    CHECK_FAILS(vn_tree_set_number(t, chain, 1), VN_E_ARG, "64 parts");
    chain[63 * 2 - 1] = 0; /* 63 keys and a tree of height 2 */
    CHECK_FAILS(vn_tree_set_tree(t, chain, vn_tree_of("p/q", num(1), NULL)), VN_E_STRUCT, "65 levels");
    char *longkey = calloc(1, 1026);
    memset(longkey, 'x', 1025);
    CHECK_FAILS(vn_tree_set_number(t, longkey, 1), VN_E_ARG, "1024 bytes");
    free(longkey);
    /* Built from the top, no single step sees the depth; walks refuse, and freeing needs no stack. */
    for (int i = 0; i < 100000; i++) {
        vn_tree *next = vn_tree_new(NULL);
        if (vn_tree_set_tree(top, "down", next)) break;
        top = next;
    }
    CHECK_FAILS(vn_tree_leaves(t), VN_E_STRUCT, "deeper than 64");
    vn_tree_set(t, "z", num(1)); /* behind what is too deep */
    CHECK_FAILS(vn_tree_leaf(t, 0), VN_E_STRUCT, "deeper than 64");
    CHECK_FAILS(vn_tree_leaf(abc(), 3), VN_E_ARG, "no leaf 3, the tree has 3");
    CHECK_FAILS(vn_tree_leaf_key(abc(), -1), VN_E_ARG, "no leaf -1");
    CHECK(!strcmp(vn_tree_leaf_key(abc(), 1), "b/c"));
    CHECK_FAILS(vn_tree_copy(t), VN_E_STRUCT, "deeper than 64");
    CHECK_FAILS(vn_tree_text(t, NULL), VN_E_STRUCT, "deeper than 64");
    /* Shared 2^40 times. */
    vn_tree *wide = vn_tree_of("x", num(1), NULL);
    for (int i = 0; i < 40; i++) {
        vn_tree *up = vn_tree_new(NULL);
        int code = vn_tree_set_tree(up, "l", wide) | vn_tree_set_tree(up, "r", wide);
        if (code) break;
        wide = up;
    }
    CHECK(vn_status() == VN_E_STRUCT && strstr(vn_message(), "entries"));
    vn_clear();
}

TEST(editing)
{
    vn_tree *t = abc(), *b = vn_tree_get_tree(t, "b");
    vn_tree *u = vn_tree_set_at_key_chain(t, "b/e/f", vn_value_number(9));
    IS(u, "a:1 b/c:2 b/d:3 b/e/f:#9");
    IS(t, "a:1 b/c:2 b/d:3");
    CHECK(vn_tree_get(u, "b/c") == vn_tree_get(t, "b/c"));
    u = vn_tree_set_at_key_chain(t, "z", vn_value_null());
    CHECK(vn_tree_get_tree(u, "b") == b); /* shared */
    IS(vn_tree_overwrite_at_key_chain(t, "b/c", vn_value_null()), "a:1 b/c:null b/d:3");
    CHECK_FAILS(vn_tree_overwrite_at_key_chain(t, "b/x", vn_value_null()), VN_E_STRUCT, "\"b/x\"");
    CHECK_FAILS(vn_tree_set_at_key_chain(t, "a/x", vn_value_null()), VN_E_STRUCT, "\"a\" is a leaf");
    CHECK_FAILS(vn_tree_set_at_key_chain(t, "", vn_value_null()), VN_E_ARG, "empty");
    vn_tree *over = vn_tree_of("b/c", num(20), "x/y", num(30), NULL);
    IS(vn_tree_set_at_key_chains(t, over), "a:1 b/c:20 b/d:3 x/y:30");
    CHECK_FAILS(vn_tree_overwrite_at_key_chains(t, over), VN_E_STRUCT, "\"x\"");
    IS(vn_tree_overwrite_at_key_chains(t, vn_tree_of("b/c", num(20), NULL)), "a:1 b/c:20 b/d:3");
    IS(vn_tree_set_at_keys(vn_tree_of("w", num(1), "l/w", num(2), "l/m/b", num(3), NULL), vn_tree_of("w", num(0), "m", num(8), NULL)),
       "l/m:8 l/w:0 w:0");
    IS(vn_tree_combine(3, (const vn_tree *[]){t, over, vn_tree_of("a/q", num(4), NULL)}), "a/q:4 b/c:20 b/d:3 x/y:30");

    IS(vn_tree_at_key_chains(t, VN_KEYS("b/d", "a"), NULL), "a:1 b/d:3");
    CHECK(vn_tree_get_tree(vn_tree_at_key_chains(t, VN_KEYS("b"), NULL), "b") == b);
    CHECK_FAILS(vn_tree_at_key_chains(t, VN_KEYS("b/d", "q"), NULL), VN_E_STRUCT, "\"q\"");
    IS(vn_tree_at_key_chains(t, VN_KEYS("b/d", "q"), VN_OPTS(tree_select, .ignore_missing = 1)), "b/d:3");
    vn_tree *net = vn_tree_of("enc/w", num(1), "enc/b", num(2), "dec/lin/w", num(3), "dec/weird", num(4), NULL);
    IS(vn_tree_at_keys(net, VN_KEYS("w"), NULL), "dec/lin/w:3 enc/w:1");
    IS(vn_tree_at_keys(net, VN_KEYS("w"), VN_OPTS(tree_select, .containing = 1)), "dec/lin/w:3 dec/weird:4 enc/w:1");
    IS(vn_tree_at_keys(net, VN_KEYS("lin", "b"), NULL), "dec/lin/w:3 enc/b:2");
    IS(vn_tree_prune_key_chain(t, "b/c"), "a:1 b/d:3");
    IS(vn_tree_prune_key_chain(t, "b"), "a:1");
    IS(vn_tree_prune_key_chain(net, "dec.lin.w"), "dec/weird:4 enc/b:2 enc/w:1");
    IS(vn_tree_prune_key_chain(t, "not/there"), "a:1 b/c:2 b/d:3");
    IS(vn_tree_prune_key_chains(t, VN_KEYS("b/c", "b/d")), "a:1");
    IS(vn_tree_prune_keys(net, VN_KEYS("w"), NULL), "dec/weird:4 enc/b:2");
    IS(vn_tree_prune_keys(net, VN_KEYS("w"), VN_OPTS(tree_select, .containing = 1)), "enc/b:2");
    vn_tree *holes = vn_tree_of("x", num(1), NULL);
    vn_tree_set_tree(holes, "e/e", vn_tree_new(NULL));
    vn_tree_set_null(holes, "n/o");
    IS(holes, "e/e:{} n/o:null x:1");
    IS(vn_tree_prune_empty(holes, NULL), "x:1");
    IS(vn_tree_prune_empty(holes, VN_OPTS(tree_select, .keep_nulls = 1)), "n/o:null x:1");
    IS(vn_tree_prune_key_from_key_chains(net, "lin", NULL), "dec/w:3 dec/weird:4 enc/b:2 enc/w:1");
    IS(vn_tree_prune_key_from_key_chains(vn_tree_of("enc/w", num(1), "dec/b", num(2), NULL), "ec", VN_OPTS(tree_select, .containing = 1)),
       "b:2 enc/w:1");
    IS(vn_tree_prune_key_from_key_chains(vn_tree_of("l/w", num(1), "m/x/w", num(2), NULL), "w", NULL), "l:1 m/x:2");
    CHECK_FAILS(vn_tree_prune_key_from_key_chains(net, "b", NULL), VN_E_STRUCT, "\"b\" cannot take its tree's place");
    vn_tree *clash = vn_tree_of("p1/w", num(1), "p2/w", num(2), NULL);
    CHECK_FAILS(vn_tree_prune_key_from_key_chains(clash, "p", VN_OPTS(tree_select, .containing = 1)), VN_E_STRUCT, "claim the key \"w\"");
    CHECK_FAILS(vn_tree_prune_key_chains(t, NULL), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_tree_combine(0, NULL), VN_E_ARG, "at least one");
    CHECK_FAILS(vn_tree_combine(2, (const vn_tree *[]){t, NULL}), VN_E_NULL, "tree 1");
}

TEST(in_place)
{
    vn_tree *t = abc(), *b = vn_tree_get_tree(t, "b");
    CHECK(!vn_tree_inplace_update(t, vn_tree_of("b/c", num(5), "n/m", num(6), NULL)));
    IS(t, "a:1 b/c:5 b/d:3 n/m:6");
    CHECK(vn_tree_get_tree(t, "b") == b);
    CHECK(!vn_tree_assign(t, vn_tree_of("b/q", num(7), "z", num(8), NULL)));
    IS(t, "b/q:7 z:8");
    CHECK(vn_tree_get_tree(t, "b") == b);
    CHECK(!vn_tree_assign(t, vn_tree_restructure_key_chains(t, VN_KEYS("b", "b/b"), NULL))); /* b inside what b gets */
    IS(t, "b/b/q:7");
    CHECK(vn_tree_get_tree(t, "b") == b);
    CHECK(!vn_tree_assign(t, t));
    vn_tree *both = vn_tree_new(NULL);
    vn_tree *s = vn_tree_of("x", num(0), NULL);
    vn_tree_set_tree(both, "l", s);
    vn_tree_set_tree(both, "r", s);
    CHECK(!vn_tree_assign(both, vn_tree_of("l/x", num(1), "r/x", num(2), NULL)));
    IS(both, "l/x:1 r/x:2");
    vn_tree *outer = vn_tree_new(NULL);
    vn_tree_set_tree(outer, "in", t);
    CHECK(!vn_tree_assign(t, outer)); /* contains t: gets what t had */
    IS(t, "in/b/b/q:7");
    CHECK_FAILS(vn_tree_assign(t, NULL), VN_E_NULL, "from");
}

static vn_value plus(vn_value v, const char *chain, void *user)
{
    (void)chain;
    if (v.kind == VN_V_NUMBER) return vn_value_number(v.u.number + *(double *)user);
    return v.kind == VN_V_ARRAY ? vn_value_array(vn_add(v.u.array, vn_scalar(*(double *)user))) : v;
}

static vn_value nothing(vn_value v, const char *chain, void *user)
{
    (void)v, (void)chain, (void)user;
    return (vn_value){.kind = VN_V_NONE};
}

static vn_value fails_at_c(vn_value v, const char *chain, void *user)
{
    (void)user;
    return strcmp(chain, "b/c") ? v : vn_value_array(vn_add(v.u.array, NULL));
}

static vn_value dead(vn_value v, const char *chain, void *user)
{
    (void)v, (void)chain, (void)user;
    VN_SCOPE;
    return vn_value_array(num(1));
}

static vn_value count_entries(vn_value v, const char *chain, void *user)
{
    char *log = user;
    strcat(strcat(log, chain), ";");
    vn_tree *t = vn_tree_set_at_key_chain(v.u.tree, "n", vn_value_number(vn_tree_num_arrays(v.u.tree)));
    return t ? vn_value_tree(t) : (vn_value){.kind = VN_V_NONE};
}

static vn_array *twice(vn_array *x, void *user)
{
    (void)user;
    return vn_mul(x, vn_scalar(2));
}

static vn_value join_values(const vn_value *v, int n, const char *chain, void *user)
{
    (void)user;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (v[i].kind == VN_V_TREE) return vn_value_number(-1);
        sum += v[i].kind == VN_V_NUMBER ? v[i].u.number : vn_item(v[i].u.array);
    }
    return chain ? vn_value_number(sum + 100 * n) : vn_value_null();
}

TEST(close_within_a_tolerance)
{
    vn_array *w = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *near = vn_from((float[]){1, 2.000001f, 3}, VN_SHAPE(3)), *n = vn_scalar(NAN);
    vn_tree *x = vn_tree_of("a/w", w, "b", vn_full(vn_scalar(4), VN_0D, VN_I32), NULL);
    vn_tree *y = vn_tree_of("a/w", near, "b", vn_full(vn_scalar(4), VN_0D, VN_I32), NULL);
    CHECK(vn_item(vn_tree_allclose(x, y, NULL)) == 1 &&
          vn_item(vn_tree_allclose(x, x, VN_OPTS(allclose, .rtol = VN_ZERO, .atol = VN_ZERO))) == 1);
    CHECK(vn_item(vn_tree_allclose(x, y, VN_OPTS(allclose, .rtol = 1e-9, .atol = 1e-9))) == 0);
    vn_tree_set(y, "b", vn_full(vn_scalar(5), VN_0D, VN_I32));
    CHECK(vn_item(vn_tree_allclose(x, y, NULL)) == 0 && vn_item(vn_tree_allclose(x, y, VN_OPTS(allclose, .atol = 1))) == 1);
    CHECK(vn_item(vn_tree_allclose(vn_tree_new(NULL), vn_tree_new(NULL), NULL)) == 1);
    vn_tree *nan = vn_tree_of("n", vn_full(n, VN_0D, VN_F32), NULL);
    CHECK(vn_item(vn_tree_allclose(nan, nan, NULL)) == 0 && vn_item(vn_tree_allclose(nan, nan, VN_OPTS(allclose, .equal_nan = 1))) == 1);
    CHECK_FAILS(vn_tree_allclose(x, nan, NULL), VN_E_STRUCT, "");
    CHECK_FAILS(vn_tree_allclose(nan, vn_tree_of("n", w, NULL), NULL), VN_E_STRUCT, "");
    CHECK_FAILS(vn_tree_allclose(NULL, x, NULL), VN_E_NULL, "tree_allclose: x is NULL");
}

TEST(mapping)
{
    double ten = 10;
    vn_tree *t = abc(), *b = vn_tree_get_tree(t, "b");
    vn_tree_set_number(t, "n", 1);
    IS(vn_tree_map(t, plus, &ten, NULL), "a:11 b/c:12 b/d:13 n:#11");
    vn_tree *u = vn_tree_map(t, plus, &ten, VN_OPTS(tree_map, .key_chains = VN_KEYS("a", "n")));
    IS(u, "a:11 b/c:2 b/d:3 n:#11");
    CHECK(vn_tree_get_tree(u, "b") == b);
    IS(vn_tree_map(t, plus, &ten, VN_OPTS(tree_map, .key_chains = VN_KEYS("b"))), "a:1 b/c:12 b/d:13 n:#1");
    IS(vn_tree_map(t, plus, &ten, VN_OPTS(tree_map, .key_chains = VN_KEYS("b.c"), .others = 1)), "a:11 b/c:2 b/d:13 n:#11");
    IS(vn_tree_map(t, plus, &ten, VN_OPTS(tree_map, .key_chains = VN_KEYS("a"), .prune_unapplied = 1)), "a:11");
    IS(vn_tree_map_arrays(t, twice, NULL), "a:2 b/c:4 b/d:6 n:#1");
    CHECK(vn_tree_map(t, plus, &ten, VN_OPTS(tree_map, .inplace = 1)) == t && vn_tree_get_tree(t, "b") == b);
    IS(t, "a:11 b/c:12 b/d:13 n:#11");
    CHECK_FAILS(vn_tree_map(t, fails_at_c, NULL, VN_OPTS(tree_map, .inplace = 1)), VN_E_NULL, "tree_map: callback");
    IS(t, "a:11 b/c:12 b/d:13 n:#11");
    CHECK_FAILS(vn_tree_map(t, nothing, NULL, NULL), VN_E_CALLBACK, "returned nothing");
    CHECK_FAILS(vn_tree_map(t, dead, NULL, NULL), VN_E_FREED, "tree_map: callback");
    CHECK_FAILS(vn_tree_map(t, NULL, NULL, NULL), VN_E_NULL, "fn");
    CHECK_FAILS(vn_tree_map(NULL, plus, &ten, NULL), VN_E_NULL, "t is NULL");

    char log[100] = "";
    u = vn_tree_of("x/y/w", num(1), "x/b", num(2), "c", num(3), NULL);
    IS(vn_tree_map_sub_trees(u, count_entries, log, NULL), "c:3 n:#3 x/b:2 x/n:#2 x/y/n:#1 x/y/w:1");
    CHECK(!strcmp(log, "x/y;x;;"));
    log[0] = 0;
    IS(vn_tree_map_sub_trees(u, count_entries, log, VN_OPTS(tree_map, .no_self = 1, .key_chains = VN_KEYS("x/y"))),
       "c:3 x/b:2 x/y/n:#1 x/y/w:1");
    CHECK_FAILS(vn_tree_map_sub_trees(u, dead, NULL, NULL), VN_E_FREED, "tree_map_sub_trees");

    vn_tree *p = vn_tree_of("a", num(1), "b/c", num(2), "e", num(5), NULL),
            *q = vn_tree_of("a", num(10), "b/c", num(20), "b/d", num(30), "e/f", num(1), NULL);
    const vn_value in[] = {vn_value_tree(p), vn_value_number(1000), vn_value_tree(q)};
    IS(vn_tree_multi_map(join_values, 3, in, NULL, NULL), "a:#1311 b/c:#1322 b/d:#1230 e:#-1");
    IS(vn_tree_multi_map(join_values, 3, in, NULL, VN_OPTS(tree_map, .key_chains = VN_KEYS("b"), .prune_unapplied = 1)),
       "b/c:#1322 b/d:#1230");
    IS(vn_tree_multi_map(join_values, 3, in, NULL, VN_OPTS(tree_map, .key_chains = VN_KEYS("b"), .others = 1)),
       "a:#1311 b/c:2 b/d:30 e:#-1");
    CHECK_FAILS(vn_tree_multi_map(join_values, 3, in, NULL, VN_OPTS(tree_map, .assert_identical = 1)), VN_E_STRUCT,
                "\"b/d\": only the second has it");
    CHECK_FAILS(vn_tree_multi_map(join_values, 1, (vn_value[]){vn_value_number(1)}, NULL, NULL), VN_E_ARG, "none of the inputs is a tree");
    IS(vn_tree_reduce(2, (const vn_tree *[]){abc(), abc()}, join_values, NULL), "a:#202 b/c:#204 b/d:#206");
    CHECK_FAILS(vn_tree_reduce(2, (const vn_tree *[]){abc(), p}, join_values, NULL), VN_E_STRUCT, "tree_reduce");
}

int main(void)
{
    run_tests();
    vn_tree *kept = vn_tree_keep(abc()); /* and never dropped: the last close frees it, and what it holds */
    vn_tree_set_tree(kept, "more", vn_tree_keep(abc()));
    return finish();
}
