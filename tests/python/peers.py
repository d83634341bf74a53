"""Gradients of the differentiable functions against the frameworks' own, on random inputs in float64: JAX where it can be imported, and PyTorch.

    peers.py [jax|torch]...

The test walks the listing of the op table. A function is compared with the one of the same name (in jax.numpy, jax.nn, torch.nn.functional ...), or with the
expression in SAME. Functions without a gradient to compare, or without a counterpart, are printed; each must have a reason in REASONS, and how many are compared is checked.
"""
# ctest: seconds 90
# ctest: frameworks
# ctest: full
import importlib
import pathlib
import random
import subprocess
import sys
import unittest

import vinea as vn

wanted = [sys.argv.pop() for _ in range(len(sys.argv) - 1)] or ["jax", "torch"]
peers = {}
for name in wanted:
    try:
        peers[name] = importlib.import_module(name)
    except Exception:  # whatever an incomplete installation raises
        pass
if not peers:
    print("skipped: neither JAX nor PyTorch can be imported")
    sys.exit(77)
import numpy as np

LEAST = {"jax": 371, "torch": 388}  # functions that must have been compared

# Why a function is not compared: the frameworks have no gradient of it, or no such function. What is not named here must be compared with both.
REASONS = {
    "its result is made of integers, bools or constants, so that the gradient is 0 or none": "hash_bins hashed_cross lookup binarize array_equal eye_like has_nans isneginf isposinf isreal multi_hot nanargmax nanargmin one_hot_fill unravel_index posterize trunc_divide linear_sum_assignment full zeros_like ones_like full_like nextafter floor_divide bitwise_invert isin logical_not logical_and logical_or "
    "logical_xor any all count_nonzero argmax argmin one_hot bincount nonzero nonzero_sized matrix_rank padding_mask heaviside isclose allclose lexsort",
    "the frameworks have no gradient of it, or another one by their definition": "unique unique_values unique_counts unique_inverse unique_sized unique_consecutive batch_norm eig",
    "its result has a size that is given beforehand, which the frameworks do not have": "repeat_counts_sized mask_sized",
    "it is a general form of functions that are compared": "conv conv_general_dilated conv_general_transpose max_pool sum_pool avg_pool adaptive_avg_pool adaptive_max_pool attention",
    "JAX has no such function": "softshrink hardshrink rms_norm group_norm interpolate huber_loss smooth_l1_loss binary_cross_entropy_with_logits kl_div gaussian_nll_loss cosine_similarity triplet_margin_loss "
    "lstm lstm_update gru gru_update ctc_loss cosine_embedding_loss grid_sample affine_grid local_response_norm soft_margin_loss hinge_embedding_loss margin_ranking_loss multi_margin_loss",
    "its random numbers are not the frameworks'": "dropout gaussian_noise gaussian_dropout alpha_dropout rrelu",
    "JAX has no gradient of it": "frexp",
    "PyTorch has no gradient by its first argument": "gammainc gammaincc",
    "PyTorch has no such function": "scale_and_translate dilate betainc map_coordinates",
    "neither framework has it as a function of arrays": "adjust_sharpness auto_contrast equalize elastic_transform deform_conv2d roi_align ms_ssim sobel_edges rgb_to_yuv yuv_to_rgb reconstruct_patches nnls log_cosh_loss lp_loss mape_loss msle_loss perceptron_loss sparsemax_loss sigmoid_focal_loss binary_focal_loss categorical_focal_loss categorical_hinge_loss multiclass_hinge_loss multiclass_perceptron_loss multiclass_sparsemax_loss generalized_cross_entropy poly_loss dice_loss tversky_loss generalized_dice_loss ntxent_loss circle_loss ranking_softmax_loss generalized_kl_div cosine_distance smooth_labels rnnt_loss rotary_embedding log_poisson_loss hinge_loss squared_hinge_loss adam_step optimizer_update gradient_descent_update adam_update lars_update lamb_update "
    "rgb_to_hsv hsv_to_rgb affine_transform perspective_transform gaussian_blur ssim median_filter grey_dilation grey_erosion extract_patches",
}

# What a function is called with, where that is not arrays alone: ours; JAX's and PyTorch's expressions, "" where the framework has none. a, b, c are the inputs.
SAME = {
    "unique_values": ("vn.unique_values(a)", "", ""),  # JAX's gradient is 0; ours is that of the elements taken
    "pow": ("vn.pow(a, b)", "jnp.power(a, b)", "torch.pow(a, b)"),
    "clip": ("vn.clip(a, 0.3, 0.6)", "jnp.clip(a, 0.3, 0.6)", "torch.clamp(a, 0.3, 0.6)"),
    "where": ("vn.where(a > 0.5, a, b)", "jnp.where(a > 0.5, a, b)", "torch.where(a > 0.5, a, b)"),
    "rsqrt": ("vn.rsqrt(a)", "jax.lax.rsqrt(a)", "torch.rsqrt(a)"),
    "erf": ("vn.erf(a)", "jax.scipy.special.erf(a)", "torch.erf(a)"),
    "erfc": ("vn.erfc(a)", "jax.scipy.special.erfc(a)", "torch.erfc(a)"),
    "erfinv": ("vn.erfinv(a)", "jax.scipy.special.erfinv(a)", "torch.erfinv(a)"),
    "lgamma": ("vn.lgamma(a)", "jax.lax.lgamma(a)", "torch.lgamma(a)"),
    "digamma": ("vn.digamma(a)", "jax.lax.digamma(a)", "torch.digamma(a)"),
    "polygamma": ("vn.polygamma(a, order=1)", "jax.scipy.special.polygamma(1, a)", "torch.polygamma(1, a)"),
    "var": ("vn.var(a, axis=0, correction=1)", "jnp.var(a, axis=0, ddof=1)", "torch.var(a, 0)"),
    "std": ("vn.std(a, axis=0, correction=1)", "jnp.std(a, axis=0, ddof=1)", "torch.std(a, 0)"),
    "sum": ("vn.sum(a, axis=1)", "jnp.sum(a, axis=1)", "torch.sum(a, 1)"),
    "mean": ("vn.mean(a, axis=1)", "jnp.mean(a, axis=1)", "torch.mean(a, 1)"),
    "max": ("vn.max(a, axis=1)", "jnp.max(a, axis=1)", "torch.amax(a, 1)"),
    "min": ("vn.min(a, axis=1)", "jnp.min(a, axis=1)", "torch.amin(a, 1)"),
    "prod": ("vn.prod(a, axis=1)", "jnp.prod(a, axis=1)", "torch.prod(a, 1)"),
    "logsumexp": ("vn.logsumexp(a, axis=1)", "jax.nn.logsumexp(a, axis=1)", "torch.logsumexp(a, 1)"),
    "cumulative_sum": ("vn.cumulative_sum(a, axis=1)", "jnp.cumsum(a, axis=1)", "torch.cumsum(a, 1)"),
    "cumulative_prod": ("vn.cumulative_prod(a, axis=1)", "jnp.cumprod(a, axis=1)", "torch.cumprod(a, 1)"),
    "norm": ("vn.linalg.vector_norm(a, ord=3)", "jnp.linalg.vector_norm(a, ord=3)", "torch.linalg.vector_norm(a, 3)"),
    "matrix_norm": ("vn.linalg.matrix_norm(a)", "jnp.linalg.matrix_norm(a)", "torch.linalg.matrix_norm(a)"),
    "reshape": ("vn.reshape(a, (9,))", "jnp.reshape(a, (9,))", "torch.reshape(a, (9,))"),
    "expand_dims": ("vn.expand_dims(a, axis=1)", "jnp.expand_dims(a, 1)", "torch.unsqueeze(a, 1)"),
    "squeeze": ("vn.squeeze(a[:1], 0)", "jnp.squeeze(a[:1], 0)", "torch.squeeze(a[:1], 0)"),
    "broadcast_to": ("vn.broadcast_to(a, (2, 3, 3))", "jnp.broadcast_to(a, (2, 3, 3))", "torch.broadcast_to(a, (2, 3, 3))"),
    "permute_dims": ("vn.permute_dims(a, (1, 0))", "jnp.permute_dims(a, (1, 0))", "torch.permute(a, (1, 0))"),
    "moveaxis": ("vn.moveaxis(a, 0, 1)", "jnp.moveaxis(a, 0, 1)", "torch.moveaxis(a, 0, 1)"),
    "swapaxes": ("vn.swapaxes(a, 0, 1)", "jnp.swapaxes(a, 0, 1)", "torch.swapaxes(a, 0, 1)"),
    "matrix_transpose": ("vn.matrix_transpose(a)", "jnp.matrix_transpose(a)", "a.mT"),
    "flip": ("vn.flip(a, axis=0)", "jnp.flip(a, 0)", "torch.flip(a, (0,))"),
    "roll": ("vn.roll(a, 2, axis=1)", "jnp.roll(a, 2, 1)", "torch.roll(a, 2, 1)"),
    "concat": ("vn.concat([a, b])", "jnp.concat([a, b])", "torch.cat([a, b])"),
    "stack": ("vn.stack([a, b])", "jnp.stack([a, b])", "torch.stack([a, b])"),
    "pad": ("vn.pad(a, [1, 0], [0, 2])", "jnp.pad(a, [(1, 0), (0, 2)])", "F.pad(a, (0, 2, 1, 0))"),
    "tile": ("vn.tile(a, (2, 1))", "jnp.tile(a, (2, 1))", "torch.tile(a, (2, 1))"),
    "repeat": ("vn.repeat(a, 2, axis=1)", "jnp.repeat(a, 2, 1)", "torch.repeat_interleave(a, 2, 1)"),
    "slice_step": ("a[::2, ::-1]", "a[::2, ::-1]", "torch.flip(a, (1,))[::2]"),
    "diag": ("vn.diag(a[0])", "jnp.diag(a[0])", "torch.diag(a[0])"),
    "take": ("vn.take(a, vn.asarray([2, 0, 2]), axis=1)", "jnp.take(a, jnp.asarray([2, 0, 2]), axis=1)", "a[:, [2, 0, 2]]"),
    "take_along_axis": ("vn.take_along_axis(a, vn.asarray([[1], [0], [1]]), axis=1)", "jnp.take_along_axis(a, jnp.asarray([[1], [0], [1]]), 1)",
                        "torch.take_along_dim(a, torch.tensor([[1], [0], [1]]), 1)"),
    "index_add": ("vn.index_add(a, vn.asarray([0, 0, 2]), b, axis=0)", "a.at[jnp.asarray([0, 0, 2])].add(b)", "torch.index_add(a, 0, torch.tensor([0, 0, 2]), b)"),
    "index_set": ("vn.index_set(a, vn.asarray([2, 0, 1]), b, axis=0)", "a.at[jnp.asarray([2, 0, 1])].set(b)", "torch.index_copy(a, 0, torch.tensor([2, 0, 1]), b)"),
    "mask": ("a[vn.asarray([True, False, True])]", "a[np.asarray([True, False, True])]", "a[[True, False, True]]"),
    "topk": ("vn.topk(a, 2).values", "jax.lax.top_k(a, 2)[0]", "torch.topk(a, 2).values"),
    "sort": ("vn.sort(a)", "jnp.sort(a)", "torch.sort(a).values"),
    "outer": ("vn.outer(a[0], b[0])", "jnp.outer(a[0], b[0])", "torch.outer(a[0], b[0])"),
    "vecdot": ("vn.vecdot(a, b)", "jnp.vecdot(a, b)", "torch.linalg.vecdot(a, b)"),
    "tensordot": ("vn.tensordot(a, b, axes=1)", "jnp.tensordot(a, b, 1)", "torch.tensordot(a, b, 1)"),
    "cross": ("vn.linalg.cross(a, b)", "jnp.cross(a, b)", "torch.linalg.cross(a, b)"),
    "einsum": ("vn.einsum([a, b], 'ij,kj->ik')", "jnp.einsum('ij,kj->ik', a, b)", "torch.einsum('ij,kj->ik', a, b)"),
    "cholesky": ("vn.linalg.cholesky(a @ a.mT + vn.eye(3, dtype=a.dtype))", "jnp.linalg.cholesky(a @ a.mT + jnp.eye(3))", "torch.linalg.cholesky(a @ a.mT + torch.eye(3).double())"),
    "solve": ("vn.linalg.solve(a, b)", "jnp.linalg.solve(a, b)", "torch.linalg.solve(a, b)"),
    "solve_triangular": ("vn.solve_triangular(a, b)", "jax.scipy.linalg.solve_triangular(a, b, lower=True)", "torch.linalg.solve_triangular(a, b, upper=False)"),
    "inv": ("vn.linalg.inv(a)", "jnp.linalg.inv(a)", "torch.linalg.inv(a)"),
    "det": ("vn.linalg.det(a)", "jnp.linalg.det(a)", "torch.linalg.det(a)"),
    "slogdet": ("vn.slogdet(a)[1]", "jnp.linalg.slogdet(a)[1]", "torch.linalg.slogdet(a)[1]"),
    "matrix_power": ("vn.linalg.matrix_power(a, 3)", "jnp.linalg.matrix_power(a, 3)", "torch.linalg.matrix_power(a, 3)"),
    "qr": ("vn.abs(vn.linalg.qr(a).R)", "jnp.abs(jnp.linalg.qr(a).R)", "torch.abs(torch.linalg.qr(a).R)"),
    "eigh": ("vn.linalg.eigh(a + a.mT).eigenvectors ** 2", "jnp.linalg.eigh(a + a.mT).eigenvectors ** 2", "torch.linalg.eigh(a + a.mT).eigenvectors ** 2"),
    "eigvalsh": ("vn.linalg.eigvalsh(a + a.mT)", "jnp.linalg.eigvalsh(a + a.mT)", "torch.linalg.eigvalsh(a + a.mT)"),
    "svd": ("vn.linalg.svd(a).U ** 2", "jnp.linalg.svd(a).U ** 2", "torch.linalg.svd(a).U ** 2"),
    "svdvals": ("vn.linalg.svdvals(a)", "jnp.linalg.svdvals(a)", "torch.linalg.svdvals(a)"),
    "pinv": ("vn.linalg.pinv(a)", "jnp.linalg.pinv(a)", "torch.linalg.pinv(a)"),
    **{f: (f"vn.abs(vn.fft.{f}(a)) ** 2", f"jnp.abs(jnp.fft.{f}(a)) ** 2", f"torch.abs(torch.fft.{f}(a)) ** 2") for f in ("fft", "ifft", "fftn", "ifftn", "rfft", "rfftn", "ihfft")},
    **{f: (f"vn.fft.{f}(vn.complex(a, b))", f"jnp.fft.{f}(jax.lax.complex(a, b))", f"torch.fft.{f}(torch.complex(a, b))") for f in ("irfft", "hfft")},
    "fftshift": ("vn.fft.fftshift(a)", "jnp.fft.fftshift(a)", "torch.fft.fftshift(a)"), "ifftshift": ("vn.fft.ifftshift(a)", "jnp.fft.ifftshift(a)", "torch.fft.ifftshift(a)"),
    "complex": ("vn.abs(vn.complex(a, b))", "jnp.abs(jax.lax.complex(a, b))", "torch.abs(torch.complex(a, b))"),
    "real": ("vn.real(vn.complex(a, b) ** 2)", "jnp.real(jax.lax.complex(a, b) ** 2)", "torch.real(torch.complex(a, b) ** 2)"),
    "imag": ("vn.imag(vn.complex(a, b) ** 2)", "jnp.imag(jax.lax.complex(a, b) ** 2)", "torch.imag(torch.complex(a, b) ** 2)"),
    "angle": ("vn.angle(vn.complex(a, b))", "jnp.angle(jax.lax.complex(a, b))", "torch.angle(torch.complex(a, b))"),
    "leaky_relu": ("vn.leaky_relu(a - 0.5)", "jax.nn.leaky_relu(a - 0.5)", "F.leaky_relu(a - 0.5)"),
    **{f: (f"vn.{f}(a - 0.5)", f"jax.nn.{f}(a - 0.5)", f"F.{f}(a - 0.5)") for f in ("relu", "relu6", "elu", "selu", "celu", "silu", "mish", "softplus", "sigmoid")},
    **{f: (f"vn.{f}(a - 0.5)", f"jax.nn.hard_{f[4:]}(a - 0.5)", f"F.{f}(a - 0.5)") for f in ("hardsigmoid", "hardswish")},
    **{f: (f"vn.{f}(4 * a - 2)", "", f"F.{f}(4 * a - 2)") for f in ("softshrink", "hardshrink")},
    "tanhshrink": ("vn.tanhshrink(a)", "a - jnp.tanh(a)", "F.tanhshrink(a)"),
    "gelu": ("vn.gelu(a - 0.5)", "jax.nn.gelu(a - 0.5, approximate=False)", "F.gelu(a - 0.5)"),
    "softsign": ("vn.softsign(a - 0.5)", "jax.nn.soft_sign(a - 0.5)", "F.softsign(a - 0.5)"),
    "hardtanh": ("vn.hardtanh(3 * a)", "jax.nn.hard_tanh(3 * a)", "F.hardtanh(3 * a)"),
    "log_sigmoid": ("vn.log_sigmoid(a)", "jax.nn.log_sigmoid(a)", "F.logsigmoid(a)"),
    "prelu": ("vn.prelu(a - 0.5, b[0, :1])", "jnp.where(a > 0.5, a - 0.5, b[0, 0] * (a - 0.5))", "F.prelu(a - 0.5, b[0, :1])"),
    "threshold": ("vn.threshold(a, 0.5)", "jnp.where(a > 0.5, a, 0.0)", "F.threshold(a, 0.5, 0.0)"),
    "glu": ("vn.glu(vn.concat([a, b], axis=1))", "jax.nn.glu(jnp.concat([a, b], axis=1))", "F.glu(torch.cat([a, b], 1))"),
    "softmax": ("vn.softmax(a, -1)", "jax.nn.softmax(a, -1)", "F.softmax(a, -1)"), "log_softmax": ("vn.log_softmax(a, -1)", "jax.nn.log_softmax(a, -1)", "F.log_softmax(a, -1)"),
    "softmin": ("vn.softmin(a, -1)", "jax.nn.softmax(-a, -1)", "F.softmin(a, -1)"),
    "layer_norm": ("vn.layer_norm(a, axes=-1)", "jax.nn.standardize(a, -1)", "F.layer_norm(a, (3,))"),
    "rms_norm": ("vn.rms_norm(a, axes=-1, epsilon=1e-5)", "", "F.rms_norm(a, (3,), eps=1e-5)"),
    "l2_normalize": ("vn.l2_normalize(a, -1)", "a / jnp.linalg.norm(a, axis=-1, keepdims=True)", "F.normalize(a)"),
    "conv1d": ("vn.conv1d(a[None], b[:, :, None])", "jax.lax.conv_general_dilated(a[None], b[:, :, None], (1,), 'VALID', dimension_numbers=('NHC', 'HIO', 'NHC'))",
               "F.conv1d(a[None].mT, b[:, :, None].permute(2, 1, 0)).mT"),
    "linear": ("vn.linear(a, b)", "a @ b.T", "F.linear(a, b)"),
    "scaled_dot_product_attention": ("vn.scaled_dot_product_attention(a[None], b[None], c[None])", "jax.nn.softmax(a @ b.T / 3**0.5, -1) @ c", "F.scaled_dot_product_attention(a[None], b[None], c[None])"),
    "embedding": ("vn.embedding(vn.asarray([1, 1, 0]), a)", "a[jnp.asarray([1, 1, 0])]", "F.embedding(torch.tensor([1, 1, 0]), a)"),
    "mse_loss": ("vn.mse_loss(a, b)", "jnp.mean((a - b) ** 2)", "F.mse_loss(a, b)"), "mae_loss": ("vn.mae_loss(a, b)", "jnp.mean(jnp.abs(a - b))", "F.l1_loss(a, b)"),
    "huber_loss": ("vn.huber_loss(4 * a, b)", "", "F.huber_loss(4 * a, b)"), "smooth_l1_loss": ("vn.smooth_l1_loss(4 * a, b)", "", "F.smooth_l1_loss(4 * a, b)"),
    "cross_entropy": ("vn.cross_entropy(a, vn.asarray([2, 0, 1]))", "-jnp.mean(jax.nn.log_softmax(a)[jnp.arange(3), jnp.asarray([2, 0, 1])])", "F.cross_entropy(a, torch.tensor([2, 0, 1]))"),
    "nll_loss": ("vn.nll_loss(a, vn.asarray([2, 0, 1]))", "-jnp.mean(a[jnp.arange(3), jnp.asarray([2, 0, 1])])", "F.nll_loss(a, torch.tensor([2, 0, 1]))"),
    "binary_cross_entropy": ("vn.binary_cross_entropy(a, b)", "-jnp.mean(b * jnp.log(a) + (1 - b) * jnp.log1p(-a))", "F.binary_cross_entropy(a, b.detach())"),
    "binary_cross_entropy_with_logits": ("vn.binary_cross_entropy_with_logits(a, b)", "", "F.binary_cross_entropy_with_logits(a, b)"),
    "kl_div": ("vn.kl_div(a, b)", "", "F.kl_div(a, b)"), "poisson_nll_loss": ("vn.poisson_nll_loss(a, b)", "jnp.mean(jnp.exp(a) - a * b)", "F.poisson_nll_loss(a, b)"),
    "gaussian_nll_loss": ("vn.gaussian_nll_loss(a, b, c)", "", "F.gaussian_nll_loss(a, b, c)"),
    "cosine_similarity": ("vn.cosine_similarity(a, b)", "", "F.cosine_similarity(a, b)"),
    "triplet_margin_loss": ("vn.triplet_margin_loss(a, b, c)", "", "F.triplet_margin_loss(a, b, c)"),
    "max_pool1d": ("vn.max_pool1d(a[None], 2)", "jnp.maximum(a[None, 0:1], a[None, 1:2])", "F.max_pool1d(a[None].mT, 2).mT"),
    "avg_pool1d": ("vn.avg_pool1d(a[None], 2)", "(a[None, 0:1] + a[None, 1:2]) / 2", "F.avg_pool1d(a[None].mT, 2).mT"),
    "flatten": ("vn.flatten(a)", "jnp.ravel(a)", "torch.flatten(a)"),
    "cast": ("vn.cast(vn.cast(a, 'complex128') ** 2, 'complex128').real", "jnp.real(a.astype('complex128') ** 2)", "(a.to(torch.complex128) ** 2).real"),
    "slice": ("vn.slice(a, vn.asarray([1, 0]), (2, 2))", "jax.lax.dynamic_slice(a, (1, 0), (2, 2))", "a[1:3, 0:2]"),
    "slice_set": ("vn.slice_set(a, b[:2, :2], vn.asarray([1, 0]))", "jax.lax.dynamic_update_slice(a, b[:2, :2], (1, 0))", "torch.slice_scatter(a, torch.slice_scatter(a[1:3], b[:2, :2], 1, 0, 2), 0, 1, 3)"),
    "slice_step_set": ("a.at[::2].add(b[:2])", "a.at[::2].add(b[:2])", "torch.slice_scatter(a, a[::2] + b[:2], 0, 0, 3, 2)"),
    "put_along_axis": ("vn.put_along_axis(a, vn.asarray([[1], [0], [2]]), b[:, :1])", "a.at[jnp.arange(3), jnp.asarray([1, 0, 2])].set(b[:, 0])", "torch.scatter(a, 1, torch.tensor([[1], [0], [2]]), b[:, :1])"),
    "gather_nd": ("vn.gather_nd(a, vn.asarray([[0, 1], [2, 2], [0, 1]]))", "a[jnp.asarray([0, 2, 0]), jnp.asarray([1, 2, 1])]", "a[[0, 2, 0], [1, 2, 1]]"),
    "scatter_nd": ("vn.scatter_nd(a, vn.asarray([[0, 1], [2, 2]]), b[0, :2])", "a.at[jnp.asarray([0, 2]), jnp.asarray([1, 2])].set(b[0, :2])", "torch.index_put(a, (torch.tensor([0, 2]), torch.tensor([1, 2])), b[0, :2])"),
    "repeat_counts": ("vn.repeat(a, vn.asarray([2, 0, 1]), axis=0)", "jnp.repeat(a, np.asarray([2, 0, 1]), axis=0)", "torch.repeat_interleave(a, torch.tensor([2, 0, 1]), 0)"),
    "dilate": ("vn.dilate(a, (2, 1))", "jax.lax.pad(a, 0.0, [(0, 0, 1), (0, 0, 0)])", ""),
    "rearrange": ("vn.rearrange(a, 'i j -> (j i)')", "a.T.reshape(-1)", "a.T.reshape(-1)"),
    "einops_reduce": ("vn.einops_reduce(a, 'i j -> j', reduction='mean')", "jnp.mean(a, 0)", "torch.mean(a, 0)"),
    "einops_repeat": ("vn.einops_repeat(a, 'i j -> i 2 j')", "jnp.repeat(a[:, None], 2, 1)", "torch.repeat_interleave(a[:, None], 2, 1)"),
    "eigvals": ("vn.sum(vn.abs(vn.linalg.eigvals(a)) ** 3)", "jnp.sum(jnp.abs(jnp.linalg.eigvals(a)) ** 3)", "torch.sum(torch.abs(torch.linalg.eigvals(a)) ** 3)"),
    "eig": ("vn.sum(vn.abs(vn.linalg.eig(a).eigenvalues) ** 3)", "jnp.sum(jnp.abs(jnp.linalg.eig(a)[0]) ** 3)", "torch.sum(torch.abs(torch.linalg.eig(a)[0]) ** 3)"),
    "lstsq": ("vn.lstsq(a, b)[0]", "jnp.linalg.lstsq(a, b)[0]", "torch.linalg.lstsq(a, b).solution"),
    "irfftn": ("vn.fft.irfftn(vn.complex(a, b))", "jnp.fft.irfftn(jax.lax.complex(a, b))", "torch.fft.irfftn(torch.complex(a, b))"),
    "group_norm": ("vn.group_norm(vn.concat([a, b], axis=1)[:, None], groups=2)", "", "F.group_norm(torch.cat([a, b], 1), 2)[:, None]"),
    "instance_norm": ("vn.instance_norm(a[None])[0]", "jax.nn.standardize(a[None], 1)", "F.instance_norm(a[None].mT).mT"),
    "batch_norm_training": ("vn.batch_norm_training(a)[0]", "jax.nn.standardize(a, 0)", "F.batch_norm(a, None, None, training=True)"),
    "batch_norm": ("vn.batch_norm(a, b[0], c[0])", "(a - b[0]) / jnp.sqrt(c[0] + 1e-5)", ""),  # PyTorch has no gradients by the running statistics
    "conv2d": ("vn.conv2d(a[None, :, :, None], b[:2, :2, None, None])", "jax.lax.conv_general_dilated(a[None, :, :, None], b[:2, :2, None, None], (1, 1), 'VALID', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))",
               "F.conv2d(a[None, None], b[None, None, :2, :2]).permute(0, 2, 3, 1)"),
    "conv3d": ("vn.conv3d(a[None, :, :, None, None], b[:2, :2, None, None, None])", "jax.lax.conv_general_dilated(a[None, None, :, :, None], b[None, None, :2, :2, None], (1, 1, 1), 'VALID').reshape(1, 2, 2, 1, 1)",
               "F.conv3d(a[None, None, :, :, None], b[None, None, :2, :2, None]).reshape(1, 2, 2, 1, 1)"),
    "depthwise_conv2d": ("vn.depthwise_conv2d(a[None, :, :, None], b[:2, :2, None])", "jax.lax.conv_general_dilated(a[None, None], b[None, None, :2, :2], (1, 1), 'VALID').reshape(1, 2, 2, 1)",
                         "F.conv2d(a[None, None], b[None, None, :2, :2]).reshape(1, 2, 2, 1)"),
    "max_pool2d": ("vn.max_pool2d(a[None, :, :, None], (2, 2), strides=(1, 1))", "jax.lax.reduce_window(a, -jnp.inf, jax.lax.max, (2, 2), (1, 1), 'VALID').reshape(1, 2, 2, 1)", "F.max_pool2d(a[None, None], 2, 1).permute(0, 2, 3, 1)"),
    "avg_pool2d": ("vn.avg_pool2d(a[None, :, :, None], (2, 2), strides=(1, 1))", "(jax.lax.reduce_window(a, 0.0, jax.lax.add, (2, 2), (1, 1), 'VALID') / 4).reshape(1, 2, 2, 1)", "F.avg_pool2d(a[None, None], 2, 1).permute(0, 2, 3, 1)"),
    "max_pool3d": ("vn.max_pool3d(a[None, :, :, None, None], (2, 2, 1), strides=(1, 1, 1))", "jax.lax.reduce_window(a, -jnp.inf, jax.lax.max, (2, 2), (1, 1), 'VALID').reshape(1, 2, 2, 1, 1)",
                   "F.max_pool3d(a[None, None, :, :, None], (2, 2, 1), 1).reshape(1, 2, 2, 1, 1)"),
    "avg_pool3d": ("vn.avg_pool3d(a[None, :, :, None, None], (2, 2, 1), strides=(1, 1, 1))", "(jax.lax.reduce_window(a, 0.0, jax.lax.add, (2, 2), (1, 1), 'VALID') / 4).reshape(1, 2, 2, 1, 1)",
                   "F.avg_pool3d(a[None, None, :, :, None], (2, 2, 1), 1).reshape(1, 2, 2, 1, 1)"),
    "global_avg_pool": ("vn.global_avg_pool(a[None])", "jnp.mean(a, 0)[None]", "F.adaptive_avg_pool1d(a.T[None], 1)[..., 0]"),
    "global_max_pool": ("vn.global_max_pool(a[None])", "jnp.max(a, 0)[None]", "F.adaptive_max_pool1d(a.T[None], 1)[..., 0]"),
    "interpolate": ("vn.interpolate(a[None], (5,))", "", "F.interpolate(a.T[None], 5, mode='linear').mT"),
    **{f: (f"vn.{f}(a)", f"jax.scipy.special.{f}(a)", f"torch.special.{f}(a)") for f in ("i0e", "i1", "i1e", "logit")},
    "conv1d_transpose": ("vn.conv1d_transpose(a[None], b[:2, :, None])", "jax.lax.conv_transpose(a[None], b[1::-1, :, None], (1,), 'VALID', dimension_numbers=('NWC', 'WIO', 'NWC'))",
                         "F.conv_transpose1d(a.T[None], b[:2].T[:, None]).mT"),
    "conv2d_transpose": ("vn.conv2d_transpose(a[None, :, :, None], b[:2, :2, None, None])", "jax.lax.conv_transpose(a[None, :, :, None], b[1::-1, 1::-1, None, None], (1, 1), 'VALID')",
                         "F.conv_transpose2d(a[None, None], b[None, None, :2, :2]).permute(0, 2, 3, 1)"),
    "conv3d_transpose": ("vn.conv3d_transpose(a[None, :, :, None, None], b[:2, :2, None, None, None])", "jax.lax.conv_transpose(a[None, :, :, None], b[1::-1, 1::-1, None, None], (1, 1), 'VALID')[..., None]",
                         "F.conv_transpose3d(a[None, None, :, :, None], b[None, None, :2, :2, None]).reshape(1, 4, 4, 1, 1)"),
    **{f: (f"(lambda w, r: vn.{f}(vn.stack([a, b]), b, c, w, r{major})[0])(vn.concat([a, b, c, a], axis=1), vn.concat([b, c, a, b], axis=1))", "",
           "(lambda w, r: (lambda s: torch.stack([s[0], torch.lstm_cell(b, s, w, r)[0]]))(torch.lstm_cell(a, (b, c), w, r)))(torch.cat([a, b, c, a], 1).T, torch.cat([b, c, a, b], 1).T)")
       for f, major in (("lstm", ""), ("lstm_update", ", time_major=True"))},
    **{f: (f"(lambda w, r: vn.{f}(vn.stack([a, b]), c, w, r{major})[0])(vn.concat([a, b, c], axis=1), vn.concat([b, c, a], axis=1))", "",
           "(lambda w, r: (lambda h: torch.stack([h, torch.gru_cell(b, h, w, r)]))(torch.gru_cell(a, c, w, r)))(torch.cat([a, b, c], 1).T, torch.cat([b, c, a], 1).T)")
       for f, major in (("gru", ""), ("gru_update", ", time_major=True"))},
    "ctc_loss": ("vn.ctc_loss(vn.log_softmax(a[:, None], axis=-1), vn.asarray([[1, 2]]), vn.asarray([3]), vn.asarray([2]))", "",
                 "F.ctc_loss(F.log_softmax(a[:, None], -1), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2]))"),
    "soft_margin_loss": ("vn.soft_margin_loss(a, vn.sign(b - 0.5))", "", "F.soft_margin_loss(a, torch.sign(b - 0.5).detach())"),
    "hinge_embedding_loss": ("vn.hinge_embedding_loss(a, vn.sign(b - 0.5))", "", "F.hinge_embedding_loss(a, torch.sign(b - 0.5))"),
    "margin_ranking_loss": ("vn.margin_ranking_loss(a, b, vn.sign(c - 0.5))", "", "F.margin_ranking_loss(a, b, torch.sign(c - 0.5))"),
    "multi_margin_loss": ("vn.multi_margin_loss(a, vn.asarray([0, 2, 1]))", "", "F.multi_margin_loss(a, torch.tensor([0, 2, 1]))"),
    "cosine_embedding_loss": ("vn.cosine_embedding_loss(a, b, vn.asarray([1, -1, 1]))", "", "F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1]))"),
    "cbrt": ("vn.cbrt(a)", "jnp.cbrt(a)", "a ** (1 / 3)"),
    "cond": ("vn.cond(a)", "jnp.linalg.cond(a)", "torch.linalg.cond(a)"),
    "squareplus": ("vn.squareplus(a)", "jax.nn.squareplus(a)", "(a + torch.sqrt(a * a + 4)) / 2"),
    "sparse_plus": ("vn.sparse_plus(a)", "jax.nn.sparse_plus(a)", "(a + 1) ** 2 / 4"),
    "trim_zeros": ("vn.trim_zeros(a[0])", "jnp.trim_zeros(a[0])", "a[0]"),
    **{f"nan{f}": (f"vn.nan{f}(a, axis=1)", f"jnp.nan{f}(a, axis=1)", f"torch.{g}(torch.nan_to_num(a), 1)") for f, g in (("max", "amax"), ("min", "amin"), ("prod", "prod"))},
    **{f"nan{f}": (f"vn.nan{f}(a, axis=1)", f"jnp.nan{f}(a, axis=1)", f"torch.{f}(torch.nan_to_num(a), 1, correction=0)") for f in ("var", "std")},
    "zeta": ("vn.zeta(2.5, a)", "jax.scipy.special.zeta(2.5, a)", "torch.special.zeta(torch.tensor(2.5).double(), a)"),  # neither has a gradient by the first
    "betainc": ("vn.betainc(1.5, 2.5, a)", "jax.scipy.special.betainc(1.5, 2.5, a)", ""),  # JAX has none by the first two
    "xlogy": ("vn.xlogy(a, b)", "jax.scipy.special.xlogy(a, b)", "torch.xlogy(a, b)"),
    "frexp": ("vn.frexp(a).mantissa", "", "torch.frexp(a).mantissa"),
    "ldexp": ("vn.ldexp(a, vn.asarray([1, 2, -1]))", "jnp.ldexp(a, jnp.asarray([1, 2, -1]))", "torch.ldexp(a, torch.tensor([1, 2, -1]))"),
    "adjoint": ("vn.adjoint(a)", "jnp.conj(a.mT)", "torch.adjoint(a)"),
    "lu": ("vn.lu(a).lu", "jax.scipy.linalg.lu_factor(a)[0]", "torch.linalg.lu_factor(a).LU"),
    "lu_solve": ("vn.lu_solve(*vn.lu(a), b)", "jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(a), b)", "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b)"),
    "cholesky_inverse": ("vn.cholesky_inverse(vn.tril(a))", "jnp.linalg.inv(jnp.tril(a) @ jnp.tril(a).mT)", "torch.cholesky_inverse(torch.tril(a))"),
    "matrix_exp": ("vn.matrix_exp(a)", "jax.scipy.linalg.expm(a)", "torch.linalg.matrix_exp(a)"),
    "multi_dot": ("vn.multi_dot([a, b, c])", "jnp.linalg.multi_dot([a, b, c])", "torch.linalg.multi_dot([a, b, c])"),
    "khatri_rao": ("vn.khatri_rao([a, b])", "jnp.einsum('ik,jk->ijk', a, b).reshape(9, 3)", "torch.einsum('ik,jk->ijk', a, b).reshape(9, 3)"),
    "mode_dot": ("vn.mode_dot(a, b, 1)", "a @ b.mT", "a @ b.mT"),
    "cdist": ("vn.cdist(a, b)", "jnp.sqrt(((a[:, None] - b) ** 2).sum(-1))", "torch.cdist(a, b)"),
    "eigh_tridiagonal": ("vn.eigh_tridiagonal(a[0], b[0, :2]).values", "jnp.linalg.eigvalsh(jnp.diag(a[0]) + jnp.diag(b[0, :2], 1) + jnp.diag(b[0, :2], -1))",
                         "torch.linalg.eigvalsh(torch.diag(a[0]) + torch.diag(b[0, :2], 1) + torch.diag(b[0, :2], -1))"),
    "power_iteration": ("vn.power_iteration(a @ a.mT).value", "jnp.linalg.eigvalsh(a @ a.mT)[-1]", "torch.linalg.eigvalsh(a @ a.mT)[-1]"),
    "inverse_pth_root": ("vn.inverse_pth_root(a @ a.mT + vn.eye(3, dtype=a.dtype), 4, 0)", "(lambda e: (e[1] * e[0] ** -0.25) @ e[1].mT)(jnp.linalg.eigh(a @ a.mT + jnp.eye(3)))",
                         "(lambda e: (e[1] * e[0] ** -0.25) @ e[1].mT)(torch.linalg.eigh(a @ a.mT + torch.eye(3).double()))"),
    "block_masked_matmul": ("vn.block_masked_matmul(a, b, c, b, a, 1)", "((a * b) @ (b * a)) * c", "((a * b) @ (b * a)) * c"),
    "gather_matmul": ("vn.gather_matmul(vn.stack([a, b]), vn.stack([b, c]), vn.asarray([1, 0]), vn.asarray([0, 1]))", "jnp.stack([b @ b, a @ c])", "torch.stack([b @ b, a @ c])"),
    "segment_matmul": ("vn.segment_matmul(a, b, vn.asarray([[0, 2], [1, 3]]))", "jnp.stack([a[:, :2] @ b[:2], a[:, 1:] @ b[1:]])", "torch.stack([a[:, :2] @ b[:2], a[:, 1:] @ b[1:]])"),
    "additive_attention": ("vn.additive_attention(a, b, c)", "jax.nn.softmax(jnp.tanh(a[:, None] + b).sum(-1)) @ c", "torch.softmax(torch.tanh(a[:, None] + b).sum(-1), -1) @ c"),
    "sinusoidal_encoding": ("vn.sinusoidal_encoding(a, 2)", "jnp.stack([jnp.sin(a), jnp.cos(a)], -1)", "torch.stack([torch.sin(a), torch.cos(a)], -1)"),
    "fourier_features": ("vn.fourier_features(a, 2, 1)", "jnp.stack([a, jnp.sin(jnp.pi * a), jnp.cos(jnp.pi * a)], -1)", "torch.stack([a, torch.sin(torch.pi * a), torch.cos(torch.pi * a)], -1)"),
    "map_coordinates": ("vn.map_coordinates(a, 2 * b[:2], mode='nearest')", "jax.scipy.ndimage.map_coordinates(a, list(2 * b[:2]), 1, mode='nearest')", ""),
    "grid_sample": ("vn.grid_sample(a.reshape(1, 3, 3, 1), vn.stack([b, c], axis=-1).reshape(1, 3, 3, 2))", "", "F.grid_sample(a[None, None], torch.stack([b, c], -1)[None], align_corners=False)"),
    "affine_grid": ("vn.affine_grid(a[None, :2], 2, 3)", "", "F.affine_grid(a[None, :2], (1, 1, 2, 3), align_corners=False)"),
    "local_response_norm": ("vn.local_response_norm(a, 3)", "", "F.local_response_norm(a[..., None], 3)[..., 0]"),
    "rgb_to_grayscale": ("vn.rgb_to_grayscale(a)", "a @ jnp.asarray([[0.2989], [0.587], [0.114]])", "a @ torch.tensor([[0.2989], [0.587], [0.114]], dtype=a.dtype)"),
    "psnr": ("vn.psnr(a, b)", "-10 * jnp.log10(((a - b) ** 2).mean())", "-10 * torch.log10(((a - b) ** 2).mean())"),
    "dct": ("vn.dct(a)", "jax.scipy.fft.dct(a)", "2 * a @ torch.cos(torch.pi / 6 * (2 * torch.arange(3).double() + 1)[:, None] * torch.arange(3))"),
    "idct": ("vn.idct(a)", "jax.scipy.fft.idct(a)", "a @ torch.linalg.inv(2 * torch.cos(torch.pi / 6 * (2 * torch.arange(3).double() + 1)[:, None] * torch.arange(3)))"),
    "stft": ("vn.abs(vn.stft(a.reshape(9), length=4, step=2)) ** 2", "jnp.abs(jnp.fft.rfft(jnp.stack([a.reshape(9)[k : k + 4] for k in (0, 2, 4)]))) ** 2",
             "torch.abs(torch.stft(a.reshape(9), 4, 2, window=torch.ones(4).double(), center=False, return_complex=True).mT) ** 2"),
    "istft": ("vn.istft(vn.complex(a, b), length=4, step=2)",
              "sum(jnp.pad(f, (2 * k, 4 - 2 * k)) for k, f in enumerate(jnp.fft.irfft(jax.lax.complex(a, b)))) / jnp.asarray([1, 1, 2, 2, 2, 2, 1, 1])",
              "torch.istft(torch.complex(a, b).mT, 4, 2, window=torch.ones(4).double(), center=False)"),
    "convolve": ("vn.convolve(a, b)", "jax.vmap(jnp.convolve)(a, b)", "F.conv1d(a[None], b.flip(1)[:, None], padding=2, groups=3)[0]"),
    "correlate": ("vn.correlate(a, b[:, :2])", "jax.vmap(lambda x, y: jnp.correlate(x, y, 'valid'))(a, b[:, :2])", "F.conv1d(a[None], b[:, None, :2], groups=3)[0]"),
    "hadamard_transform": ("vn.hadamard_transform(a[:, :2])", "a[:, :2] @ jnp.asarray([[1.0, 1], [1, -1]]) / 2**0.5", "a[:, :2] @ torch.tensor([[1.0, 1], [1, -1]]).double() / 2**0.5"),
    "sparsemax": ("vn.sparsemax(3 * a)", "jnp.maximum(3 * a - (lambda t: jnp.max(t, 1, keepdims=True))((jnp.cumsum(-jnp.sort(-3 * a), 1) - 1) / jnp.arange(1, 4)), 0)",
                  "torch.clamp(3 * a - (lambda t: torch.amax(t, 1, keepdim=True))((torch.cumsum(torch.sort(3 * a, descending=True).values, 1) - 1) / torch.arange(1, 4)), 0)"),
    "quiet_softmax": ("vn.quiet_softmax(a)", "jnp.exp(a) / (1 + jnp.exp(a).sum(-1, keepdims=True))", "torch.exp(a) / (1 + torch.exp(a).sum(-1, keepdim=True))"),
    **{f: (f"vn.{f}(a, {q}, axis=1)", f"jnp.{f}(a, {q}, axis=1)", f"torch.{f.replace('percentile', 'quantile')}(a, 0.3, 1)")
       for f, q in (("quantile", 0.3), ("nanquantile", 0.3), ("percentile", 30), ("nanpercentile", 30))},
    **{f: (f"vn.{f}(a, axis=1)", f"jnp.{f}(a, axis=1)", f"torch.{f.removeprefix('nan')}(torch.nan_to_num(a), 1)") for f in ("nancumsum", "nancumprod")},
    **{f: (f"vn.{f}(a, axis=1).values", f"jax.lax.{f}(a, axis=1)", f"torch.{f}(a, 1).values") for f in ("cummax", "cummin")},
    "logcumsumexp": ("vn.logcumsumexp(a, axis=1)", "jax.lax.cumlogsumexp(a, axis=1)", "torch.logcumsumexp(a, 1)"),
    "histogram": ("vn.histogram(a, weights=b, bins=3, low=0, high=1).counts", "jnp.histogram(a, 3, (0.0, 1.0), weights=b)[0]", "torch.stack([(b * ((3 * a >= k) & (3 * a < k + 1))).sum() for k in range(3)])"),
    "interp": ("vn.interp(a, vn.asarray([0.0, 0.5, 1.0]), b[0])", "jnp.interp(a, jnp.asarray([0.0, 0.5, 1.0]), b[0])",
               "torch.where(a < 0.5, b[0, 0] + (b[0, 1] - b[0, 0]) * 2 * a, b[0, 1] + (b[0, 2] - b[0, 1]) * (2 * a - 1))"),
    "gradient": ("vn.gradient(a, axis=1)", "jnp.gradient(a, axis=1)", "torch.gradient(a, dim=1)[0]"),
    "as_strided": ("vn.as_strided(a, (2, 2), (3, 1), 1)", "a.reshape(9)[jnp.asarray([[1, 2], [4, 5]])]", "torch.as_strided(a, (2, 2), (3, 1), 1)"),
    "sliding_window_view": ("vn.sliding_window_view(a, (2,), axis=(1,))", "jnp.stack([a[:, :2], a[:, 1:]], 1)", "a.unfold(1, 2, 1)"),
    "unfold": ("vn.unfold(a[None, None], (2, 2))", "jax.lax.conv_general_dilated_patches(a[None, None], (2, 2), (1, 1), 'VALID').reshape(1, 4, 4)", "F.unfold(a[None, None], 2)"),
    "fold": ("vn.fold(vn.pad(a, [0, 0], [1, 1])[None], (3, 3), (2, 2))",
             "sum(jnp.pad(p, ((k // 2, 1 - k // 2), (k % 2, 1 - k % 2))) for k, p in enumerate(jnp.pad(a, (0, 1)).reshape(4, 2, 2)))[None, None]", "F.fold(F.pad(a, (0, 1, 0, 1))[None], (3, 3), (2, 2))"),
    "segment_sum": ("vn.segment_sum(a, vn.asarray([0, 1, 0]), 2)", "jax.ops.segment_sum(a, jnp.asarray([0, 1, 0]), 2)", "torch.stack([a[0] + a[2], a[1]])"),
    "segment_mean": ("vn.segment_mean(a, vn.asarray([0, 1, 0]), 2)", "jnp.stack([(a[0] + a[2]) / 2, a[1]])", "torch.stack([(a[0] + a[2]) / 2, a[1]])"),
    "segment_prod": ("vn.segment_prod(a, vn.asarray([0, 1, 0]), 2)", "jnp.stack([a[0] * a[2], a[1]])", "torch.stack([a[0] * a[2], a[1]])"),
    "segment_max": ("vn.segment_max(a, vn.asarray([0, 1, 0]), 2)", "jax.ops.segment_max(a, jnp.asarray([0, 1, 0]), 2)", "torch.stack([torch.maximum(a[0], a[2]), a[1]])"),
    "segment_min": ("vn.segment_min(a, vn.asarray([0, 1, 0]), 2)", "jax.ops.segment_min(a, jnp.asarray([0, 1, 0]), 2)", "torch.stack([torch.minimum(a[0], a[2]), a[1]])"),
    "addmm": ("vn.addmm(c, a, b, alpha=2, beta=3)", "2 * a @ b + 3 * c", "torch.addmm(c, a, b, alpha=2, beta=3)"),
    "average": ("vn.average(a, b)", "jnp.average(a, weights=b)", "torch.sum(a * b) / torch.sum(b)"),
    "ptp": ("vn.ptp(a, axis=1)", "jnp.ptp(a, axis=1)", "torch.amax(a, 1) - torch.amin(a, 1)"),
    "sparse_sigmoid": ("vn.sparse_sigmoid(a - b)", "jax.nn.sparse_sigmoid(a - b)", "torch.clip((a - b + 1) / 2, 0, 1)"),
    "choose": ("vn.choose(vn.asarray([0, 1, 1]), vn.stack([a, b]))", "jnp.where(jnp.asarray([True, False, False]), a, b)", "torch.where(torch.tensor([True, False, False]), a, b)"),
    "clip_matrix_norm": ("vn.clip_matrix_norm(a, 0.5)", "a * 0.5 / jnp.linalg.norm(a)", "a * 0.5 / torch.linalg.norm(a)"),
    "clip_vector_norm": ("vn.clip_vector_norm(a, 0.5)", "a * 0.5 / jnp.linalg.norm(a)", "a * 0.5 / torch.linalg.norm(a)"),
    "divide_no_nan": ("vn.divide_no_nan(a, b)", "a / b", "a / b"),
    "divmod": ("vn.divmod(a, b).rest", "jnp.remainder(a, b)", "torch.remainder(a, b)"),
    "fill_diagonal": ("vn.fill_diagonal(a, b[0])", "a * (1 - jnp.eye(3)) + jnp.diag(b[0])", "a * (1 - torch.eye(3).double()) + torch.diag(b[0])"),
    "general_inner_product": ("vn.general_inner_product(a, b, modes=1)", "a @ b", "a @ b"),
    "higher_order_moment": ("vn.higher_order_moment(a, 2)", "a.T @ a / 3", "a.T @ a / 3"),
    "l1_l2_penalty": ("vn.l1_l2_penalty(a, 0.1, 0.2)", "0.1 * jnp.sum(jnp.abs(a)) + 0.2 * jnp.sum(a * a)", "0.1 * torch.sum(torch.abs(a)) + 0.2 * torch.sum(a * a)"),
    "lerp": ("vn.lerp(a, b, c)", "a + c * (b - a)", "torch.lerp(a, b, c)"),
    "lp_normalize": ("vn.lp_normalize(a, 1, p=3)", "a / jnp.linalg.vector_norm(a, ord=3, axis=1, keepdims=True)", "F.normalize(a, p=3, dim=1)"),
    "matricize": ("vn.matricize(a, [1])", "a.T", "a.T"),
    "max_pool_with_indices": ("vn.max_pool_with_indices(a[None, ..., None], [2, 2], strides=[1, 1]).y", "jnp.max(jnp.stack([a[:2, :2], a[1:, :2], a[:2, 1:], a[1:, 1:]]), axis=0)", "F.max_pool2d(a[None], 2, 1)"),
    "max_unpool": ("vn.max_unpool(a[None, :2, :2, None], vn.asarray([[0, 2], [6, 8]]).reshape(1, 2, 2, 1), [3, 3])", "jnp.zeros((3, 3)).at[::2, ::2].set(a[:2, :2])",
                   "F.max_unpool2d(a[None, None, :2, :2], torch.tensor([[[[0, 2], [6, 8]]]]), 2, output_size=(3, 3))"),
    "max_with_index": ("vn.max_with_index(a).values", "jnp.max(a, axis=-1, keepdims=True)", "torch.max(a, -1, keepdim=True).values"),
    "min_with_index": ("vn.min_with_index(a).values", "jnp.min(a, axis=-1, keepdims=True)", "torch.min(a, -1, keepdim=True).values"),
    "median_with_index": ("vn.median_with_index(a).values", "jnp.sort(a, axis=-1)[:, 1:2]", "torch.median(a, -1, keepdim=True).values"),
    "meshgrid_stack": ("vn.meshgrid_stack([a[0], b[0]])", "jnp.stack(jnp.meshgrid(a[0], b[0], indexing='ij'), -1)", "torch.stack(torch.meshgrid(a[0], b[0], indexing='ij'), -1)"),
    "min_max_norm": ("vn.min_max_norm(a, 0, max_value=0.5)", "a * jnp.clip(jnp.linalg.norm(a, axis=0), 0, 0.5) / (1e-7 + jnp.linalg.norm(a, axis=0))",
                     "a * torch.clip(torch.linalg.norm(a, dim=0), 0, 0.5) / (1e-7 + torch.linalg.norm(a, dim=0))"),
    "modf": ("vn.modf(a * 3).fraction", "a * 3 - jnp.trunc(a * 3)", "torch.frac(a * 3)"),
    "multi_mode_dot": ("vn.multi_mode_dot([a, b, c])", "b @ a @ c.T", "b @ a @ c.T"),
    "orthogonal_penalty": ("vn.orthogonal_penalty(a)", "(lambda u: 0.01 * jnp.mean(jnp.abs((u @ u.T)[np.triu_indices(3, 1)])))(a / jnp.linalg.norm(a, axis=1, keepdims=True))",
                           "(lambda u: 0.01 * torch.mean(torch.abs((u @ u.T)[tuple(torch.triu_indices(3, 3, 1))])))(a / torch.linalg.norm(a, dim=1, keepdim=True))"),
    "polar": ("vn.real(vn.polar(a, b))", "a * jnp.cos(b)", "torch.polar(a, b).real"),
    "polyval": ("vn.polyval(a[0], b)", "jnp.polyval(a[0], b)", "(a[0, 0] * b + a[0, 1]) * b + a[0, 2]"),
    "projection_box": ("vn.projection_box(a, 0.3, 0.6)", "jnp.clip(a, 0.3, 0.6)", "torch.clip(a, 0.3, 0.6)"),
    "projection_hypercube": ("vn.projection_hypercube(a, 0.5)", "jnp.clip(a, 0, 0.5)", "torch.clip(a, 0, 0.5)"),
    "projection_linf_ball": ("vn.projection_linf_ball(a, 0.5)", "jnp.clip(a, -0.5, 0.5)", "torch.clip(a, -0.5, 0.5)"),
    "projection_halfspace": ("vn.projection_halfspace(a, b, 0.01)", "a - (jnp.sum(a * b) - 0.01) / jnp.sum(b * b) * b", "a - (torch.sum(a * b) - 0.01) / torch.sum(b * b) * b"),
    "projection_hyperplane": ("vn.projection_hyperplane(a, b, 0.7)", "a - (jnp.sum(a * b) - 0.7) / jnp.sum(b * b) * b", "a - (torch.sum(a * b) - 0.7) / torch.sum(b * b) * b"),
    "projection_l1_ball": ("vn.projection_l1_ball(a + 10, 90)", "a + 10 - (jnp.sum(a + 10) - 90) / 9", "a + 10 - (torch.sum(a + 10) - 90) / 9"),
    "projection_l1_sphere": ("vn.projection_l1_sphere(a + 10, 90)", "a + 10 - (jnp.sum(a + 10) - 90) / 9", "a + 10 - (torch.sum(a + 10) - 90) / 9"),
    "projection_simplex": ("vn.projection_simplex(a, 9)", "a + (9 - jnp.sum(a)) / 9", "a + (9 - torch.sum(a)) / 9"),
    "projection_l2_ball": ("vn.projection_l2_ball(a, 0.5)", "a * 0.5 / jnp.linalg.norm(a)", "a * 0.5 / torch.linalg.norm(a)"),
    "projection_l2_sphere": ("vn.projection_l2_sphere(a, 2)", "a * 2 / jnp.linalg.norm(a)", "a * 2 / torch.linalg.norm(a)"),
    "projection_vector": ("vn.projection_vector(a, b)", "jnp.sum(a * b) / jnp.sum(b * b) * b", "torch.sum(a * b) / torch.sum(b * b) * b"),
    "quick_gelu": ("vn.quick_gelu(a)", "a * jax.nn.sigmoid(1.702 * a)", "a * torch.sigmoid(1.702 * a)"),
    "reduce_window": ("vn.reduce_window(a, [2, 2])", "jax.lax.reduce_window(a, 0.0, jax.lax.add, (2, 2), (1, 1), 'VALID')", "F.avg_pool2d(a[None], 2, 1) * 4"),
    "relu_squared": ("vn.relu_squared(a - b)", "jax.nn.relu(a - b) ** 2", "torch.relu(a - b) ** 2"),
    "safe_root_mean_square": ("vn.safe_root_mean_square(a)", "jnp.sqrt(jnp.mean(a * a))", "torch.sqrt(torch.mean(a * a))"),
    "saturate_cast": ("vn.saturate_cast(a, 'float64')", "a * 1", "a * 1"),
    "scale_and_translate": ("vn.scale_and_translate(a, vn.asarray([2.0], dtype='float64'), vn.asarray([0.5], dtype='float64'), [3, 6], axes=[1])",
                            "jax.image.scale_and_translate(a, (3, 6), (1,), jnp.asarray([2.0]), jnp.asarray([0.5]), 'linear')", None),
    "scaled_tanh": ("vn.scaled_tanh(a)", "1.7159 * jnp.tanh(0.67 * a)", "1.7159 * torch.tanh(0.67 * a)"),
    "select": ("vn.select([a > 0.5, b > 0.5], [a, b], c)", "jnp.select([a > 0.5, b > 0.5], [a, b], c)", "torch.where(a > 0.5, a, torch.where(b > 0.5, b, c))"),
    "shrink": ("vn.shrink(a, 0.3, 0.1)", "jnp.where(a > 0.3, a - 0.1, 0.0)", "torch.where(a > 0.3, a - 0.1, 0.0)"),
    "skew_symmetric": ("vn.skew_symmetric(a[0]) @ b[0]", "jnp.cross(a[0], b[0])", "torch.linalg.cross(a[0], b[0])"),
    "solarize": ("vn.solarize(a)", "jnp.where(a >= 0.5, 1 - a, a)", "torch.where(a >= 0.5, 1 - a, a)"),
    "sparsify": ("vn.sparsify(a, 4)", "jnp.where(a >= jnp.sort(a.ravel())[-4], a, 0.0)", "torch.where(a >= torch.sort(a.ravel()).values[-4], a, 0.0)"),
    "stable_divide": ("vn.stable_divide(a, b)", "a / (b + 1e-5)", "a / (b + 1e-5)"),
    "stable_pow": ("vn.stable_pow(a, b)", "(a + 1e-5) ** b", "(a + 1e-5) ** b"),
    "tensor_fold": ("vn.tensor_fold(a, [3, 3], 1)", "a.T", "a.T"),
    "tensor_unfold": ("vn.tensor_unfold(a, 1)", "a.T", "a.T"),
    "tensorsolve": ("vn.tensorsolve(a, b[0])", "jnp.linalg.solve(a, b[0])", "torch.linalg.solve(a, b[0])"),
    "tri_inv": ("vn.tri_inv(a)", "jnp.linalg.inv(jnp.tril(a))", "torch.linalg.inv(torch.tril(a))"),
    "truncated_svd": ("vn.truncated_svd(a, 2)[1]", "jnp.linalg.svd(a, compute_uv=False)[:2]", "torch.linalg.svdvals(a)[:2]"),
    "unitwise_clip": ("vn.unitwise_clip(a, b, c)", "jnp.where(b < c, a, a / b * c)", "torch.where(b < c, a, a / b * c)"),
    "unitwise_norm": ("vn.unitwise_norm(a)", "jnp.broadcast_to(jnp.linalg.norm(a, axis=0, keepdims=True), a.shape)", "torch.linalg.norm(a, dim=0, keepdim=True).expand(3, 3)"),
    "vander": ("vn.vander(a[0])", "jnp.vander(a[0])", "torch.stack([a[0] ** 2, a[0], a[0] ** 0], 1)"),
    "var_mean": ("vn.var_mean(a, axis=1)[0]", "jnp.var(a, axis=1)", "torch.var_mean(a, 1, correction=0)[0]"),
    "bilinear": ("vn.bilinear(a, b, c[None])", "jnp.einsum('ni,ij,nj->n', a, c, b)[:, None]", "F.bilinear(a, b, c[None])"),
    "batch_dot": ("vn.batch_dot(a, b)", "jnp.sum(a * b, 1, keepdims=True)", "torch.sum(a * b, 1, keepdim=True)"),
    "category_encoding": ("vn.category_encoding(vn.asarray([[0, 1, 1], [2, 2, 2], [1, 0, 2]]), a, size=3, dtype='float64', mode='count')",
                          "jax.vmap(lambda i, w: jnp.zeros(3).at[i].add(w))(jnp.asarray([[0, 1, 1], [2, 2, 2], [1, 0, 2]]), a)", "torch.zeros(3, 3).double().scatter_add(1, torch.tensor([[0, 1, 1], [2, 2, 2], [1, 0, 2]]), a)"),
    "coo_values": ("vn.coo_values(a, vn.asarray([[0, 1], [2, 2]]))", "jnp.stack([a[0, 1], a[2, 2]])", "torch.stack([a[0, 1], a[2, 2]])"),
    **{f: (f"vn.{f}(vn.asarray([[0, 1], [2, 2], [0, 1]]), a[0], {rest})", f"jnp.zeros((3, 3)).at[jnp.asarray([0, 2, 0]), jnp.asarray([1, 2, 1])].add(a[0]){times}",
           f"torch.zeros(3, 3).double().index_put((torch.tensor([0, 2, 0]), torch.tensor([1, 2, 1])), a[0], accumulate=True){times}") for f, rest, times in (("coo_to_dense", "[3, 3]", ""), ("coo_matmul", "b, 3", " @ b"))},
    **{f: (f"vn.{f}(vn.asarray([0, 2, 2, 3]), vn.asarray([1, 2, 0]), a[0], {rest})", f"jnp.zeros((3, 3)).at[jnp.asarray([0, 0, 2]), jnp.asarray([1, 2, 0])].set(a[0]){times}",
           f"torch.sparse_csr_tensor(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 2, 0]), a[0], (3, 3)).to_dense(){times}") for f, rest, times in (("csr_to_dense", "3", ""), ("csr_matmul", "b", " @ b"))},
    "filter2d": ("vn.filter2d(a[None, ..., None], b)", "jax.lax.conv(a[None, None], b[None, None], (1, 1), 'SAME')[0]", "F.conv2d(a[None, None], b[None, None], padding=1)[0]"),
    "masked_steps": ("vn.masked_steps(a * vn.asarray([[1.0], [0.0], [1.0]], dtype='float64'))", "a * jnp.asarray([[1.0], [0.0], [1.0]])", "a * torch.tensor([[1.0], [0.0], [1.0]]).double()"),
    "pairwise_distance": ("vn.pairwise_distance(a, b)", "jnp.linalg.norm(a - b + 1e-6, axis=-1)", "F.pairwise_distance(a, b)"),
    "mean_of": ("vn.mean_of([a, b, c])", "(a + b + c) / 3", "(a + b + c) / 3"),
    "rescale": ("vn.rescale(a, 2.5, 1)", "a * 2.5 + 1", "a * 2.5 + 1"),
    "separable_conv1d": ("vn.separable_conv1d(a[None], b[:2, :, None], c)", "jnp.stack([a[0] * b[0] + a[1] * b[1], a[1] * b[0] + a[2] * b[1]]) @ c", "F.conv1d(a.T, b[:2].T[:, None], groups=3).T @ c"),
    "separable_conv2d": ("vn.separable_conv2d(a[None, ..., None], b[:2, :2, None, None], c[:1])", "jax.lax.conv(a[None, None], b[None, None, :2, :2], (1, 1), 'VALID')[0, 0][..., None] @ c[:1]",
                         "F.conv2d(a[None, None], b[None, None, :2, :2])[0, 0][..., None] @ c[:1]"),
    "spectral_normalize": ("vn.spectral_normalize(a, b[0], iterations=60).z", "a / jnp.linalg.norm(a, 2)", "a / torch.linalg.norm(a, 2)"),
    **{f: (ours, text, text) for f, ours, text in (
        ("gram_matrix_loss", "vn.gram_matrix_loss(a[None], b[None])", "((a.T @ a - b.T @ b) ** 2).sum() / (4 * 9**2)"),
        ("lpips", "vn.lpips(a[None], b[None], c[0])", "(c[0] * (a / (a * a).sum(1)[:, None] ** 0.5 - b / (b * b).sum(1)[:, None] ** 0.5) ** 2).sum(1).mean()"),
        ("dists", "vn.dists(a[None], b[None], c[0], c[1])", "(lambda unlike, x, y: unlike(c[0], a.mean(0) * b.mean(0), a.mean(0) ** 2 + b.mean(0) ** 2) + unlike(c[1], (x * y).mean(0), (x * x + y * y).mean(0)))"
         "(lambda weight, both, each: (weight * (1 - (2 * both + 1e-6) / (each + 1e-6))).sum(), a - a.mean(0), b - b.mean(0))"),
        ("frechet_distance", "vn.frechet_distance(a[:, :2], b[:, :2])", "(lambda x, y, apart: apart + x.trace() + y.trace() - 2 * ((x @ y).trace() + 2 * ((x[0, 0] * x[1, 1] - x[0, 1] ** 2) * (y[0, 0] * y[1, 1] - y[0, 1] ** 2)) ** 0.5) ** 0.5)"
         "(*[(x - x.mean(0)).T @ (x - x.mean(0)) / 2 for x in (a[:, :2], b[:, :2])], ((a - b)[:, :2].mean(0) ** 2).sum())"))},
    "view_as_complex": ("vn.imag(vn.view_as_complex(a[:, :2]))", "a[:, 1]", "torch.view_as_complex(a[:, :2].contiguous()).imag"),
    "view_as_real": ("vn.view_as_real(vn.complex(a, b))", "jnp.stack([a, b], -1)", "torch.view_as_real(torch.complex(a, b))"),
}
AT = {"acosh": 1.5}  # where a function is defined, if not in (0, 1)


def homes(name):
    m = peers[name]
    if name == "jax":
        return [m.numpy, m.nn, m.numpy.linalg, m.lax]
    return [m, m.nn.functional, m.linalg, m.special]


def find(framework, row):
    return next((getattr(home, n) for n in (row["alias"], row["name"]) if n for home in homes(framework) if hasattr(home, n)), None)


def evaluate(text, inputs, names):
    return eval(text, {**names, **dict(zip("abc", inputs))})


class Gradients(unittest.TestCase):
    def setUp(self):
        self.rows = [row for _, row in vn._vinea.listing() if row["differentiable"] and not row["random"]]

    def ours(self, row, inputs, weights=None):
        name = row["name"]
        f = (lambda *xs: evaluate(SAME[name][0], xs, {"vn": vn})) if name in SAME else (lambda *xs: getattr(vn, name)(*xs))
        y = f(*map(vn.asarray, inputs))
        if weights is None:
            return np.asarray(y)
        return [np.asarray(g) for g in vn.grad(lambda *xs: vn.sum(f(*xs) * vn.asarray(weights)), argnums=tuple(range(len(inputs))))(*map(vn.asarray, inputs))]

    def theirs(self, framework, row, inputs):
        """(value, the gradients as a function of weights), or None where the framework has no such function."""
        m, name = peers[framework], row["name"]
        if name in SAME:
            text = SAME[name][1 if framework == "jax" else 2]
            names = {"jax": m, "jnp": getattr(m, "numpy", None), "np": np, "torch": m, "F": getattr(getattr(m, "nn", None), "functional", None)}
            f = (lambda *xs: evaluate(text, xs, names)) if text else None
        else:
            f = find(framework, row)
        if f is None:
            return None
        if framework == "jax":
            inputs = [m.numpy.asarray(x) for x in inputs]
            gradients = lambda w: m.grad(lambda *xs: (f(*xs) * w).sum(), argnums=tuple(range(len(inputs))))(*inputs)
            return np.asarray(f(*inputs)), gradients
        xs = [m.tensor(x, requires_grad=True) for x in inputs]
        y = f(*xs)
        return y.detach().resolve_neg().numpy(), lambda w: [g.resolve_neg() for g in m.autograd.grad((y * m.tensor(w)).sum(), xs, allow_unused=True, materialize_grads=True)]

    def check(self, framework, row):
        """Whether the function could be compared."""
        rng = np.random.default_rng(random.Random(row["name"]).randrange(2**32))
        arrays = [p for p in row["parameters"] if p[2] and p[1] == "array"]
        if row["name"] not in SAME and (len(arrays) != sum(p[2] for p in row["parameters"]) or len(row["outputs"]) > 1):
            return False
        n = sum(f" {v}" in f" {SAME[row['name']][0]}".replace("(", " ").replace("[", " ").replace("*", " ") for v in "abc") if row["name"] in SAME else len(arrays)
        inputs = [rng.uniform(0.05, 0.95, (3, 3)) + AT.get(row["name"], 0) for _ in range(n)]
        try:
            found = self.theirs(framework, row, inputs)
        except (TypeError, AttributeError, NotImplementedError, RuntimeError, ValueError):
            if row["name"] in SAME:
                raise
            return False
        if found is None or not np.issubdtype(found[0].dtype, np.floating):
            return False
        value, gradients = found
        mine = self.ours(row, inputs)
        if row["name"] not in SAME and (mine.shape != value.shape or not np.allclose(mine, value)):
            return False  # something else of the same name
        np.testing.assert_allclose(mine.reshape(value.shape), value, 1e-9, 1e-12, err_msg=f"{framework}: {row['name']}")
        weights = rng.uniform(0.5, 1.5, value.shape)
        try:
            wanted = gradients(weights)
        except (NotImplementedError, RuntimeError) as why:  # the framework has the function without a gradient
            if isinstance(why, NotImplementedError) or "not implemented" in str(why) or "does not require grad" in str(why):
                return False
            raise
        for k, (g, h) in enumerate(zip(self.ours(row, inputs, weights.reshape(mine.shape)), wanted)):
            if row["name"] == "binary_cross_entropy" and k == 1:
                continue  # PyTorch has none by the target
            np.testing.assert_allclose(g, np.asarray(h), 1e-7, 1e-9, err_msg=f"{framework}: gradient {k} of {row['name']}")
        return True

    def walk(self, framework):
        without, compared = [], 0
        for row in self.rows:
            with self.subTest(function=row["name"]):
                good = self.check(framework, row)
                compared += good
                without += [] if good else [row["name"]]
        print(f"{framework}: {compared} functions compared; not compared: {' '.join(without)}")
        self.assertGreaterEqual(compared, LEAST[framework])
        self.assertEqual(sorted(set(without) - {name for names in REASONS.values() for name in names.split()}), [])

    @unittest.skipUnless("jax" in peers, "there is no JAX")
    def test_jax(self):
        peers["jax"].config.update("jax_enable_x64", True)
        self.walk("jax")

    @unittest.skipUnless("torch" in wanted, "not asked for")
    def test_torch(self):
        if "torch" in peers:
            return self.walk("torch")
        python = pathlib.Path(__file__).resolve().parents[2] / ".venv-bench/bin/python"  # where PyTorch can be imported (python-imports.sh sets it up)
        if not python.exists():
            self.skipTest("there is no PyTorch for Python (tools/venv .venv-bench bench/requirements.txt)")
        self.assertEqual(subprocess.run([python, "-B", __file__, "torch"]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
