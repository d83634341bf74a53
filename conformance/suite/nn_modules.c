/* SPDX-License-Identifier: Apache-2.0 */
/* nn_modules.c: the module type on every engine: naming, building, calling, ancestors and sub-modules, tracing; training of small networks;
 * state, buffers, freezing; errors. More module tests are in the seed suite (seeds_modules.c). */
#include "nn.h"
#include "models.h"
#include <pthread.h>

/* Ten steps of gradient descent: the loss falls every time and every named variable has a gradient. */
static void check_training(vn_module *m, vn_array *x, const char *const *chains)
{
    vn_tree *v = vn_module_v(m), *grads = NULL;
    double before = INFINITY;
    for (int step = 0; step < 10; step++) {
        double loss = model_step(m, x, &v, &grads);
        CHECK(loss < before);
        before = loss;
    }
    for (; *chains; chains++) CHECK(largest_of(vn_tree_get(grads, *chains)) > 0);
}

/* ---- building ---- */

static void build_modes(void)
{
    model_sizes s = {3, 2};
    vn_array *x = model_input(1, 2, 3);
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

/* A module whose sub-modules are created in its first call, when their sizes are known. */
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
    vn_array *x = vn_cast(model_input(1, 2, 3), VN_F64);
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
    /* variables for a sub-module that is built later: checked when it is built */
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
    CHECK(vn_module_call(m, model_input(1, 1, 3), NULL) && vn_module_is_built(m) && vn_tree_leaves(vn_module_v(m)) == 4 && calls == 2);
}

static void no_store(void)
{
    model_sizes s = {3, 2};
    vn_array *x = model_input(1, 2, 3);
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

/* Given variables apply to one call only, even if it fails. */
static void given_variables(void)
{
    vn_module *m = vn_module_new(&failing, NULL, NULL);
    vn_array *x = vn_ones(VN_SHAPE(1, 3), VN_F32);
    vn_tree *v = vn_module_v(m),
            *zero = vn_tree_of("l/w", vn_zeros(VN_SHAPE(3, 3), VN_F32), "l/b", vn_full(vn_scalar(7), VN_SHAPE(3), VN_F32), NULL);
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
    vn_array *w = vn_variable(vn_ones(VN_SHAPE(1, 3), VN_F32)), *x = vn_full(vn_scalar(2), VN_SHAPE(1, 3), VN_F32), *y = NULL, *z = NULL;
    vn_tree *v = vn_tree_of("w", w, "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    VN_NO_GRAD {
        y = vn_module_call(m, x, VN_OPTS(module_call, .v = v));
        z = vn_module_call(m, x, VN_OPTS(module_call, .v = v, .with_grads = 1));
        CHECK(vn_with_grads(-1) == 0);
    }
    CHECK(largest_of(vn_grad(vn_sum(y, VN_ALL), w)) == 0 && largest_of(vn_grad(vn_sum(z, VN_ALL), w)) == 2);
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
    vn_tree_set(v, "submodules/v1/b", vn_full(vn_scalar(3), VN_SHAPE(2), VN_F32));
    vn_array *x = vn_ones(VN_SHAPE(1, 2), VN_F32);
    CHECK(vn_item(vn_sum(vn_module_call(b, x, VN_OPTS(module_call, .v = v)), VN_ALL)) == 6);
    vn_tree *of_a = vn_tree_new(NULL);
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
                                vn_full(vn_scalar(r->number), VN_SHAPE(2), VN_F32), NULL);
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

/* ---- other state ---- */

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
    vn_optim *sgd = vn_sgd(.25, NULL);
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
        CHECK(vn_module_value_and_grad(m, sum_loss, x, &grads) && !vn_step(vn_sgd(.1, NULL), vn_module_v(m), grads));
    }
    vn_module_train(m, 0);
    CHECK(vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) != before);
    CHECK(!vn_module_set_state(m, saved) && vn_module_var(m, "submodules/v0/w") == w);
    CHECK(vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) == before);
    CHECK(same_values(vn_module_state(m), saved));
    CHECK_FAILS(vn_module_set_state(other, saved), VN_E_STRUCT, "not a state of Sequential");
}

static void freezing(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_linear(3, 2, NULL)), *last = vn_module_child(m, "submodules/v1");
    vn_array *x = vn_ones(VN_SHAPE(1, 2), VN_F32);
    CHECK(!vn_module_freeze(m, "submodules/v0") && !vn_module_freeze(last, "b"));
    CHECK(vn_tree_value(vn_module_frozen(m), "submodules/v1/b").kind == VN_V_NULL);
    vn_tree *before = vn_tree_deep_copy(vn_module_v(m)), *v = vn_module_v(m), *grads;
    vn_optim *adam = vn_adamw(.1, VN_OPTS(adamw, .weight_decay = .5));
    CHECK(vn_module_value_and_grad(m, sum_loss, x, &grads) && !vn_step(adam, v, grads));
    CHECK(vn_tree_value(grads, "submodules/v0/w").kind == VN_V_NULL && vn_tree_value(grads, "submodules/v1/w").kind == VN_V_ARRAY);
    static const char *const chains[] = {"submodules/v0/w", "submodules/v0/b", "submodules/v1/b", "submodules/v1/w"};
    for (int i = 0; i < 4; i++) CHECK((largest_of(vn_sub(vn_tree_get(v, chains[i]), vn_tree_get(before, chains[i]))) == 0) == (i < 3));
    CHECK(strstr(vn_module_summary(m, x), "trainable"));
    vn_tree *out =
        vn_execute_with_gradients(mean_of, v, &(problem){m, x}, NULL, &grads, NULL); /* constants in other ways of differentiating */
    CHECK(out && largest_of(vn_tree_get(grads, "submodules/v0/w")) == 0 && largest_of(vn_tree_get(grads, "submodules/v1/w")) > 0);
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
    freed = 0;
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
    CHECK_FAILS(vn_module_new(&bad, &seven, NULL), VN_E_ARG, "Bad: build: callback: module_add: \"a.b\" is not a valid name");
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
    CHECK_FAILS(vn_module_add(m, "_", id), VN_E_ARG, "\"_\" is not a valid name");
    CHECK_FAILS(vn_module_add(m, "a/b", id), VN_E_ARG, "not a valid name");
    CHECK_FAILS(vn_module_add(m, NULL, id), VN_E_NULL, "name is NULL");
    CHECK_FAILS(vn_module_add(m, "me", m), VN_E_STRUCT, "below itself");
    CHECK(!vn_module_add(m, "_id", id));
    CHECK_FAILS(vn_module_add(m, "id", id), VN_E_STRUCT, "has a \"id\" already");
    CHECK_FAILS(vn_module_add_list(m, "l", NULL, 2), VN_E_NULL, "children is NULL");
    CHECK_FAILS(vn_module_add_list(m, "l", &id, -1), VN_E_ARG, "-1 children");
    CHECK_FAILS(vn_module_add_dict(m, "d", VN_KEYS("a", "a"), (vn_module *[]){id, id}, 2), VN_E_STRUCT, "\"a\" occurs twice");
    CHECK_FAILS(vn_module_add_dict(m, "d", VN_KEYS("a", "b/c"), (vn_module *[]){id, id}, 2), VN_E_ARG, "not a valid name");
    CHECK(!vn_module_add_dict(m, "d", VN_KEYS("a"), &id, 1)); /* the failed one left nothing */
    CHECK_FAILS(vn_module_run(m, "nobody", x), VN_E_STRUCT, "nobody");
    CHECK_FAILS(vn_module_value_and_grad(id, NULL, NULL, &(vn_tree *){NULL}), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_module_trace_new(VN_OPTS(module_trace, .depth = -1)), VN_E_ARG, "depth");
    CHECK_FAILS(vn_module_sub_mods(id, -5, NULL), VN_E_ARG, "depth -5");
}

static const conformance_test rows[] = {
    NN("nn/modules", "module/build", build_modes, "when a module builds its variables"),
    NN("nn/modules", "module/late", late_modules, "modules made at the first call"),
    NN("nn/modules", "module/partial", partial_build, "modules built in part"),
    NN("nn/modules", "module/no_store", no_store, "modules that store no variables"),
    NN("nn/modules", "module/trees", trees_in_and_out, "trees as inputs and results"),
    NN("nn/modules", "module/given_variables", given_variables, "variables given in a call"),
    NN("nn/modules", "module/no_gradients", without_gradients, "calls without gradients"),
    NN("nn/modules", "module/gradients", with_gradients, "gradients of a module"),
    NN("nn/modules", "module/shared", shared_modules, "one module at two places"),
    NN("nn/modules", "module/threads", threads, "calls from several threads"),
    NN("nn/modules", "module/buffers", buffers, "state beside the variables"),
    NN("nn/modules", "module/state", states, "state saved and restored"),
    NN("nn/modules", "module/freeze", freezing, "frozen modules do not learn"),
    NN("nn/modules", "module/names", naming, "names of variables"),
    NN("nn/modules", "module/ownership", ownership, "who owns a module and what it holds"),
    NN("nn/modules", "module/errors", errors, "what modules refuse, by name"),
};

const nn_part nn_modules = NN_PART(rows);
