#!/usr/bin/env python3
"""Writes conformance/cases/signal.case: cosine transforms and windows from scipy, short-time Fourier transforms from numpy's, convolutions and windows from numpy,
Hadamard transforms from scipy and mlx.

Run by hand, with numpy, scipy and mlx[cpu]: python3 conformance/golden/signal_scipy.py [folder], default conformance/cases. Half precision is computed in float64.
"""
import os
import sys

import mlx.core as mx
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
from lines import FLOATS, INTS, KIND, TOLERANCE, fails, line, out, text, title

KIND["bf16"] = "f4"
TOLERANCE |= {"f16": "6e-3", "bf16": "5e-2", "f32": "1e-5", "f64": "1e-12", "c64": "2e-5"}
rng = np.random.default_rng(31)


def quarters(*shape):
    return rng.integers(-8, 9, shape) / 4


def complex_quarters(*shape):
    return quarters(*shape) + 1j * quarters(*shape)


# ---- cosine transforms ----

title("dct, idct")
for op, f in (("dct", scipy.fft.dct), ("idct", scipy.fft.idct)):
    for kind in (1, 2, 3, 4):
        for n in (1, 2, 3, 4, 7, 8):
            if n > 1 or kind > 1:
                x = quarters(n)
                line(op, [("f64", x)], f"type={kind}", "f64", f(x, kind))
        x = quarters(2, 5)
        for norm in ("ortho", "forward"):
            line(op, [("f64", x)], f"type={kind} norm={norm}", "f64", f(x, kind, norm=norm))
        line(op, [("f64", x)], f"type={kind} axis=0", "f64", f(x, kind, axis=0))
        line(op, [("f64", x)], f"type={kind} n=3", "f64", f(x, kind, n=3))
        line(op, [("f64", x)], f"type={kind} n=8 norm=ortho", "f64", f(x, kind, n=8, norm="ortho"))
        line(op, [("c128", x + 1j * x[::-1])], f"type={kind}", "c128", f(x + 1j * x[::-1], kind))
    x = quarters(3, 4)
    for d in FLOATS:
        line(op, [(d, x)], "norm=ortho", d, f(x, norm="ortho"))
    line(op, [("c64", x + 0.5j)], "", "c64", f(x + 0.5j))
    for n in (256, 1009):
        x = quarters(n)
        line(op, [("f64", x)], "norm=ortho", "f64", f(x, norm="ortho"), "1e-11")
    line(op, [("f32", np.zeros((0, 4)))], "", "f32", np.zeros((0, 4)), "")
    fails(f"{op} [1] type=1 ! VN_E_SHAPE", f"{op} [1 2] type=0 ! VN_E_ARG", f"{op} [1 2] type=5 ! VN_E_ARG", f"{op} f32(2,0)[] ! VN_E_SHAPE", f"{op} f32{{1}} ! VN_E_ARG", f"{op} [1 2] axis=1 ! VN_E_ARG",
          f"{op} [1 2] n=0 ! VN_E_ARG", f"{op} i32[1 2] ! VN_E_DTYPE", f"{op} [1 2] norm=half ! VN_E_ARG")

# ---- short-time transforms ----

title("stft, istft")


def framed(x, window, length, step, n=None, center=False, mode="reflect", pad_end=False, two_sided=False, norm="backward"):
    """As torch.stft has it, apart from the order of the last two axes."""
    x = np.asarray(x)
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(length // 2, length // 2)], mode=mode)
    if pad_end:
        count = -(-x.shape[-1] // step)
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, max(0, (count - 1) * step + length - x.shape[-1]))])
    else:
        count = (x.shape[-1] - length) // step + 1
    w = np.ones(length) if window is None else np.pad(window, ((length - len(window)) // 2, length - len(window) - (length - len(window)) // 2))
    frames = np.stack([x[..., k * step : k * step + length] * w for k in range(count)], -2)
    return (np.fft.fft if two_sided else np.fft.rfft)(frames, n or length, norm=norm) + 0  # no -0


def options(length, step, **o):
    return " ".join([f"length={length} step={step}"] + [(k if v is True else f"{'pad_mode' if k == 'mode' else k}={v}") for k, v in o.items() if v])


def stft(d, x, w, length, step, tolerance=None, **o):
    c = "c128" if d in ("f64", "c128") else "c64"
    line("stft", [(d, x)] + ([] if w is None else [("f64" if d == "c128" else d, w)]), options(length, step, **o), c, framed(x, w, length, step, **o), tolerance)


for n, length, step in ((8, 4, 2), (9, 4, 1), (9, 5, 3), (7, 7, 1), (7, 3, 5), (6, 1, 1), (10, 2, 4)):
    stft("f64", quarters(n), None, length, step)
    stft("f64", quarters(2, n), quarters(length), length, step)
X, W = quarters(2, 11), np.array([0.5, 1.0, 0.75, 0.25])
for norm in ("ortho", "forward"):
    stft("f64", X, W, 4, 3, norm=norm)
stft("f64", X, W, 4, 2, center=True)
stft("f64", X, W, 4, 2, center=True, mode="constant")
stft("f64", X, W, 4, 2, center=True, mode="edge")
stft("f64", X, W, 4, 2, center=True, mode="symmetric")
stft("f64", X, W, 4, 2, center=True, mode="wrap")
stft("f64", X, W, 5, 3, center=True)
stft("f64", quarters(2), W, 6, 1, center=True)  # reflected more than once
stft("f64", X, W, 7, 3)  # a short window, in the middle
stft("f64", X, W, 4, 3, n=8)  # zeros behind the frame
stft("f64", X, W, 4, 3, n=3)
stft("f64", X, W, 4, 3, pad_end=True)
stft("f64", quarters(3), W, 4, 3, pad_end=True)
stft("f64", X, W, 4, 3, n=6, two_sided=True)
stft("c128", complex_quarters(2, 7), W, 4, 2, two_sided=True)
stft("f64", quarters(2, 2, 9), W, 4, 3)
for d in FLOATS:
    stft(d, quarters(2, 9), W, 4, 3)
stft("f32", quarters(1, 300), scipy.signal.get_window("hann", 64).astype("f4"), 64, 16, "1e-4", center=True)
fails("stft [1 2 3] length=4 step=1 ! VN_E_SHAPE", "stft [1 2 3] length=0 step=1 ! VN_E_ARG", "stft [1 2 3] length=2 step=0 ! VN_E_ARG", "stft f32{1} length=1 step=1 ! VN_E_SHAPE",
      "stft [1 2 3] [1 2 3] length=2 step=1 ! VN_E_SHAPE", "stft [1 2 3] [[1 2]] length=2 step=1 ! VN_E_SHAPE", "stft c64[1 2] length=2 step=1 ! VN_E_DTYPE", "stft i32[1 2] length=2 step=1 ! VN_E_DTYPE",
      "stft [1 2] length=2 step=1 pad_mode=x ! VN_E_ARG", "stft f32(0)[] length=2 step=1 pad_end ! VN_E_SHAPE", "stft [1 2] length=9223372036854775807 step=1 pad_end ! VN_E_SHAPE")


def added(x, window, length, step, n=None, center=False, samples=None, two_sided=False, norm="backward"):
    x = np.asarray(x)
    frames = (np.fft.ifft if two_sided else np.fft.irfft)(x, n or length, norm=norm)[..., :length]
    frames = np.concatenate([frames, np.zeros(frames.shape[:-1] + (length - frames.shape[-1],))], -1)
    w = np.ones(length) if window is None else np.pad(window, ((length - len(window)) // 2, length - len(window) - (length - len(window)) // 2))
    count = x.shape[-2]
    total = (count - 1) * step + length
    y, weight = np.zeros(x.shape[:-2] + (total,), frames.dtype), np.zeros(total)
    for k in range(count):
        y[..., k * step : k * step + length] += frames[..., k, :] * w
        weight[k * step : k * step + length] += w * w
    y /= np.where(weight > 1e-10, weight, 1)
    cut = length // 2 if center else 0
    size = samples or total - 2 * cut
    y = y[..., cut : cut + size]
    return np.concatenate([y, np.zeros(y.shape[:-1] + (size - y.shape[-1],))], -1)


def istft(d, x, w, length, step, tolerance=None, **o):
    r = {"c64": "f32", "c128": "f64"}[d]
    line("istft", [(d, x)] + ([] if w is None else [(r, w)]), options(length, step, **o), d if o.get("two_sided") else r, added(x, w, length, step, **o), tolerance)


for count, length, step in ((3, 4, 2), (6, 4, 1), (2, 5, 3), (1, 7, 1), (2, 3, 5), (4, 1, 1)):
    istft("c128", complex_quarters(count, length // 2 + 1), None, length, step)
    istft("c128", complex_quarters(2, count, length // 2 + 1), np.arange(1, length + 1) / 4, length, step)
Z = complex_quarters(2, 4, 3)
for norm in ("ortho", "forward"):
    istft("c128", Z, W, 4, 2, norm=norm)
istft("c128", Z, W, 4, 2, center=True)
istft("c128", Z, W, 4, 2, center=True, samples=5)
istft("c128", Z, W, 4, 2, samples=20)
istft("c128", complex_quarters(3, 5), W, 4, 3, n=8)
istft("c128", complex_quarters(3, 2), W, 4, 3, n=3)
istft("c128", complex_quarters(3, 4), W, 7, 3)
istft("c128", complex_quarters(3, 4), W, 4, 3, two_sided=True)
istft("c64", Z, W, 4, 2)
S = np.sin(np.arange(200) / 8)
H = scipy.signal.get_window("hann", 64)
istft("c128", framed(S, H, 64, 16, center=True), H, 64, 16, "1e-11", center=True)
line("istft", [("c128", framed(S, H, 64, 16, center=True)), ("f64", H)], "length=64 step=16 center samples=190", "f64", S[:190], "1e-11")  # back where it came from
fails("istft c64[[1 2]] length=4 step=1 ! VN_E_SHAPE", "istft c64[1 2 3] length=4 step=1 ! VN_E_SHAPE", "istft c64(0,3)[] length=4 step=1 ! VN_E_SHAPE", "istft c64[[1 2 3]] [1 2 3 4 5] length=4 step=1 ! VN_E_SHAPE",
      "istft c64[[1 2 3]] length=4 step=0 ! VN_E_ARG", "istft i32[[1 2 3]] length=4 step=1 ! VN_E_DTYPE", "istft c64[[1 2 3]] length=4 step=1 samples=-1 ! VN_E_ARG")

# ---- convolution ----


def repeated(d, *shape):
    """A few numbers again and again: how a line has them, and themselves."""
    few = complex_quarters(13) if d[0] == "c" else quarters(13)
    return f"{d}({','.join(map(str, shape))})[{' '.join(text(v) for v in few)} ...]", np.resize(few, shape)


title("convolve, correlate")
for op, f in (("convolve", np.convolve), ("correlate", np.correlate)):
    for mode in ("full", "same", "valid"):
        for n, m in ((1, 1), (5, 2), (6, 3), (4, 4), (3, 6), (2, 5), (7, 4), (3, 8)):
            x, y = quarters(n), quarters(m)
            line(op, [("f64", x), ("f64", y)], f"mode={mode}", "f64", f(x, y, mode))
        x, y = complex_quarters(6), complex_quarters(3)
        line(op, [("c128", x), ("c128", y)], f"mode={mode}", "c128", f(x, y, mode))
        x, y = quarters(2, 3, 5), quarters(2)
        line(op, [("f64", x), ("f64", y)], f"mode={mode}", "f64", [[f(r, y, mode) for r in s] for s in x])
        x, y = quarters(2, 1, 5), quarters(3, 2)
        line(op, [("f64", x), ("f64", y)], f"mode={mode}", "f64", [[f(s[0], r, mode) for r in y] for s in x])
        x, y = quarters(4), quarters(2, 7)
        line(op, [("f64", x), ("f64", y)], f"mode={mode}", "f64", [f(x, r, mode) for r in y])
        x, y = repeated("f64", 560), repeated("f64", 530)  # by transforms
        line(op, [x[0], y[0]], f"mode={mode}", "f64", f(x[1], y[1], mode), "1e-9")
    x, y = quarters(6), quarters(3)
    for d in FLOATS:
        line(op, [(d, x), (d, y)], "mode=full", d, f(x, y, "full"))
    for d in INTS:
        a, b = np.array([1, 2, 3, 4], KIND[d]), np.array([3, 0, 5], KIND[d])
        line(op, [(d, a), (d, b)], "mode=full", d, f(a, b, "full"))
    line(op, [("f32", x), ("f64", y)], "mode=full", "f64", f(x, y, "full"))
    x, y = repeated("c128", 540), repeated("c128", 513)
    line(op, [x[0], y[0]], "mode=valid", "c128", f(x[1], y[1], "valid"), "1e-9")
    x, y = repeated("f32", 2, 540), repeated("f32", 3, 1, 520)
    line(op, [x[0], y[0]], "mode=valid", "f32", [[f(r, s[0], "valid") for r in x[1]] for s in y[1]], "2e-3")
    line(op, [("f32", np.zeros((0, 3))), ("f32", [1.0, 2.0])], "mode=full", "f32", np.zeros((0, 4)), "")
    fails(f"{op} f32{{1}} [1] ! VN_E_SHAPE", f"{op} [1] f32(0)[] ! VN_E_SHAPE", f"{op} f32(2,2)[1 ...] f32(3,2)[1 ...] ! VN_E_SHAPE", f"{op} [1] [1] mode=all ! VN_E_ARG", f"{op} bool[1] bool[1] ! VN_E_DTYPE")
x, y = quarters(5), quarters(2)
line("convolve", [("f64", x), ("f64", y)], "", "f64", np.convolve(x, y))
line("correlate", [("f64", x), ("f64", y)], "", "f64", np.correlate(x, y))

title("hadamard_transform")
for n in (1, 2, 4, 8, 32, 64, 1024):
    x = quarters(n)
    line("hadamard_transform", [("f64", x)], "", "f64", scipy.linalg.hadamard(n) @ x / np.sqrt(n), "1e-11")
    line("hadamard_transform", [("f64", x)], "scale=1", "f64", scipy.linalg.hadamard(n) @ x)
for n in (12, 20, 28, 24, 160, 1792):  # Sloane's matrices are those of mlx
    x = quarters(n)
    line("hadamard_transform", [("f64", x)], "scale=1", "f64", mx.hadamard_transform(mx.array(x.astype("f4")), scale=1.0))  # sums of quarters: exact
for d in FLOATS:
    x = quarters(2, 3, 4)
    line("hadamard_transform", [(d, x)], "scale=0.5", d, x @ scipy.linalg.hadamard(4) / 2)
x = complex_quarters(2, 128)
line("hadamard_transform", [("c128", x)], "", "c128", x @ scipy.linalg.hadamard(128) / np.sqrt(128))
line("hadamard_transform", [("f32", np.zeros((0, 4)))], "", "f32", np.zeros((0, 4)), "")
fails("hadamard_transform [1 2 3] ! VN_E_SHAPE", "hadamard_transform f32(2,0)[] ! VN_E_SHAPE", "hadamard_transform f32{1} ! VN_E_SHAPE", "hadamard_transform i32[1 2] ! VN_E_DTYPE")

# ---- windows ----

title("windows")
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


def window(op, f, sizes, extra="", periodic=True):
    for n in sizes:
        line(op, [], f"n={n}{extra} dtype=float64", "f64", f(n))
        if periodic and n > 1:
            line(op, [], f"n={n}{extra} dtype=float64 periodic", "f64", f(n + 1)[:-1])
    for d in FLOATS:
        line(op, [], f"n={sizes[-1]}{extra} dtype={NAMES[d]}", d, f(sizes[-1]))
    line(op, [], f"n={sizes[-1]}{extra}", "f32", f(sizes[-1]))
    fails(f"{op} n=-1 ! VN_E_ARG", f"{op} n=3 dtype=int32 ! VN_E_DTYPE", f"{op} n=3 dtype=complex64 ! VN_E_DTYPE")


SIZES = (0, 1, 2, 3, 5, 8)
window("hann_window", np.hanning, SIZES)
window("hamming_window", np.hamming, SIZES)
window("blackman_window", np.blackman, SIZES)
window("bartlett_window", np.bartlett, SIZES)
window("kaiser_window", lambda n: np.kaiser(n, 12.0), SIZES)
window("kaiser_window", lambda n: np.kaiser(n, 3.5), SIZES, " beta=3.5")
line("kaiser_window", [], "n=4 beta=0 dtype=float64", "f64", np.kaiser(4, 0.0))
line("kaiser_window", [], "n=5 beta=1000 dtype=float64", "f64", [0.0, np.exp(1000 * (np.sqrt(0.75) - 1)) * scipy.special.i0e(1000 * np.sqrt(0.75)) / scipy.special.i0e(1000.0), 1.0, np.exp(1000 * (np.sqrt(0.75) - 1)) * scipy.special.i0e(1000 * np.sqrt(0.75)) / scipy.special.i0e(1000.0), 0.0])
line("hamming_window", [], "n=5 alpha=0.5 beta=0.25 dtype=float64", "f64", 0.5 - 0.25 * np.cos(np.pi * np.arange(5) / 2))
window("kaiser_bessel_derived_window", lambda n: scipy.signal.windows.kaiser_bessel_derived(n, 12.0) if n else np.zeros(0), (0, 2, 4, 10), periodic=False)
line("kaiser_bessel_derived_window", [], "n=8 beta=4 dtype=float64", "f64", scipy.signal.windows.kaiser_bessel_derived(8, 4.0))
window("vorbis_window", lambda n: np.sin(np.pi / 2 * np.sin(np.pi * (np.arange(n) + 0.5) / max(n, 1)) ** 2), SIZES, periodic=False)
fails("kaiser_bessel_derived_window n=3 ! VN_E_ARG", "kaiser_window n=3 beta=-1 ! VN_E_ARG", "kaiser_window n=3 beta=inf ! VN_E_ARG", "hamming_window n=3 alpha=nan ! VN_E_ARG")

title("mel_weights")


def mel_weights(bands, bins, rate, low=0.0, high=None):
    """As ivy.mel_weight_matrix and tf.signal.linear_to_mel_weight_matrix, in float64."""
    mel = lambda f: 1127 * np.log1p(np.asarray(f) / 700)
    at = mel(np.linspace(0, rate / 2, bins))[1:, None]
    edges = np.linspace(mel(low), mel(rate / 2 if high is None else high), bands + 2)
    rise, fall = (at - edges[:-2]) / (edges[1:-1] - edges[:-2]), (edges[2:] - at) / (edges[2:] - edges[1:-1])
    return np.pad(np.maximum(0, np.minimum(rise, fall)), [[1, 0], [0, 0]])


line("mel_weights", [], "bands=3 bins=9 sample_rate=8000 dtype=float64", "f64", mel_weights(3, 9, 8000))
line("mel_weights", [], "bands=5 bins=17 sample_rate=16000 low=20 high=7000 dtype=float64", "f64", mel_weights(5, 17, 16000, 20, 7000), "1e-11")
line("mel_weights", [], "bands=1 bins=2 sample_rate=100 dtype=float64", "f64", mel_weights(1, 2, 100))
for d in FLOATS:
    line("mel_weights", [], f"bands=2 bins=5 sample_rate=1000 dtype={NAMES[d]}", d, mel_weights(2, 5, 1000))
line("mel_weights", [], "bands=2 bins=5 sample_rate=8000 high=3000", "f32", mel_weights(2, 5, 8000, 0, 3000))
fails("mel_weights bands=0 bins=5 sample_rate=8 ! VN_E_ARG", "mel_weights bands=2 bins=1 sample_rate=8 ! VN_E_ARG", "mel_weights bands=2 bins=5 sample_rate=0 ! VN_E_ARG", "mel_weights bands=2 bins=5 sample_rate=inf ! VN_E_ARG",
      "mel_weights bands=2 bins=5 sample_rate=8 high=5 ! VN_E_ARG", "mel_weights bands=2 bins=5 sample_rate=8 low=3 high=2 ! VN_E_ARG", "mel_weights bands=2 bins=5 sample_rate=8 dtype=int32 ! VN_E_DTYPE")

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
with open(os.path.join(folder, "signal.case"), "w") as f:
    f.write("# Signals. Printed by signal_scipy.py.\n" + "\n".join(out) + "\n")
