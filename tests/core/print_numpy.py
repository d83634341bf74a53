#!/usr/bin/env python3
"""Prints tests/core/print.expected: arrays, and how numpy formats them. Run by hand, with numpy 2: python3 print_numpy.py > print.expected.

A row is ROW(dtypes, rank, (sizes), "elements", "text"), for all dtypes in which the elements have that text; print.c reads it as C. Elements
are numbers in row-major order ("2*3": 2 three times), or "@ a b": element i is a + b i. A complex number is two of them.
numpy has no bfloat16: its elements are taken as the shortest decimal numbers that round to them, which is what numpy does for its own types.
"""
from types import SimpleNamespace

import numpy as np

NAMES = {np.bool_: "BOOL", np.int8: "I8", np.int16: "I16", np.int32: "I32", np.int64: "I64", np.uint8: "U8", np.uint16: "U16", np.uint32: "U32",
         np.uint64: "U64", np.float16: "F16", np.float32: "F32", np.float64: "F64",
         np.complex64: "C64", np.complex128: "C128"}
FLOATS = [np.float16, np.float32, np.float64]
WIDTH = 140  # of a row that is one line
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


rows = {}  # (shape, elements, text): names of dtypes


def row(name, shape, elements, text):
    names = rows.setdefault((shape, elements, text), [])
    if name not in names:
        names.append(name)


def section(title):
    """Prints the rows up to here, and the title of those that follow."""
    for (shape, elements, text), names in rows.items():
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n    "')
        start, end = f'ROW({" | ".join(names)}, {len(shape)}, ({", ".join(map(str, shape)) or 0}), "{elements}",', f'"{quoted}")'
        print(start, end, sep=" " if "\n" not in end and len(start) + len(end) < WIDTH else "\n    ")
    rows.clear()
    if title:
        print(f"/* {title} */")


def number(v):
    if isinstance(v, np.complexfloating):
        return f"{number(v.real)} {number(v.imag)}"
    return str(int(v)) if isinstance(v, (np.bool_, np.integer)) else str(v)


def show(values, dtype, shape=None):
    with np.errstate(all="ignore"):
        a = np.array(values).astype(dtype) if len(np.shape(values)) or shape is None else np.array(values, dtype)
    a = a.reshape(a.shape if shape is None else shape)
    row(NAMES[dtype], a.shape, " ".join(number(v) for v in a.ravel()), str(a))


def pairs(re, im):
    """Complex numbers of these parts, whatever they are: nan + 1j * inf would be another number."""
    return np.stack([np.asarray(re, np.float64), np.asarray(im, np.float64)], -1).view(np.complex128)[..., 0]


def ramp(first, step, dtype, shape):
    parts = 2 if issubclass(dtype, np.complexfloating) else 1
    numbers = np.float64(first) + np.float64(step) * np.arange(parts * int(np.prod(shape)))
    a = (pairs(numbers[::2], numbers[1::2]) if parts == 2 else numbers).astype(dtype).reshape(shape)
    row(NAMES[dtype], shape, f"@ {first!r} {step!r}", str(a))


def runs(parts, dtype):
    a = np.concatenate([np.full(n, v, dtype) for v, n in parts])
    row(NAMES[dtype], a.shape, " ".join(f"{number(dtype(v))}*{n}" for v, n in parts), str(a))


def bfloat16(v):
    """v rounded to a bfloat16, and the shortest decimal number that rounds to the same."""
    if not np.isfinite(v) or v == 0:
        return float(v), float(v)

    def bits(x):
        with np.errstate(over="ignore"):
            u = int(np.float32(x).view(np.uint32))
        return (u + 0x7FFF + (u >> 16 & 1)) >> 16

    value = float(np.uint32(bits(v) << 16).view(np.float32))
    for digits in range(1, 12):
        short = float(f"{value:.{digits - 1}e}")
        if bits(short) == bits(v):
            return value, short
    raise AssertionError(v)


def show_bfloat16(values, shape=None):
    exact, short = np.array([bfloat16(v) for v in np.ravel(values)]).T
    a = short.reshape(np.shape(values) if shape is None else shape)
    finfo, np.finfo = np.finfo, lambda _: SimpleNamespace(precision=2)  # two decimal digits are safe: where exponents begin
    text, np.finfo = str(a), finfo
    if "e" in text and len(short) > 1 and not np.array_equal(exact, short, equal_nan=True):
        return  # numpy fills up with exact digits, which the short numbers do not have
    row("BF16", a.shape, " ".join(number(v) for v in a.ravel()), text)


def main():
    print("/* print.expected: how numpy " + np.__version__ + " writes arrays. Printed by print_numpy.py: do not edit. */")
    inf, nan = np.inf, np.nan
    lists = [
        [0], [1], [-1], [0.5], [1, 2, 3], [1.5, 2, 3.25], [-1, 2, 3], [0.1, 0.2, 0.3], [1 / 3], [1 / 3, 2 / 3, 1], [-0.0], [0.0, -0.0], [0.0, -0.0, 1], [1e-4, 1], [1e-5, 1],
        [0.0001, 0.0002], [0.00001], [1e-7], [1e8], [1e7], [99999999], [100000000], [1e7, 1], [1000, 1], [1000, 0.99], [1001, 1], [12345.678, 0.001], [1e10, 1], [1e16], [1e15], [123456789],
        [1e20, -1e20], [1e-20], [1e-20, 1e20], [1e-300, 1e300], [3.14159265358979], [2.718281828, 3.14159265358979], [100, 1e-3], [0.1, 100], [0.123456789, 10], [12345678.9], [1234567.891],
        [nan], [inf], [-inf], [nan, inf, -inf], [nan, 1], [nan, -1.5], [inf, 1], [-inf, 1], [-inf, 1.25], [nan, 1e10], [inf, 1e-10, 1], [-inf, -1e10], [nan, nan], [1, nan, 100.5], [nan, 123456.5],
        [0, 0, 0], [0, 1e-10], [0, 1e10], [-1e10], [-1e-10], [-1e10, 1], [-100.5, 3], [1e5, 1e-5], [999.999, 0.001], [5e-324], [1e-45], [65504, 6e-8], [6e-8], [0.1, 0.25, 1000.5],
        [0.30000000000000004], [1.0000001], [1 + 2**-52], [16777216, 0.5], [1.1, 2.22, 3.333], [1e100], [-1e100, 1], [1e-100, 1e-99], [1.5e300, 2e-300], [9.99999999], [0.999999999], [0.99999999999, 1e-3],
        [1.000000001e-5, 1], [1.00000000051e10, 1], [9.9999999999e9, 1e-9], [999999], [1e6], [1000000.5], [999], [999.5], [1000], [99], [100], [1e5, 3e5], [9.999999999, 1], [-9.999999999, -0.0],
        [0.00010001], [0.00009999], [1.05, 1050], [0.1, 99.9], [0.1, 100.1], [33.25, 0.03125], [7.5, -0.0078125],
    ]
    for values in lists:
        for dtype in FLOATS:
            show(values, dtype)
        show_bfloat16(values)
    section("a number alone")
    for v in [0, 1, -1, 0.5, 1 / 3, 0.1, -0.0, 1e15, 1e16, 123456789, 1e17, 1e-4, 1e-5, 1e-7, 1.5e-5, 12345.678, 1e20, 1e100, 1e-300, 3.14159265358979, 65504, 99999999, nan, inf, -inf, 1e22, 123456789012345680, 16777216, 1 / 3e5, 999, 1000, 999.5, 1001, 999999, 1e6, 999999.9, 1000001, -1000, -1e6, -1e-5]:
        for dtype in FLOATS:
            show(v, dtype)
    for dtype in INTS:
        show(5, dtype)
        show(np.iinfo(dtype).max, dtype)
        show(np.iinfo(dtype).min, dtype)
    show(True, np.bool_)
    show(False, np.bool_)
    section("integers")
    for dtype in INTS:
        info = np.iinfo(dtype)
        row(NAMES[dtype], (2,), f"{info.min} {info.max}", str(np.array([info.min, info.max], dtype)))
        show([1, 2, 3], dtype)
        show([1, 20, 100], dtype)
        show([[1, 2], [30, 4]], dtype)
        show([0], dtype)
    show([-1, 10, 0], np.int32)
    show([-1, -10, -100], np.int64)
    show([True, False], np.bool_)
    show([True, True], np.bool_)
    show([[True, False], [False, False]], np.bool_)
    show([False], np.bool_)
    section("shapes")
    for dtype in (np.float32, np.int64, np.bool_):
        for shape in [(0,), (2, 0), (0, 3), (1, 0, 2)]:
            show([], dtype, shape)
        for shape in [(1,), (1, 1), (2, 3), (3, 2), (2, 2, 2), (1, 2, 3), (2, 1, 2, 2), (2, 2, 1, 1, 2), (1, 1, 1, 1, 1, 2), (1,) * 16]:
            show(np.arange(int(np.prod(shape))), dtype, shape)
    show([[1.5, -2], [nan, 1e3]], np.float32)
    show([[1.5, -2], [nan, 1e10]], np.float64)
    show([[[0.1, 0.25]], [[1, -inf]]], np.float16)
    show_bfloat16([[1.5, -2], [0.1, 100]])
    section("long lines")
    for n in (20, 25, 26, 30, 37, 38, 50, 100, 200):
        ramp(0, 1, np.int64, (n,))
        ramp(0, 1, np.float32, (n,))
        ramp(-50, 3.25, np.float64, (n,))
    for n in (11, 12, 13, 14, 15, 16):
        ramp(1000, 1, np.int32, (n,))
        ramp(10000, 1, np.int64, (n,))
        ramp(0.001, 0.0625, np.float32, (n,))
        ramp(1e10, 1e9, np.float64, (n,))
        ramp(0, 1 / 3, np.float16, (n,))
    ramp(0, 1, np.bool_, (30,))
    ramp(0, 1, np.float32, (3, 40))
    ramp(0, 0.5, np.float64, (2, 2, 30))
    ramp(0, 1, np.int8, (2, 60))
    ramp(0, 1, np.int16, (2, 2, 2, 35))
    ramp(-1e6, 12345.75, np.float64, (2, 20))
    section("many elements: summarised")
    ramp(1, 0, np.int64, (1000,))
    ramp(1, 0, np.float32, (1000,))
    ramp(1, 0, np.float32, (10, 100))
    for n in (1001, 5000):
        ramp(0, 1, np.int64, (n,))
        ramp(0, 1, np.float32, (n,))
    ramp(-1, 0.001, np.float64, (2000,))
    ramp(0, 1, np.float64, (100000,))
    ramp(0, 1e6, np.float32, (2000,))
    ramp(-3, 1, np.int32, (1500,))
    ramp(0, 1, np.bool_, (1500,))
    ramp(0, 0.1, np.uint8, (1001,))
    ramp(0, 1, np.float16, (1200,))
    for shape in [(40, 40), (1001, 1), (1, 1001), (7, 200), (6, 200), (200, 7), (200, 6), (3, 400), (3, 7, 50), (2, 3, 200), (2, 2, 2, 200), (300, 2, 2), (2, 1, 3, 2, 90)]:
        ramp(0, 1, np.float32, shape)
        ramp(0, 1, np.int64, shape)
    ramp(-1000.5, 1.25, np.float64, (50, 50))
    ramp(1e-3, 1e-3, np.float64, (50, 50))
    ramp(1e9, 12345.5, np.float64, (50, 50))
    runs([(0.001, 500), (1e10, 1), (1, 500)], np.float64)
    runs([(nan, 1), (1.5, 1000)], np.float32)
    runs([(1.5, 600), (nan, 1), (1.5, 500)], np.float32)
    runs([(1, 600), (1000000, 1), (1, 500)], np.int64)
    section("complex numbers")
    for values in lists:
        parts = np.array([values, [-v for v in reversed(values)]], np.float64)
        for dtype in (np.complex64, np.complex128):
            show(pairs(*parts), dtype)
            show(pairs(*parts[::-1]), dtype)
    for re in (0, -0.0, 1, -0.5, 1 / 3, 1e16, 1e-5, nan, inf, -inf):
        for im in (0, -0.0, 2, -1 / 3, 1e17, nan, inf, -inf):
            for dtype in (np.complex64, np.complex128):
                show(complex(re, im), dtype)
    show([], np.complex64, (0, 2))
    show(pairs(np.arange(6), -np.arange(6)), np.complex64, (2, 3))
    for n in (10, 11, 30, 1001):
        ramp(-5, 0.25, np.complex64, (n,))
        ramp(1, 1e-5, np.complex128, (n,))
    ramp(0, 1, np.complex128, (40, 40))
    section(None)


main()
