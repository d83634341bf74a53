#!/usr/bin/env python3
"""Prints conformance/cases/positions.case: encodings of positions, biases and masks, rotary scaling, additive attention. The formulas are written out in NumPy from MLX (sinusoidal
encoding, ALiBi), Ivy (Fourier features), Transformers (modeling_rope_utils) and Keras (AdditiveAttention).

    python3 conformance/golden/positions_numpy.py > conformance/cases/positions.case
"""
import math

import numpy as np

import lines
from lines import fails, line, title

lines.TOLERANCE.update({"f32": "2e-6", "f64": "1e-13", "f16": "2e-3", "bf16": "2e-2"})
lines.out.append("# positions.case: printed by conformance/golden/positions_numpy.py: do not edit.")


def waves(number, *shape):
    n = math.prod(shape)
    return np.array([round(math.sin(1 + 0.7 * k + 0.9 * number), 3) for k in range(n)]).reshape(shape)


def sinusoidal(x, size, min_freq=1e-4, max_freq=1, scale=None, cos_first=False, full_turns=False, interleaved=False):
    half = size // 2
    down = 1 - np.arange(half) / (half - 1) if half > 1 else np.ones(1)
    sigmas = np.exp(down * (math.log(max_freq) - math.log(min_freq)) + math.log(min_freq)) * (2 * math.pi if full_turns else 1)
    angle = x[..., None] * sigmas
    parts = [np.cos(angle), np.sin(angle)] if cos_first else [np.sin(angle), np.cos(angle)]
    y = np.stack(parts, -1).reshape(*x.shape, size) if interleaved else np.concatenate(parts, -1)
    return y * (scale if scale is not None else math.sqrt(2 / size))


def fourier(x, max_freq, bands, linear=False, no_input=False, flatten=False):
    scales = np.linspace(1, max_freq / 2, bands) if linear else np.logspace(0, math.log10(max_freq / 2), bands)
    angle = x[..., None] * scales * math.pi
    parts = [x[..., None], np.sin(angle), np.cos(angle)]
    if flatten:
        parts = [x, *(p.reshape(*x.shape[:-1], -1) for p in parts[1:])]
    return np.concatenate(parts[1:] if no_input else parts, -1)


def alibi(heads, queries, keys, offset=0):
    slope = ((2 ** 8) ** (1 / heads)) ** -np.arange(1.0, heads + 1)
    far = np.abs(np.arange(offset, offset + queries)[:, None] - np.arange(keys))
    return -far * slope[:, None, None]


def sliding(queries, keys, window, both_sides=False):
    far = np.arange(queries)[:, None] + keys - queries - np.arange(keys)
    return abs(far) < window if both_sides else (far >= 0) & (far < window)


def inverse_frequencies(dim, base, scaling, factor, trained, n, fast, slow):
    """As transformers' ROPE_INIT_FUNCTIONS; also the factor of sines and cosines."""
    if scaling == "ntk":
        base *= factor ** (dim / (dim - 2))
    if scaling == "dynamic":
        base *= (factor * max(n, trained) / trained - (factor - 1)) ** (dim / (dim - 2))
    freq = 1 / base ** (np.arange(0, dim, 2) / dim)
    if scaling == "linear":
        return freq / factor, 1
    if scaling == "yarn":
        def at(turns):
            return dim * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))
        low, high = max(math.floor(at(fast)), 0), min(math.ceil(at(slow)), dim - 1)
        if low == high:
            high += 0.001
        keep = 1 - np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
        return freq / factor * (1 - keep) + freq * keep, 0.1 * math.log(factor) + 1 if factor > 1 else 1
    if scaling == "llama3":
        wave = 2 * math.pi / freq
        new = np.where(wave > trained / slow, freq / factor, freq)
        smooth = (trained / wave - slow) / (fast - slow)
        medium = ~(wave < trained / fast) & ~(wave > trained / slow)
        return np.where(medium, (1 - smooth) * freq / factor + smooth * freq, new), 1
    return freq, 1


def rotary(x, scaling, factor, trained=0, base=10000.0, offset=0, fast=None, slow=1.0):
    n, dim = x.shape[-2:]
    fast = fast if fast is not None else 32.0 if scaling == "yarn" else 4.0
    freq, scale = inverse_frequencies(dim, base, scaling, factor, trained, n + offset, fast, slow)
    angle = (offset + np.arange(n))[:, None] * freq
    a, b = x[..., :dim // 2], x[..., dim // 2:]
    c, s = np.cos(angle) * scale, np.sin(angle) * scale
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


def additive(q, k, v, scale=None, mask=None):
    s = (np.tanh(q[..., :, None, :] + k[..., None, :, :]) * (1 if scale is None else scale)).sum(-1)
    allowed = np.ones(s.shape, bool)
    if mask is not None:
        allowed = allowed & mask if mask.dtype == bool else allowed
        s = s + (0 if mask.dtype == bool else mask)
    e = np.where(allowed, np.exp(s), 0)
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


title("sinusoidal_encoding")
x = np.array([0, 1, 2.5, 100])
line("sinusoidal_encoding", [("f64", x)], "size=6", "f64", sinusoidal(x, 6))
line("sinusoidal_encoding", [("f32", x)], "size=2", "f32", sinusoidal(x, 2))
line("sinusoidal_encoding", [("f64", x[:3])], "size=4 cos_first interleaved scale=1", "f64", sinusoidal(x[:3], 4, cos_first=True, interleaved=True, scale=1))
line("sinusoidal_encoding", [("f64", x[None, :2])], "size=4 min_freq=0.5 max_freq=3 full_turns", "f64", sinusoidal(x[None, :2], 4, 0.5, 3, full_turns=True))
line("sinusoidal_encoding", [("f16", x[:2])], "size=4", "f16", sinusoidal(x[:2], 4))
line("sinusoidal_encoding", [("f32", x[:0])], "size=4", "f32", sinusoidal(x[:0], 4))
fails("sinusoidal_encoding [1] size=3 ! VN_E_ARG \"an even number is needed\"", "sinusoidal_encoding [1] size=0 ! VN_E_ARG", "sinusoidal_encoding [1] size=2 min_freq=0 ! VN_E_ARG",
      "sinusoidal_encoding i32[1] size=2 ! VN_E_DTYPE")

title("fourier_features")
x = waves(1, 2, 3)
line("fourier_features", [("f64", x)], "max_freq=9 bands=3", "f64", fourier(x, 9, 3), "1e-12")
line("fourier_features", [("f64", x)], "max_freq=8 bands=2 linear flatten", "f64", fourier(x, 8, 2, True, False, True), "1e-12")
line("fourier_features", [("f32", x[0])], "bands=1 no_input", "f32", fourier(x[0], 10, 1, no_input=True))
line("fourier_features", [("f32", x[:, :0])], "", "f32", fourier(x[:, :0], 10, 4))
fails("fourier_features f32{1} ! VN_E_SHAPE", "fourier_features [1] bands=0 ! VN_E_ARG", "fourier_features [1] max_freq=-1 ! VN_E_ARG", "fourier_features i32[1] ! VN_E_DTYPE",
      "fourier_features [1] bands=9223372036854775807 ! VN_E_ARG \"too many\"")

title("alibi")
line("alibi", [], "heads=3 queries=2 keys=4 dtype=float64", "f64", alibi(3, 2, 4))
line("alibi", [], "heads=8 queries=1 keys=3 offset=2", "f32", alibi(8, 1, 3, 2))
line("alibi", [], "heads=2 queries=0 keys=3", "f32", alibi(2, 0, 3))
fails("alibi heads=0 queries=2 keys=2 ! VN_E_ARG", "alibi heads=2 queries=-1 keys=2 ! VN_E_ARG", "alibi heads=1 queries=1 keys=1 dtype=int32 ! VN_E_DTYPE")

title("sliding_window_mask")
line("sliding_window_mask", [], "queries=4 keys=4 window=2", "bool", sliding(4, 4, 2))
line("sliding_window_mask", [], "queries=2 keys=5 window=3", "bool", sliding(2, 5, 3))
line("sliding_window_mask", [], "queries=3 keys=4 window=2 both_sides", "bool", sliding(3, 4, 2, True))
line("sliding_window_mask", [], "queries=3 keys=2 window=9", "bool", sliding(3, 2, 9))
fails("sliding_window_mask queries=2 keys=2 window=0 ! VN_E_ARG", "sliding_window_mask queries=2 keys=-2 window=1 ! VN_E_ARG")

title("rotary_embedding: scaling")
x = waves(2, 5, 8)
for scaling, more in ("ntk", {}), ("dynamic", {"trained": 3}), ("dynamic", {"trained": 64}), ("yarn", {"trained": 64}), ("llama3", {"trained": 64}), ("llama3", {"trained": 16, "fast": 3.0, "slow": 0.5}):
    options = " ".join(f"{k}={v:g}" for k, v in more.items())
    line("rotary_embedding", [("f64", x)], f"scaling={scaling} stretch=4 base=500 offset=3 {options}".strip(), "f64", rotary(x, scaling, 4, base=500.0, offset=3, **more))
line("rotary_embedding", [("f32", x[:2, :2])], "scaling=ntk stretch=2", "f32", rotary(np.array(x[:2, :2]), "none", 2))
line("rotary_embedding", [("f32", x)], "scaling=yarn stretch=8 trained=4096", "f32", rotary(x, "yarn", 8, 4096))
fails("rotary_embedding [[1 2]] scaling=yarn ! VN_E_ARG \"needs the length\"", "rotary_embedding [[1 2]] scaling=llama3 trained=8 fast=1 slow=2 ! VN_E_ARG \"fast must be above slow\"",
      "rotary_embedding [[1 2]] scaling=yarm ! VN_E_ARG")

title("additive_attention")
q, k, v, scale = waves(3, 2, 3, 2), waves(4, 2, 4, 2), waves(5, 2, 4, 3), waves(6, 2)
mask = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]], bool)
bias = waves(7, 3, 4)
line("additive_attention", [("f64", q), ("f64", k), ("f64", v)], "", "f64", additive(q, k, v))
line("additive_attention", [("f64", q), ("f64", k), ("f64", v), ("f64", scale), ("bool", mask)], "", "f64", additive(q, k, v, scale, mask))
line("additive_attention", [("f32", q), ("f32", k[0]), ("f32", v[0]), "none", ("f32", bias)], "", "f32", additive(q, k[0], v[0], None, bias))
line("additive_attention", [("f16", q[0]), ("f16", k[0]), ("f16", v[0]), ("f16", scale)], "", "f16", additive(q[0], k[0], v[0], scale), "4e-3")
fails("additive_attention [[1 2]] [[1 2]] [[1] [2]] ! VN_E_SHAPE \"different numbers of keys\"", "additive_attention [[1 2]] [[1]] [[1]] ! VN_E_SHAPE",
      "additive_attention [[1 2]] [[1 2]] [[1]] [1 2 3] ! VN_E_SHAPE \"a number for each feature\"", "additive_attention [[1]] [[1]] [[1]] none bool[[1 0]] ! VN_E_SHAPE",
      "additive_attention i32[[1]] i32[[1]] i32[[1]] ! VN_E_DTYPE")

print("\n".join(lines.out))
