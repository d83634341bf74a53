/* SPDX-License-Identifier: Apache-2.0 */
/* nn_sequence.c: attention and recurrent layers on every engine: values against functional ops, carried states, names of
 * variables, gradients, errors. */
#include "nn_layers.h"

/* ---- attention ---- */

static vn_array *projected(vn_module *m, const char *of, vn_array *x)
{
    char w[64], b[64];
    snprintf(w, sizeof w, "%s/w", of), snprintf(b, sizeof b, "%s/b", of);
    return vn_linear(x, vn_module_var(m, w), vn_module_var(m, b));
}

/* The same step by step: heads are slices of the last axis. */
static vn_array *by_hand(vn_module *m, vn_array *x, vn_array *context, vn_array *mask, int heads, double scale)
{
    vn_array *q = projected(m, "to_q", x), *k = projected(m, "to_kv/k", context), *v = projected(m, "to_kv/v", context);
    vn_array *parts[3][4], *out[4];
    const int64_t width = vn_dim(q, -1) / heads, sizes[] = {width, width, width, width};
    vn_split(q, heads, sizes, -1, parts[0]), vn_split(k, heads, sizes, -1, parts[1]), vn_split(v, heads, sizes, -1, parts[2]);
    for (int h = 0; h < heads; h++) {
        vn_array *s = vn_mul(vn_matmul(parts[0][h], vn_matrix_transpose(parts[1][h])), vn_scalar(scale));
        if (mask) s = vn_where(vn_not_equal(mask, vn_scalar(0)), s, vn_scalar(-1e30));
        out[h] = vn_matmul(vn_softmax(s, -1), parts[2][h]);
    }
    return projected(m, "to_out/submodules/v0", vn_concat(heads, out, -1));
}

static void attention_values(void)
{
    vn_module *m = vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 2, .head_dim = 4, .context_dim = 5));
    vn_array *x = waves(VN_SHAPE(2, 3, 6)), *context = waves(VN_SHAPE(2, 4, 5));
    vn_array *mask = vn_from((float[]){1, 0, 1, 1, 1, 1, 0, 2, 0, 0, 0, 1}, VN_SHAPE(3, 4));
    vn_tree *v = vn_module_v(m);
    CHECK(vn_tree_leaves(v) == 8 && has_shape(vn_tree_get(v, "to_q/w"), VN_SHAPE(8, 6)));
    CHECK(has_shape(vn_tree_get(v, "to_kv/v/w"), VN_SHAPE(8, 5)) && has_shape(vn_tree_get(v, "to_out/submodules/v0/w"), VN_SHAPE(6, 8)));
    vn_tree *y = vn_module_call_tree(m, vn_tree_of("x", x, "context", context, NULL), NULL);
    CHECK(alike(vn_tree_get(y, "y"), by_hand(m, x, context, NULL, 2, .5), 1e-5));
    y = vn_module_call_tree(m, vn_tree_of("x", x, "context", context, "mask", mask, NULL), NULL);
    CHECK(alike(vn_tree_get(y, "y"), by_hand(m, x, context, mask, 2, .5), 1e-5));
    vn_module *self = vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 3, .head_dim = 2, .scale = .7, .causal = 1));
    vn_array *lower = vn_tril(vn_ones(VN_SHAPE(3, 3), VN_F32), 0);
    CHECK(alike(vn_module_call(self, x, NULL), by_hand(self, x, x, lower, 3, .7), 1e-5));
    check_gradients(self, x);
}

/* Without projections: only the heads. */
static void attention_plain(void)
{
    vn_array *x = waves(VN_SHAPE(3, 4)), *context = waves(VN_SHAPE(2, 8));
    vn_module *m = vn_nn_multi_head_attention(
        4, VN_OPTS(nn_multi_head_attention, .heads = 2, .context_dim = 8, .no_to_q = 1, .no_to_kv = 1, .no_to_out = 1));
    vn_tree *y = vn_module_call_tree(m, vn_tree_of("x", x, "context", context, NULL), NULL);
    CHECK(alike(vn_tree_get(y, "y"), vn_multi_head_attention(x, context, VN_NONE, 2, VN_OPTS(multi_head_attention, .scale = 1 / sqrt(2))),
                1e-6));
    CHECK(vn_tree_leaves(vn_module_v(m)) == 0);
    vn_module *drops =
        vn_nn_multi_head_attention(4, VN_OPTS(nn_multi_head_attention, .heads = 1, .head_dim = 2, .dropout = 1, .no_bias = 1));
    CHECK(vn_module_cast(drops, VN_F64) == drops);
    vn_array *wide = vn_cast(x, VN_F64);
    CHECK(vn_tree_leaves(vn_module_v(drops)) == 4 && vn_dtype_of(vn_module_var(drops, "to_kv/k/w")) == VN_F64);
    CHECK(vn_item(vn_max(vn_abs(vn_module_call(drops, wide, NULL)), VN_ALL)) == 0);
    vn_module_train(drops, 0);
    CHECK(vn_item(vn_max(vn_abs(vn_module_call(drops, wide, NULL)), VN_ALL)) > 0);
    vn_module *late = vn_nn_multi_head_attention(
        4, VN_OPTS(nn_multi_head_attention, .heads = 1, .head_dim = 2, .module = VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL)));
    CHECK(vn_dtype_of(vn_module_call(late, wide, NULL)) == VN_F64 && vn_dtype_of(vn_module_var(late, "to_q/w")) == VN_F64);
}

static void attention_errors(void)
{
    CHECK_FAILS(vn_nn_multi_head_attention(0, NULL), VN_E_ARG, "nn_multi_head_attention: query_dim is 0, heads 8, head_dim 64");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = -2)), VN_E_ARG, "heads -2, head_dim 64");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 1L << 40, .head_dim = 1L << 40)), VN_E_ARG,
                "heads times head_dim must fit");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 4, .no_to_q = 1)), VN_E_ARG,
                "query_dim 6 is not 4 heads of 1");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 2, .head_dim = 3, .no_to_kv = 1)), VN_E_ARG,
                "context_dim 6 is not twice 2 heads of 3");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .dropout = -.1)), VN_E_ARG,
                "dropout is -0.1; a number in [0, 1] is needed");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .scale = NAN)), VN_E_ARG, "scale is nan");
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .dropout = .5, .no_to_out = 1)), VN_E_ARG, "to_out");
    vn_module *m = vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 2, .head_dim = 2));
    vn_array *x = waves(VN_SHAPE(3, 6));
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(3, 5)), NULL), VN_E_SHAPE, "x has shape 3x5; two axes or more, the last of 6");
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(6)), NULL), VN_E_SHAPE, "x has shape 6");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "context", waves(VN_SHAPE(3, 5)), NULL), NULL), VN_E_SHAPE,
                "context has shape 3x5");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "mask", waves(VN_SHAPE(2, 2)), NULL), NULL), VN_E_SHAPE, "2x2");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "maks", x, NULL), NULL), VN_E_STRUCT, "arrays named x, context, mask");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("context", x, NULL), NULL), VN_E_STRUCT, "x is missing");
}

/* ---- recurrent layers ---- */

static vn_array *zeros(int64_t rows, int64_t size)
{
    return vn_zeros(VN_SHAPE(rows, size), VN_F32);
}

static void lstm(void)
{
    vn_array *x = waves(VN_SHAPE(2, 5, 3)), *h[2], *c[2];
    vn_module *m = vn_nn_lstm(3, 4, VN_OPTS(nn_recurrent, .layers = 2));
    vn_tree *v = vn_module_v(m);
    CHECK(vn_tree_leaves(v) == 4 && has_shape(vn_tree_get(v, "input/layer_0/w"), VN_SHAPE(3, 16)));
    CHECK(has_shape(vn_tree_get(v, "input/layer_1/w"), VN_SHAPE(4, 16)) &&
          has_shape(vn_tree_get(v, "recurrent/layer_1/w"), VN_SHAPE(4, 16)));
    vn_array *y = vn_lstm_update(x, zeros(2, 4), zeros(2, 4), vn_tree_get(v, "input/layer_0/w"), vn_tree_get(v, "recurrent/layer_0/w"),
                                 VN_NONE, VN_NONE, NULL, &h[0], &c[0]);
    y = vn_lstm_update(y, zeros(2, 4), zeros(2, 4), vn_tree_get(v, "input/layer_1/w"), vn_tree_get(v, "recurrent/layer_1/w"), VN_NONE,
                       VN_NONE, NULL, &h[1], &c[1]);
    vn_tree *all = vn_module_call_tree(m, vn_tree_of("x", x, NULL), NULL);
    CHECK(alike(vn_module_call(m, x, NULL), y, 1e-6) && alike(vn_tree_get(all, "y"), y, 1e-6));
    CHECK(alike(vn_tree_get(all, "h"), vn_stack(2, h, 0), 1e-6) && alike(vn_tree_get(all, "c"), vn_stack(2, c, 0), 1e-6));
    check_gradients(m, x);
    vn_array *halves[2];
    vn_split(x, 2, (int64_t[]){2, 3}, 1, halves); /* the later part continues from the states */
    vn_tree *early = vn_module_call_tree(m, vn_tree_of("x", halves[0], NULL), NULL);
    vn_tree *late =
        vn_module_call_tree(m, vn_tree_of("x", halves[1], "h", vn_tree_get(early, "h"), "c", vn_tree_get(early, "c"), NULL), NULL);
    CHECK(alike(vn_tree_get(late, "c"), vn_tree_get(all, "c"), 1e-6));
    CHECK(alike(vn_concat(2, (vn_array *[]){vn_tree_get(early, "y"), vn_tree_get(late, "y")}, 1), y, 1e-6));
}

static void gru(void)
{
    vn_array *x = waves(VN_SHAPE(2, 5, 3)), *h;
    vn_module *m = vn_nn_gru(3, 4, VN_OPTS(nn_recurrent, .with_bias = 1, .b_init = vn_init_normal(0, 1)));
    vn_tree *v = vn_module_v(m);
    CHECK(vn_tree_leaves(v) == 4 && has_shape(vn_tree_get(v, "recurrent/layer_0/b"), VN_SHAPE(12)));
    vn_array *y = vn_gru_update(x, zeros(2, 4), vn_tree_get(v, "input/layer_0/w"), vn_tree_get(v, "recurrent/layer_0/w"),
                                vn_tree_get(v, "input/layer_0/b"), vn_tree_get(v, "recurrent/layer_0/b"), NULL, &h);
    vn_tree *all = vn_module_call_tree(m, vn_tree_of("x", x, NULL), NULL);
    CHECK(vn_tree_leaves(all) == 2 && alike(vn_tree_get(all, "y"), y, 1e-6));
    CHECK(alike(vn_tree_get(all, "h"), vn_expand_dims(h, 0), 1e-6));
    check_gradients(m, x);
    vn_module *last =
        vn_nn_gru(3, 4, VN_OPTS(nn_recurrent, .with_bias = 1, .last_only = 1, .no_state = 1, .module = VN_OPTS(module, .v = v)));
    vn_tree *only = vn_module_call_tree(last, vn_tree_of("x", x, NULL), NULL);
    CHECK(vn_tree_leaves(only) == 1 && alike(vn_tree_get(only, "y"), h, 1e-6) && alike(vn_module_call(last, x, NULL), h, 1e-6));
}

static void recurrent_errors(void)
{
    CHECK_FAILS(vn_nn_lstm(0, 4, NULL), VN_E_ARG, "nn_lstm: in is 0, out 4; both must be 1 or more");
    CHECK_FAILS(vn_nn_lstm(1, INT64_MAX / 2, NULL), VN_E_ARG,
                "nn_lstm: in is 1, out 4611686018427387903; both must be 1 or more, and out at most 2305843009213693951");
    CHECK_FAILS(vn_nn_gru(3, 4, VN_OPTS(nn_recurrent, .layers = -1)), VN_E_ARG, "nn_gru: -1 layers; 1 to 256");
    CHECK_FAILS(vn_nn_gru(3, 4, VN_OPTS(nn_recurrent, .layers = 257)), VN_E_ARG, "257 layers");
    vn_module *m = vn_nn_lstm(3, 4, NULL), *g = vn_nn_gru(3, 4, NULL);
    vn_array *x = waves(VN_SHAPE(2, 5, 3));
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(5, 4)), NULL), VN_E_SHAPE, "x has shape 5x4; 2 axes or more with 3 channels");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "h", zeros(2, 4), NULL), NULL), VN_E_SHAPE,
                "h has shape 2x4; 1 layers of 2x4 are needed for x 2x5x3");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "c", vn_ones(VN_SHAPE(1, 2, 3), VN_F32), NULL), NULL), VN_E_SHAPE,
                "c has shape 1x2x3");
    CHECK_FAILS(vn_module_call_tree(g, vn_tree_of("x", x, "c", x, NULL), NULL), VN_E_STRUCT, "arrays named x, h");
}

/* ---- against PyTorch ---- */

#include "sequence.inc"

static vn_array *wave(int number, vn_shape shape)
{
    double x[64];
    int64_t n = 1;
    for (int k = 0; k < shape.rank; k++) n *= shape.dim[k];
    for (int64_t k = 0; k < n; k++) x[k] = sin(1 + .7 * (double)k + .9 * number) * .8;
    return vn_from_host(x, VN_F64, shape);
}

/* Two layers in both directions: y and the last h. */
static void check_both_ways(vn_module *(*make)(int64_t, int64_t, const vn_nn_recurrent_opts *), const double *want)
{
    vn_module *m = make(3, 2, VN_OPTS(nn_recurrent, .layers = 2, .with_bias = 1, .bidirectional = 1, .dropout = .5));
    CHECK(vn_module_cast(m, VN_F64) == m);
    static const char *const parts[] = {"input", "recurrent"}, *const ways[] = {"layer", "reverse"};
    vn_tree *v = vn_module_v(m);
    for (int k = 0, number = 0; k < 8; k++) { /* layer, way, part */
        char name[64];
        snprintf(name, sizeof name, "%s/%s_%d/w", parts[k % 2], ways[k / 2 % 2], k / 4);
        vn_into(vn_tree_get(v, name), wave(number++, vn_shape_of(vn_tree_get(v, name))));
        name[strlen(name) - 1] = 'b';
        vn_into(vn_tree_get(v, name), wave(number++, vn_shape_of(vn_tree_get(v, name))));
    }
    vn_module_train(m, 0);
    vn_array *x = wave(50, VN_SHAPE(2, 4, 3));
    vn_tree *to = vn_module_call_tree(m, vn_tree_of("x", x, NULL), NULL);
    vn_array *y = vn_tree_get(to, "y"), *h = vn_tree_get(to, "h");
    double got[2 * 4 * 4 + 4 * 2 * 2];
    CHECK(!vn_read(y, got, 32 * sizeof *got) && !vn_read(h, got + 32, 16 * sizeof *got));
    trial_near_list(nn_trial, CHECK_VALUE, "y, then h", got, want, 48, 1e-12, NULL);
    check_gradients(m, x);
}
static void lstm_both_ways_test(void)
{
    check_both_ways(vn_nn_lstm, lstm_both_ways);
}
static void gru_both_ways_test(void)
{
    check_both_ways(vn_nn_gru, gru_both_ways);
}
static void rnn_both_ways_test(void)
{
    check_both_ways(vn_nn_rnn, rnn_both_ways);
}

/* Reversed, it gives what the reversed sequence gives; dropout acts between layers, while training. */
static void directions(void)
{
    vn_seed(3);
    vn_module *m = vn_nn_rnn(3, 2, NULL), *back = vn_nn_rnn(3, 2, VN_OPTS(nn_recurrent, .reverse = 1));
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(2, 4, 3));
    vn_array *y = vn_module_call(back, x, VN_OPTS(module_call, .v = vn_module_v(m))),
             *z = vn_flip(vn_module_call(m, vn_flip(x, VN_AXES(1)), NULL), VN_AXES(1));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(y, z)), VN_ALL)) == 0);
    vn_module *deep = vn_nn_gru(3, 2, VN_OPTS(nn_recurrent, .layers = 2, .dropout = .5));
    vn_array *first = vn_module_call(deep, x, NULL), *again = vn_module_call(deep, x, NULL);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(first, again)), VN_ALL)) > 0);
    vn_module_train(deep, 0);
    first = vn_module_call(deep, x, NULL), again = vn_module_call(deep, x, NULL);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(first, again)), VN_ALL)) == 0);
    vn_array *last = vn_module_call(vn_nn_lstm(3, 2, VN_OPTS(nn_recurrent, .bidirectional = 1, .last_only = 1)), x, NULL);
    CHECK(vn_rank(last) == 2 && vn_dim(last, 1) == 4);
    CHECK_FAILS(vn_nn_rnn(3, 2, VN_OPTS(nn_recurrent, .dropout = 2)), VN_E_ARG, "dropout is 2");
}

static const conformance_test rows[] = {
    NN("nn/layers", "attention", attention_values, "attention with several heads against the function"),
    NN("nn/layers", "attention_plain", attention_plain, "attention without projections"),
    NN("nn/layers", "attention_errors", attention_errors, "what attention refuses, by name"),
    NN("nn/layers", "lstm_both_ways", lstm_both_ways_test, "two layers of an LSTM in both directions, against PyTorch"),
    NN("nn/layers", "gru_both_ways", gru_both_ways_test, "two layers of a GRU in both directions, against PyTorch"),
    NN("nn/layers", "rnn_both_ways", rnn_both_ways_test, "two layers of a simple recurrent network in both directions, against PyTorch"),
    NN("nn/layers", "recurrent_directions", directions, "reversed sequences, and dropout between layers"),
    NN("nn/layers", "lstm", lstm, "an LSTM layer against the function, states that go on, and gradients"),
    NN("nn/layers", "gru", gru, "a GRU layer against the function, states that go on, and gradients"),
    NN("nn/layers", "recurrent_errors", recurrent_errors, "what recurrent layers refuse, by name"),
};

const nn_part nn_sequence = NN_PART(rows);
