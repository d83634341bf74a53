#!/usr/bin/env python3
"""Writes conformance/cases/statistics.case: quantiles, reductions without NaN, covariances, histograms and functions of samples, from numpy.

Run by hand, with numpy: python3 conformance/golden/statistics_numpy.py [folder], default conformance/cases. Half precision is computed in float64 and rounded
once. Derivatives are checked at the values of lines whose inputs are all finite, so these have no ties and no q at an element.
"""
import os
import sys

import numpy as np
from lines import FLOATS, INF, INTS, KIND, NAN, TOLERANCE, fails, line, out, text, title, written

KIND["bf16"] = "f8"
TOLERANCE |= {"f16": "2e-3", "bf16": "1.6e-2", "f32": "2e-6", "f64": "1e-13"}
rng = np.random.default_rng(23)


def quarters(n, *shape):
    """n different multiples of 1/4: exact in every dtype, without ties."""
    v = rng.permutation(4 * n)[:n] / 4.0 - n / 3 // 1
    return v.reshape(shape or (n,))


def with_nan(x, part=0.3):
    x = x.copy()
    x[rng.random(x.shape) < part] = NAN
    return x


def text_axes(axes):
    return "" if axes is None else f"axes={','.join(map(str, axes))}"


def reduced(op, f, x, d, axes=None, keep=False, more="", **options):
    result = f(x.astype(KIND[d]).astype("f8") if d in FLOATS else x.astype(KIND[d]), axis=None if axes is None else tuple(axes), keepdims=keep, **options)
    o = " ".join(p for p in (text_axes(axes), "keepdims" if keep else "", more) if p)
    line(op, [(d, x)], o, d, result)


# ---- quantiles ----

title("quantile, percentile, median")
CUBE = quarters(24, 2, 3, 4)
INNER = np.array([0.13, 0.37, 0.61, 0.88])
for method in ("linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased", "normal_unbiased"):
    x = quarters(11)
    line("quantile", [("f64", x), ("f64", INNER)], f"method={method}", "f64", np.quantile(x, INNER, method=method))
    y = with_nan(quarters(20, 4, 5))
    line("nanquantile", [("f64", y), ("f64", INNER)], f"axes=1 method={method}", "f64", np.nanquantile(y, INNER, axis=1, method=method))
for axes in (None, (0,), (-1,), (0, 2), (1, 2)):
    for keep in (False, True):
        o = " ".join(p for p in (text_axes(axes), "keepdims" if keep else "") if p)
        a = None if axes is None else tuple(axes)
        line("quantile", [("f64", CUBE), ("f64", INNER)], o, "f64", np.quantile(CUBE, INNER, axis=a, keepdims=keep))
        line("percentile", [("f64", CUBE), ("f64", 100 * INNER.reshape(2, 2))], o, "f64", np.percentile(CUBE, 100 * INNER.reshape(2, 2), axis=a, keepdims=keep))
        line("median", [("f64", CUBE)], o, "f64", np.median(CUBE, axis=a, keepdims=keep))
line("quantile", [("f64", CUBE), "0.45"], "axes=1", "f64", np.quantile(CUBE, 0.45, axis=1))
line("quantile", [("f32", CUBE), ("f32", np.float32(0.3))], "", "f32", np.quantile(CUBE, np.float64(np.float32(0.3))))
for d in FLOATS:
    line("quantile", [(d, CUBE), ("f64", INNER)], "axes=2", d, np.quantile(CUBE, INNER, axis=2))
    x = quarters(25)
    line("median", [(d, x)], "", d, np.median(x))
    y = with_nan(quarters(24, 4, 6))
    line("median", [(d, y)], "axes=1", d, np.median(y, axis=1))
    line("nanmedian", [(d, y)], "axes=1", d, np.nanmedian(y, axis=1))
    line("nanpercentile", [(d, y), ("f64", 100 * INNER)], "axes=0", d, np.nanpercentile(y, 100 * INNER, axis=0))
odd = np.array([3.0, -INF, INF, 1.0])
line("median", [("f64", odd)], "", "f64", 2.0)
line("median", [("f64", [1.0, INF])], "", "f64", INF)
line("median", [("f64", [1.0, NAN, 2.0])], "", "f64", NAN)
line("median", [("f64", np.array(3.0))], "", "f64", 3.0)
line("quantile", [("f64", odd), ("f64", [0.0, 1.0, NAN, -0.1, 1.5])], "", "f64", [-INF, INF, NAN, NAN, NAN])
line("quantile", [("f64", [1.0, NAN]), ("f64", [0.0])], "", "f64", [NAN])
line("nanquantile", [("f64", [NAN, NAN]), ("f64", [0.5])], "", "f64", [NAN])
line("nanmedian", [("f64", [[NAN, 1.0, 4.0], [NAN, NAN, NAN]])], "axes=1", "f64", [2.5, NAN])
line("quantile", [("f64", CUBE), ("f64", np.zeros((0,)))], "axes=0", "f64", np.zeros((0, 3, 4)))
line("median", [("f64", np.zeros((0, 3)))], "axes=1", "f64", np.zeros((0,)))
LONG = rng.permutation(40000) / 8.0
line("quantile", [("f64", LONG[:4099]), ("f64", [0.25, 0.999])], "", "f64", np.quantile(LONG[:4099], [0.25, 0.999]))

# ---- without NaN ----

title("reductions without NaN")
for op, f in (("nansum", np.nansum), ("nanprod", np.nanprod), ("nanmean", np.nanmean), ("nanvar", np.nanvar), ("nanstd", np.nanstd), ("nanmax", np.nanmax), ("nanmin", np.nanmin)):
    for d in FLOATS:
        x = quarters(24, 2, 3, 4) / (8 if op == "nanprod" else 1)
        reduced(op, f, x, d, axes=(1,))
        y = with_nan(x)
        reduced(op, f, y, d, axes=(0, 2), keep=True)
    reduced(op, f, with_nan(quarters(8)), "f64")
    if op in ("nanvar", "nanstd"):
        reduced(op, f, with_nan(quarters(12, 3, 4), 0.2), "f64", axes=(-1,), more="correction=1", ddof=1)
        out.append(f"{op} f64[nan 1] correction=1 = f64{{nan}}")
    empty = {"nansum": "0", "nanprod": "1"}.get(op, "nan")
    out.append(f"{op} f64[nan nan] = f64{{{empty}}}")
    if op not in ("nanmax", "nanmin"):
        out.append(f"{op} f64(2,0)[] axes=1 = f64[{empty} {empty}]")
    if op != "nanstd":
        out.append(f"{op} f64{{2.5}} = f64{{{'0' if op == 'nanvar' else '2.5'}}}")
for op in ("nansum", "nanprod"):
    for d in INTS:
        x = rng.integers(0 if d[0] == "u" else -3, 4, (2, 3))
        line(op, [(d, x)], "axes=1", "u64" if d[0] == "u" else "i64", {"nansum": np.sum, "nanprod": np.prod}[op](x, axis=1))
for op in ("nanmax", "nanmin"):
    for d in INTS:
        x = rng.integers(0 if d[0] == "u" else -9, 10, (2, 3))
        line(op, [(d, x)], "axes=1", d, {"nanmax": np.max, "nanmin": np.min}[op](x, axis=1))
z = quarters(6, 2, 3) + 1j * quarters(6, 2, 3)
for op, f in (("nansum", np.nansum), ("nanprod", np.nanprod), ("nanmean", np.nanmean)):
    line(op, [("c128", z)], "axes=1", "c128", f(z, axis=1))
    line(op, [("c64", z)], "axes=0", "c64", f(z, axis=0))
title("running sums without NaN")
for op, f in (("nancumsum", np.nancumsum), ("nancumprod", np.nancumprod)):
    for d in FLOATS:
        x = with_nan(quarters(12, 3, 4) / 4)
        line(op, [(d, x)], "axis=1", d, f(x, axis=1))
    x = quarters(6, 2, 3)
    line(op, [("f64", x)], "axis=0", "f64", f(x, axis=0))
    line(op, [("f64", x)], "axis=-1 reverse", "f64", f(x[:, ::-1], axis=1)[:, ::-1])
    line(op, [("i32", [[1, 2], [3, 4]])], "axis=1", "i64", f([[1, 2], [3, 4]], axis=1))
    line(op, [("f64", [NAN, 2.0])], "axis=0 include_initial", "f64", [0, 0, 2] if op == "nancumsum" else [1, 1, 2])

# ---- running extremes ----


def running(x, axis, larger, reverse=False):
    x = np.moveaxis(np.asarray(x), axis, 0)
    x = x[::-1] if reverse else x
    values, places = x.copy(), np.zeros(x.shape, int)
    for at in np.ndindex(x.shape[1:]):
        best, place = x[(0, *at)], 0
        for k in range(len(x)):
            v = x[(k, *at)]
            if v != v or (best == best and (v >= best if larger else v <= best)):
                best, place = v, k
            values[(k, *at)], places[(k, *at)] = best, place
    if reverse:
        values, places = values[::-1], len(x) - 1 - places[::-1]
    check = (np.maximum if larger else np.minimum).accumulate(x)
    assert np.array_equal(values[::-1] if reverse else values, check, equal_nan=True)
    return np.moveaxis(values, 0, axis), np.moveaxis(places, 0, axis)


title("cummax, cummin")
for op, larger in (("cummax", True), ("cummin", False)):
    for d in FLOATS + INTS:
        x = rng.integers(0, 100, (3, 5)) if d in INTS else quarters(15, 3, 5)
        for axis, reverse in ((1, False), (0, True)):
            v, p = running(x, axis, larger, reverse)
            o = f"axis={axis}" + (" reverse" if reverse else "")
            line(op, [(d, x)], o, d, v, "")
            line(op + ".1", [(d, x)], o, "i64", p)
    x = np.array([1.0, 3.0, 3.0, -INF, NAN, 5.0, INF, NAN, 2.0])
    v, p = running(x, 0, larger)
    line(op, [("f64", x)], "axis=-1", "f64", v, "")
    line(op + ".1", [("f64", x)], "axis=-1", "i64", p)
    x = rng.permutation(4111) / 4
    line(op, [("f32", x)], "axis=0", "f32", running(x, 0, larger)[0], "")
    out.append(f"{op} f32(2,0)[] axis=1 = f32(2,0)[]")
    out.append(f"{op} f32(0,2)[] axis=1 = f32(0,2)[]")
    fails(f"{op} f32{{1}} axis=0 ! VN_E_ARG", f"{op} [1 2] axis=1 ! VN_E_ARG", f"{op} c64[1] axis=0 ! VN_E_DTYPE", f"{op} bool[1] axis=0 ! VN_E_DTYPE")
title("logcumsumexp")
for d in FLOATS:
    x = quarters(12, 3, 4)
    line("logcumsumexp", [(d, x)], "axis=1", d, np.logaddexp.accumulate(x, axis=1))
    line("logcumsumexp", [(d, x)], "axis=0 reverse", d, np.logaddexp.accumulate(x[::-1], axis=0)[::-1])
x = np.array([-INF, -INF, 700.0, 710.0, -800.0, INF, 1.0])
line("logcumsumexp", [("f64", x)], "axis=0", "f64", np.logaddexp.accumulate(x))
x = np.array([-INF, 1000.0, 1000.5, -1000.0, 1003.0])
line("logcumsumexp", [("f64", x)], "axis=0", "f64", np.logaddexp.accumulate(x))
line("logcumsumexp", [("f64", [1.0, NAN, 2.0])], "axis=0", "f64", [1.0, NAN, NAN])
x = rng.integers(-40, 40, 2053) / 4
line("logcumsumexp", [("f64", np.append(x, -INF))], "axis=0", "f64", np.logaddexp.accumulate(np.append(x, -INF)), "1e-12")
fails("logcumsumexp i32[1] axis=0 ! VN_E_DTYPE", "logcumsumexp f32(0,2)[] axis=0 = f32(0,2)[]")

# ---- fmax, fmin, tolerance ----

title("fmax, fmin")
for op, f in (("fmax", np.fmax), ("fmin", np.fmin)):
    x, y = np.array([[1.0, NAN, 3.0], [NAN, -INF, 0.5]]), np.array([2.0, 1.0, NAN])
    for d in FLOATS:
        line(op, [(d, x), (d, y)], "", d, f(x, y), "")
    a = quarters(6, 2, 3)
    line(op, [("f64", a), ("f64", [0.125, 0.375, 0.625])], "", "f64", f(a, [0.125, 0.375, 0.625]))
    for d in INTS:
        line(op, [(d, [1, 5, 7]), (d, [2, 3, 7])], "", d, f([1, 5, 7], [2, 3, 7]))
    line(op, [("f64", [NAN, 1.0]), "nan"], "", "f64", [NAN, 1.0])
    fails(f"{op} c64[1] c64[2] ! VN_E_DTYPE", f"{op} [1 2] [1 2 3] ! VN_E_SHAPE")
title("isclose, allclose")
x = np.array([1.0, 1.0, 1.0, 0.0, INF, INF, NAN, NAN, 1e10, -5.0])
y = np.array([1.000001, 1.1, NAN, 1e-9, INF, -INF, NAN, 1.0, 1.00001e10, -5.00001])
for d in FLOATS:
    a, b = (v.astype(KIND[d] if d != "bf16" else "f4") for v in (x, y))
    if d in ("f32", "f64"):
        for o, k in (("", {}), ("equal_nan", {"equal_nan": True}), ("rtol=0.5", {"rtol": 0.5}), ("rtol=0 atol=2", {"rtol": 0, "atol": 2})):
            line("isclose", [(d, a), (d, b)], o, "bool", np.isclose(a.astype("f8"), b.astype("f8"), **k))
            line("allclose", [(d, a), (d, b)], o, "bool", np.allclose(a.astype("f8"), b.astype("f8"), **k))
    line("isclose", [(d, [1.0, 2.0]), (d, [1.5, 2.0])], "", "bool", [0, 1])
    line("allclose", [(d, [1.0, 2.0]), (d, [1.0, 2.0])], "", "bool", 1)
for d in INTS:
    line("isclose", [(d, [1, 100, 100]), (d, [1, 101, 100])], "rtol=0.001", "bool", [1, 0, 1])
    line("isclose", [(d, [1, 100]), (d, [1, 101])], "rtol=0.05", "bool", [1, 1])
line("isclose", [("bool", [1, 0]), ("bool", [1, 1])], "", "bool", [1, 0])
line("isclose", [("c128", np.array([1 + 1j, 2])), ("c128", np.array([1 + 1.000001j, 2 + 1j]))], "", "bool", [1, 0])
line("isclose", [("f64", [[1.0], [2.0]]), ("f64", [1.0, 2.0])], "", "bool", [[1, 0], [0, 1]])
line("allclose", [("f64", np.zeros((0,))), ("f64", np.zeros((0,)))], "", "bool", 1)
fails("isclose [1 2] [1 2 3] ! VN_E_SHAPE", "isclose [1] [1] rtol=-1 ! VN_E_ARG", "isclose [1] [1] atol=nan ! VN_E_ARG")

# ---- covariance ----

title("cov, corrcoef")
M, N = quarters(15, 3, 5), quarters(10, 2, 5)
f, a = np.array([1, 2, 0, 3, 1]), np.array([0.5, 1.0, 2.0, 0.25, 1.5])
line("cov", [("f64", M)], "", "f64", np.cov(M))
line("cov", [("f64", M), ("f64", N)], "", "f64", np.cov(M, N))
line("cov", [("f64", M), ("f64", N)], "correction=0", "f64", np.cov(M, N, ddof=0))
line("cov", [("f64", M.T)], "columns", "f64", np.cov(M, ddof=1))
line("cov", [("f64", M[0])], "", "f64", np.cov(M[0]))
line("cov", [("f64", M[0]), ("f64", M[1])], "", "f64", np.cov(M[0], M[1]))
line("cov", [("f64", M), "none", ("i32", f)], "", "f64", np.cov(M, fweights=f))
line("cov", [("f64", M), "none", "none", ("f64", a)], "", "f64", np.cov(M, aweights=a))
line("cov", [("f64", M), "none", ("i64", f), ("f64", a)], "correction=2", "f64", np.cov(M, fweights=f, aweights=a, ddof=2))
for d in FLOATS:
    line("cov", [(d, M)], "", d, np.cov(M))
    line("corrcoef", [(d, M)], "", d, np.corrcoef(M))
Z = M + 1j * quarters(15, 3, 5)
line("cov", [("c128", Z)], "", "c128", np.cov(Z))
line("corrcoef", [("c128", Z)], "", "c128", np.corrcoef(Z))
line("corrcoef", [("f64", M), ("f64", N)], "", "f64", np.corrcoef(M, N))
line("corrcoef", [("f64", M.T)], "columns", "f64", np.corrcoef(M))
line("corrcoef", [("f64", M[0])], "", "f64", 1.0)
line("corrcoef", [("f64", [[1.0, 2.0, NAN], [1.0, 0.0, 2.0]])], "", "f64", [[NAN, NAN], [NAN, 1.0]])
fails("cov f32(2,2,2)[1 ...] ! VN_E_SHAPE", "cov [[1 2] [3 4]] [1 2 3] ! VN_E_SHAPE", "cov i32[1 2] ! VN_E_DTYPE", "cov [1 2] none i32[1] ! VN_E_SHAPE",
      "cov [1 2] none f32[1 2] ! VN_E_DTYPE", "corrcoef [[1 2]] [1 2 3] ! VN_E_SHAPE")

# ---- histograms ----

title("histogram, bincount")
H = np.array([0.625, 1.125, 1.375, 2.125, 2.375, 3.125, 0.125, 4.25, 3.875, -1.125, 3.625])
W = np.arange(1, 12) / 4
E = np.array([0.0, 1.0, 2.5, 4.0])


def histogram(inputs, options, d, edges_d, x, **k):
    counts, edges = np.histogram(x, **k)
    line("histogram", inputs, options, d, counts)
    line("histogram.1", inputs, options, edges_d, edges)


histogram([("i32", [3, 1, 2, 2, 9])], "bins=4", "i64", "f64", [3, 1, 2, 2, 9], bins=4)
for d in FLOATS:
    histogram([(d, np.append(H, INF))], "bins=5 low=-1 high=4", "i64", d, H, bins=5, range=(-1, 4))
histogram([("f64", H)], "", "i64", "f64", H)
histogram([("f64", H)], "bins=3 low=0.5 high=3.5", "i64", "f64", H, bins=3, range=(0.5, 3.5))
histogram([("f64", H)], "bins=4 low=-0.5 high=4.5 density", "f64", "f64", H, bins=4, range=(-0.5, 4.5), density=True)
histogram([("f64", np.append(H, NAN)), ("f64", E)], "", "i64", "f64", H, bins=E)
histogram([("f64", H), ("f64", E), ("f64", W)], "", "f64", "f64", H, bins=E, weights=W)
histogram([("f32", H), "none", ("f64", W)], "bins=4 low=-2 high=6", "f64", "f32", H, bins=4, range=(-2, 6), weights=W)
histogram([("f64", H), "none", ("i64", np.arange(11))], "bins=2 low=-2 high=6", "i64", "f64", H, bins=2, range=(-2, 6), weights=np.arange(11))
histogram([("f64", [0.0, 1.0, 2.0, 2.5, 4.0, 4.0, NAN]), ("f64", [0.0, 1.0, 2.0, 4.0])], "", "i64", "f64", [0.0, 1.0, 2.0, 2.5, 4.0, 4.0], bins=[0.0, 1.0, 2.0, 4.0])
histogram([("i32", [2, 2])], "bins=2", "i64", "f64", [2, 2], bins=2)
# A limit that is not given is not beyond the one that is.
histogram([("f64", [1.0, 2.0, 3.0, 4.0])], "bins=2 low=9", "i64", "f64", [1.0, 2.0, 3.0, 4.0], bins=2, range=(9, 9))
histogram([("f64", [1.0, 2.0, 3.0, 4.0])], "bins=2 high=-1", "i64", "f64", [1.0, 2.0, 3.0, 4.0], bins=2, range=(-1, -1))
histogram([("f64", np.zeros((0,)))], "bins=2 low=0 high=1", "i64", "f64", [], bins=2, range=(0, 1))
L = rng.integers(0, 1000, 33001) / 8
out.append(f"histogram f32({len(L)})[{' '.join(text(v) for v in L[:16])} ...] bins=7 low=0 high=126 = "
           + written("i64", np.histogram(np.resize(L[:16], len(L)), bins=7, range=(0, 126))[0]))
fails("histogram [1 2] bins=0 ! VN_E_ARG", "histogram [1 2] low=2 high=1 ! VN_E_ARG", "histogram [1 2] [0 1] low=0 ! VN_E_ARG", "histogram [1 2] low=0 high=inf ! VN_E_ARG", "histogram f32(0)[] ! VN_E_SHAPE",
      "histogram [1 2] [1] ! VN_E_SHAPE", "histogram [1 2] none [1] ! VN_E_SHAPE", "histogram c64[1] ! VN_E_DTYPE")
line("bincount", [("i32", [0, 2, 2, 5, -1]), ("f64", [0.5, 1.0, 0.25, 8.0, 9.0])], "length=4", "f64", [0.5, 0, 1.25, 0])
for d in FLOATS + INTS:
    line("bincount", [("i64", [[0, 1], [1, 3]]), (d, [[1, 2], [3, 4]])], "length=4", d, np.bincount([0, 1, 1, 3], [1, 2, 3, 4], 4))
fails("bincount i32[0 1] [1] length=2 ! VN_E_SHAPE", "bincount i32[0 1] bool[1 1] length=2 ! VN_E_DTYPE")

# ---- samples ----

title("interp, gradient, trapezoid")
XP, FP = np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, 3.0, -2.0, 5.0])
X = np.array([[0.25, 0.75, 1.5], [2.0, 3.0, 3.5]])
for d in FLOATS:
    line("interp", [(d, X), (d, XP), (d, FP)], "", d, np.interp(X, XP, FP))
OUT = np.array([-1.0, 0.0, 1.0, 4.0, 5.0, NAN, 2.5])
line("interp", [("f64", OUT), ("f64", XP), ("f64", FP)], "", "f64", np.interp(OUT, XP, FP))
line("interp", [("f64", OUT), ("f64", XP), ("f64", FP), "-7", "nan"], "", "f64", np.interp(OUT, XP, FP, left=-7, right=NAN))
line("interp", [("f64", OUT), ("f64", XP), ("f64", FP), "none", "9"], "", "f64", np.interp(OUT, XP, FP, right=9))
P = np.array([-1.25, 0.25, 6.25, 3.3])
line("interp", [("f64", P), ("f64", [3.0, 0.5, 1.25, 2.0]), ("f64", FP)], "period=3.5", "f64", np.interp(P, [3.0, 0.5, 1.25, 2.0], FP, period=3.5))
line("interp", [("f64", np.array(1.25)), ("f64", XP), ("f64", FP)], "", "f64", np.interp(1.25, XP, FP))
line("interp", [("f64", [0.0, 1.0, INF]), ("f64", [1.0]), ("f64", [5.0])], "", "f64", [5.0, 5.0, 5.0])
fails("interp [1] [[1 2]] [1 2] ! VN_E_SHAPE", "interp [1] [1 2] [1 2 3] ! VN_E_SHAPE", "interp [1] f32(0)[] f32(0)[] ! VN_E_SHAPE", "interp [1] [1 2] [1 2] [1 2] ! VN_E_SHAPE",
      "interp [1] [1 2] [1 2] period=-1 ! VN_E_ARG", "interp i32[1] i32[1] i32[1] ! VN_E_DTYPE")
G, AT = quarters(20, 4, 5), np.array([0.0, 0.5, 2.0, 2.75, 4.0])
for edge in (1, 2):
    o = f" edge_order={edge}"
    line("gradient", [("f64", G)], "axis=1" + o, "f64", np.gradient(G, axis=1, edge_order=edge))
    line("gradient", [("f64", G)], "axis=0 spacing=0.25" + o, "f64", np.gradient(G, 0.25, axis=0, edge_order=edge))
    line("gradient", [("f64", G), ("f64", AT)], "axis=-1" + o, "f64", np.gradient(G, AT, axis=1, edge_order=edge))
for d in FLOATS:
    line("gradient", [(d, G)], "", d, np.gradient(G, axis=1))
line("gradient", [("f64", [1.0, 4.0])], "", "f64", np.gradient([1.0, 4.0]))
line("gradient", [("f64", [1.0, 4.0, INF, 2.0, NAN])], "", "f64", np.gradient([1.0, 4.0, INF, 2.0, NAN]))
fails("gradient [1] ! VN_E_SHAPE", "gradient [1 2] edge_order=2 ! VN_E_SHAPE", "gradient [1 2 3] edge_order=3 ! VN_E_ARG", "gradient [1 2 3] spacing=0 ! VN_E_ARG",
      "gradient [1 2 3] [1 2] ! VN_E_SHAPE", "gradient f32{1} ! VN_E_ARG", "gradient i32[1 2] ! VN_E_DTYPE")
line("trapezoid", [("f64", G)], "", "f64", np.trapezoid(G))
line("trapezoid", [("f64", G)], "axis=0 dx=0.5", "f64", np.trapezoid(G, dx=0.5, axis=0))
line("trapezoid", [("f64", G), ("f64", AT)], "axis=1", "f64", np.trapezoid(G, AT, axis=1))
line("trapezoid", [("f64", G), ("f64", np.cumsum(np.abs(G) + 1, axis=0))], "axis=0", "f64", np.trapezoid(G, np.cumsum(np.abs(G) + 1, axis=0), axis=0))
for d in FLOATS:
    line("trapezoid", [(d, G)], "axis=-1", d, np.trapezoid(G))
line("trapezoid", [("f64", [3.0])], "", "f64", 0.0)
line("trapezoid", [("f64", np.zeros((2, 0)))], "", "f64", [0.0, 0.0])
fails("trapezoid f32{1} ! VN_E_ARG", "trapezoid [1 2 3] [1 2] ! VN_E_SHAPE", "trapezoid [[1 2 3]] [[1 2]] ! VN_E_SHAPE")

# ---- order, repetitions, zeros ----

title("lexsort, unique_consecutive, trim_zeros")
A, B, C = rng.integers(0, 3, 20), rng.integers(0, 3, 20), rng.integers(0, 9, 20)
for d in INTS + FLOATS:
    line("lexsort", [(d, A), (d, B)], "", "i64", np.lexsort((A, B)))
line("lexsort", [("f32", A), ("i8", B), ("bool", C > 4)], "", "i64", np.lexsort((A, B, C > 4)))
K = rng.integers(0, 2, (2, 3, 4))
line("lexsort", [("i32", K[0]), ("i32", K[1])], "axis=0", "i64", np.lexsort((K[0], K[1]), axis=0))
line("lexsort", [("f64", [NAN, 1.0, NAN]), ("f64", [1.0, 1.0, 0.0])], "", "i64", [2, 1, 0])
line("lexsort", [("f64", np.zeros((2, 0)))], "", "i64", np.zeros((2, 0), int))
fails("lexsort [1 2] [1] ! VN_E_SHAPE", "lexsort f32{1} ! VN_E_ARG", "lexsort c64[1] ! VN_E_DTYPE")


def unique_consecutive(d, x, axis=None):
    x = np.asarray(x)
    rows = x.ravel()[:, None] if axis is None else np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    first = np.array([k == 0 or bool(np.any(rows[k] != rows[k - 1])) for k in range(len(rows))], bool)
    group = np.cumsum(first) - 1
    o = "" if axis is None else f"axes={axis}"
    line("unique_consecutive", [(d, x)], o, d, x.ravel()[first] if axis is None else np.compress(first, x, axis), "")
    line("unique_consecutive.1", [(d, x)], o, "i64", group.reshape(x.shape) if axis is None else group)
    line("unique_consecutive.2", [(d, x)], o, "i64", np.bincount(group, minlength=first.sum()))


for d in ["bool"] + INTS + FLOATS:
    unique_consecutive(d, [[1, 1, 0], [0, 0, INF if d in FLOATS else 1]])
unique_consecutive("f64", [NAN, NAN, 1.0, 1.0, INF, INF])
unique_consecutive("i32", [[1, 2], [1, 2], [3, 2], [1, 2]], 0)
unique_consecutive("i32", [[1, 1, 2], [3, 3, 3]], 1)
unique_consecutive("f32", np.zeros((0,)))
unique_consecutive("f64", np.array(2.0))
fails("unique_consecutive [1] axes=1 ! VN_E_ARG", "unique_consecutive [[1]] axes=0,1 ! VN_E_ARG")
T = [0.0, 0.0, 1.0, 0.0, INF, 3.0, 0.0]
for d in ["bool"] + INTS + FLOATS:
    x = T if d in FLOATS else np.array(T) > 0
    line("trim_zeros", [(d, x)], "", d, np.trim_zeros(x), "")
for d in ("c64", "c128"):
    line("trim_zeros", [(d, np.array([0, 1j, complex(INF, 0), 0]))], "", d, np.array([1j, complex(INF, 0)]), "")
line("trim_zeros", [("f64", T)], "trim=f", "f64", T[2:], "")
line("trim_zeros", [("f64", T)], "trim=b", "f64", T[:-1], "")
line("trim_zeros", [("i32", [0, 0])], "", "i32", np.zeros((0,), int), "")
line("trim_zeros", [("f64", [0.0, NAN, 0.0])], "", "f64", [NAN], "")
B2 = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]])
line("trim_zeros", [("i32", B2)], "", "i32", B2[1:3, 1:3])
fails("trim_zeros f32{1} ! VN_E_SHAPE", "trim_zeros [1] trim=x ! VN_E_ARG")

# ---- what is refused ----

title("errors")
for op in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    fails(f"{op} i32[1 2] [0.5] ! VN_E_DTYPE", f"{op} [1 2] bool[1] ! VN_E_DTYPE", f"{op} f32(0)[] [0.5] ! VN_E_SHAPE", f"{op} [1 2] [0.5] axes=1 ! VN_E_ARG",
          f"{op} [1 2] [0.5] method=best ! VN_E_ARG", f"{op} null [0.5] ! VN_E_NULL")
for op in ("median", "nanmedian", "nanmax", "nanmin"):
    fails(f"{op} f32(0)[] ! VN_E_SHAPE", f"{op} [1 2] axes=1 ! VN_E_ARG", f"{op} c64[1] ! VN_E_DTYPE", f"{op} [1 2] axes=0,0 ! VN_E_ARG")
for op in ("nansum", "nanprod"):
    fails(f"{op} bool[1] ! VN_E_DTYPE", f"{op} [1] axes=2 ! VN_E_ARG")
for op in ("nanmean", "nanvar", "nanstd"):
    fails(f"{op} i32[1] ! VN_E_DTYPE", f"{op} [1] axes=-2 ! VN_E_ARG")
for op in ("nancumsum", "nancumprod"):
    fails(f"{op} f32{{1}} axis=0 ! VN_E_ARG", f"{op} bool[1] axis=0 ! VN_E_DTYPE")

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
with open(os.path.join(folder, "statistics.case"), "w") as f:
    f.write("# Statistics and tolerance. Printed by statistics_numpy.py.\n" + "\n".join(out) + "\n")
