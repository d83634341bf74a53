/* SPDX-License-Identifier: Apache-2.0 */
/* tree_init.c: trees from a list of paths, shapes and initialisers. Each array depends on the key and its path alone. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

static const vn_init normal = {0};

static vn_tree_spec spec(const char *path, vn_init init)
{
    return (vn_tree_spec){.path = path, .shape = VN_SHAPE(5, 7), .init = init, .fan_in = 7, .fan_out = 5};
}

static bool same(vn_array *x, vn_array *y)
{
    const void *p = vn_data(x), *q = vn_data(y);
    return p && q && !memcmp(p, q, sizeof(float) * 35);
}

TEST(order_and_others_do_not_matter)
{
    const vn_init kinds[] = {vn_init_normal(0, 1), vn_init_glorot_uniform(), vn_init_truncated_normal(1, 2), vn_init_orthogonal(1)};
    for (int k = 0; k < 4; k++) {
        const vn_tree_spec specs[] = {spec("a/w", kinds[k]), spec("b", normal), spec("a/v", kinds[k])},
                           back[] = {specs[2], specs[1], specs[0]};
        vn_tree *p = vn_tree_init(vn_random_key_of(3), 3, specs, VN_F32), *q = vn_tree_init(vn_random_key_of(3), 3, back, VN_F32),
                *one = vn_tree_init(vn_random_key_of(3), 1, specs, VN_F32), *other = vn_tree_init(vn_random_key_of(4), 1, specs, VN_F32);
        CHECK(same(vn_tree_get(p, "a/w"), vn_tree_get(q, "a/w")) && same(vn_tree_get(p, "a/v"), vn_tree_get(q, "a/v")));
        CHECK(same(vn_tree_get(p, "a/w"), vn_tree_get(one, "a/w")));
        CHECK(!same(vn_tree_get(p, "a/w"), vn_tree_get(p, "a/v")) && !same(vn_tree_get(p, "a/w"), vn_tree_get(other, "a/w")));
        CHECK(same(vn_tree_get(p, "b"), vn_zeros(VN_SHAPE(5, 7), VN_F32)));
    }
}

/* A path is one path however it is written, and its key can be made by hand. */
TEST(keys_are_named)
{
    vn_array *key = vn_random_key_of(1), *number = vn_from_host((const uint64_t[]){0}, VN_U64, VN_0D);
    const vn_tree_spec slash[] = {spec("a/w", vn_init_normal(2, 3))}, dot[] = {spec("a.w", vn_init_normal(2, 3))};
    vn_array *x = vn_tree_get(vn_tree_init(key, 1, slash, VN_F32), "a/w"), *y = vn_tree_get(vn_tree_init(key, 1, dot, VN_F32), "a/w");
    vn_array *z = vn_normal(vn_random_fold(vn_random_named(key, "a/w"), number), vn_scalar(2), vn_scalar(3), VN_SHAPE(5, 7), VN_F32);
    CHECK(same(x, y) && same(x, z));
    CHECK(vn_dtype_of(vn_tree_get(vn_tree_init(key, 1, slash, VN_F64), "a/w")) == VN_F64);
}

/* Without a key the thread's next one serves, one for the whole tree. */
TEST(the_threads_key)
{
    const vn_tree_spec two[] = {spec("w", vn_init_normal(0, 1)), spec("v", vn_init_normal(0, 1))};
    uint64_t before[2], after[2];
    vn_random_state(before);
    vn_tree *p = vn_tree_init(VN_NONE, 2, two, VN_F32), *q = vn_tree_init(VN_NONE, 2, two, VN_F32);
    vn_random_state(after);
    CHECK(after[0] == before[0] && after[1] == before[1] + 2);
    CHECK(!same(vn_tree_get(p, "w"), vn_tree_get(q, "w")));
    vn_random_set_state(before);
    CHECK(same(vn_tree_get(p, "v"), vn_tree_get(vn_tree_init(vn_random_key(), 2, two, VN_F32), "v")));
    CHECK(vn_tree_leaves(vn_tree_init(VN_NONE, 0, NULL, VN_F32)) == 0);
}

/* The named initialisers are uniform and normal numbers of a width that depends on a fan: 7 in, 5 out. */
TEST(widths)
{
    const struct {
        vn_init named;
        double mean, width;
        int uniform;
    } rows[] = {
        {vn_init_glorot_uniform(), 0, sqrt(6. / 12), 1},
        {vn_init_glorot_normal(), 0, sqrt(2. / 12), 0},
        {vn_init_lecun_uniform(), 0, sqrt(3. / 7), 1},
        {vn_init_lecun_normal(), 0, sqrt(1. / 7), 0},
        {vn_init_first_layer_siren(), 0, 1. / 7, 1},
        {vn_init_siren(30), 0, sqrt(6. / 7) / 30, 1},
        {vn_init_kaiming_uniform(2, NULL), 0, sqrt(6. / 5 / 7), 1},
        {vn_init_kaiming_uniform(0, VN_OPTS(init_kaiming_uniform, .fan = "out")), 0, sqrt(6. / 5), 1},
        {vn_init_kaiming_normal(1, 3, NULL), 1, sqrt(2. / 10 / 7), 0},
        {vn_init_kaiming_normal(0, 0, VN_OPTS(init_kaiming_normal, .fan = "avg")), 0, sqrt(2. / 6), 0},
        {vn_init_uniform(4, 2, 3, VN_OPTS(init_uniform, .fan = "sum")), 0, 3 * 16. / 144, 1},
    };
    vn_array *key = vn_random_key_of(5), *number = vn_from_host((const uint64_t[]){0}, VN_U64, VN_0D),
             *own = vn_random_fold(vn_random_named(key, "w"), number);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const vn_tree_spec s = spec("w", rows[k].named);
        const double w = rows[k].width;
        vn_array *x = vn_tree_get(vn_tree_init(key, 1, &s, VN_F64), "w");
        vn_array *y = rows[k].uniform ? vn_uniform(own, vn_scalar(-w), vn_scalar(w), VN_SHAPE(5, 7), VN_F64)
                                      : vn_normal(own, vn_scalar(rows[k].mean), vn_scalar(w), VN_SHAPE(5, 7), VN_F64);
        CHECK(vn_item(vn_max(vn_abs(vn_sub(x, y)), VN_ALL)) < 1e-12);
    }
}

TEST(failures)
{
    vn_tree_spec s[] = {spec("w", vn_init_normal(0, 1)), spec("w", normal)};
    CHECK_FAILS(vn_tree_init(VN_NONE, 2, s, VN_F32), VN_E_STRUCT, "tree_init: \"w\" is given twice");
    s[1].path = "w/x";
    CHECK_FAILS(vn_tree_init(VN_NONE, 2, s, VN_F32), VN_E_STRUCT, "tree_init: \"w/x\": tree_set: \"w\" is an array");
    s[1].path = NULL;
    CHECK_FAILS(vn_tree_init(VN_NONE, 2, s, VN_F32), VN_E_NULL, "tree_init: the key is NULL");
    s[0] = spec("w", vn_init_glorot_uniform()), s[0].fan_in = 0;
    CHECK_FAILS(vn_tree_init(VN_NONE, 1, s, VN_F32), VN_E_ARG, "tree_init: \"w\": init_array: fan in 0");
    CHECK_FAILS(vn_tree_init(NULL, 1, s, VN_F32), VN_E_NULL, "tree_init: key is NULL");
    CHECK_FAILS(vn_tree_init(VN_NONE, -1, s, VN_F32), VN_E_ARG, "n is -1");
    CHECK_FAILS(vn_tree_init(VN_NONE, 1, NULL, VN_F32), VN_E_NULL, "specs is NULL");
    CHECK_FAILS(vn_random_named(vn_random_key_of(1), NULL), VN_E_NULL, "random_named: the name is NULL");
    /* after a failure the thread's own keys are back */
    uint64_t before[2], after[2];
    vn_random_state(before), vn_random_normal(0, 1, VN_0D), vn_random_state(after);
    CHECK(after[1] == before[1] + 1);
    /* an earlier error keeps its words */
    vn_exp(NULL), vn_tree_init(VN_NONE, 1, s, VN_F32);
    CHECK(!strcmp(vn_message(), "exp: x is NULL"));
    vn_clear();
}

static vn_array *filled(vn_array *x, void *user)
{
    const vn_tree_spec s = spec("w", vn_init_normal(0, 1));
    vn_tree *t = vn_tree_init(user ? x : VN_NONE, 1, &s, VN_F32);
    return t ? vn_tree_get(t, "w") : NULL;
}

static int filled_many(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out;
    return (out[0] = filled(in[0], user)) ? VN_OK : (int)vn_status();
}

/* Without a key a captured function would give the same numbers in every call. */
TEST(captured)
{
    vn_array *key = vn_random_key_of(3), *y = NULL, *z = NULL;
    CHECK_FAILS(!vn_fn_call_many(vn_capture(filled_many, 1, NULL), 1, &key, 1, &y), VN_E_ARG,
                "no key is given while a function is captured");
    CHECK(!vn_fn_call_many(vn_capture(filled_many, 1, &key), 1, &key, 1, &y) && (z = filled(key, &key)));
    CHECK(vn_item(vn_sum(vn_not_equal(y, z), VN_ALL)) == 0);
}

TEST_MAIN
