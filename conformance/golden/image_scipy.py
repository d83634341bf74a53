#!/usr/bin/env python3
"""Prints conformance/cases/image.case: SciPy (coordinates, filters), PyTorch (grids, patches, local response norm), scikit-image (colours, structural similarity), and NumPy.

    python3 conformance/golden/image_scipy.py > conformance/cases/image.case
"""
import math

import numpy as np
import torch
from scipy import ndimage
from skimage import color, metrics

import lines
from lines import fails, line, positive, title, waves

lines.TOLERANCE.update({"f32": "1e-5", "f64": "1e-12", "f16": "4e-3"})
lines.out.append("# image.case: printed by conformance/golden/image_scipy.py: do not edit.")


def f64(x):
    return torch.tensor(x, dtype=torch.float64)


title("colours")
rgb = positive(1, 2, 3, 3)
line("rgb_to_grayscale", [("f64", rgb)], "", "f64", rgb @ np.array([[0.2989], [0.587], [0.114]]))
line("rgb_to_hsv", [("f64", rgb)], "", "f64", color.rgb2hsv(rgb))
line("rgb_to_hsv", [("f32", rgb[0])], "", "f32", color.rgb2hsv(rgb[0]))
hsv = np.array([[0.05, 0.4, 0.9], [0.3, 1, 0.5], [0.47, 0.2, 0.7], [0.62, 0.9, 1], [0.8, 0.6, 0.3], [0.97, 0.1, 0.2]])
line("hsv_to_rgb", [("f64", hsv)], "", "f64", color.hsv2rgb(hsv))
fails("rgb_to_grayscale [1 2] ! VN_E_SHAPE \"3 colours\"", "rgb_to_hsv f32{1} ! VN_E_SHAPE", "hsv_to_rgb i32[1 2 3] ! VN_E_DTYPE")

title("map_coordinates")
x = waves(2, 3, 4)
at = np.array([[-1.7, -0.4, 0.3, 1.1, 2.6, 4.2], [0.7, 3.4, -1.2, 1.9, 5.3, -3.4]])
for mode, theirs in ("constant", "grid-constant"), ("nearest", "nearest"), ("wrap", "grid-wrap"), ("mirror", "mirror"), ("reflect", "reflect"):
    value = " value=0.5" if mode == "constant" else ""
    line("map_coordinates", [("f64", x), ("f64", at)], f"mode={mode}{value}", "f64", ndimage.map_coordinates(x, at, order=1, mode=theirs, cval=0.5))
line("map_coordinates", [("f32", x), ("f32", at[:, ::2])], "interpolation=nearest mode=nearest", "f32", ndimage.map_coordinates(x, at[:, ::2], order=0, mode="nearest"))
y, place = waves(3, 5), np.array([[[0.25, 1.5], [3.75, 9]]])
line("map_coordinates", [("f64", y), ("f64", place)], "", "f64", ndimage.map_coordinates(y, place, order=1, mode="grid-constant"))
fails("map_coordinates [[1 2]] [[0]] ! VN_E_SHAPE \"a coordinate for each\"", "map_coordinates f32(0)[] [[0]] ! VN_E_SHAPE \"no elements\"", "map_coordinates [1 2] [[0]] mode=mirrored ! VN_E_ARG")

title("grid_sample, affine_grid")
x, grid = waves(4, 2, 3, 4, 2), waves(5, 2, 2, 3, 2) * 1.3
for padding, corners in ("zeros", False), ("border", True), ("reflection", False), ("reflection", True):
    made = torch.nn.functional.grid_sample(f64(x).permute(0, 3, 1, 2), f64(grid), padding_mode=padding, align_corners=corners).permute(0, 2, 3, 1)
    line("grid_sample", [("f64", x), ("f64", grid)], f"padding={padding}" + " align_corners" * corners, "f64", made.numpy())
made = torch.nn.functional.grid_sample(f64(x).permute(0, 3, 1, 2), f64(grid), mode="nearest", align_corners=False)
line("grid_sample", [("f32", x.transpose(0, 3, 1, 2)), ("f32", grid)], "interpolation=nearest data_format=NCHW", "f32", made.numpy())
theta = waves(6, 2, 2, 3)
for corners in False, True:
    line("affine_grid", [("f64", theta)], "height=2 width=3" + " align_corners" * corners, "f64", torch.nn.functional.affine_grid(f64(theta), (2, 1, 2, 3), align_corners=corners).numpy())
fails("grid_sample f32(1,2,2,1)[1 2 3 4] f32(1,1,1,3)[1 2 3] ! VN_E_SHAPE \"[N, h, w, 2]\"", "grid_sample f32(1,2)[1 2] f32(1,1,1,2)[1 2] ! VN_E_SHAPE",
      "affine_grid [[1 2 3]] height=1 width=1 ! VN_E_SHAPE", "affine_grid f32(1,2,3)[1 2 3 4 5 6] height=0 width=1 ! VN_E_ARG")

title("transforms")


def moved(x, t, mode="grid-constant", cval=0.0):
    down, across = np.meshgrid(np.arange(x.shape[1]), np.arange(x.shape[2]), indexing="ij")
    made = []
    for image, (a0, a1, a2, b0, b1, b2, c0, c1) in zip(x, np.broadcast_to(t, (len(x), 8))):
        k = c0 * across + c1 * down + 1
        at = np.stack([(b0 * across + b1 * down + b2) / k, (a0 * across + a1 * down + a2) / k])
        made.append(np.stack([ndimage.map_coordinates(image[..., c], at, order=1, mode=mode, cval=cval) for c in range(x.shape[3])], -1))
    return np.stack(made)


x = waves(7, 2, 3, 4, 2)
t = np.array([0.9, 0.2, -0.35, -0.1, 1.1, 0.45, 0, 0])
line("affine_transform", [("f64", x), ("f64", t)], "", "f64", moved(x, t))
both = np.stack([t, [1, 0.1, 0.23, 0, 0.8, 0.15, 0.05, 0.02]])
line("affine_transform", [("f64", x), ("f64", both)], "mode=reflect", "f64", moved(x, both, "reflect"))
start, end = np.array([[0, 0], [3, 0], [0, 2], [3, 2]], float), np.array([[0.2, 0.1], [2.7, 0.3], [0.4, 1.8], [3.1, 2.2]])
rows, to = [], []
for (sx, sy), (ex, ey) in zip(start, end):
    rows += [[ex, ey, 1, 0, 0, 0, -sx * ex, -sx * ey], [0, 0, 0, ex, ey, 1, -sy * ex, -sy * ey]]
    to += [sx, sy]
line("perspective_transform", [("f64", x), ("f64", start), ("f64", end)], "value=0.25", "f64", moved(x, np.linalg.solve(rows, to), cval=0.25), "1e-10")
fails("affine_transform f32(1,2,2,1)[1 2 3 4] [1 0 0] ! VN_E_SHAPE \"or as many for each image\"", "perspective_transform f32(1,2,2,1)[1 2 3 4] [[0 0]] [[0 0]] ! VN_E_SHAPE")

title("filters")
x = waves(8, 1, 4, 5, 2)


def gauss(n, sigma):
    w = np.exp(-0.5 * ((np.arange(n) - (n - 1) / 2) / sigma) ** 2)
    return w / w.sum()


def correlated(x, kernel):
    return np.stack([ndimage.correlate(x[0, ..., c], kernel, mode="constant") for c in range(x.shape[3])], -1)[None]


line("gaussian_blur", [("f64", x)], "", "f64", correlated(x, np.outer(gauss(3, 1), gauss(3, 1))))
line("gaussian_blur", [("f32", x)], "height=5 width=3 sigma=0.7 width_sigma=2", "f32", correlated(x, np.outer(gauss(5, 0.7), gauss(3, 2))))
line("median_filter", [("f64", x)], "", "f64", ndimage.median_filter(x, (1, 3, 3, 1), mode="nearest"))
line("median_filter", [("f32", x)], "height=1 width=5", "f32", ndimage.median_filter(x, (1, 1, 5, 1), mode="nearest"))
kernel = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
for op, theirs, out in ("grey_dilation", ndimage.maximum_filter, -np.inf), ("grey_erosion", ndimage.minimum_filter, np.inf):
    line(op, [("f64", x), ("bool", kernel)], "", "f64", theirs(x, footprint=kernel[None, :, :, None], mode="constant", cval=out))
whole = np.round(x * 9).astype("i4")
line("grey_dilation", [("i32", whole), ("bool", np.ones((2, 3), bool))], "", "i32", ndimage.maximum_filter(whole.astype(float), (1, 2, 3, 1), mode="constant", cval=-np.inf).astype("i4"))
x = waves(9, 2, 6, 2)
line("local_response_norm", [("f64", x)], "size=3 alpha=0.5 axis=1", "f64", torch.nn.functional.local_response_norm(f64(x), 3, 0.5).numpy())
line("local_response_norm", [("f64", x)], "size=4 beta=0.5 bias=2 axis=1", "f64", torch.nn.functional.local_response_norm(f64(x), 4, beta=0.5, k=2.0).numpy())
line("local_response_norm", [("f32", x[0])], "size=3 sum alpha=0.2", "f32", torch.nn.functional.local_response_norm(f64(x[0].T[None]), 3, 0.6)[0].T.numpy())
fails("gaussian_blur [1] ! VN_E_SHAPE", "gaussian_blur f32(1,1,1,1)[1] height=0 ! VN_E_ARG", "gaussian_blur f32(1,1,1,1)[1] sigma=0 ! VN_E_ARG", "median_filter [1] ! VN_E_SHAPE",
      "grey_dilation f32(1,1,1,1)[1] bool[1] ! VN_E_SHAPE \"kernel has shape 1\"", "local_response_norm [1] size=0 ! VN_E_ARG", "local_response_norm [1] axis=1 ! VN_E_ARG")

title("similarity")
x, y = positive(10, 2, 6, 7, 2), positive(11, 2, 6, 7, 2)
line("psnr", [("f64", x), ("f64", y)], "max_val=2", "f64", np.array(10 * np.log10(4 / np.mean((x - y) ** 2))))


def ssim(a, b, sigma):  # scikit-image's window has 2 int(3.5 sigma + 0.5) + 1 elements
    return np.array([np.mean([metrics.structural_similarity(p[..., c], q[..., c], gaussian_weights=True, sigma=sigma, use_sample_covariance=False, data_range=1.0) for c in range(2)]) for p, q in zip(a, b)])


line("ssim", [("f64", x), ("f64", y)], "filter_size=5 filter_sigma=0.6", "f64", ssim(x, y, 0.6))
fails("psnr [1 2] [1] ! VN_E_SHAPE", "psnr [1] [1] max_val=0 ! VN_E_ARG", "ssim f32(1,2,2,1)[1 2 3 4] f32(1,2,2,1)[1 2 3 4] ! VN_E_SHAPE \"smaller than the filter\"")

title("patches")


def patches(x, size, strides, dilations, pads=((0, 0), (0, 0))):
    x = np.pad(x, ((0, 0), *pads, (0, 0)))
    n, c = x.shape[0], x.shape[-1]
    reach = [(s - 1) * d + 1 for s, d in zip(size, dilations)]
    places = [(a - r) // s + 1 for a, r, s in zip(x.shape[1:-1], reach, strides)]
    out = np.zeros((n, *places, math.prod(size) * c))
    for at in np.ndindex(*places):
        cut = tuple(slice(p * s, p * s + r, d) for p, s, r, d in zip(at, strides, reach, dilations))
        out[(slice(None), *at)] = x[(slice(None), *cut)].reshape(n, -1)
    return out


x = waves(12, 2, 4, 5, 2)
line("extract_patches", [("f64", x)], "size=2,2", "f64", patches(x, (2, 2), (2, 2), (1, 1)))
line("extract_patches", [("f64", x)], "size=2 strides=1 dilations=2", "f64", patches(x, (2, 2), (1, 1), (2, 2)))
line("extract_patches", [("f32", x)], "size=3,2 strides=2 padding=SAME", "f32", patches(x, (3, 2), (2, 2), (1, 1), ((0, 1), (0, 1))))
x = waves(13, 1, 2, 3, 4, 1)
line("extract_patches", [("f64", x)], "size=1,2,2 strides=1,1,2", "f64", patches(x, (1, 2, 2), (1, 1, 2), (1, 1, 1), ((0, 0),) * 3))
fails("extract_patches [1] size=2 ! VN_E_SHAPE", "extract_patches f32(1,2,2,1)[1 2 3 4] size=1,2,3 ! VN_E_ARG", "extract_patches f32(1,2,2,1)[1 2 3 4] size=3 ! VN_E_SHAPE \"smaller than a patch\"",
      "extract_patches f32(1,2,2,1)[1 2 3 4] size=0 ! VN_E_ARG")

print("\n".join(lines.out))
