/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c: layers, initialisers, optimizers and schedules by name: each can be made, with the options of its C function, and says what is
 * wrong with them. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

/* A number, or a part, for every option that must be given. */
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
        else if (o->kind == VN_OPT_STRING) to[n].u.s = "sgd"; /* a part */
        else to[n].u.i = 2;
        n++;
    }
    return n;
}

static int made(const char *family, const char *name, const vn_option *options, int n)
{
    vn_init init = {0};
    vn_schedule schedule = {0};
    vn_loss loss = {0};
    vn_metric metric = {0};
    if (!strcmp(family, "loss")) return !vn_loss_make(name, options, n, &loss) && loss.kind > 0;
    if (!strcmp(family, "metric")) return !vn_metric_make(name, options, n, &metric) && metric.kind > 0;
    if (!strcmp(family, "layer")) return vn_nn_make(name, options, n) != NULL;
    if (!strcmp(family, "optimizer") || !strcmp(family, "transformation")) return vn_optim_make(name, options, n) != NULL;
    if (!strcmp(family, "schedule")) return !vn_schedule_make(name, options, n, &schedule) && vn_schedule_at(&schedule, 1) > 0;
    return !vn_init_make(name, options, n, &init) && vn_init_array(init, VN_SHAPE(4, 4), 4, 4, VN_F32) != NULL;
}

/* Everything that is listed can be made, with nothing but what must be given; an option that no object has is refused. */
TEST(all_by_name)
{
    static const char *const families[] = {"layer", "initialiser", "optimizer", "transformation", "schedule", "loss", "metric"};
    int total = 0;
    for (int f = 0; f < 7; f++) {
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
                "there is no family \"layers\"; possible are layer, initialiser, regularizer, constraint, optimizer, transformation, "
                "schedule, loss, metric");
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
    CHECK_FAILS(vn_init_make("normal", NULL, 0, NULL), VN_E_NULL, "to is NULL");
    CHECK_FAILS(vn_init_make("norml", NULL, 0, &i), VN_E_ARG, "did you mean \"normal\"?");
    const char *const texts[] = {"constant(", "constant(1", "constant(1)2",
                                 "a name that is much longer than the name of any initialiser could be, by far(1)"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const vn_option bad = {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = texts[k]};
        CHECK_FAILS(vn_nn_make("linear", (vn_option[]){in, out, bad}, 3), VN_E_ARG, "initialiser");
    }
    static const char *const told[][2] = {
        {"constant(x)", "constant: value is \"x\"; a number is needed"},
        {"constant(1, 2)", "constant takes 1 option, not \"2\""},
        {"zeros(1)", "zeros takes 0 options, not \"1\""},
        {"constant()", "option value (float) must be given"},
        {"normal(mean=1, 2)", "\"2\" has no name and follows an option that has one"},
        {"normal(1, mean=2)", "option mean is given twice"},
        {"normal(men=2)", "unknown option \"men\"; options: mean, std; did you mean \"mean\"?"},
        {"normal(std=-1)", "std is -1; a number in [0, inf) is needed"},
        {"uniform(fan=inn)", "fan is \"inn\"; possible are in, out, sum, avg; did you mean \"in\"?"},
        {"uniform(,)", "numerator is \"\"; a number is needed"},
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        const vn_option bad = {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = told[k][0]};
        check_name = told[k][0];
        CHECK_FAILS(vn_nn_make("linear", (vn_option[]){in, out, bad}, 3), VN_E_ARG, told[k][1]);
    }
}

/* An option for the text of a row: not its default. */
static vn_option changed(const vn_op_option *o)
{
    vn_option to = {.name = o->name, .kind = o->kind, .n = 1};
    if (o->kind == VN_OPT_STRING) to.u.s = o->texts[1];
    else if (o->kind == VN_OPT_FLOAT) to.u.f = .375;
    else to.u.i = strcmp(o->type, "flag") ? 3 : 1;
    return to;
}

/* What vn_object_text writes makes the same again, with every option of every initialiser, loss and metric. */
TEST(round_trip)
{
    static const char *const families[] = {"initialiser", "loss", "metric"};
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < vn_object_count(families[f]); i++) {
            vn_op_info info = {.size = sizeof info};
            vn_option all[16];
            CHECK(!vn_object_at(families[f], i, &info));
            for (int k = 0; k < info.n_options; k++) all[k] = changed(&info.options[k]);
            const char *text = vn_object_text(families[f], info.name, all, info.n_options);
            check_name = info.name;
            CHECK(text && !strncmp(text, info.name, strlen(info.name)) && (info.n_options > 0) == (strchr(text, '(') != NULL));
            if (f == 0) { /* by the bits of what a layer makes with it */
                vn_init init;
                CHECK(!vn_init_make(info.name, all, info.n_options, &init));
                const vn_option named[] = {{.name = "in", .kind = VN_OPT_INT, .n = 1, .u.i = 4},
                                           {.name = "out", .kind = VN_OPT_INT, .n = 1, .u.i = 6},
                                           {.name = "w_init", .kind = VN_OPT_STRING, .n = 1, .u.s = text}};
                vn_seed(1);
                vn_module *a = vn_nn_make("linear", named, 3);
                vn_seed(1);
                vn_module *b = vn_nn_linear(4, 6, VN_OPTS(nn_linear, .w_init = init));
                vn_array *w = vn_tree_get(vn_module_v(a), "w"), *v = vn_tree_get(vn_module_v(b), "w");
                CHECK(vn_item(vn_all(vn_equal(w, v), VN_ALL)) == 1);
            } else {
                vn_array *x = vn_from((float[]){.5f, .25f, 2, 1, .125f, 3, .75f, .0625f, 1, 4, .5f, 2}, VN_SHAPE(3, 4));
                vn_array *image = vn_ones(VN_SHAPE(1, 200, 200, 1), VN_F32); /* for filters at five scales */
                vn_loss loss = {0};
                vn_metric metric = {0};
                CHECK(f == 1 ? !vn_loss_make(info.name, all, info.n_options, &loss)
                             : !vn_metric_make(info.name, all, info.n_options, &metric));
                vn_array *given[][2] = {{x, vn_from_host((int64_t[]){2, 0, 1}, VN_I64, VN_SHAPE(3))},
                                        {x, vn_full_like(x, vn_scalar(1))},
                                        {vn_max(x, VN_KEEP(1)), vn_from_host((int64_t[]){1, 0, 1}, VN_I64, VN_SHAPE(3))},
                                        {vn_cast(x, VN_I64), vn_cast(x, VN_I64)},
                                        {image, vn_mul(image, vn_scalar(.5))}};
                enum { GIVEN = sizeof given / sizeof *given };
                int k = 0;
                while (k < GIVEN && (f == 1 ? !vn_loss_value(&loss, given[k][0], given[k][1])
                                            : (vn_metric_value(&metric, given[k][0], given[k][1]), vn_status() != VN_OK)))
                    vn_clear(), k++;
                CHECK(k < GIVEN);
                if (k == GIVEN) continue;
                const double made =
                    f == 1 ? vn_item(vn_loss_value(&loss, given[k][0], given[k][1])) : vn_metric_value(&metric, given[k][0], given[k][1]);
                const double named =
                    f == 1 ? vn_item(vn_loss_of(text, given[k][0], given[k][1])) : vn_metric_of(text, given[k][0], given[k][1]);
                CHECK(made == named || (isnan(made) && isnan(named)));
            }
            CHECK(vn_status() == VN_OK);
        }
    }
    CHECK(!strcmp(vn_object_text("initialiser", "Uniform", NULL, 0), "uniform"));
    const vn_option gain[] = {{.name = "gain", .kind = VN_OPT_FLOAT, .n = 1, .u.f = .1},
                              {.name = "fan", .kind = VN_OPT_STRING, .n = 1, .u.s = "OUT"}};
    CHECK(!strcmp(vn_object_text("initialiser", "uniform", gain, 2), "uniform(1, 1, 0.1, fan=out)"));
    CHECK_FAILS(vn_object_text("initialiser", "unifrm", NULL, 0), VN_E_ARG, "did you mean \"uniform\"?");
    CHECK_FAILS(vn_object_text("inits", "uniform", NULL, 0), VN_E_ARG, "there is no family");
    CHECK_FAILS(vn_object_text("initialiser", NULL, NULL, 0), VN_E_NULL, "name is NULL");
    const int64_t kernel[] = {3};
    const vn_option list[] = {{.name = "in", .kind = VN_OPT_INT, .n = 1, .u.i = 4},
                              {.name = "out", .kind = VN_OPT_INT, .n = 1, .u.i = 6},
                              {.name = "kernel", .kind = VN_OPT_INTS, .n = 1, .u.is = kernel}};
    CHECK_FAILS(vn_object_text("layer", "conv2d", list, 3), VN_E_UNSUPPORTED, "kernel is a list");
}

/* Texts may have spaces and names, and a model file gives every option. */
TEST(texts)
{
    static const char *const same[] = {"uniform(6, 0.5, 1, fan=out)", " Uniform( 6 ,0.5,fan = OUT ) ",
                                       "uniform(power=0.5, fan=out, numerator=6)"};
    double first = 0;
    for (int k = 0; k < 3; k++) {
        char text[256];
        snprintf(text, sizeof text, "{\"layers\": [{\"type\": \"linear\", \"out\": 3, \"w_init\": \"%s\"}]}", same[k]);
        vn_seed(3);
        vn_module *net = vn_model_parse(text, "net", VN_SHAPE(5), 3);
        CHECK(net && vn_tree_leaves(vn_module_v(net)) == 2);
        vn_array *w = vn_tree_leaf(vn_module_v(net), 1);
        if (!k) first = vn_item(vn_sum(w, VN_ALL));
        CHECK(first != 0 && vn_item(vn_sum(w, VN_ALL)) == first);
        CHECK(vn_item(vn_max(vn_abs(w), VN_ALL)) > sqrt(6. / 5)); /* fan in would stay below that, fan out reaches sqrt(2) */
    }
}

/* Losses and metrics: a function each, by name and as text; ranges and texts are the ops'. */
TEST(scores)
{
    vn_array *p = vn_from((float[]){1, 2, 5}, VN_SHAPE(3)), *t = vn_from((float[]){1, 4, 5}, VN_SHAPE(3));
    vn_loss huber = vn_loss_huber(.5), again = {0};
    const vn_option delta = {.name = "delta", .kind = VN_OPT_FLOAT, .n = 1, .u.f = .5},
                    wrong = {.name = "delta", .kind = VN_OPT_INT, .n = 1, .u.i = 0};
    CHECK(!vn_loss_make("Huber", &delta, 1, &again) && !memcmp(&huber, &again, sizeof huber));
    CHECK(vn_item(vn_loss_value(&huber, p, t)) == vn_item(vn_huber_loss(p, t, VN_NONE, .5, NULL)));
    CHECK(vn_item(vn_loss_of("huber(delta=0.5)", p, t)) == vn_item(vn_loss_value(&huber, p, t)));
    CHECK_FAILS(vn_loss_make("huber", &wrong, 1, &again), VN_E_ARG, "loss_huber: delta is 0; a number in (0, inf) is needed");
    CHECK(vn_loss_huber(-1).kind < 0 && vn_status() == VN_E_ARG && strstr(vn_message(), "loss_huber: delta is -1"));
    vn_clear();
    CHECK_FAILS(vn_loss_of("huber(VN_ZERO)", p, t), VN_E_ARG, "a number is needed");
    CHECK_FAILS(vn_loss_value(&(vn_loss){.kind = 99}, p, t), VN_E_ARG, "not a valid loss");
    CHECK_FAILS(vn_loss_value(NULL, p, t), VN_E_NULL, "loss_value: the loss or metric is NULL");
    vn_array *x = vn_from((float[]){.5f, 2, 1, 3}, VN_SHAPE(4)), *n = vn_from((float[]){0, 3, 1, 2}, VN_SHAPE(4));
    vn_loss poisson = vn_loss_poisson_nll(VN_OPTS(loss_poisson_nll, .rate_input = 1, .full = 1));
    CHECK(vn_item(vn_loss_value(&poisson, x, n)) ==
          vn_item(vn_poisson_nll_loss(x, n, VN_OPTS(poisson_nll_loss, .rate_input = 1, .full = 1))));
    CHECK(vn_item(vn_loss_of("poisson_nll(1, full=1)", x, n)) == vn_item(vn_loss_value(&poisson, x, n)));
    CHECK(vn_loss_poisson_nll(&(vn_loss_poisson_nll_opts){.full = 1}).kind < 0 && strstr(vn_message(), "VN_OPTS(loss_poisson_nll, ...)"));
    vn_clear();
    vn_array *logits = vn_from((float[]){3, 1, 0, 0, 2, 1, 1, 0, 2, 4, 0, 0}, VN_SHAPE(4, 3));
    vn_array *label = vn_from_host((int64_t[]){0, 1, 1, 0}, VN_I64, VN_SHAPE(4)), *guess = vn_argmax(logits, VN_AXES(-1));
    static const char *const averages[] = {"macro", "micro", "weighted"};
    for (int k = 0; k < 3; k++) {
        vn_metric m = vn_metric_precision(VN_OPTS(metric_precision, .average = averages[k]));
        char text[64];
        snprintf(text, sizeof text, "precision(average=%s)", averages[k]);
        CHECK(near(vn_metric_value(&m, logits, label), vn_item(vn_precision(guess, label, 3, VN_OPTS(precision, .average = averages[k]))),
                   1e-6));
        CHECK(vn_metric_of(text, logits, label) == vn_metric_value(&m, logits, label));
    }
    CHECK(vn_metric_of("f1( Micro )", logits, label) == .75);
    double none = 0;
    CHECK_FAILS(none = vn_metric_of("recall(none)", logits, label), VN_E_ARG, "average is \"none\"; possible are macro, micro, weighted");
    CHECK(isnan(none));
    vn_metric top = vn_metric_top(2);
    CHECK(vn_metric_value(&top, logits, label) == vn_item(vn_top_k_accuracy(logits, label, 2)));
    CHECK_FAILS(vn_metric_make("top", &(vn_option){.name = "k", .kind = VN_OPT_INT, .n = 1, .u.i = 0}, 1, &top), VN_E_ARG, "k is 0");
    CHECK_FAILS(vn_metric_make("top", NULL, 0, NULL), VN_E_NULL, "to is NULL");
    CHECK_FAILS(vn_loss_make("mse", NULL, 0, NULL), VN_E_NULL, "to is NULL");
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
    CHECK(vn_init_make("Zeros", NULL, 0, &i) == VN_OK && vn_model("MLP", VN_SHAPE(4), 2));
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

/* VN_ZERO is 0 as a parameter of an object too; what was not made is refused. */
/* What is listed can be given by name; `module` is for C only. */
TEST(listed_options)
{
    static const char *const families[] = {"layer", "initialiser", "optimizer", "transformation", "schedule", "loss", "metric"};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        for (int i = 0; i < vn_object_count(families[f]); i++) {
            vn_op_info info = {.size = sizeof info};
            CHECK(vn_object_at(families[f], i, &info) == VN_OK);
            for (int k = 0; k < info.n_options; k++) CHECK(info.options[k].kind != 0 && strcmp(info.options[k].type, "module") != 0);
        }
    }
    const vn_option module = {.name = "module", .kind = VN_OPT_INT, .n = 1};
    CHECK_FAILS(vn_nn_make("identity", &module, 1), VN_E_ARG, "unknown option \"module\"");
}

TEST(refused_when_made)
{
    CHECK_FAILS(vn_nn_softplus(0), VN_E_ARG, "softplus: beta is 0; a number in (0, inf) is needed");
    CHECK_FAILS(vn_nn_activation("softplus", &(vn_option){"beta", VN_OPT_INT, 1, {.i = -1}}, 1), VN_E_ARG, "beta is -1");
    CHECK(vn_nn_softplus(2) && vn_nn_softmax(VN_ZERO) && vn_nn_leaky_relu(VN_ZERO));
}

/* Flags in a text are 0 and 1, or false and true. */
TEST(flags_in_texts)
{
    vn_array *p = vn_from((float[]){.5f, .5f}, VN_SHAPE(1, 2)), *y = vn_from_host((int64_t[]){0}, VN_I64, VN_SHAPE(1));
    const double one = vn_item(vn_loss_of("cross_entropy(from_probs=1)", p, y));
    CHECK(vn_item(vn_loss_of("cross_entropy(from_probs=True)", p, y)) == one && vn_item(vn_loss_of("cross_entropy(0, true)", p, y)) == one);
    CHECK(vn_item(vn_loss_of("cross_entropy(from_probs=false)", p, y)) == vn_item(vn_loss_of("cross_entropy", p, y)));
    CHECK_FAILS(vn_loss_of("cross_entropy(from_probs=yes)", p, y), VN_E_ARG, "from_probs is \"yes\"");
}

TEST(zeros_and_what_was_not_made)
{
    const vn_schedule falling = vn_cosine(1, VN_ZERO, 10);
    CHECK(vn_schedule_at(&falling, 10) == 0 && vn_status() == VN_OK);
    vn_module *off = vn_nn_dropout(VN_ZERO, NULL);
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32);
    CHECK(vn_item(vn_sum(vn_module_call(off, x, NULL), VN_ALL)) == 6);
    CHECK(vn_rank(vn_module_call(vn_nn_flatten(VN_ZERO, -1), x, NULL)) == 1);
    vn_optim *sgd = vn_sgd(.5, NULL);
    CHECK(vn_optim_set_lr(sgd, VN_ZERO) == VN_OK && vn_optim_lr(sgd) == 0);
    CHECK_FAILS(vn_loss_value(&(vn_loss){0}, x, x), VN_E_ARG, "loss_value: the loss was not made");
    vn_init_uniform(-6, .5, 1, NULL);
    CHECK(vn_status() == VN_E_ARG && strstr(vn_message(), "numerator"));
    vn_clear();
    vn_init_kaiming_normal(0, INFINITY, NULL);
    CHECK(vn_status() == VN_E_ARG && strstr(vn_message(), "slope"));
    vn_clear();
}

TEST_MAIN
