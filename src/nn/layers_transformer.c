/* SPDX-License-Identifier: Apache-2.0 */
/* layers_transformer.c: feed-forward blocks, encoder and decoder layers, stacks of them, the whole Transformer, and positions that are added. */
#include "nn/layers.h"
#include "core/state.h"
#include <math.h>

enum { MAX_LAYERS = 256 };

static bool is_word(const char *a, const char *b)
{
    return !strcmp(a, b);
}

/* ---- SwiGLU and FeedForward ---- */

static vn_module *linear(int64_t in, int64_t out, int no_bias, vn_init w_init)
{
    return vn_nn_linear(in, out, VN_OPTS(nn_linear, .no_bias = no_bias, .w_init = w_init));
}

/* The size of each is 1 or more. */
static bool positive(const char *who, const char *a, int64_t x, const char *b, int64_t y)
{
    if (x >= 1 && y >= 1) return true;
    vn__fail(VN_E_ARG, "%s: %s is %lld, %s %lld; both must be 1 or more", who, a, (long long)x, b, (long long)y);
    return false;
}

typedef struct {
    int64_t in, out;
    vn_nn_swiglu_opts o;
} swiglu;

static int swiglu_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const swiglu *s = vn_module_self(m);
    int code = vn_module_add(m, "_inner", linear(s->in, s->out, !s->o.with_bias, s->o.w_init));
    return code ? code : vn_module_add(m, "_outer", linear(s->in, s->out, !s->o.with_bias, s->o.w_init));
}

static vn_array *swiglu_forward(vn_module *m, vn_array *x)
{
    return vn_mul(vn_silu(vn_module_run(m, "inner", x)), vn_module_run(m, "outer", x));
}

static const vn_module_class swiglu_class = {
    .name = "SwiGLU", .self_size = sizeof(swiglu), .build = swiglu_build, .forward = swiglu_forward};

vn_module *vn_nn_swiglu(int64_t in, int64_t out, const vn_nn_swiglu_opts *opts)
{
    swiglu s = {.in = in, .out = out};
    if (!vn__take_options("nn_swiglu", &vn__struct_nn_swiglu, &s.o, opts) || !positive("nn_swiglu", "in", in, "out", out)) return NULL;
    return vn_module_new(&swiglu_class, &s, s.o.module);
}

typedef struct {
    int64_t size, hidden;
    vn_nn_feed_forward_opts o;
} feed_forward;

static bool gated(const char *activation)
{
    return is_word(activation, "swiglu") || is_word(activation, "geglu");
}

static int feed_forward_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const feed_forward *f = vn_module_self(m);
    const vn_init usual = {0};
    int code = vn_module_add(m, "_up", linear(f->size, f->hidden, f->o.no_bias, usual));
    if (!code && gated(f->o.activation)) code = vn_module_add(m, "_gate", linear(f->size, f->hidden, f->o.no_bias, usual));
    return code ? code : vn_module_add(m, "_down", linear(f->hidden, f->size, f->o.no_bias, usual));
}

static vn_array *activated(const char *activation, vn_array *x)
{
    const char *op = is_word(activation, "swiglu") ? "silu" : is_word(activation, "geglu") ? "gelu" : activation;
    vn_array *y = NULL;
    return vn_call(op, &x, 1, NULL, 0, &y, 1) ? NULL : y;
}

static vn_array *feed_forward_forward(vn_module *m, vn_array *x)
{
    const feed_forward *f = vn_module_self(m);
    vn_array *y = vn_module_run(m, "up", x);
    if (gated(f->o.activation)) y = vn_mul(activated(f->o.activation, vn_module_run(m, "gate", x)), y);
    else y = activated(f->o.activation, y);
    if (f->o.dropout > 0 && vn_module_training(m)) y = vn_dropout(y, VN_NONE, f->o.dropout, NULL);
    return vn_module_run(m, "down", y);
}

static const vn_module_class feed_forward_class = {
    .name = "FeedForward", .self_size = sizeof(feed_forward), .build = feed_forward_build, .forward = feed_forward_forward};

vn_module *vn_nn_feed_forward(int64_t size, int64_t hidden, const vn_nn_feed_forward_opts *opts)
{
    static const char who[] = "nn_feed_forward";
    feed_forward f = {.size = size, .hidden = hidden};
    if (!vn__take_options(who, &vn__struct_nn_feed_forward, &f.o, opts) || !positive(who, "size", size, "hidden", hidden)) return NULL;
    return vn_module_new(&feed_forward_class, &f, f.o.module);
}

/* ---- PositionalEncoding ---- */

typedef struct {
    int64_t size;
    vn_nn_positional_encoding_opts o;
} encoding;

static vn_array *encoding_forward(vn_module *m, vn_array *x)
{
    const encoding *e = vn_module_self(m);
    if (!vn__layer_input(x, 2, VN_MAX_RANK, "channel_last", e->size)) return NULL;
    const double last = pow(e->o.base, -(double)(e->size - 2) / (double)e->size);
    const int64_t first = e->o.offset;
    vn_array *at = vn_cast(vn_arange((double)first, (double)(first + vn_dim(x, -2)), 1, VN_F64), VN_F64);
    vn_array *y = vn_sinusoidal_encoding(at, e->size, VN_OPTS(sinusoidal_encoding, .min_freq = last, .scale = 1, .interleaved = 1));
    return vn_add(x, vn_cast(y, vn_dtype_of(x)));
}

static const vn_module_class encoding_class = {.name = "PositionalEncoding", .self_size = sizeof(encoding), .forward = encoding_forward};

vn_module *vn_nn_positional_encoding(int64_t size, const vn_nn_positional_encoding_opts *opts)
{
    static const char who[] = "nn_positional_encoding";
    encoding e = {.size = size};
    if (!vn__take_options(who, &vn__struct_nn_positional_encoding, &e.o, opts)) return NULL;
    if (size < 2 || size % 2) return vn__fail(VN_E_ARG, "%s: size is %lld; an even number is needed", who, (long long)size), NULL;
    return vn_module_new(&encoding_class, &e, NULL);
}

/* ---- layers of encoders and decoders ---- */

typedef struct {
    int64_t size, heads, layers, decoder_layers; /* those of a stack; of the encoder and the decoder */
    bool decoder;
    vn_nn_transformer_opts o;
} transformer;

static vn_module *attention(const transformer *t, int causal)
{
    return vn_nn_multi_head_attention(t->size, VN_OPTS(nn_multi_head_attention, .heads = t->heads, .head_dim = t->size / t->heads,
                                                       .kv_heads = t->o.kv_heads, .causal = causal, .dropout = t->o.dropout,
                                                       .no_bias = t->o.no_bias, .zero_rows = 1));
}

static vn_module *norm(const transformer *t)
{
    return vn_nn_layer_norm(VN_SHAPE(t->size), VN_OPTS(nn_layer_norm, .epsilon = t->o.epsilon == 0 ? (double)VN_ZERO : t->o.epsilon));
}

static int layer_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const transformer *t = vn_module_self(m);
    int code = vn_module_add(m, "_attention", attention(t, t->o.causal));
    if (!code && t->decoder) code = vn_module_add(m, "_context_attention", attention(t, 0));
    if (!code)
        code = vn_module_add(
            m, "_feed_forward",
            vn_nn_feed_forward(t->size, t->o.hidden,
                               VN_OPTS(nn_feed_forward, .activation = t->o.activation, .dropout = t->o.dropout, .no_bias = t->o.no_bias)));
    for (int k = 1; k <= 2 + t->decoder && !code; k++) {
        char name[16];
        snprintf(name, sizeof name, "_norm%d", k);
        code = vn_module_add(m, name, norm(t));
    }
    return code;
}

/* What a part of a layer adds to x: attention to a context (NULL: to x itself), or feed_forward. */
static vn_array *added(vn_module *m, const char *part, vn_array *x, vn_array *context, vn_array *mask)
{
    const transformer *t = vn_module_self(m);
    if (is_word(part, "feed_forward")) {
        vn_array *y = vn_module_run(m, part, x);
        return t->o.dropout > 0 && vn_module_training(m) ? vn_dropout(y, VN_NONE, t->o.dropout, NULL) : y;
    }
    vn_tree *in = vn_tree_of("x", x, NULL);
    if (!in || (context && vn_tree_set(in, "context", context)) || (mask && vn_tree_set(in, "mask", mask))) return NULL;
    vn_tree *out = vn_module_call_tree(vn_module_child(m, part), in, NULL);
    return out ? vn_tree_get(out, "y") : NULL;
}

/* x plus a part of the layer, normalised before or after. */
static vn_array *with_part(vn_module *m, const char *part, const char *norm, vn_array *x, vn_array *context, vn_array *mask)
{
    const transformer *t = vn_module_self(m);
    if (!x) return NULL;
    if (t->o.norm_first) return vn_add(x, added(m, part, vn_module_run(m, norm, x), context, mask));
    return vn_module_run(m, norm, vn_add(x, added(m, part, x, context, mask)));
}

enum { X, MASK, CONTEXT, CONTEXT_MASK, N_ARGS };

/* The arguments of a layer or a stack. False, with the error set, if they are wrong. */
static bool take_args(const transformer *t, const vn_tree *args, vn_array *in[static N_ARGS])
{
    static const char *const encoder[] = {"x", "mask", NULL}, *const decoder[] = {"x", "mask", "context", "context_mask", NULL};
    in[CONTEXT] = in[CONTEXT_MASK] = NULL;
    if (!vn__layer_args(args, t->decoder ? decoder : encoder, in)) return false;
    if (t->decoder && !in[CONTEXT]) in[CONTEXT] = in[X];
    return vn__layer_input(in[X], 2, VN_MAX_RANK, "channel_last", t->size);
}

static vn_array *run_layer(vn_module *m, vn_array *const in[static N_ARGS])
{
    const transformer *t = vn_module_self(m);
    vn_array *x = with_part(m, "attention", "norm1", in[X], NULL, in[MASK]);
    if (t->decoder) x = with_part(m, "context_attention", "norm2", x, in[CONTEXT], in[CONTEXT_MASK]);
    return with_part(m, "feed_forward", t->decoder ? "norm3" : "norm2", x, NULL, NULL);
}

static vn_tree *result(vn_array *y)
{
    return y ? vn_tree_of("y", y, NULL) : NULL;
}

static vn_tree *layer_forward(vn_module *m, const vn_tree *args)
{
    vn_array *in[N_ARGS];
    return take_args(vn_module_self(m), args, in) ? result(run_layer(m, in)) : NULL;
}

static const vn_module_class encoder_layer_class = {.name = "TransformerEncoderLayer",
                                                    .self_size = sizeof(transformer),
                                                    .build = layer_build,
                                                    .forward_tree = layer_forward},
                             decoder_layer_class = {.name = "TransformerDecoderLayer",
                                                    .self_size = sizeof(transformer),
                                                    .build = layer_build,
                                                    .forward_tree = layer_forward};

/* ---- stacks ---- */

static int stack_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    const transformer *t = vn_module_self(m);
    vn_module *layers[MAX_LAYERS];
    for (int k = 0; k < t->layers; k++) {
        layers[k] = vn_module_new(t->decoder ? &decoder_layer_class : &encoder_layer_class, (void *)t, NULL);
        if (!layers[k]) return vn_status();
    }
    int code = vn_module_add_list(m, "_layers", layers, (int)t->layers);
    return code || t->o.no_final_norm ? code : vn_module_add(m, "_norm", norm(t));
}

/* Calls a layer of the stack as a call of its own, so that it has its own variables and place in traces. */
static vn_array *call_layer(vn_module *m, int k, vn_array *const in[static N_ARGS])
{
    static const char *const names[] = {"x", "mask", "context", "context_mask"};
    char name[32];
    snprintf(name, sizeof name, "layers/v%d", k);
    vn_tree *args = vn_tree_new(NULL);
    for (int a = 0; a < N_ARGS; a++)
        if (!args || (in[a] && vn_tree_set(args, names[a], in[a]))) return NULL;
    vn_tree *out = vn_module_call_tree(vn_module_child(m, name), args, NULL);
    return out ? vn_tree_get(out, "y") : NULL;
}

static vn_tree *stack_forward(vn_module *m, const vn_tree *args)
{
    const transformer *t = vn_module_self(m);
    vn_array *in[N_ARGS];
    if (!take_args(t, args, in)) return NULL;
    for (int k = 0; k < t->layers && in[X]; k++) in[X] = call_layer(m, k, in);
    return in[X] ? result(t->o.no_final_norm ? in[X] : vn_module_run(m, "norm", in[X])) : NULL;
}

static const vn_module_class
    encoder_class = {.name = "TransformerEncoder", .self_size = sizeof(transformer), .build = stack_build, .forward_tree = stack_forward},
    decoder_class = {.name = "TransformerDecoder", .self_size = sizeof(transformer), .build = stack_build, .forward_tree = stack_forward};

/* ---- encoder and decoder ---- */

static int transformer_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    transformer t = *(const transformer *)vn_module_self(m), d = t;
    t.o.causal = 0;
    d.decoder = true, d.layers = t.decoder_layers;
    int code = vn_module_add(m, "_encoder", vn_module_new(&encoder_class, &t, NULL));
    return code ? code : vn_module_add(m, "_decoder", vn_module_new(&decoder_class, &d, NULL));
}

static vn_tree *transformer_forward(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "mask", "target", "target_mask", "context_mask", NULL};
    vn_array *in[5];
    if (!vn__layer_args(args, names, in)) return NULL;
    vn_tree *encoder = vn_tree_of("x", in[0], NULL), *decoder = vn_tree_of("x", in[2] ? in[2] : in[0], NULL);
    if (!encoder || !decoder || (in[1] && vn_tree_set(encoder, "mask", in[1]))) return NULL;
    vn_tree *context = vn_module_call_tree(vn_module_child(m, "encoder"), encoder, NULL);
    if (!context || vn_tree_set(decoder, "context", vn_tree_get(context, "y"))) return NULL;
    if ((in[3] && vn_tree_set(decoder, "mask", in[3])) || (in[4] && vn_tree_set(decoder, "context_mask", in[4]))) return NULL;
    return vn_module_call_tree(vn_module_child(m, "decoder"), decoder, NULL);
}

static const vn_module_class transformer_class = {
    .name = "Transformer", .self_size = sizeof(transformer), .build = transformer_build, .forward_tree = transformer_forward};

/* ---- constructors ---- */

static vn_module *make(const char *who, const vn_module_class *class, transformer t, const vn_nn_transformer_opts *opts)
{
    if (!vn__take_options(who, &vn__struct_nn_transformer, &t.o, opts)) return NULL;
    if (t.size < 1 || t.heads < 1 || t.size % t.heads)
        return vn__fail(VN_E_ARG, "%s: size is %lld, heads %lld; size must be a multiple of heads, and both 1 or more", who,
                        (long long)t.size, (long long)t.heads),
               NULL;
    if (t.layers < 1 || t.layers > MAX_LAYERS || t.decoder_layers < 1 || t.decoder_layers > MAX_LAYERS)
        return vn__fail(VN_E_ARG, "%s: %lld layers; 1 to %d are allowed", who,
                        (long long)(t.layers < 1 || t.layers > MAX_LAYERS ? t.layers : t.decoder_layers), MAX_LAYERS),
               NULL;
    if (t.o.kv_heads && t.heads % t.o.kv_heads)
        return vn__fail(VN_E_ARG, "%s: %lld heads cannot share %lld of keys and values", who, (long long)t.heads, (long long)t.o.kv_heads),
               NULL;
    if (!t.o.hidden && __builtin_mul_overflow(t.size, 4, &t.o.hidden))
        return vn__fail(VN_E_ARG, "%s: size %lld is too large", who, (long long)t.size), NULL;
    const vn_module_opts *module = t.o.module;
    t.o.module = NULL; /* for this module, not for those inside */
    return vn_module_new(class, &t, module);
}

vn_module *vn_nn_transformer_encoder_layer(int64_t size, int64_t heads, const vn_nn_transformer_opts *opts)
{
    const transformer t = {.size = size, .heads = heads, .layers = 1, .decoder_layers = 1};
    return make("nn_transformer_encoder_layer", &encoder_layer_class, t, opts);
}
vn_module *vn_nn_transformer_decoder_layer(int64_t size, int64_t heads, const vn_nn_transformer_opts *opts)
{
    const transformer t = {.size = size, .heads = heads, .layers = 1, .decoder_layers = 1, .decoder = true};
    return make("nn_transformer_decoder_layer", &decoder_layer_class, t, opts);
}
vn_module *vn_nn_transformer_encoder(int64_t size, int64_t heads, int64_t layers, const vn_nn_transformer_opts *opts)
{
    const transformer t = {.size = size, .heads = heads, .layers = layers, .decoder_layers = 1};
    return make("nn_transformer_encoder", &encoder_class, t, opts);
}
vn_module *vn_nn_transformer_decoder(int64_t size, int64_t heads, int64_t layers, const vn_nn_transformer_opts *opts)
{
    const transformer t = {.size = size, .heads = heads, .layers = layers, .decoder_layers = 1, .decoder = true};
    return make("nn_transformer_decoder", &decoder_class, t, opts);
}
vn_module *vn_nn_transformer(int64_t size, int64_t heads, int64_t encoder_layers, int64_t decoder_layers,
                             const vn_nn_transformer_opts *opts)
{
    const transformer t = {.size = size, .heads = heads, .layers = encoder_layers, .decoder_layers = decoder_layers};
    return make("nn_transformer", &transformer_class, t, opts);
}
