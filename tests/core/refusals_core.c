/* SPDX-License-Identifier: Apache-2.0 */
/* refusals_core.c: arguments that arrays, gradients, memory and images refuse, with what their errors say. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

TEST(arrays)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32);
    const float two[] = {1, 2};
    float to[6];
    CHECK_FAILS(vn_array_from(two, VN_F32, 1, NULL), VN_E_NULL, "array_from: dims is NULL");
    CHECK_FAILS(vn_dim(x, 2), VN_E_ARG, "dim: axis 2 is outside the rank 2 of x");
    CHECK_FAILS(vn_dim(x, -3), VN_E_ARG, "dim: axis -3 is outside the rank 2 of x");
    CHECK_FAILS(vn_read(x, NULL, sizeof to), VN_E_NULL, "read: the target is NULL");
    CHECK(!vn_read(x, to, sizeof to) && to[5] == 1);
    CHECK_FAILS(vn_result_type(1, NULL, 0, NULL), VN_E_NULL, "result_type: a list is NULL");
    CHECK_FAILS(vn_result_type(0, NULL, 1, NULL), VN_E_NULL, "result_type: a list is NULL");
    CHECK(vn_result_type(1, &x, 1, (const int32_t[]){VN_F64}) == VN_F64);
    CHECK_FAILS(vn_memory_limit(-1), VN_E_ARG, "memory_limit: -1 bytes is negative; 0 means no limit");
    CHECK_FAILS(vn_read(x, to, 8), VN_E_SHAPE, "read: room for 8 bytes, float32 2x3 has 24");
    CHECK_FAILS(vn_slice_at(x, VN_SHAPE(0), VN_SHAPE(1, 1)), VN_E_SHAPE, "slice_at: start has 1 and size 2 numbers, x has rank 2");
    CHECK_FAILS(vn_slice_at(x, VN_SHAPE(0, 0), VN_SHAPE(1)), VN_E_SHAPE, "slice_at: start has 2 and size 1 numbers, x has rank 2");
    CHECK_FAILS(vn_slice_at(x, VN_SHAPE(0, -1), VN_SHAPE(1, 1)), VN_E_ARG, "slice_at: 1 elements from -1 on do not fit into axis 1");
    CHECK_FAILS(vn_slice_at(x, VN_SHAPE(0, 0), VN_SHAPE(1, -1)), VN_E_ARG, "slice_at: -1 elements from 0 on do not fit into axis 1");
    CHECK_FAILS(vn_slice_at(x, VN_SHAPE(1, 0), VN_SHAPE(2, 1)), VN_E_ARG, "slice_at: 2 elements from 1 on do not fit into axis 0");
}

static int released;
static void release(void *user)
{
    (void)user;
    released++;
}

/* Memory that is not taken is given back. */
TEST(memory_that_is_refused)
{
    released = 0;
    CHECK_FAILS(vn_wrap(NULL, VN_BOOL, VN_SHAPE(3), release, NULL), VN_E_NULL, "wrap: data is NULL");
    CHECK_FAILS(vn_wrap("", VN_F32, VN_SHAPE(-1), release, NULL), VN_E_SHAPE, "wrap: ");
    CHECK_FAILS(vn_wrap("", VN_BOOL, VN_SHAPE(-1), release, NULL), VN_E_SHAPE, "wrap: ");
    CHECK(released == 3);
}

/* More arrays than have room on the stack. */
TEST(lists)
{
    enum { MANY = 20 };
    vn_array *xs[MANY];
    for (int k = 0; k < MANY; k++) xs[k] = vn_add(vn_ones(VN_SHAPE(2), VN_F32), vn_scalar(k));
    CHECK(vn_explain_all(MANY, xs) && !vn_eval(MANY, xs));
    xs[MANY - 1] = NULL;
    CHECK_FAILS(vn_eval(MANY, xs), VN_E_NULL, "eval: ");
    CHECK_FAILS(vn_explain_all(MANY, xs), VN_E_NULL, "explain_all: ");
    CHECK_FAILS(vn_explain_all(0, xs), VN_E_ARG, "explain_all: 0 arrays");
    CHECK(vn_explain_all(2, (vn_array *[]){vn_scalar(1), vn_neg(xs[0])}) && vn_explain_all(1, (vn_array *[]){vn_scalar(1)}));
    CHECK(vn_explain_all(2, (vn_array *[]){vn_neg(xs[0]), vn_scalar(1)}));
    CHECK(!vn_data_at_hand(vn_scalar(1)) && vn_data_at_hand(xs[0]));
}

/* Errors are hidden and shown again to any depth. */
TEST(errors_in_errors)
{
    enum { DEPTH = 9 };
    for (int k = 0; k < DEPTH; k++) {
        CHECK(!vn_error_push() && !vn_status());
        CHECK(!vn_reshape(vn_ones(VN_SHAPE(2), VN_F32), VN_SHAPE(3)) && vn_status() == VN_E_SHAPE);
    }
    for (int k = 0; k < DEPTH; k++) {
        CHECK(vn_status() == VN_E_SHAPE);
        vn_error_pop();
    }
    CHECK(!vn_status());
}

static vn_array *nothing_of(const vn_tree *p, void *data)
{
    (void)p, (void)data;
    return VN_NONE;
}

/* A result that is none, and arrays that are passed on from where they do not belong. */
TEST(passing)
{
    vn_tree *p = vn_tree_of("w", vn_variable(vn_ones(VN_SHAPE(2), VN_F32)), NULL), *g = NULL;
    CHECK(!vn_value_and_grad(nothing_of, p, NULL, &g) && vn_status());
    vn_clear();
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32);
    {
        VN_SCOPE;
        CHECK(vn_pass(x) == x); /* of the scope around */
    }
    CHECK(vn_size(x) == 2);
}

/* The library is closed while an error is hidden: that is the code. */
TEST(closing)
{
    vn_reshape(vn_ones(VN_SHAPE(2), VN_F32), VN_SHAPE(3));
    CHECK(!vn_error_push());
    CHECK(vn_close() == VN_E_SHAPE);
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32);
    CHECK(x);
    CHECK(vn_pass(x) == x && vn_size(x) == 2); /* outside of all scopes */
    vn_close();
}

/* Where no gradients are wanted, a variable is an array like any other. */
TEST(without_gradients)
{
    vn_array *v = vn_variable(vn_ones(VN_SHAPE(2), VN_F32));
    CHECK(!vn_eval(1, &v) && !vn_data_at_hand(v));
    CHECK(!vn_set_with_grads(0));
    CHECK(vn_data_at_hand(v) && vn_size(vn_to(v, "native")) == 2);
    vn_unset_with_grads();
}

/* Objects of another kind. */
TEST(kinds)
{
    vn_tree *t = vn_tree_of("x", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    CHECK_FAILS(vn_drop((vn_array *)t), VN_E_ARG, "drop: x is another kind of object");
    CHECK_FAILS(vn_neg((vn_array *)t), VN_E_ARG, "is another kind of object");
    CHECK(vn_tree_leaves(t) == 1);
}

static vn_array *same(vn_array *x, void *user)
{
    (void)user;
    return x;
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    return vn_sum(vn_tree_get(p, "w"), VN_ALL);
}

static vn_tree *tree_of(const vn_tree *xs, void *user)
{
    (void)user;
    return vn_tree_of("loss", vn_sum(vn_tree_get(xs, "w"), VN_ALL), NULL);
}

static vn_array *rule_of(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    (void)x, (void)y, (void)user;
    return upstream;
}

TEST(gradients)
{
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL), *g = NULL;
    vn_array *v = vn_variable(vn_ones(VN_SHAPE(2), VN_F32)), *loss = vn_sum(v, VN_ALL), *dv = NULL;
    CHECK_FAILS(vn_bind_custom_gradient(NULL, rule_of, NULL), VN_E_NULL, "bind_custom_gradient: fn is NULL");
    CHECK_FAILS(vn_bind_custom_gradient(same, NULL, NULL), VN_E_NULL, "bind_custom_gradient: rule is NULL");
    CHECK_FAILS(vn_value_and_grad(NULL, p, NULL, &g), VN_E_NULL, "value_and_grad: fn is NULL");
    CHECK_FAILS(vn_value_and_grad(loss_of, p, NULL, NULL), VN_E_NULL, "value_and_grad: grads is NULL");
    CHECK_FAILS(vn_execute_with_gradients(NULL, p, NULL, NULL, &g, NULL), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_execute_with_gradients(tree_of, p, NULL, NULL, NULL, NULL), VN_E_NULL, "gradients is NULL");
    CHECK_FAILS(vn_set_with_grads(2), VN_E_ARG, "set_with_grads: mode 2; 0 or 1 is needed");
    CHECK_FAILS(vn_set_with_grads(-1), VN_E_ARG, "set_with_grads: mode -1; 0 or 1 is needed");
    CHECK_FAILS(vn_grads(loss, -1, &v, NULL, &dv), VN_E_ARG, "grad: -1 arrays");
    CHECK_FAILS(vn_grads(loss, 1, NULL, NULL, &dv), VN_E_NULL, "grad: wrt or grads is NULL");
    CHECK_FAILS(vn_grads(loss, 1, &v, NULL, NULL), VN_E_NULL, "grad: wrt or grads is NULL");
    CHECK(!vn_grads(loss, 1, &v, NULL, &dv) && vn_item(vn_sum(dv, VN_ALL)) == 2); /* the graph is as it was */
}

TEST_MAIN
