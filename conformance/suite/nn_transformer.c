/* SPDX-License-Identifier: Apache-2.0 */
/* nn_transformer.c: layers of transformers on every engine: values and gradients against PyTorch, grouped heads and additive attention against
 * their definitions, errors. */
#include "nn_layers.h"
#include "transformer.inc"

/* Numbers of variables come from their names. */
static vn_module *filled(vn_module *m)
{
    vn_tree *v = m && vn_module_cast(m, VN_F64) ? vn_module_v(m) : NULL;
    for (int k = 0; v && k < vn_tree_leaves(v); k++) {
        int number = 0;
        for (const char *c = vn_tree_leaf_key(v, k); *c; c++) number += *c;
        vn_into(vn_tree_leaf(v, k), wave(number % 50, vn_shape_of(vn_tree_leaf(v, k))));
    }
    return m;
}

static vn_array *sum_of_squares(vn_module *m, void *args)
{
    vn_tree *out = vn_module_call_tree(m, args, NULL);
    return out ? vn_sum(vn_square(vn_tree_get(out, "y")), VN_ALL) : NULL;
}

/* y, and the sum of the squares of all gradients of the sum of its squares. */
static void check_against(vn_module *m, vn_tree *args, const double *want)
{
    enum { N = 2 * 4 * 4 };
    double got[N + 1] = {0};
    vn_tree *grads = NULL, *out = vn_module_call_tree(filled(m), args, NULL);
    CHECK(out && !vn_read(vn_tree_get(out, "y"), got, N * sizeof *got));
    CHECK(vn_module_value_and_grad(m, sum_of_squares, args, &grads));
    for (int k = 0; grads && k < vn_tree_leaves(grads); k++) got[N] += vn_item(vn_sum(vn_square(vn_tree_leaf(grads, k)), VN_ALL));
    trial_near_list(nn_trial, CHECK_VALUE, "y, then the square of the gradients' length", got, want, N + 1, 1e-10, NULL);
}

static void encoder_layers(void)
{
    vn_array *x = wave(50, VN_SHAPE(2, 4, 4));
    vn_array *mask = vn_from((float[]){1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, VN_SHAPE(4, 4));
    check_against(vn_nn_transformer_encoder_layer(4, 2, VN_OPTS(nn_transformer, .hidden = 6)), vn_tree_of("x", x, "mask", mask, NULL),
                  encoder_layer);
    check_against(vn_nn_transformer_encoder_layer(4, 2, VN_OPTS(nn_transformer, .hidden = 6, .norm_first = 1, .activation = "gelu")),
                  vn_tree_of("x", x, NULL), encoder_layer_norm_first);
}

static void decoder_layers(void)
{
    vn_tree *args = vn_tree_of("x", wave(50, VN_SHAPE(2, 4, 4)), "context", wave(51, VN_SHAPE(2, 5, 4)), NULL);
    check_against(vn_nn_transformer_decoder_layer(4, 2, VN_OPTS(nn_transformer, .hidden = 6, .causal = 1)), args, decoder_layer);
    vn_module *two = vn_nn_transformer_decoder(4, 2, 2, VN_OPTS(nn_transformer, .hidden = 3, .no_final_norm = 1));
    vn_tree *first = vn_module_call_tree(vn_module_child(filled(two), "layers/v0"), args, NULL);
    vn_tree *second = vn_module_call_tree(vn_module_child(two, "layers/v1"),
                                          vn_tree_of("x", vn_tree_get(first, "y"), "context", vn_tree_get(args, "context"), NULL), NULL);
    CHECK(alike(vn_tree_get(vn_module_call_tree(two, args, NULL), "y"), vn_tree_get(second, "y"), 1e-12));
    vn_array *x = vn_tree_get(args, "x"), *alone = vn_module_call(two, x, NULL); /* x is the context */
    CHECK(alike(alone, vn_tree_get(vn_module_call_tree(two, vn_tree_of("x", x, "context", x, NULL), NULL), "y"), 1e-12));
}

static void whole(void)
{
    vn_tree *args = vn_tree_of("x", wave(51, VN_SHAPE(2, 5, 4)), "target", wave(50, VN_SHAPE(2, 4, 4)), NULL);
    check_against(vn_nn_transformer(4, 2, 2, 1, VN_OPTS(nn_transformer, .hidden = 6, .causal = 1)), args, whole_transformer);
    vn_module *m =
        vn_nn_transformer_encoder(4, 2, 2, VN_OPTS(nn_transformer, .dropout = .5, .kv_heads = 1, .activation = "swiglu", .no_bias = 1));
    vn_array *x = waves(VN_SHAPE(2, 3, 4));
    CHECK(!alike(vn_module_call(m, x, NULL), vn_module_call(m, x, NULL), 1e-3)); /* dropout, while training only */
    vn_module_train(m, 0);
    CHECK(alike(vn_module_call(m, x, NULL), vn_module_call(m, x, NULL), 0));
    check_gradients(m, x);
}

static void transformer_errors(void)
{
    CHECK_FAILS(vn_nn_transformer_encoder_layer(6, 4, NULL), VN_E_ARG,
                "nn_transformer_encoder_layer: size is 6, heads 4; size must be a multiple");
    CHECK_FAILS(vn_nn_transformer_decoder(4, 2, 0, NULL), VN_E_ARG, "nn_transformer_decoder: 0 layers; 1 to 256");
    CHECK_FAILS(vn_nn_transformer(4, 2, 1, 257, NULL), VN_E_ARG, "257 layers");
    CHECK_FAILS(vn_nn_transformer_encoder(4, 4, 1, VN_OPTS(nn_transformer, .kv_heads = 3)), VN_E_ARG, "4 heads cannot share 3");
    CHECK_FAILS(vn_nn_transformer_encoder(4, 4, 1, VN_OPTS(nn_transformer, .activation = "rellu")), VN_E_ARG, "rellu");
    vn_module *m = vn_nn_transformer_encoder_layer(4, 2, NULL);
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(3, 5)), NULL), VN_E_SHAPE, "x has shape 3x5");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", waves(VN_SHAPE(3, 4)), "maks", waves(VN_SHAPE(3, 3)), NULL), NULL), VN_E_STRUCT,
                "x, mask");
}

static void feed_forwards(void)
{
    vn_array *x = waves(VN_SHAPE(2, 3, 4));
    vn_module *m = vn_nn_feed_forward(4, 5, VN_OPTS(nn_feed_forward, .activation = "swiglu", .no_bias = 1));
    vn_array *up = vn_linear(x, vn_module_var(m, "up/w"), VN_NONE), *gate = vn_linear(x, vn_module_var(m, "gate/w"), VN_NONE);
    CHECK(alike(vn_module_call(m, x, NULL), vn_linear(vn_mul(vn_mul(gate, vn_sigmoid(gate)), up), vn_module_var(m, "down/w"), VN_NONE),
                1e-5));
    check_gradients(m, x);
    vn_module *s = vn_nn_swiglu(4, 3, VN_OPTS(nn_swiglu, .with_bias = 1));
    vn_array *inner = vn_linear(x, vn_module_var(s, "inner/w"), vn_module_var(s, "inner/b"));
    vn_array *outer = vn_linear(x, vn_module_var(s, "outer/w"), vn_module_var(s, "outer/b"));
    CHECK(alike(vn_module_call(s, x, NULL), vn_mul(vn_mul(inner, vn_sigmoid(inner)), outer), 1e-5));
    check_gradients(s, x);
    vn_module *p = vn_nn_positional_encoding(4, VN_OPTS(nn_positional_encoding, .offset = 1)); /* sin t, cos t, sin t / 100, cos t / 100 */
    vn_array *at =
        vn_from((float[]){.84147098F, .54030231F, .00999983F, .99995F, .90929743F, -.41614684F, .01999867F, .9998F}, VN_SHAPE(2, 4));
    CHECK(alike(vn_module_call(p, vn_zeros(VN_SHAPE(1, 2, 4), VN_F32), NULL), vn_expand_dims(at, 0), 1e-6));
    CHECK_FAILS(vn_nn_positional_encoding(3, NULL), VN_E_ARG, "size is 3; an even number");
    CHECK_FAILS(vn_nn_swiglu(0, 3, NULL), VN_E_ARG, "nn_swiglu: in is 0");
    CHECK_FAILS(vn_nn_feed_forward(4, -1, NULL), VN_E_ARG, "hidden -1");
}

/* Heads that share keys and values give what those heads repeated give. */
static void grouped_heads(void)
{
    vn_array *q = waves(VN_SHAPE(2, 3, 8)), *k = waves(VN_SHAPE(2, 5, 4)), *v = vn_mul(k, vn_scalar(.5)), *all[4], *parts[2];
    vn_array *context = vn_concat(2, (vn_array *[]){k, v}, -1), *repeated[2] = {k, v};
    for (int i = 0; i < 2; i++) { /* each of two heads twice: 0 0 1 1 */
        vn_split(repeated[i], 2, (int64_t[]){2, 2}, -1, parts);
        for (int h = 0; h < 4; h++) all[h] = parts[h / 2];
        repeated[i] = vn_concat(4, all, -1);
    }
    vn_array *wide = vn_concat(2, repeated, -1), *mask = vn_greater(waves(VN_SHAPE(2, 3, 5)), vn_scalar(-.5));
    for (int masked = 0; masked < 2; masked++) {
        vn_array *m = masked ? mask : VN_NONE;
        CHECK(alike(vn_multi_head_attention(q, context, m, 4, VN_OPTS(multi_head_attention, .kv_heads = 2)),
                    vn_multi_head_attention(q, wide, m, 4, NULL), 1e-6));
    }
    CHECK_FAILS(vn_multi_head_attention(q, context, VN_NONE, 4, VN_OPTS(multi_head_attention, .kv_heads = 3)), VN_E_ARG,
                "4 heads cannot share 3");
    vn_module *layer = vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 4, .kv_heads = 2, .head_dim = 3));
    CHECK(has_shape(vn_module_var(layer, "to_kv/k/w"), VN_SHAPE(6, 6)) && has_shape(vn_module_var(layer, "to_q/w"), VN_SHAPE(12, 6)));
    check_gradients(layer, waves(VN_SHAPE(2, 3, 6)));
    CHECK_FAILS(vn_nn_multi_head_attention(6, VN_OPTS(nn_multi_head_attention, .heads = 4, .kv_heads = 3)), VN_E_ARG,
                "4 heads cannot share 3");
}

static void additive(void)
{
    vn_module *m = vn_nn_additive_attention(3, NULL);
    vn_array *x = waves(VN_SHAPE(2, 4, 3)), *context = waves(VN_SHAPE(2, 5, 3)), *mask = vn_greater(waves(VN_SHAPE(4, 5)), vn_scalar(0));
    vn_tree *to = vn_module_call_tree(m, vn_tree_of("x", x, "context", context, "mask", mask, NULL), NULL);
    CHECK(alike(vn_tree_get(to, "y"), vn_additive_attention(x, context, context, vn_module_var(m, "scale"), mask), 1e-6));
    check_gradients(m, x);
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(4, 2)), NULL), VN_E_SHAPE, "x has shape 4x2");
    CHECK_FAILS(vn_nn_additive_attention(0, NULL), VN_E_ARG, "0 features");
}

static const conformance_test rows[] = {
    NN("nn/layers", "encoder_layer", encoder_layers, "encoder layers of transformers and their gradients, against PyTorch"),
    NN("nn/layers", "decoder_layer", decoder_layers, "decoder layers and their gradients, against PyTorch; a stack of them"),
    NN("nn/layers", "transformer", whole, "encoder and decoder with their gradients, against PyTorch; dropout"),
    NN("nn/layers", "transformer_errors", transformer_errors, "what layers of transformers refuse, by name"),
    NN("nn/layers", "feed_forward", feed_forwards, "feed-forward blocks, SwiGLU and positions against their definitions"),
    NN("nn/layers", "grouped_heads", grouped_heads, "heads that share keys and values"),
    NN("nn/layers", "additive_attention", additive, "the layer of additive attention"),
};

const nn_part nn_transformer = NN_PART(rows);
