/* SPDX-License-Identifier: Apache-2.0 */
/* nn_functions.c: convolution layers against plain loops, forward and gradients, over random shapes, paddings, strides, dilations, groups
 * and layouts; known gradients of attention and lstm; dropout; multi-head attention against single heads.
 * Convolutions are of small integers, so that every sum is exact and results must be equal. */
#include "nn.h"

/* ---- random shapes ---- */

static uint32_t dice = 12345;
static int roll(int low, int high)
{
    dice = dice * 1664525u + 1013904223u;
    return low + (int)((dice >> 16) % (uint32_t)(high - low + 1));
}

enum { SAME, VALID, PAIRS };

/* One convolution, from [batch, wide..., c] to [batch, narrow..., o]; transposed in the other direction. Missing axes
 * have size 1. */
typedef struct shape {
    int n, batch, c, o, groups, padding;
    bool transposed, channels_first, filters_first;
    int wide[3], narrow[3], kernel[3], stride[3], dilation[3], spread[3], low[3], high[3]; /* spread: zeros between elements of x */
} shape;

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static void same_padding(shape *s, int a, int length, int reach)
{
    const int total = (ceil_div(length, s->stride[a]) - 1) * s->stride[a] + reach - length;
    s->low[a] = total > 0 ? total / 2 : 0;
    s->high[a] = total > 0 ? total - total / 2 : 0;
}

static void sample_axis(shape *s, int a)
{
    s->kernel[a] = roll(1, s->n == 3 ? 3 : 5);
    s->stride[a] = roll(1, 3);
    s->dilation[a] = roll(1, s->n == 3 ? 2 : 3);
    const int reach = (s->kernel[a] - 1) * s->dilation[a] + 1;
    if (s->transposed) {
        s->narrow[a] = roll(1, 4);
        s->wide[a] = s->narrow[a] * s->stride[a] + (s->padding == VALID && reach > s->stride[a] ? reach - s->stride[a] : 0);
        if (s->padding == SAME) same_padding(s, a, s->wide[a], reach);
        return;
    }
    s->spread[a] = roll(1, 3);
    s->wide[a] = reach + roll(0, 1);
    const int length = (s->wide[a] - 1) * s->spread[a] + 1;
    if (s->padding == SAME) same_padding(s, a, length, reach);
    if (s->padding == PAIRS) s->low[a] = roll(0, 3), s->high[a] = roll(0, 3);
    s->narrow[a] = (length + s->low[a] + s->high[a] - reach) / s->stride[a] + 1;
}

static shape sample(int number)
{
    shape s = {.n = 1 + number % 3, .batch = roll(1, 3), .groups = roll(1, 3), .transposed = number / 3 % 2 != 0};
    s.c = s.groups * roll(1, 3);
    s.o = s.groups * roll(1, 3);
    s.padding = roll(SAME, s.transposed ? VALID : PAIRS);
    s.channels_first = roll(0, 1);
    s.filters_first = roll(0, 1);
    for (int a = 0; a < 3; a++) s.wide[a] = s.narrow[a] = s.kernel[a] = s.stride[a] = s.dilation[a] = s.spread[a] = 1;
    for (int a = 0; a < s.n; a++) sample_axis(&s, a);
    return s;
}

/* ---- plain loops ---- */

static int volume(const int size[3])
{
    return size[0] * size[1] * size[2];
}

/* The index of an element of one side, in the layout of the shape. */
static int element(const shape *s, int batch, int place, int channel, int places, int channels)
{
    return s->channels_first ? (batch * channels + channel) * places + place : (batch * places + place) * channels + channel;
}

/* Element of the filter: tap, inner (of c / groups), outer (of o). In channels-last filters the channels of x come first. */
static int tap_element(const shape *s, int tap, int inner, int outer)
{
    const int inside = s->c / s->groups;
    if (s->filters_first) return (outer * inside + inner) * volume(s->kernel) + tap;
    return s->transposed ? (tap * s->o + outer) * inside + inner : (tap * inside + inner) * s->o + outer;
}

/* The position on the wide side for a position on the narrow side and a tap; -1: none. */
static int meeting(const shape *s, int narrow, int tap)
{
    int o[3], k[3], place = 0;
    for (int a = 2; a >= 0; narrow /= s->narrow[a], tap /= s->kernel[a], a--) o[a] = narrow % s->narrow[a], k[a] = tap % s->kernel[a];
    for (int a = 0; a < 3; a++) {
        const int at = o[a] * s->stride[a] + k[a] * s->dilation[a] - s->low[a];
        if (at < 0 || at % s->spread[a] || at / s->spread[a] >= s->wide[a]) return -1;
        place = place * s->wide[a] + at / s->spread[a];
    }
    return place;
}

/* x, filter, bias and the weights of a loss, then the expected result and gradients. */
typedef struct arrays {
    double *x, *w, *b, *r, *y, *dx, *dw, *db;
    int nx, nw, nb, ny;
} arrays;

static void connect(const shape *s, arrays *a, int wide, int narrow, int w)
{
    const int x = s->transposed ? narrow : wide, y = s->transposed ? wide : narrow;
    a->y[y] += a->x[x] * a->w[w];
    a->dx[x] += a->r[y] * a->w[w];
    a->dw[w] += a->r[y] * a->x[x];
}

static void loops(const shape *s, arrays *a)
{
    const int places = volume(s->narrow), taps = volume(s->kernel), wides = volume(s->wide), inside = s->c / s->groups;
    for (int b = 0; b < s->batch; b++)
        for (int p = 0; p < places; p++)
            for (int t = 0; t < taps; t++) {
                const int met = meeting(s, p, t);
                for (int o = 0; met >= 0 && o < s->o; o++)
                    for (int c = 0; c < inside; c++)
                        connect(s, a, element(s, b, met, o / (s->o / s->groups) * inside + c, wides, s->c),
                                element(s, b, p, o, places, s->o), tap_element(s, t, c, o));
            }
    for (int k = 0; k < a->ny; k++) {
        const int outside = s->transposed ? wides : places, channel = s->channels_first ? k / outside % a->nb : k % a->nb;
        a->y[k] += a->b[channel];
        a->db[channel] += a->r[k];
    }
}

static double *numbers(int n, bool random)
{
    double *x = malloc((size_t)n * sizeof *x);
    for (int k = 0; x && k < n; k++) x[k] = random ? roll(0, 3) : 0;
    CHECK(x != NULL);
    return x;
}

static arrays arrays_of(const shape *s)
{
    const int wide = s->batch * volume(s->wide) * s->c, narrow = s->batch * volume(s->narrow) * s->o;
    arrays a = {.nx = s->transposed ? narrow : wide, .ny = s->transposed ? wide : narrow, .nb = s->transposed ? s->c : s->o};
    a.nw = volume(s->kernel) * s->c / s->groups * s->o;
    a.x = numbers(a.nx, true), a.w = numbers(a.nw, true), a.b = numbers(a.nb, true), a.r = numbers(a.ny, true);
    a.y = numbers(a.ny, false), a.dx = numbers(a.nx, false), a.dw = numbers(a.nw, false), a.db = numbers(a.nb, false);
    loops(s, &a);
    return a;
}

static void release(const arrays *a)
{
    double *const all[] = {a->x, a->w, a->b, a->r, a->y, a->dx, a->dw, a->db};
    for (int k = 0; k < 8; k++) free(all[k]);
}

/* ---- the layers ---- */

static vn_shape side_shape(const shape *s, bool wide)
{
    const int *size = wide ? s->wide : s->narrow, channels = wide ? s->c : s->o;
    vn_shape d = {.rank = s->n + 2, .dim = {s->batch}};
    for (int a = 0; a < s->n; a++) d.dim[a + (s->channels_first ? 2 : 1)] = size[a];
    d.dim[s->channels_first ? 1 : s->n + 1] = channels;
    return d;
}

static vn_shape filter_shape(const shape *s)
{
    const int inside = s->c / s->groups, at = s->filters_first ? 0 : s->n;
    const bool outer_first = s->filters_first || s->transposed; /* of the two axes of channels */
    vn_shape d = {.rank = s->n + 2};
    for (int a = 0; a < s->n; a++) d.dim[a + (s->filters_first ? 2 : 0)] = s->kernel[a];
    d.dim[at] = outer_first ? s->o : inside;
    d.dim[at + 1] = outer_first ? inside : s->o;
    return d;
}

static vn_array *variable(const double *from, vn_shape dims, vn_dtype dtype)
{
    return vn_variable(vn_cast(vn_from_host(from, VN_F64, dims), dtype));
}

static void check_equal(vn_array *x, const double *want, int n, const char *what, int number)
{
    char name[64];
    const double *got = x ? vn_data(x) : NULL;
    snprintf(name, sizeof name, "%s, shape %d", what, number);
    if (trial_expect(nn_trial, CHECK_SHAPE, got && vn_size(x) == n, name))
        trial_near_list(nn_trial, CHECK_VALUE, name, got, want, n, 0, NULL);
}

static void one_convolution(int number)
{
    VN_SCOPE;
    const shape s = sample(number);
    const arrays a = arrays_of(&s);
    const vn_dtype dtype = number % 2 ? VN_F32 : VN_F64;
    const char *format[] = {"channel_last", "channel_first"}, *padding = s.padding == SAME ? "same" : "VALID"; /* in any case */
    vn_conv_general_dilated_opts o = VN_INIT(conv_general_dilated);
    vn_conv_general_transpose_opts t = VN_INIT(conv_general_transpose);
    o.padding = t.padding = padding, o.groups = t.groups = s.groups;
    o.data_format = t.data_format = format[s.channels_first], o.filter_format = t.filter_format = format[s.filters_first];
    for (int k = 0; k < s.n; k++) {
        o.strides[k] = t.strides[k] = s.stride[k], o.dilations[k] = t.dilations[k] = s.dilation[k];
        o.x_dilations[k] = s.spread[k];
        if (s.padding == PAIRS) o.pads.dim[o.pads.rank++] = s.low[k], o.pads.dim[o.pads.rank++] = s.high[k];
    }
    vn_array *in[] = {variable(a.x, side_shape(&s, !s.transposed), dtype), variable(a.w, filter_shape(&s), dtype),
                      variable(a.b, VN_SHAPE(a.nb), dtype)};
    vn_array *y = s.transposed ? vn_conv_general_transpose(in[0], in[1], in[2], &t) : vn_conv_general_dilated(in[0], in[1], in[2], &o),
             *g[3];
    vn_array *r = vn_cast(vn_from_host(a.r, VN_F64, side_shape(&s, s.transposed)), dtype);
    CHECK(vn_grads(vn_sum(vn_mul(y, r), VN_ALL), 3, in, NULL, g) == VN_OK);
    vn_array *z[] = {vn_cast(y, VN_F64), vn_cast(g[0], VN_F64), vn_cast(g[1], VN_F64), vn_cast(g[2], VN_F64)};
    CHECK(vn_eval(4, z) == VN_OK); /* as one program, for engines that compile */
    check_equal(z[0], a.y, a.ny, "the result", number);
    check_equal(z[1], a.dx, a.nx, "the gradient of x", number);
    check_equal(z[2], a.dw, a.nw, "the gradient of the filters", number);
    check_equal(z[3], a.db, a.nb, "the gradient of the bias", number);
    release(&a);
}

static void convolutions(void)
{
    for (int k = 0; k < 24; k++) one_convolution(k);
    vn_array *x = vn_zeros(VN_SHAPE(1, 5, 2), VN_F32), *w = vn_zeros(VN_SHAPE(2, 3, 1), VN_F32);
    CHECK_FAILS(vn_conv1d(x, w, VN_NONE, NULL), VN_E_SHAPE, "conv1d: x 1x5x2 and filters 2x3x1 do not fit");
    w = vn_zeros(VN_SHAPE(2, 2, 1), VN_F32);
    CHECK_FAILS(vn_conv1d(x, w, VN_NONE, VN_OPTS(conv1d, .padding = "SMAE")), VN_E_ARG,
                "conv1d: padding is \"SMAE\"; possible are VALID, SAME; did you mean \"SAME\"?");
    CHECK_FAILS(vn_conv1d(NULL, w, VN_NONE, NULL), VN_E_NULL, "conv1d");
    CHECK_FAILS(vn_conv1d(x, w, VN_NONE, VN_OPTS(conv1d, .pads = VN_LIST(1, 1, 0, 1))), VN_E_ARG, "pads has 4 numbers");
    CHECK_FAILS(vn_conv1d(x, w, VN_NONE, VN_OPTS(conv1d, .strides = {1, 0, 1})), VN_E_ARG, "strides has 3 numbers");
    CHECK_FAILS(vn_conv1d(x, w, VN_NONE, &(vn_conv1d_opts){.groups = 2}), VN_E_ARG,
                "conv1d: the options' size is 0; make them with VN_OPTS(conv1d, ...) or VN_INIT(conv1d)");
}

/* ---- known gradients of the mean of the first result ---- */

static void check_near(vn_array *x, int n, const double *want)
{
    const double *got = x && vn_size(x) == n ? vn_data(x) : NULL;
    CHECK(got);
    for (int k = 0; got && k < n; k++) CHECK(fabs(got[k] - want[k]) <= 2e-9);
}

#define VARIABLE(dims, ...) variable((const double[]){__VA_ARGS__}, dims, VN_F64)
#define IS_NEAR(x, n, ...) check_near(x, n, (const double[]){__VA_ARGS__})

static void known_gradients(void)
{
    vn_array *q = VARIABLE(VN_SHAPE(2, 2), 1, 0, 0, 1),
             *kv[] = {VARIABLE(VN_SHAPE(3, 2), 1, 2, 3, 4, 5, 6), VARIABLE(VN_SHAPE(3, 2), 1, 2, 3, 4, 5, 6)};
    vn_array *g[7], *attention[] = {q, kv[0], kv[1]};
    CHECK(vn_grads(vn_mean(vn_scaled_dot_product_attention(q, kv[0], kv[1], VN_NONE, VN_OPTS(scaled_dot_product_attention, .scale = .5)),
                           VN_ALL),
                   3, attention, NULL, g) == VN_OK);
    IS_NEAR(g[0], 4, 0.424404545, 0.424404545, 0.424404545, 0.424404545);
    IS_NEAR(g[1], 6, -0.070908547, -0.070908547, -0.070385179, -0.070385179, 0.141293726, 0.141293726);
    IS_NEAR(g[2], 6, 0.045015287, 0.045015287, 0.122364236, 0.122364236, 0.332620478, 0.332620478);

    vn_array *h, *c,
        *in[] = {VARIABLE(VN_SHAPE(2, 2), .5, -1, .25, .75),
                 VARIABLE(VN_SHAPE(1), .1),
                 VARIABLE(VN_SHAPE(1), .2),
                 VARIABLE(VN_SHAPE(2, 4), .1, .2, .3, .4, .5, .6, .7, .8),
                 VARIABLE(VN_SHAPE(1, 4), .9, .8, .7, .6),
                 VARIABLE(VN_SHAPE(4), .01, .02, .03, .04),
                 VARIABLE(VN_SHAPE(4), .05, .06, .07, .08)};
    vn_array *y = vn_lstm_update(in[0], in[1], in[2], in[3], in[4], in[5], in[6], NULL, &h, &c);
    CHECK(vn_grads(vn_mean(y, VN_ALL), 7, in, NULL, g) == VN_OK);
    IS_NEAR(g[0], 4, 0.046183143, 0.101448629, 0.053469367, 0.131540461);
    IS_NEAR(g[1], 1, 0.091980573);
    IS_NEAR(g[2], 1, 0.188133185);
    IS_NEAR(g[3], 8, -0.008998947, 0.009699018, 0.114514843, 0.002661378, 0.073296554, -0.025855758, -0.074488629, 0.035267418);
    IS_NEAR(g[4], 4, -0.005258425, 0.0023437, 0.013237251, -0.002006423);
    for (int k = 5; k < 7; k++) IS_NEAR(g[k], 4, 0.004121569, 0.016814947, 0.290846108, 0.021558827);
}

static void padding_rows_of_an_embedding_get_no_gradient(void)
{
    vn_array *table = VARIABLE(VN_SHAPE(3, 1), 1, 2, 3), *index = vn_from_host((const int64_t[]){0, 1, 1, 2}, VN_I64, VN_SHAPE(4));
    IS_NEAR(vn_grad(vn_sum(vn_embedding(index, table, VN_OPTS(embedding, .padding_index = 1)), VN_ALL), table), 3, 1, 0, 1);
}

/* ---- dropout ---- */

static void dropout(void)
{
    enum { N = 20000 };
    vn_seed(0);
    vn_array *x = vn_variable(vn_full(vn_scalar(2), VN_SHAPE(N / 4, 4), VN_F32)), *y = vn_dropout(x, VN_NONE, .25, NULL),
             *g = vn_grad(vn_sum(y, VN_ALL), x);
    const float *v = vn_data(y), *d = g ? vn_data(g) : NULL;
    int zeros = 0, wrong = 0;
    for (int k = 0; v && d && k < N; k++) {
        zeros += v[k] == 0;
        wrong += v[k] != 0 && fabsf(v[k] - 2 / .75f) > 1e-6f;
        wrong += fabsf(d[k] * 2 - v[k]) > 1e-6f;
    }
    CHECK(v && d && !wrong);
    CHECK(fabs(zeros - .25 * N) < 5 * sqrt(N * .25 * .75));
    CHECK(vn_item(vn_sum(vn_not_equal(vn_dropout(x, VN_NONE, 0, NULL), x), VN_ALL)) == 0);
    CHECK(vn_item(vn_sum(vn_not_equal(vn_dropout(x, VN_NONE, .25, NULL), y), VN_ALL)) > 0); /* another key */

    vn_array *shared = vn_dropout(x, vn_random_key(), .5, VN_OPTS(dropout, .no_scale = 1, .noise_shape = VN_LIST(-1, 1))),
             *row = vn_slice_at(shared, VN_SHAPE(0, 0), VN_SHAPE(N / 4, 1));
    CHECK(vn_item(vn_sum(vn_not_equal(shared, row), VN_ALL)) == 0);
    CHECK(vn_item(vn_max(shared, VN_ALL)) == 2);
    CHECK_FAILS(vn_dropout(x, VN_NONE, NAN, NULL), VN_E_ARG, "prob is nan");
    CHECK_FAILS(vn_dropout(NULL, VN_NONE, .5, NULL), VN_E_NULL, "dropout");
}

/* ---- several heads ---- */

static vn_array *random_array(vn_shape dims)
{
    return vn_cast(vn_random_normal(0, 1, dims), VN_F64);
}

static double distance(vn_array *x, vn_array *y)
{
    return vn_item(vn_max(vn_abs(vn_sub(x, y)), VN_ALL));
}

/* Columns from `first` on. */
static vn_array *columns(vn_array *x, int64_t first, int64_t n)
{
    return vn_slice_at(x, VN_SHAPE(0, first), VN_SHAPE(vn_dim(x, 0), n));
}

static vn_array *doubled(vn_array *x, const vn_tree *variables, void *user)
{
    (void)user;
    return vn_mul(x, vn_tree_get(variables, "by"));
}

static int two_arrays(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *user)
{
    (void)variables, (void)user;
    *k = columns(context, 0, 6);
    *v = columns(context, 6, 6);
    return VN_OK;
}

static vn_array *nothing(vn_array *x, const vn_tree *variables, void *user)
{
    (void)x, (void)variables, (void)user;
    return NULL;
}

static void heads_with_functions(void)
{
    enum { HEADS = 2, F = 3, WIDTH = HEADS * F };
    vn_array *x = random_array(VN_SHAPE(4, WIDTH)), *context = random_array(VN_SHAPE(5, 2 * WIDTH)), *one[HEADS];
    vn_array *mask = vn_from_host((const int8_t[]){1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0}, VN_I8, VN_SHAPE(4, 5));
    for (int h = 0; h < HEADS; h++)
        one[h] = vn_scaled_dot_product_attention(columns(x, h * F, F), columns(context, h * F, F), columns(context, WIDTH + h * F, F), mask,
                                                 VN_OPTS(scaled_dot_product_attention, .scale = .5));
    vn_array *want = vn_concat(HEADS, one, 1), *batch = vn_expand_dims(mask, 0);
    CHECK(distance(vn_multi_head_attention(x, context, mask, HEADS, VN_OPTS(multi_head_attention, .scale = .5)), want) < 1e-12);
    vn_array *y =
        vn_multi_head_attention(vn_expand_dims(x, 0), vn_expand_dims(context, 0), batch, HEADS, VN_OPTS(multi_head_attention, .scale = .5));
    CHECK(vn_rank(y) == 3 && distance(y, want) < 1e-12);
    vn_tree *v = vn_tree_of("by", vn_cast(vn_full(vn_scalar(2), VN_0D, VN_F32), VN_F64), NULL);
    y = vn_multi_head_attention(x, context, mask, HEADS,
                                VN_OPTS(multi_head_attention, .scale = .25, .to_q = doubled, .to_kv = two_arrays, .to_out = doubled,
                                        .q_variables = v, .out_variables = v));
    CHECK(distance(y, vn_mul(want, vn_scalar(2))) < 1e-12);
    CHECK_FAILS(vn_multi_head_attention(x, context, VN_NONE, 4, VN_OPTS(multi_head_attention, .scale = 1)), VN_E_SHAPE,
                "the last axis of q 4x6 cannot be split into 4 heads");
    CHECK_FAILS(vn_multi_head_attention(x, columns(x, 0, 3), VN_NONE, 1, VN_OPTS(multi_head_attention, .scale = 1)), VN_E_SHAPE,
                "cannot be split");
    CHECK_FAILS(vn_multi_head_attention(x, context, NULL, 1, VN_OPTS(multi_head_attention, .scale = 1)), VN_E_NULL, "mask");
    CHECK_FAILS(vn_multi_head_attention(x, context, VN_NONE, 1, VN_OPTS(multi_head_attention, .scale = 1, .to_q = nothing)), VN_E_CALLBACK,
                "returned NULL");
}

static void heads_with_weights(void)
{
    enum { HEADS = 2, F = 2, WIDTH = HEADS * F };
    vn_array *x = random_array(VN_SHAPE(3, WIDTH)), *w = random_array(VN_SHAPE(3 * WIDTH, WIDTH)), *b = random_array(VN_SHAPE(3 * WIDTH));
    vn_array *out = random_array(VN_SHAPE(WIDTH, WIDTH)), *part[3], *shift[3], *p = NULL, *one[HEADS];
    const int64_t thirds[] = {WIDTH, WIDTH, WIDTH};
    CHECK(vn_split(w, 3, thirds, 0, part) == VN_OK && vn_split(b, 3, thirds, 0, shift) == VN_OK);
    vn_array *q = vn_linear(x, part[0], shift[0]), *k = vn_linear(x, part[1], shift[1]), *v = vn_linear(x, part[2], shift[2]);
    for (int h = 0; h < HEADS; h++)
        one[h] = vn_scaled_dot_product_attention(columns(q, h * F, F), columns(k, h * F, F), columns(v, h * F, F), VN_NONE,
                                                 VN_OPTS(scaled_dot_product_attention, .causal = 1));
    vn_array *want = vn_linear(vn_concat(HEADS, one, 1), out, VN_NONE);
    vn_tree *packed = vn_tree_of("in_proj_weights", w, "in_proj_bias", b, "out_proj_weights", out, NULL);
    vn_tree *single = vn_tree_of("q_proj_weights", part[0], "k_proj_weights", part[1], "v_proj_weights", part[2], "in_proj_bias", b,
                                 "out_proj_weights", out, NULL);
    vn_array *y = vn_projected_attention(x, VN_NONE, VN_NONE, packed, VN_NONE, VN_NONE,
                                         VN_OPTS(projected_attention, .heads = HEADS, .causal = 1), NULL);
    CHECK(distance(y, want) < 1e-12);
    y = vn_projected_attention(x, x, x, single, vn_causal_mask(3, 3), VN_NONE, VN_OPTS(projected_attention, .heads = HEADS), &p);
    CHECK(distance(y, want) < 1e-12);
    CHECK(vn_rank(p) == 2 && fabs(vn_item(vn_sum(p, VN_ALL)) - 3) < 1e-12);

    vn_array *batch = vn_expand_dims(x, 0), *keys = vn_padding_mask(vn_from_host((const int64_t[]){2}, VN_I64, VN_SHAPE(1)), 3);
    vn_array *few = vn_projected_attention(x, columns(vn_matrix_transpose(columns(vn_matrix_transpose(x), 0, 2)), 0, WIDTH), VN_NONE,
                                           packed, VN_NONE, VN_NONE, VN_OPTS(projected_attention, .heads = HEADS), NULL);
    y = vn_projected_attention(batch, VN_NONE, VN_NONE, packed, VN_NONE, keys, VN_OPTS(projected_attention, .heads = HEADS), NULL);
    CHECK(vn_rank(y) == 3 && distance(y, few) < 1e-12);
    y = vn_projected_attention(vn_swapaxes(batch, 0, 1), VN_NONE, VN_NONE, packed, VN_NONE, keys,
                               VN_OPTS(projected_attention, .heads = HEADS, .steps_first = 1, .per_head = 1), &p);
    CHECK(distance(vn_swapaxes(y, 0, 1), few) < 1e-12 && vn_rank(p) == 4 && vn_dim(p, 1) == HEADS);

    /* a key of zeros has score 0 and value 0: it only reduces the other weights */
    vn_tree *none = vn_tree_new(NULL);
    vn_array *score = vn_exp(vn_mul(vn_matmul(x, vn_matrix_transpose(x)), vn_scalar(.5)));
    vn_array *less = vn_div(vn_matmul(score, x), vn_add(vn_sum(score, VN_KEEP(-1)), vn_scalar(1)));
    y = vn_projected_attention(x, VN_NONE, VN_NONE, none, VN_NONE, VN_NONE, VN_OPTS(projected_attention, .heads = 1, .zero_key = 1), NULL);
    CHECK(distance(y, less) < 1e-12);
    vn_array *offset = random_array(VN_SHAPE(WIDTH)); /* a bias of the result, without and with weights */
    vn_array *plain = vn_projected_attention(x, VN_NONE, VN_NONE, none, VN_NONE, VN_NONE, VN_OPTS(projected_attention, .heads = 1), NULL);
    y = vn_projected_attention(x, VN_NONE, VN_NONE, vn_tree_of("out_proj_bias", offset, NULL), VN_NONE, VN_NONE,
                               VN_OPTS(projected_attention, .heads = 1), NULL);
    CHECK(distance(y, vn_add(plain, offset)) < 1e-12);
    y = vn_projected_attention(x, VN_NONE, VN_NONE, vn_tree_of("out_proj_weights", out, "out_proj_bias", offset, NULL), VN_NONE, VN_NONE,
                               VN_OPTS(projected_attention, .heads = 1), NULL);
    CHECK(distance(y, vn_linear(plain, out, offset)) < 1e-12);
    vn_tree *more = vn_tree_of("bias_k", vn_zeros(VN_SHAPE(WIDTH), VN_F64), "bias_v", vn_zeros(VN_SHAPE(WIDTH), VN_F64), NULL);
    y = vn_projected_attention(x, VN_NONE, VN_NONE, more, vn_ones(VN_SHAPE(3, 3), VN_BOOL), VN_NONE,
                               VN_OPTS(projected_attention, .heads = 1), NULL);
    CHECK(distance(y, less) < 1e-12);
    CHECK_FAILS(vn_projected_attention(x, VN_NONE, VN_NONE, none, VN_NONE, VN_NONE, NULL, NULL), VN_E_SHAPE, "8 heads");
    CHECK_FAILS(
        vn_projected_attention(x, VN_NONE, VN_NONE, packed, vn_causal_mask(2, 3), VN_NONE, VN_OPTS(projected_attention, .heads = 2), NULL),
        VN_E_SHAPE, "projected_attention: attention: mask 2x3");
}

/* Layers apply to trees leaf by leaf. */
static void trees(void)
{
    vn_array *x = random_array(VN_SHAPE(2, 3)), *w = random_array(VN_SHAPE(4, 3));
    vn_tree *t = vn_tree_of("a", x, "b/c", x, NULL);
    const vn_value in[] = {{VN_V_TREE, {.tree = t}}, {VN_V_ARRAY, {.array = w}}};
    vn_value out;
    CHECK(vn_tree_apply("linear", in, 2, NULL, 0, &out, 1) == VN_OK && out.kind == VN_V_TREE);
    CHECK(distance(vn_tree_get(out.u.tree, "b/c"), vn_linear(x, w, VN_NONE)) == 0);
}

static const conformance_test rows[] = {
    NN("nn/functions", "convolutions", convolutions,
       "convolutions of random shapes, paddings, strides, dilations, groups and layouts against plain loops, exactly"),
    NN("nn/functions", "known_gradients", known_gradients, "gradients of attention and lstm that are known"),
    NN("nn/functions", "embedding_padding", padding_rows_of_an_embedding_get_no_gradient, "rows of padding get no gradient"),
    NN("nn/functions", "dropout_function", dropout, "what the function dropout promises"),
    NN("nn/functions", "heads_with_functions", heads_with_functions,
       "attention with several heads by functions against one head after another"),
    NN("nn/functions", "heads_with_weights", heads_with_weights, "attention with several heads by weights against one head after another"),
    NN("nn/functions", "layers_of_trees", trees, "layers apply to trees leaf by leaf"),
};

const nn_part nn_functions = NN_PART(rows);
