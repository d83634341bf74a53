#!/usr/bin/env python3
"""Writes conformance/cases/features.case: vocabularies, encodings, noise, separable convolutions and products of vectors, by scikit-learn, Keras and PyTorch; hashes by Philox.

Run by hand, with keras (on jax), torch, scikit-learn, tensorly, scipy and numpy: KERAS_BACKEND=jax JAX_ENABLE_X64=1 python3 conformance/golden/features_keras.py [folder], default conformance/cases. Where Keras takes
random numbers it gets those of the key (random_numpy.py), so that the layer itself computes the result.
"""
import math
from unittest import mock

import keras
import numpy as np
import torch
from keras.src import backend
from scipy import ndimage
from sklearn.metrics import jaccard_score
from sklearn.preprocessing import OrdinalEncoder
from tensorly.tenalg.svd import make_svd_non_negative

import lines
from lines import fails, line, save, title, waves
from random_numpy import normal32, normal64, unit32, unit64
from sample_numpy import fold, half, unit

lines.TOLERANCE.update({"f32": "2e-6", "f64": "1e-12", "f16": "4e-3", "bf16": "3e-2"})
KEY = (12345678901234567890, 42)
key = f"u64[{KEY[0]} {KEY[1]}]"
keras.config.set_floatx("float64")


def tensor(x):
    return torch.tensor(np.asarray(x), dtype=torch.float64)


# ---- vocabularies and hashes ----

title("lookup")
ids, known = np.array([[7, 5, 20], [-3, 10, 21]]), np.array([10, 20, 5, -3])
encoder = OrdinalEncoder(categories=[[str(v) for v in known]], handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.int64)
places = encoder.fit([[str(v)] for v in known]).transform([[str(v)] for v in ids.ravel()]).reshape(ids.shape) + 1
line("lookup", [("i64", ids), ("i64", known)], "", "i64", places)
line("lookup", [("i32", ids), ("i32", known)], "", "i64", places)
line("lookup", [("i64", ids), ("i64", known)], "unknown=0", "i64", places - 1)
line("lookup", [("i64", ids), ("i64", known)], "from_end=1", "i64", np.where(places == 0, 4, places - 1))
line("lookup", [("f32", np.array([0.5, 2, -1])), ("f32", np.array([2, 0.5]))], "", "i64", np.array([2, 1, 0]))
line("lookup", ["i8[3 3 4]", "i8[4 3 3]"], "", "i64", np.array([2, 2, 1]))
line("lookup", ["i64[1 2]", "i64(0)[]"], "", "i64", np.array([0, 0]))
line("lookup", ["i64(0,2)[]", "i64[1]"], "", "i64", np.zeros((0, 2)))
line("lookup", ["bool[1 0]", "bool[0 1]"], "", "i64", np.array([2, 1]))
three = [fold((0, 0), [int(v)])[0] % 3 for v in (7, 21)]
line("lookup", [("i64", ids), ("i64", known)], "unknown=3", "i64", np.array([[three[0], 5, 4], [6, 3, three[1]]]))
many = np.arange(1100) * 7919 % 4001
line("lookup", [("i64", np.array([0, 7919, 4000, 1234])), ("i64", many)], "", "i64", np.array([1 + (list(many).index(v) if v in many else -1) for v in (0, 7919, 4000, 1234)]))
fails('lookup i64[1 2] i32[1] ! VN_E_DTYPE "cast one of them"', 'lookup i64[1] i64[[1]] ! VN_E_SHAPE "one axis"', "lookup c64[1] c64[1] ! VN_E_DTYPE", "lookup i64[1] i64[1] unknown=-1 ! VN_E_ARG")


def bins(x, n, salt=0):
    return np.array([fold((salt % 2**64, 0), [int(v)])[0] % n for v in np.array(x, object).ravel()]).reshape(np.shape(x))


title("hash_bins, hashed_cross")
x = np.array([[0, 1, -1], [2**40, -(2**62), 7]])
line("hash_bins", [("i64", x)], "bins=5", "i64", bins(x, 5))
line("hash_bins", [("i64", x)], "bins=1000003 salt=9", "i64", bins(x, 1000003, 9))
line("hash_bins", ["u64[18446744073709551615 3]"], "bins=9223372036854775807", "i64", bins([2**64 - 1, 3], 2**63 - 1))
line("hash_bins", ["i8[3 -3]"], "bins=4 salt=-1", "i64", bins([3, -3], 4, -1))
line("hash_bins", ["i32(0)[]"], "bins=1", "i64", np.zeros(0))
line("hash_bins", [("i64", np.arange(130))], "bins=16", "i64", bins(np.arange(130), 16))


def crossed(arrays, n, salt=0):
    out = []
    for values in zip(*(np.ravel(a) for a in np.broadcast_arrays(*arrays))):
        h = 0
        for v in values:
            h = fold((salt, 0), [(int(v) % 2**64) ^ h])[0]
        out.append(h % n)
    return np.array(out).reshape(np.broadcast_shapes(*(np.shape(a) for a in arrays)))


a, b, c = np.array([[1], [-2]]), np.array([3, 4, 5]), np.array([[7, 8, 9], [9, 8, 7]])
line("hashed_cross", [("i64", a), ("i64", b)], "bins=10", "i64", crossed([a, b], 10))
line("hashed_cross", [("i32", a), ("u8", b), ("i64", c)], "bins=1000 salt=3", "i64", crossed([a, b, c], 1000, 3))
line("hashed_cross", [("i64", c)], "bins=1000", "i64", bins(c, 1000))
fails("hash_bins [1.5] bins=3 ! VN_E_DTYPE \"integers\"", "hash_bins i64[1] bins=0 ! VN_E_ARG", "hash_bins bool[1] bins=2 ! VN_E_DTYPE", "hashed_cross i64[1 2] i64[1 2 3] bins=4 ! VN_E_SHAPE",
      "hashed_cross i64[1 2] [1 2] bins=4 ! VN_E_DTYPE")

title("category_encoding")
x, w = np.array([[0, 2, 2], [3, 1, 0]]), np.array([[0.5, 1, 0.25], [2, 1, 1]])
for mode in "multi_hot", "count":
    line("category_encoding", [("i64", x)], f"size=4 mode={mode}", "f32", np.asarray(keras.layers.CategoryEncoding(4, output_mode=mode)(x)))
line("category_encoding", [("i64", x), ("f64", w)], "size=4 dtype=float64 mode=count", "f64", np.asarray(keras.layers.CategoryEncoding(4, output_mode="count")(x, count_weights=w)))
line("category_encoding", [("i32", x[0])], "size=4 mode=one_hot dtype=int8", "i8", np.asarray(keras.layers.CategoryEncoding(4, output_mode="one_hot")(x[0])))
line("category_encoding", [("i64", x[0])], "size=4", "f32", np.asarray(keras.layers.CategoryEncoding(4, output_mode="multi_hot")(x[0])))
line("category_encoding", ["i64[-1 9 1]"], "size=3 mode=count", "f32", np.array([0, 1, 0]))
line("category_encoding", ["i64(2,0)[]"], "size=2 mode=count", "f32", np.zeros((2, 2)))
line("category_encoding", ["i64{1}"], "size=2 mode=one_hot", "f32", np.array([0, 1]))
fails("category_encoding i64{1} size=2 ! VN_E_SHAPE \"an axis of categories\"", "category_encoding [1] size=2 ! VN_E_DTYPE", "category_encoding i64[1] [1] size=2 ! VN_E_ARG \"for the mode count\"",
      "category_encoding i64[1 0] [1] size=2 mode=count ! VN_E_SHAPE", "category_encoding i64[1] size=0 ! VN_E_ARG")

title("rescale, masked_steps")
pixels = np.array([[0, 51], [102, 255]])
line("rescale", [("u8", pixels)], "scale=0.00392156862745098", "f32", np.asarray(keras.layers.Rescaling(1 / 255.0)(pixels)))
line("rescale", [("f64", waves(1, 5))], "scale=2.5 offset=-1", "f64", np.asarray(keras.layers.Rescaling(2.5, -1.0)(waves(1, 5))))
line("rescale", ["f16[1 2]"], "scale=0.5 offset=0.25", "f16", np.array([0.75, 1.25]))
# An infinity: at steps that are masked there is no derivative to compare.
steps = np.array([[[1, 2], [0, 0], [0, 3]], [[0, 0], [-1, math.inf], [4, 4]]], float)
line("masked_steps", [("f64", waves(3, 2, 3))], "", "f64", waves(3, 2, 3))
line("masked_steps", [("f64", steps)], "", "f64", np.asarray(keras.layers.Masking(0.0)(steps)))
line("masked_steps", [("f32", steps)], "value=4", "f32", np.asarray(keras.layers.Masking(4.0)(steps)))
line("masked_steps", ["[nan 0]"], "", "f32", np.array([math.nan, 0]))
fails("rescale c64[1] scale=2 ! VN_E_DTYPE", "rescale [1] scale=inf ! VN_E_ARG", "masked_steps f32{1} ! VN_E_SHAPE \"an axis of features\"", "masked_steps i32[1] ! VN_E_DTYPE")

# ---- noise ----

title("noise")


def with_noise(layer, x, wide=True):
    n = math.prod(x.shape)
    normal = lambda shape, mean=0.0, stddev=1.0, **_: mean + stddev * (normal64 if wide else normal32)(KEY, n).reshape(shape)
    kept = lambda shape=None, *_, **__: 1 - np.array([unit(half(KEY, e)) for e in range(n)]).reshape(x.shape)
    with mock.patch.object(backend.random, "normal", normal), mock.patch.object(backend.random, "uniform", kept):
        return np.asarray(layer(x, training=True))


x = waves(2, 3, 5)
for op, make in ("gaussian_noise", lambda p: keras.layers.GaussianNoise(p)), ("gaussian_dropout", lambda p: keras.layers.GaussianDropout(p)), ("alpha_dropout", lambda p: keras.layers.AlphaDropout(p)):
    option = "std" if op == "gaussian_noise" else "prob"
    line(op, [("f64", x), key], f"{option}=0.3", "f64", with_noise(make(0.3), x))
    line(op, [("f32", x), key], f"{option}=0.3", "f32", with_noise(make(0.3), x, False))
    line(op, [("f16", np.float16(x)), key], f"{option}=0.3", "f16", with_noise(make(0.3), np.float16(x).astype(float), False), "8e-3")
    line(op, [("f64", x), key], f"{option}=0", "f64", x)
    line(op, ["f32(0,2)[]", key], "", "f32", np.zeros((0, 2)))
    fails(f"{op} [1 2] [1 2] ! VN_E_DTYPE \"uint64\"", f"{op} [1 2] u64[1 2 3] ! VN_E_SHAPE", f"{op} i32[1] {key} ! VN_E_DTYPE", f"{op} [1] {key} {option}=-0.5 ! VN_E_ARG")
fails(f"gaussian_dropout [1] {key} prob=1 ! VN_E_ARG", f"alpha_dropout [1] {key} prob=1 ! VN_E_ARG")


def rrelu(x, low, high, u):
    slope = tensor(low + (high - low) * u.reshape(x.shape))
    t = tensor(x)
    return torch.where(t >= 0, t, slope * t).numpy()


line("rrelu", [("f64", x), key], "", "f64", rrelu(x, 1 / 8, 1 / 3, unit64(KEY, x.size)))
line("rrelu", [("f32", x), key], "low=-0.5 high=0.5", "f32", rrelu(x, -0.5, 0.5, unit32(KEY, x.size)))
line("rrelu", [("f64", x), key], "low=0.2 high=0.2", "f64", torch.rrelu(tensor(x), 0.2, 0.2, training=False).numpy())
fails(f"rrelu [1] {key} low=1 high=0 ! VN_E_ARG \"above high\"", f"rrelu i32[1] {key} ! VN_E_DTYPE", "rrelu [1] u64[1] ! VN_E_SHAPE")

# ---- products ----

title("separable convolutions")
x1, d1, p1, b1 = waves(3, 2, 7, 3), waves(4, 3, 3, 2), waves(5, 6, 4), waves(6, 4)
for strides, padding in (1, "valid"), (2, "same"):
    y = keras.ops.separable_conv(x1, d1, p1[None], strides=strides, padding=padding)
    line("separable_conv1d", [("f64", x1), ("f64", d1), ("f64", p1)], f"strides={strides} padding={padding.upper()}", "f64", np.asarray(y))
line("separable_conv1d", [("f32", x1), ("f32", d1), ("f32", p1), ("f32", b1)], "dilations=2", "f32", np.asarray(keras.ops.separable_conv(x1, d1, p1[None], dilation_rate=2)) + b1)
x2, d2, p2 = waves(7, 1, 5, 6, 2), waves(8, 3, 2, 2, 2), waves(9, 4, 3)
for strides, padding in ((1, 1), "valid"), ((2, 2), "same"):
    y = np.asarray(keras.ops.separable_conv(x2, d2, p2[None, None], strides=strides, padding=padding))
    line("separable_conv2d", [("f64", x2), ("f64", d2), ("f64", p2)], f"strides={strides[0]},{strides[1]} padding={padding.upper()}", "f64", y)
    line("separable_conv2d", [("f64", x2.transpose(0, 3, 1, 2)), ("f64", d2), ("f64", p2)], f"strides={strides[0]} padding={padding.upper()} data_format=NCHW", "f64", y.transpose(0, 3, 1, 2))
fails("separable_conv1d f32(1,4,2)[1 2 3 4 5 6 7 8] f32(2,3,1)[1 2 3 4 5 6] f32(3,1)[1 2 3] ! VN_E_SHAPE \"the channels of x\"",
      "separable_conv1d f32(1,4,1)[1 2 3 4] f32(2,1,2)[1 2 3 4] f32(3,1)[1 2 3] ! VN_E_SHAPE \"[2, channels] is needed\"",
      "separable_conv1d f32(1,4,1)[1 2 3 4] f32(2,1,1)[1 2] f32(1,2)[1 2] [1 2 3] ! VN_E_SHAPE \"bias\"", "separable_conv2d f32(1,4,1)[1 2 3 4] f32(2,1,1)[1 2] f32(1,1)[1] ! VN_E_SHAPE")

title("products of vectors")
x, y, w, b = waves(1, 2, 3, 4), waves(2, 2, 3, 2), waves(3, 5, 4, 2), waves(4, 5)
bilinear = lambda x, y, w, b=None: torch.nn.functional.bilinear(tensor(x), tensor(y), tensor(w), None if b is None else tensor(b)).numpy()
line("bilinear", [("f64", x), ("f64", y), ("f64", w)], "", "f64", bilinear(x, y, w))
line("bilinear", [("f32", x), ("f32", y), ("f32", w), ("f32", b)], "", "f32", bilinear(x, y, w, b))
line("bilinear", [("f64", x[0, 0]), ("f64", y[0, 0]), ("f64", w), ("f64", b)], "", "f64", bilinear(x[0, 0][None], y[0, 0][None], w, b)[0])
line("bilinear", [("f64", x[:, :1]), ("f64", y), ("f64", w)], "", "f64", bilinear(np.broadcast_to(x[:, :1], x.shape).copy(), y, w))
line("bilinear", [("f16", np.float16(x[0])), ("f16", np.float16(y[0])), ("f16", np.float16(w))], "", "f16", bilinear(np.float16(x[0]), np.float16(y[0]), np.float16(w)))
fails("bilinear [1 2] [1 2] [[[1 2]]] ! VN_E_SHAPE \"(out, m, n) are needed\"", "bilinear [1] [1] [[[1]]] [1 2] ! VN_E_SHAPE \"bias\"", "bilinear i32[1] i32[1] i32[[[1]]] ! VN_E_DTYPE")
x, y = waves(5, 3, 4), waves(6, 3, 4)
distance = torch.nn.functional.pairwise_distance
for p in 2, 1, 3, math.inf:
    line("pairwise_distance", [("f64", x), ("f64", y)], f"p={p}", "f64", distance(tensor(x), tensor(y), p).numpy())
line("pairwise_distance", [("f32", x), ("f32", y[:1])], "keepdims=1", "f32", distance(tensor(x), tensor(y[:1]), keepdim=True).numpy())
line("pairwise_distance", [("f64", x), ("f64", x)], "epsilon=0.1", "f64", distance(tensor(x), tensor(x), eps=0.1).numpy())
fails("pairwise_distance f32{1} [1] ! VN_E_SHAPE \"an axis of features\"", "pairwise_distance [1 2] [1 2 3] ! VN_E_SHAPE", "pairwise_distance [1] [1] p=-1 ! VN_E_ARG", "pairwise_distance i32[1] i32[1] ! VN_E_DTYPE")
x, y = waves(7, 2, 3, 4), waves(8, 2, 4, 5)
dot = lambda axes, x, y, normalize=False: np.asarray(keras.layers.Dot(axes, normalize=normalize)([x, y]))
line("batch_dot", [("f64", x), ("f64", y)], "axis_x=2 axis_y=1", "f64", dot((2, 1), x, y))
line("batch_dot", [("f64", x), ("f64", y)], "axis_y=-2 normalize=1", "f64", dot((2, 1), x, y, True))
line("batch_dot", [("f32", x[:, 0]), ("f32", x[:, 1])], "", "f32", dot(1, x[:, 0], x[:, 1]))
line("batch_dot", [("f64", x[:, 0]), ("f64", x[:, 1])], "normalize=1", "f64", dot(1, x[:, 0], x[:, 1], True))
fails("batch_dot [1 2] [1 2] ! VN_E_SHAPE", "batch_dot [[1 2]] [[1 2 3]] ! VN_E_SHAPE \"do not fit\"", "batch_dot [[1 2]] [[1 2]] axis_x=0 ! VN_E_SHAPE", "batch_dot [[1 2]] [[1 2]] axis_x=5 ! VN_E_ARG")

title("spectral_normalize")


def spectral(w, u, steps):
    layer = keras.layers.SpectralNormalization(keras.layers.Dense(w.shape[-1], use_bias=False), power_iterations=steps)
    layer.build((None, w.shape[0]))
    layer.layer.kernel.assign(w)
    layer.vector_u.assign(u[None])
    layer(np.zeros((1, w.shape[0])), training=True)
    return np.asarray(layer.layer.kernel), np.asarray(layer.vector_u)[0]


w, u = waves(9, 4, 3), np.array([0.6, 0.0, 0.8])
for steps in 1, 3:
    z, v = spectral(w, u, steps)
    line("spectral_normalize", [("f64", w), ("f64", u)], f"iterations={steps}", "f64", z, "1e-9")
    line("spectral_normalize.1", [("f64", w), ("f64", u)], f"iterations={steps}", "f64", v, "1e-9")
fails("spectral_normalize [1 2] [1 2] ! VN_E_SHAPE", "spectral_normalize [[1 2]] [1] ! VN_E_SHAPE \"do not fit\"", "spectral_normalize [[1]] [1] iterations=0 ! VN_E_ARG", "spectral_normalize i32[[1]] i32[1] ! VN_E_DTYPE")

title("filter2d")
x, f = waves(1, 1, 4, 5, 2), waves(2, 3, 2)
borders = {"constant": "constant", "reflect": "mirror", "edge": "nearest", "symmetric": "reflect", "wrap": "wrap"}
for border, theirs in borders.items():
    y = np.stack([ndimage.correlate(x[0, :, :, c], f, mode=theirs, origin=(0, -1)) for c in range(2)], -1)[None]
    line("filter2d", [("f64", x), ("f64", f)], f"border={border}", "f64", y)
y = np.stack([ndimage.correlate(x[0, :, :, c], f, mode="constant", origin=(0, -1)) for c in range(2)], -1)[None]
line("filter2d", [("f32", x), ("f32", f)], "padding=VALID", "f32", y[:, 1:-1, :-1])
fails("filter2d [1 2] [[1]] ! VN_E_SHAPE \"images [N, H, W, C]\"", "filter2d f32(1,1,1,1)[1] [[1 2]] padding=VALID ! VN_E_SHAPE \"larger than x\"", "filter2d i32(1,1,1,1)[1] i32[[1]] ! VN_E_DTYPE")

title("nonnegative_svd")
x = np.abs(waves(3, 4, 5))
u, s, vh = np.linalg.svd(x, full_matrices=False)
w, h = make_svd_non_negative(x, u[:, :3], s[:3], vh[:3], nntype="nndsvd")
parts = [("f64", u[:, :3]), ("f64", s[:3]), ("f64", vh[:3])]
line("nonnegative_svd", parts, "", "f64", w, "1e-12")
line("nonnegative_svd.1", parts, "", "f64", h, "1e-12")
fails("nonnegative_svd [[1]] [1 2] [[1]] ! VN_E_SHAPE \"do not fit\"", "nonnegative_svd i32[[1]] i32[1] i32[[1]] ! VN_E_DTYPE")

title("accuracy of shares")
x, share = waves(4, 6, 4), np.roll(np.eye(4)[[0, 1, 2, 3, 0, 1]], 1, 1)
line("accuracy", [("f64", x), ("f32", share)], "", "f32", np.mean(np.asarray(keras.metrics.categorical_accuracy(share, x))))
for k in 1, 2, 3:
    line("top_k_accuracy", [("f32", x), ("f64", share)], f"k={k}", "f32", np.mean(np.asarray(keras.metrics.top_k_categorical_accuracy(share, x, k))))
fails("accuracy [[1 2]] [0] ! VN_E_DTYPE", "accuracy [[1 2]] [[0 1 0]] ! VN_E_SHAPE")

title("iou, mean_of")
guess, truth = np.array([0, 2, 1, 0, 1, 2, 2, 0]), np.array([0, 1, 1, 0, 2, 2, 2, 3])
for average in "macro", "micro", "weighted", "none":
    want = jaccard_score(truth, guess, labels=range(4), average=None if average == "none" else average, zero_division=0)
    line("iou", [("i64", guess), ("i32", truth)], f"classes=4 average={average}", "f32", want)
metric = keras.metrics.OneHotMeanIoU(5)
metric.update_state(np.eye(5)[truth], np.eye(5)[guess] * 0.75)
line("iou", [("f64", np.eye(5)[guess] * 0.75), ("f64", np.eye(5)[truth])], "classes=5", "f32", np.asarray(metric.result()))
metric = keras.metrics.OneHotIoU(4, target_class_ids=[2])
metric.update_state(np.eye(4)[truth], np.eye(4)[guess])
both = jaccard_score(truth, guess, labels=range(4), average=None, zero_division=0)
assert abs(float(metric.result()) - both[2]) < 1e-6
line("iou", [("f32", np.eye(4)[guess]), ("i64", truth)], "classes=4 average=none", "f32", both)
fails("iou i64[0 1] i64[0] classes=2 ! VN_E_SHAPE \"do not fit\"", "iou [[1 0]] i64[0] classes=3 ! VN_E_SHAPE", "iou i64[0] i64[0] classes=0 ! VN_E_ARG", "iou c64[1] i64[0] classes=2 ! VN_E_DTYPE")
x, y = waves(1, 2, 3), waves(2, 3)
line("mean_of", [("f64", x), ("f64", waves(3, 2, 3)), ("f64", waves(4, 2, 3))], "", "f64", np.asarray(keras.layers.Average()([x, waves(3, 2, 3), waves(4, 2, 3)])))
line("mean_of", [("f32", x), ("f32", y)], "", "f32", (x + y) / 2)
line("mean_of", ["[1 nan]"], "", "f32", np.array([1, math.nan]))
fails("mean_of [1 2] [1 2 3] ! VN_E_SHAPE", "mean_of i32[1] i32[2] ! VN_E_DTYPE")

save("features.case", "Vocabularies, hashes, encodings, noise and products, by scikit-learn, Keras, PyTorch, SciPy and Philox.")
