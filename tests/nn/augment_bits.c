/* SPDX-License-Identifier: Apache-2.0 */
/* augment_bits.c: random changes of images give the bits of the native engine on every engine, at sizes that reach its threads too. levels.c has
 * its instruction-set levels. */
/* ctest: engines */
/* ctest: seconds 4 */
#include "augmented.h"

static void compare(vn_shape shape)
{
    char engine[64];
    snprintf(engine, sizeof engine, "%s", vn_using());
    for (int k = 0; k < N_AUGMENTING; k++) {
        VN_SCOPE;
        const uint64_t hash = hash_array(VN__HASH, augmented(augmenting[k], shape));
        CHECK(vn_use("native") == VN_OK);
        const uint64_t native = hash_array(VN__HASH, augmented(augmenting[k], shape));
        CHECK(vn_use(engine) == VN_OK);
        check_name = augmenting[k];
        CHECK(hash == native);
    }
}

TEST(small_images)
{
    compare(VN_SHAPE(64, 32, 32, 3));
}

TEST(large_images)
{
    compare(VN_SHAPE(3, 224, 224, 3));
}

/* Images that the engine computed, and a network after them: three stages of one program, and gradients go through all of them. */
static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_module *m = data;
    vn_array *x = vn_mul(vn_broadcast_to(vn_tree_get(p, "w"), VN_SHAPE(2, 8, 8, 3)), vn_scalar(.5));
    vn_seed(5);
    return vn_sum(vn_square(vn_module_call(m, x, NULL)), VN_ALL);
}

TEST(gradients)
{
    vn_module *m = vn_nn_random_brightness(.5);
    vn_module_train(m, 1);
    vn_seed(5);
    vn_array *by = vn_random_uniform(-.5, .5, VN_SHAPE(2, 1, 1, 1));
    vn_array *w = vn_random_uniform(0, 1, VN_SHAPE(2, 8, 8, 3)), *want = vn_add(vn_mul(w, vn_scalar(.5)), by); /* 2 (w / 2 + by) / 2 */
    vn_tree *grads;
    vn_array *loss = vn_value_and_grad(loss_of, vn_tree_of("w", w, NULL), m, &grads);
    CHECK(near(vn_item(loss), vn_item(vn_sum(vn_square(want), VN_ALL)), 1e-5));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_tree_get(grads, "w"), want)), VN_ALL)) < 1e-6);
}

TEST_MAIN
