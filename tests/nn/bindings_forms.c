/* SPDX-License-Identifier: Apache-2.0 */
/* bindings_forms.c: the forms of bindings.h do what the functions with structs do, and check what those cannot get wrong. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

static int released;
static void release(void *user)
{
    (void)user;
    released++;
}

TEST(arrays)
{
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    int64_t dims[VN_MAX_RANK] = {2, 3};
    {
        VN_SCOPE;
        vn_array *x = vn_array_wrap(data, VN_F32, 2, dims, release, NULL);
        memset(dims, 0, sizeof dims);
        CHECK(x && vn_data(x) == data && vn_array_dims(x, dims) == 2 && dims[0] == 2 && dims[1] == 3 && vn_array_dims(x, NULL) == 2);
        CHECK(vn_array_dims(vn_scalar(1), dims) == 0);
        for (int k = 2; k < VN_MAX_RANK; k++) dims[k] = 1;
        CHECK(vn_rank(vn_array_wrap(data, VN_F32, VN_MAX_RANK, dims, release, NULL)) == VN_MAX_RANK);
    }
    CHECK(released == 2);
    CHECK_FAILS(vn_array_wrap(data, VN_F32, 33, dims, release, NULL), VN_E_SHAPE, "array_wrap: rank 33 is outside 0 to 32");
    CHECK_FAILS(vn_array_wrap(data, VN_F32, 1, NULL, release, NULL), VN_E_NULL, "array_wrap: dims is NULL");
    CHECK(released == 4);
    CHECK_FAILS(vn_array_wrap(data, VN_F32, 1, dims, NULL, NULL), VN_E_NULL, "release is NULL");
    CHECK_FAILS(vn_array_dims(NULL, dims), VN_E_NULL, "array_dims: x is NULL");
}

TEST(trees)
{
    vn_tree *t = vn_tree_new(NULL), *list = vn_tree_list(0, NULL);
    vn_value number = vn_value_number(3), back, tree = vn_value_tree(list);
    CHECK(vn_tree_put(t, "a/b", &number) == VN_OK && vn_tree_look_up(t, "a/b", &back) == VN_OK && back.kind == VN_V_NUMBER &&
          back.u.number == 3);
    CHECK(vn_tree_put_last(list, &number) == VN_OK && vn_tree_put(t, "l", &tree) == VN_OK && vn_tree_count(vn_tree_get_tree(t, "l")) == 1);
    CHECK_FAILS(vn_tree_look_up(t, "c", &back), VN_E_STRUCT, "c");
    CHECK(back.kind == VN_V_NONE);
    CHECK_FAILS(vn_tree_look_up(t, "a", NULL), VN_E_NULL, "tree_look_up: to is NULL");
    CHECK_FAILS(vn_tree_put(t, "a", NULL), VN_E_NULL, "tree_put: value is NULL");
    CHECK_FAILS(vn_tree_put_last(list, NULL), VN_E_NULL, "tree_put_last: value is NULL");
}

TEST(initialisers)
{
    const int64_t dims[] = {4, 3};
    vn_init init;
    vn_seed(5);
    vn_array *x = vn_init_array_named("glorot_uniform", NULL, 0, VN_F32, 2, dims, 3, 4);
    vn_seed(5);
    CHECK(vn_init_make("glorot_uniform", NULL, 0, &init) == VN_OK);
    vn_array *y = vn_init_array(init, VN_SHAPE(4, 3), 3, 4, VN_F32);
    CHECK(x && y && !memcmp(vn_data(x), vn_data(y), 48));
    CHECK_FAILS(vn_init_array_named("glorot", NULL, 0, VN_F32, 2, dims, 3, 4), VN_E_ARG, "glorot");
    CHECK_FAILS(vn_init_array_named("zeros", NULL, 0, VN_F32, -1, dims, 3, 4), VN_E_SHAPE, "init_array_named: rank -1");
}

static double halves(int64_t step, void *user)
{
    return *(double *)user / (double)(step + 1);
}

TEST(schedules)
{
    const vn_option cosine[] = {
        {"rate", VN_OPT_FLOAT, 1, {.f = .1}}, {"last", VN_OPT_INT, 1, {.i = 0}}, {"steps", VN_OPT_INT, 1, {.i = 100}}};
    vn_optim *o = vn_sgd(1, NULL), *p = vn_sgd(1, NULL);
    double rate = .5;
    CHECK(vn_optim_schedule_named(o, "cosine", cosine, 3, 4) == VN_OK &&
          vn_optim_schedule(p, vn_warm_up(vn_cosine(.1, 0, 100), 4)) == VN_OK);
    CHECK(vn_optim_lr(o) == vn_optim_lr(p) && vn_optim_lr(o) == .02);
    CHECK(vn_optim_schedule_fn(o, halves, &rate) == VN_OK && vn_optim_lr(o) == .5);
    CHECK_FAILS(vn_optim_schedule_named(o, "cosinus", cosine, 3, 0), VN_E_ARG, "cosine");
    CHECK_FAILS(vn_optim_schedule_named(o, "cosine", cosine, 3, -1), VN_E_ARG, "warm-up of -1");
    CHECK_FAILS(vn_optim_schedule_fn(o, NULL, NULL), VN_E_NULL, "schedule_of: fn is NULL");
    CHECK(vn_optim_lr(o) == .5); /* failures change nothing */
}

TEST(models)
{
    const int64_t dims[] = {5};
    static const char text[] = "{\"layers\": [{\"type\": \"linear\", \"out\": \"outputs\"}]}";
    vn_module *m = vn_model_make("own", text, 1, dims, 3), *built_in = vn_model_make("mlp", NULL, 1, dims, 3);
    CHECK(m && built_in && vn_dim(vn_module_call(m, vn_ones(VN_SHAPE(2, 5), VN_F32), NULL), 1) == 3);
    CHECK_FAILS(vn_model_make("mlp", NULL, 40, dims, 3), VN_E_SHAPE, "model_make: rank 40");
    CHECK_FAILS(vn_model_make("mlpp", NULL, 1, dims, 3), VN_E_ARG, "mlp");
}

/* A listing is read with the size of its entries, which a newer library may have made larger. */
TEST(entries_tell_their_size)
{
    vn_op_info op = {.size = sizeof op}, layer = {.size = sizeof layer};
    CHECK(vn_op_named("softmax", &op) == VN_OK && op.option_size == sizeof(vn_op_option));
    CHECK(vn_object_at("layer", 0, &layer) == VN_OK && layer.option_size == sizeof(vn_op_option));
}

TEST_MAIN
