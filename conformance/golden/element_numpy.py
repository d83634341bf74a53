#!/usr/bin/env python3
"""Writes conformance/cases/{special,activation,normalise}.case: bits, signs, special functions, activations and norms.

Run by hand, with numpy and mpmath: python3 conformance/golden/element_numpy.py [folder], default conformance/cases. Functions are computed with 60 digits from
the rounded inputs and rounded once; integers are Python's, wrapped; norms are numpy's, in float64 or longer. Special values are hand-written.
Elementwise lines have 67 elements, a few values repeated. Derivatives are checked on lines whose inputs are all finite, so these avoid
kinks and poles; other lines contain an infinity or a NaN.
"""
import os
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 60
INF, NAN, N = float("inf"), float("nan"), 67
FORM = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}  # bits, exponents
TOLERANCE = {"f16": "1e-3 rel", "bf16": "8e-3 rel", "f32": "2e-6 rel", "f64": "2e-14 rel"}
INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
lines = []


def rounded(d, v):
    """To the nearest number of the dtype, ties to even."""
    if mp.isnan(v) or mp.isinf(v) or v == 0:
        return float(v)
    bits, low, high = FORM[d]
    quantum = mp.ldexp(1, max(mp.frexp(mp.mpf(v))[1] - 1, low) - bits + 1)
    near = mp.nint(mp.mpf(v) / quantum) * quantum
    return float(mp.sign(v) * INF) if abs(near) >= mp.ldexp(1, high + 1) else float(near)


def text(d, v):
    if d not in FORM:
        return str(int(v))
    v = rounded(d, v)
    if v != v or v in (INF, -INF):
        return str(v)
    if v == int(v) and abs(v) < 1e6:
        return "-0" if v == 0 and np.signbit(v) else f"{v:.0f}"
    return next(t for t in (f"{v:.{n}g}" for n in range(1, 18)) if rounded(d, mp.mpf(t)) == v)


def array(d, values, shape=None):
    t = " ".join(text(d, v) for v in values)
    if shape is None:
        shape = (len(values),)
    more = " ..." if len(values) < int(np.prod(shape)) else ""
    return f"{d}({','.join(map(str, shape))})[{t}{more}]"


def put(line=""):
    lines.append(line)


def case(op, inputs, expected, options="", tolerance=""):
    put(" ".join([op, *inputs] + ([options] if options else []) + ["=", expected] + (["~", tolerance] if tolerance else [])))


def fails(code, *calls):
    for c in calls:
        put(f"{c} ! VN_E_{code}")


def row(op, d, f, points, special=(), options="", tolerance=None, out=None):
    """A line of N elements: f of the points, and special values by hand."""
    xs = [tuple(rounded(d, v) for v in (p if isinstance(p, tuple) else (p,))) for p in points]
    rows = [(*x, f(*map(mp.mpf, x))) for x in xs] + [tuple(s) for s in special]
    columns = list(zip(*rows))
    tolerance = TOLERANCE[d] if tolerance is None else tolerance
    case(op, [array(d, c, (N,)) for c in columns[:-1]], array(out or d, columns[-1], (N,)), options, tolerance)


def function(op, f, points, special, more=(), options="", loose=None, fine=None):
    """Points with derivatives, special values, further points where derivatives are steep."""
    put(f"\n# ---- {op} {options} ----".replace("  ", " "))
    row(op, "f32", f, points, options=options, tolerance=loose)
    row(op, "f64", f, list(points) + list(more), special, options, fine)
    for d in ("f16", "bf16"):
        row(op, d, f, points, special, options)


# ---- special.case ----


def wrap(d, v):
    bits = int(d[1:])
    low = -(2 ** (bits - 1)) if d[0] == "i" else 0
    return (v - low) % 2**bits + low


def shift(d, x, y, left):
    if not 0 <= y < int(d[1:]):
        return -1 if x < 0 and not left else 0
    return wrap(d, x << y) if left else x >> y


def bits():
    put("\n# ---- bits ----")
    for d in INTS:
        n, low = int(d[1:]), -(2 ** (int(d[1:]) - 1)) if d[0] == "i" else 0
        high = low + 2**n - 1
        xs, ys = [0, 1, 5, high, low, high // 3, 100, low + 1, high - 1], [high, 3, 12, low, 1, high // 5, 27, high, low]
        xs, ys = (xs + [-1, -7], ys + [6, -128]) if low else (xs, ys)
        for op, f in {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}.items():
            case("bitwise_" + op, [array(d, xs, (N,)), array(d, ys, (N,))], array(d, [f(x, y) for x, y in zip(xs, ys)], (N,)))
        case("bitwise_invert", [array(d, xs, (N,))], array(d, [wrap(d, ~x) for x in xs], (N,)))
        xs, ys = [1, high, 77, low, high, 3, low + 5, high, 9, 1], [0, 1, 3, 2, n - 1, n - 2, n - 1, n, n + 1, high]
        xs, ys = (xs + [-9, -9, -9, low, 7, -1], ys + [1, n, n + 3, low, -1, -2]) if low else (xs, ys)
        for op, left in (("left", True), ("right", False)):
            want = [shift(d, x, y, left) for x, y in zip(xs, ys)]
            case(f"bitwise_{op}_shift", [array(d, xs, (N,)), array(d, ys, (N,))], array(d, want, (N,)))
    for op, (want, f) in {"and": ("0 0 0 1", lambda x, y: x & y), "or": ("0 1 1 1", lambda x, y: x | y), "xor": ("0 1 1 0", lambda x, y: x ^ y)}.items():
        put(f"bitwise_{op} bool[0 0 1 1] bool[0 1 0 1] = bool[{want}]")
        put(f"bitwise_{op} i32(2,1)[12 -5] 10 = {array('i32', [f(12, 10), f(-5, 10)], (2, 1))}")
        put(f"bitwise_{op} u8[12 200] i16[[-1] [10]] = {array('i16', [f(x, y) for y in (-1, 10) for x in (12, 200)], (2, 2))}")
        fails("DTYPE", f"bitwise_{op} [1] [2]", f"bitwise_{op} i32[1] [2]", f"bitwise_{op} u64[1] i64[1]")
        fails("SHAPE", f"bitwise_{op} i8[1 2] i8[1 2 3]")
    put("bitwise_invert bool[0 1] = bool[1 0]\nbitwise_invert i64{5} = i64{-6}\nbitwise_invert u8(0)[] = u8(0)[]")
    put("bitwise_left_shift i32{1} 4 = i32{16}\nbitwise_right_shift i16(0,2)[] i16[1 2] = i16(0,2)[]\nbitwise_right_shift i32[[-8] [8]] i32[1 2] = i32[[-4 -2] [4 2]]")
    fails("DTYPE", "bitwise_invert [1]", "bitwise_left_shift bool[1] bool[1]", "bitwise_right_shift [1] [1]", "bitwise_left_shift i32[1] [1]")
    fails("SHAPE", "bitwise_left_shift i8[1 2] i8[1 2 3]", "bitwise_right_shift i8[1 2] i8[1 2 3]")
    fails("NULL", "bitwise_and i8[1] null", "bitwise_invert null")


def neighbour(d, x, y):
    """The next number of the dtype, by halving the distance to the next power of two."""
    bits, low, _ = FORM[d]
    e = max(mp.frexp(mp.mpf(x))[1] - 1, low)
    towards_0 = (y > x) != (x > 0)
    if x and towards_0 and abs(mp.mpf(x)) == mp.ldexp(1, e) and e > low:
        e -= 1
    return mp.mpf(x) + (1 if y > x else -1) * mp.ldexp(1, e - bits + 1)


def signs():
    put("\n# ---- signs and neighbours ----")
    for d in ("f16", "bf16", "f32", "f64"):
        xs = [1.0, -1.0, 0.0, -0.0, INF, -INF, NAN, -3.5, 0.125]
        case("signbit", [array(d, xs, (N,))], "bool(67)[0 1 0 1 0 1 0 1 0 ...]")
        row("copysign", d, None, [], [(1.0, -2.0, -1.0), (-1.0, 0.0, 1.0), (2.0, -0.0, -2.0), (INF, -1.0, -INF), (0.0, -1.0, -0.0), (-3.0, INF, 3.0), (-0.0, 1.0, 0.0), (NAN, 1.0, NAN)], tolerance="0")
        least, most = mp.ldexp(1, FORM[d][1] - FORM[d][0] + 1), (2 - mp.ldexp(1, 1 - FORM[d][0])) * mp.ldexp(1, FORM[d][2])
        special = [(INF, 0.0, most), (-INF, 0.0, -most), (most, INF, INF), (NAN, 1.0, NAN), (1.0, NAN, NAN), (0.0, -0.0, -0.0), (1.0, 1.0, 1.0)]
        if d != "f32":  # a line of its own: some engines know no denormals
            row("nextafter", d, lambda x, y, d=d: neighbour(d, x, y), [(1.0, 2.0), (1.0, 0.0), (-1.0, 0.0), (3.0, INF), (-3.0, 5.0), (100.0, -INF)], special, tolerance="0")
    row("nextafter", "f32", lambda x, y: neighbour("f32", x, y), [(1.0, 2.0), (1.0, 0.0), (-1.0, 0.0), (3.0, 7.0), (-3.0, 5.0), (100.0, -7.0)], tolerance="0")
    for d in ("f16", "f32", "f64", "bf16"):
        low = mp.ldexp(1, FORM[d][1])
        least = mp.ldexp(low, 1 - FORM[d][0])
        row("nextafter", d, None, [], [(0.0, 1.0, least), (-0.0, -1.0, -least), (least, -1.0, 0.0), (-least, 1.0, -0.0), (low, 0.0, low - least), (low, 1.0, low + least), (3 * least, 1.0, 4 * least), (-3 * least, 1.0, -2 * least), (INF, INF, INF)], tolerance="0")
    for d in INTS:
        case("signbit", [array(d, [0, 1, -1, 100, -128] if d[0] == "i" else [0, 1, 2, 100, 255], (N,))], f"bool(67)[{'0 0 1 0 1' if d[0] == 'i' else '0 0 0 0 0'} ...]")
    put("copysign [1.5 -2] [[3] [-4]] = [[1.5 2] [-1.5 -2]]\ncopysign f64{2} -1 = f64{-2}\ncopysign f16[1] [-1] = [-1]\nsignbit f32(0)[] = bool(0)[]\npositive [1 -2.5 -0] = [1 -2.5 -0]\npositive i8[3 -4] = i8[3 -4]\npositive f64{-3} = f64{-3}")
    fails("DTYPE", "copysign i32[1] i32[1]", "nextafter i32[1] i32[2]", "signbit bool[1]", "positive bool[1]")
    fails("SHAPE", "copysign [1 2] [1 2 3]", "nextafter [1 2] [1 2 3]")


def special_file():
    put("# bits, signs, neighbours, gamma and error functions. Printed by element_numpy.py.")
    bits()
    signs()
    zeros, loose = [(0.0, 0.0), (-0.0, -0.0)], "5e-6 rel"
    function("erfc", mp.erfc, [0.5, -0.5, 0.25, -2.0, 1.0, 2.0, -1.5, 0.015625, 3.0], [(INF, 0.0), (-INF, 2.0), (NAN, NAN), (0.0, 1.0)], [9.0, 20.0, 26.0, 1e-20], loose=loose)
    function("erfinv", mp.erfinv, [0.5, -0.5, 0.25, -0.75, 0.875, 0.015625, -0.125, 0.625, 0.9375], zeros + [(1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (NAN, NAN)], [0.999, -0.9999, 1e-20, 0.99999], loose=loose, fine="5e-14 rel")
    function("lgamma", lambda x: mp.re(mp.loggamma(x)), [0.5, 3.5, 0.125, 4.0, 10.0, 25.0, -0.5, -1.75, 2.5], [(1.0, 0.0), (2.0, 0.0), (0.0, INF), (-0.0, INF), (-1.0, INF), (-3.0, INF), (INF, INF), (-INF, INF), (NAN, NAN)], [1e-20, 1e10, -0.0009765625, 100.5, 0.75], loose="2e-5 rel")
    for n in range(9):
        poles = [(0.0, INF), (-0.0, INF), (-1.0, INF), (-2.0, INF)] if n % 2 else [(0.0, -INF), (-0.0, INF), (-1.0, NAN), (-2.0, NAN)]
        ends = [(-INF, NAN), (NAN, NAN), (INF, INF if n == 0 else 0.0 if n % 2 else -0.0)]
        put(f"\n# ---- polygamma {n} ----")
        points = [1.0, 0.5, 2.5, 3.0, 10.0, 25.0, -0.25, -1.75]
        if n < 7:
            row("polygamma", "f32", lambda x, n=n: mp.psi(n, x), points, options=f"order={n}")
        row("polygamma", "f64", lambda x, n=n: mp.psi(n, x), points + [0.125, 100.5, -4.125], poles + ends, f"order={n}")
        if n < 3:
            row("polygamma", "f16", lambda x, n=n: mp.psi(n, x), points, poles + ends, f"order={n}")
            row("polygamma", "bf16", lambda x, n=n: mp.psi(n, x), points, poles + ends, f"order={n}")
    put("polygamma f64{1} = f64{-0.57721566490153286}\ndigamma f64[1 0.5] = f64[-0.57721566490153286 -1.9635100260214235]\ndigamma f16[1] = f16[-0.577]\ndigamma [0 -0 -1 inf nan] = [-inf inf nan inf nan]\npolygamma f32(0)[] order=3 = f32(0)[]\nlgamma f32{4} = f32{1.7917595} ~ 2e-6\nlgamma f32(2,0)[] = f32(2,0)[]\nerfinv 0.5 = f32{0.47693628} ~ 2e-6\nerfc f64(0)[] = f64(0)[]")
    fails("ARG", "polygamma [1] order=9", "polygamma [1] order=-1")
    fails("DTYPE", "polygamma i32[1]", "digamma i32[1]", "lgamma i64[1]", "erfc bool[1]", "erfinv u8[1]", "rsqrt i32[1]", "sinc i32[1]")
    function("rsqrt", lambda x: 1 / mp.sqrt(x), [0.25, 0.5, 1.0, 2.0, 3.0, 10.0, 0.0625, 100.0, 7.5], [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-1.0, NAN), (NAN, NAN)], [1e-300, 1e300])
    function("sinc", lambda x: mp.sinc(mp.pi * x), [0.5, -0.5, 0.25, 1.5, -2.25, 0.015625, 7.5, 0.125, 0.0], [(0.0, 1.0), (-0.0, 1.0), (2.0, 0.0), (INF, NAN), (NAN, NAN)], [1e-10, 1e-3, 0.03])


# ---- activation.case ----


def elu(x, a=1):
    return x if x > 0 else a * mp.expm1(x)


def softplus(x):
    return mp.log1p(mp.exp(x))


SIGMOID = lambda x: 1 / (1 + mp.exp(-x))  # noqa: E731
TANH_GELU = lambda x: x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)))  # noqa: E731
POINTS = [0.5, -0.5, 1.0, -1.0, 2.0, -2.5, 4.5, 0.0625, -7.0]
# name, options: function, special values
ACTIVATIONS = {
    ("relu", ""): (lambda x: max(x, 0), [(INF, INF), (-INF, 0.0), (NAN, NAN), (0.0, 0.0), (-0.0, 0.0)]),
    ("relu6", ""): (lambda x: min(max(x, 0), 6), [(INF, 6.0), (-INF, 0.0), (NAN, NAN), (0.0, 0.0), (6.0, 6.0), (9.0, 6.0)]),
    ("leaky_relu", ""): (lambda x: x if x > 0 else x * mp.mpf("0.01"), [(INF, INF), (-INF, -INF), (NAN, NAN), (0.0, 0.0)]),
    ("leaky_relu", "slope=0.25"): (lambda x: x if x > 0 else x / 4, [(NAN, NAN), (-0.0, -0.0)]),
    ("elu", ""): (elu, [(INF, INF), (-INF, -1.0), (NAN, NAN), (0.0, 0.0)]),
    ("elu", "alpha=1.5"): (lambda x: elu(x, 1.5), [(INF, INF), (-INF, -1.5), (NAN, NAN)]),
    ("selu", ""): (lambda x: mp.mpf("1.0507009873554804934193349852946") * elu(x, mp.mpf("1.6732632423543772848170429916717")), [(INF, INF), (NAN, NAN), (0.0, 0.0)]),
    ("celu", "alpha=2"): (lambda x: x if x > 0 else 2 * mp.expm1(x / 2), [(INF, INF), (-INF, -2.0), (NAN, NAN), (0.0, 0.0)]),
    ("gelu", ""): (lambda x: x * mp.ncdf(x), [(INF, INF), (NAN, NAN), (0.0, 0.0)]),
    ("gelu", "approximate"): (TANH_GELU, [(INF, INF), (NAN, NAN), (0.0, 0.0)]),
    ("silu", ""): (lambda x: x * SIGMOID(x), [(INF, INF), (NAN, NAN), (0.0, 0.0)]),
    ("mish", ""): (lambda x: x * mp.tanh(softplus(x)), [(INF, INF), (NAN, NAN), (0.0, 0.0)]),
    ("log_sigmoid", ""): (lambda x: -softplus(-x), [(INF, -0.0), (-INF, -INF), (NAN, NAN)]),
    ("softsign", ""): (lambda x: x / (1 + abs(x)), [(INF, NAN), (NAN, NAN), (0.0, 0.0)]),
    ("hardtanh", ""): (lambda x: min(max(x, -1), 1), [(INF, 1.0), (-INF, -1.0), (NAN, NAN), (0.0, 0.0)]),
    ("hardtanh", "min=-0.75 max=3"): (lambda x: min(max(x, -0.75), 3), [(INF, 3.0), (-INF, -0.75), (NAN, NAN)]),
    ("hardsigmoid", ""): (lambda x: min(max(x / 6 + 0.5, 0), 1), [(INF, 1.0), (-INF, 0.0), (NAN, NAN)]),
    ("hardswish", ""): (lambda x: x * min(max(x / 6 + 0.5, 0), 1), [(INF, INF), (NAN, NAN), (0.0, 0.0)]),
    ("tanhshrink", ""): (lambda x: x - mp.tanh(x), [(INF, INF), (-INF, -INF), (NAN, NAN), (0.0, 0.0)]),
    ("softshrink", "bound=0.75"): (lambda x: 0 if abs(x) <= 0.75 else x - mp.sign(x) * 0.75, [(INF, INF), (-INF, -INF), (NAN, NAN), (0.75, 0.0)]),
    ("hardshrink", "bound=0.75"): (lambda x: 0 if abs(x) <= 0.75 else x, [(INF, INF), (-INF, -INF), (NAN, NAN), (0.75, 0.0)]),
    ("threshold", "threshold=0.75 value=20"): (lambda x: x if x > 0.75 else 20, [(INF, INF), (-INF, 20.0), (NAN, NAN), (0.75, 20.0)]),
}
EDGES = {"hardtanh": [1.0, -1.0]}


def activation_file():
    put("# Activations. Printed by element_numpy.py.")
    for (op, options), (f, special) in ACTIVATIONS.items():
        put(f"\n# ---- {op} {options} ----".replace("  ", " "))
        points = [p for p in POINTS if p not in EDGES.get(op, [])]
        row(op, "f32", f, points, options=options, tolerance={"tanhshrink": "2e-6", "gelu": "1e-5 rel"}.get(op))
        row(op, "f64", f, points, special, options, {"tanhshrink": "1e-14", "gelu": "2e-13 rel"}.get(op))
        if not options or op in ("celu", "gelu"):
            for d in ("f16", "bf16"):
                row(op, d, f, points, special, options)
        if op not in ("relu", "relu6"):
            fails("DTYPE", f"{op} i32[1]{' threshold=1' if op == 'threshold' else ''}")
    put("\n# ---- other forms ----\nrelu i8[-3 0 4] = i8[0 0 4]\nrelu u64[3 18446744073709551615] = u64[3 18446744073709551615]\nrelu6 i32[-3 5 7] = i32[0 5 6]\nrelu f32{-1} = f32{0}\nrelu f64(0,2)[] = f64(0,2)[]\ngelu f32(0)[] = f32(0)[]\nsoftshrink [1 -2 0.25] = [0.5 -1.5 0]\nhardshrink [1 -2 0.25] bound=0 = [1 -2 0.25]\nthreshold [1 -2] threshold=0 = [1 0]\ncelu [1 0 nan] = [1 0 nan]\ngelu f64[-10 -20 nan] = f64[-7.619853024160527e-23 -5.507248237212467e-88 nan] ~ 1e-13 rel\ngelu [-inf] = [nan]\nsilu [-inf] = [nan]")
    fails("ARG", "celu [1] alpha=0", "celu [1] alpha=nan", "hardtanh [1] min=2 max=1", "hardtanh [1] min=nan", "softshrink [1] bound=-1", "hardshrink [1] bound=nan", "threshold [1]")
    fails("DTYPE", "relu bool[1]", "relu6 bool[1]")
    fails("NULL", "relu null", "gelu null")
    put("\n# ---- relu_backward ----")
    for d in FORM:
        put(f"relu_backward {d}[0.5 2 3] {d}[1 -2 4] = {d}[1 -2 4]\nrelu_backward {d}[0 0.5 nan inf 0 0] {d}[1 -2 3 4 nan inf] = {d}[0 -2 3 4 0 0]")
    put("relu_backward f32{0.5} f32{3} = f32{3}\nrelu_backward f32(2,0)[] f32(2,0)[] = f32(2,0)[]\nrelu_backward f16[0.5 2] [1 2] = [1 2]")
    fails("SHAPE", "relu_backward [1 2] [1 2 3]", "relu_backward [[1 2]] [1 2]")
    fails("DTYPE", "relu_backward i32[1] i32[1]")
    put("\n# ---- prelu ----\nprelu [[1 -2 3] [-4 5 -6]] [0.5 0.25 0.125] = [[1 -0.5 3] [-2 5 -0.75]]\nprelu f64[[1 -2 3] [-4 5 -6]] f64[[0.5] [0.25]] = f64[[1 -1 3] [-1 5 -1.5]]\nprelu [-4 8] 0.25 = [-1 8]\nprelu f16[-4 8] f16[0.5 0.5] = f16[-2 8]\nprelu bf16[-4 8] [0.5 0.5] = [-2 8]\nprelu [inf -inf nan -0] [0.5 0.5 0.5 2] = [inf -inf nan -0]\nprelu f32(0)[] f32{2} = f32(0)[]")
    fails("SHAPE", "prelu [1 2] [1 2 3]", "prelu [1 2] [[1] [2]]", "prelu f32{1} [1]")
    fails("DTYPE", "prelu i32[1] i32[1]")
    x = [0.5, -1.0, 2.0, 0.25, -0.75, 3.0, 1.5, -2.0, 0.125, -0.5, 1.0, 4.0]
    put("\n# ---- glu, softmin ----")
    for d in FORM:
        a = np.array(x).reshape(2, 6)
        glu = [float(p) / (1 + mp.exp(-float(q))) for p, q in zip(a[:, :3].ravel(), a[:, 3:].ravel())]
        case("glu", [array(d, x, (2, 6))], array(d, glu, (2, 3)), "axis=-1", TOLERANCE[d])
        soft = [mp.exp(-a[i, j]) / sum(mp.exp(-v) for v in a[i]) for i in range(2) for j in range(6)]
        case("softmin", [array(d, x, (2, 6))], array(d, soft, (2, 6)), "axis=1", TOLERANCE[d])
    a = np.array(x).reshape(2, 3, 2)
    case("glu", [array("f32", x, (2, 3, 2))], array("f32", [float(p) / (1 + mp.exp(-float(q))) for p, q in zip(a[0].ravel(), a[1].ravel())], (1, 3, 2)), "axis=0", TOLERANCE["f32"])
    put("glu f32(2,0)[] = f32(2,0)[]\nglu [inf 1 nan 0 0 0] = [inf 0.5 nan] ~ 1e-6\nsoftmin f32(0)[] axis=0 = f32(0)[]")
    fails("SHAPE", "glu [1 2 3]", "glu [[1 2]] axis=0")
    fails("ARG", "glu f32{1}", "glu [1 2] axis=1", "softmin [1 2] axis=1", "softmin [1]")
    fails("DTYPE", "glu i32[1 2]", "softmin i32[1] axis=0")
    put("\n# Digits near 0 are kept: expm1, not exp(x) - 1.")
    for d, tolerance in ("f32", "4e-7 rel"), ("f64", "1e-15 rel"):
        row("selu", d, ACTIVATIONS["selu", ""][0], [-0.017, -0.001, -1e-05, 0.001], tolerance=tolerance)


# ---- normalise.case ----

X = [0.5, -1.0, 2.0, 0.25, -0.75, 3.0, 1.5, -2.0, 0.125, -0.5, 1.0, 4.0]
W, B = [1.5, -0.5, 2.0, 0.75], [0.25, -1.0, 0.5, 3.0]


def standardized(x, axes, eps=1e-5):
    d = x - x.mean(axes, keepdims=True)
    return d / np.sqrt((d * d).mean(axes, keepdims=True) + eps)


def norms():
    put("\n# ---- norm ----")
    a = np.array(X, np.longdouble).reshape(3, 4)
    for d in FORM:
        for order in (2, 1, 3, 0.5, -2) if d in ("f32", "f64") else (2, 3):
            want = (abs(a) ** order).sum(1) ** (1 / np.longdouble(order))
            case("norm", [array(d, X, (3, 4))], array(d, [float(v) for v in want]), f"axes=1 order={order}", TOLERANCE[d])
    want = np.sqrt((a * a).sum())
    put(f"norm {array('f64', X, (3, 4))} = f64{{{text('f64', float(want))}}}\nnorm {array('f64', X, (3, 4))} keepdims = f64[[{text('f64', float(want))}]]")
    case("norm", [array("f32", X, (3, 4))], array("f32", [float(v) for v in np.sqrt((a * a).sum(0))], (1, 4)), "axes=-2 keepdims", TOLERANCE["f32"])
    put("norm [3e20 4e20] = f32{5e20} ~ 2e-6 rel\nnorm [[3e-30 4e-30] [nan 1]] axes=1 = [5e-30 nan] ~ 2e-6 rel\nnorm f64[3e200 4e200 nan] axes= = f64[3e200 4e200 nan]\nnorm f64[[3e-200 4e-200] [nan 1]] axes=1 = f64[5e-200 nan] ~ 1e-14 rel\nnorm [1e30 2e30] order=3 = f32{2.0800838e30} ~ 2e-6 rel\nnorm f16[300 400] = f16{500}\nnorm [[0 nan] [3 4]] axes=1 order=-inf = [nan 3]\nnorm [[0.5 -7] [3 4]] axes=1 order=inf = [7 4]\nnorm [[0.5 -7] [3 4]] axes=0 order=0 = [2 2]\nnorm [[0 inf] [0 1] [nan 1]] axes=1 order=0 = [1 1 2]\nnorm [[0 inf] [0 0] [nan 1] [-inf nan]] axes=1 = [inf 0 nan nan]\nnorm [[0 inf] [0 0] [nan 1]] axes=1 order=1 = [inf 0 nan]\nnorm [[0 2 nan] [0 1 1]] axes=0 order=-1 = [0 0.6666667 nan] ~ 2e-6")
    put("norm f32{-3} = f32{3}\nnorm f32(0)[] = f32{0}\nnorm f64(0,3)[] axes=0 = f64[0 0 0]\nnorm f64(3,0)[] axes=0 = f64(0)[]\nnorm f32(2,0)[] axes=1 order=inf = [0 0]\nnorm f32(3000)[1 -1 ...] = f32{54.772256} ~ 2e-6")
    fails("ARG", "norm [1] order=nan", "norm [1] axes=1", "norm [1 2] axes=0,0")
    put("norm f32(0)[] order=-inf = f32{inf}\nnorm f32(2,0)[] axes=1 order=-1 = [inf inf]")
    fails("DTYPE", "norm i32[1]")
    put("\n# ---- l2_normalize ----")
    for d in FORM:
        case("l2_normalize", [array(d, X, (3, 4))], array(d, [float(v) for v in (a / np.sqrt((a * a).sum(1, keepdims=True))).ravel()], (3, 4)), "axes=-1", TOLERANCE[d])
    put("l2_normalize [[3e20 4e20] [3e-30 4e-30] [nan 1]] axes=1 epsilon=0 = [[0.6 0.8] [0.6 0.8] [nan nan]] ~ 2e-6\nl2_normalize [0 0 nan] axes= = [0 0 nan]\nl2_normalize [0.03 0.04] axes=0 epsilon=0.5 = [0.06 0.08] ~ 2e-6\nl2_normalize f32(0,2)[] axes=0 = f32(0,2)[]\nl2_normalize [[0 0] [nan 1]] axes=1 = [[0 0] [nan nan]]")
    fails("ARG", "l2_normalize [1]", "l2_normalize [1] axes=1", "l2_normalize [1] axes=0 epsilon=-1", "l2_normalize [1] axes=0 epsilon=nan")
    fails("DTYPE", "l2_normalize i32[1] axes=0")


def flat(d, v, shape=None):
    return array(d, [float(e) for e in np.asarray(v).ravel()], shape or np.asarray(v).shape)


def normalise_file():
    put("# Norms, and layer, root-mean-square, group and batch normalisation. Printed by element_numpy.py.")
    norms()
    a, w, b = np.array(X).reshape(3, 4), np.array(W), np.array(B)
    tolerance = {"f16": "2e-3", "bf16": "2e-2", "f32": "5e-6", "f64": "1e-13"}
    put("\n# ---- layer_norm, rms_norm ----")
    for d in FORM:
        x, weight, bias = flat(d, a), flat(d, w), flat(d, b)
        case("layer_norm", [x, weight, bias], flat(d, standardized(a, -1) * w + b), "axes=-1", tolerance[d])
        case("rms_norm", [x, weight], flat(d, a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) * w), "axes=-1", tolerance[d])
    x = flat("f32", a)
    case("layer_norm", [x], flat("f32", standardized(a, -1)), "axes=1", "5e-6")
    case("layer_norm", [x, flat("f32", w)], flat("f32", standardized(a, -1) * w), "axes=1", "5e-6")
    case("layer_norm", [x, "none", flat("f32", b)], flat("f32", standardized(a, -1) + b), "axes=1", "5e-6")
    case("layer_norm", [x, flat("f32", w[:3])], flat("f32", standardized(a, 0) * w[:3, None]), "axes=0", "5e-6")
    case("layer_norm", [x, flat("f32", a)], flat("f32", standardized(a, (0, 1), 0.5) * a), "axes=-1,0 epsilon=0.5", "5e-6")
    case("layer_norm", [flat("bf16", a), flat("f32", w)], flat("f32", standardized(a, -1) * w), "axes=1", "5e-6")
    case("rms_norm", [x], flat("f32", a / np.sqrt((a * a).mean() + 0.25)), "axes=0,1 epsilon=0.25", "5e-6")
    case("layer_norm", [array("f32", X, (8, 300))], flat("f32", standardized(np.resize(np.array(X), (1, 300)), -1)[:, :12], (8, 300)), "axes=1", "5e-6")
    put("layer_norm f32(0,3)[] axes=1 = f32(0,3)[]\nlayer_norm f32(2,0)[] axes=1 = f32(2,0)[]\nlayer_norm [[1 nan] [2 2]] axes=1 = [[nan nan] [0 0]]\nrms_norm f32(0)[] axes=0 = f32(0)[]")
    for op in ("layer_norm", "rms_norm"):
        fails("ARG", f"{op} [1]", f"{op} [1] axes=1", f"{op} [[1]] axes=0,0", f"{op} [1] axes=0 epsilon=-1", f"{op} [1] axes=0 epsilon=nan")
        fails("SHAPE", f"{op} [[1 2] [3 4]] [1 2 3] axes=1", f"{op} [[1 2] [3 4]] [[1 2]] axes=1", f"{op} [[1 2] [3 4]] f32{{1}} axes=1")
        fails("DTYPE", f"{op} i32[1] axes=0")
    fails("SHAPE", "layer_norm [[1 2] [3 4]] none [1] axes=1")
    put("\n# ---- group_norm ----")
    c = np.array(X + [v * 0.5 - 1 for v in X]).reshape(2, 3, 4)

    def grouped(v, groups, eps=1e-5):
        s = v.reshape(*v.shape[:-1], groups, -1)
        return standardized(s, tuple(k for k in range(1, s.ndim) if k != s.ndim - 2), eps).reshape(v.shape)

    for d in FORM:
        case("group_norm", [flat(d, c), flat(d, w), flat(d, b)], flat(d, grouped(c, 2) * w + b), "groups=2", tolerance[d])
    case("group_norm", [flat("f32", c)], flat("f32", grouped(c, 1)), "groups=1", "5e-6")
    case("group_norm", [flat("f32", c), "none", flat("f32", b)], flat("f32", grouped(c, 4) + b), "groups=4 axis=2", "5e-6")
    case("group_norm", [flat("f32", c), flat("f32", w[:3])], flat("f32", np.swapaxes(grouped(np.swapaxes(c, 1, 2), 3, 0.5) * w[:3], 1, 2)), "groups=3 axis=-2 epsilon=0.5", "5e-6")
    case("group_norm", [flat("f32", a)], flat("f32", grouped(a, 2)), "groups=2", "5e-6")
    put("group_norm f32(0,4)[] groups=2 = f32(0,4)[]")
    fails("ARG", "group_norm [[1 2]]", "group_norm [[1 2]] groups=0", "group_norm [[1 2 3]] groups=2", "group_norm [[1 2]] groups=1 axis=0", "group_norm [[1 2]] groups=1 axis=2", "group_norm [[1 2]] groups=1 epsilon=-1")
    fails("SHAPE", "group_norm [1 2] groups=1", "group_norm [[1 2]] [1] groups=1", "group_norm [[1 2]] none [[1 2]] groups=1", f"group_norm f32({','.join('1' * 32)})[1] groups=1")
    fails("DTYPE", "group_norm i32[[1]] groups=1")
    put("\n# ---- batch_norm ----")
    mean, variance = np.array([0.5, -0.25, 1.0, 2.0]), np.array([0.5, 1.5, 2.0, 0.25])
    want = (a - mean) / np.sqrt(variance + 1e-5)
    for d in FORM:
        case("batch_norm", [flat(d, v) for v in (a, mean, variance, w, b)], flat(d, want * w + b), "", tolerance[d])
    case("batch_norm", [flat("f32", v) for v in (a, mean, variance)], flat("f32", want), "axis=1", "5e-6")
    case("batch_norm", [flat("f32", v) for v in (a, mean[:3], variance[:3])] + ["none", flat("f32", b[:3])], flat("f32", (a - mean[:3, None]) / np.sqrt(variance[:3, None] + 0.5) + b[:3, None]), "axis=-2 epsilon=0.5", "5e-6")
    put("batch_norm [1 nan] [1 1] [0 0] epsilon=1 = [0 nan]\nbatch_norm f32(0,2)[] [1 1] [0 0] = f32(0,2)[]")
    fails("SHAPE", "batch_norm [1 2] [1] [1 1]", "batch_norm [1 2] [1 1] [1]", "batch_norm [1 2] [1 1] [1 1] [1]", "batch_norm [1 2] [1 1] [1 1] none [[1 1]]")
    fails("ARG", "batch_norm [1 2] [1 1] [1 1] axis=1", "batch_norm f32{1} [1] [1]", "batch_norm [1] [1] [1] epsilon=-1")
    fails("DTYPE", "batch_norm i32[1] i32[1] i32[1]")
    fails("NULL", "batch_norm [1] null [1]")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
    for name, write in {"special": special_file, "activation": activation_file, "normalise": normalise_file}.items():
        lines.clear()
        write()
        with open(os.path.join(folder, name + ".case"), "w", encoding="ascii") as f:
            f.write("\n".join(lines).replace("\n\n\n", "\n\n") + "\n")


main()
