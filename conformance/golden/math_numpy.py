#!/usr/bin/env python3
"""Writes conformance/cases/{math,divide,compare,extreme,running,where,compose}.case: expected results of functions, comparisons, min/max, cumulative sums,
selects and related ops, from an independent implementation.

Run by hand, with numpy and mpmath: python3 conformance/golden/math_numpy.py [folder], default conformance/cases. Inputs are rounded to the dtype, functions are
computed with 120 digits and rounded once; integers are Python's, wrapped. Special values are those of the Array API standard, hand-written.
The results are first compared with numpy's float64 functions, to catch mistakes in this file.

Elementwise lines have 67 elements, a few values repeated: full vectors and a remainder. Derivatives are checked at the values of lines whose
inputs are all finite, so these avoid ties, kinks and edges; other lines contain an infinity or a NaN.
"""
import os
import sys

import mpmath as mp
import numpy as np

mp.mp.prec = 400
INF, NAN = float("inf"), float("nan")
HALF, FLOATS = ["f16", "bf16"], ["f16", "bf16", "f32", "f64"]
SIGNED, UNSIGNED = ["i8", "i16", "i32", "i64"], ["u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
REAL = INTS + FLOATS
ANY = ["bool"] + REAL
FORM = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}  # bits, exponents
TOLERANCE = {"f16": "1e-3 rel", "bf16": "8e-3 rel", "f32": "1e-6 rel", "f64": "4e-15 rel"}
LONG = 67

# ---- numbers of a dtype ----


def bounds(d):
    bits = 1 if d == "bool" else int(d[1:])
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if d in SIGNED else (0, 2**bits - 1)


def wrap(d, v):
    low, high = bounds(d)
    return (v - low) % (high - low + 1) + low


def rounded(d, v):
    """To the nearest number of the dtype, ties to even; a float, or an int."""
    if d not in FORM:
        assert bounds(d)[0] <= v <= bounds(d)[1], (d, v)
        return int(v)
    v = mp.mpf(v) if not isinstance(v, float) else v
    if mp.isnan(v) or mp.isinf(v) or v == 0:
        return float(v)
    bits, low, high = FORM[d]
    v = mp.mpf(v)
    quantum = mp.ldexp(1, max(mp.frexp(v)[1] - 1, low) - bits + 1)
    near = mp.nint(v / quantum) * quantum
    return float(mp.sign(v) * INF) if abs(near) >= mp.ldexp(1, high + 1) else float(near)


def text(d, v):
    if d not in FORM:
        return str(int(v))
    if v != v or v in (INF, -INF):
        return str(v)
    if v == 0:
        return "-0" if np.signbit(v) else "0"
    for digits in range(1, 18):
        t = f"{v:.{digits}g}"
        if rounded(d, mp.mpf(t)) == v:
            return f"{v:.0f}" if v == int(v) and abs(v) < 1e16 else t
    raise AssertionError((d, v))


def array(d, values, shape=None):
    """The notation of a case file. Values fewer than the shape needs are repeated."""
    t = " ".join(text(d, rounded(d, v)) for v in values)
    if shape is None:
        return f"{d}[{t}]"
    if shape == ():
        return f"{d}{{{t}}}"
    n = int(np.prod(shape))
    assert n == len(values) or 0 < len(values) < n
    return f"{d}({','.join(map(str, shape))})[{t}{'' if n == len(values) else ' ...'}]"


def full(d, values, shape):
    n = int(np.prod(shape))
    return [rounded(d, values[k % len(values)]) for k in range(n)]


def exact(v):
    return mp.mpf(v) if isinstance(v, float) else v


lines = []


def put(line=""):
    lines.append(line)


def case(op, inputs, expected, options="", tolerance=None, dtype=None):
    tolerance = tolerance if tolerance is not None else TOLERANCE.get(dtype, "")
    put(" ".join([op, *inputs] + ([options] if options else []) + ["=", expected] + (["~", tolerance] if tolerance else [])))


def fails(code, *calls):
    for c in calls:
        put(f"{c} ! VN_E_{code}")


def elementwise(op, d, rows, out=None, tolerance=None, shape=(LONG,)):
    """rows: the inputs of an element, then its result."""
    columns = list(zip(*rows))
    out = out or d
    case(op, [array(d, c, shape) for c in columns[:-1]], array(out, columns[-1], shape), tolerance=tolerance, dtype=out)


def applied(f, d, points):
    """Rows of a function, computed exactly at the numbers as the dtype has them."""
    rows = []
    for p in points:
        p = p if isinstance(p, tuple) else (p,)
        x = [rounded(d, v) for v in p]
        rows.append((*x, f(*[exact(v) for v in x])))
    return rows


# ---- math: functions of one float ----

S = 2.0**-6
SYMMETRIC = [(INF, INF), (-INF, -INF), (NAN, NAN), (0.0, 0.0), (-0.0, -0.0)]  # odd functions without bounds
PI = mp.pi
LOG_POINTS = [0.125, 0.5, 0.75, 1.5, 2.0, 3.0, 10.0, 100.0, 1.0078125]
LOG_SPECIAL = [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (-1.0, NAN), (NAN, NAN)]
ANGLES = [0.5, 1.0, -1.0, 2.0, 3.0, -4.0, 7.5, S, 100.0]
UNIT = [0.5, -0.5, 0.25, -0.75, 0.875, S, -0.125, 0.625, 0.375]
OUTSIDE = [(1.5, NAN), (-1.5, NAN), (INF, NAN), (-INF, NAN), (NAN, NAN)]
WIDE = [0.5, -0.5, 1.0, -2.0, 3.0, S, 5.0, -0.125, 8.0]
NO_ANGLE = [(INF, NAN), (-INF, NAN), (NAN, NAN)]
ZEROS = [(0.0, 0.0), (-0.0, -0.0)]

# name: function, points with derivatives, special values, further points in float32 and in float64, tolerance in float32
FUNCTIONS = {
    "sqrt": (mp.sqrt, [0.25, 0.5, 1.0, 2.0, 3.0, 10.0, 0.0625, 100.0, 7.5], ZEROS + [(INF, INF), (-INF, NAN), (-1.0, NAN), (NAN, NAN)], [1e-30, 1e30], [1e-300, 1e300], "2e-7 rel"),
    "expm1": (mp.expm1, [2.0**-9, -0.25, 0.5, 1.0, -1.0, 2.0, -3.0, 5.0, S], ZEROS + [(INF, INF), (-INF, -1.0), (NAN, NAN)], [1e-6, -1e-6, 80.0, -40.0], [1e-15, -1e-15, 600.0, -50.0], None),
    "log": (mp.log, LOG_POINTS, LOG_SPECIAL, [1e-30, 1e30, 1 + 2.0**-23], [1e-300, 1e300, 1 + 2.0**-52], None),
    "log1p": (mp.log1p, [2.0**-9, -0.25, 0.5, 1.0, 3.0, 10.0, 100.0, -0.75, -(2.0**-7)], ZEROS + [(-1.0, -INF), (-2.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)], [1e-10, -1e-10, 1e30], [1e-18, -1e-18, 1e300], None),
    "log2": (lambda x: mp.log(x, 2), LOG_POINTS, LOG_SPECIAL + [(8.0, 3.0)], [1e-30, 1e30, 1 + 2.0**-20], [1e-300, 1e300, 1 + 2.0**-40], None),
    "log10": (mp.log10, LOG_POINTS, LOG_SPECIAL + [(1000.0, 3.0)], [1e-30, 1e30, 1 + 2.0**-20], [1e-300, 1e300, 1 + 2.0**-40], None),
    "sin": (mp.sin, ANGLES, NO_ANGLE + ZEROS, [1e4, -1e6], [1e6, -1e10], None),
    "cos": (mp.cos, ANGLES, NO_ANGLE + [(0.0, 1.0), (-0.0, 1.0)], [1e4, -1e6], [1e6, -1e10], None),
    "tan": (mp.tan, [0.5, 1.0, -1.0, 1.25, 0.25, -0.75, S, 2.0, 3.0], NO_ANGLE + ZEROS, [1e3, -1e4], [1e6, -1e10], "5e-6 rel"),
    "asin": (mp.asin, UNIT, OUTSIDE + ZEROS + [(1.0, PI / 2), (-1.0, -PI / 2)], [1e-6, 0.9999], [1e-15, 0.999999], None),
    "acos": (mp.acos, UNIT, OUTSIDE + [(0.0, PI / 2), (1.0, 0.0), (-1.0, PI)], [1e-6, 0.99], [1e-15, 0.999], None),
    "atan": (mp.atan, [0.5, -0.5, 1.0, -2.0, 3.0, S, 10.0, -0.125, 100.0], ZEROS + [(INF, PI / 2), (-INF, -PI / 2), (NAN, NAN)], [1e-6, -1e30], [1e-15, -1e300], None),
    "sinh": (mp.sinh, WIDE, SYMMETRIC, [80.0, -80.0, 1e-6, 89.0], [600.0, -600.0, 1e-15, 710.0], "5e-6 rel"),
    "cosh": (mp.cosh, WIDE, [(INF, INF), (-INF, INF), (NAN, NAN), (0.0, 1.0), (-0.0, 1.0)], [80.0, -80.0, 89.0], [600.0, -600.0, 710.0], "5e-6 rel"),
    "asinh": (mp.asinh, WIDE, SYMMETRIC, [1e30, -1e30, -1e4, 1e-6], [1e300, -1e300, -1e8, 1e-15], None),
    "acosh": (mp.acosh, [1.25, 1.5, 2.0, 3.0, 10.0, 100.0, 1.0625, 7.5, 5.0], [(1.0, 0.0), (0.5, NAN), (-1.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)], [1e30, 1 + 2.0**-10], [1e300, 1 + 2.0**-10], "3e-6 rel"),
    "atanh": (mp.atanh, UNIT, OUTSIDE + ZEROS + [(1.0, INF), (-1.0, -INF)], [1e-6, -0.99], [1e-15, -0.99], None),
    "erf": (mp.erf, [0.5, -0.5, 0.25, -0.75, 1.0, 2.0, -1.5, S, 3.0], ZEROS + [(INF, 1.0), (-INF, -1.0), (NAN, NAN)], [1e-10, 5.0, -9.0], [1e-20, 5.5, -20.0], None),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), [0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 5.0, S, -8.0], [(INF, 1.0), (-INF, 0.0), (NAN, NAN), (0.0, 0.5), (-0.0, 0.5)], [80.0, -80.0, -20.0], [300.0, -700.0, -40.0], None),
}


def functions():
    for op, (f, points, special, more32, more64, tolerance) in FUNCTIONS.items():
        put(f"\n# ---- {op} ----")
        elementwise(op, "f32", applied(f, "f32", points), tolerance=tolerance)
        elementwise(op, "f32", special + applied(f, "f32", more32), tolerance=tolerance)
        elementwise(op, "f64", applied(f, "f64", points + more64) + special)
        for d in HALF:
            elementwise(op, d, applied(f, d, points) + special)
        fails("DTYPE", f"{op} i32[1]")


ROUNDING = {"floor": mp.floor, "ceil": mp.ceil, "trunc": lambda x: mp.sign(x) * mp.floor(abs(x)), "round": mp.nint}


def whole_points(d):
    low, high = bounds(d)
    return [0, 1, 7, 100, high, high - 1, high // 2 + 1] + ([-1, -7, low, low + 1] if low else [])


def rounding():
    sign = lambda x: (x > 0) - (x < 0)  # noqa: E731
    kept = [(INF, INF), (-INF, -INF), (NAN, NAN), (-0.0, -0.0), (0.0, 0.0)]
    for op, f in {"abs": abs, "sign": sign, **ROUNDING}.items():
        put(f"\n# ---- {op} ----")
        for d in {"ceil": INTS[::2], "trunc": INTS[1::2], "round": INTS[::2]}.get(op, INTS):
            result = abs if op == "abs" else sign if op == "sign" else int
            elementwise(op, d, [(v, wrap(d, result(v))) for v in whole_points(d)])
        if op in ROUNDING:
            points = [0.25, -0.25, 1.75, -1.75, 2.125, -3.875, 49.75, 7.375, -0.75]
            ties, special = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.0], kept
        else:
            points, ties = [0.5, -0.5, 1.0, -2.0, 3.0, -100.0, S, -7.5, 0.125], []
            special = [(INF, INF), (-INF, INF), (NAN, NAN), (0.0, 0.0), (-0.0, 0.0)] if op == "abs" else [(INF, 1.0), (-INF, -1.0), (NAN, NAN), (0.0, 0.0), (-0.0, 0.0)]
        elementwise(op, "f32", applied(f, "f32", points), tolerance="0")
        elementwise(op, "f32", special + applied(f, "f32", ties + [8388607.5, -8388609.0, 0.5 - 2.0**-25, 1e30]), tolerance="0")
        elementwise(op, "f64", special + applied(f, "f64", points + ties + [2.0**52 - 0.5, -(2.0**52) - 1, 0.5 - 2.0**-54, 1e300]), tolerance="0")
        for d in HALF:
            elementwise(op, d, special + applied(f, d, points + ties), tolerance="0")
        fails("DTYPE", f"{op} bool[1 0]")


def math_file():
    put("# Functions of one array: sqrt abs sign, rounding, logarithms, trigonometry, erf sigmoid. Printed by math_numpy.py.")
    functions()
    rounding()
    put("\n# ---- 0-d, empty, many axes, weak numbers ----")
    nine, points = (2, 1, 1, 2, 1, 1, 1, 1, 2), [0.5, -0.25, 0.75, S, -0.125, 0.25, -0.5, 0.125]
    elementwise("sin", "f32", applied(mp.sin, "f32", points), shape=nine)
    elementwise("round", "f64", applied(mp.nint, "f64", [2.25 * p for p in points]), shape=nine, tolerance="0")
    elementwise("abs", "i16", [(v, abs(v)) for v in range(-4, 4)], shape=nine)
    for op, v in (("sqrt", 2.0), ("cos", 1.0), ("sigmoid", -1.0)):
        elementwise(op, "f64", applied(FUNCTIONS[op][0], "f64", [v]), shape=())
    put("sign i8{-3} = i8{-1}\nfloor f16{-1.25} = f16{-2} ~ 0\nround u64{18446744073709551615} = u64{18446744073709551615}")
    put("sqrt f32(0)[] = f32(0)[]\nlog1p f64(2,0,3)[] = f64(2,0,3)[]\nceil u8(3,0)[] = u8(3,0)[]")
    put("sqrt 4 = f32{2}\nabs -3 = f32{3}")
    fails("DTYPE", "sqrt bool[1]", "erf u8[1]", "sigmoid i64[1]", "log u64[1]")
    fails("ARG", "sqrt", "abs [1] [2]", "floor [1] axis=0")
    fails("NULL", "sin null", "round null")


# ---- divide: arithmetic of two arrays ----


def floor_div(x, y):
    return mp.floor(x / y) if isinstance(x, mp.mpf) else x // y if y else 0


def modulo(x, y):
    return x - y * mp.floor(x / y) if isinstance(x, mp.mpf) else x % y if y else 0


def whole_pairs(d):
    low, high = bounds(d)
    if low:
        pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (5, 0), (-5, 0), (0, 0), (low, -1), (low, 1), (high, -1), (low, 2), (high, low), (low, high),
                 (100, 7), (-1, 1), (high, 0), (low, 0), (-100, 9), (high - 1, 10)]
    else:
        pairs = [(7, 2), (0, 3), (5, 0), (0, 0), (high, 1), (high, 2), (high, high), (1, high), (high // 2 + 6, 10), (100, 7), (high, 0), (high - 1, 10)]
    if d in ("i64", "u64"):
        pairs += [(2**53 + 1, 2), (2**62 + 1, 3), (2**53 + 1, 2**53), (2**61 - 1, 1)]
    return pairs


DIVISION = {
    "div": (
        lambda x, y: x / y,
        [(1.0, 3.0), (-7.0, 2.0), (5.0, -0.5), (0.125, 8.0), (-3.0, -7.0), (100.0, 0.375), (0.0, 3.0), (2.0, 2.0), (1.5, -6.0)],
        [(1.0, 0.0, INF), (-1.0, 0.0, -INF), (1.0, -0.0, -INF), (-1.0, -0.0, INF), (0.0, 0.0, NAN), (0.0, -0.0, NAN), (INF, INF, NAN), (INF, -INF, NAN), (INF, 2.0, INF),
         (INF, -2.0, -INF), (-INF, 2.0, -INF), (1.0, INF, 0.0), (-1.0, INF, -0.0), (1.0, -INF, -0.0), (NAN, 1.0, NAN), (1.0, NAN, NAN), (0.0, -3.0, -0.0), (-0.0, 3.0, -0.0), (INF, 0.0, INF), (-INF, 0.0, -INF)],
        [], [], "2e-7 rel", "4e-16 rel"),
    "pow": (
        mp.power,
        [(2.0, 3.0), (3.0, 0.5), (0.5, -2.0), (10.0, 2.0), (1.5, 3.5), (7.0, -1.25), (0.25, 0.125), (2.0, -3.0), (1.25, 6.0)],
        [(-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (-2.0, -1.0, -0.5), (-2.0, 0.5, NAN), (0.0, 2.0, 0.0), (0.0, -1.0, INF), (-0.0, -1.0, -INF), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0),
         (-0.0, -2.0, INF), (0.0, 0.0, 1.0), (NAN, 0.0, 1.0), (NAN, 1.0, NAN), (2.0, NAN, NAN), (2.0, INF, INF), (2.0, -INF, 0.0), (0.5, INF, 0.0), (0.5, -INF, INF), (1.0, INF, 1.0),
         (-1.0, INF, 1.0), (-1.0, -INF, 1.0), (INF, 2.0, INF), (INF, -2.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, 0.5, INF),
         (0.0, INF, 0.0), (0.0, -INF, INF), (INF, 0.0, 1.0), (-2.0, -INF, 0.0), (-2.0, INF, INF), (-1.0, 3.0, -1.0), (1.0, 100.0, 1.0), (0.0, 0.5, 0.0)],
        [(10.0, 39.0), (10.0, -60.0), (-10.0, 39.0), (10.0, 30.0), (1.0001, 1e4)], [(10.0, 309.0), (10.0, -400.0), (-10.0, 309.0), (10.0, 300.0), (1.0001, 1e4)], "5e-6 rel", "2e-14 rel"),
    "atan2": (
        mp.atan2,
        [(1.0, 3.0), (1.0, -3.0), (-1.0, 3.0), (-1.0, -3.0), (5.0, 0.5), (-5.0, 0.5), (0.125, 8.0), (2.0, 2.0), (100.0, -7.0)],
        [(0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, PI), (-0.0, -0.0, -PI), (0.0, -1.0, PI), (-0.0, -1.0, -PI), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (1.0, 0.0, PI / 2), (1.0, -0.0, PI / 2),
         (-1.0, 0.0, -PI / 2), (-1.0, -0.0, -PI / 2), (INF, 1.0, PI / 2), (-INF, 1.0, -PI / 2), (1.0, INF, 0.0), (-1.0, INF, -0.0), (1.0, -INF, PI), (-1.0, -INF, -PI), (INF, INF, PI / 4), (INF, -INF, 3 * PI / 4),
         (-INF, INF, -PI / 4), (-INF, -INF, -3 * PI / 4), (NAN, 1.0, NAN), (1.0, NAN, NAN)],
        [(1e30, 1e30), (1e-30, -1e-20)], [(1e300, 1e300), (1e-300, -1e-200)], None, None),
    "floor_divide": (
        floor_div,
        [(7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (-7.0, -2.0), (5.5, 1.25), (-5.5, 1.25), (1.0, 3.0), (100.0, 7.0), (-0.375, -0.25)],
        [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, INF, NAN), (INF, -INF, NAN), (0.0, 0.0, NAN), (-0.0, 0.0, NAN), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0),
         (1.0, 0.0, INF), (1.0, -0.0, -INF), (-1.0, 0.0, -INF), (-1.0, -0.0, INF), (1.0, INF, 0.0), (-1.0, -INF, 0.0), (6.0, 2.0, 3.0), (-6.0, 2.0, -3.0), (0.75, 0.25, 3.0), (INF, 1.0, INF), (-INF, 1.0, -INF), (INF, -2.0, -INF)],
        [(1.0, 0.1), (-1.0, 0.1), (-1e-20, 1.0), (6.0, 0.1)], [(1.0, 0.1), (-1.0, 0.1), (-1e-20, 1.0), (6.0, 0.1)], "0", "0"),
    "remainder": (
        modulo,
        [(7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (-7.0, -2.0), (5.5, 1.25), (-5.5, 1.25), (1.0, 3.0), (100.0, 7.0), (-0.375, -0.25)],
        [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, INF, NAN), (INF, -INF, NAN), (INF, 1.0, NAN), (-INF, 1.0, NAN), (0.0, 0.0, NAN), (1.0, 0.0, NAN), (-1.0, -0.0, NAN), (0.0, 2.0, 0.0), (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, -0.0),
         (1.0, INF, 1.0), (1.0, -INF, -INF), (-1.0, INF, INF), (-1.0, -INF, -1.0), (6.0, 2.0, 0.0), (-6.0, 2.0, 0.0), (6.0, -2.0, -0.0), (-1.0, 1.0, 0.0), (0.75, 0.25, 0.0)],
        [(1.0, 0.1), (-1.0, 0.1), (-1e-20, 1.0), (6.0, 0.1), (1e10, 3.0)], [(1.0, 0.1), (-1.0, 0.1), (-1e-20, 1.0), (6.0, 0.1), (1e15, 3.0)], None, None),
}
EXTREMES = {
    "maximum": (max, [(NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, NAN, NAN), (INF, NAN, NAN), (NAN, -INF, NAN), (INF, 1.0, INF), (1.0, -INF, 1.0), (INF, -INF, INF), (0.0, -0.0, 0.0), (2.0, 2.0, 2.0), (-INF, -INF, -INF)]),
    "minimum": (min, [(NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, NAN, NAN), (INF, NAN, NAN), (NAN, -INF, NAN), (INF, 1.0, 1.0), (1.0, -INF, -INF), (INF, -INF, -INF), (0.0, -0.0, 0.0), (2.0, 2.0, 2.0), (INF, INF, INF)]),
}


def divide_file():
    put("# Arithmetic of two arrays: div floor_divide remainder pow atan2 maximum minimum. Printed by math_numpy.py.")
    for op, (f, points, special, more32, more64, t32, t64) in DIVISION.items():
        put(f"\n# ---- {op} ----")
        if op in ("floor_divide", "remainder"):
            for d in INTS:
                elementwise(op, d, [(x, y, wrap(d, f(x, y))) for x, y in whole_pairs(d)])
        elementwise(op, "f32", applied(f, "f32", points), tolerance=t32)
        elementwise(op, "f32", special + applied(f, "f32", more32), tolerance=t32)
        elementwise(op, "f64", applied(f, "f64", points + more64) + special, tolerance=t64)
        for d in HALF:
            elementwise(op, d, applied(f, d, points) + special)
    put("# Between finite numbers and infinities of the other sign: as div, where Python has -1.")
    put("floor_divide [1 -1 inf] [-inf inf 1] = [-0 -0 inf] ~ 0 signed\nfloor_divide f64[1 -1 inf] f64[-inf inf 1] = f64[-0 -0 inf] ~ 0 signed")
    for op, (f, special) in EXTREMES.items():
        put(f"\n# ---- {op} ----")
        for d in INTS:
            elementwise(op, d, [(x, y, f(x, y)) for x, y in whole_pairs(d)])
        points = [(7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (-7.0, -2.0), (5.5, 1.25), (-5.5, 1.25), (1.0, 3.0), (0.0, 7.0), (-0.375, -0.25)]
        for d in FLOATS:
            near = (1.0, 1.0 + 2.0 ** (1 - FORM[d][0]))
            if d == "f32":
                elementwise(op, d, applied(f, d, points), tolerance="0")
                elementwise(op, d, special + applied(f, d, [near, near[::-1]]), tolerance="0")
            else:
                elementwise(op, d, applied(f, d, points + [near, near[::-1]]) + special, tolerance="0")
    put("\n# ---- broadcasting, 0-d, empty, many axes ----")
    put("div [[1] [2]] [1 2 4] = [[1 0.5 0.25] [2 1 0.5]]\ndiv [1 2 4] [[1] [2]] = [[1 2 4] [0.5 1 2]]\npow f64[[2] [3]] f64[1 2 3] = f64[[2 4 8] [3 9 27]]")
    put("floor_divide i32[[7] [-7]] i32[2 -3 0] = i32[[3 -3 0] [-4 2 0]]\nremainder i64[[7] [-7]] i64[2 -3 0] = i64[[1 -2 0] [1 -1 0]]\nremainder [[7.5] [-7.5]] [2 -4] = [[1.5 -0.5] [0.5 -3.5]] ~ 0")
    put("maximum [[1] [2]] [0.5 1.5 4] = [[1 1.5 4] [2 2 4]]")
    nine = (2, 1, 1, 2, 1, 1, 1, 1, 2)
    elementwise("remainder", "i16", [(k, 3, k % 3) for k in range(-4, 4)], shape=nine)
    put("maximum f32(2,1,1,2,1,1,1,1,2)[1 2 3 4 5 6 7 8] f32(1,1,1,1,1,1,1,1,2)[2.5 5.5] = f32(2,1,1,2,1,1,1,1,2)[2.5 5.5 3 5.5 5 6 7 8]")
    put("div f32{1} f32{4} = f32{0.25}\npow f64{2} f64{0.5} = f64{1.4142135623730951}\nfloor_divide i8{-7} i8{2} = i8{-4}")
    put("div f32(0)[] f32(0)[] = f32(0)[]\nremainder i32(2,0)[] i32(0)[] = i32(2,0)[]")
    put("\n# ---- weak numbers, promotion, errors ----")
    put("div [1 -3 4] 2 = [0.5 -1.5 2] ~ 0\ndiv 1 [2 4 -8] = [0.5 0.25 -0.125] ~ 0\ndiv 1 4 = f32{0.25}\npow 2 f64[1 0.5 3] = f64[2 1.4142135623730951 8]\npow f16[1.5 2 3] 2 = f16[2.25 4 9] ~ 0")
    put("floor_divide i32[7 -7 0] 2 = i32[3 -4 0]\nremainder u8[200 7 0] 7 = u8[4 0 0]\nfloor_divide 100 i8[7 -7 0] = i8[14 -15 0]\nmaximum i8[1 -2 3] 0 = i8[1 0 3]\nminimum u64[18446744073709551615 1] 9007199254740992 = u64[9007199254740992 1]")
    put("div i32[1 3] [2 4] = [0.5 0.75]\ndiv bool[1 0] f64[4 4] = f64[0.25 0]\nfloor_divide u8[200 7] i8[-3 2] = i16[-67 3]\nmaximum bool[1 0] i8[-2 3] = i8[1 3]\nmaximum f16[1 2.5] bf16[3 2] = [3 2.5]\nminimum u32[4294967295 1] i8[-1 3] = i64[-1 1]")
    fails("DTYPE", "div i32[1] i32[2]", "div u8[1] 2", "pow bool[1] bool[1]", "atan2 i8[1] i8[2]", "div bool[1] bool[1]", "floor_divide bool[1] bool[1]", "maximum bool[1] bool[0]", "remainder i64[1] u64[1]",
          "maximum u64[1] i8[1]", "floor_divide i32[1] 0.5", "maximum u8[1] -1", "minimum i8[1] 128")
    fails("SHAPE", "div [1 2] [1 2 3]", "pow [1 2] [1 2 3]", "floor_divide i8[1 2] i8[1 2 3]", "maximum f32(0)[] [1 2]", "atan2 [[1 2] [3 4]] [1 2 3]")
    fails("ARG", "div [1]", "remainder [1] [2] [3]", "maximum [1] [2] axes=0")
    fails("NULL", "div null [1]", "minimum [1] null")


# ---- compare: questions ----

QUESTIONS = {"equal": lambda x, y: x == y, "not_equal": lambda x, y: x != y, "less": lambda x, y: x < y, "less_equal": lambda x, y: x <= y, "greater": lambda x, y: x > y, "greater_equal": lambda x, y: x >= y}


def close_pairs(d):
    if d == "bool":
        return [(0, 0), (0, 1), (1, 0), (1, 1)]
    if d in FORM:
        step = 1.0 + 2.0 ** (1 - FORM[d][0])
        return [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (-0.0, 0.0), (NAN, 1.0), (1.0, NAN), (NAN, NAN), (INF, INF), (-INF, INF), (INF, 1.0), (-1.0, -1.5), (1.0, step), (step, 1.0), (NAN, INF)]
    low, high = bounds(d)
    pairs = [(1, 2), (2, 1), (2, 2), (0, high), (high, 0), (high, high - 1), (high - 1, high), (high, high), (low, high), (high // 2, high // 2 + 1), (high // 2 + 1, high // 2)]
    if low:
        pairs += [(low, low + 1), (low + 1, low), (low, low), (-1, 1), (1, -1), (-1, 0)]
    if d in ("i64", "u64"):
        pairs += [(2**53, 2**53 + 1), (2**53 + 1, 2**53), (2**60 + 1, 2**60)]
    return pairs


def truth_points(d):
    if d == "bool":
        return [1, 0, 0, 1, 1]
    if d in FORM:
        return [0.0, 1.0, -0.0, NAN, INF, -2.0, 0.0, 0.5, S]
    low, high = bounds(d)
    return [0, 1, high, 0, 2, low, 0, high - 1]


def compare_file():
    put("# Questions, whose results are bool: comparisons, isnan isinf isfinite, logic. Printed by math_numpy.py.")
    for op, f in QUESTIONS.items():
        put(f"\n# ---- {op} ----")
        for d in ANY if "equal" in (op, op[4:]) else REAL:
            elementwise(op, d, [(x, y, f(x, y)) for x, y in close_pairs(d)], out="bool")
    for op, f in {"isnan": lambda x: x != x, "isinf": lambda x: abs(x) == INF, "isfinite": lambda x: abs(x) < INF}.items():
        put(f"\n# ---- {op} ----")
        for d in FLOATS + {"isnan": SIGNED, "isinf": UNSIGNED}.get(op, INTS):
            most = float((2 - mp.ldexp(1, 1 - FORM[d][0])) * mp.ldexp(1, FORM[d][2])) if d in FORM else 0
            points = [0.0, NAN, INF, -INF, 1.0, -0.0, most, -most, -NAN] if d in FORM else whole_points(d)
            elementwise(op, d, [(v, f(v)) for v in points], out="bool")
        fails("DTYPE", f"{op} bool[1]")
    put("\n# ---- logic: what is not zero is true, NaN too ----")
    for d in ("bool", "i8", "u64", "f16", "f64"):
        elementwise("logical_not", d, [(v, v == 0) for v in truth_points(d)], out="bool")
    pairs = [("bool", "bool"), ("bool", "i8"), ("u8", "i16"), ("u16", "i32"), ("u32", "i64"), ("u64", "f16"), ("bf16", "f32"), ("f64", "bool")]
    for k, (op, f) in enumerate({"logical_and": lambda x, y: x and y, "logical_or": lambda x, y: x or y, "logical_xor": lambda x, y: x != y}.items()):
        for d, e in pairs[:1] + pairs[1 + k :: 3]:
            x, y = full(d, truth_points(d), (11,)), full(e, truth_points(e)[::-1], (11,))
            case(op, [array(d, x), array(e, y)], array("bool", [f(a != 0, b != 0) for a, b in zip(x, y)]))
    put("\n# ---- broadcasting, 0-d, empty, many axes ----")
    put("less i32[[1] [2]] i32[1 2 3] = bool[[0 1 1] [0 0 1]]\nlogical_or bool[[1] [0]] [1 0 2] = bool[[1 1 1] [1 0 1]]")
    put("less f32(2,1,1,2,1,1,1,1,2)[1 2 3 4 5 6 7 8] f32(1,1,1,1,1,1,1,1,2)[3 6] = bool(2,1,1,2,1,1,1,1,2)[1 1 0 1 0 0 0 0]\nisfinite f32(2,1,1,2,1,1,1,1,2)[1 nan 3 inf 5 -inf 7 8] = bool(2,1,1,2,1,1,1,1,2)[1 0 1 0 1 0 1 1]")
    put("equal f32{1} f32{1} = bool{1}\nnot_equal bool{1} bool{0} = bool{1}\nisnan f32{nan} = bool{1}\nlogical_or bool{0} bool{1} = bool{1}")
    put("equal f32(0)[] f32(0)[] = bool(0)[]\ngreater i8(2,0)[] i8{1} = bool(2,0)[]\nisnan f64(0,3)[] = bool(0,3)[]")
    put("\n# ---- weak numbers, promotion, errors ----")
    put("less [1 2 nan] 2 = bool[1 0 0]\ngreater_equal u8[255 254] 255 = bool[1 0]\nequal u64[9007199254740992 9007199254740993] 9007199254740992 = bool[1 0]\nequal bool[1 0] 1 = bool[1 0]\nnot_equal bool[1 0] 0 = bool[1 0]\nless 1 2 = bool{1}\nequal [1 2] nan = bool[0 0]")
    put("logical_and [1 0 nan] 1 = bool[1 0 1]\nlogical_or [1 0 2] 0 = bool[1 0 1]\nlogical_xor bool[1 0] 1 = bool[0 1]")
    put("equal i8[-1 1] u8[255 1] = bool[0 1]\nless u32[4294967295 1] i8[-1 3] = bool[0 1]\ngreater i32[16777217 1] f64[16777216 1] = bool[1 0]\nequal bool[1 0] i32[1 2] = bool[1 0]\nequal f16[1 2.5] bf16[1 2] = bool[1 0]")
    fails("DTYPE", "less bool[1] bool[0]", "equal i64[1] u64[1]", "less u64[1] i8[1]", "less i32[1] 0.5", "equal u8[1] 300", "equal bool[1] 2")
    fails("SHAPE", "equal [1 2] [1 2 3]", "logical_and bool[1 0] bool[1 0 1]")
    fails("ARG", "equal [1]", "isnan [1] [2]", "logical_not", "less [1] [2] axes=0")
    fails("NULL", "equal null [1]", "isnan null", "logical_or [1] null", "logical_not null")


# ---- reductions ----


def along(values, shape, axes, f, keep=False):
    """f of the list of elements over axes, and the shape of the result."""
    a = np.empty(len(values), object)
    a[:] = values
    a = a.reshape(shape)
    rest = [k for k in range(len(shape)) if k not in axes]
    moved = a.transpose(rest + list(axes)).reshape([shape[k] for k in rest] + [-1] if rest else [-1])
    out = [f(list(moved[i])) for i in np.ndindex(*[shape[k] for k in rest])]
    return out, tuple(1 if k in axes else shape[k] for k in range(len(shape)) if keep or k not in axes)


def reduction(op, d, values, shape, f, axes=None, keep=False, options="", out=None, tolerance=None):
    every = tuple(range(len(shape)))
    at = every if axes is None else tuple(k % len(shape) for k in axes)
    result, to = along([exact(v) for v in full(d, values, shape)], shape, sorted(at), f, keep)
    words = ([] if axes is None else ["axes=" + ",".join(map(str, axes))]) + (["keepdims"] if keep else []) + ([options] if options else [])
    case(op, [array(d, values, shape)], array(out or d, result, to), " ".join(words), tolerance=tolerance, dtype=out or d)


def sum_dtype(d):
    return d if d in FORM else "u64" if d in UNSIGNED else "i64"


def product(d):
    def of(values):
        p = mp.mpf(1) if d in FORM else 1
        for v in values:
            p *= v
        return p if d in FORM else wrap(sum_dtype(d), p)
    return of


DISTINCT = [3.5, -2.0, 0.25, 7.0, -0.5, 1.5, 6.0, -4.0]


def extreme_file():
    put("# Extremes and other reductions: max min prod any all. Printed by math_numpy.py.")
    for op, f in {"max": max, "min": min}.items():
        put(f"\n# ---- {op} ----")
        for d in INTS:
            low, high = bounds(d)
            extreme = high if op == "max" else low
            values = [3, 100, 1, 7, 5, 0, 90, 50] if low == 0 else [3, -100, 1, 7, -5, 0, 90, -50]
            values = values * 9 + [extreme, 5 if op == "min" else 1]
            reduction(op, d, values, (2, 37), f, axes=(1,))
        for d in FLOATS:
            reduction(op, d, [3.0, -100.0, INF if op == "min" else -INF, 7.0, -5.0, 0.5, 90.0, -50.0, 1.5], (2, 37), f, axes=(1,), tolerance="0")
        reduction(op, "f32", [3.0, -100.0, INF if op == "min" else -INF, 7.0, -5.0], (37, 2), f, axes=(0,), tolerance="0")
        reduction(op, "u64", [2**53 + 1, 2**63 + 1, 2**53, 2**63, 2**64 - 1, 2**64 - 2, 0, 1], (4, 2), f, axes=(1,))
        reduction(op, "i64", [2**53 + 1, 2**53, -(2**53) - 1, -(2**53), -(2**63), 2**63 - 1, -(2**63), -(2**63) + 1], (4, 2), f, axes=(1,))
        for axes, keep in ((None, False), ((0,), False), ((-1,), True)):
            reduction(op, "f32", DISTINCT, (2, 4), f, axes=axes, keep=keep, tolerance="0")
        reduction(op, "f32", DISTINCT, (2, 1, 1, 2, 1, 1, 1, 1, 2), f, axes=(0, 8), tolerance="0")
        put(f"{op} [[1 nan 3] [4 5 inf] [-inf -inf -inf] [inf nan -inf]] axes=1 = [nan {'inf' if op == 'max' else '4'} -inf nan]")
        put(f"{op} f64[[1 nan 3] [4 5 inf] [-inf -inf -inf] [inf nan -inf]] axes=0 = f64[{'inf nan inf' if op == 'max' else '-inf nan -inf'}]")
        put(f"{op} f16[1 nan 3 inf] = f16{{nan}}\n{op} f32{{5}} = f32{{5}}\n{op} i8[5 -7] axes= = i8[5 -7]\n{op} f32(0,3)[] axes=1 = f32(0)[]")
        fails("SHAPE", f"{op} f32(0)[]", f"{op} f32(0,3)[] axes=0", f"{op} i64(2,0)[] axes=1 keepdims")
        fails("DTYPE", f"{op} bool[1 0]")
        fails("ARG", f"{op} [1 2] axes=1", f"{op} [[1 2]] axes=0,-2")
        fails("NULL", f"{op} null")
    put("\n# ---- prod ----")
    for d in ("bool", "i8", "i32", "u16", "f16", "bf16", "f32", "f64"):
        values = [1, 1, 1, 1, 1, 0, 1, 1] if d == "bool" else [1.5, -2.0, 0.25, 7.0, -0.5, 1.5, 3.0, -4.0] if d in FORM else [100, 90, 3, 100, 7, 0, 1, 2] if d in UNSIGNED else [100, -90, 3, 100, 7, 0, -1, 2]
        reduction("prod", d, values, (2, 4), product(d), axes=(1,), out=sum_dtype(d))
    reduction("prod", "i64", [2**32, 2**31, 3, -(2**32), 2**31, 5], (2, 3), product("i64"), axes=(1,))
    reduction("prod", "u64", [2**32, 2**31, 3, 2**53 + 1, 3, 5], (2, 3), product("u64"), axes=(1,))
    reduction("prod", "f64", [1.5, -2.0, 0.0, 7.0, -0.5], (5,), product("f64"), tolerance="1e-15")
    reduction("prod", "f32", [1.5, 2.0, 0.5, 1.25, -1.0, 0.75, -2.0], (7, 2), product("f32"), axes=(0,), keep=True)
    reduction("prod", "f32", DISTINCT, (2, 1, 1, 2, 1, 1, 1, 1, 2), product("f32"), axes=(0, 8))
    reduction("prod", "f16", [300.0, 300.0, 2.0**-10, 2.0**-6], (4,), product("f16"))
    put("prod f64[[1 nan] [2 3]] axes=1 = f64[nan 6]\nprod f32{5} = f32{5}\nprod f32(0)[] = f32{1}\nprod i8(0,2)[] axes=0 = i64[1 1]\nprod i32[[1 2] [3 4]] axes= = i64[[1 2] [3 4]]")
    fails("ARG", "prod [1 2] axes=1", "prod [1 2] axes=0,0")
    fails("NULL", "prod null")
    for op, f in {"any": lambda vs: any(v != 0 for v in vs), "all": lambda vs: all(v != 0 for v in vs)}.items():
        put(f"\n# ---- {op} ----")
        for d in ("bool", "i16", "u64", "bf16", "f32", "f64"):
            values = [0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1] if d == "bool" else [0.0, -0.0, 0.0, -0.0, 0.0, S, 0.0, 0.0, 1.0, NAN, INF, -2.0] if d in FORM else [0, 0, 0, 0, 0, bounds(d)[1], bounds(d)[0], 0, bounds(d)[1], 1, 2, bounds(d)[1] // 2 + 1]
            reduction(op, d, values, (3, 4), f, axes=(1,), out="bool")
        reduction(op, "bool", [1, 0, 1, 1, 0, 1, 0, 0], (2, 1, 1, 2, 1, 1, 1, 1, 2), f, axes=(0, 3))
        reduction(op, "u8", [128, 0, 64] * 100, (300,), f, out="bool")
        one = int(op == "all")
        put(f"{op} i8{{3}} = bool{{1}}\n{op} bool(0)[] = bool{{{one}}}\n{op} f32(0,2)[] axes=0 = bool[{one} {one}]\n{op} [[1 0] [3 4]] keepdims = bool[[{1 - one}]]")
        fails("ARG", f"{op} bool[1 0] axes=1")


def running(values, reverse):
    out, total = [], mp.mpf(0) if isinstance(values[0], mp.mpf) else 0
    for v in values[::-1] if reverse else values:
        total += v
        out.append(total)
    return out[::-1] if reverse else out


def scan(op, d, values, shape, axis, f, options="", out=None, tolerance=None):
    """f maps the list along an axis to a list."""
    a = np.empty(int(np.prod(shape)), object)
    a[:] = [exact(v) for v in full(d, values, shape)]
    a = np.moveaxis(a.reshape(shape), axis, -1)
    z = np.empty(a.shape, object)
    for i in np.ndindex(*a.shape[:-1]):
        z[i] = f(list(a[i]))
    result = list(np.moveaxis(z, -1, axis).ravel())
    out = out or d
    result = [r if out in FORM else wrap(out, r) for r in result]
    case(op, [array(d, values, shape)], array(out, result, shape), f"axis={axis}" + (f" {options}" if options else ""), tolerance=tolerance, dtype=out)


def log_sum_exp(vs):
    return mp.log(sum(mp.exp(v) for v in vs))


def variance(vs, correction=0):
    m = sum(vs) / len(vs)
    return sum((v - m) ** 2 for v in vs) / (len(vs) - correction)


def running_file():
    put("# Running sums and what is made of sums: cumulative_sum var std logsumexp softmax log_softmax. Printed by math_numpy.py.")
    put("\n# ---- cumulative_sum: small integers become int64 or uint64 ----")
    for d in REAL:
        low, high = (None, None) if d in FORM else bounds(d)
        values = DISTINCT if d in FORM else [high, high, 1, 2, 3, 0, low, high - 1]
        scan("cumulative_sum", d, values, (2, 4), 1, lambda vs: running(vs, False), out=sum_dtype(d))
        if d in ("i8", "i64", "u16", "bf16", "f32"):
            scan("cumulative_sum", d, values, (2, 4), 0, lambda vs: running(vs, True), "reverse", out=sum_dtype(d))
    scan("cumulative_sum", "i64", [2**53, 1, 1, 2**62, 2**62, -5], (6,), 0, lambda vs: running(vs, False))
    scan("cumulative_sum", "i32", [7, -3], (2, 35), -1, lambda vs: running(vs, False), out="i64")
    scan("cumulative_sum", "f32", [0.5, 0.25, -1.0], (70,), 0, lambda vs: running(vs, False))
    scan("cumulative_sum", "f64", DISTINCT, (2, 1, 1, 2, 1, 1, 1, 1, 2), 3, lambda vs: running(vs, True), "reverse=1")
    put("# Half precision accumulates in float32, each result is rounded once.")
    scan("cumulative_sum", "f16", [2048.0, 1.0, 1.0, 1.0, 1.0, 1.0], (6,), 0, lambda vs: running(vs, False), tolerance="0")
    scan("cumulative_sum", "bf16", [256.0, 1.0, 1.0, 1.0, 1.0, 1.0], (6,), 0, lambda vs: running(vs, False), tolerance="0")
    scan("cumulative_sum", "f16", [1.0, 1.0, 1.0, 1.0, 1.0, 2048.0], (6,), 0, lambda vs: running(vs, True), "reverse", tolerance="0")
    put("cumulative_sum [1 inf 2 -inf 3] axis=0 = [1 inf inf nan nan]\ncumulative_sum f64[1 nan 2] axis=0 reverse = f64[nan nan 2]\ncumulative_sum f32(0)[] axis=0 = f32(0)[]\ncumulative_sum i8(0,2)[] axis=-2 reverse = i64(0,2)[]")
    fails("DTYPE", "cumulative_sum bool[1 0] axis=0")
    fails("ARG", "cumulative_sum [1 2]", "cumulative_sum [1 2] axis=1", "cumulative_sum [1 2] axis=-2", "cumulative_sum f32{1} axis=0", "cumulative_sum 1 axis=0", "cumulative_sum [1 2] axis=0.5", "cumulative_sum [1] axis=0 reverse=0.5")
    fails("NULL", "cumulative_sum null axis=0")

    std = lambda vs: mp.sqrt(variance(vs))  # noqa: E731
    for op, f in {"var": variance, "std": std}.items():
        put(f"\n# ---- {op} ----")
        for d in FLOATS:
            reduction(op, d, DISTINCT, (2, 4), f, axes=(1,))
        g = (lambda vs: variance(vs, 1)) if op == "var" else (lambda vs: mp.sqrt(variance(vs, 1)))
        h = (lambda vs: variance(vs, mp.mpf("0.5"))) if op == "var" else (lambda vs: mp.sqrt(variance(vs, mp.mpf("0.5"))))
        reduction(op, "f32", DISTINCT, (2, 4), g, options="correction=1")
        reduction(op, "f64", DISTINCT, (2, 4), h, axes=(0,), keep=True, options="correction=0.5")
        near = [4096.25, 4096.5, 4095.0, 4097.0]  # far from 0, without derivatives
        put(f"{op} {array('f32', near + [1.0, NAN, 2.0, 3.0], (2, 4))} axes=1 = {array('f32', [f([exact(v) for v in near]), NAN])} ~ 1e-5 rel")
        reduction(op, "f64", DISTINCT, (2, 1, 1, 2, 1, 1, 1, 1, 2), f, axes=(0, 8))
        reduction(op, "f16", [300.0, -300.0, 100.0, 200.0] if op == "std" else [100.0, -100.0, 50.0, 20.0], (4,), f)
        put(f"{op} f64[1 inf 3] = f64{{nan}}\n{op} f32(0)[] = f32{{nan}}\n{op} f32(2,0)[] axes=0 = f32(0)[]")
        fails("DTYPE", f"{op} i32[1 2]")
        fails("ARG", f"{op} [1 2] axes=1", f"{op} [1 2] correction=x")
    put("var f32{3} = f32{0}\nvar [1 2 5] axes= = [0 0 0]")

    put("\n# ---- logsumexp ----")
    for d in FLOATS:
        reduction("logsumexp", d, DISTINCT, (2, 4), log_sum_exp, axes=(1,))
    reduction("logsumexp", "f64", DISTINCT, (2, 4), log_sum_exp, axes=(0,), keep=True)
    reduction("logsumexp", "f32", [100.0, 101.0, 99.5, -100.0, -101.0, -99.0], (2, 3), log_sum_exp, axes=(-1,))
    reduction("logsumexp", "f32", DISTINCT, (2, 1, 1, 2, 1, 1, 1, 1, 2), log_sum_exp, axes=(0, 8))
    put("logsumexp [[1 -inf -inf] [-inf -inf -inf] [1 inf 2] [nan 1 2]] axes=1 = [1 -inf inf nan]\nlogsumexp f64[1000 -inf 1000] = f64{1000.6931471805599}\nlogsumexp f16[1000 -inf 1000] = f16{1000.5} ~ 0\nlogsumexp f32{2.5} = f32{2.5}\nlogsumexp f32(0)[] = f32{-inf}\nlogsumexp f64(0,2)[] axes=0 = f64[-inf -inf]")
    fails("DTYPE", "logsumexp i32[1 2]")
    fails("ARG", "logsumexp [1 2] axes=1")
    fails("NULL", "logsumexp null")

    soft = lambda vs: [mp.exp(v - log_sum_exp(vs)) for v in vs]  # noqa: E731
    log_soft = lambda vs: [v - log_sum_exp(vs) for v in vs]  # noqa: E731
    for op, f in {"softmax": soft, "log_softmax": log_soft}.items():
        put(f"\n# ---- {op} ----")
        rel = " rel" if op == "softmax" else ""  # a logarithm near 0 is a difference
        loose = {"f16": "1e-3", "bf16": "8e-3", "f32": "2e-6" + rel, "f64": "8e-15" + rel}
        for d in FLOATS:
            scan(op, d, DISTINCT, (2, 4), 1, f, tolerance=loose[d])
        scan(op, "f64", DISTINCT, (2, 4), 0, f, tolerance=loose["f64"])
        scan(op, "f32", [100.0, 101.0, 99.5, -100.0, -101.0, -99.0], (2, 3), -1, f, tolerance="5e-6 rel")
        scan(op, "f32", DISTINCT, (2, 1, 1, 2, 1, 1, 1, 1, 2), 3, f, tolerance=loose["f32"])
        put(f"{op} f32(2,0)[] axis=1 = f32(2,0)[]\n{op} f64(0,2)[] axis=1 = f64(0,2)[]\n{op} [1 nan 2] axis=0 = [nan nan nan]")
        fails("DTYPE", f"{op} i32[1 2] axis=0")
        fails("ARG", f"{op} [1 2]", f"{op} [1 2] axis=1", f"{op} f32{{1}} axis=0")
        fails("NULL", f"{op} null axis=0")
    put("softmax [-inf 0 -inf 0] axis=0 = [0 0.5 0 0.5]\nsoftmax f64[1e4 1e4 -inf -1e4] axis=0 = f64[0.5 0.5 0 0]\nlog_softmax [-inf 0 -inf 0] axis=0 = [-inf -0.69314718 -inf -0.69314718]\nlog_softmax f64[1e4 -inf -1e4] axis=0 = f64[0 -inf -2e4]")


# ---- where and clip ----


def some(d, n):
    """n numbers of the dtype, large ones too."""
    if d == "bool":
        return [k * k % 3 == 1 for k in range(n)]
    if d in FORM:
        return [(-1) ** k * (k + 0.5) / 4 for k in range(n)]
    low, high = bounds(d)
    return [high - k if k % 2 else low + 3 * k for k in range(n)]


def where_file():
    put("# Choices: where clip. Printed by math_numpy.py.")
    put("\n# ---- where ----")
    for d in ANY:
        x, y, c = some(d, 8), some(d, 16)[8:], [1, 0, 0, 1, 1, 0, 1, 0]
        inputs = [array("bool", c, (LONG,)), array(d, x, (LONG,)), array(d, y, (LONG,))]
        case("where", inputs, array(d, [a if t else b for t, a, b in zip(c, x, y)], (LONG,)), tolerance="0" if d in FORM else "")
    put("where bool[1 0 1 0] [1 nan -0 inf] [nan 2 inf -inf] = [1 2 -0 -inf]\nwhere bool[1 0 0 1] f64[inf nan nan nan] f64[nan 1 -0 3] = f64[inf 1 -0 nan]")
    put("where bool[[1] [0]] [1 2 3] [[10] [20]] = [[1 2 3] [20 20 20]]\nwhere bool{1} [1 2] [[3 4] [5 6]] = [[1 2] [1 2]]\nwhere bool{0} f32{1} f32{2} = f32{2}\nwhere bool(2,1,1,2,1,1,1,1,1)[1 0 0 1] f32(2,1,1,2,1,1,1,1,2)[1 2 3 4 5 6 7 8] f32(2)[-1 -2] = f32(2,1,1,2,1,1,1,1,2)[1 2 -1 -2 -1 -2 7 8]\nwhere bool(0)[] [1] [2] = f32(0)[]\nwhere bool{1} i32(2,0)[] i32{1} = i32(2,0)[]")
    put("where bool[1 0] [1 2] 0 = [1 0]\nwhere bool[1 0] 1 f64[3 4] = f64[1 4]\nwhere bool[1 0] 1 2 = [1 2]\nwhere bool[1 0] i8[1 2] -128 = i8[1 -128]\nwhere bool[1 0] bool[0 1] 1 = bool[0 1]\nwhere 1 [1 2] [3 4] = [1 2]\nwhere i8[0 2 -1] [1 2 3] [4 5 6] = [4 2 3]")
    put("where bool[1 0] i8[1 2] u8[3 255] = i16[1 255]\nwhere bool[1 0] i32[1 2] [3 4.5] = [1 4.5]\nwhere bool[1 0] f16[1 2] bf16[3 4] = [1 4]\nwhere bool[1 0] bool[1 1] i8[-3 -4] = i8[1 -4]")
    fails("DTYPE", "where bool[1] i64[1] u64[1]", "where bool[1] i8[1] 0.5", "where bool[1] 300 u8[1]", "where 2 [1] [2]")
    fails("SHAPE", "where bool[1 0] [1 2 3] [1 2 3]", "where bool[1 0 1] [1 2 3] [1 2]", "where bool{1} [1 2] [1 2 3]")
    fails("ARG", "where bool[1] [1]", "where bool[1] [1] [2] [3]", "where bool[1] [1] [2] axis=0")
    fails("NULL", "where null [1] [2]", "where bool[1] [1] null")
    put("\n# ---- clip ----")
    for d in ("i8", "i32", "u8", "u64", "f16", "bf16", "f32", "f64"):
        if d in FORM:
            x, a, b = [0.5, -3.0, 7.0, 1.25, -0.75, 100.0, 2.0, -1.25, 3.5], [-1.0, -2.0], [3.0, 1.0, 2.5]
        else:
            low, high = bounds(d)
            x, a, b = [0, 1, high, low, 7, 100, high - 1, low + 1, 50], [5, low], [high, 60, high - 1]
        x, a, b = full(d, x, (18,)), full(d, a, (18,)), full(d, b, (18,))
        case("clip", [array(d, v) for v in (x, a, b)], array(d, [min(max(p, q), r) for p, q, r in zip(x, a, b)]), tolerance="0" if d in FORM else "")
    put("clip [nan -inf inf 0.5 -3 3] -1 2 = [nan -1 2 0.5 -1 2]\nclip f64[1 2 inf] f64[nan 0 0] f64[3 nan 3] = f64[nan nan 3]\nclip [-2.5 0.5 4] -1 2 = [-1 0.5 2]\nclip i8[-100 5 100] -7 7 = i8[-7 5 7]\nclip u64[18446744073709551615 0 9007199254740993] 1 9007199254740992 = u64[9007199254740992 1 9007199254740992]\nclip [[-3] [0.5] [9]] [-1 0] 2.5 = [[-1 0] [0.5 0.5] [2.5 2.5]]\nclip f32{5} 0 1 = f32{1}\nclip f32(0)[] 0 1 = f32(0)[]\nclip [1.5 -3] f64[-1 -1] 1 = f64[1 -1]\nclip i32[5 -5] [-1.5 -1.5] 2 = [2 -1.5]\nclip f32(2,1,1,2,1,1,1,1,2)[1 2 3 4 5 6 7 8] 2.5 5.5 = f32(2,1,1,2,1,1,1,1,2)[2.5 2.5 3 4 5 5.5 5.5 5.5]\nclip [inf -inf 0 2] -inf inf = [inf -inf 0 2]")
    fails("DTYPE", "clip bool[1] bool[0] bool[1]", "clip i8[1] 0 0.5", "clip u8[1] -1 1", "clip i64[1] u64[1] 2")
    fails("SHAPE", "clip [1 2] [1 2 3] 5", "clip [1 2] 0 [1 2 3]")
    fails("ARG", "clip [1] 0 1 2", "clip [1] min=0 max=1")
    fails("NULL", "clip null 0 1", "clip [1] 0 null")


# ---- what is made of other ops, and moves ----


def compose_file():
    put("# reciprocal softplus logaddexp hypot, flip expand_dims squeeze. Printed by math_numpy.py.")
    unary = {
        "reciprocal": (lambda x: 1 / x, [0.5, -0.25, 3.0, -7.0, 10.0, 1.5, -100.0, 0.125, 6.0], [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN), (1.0, 1.0)], [1e-30, 1e30], [1e-300, 1e300]),
        "softplus": (lambda x: mp.log1p(mp.exp(x)), [0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 5.0, S, -7.5], [(INF, INF), (-INF, 0.0), (NAN, NAN)], [0.0, 100.0, -80.0, 1e30], [0.0, 1000.0, -700.0, 1e300]),
    }
    for op, (f, points, special, more32, more64) in unary.items():
        put(f"\n# ---- {op} ----")
        elementwise(op, "f32", applied(f, "f32", points))
        elementwise(op, "f32", special + applied(f, "f32", more32))
        elementwise(op, "f64", applied(f, "f64", points + more64) + special)
        for d in HALF:
            elementwise(op, d, applied(f, d, points) + special)
        put(f"{op} f32(0)[] = f32(0)[]")
        fails("DTYPE", f"{op} i32[1]")
        fails("NULL", f"{op} null")
    put("reciprocal 4 = f32{0.25}\nsoftplus f64{1} = f64{1.3132616875182228}")
    binary = {
        "logaddexp": (lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), [(1.0, 3.0), (-2.0, 0.5), (5.0, -7.0), (0.125, 0.25), (-3.0, -3.5), (20.0, 19.0), (-100.0, -101.0), (100.0, 99.0), (7.5, 0.0)],
                      [(INF, 1.0, INF), (1.0, INF, INF), (-INF, 2.0, 2.0), (2.0, -INF, 2.0), (-INF, -INF, -INF), (INF, INF, INF), (INF, -INF, INF), (NAN, 1.0, NAN), (1.0, NAN, NAN)],
                      [(1000.0, 1000.0), (1e30, 1.0), (1.0, 1.0)], [(1000.0, 1000.0), (1e300, 1.0), (1.0, 1.0)]),
        "hypot": (lambda x, y: mp.sqrt(x * x + y * y), [(3.0, 4.0), (-5.0, 12.0), (1.0, -1.5), (0.125, 8.0), (-3.0, -7.0), (100.0, 0.5), (S, 0.25), (2.0, -9.0), (7.0, 24.0)],
                  [(INF, 1.0, INF), (1.0, -INF, INF), (INF, NAN, INF), (NAN, -INF, INF), (NAN, 1.0, NAN), (1.0, NAN, NAN), (0.0, 0.0, 0.0), (-0.0, 0.0, 0.0), (INF, -INF, INF), (0.0, -3.0, 3.0)],
                  [(3e30, 4e30), (3e-30, 4e-30), (1e30, 1e-30)], [(3e300, 4e300), (3e-300, 4e-300), (1e300, 1e-300)]),
    }
    for op, (f, points, special, more32, more64) in binary.items():
        put(f"\n# ---- {op} ----")
        elementwise(op, "f32", applied(f, "f32", points))
        elementwise(op, "f32", special + applied(f, "f32", more32))
        elementwise(op, "f64", applied(f, "f64", points + more64) + special)
        for d in HALF:
            elementwise(op, d, applied(f, d, points) + special)
        put(f"{op} f32(0)[] f32{{1}} = f32(0)[]")
        fails("DTYPE", f"{op} i32[1] i32[2]")
        fails("SHAPE", f"{op} [1 2] [1 2 3]")
        fails("NULL", f"{op} [1] null")
    put("hypot [[3] [5]] [4 12] = [[5 12.369317] [6.4031242 13]] ~ 1e-6 rel\nhypot [3 6] 4 = [5 7.2111026] ~ 1e-6 rel\nhypot i32[3 6] [4 8] = [5 10] ~ 1e-6 rel\nhypot f16[3 300] bf16[4 400] = [5 500]\nlogaddexp [1 2] 0.5 = [1.474077 2.2014133] ~ 1e-6 rel\nlogaddexp f64{1} f64{2} = f64{2.3132616875182228}")
    put("hypot f32(2,1,1,2,1,1,1,1,2)[3 6 9 12 15 18 21 24] f32(1,1,1,1,1,1,1,1,2)[4 8] = f32(2,1,1,2,1,1,1,1,2)[5 10 9.8488578 14.422205 15.524175 19.697716 21.377558 25.298221] ~ 1e-6 rel")

    put("\n# ---- flip ----")
    for d in ANY:
        a = np.empty((2, 5), object)
        a[:] = np.array(some(d, 10), object).reshape(2, 5)
        case("flip", [array(d, list(a.ravel()), (2, 5))], array(d, list(a[:, ::-1].ravel()), (2, 5)), "axes=1", tolerance="0" if d in FORM else "")
    for shape, axes in (((2, 4), (0,)), ((2, 4), (-1, 0)), ((2, 4), ()), ((2, 2, 2), (0, 2)), ((2, 1, 1, 2, 1, 1, 1, 1, 2), (0, 5, 8)), ((1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2), (1, 15))):
        a = np.array(DISTINCT).reshape(shape)
        case("flip", [array("f32", DISTINCT, shape)], array("f32", list(np.flip(a, axes).ravel()), shape), "axes=" + ",".join(map(str, axes)), tolerance="0")
    n = list(range(70))
    case("flip", [array("i32", n, (2, 35))], array("i32", [v for v in np.flip(np.array(n).reshape(2, 35), 1).ravel()], (2, 35)), "axes=-1")
    put("flip [nan -0 inf -inf 1] axes=0 = [1 -inf inf -0 nan]\nflip f32{5} axes= = f32{5}\nflip f32(0)[] axes=0 = f32(0)[]\nflip i8(2,0,3)[] axes=0,2 = i8(2,0,3)[]")
    fails("ARG", "flip [1 2]", "flip [1 2] axes=1", "flip [1 2] axes=-2", "flip [1 2] axes=0,0", "flip [[1 2]] axes=0,-2", "flip f32{1} axes=0")
    fails("NULL", "flip null axes=0")
    put("\n# ---- expand_dims, squeeze ----")
    put("expand_dims [1 2 3] axis=0 = [[1 2 3]]\nexpand_dims [1 2 3] axis=1 = [[1] [2] [3]]\nexpand_dims [1 2 3] axis=-2 = [[1 2 3]]\nexpand_dims [[1 2] [3 4]] axis=1 = f32(2,1,2)[1 2 3 4]\nexpand_dims f32{5} axis=0 = [5]\nexpand_dims f32(0)[] axis=1 = f32(0,1)[]\nexpand_dims bool[1 0] axis=0 = bool[[1 0]]\nexpand_dims u64[18446744073709551615] axis=1 = u64[[18446744073709551615]]\nexpand_dims f32(2,1,1,2,1,1,1,2)[1 2 3 4 5 6 7 8] axis=4 = f32(2,1,1,2,1,1,1,1,2)[1 2 3 4 5 6 7 8]\nexpand_dims f32(1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)[1 2] axis=15 = f32(1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1)[1 2]")
    fails("ARG", "expand_dims [1 2]", "expand_dims [1 2] axis=2", "expand_dims [1 2] axis=-3", "expand_dims f32{1} axis=1")
    fails("SHAPE", "expand_dims f32(" + ",".join(["1"] * 32) + ")[1] axis=0")
    put("squeeze [[1 2 3]] axes=0 = [1 2 3]\nsqueeze [[1] [2]] axes=-1 = [1 2]\nsqueeze f32(1,2,1)[1 2] axes=-1,0 = [1 2]\nsqueeze f32(1,2,1)[1 2] axes= = f32(1,2,1)[1 2]\nsqueeze [[5]] axes=0,1 = f32{5}\nsqueeze f32{5} axes= = f32{5}\nsqueeze f32(0,1)[] axes=1 = f32(0)[]\nsqueeze bool[[1 0]] axes=0 = bool[1 0]\nsqueeze u64[[18446744073709551615]] axes=0 = u64[18446744073709551615]\nsqueeze f32(2,1,1,2,1,1,1,1,2)[1 2 3 4 5 6 7 8] axes=1,2,4,5,6,7 = f32(2,2,2)[1 2 3 4 5 6 7 8]")
    fails("SHAPE", "squeeze [1 2] axes=0", "squeeze [[1 2]] axes=0,1", "squeeze f32(0)[] axes=0")
    fails("ARG", "squeeze [[1 2]]", "squeeze [1] axes=1", "squeeze [[1]] axes=0,0", "squeeze f32{1} axes=0")
    fails("NULL", "expand_dims null axis=0", "squeeze null axes=0")


# ---- numpy against all this ----


def check():
    with np.errstate(all="ignore"):
        for op, (f, points, special, _, more64, _) in FUNCTIONS.items():
            g = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh}.get(op) or getattr(np, op, None)
            for x, want in applied(f, "f64", points + more64) + special if g else []:
                got = float(g(np.float64(x)))
                assert np.isclose(got, float(want), rtol=1e-13, atol=0, equal_nan=True) and (want or np.signbit(got) == np.signbit(float(want))), (op, x, want, got)
        names = {"div": np.divide, "pow": np.power, "atan2": np.arctan2, "floor_divide": lambda x, y: np.where(np.isinf(x) | np.isinf(y), x / y, np.floor_divide(x, y)), "remainder": np.remainder}
        for op, (f, points, special, _, more64, _, _) in DIVISION.items():
            for x, y, want in applied(f, "f64", points + more64) + special:
                got = float(names[op](np.array([x, 1.0]), np.array([y, 3.0]))[0])  # of scalars numpy's power takes roots
                assert np.isclose(got, float(rounded("f64", want)), rtol=1e-13, atol=0, equal_nan=True) and (want or np.signbit(got) == np.signbit(float(want))), (op, x, y, want, got)
        for op, (f, special) in EXTREMES.items():
            for x, y, want in special:
                assert np.array_equal(getattr(np, op)(x, y), want, equal_nan=True), (op, x, y)


def main():
    check()
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
    files = {"math": math_file, "divide": divide_file, "compare": compare_file, "extreme": extreme_file, "running": running_file, "where": where_file, "compose": compose_file}
    for name, write in files.items():
        lines.clear()
        write()
        with open(os.path.join(folder, name + ".case"), "w", encoding="ascii") as f:
            f.write("\n".join(lines).replace("\n\n\n", "\n\n") + "\n")


main()
