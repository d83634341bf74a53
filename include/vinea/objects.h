/* objects.h: layers, initialisers, optimizers, schedules, losses and metrics, one function per row of src/nn/objects.def.
 * Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h, train.h). */
/* clang-format off */
#ifndef VINEA_OBJECTS_H
#define VINEA_OBJECTS_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Layers ----
 * Modules with a forward function of their own. What the options `module` hold is for all modules: vn_module_opts. */

/* x w^T + b over the last axis; w: [out, in], b: [out]. */
typedef struct vn_nn_linear_opts {
    size_t size VN_UNSET;
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_linear_opts;
VN_API vn_module *vn_nn_linear(int64_t in, int64_t out, const vn_nn_linear_opts *opts);

/* rows of a table for integers of any shape; w: [n, size]; integers outside 0 ... n - 1 give zeros. */
typedef struct vn_nn_embedding_opts {
    size_t size VN_UNSET;
    int64_t padding_index VN_UNSET; /* this row reads as zeros and is not trained; none is -1, row 0 is VN_ZERO in C and 0 by name; -1 unless given */
    double max_norm VN_UNSET; /* longer rows are scaled down to this length; in [0, inf] */
    vn_init w_init VN_UNSET; /* initialiser of w; normal unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_embedding_opts;
VN_API vn_module *vn_nn_embedding(int64_t n, int64_t size, const vn_nn_embedding_opts *opts);

/* sets elements to zero with this probability while training, and divides the others by 1 - prob. */
typedef struct vn_nn_dropout_opts {
    size_t size VN_UNSET;
    int no_scale VN_UNSET; /* the elements kept are not divided by 1 - prob */
    int reserved VN_UNSET; /* 0 */
    vn_shape noise_shape VN_UNSET; /* 1 for axes along which all share one choice, -1 or the size for the others */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_dropout_opts;
VN_API vn_module *vn_nn_dropout(double prob, const vn_nn_dropout_opts *opts);

/* x itself. */
VN_API vn_module *vn_nn_identity(void);

/* the axes first ... last, which may count from the end, as one: vn_nn_flatten(1, -1) leaves the batch. */
VN_API vn_module *vn_nn_flatten(int64_t first, int64_t last);

/* the same numbers in this shape, which does not count the batch, the first axis. */
VN_API vn_module *vn_nn_reshape(vn_shape shape);

/* x where it is above 0, else 0. */
VN_API vn_module *vn_nn_relu(void);

/* x clamped to [0, 6]. */
VN_API vn_module *vn_nn_relu6(void);

/* x where it is above 0, else slope x. */
VN_API vn_module *vn_nn_leaky_relu(double slope);

/* x where it is above 0, else alpha (exp(x) - 1). */
VN_API vn_module *vn_nn_elu(double alpha);

/* elu with the constants of self-normalising networks. */
VN_API vn_module *vn_nn_selu(void);

/* x sigmoid(x). */
VN_API vn_module *vn_nn_silu(void);

/* x tanh(softplus(x)). */
VN_API vn_module *vn_nn_mish(void);

/* x relu6(x + 3) / 6. */
VN_API vn_module *vn_nn_hardswish(void);

/* the hyperbolic tangent. */
VN_API vn_module *vn_nn_tanh(void);

/* 1 / (1 + exp(-x)). */
VN_API vn_module *vn_nn_sigmoid(void);

/* log(1 + exp(beta x)) / beta. */
VN_API vn_module *vn_nn_softplus(double beta);

/* probabilities along an axis; cross_entropy takes what comes before it. */
VN_API vn_module *vn_nn_softmax(int64_t axis);

/* logarithms of probabilities along an axis. */
VN_API vn_module *vn_nn_log_softmax(int64_t axis);

/* x times the normal distribution function at x. */
typedef vn_gelu_opts vn_nn_gelu_opts;
VN_API vn_module *vn_nn_gelu(const vn_nn_gelu_opts *opts);

/* the first half of the last axis times gelu of the second. */
VN_API vn_module *vn_nn_geglu(void);

/* x where it is above 0, else weight x; weight: [channels]; one weight serves all. */
typedef struct vn_nn_prelu_opts {
    size_t size VN_UNSET;
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    vn_init init VN_UNSET; /* initialiser of weight; constant(0.25) unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_prelu_opts;
VN_API vn_module *vn_nn_prelu(int64_t channels, const vn_nn_prelu_opts *opts);

/* (x - mean) / sqrt(var + epsilon) * new_std * weight + bias over the last axes, which have this shape; weight and bias have it too. */
typedef struct vn_nn_layer_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the variance; 1e-5 unless given; in [0, inf) */
    double new_std VN_UNSET; /* the standard deviation of the result, before the weight; 1 unless given; in (-inf, inf) */
    int no_affine VN_UNSET; /* neither weight nor bias */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_layer_norm_opts;
VN_API vn_module *vn_nn_layer_norm(vn_shape shape, const vn_nn_layer_norm_opts *opts);

/* x / sqrt(mean(x^2) + epsilon) * weight over the last axes; there is no bias. */
typedef struct vn_nn_rms_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the mean square; 1e-5 unless given; in [0, inf) */
    int no_affine VN_UNSET; /* no weight */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_rms_norm_opts;
VN_API vn_module *vn_nn_rms_norm(vn_shape shape, const vn_nn_rms_norm_opts *opts);

/* mean 0 and variance 1 over each group of channels, of each entry of the batch; weight, bias: [channels]. */
typedef struct vn_nn_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the variance; 1e-5 unless given; in [0, inf) */
    int no_affine VN_UNSET; /* neither weight nor bias */
    int reserved VN_UNSET; /* 0 */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_norm_opts;
typedef vn_nn_norm_opts vn_nn_group_norm_opts;
VN_API vn_module *vn_nn_group_norm(int64_t groups, int64_t channels, const vn_nn_group_norm_opts *opts);

/* mean 0 and variance 1 over each channel of each entry of the batch; weight, bias: [channels]. */
typedef vn_nn_norm_opts vn_nn_instance_norm_opts;
VN_API vn_module *vn_nn_instance_norm(int64_t channels, const vn_nn_instance_norm_opts *opts);

/* mean 0 and variance 1 over each channel of all x [N, W, C] or [N, C]: its own while training, which needs two numbers or more for each channel, else the running ones; buffers running_mean (zeros) and running_var (ones; towards the unbiased variance), in float32 where variables are half precision. */
typedef struct vn_nn_batch_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the variance; 1e-5 unless given; in [0, inf) */
    double momentum VN_UNSET; /* how far the running numbers go towards new ones; 0.1 unless given; in (0, 1] */
    int no_affine VN_UNSET; /* neither weight nor bias */
    int no_running VN_UNSET; /* x's own mean and variance, in training or not */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_batch_norm_opts;
typedef vn_nn_batch_norm_opts vn_nn_batch_norm1d_opts;
VN_API vn_module *vn_nn_batch_norm1d(int64_t channels, const vn_nn_batch_norm1d_opts *opts);

/* batch_norm1d of x [N, H, W, C]. */
typedef vn_nn_batch_norm_opts vn_nn_batch_norm2d_opts;
VN_API vn_module *vn_nn_batch_norm2d(int64_t channels, const vn_nn_batch_norm2d_opts *opts);

/* batch_norm1d of x [N, D, H, W, C]. */
typedef vn_nn_batch_norm_opts vn_nn_batch_norm3d_opts;
VN_API vn_module *vn_nn_batch_norm3d(int64_t channels, const vn_nn_batch_norm3d_opts *opts);

/* vn_conv1d with filters w: [kernel..., in / groups, out], or as filter_format says, and a bias b: [1, ..., out], or [1, out, 1, ...]; kernel has a size for each spatial axis, or one for all. */
typedef struct vn_nn_conv_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given */
    const char *filter_format VN_UNSET; /* how the axes of w are ordered: channel_last, channel_first, WIO, HWIO, DHWIO, OIW, OIHW, OIDHW; the first unless given */
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_conv_opts;
typedef vn_nn_conv_opts vn_nn_conv1d_opts;
VN_API vn_module *vn_nn_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv1d_opts *opts);

/* vn_conv2d with filters and a bias, as conv1d. */
typedef vn_nn_conv_opts vn_nn_conv2d_opts;
VN_API vn_module *vn_nn_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv2d_opts *opts);

/* vn_conv3d with filters and a bias, as conv1d. */
typedef vn_nn_conv_opts vn_nn_conv3d_opts;
VN_API vn_module *vn_nn_conv3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv3d_opts *opts);

/* vn_depthwise_conv2d with filters w: [kernel..., channels] and a bias. */
typedef struct vn_nn_depthwise_conv_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NHWC, NCHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_depthwise_conv_opts;
typedef vn_nn_depthwise_conv_opts vn_nn_depthwise_conv2d_opts;
VN_API vn_module *vn_nn_depthwise_conv2d(int64_t channels, vn_shape kernel, const vn_nn_depthwise_conv2d_opts *opts);

/* vn_conv1d_transpose with filters w: [kernel..., in, out / groups] and a bias. */
typedef struct vn_nn_conv_transpose_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* the padding of the convolution that is transposed: VALID, SAME; the first unless given */
    int64_t output_shape[3] VN_UNSET; /* lengths of the result, one for each spatial axis */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given */
    const char *filter_format VN_UNSET; /* how the axes of w are ordered: channel_last, channel_first, WIO, HWIO, DHWIO, IOW, IOHW, IODHW, WOI, HWOI, DHWOI; the first unless given */
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_conv_transpose_opts;
typedef vn_nn_conv_transpose_opts vn_nn_conv1d_transpose_opts;
VN_API vn_module *vn_nn_conv1d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv1d_transpose_opts *opts);

/* vn_conv2d_transpose with filters and a bias. */
typedef vn_nn_conv_transpose_opts vn_nn_conv2d_transpose_opts;
VN_API vn_module *vn_nn_conv2d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv2d_transpose_opts *opts);

/* vn_conv3d_transpose with filters and a bias. */
typedef vn_nn_conv_transpose_opts vn_nn_conv3d_transpose_opts;
VN_API vn_module *vn_nn_conv3d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv3d_transpose_opts *opts);

/* vn_max_pool1d; window has a size for each spatial axis, or one for all. */
typedef vn_max_pool_layer_opts vn_nn_max_pool1d_opts;
VN_API vn_module *vn_nn_max_pool1d(vn_shape window, const vn_nn_max_pool1d_opts *opts);

/* vn_max_pool2d. */
typedef vn_max_pool_layer_opts vn_nn_max_pool2d_opts;
VN_API vn_module *vn_nn_max_pool2d(vn_shape window, const vn_nn_max_pool2d_opts *opts);

/* vn_max_pool3d. */
typedef vn_max_pool_layer_opts vn_nn_max_pool3d_opts;
VN_API vn_module *vn_nn_max_pool3d(vn_shape window, const vn_nn_max_pool3d_opts *opts);

/* vn_avg_pool1d; window has a size for each spatial axis, or one for all. */
typedef vn_avg_pool_layer_opts vn_nn_avg_pool1d_opts;
VN_API vn_module *vn_nn_avg_pool1d(vn_shape window, const vn_nn_avg_pool1d_opts *opts);

/* vn_avg_pool2d. */
typedef vn_avg_pool_layer_opts vn_nn_avg_pool2d_opts;
VN_API vn_module *vn_nn_avg_pool2d(vn_shape window, const vn_nn_avg_pool2d_opts *opts);

/* vn_avg_pool3d. */
typedef vn_avg_pool_layer_opts vn_nn_avg_pool3d_opts;
VN_API vn_module *vn_nn_avg_pool3d(vn_shape window, const vn_nn_avg_pool3d_opts *opts);

/* the mean of as many windows along each of 1 to 3 spatial axes as size says, or one number for all. */
typedef vn_adaptive_pool_opts vn_nn_adaptive_avg_pool_opts;
VN_API vn_module *vn_nn_adaptive_avg_pool(vn_shape size, const vn_nn_adaptive_avg_pool_opts *opts);

/* the largest elements of such windows. */
typedef vn_adaptive_pool_opts vn_nn_adaptive_max_pool_opts;
VN_API vn_module *vn_nn_adaptive_max_pool(vn_shape size, const vn_nn_adaptive_max_pool_opts *opts);

/* the mean of each channel: [N, C]. */
typedef vn_global_pool_opts vn_nn_global_avg_pool_opts;
VN_API vn_module *vn_nn_global_avg_pool(const vn_nn_global_avg_pool_opts *opts);

/* the largest element of each channel: [N, C]. */
typedef vn_global_pool_opts vn_nn_global_max_pool_opts;
VN_API vn_module *vn_nn_global_max_pool(const vn_nn_global_max_pool_opts *opts);

/* attention with several heads of x [..., queries, query_dim] over a context [..., keys, context_dim]. Arguments: {x, context, mask}, of which the last two may be missing: the context is then x; mask [..., queries, keys] says where to attend: not 0. Variables: to_q/w, b; to_kv/k/w, b; to_kv/v/w, b; to_out/submodules/v0/w, b, as of linear layers. */
typedef struct vn_nn_multi_head_attention_opts {
    size_t size VN_UNSET;
    int64_t heads VN_UNSET; /* how many; 8 unless given */
    int64_t head_dim VN_UNSET; /* features of a head; 64, or query_dim / heads with no_to_q, unless given */
    int64_t context_dim VN_UNSET; /* features of the context; query_dim unless given */
    double dropout VN_UNSET; /* of what to_out gives; in [0, 1] */
    double scale VN_UNSET; /* of products of queries and keys; 1 / sqrt(head_dim) unless given; in (-inf, inf) */
    int no_to_q VN_UNSET; /* x is q */
    int no_to_kv VN_UNSET; /* the first half of the context's last axis is k, the second v */
    int no_to_out VN_UNSET; /* the heads side by side are the result */
    int no_bias VN_UNSET; /* of the projections */
    int causal VN_UNSET; /* query i attends to keys up to i; not together with a mask */
    int zero_rows VN_UNSET; /* a query with nothing to attend to gives zeros (before to_out), not the mean of all v */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_multi_head_attention_opts;
VN_API vn_module *vn_nn_multi_head_attention(int64_t query_dim, const vn_nn_multi_head_attention_opts *opts);

/* long short-term memory over x [batch..., steps, in]. Called with an array it gives y [batch..., steps, out], of the last layer; called with {x, h, c} it gives {y, h, c}: the states [layers, batch..., out] after the last step, from those before the first one, which may be missing: zeros. Variables: input/layer_0/w [in, 4 out], recurrent/layer_0/w [out, 4 out], input/layer_1/w ...; the order of gates is that of vn_lstm. */
typedef struct vn_nn_recurrent_opts {
    size_t size VN_UNSET;
    int64_t layers VN_UNSET; /* one above the other; 1 unless given */
    int last_only VN_UNSET; /* y is that of the last step, [batch..., out] */
    int no_state VN_UNSET; /* y alone also for trees */
    int with_bias VN_UNSET; /* input/layer_0/b and recurrent/layer_0/b ..., [4 out] or [3 out] */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* how weights begin; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* how biases begin; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_recurrent_opts;
typedef vn_nn_recurrent_opts vn_nn_lstm_opts;
VN_API vn_module *vn_nn_lstm(int64_t in, int64_t out, const vn_nn_lstm_opts *opts);

/* gated recurrent units, called as lstm without c; weights [in, 3 out] and [out, 3 out], the order of gates is that of vn_gru. */
typedef vn_nn_recurrent_opts vn_nn_gru_opts;
VN_API vn_module *vn_nn_gru(int64_t in, int64_t out, const vn_nn_gru_opts *opts);

/* ---- Initialisers ----
 * How an array begins: plain data, made into an array by vn_init_array. A zeroed vn_init stands for a layer's default. As text with options in brackets, in this order or by name: normal(0, 0.02), uniform(6, 0.5, fan=out). The fan is how many numbers one number of a layer's result is made of (in), or goes into (out). */

/* zeros. */
VN_API vn_init vn_init_zeros(void);

/* ones. */
VN_API vn_init vn_init_ones(void);

/* one number. */
VN_API vn_init vn_init_constant(double value);

/* uniform between -w and w with w = gain (numerator / fan)^power. */
typedef struct vn_init_fan_opts {
    size_t size VN_UNSET;
    const char *fan VN_UNSET; /* which fan is meant: in, out, their sum or their mean: in, out, sum, avg; the first unless given */
} vn_init_fan_opts;
typedef vn_init_fan_opts vn_init_uniform_opts;
VN_API vn_init vn_init_uniform(double numerator, double power, double gain, const vn_init_uniform_opts *opts);

/* normal numbers. */
VN_API vn_init vn_init_normal(double mean, double std);

/* normal numbers cut off two deviations from the mean. */
VN_API vn_init vn_init_truncated_normal(double mean, double std);

/* uniform with w = sqrt(6 / (fan in + fan out)). */
VN_API vn_init vn_init_glorot_uniform(void);

/* normal with variance 2 / (fan in + fan out). */
VN_API vn_init vn_init_glorot_normal(void);

/* uniform with w = sqrt(6 / ((1 + slope^2) fan)); slope: of the leaky relu that follows. */
typedef vn_init_fan_opts vn_init_kaiming_uniform_opts;
VN_API vn_init vn_init_kaiming_uniform(double slope, const vn_init_kaiming_uniform_opts *opts);

/* normal with variance 2 / ((1 + slope^2) fan). */
typedef vn_init_fan_opts vn_init_kaiming_normal_opts;
VN_API vn_init vn_init_kaiming_normal(double mean, double slope, const vn_init_kaiming_normal_opts *opts);

/* uniform with w = sqrt(3 / fan in). */
VN_API vn_init vn_init_lecun_uniform(void);

/* normal with variance 1 / fan in. */
VN_API vn_init vn_init_lecun_normal(void);

/* uniform with w = 1 / fan in. */
VN_API vn_init vn_init_first_layer_siren(void);

/* uniform with w = sqrt(6 / fan in) / w0. */
VN_API vn_init vn_init_siren(double w0);

/* gain times a matrix with orthonormal columns, or rows where these are fewer; columns are the last axis, rows all others together. */
VN_API vn_init vn_init_orthogonal(double gain);

/* ---- Optimizers ----
 * How parameters move by their gradients (vn_step). lr is the learning rate, 0 or more; vn_optim_schedule makes it a function of the step. Defaults are those of PyTorch and the papers. What all optimizers share is set afterwards: vn_optim_clip_norm, vn_optim_clip_value, vn_optim_accumulate, vn_optim_keep_average, vn_optim_ignore_missing. */

/* w - lr g. */
typedef struct vn_sgd_opts {
    size_t size VN_UNSET;
    double momentum VN_UNSET; /* how much of the last step goes into the next; in [0, 1) */
    int nesterov VN_UNSET; /* look ahead by the momentum */
    int reserved VN_UNSET; /* 0 */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_sgd_opts;
VN_API vn_optim *vn_sgd(double lr, const vn_sgd_opts *opts);

/* Adam: the mean of gradients over the root of the mean of their squares. */
typedef struct vn_adam_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
    int folded VN_UNSET; /* epsilon folded into the rate, as vn_adam_step has it */
    int first_moments_grad VN_UNSET; /* begin with m = g, v = g^2 instead of 0 */
} vn_adam_opts;
VN_API vn_optim *vn_adam(double lr, const vn_adam_opts *opts);

/* Adam with decoupled weight decay. */
typedef struct vn_adamw_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; VN_ZERO for none; 0.01 unless given; in [0, inf) */
    int folded VN_UNSET; /* epsilon folded into the rate, as vn_adam_step has it */
    int first_moments_grad VN_UNSET; /* begin with m = g, v = g^2 instead of 0 */
} vn_adamw_opts;
VN_API vn_optim *vn_adamw(double lr, const vn_adamw_opts *opts);

/* gradients over the root of the mean of their squares. */
typedef struct vn_rmsprop_opts {
    size_t size VN_UNSET;
    double beta2 VN_UNSET; /* decay of the mean of squared gradients; 0.99 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-8 unless given; in [0, inf) */
    double momentum VN_UNSET; /* how much of the last step goes into the next; in [0, 1) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_rmsprop_opts;
VN_API vn_optim *vn_rmsprop(double lr, const vn_rmsprop_opts *opts);

/* gradients over the root of the sum of all their squares. */
typedef struct vn_adagrad_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-10 unless given; in [0, inf) */
    double weight_decay VN_UNSET; /* times w, added to the gradient; in [0, inf) */
} vn_adagrad_opts;
VN_API vn_optim *vn_adagrad(double lr, const vn_adagrad_opts *opts);

/* the sign of a mean of gradients. */
typedef struct vn_lion_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* of the direction; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of gradients; 0.99 unless given; in [0, 1) */
    double weight_decay VN_UNSET; /* times lr, the part taken from w itself; in [0, inf) */
} vn_lion_opts;
VN_API vn_optim *vn_lion(double lr, const vn_lion_opts *opts);

/* steps scaled layer by layer to the length of the parameters. */
typedef struct vn_lars_opts {
    size_t size VN_UNSET;
    double weight_decay VN_UNSET; /* weight decay; in [0, inf) */
    int folded VN_UNSET; /* the form of vn_lars_update without .paper */
    int reserved VN_UNSET; /* 0 */
} vn_lars_opts;
VN_API vn_optim *vn_lars(double lr, const vn_lars_opts *opts);

/* Adam's steps scaled layer by layer to the length of the parameters. */
typedef struct vn_lamb_opts {
    size_t size VN_UNSET;
    double beta1 VN_UNSET; /* decay of the mean of gradients; 0.9 unless given; in [0, 1) */
    double beta2 VN_UNSET; /* decay of the mean of their squares; 0.999 unless given; in [0, 1) */
    double epsilon VN_UNSET; /* keeps the denominator away from 0; 1e-6 unless given; in [0, inf) */
    double max_trust_ratio VN_UNSET; /* the largest trust ratio; without limit, or 10 if folded, unless given; in (0, inf) */
    double weight_decay VN_UNSET; /* weight decay; in [0, inf) */
    int folded VN_UNSET; /* the form of vn_lamb_update without .paper */
    int first_moments_grad VN_UNSET; /* begin with m = g, v = g^2 instead of 0 */
} vn_lamb_opts;
VN_API vn_optim *vn_lamb(double lr, const vn_lamb_opts *opts);

/* ---- Schedules ----
 * The learning rate of step 0, 1, 2 ...: plain data, for vn_optim_schedule. */

/* always the same. */
VN_API vn_schedule vn_constant(double rate);

/* times factor after every `every` steps. */
VN_API vn_schedule vn_step_decay(double rate, double factor, int64_t every);

/* the same, smoothly. */
VN_API vn_schedule vn_exponential_decay(double rate, double factor, int64_t every);

/* from rate to last, then last. */
VN_API vn_schedule vn_linear_decay(double rate, double last, int64_t steps);

/* along half a cosine from rate to last, then last. */
VN_API vn_schedule vn_cosine(double rate, double last, int64_t steps);

/* up from rate / 25 in 30 % of the steps, down to rate / 250000, by cosines. */
VN_API vn_schedule vn_one_cycle(double rate, int64_t steps);

/* ---- Losses ----
 * What vn_fit minimises: the mean over the rows. As text with options in brackets, in this order or by name: huber(0.5), cross_entropy(label_smoothing=0.1). */

/* logits against class numbers, as vn_cross_entropy. */
typedef struct vn_loss_cross_entropy_opts {
    size_t size VN_UNSET;
    double label_smoothing VN_UNSET; /* this share of the target is spread over all classes; in [0, 1] */
    int from_probs VN_UNSET; /* the network gives probabilities, not logits; their logarithm at 0 is -100 */
    int reserved VN_UNSET; /* 0 */
} vn_loss_cross_entropy_opts;
VN_API vn_loss vn_loss_cross_entropy(const vn_loss_cross_entropy_opts *opts);

/* squared differences. */
VN_API vn_loss vn_loss_mse(void);

/* absolute differences. */
VN_API vn_loss vn_loss_mae(void);

/* half the squared differences up to delta, in proportion to the difference beyond. */
VN_API vn_loss vn_loss_huber(double delta);

/* binary cross entropy: one logit against each target, which is 0 or 1. */
VN_API vn_loss vn_loss_bce(void);

/* huber divided by delta, here called beta; mae for beta 0. */
VN_API vn_loss vn_loss_smooth_l1(double beta);

/* counts that are Poisson distributed: -log of their probability. */
typedef struct vn_loss_poisson_nll_opts {
    size_t size VN_UNSET;
    int rate_input VN_UNSET; /* the network gives the rate itself, not its logarithm */
    int full VN_UNSET; /* with Stirling's approximation of log(target!) */
    double epsilon VN_UNSET; /* keeps the logarithm of a rate finite; 1e-8 unless given; in [0, inf] */
} vn_loss_poisson_nll_opts;
VN_API vn_loss vn_loss_poisson_nll(const vn_loss_poisson_nll_opts *opts);

/* ---- Metrics ----
 * What vn_fit and vn_evaluate report beside the loss. As text like losses: top(3), which may also be written top3, and precision(average=micro). */

/* the share of rows whose class is the most likely one. */
VN_API vn_metric vn_metric_accuracy(void);

/* the share of rows whose class is among the k most likely ones. */
VN_API vn_metric vn_metric_top(int64_t k);

/* of the rows taken for a class, the share that is of it; averaged over classes. */
typedef struct vn_metric_score_opts {
    size_t size VN_UNSET;
    const char *average VN_UNSET; /* over the classes: macro, micro, weighted; the first unless given */
} vn_metric_score_opts;
typedef vn_metric_score_opts vn_metric_precision_opts;
VN_API vn_metric vn_metric_precision(const vn_metric_precision_opts *opts);

/* of the rows of a class, the share taken for it; averaged over classes. */
typedef vn_metric_score_opts vn_metric_recall_opts;
VN_API vn_metric vn_metric_recall(const vn_metric_recall_opts *opts);

/* the harmonic mean of precision and recall of a class; averaged over classes. */
typedef vn_metric_score_opts vn_metric_f1_opts;
VN_API vn_metric vn_metric_f1(const vn_metric_f1_opts *opts);

/* the mean of squared differences. */
VN_API vn_metric vn_metric_mse(void);

/* the mean of absolute differences. */
VN_API vn_metric vn_metric_mae(void);

/* the root of mse. */
VN_API vn_metric vn_metric_rmse(void);

#ifdef __cplusplus
}
#endif
#endif
