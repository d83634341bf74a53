/* SPDX-License-Identifier: Apache-2.0 */
/* nn_options.c: options of layers, attention and optimizers that no other test uses: each has the documented effect. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

static double largest(vn_array *x)
{
    return vn_item(vn_max(vn_abs(x), VN_ALL));
}

static double difference(vn_array *x, vn_array *y)
{
    return largest(vn_sub(x, y));
}

static vn_array *counting(int64_t rows, int64_t columns)
{
    return vn_reshape(vn_arange(0, (double)(rows * columns), 1, VN_F32), VN_SHAPE(rows, columns));
}

/* ---- attention ---- */

/* Keys and values are what the tree says, whatever the context. */
static int kept(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *user)
{
    (void)context, (void)user;
    *k = vn_tree_get(variables, "k");
    *v = vn_tree_get(variables, "v");
    return *k && *v ? VN_OK : (int)vn_status();
}

TEST(variables_of_heads)
{
    vn_array *x = vn_div(counting(2, 4), vn_scalar(4)), *one = vn_full(vn_scalar(3), VN_SHAPE(2, 4), VN_F32);
    vn_tree *kv = vn_tree_of("k", x, "v", one, NULL);
    vn_array *y =
        vn_multi_head_attention(x, VN_NONE, VN_NONE, 2, VN_OPTS(multi_head_attention, .scale = 1, .to_kv = kept, .kv_variables = kv));
    CHECK(difference(y, one) < 1e-6); /* shares add up to 1 */
}

/* The second query has nothing to attend to. */
TEST(rows_of_zeros)
{
    const float attend[] = {1, 1, 0, 0};
    vn_array *mask = vn_array_from(attend, VN_F32, 2, (const int64_t[]){2, 2}), *x = vn_full(vn_scalar(1), VN_SHAPE(2, 4), VN_F32),
             *context = vn_full(vn_scalar(1), VN_SHAPE(2, 8), VN_F32); /* halves are k and v */
    for (int zero = 0; zero < 2; zero++) {
        vn_array *y = vn_multi_head_attention(x, context, mask, 2, VN_OPTS(multi_head_attention, .scale = 1, .zero_rows = zero));
        CHECK(near(vn_item(vn_sum(y, VN_ALL)), zero ? 4 : 8, 1e-6));
        vn_module *m = vn_nn_multi_head_attention(4, VN_OPTS(nn_multi_head_attention, .heads = 2, .context_dim = 8, .no_to_q = 1,
                                                             .no_to_kv = 1, .no_to_out = 1, .zero_rows = zero));
        vn_tree *z = vn_module_call_tree(m, vn_tree_of("x", x, "context", context, "mask", mask, NULL), NULL);
        CHECK(near(vn_item(vn_sum(vn_tree_leaf(z, 0), VN_ALL)), zero ? 4 : 8, 1e-6));
    }
}

static vn_array *projected(const vn_projected_attention_opts *opts)
{
    vn_array *x = vn_div(counting(3, 4), vn_scalar(4));
    return vn_projected_attention(x, VN_NONE, VN_NONE, vn_tree_new(NULL), VN_NONE, VN_NONE, opts, NULL);
}

/* With no weight on products the shares are equal and the result is the mean of all rows; half of the shares fall out, the others double.
 */
TEST(projections)
{
    vn_array *mean = vn_mean(vn_div(counting(3, 4), vn_scalar(4)), VN_KEEP(0));
    CHECK(difference(projected(VN_OPTS(projected_attention, .heads = 2, .scale = 1e-9)), mean) < 1e-5);
    CHECK(difference(projected(VN_OPTS(projected_attention, .heads = 2)), mean) > .1);
    for (int asked = 0; asked < 2; asked++) { /* VN_ZERO is 0, whether or not the shares are asked for */
        vn_array *equal = NULL, *y = vn_div(counting(3, 4), vn_scalar(4));
        const vn_projected_attention_opts *zero = VN_OPTS(projected_attention, .heads = 2, .scale = VN_ZERO, .dropout = VN_ZERO);
        y = vn_projected_attention(y, VN_NONE, VN_NONE, vn_tree_new(NULL), VN_NONE, VN_NONE, zero, asked ? &equal : NULL);
        CHECK(difference(y, mean) < 1e-5 && (!asked || near(largest(equal), 1. / 3, 1e-5)));
    }
    CHECK_FAILS(projected(VN_OPTS(projected_attention, .heads = VN_ZERO)), VN_E_SHAPE, "into 0 heads");
    CHECK(vn_seed(7) == VN_OK);
    vn_array *shares = NULL, *x = vn_full(vn_scalar(1), VN_SHAPE(40, 4), VN_F32);
    vn_projected_attention(x, VN_NONE, VN_NONE, vn_tree_new(NULL), VN_NONE, VN_NONE,
                           VN_OPTS(projected_attention, .heads = 1, .dropout = .5), &shares);
    double gone = vn_item(vn_mean(vn_cast(vn_equal(shares, vn_scalar(0)), VN_F32), VN_ALL));
    CHECK(gone > .4 && gone < .6 && near(largest(shares), 2. / 40, 1e-5));
}

/* A flag that is neither 0 nor 1 is refused, also in structs that no table prints. */
/* Filters in the order of PyTorch give what the same filters in ours give. */
TEST(filter_formats)
{
    vn_array *x = vn_reshape(vn_arange(0, 2 * 5 * 6 * 4, 1, VN_F32), VN_SHAPE(2, 5, 6, 4));
    vn_module *ours = vn_nn_conv2d(4, 6, VN_LIST(3, 2), VN_OPTS(nn_conv2d, .groups = 2)),
              *theirs = vn_nn_conv2d(4, 6, VN_LIST(3, 2), VN_OPTS(nn_conv2d, .groups = 2, .filter_format = "oihw"));
    vn_array *w = vn_tree_get(vn_module_v(ours), "w");
    CHECK(vn_dim(vn_tree_get(vn_module_v(theirs), "w"), 0) == 6 && vn_dim(vn_tree_get(vn_module_v(theirs), "w"), 3) == 2);
    CHECK(vn_into(vn_tree_get(vn_module_v(theirs), "w"), vn_permute_dims(w, VN_AXES(3, 2, 0, 1))) != NULL);
    CHECK(difference(vn_module_call(ours, x, NULL), vn_module_call(theirs, x, NULL)) == 0);
    static const struct {
        const char *format;
        vn_axes order; /* of ours, HWIO */
    } cases[] = {{"channel_first", {4, 0, {2, 3, 0, 1}}}, {"IOHW", {4, 0, {2, 3, 0, 1}}}, {"HWOI", {4, 0, {0, 1, 3, 2}}}};
    ours = vn_nn_conv2d_transpose(4, 6, VN_LIST(3, 2), VN_OPTS(nn_conv2d_transpose, .groups = 2));
    for (int k = 0; k < 3; k++) {
        check_name = cases[k].format;
        theirs = vn_nn_conv2d_transpose(4, 6, VN_LIST(3, 2), VN_OPTS(nn_conv2d_transpose, .groups = 2, .filter_format = cases[k].format));
        w = vn_permute_dims(vn_tree_get(vn_module_v(ours), "w"), cases[k].order);
        CHECK(vn_into(vn_tree_get(vn_module_v(theirs), "w"), w) != NULL);
        CHECK(difference(vn_module_call(ours, x, NULL), vn_module_call(theirs, x, NULL)) == 0);
    }
    CHECK_FAILS(vn_nn_conv1d(4, 6, VN_LIST(3), VN_OPTS(nn_conv1d, .filter_format = "OIHW")), VN_E_ARG,
                "nn_conv1d: filter_format is \"OIHW\"; possible are channel_last, channel_first, WIO, OIW; did you mean \"OIW\"?");
}

/* A scale of 0 averages the values; it is not the default. */
TEST(scales)
{
    vn_array *x = counting(3, 4);
    vn_module *none = vn_nn_multi_head_attention(
        4, VN_OPTS(nn_multi_head_attention, .heads = 1, .no_to_q = 1, .no_to_kv = 1, .no_to_out = 1, .context_dim = 8, .scale = VN_ZERO));
    CHECK(none != NULL);
    vn_array *context = counting(5, 8);
    vn_array *y = vn_multi_head_attention(x, context, VN_NONE, 1, VN_OPTS(multi_head_attention, .scale = VN_ZERO));
    vn_array *mean = vn_mean(vn_slice_at(context, VN_SHAPE(0, 4), VN_SHAPE(5, 4)), VN_AXES(0));
    CHECK(difference(y, vn_broadcast_to(mean, VN_SHAPE(3, 4))) < 1e-5);
    vn_tree *of = vn_module_call_tree(none, vn_tree_of("x", x, "context", context, NULL), NULL);
    CHECK(of && difference(vn_tree_get(of, "y"), y) < 1e-6);
    y = vn_multi_head_attention(x, context, VN_NONE, 1, NULL);
    CHECK(difference(y, vn_multi_head_attention(x, context, VN_NONE, 1, VN_OPTS(multi_head_attention, .scale = .5))) < 1e-6);
}

TEST(initialisers_as_text)
{
    static const char *const right[] = {"normal(0, 0.02)", "normal(0,0.02)", "uniform(3, 0.5)", "constant(0.25)", "normal()",
                                        "normal(1, 2, 3)", "constant(a)",    "zeros(1)",        "normal(0, -1)"};
    for (int k = 0; k < 9; k++) {
        check_name = right[k];
        vn_module *m = vn_nn_make("linear",
                                  (vn_option[]){{"in", VN_OPT_INT, 1, {.i = 200}},
                                                {"out", VN_OPT_INT, 1, {.i = 200}},
                                                {"w_init", VN_OPT_STRING, 1, {.s = right[k]}}},
                                  3);
        CHECK((m != NULL) == (k < 5));
        vn_clear();
        if (k < 2) CHECK(fabs(vn_item(vn_std(vn_tree_get(vn_module_v(m), "w"), VN_ALL, 0)) - .02) < .001);
    }
    vn_clear();
}

TEST(flags)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 4), VN_F32);
    CHECK_FAILS(projected(VN_OPTS(projected_attention, .causal = 2)), VN_E_ARG, "projected_attention: causal is 2; it is a flag, 0 or 1");
    CHECK_FAILS(projected(VN_OPTS(projected_attention, .zero_key = -1)), VN_E_ARG, "zero_key is -1");
    CHECK_FAILS(projected(VN_OPTS(projected_attention, .steps_first = 3)), VN_E_ARG, "steps_first is 3");
    CHECK_FAILS(projected(VN_OPTS(projected_attention, .per_head = 3)), VN_E_ARG, "per_head is 3");
    CHECK_FAILS(vn_multi_head_attention(x, VN_NONE, VN_NONE, 2, VN_OPTS(multi_head_attention, .scale = 1, .zero_rows = 2)), VN_E_ARG,
                "multi_head_attention: zero_rows is 2");
    vn_module *m = vn_nn_linear(4, 2, NULL);
    CHECK_FAILS(vn_module_call(m, x, VN_OPTS(module_call, .with_grads = 2)), VN_E_ARG, "module_call: with_grads is 2; -1, 0 or 1");
    CHECK_FAILS(vn_nn_linear(4, 2, VN_OPTS(nn_linear, .module = VN_OPTS(module, .no_store = 2))), VN_E_ARG, "module: no_store is 2");
    CHECK_FAILS(vn_nn_linear(4, 2, VN_OPTS(nn_linear, .module = VN_OPTS(module, .with_partial_v = 7))), VN_E_ARG, "with_partial_v is 7");
    CHECK_FAILS(vn_module_sub_mods(m, -1, VN_OPTS(module_look, .flatten = 2)), VN_E_ARG, "module_look: flatten is 2");
    CHECK_FAILS(vn_module_trace_new(VN_OPTS(module_trace, .rets = 2)), VN_E_ARG, "module_trace: rets is 2");
    CHECK_FAILS(vn_tree_new(VN_OPTS(tree, .insertion_order = 2)), VN_E_ARG, "tree: insertion_order is 2");
    CHECK_FAILS(vn_tree_identical(2, (const vn_tree *[]){vn_tree_new(NULL), vn_tree_new(NULL)}, VN_OPTS(tree_identical, .partial = 2)),
                VN_E_ARG, "tree_identical: partial is 2");
}

/* ---- how variables begin, and what all modules share ---- */

static bool begins(vn_module *m, const char *chain, double value, vn_dtype dtype)
{
    vn_array *v = vn_module_var(m, chain);
    return vn_dtype_of(v) == dtype && largest(vn_sub(v, vn_scalar(value))) == 0;
}

TEST(initialisers)
{
    const vn_init w = vn_init_constant(.5), b = vn_init_constant(.25);
    vn_module *linear = vn_nn_linear(2, 3, VN_OPTS(nn_linear, .w_init = w, .b_init = b));
    CHECK(begins(linear, "w", .5, VN_F32) && begins(linear, "b", .25, VN_F32));
    vn_module *gru = vn_nn_gru(2, 3, VN_OPTS(nn_recurrent, .with_bias = 1, .w_init = w, .b_init = b));
    CHECK(begins(gru, "input/layer_0/w", .5, VN_F32) && begins(gru, "recurrent/layer_0/w", .5, VN_F32));
    CHECK(begins(gru, "input/layer_0/b", .25, VN_F32) && begins(gru, "recurrent/layer_0/b", .25, VN_F32));
}

/* What the row permits is checked where an object is made, as parameters too; VN_ZERO is 0. */
TEST(made_checked)
{
    vn_array *x = vn_from((float[]){1, 3}, VN_SHAPE(1, 2));
    vn_module *norm = vn_nn_layer_norm(VN_SHAPE(2), VN_OPTS(nn_layer_norm, .epsilon = VN_ZERO));
    CHECK(vn_item(vn_max(vn_module_call(norm, x, NULL), VN_ALL)) == 1);
    CHECK_FAILS(vn_nn_layer_norm(VN_SHAPE(2), VN_OPTS(nn_layer_norm, .epsilon = -1)), VN_E_ARG, "nn_layer_norm: epsilon is -1");
    CHECK_FAILS(vn_init_normal(0, -1).kind, VN_E_ARG, "init_normal: std is -1; a number in [0, inf) is needed");
    CHECK_FAILS(vn_init_truncated_normal(NAN, 1).kind, VN_E_ARG, "init_truncated_normal: mean is nan");
    CHECK_FAILS(vn_init_siren(0).kind, VN_E_ARG, "init_siren: w0 is 0");
    CHECK(vn_item(vn_init_array(vn_init_constant(VN_ZERO), VN_0D, 1, 1, VN_F32)) == 0);
    CHECK(vn_optim_lr(vn_adam(VN_ZERO, NULL)) == 0);
    CHECK_FAILS(vn_adam(-1, NULL), VN_E_ARG, "adam: lr is -1; a number in [0, inf) is needed");
    const vn_option lr = {.name = "lr", .kind = VN_OPT_FLOAT, .n = 1, .u = {.f = -1}};
    CHECK_FAILS(vn_optim_make("adam", &lr, 1), VN_E_ARG, "adam: lr is -1; a number in [0, inf) is needed");
    CHECK_FAILS(vn_nn_conv2d(1, 1, VN_LIST(1), VN_OPTS(nn_conv, .data_format = "NCDHW")), VN_E_ARG,
                "nn_conv2d: data_format is \"NCDHW\"; possible are channel_last, channel_first, NHWC, NCHW; did you mean \"NCHW\"?");
    CHECK_FAILS(vn_nn_max_pool1d(VN_LIST(1), VN_OPTS(nn_max_pool1d, .data_format = "NHWC")), VN_E_ARG,
                "nn_max_pool1d: data_format is \"NHWC\"; possible are channel_last, channel_first, NWC, NCW; did you mean \"NWC\"?");
    CHECK_FAILS(vn_nn_avg_pool3d(VN_LIST(1), VN_OPTS(nn_avg_pool3d, .data_format = "NHWC")), VN_E_ARG,
                "nn_avg_pool3d: data_format is \"NHWC\"; possible are channel_last, channel_first, NDHWC, NCDHW; did you mean \"NDHWC\"?");
    CHECK_FAILS(vn_nn_batch_norm2d(1, VN_OPTS(nn_batch_norm, .data_format = "NWC")), VN_E_ARG,
                "nn_batch_norm2d: data_format is \"NWC\"; possible are channel_last, channel_first, NHWC, NCHW");
    const vn_option flat[] = {{.name = "window", .kind = VN_OPT_INTS, .n = 1, .u = {.is = (const int64_t[]){1}}},
                              {.name = "data_format", .kind = VN_OPT_STRING, .n = 1, .u = {.s = "NCW"}}};
    CHECK_FAILS(vn_nn_make("max_pool2d", flat, 2), VN_E_ARG,
                "max_pool2d: data_format is \"NCW\"; possible are channel_last, channel_first, NHWC, NCHW; did you mean \"NCHW\"?");
    CHECK(vn_nn_make("max_pool1d", flat, 2) != NULL);
    CHECK(vn_nn_group_norm(1, 1, VN_OPTS(nn_norm, .data_format = "NCDHW")) &&
          vn_nn_conv2d(1, 1, VN_LIST(1), VN_OPTS(nn_conv, .data_format = "nchw")));
}

TEST(shared_options)
{
    const vn_module_opts *later = VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT);
    vn_module *embedding = vn_nn_embedding(3, 2, VN_OPTS(nn_embedding, .w_init = vn_init_ones(), .module = later));
    CHECK(!vn_module_is_built(embedding) && vn_module_build(embedding, NULL) && begins(embedding, "w", 1, VN_F32));
    CHECK(vn_module_build_mode(vn_nn_prelu(3, VN_OPTS(nn_prelu, .module = later))) == VN_BUILD_EXPLICIT);
    CHECK(vn_module_build_mode(vn_nn_layer_norm(VN_SHAPE(3), VN_OPTS(nn_layer_norm, .module = later))) == VN_BUILD_EXPLICIT);
    vn_module *dropout = vn_nn_dropout(.5, VN_OPTS(nn_dropout, .module = later));
    CHECK(vn_module_build_mode(dropout) == VN_BUILD_EXPLICIT);
}

/* ---- the dtype of a module ---- */

/* Arrays that exist are cast, with their handles, those of buffers and shared ones too. */
TEST(cast_of_what_is_built)
{
    vn_module *first = vn_nn_linear(2, 3, NULL), *norm = vn_nn_batch_norm1d(3, NULL),
              *net = VN_SEQUENTIAL(first, norm, vn_nn_prelu(3, NULL));
    vn_array *w = vn_module_var(net, "submodules/v0/w"), *before = vn_add(w, vn_scalar(0)), *count = vn_ones(VN_SHAPE(2), VN_I64);
    CHECK(vn_module_add_buffer(first, "count", count) == VN_OK && vn_module_dtype(net) == VN_NO_DTYPE);
    CHECK(vn_module_cast(net, VN_F64) == net && vn_module_dtype(net) == VN_F64 && vn_module_dtype(norm) == VN_F64);
    CHECK(vn_module_var(net, "submodules/v0/w") == w && vn_module_var(first, "w") == w && vn_dtype_of(w) == VN_F64);
    CHECK(largest(vn_sub(w, vn_cast(before, VN_F64))) == 0 && vn_dtype_of(before) == VN_F32);
    CHECK(vn_dtype_of(vn_module_buffer(norm, "running_mean")) == VN_F64 && vn_dtype_of(vn_module_buffer(first, "count")) == VN_I64);
    CHECK(vn_dtype_of(vn_module_call(net, vn_ones(VN_SHAPE(4, 2), VN_F64), NULL)) == VN_F64);
    CHECK(vn_module_cast(net, VN_BF16) && vn_dtype_of(w) == VN_BF16 && vn_dtype_of(vn_module_buffer(norm, "running_mean")) == VN_F32);
}

/* What is built later is created in the dtype: float64 numbers have more digits than those that were cast. */
TEST(cast_of_what_is_not_built)
{
    const vn_module_opts *later = VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT),
                         *on_call = VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL);
    vn_module *linear = vn_module_cast(vn_nn_linear(8, 8, VN_OPTS(nn_linear, .module = later)), VN_F64);
    CHECK(linear && vn_module_build(linear, NULL) && vn_dtype_of(vn_module_var(linear, "w")) == VN_F64);
    vn_array *w = vn_module_var(linear, "w");
    CHECK(largest(vn_sub(w, vn_cast(vn_cast(w, VN_F32), VN_F64))) > 0);
    vn_module *heads = vn_module_cast(vn_nn_multi_head_attention(4, VN_OPTS(nn_multi_head_attention, .heads = 2, .module = later)), VN_F64);
    CHECK(heads && vn_module_build(heads, NULL) && vn_dtype_of(w = vn_module_var(heads, "to_kv/k/w")) == VN_F64);
    CHECK(largest(vn_sub(w, vn_cast(vn_cast(w, VN_F32), VN_F64))) > 0);
    vn_module *called = vn_module_cast(vn_nn_linear(2, 3, VN_OPTS(nn_linear, .module = on_call)), VN_F16);
    CHECK(vn_module_call(called, vn_ones(VN_SHAPE(1, 2), VN_F16), NULL) && vn_dtype_of(vn_module_var(called, "w")) == VN_F16);
    vn_module *one[] = {vn_nn_linear(2, 2, NULL)}, *list = vn_nn_sequential(one, 1, later);
    CHECK(vn_module_cast(list, VN_F64) && vn_module_build(list, NULL) && vn_dtype_of(vn_module_var(one[0], "w")) == VN_F64);
}

TEST(casts_that_fail)
{
    vn_module *linear = vn_nn_linear(2, 3, NULL);
    CHECK_FAILS(vn_module_cast(linear, VN_NO_DTYPE), VN_E_DTYPE, "module_cast: 0 is not a dtype");
    CHECK_FAILS(vn_module_cast(linear, VN_I32), VN_E_DTYPE, "module_cast: variables of Linear cannot be int32; a float dtype is needed");
    CHECK_FAILS(vn_module_cast(NULL, VN_F64), VN_E_NULL, "module_cast: m is NULL");
    CHECK_FAILS(vn_module_dtype(NULL), VN_E_NULL, "module_dtype: m is NULL");
    vn_clear();
    CHECK(vn_dtype_of(vn_module_var(linear, "w")) == VN_F32 && vn_module_dtype(linear) == VN_NO_DTYPE);
}

/* ---- optimizers ---- */

/* A long parameter and a short gradient: the step is as long as the ratio that is allowed. */
TEST(trust_ratios)
{
    double moved[2];
    for (int k = 0; k < 2; k++) {
        CHECK_FAILS(vn_lamb(.1, VN_OPTS(lamb, .max_trust_ratio = VN_ZERO)), VN_E_ARG, "max_trust_ratio is 0");
        vn_optim *o = vn_lamb(.1, VN_OPTS(lamb, .max_trust_ratio = k ? 2 : 0, .folded = 1));
        vn_tree *p = vn_tree_of("w", vn_full(vn_scalar(1000), VN_SHAPE(4), VN_F64), NULL),
                *g = vn_tree_of("w", vn_full(vn_scalar(1), VN_SHAPE(4), VN_F64), NULL);
        CHECK(vn_step(o, p, g) == VN_OK);
        moved[k] = 1000 - vn_item(vn_mean(vn_tree_get(p, "w"), VN_ALL));
    }
    CHECK(moved[1] > 0 && near(moved[0] / moved[1], 5, 1e-3)); /* 10 unless given */
}

/* A parameter of zeros and a gradient of zeros: lengths of 0 give no ratio, and the step is that of plain descent. */
TEST(lengths_of_zero)
{
    for (int k = 0; k < 2; k++) {
        vn_optim *o = k ? vn_lamb(.5, NULL) : vn_lars(.5, NULL);
        vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(4), VN_F64), "v", vn_ones(VN_SHAPE(4), VN_F64), NULL);
        vn_tree *g = vn_tree_of("w", vn_full(vn_scalar(2), VN_SHAPE(4), VN_F64), "v", vn_zeros(VN_SHAPE(4), VN_F64), NULL);
        CHECK(vn_step(o, p, g) == VN_OK);
        CHECK(difference(vn_tree_get(p, "w"), vn_scalar(k ? -.5 : -1)) < 1e-6 && difference(vn_tree_get(p, "v"), vn_scalar(1)) == 0);
    }
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(4), VN_F64), NULL),
            *g = vn_tree_of("w", vn_full(vn_scalar(2), VN_SHAPE(4), VN_F64), NULL);
    CHECK(vn_step(vn_lars(.5, VN_OPTS(lars, .folded = 1)), p, g) == VN_OK && largest(vn_tree_get(p, "w")) == 0); /* the specification's */
}

TEST_MAIN
