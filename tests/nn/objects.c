/* objects.c: layers, initialisers, optimizers and schedules by name: each can be made, with the options of its C function, and says what is
 * wrong with them. */
/* ctest: sanitize */
#include "check.h"

/* A number for every option that must be given. */
static int required(const vn_op_info *info, vn_option *to)
{
    static const int64_t one[] = {2};
    int n = 0;
    for (int k = 0; k < info->n_options; k++) {
        const vn_op_option *o = &info->options[k];
        if (o->value) continue;
        to[n] = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
        if (o->kind == VN_OPT_INTS) to[n].u.is = one;
        else if (o->kind == VN_OPT_FLOAT) to[n].u.f = .5;
        else to[n].u.i = 2;
        n++;
    }
    return n;
}

static int made(const char *family, const char *name, const vn_option *options, int n)
{
    vn_init init = {0};
    vn_schedule schedule = {0};
    if (!strcmp(family, "layer")) return vn_nn_make(name, options, n) != NULL;
    if (!strcmp(family, "optimizer")) return vn_optim_make(name, options, n) != NULL;
    if (!strcmp(family, "schedule")) return !vn_schedule_make(name, options, n, &schedule) && vn_schedule_at(&schedule, 1) > 0;
    return !vn_init_named(name, options, n, &init) && vn_init_make(init, VN_SHAPE(4, 4), 4, 4, VN_F32) != NULL;
}

/* Everything that is listed can be made, with nothing but what must be given; an option that no object has is refused. */
TEST(all_by_name)
{
    static const char *const families[] = {"layer", "initialiser", "optimizer", "schedule"};
    int total = 0;
    for (int f = 0; f < 4; f++) {
        const int n = vn_object_count(families[f]);
        total += n;
        for (int i = 0; i < n; i++) {
            vn_op_info info = {.size = sizeof info};
            vn_option options[17];
            CHECK(!vn_object_at(families[f], i, &info) && !strcmp(info.kind, families[f]) && info.doc[0]);
            const int given = required(&info, options);
            check_name = info.name;
            CHECK(made(families[f], info.name, options, given));
            options[given] = (vn_option){.name = "no such option", .kind = VN_OPT_INT, .n = 1};
            CHECK_FAILS(made(families[f], info.name, options, given + 1), VN_E_ARG, "unknown option");
            if (given) CHECK_FAILS(made(families[f], info.name, options, given - 1), VN_E_ARG, "must be given");
        }
    }
    CHECK(total > 70);
    vn_op_info info = {.size = sizeof info};
    CHECK_FAILS(vn_object_count("layers"), VN_E_ARG,
                "there is no family \"layers\"; possible are layer, initialiser, optimizer, schedule, loss, metric");
    CHECK_FAILS(vn_object_at("layer", -1, &info), VN_E_ARG, "there is no layer -1; there are ");
    CHECK_FAILS(vn_object_at("lyer", 0, &info), VN_E_ARG, "object_at: there is no family \"lyer\"; possible are layer, initialiser, ");
    CHECK_FAILS(vn_object_at("schedule", 1000, &info), VN_E_ARG, "there is no schedule 1000");
}

/* The same layer by name and in C. */
TEST(same_layer)
{
    static const int64_t kernel[] = {3, 2}, strides[] = {2};
    const vn_option options[] = {{.name = "in", .kind = VN_OPT_INT, .n = 1, .u.i = 4},
                                 {.name = "out", .kind = VN_OPT_INT, .n = 1, .u.i = 6},
                                 {.name = "kernel", .kind = VN_OPT_INTS, .n = 2, .u.is = kernel},
                                 {.name = "strides", .kind = VN_OPT_INTS, .n = 1, .u.is = strides},
                                 {.name = "padding", .kind = VN_OPT_STRING, .n = 1, .u.s = "same"},
                                 {.name = "groups", .kind = VN_OPT_INT, .n = 1, .u.i = 2},
                                 {.name = "no_bias", .kind = VN_OPT_INT, .n = 1, .u.i = 1},
                                 {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = "constant(0.5)"}};
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(2, 7, 6, 4));
    vn_module *named = vn_nn_make("conv2d", options, 8);
    vn_module *made_in_c =
        vn_nn_conv2d(4, 6, VN_LIST(3, 2),
                     VN_OPTS(nn_conv2d, .strides = {2}, .padding = "SAME", .groups = 2, .no_bias = 1, .w_init = vn_init_constant(.5)));
    vn_array *y = vn_module_call(named, x, NULL), *z = vn_module_call(made_in_c, x, NULL);
    CHECK(vn_tree_leaves(vn_module_v(named)) == 1);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(y, z)), VN_ALL)) == 0 && vn_dim(y, 1) == 4 && vn_dim(y, 3) == 6);
}

TEST(wrong)
{
    const vn_option in = {.name = "in", .kind = VN_OPT_INT, .n = 1, .u.i = 4}, out = {.name = "out", .kind = VN_OPT_INT, .n = 1, .u.i = 6};
    const vn_option zero_groups = {.name = "groups", .kind = VN_OPT_INT, .n = 1, .u.i = 0};
    const int64_t one = 1;
    const vn_option kernel = {.name = "kernel", .kind = VN_OPT_INTS, .n = 1, .u.is = &one};
    const vn_option init = {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = "glorot"};
    const vn_option lr = {.name = "lr", .kind = VN_OPT_INT, .n = 1, .u.i = -1};
    vn_schedule s;
    vn_init i;
    CHECK_FAILS(vn_nn_make("Linaer", (vn_option[]){in, out}, 2), VN_E_ARG,
                "nn_make: there is no layer \"Linaer\"; did you mean \"linear\"?");
    CHECK_FAILS(vn_nn_make(NULL, NULL, 0), VN_E_NULL, "name is NULL");
    CHECK_FAILS(vn_nn_make("linear", NULL, 2), VN_E_ARG, "2 options");
    CHECK_FAILS(vn_nn_make("linear", (vn_option[]){in, in}, 2), VN_E_ARG, "nn_linear: option in is given twice");
    CHECK_FAILS(vn_nn_make("linear", (vn_option[]){in, out, init}, 3), VN_E_ARG, "nn_linear: there is no initialiser \"glorot\"");
    CHECK_FAILS(vn_nn_make("conv2d", (vn_option[]){in, out, kernel, zero_groups}, 4), VN_E_ARG, "0 groups"); /* 0 that is given is 0 */
    CHECK_FAILS(vn_optim_make("adam", &lr, 1), VN_E_ARG, "adam: lr is -1; a number in [0, inf) is needed");
    CHECK_FAILS(vn_schedule_make("cosine", NULL, 0, &s), VN_E_ARG, "cosine: option rate (float) must be given");
    CHECK_FAILS(vn_schedule_make("cosine", NULL, 0, NULL), VN_E_NULL, "to is NULL");
    CHECK_FAILS(vn_init_named("normal", NULL, 0, NULL), VN_E_NULL, "to is NULL");
    CHECK_FAILS(vn_init_named("norml", NULL, 0, &i), VN_E_ARG, "did you mean \"normal\"?");
    const char *const texts[] = {"constant(",
                                 "constant(1",
                                 "constant(x)",
                                 "constant(1)2",
                                 "zeros(1)",
                                 "constant()",
                                 "a name that is much longer than the name of any initialiser could be, by far(1)"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const vn_option bad = {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = texts[k]};
        CHECK_FAILS(vn_nn_make("linear", (vn_option[]){in, out, bad}, 3), VN_E_ARG, "initialiser");
    }
}

/* Names match without regard to case, as the texts of options do. */
TEST(any_case)
{
    const vn_option in = {.name = "in", .kind = VN_OPT_INT, .n = 1, .u.i = 4}, out = {.name = "out", .kind = VN_OPT_INT, .n = 1, .u.i = 6};
    const vn_option init = {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = "Constant(2)"};
    const vn_option rate = {.name = "rate", .kind = VN_OPT_FLOAT, .n = 1, .u.f = .5};
    const vn_option lr = {.name = "lr", .kind = VN_OPT_FLOAT, .n = 1, .u.f = .5};
    vn_schedule s;
    vn_init i;
    vn_module *linear = vn_nn_make("Linear", (vn_option[]){in, out, init}, 3);
    CHECK(linear && vn_item(vn_max(vn_tree_get(vn_module_v(linear), "w"), VN_ALL)) == 2);
    CHECK(vn_nn_make("ReLU", NULL, 0) && vn_optim_make("SGD", &lr, 1) && vn_schedule_make("Constant", &rate, 1, &s) == VN_OK);
    CHECK(vn_init_named("Zeros", NULL, 0, &i) == VN_OK && vn_model("MLP", VN_SHAPE(4), 2));
    CHECK(vn_model_parse("{\"layers\": [{\"type\": \"Linear\", \"out\": 3}, {\"type\": \"ReLU\"}]}", "net", VN_SHAPE(4), 3));
}

/* Layers of a Sequential with names of their own. */
TEST(named_layers)
{
    static const char *const names[] = {"encoder", "act", "head"};
    vn_module *layers[] = {vn_nn_linear(2, 3, NULL), vn_nn_relu(), vn_nn_linear(3, 1, NULL)};
    vn_module *net = vn_nn_sequential_named(layers, names, 3, NULL), *plain = vn_nn_sequential(layers, 0, NULL);
    vn_array *x = vn_ones(VN_SHAPE(4, 2), VN_F32), *y = vn_module_call(net, x, NULL);
    CHECK(plain && vn_dim(y, 0) == 4 && vn_dim(y, 1) == 1);
    CHECK(vn_tree_has(vn_module_v(net), "submodules/encoder/w") && vn_tree_has(vn_module_v(net), "submodules/head/b"));
    vn_array *by_hand = vn_module_call(layers[2], vn_relu(vn_module_call(layers[0], x, NULL)), NULL);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(y, by_hand)), VN_ALL)) == 0);
    CHECK_FAILS(vn_nn_sequential_named(layers, (const char *const[]){"a", "a"}, 2, NULL), VN_E_ARG, "two layers are called \"a\"");
    CHECK_FAILS(vn_nn_sequential_named(layers, (const char *const[]){"a/b"}, 1, NULL), VN_E_ARG, "name 0 is \"a/b\"");
    CHECK_FAILS(vn_nn_sequential_named(layers, (const char *const[]){NULL}, 1, NULL), VN_E_ARG, "name 0 is \"NULL\"");
    CHECK_FAILS(vn_nn_sequential_named(
                    layers, (const char *const[]){"a name that is longer than sixty-three characters, which is too long"}, 1, NULL),
                VN_E_ARG, "1 to 63 characters");
    CHECK_FAILS(vn_nn_sequential_named(layers, NULL, 1, NULL), VN_E_NULL, "names is NULL");
}

/* Default numbers are those of the papers; the specification's form is one option away. */
TEST(defaults)
{
    const struct {
        vn_optim *o;
        double moved;
    } rows[] = {
        {vn_adam(.5, NULL), .5 * 1 / (1 + 1e-8)},
        {vn_adam(.5, VN_OPTS(adam, .epsilon = 1e-7, .folded = 1)), .5 * sqrt(1 - .999) / (1 - .9 + 1e-7) * .1 / (sqrt(.001) + 1e-7)},
        {vn_adamw(.5, NULL), .5 * 2 * .01 + .5},
        {vn_adamw(.5, VN_OPTS(adamw, .weight_decay = VN_ZERO)), .5},
        {vn_sgd(.5, NULL), .5}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        vn_tree *p = vn_tree_of("w", vn_full(vn_scalar(2), VN_SHAPE(1), VN_F64), NULL),
                *g = vn_tree_of("w", vn_ones(VN_SHAPE(1), VN_F64), NULL);
        CHECK(vn_step(rows[k].o, p, g) == VN_OK);
        CHECK(near(2 - vn_item(vn_tree_get(p, "w")), rows[k].moved, 1e-4));
    }
}

TEST_MAIN
