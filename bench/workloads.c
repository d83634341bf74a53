/* SPDX-License-Identifier: Apache-2.0 */
/* workloads.c: typical neural-network workloads; bench/peers.py has the same with the frameworks. float32. A workload creates its inputs
 * once and then computes its results repeatedly. */
#include "workloads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct workload workload;
struct workload {
    const char *name;
    void (*make)(workload *w);                /* fills in[] */
    int (*work)(workload *w, vn_array **out); /* one round: the arrays to compute; returns their number */
    int64_t size[6];
    int layout, back; /* convolutions: channels first; gradients instead of results */
    vn_array *in[8];
    vn_tree *p;
    vn_optim *adam;
    const char *precision; /* of products, NULL: exact; a framework's row of the same name without it is what it is held against */
};

static vn_array *normal(vn_shape s)
{
    return vn_random_normal(0, 1, s);
}

static vn_shape shape_of(const int64_t *dims, int n)
{
    return vn__shape(dims, (size_t)n);
}

/* ---- products and elementwise ---- */

static void make_squares(workload *w)
{
    w->in[0] = normal(VN_SHAPE(w->size[0], w->size[0]));
    w->in[1] = normal(VN_SHAPE(w->size[0], w->size[0]));
}
static void make_batch(workload *w)
{
    w->in[0] = normal(VN_SHAPE(64, 128, 64));
    w->in[1] = normal(VN_SHAPE(64, 64, 128));
}
static int product(workload *w, vn_array **out)
{
    out[0] = vn_matmul(w->in[0], w->in[1]);
    return 1;
}

static void make_three(workload *w)
{
    for (int k = 0; k < 3; k++) w->in[k] = normal(VN_SHAPE(w->size[0]));
}
static int elementwise(workload *w, vn_array **out)
{
    vn_array *a = w->in[0];
    out[0] = vn_mul(vn_tanh(vn_add(vn_mul(a, w->in[1]), w->in[2])), vn_exp(vn_neg(vn_mul(a, a))));
    return 1;
}

/* ---- reductions ---- */

static void make_rows(workload *w)
{
    w->in[0] = normal(VN_SHAPE(4096, 1024));
    w->in[1] = vn_ones(VN_SHAPE(1024), VN_F32);
    w->in[2] = vn_zeros(VN_SHAPE(1024), VN_F32);
}
static int sum_all(workload *w, vn_array **out)
{
    out[0] = vn_sum(w->in[0], VN_ALL);
    return 1;
}
static int sum_rows(workload *w, vn_array **out)
{
    out[0] = vn_sum(w->in[0], VN_AXES(1));
    return 1;
}
static int mean_rows(workload *w, vn_array **out)
{
    out[0] = vn_mean(w->in[0], VN_AXES(1));
    return 1;
}
static int softmax_rows(workload *w, vn_array **out)
{
    out[0] = vn_softmax(w->in[0], 1);
    return 1;
}
static int normalised_rows(workload *w, vn_array **out)
{
    out[0] = vn_layer_norm(w->in[0], w->in[1], w->in[2], VN_AXES(-1), 1e-5);
    return 1;
}

/* ---- convolutions: size = batch, side, channels in, channels out, spatial axes, groups ---- */

static vn_array *convolved(const workload *w, vn_array *x, vn_array *filter)
{
    int64_t pads[] = {1, 1, 1, 1, 1, 1};
    const char *format = w->layout ? "channel_first" : "channel_last";
    return vn_conv_general_dilated(x, filter, VN_NONE,
                                   VN_OPTS(conv_general_dilated, .pads = shape_of(pads, 2 * (int)w->size[4]), .data_format = format,
                                           .groups = w->size[5], .filter_format = format));
}
static void make_conv(workload *w)
{
    int64_t x[5] = {w->size[0]}, f[5];
    int n = (int)w->size[4], at = w->layout ? 2 : 1;
    for (int k = 0; k < n; k++) x[at + k] = w->size[1], f[k + (w->layout ? 2 : 0)] = 3;
    x[w->layout ? 1 : n + 1] = w->size[2];
    f[w->layout ? 1 : n] = w->size[2] / w->size[5];
    f[w->layout ? 0 : n + 1] = w->size[3];
    w->in[0] = normal(shape_of(x, n + 2));
    w->in[1] = normal(shape_of(f, n + 2));
    if (w->back) {
        x[w->layout ? 1 : n + 1] = w->size[3];
        w->in[2] = normal(shape_of(x, n + 2));
    }
}
static int convolve(workload *w, vn_array **out)
{
    if (!w->back) {
        out[0] = convolved(w, w->in[0], w->in[1]);
        return 1;
    }
    vn_array *wrt[] = {vn_variable(w->in[0]), vn_variable(w->in[1])};
    vn_grads(convolved(w, wrt[0], wrt[1]), 2, wrt, VN_OPTS(grad, .cotangent = w->in[2]), out);
    return 2;
}

/* ---- attention, lstm ---- */

static void make_attention(workload *w)
{
    for (int k = 0; k < 4; k++) w->in[k] = normal(VN_SHAPE(4, 8, 512, 64));
}
static int attend(workload *w, vn_array **out)
{
    if (!w->back) {
        out[0] = vn_attention(w->in[0], w->in[1], w->in[2], VN_NONE, NULL);
        return 1;
    }
    vn_array *wrt[] = {vn_variable(w->in[0]), vn_variable(w->in[1]), vn_variable(w->in[2])};
    out[0] = vn_attention(wrt[0], wrt[1], wrt[2], VN_NONE, NULL);
    vn_grads(out[0], 3, wrt, VN_OPTS(grad, .cotangent = w->in[3]), out + 1);
    return 4;
}

static void make_lstm(workload *w)
{
    w->in[0] = normal(VN_SHAPE(64, 32, 256));
    w->in[1] = w->in[2] = vn_zeros(VN_SHAPE(32, 256), VN_F32);
    w->in[3] = vn_mul(normal(VN_SHAPE(256, 1024)), vn_scalar(.06));
    w->in[4] = vn_mul(normal(VN_SHAPE(256, 1024)), vn_scalar(.06));
    w->in[5] = vn_zeros(VN_SHAPE(1024), VN_F32);
}
static int recur(workload *w, vn_array **out)
{
    vn_array *h, *c;
    out[0] = vn_lstm(w->in[0], w->in[1], w->in[2], w->in[3], w->in[4], w->in[5], NULL, &h, &c);
    return 1;
}

/* ---- training steps ---- */

static void make_adam(workload *w)
{
    w->p = vn_tree_of("w", normal(VN_SHAPE(10000000)), NULL);
    w->in[0] = normal(VN_SHAPE(10000000));
    w->adam = vn_adam(1e-3, NULL);
}
static int adam_step(workload *w, vn_array **out)
{
    (void)out;
    vn_step(w->adam, w->p, vn_tree_of("w", w->in[0], NULL));
    return 0;
}

static vn_array *weights(int64_t fan, vn_shape s)
{
    return vn_random_normal(0, sqrt(2. / (double)fan), s);
}

static vn_array *cross_entropy(vn_array *logits, vn_array *one_hot)
{
    return vn_neg(vn_mean(vn_sum(vn_mul(vn_log_softmax(logits, 1), one_hot), VN_AXES(1)), VN_ALL));
}

static vn_array *labels(int64_t n)
{
    return vn_one_hot(vn_remainder(vn_arange(0, (double)n, 1, VN_I64), vn_scalar(10)), 10, VN_F32);
}

static vn_array *dense(const vn_tree *p, vn_array *x, const char *weight, const char *bias)
{
    return vn_add(vn_matmul(x, vn_tree_get(p, weight)), vn_tree_get(p, bias));
}

static vn_array *mlp_loss(const vn_tree *p, void *data)
{
    vn_array **in = data;
    vn_array *h = vn_relu(dense(p, in[0], "w1", "b1"));
    h = vn_relu(dense(p, h, "w2", "b2"));
    return cross_entropy(dense(p, h, "w3", "b3"), in[1]);
}
static void make_mlp(workload *w)
{
    w->in[0] = normal(VN_SHAPE(w->size[0], 784));
    w->in[1] = labels(w->size[0]);
    w->p = vn_tree_of("w1", weights(784, VN_SHAPE(784, 512)), "b1", vn_zeros(VN_SHAPE(512), VN_F32), "w2", weights(512, VN_SHAPE(512, 512)),
                      "b2", vn_zeros(VN_SHAPE(512), VN_F32), "w3", weights(512, VN_SHAPE(512, 10)), "b3", vn_zeros(VN_SHAPE(10), VN_F32),
                      NULL);
    w->adam = vn_adam(1e-3, NULL);
}
static int train_mlp(workload *w, vn_array **out)
{
    vn_tree *g = NULL;
    out[0] = vn_value_and_grad(mlp_loss, w->p, w->in, &g);
    vn_step(w->adam, w->p, g);
    return 1;
}

static vn_array *block(const vn_tree *p, vn_array *x, const char *weight, const char *bias)
{
    vn_array *y = vn_conv2d(x, vn_tree_get(p, weight), vn_tree_get(p, bias), VN_OPTS(conv2d, .padding = "SAME"));
    return vn_max_pool2d(vn_relu(y), VN_LIST(2, 2), NULL);
}
static vn_array *cnn_loss(const vn_tree *p, void *data)
{
    vn_array **in = data;
    vn_array *h = block(p, block(p, block(p, in[0], "c1", "b1"), "c2", "b2"), "c3", "b3");
    return cross_entropy(dense(p, vn_reshape(h, VN_SHAPE(64, 4 * 4 * 128)), "w", "b"), in[1]);
}
static void make_cnn(workload *w)
{
    w->in[0] = normal(VN_SHAPE(64, 32, 32, 3));
    w->in[1] = labels(64);
    w->p = vn_tree_of("c1", weights(27, VN_SHAPE(3, 3, 3, 32)), "b1", vn_zeros(VN_SHAPE(32), VN_F32), "c2",
                      weights(288, VN_SHAPE(3, 3, 32, 64)), "b2", vn_zeros(VN_SHAPE(64), VN_F32), "c3",
                      weights(576, VN_SHAPE(3, 3, 64, 128)), "b3", vn_zeros(VN_SHAPE(128), VN_F32), "w", weights(2048, VN_SHAPE(2048, 10)),
                      "b", vn_zeros(VN_SHAPE(10), VN_F32), NULL);
    w->adam = vn_adam(1e-3, NULL);
}
static int train_cnn(workload *w, vn_array **out)
{
    vn_tree *g = NULL;
    out[0] = vn_value_and_grad(cnn_loss, w->p, w->in, &g);
    vn_step(w->adam, w->p, g);
    return 1;
}

/* ---- small and random ---- */

static void make_ones(workload *w)
{
    w->in[0] = w->in[1] = vn_ones(VN_SHAPE(1), VN_F32);
}
static int add_one(workload *w, vn_array **out)
{
    out[0] = vn_add(w->in[0], w->in[1]);
    return 1;
}
static void make_nothing(workload *w)
{
    (void)w;
}
static int sample_uniform(workload *w, vn_array **out)
{
    (void)w;
    out[0] = vn_random_uniform(0, 1, VN_SHAPE(10000000));
    return 1;
}
static int sample_normal(workload *w, vn_array **out)
{
    (void)w;
    out[0] = vn_random_normal(0, 1, VN_SHAPE(10000000));
    return 1;
}

#define CONV_AS(name_, first, backward, ...)                                                                         \
    {                                                                                                                \
        .name = name_, .make = make_conv, .work = convolve, .size = {__VA_ARGS__}, .layout = first, .back = backward \
    }
#define CONV(name, ...) CONV_AS(name "_f", 0, 0, __VA_ARGS__), CONV_AS(name "_b", 0, 1, __VA_ARGS__)
#define CONV_FIRST(name, ...) CONV_AS(name "_f", 1, 0, __VA_ARGS__), CONV_AS(name "_b", 1, 1, __VA_ARGS__)
#define PLAIN(name_, make_, work_)                  \
    {                                               \
        .name = name_, .make = make_, .work = work_ \
    }
#define SIZED(name_, make_, work_, size_)                              \
    {                                                                  \
        .name = name_, .make = make_, .work = work_, .size = { size_ } \
    }
#define BACK(name_, make_, work_)                              \
    {                                                          \
        .name = name_, .make = make_, .work = work_, .back = 1 \
    }
#define ROUNDED(name_, size_, precision_)                                                              \
    {                                                                                                  \
        .name = name_, .make = make_squares, .work = product, .size = {size_}, .precision = precision_ \
    }

static workload workloads[] = {
    SIZED("mm64", make_squares, product, 64),
    SIZED("mm256", make_squares, product, 256),
    SIZED("mm1024", make_squares, product, 1024),
    SIZED("mm2048", make_squares, product, 2048),
    PLAIN("bmm", make_batch, product),
    SIZED("ew1e3", make_three, elementwise, 1000),
    SIZED("ew1e6", make_three, elementwise, 1000000),
    SIZED("ew1e7", make_three, elementwise, 10000000),
    PLAIN("sum", make_rows, sum_all),
    PLAIN("sumr", make_rows, sum_rows),
    PLAIN("mean", make_rows, mean_rows),
    PLAIN("softmax", make_rows, softmax_rows),
    PLAIN("lnorm", make_rows, normalised_rows),
    CONV_FIRST("c56_nchw", 8, 56, 64, 64, 2, 1),
    CONV("c56_nhwc", 8, 56, 64, 64, 2, 1),
    CONV_FIRST("c28_nchw", 32, 28, 128, 128, 2, 1),
    CONV("c28_nhwc", 32, 28, 128, 128, 2, 1),
    CONV_FIRST("dw_nchw", 8, 56, 128, 128, 2, 128),
    CONV("dw_nhwc", 8, 56, 128, 128, 2, 128),
    CONV("conv1d", 32, 1024, 64, 128, 1, 1),
    CONV("conv3d", 2, 16, 32, 32, 3, 1),
    PLAIN("sdpa_f", make_attention, attend),
    BACK("sdpa_fb", make_attention, attend),
    PLAIN("lstm", make_lstm, recur),
    PLAIN("adam", make_adam, adam_step),
    SIZED("mlp", make_mlp, train_mlp, 128),
    PLAIN("cnn", make_cnn, train_cnn),
    PLAIN("add1", make_ones, add_one),
    PLAIN("runif", make_nothing, sample_uniform),
    PLAIN("rnorm", make_nothing, sample_normal),
};
enum { n_workloads = sizeof workloads / sizeof *workloads };

const char *workload_name(int k)
{
    return k >= 0 && k < n_workloads ? workloads[k].name : NULL;
}

/* ---- less exact products, and any size ---- */

static workload others[] = {
    ROUNDED("mm1024_bf16", 1024, "bf16"), ROUNDED("mm1024_fast", 1024, "fast"),  ROUNDED("mm1024_split", 1024, "split"),
    ROUNDED("mm2048_bf16", 2048, "bf16"), ROUNDED("mm2048_fast", 2048, "fast"),  ROUNDED("mm2048_split", 2048, "split"),
    PLAIN("mm:", make_squares, product),  PLAIN("ew:", make_three, elementwise), PLAIN("mlp:", make_mlp, train_mlp),
};
enum { n_others = sizeof others / sizeof *others };

static workload *workload_at(int k)
{
    return k < n_workloads ? &workloads[k] : &others[k - n_workloads];
}

int workload_find(const char *name)
{
    const char *size = strchr(name, ':');
    const int64_t n = size ? strtoll(size + 1, NULL, 10) : 0;
    for (int k = 0; k < n_workloads + n_others; k++) {
        workload *w = workload_at(k);
        if (size ? strncmp(w->name, name, (size_t)(size - name) + 1) != 0 || n < 1 : strcmp(w->name, name) != 0) continue;
        if (size && w->size[0] != n) {
            workload_run(k, 0);
            w->size[0] = n;
        }
        return k;
    }
    return -1;
}

/* The inputs, computed and kept. */
static void begin(workload *w)
{
    VN_SCOPE;
    w->make(w);
    for (int k = 0; k < 8 && w->in[k]; k++) {
        vn_eval(1, &w->in[k]);
        vn_keep(w->in[k]);
    }
    if (w->p) {
        for (int k = 0; k < vn_tree_leaves(w->p); k++) vn_eval(1, (vn_array *[]){vn_tree_leaf(w->p, k)});
        vn_tree_keep(w->p);
    }
    if (w->adam) vn_optim_keep(w->adam);
}

static void end(workload *w)
{
    for (int k = 0; k < 8; k++) {
        if (w->in[k]) vn_drop(w->in[k]);
        w->in[k] = NULL;
    }
    if (w->p) vn_tree_drop(w->p);
    if (w->adam) vn_optim_drop(w->adam);
    w->p = NULL;
    w->adam = NULL;
}

void workload_run(int k, long n)
{
    static int open = -1;
    workload *w = workload_at(k);
    if (n > 0 && open != k) {
        if (open >= 0) end(workload_at(open));
        begin(w);
        open = k;
    }
    vn_matmul_precision(w->precision);
    for (long i = 0; i < n && !vn_status(); i++) {
        VN_SCOPE;
        vn_array *out[8] = {0};
        int m = w->work(w, out);
        if (m && !vn_status()) vn_eval(m, out);
        if (m && i + 1 == n && !vn_status()) vn_data(out[m - 1]); /* engines may be asynchronous until then */
        if (!m && i + 1 == n) vn_data(vn_tree_leaf(w->p, 0));
    }
    vn_matmul_precision(NULL);
    if (n == 0 && open == k) {
        end(w);
        open = -1;
    }
}
