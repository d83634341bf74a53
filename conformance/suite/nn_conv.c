/* SPDX-License-Identifier: Apache-2.0 */
/* nn_conv.c: convolution and pooling layers on every engine: values against the functional ops and closed forms, variables,
 * gradients, errors. */
#include "nn_layers.h"

static vn_array *var(vn_module *m, const char *name)
{
    return vn_module_var(m, name);
}

/* Filters of ones sum the window; the bias is added everywhere. */
static void conv_values(void)
{
    vn_module *m = vn_nn_conv2d(1, 1, VN_LIST(2), VN_OPTS(nn_conv, .w_init = vn_init_ones(), .b_init = vn_init_constant(.5)));
    vn_array *x = vn_from((float[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, VN_SHAPE(1, 3, 3, 1)), *y = vn_module_call(m, x, NULL);
    CHECK(alike(y, vn_from((float[]){12.5f, 16.5f, 24.5f, 28.5f}, VN_SHAPE(1, 2, 2, 1)), 1e-6));
    CHECK(has_shape(var(m, "w"), VN_SHAPE(2, 2, 1, 1)) && has_shape(var(m, "b"), VN_SHAPE(1, 1, 1, 1)));
    vn_module *up = vn_nn_conv2d_transpose(
        1, 1, VN_LIST(2), VN_OPTS(nn_conv_transpose, .strides = {2}, .w_init = vn_init_ones(), .b_init = vn_init_constant(-1)));
    vn_array *z = vn_module_call(up, vn_from((float[]){1, 2}, VN_SHAPE(1, 1, 2, 1)), NULL);
    CHECK(alike(z, vn_from((float[]){0, 0, 1, 1, 0, 0, 1, 1}, VN_SHAPE(1, 2, 4, 1)), 1e-6));
}

static void conv_1d(void)
{
    vn_array *x = waves(VN_SHAPE(2, 6, 4));
    vn_module *m = vn_nn_conv1d(4, 6, VN_LIST(3), VN_OPTS(nn_conv, .strides = {2}, .padding = "SAME", .groups = 2));
    vn_array *y = vn_module_call(m, x, NULL);
    CHECK(has_shape(var(m, "w"), VN_SHAPE(3, 2, 6)) && has_shape(var(m, "b"), VN_SHAPE(1, 1, 6)));
    CHECK(alike(y, vn_conv1d(x, var(m, "w"), VN_NONE, VN_OPTS(conv1d, .strides = {2}, .padding = "SAME", .groups = 2)),
                1e-6)); /* biases are zeros at first */
    check_gradients(m, x);
    vn_module *t =
        vn_nn_conv1d_transpose(4, 3, VN_LIST(3), VN_OPTS(nn_conv_transpose, .strides = {2}, .padding = "SAME", .output_shape = {11}));
    CHECK(has_shape(var(t, "w"), VN_SHAPE(3, 4, 3)));
    CHECK(alike(
        vn_module_call(t, x, NULL),
        vn_conv1d_transpose(x, var(t, "w"), VN_NONE, VN_OPTS(conv1d_transpose, .strides = {2}, .padding = "SAME", .output_shape = {11})),
        1e-6));
    check_gradients(t, x);
}

static void conv_2d(void)
{
    vn_array *x = waves(VN_SHAPE(2, 3, 5, 4));
    vn_module *m = vn_nn_conv2d(
        3, 2, VN_LIST(3, 2),
        VN_OPTS(nn_conv, .dilations = {1, 2}, .pads = VN_LIST(1, 0, 2, 1), .data_format = "channel_first", .b_init = vn_init_normal(0, 1)));
    CHECK(has_shape(var(m, "w"), VN_SHAPE(3, 2, 3, 2)) && has_shape(var(m, "b"), VN_SHAPE(1, 2, 1, 1)));
    vn_array *plain =
        vn_conv2d(x, var(m, "w"), VN_NONE, VN_OPTS(conv2d, .pads = VN_LIST(1, 0, 2, 1), .data_format = "NCHW", .dilations = {1, 2}));
    CHECK(alike(vn_module_call(m, x, NULL), vn_add(plain, var(m, "b")), 1e-6));
    check_gradients(m, x);
    vn_module *t = vn_nn_conv2d_transpose(3, 4, VN_LIST(2),
                                          VN_OPTS(nn_conv_transpose, .strides = {1, 2}, .groups = 1, .data_format = "channel_first"));
    CHECK(has_shape(var(t, "b"), VN_SHAPE(1, 4, 1, 1)) && has_shape(vn_module_call(t, x, NULL), VN_SHAPE(2, 4, 6, 8)));
    check_gradients(t, x);
    vn_array *last = waves(VN_SHAPE(2, 5, 4, 3));
    vn_module *d = vn_nn_depthwise_conv2d(3, VN_LIST(2, 3), VN_OPTS(nn_depthwise_conv2d, .padding = "SAME"));
    CHECK(has_shape(var(d, "w"), VN_SHAPE(2, 3, 3)) && has_shape(var(d, "b"), VN_SHAPE(1, 1, 1, 3)));
    CHECK(alike(vn_module_call(d, last, NULL),
                vn_depthwise_conv2d(last, var(d, "w"), VN_NONE, VN_OPTS(depthwise_conv2d, .padding = "SAME")), 1e-6));
    check_gradients(d, last);
}

static void conv_3d(void)
{
    vn_array *x = waves(VN_SHAPE(1, 3, 2, 3, 2));
    vn_module *m = vn_nn_conv3d(2, 3, VN_LIST(2), VN_OPTS(nn_conv, .no_bias = 1)), *t = vn_nn_conv3d_transpose(2, 2, VN_LIST(2), NULL);
    CHECK(vn_tree_leaves(vn_module_v(m)) == 1 && has_shape(var(m, "w"), VN_SHAPE(2, 2, 2, 2, 3)));
    CHECK(alike(vn_module_call(m, x, NULL), vn_conv3d(x, var(m, "w"), VN_NONE, NULL), 1e-6));
    check_gradients(m, x);
    CHECK(has_shape(vn_module_call(t, x, NULL), VN_SHAPE(1, 4, 3, 4, 2)) && has_shape(var(t, "b"), VN_SHAPE(1, 1, 1, 1, 2)));
    check_gradients(t, x);
}

/* The default is Glorot uniform for the fans; the options of all modules work. */
static void conv_variables(void)
{
    vn_seed(2);
    vn_module *m = vn_module_cast(vn_nn_conv2d(20, 40, VN_LIST(3), VN_OPTS(nn_conv, .groups = 4)), VN_F64);
    const double limit = sqrt(6. / (9 * (5 + 10)));
    vn_array *w = var(m, "w");
    CHECK(vn_dtype_of(w) == VN_F64 && vn_dtype_of(var(m, "b")) == VN_F64);
    CHECK(vn_item(vn_max(vn_abs(w), VN_ALL)) <= limit && near(vn_item(vn_std(w, VN_ALL, 0)), limit / sqrt(3), .05));
    vn_tree *v = vn_tree_of("w", vn_ones(VN_SHAPE(1, 2, 3), VN_F32), "b", vn_ones(VN_SHAPE(1, 1, 3), VN_F32), NULL);
    vn_module *given = vn_nn_conv1d(2, 3, VN_LIST(1), VN_OPTS(nn_conv, .module = VN_OPTS(module, .v = v)));
    CHECK(vn_item(vn_mean(vn_module_call(given, vn_ones(VN_SHAPE(1, 2, 2), VN_F32), NULL), VN_ALL)) == 3);
    CHECK_FAILS(vn_nn_conv1d(2, 4, VN_LIST(1), VN_OPTS(nn_conv, .module = VN_OPTS(module, .v = v))), VN_E_STRUCT, "cannot take this v");
}

static void conv_errors(void)
{
    CHECK_FAILS(vn_nn_conv2d(0, 3, VN_LIST(3), NULL), VN_E_ARG, "nn_conv2d: in is 0, out 3; both must be 1 or more");
    CHECK_FAILS(vn_nn_conv2d(3, 3, VN_LIST(3, 3, 3), NULL), VN_E_ARG, "nn_conv2d: kernel is 3x3x3; 1 or 2 sizes");
    CHECK_FAILS(vn_nn_conv2d(3, 3, VN_LIST(3, 0), NULL), VN_E_ARG, "kernel is 3x0");
    CHECK_FAILS(vn_nn_conv1d(3, 3, VN_0D, NULL), VN_E_ARG, "kernel is 0-d");
    CHECK_FAILS(vn_nn_conv3d(1L << 30, 1L << 30, VN_LIST(9), NULL), VN_E_SHAPE, "nn_conv3d: the filter is too large");
    CHECK_FAILS(vn_nn_conv2d(3, 4, VN_LIST(1), VN_OPTS(nn_conv, .groups = 2)), VN_E_ARG, "2 groups do not divide 3 inputs and 4 outputs");
    CHECK_FAILS(vn_nn_conv2d(4, 4, VN_LIST(1), VN_OPTS(nn_conv, .groups = -1)), VN_E_ARG, "-1 groups");
    CHECK_FAILS(vn_nn_conv1d(3, 4, VN_LIST(1), VN_OPTS(nn_conv, .strides = {2, 2})), VN_E_ARG, "nn_conv1d: strides is 2x2; 1 numbers");
    CHECK_FAILS(vn_nn_conv1d(3, 4, VN_LIST(1), VN_OPTS(nn_conv, .dilations = {-1})), VN_E_ARG, "dilations is -1");
    CHECK_FAILS(vn_nn_conv2d(3, 4, VN_LIST(1), VN_OPTS(nn_conv, .pads = VN_LIST(0, -1))), VN_E_ARG,
                "pads are 0x-1; 4 numbers from 0 on are needed");
    CHECK_FAILS(vn_nn_conv2d_transpose(3, 4, VN_LIST(1), VN_OPTS(nn_conv_transpose, .output_shape = {5})), VN_E_ARG,
                "for 1 of 2 spatial axes");
    CHECK_FAILS(vn_nn_conv2d(3, 4, VN_LIST(1), VN_OPTS(nn_conv, .padding = "smae")), VN_E_ARG,
                "nn_conv2d: padding is \"smae\"; possible are VALID, SAME; did you mean \"SAME\"?");
    CHECK_FAILS(vn_nn_conv2d(3, 4, VN_LIST(1), &(vn_nn_conv2d_opts){.groups = 1}), VN_E_ARG, "nn_conv2d: the options' size is 0");
    vn_module *m = vn_nn_conv2d(3, 4, VN_LIST(5), NULL);
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 8, 3), VN_F32), NULL), VN_E_SHAPE,
                "Conv2D: x has shape 2x8x3; 4 axes with 3 channels at axis -1 are needed");
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 8, 8, 4), VN_F32), NULL), VN_E_SHAPE, "3 channels");
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 4, 8, 3), VN_F32), NULL), VN_E_SHAPE, "2x4x8x3");
}

static void pools(void)
{
    vn_array *x = waves(VN_SHAPE(2, 5, 4, 3)), *first = vn_moveaxis(x, VN_AXES(-1), VN_AXES(1));
    vn_module *max = vn_nn_max_pool2d(VN_LIST(2), VN_OPTS(nn_max_pool2d, .strides = {1, 2}, .padding = "SAME"));
    CHECK(
        alike(vn_module_call(max, x, NULL), vn_max_pool2d(x, VN_LIST(2, 2), VN_OPTS(max_pool2d, .strides = {1, 2}, .padding = "SAME")), 0));
    vn_module *wide = vn_nn_max_pool2d(VN_LIST(2), VN_OPTS(nn_max_pool2d, .dilations = {2}, .data_format = "channel_first"));
    CHECK(alike(vn_module_call(wide, first, NULL),
                vn_max_pool2d(first, VN_LIST(2), VN_OPTS(max_pool2d, .data_format = "NCHW", .dilations = {2})), 0));
    vn_module *avg = vn_nn_avg_pool2d(VN_LIST(3, 2), VN_OPTS(nn_avg_pool2d, .pads = VN_LIST(1, 0, 0, 1), .include_padding = 1));
    CHECK(alike(vn_module_call(avg, x, NULL),
                vn_avg_pool2d(x, VN_LIST(3, 2), VN_OPTS(avg_pool2d, .pads = VN_LIST(1, 0, 0, 1), .include_padding = 1)), 1e-6));
    vn_array *line = vn_from((float[]){1, 5, 2, 3}, VN_SHAPE(1, 4, 1));
    CHECK(alike(vn_module_call(vn_nn_max_pool1d(VN_LIST(2), NULL), line, NULL), vn_from((float[]){5, 3}, VN_SHAPE(1, 2, 1)), 0));
    CHECK(alike(vn_module_call(vn_nn_avg_pool1d(VN_LIST(2), NULL), line, NULL), vn_from((float[]){3, 2.5f}, VN_SHAPE(1, 2, 1)), 0));
    vn_array *cube = vn_reshape(vn_from((float[]){1, 2, 3, 4, 5, 6, 7, 8}, VN_SHAPE(8)), VN_SHAPE(1, 2, 2, 2, 1));
    CHECK(vn_item(vn_module_call(vn_nn_max_pool3d(VN_LIST(2), NULL), cube, NULL)) == 8);
    CHECK(vn_item(vn_module_call(vn_nn_avg_pool3d(VN_LIST(2), NULL), cube, NULL)) == 4.5);
    CHECK(alike(vn_module_call(vn_nn_adaptive_avg_pool(VN_LIST(2), NULL), line, NULL), vn_from((float[]){3, 2.5f}, VN_SHAPE(1, 2, 1)), 0));
    CHECK(
        has_shape(vn_module_call(vn_nn_adaptive_avg_pool(VN_LIST(3, 2), VN_OPTS(nn_adaptive_avg_pool, .data_format = "NCHW")), first, NULL),
                  VN_SHAPE(2, 3, 3, 2)));
    CHECK(alike(vn_module_call(vn_nn_adaptive_max_pool(VN_LIST(1, 1), NULL), x, NULL),
                vn_module_call(vn_nn_global_max_pool(VN_OPTS(nn_global_max_pool, .keepdims = 1)), x, NULL), 0));
    CHECK(alike(vn_module_call(vn_nn_global_avg_pool(VN_OPTS(nn_global_avg_pool, .data_format = "channel_first")), first, NULL),
                vn_mean(x, VN_AXES(1, 2)), 1e-6));
    CHECK(vn_tree_leaves(vn_module_v(max)) == 0);
}

static void flatten(void)
{
    vn_array *x = waves(VN_SHAPE(2, 5, 4, 3));
    CHECK(alike(vn_module_call(vn_nn_flatten(1, -1), x, NULL), vn_reshape(x, VN_SHAPE(2, 60)), 0));
    CHECK(alike(vn_module_call(vn_nn_flatten(-3, 2), x, NULL), vn_reshape(x, VN_SHAPE(2, 20, 3)), 0));
    CHECK(has_shape(vn_module_call(vn_nn_flatten(0, 0), x, NULL), VN_SHAPE(2, 5, 4, 3)));
    CHECK_FAILS(vn_nn_flatten(2, 1), VN_E_ARG, "no axes from 2 to 1");
    CHECK_FAILS(vn_module_call(vn_nn_flatten(1, 4), x, NULL), VN_E_SHAPE,
                "Flatten: x has shape 2x5x4x3; there are no axes from 1 to 4");
    CHECK_FAILS(vn_module_call(vn_nn_flatten(0, -1), vn_scalar(1), NULL), VN_E_SHAPE, "0-d");
}

static void pool_errors(void)
{
    CHECK_FAILS(vn_nn_max_pool2d(VN_LIST(2, 2, 2), NULL), VN_E_ARG, "nn_max_pool2d: window is 2x2x2");
    CHECK_FAILS(vn_nn_max_pool1d(VN_LIST(0), NULL), VN_E_ARG, "window is 0");
    CHECK_FAILS(vn_nn_avg_pool1d(VN_LIST(2), VN_OPTS(nn_avg_pool1d, .pads = VN_LIST(1, 1, 1, 1))), VN_E_ARG, "pads are 1x1x1x1; 2 numbers");
    CHECK_FAILS(vn_nn_avg_pool3d(VN_LIST(2), VN_OPTS(nn_avg_pool3d, .strides = {1, 2})), VN_E_ARG, "strides is 1x2; 1 or 3");
    CHECK_FAILS(vn_nn_adaptive_avg_pool(VN_0D, NULL), VN_E_ARG, "nn_adaptive_avg_pool: 0 sizes");
    CHECK_FAILS(vn_nn_adaptive_max_pool(VN_LIST(2, -1), NULL), VN_E_ARG, "size is 2x-1");
    vn_array *x = waves(VN_SHAPE(2, 5, 4, 3));
    CHECK_FAILS(vn_module_call(vn_nn_max_pool1d(VN_LIST(2), NULL), x, NULL), VN_E_SHAPE, "2x5x4x3");
    CHECK_FAILS(vn_module_call(vn_nn_max_pool2d(VN_LIST(6), NULL), x, NULL), VN_E_SHAPE, "2x5x4x3");
}

static const conformance_test rows[] = {
    NN("nn/layers", "conv", conv_values, "a convolution layer against values computed by hand"),
    NN("nn/layers", "conv1d", conv_1d, "conv1d and its transpose as layers against the functions, with gradients"),
    NN("nn/layers", "conv2d", conv_2d, "conv2d, its transpose and depthwise_conv2d as layers against the functions, with gradients"),
    NN("nn/layers", "conv3d", conv_3d, "conv3d and its transpose as layers against the functions, with gradients"),
    NN("nn/layers", "conv_variables", conv_variables, "names and sizes of a convolution's variables"),
    NN("nn/layers", "conv_errors", conv_errors, "what a convolution layer refuses, by name"),
    NN("nn/layers", "pools", pools, "max, average, global and adaptive pooling as layers"),
    NN("nn/layers", "flatten", flatten, "all axes but the first as one"),
    NN("nn/layers", "pool_errors", pool_errors, "what a pooling layer refuses, by name"),
};

const nn_part nn_conv = NN_PART(rows);
