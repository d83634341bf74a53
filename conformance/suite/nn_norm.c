/* SPDX-License-Identifier: Apache-2.0 */
/* nn_norm.c: normalising layers on every engine: values against closed forms and functional ops, running means, training and evaluation
 * mode, gradients, errors. */
#include "nn_layers.h"
#include "models.h"

static void last_axes(void)
{
    vn_array *x = waves(VN_SHAPE(2, 3, 4));
    vn_module *layer = vn_nn_layer_norm(VN_SHAPE(3, 4), VN_OPTS(nn_layer_norm, .new_std = 3)), *rms = vn_nn_rms_norm(VN_SHAPE(4), NULL);
    vn_array *y = vn_module_call(layer, x, NULL);
    CHECK(largest_of(vn_mean(y, VN_AXES(1, 2))) < 1e-5 && near(vn_item(vn_std(y, VN_ALL, 0)), 3, 1e-3));
    CHECK(alike(vn_module_call(rms, vn_from((float[]){3, 4, 0, 0}, VN_SHAPE(1, 4)), NULL),
                vn_from((float[]){1.2f, 1.6f, 0, 0}, VN_SHAPE(1, 4)), 1e-5));
    CHECK(vn_tree_leaves(vn_module_v(rms)) == 1 && vn_tree_leaves(vn_module_v(layer)) == 2);
    check_gradients(layer, x);
    check_gradients(rms, x);
    CHECK_FAILS(vn_module_call(rms, vn_ones(VN_SHAPE(2, 3), VN_F32), NULL), VN_E_SHAPE, "x has shape 2x3; last axes of 4 are needed");
    CHECK_FAILS(vn_nn_rms_norm(VN_0D, NULL), VN_E_SHAPE, "nn_rms_norm: a shape of rank 0");
    CHECK_FAILS(vn_nn_layer_norm(VN_SHAPE(2), VN_OPTS(nn_layer_norm, .epsilon = -1)), VN_E_ARG,
                "epsilon is -1; a number in [0, inf) is needed");
}

static void groups_and_instances(void)
{
    vn_array *x = waves(VN_SHAPE(2, 3, 2, 4)), *first = vn_moveaxis(x, VN_AXES(-1), VN_AXES(1));
    vn_module *group = vn_nn_group_norm(2, 4, NULL),
              *group_first = vn_nn_group_norm(2, 4, VN_OPTS(nn_norm, .data_format = "channel_first"));
    vn_array *y = vn_module_call(group, x, NULL);
    CHECK(alike(y, vn_group_norm(x, VN_NONE, VN_NONE, 2, -1, 1e-5), 1e-6));
    CHECK(alike(vn_module_call(group_first, first, NULL), vn_moveaxis(y, VN_AXES(-1), VN_AXES(1)), 1e-5));
    vn_module *instance = vn_nn_instance_norm(4, NULL), *plain = vn_nn_instance_norm(4, VN_OPTS(nn_norm, .no_affine = 1, .epsilon = .5));
    CHECK(largest_of(vn_mean(vn_module_call(instance, x, NULL), VN_AXES(1, 2))) < 1e-5);
    vn_array *variance = vn_var(x, VN_KEEP(1, 2), 0), *centred = vn_sub(x, vn_mean(x, VN_KEEP(1, 2)));
    CHECK(alike(vn_module_call(plain, x, NULL), vn_div(centred, vn_sqrt(vn_add(variance, vn_scalar(.5)))), 1e-5));
    CHECK(vn_tree_leaves(vn_module_v(plain)) == 0);
    check_gradients(group, x);
    check_gradients(instance, x);
    CHECK_FAILS(vn_nn_group_norm(3, 4, NULL), VN_E_ARG, "nn_group_norm: 3 groups do not divide 4 channels");
    CHECK_FAILS(vn_nn_group_norm(0, 4, NULL), VN_E_ARG, "0 groups");
    CHECK_FAILS(vn_nn_instance_norm(0, NULL), VN_E_ARG, "channels is 0; 1 or more are needed");
    CHECK_FAILS(vn_module_call(group, first, NULL), VN_E_SHAPE, "x has shape 2x4x3x2; 2 axes or more with 4 channels at axis -1");
    CHECK_FAILS(vn_module_call(instance, vn_ones(VN_SHAPE(3, 4), VN_F32), NULL), VN_E_SHAPE, "3x4; 3 axes or more");
}

/* Two channels: 1 3 5 7 and 2 2 2 2; means 4 and 2, variances 5 and 0, unbiased 20/3 and 0. */
static void batch_norm_values(void)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 2, 5, 2, 7, 2}, VN_SHAPE(4, 2));
    vn_module *m = vn_nn_batch_norm1d(2, VN_OPTS(nn_batch_norm, .momentum = .25, .epsilon = 1e-9));
    const float s = (float)(1 / sqrt(5));
    vn_array *expected = vn_from((float[]){-3 * s, 0, -s, 0, s, 0, 3 * s, 0}, VN_SHAPE(4, 2));
    CHECK(alike(vn_module_call(m, x, NULL), expected, 1e-5));
    vn_array *mean = vn_module_buffer(m, "running_mean"), *variance = vn_module_buffer(m, "running_var");
    CHECK(alike(mean, vn_from((float[]){1, .5f}, VN_SHAPE(2)), 1e-6));
    CHECK(alike(variance, vn_from((float[]){.75f + 5 / 3.f, .75f}, VN_SHAPE(2)), 1e-6));
    vn_module_train(m, 0);
    const double a = sqrt(.75 + 5 / 3.), b = 1.5 / sqrt(.75);
    vn_array *still =
        vn_from((float[]){0, (float)b, (float)(2 / a), (float)b, (float)(4 / a), (float)b, (float)(6 / a), (float)b}, VN_SHAPE(4, 2));
    CHECK(alike(vn_module_call(m, x, NULL), still, 1e-5));
    CHECK(alike(mean, vn_from((float[]){1, .5f}, VN_SHAPE(2)), 1e-6)); /* and stays */
    CHECK(vn_module_call(m, vn_ones(VN_SHAPE(1, 2), VN_F32), NULL));   /* one row will do */
    CHECK(vn_tree_leaves(vn_module_buffers(m)) == 2 && vn_tree_leaves(vn_module_v(m)) == 2);
    vn_module *own = vn_nn_batch_norm1d(2, VN_OPTS(nn_batch_norm, .no_running = 1, .epsilon = 1e-9));
    vn_module_train(own, 0);
    CHECK(alike(vn_module_call(own, x, NULL), expected, 1e-5) && vn_tree_leaves(vn_module_buffers(own)) == 0);
}

static void batch_norm_shapes(void)
{
    vn_array *x = waves(VN_SHAPE(2, 3, 2, 4)), *first = vn_moveaxis(x, VN_AXES(-1), VN_AXES(1));
    vn_module *m = vn_nn_batch_norm2d(4, NULL), *f = vn_nn_batch_norm2d(4, VN_OPTS(nn_batch_norm, .data_format = "channel_first"));
    vn_array *y = vn_module_call(m, x, NULL);
    CHECK(largest_of(vn_mean(y, VN_AXES(0, 1, 2))) < 1e-5);
    CHECK(alike(vn_module_call(f, first, NULL), vn_moveaxis(y, VN_AXES(-1), VN_AXES(1)), 1e-5));
    CHECK(alike(vn_module_buffer(m, "running_var"), vn_module_buffer(f, "running_var"), 1e-6));
    check_gradients(m, x);
    vn_module_train(m, 0);
    check_gradients(m, x);
    vn_array *sequence = waves(VN_SHAPE(2, 3, 4)), *volume = waves(VN_SHAPE(2, 1, 2, 1, 4));
    CHECK(has_shape(vn_module_call(vn_nn_batch_norm1d(4, NULL), sequence, NULL), VN_SHAPE(2, 3, 4)));
    CHECK(has_shape(vn_module_call(vn_nn_batch_norm3d(4, NULL), volume, NULL), VN_SHAPE(2, 1, 2, 1, 4)));
}

/* Half precision in, half precision out, in training or not; running numbers are float32. */
static void batch_norm_halves(void)
{
    vn_module *m = vn_module_cast(vn_nn_batch_norm1d(2, NULL), VN_F16);
    vn_array *x = vn_cast(vn_from((float[]){1, 2, 3, 2, 5, 2, 7, 2}, VN_SHAPE(4, 2)), VN_F16);
    CHECK(vn_dtype_of(vn_module_call(m, x, NULL)) == VN_F16 && vn_dtype_of(vn_module_buffer(m, "running_var")) == VN_F32);
    vn_module_train(m, 0);
    vn_array *y = vn_module_call(m, x, NULL);
    CHECK(vn_dtype_of(y) == VN_F16 && isfinite(largest_of(y)));
    CHECK(near(((const float *)vn_data(vn_module_buffer(m, "running_mean")))[0], .4, 1e-3));
}

static void batch_norm_errors(void)
{
    vn_module *m = vn_nn_batch_norm2d(3, NULL);
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 5, 3), VN_F32), NULL), VN_E_SHAPE, "x has shape 2x5x3; 4 axes with 3 channels");
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(1, 1, 1, 3), VN_F32), NULL), VN_E_SHAPE, "1 numbers for each of 3 channels");
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(0, 1, 1, 3), VN_F32), NULL), VN_E_SHAPE, "0 numbers for each of 3 channels");
    CHECK_FAILS(vn_nn_batch_norm2d(3, VN_OPTS(nn_batch_norm, .data_format = "NWC")), VN_E_ARG,
                "nn_batch_norm2d: data_format is \"NWC\"; possible are channel_last, channel_first, NHWC, NCHW");
    m = vn_nn_group_norm(1, 3, VN_OPTS(nn_norm, .data_format = "NCHW"));
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 3, 5), VN_F32), NULL), VN_E_SHAPE, "the data format NCHW is for 4 axes");
    m = vn_nn_prelu(3, VN_OPTS(nn_prelu, .data_format = "NHWC"));
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 3), VN_F32), NULL), VN_E_SHAPE, "the data format NHWC is for 4 axes");
    CHECK(vn_module_call(m, vn_ones(VN_SHAPE(2, 4, 4, 3), VN_F32), NULL) != NULL);
    CHECK_FAILS(vn_nn_batch_norm1d(-1, NULL), VN_E_ARG, "nn_batch_norm1d: channels is -1; 1 or more are needed");
    CHECK_FAILS(vn_nn_batch_norm3d(1, VN_OPTS(nn_batch_norm, .momentum = 1.5)), VN_E_ARG, "momentum is 1.5; a number in (0, 1] is needed");
    CHECK_FAILS(vn_nn_batch_norm3d(1, VN_OPTS(nn_batch_norm, .epsilon = INFINITY)), VN_E_ARG,
                "epsilon is inf; a number in [0, inf) is needed");
}

static const conformance_test rows[] = {
    NN("nn/layers", "norm_axes", last_axes, "layer_norm and rms_norm over the last axes"),
    NN("nn/layers", "group_norm", groups_and_instances, "group_norm and instance_norm against closed forms"),
    NN("nn/layers", "batch_norm", batch_norm_values, "batch_norm in training and after it, with running means"),
    NN("nn/layers", "batch_norm_shapes", batch_norm_shapes, "batch_norm of every rank and axis"),
    NN("nn/layers", "batch_norm_halves", batch_norm_halves, "batch_norm of half precision keeps its means in float32"),
    NN("nn/layers", "batch_norm_errors", batch_norm_errors, "what batch_norm refuses, by name"),
};

const nn_part nn_norm = NN_PART(rows);
