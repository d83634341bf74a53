#!/usr/bin/env python3
"""Writes conformance/cases/create.case: arrays of numbers that follow from options, computed by NumPy.

Run by hand: python3 conformance/golden/create_numpy.py > conformance/cases/create.case. Errors are in create_errors.case, hand-written.
"""
import numpy as np

SHORT = {"float": "f", "uint": "u", "int": "i", "bool": "bool"}
REAL = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
ALL = ["bool"] + REAL + ["complex64", "complex128"]


def dtype_name(d):
    kind = str(d).rstrip("0123456789")
    return "c" + str(d)[len(kind):] if kind == "complex" else SHORT[kind] + str(d)[len(kind):]


def number(v):
    if isinstance(v, complex) and v.imag:
        return f"{v.real:.17g}{v.imag:+.17g}j"
    return f"{v.real:.17g}" if isinstance(v, complex) else str(int(v)) if isinstance(v, (int, bool)) else f"{v:.17g}"


def written(a):
    """An array in the notation of the case files; a text is a number without a dtype as it stands."""
    if isinstance(a, str):
        return a
    a = np.asarray(a)
    items = " ".join(number(v.item()) for v in a.reshape(-1))
    return f"{dtype_name(a.dtype)}({','.join(map(str, a.shape))})[{items}]" if a.ndim else f"{dtype_name(a.dtype)}{{{items}}}"


def case(op, inputs, options, expected):
    texts = {k: ",".join(map(str, v)) if isinstance(v, tuple) else v for k, v in options.items()}
    print(op, *map(written, inputs), *(k if v is True else f"{k}={v}" for k, v in texts.items()), "=", written(expected))


print("# Written by create_numpy.py.")
for op, make in ("zeros", np.zeros), ("ones", np.ones):
    print(f"\n# ---- {op}, {op}_like ----")
    case(op, [], {"shape": (3,)}, make(3, "float32"))
    for shape in (), (0,), (2, 3), (2, 0, 3), (1, 1, 1, 1, 2):
        case(op, [], {"shape": shape, "dtype": "float64"}, make(shape))
    for d in ALL:
        case(op, [], {"shape": (2, 2), "dtype": d}, make((2, 2), d))
        case(op + "_like", [np.array([[1, 0], [0, 1]], d)], {}, make((2, 2), d))
    case(op + "_like", [np.float32(np.nan)], {}, make((), "float32"))
    case(op + "_like", [np.zeros((0, 2), "float32")], {}, make((0, 2), "float32"))

print("\n# ---- full, full_like ----")
for d in ALL:
    case("full", ["1"], {"shape": (3,), "dtype": d}, np.full(3, 1, d))
    case("full", ["1i"], {"shape": (3,), "dtype": d}, np.full(3, 1, d))
    case("full_like", [np.zeros((2, 2), d), "1"], {}, np.full((2, 2), 1, d))
for value in "-2.5", "inf", "-inf", "nan", "-0", "1e-300", "0.1":
    for d in "float32", "float64", "float16":
        case("full", [value], {"shape": (2,), "dtype": d}, np.full(2, float(value), d))
for d in "int8", "int16", "int32", "uint8", "uint16", "uint32":
    for value in np.iinfo(d).min, np.iinfo(d).max:
        case("full", [str(value)], {"shape": (2,), "dtype": d}, np.full(2, value, d))
for d in REAL[:8]:
    for value in np.iinfo(d).min, np.iinfo(d).max:
        case("full", [f"{value}i"], {"shape": (2,), "dtype": d}, np.full(2, value, d))
        case("full_like", [np.zeros(2, d), f"{value}i"], {}, np.full(2, value, d))
for d in "int64", "uint64", "float64", "float32":
    for value in 2**53 + 1, 2**60 + 2**36 + 1, 2**63 - 1:
        case("full", [f"{value}i"], {"shape": (2,), "dtype": d}, np.full(2, value, d))
for d in "complex64", "complex128":
    case("full", ["1.5-2j"], {"shape": (2,), "dtype": d}, np.full(2, 1.5 - 2j, d))
    case("full", ["3i"], {"shape": (2,), "dtype": d}, np.full(2, 3, d))
    case("full_like", [np.zeros((2, 1), d), "-0.5+0.25j"], {}, np.full((2, 1), -.5 + .25j, d))
case("full", ["7"], {"shape": (), "dtype": "int64"}, np.full((), 7, "int64"))
case("full", ["7"], {"shape": (0, 4)}, np.full((0, 4), 7, "float32"))
case("full", [np.array([1, 2], "int64")], {"shape": (2, 2), "dtype": "float64"}, np.full((2, 2), [1, 2], "float64"))
case("full", [np.float64(-2.75)], {"shape": (2,), "dtype": "int8"}, np.array([-2, -2], "int8"))
case("full_like", [np.zeros((2, 2), "float32"), np.array([[3], [4]], "float64")], {}, np.array([[3, 3], [4, 4]], "float32"))

print("\n# ---- arange ----")
for d in REAL + ["complex64"]:
    case("arange", [], {"start": 0, "stop": 5, "dtype": d}, np.arange(0, 5, dtype=d))
    case("arange", [], {"start": 9, "stop": 1, "step": -3, "dtype": d}, np.array([9, 6, 3], d))
for start, stop, step in (0, 1, .1), (1, 0, -.25), (-1, 1, .3), (5, 5, 1), (5, 4, 1), (0, 1e6, 2.5e5), (.1, .35, .1):
    count = max(0, int(np.ceil((stop - start) / step)))
    exact = np.array([start + k * step for k in range(count)], "float64")
    case("arange", [], {"start": start, "stop": stop, "step": step, "dtype": "float64"}, exact)
    case("arange", [], {"start": start, "stop": stop, "step": step}, exact.astype("float32"))
for start, stop, step in (2**60, 2**60 + 3, 1), (-2**63, -2**63 + 7, 3), (2**63 - 1, -2**63, -2**62), (2**53 + 1, 2**53 + 2, 1), (3, 3, -1):
    case("arange", [], {"start": start, "stop": stop, "step": step, "dtype": "int64"}, np.array(range(start, stop, step), "int64"))
case("arange", [], {"start": 2**63 - 2, "stop": 2**63 - 1, "dtype": "uint64"}, np.array([2**63 - 2], "uint64"))
case("arange", [], {"start": 2**60, "stop": 2**60 + 3, "dtype": "float64"}, np.array([2.**60] * 3))
case("arange", [], {"start": 0, "stop": 2, "step": .5, "dtype": "int32"}, np.array([0, 0, 1, 1], "int32"))
case("arange", [], {"start": -128, "stop": 128, "step": 51, "dtype": "int8"}, np.array([-128, -77, -26, 25, 76, 127], "int8"))

print("\n# ---- linspace ----")
for start, stop, n in (0, 1, 5), (0, 1, 3), (3, 9, 1), (2, 2, 3), (5, -5, 11), (0, 1, 0), (.1, .7, 10), (-1e30, 1e30, 5):
    for d in "float32", "float64":
        case("linspace", [], {"start": start, "stop": stop, "n": n, "dtype": d}, np.linspace(start, stop, n, dtype=d))
        case("linspace", [], {"start": start, "stop": stop, "n": n, "dtype": d, "no_endpoint": True}, np.linspace(start, stop, n, endpoint=False, dtype=d))
case("linspace", [], {"start": -1, "stop": 1, "n": 9, "dtype": "float16"}, np.linspace(-1, 1, 9, dtype="float16"))

print("\n# ---- eye ----")
for d in ALL:
    case("eye", [], {"rows": 2, "columns": 2, "dtype": d}, np.eye(2, dtype=d))
for rows, columns, k in (3, 3, 0), (2, 4, 1), (4, 2, -2), (3, 3, 3), (3, 3, -3), (3, 2, 1), (0, 3, 0), (3, 0, 0), (3, 3, 100), (3, 3, -100):
    case("eye", [], {"rows": rows, "columns": columns, "k": k}, np.eye(rows, columns, k, dtype="float32"))
