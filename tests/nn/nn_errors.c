/* SPDX-License-Identifier: Apache-2.0 */
/* nn_errors.c: invalid calls of layers, modules, models and optimizers that no other test makes: each gives the right code and
 * message. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

static vn_array *numbers(vn_dtype dtype, int64_t n)
{
    return vn_full(vn_scalar(1), VN_SHAPE(n), dtype);
}

static int refuse(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *user)
{
    (void)context, (void)variables, (void)k, (void)v, (void)user;
    return 5;
}

TEST(attention)
{
    vn_array *x = vn_full(vn_scalar(1), VN_SHAPE(2, 4), VN_F32);
    CHECK_FAILS(vn_multi_head_attention(x, VN_NONE, VN_NONE, 2, VN_OPTS(multi_head_attention, .scale = 1, .to_kv = refuse)), VN_E_CALLBACK,
                "to_kv failed with code 5");
    vn_tree *odd = vn_tree_of("in_proj_weights", vn_full(vn_scalar(1), VN_SHAPE(10, 4), VN_F32), NULL);
    CHECK_FAILS(vn_projected_attention(x, VN_NONE, VN_NONE, odd, VN_NONE, VN_NONE, VN_OPTS(projected_attention, .heads = 2), NULL),
                VN_E_SHAPE, "10 rows of in_proj cannot be split in three");
    vn_tree *half = vn_tree_of("bias_k", numbers(VN_F32, 4), NULL);
    CHECK_FAILS(vn_projected_attention(x, VN_NONE, VN_NONE, half, VN_NONE, VN_NONE, VN_OPTS(projected_attention, .heads = 2), NULL),
                VN_E_STRUCT, "one of bias_k and bias_v is missing");
}

static vn_array *forward_again(vn_module *m, vn_array *x)
{
    return vn_module_call(m, x, NULL);
}

TEST(calls)
{
    static const vn_module_class endless = {.name = "Endless", .forward = forward_again};
    CHECK_FAILS(vn_module_call(vn_module_new(&endless, NULL, NULL), numbers(VN_F32, 1), NULL), VN_E_STRUCT,
                "more than 1000 calls inside each other");
}

/* A call whose one sub-module must return `expected`. */
static void call_expecting(const vn_tree *expected)
{
    vn_module *m = vn_nn_sequential((vn_module *[]){vn_nn_linear(2, 3, NULL)}, 1, NULL);
    vn_module_trace *trace = vn_module_trace_new(VN_OPTS(module_trace, .expected = expected));
    vn_module_call(m, vn_full(vn_scalar(1), VN_SHAPE(1, 2), VN_F32), VN_OPTS(module_call, .trace = trace));
}

TEST(traces)
{
    vn_array *zeros = vn_zeros(VN_SHAPE(1, 3), VN_F32);
    CHECK_FAILS(call_expecting(vn_tree_of("Linear_0/0/y", zeros, NULL)), VN_E_STRUCT, "what is expected is of another kind");
    vn_tree *tolerant = vn_tree_of("Linear_0/val/0", zeros, NULL);
    CHECK(vn_tree_set_number(tolerant, "Linear_0/atol", -1) == VN_OK);
    CHECK_FAILS(call_expecting(tolerant), VN_E_ARG, "an expected result's atol is -1");
    CHECK(vn_tree_set_number(tolerant, "Linear_0/atol", 100) == VN_OK);
    CHECK(vn_tree_set_number(tolerant, "Linear_0/rtol", -2) == VN_OK);
    CHECK_FAILS(call_expecting(tolerant), VN_E_ARG, "an expected result's rtol is -2");
    CHECK(vn_tree_set_number(tolerant, "Linear_0/rtol", 0) == VN_OK); /* 0 is a tolerance */
    call_expecting(tolerant);
    CHECK(vn_status() == VN_OK);
}

static vn_tree *forward_pair(vn_module *m, const vn_tree *args)
{
    (void)m;
    vn_array *x = vn_tree_get(args, "x");
    vn_tree *t = vn_tree_of("a", x, "b/c", vn_mul(x, vn_scalar(2)), NULL);
    return vn_tree_set_null(t, "none") ? NULL : t;
}

static vn_tree *forward_below(vn_module *m, const vn_tree *args)
{
    return vn_module_call_tree(vn_module_child(m, "p"), args, NULL);
}

/* A call whose sub-module has a tree as its result, which must be as expected. */
static void call_pair(const char *chain, vn_value value, double atol)
{
    static const vn_module_class pair = {.name = "Pair", .forward_tree = forward_pair};
    static const vn_module_class above = {.name = "Above", .forward_tree = forward_below};
    vn_module *m = vn_module_new(&above, NULL, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
    CHECK(vn_module_add(m, "p", vn_module_new(&pair, NULL, NULL)) == VN_OK && vn_module_build(m, NULL));
    vn_tree *expected = vn_tree_new(NULL);
    CHECK(!vn_tree_set_value(expected, chain, value) && !vn_tree_set(expected, "Pair_0/atol", vn_scalar(atol)));
    vn_module_trace *trace = vn_module_trace_new(VN_OPTS(module_trace, .expected = expected));
    vn_module_call_tree(m, vn_tree_of("x", vn_full(vn_scalar(1), VN_SHAPE(1, 2), VN_F32), NULL), VN_OPTS(module_call, .trace = trace));
}

TEST(traces_of_trees)
{
    VN_SCOPE;
    vn_array *two = vn_full(vn_scalar(2), VN_SHAPE(1, 2), VN_F32), *other = vn_full(vn_scalar(2.5), VN_SHAPE(1, 2), VN_F32);
    call_pair("Pair_0/val/0/b/c", vn_value_array(two), 0);
    CHECK(vn_status() == VN_OK);
    call_pair("Pair_0/val/0/none", vn_value_null(), 0);
    CHECK(vn_status() == VN_OK);
    call_pair("Pair_0/val/0/b/c", vn_value_array(other), 1); /* within the tolerance */
    CHECK(vn_status() == VN_OK);
    CHECK_FAILS(call_pair("Pair_0/val/0/b/c", vn_value_array(other), 0), VN_E_ARG, "2.5 is expected");
    CHECK_FAILS(call_pair("Pair_0/val/0/b/c", vn_value_array(vn_full(vn_scalar(NAN), VN_SHAPE(1, 2), VN_F32)), 0), VN_E_ARG,
                "nan is expected");
    CHECK_FAILS(call_pair("Pair_0/val/0/b/c", vn_value_array(vn_zeros(VN_SHAPE(2, 2), VN_F32)), 0), VN_E_ARG,
                "returned shape 1x2, 2x2 is expected");
    CHECK_FAILS(call_pair("Pair_0/val/0/q", vn_value_array(two), 0), VN_E_STRUCT, "\"q\"");
    CHECK_FAILS(call_pair("Pair_0/val/0", vn_value_array(two), 0), VN_E_STRUCT, "returned a tree; what is expected is of another kind");
}

/* n letters in `to`, which has room for one more. */
static const char *letters(char *to, int n)
{
    memset(to, 'a', (size_t)n);
    to[n] = 0;
    return to;
}

static vn_tree *long_variables(vn_module *m, vn_dtype dtype)
{
    char name[1025];
    const int *n = vn_module_self(m);
    return vn_tree_of(letters(name, *n), vn_zeros(VN_SHAPE(1), dtype), NULL);
}

static vn_array *forward_same(vn_module *m, vn_array *x)
{
    (void)m;
    return x;
}

/* A module with a variable whose name has n letters, `levels` modules with names of 1000 letters down. */
static vn_module *long_named(int levels, int n)
{
    static const vn_module_class leaf = {
        .name = "Leaf", .self_size = sizeof(int), .create_variables = long_variables, .forward = forward_same};
    static const vn_module_class node = {.name = "Node", .forward = forward_same};
    char name[1025];
    vn_module *m = vn_module_new(&leaf, &n, NULL);
    CHECK(vn_module_freeze(m, "") == VN_OK);
    for (int k = 0; k < levels; k++) {
        vn_module *up = vn_module_new(&node, NULL, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
        CHECK(vn_module_add(up, letters(name, 1000), m) == VN_OK);
        m = up;
    }
    CHECK(vn_module_build(m, NULL));
    return m;
}

TEST(long_names)
{
    VN_SCOPE; /* the modules end before their classes */
    char longest[201], longer[202];
    const vn_module_class fits = {.name = letters(longest, 200), .forward = forward_same},
                          larger = {.name = letters(longer, 201), .forward = forward_same};
    const char *key = vn_module_get_mod_key(vn_module_new(&fits, NULL, NULL));
    CHECK(key && strlen(key) == 202 && !strncmp(key, longest, 200) && !strcmp(key + 200, "_0"));
    CHECK_FAILS(vn_module_new(&larger, NULL, NULL), VN_E_ARG, "of 200 letters at most");
}

TEST(long_chains)
{
    CHECK(vn_tree_all_key_chains(vn_module_frozen(long_named(4, 50)), NULL, NULL)[0]);
    CHECK_FAILS(vn_module_frozen(long_named(4, 500)), VN_E_STRUCT, "is too long");
    CHECK_FAILS(vn_module_frozen(long_named(5, 1)), VN_E_STRUCT, "is too long");
    char key[4096];
    letters(key, 4095);
    for (int k = 1; k < 5; k++) key[k * 1000] = '/';
    vn_tree *p = vn_tree_of(key, numbers(VN_F32, 2), NULL);
    CHECK_FAILS(vn_step(vn_adam(.1, NULL), p, p), VN_E_STRUCT, "is too long");
}

TEST(layers)
{
    const vn_option option = {.name = "alpha", .kind = VN_OPT_FLOAT, .n = 1, .u.f = 1};
    CHECK_FAILS(vn_nn_activation(NULL, NULL, 0), VN_E_NULL, "op is NULL");
    CHECK_FAILS(vn_nn_activation("elu", &option, -1), VN_E_ARG, "-1 options");
    CHECK_FAILS(vn_nn_activation("elu", NULL, 1), VN_E_ARG, "1 options");
    CHECK_FAILS(vn_nn_sequential(NULL, -1, NULL), VN_E_ARG, "-1 modules");
    CHECK_FAILS(vn_nn_sequential(NULL, 1, NULL), VN_E_NULL, "1 modules");
    CHECK_FAILS(vn_nn_embedding(0, 3, NULL), VN_E_ARG, "n is 0, size 3; both must be 1 or more");
    CHECK_FAILS(vn_nn_embedding(3, 0, NULL), VN_E_ARG, "n is 3, size 0; both must be 1 or more");
    CHECK_FAILS(vn_module_train(vn_nn_relu(), 2), VN_E_ARG, "module_train: training is 2; it is a flag, 0 or 1");
    CHECK_FAILS(vn_stop_on_interrupt(-1), VN_E_ARG, "stop_on_interrupt: on is -1; it is a flag, 0 or 1");
    vn_init wrong = vn_init_glorot_uniform();
    wrong.fan = 9;
    CHECK_FAILS(vn_init_array(wrong, VN_SHAPE(2), 1, 1, VN_F32), VN_E_ARG, "9 is no fan");
    CHECK_FAILS(vn_init_kaiming_uniform(0, VN_OPTS(init_kaiming_uniform, .fan = "inn")), VN_E_ARG,
                "init_kaiming_uniform: fan is \"inn\"; possible are in, out, sum, avg; did you mean \"in\"?");
}

TEST(formats)
{
    vn_array *x = vn_full(vn_scalar(1), VN_SHAPE(1, 3, 1), VN_F32), *w = vn_full(vn_scalar(1), VN_SHAPE(2, 1, 1), VN_F32);
    const vn_shape none = {0};
    CHECK_FAILS(vn_conv1d(x, w, VN_NONE, VN_OPTS(conv1d, .filter_format = "OI")), VN_E_ARG,
                "conv1d: filter_format is \"OI\"; possible are channel_last, channel_first, WIO, OIW; did you mean \"OIW\"?");
    CHECK_FAILS(vn_conv2d(x, w, VN_NONE, VN_OPTS(conv2d, .data_format = "NCW")), VN_E_ARG,
                "conv2d: data_format is \"NCW\"; possible are channel_last, channel_first, NHWC, NCHW; did you mean \"NCHW\"?");
    CHECK_FAILS(vn_conv_general_dilated(x, w, VN_NONE, VN_OPTS(conv_general_dilated, .data_format = "NHCW")), VN_E_ARG,
                "possible are channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW");
    vn_op_info info = {.size = sizeof info};
    CHECK(vn_op_named("avg_pool3d", &info) == VN_OK);
    for (int k = 0; k < info.n_options; k++) {
        const vn_op_option *o = &info.options[k];
        if (!strcmp(o->name, "data_format")) CHECK(!strcmp(o->texts[2], "NDHWC") && !strcmp(o->texts[3], "NCDHW") && !o->texts[4]);
    }
    CHECK_FAILS(vn_max_pool1d(x, none, NULL), VN_E_ARG, "window is missing");
    CHECK_FAILS(vn_adaptive_avg_pool(x, none, NULL), VN_E_ARG, "size is missing");
}

TEST(modules)
{
    vn_module *m = vn_nn_linear(2, 3, NULL), *child = vn_nn_linear(3, 3, NULL);
    const char *const key = "a";
    CHECK_FAILS(vn_module_add_dict(m, "d", &key, &child, -1), VN_E_ARG, "-1 children");
    CHECK_FAILS(vn_module_add_dict(m, "d", NULL, &child, 1), VN_E_NULL, "keys is NULL");
    CHECK_FAILS(vn_module_add_dict(m, "d", &key, NULL, 1), VN_E_NULL, "children is NULL");
    CHECK_FAILS(vn_module_child(m, NULL), VN_E_NULL, "name is NULL");
    CHECK_FAILS(vn_module_add_buffer(m, "", numbers(VN_F32, 1)), VN_E_ARG, "a buffer needs a name");
    CHECK_FAILS(vn_module_freeze(m, NULL), VN_E_NULL, "chain is NULL");
    CHECK_FAILS(vn_module_unfreeze(m, NULL), VN_E_NULL, "chain is NULL");
}

TEST(models)
{
    CHECK(vn_model_count() > 0);
    vn_model_info info = {.size = sizeof info};
    CHECK(vn_model_at(vn_model_count() - 1, &info) == VN_OK && info.name && *info.name);
    CHECK_FAILS(vn_model_at(vn_model_count(), &info), VN_E_ARG, "");
    CHECK_FAILS(vn_model_parse("{}", "m", (vn_shape){.rank = VN_MAX_RANK}, 1), VN_E_SHAPE, "examples of 32 axes");
    CHECK_FAILS(vn_model_parse("{\"layers\":[{\"type\":\"linear\",\"out\":2}]}", "m", VN_0D, 1), VN_E_SHAPE,
                "examples with an axis of features are needed");
    CHECK_FAILS(vn_model_parse("{\"layers\":[{\"type\":\"batch_norm3d\"}]}", "m", VN_SHAPE(1, 1, 1, 1, 1), 1), VN_E_SHAPE, "5 axes");
}

/* A state with one entry of "rate" changed. */
static int set_rate(const char *name, vn_value v)
{
    VN_SCOPE;
    vn_optim *o = vn_sgd(.1, NULL);
    vn_tree *p = vn_tree_of("w", numbers(VN_F32, 2), NULL), *g = vn_tree_of("w", numbers(VN_F32, 2), NULL);
    CHECK(vn_step(o, p, g) == VN_OK);
    vn_tree *state = vn_tree_copy(vn_optim_state(o));
    CHECK(state && vn_tree_set_value(state, name, v) == VN_OK);
    return vn_optim_set_state(o, state);
}

/* A state whose last key is unknown: keys are sorted, so that it is the last one that is looked at. */
TEST(unknown_state)
{
    CHECK_FAILS(set_rate("zzz", (vn_value){.kind = VN_V_NUMBER, .u = {.number = 1}}), VN_E_STRUCT, "has no state \"zzz\"");
}

static double negative_rate(int64_t step, void *user)
{
    (void)user;
    return 1 - (double)step;
}

TEST(optimizers)
{
    vn_optim *o = vn_sgd(.1, NULL);
    CHECK_FAILS(vn_optim_set_lr(o, NAN), VN_E_ARG, "lr is nan");
    CHECK_FAILS(vn_optim_set_lr(o, -.1), VN_E_ARG, "optim_set_lr: lr is -0.1; a number in [0, inf) is needed");
    CHECK_FAILS(vn_sgd(-.1, NULL), VN_E_ARG, "sgd: lr is -0.1");
    CHECK_FAILS(vn_adam(INFINITY, NULL), VN_E_ARG, "adam: lr is inf");
    CHECK(vn_sgd(0, NULL) && vn_optim_set_lr(o, 0) == VN_OK);
    vn_schedule own = vn_schedule_of(negative_rate, NULL), changed = vn_cosine(.1, 0, 10);
    CHECK_FAILS(vn_cosine(.1, -.1, 10), VN_E_ARG, "cosine: last is -0.1; a number in [0, inf) is needed");
    changed.last = -.1;
    CHECK_FAILS(vn_schedule_at(&changed, 0), VN_E_ARG, "the learning rates are 0.1 and -0.1; finite numbers from 0 on are needed");
    CHECK_FAILS(vn_schedule_at(&own, 2), VN_E_ARG, "schedule_at: the rate of step 2 is -1");
    CHECK_FAILS(vn_schedule_at(NULL, 0), VN_E_NULL, "s is NULL");
    vn_tree *floats = vn_tree_of("w", numbers(VN_F32, 2), NULL), *wide = vn_tree_of("w", numbers(VN_F64, 2), NULL);
    CHECK_FAILS(vn_step(o, floats, wide), VN_E_DTYPE, "\"w\" is float32, its gradient float64");
    vn_tree *whole = vn_tree_of("w", numbers(VN_I32, 2), NULL);
    CHECK_FAILS(vn_step(o, whole, whole), VN_E_DTYPE, "\"w\" is int32; a float dtype is needed");
    CHECK_FAILS(set_rate("rate", vn_value_number(1)), VN_E_STRUCT, "\"rate\" must be a tree");
    CHECK_FAILS(set_rate("rate/lr", vn_value_null()), VN_E_STRUCT, "\"rate/lr\" must be a number");
}

TEST_MAIN
