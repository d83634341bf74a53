#!/usr/bin/env python3
"""Writes conformance/cases/toolbox_special.case and views.case: special functions from scipy and numpy, views, segments and sparse activations from numpy.

Run by hand, with numpy and scipy: python3 conformance/golden/toolbox_scipy.py [folder], default conformance/cases. Half precision is computed in float64 and rounded
once. Derivatives are checked at the values of lines whose inputs are all finite, so these avoid kinks, ties and edges; other lines contain an infinity or a NaN.
"""
import math
import os
import sys

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from scipy import special
from lines import FLOATS, INF, INTS, KIND, NAN, TOLERANCE, fails, line, out, title

KIND["bf16"] = "f4"
TOLERANCE |= {"f16": "2e-3 rel", "bf16": "1.6e-2 rel", "f32": "2e-6 rel", "f64": "2e-13 rel"}
rng = np.random.default_rng(29)


def in_dtype(d, x):
    """The numbers as the dtype has them, in float64."""
    x = np.asarray(x, "f8")
    if d == "bf16":
        u = x.astype("f4").view("u4")
        return ((u + 0x7FFF + (u >> 16 & 1)) & np.uint32(0xFFFF0000)).view("f4").astype("f8")
    return x.astype(KIND[d]).astype("f8")


def function(op, f, points, edges=(), options="", dtypes=FLOATS, tolerance=None, **k):
    """points: a list of inputs each; edges: the same for special values."""
    for d in dtypes:
        x = [in_dtype(d, p) for p in points]
        line(op, [(d, v) for v in x], options, d, f(*x, **k), tolerance if d == "f64" else None)
    if edges:
        x = [np.asarray(e, "f8") for e in edges]
        line(op, [("f64", v) for v in x], options, "f64", f(*x, **k), tolerance)


def save(name, what):
    with open(os.path.join(folder, name), "w") as f:
        f.write(f"# {what} Printed by toolbox_scipy.py.\n" + "\n".join(out) + "\n")
    out.clear()


folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")

# ---- special functions ----

title("Bessel functions")
BESSEL = [0.25, 1.5, -2.0, 4.0, 7.75, 8.25, -9.5, 0.0078125, 10.5]


def unscaled(scaled):
    """scipy's own is NaN at infinities and overflows before its value does."""
    return lambda x: np.where(np.isinf(x), x if scaled is special.i1e else INF, scaled(x) * np.exp(np.abs(x) / 2) * np.exp(np.abs(x) / 2))


for op, f in (("i0", unscaled(special.i0e)), ("i0e", special.i0e), ("i1", unscaled(special.i1e)), ("i1e", special.i1e)):
    function(op, f, [BESSEL], [[0.0, -0.0, INF, -INF, NAN, 30.0, 300.0, -700.0, 713.0, 1e-300, 1e10]])
    if op in ("i0", "i1"):
        line(op, [("f64", [0.0, 0.5])], "", "f64", f(np.array([0.0, 0.5])))
    x = rng.integers(-4000, 4000, 1031) / 64.0
    line(op, [("f64", np.append(x, INF))], "", "f64", f(np.append(x, INF)))
    fails(f"{op} i32[1] ! VN_E_DTYPE", f"{op} c64[1] ! VN_E_DTYPE", f"{op} f32(0)[] = f32(0)[]")
title("zeta")
S, Q = [2.0, 3.5, 1.25, 6.0, 12.0, 2.0], [1.0, 0.5, 2.25, 10.5, 3.0, 40.0]
function("zeta", special.zeta, [S, Q], [[1.0, 0.5, 2.0, 2.0, 2.0, NAN, 2.0, 50.0, 2.0], [1.0, 2.0, 0.0, -1.0, -1.5, 1.0, NAN, 20.0, 1e6]])
line("zeta", [("f64", [[1.5], [4.0]]), ("f64", [1.0, 2.5])], "", "f64", special.zeta([[1.5], [4.0]], [1.0, 2.5]))
line("zeta", [("f64", [3.0, 2.0, NAN]), ("f64", [-0.25, -7.5, 1.0])], "", "f64", [sum((-0.25 + k) ** -3.0 for k in (0,)) + special.zeta(3.0, 0.75), sum((-7.5 + k) ** -2.0 for k in range(8)) + special.zeta(2.0, 0.5), NAN])
line("zeta", [("f64", [INF, INF, 2.0, 1e18, 1e300, 1e6]), ("f64", [2.0, 1.0, INF, 1e9, 1.0, 0.5])], "", "f64", [0.0, 1.0, 0.0, 0.0, 1.0, INF])
title("incomplete gamma functions")
A = [0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 0.125, 3.0]
X = [0.25, 2.0, 2.0, 9.5, 8.0, 25.0, 1.5, 0.0625]
AE = [0.0, 0.0, 2.0, INF, 2.0, INF, -1.0, 1.0, NAN, 1e-10, 1e-10, 100.0, 100.0, 1e4, 1e4, 1e4, 1e6, 1e6, 1e6, 1e10, 0.01]
XE = [1.0, 0.0, 0.0, 2.0, INF, INF, 1.0, -1.0, 1.0, 0.5, 3.0, 90.0, 130.0, 9900.0, 1e4, 10300.0, 999000.0, 1e6, 1002500.0, 1.00001e10, 1e-6]
for op, f in (("gammainc", special.gammainc), ("gammaincc", special.gammaincc)):
    function(op, f, [A, X], [AE, XE])
    line(op, [("f64", [[0.75], [4.0]]), ("f64", [1.0, 2.5])], "", "f64", f([[0.75], [4.0]], [1.0, 2.5]))
    a, x = rng.integers(1, 400, 1201) / 16, rng.integers(1, 800, 1201) / 16
    line(op, [("f64", np.append(a, 1.0)), ("f64", np.append(x, INF))], "", "f64", f(np.append(a, 1.0), np.append(x, INF)))
    line(op, [("f64", [2.0, 3.0]), "1.5"], "", "f64", f([2.0, 3.0], 1.5))
    fails(f"{op} i32[1] i32[1] ! VN_E_DTYPE", f"{op} [1 2] [1 2 3] ! VN_E_SHAPE", f"{op} f32(0)[] f32(0)[] = f32(0)[]")
title("betainc")
function("betainc", special.betainc, [[0.5, 1.0, 2.5, 5.0, 12.0, 30.0, 2.0], [0.5, 3.0, 1.5, 2.0, 15.0, 11.0, 0.25], [0.25, 0.5, 0.75, 0.625, 0.375, 0.75, 0.875]],
         [[0.0, 1.0, 2.0, 2.0, -1.0, NAN, 1.0, 1.0, 1e4, 1e4, 0.001, 500.0], [1.0, 0.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1e4, 2e4, 3.0, 0.5], [0.5, 0.5, 0.0, 1.0, 0.5, 0.5, 1.5, -0.5, 0.5, 0.335, 0.25, 0.99]])
line("betainc", [("f64", [[1.5], [4.0]]), ("f64", [1.0, 2.5]), "0.25"], "", "f64", special.betainc([[1.5], [4.0]], [1.0, 2.5], 0.25))
a, b, x = rng.integers(1, 400, 1033) / 16, rng.integers(1, 400, 1033) / 16, rng.integers(1, 64, 1033) / 64
line("betainc", [("f64", np.append(a, 1.0)), ("f64", np.append(b, 1.0)), ("f64", np.append(x, NAN))], "", "f64", special.betainc(np.append(a, 1.0), np.append(b, 1.0), np.append(x, NAN)))
fails("betainc [1 2] [1 2 3] [1] ! VN_E_SHAPE", "betainc i32[1] i32[1] i32[1] ! VN_E_DTYPE")
title("logarithms, roots, steps")
function("xlogy", special.xlogy, [[0.5, 2.0, -1.5, 0.0], [2.0, 0.25, 3.0, 1.5]], [[0.0, 0.0, 0.0, 1.0, 0.0, 2.0], [0.0, -1.0, INF, -1.0, NAN, 0.0]])
LOGIT = [0.25, 0.5, 0.625, 0.125, 0.96875, 0.4375]
function("logit", special.logit, [LOGIT], [[0.0, 1.0, -0.5, 1.5, NAN, 1e-300, 0.5000000001, 0.9999999999]])
line("logit", [("f64", [0.05, 0.5, 0.99])], "epsilon=0.1", "f64", special.logit([0.1, 0.5, 0.9]))
fails("logit [0.5] epsilon=0.75 ! VN_E_ARG", "logit i32[1] ! VN_E_DTYPE")
function("logaddexp2", np.logaddexp2, [[1.0, -2.5, 100.0, 0.5], [1.0, 3.0, 99.0, -40.0]], [[INF, -INF, -INF, NAN, 2000.0, 3.0], [1.0, -INF, 2.0, 1.0, 2000.0, 3.0]])
function("cbrt", np.cbrt, [[0.125, 1.0, -2.0, 27.0, -343.0, 0.3125]], [[0.0, -0.0, INF, -INF, NAN, 1e-300, 1e300]])
x = np.append(rng.integers(-10**6, 10**6, 1031) / 128.0, NAN)
line("cbrt", [("f64", x)], "", "f64", np.cbrt(x), "1e-15 rel")
fails("cbrt i32[8] ! VN_E_DTYPE")
for d in FLOATS + INTS:
    x, y = [[1, 0, 5], [7, 8, 9]] if d[0] == "u" else [[-1, 0, INF if d in FLOATS else 5], [7, 8, 9]]
    line("heaviside", [(d, x), (d, y)], "", d, np.heaviside(np.array(x, "f8"), y), "")
line("heaviside", [("f64", [0.0, -0.0, NAN, INF, -INF]), "0.5"], "", "f64", np.heaviside([0.0, -0.0, NAN, INF, -INF], 0.5), "")

title("gcd, lcm")
for d in INTS:
    low, high = np.iinfo(KIND[d]).min, np.iinfo(KIND[d]).max
    x = np.array([12, 0, 0, 7, 100, 48, high, low + 1 if low else 9], KIND[d])
    y = np.array([18, 5, 0, 13, 75, 36, high, 6], KIND[d])
    line("gcd", [(d, x), (d, y)], "", d, np.gcd(x, y))
    x, y = np.array([4, 0, 7, 9 if d[0] == "u" else -9], KIND[d]), np.array([6, 5, 3, 6], KIND[d])
    line("lcm", [(d, x), (d, y)], "", d, np.lcm(x, y))
    if d == "i8":  # wraps around
        x, y = np.array([-10, 19, 2], x.dtype), np.array([19, -10, 3], x.dtype)
        line("lcm", [(d, x), (d, y)], "", d, np.lcm(x, y))
line("gcd", [("i64", [[12], [30]]), ("i64", [8, -9])], "", "i64", np.gcd([[12], [30]], [8, -9]))
# The lowest number has no positive counterpart: what does not fit wraps around.
low = -2**63
for op, of, d, x, y in (("gcd", math.gcd, "i64", [low, low, low, 0, low, 9], [low, 0, 6, low, -1, low]), ("gcd", math.gcd, "i8", [-128, -128, -128, 0], [-128, 0, 6, -128]),
                        ("lcm", math.lcm, "i64", [low, low, 0, low], [low, 1, low, 0])):
    half = 2 ** (int(d[1:]) - 1)
    line(op, [(d, x), (d, y)], "", d, [(of(a, b) + half) % (2 * half) - half for a, b in zip(x, y)])
line("gcd", [("i64", [12, 9]), "6i"], "", "i64", [6, 3])
x, y = rng.integers(-(2**60), 2**60, 5003), rng.integers(1, 2**40, 5003)
x = x // 720 * 720
line("gcd", [("i64", x), ("i64", y * 24)], "", "i64", np.gcd(x, y * 24))
fails("gcd [1] [2] ! VN_E_DTYPE", "gcd i32[1 2] i32[1 2 3] ! VN_E_SHAPE", "lcm bool[1] bool[1] ! VN_E_DTYPE", "gcd i32(0)[] i32(0)[] = i32(0)[]")

title("frexp, ldexp, nan_to_num")
FREXP = [0.0, -0.0, 1.0, -0.75, 0.5, 3.0, -100.0, 1024.0, INF, -INF, NAN]
for d in FLOATS:
    m, e = np.frexp(np.array(FREXP))
    e[~np.isfinite(FREXP)] = 0
    line("frexp", [(d, FREXP)], "", d, m, "")
    line("frexp.1", [(d, FREXP)], "", "i32", e)
line("frexp", [("f64", [0.3, -5.5, 1e200])], "", "f64", np.frexp([0.3, -5.5, 1e200])[0], "")
fails("frexp i32[1] ! VN_E_DTYPE")
for d in FLOATS:
    line("ldexp", [(d, [0.75, -1.0, 3.0, 0.0]), ("i32", [2, -3, 4, 9])], "", d, np.ldexp([0.75, -1.0, 3.0, 0.0], [2, -3, 4, 9]), "")
line("ldexp", [("f64", [1.5, 1.0, INF, NAN, -0.0, 1.0, 1.0]), ("i64", [-1022, 1023, -5, 3, 2000, 100000, -100000])], "", "f64", [1.5 * 2.0**-1022, 2.0**1023, INF, NAN, -0.0, INF, 0.0], "")
line("ldexp", [("f64", [[1.5], [2.5]]), ("i32", [1, 2])], "", "f64", [[3.0, 6.0], [5.0, 10.0]])
fails("ldexp [1] [2] ! VN_E_DTYPE", "ldexp i32[1] i32[2] ! VN_E_DTYPE")
for d in ("f32", "f64"):
    x = np.array([1.5, NAN, INF, -INF], KIND[d])
    line("nan_to_num", [(d, x)], "", d, np.nan_to_num(x), "")
    line("nan_to_num", [(d, x)], "nan=7 posinf=8 neginf=-9", d, np.nan_to_num(x, nan=7, posinf=8, neginf=-9), "")
line("nan_to_num", [("f16", [NAN, INF])], "", "f16", [0.0, 65504.0], "")
line("nan_to_num", [("f64", [1.5, -2.0])], "", "f64", [1.5, -2.0])
line("nan_to_num", [("c128", np.array([complex(NAN, INF), 1 + 2j]))], "posinf=5", "c128", np.array([5j, 1 + 2j]), "")
for d in INTS:
    line("nan_to_num", [(d, [1, 2])], "nan=7", d, [1, 2])
fails("nan_to_num bool[1] ! VN_E_DTYPE")
save("toolbox_special.case", "Special functions.")

# ---- bits ----

title("bitcast")
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"} | {f"{s}{b}": f"{'u' if s == 'u' else ''}int{b}" for s in "iu" for b in (8, 16, 32, 64)}
F = np.array([[1.0, -2.5], [0.0, 3.25]])
for d, to in (("f32", "i32"), ("f32", "u32"), ("f64", "i64"), ("f64", "u64"), ("f16", "i16"), ("f16", "u16"), ("f32", "u8"), ("f64", "i32"), ("f32", "f64"), ("f64", "f16"), ("f32", "c64"), ("f64", "c128"), ("f32", "i64"), ("f32", "u16")):
    x = F.astype(KIND[d])
    line("bitcast", [(d, x)], f"dtype={NAMES[to]}", to, x.view(KIND[to]), "")
for d, to in (("i32", "f32"), ("i64", "f64"), ("u32", "f32"), ("i8", "u8"), ("u8", "i16"), ("i16", "f16"), ("i32", "u8"), ("u64", "i64"), ("i32", "i32")):
    x = np.array([[0, 1, 100, 7, 2, 0, 5, 64]], KIND[d])
    line("bitcast", [(d, x)], f"dtype={NAMES[to]}", to, x.view(KIND[to]), "")
for d in INTS:
    x = np.array([[0, 1, 100, 7]], KIND[d])
    line("bitcast", [(d, x)], "dtype=uint8", "u8", x.view("u1"))
for d in ("c64", "c128"):
    x = np.array([1 + 2j, -0.5j], KIND[d])
    line("bitcast", [(d, x)], f"dtype={NAMES['f32' if d == 'c64' else 'f64']}", "f32" if d == "c64" else "f64", x.view("f4" if d == "c64" else "f8"), "")
line("bitcast", [("bf16", [1.0, -2.5])], "dtype=uint16", "u16", np.array([1.0, -2.5], "f4").view("u4") >> 16)
line("bitcast", [("f32", [NAN, INF])], "dtype=int32", "i32", np.array([NAN, INF], "f4").view("i4"))
line("bitcast", [("f64", np.array(1.0))], "dtype=int64", "i64", np.array(1.0).view("i8"))
line("bitcast", [("f32", np.zeros((0,)))], "dtype=float64", "f64", np.zeros((0,)))
fails("bitcast bool[1] dtype=int8 ! VN_E_DTYPE", "bitcast u8[1] dtype=bool ! VN_E_DTYPE", "bitcast [1 2 3] dtype=float64 ! VN_E_SHAPE", "bitcast f32{1} dtype=int8 ! VN_E_SHAPE")

# ---- windows ----

title("as_strided, sliding_window_view")
V = np.arange(12.0) / 4


def strided(d, x, shape, strides, offset=0):
    x = np.asarray(x)
    flat = np.ascontiguousarray(x.ravel())
    o = f"shape={','.join(map(str, shape))} strides={','.join(map(str, strides))}" + (f" offset={offset}" if offset else "")
    line("as_strided", [(d, x)], o, d, as_strided(flat[offset:], shape, [s * flat.itemsize for s in strides]), "")


for d in FLOATS + INTS:
    strided(d, np.arange(12).reshape(3, 4), (3, 2), (2, 1))
strided("f64", V, (4, 3), (2, 1), 1)
strided("f64", V, (2, 2, 3), (6, 0, 2))
strided("f64", V, (3,), (-2,), 11)
strided("c128", V + 1j, (2, 2), (1, 3))
line("as_strided", [("bool", [1, 0, 1])], "shape=2,2 strides=1,1", "bool", [[1, 0], [0, 1]])
line("as_strided", [("f64", V)], "shape=0,5 strides=1,100", "f64", np.zeros((0, 5)))
line("as_strided", [("f64", V)], "shape= strides= offset=5", "f64", V[5], "")
fails("as_strided [1 2] shape=3 strides=1 ! VN_E_ARG", "as_strided [1 2] shape=2 strides=-1 ! VN_E_ARG", "as_strided [1 2] shape=2 strides=1,1 ! VN_E_ARG",
      "as_strided [1 2] shape=-1 strides=1 ! VN_E_SHAPE", "as_strided [1 2] shape=2 strides=1 offset=1 ! VN_E_ARG", "as_strided [1 2] shape=3,3 strides=4611686018427387904,4611686018427387904 ! VN_E_ARG")
Y = np.arange(20.0).reshape(4, 5) / 4
line("sliding_window_view", [("f64", V)], "window=3", "f64", sliding_window_view(V, 3), "")
line("sliding_window_view", [("f64", Y)], "window=2,3", "f64", sliding_window_view(Y, (2, 3)), "")
line("sliding_window_view", [("f64", Y)], "window=3 axes=0", "f64", sliding_window_view(Y, 3, 0), "")
line("sliding_window_view", [("f64", Y)], "window=2,2 axes=-1,0", "f64", sliding_window_view(Y, (2, 2), (1, 0)), "")
line("sliding_window_view", [("f64", V)], "window=4 steps=3", "f64", sliding_window_view(V, 4)[::3], "")
line("sliding_window_view", [("f64", Y)], "window=2,2 steps=2,3", "f64", sliding_window_view(Y, (2, 2))[::2, ::3], "")
for d in FLOATS + INTS:
    line("sliding_window_view", [(d, np.arange(5))], "window=2", d, sliding_window_view(np.arange(5), 2), "")
line("sliding_window_view", [("bool", [1, 0, 1])], "window=2", "bool", [[1, 0], [0, 1]])
fails("sliding_window_view [1 2] window=3 ! VN_E_ARG", "sliding_window_view [1 2] window=0 ! VN_E_ARG", "sliding_window_view [1 2] window=1,1 ! VN_E_ARG", "sliding_window_view [1 2] window=1 axes=1 ! VN_E_ARG",
      "sliding_window_view [1 2] window=1 steps=0 ! VN_E_ARG")

title("unfold, fold")


def blocks(shape, window, stride, pad, dilation):
    """For every place of a window and every position, where it is in the padded axes."""
    padded = [n + 2 * p for n, p in zip(shape, pad)]
    count = [(n - (w - 1) * g - 1) // s + 1 for n, w, g, s in zip(padded, window, dilation, stride)]
    rows = []
    for place in np.ndindex(*window):
        rows.append([tuple(p * s + q * g for p, s, q, g in zip(at, stride, place, dilation)) for at in np.ndindex(*count)])
    return padded, rows


def unfold(x, window, stride, pad, dilation):
    padded, rows = blocks(x.shape[2:], window, stride, pad, dilation)
    y = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in pad])
    return np.array([[[y[(n, c, *at)] for at in row] for c in range(x.shape[1]) for row in rows] for n in range(x.shape[0])])


def fold(x, size, window, stride, pad, dilation):
    padded, rows = blocks(size, window, stride, pad, dilation)
    y = np.zeros((x.shape[0], x.shape[1] // len(rows), *padded))
    for n in range(y.shape[0]):
        for c in range(y.shape[1]):
            for r, row in enumerate(rows):
                for k, at in enumerate(row):
                    y[(n, c, *at)] += x[n, c * len(rows) + r, k]
    return y[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(pad, size)))]


def folding(d, x, window, stride, pad, dilation, tolerance=None):
    o = lambda name, v, none: "" if all(a == none for a in v) else f"{name}={','.join(map(str, v))}"
    options = " ".join(p for p in (o("strides", stride, 1), o("pads", pad, 0), o("dilations", dilation, 1)) if p)
    w = f"window={','.join(map(str, window))}"
    columns = unfold(x, window, stride, pad, dilation)
    line("unfold", [(d, x)], f"{w} {options}".strip(), d, columns, "")
    line("fold", [(d, columns)], f"size={','.join(map(str, x.shape[2:]))} {w} {options}".strip(), d, fold(columns, x.shape[2:], window, stride, pad, dilation), "")


X4 = rng.integers(-8, 9, (2, 2, 4, 5)) / 4.0
folding("f64", X4, (2, 3), (1, 1), (0, 0), (1, 1))
folding("f64", X4, (3, 2), (2, 1), (1, 0), (1, 2))
folding("f64", X4[:1, :1], (2, 2), (2, 2), (0, 1), (1, 1))
folding("f64", rng.integers(-8, 9, (1, 2, 6)) / 4.0, (3,), (2,), (1,), (1,))
folding("f64", rng.integers(-8, 9, (1, 1, 3, 3, 2)) / 4.0, (2, 2, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1))
for d in FLOATS:
    folding(d, X4[:1], (2, 2), (1, 2), (0, 0), (1, 1))
fails("unfold [1 2] window=1 ! VN_E_SHAPE", "unfold f32(1,1,2,2)[1 ...] window=3,3 ! VN_E_SHAPE", "unfold f32(1,1,2,2)[1 ...] window=0 ! VN_E_ARG", "unfold f32(1,1,2,2)[1 ...] window=1,1,1 ! VN_E_ARG",
      "fold f32(1,4,2)[1 ...] size=2,2 window=2,2 ! VN_E_SHAPE", "fold f32(1,3,1)[1 ...] size=2,2 window=2,2 ! VN_E_SHAPE", "fold [1] size=2,2 window=2,2 ! VN_E_SHAPE", "fold f32(1,4,1)[1 ...] size=0,2 window=2,2 ! VN_E_ARG", "unfold i32(1,1,2)[1 2] window=1 ! VN_E_DTYPE")

# ---- segments ----

title("segments")
ID = np.array([2, 0, 2, 5, 0, -1, 3])


def low(d):
    return -INF if d in FLOATS else np.iinfo(KIND[d]).min


def high(d):
    return INF if d in FLOATS else np.iinfo(KIND[d]).max


def segments(op, d, x, ids, n):
    x = np.asarray(x)
    f, none = {"sum": (np.sum, 0), "prod": (np.prod, 1), "mean": (np.mean, 0), "max": (np.max, low(d)), "min": (np.min, high(d))}[op]
    rows = [f(x[ids == k], axis=0) if (ids == k).any() else np.full(x.shape[1:], none) for k in range(n)]
    kind = "O" if d not in FLOATS else "f8"
    line(f"segment_{op}", [(d, x), ("i64", ids)], f"segments={n}", d, np.array(rows, kind).reshape(n, *x.shape[1:]), None if d in FLOATS else "")


for op in ("sum", "mean", "prod", "max", "min"):
    x = rng.permutation(21).reshape(7, 3)
    segments(op, "f64", (x - 10) / 8, ID, 5)
    segments(op, "f64", (x[:, 0] - 10) / 8, np.sort(np.abs(ID)), 6)
    for d in FLOATS:
        segments(op, d, (x - 10) / 8, ID, 4)
    if op != "mean":
        for d in INTS:
            segments(op, d, rng.integers(1, 4, (7, 2)), ID, 4)
    y = np.array([1.0, NAN, INF, -INF, 2.0])
    segments(op, "f64", y, np.array([0, 1, 2, 3, 1]), 4)
    out.append(f"segment_{op} f64(0,2)[] i64(0)[] segments=1 = f64[[{' '.join([{'sum': '0', 'mean': '0', 'prod': '1', 'max': '-inf', 'min': 'inf'}[op]] * 2)}]]")
    out.append(f"segment_{op} f64[1 2] i32[0 1] segments=0 = f64(0)[]")
    fails(f"segment_{op} [1 2] i32[0] segments=1 ! VN_E_SHAPE", f"segment_{op} [1 2] [0 1] segments=1 ! VN_E_DTYPE", f"segment_{op} [1 2] i32[0 1] segments=-1 ! VN_E_ARG", f"segment_{op} f32{{1}} i32[0] segments=1 ! VN_E_SHAPE")
    n = 4099
    x, ids = rng.integers(-5, 6, n) / (8 if op != "prod" else 1), rng.integers(0, 40, n)
    if op == "prod":
        x = np.where(rng.random(n) < 0.02, 2.0, rng.choice([-1.0, 1.0], n))
    segments(op, "f64", np.append(x, INF), np.append(ids, 40), 40)
line("segment_prod", [("f64", [0.0, 2.0, 3.0, 0.0, 0.0]), ("i32", [0, 0, 0, 1, 1])], "segments=2", "f64", [0.0, 0.0])

# ---- sparse activations ----

title("sparsemax, quiet_softmax, squareplus, sparse_plus")


def sparsemax(x, axis):
    x = np.moveaxis(x, axis, -1)
    s = np.sort(x, axis=-1)[..., ::-1]
    k = np.arange(1, x.shape[-1] + 1)
    c = np.cumsum(s, axis=-1)
    n = np.sum(1 + k * s > c, axis=-1, keepdims=True)
    tau = (np.take_along_axis(c, n - 1, -1) - 1) / n
    return np.moveaxis(np.maximum(x - tau, 0), -1, axis)


Z = rng.permutation(15).reshape(3, 5) / 8 - 0.75
for d in FLOATS:
    line("sparsemax", [(d, Z)], "", d, sparsemax(Z, -1), {"f16": "2e-3", "bf16": "1.6e-2", "f32": "2e-6", "f64": "1e-13"}[d])
    e = np.exp(Z)
    line("quiet_softmax", [(d, Z)], "", d, e / (1 + e.sum(-1, keepdims=True)))
    line("squareplus", [(d, Z[0])], "", d, (Z[0] + np.sqrt(Z[0] ** 2 + 4)) / 2)
    v = np.array([-3.0, -1.5, -0.5, 0.25, 0.75, 2.0])
    line("sparse_plus", [(d, v)], "", d, np.where(v <= -1, 0, np.where(v >= 1, v, (v + 1) ** 2 / 4)))
Z0 = rng.integers(-900, 900, (3, 5)) / 1000
line("sparsemax", [("f64", Z0)], "axis=0", "f64", sparsemax(Z0, 0), "1e-13")
line("sparsemax", [("f64", [1000.0, 999.75, -1000.0])], "", "f64", [0.625, 0.375, 0.0])
line("quiet_softmax", [("f64", [-1000.0, -1000.0])], "", "f64", [0.0, 0.0])
line("quiet_softmax", [("f64", [1000.0, 1000.0, -INF])], "", "f64", [0.5, 0.5, 0.0])
line("quiet_softmax", [("f64", Z)], "axis=0", "f64", e / (1 + e.sum(0)))
line("squareplus", [("f64", [-2.0, 0.5])], "b=1", "f64", (np.array([-2.0, 0.5]) + np.sqrt(np.array([4.0, 0.25]) + 1)) / 2)
line("squareplus", [("f64", [-1e8, INF, -INF, NAN])], "", "f64", [1e-8, INF, 0.0, NAN])
line("sparse_plus", [("f64", [-INF, INF, NAN, -1.0, 1.0])], "", "f64", [0.0, INF, NAN, 0.0, 1.0])
line("sparsemax", [("f32", np.zeros((2, 0)))], "", "f32", np.zeros((2, 0)))
line("quiet_softmax", [("f32", np.zeros((2, 0)))], "", "f32", np.zeros((2, 0)))
v = np.array([-2.0, -0.25, 0.5, 3.0])
for d in FLOATS:
    line("softplus", [(d, v)], "beta=2", d, np.logaddexp(0, 2 * v) / 2)
line("softplus", [("f64", [0.0, 0.5])], "beta=0.25", "f64", np.logaddexp(0, [0.0, 0.125]) / 0.25)
line("softplus", [("f64", [INF, -INF, NAN, 1000.0, -3.0])], "beta=3", "f64", [INF, 0.0, NAN, 1000.0, np.log1p(np.exp(-9.0)) / 3])
fails("softplus [1] beta=0 ! VN_E_ARG", "softplus [1] beta=-1 ! VN_E_ARG", "softplus [1] beta=nan ! VN_E_ARG", "softplus [1] beta=inf ! VN_E_ARG")
fails("sparsemax f32{1} ! VN_E_ARG", "sparsemax i32[1] ! VN_E_DTYPE", "squareplus [1] b=-1 ! VN_E_ARG", "quiet_softmax [1] axis=1 ! VN_E_ARG", "sparse_plus i32[1] ! VN_E_DTYPE")
save("views.case", "Windows, segments, bits, sparse activations.")
