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
