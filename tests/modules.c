/* modules.c: the module type on every engine: naming, building, calling, looking up and down, tracing; training of small networks; state,
 * buffers, freezing; errors. The tests of the module dashboard come first, under their names there. */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: timeout 900 */
#include "check.h"
#include <pthread.h>

enum { HIDDEN = 64 };

/* ---- models ---- */

typedef struct {
    int64_t in, out;
} sizes;

static vn_array *three_layers(vn_module *m, vn_array *x, const char *const names[3])
{
    x = vn_expand_dims(x, 0);
    for (int i = 0; i < 3; i++) x = vn_tanh(vn_module_run(m, names[i], x));
    return vn_squeeze(x, VN_AXES(0));
}

static void make_layers(const sizes *s, vn_module *to[3])
{
    to[0] = vn_nn_linear(s->in, HIDDEN, NULL);
    to[1] = vn_nn_linear(HIDDEN, HIDDEN, NULL);
    to[2] = vn_nn_linear(HIDDEN, s->out, NULL);
}

static int m3_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *l[3];
    make_layers(vn_module_self(m), l);
    vn_module_add(m, "_linear0", l[0]);
    vn_module_add(m, "_linear1", l[1]);
    return vn_module_add(m, "_linear2", l[2]);
}

static vn_array *m3_forward(vn_module *m, vn_array *x)
{
    return three_layers(m, x, (const char *const[]){"_linear0", "_linear1", "_linear2"});
}

static const vn_module_class m3 = {.name = "M3", .self_size = sizeof(sizes), .build = m3_build, .forward = m3_forward};

static int ml_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *l[3];
    make_layers(vn_module_self(m), l);
    return vn_module_add_list(m, "_layers", l, 3);
}

static vn_array *ml_forward(vn_module *m, vn_array *x)
{
    return three_layers(m, x, (const char *const[]){"layers/v0", "layers/v1", "layers/v2"});
}

static const vn_module_class ml = {.name = "ML", .self_size = sizeof(sizes), .build = ml_build, .forward = ml_forward};

static int md_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *l[3];
    make_layers(vn_module_self(m), l);
    return vn_module_add_dict(m, "_layers", VN_KEYS("linear0", "linear1", "linear2"), l, 3);
}

static vn_array *md_forward(vn_module *m, vn_array *x)
{
    return three_layers(m, x, (const char *const[]){"layers/linear0", "layers/linear1", "layers/linear2"});
}

static const vn_module_class md = {.name = "MD", .self_size = sizeof(sizes), .build = md_build, .forward = md_forward};

static int dl_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const sizes *s = vn_module_self(m);
    vn_module_add(m, "_l0", vn_nn_linear(s->in, HIDDEN, NULL));
    return vn_module_add(m, "_l1", vn_nn_linear(HIDDEN, s->out, NULL));
}

static vn_array *dl_forward(vn_module *m, vn_array *x)
{
    return vn_tanh(vn_module_run(m, "_l1", vn_tanh(vn_module_run(m, "_l0", x))));
}

static const vn_module_class dl = {.name = "DL", .self_size = sizeof(sizes), .build = dl_build, .forward = dl_forward};

static int nested_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const sizes *s = vn_module_self(m);
    vn_module_add(m, "_dl0", vn_module_new(&dl, &(sizes){s->in, HIDDEN}, NULL));
    return vn_module_add(m, "_dl1", vn_module_new(&dl, &(sizes){HIDDEN, HIDDEN}, NULL));
}

static vn_array *nested_forward(vn_module *m, vn_array *x)
{
    return vn_module_run(m, "_dl1", vn_module_run(m, "_dl1", vn_module_run(m, "_dl0", x)));
}

static const vn_module_class nested = {.name = "Nested", .self_size = sizeof(sizes), .build = nested_build, .forward = nested_forward};

static const char *const nested_chains[] = {"dl0", "dl0/l0", "dl0/l0/b", "dl0/l0/w", "dl0/l1", "dl0/l1/b", "dl0/l1/w",
                                            "dl1", "dl1/l0", "dl1/l0/b", "dl1/l0/w", "dl1/l1", "dl1/l1/b", "dl1/l1/w"};
static const char *const below_nested[] = {"dl0", "dl1", "dl0/l0", "dl0/l1", "dl1/l0", "dl1/l1"};

static vn_module *make_nested(void)
{
    return vn_module_new(&nested, &(sizes){3, 0}, NULL);
}

/* 0 to 1 along the last axis */
static vn_array *input(int64_t b1, int64_t b2, int64_t in)
{
    float x[64];
    for (int64_t i = 0; i < in; i++) x[i] = (float)i / (float)(in - 1 ? in - 1 : 1);
    return vn_broadcast_to(vn_from(x, VN_SHAPE(in)), VN_SHAPE(b1, b2, in));
}

static bool same_values(const vn_tree *a, const vn_tree *b)
{
    return vn_tree_identical(2, (const vn_tree *[]){a, b}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1;
}

/* ---- training ---- */

typedef struct {
    vn_module *m;
    vn_array *x;
} problem;

static vn_tree *mean_of(const vn_tree *v, void *user)
{
    const problem *p = user;
    return vn_tree_of("loss", vn_mean(vn_module_call(p->m, p->x, VN_OPTS(module_call, .v = v)), VN_ALL), NULL);
}

static double largest(vn_array *x)
{
    return vn_item(vn_max(vn_abs(x), VN_ALL));
}

/* Ten steps of gradient descent on the mean of the output: the loss falls every time and every named variable has a gradient. */
static void check_training(vn_module *m, vn_array *x, const char *const *chains)
{
    vn_tree *v = vn_module_v(m), *grads = NULL;
    double before = INFINITY;
    for (int step = 0; step < 10; step++) {
        vn_tree *out = vn_execute_with_gradients(mean_of, v, &(problem){m, x}, NULL, &grads, NULL);
        CHECK(out && grads);
        if (!out || !grads) return;
        vn_array *loss = vn_tree_get(out, "loss");
        CHECK(vn_rank(loss) == 0 && vn_item(loss) < before);
        before = vn_item(loss);
        vn_value next = {.kind = VN_V_NONE};
        CHECK(!vn_tree_apply("gradient_descent_update",
                             (vn_value[]){vn_value_tree(v), vn_value_tree(grads), vn_value_array(vn_scalar(1e-3))}, 3, NULL, 0, &next, 1));
        v = next.u.tree;
    }
    for (; *chains; chains++) CHECK(largest(vn_tree_get(grads, *chains)) > 0);
}

static void train_three(const vn_module_class *class, const char *const *chains)
{
    static const sizes all[] = {{2, 5}, {4, 3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        VN_SCOPE;
        sizes s = all[i];
        vn_seed(i);
        vn_module *m = vn_module_new(class, &s, NULL);
        CHECK(m && vn_module_is_built(m) && vn_tree_leaves(vn_module_v(m)) == 6);
        vn_array *x = input(1 + (int64_t)i, 2, s.in), *y = vn_module_call(m, x, NULL);
        CHECK(vn_rank(y) == 3 && vn_dim(y, 0) == 1 + (int64_t)i && vn_dim(y, 2) == s.out);
        check_training(m, x, chains);
    }
}

static void test_module_training(void)
{
    train_three(&m3, VN_KEYS("linear0/b", "linear0/w", "linear1/b", "linear1/w", "linear2/b", "linear2/w"));
}

static void test_module_w_list_training(void)
{
    train_three(&ml, VN_KEYS("layers/v0/b", "layers/v0/w", "layers/v1/b", "layers/v1/w", "layers/v2/b", "layers/v2/w"));
}

static void test_module_w_dict_training(void)
{
    train_three(&md, VN_KEYS("layers/linear0/b", "layers/linear0/w", "layers/linear1/b", "layers/linear1/w", "layers/linear2/b",
                             "layers/linear2/w"));
}

typedef struct {
    int64_t channels;
    bool same_layer;
} twins;

static int mdup_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const twins *t = vn_module_self(m);
    int64_t c = t->channels;
    if (t->same_layer) {
        vn_module *l = vn_nn_linear(c, c, NULL);
        vn_module_add(m, "_linear0", l);
        return vn_module_add(m, "_linear1", l);
    }
    vn_array *w = vn_ones(VN_SHAPE(c, c), VN_F32);
    for (int i = 0; i < 2; i++) {
        vn_tree *v = vn_tree_of("w", w, "b", vn_ones(VN_SHAPE(c), VN_F32), NULL);
        vn_module_add(m, i ? "_linear1" : "_linear0", vn_nn_linear(c, c, VN_OPTS(nn_linear, .module = VN_OPTS(module, .v = v))));
    }
    return VN_OK;
}

static vn_array *mdup_forward(vn_module *m, vn_array *x)
{
    return vn_squeeze(vn_module_run(m, "_linear1", vn_module_run(m, "_linear0", vn_expand_dims(x, 0))), VN_AXES(0));
}

static const vn_module_class mdup = {.name = "MDup", .self_size = sizeof(twins), .build = mdup_build, .forward = mdup_forward};

static void test_module_training_with_duplicate(void)
{
    for (int same = 0; same < 2; same++) {
        VN_SCOPE;
        twins t = {4, same};
        vn_module *m = vn_module_new(&mdup, &t, NULL);
        vn_tree *v = vn_module_v(m);
        CHECK(vn_tree_has(v, "linear0/w") && vn_tree_has(v, "linear0/b") && !vn_tree_has(v, "linear1/w"));
        CHECK(vn_tree_has(v, "linear1/b") == !same);
        check_training(m, input(1, 2, t.channels),
                       same ? VN_KEYS("linear0/b", "linear0/w") : VN_KEYS("linear0/b", "linear0/w", "linear1/b"));
        /* both layers see a new w: y = (x w + b) w + b' with everything 1, or with w = 2 */
        vn_tree *twice = vn_tree_deep_copy(v);
        vn_tree_set(twice, "linear0/w", vn_full(2, VN_SHAPE(4, 4), VN_F32));
        vn_tree_set(twice, "linear0/b", vn_ones(VN_SHAPE(4), VN_F32));
        vn_array *y = vn_module_call(m, vn_ones(VN_SHAPE(1, 4), VN_F32), VN_OPTS(module_call, .v = twice));
        CHECK(vn_item(vn_min(y, VN_ALL)) == 4 * 2 * (4 * 2 + 1) + 1 && vn_item(vn_max(y, VN_ALL)) == 73);
    }
}

/* ---- variables that are given ---- */

static void test_module_w_partial_v(void)
{
    sizes s = {3, 2};
    vn_array *b0 = vn_full(.5, VN_SHAPE(HIDDEN), VN_F32), *w1 = vn_full(.25, VN_SHAPE(HIDDEN, HIDDEN), VN_F32);
    vn_tree *full = vn_tree_deep_copy(vn_module_v(vn_module_new(&m3, &s, NULL)));
    vn_tree *extra = vn_tree_set_at_key_chain(full, "linear0/extra", vn_value_array(b0));
    vn_tree *part = vn_tree_of("linear0/b", b0, "linear1/w", w1, "linear2/b", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    CHECK_FAILS(vn_module_new(&m3, &s, VN_OPTS(module, .v = extra, .with_partial_v = 1)), VN_E_STRUCT, "linear0/extra");
    CHECK_FAILS(vn_module_new(&m3, &s, VN_OPTS(module, .v = extra)), VN_E_STRUCT, "linear0/extra");
    CHECK_FAILS(vn_module_new(&m3, &s, VN_OPTS(module, .v = part)), VN_E_STRUCT, "linear0/w");
    vn_tree *bad = vn_tree_of("linear0/b", w1, NULL);
    CHECK_FAILS(vn_module_new(&m3, &s, VN_OPTS(module, .v = bad, .with_partial_v = 1)), VN_E_STRUCT, "linear0/b");
    vn_module *m = vn_module_new(&m3, &s, VN_OPTS(module, .v = part, .with_partial_v = 1));
    vn_tree *v = vn_module_v(m);
    CHECK(vn_tree_get(v, "linear0/b") == b0 && vn_tree_get(v, "linear1/w") == w1 && vn_tree_leaves(v) == 6);
    CHECK(vn_module_var(vn_module_child(m, "_linear0"), "b") == b0); /* the sub-module's own, too */
    CHECK(vn_size(vn_module_call(m, input(1, 1, 3), NULL)) == 2);
    vn_module *whole = vn_module_new(&m3, &s, VN_OPTS(module, .v = full));
    CHECK(vn_module_v(whole) == full && vn_module_v(vn_module_child(whole, "linear1")) == vn_tree_get_tree(full, "linear1"));
    CHECK(vn_size(vn_module_call(whole, input(1, 1, 3), NULL)) == 2);
}

static int none_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    return vn_module_add(m, "some_attribute", NULL);
}

static vn_array *identity_forward(vn_module *m, vn_array *x)
{
    (void)m;
    return x;
}

static const vn_module_class none = {.name = "None", .build = none_build, .forward = identity_forward};

static void test_module_w_none_attribute(void)
{
    vn_module *m = vn_module_new(&none, NULL, NULL);
    vn_array *x = input(1, 2, 3), *y = vn_module_call(m, x, NULL);
    CHECK(y && vn_tree_leaves(vn_module_v(m)) == 0 && vn_module_mod_height(m) == 0);
    CHECK(!memcmp(vn_data(x), vn_data(y), 6 * sizeof(float)));
}

static vn_tree *custom_variables(vn_module *m, vn_dtype dtype)
{
    (void)dtype;
    vn_tree *t = vn_tree_new();
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "_linear%d", i);
        vn_tree_set_tree(t, (const char *[]){"x", "y", "z"}[i], vn_module_v(vn_module_child(m, name)));
    }
    return t;
}

static const vn_module_class custom = {
    .name = "Custom", .self_size = sizeof(sizes), .build = m3_build, .create_variables = custom_variables, .forward = m3_forward};

static void test_with_custom_var_structure(void)
{
    vn_module *m = vn_module_new(&custom, &(sizes){2, 3}, NULL);
    vn_tree *v = vn_module_v(m);
    int n = 0;
    const char *const *keys = vn_tree_keys(v, &n);
    CHECK(n == 3 && !strcmp(keys[0], "x") && !strcmp(keys[1], "y") && !strcmp(keys[2], "z"));
    CHECK(vn_tree_leaves(v) == 6 && vn_tree_get_tree(v, "y") == vn_module_v(vn_module_child(m, "linear1")));
    check_training(m, input(1, 2, 2), VN_KEYS("x/b", "x/w", "y/b", "y/w", "z/b", "z/w"));
}

/* ---- up and down ---- */

static void test_top_variables(void)
{
    vn_module *m = make_nested();
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++) {
        vn_tree *top = vn_module_top_v(vn_module_child(m, below_nested[k]), -1, NULL);
        CHECK(top == vn_module_v(m));
        for (size_t i = 0; i < sizeof nested_chains / sizeof *nested_chains; i++) CHECK(vn_tree_has(top, nested_chains[i]));
    }
    vn_tree *flat = vn_module_top_v(vn_module_child(m, "dl0"), -1, VN_OPTS(module_look, .flatten = 1));
    CHECK(vn_tree_has(flat, "dl1__l0__w"));
    CHECK(vn_tree_has(vn_module_top_v(vn_module_child(m, "dl0/l0"), 1, NULL), "l1/w"));
    CHECK(!vn_module_top_v(m, -1, NULL));
}

static void test_top_module(void)
{
    vn_module *m = make_nested(), *dl0 = vn_module_child(m, "_dl0"), *dl1 = vn_module_child(m, "_dl1");
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++)
        CHECK(vn_module_top_mod(vn_module_child(m, below_nested[k]), -1) == m);
    CHECK(vn_module_top_mod(dl0, 1) == m && vn_module_top_mod(dl1, 1) == m);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "_l1" : "_l0";
        CHECK(vn_module_top_mod(vn_module_child(dl0, name), 1) == dl0 && vn_module_top_mod(vn_module_child(dl1, name), 1) == dl1);
        CHECK(vn_module_top_mod(vn_module_child(dl0, name), 2) == m && vn_module_top_mod(vn_module_child(dl1, name), 7) == m);
    }
    CHECK(!vn_module_top_mod(m, -1) && vn_module_top_mod(m, 0) == m);
    CHECK_FAILS(vn_module_top_mod(m, -2), VN_E_ARG, "depth -2");
}

static void test_v_with_top_v_key_chains(void)
{
    vn_module *m = make_nested();
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++) {
        vn_module *sub = vn_module_child(m, below_nested[k]);
        vn_tree *v = vn_module_v_with_top_v_key_chains(sub, -1, NULL);
        CHECK(vn_tree_get_tree(v, below_nested[k]) == vn_module_v(sub) && vn_tree_leaves(v) == vn_tree_leaves(vn_module_v(sub)));
    }
    vn_module *l0 = vn_module_child(m, "dl0/l0");
    CHECK(vn_tree_get_tree(vn_module_v_with_top_v_key_chains(l0, 1, NULL), "l0") == vn_module_v(l0));
    CHECK(vn_module_v_with_top_v_key_chains(l0, 0, NULL) == vn_module_v(l0));
    CHECK(vn_tree_has(vn_module_v_with_top_v_key_chains(l0, -1, VN_OPTS(module_look, .flatten = 1)), "dl0__l0__w"));
    CHECK(!strcmp(vn_module_mod_with_top_mod_key_chain(vn_module_child(m, "dl1/l1"), -1, NULL), "Nested_0/DL_1/Linear_3"));
    CHECK(!strcmp(vn_module_mod_with_top_mod_key_chain(l0, 1, VN_OPTS(module_look, .flatten = 1)), "DL_0__Linear_0"));
    CHECK(strstr(vn_module_show_v_in_top_v(l0, -1), "l0") && strstr(vn_module_show_v_in_top_v(l0, -1), "..."));
    CHECK(strstr(vn_module_show_mod_in_top_mod(l0, -1), "Linear_0") && !strstr(vn_module_show_mod_in_top_mod(l0, -1), "Linear_2"));
    CHECK(!strcmp(vn_module_show_structure(vn_module_child(m, "dl1")), "DL_1\n  Linear_2 l0\n  Linear_3 l1\n"));
}

static void test_module_depth(void)
{
    vn_module *m = make_nested();
    CHECK(vn_module_mod_depth(m) == 0);
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++)
        CHECK(vn_module_mod_depth(vn_module_child(m, below_nested[k])) == (strchr(below_nested[k], '/') ? 2 : 1));
    CHECK(!strcmp(vn_module_get_mod_key(vn_module_child(m, "dl1/l0")), "  Linear_2") && !strcmp(vn_module_get_mod_key(m), "Nested_0"));
}

static void test_module_height(void)
{
    vn_module *m = make_nested();
    CHECK(vn_module_mod_height(m) == 2);
    for (size_t k = 0; k < sizeof below_nested / sizeof *below_nested; k++)
        CHECK(vn_module_mod_height(vn_module_child(m, below_nested[k])) == (strchr(below_nested[k], '/') ? 0 : 1));
}

static void test_sub_modules(void)
{
    vn_module *m = make_nested();
    CHECK(vn_module_sub_mods(m, 0, NULL) == vn_module_v(m));
    vn_tree *one = vn_module_sub_mods(m, 1, NULL), *all = vn_module_sub_mods(m, -1, NULL);
    CHECK(vn_tree_get_tree(one, "DL_0") == vn_module_v(vn_module_child(m, "dl0")));
    CHECK(vn_tree_get_tree(one, "DL_1") == vn_module_v(vn_module_child(m, "dl1")));
    for (int k = 0; k < 4; k++) {
        char key[32];
        snprintf(key, sizeof key, "DL_%d/Linear_%d", k / 2, k);
        CHECK(vn_tree_get_tree(all, key) == vn_module_v(vn_module_child(m, below_nested[2 + k])));
        CHECK(vn_tree_contains_sub_tree(all, vn_module_v(vn_module_child(m, below_nested[2 + k])), 0) == 1);
    }
    vn_tree *names = vn_module_sub_mods(m, -1, VN_OPTS(module_look, .no_v = 1, .flatten = 1));
    CHECK(vn_tree_value(names, "DL_1__Linear_3").kind == VN_V_NULL);
}

/* ---- tracing ---- */

static vn_module_trace *traced(vn_module *m, const vn_module_trace_opts *opts)
{
    vn_module_trace *t = vn_module_trace_new(opts);
    vn_array *y = vn_module_call(m, input(1, 2, 3), VN_OPTS(module_call, .trace = t));
    CHECK(!y || (vn_rank(y) == 3 && vn_dim(y, 1) == 2 && vn_dim(y, 2) == HIDDEN));
    return t;
}

static int results_of(const vn_tree *rets, vn_module *sub)
{
    vn_value list = vn_tree_if_exists(rets, vn_module_get_mod_key(sub));
    int n = list.kind == VN_V_TREE ? vn_tree_leaves(list.u.tree) : 0;
    for (int i = 0; i < n; i++) {
        vn_array *x = vn_tree_leaf(list.u.tree, i);
        CHECK(!strcmp(vn_engine_of(x), "native") && vn_is_ready(x) && vn_rank(x) == 3 && vn_dim(x, 2) == HIDDEN);
    }
    return n;
}

static void test_module_track_submod_rets(void)
{
    vn_module *m = make_nested(), *sub[6];
    for (int k = 0; k < 6; k++) sub[k] = vn_module_child(m, below_nested[k]);
    static const int calls[] = {1, 2, 1, 1, 2, 2};
    vn_tree *one = vn_module_trace_submod_rets(traced(m, VN_OPTS(module_trace, .rets = 1, .depth = 1)));
    vn_tree *all = vn_module_trace_submod_rets(traced(m, VN_OPTS(module_trace, .rets = 1)));
    vn_tree *some = vn_module_trace_submod_rets(traced(m, VN_OPTS(module_trace, .rets = 1, .submods = (vn_module *[]){sub[1], sub[2]}, .n_submods = 2)));
    for (int k = 0; k < 6; k++) {
        CHECK(results_of(one, sub[k]) == (k < 2 ? calls[k] : 0));
        CHECK(results_of(all, sub[k]) == calls[k]);
        CHECK(results_of(some, sub[k]) == (k == 1 || k == 2 ? calls[k] : 0));
    }
    CHECK(!vn_tree_has(all, vn_module_get_mod_key(m)));
    vn_array *last = vn_tree_get(vn_tree_get_tree(all, vn_module_get_mod_key(sub[1])), "1");
    vn_array *y = vn_to(vn_module_call(m, input(1, 2, 3), NULL), "native");
    CHECK(vn_item(vn_max(vn_abs(vn_sub(last, y)), VN_ALL)) < 1e-6);
    CHECK_FAILS(vn_module_trace_submod_call_order(traced(m, VN_OPTS(module_trace, .rets = 1))), VN_E_ARG, "call_order");
}

static vn_array *random_like(vn_array *x, void *user)
{
    (void)user;
    return vn_random_uniform(2, 3, vn_shape_of(x)); /* tanh never gives that */
}

/* The lists of results with tolerances beside them: numbers, or one for each call. */
static vn_tree *with_tolerances(const vn_tree *rets, bool lists)
{
    vn_tree *t = vn_tree_new();
    int n = 0;
    const char *const *keys = vn_tree_keys(rets, &n);
    for (int i = 0; i < n; i++) {
        vn_tree *one = vn_tree_new(), *list = vn_tree_get_tree(rets, keys[i]), *atol = vn_tree_list(0, NULL), *rtol = vn_tree_list(0, NULL);
        vn_tree_set_tree(one, "val", list);
        for (int k = 0; k < vn_tree_leaves(list); k++) {
            vn_tree_append(atol, vn_value_number(1e-8));
            vn_tree_append(rtol, vn_value_number(1e-5));
        }
        vn_tree_set_value(one, "atol", lists ? vn_value_tree(atol) : vn_value_number(1e-8));
        vn_tree_set_value(one, "rtol", lists ? vn_value_tree(rtol) : vn_value_number(1e-5));
        vn_tree_set_tree(t, keys[i] + strspn(keys[i], " "), one); /* keys without blanks will do */
    }
    return t;
}

static void test_module_check_submod_rets(void)
{
    vn_module *m = make_nested();
    vn_module *listed[] = {vn_module_child(m, "dl1"), vn_module_child(m, "dl0/l0")};
    const vn_module_trace_opts *opts[] = {VN_OPTS(module_trace, .rets = 1, .depth = 1), VN_OPTS(module_trace, .rets = 1),
                                   VN_OPTS(module_trace, .rets = 1, .submods = listed, .n_submods = 2)};
    for (int k = 0; k < 3; k++) {
        vn_tree *rets = vn_module_trace_submod_rets(traced(m, opts[k])), *noise = vn_tree_map_arrays(rets, random_like, NULL);
        vn_module_trace_opts o = *opts[k];
        vn_tree *good[] = {rets, with_tolerances(rets, false), with_tolerances(rets, true)};
        vn_tree *bad[] = {noise, with_tolerances(noise, false), with_tolerances(noise, true)};
        for (int i = 0; i < 3; i++) {
            o.expected = good[i];
            traced(m, &o);
            CHECK(vn_status() == VN_OK);
            o.expected = bad[i];
            CHECK_FAILS(traced(m, &o), VN_E_ARG, "is expected");
        }
    }
    /* null entries, other modules, fewer results, loose tolerances */
    vn_tree *e = vn_tree_new(), *list = vn_tree_list(0, NULL);
    vn_tree_append(list, vn_value_null());
    vn_tree_set_tree(e, "DL_1", list);
    vn_tree_set_null(e, "DL_0");
    vn_tree_set(e, "Other_0/0", vn_scalar(1));
    traced(m, VN_OPTS(module_trace, .expected = e));
    CHECK(vn_status() == VN_OK);
    vn_tree_append(list, vn_value_array(vn_zeros(VN_SHAPE(1, 2, HIDDEN), VN_F32)));
    CHECK_FAILS(traced(m, VN_OPTS(module_trace, .expected = e)), VN_E_ARG, "call 1 of DL_1");
    vn_tree *loose = vn_tree_new();
    vn_tree_set_tree(loose, "DL_1/val", list);
    vn_tree_set_number(loose, "DL_1/atol", 2);
    traced(m, VN_OPTS(module_trace, .expected = loose));
    CHECK(vn_status() == VN_OK);
    vn_tree_set(e, "DL_1/1", vn_zeros(VN_SHAPE(3), VN_F32));
    CHECK_FAILS(traced(m, VN_OPTS(module_trace, .expected = e)), VN_E_ARG, "shape 1x2x64, 3 is expected");
}

static void test_module_track_submod_call_order(void)
{
    vn_module *m = make_nested(), *dl0 = vn_module_child(m, "dl0"), *dl1 = vn_module_child(m, "dl1"), *l0 = vn_module_child(m, "dl0/l0");
    vn_tree *all = vn_module_trace_submod_call_order(traced(m, VN_OPTS(module_trace, .call_order = 1)));
    vn_tree *one = vn_module_trace_submod_call_order(traced(m, VN_OPTS(module_trace, .call_order = 1, .depth = 1)));
    vn_tree *some =
        vn_module_trace_submod_call_order(traced(m, VN_OPTS(module_trace, .call_order = 1, .submods = (vn_module *[]){dl1, l0}, .n_submods = 2)));
    int n = 0;
    const char *const *keys = vn_tree_keys(vn_tree_get_tree(all, "Nested_0_0"), &n);
    CHECK(n == 3 && !strcmp(keys[0], "DL_0_0") && !strcmp(keys[1], "DL_1_0") && !strcmp(keys[2], "DL_1_1"));
    keys = vn_tree_keys(vn_tree_get_tree(all, "Nested_0_0/DL_1_1"), &n);
    CHECK(n == 2 && !strcmp(keys[0], "Linear_2_0") && !strcmp(keys[1], "Linear_3_0"));
    vn_tree *leaf = vn_tree_get_tree(all, "Nested_0_0/DL_0_0/Linear_0_0"), *v = vn_module_v(l0);
    CHECK(same_values(leaf, v) && vn_tree_get(leaf, "w") != vn_tree_get(v, "w"));
    CHECK(same_values(vn_tree_get_tree(one, "Nested_0_0/DL_0_0"), vn_tree_flatten_key_chains(vn_module_v(dl0), NULL)));
    CHECK(vn_tree_has(one, "Nested_0_0/DL_1_1/l0__b") && !vn_tree_has(one, "Nested_0_0/DL_1_1/Linear_2_0"));
    CHECK(same_values(vn_tree_get_tree(some, "Nested_0_0/DL_1_0"), vn_tree_flatten_key_chains(vn_module_v(dl1), NULL)));
    CHECK(same_values(vn_tree_get_tree(some, "Nested_0_0/DL_0_0/Linear_0_0"), v) && !vn_tree_has(some, "Nested_0_0/DL_0_0/Linear_1_0"));
}

/* ---- building ---- */

static void build_modes(void)
{
    sizes s = {3, 2};
    vn_array *x = input(1, 2, 3);
    vn_module *m = vn_module_new(&m3, &s, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
    CHECK(m && !vn_module_is_built(m) && vn_module_build_mode(m) == VN_BUILD_EXPLICIT);
    CHECK_FAILS(vn_module_call(m, x, NULL), VN_E_ARG, "M3 is not built");
    CHECK_FAILS(vn_module_v(m), VN_E_STRUCT, "M3 is not built");
    vn_tree *v = vn_module_build(m, NULL);
    CHECK(vn_tree_leaves(v) == 6 && vn_module_is_built(m) && vn_module_v(m) == v && vn_module_build(m, NULL) == v);
    CHECK(vn_size(vn_module_call(m, x, NULL)) == 4);
    vn_module *late = vn_module_new(&m3, &s, VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL));
    CHECK(!vn_module_is_built(late));
    vn_array *y = vn_module_call(late, vn_cast(x, VN_F64), NULL);
    CHECK(y && vn_module_is_built(late) && vn_tree_leaves(vn_module_v(late)) == 6);
    CHECK_FAILS(vn_module_add(late, "more", m), VN_E_ARG, "built already");
    CHECK_FAILS(vn_module_new(&m3, &s, VN_OPTS(module, .build_mode = 7)), VN_E_ARG, "build mode 7");
}

static vn_module *late_linear(int64_t in, int64_t out)
{
    return vn_nn_linear(in, out, VN_OPTS(nn_linear, .module = VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL)));
}

/* A module whose sub-modules come into being in its first call, which is where they learn their sizes. */
static vn_array *growing_forward(vn_module *m, vn_array *x)
{
    if (!vn_tree_leaves(vn_module_v(m))) {
        vn_module_add(m, "_a", late_linear(vn_dim(x, -1), 4));
        vn_module_add(m, "_b", vn_nn_linear(4, 1, NULL));
    }
    return vn_module_run(m, "_b", vn_module_run(m, "_a", x));
}

static const vn_module_class growing = {.name = "Growing", .forward = growing_forward};

static void late_modules(void)
{
    vn_array *x = vn_cast(input(1, 2, 3), VN_F64);
    vn_module *m = vn_module_new(&growing, NULL, VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL));
    CHECK(vn_module_call(m, x, NULL));
    vn_tree *v = vn_module_v(m);
    CHECK(vn_tree_leaves(v) == 4 && vn_dtype_of(vn_tree_get(v, "a/w")) == VN_F64 && vn_dtype_of(vn_tree_get(v, "b/w")) == VN_F32);
    CHECK(!strcmp(vn_engine_of(vn_tree_get(v, "a/w")), vn_using()));
    CHECK(vn_module_v(vn_module_child(m, "a")) == vn_tree_get_tree(v, "a"));
    check_training(m, x, VN_KEYS("a/w", "a/b", "b/w", "b/b"));
    /* a child that is built late in a parent that was built before */
    vn_module *seq = VN_SEQUENTIAL(late_linear(3, 2), vn_nn_identity());
    vn_tree *before = vn_module_v(seq);
    CHECK(vn_tree_leaves(before) == 0);
    CHECK(vn_module_call(seq, x, NULL) && vn_module_v(seq) == before && vn_tree_has(before, "submodules/v0/w"));
    /* variables for what is built late: looked at when it is built */
    vn_tree *given = vn_tree_of("submodules/v0/w", vn_ones(VN_SHAPE(2, 3), VN_F64), "submodules/v0/b", vn_zeros(VN_SHAPE(2), VN_F64), NULL);
    vn_module *ready = vn_nn_sequential((vn_module *[]){late_linear(3, 2)}, 1, VN_OPTS(module, .v = given));
    CHECK(vn_item(vn_sum(vn_module_call(ready, x, NULL), VN_ALL)) == 6 && vn_module_v(ready) == given);
    CHECK(vn_module_var(vn_module_child(ready, "submodules/v0"), "w") == vn_tree_get(given, "submodules/v0/w"));
    vn_module *wrong = vn_nn_sequential((vn_module *[]){late_linear(3, 4)}, 1, VN_OPTS(module, .v = given));
    CHECK_FAILS(vn_module_call(wrong, x, NULL), VN_E_STRUCT, "cannot take this v");
    /* one array for two sub-modules */
    vn_array *w = vn_ones(VN_SHAPE(3, 3), VN_F64), *b = vn_zeros(VN_SHAPE(3), VN_F64);
    vn_tree *tied = vn_tree_of("submodules/v0/w", w, "submodules/v0/b", b, "submodules/v1/w", w, "submodules/v1/b", b, NULL);
    vn_module *both = vn_nn_sequential((vn_module *[]){vn_nn_linear(3, 3, NULL), vn_nn_linear(3, 3, NULL)}, 2,
                                       VN_OPTS(module, .v = tied, .build_mode = VN_BUILD_ON_CALL));
    CHECK(vn_item(vn_sum(vn_module_call(both, x, NULL), VN_ALL)) == 27 && vn_module_v(both) == tied);
}

static int parts_build(vn_module *m, const vn_tree *args)
{
    int *calls = vn_module_self(m);
    CHECK((args != NULL) == (*calls > 0) && (!args || vn_tree_has(args, "x")));
    vn_module_add(m, *calls ? "_second" : "_first", vn_nn_linear(3, 3, NULL));
    return (*calls)++ ? VN_OK : VN_BUILD_PARTIAL;
}

static vn_array *parts_forward(vn_module *m, vn_array *x)
{
    return vn_module_run(m, "_second", vn_module_run(m, "_first", x));
}

static const vn_module_class parts = {.name = "Parts", .build = parts_build, .forward = parts_forward};

static void partial_build(void)
{
    int calls = 0;
    vn_module *m = vn_module_new(&parts, &calls, NULL);
    CHECK(m && !vn_module_is_built(m) && vn_tree_leaves(vn_module_v(m)) == 2);
    CHECK(vn_module_call(m, input(1, 1, 3), NULL) && vn_module_is_built(m) && vn_tree_leaves(vn_module_v(m)) == 4 && calls == 2);
}

static void no_store(void)
{
    sizes s = {3, 2};
    vn_array *x = input(1, 2, 3);
    CHECK_FAILS(vn_module_new(&m3, &s, VN_OPTS(module, .no_store = 1)), VN_E_ARG, "build it explicitly");
    vn_module *m = vn_module_new(&m3, &s, VN_OPTS(module, .no_store = 1, .build_mode = VN_BUILD_EXPLICIT));
    vn_tree *v = vn_module_build(m, NULL);
    CHECK(vn_tree_leaves(v) == 6);
    CHECK_FAILS(vn_module_call(m, x, NULL), VN_E_STRUCT, "keeps no variables");
    CHECK(vn_size(vn_module_call(m, x, VN_OPTS(module_call, .v = v))) == 4);
    check_training(vn_module_new(&m3, &s, VN_OPTS(module, .v = v)), x, VN_KEYS("linear0/w"));
}

/* ---- calling ---- */

static vn_tree *pair_forward(vn_module *m, const vn_tree *args)
{
    vn_array *a = vn_tree_get(args, "a"), *b = vn_tree_get(args, "b");
    return vn_tree_of("sum", vn_module_run(m, "_l", vn_add(a, b)), "difference", vn_sub(a, b), NULL);
}

static int pair_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    return vn_module_add(m, "_l", vn_nn_linear(3, 3, NULL));
}

static vn_tree *one_forward(vn_module *m, const vn_tree *args)
{
    (void)m;
    return vn_tree_of("z", vn_neg(vn_tree_get(args, "x")), NULL);
}

static const vn_module_class pair = {.name = "Pair", .build = pair_build, .forward_tree = pair_forward};
static const vn_module_class one = {.name = "One", .forward_tree = one_forward};

static void trees_in_and_out(void)
{
    vn_module *m = vn_module_new(&pair, NULL, NULL), *neg = vn_module_new(&one, NULL, NULL), *id = vn_nn_identity();
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32);
    vn_tree *z = vn_module_call_tree(m, vn_tree_of("a", x, "b", x, NULL), NULL);
    CHECK(vn_tree_leaves(z) == 2 && vn_item(vn_max(vn_tree_get(z, "difference"), VN_ALL)) == 0);
    CHECK(vn_item(vn_sum(vn_module_call(neg, x, NULL), VN_ALL)) == -6);
    CHECK(vn_tree_has(vn_module_call_tree(neg, vn_tree_of("x", x, NULL), NULL), "z"));
    CHECK(vn_tree_has(vn_module_call_tree(id, vn_tree_of("any", x, NULL), NULL), "y"));
    CHECK_FAILS(vn_module_call_tree(id, vn_tree_of("a", x, "b", x, NULL), NULL), VN_E_STRUCT, "one is needed");
    CHECK_FAILS(vn_module_call(m, x, NULL), VN_E_STRUCT, "no \"a\"");
}

static vn_array *failing_forward(vn_module *m, vn_array *x)
{
    vn_array *y = vn_module_run(m, "_l", x);
    return vn_dim(x, 0) == 1 ? y : vn_reshape(y, VN_SHAPE(1000));
}

static const vn_module_class failing = {.name = "Failing", .build = pair_build, .forward = failing_forward};

/* Variables that are given hold for one call only, also when it fails. */
static void given_variables(void)
{
    vn_module *m = vn_module_new(&failing, NULL, NULL);
    vn_array *x = vn_ones(VN_SHAPE(1, 3), VN_F32);
    vn_tree *v = vn_module_v(m), *zero = vn_tree_of("l/w", vn_zeros(VN_SHAPE(3, 3), VN_F32), "l/b", vn_full(7, VN_SHAPE(3), VN_F32), NULL);
    double before = vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL));
    CHECK(vn_item(vn_sum(vn_module_call(m, x, VN_OPTS(module_call, .v = zero)), VN_ALL)) == 21);
    CHECK(vn_module_v(m) == v && vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) == before);
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 3), VN_F32), VN_OPTS(module_call, .v = zero)), VN_E_SHAPE, "Failing");
    CHECK(vn_module_v(m) == v && vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) == before);
    vn_tree *empty = vn_tree_of("other", x, NULL);
    CHECK_FAILS(vn_module_call(m, x, VN_OPTS(module_call, .v = empty)), VN_E_STRUCT, "nothing for Linear");
    CHECK_FAILS(vn_module_call(m, x, VN_OPTS(module_call, .v = vn_tree_of("l", x, NULL))), VN_E_STRUCT, "\"l\" in v is an array");
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(1, 4), VN_F32), NULL), VN_E_SHAPE, "a last axis of 3 is needed");
}

static vn_array *sum_without_grads(const vn_tree *v, void *user)
{
    const problem *p = user;
    vn_array *y = vn_sum(vn_module_call(p->m, p->x, VN_OPTS(module_call, .v = v)), VN_ALL);
    return vn_add(y, vn_sum(vn_module_call(p->m, p->x, VN_OPTS(module_call, .v = v, .with_grads = -1)), VN_ALL));
}

static void without_gradients(void)
{
    vn_module *m = vn_nn_linear(3, 2, NULL);
    vn_tree *g;
    CHECK(vn_value_and_grad(sum_without_grads, vn_module_v(m), &(problem){m, vn_ones(VN_SHAPE(5, 3), VN_F32)}, &g));
    CHECK(vn_item(vn_max(vn_tree_get(g, "b"), VN_ALL)) == 5); /* not 10 */
}

static void with_gradients(void)
{
    vn_module *m = vn_nn_linear(3, 1, NULL);
    vn_array *w = vn_variable(vn_ones(VN_SHAPE(1, 3), VN_F32)), *x = vn_full(2, VN_SHAPE(1, 3), VN_F32), *y = NULL, *z = NULL;
    vn_tree *v = vn_tree_of("w", w, "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    VN_NO_GRAD {
        y = vn_module_call(m, x, VN_OPTS(module_call, .v = v));
        z = vn_module_call(m, x, VN_OPTS(module_call, .v = v, .with_grads = 1));
        CHECK(vn_with_grads(-1) == 0);
    }
    CHECK(largest(vn_grad(vn_sum(y, VN_ALL), w)) == 0 && largest(vn_grad(vn_sum(z, VN_ALL), w)) == 2);
}

/* A layer in two networks, one of which is given variables. */
static void shared_modules(void)
{
    vn_module *l = vn_nn_linear(2, 2, NULL), *a = VN_SEQUENTIAL(l, vn_nn_identity()), *b = VN_SEQUENTIAL(vn_nn_linear(2, 2, NULL), l);
    CHECK(vn_module_top_mod(l, -1) == a && vn_tree_get_tree(vn_module_v(b), "submodules/v1") == vn_module_v(l));
    int n = 0;
    CHECK(vn_tree_keys(vn_module_sub_mods(b, 1, NULL), &n) && n == 2);
    vn_tree *v = vn_tree_deep_copy(vn_module_v(b));
    vn_tree_set(v, "submodules/v1/w", vn_zeros(VN_SHAPE(2, 2), VN_F32));
    vn_tree_set(v, "submodules/v1/b", vn_full(3, VN_SHAPE(2), VN_F32));
    vn_array *x = vn_ones(VN_SHAPE(1, 2), VN_F32);
    CHECK(vn_item(vn_sum(vn_module_call(b, x, VN_OPTS(module_call, .v = v)), VN_ALL)) == 6);
    vn_tree *of_a = vn_tree_new();
    vn_tree_set_tree(of_a, "submodules/v0", vn_tree_get_tree(v, "submodules/v1"));
    CHECK(vn_item(vn_sum(vn_module_call(a, x, VN_OPTS(module_call, .v = of_a)), VN_ALL)) == 6);
}

/* ---- threads ---- */

typedef struct {
    vn_module *m;
    const char *engine;
    int number, right;
} runner;

static void *run_calls(void *user)
{
    runner *r = user;
    vn_use(r->engine);
    for (int i = 0; i < 20; i++) {
        VN_SCOPE;
        vn_tree *v = vn_tree_of("submodules/v0/w", vn_zeros(VN_SHAPE(2, 2), VN_F32), "submodules/v0/b",
                                vn_full(r->number, VN_SHAPE(2), VN_F32), NULL);
        vn_array *y = vn_module_call(r->m, vn_ones(VN_SHAPE(1, 2), VN_F32), VN_OPTS(module_call, .v = v));
        r->right += vn_item(vn_sum(y, VN_ALL)) == 2 * r->number;
    }
    vn_close();
    return NULL;
}

static void threads(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_linear(2, 2, NULL), vn_nn_identity());
    vn_module_train(m, 0);
    CHECK(vn_module_call(m, vn_ones(VN_SHAPE(1, 2), VN_F32), NULL));
    pthread_t id[3];
    runner r[3];
    for (int i = 0; i < 3; i++) {
        r[i] = (runner){m, vn_using(), i, 0};
        CHECK(!pthread_create(&id[i], NULL, run_calls, &r[i]));
    }
    for (int i = 0; i < 3; i++) CHECK(!pthread_join(id[i], NULL) && r[i].right == 20);
}

/* ---- state beside the variables ---- */

/* Counts its calls in training, and adds the count to x. */
static vn_tree *counter_variables(vn_module *m, vn_dtype dtype)
{
    vn_module_add_buffer(m, "calls", vn_zeros(VN_0D, dtype));
    return vn_tree_of("scale", vn_ones(VN_0D, dtype), NULL);
}

static vn_array *counter_forward(vn_module *m, vn_array *x)
{
    vn_array *n = vn_add(vn_module_buffer(m, "calls"), vn_module_var(m, "scale")); /* has history; the buffer has none */
    if (vn_module_training(m)) vn_module_set_buffer(m, "calls", n);
    return vn_mul(vn_add(x, vn_module_buffer(m, "calls")), vn_module_var(m, "scale"));
}

static const vn_module_class counter = {.name = "Counter", .create_variables = counter_variables, .forward = counter_forward};

static vn_array *sum_loss(vn_module *m, void *data)
{
    return vn_sum(vn_module_call(m, data, NULL), VN_ALL);
}

static void buffers(void)
{
    vn_module *inner = vn_module_new(&counter, NULL, NULL), *m = VN_SEQUENTIAL(vn_nn_identity(), inner);
    vn_array *x = vn_ones(VN_0D, VN_F32);
    CHECK(vn_tree_leaves(vn_module_v(m)) == 1 && vn_tree_leaves(vn_module_buffers(m)) == 1);
    CHECK(vn_item(vn_module_call(m, x, NULL)) == 2 && vn_item(vn_module_call(m, x, NULL)) == 3);
    vn_module_train(m, 0);
    CHECK(!vn_module_training(inner) && vn_item(vn_module_call(m, x, NULL)) == 3);
    vn_module_train(m, 1);
    vn_tree *grads;
    vn_optim *sgd = vn_sgd(.25);
    vn_array *loss = vn_module_value_and_grad(m, sum_loss, x, &grads);
    CHECK(vn_step(sgd, vn_module_v(m), grads) == VN_OK);
    vn_array *calls = vn_tree_get(vn_module_buffers(m), "submodules/v1/calls");
    CHECK(calls == vn_module_buffer(inner, "calls") && vn_is_ready(calls)); /* the step computed it */
    CHECK(vn_item(loss) == 4 && vn_item(calls) == 3 && vn_item(vn_tree_get(grads, "submodules/v1/scale")) == 4);
    CHECK(vn_item(vn_module_var(inner, "scale")) == 0);
    CHECK_FAILS(vn_module_set_buffer(inner, "calls", vn_ones(VN_SHAPE(2), VN_F32)), VN_E_SHAPE, "into");
    CHECK_FAILS(vn_module_set_buffer(inner, "other", x), VN_E_STRUCT, "no buffer \"other\"");
    CHECK_FAILS(vn_module_add_buffer(inner, "calls", x), VN_E_STRUCT, "already");
}

static void states(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_linear(2, 2, NULL), vn_module_new(&counter, NULL, NULL)),
              *other = VN_SEQUENTIAL(vn_nn_linear(2, 2, NULL));
    vn_array *x = vn_ones(VN_SHAPE(1, 2), VN_F32), *w = vn_module_var(m, "submodules/v0/w");
    vn_tree *saved = vn_module_state(m), *grads;
    vn_module_train(m, 0);
    double before = vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL));
    vn_module_train(m, 1);
    for (int i = 0; i < 3; i++) {
        VN_SCOPE;
        CHECK(vn_module_value_and_grad(m, sum_loss, x, &grads) && !vn_step(vn_sgd(.1), vn_module_v(m), grads));
    }
    vn_module_train(m, 0);
    CHECK(vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) != before);
    CHECK(!vn_module_set_state(m, saved) && vn_module_var(m, "submodules/v0/w") == w);
    CHECK(vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) == before);
    CHECK(same_values(vn_module_state(m), saved));
    CHECK_FAILS(vn_module_set_state(other, saved), VN_E_STRUCT, "no state of Sequential");
}

static void freezing(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_linear(3, 2, NULL)), *last = vn_module_child(m, "submodules/v1");
    vn_array *x = vn_ones(VN_SHAPE(1, 2), VN_F32);
    CHECK(!vn_module_freeze(m, "submodules/v0") && !vn_module_freeze(last, "b"));
    CHECK(vn_tree_value(vn_module_frozen(m), "submodules/v1/b").kind == VN_V_NULL);
    vn_tree *before = vn_tree_deep_copy(vn_module_v(m)), *v = vn_module_v(m), *grads;
    vn_optim *adam = vn_adamw(.1, VN_OPTS(optim, .weight_decay = .5));
    CHECK(vn_module_value_and_grad(m, sum_loss, x, &grads) && !vn_step(adam, v, grads));
    CHECK(vn_tree_value(grads, "submodules/v0/w").kind == VN_V_NULL && vn_tree_value(grads, "submodules/v1/w").kind == VN_V_ARRAY);
    static const char *const chains[] = {"submodules/v0/w", "submodules/v0/b", "submodules/v1/b", "submodules/v1/w"};
    for (int i = 0; i < 4; i++) CHECK((largest(vn_sub(vn_tree_get(v, chains[i]), vn_tree_get(before, chains[i]))) == 0) == (i < 3));
    CHECK(strstr(vn_module_summary(m, x), "trainable"));
    vn_tree *out =
        vn_execute_with_gradients(mean_of, v, &(problem){m, x}, NULL, &grads, NULL); /* constants in other ways of differentiating */
    CHECK(out && largest(vn_tree_get(grads, "submodules/v0/w")) == 0 && largest(vn_tree_get(grads, "submodules/v1/w")) > 0);
    CHECK(!vn_module_unfreeze(m, "submodules/v0/b") && !vn_module_freeze(m, "submodules/v1/w"));
    CHECK(vn_tree_has(vn_module_frozen(m), "submodules/v0/w") && !vn_tree_has(vn_module_frozen(m), "submodules/v0/b"));
    CHECK(!vn_module_unfreeze(m, "submodules") && vn_tree_max_depth(vn_module_frozen(m)) == 0);
    CHECK(vn_module_value_and_grad(m, sum_loss, x, &grads) && vn_tree_leaves(grads) == 4);
    CHECK_FAILS(vn_module_freeze(m, "nowhere"), VN_E_STRUCT, "nowhere");
    CHECK_FAILS(vn_module_unfreeze(m, "nowhere"), VN_E_STRUCT, "nowhere");
}

/* ---- names, ownership, errors ---- */

static int names_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *l = vn_nn_linear(2, 2, NULL);
    vn_module_add(m, "plain", vn_nn_linear(2, 2, NULL));
    vn_module_add(m, "__hidden", vn_nn_linear(2, 2, NULL));
    vn_module_add_dict(m, "map", VN_KEYS("_a", "b"), (vn_module *[]){l, NULL}, 2);
    return vn_module_add_list(m, "_items", (vn_module *[]){NULL, l}, 2);
}

static vn_tree *names_variables(vn_module *m, vn_dtype dtype)
{
    (void)m;
    return vn_tree_of("own/deep", vn_ones(VN_SHAPE(1), dtype), NULL);
}

static vn_tree *clash_variables(vn_module *m, vn_dtype dtype)
{
    (void)m;
    return vn_tree_of("plain", vn_ones(VN_SHAPE(1), dtype), NULL);
}

static const vn_module_class names = {
    .name = "Names", .build = names_build, .create_variables = names_variables, .forward = identity_forward};
static const vn_module_class clash = {
    .name = "Clash", .build = names_build, .create_variables = clash_variables, .forward = identity_forward};

static void naming(void)
{
    vn_module *m = vn_module_new(&names, NULL, NULL);
    vn_tree *v = vn_module_v(m);
    CHECK(vn_tree_leaves(v) == 5 && vn_tree_has(v, "plain/w") && vn_tree_has(v, "map/a/w") && vn_tree_has(v, "own/deep"));
    CHECK(!vn_tree_has(v, "items") && vn_module_child(m, "items/v1") == vn_module_child(m, "map/a"));
    CHECK(vn_module_child(m, "__hidden") && vn_module_mod_height(m) == 1);
    CHECK_FAILS(vn_module_child(m, "map/b"), VN_E_STRUCT, "no sub-module \"map/b\"");
    CHECK_FAILS(vn_module_new(&clash, NULL, NULL), VN_E_STRUCT, "\"plain\" is a sub-module and a variable");
}

static int freed;

static void free_self(void *self)
{
    freed += *(int *)self;
}

static int bad_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    return vn_module_add(m, "a.b", vn_nn_identity());
}

static int silent_build(vn_module *m, const vn_tree *args)
{
    (void)m, (void)args;
    return VN_E_IO;
}

static vn_tree *no_variables(vn_module *m, vn_dtype dtype)
{
    (void)m, (void)dtype;
    return NULL;
}

static void ownership(void)
{
    int seven = 7;
    static const vn_module_class counted = {.name = "Counted", .self_size = sizeof(int), .forward = identity_forward, .free = free_self};
    static const vn_module_class borrowed = {.name = "Borrowed", .forward = identity_forward, .free = free_self};
    static const vn_module_class bad = {
        .name = "Bad", .self_size = sizeof(int), .build = bad_build, .forward = identity_forward, .free = free_self};
    vn_module *kept, *child;
    {
        VN_SCOPE;
        vn_module *m = vn_module_new(&counted, &seven, NULL);
        CHECK(*(int *)vn_module_self(m) == 7 && vn_module_self(m) != &seven);
        child = vn_module_keep(vn_nn_linear(2, 2, NULL));
        kept = vn_module_keep(VN_SEQUENTIAL(m, child));
    }
    CHECK(freed == 0 && vn_module_mod_depth(child) == 1 && !strcmp(vn_module_class_name(kept), "Sequential"));
    vn_module_drop(kept);
    CHECK(freed == 7 && vn_module_mod_depth(child) == 0); /* the parent is gone */
    vn_module_drop(child);
    CHECK_FAILS(vn_module_v(child), VN_E_FREED, "module_v: m");
    {
        VN_SCOPE;
        CHECK(vn_module_self(vn_module_new(&borrowed, &seven, NULL)) == &seven);
        CHECK_FAILS(vn_module_new(&borrowed, &seven, VN_OPTS(module, .build_mode = 9)), VN_E_ARG, "build mode");
    }
    CHECK(freed == 21);
    CHECK_FAILS(vn_module_new(&bad, &seven, NULL), VN_E_ARG, "Bad: build: module_add: \"a.b\" is no name");
    CHECK(freed == 28);
}

static void errors(void)
{
    static const vn_module_class nameless = {.forward = identity_forward}, idle = {.name = "Idle"};
    static const vn_module_class silent = {.name = "Silent", .build = silent_build, .forward = identity_forward};
    static const vn_module_class empty = {.name = "Empty", .create_variables = no_variables, .forward = identity_forward};
    vn_module *m = vn_module_new(&none, NULL, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT)), *id = vn_nn_identity();
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32);
    CHECK_FAILS(vn_module_new(NULL, NULL, NULL), VN_E_NULL, "cls is NULL");
    CHECK_FAILS(vn_module_new(&nameless, NULL, NULL), VN_E_ARG, "name");
    CHECK_FAILS(vn_module_new(&idle, NULL, NULL), VN_E_NULL, "Idle has no forward");
    CHECK_FAILS(vn_module_new(&silent, NULL, NULL), VN_E_CALLBACK, "Silent: build returned 12");
    CHECK_FAILS(vn_module_new(&empty, NULL, NULL), VN_E_CALLBACK, "create_variables: the callback returned nothing");
    CHECK_FAILS(vn_module_call(NULL, x, NULL), VN_E_NULL, "m is NULL");
    CHECK_FAILS(vn_module_call(id, NULL, NULL), VN_E_NULL, "x is NULL");
    CHECK_FAILS(vn_module_call((vn_module *)x, x, NULL), VN_E_ARG, "another kind of object");
    CHECK_FAILS(vn_module_call(id, x, VN_OPTS(module_call, .v = (vn_tree *)x)), VN_E_ARG, "v is another kind");
    CHECK_FAILS(vn_module_add(m, "_", id), VN_E_ARG, "\"_\" is no name");
    CHECK_FAILS(vn_module_add(m, "a/b", id), VN_E_ARG, "no name");
    CHECK_FAILS(vn_module_add(m, NULL, id), VN_E_NULL, "name is NULL");
    CHECK_FAILS(vn_module_add(m, "me", m), VN_E_STRUCT, "below itself");
    CHECK(!vn_module_add(m, "_id", id));
    CHECK_FAILS(vn_module_add(m, "id", id), VN_E_STRUCT, "has a \"id\" already");
    CHECK_FAILS(vn_module_add_list(m, "l", NULL, 2), VN_E_NULL, "children is NULL");
    CHECK_FAILS(vn_module_add_list(m, "l", &id, -1), VN_E_ARG, "-1 children");
    CHECK_FAILS(vn_module_add_dict(m, "d", VN_KEYS("a", "a"), (vn_module *[]){id, id}, 2), VN_E_STRUCT, "\"a\" stands twice");
    CHECK_FAILS(vn_module_add_dict(m, "d", VN_KEYS("a", "b/c"), (vn_module *[]){id, id}, 2), VN_E_ARG, "no name");
    CHECK(!vn_module_add_dict(m, "d", VN_KEYS("a"), &id, 1)); /* the failed one left nothing */
    CHECK_FAILS(vn_module_run(m, "nobody", x), VN_E_STRUCT, "nobody");
    CHECK_FAILS(vn_module_value_and_grad(id, NULL, NULL, &(vn_tree *){NULL}), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_module_trace_new(VN_OPTS(module_trace, .depth = -1)), VN_E_ARG, "depth");
    CHECK_FAILS(vn_module_sub_mods(id, -5, NULL), VN_E_ARG, "depth -5");
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    vn_seed(0);
    RUN(test_module_training);
    RUN(test_module_training_with_duplicate);
    RUN(test_module_w_dict_training);
    RUN(test_top_module);
    RUN(test_module_depth);
    RUN(test_module_w_none_attribute);
    RUN(test_v_with_top_v_key_chains);
    RUN(test_module_height);
    RUN(test_top_variables);
    RUN(test_module_check_submod_rets);
    RUN(test_module_track_submod_call_order);
    RUN(test_sub_modules);
    RUN(test_with_custom_var_structure);
    RUN(test_module_w_partial_v);
    RUN(test_module_w_list_training);
    RUN(test_module_track_submod_rets);
    RUN(build_modes);
    RUN(late_modules);
    RUN(partial_build);
    RUN(no_store);
    RUN(trees_in_and_out);
    RUN(given_variables);
    RUN(without_gradients);
    RUN(with_gradients);
    RUN(shared_modules);
    RUN(threads);
    RUN(buffers);
    RUN(states);
    RUN(freezing);
    RUN(naming);
    RUN(ownership);
    RUN(errors);
    return finish();
}
