/* SPDX-License-Identifier: Apache-2.0 */
/* autocast.c: mixed precision: which ops compute in half precision, which in float32, how long it holds, and what gradients and optimizers see. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: seconds 1 */
/* ctest: seconds 6 on jax */
#include "check.h"

static vn_array *normal(int seed, vn_shape shape)
{
    return vn_normal(vn_random_key_of((uint64_t)seed), vn_scalar(0), vn_scalar(1), shape, VN_F32);
}

static bool has(vn_array *x, vn_dtype dtype)
{
    return x && vn_dtype_of(x) == dtype;
}

/* The largest difference of two arrays, relative to the largest element of y. */
static double apart(vn_array *x, vn_array *y)
{
    vn_array *difference = vn_max(vn_abs(vn_sub(vn_cast(x, VN_F32), vn_cast(y, VN_F32))), VN_ALL),
             *size = vn_max(vn_abs(vn_cast(y, VN_F32)), VN_ALL);
    return vn_item(vn_div(difference, size));
}

TEST(products_narrow)
{
    vn_array *x = normal(1, VN_SHAPE(5, 8)), *w = normal(2, VN_SHAPE(3, 8)), *b = normal(3, VN_SHAPE(3)),
             *image = normal(4, VN_SHAPE(1, 5, 5, 2)), *filter = normal(5, VN_SHAPE(3, 3, 2, 4)), *exact = vn_linear(x, w, b);
    vn_autocast(VN_BF16);
    CHECK(has(vn_matmul(x, vn_matrix_transpose(w)), VN_BF16));
    CHECK(has(vn_linear(x, w, b), VN_BF16));
    CHECK(has(vn_einsum(2, (vn_array *[]){x, w}, "ij,kj->ik"), VN_BF16));
    CHECK(has(vn_conv2d(image, filter, VN_NONE, NULL), VN_BF16));
    CHECK(has(vn_scaled_dot_product_attention(x, x, x, VN_NONE, NULL), VN_BF16));
    CHECK(apart(vn_linear(x, w, b), exact) < .02 && apart(vn_linear(x, w, b), exact) > 0);
    vn_autocast(VN_F16);
    CHECK(has(vn_linear(x, w, b), VN_F16) && apart(vn_linear(x, w, b), exact) < .004);
}

TEST(digits_are_kept)
{
    vn_array *x = vn_cast(normal(1, VN_SHAPE(4, 6)), VN_BF16), *y = normal(2, VN_SHAPE(4, 6)), *one = vn_ones(VN_SHAPE(6), VN_F32);
    vn_autocast(VN_BF16);
    CHECK(has(vn_exp(x), VN_F32) && has(vn_softmax(x, -1), VN_F32) && has(vn_sum(x, VN_ALL), VN_F32) && has(vn_mean(x, VN_ALL), VN_F32));
    CHECK(has(vn_mse_loss(x, y), VN_F32) && has(vn_layer_norm(x, one, VN_NONE, VN_AXES(-1), 1e-5), VN_F32));
    CHECK(has(vn_svdvals(x), VN_F32) && has(vn_median(x, VN_ALL), VN_F32));
    CHECK(near(vn_item(vn_sum(x, VN_ALL)), vn_item(vn_sum(vn_cast(x, VN_F32), VN_ALL)), 1e-6));
    /* Others follow their inputs. */
    CHECK(has(vn_relu(x), VN_BF16) && has(vn_add(x, x), VN_BF16) && has(vn_add(x, y), VN_F32) && has(vn_max(x, VN_ALL), VN_BF16));
    CHECK(has(vn_mul(x, vn_scalar(2)), VN_BF16) && has(vn_exp(y), VN_F32));
}

TEST(other_dtypes_stay)
{
    vn_array *x = vn_cast(normal(1, VN_SHAPE(3, 3)), VN_F64), *y = normal(2, VN_SHAPE(3, 3)), *k = vn_ones(VN_SHAPE(3, 3), VN_I32);
    vn_autocast(VN_BF16);
    CHECK(has(vn_matmul(x, x), VN_F64) && has(vn_matmul(x, y), VN_F64) && has(vn_matmul(k, k), VN_I32));
    CHECK(has(vn_matmul(vn_cast(y, VN_C64), y), VN_C64));
    CHECK(has(vn_embedding(vn_ones(VN_SHAPE(2), VN_I64), normal(3, VN_SHAPE(4, 2))), VN_F32));
}

TEST(until_its_scope_ends)
{
    vn_array *x = normal(1, VN_SHAPE(3, 3));
    CHECK(vn_autocast_dtype() == VN_NO_DTYPE && has(vn_matmul(x, x), VN_F32));
    {
        VN_SCOPE;
        vn_autocast(VN_F16);
        CHECK(vn_autocast_dtype() == VN_F16);
        {
            VN_SCOPE;
            CHECK(has(vn_matmul(x, x), VN_F16));
            vn_autocast(VN_NO_DTYPE);
            CHECK(has(vn_matmul(x, x), VN_F32));
        }
        CHECK(has(vn_matmul(x, x), VN_F16));
        vn_scope left_open = vn_scope_begin();
        CHECK(left_open > 0 && vn_autocast(VN_BF16) == VN_OK && has(vn_matmul(x, x), VN_BF16));
    }
    CHECK(vn_autocast_dtype() == VN_NO_DTYPE && has(vn_matmul(x, x), VN_F32));
    CHECK_FAILS(vn_autocast(VN_F32), VN_E_DTYPE, "autocast: dtype is float32; it can be bfloat16, float16");
    CHECK_FAILS(vn_autocast(VN_I8), VN_E_DTYPE, "int8");
    CHECK_FAILS(vn_autocast((vn_dtype)99), VN_E_DTYPE, "autocast");
    CHECK(vn_autocast_dtype() == VN_NO_DTYPE);
}

TEST(errors_are_those_of_the_op)
{
    vn_array *x = normal(1, VN_SHAPE(2, 3));
    vn_autocast(VN_BF16);
    CHECK_FAILS(vn_matmul(x, x), VN_E_SHAPE, "matmul: ");
    CHECK_FAILS(vn_matmul(x, NULL), VN_E_NULL, "matmul: y is NULL");
    CHECK_FAILS(vn_linear(x, x, NULL), VN_E_NULL, "VN_NONE");
    CHECK(vn_autocast_dtype() == VN_BF16);
}

typedef struct {
    vn_array *x, *y;
} batch;

static vn_array *loss_of(const vn_tree *p, void *data)
{
    const batch *b = data;
    vn_array *h = vn_tanh(vn_linear(b->x, vn_tree_get(p, "w"), vn_tree_get(p, "b")));
    CHECK(!vn_autocast_dtype() || has(h, vn_autocast_dtype()));
    return vn_mse_loss(vn_linear(h, vn_tree_get(p, "v"), VN_NONE), b->y);
}

static vn_tree *parameters(void)
{
    return vn_tree_of("w", vn_mul(normal(11, VN_SHAPE(16, 4)), vn_scalar(.5)), "b", vn_zeros(VN_SHAPE(16), VN_F32), "v",
                      vn_mul(normal(12, VN_SHAPE(1, 16)), vn_scalar(.3)), NULL);
}

static batch make_batch(void)
{
    batch b = {.x = normal(13, VN_SHAPE(64, 4))};
    b.y = vn_sin(vn_sum(b.x, VN_KEEP(-1)));
    return b;
}

TEST(gradients_are_float32)
{
    batch b = make_batch();
    vn_tree *p = parameters(), *exact, *mixed;
    CHECK(vn_value_and_grad(loss_of, p, &b, &exact) != NULL);
    vn_autocast(VN_BF16);
    vn_array *loss = vn_value_and_grad(loss_of, p, &b, &mixed);
    CHECK(has(loss, VN_F32) && vn_autocast_dtype() == VN_BF16);
    for (int k = 0; k < vn_tree_leaves(exact); k++) {
        CHECK(has(vn_tree_leaf(mixed, k), VN_F32));
        CHECK(apart(vn_tree_leaf(mixed, k), vn_tree_leaf(exact, k)) < .05);
    }
}

/* Trains for some steps; the last loss, computed in float32. */
static double trained(vn_optim *o, vn_dtype dtype)
{
    batch b = make_batch();
    vn_tree *p = parameters();
    for (int step = 0; step < 60; step++) {
        VN_SCOPE;
        vn_autocast(dtype);
        vn_tree *grads;
        CHECK(vn_value_and_grad(loss_of, p, &b, &grads) != NULL && vn_step(o, p, grads) == VN_OK);
    }
    for (int k = 0; k < vn_tree_leaves(p); k++) CHECK(has(vn_tree_leaf(p, k), VN_F32));
    return vn_item(loss_of(p, &b));
}

TEST(training_goes_as_far)
{
    const double exact = trained(vn_adam(.02, NULL), VN_NO_DTYPE), mixed = trained(vn_adam(.02, NULL), VN_BF16);
    CHECK(exact < .25 && mixed < exact + .03);
}

/* In float16 gradients below 6e-8 are 0; a loss that is multiplied before the backward pass, and divided after it, keeps them. */
static vn_array *small_loss(const vn_tree *p, void *data)
{
    batch *b = data;
    vn_array *loss = vn_mul(vn_sum(vn_matmul(b->x, vn_tree_get(p, "w")), VN_ALL), vn_scalar(1e-9));
    return b->y ? vn_mul(loss, b->y) : loss;
}

TEST(scaled_losses_of_float16)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32);
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(3, 1), VN_F32), NULL), *lost, *kept;
    vn_autocast(VN_F16);
    CHECK(vn_value_and_grad(small_loss, p, &(batch){x, NULL}, &lost) && vn_item(vn_sum(vn_tree_get(lost, "w"), VN_ALL)) == 0);
    CHECK(vn_value_and_grad(small_loss, p, &(batch){x, vn_full(vn_scalar(65536), VN_0D, VN_F32)}, &kept) != NULL);
    CHECK(near(vn_item(vn_sum(vn_tree_get(kept, "w"), VN_ALL)) / 65536, 6e-9, 1e-2));
}

static int squared(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    out[0] = vn_matmul(in[0], in[0]);
    return vn_status();
}

static vn_array *called(vn_fn *f, vn_array *x)
{
    vn_array *z = NULL;
    CHECK(vn_fn_call_many(f, 1, &x, 1, &z) == VN_OK);
    return z;
}

TEST(captured_functions_follow)
{
    vn_fn *f = vn_capture(squared, 1, NULL);
    vn_array *x = normal(1, VN_SHAPE(4, 4));
    CHECK(vn_eval(1, &x) == VN_OK && has(called(f, x), VN_F32));
    {
        VN_SCOPE;
        vn_autocast(VN_BF16);
        CHECK(has(called(f, x), VN_BF16));
    }
    CHECK(has(called(f, x), VN_F32));
}

TEST(a_network_learns)
{
    vn_seed(3);
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(4, 16), vn_nn_layer_norm(VN_SHAPE(16)), vn_nn_gelu(NULL), vn_nn_linear(16, 1));
    batch b = make_batch();
    vn_dataset *data = vn_dataset_of(b.x, b.y);
    vn_autocast(VN_BF16);
    CHECK(vn_fit(net, data, VN_OPTS(fit, .epochs = 12, .batch = 16, .loss = "mse", .optim = vn_adam(.02, NULL)), NULL) == VN_OK);
    vn_array *z = vn_module_call(net, b.x);
    CHECK(has(z, VN_BF16) && vn_item(vn_mse_loss(z, b.y)) < .3);
}

TEST_MAIN
