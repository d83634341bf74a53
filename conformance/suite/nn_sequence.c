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
/* The same with sequences of 4 and 2 steps: y, h and c. */
static vn_module *filled(vn_module *m)
{
    vn_tree *v = vn_module_v(m);
    for (int k = 0; k < vn_tree_leaves(v); k++) {
        char name[64]; /* input/layer_0/b: layer, way, part, variable */
        snprintf(name, sizeof name, "%s", vn_tree_leaf_key(v, k));
        const char *layer = strrchr(name, '_'), *end = strrchr(name, '/');
        const int number = 8 * (layer[1] - '0') + 4 * (strstr(name, "reverse") != NULL) + 2 * (name[0] == 'r') + (end[1] == 'b');
        vn_into(vn_tree_leaf(v, k), wave(number, vn_shape_of(vn_tree_leaf(v, k))));
    }
    return m;
}

static void check_lengths(vn_module *(*make)(int64_t, int64_t, const vn_nn_recurrent_opts *), const double *want, int states)
{
    vn_module *m = make(3, 2, VN_OPTS(nn_recurrent, .layers = 2, .with_bias = 1, .bidirectional = 1));
    CHECK(filled(vn_module_cast(m, VN_F64)));
    static const char *const names[] = {"h", "c"};
    vn_array *x = wave(50, VN_SHAPE(2, 4, 3)), *ends = vn_from_host((int32_t[]){4, 2}, VN_I32, VN_SHAPE(2));
    vn_array *beyond = vn_where(vn_expand_dims(vn_padding_mask(ends, 4), -1), x, vn_scalar(NAN)); /* which is not looked at */
    vn_tree *to = vn_module_call_tree(m, vn_tree_of("x", beyond, "lengths", ends, NULL), NULL);
    double got[32 + 2 * 16];
    CHECK(!vn_read(vn_tree_get(to, "y"), got, 32 * sizeof *got));
    for (int k = 0; k < states; k++) CHECK(!vn_read(vn_tree_get(to, names[k]), got + 32 + 16 * k, 16 * sizeof *got));
    trial_near_list(nn_trial, CHECK_VALUE, "y, then states", got, want, 32 + 16 * states, 1e-12, NULL);
}

static void lengths_lstm(void)
{
    check_lengths(vn_nn_lstm, lstm_lengths, 2);
}

/* No steps at all: y is 0, states stay; what is refused. */
static void lengths_gru_rnn(void)
{
    check_lengths(vn_nn_gru, gru_lengths, 1);
    check_lengths(vn_nn_rnn, rnn_lengths, 1);
    vn_module *m = vn_nn_lstm(3, 2, VN_OPTS(nn_recurrent, .last_only = 1));
    vn_array *x = waves(VN_SHAPE(2, 4, 3)), *h = waves(VN_SHAPE(1, 2, 2)), *ends = vn_from_host((int64_t[]){0, 9}, VN_I64, VN_SHAPE(2));
    vn_tree *to = vn_module_call_tree(m, vn_tree_of("x", x, "lengths", ends, "h", h, "c", h, NULL), NULL);
    vn_tree *all = vn_module_call_tree(m, vn_tree_of("x", x, "h", h, "c", h, NULL), NULL);
    CHECK(alike(vn_rows(vn_tree_get(to, "y"), 0, 1), vn_rows(vn_squeeze(h, VN_AXES(0)), 0, 1), 0));
    CHECK(alike(vn_rows(vn_tree_get(to, "y"), 1, 1), vn_rows(vn_tree_get(all, "y"), 1, 1), 1e-6));
    CHECK(alike(vn_rows(vn_squeeze(vn_tree_get(to, "c"), VN_AXES(0)), 0, 1), vn_rows(vn_squeeze(h, VN_AXES(0)), 0, 1), 1e-6));
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "lengths", vn_ones(VN_SHAPE(3), VN_I32), NULL), NULL), VN_E_SHAPE,
                "lengths have shape 3");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "lengths", vn_ones(VN_SHAPE(2), VN_F32), NULL), NULL), VN_E_DTYPE,
                "lengths are float32");
}

/* ---- cells, and networks over them ---- */

static void check_cell(vn_module *(*make)(int64_t, int64_t, const vn_nn_recurrent_opts *),
                       vn_module *(*make_cell)(int64_t, int64_t, const vn_nn_cell_opts *), int reverse)
{
    vn_module *m = make(3, 2, VN_OPTS(nn_recurrent, .with_bias = 1, .b_init = vn_init_normal(0, 1), .reverse = reverse));
    vn_module *cell = make_cell(3, 2, VN_OPTS(nn_cell, .with_bias = 1, .module = VN_OPTS(module, .v = vn_module_v(m))));
    vn_array *x = waves(VN_SHAPE(2, 3, 3)), *ends = vn_from_host((int32_t[]){2, 1}, VN_I32, VN_SHAPE(2));
    vn_tree *in = vn_tree_of("x", x, "lengths", ends, NULL), *want = vn_module_call_tree(m, in, NULL);
    vn_tree *got = vn_module_steps(cell, in, VN_OPTS(module_steps, .reverse = reverse));
    CHECK(alike(vn_tree_get(got, "y"), vn_tree_get(want, "y"), 1e-6));
    CHECK(alike(vn_tree_get(got, "h"), vn_squeeze(vn_tree_get(want, "h"), VN_AXES(0)), 1e-6));
    if (vn_tree_has(want, "c")) CHECK(alike(vn_tree_get(got, "c"), vn_squeeze(vn_tree_get(want, "c"), VN_AXES(0)), 1e-6));
    vn_module *layer = vn_nn_recurrence(cell, VN_OPTS(module_steps, .reverse = reverse, .last_only = 1));
    CHECK(alike(vn_tree_get(vn_module_call_tree(layer, in, NULL), "y"), vn_tree_get(got, "h"), 1e-6));
    if (reverse) check_gradients(layer, x); /* once: an engine that compiles takes long */
}

/* A cell of one's own: a sum that fades, its only state without a name of ours. */
static vn_tree *fading(vn_module *m, const vn_tree *args)
{
    (void)m;
    vn_array *x = vn_tree_get(args, "x"), *sum = vn_tree_has(args, "sum") ? vn_tree_get(args, "sum") : vn_zeros_like(x);
    sum = vn_add(vn_mul(sum, vn_scalar(.5)), x);
    return vn_tree_of("y", vn_neg(sum), "sum", sum, NULL);
}
static vn_tree *nameless(vn_module *m, const vn_tree *args)
{
    (void)m;
    return vn_tree_of("z", vn_tree_get(args, "x"), NULL);
}

static void cells(void)
{
    vn_seed(5);
    check_cell(vn_nn_lstm, vn_nn_lstm_cell, 0);
    check_cell(vn_nn_gru, vn_nn_gru_cell, 1);
    check_cell(vn_nn_rnn, vn_nn_rnn_cell, 0);
    vn_tree *one = vn_module_call_tree(vn_nn_lstm_cell(3, 2, NULL), vn_tree_of("x", waves(VN_SHAPE(2, 3)), NULL), NULL);
    CHECK(vn_tree_leaves(one) == 3 && has_shape(vn_tree_get(one, "c"), VN_SHAPE(2, 2)));
    CHECK_FAILS(vn_nn_gru_cell(0, 2, NULL), VN_E_ARG, "nn_gru_cell: in is 0, out 2");
    CHECK_FAILS(vn_module_call(vn_nn_rnn_cell(3, 2, NULL), waves(VN_SHAPE(2, 4)), NULL), VN_E_SHAPE, "with 3 channels");
}

static void over_cells(void)
{
    static const vn_module_class fades = {.name = "Fades", .forward_tree = fading}, bad = {.name = "Bad", .forward_tree = nameless};
    vn_module *m = vn_nn_recurrence(vn_module_new(&fades, NULL, NULL), NULL);
    vn_array *x = vn_from((float[]){1, 2, 4, 1, 2, 4}, VN_SHAPE(2, 3)), *ends = vn_from_host((int64_t[]){3, 2}, VN_I64, VN_SHAPE(2));
    vn_tree *to = vn_module_call_tree(m, vn_tree_of("x", x, "lengths", ends, "sum", vn_from((float[]){8, 0}, VN_SHAPE(2)), NULL), NULL);
    CHECK(alike(vn_tree_get(to, "y"), vn_from((float[]){-5, -4.5, -6.25, -1, -2.5, 0}, VN_SHAPE(2, 3)), 0));
    CHECK(alike(vn_tree_get(to, "sum"), vn_from((float[]){6.25, 2.5}, VN_SHAPE(2)), 0));
    vn_module *each = vn_nn_recurrence(vn_nn_linear(3, 2, NULL), NULL); /* a layer without states, for every step */
    vn_array *images = waves(VN_SHAPE(2, 4, 3));
    CHECK(alike(vn_module_call(each, images, NULL), vn_module_call(vn_module_child(each, "cell"), images, NULL), 1e-6));
    CHECK_FAILS(vn_nn_recurrence(NULL, NULL), VN_E_NULL, "cell");
    CHECK_FAILS(vn_module_call(m, vn_ones(VN_SHAPE(2, 0), VN_F32), NULL), VN_E_SHAPE, "(batch, steps, ...) with a step or more");
    CHECK_FAILS(vn_module_call(vn_nn_recurrence(vn_module_new(&bad, NULL, NULL), NULL), x, NULL), VN_E_STRUCT, "the cell gives no array y");
}

#include "conv_lstm.inc"

static void check_conv_lstm(vn_module *m, vn_shape shape, const double *want, int n_y, int n_state)
{
    static const char *const names[] = {"input/w", "recurrent/w", "input/b"};
    CHECK(vn_module_cast(m, VN_F64) == m);
    for (int k = 0; k < 3; k++) vn_into(vn_module_var(m, names[k]), wave(k, vn_shape_of(vn_module_var(m, names[k]))));
    vn_tree *to = vn_module_call_tree(m, vn_tree_of("x", wave(50, shape), NULL), NULL);
    double got[128];
    CHECK(!vn_read(vn_tree_get(to, "y"), got, (size_t)n_y * sizeof *got));
    CHECK(!vn_read(vn_tree_get(to, "h"), got + n_y, (size_t)n_state * sizeof *got));
    CHECK(!vn_read(vn_tree_get(to, "c"), got + n_y + n_state, (size_t)n_state * sizeof *got));
    trial_near_list(nn_trial, CHECK_VALUE, "y, h, c", got, want, n_y + 2 * n_state, 1e-7, NULL); /* Keras rounds to float32 somewhere */
}

static void conv_lstm(void)
{
    vn_module *m = vn_nn_conv_lstm1d(2, 2, VN_SHAPE(3), NULL);
    check_conv_lstm(m, VN_SHAPE(2, 3, 4, 2), conv_lstm1d, 2 * 3 * 2 * 2, 2 * 2 * 2);
    check_conv_lstm(vn_nn_conv_lstm2d(2, 2, VN_SHAPE(2), VN_OPTS(nn_conv_lstm, .strides = {2}, .padding = "SAME")), VN_SHAPE(1, 2, 4, 3, 2),
                    conv_lstm2d, 2 * 2 * 2 * 2, 2 * 2 * 2);
    check_conv_lstm(vn_nn_conv_lstm3d(2, 2, VN_SHAPE(2, 1, 2), NULL), VN_SHAPE(1, 2, 2, 2, 3, 2), conv_lstm3d, 2 * 1 * 2 * 2 * 2,
                    1 * 2 * 2 * 2);
    vn_array *x = waves(VN_SHAPE(2, 3, 4, 2)), *ends = vn_from_host((int32_t[]){3, 1}, VN_I32, VN_SHAPE(2));
    vn_module *last = vn_nn_conv_lstm1d(2, 3, VN_SHAPE(3), VN_OPTS(nn_conv_lstm, .last_only = 1, .no_bias = 1, .reverse = 1));
    vn_tree *to = vn_module_call_tree(last, vn_tree_of("x", x, "lengths", ends, NULL), NULL);
    vn_array *one = vn_module_call(last, vn_slice_at(x, VN_SHAPE(1, 0, 0, 0), VN_SHAPE(1, 1, 4, 2)), NULL);
    CHECK(alike(vn_tree_get(to, "y"), vn_tree_get(to, "h"), 0) && alike(vn_rows(vn_tree_get(to, "y"), 1, 1), one, 1e-6));
    check_gradients(last, x);
    CHECK_FAILS(vn_nn_conv_lstm2d(0, 2, VN_SHAPE(3), NULL), VN_E_ARG, "nn_conv_lstm2d: in is 0");
    CHECK_FAILS(vn_nn_conv_lstm2d(2, 2, VN_SHAPE(3, 3, 3), NULL), VN_E_ARG, "kernel is 3x3x3");
    CHECK_FAILS(vn_nn_conv_lstm1d(1L << 40, 1L << 40, VN_SHAPE(3), NULL), VN_E_SHAPE, "the filter is too large");
    CHECK_FAILS(vn_module_call(last, waves(VN_SHAPE(2, 4, 2)), NULL), VN_E_SHAPE, "4 axes with 2 channels");
    CHECK_FAILS(vn_module_call_tree(last, vn_tree_of("x", x, "h", waves(VN_SHAPE(2, 3)), NULL), NULL), VN_E_SHAPE, "h has shape 2x3");
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
    NN("nn/layers", "lstm_lengths", lengths_lstm, "an LSTM over sequences of different lengths, in both directions, against PyTorch"),
    NN("nn/layers", "recurrent_lengths", lengths_gru_rnn, "GRU and RNN over sequences of different lengths, and sequences without steps"),
    NN("nn/layers", "cells", cells, "cells step by step give what the layers give"),
    NN("nn/layers", "over_cells", over_cells, "networks over cells of one's own, with their states and lengths"),
    NN("nn/layers", "conv_lstm", conv_lstm, "ConvLSTM with 1 to 3 spatial axes, against Keras"),
    NN("nn/layers", "recurrent_errors", recurrent_errors, "what recurrent layers refuse, by name"),
};

const nn_part nn_sequence = NN_PART(rows);
