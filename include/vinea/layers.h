/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h: layers, initialisers, regularizers, constraints; one function per row of src/nn/objects.def.
 * Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h, train.h). vinea.h includes this header. */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_LAYERS_H
#define VINEA_LAYERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Layers ----
 * Modules with a forward function of their own. What the options `module` hold is for all modules: vn_module_opts.
 */

/* x w^T + b over the last axis; w: [out, in], b: [out]. */
typedef struct vn_nn_linear_opts {
    size_t size VN_UNSET;
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_linear_opts;
VN_API vn_module *vn_nn_linear(int64_t in, int64_t out, const vn_nn_linear_opts *opts VN_OR(NULL));

/* rows of a table for integers of any shape; w: [n, size]; integers outside 0 ... n - 1 give zeros. */
typedef struct vn_nn_embedding_opts {
    size_t size VN_UNSET;
    int64_t padding_index VN_UNSET; /* this row reads as zeros and is not trained; none is -1, row 0 is VN_ZERO in C and 0 by name; -1 unless given */
    double max_norm VN_UNSET; /* longer rows are scaled down to this length; in [0, inf] */
    vn_init w_init VN_UNSET; /* initialiser of w; normal unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_embedding_opts;
VN_API vn_module *vn_nn_embedding(int64_t n, int64_t size, const vn_nn_embedding_opts *opts VN_OR(NULL));

/* rows of w [n, size] for integers of any shape, and, for floats x [..., size], the logits x w^T [..., n] of all rows. */
typedef struct vn_nn_reversible_embedding_opts {
    size_t size VN_UNSET;
    double soft_cap VN_UNSET; /* logits are cap tanh(logits / cap); 0 leaves them as they are; in [0, inf) */
    vn_init w_init VN_UNSET; /* initialiser of w; normal unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_reversible_embedding_opts;
VN_API vn_module *vn_nn_reversible_embedding(int64_t n, int64_t size, const vn_nn_reversible_embedding_opts *opts VN_OR(NULL));

/* vn_bilinear of x [..., in1] and y [..., in2]: Arguments: {x, y}, of which the last may be missing: it is then x; w: [out, in1, in2], b: [out]. */
typedef vn_nn_linear_opts vn_nn_bilinear_opts;
VN_API vn_module *vn_nn_bilinear(int64_t in1, int64_t in2, int64_t out, const vn_nn_bilinear_opts *opts VN_OR(NULL));

/* vn_einsum of x and weights w of this shape, as btd,de->bte, and a bias b. */
typedef struct vn_nn_einsum_dense_opts {
    size_t size VN_UNSET;
    vn_shape bias VN_UNSET; /* the shape of b, which is added to the product; none: no bias */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_einsum_dense_opts;
VN_API vn_module *vn_nn_einsum_dense(const char *equation, vn_shape shape, const vn_nn_einsum_dense_opts *opts VN_OR(NULL));

/* sets elements to zero with this probability while training, and divides the others by 1 - prob. */
typedef struct vn_nn_dropout_opts {
    size_t size VN_UNSET;
    int no_scale VN_UNSET; /* the elements kept are not divided by 1 - prob */
    int reserved VN_UNSET; /* 0 */
    vn_shape noise_shape VN_UNSET; /* 1 for axes along which all share one choice, -1 or the size for the others */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_dropout_opts;
VN_API vn_module *vn_nn_dropout(double prob, const vn_nn_dropout_opts *opts VN_OR(NULL));

/* vn_gaussian_noise while training, else x. */
VN_API vn_module *vn_nn_gaussian_noise(double std);

/* vn_gaussian_dropout while training, else x. */
VN_API vn_module *vn_nn_gaussian_dropout(double prob);

/* vn_alpha_dropout, for networks of selu, while training, else x. */
VN_API vn_module *vn_nn_alpha_dropout(double prob);

/* vn_rescale: x scale + offset; integers become float32. */
VN_API vn_module *vn_nn_rescaling(double scale, double offset VN_OR(0));

/* vn_masked_steps: zeros at the steps whose features are all this value. */
VN_API vn_module *vn_nn_masking(double value);

/* vn_hash_bins of integers. */
VN_API vn_module *vn_nn_hashing(int64_t bins, int64_t salt VN_OR(0));

/* vn_hashed_cross of integers [..., features]: [...], a bin for each combination of features. */
VN_API vn_module *vn_nn_hashed_crossing(int64_t bins, int64_t salt VN_OR(0));

/* vn_lookup of integers in the buffer vocabulary, [size], which begins as 0 ... size - 1 and which vn_module_adapt makes the most frequent integers of data. */
typedef vn_lookup_opts vn_nn_lookup_opts;
VN_API vn_module *vn_nn_lookup(int64_t size, const vn_nn_lookup_opts *opts VN_OR(NULL));

/* the bucket (int64) of each number, from 0: how many of the buffer boundaries, [bins - 1], are not above it; they begin as 1 ... bins - 1, and vn_module_adapt makes them the quantiles of data that give equal buckets. */
VN_API vn_module *vn_nn_discretization(int64_t bins);

/* vn_category_encoding of integers, in float32. */
typedef vn_category_encoding_opts vn_nn_category_encoding_opts;
VN_API vn_module *vn_nn_category_encoding(int64_t size, const vn_nn_category_encoding_opts *opts VN_OR(NULL));

/* x itself. */
VN_API vn_module *vn_nn_identity(void);

/* the axes first ... last, which may count from the end, as one: vn_nn_flatten(1, -1) leaves the batch. */
VN_API vn_module *vn_nn_flatten(int64_t first, int64_t last VN_OR(-1));

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

/* vn_rrelu while training, else leaky_relu with the mean of both slopes. */
VN_API vn_module *vn_nn_rrelu(double low, double high VN_OR(0.3333333333333333));

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
VN_API vn_module *vn_nn_prelu(int64_t channels, const vn_nn_prelu_opts *opts VN_OR(NULL));

/* (x - mean) / sqrt(var + epsilon) * new_std * weight + bias over the last axes, which have this shape; weight and bias have it too. */
typedef struct vn_nn_layer_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the variance; 1e-5 unless given; in [0, inf) */
    double new_std VN_UNSET; /* the standard deviation of the result, before the weight; 1 unless given; in (-inf, inf) */
    int no_affine VN_UNSET; /* neither weight nor bias */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_layer_norm_opts;
VN_API vn_module *vn_nn_layer_norm(vn_shape shape, const vn_nn_layer_norm_opts *opts VN_OR(NULL));

/* x / sqrt(mean(x^2) + epsilon) * weight over the last axes; there is no bias. */
typedef struct vn_nn_rms_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the mean square; 1e-5 unless given; in [0, inf) */
    int no_affine VN_UNSET; /* no weight */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_rms_norm_opts;
VN_API vn_module *vn_nn_rms_norm(vn_shape shape, const vn_nn_rms_norm_opts *opts VN_OR(NULL));

/* (x - mean) / sqrt(variance) over the last axis, with buffers mean (zeros) and variance (ones), [size], that vn_module_adapt computes from data. */
typedef struct vn_nn_normalization_opts {
    size_t size VN_UNSET;
    int inverse VN_UNSET; /* x sqrt(variance) + mean instead */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_normalization_opts;
VN_API vn_module *vn_nn_normalization(int64_t size, const vn_nn_normalization_opts *opts VN_OR(NULL));

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
VN_API vn_module *vn_nn_group_norm(int64_t groups, int64_t channels, const vn_nn_group_norm_opts *opts VN_OR(NULL));

/* mean 0 and variance 1 over each channel of each entry of the batch; weight, bias: [channels]. */
typedef vn_nn_norm_opts vn_nn_instance_norm_opts;
VN_API vn_module *vn_nn_instance_norm(int64_t channels, const vn_nn_instance_norm_opts *opts VN_OR(NULL));

/* mean 0 and variance 1 over each channel of all x [N, W, C] or [N, C]: its own while training, which needs two numbers or more for each channel, else the running ones; buffers running_mean (zeros) and running_var (ones; towards the unbiased variance), in float32 where variables are half precision. */
typedef struct vn_nn_batch_norm_opts {
    size_t size VN_UNSET;
    double epsilon VN_UNSET; /* added to the variance; 1e-5 unless given; in [0, inf) */
    double momentum VN_UNSET; /* how far the running numbers go towards new ones; 0.1 unless given; in (0, 1] */
    int no_affine VN_UNSET; /* neither weight nor bias */
    int no_running VN_UNSET; /* x's own mean and variance, in training or not */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int synchronized VN_UNSET; /* while training on several ranks: the mean and variance of the parts that all ranks compute at the same time, of the whole batch with as many micro_batches as ranks. The result depends on the number of ranks; there are no second gradients */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_batch_norm_opts;
typedef vn_nn_batch_norm_opts vn_nn_batch_norm1d_opts;
VN_API vn_module *vn_nn_batch_norm1d(int64_t channels, const vn_nn_batch_norm1d_opts *opts VN_OR(NULL));

/* batch_norm1d of x [N, H, W, C]. */
typedef vn_nn_batch_norm_opts vn_nn_batch_norm2d_opts;
VN_API vn_module *vn_nn_batch_norm2d(int64_t channels, const vn_nn_batch_norm2d_opts *opts VN_OR(NULL));

/* batch_norm1d of x [N, D, H, W, C]. */
typedef vn_nn_batch_norm_opts vn_nn_batch_norm3d_opts;
VN_API vn_module *vn_nn_batch_norm3d(int64_t channels, const vn_nn_batch_norm3d_opts *opts VN_OR(NULL));

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
VN_API vn_module *vn_nn_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv1d_opts *opts VN_OR(NULL));

/* vn_conv2d with filters and a bias, as conv1d. */
typedef vn_nn_conv_opts vn_nn_conv2d_opts;
VN_API vn_module *vn_nn_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv2d_opts *opts VN_OR(NULL));

/* vn_conv3d with filters and a bias, as conv1d. */
typedef vn_nn_conv_opts vn_nn_conv3d_opts;
VN_API vn_module *vn_nn_conv3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv3d_opts *opts VN_OR(NULL));

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
VN_API vn_module *vn_nn_depthwise_conv2d(int64_t channels, vn_shape kernel, const vn_nn_depthwise_conv2d_opts *opts VN_OR(NULL));

/* vn_separable_conv1d with filters depthwise [kernel..., in, multiplier] and pointwise [in multiplier, out], and a bias b: [out]. */
typedef struct vn_nn_separable_conv_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded unless pads are given: VALID, SAME; the first unless given */
    vn_shape pads VN_UNSET; /* padding (low, high) for each spatial axis, or one number for all */
    const char *data_format VN_UNSET; /* where x has its channels: channel_last, channel_first, NWC, NCW, NHWC, NCHW, NDHWC, NCDHW; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t multiplier VN_UNSET; /* depthwise filters for each channel; 1 unless given; in [1, inf) */
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of both filters; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_separable_conv_opts;
typedef vn_nn_separable_conv_opts vn_nn_separable_conv1d_opts;
VN_API vn_module *vn_nn_separable_conv1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_separable_conv1d_opts *opts VN_OR(NULL));

/* vn_separable_conv2d with filters and a bias, as separable_conv1d. */
typedef vn_nn_separable_conv_opts vn_nn_separable_conv2d_opts;
VN_API vn_module *vn_nn_separable_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_separable_conv2d_opts *opts VN_OR(NULL));

/* vn_deform_conv2d with filters w: [kernel..., in / groups, out] and a bias b: [out]. Arguments: {x, offset, mask}, of which the last two may be missing: without offset it is conv2d. */
typedef struct vn_nn_deform_conv2d_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window along the spatial axes; one number serves all; 1 unless given */
    vn_shape pads VN_UNSET; /* zeros (low, high) around each spatial axis; one number serves all; 0 unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window; one number serves all; 1 unless given */
    int64_t groups VN_UNSET; /* number of channel groups, each with its own filters; 1 unless given; in [1, inf) */
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* initialiser of w; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* initialiser of b; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_deform_conv2d_opts;
VN_API vn_module *vn_nn_deform_conv2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_deform_conv2d_opts *opts VN_OR(NULL));

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
VN_API vn_module *vn_nn_conv1d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv1d_transpose_opts *opts VN_OR(NULL));

/* vn_conv2d_transpose with filters and a bias. */
typedef vn_nn_conv_transpose_opts vn_nn_conv2d_transpose_opts;
VN_API vn_module *vn_nn_conv2d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv2d_transpose_opts *opts VN_OR(NULL));

/* vn_conv3d_transpose with filters and a bias. */
typedef vn_nn_conv_transpose_opts vn_nn_conv3d_transpose_opts;
VN_API vn_module *vn_nn_conv3d_transpose(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv3d_transpose_opts *opts VN_OR(NULL));

/* vn_max_pool1d; window has a size for each spatial axis, or one for all. */
typedef vn_max_pool_layer_opts vn_nn_max_pool1d_opts;
VN_API vn_module *vn_nn_max_pool1d(vn_shape window, const vn_nn_max_pool1d_opts *opts VN_OR(NULL));

/* vn_max_pool2d. */
typedef vn_max_pool_layer_opts vn_nn_max_pool2d_opts;
VN_API vn_module *vn_nn_max_pool2d(vn_shape window, const vn_nn_max_pool2d_opts *opts VN_OR(NULL));

/* vn_max_pool3d. */
typedef vn_max_pool_layer_opts vn_nn_max_pool3d_opts;
VN_API vn_module *vn_nn_max_pool3d(vn_shape window, const vn_nn_max_pool3d_opts *opts VN_OR(NULL));

/* vn_avg_pool1d; window has a size for each spatial axis, or one for all. */
typedef vn_avg_pool_layer_opts vn_nn_avg_pool1d_opts;
VN_API vn_module *vn_nn_avg_pool1d(vn_shape window, const vn_nn_avg_pool1d_opts *opts VN_OR(NULL));

/* vn_avg_pool2d. */
typedef vn_avg_pool_layer_opts vn_nn_avg_pool2d_opts;
VN_API vn_module *vn_nn_avg_pool2d(vn_shape window, const vn_nn_avg_pool2d_opts *opts VN_OR(NULL));

/* vn_avg_pool3d. */
typedef vn_avg_pool_layer_opts vn_nn_avg_pool3d_opts;
VN_API vn_module *vn_nn_avg_pool3d(vn_shape window, const vn_nn_avg_pool3d_opts *opts VN_OR(NULL));

/* the mean of as many windows along each of 1 to 3 spatial axes as size says, or one number for all. */
typedef vn_adaptive_pool_opts vn_nn_adaptive_avg_pool_opts;
VN_API vn_module *vn_nn_adaptive_avg_pool(vn_shape size, const vn_nn_adaptive_avg_pool_opts *opts VN_OR(NULL));

/* the largest elements of such windows. */
typedef vn_adaptive_pool_opts vn_nn_adaptive_max_pool_opts;
VN_API vn_module *vn_nn_adaptive_max_pool(vn_shape size, const vn_nn_adaptive_max_pool_opts *opts VN_OR(NULL));

/* the mean of each channel: [N, C]. */
typedef vn_global_pool_opts vn_nn_global_avg_pool_opts;
VN_API vn_module *vn_nn_global_avg_pool(const vn_nn_global_avg_pool_opts *opts);

/* the largest element of each channel: [N, C]. */
typedef vn_global_pool_opts vn_nn_global_max_pool_opts;
VN_API vn_module *vn_nn_global_max_pool(const vn_nn_global_max_pool_opts *opts);

/* vn_dct of this type along an axis of x. */
typedef vn_fft_opts vn_nn_dct_opts;
VN_API vn_module *vn_nn_dct(int64_t kind, int64_t axis VN_OR(-1), const vn_nn_dct_opts *opts VN_OR(NULL));

/* spectra of frames of x [..., samples], of this length and half of it, or step, apart: [..., frames, n / 2 + 1]; magnitudes are at least 1e-7 in log, squares in magnitude. */
typedef struct vn_nn_spectrogram_opts {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* the length of the transforms; the power of 2 that is not below the frame's length unless given; in [1, inf) */
    const char *mode VN_UNSET; /* the logarithm of magnitudes, magnitudes, power spectral density, real or imaginary parts, angles, or real and imaginary parts side by side: log, magnitude, psd, real, imag, angle, stft; the first unless given */
    const char *window VN_UNSET; /* what frames are multiplied by: hann, hamming, blackman, bartlett, none; the first unless given */
    int periodic VN_UNSET; /* a periodic window */
    int reserved VN_UNSET; /* 0 */
    const char *scaling VN_UNSET; /* the window is divided by the root of its sum of squares, by its sum, or not at all: density, spectrum, none; the first unless given */
    const char *padding VN_UNSET; /* SAME: zeros around x, so that a frame begins at every step: VALID, SAME; the first unless given */
} vn_nn_spectrogram_opts;
VN_API vn_module *vn_nn_spectrogram(int64_t length, int64_t step VN_OR(0), const vn_nn_spectrogram_opts *opts VN_OR(NULL));

/* the power in mel bands (vn_mel_weights) of frames of x [..., samples], centred: [..., frames, bands], in decibels. */
typedef struct vn_nn_mel_spectrogram_opts {
    size_t size VN_UNSET;
    int64_t n VN_UNSET; /* the length of frames and transforms; 2048 unless given; in [2, inf) */
    int64_t length VN_UNSET; /* that of the window, in their middle; n unless given; in [1, inf) */
    int64_t step VN_UNSET; /* the distance between frames; 512 unless given; in [1, inf) */
    const char *window VN_UNSET; /* a periodic window: hann, hamming, blackman, bartlett, none; the first unless given */
    double low VN_UNSET; /* the lower end of the first band, in Hertz; 20 unless given; in [0, inf) */
    double high VN_UNSET; /* the upper end of the last band, in Hertz; half the sample rate unless given */
    double exponent VN_UNSET; /* magnitudes to this power; 2 unless given; in (0, inf) */
    int no_db VN_UNSET; /* not in decibels */
    int reserved VN_UNSET; /* 0 */
    double top_db VN_UNSET; /* decibels are at most this much below the largest; 80 unless given; in [0, inf) */
    double min_power VN_UNSET; /* a smaller power counts as this; 1e-10 unless given; in (0, inf) */
    double reference VN_UNSET; /* the power at 0 decibels; 1 unless given; in (0, inf) */
} vn_nn_mel_spectrogram_opts;
VN_API vn_module *vn_nn_mel_spectrogram(int64_t bands, double sample_rate VN_OR(16000), const vn_nn_mel_spectrogram_opts *opts VN_OR(NULL));

/* images (n, height, width, channels) mirrored by chance while training, each for itself, as all layers called random_...; x itself in evaluation. */
typedef struct vn_nn_random_flip_opts {
    size_t size VN_UNSET;
    double prob VN_UNSET; /* of each direction; 0.5 unless given; in [0, 1] */
    const char *direction VN_UNSET; /* left and right change places, or top and bottom, or either: horizontal, vertical, both; the first unless given */
} vn_nn_random_flip_opts;
VN_API vn_module *vn_nn_random_flip(const vn_nn_random_flip_opts *opts);

/* a part of each image, at a random place, in the size of the whole: 1 - part to 1 of height and width. */
VN_API vn_module *vn_nn_random_crop(double part);

/* images rotated about their centre by up to this angle, in either direction. */
typedef struct vn_nn_random_place_opts {
    size_t size VN_UNSET;
    const char *fill VN_UNSET; /* what is outside of an image: its mirror image, its edge, or zeros: reflect, nearest, zero; the first unless given */
} vn_nn_random_place_opts;
typedef vn_nn_random_place_opts vn_nn_random_rotation_opts;
VN_API vn_module *vn_nn_random_rotation(double degrees, const vn_nn_random_rotation_opts *opts VN_OR(NULL));

/* images shifted by up to this part of height and width either way. */
typedef vn_nn_random_place_opts vn_nn_random_translation_opts;
VN_API vn_module *vn_nn_random_translation(double part, const vn_nn_random_translation_opts *opts VN_OR(NULL));

/* images enlarged or reduced about their middle: their size over 1 - part to 1 + part. */
typedef vn_nn_random_place_opts vn_nn_random_zoom_opts;
VN_API vn_module *vn_nn_random_zoom(double part, const vn_nn_random_zoom_opts *opts VN_OR(NULL));

/* images with a number from -part to part added, which is for pixels from 0 to 1. */
VN_API vn_module *vn_nn_random_brightness(double part);

/* images whose distance from the mean of each channel is multiplied by 1 - part to 1 + part. */
VN_API vn_module *vn_nn_random_contrast(double part);

/* images whose distance from gray is multiplied by 1 - part to 1 + part; images without 3 channels stay as they are. */
VN_API vn_module *vn_nn_random_saturation(double part);

/* images whose hues are rotated by up to this part of the colour circle, in either direction; images without 3 channels stay as they are. */
VN_API vn_module *vn_nn_random_hue(double part);

/* images leaning to a side: rows shifted by up to this part of their distance from the middle, and columns too. */
typedef vn_nn_random_place_opts vn_nn_random_shear_opts;
VN_API vn_module *vn_nn_random_shear(double part, const vn_nn_random_shear_opts *opts VN_OR(NULL));

/* images seen from a side: each corner moves inwards by up to this part of half the width and half the height. */
typedef vn_nn_random_place_opts vn_nn_random_perspective_opts;
VN_API vn_module *vn_nn_random_perspective(double part, const vn_nn_random_perspective_opts *opts VN_OR(NULL));

/* images whose pixels move a little: noise from -pixels to pixels, smoothed. */
typedef struct vn_nn_random_elastic_opts {
    size_t size VN_UNSET;
    double sigma VN_UNSET; /* the deviation of the filter that smooths how far pixels move; 5 unless given; in (0, 100] */
    const char *fill VN_UNSET; /* what is outside of an image: its mirror image, its edge, or zeros: reflect, nearest, zero; the first unless given */
} vn_nn_random_elastic_opts;
VN_API vn_module *vn_nn_random_elastic(double pixels, const vn_nn_random_elastic_opts *opts VN_OR(NULL));

/* random_brightness, random_contrast, random_saturation and random_hue in one. */
typedef struct vn_nn_random_color_jitter_opts {
    size_t size VN_UNSET;
    double brightness VN_UNSET; /* as of random_brightness; VN_ZERO for none; 0.2 unless given; in [0, 1] */
    double contrast VN_UNSET; /* as of random_contrast; 0.2 unless given; in [0, 1] */
    double saturation VN_UNSET; /* as of random_saturation; 0.2 unless given; in [0, 1] */
    double hue VN_UNSET; /* as of random_hue; 0.05 unless given; in [0, 0.5] */
} vn_nn_random_color_jitter_opts;
VN_API vn_module *vn_nn_random_color_jitter(const vn_nn_random_color_jitter_opts *opts);

/* images moved towards gray by up to this part of the way; images without 3 channels stay as they are. */
VN_API vn_module *vn_nn_random_color_degeneration(double part);

/* images made gray with this probability; images without 3 channels stay as they are. */
VN_API vn_module *vn_nn_random_gray(double prob);

/* images inverted with this probability: 1 - x. */
VN_API vn_module *vn_nn_random_invert(double prob);

/* images stretched by chance, so that each channel goes from 0 to 1: vn_auto_contrast. */
VN_API vn_module *vn_nn_random_auto_contrast(double prob);

/* images in levels that are about equally frequent, by chance: vn_equalize. */
VN_API vn_module *vn_nn_random_equalize(double prob);

/* images in fewer levels by chance: vn_posterize. */
typedef struct vn_nn_random_posterize_opts {
    size_t size VN_UNSET;
    int64_t bits VN_UNSET; /* 2^bits levels are left; 4 unless given; in [1, 30] */
} vn_nn_random_posterize_opts;
VN_API vn_module *vn_nn_random_posterize(double prob, const vn_nn_random_posterize_opts *opts VN_OR(NULL));

/* images whose bright pixels are inverted, by chance: vn_solarize. */
typedef struct vn_nn_random_solarize_opts {
    size_t size VN_UNSET;
    double threshold VN_UNSET; /* pixels from here on are inverted; 0.5 unless given; in [0, 1] */
} vn_nn_random_solarize_opts;
VN_API vn_module *vn_nn_random_solarize(double prob, const vn_nn_random_solarize_opts *opts VN_OR(NULL));

/* images whose distance from their smoothed selves is multiplied by 1 - part to 1 + part; clipped to 0 ... 1. */
VN_API vn_module *vn_nn_random_sharpness(double part);

/* images with a Gaussian filter, each of its own deviation up to sigma; outside there is the edge. */
typedef struct vn_nn_random_blur_opts {
    size_t size VN_UNSET;
    int64_t taps VN_UNSET; /* pixels that the filter covers along each axis, an odd number; 3 unless given; in [1, 99] */
} vn_nn_random_blur_opts;
VN_API vn_module *vn_nn_random_blur(double sigma, const vn_nn_random_blur_opts *opts VN_OR(NULL));

/* images with a hole: a rectangle at a random place, its sides up to this part of height and width. */
typedef struct vn_nn_random_erasing_opts {
    size_t size VN_UNSET;
    double value VN_UNSET; /* of the pixels in it; in (-inf, inf) */
} vn_nn_random_erasing_opts;
VN_API vn_module *vn_nn_random_erasing(double part, const vn_nn_random_erasing_opts *opts VN_OR(NULL));

/* images with some of 14 changes, chosen for each image: shear, shift, rotation, brightness, contrast, saturation, sharpness, fewer levels, inverted brightness, equalisation, stretching, none. */
typedef struct vn_nn_rand_augment_opts {
    size_t size VN_UNSET;
    int64_t changes VN_UNSET; /* how many, one after the other; 2 unless given; in [1, 16] */
} vn_nn_rand_augment_opts;
VN_API vn_module *vn_nn_rand_augment(double amount, const vn_nn_rand_augment_opts *opts VN_OR(NULL));

/* images mixed with some chains of rand_augment's changes, by random shares. */
typedef struct vn_nn_aug_mix_opts {
    size_t size VN_UNSET;
    int64_t chains VN_UNSET; /* of changes; 3 unless given; in [1, 16] */
    int64_t depth VN_UNSET; /* the most changes of a chain; 3 unless given; in [1, 16] */
    double alpha VN_UNSET; /* of the distributions of the shares: equal ones are likelier for larger numbers; 1 unless given; in (0, 1000] */
} vn_nn_aug_mix_opts;
VN_API vn_module *vn_nn_aug_mix(double amount, const vn_nn_aug_mix_opts *opts VN_OR(NULL));

/* each image mixed with another of the batch, by shares from the distribution beta(alpha, alpha), and its label too: takes and gives the trees {x: images, y: labels of floats}. */
VN_API vn_module *vn_nn_mix_up(double alpha);

/* a rectangle of each image from another of the batch, and as much of its label: takes and gives the trees {x: images, y: labels of floats}; the rest is beta(alpha, alpha) distributed. */
VN_API vn_module *vn_nn_cut_mix(double alpha);

/* attention with several heads of x [..., queries, query_dim] over a context [..., keys, context_dim]. Arguments: {x, context, mask}, of which the last two may be missing: the context is then x; mask [..., queries, keys] says where to attend: not 0. Variables: to_q/w, b; to_kv/k/w, b; to_kv/v/w, b; to_out/submodules/v0/w, b, as of linear layers. */
typedef struct vn_nn_multi_head_attention_opts {
    size_t size VN_UNSET;
    int64_t heads VN_UNSET; /* how many; 8 unless given */
    int64_t head_dim VN_UNSET; /* features of a head; 64, or query_dim / heads with no_to_q, unless given; in [1, inf) */
    int64_t context_dim VN_UNSET; /* features of the context; query_dim unless given; in [1, inf) */
    double dropout VN_UNSET; /* of what to_out gives; in [0, 1] */
    double scale VN_UNSET; /* of products of queries and keys; 1 / sqrt(head_dim) unless given; in (-inf, inf) */
    int no_to_q VN_UNSET; /* x is q */
    int no_to_kv VN_UNSET; /* the first half of the context's last axis is k, the second v */
    int no_to_out VN_UNSET; /* the heads side by side are the result */
    int no_bias VN_UNSET; /* of the projections */
    int causal VN_UNSET; /* query i attends to keys up to i; not together with a mask */
    int zero_rows VN_UNSET; /* a query with nothing to attend to gives zeros (before to_out), not the mean of all v */
    int64_t kv_heads VN_UNSET; /* heads of keys and values, each for as many of the heads (grouped-query attention); as many as heads unless given; in [1, inf) */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_multi_head_attention_opts;
VN_API vn_module *vn_nn_multi_head_attention(int64_t query_dim, const vn_nn_multi_head_attention_opts *opts VN_OR(NULL));

/* vn_additive_attention of x [..., queries, size] over a context [..., keys, width]. Arguments: {x, context, keys, mask}, of which the last three may be missing: the context is then x, and keys [..., keys, size] are the context. Variable: scale [size]. */
typedef struct vn_nn_additive_attention_opts {
    size_t size VN_UNSET;
    int no_scale VN_UNSET; /* no variable */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* how scale begins; glorot_uniform unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_additive_attention_opts;
VN_API vn_module *vn_nn_additive_attention(int64_t size, const vn_nn_additive_attention_opts *opts VN_OR(NULL));

/* x [..., steps, size] plus sines and cosines of its positions, side by side, as the Transformer has them. */
typedef struct vn_nn_positional_encoding_opts {
    size_t size VN_UNSET;
    double base VN_UNSET; /* frequencies are base^(-2k / size); 10000 unless given; in (1, inf) */
    int64_t offset VN_UNSET; /* position of the first step */
} vn_nn_positional_encoding_opts;
VN_API vn_module *vn_nn_positional_encoding(int64_t size, const vn_nn_positional_encoding_opts *opts VN_OR(NULL));

/* silu of one linear layer times another: silu(x inner^T) (x outer^T). Variables: inner/w, b; outer/w, b. */
typedef struct vn_nn_swiglu_opts {
    size_t size VN_UNSET;
    int with_bias VN_UNSET; /* biases */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* how weights begin; glorot_uniform unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_swiglu_opts;
VN_API vn_module *vn_nn_swiglu(int64_t in, int64_t out, const vn_nn_swiglu_opts *opts VN_OR(NULL));

/* two linear layers over the last axis, with hidden features between. Variables: up/w, b; down/w, b; gate/w, b with swiglu or geglu. */
typedef struct vn_nn_feed_forward_opts {
    size_t size VN_UNSET;
    const char *activation VN_UNSET; /* between the two linear layers; the last two multiply silu or gelu of one by another: relu, gelu, silu, tanh, swiglu, geglu; the first unless given */
    double dropout VN_UNSET; /* while training, of what is between; in [0, 1] */
    int no_bias VN_UNSET; /* no biases */
    int reserved VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_feed_forward_opts;
VN_API vn_module *vn_nn_feed_forward(int64_t size, int64_t hidden, const vn_nn_feed_forward_opts *opts VN_OR(NULL));

/* self-attention and feed_forward, each added to what it takes, with layer_norm. Arguments: {x [..., steps, size], mask}; mask [..., steps, steps] says where to attend and may be missing. Variables: attention/..., feed_forward/..., norm1/..., norm2/.... */
typedef struct vn_nn_transformer_opts {
    size_t size VN_UNSET;
    int64_t hidden VN_UNSET; /* features between the two linear layers of feed_forward; 4 times size unless given; in [1, inf) */
    const char *activation VN_UNSET; /* that of feed_forward: relu, gelu, silu, tanh, swiglu, geglu; the first unless given */
    double dropout VN_UNSET; /* while training, of what is added to x and within feed_forward; in [0, 1] */
    int norm_first VN_UNSET; /* layer_norm before attention and feed_forward, not after they were added */
    int reserved VN_UNSET; /* 0 */
    double epsilon VN_UNSET; /* of layer_norm; 1e-5 unless given; in [0, inf) */
    int64_t kv_heads VN_UNSET; /* as of multi_head_attention; in [1, inf) */
    int causal VN_UNSET; /* the self-attention of the last part, encoder or decoder, goes to earlier steps only; not together with its mask */
    int no_bias VN_UNSET; /* of linear layers */
    int no_final_norm VN_UNSET; /* stacks end without a layer_norm of their own */
    int reserved2 VN_UNSET; /* 0 */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_transformer_opts;
typedef vn_nn_transformer_opts vn_nn_transformer_encoder_layer_opts;
VN_API vn_module *vn_nn_transformer_encoder_layer(int64_t size, int64_t heads, const vn_nn_transformer_encoder_layer_opts *opts VN_OR(NULL));

/* encoder layers one after the other, called as one of them. Variables: layers/v0/..., norm/.... */
typedef vn_nn_transformer_opts vn_nn_transformer_encoder_opts;
VN_API vn_module *vn_nn_transformer_encoder(int64_t size, int64_t heads, int64_t layers, const vn_nn_transformer_encoder_opts *opts VN_OR(NULL));

/* self-attention, attention to a context, and feed_forward, as transformer_encoder_layer. Arguments: {x [..., steps, size], context [..., keys, size], mask, context_mask [..., steps, keys]}, of which all but x may be missing: the context is then x. Variables: attention/..., context_attention/..., feed_forward/..., norm1/..., norm2/..., norm3/.... */
typedef vn_nn_transformer_opts vn_nn_transformer_decoder_layer_opts;
VN_API vn_module *vn_nn_transformer_decoder_layer(int64_t size, int64_t heads, const vn_nn_transformer_decoder_layer_opts *opts VN_OR(NULL));

/* decoder layers one after the other, called as one of them. Variables: layers/v0/..., norm/.... */
typedef vn_nn_transformer_opts vn_nn_transformer_decoder_opts;
VN_API vn_module *vn_nn_transformer_decoder(int64_t size, int64_t heads, int64_t layers, const vn_nn_transformer_decoder_opts *opts VN_OR(NULL));

/* an encoder of x, and a decoder of target with that as its context. Arguments: {x [..., steps, size], target [..., target steps, size], mask, target_mask, context_mask}, of which all but x may be missing: the target is then x. Variables: encoder/..., decoder/.... */
VN_API vn_module *vn_nn_transformer(int64_t size, int64_t heads, int64_t encoder_layers, int64_t decoder_layers, const vn_nn_transformer_opts *opts VN_OR(NULL));

/* long short-term memory over x [batch..., steps, in]. Called with an array it gives y [batch..., steps, out], of the last layer; called with {x, h, c, lengths} it gives {y, h, c}: the states [layers, batch..., out] after the last step, from those before the first one, which may be missing: zeros. lengths [batch...], integers, may be missing too: the steps of each sequence, between 0 and all; after its end y is 0 and its states stay, and reverse begins there. Variables: input/layer_0/w [in, 4 out], recurrent/layer_0/w [out, 4 out], input/layer_1/w ...; the order of gates is that of vn_lstm. */
typedef struct vn_nn_recurrent_opts {
    size_t size VN_UNSET;
    int64_t layers VN_UNSET; /* one above the other; 1 unless given */
    int last_only VN_UNSET; /* y is that of the last step, [batch..., out] */
    int no_state VN_UNSET; /* y alone also for trees */
    int with_bias VN_UNSET; /* input/layer_0/b and recurrent/layer_0/b ..., [4 out], [3 out] or [out] */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* how weights begin; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* how biases begin; zeros unless given */
    double dropout VN_UNSET; /* while training, of what a layer gives to the next; in [0, 1] */
    int bidirectional VN_UNSET; /* each layer also runs from the last step to the first, with variables of its own, input/reverse_0/w ...: y [..., 2 out] has both side by side, states those of each layer's two directions */
    int reverse VN_UNSET; /* from the last step to the first */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_recurrent_opts;
typedef vn_nn_recurrent_opts vn_nn_lstm_opts;
VN_API vn_module *vn_nn_lstm(int64_t in, int64_t out, const vn_nn_lstm_opts *opts VN_OR(NULL));

/* gated recurrent units, called as lstm without c; weights [in, 3 out] and [out, 3 out], the order of gates is that of vn_gru. */
typedef vn_nn_recurrent_opts vn_nn_gru_opts;
VN_API vn_module *vn_nn_gru(int64_t in, int64_t out, const vn_nn_gru_opts *opts VN_OR(NULL));

/* the simple recurrent network over x [batch..., steps, in]: h = tanh(x w + h u + biases), called as gru. Variables: input/layer_0/w [in, out], recurrent/layer_0/w [out, out] .... */
typedef vn_nn_recurrent_opts vn_nn_rnn_opts;
VN_API vn_module *vn_nn_rnn(int64_t in, int64_t out, const vn_nn_rnn_opts *opts VN_OR(NULL));

/* one step of lstm, with its variables: {x [batch..., in], h, c} gives {y, h, c}, [batch..., out] each; y is h; states that are missing are zeros. vn_module_steps calls it for every step of a sequence. */
typedef struct vn_nn_cell_opts {
    size_t size VN_UNSET;
    int with_bias VN_UNSET; /* input/layer_0/b and recurrent/layer_0/b, [4 out], [3 out] or [out] */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* how weights begin; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* how biases begin; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_cell_opts;
typedef vn_nn_cell_opts vn_nn_lstm_cell_opts;
VN_API vn_module *vn_nn_lstm_cell(int64_t in, int64_t out, const vn_nn_lstm_cell_opts *opts VN_OR(NULL));

/* one step of gru: {x, h} gives {y, h}, as lstm_cell. */
typedef vn_nn_cell_opts vn_nn_gru_cell_opts;
VN_API vn_module *vn_nn_gru_cell(int64_t in, int64_t out, const vn_nn_gru_cell_opts *opts VN_OR(NULL));

/* one step of rnn: {x, h} gives {y, h}, as lstm_cell. */
typedef vn_nn_cell_opts vn_nn_rnn_cell_opts;
VN_API vn_module *vn_nn_rnn_cell(int64_t in, int64_t out, const vn_nn_rnn_cell_opts *opts VN_OR(NULL));

/* lstm whose products are convolutions, over x [batch, steps, width, in]: y [batch, steps, width, out]. Called with {x, h, c, lengths} it gives {y, h, c}, as lstm does, with states [batch, width, out]. Variables: input/w [kernel..., in, 4 out], input/b [4 out], recurrent/w [kernel..., out, 4 out]; gates are in the order of vn_lstm. The convolution of h has strides 1 and padding SAME. */
typedef struct vn_nn_conv_lstm_opts {
    size_t size VN_UNSET;
    int64_t strides[3] VN_UNSET; /* steps of the window of x along the spatial axes; one number serves all; 1 unless given */
    const char *padding VN_UNSET; /* how x is padded: VALID, SAME; the first unless given */
    int64_t dilations[3] VN_UNSET; /* distances between the elements of a window of x; one number serves all; 1 unless given */
    int last_only VN_UNSET; /* y is that of the last step, [batch, ..., out] */
    int reverse VN_UNSET; /* from the last step to the first */
    int no_bias VN_UNSET; /* no bias */
    int reserved VN_UNSET; /* 0 */
    vn_init w_init VN_UNSET; /* how filters begin; glorot_uniform unless given */
    vn_init b_init VN_UNSET; /* how the bias begins; zeros unless given */
    const vn_module_opts *module VN_UNSET; /* options common to all modules */
} vn_nn_conv_lstm_opts;
typedef vn_nn_conv_lstm_opts vn_nn_conv_lstm1d_opts;
VN_API vn_module *vn_nn_conv_lstm1d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm1d_opts *opts VN_OR(NULL));

/* conv_lstm1d of x [batch, steps, height, width, in]. */
typedef vn_nn_conv_lstm_opts vn_nn_conv_lstm2d_opts;
VN_API vn_module *vn_nn_conv_lstm2d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm2d_opts *opts VN_OR(NULL));

/* conv_lstm1d of x [batch, steps, depth, height, width, in]. */
typedef vn_nn_conv_lstm_opts vn_nn_conv_lstm3d_opts;
VN_API vn_module *vn_nn_conv_lstm3d(int64_t in, int64_t out, vn_shape kernel, const vn_nn_conv_lstm3d_opts *opts VN_OR(NULL));

/* ---- Initialisers ----
 * How an array begins: plain data, made into an array by vn_init_array. A zeroed vn_init stands for a layer's default. As text with options in brackets, in this order or by name: normal(0, 0.02), uniform(6, 0.5, fan=out). The fan is how many numbers one number of a layer's result is made of (in), or goes into (out).
 */

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
VN_API vn_init vn_init_uniform(double numerator, double power VN_OR(1), double gain VN_OR(1), const vn_init_uniform_opts *opts VN_OR(NULL));

/* normal numbers. */
VN_API vn_init vn_init_normal(double mean, double std VN_OR(1));

/* normal numbers cut off two deviations from the mean. */
VN_API vn_init vn_init_truncated_normal(double mean, double std VN_OR(1));

/* uniform with w = sqrt(6 / (fan in + fan out)). */
VN_API vn_init vn_init_glorot_uniform(void);

/* normal with variance 2 / (fan in + fan out). */
VN_API vn_init vn_init_glorot_normal(void);

/* uniform with w = sqrt(6 / ((1 + slope^2) fan)); slope: of the leaky relu that follows. */
typedef vn_init_fan_opts vn_init_kaiming_uniform_opts;
VN_API vn_init vn_init_kaiming_uniform(double slope, const vn_init_kaiming_uniform_opts *opts VN_OR(NULL));

/* normal with variance 2 / ((1 + slope^2) fan). */
typedef vn_init_fan_opts vn_init_kaiming_normal_opts;
VN_API vn_init vn_init_kaiming_normal(double mean, double slope VN_OR(0), const vn_init_kaiming_normal_opts *opts VN_OR(NULL));

/* uniform with w = sqrt(3 / fan in). */
VN_API vn_init vn_init_lecun_uniform(void);

/* normal with variance 1 / fan in. */
VN_API vn_init vn_init_lecun_normal(void);

/* uniform with w = 1 / fan in. */
VN_API vn_init vn_init_first_layer_siren(void);

/* uniform with w = sqrt(6 / fan in) / w0. */
VN_API vn_init vn_init_siren(double w0);

/* gain on the diagonal of a matrix, 0 elsewhere. */
VN_API vn_init vn_init_identity(double gain);

/* normal numbers of a matrix, of which this part of each column, rounded up, is 0. */
VN_API vn_init vn_init_sparse(double part, double mean VN_OR(0), double std VN_OR(1));

/* gain times a matrix with orthonormal columns, or rows where these are fewer; columns are the last axis, rows all others together. */
VN_API vn_init vn_init_orthogonal(double gain);

/* ---- Regularizers ----
 * Penalties on the weights of a layer, which are added to the loss: plain data, for vn_module_regularize. In model files each layer may have "regularizers": {"w": "l2(0.01)"}.
 */

/* factor times the sum of absolute values. */
VN_API vn_regularizer vn_regularizer_l1(double factor);

/* factor times the sum of squares. */
VN_API vn_regularizer vn_regularizer_l2(double factor);

/* both. */
VN_API vn_regularizer vn_regularizer_l1_l2(double l1, double l2 VN_OR(0.01));

/* factor times the mean absolute cosine of the angles between rows of a matrix, or columns. */
VN_API vn_regularizer vn_regularizer_orthogonal(double factor, int64_t columns VN_OR(0));

/* ---- Constraints ----
 * What the weights of a layer are brought to after every step: plain data, for vn_module_constrain. In model files each layer may have "constraints": {"w": "max_norm(2)"}. The length of vectors is taken along an axis; along the last one, w of linear [out, in] has a vector of the weights of each output.
 */

/* no vector along the axis is longer. */
VN_API vn_constraint vn_constraint_max_norm(double max_value, int64_t axis VN_OR(-1));

/* lengths from min_value to max_value; rate is how far a step goes there. */
VN_API vn_constraint vn_constraint_min_max_norm(double min_value, double max_value VN_OR(1), double rate VN_OR(1), int64_t axis VN_OR(-1));

/* all vectors have length 1. */
VN_API vn_constraint vn_constraint_unit_norm(int64_t axis);

/* no number is below 0. */
VN_API vn_constraint vn_constraint_non_negative(void);

/* the largest singular value is 1, of w as a matrix of all axes but the last and the last: vn_spectral_normalize, with so many steps of the power method. */
VN_API vn_constraint vn_constraint_spectral_norm(int64_t iterations);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_nn_linear(...) vn_nn_linear(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_embedding(...) vn_nn_embedding(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_reversible_embedding(...) vn_nn_reversible_embedding(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_bilinear(...) vn_nn_bilinear(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_einsum_dense(...) vn_nn_einsum_dense(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_dropout(...) vn_nn_dropout(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_rescaling(...) vn_nn_rescaling(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_nn_hashing(...) vn_nn_hashing(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_nn_hashed_crossing(...) vn_nn_hashed_crossing(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_nn_lookup(...) vn_nn_lookup(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_category_encoding(...) vn_nn_category_encoding(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_flatten(...) vn_nn_flatten(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,-1))
#define vn_nn_rrelu(...) vn_nn_rrelu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0.3333333333333333))
#define vn_nn_prelu(...) vn_nn_prelu(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_layer_norm(...) vn_nn_layer_norm(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_rms_norm(...) vn_nn_rms_norm(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_normalization(...) vn_nn_normalization(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_group_norm(...) vn_nn_group_norm(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_instance_norm(...) vn_nn_instance_norm(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_batch_norm1d(...) vn_nn_batch_norm1d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_batch_norm2d(...) vn_nn_batch_norm2d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_batch_norm3d(...) vn_nn_batch_norm3d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv1d(...) vn_nn_conv1d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv2d(...) vn_nn_conv2d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv3d(...) vn_nn_conv3d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_depthwise_conv2d(...) vn_nn_depthwise_conv2d(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_separable_conv1d(...) vn_nn_separable_conv1d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_separable_conv2d(...) vn_nn_separable_conv2d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_deform_conv2d(...) vn_nn_deform_conv2d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv1d_transpose(...) vn_nn_conv1d_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv2d_transpose(...) vn_nn_conv2d_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv3d_transpose(...) vn_nn_conv3d_transpose(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_max_pool1d(...) vn_nn_max_pool1d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_max_pool2d(...) vn_nn_max_pool2d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_max_pool3d(...) vn_nn_max_pool3d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_avg_pool1d(...) vn_nn_avg_pool1d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_avg_pool2d(...) vn_nn_avg_pool2d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_avg_pool3d(...) vn_nn_avg_pool3d(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_adaptive_avg_pool(...) vn_nn_adaptive_avg_pool(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_adaptive_max_pool(...) vn_nn_adaptive_max_pool(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_dct(...) vn_nn_dct(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,-1, NULL))
#define vn_nn_spectrogram(...) vn_nn_spectrogram(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0, NULL))
#define vn_nn_mel_spectrogram(...) vn_nn_mel_spectrogram(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,16000, NULL))
#define vn_nn_random_rotation(...) vn_nn_random_rotation(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_translation(...) vn_nn_random_translation(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_zoom(...) vn_nn_random_zoom(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_shear(...) vn_nn_random_shear(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_perspective(...) vn_nn_random_perspective(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_elastic(...) vn_nn_random_elastic(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_posterize(...) vn_nn_random_posterize(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_solarize(...) vn_nn_random_solarize(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_blur(...) vn_nn_random_blur(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_random_erasing(...) vn_nn_random_erasing(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_rand_augment(...) vn_nn_rand_augment(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_aug_mix(...) vn_nn_aug_mix(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_multi_head_attention(...) vn_nn_multi_head_attention(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_additive_attention(...) vn_nn_additive_attention(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_positional_encoding(...) vn_nn_positional_encoding(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_nn_swiglu(...) vn_nn_swiglu(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_feed_forward(...) vn_nn_feed_forward(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_transformer_encoder_layer(...) vn_nn_transformer_encoder_layer(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_transformer_encoder(...) vn_nn_transformer_encoder(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_transformer_decoder_layer(...) vn_nn_transformer_decoder_layer(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_transformer_decoder(...) vn_nn_transformer_decoder(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_transformer(...) vn_nn_transformer(__VA_ARGS__ VN__REST5(__VA_ARGS__)(,,,,NULL))
#define vn_nn_lstm(...) vn_nn_lstm(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_gru(...) vn_nn_gru(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_rnn(...) vn_nn_rnn(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_lstm_cell(...) vn_nn_lstm_cell(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_gru_cell(...) vn_nn_gru_cell(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_rnn_cell(...) vn_nn_rnn_cell(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv_lstm1d(...) vn_nn_conv_lstm1d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv_lstm2d(...) vn_nn_conv_lstm2d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_nn_conv_lstm3d(...) vn_nn_conv_lstm3d(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,,,NULL))
#define vn_init_uniform(...) vn_init_uniform(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,1, 1, NULL))
#define vn_init_normal(...) vn_init_normal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_init_truncated_normal(...) vn_init_truncated_normal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,1))
#define vn_init_kaiming_uniform(...) vn_init_kaiming_uniform(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,NULL))
#define vn_init_kaiming_normal(...) vn_init_kaiming_normal(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0, NULL))
#define vn_init_sparse(...) vn_init_sparse(__VA_ARGS__ VN__REST3(__VA_ARGS__)(,,,0, 1))
#define vn_regularizer_l1_l2(...) vn_regularizer_l1_l2(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0.01))
#define vn_regularizer_orthogonal(...) vn_regularizer_orthogonal(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,0))
#define vn_constraint_max_norm(...) vn_constraint_max_norm(__VA_ARGS__ VN__REST2(__VA_ARGS__)(,,,,-1))
#define vn_constraint_min_max_norm(...) vn_constraint_min_max_norm(__VA_ARGS__ VN__REST4(__VA_ARGS__)(,,1, 1, -1))
#endif
#endif
