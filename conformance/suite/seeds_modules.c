/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_modules.c: ancestors and sub-modules of nested modules, and tracing their calls. */
#include "models.h"
#include "seeds.h"

/* ---- models ---- */

static int dl_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const model_sizes *s = vn_module_self(m);
    vn_module_add(m, "_l0", vn_nn_linear(s->in, HIDDEN, NULL));
    return vn_module_add(m, "_l1", vn_nn_linear(HIDDEN, s->out, NULL));
}

static vn_array *dl_forward(vn_module *m, vn_array *x)
{
    return vn_tanh(vn_module_run(m, "_l1", vn_tanh(vn_module_run(m, "_l0", x))));
}

static const vn_module_class dl = {.name = "DL", .self_size = sizeof(model_sizes), .build = dl_build, .forward = dl_forward};

static int nested_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const model_sizes *s = vn_module_self(m);
    vn_module_add(m, "_dl0", vn_module_new(&dl, &(model_sizes){s->in, HIDDEN}, NULL));
    return vn_module_add(m, "_dl1", vn_module_new(&dl, &(model_sizes){HIDDEN, HIDDEN}, NULL));
}

static vn_array *nested_forward(vn_module *m, vn_array *x)
{
    return vn_module_run(m, "_dl1", vn_module_run(m, "_dl1", vn_module_run(m, "_dl0", x)));
}

static const vn_module_class nested = {
    .name = "Nested", .self_size = sizeof(model_sizes), .build = nested_build, .forward = nested_forward};

static const char *const nested_chains[] = {"dl0", "dl0/l0", "dl0/l0/b", "dl0/l0/w", "dl0/l1", "dl0/l1/b", "dl0/l1/w",
                                            "dl1", "dl1/l0", "dl1/l0/b", "dl1/l0/w", "dl1/l1", "dl1/l1/b", "dl1/l1/w"};
static const char *const below_nested[] = {"dl0", "dl1", "dl0/l0", "dl0/l1", "dl1/l0", "dl1/l1"};

static vn_module *make_nested(void)
{
    return vn_module_new(&nested, &(model_sizes){3, 0}, NULL);
}

/* ---- up and down ---- */

void seed_top_variables(trial *t)
{
    vn_module *m = make_nested();
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++) {
        vn_tree *top = vn_module_top_v(vn_module_child(m, below_nested[k]), -1, NULL);
        EXPECT(t, CHECK_TREE, top == vn_module_v(m));
        for (size_t i = 0; i < sizeof nested_chains / sizeof *nested_chains; i++) EXPECT(t, CHECK_TREE, vn_tree_has(top, nested_chains[i]));
    }
    vn_tree *flat = vn_module_top_v(vn_module_child(m, "dl0"), -1, VN_OPTS(module_look, .flatten = 1));
    EXPECT(t, CHECK_TREE, vn_tree_has(flat, "dl1__l0__w"));
    EXPECT(t, CHECK_TREE, vn_tree_has(vn_module_top_v(vn_module_child(m, "dl0/l0"), 1, NULL), "l1/w"));
    EXPECT(t, CHECK_TREE, !vn_module_top_v(m, -1, NULL));
}

void seed_top_module(trial *t)
{
    vn_module *m = make_nested(), *dl0 = vn_module_child(m, "_dl0"), *dl1 = vn_module_child(m, "_dl1");
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++)
        EXPECT(t, CHECK_TREE, vn_module_top_mod(vn_module_child(m, below_nested[k]), -1) == m);
    EXPECT(t, CHECK_TREE, vn_module_top_mod(dl0, 1) == m && vn_module_top_mod(dl1, 1) == m);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "_l1" : "_l0";
        EXPECT(t, CHECK_TREE,
               vn_module_top_mod(vn_module_child(dl0, name), 1) == dl0 && vn_module_top_mod(vn_module_child(dl1, name), 1) == dl1);
        EXPECT(t, CHECK_TREE,
               vn_module_top_mod(vn_module_child(dl0, name), 2) == m && vn_module_top_mod(vn_module_child(dl1, name), 7) == m);
    }
    EXPECT(t, CHECK_TREE, !vn_module_top_mod(m, -1) && vn_module_top_mod(m, 0) == m);
    EXPECT_FAILS(t, vn_module_top_mod(m, -2), VN_E_ARG, "depth -2");
}

void seed_v_with_top_v_key_chains(trial *t)
{
    vn_module *m = make_nested();
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++) {
        vn_module *sub = vn_module_child(m, below_nested[k]);
        vn_tree *v = vn_module_v_with_top_v_key_chains(sub, -1, NULL);
        EXPECT(t, CHECK_TREE,
               vn_tree_get_tree(v, below_nested[k]) == vn_module_v(sub) && vn_tree_leaves(v) == vn_tree_leaves(vn_module_v(sub)));
    }
    vn_module *l0 = vn_module_child(m, "dl0/l0");
    EXPECT(t, CHECK_TREE, vn_tree_get_tree(vn_module_v_with_top_v_key_chains(l0, 1, NULL), "l0") == vn_module_v(l0));
    EXPECT(t, CHECK_TREE, vn_module_v_with_top_v_key_chains(l0, 0, NULL) == vn_module_v(l0));
    EXPECT(t, CHECK_TREE, vn_tree_has(vn_module_v_with_top_v_key_chains(l0, -1, VN_OPTS(module_look, .flatten = 1)), "dl0__l0__w"));
    EXPECT(t, CHECK_TREE, !strcmp(vn_module_path(vn_module_child(m, "dl1/l1"), -1, NULL), "Nested_0/DL_1/Linear_3"));
    EXPECT(t, CHECK_TREE, !strcmp(vn_module_path(l0, 1, VN_OPTS(module_look, .flatten = 1)), "DL_0__Linear_0"));
    EXPECT(t, CHECK_TREE, strstr(vn_module_show_v_in_top_v(l0, -1), "l0") && strstr(vn_module_show_v_in_top_v(l0, -1), "..."));
    EXPECT(t, CHECK_TREE,
           strstr(vn_module_show_mod_in_top_mod(l0, -1), "Linear_0") && !strstr(vn_module_show_mod_in_top_mod(l0, -1), "Linear_2"));
    EXPECT(t, CHECK_TREE, !strcmp(vn_module_show_structure(vn_module_child(m, "dl1")), "DL_1\n  Linear_2 l0\n  Linear_3 l1\n"));
}

void seed_module_depth(trial *t)
{
    vn_module *m = make_nested();
    EXPECT(t, CHECK_TREE, vn_module_mod_depth(m) == 0);
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++)
        EXPECT(t, CHECK_TREE, vn_module_mod_depth(vn_module_child(m, below_nested[k])) == (strchr(below_nested[k], '/') ? 2 : 1));
    EXPECT(t, CHECK_TREE,
           !strcmp(vn_module_get_mod_key(vn_module_child(m, "dl1/l0")), "  Linear_2") && !strcmp(vn_module_get_mod_key(m), "Nested_0"));
}

void seed_module_height(trial *t)
{
    vn_module *m = make_nested();
    EXPECT(t, CHECK_TREE, vn_module_mod_height(m) == 2);
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++)
        EXPECT(t, CHECK_TREE, vn_module_mod_height(vn_module_child(m, below_nested[k])) == (strchr(below_nested[k], '/') ? 0 : 1));
}

void seed_sub_modules(trial *t)
{
    vn_module *m = make_nested();
    EXPECT(t, CHECK_TREE, vn_module_sub_mods(m, 0, NULL) == vn_module_v(m));
    vn_tree *one = vn_module_sub_mods(m, 1, NULL), *all = vn_module_sub_mods(m, -1, NULL);
    EXPECT(t, CHECK_TREE, vn_tree_get_tree(one, "DL_0") == vn_module_v(vn_module_child(m, "dl0")));
    EXPECT(t, CHECK_TREE, vn_tree_get_tree(one, "DL_1") == vn_module_v(vn_module_child(m, "dl1")));
    for (int k = 0; k < 4; k++) {
        char key[32];
        snprintf(key, sizeof key, "DL_%d/Linear_%d", k / 2, k);
        EXPECT(t, CHECK_TREE, vn_tree_get_tree(all, key) == vn_module_v(vn_module_child(m, below_nested[2 + k])));
        EXPECT(t, CHECK_TREE, vn_tree_contains_sub_tree(all, vn_module_v(vn_module_child(m, below_nested[2 + k])), NULL) == 1);
    }
    vn_tree *names = vn_module_sub_mods(m, -1, VN_OPTS(module_look, .no_v = 1, .flatten = 1));
    EXPECT(t, CHECK_TREE, vn_tree_value(names, "DL_1__Linear_3").kind == VN_V_NULL);
}

/* ---- tracing ---- */

static vn_module_trace *traced(trial *t, vn_module *m, const vn_module_trace_opts *opts)
{
    vn_module_trace *trace = vn_module_trace_new(opts);
    vn_array *y = vn_module_call(m, model_input(1, 2, 3), VN_OPTS(module_call, .trace = trace));
    EXPECT(t, CHECK_SHAPE, !y || (vn_rank(y) == 3 && vn_dim(y, 1) == 2 && vn_dim(y, 2) == HIDDEN));
    return trace;
}

static int results_of(trial *t, const vn_tree *rets, vn_module *sub)
{
    vn_value list = vn_tree_if_exists(rets, vn_module_get_mod_key(sub));
    int n = list.kind == VN_V_TREE ? vn_tree_leaves(list.u.tree) : 0;
    for (int i = 0; i < n; i++) {
        vn_array *x = vn_tree_leaf(list.u.tree, i);
        EXPECT(t, CHECK_TREE, !strcmp(vn_engine_of(x), "native") && vn_is_ready(x) && vn_rank(x) == 3 && vn_dim(x, 2) == HIDDEN);
    }
    return n;
}

void seed_module_track_submod_rets(trial *t)
{
    vn_module *m = make_nested(), *sub[6];
    for (int k = 0; k < 6; k++) sub[k] = vn_module_child(m, below_nested[k]);
    static const int calls[] = {1, 2, 1, 1, 2, 2};
    vn_tree *one = vn_module_trace_submod_rets(traced(t, m, VN_OPTS(module_trace, .rets = 1, .depth = 1)));
    vn_tree *all = vn_module_trace_submod_rets(traced(t, m, VN_OPTS(module_trace, .rets = 1)));
    vn_tree *some = vn_module_trace_submod_rets(
        traced(t, m, VN_OPTS(module_trace, .rets = 1, .submods = (vn_module *[]){sub[1], sub[2]}, .n_submods = 2)));
    for (int k = 0; k < 6; k++) {
        EXPECT(t, CHECK_TREE, results_of(t, one, sub[k]) == (k < 2 ? calls[k] : 0));
        EXPECT(t, CHECK_TREE, results_of(t, all, sub[k]) == calls[k]);
        EXPECT(t, CHECK_TREE, results_of(t, some, sub[k]) == (k == 1 || k == 2 ? calls[k] : 0));
    }
    EXPECT(t, CHECK_TREE, !vn_tree_has(all, vn_module_get_mod_key(m)));
    vn_array *last = vn_tree_get(vn_tree_get_tree(all, vn_module_get_mod_key(sub[1])), "1");
    vn_array *y = vn_to(vn_module_call(m, model_input(1, 2, 3), NULL), "native");
    EXPECT(t, CHECK_VALUE, vn_item(vn_max(vn_abs(vn_sub(last, y)), VN_ALL)) < 1e-6);
    EXPECT_FAILS(t, vn_module_trace_submod_call_order(traced(t, m, VN_OPTS(module_trace, .rets = 1))), VN_E_ARG, "call_order");
}

static vn_array *random_like(vn_array *x, void *user)
{
    (void)user;
    return vn_random_uniform(2, 3, vn_shape_of(x)); /* tanh never gives that */
}

/* The lists of results with tolerances beside them: numbers, or one for each call. */
static vn_tree *with_tolerances(const vn_tree *rets, bool lists)
{
    vn_tree *t = vn_tree_new(NULL);
    int n = 0;
    const char *const *keys = vn_tree_keys(rets, &n);
    for (int i = 0; i < n; i++) {
        vn_tree *one = vn_tree_new(NULL), *list = vn_tree_get_tree(rets, keys[i]), *atol = vn_tree_list(0, NULL),
                *rtol = vn_tree_list(0, NULL);
        vn_tree_set_tree(one, "val", list);
        for (int k = 0; k < vn_tree_leaves(list); k++) {
            vn_tree_append(atol, vn_value_number(1e-8));
            vn_tree_append(rtol, vn_value_number(1e-5));
        }
        vn_tree_set_value(one, "atol", lists ? vn_value_tree(atol) : vn_value_number(1e-8));
        vn_tree_set_value(one, "rtol", lists ? vn_value_tree(rtol) : vn_value_number(1e-5));
        vn_tree_set_tree(t, keys[i] + strspn(keys[i], " "), one); /* keys without spaces are accepted */
    }
    return t;
}

void seed_module_check_submod_rets(trial *t)
{
    vn_module *m = make_nested();
    vn_module *listed[] = {vn_module_child(m, "dl1"), vn_module_child(m, "dl0/l0")};
    const vn_module_trace_opts *opts[] = {VN_OPTS(module_trace, .rets = 1, .depth = 1), VN_OPTS(module_trace, .rets = 1),
                                          VN_OPTS(module_trace, .rets = 1, .submods = listed, .n_submods = 2)};
    for (int k = 0; k < 3; k++) {
        vn_tree *rets = vn_module_trace_submod_rets(traced(t, m, opts[k])), *noise = vn_tree_map_arrays(rets, random_like, NULL);
        vn_module_trace_opts o = *opts[k];
        vn_tree *good[] = {rets, with_tolerances(rets, false), with_tolerances(rets, true)};
        vn_tree *bad[] = {noise, with_tolerances(noise, false), with_tolerances(noise, true)};
        for (int i = 0; i < 3; i++) {
            o.expected = good[i];
            traced(t, m, &o);
            EXPECT(t, CHECK_VALUE, vn_status() == VN_OK);
            o.expected = bad[i];
            EXPECT_FAILS(t, traced(t, m, &o), VN_E_ARG, "is expected");
        }
    }
    /* null entries, other modules, fewer results, loose tolerances */
    vn_tree *e = vn_tree_new(NULL), *list = vn_tree_list(0, NULL);
    vn_tree_append(list, vn_value_null());
    vn_tree_set_tree(e, "DL_1", list);
    vn_tree_set_null(e, "DL_0");
    vn_tree_set(e, "Other_0/0", vn_scalar(1));
    traced(t, m, VN_OPTS(module_trace, .expected = e));
    EXPECT(t, CHECK_VALUE, vn_status() == VN_OK);
    vn_tree_append(list, vn_value_array(vn_zeros(VN_SHAPE(1, 2, HIDDEN), VN_F32)));
    EXPECT_FAILS(t, traced(t, m, VN_OPTS(module_trace, .expected = e)), VN_E_ARG, "call 1 of DL_1");
    vn_tree *loose = vn_tree_new(NULL);
    vn_tree_set_tree(loose, "DL_1/val", list);
    vn_tree_set_number(loose, "DL_1/atol", 2);
    traced(t, m, VN_OPTS(module_trace, .expected = loose));
    EXPECT(t, CHECK_VALUE, vn_status() == VN_OK);
    vn_tree_set(e, "DL_1/1", vn_zeros(VN_SHAPE(3), VN_F32));
    EXPECT_FAILS(t, traced(t, m, VN_OPTS(module_trace, .expected = e)), VN_E_ARG, "shape 1x2x64, 3 is expected");
}

void seed_module_track_submod_call_order(trial *t)
{
    vn_module *m = make_nested(), *dl0 = vn_module_child(m, "dl0"), *dl1 = vn_module_child(m, "dl1"), *l0 = vn_module_child(m, "dl0/l0");
    vn_tree *all = vn_module_trace_submod_call_order(traced(t, m, VN_OPTS(module_trace, .call_order = 1)));
    vn_tree *one = vn_module_trace_submod_call_order(traced(t, m, VN_OPTS(module_trace, .call_order = 1, .depth = 1)));
    vn_tree *some = vn_module_trace_submod_call_order(
        traced(t, m, VN_OPTS(module_trace, .call_order = 1, .submods = (vn_module *[]){dl1, l0}, .n_submods = 2)));
    int n = 0;
    const char *const *keys = vn_tree_keys(vn_tree_get_tree(all, "Nested_0_0"), &n);
    EXPECT(t, CHECK_TREE, n == 3 && !strcmp(keys[0], "DL_0_0") && !strcmp(keys[1], "DL_1_0") && !strcmp(keys[2], "DL_1_1"));
    keys = vn_tree_keys(vn_tree_get_tree(all, "Nested_0_0/DL_1_1"), &n);
    EXPECT(t, CHECK_TREE, n == 2 && !strcmp(keys[0], "Linear_2_0") && !strcmp(keys[1], "Linear_3_0"));
    vn_tree *leaf = vn_tree_get_tree(all, "Nested_0_0/DL_0_0/Linear_0_0"), *v = vn_module_v(l0);
    EXPECT(t, CHECK_TREE, same_values(leaf, v) && vn_tree_get(leaf, "w") != vn_tree_get(v, "w"));
    EXPECT(t, CHECK_TREE, same_values(vn_tree_get_tree(one, "Nested_0_0/DL_0_0"), vn_tree_flatten_key_chains(vn_module_v(dl0), NULL)));
    EXPECT(t, CHECK_TREE, vn_tree_has(one, "Nested_0_0/DL_1_1/l0__b") && !vn_tree_has(one, "Nested_0_0/DL_1_1/Linear_2_0"));
    EXPECT(t, CHECK_TREE, same_values(vn_tree_get_tree(some, "Nested_0_0/DL_1_0"), vn_tree_flatten_key_chains(vn_module_v(dl1), NULL)));
    EXPECT(t, CHECK_TREE,
           same_values(vn_tree_get_tree(some, "Nested_0_0/DL_0_0/Linear_0_0"), v) && !vn_tree_has(some, "Nested_0_0/DL_0_0/Linear_1_0"));
}
