/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c: what errors tell a user who mistyped a name, forgot VN_NONE, put layers together that do not fit or ran out of memory. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

static vn_array *ones(int64_t rows, int64_t columns)
{
    return vn_ones(VN_SHAPE(rows, columns), VN_F32);
}

TEST(keys_of_trees)
{
    vn_array *x = ones(2, 2);
    vn_tree *t = vn_tree_of("enc/weight", x, "enc/bias", x, "dec/w", x, NULL);
    CHECK_FAILS(vn_tree_get(t, "enc/wieght"), VN_E_STRUCT,
                "tree_get: no \"enc/wieght\" in the tree; \"enc\" has: bias, weight; did you mean \"weight\"?");
    CHECK_FAILS(vn_tree_get(t, "ecn/weight"), VN_E_STRUCT,
                "tree_get: no \"ecn/weight\" in the tree, which has: dec, enc; did you mean \"enc\"?");
    CHECK_FAILS(vn_tree_get(t, "dec.b"), VN_E_STRUCT, "tree_get: no \"dec.b\" in the tree; \"dec\" has: w");
    CHECK_FAILS(vn_tree_get(t, "dec/w/x"), VN_E_STRUCT, "tree_get: no \"dec/w/x\" in the tree: \"dec/w\" has nothing below it");
    CHECK_FAILS(vn_tree_get(t, "enc/"), VN_E_STRUCT, "tree_get: no \"enc/\" in the tree; \"enc\" has: bias, weight");
    CHECK_FAILS(vn_tree_get(vn_tree_new(NULL), "w"), VN_E_STRUCT, "tree_get: no \"w\" in the tree, which has: nothing");
    vn_tree_get(vn_tree_of("w", x, NULL), "b");
    CHECK(!strstr(vn_message(), "did you mean")); /* another letter is another name */
    vn_clear();
    char path[3000];
    memset(path, 'k', sizeof path - 1), path[sizeof path - 1] = 0;
    CHECK_FAILS(vn_tree_get(t, path), VN_E_STRUCT, "tree_get: no \"kkk");
    vn_tree *many = vn_tree_new(NULL);
    for (int i = 0; i < 100; i++) snprintf(path, sizeof path, "key%d", i), vn_tree_set(many, path, x);
    CHECK_FAILS(vn_tree_get(many, "w"), VN_E_STRUCT, "(100 in all)");
}

TEST(dtypes_of_new_arrays)
{
    CHECK_FAILS(vn_from_host((float[]){1}, (vn_dtype)99, VN_0D), VN_E_DTYPE, "from_host: 99 is not a dtype");
    CHECK_FAILS(vn_from_host((float[]){1}, (vn_dtype)99, VN_SHAPE(1)), VN_E_DTYPE, "from_host: 99 is not a dtype");
    CHECK_FAILS(vn_zeros(VN_0D, (vn_dtype)99), VN_E_DTYPE, "zeros: 99 is not a dtype");
}

TEST(optional_inputs)
{
    vn_array *x = ones(2, 3), *w = ones(4, 3);
    CHECK_FAILS(vn_linear(x, w, NULL), VN_E_NULL, "linear: bias is NULL, as after a call that failed; write VN_NONE for none");
    CHECK_FAILS(vn_linear(NULL, w, VN_NONE), VN_E_NULL, "linear: x is NULL");
    vn_linear(NULL, w, VN_NONE);
    CHECK(!strstr(vn_message(), "VN_NONE")); /* x is needed */
    vn_clear();
}

TEST(names_of_ops)
{
    vn_array *x = ones(2, 3), *out = NULL;
    CHECK_FAILS(vn_call("ReLU", &x, 1, NULL, 0, &out, 1), VN_E_ARG,
                "call: there is no op \"ReLU\"; did you mean \"relu\"? (vn_op_at lists them)");
    CHECK_FAILS(vn_call("soft_max", &x, 1, NULL, 0, &out, 1), VN_E_ARG, "did you mean \"softmax\"?");
    CHECK_FAILS(vn_call("multipy", &x, 1, NULL, 0, &out, 1), VN_E_ARG, "did you mean \"multiply\"?"); /* an alias */
    CHECK_FAILS(vn_call("warp-drive-engine", &x, 1, NULL, 0, &out, 1), VN_E_ARG,
                "call: there is no op \"warp-drive-engine\" (vn_op_at lists them)");
    CHECK_FAILS(vn_nn_activation("ReLU", NULL, 0), VN_E_ARG, "nn_activation: there is no op \"ReLU\"; did you mean \"relu\"?");
    CHECK_FAILS(vn_use("Native"), VN_E_ENGINE, "there is no engine \"Native\"; there are: native");
    CHECK_FAILS(vn_use("nativ"), VN_E_ENGINE, "; did you mean \"native\"?");
}

TEST(layers)
{
    vn_array *x = ones(2, 4);
    vn_module *flat = VN_SEQUENTIAL(vn_nn_linear(4, 8, NULL), vn_nn_linear(9, 1, NULL));
    vn_module *deep = VN_SEQUENTIAL(vn_nn_linear(4, 4, NULL), VN_SEQUENTIAL(vn_nn_linear(5, 4, NULL)));
    CHECK_FAILS(vn_module_call(flat, x, NULL), VN_E_SHAPE, "Sequential: Linear (submodules/v1): x has shape 2x8");
    CHECK_FAILS(vn_module_call(deep, x, NULL), VN_E_SHAPE, "Sequential (submodules/v1): Linear (submodules/v0): x has");
    CHECK_FAILS(vn_module_child(flat, "submodule/v1"), VN_E_STRUCT,
                "module_child: Sequential has no sub-module \"submodule/v1\"; it has: submodules/v0, submodules/v1; did you mean "
                "\"submodules/v1\"?");
    CHECK_FAILS(vn_module_child(deep, "submodules/v1/v2"), VN_E_STRUCT, "Sequential has no sub-module \"v2\"; it has: submodules/v0");
    CHECK_FAILS(vn_module_child(vn_nn_linear(2, 2, NULL), "w"), VN_E_STRUCT, "Linear has no sub-module \"w\"; it has: none");
}

TEST(memory)
{
    vn_array *x = ones(600, 10), *y = vn_exp(vn_matmul(x, vn_matrix_transpose(x)));
    vn_memory_limit(1 << 20);
    CHECK_FAILS(vn_eval(1, &y), VN_E_MEM, "600x600 of float32, 1440000 bytes");
    vn_eval(1, &y);
    CHECK(!strncmp(vn_message(), "eval: ", 6) && strstr(vn_message(), "native: out of memory"));
    vn_clear();
    vn_matmul(NULL, NULL), vn_eval(1, &y); /* an earlier error keeps its words */
    CHECK(!strcmp(vn_message(), "matmul: x is NULL"));
    vn_clear();
    vn_memory_limit(0);
}

TEST_MAIN
