/* SPDX-License-Identifier: Apache-2.0 */
/* models.c: networks from JSON: every layer type has the right output, built-in models run, invalid descriptions are refused with clear
 * errors. */
/* ctest: sanitize */
#include "folder.h"

/* ---- every layer type: what it makes of one example ---- */

static const struct {
    const char *layer;
    vn_shape in, out;
} layers[] = {
    {"{\"type\": \"linear\", \"out\": 3}", {1, {5}}, {1, {3}}},
    {"{\"type\": \"linear\", \"out\": \"outputs\", \"no_bias\": true}", {2, {4, 5}}, {2, {4, 7}}},
    {"{\"type\": \"embedding\", \"n\": 10, \"size\": 4}", {1, {6}}, {2, {6, 4}}},
    {"{\"type\": \"conv1d\", \"out\": 3, \"kernel\": 3}", {2, {8, 2}}, {2, {6, 3}}},
    {"{\"type\": \"conv2d\", \"out\": 4, \"kernel\": [3, 1], \"strides\": 2, \"padding\": \"SAME\", \"groups\": 2}",
     {3, {8, 6, 2}},
     {3, {4, 3, 4}}},
    {"{\"type\": \"conv2d\", \"out\": 4, \"kernel\": 3, \"dilations\": 2}", {3, {8, 8, 1}}, {3, {4, 4, 4}}},
    {"{\"type\": \"conv2d\", \"out\": 4, \"kernel\": 3, \"data_format\": \"nchw\"}", {3, {2, 8, 8}}, {3, {4, 6, 6}}},
    {"{\"type\": \"conv2d\", \"in\": 2, \"out\": \"input\", \"kernel\": [3, \"input\"], \"pads\": [0, 1, 0, 0], \"w_init\": "
     "\"constant(0.5)\"}",
     {3, {8, 8, 2}},
     {3, {7, 7, 2}}},
    {"{\"type\": \"conv3d\", \"out\": 2, \"kernel\": 2}", {4, {4, 4, 4, 1}}, {4, {3, 3, 3, 2}}},
    {"{\"type\": \"depthwise_conv2d\", \"kernel\": 3, \"padding\": \"same\"}", {3, {5, 5, 3}}, {3, {5, 5, 3}}},
    {"{\"type\": \"conv1d_transpose\", \"out\": 2, \"kernel\": 2, \"strides\": 2}", {2, {4, 3}}, {2, {8, 2}}},
    {"{\"type\": \"conv1d_transpose\", \"out\": 2, \"kernel\": 2, \"strides\": 2, \"output_shape\": 9}", {2, {4, 3}}, {2, {9, 2}}},
    {"{\"type\": \"multi_head_attention\", \"heads\": 2, \"head_dim\": 4, \"no_to_out\": true}", {2, {5, 6}}, {2, {5, 8}}},
    {"{\"type\": \"conv2d_transpose\", \"out\": 2, \"kernel\": 2, \"strides\": 2}", {3, {4, 4, 3}}, {3, {8, 8, 2}}},
    {"{\"type\": \"conv3d_transpose\", \"out\": 1, \"kernel\": 2, \"strides\": 2}", {4, {2, 2, 2, 1}}, {4, {4, 4, 4, 1}}},
    {"{\"type\": \"max_pool1d\", \"window\": 2}", {2, {8, 3}}, {2, {4, 3}}},
    {"{\"type\": \"max_pool2d\", \"window\": 3, \"strides\": 1}", {3, {8, 8, 3}}, {3, {6, 6, 3}}},
    {"{\"type\": \"max_pool3d\", \"window\": 2}", {4, {4, 4, 4, 1}}, {4, {2, 2, 2, 1}}},
    {"{\"type\": \"avg_pool1d\", \"window\": 2}", {2, {8, 3}}, {2, {4, 3}}},
    {"{\"type\": \"avg_pool2d\", \"window\": [2, 4]}", {3, {8, 8, 3}}, {3, {4, 2, 3}}},
    {"{\"type\": \"avg_pool3d\", \"window\": 2, \"padding\": \"same\"}", {4, {3, 4, 4, 1}}, {4, {2, 2, 2, 1}}},
    {"{\"type\": \"adaptive_avg_pool\", \"size\": 2}", {3, {7, 5, 3}}, {3, {2, 2, 3}}},
    {"{\"type\": \"adaptive_max_pool\", \"size\": [1, 2]}", {3, {7, 5, 3}}, {3, {1, 2, 3}}},
    {"{\"type\": \"adaptive_max_pool\", \"size\": [1, 2, 3]}", {4, {4, 5, 6, 2}}, {4, {1, 2, 3, 2}}},
    {"{\"type\": \"global_avg_pool\"}", {3, {7, 5, 3}}, {1, {3}}},
    {"{\"type\": \"global_max_pool\"}", {2, {7, 3}}, {1, {3}}},
    {"{\"type\": \"batch_norm1d\"}", {1, {3}}, {1, {3}}},
    {"{\"type\": \"batch_norm2d\", \"momentum\": 0.5, \"no_affine\": true}", {3, {4, 4, 3}}, {3, {4, 4, 3}}},
    {"{\"type\": \"batch_norm3d\", \"epsilon\": 1e-3}", {4, {2, 4, 4, 3}}, {4, {2, 4, 4, 3}}},
    {"{\"type\": \"layer_norm\"}", {2, {4, 3}}, {2, {4, 3}}},
    {"{\"type\": \"rms_norm\"}", {2, {4, 3}}, {2, {4, 3}}},
    {"{\"type\": \"group_norm\", \"groups\": 2}", {3, {4, 4, 6}}, {3, {4, 4, 6}}},
    {"{\"type\": \"group_norm\", \"groups\": 7, \"data_format\": \"NCW\"}", {2, {7, 4}}, {2, {7, 4}}},
    {"{\"type\": \"layer_norm\", \"shape\": [4, \"input\"]}", {2, {4, 3}}, {2, {4, 3}}},
    {"{\"type\": \"instance_norm\"}", {3, {4, 4, 6}}, {3, {4, 4, 6}}},
    {"{\"type\": \"dropout\", \"prob\": 0.5}", {1, {9}}, {1, {9}}},
    {"{\"type\": \"flatten\"}", {3, {2, 3, 4}}, {1, {24}}},
    {"{\"type\": \"flatten\", \"first\": -2}", {3, {2, 3, 4}}, {2, {2, 12}}},
    {"{\"type\": \"reshape\", \"shape\": [2, 6]}", {1, {12}}, {2, {2, 6}}},
    {"{\"type\": \"residual\", \"layers\": [{\"type\": \"linear\", \"out\": 4}, {\"type\": \"tanh\"}]}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"lstm\", \"out\": 3, \"last_only\": true}", {2, {5, 2}}, {1, {3}}},
    {"{\"type\": \"gru\", \"out\": 3, \"layers\": 2, \"with_bias\": true}", {2, {5, 2}}, {2, {5, 3}}},
    {"{\"type\": \"rnn\", \"out\": 3, \"bidirectional\": true}", {2, {5, 2}}, {2, {5, 6}}},
    {"{\"type\": \"multi_head_attention\", \"heads\": 2, \"head_dim\": 4, \"causal\": true}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"multi_head_attention\", \"heads\": 4, \"kv_heads\": 2, \"head_dim\": 3}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"additive_attention\"}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"positional_encoding\"}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"swiglu\", \"out\": 3}", {2, {5, 6}}, {2, {5, 3}}},
    {"{\"type\": \"feed_forward\", \"hidden\": 3, \"activation\": \"geglu\"}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"transformer_encoder_layer\", \"heads\": 2}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"transformer_encoder\", \"heads\": 2, \"layers\": 2, \"norm_first\": true}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"transformer_decoder_layer\", \"heads\": 3}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"transformer_decoder\", \"heads\": 1, \"layers\": 2}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"transformer\", \"heads\": 2, \"encoder_layers\": 1, \"decoder_layers\": 1}", {2, {5, 6}}, {2, {5, 6}}},
    {"{\"type\": \"lstm_cell\", \"out\": 3}", {1, {2}}, {1, {3}}},
    {"{\"type\": \"gru_cell\", \"out\": 3}", {1, {2}}, {1, {3}}},
    {"{\"type\": \"rnn_cell\", \"out\": 3}", {1, {2}}, {1, {3}}},
    {"{\"type\": \"conv_lstm1d\", \"out\": 3, \"kernel\": 2}", {3, {2, 5, 4}}, {3, {2, 4, 3}}},
    {"{\"type\": \"conv_lstm2d\", \"out\": 3, \"kernel\": 2, \"last_only\": true}", {4, {2, 3, 5, 4}}, {3, {2, 4, 3}}},
    {"{\"type\": \"conv_lstm3d\", \"out\": 1, \"kernel\": [2, 1, 2]}", {5, {2, 2, 2, 3, 1}}, {5, {2, 1, 2, 2, 1}}},
    {"{\"type\": \"leaky_relu\", \"slope\": 0.2}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"prelu\", \"channels\": \"input\"}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"elu\", \"alpha\": 2}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"gelu\", \"approximate\": true}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"geglu\"}", {1, {4}}, {1, {2}}},
    {"{\"type\": \"dct\", \"norm\": \"ortho\", \"n\": 6}", {1, {4}}, {1, {6}}},
    {"{\"type\": \"spectrogram\", \"length\": 8, \"mode\": \"psd\"}", {1, {24}}, {2, {5, 5}}},
    {"{\"type\": \"mel_spectrogram\", \"bands\": 4, \"n\": 16, \"step\": 8}", {1, {24}}, {2, {4, 4}}},
    {"{\"type\": \"reversible_embedding\", \"n\": 10, \"size\": 4}", {1, {6}}, {2, {6, 4}}},
    {"{\"type\": \"bilinear\", \"in1\": 4, \"in2\": 4, \"out\": 3}", {1, {4}}, {1, {3}}},
    {"{\"type\": \"einsum_dense\", \"equation\": \"bi,io->bo\", \"shape\": [4, 3]}", {1, {4}}, {1, {3}}},
    {"{\"type\": \"rescaling\", \"scale\": 0.5}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"hashing\", \"bins\": 5}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"hashed_crossing\", \"bins\": 5}", {2, {4, 2}}, {1, {4}}},
    {"{\"type\": \"lookup\", \"size\": 5}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"discretization\", \"bins\": 5}", {1, {4}}, {1, {4}}},
    {"{\"type\": \"category_encoding\", \"size\": 4}", {1, {6}}, {1, {4}}},
    {"{\"type\": \"separable_conv1d\", \"out\": 3, \"kernel\": 2}", {2, {5, 4}}, {2, {4, 3}}},
    {"{\"type\": \"separable_conv2d\", \"out\": 3, \"kernel\": 2}", {3, {5, 5, 4}}, {3, {4, 4, 3}}},
    {"{\"type\": \"deform_conv2d\", \"out\": 3, \"kernel\": 2}", {3, {5, 5, 4}}, {3, {4, 4, 3}}},
};
enum { N_LAYERS = sizeof layers / sizeof *layers };

static bool same_shape(vn_shape a, vn_shape b)
{
    return a.rank == b.rank && !memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim);
}

static vn_shape batched(vn_shape s, int64_t n)
{
    vn_shape full = {.rank = s.rank + 1, .dim = {n}};
    memcpy(full.dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim);
    return full;
}

/* A model of this one layer; training and not, a batch of 3 gives that shape and finite numbers. */
static void check_layer(const char *layer, vn_shape in, vn_shape out)
{
    VN_SCOPE;
    char text[400];
    snprintf(text, sizeof text, "{\"layers\": [%s]}", layer);
    check_name = layer;
    vn_module *m = vn_model_parse(text, "test", in, 7);
    for (int training = 0; training < 2 && m; training++) {
        vn_array *x = vn_random_uniform(0, 1, batched(in, 3));
        vn_array *y = vn_module_train(m, training) ? NULL : vn_module_call(m, x, NULL);
        CHECK(same_shape(vn_shape_of(y), batched(out, 3)));
        CHECK(isfinite(vn_item(vn_sum(y, VN_ALL))));
    }
    CHECK(m && vn_status() == VN_OK);
    vn_clear();
}

static bool in_list(const char *type)
{
    char begins[100];
    snprintf(begins, sizeof begins, "{\"type\": \"%s\"", type);
    for (int i = 0; i < N_LAYERS; i++) {
        if (!strncmp(layers[i].layer, begins, strlen(begins))) return true;
    }
    return false;
}

/* Does a layer take images only; does it take labels too, which no model gives it? */
static bool of_images(const char *type)
{
    return !strncmp(type, "random_", 7) || !strcmp(type, "rand_augment") || !strcmp(type, "aug_mix");
}
static bool of_labels(const char *type)
{
    return !strcmp(type, "mix_up") || !strcmp(type, "cut_mix");
}

/* Those with sizes stand in the list above; all others keep shapes and need no option. */
TEST(every_layer)
{
    for (int i = 0; i < N_LAYERS; i++) check_layer(layers[i].layer, layers[i].in, layers[i].out);
    CHECK(vn_object_count("layer") > 45);
    for (int i = 0; i < vn_object_count("layer"); i++) {
        vn_op_info l = {.size = sizeof l};
        char layer[100];
        CHECK(vn_object_at("layer", i, &l) == VN_OK);
        snprintf(layer, sizeof layer, "{\"type\": \"%s\"}", l.name);
        const vn_shape shape = of_images(l.name) ? VN_SHAPE(4, 4, 3) : VN_SHAPE(4);
        if (!in_list(l.name) && !of_labels(l.name)) check_layer(layer, shape, shape);
    }
}

/* ---- every option that may be left out ---- */

/* What a model of one layer is and does, where options could show. */
typedef struct {
    int64_t variables, numbers;
    vn_shape shape;
    double training, after; /* all results, weighted, while training and afterwards, when running numbers count */
} traits;

static double weighted(vn_array *y)
{
    return vn_item(vn_sum(vn_mul(vn_reshape(y, VN_SHAPE(vn_size(y))), vn_arange(1, (double)vn_size(y) + 1, 1, VN_F32)), VN_ALL));
}

static traits traits_of(const char *text, vn_shape in)
{
    VN_SCOPE;
    traits t = {0};
    CHECK(vn_seed(3) == VN_OK);
    vn_module *m = vn_model_parse(text, "test", in, 7);
    vn_array *x = vn_random_uniform(-2, 3, batched(in, 3)), *y = m ? vn_module_call(m, x, NULL) : NULL;
    vn_tree *v = y ? vn_module_v(m) : NULL;
    t.variables = v ? vn_tree_leaves(v) : -1;
    for (int i = 0; i < t.variables; i++) t.numbers += vn_size(vn_tree_leaf(v, i));
    if (!v) return t;
    t.shape = vn_shape_of(y);
    t.training = weighted(y);
    vn_module_train(m, 0);
    t.after = weighted(vn_module_call(m, x, NULL));
    return t;
}

static bool differ(const traits *a, const traits *b)
{
    return a->variables != b->variables || a->numbers != b->numbers || !same_shape(a->shape, b->shape) || a->training != b->training ||
           a->after != b->after;
}

/* Another value than the one an option has where it is not given; of those that must be given, one that fits the examples below. NULL for
 * those that do nothing to an array alone (they are for masks, contexts and states), or without another option. */
static const char *value_of(const vn_op_info *l, const vn_op_option *o)
{
    static const struct {
        const char *layer, *option, *value;
    } particular[] = {
        {"", "zero_rows", NULL},
        {"", "no_state", NULL},
        {"", "context_dim", NULL},
        {"", "no_to_kv", NULL},
        {"", "no_to_q", NULL},
        {"", "no_to_out", NULL},
        {"", "output_shape", NULL},
        {"", "include_padding", NULL},
        {"lstm", "b_init", NULL},
        {"gru", "b_init", NULL},
        {"rnn", "b_init", NULL},
        {"lstm_cell", "b_init", NULL},
        {"gru_cell", "b_init", NULL},
        {"rnn_cell", "b_init", NULL},
        {"transformer_encoder_layer", "no_final_norm", NULL}, /* of stacks */
        {"transformer_decoder_layer", "no_final_norm", NULL},
        {"", "activation", "\"swiglu\""},
        {"positional_encoding", "base", "2"},
        {"lstm", "dropout", NULL}, /* between layers, of which there is one */
        {"gru", "dropout", NULL},
        {"rnn", "dropout", NULL},
        {"prelu", "data_format", NULL},
        {"embedding", "padding_index", "0"},
        {"group_norm", "data_format", NULL},
        {"einsum_dense", "equation", "\"bij,jk->bik\""},
        {"einsum_dense", "shape", "[4, 3]"},
        {"einsum_dense", "bias", "[3]"},
        {"einsum_dense", "b_init", NULL}, /* there is no bias unless it has a shape */
        {"masking", "value", NULL},
        {"category_encoding", "mode", "\"count\""},
        {"normalization", "inverse", NULL}, /* mean 0 and variance 1 */
        {"dct", "kind", "3"},
        {"dct", "n", NULL},
        {"dct", "norm", "\"ortho\""},
        {"spectrogram", "n", NULL},
        {"spectrogram", "step", NULL},
        {"spectrogram", "mode", "\"psd\""},
        {"spectrogram", "window", "\"hamming\""},
        {"spectrogram", "scaling", "\"spectrum\""},
        {"mel_spectrogram", "length", NULL},
        {"mel_spectrogram", "high", NULL},
        {"mel_spectrogram", "sample_rate", "8000"},
        {"mel_spectrogram", "window", "\"hamming\""},
        {"flatten", "first", "0"},
        {"flatten", "last", "1"},
        {"reshape", "shape", "[4, 7]"},
        {"random_flip", "prob", "1"},
        {"random_equalize", "prob", NULL}, /* the image has fewer pixels than there are bins */
        {"random_blur", "taps", "5"},
        {"rand_augment", "changes", "3"},
        {"", "direction", "\"vertical\""},
        {"", "fill", "\"zero\""}, /* the edge is its own mirror image */
        {"", "noise_shape", "[3, 1, 1]"},
        {"", "axis", "1"},
        {"", "groups", "2"},
        {"", "data_format", "\"channel_first\""},
        {"", "filter_format", "\"channel_first\""},
        {"", "padding", "\"same\""},
        {"", "in", "4"},
        {"", "channels", "4"},
        {"", "query_dim", "4"},
        {"", "size", "4"},
        {"", "shape", "4"},
        {"", "synchronized", NULL}, /* for several ranks: conformance/suite/ranks_training.c */
    };
    for (size_t k = 0; k < sizeof particular / sizeof *particular; k++)
        if (!strcmp(particular[k].option, o->name) && (!*particular[k].layer || !strcmp(particular[k].layer, l->name)))
            return particular[k].value;
    if (!strcmp(o->type, "flag")) return "true";
    if (!strcmp(o->type, "init")) return "\"constant(0.3)\"";
    return o->kind == VN_OPT_FLOAT ? "0.25" : o->kind == VN_OPT_INT ? o->fallback ? "2" : "4" : o->fallback ? "3" : "2";
}

static vn_shape example_for(const char *type)
{
    if (of_images(type)) return VN_SHAPE(7, 7, 3);
    const vn_shape square = {3, {7, 7, 4}}, cube = {4, {7, 7, 7, 4}}, moving = {5, {2, 5, 5, 5, 4}};
    if (strstr(type, "conv_lstm")) return strstr(type, "1d") ? square : strstr(type, "2d") ? cube : moving; /* steps come first */
    return strstr(type, "2d") ? square : strstr(type, "3d") ? cube : VN_SHAPE(7, 4);
}

/* The layer with all it needs, and option number k. */
static void layer_with(char *to, size_t room, const vn_op_info *l, int k)
{
    int n = snprintf(to, room, "{\"layers\": [{\"type\": \"%s\"", l->name);
    for (int i = 0; i < l->n_options; i++) {
        if (i != k && l->options[i].fallback) continue;
        n += snprintf(to + n, room - (size_t)n, ", \"%s\": %s", l->options[i].name, value_of(l, &l->options[i]));
    }
    snprintf(to + n, room - (size_t)n, "}]}");
}

/* An option of the table changes a layer of a model; a size of the input that is given is that size. */
TEST(every_option)
{
    int seen = 0;
    for (int i = 0; i < vn_object_count("layer"); i++) {
        vn_op_info l = {.size = sizeof l};
        char text[400];
        CHECK(vn_object_at("layer", i, &l) == VN_OK);
        for (int k = 0; k < l.n_options; k++) {
            const vn_op_option *o = &l.options[k];
            if (!o->kind || !o->fallback || !value_of(&l, o) || of_labels(l.name)) continue;
            layer_with(text, sizeof text, &l, -1);
            traits without = traits_of(text, example_for(l.name));
            layer_with(text, sizeof text, &l, k);
            traits with = traits_of(text, example_for(l.name));
            check_name = text;
            CHECK(without.variables >= 0 && with.variables >= 0 && differ(&without, &with) == (o->value != NULL));
            vn_clear();
            seen++;
        }
    }
    CHECK(seen > 150);
}

/* Of a smaller struct, nothing behind its end is touched. */
TEST(older_structs)
{
    vn_model_info small = {.size = offsetof(vn_model_info, about), .about = "mine"};
    CHECK(vn_model_at(0, &small) == VN_OK && small.name && !strcmp(small.about, "mine") && small.size == offsetof(vn_model_info, about));
}

/* ---- models ---- */

TEST(built_in)
{
    for (int i = 0; i < vn_model_count(); i++) {
        VN_SCOPE;
        vn_model_info info = {.size = sizeof info};
        CHECK(vn_model_at(i, &info) == VN_OK && !strcmp(vn_model_text(info.name), info.text));
        vn_module *m = vn_model(info.name, VN_SHAPE(64), 10);
        CHECK(m && vn_module_training(m));
        CHECK(same_shape(vn_shape_of(vn_module_call(m, vn_random_normal(0, 1, VN_SHAPE(4, 64)), NULL)), VN_SHAPE(4, 10)));
    }
    CHECK(same_shape(vn_shape_of(vn_module_call(vn_model("convnet", VN_SHAPE(12, 8), 2), vn_ones(VN_SHAPE(2, 12, 8), VN_F32), NULL)),
                     VN_SHAPE(2, 2)));
    CHECK(same_shape(vn_shape_of(vn_module_call(vn_model("resnet", VN_SHAPE(12, 8, 3), 2), vn_ones(VN_SHAPE(2, 12, 8, 3), VN_F32), NULL)),
                     VN_SHAPE(2, 2)));
}

/* A model depends only on its seed: inferring shapes uses no random numbers and changes no running mean. */
/* A layer's name is the key of its variables; the others keep theirs. */
TEST(names)
{
    static const char text[] =
        "{\"layers\": [{\"type\": \"linear\", \"out\": 8, \"name\": \"first\"}, {\"type\": \"relu\"}, "
        "{\"type\": \"residual\", \"name\": \"block\", \"layers\": [{\"type\": \"linear\", \"out\": 8, \"name\": \"in\"}]}, "
        "{\"type\": \"linear\", \"out\": \"outputs\"}]}";
    vn_module *m = vn_model_parse(text, "test", VN_SHAPE(4), 3);
    const vn_tree *inner = m ? vn_tree_get_tree(vn_module_v(m), "submodules/v1/submodules") : NULL;
    static const char *const paths[] = {"first/w", "block/layers/submodules/in/w", "v3/w"};
    for (size_t k = 0; inner && k < sizeof paths / sizeof *paths; k++) CHECK(vn_tree_get(inner, paths[k]) != NULL);
    CHECK(inner && vn_dim(vn_module_call(m, vn_ones(VN_SHAPE(2, 4), VN_F32), NULL), 1) == 3);
}

TEST(reproducible)
{
    vn_array *first[2];
    for (int i = 0; i < 2; i++) {
        vn_seed(7);
        vn_module *m = vn_model("convnet", VN_SHAPE(64), 10);
        vn_module_train(m, 0);
        first[i] = vn_module_call(m, vn_ones(VN_SHAPE(1, 64), VN_F32), NULL);
        CHECK(vn_item(vn_sum(vn_tree_leaf(vn_module_buffers(m), 0), VN_ALL)) == 0);
    }
    CHECK(vn_item(vn_all(vn_equal(first[0], first[1]), VN_ALL)) == 1);
}

TEST(from_files)
{
    folder_make();
    const char *path = in_folder("net.json");
    FILE *f = fopen(path, "w");
    fputs("\n{\"name\": \"n\", \"about\": \"\\u00fc\", \"input\": [2, 3], \"layers\": [{\"out\": 4, \"type\": \"linear\"}, {\"type\": "
          "\"flatten\"}]}\n",
          f);
    fclose(f);
    CHECK(same_shape(vn_shape_of(vn_module_call(vn_model(path, VN_SHAPE(6), 1), vn_ones(VN_SHAPE(5, 6), VN_F32), NULL)), VN_SHAPE(5, 8)));
    CHECK_FAILS(vn_model(in_folder("none.json"), VN_SHAPE(6), 1), VN_E_IO, "none.json");
    CHECK_FAILS(vn_model(folder, VN_SHAPE(6), 1), VN_E_IO, "not a regular file");
    f = fopen(path, "w");
    fwrite("{\0}", 1, 3, f);
    fclose(f);
    CHECK_FAILS(vn_model(path, VN_SHAPE(6), 1), VN_E_FORMAT, "zero byte");
    folder_empty();
    rmdir(folder);
}

/* ---- refused ---- */

static const struct {
    const char *text;
    int code;
    const char *message;
} bad[] = {
    {"", VN_E_FORMAT, "test: line 1, column 1: the text ends too early"},
    {"{\"layers\": [\n\n{]}", VN_E_FORMAT, "line 3, column 2: a string was expected"},
    {"{\"layers\": [{\"type\": \"relu\"}]} x", VN_E_FORMAT, "more text after the end"},
    {"{\"layers\": [{\"type\": \"relu\", \"type\": \"relu\"}]}", VN_E_FORMAT, "line 1, column 30: the key \"type\" occurs twice"},
    {"[]", VN_E_FORMAT, "it is a list; an object with \"layers\""},
    {"{}", VN_E_FORMAT, "\"layers\" is missing"},
    {"{\"layers\": 3}", VN_E_FORMAT, "\"layers\" is a number"},
    {"{\"layers\": []}", VN_E_FORMAT, "there are 0 layers"},
    {"{\"layer\": []}", VN_E_FORMAT, "did you mean \"layers\"?"},
    {"{\"name\": 1, \"layers\": []}", VN_E_FORMAT, "\"name\" is a number; a text"},
    {"{\"input\": \"picture\", \"layers\": []}", VN_E_FORMAT, "\"input\" is a text"},
    {"{\"input\": [], \"layers\": []}", VN_E_FORMAT, "\"input\" has 0 sizes"},
    {"{\"input\": [9, 7], \"layers\": []}", VN_E_FORMAT, "\"input\" is 9x7, but examples have shape 64"},
    {"{\"input\": [1e9, 1e9, 1e9], \"layers\": []}", VN_E_FORMAT, "but examples have shape 64"},
    {"{\"layers\": [3]}", VN_E_FORMAT, "layer 1: it is a number"},
    {"{\"layers\": [{\"type\": \"relu\", \"name\": 1}]}", VN_E_FORMAT, "layer 1: \"name\" is a number; a text is needed"},
    {"{\"layers\": [{\"type\": \"relu\", \"name\": \"a.b\"}]}", VN_E_ARG, "name 0 is \"a.b\""},
    {"{\"layers\": [{\"type\": \"relu\"}, {\"type\": \"relu\", \"name\": \"v0\"}]}", VN_E_ARG, "two layers are called \"v0\""},
    {"{\"layers\": [{\"out\": 3}]}", VN_E_FORMAT, "layer 1: the key \"type\" is missing"},
    {"{\"layers\": [{\"type\": null}]}", VN_E_FORMAT, "\"type\" is null"},
    {"{\"layers\": [{\"type\": \"relu\"}, {\"type\": \"liner\"}]}", VN_E_FORMAT,
     "layer 2: there is no layer type \"liner\"; did you mean \"linear\"?"},
    {"{\"layers\": [{\"type\": \"xyzzyxyzzy\"}]}", VN_E_FORMAT, "\"xyzzyxyzzy\""},
    {"{\"layers\": [{\"type\": \"linear\"}]}", VN_E_ARG, "model: test: layer 1 (linear): nn_linear: option out (int) must be given"},
    {"{\"layers\": [{\"type\": \"linear\", \"outs\": 3}]}", VN_E_ARG,
     "layer 1 (linear): nn_linear: unknown option \"outs\"; options: in, out, no_bias, w_init, b_init; did you mean \"out\"?"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 0}]}", VN_E_ARG,
     "layer 1 (linear): nn_linear: in is 64, out 0; both must be 1 or more"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 2.5}]}", VN_E_FORMAT, "\"out\" is 2.5"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": -1}]}", VN_E_ARG, "out -1; both must be 1 or more"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 1e300}]}", VN_E_FORMAT, "\"out\" is 1e+300"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": \"many\"}]}", VN_E_FORMAT, "\"out\" is a text"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 3, \"no_bias\": 1}]}", VN_E_FORMAT, "\"no_bias\" is a number; true or false"},
    {"{\"layers\": [{\"type\": \"dropout\", \"prob\": true}]}", VN_E_FORMAT, "\"prob\" is true or false; a number"},
    {"{\"layers\": [{\"type\": \"dropout\", \"prob\": 2}]}", VN_E_ARG, "test: layer 1 (dropout)"},
    {"{\"layers\": [{\"type\": \"conv2d\", \"out\": 1, \"kernel\": 3}]}", VN_E_SHAPE, "test: layer 1 (conv2d)"},
    {"{\"input\": \"image\", \"layers\": [{\"type\": \"conv2d\", \"out\": 1, \"kernel\": 9}]}", VN_E_SHAPE, "layer 1 (conv2d)"},
    {"{\"input\": \"image\", \"layers\": [{\"type\": \"conv2d\", \"out\": 1, \"kernel\": 3, \"padding\": \"some\"}]}", VN_E_ARG,
     "layer 1 (conv2d): nn_conv2d: padding is \"some\"; possible are VALID, SAME; did you mean \"SAME\"?"},
    {"{\"input\": \"image\", \"layers\": [{\"type\": \"conv2d\", \"out\": 1, \"kernel\": [3, 3, 3]}]}", VN_E_ARG, "layer 1 (conv2d)"},
    {"{\"input\": \"image\", \"layers\": [{\"type\": \"conv2d\", \"out\": 1, \"kernel\": 3, \"padding\": 1}]}", VN_E_FORMAT,
     "layer 1 (conv2d): \"padding\" is a number; a text such as \"VALID\" is needed"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 3, \"module\": 1}]}", VN_E_ARG, "unknown option \"module\""},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 3, \"w_init\": \"glorot\"}]}", VN_E_ARG,
     "there is no initialiser \"glorot\"; possible are zeros, ones, "},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 3, \"in\": 5}]}", VN_E_SHAPE, "layer 1 (linear)"},
    {"{\"layers\": [{\"type\": \"batch_norm\"}]}", VN_E_FORMAT, "did you mean \"batch_norm1d\"?"},
    {"{\"layers\": [{\"type\": \"residual\"}]}", VN_E_FORMAT, "layer 1 (residual): \"layers\" is missing"},
    {"{\"layers\": [{\"type\": \"residual\", \"layers\": [{\"type\": \"relu\"}], \"layer\": 1}]}", VN_E_FORMAT, "no key \"layer\""},
    {"{\"layers\": [{\"type\": \"residua\"}]}", VN_E_FORMAT, "did you mean \"residual\"?"},
    {"{\"layers\": [{\"type\": \"residual\", \"layers\": {}}]}", VN_E_FORMAT, "a list of layers is needed"},
    {"{\"layers\": [{\"type\": \"residual\", \"layers\": [{\"type\": \"rely\"}]}]}", VN_E_FORMAT,
     "layer 1 (residual), layer 1: there is no layer type"},
    {"{\"layers\": [{\"type\": \"residual\", \"layers\": [{\"type\": \"linear\", \"out\": 3}]}]}", VN_E_SHAPE, "the same shape is needed"},
    {"{\"layers\": [{\"type\": \"lstm\", \"out\": 3}]}", VN_E_SHAPE, "examples of (steps, features)"},
    {"{\"layers\": [{\"type\": \"lstm\", \"in\": 64, \"out\": 3}]}", VN_E_SHAPE, "examples of (steps, features)"},
    {"{\"layers\": [{\"type\": \"multi_head_attention\", \"query_dim\": 64}]}", VN_E_SHAPE, "examples of (steps, features)"},
    {"{\"layers\": [{\"type\": \"reshape\", \"shape\": [5, 5]}]}", VN_E_SHAPE, "layer 1 (reshape)"},
    {"{\"layers\": [{\"type\": \"group_norm\", \"groups\": 7}]}", VN_E_ARG, "layer 1 (group_norm)"},
    {"{\"layers\": [{\"type\": \"linear\", \"out\": 1000000000}, {\"type\": \"linear\", \"out\": 1000000000}]}", VN_E_MEM, "layer"},
};

TEST(refused)
{
    CHECK(vn_memory_limit(1 << 28) == VN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_name = bad[i].text;
        CHECK_FAILS(vn_model_parse(bad[i].text, "test", VN_SHAPE(64), 10), (vn_code)bad[i].code, bad[i].message);
    }
    check_name = "refused";
    CHECK(vn_memory_limit(0) == VN_OK);
    CHECK_FAILS(vn_model("mpl", VN_SHAPE(64), 10), VN_E_ARG, "did you mean \"mlp\"?");
    CHECK_FAILS(vn_model("convnet", VN_SHAPE(63), 10), VN_E_FORMAT, "no square image");
    CHECK_FAILS(vn_model("mlp", VN_SHAPE(64), 0), VN_E_ARG, "0 outputs");
    CHECK_FAILS(vn_model(NULL, VN_SHAPE(64), 1), VN_E_NULL, "model");
    CHECK_FAILS(vn_model_parse(NULL, "test", VN_SHAPE(64), 1), VN_E_NULL, "text");
    CHECK_FAILS(vn_model_parse("{}", NULL, VN_SHAPE(64), 1), VN_E_NULL, "name");
    CHECK_FAILS(vn_model_at(-1, &(vn_model_info){0}), VN_E_ARG, "no model -1");
    CHECK_FAILS(vn_model_at(0, NULL), VN_E_NULL, "info");
    char deep[400] = "";
    for (int i = 0; i < 100; i++) strcat(deep, "[");
    CHECK_FAILS(vn_model_parse(deep, "test", VN_SHAPE(64), 1), VN_E_FORMAT, "nested more than 32 deep");
}

/* A truncated or changed text gives a model or an error. */
TEST(damaged)
{
    const char *text = vn_model_text("mlp");
    size_t n = strlen(text);
    char copy[2000];
    for (size_t i = 0; i < n; i++) {
        VN_SCOPE;
        memcpy(copy, text, n + 1);
        copy[i] = 0;
        CHECK(!vn_model_parse(copy, "test", VN_SHAPE(4), 2) == (i < n - 1));
        vn_clear();
        copy[i] = "\"{}[],:0x\x01\xff"[i % 11];
        CHECK(!vn_model_parse(copy, "test", VN_SHAPE(4), 2) == (vn_status() != VN_OK));
        vn_clear();
    }
}

TEST_MAIN
