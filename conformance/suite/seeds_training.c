/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_training.c: training modules with layers in lists, in dicts, shared, and with given variables: the loss falls at every step
 * and every variable has a gradient. */
#include "models.h"
#include "seeds.h"

/* ---- models ---- */

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

static const vn_module_class ml = {.name = "ML", .self_size = sizeof(model_sizes), .build = ml_build, .forward = ml_forward};

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

static const vn_module_class md = {.name = "MD", .self_size = sizeof(model_sizes), .build = md_build, .forward = md_forward};

/* ---- training ---- */

/* Ten steps of gradient descent on the mean of the output: the loss falls every time and every named variable has a gradient. */
static void check_training(trial *t, vn_module *m, vn_array *x, const char *const *chains)
{
    vn_tree *v = vn_module_v(m), *grads = NULL;
    double before = INFINITY;
    for (int step = 0; step < 10; step++) {
        double loss = model_step(m, x, &v, &grads);
        if (!EXPECT(t, CHECK_VALUE, loss < before)) return;
        before = loss;
    }
    for (; *chains; chains++) EXPECT(t, CHECK_GRADIENT, largest_of(vn_tree_get(grads, *chains)) > 0);
}

static void train_three(trial *t, const vn_module_class *class, const char *const *chains)
{
    static const model_sizes all[] = {{2, 5}, {4, 3}};
    int k = sample_variant(t, 2);
    model_sizes s = all[k];
    vn_seed((uint64_t)k);
    vn_module *m = vn_module_new(class, &s, NULL);
    EXPECT(t, CHECK_TREE, m && vn_module_is_built(m) && vn_tree_leaves(vn_module_v(m)) == 6);
    vn_array *x = model_input(1 + k, 2, s.in), *y = vn_module_call(m, x, NULL);
    EXPECT(t, CHECK_SHAPE, vn_rank(y) == 3 && vn_dim(y, 0) == 1 + k && vn_dim(y, 2) == s.out);
    check_training(t, m, x, chains);
}

void seed_module_training(trial *t)
{
    train_three(t, &m3, VN_KEYS("linear0/b", "linear0/w", "linear1/b", "linear1/w", "linear2/b", "linear2/w"));
}

void seed_module_w_list_training(trial *t)
{
    train_three(t, &ml, VN_KEYS("layers/v0/b", "layers/v0/w", "layers/v1/b", "layers/v1/w", "layers/v2/b", "layers/v2/w"));
}

void seed_module_w_dict_training(trial *t)
{
    train_three(
        t, &md,
        VN_KEYS("layers/linear0/b", "layers/linear0/w", "layers/linear1/b", "layers/linear1/w", "layers/linear2/b", "layers/linear2/w"));
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

void seed_module_training_with_duplicate(trial *t)
{
    bool same = sample_variant(t, 2);
    twins two = {4, same};
    vn_module *m = vn_module_new(&mdup, &two, NULL);
    vn_tree *v = vn_module_v(m);
    EXPECT(t, CHECK_TREE, vn_tree_has(v, "linear0/w") && vn_tree_has(v, "linear0/b") && !vn_tree_has(v, "linear1/w"));
    EXPECT(t, CHECK_TREE, vn_tree_has(v, "linear1/b") == !same);
    check_training(t, m, model_input(1, 2, two.channels),
                   same ? VN_KEYS("linear0/b", "linear0/w") : VN_KEYS("linear0/b", "linear0/w", "linear1/b"));
    /* both layers see a new w: y = (x w + b) w + b' with everything 1, or with w = 2 */
    vn_tree *twice = vn_tree_deep_copy(v);
    vn_tree_set(twice, "linear0/w", vn_full(vn_scalar(2), VN_SHAPE(4, 4), VN_F32));
    vn_tree_set(twice, "linear0/b", vn_ones(VN_SHAPE(4), VN_F32));
    vn_array *y = vn_module_call(m, vn_ones(VN_SHAPE(1, 4), VN_F32), VN_OPTS(module_call, .v = twice));
    EXPECT(t, CHECK_VALUE, vn_item(vn_min(y, VN_ALL)) == 4 * 2 * (4 * 2 + 1) + 1 && vn_item(vn_max(y, VN_ALL)) == 73);
}

/* ---- variables that are given ---- */

void seed_module_w_partial_v(trial *t)
{
    model_sizes s = {3, 2};
    vn_array *b0 = vn_full(vn_scalar(.5), VN_SHAPE(HIDDEN), VN_F32), *w1 = vn_full(vn_scalar(.25), VN_SHAPE(HIDDEN, HIDDEN), VN_F32);
    vn_tree *full = vn_tree_deep_copy(vn_module_v(vn_module_new(&m3, &s, NULL)));
    vn_tree *extra = vn_tree_set_at_key_chain(full, "linear0/extra", vn_value_array(b0));
    vn_tree *part = vn_tree_of("linear0/b", b0, "linear1/w", w1, "linear2/b", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    EXPECT_FAILS(t, vn_module_new(&m3, &s, VN_OPTS(module, .v = extra, .with_partial_v = 1)), VN_E_STRUCT, "linear0/extra");
    EXPECT_FAILS(t, vn_module_new(&m3, &s, VN_OPTS(module, .v = extra)), VN_E_STRUCT, "linear0/extra");
    EXPECT_FAILS(t, vn_module_new(&m3, &s, VN_OPTS(module, .v = part)), VN_E_STRUCT, "linear0/w");
    vn_tree *bad = vn_tree_of("linear0/b", w1, NULL);
    EXPECT_FAILS(t, vn_module_new(&m3, &s, VN_OPTS(module, .v = bad, .with_partial_v = 1)), VN_E_STRUCT, "linear0/b");
    vn_module *m = vn_module_new(&m3, &s, VN_OPTS(module, .v = part, .with_partial_v = 1));
    vn_tree *v = vn_module_v(m);
    EXPECT(t, CHECK_TREE, vn_tree_get(v, "linear0/b") == b0 && vn_tree_get(v, "linear1/w") == w1 && vn_tree_leaves(v) == 6);
    EXPECT(t, CHECK_TREE, vn_module_var(vn_module_child(m, "_linear0"), "b") == b0); /* the sub-module's own, too */
    EXPECT(t, CHECK_SHAPE, vn_size(vn_module_call(m, model_input(1, 1, 3), NULL)) == 2);
    vn_module *whole = vn_module_new(&m3, &s, VN_OPTS(module, .v = full));
    EXPECT(t, CHECK_TREE,
           vn_module_v(whole) == full && vn_module_v(vn_module_child(whole, "linear1")) == vn_tree_get_tree(full, "linear1"));
    EXPECT(t, CHECK_SHAPE, vn_size(vn_module_call(whole, model_input(1, 1, 3), NULL)) == 2);
}

void seed_module_w_none_attribute(trial *t)
{
    vn_module *m = vn_module_new(&none, NULL, NULL);
    vn_array *x = model_input(1, 2, 3), *y = vn_module_call(m, x, NULL);
    EXPECT(t, CHECK_TREE, y && vn_tree_leaves(vn_module_v(m)) == 0 && vn_module_mod_height(m) == 0);
    EXPECT(t, CHECK_VALUE, !memcmp(vn_data(x), vn_data(y), 6 * sizeof(float)));
}

static vn_tree *custom_variables(vn_module *m, vn_dtype dtype)
{
    (void)dtype;
    vn_tree *t = vn_tree_new(NULL);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "_linear%d", i);
        vn_tree_set_tree(t, (const char *[]){"x", "y", "z"}[i], vn_module_v(vn_module_child(m, name)));
    }
    return t;
}

static const vn_module_class custom = {
    .name = "Custom", .self_size = sizeof(model_sizes), .build = m3_build, .create_variables = custom_variables, .forward = m3_forward};

void seed_with_custom_var_structure(trial *t)
{
    vn_module *m = vn_module_new(&custom, &(model_sizes){2, 3}, NULL);
    vn_tree *v = vn_module_v(m);
    int n = 0;
    const char *const *keys = vn_tree_keys(v, &n);
    EXPECT(t, CHECK_TREE, n == 3 && !strcmp(keys[0], "x") && !strcmp(keys[1], "y") && !strcmp(keys[2], "z"));
    EXPECT(t, CHECK_TREE, vn_tree_leaves(v) == 6 && vn_tree_get_tree(v, "y") == vn_module_v(vn_module_child(m, "linear1")));
    check_training(t, m, model_input(1, 2, 2), VN_KEYS("x/b", "x/w", "y/b", "y/w", "z/b", "z/w"));
}
