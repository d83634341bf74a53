#!/usr/bin/env python3
"""Prints conformance/cases/image_more.case: torchvision (tones, boxes, deformable convolution), PyTorch (pooling with indices, antialias), JAX (scaling, Lanczos, windows), scikit-image (YUV), Keras (Sobel),
SciPy (similarity at several scales) and NumPy.

    python3 conformance/golden/image_torchvision.py > conformance/cases/image_more.case
"""
import os

os.environ.update(KERAS_BACKEND="jax", JAX_ENABLE_X64="1", CUDA_VISIBLE_DEVICES="")
import jax
import keras
import numpy as np
import torch
import torchvision
from scipy import ndimage
from skimage import color
from torchvision.transforms.v2 import functional as tv

import lines
from lines import fails, line, positive, title, waves

lines.TOLERANCE.update({"f32": "1e-5", "f64": "1e-11", "f16": "4e-3"})
lines.out.append("# image_more.case: printed by conformance/golden/image_torchvision.py: do not edit.")
F = torch.nn.functional


def f64(x):
    return torch.tensor(x, dtype=torch.float64)


def first(x):  # the channels of a NumPy array before its other axes, for PyTorch
    return f64(np.moveaxis(np.asarray(x), -1, 1))


def last(x):
    return np.moveaxis(x.numpy(), 1, -1)


title("colours and tones")
rgb = positive(1, 2, 3, 3)
line("rgb_to_yuv", [("f64", rgb)], "", "f64", color.rgb2yuv(rgb))
line("yuv_to_rgb", [("f64", color.rgb2yuv(rgb))], "", "f64", color.yuv2rgb(color.rgb2yuv(rgb)), "1e-6")
x = positive(2, 1, 4, 5, 3)
line("solarize", [("f64", x)], "threshold=0.6", "f64", last(tv.solarize(first(x), 0.6)))
line("solarize", [("f32", np.array([5, 100, 130, 250]))], "threshold=128 max_val=255", "f32", tv.solarize(torch.tensor([[[5, 100, 130, 250]]], dtype=torch.uint8), 128)[0, 0].numpy())
line("posterize", [("f64", x)], "bits=2", "f64", last(tv.posterize(first(x), 2)))
line("posterize", [("f32", np.array([5, 37, 130, 250]))], "bits=3 max_val=256", "f32", tv.posterize(torch.tensor([[[5, 37, 130, 250]]], dtype=torch.uint8), 3)[0, 0].numpy())
line("auto_contrast", [("f64", x)], "", "f64", last(tv.autocontrast(first(x))))
x = np.round(positive(3, 1, 24, 23, 1) ** 2, 3)  # 552 pixels: PIL's step is 2
line("equalize", [("f64", x)], "", "f64", last(tv.equalize(first(x))))


def equalized(x, bins):  # PIL's rule with other bins
    at, made = np.floor(x * (bins - 1e-3)).astype(int), np.zeros_like(x)
    for n, c in np.ndindex(x.shape[0], x.shape[3]):
        counts = np.bincount(at[n, ..., c].ravel(), minlength=bins)
        step = (counts.sum() - counts[counts.nonzero()[0][-1]]) // (bins - 1)
        before = np.cumsum(counts) - counts
        made[n, ..., c] = np.clip((before + step // 2) // step, 0, bins - 1)[at[n, ..., c]] / (bins - 1)
    return made


x = positive(4, 2, 5, 6, 3)
line("equalize", [("f64", x)], "bins=5", "f64", equalized(x, 5))
line("equalize", [("f64", x)], "", "f64", x)  # fewer pixels than bins
x = np.round(0.1 + 0.8 * x, 4)  # away from the bounds
for factor in 0, 0.5, 3:
    line("adjust_sharpness", [("f64", x)], f"factor={factor}", "f64", last(tv.adjust_sharpness(first(x), factor)))
line("adjust_sharpness", [("f32", x[:, :2])], "", "f32", x[:, :2])
line("sobel_edges", [("f64", x)], "", "f64", np.asarray(keras.ops.image.sobel_edges(x)))
fails("rgb_to_yuv [1 2] ! VN_E_SHAPE \"3 colours\"", "yuv_to_rgb i32[1 2 3] ! VN_E_DTYPE", "solarize [1] max_val=0 ! VN_E_ARG", "posterize [1] bits=31 ! VN_E_ARG", "auto_contrast [1] ! VN_E_SHAPE",
      "equalize f32(1,1,1,1)[1] bins=1 ! VN_E_ARG", "equalize [1] ! VN_E_SHAPE", "adjust_sharpness f32(1,1,1,1)[1] factor=-1 ! VN_E_ARG", "sobel_edges [1] ! VN_E_SHAPE")

title("similarity at several scales")
x, y = positive(5, 2, 13, 12, 2), positive(5, 2, 13, 12, 2) * 0.7 + 0.3 * positive(6, 2, 13, 12, 2)
y = np.round(y, 3)
powers = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def blurred(x, size, sigma):  # each image and channel, where the window fits
    w = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
    for axis in 1, 2:
        x = ndimage.correlate1d(x, w / w.sum(), axis, mode="nearest")
        low = size // 2
        x = np.take(x, range(low, x.shape[axis] - (size - 1 - low)), axis)
    return x


def ms_ssim(x, y, scales, size, sigma):
    made = 1
    for k in range(scales):
        mx, my = blurred(x, size, sigma), blurred(y, size, sigma)
        vx, vy, cov = blurred(x * x, size, sigma) - mx**2, blurred(y * y, size, sigma) - my**2, blurred(x * y, size, sigma) - mx * my
        contrast, light = (2 * cov + 0.03**2) / (vx + vy + 0.03**2), (2 * mx * my + 0.01**2) / (mx**2 + my**2 + 0.01**2)
        made = made * np.maximum((contrast * light if k == scales - 1 else contrast).mean((1, 2)), 0) ** powers[k]
        x, y = (np.pad(a, ((0, 0), (0, a.shape[1] % 2), (0, a.shape[2] % 2), (0, 0)), "symmetric") for a in (x, y))
        x, y = ((a[:, ::2, ::2] + a[:, 1::2, ::2] + a[:, ::2, 1::2] + a[:, 1::2, 1::2]) / 4 for a in (x, y))
    return made.mean(-1)


for scales, size in (1, 7), (2, 5), (3, 3):
    line("ms_ssim", [("f64", x), ("f64", y)], f"scales={scales} filter_size={size} filter_sigma=1.1", "f64", ms_ssim(x, y, scales, size, 1.1))
a, b = positive(7, 1, 34, 33, 1), np.round(0.8 * positive(7, 1, 34, 33, 1) + 0.2 * positive(8, 1, 34, 33, 1), 3)
line("ms_ssim", [("f64", a), ("f64", b)], "filter_size=3", "f64", ms_ssim(a, b, 5, 3, 1.5))
fails("ms_ssim f32(1,4,4,1)[1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7] f32(1,4,4,1)[1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7] filter_size=3 ! VN_E_SHAPE \"at the last of 5 scales\"",
      "ms_ssim f32(1,1,1,1)[1] f32(1,1,1,1)[1] scales=6 ! VN_E_ARG", "ms_ssim [1] [1] ! VN_E_SHAPE")

title("elastic_transform")
x, by = waves(9, 2, 4, 5, 2), np.round(waves(10, 2, 4, 5, 2) * 1.4, 2) + 0.0037
down, across = np.meshgrid(np.arange(4), np.arange(5), indexing="ij")


def moved(x, by, mode, order=1):
    return np.stack([np.stack([ndimage.map_coordinates(x[n, ..., c], [down + by[n, ..., 1], across + by[n, ..., 0]], order=order, mode=mode) for c in range(2)], -1) for n in range(len(x))])


for mode, theirs in ("constant", "grid-constant"), ("reflect", "reflect"):
    line("elastic_transform", [("f64", x), ("f64", by)], f"mode={mode}", "f64", moved(x, by, theirs))
line("elastic_transform", [("f32", x), ("f32", by[0])], "interpolation=nearest mode=nearest", "f32", moved(x, np.stack([by[0], by[0]]), "nearest", 0))
whole = f64(by[:1]) * 2 / torch.tensor([5.0, 4.0])  # parts of half the image, as torchvision has them
line("elastic_transform", [("f64", x), ("f64", by[0])], "", "f64", last(tv.elastic(first(x), whole)))
fails("elastic_transform f32(1,2,2,1)[1 2 3 4] f32(1,2,2)[1 2 3 4] ! VN_E_SHAPE \"displacement\"", "elastic_transform [1] f32(1,2,2)[1 2 3 4] ! VN_E_SHAPE")

title("boxes")
x = waves(11, 2, 6, 7, 2)
boxes = np.array([[0.513, 0.717, 4.231, 3.943], [-3.11, 1.07, 2.57, 9.53], [1.03, 1.09, 1.217, 1.131], [10.1, 10.3, 12.7, 12.9]])
image = np.array([1, 0, 1, 0])
for options, size, scale, ratio, aligned in ("", (2, 3), 1, 2, True), ("spatial_scale=0.5 samples=3", (3, 2), 0.5, 3, True), ("not_aligned samples=1", (2, 2), 1, 1, False), ("not_aligned spatial_scale=0.75", (1, 2), 0.75, 2, False):
    want = torchvision.ops.roi_align(first(x), torch.cat([f64(image)[:, None], f64(boxes)], 1), size, scale, ratio, aligned)
    line("roi_align", [("f64", x), ("f64", boxes), ("i64", image)], f"height={size[0]} width={size[1]} {options}".strip(), "f64", last(want))
line("roi_align", [("f32", x), ("f32", boxes[:1]), ("i32", image[:1])], "height=1 width=1", "f32", last(torchvision.ops.roi_align(first(x), torch.cat([f64(image)[:, None], f64(boxes)], 1)[:1], 1, 1, 2, True)))
fails("roi_align f32(1,2,2,1)[1 2 3 4] [[0 0 1]] i64[0] height=1 width=1 ! VN_E_SHAPE \"[K, 4] and [K]\"", "roi_align f32(1,2,2,1)[1 2 3 4] [[0 0 1 1]] i64[0 0] height=1 width=1 ! VN_E_SHAPE",
      "roi_align f32(1,2,2,1)[1 2 3 4] [[0 0 1 1]] i64[0] height=0 width=1 ! VN_E_ARG", "roi_align f32(1,2,2,1)[1 2 3 4] [[0 0 1 1]] [0] height=1 width=1 ! VN_E_DTYPE",
      "roi_align f32(1,2,2,1)[1 2 3 4] [[0 0 1 1]] i64[0] height=1 width=1 samples=0 ! VN_E_ARG")

title("boxes to keep")
corner = positive(70, 12, 2) * 6
boxes = np.round(np.concatenate([corner, corner + 1 + 3 * positive(71, 12, 2)], 1), 3)
scores, classes = positive(72, 12) + np.arange(12) * 1e-4, np.array([0, 1, 1] * 4)


def kept(found, size):
    return np.concatenate([found.numpy()[:size], np.full(max(size - len(found), 0), -1)])


for iou in 0.1, 0.3, 0.7:
    line("non_max_suppression", [("f64", boxes), ("f64", scores)], f"iou={iou}", "i64", kept(torchvision.ops.nms(f64(boxes), f64(scores), iou), 12), "")
    line("non_max_suppression", [("f32", boxes), ("f32", scores), ("i32", classes)], f"iou={iou} max_boxes=5", "i64", kept(torchvision.ops.batched_nms(f64(boxes), f64(scores), torch.tensor(classes), iou), 5), "")
found = torchvision.ops.nms(f64(boxes), f64(scores), 0.3)
line("non_max_suppression", [("f64", boxes), ("f64", scores)], "iou=0.3 min_score=0.5 max_boxes=20", "i64", kept(found[f64(scores)[found] > 0.5], 20), "")
order = np.argsort(-scores)
line("suppress", [("f64", boxes[order]), ("i64", np.zeros(12, int))], "iou=0.3", "i64", np.isin(order, found.numpy()), "")
fails("non_max_suppression f32(0,4)[] f32(0)[] = i64(0)[]", "non_max_suppression f32(0,4)[] f32(0)[] max_boxes=2 = i64[-1 -1]", "non_max_suppression [[0 0 1 1]] [nan] = i64[0]",
      "non_max_suppression [[0 0 1]] [1] ! VN_E_SHAPE \"[K, 4] and [K]\"", "non_max_suppression [[0 0 1 1]] [1 2] ! VN_E_SHAPE", "non_max_suppression [[0 0 1 1]] [1] i64[0 1] ! VN_E_SHAPE \"classes\"",
      "non_max_suppression [[0 0 1 1]] [1] iou=1.5 ! VN_E_ARG", "non_max_suppression [[0 0 1 1]] [1] [0] ! VN_E_DTYPE", "non_max_suppression i32[[0 0 1 1]] i32[1] ! VN_E_DTYPE")

title("connected components")
pixels = np.stack([positive(73, 9, 11) > 0.5, (waves(74, 9, 11) * 7).astype(int) % 3 == 0])


def components(x, diagonal):
    return np.stack([ndimage.label(a, np.ones((3, 3)) if diagonal else None)[0] for a in x])


def statistics(labels, n):
    made = np.zeros((len(labels), n, 5), int)
    for k, image in enumerate(labels):
        for j, (rows, columns) in enumerate(ndimage.find_objects(image)[:n]):
            made[k, j] = columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start, (image == j + 1).sum()
    return made


for diagonal in False, True:
    option = "diagonal" if diagonal else ""
    line("connected_components", [("bool", pixels)], option, "i64", components(pixels, diagonal), "")
    line("label", [("i64", pixels)], option, "i64", components(pixels, diagonal), "")
    line("connected_components", [("f32", pixels[0])], option, "i64", components(pixels, diagonal)[0], "")
    line("connected_components_with_stats.1", [("i32", pixels)], f"components=6 {option}".strip(), "i64", statistics(components(pixels, diagonal), 6), "")
line("connected_components_with_stats", [("bool", pixels[1])], "components=40", "i64", components(pixels[1:], False)[0], "")
line("connected_components_with_stats.1", [("bool", pixels[1])], "components=40", "i64", statistics(components(pixels[1:], False), 40)[0], "")
fails("connected_components bool(0,3)[] = i64(0,3)[]", "connected_components [1 2] ! VN_E_SHAPE \"[height, width]\"", "connected_components c64[[1]] ! VN_E_DTYPE",
      "connected_components_with_stats [[1]] components=-1 ! VN_E_ARG")

title("deformable convolution")
for number, (n, h, w, c, o, kh, kw, groups, parts, stride, pad, dilation, masked, biased) in enumerate([
    (2, 5, 6, 2, 3, 3, 2, 1, 1, 1, 0, 1, False, False), (1, 5, 6, 4, 4, 2, 2, 2, 2, 2, 1, 1, True, True), (1, 6, 5, 2, 2, 2, 3, 1, 2, 1, 1, 2, True, False)]):
    x, f = waves(12 + number, n, h, w, c), waves(20 + number, kh, kw, c // groups, o)
    out = [(s + 2 * pad - (k - 1) * dilation - 1) // stride + 1 for s, k in ((h, kh), (w, kw))]
    offset, mask, bias = np.round(waves(30 + number, n, *out, parts * kh * kw * 2) * 1.3, 2) + 0.0037, positive(40 + number, n, *out, parts * kh * kw), waves(50, o)
    want = torchvision.ops.deform_conv2d(first(x), first(offset), f64(f.transpose(3, 2, 0, 1)), f64(bias) if biased else None, stride, pad, dilation, first(mask) if masked else None)
    inputs = [("f64", x), ("f64", offset), ("f64", f)] + [("f64", mask)] * masked + [("f64", bias)] * biased
    line("deform_conv2d", inputs, f"strides={stride} pads={pad} dilations={dilation} groups={groups}", "f64", last(want))
one = "f32(1,2,2,1)[1 2 3 4]"
fails(f"deform_conv2d {one} f32(1,2,2,3)[1 2 3 4 5 6 7 8 9 1 2 3] f32(1,1,1,1)[1] ! VN_E_SHAPE \"offset has shape\"", f"deform_conv2d {one} {one} f32(1,1,2,1)[1 2] ! VN_E_SHAPE \"C / groups\"",
      f"deform_conv2d {one} f32(1,2,2,2)[1 2 3 4 5 6 7 8] f32(1,1,1,1)[1] f32(1,2,2,2)[1 2 3 4 5 6 7 8] ! VN_E_SHAPE \"mask\"", f"deform_conv2d {one} f32(1,2,2,2)[1 2 3 4 5 6 7 8] f32(3,3,1,1)[1 2 3 4 5 6 7 8 9] ! VN_E_SHAPE \"do not fit\"",
      f"deform_conv2d {one} f32(1,2,2,2)[1 2 3 4 5 6 7 8] f32(1,1,1,1)[1] {one} [1 2] ! VN_E_SHAPE \"bias\"")

title("patches back")


def from_patches(x, shape, size, strides, dilations, pads, mean):
    padded = [s + a + b for s, (a, b) in zip(shape[1:-1], pads)]
    total, count = np.zeros((shape[0], *padded, shape[-1])), np.zeros((1, *padded, 1))
    for at in np.ndindex(*x.shape[1:-1]):
        cut = (slice(None), *(slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(at, strides, size, dilations)))
        total[cut] += x[(slice(None), *at)].reshape(shape[0], *size, shape[-1])
        count[cut] += 1
    inside = (slice(None), *(slice(a, a + s) for s, (a, _) in zip(shape[1:-1], pads)))
    return (total / np.maximum(count, 1) if mean else total)[inside]


x = waves(60, 2, 2, 2, 8)
line("reconstruct_patches", [("f64", x)], "shape=2,4,5,2 size=2,2", "f64", from_patches(x, (2, 4, 5, 2), (2, 2), (2, 2), (1, 1), ((0, 0), (0, 0)), True))
x = waves(61, 1, 3, 4, 9)
line("reconstruct_patches", [("f64", x)], "shape=1,3,4,1 size=3 strides=1 padding=SAME", "f64", from_patches(x, (1, 3, 4, 1), (3, 3), (1, 1), (1, 1), ((1, 1), (1, 1)), True))
line("reconstruct_patches", [("f32", x)], "shape=1,5,6,1 size=3 strides=1 sum", "f32", from_patches(x, (1, 5, 6, 1), (3, 3), (1, 1), (1, 1), ((0, 0), (0, 0)), False))
x = waves(62, 1, 2, 1, 2, 8)
line("reconstruct_patches", [("f64", x)], "shape=1,4,3,4,1 size=2 strides=1,1,1 dilations=2", "f64", from_patches(x, (1, 4, 3, 4, 1), (2, 2, 2), (1, 1, 1), (2, 2, 2), ((0, 0),) * 3, True))
fails("reconstruct_patches f32(1,2,2,4)[1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4] shape=1,4,6,1 size=2 ! VN_E_SHAPE \"the patches of shape\"", "reconstruct_patches f32(1,1,1,1)[1] shape=1,1 size=1 ! VN_E_SHAPE",
      "reconstruct_patches f32(1,1,1,1)[1] shape=1,1,1,1 size=0 ! VN_E_ARG")

title("pooling with indices")
x = waves(63, 2, 5, 6, 2)
for options, stride, pad, dilation in ("", None, 0, 1), ("strides=1 pads=1", 1, 1, 1), ("strides=1 dilations=2", 1, 0, 2):
    y, at = F.max_pool2d(first(x), 2, stride, pad, dilation, return_indices=True)
    line("max_pool_with_indices", [("f64", x)], f"window=2,2 {options}".strip(), "f64", last(y))
    line("max_pool_with_indices.1", [("f64", x)], f"window=2,2 {options}".strip(), "i64", last(at))
y, at = F.max_pool1d(first(x[0]), 3, return_indices=True)
line("max_pool_with_indices.1", [("f32", x[0].transpose(0, 2, 1))], "window=3 data_format=NCW", "i64", at.numpy())
y, at = F.max_pool2d(first(x), 2, return_indices=True)
line("max_unpool", [("f64", last(y)), ("i64", last(at))], "size=5,6", "f64", last(F.max_unpool2d(y, at, 2, output_size=(5, 6))))
y, at = F.max_pool1d(first(x[0]), 3, return_indices=True)
line("max_unpool", [("f32", y.numpy()), ("i32", at.numpy())], "size=7 data_format=NCW", "f32", F.max_unpool1d(y, at, 3, output_size=(7,)).numpy())
line("max_unpool", ["i32(1,2,1)[5 6]", "i64(1,2,1)[-1 1]"], "size=3", "i32", np.array([[[0], [6], [0]]]))
fails("max_pool_with_indices [1 2] window=2 ! VN_E_SHAPE", "max_pool_with_indices f32(1,2,1)[1 2] window=3 ! VN_E_SHAPE", "max_unpool f32(1,2,1)[1 2] i64(1,1,1)[1] size=3 ! VN_E_SHAPE",
      "max_unpool f32(1,2,1)[1 2] i64(1,2,1)[0 1] size=0 ! VN_E_ARG", "max_unpool f32(1,2,1)[1 2] f32(1,2,1)[0 1] size=3 ! VN_E_DTYPE", "max_unpool f32(1,2,1)[1 2] i64(1,2,1)[0 1] size=3,3 ! VN_E_ARG")

title("reduce_window")
by = {"sum": (jax.lax.add, 0), "max": (jax.lax.max, -np.inf), "min": (jax.lax.min, np.inf), "prod": (jax.lax.mul, 1)}
x = waves(64, 4, 5)
for name, (function, begin) in by.items():
    want = jax.lax.reduce_window(x, np.float64(begin), function, (2, 3), (1, 2), ((1, 0), (0, 2)), (2, 1), (1, 2))
    line("reduce_window", [("f64", x)], f"window=2,3 reduction={name} strides=1,2 pads=1,0,0,2 x_dilations=2,1 dilations=1,2", "f64", want)
    line("reduce_window", [("f32", x)], f"window=2 reduction={name}", "f32", jax.lax.reduce_window(x, np.float64(begin), function, (2, 2), (1, 1), "VALID"))
whole = np.round(x * 9).astype("i4")
line("reduce_window", [("i32", whole)], "window=3,1 reduction=max pads=1", "i32", jax.lax.reduce_window(whole, np.int32(-2**31), jax.lax.max, (3, 1), (1, 1), ((1, 1), (1, 1))))
line("reduce_window", [("i64", whole[0])], "window=2 pads=2,0 reduction=min", "i64", jax.lax.reduce_window(whole[0].astype("i8"), np.int64(2**63 - 1), jax.lax.min, (2,), (1,), ((2, 0),)))
x = waves(65, 2, 3, 2, 4)
line("reduce_window", [("f64", x)], "window=1,2,2,3 strides=1,1,1,1", "f64", jax.lax.reduce_window(x, np.float64(0), jax.lax.add, (1, 2, 2, 3), (1, 1, 1, 1), "VALID"))
fails("reduce_window f32{1} window=1 ! VN_E_SHAPE", "reduce_window [1 2] window=0 ! VN_E_ARG", "reduce_window [[1 2]] window=1,1,1 ! VN_E_ARG", "reduce_window [1 2] window=1 reduction=mean ! VN_E_ARG",
      "reduce_window [1 2] window=1 strides=0 ! VN_E_ARG", "reduce_window [1 2] window=1 pads=-1 ! VN_E_ARG")

title("resizing")
x = waves(66, 1, 7, 6, 2)
for mode, theirs in ("linear", "bilinear"), ("cubic", "bicubic"):
    for size in (3, 4), (9, 4):
        line("interpolate", [("f64", x)], f"size={size[0]},{size[1]} mode={mode} antialias", "f64", last(F.interpolate(first(x), size, mode=theirs, antialias=True, align_corners=False)), "1e-6")
line("interpolate", [("f64", x)], "size=3,4 mode=area", "f64", last(F.interpolate(first(x), (3, 4), mode="area")))
line("interpolate", [("f64", np.moveaxis(x, -1, 1))], "size=9,2 mode=area data_format=NCHW", "f64", F.interpolate(first(x), (9, 2), mode="area").numpy())
for mode, theirs in ("linear", "linear"), ("cubic_keys", "cubic"), ("lanczos3", "lanczos3"), ("lanczos5", "lanczos5"):
    for size in (3, 8), (10, 2):
        line("interpolate", [("f64", x)], f"size={size[0]},{size[1]} mode={mode} antialias", "f64", np.asarray(jax.image.resize(x, (1, *size, 2), theirs)), "1e-9")
        if mode != "linear":
            line("interpolate", [("f64", x)], f"size={size[0]},{size[1]} mode={mode}", "f64", np.asarray(jax.image.resize(x, (1, *size, 2), theirs, antialias=False)), "1e-9")
line("interpolate", [("f32", x[:, :, 0])], "size=4 mode=lanczos3 antialias", "f32", np.asarray(jax.image.resize(x[:, :, 0], (1, 4, 2), "lanczos3")))
fails("interpolate f32(1,2,1)[1 2] size=3 mode=area align_corners ! VN_E_ARG \"cannot align corners\"", "interpolate f32(1,2,1)[1 2] size=3 mode=nearest antialias ! VN_E_ARG \"no antialias\"",
      "interpolate f32(1,2,1)[1 2] size=3 antialias align_corners ! VN_E_ARG", "interpolate i32(1,2,1)[1 2] size=3 mode=lanczos3 ! VN_E_DTYPE", "interpolate f32(1,2,1)[1 2] size=3 mode=lanczos4 ! VN_E_ARG")
x, scale, shift = waves(67, 6, 5, 2), np.array([0.6137, 1.7371]), np.array([0.4173, -1.2911])
for method in "linear", "cubic", "lanczos3", "lanczos5":
    for antialias in True, False:
        want = jax.image.scale_and_translate(x, (4, 7, 2), (0, 1), scale, shift, method, antialias)
        line("scale_and_translate", [("f64", x), ("f64", scale), ("f64", shift)], f"shape=4,7,2 axes=0,1 method={method}" + " no_antialias" * (not antialias), "f64", np.asarray(want), "1e-9")
line("scale_and_translate", [("f32", x[:, 0, 0]), ("f32", scale[:1]), ("f32", shift[:1])], "shape=3", "f32", np.asarray(jax.image.scale_and_translate(x[:, 0, 0], (3,), (0,), scale[:1], shift[:1], "linear")))
fails("scale_and_translate [1 2] [1 1] [0] shape=3 ! VN_E_SHAPE \"a number for each of 1 axes\"", "scale_and_translate [[1 2]] [1] [0] shape=2,3 axes=1 ! VN_E_SHAPE \"only the axes that are scaled\"",
      "scale_and_translate [1 2] [1] [0] shape=3 axes=1 ! VN_E_ARG", "scale_and_translate i32[1 2] i32[1] i32[0] shape=3 ! VN_E_DTYPE", "scale_and_translate f32(0)[] [1] [0] shape=3 ! VN_E_SHAPE")

print("\n".join(lines.out))
