/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: options of ops as structs and by name: what a field that is not given means, sizes of older and newer structs, flags, texts,
 * and what vn_op_at says of them. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <stddef.h>
#include <vinea/files.h>
#include <vinea/module.h>
#include <vinea/nn.h>
#include <vinea/ranks.h>

static double first_of(vn_array *x)
{
    return x ? vn_item(vn_slice_at(vn_reshape(x, VN_SHAPE(-1)), VN_SHAPE(0), VN_SHAPE(1))) : NAN;
}

TEST(defaults)
{
    vn_array *x = vn_from((float[]){3, -1, 2}, VN_SHAPE(3)), *indices;
    CHECK(first_of(vn_sort(x, -1, NULL)) == -1);
    CHECK(first_of(vn_sort(x, -1, VN_OPTS(sort, .descending = 0))) == -1);
    CHECK(first_of(vn_sort(x, -1, VN_OPTS(sort, .descending = 1))) == 3);
    CHECK(first_of(vn_topk(x, 1, -1, NULL, &indices)) == 3 && vn_item_int(indices) == 0);
    CHECK(first_of(vn_topk(x, 1, -1, VN_OPTS(topk, .smallest = 1), &indices)) == -1 && vn_item_int(indices) == 1);
    CHECK(first_of(vn_pad(x, VN_LIST(1), VN_LIST(0), NULL)) == 0);
    CHECK(first_of(vn_pad(x, VN_LIST(1), VN_LIST(0), VN_OPTS(pad, .value = 7))) == 7);
    CHECK(first_of(vn_pad(x, VN_LIST(1), VN_LIST(0), VN_OPTS(pad, .mode = "edge"))) == 3);
    vn_sort_opts o = VN_INIT(sort);
    o.descending = 1;
    CHECK(first_of(vn_sort(x, -1, &o)) == 3);
}

/* Where 0 is not the default it is VN_ZERO, for integers and floats. */
TEST(zero)
{
    vn_array *logits = vn_zeros(VN_SHAPE(2, 2), VN_F32), *classes = vn_from_host((int64_t[]){0, 1}, VN_I64, VN_SHAPE(2));
    const double one = log(2);
    CHECK(fabs(vn_item(vn_cross_entropy(logits, classes, VN_NONE, -1, VN_OPTS(cross_entropy, .reduction = "sum"))) - 2 * one) < 1e-6);
    CHECK(
        fabs(vn_item(vn_cross_entropy(logits, classes, VN_NONE, -1, VN_OPTS(cross_entropy, .ignore_index = VN_ZERO, .reduction = "sum"))) -
             one) < 1e-6);
    vn_array *a = vn_from((float[]){0, 0}, VN_SHAPE(2)), *p = vn_from((float[]){1, 0}, VN_SHAPE(2));
    CHECK(vn_item(vn_triplet_margin_loss(a, p, p, -1, NULL)) == 1);
    CHECK(vn_item(vn_triplet_margin_loss(a, p, p, -1, VN_OPTS(triplet_margin_loss, .margin = VN_ZERO))) == 0);
    CHECK((int64_t)(double)VN_ZERO == VN_ZERO);
}

/* It is 0 as a parameter and by name too. */
TEST(zero_everywhere)
{
    vn_array *m = vn_from((float[]){1, -2, -3, 4}, VN_SHAPE(2, 2)), *one = vn_from((float[]){-1}, VN_SHAPE(1)), *z;
    const struct {
        vn_array *with, *plain;
    } cases[] = {
        {vn_std(m, VN_ALL, VN_ZERO), vn_std(m, VN_ALL, 0)},
        {vn_leaky_relu(m, VN_ZERO), vn_leaky_relu(m, 0)},
        {vn_linspace(VN_ZERO, 1, 3, VN_F32, NULL), vn_linspace(0, 1, 3, VN_F32, NULL)},
        {vn_arange(VN_ZERO, 3, 1, VN_F32), vn_arange(0, 3, 1, VN_F32)},
        {vn_eye(2, 2, VN_ZERO, VN_F32), vn_eye(2, 2, 0, VN_F32)},
        {vn_tril(m, VN_ZERO), vn_tril(m, 0)},
        {vn_softmax(m, VN_ZERO), vn_softmax(m, 0)},
        {vn_dropout(m, VN_NONE, VN_ZERO, NULL), m},
        {vn_layer_norm(m, VN_NONE, VN_NONE, VN_AXES(-1), VN_ZERO), vn_layer_norm(m, VN_NONE, VN_NONE, VN_AXES(-1), 0)},
        {vn_module_call(vn_nn_leaky_relu(VN_ZERO), m, NULL), vn_leaky_relu(m, 0)},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        CHECK(vn_item(vn_max(vn_abs(vn_sub(cases[k].with, cases[k].plain)), VN_ALL)) == 0);
    vn_array *classes = vn_from_host((int64_t[]){0, 1}, VN_I64, VN_SHAPE(2)), *logits = vn_zeros(VN_SHAPE(2, 2), VN_F32);
    const vn_option ignored[] = {{"ignore_index", VN_OPT_INT, 1, {.i = VN_ZERO}}, {"reduction", VN_OPT_STRING, 1, {.s = "sum"}}};
    CHECK(vn_call("cross_entropy", (vn_array *[]){logits, classes}, 2, ignored, 2, &z, 1) == VN_OK && fabs(vn_item(z) - log(2)) < 1e-6);
    const vn_option slope[] = {{"slope", VN_OPT_FLOAT, 1, {.f = (double)VN_ZERO}}, {"slope", VN_OPT_INT, 1, {.i = VN_ZERO}}};
    for (int k = 0; k < 2; k++) CHECK(vn_call("leaky_relu", &one, 1, &slope[k], 1, &z, 1) == VN_OK && vn_item(z) == 0);
    CHECK_FAILS(vn_call("sort", &one, 1, &(vn_option){"descending", VN_OPT_INT, 1, {.i = VN_ZERO}}, 1, &z, 1), VN_E_ARG, "it is a flag");
}

/* The range of a number holds for fields, for options by name and for parameters; defaults need not lie in it. */
TEST(ranges)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 2), VN_F32), *z, *m, *v;
    vn_op_info info = {.size = sizeof info};
    CHECK_FAILS(vn_adam_step(x, x, x, vn_scalar(1), VN_OPTS(adam_step, .beta1 = 7), &m, &v), VN_E_ARG,
                "adam_step: beta1 is 7; a number in [0, 1) is needed");
    CHECK_FAILS(vn_adam_step(x, x, x, vn_scalar(1), VN_OPTS(adam_step, .beta1 = -.1), &m, &v), VN_E_ARG, "beta1 is -0.1");
    CHECK_FAILS(vn_adam_step(x, x, x, vn_scalar(1), VN_OPTS(adam_step, .epsilon = INFINITY), &m, &v), VN_E_ARG,
                "adam_step: epsilon is inf; a number in [0, inf) is needed");
    CHECK(vn_adam_step(x, x, x, vn_scalar(1), VN_OPTS(adam_step, .beta1 = VN_ZERO, .epsilon = VN_ZERO), &m, &v) != NULL);
    CHECK_FAILS(vn_dropout(x, VN_NONE, 1.5, NULL), VN_E_ARG, "dropout: prob is 1.5; a number in [0, 1] is needed");
    CHECK_FAILS(vn_dropout(x, VN_NONE, NAN, NULL), VN_E_ARG, "prob is nan");
    CHECK_FAILS(vn_dropout(x, VN_NONE, copysign(NAN, -1), NULL), VN_E_ARG, "prob is nan");
    CHECK_FAILS(vn_huber_loss(x, x, VN_NONE, 0, NULL), VN_E_ARG, "huber_loss: delta is 0; a number in (0, inf) is needed");
    const vn_option wrong = {.name = "prob", .kind = VN_OPT_INT, .n = 1, .u = {.i = -1}};
    CHECK_FAILS(vn_call("dropout", &x, 1, &wrong, 1, &z, 1), VN_E_ARG, "prob is -1");
    const vn_option scale = {.name = "scale", .kind = VN_OPT_FLOAT, .n = 1, .u = {.f = NAN}};
    CHECK_FAILS(vn_call("attention", (vn_array *[]){x, x, x}, 3, &scale, 1, &z, 1), VN_E_ARG, "scale is nan");
    CHECK_FAILS(vn_call("dropout", &x, 1, &(vn_option){.name = "prob", .kind = VN_OPT_STRING, .u = {.s = "half"}}, 1, &z, 1), VN_E_ARG,
                "dropout: option prob is a text; float is needed");
    const vn_option inexact[] = {
        {"start", VN_OPT_INT, 1, {.i = 9007199254740993}}, {"stop", VN_OPT_FLOAT, 1, {.f = 1}}, {"n", VN_OPT_INT, 1, {.i = 2}}};
    CHECK_FAILS(vn_call("linspace", NULL, 0, inexact, 3, &z, 1), VN_E_ARG, "linspace: start is 9007199254740993, which no float64 is");
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_at(k, &info);
        if (!strcmp(info.name, "adam_step")) break;
    }
    const vn_op_range *r = info.options[0].range;
    CHECK(r && r->min == 0 && r->max == 1 && !r->above_min && r->below_max);
    CHECK(!info.options[3].range);
}

/* How a pattern reduces is a field; the pattern, which the op is about, is a parameter and must be given. */
TEST(reductions)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32), *z;
    CHECK(vn_item(vn_einops_reduce(x, "a b -> ", NULL)) == 6);
    CHECK(vn_item(vn_einops_reduce(x, "a b -> ", VN_OPTS(einops_reduce, .reduction = "MEAN"))) == 1);
    CHECK_FAILS(vn_einops_reduce(x, "a b -> ", VN_OPTS(einops_reduce, .reduction = "maxi")), VN_E_ARG,
                "einops_reduce: reduction is \"maxi\"; possible are sum, mean, max, min, prod; did you mean \"max\"?");
    CHECK_FAILS(vn_einops_reduce(x, NULL, NULL), VN_E_NULL, "einops_reduce: pattern is NULL");
    CHECK_FAILS(vn_call("einops_reduce", &x, 1, NULL, 0, &z, 1), VN_E_ARG, "option pattern (text) must be given");
}

/* The scale of attention: 1 / sqrt(features) unless given, and 0 where 0 is asked for, by name or as a field. */
TEST(computed_default)
{
    vn_array *q = vn_from((float[]){1, 0, 0, 0}, VN_SHAPE(1, 4)), *k = vn_from((float[]){2, 0, 0, 0, 0, 0, 0, 0}, VN_SHAPE(2, 4));
    vn_array *v = vn_from((float[]){1, 0}, VN_SHAPE(2, 1)), *z;
    const double half = 1 / (1 + exp(-1)); /* scores 2 and 0, over sqrt(4) */
    CHECK(fabs(vn_item(vn_attention(q, k, v, VN_NONE, NULL)) - half) < 1e-6);
    CHECK(fabs(vn_item(vn_scaled_dot_product_attention(q, k, v, VN_NONE, NULL)) - half) < 1e-6);
    CHECK(vn_item(vn_attention(q, k, v, VN_NONE, VN_OPTS(attention, .scale = VN_ZERO))) == .5);
    CHECK(vn_item(vn_scaled_dot_product_attention(q, k, v, VN_NONE, VN_OPTS(scaled_dot_product_attention, .scale = VN_ZERO))) == .5);
    const vn_option zero = {.name = "scale", .kind = VN_OPT_FLOAT, .n = 1, .u = {.f = 0}};
    CHECK(vn_call("attention", (vn_array *[]){q, k, v}, 3, &zero, 1, &z, 1) == VN_OK && vn_item(z) == .5);
}

TEST(sizes_of_structs)
{
    vn_array *x = vn_ones(VN_SHAPE(1, 4, 4, 2), VN_F32), *w = vn_ones(VN_SHAPE(1, 1, 1, 2), VN_F32);
    struct {
        vn_conv2d_opts known;
        int64_t more;
    } newer = {.known = {.size = sizeof newer, .groups = 2}};
    CHECK(vn_conv2d(x, w, VN_NONE, &newer.known) != NULL);
    newer.more = 1;
    CHECK_FAILS(vn_conv2d(x, w, VN_NONE, &newer.known), VN_E_UNSUPPORTED, "conv2d: its options have fields that this version");
    /* a program built when there were strides only: what lies behind them is not looked at */
    vn_conv2d_opts older = {.size = offsetof(vn_conv2d_opts, padding), .strides = {2}, .padding = "nonsense", .groups = 2};
    vn_array *y = vn_conv2d(x, vn_ones(VN_SHAPE(1, 1, 2, 2), VN_F32), VN_NONE, &older);
    CHECK(vn_dim(y, 1) == 2);
    older.size = offsetof(vn_conv2d_opts, strides) + 1; /* the size of none */
    CHECK_FAILS(vn_conv2d(x, w, VN_NONE, &older), VN_E_ARG, "conv2d: the options' size is 9, which ends inside strides");
    CHECK_FAILS(vn_conv2d(x, w, VN_NONE, &(vn_conv2d_opts){.groups = 2}), VN_E_ARG,
                "conv2d: the options' size is 0; make them with VN_OPTS(conv2d, ...) or VN_INIT(conv2d)");
}

/* Windows over more than three axes have as many steps. */
TEST(steps_of_many_axes)
{
    vn_array *x = vn_ones(VN_SHAPE(5, 5, 5, 5), VN_F32);
    vn_array *y = vn_sliding_window_view(x, VN_LIST(2, 2, 2, 2), VN_ALL, VN_OPTS(sliding_window_view, .steps = VN_LIST(1, 2, 3, 4)));
    const int64_t want[] = {4, 2, 2, 1, 2, 2, 2, 2};
    CHECK(vn_rank(y) == 8);
    for (int k = 0; k < 8; k++) CHECK(vn_dim(y, k) == want[k]);
    CHECK(vn_dim(vn_unfold(vn_ones(VN_SHAPE(1, 1, 4), VN_F32), VN_LIST(2), VN_OPTS(unfold, .pads = VN_LIST(1))), 2) == 5);
}

/* What a newer program has where the last field is reserved is no padding, and is refused. tests/package/padding.sh finds padding. */
/* Structs that are not printed from a table: what takes them asks vn__take. */
TEST(sizes_of_other_structs)
{
    static const char error[] = "the options' size is 9, which ends inside a field; VN_OPTS and VN_INIT set it";
    struct {
        size_t size;
        int64_t zeros[64];
    } nine = {.size = 9};
    const void *opts = &nine;
    vn_tree *t = vn_tree_of("w", vn_ones(VN_SHAPE(2, 2), VN_F32), NULL);
    vn_array *x = vn_tree_get(t, "w");
    vn_module *m = vn_nn_relu();
    CHECK_FAILS(vn_tree_new(opts), VN_E_ARG, error);
    CHECK_FAILS(vn_tree_iterate(t, opts, NULL), VN_E_ARG, error);
    CHECK_FAILS(vn_tree_text(t, opts), VN_E_ARG, error);
    CHECK_FAILS(vn_module_call(m, x, opts), VN_E_ARG, error);
    CHECK_FAILS(vn_module_trace_new(opts), VN_E_ARG, error);
    CHECK_FAILS(vn_dataset_of(x, VN_NONE, opts), VN_E_ARG, error);
    CHECK_FAILS(vn_save("none", t, opts), VN_E_ARG, error);
    CHECK_FAILS(vn_load("none", opts), VN_E_ARG, error);
    CHECK_FAILS(vn_group_open(opts), VN_E_ARG, error);
    CHECK_FAILS(vn_clip_per_example(t, 1, opts), VN_E_ARG, error);
    CHECK_FAILS(vn_fit(m, vn_dataset_of(x, x, NULL), opts, NULL), VN_E_ARG, error);
    nine.size = 16; /* an older header's, with fewer fields */
    CHECK(vn_tree_new(opts) && vn_clip_per_example(t, 1, opts) && vn_module_call(m, x, opts) && vn_dataset_of(x, VN_NONE, opts));
}

TEST(reserved_fields)
{
    vn_array *x = vn_ones(VN_SHAPE(3), VN_F32), *g;
    const char *error = "its options have fields that this version of the library does not know";
    CHECK(vn_topk(x, 1, -1, VN_OPTS(topk, .smallest = 1, .reserved = 0), NULL) != NULL);
    CHECK_FAILS(vn_topk(x, 1, -1, VN_OPTS(topk, .reserved = 1), NULL), VN_E_UNSUPPORTED, error);
    CHECK_FAILS(vn_sort(x, -1, VN_OPTS(sort, .reserved = -1)), VN_E_UNSUPPORTED, error);
    vn_topk_opts older = {.size = offsetof(vn_topk_opts, reserved), .smallest = 1, .reserved = 7}; /* it ends before the field */
    CHECK(vn_topk(x, 1, -1, &older, NULL) != NULL);
    CHECK_FAILS(vn_lars(.1, VN_OPTS(lars, .reserved = 1)), VN_E_UNSUPPORTED, error);
    vn_array *w = vn_variable(x), *loss = vn_sum(w, VN_ALL);
    CHECK_FAILS(vn_grads(loss, 1, &w, VN_OPTS(grad, .reserved = 1), &g) ? NULL : x, VN_E_UNSUPPORTED, error);
    CHECK_FAILS(vn_read_csv("none.csv", VN_F32, VN_OPTS(csv, .reserved2 = 1)), VN_E_UNSUPPORTED, error);
    CHECK_FAILS(vn_load("none", VN_OPTS(load, .reserved = 1)), VN_E_UNSUPPORTED, error);
    vn_module_opts module = {.size = sizeof module, .reserved = 1};
    CHECK_FAILS(vn_nn_linear(2, 2, VN_OPTS(nn_linear, .module = &module)), VN_E_UNSUPPORTED, error);
}

TEST(flags_and_texts)
{
    vn_array *x = vn_from((float[]){3, -1, 2}, VN_SHAPE(3));
    CHECK_FAILS(vn_sort(x, -1, VN_OPTS(sort, .descending = 2)), VN_E_ARG, "sort: descending is 2; it is a flag, 0 or 1");
    CHECK(first_of(vn_pad(x, VN_LIST(1), VN_LIST(0), VN_OPTS(pad, .mode = "Edge"))) == 3); /* in any case */
    CHECK_FAILS(vn_pad(x, VN_LIST(1), VN_LIST(0), VN_OPTS(pad, .mode = "relfect")), VN_E_ARG,
                "pad: mode is \"relfect\"; possible are constant, edge, reflect, symmetric, wrap; did you mean \"reflect\"?");
    CHECK_FAILS(vn_pad(x, VN_LIST(1), VN_LIST(0), VN_OPTS(pad, .mode = "")), VN_E_ARG, "pad: mode is \"\"; possible are");
}

static int sort_by_name(vn_array *x, const vn_option *options, int n, vn_array **z)
{
    return vn_call("sort", &x, 1, options, n, z, 1);
}

TEST(by_name)
{
    vn_array *x = vn_from((float[]){3, -1, 2}, VN_SHAPE(3)), *z;
    const vn_option down = {.name = "descending", .kind = VN_OPT_INT, .u.i = 1}, odd = {.name = "descending", .kind = VN_OPT_INT, .u.i = 3};
    CHECK(!sort_by_name(x, &down, 1, &z) && first_of(z) == 3);
    CHECK_FAILS(!sort_by_name(x, (vn_option[]){down, down}, 2, &z), VN_E_ARG, "sort: option descending is given twice");
    CHECK_FAILS(!sort_by_name(x, &odd, 1, &z), VN_E_ARG, "sort: descending is 3; it is a flag, 0 or 1");
    const vn_option slope = {.name = "slope", .kind = VN_OPT_INT, .u.i = 2}; /* an integer for a float */
    CHECK(!vn_call("leaky_relu", &x, 1, &slope, 1, &z, 1) && vn_item(vn_min(z, VN_ALL)) == -2);
    vn_array *both[] = {vn_zeros(VN_SHAPE(2, 2), VN_F32), vn_zeros(VN_SHAPE(2), VN_I64)};
    CHECK(!vn_call("sparse_cross_entropy", both, 2, NULL, 0, &z, 1) && fabs(vn_item(z) - log(2)) < 1e-6);
    const vn_option mode = {.name = "mode", .kind = VN_OPT_STRING, .u.s = "WRAP"};
    const int64_t one = 1, none = 0;
    const vn_option padding[] = {
        {.name = "before", .kind = VN_OPT_INTS, .n = 1, .u.is = &one}, {.name = "after", .kind = VN_OPT_INTS, .n = 1, .u.is = &none}, mode};
    CHECK(!vn_call("pad", &x, 1, padding, 3, &z, 1) && first_of(z) == 2);
}

/* Out-parameters are NULL after a failure, also where it is the options that are wrong; one that is not wanted may be NULL. */
TEST(results_after_failures)
{
    vn_array *x = vn_from((float[]){3, -1, 2}, VN_SHAPE(3)), *index = x, *out[2] = {x, x};
    CHECK_FAILS(vn_topk(x, 2, -1, VN_OPTS(topk, .smallest = 2), &index), VN_E_ARG, "flag");
    CHECK(index == NULL);
    const vn_option odd = {.name = "odd", .kind = VN_OPT_INT};
    CHECK_FAILS(vn_call("topk", &x, 1, &odd, 1, out, 2), VN_E_ARG, "unknown option \"odd\"; options: k, axis, smallest");
    CHECK(!out[0] && !out[1]);
    CHECK(first_of(vn_topk(x, 1, -1, NULL, NULL)) == 3);
    vn_array *v = vn_variable(vn_from((float[]){2, 1, 1, 3}, VN_SHAPE(2, 2)));
    CHECK(vn_grad(vn_sum(vn_qr(v, NULL, NULL), VN_ALL), v) != NULL);
    vn_topk_opts garbage = {.size = 100000};
    CHECK_FAILS(vn_topk(x, 1, -1, &garbage, &index), VN_E_ARG, "the options' size is 100000");
}

/* Float targets of cross_entropy are probabilities, never class numbers. */
TEST(float_targets)
{
    vn_array *x = vn_zeros(VN_SHAPE(3, 3), VN_F32), *t = vn_from((float[]){0, 1, 2}, VN_SHAPE(3));
    CHECK_FAILS(vn_cross_entropy(x, t, VN_NONE, -1, NULL), VN_E_SHAPE, "class numbers are integers");
}

/* What a binding finds out about an option. */
TEST(described)
{
    vn_op_info info;
    int found = 0;
    for (int k = 0; k < vn_op_count(); k++) {
        info.size = sizeof info;
        CHECK(!vn_op_at(k, &info));
        for (int j = 0; j < info.n_options; j++) {
            const vn_op_option *o = &info.options[j];
            CHECK(!o->fallback == !o->value);
            if (strcmp(info.name, "pad") != 0) continue;
            found++;
            if (!strcmp(o->name, "mode")) CHECK(!strcmp(o->value->u.s, "constant") && !strcmp(o->texts[2], "reflect") && o->doc);
            if (!strcmp(o->name, "value")) CHECK(o->value->kind == VN_OPT_FLOAT && o->value->u.f == 0 && !o->texts);
            if (!strcmp(o->name, "before")) CHECK(!o->value && !o->doc);
        }
    }
    CHECK(found == 4);
}

/* ---- an absent key is the thread's next one ---- */

static int drop(int n, vn_array *const *in, int n_out, vn_array **out, void *with_key)
{
    (void)n, (void)n_out;
    out[0] = vn_dropout(in[0], with_key ? in[1] : VN_NONE, .5, NULL);
    return out[0] ? VN_OK : (int)vn_status();
}

static int noisy(int n, vn_array *const *in, int n_out, vn_array **out, void *unused)
{
    (void)n, (void)n_out, (void)unused;
    out[0] = vn_add(in[0], vn_random_normal(0, 1, VN_SHAPE(100)));
    return out[0] ? VN_OK : (int)vn_status();
}

/* A tree that is filled by a key has one, captured or not. */
static int filled(int n, vn_array *const *in, int n_out, vn_array **out, void *unused)
{
    (void)n, (void)n_out, (void)unused;
    const vn_tree_spec w = {.path = "w", .shape = VN_SHAPE(100), .init = vn_init_normal(0, 1)};
    vn_tree *t = vn_tree_init(in[1], 1, &w, VN_F32);
    out[0] = vn_add(in[0], vn_tree_get(t, "w"));
    return out[0] ? VN_OK : (int)vn_status();
}

TEST(keys)
{
    vn_array *x = vn_ones(VN_SHAPE(100), VN_F32), *y, *in[] = {x, vn_random_key_of(3)};
    vn_seed(1);
    vn_array *a = vn_dropout(x, VN_NONE, .5, NULL), *b = vn_dropout(x, VN_NONE, .5, NULL);
    CHECK(vn_item(vn_sum(vn_not_equal(a, b), VN_ALL)) > 0);
    vn_seed(1);
    CHECK(vn_item(vn_sum(vn_not_equal(a, vn_dropout(x, vn_random_key(), .5, NULL)), VN_ALL)) == 0);
    vn_fn *f = vn_capture(drop, 1, NULL), *g = vn_capture(drop, 1, &in);
    CHECK_FAILS(!vn_fn_call_many(f, 1, in, 1, &y), VN_E_ARG, "no key is given while a function is captured");
    vn_fn_call_many(f, 1, in, 1, &y);
    CHECK(!strstr(vn_message(), "dropout: dropout"));
    vn_clear();
    vn_fn *h = vn_capture(noisy, 1, NULL), *k = vn_capture(filled, 1, NULL);
    CHECK_FAILS(!vn_fn_call_many(h, 1, in, 1, &y), VN_E_ARG, "random_key: no key is given while a function is captured");
    CHECK(!vn_fn_call_many(k, 2, in, 1, &a));
    vn_array *other[] = {x, vn_random_key_of(4)};
    CHECK(!vn_fn_call_many(k, 2, other, 1, &b) && vn_item(vn_sum(vn_not_equal(a, b), VN_ALL)) > 0);
    CHECK(!vn_fn_call_many(g, 2, in, 1, &y) && vn_item(vn_sum(vn_not_equal(y, vn_dropout(x, in[1], .5, NULL)), VN_ALL)) == 0);
}

/* Sizes of a pattern as numbers. */
TEST(patterns)
{
    vn_array *x = vn_arange(0, 24, 1, VN_F32);
    vn_array *y = vn_rearrange(x, "(a b c) -> c a b", VN_OPTS(rearrange, .names = "a b", .lengths = VN_LIST(2, 3)));
    CHECK(vn_rank(y) == 3 && vn_dim(y, 0) == 4 && vn_dim(y, 1) == 2 && vn_dim(y, 2) == 3);
    CHECK_FAILS(vn_rearrange(x, "(a b) -> b a", VN_OPTS(rearrange, .names = "a")), VN_E_ARG, "1 names and 0 lengths");
    CHECK_FAILS(vn_rearrange(x, "(a b) -> b a", VN_OPTS(rearrange, .names = "a b", .lengths = VN_LIST(2))), VN_E_ARG,
                "2 names and 1 lengths");
    CHECK_FAILS(vn_rearrange(x, "(a b) -> b a", VN_OPTS(rearrange, .names = "d", .lengths = VN_LIST(2))), VN_E_ARG,
                "no axis of the pattern");
    CHECK_FAILS(vn_rearrange(x, "(a b) -> b a", VN_OPTS(rearrange, .names = "a a", .lengths = VN_LIST(2, 2))), VN_E_ARG, "given twice");
    CHECK_FAILS(vn_rearrange(x, "(a b) -> b a", VN_OPTS(rearrange, .names = "a", .lengths = VN_LIST(-2))), VN_E_ARG, "is -2");
    CHECK_FAILS(vn_rearrange(x, "(a b) -> b a", VN_OPTS(rearrange, .names = "=", .lengths = VN_LIST(2))), VN_E_ARG, "no name of an axis");
}

TEST_MAIN
